/* gemm_parts.h - shared by the files of the matrix product alone. */
#ifndef WEFT_GEMM_PARTS_H
#define WEFT_GEMM_PARTS_H

#include "base/compiler.h"
#include "gemm.h"
#include "strip.h"

enum { GEMM_OLD = 1, GEMM_BIAS = 2, GEMM_RELU = 4, GEMM_MASK = 8 };
enum { GEMM_MAX_ROWS = 12, GEMM_MAX_VECTORS = 8, GEMM_MAX_SUMS = 24,
       GEMM_TILE_FLOATS = GEMM_MAX_SUMS * 16,
       GEMM_DOT_COLUMNS = 64, /* that many dots of a row are stored at once, from rows ...       */
       GEMM_DOT_STEP = 68,    /* ... so far apart: four are written where one is asked for       */
       GEMM_DOT_ROWS = 8, GEMM_DOT_TOGETHER = 8, /* a tile of dots, at most                      */
       GEMM_DOT_MOST = 12,     /* rows of a product by dots, at most                          */
       GEMM_DOT_K = 1024 };    /* as much of k of some rows of A and B fits the first cache   */

/* One register tile: rows by vectors of C over k steps. The last vector may be moved left to stay
 * inside the matrix: it then overlaps its neighbour and both hold the same values. */
typedef struct gemm_tile {
    const float *a, *b;
    int64_t a_row, a_col, b_row, b_last, k;
    float *c;               /* C, or a raw tile of whole vectors if flags < 0  */
    int64_t c_row, c_last;
    const float *bias, *mask;
    int64_t mask_row;
    int flags;
    int64_t ahead;          /* floats from what is read of B to what is asked for */
    int second;             /* it is asked for into the second cache           */
} gemm_tile;

/* How a tile is read: as the operands lie; as the packing left them; or as they lie, while B is so
 * large that it must be asked for early: whole rows of the panel, or a line of each. */
typedef enum gemm_manner {
    GEMM_PLAIN_TILE, GEMM_PACKED_TILE, GEMM_STREAM_TILE, GEMM_NEXT_TILE, GEMM_ROWS_TILE
} gemm_manner;

/* Dot products of rows of x with rows of y, both contiguous along k: out[r*GEMM_DOT_STEP + q]. */
typedef void gemm_dot_function(const float *x, int64_t x_row, const float *y, int64_t y_row,
                               int64_t k, float *out);

typedef struct gemm_level {
    int lanes, registers;
    int max_rows[GEMM_MAX_VECTORS + 1];     /* by vectors; 0: no such kernel   */
    void (*kernel[GEMM_MAX_VECTORS + 1][GEMM_MAX_ROWS])(const gemm_tile *t);
    void (*packed[GEMM_MAX_ROWS])(const gemm_tile *t);      /* two vectors, A and B packed */
    void (*stream[GEMM_MAX_ROWS])(const gemm_tile *t);
    void (*next[GEMM_MAX_ROWS])(const gemm_tile *t);        /* two vectors                     */
    void (*deep[GEMM_MAX_VECTORS + 1][GEMM_MAX_ROWS])(const gemm_tile *t);
    int stream_vectors[GEMM_MAX_ROWS + 1];  /* by rows; 0: no such kernel                      */
    gemm_dot_function *dot[GEMM_DOT_ROWS + 1][GEMM_DOT_TOGETHER + 1];   /* by rows and columns */
    int dot_columns[GEMM_DOT_ROWS + 1];     /* by rows: how many together; else one at a time  */
    int dot_rows;                           /* at most                                         */
} gemm_level;

extern const gemm_level gemm_level_128;     /* 4 lanes, baseline               */
#if WEFT_X86
extern const gemm_level gemm_level_128f;    /* 4 lanes with fused multiply-add */
extern const gemm_level gemm_level_256;
extern const gemm_level gemm_level_512;
#endif

extern const strip_level gemm_strips_128;
#if WEFT_X86
extern const strip_level gemm_strips_128f, gemm_strips_256, gemm_strips_512;
#endif

/* Floats between packed panels: without them the same line of all panels falls into one set of
 * the cache. */
enum { GEMM_APART = 16 };

/* Panels of B, one after the other: out[k][vectors*lanes] from k by width columns. A width below
 * vectors*lanes is met by moving the last vector left, or with zeros if there is only one. */
void gemm_pack_b(const gemm_plan *p, float *out, const float *b, int64_t k, int64_t width);

/* Tiles of A, one after the other: out[k][rows of the tile]. */
void gemm_pack_a(const gemm_plan *p, float *out, const float *a, int64_t k, int64_t rows);

/* Vectors of the next panel when width columns are left. */
int gemm_panel(const gemm_plan *p, int64_t width);

/* Rows cut into tiles: the first `larger` tiles have `rows`, later ones `rest`. */
typedef struct gemm_cut {
    int rows, rest;
    int64_t larger;
} gemm_cut;

gemm_cut gemm_cut_rows(const gemm_plan *p, int vectors, int64_t rows);

WEFT_INLINE int gemm_cut_at(const gemm_cut *cut, int64_t tile) {
    return tile < cut->larger ? cut->rows : cut->rest;
}

/* Epilogue of a raw tile (rows by columns, step floats apart) at C(i,j); transposed: tile(r,q) belongs
 * to C(i+q, j+r). */
void gemm_store(const gemm_plan *p, const gemm_data *d, int flags, const float *tile, int64_t step,
                int64_t i, int64_t j, int rows, int columns);

#endif
