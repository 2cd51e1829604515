/* test_replay_bad.c - the sums that draw by priority, and what a replay refuses: calls that cannot be,
 * and contents that no play can have left. */
#include "replay_world.h"
#include "rl/tree.h"

#include <math.h>
#include <stdlib.h>

TEST(sums_of_a_tree_are_those_of_its_leaves) {
    static const int64_t sizes[] = {1, 2, 15, 16, 17, 255, 256, 257, 5000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const int64_t n = sizes[k];
        CASE("%lld leaves", (long long)n);
        float *room = calloc((size_t)tree_floats(n), sizeof *room);
        double *value = calloc((size_t)n, sizeof *value), sum = 0;
        tree t;
        tree_over(&t, room, n);
        for (int i = 0; i < 3000; i++) {
            const int64_t at = (int64_t)(test_random() % (uint64_t)n);
            value[at] = i % 5 ? test_uniform(0, 3) : 0;
            tree_set(&t, at, (float)value[at]);
        }
        for (int64_t i = 0; i < n; i++) sum += value[i];
        CHECK_NEAR(tree_total(&t), sum, 1e-5 * sum + 1e-9);
        for (int i = 0; i < 500 && sum > 0; i++) {
            const double share = test_uniform(0, sum * (1 - 1e-5));
            const int64_t found = tree_find(&t, (float)share);
            double before = 0;
            if (!CHECK(found >= 0 && found < n)) break;
            for (int64_t j = 0; j < found; j++) before += value[j];
            CHECK(value[found] > 0);
            CHECK(share > before - 1e-4 * sum && share < before + value[found] + 1e-4 * sum);
        }
        if (sum > 0) CHECK(value[tree_find(&t, 2 * (float)sum)] > 0); /* beyond the end */
        int64_t above = 0;
        for (int64_t i = 0; i < n; i++) above += value[i] > 0;
        CHECK_EQ(tree_check(&t, n), above);
        for (int64_t i = n; i < tree_floats(n); i++) { /* behind the leaves, and every inner sum */
            const float good = room[i];
            for (int k = 0; k < 3; k++) {
                room[i] = k == 0 ? good + 1 : k == 1 ? -1 : NAN;
                CHECK_EQ(tree_check(&t, n), -1);
            }
            room[i] = good;
        }
        CHECK_EQ(tree_check(&t, n), above);
        free(room);
        free(value);
    }
}

TEST(bad_input_is_refused) {
    weft_ctx *c = weft_open("cpu");
    weft_state *s = weft_state_new(c);
    weft_envs *v = weft_envs_new(s, &road_env, 2, "roads", NULL);
    static const struct {
        weft_replay_desc d;
        const char *says;
    } bad[] = {
        {{.n_step = -1}, "windows of -1 steps"},
        {{.capacity = -5}, "room for -5 transitions"},
        {{.capacity = 4, .n_step = 3}, "room for 4 transitions over 2 instances"},
        {{.gamma = 1.5f}, "gamma 1.5"},
        {{.beta = 2}, "beta 2"},
        {{.symmetries = 8}, "8 symmetries without a function"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CASE("%s", bad[i].says);
        CHECK(!weft_replay_new(s, v, "replay", &bad[i].d));
        CHECK_HAS(weft_error(c), bad[i].says);
    }
    CASE("calls");
    CHECK(!weft_replay_new(s, NULL, "replay", NULL));
    CHECK(!weft_replay_new(s, v, "", NULL));
    CHECK(!weft_replay_new(NULL, v, "replay", NULL));
    weft_replay *r = weft_replay_new(s, v, "replay", &(weft_replay_desc){.capacity = 20});
    drawn y;
    const weft_replay_rows out = rows_of(&y);
    if (!CHECK(r)) return;
    CHECK_EQ(weft_replay_draw(r, 0, 4, &out), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "4 of 0 transitions");
    CHECK_EQ(weft_replay_add(r, (int32_t[]){0, 3}, (float[]){0, 0}, (uint8_t[]){0, 0}),
             WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "instance 1: action 3 of 3");
    CHECK_EQ(weft_replay_add(r, (int32_t[]){0, 2}, (float[]){0, 0}, (uint8_t[]){9, 0}),
             WEFT_ARGUMENT);
    CHECK_EQ(weft_replay_ready(r), 0);

    CASE("another size of an entry that is there");
    weft_replay *other = weft_replay_new(s, v, "replay", &(weft_replay_desc){.capacity = 30});
    CHECK(!other);
    CHECK_HAS(weft_error(c), "rng.replay.state");

    CASE("a spoiled ring");
    int32_t *head = weft_state_data(s, "rng.replay.head");
    head[1] = 11;
    CHECK_EQ(weft_replay_check(r), WEFT_STATE);
    CHECK_HAS(weft_error(c), "ring 1 of 11 slots is at 11");
    head[1] = 0;
    CHECK_EQ(weft_replay_check(r), WEFT_OK);
    int32_t *ready = weft_state_data(s, "rng.replay.ready");
    *ready = 1; /* an even draw would look for it for ever */
    CHECK_EQ(weft_replay_check(r), WEFT_STATE);
    CHECK_HAS(weft_error(c), "1 transitions are said to be ready, and 0 are");
    *ready = 0;

    CASE("priorities");
    weft_replay *p = weft_replay_new(s, v, "by-priority",
                                     &(weft_replay_desc){.capacity = 20, .prioritised = true});
    if (!CHECK(p)) return;
    CHECK_EQ(weft_replay_add(p, (int32_t[]){0, 1}, (float[]){0, 0}, (uint8_t[]){0, 0}), WEFT_OK);
    CHECK_EQ(weft_replay_update_priorities(p, 1, (int32_t[]){500}, (float[]){1}), WEFT_ARGUMENT);
    CHECK_EQ(weft_replay_update_priorities(p, 1, (int32_t[]){0}, (float[]){NAN}), WEFT_DIVERGED);
    CHECK_HAS(weft_error(c), "the error of row 0 is nan");
    CHECK_EQ(weft_replay_check(p), WEFT_OK);
    float *priority = weft_state_data(s, "rng.by-priority.priority");
    for (int place = 1; place < 33; place += 21) { /* not stored yet; behind all, which are 22 */
        priority[place] = 1;
        CHECK_EQ(weft_replay_check(p), WEFT_STATE);
        CHECK_HAS(weft_error(c), "priorit");
        priority[place] = 0;
    }
    priority[0] = NAN;
    CHECK_EQ(weft_replay_check(p), WEFT_STATE);
    priority[0] = 2; /* and the sums were not told */
    CHECK_EQ(weft_replay_check(p), WEFT_STATE);
    CHECK_HAS(weft_error(c), "do not add up");
    priority[0] = 1;
    CHECK_EQ(weft_replay_check(p), WEFT_OK);
    float *const sum = priority + 32; /* of the first sixteen places; 22 are padded to 32 */
    CHECK_EQ(*sum, 2);
    *sum = 3;
    CHECK_EQ(weft_replay_check(p), WEFT_STATE);
    CHECK_HAS(weft_error(c), "do not add up");
    weft_replay_free(p);

    CASE("windows");
    weft_replay *far =
        weft_replay_new(s, v, "far", &(weft_replay_desc){.capacity = 40, .n_step = 3});
    if (!CHECK(far)) return;
    for (int i = 0; i < 6; i++) {
        uint8_t done[2];
        float reward[2];
        CHECK_EQ(weft_envs_step(v, (int32_t[]){1, 1}, reward, done), WEFT_OK);
        CHECK_EQ(weft_replay_add(far, (int32_t[]){1, 1}, reward, done), WEFT_OK);
        CHECK_EQ(weft_replay_check(far), WEFT_OK);
    }
    int32_t *waiting = weft_state_data(s, "rng.far.pending");
    unsigned char *action = weft_state_data(s, "rng.far.action");
    ++*waiting;
    CHECK_EQ(weft_replay_check(far), WEFT_STATE);
    CHECK_HAS(weft_error(c), "waiting");
    --*waiting;
    action[0] = 255; /* no action, and nothing was cut off before it */
    CHECK(weft_replay_check(far) == WEFT_STATE);
    action[0] = 1;
    CHECK_EQ(weft_replay_check(far), WEFT_OK);
    weft_replay_free(far);
    weft_replay_free(r);
    weft_replay_free(NULL);
    weft_envs_free(v);
    weft_state_free(s);
    weft_close(c);
}
