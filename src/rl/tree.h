/* tree.h - sampling in proportion to weights.
 *
 * Sixteen children per node: a node is a cache line, and a million leaves are five lines deep.
 * A parent is the sum of its children in order, recomputed whenever one changes, so rounding does
 * not accumulate. The memory is the caller's. */
#ifndef WEFT_RL_TREE_H
#define WEFT_RL_TREE_H

#include <stdint.h>

enum { TREE_WIDTH = 16, TREE_LEVELS = 8 };

typedef struct tree {
    float *level[TREE_LEVELS]; /* leaves first; the last is a single node */
    int levels;
} tree;

int64_t tree_floats(int64_t leaves);                  /* room it needs */
void tree_over(tree *t, float *room, int64_t leaves); /* lays it out there */
void tree_set(tree *t, int64_t leaf, float value);
float tree_total(const tree *t);
int64_t tree_find(const tree *t, float share); /* whose part of the sum this is; share < total */
int64_t tree_check(const tree *t, int64_t leaves); /* how many are above 0; -1: sums are wrong */

#endif
