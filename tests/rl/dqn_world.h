/* dqn_world.h - an agent and all it needs, for the tests of Q-learning. */
#ifndef WEFT_TEST_DQN_WORLD_H
#define WEFT_TEST_DQN_WORLD_H

#include "run_folder.h" /* first: it asks for more of the system */

#include "grid_truth.h"
#include "test.h"
#include <weft/io.h>
#include <weft/rl.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int grid_hidden[] = {64, 0};
static const int table[] = {0}; /* no layer below the head: a value for each cell and action */

typedef struct world {
    weft_ctx *c;
    weft_state *s;
    weft_envs *v;
    weft_dqn *a;
} world;

static inline bool world_open(world *w, const char *env, int n, int threads,
                              const weft_dqn_desc *d) {
    *w = (world){0};
    w->c = weft_open_with(&(weft_open_desc){.device = "cpu", .threads = threads});
    w->s = weft_state_new(w->c);
    weft_state_seed(w->s, 1);
    w->v =
        weft_envs_new(w->s, weft_env_named(w->c, env), n, "games", &(weft_envs_desc){.seed = 11});
    w->a = weft_dqn_new(w->s, w->v, "agent", d);
    if (CHECK(w->a)) return true;
    CHECK_STR(weft_error(w->c), "");
    return false;
}

static inline void world_close(world *w) {
    weft_dqn_free(w->a);
    weft_envs_free(w->v);
    weft_state_free(w->s);
    weft_close(w->c);
}

static inline bool world_step(world *w, int steps) {
    for (int i = 0; i < steps; i++)
        if (weft_dqn_step(w->a, i, NULL) != WEFT_OK) {
            CHECK_STR(weft_error(w->c), "");
            return false;
        }
    return true;
}

#endif
