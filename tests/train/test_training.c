/* test_training.c - training as a whole: ten losses of small networks as PyTorch has them, the same
 * bits from the same seed, and training that goes on elsewhere as if nothing had happened.
 *
 * The losses are written by tools/golden in double; the reference must have their first five
 * digits, the CPU four. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "golden.h"
#include "models.h"
#include "test.h"

#include <math.h>

TEST(ten_losses_are_those_of_pytorch) {
    static const struct {
        const char *device;
        double tol;
    } on[] = {{"ref", 5e-6}, {"cpu", 5e-5}};
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < MODELS; i++) {
            golden want = golden_read("torch_training", model_table[i].name);
            if (!want.v) continue; /* draws at random: nothing to compare with */
            CASE("%s on %s", model_table[i].name, on[d].device);
            trainer t;
            const weft_open_desc open = {.device = on[d].device, .threads = 1};
            if (CHECK(trainer_open(&t, &model_table[i], &open, (weft_plan_desc){0}))) {
                float loss[10];
                for (uint32_t step = 0; step < 10; step++) loss[step] = trainer_step(&t, step);
                CHECK_EQ(want.n, 10);
                CHECK_ARRAY(loss, want.v, 10, on[d].tol);
            }
            trainer_close(&t);
            free(want.v);
        }
}

/* ---- from the same seed ---- */

/* Trains from the library's own first values; the hash of the state. */
static uint64_t trained(const model_row *row, uint32_t seed, int threads, uint32_t steps) {
    trainer t = {0};
    t.c = weft_open_with(&(weft_open_desc){.threads = threads});
    t.s = weft_state_new(t.c);
    t.g = weft_graph_new(t.c);
    weft_state_seed(t.s, seed);
    row->build(t.g, t.s, &t.m);
    t.p = weft_compile(
        t.g,
        &(weft_plan_desc){.fetch = weft_list(t.m.loss), .update = t.m.update, .threads = threads});
    CHECK(t.p);
    for (uint32_t i = 0; t.p && i < steps; i++) CHECK(isfinite(trainer_step(&t, i)));
    uint64_t hash = weft_state_hash(t.s);
    trainer_close(&t);
    return hash;
}

TEST(the_same_seed_gives_the_same_bits) {
    for (int i = 0; i < MODELS; i++) {
        CASE("%s", model_table[i].name);
        uint64_t one = trained(&model_table[i], 5, 1, 12);
        for (int threads = 1; threads < 5; threads++)
            CHECK(trained(&model_table[i], 5, threads, 12) == one);
        CHECK(trained(&model_table[i], 6, 1, 12) != one);
    }
}

/* ---- going on elsewhere ---- */

static void copy_state(weft_state *from, weft_state *to) {
    for (size_t i = 0; i < weft_state_count(from); i++) {
        weft_entry e;
        CHECK_EQ(weft_state_entry(from, i, &e), WEFT_OK);
        void *v = malloc(e.bytes + 1);
        CHECK_EQ(weft_state_get(from, e.name, v, e.bytes), WEFT_OK);
        CHECK_EQ(weft_state_set(to, e.name, v, e.bytes), WEFT_OK);
        free(v);
    }
}

TEST(training_resumes_from_a_copy) {
    for (int i = 0; i < MODELS; i++) {
        CASE("%s", model_table[i].name);
        const weft_open_desc open = {.threads = 2};
        const weft_plan_desc one = {.threads = 1}, both = {.threads = 2};
        trainer straight = {0}, first = {0}, second = {0};
        bool good = CHECK(trainer_open(&straight, &model_table[i], &open, one)) &&
                    CHECK(trainer_open(&first, &model_table[i], &open, one)) &&
                    CHECK(trainer_open(&second, &model_table[i], &open, both));
        if (good) {
            float a[12], b[12];
            for (uint32_t k = 0; k < 12; k++) a[k] = trainer_step(&straight, k);
            for (uint32_t k = 0; k < 5; k++) b[k] = trainer_step(&first, k);
            trainer_step(&second, 9); /* what it did before must not matter */
            copy_state(first.s, second.s);
            for (uint32_t k = 5; k < 12; k++) b[k] = trainer_step(&second, k);
            CHECK_MEM(b, a, sizeof a);
            CHECK(weft_state_hash(second.s) == weft_state_hash(straight.s));
        }
        trainer_close(&straight);
        trainer_close(&first);
        trainer_close(&second);
    }
}

/* A fresh plan in mid-training, and another batch size beside it, leave the sequence as it is. */
TEST(plans_come_and_go_without_a_trace) {
    for (int i = 0; i < MODELS; i++) {
        CASE("%s", model_table[i].name);
        trainer straight = {0}, broken = {0};
        if (CHECK(trainer_open(&straight, &model_table[i], NULL, (weft_plan_desc){.threads = 1})) &&
            CHECK(trainer_open(&broken, &model_table[i], NULL, (weft_plan_desc){.threads = 1}))) {
            for (uint32_t k = 0; k < 8; k++) {
                float a = trainer_step(&straight, k), b = trainer_step(&broken, k);
                CHECK_EQ(b, a);
                weft_plan_free(broken.p);
                broken.p =
                    weft_compile(broken.g, &(weft_plan_desc){.fetch = weft_list(broken.m.loss),
                                                             .update = broken.m.update,
                                                             .threads = 1});
                if (!CHECK(broken.p)) break;
            }
            CHECK(weft_state_hash(straight.s) == weft_state_hash(broken.s));
        }
        trainer_close(&straight);
        trainer_close(&broken);
    }
}

TEST(training_learns) {
    for (int i = 0; i < MODELS; i++) {
        CASE("%s", model_table[i].name);
        trainer t;
        if (CHECK(trainer_open(&t, &model_table[i], NULL, (weft_plan_desc){.threads = 1}))) {
            float first = trainer_step(&t, 0), last = first;
            for (uint32_t k = 1; k < 200; k++) last = trainer_step(&t, k);
            CHECK(last < 0.6f * first);
        }
        trainer_close(&t);
    }
}
