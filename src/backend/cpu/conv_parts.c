/* conv_parts.c - the geometry of convolutions, and pixels to columns and back.
 *
 * Columns are moved in runs: for one output row and one kernel row, a pixel's kw * C numbers are
 * contiguous in the image if channels are not grouped and the kernel not dilated. Only pixels whose
 * window crosses the border are moved position by position. */
#include "conv.h"

weft_err conv_begin(routine *r, const step *s, int x, int w, int y, isa level, weft_ctx *c,
                    arena *memory) {
    WEFT_TRY(routine_own(r, sizeof(conv_choice), c, memory));
    conv_choice *v = r->own;
    const roperand *in = &s->in[x], *weights = &s->in[w], *out = &s->in[y];
    v->v = loops_of(level);
    v->n = in->dim[0];
    v->h = in->dim[1];
    v->w = in->dim[2];
    v->c = in->dim[3];
    v->oh = out->dim[1];
    v->ow = out->dim[2];
    v->o = out->dim[3];
    v->kh = weights->dim[0];
    v->kw = weights->dim[1];
    for (int d = 0; d < 2; d++) {
        v->stride[d] = s->attr[d];
        v->pad[d] = s->attr[2 + d];
        v->dilation[d] = s->attr[4 + d];
    }
    v->groups = s->attr[6];
    v->cg = v->c / v->groups;
    v->og = v->o / v->groups;
    v->depth = v->kh * v->kw * v->cg;
    return WEFT_OK;
}

bool conv_plain(const conv_choice *v) {
    return v->kh == 1 && v->kw == 1 && v->groups == 1 && v->stride[0] == 1 && v->stride[1] == 1 &&
           v->pad[0] == 0 && v->pad[1] == 0;
}

bool conv_depthwise(const conv_choice *v) {
    return v->cg == 1 && v->og == 1 && v->groups > 1;
}

typedef struct conv_product {
    gemm_plan plan;
    int a, b;
} conv_product;

static void conv_plain_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                           void *scratch) {
    const conv_product *o = r->own;
    const gemm_data d = {
        .a = (const float *)at[o->a], .b = (const float *)at[o->b], .c = (float *)at[2]};
    gemm_run(&o->plan, &d, unit0, unit1, scratch);
}

/* The choices made so far are not needed any more, and there is room for these. */
weft_err conv_plain_prepare(routine *r, const gemm_shape *s, int a, int b, isa level) {
    _Static_assert(sizeof(conv_product) <= sizeof(conv_choice), "fits in r->own");
    const gemm_shape shape = *s;
    conv_product *o = r->own;
    o->a = a;
    o->b = b;
    gemm_choose(&o->plan, level, &shape);
    r->units = o->plan.units;
    r->scratch = o->plan.scratch;
    r->run = conv_plain_run;
    return WEFT_OK;
}

void conv_choose(routine *r, gemm_plan *p, isa level, const gemm_shape *s) {
    gemm_choose(p, level, s);
    if (p->scratch > r->scratch) r->scratch = p->scratch;
}

int64_t conv_tile(conv_choice *v, int64_t span, int64_t pixels) {
    v->span = span;
    const int64_t tiles = max_i64(1, routine_parts(span, pixels));
    v->tile = min_i64(span, routine_parts(routine_parts(span, tiles), 6) * 6);
    const int64_t rest = v->tile > 0 ? span % v->tile : 0;
    return rest ? rest : v->tile;
}

static int64_t conv_floor(int64_t a, int64_t b) {
    if (b == 1) return a;
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/* count runs of n floats. Short runs dominate images of few channels: 16 bytes at a time, the last
 * ones overlapping, is several times faster than calling memcpy. */
static void conv_copy(float *out, int64_t out_step, const float *in, int64_t in_step, int64_t count,
                      int64_t n) {
    if (n == 1) {
        for (int64_t i = 0; i < count; i++) out[i * out_step] = in[i * in_step];
        return;
    }
    for (int64_t i = 0; i < count; i++, out += out_step, in += in_step) {
        if (n >= 32) {
            memcpy(out, in, (size_t)n * sizeof *out);
        } else if (n >= 4) {
            for (int64_t e = 0; e < n - 4; e += 4) memcpy(out + e, in + e, 16);
            memcpy(out + n - 4, in + n - 4, 16);
        } else {
            memcpy(out, in, 8);
            if (n == 3) out[2] = in[2];
        }
    }
}

static void conv_zero(float *out, int64_t step, int64_t count, int64_t n) {
    for (int64_t i = 0; i < count; i++, out += step) {
        for (int64_t e = 0; e < n; e++) out[e] = 0;
    }
}

/* One output row and one kernel row: where the numbers lie, and which way they go. */
typedef struct conv_row {
    const conv_choice *v;
    float *x;       /* first channel of the group in the image row */
    float *columns; /* of pixel 0 of the output row */
    int64_t step;
    bool back;
} conv_row;

/* Of the positions [j0, j1) of pixel `ow`, contiguous in the image and beginning at place `tap` of
 * the kernel, those inside the image. */
static void conv_edge(const conv_row *r, int64_t ow, int64_t tap, int64_t j0, int64_t j1,
                      float *columns) {
    const conv_choice *v = r->v;
    const int64_t left = ow * v->stride[1] - v->pad[1] + tap * v->dilation[1];
    const int64_t start = tap * v->cg; /* position of channel 0 at `left` */
    const int64_t lo = min_i64(j1, max_i64(j0, start - left * v->cg));
    const int64_t hi = max_i64(lo, min_i64(j1, start + (v->w - left) * v->cg));
    if (lo < hi) {
        float *x = r->x + left * v->c + (lo - start);
        if (!r->back) conv_copy(columns + lo - j0, 0, x, 0, 1, hi - lo);
        else
            for (int64_t j = lo; j < hi; j++) x[j - lo] += columns[j - j0];
    }
    if (r->back) return;
    for (int64_t j = j0; j < lo; j++) columns[j - j0] = 0;
    for (int64_t j = hi; j < j1; j++) columns[j - j0] = 0;
}

/* Positions [j0, j1), which are contiguous in the image, of pixels [ow0, ow1). */
static void conv_run_of(const conv_row *r, int64_t ow0, int64_t ow1, int64_t j0, int64_t j1,
                        float *columns) {
    const conv_choice *v = r->v;
    const int64_t first = j0 / v->cg, last = (j1 - 1) / v->cg;
    const int64_t stride = v->stride[1], pad = v->pad[1], dilation = v->dilation[1];
    /* Pixels [a, b) have all these positions inside the image. */
    int64_t a = conv_floor(pad - first * dilation + stride - 1, stride);
    int64_t b = conv_floor(v->w - 1 + pad - last * dilation, stride) + 1;
    a = min_i64(max_i64(a, ow0), ow1);
    b = min_i64(max_i64(b, a), ow1);
    if (b > a) {
        float *x = r->x + (a * stride - pad + first * dilation) * v->c + (j0 - first * v->cg);
        float *out = columns + a * r->step;
        if (!r->back) {
            conv_copy(out, r->step, x, stride * v->c, b - a, j1 - j0);
        } else if (j1 - j0 < 8) {
            for (int64_t i = a; i < b; i++, x += stride * v->c, out += r->step) {
                for (int64_t e = 0; e < j1 - j0; e++) x[e] += out[e];
            }
        } else {
            for (int64_t i = a; i < b; i++, x += stride * v->c, out += r->step) {
                v->v->add(x, out, j1 - j0);
            }
        }
    }
    if (first == last) {                /* one place of the kernel: inside, or not at all */
        if (r->back) return;
        conv_zero(columns + ow0 * r->step, r->step, a - ow0, j1 - j0);
        conv_zero(columns + b * r->step, r->step, ow1 - b, j1 - j0);
        return;
    }
    for (int64_t i = ow0; i < a; i++) conv_edge(r, i, first, j0, j1, columns + i * r->step);
    for (int64_t i = b; i < ow1; i++) conv_edge(r, i, first, j0, j1, columns + i * r->step);
}

static void conv_move(const conv_choice *v, float *x, const conv_part *part, int64_t p0, int64_t p1,
                      float *columns, int64_t step, int64_t h0, int64_t h1, bool back) {
    /* Adding runs that overlap askew would read vectors back before they are whole. */
    const bool joined = v->cg == v->c && v->dilation[1] == 1 &&
                        (!back || v->c >= 32 || v->stride[1] * v->c % 8 == 0);
    const int64_t width = part->j1 - part->j0;
    int64_t ow0 = p0 % v->ow, oh = p0 / v->ow % v->oh, image = p0 / v->ow / v->oh;
    for (int64_t p = p0; p < p1;) {
        const int64_t ow1 = min_i64(v->ow, ow0 + p1 - p);
        for (int64_t kh = part->kh0; kh < part->kh1; kh++) {
            const int64_t ih = oh * v->stride[0] - v->pad[0] + kh * v->dilation[0];
            conv_row r = {v, NULL, columns - ow0 * step + (kh - part->kh0) * width, step, back};
            if (ih < h0 || ih >= h1) {
                if (!back) conv_zero(r.columns + ow0 * step, step, ow1 - ow0, width);
                continue;
            }
            r.x = x + (image * v->h + ih) * v->w * v->c + part->group * v->cg;
            if (joined) {
                conv_run_of(&r, ow0, ow1, part->j0, part->j1, r.columns);
                continue;
            }
            for (int64_t j = part->j0; j < part->j1;) {
                const int64_t end = min_i64(part->j1, (j / v->cg + 1) * v->cg);
                conv_run_of(&r, ow0, ow1, j, end, r.columns + j - part->j0);
                j = end;
            }
        }
        columns += (ow1 - ow0) * step;
        p += ow1 - ow0;
        ow0 = 0;
        if (++oh == v->oh) oh = 0, image++;
    }
}

/* Rows of an image that output rows [oh0, oh1) see through the part, with zeros around them. */
static void conv_frame(const conv_choice *v, const float *image, const conv_part *part, int64_t oh0,
                       int64_t oh1, float *out) {
    const int64_t left = v->pad[1] * v->c, row = v->w * v->c, width = row + 2 * left;
    const int64_t first = oh0 * v->stride[0] - v->pad[0] + part->kh0 * v->dilation[0];
    const int64_t end = (oh1 - 1) * v->stride[0] - v->pad[0] + (part->kh1 - 1) * v->dilation[0] + 1;
    for (int64_t ih = first; ih < end; ih++, out += width) {
        if (ih < 0 || ih >= v->h) {
            memset(out, 0, (size_t)width * sizeof *out);
            continue;
        }
        for (int64_t e = 0; e < left; e++) out[e] = out[left + row + e] = 0;
        memcpy(out + left, image + ih * row, (size_t)row * sizeof *out);
    }
}

static void conv_gather_framed(const conv_choice *v, const float *x, const conv_part *part,
                               int64_t p0, int64_t p1, float *columns, int64_t step) {
    const int64_t pixels = v->oh * v->ow, run = part->j1 - part->j0;
    const int64_t width = (v->w + 2 * v->pad[1]) * v->c, along = v->stride[1] * v->c;
    float *frame = columns + v->border;
    for (int64_t p = p0; p < p1;) {
        const int64_t image = p / pixels, end = min_i64(p1, (image + 1) * pixels);
        const int64_t oh0 = (p - image * pixels) / v->ow;
        int64_t ow0 = p % v->ow, oh = oh0;
        conv_frame(v, x + image * v->h * v->w * v->c, part, oh0,
                   (end - 1 - image * pixels) / v->ow + 1, frame);
        for (; p < end; oh++, ow0 = 0) {
            const int64_t count = min_i64(v->ow - ow0, end - p);
            const float *from = frame + (oh - oh0) * v->stride[0] * width + ow0 * along + part->j0;
            for (int64_t kh = part->kh0; kh < part->kh1; kh++) {
                conv_copy(columns + (kh - part->kh0) * run, step, from, along, count, run);
                from += v->dilation[0] * width;
            }
            columns += count * step;
            p += count;
        }
    }
}

/* Where runs are short, looking for the border costs more than copying the rows with one. */
void conv_room(conv_choice *v, int64_t width) {
    const int64_t columns = v->tile * width;
    int64_t rows = min_i64(v->oh, routine_parts(v->tile, v->ow) + 1);
    rows = (rows - 1) * v->stride[0] + (v->kh - 1) * v->dilation[0] + 1;
    v->column_bytes = routine_round((size_t)columns * sizeof(float));
    v->border = 0;
    if (v->cg != v->c || v->dilation[1] != 1 || v->kw * v->c > 64) return;
    v->border = (int64_t)(v->column_bytes / sizeof(float));
    const int64_t framed = rows * (v->w + 2 * v->pad[1]) * v->c;
    v->column_bytes += routine_round((size_t)framed * sizeof(float));
}

/* Moving forwards only reads the image, and back only the columns. */
void conv_gather(const conv_choice *v, const float *x, const conv_part *part, int64_t p0,
                 int64_t p1, float *columns, int64_t step) {
    if (v->border) {
        conv_gather_framed(v, x, part, p0, p1, columns, step);
        return;
    }
    conv_move(v, (float *)(uintptr_t)x, part, p0, p1, columns, step, 0, v->h, false);
}

void conv_scatter(const conv_choice *v, float *x, const conv_part *part, int64_t p0, int64_t p1,
                  const float *columns, int64_t step, int64_t h0, int64_t h1) {
    conv_move(v, x, part, p0, p1, (float *)(uintptr_t)columns, step, h0, h1, true);
}
