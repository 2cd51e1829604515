/* strip.h - register tiles whose rows lie anywhere in memory: what convolutions are made of.
 *
 * A strip is some tiles of C, one below the other, against one panel of columns:
 * C(i, j) = sum over k of A(i, k) B(k, j), where A(i, k) lies off(k) bytes behind row[i]. The k are
 * cut into runs of equal length with equal steps inside a run. An image with its border needs no
 * copy into columns that way: row[i] is the window's first pixel, and the offsets are the same for
 * every window. Each element of C is one chain of multiply-adds in the order of k, whatever the
 * tile. Tiles are in strip.inc, built once per vector width. */
#ifndef WEFT_STRIP_H
#define WEFT_STRIP_H

#include "gemm.h"

enum { STRIP_MAX_ROWS = 12, STRIP_MAX_DOTS = 4, STRIP_DOT_ROWS = 8 };

typedef struct strip {
    const char *const *row;    /* one pointer per row of C                               */
    const int64_t *off;        /* bytes to the beginning of each run                     */
    int64_t runs, run, a_step; /* a_step: bytes between the k of a run                   */
    const float *b;            /* vectors of B(k, 0), b_step floats apart                */
    int64_t b_step, b_last;    /* the panel's last vector begins at b + b_last           */
    float *c;
    int64_t c_row, c_last;    /* and in C at c + c_last: it may overlap its neighbour   */
    const float *bias, *mask; /* as in gemm_data, at this panel                         */
    int64_t mask_row;
    int flags; /* GEMM_OLD, GEMM_BIAS, GEMM_RELU, GEMM_MASK              */
} strip;

typedef void strip_tiles(const strip *s, int64_t tiles);

/* Sums over contiguous runs of whole vectors, for few columns: B is (columns, k) and contiguous;
 * out[r * columns + q]. */
typedef void strip_dots(const strip *s, float *out);

typedef struct strip_level {
    int lanes, rows[3];                        /* of a tile, at most, by vectors (1, 2)     */
    strip_tiles *tiles[3][STRIP_MAX_ROWS + 1]; /* by vectors and rows                       */
    strip_dots *dots[STRIP_MAX_DOTS + 1];      /* by columns                                */
    int dot_rows[STRIP_MAX_DOTS + 1];
} strip_level;

const strip_level *strip_level_of(isa level, int64_t columns);

/* A panel of `columns` columns, two vectors at most, for `rows` rows: tiles of nearly equal
 * height. Fewer columns than a vector has go through raw tiles; B must then have whole vectors. */
void strip_run(const strip_level *level, const strip *s, int64_t rows, int64_t columns);

/* The same by dot products, for at most STRIP_MAX_DOTS columns. */
void strip_run_dots(const strip_level *level, const strip *s, int64_t rows, int columns);

/* Columns of the next panel when `left` are left, and the vectors a panel takes. A vector that is
 * not full is never alone, so that it has a neighbour in its panel to overlap. */
int64_t strip_columns(const strip_level *level, int64_t left);
int strip_vectors(const strip_level *level, int64_t columns);

#endif
