/* gemm.h - the matrix product of the CPU backend: C (+)= A B in f32, with its epilogue.
 *
 * A product is planned once from its shape (gemm_choose) and run any number of times, whole or in
 * pieces called units that threads may share; each unit is a rectangle of C (gemm_unit), all of k.
 * Splitting never changes bits: the path and the order along k depend on the whole shape only.
 * No allocation, no locks, no state. */
#ifndef WEFT_GEMM_H
#define WEFT_GEMM_H

#include "isa.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A(i,k) = a[i*a_row + k*a_col], B(k,j) = b[k*b_row + j*b_col], C(i,j) = c[i*c_row + j].
 * Any strides, also 0 and negative, for A and B; fast when one stride of each is 1. */
typedef struct gemm_shape {
    int64_t m, n, k, a_row, a_col, b_row, b_col, c_row;
} gemm_shape;

/* Per element: product, + old C if accumulate, + bias[j], relu, 0 unless mask(i,j) > 0; then band
 * once for each finished rectangle of C, while it is in cache. Relu gives 0 where x <= 0, so NaN
 * stays. C must not overlap the operands, the bias or the mask. */
typedef struct gemm_data {
    const float *a, *b;
    const float *packed;    /* what gemm_pack made of B: b is not read, or NULL */
    float *c;
    const float *bias;      /* n values, or NULL                               */
    const float *mask;      /* mask[i*mask_row + j], or NULL                   */
    int64_t mask_row;
    int relu, accumulate;
    void (*band)(void *user, int64_t i0, int64_t i1, int64_t j0, int64_t j1);   /* or NULL */
    void *user;
} gemm_data;

typedef struct gemm_plan {
    int64_t units;          /* pieces that may be run apart, in any order      */
    size_t scratch;         /* bytes for each running thread, 64-byte aligned  */
    size_t packed;          /* bytes of B packed beforehand                    */
    size_t part;            /* bytes of a part of C, where C is not kept; else 0 */

    /* The rest is private: the product as the kernels see it. Vectors lie along its columns; it is
     * C, or C transposed when transposed. Units are numbered down its columns. */
    const struct gemm_level *level;
    gemm_shape s;
    int transposed, dots, pack_a, pack_b;
    int stream;             /* B is large, read in place and asked for early  */
    int deep;               /* A is large, read in place along k and asked for early */
    int nv;                 /* vectors in a column panel                       */
    int64_t k_block, row_block;
    int64_t row_units, col_units, unit_rows, unit_cols;
    size_t a_bytes;         /* scratch: packed A, then packed B                */
    size_t b_block;         /* floats of B packed, per block of k              */
} gemm_plan;

/* For a C that nobody keeps: each finished part of it lies at d->c (p->part bytes, rows s.c_row
 * floats apart), is the band's, and makes room for the next. No bias, relu or mask.
 * False: not this product. */
bool gemm_choose_passing(gemm_plan *p, isa level, const gemm_shape *s);

typedef struct gemm_area {
    int64_t i0, i1, j0, j1;
} gemm_area;

void gemm_choose(gemm_plan *p, isa level, const gemm_shape *s);
gemm_area gemm_unit(const gemm_plan *p, int64_t unit);      /* which part of C a unit computes */

/* For a B that serves many products: units are bands of unit_rows rows of C; every run takes B as
 * gemm_pack has packed it (p->packed bytes, 64-byte aligned). */
void gemm_choose_packed(gemm_plan *p, isa level, const gemm_shape *s, int64_t unit_rows);
void gemm_pack(const gemm_plan *p, float *out, const float *b);

/* Units [unit0, unit1); scratch of p->scratch bytes belongs to this call alone. */
void gemm_run(const gemm_plan *p, const gemm_data *d, int64_t unit0, int64_t unit1, void *scratch);

#endif
