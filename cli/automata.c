/* automata.c - the tasks of automata.h: Life, and a checkerboard. */
#include "automata.h"

#include <stdlib.h>
#include <string.h>

/* ---- what tasks share ---- */

static size_t automata_cells(const automata_task *t, int height, int width, int boards) {
    return (size_t)t->shape.channels * (size_t)boards * (size_t)height * (size_t)width;
}

static void automata_noise(const automata_task *t, int height, int width, int boards, weft_rng *r,
                           uint8_t *cells) {
    const size_t n = automata_cells(t, height, width, boards);
    for (size_t i = 0; i < n; i++) cells[i] = (uint8_t)(weft_rng_next(r) >> 31);
}

/* Fresh starts of a size, after some steps: how many shown cells are not as they should be. */
static weft_err automata_judge(const automata_task *t, const weft_automaton *a, weft_circuit *k,
                               weft_board d, int steps, uint64_t seed, int64_t *wrong,
                               int64_t *tried) {
    const size_t n = automata_cells(t, d.height, d.width, d.boards);
    const size_t shown = n / (size_t)t->shape.channels * (size_t)t->shown;
    uint8_t *const cells = malloc(n + shown), *const wanted = cells ? cells + n : NULL;
    weft_rng r, chance;
    if (!cells) return WEFT_MEMORY;
    weft_rng_seed(&r, seed, 1);
    weft_rng_seed(&chance, seed, 2);
    d.share = t->share, d.rng = t->share > 0 ? &chance : NULL;
    t->begin(t, d.height, d.width, d.boards, &r, cells);
    t->target(t, d.height, d.width, d.boards, cells, wanted);
    const weft_err e = weft_automaton_run(a, k, &d, steps, cells);
    for (size_t i = 0; i < shown && !e; i++) *wrong += cells[i] != wanted[i];
    *tried += (int64_t)shown;
    free(cells);
    return e;
}

/* ---- Life ---- */

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
    .boards = 1,
    .height = 12,
    .width = 12,
    .steps = 1,
    .shown = 1,
    .rate = 0.2f,
    .pass = 5,
    .decay = 0.05f,
    .check = 25,
    .patience = 600,
    .begin = automata_noise,
    .target = life_target,
    .wrong = life_wrong,
};

/* ---- the checkerboard ---- */

static void checkerboard_target(const automata_task *t, int height, int width, int boards,
                                const uint8_t *cells, uint8_t *wanted) {
    (void)t, (void)cells;
    for (int b = 0; b < boards; b++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) *wanted++ = (uint8_t)((x / 2 + y / 2) & 1);
}

static weft_err checkerboard_wrong(const automata_task *t, const weft_automaton *a, weft_circuit *k,
                                   bool thorough, int64_t *wrong, int64_t *tried) {
    const weft_board small = {.boards = thorough ? 64 : 8, .height = t->height, .width = t->width};
    const weft_board large = {.boards = 2, .height = 64, .width = 64};
    *wrong = *tried = 0;
    const int steps = t->steps;
    weft_err e = automata_judge(t, a, k, small, steps, thorough ? 77 : 7, wrong, tried);
    if (!e && thorough && !*wrong) e = automata_judge(t, a, k, large, 4 * steps, 78, wrong, tried);
    return e;
}

static const int checkerboard_perceive[] = {8, 4, 2, 0};
static const int checkerboard_update[] = {256, 256, 256, 256, 256, 256, 256, 256, 256,
                                          256, 128, 64,  32,  16,  8,   8,   0};
static const int checkerboard_update_async[] = {
    256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 128, 64, 32, 16, 8, 8, 0};
const automata_task automata_checkerboard = {
    .name = "checkerboard",
    .title = "Checkerboard",
    .shape = {.channels = 8,
              .kernels = 16,
              .perceive = checkerboard_perceive,
              .update = checkerboard_update},
    .boards = 2,
    .height = 16,
    .width = 16,
    .steps = 20,
    .shown = 1,
    .rate = 0.1f,
    .pass = 5,
    .decay = 0.02f,
    .check = 10,
    .patience = 250,
    .begin = automata_noise,
    .target = checkerboard_target,
    .wrong = checkerboard_wrong,
};
const automata_task automata_checkerboard_async = {
    .name = "checkerboard-async",
    .title = "Checkerboard, cells by chance",
    .shape = {.channels = 8,
              .kernels = 16,
              .perceive = checkerboard_perceive,
              .update = checkerboard_update_async},
    .boards = 1,
    .height = 14,
    .width = 14,
    .steps = 50,
    .shown = 1,
    .share = 0.6f,
    .rate = 0.1f,
    .pass = 5,
    .decay = 0.02f,
    .check = 10,
    .patience = 400,
    .begin = automata_noise,
    .target = checkerboard_target,
    .wrong = checkerboard_wrong,
};
