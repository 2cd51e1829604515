/* traits.h - properties of a device that recording and compiling depend on: how much one kernel
 * may do, what is not worth storing, how long sums are split. Its questions about single steps are
 * in backend.h. Plans, and with them the bits of results, depend on these numbers and not on threads. */
#ifndef WEFT_TRAITS_H
#define WEFT_TRAITS_H

#include "core/limits.h"

#include <stdbool.h>
#include <stdint.h>

/* What multiplies its operands or picks from them: a matrix product, and blocks by their column of
 * blocks.def. */
typedef enum product_kind {
    PRODUCT_NONE, PRODUCT_MATRIX, PRODUCT_CONV, PRODUCT_ATTENTION, PRODUCT_POOL, PRODUCT_KINDS
} product_kind;

typedef struct device_traits {
    /* A kernel: operations, tensors that it reads from elsewhere, and views of them. Beyond them a
     * CPU's tiles leave the first cache, and a GPU's threads run out of registers. Views are at most
     * LIMIT_VIEWS. */
    uint16_t kernel_nodes, kernel_loads, kernel_views;

    /* A value that each reader makes again brings at most so many operands to each, up to LIMIT_INLINE. */
    uint16_t inline_operands;

    /* A value is computed again rather than stored if its operation costs at most so much (the column
     * of ops.def), and if it has at least so many elements. */
    uint16_t recompute_cost;
    int64_t  recompute_least;

    /* Sums over all of a tensor (squares), and over cells (the gradient of a gate program), are made
     * in pieces that may run side by side: at most so many, none shorter than so many elements. */
    int64_t  sum_pieces, sum_least;
    int64_t  cell_pieces, cell_least;

    /* Types that operands of each kind of product may have besides f32: bits 1 << WEFT_BF16, ... */
    uint32_t product_types[PRODUCT_KINDS];
} device_traits;

enum { TRAITS_VIEWS = LIMIT_VIEWS };

#endif
