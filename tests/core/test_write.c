/* test_write.c - slice_write against loops: every type, axes and starts, into a state and beside it,
 * on one thread and three; and what of it a plan copies. */
#include "test.h"
#include "weft/weft.h"

#include <stdlib.h>
#include <string.h>

typedef struct write_case {
    weft_shape dims;
    int axis;
    int64_t length;
    int32_t start;
} write_case;

/* The last is long enough for several units of the copy. */
static const write_case cases[] = {
    {{1, {7}}, 0, 1, 3},          {{1, {7}}, 0, 3, 6},           {{2, {5, 3}}, 0, 2, 1},
    {{2, {5, 3}}, 1, 1, -4},      {{3, {2, 6, 4}}, 1, 1, 5},     {{3, {2, 6, 4}}, 1, 3, 2},
    {{3, {2, 6, 4}}, 2, 2, 1},    {{3, {1, 6, 1}}, 1, 2, 90},    {{4, {2, 3, 4, 5}}, 2, 3, 0},
    {{3, {2, 6, 4}}, 1, 6, 3},    {{3, {2, 0, 4}}, 1, 0, 0},     {{3, {2, 6, 4}}, 1, 0, 1},
    {{2, {700, 96}}, 0, 300, 77}, {{3, {40, 50, 31}}, 1, 40, 4},
};
enum { CASES = sizeof cases / sizeof *cases };

static int64_t count_of(weft_shape s) {
    int64_t n = 1;
    for (int i = 0; i < s.rank; i++) n *= s.n[i];
    return n;
}

static weft_shape value_shape(const write_case *w) {
    weft_shape s = w->dims;
    s.n[w->axis] = w->length;
    return s;
}

/* out: base with value in it; elements of `size` bytes */
static void expect(const write_case *w, const char *base, const char *value, size_t size,
                   char *out) {
    int64_t inner = 1, last = w->dims.n[w->axis] - w->length;
    for (int i = w->axis + 1; i < w->dims.rank; i++) inner *= w->dims.n[i];
    const int64_t start = w->start < 0 ? 0 : w->start > last ? last : w->start;
    const int64_t extent = w->dims.n[w->axis], n = count_of(w->dims);
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = i / inner % extent, outer = i / inner / extent;
        const bool in = at >= start && at < start + w->length;
        const int64_t from = (outer * w->length + at - start) * inner + i % inner;
        memcpy(out + (size_t)i * size, in ? value + (size_t)from * size : base + (size_t)i * size,
               size);
    }
}

static char *drawn(int64_t n, weft_dtype type) {
    const size_t bytes = (size_t)n * weft_dtype_size(type);
    char *x = malloc(bytes + 1);
    for (size_t i = 0; x && i < bytes; i++) /* bit patterns of numbers, none of them nan */
        x[i] = (char)(type == WEFT_BOOL ? test_random() % 2 : test_random() % 63);
    return x;
}

/* How the base is given, and who else reads it. */
enum { INPUT, STATE, STATE_READ, BETWEEN, WAYS };

static void write_meets(const write_case *w, weft_dtype type, int way, int threads,
                        const char *device) {
    weft_ctx *c = weft_open_with(&(weft_open_desc){.threads = threads, .device = device});
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    const size_t size = weft_dtype_size(type);
    const int64_t n = count_of(w->dims), m = count_of(value_shape(w));
    const size_t bytes = (size_t)n * size;
    char *base = drawn(n, type), *value = drawn(m, type);
    char *want = malloc(bytes + 1), *got = malloc(bytes + 1);
    const bool state = way == STATE || way == STATE_READ;
    const weft_tensor given = state ? weft_buffer(g, s, "b", type, w->dims, (weft_init){0})
                                    : weft_input(g, type, w->dims);
    const weft_tensor from =
        way == BETWEEN ? weft_stored(weft_flip(weft_flip(given, 0), 0)) : given;
    const weft_tensor v = weft_input(g, type, value_shape(w)),
                      at = weft_input(g, WEFT_I32, WEFT_0D);
    const weft_tensor y = weft_slice_write(from, w->axis, at, v);
    const weft_tensor old = weft_reshape(weft_cast(given, type), weft_dims(-1));
    const weft_tensor read = way == STATE_READ ? weft_not(weft_eq(old, old)) : state ? y : given;
    weft_plan *p = weft_compile(
        g, &(weft_plan_desc){.fetch = weft_list(y, v, at, read), /* no feed is unused */
                             .update = state ? weft_assign(given, y) : (weft_updates){0},
                             .threads = threads});
    if (CHECK(p && base && value && want && got)) {
        for (int run = 0; run < 2; run++) { /* the second writes again over what is there */
            if (state && !run) CHECK_EQ(weft_state_set(s, "b", base, bytes), WEFT_OK);
            if (!state) CHECK_EQ(weft_set(p, given, base, bytes), WEFT_OK);
            CHECK_EQ(weft_set(p, v, value, (size_t)m * size), WEFT_OK);
            CHECK_EQ(weft_set(p, at, &w->start, 4), WEFT_OK);
            CHECK_EQ(weft_run(p), WEFT_OK);
            expect(w, base, value, size, want);
            CHECK_EQ(weft_get(p, y, got, bytes), WEFT_OK);
            CHECK_MEM(got, want, bytes);
            if (state) CHECK_EQ(weft_state_get(s, "b", got, bytes), WEFT_OK);
            CHECK_MEM(got, want, bytes);
        }
    }
    weft_plan_free(p);
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
    free(base), free(value), free(want), free(got);
}

TEST(slices_are_written_as_loops_write_them) {
    static const weft_dtype types[] = {WEFT_F32, WEFT_I32, WEFT_BOOL, WEFT_BF16, WEFT_F16};
    for (int k = 0; k < CASES; k++)
        for (int way = 0; way < WAYS; way++)
            for (int t = 0; t < 5; t++)
                for (int how = 0; how < 3; how++) {
                    CASE("case %d, way %d, %s, %s", k, way, weft_dtype_name(types[t]),
                         how == 0   ? "one thread"
                         : how == 1 ? "three threads"
                                    : "reference");
                    write_meets(&cases[k], types[t], way, how == 1 ? 3 : 1,
                                how == 2 ? "ref" : "cpu");
                }
}

/* ---- what a plan copies ---- */

enum { PLACES = 4096, WIDTH = 64 };

static weft_stats cache_stats(bool reads_old, bool between) {
    weft_ctx *c = weft_open_with(&(weft_open_desc){.threads = 1});
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    const weft_tensor cache =
        weft_buffer(g, s, "cache", WEFT_F32, weft_dims(PLACES, WIDTH), (weft_init){0});
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(PLACES, WIDTH));
    const weft_tensor row = weft_input(g, WEFT_F32, weft_dims(1, WIDTH));
    const weft_tensor at = weft_input(g, WEFT_I32, WEFT_0D);
    const weft_tensor base = between ? weft_stored(weft_exp(x)) : cache;
    const weft_tensor next = weft_slice_write(base, 0, at, row);
    const weft_tensor sum = weft_matmul(reads_old ? weft_add(next, weft_flip(base, 0)) : next,
                                        weft_transpose(row, 0, 1));
    weft_stats st = {0};
    weft_plan *p = weft_compile(
        g, &(weft_plan_desc){.fetch = weft_list(sum),
                             .update = between ? (weft_updates){0} : weft_assign(cache, next),
                             .threads = 1});
    if (CHECK(p)) st = weft_plan_stats(p);
    weft_plan_free(p);
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
    return st;
}

TEST(only_the_rows_are_copied_where_nobody_reads_the_rest) {
    const size_t whole = PLACES * WIDTH * sizeof(float);
    const weft_stats in_place = cache_stats(false, false);
    CHECK_EQ(in_place.kernels, 2);               /* the write and the product */
    CHECK(in_place.arena_bytes < whole);         /* nothing but the product's result */
    CHECK(in_place.bytes < 1.1 * (double)whole); /* and the product reads the cache once */
    CHECK(cache_stats(true, false).arena_bytes >= whole);
    const weft_stats between = cache_stats(false, true);
    CHECK(between.arena_bytes < 2 * whole + whole / 2); /* the feed and one intermediate */
    CHECK(cache_stats(true, true).arena_bytes >= 3 * whole);
}
