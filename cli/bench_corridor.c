/* bench_corridor.c - does an agent learn at all? Five cells in a row, and values known beforehand.
 *
 * To the left of the first cell lies 0.8, to the right of the last 1; a step further on is worth 0.7
 * of it. So from the first two cells left is best, from the others right. An agent that moves its
 * parameters the wrong way, or not at all, finds neither that nor what it is worth. */
#include "bench_q.h"

#include "command.h"

#include <math.h>
#include <string.h>

enum { CORRIDOR_CELLS = 5, CORRIDOR_GAMES = 8, CORRIDOR_STEPS = 1200 };
static const float corridor_left = 0.8f, corridor_right = 1, corridor_gamma = 0.7f;

static void corridor_reset(void *e, weft_rng *r, int level) {
    (void)level;
    *(int32_t *)e = (int32_t)weft_rng_below(r, CORRIDOR_CELLS);
}

static float corridor_step(void *e, weft_rng *r, int action, bool *done) {
    int32_t *const at = e;
    (void)r;
    const int32_t to = *at + (action ? 1 : -1);
    *done = to < 0 || to == CORRIDOR_CELLS;
    if (*done) return to < 0 ? corridor_left : corridor_right;
    *at = to;
    return 0;
}

static void corridor_observe(const void *e, float *obs) {
    for (int i = 0; i < CORRIDOR_CELLS; i++) obs[i] = i == *(const int32_t *)e;
}

static void corridor_index(const void *e, int32_t *slots) {
    *slots = *(const int32_t *)e;
}

static const weft_env corridor = {.name = "corridor",
                                  .size = sizeof(int32_t),
                                  .obs = CORRIDOR_CELLS,
                                  .slots = 1,
                                  .words = CORRIDOR_CELLS,
                                  .actions = 2,
                                  .limit = 50,
                                  .reset = corridor_reset,
                                  .step = corridor_step,
                                  .observe = corridor_observe,
                                  .index = corridor_index};

static int corridor_check(bench *b, weft_dqn *a, const weft_envs *v) {
    float q[CORRIDOR_CELLS][2];
    if (weft_dqn_values(a, v, &q[0][0]) != WEFT_OK) return bench_failed(b, "the corridor");
    for (int i = 0; i < CORRIDOR_CELLS; i++) {
        const double left = (double)corridor_left * pow((double)corridor_gamma, i);
        const double right = pow((double)corridor_gamma, CORRIDOR_CELLS - 1 - i);
        const double want = fmax(left, right), got = (double)fmaxf(q[i][0], q[i][1]);
        if ((q[i][1] > q[i][0]) != (right > left) || !(fabs(got - want) < 0.15))
            return bench_wrong(b,
                               "corridor: the learned values of cell %d are %.2f (left) and %.2f "
                               "(right), expected %.2f and %.2f",
                               i, (double)q[i][0], (double)q[i][1], left, right);
    }
    return EXIT_GOOD;
}

static int corridor_learn(bench *b, weft_dqn *a, weft_state *s) {
    for (int i = 0; i < CORRIDOR_STEPS; i++)
        if (weft_dqn_step(a, 0, NULL) != WEFT_OK) return bench_failed(b, "the corridor");
    weft_envs *const all = weft_envs_new(s, &corridor, CORRIDOR_CELLS, "all", NULL);
    if (!all) return bench_failed(b, "the corridor");
    for (int32_t i = 0; i < CORRIDOR_CELLS; i++) memcpy(weft_envs_at(all, i), &i, sizeof i);
    const int status = corridor_check(b, a, all);
    weft_envs_free(all);
    return status;
}

int corridor_true(bench *b, const weft_dqn_desc *like) {
    weft_dqn_desc d = *like;
    d.start = 200;
    d.target_every = 50;
    d.replay.capacity = 4000;
    d.replay.gamma = corridor_gamma;
    d.replay.scale = 1;
    if (d.explore.over) d.explore.over = CORRIDOR_STEPS / 3;
    if (d.atoms) d.low = 0, d.high = 1.2f;
    weft_state *const s = weft_state_new(b->ctx);
    weft_envs *const v =
        s ? weft_envs_new(s, &corridor, CORRIDOR_GAMES, "games", &(weft_envs_desc){.seed = 1})
          : NULL;
    weft_dqn *const a = v ? weft_dqn_new(s, v, "agent", &d) : NULL;
    const bool plain = !d.noisy && !d.atoms && !d.replay.prioritised;
    int status = a ? EXIT_GOOD : bench_failed(b, "making the agent");
    if (a && plain) status = q_true(b, &(q_agent){s, v, a, "agent", &d});
    if (status == EXIT_GOOD) status = corridor_learn(b, a, s);
    weft_dqn_free(a);
    weft_envs_free(v);
    weft_state_free(s);
    return status;
}
