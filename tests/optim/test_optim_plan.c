/* test_optim_plan.c - what optimisers become: how many passes, over how many segments, with the
 * same bits on any number of threads; and that joining steps changes no value. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include "optim_rig.h"

#include <string.h>

/* ---- counts ---- */

static const struct {
    const char *name;
    uint32_t kernels; /* for eight parameters, six of them matrices; one step deals with numbers */
    weft_optimiser_desc d;
} counts[] = {
    {"sgd", 2, {KIND(SGD)}},
    {"sgd, decay", 2, {KIND(SGD), .decay = 0.1f}},
    {"momentum", 2, {KIND(SGD), .momentum = 0.9f}},
    {"nesterov", 2, {KIND(SGD), .momentum = 0.9f, .nesterov = true}},
    {"adam", 2, {KIND(ADAM)}},
    {"adam, decay", 2, {KIND(ADAM), .decay = 0.1f}},
    {"adam, amsgrad", 2, {KIND(ADAM), .amsgrad = true}},
    {"adamw", 2, {KIND(ADAMW)}},
    {"adamw, amsgrad", 2, {KIND(ADAMW), .amsgrad = true}},
    {"rmsprop", 2, {KIND(RMSPROP)}},
    {"rmsprop, all", 2, {KIND(RMSPROP), .momentum = 0.9f, .centered = true, .decay = 0.1f}},
    {"adagrad", 2, {KIND(ADAGRAD)}},
    {"lion", 2, {KIND(LION), .decay = 0.1f}},
    {"sgd, clip value", 2, {KIND(SGD), .clip_value = 1}},
    {"lion, clip value", 2, {KIND(LION), .clip_value = 1}},
    {"adamw, clip value", 2, {KIND(ADAMW), .clip_value = 1}},
    /* squares of all gradients, their sums, the sum of those; scaling is part of the pass */
    {"sgd, clip norm", 5, {KIND(SGD), .clip_norm = 1}},
    {"lion, clip norm", 5, {KIND(LION), .clip_norm = 1}},
    {"adamw, clip norm", 5, {KIND(ADAMW), .clip_norm = 1}},
    {"rmsprop, average", 2, {KIND(RMSPROP), .ema = 0.99f}},
    {"adamw, average", 3, {KIND(ADAMW), .ema = 0.99f}},
    /* with a kernel of its own: sums, then the step */
    {"lion, 4 runs", 2, {KIND(LION), .accumulate = 4}},
    {"adamw, 4 runs", 3, {KIND(ADAMW), .accumulate = 4}},
    /* numbers, directions, two norms with a sum each, eight steps of their own lengths */
    {"lamb", 15, {KIND(LAMB)}},
    /* fifteen products a matrix; numbers, momentum, norm, its sum; AdamW for the rest */
    {"muon", 95, {KIND(MUON)}},
};

static void eight_parameters(rig *r) {
    static const char *const names[] = {"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"};
    for (int i = 0; i < 8; i++)
        rig_add(r, names[i], i % 4 == 3 ? weft_dims(5) : weft_dims(3 + i, 5));
}

TEST(passes) {
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        CASE("%s", counts[i].name);
        rig r;
        rig_open(&r, "cpu", 1);
        eight_parameters(&r);
        if (rig_compile(&r, weft_optimise(r.s, rig_params(&r), &counts[i].d), (weft_plan_desc){0}))
            CHECK_EQ(weft_plan_stats(r.p).kernels, counts[i].kernels);
        rig_close(&r);
    }
}

/* Groups that lie together in the slab are a pass each: matrices come before vectors. */
TEST(groups_are_passes) {
    rig r;
    rig_open(&r, "cpu", 1);
    static const char *const names[] = {"0.weight", "0.bias",   "1.weight",
                                        "1.bias",   "2.weight", "2.bias"};
    for (int i = 0; i < 6; i++) rig_add(&r, names[i], i % 2 ? weft_dims(4) : weft_dims(4, 4));
    const weft_group bias = {"*.bias", .no_decay = true};
    const weft_optimiser_desc d = {WEFT_OPTIMISER_LION, .decay = 0.1f, .groups = &bias,
                                   .group_count = 1};
    if (rig_compile(&r, weft_optimise(r.s, rig_params(&r), &d), (weft_plan_desc){0}))
        CHECK_EQ(weft_plan_stats(r.p).kernels, 3);
    rig_close(&r);
}

/* ---- networks ---- */

/* Gradients of every origin: products, sums, a convolution, rows of a table, tied weights. */
static weft_tensor network(weft_graph *g, weft_state *s) {
    const weft_init init = {WEFT_INIT_NORMAL, 0, 0.2f};
    weft_tensor image = weft_full(g, weft_dims(4, 3, 9, 9), 0.3f);
    weft_tensor w = weft_param(g, s, "conv", weft_dims(6, 3, 3, 3), init);
    weft_tensor y = weft_relu(weft_conv2d(image, w, NULL));
    y = weft_reshape(y, weft_dims(4, -1));
    y = weft_tanh(weft_linear(s, y, 20, "fc"));
    y = weft_layer_norm(y, weft_param(g, s, "norm.weight", weft_dims(20), init),
                        weft_param(g, s, "norm.bias", weft_dims(20), init), 1e-5f);
    weft_tensor table = weft_param(g, s, "table", weft_dims(7, 20), init);
    y = weft_add(y, weft_embedding(table, weft_iota(g, weft_dims(4), 0)));
    y = weft_matmul(y, weft_transpose(table, 0, 1));
    y = weft_mul(y, weft_param(g, s, "scale", WEFT_0D, (weft_init){.kind = WEFT_INIT_ONES}));
    return weft_mean(weft_square(weft_sub(y, weft_param(g, s, "shift", weft_dims(7), init))),
                     WEFT_ALL, false);
}

/* An optimiser of one's own: signs of a slow and a fast average of the gradient. */
static weft_updates own(weft_graph *g, weft_state *s, weft_params p) {
    weft_tensor lr = weft_number(g, s, "optim.lr", 0.01f);
    weft_updates all = {0};
    for (size_t i = 0; i < p.n; i++) {
        weft_tensor slow = weft_slot(g, s, p.param[i], "slow", (weft_init){0});
        weft_tensor fast = weft_slot(g, s, p.param[i], "fast", (weft_init){0});
        weft_tensor a = weft_add(weft_scale(slow, 0.9f), weft_scale(p.grad[i], 0.1f));
        weft_tensor b = weft_add(weft_scale(fast, 0.5f), weft_scale(p.grad[i], 0.5f));
        weft_tensor step = weft_mul(lr, weft_tanh(weft_add(a, weft_sign(b))));
        all = weft_updates_join(g, all, weft_assign(p.param[i], weft_sub(p.param[i], step)));
        all = weft_updates_join(g, all, weft_assign(slow, a));
        all = weft_updates_join(g, all, weft_assign(fast, b));
    }
    return all;
}

static uint32_t kernels(weft_graph *g, weft_plan_desc d) {
    weft_plan *p = weft_compile(g, &d);
    CHECK(p);
    const uint32_t n = weft_plan_stats(p).kernels;
    weft_plan_free(p);
    return n;
}

TEST(one_pass_whatever_made_the_gradients) {
    for (int way = 0; way < 4; way++) {
        static const char *const ways[] = {"sgd", "lion", "own", "own, with fetched gradients"};
        CASE("%s", ways[way]);
        rig r;
        rig_open(&r, "cpu", 1);
        weft_tensor loss = network(r.g, r.s);
        weft_params p = weft_params_of(r.s, loss);
        const weft_tensors grads = {p.grad, p.n};
        CHECK_EQ(p.n, 8);
        weft_updates u =
            way == 0   ? weft_sgd(r.s, loss, NULL)
            : way == 1 ? weft_optimise(r.s, p, &(weft_optimiser_desc){.kind = WEFT_OPTIMISER_LION})
                       : own(r.g, r.s, p);
        const uint32_t before = kernels(r.g, (weft_plan_desc){.fetch = grads});
        const uint32_t after = kernels(
            r.g, (weft_plan_desc){.update = u, .fetch = way == 3 ? grads : (weft_tensors){0}});
        CHECK_EQ(after, before + 1 + (way == 1)); /* lion counts its steps besides */
        rig_close(&r);
    }
}

/* Parameters made after the first compile lie elsewhere: a pass for each segment. */
TEST(a_pass_for_each_segment) {
    rig r;
    rig_open(&r, "cpu", 1);
    const weft_optimiser_desc d = {.kind = WEFT_OPTIMISER_ADAGRAD};
    rig_add(&r, "a", weft_dims(2, 3)), rig_add(&r, "b", weft_dims(4));
    if (rig_compile(&r, weft_optimise(r.s, rig_params(&r), &d), (weft_plan_desc){0})) {
        CHECK_EQ(weft_plan_stats(r.p).kernels, 2);
        weft_plan_free(r.p);
        rig_add(&r, "c", weft_dims(2, 3)), rig_add(&r, "d", weft_dims(4));
        if (rig_compile(&r, weft_optimise(r.s, rig_params(&r), &d), (weft_plan_desc){0})) {
            CHECK_EQ(weft_plan_stats(r.p).kernels, 3);
            float before[20], after[20];
            rig_values(&r, before);
            rig_run(&r, 0, 1);
            rig_values(&r, after);
            for (int i = 0; i < 20; i++) CHECK(fabsf(fabsf(after[i] - before[i]) - 0.01f) < 1e-5f);
        }
    }
    rig_close(&r);
}

/* ---- bits ---- */

/* Twelve parameters, some of them large enough that every thread has its share. */
static uint64_t trained(int threads, const weft_optimiser_desc *d) {
    weft_ctx *c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = threads});
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(24, 60)), y = x;
    for (int i = 0; i < 6; i++) {
        char name[] = "fc0";
        name[2] = (char)('0' + i);
        y = weft_tanh(weft_linear(s, y, 40 + 30 * i, name));
    }
    weft_updates u = weft_optimiser(s, weft_mean(weft_square(y), WEFT_ALL, false), d);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.update = u, .threads = threads});
    uint64_t hash = 0;
    if (CHECK(p) && CHECK_EQ(weft_plan_stats(p).threads, threads)) {
        float *feed = weft_feed(p, x);
        rig_numbers(1, feed, 24 * 60);
        for (int k = 0; k < 4; k++) CHECK_EQ(weft_run(p), WEFT_OK);
        hash = weft_state_hash(s);
    }
    weft_plan_free(p);
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
    return hash;
}

TEST(the_same_bits_on_any_number_of_threads) {
    for (int i = 0; i < 2 * WEFT_OPTIMISER_COUNT; i++) {
        weft_optimiser_desc d = {.kind = (weft_optimiser_kind)(i % WEFT_OPTIMISER_COUNT)};
        const bool more = i >= WEFT_OPTIMISER_COUNT;
        if (more) d.clip_norm = 0.5f, d.clip_value = 0.1f, d.ema = 0.9f, d.accumulate = 2;
        if (more) d.momentum = 0.9f, d.decay = 0.1f;
        CASE("%s%s", weft_optimiser_name(d.kind), more ? " and all" : "");
        const uint64_t one = trained(1, &d);
        CHECK(one != 0);
        CHECK(trained(2, &d) == one);
        CHECK(trained(3, &d) == one);
    }
}

/* ---- hazards: entries that are read by the steps of their neighbours ---- */

enum { NEIGHBOURS = 5, WIDE = 700, CHAINED = 8 };

/* Updates of neighbours that look alike, by what else they read. */
static weft_tensor next_of(weft_graph *g, const weft_tensor *e, int i, int way) {
    weft_tensor scale = weft_scalar(g, 0.5f), one = weft_scalar(g, 1);
    weft_tensor right = e[(i + 1) % NEIGHBOURS], left = e[(i + NEIGHBOURS - 1) % NEIGHBOURS];
    weft_tensor number = weft_squeeze(weft_slice(e[2], 0, 3, 4, 1), 0);
    switch (way) {
    case 0: return weft_add(weft_mul(e[i], scale), one);                     /* nothing else */
    case 1: return weft_add(weft_mul(e[i], scale), right);                   /* the next one */
    case 2: return weft_add(weft_mul(e[i], scale), left);                    /* the one before */
    case 3: return weft_sub(right, left);                                    /* never itself */
    case 4: return weft_mul(e[i], number);                                   /* a number in one */
    case 5: return weft_add(e[i], weft_sum(right, WEFT_ALL, false));         /* a sum of another */
    case 6: return weft_add(e[i], weft_flip(e[i], 0));                       /* itself, backwards */
    default: return weft_where(weft_lt(e[i], right), weft_neg(e[i]), right); /* a comparison */
    }
}

static void shifted(const char *device, int threads, int way, float *out) {
    weft_ctx *c = weft_open_with(&(weft_open_desc){.device = device, .threads = threads});
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    weft_tensor e[NEIGHBOURS];
    weft_updates u = {0};
    static const char *const names[NEIGHBOURS] = {"a", "b", "c", "d", "e"};
    for (int i = 0; i < NEIGHBOURS; i++)
        e[i] = weft_param(g, s, names[i], weft_dims(WIDE), (weft_init){0});
    weft_tensor last = weft_full(g, weft_dims(WIDE), 1);
    for (int i = 0; i < NEIGHBOURS; i++) {
        weft_tensor next = next_of(g, e, i, way);
        if (way >= CHAINED) next = weft_add(next, last); /* what the one before has become */
        last = way == CHAINED ? next : weft_stored(next);
        u = weft_updates_join(g, u, weft_assign(e[i], next));
    }
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.update = u, .threads = threads});
    CHECK(p);
    for (int i = 0; i < NEIGHBOURS; i++) {
        float first[WIDE];
        rig_numbers(i + 1, first, WIDE);
        CHECK_EQ(weft_state_set(s, names[i], first, sizeof first), WEFT_OK);
    }
    for (int k = 0; p && k < 2; k++) CHECK_EQ(weft_run(p), WEFT_OK);
    for (int i = 0; i < NEIGHBOURS; i++)
        weft_state_get(s, names[i], out + i * WIDE, WIDE * sizeof *out);
    weft_plan_free(p);
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
}

TEST(neighbours_see_old_values) {
    static float want[NEIGHBOURS * WIDE], got[NEIGHBOURS * WIDE];
    for (int way = 0; way < CHAINED + 2; way++)
        for (int threads = 1; threads < 4; threads++) {
            CASE("way %d, %d threads", way, threads);
            shifted("ref", 1, way, want);
            shifted("cpu", threads, way, got);
            CHECK_ARRAY(got, want, NEIGHBOURS * WIDE, 1e-5);
        }
}

/* Two alike steps, and between them what the first must precede and the second must follow. */
static void in_order(const char *device, float *out) {
    weft_ctx *c = weft_open(device);
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    const weft_init ones = {.kind = WEFT_INIT_ONES};
    weft_tensor a = weft_param(g, s, "a", weft_dims(WIDE), ones);
    weft_tensor b = weft_param(g, s, "b", weft_dims(WIDE), ones);
    weft_tensor x = weft_cast(weft_iota(g, weft_dims(WIDE), 0), WEFT_F32);
    weft_tensor next = weft_stored(weft_sub(a, weft_stored(weft_sin(x))));
    weft_tensor sum = weft_sum(weft_flip(next, 0), WEFT_ALL, false);
    weft_tensor last = weft_sub(b, weft_stored(weft_mul(weft_cos(x), weft_scale(sum, 0.01f))));
    weft_updates u = weft_updates_join(g, weft_assign(a, next), weft_assign(b, last));
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.update = u, .threads = 1});
    CHECK(p && weft_run(p) == WEFT_OK && weft_run(p) == WEFT_OK);
    weft_state_get(s, "a", out, WIDE * sizeof *out);
    weft_state_get(s, "b", out + WIDE, WIDE * sizeof *out);
    weft_plan_free(p);
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
}

TEST(order_is_kept) {
    static float want[2 * WIDE], got[2 * WIDE];
    in_order("ref", want);
    in_order("cpu", got);
    CHECK_ARRAY(got, want, 2 * WIDE, 1e-5);
}

/* Two states in one graph: entries at the same places of different memory. */
TEST(two_states) {
    rig r;
    rig_open(&r, "cpu", 1);
    weft_state *other = weft_state_new(r.c);
    const weft_init ones = {.kind = WEFT_INIT_ONES};
    weft_tensor a = weft_param(r.g, r.s, "a", weft_dims(16), ones);
    weft_tensor b = weft_param(r.g, other, "pad", weft_dims(16), ones);
    weft_tensor c = weft_param(r.g, other, "c", weft_dims(16), ones);
    weft_updates u =
        weft_updates_join(r.g, weft_assign(a, weft_scale(a, 3)), weft_assign(c, weft_scale(c, 3)));
    CHECK(weft_ok(b));
    r.p = weft_compile(r.g, &(weft_plan_desc){.update = u});
    CHECK(r.p && weft_run(r.p) == WEFT_OK);
    float v[16];
    CHECK_EQ(weft_state_get(r.s, "a", v, sizeof v), WEFT_OK);
    for (int i = 0; i < 16; i++) CHECK_EQ(v[i], 3);
    CHECK_EQ(weft_state_get(other, "c", v, sizeof v), WEFT_OK);
    for (int i = 0; i < 16; i++) CHECK_EQ(v[i], 3);
    CHECK_EQ(weft_state_get(other, "pad", v, sizeof v), WEFT_OK);
    for (int i = 0; i < 16; i++) CHECK_EQ(v[i], 1);
    weft_state_free(other);
    rig_close(&r);
}

/* Small steps of the engine, as an optimiser of one's own would use them. */
TEST(steps_by_hand) {
    for (int due = 0; due < 2; due++) {
        CASE("%s", due ? "due" : "not due");
        rig r;
        rig_open(&r, "cpu", 1);
        rig_add(&r, "a", weft_dims(4)), rig_add(&r, "b", weft_dims(2, 3));
        weft_tensor when = weft_input(r.g, WEFT_BOOL, WEFT_0D), lr = weft_scalar(r.g, 0.5f);
        weft_updates u = {0};
        for (int i = 0; i < 2; i++) {
            weft_tensor m = weft_slot(r.g, r.s, r.param[i], "m", (weft_init){0});
            weft_stepped n = weft_momentum_step(
                r.param[i], m, r.grad[i], lr, &(weft_sgd_desc){.momentum = 0.5f},
                &(weft_step_desc){.clip = 1, .scale = weft_scalar(r.g, 2), .due = when});
            u = weft_updates_join(r.g, u, weft_assign(r.param[i], n.p));
            u = weft_updates_join(r.g, u, weft_assign(m, n.m));
        }
        if (rig_compile(&r, u, (weft_plan_desc){0})) {
            const uint8_t flag = (uint8_t)due;
            weft_set(r.p, when, &flag, 1);
            float before[10], after[10], g[6];
            rig_values(&r, before);
            rig_run(&r, 0, 1);
            rig_values(&r, after);
            for (int i = 0, at = 0; i < 2; at += (int)r.count[i++]) {
                rig_numbers(10 + i, g, r.count[i]);
                for (int e = 0; e < r.count[i]; e++)
                    CHECK_NEAR(after[at + e], before[at + e] - (due ? fmin(fmax(g[e], -1), 1) : 0),
                               1e-6);
            }
        }
        rig_close(&r);
    }
}
