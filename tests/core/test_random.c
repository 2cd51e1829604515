/* test_random.c - drawing: what is drawn, what it depends on, and what it does not.
 *
 * A draw is a pure function of seed, run number, place in the graph and element; the reference and
 * the CPU must agree on every bit of uniform numbers and integers. */
#include "test.h"

#include "weft/weft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 20000 };

static const char *const devices[] = {"ref", "cpu"};

/* A context with a seeded state and a graph that draws from it. */
typedef struct drawing {
    weft_ctx *c;
    weft_state *s;
    weft_graph *g;
} drawing;

static drawing drawing_begin(const char *device, uint32_t seed) {
    drawing d = {.c = weft_open(device)};
    d.s = weft_state_new(d.c);
    weft_state_seed(d.s, seed);
    d.g = weft_graph_new(d.c);
    /* the first state a graph meets gives it its seed */
    weft_buffer(d.g, d.s, "anything", WEFT_F32, WEFT_0D, (weft_init){0});
    return d;
}

static void drawing_end(drawing *d) {
    weft_graph_free(d->g);
    weft_state_free(d->s);
    weft_close(d->c);
}

/* One run of a plan for t, into out. */
static bool draw(drawing *d, weft_tensor t, void *out) {
    weft_plan *p = weft_compile(d->g, &(weft_plan_desc){.fetch = weft_list(t)});
    if (!p) return CHECK_STR(weft_error(d->c), "a plan");
    size_t bytes = (size_t)weft_count(t) * weft_dtype_size(weft_dtype_of(t));
    bool good = CHECK_EQ(weft_run(p), WEFT_OK) && CHECK_EQ(weft_get(p, t, out, bytes), WEFT_OK);
    weft_plan_free(p);
    return good;
}

typedef struct moments {
    double mean, var, skew, least, most;
} moments;

static moments moments_of(const float *x, int n) {
    moments m = {.least = INFINITY, .most = -INFINITY};
    for (int i = 0; i < n; i++) {
        m.mean += x[i] / (double)n;
        m.least = fmin(m.least, x[i]);
        m.most = fmax(m.most, x[i]);
    }
    for (int i = 0; i < n; i++) {
        double off = x[i] - m.mean;
        m.var += off * off / n;
        m.skew += off * off * off / n;
    }
    return m;
}

static float many[N], more[N];

TEST(moments_are_right) {
    for (int k = 0; k < 2; k++) {
        drawing d = drawing_begin(devices[k], 7);
        CASE("uniform on %s", devices[k]);
        if (draw(&d, weft_uniform(d.g, weft_dims(N)), many)) {
            moments m = moments_of(many, N);
            CHECK_NEAR(m.mean, 0.5, 5 * sqrt(1.0 / 12 / N));
            CHECK_NEAR(m.var, 1.0 / 12, 5 * sqrt(1.0 / 180 / N));
            CHECK_NEAR(m.skew, 0, 0.003);
            CHECK(m.least >= 0 && m.least < 0.001);
            CHECK(m.most < 1 && m.most > 0.999);
        }
        CASE("normal on %s", devices[k]);
        if (draw(&d, weft_normal(d.g, weft_dims(N)), many)) {
            moments m = moments_of(many, N);
            CHECK_NEAR(m.mean, 0, 5 / sqrt(N));
            CHECK_NEAR(m.var, 1, 5 * sqrt(2.0 / N));
            CHECK_NEAR(m.skew, 0, 5 * sqrt(15.0 / N));
            CHECK(m.least < -3 && m.least > -6);
            CHECK(m.most > 3 && m.most < 6);
            double together = 0; /* neighbours share the two words they are made of */
            for (int i = 0; i + 1 < N; i++) together += many[i] * (double)many[i + 1] / N;
            CHECK_NEAR(together, 0, 5 / sqrt(N));
        }
        CASE("bernoulli on %s", devices[k]);
        static uint8_t coin[N];
        weft_tensor coins = weft_bernoulli(d.g, 0.3f, weft_dims(N));
        CHECK_EQ(weft_dtype_of(coins), WEFT_BOOL);
        if (draw(&d, coins, coin)) {
            int heads = 0;
            for (int i = 0; i < N; i++) heads += coin[i];
            CHECK_NEAR(heads, 0.3 * N, 5 * sqrt(0.21 * N));
        }
        drawing_end(&d);
    }
}

TEST(integers_are_even) {
    for (int k = 0; k < 2; k++) {
        static int32_t x[N];
        CASE("%s", devices[k]);
        drawing d = drawing_begin(devices[k], 7);
        if (draw(&d, weft_randint(d.g, -3, 7, weft_dims(N)), x)) {
            int count[10] = {0};
            for (int i = 0; i < N; i++)
                if (CHECK(x[i] >= -3 && x[i] < 7)) count[x[i] + 3]++;
            for (int i = 0; i < 10; i++) CHECK_NEAR(count[i], N / 10, 5 * sqrt(0.09 * N));
        }
        drawing_end(&d);
    }
}

TEST(a_permutation_is_one) {
    const int sizes[] = {0, 1, 2, 17, 1000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int32_t order[2][1000];
        const int n = sizes[s];
        for (int k = 0; k < 2; k++) {
            CASE("%d on %s", n, devices[k]);
            drawing d = drawing_begin(devices[k], 3);
            char seen[1000] = {0};
            int moved = 0;
            if (draw(&d, weft_permutation(d.g, n), order[k]))
                for (int i = 0; i < n; i++) {
                    if (!CHECK(order[k][i] >= 0 && order[k][i] < n)) continue;
                    CHECK(!seen[order[k][i]]++);
                    moved += order[k][i] != i;
                }
            CHECK(n < 3 || moved > n / 2);
            drawing_end(&d);
        }
        CHECK_MEM(order[1], order[0], (size_t)n * sizeof **order);
    }
}

TEST(devices_draw_the_same_bits) {
    const weft_shape shapes[] = {weft_dims(N), weft_dims(7, 13), WEFT_0D, weft_dims(3)};
    static int32_t whole[2][N];
    static float real[2][N], bell[2][N];
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        CASE("shape %zu", s);
        int64_t n = 0;
        for (int k = 0; k < 2; k++) {
            drawing d = drawing_begin(devices[k], 123);
            weft_tensor t[] = {weft_randint(d.g, 0, 1 << 24, shapes[s]),
                               weft_uniform(d.g, shapes[s]), weft_normal(d.g, shapes[s])};
            n = weft_count(t[0]);
            draw(&d, t[0], whole[k]);
            draw(&d, t[1], real[k]);
            draw(&d, t[2], bell[k]);
            drawing_end(&d);
        }
        CHECK_MEM(whole[1], whole[0], (size_t)n * sizeof **whole);
        CHECK_MEM(real[1], real[0], (size_t)n * sizeof **real);
        CHECK_ARRAY(bell[1], bell[0], (size_t)n, 2e-6);
    }
}

TEST(the_seed_decides) {
    for (int k = 0; k < 2; k++) {
        CASE("%s", devices[k]);
        for (uint32_t seed = 0; seed < 3; seed++) {
            drawing a = drawing_begin(devices[k], 5), b = drawing_begin(devices[k], 4 + seed);
            draw(&a, weft_uniform(a.g, weft_dims(N)), many);
            draw(&b, weft_uniform(b.g, weft_dims(N)), more);
            CHECK_EQ(memcmp(many, more, sizeof many) == 0, seed == 1);
            drawing_end(&a);
            drawing_end(&b);
        }
    }
}

TEST(runs_advance_and_can_be_repeated) {
    for (int k = 0; k < 2; k++) {
        CASE("%s", devices[k]);
        drawing d = drawing_begin(devices[k], 11);
        static float run[4][N];
        weft_tensor t = weft_uniform(d.g, weft_dims(N));
        weft_plan *p = weft_compile(d.g, &(weft_plan_desc){.fetch = weft_list(t)});
        int32_t step = -1, first = 0;
        if (!p) CHECK_STR(weft_error(d.c), "a plan");
        for (int i = 0; p && i < 4; i++) {
            if (i == 3) CHECK_EQ(weft_state_set(d.s, "rng.step", &first, sizeof first), WEFT_OK);
            CHECK_EQ(weft_run(p), WEFT_OK);
            CHECK_EQ(weft_get(p, t, run[i], sizeof run[i]), WEFT_OK);
            CHECK_EQ(weft_state_get(d.s, "rng.step", &step, sizeof step), WEFT_OK);
            CHECK_EQ(step, i == 3 ? 1 : i + 1);
        }
        CHECK(memcmp(run[0], run[1], sizeof *run) != 0);
        CHECK(memcmp(run[1], run[2], sizeof *run) != 0);
        CHECK_MEM(run[3], run[0], sizeof *run);
        weft_plan_free(p);
        drawing_end(&d);
    }
}

TEST(two_draws_differ) {
    for (int k = 0; k < 2; k++) {
        CASE("%s", devices[k]);
        drawing d = drawing_begin(devices[k], 11);
        weft_tensor a = weft_uniform(d.g, weft_dims(N)), b = weft_uniform(d.g, weft_dims(N));
        weft_scope_push(d.g, "deeper");
        weft_tensor e = weft_uniform(d.g, weft_dims(N));
        weft_scope_pop(d.g);
        static float x[3][N];
        weft_plan *p = weft_compile(d.g, &(weft_plan_desc){.fetch = weft_list(a, b, e)});
        if (CHECK(p) && CHECK_EQ(weft_run(p), WEFT_OK)) {
            CHECK_EQ(weft_get(p, a, x[0], sizeof *x), WEFT_OK);
            CHECK_EQ(weft_get(p, b, x[1], sizeof *x), WEFT_OK);
            CHECK_EQ(weft_get(p, e, x[2], sizeof *x), WEFT_OK);
            double ab = 0, ae = 0;
            for (int i = 0; i < N; i++) {
                ab += (x[0][i] - 0.5) * (x[1][i] - 0.5) / N;
                ae += (x[0][i] - 0.5) * (x[2][i] - 0.5) / N;
            }
            CHECK_NEAR(ab, 0, 5.0 / 12 / sqrt(N));
            CHECK_NEAR(ae, 0, 5.0 / 12 / sqrt(N));
        }
        weft_plan_free(p);
        drawing_end(&d);
    }
}

/* Neither the size of another draw, nor of its own, nor what else a plan computes. */
TEST(a_stream_depends_on_its_place_alone) {
    for (int k = 0; k < 2; k++) {
        static float x[4][N];
        for (int i = 0; i < 4; i++) {
            CASE("%s, way %d", devices[k], i);
            drawing d = drawing_begin(devices[k], 2);
            weft_tensor before = weft_normal(d.g, weft_dims(i == 1 ? 3 : 64));
            weft_tensor t = weft_uniform(d.g, weft_dims(i == 2 ? 100 : N));
            weft_tensor sum = weft_sum(weft_add(before, weft_scalar(d.g, 1)), WEFT_ALL, false);
            weft_tensor list[] = {t, sum};
            weft_plan *p = weft_compile(
                d.g, &(weft_plan_desc){.fetch = {list, i == 3 ? 2 : 1}, .unfused = i == 1});
            if (CHECK(p) && CHECK_EQ(weft_run(p), WEFT_OK))
                CHECK_EQ(weft_get(p, t, x[i], (size_t)weft_count(t) * sizeof(float)), WEFT_OK);
            CHECK_MEM(x[i], x[0], (size_t)weft_count(t) * sizeof(float));
            weft_plan_free(p);
            drawing_end(&d);
        }
    }
}

/* A draw used by two readers is drawn once, fused or not. */
TEST(readers_see_the_same_draw) {
    for (int unfused = 0; unfused < 2; unfused++) {
        CASE("%s", unfused ? "unfused" : "fused");
        drawing d = drawing_begin("cpu", 9);
        weft_tensor t = weft_normal(d.g, weft_dims(10, 7));
        weft_tensor zero = weft_sub(weft_transpose(weft_scale(t, 2), 0, 1),
                                    weft_add(weft_transpose(t, 0, 1), weft_transpose(t, 0, 1)));
        float out[70];
        weft_plan *p =
            weft_compile(d.g, &(weft_plan_desc){.fetch = weft_list(zero), .unfused = unfused});
        if (CHECK(p) && CHECK_EQ(weft_run(p), WEFT_OK) &&
            CHECK_EQ(weft_get(p, zero, out, sizeof out), WEFT_OK))
            for (int i = 0; i < 70; i++) CHECK_EQ(out[i], 0.0f);
        weft_plan_free(p);
        drawing_end(&d);
    }
}

/* Noise first, then a parameter, or the other way round: the state's seed and run number are the
 * noise's in both. One run, the one with that number. */
static void noisy(bool noise_first, uint32_t seed, int32_t runs_before, float *out, weft_ctx *c) {
    weft_state *s = weft_state_new(c);
    weft_state_seed(s, seed);
    weft_graph *g = weft_graph_new(c);
    const weft_init ones = {WEFT_INIT_ONES, 0, 0};
    weft_tensor w = {0}, noise;
    if (!noise_first) w = weft_param(g, s, "w", weft_dims(8), ones);
    noise = weft_uniform(g, weft_dims(8));
    if (noise_first) w = weft_param(g, s, "w", weft_dims(8), ones);
    weft_tensor again = weft_normal(g, weft_dims(8)), y = weft_mul(w, weft_add(noise, again));
    char *text = weft_graph_text(g);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)});
    char *compiled = weft_graph_text(g);
    CHECK_STR(compiled, text); /* compiling leaves the graph as it was */
    weft_text_free(c, text);
    weft_text_free(c, compiled);
    int32_t got = -1;
    CHECK_EQ(weft_state_set(s, "rng.step", &runs_before, sizeof runs_before), WEFT_OK);
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(weft_get(p, y, out, 8 * sizeof *out), WEFT_OK);
    CHECK_EQ(weft_state_get(s, "rng.step", &got, sizeof got), WEFT_OK);
    CHECK_EQ(got, runs_before + 1);
    CHECK_EQ(weft_state_get(s, "rng.seed", &got, sizeof got), WEFT_OK);
    CHECK_EQ(got, seed);
    weft_plan_free(p);
    weft_graph_free(g);
    weft_state_free(s);
}

TEST(the_first_state_owns_what_was_drawn_before_it) {
    for (int d = 0; d < 2; d++) {
        CASE("%s", devices[d]);
        weft_ctx *c = weft_open(devices[d]);
        float before[8], after[8], seeded[8], later[8], repeated[8];
        noisy(true, 7, 0, before, c);
        noisy(false, 7, 0, after, c);
        noisy(true, 8, 0, seeded, c);
        noisy(true, 7, 5, later, c);
        noisy(true, 7, 0, repeated, c); /* no run number is left in the context */
        CHECK_MEM(before, after, sizeof before);
        CHECK_MEM(before, repeated, sizeof before);
        CHECK(memcmp(before, seeded, sizeof before) && memcmp(before, later, sizeof before));
        weft_close(c);
    }
}

/* The same node is found again after its state has changed: nothing is drawn from two states. */
TEST(a_graph_has_one_source_of_numbers) {
    weft_ctx *c = weft_open("cpu");
    weft_state *s = weft_state_new(c), *other = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    const weft_init zeros = {WEFT_INIT_ZEROS, 0, 0};
    weft_tensor x = weft_uniform(g, weft_dims(3));
    for (int i = 0; i < 400; i++) x = weft_offset(x, (float)i); /* the table has grown meanwhile */
    weft_tensor a = weft_buffer(g, s, "a", WEFT_F32, weft_dims(3), zeros),
                b = weft_buffer(g, other, "a", WEFT_F32, weft_dims(3), zeros),
                run = weft_buffer(g, s, "rng.step", WEFT_I32, WEFT_0D, zeros);
    x = weft_add(weft_add(x, a), weft_add(b, weft_uniform(g, weft_dims(3))));
    CHECK_EQ(weft_state_count(s), 3);
    CHECK_EQ(weft_state_count(other), 1);
    CHECK_EQ(weft_buffer(g, s, "a", WEFT_F32, weft_dims(3), zeros).id, a.id);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(x, run)});
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(weft_run(p), WEFT_OK);
        int32_t got = -1;
        CHECK_EQ(weft_state_get(s, "rng.step", &got, sizeof got), WEFT_OK);
        CHECK_EQ(got, i + 1);
    }
    weft_plan_free(p);
    CASE("an update of the run number beside it");
    CHECK(!weft_compile(g, &(weft_plan_desc){.fetch = weft_list(x),
                                             .update = weft_assign(run, weft_integer(g, 4))}));
    CHECK_HAS(weft_error(c), "changes \"rng.step\", and so do random numbers");
    weft_graph_free(g);
    weft_state_free(s);
    weft_state_free(other);
    weft_close(c);
}
