/* loader_world.h - what the tests of loaders share: a context, pictures, and a batch. */
#ifndef WEFT_TEST_LOADER_WORLD_H
#define WEFT_TEST_LOADER_WORLD_H

#include "data_world.h"

static inline weft_ctx *ctx(void) {
    static weft_ctx *c;
    if (!c) c = weft_open_with(&(weft_open_desc){.threads = 1});
    return c;
}

static inline weft_loader *loader(const weft_loader_desc *d) {
    weft_loader *l = weft_loader_new(ctx(), d);
    if (!CHECK(l != NULL)) printf("     %s\n", weft_error(ctx()));
    return l;
}

static inline const int32_t *batch_of(weft_loader *l, int64_t step) {
    const void *field[4];
    CHECK_EQ(weft_loader_at(l, step, field), WEFT_OK);
    return field[0];
}

enum { H = 6, W = 5, PIXELS = H * W };

static inline weft_data *pictures(int64_t rows, int channels, weft_dtype t) {
    static unsigned char bytes[64 * 3 * PIXELS];
    static float floats[64 * 3 * PIXELS];
    static uint8_t label[64];
    const int64_t each = (int64_t)channels * PIXELS;
    for (int64_t i = 0; i < rows * each; i++) {
        bytes[i] = (unsigned char)(1 + (i * 37 + i / each * 11) % 255);
        floats[i] = (float)bytes[i] / 7;
    }
    for (int64_t i = 0; i < rows; i++) label[i] = (uint8_t)(i % 10);
    const weft_shape dims = channels > 1 ? weft_dims(channels, H, W) : weft_dims(H, W);
    return weft_data_memory(
        ctx(),
        (weft_field[]){
            {.name = "x", .dtype = t, .dims = dims, .rows = t == WEFT_F32 ? (void *)floats : bytes},
            {.name = "y", .dtype = WEFT_U8, .rows = label, .classes = 10}},
        2, rows, true);
}

#endif
