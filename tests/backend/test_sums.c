/* test_sums.c - folds of millions of numbers: as near to the sum in double as a float can be, and the
 * same bits on any number of threads.
 *
 * Every way a fold can lie in memory is there: whole arrays, long rows, across rows, several axes with
 * others between. Values are positive where a running f32 would drift or stop. */
#include "test.h"

#include <weft/weft.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OUTS = 4, MOST = 1 << 16 };

/* ---- programs: x, an input; fetched results; an update */

typedef struct sums {
    weft_tensor x, out[OUTS];
    int outs;
    weft_updates update;
} sums;

typedef void sums_of(sums *s, weft_graph *g, weft_state *state, weft_shape axes);

static void whole(sums *s, weft_tensor t) {
    s->out[s->outs++] = t;
}

static void plain(sums *s, weft_graph *g, weft_state *state, weft_shape axes) {
    (void)g, (void)state;
    whole(s, weft_sum(s->x, axes, false));
    whole(s, weft_mean(s->x, axes, false));
}

static void moments(sums *s, weft_graph *g, weft_state *state, weft_shape axes) {
    (void)g, (void)state;
    const weft_tensor away = weft_sub(s->x, weft_mean(s->x, axes, true));
    whole(s, weft_mean(weft_square(away), axes, false));
    whole(s, weft_log(weft_sum(weft_exp(s->x), axes, false)));
}

static void places(sums *s, weft_graph *g, weft_state *state, weft_shape axes) {
    (void)g, (void)state;
    whole(s, weft_max(s->x, axes, false));
    if (axes.rank == 1) whole(s, weft_argmax(s->x, (int)axes.n[0], false));
    whole(s, weft_sum(weft_cast(weft_scale(s->x, 8), WEFT_I32), axes, false));
    whole(s, weft_prod(weft_sign(weft_offset(s->x, -0.6f)), axes, false));
}

static void products(sums *s, weft_graph *g, weft_state *state, weft_shape axes) {
    (void)g, (void)state;
    whole(s, weft_sum(weft_mul(s->x, weft_sqrt(s->x)), axes, false));
}

/* Statistics that move, and everything divided by its sum: stores in the middle of a fold. */
static void moving(sums *s, weft_graph *g, weft_state *state, weft_shape axes) {
    const weft_tensor mean = weft_mean(s->x, axes, false);
    const weft_tensor old = weft_buffer(g, state, "mean", WEFT_F32, weft_shape_of(mean),
                                        (weft_init){WEFT_INIT_VALUE, 2, 0});
    s->update = weft_assign(old, weft_add(weft_scale(old, 0.5f), mean));
    const weft_tensor share = weft_div(s->x, weft_sum(s->x, axes, true));
    whole(s, weft_sum(weft_mul(share, share), axes, false));
    whole(s, old);
}

/* Results that go past the caches: together some 50 MB, and nobody reads them here. */
static void large(sums *s, weft_graph *g, weft_state *state, weft_shape axes) {
    (void)g, (void)state;
    whole(s, weft_div(s->x, weft_sum(s->x, axes, true)));
    whole(s, weft_offset(weft_square(s->x), 1));
}

static const struct sums_row {
    const char *name;
    sums_of *make;
} sums_rows[] = {
    {"plain", plain},       {"moments", moments}, {"places", places},
    {"products", products}, {"moving", moving},
};

static const struct sums_shape {
    weft_shape dims, axes;
} sums_shapes[] = {
    {{1, {1000003}}, {1, {0}}},
    {{2, {3, 300007}}, {1, {1}}},
    {{2, {70001, 13}}, {1, {0}}},
    {{2, {2111, 700}}, {1, {0}}},
    {{4, {6, 3, 200, 301}}, {3, {0, 2, 3}}},
    {{3, {40, 5, 6007}}, {2, {0, 2}}},
    {{3, {400, 3, 900}}, {1, {0}}},
    {{2, {1000, 900}}, {2, {0, 1}}},
    {{3, {301, 200, 17}}, {2, {0, 1}}},
};

/* ---- one program on one device ---- */

typedef struct answer {
    float *v[OUTS];
    int64_t n[OUTS];
    bool whole[OUTS]; /* integers */
    int outs;
} answer;

static void answer_free(answer *a) {
    for (int i = 0; i < a->outs; i++) free(a->v[i]);
    a->outs = 0;
}

static bool ask(const char *device, int threads, const struct sums_row *row,
                const struct sums_shape *shape, const float *x, answer *a) {
    weft_ctx *c = weft_open_with(&(weft_open_desc){.device = device, .threads = threads});
    weft_state *state = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    sums s = {.x = weft_input(g, WEFT_F32, shape->dims)};
    row->make(&s, g, state, shape->axes);
    memset(a, 0, sizeof *a);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = {s.out, (size_t)s.outs},
                                                     .update = s.update,
                                                     .threads = threads});
    bool good = CHECK(p != NULL);
    if (!good) CHECK_STR(weft_error(c), "");
    for (int run = 0; run < 2 && good; run++) {
        weft_set(p, s.x, x, (size_t)weft_count(s.x) * sizeof *x);
        good = CHECK_EQ(weft_run(p), WEFT_OK);
    }
    for (int i = 0; i < s.outs && good; i++) {
        a->n[i] = weft_count(s.out[i]);
        a->v[i] = malloc((size_t)a->n[i] * sizeof *a->v[i]);
        a->whole[i] = weft_dtype_of(s.out[i]) != WEFT_F32;
        a->outs++;
        good = CHECK_EQ(weft_get(p, s.out[i], a->v[i], (size_t)a->n[i] * sizeof *a->v[i]), WEFT_OK);
    }
    weft_plan_free(p);
    weft_graph_free(g);
    weft_state_free(state);
    weft_close(c);
    return good;
}

/* A few roundings; and what is left of equal numbers without their mean. */
static double allowed(float want) {
    return 2e-6 * fabs((double)want) + 1e-12;
}

static void near_enough(const answer *got, const answer *want) {
    for (int i = 0; i < got->outs; i++)
        for (int64_t k = 0; k < got->n[i]; k++) {
            const float a = got->v[i][k], b = want->v[i][k];
            const bool good =
                got->whole[i] ? memcmp(&a, &b, sizeof a) == 0 : fabs((double)a - b) <= allowed(b);
            if (good) continue;
            CASE("result %d, element %lld", i, (long long)k);
            CHECK_NEAR(a, b, allowed(b));
            return;
        }
}

/* A sanitizer takes minutes for all of them: some, on as many threads as there are ways to go wrong. */
static bool left_out(const struct sums_shape *shape) {
    return test_sanitized() && (shape - sums_shapes) % 4 != 2;
}

TEST(long_folds_are_exact_and_threads_change_no_bit) {
    static const int threads[] = {2, 3, 7};
    for (size_t s = 0; s < sizeof sums_shapes / sizeof *sums_shapes; s++) {
        int64_t n = 1;
        if (left_out(&sums_shapes[s])) continue;
        for (int d = 0; d < sums_shapes[s].dims.rank; d++) n *= sums_shapes[s].dims.n[d];
        float *x = malloc((size_t)n * sizeof *x);
        for (int64_t i = 0; i < n; i++) /* mostly one number: its rounding adds up */
            x[i] = i % 16 ? 0.7f : (float)test_uniform(0, 1) + 0.1f;
        for (size_t r = 0; r < sizeof sums_rows / sizeof *sums_rows; r++) {
            answer want, one, many;
            CASE("shape %d, %s", (int)s, sums_rows[r].name);
            if (!ask("ref", 1, &sums_rows[r], &sums_shapes[s], x, &want)) continue;
            if (ask("cpu", 1, &sums_rows[r], &sums_shapes[s], x, &one)) near_enough(&one, &want);
            for (int t = 0; t < (test_sanitized() ? 1 : 3); t++) {
                CASE("shape %d, %s, %d threads", (int)s, sums_rows[r].name, threads[t]);
                if (!ask("cpu", threads[t], &sums_rows[r], &sums_shapes[s], x, &many)) continue;
                for (int i = 0; i < one.outs; i++)
                    CHECK_MEM(many.v[i], one.v[i], (size_t)one.n[i] * sizeof *one.v[i]);
                answer_free(&many);
            }
            answer_free(&one);
            answer_free(&want);
        }
        free(x);
    }
}

TEST(results_past_the_caches_are_whole) {
    if (test_sanitized()) SKIP("tens of millions of elements: too slow under a sanitizer");
    const struct sums_row row = {"large", large};
    const struct sums_shape shape = {{2, {4301, 1001}}, {1, {1}}};
    const size_t n = 4301 * 1001;
    float *x = malloc(n * sizeof *x);
    for (size_t i = 0; i < n; i++) x[i] = (float)test_uniform(0.1, 1);
    answer want, got;
    if (ask("ref", 1, &row, &shape, x, &want)) {
        for (int threads = 1; threads < 4; threads++) {
            CASE("%d threads", threads);
            if (ask("cpu", threads, &row, &shape, x, &got)) near_enough(&got, &want);
            answer_free(&got);
        }
        answer_free(&want);
    }
    free(x);
}

/* ---- what a running f32 cannot do at all ---- */

/* Element `at` of y, which is made from x (n numbers: the first, then ones). */
static float of_ones(weft_tensor (*make)(weft_tensor x), weft_shape dims, float first, int64_t at) {
    weft_ctx *c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = 2});
    weft_graph *g = weft_graph_new(c);
    const weft_tensor x = weft_input(g, WEFT_F32, dims), y = make(x);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)});
    float v = NAN;
    if (CHECK(p != NULL)) {
        const int64_t n = weft_count(x), lanes = dims.rank > 1 ? dims.n[1] : 1;
        float *in = weft_feed(p, x);
        for (int64_t i = 0; i < n; i++) in[i] = i < lanes ? first : 1;
        float *out = malloc((size_t)weft_count(y) * sizeof *out);
        CHECK_EQ(weft_run(p), WEFT_OK);
        CHECK_EQ(weft_get(p, y, out, (size_t)weft_count(y) * sizeof *out), WEFT_OK);
        v = out[at];
        free(out);
    }
    weft_plan_free(p);
    weft_graph_free(g);
    weft_close(c);
    return v;
}

static weft_tensor all_of(weft_tensor x) {
    return weft_sum(x, WEFT_ALL, false);
}
static weft_tensor up_to(weft_tensor x) {
    return weft_cumsum(x, 0);
}
static weft_tensor behind(weft_tensor x) {
    return weft_cumsum(weft_transpose(weft_stored(weft_transpose(x, 0, 1)), 0, 1), 0);
}

TEST(ones_are_counted_beyond_what_one_float_can_count) {
    enum { LARGE = 1 << 24 };
    if (!test_sanitized()) CHECK_EQ(of_ones(all_of, weft_dims(LARGE + 2048), 1, 0), LARGE + 2048);
    CHECK_EQ(of_ones(up_to, weft_dims(1000), LARGE, 999), LARGE + 1000); /* 999 rounds to even */
    CHECK_EQ(of_ones(up_to, weft_dims(1000, 5), LARGE, 4999), LARGE + 1000);
    CHECK_EQ(of_ones(up_to, weft_dims(1000, 700), LARGE, 699999), LARGE + 1000);
    CHECK_EQ(of_ones(behind, weft_dims(1000, 5), LARGE, 4999), LARGE + 1000);
}
