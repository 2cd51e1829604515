/* test_dqn.c - Q-learning held to what is known: the grid by value iteration, the pole's limit.
 *
 * Each part of the agent is a switch; with each of them it must find the best action in every cell
 * of the grid, and a run that is stopped and loaded must go on with the same bits. */
#include "dqn_world.h"
#include "pole.h"

typedef struct way {
    const char *name;
    weft_dqn_desc d;
    bool rough; /* values need not be exact: windows hold random actions, or exploring fades */
} way;

static const weft_optimiser_desc plain = {.lr = 2};
static const weft_optimiser_desc quick = {.kind = WEFT_OPTIMISER_ADAM, .lr = 3e-3f};

/* A value for each cell and action, looked up for all actions or for one. */
static weft_tensor cell_values(void *user, weft_state *s, weft_tensor x, weft_tensor action) {
    (void)user;
    weft_graph *const g = x.g;
    const weft_init zeros = {.kind = WEFT_INIT_ZEROS};
    const weft_tensor all = weft_param(g, s, "cells", weft_dims(GRID_STATES * 4, 1), zeros);
    const weft_tensor first = weft_mul(x, weft_integer(g, 4));
    const weft_tensor k = weft_ok(action) ? action : weft_iota(g, weft_dims(4), 0);
    return weft_squeeze(weft_embedding(all, weft_add(first, k)), 2);
}

/* clang-format off */
#define TABLE   .hidden = table, .batch = 64, .start = 200, .optimiser = &plain, .seed = 3
#define NET     .hidden = grid_hidden, .batch = 64, .start = 200, .optimiser = &quick, .seed = 3
#define COPIES  .target_every = 50
#define RANDOM  .explore = {.first = 1, .last = 0.3f, .over = 1000}
#define LITTLE  .explore = {.first = 0.1f, .last = 0.1f}
#define USUAL   NET, COPIES, RANDOM
static const way ways[] = {
    {"double",      {USUAL}, false},
    {"single",      {USUAL, .not_double = true}, false},
    {"one network", {TABLE, RANDOM, .no_target = true}, false},
    {"squares",     {USUAL, .loss = WEFT_DQN_MSE}, false},
    {"all outputs", {USUAL, .loss = WEFT_DQN_ALL_OUTPUTS}, false},
    {"polyak",      {NET, RANDOM, .polyak = 0.05f, .target_every = 1}, false},
    {"sparse",      {USUAL, .sparse = true}, false},
    {"own values",  {USUAL, .sparse = true, .values = cell_values}, false},
    {"dueling",     {USUAL, .dueling = true}, false},
    {"three steps", {USUAL, .replay = {.n_step = 3}}, true},
    {"prioritised", {USUAL, .replay = {.prioritised = true, .beta_steps = 3000}}, false},
    {"noisy",       {NET, COPIES, LITTLE, .noisy = true}, true},
    {"atoms",       {USUAL, .atoms = 51, .low = -1.1f, .high = 1.1f}, false},
    {"rainbow",     {NET, COPIES, LITTLE, .dueling = true, .noisy = true, .atoms = 31, .low = -1.1f,
                     .high = 1.1f, .replay = {.n_step = 2, .prioritised = true}}, true},
};
/* clang-format on */
enum { WAYS = sizeof ways / sizeof *ways, GRID_GAMES = 8 };

/* ---- the grid ---- */

/* Of all cells where somebody can be, those whose best action by q is not a best one. */
static int grid_mistakes(world *w, const grid_truth *truth, weft_envs *cells, double *furthest) {
    float q[GRID_STATES * 4];
    int32_t action[GRID_STATES];
    int mistakes = 0;
    *furthest = 0;
    CHECK_EQ(weft_dqn_values(w->a, cells, q), WEFT_OK);
    CHECK_EQ(weft_dqn_act(w->a, cells, action), WEFT_OK);
    for (int i = 0; i < truth->n; i++) {
        for (int k = 0; k < 4; k++) {
            const double off = fabs((double)q[4 * i + k] - truth->q[i][k]);
            if (off > *furthest) *furthest = off;
        }
        mistakes += truth->q[i][action[i]] < truth->best[i] - 1e-9;
    }
    return mistakes;
}

TEST(each_switch_solves_the_grid) {
    for (int i = 0; i < WAYS; i++) {
        CASE("%s", ways[i].name);
        world w;
        grid_truth truth;
        if (!world_open(&w, "grid", GRID_GAMES, 1, &ways[i].d)) return;
        grid_solve(&truth, w.c, 0.99);
        weft_envs *cells = grid_cells(&truth, w.s);
        int mistakes = 1, steps = 0;
        double furthest = 1;
        while ((mistakes || (furthest > 0.05 && !ways[i].rough)) && steps < 20000) {
            if (!world_step(&w, 500)) break;
            steps += 500;
            mistakes = grid_mistakes(&w, &truth, cells, &furthest);
        }
        CHECK_EQ(mistakes, 0);
        if (!ways[i].rough) CHECK_NEAR(furthest, 0, 0.05);
        const weft_dqn_stats st = weft_dqn_stats_of(w.a);
        CHECK_EQ(st.steps, steps);
        CHECK(st.updates > 0 && st.updates <= steps);
        CHECK_EQ(st.episodes, weft_envs_episodes(w.v));
        weft_envs_free(cells);
        world_close(&w);
    }
}

/* ---- the pole ---- */

TEST(the_pole_stands) {
    static const int hidden[] = {64, 64, 0};
    static const weft_optimiser_desc adam = {.kind = WEFT_OPTIMISER_ADAM, .lr = 1e-3f};
    world w;
    if (!world_open(&w, "cartpole", 8, 1,
                    &(weft_dqn_desc){.hidden = hidden,
                                     .batch = 128,
                                     .start = 1000,
                                     .updates = 2,
                                     .target_every = 100,
                                     .replay = {.capacity = 50000, .n_step = 3, .scale = 0.1f},
                                     .optimiser = &adam,
                                     .explore = {.first = 1, .last = 0.05f, .over = 3000},
                                     .seed = 2}))
        return;
    double mean = 0;
    int steps = 0;
    while (mean < 475 && steps < 40000) {
        if (!world_step(&w, 1000)) break;
        steps += 1000;
        mean = pole_mean(w.c, weft_dqn_act, w.a);
    }
    CHECK(mean >= 475);
    world_close(&w);
}

/* ---- the same again ---- */

TEST(each_switch_resumes_with_the_same_bits) {
    const run_folder folder = run_make();
    for (int i = 0; i < WAYS; i++) {
        CASE("%s", ways[i].name);
        weft_dqn_desc d = ways[i].d;
        d.start = 50;
        d.target_every = 7;
        world w, other;
        const char *const path = run_path(&folder, "agent.safetensors");
        if (!world_open(&w, "grid", GRID_GAMES, 1, &d) || !world_step(&w, 60)) return;
        CHECK_EQ(weft_checkpoint_save(w.s, path, NULL), WEFT_OK);
        if (!world_step(&w, 60)) return;
        if (!world_open(&other, "grid", GRID_GAMES, 2, &d)) return;
        if (weft_checkpoint_load(other.s, path, NULL) != WEFT_OK)
            CHECK_STR(weft_error(other.c), "");
        if (!world_step(&other, 60)) return;
        CHECK(weft_state_hash(w.s) == weft_state_hash(other.s));
        world_close(&other);
        world_close(&w);
    }
    run_remove(folder.path);
}

static weft_train_result trained(world *w, const char *run, int steps, bool resume) {
    weft_train_result r;
    if (weft_train(w->s,
                   &(weft_train_desc){.step = weft_dqn_step,
                                      .user = w->a,
                                      .steps = steps,
                                      .run = run,
                                      .resume = resume,
                                      .log_every = 10},
                   &r) != WEFT_OK)
        CHECK_STR(weft_error(w->c), "");
    return r;
}

TEST(it_is_a_step_of_the_training_loop) {
    const run_folder folder = run_make();
    const weft_dqn_desc d = {.hidden = grid_hidden, .start = 50};
    world w, first, second;
    if (!world_open(&w, "grid", 4, 1, &d) || !world_open(&first, "grid", 4, 1, &d) ||
        !world_open(&second, "grid", 4, 1, &d))
        return;
    const weft_train_result r = trained(&w, run_path(&folder, "whole"), 100, false);
    CHECK_EQ(r.steps, 100);
    CHECK(isfinite(weft_metric_of(&r.last, "train/loss")));
    CHECK_EQ(weft_metric_of(&r.last, "count/updates"), (double)weft_dqn_stats_of(w.a).updates);
    CHECK_EQ(weft_metric_of(&r.last, "count/episodes"), (double)weft_envs_episodes(w.v));
    trained(&first, run_path(&folder, "halves"), 45, false);
    CHECK_EQ(trained(&second, run_path(&folder, "halves"), 100, true).resumed_at, 45);
    CHECK(weft_state_hash(w.s) == weft_state_hash(second.s));
    world_close(&w), world_close(&first), world_close(&second);
    run_remove(folder.path);
}

/* The count of steps is that of the agent: only the loading itself tells that something changed. */
TEST(what_is_loaded_with_the_same_count_is_checked) {
    static const char *const forged[] = {"rng.agent.replay.head", "rng.agent.replay.filled",
                                         "rng.agent.replay.ready", "rng.agent.stage",
                                         "rng.agent.count"};
    const run_folder folder = run_make();
    const char *const path = run_path(&folder, "agent.safetensors");
    world w;
    if (!world_open(&w, "2048", 4, 1, &(weft_dqn_desc){.hidden = grid_hidden, .start = 50})) return;
    if (!world_step(&w, 20)) return;
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        CASE("%s", forged[i]);
        char good[256], bad[256];
        weft_entry e = {0};
        for (size_t k = 0; k < weft_state_count(w.s); k++)
            if (!weft_state_entry(w.s, k, &e) && !strcmp(e.name, forged[i])) break;
        if (!CHECK(!strcmp(e.name, forged[i]) && e.bytes <= sizeof good)) continue;
        CHECK_EQ(weft_state_get(w.s, forged[i], good, e.bytes), WEFT_OK);
        memset(bad, 0x7f, sizeof bad);
        if (strstr(forged[i], "count")) { /* all but the steps, which come first */
            memset(bad, 0xff, sizeof bad);
            memcpy(bad, good, 8);
        }
        CHECK_EQ(weft_state_set(w.s, forged[i], bad, e.bytes), WEFT_OK);
        CHECK_EQ(weft_checkpoint_save(w.s, path, NULL), WEFT_OK);
        CHECK_EQ(weft_state_set(w.s, forged[i], good, e.bytes), WEFT_OK);
        if (weft_checkpoint_load(w.s, path, NULL) != WEFT_OK) CHECK_STR(weft_error(w.c), "");
        CHECK(weft_dqn_step(w.a, 0, NULL) != WEFT_OK);
        CHECK(weft_dqn_step(w.a, 0, NULL) != WEFT_OK); /* nor the second time */
        world_close(&w);
        if (!world_open(&w, "2048", 4, 1, &(weft_dqn_desc){.hidden = grid_hidden, .start = 50}) ||
            !world_step(&w, 20))
            return;
    }
    world_close(&w);
    run_remove(folder.path);
}

TEST(threads_change_no_bit_and_steps_do_not_allocate) {
    static const int wide[] = {256, 256, 0};
    uint64_t hash[2];
    for (int threads = 1; threads <= 2; threads++) {
        CASE("%d threads", threads);
        world w;
        if (!world_open(&w, "2048-one-hot", 64, threads,
                        &(weft_dqn_desc){.hidden = wide,
                                         .sparse = true,
                                         .dueling = true,
                                         .batch = 256,
                                         .start = 512,
                                         .explore = {.first = 0.5f},
                                         .replay = {.n_step = 3,
                                                    .capacity = 4000,
                                                    .prioritised = true,
                                                    .scale = 1 / 1024.0f},
                                         .threads = threads}))
            return;
        world_step(&w, 12);
        const uint64_t before = weft_allocations(w.c);
        world_step(&w, 20);
        CHECK_EQ(weft_allocations(w.c) - before, 0);
        hash[threads - 1] = weft_state_hash(w.s);
        world_close(&w);
    }
    CHECK(hash[0] == hash[1]);
}
