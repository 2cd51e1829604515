/* test_data_faults.c - the n-th allocation of sets and loaders fails, for every n.
 *
 * Whatever fails must be reported as out of memory, nothing may stay behind, and a scenario that
 * claims success must show what it shows with all the memory in the world. One allocation fails, or
 * all from the n-th on. What sound files take is measured here too. */
#include "data_world.h"

#include "weft/io.h"

static uint64_t hash_of(uint64_t h, const void *p, size_t n) {
    const unsigned char *at = p;
    for (size_t i = 0; i < n; i++) h = (h ^ at[i]) * 0x100000001b3u;
    return h;
}

/* All rows of all fields, and their names. */
static uint64_t hash_set(const weft_data *d) {
    uint64_t h = 1;
    for (size_t i = 0; i < weft_data_fields(d); i++) {
        const weft_field f = weft_data_field(d, i);
        size_t bytes = weft_dtype_size(f.dtype);
        for (int k = 0; k < f.dims.rank; k++) bytes *= (size_t)f.dims.n[k];
        for (int64_t row = 0; row < weft_data_rows(d); row++)
            h = hash_of(h, (const char *)f.rows + (size_t)row * f.row_bytes, bytes);
        for (int64_t k = 0; f.class_names && k < f.classes; k++)
            h = hash_of(h, f.class_names[k], strlen(f.class_names[k]));
    }
    return h;
}

/* Scenarios give a hash of what they made, 0 when something failed. */
static uint64_t and_free(weft_data *d) {
    const uint64_t h = d ? hash_set(d) : 0;
    weft_data_free(d);
    return h;
}

static const unsigned char idx[] = {0, 0, 0x0d, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2,
                                    3, 4, 5,    6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7};
static const unsigned char labels[] = {0, 0, 0x0b, 1, 0, 0, 0, 2, 0, 1, 0, 2};
static const char csv[] = "n,w,y\n1,red,u\n?,blue,v\n3,red,u\n4,green,v\n";
static const char text[] = "some text with \xc3\xa9 in it, and a little more of it";

static uint64_t f_idx(weft_ctx *c) {
    return and_free(weft_data_parse_idx(c, world_bytes("x", idx, sizeof idx),
                                        world_bytes("y", labels, sizeof labels)));
}
static uint64_t f_file(weft_ctx *c) {
    const world_file f = world_write(idx, sizeof idx);
    const uint64_t h = and_free(weft_data_idx(c, f.path, NULL));
    unlink(f.path);
    return h;
}
static uint64_t f_cifar(weft_ctx *c) {
    static const unsigned char record[3073];
    const weft_bytes two[] = {world_bytes("a", record, 3073), world_bytes("b", record, 3073)};
    return and_free(weft_data_parse_cifar(c, two, 2, 10));
}
static uint64_t f_cifar_files(weft_ctx *c) {
    static const unsigned char record[3073];
    const world_file f = world_write(record, 3073);
    const char *const paths[] = {f.path, f.path};
    const uint64_t h = and_free(weft_data_cifar(c, paths, 2, 10));
    unlink(f.path);
    return h;
}
static uint64_t f_csv(weft_ctx *c) {
    return and_free(
        weft_data_parse_csv(c, world_text(csv), &(weft_csv_desc){.missing = WEFT_MISSING_MEAN}));
}
static uint64_t f_csv_words(weft_ctx *c) { /* more than the table begins with */
    static char many[4000];
    char *at = many;
    for (int i = 0; i < 300; i++) at += sprintf(at, "w%d,%d\n", i, i % 2);
    return and_free(weft_data_parse_csv(c, world_text(many), &(weft_csv_desc){.max_words = 999}));
}
static uint64_t f_csv_like(weft_ctx *c) {
    const weft_csv_desc mean = {.missing = WEFT_MISSING_MEAN};
    weft_data *a = weft_data_parse_csv(c, world_text(csv), &mean);
    const weft_csv_desc like = {.missing = WEFT_MISSING_MEAN, .like = a};
    weft_data *b = a ? weft_data_parse_csv(c, world_text("n,w,y\n7,green,u\n"), &like) : NULL;
    weft_data_free(a);
    return and_free(b);
}
static uint64_t f_csv_file(weft_ctx *c) {
    const world_file f = world_write("1,a\n2,b\n", 8);
    const uint64_t h = and_free(weft_data_csv(c, f.path, NULL));
    unlink(f.path);
    return h;
}
static uint64_t f_text(weft_ctx *c) {
    return and_free(weft_data_parse_text(c, world_text(text), &(weft_text_desc){.length = 5}));
}
static uint64_t f_bytes(weft_ctx *c) {
    return and_free(
        weft_data_parse_text(c, world_text(text), &(weft_text_desc){.length = 5, .bytes = true}));
}
static uint64_t f_raw(weft_ctx *c) {
    return and_free(weft_data_parse_raw(c, world_text("abcdef"), WEFT_U8, weft_dims(3)));
}
static uint64_t f_memory(weft_ctx *c) {
    static const int32_t n[] = {1, 2, 3, 4};
    const weft_field f = {.name = "x",
                          .dtype = WEFT_I32,
                          .rows = n,
                          .classes = 2,
                          .class_names = (const char *const[]){"a", "b"},
                          .columns = (const char *const[]){"c"}};
    return and_free(weft_data_memory(c, &f, 1, 4, true));
}
static uint64_t f_npz(weft_ctx *c) {
    return and_free(weft_data_npy(c, "data/digits/test.npz"));
}
static uint64_t f_parts(weft_ctx *c) {
    weft_data *d = weft_data_parse_raw(c, world_text("abcdefghij"), WEFT_U8, WEFT_0D), *part[3];
    weft_data *s = d ? weft_data_slice(d, 2, 8) : NULL;
    weft_data_free(d);
    if (!s) return 0;
    const weft_err e = weft_data_split(s, &(weft_split_desc){.share = {1, 1, 1}}, part);
    weft_data_free(s);
    if (e != WEFT_OK) return 0;
    const uint64_t h = and_free(part[0]) ^ 3 * and_free(part[1]);
    return h ^ 5 * and_free(part[2]);
}
static uint64_t f_loader(weft_ctx *c, int prefetch) {
    static const unsigned char pixels[8 * 12] = {9, 8, 7};
    const weft_field f = {
        .name = "x", .dtype = WEFT_U8, .dims = weft_dims(3, 2, 2), .rows = pixels};
    weft_data *d = weft_data_memory(c, &f, 1, 8, false);
    weft_loader *l = d ? weft_loader_new(c, &(weft_loader_desc){.data = d,
                                                                .batch = 2,
                                                                .flip = true,
                                                                .standardise = d,
                                                                .prefetch = prefetch})
                       : NULL;
    weft_data_free(d);
    if (!l) return 0;
    uint64_t h = 1;
    for (int s = 0; s < 9; s++) {
        const void *field;
        if (weft_loader_at(l, s, &field) != WEFT_OK) h = 0;
        else h = hash_of(h, field, 2 * 12 * sizeof(float));
    }
    weft_loader_free(l);
    return h;
}
static uint64_t f_loader_ahead(weft_ctx *c) {
    return f_loader(c, 2);
}
static uint64_t f_loader_alone(weft_ctx *c) {
    return f_loader(c, -1);
}

static const struct {
    const char *name;
    uint64_t (*run)(weft_ctx *c);
} scenarios[] = {
    {"idx", f_idx},
    {"file", f_file},
    {"cifar", f_cifar},
    {"cifar files", f_cifar_files},
    {"csv", f_csv},
    {"csv words", f_csv_words},
    {"csv like", f_csv_like},
    {"csv file", f_csv_file},
    {"text", f_text},
    {"bytes", f_bytes},
    {"raw", f_raw},
    {"memory", f_memory},
    {"npz", f_npz},
    {"parts", f_parts},
    {"loader ahead", f_loader_ahead},
    {"loader alone", f_loader_alone},
};

TEST(every_allocation_may_fail) {
    for (size_t k = 0; k < sizeof scenarios / sizeof *scenarios; k++) {
        CASE("%s", scenarios[k].name);
        heap memory = {0};
        weft_ctx *c = world_open(&memory);
        const size_t idle = memory.live;
        const long before = memory.made;
        const uint64_t want = scenarios[k].run(c);
        const long total = memory.made - before;
        CHECK(want != 0);
        CHECK(total > 0);
        CHECK_EQ(memory.live, idle);
        for (int for_ever = 0; for_ever < 2; for_ever++)
            for (long n = 1; n <= total; n++) {
                memory.failed = false;
                memory.for_ever = for_ever;
                memory.fail_at = memory.made + n;
                const uint64_t got = scenarios[k].run(c);
                memory.fail_at = 0;
                CHECK(memory.failed);
                if (got) CHECK_EQ(got == want, true);
                else CHECK_EQ(weft_error_code(c), WEFT_MEMORY);
                if (!CHECK_EQ(memory.live, idle)) break;
            }
        CHECK_EQ(scenarios[k].run(c) == want, true); /* the context is as good as new */
        weft_close(c);
        CHECK_EQ(memory.live, 0);
    }
}

/* ---- what sound files take: at most twice their size and 1 MiB, all in all ---- */

TEST(memory_of_sound_files) {
    enum { N = 3000000 };
    heap memory = {0};
    weft_ctx *c = world_open(&memory);
    const size_t idle = memory.live;
    char *const file = malloc(N + 100);
    static const char *const names[] = {"numbers", "words", "bytes", "characters", "i16", "f32"};
    for (int kind = 0; kind < 6; kind++) {
        CASE("%s", names[kind]);
        memory.peak = memory.live;
        size_t n = 0;
        weft_data *d = NULL;
        if (kind < 2) {
            for (int i = 0; n < N; i++)
                n += (size_t)sprintf(file + n, kind ? "%d,abc%d\n" : "%d,%d\n", i % 10, i / 7 % 10);
            d = weft_data_parse_csv(c, world_bytes("t", file, n), NULL);
        } else if (kind < 4) {
            for (; n < N; n++) file[n] = (char)(' ' + n % 90);
            d = weft_data_parse_text(c, world_bytes("t", file, n),
                                     &(weft_text_desc){.bytes = kind == 2});
        } else {
            const int size = kind == 4 ? 2 : 4, rows = (N - 8) / size;
            const unsigned char head[8] = {0,
                                           0,
                                           (unsigned char)(kind == 4 ? 0x0b : 0x0d),
                                           1,
                                           (unsigned char)(rows >> 24),
                                           (unsigned char)(rows >> 16),
                                           (unsigned char)(rows >> 8),
                                           (unsigned char)rows};
            memcpy(file, head, 8);
            n = 8 + (size_t)rows * (size_t)size;
            d = weft_data_parse_idx(c, world_bytes("t", file, n), (weft_bytes){0});
        }
        CHECK(d != NULL);
        CHECK(memory.peak - idle <= 2 * n + (1 << 20));
        weft_data_free(d);
        CHECK_EQ(memory.live, idle);
    }
    free(file);
    weft_close(c);
}
