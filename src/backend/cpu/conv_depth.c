/* conv_depth.c - depthwise convolution and its gradients: each channel on its own, lanes over
 * channels.
 *
 * Forward and dw sum along a row of the kernel or of the output in registers; dx goes through the
 * output pixels of an image and adds to the pixels they came from. */
#include "conv.h"

typedef struct depth_choice {
    conv_shape s;
    const loops_table *loops;
    int64_t band; /* forward: output rows of a unit */
    conv_wide wide;
    size_t row; /* of dy, for the gradient of weights */
} depth_choice;

/* Positions a with 0 <= start + a * step < extent, a in [0, count): [*a0, *a1). */
static void conv_inside(int64_t start, int64_t step, int64_t extent, int64_t count, int64_t *a0,
                        int64_t *a1) {
    *a0 = start >= 0 ? 0 : min_i64(routine_parts(-start, step), count);
    *a1 = start >= extent ? *a0 : max_i64(*a0, min_i64(count, routine_parts(extent - start, step)));
}

/* Unit: an output row. */
static void conv_depth_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                           void *scratch) {
    const depth_choice *o = r->own;
    const conv_shape *v = &o->s;
    const float *w = conv_weights(r, &o->wide, 1, at, scratch), *x = NULL;
    const int64_t c = v->c;
    for (int64_t row = unit0 * o->band; row < unit1 * o->band; row++) {
        if (!x || row % v->oh == 0)
            x = conv_image(r, &o->wide, 0, at, row / v->oh, v->h * v->w * c, scratch);
        float *y = (float *)at[2] + row * v->ow * c;
        memset(y, 0, (size_t)(v->ow * c) * sizeof *y);
        for (int64_t ow = 0; ow < v->ow; ow++, y += c) {
            const int64_t left = ow * v->stride[1] - v->pad[1];
            int64_t a, b;
            conv_inside(left, v->dilation[1], v->w, v->kw, &a, &b);
            for (int64_t kh = 0; kh < v->kh; kh++) {
                const int64_t ih = row % v->oh * v->stride[0] - v->pad[0] + kh * v->dilation[0];
                if (ih < 0 || ih >= v->h) continue;
                o->loops->gather_dot(y, x + (ih * v->w + left + a * v->dilation[1]) * c,
                                     v->dilation[1] * c, w + (kh * v->kw + a) * c, c, b - a, c);
            }
        }
        routine_finish(r, (float *)at[2], row * v->ow, (row + 1) * v->ow, scratch);
    }
}

/* Unit: an image. */
static void conv_depth_dx_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                              void *scratch) {
    const depth_choice *o = r->own;
    const conv_shape *v = &o->s;
    const float *w = conv_weights(r, &o->wide, 1, at, scratch);
    const int64_t c = v->c, pixels = v->oh * v->ow, size = v->h * v->w * c;
    for (int64_t image = unit0; image < unit1; image++) {
        float *dx = (float *)at[2] + image * size;
        memset(dx, 0, (size_t)size * sizeof *dx);
        const float *dy = conv_image(r, &o->wide, 0, at, image, pixels * c, scratch);
        for (int64_t p = 0; p < pixels; p++, dy += c) {
            const int64_t top = p / v->ow * v->stride[0] - v->pad[0];
            const int64_t left = p % v->ow * v->stride[1] - v->pad[1];
            for (int64_t kh = 0; kh < v->kh; kh++) {
                const int64_t ih = top + kh * v->dilation[0];
                if (ih < 0 || ih >= v->h) continue;
                for (int64_t kw = 0; kw < v->kw; kw++) {
                    const int64_t iw = left + kw * v->dilation[1];
                    if (iw < 0 || iw >= v->w) continue;
                    o->loops->gather_dot(dx + (ih * v->w + iw) * c, dy, 0,
                                         w + (kh * v->kw + kw) * c, 0, 1, c);
                }
            }
        }
        routine_finish(r, (float *)at[2], image * v->h * v->w, (image + 1) * v->h * v->w, scratch);
    }
}

/* Unit: a position of the kernel. */
static void conv_depth_dw_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                              void *scratch) {
    const depth_choice *o = r->own;
    const conv_shape *v = &o->s;
    float *room = (float *)(void *)((char *)scratch + o->row);
    const int64_t c = v->c;
    for (int64_t u = unit0; u < unit1; u++) {
        float *dw = (float *)at[2] + u * c;
        memset(dw, 0, (size_t)c * sizeof *dw);
        const int64_t left = u % v->kw * v->dilation[1] - v->pad[1];
        int64_t a, b;
        conv_inside(left, v->stride[1], v->w, v->ow, &a, &b);
        for (int64_t row = 0; row < v->n * v->oh; row++) {
            const int64_t ih = row % v->oh * v->stride[0] - v->pad[0] + u / v->kw * v->dilation[0];
            if (ih < 0 || ih >= v->h) continue;
            const float *x =
                conv_image(r, &o->wide, 0, at, row / v->oh * v->h + ih, v->w * c, scratch);
            const float *dy = routine_wide(r, 1, at[1], row * v->ow * c, v->ow * c, room);
            o->loops->gather_dot(dw, x + (left + a * v->stride[1]) * c, v->stride[1] * c,
                                 dy + a * c, c, b - a, c);
        }
    }
}

weft_err conv_depth_prepare(routine *r, const conv_shape *s, int block, isa level, weft_ctx *c,
                            arena *memory) {
    WEFT_TRY(routine_own(r, sizeof(depth_choice), c, memory));
    depth_choice *o = r->own;
    o->s = *s;
    o->loops = loops_of(level);
    const bool rows = s->kh != s->n; /* the weights' first axis may by chance be the batch's */
    if (block == BLOCK_conv) {
        const bool whole = s->n >= 8;
        r->run = conv_depth_run;
        o->band = whole ? s->oh : 1;
        r->units = whole ? s->n : s->n * s->oh;
        r->rows = whole && rows ? 1 : 0;
    } else if (block == BLOCK_conv_dx) {
        r->run = conv_depth_dx_run;
        r->units = s->n;
        r->rows = rows ? 1 : 0;
    } else {
        r->run = conv_depth_dw_run;
        r->units = s->kh * s->kw;
        o->wide = conv_wide_room(r, -1, 0, s->w * s->c);
        o->row = r->scratch;
        r->scratch += routine_room(&r->s->in[1], s->ow * s->c);
        return WEFT_OK;
    }
    o->wide =
        conv_wide_room(r, 1, 0, block == BLOCK_conv ? s->h * s->w * s->c : s->oh * s->ow * s->c);
    return WEFT_OK;
}
