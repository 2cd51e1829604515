/* automata.c - what the tasks of automata.h share, and the checkerboard.
 *
 * The board for the lesson is smaller than the one that counts, with as many steps less. What is
 * learned there travels: the rule sees no more than its neighbours. But the sizes must agree in the
 * last bit of side / 2, for rules look at the right and lower edges too. */
#include "automata.h"

#include <stdlib.h>

/* ---- what tasks share ---- */

size_t automata_cells(const automata_task *t, int height, int width, int boards) {
    return (size_t)t->shape.channels * (size_t)boards * (size_t)height * (size_t)width;
}

void automata_noise(const automata_task *t, int height, int width, int boards, weft_rng *r,
                    uint8_t *cells) {
    const size_t n = automata_cells(t, height, width, boards);
    for (size_t i = 0; i < n; i++) cells[i] = (uint8_t)(weft_rng_next(r) >> 31);
}

weft_err automata_evaluate(const automata_task *t, const weft_automaton *a, weft_circuit *k,
                           automata_boards b, uint64_t seed, int64_t *wrong, int64_t *tried) {
    const size_t n = automata_cells(t, b.height, b.width, b.boards);
    const size_t shown = n / (size_t)t->shape.channels * (size_t)t->shown;
    uint8_t *const cells = malloc(n + shown), *const wanted = cells ? cells + n : NULL;
    weft_rng r, chance;
    if (!cells) return WEFT_MEMORY;
    weft_rng_seed(&r, seed, 1);
    weft_rng_seed(&chance, seed, 2);
    const weft_board d = {.boards = b.boards,
                          .height = b.height,
                          .width = b.width,
                          .share = t->share,
                          .rng = t->share > 0 ? &chance : NULL};
    t->begin(t, b.height, b.width, b.boards, &r, cells);
    t->target(t, b.height, b.width, b.boards, cells, wanted);
    const weft_err e = weft_automaton_run(a, k, &d, b.steps, cells);
    for (size_t i = 0; i < shown && !e; i++) *wrong += cells[i] != wanted[i];
    *tried += (int64_t)shown;
    free(cells);
    return e;
}

/* ---- the checkerboard ---- */

static void checkerboard_target(const automata_task *t, int height, int width, int boards,
                                const uint8_t *cells, uint8_t *wanted) {
    (void)t, (void)cells;
    for (int b = 0; b < boards; b++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) *wanted++ = (uint8_t)((x / 2 + y / 2) & 1);
}

/* Some boards; with more care, many, and larger ones for longer. */
static weft_err checkerboard_wrong(const automata_task *t, const weft_automaton *a, weft_circuit *k,
                                   bool thorough, int64_t *wrong, int64_t *tried) {
    const automata_boards some = {thorough ? 64 : 8, t->height, t->width, t->steps};
    *wrong = *tried = 0;
    const weft_err e = automata_evaluate(t, a, k, some, thorough ? 77 : 7, wrong, tried);
    if (e || !thorough || *wrong) return e;
    return automata_evaluate(t, a, k, t->large, 78, wrong, tried);
}

static const int checkerboard_perceive[] = {8, 4, 2, 0};
static const int checkerboard_update[] = {256, 256, 256, 256, 256, 256, 256, 256, 256,
                                          256, 128, 64,  32,  16,  8,   8,   0};
static const int checkerboard_update_async[] = {
    256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 128, 64, 32, 16, 8, 8, 0};
/* What both have in common: docs/logic.md says why these numbers. */
#define CHECKERBOARD                                                                               \
    .shown = 1, .last = 3, .rate = (float)CHECKERBOARD_RATE, .pass = 5, .beta2 = 0.9f,             \
    .bits = 1 / 300.0f, .below = 1, .check = 10, .patience = 300, .begin = automata_noise,         \
    .target = checkerboard_target, .wrong = checkerboard_wrong
const automata_task automata_checkerboard = {
    .name = "checkerboard",
    .title = "Checkerboard",
    .shape = {.channels = 8,
              .kernels = 16,
              .perceive = checkerboard_perceive,
              .update = checkerboard_update},
    .height = 16,
    .width = 16,
    .steps = 20,
    .lesson = {1, 8, 8, 10},
    .large = {2, 64, 64, 80},
    .decay = (float)CHECKERBOARD_DECAY,
    CHECKERBOARD,
};
const automata_task automata_checkerboard_async = {
    .name = "checkerboard-async",
    .title = "Checkerboard, asynchronous",
    .shape = {.channels = 8,
              .kernels = 16,
              .perceive = checkerboard_perceive,
              .update = checkerboard_update_async},
    .height = 14,
    .width = 14,
    .steps = 50,
    .lesson = {1, 10, 10, 25},
    .large = {2, 62, 62, 200},
    .share = 0.6f,
    .decay = (float)CHECKERBOARD_ASYNC_DECAY,
    CHECKERBOARD,
};
