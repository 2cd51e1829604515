/* test_optim_errors.c - optimisers asked for what cannot be, and with memory that runs out. */
#define _POSIX_C_SOURCE 200809L /* dup, fileno */
#include "errors.h"
#include "heap.h"
#include <limits.h>
#include <weft/optim.h>

/* ---- requests ---- */

static weft_tensor a, da;
static const char *name = "a";

static weft_params one(void) {
    a = weft_param(g, s, "a", weft_dims(4, 6), (weft_init){0}), da = x;
    name = "here.a";
    return (weft_params){&a, &da, &name, 1};
}

static weft_tensor listed(weft_updates u) { /* an empty list stands for poison */
    return u.n ? x : (weft_tensor){weft_graph_error(g) ? g : NULL, 0};
}

static weft_tensor with(weft_optimiser_desc d) {
    return listed(weft_optimise(s, one(), &d));
}

static weft_tensor grouped(weft_group group) {
    return with((weft_optimiser_desc){.groups = &group, .group_count = 1});
}

static weft_tensor scheduled(weft_schedule d) {
    return with((weft_optimiser_desc){.schedule = d});
}

static weft_tensor clipped(weft_params p) {
    return p.n ? x : (weft_tensor){weft_graph_error(g) ? g : NULL, 0};
}

static weft_tensor from(weft_tensor param, weft_tensor grad) {
    return listed(weft_optimise(s, (weft_params){&param, &grad, &name, 1}, NULL));
}

TEST(descriptions) {
    BAD(ARGUMENT, "unknown kind 99", with((weft_optimiser_desc){.kind = (weft_optimiser_kind)99}));
    BAD(ARGUMENT, ".lr is -0.1", with((weft_optimiser_desc){.lr = -0.1f}));
    BAD(ARGUMENT, ".lr is nan", with((weft_optimiser_desc){.lr = NAN}));
    BAD(ARGUMENT, ".lr is inf", with((weft_optimiser_desc){.lr = INFINITY}));
    BAD(ARGUMENT, ".momentum is 1", with((weft_optimiser_desc){.momentum = 1}));
    BAD(ARGUMENT, ".beta1 is -0.5", with((weft_optimiser_desc){.beta1 = -0.5f}));
    BAD(ARGUMENT, ".beta2 is 1", with((weft_optimiser_desc){.beta2 = 1}));
    BAD(ARGUMENT, ".alpha is 2", with((weft_optimiser_desc){.alpha = 2}));
    BAD(ARGUMENT, ".eps is -1", with((weft_optimiser_desc){.eps = -1}));
    BAD(ARGUMENT, ".decay is -1", with((weft_optimiser_desc){.decay = -1}));
    BAD(ARGUMENT, ".first_sum is -1", with((weft_optimiser_desc){.first_sum = -1}));
    BAD(ARGUMENT, ".aux_lr is -1", with((weft_optimiser_desc){.aux_lr = -1}));
    BAD(ARGUMENT, ".ema is 1", with((weft_optimiser_desc){.ema = 1}));
    BAD(ARGUMENT, ".clip_norm is -1", with((weft_optimiser_desc){.clip_norm = -1}));
    BAD(ARGUMENT, ".clip_value is nan", with((weft_optimiser_desc){.clip_value = NAN}));
    BAD(ARGUMENT, ".accumulate is -2", with((weft_optimiser_desc){.accumulate = -2}));
    BAD(ARGUMENT, "3 groups at NULL", with((weft_optimiser_desc){.group_count = 3}));
    BAD(ARGUMENT, "group 0 has no .match", grouped((weft_group){0}));
    BAD(ARGUMENT, ".lr_factor is -1", grouped((weft_group){"*", .lr_factor = -1}));
    BAD(ARGUMENT, ".decay is -1", grouped((weft_group){"*", .decay = -1}));
    BAD(ARGUMENT, "frozen", grouped((weft_group){"*", .frozen = true}));
    BAD(ARGUMENT, "no parameter's name matches group 0, \"*.bia\"",
        grouped((weft_group){.match = "*.bia"}));
}

TEST(schedules) {
    BAD(ARGUMENT, "unknown kind", scheduled((weft_schedule){.kind = (weft_schedule_kind)99}));
    BAD(ARGUMENT, "linear: .total", scheduled((weft_schedule){.kind = WEFT_SCHEDULE_LINEAR}));
    BAD(ARGUMENT, "cosine: .total",
        scheduled((weft_schedule){WEFT_SCHEDULE_COSINE, .warmup = 5, .total = 5}));
    BAD(ARGUMENT, "one-cycle: .total", scheduled((weft_schedule){.kind = WEFT_SCHEDULE_ONE_CYCLE}));
    BAD(ARGUMENT, "negative", scheduled((weft_schedule){.warmup = -1}));
    BAD(ARGUMENT, "2^24", scheduled((weft_schedule){.total = 1 << 25}));
    BAD(ARGUMENT, ".gamma", scheduled((weft_schedule){.gamma = -1}));
    BAD(ARGUMENT, ".lowest", scheduled((weft_schedule){.lowest = NAN}));
    BAD(ARGUMENT, ".rise", scheduled((weft_schedule){.rise = 1}));
    BAD(ARGUMENT, ".threshold", scheduled((weft_schedule){.threshold = -1}));
    BAD(SHAPE, "0-d f32", weft_schedule_at(NULL, x));
    BAD(SHAPE, "0-d f32", weft_schedule_at(NULL, weft_cast(z, WEFT_I32)));
    BAD(ARGUMENT, ".rise", weft_schedule_at(&(weft_schedule){.rise = -1}, z));
    BAD(ARGUMENT, ".lr", weft_learning_rate(g, s, &(weft_optimiser_desc){.lr = -1}));
    BAD(ARGUMENT, "NULL", weft_learning_rate(NULL, s, NULL));
    BAD(STATE, "NULL", weft_learning_rate(g, NULL, NULL));
}

TEST(parameters_and_gradients) {
    BAD(SHAPE, "gradient 0 (\"here.a\")", from(one().param[0], v));
    BAD(SHAPE, "gradient 0", from(one().param[0], weft_cast(x, WEFT_I32)));
    BAD(SHAPE, "gradient 0", from(one().param[0], foreign));
    BAD(ARGUMENT, "slot",
        listed(weft_optimise(s, (weft_params){&x, &x, &name, 1},
                             &(weft_optimiser_desc){.kind = WEFT_OPTIMISER_LION})));
    BAD(STATE, "NULL", listed(weft_optimiser(NULL, x, NULL)));
    BAD(GRADIENT, "no parameter", listed(weft_optimiser(s, x, NULL)));
    BAD(STATE, "NULL", listed(weft_optimise(NULL, one(), NULL)));
    NOTHING(ARGUMENT, "no parameters", weft_optimise(s, (weft_params){0}, NULL).n);
    BAD(ARGUMENT, "above 0", clipped(weft_clip_norm(one(), 0)));
    BAD(ARGUMENT, "above 0", clipped(weft_clip_value(one(), NAN)));
    NOTHING(ARGUMENT, "one or more", weft_ok(weft_grad_norm((weft_params){0})));
    NOTHING(ARGUMENT, "one or more",
            weft_clip_norm((weft_params){0}, 1).n || weft_ok(weft_squares((weft_tensors){0})));
    BAD(ARGUMENT, "poison", weft_squares(weft_list(x, poison)));
}

TEST(steps) {
    BAD(SHAPE, "momentum step: operand 1 is f32 [6], f32 [4,6] was expected",
        weft_momentum_step(x, v, x, z, NULL, NULL).p);
    BAD(SHAPE, "operand 3 is f32 [4,6], f32 [] was expected",
        weft_momentum_step(x, x, x, x, NULL, NULL).m);
    BAD(SHAPE, "adam step: operand 0 is bool", weft_adam_step(b, b, b, b, z, z, z, NULL, NULL).v);
    BAD(SHAPE, "operand 7 is f32 [6]",
        weft_adam_step(x, x, x, x, z, z, z, NULL, &(weft_step_desc){.scale = v}).p);
    BAD(SHAPE, "operand 4 is f32 [], bool [] was expected",
        weft_momentum_step(x, x, x, z, NULL, &(weft_step_desc){.due = z}).p);
    BAD(ARGUMENT, "poison", weft_adam_step(x, x, x, poison, z, z, z, NULL, NULL).p);
    BAD(ARGUMENT, "\"n\": no initializer",
        weft_buffer(g, s, "n", WEFT_F32, WEFT_0D, (weft_init){.kind = WEFT_INIT_PARAM}));
    BAD(MEMORY, "out of memory for", weft_graph_memory(g, SIZE_MAX) ? x : poison);
    BAD(DIVERGED, "7 of 9", weft_poison(g, WEFT_DIVERGED, "%d of %d", 7, 9));
    NOTHING(DIVERGED, "nowhere", weft_ok(weft_poison(NULL, WEFT_DIVERGED, "nowhere")));
    BAD(STATE, "NULL", weft_number(g, NULL, "n", 0));
}

/* ---- memory that runs out ---- */

/* Records, compiles and runs; false when something failed. */
static bool worked(heap *h, const weft_optimiser_desc *d, uint64_t *hash) {
    weft_ctx *w = weft_open_with(
        &(weft_open_desc){.device = "cpu", .threads = 1, .resize = heap_resize, .user = h});
    weft_state *t = w ? weft_state_new(w) : NULL;
    weft_graph *r = t ? weft_graph_new(w) : NULL;
    bool good = false;
    if (r) {
        weft_tensor y = weft_full(r, weft_dims(2, 4), 0.5f);
        for (int i = 0; i < 6; i++) {
            char layer[] = "fc0";
            layer[2] = (char)('0' + i);
            y = weft_tanh(weft_linear(t, y, 3 + i, layer));
        }
        weft_tensor rate = weft_learning_rate(r, t, d);
        weft_updates u = weft_optimiser(t, weft_sum(y, WEFT_ALL, false), d);
        weft_plan *p = weft_compile(r, &(weft_plan_desc){.fetch = weft_list(rate), .update = u});
        good = p != NULL;
        for (int k = 0; good && k < 3; k++) good = weft_run(p) == WEFT_OK;
        if (good && d->ema != 0) good = weft_ema_swap(t) == WEFT_OK;
        if (good) *hash = weft_state_hash(t);
        weft_plan_free(p);
    }
    if (!good) CHECK_EQ(weft_error_code(w), WEFT_MEMORY);
    weft_graph_free(r);
    weft_state_free(t);
    weft_close(w);
    CHECK_EQ(h->live, 0);
    return good;
}

TEST(every_allocation_may_fail) {
    for (int k = 0; k < 2 * WEFT_OPTIMISER_COUNT; k++) {
        weft_optimiser_desc d = {.kind = (weft_optimiser_kind)(k % WEFT_OPTIMISER_COUNT)};
        const weft_group bias = {"*.bias", .lr_factor = 2};
        const bool more = k >= WEFT_OPTIMISER_COUNT;
        if (more)
            d.clip_norm = d.clip_value = 1, d.ema = 0.9f, d.accumulate = 2, d.groups = &bias,
            d.group_count = 1, d.schedule = (weft_schedule){WEFT_SCHEDULE_COSINE, .every = 5};
        CASE("%s%s", weft_optimiser_name(d.kind), more ? " and all" : "");
        heap h = {0};
        uint64_t want = 0;
        CHECK(worked(&h, &d, &want));
        const long all = h.made, points = test_sanitized() && !test_long() ? 10 : LONG_MAX;
        const long stride = all > points ? all / points : 1;
        for (int for_ever = 0; for_ever < 2; for_ever++)
            for (long at = 1 + for_ever; at <= all; at += stride) {
                heap f = {.fail_at = at, .for_ever = for_ever};
                uint64_t got = 0;
                if (worked(&f, &d, &got)) CHECK(got == want);
                CHECK(f.failed);
            }
    }
}
