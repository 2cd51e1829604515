/* pairs.h - products of bf16 operands by the processor's own instruction (AVX-512 BF16).
 *
 * It multiplies two neighbours along k at once and adds both to an f32 sum: twice the rate of f32. Its
 * sums are not those of the widening way: denormal operands count as 0, and the two products of a pair
 * are rounded one after the other, the second first. What is rounded where is the same. */
#ifndef WEFT_PAIRS_H
#define WEFT_PAIRS_H

#include "backend/cpu/gemm.h"

#include <stdbool.h>

/* Operands are bf16; c and mask as their types say: f32, bf16 or f16. */
typedef struct pairs_data {
    const char *a, *b;
    char *c;
    const float *old;       /* a sum to be added to, as C lies; NULL: none */
    const float *bias;      /* n values, or NULL */
    const char *mask;       /* 0 unless mask[i*mask_row + j] > 0, or NULL */
    int64_t mask_row;
    uint8_t c_type, mask_type;
    bool relu;
    void (*band)(void *user, int64_t i0, int64_t i1, int64_t j0, int64_t j1);   /* or NULL */
    void *user;
} pairs_data;

/* How B is met: packed; or by few rows as it lies, along its rows or along k. */
typedef enum pairs_way { PAIRS_PACKED, PAIRS_STREAM, PAIRS_DOTS } pairs_way;

typedef struct pairs_plan {
    gemm_shape s;           /* as the tiles see it: of C transposed, if so */
    bool transposed;
    bool pack_a;            /* its rows do not lie as pairs */
    pairs_way way;
    int64_t rows, columns, depth;                           /* of a block */
    int64_t row_blocks, column_blocks, depth_blocks, units; /* a unit: a block of C, all of k */
    size_t a_at, sums_at, bytes;                            /* scratch of a thread */
} pairs_plan;

/* For a machine that has the instruction (isa_pairs). False: a shape that is left to others. */
bool pairs_choose(pairs_plan *p, const gemm_shape *s);
void pairs_run(const pairs_plan *p, const pairs_data *d, int64_t unit0, int64_t unit1,
               char *scratch);

#endif
