/* life.c - the Game of Life, for automata.h.
 *
 * One step on a torus. It is learned when all 512 neighbourhoods are right, and when a glider and an
 * R-pentomino go the way they should for a thousand generations. */
#include "automata.h"

#include <string.h>

int automata_life_rule(int alive, int around) {
    return around == 3 || (alive && around == 2);
}

static int life_at(const uint8_t *board, int height, int width, int y, int x) {
    return board[(y + height) % height * width + (x + width) % width];
}

static void life_next(int height, int width, int boards, const uint8_t *cells, uint8_t *next) {
    for (int b = 0; b < boards; b++, cells += height * width)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                int around = -life_at(cells, height, width, y, x);
                for (int k = 0; k < 9; k++)
                    around += life_at(cells, height, width, y + k / 3 - 1, x + k % 3 - 1);
                *next++ = (uint8_t)automata_life_rule(cells[y * width + x], around);
            }
}

static void life_target(const automata_task *t, int height, int width, int boards,
                        const uint8_t *cells, uint8_t *wanted) {
    (void)t;
    life_next(height, width, boards, cells, wanted);
}

/* A shape put on an empty torus and followed for many generations, beside the rule itself. */
static weft_err life_follow(const weft_automaton *a, weft_circuit *k, const char *const *shape,
                            int64_t *wrong) {
    enum { SIDE = 64, GENERATIONS = 1000 };
    static const weft_board board = {.boards = 1, .height = SIDE, .width = SIDE};
    uint8_t learned[SIDE * SIDE] = {0}, truth[SIDE * SIDE], next[SIDE * SIDE];
    for (int y = 0; shape[y]; y++)
        for (int x = 0; shape[y][x]; x++) learned[(30 + y) * SIDE + 30 + x] = shape[y][x] == '#';
    memcpy(truth, learned, sizeof truth);
    for (int i = 0; i < GENERATIONS; i++) {
        const weft_err e = weft_automaton_run(a, k, &board, 1, learned);
        if (e) return e;
        life_next(SIDE, SIDE, 1, truth, next);
        memcpy(truth, next, sizeof truth);
        if (memcmp(truth, learned, sizeof truth)) ++*wrong;
    }
    return WEFT_OK;
}

/* All 512 neighbourhoods; then a glider and an R-pentomino. */
static weft_err life_wrong(const automata_task *t, const weft_automaton *a, weft_circuit *k,
                           bool thorough, int64_t *wrong, int64_t *tried) {
    static const char *const glider[] = {".#.", "..#", "###", NULL};
    static const char *const pentomino[] = {".##", "##.", ".#.", NULL};
    enum { CASES = 512, WORDS = CASES / 64 };
    uint64_t in[9][WORDS] = {{0}}, out[WORDS];
    (void)t;
    for (int i = 0; i < CASES; i++)
        for (int k2 = 0; k2 < 9; k2++) in[k2][i / 64] |= (uint64_t)(i >> k2 & 1) << i % 64;
    weft_err e = weft_circuit_run(k, WORDS, in[0], out);
    *wrong = 0, *tried = CASES;
    for (int i = 0; i < CASES && !e; i++) {
        int around = -(i >> 4 & 1);
        for (int k2 = 0; k2 < 9; k2++) around += i >> k2 & 1;
        *wrong += (int)(out[i / 64] >> i % 64 & 1) != automata_life_rule(i >> 4 & 1, around);
    }
    if (!e && thorough && !*wrong) e = life_follow(a, k, glider, wrong);
    if (!e && thorough && !*wrong) e = life_follow(a, k, pentomino, wrong);
    return e;
}

static const int life_perceive[] = {8, 4, 2, 1, 0};
static const int life_update[] = {128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
                                  128, 128, 128, 128, 64,  32,  16,  8,   4,   2,   1,   0};
const automata_task automata_life = {
    .name = "life",
    .title = "Game of Life",
    .shape = {.channels = 1,
              .kernels = 16,
              .perceive = life_perceive,
              .update = life_update,
              .wrap = true},
    .height = 12,
    .width = 12,
    .steps = 1,
    .lesson = {1, 12, 12, 1},
    .shown = 1,
    .last = 1,
    .rate = (float)LIFE_RATE,
    .pass = 5,
    .decay = (float)LIFE_DECAY,
    .beta2 = 0.9f,
    .check = 25,
    .patience = 600,
    .begin = automata_noise,
    .target = life_target,
    .wrong = life_wrong,
};
