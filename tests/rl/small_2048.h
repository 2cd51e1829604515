/* small_2048.h - 2048 on two rows of two cells, and what is exactly true of it.
 *
 * A state is four cells, exponents of tiles; no tile gets beyond 32. The sum of the tiles only
 * grows, so values follow from each other by recursion, exactly. New tiles come with the chances of
 * the real game. Shares nothing with the library but its random numbers. */
#ifndef WEFT_TEST_SMALL_2048_H
#define WEFT_TEST_SMALL_2048_H

#include "weft/rl.h"

#include <math.h>
#include <string.h>

enum { SMALL_CELLS = 4, SMALL_WORDS = 1296 }; /* 6^4 */
typedef struct small {
    uint8_t cell[SMALL_CELLS];
} small;

static inline uint32_t small_number(const small *s) {
    return (uint32_t)(((s->cell[0] * 6 + s->cell[1]) * 6 + s->cell[2]) * 6 + s->cell[3]);
}

/* Two cells, slid towards the first; the points. */
static inline float small_pair(uint8_t *to, uint8_t *from) {
    if (*to == *from && *to) {
        ++*to, *from = 0;
        return (float)(1 << *to);
    }
    if (!*to) *to = *from, *from = 0;
    return 0;
}

static inline uint32_t small_moves(const void *state, void *after, float *reward) {
    static const uint8_t pairs[4][4] = {{0, 2, 1, 3}, {2, 0, 3, 1}, {0, 1, 2, 3}, {1, 0, 3, 2}};
    uint32_t legal = 0;
    for (int a = 0; a < 4; a++) {
        small s = *(const small *)state;
        const uint8_t *const p = pairs[a];
        reward[a] = small_pair(&s.cell[p[0]], &s.cell[p[1]]);
        reward[a] += small_pair(&s.cell[p[2]], &s.cell[p[3]]);
        legal |= (uint32_t)(memcmp(&s, state, sizeof s) != 0) << a;
        ((small *)after)[a] = s;
    }
    return legal;
}

static inline void small_chance(const void *after, void *state, weft_rng *r) {
    small s = *(const small *)after;
    uint32_t empty = 0;
    for (int i = 0; i < SMALL_CELLS; i++) empty |= (uint32_t)(s.cell[i] == 0) << i;
    const int at = weft_rng_choose(r, empty);
    s.cell[at] = weft_rng_uniform(r) < 0.1f ? 2 : 1;
    *(small *)state = s;
}

static inline void small_start(void *state, weft_rng *r) {
    small s = {{0}};
    small_chance(&s, &s, r);
    small_chance(&s, &s, r);
    *(small *)state = s;
}

/* Each after state has an entry of its own. */
static inline void small_index(const void *after, int first, int n, uint32_t *entries) {
    (void)first, (void)n;
    *entries = small_number(after);
}

static inline weft_err small_check(weft_ctx *c, const void *state) {
    for (int i = 0; i < SMALL_CELLS; i++)
        if (((const small *)state)->cell[i] > 5)
            return weft_fail(c, WEFT_ARGUMENT, "small: cell %d is beyond 32", i);
    return WEFT_OK;
}

static const weft_td_game small_game = {.name = "small",
                                        .size = sizeof(small),
                                        .actions = 4,
                                        .tables = 1,
                                        .slots = 1,
                                        .words = SMALL_WORDS,
                                        .start = small_start,
                                        .moves = small_moves,
                                        .chance = small_chance,
                                        .index = small_index,
                                        .check = small_check};

/* ---- the truth ---- */

typedef struct small_truth {
    double worth[SMALL_WORDS];                 /* of after states; NaN: not known yet */
    double often[SMALL_WORDS];                 /* how many times a game passes there, on average */
    int (*policy)(void *user, const small *s); /* a legal action; NULL: the best one */
    void *user;
} small_truth;

/* Every state that can follow, with its chance; how many there are. */
static inline int small_following(const small *after, small next[8], double chance[8]) {
    int n = 0, empty = 0;
    for (int i = 0; i < SMALL_CELLS; i++) empty += !after->cell[i];
    for (int i = 0; i < SMALL_CELLS; i++)
        for (int tile = 1; tile <= 2 && !after->cell[i]; tile++, n++) {
            next[n] = *after;
            next[n].cell[i] = (uint8_t)tile;
            chance[n] = (tile == 1 ? 0.9 : 0.1) / empty;
        }
    return n;
}

static inline double small_worth(small_truth *t, const small *after);

/* What is to come from a state, and the after state it goes to; false: it is over. */
static inline bool small_choice(small_truth *t, const small *s, small *to, double *most) {
    small after[4];
    float reward[4];
    const uint32_t legal = small_moves(s, after, reward);
    int best = -1;
    *most = 0;
    const int only = legal && t->policy ? t->policy(t->user, s) : -1;
    for (int a = 0; a < 4; a++) {
        if (!(legal >> a & 1) || (only >= 0 && a != only)) continue;
        const double all = (double)reward[a] + small_worth(t, &after[a]);
        if (best < 0 || all > *most) best = a, *most = all;
    }
    if (best >= 0) *to = after[best];
    return best >= 0;
}

static inline double small_worth(small_truth *t, const small *after) {
    double *const worth = &t->worth[small_number(after)], chance[8], most;
    small next[8], to;
    if (!isnan(*worth)) return *worth;
    *worth = 0;
    const int n = small_following(after, next, chance);
    for (int i = 0; i < n; i++) {
        small_choice(t, &next[i], &to, &most);
        *worth += chance[i] * most;
    }
    return *worth;
}

/* The tiles of an after state add up to more than those of any before it: in that order each is
 * complete when its turn comes. */
static inline void small_passes(small_truth *t) {
    for (int sum = 2; sum < 4 * 32; sum += 2)
        for (int number = 0; number < SMALL_WORDS; number++) {
            const small after = {{(uint8_t)(number / 216), (uint8_t)(number / 36 % 6),
                                  (uint8_t)(number / 6 % 6), (uint8_t)(number % 6)}};
            double chance[8], most;
            small next[8], to;
            int tiles = 0;
            for (int i = 0; i < SMALL_CELLS; i++) tiles += after.cell[i] ? 1 << after.cell[i] : 0;
            if (tiles != sum || t->often[number] == 0) continue;
            const int n = small_following(&after, next, chance);
            for (int i = 0; i < n; i++)
                if (small_choice(t, &next[i], &to, &most))
                    t->often[small_number(&to)] += t->often[number] * chance[i];
        }
}

/* Fills t; gives the mean score of a game. It starts with two tiles on an empty board. */
static inline double small_solve(small_truth *t) {
    double first[8], second[8], most, mean = 0;
    small one[8], two[8], to;
    const small none = {{0}};
    for (int i = 0; i < SMALL_WORDS; i++) t->worth[i] = NAN, t->often[i] = 0;
    const int n = small_following(&none, one, first);
    for (int i = 0; i < n; i++) {
        const int m = small_following(&one[i], two, second);
        for (int k = 0; k < m; k++) {
            if (!small_choice(t, &two[k], &to, &most)) continue;
            mean += first[i] * second[k] * most;
            t->often[small_number(&to)] += first[i] * second[k];
        }
    }
    small_passes(t);
    return mean;
}

#endif
