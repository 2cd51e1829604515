/* half_product.h - matrix products whose operands or results have 16 bits.
 *
 * Blocks of the operands are widened into scratch that stays in the second cache, and meet there in
 * f32; sums are f32. A result of 16 bits is rounded once, behind bias, relu and mask. */
#ifndef WEFT_HALF_PRODUCT_H
#define WEFT_HALF_PRODUCT_H

#include "backend/cpu/gemm.h"
#include "backend/cpu/narrow.h"
#include "backend/cpu/pairs.h"
#include "backend/cpu/tile.h"

/* Types of memory: WEFT_F32, WEFT_BF16 or WEFT_F16. */
typedef struct half_types {
    uint8_t a, b, c, mask;
} half_types;

typedef struct half_data {
    gemm_data f32;        /* bias, relu, mask_row and the band; the operands that are f32           */
    const char *a, *b;
    char *c;
    const char *mask;     /* or NULL */
} half_data;

typedef struct half_product {
    gemm_shape s;
    half_types type;
    const tile_table *tiles;
    int64_t rows, columns, depth;        /* of a block, but for the last ones                       */
    int64_t row_blocks, column_blocks, depth_blocks, units;
    gemm_plan part[2][2][2];             /* [last rows][last columns][last depth]                   */
    bool by_pairs;                       /* by the machine's own instruction, nothing is widened    */
    pairs_plan pairs;
    narrow_product *few;                 /* few rows by 16-bit B: columns at a time; or NULL        */
    size_t a_at, b_at, c_at, mask_at, gemm_at, bytes;      /* scratch                               */
} half_product;

/* `few`: room for the description of a product of few rows, used where it pays. pairs: bf16 may meet
 * as bf16 (isa_pairs). */
void half_choose(half_product *x, narrow_product *few, isa level, bool pairs, const gemm_shape *s,
                 half_types type);
void half_run(const half_product *x, const half_data *d, int64_t unit0, int64_t unit1,
              char *scratch);

#endif
