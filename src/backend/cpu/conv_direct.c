/* conv_direct.c - convolution by strips over the image itself, and the gradient in x without
 * strides, which is a convolution of dy with the weights flipped.
 *
 * Operands image, weights -> result. A unit is an image, or a band of output rows of one. Its rows
 * are framed, some output rows at a time; pixels then go by blocks that stay near with their part
 * of the result, weights by panels that stay in the first cache. Weights are packed into panels
 * once per call. */
#include "conv.h"

#include "gemm_parts.h"

#include <assert.h>

enum {
    DIRECT_PIXELS = 96,         /* of a block, at most; with its part of the result it stays near */
    DIRECT_SHALLOW = 768,       /* the same where the result is stored once: fewer, longer strips */
    DIRECT_DEPTH = 384,         /* of a panel: two vectors of 8 times that: 24 KiB */
    DIRECT_FRAME = 1024 * 1024, /* bytes of framed rows, unless one needs more */
    DIRECT_UNIT_IMAGES = 16,    /* from so many on, a unit is an image            */
    DIRECT_UNITS = 32           /* else there are about so many                   */
};

/* Runs of the window that are summed before C is stored: the same for every pixel. */
typedef struct direct_part {
    int64_t first, runs, run; /* the first run in `off`, how many, their length */
    int64_t k;                /* products before it */
} direct_part;

typedef struct direct {
    conv_shape s;
    conv_frame frame;
    const strip_level *level;
    bool flipped;
    int64_t bands, band; /* of an image; output rows in each */
    int64_t rows;        /* output rows framed at once */
    int64_t block;       /* pixels */
    int64_t *off;        /* bytes from a window's first element to its runs */
    direct_part *part;
    int64_t parts;
    int64_t packed; /* floats of packed weights, of one group */
    size_t weight_bytes, frame_bytes;
    conv_wide wide;
} direct;

/* ---- weights ---- */

/* Columns [j, j + lanes) of a group's weights, (depth, width) apart by `step`. */
static void direct_pack_vector(const direct *d, const loops_table *loops, const float *w, int64_t g,
                               int64_t j, float *out, int64_t step) {
    const conv_shape *s = &d->s;
    const int64_t lanes = d->level->lanes, taps = s->kh * s->kw, n = min_i64(lanes, s->og - j);
    if (n < lanes) memset(out, 0, (size_t)(s->depth * step) * sizeof *out);
    if (!d->flipped) {
        for (int64_t k = 0; k < s->depth; k++)
            memcpy(out + k * step, w + k * s->o + g * s->og + j, (size_t)n * sizeof *out);
        return;
    }
    /* Here w is (taps, og, c): c over all groups, og the result's. */
    for (int64_t t = 0; t < taps; t++)
        loops->transpose(out + t * s->cg * step, step,
                         w + ((taps - 1 - t) * s->og + j) * s->c + g * s->cg, s->c, n, s->cg);
}

static void direct_pack(const direct *d, const loops_table *loops, const float *w, float *out) {
    const int64_t lanes = d->level->lanes;
    for (int64_t g = 0; g < d->s.groups; g++) {
        float *to = out + g * d->packed;
        for (int64_t j = 0; j < d->s.og;) {
            const int64_t columns = strip_columns(d->level, d->s.og - j);
            const int vectors = strip_vectors(d->level, columns);
            direct_pack_vector(d, loops, w, g, j, to, vectors * lanes);
            if (vectors == 2)
                direct_pack_vector(d, loops, w, g, j + columns - lanes, to + lanes, 2 * lanes);
            to += d->s.depth * vectors * lanes;
            j += columns;
        }
    }
}

/* ---- pixels ---- */

/* A block of the result: pixels p0 to p1 of all images, their windows in `row`. */
typedef struct direct_block {
    const routine *r;
    float *y;
    const char *const *row;
    int64_t p0, p1;
} direct_block;

static int direct_flags(const gemm_data *after) {
    if (!after) return 0;
    return (after->bias ? GEMM_BIAS : 0) | (after->relu ? GEMM_RELU : 0) |
           (after->mask ? GEMM_MASK : 0);
}

static strip direct_strip(const direct_block *b, int64_t column) {
    assert(column >= 0);
    const direct *d = b->r->own;
    const gemm_data *after = b->r->after;
    const int64_t at = b->p0 * d->s.o + column;
    strip t = {.row = b->row, .off = d->off, .a_step = 4, .c = b->y + at, .c_row = d->s.o};
    if (after && after->bias) t.bias = after->bias + column;
    if (after && after->mask) {
        t.mask = after->mask + b->p0 * after->mask_row + column;
        t.mask_row = after->mask_row;
    }
    return t;
}

static void direct_tiles(const direct_block *b, int64_t g, const float *weights) {
    assert(g >= 0 && weights);
    const direct *d = b->r->own;
    const conv_shape *s = &d->s;
    const int64_t lanes = d->level->lanes;
    for (int64_t i = 0; i < d->parts; i++) {
        const direct_part *part = &d->part[i];
        const float *panel = weights;
        for (int64_t j = 0; j < s->og;) {
            const int64_t columns = strip_columns(d->level, s->og - j);
            const int64_t width = strip_vectors(d->level, columns) * lanes;
            strip t = direct_strip(b, g * s->og + j);
            t.off += part->first;
            t.runs = part->runs;
            t.run = part->run;
            t.b = panel + part->k * width;
            t.b_step = width;
            t.b_last = width - lanes;
            t.c_last = columns - lanes;
            t.flags = i > 0 ? GEMM_OLD : 0;
            if (i == d->parts - 1) t.flags |= direct_flags(b->r->after);
            strip_run(d->level, &t, b->p1 - b->p0, columns);
            panel += s->depth * width;
            j += columns;
        }
    }
}

/* Output rows [oh0, oh1) of an image, which lies at x. */
static void direct_rows(const routine *r, char *const *at, const float *x, int64_t image,
                        int64_t oh0, int64_t oh1, char *scratch) {
    assert(0 <= oh0 && oh0 <= oh1 && image >= 0);
    const direct *d = r->own;
    const conv_shape *s = &d->s;
    const float *weights = (const float *)scratch;
    float *frame = (float *)(scratch + d->weight_bytes);
    const char **row = (const char **)(scratch + d->weight_bytes + d->frame_bytes);
    const char *window = (const char *)conv_frame_at(s, &d->frame, x, oh0, frame);
    const int64_t down = s->stride[0] * d->frame.row * 4, along = s->stride[1] * s->c * 4;
    const int64_t pixels = (oh1 - oh0) * s->ow, from = (image * s->oh + oh0) * s->ow;
    int64_t oh = 0, ow = 0, filled = 0;
    for (int64_t p0 = 0, p1; p0 < pixels; p0 = p1) {
        p1 = min_i64(p0 + d->block, pixels);
        for (int64_t p = p0; p < p1; p++) {
            row[p - p0] = window + oh * down + ow * along;
            if (++ow == s->ow) ow = 0, oh++;
        }
        conv_frame_fill(s, &d->frame, x, oh0, &filled, conv_frame_rows(s, (p1 - 1) / s->ow + 1),
                        frame);
        direct_block b = {r, (float *)at[2], row, from + p0, from + p1};
        for (int64_t g = 0; g < s->groups; g++) {
            direct_tiles(&b, g, weights + g * d->packed);
            for (int64_t p = p0; p < p1; p++) row[p - p0] += s->cg * 4;
        }
        routine_done(r, from + p0, from + p1, scratch);
    }
}

static void direct_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                       void *scratch) {
    assert(0 <= unit0 && unit0 <= unit1 && unit1 <= r->units);
    const direct *d = r->own;
    direct_pack(d, r->loops, conv_weights(r, &d->wide, 1, at, scratch), scratch);
    const float *x = NULL;
    for (int64_t u = unit0; u < unit1; u++) {
        if (u == unit0 || u % d->bands == 0)
            x = conv_image(r, &d->wide, 0, at, u / d->bands, d->s.h * d->s.w * d->s.c, scratch);
        const int64_t oh0 = u % d->bands * d->band, oh1 = min_i64(oh0 + d->band, d->s.oh);
        for (int64_t oh = oh0; oh < oh1; oh += d->rows)
            direct_rows(r, at, x, u / d->bands, oh, min_i64(oh + d->rows, oh1), scratch);
    }
}

/* ---- choices ---- */

/* Runs as long as the image allows: a kernel row of all channels if it is not dilated and channels
 * are not grouped. A part is several short runs, or a piece of a long one. */
static weft_err direct_choose_parts(direct *d, weft_ctx *c, arena *memory) {
    const conv_shape *s = &d->s;
    const bool joined = s->cg == s->c && s->dilation[1] == 1;
    const int64_t runs = joined ? s->kh : s->kh * s->kw, run = s->depth / runs;
    const int64_t pieces = routine_parts(run, DIRECT_DEPTH), piece = routine_parts(run, pieces);
    const int64_t groups = routine_parts(s->depth, DIRECT_DEPTH);
    const int64_t together = pieces > 1 ? 1 : routine_parts(runs, groups);
    d->off = arena_new(memory, (size_t)(runs * pieces) * sizeof *d->off);
    d->part = arena_new(memory, (size_t)(runs * pieces) * sizeof *d->part);
    if (!d->off || !d->part) return weft_fail(c, WEFT_MEMORY, "no memory for a convolution");
    for (int64_t i = 0; i < runs; i++) {
        const int64_t kh = joined ? i : i / s->kw, kw = joined ? 0 : i % s->kw;
        const int64_t at = kh * s->dilation[0] * d->frame.row + kw * s->dilation[1] * s->c;
        for (int64_t q = 0; q < pieces; q++) d->off[i * pieces + q] = (at + q * piece) * 4;
    }
    for (int64_t i = 0; i < runs * pieces; i += together) {
        const int64_t q = i % pieces, length = min_i64(piece, run - q * piece);
        d->part[d->parts++] = (direct_part){i, min_i64(together, runs * pieces - i), length,
                                            i / pieces * run + q * piece};
    }
    return WEFT_OK;
}

static void direct_choose_units(direct *d, routine *r) {
    const conv_shape *s = &d->s;
    d->bands = 1;
    d->band = s->oh;
    if (s->n < DIRECT_UNIT_IMAGES) {
        d->band = routine_parts(s->oh, min_i64(s->oh, routine_parts(DIRECT_UNITS, s->n)));
        d->bands = routine_parts(s->oh, d->band);
    } else if (s->kh != s->n) { /* the weights' first axis may by chance be as long as the batch */
        r->rows = 1;
    }
    r->units = s->n * d->bands;
    d->rows = conv_frame_fit(s, &d->frame, d->band, DIRECT_FRAME);
    d->block = min_i64(d->parts == 1 ? DIRECT_SHALLOW : DIRECT_PIXELS, d->rows * s->ow);
}

weft_err conv_direct_prepare(routine *r, const conv_shape *s, bool flipped, isa level, weft_ctx *c,
                             arena *memory) {
    WEFT_TRY(routine_own(r, sizeof(direct), c, memory));
    direct *d = r->own;
    d->s = *s;
    d->frame = conv_frame_of(s);
    d->flipped = flipped;
    d->level = strip_level_of(level, s->og);
    WEFT_TRY(direct_choose_parts(d, c, memory));
    direct_choose_units(d, r);
    const int64_t columns = max_i64(s->og, d->level->lanes) + d->level->lanes;
    d->packed = s->depth * columns;
    d->weight_bytes = routine_round((size_t)(s->groups * d->packed) * sizeof(float));
    d->frame_bytes = conv_frame_bytes(s, &d->frame, d->rows);
    r->scratch =
        d->weight_bytes + d->frame_bytes + routine_round((size_t)d->block * sizeof(char *));
    d->wide = conv_wide_room(r, 1, 0, s->h * s->w * s->c);
    r->run = direct_run;
    return WEFT_OK;
}
