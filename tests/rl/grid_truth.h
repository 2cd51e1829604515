/* grid_truth.h - the grid-world solved exactly, by value iteration over the environment itself. */
#ifndef WEFT_TEST_GRID_TRUTH_H
#define WEFT_TEST_GRID_TRUTH_H

#include "test.h"
#include <weft/rl.h>

#include <math.h>

enum { GRID_STATES = WEFT_GRID_ROWS * WEFT_GRID_COLUMNS };

typedef struct grid_truth {
    const weft_env *e;
    int n;                     /* cells where somebody can be */
    int32_t cell[GRID_STATES]; /* their numbers */
    double q[GRID_STATES][4];  /* what an action is worth, by cell of the list */
    double best[GRID_STATES];
} grid_truth;

static inline void grid_solve(grid_truth *t, weft_ctx *c, double gamma) {
    double value[GRID_STATES] = {0}, change = 1;
    weft_rng r;
    weft_rng_seed(&r, 1, 1);
    t->e = weft_env_named(c, "grid");
    t->n = 0;
    for (int32_t i = 0; i < GRID_STATES; i++)
        if (t->e->check(c, &(weft_grid){i}) == WEFT_OK) t->cell[t->n++] = i;
    while (change > 1e-12) {
        change = 0;
        for (int i = 0; i < t->n; i++) {
            double best = -INFINITY;
            for (int k = 0; k < 4; k++) {
                weft_grid g = {t->cell[i]};
                bool done = false;
                const double reward = (double)t->e->step(&g, &r, k, &done);
                t->q[i][k] = reward + (done ? 0 : gamma * value[g.cell]);
                if (t->q[i][k] > best) best = t->q[i][k];
            }
            change = fmax(change, fabs(best - value[t->cell[i]]));
            value[t->cell[i]] = t->best[i] = best;
        }
    }
}

/* A vector with one instance in each of those cells. */
static inline weft_envs *grid_cells(const grid_truth *t, weft_state *s) {
    weft_envs *v = weft_envs_new(s, t->e, t->n, "cells", NULL);
    for (int i = 0; i < t->n; i++) ((weft_grid *)weft_envs_at(v, i))->cell = t->cell[i];
    return v;
}

#endif
