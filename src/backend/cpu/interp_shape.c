/* interp_shape.c - row programs on their way to memory: the shape of tiles, and the finished program.
 *
 * How a kernel is walked follows from its loops: maps and rows that fit are done tile by tile, longer
 * rows and folds across in phases. Registers are interp_code.c's; once they are known, a tile may still
 * become wider, and all that a run needs is copied into the plan. */
#include "backend/cpu/interp_prep.h"

#include <assert.h>

/* Does a load run down columns where the loop runs along rows? Then squarish tiles use whole
 * lines of memory. */
static bool prep_strides_down(const prep *q) {
    const interp *x = q->x;
    if (x->xr < 0 || x->dim[x->xc] <= PREP_SQUARE) return false;
    for (int i = 0; i < q->nins; i++) {
        const kview *v = &q->k->view[q->ins[i].view];
        if (q->ins[i].op == K_LOAD && v->stride[x->xr] == 1 && v->stride[x->xc] != 0 &&
            v->stride[x->xc] != 1)
            return true;
    }
    return false;
}

/* Is the load read only as the index of rows that are summed? */
static bool prep_indexes(const prep *q, int id) {
    for (int r = id + 1; r < q->nins; r++)
        for (int o = 0; o < prep_operands(&q->ins[r]); o++)
            if (prep_operand(&q->ins[r], o) == id && q->ins[r].op != TILE_TAKE_SUM) return false;
    return true;
}

/* Are rows of tables all that is folded? Then no tile of elements is ever made, and all rows can pass
 * at once. */
static bool prep_only_bags(const prep *q) {
    bool any = false;
    for (int i = 0; i < q->nins; i++) {
        const kins *s = &q->ins[i];
        any |= s->op == TILE_TAKE_SUM;
        if (s->level == KL_ELEMENT && s->op != K_CONST && !(s->op == K_LOAD && prep_indexes(q, i)))
            return false;
        if (prep_is_fold(s->op) && s->op != TILE_TAKE_SUM) return false;
    }
    return any;
}

/* Folds across take all columns if they may: then several rows are one stretch of memory. */
enum { ACROSS_WIDTH = 1024, ACROSS_LANES = 2048 };

/* As many rows of n elements as make up a tile, at most `all`. */
static int prep_rows(int64_t n, int64_t all) {
    assert(n >= 0);
    return (int)min_i64(max_i64(TILE / max_i64(n, 1), 1), all);
}

/* Every element on its own: units are rows, or tiles of the only row. */
static void prep_shape_map(prep *q, int64_t outer, bool epilogue) {
    assert(outer >= 0);
    interp *x = q->x;
    const int64_t n = x->dim[x->xc];
    x->mode = INTERP_MAP;
    x->xr = x->xc - 1;
    x->cols = (int)min_i64(n, TILE);
    x->rows = x->xr < 0 || n > TILE ? 1 : prep_rows(n, x->dim[x->xr]);
    if (!epilogue && prep_strides_down(q)) {
        x->rows = (int)min_i64(x->dim[x->xr], PREP_SQUARE);
        x->cols = (int)min_i64(n, TILE / x->rows);
    }
    if (x->xr < 0 && !epilogue) x->chunks = (n + TILE - 1) / TILE, x->units = x->chunks;
    else x->units = outer / max_i64(n, 1);
    if (n == 0) x->units = 0;
}

/* Folds over rows, for so many columns at once as are a unit. */
static void prep_shape_across(prep *q, int64_t outer, int64_t row, bool bags) {
    interp *x = q->x;
    const int64_t n = x->dim[x->xc];
    x->mode = INTERP_ACROSS;
    x->xr = x->xc - 1;
    const int64_t parts = (n + ACROSS_WIDTH - 1) / ACROSS_WIDTH; /* columns of a unit */
    x->cols =
        bags || n < TILE ? (int)min_i64(n, TILE) : (int)(((n + parts - 1) / parts + 15) / 16 * 16);
    const int64_t most = max_i64(TILE / max_i64(x->cols, 1), INTERP_PARTIAL);
    x->rows = (int)min_i64(min_i64(max_i64(ACROSS_LANES / max_i64(x->cols, 1), 1), most),
                           max_i64(x->dim[x->xr], 1));
    if (bags) x->rows = (int)x->dim[x->xr];
    x->chunks = n ? (n + x->cols - 1) / x->cols : 0;
    x->units = outer * x->chunks;
    x->long_sums = row > INTERP_PARTIAL;
}

/* Rows that stay in the first cache while their program is done once. */
static void prep_shape_rows(prep *q, int64_t outer, int64_t row) {
    assert(row >= 0);
    interp *x = q->x;
    x->mode = INTERP_ROWS;
    x->xr = x->outer - 1;
    x->cols = (int)row;
    x->rows = x->xr < 0 ? 1 : prep_rows(row, max_i64(x->dim[x->xr], 1));
    x->units = outer;
}

/* Longer rows, swept once for each phase. */
static void prep_shape_stream(prep *q, int64_t outer) {
    interp *x = q->x;
    const int64_t n = x->dim[x->xc];
    x->mode = INTERP_STREAM;
    x->xr = x->reduce > 1 ? x->xc - 1 : -1;
    x->cols = (int)min_i64(n, TILE);
    x->rows = x->xr < 0 || n > TILE ? 1 : prep_rows(n, max_i64(x->dim[x->xr], 1));
    x->units = outer;
}

/* The longest row that is kept whole: the more is computed again otherwise, the longer. */
static int64_t prep_longest_row(const prep *q) {
    return prep_expensive(q) ? INTERP_LONG : q->phases > 2 ? INTERP_RESIDENT : TILE * 4;
}

void prep_shape(prep *q, bool epilogue) {
    const kernel *k = q->k;
    const bool bags = prep_only_bags(q);
    interp *x = q->x;
    x->dims = k->outer + k->reduce + k->inner;
    x->outer = k->outer, x->reduce = k->reduce;
    memcpy(x->dim, k->dim, sizeof x->dim);
    int64_t outer = 1, row = 1;
    for (int d = 0; d < k->outer; d++) outer *= k->dim[d];
    for (int d = 0; d < k->reduce; d++) row *= k->dim[k->outer + d];
    x->xc = x->dims - 1;
    x->chunks = 1;
    prep_order(q);
    if (k->reduce == 0) prep_shape_map(q, outer, epilogue);
    else if (k->inner) prep_shape_across(q, outer, row, bags);
    else if (k->reduce == 1 && row <= prep_longest_row(q)) prep_shape_rows(q, outer, row);
    else prep_shape_stream(q, outer);
    if (x->cols < 1) x->cols = 1;
    if (x->rows < 1) x->rows = 1;
    x->lanes = bags ? (size_t)x->cols : (size_t)x->rows * (size_t)x->cols;
    if (x->lanes < (size_t)x->rows) x->lanes = (size_t)x->rows;
    x->lanes = (x->lanes + 15) & ~(size_t)15;
    x->row_lanes = ((size_t)(x->mode == INTERP_ACROSS ? x->cols : x->rows) + 15) & ~(size_t)15;
}

/* Along one dimension a tile may be longer than usual as long as what lies between its instructions
 * stays in the first cache: fewer calls for each element. */
void prep_widen(prep *q) {
    interp *x = q->x;
    const bool line = x->xr < 0 && x->rows == 1 &&
                      ((x->mode == INTERP_MAP && x->dims == 1) || x->mode == INTERP_STREAM);
    int between = 0;
    for (size_t i = 0; i < q->nslot; i++)
        between += q->slot[i].kind == SLOT_TILE || q->slot[i].kind == SLOT_KEPT || q->slot[i].wide;
    if (!line || between > 1 || q->failed || x->dim[x->xc] <= TILE) return;
    const int64_t most = between ? INTERP_WIDE / 4 : INTERP_WIDE;
    x->cols = (int)(min_i64(most, x->dim[x->xc] + TILE - 1) / TILE * TILE);
    x->lanes = (size_t)x->cols;
}

bool prep_finish(prep *q, arena *memory) {
    assert(memory);
    interp *x = q->x;
    const kernel *k = q->k;
    x->nview = k->nview, x->niop = (int)q->nop, x->nslot = (int)q->nslot;
    x->view = arena_new(memory, ((size_t)x->nview + 1) * sizeof *x->view);
    x->op = arena_new(memory, ((size_t)x->niop + 1) * sizeof *x->op);
    x->slot = arena_new(memory, ((size_t)x->nslot + 1) * sizeof *x->slot);
    x->direct = arena_new(memory, ((size_t)x->nslot + 1) * sizeof *x->direct);
    if (!x->view || !x->op || !x->slot || !x->direct) return false;
    size_t at = 0;
    for (size_t i = 0; i < q->nslot; i++) {
        if (q->slot[i].kind >= SLOT_DIRECT) {
            x->direct[x->ndirect++] = (uint16_t)i;
            continue;
        }
        q->slot[i].offset = (uint32_t)at;
        bool narrow =
            q->slot[i].kind == SLOT_ROW ||
            (q->slot[i].kind <= SLOT_FLAT && q->slot[i].kind != SLOT_TILE && !q->slot[i].wide);
        at += (narrow ? x->row_lanes : x->lanes) * 4;
    }
    if (q->nslot) memcpy(x->slot, q->slot, q->nslot * sizeof *x->slot);
    if (q->nop) memcpy(x->op, q->op, q->nop * sizeof *x->op);
    for (int i = 0; i < k->nview; i++) {
        const kview *v = &k->view[i];
        interp_view *o = &x->view[i];
        o->dtype = v->dtype;
        o->size = (uint8_t)weft_dtype_size((weft_dtype)v->dtype);
        o->at = v->buf == KNOBUF ? NULL : q->p->buf[v->buf].at;
        o->guard = v->guard, o->fill = v->fill, o->off = v->off;
        o->start = v->at == KNOBUF ? NULL : (const int32_t *)(const void *)q->p->buf[v->at].at;
        o->start_stride = v->at_stride, o->start_max = v->at_max;
        memcpy(o->stride, v->stride, sizeof o->stride);
        memcpy(o->lo, v->lo, sizeof o->lo);
        memcpy(o->hi, v->hi, sizeof o->hi);
    }
    x->tiles = at;
    /* behind the tiles: a pointer per slot and the place of each view */
    x->scratch =
        at + (((size_t)x->nslot * sizeof(void *) + (size_t)x->nview * 2 * sizeof(int64_t) + 63) &
              ~(size_t)63);
    return true;
}
