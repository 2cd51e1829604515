/* test_loss_scale.c - a scaled loss trains as the loss itself does, bit by bit; when its scale grows, and
 * what a gradient that is not finite leaves alone. */
#include "one_graph.h"
#include "test.h"

#include <weft/optim.h>

#include <math.h>
#include <string.h>

enum { ROWS = 8, IN = 5, OUT = 3 };

typedef struct rig {
    weft_tensor x, loss;
    weft_plan *p;
} rig;

static rig rig_open(const weft_optimiser_desc *d, weft_dtype mixed) {
    begin();
    weft_state_seed(s, 5);
    rig r = {.x = weft_input(g, WEFT_F32, weft_dims(ROWS, IN))};
    weft_tensor y = weft_linear(s, weft_tanh(weft_linear(s, r.x, 7, "a")), OUT, "b");
    r.loss = weft_mean(weft_square(weft_offset(y, -1)), WEFT_ALL, false);
    weft_updates u = weft_optimiser(s, r.loss, d);
    r.p =
        weft_compile(g, &(weft_plan_desc){.fetch = weft_list(r.loss), .update = u, .mixed = mixed});
    if (!CHECK(r.p != NULL)) CHECK_STR(weft_error(c), "");
    return r;
}

static void rig_close(rig *r) {
    weft_plan_free(r->p);
    end();
}

static void rig_run(const rig *r, int step, float odd) {
    float *x = weft_feed(r->p, r->x);
    for (int i = 0; i < ROWS * IN; i++) x[i] = (float)((i * 7 + step * 3) % 11 - 5) * 0.25f;
    x[3] += odd;
    CHECK_EQ(weft_run(r->p), WEFT_OK);
}

static float number(const char *name) {
    float v = NAN;
    CHECK_EQ(weft_state_get(s, name, &v, sizeof v), WEFT_OK);
    return v;
}

static void weights(float w[7 * IN]) {
    CHECK_EQ(weft_state_get(s, "a.weight", w, sizeof(float) * 7 * IN), WEFT_OK);
}

static void trained(weft_optimiser_desc d, float w[7 * IN]) {
    rig r = rig_open(&d, WEFT_F32);
    for (int step = 0; r.p && step < 6; step++) rig_run(&r, step, 0);
    weights(w);
    rig_close(&r);
}

/* Powers of two change no digit. */
TEST(a_scaled_loss_gives_the_same_bits) {
    for (int kind = 0; kind < WEFT_OPTIMISER_COUNT; kind++)
        for (int how = 0; how < 4; how++) {
            CASE("%s, %d", weft_optimiser_name((weft_optimiser_kind)kind), how);
            weft_optimiser_desc d = {
                .kind = (weft_optimiser_kind)kind, .lr = 0.01f, .momentum = 0.5f};
            if (how == 1) d.clip_norm = 0.05f;
            if (how == 2) d.clip_value = 0.01f, d.clip_norm = 0.03f;
            if (how == 3) d.accumulate = 2, d.ema = 0.9f;
            float plain[7 * IN], scaled[7 * IN];
            trained(d, plain);
            d.loss_scale = 4096;
            trained(d, scaled);
            CHECK_MEM(scaled, plain, sizeof plain);
        }
}

TEST(it_grows_after_good_steps) {
    rig r = rig_open(&(weft_optimiser_desc){.loss_scale = 256, .loss_scale_steps = 3}, WEFT_F32);
    static const float want[] = {256, 256, 512, 512, 512, 1024};
    for (int step = 0; r.p && step < 6; step++) {
        rig_run(&r, step, 0);
        CHECK_EQ(number("optim.loss_scale"), want[step]);
    }
    rig_close(&r);
}

TEST(what_is_not_finite_is_skipped) {
    for (int accumulate = 1; accumulate < 3; accumulate++) {
        rig r = rig_open(&(weft_optimiser_desc){.kind = WEFT_OPTIMISER_ADAMW,
                                                .loss_scale = 8,
                                                .loss_scale_steps = 2,
                                                .ema = 0.5f,
                                                .accumulate = accumulate},
                         WEFT_F32);
        float before[7 * IN], after[7 * IN];
        rig_run(&r, 0, 0);
        weights(before);
        const float count = number("optim.step");
        rig_run(&r, 1, INFINITY);
        weights(after);
        CHECK_MEM(after, before, sizeof after);
        CHECK_EQ(number("optim.step"), count);
        CHECK_EQ(number("optim.loss_scale"), 4);
        CHECK_EQ(number("optim.loss_scale_steps"), 0);
        for (int step = 0; step < 2; step++) rig_run(&r, step, 0); /* what was summed is gone */
        weights(after);
        CHECK(memcmp(after, before, sizeof after) != 0);
        for (int i = 0; i < 7 * IN; i++) CHECK(isfinite(after[i]));
        CHECK_EQ(number("optim.loss_scale"), 8);
        for (int step = 0; step < 9; step++) rig_run(&r, step, NAN);
        CHECK_EQ(number("optim.loss_scale"), 1); /* not less */
        rig_close(&r);
    }
}

/* A scale that is too large for f16 finds its way down, and training goes on. */
TEST(f16_comes_down_from_an_overflow) {
    rig r = rig_open(&(weft_optimiser_desc){.lr = 0.05f, .loss_scale = 16777216}, WEFT_F16);
    float first = 0, last = 0;
    for (int step = 0; r.p && step < 60; step++) {
        rig_run(&r, step % 4, 0);
        last = weft_item(r.p, r.loss);
        if (!step) first = last;
    }
    CHECK(number("optim.loss_scale") < 16777216);
    CHECK(number("optim.step") > 30 && number("optim.step") < 60);
    CHECK(last < 0.7f * first);
    rig_close(&r);
}

TEST(bad_descriptions) {
    begin();
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(2, IN));
    weft_tensor loss = weft_mean(weft_linear(s, x, 2, "a"), WEFT_ALL, false);
    weft_optimiser(s, loss, &(weft_optimiser_desc){.loss_scale = -1});
    CHECK_HAS(weft_error(c), ".loss_scale");
    end();
    begin();
    x = weft_input(g, WEFT_F32, weft_dims(2, IN));
    loss = weft_mean(weft_linear(s, x, 2, "a"), WEFT_ALL, false);
    weft_optimiser(s, loss, &(weft_optimiser_desc){.loss_scale = 2, .loss_scale_steps = -1});
    CHECK_HAS(weft_error(c), ".loss_scale_steps");
    end();
}
