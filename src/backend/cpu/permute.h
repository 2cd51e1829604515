/* permute.h - kernels that only copy, from one order of axes to another. */
#ifndef WEFT_PERMUTE_H
#define WEFT_PERMUTE_H

#include "loops.h"
#include "plan/plan.h"

/* Two loop dimensions, one contiguous in the source and one in the result, are exchanged in blocks;
 * the others are gone through one by one. */
typedef struct permutation {
    const loops_table *loops;
    const float *from;
    float *to;
    int dims; /* others, outermost first */
    int64_t dim[KDIMS], from_stride[KDIMS], to_stride[KDIMS];
    int64_t rows, from_row;  /* contiguous in the result */
    int64_t columns, to_row; /* contiguous in the source */
    int64_t chunk, chunks;   /* columns of a unit */
} permutation;

/* Is k such a copy? Then fills t; buffers have their addresses. */
bool permute_match(permutation *t, const weft_plan *p, const kernel *k, isa level);
int64_t permute_units(const permutation *t);
void permute_run(const permutation *t, int64_t unit0, int64_t unit1);

#endif
