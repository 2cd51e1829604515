/* interp_walk.c - one tile of a prepared row program: loads, instructions, folds, stores.
 *
 * Works only in the scratch it is given: tiles, then a pointer per slot, then where each view's
 * tile begins. Which tile comes next is interp_run.c's. */
#include "backend/cpu/interp_walk.h"

#include <assert.h>

/* Not `fill`: the scratch still holds what an earlier stage of the same run put there. */
void walk_begin(walk *w, const interp *x, void *scratch, size_t lanes, bool fill) {
    assert((uintptr_t)scratch % 64 == 0 && lanes > 0);
    w->x = x;
    w->scratch = scratch;
    w->ptr = (void **)(void *)(w->scratch + x->tiles);
    w->base = (int64_t *)(void *)(w->ptr + x->nslot);
    w->home = w->base + x->nview;
    w->position = 0;
    for (int d = 0; d < x->dims; d++) w->index[d] = 0;
    for (int i = 0; i < INTERP_KEPT; i++) w->kept[i].rows = 0;
    for (int i = 0; i < x->nview; i++) {
        const interp_view *v = &x->view[i];
        w->home[i] = v->off;
        if (v->start) {
            int64_t at = *v->start;
            w->home[i] += (at < 0 ? 0 : at > v->start_max ? v->start_max : at) * v->start_stride;
        }
    }
    if (lanes > x->lanes) lanes = x->lanes;
    for (int i = 0; i < x->nslot; i++) {
        const interp_slot *s = &x->slot[i];
        if (s->kind >= SLOT_DIRECT) continue;
        w->ptr[i] = w->scratch + s->offset;
        if (!fill) continue;
        int n = (int)(s->wide ? lanes : lanes < x->row_lanes ? lanes : x->row_lanes);
        if (s->kind == SLOT_CONST) x->t->load[WEFT_I32](w->ptr[i], &s->fill, 0, n);
        if (s->kind == SLOT_FLAT) {
            const interp_view *v = &x->view[s->view];
            x->t->load[v->dtype](w->ptr[i], v->at + w->home[s->view] * v->size, 0, n);
        }
    }
}

/* Where the views' tiles begin for the current index. */
static void walk_place(walk *w) {
    const interp *x = w->x;
    for (int i = 0; i < x->nview; i++) {
        int64_t at = w->home[i];
        for (int d = 0; d < x->dims; d++) at += w->index[d] * x->view[i].stride[d];
        w->base[i] = at;
    }
}

/* ---- loads and stores ---- */

static void walk_fill(walk *w, void *d, uint32_t bits, int n) {
    w->x->t->load[WEFT_I32](d, &bits, 0, n);
}

/* One run of n elements along dimension dim, starting at index[dim] + from, with guards of that
 * dimension. */
static void walk_line(walk *w, const interp_view *v, char *d, int64_t element, int dim, int n) {
    assert(n >= 0 && dim >= 0 && dim < w->x->dims);
    int64_t stride = v->stride[dim];
    if (!v->guard) {
        w->x->t->load[v->dtype](d, v->at + element * v->size, stride, n);
        return;
    }
    int64_t first = w->index[dim], lo = v->lo[dim] - first, hi = v->hi[dim] - first;
    int a = (int)(lo < 0 ? 0 : lo > n ? n : lo), b = (int)(hi < a ? a : hi > n ? n : hi);
    if (a > 0) walk_fill(w, d, v->fill, a);
    if (b > a)
        w->x->t->load[v->dtype](d + 4 * a, v->at + (element + a * stride) * v->size, stride, b - a);
    if (n > b) walk_fill(w, d + 4 * b, v->fill, n - b);
}

/* Is the tile outside the guard in a dimension other than its own two? */
static bool walk_outside(const walk *w, const interp_view *v, int except_a, int except_b) {
    for (int d = 0; v->guard && d < w->x->dims; d++)
        if (d != except_a && d != except_b && (w->index[d] < v->lo[d] || w->index[d] >= v->hi[d]))
            return true;
    return false;
}

/* Does the kept tile hold what is wanted already? If not, it will. */
static bool walk_has(walk *w, const iop *o) {
    assert(o->kept > 0 && o->kept <= INTERP_KEPT);
    walk_kept *k = &w->kept[o->kept - 1];
    if (k->rows >= w->rows && k->cols == w->cols && k->base == w->base[o->view]) return true;
    *k = (walk_kept){w->base[o->view], w->rows, w->cols};
    return false;
}

/* rows x cols elements of a view without guards, from `at` on, into lines `pitch` lanes apart. */
static void walk_block(const walk *w, const interp_view *v, char *d, int pitch, int64_t at,
                       int rows, int cols) {
    assert(rows > 0 && cols > 0 && pitch >= cols);
    const interp *x = w->x;
    const char *from = v->at + at * v->size;
    int64_t down = x->xr < 0 ? 0 : v->stride[x->xr], along = v->stride[x->xc];
    if (v->size == 4 && down == 0 && along == 1 && pitch == cols) x->t->repeat(d, from, rows, cols);
    else if (v->size == 4) x->t->move(d, pitch, 1, from, down, along, rows, cols);
    else if (pitch == cols && along == 1 && down == cols)
        x->t->load[v->dtype](d, from, 1, rows * cols);
    else
        for (int r = 0; r < rows; r++)
            x->t->load[v->dtype](d + (size_t)r * (size_t)pitch * 4, from + r * down * v->size,
                                 along, cols);
}

/* Where [lo, hi) falls among the n indices from `first` on. */
static void walk_inside(int64_t first, int64_t lo, int64_t hi, int n, int *a, int *b) {
    assert(lo <= hi && n >= 0);
    *a = (int)(lo < first ? 0 : lo - first > n ? n : lo - first);
    *b = (int)(hi - first < *a ? *a : hi - first > n ? n : hi - first);
}

static void walk_load_tile(walk *w, const iop *o) {
    assert(o->view < w->x->nview && o->d < w->x->nslot);
    const interp *x = w->x;
    const interp_view *v = &x->view[o->view];
    char *d = w->ptr[o->d];
    int xr = x->xr, xc = x->xc, rows = w->rows, cols = w->cols;
    if (o->thin) {
        x->t->load[v->dtype](d, v->at + w->base[o->view] * v->size, xr < 0 ? 0 : v->stride[xr],
                             rows);
        return;
    }
    if (o->kept && walk_has(w, o)) return;
    if (!v->guard) {
        walk_block(w, v, d, cols, w->base[o->view], rows, cols);
        return;
    }
    int r0 = 0, r1 = rows, c0, c1;
    if (rows > 1) walk_inside(w->index[xr], v->lo[xr], v->hi[xr], rows, &r0, &r1);
    walk_inside(w->index[xc], v->lo[xc], v->hi[xc], cols, &c0, &c1);
    bool none = walk_outside(w, v, rows > 1 ? xr : xc, xc) || r0 == r1 || c0 == c1;
    if (none || r1 - r0 < rows || c1 - c0 < cols) walk_fill(w, d, v->fill, rows * cols);
    if (none) return;
    int64_t at = w->base[o->view] + (rows > 1 ? r0 * v->stride[xr] : 0) + c0 * v->stride[xc];
    walk_block(w, v, d + ((size_t)r0 * (size_t)cols + (size_t)c0) * 4, cols, at, r1 - r0, c1 - c0);
}

/* Row values lie along the rows of a tile (row programs) or along its columns (across). */
static int walk_row_dim(const interp *x) {
    return x->mode == INTERP_ACROSS ? x->xc : x->mode == INTERP_ROWS ? x->xr : -1;
}

static void walk_load_row(walk *w, const iop *o) {
    assert(o->view < w->x->nview && o->d < w->x->nslot);
    const interp *x = w->x;
    const interp_view *v = &x->view[o->view];
    int dim = walk_row_dim(x);
    if (walk_outside(w, v, dim, dim)) {
        walk_fill(w, w->ptr[o->d], v->fill, w->row_lanes);
        return;
    }
    if (dim < 0) x->t->load[v->dtype](w->ptr[o->d], v->at + w->base[o->view] * v->size, 0, 1);
    else walk_line(w, v, w->ptr[o->d], w->base[o->view], dim, w->row_lanes);
}

static void walk_store(walk *w, const iop *o) {
    assert(o->view < w->x->nview && o->a < w->x->nslot);
    const interp *x = w->x;
    const interp_view *v = &x->view[o->view];
    char *to = v->at + w->base[o->view] * v->size;
    const char *a = w->ptr[o->a];
    if (o->level == KL_ROW) {
        int dim = walk_row_dim(x);
        x->t->store[v->dtype](to, dim < 0 ? 1 : v->stride[dim], a, w->row_lanes);
        return;
    }
    int64_t down = x->xr < 0 ? 0 : v->stride[x->xr], along = v->stride[x->xc];
    if (along == 1 && (w->rows == 1 || down == w->cols)) {
        if (o->far) {
            x->t->stream(to, a, w->rows * w->cols);
            return;
        }
        x->t->store[v->dtype](to, 1, a, w->rows * w->cols);
        return;
    }
    if (v->size == 4) {
        x->t->move(to, down, along, a, w->cols, 1, w->rows, w->cols);
        return;
    }
    for (int r = 0; r < w->rows; r++)
        x->t->store[v->dtype](to + r * down * v->size, along, a + (size_t)r * (size_t)w->cols * 4,
                              w->cols);
}

/* ---- the rest ---- */

static void walk_index(walk *w, const iop *o) {
    assert(o->view < w->x->nview);
    const interp *x = w->x;
    const interp_view *v = &x->view[o->view];
    int32_t *d = w->ptr[o->d], at = (int32_t)w->base[o->view];
    if (o->kept && walk_has(w, o)) return;
    if (o->level == KL_ROW) {
        int dim = walk_row_dim(x);
        x->t->index(d, at, dim < 0 ? 0 : (int32_t)v->stride[dim], w->row_lanes);
        return;
    }
    int32_t down = x->xr < 0 ? 0 : (int32_t)v->stride[x->xr];
    for (int r = 0; r < w->rows; r++)
        x->t->index(d + (size_t)r * (size_t)w->cols, at + r * down, (int32_t)v->stride[x->xc],
                    w->cols);
}

static void walk_random(walk *w, const iop *o) {
    const interp *x = w->x;
    int n = o->level == KL_ROW ? w->row_lanes : w->rows * w->cols;
    uint32_t seed = *(const uint32_t *)w->ptr[o->a], run = *(const uint32_t *)w->ptr[o->b];
    walk_index(w, o);
    x->t->random(w->ptr[o->d], w->ptr[o->d], seed, run, (uint32_t)o->arg2, (int)o->bits, n);
}

static void walk_take(walk *w, const iop *o) {
    assert(o->view < w->x->nview && o->a < w->x->nslot);
    const interp *x = w->x;
    const interp_view *v = &x->view[o->view];
    const char *from = v->at + w->base[o->view] * v->size;
    char *d = w->ptr[o->d];
    const int32_t *index = w->ptr[o->a];
    if (o->level == KL_ROW) {
        int dim = walk_row_dim(x);
        x->t->take[v->dtype](d, from, dim < 0 ? 0 : v->stride[dim], index, o->arg2, o->bits,
                             w->row_lanes);
        return;
    }
    int64_t down = x->xr < 0 ? 0 : v->stride[x->xr];
    if (w->cols == 1) {
        x->t->take[v->dtype](d, from, down, index, o->arg2, o->bits, w->rows);
        return;
    }
    for (int r = 0; r < w->rows && o->whole;
         r++, d += (size_t)w->cols * 4, from += down * v->size) {
        int64_t at = index[o->thin ? (size_t)r : (size_t)r * (size_t)w->cols];
        if (at >= 0 && at < (int64_t)o->bits)
            x->t->load[v->dtype](d, from + at * o->arg2 * v->size, v->stride[x->xc], w->cols);
        else walk_fill(w, d, 0, w->cols);
    }
    for (int r = 0; r < w->rows && !o->whole; r++)
        x->t->take[v->dtype](d + (size_t)r * (size_t)w->cols * 4, from + r * down * v->size,
                             v->stride[x->xc], index + (size_t)r * (size_t)w->cols, o->arg2,
                             o->bits, w->cols);
}

static void walk_take_sum(walk *w, const iop *o) {
    assert(w->x->mode != INTERP_STREAM && w->x->xr >= 0);
    const interp *x = w->x;
    const interp_view *v = &x->view[o->view];
    x->t->take_sum(w->ptr[o->d], v->at + w->base[o->view] * v->size, v->stride[x->xr], w->ptr[o->a],
                   o->arg2, o->bits, w->rows, w->cols);
}

/* Thousands of rows in one running f32 would lose digits: sums across go through partial sums. */
bool walk_long_sum(const walk *w, const iop *o) {
    return w->x->long_sums && o->type == KT_F32 &&
           (o->kind == I_DOT || (o->kind == I_FOLD && o->fold == K_SUM - K_SUM));
}

/* What has been added up in d goes to the total. */
static void walk_partial(walk *w, const iop *o) {
    if (!walk_long_sum(w, o) ||
        w->position / INTERP_PARTIAL == (w->position + w->rows) / INTERP_PARTIAL)
        return;
    w->x->t->map[OP_add][0](w->ptr[o->c], w->ptr[o->c], w->ptr[o->d], NULL, w->row_lanes);
    walk_fill(w, w->ptr[o->d], 0, w->row_lanes);
}

static void walk_fold(walk *w, const iop *o) {
    assert(o->fold <= K_ARGMAX - K_SUM);
    const tile_table *t = w->x->t;
    int type = o->type == KT_F32 ? 0 : 1, rows = w->rows, cols = w->cols;
    if (w->x->mode == INTERP_STREAM) cols *= rows, rows = 1;
    bool across = w->x->mode == INTERP_ACROSS;
    if (o->fold == K_ARGMAX - K_SUM)
        (across ? t->argmax_across : t->argmax)[type](w->ptr[o->b], w->ptr[o->d], w->ptr[o->a],
                                                      (int32_t)w->position, rows, cols);
    else (across ? t->across : t->fold)[o->fold][type](w->ptr[o->d], w->ptr[o->a], rows, cols);
    if (across) walk_partial(w, o);
}

void walk_fold_start(walk *w, const iop *o) {
    assert(o->level == KL_ROW || w->x->mode == INTERP_STREAM);
    static const uint32_t zero = 0;
    uint32_t one = o->type == KT_F32 ? bits_of(1.0f) : 1,
             low = o->type == KT_F32 ? 0xff800000u : 0x80000000u;
    switch (o->fold) {
    case K_SUM - K_SUM:
        walk_fill(w, w->ptr[o->d], zero, w->row_lanes);
        if (walk_long_sum(w, o)) walk_fill(w, w->ptr[o->c], zero, w->row_lanes);
        break;
    case K_MAX - K_SUM: walk_fill(w, w->ptr[o->d], low, w->row_lanes); break;
    case K_PROD - K_SUM: walk_fill(w, w->ptr[o->d], one, w->row_lanes); break;
    default:
        walk_fill(w, w->ptr[o->d], zero, w->row_lanes);
        walk_fill(w, w->ptr[o->b], low, w->row_lanes);
    }
}

static void walk_dot(walk *w, const iop *o) {
    const tile_table *t = w->x->t;
    const int mode = w->x->mode;
    if (mode == INTERP_ACROSS) {
        t->dot_across(w->ptr[o->d], w->ptr[o->a], w->ptr[o->b], w->rows, w->cols);
        walk_partial(w, o);
        return;
    }
    if (mode == INTERP_ROWS) walk_fold_start(w, o);
    const bool stream = mode == INTERP_STREAM;
    t->dot(w->ptr[o->d], w->ptr[o->a], w->ptr[o->b], stream ? 1 : w->rows,
           stream ? w->rows * w->cols : w->cols);
}

static void walk_spread(walk *w, const iop *o) {
    const tile_table *t = w->x->t;
    if (w->x->mode == INTERP_ACROSS) t->repeat(w->ptr[o->d], w->ptr[o->a], w->rows, w->cols);
    else if (w->x->mode == INTERP_STREAM)
        t->spread(w->ptr[o->d], w->ptr[o->a], 1, w->rows * w->cols);
    else t->spread(w->ptr[o->d], w->ptr[o->a], w->rows, w->cols);
}

static void walk_ops(walk *w, int from, int to) {
    assert(0 <= from && from <= to);
    const interp *x = w->x;
    int lanes = w->rows * w->cols;
    for (const iop *o = x->op + from, *end = x->op + to; o < end; o++) switch (o->kind) {
        case I_MAP:
            o->fn(w->ptr[o->d], w->ptr[o->a], w->ptr[o->b], w->ptr[o->c],
                  o->level == KL_ROW ? w->row_lanes : lanes);
            break;
        case I_LOAD:
            if (o->direct) break;
            if (o->level == KL_ROW) walk_load_row(w, o);
            else walk_load_tile(w, o);
            break;
        case I_STORE: walk_store(w, o); break;
        case I_TAKE: walk_take(w, o); break;
        case I_TAKE_SUM: walk_take_sum(w, o); break;
        case I_INDEX: walk_index(w, o); break;
        case I_RANDOM: walk_random(w, o); break;
        case I_FOLD:
            if (x->mode == INTERP_ROWS) walk_fold_start(w, o);
            walk_fold(w, o);
            break;
        case I_DOT: walk_dot(w, o); break;
        case I_SPREAD: walk_spread(w, o); break;
        case I_BY_TWO:
            x->t->row_norm(w->ptr[o->d], w->ptr[o->a], w->ptr[o->b], w->ptr[o->c], w->rows,
                           w->cols);
            break;
        case I_BY_ROW:
            if (x->mode == INTERP_STREAM)
                o->rows_fn(w->ptr[o->d], w->ptr[o->a], w->ptr[o->b], 1, lanes);
            else o->rows_fn(w->ptr[o->d], w->ptr[o->a], w->ptr[o->b], w->rows, w->cols);
            break;
        }
}

void walk_tile(walk *w, int from, int to) {
    const interp *x = w->x;
    walk_place(w);
    for (int i = 0; i < x->ndirect; i++) {
        int slot = x->direct[i], view = x->slot[slot].view;
        w->ptr[slot] = x->view[view].at + w->base[view] * x->view[view].size;
    }
    walk_ops(w, from, to);
}
