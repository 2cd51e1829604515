/* test_optim_ways.c - what goes around a step: groups, accumulation, averages, clipping, rates. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include "optim_rig.h"

#include <string.h>

static void three_parameters(rig *r) {
    rig_add(r, "enc.0.weight", weft_dims(3, 4));
    rig_add(r, "enc.0.bias", weft_dims(5));
    rig_add(r, "head.scale", WEFT_0D);
}

/* Every kind, and then every kind with all that fits it. */
static weft_optimiser_desc kind_of(int i) {
    weft_optimiser_desc d = {.kind = (weft_optimiser_kind)(i % WEFT_OPTIMISER_COUNT), .lr = 0.01f};
    if (i < WEFT_OPTIMISER_COUNT) return d;
    d.momentum = 0.8f, d.decay = 0.1f, d.clip_value = 1.5f, d.clip_norm = 1;
    d.nesterov = d.amsgrad = d.centered = true;
    d.schedule = (weft_schedule){WEFT_SCHEDULE_COSINE, .warmup = 3, .total = 9};
    return d;
}

/* ---- groups ---- */

TEST(the_first_group_that_fits_counts) {
    static const struct {
        const char *pattern;
        bool fits[3]; /* enc.0.weight, enc.0.bias, head.scale */
    } table[] = {
        {"*", {1, 1, 1}},        {"*.bias", {0, 1, 0}},      {"enc.*", {1, 1, 0}},
        {"enc.?.*", {1, 1, 0}},  {"*e*e*", {1, 0, 1}},       {"head.scale", {0, 0, 1}},
        {"*.weigh?", {1, 0, 0}}, {"?nc.**bias*", {0, 1, 0}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        CASE("%s", table[i].pattern);
        rig r;
        rig_open(&r, "cpu", 1);
        three_parameters(&r);
        const weft_group groups[] = {{table[i].pattern, .lr_factor = 3}, {"*", .lr_factor = 0.5f}};
        const weft_optimiser_desc d = {.lr = 0.125f, .groups = groups, .group_count = 2};
        if (rig_compile(&r, weft_optimise(r.s, rig_params(&r), &d), (weft_plan_desc){0})) {
            float before[18], after[18], g[12];
            rig_values(&r, before);
            rig_run(&r, 0, 1);
            rig_values(&r, after);
            for (int k = 0, at = 0; k < 3; at += (int)r.count[k++]) {
                rig_numbers(10 + k, g, r.count[k]);
                CHECK_NEAR(after[at], before[at] - 0.125f * (table[i].fits[k] ? 3 : 0.5f) * g[0],
                           1e-6);
            }
        }
        rig_close(&r);
    }
}

TEST(frozen_parameters_count_for_nothing) {
    rig r;
    rig_open(&r, "cpu", 1);
    three_parameters(&r);
    const weft_group frozen = {"*.bias", .frozen = true};
    const weft_optimiser_desc d = {WEFT_OPTIMISER_ADAMW, .lr = 0.1f, .clip_norm = 0.25f,
                                   .groups = &frozen, .group_count = 1};
    if (rig_compile(&r, weft_optimise(r.s, rig_params(&r), &d), (weft_plan_desc){0})) {
        float before[18], after[18];
        rig_values(&r, before);
        for (int k = 0; k < 3; k++) rig_run(&r, k, 1);
        rig_values(&r, after);
        CHECK_MEM(after + 12, before + 12, 5 * sizeof *after);
        for (int i = 0; i < 18; i++) CHECK(after[i] != before[i] || (i >= 12 && i < 17));
        CHECK(!weft_state_data(r.s, "optim.exp_avg.enc.0.bias"));
    }
    rig_close(&r);
}

/* ---- accumulation ---- */

/* Three runs that accumulate make the step of one run on the mean gradient. */
TEST(accumulated_runs_make_one_step) {
    enum { EVERY = 3, MADE = 3 };
    for (int i = 0; i < 2 * WEFT_OPTIMISER_COUNT; i++)
        for (int ref = 0; ref < 2; ref++) {
            weft_optimiser_desc d = kind_of(i);
            CASE("%s%s on %s", weft_optimiser_name(d.kind), d.decay != 0 ? " and all" : "",
                 ref ? "ref" : "cpu");
            rig one, many;
            float a[18], b[18], last[18];
            rig_open(&one, ref ? "ref" : "cpu", 1), three_parameters(&one);
            rig_open(&many, ref ? "ref" : "cpu", 1), three_parameters(&many);
            const weft_plan_desc plain = {0};
            bool good = rig_compile(&one, weft_optimise(one.s, rig_params(&one), &d), plain);
            d.accumulate = EVERY;
            good &= rig_compile(&many, weft_optimise(many.s, rig_params(&many), &d), plain);
            rig_values(&many, last);
            for (int k = 0; good && k < MADE; k++) {
                for (int m = 0; m < EVERY; m++) {
                    CHECK_EQ(rig_number(&many, "optim.accumulated"), m);
                    rig_values(&many, b);
                    CHECK_MEM(b, last, sizeof b); /* nothing has changed since the last step */
                    CHECK_EQ(rig_number(&many, "optim.step"), k);
                    rig_run(&many, k * EVERY + m, 1);
                }
                for (int p = 0; p < one.n; p++) { /* the mean of the same gradients */
                    float v[RIG_COUNT], sum[RIG_COUNT] = {0};
                    for (int m = 0; m < EVERY; m++) {
                        rig_numbers(10 + 3 * (k * EVERY + m) + p, v, one.count[p]);
                        for (int64_t e = 0; e < one.count[p]; e++) sum[e] += v[e] / EVERY;
                    }
                    weft_set(one.p, one.grad[p], sum, (size_t)one.count[p] * sizeof *sum);
                }
                CHECK_EQ(weft_run(one.p), WEFT_OK);
                rig_values(&one, a), rig_values(&many, b);
                CHECK_ARRAY(b, a, 18, 2e-6);
                memcpy(last, b, sizeof last);
            }
            rig_close(&one), rig_close(&many);
        }
}

/* ---- averages ---- */

TEST(averages_follow_the_parameters) {
    for (int kind = 0; kind < WEFT_OPTIMISER_COUNT; kind++) {
        CASE("%s", weft_optimiser_name((weft_optimiser_kind)kind));
        rig r;
        rig_open(&r, "cpu", 1);
        three_parameters(&r);
        const weft_optimiser_desc d = {
            .kind = (weft_optimiser_kind)kind, .lr = 0.05f, .ema = 0.75f, .accumulate = 2};
        if (rig_compile(&r, weft_optimise(r.s, rig_params(&r), &d), (weft_plan_desc){0})) {
            double average[18] = {0};
            float v[18], kept[18];
            for (int k = 0; k < 8; k++) {
                rig_run(&r, k, 1);
                rig_values(&r, v);
                if (k % 2 == 0) continue;
                for (int i = 0; i < 18; i++)
                    average[i] = k == 1 ? (double)v[i] : 0.75 * average[i] + 0.25 * (double)v[i];
                CHECK_EQ(weft_ema_swap(r.s), WEFT_OK);
                rig_values(&r, kept);
                for (int i = 0; i < 18; i++) CHECK_NEAR(kept[i], average[i], 1e-6);
                CHECK_EQ(weft_ema_swap(r.s), WEFT_OK);
                rig_values(&r, kept);
                CHECK_MEM(kept, v, sizeof v);
            }
        }
        rig_close(&r);
    }
}

/* An average begins with what its parameter holds, whenever either is made. */
TEST(averages_of_late_parameters) {
    rig r;
    rig_open(&r, "cpu", 1);
    rig_add(&r, "a", weft_dims(2, 2));
    const weft_optimiser_desc d = {.lr = 0.5f, .ema = 0.5f};
    if (rig_compile(&r, weft_optimise(r.s, rig_params(&r), &d), (weft_plan_desc){0})) {
        for (int k = 0; k < 3; k++) rig_run(&r, k, 1);
        const weft_init ones = {.kind = WEFT_INIT_ONES};
        weft_tensor b = weft_param(r.g, r.s, "b", weft_dims(3), ones),
                    db = weft_full(r.g, weft_dims(3), 1);
        const char *name = "b";
        weft_plan *p = weft_compile(
            r.g,
            &(weft_plan_desc){.update = weft_optimise(r.s, (weft_params){&b, &db, &name, 1}, &d)});
        float v[3] = {0};
        CHECK(p && weft_run(p) == WEFT_OK);
        CHECK_EQ(weft_state_get(r.s, "optim.ema.b", v, sizeof v), WEFT_OK);
        for (int i = 0; i < 3; i++) CHECK_EQ(v[i], 0.5f * 1 + 0.5f * (1 - 0.5f));
        weft_plan_free(p);
    }
    rig_close(&r);
}

TEST(no_averages_to_swap) {
    rig r;
    rig_open(&r, "cpu", 1);
    rig_add(&r, "a", weft_dims(2));
    CHECK_EQ(weft_ema_swap(r.s), WEFT_STATE);
    CHECK_HAS(weft_error(r.c), ".ema");
    CHECK(weft_ema_swap(NULL) != WEFT_OK);
    rig_close(&r);
}

/* ---- clipping, by hand ---- */

TEST(clipping_by_hand) {
    for (int way = 0; way < 3; way++) { /* value, norm, a norm that is below the bound */
        CASE("%d", way);
        rig r;
        rig_open(&r, "cpu", 1);
        three_parameters(&r);
        weft_params p = rig_params(&r);
        weft_tensor norm = weft_grad_norm(p);
        weft_params q = way ? weft_clip_norm(p, way == 1 ? 0.5f : 100) : weft_clip_value(p, 0.5f);
        if (CHECK_EQ(q.n, 3)) {
            CHECK(q.param == p.param && q.name == p.name);
            weft_tensor after = weft_grad_norm(q);
            r.p = weft_compile(r.g, &(weft_plan_desc){.fetch = weft_list(q.grad[0], norm, after)});
            rig_run(&r, 0, 1);
            double sum = 0;
            float v[RIG_COUNT], got[12];
            for (int i = 0; i < 3; i++) {
                rig_numbers(10 + i, v, r.count[i]);
                for (int64_t e = 0; e < r.count[i]; e++) sum += (double)v[e] * (double)v[e];
            }
            CHECK_NEAR(weft_item(r.p, norm), sqrt(sum), 1e-5);
            if (way) CHECK_NEAR(weft_item(r.p, after), fmin(sqrt(sum), way == 1 ? 0.5 : 100), 1e-5);
            rig_numbers(10, v, 12);
            CHECK_EQ(weft_get(r.p, q.grad[0], got, sizeof got), WEFT_OK);
            const double by = way == 1 ? 0.5 / (sqrt(sum) + 1e-6) : 1;
            for (int i = 0; i < 12; i++)
                CHECK_NEAR(got[i], way ? (double)v[i] * by : fmin(fmax(v[i], -0.5), 0.5), 1e-6);
        }
        rig_close(&r);
    }
}

/* ---- the rate ---- */

TEST(the_rate_can_be_set_and_read) {
    rig r;
    rig_open(&r, "cpu", 1);
    rig_add(&r, "a", weft_dims(2));
    const weft_optimiser_desc d = {
        .lr = 0.5f, .schedule = {WEFT_SCHEDULE_STEP, .every = 2, .gamma = 0.5f, .warmup = 1}};
    weft_scope_push(r.g, "inside"); /* numbers keep their names */
    weft_tensor rate = weft_learning_rate(r.g, r.s, &d);
    weft_updates u = weft_optimise(r.s, rig_params(&r), &d);
    weft_scope_pop(r.g);
    if (rig_compile(&r, u, (weft_plan_desc){.fetch = weft_list(rate)})) {
        const float want[] = {0.5f, 0.5f, 0.5f, 0.25f, 0.5f, 0.25f};
        float before[2], after[2], g[2];
        for (int k = 0; k < 6; k++) {
            if (k == 4) CHECK_EQ(weft_state_set(r.s, "optim.lr", &(float){1}, 4), WEFT_OK);
            rig_values(&r, before);
            rig_run(&r, k, 1);
            rig_values(&r, after);
            rig_numbers(10 + 3 * k, g, 2);
            CHECK_EQ(weft_item(r.p, rate), want[k]);
            for (int i = 0; i < 2; i++) CHECK_NEAR(after[i], before[i] - want[k] * g[i], 1e-6);
        }
    }
    rig_close(&r);
}

/* ---- numbers of steps ---- */

TEST(every_kind_counts_its_steps) {
    for (int i = 0; i < 2 * WEFT_OPTIMISER_COUNT; i++) {
        const weft_optimiser_desc d = kind_of(i);
        CASE("%s%s", weft_optimiser_name(d.kind), d.decay != 0 ? " and all" : "");
        rig r;
        rig_open(&r, "cpu", 1);
        three_parameters(&r);
        if (rig_compile(&r, weft_optimise(r.s, rig_params(&r), &d), (weft_plan_desc){0}))
            for (int k = 0; k < 3; k++) {
                CHECK_EQ(rig_number(&r, "optim.step"), k);
                rig_run(&r, k, 1);
            }
        rig_close(&r);
    }
}
