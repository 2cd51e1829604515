/* test_emit.c - row programs as source text: printed, compiled, run, compared with what they mean.
 *
 * The kernels are those of kernel_cases.h and one for every row of the operation table. C is
 * always compiled and run. CUDA is compiled where NVRTC can be opened and run where there is a
 * GPU; WGSL is run where node finds the package webgpu. A few texts are kept in tests/golden;
 * WEFT_GOLDEN=write writes them anew. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "kern/emit.h"
#include "kernel_cases.h"
#include "kernel_ref.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void *plain_resize(void *user, void *p, size_t bytes) {
    (void)user;
    if (bytes) return realloc(p, bytes);
    free(p);
    return NULL;
}
static mem plain = {.resize = plain_resize};

/* ---- the kernels ---- */

typedef struct row {
    int op;
    const char *name;
    bool binary, compare, real, whole;
    double lo, hi;
} row;
/* clang-format off */
static const row rows[] = {
#define HAS_INT(i32) (#i32[0] != 'N')
#define OP_UNARY(name, f32, i32, cost, dx, f64, i64, lo, hi, ulp) \
    { OP_##name, #name, false, false, true, HAS_INT(i32), lo, hi },
#define OP_BINARY(name, f32, i32, cost, dx, dy, f64, i64, lo, hi, ulp) \
    { OP_##name, #name, true, false, true, HAS_INT(i32), lo, hi },
#define OP_COMPARE(name, f32, i32, truth) { OP_##name, #name, true, true, true, true, -2, 2 },
#define OP_LOGIC(name, i32) { OP_##name, #name, true, false, false, true, 0, 0 },
#include "core/ops.def"
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof *rows, ALL = KC_COUNT + 2 * ROWS };

typedef struct item {
    char name[40];
    kcase c;
    bool no_wgsl;
    char *want[KCASE_BUFFERS];
} item;
static item *items;
static int count;

static char *copy_of(const char *p, size_t bytes) {
    char *q = malloc(bytes);
    return q ? memcpy(q, p, bytes) : NULL;
}

/* All kernels with the memory they start from and what it must become. Made once, freed at exit. */
static void items_free(void) {
    for (int i = 0; i < count; i++) {
        for (int b = 0; b < items[i].c.bufs; b++) free(items[i].want[b]);
        kc_free(&items[i].c);
    }
    free(items);
}

static void items_make(void) {
    if (items) return;
    items = calloc(ALL, sizeof *items);
    for (int i = 0; i < KC_COUNT; i++) {
        item *it = &items[count++];
        snprintf(it->name, sizeof it->name, "%s", kc_list[i].name);
        it->no_wgsl = kc_list[i].no_wgsl;
        kc_list[i].make(&it->c);
    }
    for (int i = 0; i < 2 * ROWS; i++) {
        const row *r = &rows[i / 2];
        const bool real = i % 2 == 0;
        if (!(real ? r->real : r->whole)) continue;
        item *it = &items[count++];
        snprintf(it->name, sizeof it->name, "%s_%s", r->name, real ? "f32" : "i32");
        kc_table_row(&it->c, r->op, r->binary, r->compare, real, real ? r->lo : -20,
                     real ? r->hi : 20);
    }
    for (int i = 0; i < count; i++) {
        item *it = &items[i];
        for (int b = 0; b < it->c.bufs; b++)
            it->want[b] = copy_of(it->c.memory[b], it->c.buf[b].bytes);
        kernel_ref(&it->c.k, it->want);
    }
    atexit(items_free);
}

/* Floats may differ by rounding, narrow ones by a step of theirs; everything else must be equal. */
static void compare(const item *it, char *const *got, double tolerance) {
    for (int b = 0; b < it->c.bufs; b++) {
        const int t = it->c.buf[b].dtype;
        const double step = t == WEFT_BF16 ? 0x1p-7 : t == WEFT_F16 ? 0x1p-10 : tolerance;
        const int64_t n = (int64_t)(it->c.buf[b].bytes / weft_dtype_size((weft_dtype)t));
        for (int64_t i = 0; i < n; i++) {
            const double g = ref_read(t, got[b], i), w = ref_read(t, it->want[b], i);
            const bool held =
                ref_is_float(t) ? CHECK_NEAR(g, w, step * fmax(1, fabs(w))) : CHECK_EQ(g, w);
            if (held) continue;
            printf("     %s: buffer %d element %lld\n", it->name, b, (long long)i);
            break;
        }
    }
}

static void copies_make(const item *it, char **copy) {
    for (int b = 0; b < it->c.bufs; b++) copy[b] = copy_of(it->c.memory[b], it->c.buf[b].bytes);
}

static void copies_free(const item *it, char **copy) {
    for (int b = 0; b < it->c.bufs; b++) free(copy[b]);
}

/* ---- files and programs ---- */

static char folder[64];

static const char *scratch(void) {
    if (!*folder) {
        snprintf(folder, sizeof folder, "/tmp/weft-emit-XXXXXX");
        if (!mkdtemp(folder)) *folder = 0;
    }
    return folder;
}

__attribute__((destructor)) static void scratch_remove(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (*folder && system(command)) puts("the scratch folder stays");
}

static bool write_file(const char *path, const void *p, size_t n) {
    FILE *f = fopen(path, "wb");
    const bool done = f && fwrite(p, 1, n, f) == n;
    if (f) fclose(f);
    return done;
}

/* The whole file with a zero after it, or NULL. */
static char *read_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *s = NULL;
    *n = 0;
    for (size_t got = 1; got;) {
        s = realloc(s, *n + 65537);
        got = fread(s + *n, 1, 65536, f);
        *n += got;
    }
    s[*n] = 0;
    fclose(f);
    return s;
}

static int shell(const char *format, const char *a, const char *b) {
    char command[1000];
    snprintf(command, sizeof command, format, a, b);
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *compiler(void) {
    const char *cc = getenv("WEFT_CC");
    return cc && *cc ? cc : "cc";
}

/* Every kernel one after the other behind one prelude; NULL if one cannot be said. */
static char *all_text(emit_language lang) {
    text body = {.m = &plain}, whole = {.m = &plain};
    items_make();
    for (int i = 0; i < count; i++) {
        const kcase *c = &items[i].c;
        char name[48];
        snprintf(name, sizeof name, "run_%s", items[i].name);
        text_add(&body, "\n");
        if (!CHECK(emit_kernel(&body, lang, &c->k, c->buf, name))) printf("     %s\n", name);
    }
    emit_prelude_for(&whole, lang, body.s);
    text_add(&whole, "%s", body.s);
    free(body.s);
    return whole.s;
}

/* ---- C ---- */

TEST(c_kernels_give_what_they_mean) {
    char path[128], so[128];
    char *s = all_text(EMIT_C);
    snprintf(path, sizeof path, "%s/kernels.c", scratch());
    snprintf(so, sizeof so, "%s/kernels.so", scratch());
    write_file(path, s, strlen(s));
    free(s);
    char command[300];
    snprintf(command, sizeof command,
             "%s -std=c99 -O2 -Wall -Werror -shared -fPIC '%%s' -o '%%s' -lm", compiler());
    if (!CHECK_EQ(shell(command, path, so), 0)) return;
    void *lib = dlopen(so, RTLD_NOW | RTLD_LOCAL);
    if (!CHECK(lib != NULL)) return;
    for (int i = 0; i < count; i++) {
        item *it = &items[i];
        char name[48], *copy[KCASE_BUFFERS], *at[EMIT_BUFFERS];
        uint32_t slot[EMIT_BUFFERS];
        void (*kernel_run)(char *const *);
        CASE("%s", it->name);
        snprintf(name, sizeof name, "run_%s", it->name);
        void *found = dlsym(lib, name);
        memcpy(&kernel_run, &found, sizeof found);
        if (!CHECK(found != NULL)) continue;
        copies_make(it, copy);
        const int n = emit_buffers(&it->c.k, slot);
        for (int b = 0; b < n; b++) at[b] = copy[slot[b]];
        kernel_run(at);
        compare(it, copy, 1e-5);
        copies_free(it, copy);
    }
    dlclose(lib);
}

/* Both compilers must take the whole prelude as well. */
TEST(c_prelude_compiles) {
    char path[128];
    text t = {.m = &plain};
    emit_prelude(&t, EMIT_C);
    snprintf(path, sizeof path, "%s/prelude.c", scratch());
    write_file(path, t.s, t.n);
    free(t.s);
    char command[300];
    snprintf(command, sizeof command,
             "%s -std=c99 -O2 -Wall -Wno-unused-function -Werror -c '%%s' -o '%%s'.o", compiler());
    CHECK_EQ(shell(command, path, path), 0);
}

TEST(c_source_has_only_the_helpers_it_needs) {
    kcase c = {0};
    text t = {.m = &plain};
    kc_softmax(&c);
    CHECK(emit_source(&t, EMIT_C, &c.k, c.buf, "softmax"));
    CHECK_HAS(t.s, "k_exp(float a)");
    CHECK_HAS(t.s, "k_bits(unsigned a)"); /* the maximum starts at -inf */
    CHECK(!strstr(t.s, "k_philox"));
    CHECK(!strstr(t.s, "k_sin"));
    free(t.s);
    kc_free(&c);
}

TEST(what_cannot_be_said_leaves_no_text) {
    kcase c = {0};
    text t = {.m = &plain};
    text_add(&t, "before");
    kc_softmax_odd(&c); /* rows of 9 in bf16 share words */
    CHECK(!emit_kernel(&t, EMIT_WGSL, &c.k, c.buf, "odd"));
    CHECK_STR(t.s, "before");
    CHECK(emit_kernel(&t, EMIT_CUDA, &c.k, c.buf, "odd"));
    kc_free(&c);
    memset(&c, 0, sizeof c);
    kc_broadcast(&c);
    c.k.dim[0] = INT64_C(1) << 32; /* beyond an i32 */
    CHECK(!emit_kernel(&t, EMIT_WGSL, &c.k, c.buf, "large"));
    CHECK(emit_kernel(&t, EMIT_CUDA, &c.k, c.buf, "large"));
    CHECK_HAS(t.s, "const long long i0");
    c.k.ins[0].op = OP_exp; /* an integer exponential does not exist */
    c.k.ins[0].a = 5;       /* and operands come first */
    CHECK(!emit_kernel(&t, EMIT_C, &c.k, c.buf, "wrong"));
    kc_free(&c);
    free(t.s);
}

TEST(numbers_are_literals_everywhere) {
    static const struct {
        int type;
        uint32_t bits;
        const char *want;
    } list[] = {
        {KT_F32, 0x3f800000u, "1.0f"},
        {KT_F32, 0x80000000u, "-0.0f"},
        {KT_F32, 0x7f800000u, "k_bits(0x7f800000u)"},
        {KT_F32, 0x7fc00000u, "k_bits(0x7fc00000u)"},
        {KT_F32, 0x501502f9u, "1e+10f"},
        {KT_F32, 0x3dcccccdu, "0.100000001f"},
        {KT_I32, 0xffffffffu, "-1"},
        {KT_I32, 0x80000000u, "(-2147483647 - 1)"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        text t = {.m = &plain};
        emit_number(&t, list[i].type, list[i].bits);
        CHECK_STR(t.s, list[i].want);
        free(t.s);
    }
}

/* ---- texts as they were ---- */

TEST(texts_are_as_before) {
    static const char *const names[] = {"broadcast", "padded",     "softmax",
                                        "argmax",    "column_sum", "softmax_bf16"};
    static const char *const ending[] = {"c", "cu", "wgsl"};
    const char *mode = getenv("WEFT_GOLDEN");
    items_make();
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const kcase *c = NULL;
        for (int i = 0; i < count; i++)
            if (!strcmp(items[i].name, names[n])) c = &items[i].c;
        for (int lang = EMIT_C; lang <= EMIT_WGSL; lang++) {
            char path[128];
            size_t size;
            text t = {.m = &plain};
            CASE("%s.%s", names[n], ending[lang]);
            CHECK(emit_source(&t, (emit_language)lang, &c->k, c->buf, names[n]));
            snprintf(path, sizeof path, "tests/golden/emit_%s.%s", names[n], ending[lang]);
            if (mode && !strcmp(mode, "write")) CHECK(write_file(path, t.s, t.n));
            char *want = read_file(path, &size);
            if (CHECK(want != NULL)) CHECK_STR(t.s, want);
            free(want);
            free(t.s);
        }
    }
}

/* ---- CUDA: compiled by NVRTC, run where there is a driver and a device ---- */

static void *open_first(const char *const *names) {
    for (; *names; names++) {
        void *lib = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        if (lib) return lib;
    }
    return NULL;
}

/* A function of the library, its type taken from the pointer. */
#define SYMBOL(lib, pointer, name)                                                                 \
    do {                                                                                           \
        void *found_ = dlsym(lib, name);                                                           \
        memcpy(&(pointer), &found_, sizeof found_);                                                \
        if (!CHECK(found_ != NULL)) return NULL;                                                   \
    } while (0)

/* PTX of the source, or NULL after saying why. */
static char *nvrtc_compile(void *lib, const char *source) {
    int (*create)(void **, const char *, const char *, int, const char *const *,
                  const char *const *);
    int (*compile)(void *, int, const char *const *);
    int (*log_size)(void *, size_t *), (*log)(void *, char *), (*ptx_size)(void *, size_t *),
        (*ptx)(void *, char *);
    SYMBOL(lib, create, "nvrtcCreateProgram");
    SYMBOL(lib, compile, "nvrtcCompileProgram");
    SYMBOL(lib, log_size, "nvrtcGetProgramLogSize");
    SYMBOL(lib, log, "nvrtcGetProgramLog");
    SYMBOL(lib, ptx_size, "nvrtcGetPTXSize");
    SYMBOL(lib, ptx, "nvrtcGetPTX");
    const char *options[] = {"--gpu-architecture=compute_80"};
    void *program = NULL;
    size_t n = 0;
    if (!CHECK_EQ(create(&program, source, "kernels.cu", 0, NULL, NULL), 0)) return NULL;
    if (!CHECK_EQ(compile(program, 1, options), 0)) {
        log_size(program, &n);
        char *s = calloc(1, n + 1);
        log(program, s);
        printf("%.4000s\n", s);
        free(s);
        return NULL;
    }
    ptx_size(program, &n);
    char *s = calloc(1, n + 1);
    ptx(program, s);
    return s;
}

static char *nvrtc_all(void) {
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                        "/usr/local/cuda/lib64/libnvrtc.so", NULL};
    void *lib = open_first(names);
    if (!lib) {
        test_skip("no NVRTC library can be opened");
        return NULL;
    }
    char *source = all_text(EMIT_CUDA);
    char *ptx = nvrtc_compile(lib, source);
    free(source);
    return ptx;
}

typedef struct driver {
    int (*init)(unsigned), (*device)(int *, int), (*retain)(void **, int), (*current)(void *);
    int (*load)(void **, const void *), (*function)(void **, void *, const char *);
    int (*alloc)(uint64_t *, size_t), (*release)(uint64_t), (*up)(uint64_t, const void *, size_t);
    int (*down)(void *, uint64_t, size_t);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
    void *module;
} driver;

static void *driver_open(driver *d, const char *ptx) {
    static const char *const names[] = {"libcuda.so.1", NULL};
    void *lib = open_first(names), *context;
    int device;
    if (!lib) return NULL;
    SYMBOL(lib, d->init, "cuInit");
    SYMBOL(lib, d->device, "cuDeviceGet");
    SYMBOL(lib, d->retain, "cuDevicePrimaryCtxRetain");
    SYMBOL(lib, d->current, "cuCtxSetCurrent");
    SYMBOL(lib, d->load, "cuModuleLoadData");
    SYMBOL(lib, d->function, "cuModuleGetFunction");
    SYMBOL(lib, d->alloc, "cuMemAlloc_v2");
    SYMBOL(lib, d->release, "cuMemFree_v2");
    SYMBOL(lib, d->up, "cuMemcpyHtoD_v2");
    SYMBOL(lib, d->down, "cuMemcpyDtoH_v2");
    SYMBOL(lib, d->launch, "cuLaunchKernel");
    if (d->init(0) || d->device(&device, 0) || d->retain(&context, device) || d->current(context))
        return NULL;
    return CHECK_EQ(d->load(&d->module, ptx), 0) ? lib : NULL;
}

TEST(cuda_kernels_give_what_they_mean) {
    driver d;
    CASE("compiled");
    char *ptx = nvrtc_all();
    if (!ptx) return;
    CASE("run");
    if (!driver_open(&d, ptx)) {
        test_skip("no GPU");
        free(ptx);
        return;
    }
    for (int i = 0; i < count; i++) {
        item *it = &items[i];
        char name[48], *copy[KCASE_BUFFERS];
        void *kernel_run, *args[EMIT_BUFFERS];
        uint64_t at[KCASE_BUFFERS];
        uint32_t slot[EMIT_BUFFERS];
        CASE("%s", it->name);
        snprintf(name, sizeof name, "run_%s", it->name);
        if (!CHECK_EQ(d.function(&kernel_run, d.module, name), 0)) continue;
        copies_make(it, copy);
        for (int b = 0; b < it->c.bufs; b++) {
            CHECK_EQ(d.alloc(&at[b], it->c.buf[b].bytes), 0);
            CHECK_EQ(d.up(at[b], copy[b], it->c.buf[b].bytes), 0);
        }
        const int n = emit_buffers(&it->c.k, slot);
        for (int b = 0; b < n; b++) args[b] = &at[slot[b]];
        const unsigned groups = (unsigned)min_i64(emit_groups(&it->c.k), 2); /* loops must go on */
        CHECK_EQ(d.launch(kernel_run, groups, 1, 1, EMIT_THREADS, 1, 1, 0, NULL, args, NULL), 0);
        for (int b = 0; b < it->c.bufs; b++) {
            CHECK_EQ(d.down(copy[b], at[b], it->c.buf[b].bytes), 0);
            d.release(at[b]);
        }
        compare(it, copy, 1e-5);
        copies_free(it, copy);
    }
    free(ptx);
}

/* ---- WGSL ---- */

/* What the language has not: a look at every text, for machines that cannot run them. */
TEST(wgsl_text_is_wgsl) {
    static const char *const never[] = {"float ",   "int ",    " ? ",    "long ",
                                        "unsigned", "(float)", "const ", "->;"};
    items_make();
    for (int i = 0; i < count; i++) {
        text t = {.m = &plain};
        if (items[i].no_wgsl) continue;
        CASE("%s", items[i].name);
        CHECK(emit_source(&t, EMIT_WGSL, &items[i].c.k, items[i].c.buf, "main"));
        int braces = 0, parens = 0;
        for (const char *p = t.s; *p; p++) {
            braces += (*p == '{') - (*p == '}');
            parens += (*p == '(') - (*p == ')');
        }
        CHECK_EQ(braces, 0);
        CHECK_EQ(parens, 0);
        for (size_t n = 0; n < sizeof never / sizeof *never; n++)
            if (!CHECK(!strstr(t.s, never[n]))) printf("     has \"%s\"\n", never[n]);
        free(t.s);
    }
}

static bool wgsl_write(const item *it, text *list) {
    char path[200];
    uint32_t slot[EMIT_BUFFERS];
    size_t first[KCASE_BUFFERS], words = 0;
    text t = {.m = &plain};
    const bool said = CHECK(emit_source(&t, EMIT_WGSL, &it->c.k, it->c.buf, it->name));
    snprintf(path, sizeof path, "%s/%s.wgsl", scratch(), it->name);
    if (said) write_file(path, t.s, t.n);
    free(t.s);
    for (int b = 0; b < it->c.bufs; b++) first[b] = words, words += it->c.buf[b].bytes / 4;
    char *memory = calloc(words, 4);
    for (int b = 0; b < it->c.bufs; b++)
        memcpy(memory + 4 * first[b], it->c.memory[b], it->c.buf[b].bytes);
    snprintf(path, sizeof path, "%s/%s.in", scratch(), it->name);
    write_file(path, memory, words * 4);
    free(memory);
    const int64_t groups = emit_groups(&it->c.k);
    text_add(list, "%s %d %d", it->name, groups > 1 ? 2 : 1, groups > 4 ? 2 : 1);
    const int n = emit_buffers(&it->c.k, slot);
    for (int b = 0; b < n; b++) text_add(list, " %zu", first[slot[b]]);
    text_add(list, "\n");
    return said;
}

/* Debian's chromium brings a software driver and a loader; others say where theirs are. */
static void driver_find(void) {
    static const char home[] = "/usr/lib/chromium",
                      icd[] = "/usr/lib/chromium/vk_swiftshader_icd.json";
    if (getenv("VK_DRIVER_FILES") || access(icd, R_OK)) return;
    setenv("VK_DRIVER_FILES", icd, 1);
    setenv("LD_LIBRARY_PATH", home, 0);
    setenv("XDG_RUNTIME_DIR", scratch(), 0);
}

TEST(wgsl_kernels_give_what_they_mean) {
    char path[200], why[200] = "";
    text list = {.m = &plain};
    if (shell("command -v node > %s/where%s", scratch(), "")) SKIP("no node");
    items_make();
    for (int i = 0; i < count; i++)
        if (!items[i].no_wgsl) wgsl_write(&items[i], &list);
    snprintf(path, sizeof path, "%s/cases", scratch());
    write_file(path, list.s, list.n);
    free(list.s);
    driver_find();
    const int status = shell("node tests/web/wgsl.mjs '%s' > '%s/log' 2>&1", scratch(), scratch());
    size_t n;
    snprintf(path, sizeof path, "%s/log", scratch());
    char *log = read_file(path, &n);
    if (log) snprintf(why, sizeof why, "%.*s", (int)strcspn(log, "\n"), log);
    if (status == 77) {
        free(log);
        SKIP("%s", why);
    }
    if (!CHECK_EQ(status, 0)) printf("%.3000s\n", log ? log : "");
    free(log);
    for (int i = 0; i < count && !status; i++) {
        const item *it = &items[i];
        if (it->no_wgsl) continue;
        CASE("%s", it->name);
        snprintf(path, sizeof path, "%s/%s.out", scratch(), it->name);
        char *out = read_file(path, &n), *at[KCASE_BUFFERS];
        if (!CHECK(out != NULL)) continue;
        size_t words = 0;
        for (int b = 0; b < it->c.bufs; b++)
            at[b] = out + 4 * words, words += it->c.buf[b].bytes / 4;
        compare(it, at, 2e-5);
        free(out);
    }
}
