/* bench_rl.c - reinforcement learning, timed as a whole: environment, acting, replay and learning.
 *
 * Two benchmarks are those of other systems, with their defects mended and everything else as they
 * have it: a small network that learns 2048, and a dueling one that learns scrambles of the cube.
 * Before they are timed, an update is compared with one in plain C (bench_q.h).
 * Both are one call of weft_dqn_new and a loop around weft_dqn_step. */
#include "bench.h"
#include "bench_q.h"
#include "command.h"

#include "base/snapshot.h"

#include <weft/rl.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the agents share ---- */

typedef struct rl_world {
    weft_state *s;
    weft_envs *v;
    weft_dqn *a;
} rl_world;

static int rl_threads(const bench *b) {
    return b->threads ? b->threads : 1;
}

static void rl_close(rl_world *w) {
    weft_dqn_free(w->a);
    weft_envs_free(w->v);
    weft_state_free(w->s);
}

static int rl_open(bench *b, rl_world *w, const weft_env *e, int level, const weft_dqn_desc *d) {
    *w = (rl_world){.s = weft_state_new(b->ctx)};
    if (!w->s || !e) return bench_failed(b, "starting");
    weft_state_seed(w->s, 1);
    w->v = weft_envs_new(w->s, e, 1, "game", &(weft_envs_desc){.seed = 1, .level = level});
    w->a = w->v ? weft_dqn_new(w->s, w->v, "agent", d) : NULL;
    return w->a ? EXIT_GOOD : bench_failed(b, "making the agent");
}

/* Checks an update of the agent; then all is as it was, which is kept in first. */
static int rl_true(bench *b, rl_world *w, const weft_dqn_desc *d, snapshot *first) {
    if (snapshot_take(first, w->s, NULL)) return bench_failed(b, "copying the state");
    const int status = q_true(b, &(q_agent){w->s, w->v, w->a, "agent", d});
    if (status != EXIT_GOOD) return status;
    return snapshot_restore(first, w->s) ? bench_failed(b, "setting the state back") : EXIT_GOOD;
}

/* ---- the bare game ---- */

typedef struct rl_game {
    const weft_env *e;
    uint64_t board;
    weft_rng r;
    int64_t games;
    double score;
} rl_game;

enum { RL_GAME_STEPS = 100000 };

static void rl_play(void *user) {
    rl_game *const g = user;
    for (int i = 0; i < RL_GAME_STEPS; i++) {
        bool done = false;
        const int action = weft_rng_choose(&g->r, g->e->legal(&g->board));
        g->score += (double)g->e->step(&g->board, &g->r, action, &done);
        if (!done) continue;
        g->games++;
        g->e->reset(&g->board, &g->r, 0);
    }
}

int bench_env_2048(bench *b) {
    rl_game g = {.e = weft_env_named(b->ctx, "2048")};
    if (!g.e) return bench_failed(b, "starting");
    weft_rng_seed(&g.r, 1, 0);
    g.e->reset(&g.board, &g.r, 0);
    for (int i = 0; i < (b->quick ? 10 : 100); i++) rl_play(&g);
    const double mean = g.score / (double)g.games;
    const double error = 520 / sqrt((double)g.games); /* a game's deviation is about 520 */
    if (fabs(mean - 1096) > 5 * error + 5)
        return bench_wrong(b, "random games have a mean score of %.1f, not about 1096", mean);
    bench_line l = {.part = "", .stats = {.threads = 1}};
    const weft_bench_desc effort = bench_effort(b, 1);
    weft_bench_time(&effort, &(weft_bench_call){rl_play, &g}, 1, &l.time);
    bench_per(&l, RL_GAME_STEPS);
    bench_number(&l, "steps_per_s", 1e6 / l.time.median_us);
    bench_number(&l, "mean_score", mean);
    snprintf(l.note, sizeof l.note, "%.1f M steps/s", 1 / l.time.median_us);
    bench_write(b, &l);
    return EXIT_GOOD;
}

/* ---- 2048, 100 games ---- */

enum { RL_EPISODES = 100, RL_SAMPLE_RUNS = 4 }; /* runs of 4 ms and little more */

typedef struct rl_total {
    int64_t episodes, steps, updates;
    double score;
} rl_total;

/* One run of 100 games from the beginning; gives its seconds, or below 0. */
static double rl_run(rl_world *w, const snapshot *first, uint64_t seed, rl_total *t) {
    if (snapshot_restore(first, w->s)) return -1;
    weft_rng_seed(weft_envs_rng(w->v, 0), seed, 0);
    const double start = weft_clock();
    while (weft_envs_episodes(w->v) < RL_EPISODES)
        if (weft_dqn_step(w->a, 0, NULL)) return -1;
    const double took = weft_clock() - start;
    const weft_dqn_stats s = weft_dqn_stats_of(w->a);
    t->episodes += s.episodes;
    t->steps += s.steps;
    t->updates += s.updates;
    t->score += (double)s.mean * (double)s.episodes;
    return took;
}

static int rl_dqn2048_time(bench *b, rl_world *w, const snapshot *first) {
    double us[WEFT_BENCH_SAMPLES] = {0};
    const double budget = b->quick ? 0.05 : 2, start = weft_clock();
    rl_total t = {0};
    int runs = 0, samples = 0;
    uint64_t before = 0;
    for (; samples < WEFT_BENCH_SAMPLES && (samples < 5 || weft_clock() - start < budget);
         samples++)
        for (int i = 0; i < RL_SAMPLE_RUNS; i++, runs++) {
            if (runs == 1) before = weft_allocations(b->ctx);
            const double took = rl_run(w, first, (uint64_t)runs + 1, &t);
            if (took < 0) return bench_failed(b, "playing");
            us[samples] += 1e6 * took / RL_EPISODES / RL_SAMPLE_RUNS;
        }
    const double score = t.score / (double)t.episodes;
    const weft_dqn_stats s = weft_dqn_stats_of(w->a);
    if (t.updates != t.episodes || fabs((double)s.epsilon - pow(0.995, RL_EPISODES - 1)) > 1e-4)
        return bench_wrong(b, "%lld updates in %lld episodes, random actions at %g",
                           (long long)t.updates, (long long)t.episodes, (double)s.epsilon);
    if (!(score > 900 && score < 2000) || !isfinite(s.loss))
        return bench_wrong(b, "a mean score of %g, loss %g", score, (double)s.loss);
    bench_line l = {.part = b->raw ? "raw" : "", .stats = {.threads = rl_threads(b)}};
    l.allocs_per_run = (double)(weft_allocations(b->ctx) - before) / (double)(runs - 1);
    weft_bench_summary(us, (size_t)samples, &l.time);
    bench_number(&l, "episodes_per_s", 1e6 / l.time.median_us);
    bench_number(&l, "steps_per_s", (double)t.steps / (double)t.episodes * 1e6 / l.time.median_us);
    bench_number(&l, "steps_per_episode", (double)t.steps / (double)t.episodes);
    bench_number(&l, "mean_score", score);
    bench_text(&l, "input", b->raw ? "raw" : "log2");
    snprintf(l.note, sizeof l.note, "%.0f episodes/s", 1e6 / l.time.median_us);
    bench_write(b, &l);
    return EXIT_GOOD;
}

int bench_dqn2048(bench *b) {
    static const int hidden[] = {64, 64, 0};
    static const weft_optimiser_desc adam = {.kind = WEFT_OPTIMISER_ADAM, .lr = 1e-3f};
    const weft_dqn_desc d = {.hidden = hidden,
                             .batch = 32,
                             .by_episode = true,
                             .loss = WEFT_DQN_ALL_OUTPUTS,
                             .no_target = true,
                             .no_legal = true,
                             .replay = {.capacity = 1000, .gamma = 0.99f},
                             .optimiser = &adam,
                             .explore = {1, 0.1f, .decay = 0.995f, .by_episode = true},
                             .window = RL_EPISODES,
                             .threads = rl_threads(b),
                             .seed = 1};
    rl_world w;
    snapshot first = {0}; /* so that each run begins alike */
    int status = rl_open(b, &w, weft_env_named(b->ctx, b->raw ? "2048-raw" : "2048"), 0, &d);
    if (status == EXIT_GOOD) status = rl_true(b, &w, &d, &first);
    if (status == EXIT_GOOD) status = rl_dqn2048_time(b, &w, &first);
    snapshot_free(&first);
    rl_close(&w);
    return status;
}

/* ---- the cube, 2000 scrambles of four turns ---- */

enum { RL_CUBE_LEVEL = 4, RL_CUBE_LIMIT = 50, RL_CUBE_DEEPEST = 6, RL_CUBE_TESTED = 500 };

/* The 24 stickers x 6 colours as indices: the input of zinc, gathered instead of multiplied. */
static void rl_cube_index(const void *e, int32_t *slots) {
    uint8_t colour[24];
    weft_cube_stickers(*(const uint32_t *)e, colour);
    for (int i = 0; i < 24; i++) slots[i] = 6 * i + colour[i];
}

/* How many of the cubes in v, which are all at their first turn, greedy play solves in 50. */
static int rl_cube_solved(rl_world *w, weft_envs *v, weft_err *e) {
    int32_t action[RL_CUBE_TESTED];
    float reward[RL_CUBE_TESTED];
    uint8_t done[RL_CUBE_TESTED], over[RL_CUBE_TESTED] = {0};
    const int n = weft_envs_count(v);
    int solved = 0;
    for (int i = 0; i < n; i++)
        if (*(uint32_t *)weft_envs_at(v, i) == 0) over[i] = 1, solved++;
    for (int t = 0; t < RL_CUBE_LIMIT && !*e; t++) {
        *e = weft_dqn_act(w->a, v, action);
        if (!*e) *e = weft_envs_step(v, action, reward, done);
        for (int i = 0; i < n && !*e; i++) {
            if (!done[i] || over[i]) continue;
            over[i] = 1;
            solved += done[i] == WEFT_TERMINATED;
        }
    }
    return solved;
}

/* Cubes at a distance, or after random turns where the distance is below 0. */
static void rl_cube_fill(weft_envs *v, const uint8_t *distance, int at, weft_rng *r) {
    for (int i = 0; i < weft_envs_count(v); i++) {
        uint32_t cube = weft_cube_scramble(0, at < 0 ? RL_CUBE_LEVEL : at, r);
        while (at >= 0 && distance[cube] != at) cube = weft_cube_scramble(0, at, r);
        *(uint32_t *)weft_envs_at(v, i) = cube;
    }
}

/* Each time in a state of its own: what was played before would count towards the limit. */
static double rl_cube_share(bench *b, rl_world *w, const uint8_t *distance, int at, weft_rng *r,
                            weft_err *e) {
    weft_state *s = weft_state_new(b->ctx);
    weft_envs *v =
        s ? weft_envs_new(s, weft_envs_env(w->v), RL_CUBE_TESTED, "evaluation", NULL) : NULL;
    int solved = 0;
    if (!v) *e = weft_error_code(b->ctx);
    else {
        rl_cube_fill(v, distance, at, r);
        solved = rl_cube_solved(w, v, e);
    }
    weft_envs_free(v);
    weft_state_free(s);
    return (double)solved / RL_CUBE_TESTED;
}

static int rl_cube_evaluate(bench *b, rl_world *w, bench_line *l) {
    static const char *const name[RL_CUBE_DEEPEST + 1] = {
        "k4_greedy", "greedy_d1", "greedy_d2", "greedy_d3", "greedy_d4", "greedy_d5", "greedy_d6"};
    uint8_t *distance = malloc(WEFT_CUBE_STATES);
    weft_err e = distance ? WEFT_OK : weft_fail(b->ctx, WEFT_MEMORY, "out of memory");
    weft_rng r;
    weft_rng_seed(&r, 99, 0);
    if (!e) weft_cube_distances(distance);
    for (int at = 0; at <= RL_CUBE_DEEPEST && !e; at++) {
        const double share = rl_cube_share(b, w, distance, at ? at : -1, &r, &e);
        bench_number(l, name[at], share);
        if (!at) snprintf(l->note, sizeof l->note, "greedy %.1f %% of 4 turns", 100 * share);
    }
    free(distance);
    return e ? bench_failed(b, "evaluating") : EXIT_GOOD;
}

static int rl_cube_run(bench *b, rl_world *w) {
    const int64_t episodes = b->quick ? 60 : 2000;
    bench_line l = {.part = "", .stats = {.threads = rl_threads(b)}};
    double start = 0;
    uint64_t before = 0;
    int64_t first = -1;
    weft_dqn_stats s = {0};
    while (weft_envs_episodes(w->v) < episodes || first < 0) {
        if (weft_dqn_step(w->a, 0, NULL)) return bench_failed(b, "learning");
        if (first >= 0) continue;
        s = weft_dqn_stats_of(w->a);
        if (s.updates < 1) continue;
        first = s.updates;
        before = weft_allocations(b->ctx);
        start = weft_clock();
    }
    const double took = weft_clock() - start;
    s = weft_dqn_stats_of(w->a);
    if (!isfinite(s.loss)) return bench_wrong(b, "the loss is %g", (double)s.loss);
    const double updates = (double)(s.updates - first);
    l.allocs_per_run = (double)(weft_allocations(b->ctx) - before) / updates;
    weft_bench_summary(&(double){1e6 * took / updates}, 1, &l.time);
    bench_number(&l, "train_steps_per_s", updates / took);
    bench_number(&l, "updates", (double)s.updates);
    bench_number(&l, "episodes", (double)s.episodes);
    bench_number(&l, "seconds", took);
    const int status = rl_cube_evaluate(b, w, &l);
    if (status == EXIT_GOOD) bench_write(b, &l);
    return status;
}

int bench_cube(bench *b) {
    static const int hidden[] = {256, 128, 64, 0};
    static const weft_optimiser_desc sgd = {.kind = WEFT_OPTIMISER_SGD, .lr = 0.005f};
    const weft_dqn_desc d = {.hidden = hidden,
                             .sparse = true,
                             .dueling = true,
                             .batch = 64,
                             .start = 1500,
                             .loss = WEFT_DQN_MSE,
                             .target_every = 200,
                             .polyak = 0.01f,
                             .replay = {.capacity = 20000, .n_step = 3, .gamma = 0.99f},
                             .optimiser = &sgd,
                             .explore = {1, 0.01f, .decay = 0.999f, .by_episode = true},
                             .threads = rl_threads(b),
                             .seed = 1};
    const weft_env *const cube = weft_env_named(b->ctx, "cube");
    if (!cube) return bench_failed(b, "starting");
    weft_env stickers = *cube;
    stickers.slots = 24;
    stickers.words = 24 * 6;
    stickers.index = rl_cube_index;
    rl_world w;
    snapshot first = {0};
    int status = rl_open(b, &w, &stickers, RL_CUBE_LEVEL, &d);
    if (status == EXIT_GOOD) status = rl_true(b, &w, &d, &first);
    if (status == EXIT_GOOD) status = rl_cube_run(b, &w);
    snapshot_free(&first);
    rl_close(&w);
    return status;
}
