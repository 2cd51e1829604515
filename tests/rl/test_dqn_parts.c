/* test_dqn_parts.c - Q-learning part by part: an update by hand, copies, curriculum, exploring, being
 * taught, networks of one's own, and what is refused. */
#include "dqn_world.h"
#include "heap.h"

/* ---- one update, by hand ---- */

/* A table of values learns by plain gradient descent, so what one update does to each of them is a
 * line of arithmetic. A twin that never learns has the same replay; priorities and the target's
 * values are given to both. */
typedef struct table_values {
    float weight[4 * GRID_STATES], bias[4], target_weight[4 * GRID_STATES], target_bias[4];
} table_values;

static void table_get(world *w, table_values *y, bool target) {
    CHECK_EQ(weft_state_get(w->s, "agent.advantage.weight", y->weight, sizeof y->weight), WEFT_OK);
    CHECK_EQ(weft_state_get(w->s, "agent.advantage.bias", y->bias, sizeof y->bias), WEFT_OK);
    memcpy(y->target_weight, y->weight, sizeof y->weight);
    memcpy(y->target_bias, y->bias, sizeof y->bias);
    for (size_t i = 0; i < sizeof y->weight / sizeof *y->weight && target; i++)
        y->target_weight[i] = (float)test_uniform(-1, 1);
}

enum { TABLE_BATCH = 32, TABLE_STEPS = 40 };

static void table_expect(const weft_dqn_desc *d, const table_values *now, weft_replay *r,
                         double weight[4 * GRID_STATES], double bias[4]) {
    int32_t cell[TABLE_BATCH], next[TABLE_BATCH], action[TABLE_BATCH];
    float reward[TABLE_BATCH], discount[TABLE_BATCH], importance[TABLE_BATCH];
    CHECK_EQ(weft_replay_draw(r, 0, TABLE_BATCH,
                              &(weft_replay_rows){.index = cell,
                                                  .next_index = next,
                                                  .action = action,
                                                  .reward = reward,
                                                  .discount = discount,
                                                  .weight = importance}),
             WEFT_OK);
    for (int i = 0; i < 4 * GRID_STATES; i++) weight[i] = (double)now->weight[i];
    for (int i = 0; i < 4; i++) bias[i] = (double)now->bias[i];
    double least = 1;
    for (int i = 0; i < TABLE_BATCH; i++) {
        double own[4], theirs[4];
        int by_own = 0, by_theirs = 0;
        for (int k = 0; k < 4; k++) {
            own[k] = (double)now->weight[k * GRID_STATES + next[i]] + (double)now->bias[k];
            theirs[k] =
                (double)now->target_weight[k * GRID_STATES + next[i]] + (double)now->target_bias[k];
            if (own[k] > own[by_own]) by_own = k;
            if (theirs[k] > theirs[by_theirs]) by_theirs = k;
        }
        const double value =
            d->no_target ? own[by_own] : theirs[d->not_double ? by_theirs : by_own];
        const int at = action[i] * GRID_STATES + cell[i];
        const double error = (double)now->weight[at] + (double)now->bias[action[i]] -
                             ((double)reward[i] + (double)discount[i] * value);
        double slope = d->loss == WEFT_DQN_HUBER ? fmax(-1, fmin(1, error)) : 2 * error;
        if (d->loss == WEFT_DQN_ALL_OUTPUTS) slope /= 4;
        if (d->replay.prioritised) slope *= (double)importance[i];
        if ((double)importance[i] < least) least = (double)importance[i];
        weight[at] -= (double)d->optimiser->lr * slope / TABLE_BATCH;
        bias[action[i]] -= (double)d->optimiser->lr * slope / TABLE_BATCH;
    }
    if (d->replay.prioritised) CHECK(least < 0.9); /* else nothing would be tried */
}

TEST(an_update_is_what_it_is_by_hand) {
    static const weft_optimiser_desc sgd = {.lr = 0.5f};
    /* clang-format off */
#define BY_HAND .hidden = table, .batch = TABLE_BATCH, .every = TABLE_STEPS, .optimiser = &sgd,   \
                .explore = {.first = 1, .last = 1}, .target_every = 1000000
    static const struct {
        const char *name;
        weft_dqn_desc d;
    } by_hand[] = {
        {"double",         {BY_HAND}},
        {"single",         {BY_HAND, .not_double = true}},
        {"one network",    {BY_HAND, .no_target = true}},
        {"squares, three", {BY_HAND, .loss = WEFT_DQN_MSE, .replay = {.n_step = 3}}},
        {"all outputs",    {BY_HAND, .loss = WEFT_DQN_ALL_OUTPUTS, .no_target = true}},
        {"prioritised",    {BY_HAND, .replay = {.prioritised = true, .beta = 0.8f}}},
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++) {
        CASE("%s", by_hand[i].name);
        weft_dqn_desc d = by_hand[i].d;
        world w, twin;
        table_values values;
        if (!world_open(&w, "grid", 4, 1, &d)) return;
        d.start = 1000000;
        if (!world_open(&twin, "grid", 4, 1, &d)) return;
        d = by_hand[i].d;
        weft_replay_desc same = d.replay;
        same.seed = d.seed;
        weft_replay *r = weft_replay_new(twin.s, twin.v, "agent.replay", &same);
        weft_replay *own = weft_replay_new(w.s, w.v, "agent.replay", &same);
        if (!CHECK(r && own)) return;
        world_step(&w, TABLE_STEPS - 1);
        world_step(&twin, TABLE_STEPS - 1);
        table_get(&w, &values, !d.no_target);
        if (!d.no_target)
            CHECK_EQ(weft_state_set(w.s, "rng.agent.target.advantage.weight", values.target_weight,
                                    sizeof values.target_weight),
                     WEFT_OK);
        int32_t place[TABLE_BATCH];
        float error[TABLE_BATCH];
        CHECK_EQ(weft_replay_draw(r, 77, TABLE_BATCH, &(weft_replay_rows){.place = place}),
                 WEFT_OK);
        for (int k = 0; k < TABLE_BATCH; k++) error[k] = (float)test_uniform(0, 5);
        CHECK_EQ(weft_replay_update_priorities(r, TABLE_BATCH, place, error), WEFT_OK);
        CHECK_EQ(weft_replay_update_priorities(own, TABLE_BATCH, place, error), WEFT_OK);
        world_step(&w, 1);
        world_step(&twin, 1);
        CHECK_EQ(weft_dqn_stats_of(w.a).updates, 1);

        double weight[4 * GRID_STATES], bias[4];
        table_values after;
        table_expect(&d, &values, r, weight, bias);
        table_get(&w, &after, false);
        for (int k = 0; k < 4 * GRID_STATES; k++) CHECK_NEAR(after.weight[k], weight[k], 1e-6);
        for (int k = 0; k < 4; k++) CHECK_NEAR(after.bias[k], bias[k], 1e-6);
        weft_replay_free(r);
        weft_replay_free(own);
        world_close(&w);
        world_close(&twin);
    }
}

TEST(targets_are_copied_and_mixed) {
    static const weft_optimiser_desc sgd = {.lr = 0.5f};
    for (int mixed = 0; mixed < 2; mixed++) {
        CASE("mixed %d", mixed);
        world w;
        float own[4 * GRID_STATES], before[4 * GRID_STATES], after[4 * GRID_STATES];
        if (!world_open(&w, "grid", 2, 1,
                        &(weft_dqn_desc){.hidden = table,
                                         .optimiser = &sgd,
                                         .start = 1,
                                         .target_every = 5,
                                         .polyak = mixed ? 0.25f : 0}))
            return;
        const char *const name = "rng.agent.target.advantage.weight";
        weft_state_get(w.s, "agent.advantage.weight", own, sizeof own);
        weft_state_get(w.s, name, before, sizeof before);
        CHECK_MEM(before, own, sizeof own); /* they begin alike */
        world_step(&w, 4);
        weft_state_get(w.s, name, after, sizeof after);
        CHECK_MEM(after, before, sizeof before);
        world_step(&w, 1);
        weft_state_get(w.s, name, after, sizeof after);
        weft_state_get(w.s, "agent.advantage.weight", own, sizeof own);
        CHECK(memcmp(own, before, sizeof own) != 0);
        for (int i = 0; i < 4 * GRID_STATES; i++)
            CHECK_NEAR(after[i], before[i] + (mixed ? 0.25f : 1) * (own[i] - before[i]), 1e-6);
        world_close(&w);
    }
}

/* ---- curriculum and exploring ---- */

/* Every step is an episode, which ends, or is cut off in instances whose level is 2. */
typedef struct stairs {
    int32_t level;
} stairs;
static void stairs_reset(void *e, weft_rng *r, int level) {
    (void)r;
    ((stairs *)e)->level = level;
}
static float stairs_step(void *e, weft_rng *r, int action, bool *done) {
    (void)r, (void)action;
    *done = ((stairs *)e)->level != 2;
    return (float)((stairs *)e)->level;
}
static void stairs_observe(const void *e, float *obs) {
    obs[0] = (float)((const stairs *)e)->level;
}
static const weft_env stairs_env = {.name = "stairs",
                                    .size = sizeof(stairs),
                                    .obs = 1,
                                    .actions = 2,
                                    .limit = 1,
                                    .reset = stairs_reset,
                                    .step = stairs_step,
                                    .observe = stairs_observe};

TEST(a_curriculum_goes_on_when_it_is_time) {
    static const weft_stage by_total[] = {{1, 1, 0}, {2, 3, 15}, {4, 0, 0}};
    static const weft_stage by_end[] = {{1, 0.9f, 0}, {2, 0.1f, 25}, {4, 0, 0}};
    /* one more is still of stage 0, and where it began at another level one more of that */
    static const int expect[2][2] = {{10, 26}, {11, 37}};
    for (int ended = 0; ended < 2; ended++) {
        CASE("count_terminated %d", ended);
        weft_ctx *c = weft_open("cpu");
        weft_state *s = weft_state_new(c);
        weft_envs *v =
            weft_envs_new(s, &stairs_env, 1, "stairs", &(weft_envs_desc){.level = ended ? 3 : 1});
        weft_dqn *a = weft_dqn_new(s, v, "agent",
                                   &(weft_dqn_desc){.stages = ended ? by_end : by_total,
                                                    .stage_count = 3,
                                                    .window = 10,
                                                    .count_terminated = ended});
        if (!CHECK(a)) return;
        for (int i = 1; i <= 60; i++) {
            CHECK_EQ(weft_dqn_step(a, 0, NULL), WEFT_OK);
            const int stage = (i >= expect[ended][0]) + (i >= expect[ended][1]);
            CHECK_EQ(weft_dqn_stats_of(a).stage, stage);
            CHECK_EQ(weft_envs_level(v), 1 << stage);
        }
        CHECK_EQ(weft_dqn_stats_of(a).mean, ended ? 1 : 4);
        weft_dqn_free(a);
        weft_envs_free(v);
        weft_state_free(s);
        weft_close(c);
    }
}

TEST(random_actions_become_fewer) {
    static const struct {
        weft_explore x;
        int noisy, steps;
        double epsilon;
    } cases[] = {
        {{.over = 100}, 0, 51, 1 - 0.95 * 0.5},
        {{.over = 20}, 0, 51, 0.05},
        {{.first = 0.5f, .last = -1, .over = 100}, 0, 51, 0.25},
        {{.first = 1, .last = 0.1f, .decay = 0.98f}, 0, 51, 0.36416968},
        {{.first = 1, .last = 0.6f, .decay = 0.98f}, 0, 51, 0.6},
        {{.over = 0}, 1, 51, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CASE("%zu", i);
        world w;
        if (!world_open(&w, "grid", 1, 1,
                        &(weft_dqn_desc){.explore = cases[i].x, .noisy = cases[i].noisy}))
            return;
        world_step(&w, cases[i].steps);
        CHECK_NEAR(weft_dqn_stats_of(w.a).epsilon, cases[i].epsilon, 1e-5);
        world_close(&w);
    }
    CASE("by episode");
    world w;
    if (!world_open(&w, "2048", 1, 1,
                    &(weft_dqn_desc){.explore = {.decay = 0.5f, .last = 0.01f, .by_episode = true},
                                     .by_episode = true,
                                     .updates = 3,
                                     .start = 1}))
        return;
    while (weft_dqn_stats_of(w.a).episodes < 3 && world_step(&w, 1)) {
    }
    CHECK_EQ(weft_dqn_stats_of(w.a).updates, 9);
    world_step(&w, 1);
    CHECK_NEAR(weft_dqn_stats_of(w.a).epsilon, 0.125, 1e-6);
    world_close(&w);
}

/* ---- being taught ---- */

TEST(given_actions_are_learned) {
    world w;
    grid_truth truth;
    if (!world_open(&w, "grid", 2, 1, &(weft_dqn_desc){.hidden = grid_hidden, .sparse = true}))
        return;
    grid_solve(&truth, w.c, 0.99);
    weft_envs *cells = grid_cells(&truth, w.s);
    int32_t want[GRID_STATES], action[GRID_STATES];
    float loss = 0, first = 0;
    for (int i = 0; i < truth.n; i++) {
        want[i] = 0;
        for (int k = 1; k < 4; k++)
            if (truth.q[i][k] > truth.q[i][want[i]]) want[i] = k;
    }
    for (int i = 0; i < 300; i++) {
        CHECK_EQ(weft_dqn_teach(w.a, cells, want, &loss), WEFT_OK);
        if (!i) first = loss;
    }
    CHECK(first > 0.5f && loss < 0.01f);
    CHECK_EQ(weft_dqn_act(w.a, cells, action), WEFT_OK);
    CHECK_MEM(action, want, (size_t)truth.n * sizeof *want);
    want[3] = 4;
    CHECK_EQ(weft_dqn_teach(w.a, cells, want, NULL), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(w.c), "instance 3: action 4 of 4");
    CHECK(world_step(&w, 50)); /* and it plays on */
    weft_envs_free(cells);
    world_close(&w);

    CASE("an action that is not legal");
    if (!world_open(&w, "2048", 1, 1, NULL)) return;
    *(uint64_t *)weft_envs_at(w.v, 0) = 0x11; /* two tiles in the upper left corner */
    CHECK_EQ(weft_dqn_teach(w.a, w.v, (int32_t[]){WEFT_2048_UP}, NULL), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(w.c), "instance 0: action 0 is not legal");
    CHECK_EQ(weft_dqn_teach(w.a, w.v, (int32_t[]){WEFT_2048_LEFT}, NULL), WEFT_OK);
    world_close(&w);
}

/* ---- networks of one's own, and bad input ---- */

static weft_tensor own_net(void *user, weft_state *s, weft_tensor x) {
    ++*(int *)user;
    return weft_tanh(weft_linear(s, x, 24, "mine"));
}

static weft_tensor flat_net(void *user, weft_state *s, weft_tensor x) {
    (void)user, (void)s;
    return weft_sum(x, weft_axes(1), false);
}

static weft_tensor wide_values(void *user, weft_state *s, weft_tensor x, weft_tensor action) {
    (void)user, (void)action;
    return weft_linear(s, x, 7, "wide");
}

TEST(a_network_of_ones_own) {
    int calls = 0;
    world w;
    if (!world_open(&w, "grid", 3, 1,
                    &(weft_dqn_desc){.net = own_net, .user = &calls, .dueling = true, .start = 10}))
        return;
    CHECK(calls >= 4); /* acting, learning from here and from there, the target */
    CHECK(world_step(&w, 20));
    void *const mine[] = {weft_state_copy(w.s, "agent.mine.weight"),
                          weft_state_copy(w.s, "rng.agent.target.mine.weight")};
    CHECK(mine[0] && mine[1]);
    for (int i = 0; i < 2; i++) weft_resize(w.c, mine[i], 0);
    world_close(&w);
}

/* What changes through the state's functions is checked by the next step, as what is loaded. */
static void as_after_loading(const world *w) {
    weft_rng choice;
    CHECK_EQ(weft_state_get(w->s, "rng.agent.choice", &choice, sizeof choice), WEFT_OK);
    CHECK_EQ(weft_state_set(w->s, "rng.agent.choice", &choice, sizeof choice), WEFT_OK);
}

TEST(bad_input_is_refused) {
    weft_ctx *c = weft_open("cpu");
    static const int negative[] = {16, -4, 0};
    static const weft_stage too_far[] = {{.level = 1000}, {.level = 1001}};
    static const struct {
        weft_dqn_desc d;
        const char *env, *name, *says;
    } bad[] = {
        {{.batch = -1}, "grid", "agent", "batch -1"},
        {{.hidden = negative}, "grid", "agent", "layer 2 has width -4"},
        {{.sparse = true}, "cartpole", "agent", "\"cartpole\" has no indices"},
        {{.atoms = 1, .high = 1}, "grid", "agent", "1 atoms from 0 to 1"},
        {{.atoms = 11, .low = 2, .high = 1}, "grid", "agent", "11 atoms from 2 to 1"},
        {{.polyak = 2}, "grid", "agent", "polyak 2"},
        {{.replay = {.capacity = 20}}, "grid", "agent", "starts at 32 transitions"},
        {{.loss = (weft_dqn_loss)9}, "grid", "agent", "unknown loss 9"},
        {{.stage_count = 2}, "grid", "agent", "2 stages"},
        {{.stages = too_far, .stage_count = 2}, "cube", "agent", "stage 1 has level 1001"},
        {{.net = flat_net}, "grid", "agent", "rank 1"},
        {{.values = wide_values}, "grid", "agent", "[2, 4] was expected"},
        {{.values = wide_values, .dueling = true}, "grid", "agent", "the whole network"},
        {{.replay = {.gamma = -1}}, "grid", "agent", "gamma -1"},
        {{0}, "grid", "a.b", "without dots"},
        {{0}, "grid", "", "a name"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CASE("%s", bad[i].says);
        weft_state *s = weft_state_new(c);
        weft_envs *v = weft_envs_new(s, weft_env_named(c, bad[i].env), 2, "games", NULL);
        CHECK(!weft_dqn_new(s, v, bad[i].name, &bad[i].d));
        CHECK_HAS(weft_error(c), bad[i].says);
        weft_envs_free(v);
        weft_state_free(s);
    }
    CASE("nothing");
    CHECK(!weft_dqn_new(NULL, NULL, "agent", NULL));
    CHECK(!weft_env_named(c, "chess"));
    CHECK_HAS(weft_error(c), "unknown environment \"chess\"");
    weft_dqn_free(NULL);
    weft_close(c);

    CASE("another environment");
    world w, other;
    if (!world_open(&w, "grid", 2, 1, NULL)) return;
    weft_envs *poles = weft_envs_new(w.s, weft_env_named(w.c, "cartpole"), 2, "poles", NULL);
    int32_t action[2];
    CHECK_EQ(weft_dqn_act(w.a, poles, action), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(w.c), "learns \"grid\" and was asked about \"cartpole\"");
    weft_envs_free(poles);

    CASE("a checkpoint of another network");
    const run_folder folder = run_make();
    const char *const path = run_path(&folder, "agent.safetensors");
    CHECK_EQ(weft_checkpoint_save(w.s, path, NULL), WEFT_OK);
    if (!world_open(&other, "grid", 2, 1, &(weft_dqn_desc){.hidden = grid_hidden})) return;
    CHECK(weft_checkpoint_load(other.s, path, NULL) != WEFT_OK);
    CHECK_HAS(weft_error(other.c), "agent.");
    world_close(&other);
    world_close(&w);
    run_remove(folder.path);

    CASE("a spoiled state");
    if (!world_open(&w, "grid", 2, 1, NULL)) return;
    CHECK(world_step(&w, 5));
    *(int32_t *)weft_state_data(w.s, "rng.agent.replay.head") = -3;
    as_after_loading(&w);
    CHECK_EQ(weft_dqn_step(w.a, 0, NULL), WEFT_STATE);
    CHECK_HAS(weft_error(w.c), "ring 0");
    int64_t *count = weft_state_data(w.s, "rng.agent.count"); /* the last: episodes of the stage */
    count[3] = -1;
    CHECK_EQ(weft_dqn_step(w.a, 0, NULL), WEFT_STATE);
    CHECK_HAS(weft_error(w.c), "-1 of them in stage 0");
    count[3] = 0;
    memset(weft_state_data(w.s, "rng.agent.choice"), 0, sizeof(weft_rng));
    CHECK_EQ(weft_dqn_step(w.a, 0, NULL), WEFT_STATE);
    CHECK_HAS(weft_error(w.c), "no random numbers");
    world_close(&w);
}

/* Every allocation fails once, of the later ones some: nothing is lost, and then it works. */
TEST(out_of_memory) {
    static const int small[] = {8, 0};
    const weft_dqn_desc d = {.hidden = small,
                             .dueling = true,
                             .noisy = true,
                             .atoms = 5,
                             .high = 1,
                             .batch = 8,
                             .replay = {.capacity = 100, .n_step = 2, .prioritised = true}};
    bool failed = true;
    for (long fail = 1; failed; fail += 1 + fail / 20) {
        heap h = {0};
        weft_ctx *c = weft_open_with(
            &(weft_open_desc){.device = "cpu", .threads = 1, .resize = heap_resize, .user = &h});
        weft_state *s = weft_state_new(c);
        weft_envs *v = weft_envs_new(s, weft_env_named(c, "grid"), 2, "games", NULL);
        h.fail_at = h.made + fail;
        weft_dqn *a = weft_dqn_new(s, v, "agent", &d);
        failed = h.failed;
        h.fail_at = 0;
        CHECK(a || (failed && weft_error_code(c) == WEFT_MEMORY));
        if (!a) a = weft_dqn_new(s, v, "agent", &d);
        for (int i = 0; i < 8 && CHECK(a); i++) CHECK_EQ(weft_dqn_step(a, i, NULL), WEFT_OK);
        weft_dqn_free(a);
        weft_envs_free(v);
        weft_state_free(s);
        weft_close(c);
        CHECK_EQ(h.live, 0);
    }
}
