/* test_ppo.c - policy optimisation held to the same truths: the grid, the pole, the same bits. */
#include "run_folder.h" /* first: it asks for more of the system */

#include "grid_truth.h"
#include "pole.h"
#include "test.h"
#include <weft/io.h>
#include <weft/rl.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct world {
    weft_ctx *c;
    weft_state *s;
    weft_envs *v;
    weft_ppo *a;
} world;

static bool world_open(world *w, const char *env, int n, int threads, const weft_ppo_desc *d) {
    *w = (world){0};
    w->c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = threads});
    w->s = weft_state_new(w->c);
    weft_state_seed(w->s, 1);
    const weft_env *const e = weft_env_named(w->c, env);
    w->v = weft_envs_new(w->s, e, n, "games", &(weft_envs_desc){.seed = 11});
    w->a = weft_ppo_new(w->s, w->v, "agent", d);
    if (CHECK(w->a)) return true;
    CHECK_STR(weft_error(w->c), "");
    return false;
}

static void world_close(world *w) {
    weft_ppo_free(w->a);
    weft_envs_free(w->v);
    weft_state_free(w->s);
    weft_close(w->c);
}

static bool world_step(world *w, int steps) {
    for (int i = 0; i < steps; i++)
        if (weft_ppo_step(w->a, i, NULL) != WEFT_OK) {
            CHECK_STR(weft_error(w->c), "");
            return false;
        }
    return true;
}

static const int small[] = {64, 0};
static const weft_optimiser_desc quick = {
    .kind = WEFT_OPTIMISER_ADAM, .lr = 3e-3f, .clip_norm = 0.5f};

TEST(the_grid_is_solved) {
    for (int sparse = 0; sparse < 2; sparse++) {
        CASE("sparse %d", sparse);
        world w;
        grid_truth truth;
        if (!world_open(&w, "grid", 16, 1,
                        &(weft_ppo_desc){.hidden = small,
                                         .sparse = sparse,
                                         .horizon = 64,
                                         .gamma = 0.9f,
                                         .entropy = 0.2f,
                                         .optimiser = &quick,
                                         .seed = 3}))
            return;
        grid_solve(&truth, w.c, 0.9);
        weft_envs *cells = grid_cells(&truth, w.s);
        int mistakes = 1, steps = 0;
        float value[GRID_STATES];
        while (mistakes && steps < 200) {
            int32_t action[GRID_STATES];
            if (!world_step(&w, 5)) break;
            steps += 5;
            mistakes = 0;
            CHECK_EQ(weft_ppo_act(w.a, cells, action), WEFT_OK);
            for (int i = 0; i < truth.n; i++)
                mistakes += truth.q[i][action[i]] < truth.best[i] - 1e-9;
        }
        CHECK_EQ(mistakes, 0);
        /* the policy still draws, so it can expect no more than the best, and mostly less; but the
         * better a cell, the more */
        double mean = 0, best = 0, both = 0, own = 0, square = 0;
        CHECK_EQ(weft_ppo_values(w.a, cells, value), WEFT_OK);
        for (int i = 0; i < truth.n; i++) {
            CHECK((double)value[i] < truth.best[i] + 0.15);
            mean += (double)value[i] / truth.n;
            best += truth.best[i] / truth.n;
        }
        for (int i = 0; i < truth.n; i++) {
            const double a = (double)value[i] - mean, b = truth.best[i] - best;
            both += a * b, own += a * a, square += b * b;
        }
        CHECK(both / sqrt(own * square) > 0.8);
        weft_envs_free(cells);
        world_close(&w);
    }
}

TEST(the_pole_stands) {
    static const weft_optimiser_desc adam = {
        .kind = WEFT_OPTIMISER_ADAM, .lr = 2e-3f, .clip_norm = 0.5f};
    world w;
    double mean = 0;
    int steps = 0;
    if (!world_open(&w, "cartpole", 16, 1,
                    &(weft_ppo_desc){.horizon = 128, .optimiser = &adam, .scale = 0.1f, .seed = 2}))
        return;
    while (mean < 475 && steps < 200) {
        if (!world_step(&w, 5)) break;
        steps += 5;
        mean = pole_mean(w.c, weft_ppo_act, w.a);
    }
    CHECK(mean >= 475);
    world_close(&w);
}

TEST(it_resumes_with_the_same_bits) {
    const run_folder folder = run_make();
    const char *const path = run_path(&folder, "agent.safetensors");
    const weft_ppo_desc d = {.horizon = 32, .seed = 4};
    world w, other;
    if (!world_open(&w, "cartpole", 8, 1, &d) || !world_step(&w, 3)) return;
    CHECK_EQ(weft_checkpoint_save(w.s, path, NULL), WEFT_OK);
    const uint64_t before = weft_allocations(w.c);
    if (!world_step(&w, 3)) return;
    CHECK_EQ(weft_allocations(w.c) - before, 0);
    if (!world_open(&other, "cartpole", 8, 2, &d)) return;
    if (weft_checkpoint_load(other.s, path, NULL) != WEFT_OK) CHECK_STR(weft_error(other.c), "");
    if (!world_step(&other, 3)) return;
    CHECK(weft_state_hash(w.s) == weft_state_hash(other.s));
    weft_metrics m = {0};
    CHECK_EQ(weft_ppo_step(w.a, 0, &m), WEFT_OK);
    CHECK_EQ(weft_metric_of(&m, "count/updates"), 7 * 16);
    CHECK_EQ(weft_metric_of(&m, "count/episodes"), (double)weft_envs_episodes(w.v));
    world_close(&other);
    world_close(&w);
    run_remove(folder.path);
}

/* Loaded after as many steps as the agent has made: the counts must be looked at all the same. */
TEST(what_is_loaded_with_the_same_count_is_checked) {
    world w;
    int64_t count[8] = {0};
    if (!world_open(&w, "cartpole", 8, 1, &(weft_ppo_desc){.horizon = 32}) || !world_step(&w, 2))
        return;
    weft_entry e = {0};
    for (size_t i = 0; i < weft_state_count(w.s); i++)
        if (!weft_state_entry(w.s, i, &e) && strstr(e.name, ".count")) break;
    if (CHECK(strstr(e.name, ".count") && e.bytes >= 24 && e.bytes <= sizeof count)) {
        CHECK_EQ(weft_state_get(w.s, e.name, count, e.bytes), WEFT_OK);
        count[1] = count[2] = -5; /* not the steps */
        CHECK_EQ(weft_state_set(w.s, e.name, count, e.bytes), WEFT_OK);
        CHECK_EQ(weft_ppo_step(w.a, 0, NULL), WEFT_STATE);
        CHECK_EQ(weft_ppo_step(w.a, 0, NULL), WEFT_STATE);
    }
    world_close(&w);
}

/* ---- legal moves only ---- */

/* Of three actions one is barred in each state; taking it is noted. */
typedef struct gate {
    int32_t barred, wrong;
} gate;
static void gate_reset(void *e, weft_rng *r, int level) {
    (void)level;
    ((gate *)e)->barred = (int32_t)weft_rng_below(r, 3);
}
static float gate_step(void *e, weft_rng *r, int action, bool *done) {
    gate *const g = e;
    g->wrong += action == g->barred;
    g->barred = (int32_t)weft_rng_below(r, 3);
    *done = weft_rng_below(r, 10) == 0;
    return action == 1;
}
static void gate_observe(const void *e, float *obs) {
    obs[0] = (float)((const gate *)e)->barred;
}
static uint32_t gate_legal(const void *e) {
    return 7u ^ 1u << ((const gate *)e)->barred;
}
static const weft_env gate_env = {.name = "gate",
                                  .size = sizeof(gate),
                                  .obs = 1,
                                  .actions = 3,
                                  .reset = gate_reset,
                                  .step = gate_step,
                                  .observe = gate_observe,
                                  .legal = gate_legal};

TEST(barred_actions_are_never_taken) {
    weft_ctx *c = weft_open("cpu");
    weft_state *s = weft_state_new(c);
    weft_envs *v = weft_envs_new(s, &gate_env, 8, "gates", NULL);
    weft_ppo *a = weft_ppo_new(s, v, "agent", NULL);
    if (!CHECK(a)) return;
    for (int k = 0; k < 10; k++) {
        weft_metrics m = {0};
        if (weft_ppo_step(a, k, &m) != WEFT_OK) CHECK_STR(weft_error(c), "");
        CHECK(fabs(weft_metric_of(&m, "train/loss")) < 1e3); /* a nan is not */
    }
    int32_t action[8];
    CHECK_EQ(weft_ppo_act(a, v, action), WEFT_OK);
    for (int i = 0; i < 8; i++) {
        const gate *const g = weft_envs_at(v, i);
        CHECK_EQ(g->wrong, 0);
        CHECK_EQ(action[i], g->barred == 1 ? action[i] : 1); /* what is rewarded, if it may be */
        CHECK(action[i] != g->barred);
    }
    weft_ppo_free(a);
    weft_envs_free(v);
    weft_state_free(s);
    weft_close(c);
}

TEST(bad_input_is_refused) {
    weft_ctx *c = weft_open("cpu");
    static const struct {
        weft_ppo_desc d;
        const char *says;
    } bad[] = {
        {{.horizon = -1}, "of -1 steps"}, {{.horizon = 5, .parts = 4}, "equal parts were expected"},
        {{.clip = 2}, "clip 2"},          {{.gamma = 1.5f}, "gamma 1.5"},
        {{.lambda = -1}, "lambda -1"},    {{.sparse = true}, "has no indices"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CASE("%s", bad[i].says);
        weft_state *s = weft_state_new(c);
        weft_envs *v = weft_envs_new(s, weft_env_named(c, "cartpole"), 2, "games", NULL);
        CHECK(!weft_ppo_new(s, v, "agent", &bad[i].d));
        CHECK_HAS(weft_error(c), bad[i].says);
        weft_envs_free(v);
        weft_state_free(s);
    }
    CHECK(!weft_ppo_new(NULL, NULL, "agent", NULL));
    weft_ppo_free(NULL);
    weft_close(c);

    CASE("a spoiled state");
    world w;
    if (!world_open(&w, "cartpole", 2, 1, &(weft_ppo_desc){.horizon = 8})) return;
    int64_t *count = weft_state_data(w.s, "rng.agent.count"); /* steps, updates, episodes */
    count[2] = -5;
    CHECK_EQ(weft_ppo_step(w.a, 0, NULL), WEFT_STATE);
    CHECK_HAS(weft_error(w.c), "-5 episodes");
    count[2] = 0;
    ((weft_cartpole *)weft_envs_at(w.v, 1))->x = NAN;
    CHECK_EQ(weft_ppo_step(w.a, 0, NULL), WEFT_STATE);
    CHECK_HAS(weft_error(w.c), "instance 1 of 2");
    memset(weft_state_data(w.s, "rng.agent.choice"), 0, sizeof(weft_rng));
    CHECK_EQ(weft_ppo_step(w.a, 0, NULL), WEFT_STATE);
    CHECK_HAS(weft_error(w.c), "no random numbers");
    world_close(&w);
}
