/* td_2048.c - 2048 for the learner of afterstates: the value of a board as a sum over tuples.
 *
 * A tuple of six cells has a table of 16^6 entries; a board, seen from its eight sides, names eight
 * of them. In the number of an entry the lowest bits of all cells come first, then the second bits,
 * and so on: boards that follow each other differ in small tiles, so their entries lie on few
 * cache lines and few pages. Compared with the plain order, cell after cell, that took a third of
 * the page walks and half of the misses, and made training three times as fast.
 *
 * Rules come from board.h. */
#include "rl/board.h"

#if defined(__GNUC__) || defined(__clang__)
#define TD_2048_INLINE static inline __attribute__((always_inline))
#else
#define TD_2048_INLINE static inline
#endif

enum { TD_2048_SIDES = 8, TD_2048_CELLS = 6, TD_2048_WORDS = 1 << 4 * TD_2048_CELLS };

/* Those of Matsuzaki (2016), best first, each turned so that it is few runs of neighbours: a run
 * is the first cell and how many. The last ones are only in the larger sets.
 *    runs                    cells */
/* clang-format off */
#define TD_2048_TUPLES(T)                     \
    T(0, 0, 3,  4, 3,  0, 0)  /* 012456 */    \
    T(1, 4, 6,  0, 0,  0, 0)  /* 456789 */    \
    T(2, 0, 6,  0, 0,  0, 0)  /* 012345 */    \
    T(3, 2, 5,  9, 1,  0, 0)  /* 234569 */    \
    T(4, 0, 3,  5, 1,  9, 2)  /* 01259a */    \
    T(5, 7, 6,  0, 0,  0, 0)  /* 789abc */    \
    T(6, 8, 5, 14, 1,  0, 0)  /* 89abce */    \
    T(7, 0, 2,  4, 1,  8, 3)  /* 01489a */
#define TD_2048_SETS(X) X(4) X(5) X(8)        /* so many of them */
/* clang-format on */

/* ---- the sides of a board, as four planes of sixteen bits ---- */

TD_2048_INLINE uint64_t td_2048_swapped(uint64_t x, uint64_t low, int by) {
    const uint64_t t = (x ^ x >> by) & low;
    return x ^ t ^ t << by;
}

/* Bit b of cell c goes from 4 c + b to 16 b + c. */
TD_2048_INLINE uint64_t td_2048_planes(uint64_t board) {
    board = td_2048_swapped(board, 0x0a0a0a0a0a0a0a0au, 3);
    board = td_2048_swapped(board, 0x00cc00cc00cc00ccu, 6);
    board = td_2048_swapped(board, 0x0000f0f00000f0f0u, 12);
    return td_2048_swapped(board, 0x00000000ff00ff00u, 24);
}

TD_2048_INLINE uint64_t td_2048_mirrored(uint64_t x) {
    x = (x & 0x5555555555555555u) << 1 | (x >> 1 & 0x5555555555555555u);
    return (x & 0x3333333333333333u) << 2 | (x >> 2 & 0x3333333333333333u);
}

TD_2048_INLINE uint64_t td_2048_flipped(uint64_t x) {
    x = (x & 0x0f0f0f0f0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0f0f0f0f0fu);
    return (x & 0x00ff00ff00ff00ffu) << 8 | (x >> 8 & 0x00ff00ff00ff00ffu);
}

TD_2048_INLINE uint64_t td_2048_transposed(uint64_t x) {
    return td_2048_swapped(td_2048_swapped(x, 0x0a0a0a0a0a0a0a0au, 3), 0x00cc00cc00cc00ccu, 6);
}

/* ---- entries ---- */

/* Two planes of each side: sixteen bits of one, then of the other. */
typedef uint32_t td_2048_half[TD_2048_SIDES];

/* A run of n cells from `first` on, in both planes, moved to places `at` and on. */
TD_2048_INLINE uint32_t td_2048_run(uint32_t half, int first, int n, int at) {
    const uint32_t mask = (uint32_t)((1 << n) - 1) << at;
    return n ? half >> (first - at) & mask * 0x00010001u : 0;
}

/* Three runs, and the two groups of six bits they make pushed together. */
TD_2048_INLINE uint32_t td_2048_runs(uint32_t half, int a, int n, int b, int m, int c, int k) {
    const uint32_t x =
        td_2048_run(half, a, n, 0) | td_2048_run(half, b, m, n) | td_2048_run(half, c, k, n + m);
    return (x | x >> 10) & 0xfff;
}

/* Eight entries of one table, in a loop that compilers turn into vectors. Tables would meet on the
 * same lines of the cache: so each has its entries in another order. */
TD_2048_INLINE void td_2048_tuple(const td_2048_half low, const td_2048_half high, uint32_t number,
                                  int a, int n, int b, int m, int c, int k, uint32_t *entries) {
    for (int i = 0; i < TD_2048_SIDES; i++)
        entries[i] = (td_2048_runs(low[i], a, n, b, m, c, k) |
                      td_2048_runs(high[i], a, n, b, m, c, k) << 12) ^
                     number * 0x5330u;
}

static void td_2048_index(const void *after, int first, int n, uint32_t *entries) {
    td_2048_half low, high;
    uint64_t side[TD_2048_SIDES];
    side[0] = td_2048_planes(*(const uint64_t *)after);
    side[1] = td_2048_mirrored(side[0]);
    side[2] = td_2048_flipped(side[0]);
    side[3] = td_2048_flipped(side[1]);
    for (int i = 0; i < 4; i++) side[4 + i] = td_2048_transposed(side[i]);
    for (int i = 0; i < TD_2048_SIDES; i++) {
        low[i] = (uint32_t)side[i];
        high[i] = (uint32_t)(side[i] >> 32);
    }
    const int end = first + n;
#define T(number, a, n, b, m, c, k)                                                                \
    if (number >= first && number < end) {                                                         \
        td_2048_tuple(low, high, number, a, n, b, m, c, k, entries);                               \
        entries += TD_2048_SIDES;                                                                  \
    }
    TD_2048_TUPLES(T)
#undef T
}

/* ---- the game ---- */

static void td_2048_start(void *state, weft_rng *r) {
    *(uint64_t *)state = board_started(r);
}

static uint32_t td_2048_moves(const void *state, void *after, float *reward) {
    uint32_t score[WEFT_2048_ACTIONS];
    const uint32_t legal = weft_2048_moves(*(const uint64_t *)state, after, score);
    for (int i = 0; i < WEFT_2048_ACTIONS; i++) reward[i] = (float)(int32_t)score[i];
    return legal;
}

static void td_2048_chance(const void *after, void *state, weft_rng *r) {
    *(uint64_t *)state = board_spawned(*(const uint64_t *)after, r);
}

static weft_err td_2048_check(weft_ctx *c, const void *state) {
    return weft_2048_check(c, *(const uint64_t *)state);
}

const weft_td_game *weft_td_2048(weft_ctx *c, int tuples) {
    enum { USUAL = 5 };
#define X(n)                                                                                       \
    {"2048",         sizeof(uint64_t), WEFT_2048_ACTIONS, n,                                       \
     TD_2048_SIDES,  TD_2048_WORDS,    td_2048_start,     td_2048_moves,                           \
     td_2048_chance, td_2048_index,    td_2048_check},
    static const weft_td_game sets[] = {TD_2048_SETS(X)};
#undef X
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (sets[i].tables == (tuples ? tuples : USUAL)) return &sets[i];
#define X(n) " " #n
    weft_fail(c, WEFT_ARGUMENT, "weft_td_2048: %d tuples; there are sets of" TD_2048_SETS(X),
              tuples);
#undef X
    return NULL;
}

#undef TD_2048_INLINE
#undef TD_2048_TUPLES
#undef TD_2048_SETS
