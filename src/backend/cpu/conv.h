/* conv.h - what the files of the convolution share: its geometry, and the ways it can be computed.
 *
 * Images are [N, H, W, C], outputs [N, OH, OW, O], weights [KH, KW, C/groups, O]. conv.c chooses a
 * way for each of the three blocks; every other file is one way or what two of them share. */
#ifndef WEFT_CONV_H
#define WEFT_CONV_H

#include "gemm.h"
#include "loops.h"
#include "routines.h"
#include "strip.h"

/* For a gradient in x that is computed as a convolution, the two images have changed places, and
 * padding may be negative: that much of the image's border is not looked at. */
typedef struct conv_shape {
    int64_t n, h, w, c, oh, ow, o, kh, kw;
    int64_t stride[2], pad[2], dilation[2], groups;
    int64_t cg, og; /* channels of a group: in, out */
    int64_t depth;  /* kh kw cg: products in an element of the output */
} conv_shape;

/* x and y are the operands that are, or are shaped like, image and output; w likewise the weights. */
conv_shape conv_shape_of(const step *s, int x, int w, int y);

/* ---- ways; each has its own choices in r->own ---- */

/* 1x1: one matrix product of operands a and b. */
weft_err conv_plain_prepare(routine *r, const gemm_shape *m, int a, int b, isa level, weft_ctx *c,
                            arena *memory);

/* Strips over the image itself (conv_direct.c, conv_dw.c); flipped: the gradient in x. */
weft_err conv_direct_prepare(routine *r, const conv_shape *s, bool flipped, isa level, weft_ctx *c,
                             arena *memory);
weft_err conv_strips_dw_prepare(routine *r, const conv_shape *s, isa level, weft_ctx *c,
                                arena *memory);

/* Dot products along the window, for few output channels (conv_few.c). */
bool conv_few_fits(const conv_shape *s, isa level);
weft_err conv_few_prepare(routine *r, const conv_shape *s, bool flipped, isa level, weft_ctx *c,
                          arena *memory);

/* 3x3 without strides, dilation and groups by Winograd's transforms (conv_winograd.c). */
weft_err conv_winograd_prepare(routine *r, const conv_shape *s, bool flipped, isa level, weft_ctx *c,
                               arena *memory);

weft_err conv_winograd_dw_prepare(routine *r, const conv_shape *s, isa level, weft_ctx *c,
                                  arena *memory);

/* A product, then adding its columns to the image: the gradient in x with strides. */
weft_err conv_spread_prepare(routine *r, const conv_shape *s, isa level, weft_ctx *c,
                             arena *memory);

/* One channel in, one out, per group: lanes over channels (conv_depth.c). */
weft_err conv_depth_prepare(routine *r, const conv_shape *s, int block, isa level, weft_ctx *c,
                            arena *memory);

/* ---- shared ---- */

/* Scratch for operands of 16 bits: weights are widened once a call, images when they are come to.
 * conv_wide_room adds it to the scratch of a routine that needs no more. */
typedef struct conv_wide {
    size_t weights, image, end; /* where each begins */
} conv_wide;

conv_wide conv_wide_room(routine *r, int weights, int image, int64_t elements);
const float *conv_weights(const routine *r, const conv_wide *v, int operand, char *const *at,
                          char *scratch);
/* `elements` of the image operand from image * elements on */
const float *conv_image(const routine *r, const conv_wide *v, int operand, char *const *at,
                        int64_t image, int64_t elements, char *scratch);

/* Rows of an image with a border of zeros, so that every window lies wholly inside. The first row is
 * where the window of some output row begins. */
typedef struct conv_frame {
    bool copied; /* without padding the image itself will do */
    int64_t row; /* floats between its rows */
} conv_frame;

conv_frame conv_frame_of(const conv_shape *s);
int64_t conv_frame_rows(const conv_shape *s, int64_t output_rows); /* that they look at */

/* Output rows of `most` whose frame takes some bytes at most, at least one. */
int64_t conv_frame_fit(const conv_shape *s, const conv_frame *f, int64_t most, size_t bytes);
size_t conv_frame_bytes(const conv_shape *s, const conv_frame *f, int64_t output_rows);

/* Where the frame of output row oh0 begins; room for it, filled by conv_frame_fill. */
const float *conv_frame_at(const conv_shape *s, const conv_frame *f, const float *image,
                           int64_t oh0, const float *room);

/* Its rows [*filled, rows): as late as possible, while they come near anyway. */
void conv_frame_fill(const conv_shape *s, const conv_frame *f, const float *image, int64_t oh0,
                     int64_t *filled, int64_t rows, float *room);

#endif
