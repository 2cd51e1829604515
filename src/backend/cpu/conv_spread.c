/* conv_spread.c - the gradient of a convolution in its image where strides leave holes, which is
 * also the transposed convolution: dy, w -> dx.
 *
 * A tile of dy times the transposed weights gives columns, one row per output pixel and one number per
 * place of its window, which are added to the image. A unit owns whole images, or a band of rows of
 * one (then the output rows reaching into it are computed by both neighbours). Weights are transposed
 * once per call, some kernel rows at a time. */
#include "conv.h"

#include <assert.h>

enum {
    SPREAD_COLUMNS = 32 * 1024,     /* floats of a tile's columns */
    SPREAD_TRANSPOSED = 512 * 1024, /* floats of transposed weights */
    SPREAD_BLOCK = 96               /* most columns of one product */
};

/* Output pixels are counted through all images; a unit makes one or more spans of equal length, a
 * span goes by tiles of which only the last may be shorter. */
typedef struct spread {
    conv_shape s;
    const loops_table *loops;
    int64_t images;      /* per unit, if a unit is not a part of one */
    int64_t bands, band; /* of an image; its rows in each */
    int64_t span, tile;
    int64_t chunk;       /* kernel rows transposed at once */
    int64_t block;       /* columns of a product */
    size_t column_bytes; /* of a tile's columns */
    size_t weight_bytes; /* of the transposed weights */
    conv_wide wide;
    gemm_plan plan[2][2]; /* by whether tile and block are last, shorter ones */
} spread;

/* Kernel rows [kh0, kh1) of a group. */
typedef struct spread_part {
    int64_t group, kh0, kh1;
} spread_part;

static int64_t spread_floor(int64_t a, int64_t b) {
    assert(b > 0);
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/* Adds positions [j0, j1) of kw * cg, contiguous in the image, of pixels [ow0, ow1) of an output
 * row to the image row x; columns are those of pixel 0, `step` apart. */
static void spread_run_of(const spread *v, float *x, int64_t ow0, int64_t ow1, int64_t j0,
                          int64_t j1, const float *columns, int64_t step) {
    assert(ow0 <= ow1);
    const conv_shape *s = &v->s;
    const int64_t first = j0 / s->cg, last = (j1 - 1) / s->cg;
    const int64_t stride = s->stride[1], pad = s->pad[1], dilation = s->dilation[1];
    /* Pixels [a, b) have all these positions inside the image, others some or none. */
    int64_t a = spread_floor(pad - first * dilation + stride - 1, stride);
    int64_t b = spread_floor(s->w - 1 + pad - last * dilation, stride) + 1;
    a = min_i64(max_i64(a, ow0), ow1);
    b = min_i64(max_i64(b, a), ow1);
    for (int64_t i = ow0; i < ow1; i++) {
        const int64_t left = i * stride - pad + first * dilation, start = first * s->cg;
        int64_t lo = j0, hi = j1;
        if (i < a || i >= b) {
            lo = min_i64(j1, max_i64(j0, start - left * s->cg));
            hi = max_i64(lo, min_i64(j1, start + (s->w - left) * s->cg));
        }
        if (lo == hi) continue;
        float *to = x + left * s->c + (lo - start);
        const float *from = columns + i * step + lo;
        if (hi - lo >= 8) v->loops->add(to, from, hi - lo);
        else
            for (int64_t e = 0; e < hi - lo; e++) to[e] += from[e];
    }
}

/* Adds columns of output pixels [p0, p1) to image rows [h0, h1). */
static void spread_add(const spread *v, float *x, const spread_part *part, int64_t p0, int64_t p1,
                       const float *columns, int64_t h0, int64_t h1) {
    assert(p0 <= p1);
    const conv_shape *s = &v->s;
    /* Runs that overlap askew would read vectors back before they are whole. */
    const bool joined =
        s->cg == s->c && s->dilation[1] == 1 && (s->c >= 32 || s->stride[1] * s->c % 8 == 0);
    const int64_t width = s->kw * s->cg, step = (part->kh1 - part->kh0) * width;
    int64_t ow0 = p0 % s->ow, oh = p0 / s->ow % s->oh, image = p0 / s->ow / s->oh;
    for (int64_t p = p0; p < p1;) {
        const int64_t ow1 = min_i64(s->ow, ow0 + p1 - p);
        for (int64_t kh = part->kh0; kh < part->kh1; kh++) {
            const int64_t ih = oh * s->stride[0] - s->pad[0] + kh * s->dilation[0];
            if (ih < h0 || ih >= h1) continue;
            const float *from = columns - ow0 * step + (kh - part->kh0) * width;
            float *to = x + (image * s->h + ih) * s->w * s->c + part->group * s->cg;
            const int64_t run = joined ? width : s->cg;
            for (int64_t j = 0; j < width; j += run)
                spread_run_of(v, to, ow0, ow1, j, j + run, from, step);
        }
        columns += (ow1 - ow0) * step;
        p += ow1 - ow0;
        ow0 = 0;
        if (++oh == s->oh) oh = 0, image++;
    }
}

/* Weights of one group and chunk as blocks of columns, each (og, block) and contiguous. */
static void spread_transpose(const spread *v, const float *w, const spread_part *part,
                             float *transposed) {
    const conv_shape *s = &v->s;
    const int64_t first = part->kh0 * s->kw * s->cg,
                  width = (part->kh1 - part->kh0) * s->kw * s->cg;
    for (int64_t k = 0; k < width; k += v->block) {
        const int64_t n = min_i64(v->block, width - k);
        v->loops->transpose(transposed + k * s->og, n, w + (first + k) * s->o + part->group * s->og,
                            s->o, n, s->og);
    }
}

/* Output pixels [p0, p1) into image rows [h0, h1). */
static void spread_span(const routine *r, char *const *at, const spread_part *part, int64_t p0,
                        int64_t p1, int64_t h0, int64_t h1, char *scratch) {
    const spread *v = r->own;
    const conv_shape *s = &v->s;
    const float *transposed = (const float *)scratch;
    float *columns = (float *)(scratch + v->weight_bytes);
    const int64_t width = (part->kh1 - part->kh0) * s->kw * s->cg;
    for (int64_t p = p0; p < p1; p += v->tile) {
        const int64_t end = min_i64(p + v->tile, p1);
        const float *dy = routine_wide(r, 0, at[0], p * s->o, (end - p) * s->o,
                                       (float *)(void *)(scratch + v->wide.image));
        for (int64_t k = 0; k < width; k += v->block) {
            const gemm_plan *plan = &v->plan[end - p < v->tile][width - k < v->block];
            const gemm_data d = {
                .a = dy + part->group * s->og, .b = transposed + k * s->og, .c = columns + k};
            gemm_run(plan, &d, 0, plan->units, scratch + v->weight_bytes + v->column_bytes);
        }
        spread_add(v, (float *)at[2], part, p, end, columns, h0, h1);
    }
}

static void spread_unit(const routine *r, char *const *at, const spread_part *part, int64_t unit,
                        char *scratch) {
    const spread *v = r->own;
    const conv_shape *s = &v->s;
    if (v->bands == 1) {
        spread_span(r, at, part, unit * v->span, (unit + 1) * v->span, 0, s->h, scratch);
        return;
    }
    const int64_t image = unit / v->bands, h0 = unit % v->bands * v->band;
    const int64_t h1 = min_i64(h0 + v->band, s->h);
    /* Output rows with a kernel row of this chunk inside [h0, h1). */
    const int64_t low = h0 + s->pad[0] - (part->kh1 - 1) * s->dilation[0];
    const int64_t high = h1 - 1 + s->pad[0] - part->kh0 * s->dilation[0];
    const int64_t first = low <= 0 ? 0 : routine_parts(low, s->stride[0]);
    const int64_t last = high < 0 ? -1 : min_i64(high / s->stride[0], s->oh - 1);
    for (int64_t oh = first; oh <= last; oh++) {
        const int64_t p = (image * s->oh + oh) * s->ow;
        spread_span(r, at, part, p, p + s->ow, h0, h1, scratch);
    }
}

/* Image rows of a unit, counted through all images. */
static void spread_rows(const spread *v, int64_t unit, int64_t *from, int64_t *rows) {
    const conv_shape *s = &v->s;
    const int64_t image = unit / v->bands, h0 = unit % v->bands * v->band;
    *rows = v->bands == 1 ? v->images * s->h : min_i64(v->band, s->h - h0);
    *from = v->bands == 1 ? unit * *rows : image * s->h + h0;
}

static void spread_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                       void *scratch) {
    assert(0 <= unit0 && unit0 <= unit1 && unit1 <= r->units);
    const spread *v = r->own;
    const conv_shape *s = &v->s;
    float *dx = (float *)at[2];
    int64_t from, rows;
    for (int64_t u = unit0; u < unit1; u++) {
        spread_rows(v, u, &from, &rows);
        memset(dx + from * s->w * s->c, 0, (size_t)(rows * s->w * s->c) * sizeof *dx);
    }
    const float *w = conv_weights(r, &v->wide, 1, at, scratch);
    for (int64_t g = 0; g < s->groups; g++) {
        for (int64_t kh = 0; kh < s->kh; kh += v->chunk) {
            const spread_part part = {g, kh, kh + v->chunk};
            spread_transpose(v, w, &part, scratch);
            for (int64_t u = unit0; u < unit1; u++) spread_unit(r, at, &part, u, scratch);
        }
    }
    for (int64_t u = unit0; u < unit1; u++) {
        spread_rows(v, u, &from, &rows);
        routine_finish(r, dx, from * s->w, (from + rows) * s->w, scratch);
    }
}

static void spread_choose_units(spread *v, int64_t most) {
    const conv_shape *s = &v->s;
    const int64_t pixels = s->oh * s->ow;
    v->images = v->bands = 1;
    if (s->n < 8 && pixels >= 1024 && s->h >= 16) {
        v->bands = min_i64(routine_parts(16, s->n), s->h / 8);
        v->band = routine_parts(s->h, v->bands);
        v->bands = routine_parts(s->h, v->band);
    }
    for (int64_t i = 2; v->bands == 1 && i <= s->n && i * pixels <= most; i++) {
        if (s->n % i == 0) v->images = i;
    }
    v->span = v->bands > 1 ? s->ow : v->images * pixels;
    const int64_t tiles = max_i64(1, routine_parts(v->span, most));
    v->tile = min_i64(v->span, routine_parts(routine_parts(v->span, tiles), 6) * 6);
}

weft_err conv_spread_prepare(routine *r, const conv_shape *s, isa level, weft_ctx *c,
                             arena *memory) {
    WEFT_TRY(routine_own(r, sizeof(spread), c, memory));
    spread *v = r->own;
    v->s = *s;
    v->loops = loops_of(level);
    v->chunk = s->kh;
    while (v->chunk > 1 &&
           (s->kh % v->chunk || s->depth / s->kh * v->chunk * s->og > SPREAD_TRANSPOSED)) {
        v->chunk--;
    }
    const int64_t width = v->chunk * s->kw * s->cg;
    const int64_t wish = SPREAD_COLUMNS / max_i64(width, 1) / 12 * 12;
    spread_choose_units(v, min_i64(192, max_i64(24, wish)));
    v->block = routine_parts(width, max_i64(1, routine_parts(width, SPREAD_BLOCK)));
    v->block = min_i64(width, routine_parts(v->block, 16) * 16);
    for (int i = 0; i < 4; i++) {
        const int64_t last = v->tile > 0 ? v->span % v->tile : 0, rest = width % v->block;
        const int64_t n = i & 1 && rest ? rest : v->block, rows = i & 2 && last ? last : v->tile;
        const gemm_shape m = {rows, n, s->og, s->o, 1, n, 1, width};
        gemm_plan *p = &v->plan[i >> 1][i & 1];
        gemm_choose(p, level, &m);
        if (p->scratch > r->scratch) r->scratch = p->scratch;
    }
    v->weight_bytes = routine_round((size_t)(width * s->og) * sizeof(float));
    v->column_bytes = routine_round((size_t)(v->tile * width) * sizeof(float));
    r->scratch += v->weight_bytes + v->column_bytes;
    v->wide = conv_wide_room(r, 1, 0, v->tile * s->o);
    r->units = s->n / v->images * v->bands;
    r->run = spread_run;
    if (v->bands == 1 && s->kh != s->n) r->rows = v->images;
    return WEFT_OK;
}
