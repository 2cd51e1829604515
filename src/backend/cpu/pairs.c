/* pairs.c - packs bf16 operands in pairs along k, and multiplies them; see pairs.h.
 *
 * A pair is a word of 32 bits. Columns are packed into panels of 32 words for each pair of steps; rows
 * are read by broadcast, where they lie if their elements are contiguous along k. A tile of up to 12
 * rows and 32 columns has its sums in registers; what follows the last of them (bias, relu, mask,
 * rounding) is done while the tile is in the first cache. Where few rows wait for B, it is not packed:
 * it meets them by dot products, or pairs are made in registers. Blocks follow from the shape alone,
 * so threads change no bits. One thread, Zen 5, GFLOP/s of f32 and bf16: 1024x1024x1024 261 and 490,
 * 31x768x3072 257 and 425; 1x768x3072 with B along k 80 us and 41. */
#include "backend/cpu/pairs.h"

#include "base/compiler.h"
#include "base/number.h"
#include "weft/weft.h"

#include <assert.h>
#include <string.h>

#if WEFT_X86
#include <immintrin.h>

enum {
    PAIRS_WIDE = 32,     /* columns of a panel: two vectors */
    PAIRS_TALL = 12,     /* rows of a tile, at most */
    PAIRS_ROWS = 192,    /* of a block, as are those below: it stays in the second cache */
    PAIRS_COLUMNS = 512, /* whole pieces of rows: memory is slow at short ones */
    PAIRS_DEPTH = 256,
    PAIRS_DOTTED = 8,   /* rows of a product by dots, at most */
    PAIRS_STREAMED = 2, /* rows that meet B as it lies, at most */
    PAIRS_PANELS = 8,   /* of B together then, at most */
    PAIRS_SUMS = 24,    /* vectors of sums */
    PAIRS_AHEAD = 16    /* rows of B that are asked for early */
};

/* ---- choosing ---- */

/* Bytes of a packed panel. The same line of all panels must not fall into one set of the cache. */
static int64_t pairs_panel(int64_t pairs) {
    return PAIRS_WIDE * 4 * (pairs + 1);
}

static int64_t pairs_piece(int64_t n, int64_t most, int64_t round, int64_t *blocks) {
    const int64_t pieces = n > most + most / 2 ? (n + most - 1) / most : 1;
    const int64_t each = ((n + pieces - 1) / pieces + round - 1) / round * round;
    *blocks = (n + each - 1) / each;
    return each;
}

static size_t pairs_round(int64_t bytes) {
    return ((size_t)bytes + 63) & ~(size_t)63;
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
    p->way = PAIRS_PACKED;
    if (t.m <= PAIRS_DOTTED && t.a_col == 1 && t.b_row == 1) p->way = PAIRS_DOTS;
    else if (t.m <= PAIRS_STREAMED && t.b_col == 1) p->way = PAIRS_STREAM;
    p->pack_a = p->way != PAIRS_DOTS && (t.a_col != 1 || t.k % 2);
    const bool packed = p->way == PAIRS_PACKED;
    p->rows = pairs_piece(t.m, PAIRS_ROWS, 1, &p->row_blocks);
    p->columns = pairs_piece(t.n, PAIRS_COLUMNS, PAIRS_WIDE, &p->column_blocks);
    p->depth = pairs_piece(t.k, packed ? PAIRS_DEPTH : t.k, 2, &p->depth_blocks);
    p->units = p->row_blocks * p->column_blocks;
    const int64_t wide = (p->rows + PAIRS_WIDE - 1) / PAIRS_WIDE * PAIRS_WIDE;
    if (packed) p->a_at = pairs_round(p->columns / PAIRS_WIDE * pairs_panel(p->depth / 2));
    p->sums_at = p->a_at + (p->pack_a ? pairs_round(wide * p->depth * 2) : 0);
    p->bytes = p->sums_at +
               pairs_round(4 * (p->depth_blocks > 1 ? p->rows * p->columns
                                                    : PAIRS_TALL * PAIRS_WIDE * PAIRS_PANELS));
    return true;
}

/* ---- tiles ---- */

/* Rows by columns of sums, over k steps of k. Strides in bytes; from one pair of a row to the next,
 * and of B as it lies: from one row of k to the next, or from column to column. */
typedef struct pairs_tile {
    float *c; /* [row][PAIRS_WIDE], one such square for each panel */
    const char *a, *b;
    int64_t a_row, a_step, b_step, k;
    int n;    /* columns of the last panel */
    bool add; /* to what c has */
} pairs_tile;
typedef void pairs_kernel(const pairs_tile *t);

WEFT_TARGET_BEGIN_512_BF16

typedef __m512i pairs_words;

/* Two rows of 32 become pairs. */
static const uint16_t pairs_order[64] = {
    0,  32, 1,  33, 2,  34, 3,  35, 4,  36, 5,  37, 6,  38, 7,  39, 8,  40, 9,  41, 10, 42,
    11, 43, 12, 44, 13, 45, 14, 46, 15, 47, 16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53,
    22, 54, 23, 55, 24, 56, 25, 57, 26, 58, 27, 59, 28, 60, 29, 61, 30, 62, 31, 63};

static __mmask32 pairs_first(int64_t n) {
    return n >= 32 ? (__mmask32)-1 : (__mmask32)((1u << n) - 1);
}

WEFT_INLINE pairs_words pairs_splat(const char *at) {
    int32_t word;
    memcpy(&word, at, sizeof word);
    return _mm512_set1_epi32(word);
}

WEFT_INLINE __m512 pairs_dot(__m512 sum, pairs_words a, pairs_words b) {
    return _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b);
}

/* B packed: one panel. */
WEFT_INLINE void pairs_packed(const pairs_tile *t, const int rows) {
    __m512 sum[PAIRS_SUMS];
    WEFT_UNROLL_ALL
    for (int e = 0; e < 2 * rows; e++)
        sum[e] = t->add ? _mm512_loadu_ps(t->c + 16 * e) : _mm512_setzero_ps();
    const char *b = t->b, *a[PAIRS_TALL / 3]; /* three rows share a pointer, as in gemm.inc */
    const int64_t a_row = t->a_row, a_step = t->a_step;
    WEFT_UNROLL_ALL
    for (int g = 0; g < (rows + 2) / 3; g++) a[g] = t->a + 3 * g * a_row;
    for (int64_t k = t->k; k > 0; k -= 2, b += 4 * PAIRS_WIDE) {
        const pairs_words low = _mm512_loadu_si512(b), high = _mm512_loadu_si512(b + 64);
        WEFT_UNROLL_ALL
        for (int r = 0; r < rows; r++) {
            const pairs_words w = pairs_splat(a[r / 3] + r % 3 * a_row);
            sum[2 * r] = pairs_dot(sum[2 * r], w, low);
            sum[2 * r + 1] = pairs_dot(sum[2 * r + 1], w, high);
        }
        WEFT_UNROLL_ALL
        for (int g = 0; g < (rows + 2) / 3; g++) a[g] += a_step;
    }
    WEFT_UNROLL_ALL
    for (int e = 0; e < 2 * rows; e++) _mm512_storeu_ps(t->c + 16 * e, sum[e]);
}

/* Rows of B as they lie: some panels at once, pairs are made in registers. */
WEFT_INLINE void pairs_streamed(const pairs_tile *t, const int rows, const int panels) {
    __m512 sum[PAIRS_SUMS];
    const pairs_words low = _mm512_loadu_si512(pairs_order);
    const pairs_words high = _mm512_loadu_si512(pairs_order + 32);
    const __mmask32 last = pairs_first(t->n);
    const int64_t step = t->b_step;
    const char *a = t->a, *b = t->b;
    WEFT_UNROLL_ALL
    for (int e = 0; e < 2 * rows * panels; e++) sum[e] = _mm512_setzero_ps();
    for (int64_t k = t->k; k > 0; k -= 2, b += 2 * step, a += t->a_step) {
        WEFT_UNROLL_ALL
        for (int v = 0; v < panels; v++) {
            const __mmask32 keep = v == panels - 1 ? last : (__mmask32)-1;
            const pairs_words p = _mm512_maskz_loadu_epi16(keep, b + 64 * v);
            const pairs_words q = _mm512_maskz_loadu_epi16(k > 1 ? keep : 0, b + 64 * v + step);
            _mm_prefetch(b + 64 * v + PAIRS_AHEAD * step, _MM_HINT_T0);
            _mm_prefetch(b + 64 * v + (PAIRS_AHEAD + 1) * step, _MM_HINT_T0);
            const pairs_words b0 = _mm512_permutex2var_epi16(p, low, q);
            const pairs_words b1 = _mm512_permutex2var_epi16(p, high, q);
            WEFT_UNROLL_ALL
            for (int r = 0; r < rows; r++) {
                const int e = 2 * (v * rows + r);
                const pairs_words w = pairs_splat(a + r * t->a_row);
                sum[e] = pairs_dot(sum[e], w, b0);
                sum[e + 1] = pairs_dot(sum[e + 1], w, b1);
            }
        }
    }
    WEFT_UNROLL_ALL
    for (int e = 0; e < 2 * rows * panels; e++) _mm512_storeu_ps(t->c + 16 * e, sum[e]);
}

/* Dot products of rows of A with columns of B, both contiguous along k. */
WEFT_INLINE void pairs_dotted(const pairs_tile *t, const int rows, const int columns) {
    __m512 sum[PAIRS_SUMS];
    WEFT_UNROLL_ALL
    for (int e = 0; e < rows * columns; e++) sum[e] = _mm512_setzero_ps();
    for (int64_t k = 0; k < t->k; k += 32) {
        const __mmask32 keep = pairs_first(t->k - k);
        pairs_words a[PAIRS_DOTTED];
        WEFT_UNROLL_ALL
        for (int r = 0; r < rows; r++)
            a[r] = _mm512_maskz_loadu_epi16(keep, t->a + r * t->a_row + 2 * k);
        WEFT_UNROLL_ALL
        for (int q = 0; q < columns; q++) {
            const char *at = t->b + q * t->b_step + 2 * k;
            const pairs_words b = _mm512_maskz_loadu_epi16(keep, at);
            _mm_prefetch(at + 2 * columns * t->b_step, _MM_HINT_T0);
            WEFT_UNROLL_ALL
            for (int r = 0; r < rows; r++)
                sum[r * columns + q] = pairs_dot(sum[r * columns + q], a[r], b);
        }
    }
    WEFT_UNROLL_ALL
    for (int e = 0; e < rows * columns; e++)
        t->c[e / columns * PAIRS_WIDE + e % columns] = _mm512_reduce_add_ps(sum[e]);
}

/* By rows; of the last two also how many panels or columns at once, instead of one. */
#define PAIRS_TILES(X)   X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)
#define PAIRS_STREAMS(X) X(stream, 1, 8) X(stream, 2, 6)
#define PAIRS_DOT_TILES(X)                                                                         \
    X(dot, 1, 8)                                                                                   \
    X(dot, 2, 8) X(dot, 3, 8) X(dot, 4, 4) X(dot, 5, 4) X(dot, 6, 4) X(dot, 7, 3) X(dot, 8, 2)
#define PAIRS_stream pairs_streamed
#define PAIRS_dot    pairs_dotted

#define PAIRS_TILE(r)                                                                              \
    static void pairs_tile_##r(const pairs_tile *t) {                                              \
        pairs_packed(t, r);                                                                        \
    }
#define PAIRS_TWO(way, r, n)                                                                       \
    static void pairs_##way##_##r(const pairs_tile *t) {                                           \
        PAIRS_##way(t, r, 1);                                                                      \
    }                                                                                              \
    static void pairs_##way##s_##r(const pairs_tile *t) {                                          \
        PAIRS_##way(t, r, n);                                                                      \
    }
PAIRS_TILES(PAIRS_TILE)
PAIRS_STREAMS(PAIRS_TWO)
PAIRS_DOT_TILES(PAIRS_TWO)

typedef struct pairs_few {
    int together;
    pairs_kernel *one, *many;
} pairs_few;

#define PAIRS_TILE_ROW(r)        pairs_tile_##r,
#define PAIRS_TWO_ROW(way, r, n) {n, pairs_##way##_##r, pairs_##way##s_##r},
static pairs_kernel *const pairs_tiles[PAIRS_TALL] = {PAIRS_TILES(PAIRS_TILE_ROW)};
static const pairs_few pairs_streams[PAIRS_STREAMED] = {PAIRS_STREAMS(PAIRS_TWO_ROW)};
static const pairs_few pairs_dots[PAIRS_DOTTED] = {PAIRS_DOT_TILES(PAIRS_TWO_ROW)};

/* ---- packing ---- */

/* 16 by 16 words, transposed. */
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
                             int64_t n) {
    for (int64_t k0 = 0; k0 < k; k0 += 32, out += 16 * step) {
        pairs_words w[16];
        const int64_t left = min_i64(32, k - k0);
        for (int i = 0; i < 16; i++)
            w[i] = i < n ? _mm512_maskz_loadu_epi16(pairs_first(left), from + i * line + 2 * k0)
                         : _mm512_setzero_si512();
        pairs_square(w);
        for (int i = 0; i < (left + 1) / 2; i++) _mm512_storeu_si512(out + i * step, w[i]);
    }
}

/* n columns of k rows, `row` bytes apart, as words [pair][column], 32 columns `panel` bytes apart:
 * whole rows, since memory is slow at many short pieces. */
static void pairs_pack_across(char *out, int64_t step, int64_t panel, const char *from, int64_t row,
                              int64_t k, int64_t n) {
    const pairs_words low = _mm512_loadu_si512(pairs_order);
    const pairs_words high = _mm512_loadu_si512(pairs_order + 32);
    const int64_t last = (n - 1) / PAIRS_WIDE;
    for (; k > 0; k -= 2, from += 2 * row, out += step)
        for (int64_t v = 0; v <= last; v++) {
            const __mmask32 keep = pairs_first(n - v * PAIRS_WIDE);
            const char *at = from + 64 * v;
            const pairs_words a = _mm512_maskz_loadu_epi16(keep, at);
            const pairs_words b = _mm512_maskz_loadu_epi16(k > 1 ? keep : 0, at + row);
            _mm_prefetch(at + PAIRS_AHEAD * row, _MM_HINT_T0);
            _mm_prefetch(at + (PAIRS_AHEAD + 1) * row, _MM_HINT_T0);
            _mm512_storeu_si512(out + v * panel, _mm512_permutex2var_epi16(a, low, b));
            _mm512_storeu_si512(out + v * panel + 64, _mm512_permutex2var_epi16(a, high, b));
        }
}

/* ---- finished tiles ---- */

static __m512 pairs_wide(const char *at, uint8_t type, int64_t i, __mmask16 keep) {
    if (type == WEFT_F32) return _mm512_maskz_loadu_ps(keep, at + 4 * i);
    const __m256i half = _mm256_maskz_loadu_epi16(keep, at + 2 * i);
    if (type == WEFT_F16) return _mm512_cvtph_ps(half);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
}

/* Row i of C, n <= 16 elements from column j on. */
static void pairs_store(const pairs_plan *p, const pairs_data *d, __m512 x, int64_t i, int64_t j,
                        int64_t n) {
    const __mmask16 keep = (__mmask16)pairs_first(n);
    const __m512 zero = _mm512_setzero_ps();
    if (d->old) x = _mm512_add_ps(x, _mm512_maskz_loadu_ps(keep, d->old + i * p->s.c_row + j));
    if (d->bias) x = _mm512_add_ps(x, _mm512_maskz_loadu_ps(keep, d->bias + j));
    if (d->relu) x = _mm512_mask_mov_ps(x, _mm512_cmp_ps_mask(x, zero, _CMP_LE_OQ), zero);
    if (d->mask) {
        const __m512 mask = pairs_wide(d->mask, d->mask_type, i * d->mask_row + j, keep);
        x = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(mask, zero, _CMP_GT_OQ), x);
    }
    const int64_t at = i * p->s.c_row + j;
    if (d->c_type == WEFT_F32) _mm512_mask_storeu_ps(d->c + 4 * at, keep, x);
    else
        _mm256_mask_storeu_epi16(d->c + 2 * at, keep,
                                 d->c_type == WEFT_F16
                                     ? _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT)
                                     : (__m256i)_mm512_cvtneps_pbh(x));
}

/* Rows [i, i + rows) and up to 32 columns from j on of the plan's C. */
static void pairs_finish(const pairs_plan *p, const pairs_data *d, const float *sums, int64_t i,
                         int rows, int64_t j, int64_t columns) {
    for (int64_t v = 0; v < min_i64(columns, PAIRS_WIDE); v += 16) {
        const int64_t n = min_i64(16, columns - v);
        const float *from = sums + v;
        if (!p->transposed) {
            for (int r = 0; r < rows; r++)
                pairs_store(p, d, _mm512_loadu_ps(from + r * PAIRS_WIDE), i + r, j + v, n);
            continue;
        }
        pairs_words w[16];
        for (int r = 0; r < 16; r++)
            w[r] = r < rows ? _mm512_loadu_si512(from + r * PAIRS_WIDE) : _mm512_setzero_si512();
        pairs_square(w);
        for (int r = 0; r < n; r++)
            pairs_store(p, d, _mm512_castsi512_ps(w[r]), j + v + r, i, rows);
    }
}

WEFT_TARGET_END

/* ---- blocks ---- */

/* A block of C and some of k; operands as the plan sees them. */
typedef struct pairs_block {
    const pairs_plan *p;
    const pairs_data *d;
    const char *a, *b;
    char *a_pack, *b_pack;
    float *sums;
    int64_t i0, i1, j0, j1, k0, k1;
} pairs_block;

/* n lines of an operand, `line` elements apart, whose steps of k are `along` apart, as words
 * [pair][line], `step` bytes from pair to pair and `panel` to the next 32 lines. */
static void pairs_pack(char *out, int64_t step, int64_t panel, const char *from, int64_t line,
                       int64_t along, int64_t k, int64_t n) {
    if (along != 1) {
        pairs_pack_across(out, step, panel, from, 2 * along, k, n);
        return;
    }
    for (; n > 0; n -= PAIRS_WIDE, out += panel, from += 2 * PAIRS_WIDE * line) {
        pairs_pack_along(out, step, from, 2 * line, k, n);
        pairs_pack_along(out + 64, step, from + 32 * line, 2 * line, k, n - 16);
    }
}

/* The rows of A as a tile reads them: packed, if they are, else as they lie. */
static pairs_tile pairs_rows(const pairs_block *b) {
    const gemm_shape *s = &b->p->s;
    pairs_tile t = {.c = b->sums, .k = b->k1 - b->k0, .add = b->k0 > 0, .a_step = 4};
    t.a = b->a + 2 * (b->i0 * s->a_row + b->k0 * s->a_col);
    t.a_row = 2 * s->a_row;
    if (b->p->pack_a) {
        const int64_t rows = b->i1 - b->i0;
        t.a_step = (rows + PAIRS_WIDE - 1) / PAIRS_WIDE * PAIRS_WIDE * 4;
        pairs_pack(b->a_pack, t.a_step, PAIRS_WIDE * 4, t.a, s->a_row, s->a_col, t.k, rows);
        t.a = b->a_pack;
        t.a_row = 4;
    }
    return t;
}

static void pairs_run_packed(const pairs_block *b) {
    const gemm_shape *s = &b->p->s;
    const bool kept = b->p->depth_blocks > 1, last = b->k1 == s->k;
    const int64_t rows = b->i1 - b->i0, tiles = (rows + PAIRS_TALL - 1) / PAIRS_TALL;
    pairs_tile t = pairs_rows(b);
    const int64_t panel = pairs_panel((t.k + 1) / 2);
    const char *a = t.a;
    pairs_pack(b->b_pack, PAIRS_WIDE * 4, panel, b->b + 2 * (b->j0 * s->b_col + b->k0 * s->b_row),
               s->b_col, s->b_row, t.k, b->j1 - b->j0);
    t.b = b->b_pack;
    for (int64_t j = b->j0; j < b->j1; j += PAIRS_WIDE, t.b += panel)
        for (int64_t tile = 0, i = 0, count; tile < tiles; tile++, i += count) {
            count = (rows - i) / (tiles - tile); /* nearly equal ones */
            t.a = a + i * t.a_row;
            pairs_tiles[count - 1](&t);
            if (last) pairs_finish(b->p, b->d, t.c, b->i0 + i, (int)count, j, b->j1 - j);
            if (kept) t.c += count * PAIRS_WIDE;
        }
}

static void pairs_run_stream(const pairs_block *b) {
    const int rows = (int)b->p->s.m;
    const pairs_few *few = &pairs_streams[rows - 1];
    pairs_tile t = pairs_rows(b);
    t.b_step = 2 * b->p->s.b_row;
    for (int64_t j = b->j0; j < b->j1;) {
        const int panels = b->j1 - j > PAIRS_WIDE * (few->together - 1) ? few->together : 1;
        t.b = b->b + 2 * j;
        t.n = (int)min_i64(PAIRS_WIDE, b->j1 - j - PAIRS_WIDE * (panels - 1));
        (panels > 1 ? few->many : few->one)(&t);
        for (int v = 0; v < panels; v++, j += PAIRS_WIDE)
            pairs_finish(b->p, b->d, t.c + v * rows * PAIRS_WIDE, 0, rows, j, b->j1 - j);
    }
}

static void pairs_run_dots(const pairs_block *b) {
    const int rows = (int)b->p->s.m;
    const pairs_few *few = &pairs_dots[rows - 1];
    pairs_tile t = pairs_rows(b);
    t.b_step = 2 * b->p->s.b_col;
    for (int64_t j = b->j0; j < b->j1; j += PAIRS_WIDE) {
        const int64_t n = min_i64(PAIRS_WIDE, b->j1 - j);
        t.c = b->sums;
        for (int64_t q = 0, count; q < n; q += count, t.c += count) {
            count = n - q >= few->together ? few->together : 1;
            t.b = b->b + (j + q) * t.b_step;
            (count > 1 ? few->many : few->one)(&t);
        }
        pairs_finish(b->p, b->d, b->sums, 0, rows, j, n);
    }
}

void pairs_run(const pairs_plan *p, const pairs_data *d, int64_t unit0, int64_t unit1,
               char *scratch) {
    assert(0 <= unit0 && unit1 <= p->units && (uintptr_t)scratch % 64 == 0);
    for (int64_t u = unit0; u < unit1; u++) {
        const int64_t i0 = u % p->row_blocks * p->rows, j0 = u / p->row_blocks * p->columns;
        pairs_block b = {.p = p,
                         .d = d,
                         .a = p->transposed ? d->b : d->a,
                         .b = p->transposed ? d->a : d->b,
                         .a_pack = scratch + p->a_at,
                         .b_pack = scratch,
                         .sums = (float *)(void *)(scratch + p->sums_at),
                         .i0 = i0,
                         .i1 = min_i64(i0 + p->rows, p->s.m),
                         .j0 = j0,
                         .j1 = min_i64(j0 + p->columns, p->s.n)};
        for (; b.k0 < p->s.k; b.k0 = b.k1) {
            b.k1 = min_i64(b.k0 + p->depth, p->s.k);
            if (p->way == PAIRS_DOTS) pairs_run_dots(&b);
            else if (p->way == PAIRS_STREAM) pairs_run_stream(&b);
            else pairs_run_packed(&b);
        }
        if (d->band && p->transposed) d->band(d->user, b.j0, b.j1, b.i0, b.i1);
        else if (d->band) d->band(d->user, b.i0, b.i1, b.j0, b.j1);
    }
}

#undef PAIRS_TILES
#undef PAIRS_STREAMS
#undef PAIRS_DOT_TILES
#undef PAIRS_stream
#undef PAIRS_dot
#undef PAIRS_TILE
#undef PAIRS_TWO
#undef PAIRS_TILE_ROW
#undef PAIRS_TWO_ROW
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
