/* batch.h - how a batch is made of a set: prepared once, then a pure function of the step.
 *
 * A maker is constant once it is there, and making writes only where it is told to, so that several
 * threads may make batches at the same time. */
#ifndef WEFT_DATA_BATCH_H
#define WEFT_DATA_BATCH_H

#include "data/set.h"
#include "data/shuffle.h"

typedef enum batch_how {
    BATCH_COPY,
    BATCH_WIDEN, /* bytes to i32                                    */
    BATCH_DOUBLE, /* 16 bits to i32                                 */
    BATCH_BYTES, /* bytes to f32, by a table per channel            */
    BATCH_FLOATS /* f32, normalised                                 */
} batch_how;

/* Where pixels lie, in elements from one to the next. */
typedef struct batch_layout {
    int64_t height, width, channel_step, row_step, column_step;
} batch_layout;

typedef struct batch_field {
    weft_field from;
    batch_how how;
    weft_dtype dtype;
    weft_shape dims; /* of one example in the batch              */
    int64_t count;   /* elements of it                           */
    size_t bytes;    /* of it                                    */
    size_t offset;   /* of the field in a batch's memory         */
    bool picture;    /* shifted, flipped, transposed             */
    int64_t channels;
    data_channels plain; /* for a field that is not moved            */
    batch_layout in, out;
    float *table;            /* BYTES: [channels, 256]                   */
    float *mean, *std; /* FLOATS: [channels]                   */
} batch_field;

typedef struct batch_maker {
    weft_ctx *ctx;
    weft_loader_desc desc; /* pointers in it are not used after the start */
    int64_t rows, batch, steps;
    size_t count; /* of fields                                */
    batch_field *field;
    size_t bytes; /* of a batch                               */
} batch_maker;

enum { BATCH_ALIGN = 64 };

weft_err batch_start(batch_maker *m, weft_ctx *c, const weft_loader_desc *d);
void batch_end(batch_maker *m);

/* memory: m->bytes, on a boundary of BATCH_ALIGN. */
void batch_make(const batch_maker *m, int64_t step, char *memory);

/* The row that is example i of the batch; batch_make's own choice. */
int64_t batch_row(const batch_maker *m, int64_t step, int64_t i);

#endif
