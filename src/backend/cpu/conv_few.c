/* conv_few.c - convolution to a few channels, and the gradient in an image of few: dot products
 * along the window.
 *
 * Operands image, weights -> result. Vectors along so few columns would be mostly empty; along a
 * window's rows they are full. In a large image, windows inside are read where they lie and those
 * that reach over its border are copied with zeros; a small one is framed as a whole. A unit is an
 * image, or a band of output rows of one. */
#include "conv.h"

#include "gemm_parts.h"

#include <assert.h>

enum {
    FEW_DEPTH = 64,         /* a shorter window is not worth the sums across lanes */
    FEW_UNIT_IMAGES = 16,   /* from so many on, a unit is an image */
    FEW_UNITS = 32,         /* else there are about so many */
    FEW_BORDER = 16,        /* at most one window in so many is copied, else rows are framed */
    FEW_PIXELS = 512,       /* done together where rows are framed, unless one is longer */
    FEW_FRAME = 1024 * 1024 /* bytes of framed rows, unless one needs more */
};

typedef struct few {
    conv_shape s;
    const strip_level *level;
    bool flipped;
    bool framed;
    conv_frame frame;
    int64_t bands, band;   /* of an image; output rows in each */
    int64_t rows;          /* output rows framed together */
    int64_t inside[2][2];  /* output rows and columns whose windows lie inside: from, to */
    int64_t runs, run;     /* of a window: its rows, and their length */
    int64_t *off, *packed; /* bytes to each of them, in the image and in a copy */
    size_t weight_bytes, window_bytes, row_bytes, frame_bytes;
    conv_wide wide;
} few;

bool conv_few_fits(const conv_shape *s, isa level) {
    return s->o <= STRIP_MAX_DOTS && s->groups == 1 && s->depth >= FEW_DEPTH &&
           s->dilation[1] == 1 && s->kw * s->c % strip_level_of(level, 16)->lanes == 0;
}

/* Columns of the weights, each contiguous. */
static void few_pack(const few *v, const float *w, float *out) {
    const conv_shape *s = &v->s;
    const int64_t places = s->kh * s->kw;
    for (int64_t j = 0; j < s->o; j++, out += s->depth) {
        if (!v->flipped) {
            for (int64_t k = 0; k < s->depth; k++) out[k] = w[k * s->o + j];
            continue;
        }
        for (int64_t k = 0; k < places; k++)
            memcpy(out + k * s->c, w + ((places - 1 - k) * s->o + j) * s->c,
                   (size_t)s->c * sizeof *out);
    }
}

/* ---- pixels ---- */

/* One call's memory: weights, copied windows, pointers to windows, framed rows. */
typedef struct few_room {
    const float *weights;
    float *window;
    const char **row;
    float *frame;
} few_room;

static strip few_strip(const few *v, const few_room *m, const int64_t *off, float *c) {
    return (strip){.row = m->row,
                   .off = off,
                   .runs = v->runs,
                   .run = v->run,
                   .b = m->weights,
                   .b_step = v->s.depth,
                   .c = c,
                   .c_row = v->s.o};
}

/* The window of output row oh and column ow, zero outside the image. */
static void few_copy(const few *v, const float *image, int64_t oh, int64_t ow, float *out) {
    assert(oh >= 0 && ow >= 0);
    const conv_shape *s = &v->s;
    const int64_t h0 = oh * s->stride[0] - s->pad[0], w0 = ow * s->stride[1] - s->pad[1];
    const int64_t a = min_i64(s->kw, max_i64(0, -w0)), b = max_i64(a, min_i64(s->kw, s->w - w0));
    memset(out, 0, (size_t)s->depth * sizeof *out);
    for (int64_t i = 0; i < s->kh && a < b; i++) {
        const int64_t h = h0 + i * s->dilation[0];
        if (h < 0 || h >= s->h) continue;
        memcpy(out + i * v->run + a * s->c, image + (h * s->w + w0 + a) * s->c,
               (size_t)((b - a) * s->c) * sizeof *out);
    }
}

/* Columns [a, b) of an output row, through copies of their windows. */
static void few_border(const few *v, const float *image, int64_t oh, int64_t a, int64_t b, float *y,
                       const few_room *m) {
    const int tile = v->level->dot_rows[v->s.o];
    for (int64_t ow = a; ow < b; ow += tile) {
        const int64_t count = min_i64(tile, b - ow);
        for (int64_t i = 0; i < count; i++) {
            few_copy(v, image, oh, ow + i, m->window + i * v->s.depth);
            m->row[i] = (const char *)(m->window + i * v->s.depth);
        }
        const strip t = few_strip(v, m, v->packed, y + ow * v->s.o);
        strip_run_dots(v->level, &t, count, (int)v->s.o);
    }
}

/* An output row of an image that is read where it lies. */
static void few_row(const few *v, const float *image, int64_t oh, float *y, const few_room *m) {
    const conv_shape *s = &v->s;
    const bool inside = oh >= v->inside[0][0] && oh < v->inside[0][1];
    const int64_t a = inside ? v->inside[1][0] : s->ow, b = inside ? v->inside[1][1] : s->ow;
    const int64_t h0 = oh * s->stride[0] - s->pad[0];
    few_border(v, image, oh, 0, a, y, m);
    for (int64_t i = a; i < b; i++)
        m->row[i - a] = (const char *)(image + (h0 * s->w + i * s->stride[1] - s->pad[1]) * s->c);
    const strip t = few_strip(v, m, v->off, y + a * s->o);
    strip_run_dots(v->level, &t, b - a, (int)s->o);
    few_border(v, image, oh, max_i64(a, b), s->ow, y, m);
}

/* Output rows [oh0, oh1) of an image, framed, some at a time. */
static void few_framed(const few *v, const float *image, int64_t oh0, int64_t oh1, float *y,
                       const few_room *m) {
    assert(0 <= oh0 && oh0 <= oh1);
    const conv_shape *s = &v->s;
    const int64_t together = max_i64(1, FEW_PIXELS / s->ow);
    const int64_t down = s->stride[0] * v->frame.row, along = s->stride[1] * s->c;
    const float *first = conv_frame_at(s, &v->frame, image, oh0, m->frame);
    int64_t filled = 0;
    for (int64_t a = oh0, b; a < oh1; a = b) {
        b = min_i64(a + together, oh1);
        conv_frame_fill(s, &v->frame, image, oh0, &filled, conv_frame_rows(s, b - oh0), m->frame);
        for (int64_t i = 0; i < (b - a) * s->ow; i++)
            m->row[i] = (const char *)(first + (a - oh0 + i / s->ow) * down + i % s->ow * along);
        const strip t = few_strip(v, m, v->off, y + a * s->ow * s->o);
        strip_run_dots(v->level, &t, (b - a) * s->ow, (int)s->o);
    }
}

/* Output rows [oh0, oh1) of an image; y is the image's result. */
static void few_rows(const few *v, const float *image, int64_t oh0, int64_t oh1, float *y,
                     const few_room *m) {
    assert(0 <= oh0 && oh0 <= oh1);
    const int64_t step = v->framed ? v->rows : 1;
    for (int64_t oh = oh0; oh < oh1; oh += step) {
        if (v->framed) few_framed(v, image, oh, min_i64(oh + step, oh1), y, m);
        else few_row(v, image, oh, y + oh * v->s.ow * v->s.o, m);
    }
}

static void few_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                    void *scratch) {
    assert(0 <= unit0 && unit0 <= unit1 && unit1 <= r->units);
    const few *v = r->own;
    const conv_shape *s = &v->s;
    char *room = scratch;
    const few_room m = {.weights = (float *)room,
                        .window = (float *)(room + v->weight_bytes),
                        .row = (const char **)(room + v->weight_bytes + v->window_bytes),
                        .frame =
                            (float *)(room + v->weight_bytes + v->window_bytes + v->row_bytes)};
    few_pack(v, conv_weights(r, &v->wide, 1, at, scratch), (float *)room);
    const float *x = NULL;
    for (int64_t u = unit0; u < unit1; u++) {
        const int64_t image = u / v->bands, oh0 = u % v->bands * v->band;
        const int64_t oh1 = min_i64(oh0 + v->band, s->oh), pixel = image * s->oh * s->ow;
        if (u == unit0 || u % v->bands == 0)
            x = conv_image(r, &v->wide, 0, at, image, s->h * s->w * s->c, scratch);
        few_rows(v, x, oh0, oh1, (float *)at[2] + pixel * s->o, &m);
        routine_finish(r, (float *)at[2], pixel + oh0 * s->ow, pixel + oh1 * s->ow, scratch);
    }
}

/* ---- choices ---- */

/* Which of `out` windows of `reach` positions lie inside an extent. */
static void few_inside(int64_t out, int64_t stride, int64_t pad, int64_t reach, int64_t extent,
                       int64_t *inside) {
    assert(stride > 0 && reach > 0);
    inside[0] = pad > 0 ? min_i64(out, routine_parts(pad, stride)) : 0;
    const int64_t last = extent + pad - reach; /* largest start inside, counted from -pad */
    inside[1] = last < 0 ? 0 : min_i64(out, last / stride + 1);
}

weft_err conv_few_prepare(routine *r, const conv_shape *s, bool flipped, isa level, weft_ctx *c,
                          arena *memory) {
    WEFT_TRY(routine_own(r, sizeof(few), c, memory));
    few *v = r->own;
    v->s = *s;
    v->flipped = flipped;
    v->level = strip_level_of(level, 16);
    v->runs = s->kh;
    v->run = s->kw * s->c;
    v->off = arena_new(memory, (size_t)(2 * v->runs) * sizeof *v->off);
    if (!v->off) return weft_fail(c, WEFT_MEMORY, "no memory for a convolution");
    v->packed = v->off + v->runs;
    few_inside(s->oh, s->stride[0], s->pad[0], (s->kh - 1) * s->dilation[0] + 1, s->h,
               v->inside[0]);
    few_inside(s->ow, s->stride[1], s->pad[1], s->kw, s->w, v->inside[1]);
    const int64_t inner = max_i64(0, v->inside[0][1] - v->inside[0][0]) *
                          max_i64(0, v->inside[1][1] - v->inside[1][0]);
    v->framed = (s->oh * s->ow - inner) * FEW_BORDER > s->oh * s->ow;
    v->frame = conv_frame_of(s);
    for (int64_t i = 0; i < v->runs; i++) {
        v->off[i] = i * s->dilation[0] * (v->framed ? v->frame.row : s->w * s->c) * 4;
        v->packed[i] = i * v->run * 4;
    }
    v->bands = 1;
    v->band = s->oh;
    if (s->n < FEW_UNIT_IMAGES) {
        v->band = routine_parts(s->oh, min_i64(s->oh, routine_parts(FEW_UNITS, s->n)));
        v->bands = routine_parts(s->oh, v->band);
    } else if (s->kh != s->n) { /* the weights' first axis may by chance be as long as the batch */
        r->rows = 1;
    }
    r->units = s->n * v->bands;
    v->weight_bytes = routine_round((size_t)(s->o * s->depth) * sizeof(float));
    v->window_bytes = routine_round((size_t)(STRIP_DOT_ROWS * s->depth) * sizeof(float));
    v->row_bytes = routine_round((size_t)max_i64(s->ow, FEW_PIXELS) * sizeof(char *));
    v->rows = conv_frame_fit(s, &v->frame, v->band, FEW_FRAME);
    v->frame_bytes = v->framed ? conv_frame_bytes(s, &v->frame, v->rows) : 0;
    r->scratch = v->weight_bytes + v->window_bytes + v->row_bytes + v->frame_bytes;
    v->wide = conv_wide_room(r, 1, 0, s->h * s->w * s->c);
    r->run = few_run;
    return WEFT_OK;
}
