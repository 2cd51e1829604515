/* board_env.c - 2048 as an environment. An instance is the board, 8 bytes.
 *
 * Rewards are points: the sum of the tiles a move has merged, so the total of an episode is the
 * score of the game. Three tables differ in what they show of the board. */
#include "rl/board.h"
#include "rl/tables.h"

#include <stdio.h>

static void board_env_reset(void *e, weft_rng *r, int level) {
    (void)level; /* a game has one kind of beginning */
    *(uint64_t *)e = board_started(r);
}

static float board_env_step(void *e, weft_rng *r, int action, bool *done) {
    uint64_t *const board = e;
    const board_after y = board_moved(board_ready(), *board, action);
    if (y.board == *board) {
        *done = board_stuck(*board);
        return 0;
    }
    const uint64_t empty = board_filled(y.board) ^ BOARD_ONES;
    *board = board_spawned(y.board, r);
    *done = false;
    if (!(empty & (empty - 1))) *done = board_stuck(*board); /* only that one cell was empty */
    return (float)(int32_t)y.score;
}

static uint32_t board_env_legal(const void *e) {
    return board_legal(*(const uint64_t *)e);
}

static weft_err board_env_check(weft_ctx *c, const void *e) {
    return weft_2048_check(c, *(const uint64_t *)e);
}

/* ---- what is seen of it ---- */

static void board_env_index(const void *e, int32_t *slots) {
    const uint64_t board = *(const uint64_t *)e;
    for (int i = 0; i < 16; i++) slots[i] = 16 * i + (int32_t)(board >> 4 * i & 15);
}

/* Cells as floats by a value for each exponent, a row at a time. */
static void board_env_values(const void *e, float *obs, const float *value) {
    uint64_t board = *(const uint64_t *)e;
    for (int i = 0; i < 16; i += 4, board >>= 16) {
        obs[i] = value[board & 15];
        obs[i + 1] = value[board >> 4 & 15];
        obs[i + 2] = value[board >> 8 & 15];
        obs[i + 3] = value[board >> 12 & 15];
    }
}

static void board_env_logs(const void *e, float *obs) {
#define LOG(k) (k) / 11.0f
    static const float value[16] = {LOG(0),  LOG(1),  LOG(2),  LOG(3), LOG(4),  LOG(5),
                                    LOG(6),  LOG(7),  LOG(8),  LOG(9), LOG(10), LOG(11),
                                    LOG(12), LOG(13), LOG(14), LOG(15)};
#undef LOG
    board_env_values(e, obs, value);
}

static void board_env_raw(const void *e, float *obs) {
    static const float value[16] = {0,   2,   4,    8,    16,   32,   64,    128,
                                    256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    board_env_values(e, obs, value);
}

static void board_env_one_hot(const void *e, float *obs) {
    int32_t slots[16];
    board_env_index(e, slots);
    env_one_hot(slots, 16, obs, 256);
}

static void board_env_show(const void *e, char *text, size_t bytes) {
    int32_t tiles[16];
    weft_2048_tiles(*(const uint64_t *)e, tiles);
    size_t n = 0;
    for (int i = 0; i < 16 && n < bytes; i++) {
        char cell[12] = ".";
        if (tiles[i]) snprintf(cell, sizeof cell, "%d", (int)tiles[i]);
        const int more = snprintf(text + n, bytes - n, "%6s%s", cell, i % 4 == 3 ? "\n" : "");
        n += more > 0 ? (size_t)more : 0;
    }
}

/*             table             name           width  function */
#define BOARD_ENVS(X)                                                                              \
    X(env_2048, "2048", 16, board_env_logs)                                                        \
    X(env_2048_raw, "2048-raw", 16, board_env_raw)                                                 \
    X(env_2048_one_hot, "2048-one-hot", 256, board_env_one_hot)
#define X(table, text, width, function)                                                            \
    const weft_env table = {.name = text,                                                          \
                            .size = sizeof(uint64_t),                                              \
                            .obs = width,                                                          \
                            .slots = 16,                                                           \
                            .words = 256,                                                          \
                            .actions = WEFT_2048_ACTIONS,                                          \
                            .reset = board_env_reset,                                              \
                            .step = board_env_step,                                                \
                            .observe = function,                                                   \
                            .index = board_env_index,                                              \
                            .legal = board_env_legal,                                              \
                            .check = board_env_check,                                              \
                            .show = board_env_show};
BOARD_ENVS(X)
#undef X
#undef BOARD_ENVS
