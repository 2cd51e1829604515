/* pairs.c - packs bf16 operands in pairs along k, and multiplies them; see pairs.h.
 *
 * A pair is a word of 32 bits. Columns are packed into panels of 32 words for each pair of steps; rows
 * are read by broadcast, where they lie if their elements are contiguous along k. A tile of up to 12
 * rows and 32 columns has its sums in registers; what follows the last of them (bias, relu, mask,
 * rounding) is done while the tile is in the first cache. Blocks follow from the shape alone, so
 * threads change no bits. */
#include "backend/cpu/pairs.h"

#include "base/compiler.h"
#include "base/number.h"
#include "weft/weft.h"

#include <assert.h>
#include <string.h>

#if WEFT_X86
#include <immintrin.h>

enum {
    PAIRS_WIDE = 32,     /* columns of a tile: two vectors */
    PAIRS_TALL = 12,     /* its rows, at most */
    PAIRS_ROWS = 192,    /* of a block, as are those below: panels of it stay in the second cache */
    PAIRS_COLUMNS = 256,
    PAIRS_DEPTH = 512,
    PAIRS_AHEAD = 16     /* rows of B that are asked for early */
};

/* ---- choosing ---- */

static int64_t pairs_piece(int64_t n, int64_t most, int64_t round, int64_t *blocks) {
    const int64_t pieces = n > most + most / 2 ? (n + most - 1) / most : 1;
    int64_t each = (n + pieces - 1) / pieces;
    each = (each + round - 1) / round * round;
    *blocks = (n + each - 1) / each;
    return each;
}

bool pairs_choose(pairs_plan *p, const gemm_shape *s) {
    gemm_shape t = *s;
    if (t.m <= 0 || t.n <= 0 || t.k < 2) return false;
    if (t.m == 1) t.a_row = t.a_col == 1 ? t.k : 1;
    if (t.n == 1) t.b_col = t.b_row == 1 ? t.k : 1;
    if ((t.a_row != 1 && t.a_col != 1) || (t.b_row != 1 && t.b_col != 1)) return false;
    memset(p, 0, sizeof *p);
    /* A few columns fill no vector, but so many rows do. */
    p->transposed = t.n < PAIRS_WIDE && t.m > t.n;
    if (p->transposed) t = (gemm_shape){t.n, t.m, t.k, t.b_col, t.b_row, t.a_col, t.a_row, t.c_row};
    p->s = t;
    p->pack_a = t.a_col != 1 || t.k % 2;
    p->rows = pairs_piece(t.m, PAIRS_ROWS, 1, &p->row_blocks);
    p->columns = pairs_piece(t.n, PAIRS_COLUMNS, PAIRS_WIDE, &p->column_blocks);
    p->depth = pairs_piece(t.k, PAIRS_DEPTH, 2, &p->depth_blocks);
    p->units = p->row_blocks * p->column_blocks;
    const size_t deep = (size_t)p->depth / 2 * sizeof(float);
    p->a_at = (size_t)p->columns * deep;
    p->sums_at = p->a_at;
    if (p->pack_a) p->sums_at += (size_t)((p->rows + PAIRS_WIDE - 1) / PAIRS_WIDE * PAIRS_WIDE) * deep;
    const int64_t sums = p->depth_blocks > 1 ? p->rows * p->columns : PAIRS_TALL * PAIRS_WIDE;
    p->bytes = p->sums_at + (size_t)sums * sizeof(float);
    p->bytes = (p->bytes + 63) & ~(size_t)63;
    return true;
}

/* ---- kernels ---- */

WEFT_TARGET_BEGIN_512_BF16

typedef __m512i pairs_words;

/* Sums of R rows and two vectors, from c or from 0, over k pairs of steps; strides in bytes. */
#define PAIRS_ALL WEFT_UNROLL_ALL for (int r = 0; r < rows; r++)
WEFT_INLINE void pairs_body(float *c, const char *a, int64_t a_row, int64_t a_step, const char *b,
                            int64_t k, bool add, const int rows) {
    __m512 x[PAIRS_TALL], y[PAIRS_TALL];
    PAIRS_ALL {
        x[r] = add ? _mm512_loadu_ps(c + r * PAIRS_WIDE) : _mm512_setzero_ps();
        y[r] = add ? _mm512_loadu_ps(c + r * PAIRS_WIDE + 16) : _mm512_setzero_ps();
    }
    const char *at[PAIRS_TALL / 3]; /* three rows share a pointer, as in gemm.inc */
    WEFT_UNROLL_ALL
    for (int g = 0; g < (rows + 2) / 3; g++) at[g] = a + 3 * g * a_row;
    for (; k > 0; k--, b += 128) {
        const pairs_words b0 = _mm512_loadu_si512(b), b1 = _mm512_loadu_si512(b + 64);
        PAIRS_ALL {
            int32_t word;
            memcpy(&word, at[r / 3] + r % 3 * a_row, sizeof word);
            const pairs_words w = _mm512_set1_epi32(word);
            x[r] = _mm512_dpbf16_ps(x[r], (__m512bh)w, (__m512bh)b0);
            y[r] = _mm512_dpbf16_ps(y[r], (__m512bh)w, (__m512bh)b1);
        }
        WEFT_UNROLL_ALL
        for (int g = 0; g < (rows + 2) / 3; g++) at[g] += a_step;
    }
    PAIRS_ALL {
        _mm512_storeu_ps(c + r * PAIRS_WIDE, x[r]);
        _mm512_storeu_ps(c + r * PAIRS_WIDE + 16, y[r]);
    }
}
#undef PAIRS_ALL

typedef void pairs_kernel(float *c, const char *a, int64_t a_row, int64_t a_step, const char *b,
                          int64_t k, bool add);
#define PAIRS_EACH(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)
#define PAIRS_KERNEL(r)                                                                            \
    static void pairs_tile_##r(float *c, const char *a, int64_t a_row, int64_t a_step,             \
                               const char *b, int64_t k, bool add) {                               \
        pairs_body(c, a, a_row, a_step, b, k, add, r);                                             \
    }
PAIRS_EACH(PAIRS_KERNEL)
#undef PAIRS_KERNEL
#define PAIRS_ROW(r) pairs_tile_##r,
static pairs_kernel *const pairs_tile[PAIRS_TALL] = {PAIRS_EACH(PAIRS_ROW)};
#undef PAIRS_ROW
#undef PAIRS_EACH

/* ---- packing ---- */

/* A square of 16 by 16 words on its other side. */
static void pairs_square(pairs_words *w) {
    pairs_words t[16];
    for (int i = 0; i < 16; i += 4) {
        const pairs_words a = _mm512_unpacklo_epi32(w[i], w[i + 1]),
                          b = _mm512_unpackhi_epi32(w[i], w[i + 1]),
                          c = _mm512_unpacklo_epi32(w[i + 2], w[i + 3]),
                          d = _mm512_unpackhi_epi32(w[i + 2], w[i + 3]);
        t[i] = _mm512_unpacklo_epi64(a, c), t[i + 1] = _mm512_unpackhi_epi64(a, c);
        t[i + 2] = _mm512_unpacklo_epi64(b, d), t[i + 3] = _mm512_unpackhi_epi64(b, d);
    }
    for (int i = 0; i < 4; i++) {
        const pairs_words a = _mm512_shuffle_i32x4(t[i], t[i + 4], 0x88),
                          b = _mm512_shuffle_i32x4(t[i], t[i + 4], 0xdd),
                          c = _mm512_shuffle_i32x4(t[i + 8], t[i + 12], 0x88),
                          d = _mm512_shuffle_i32x4(t[i + 8], t[i + 12], 0xdd);
        w[i] = _mm512_shuffle_i32x4(a, c, 0x88), w[i + 8] = _mm512_shuffle_i32x4(a, c, 0xdd);
        w[i + 4] = _mm512_shuffle_i32x4(b, d, 0x88), w[i + 12] = _mm512_shuffle_i32x4(b, d, 0xdd);
    }
}

/* n <= 16 lines of k elements, contiguous along k and `line` bytes apart, as words [pair][line]. */
static void pairs_pack_along(char *out, int64_t step, const char *from, int64_t line, int64_t k,
                             int n) {
    for (int64_t k0 = 0; k0 < k; k0 += 32, out += 16 * step) {
        pairs_words w[16];
        const int64_t left = min_i64(32, k - k0);
        const __mmask32 keep = (__mmask32)((UINT64_C(1) << left) - 1);
        for (int i = 0; i < 16; i++)
            w[i] = i < n ? _mm512_maskz_loadu_epi16(keep, from + i * line + 2 * k0)
                         : _mm512_setzero_si512();
        pairs_square(w);
        for (int i = 0; i < (left + 1) / 2; i++) _mm512_storeu_si512(out + i * step, w[i]);
    }
}

/* n <= 32 columns of k rows, `row` bytes apart, as words [pair][column]. */
static void pairs_pack_across(char *out, int64_t step, const char *from, int64_t row, int64_t k,
                              int n) {
    static const uint16_t order[64] = {
        0,  32, 1,  33, 2,  34, 3,  35, 4,  36, 5,  37, 6,  38, 7,  39, 8,  40, 9,  41, 10, 42,
        11, 43, 12, 44, 13, 45, 14, 46, 15, 47, 16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53,
        22, 54, 23, 55, 24, 56, 25, 57, 26, 58, 27, 59, 28, 60, 29, 61, 30, 62, 31, 63};
    const pairs_words low = _mm512_loadu_si512(order), high = _mm512_loadu_si512(order + 32);
    const __mmask32 keep = (__mmask32)((UINT64_C(1) << n) - 1);
    for (int64_t i = 0; i < k; i += 2, from += 2 * row, out += step) {
        const pairs_words a = _mm512_maskz_loadu_epi16(keep, from);
        const pairs_words b = i + 1 < k ? _mm512_maskz_loadu_epi16(keep, from + row)
                                        : _mm512_setzero_si512();
        _mm_prefetch(from + PAIRS_AHEAD * row, _MM_HINT_T0);
        _mm_prefetch(from + (PAIRS_AHEAD + 1) * row, _MM_HINT_T0);
        _mm512_storeu_si512(out, _mm512_permutex2var_epi16(a, low, b));
        _mm512_storeu_si512(out + 64, _mm512_permutex2var_epi16(a, high, b));
    }
}

/* Some 32 lines of an operand, `line` elements apart, whose steps of k are `along` apart. */
static void pairs_pack(char *out, int64_t step, const char *from, int64_t line, int64_t along,
                       int64_t k, int64_t n) {
    if (along != 1) {
        pairs_pack_across(out, step, from, 2 * along, k, (int)n);
        return;
    }
    pairs_pack_along(out, step, from, 2 * line, k, (int)min_i64(n, 16));
    pairs_pack_along(out + 64, step, from + 32 * line, 2 * line, k, (int)max_i64(n - 16, 0));
}

/* ---- finished tiles ---- */

static __m512 pairs_wide(const char *at, uint8_t type, int64_t i, __mmask16 keep) {
    if (type == WEFT_F32) return _mm512_maskz_loadu_ps(keep, at + 4 * i);
    const __m256i half = _mm256_maskz_loadu_epi16(keep, at + 2 * i);
    if (type == WEFT_F16) return _mm512_cvtph_ps(half);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
}

/* Row i of C from column j on: up to 16 sums. */
static void pairs_store(const pairs_plan *p, const pairs_data *d, __m512 x, int64_t i, int64_t j,
                        int64_t n) {
    const __mmask16 keep = (__mmask16)((1u << n) - 1);
    if (d->bias) x = _mm512_add_ps(x, _mm512_maskz_loadu_ps(keep, d->bias + j));
    if (d->relu)
        x = _mm512_mask_mov_ps(x, _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_LE_OQ),
                               _mm512_setzero_ps());
    if (d->mask) {
        const __m512 mask = pairs_wide(d->mask, d->mask_type, i * d->mask_row + j, keep);
        x = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(mask, _mm512_setzero_ps(), _CMP_GT_OQ), x);
    }
    const int64_t at = i * p->s.c_row + j;
    if (d->c_type == WEFT_F32) _mm512_mask_storeu_ps(d->c + 4 * at, keep, x);
    else
        _mm256_mask_storeu_epi16(d->c + 2 * at, keep,
                                 d->c_type == WEFT_F16
                                     ? _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT)
                                     : (__m256i)_mm512_cvtneps_pbh(x));
}

/* A tile of sums at row i and column j of the plan's C. */
static void pairs_finish(const pairs_plan *p, const pairs_data *d, const float *sums, int64_t i,
                         int64_t j, int rows, int64_t columns) {
    for (int64_t v = 0; v < columns; v += 16) {
        const int64_t n = min_i64(16, columns - v);
        if (!p->transposed) {
            for (int r = 0; r < rows; r++)
                pairs_store(p, d, _mm512_loadu_ps(sums + r * PAIRS_WIDE + v), i + r, j + v, n);
            continue;
        }
        pairs_words w[16];
        for (int r = 0; r < 16; r++)
            w[r] = r < rows ? _mm512_loadu_si512(sums + r * PAIRS_WIDE + v) : _mm512_setzero_si512();
        pairs_square(w);
        for (int r = 0; r < n; r++) pairs_store(p, d, _mm512_castsi512_ps(w[r]), j + v + r, i, rows);
    }
}

WEFT_TARGET_END

/* ---- blocks ---- */

typedef struct pairs_block {
    int64_t i0, i1, j0, j1, k0, k1;
    char *b, *a;
    float *sums;
} pairs_block;

static void pairs_pack_block(const pairs_plan *p, const pairs_data *d, const pairs_block *b) {
    const gemm_shape *s = &p->s;
    const char *of_a = p->transposed ? d->b : d->a, *of_b = p->transposed ? d->a : d->b;
    const int64_t k = b->k1 - b->k0, pairs = (k + 1) / 2;
    for (int64_t j = b->j0; j < b->j1; j += PAIRS_WIDE)
        pairs_pack(b->b + (j - b->j0) * pairs * 4, PAIRS_WIDE * 4,
                   of_b + 2 * (j * s->b_col + b->k0 * s->b_row), s->b_col, s->b_row, k,
                   min_i64(PAIRS_WIDE, b->j1 - j));
    const int64_t wide = (b->i1 - b->i0 + PAIRS_WIDE - 1) / PAIRS_WIDE * PAIRS_WIDE;
    for (int64_t i = b->i0; i < b->i1 && p->pack_a; i += PAIRS_WIDE)
        pairs_pack(b->a + (i - b->i0) * 4, wide * 4, of_a + 2 * (i * s->a_row + b->k0 * s->a_col),
                   s->a_row, s->a_col, k, min_i64(PAIRS_WIDE, b->i1 - i));
}

static void pairs_multiply(const pairs_plan *p, const pairs_data *d, const pairs_block *b) {
    const gemm_shape *s = &p->s;
    const bool kept = p->depth_blocks > 1, last = b->k1 == s->k;
    const int64_t pairs = (b->k1 - b->k0 + 1) / 2, rows = b->i1 - b->i0;
    const int64_t wide = (rows + PAIRS_WIDE - 1) / PAIRS_WIDE * PAIRS_WIDE;
    const int64_t tiles = (rows + PAIRS_TALL - 1) / PAIRS_TALL;
    const char *a = p->pack_a ? b->a
                              : (p->transposed ? d->b : d->a) + 2 * (b->i0 * s->a_row + b->k0);
    const int64_t a_row = p->pack_a ? 4 : 2 * s->a_row, a_step = p->pack_a ? 4 * wide : 4;
    float *sums = b->sums;
    for (int64_t j = b->j0; j < b->j1; j += PAIRS_WIDE)
        for (int64_t tile = 0, i = 0; tile < tiles; tile++) {
            const int count = (int)((rows - i) / (tiles - tile)); /* nearly equal ones */
            pairs_tile[count - 1](sums, a + i * a_row, a_row, a_step,
                                  b->b + (j - b->j0) * pairs * 4, pairs, b->k0 > 0);
            if (last)
                pairs_finish(p, d, sums, b->i0 + i, j, count, min_i64(PAIRS_WIDE, b->j1 - j));
            if (kept) sums += count * PAIRS_WIDE;
            i += count;
        }
}

void pairs_run(const pairs_plan *p, const pairs_data *d, int64_t unit0, int64_t unit1,
               char *scratch) {
    const gemm_shape *s = &p->s;
    assert(0 <= unit0 && unit1 <= p->units && (uintptr_t)scratch % 64 == 0);
    for (int64_t u = unit0; u < unit1; u++) {
        pairs_block b = {.b = scratch, .a = scratch + p->a_at};
        b.sums = (float *)(void *)(scratch + p->sums_at);
        b.i0 = u % p->row_blocks * p->rows, b.i1 = min_i64(b.i0 + p->rows, s->m);
        b.j0 = u / p->row_blocks * p->columns, b.j1 = min_i64(b.j0 + p->columns, s->n);
        for (; b.k0 < s->k; b.k0 = b.k1) {
            b.k1 = min_i64(b.k0 + p->depth, s->k);
            pairs_pack_block(p, d, &b);
            pairs_multiply(p, d, &b);
        }
        if (d->band && p->transposed) d->band(d->user, b.j0, b.j1, b.i0, b.i1);
        else if (d->band) d->band(d->user, b.i0, b.i1, b.j0, b.j1);
    }
}
#else
bool pairs_choose(pairs_plan *p, const gemm_shape *s) {
    (void)p, (void)s;
    return false;
}

void pairs_run(const pairs_plan *p, const pairs_data *d, int64_t unit0, int64_t unit1,
               char *scratch) {
    (void)p, (void)d, (void)unit0, (void)unit1, (void)scratch;
    assert(!p);
}
#endif
