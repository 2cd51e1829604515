/* recurrence.c - recurrent cells over a sequence, forward and backward, as one step of a plan.
 *
 * Units are bands of rows of the batch; each goes through all steps by itself. In a step, all rows
 * of a call are multiplied by W_hh in one product, with W_hh packed once per call; a single row uses
 * W_hh unpacked. Then cells.h does each row. A row whose length is over is skipped. Unused results
 * are NULL and not written. */
#include "cells.h"
#include "gemm.h"
#include "routines.h"

enum { RECURRENCE_ROWS = 16 }; /* of a unit, at most: a few register tiles */

/* One [T, B, n] array: where its row b of step t begins. */
typedef struct recurrence_line {
    float *at; /* NULL: there is none */
    int64_t step, row;
} recurrence_line;

typedef struct recurrence_choice {
    const cells_table *v;
    weft_cell cell;
    bool reverse;
    int64_t steps, rows, units; /* T, B, H */
    int64_t width, kept;        /* floats of a row's gates, and of what is kept */
    int64_t each;               /* rows of a unit */
    int operand[RECUR_ROLE_COUNT];
    gemm_plan product; /* of all rows; not for a single one */
} recurrence_choice;

/* Scratch of one thread; arrays of all rows have rows that other threads do, and leave. */
typedef struct recurrence_room {
    float *packed;
    float *gates;   /* (B, width): u, or du where no result takes it */
    float *h, *c;   /* (B, H): the state, or its gradient */
    float *row;     /* (max(width, kept)): a row's kept, or da, where no result takes it */
    float *nothing; /* (H) zeros */
} recurrence_room;

static recurrence_room recurrence_rooms(const recurrence_choice *o, void *scratch, size_t *bytes) {
    recurrence_room m = {0};
    char *p = scratch;
    size_t used = 0;
#define RECURRENCE_PIECE(field, size)                                                              \
    (m.field = (void *)(p ? p + used : NULL), used += routine_round(size))
    const size_t state = (size_t)(o->rows * o->units) * 4;
    RECURRENCE_PIECE(packed, o->product.packed);
    RECURRENCE_PIECE(gates, (size_t)(o->rows * o->width) * 4);
    RECURRENCE_PIECE(h, state);
    RECURRENCE_PIECE(c, state);
    RECURRENCE_PIECE(row, (size_t)max_i64(o->width, o->kept) * 4);
    RECURRENCE_PIECE(nothing, (size_t)o->units * 4);
#undef RECURRENCE_PIECE
    if (bytes) *bytes = used;
    if (m.nothing) memset(m.nothing, 0, (size_t)o->units * 4);
    return m;
}

/* ---- operands ---- */

static float *recurrence_operand(const recurrence_choice *o, char *const *at, recur_role r) {
    return o->operand[r] < 0 ? NULL : (float *)(void *)at[o->operand[r]];
}

static recurrence_line recurrence_given(const routine *r, char *const *at, recur_role role) {
    const recurrence_choice *o = r->own;
    if (o->operand[role] < 0) return (recurrence_line){0};
    const roperand *x = &r->s->in[o->operand[role]];
    return (recurrence_line){recurrence_operand(o, at, role), x->stride[0], x->stride[1]};
}

static recurrence_line recurrence_result(const routine *r, char *const *at, int part,
                                         int64_t width) {
    const recurrence_choice *o = r->own;
    return (recurrence_line){(float *)(void *)at[r->s->nin + part], o->rows * width, width};
}

static float *recurrence_at(const recurrence_line *l, int64_t t, int64_t b) {
    return l->at ? l->at + t * l->step + b * l->row : NULL;
}

static void recurrence_copy(float *to, const float *from, int64_t n) {
    if (!to) return;
    if (from) memcpy(to, from, (size_t)n * sizeof *to);
    else memset(to, 0, (size_t)n * sizeof *to);
}

/* Rows of a call, and which of them have a step t. */
typedef struct recurrence_band {
    int64_t unit0, unit1, row0, row1;
    const int32_t *lengths; /* NULL: all steps */
} recurrence_band;

static bool recurrence_alive(const recurrence_band *n, int64_t b, int64_t t) {
    return !n->lengths || t < n->lengths[b];
}

static bool recurrence_any(const recurrence_band *n, int64_t t) {
    for (int64_t b = n->row0; b < n->row1; b++)
        if (recurrence_alive(n, b, t)) return true;
    return false;
}

static recurrence_band recurrence_band_of(const recurrence_choice *o, char *const *at,
                                          int64_t unit0, int64_t unit1) {
    return (recurrence_band){unit0, unit1, unit0 * o->each, min_i64(unit1 * o->each, o->rows),
                             (const int32_t *)(void *)recurrence_operand(o, at, RECUR_LENGTHS)};
}

/* State rows of the band from an operand (B, H), or zeros. */
static void recurrence_begin(const recurrence_choice *o, const recurrence_band *n, float *state,
                             const float *from) {
    const int64_t first = n->row0 * o->units;
    recurrence_copy(state + first, from ? from + first : NULL, (n->row1 - n->row0) * o->units);
}

static void recurrence_end(const recurrence_choice *o, const recurrence_band *n, float *to,
                           const float *state) {
    const int64_t first = n->row0 * o->units;
    if (to) recurrence_copy(to + first, state + first, (n->row1 - n->row0) * o->units);
}

/* ---- forward ---- */

static void recurrence_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                           void *scratch) {
    const recurrence_choice *o = r->own;
    const recurrence_room m = recurrence_rooms(o, scratch, NULL);
    const recurrence_band n = recurrence_band_of(o, at, unit0, unit1);
    const int64_t H = o->units;
    const float *w = recurrence_operand(o, at, RECUR_WEIGHT);
    const float *inner = recurrence_operand(o, at, RECUR_INNER);
    const recurrence_line a = recurrence_given(r, at, RECUR_GATES);
    const recurrence_line y = recurrence_result(r, at, RECUR_OUT_Y, H);
    const recurrence_line kept = recurrence_result(r, at, RECUR_OUT_KEPT, o->kept);
    if (o->rows > 1) gemm_pack(&o->product, m.packed, w);
    recurrence_begin(o, &n, m.h, recurrence_operand(o, at, RECUR_H0));
    recurrence_begin(o, &n, m.c, recurrence_operand(o, at, RECUR_C0));
    const gemm_data d = {.a = m.h, .packed = m.packed, .c = m.gates};
    for (int64_t s = 0; s < o->steps; s++) {
        const int64_t t = o->reverse ? o->steps - 1 - s : s;
        if (!recurrence_any(&n, t)) {
            /* nothing to multiply */
        } else if (o->rows > 1) {
            gemm_run(&o->product, &d, unit0, unit1, NULL);
        } else {
            o->v->dots(m.gates, w, o->width, H, m.h, s & 1);
        }
        for (int64_t b = n.row0; b < n.row1; b++) {
            float *keep = o->kept ? recurrence_at(&kept, t, b) : NULL, *h = m.h + b * H;
            const bool alive = recurrence_alive(&n, b, t);
            if (alive) {
                o->v->forward[o->cell](&(cells_step){.n = H,
                                                     .a = recurrence_at(&a, t, b),
                                                     .u = m.gates + b * o->width,
                                                     .inner = inner ? inner : m.nothing,
                                                     .h = h,
                                                     .c = m.c + b * H,
                                                     .kept = keep ? keep : m.row});
            } else {
                recurrence_copy(keep, NULL, o->kept);
            }
            recurrence_copy(recurrence_at(&y, t, b), alive ? h : NULL, H);
        }
    }
    recurrence_end(o, &n, (float *)(void *)at[r->s->nin + RECUR_OUT_H], m.h);
    recurrence_end(o, &n, (float *)(void *)at[r->s->nin + RECUR_OUT_C], m.c);
}

/* ---- backward ---- */

/* The state before step t of row b: the last gate of what is kept (LSTM), or y (GRU). */
static const float *recurrence_before(const recurrence_choice *o, const recurrence_band *n,
                                      const recurrence_line *kept, const recurrence_line *y,
                                      const float *first, const float *nothing, int64_t t,
                                      int64_t b) {
    const int64_t from = o->reverse ? t + 1 : t - 1;
    if (from >= 0 && from < o->steps && recurrence_alive(n, b, from))
        return o->cell == WEFT_LSTM ? recurrence_at(kept, from, b) + 4 * o->units
                                    : recurrence_at(y, from, b);
    return first ? first + b * o->units : nothing;
}

static void recurrence_grad_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                                void *scratch) {
    const recurrence_choice *o = r->own;
    const recurrence_room m = recurrence_rooms(o, scratch, NULL);
    const recurrence_band n = recurrence_band_of(o, at, unit0, unit1);
    const int64_t H = o->units;
    const bool apart = o->cell == WEFT_GRU; /* da and du differ */
    const float *w = recurrence_operand(o, at, RECUR_WEIGHT);
    const float *first = recurrence_operand(o, at, o->cell == WEFT_LSTM ? RECUR_C0 : RECUR_H0);
    const recurrence_line kept = recurrence_given(r, at, RECUR_KEPT);
    const recurrence_line y = recurrence_given(r, at, RECUR_Y);
    const recurrence_line dy = recurrence_given(r, at, RECUR_DY);
    float *dh0 = (float *)(void *)at[r->s->nin + RECUR_OUT_DH0];
    recurrence_line da = recurrence_result(r, at, RECUR_OUT_DGATES, o->width);
    recurrence_line du = apart ? recurrence_result(r, at, RECUR_OUT_DHIDDEN, o->width) : da;
    if (!du.at) du = (recurrence_line){m.gates, 0, o->width};
    if (!da.at) da = apart ? (recurrence_line){m.row, 0, 0} : du;
    if (o->rows > 1) gemm_pack(&o->product, m.packed, w);
    recurrence_begin(o, &n, m.h, recurrence_operand(o, at, RECUR_DH));
    recurrence_begin(o, &n, m.c, recurrence_operand(o, at, RECUR_DC));
    for (int64_t s = o->steps - 1; s >= 0; s--) {
        const int64_t t = o->reverse ? o->steps - 1 - s : s;
        for (int64_t b = n.row0; b < n.row1; b++) {
            float *to = recurrence_at(&da, t, b), *through = recurrence_at(&du, t, b);
            if (!recurrence_alive(&n, b, t)) {
                recurrence_copy(to, NULL, o->width);
                recurrence_copy(through, NULL, o->width);
                continue;
            }
            const float *given = recurrence_at(&dy, t, b);
            o->v->backward[o->cell](
                &(cells_back){.n = H,
                              .kept = recurrence_at(&kept, t, b),
                              .y = recurrence_at(&y, t, b),
                              .before = recurrence_before(o, &n, &kept, &y, first, m.nothing, t, b),
                              .dy = given ? given : m.nothing,
                              .dh = m.h + b * H,
                              .dc = m.c + b * H,
                              .da = to,
                              .du = through});
        }
        if (!recurrence_any(&n, t) || (s == 0 && !dh0)) continue;
        const gemm_data d = {
            .a = recurrence_at(&du, t, 0), .packed = m.packed, .c = m.h, .accumulate = 1};
        if (o->rows > 1) gemm_run(&o->product, &d, unit0, unit1, NULL);
        else o->v->mix(m.h, w, o->width, H, d.a, s & 1);
    }
    recurrence_end(o, &n, dh0, m.h);
    recurrence_end(o, &n, (float *)(void *)at[r->s->nin + RECUR_OUT_DC0], m.c);
}

/* ---- choices ---- */

static weft_err recurrence_choose(routine *r, const step *s, isa level, weft_ctx *c, arena *memory,
                                  bool grad) {
    WEFT_TRY(routine_own(r, sizeof(recurrence_choice), c, memory));
    recurrence_choice *o = r->own;
    o->v = cells_of(level);
    o->cell = (weft_cell)s->attr[RECUR_ATTR_CELL];
    o->reverse = s->attr[RECUR_ATTR_REVERSE] != 0;
    for (int i = 0; i < RECUR_ROLE_COUNT; i++)
        o->operand[i] = recur_operand(s->attr[RECUR_ATTR_GIVEN], (recur_role)i);
    const recur_role whole = !grad ? RECUR_GATES : o->operand[RECUR_Y] < 0 ? RECUR_KEPT : RECUR_Y;
    const roperand *x = &s->in[o->operand[whole]], *w = &s->in[o->operand[RECUR_WEIGHT]];
    o->steps = x->dim[0];
    o->rows = x->dim[1];
    o->units = w->dim[1];
    o->width = w->dim[0];
    o->kept = recur_kept(o->cell) * o->units;
    /* Two units as soon as each has rows enough to be worth reading the weights for. */
    const int64_t units = o->rows < 8 ? 1 : max_i64(2, routine_parts(o->rows, RECURRENCE_ROWS));
    o->each = max_i64(1, routine_parts(o->rows, units));
    if (o->rows > 1) {
        const int64_t H = o->units, W = o->width;
        const gemm_shape forward = {o->rows, W, H, H, 1, 1, H, W},
                         backward = {o->rows, H, W, W, 1, H, 1, H};
        gemm_choose_packed(&o->product, level, grad ? &backward : &forward, o->each);
    }
    r->units = o->units > 0 ? routine_parts(o->rows, o->each) : 0;
    recurrence_rooms(o, NULL, &r->scratch);
    r->run = grad ? recurrence_grad_run : recurrence_run;
    return WEFT_OK;
}

weft_err recurrence_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    return recurrence_choose(r, s, level, c, memory, false);
}

weft_err recurrence_grad_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    return recurrence_choose(r, s, level, c, memory, true);
}
