/* narrow.h - weights of 16 or 8 bits, read by the product itself.
 *
 * A plan widens stored weights by a step of its own, whose result a product reads: for few rows that
 * is several times the memory the weights have. Where nothing else reads the result and the weights
 * stay as they are meanwhile, the step is left out, and the product widens some columns at a time
 * into its scratch. */
#ifndef WEFT_NARROW_H
#define WEFT_NARROW_H

#include "backend/cpu/few.h"
#include "backend/cpu/gemm.h"
#include "backend/cpu/loops.h"
#include "backend/cpu/tile.h"
#include "plan/plan.h"

/* Elements of the widening's result, row-major (rows, columns), from `source` in the same order:
 * the value, times scale[row * scale_row + column * scale_column] unless scale is NULL. */
typedef struct narrow {
    const char *source;
    const float *scale;
    float factor; /* a constant scale */
    uint8_t dtype;
    int64_t columns, scale_row, scale_column;
    uint32_t from, by; /* buffers of source and scale, or KNOBUF */
} narrow;

/* A product by such weights: units are pieces of so many columns of C. */
typedef struct narrow_product {
    narrow weights;
    const tile_table *tiles;
    gemm_plan part[2]; /* of a piece, and of the last one */
    int64_t n, k, piece, units;
    bool along;          /* of one column of B, the elements lie side by side */
    few_product *few;    /* for few rows: does it without a widened piece; NULL: many, or another type */
    const loops_table *loops;
    gemm_shape s;
    size_t block, bytes; /* of the widened piece; of all scratch */
} narrow_product;

/* of[i] of a step: 0, or for a widening that is left out and its products 1 + the number of its
 * description in *list, which is the caller's to free. */
weft_err narrow_find(const weft_plan *p, uint32_t *of, narrow **list);

void narrow_choose(narrow_product *x, const narrow *w, isa level, const gemm_shape *s);

/* d: of the whole product; b is not read. `band` is told of places in the whole of C. */
void narrow_run(const narrow_product *x, const gemm_data *d, int64_t unit0, int64_t unit1,
                char *scratch);

#endif
