/* gates.c - gate programs: a tile of cells goes through the whole program, then the next one.
 *
 * gates: x, coef -> y. gates_grad: x, coef, dy -> dx, sums of pieces of the cells. Gates that lead to
 * no output are left out, and those of a layer are taken in the order of what they read, so that
 * neighbours find it in the first cache. Forward, a value's place is given to another once it was read last, so a
 * tile's values stay in the first caches; backward all values are computed again and kept, and the
 * gradients get such places. The code is made once, when the plan is. */
#include "gates_loops.h"

#include "core/gates.h"
#include "routines.h"

#include <assert.h>
#include <stdlib.h>

typedef struct gates_choice {
    const gates_table *t;
    int64_t cells;
    int32_t features, outputs, rows;
    size_t codes, backs;
    gates_code *code;
    gates_back *back;
    uint32_t *in;    /* of each feature its place, or none */
    uint32_t *out;   /* of each output the place of its value (forward) or gradient (backward) */
    uint32_t *slope; /* of each feature the place of its gradient, or none */
    bool *first;     /* of each output: nothing is there yet where its gradient goes */
    size_t values, slopes; /* places, in floats */
    int64_t piece;         /* cells of a piece, whole tiles */
} gates_choice;

#define GATES_NONE UINT32_MAX

/* ---- places ---- */

/* Places of one tile each, given and taken back. */
typedef struct gates_places {
    uint32_t *free;
    size_t frees;
    uint32_t made, tile;
} gates_places;

static uint32_t gates_place(gates_places *p) {
    assert(!p->frees || p->free[p->frees - 1] < p->made * p->tile);
    return p->frees ? p->free[--p->frees] : p->made++ * p->tile;
}

/* A gate in its turn, by what it reads. */
typedef struct gates_turn {
    int32_t low, high, gate;
} gates_turn;

/* What the making of the code needs for a moment: by value. */
typedef struct gates_draft {
    const gate_wiring *w;
    size_t values;
    gates_turn *turn; /* gates in the order they are taken */
    bool *live;
    int32_t *last;   /* the last turn that reads a value; `gates` for outputs; -1: none */
    uint32_t *place; /* of the value */
    uint32_t *slope; /* of its gradient */
    gates_places places;
} gates_draft;

static int gates_before(const void *x, const void *y) {
    const gates_turn *const a = x, *const b = y;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->gate < b->gate ? -1 : 1;
}

/* A layer is a run of gates that do not read each other. */
static void gates_order(gates_draft *d) {
    assert(d->w->gates >= 0 && d->w->features > 0);
    const gate_wiring *w = d->w;
    int32_t layer = 0;
    for (int32_t i = 0; i < w->gates; i++) {
        const weft_gate g = w->gate[i];
        d->turn[i] = (gates_turn){g.a < g.b ? g.a : g.b, g.a < g.b ? g.b : g.a, i};
        if (d->turn[i].high < w->features + layer) continue;
        qsort(d->turn + layer, (size_t)(i - layer), sizeof *d->turn, gates_before);
        layer = i;
    }
    qsort(d->turn + layer, (size_t)(w->gates - layer), sizeof *d->turn, gates_before);
}

static void gates_mark(gates_draft *d) {
    const gate_wiring *w = d->w;
    for (size_t i = 0; i < d->values; i++) d->last[i] = -1;
    for (int32_t i = 0; i < w->outputs; i++)
        d->live[w->output[i]] = true, d->last[w->output[i]] = w->gates;
    for (int32_t i = w->gates - 1; i >= 0; i--) {
        const weft_gate *g = &w->gate[d->turn[i].gate];
        if (!d->live[w->features + d->turn[i].gate]) continue;
        d->live[g->a] = d->live[g->b] = true;
        if (d->last[g->a] < 0) d->last[g->a] = i;
        if (d->last[g->b] < 0) d->last[g->b] = i;
    }
}

static void gates_leave(gates_draft *d, int32_t value, int32_t turn) {
    assert(d->place[value] != GATES_NONE);
    if (d->last[value] == turn) d->places.free[d->places.frees++] = d->place[value];
}

/* keep: no place is given twice. */
static void gates_write_code(gates_draft *d, gates_choice *o, bool keep) {
    assert(!o->codes && !d->places.made);
    const gate_wiring *w = d->w;
    for (int32_t i = 0; i < w->features; i++)
        o->in[i] = d->place[i] = d->live[i] ? gates_place(&d->places) : GATES_NONE;
    for (int32_t i = 0; i < w->gates; i++) {
        const int32_t own = w->features + d->turn[i].gate;
        const weft_gate *g = &w->gate[d->turn[i].gate];
        if (!d->live[own]) continue;
        gates_code *c = &o->code[o->codes++];
        *c = (gates_code){.a = d->place[g->a], .b = d->place[g->b], .row = (uint32_t)g->row * 4};
        if (!keep) { /* its own place may be one that it reads: lane by lane that is well */
            gates_leave(d, g->a, i);
            if (g->b != g->a) gates_leave(d, g->b, i);
        }
        c->out = d->place[own] = gates_place(&d->places);
    }
    o->values = (size_t)d->places.made * d->places.tile;
}

/* Where the gradient of a value is read from and written to; zeros lie at 0. */
static void gates_slope(gates_draft *d, int32_t value, uint32_t *from, uint32_t *to) {
    *from = d->slope[value] == GATES_NONE ? 0 : d->slope[value];
    if (d->slope[value] == GATES_NONE) d->slope[value] = gates_place(&d->places);
    *to = d->slope[value];
}

static void gates_write_back(gates_draft *d, gates_choice *o) {
    assert(!o->backs);
    const gate_wiring *w = d->w;
    d->places.frees = 0;
    d->places.made = 1; /* the zeros */
    for (size_t i = 0; i < d->values; i++) d->slope[i] = GATES_NONE;
    for (int32_t i = 0; i < w->outputs; i++) {
        uint32_t from;
        o->first[i] = d->slope[w->output[i]] == GATES_NONE;
        gates_slope(d, w->output[i], &from, &o->out[i]);
    }
    size_t at = o->codes;
    for (int32_t i = w->gates - 1; i >= 0; i--) {
        const weft_gate *g = &w->gate[d->turn[i].gate];
        const int32_t own = w->features + d->turn[i].gate;
        if (!d->live[own]) continue;
        const gates_code *c = &o->code[--at];
        gates_back *b = &o->back[o->backs++];
        *b = (gates_back){.a = c->a, .b = c->b, .row = c->row, .grad = d->slope[own]};
        gates_slope(d, g->a, &b->from_a, &b->to_a);
        gates_slope(d, g->b, &b->from_b, &b->to_b);
        d->places.free[d->places.frees++] = d->slope[own];
    }
    for (int32_t i = 0; i < w->features; i++) o->slope[i] = d->slope[i];
    o->slopes = (size_t)d->places.made * d->places.tile;
}

static bool gates_room(gates_draft *d, gates_choice *o, bool back, arena *memory) {
    const size_t n = d->values + 1, gates = (size_t)d->w->gates + GATES_AHEAD;
    d->turn = arena_new(memory, n * sizeof *d->turn);
    d->live = arena_new(memory, n * sizeof *d->live);
    d->last = arena_new(memory, n * sizeof *d->last);
    d->place = arena_new(memory, n * sizeof *d->place);
    d->slope = arena_new(memory, n * sizeof *d->slope);
    d->places.free = arena_new(memory, 2 * n * sizeof *d->places.free);
    o->code = arena_new(memory, gates * sizeof *o->code);
    o->back = arena_new(memory, (back ? gates : 1) * sizeof *o->back);
    o->in = arena_new(memory, n * sizeof *o->in);
    o->slope = arena_new(memory, n * sizeof *o->slope);
    o->out = arena_new(memory, ((size_t)d->w->outputs + 1) * sizeof *o->out);
    o->first = arena_new(memory, ((size_t)d->w->outputs + 1) * sizeof *o->first);
    return d->turn && d->live && d->last && d->place && d->slope && d->places.free && o->code &&
           o->back && o->in && o->slope && o->out && o->first;
}

static weft_err gates_make(routine *r, const step *s, isa level, weft_ctx *c, arena *memory,
                           bool back) {
    assert(s->nin >= 2 && s->in[0].rank == 2);
    WEFT_TRY(routine_own(r, sizeof(gates_choice), c, memory));
    gates_choice *o = r->own;
    const gate_wiring *w = gates_wiring(s->attr);
    *o = (gates_choice){.t = gates_of(level, s->in[0].dim[1]),
                        .cells = s->in[0].dim[1],
                        .features = w->features,
                        .outputs = w->outputs,
                        .rows = w->rows};
    gates_draft d = {.w = w,
                     .values = (size_t)w->features + (size_t)w->gates,
                     .places = {.tile = (uint32_t)o->t->tile}};
    if (!gates_room(&d, o, back, memory))
        return weft_fail(c, WEFT_MEMORY, "gate_program: out of memory for its code");
    gates_order(&d);
    gates_mark(&d);
    gates_write_code(&d, o, back);
    if (back) gates_write_back(&d, o);
    else
        for (int32_t i = 0; i < w->outputs; i++) o->out[i] = d.place[w->output[i]];
    r->scratch = (o->values + o->slopes) * 4;
    return WEFT_OK;
}

/* ---- running ---- */

/* Rows of a tile between the matrices and scratch; cells beyond the last are zeros. */
static void gates_load(const gates_choice *o, float *to, const float *row, int64_t cell) {
    assert(0 <= cell && cell < o->cells);
    const int64_t n = min_i64(o->t->tile, o->cells - cell);
    memcpy(to, row + cell, (size_t)n * 4);
    for (int64_t i = n; i < o->t->tile; i++) to[i] = 0;
}

static void gates_store(const gates_choice *o, float *row, int64_t cell, const float *from) {
    assert(0 <= cell && cell < o->cells);
    memcpy(row + cell, from, (size_t)min_i64(o->t->tile, o->cells - cell) * 4);
}

static void gates_values(const gates_choice *o, const float *x, const float *coef, int64_t cell,
                         float *value) {
    for (int32_t i = 0; i < o->features; i++)
        if (o->in[i] != GATES_NONE) gates_load(o, value + o->in[i], x + i * o->cells, cell);
    o->t->forward(o->code, o->codes, coef, value);
}

static void gates_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                      void *scratch) {
    assert(0 <= unit0 && unit1 <= r->units);
    const gates_choice *o = r->own;
    const float *x = (const float *)at[0], *coef = (const float *)at[1];
    float *y = (float *)at[2], *value = scratch;
    for (int64_t u = unit0; u < unit1; u++) {
        const int64_t cell = u * o->t->tile;
        gates_values(o, x, coef, cell, value);
        for (int32_t i = 0; i < o->outputs; i++)
            gates_store(o, y + i * o->cells, cell, value + o->out[i]);
    }
}

weft_err gates_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    WEFT_TRY(gates_make(r, s, level, c, memory, false));
    const gates_choice *o = r->own;
    r->run = gates_run;
    r->units = routine_parts(o->cells, o->t->tile);
    return WEFT_OK;
}

static void gates_back_tile(const gates_choice *o, char *const *at, int64_t cell, float *value,
                            float *grad, float *sums) {
    const float *x = (const float *)at[0], *coef = (const float *)at[1], *dy = (const float *)at[2];
    float *dx = (float *)at[3];
    const int tile = o->t->tile;
    gates_values(o, x, coef, cell, value);
    for (int i = 0; i < tile; i++) grad[i] = 0;
    for (int32_t i = 0; i < o->outputs; i++) {
        float more[GATES_TILE_MOST], *to = grad + o->out[i];
        gates_load(o, o->first[i] ? to : more, dy + i * o->cells, cell);
        for (int k = 0; k < tile && !o->first[i]; k++) to[k] += more[k];
    }
    o->t->backward(o->back, o->backs, coef, value, grad, sums);
    for (int32_t i = 0; i < o->features && dx; i++)
        gates_store(o, dx + i * o->cells, cell,
                    grad + (o->slope[i] == GATES_NONE ? 0 : o->slope[i]));
}

static void gates_grad_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                           void *scratch) {
    assert(0 <= unit0 && unit1 <= r->units);
    const gates_choice *o = r->own;
    float *value = scratch, *grad = value + o->values;
    for (int64_t u = unit0; u < unit1; u++) {
        float *sums = (float *)at[4] + u * o->rows * 4;
        memset(sums, 0, (size_t)o->rows * 16);
        const int64_t end = min_i64(o->cells, (u + 1) * o->piece);
        for (int64_t cell = u * o->piece; cell < end; cell += o->t->tile)
            gates_back_tile(o, at, cell, value, grad, sums);
    }
}

weft_err gates_grad_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    WEFT_TRY(gates_make(r, s, level, c, memory, true));
    gates_choice *o = r->own;
    r->run = gates_grad_run;
    r->units = s->attr[GATES_ATTR_PIECES];
    o->piece = routine_parts(routine_parts(o->cells, r->units), o->t->tile) * o->t->tile;
    return WEFT_OK;
}
