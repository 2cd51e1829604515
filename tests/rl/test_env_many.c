/* test_env_many.c - many instances at once: against single ones, resumed with the same bits, and
 * what happens at the ends of episodes. */
#include "heap.h"
#include "test.h"
#include "weft/io.h"
#include "weft/rl.h"

#include <stdio.h>
#include <string.h>

static weft_ctx *c;
static weft_state *world(void) {
    if (!c) c = weft_open("cpu");
    return weft_state_new(c);
}

/* ---- an environment of one's own: counts up to a goal, and tells which reset it has had ---- */

typedef struct counter {
    int32_t at, goal, level, resets;
} counter;

static void counter_reset(void *e, weft_rng *r, int level) {
    counter *const k = e;
    (void)r;
    *k = (counter){0, 3, level, k->resets + 1};
}
static float counter_step(void *e, weft_rng *r, int action, bool *done) {
    counter *const k = e;
    (void)r;
    k->at += action;
    *done = k->at >= k->goal;
    return (float)action;
}
static void counter_observe(const void *e, float *obs) {
    const counter *const k = e;
    obs[0] = (float)k->at, obs[1] = (float)k->level;
}
static uint32_t counter_legal(const void *e) {
    return ((const counter *)e)->at ? 2 : 3;
}
static weft_err counter_check(weft_ctx *in, const void *e) {
    const counter *const k = e;
    return k->at < k->goal ? WEFT_OK : weft_fail(in, WEFT_ARGUMENT, "beyond the goal");
}
static const weft_env counting = {.name = "counting",
                                  .size = sizeof(counter),
                                  .obs = 2,
                                  .actions = 3,
                                  .limit = 5,
                                  .reset = counter_reset,
                                  .step = counter_step,
                                  .observe = counter_observe,
                                  .legal = counter_legal,
                                  .check = counter_check};

TEST(ends_of_episodes) {
    weft_state *s = world();
    weft_envs *v = weft_envs_new(s, &counting, 3, "count", &(weft_envs_desc){.level = 4});
    if (!CHECK(v)) return;
    CHECK_EQ(weft_envs_count(v), 3);
    CHECK(weft_envs_env(v) == &counting);
    float reward[3], obs[6];
    uint8_t done[3];
    uint32_t legal[3];
    CHECK_EQ(((const counter *)weft_envs_final(v, 0))->at,
             0); /* before any step: the first state */
    for (int step = 1; step <= 5; step++) {
        CASE("step %d", step);
        /* the first two steps end the first; the second is cut off; the third ends on the limit */
        const int32_t action[3] = {step <= 2 ? 2 : 0, 0, step == 5 ? 2 : step == 1};
        CHECK_EQ(weft_envs_step(v, action, reward, done), WEFT_OK);
        for (int i = 0; i < 3; i++) CHECK_EQ(reward[i], (float)action[i]);
        CHECK_EQ(done[0], step == 2 ? WEFT_TERMINATED : WEFT_CONTINUES);
        CHECK_EQ(done[1], step == 5 ? WEFT_TRUNCATED : WEFT_CONTINUES);
        CHECK_EQ(done[2],
                 step == 5 ? WEFT_TERMINATED : WEFT_CONTINUES); /* its own end counts first */
        for (int i = 0; i < 3; i++) {
            const counter *const now = weft_envs_at(v, i), *const last = weft_envs_final(v, i);
            CHECK_EQ(last == now, done[i] == WEFT_CONTINUES);
            if (done[i]) CHECK_EQ(now->at, 0);
        }
        if (step == 2) {
            CHECK_EQ(((const counter *)weft_envs_final(v, 0))->at, 4);
            CHECK_EQ(((const counter *)weft_envs_final(v, 0))->resets, 1);
            CHECK_EQ(((const counter *)weft_envs_at(v, 0))->resets, 2);
            weft_envs_set_level(v, 9);
        }
    }
    CASE("afterwards");
    CHECK_EQ(((const counter *)weft_envs_final(v, 1))->at, 0);
    CHECK_EQ(((const counter *)weft_envs_final(v, 2))->at, 3);
    static const weft_episode last[3] = {{4, 2, 1}, {0, 5, 1}, {3, 5, 1}};
    static const weft_episode now[3] = {{0, 3, 1}, {0, 0, 1}, {0, 0, 1}};
    for (int i = 0; i < 3; i++) {
        const weft_episode a = weft_envs_episode(v, i), b = weft_envs_running(v, i);
        CHECK_MEM(&a, &last[i], sizeof a);
        CHECK_MEM(&b, &now[i], sizeof b);
    }
    CHECK_EQ(weft_envs_episodes(v), 3);
    CHECK_EQ(weft_envs_level(v), 9);
    weft_envs_observe(v, obs);
    CHECK_EQ(obs[1], 4); /* began before the level was raised */
    CHECK_EQ(obs[3], 9);
    CHECK_EQ(obs[5], 9);
    ((counter *)weft_envs_at(v, 1))->at = 1;
    weft_envs_legal(v, legal);
    CHECK_EQ(legal[0], 3);
    CHECK_EQ(legal[1], 2);
    int32_t action[3];
    for (int i = 0; i < 50; i++) {
        weft_envs_choose(v, action);
        CHECK(action[0] == 0 || action[0] == 1);
        CHECK_EQ(action[1], 1);
    }
    CASE("what is not there");
    CHECK(!weft_envs_at(v, -1) && !weft_envs_at(v, 3) && !weft_envs_final(v, 3));
    CHECK(!weft_envs_rng(v, 3) && weft_envs_rng(v, 2));
    CHECK_EQ(weft_envs_episode(v, 3).steps, 0);
    CHECK_EQ(weft_envs_running(v, -1).steps, 0);
    weft_envs_free(v);
    weft_envs_free(NULL);
    weft_state_free(s);
}

TEST(limits) {
    for (int limit = -1; limit <= 2; limit++) {
        CASE("limit %d", limit);
        weft_state *s = world();
        weft_envs *v = weft_envs_new(s, &counting, 1, "count", &(weft_envs_desc){.limit = limit});
        const int want = limit < 0 ? 1000 : limit ? limit : 5; /* steps until it is cut off */
        int n = 0;
        uint8_t done = 0;
        float reward;
        while (n < 1000 && !done) weft_envs_step(v, &(int32_t){0}, &reward, &done), n++;
        CHECK_EQ(n, want);
        CHECK_EQ(done, limit < 0 ? WEFT_CONTINUES : WEFT_TRUNCATED);
        weft_envs_free(v);
        weft_state_free(s);
    }
}

/* ---- each of many is what it would be alone ---- */

TEST(like_single_ones) {
    enum { N = 37, STEPS = 400 };
    for (int which = 0; weft_env_at(which); which++) {
        const weft_env *e = weft_env_at(which);
        CASE("%s", e->name);
        weft_state *s = world();
        weft_envs *v = weft_envs_new(s, e, N, "many", &(weft_envs_desc){.seed = 5, .level = 3});
        if (!CHECK(v)) continue;
        static union {
            unsigned char bytes[64];
            uint64_t aligned;
        } one[N];
        static weft_rng r[N];
        int steps[N] = {0}, wrong = 0, ended = 0, cut = 0;
        for (int i = 0; i < N; i++) {
            weft_rng_seed(&r[i], 5, (uint64_t)i);
            e->reset(one[i].bytes, &r[i], 3);
        }
        static float rewards[N], obs[N * 500], single[500];
        static int32_t actions[N], slots[N * 32], slot[32];
        static uint32_t legal[N];
        uint8_t done[N];
        for (int t = 0; t < STEPS; t++) {
            weft_envs_observe(v, obs);
            weft_envs_legal(v, legal);
            weft_envs_choose(v, actions);
            if (e->slots) weft_envs_index(v, slots);
            CHECK_EQ(weft_envs_step(v, actions, rewards, done), WEFT_OK);
            for (int i = 0; i < N; i++) {
                e->observe(one[i].bytes, single);
                wrong += memcmp(single, obs + i * e->obs, sizeof(float) * (size_t)e->obs) != 0;
                if (e->slots) e->index(one[i].bytes, slot);
                wrong += memcmp(slot, slots + i * e->slots, 4 * (size_t)e->slots) != 0;
                const uint32_t mask = weft_env_legal(e, one[i].bytes);
                wrong += mask != legal[i] || actions[i] != weft_rng_choose(&r[i], mask);
                bool over;
                wrong += e->step(one[i].bytes, &r[i], actions[i], &over) != rewards[i];
                steps[i]++;
                const bool late = !over && steps[i] == e->limit;
                wrong += done[i] != (over   ? WEFT_TERMINATED
                                     : late ? WEFT_TRUNCATED
                                            : WEFT_CONTINUES);
                wrong += memcmp(weft_envs_final(v, i), one[i].bytes, e->size) != 0;
                ended += over, cut += late;
                if (!over && !late) continue;
                wrong += weft_envs_episode(v, i).steps != steps[i];
                e->reset(one[i].bytes, &r[i], 3);
                steps[i] = 0;
            }
        }
        for (int i = 0; i < N; i++) wrong += memcmp(weft_envs_at(v, i), one[i].bytes, e->size) != 0;
        CHECK_EQ(wrong, 0);
        CHECK(ended > 0 || e->limit > 100);
        CHECK_EQ(weft_envs_episodes(v), ended + cut);
        CHECK_EQ(weft_envs_check(v), WEFT_OK);
        weft_envs_free(v);
        weft_state_free(s);
    }
}

/* Adds as much as it can, but instance 1 always nothing: that one is cut off. */
static weft_err greedy(void *agent, const weft_envs *v, int32_t *actions) {
    ++*(int *)agent;
    for (int i = 0; i < weft_envs_count(v); i++) actions[i] = i == 1 ? 0 : 2;
    return WEFT_OK;
}
static weft_err refusing(void *agent, const weft_envs *v, int32_t *actions) {
    (void)v, (void)actions;
    return weft_fail(agent, WEFT_ARGUMENT, "not today");
}

TEST(whole_episodes_are_played) {
    weft_state *s = world();
    weft_envs *v = weft_envs_new(s, &counting, 3, "count", NULL);
    float total[3];
    int asked = 0;
    CHECK_EQ(weft_envs_play(v, greedy, &asked, 100, total), WEFT_OK);
    CHECK_EQ(asked, 5); /* the limit of steps; the others had finished after two */
    CHECK(total[0] == 4 && total[1] == 0 && total[2] == 4);
    weft_envs_free(v);
    weft_state_free(s);

    s = world();
    v = weft_envs_new(s, &counting, 3, "count", NULL);
    CHECK_EQ(weft_envs_play(v, greedy, &asked, 1, total), WEFT_OK); /* not to the end */
    CHECK(total[0] == 2 && total[1] == 0 && total[2] == 2);
    CHECK_EQ(weft_envs_play(v, refusing, c, 1, total), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "not today");
    weft_envs_free(v);
    weft_state_free(s);
}

TEST(scores_are_totals) {
    weft_state *s = world();
    weft_envs *v = weft_envs_new(s, weft_env_named(c, "2048"), 4, "games", NULL);
    float total[4] = {0}, rewards[4];
    uint8_t done[4];
    int32_t actions[4];
    int finished = 0, wrong = 0;
    while (finished < 40) {
        weft_envs_choose(v, actions);
        weft_envs_step(v, actions, rewards, done);
        for (int i = 0; i < 4; i++) {
            total[i] += rewards[i];
            if (!done[i]) continue;
            const weft_episode e = weft_envs_episode(v, i);
            uint64_t board;
            memcpy(&board, weft_envs_final(v, i), sizeof board);
            wrong += e.total != total[i] || weft_2048_legal(board) != 0;
            total[i] = 0, finished++;
        }
    }
    CHECK_EQ(wrong, 0);
    weft_envs_free(v);
    weft_state_free(s);
}

/* ---- resuming ---- */

static void run(weft_envs *v, int steps) {
    enum { MOST = 64 };
    int32_t actions[MOST];
    float rewards[MOST];
    uint8_t done[MOST];
    for (int i = 0; i < steps; i++) {
        weft_envs_choose(v, actions);
        weft_envs_step(v, actions, rewards, done);
    }
}

TEST(resumed_with_the_same_bits) {
    for (int which = 0; weft_env_at(which); which++) {
        const weft_env *e = weft_env_at(which);
        CASE("%s", e->name);
        weft_state *through = world(), *first = world(), *second = world();
        const weft_envs_desc how = {.seed = 8, .level = 2};
        weft_envs *a = weft_envs_new(through, e, 19, "play", &how);
        weft_envs *b = weft_envs_new(first, e, 19, "play", &how);
        if (!CHECK(a && b)) continue;
        run(a, 150);
        weft_envs_set_level(a, 6);
        run(a, 350);
        run(b, 150);
        weft_envs_set_level(b, 6);
        run(b, 100);
        weft_archive *file = weft_archive_new(c);
        CHECK_EQ(weft_state_save(first, file, &(weft_save_desc){.all = true}), WEFT_OK);
        weft_envs *d = weft_envs_new(second, e, 19, "play", NULL); /* another seed and level */
        run(d, 7);
        CHECK_EQ(weft_state_load(second, file, &(weft_load_desc){.all = true}), WEFT_OK);
        CHECK_EQ(weft_envs_check(d), WEFT_OK);
        CHECK_EQ(weft_envs_level(d), 6);
        CHECK(weft_state_hash(through) != weft_state_hash(second));
        run(d, 250);
        CHECK(weft_state_hash(through) == weft_state_hash(second));
        CASE("%s, a second look", e->name); /* entries that are there are taken as they are */
        weft_envs *again = weft_envs_new(second, e, 19, "play", &how);
        CHECK(weft_state_hash(through) == weft_state_hash(second));
        CHECK(weft_envs_at(again, 3) == weft_envs_at(d, 3));
        weft_archive *model = weft_archive_new(c); /* a saved model has none of it */
        CHECK_EQ(weft_state_save(second, model, NULL), WEFT_OK);
        CHECK_EQ(weft_archive_count(model), 0);
        weft_archive_free(model);
        weft_archive_free(file);
        weft_envs_free(a), weft_envs_free(b), weft_envs_free(d), weft_envs_free(again);
        weft_state_free(through), weft_state_free(first), weft_state_free(second);
    }
}

TEST(seeds_matter) {
    weft_state *s = world();
    weft_envs *a =
        weft_envs_new(s, weft_env_named(c, "2048"), 8, "a", &(weft_envs_desc){.seed = 1});
    weft_envs *b =
        weft_envs_new(s, weft_env_named(c, "2048"), 8, "b", &(weft_envs_desc){.seed = 2});
    int same = 0;
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 8; k++) same += !memcmp(weft_envs_at(a, i), weft_envs_at(b, k), 8);
    CHECK(same < 8); /* of 64 pairs of first boards */
    weft_envs_free(a), weft_envs_free(b);
    weft_state_free(s);
}

/* ---- bad input ---- */

TEST(errors) {
    weft_state *s = world();
    const weft_env *e = weft_env_named(c, "cube");
    weft_envs *v = weft_envs_new(s, e, 2, "play", NULL);
    float rewards[2];
    uint8_t done[2];
    uint64_t before = weft_state_hash(s);
    CHECK_EQ(weft_envs_step(v, (int32_t[]){0, 6}, rewards, done), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "cube: instance 1: action 6; there are 6");
    CHECK_EQ(weft_envs_step(v, (int32_t[]){-1, 0}, rewards, done), WEFT_ARGUMENT);
    CHECK(weft_state_hash(s) == before); /* nothing has moved */
    CHECK(!weft_envs_new(s, e, 3, "play", NULL));
    CHECK_HAS(weft_error(c), "rng.play.");
    CHECK(!weft_envs_new(s, e, 0, "none", NULL));
    CHECK_HAS(weft_error(c), "0 instances");
    CHECK(!weft_envs_new(s, e, 1 << 30, "none", NULL));
    CHECK(!weft_envs_new(s, NULL, 1, "none", NULL));
    CHECK(!weft_envs_new(s, e, 1, "", NULL));
    CHECK(!weft_envs_new(s, e, 1, NULL, NULL));
    CHECK(!weft_envs_new(NULL, e, 1, "none", NULL));
    char name[700];
    memset(name, 'n', sizeof name), name[699] = 0;
    CHECK(!weft_envs_new(s, e, 1, name, NULL));
    weft_env bad = *e;
    bad.step = NULL;
    CHECK(!weft_envs_new(s, &bad, 1, "bad", NULL));
    CHECK_HAS(weft_error(c), "environment \"cube\" lacks");
    bad = *e, bad.actions = 33;
    CHECK(!weft_envs_new(s, &bad, 1, "bad", NULL));
    bad = *e, bad.index = NULL;
    CHECK(!weft_envs_new(s, &bad, 1, "bad", NULL));

    CASE("what no play can reach");
    const uint32_t cubes[2] = {7, WEFT_CUBE_STATES};
    CHECK_EQ(weft_state_set(s, "rng.play.env", cubes, sizeof cubes), WEFT_OK);
    CHECK_EQ(weft_envs_check(v), WEFT_STATE);
    CHECK_HAS(weft_error(c), "instance 1 of 2: cube: number 3674160");
    float obs[2 * 144]; /* and it does no harm */
    weft_envs_observe(v, obs);
    CHECK_EQ(weft_envs_step(v, (int32_t[]){0, 5}, rewards, done), WEFT_OK);
    const uint32_t good[2] = {7, 8};
    weft_state_set(s, "rng.play.env", good, sizeof good);
    CHECK_EQ(weft_envs_check(v), WEFT_OK);
    weft_state_set(s, "rng.play.level", (int32_t[]){1 << 30}, 4); /* a scramble without end */
    CHECK_EQ(weft_envs_check(v), WEFT_STATE);
    CHECK_HAS(weft_error(c), "cube: level 1073741824; 1000 at most was expected");
    CHECK_EQ(weft_envs_set_level(v, 1001), WEFT_ARGUMENT);
    CHECK_EQ(weft_envs_level(v), 1 << 30); /* as it was */
    CHECK_EQ(weft_envs_set_level(v, 1000), WEFT_OK);
    CHECK_EQ(weft_envs_level(v), 1000);
    CHECK_EQ(weft_envs_check(v), WEFT_OK);
    CHECK(
        !weft_envs_new(s, weft_env_named(c, "cube3"), 2, "far", &(weft_envs_desc){.level = 1001}));
    CHECK_HAS(weft_error(c), "cube3: level 1001");
    weft_state_set(s, "rng.play.steps", (int32_t[]){0, -3}, 8);
    CHECK_EQ(weft_envs_check(v), WEFT_STATE);
    CHECK_HAS(weft_error(c), "-3 steps");
    weft_state_set(s, "rng.play.rng", (uint64_t[4]){0, 0, 1, 1}, 32);
    CHECK_EQ(weft_envs_check(v), WEFT_STATE);
    CHECK_HAS(weft_error(c), "instance 0 has no random numbers");
    weft_envs_free(v);
    weft_state_free(s);
}

TEST(any_bytes_do_no_harm) { /* instances may come from a file that nobody checked */
    for (int which = 0; weft_env_at(which); which++) {
        const weft_env *e = weft_env_at(which);
        union {
            unsigned char bytes[64];
            uint64_t aligned;
        } one;
        float obs[500];
        int32_t slots[32];
        char text[400];
        weft_rng r = {1, 1};
        int wrong = 0;
        for (int i = 0; i < 2000; i++) {
            for (size_t k = 0; k < e->size; k++)
                one.bytes[k] = (unsigned char)(i % 2 ? test_random() : test_random() % 16);
            bool done;
            e->observe(one.bytes, obs);
            e->show(one.bytes, text, sizeof text);
            if (e->slots) e->index(one.bytes, slots);
            for (int k = 0; k < e->slots; k++) wrong += slots[k] < 0 || slots[k] >= e->words;
            for (int k = 0; k < e->actions; k++) e->step(one.bytes, &r, k, &done);
        }
        CHECK_EQ(wrong, 0);
    }
}

TEST(out_of_memory) {
    for (long fail = 1; fail < 200; fail++) {
        heap h = {0};
        weft_ctx *k = weft_open_with(
            &(weft_open_desc){.device = "cpu", .threads = 1, .resize = heap_resize, .user = &h});
        weft_state *s = weft_state_new(k);
        h.fail_at = h.made + fail;
        weft_envs *v = weft_envs_new(s, weft_env_named(k, "grid"), 5, "some", NULL);
        const bool failed = h.failed;
        h.fail_at = 0;
        CHECK_EQ(v == NULL, failed);
        if (failed) {
            CHECK_EQ(weft_error_code(k), WEFT_MEMORY);
            v = weft_envs_new(s, weft_env_named(k, "grid"), 5, "some",
                              NULL); /* and then it works */
            if (CHECK(v)) CHECK_EQ(weft_envs_check(v), WEFT_OK);
        }
        weft_envs_free(v);
        weft_state_free(s);
        weft_close(k);
        CHECK_EQ(h.live, 0);
        if (!failed) return;
    }
    CHECK(!"it needed fewer than 200 allocations");
}
