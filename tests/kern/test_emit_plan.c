/* test_emit_plan.c - plans as C files: recorded, compiled for no device, printed, compiled by the C
 * compiler, loaded and run beside the reference backend.
 *
 * Every network runs several times, so that updates and random numbers must go on from run to
 * run. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "test.h"
#include "weft/weft.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INPUTS = 3, OUTPUTS = 4, RUNS = 3 };
typedef struct net {
    weft_tensor in[INPUTS], out[OUTPUTS];
    int ins, outs;
    weft_updates update;
} net;

/* ---- networks ---- */

static weft_tensor fed(net *n, weft_graph *g, weft_dtype t, weft_shape dims) {
    return n->in[n->ins++] = weft_input(g, t, dims);
}
static void fetched(net *n, weft_tensor t) {
    n->out[n->outs++] = t;
}

static void net_classify(net *n, weft_graph *g, weft_state *s) {
    weft_tensor x = fed(n, g, WEFT_F32, weft_dims(5, 20));
    weft_scope_push(g, "a*"); /* joined by a slash, which must not end a comment */
    weft_scope_push(g, "b");
    weft_tensor h = weft_relu(weft_linear(s, x, 33, "fc1"));
    weft_scope_pop(g);
    weft_scope_pop(g);
    weft_tensor y = weft_softmax(weft_linear(s, h, 70, "fc2"), 1);
    fetched(n, y);
    fetched(n, weft_argmax(y, 1, false));
    fetched(n, weft_argsort(weft_round(weft_scale(y, 300)), 1, true));
}

static void net_train(net *n, weft_graph *g, weft_state *s) {
    weft_tensor x = fed(n, g, WEFT_F32, weft_dims(16, 7)), t = fed(n, g, WEFT_I32, weft_dims(16));
    weft_tensor h = weft_tanh(weft_linear(s, x, 12, "fc1"));
    weft_tensor loss = weft_cross_entropy(weft_linear(s, h, 3, "fc2"), t);
    n->update = weft_adam(s, loss, &(weft_adam_desc){.lr = 0.05f, .decay = 0.1f});
    fetched(n, loss);
}

static void net_embed(net *n, weft_graph *g, weft_state *s) { /* scatter_add in the backward */
    weft_tensor t = fed(n, g, WEFT_I32, weft_dims(16));
    weft_tensor table =
        weft_param(g, s, "table", weft_dims(3, 6), (weft_init){WEFT_INIT_UNIFORM, -1, 1});
    weft_tensor e = weft_embedding(table, t);
    weft_tensor loss = weft_mse(e, weft_full(g, weft_dims(16, 6), 0.5f));
    n->update = weft_sgd(s, loss, &(weft_sgd_desc){.lr = 0.5f, .momentum = 0.9f});
    fetched(n, loss);
    fetched(n, e);
}

/* Whole rows, as plans of a device have them: added where the table lies, groups of one row. */
static void net_rows(net *n, weft_graph *g, weft_state *s) {
    const weft_init init = {WEFT_INIT_UNIFORM, -1, 1};
    weft_tensor t = fed(n, g, WEFT_I32, weft_dims(4, 5));
    weft_tensor a = weft_param(g, s, "a", weft_dims(3, 6), init);
    weft_tensor b = weft_param(g, s, "b", weft_dims(3, 6), init);
    weft_tensor c = weft_buffer(g, s, "c", WEFT_F32, weft_dims(3, 6), init), d;
    weft_tensor bags = weft_mean(weft_embedding(a, t), weft_axes(1), false);
    weft_tensor loss = weft_add(weft_sum(weft_square(bags), WEFT_ALL, false),
                                weft_mean(weft_square(weft_embedding(b, t)), WEFT_ALL, false));
    n->update = weft_sgd(s, loss, &(weft_sgd_desc){.lr = 0.1f});
    fetched(n, loss);
    weft_tensor sums = weft_sum(weft_embedding(c, t), weft_axes(1), false);
    CHECK_EQ(weft_grad(weft_sum(weft_square(sums), WEFT_ALL, false), &c, 1, &d), WEFT_OK);
    fetched(n, d);
}

static void net_scan(net *n, weft_graph *g, weft_state *s) {
    (void)s;
    weft_tensor x = fed(n, g, WEFT_F32, weft_dims(6, 8, 2));
    weft_tensor y = weft_linrec(weft_full(g, weft_dims(6, 8, 2), 0.9f), x, 1, true);
    fetched(n, weft_concat(weft_list(weft_cumsum(x, 2), y), 0));
    fetched(n, weft_sort(x, 1, false));
}

static void net_random(net *n, weft_graph *g, weft_state *s) {
    (void)s;
    weft_tensor x = fed(n, g, WEFT_F32, weft_dims(30));
    fetched(n, weft_add(x, weft_normal(g, weft_dims(30))));
    fetched(n, weft_randint(g, -5, 5, weft_dims(7)));
}

static void net_dropout(net *n, weft_graph *g, weft_state *s) {
    weft_tensor x = fed(n, g, WEFT_F32, weft_dims(5, 20));
    fetched(n,
            weft_linear(s, weft_dropout(weft_relu(weft_linear(s, x, 33, "fc1")), 0.25f), 9, "fc2"));
}

static void net_narrow(net *n, weft_graph *g, weft_state *s) {
    static const int8_t weights[] = {-128, 127, 3, -4, 5, 0, 7, 8};
    static const float odd[] = {INFINITY, -INFINITY, NAN, -0.0f};
    weft_tensor x = fed(n, g, WEFT_BF16, weft_dims(6, 4));
    weft_tensor w = weft_const(g, WEFT_I8, weft_dims(4, 2), weights);
    fetched(n, weft_matmul(weft_cast(x, WEFT_F32), weft_cast(w, WEFT_F32)));
    fetched(n, weft_cast(
                   weft_maximum(weft_const(g, WEFT_F32, weft_dims(4), odd), weft_cast(x, WEFT_F32)),
                   WEFT_F16));
    weft_tensor count =
        weft_buffer(g, s, "count", WEFT_I32, WEFT_0D, (weft_init){WEFT_INIT_ZEROS, 0, 0});
    n->update = weft_assign(count, weft_add(count, weft_integer(g, 1)));
    fetched(n, weft_slice_at(x, 0, count, 3));
    fetched(n, weft_slice_write(x, 0, count, weft_exp(weft_slice(x, 0, 1, 3, 1))));
}

static void net_batched(net *n, weft_graph *g,
                        weft_state *s) { /* both forms of the product, batches, a convolution */
    (void)s;
    weft_tensor q = fed(n, g, WEFT_F32, weft_dims(2, 3, 9, 10)),
                k = fed(n, g, WEFT_F32, weft_dims(2, 3, 66, 10));
    weft_tensor p = weft_matmul(q, weft_transpose(k, 2, 3));
    fetched(n, weft_matmul(weft_softmax(p, 3), k));
    fetched(n, weft_attention(q, k, k, &(weft_attention_desc){.causal = true}));
    weft_tensor w = fed(n, g, WEFT_F32, weft_dims(4, 3, 3, 3));
    fetched(n, weft_max_pool(weft_conv2d(q, w, &(weft_conv_desc){.padding = {1, 1}}),
                             &(weft_pool_desc){.size = {2, 2}}));
}

/* Convolutions of every kind the loops know: strides, paddings, dilations, groups, images of either
 * order, a kernel that is larger than the image. */
static void net_images(net *n, weft_graph *g, weft_state *s) {
    weft_tensor x = fed(n, g, WEFT_F32, weft_dims(2, 6, 9, 7));
    weft_tensor w =
        weft_param(g, s, "w", weft_dims(12, 3, 3, 2), (weft_init){WEFT_INIT_UNIFORM, -0.5f, 0.5f});
    fetched(n,
            weft_conv2d(x, w,
                        &(weft_conv_desc){
                            .stride = {2, 1}, .padding = {1, 2}, .dilation = {2, 3}, .groups = 2}));
    weft_tensor last = fed(n, g, WEFT_F32, weft_dims(3, 2, 3, 5));
    weft_tensor v =
        weft_param(g, s, "v", weft_dims(33, 5, 3, 3), (weft_init){WEFT_INIT_UNIFORM, -0.5f, 0.5f});
    weft_tensor y = weft_relu(
        weft_conv2d(last, v, &(weft_conv_desc){.padding = {2, 1}, .channels_last = true}));
    fetched(n, y);
    fetched(n, weft_conv1d(weft_reshape(y, weft_dims(3, 4, 99)),
                           fed(n, g, WEFT_F32, weft_dims(1, 4, 5)), NULL));
}

static void net_learn(net *n, weft_graph *g, weft_state *s) { /* a convolution that is trained */
    weft_tensor x = fed(n, g, WEFT_F32, weft_dims(3, 2, 6, 6)),
                t = fed(n, g, WEFT_I32, weft_dims(3));
    weft_tensor w =
        weft_param(g, s, "w", weft_dims(8, 2, 3, 3), (weft_init){WEFT_INIT_UNIFORM, -0.5f, 0.5f});
    weft_tensor h = weft_tanh(weft_conv2d(x, w, &(weft_conv_desc){.padding = {1, 1}}));
    weft_tensor loss =
        weft_cross_entropy(weft_linear(s, weft_reshape(h, weft_dims(3, -1)), 3, "fc"), t);
    n->update = weft_sgd(s, loss, &(weft_sgd_desc){.lr = 0.1f});
    fetched(n, loss);
}

static void net_recur(net *n, weft_graph *g, weft_state *s) { /* unrolled, forward and backward */
    weft_tensor x = fed(n, g, WEFT_F32, weft_dims(4, 5, 3)), t = fed(n, g, WEFT_I32, weft_dims(5));
    weft_init init = {WEFT_INIT_UNIFORM, -0.5f, 0.5f};
    const weft_cell cell[] = {WEFT_LSTM, WEFT_GRU};
    weft_tensor y = x, h = x;
    for (int i = 0; i < 2; i++) {
        weft_scope_push(g, i ? "gru" : "lstm");
        int64_t width = 6 * weft_cell_gates(cell[i]);
        weft_tensor w_ih = weft_param(g, s, "w_ih", weft_dims(width, weft_dim(y, 2)), init),
                    w_hh = weft_param(g, s, "w_hh", weft_dims(width, 6), init),
                    bias = weft_param(g, s, "bias", weft_dims(width), init);
        weft_recurred r = weft_recur(cell[i], y, w_ih, w_hh, bias, bias,
                                     &(weft_recur_desc){.lengths = t, .reverse = i});
        y = r.y, h = r.h;
        weft_scope_pop(g);
    }
    weft_tensor loss = weft_cross_entropy(weft_linear(s, h, 3, "fc"), t);
    n->update = weft_adam(s, loss, &(weft_adam_desc){.lr = 0.05f});
    fetched(n, loss);
    fetched(n, y);
}

typedef struct sample {
    const char *name;
    void (*make)(net *, weft_graph *, weft_state *);
} sample;
/* clang-format off */
static const sample samples[] = {
    { "classify", net_classify }, { "train", net_train },     { "embed", net_embed },
    { "scan", net_scan },         { "random", net_random },   { "dropout", net_dropout },
    { "narrow", net_narrow },     { "batched", net_batched }, { "recur", net_recur },
    { "images", net_images },     { "learn", net_learn },     { "rows", net_rows },
};
/* clang-format on */

/* ---- a network on a device ---- */

typedef struct machine {
    weft_ctx *c;
    weft_state *s;
    weft_graph *g;
    weft_plan *p;
    net n;
} machine;

static bool machine_make(machine *m, const char *device, const sample *x) {
    memset(m, 0, sizeof *m);
    m->c = weft_open(device);
    if (!CHECK(m->c != NULL)) return false;
    m->s = weft_state_new(m->c);
    m->g = weft_graph_new(m->c);
    x->make(&m->n, m->g, m->s);
    m->p = weft_compile(m->g,
                        &(weft_plan_desc){.fetch = {m->n.out, (size_t)m->n.outs},
                                          .update = m->n.update,
                                          .portable = x->make != net_rows}); /* the device's own */
    if (m->p) return true;
    printf("     %s: %s\n", device, weft_error(m->c));
    return CHECK(m->p != NULL);
}

static void machine_free(machine *m) {
    weft_plan_free(m->p);
    if (m->g) weft_graph_free(m->g);
    if (m->s) weft_state_free(m->s);
    if (m->c) weft_close(m->c);
}

/* ---- a network as a file ---- */

static char folder[64];

__attribute__((destructor)) static void scratch_remove(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (*folder && system(command)) puts("the scratch folder stays");
}

/* Compiles the text into FOLDER/NAME; flags say into what. */
static bool build(const char *text, const char *name, const char *flags) {
    char path[128], command[500];
    const char *cc = getenv("WEFT_CC");
    if (!*folder) {
        snprintf(folder, sizeof folder, "/tmp/weft-emit-XXXXXX");
        if (!mkdtemp(folder)) return false;
    }
    snprintf(path, sizeof path, "%s/%s.c", folder, name);
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f)) return false;
    snprintf(command, sizeof command,
             "%s -std=c99 -O2 -Wall -Wextra -Wpedantic -Werror %s '%s' -o '%s/%s' -lm",
             cc && *cc ? cc : "cc", flags, path, folder, name);
    return system(command) == 0;
}

static void *symbol(void *lib, const char *name, const char *rest, int number) {
    char full[100];
    snprintf(full, sizeof full, number < 0 ? "%s_%s" : "%s_%s_%d", name, rest, number);
    return dlsym(lib, full);
}

static void *array_of(void *lib, const char *name, const char *way, int number) {
    void *found = symbol(lib, name, way, number), *(*get)(void);
    memcpy(&get, &found, sizeof found);
    return found ? get() : NULL;
}

static size_t bytes_of(weft_tensor t) {
    return (size_t)weft_count(t) * weft_dtype_size(weft_dtype_of(t));
}

/* Inputs of run `run`: small classes where integers are asked for. */
static void fill(weft_tensor t, void *out, int run) {
    for (int64_t i = 0; i < weft_count(t); i++) {
        const float v = (float)test_uniform(-1, 1);
        uint32_t bits;
        memcpy(&bits, &v, 4);
        if (weft_dtype_of(t) == WEFT_I32) ((int32_t *)out)[i] = (int32_t)((i + run) % 3);
        else if (weft_dtype_of(t) == WEFT_BF16) ((uint16_t *)out)[i] = (uint16_t)(bits >> 16);
        else ((float *)out)[i] = v;
    }
}

static void agree(weft_tensor t, const char *got, const char *want) {
    const weft_dtype d = weft_dtype_of(t);
    if (d == WEFT_F32)
        CHECK_ARRAY((const float *)got, (const float *)want, (size_t)weft_count(t), 2e-5);
    else CHECK_MEM(got, want, bytes_of(t));
}

static void run_beside(machine *null, machine *ref, void *lib, const char *name) {
    void *found = symbol(lib, name, "run", -1);
    void (*run)(void);
    memcpy(&run, &found, sizeof found);
    if (!CHECK(found != NULL)) return;
    for (int r = 0; r < RUNS; r++) {
        for (int i = 0; i < null->n.ins; i++) {
            void *in = array_of(lib, name, "input", i);
            if (!CHECK(in != NULL)) return;
            fill(null->n.in[i], in, r);
            CHECK_EQ(weft_set(ref->p, ref->n.in[i], in, bytes_of(ref->n.in[i])), WEFT_OK);
        }
        run();
        CHECK_EQ(weft_run(ref->p), WEFT_OK);
        for (int i = 0; i < null->n.outs; i++) {
            char *want = malloc(bytes_of(ref->n.out[i]) + 1);
            const char *got = array_of(lib, name, "output", i);
            if (CHECK(got != NULL) &&
                CHECK_EQ(weft_get(ref->p, ref->n.out[i], want, bytes_of(ref->n.out[i])), WEFT_OK))
                agree(null->n.out[i], got, want);
            free(want);
        }
    }
}

TEST(files_do_what_plans_do) {
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        machine null, ref = {0};
        CASE("%s", samples[i].name);
        if (machine_make(&null, "null", &samples[i]) && machine_make(&ref, "ref", &samples[i])) {
            char *text = weft_plan_emit_c(null.p, samples[i].name), path[128];
            if (!text) printf("     %s\n", weft_error(null.c));
            if (CHECK(text != NULL) && CHECK(build(text, samples[i].name, "-shared -fPIC"))) {
                snprintf(path, sizeof path, "%s/%s", folder, samples[i].name);
                void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
                if (CHECK(lib != NULL)) run_beside(&null, &ref, lib, samples[i].name);
                if (lib) dlclose(lib);
            }
            weft_text_free(null.c, text);
        }
        machine_free(&null);
        machine_free(&ref);
    }
}

/* How many lines of the text begin so. */
static int lines_of(const char *text, const char *begins) {
    int n = strncmp(text, begins, strlen(begins)) == 0;
    for (const char *p = text; (p = strchr(p, '\n')); p++)
        n += strncmp(p + 1, begins, strlen(begins)) == 0;
    return n;
}

/* What is only read is const, and a convolution is one loop. */
TEST(files_say_what_they_leave_alone) {
    static const struct {
        const char *sample;
        int fixed, changed, products;
    } table[] = {
        {"classify", 4, 0, 0}, {"train", 1, 13, 0}, {"images", 2, 0, 3}, {"learn", 1, 3, 1}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const sample *x = samples;
        while (strcmp(x->name, table[i].sample) != 0) x++;
        machine null;
        CASE("%s", x->name);
        if (machine_make(&null, "null", x)) {
            char *text = weft_plan_emit_c(null.p, "m");
            if (CHECK(text != NULL)) {
                CHECK_EQ(lines_of(text, "static const float state_"), table[i].fixed);
                CHECK_EQ(lines_of(text, "static float state_"), table[i].changed);
                CHECK_EQ(lines_of(text, "    static float patch["), table[i].products);
            }
            weft_text_free(null.c, text);
        }
        machine_free(&null);
    }
}

/* As a program: rows in, rows out, until the end. */
TEST(a_file_is_a_filter) {
    machine null, ref = {0};
    float in[2][100], out[2][350], want[350];
    char path[128];
    if (machine_make(&null, "null", &samples[0]) && machine_make(&ref, "ref", &samples[0])) {
        char *text = weft_plan_emit_c(null.p, "filter");
        if (CHECK(text != NULL) && CHECK(build(text, "filter", "-DWEFT_MAIN"))) {
            snprintf(path, sizeof path, "%s/data", folder);
            for (int r = 0; r < 2; r++) fill(null.n.in[0], in[r], r);
            FILE *f = fopen(path, "wb");
            CHECK_EQ(fwrite(in, 1, sizeof in, f), sizeof in);
            fclose(f);
            char command[300];
            snprintf(command, sizeof command, "'%s/filter' < '%s'", folder, path);
            f = popen(command, "r");
            CHECK_EQ(fread(out, 1, sizeof out, f), sizeof out);
            CHECK_EQ(fgetc(f), EOF);
            CHECK_EQ(pclose(f), 0);
            for (int r = 0; r < 2; r++) {
                weft_set(ref.p, ref.n.in[0], in[r], sizeof in[r]);
                weft_run(ref.p);
                weft_get(ref.p, ref.n.out[0], want, sizeof want);
                CHECK_ARRAY(out[r], want, 350, 1e-5);
            }
        }
        weft_text_free(null.c, text);
    }
    machine_free(&null);
    machine_free(&ref);
}

/* Allocations until one fails; negative: never. */
static long allowed = -1;
static void *rationed(void *user, void *p, size_t bytes) {
    (void)user;
    if (!bytes) return free(p), NULL;
    if (allowed == 0) return NULL;
    if (allowed > 0) allowed--;
    return realloc(p, bytes);
}

TEST(running_out_of_memory_is_an_error) {
    machine m = {0};
    m.c = weft_open_with(&(weft_open_desc){.device = "null", .resize = rationed});
    m.s = weft_state_new(m.c);
    m.g = weft_graph_new(m.c);
    net_classify(&m.n, m.g, m.s);
    m.p = weft_compile(m.g, &(weft_plan_desc){.fetch = weft_list(m.n.out[0]), .portable = true});
    char *text = NULL;
    for (long n = 0; CHECK(m.p != NULL) && !text && n < 1000; n++) {
        allowed = n;
        text = weft_plan_emit_c(m.p, "x");
        allowed = -1;
        if (!text) CHECK_EQ(weft_error_code(m.c), WEFT_MEMORY);
    }
    CHECK(text != NULL);
    weft_text_free(m.c, text);
    machine_free(&m);
}

TEST(what_cannot_be_written_says_why) {
    machine ref;
    CHECK(weft_plan_emit_c(NULL, "x") == NULL);
    if (machine_make(&ref, "ref", &samples[0])) {
        CHECK(weft_plan_emit_c(ref.p, "9x") == NULL);
        CHECK_HAS(weft_error(ref.c), "\"9x\"");
        CHECK(weft_plan_emit_c(ref.p, "x") == NULL);
        CHECK_EQ(weft_error_code(ref.c), WEFT_UNSUPPORTED);
    }
    machine_free(&ref);
}
