/* board.c - 2048: the table of rows, moves, new tiles, symmetries, and which boards can be.
 *
 * The rules themselves are in board.h, to be inlined; here is the table they stand on, and their
 * public form. The table is constant and shared by all. */
#include "rl/board.h"

#include <pthread.h>

enum { BOARD_LARGEST = 15 }; /* exponent of the largest tile a nibble holds */

board_table board_rows;
static pthread_once_t board_once = PTHREAD_ONCE_INIT;

/* Slides a row towards cell 0. Tiles are taken from that side on, each once; one joins the tile
 * before it if they are alike and that one has not been made by joining. */
static uint32_t board_left(uint32_t row, uint32_t *score) {
    uint32_t out = 0, n = 0, last = 0; /* last: the tile that may still be joined, 0 for none */
    *score = 0;
    for (int i = 0; i < 4; i++) {
        const uint32_t tile = row >> 4 * i & 15;
        if (!tile) continue;
        if (tile == last && tile < BOARD_LARGEST) {
            out += 1u << 4 * (n - 1);
            *score += 2u << tile;
            last = 0;
        } else {
            out |= tile << 4 * n++;
            last = tile;
        }
    }
    return out;
}

static uint32_t board_mirrored(uint32_t row) {
    return (row & 15) << 12 | (row >> 4 & 15) << 8 | (row >> 8 & 15) << 4 | row >> 12;
}

static void board_fill(void) {
    for (uint32_t row = 0; row < 1 << 16; row++) {
        uint32_t score, same;
        const uint32_t left = board_left(row, &score);
        const uint32_t right = board_mirrored(board_left(board_mirrored(row), &same));
        board_rows.slid[0][row] = (uint16_t)left;
        board_rows.slid[1][row] = (uint16_t)right;
        board_rows.points[row] = (uint16_t)(score / 4);
    }
    atomic_store_explicit(&board_rows.ready, true, memory_order_release);
}

void board_build(void) {
    pthread_once(&board_once, board_fill);
}

/* ---- moves ---- */

uint64_t weft_2048_start(weft_rng *r) {
    return board_started(r);
}

uint64_t weft_2048_move(uint64_t board, int action, uint32_t *score) {
    board_after y = {board, 0};
    if (action >= 0 && action < WEFT_2048_ACTIONS) y = board_moved(board_ready(), board, action);
    if (score) *score = y.score;
    return y.board;
}

uint32_t weft_2048_moves(uint64_t board, uint64_t after[4], uint32_t score[4]) {
    const board_table *const t = board_ready();
    const uint64_t turned = board_transposed(board);
    const board_after up = board_slid(t, turned, 0), down = board_slid(t, turned, 1);
    const board_after left = board_slid(t, board, 0), right = board_slid(t, board, 1);
    after[WEFT_2048_UP] = board_transposed(up.board);
    after[WEFT_2048_DOWN] = board_transposed(down.board);
    after[WEFT_2048_LEFT] = left.board;
    after[WEFT_2048_RIGHT] = right.board;
    score[WEFT_2048_UP] = score[WEFT_2048_DOWN] = up.score;
    score[WEFT_2048_LEFT] = score[WEFT_2048_RIGHT] = left.score;
    return board_legal(board);
}

uint32_t weft_2048_legal(uint64_t board) {
    return board_legal(board);
}

uint64_t weft_2048_spawn(uint64_t board, weft_rng *r) {
    if (!board) return board_first(r);
    return board_filled(board) == BOARD_ONES ? board : board_spawned(board, r);
}

/* ---- symmetries: mirrored, then turned over, then transposed ---- */

uint64_t weft_2048_symmetry(uint64_t board, int k) {
    if (k & 1) {
        board = (board & 0x00ff00ff00ff00ffu) << 8 | (board >> 8 & 0x00ff00ff00ff00ffu);
        board = (board & 0x0f0f0f0f0f0f0f0fu) << 4 | (board >> 4 & 0x0f0f0f0f0f0f0f0fu);
    }
    if (k & 2) {
        board = board << 32 | board >> 32;
        board = (board & 0x0000ffff0000ffffu) << 16 | (board >> 16 & 0x0000ffff0000ffffu);
    }
    return k & 4 ? board_transposed(board) : board;
}

int weft_2048_symmetry_action(int action, int k) {
    if (action < 0 || action >= WEFT_2048_ACTIONS) return action;
    if (action >= WEFT_2048_LEFT ? k & 1 : k & 2) action ^= 1;
    return k & 4 ? action ^ 2 : action; /* up becomes left, down becomes right, and back */
}

/* ---- tiles, and which boards can be ---- */

void weft_2048_tiles(uint64_t board, int32_t tiles[16]) {
    for (int i = 0; i < 16; i++) {
        const uint32_t exponent = board >> 4 * i & 15;
        tiles[i] = exponent ? 1 << exponent : 0;
    }
}

uint32_t weft_2048_max_tile(uint64_t board) {
    uint32_t most = 0;
    for (; board; board >>= 4)
        if ((board & 15) > most) most = board & 15;
    return most ? 1u << most : 0;
}

weft_err weft_2048_board(weft_ctx *c, const int32_t tiles[16], uint64_t *board) {
    uint64_t b = 0;
    for (int i = 0; i < 16; i++) {
        uint64_t exponent = 0;
        while (exponent < BOARD_LARGEST && tiles[i] > 1 << exponent) exponent++;
        if (tiles[i] && (tiles[i] < 2 || tiles[i] != 1 << exponent))
            return weft_fail(c, WEFT_ARGUMENT,
                             "2048: row %d, column %d has %d; a tile is 2, 4, 8, ... 32768, and 0 "
                             "is an empty cell",
                             i / 4 + 1, i % 4 + 1, (int)tiles[i]);
        b |= exponent << 4 * i;
    }
    const weft_err e = weft_2048_check(c, b);
    if (!e) *board = b;
    return e;
}

/* Why the j-th largest tile is at most 2^(18 - j): sixteen tiles of 8 or more cannot be, since the
 * tile that came last is 2 or 4. And to have j tiles of 2^(19 - j) or more for the first time, one
 * of them was just joined, so before that move there were j + 1 tiles of half that size or more. */
weft_err weft_2048_check(weft_ctx *c, uint64_t board) {
    int least[BOARD_LARGEST + 1] = {0}; /* how many tiles have this exponent or more */
    for (int i = 0; i < 16; i++)
        for (uint32_t t = board >> 4 * i & 15; t > 0; t--) least[t]++;
    if (least[1] < 2)
        return weft_fail(c, WEFT_ARGUMENT,
                         "2048: the board has %d tiles; a game starts with 2 and never has fewer",
                         least[1]);
    if (least[1] == least[3])
        return weft_fail(c, WEFT_ARGUMENT,
                         "2048: no tile is a 2 or a 4, but the tile that came last must be");
    for (int t = BOARD_LARGEST; t > 2; t--)
        if (least[t] > 18 - t)
            return weft_fail(c, WEFT_ARGUMENT,
                             "2048: %d tiles of %d or more; there is room to build at most %d",
                             least[t], 1 << t, 18 - t);
    return WEFT_OK;
}
