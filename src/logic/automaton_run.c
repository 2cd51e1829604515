/* automaton_run.c - an automaton at work: cells are bits, and the circuit takes 64 of them a word.
 *
 * Cells come and go as bytes. Each step packs the nine neighbours of every channel into words, runs
 * the circuit over all cells of all boards at once, and unpacks the new channels. */
#include "logic/soft.h"

#include <weft/rl.h>

#include <string.h>

enum { RUN_SEEN = 9, RUN_BITS = 64 };

typedef struct run_world {
    weft_circuit *k;
    int channels, boards, height, width;
    bool wrap;
    int64_t cells, words; /* of all boards */
    uint64_t *in, *out;   /* [9 channels, words], [channels, words] */
} run_world;

/* The cell that lies dy, dx from (y, x), or -1: beyond the edge. */
static int64_t run_beside(const run_world *w, int y, int x, int dy, int dx) {
    y += dy, x += dx;
    if (w->wrap) y = (y + w->height) % w->height, x = (x + w->width) % w->width;
    else if (y < 0 || y >= w->height || x < 0 || x >= w->width) return -1;
    return (int64_t)y * w->width + x;
}

static void run_pack(const run_world *w, const uint8_t *cells) {
    const int64_t board = (int64_t)w->height * w->width;
    memset(w->in, 0, (size_t)(RUN_SEEN * w->channels * w->words) * sizeof *w->in);
    for (int y = 0; y < w->height; y++)
        for (int x = 0; x < w->width; x++)
            for (int k = 0; k < RUN_SEEN; k++) {
                const int64_t from = run_beside(w, y, x, k / 3 - 1, k % 3 - 1);
                for (int64_t b = 0; b < w->boards && from >= 0; b++) {
                    const int64_t to = b * board + (int64_t)y * w->width + x;
                    for (int64_t c = 0; c < w->channels; c++)
                        w->in[(c * RUN_SEEN + k) * w->words + to / RUN_BITS] |=
                            (uint64_t)cells[c * w->cells + b * board + from] << to % RUN_BITS;
                }
            }
}

/* go: a byte for each cell, 0: it stays; NULL: all go on. */
static void run_unpack(const run_world *w, const uint8_t *go, uint8_t *cells) {
    for (int64_t c = 0; c < w->channels; c++)
        for (int64_t i = 0; i < w->cells; i++)
            if (!go || go[i])
                cells[c * w->cells + i] =
                    (uint8_t)(w->out[c * w->words + i / RUN_BITS] >> i % RUN_BITS & 1);
}

static weft_err run_on(const run_world *w, int steps, float share, weft_rng *r, uint8_t *go,
                       uint8_t *cells) {
    for (int t = 0; t < steps; t++) {
        run_pack(w, cells);
        const weft_err e = weft_circuit_run(w->k, w->words, w->in, w->out);
        if (e) return e;
        for (int64_t i = 0; i < w->cells && r; i++) go[i] = weft_rng_uniform(r) < share;
        run_unpack(w, r ? go : NULL, cells);
    }
    return WEFT_OK;
}

weft_err weft_automaton_run(const weft_automaton *a, weft_circuit *k, const weft_board *d,
                            int steps, uint8_t *cells) {
    weft_ctx *const c = automaton_ctx(a);
    const int channels = weft_logic_inputs(weft_automaton_logic(a)) / RUN_SEEN;
    if (!k || !d || !cells || d->boards < 1 || d->height < 1 || d->width < 1 || steps < 0 ||
        weft_circuit_inputs(k) != RUN_SEEN * channels || weft_circuit_outputs(k) != channels)
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_automaton_run: a circuit of %d inputs and %d outputs, boards with "
                         "cells and a number of steps were expected",
                         RUN_SEEN * channels, channels);
    run_world w = {.k = k,
                   .channels = channels,
                   .boards = d->boards,
                   .height = d->height,
                   .width = d->width,
                   .wrap = automaton_wraps(a)};
    w.cells = (int64_t)d->boards * d->height * d->width;
    w.words = (w.cells + RUN_BITS - 1) / RUN_BITS;
    const size_t bits = (size_t)(10 * channels * w.words) * sizeof *w.in;
    uint8_t *const room = weft_resize(c, NULL, bits + (size_t)w.cells);
    if (!room) return weft_fail(c, WEFT_MEMORY, "weft_automaton_run: out of memory");
    w.in = (uint64_t *)(void *)room, w.out = w.in + RUN_SEEN * channels * w.words;
    const weft_err e = run_on(&w, steps, d->share, d->rng, room + bits, cells);
    weft_resize(c, room, 0);
    return e;
}
