/* gemm_parts.c - the copies around the matrix product's kernels: packing operands, storing tiles
 * that are not whole vectors along the rows of C.
 *
 * All of it moves groups of four floats, which the baseline of every machine can do, so one build
 * serves all widths. Nothing here is arithmetic except the epilogue of odd tiles. */
#include "gemm_parts.h"

#include <assert.h>
#include <string.h>

typedef float gemm_four __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t gemm_four_bits __attribute__((vector_size(16), aligned(4), may_alias));

WEFT_INLINE gemm_four gemm_four_load(const float *p) {
    return *(const gemm_four *)p;
}
WEFT_INLINE void gemm_four_store(float *p, gemm_four x) {
    *(gemm_four *)p = x;
}

WEFT_INLINE void gemm_copy(float *to, const float *from, int64_t count) {
    for (; count >= 16; count -= 16, to += 16, from += 16) {
        const gemm_four a = gemm_four_load(from), b = gemm_four_load(from + 4);
        const gemm_four c = gemm_four_load(from + 8), d = gemm_four_load(from + 12);
        gemm_four_store(to, a);
        gemm_four_store(to + 4, b);
        gemm_four_store(to + 8, c);
        gemm_four_store(to + 12, d);
    }
    for (; count >= 4; count -= 4, to += 4, from += 4) gemm_four_store(to, gemm_four_load(from));
}

/* Fewer than four floats, never touching the rest. */
WEFT_INLINE gemm_four gemm_part_load(const float *p, int count) {
    gemm_four x = {0};
    if (count > 0) x[0] = p[0];
    if (count > 1) x[1] = p[1];
    if (count > 2) x[2] = p[2];
    if (count > 3) x[3] = p[3];
    return x;
}

WEFT_INLINE void gemm_part_store(float *p, gemm_four x, int count) {
    if (count > 3) {
        gemm_four_store(p, x);
        return;
    }
    if (count > 0) p[0] = x[0];
    if (count > 1) p[1] = x[1];
    if (count > 2) p[2] = x[2];
}

WEFT_INLINE void gemm_four_turn(gemm_four x[4]) {
    const gemm_four a = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5);
    const gemm_four b = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7);
    const gemm_four c = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5);
    const gemm_four d = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
    x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    x[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* out[k][step], four columns from rows that are contiguous along k. */
WEFT_INLINE void gemm_turn_strip(float *out, int64_t step, const float *b, int64_t b_col,
                                 int64_t k) {
    const float *const b1 = b + b_col, *const b2 = b1 + b_col, *const b3 = b2 + b_col;
    int64_t i = 0;
    for (; i + 4 <= k; i += 4, out += 4 * step) {
        gemm_four x[4] = {gemm_four_load(b + i), gemm_four_load(b1 + i), gemm_four_load(b2 + i),
                          gemm_four_load(b3 + i)};
        if (i % 16 == 0) { /* the strip after this one: each of its rows is another page */
            __builtin_prefetch(b + i + 4 * b_col);
            __builtin_prefetch(b1 + i + 4 * b_col);
            __builtin_prefetch(b2 + i + 4 * b_col);
            __builtin_prefetch(b3 + i + 4 * b_col);
        }
        gemm_four_turn(x);
        gemm_four_store(out, x[0]);
        gemm_four_store(out + step, x[1]);
        gemm_four_store(out + 2 * step, x[2]);
        gemm_four_store(out + 3 * step, x[3]);
    }
    for (; i < k; i++, out += step) gemm_four_store(out, (gemm_four){b[i], b1[i], b2[i], b3[i]});
}

/* out[k][step], two columns. */
WEFT_INLINE void gemm_turn_pair(float *out, int64_t step, const float *x, const float *y,
                                int64_t k) {
    int64_t i = 0;
    for (; i + 4 <= k; i += 4, out += 4 * step) {
        const gemm_four a = gemm_four_load(x + i), b = gemm_four_load(y + i);
        const gemm_four low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
        const gemm_four high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
        memcpy(out, &low, 8);
        memcpy(out + step, (const float *)&low + 2, 8);
        memcpy(out + 2 * step, &high, 8);
        memcpy(out + 3 * step, (const float *)&high + 2, 8);
    }
    for (; i < k; i++, out += step) {
        out[0] = x[i];
        out[1] = y[i];
    }
}

/* One panel; where a vector is moved left it holds columns its neighbour has too. */
static void gemm_pack_panel(float *out, const float *b, int64_t b_row, int64_t b_col, int64_t k,
                            int vectors, int lanes, int64_t width) {
    const int64_t step = (int64_t)vectors * lanes;
    for (int v = 0; v < vectors && width >= lanes; v++) {
        const float *from = b + (v == vectors - 1 ? width - lanes : (int64_t)v * lanes) * b_col;
        float *to = out + v * lanes;
        for (int q = 0; q < lanes && b_row == 1; q += 4) {
            gemm_turn_strip(to + q, step, from + q * b_col, b_col, k);
        }
        for (int64_t i = 0; i < k && b_row != 1; i++) {
            for (int q = 0; q < lanes; q++) to[i * step + q] = from[i * b_row + q * b_col];
        }
    }
    for (int64_t i = 0; i < k && width < lanes; i++) {
        for (int64_t q = 0; q < step; q++) {
            out[i * step + q] = q < width ? b[i * b_row + q * b_col] : 0.0f;
        }
    }
}

void gemm_pack_b(const gemm_plan *p, float *out, const float *b, int64_t k, int64_t width) {
    assert(k >= 0 && width >= 0);
    const int lanes = p->level->lanes, nv = p->nv;
    const int64_t b_row = p->s.b_row, b_col = p->s.b_col, step = (int64_t)nv * lanes;
    /* Ordinary panels: some at a time, so that each row gives several lines and the pages
     * written stay few; rows ahead are asked for, because each may lie in another page. */
    enum { TOGETHER = 8, AHEAD = 8 };
    int64_t plain = 0;
    while (b_col == 1 && width - plain >= step && gemm_panel(p, width - plain) == nv) plain += step;
    for (int64_t j0 = 0; j0 < plain; j0 += TOGETHER * step) {
        const int64_t j1 = plain - j0 < TOGETHER * step ? plain : j0 + TOGETHER * step;
        for (int64_t i = 0; i < k; i++) {
            const float *from = b + i * b_row;
            const float *ahead = b + (i + AHEAD < k ? i + AHEAD : i) * b_row;
            float *to = out + j0 / step * (k * step + GEMM_APART) + i * step;
            for (int64_t j = j0; j < j1; j += step, to += k * step + GEMM_APART) {
                for (int64_t q = 0; q < step; q += 16) __builtin_prefetch(ahead + j + q);
                gemm_copy(to, from + j, step);
            }
        }
    }
    out += plain / step * (k * step + GEMM_APART);
    for (int64_t j = plain; j < width;) {
        const int vectors = gemm_panel(p, width - j);
        const int64_t wide = (int64_t)vectors * lanes, w = width - j < wide ? width - j : wide;
        gemm_pack_panel(out, b + j * b_col, b_row, b_col, k, vectors, lanes, w);
        out += k * wide + GEMM_APART;
        j += w;
    }
}

/* A few columns of A at a time for all tiles: they may be a page apart each. */
static void gemm_pack_columns(float *out, const float *a, int64_t a_col, int64_t k, int64_t rows,
                              const gemm_cut *cut) {
    enum { NEAR = 16 };
    for (int64_t k0 = 0; k0 < k; k0 += NEAR) {
        const int64_t k1 = k0 + NEAR < k ? k0 + NEAR : k;
        for (int64_t tile = 0, at = 0; at < rows; tile++) {
            const int count = gemm_cut_at(cut, tile);
            const float *from = a + at + k0 * a_col;
            float *to = out + at * k + k0 * count;
            for (int64_t i = k0; i < k1; i++, from += a_col, to += count) {
                int r = 0;
                for (; r + 4 <= count; r += 4) gemm_four_store(to + r, gemm_four_load(from + r));
                if (r + 2 <= count) {
                    memcpy(to + r, from + r, 8);
                    r += 2;
                }
                if (r < count) to[r] = from[r];
            }
            at += count;
        }
    }
}

void gemm_pack_a(const gemm_plan *p, float *out, const float *a, int64_t k, int64_t rows) {
    assert(k >= 0 && rows >= 0);
    const int64_t a_row = p->s.a_row, a_col = p->s.a_col;
    const gemm_cut cut = gemm_cut_rows(p, p->nv, rows);
    if (a_row == 1) {
        gemm_pack_columns(out, a, a_col, k, rows, &cut);
        return;
    }
    for (int64_t tile = 0, at = 0; at < rows; tile++) {
        const int count = gemm_cut_at(&cut, tile);
        float *to = out + at * k;
        const float *from = a + at * a_row;
        int r = 0;
        if (a_col == 1) {
            for (; r + 4 <= count; r += 4) {
                gemm_turn_strip(to + r, count, from + r * a_row, a_row, k);
            }
            for (; r + 2 <= count; r += 2) {
                gemm_turn_pair(to + r, count, from + r * a_row, from + (r + 1) * a_row, k);
            }
        }
        for (; r < count; r++) {
            for (int64_t i = 0; i < k; i++) to[i * count + r] = from[r * a_row + i * a_col];
        }
        at += count;
    }
}

/* Up to four neighbours of one row of C. */
WEFT_INLINE void gemm_finish(const gemm_data *d, int64_t c_row, int flags, gemm_four x, int64_t i,
                             int64_t j, int count) {
    float *c = d->c + i * c_row + j;
    if (flags & GEMM_OLD) x += count == 4 ? gemm_four_load(c) : gemm_part_load(c, count);
    if (flags & GEMM_BIAS) {
        x += count == 4 ? gemm_four_load(d->bias + j) : gemm_part_load(d->bias + j, count);
    }
    if (flags & GEMM_RELU) x = (gemm_four)(~(gemm_four_bits)(x <= 0.0f) & (gemm_four_bits)x);
    if (flags & GEMM_MASK) {
        const float *m = d->mask + i * d->mask_row + j;
        const gemm_four keep = count == 4 ? gemm_four_load(m) : gemm_part_load(m, count);
        x = (gemm_four)((gemm_four_bits)(keep > 0.0f) & (gemm_four_bits)x);
    }
    gemm_part_store(c, x, count);
}

/* A block of four rows of the tile, count of them real, becomes four columns of C. */
WEFT_INLINE void gemm_store_transposed(const gemm_data *d, int64_t c_row, int flags,
                                       const float *tile, int64_t step, int64_t i, int64_t j,
                                       int columns, int count) {
    for (int q = 0; q < columns; q += 4) {
        const int deep = columns - q < 4 ? columns - q : 4;
        gemm_four x[4] = {{0}};
        for (int e = 0; e < count; e++) x[e] = gemm_part_load(tile + e * step + q, deep);
        gemm_four_turn(x);
        for (int e = 0; e < deep; e++) gemm_finish(d, c_row, flags, x[e], i + q + e, j, count);
    }
}

void gemm_store(const gemm_plan *p, const gemm_data *d, int flags, const float *tile, int64_t step,
                int64_t i, int64_t j, int rows, int columns) {
    const int64_t c_row = p->s.c_row;
    if (!p->transposed) {
        for (int r = 0; r < rows; r++) {
            const float *from = tile + r * step;
            int q = 0;
            for (; q + 4 <= columns; q += 4)
                gemm_finish(d, c_row, flags, gemm_four_load(from + q), i + r, j + q, 4);
            const int rest = columns - q;
            if (rest > 0)
                gemm_finish(d, c_row, flags, gemm_part_load(from + q, rest), i + r, j + q, rest);
        }
        return;
    }
    for (; rows >= 4; rows -= 4, j += 4, tile += 4 * step) {
        int q = 0;
        for (; q + 4 <= columns; q += 4) {
            gemm_four x[4] = {gemm_four_load(tile + q), gemm_four_load(tile + step + q),
                              gemm_four_load(tile + 2 * step + q),
                              gemm_four_load(tile + 3 * step + q)};
            gemm_four_turn(x);
            WEFT_UNROLL_ALL
            for (int e = 0; e < 4; e++) {
                if (flags) gemm_finish(d, c_row, flags, x[e], i + q + e, j, 4);
                else gemm_four_store(d->c + (i + q + e) * c_row + j, x[e]);
            }
        }
        if (q < columns) {
            gemm_store_transposed(d, c_row, flags, tile + q, step, i + q, j, columns - q, 4);
        }
    }
    if (rows > 0) gemm_store_transposed(d, c_row, flags, tile, step, i, j, columns, rows);
}
