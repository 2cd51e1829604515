/* test_schedule.c - schedules against PyTorch's, step by step, beyond their ends, and plateaus. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include "optim_rig.h"

enum { LONGEST = 80 };

static const struct {
    const char *name;
    weft_schedule d;
} torch[] = {
    {"step", {WEFT_SCHEDULE_STEP, .every = 7, .gamma = 0.5f}},
    {"exponential", {WEFT_SCHEDULE_EXPONENTIAL, .gamma = 0.9f}},
    {"linear", {WEFT_SCHEDULE_LINEAR, .total = 25, .lowest = 0.2f}},
    {"cosine", {WEFT_SCHEDULE_COSINE, .total = 30, .lowest = 0.1f}},
    {"cosine_warm", {WEFT_SCHEDULE_COSINE, .warmup = 8, .total = 40, .lowest = 0.05f}},
    {"restarts", {WEFT_SCHEDULE_COSINE, .every = 9}},
    {"restarts_longer", {WEFT_SCHEDULE_COSINE, .every = 5, .longer = 2, .lowest = 0.01f}},
    {"one_cycle", {WEFT_SCHEDULE_ONE_CYCLE, .total = 40}},
    {"one_cycle_other",
     {WEFT_SCHEDULE_ONE_CYCLE, .total = 50, .rise = 0.4f, .start = 0.1f, .lowest = 0.001f}},
};

/* The factor of each of n steps, for steps as the count of an optimiser has them. */
static void factors(const char *device, const weft_schedule *d, float first, float *out, int n) {
    weft_ctx *c = weft_open(device);
    weft_graph *g = weft_graph_new(c);
    weft_tensor t = weft_input(g, WEFT_F32, WEFT_0D), f = weft_schedule_at(d, t);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(f)});
    CHECK(p);
    for (int i = 0; p && i < n; i++) {
        const float step = first + (float)i;
        weft_set(p, t, &step, sizeof step);
        CHECK_EQ(weft_run(p), WEFT_OK);
        out[i] = weft_item(p, f);
    }
    weft_plan_free(p);
    weft_graph_free(g);
    weft_close(c);
}

TEST(factors_as_pytorch_has_them) {
    for (size_t i = 0; i < sizeof torch / sizeof *torch; i++)
        for (int ref = 0; ref < 2; ref++) {
            CASE("%s on %s", torch[i].name, ref ? "ref" : "cpu");
            float got[LONGEST];
            golden want = golden_read("torch_schedules", torch[i].name);
            if (CHECK(want.v) && CHECK(want.n <= LONGEST)) {
                factors(ref ? "ref" : "cpu", &torch[i].d, 0, got, (int)want.n);
                CHECK_ARRAY(got, want.v, want.n, 1e-6);
            }
            free(want.v);
        }
}

/* The same rates when an optimiser counts its own steps, across a new graph and plan. */
TEST(an_optimiser_follows_its_schedule) {
    for (size_t i = 0; i < sizeof torch / sizeof *torch; i++) {
        CASE("%s", torch[i].name);
        golden want = golden_read("torch_schedules", torch[i].name);
        const weft_optimiser_desc d = {.lr = 1, .schedule = torch[i].d};
        weft_ctx *c = weft_open("cpu");
        weft_state *s = weft_state_new(c);
        for (size_t k = 0; CHECK(want.v) && k < want.n;) {
            weft_graph *g = weft_graph_new(c);
            weft_tensor a = weft_param(g, s, "a", weft_dims(2), (weft_init){0});
            weft_tensor rate = weft_learning_rate(g, s, &d);
            weft_updates u = weft_optimiser(s, weft_sum(a, WEFT_ALL, false), &d);
            weft_plan *p =
                weft_compile(g, &(weft_plan_desc){.fetch = weft_list(rate), .update = u});
            if (!CHECK(p)) break;
            for (int run = 0; run < 17 && k < want.n; run++, k++) {
                CHECK_EQ(weft_run(p), WEFT_OK);
                CHECK_NEAR(weft_item(p, rate), want.v[k], 1e-6);
            }
            weft_plan_free(p);
            weft_graph_free(g);
        }
        free(want.v);
        weft_state_free(s);
        weft_close(c);
    }
}

/* ---- beyond the end, far along, and defaults ---- */

TEST(a_schedule_has_no_end) {
    float f[3];
    factors("cpu", &(weft_schedule){WEFT_SCHEDULE_LINEAR, .total = 10}, 10, f, 3);
    for (int i = 0; i < 3; i++) CHECK_EQ(f[i], 0);
    factors("cpu", &(weft_schedule){WEFT_SCHEDULE_COSINE, .total = 10, .lowest = 0.25f}, 10, f, 3);
    for (int i = 0; i < 3; i++) CHECK_NEAR(f[i], 0.25, 1e-6);
    factors("cpu", &(weft_schedule){WEFT_SCHEDULE_ONE_CYCLE, .total = 10}, 9, f, 3);
    for (int i = 0; i < 3; i++) CHECK_NEAR(f[i], 1.0 / 25 / 10000, 1e-7);
    factors("cpu", NULL, 5, f, 3);
    for (int i = 0; i < 3; i++) CHECK_EQ(f[i], 1);
}

/* Steps are whole numbers in f32: the last before a restart and the first after it stay apart. */
TEST(restarts_far_along) {
    float f[2];
    const weft_schedule same = {WEFT_SCHEDULE_COSINE, .every = 1000};
    factors("cpu", &same, 15999999, f, 2);
    CHECK_NEAR(f[0], 0.5 * (1 + cos(3.14159265358979 * 0.999)), 1e-6);
    CHECK_EQ(f[1], 1);
    const weft_schedule doubled = {WEFT_SCHEDULE_COSINE, .every = 1, .longer = 2};
    factors("cpu", &doubled, (1 << 23) - 2, f, 2);
    CHECK_NEAR(f[0], 0, 1e-6);
    CHECK_EQ(f[1], 1);
    const weft_schedule step = {WEFT_SCHEDULE_STEP, .every = 1000000};
    factors("cpu", &step, 2999999, f, 2);
    CHECK_NEAR(f[0], 0.01, 1e-8);
    CHECK_NEAR(f[1], 0.001, 1e-9);
}

/* ---- plateau ---- */

static float metric(int step) {
    const int fall = 40 - 3 * step;
    return (float)((step * step * 37) % 23 + (fall > 0 ? fall : 0)) / 64;
}

TEST(plateaus_as_pytorch_has_them) {
    static const struct {
        const char *name;
        weft_schedule d;
    } table[] = {
        {"plateau", {WEFT_SCHEDULE_PLATEAU, .patience = 2, .gamma = 0.5f}},
        {"plateau_rest", {WEFT_SCHEDULE_PLATEAU, .patience = 1, .cooldown = 3, .lowest = 0.005f}},
        {"plateau_most",
         {WEFT_SCHEDULE_PLATEAU, .patience = 2, .gamma = 0.5f, .threshold = 0.05f,
          .greatest = true}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        CASE("%s", table[i].name);
        rig r;
        rig_open(&r, "cpu", 1);
        rig_add(&r, "a", weft_dims(2));
        const weft_optimiser_desc d = {.lr = 1, .schedule = table[i].d};
        weft_tensor rate = weft_learning_rate(r.g, r.s, &d);
        golden want = golden_read("torch_schedules", table[i].name);
        if (rig_compile(&r, weft_optimise(r.s, rig_params(&r), &d),
                        (weft_plan_desc){.fetch = weft_list(rate)}) &&
            CHECK(want.v))
            for (int k = 0; k < (int)want.n; k++) {
                rig_run(&r, k, 1);
                CHECK_NEAR(weft_item(r.p, rate), want.v[k], 1e-6 * (double)want.v[k]);
                CHECK_EQ(weft_plateau_report(r.s, &table[i].d, metric(k)), WEFT_OK);
            }
        free(want.v);
        rig_close(&r);
    }
}

TEST(a_report_that_is_no_number_is_not_better) {
    rig r;
    rig_open(&r, "cpu", 1);
    rig_add(&r, "a", weft_dims(2));
    const weft_schedule d = {WEFT_SCHEDULE_PLATEAU, .patience = 1};
    CHECK_EQ(weft_plateau_report(r.s, &d, 1), WEFT_STATE); /* no optimiser has made the entries */
    CHECK_HAS(weft_error(r.c), "optim.plateau");
    if (rig_compile(&r, weft_optimise(r.s, rig_params(&r), &(weft_optimiser_desc){.schedule = d}),
                    (weft_plan_desc){0})) {
        CHECK_EQ(weft_plateau_report(r.s, &d, NAN), WEFT_OK);
        CHECK_EQ(weft_plateau_report(r.s, &d, 3), WEFT_OK);
        CHECK_EQ(rig_number(&r, "optim.plateau.factor"), 1);
        CHECK_EQ(weft_plateau_report(r.s, &d, NAN), WEFT_OK);
        CHECK_EQ(weft_plateau_report(r.s, &d, NAN), WEFT_OK);
        CHECK_NEAR(rig_number(&r, "optim.plateau.factor"), 0.1, 1e-7);
        CHECK_EQ(rig_number(&r, "optim.plateau.best"), 3);
    }
    CHECK_EQ(weft_plateau_report(r.s, &(weft_schedule){WEFT_SCHEDULE_PLATEAU, .patience = -1}, 1),
             WEFT_ARGUMENT);
    rig_close(&r);
}

TEST(names) {
    for (int i = 0; i < WEFT_SCHEDULE_COUNT; i++) {
        weft_schedule_kind k = WEFT_SCHEDULE_COUNT;
        CHECK(weft_schedule_named(weft_schedule_name((weft_schedule_kind)i), &k));
        CHECK_EQ(k, i);
    }
    weft_schedule_kind k = WEFT_SCHEDULE_STEP;
    CHECK_STR(weft_schedule_name(WEFT_SCHEDULE_ONE_CYCLE), "one-cycle");
    CHECK(!weft_schedule_named("cos", &k) && !weft_schedule_named(NULL, &k));
    CHECK_EQ(k, WEFT_SCHEDULE_STEP);
    CHECK(!weft_schedule_name(WEFT_SCHEDULE_COUNT));
}
