/* tables.h - the environments of this folder, each in its own file; env.c lists them. */
#ifndef WEFT_RL_TABLES_H
#define WEFT_RL_TABLES_H

#include "rl/rng.h"
#include <string.h>

#define ENV_TABLES(X)                                                                              \
    X(env_2048)                                                                                    \
    X(env_2048_raw)                                                                                \
    X(env_2048_one_hot)                                                                            \
    X(env_cube)                                                                                    \
    X(env_cube_slots)                                                                              \
    X(env_cube3)                                                                                   \
    X(env_cartpole)                                                                                \
    X(env_grid)

#define X(table) extern const weft_env table;
ENV_TABLES(X)
#undef X

/* Turns of the longest scramble: far more than it takes to be anywhere. */
enum { ENV_TURNS = 1000 };

/* The same observation as floats: a 1 for each index, 0 elsewhere. */
static inline void env_one_hot(const int32_t *slots, int n, float *obs, int words) {
    memset(obs, 0, (size_t)words * sizeof *obs);
    for (int i = 0; i < n; i++) obs[slots[i]] = 1;
}

#endif
