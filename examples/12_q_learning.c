/* 12_q_learning.c - a pole on a cart, kept upright by Q-learning with some of the parts of Rainbow.
 * Training and evaluation use separate games. */
#include <stdio.h>
#include <weft/rl.h>

enum { GAMES = 8, EVALUATED = 30, STEPS = 40000, EVERY = 1000 };

/* The mean length of games that the agent plays with its best actions: the same games each time. */
static double evaluated(weft_ctx *c, weft_dqn *agent) {
    float length[EVALUATED];
    double mean = 0;
    weft_state *s = weft_state_new(c);
    weft_envs *v = weft_envs_new(s, weft_env_named(c, "cartpole"), EVALUATED, "evaluated",
                                 &(weft_envs_desc){.seed = 1000});
    if (v && weft_envs_play(v, weft_dqn_act, agent, 500, length) == WEFT_OK)
        for (int i = 0; i < EVALUATED; i++) mean += (double)length[i] / EVALUATED;
    weft_envs_free(v);
    weft_state_free(s);
    return mean;
}

int main(void) {
    weft_ctx *c = weft_open("auto");
    weft_state *s = weft_state_new(c); /* parameters, games, replay, random numbers: all of it */
    weft_envs *games = weft_envs_new(s, weft_env_named(c, "cartpole"), GAMES, "games",
                                     &(weft_envs_desc){.seed = 1});
    static const int hidden[] = {64, 64, 0};
    weft_dqn *agent =
        weft_dqn_new(s, games, "agent",
                     &(weft_dqn_desc){.hidden = hidden,
                                      .dueling = true,
                                      .batch = 128,
                                      .start = 1000,
                                      .updates = 2,
                                      .target_every = 100,
                                      .replay = {.capacity = 50000, .n_step = 3, .scale = 0.1f},
                                      .explore = {.first = 1, .last = 0.05f, .over = 3000},
                                      .seed = 2});
    if (!agent) return fprintf(stderr, "%s\n", weft_error(c)), 1;

    double mean = 0;
    for (int i = 1; i <= STEPS && mean < 475; i++) {
        if (weft_dqn_step(agent, i, NULL)) return fprintf(stderr, "%s\n", weft_error(c)), 1;
        if (i % EVERY) continue;
        mean = evaluated(c, agent);
        const weft_dqn_stats now = weft_dqn_stats_of(agent);
        printf("%6d steps, %5d updates: learning %5.1f, evaluated %5.1f\n", i * GAMES,
               (int)now.updates, (double)now.mean, mean);
    }
    weft_dqn_free(agent);
    weft_envs_free(games);
    weft_state_free(s);
    weft_close(c);
    return mean >= 475 ? 0 : 1;
}
