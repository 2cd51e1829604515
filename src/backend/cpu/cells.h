/* cells.h - the arithmetic of recurrent cells for one row of one step, and their products for a
 * single row, once per instruction set.
 *
 * Plain arrays of n units, any length, any alignment; gate after gate. recurrence.c walks steps and
 * rows. */
#ifndef WEFT_CELLS_H
#define WEFT_CELLS_H

#include "core/recur.h"
#include "isa.h"

typedef struct cells_step {
    int64_t n;
    const float *a, *u; /* (gates n): what x gives, what h gives                  */
    const float *inner; /* (n): bias of u's last gate; GRU                        */
    float *h, *c;       /* (n): the state before, and then after                  */
    float *kept;        /* (recur_kept n): filled                                 */
} cells_step;

typedef struct cells_back {
    int64_t n;
    const float *kept, *y; /* of this step                                        */
    const float *before;   /* (n): c (LSTM) or h (GRU) before it                  */
    const float *dy;       /* (n)                                                 */
    float *dh, *dc;        /* (n): of the state after; then of the one before, but for u's share */
    float *da, *du;        /* (gates n): gradients of a and u; the same but for GRU */
} cells_back;

typedef struct cells_table {
    void (*forward[WEFT_CELL_COUNT])(const cells_step *s);
    void (*backward[WEFT_CELL_COUNT])(const cells_back *s);

    /* w (rows, n). A matrix larger than the second cache is best walked to and fro: `back` begins
     * with the last rows, some of which the walk before has left there.
     * dots: out[j] = sum over i of w[j][i] x[i]. mix: out[i] += sum over j of x[j] w[j][i], in an
     * order that depends on `back`. */
    void (*dots)(float *out, const float *w, int64_t rows, int64_t n, const float *x, bool back);
    void (*mix)(float *out, const float *w, int64_t rows, int64_t n, const float *x, bool back);
} cells_table;

const cells_table *cells_of(isa level);

#endif
