/* automata.h - what automata are taught, as tables of facts.
 *
 * A task says how large the automaton is, where its boards begin, what they shall look like after
 * so many steps, and when it may be called learned. Boards are [channels, boards, height, width],
 * a byte a cell. */
#ifndef WEFT_AUTOMATA_H
#define WEFT_AUTOMATA_H

#include "cli/command.h"

#include <weft/logic.h>
#include <weft/rl.h>

/* Boards of a size, and the automaton's steps on them. */
typedef struct automata_boards {
    int boards, height, width, steps;
} automata_boards;

typedef struct automata_task {
    const char *name, *title;
    weft_automaton_desc shape; /* without a seed */
    int height, width, steps;  /* what it is evaluated on */
    automata_boards lesson;    /* what it learns on: what is small is learned soon; evaluation is on large ones */
    automata_boards large;     /* it must be right there too; 0 boards: no such thing */
    int shown;                 /* channels that have a target: 0 .. shown - 1 */
    int last;                  /* of a lesson's steps so many must come there */
    float share;               /* of the cells that go on in a step; 0: all */
    bool around;               /* kernels begin by looking to different sides */
    float rate, pass, decay;   /* of learning; first logit of gates that pass on; of logits */
    float beta2;               /* AdamW's */
    float bits;                /* more of the values are made bits between steps, by that share in a
                                  training step, while the error of a cell is below ... */
    float below;               /* ... and fewer of them otherwise; 0 bits: none */
    int check;                 /* training steps from one look at the hard gates to the next */
    int patience;              /* training steps until it restarts with another wiring */
    void (*begin)(const struct automata_task *t, int height, int width, int boards, weft_rng *r,
                  uint8_t *cells);
    void (*target)(const struct automata_task *t, int height, int width, int boards,
                   const uint8_t *cells, uint8_t *wanted); /* [shown, boards, height, width] */
    /* Cells that are wrong in hard mode, over fresh starts; 0: it is learned. */
    weft_err (*wrong)(const struct automata_task *t, const weft_automaton *a, weft_circuit *k,
                      bool thorough, int64_t *wrong, int64_t *tried);
} automata_task;

/* Learning rates and weight decays, which the help shows too. */
#define LIFE_RATE                0.2
#define LIFE_DECAY               0.05
#define CHECKERBOARD_RATE        0.15
#define CHECKERBOARD_DECAY       0.1
#define CHECKERBOARD_ASYNC_DECAY 0.02
#define PICTURE_RATE             0.15
#define PICTURE_DECAY            0.01

extern const automata_task automata_life, automata_checkerboard, automata_checkerboard_async,
    automata_lizard, automata_g;

/* ---- what tasks share ---- */

size_t automata_cells(const automata_task *t, int height, int width, int boards);
/* Fresh starts: adds how many shown cells are not as they should be after the steps. */
weft_err automata_evaluate(const automata_task *t, const weft_automaton *a, weft_circuit *k,
                        automata_boards b, uint64_t seed, int64_t *wrong, int64_t *tried);
/* A start of noise. */
void automata_noise(const automata_task *t, int height, int width, int boards, weft_rng *r,
                    uint8_t *cells);

/* Conway's rule for one cell, written down once more, apart from anything that was learned. */
int automata_life_rule(int alive, int around);

#endif
