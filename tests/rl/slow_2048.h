/* slow_2048.h - 2048 the slow way, on arrays of tiles: shares nothing with the library's tables. */
#ifndef WEFT_TEST_SLOW_2048_H
#define WEFT_TEST_SLOW_2048_H

#include <stdbool.h>
#include <stdint.h>

/* Tiles in a row or column, `step` apart, slid towards the first; the sum of merged tiles. */
static inline uint32_t slow_slide(int *cell, int step) {
    int tile[4], n = 0, out = 0;
    uint32_t score = 0;
    for (int i = 0; i < 4; i++)
        if (cell[i * step]) tile[n++] = cell[i * step];
    for (int i = 0; i < 4; i++) cell[i * step] = 0;
    for (int i = 0; i < n; i++) {
        const bool joins = i + 1 < n && tile[i] == tile[i + 1] && tile[i] < 32768;
        cell[out++ * step] = joins ? 2 * tile[i] : tile[i];
        if (joins) score += 2 * (uint32_t)tile[i++];
    }
    return score;
}

static inline uint32_t slow_move(int cell[16], int action) {
    static const int first[4] = {0, 12, 0, 3}, step[4] = {4, -4, 1, -1}, next[4] = {1, 1, 4, 4};
    uint32_t score = 0;
    for (int i = 0; i < 4; i++)
        score += slow_slide(cell + first[action] + i * next[action], step[action]);
    return score;
}

static inline void unpack(uint64_t board, int cell[16]) {
    for (int i = 0; i < 16; i++) {
        const int exponent = (int)(board >> (4 * i)) & 15;
        cell[i] = exponent ? 1 << exponent : 0;
    }
}

static inline uint64_t pack(const int cell[16]) {
    uint64_t board = 0;
    for (int i = 0; i < 16; i++)
        for (int k = 1; k < 16; k++)
            if (cell[i] == 1 << k) board |= (uint64_t)k << (4 * i);
    return board;
}

#endif
