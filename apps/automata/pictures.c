/* pictures.c - a lizard and a letter in colours, for automata.h: they grow out of one cell, or
 * out of nothing but the edges of the board. */
#include "automata.h"

#include <string.h>

/* clang-format off */
/* '#' is all shown channels, a letter a colour of three. */
static const char *const lizard_picture[] = {
    "....................",
    "....................",
    ".........##.........",
    "........####........",
    ".....#..####..#.....",
    ".....##..##..##.....",
    "......##.##.##......",
    ".......######.......",
    "........####........",
    "........####........",
    "........####........",
    "........####........",
    ".......######.......",
    "......##.##.##......",
    ".....##..##..##.....",
    ".....#...##...#.....",
    "..........##........",
    "...........##.......",
    "............##......",
    "....................",
};
static const char *const g_picture[] = {
    "................",
    "....rrrrrrrr....",
    "...rrrrrrrrrr...",
    "..rrrr....yyyy..",
    "..rrr......yyy..",
    ".yyy............",
    ".yyy............",
    ".yyy....bbbbbb..",
    ".yyy....bbbbbb..",
    ".ggg.......bbb..",
    ".ggg.......bbb..",
    "..ggg......bbb..",
    "..gggg....bbbb..",
    "...gggggggggg...",
    "....ggggggg.....",
    "................",
};
/* clang-format on */

/* The picture in the middle of the boards. */
static void picture_target(const automata_task *t, const char *const *picture, int height,
                           int width, int boards, uint8_t *wanted) {
    static const char colour[] = ".rgyb??#"; /* by its bits: red, green, blue */
    const int top = (height - t->height) / 2, left = (width - t->width) / 2;
    for (int c = 0; c < t->shown; c++)
        for (int b = 0; b < boards; b++)
            for (int y = -top; y < height - top; y++)
                for (int x = -left; x < width - left; x++) {
                    const bool inside = y >= 0 && y < t->height && x >= 0 && x < t->width;
                    const char *const bits = strchr(colour, inside ? picture[y][x] : '.');
                    *wanted++ = (uint8_t)((bits - colour) >> c & 1);
                }
}

static void lizard_target(const automata_task *t, int height, int width, int boards,
                          const uint8_t *cells, uint8_t *wanted) {
    (void)cells;
    picture_target(t, lizard_picture, height, width, boards, wanted);
}
static void g_target(const automata_task *t, int height, int width, int boards,
                     const uint8_t *cells, uint8_t *wanted) {
    (void)cells;
    picture_target(t, g_picture, height, width, boards, wanted);
}

/* One living cell in the middle of nothing. */
static void lizard_begin(const automata_task *t, int height, int width, int boards, weft_rng *r,
                         uint8_t *cells) {
    (void)r;
    memset(cells, 0, automata_cells(t, height, width, boards));
    for (int c = 0; c < t->shape.channels * boards; c++)
        cells[((size_t)c * (size_t)height + (size_t)height / 2) * (size_t)width +
              (size_t)width / 2] = 1;
}
static void g_begin(const automata_task *t, int height, int width, int boards, weft_rng *r,
                    uint8_t *cells) {
    (void)r;
    memset(cells, 0, automata_cells(t, height, width, boards));
}

/* There is only one start. */
static weft_err picture_wrong(const automata_task *t, const weft_automaton *a, weft_circuit *k,
                              bool thorough, int64_t *wrong, int64_t *tried) {
    const automata_boards one = {1, t->height, t->width, t->steps};
    (void)thorough;
    *wrong = *tried = 0;
    return automata_evaluate(t, a, k, one, 0, wrong, tried);
}

/* How both are learned and evaluated: docs/logic.md has what else was tried. */
#define PICTURE_LEARNS                                                                             \
    .last = 1, .around = true, .rate = (float)PICTURE_RATE, .pass = 10,                            \
    .decay = (float)PICTURE_DECAY, .beta2 = 0.99f, .bits = 0.01f, .below = 0.001f, .check = 10,    \
    .patience = 1000, .wrong = picture_wrong

static const int lizard_perceive[] = {8, 4, 2, 1, 0};
static const int lizard_update[] = {512, 512, 512, 512, 512, 512, 512, 512, 256, 128, 0};
const automata_task automata_lizard = {
    .name = "lizard",
    .title = "Lizard",
    .shape = {.channels = 128,
              .kernels = 4,
              .perceive = lizard_perceive,
              .update = lizard_update,
              .wrap = true},
    .height = 20,
    .width = 20,
    .steps = 12,
    .lesson = {1, 20, 20, 12},
    .shown = 1,
    PICTURE_LEARNS,
    .begin = lizard_begin,
    .target = lizard_target,
};

static const int g_perceive[] = {8, 4, 2, 0};
static const int g_update[] = {512, 512, 512, 512, 512, 512, 512, 512, 256, 128, 64, 0};
const automata_task automata_g = {
    .name = "g",
    .title = "G in colours",
    .shape = {.channels = 64, .kernels = 4, .perceive = g_perceive, .update = g_update},
    .height = 16,
    .width = 16,
    .steps = 15,
    .lesson = {1, 16, 16, 15},
    .shown = 3,
    PICTURE_LEARNS,
    .begin = g_begin,
    .target = g_target,
};
