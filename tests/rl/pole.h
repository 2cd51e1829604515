/* pole.h - how long a pole stands, by whoever chooses the actions. */
#ifndef WEFT_TEST_POLE_H
#define WEFT_TEST_POLE_H

#include "test.h"
#include <weft/rl.h>

/* The mean of fifty games, every time the same ones, from their beginning. */
static inline double pole_mean(weft_ctx *c, weft_act act, void *agent) {
    enum { GAMES = 50 };
    float total[GAMES] = {0};
    double sum = 0;
    weft_state *apart = weft_state_new(c);
    weft_envs *v = weft_envs_new(apart, weft_env_named(c, "cartpole"), GAMES, "judged",
                                 &(weft_envs_desc){.seed = 1000});
    if (CHECK(v)) CHECK_EQ(weft_envs_play(v, act, agent, 600, total), WEFT_OK);
    for (int i = 0; i < GAMES; i++) sum += (double)total[i];
    weft_envs_free(v);
    weft_state_free(apart);
    return sum / GAMES;
}

#endif
