/* loops.h - vector loops that several routines share, once per instruction set.
 *
 * Plain arrays, any length, any alignment. A sum is always made in the same tree for the same
 * length, so bits depend on the instruction set and the length only. */
#ifndef WEFT_LOOPS_H
#define WEFT_LOOPS_H

#include "base/compiler.h"
#include "isa.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct loops_table {
    void (*add)(float *d, const float *a, int64_t n); /* d += a */
    void (*scale)(float *d, float by, int64_t n);     /* d *= by */

    /* last[i] = a[i] last[i] + b[i], and d[i] that as a float; a_step 1, or 0 for the same a */
    void (*recur)(float *d, double *last, const float *a, int64_t a_step, const float *b,
                  int64_t n);

    /* d[i] += sum over j < count of x[j*x_step + i] y[j*y_step + i] */
    void (*gather_dot)(float *d, const float *x, int64_t x_step, const float *y, int64_t y_step,
                       int64_t count, int64_t n);

    /* A window of rows by columns pixels of n channels, `down` and `along` floats apart.
     * window: d[i] = the largest x, or nan; -inf of an empty window.
     * window_grad: dy[i] shared equally among the pixels where x == y[i], added to dx or (not `add`)
     * written there; 0 where mask, if there is one, is not above 0. */
    void (*window)(float *d, const float *x, int64_t down, int64_t along, int64_t rows,
                   int64_t columns, int64_t n);
    void (*window_grad)(float *dx, const float *x, const float *y, const float *dy,
                        const float *mask, int64_t down, int64_t along, int64_t rows,
                        int64_t columns, int64_t n, bool add);

    /* d = d + bias, at least 0 if relu, 0 where mask is not above 0; bias and mask may be NULL */
    void (*finish)(float *d, const float *bias, bool relu, const float *mask, int64_t n);

    /* Softmax. */
    float (*scale_max)(float *d, float by, int64_t n);       /* d *= by; its largest, or nan */
    float (*exp_sum)(float *d, float less, int64_t n);       /* d = exp(d - less); its sum   */
    float (*dot)(const float *a, const float *b, int64_t n); /* sum of a b                   */

    /* p = exp(by p - less); dp = p (dp - mean) by */
    void (*softmax_grad)(float *p, float *dp, float by, float less, float mean, int64_t n);

    /* out[c*out_row + r] = in[r*in_row + c] */
    void (*transpose)(float *out, int64_t out_row, const float *in, int64_t in_row, int64_t rows,
                      int64_t columns);
} loops_table;

const loops_table *loops_of(isa level);

#endif
