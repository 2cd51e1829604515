/* half_product.c - products of 16-bit operands by way of the f32 kernels; see half_product.h.
 *
 * A unit is a block of C with all of its depth. Blocks follow from the shape alone, so threads change
 * no bits. What is f32 already is read where it lies. */
#include "backend/cpu/half_product.h"
#include "core/context.h"
#include <assert.h>
#include <string.h>

/* A block of A, one of B and one of C lie in the second cache together. */
enum { HALF_ROWS = 192, HALF_COLUMNS = 256, HALF_DEPTH = 512 };
enum { HALF_FEW = 64, HALF_FEW_FLOATS = 1 << 16 };

/* Equal pieces of n, none longer than `most` by more than half of it. */
static int64_t half_piece(int64_t n, int64_t most, int64_t round, int64_t *blocks) {
    const int64_t pieces = n > most + most / 2 ? (n + most - 1) / most : 1;
    int64_t each = (n + pieces - 1) / pieces;
    if (pieces > 1) each = (each + round - 1) / round * round;
    *blocks = n > 0 ? (n + each - 1) / each : 1;
    return each;
}

static int64_t half_extent(int64_t n, int64_t each, int64_t blocks, bool last) {
    return last ? n - (blocks - 1) * each : each;
}

static size_t half_room(int64_t a, int64_t b) {
    return ((size_t)(a * b) * sizeof(float) + 63) & ~(size_t)63;
}

/* Few rows wait for B: it is widened some columns at a time, as narrow.c does it, and A as a whole. */
static bool half_choose_few(half_product *x, narrow_product *few, isa level) {
    const gemm_shape *s = &x->s;
    const bool unit = s->b_row == 1 || s->b_col == 1;
    if (!few || x->type.b == WEFT_F32 || !unit || s->m > HALF_FEW || s->k <= 0 ||
        s->m * s->k > HALF_FEW_FLOATS || (x->type.c != WEFT_F32 && s->m * s->n > HALF_FEW_FLOATS) ||
        x->type.mask != WEFT_F32)
        return false;
    const narrow w = {.factor = 1, .dtype = x->type.b, .from = KNOBUF, .by = KNOBUF};
    gemm_shape part = *s;
    if (x->type.a != WEFT_F32) {
        part.a_row = s->a_col == 1 ? s->k : 1;
        part.a_col = s->a_col == 1 ? 1 : s->m;
        x->bytes += half_room(s->m, s->k);
    }
    x->c_at = x->bytes;
    if (x->type.c != WEFT_F32) part.c_row = s->n, x->bytes += half_room(s->m, s->n);
    x->few = few;
    narrow_choose(few, &w, level, &part);
    x->units = few->units;
    x->gemm_at = x->bytes;
    x->bytes += (few->bytes + 63) & ~(size_t)63;
    return true;
}

void half_choose(half_product *x, narrow_product *few, isa level, bool pairs, const gemm_shape *s,
                 half_types type) {
    memset(x, 0, sizeof *x);
    x->s = *s, x->type = type;
    x->tiles = tile_table_for(level);
    assert(type.a != WEFT_F32 || type.b != WEFT_F32 || type.c != WEFT_F32);
    if (pairs && type.a == WEFT_BF16 && type.b == WEFT_BF16 && pairs_choose(&x->pairs, s)) {
        x->by_pairs = true;
        x->units = x->pairs.units;
        x->bytes = x->pairs.bytes;
        return;
    }
    if (half_choose_few(x, few, level)) return;
    x->rows = half_piece(s->m, HALF_ROWS, 16, &x->row_blocks);
    x->columns = half_piece(s->n, HALF_COLUMNS, 32, &x->column_blocks);
    x->depth = half_piece(s->k, HALF_DEPTH, 16, &x->depth_blocks);
    x->units = s->m > 0 && s->n > 0 ? x->row_blocks * x->column_blocks : 0;
    size_t gemm = 0;
    for (int i = 0; i < 8; i++) {
        const bool row = i & 1, column = i & 2, deep = i & 4;
        gemm_plan *part = &x->part[row][column][deep];
        gemm_shape p = *s;
        p.m = half_extent(s->m, x->rows, x->row_blocks, row);
        p.n = half_extent(s->n, x->columns, x->column_blocks, column);
        p.k = half_extent(s->k, x->depth, x->depth_blocks, deep);
        if (type.a != WEFT_F32) {
            p.a_row = s->a_col == 1 ? p.k : 1;
            p.a_col = s->a_col == 1 ? 1 : p.m;
        }
        if (type.b != WEFT_F32) {
            p.b_row = s->b_row == 1 ? 1 : p.n;
            p.b_col = s->b_row == 1 ? p.k : 1;
        }
        if (type.c != WEFT_F32) p.c_row = p.n;
        gemm_choose(part, level, &p);
        if (part->scratch > gemm) gemm = part->scratch;
    }
    x->bytes = type.a != WEFT_F32 ? half_room(x->rows, x->depth) : 0;
    x->b_at = x->bytes;
    x->bytes += type.b != WEFT_F32 ? half_room(x->depth, x->columns) : 0;
    x->c_at = x->bytes;
    x->bytes += type.c != WEFT_F32 ? half_room(x->rows, x->columns) : 0;
    x->mask_at = x->bytes;
    x->bytes += type.mask != WEFT_F32 ? half_room(x->rows, x->columns) : 0;
    x->gemm_at = x->bytes;
    x->bytes += (gemm + 63) & ~(size_t)63;
}

/* `lines` of `n` elements in scratch, one behind the other, from memory with these strides. */
static void half_widen(const half_product *x, uint8_t type, float *to, const char *from,
                       int64_t lines, int64_t line, int64_t n, int64_t stride) {
    for (int64_t i = 0; i < lines; i++)
        x->tiles->load[type](to + i * n, from + 2 * i * line, stride, (int)n);
}

/* The block (i, k) of A, or (k, j) of B, f32 in the order its parts of x->part expect. */
static const float *half_block(const half_product *x, uint8_t type, const char *at, float *room,
                               int64_t down, int64_t down_stride, int64_t along,
                               int64_t along_stride) {
    if (type == WEFT_F32) return (const float *)(const void *)at;
    half_widen(x, type, room, at, down, down_stride, along, along_stride);
    return room;
}

static const char *half_place(const char *at, uint8_t type, int64_t elements) {
    return at ? at + elements * (type == WEFT_F32 ? 4 : 2) : NULL;
}

static void half_round(const half_product *x, char *to, const float *from, int64_t rows,
                       int64_t from_row, int64_t n) {
    for (int64_t i = 0; i < rows; i++)
        x->tiles->store[x->type.c](to + 2 * i * x->s.c_row, 1, from + i * from_row, (int)n);
}

typedef struct half_band {
    const half_data *d;
    int64_t i0, j0;
} half_band;

static void half_done(void *user, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
    const half_band *b = user;
    b->d->f32.band(b->d->f32.user, b->i0 + i0, b->i0 + i1, b->j0 + j0, b->j0 + j1);
}

/* Puts the sum that a product is added to where its result is going to be. */
static void half_old(const half_product *x, const half_data *d, int64_t i0, int64_t j0, int64_t m,
                     int64_t n, float *c_room) {
    const bool room = x->type.c != WEFT_F32;
    const int64_t row = x->s.c_row, to_row = room ? n : row;
    float *const to = room ? c_room : (float *)(void *)d->c + i0 * row + j0;
    for (int64_t i = 0; i < m; i++)
        memcpy(to + i * to_row, d->f32.c + (i0 + i) * row + j0, (size_t)n * sizeof *to);
}

static void half_unit(const half_product *x, const half_data *d, int64_t unit, char *scratch) {
    const gemm_shape *s = &x->s;
    const int64_t row = unit % x->row_blocks, column = unit / x->row_blocks;
    const bool last_row = row == x->row_blocks - 1, last_column = column == x->column_blocks - 1;
    const int64_t i0 = row * x->rows, j0 = column * x->columns;
    const int64_t m = half_extent(s->m, x->rows, x->row_blocks, last_row);
    const int64_t n = half_extent(s->n, x->columns, x->column_blocks, last_column);
    float *const a_room = (float *)(void *)scratch, *const b_room =
                                                        (float *)(void *)(scratch + x->b_at);
    float *const c_room = (float *)(void *)(scratch + x->c_at);
    half_band band = {d, i0, j0};
    if (d->f32.accumulate && d->c != (const char *)d->f32.c) /* the sum lies elsewhere */
        half_old(x, d, i0, j0, m, n, c_room);
    for (int64_t block = 0; block < x->depth_blocks; block++) {
        const bool deepest = block == x->depth_blocks - 1;
        const int64_t k0 = block * x->depth,
                      k = half_extent(s->k, x->depth, x->depth_blocks, deepest);
        const gemm_plan *part = &x->part[last_row][last_column][deepest];
        const char *a = half_place(d->a, x->type.a, i0 * s->a_row + k0 * s->a_col);
        const char *b = half_place(d->b, x->type.b, k0 * s->b_row + j0 * s->b_col);
        gemm_data p = {.accumulate = block > 0 || d->f32.accumulate, .c = c_room};
        if (x->type.c == WEFT_F32) p.c = (float *)(void *)d->c + i0 * s->c_row + j0;
        p.a = s->a_col == 1 ? half_block(x, x->type.a, a, a_room, m, s->a_row, k, s->a_col)
                            : half_block(x, x->type.a, a, a_room, k, s->a_col, m, s->a_row);
        p.b = s->b_row == 1 ? half_block(x, x->type.b, b, b_room, n, s->b_col, k, s->b_row)
                            : half_block(x, x->type.b, b, b_room, k, s->b_row, n, s->b_col);
        if (deepest) {
            p.bias = d->f32.bias ? d->f32.bias + j0 : NULL;
            p.relu = d->f32.relu;
            p.mask_row = d->f32.mask_row;
            const char *mask = half_place(d->mask, x->type.mask, i0 * d->f32.mask_row + j0);
            if (mask && x->type.mask != WEFT_F32) {
                float *const room = (float *)(void *)(scratch + x->mask_at);
                half_widen(x, x->type.mask, room, mask, m, d->f32.mask_row, n, 1);
                p.mask = room, p.mask_row = n;
            } else p.mask = (const float *)(const void *)mask;
            if (d->f32.band) p.band = half_done, p.user = &band;
        }
        gemm_run(part, &p, 0, part->units, scratch + x->gemm_at);
    }
    if (x->type.c != WEFT_F32) half_round(x, d->c + 2 * (i0 * s->c_row + j0), c_room, m, n, n);
}

static void half_run_few(const half_product *x, const half_data *d, int64_t unit0, int64_t unit1,
                         char *scratch) {
    const gemm_shape *s = &x->s;
    float *const a_room = (float *)(void *)scratch, *const c_room =
                                                        (float *)(void *)(scratch + x->c_at);
    narrow_product few = *x->few;
    gemm_data p = d->f32;
    few.weights.source = d->b;
    p.a = s->a_col == 1 ? half_block(x, x->type.a, d->a, a_room, s->m, s->a_row, s->k, s->a_col)
                        : half_block(x, x->type.a, d->a, a_room, s->k, s->a_col, s->m, s->a_row);
    p.mask = (const float *)(const void *)d->mask;
    p.c = x->type.c == WEFT_F32 ? (float *)(void *)d->c : c_room;
    narrow_run(&few, &p, unit0, unit1, scratch + x->gemm_at);
    if (x->type.c == WEFT_F32 || s->m <= 0) return;
    const int64_t j0 = unit0 * few.piece;
    const int64_t j1 = min_i64(unit1 * few.piece, s->n);
    half_round(x, d->c + 2 * j0, c_room + j0, s->m, s->n, j1 - j0);
}

static void half_run_pairs(const half_product *x, const half_data *d, int64_t unit0, int64_t unit1,
                           char *scratch) {
    const pairs_data p = {.a = d->a,
                          .b = d->b,
                          .c = d->c,
                          .old = d->f32.accumulate ? d->f32.c : NULL,
                          .bias = d->f32.bias,
                          .mask = d->mask,
                          .mask_row = d->f32.mask_row,
                          .c_type = x->type.c,
                          .mask_type = x->type.mask,
                          .relu = d->f32.relu,
                          .band = d->f32.band,
                          .user = d->f32.user};
    pairs_run(&x->pairs, &p, unit0, unit1, scratch);
}

void half_run(const half_product *x, const half_data *d, int64_t unit0, int64_t unit1,
              char *scratch) {
    assert(0 <= unit0 && unit1 <= x->units && (uintptr_t)scratch % 64 == 0);
    if (unit0 >= unit1) return;
    if (x->by_pairs) half_run_pairs(x, d, unit0, unit1, scratch);
    else if (x->few) half_run_few(x, d, unit0, unit1, scratch);
    else
        for (int64_t u = unit0; u < unit1; u++) half_unit(x, d, u, scratch);
}
