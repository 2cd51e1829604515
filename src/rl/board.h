/* board.h - the rules of 2048 on a packed board, for inlining into the environment.
 *
 * Sixteen nibbles; a row is 16 bits. Moving is four looks into a table of rows; which moves are
 * legal is found without it, from all neighbours at once. board.c builds the table. */
#ifndef WEFT_RL_BOARD_H
#define WEFT_RL_BOARD_H

#include "rl/rng.h"
#include <stdatomic.h>

#define BOARD_ONES 0x1111111111111111u /* the lowest bit of each cell */

/* What becomes of each row: slid to the left, to the right, and a quarter of the sum of merged
 * tiles, which is the same both ways. */
typedef struct board_table {
    atomic_bool ready;
    uint16_t slid[2][1 << 16];
    uint16_t points[1 << 16];
} board_table;
extern board_table board_rows;
void board_build(void); /* once, whoever comes first; others wait */

static inline const board_table *board_ready(void) {
    if (!atomic_load_explicit(&board_rows.ready, memory_order_acquire)) board_build();
    return &board_rows;
}

/* Of each cell of x whether it is not 0, in its lowest bit. */
static inline uint64_t board_filled(uint64_t x) {
    x |= x >> 2;
    x |= x >> 1;
    return x & BOARD_ONES;
}

/* Rows become columns: in each block of 2 x 2 two cells change places, then two of the blocks. */
static inline uint64_t board_transposed(uint64_t x) {
    uint64_t t = (x ^ x >> 12) & 0x0000f0f00000f0f0u;
    x ^= t ^ t << 12;
    t = (x ^ x >> 24) & 0x00000000ff00ff00u;
    return x ^ t ^ t << 24;
}

/* Of each cell whether it is 15: two of those do not merge. */
static inline uint64_t board_largest(uint64_t x) {
    x &= x >> 1;
    return x & x >> 2 & BOARD_ONES;
}

/* Something slides or merges in a direction if a tile has, on that side, an empty cell or its like
 * as neighbour. `with` has the cells whose neighbour is `by` bits further on. */
static inline void board_pairs(uint64_t board, uint64_t filled, int by, uint64_t with,
                               uint64_t *towards_low, uint64_t *towards_high) {
    const uint64_t low = filled & with, high = filled >> by & with;
    const uint64_t alike = low & ~(board_filled(board ^ board >> by) | board_largest(board));
    *towards_low = (high & ~low) | alike;
    *towards_high = (low & ~high) | alike;
}

static inline uint32_t board_legal(uint64_t board) {
    const uint64_t filled = board_filled(board);
    uint64_t up, down, left, right;
    board_pairs(board, filled, 16, 0x0000111111111111u, &up, &down);
    board_pairs(board, filled, 4, 0x0111011101110111u, &left, &right);
    return (uint32_t)(up != 0) << WEFT_2048_UP | (uint32_t)(down != 0) << WEFT_2048_DOWN |
           (uint32_t)(left != 0) << WEFT_2048_LEFT | (uint32_t)(right != 0) << WEFT_2048_RIGHT;
}

/* Nothing is legal: no cell empty, and none merges with a neighbour. Shorter than board_legal. */
static inline bool board_stuck(uint64_t board) {
    const uint64_t largest = board_largest(board);
    const uint64_t across = board_filled(board ^ board >> 4) | 0x1000100010001000u | largest;
    const uint64_t down = board_filled(board ^ board >> 16) | 0x1111000000000000u | largest;
    return (board_filled(board) & across & down) == BOARD_ONES;
}

typedef struct board_after {
    uint64_t board;
    uint32_t score;
} board_after;

/* Four rows through the table; to 0 slides them to the left, 1 to the right. */
static inline board_after board_slid(const board_table *t, uint64_t board, int to) {
    const uint64_t a = board & 0xffff, b = board >> 16 & 0xffff, c = board >> 32 & 0xffff;
    const uint64_t d = board >> 48;
    const uint16_t *const slid = t->slid[to];
    return (board_after){
        slid[a] | (uint64_t)slid[b] << 16 | (uint64_t)slid[c] << 32 | (uint64_t)slid[d] << 48,
        4u * t->points[a] + 4u * t->points[b] + 4u * t->points[c] + 4u * t->points[d]};
}

/* Up and down are left and right of the transposed board. Chosen by masks and not by a branch:
 * which of them it is is as good as random. */
static inline board_after board_moved(const board_table *t, uint64_t board, int action) {
    const uint64_t upright = 0 - (uint64_t)(action < WEFT_2048_LEFT);
    const uint64_t x = board ^ ((board ^ board_transposed(board)) & upright);
    board_after y = board_slid(t, x, action & 1);
    y.board ^= (y.board ^ board_transposed(y.board)) & upright;
    return y;
}

/* One time in ten 1, by the lower half of a draw. */
static inline uint32_t board_is_four(uint64_t draw) {
    return (uint32_t)draw < 429496730u; /* 2^32 / 10 */
}

/* A new tile on one of the empty cells, of which there are 1 to 15: by the upper half of a draw
 * which, by the lower 2 or 4. The product counts, in each cell, the empty cells up to it. */
static inline uint64_t board_spawned(uint64_t board, weft_rng *r) {
    const uint64_t empty = ~board_filled(board) & BOARD_ONES, count = empty * BOARD_ONES;
    const uint32_t n = (uint32_t)(count >> 60);
    uint64_t draw = rng_next64(r), m = (draw >> 32) * n;
    while ((uint32_t)m < n && (uint32_t)m < (0 - n) % n) /* as in rng_below */
        draw = rng_next64(r), m = (draw >> 32) * n;
    const uint64_t which = (m >> 32) + 1; /* from 1 */
    const uint64_t at = empty & ~board_filled(count ^ which * BOARD_ONES);
    return board | at << board_is_four(draw);
}

/* The first tile on an empty board. */
static inline uint64_t board_first(weft_rng *r) {
    const uint64_t draw = rng_next64(r);
    return (uint64_t)1 << (draw >> 60) * 4 << board_is_four(draw);
}

static inline uint64_t board_started(weft_rng *r) {
    return board_spawned(board_first(r), r);
}

#endif
