/* test_caps.c - kernels, steps and graphs around every size at which the compiler cuts something:
 * nothing may be dropped there, and nothing may take a time that grows faster than the graph.
 *
 * What is computed is compared with `.unfused`, one operation a step; more threads must give the
 * same bits, again and again, while the inputs change. */
#include "test.h"
#include "weft/weft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static weft_ctx *c;
static weft_graph *g;

static void begin(int threads) {
    c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = threads});
    g = weft_graph_new(c);
}

static void end(void) {
    weft_graph_free(g);
    weft_close(c);
}

static weft_plan *plan_of(weft_tensor y, int threads, bool unfused) {
    weft_plan *p = weft_compile(
        g, &(weft_plan_desc){.fetch = weft_list(y), .threads = threads, .unfused = unfused});
    if (!p) CHECK_STR(weft_error(c), "a plan");
    return p;
}

static int64_t count(weft_tensor t) {
    int64_t n = 1;
    for (int d = 0; d < weft_shape_of(t).rank; d++) n *= weft_dim(t, d);
    return n;
}

/* The fused plan of y against the unfused one, all inputs fed by `feed`. */
static void same_as_unfused(weft_tensor y, void (*feed)(weft_plan *p)) {
    weft_plan *p = plan_of(y, 1, false), *q = plan_of(y, 1, true);
    const size_t n = (size_t)count(y);
    float *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    if (p && q && CHECK(a && b)) {
        feed(p), feed(q);
        CHECK_EQ(weft_run(p), WEFT_OK);
        CHECK_EQ(weft_run(q), WEFT_OK);
        CHECK_EQ(weft_get(p, y, a, n * sizeof *a), WEFT_OK);
        CHECK_EQ(weft_get(q, y, b, n * sizeof *b), WEFT_OK);
        CHECK_ARRAY(a, b, n, 1e-6);
    }
    weft_plan_free(p), weft_plan_free(q);
    free(a), free(b);
}

/* ---- many run-time slices in one step ---- */

enum { SLICES = 140, ROWS = 256, WIDTH = 8, INNER = 4 };
static const int slice_counts[] = {1,  18, 19, 20, 21, 22, 57, 58,  59,  60,  61,  62,
                                   63, 64, 65, 66, 95, 96, 97, 118, 119, 127, 128, SLICES};
static weft_tensor base, weights, starts[SLICES];
static int slices;

static weft_tensor sum_of_slices(weft_tensor y, int64_t rows) {
    base = weft_input(g, WEFT_F32, weft_dims(rows + SLICES, WIDTH));
    for (int i = 0; i < slices; i++) {
        starts[i] = weft_input(g, WEFT_I32, WEFT_0D);
        weft_tensor s = weft_slice_at(base, 0, starts[i], rows);
        y = i || y.id ? weft_add(y, s) : s;
    }
    return y;
}

static void feed_slices(weft_plan *p, int turn) {
    float *x = weft_feed(p, base), *w = weft_feed(p, weights);
    for (int i = 0; i < (int)count(base); i++) x[i] = (float)((i + 7 * turn) % 97) * 0.125f;
    for (int i = 0; i < (int)count(weights); i++) w[i] = (float)(i % 13) - 6;
    for (int i = 0; i < slices; i++) weft_set(p, starts[i], &(int32_t){i * 3 % SLICES}, 4);
}

static void feed_first(weft_plan *p) {
    feed_slices(p, 0);
}

TEST(a_step_may_read_any_number_of_slices) {
    enum { RUNS = 20, RESULT = WIDTH * INNER };
    for (size_t k = 0; k < sizeof slice_counts / sizeof *slice_counts; k++) {
        CASE("%d slices", slices = slice_counts[k]);
        begin(2);
        weft_tensor y = sum_of_slices((weft_tensor){0}, ROWS);
        weights = weft_input(g, WEFT_F32, weft_dims(ROWS, INNER));
        y = weft_matmul(weft_transpose(weft_stored(y), 0, 1), weights);
        same_as_unfused(y, feed_first);
        float want[2][RESULT], got[RESULT];
        weft_plan *one = plan_of(y, 1, false), *two = plan_of(y, 2, false);
        for (int t = 0; t < 2 && one; t++) {
            feed_slices(one, t);
            CHECK_EQ(weft_run(one), WEFT_OK);
            CHECK_EQ(weft_get(one, y, want[t], sizeof want[t]), WEFT_OK);
        }
        for (int r = 0, good = two && one; r < RUNS && good; r++) {
            feed_slices(two, r & 1);
            CHECK_EQ(weft_run(two), WEFT_OK);
            CHECK_EQ(weft_get(two, y, got, sizeof got), WEFT_OK);
            good = CHECK_MEM(got, want[r & 1], sizeof got);
        }
        if (two && slices > 1) /* the product waits for all rows */
            CHECK(weft_plan_stats(two).segments > 1);
        weft_plan_free(one), weft_plan_free(two);
        end();
    }
}

TEST(an_epilogue_may_read_any_number_of_slices) {
    for (size_t k = 0; k < sizeof slice_counts / sizeof *slice_counts; k++) {
        CASE("%d slices", slices = slice_counts[k]);
        begin(1);
        weft_tensor a = weft_input(g, WEFT_F32, weft_dims(ROWS, INNER));
        weights = a;
        weft_tensor b = weft_slice(a, 0, 0, WIDTH, 1);
        same_as_unfused(sum_of_slices(weft_matmul(a, weft_transpose(b, 0, 1)), ROWS), feed_first);
        end();
    }
}

/* ---- many views of one tensor ---- */

static void feed_ramp(weft_plan *p) {
    float *x = weft_feed(p, base);
    for (int i = 0; i < (int)count(base); i++) x[i] = (float)(i * 37 % 101) * 0.25f;
}

TEST(a_kernel_may_read_any_number_of_views) {
    const int wheres[] = {1, 4, 5, 6, 15, 16, 17, 23, 24, 25, 26, 40, 64};
    for (size_t k = 0; k < sizeof wheres / sizeof *wheres; k++) {
        CASE("%d views", 4 * wheres[k]);
        begin(1);
        base = weft_input(g, WEFT_F32, weft_dims(1000));
        weft_tensor y = {0};
        for (int i = 0; i < wheres[k]; i++) {
            weft_tensor s[4];
            for (int v = 0; v < 4; v++) s[v] = weft_slice(base, 0, 4 * i + v, 4 * i + v + 512, 1);
            weft_tensor t = weft_where(weft_lt(s[0], s[1]), s[2], s[3]);
            y = i ? weft_add(y, t) : t;
        }
        same_as_unfused(y, feed_ramp);
        end();
    }
}

/* The first row's worth of a flat matrix has the extent of its columns, but is not one of them. */
TEST(a_cheap_value_is_read_in_another_shape) {
    for (int way = 0; way < 3; way++) {
        CASE("%d", way);
        begin(1);
        base = weft_input(g, WEFT_F32, weft_dims(500, 4));
        const weft_tensor column = weft_slice(base, 1, 1, 2, 1);
        const weft_tensor h = way ? weft_abs(weft_sub(base, column)) : weft_neg(base);
        const weft_tensor flat = weft_slice(weft_reshape(h, weft_dims(-1)), 0, 0, 500, 1);
        const weft_tensor of = weft_reshape(column, weft_dims(-1));
        weft_tensor y = way == 2 ? weft_mul(flat, weft_abs(weft_sub(of, flat))) : weft_relu(flat);
        y = weft_add(y, weft_sum(h, weft_dims(1), false));
        same_as_unfused(y, feed_ramp);
        end();
    }
}

/* ---- the parts of a concat, and what folds them ---- */

TEST(every_part_of_a_concat_has_its_readers) {
    const int parts[] = {1, 2, 15, 16, 17, 18, 33, 200};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        CASE("%d parts", parts[k]);
        begin(1);
        base = weft_input(g, WEFT_F32, weft_dims(12, 5));
        weft_tensor part[200], folds = {0};
        for (int i = 0; i < parts[k]; i++) part[i] = weft_scale(base, (float)(i + 1));
        weft_tensor all = weft_concat((weft_tensors){part, (size_t)parts[k]}, 0);
        for (int i = 0; i < parts[k]; i++) {
            weft_tensor sum = weft_sum(part[i], weft_dims(0), true);
            folds = i ? weft_add(folds, sum) : sum;
        }
        same_as_unfused(weft_add(all, weft_expand(folds, weft_shape_of(all))), feed_ramp);
        end();
    }
}

/* ---- walks that must remember ---- */

enum { DEPTH = 80 }; /* doubled at each level, nobody would wait for it */

static weft_tensor places;
static void feed_places(weft_plan *p) {
    feed_ramp(p);
    for (int i = 0; i < 8; i++) ((int32_t *)weft_feed(p, places))[i] = i % 2;
}

TEST(a_deep_index_is_compiled_at_once) {
    begin(1);
    base = weft_input(g, WEFT_F32, weft_dims(8, 64));
    places = weft_input(g, WEFT_I32, weft_dims(8, 1));
    weft_tensor t = weft_expand(places, weft_dims(8, 32));
    for (int k = 0; k < DEPTH; k++) t = weft_add(t, t);
    same_as_unfused(weft_take_along(base, t, 1), feed_places);
    end();
}

TEST(deep_comparisons_are_compiled_at_once) {
    begin(1);
    base = weft_input(g, WEFT_F32, weft_dims(8, 64));
    weft_tensor a = weft_lt(base, weft_flip(base, 1)), b = weft_lt(base, weft_flip(base, 0)),
                y = base;
    for (int k = 0; k < DEPTH; k++) {
        weft_tensor next = weft_le(a, b);
        b = weft_ne(b, a), a = next;
        y = weft_where(a, y, weft_add(y, base));
    }
    same_as_unfused(weft_where(b, y, base), feed_ramp);
    end();
}

TEST(deep_cheap_values_are_compiled_at_once) {
    begin(1);
    base = weft_input(g, WEFT_F32, weft_dims(64, 64));
    weft_tensor t = base, y = base;
    for (int k = 0; k < DEPTH; k++) {
        t = weft_scale(weft_sub(t, weft_mul(t, t)), 0.5f);
        y = weft_add(y, weft_matmul(t, base));
        y = weft_scale(y, 0.01f);
    }
    same_as_unfused(weft_add(y, t), feed_ramp);
    end();
}

/* ---- large graphs ---- */

TEST(one_node_may_have_many_readers) {
    enum { READERS = 66000 }; /* more than 16 bits count */
    if (test_sanitized()) SKIP("minutes under a sanitizer");
    begin(1);
    base = weft_input(g, WEFT_F32, weft_dims(4, 3));
    weft_tensor x = weft_scale(base, 2), y = x;
    for (int i = 1; i < READERS; i++)
        y = weft_add(weft_scale(y, 0.5f), weft_scale(x, (float)(i % 1000)));
    y = weft_add(y, weft_expand(weft_sum(x, weft_dims(0), true), weft_dims(4, 3)));
    same_as_unfused(y, feed_ramp);
    end();
}

/* Seconds that a step over n small parameters takes to be recorded and compiled, the least of some. */
static double seconds_of_parameters(int n) {
    double least = 1e9;
    for (int k = 0; k < 3; k++) {
        begin(1);
        weft_state *s = weft_state_new(c);
        weft_tensor loss = {0};
        const clock_t start = clock(); /* of the processor: other programs do not count */
        for (int i = 0; i < n; i++) {
            char name[16];
            snprintf(name, sizeof name, "p%d", i);
            weft_scope_push(g, name);
            weft_tensor p = weft_param(g, s, "w", weft_dims(3 + i % 5), (weft_init){0});
            weft_tensor l = weft_sum(weft_square(p), WEFT_ALL, false);
            weft_scope_pop(g);
            loss = i ? weft_add(loss, l) : l;
        }
        weft_plan *p = weft_compile(
            g, &(weft_plan_desc){.fetch = weft_list(loss), .update = weft_adam(s, loss, NULL)});
        const double took = (double)(clock() - start) / CLOCKS_PER_SEC;
        if (!p) CHECK_STR(weft_error(c), "a plan");
        if (took < least) least = took;
        weft_plan_free(p);
        weft_state_free(s);
        end();
    }
    return least;
}

/* Sixteen times the parameters take sixteen times as long; 256 times would be a walk within a walk. A
 * machine that others use may be slow at the wrong moment, so there is room between, and three tries. */
TEST(compiling_is_linear) {
    double ratio = 1e9;
    for (int k = 0; k < 3 && ratio > 64; k++)
        ratio = seconds_of_parameters(16000) / seconds_of_parameters(1000);
    CHECK(ratio <= 64);
}
