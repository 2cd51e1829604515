/* routines.h - the CPU's fixed routines: everything but matrix products and row programs.
 *
 * A routine is prepared once from a step (shapes, strides, attributes) and then run any number of
 * times, whole or in units that threads may share. A unit's shape and the order of its sums come
 * from the step alone, so results have the same bits however units are split. Running allocates
 * nothing.
 *
 * A step's `attr` are those of graph.h and blocks.def; for a block they begin after the number of
 * the block, which is in step.block: attr[0] of conv is the vertical stride. A floating attribute
 * is the low 32 bits. Only adam, momentum, scatter_add and
 * slice_write may write where an input lies (each result over the input of its name).
 *
 * One file per family: scan.c, scatter.c, sort.c, conv.c (with conv_*.c, one for each way), pool.c, attention.c, recurrence.c (with cells.c), optimiser.c, write.c. loops.h has the vector
 * loops they share. */
#ifndef WEFT_ROUTINES_H
#define WEFT_ROUTINES_H

#include "epilogue.h"
#include "gemm.h"
#include "interp.h"
#include "isa.h"
#include "plan/plan.h"
#include "tile.h"

/* Rows and columns `area` of a matrix with so many columns; the first of them at c. */
typedef struct routine_result {
    float *c;
    int64_t c_row, columns;
    gemm_area area;
} routine_result;

typedef struct routine routine;
struct routine {
    int64_t units;  /* pieces that may be given to threads, each independent of the others */
    int64_t rows;   /* of axis 0 per unit, or 0; see below */
    size_t scratch; /* bytes per thread, 64-byte aligned */
    const step *s;
    const struct loops_table *loops;
    const tile_table *tiles;
    void *own; /* the routine's own choices, from `memory` */

    /* The epilogue of a block that takes one (routine_takes_maps): rows are all axes of the result
     * but the last. */
    const gemm_data *after; /* bias, relu and mask, or NULL */
    epilogue_half half;     /* behind them: a mask of 16 bits, a result that is rounded */
    float *y;               /* the result that they begin with */
    interp *rest;           /* what remains, or NULL; its scratch lies behind the routine's own */

    /* Of scatter_add and update rules: does its work for a part of a product's result that is near,
     * and nowhere else (plan/passing.c). NULL: it cannot. */
    void (*part)(const routine *r, char *const *at, const routine_result *part);

    /* at[i]: where element `off` of s->in[i] lies. */
    void (*run)(const routine *r, char *const *at, int64_t unit0, int64_t unit1, void *scratch);
};

/* If rows is not 0, unit u reads and writes only rows [u*rows, (u+1)*rows) of axis 0 of every
 * operand whose dim[0] is units*rows; an operand read whole has another dim[0]. */
weft_err routine_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory);

/* Whether operand i may have the strides it has; if not, a contiguous copy will do.
 *   a product            unit stride along rows or columns, and neither 0
 *   linrec, argsort      any strides
 *   scatter_add          base contiguous, index and src any; of whole rows (one axis more than base,
 *                        or attr[1]): the index the same within a row, src contiguous there
 *   attention and grad   every operand with unit stride along its last axis, mask and lse any; axes
 *                        before the last two are batches and need not be joined
 *   recur and its grad   gates and dy with unit stride along the last axis
 *   the other blocks     contiguous
 * and results, operands from s->nin on:
 *   argsort              any strides
 *   linrec               unit stride along the last axis, or any where that is scanned
 *   matmul, attention's y, dq, dk and dv   unit stride along the last axis
 *   the others           contiguous */
bool routine_accepts(const step *s, int operand);

/* May result i be NULL if it is unused? If not, memory is needed for it. */
bool routine_spares(const step *s, int operand);

/* Whether a block is computed here; false: its composed definition is used. */
bool routine_has_block(const weft_graph *g, const node *n);

/* Whether maps over the result of a product or a block may follow as its epilogue, while the result is
 * in cache. */
bool routine_takes_maps(const step *s);

/* Whether a product may be added to what lies in its result. */
bool routine_adds(const step *s);

/* ---- for the families ---- */

/* Columns of blocks.def and of the routines of ops.def. */
typedef weft_err routine_maker(routine *r, const step *s, isa level, weft_ctx *c, arena *memory);
typedef bool routine_strides(const step *s, int operand); /* may it lie as it does? */
typedef enum routine_takes { TAKES_REALS, TAKES_HALVES, TAKES_LENGTHS, TAKES_ANY } routine_takes;
typedef enum routine_results { RESULTS_ALL, RESULTS_ASKED } routine_results;
#define BLOCK(name, operands, attributes, parts, lies, moving, image, product, definition, gradient,  \
              work,               text, routine, strides, takes, results)                                                       \
    routine_maker routine;                                                                         \
    routine_strides strides;
#include "core/blocks.def"
#define OP_ROUTINE(name, operands, step, lies, gradient, reference, work, text, routine, strides)  \
    routine_maker routine;                                                                         \
    routine_strides strides;
#include "core/ops.def"

/* Rows [i0, i1) and columns [j0, j1) of the result are there, bias, relu and mask of `after` included. */
void routine_rectangle(const routine *r, int64_t i0, int64_t i1, int64_t j0, int64_t j1,
                       void *scratch);
/* The same of rows [row0, row1). */
void routine_done(const routine *r, int64_t row0, int64_t row1, void *scratch);

/* The same for a routine that leaves all of the epilogue to others; c is the result. */
void routine_finish(const routine *r, float *c, int64_t row0, int64_t row1, void *scratch);

weft_err routine_own(routine *r, size_t bytes, weft_ctx *c, arena *memory); /* r->own, zeroed */
/* n elements of operand i from `first` on, in f32: where they lie, or widened into room (n). */
const float *routine_wide(const routine *r, int i, const char *at, int64_t first, int64_t n,
                          float *room);
size_t routine_room(const roperand *o, int64_t n);  /* bytes of it: none for f32 */
int64_t routine_count(const roperand *o);                                   /* elements */
bool routine_contiguous(const roperand *o);

/* Element of line `i`, counting all axes but `axis` (-1: all axes) with the last fastest. */
int64_t routine_line(const roperand *o, int axis, int64_t i);

WEFT_INLINE float routine_real(int64_t attr) {
    return float_of((uint32_t)attr);
}
WEFT_INLINE int64_t routine_parts(int64_t n, int64_t size) {
    return (n + size - 1) / size;
}

/* Bytes of scratch are handed out in pieces of 64. */
WEFT_INLINE size_t routine_round(size_t bytes) {
    return (bytes + 63) & ~(size_t)63;
}

#endif
