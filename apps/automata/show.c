/* show.c - the circuit of an automaton as files, its boards as a film, and the report
 * with both. Relies on the library for all formats; says only what is shown. */
#include "show.h"
#include "pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHOW_GATES = 800,     /* a picture of more of them tells nothing */
    SHOW_DEPTH = 6,       /* one of more does not fit the page */
    SHOW_LIFE_WIDTH = 72, /* room for an R-pentomino ... */
    SHOW_LIFE_HEIGHT = 48,
    SHOW_GENERATIONS = 200, /* ... for so long */
    SHOW_PIXELS = 432       /* the longer side of a film, about */
};

typedef struct show_film {
    int height, width, steps;
    uint8_t *board, *frames; /* [channels, 1, height, width], [steps + 1, height, width] */
} show_film;

/* ---- the circuit ---- */

/* In every format; a picture only where it can be read. *svg is that picture, or NULL. */
static weft_err show_circuit(const run *u, const automata_task *t, const weft_circuit *k,
                             char **svg) {
    char name[64], file[64], path[sizeof u->folder + 70];
    snprintf(name, sizeof name, "%s", t->name);
    for (char *s = name; *s; s++)
        if (*s == '-') *s = '_'; /* names of functions and modules have none */
    for (int f = 0; f < WEFT_CIRCUIT_FORMAT_COUNT; f++) {
        snprintf(file, sizeof file, "circuit.%s", weft_circuit_ending((weft_circuit_format)f));
        snprintf(path, sizeof path, "%s/%s", u->folder, file);
        if (f == WEFT_CIRCUIT_SVG && weft_circuit_gates(k) > SHOW_GATES) {
            remove(path); /* of an earlier circuit */
            continue;
        }
        char *const text = weft_circuit_text(k, (weft_circuit_format)f, name);
        if (!text) return weft_error_code(u->ctx);
        const weft_err e = weft_file_write_beneath(u->ctx, u->folder, file, text, strlen(text));
        if (!e && f == WEFT_CIRCUIT_SVG) *svg = text;
        else weft_text_free(u->ctx, text);
        if (e) return e;
    }
    return WEFT_OK;
}

/* ---- the film ---- */

void automaton_shown(const automata_task *t, int height, int width, const uint8_t *board,
                     uint8_t *cells) {
    const size_t n = (size_t)height * (size_t)width;
    memcpy(cells, board, n);
    for (int c = 1; c < t->shown && c < 3; c++)
        for (size_t i = 0; i < n; i++) cells[i] |= (uint8_t)(board[(size_t)c * n + i] << c);
}

static weft_err show_begin(const run *u, const automata_task *t, show_film *f) {
    if (t != &automata_life) {
        weft_rng r;
        weft_rng_seed(&r, (uint64_t)u->set->seed, 3);
        t->begin(t, f->height, f->width, 1, &r, f->board);
        return WEFT_OK;
    }
    life_pattern p;
    const weft_err e = life_pattern_read(u->ctx, "r-pentomino", &p);
    if (!e) life_pattern_place(&p, f->height, f->width, f->board);
    life_pattern_free(&p);
    return e;
}

static weft_err show_run(const run *u, const automata_task *t, const weft_automaton *rule,
                         weft_circuit *k, show_film *f) {
    const size_t n = (size_t)f->height * (size_t)f->width;
    weft_rng chance;
    weft_rng_seed(&chance, (uint64_t)u->set->seed, 4);
    const weft_board d = {.boards = 1,
                          .height = f->height,
                          .width = f->width,
                          .share = t->share,
                          .rng = t->share > 0 ? &chance : NULL};
    weft_err e = show_begin(u, t, f);
    for (int i = 0; i <= f->steps && !e; i++) {
        automaton_shown(t, f->height, f->width, f->board, f->frames + (size_t)i * n);
        if (i < f->steps) e = weft_automaton_run(rule, k, &d, 1, f->board);
    }
    return e;
}

/* The film as a file, and its bytes, which are to be freed. */
static weft_err show_gif(const run *u, const automata_task *t, const show_film *f, char **gif,
                         size_t *bytes) {
    static const uint8_t two[2][3] = {{18, 24, 33}, {126, 211, 162}};
    static const uint8_t eight[8][3] = {
        {18, 24, 33},    {226, 92, 84},  {98, 190, 120}, {238, 200, 92}, {92, 150, 236},
        {196, 120, 220}, {92, 200, 212}, {236, 239, 242}}; /* bits: red, green, blue */
    const int side = f->height > f->width ? f->height : f->width;
    *gif =
        weft_animation_gif(u->ctx,
                           &(weft_animation){.frames = f->frames,
                                             .count = f->steps + 1,
                                             .height = f->height,
                                             .width = f->width,
                                             .colors = t->shown > 1 ? eight : two,
                                             .color_count = t->shown > 1 ? 8 : 2,
                                             .scale = side < SHOW_PIXELS ? SHOW_PIXELS / side : 1,
                                             .seconds = t == &automata_life ? 0.07 : 0.15,
                                             .hold = 1.5},
                           bytes);
    if (!*gif) return weft_error_code(u->ctx);
    return weft_file_write_beneath(u->ctx, u->folder, "automaton.gif", *gif, *bytes);
}

static weft_err show_filmed(const run *u, const automata_task *t, const weft_automaton *rule,
                            weft_circuit *k, show_film *f, char **gif, size_t *bytes) {
    const bool life = t == &automata_life;
    f->height = life ? SHOW_LIFE_HEIGHT : t->height;
    f->width = life ? SHOW_LIFE_WIDTH : t->width;
    f->steps = life ? SHOW_GENERATIONS : t->steps;
    const size_t n = (size_t)f->height * (size_t)f->width;
    f->board = malloc((size_t)t->shape.channels * n);
    f->frames = malloc((size_t)(f->steps + 1) * n);
    weft_err e = f->board && f->frames ? WEFT_OK : weft_fail(u->ctx, WEFT_MEMORY, "out of memory");
    if (!e) e = show_run(u, t, rule, k, f);
    if (!e) e = show_gif(u, t, f, gif, bytes);
    free(f->board);
    free(f->frames);
    return e;
}

/* ---- the report ---- */

weft_err automaton_report(const run *u, const automata_task *t, const weft_automaton *rule,
                          const weft_circuit *gates, const char *summary) {
    char *svg = NULL, *gif = NULL, film_caption[200], circuit_caption[400];
    show_film film = {0};
    size_t gif_bytes = 0;
    weft_circuit *const k = weft_circuit_copy(gates);
    weft_err e = k ? weft_circuit_simplify(k) : weft_error_code(u->ctx);
    if (!e) e = show_circuit(u, t, k, &svg);
    if (!e) e = show_filmed(u, t, rule, k, &film, &gif, &gif_bytes);
    if (!e) {
        snprintf(film_caption, sizeof film_caption,
                 "%s, %d steps on %d \u00d7 %d cells, computed by the circuit alone. Also in the "
                 "folder of the run: automaton.gif.",
                 t == &automata_life ? "An R-pentomino" : "From a random start", film.steps,
                 film.width, film.height);
        const int depth = weft_circuit_depth(k);
        snprintf(circuit_caption, sizeof circuit_caption,
                 "The circuit for the next state of a cell, simplified: %d gates, depth %d. "
                 "x0 to x8 are the cells around it, row by row, x4 the cell itself%s. Also in the "
                 "folder of the run: circuit.svg, .c, .v, .blif and .json.%s",
                 weft_circuit_gates(k), depth,
                 t->shape.channels > 1 ? ", and so on for each channel" : "",
                 depth > SHOW_DEPTH ? " A click shows its full size." : "");
        const weft_figure plates[] = {
            {"Animation of the automaton", film_caption, gif, gif_bytes},
            {"The circuit", circuit_caption, svg, svg ? strlen(svg) : 0},
        };
        e = weft_report_write(u->ctx, u->folder,
                              &(weft_report){.title = t->title,
                                             .summary = summary,
                                             .figures = plates,
                                             .figure_count = svg ? 2 : 1});
    }
    weft_circuit_free(k);
    weft_text_free(u->ctx, svg);
    weft_text_free(u->ctx, gif);
    return e;
}
