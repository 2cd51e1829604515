/* winograd.h - the transforms that make a 3x3 convolution of 2x2 outputs 16 products instead of 36.
 *
 * With B, G and A the constants of Winograd's F(2x2, 3x3), Y = A' [(G w G') * (B' x B)] A, where x
 * is a patch of 4x4 pixels, w the 3x3 weights, Y 2x2 pixels and * element by element. Summed over
 * channels, * becomes 16 matrix products. The gradient in w is G' [(A dY A') * (B' x B)] G. All
 * factors are 0, 1 and 1/2, so little is lost in rounding.
 *
 * Lanes run over channels. A value of 16 lies in 16 planes, `plane` floats apart. */
#ifndef WEFT_WINOGRAD_H
#define WEFT_WINOGRAD_H

#include "isa.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct winograd_table {
    /* v = B' x B for n channels: pixels of x are `down` and `along` floats apart. */
    void (*image)(float *v, int64_t plane, const float *x, int64_t down, int64_t along, int64_t n);

    /* v = A dY A'. */
    void (*output)(float *v, int64_t plane, const float *dy, int64_t down, int64_t along,
                   int64_t n);

    /* v = G w G', w[i] being n channels of one of the nine places. */
    void (*weights)(float *v, int64_t plane, const float *const *w, int64_t n);

    /* y = A' m A: 2x2 pixels, then bias, relu and mask as in gemm_data; mask like y. */
    void (*result)(float *y, int64_t down, int64_t along, const float *m, int64_t plane, int64_t n,
                   const float *bias, bool relu, const float *mask);

    /* w = G' m G, likewise. */
    void (*gradient)(float *const *w, const float *m, int64_t plane, int64_t n);
} winograd_table;

const winograd_table *winograd_of(isa level);

#endif
