/* conv_winograd.h - what the two files of convolution by Winograd's transforms share: where tiles
 * lie, and their patches of the image.
 *
 * The transforms are those of a 3x3 kernel. A larger one is cut into parts of 3x3, with zeros where
 * it ends: what the parts give is added up, as if they were more channels. */
#ifndef WEFT_CONV_WINOGRAD_H
#define WEFT_CONV_WINOGRAD_H

#include "conv.h"
#include "winograd.h"

/* Tiles are 2x2 pixels of the output, counted through all images. */
typedef struct winograd_image {
    int64_t down, across, tiles; /* rows and columns of tiles in an image, and all of them */
    int64_t parts, part_columns; /* of the kernel */
} winograd_image;

typedef struct winograd_tile {
    int64_t image, row, column; /* row and column of tiles */
} winograd_tile;

/* Floats from one of 16 planes to the next: power-of-two sizes would all meet in one set of the
 * cache (16x16x64 to 128: 4.1 -> 3.6 ms forward, Zen 3). */
WEFT_INLINE int64_t winograd_plane(int64_t n) {
    return n + 16;
}

winograd_image winograd_image_of(const conv_shape *s);
winograd_tile winograd_tile_of(const winograd_image *m, int64_t tile);

/* The transformed patches of a tile, one for each part of the kernel, n channels of x: zeros outside
 * the image; room for 16 n floats. */
void winograd_patch(const winograd_image *m, const conv_shape *s, const winograd_table *t,
                    const float *x, winograd_tile p, float *to, int64_t plane, int64_t n,
                    float *room);

/* The place in the kernel of element i of a part's 3x3, or -1. */
int64_t winograd_place(const winograd_image *m, const conv_shape *s, int64_t part, int64_t i);

#endif
