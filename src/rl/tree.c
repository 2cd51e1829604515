/* tree.c - the sums of tree.h. */
#include "rl/tree.h"

#include <math.h>

static int64_t tree_padded(int64_t n) {
    return (n + TREE_WIDTH - 1) / TREE_WIDTH * TREE_WIDTH;
}

int64_t tree_floats(int64_t leaves) {
    int64_t sum = 0, n = leaves;
    for (;; n = tree_padded(n) / TREE_WIDTH) {
        sum += tree_padded(n);
        if (n <= TREE_WIDTH) return sum;
    }
}

void tree_over(tree *t, float *room, int64_t leaves) {
    t->levels = 0;
    for (int64_t n = leaves;; n = tree_padded(n) / TREE_WIDTH) {
        t->level[t->levels++] = room;
        room += tree_padded(n);
        if (n <= TREE_WIDTH) return;
    }
}

static float tree_sum(const float *child) {
    float sum = 0;
    for (int i = 0; i < TREE_WIDTH; i++) sum += child[i];
    return sum;
}

void tree_set(tree *t, int64_t leaf, float value) {
    t->level[0][leaf] = value;
    for (int l = 1; l < t->levels; l++) {
        leaf /= TREE_WIDTH;
        t->level[l][leaf] = tree_sum(t->level[l - 1] + leaf * TREE_WIDTH);
    }
}

float tree_total(const tree *t) {
    return tree_sum(t->level[t->levels - 1]);
}

/* Rounding may leave a share beyond the last child: then the last that is not 0 has it. */
int64_t tree_find(const tree *t, float share) {
    int64_t at = 0;
    for (int l = t->levels - 1; l >= 0; l--) {
        const float *const child = t->level[l] + at * TREE_WIDTH;
        int chosen = 0;
        for (int i = 0; i < TREE_WIDTH; i++) {
            if (!(child[i] > 0)) continue;
            chosen = i;
            if (share < child[i]) break;
            share -= child[i];
        }
        at = at * TREE_WIDTH + chosen;
    }
    return at;
}

int64_t tree_check(const tree *t, int64_t leaves) {
    int64_t above = 0, n = leaves;
    for (int l = 0; l < t->levels; l++, n = tree_padded(n) / TREE_WIDTH)
        for (int64_t i = 0; i < tree_padded(n); i++) {
            const float value = t->level[l][i];
            const float want = i >= n ? 0 : l ? tree_sum(t->level[l - 1] + i * TREE_WIDTH) : value;
            if (!(value >= 0 && value < INFINITY) || value != want) return -1;
            above += l == 0 && value > 0;
        }
    return above;
}
