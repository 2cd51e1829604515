/* tile.h - the loops that the tile interpreter calls: one table of them per vector width.
 *
 * A register of a row program is a tile: n lanes of 4 bytes, f32 or i32 (a bool is an i32 of 0 or
 * 1, a u32 its 32 bits). Each entry runs one instruction over whole tiles; loads and stores convert
 * the narrower types of memory. What runs over what, in which order, is the interpreter's. */
#ifndef WEFT_TILE_H
#define WEFT_TILE_H

#include "backend/cpu/isa.h"
#include "plan/plan.h"

enum { TILE = 512 };   /* usual lanes of a tile; the loops take any n >= 0 */

/* Super-operations beside K_FMA (a * b + c): TILE_MUL_SUB, ... */
enum {
    TILE_BEFORE = K_COUNT - 1,
#define SUPER(op, ...) TILE_##op,
#include "backend/cpu/super.def"
    TILE_OPS
};

/* Maps of a tile with a value per row. */
enum { TILE_ROW_ADD, TILE_ROW_SUB, TILE_ROW_MUL, TILE_ROW_SUB_EXP, TILE_BY_ROWS };

/* d may be any of a, b and c, but not overlap them in part. Unused operands may be NULL. */
typedef void tile_map(void *d, const void *a, const void *b, const void *c, int n);

typedef struct tile_adam {
    float b1, b2, eps, l2, decay_rate, rate, root, scale, clip; /* clip: INFINITY for none */
} tile_adam;
typedef struct tile_momentum {
    float lr, momentum, decay, scale, clip;
    bool nesterov;
} tile_momentum;

typedef struct tile_table {
    /* [OP_ of a map, K_FMA or TILE_][KT_F32 or KT_I32, by the operands; KT_BOOL uses KT_I32].
     * Comparisons give i32 0 or 1. OP_where: a is the condition (i32), [.] the type of b and c.
     * NULL where there is none. */
    tile_map *map[TILE_OPS][2];

    /* [KT_ of a][to]: the value it would have after being stored as that type, in the register type
     * of `to`. Floats are cut towards zero to i32 or u32, saturating, nan to 0; 8-bit integers take
     * the low byte of the i32; bool is != 0; bf16 and f16 round to nearest even and stay f32. */
    tile_map *cast[2][WEFT_DTYPE_COUNT];

    /* From and to memory; strides in elements of the type, of any sign, 0 broadcasts. */
    void (*load[WEFT_DTYPE_COUNT])(void *d, const void *src, int64_t stride, int n);
    void (*store[WEFT_DTYPE_COUNT])(void *dst, int64_t stride, const void *a, int n);
    /* The same for words one behind the other, past the caches: for results that no cache will hold.
     * Others see them after `fence`. */
    void (*stream)(void *dst, const void *a, int n);
    void (*fence)(void);
    /* d[i] = src[i * stride + index[i] * step] where 0 <= index[i] < limit, else 0 and no read */
    void (*take[WEFT_DTYPE_COUNT])(void *d, const void *src, int64_t stride, const int32_t *index,
                                   int64_t step, int64_t limit, int n);

    /* A block of rows by n words from one place to another, which do not overlap; strides in words,
     * `down` from row to row, `along` within one. Transposing goes by squares. */
    void (*move)(void *d, int64_t down, int64_t along, const void *src, int64_t src_down,
                 int64_t src_along, int rows, int n);

    /* [op - K_SUM][KT_]; the entry of argmax is NULL. a (rows, n).
     * fold: acc[r] = acc[r] op (fold of row r); the order depends on n and on the width only.
     * across: acc[j] = acc[j] op a[r][j], four rows at a time. A nan is the maximum. */
    void (*fold[4][2])(void *acc, const void *a, int rows, int n);
    void (*across[4][2])(void *acc, const void *a, int rows, int n);
    /* acc[j] = acc[j] + src[r * down + index[r] * step + j], r ascending, where 0 <= index[r] < limit:
     * the sum of some rows of a table */
    void (*take_sum)(void *acc, const void *src, int64_t down, const int32_t *index, int64_t step,
                     int64_t limit, int rows, int n);
    /* acc[r] = acc[r] + sum of a[r][j] * b[r][j]: squares, variances, gradients of a softmax. */
    void (*dot)(void *acc, const void *a, const void *b, int rows, int n);
    /* acc[j] = acc[j] + a[r][j] * b[r][j], two rows at a time */
    void (*dot_across)(void *acc, const void *a, const void *b, int rows, int n);
    /* Position of the maximum; the first of equals wins, a nan beats all. Start with best = -inf
     * (INT32_MIN) and at = 0. argmax: best[r], position from + j; across: best[j], from + r. */
    void (*argmax[2])(void *best, int32_t *at, const void *a, int32_t from, int rows, int n);
    void (*argmax_across[2])(void *best, int32_t *at, const void *a, int32_t from, int rows, int n);

    /* d[r][j] = a[r][j] op row[r], or exp(a - row): f32, d may be a. */
    void (*by_row[TILE_BY_ROWS])(void *d, const void *a, const void *row, int rows, int n);

    /* d[r][j] = (a[r][j] - b[r]) * c[r]; d may be a. */
    void (*row_norm)(void *d, const void *a, const void *b, const void *c, int rows, int n);

    /* Row values to tiles: d (rows, n); d and row do not overlap. */
    void (*spread)(void *d, const void *row, int rows, int n);      /* d[r][j] = row[r] (rows)  */
    void (*repeat)(void *d, const void *row, int rows, int n);      /* d[r][j] = row[j] (n)     */
    void (*index)(int32_t *d, int32_t from, int32_t step, int n);   /* from + i * step          */

    /* kern/krandom.h for the element numbers given; kind is a random_kind: bits give i32, else f32.
     * Fast where the numbers are consecutive. d and element may be the same. */
    void (*random)(void *d, const int32_t *element, uint32_t seed, uint32_t run, uint32_t stream,
                   int kind, int n);

    /* Optimisers in one pass over their arrays (n), which do not overlap. The gradient is
     * clipped to [-clip, clip], then scaled.
     * adam: h = g + l2 p; m = b1 m + (1 - b1) h; v = b2 v + (1 - b2) h h;
     *       p = p - decay_rate p - rate m / (sqrt(v) root + eps)
     * momentum: h = g + decay p; m = momentum m + h; p -= lr (nesterov ? h + momentum m : m) */
    void (*adam)(float *p, float *m, float *v, const float *g, int64_t n, const tile_adam *o);
    void (*momentum)(float *p, float *m, const float *g, int64_t n, const tile_momentum *o);
    float (*squares)(const float *x, int64_t n); /* their sum; of some thousands, else in parts */
} tile_table;

const tile_table *tile_table_for(isa level);   /* the widest there is up to that level */

#endif
