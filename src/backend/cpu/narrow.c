/* narrow.c - finds widenings that products can do themselves, and runs such products.
 *
 * What is recognised: one load of bf16, f16 or i8, whole and in order, perhaps a cast, perhaps a
 * factor (one number, or one for each row or column), one store. */
#include "backend/cpu/narrow.h"

#include "backend/cpu/tile.h"
#include "core/context.h"

#include <assert.h>

/* ---- finding ---- */

static bool narrow_type(uint8_t dtype) {
    return dtype == WEFT_BF16 || dtype == WEFT_F16 || dtype == WEFT_I8;
}

/* A view that walks through memory in the kernel's order. */
static bool narrow_in_order(const kernel *k, const kview *v) {
    int64_t stride = 1;
    for (int d = k->outer - 1; d >= 0; d--) {
        if (k->dim[d] != 1 && v->stride[d] != stride) return false;
        stride *= k->dim[d];
    }
    return !v->guard && v->at == KNOBUF;
}

static const char *narrow_address(const weft_plan *p, const kview *v) {
    return p->buf[v->buf].at + v->off * (int64_t)weft_dtype_size((weft_dtype)v->dtype);
}

/* Memory that only steps with its buffer among their results change. */
static bool narrow_lasting(const weft_plan *p, uint32_t buf) {
    const buffer *b = &p->buf[buf];
    return b->place == BUF_STATE || b->place == BUF_DATA || (b->place == BUF_ARENA && b->pinned);
}

/* The factor that instruction i gives. */
static bool narrow_scale(const weft_plan *p, const kernel *k, int i, narrow *w) {
    const kins *s = &k->ins[i];
    if (s->op == K_CONST && s->type == KT_F32) {
        w->factor = float_of(s->bits);
        return true;
    }
    const kview *v = &k->view[s->view];
    if (s->op != K_LOAD || v->dtype != WEFT_F32 || v->guard || v->at != KNOBUF ||
        !narrow_lasting(p, v->buf))
        return false;
    w->scale = (const float *)(const void *)narrow_address(p, v);
    w->by = v->buf;
    w->scale_column = v->stride[k->outer - 1];
    if (k->outer == 2) w->scale_row = v->stride[0];
    return (w->scale_row == 0 && (w->scale_column == 0 || k->outer == 2)) || w->scale_column == 0;
}

/* The description of a kernel that does nothing but widen; *to: the buffer of its result. */
static bool narrow_match(const weft_plan *p, const step *s, narrow *w, uint32_t *to) {
    const kernel *k = s->kern;
    if (s->kind != STEP_KERNEL || k->reduce || k->inner || k->outer < 1 || k->outer > 2 ||
        k->nins > 5)
        return false;
    *w = (narrow){.factor = 1, .from = KNOBUF, .by = KNOBUF, .columns = k->dim[k->outer - 1]};
    int value = -1;
    bool scaled = false, stored = false;
    for (int i = 0; i < k->nins; i++) {
        const kins *n = &k->ins[i];
        const kview *v = n->op == K_LOAD || n->op == K_STORE ? &k->view[n->view] : NULL;
        if (n->op == K_LOAD && narrow_type(v->dtype)) {
            if (value >= 0 || !narrow_in_order(k, v) || !narrow_lasting(p, v->buf)) return false;
            w->source = narrow_address(p, v), w->from = v->buf, w->dtype = v->dtype;
            value = i;
        } else if (n->op == OP_cast && value >= 0 && n->a == value && n->bits == WEFT_F32) {
            if (scaled) return false;
            value = i;
        } else if (n->op == OP_mul && n->type == KT_F32 && value >= 0 && !scaled) {
            const int other = n->a == value ? n->b : n->a;
            if ((n->a != value && n->b != value) || other == value || !narrow_scale(p, k, other, w))
                return false;
            scaled = true;
            value = i;
        } else if (n->op == K_STORE) {
            if (stored || n->a != value || v->off || v->dtype != WEFT_F32 || !narrow_in_order(k, v))
                return false;
            stored = true;
            *to = v->buf;
        } else if (n->op != K_LOAD && n->op != K_CONST) return false;
    }
    return stored && value >= 0 && k->ins[value].type == KT_F32;
}

static bool narrow_kernel_has(const kernel *k, uint32_t buf) {
    for (int v = 0; k && v < k->nview; v++)
        if (k->view[v].buf == buf || k->view[v].at == buf) return true;
    return false;
}

/* Is what a step writes part of the memory of a buffer? */
static bool narrow_written(const weft_plan *p, const step *s, uint32_t buf) {
    if (buf == KNOBUF) return false;
    const char *from = p->buf[buf].at, *to = from + p->buf[buf].bytes;
    for (int i = 0; s->kern && i < s->kern->nins; i++) {
        if (s->kern->ins[i].op != K_STORE) continue;
        const buffer *b = &p->buf[s->kern->view[s->kern->ins[i].view].buf];
        if (b->at < to && from < b->at + b->bytes) return true;
    }
    for (int i = s->nin; i < s->nin + s->nout; i++) {
        if (s->in[i].buf == KNOBUF) continue;
        const buffer *b = &p->buf[s->in[i].buf];
        if (b->at < to && from < b->at + b->bytes) return true;
    }
    return false;
}

/* Does the step read the widened buffer as the second operand of a plain product, and not else? */
static bool narrow_reader(const weft_plan *p, const step *s, uint32_t buf, int64_t columns,
                          bool flat) {
    const roperand *b = &s->in[1];
    if (s->kind != STEP_MATMUL || s->adds || b->buf != buf || s->in[0].buf == buf || b->off ||
        s->in[0].dtype != WEFT_F32 || p->buf[s->in[2].buf].passing)
        return false;
    const int r = b->rank;
    const int64_t *stride = b->stride;
    for (int d = 0; d + 2 < s->in[2].rank; d++)
        if (s->in[2].dim[d] != 1) return false;
    const int64_t wide = stride[r - 1] == 1 ? stride[r - 2] : stride[r - 1];
    const bool unit = stride[r - 1] == 1 || stride[r - 2] == 1;
    const bool both = stride[r - 1] == 1 && stride[r - 2] == 1; /* which is a row of it? */
    return unit && (flat || (wide == columns && !both)) && !narrow_kernel_has(s->kern, buf);
}

/* Marks the widening of step i and its products, if all is well with all of them. */
static bool narrow_mark(const weft_plan *p, size_t i, const narrow *w, uint32_t buf, uint32_t *of,
                        uint32_t mark) {
    const buffer *x = &p->buf[buf];
    if (x->place != BUF_ARENA || x->pinned) return false;
    for (size_t b = 0; b < p->bufs; b++)
        if (p->buf[b].place == BUF_ALIAS && p->buf[b].alias == buf) return false;
    const bool flat = w->scale_row == 0 && w->scale_column == 0;
    size_t last = i;
    for (size_t j = 0; j < p->steps; j++) {
        const step *s = &p->step[j];
        bool uses = narrow_kernel_has(s->kern, buf);
        for (int k = 0; k < s->nin + s->nout; k++) uses |= s->in[k].buf == buf;
        if (j == i || !uses) continue;
        if (j < i || !narrow_reader(p, s, buf, w->columns, flat)) return false;
        last = j;
    }
    for (size_t j = i + 1; j <= last; j++)
        if (narrow_written(p, &p->step[j], w->from) || narrow_written(p, &p->step[j], w->by))
            return false;
    for (size_t j = i + 1; j <= last; j++)
        if (p->step[j].kind == STEP_MATMUL && p->step[j].in[1].buf == buf) of[j] = mark;
    of[i] = mark;
    return last > i;
}

weft_err narrow_find(const weft_plan *p, uint32_t *of, narrow **list) {
    size_t n = 0, cap = 0;
    *list = NULL;
    for (size_t i = 0; i < p->steps && !p->watch; i++) {
        narrow w;
        uint32_t buf = KNOBUF;
        if (!narrow_match(p, &p->step[i], &w, &buf)) continue;
        if (!narrow_mark(p, i, &w, buf, of, (uint32_t)n + 1)) continue;
        if (!MEM_PUSH(p->m, *list, n, cap, w))
            return weft_fail(p->ctx, WEFT_MEMORY, "compile: out of memory");
    }
    return WEFT_OK;
}

/* ---- products ---- */

/* One stretch of memory after the other keeps memory busy only if the next are asked for: bytes,
 * or rows where a piece has a part of each. */
enum { NARROW_AHEAD = 8192, NARROW_ROWS_AHEAD = 16 };

/* What multiplies few rows without widening weights first; NULL: nothing. */
static few_product *narrow_few(const narrow *w, isa level, const gemm_shape *s) {
    const few_table *const t = few_of(level);
    const int way = s->b_row == 1 ? FEW_DOTS : FEW_ROWS;
    if (!t || s->m > FEW_MOST || s->k < 1 || w->scale || w->factor != 1) return NULL;
    return w->dtype == WEFT_BF16 ? t->bf16[way] : w->dtype == WEFT_I8 ? t->i8[way] : NULL;
}

void narrow_choose(narrow_product *x, const narrow *w, isa level, const gemm_shape *s) {
    /* A widened piece stays in the second cache; many rows read each piece once for all. */
    enum { FEW = 64, FLOATS = 1 << 15, WIDE = 512 };
    const int64_t deep = s->k > 0 ? s->k : 1, few = (FLOATS / deep + 15) / 16 * 16;
    assert(s->b_row == 1 || s->b_col == 1);
    *x = (narrow_product){.weights = *w, .tiles = tile_table_for(level), .n = s->n, .k = s->k};
    x->along = s->b_row == 1;
    x->weights.columns = x->along ? s->b_col : s->b_row;
    x->piece = s->m > FEW ? WIDE : !x->along ? WIDE / 2 : few < 16 ? 16 : few;
    x->few = narrow_few(w, level, s);
    x->loops = loops_of(level);
    x->s = *s;
    if (x->few) x->piece = x->along ? 4 * x->piece : 2 * WIDE; /* long stretches of a row */
    x->units = s->m > 0 ? (s->n + x->piece - 1) / x->piece : 0;
    if (x->units <= 1) x->piece = s->n;
    size_t scratch = 0;
    for (int last = 0; last < 2; last++) {
        gemm_shape part = *s;
        part.n = last && x->units > 0 ? s->n - (x->units - 1) * x->piece : x->piece;
        part.b_row = x->along ? 1 : part.n;
        part.b_col = x->along ? s->k : 1;
        gemm_choose(&x->part[last], level, &part);
        if (x->part[last].scratch > scratch) scratch = x->part[last].scratch;
    }
    const int64_t floats = x->few ? s->m * s->k : x->piece * s->k; /* few: rows of A, contiguous */
    x->block = ((size_t)floats * 4 + 63) & ~(size_t)63;
    x->bytes = x->block + scratch;
}

/* n elements of a row of the weights, from a column on. */
static void narrow_widen(const narrow_product *x, float *out, int64_t row, int64_t column, int n) {
    const narrow *w = &x->weights;
    const int64_t size = w->dtype == WEFT_I8 ? 1 : 2;
    const char *from = w->source + (row * w->columns + column) * size;
    const int64_t ahead = x->along ? NARROW_AHEAD : NARROW_ROWS_AHEAD * w->columns * size;
    for (int64_t at = 0; at < n * size; at += 64) __builtin_prefetch(from + at + ahead);
    x->tiles->load[w->dtype](out, from, 1, n);
    if (w->dtype == WEFT_I8) x->tiles->cast[KT_I32][WEFT_F32](out, out, NULL, NULL, n);
    if (w->scale && w->scale_column)
        x->tiles->map[OP_mul][KT_F32](out, out, w->scale + column * w->scale_column, NULL, n);
    else if (w->scale || w->factor != 1)
        x->tiles->by_row[TILE_ROW_MUL](out, out,
                                       w->scale ? w->scale + row * w->scale_row : &w->factor, 1, n);
}

typedef struct narrow_band {
    const gemm_data *d;
    int64_t j0;
} narrow_band;

static void narrow_done(void *user, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
    const narrow_band *b = user;
    b->d->band(b->d->user, i0, i1, b->j0 + j0, b->j0 + j1);
}

/* Columns [j0, j0 + n) of few rows; a: these, contiguous. */
static void narrow_run_few(const narrow_product *x, const gemm_data *d, const float *a,
                           int64_t a_row, int64_t j0, int64_t n) {
    const int64_t size = x->weights.dtype == WEFT_I8 ? 1 : 2, w_row = x->weights.columns * size;
    const few_data few = {.x = a,
                          .c = d->c + j0,
                          .w = x->weights.source + (x->along ? j0 * w_row : j0 * size),
                          .x_row = a_row,
                          .c_row = x->s.c_row,
                          .w_row = w_row,
                          .m = x->s.m,
                          .k = x->k,
                          .n = n};
    x->few(&few);
    for (int64_t i = 0; i < x->s.m && (d->bias || d->relu || d->mask); i++)
        x->loops->finish(few.c + i * few.c_row, d->bias ? d->bias + j0 : NULL, d->relu,
                         d->mask ? d->mask + i * d->mask_row + j0 : NULL, n);
    if (d->band) d->band(d->user, 0, x->s.m, j0, j0 + n);
}

/* The rows of A, one element after the other. */
static const float *narrow_rows(const narrow_product *x, const gemm_data *d, float *room,
                                int64_t *row) {
    const gemm_shape *s = &x->s;
    *row = s->a_col == 1 ? s->a_row : s->k;
    if (s->a_col == 1) return d->a;
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t k = 0; k < s->k; k++) room[i * s->k + k] = d->a[i * s->a_row + k * s->a_col];
    return room;
}

void narrow_run(const narrow_product *x, const gemm_data *d, int64_t unit0, int64_t unit1,
                char *scratch) {
    float *block = (float *)(void *)scratch;
    int64_t a_row = 0;
    const float *const rows = x->few ? narrow_rows(x, d, block, &a_row) : NULL;
    for (int64_t u = unit0; u < unit1 && x->few; u++) {
        const int64_t j0 = u * x->piece;
        narrow_run_few(x, d, rows, a_row, j0, u == x->units - 1 ? x->n - j0 : x->piece);
    }
    for (int64_t u = unit0; u < unit1 && !x->few; u++) {
        const gemm_plan *part = &x->part[u == x->units - 1];
        const int64_t j0 = u * x->piece, n = u == x->units - 1 ? x->n - j0 : x->piece;
        for (int64_t j = 0; x->along && j < n; j++)
            narrow_widen(x, block + j * x->k, j0 + j, 0, (int)x->k);
        for (int64_t i = 0; !x->along && i < x->k; i++)
            narrow_widen(x, block + i * n, i, j0, (int)n);
        narrow_band band = {d, j0};
        gemm_data piece = *d;
        piece.b = block;
        piece.c += j0;
        if (piece.bias) piece.bias += j0;
        if (piece.mask) piece.mask += j0;
        if (d->band) piece.band = narrow_done, piece.user = &band;
        gemm_run(part, &piece, 0, part->units, scratch + x->block);
    }
}
