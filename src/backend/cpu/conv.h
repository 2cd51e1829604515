/* conv.h - what the files of the convolution share: its geometry, and moving pixels to columns.
 *
 * Images are [N, H, W, C], outputs [N, OH, OW, O], weights [KH, KW, C/groups, O]. A convolution is
 * the product of columns (pixels, KH KW C/groups), one row per output pixel, with the weights. */
#ifndef WEFT_CONV_H
#define WEFT_CONV_H

#include "gemm.h"
#include "loops.h"
#include "routines.h"

typedef struct conv_choice {
    const loops_table *v;
    int64_t n, h, w, c, oh, ow, o, kh, kw;
    int64_t stride[2], pad[2], dilation[2], groups;
    int64_t cg, og; /* channels of a group: in, out */
    int64_t depth;  /* kh kw cg: length of a column row */

    /* Choices. Output pixels are counted through all images; a unit makes one or more spans of
     * equal length, a span goes by tiles of which only the last may be shorter. */
    int64_t images;      /* per unit, if a unit is not a part of one */
    int64_t bands, band; /* of an image; dx: rows of the image in each */
    int64_t span, tile;
    int64_t chunk;           /* kernel rows: dx, turned at once; dw, of a unit, 0: less than one */
    int64_t block;           /* dx: columns of a product; dw: rows of a unit */
    int64_t across;          /* dw: columns of a unit */
    size_t column_bytes;     /* scratch of a tile's columns, and of image rows with their border */
    int64_t border;          /* floats from the columns to those rows; 0: none are made */
    size_t weight_bytes;     /* dx: of the turned weights */
    gemm_plan plan[2][2][2]; /* by whether tile, block and across are last, shorter ones */
} conv_choice;

/* Reads the geometry into r->own: x and y are the operands that are, or are shaped like, image and
 * output; w likewise the weights. */
weft_err conv_begin(routine *r, const step *s, int x, int w, int y, isa level, weft_ctx *c,
                    arena *memory);

/* Part of the columns of one group: kernel rows [kh0, kh1), positions [j0, j1) of kw * cg. */
typedef struct conv_part {
    int64_t group, kh0, kh1, j0, j1;
} conv_part;

/* Columns (p1 - p0, part), rows `step` apart, of output pixels [p0, p1): zero outside the image. */
void conv_gather(const conv_choice *v, const float *x, const conv_part *part, int64_t p0,
                 int64_t p1, float *columns, int64_t step);

/* After tile is set: column_bytes for columns of `width` floats, and for image rows with a border
 * where gathering from such rows is faster. */
void conv_room(conv_choice *v, int64_t width);

/* The reverse: adds columns to image rows [h0, h1). */
void conv_scatter(const conv_choice *v, float *x, const conv_part *part, int64_t p0, int64_t p1,
                  const float *columns, int64_t step, int64_t h0, int64_t h1);

/* A product, and room for it in r->scratch. */
void conv_choose(routine *r, gemm_plan *p, isa level, const gemm_shape *s);

/* Tiles of about `pixels` that divide a span evenly: sets tile; returns the length of the last. */
int64_t conv_tile(conv_choice *v, int64_t span, int64_t pixels);

/* A 1x1 convolution with nothing else is one matrix product. */
bool conv_plain(const conv_choice *v);
weft_err conv_plain_prepare(routine *r, const gemm_shape *s, int a, int b, isa level);

/* One channel in, one out, per group: lanes over channels (conv_depth.c). */
bool conv_depthwise(const conv_choice *v);
void conv_depth_prepare(routine *r), conv_depth_dx_prepare(routine *r),
    conv_depth_dw_prepare(routine *r);

#endif
