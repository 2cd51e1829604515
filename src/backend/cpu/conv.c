/* conv.c - chooses how a convolution and its two gradients are computed.
 *
 * conv: x, w -> y. conv_dx: dy, w -> dx. conv_dw: x, dy -> dw. */
#include "conv.h"

#include "core/context.h"
#include "half_product.h"

conv_shape conv_shape_of(const step *s, int x, int w, int y) {
    const roperand *in = &s->in[x], *weights = &s->in[w], *out = &s->in[y];
    conv_shape v = {.n = in->dim[0],
                    .h = in->dim[1],
                    .w = in->dim[2],
                    .c = in->dim[3],
                    .oh = out->dim[1],
                    .ow = out->dim[2],
                    .o = out->dim[3],
                    .kh = weights->dim[0],
                    .kw = weights->dim[1],
                    .groups = s->attr[6]};
    for (int d = 0; d < 2; d++) {
        v.stride[d] = s->attr[d];
        v.pad[d] = s->attr[2 + d];
        v.dilation[d] = s->attr[4 + d];
    }
    v.cg = v.c / v.groups;
    v.og = v.o / v.groups;
    v.depth = v.kh * v.kw * v.cg;
    return v;
}

/* One table of ways, fastest first where several would do. Times are of one thread on Zen 3, which
 * multiplies and adds at 104 GFLOP/s; a convolution's work is counted as direct sums.
 *
 *   plain     1x1, nothing else                  a matrix product
 *   depth     one channel in and out per group   lanes over channels
 *   winograd  dense, enough channels, see below  16x32x32x64 to 128, 3x3: 14.3 ms (169 GFLOP/s),
 *                                                direct 25.4; 64x14x14x32 to 64, 5x5: 10.4 and 13.3
 *   few       up to 4 channels out               224x224x64 to 3: 2.1 ms, direct 4.3
 *   direct    everything else without holes      224x224x3 to 64: 2.05 ms (84 GFLOP/s); gathering
 *                                                columns for a product took 3.0
 *   spread    the gradient in x with strides     products added to the image */
typedef enum conv_way {
    CONV_PLAIN,
    CONV_DEPTH,
    CONV_WINOGRAD,
    CONV_FEW,
    CONV_DIRECT,
    CONV_SPREAD
} conv_way;

static bool conv_dense(const conv_shape *s) {
    return s->stride[0] == 1 && s->stride[1] == 1;
}

/* Cycles of eight lanes, fitted to 64x14x14 and 1x14x14 images of 16 to 256 channels with kernels of
 * 3x3 and 5x5, good to about a tenth. Direct sums reach nine tenths of the machine. By transforms,
 * a tile of 2x2 results costs 16 products for each part of 3x3 and pair of channels, and 11 cycles
 * for each channel on the way in and out; weights cost 20 for each pair in every call. */
static bool conv_fits_winograd(const conv_shape *s) {
    if (!conv_dense(s) || s->dilation[0] != 1 || s->dilation[1] != 1 || s->groups != 1 ||
        s->c < 16 || s->o < 16)
        return false;
    const double pairs = (double)s->c * (double)s->o;
    const double pixels = (double)s->n * (double)(s->oh * s->ow);
    const double tiles = (double)s->n * (double)(routine_parts(s->oh, 2) * routine_parts(s->ow, 2));
    const int64_t parts = routine_parts(s->kh, 3) * routine_parts(s->kw, 3);
    const double channels = (double)(parts * s->c + s->o);
    const double direct = 1.1 * pixels * (double)(s->kh * s->kw) * pairs / 16;
    const double tile = (double)parts * pairs + 11 * channels;
    return parts <= 4 && 1.15 * (tiles * tile + 20 * (double)parts * pairs) < direct;
}

/* s: as it is computed, so flipped for dx without strides. */
static conv_way conv_choose(const conv_shape *s, int block, isa level) {
    if (s->kh * s->kw == 1 && s->groups == 1 && conv_dense(s) && s->pad[0] == 0 && s->pad[1] == 0)
        return CONV_PLAIN;
    if (s->cg == 1 && s->og == 1 && s->groups > 1) return CONV_DEPTH;
    if (block == BLOCK_conv_dx && !conv_dense(s)) return CONV_SPREAD;
    if (conv_fits_winograd(s)) return CONV_WINOGRAD;
    return block != BLOCK_conv_dw && conv_few_fits(s, level) ? CONV_FEW : CONV_DIRECT;
}

weft_err conv_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    const conv_shape v = conv_shape_of(s, 0, 1, 2);
    const int64_t pixels = v.n * v.oh * v.ow;
    if (pixels * v.o == 0) return WEFT_OK;
    switch (conv_choose(&v, BLOCK_conv, level)) {
    case CONV_PLAIN: {
        const gemm_shape m = {pixels, v.o, v.c, v.c, 1, v.o, 1, v.o};
        return conv_plain_prepare(r, &m, 0, 1, level, c, memory);
    }
    case CONV_DEPTH: return conv_depth_prepare(r, &v, BLOCK_conv, level, c, memory);
    case CONV_WINOGRAD: return conv_winograd_prepare(r, &v, false, level, c, memory);
    case CONV_FEW: return conv_few_prepare(r, &v, false, level, c, memory);
    default: return conv_direct_prepare(r, &v, false, level, c, memory);
    }
}

/* Without strides the gradient in x is a convolution of dy with the weights flipped. */
static conv_shape conv_flipped(const conv_shape *v) {
    conv_shape t = *v;
    t.h = v->oh, t.w = v->ow, t.c = v->o, t.cg = v->og;
    t.oh = v->h, t.ow = v->w, t.o = v->c, t.og = v->cg;
    t.pad[0] = v->dilation[0] * (v->kh - 1) - v->pad[0];
    t.pad[1] = v->dilation[1] * (v->kw - 1) - v->pad[1];
    t.depth = v->kh * v->kw * v->og;
    return t;
}

weft_err conv_dx_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    const conv_shape v = conv_shape_of(s, 2, 1, 0), t = conv_dense(&v) ? conv_flipped(&v) : v;
    if (v.n * v.h * v.w * v.c == 0) return WEFT_OK;
    switch (conv_choose(&t, BLOCK_conv_dx, level)) {
    case CONV_PLAIN: {
        const gemm_shape m = {v.n * v.oh * v.ow, v.c, v.o, v.o, 1, 1, v.o, v.c};
        return conv_plain_prepare(r, &m, 0, 1, level, c, memory);
    }
    case CONV_DEPTH: return conv_depth_prepare(r, &v, BLOCK_conv_dx, level, c, memory);
    case CONV_WINOGRAD: return conv_winograd_prepare(r, &t, true, level, c, memory);
    case CONV_FEW: return conv_few_prepare(r, &t, true, level, c, memory);
    case CONV_SPREAD: return conv_spread_prepare(r, &v, level, c, memory);
    default: return conv_direct_prepare(r, &t, true, level, c, memory);
    }
}

/* Without pixels the sums are empty. */
static void conv_dw_zero(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                         void *scratch) {
    (void)unit0, (void)unit1, (void)scratch;
    memset(at[2], 0, (size_t)routine_count(&r->s->in[2]) * sizeof(float));
}

weft_err conv_dw_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    const conv_shape v = conv_shape_of(s, 0, 2, 1);
    const int64_t pixels = v.n * v.oh * v.ow;
    if (v.depth * v.o == 0) return WEFT_OK;
    if (pixels == 0) {
        r->run = conv_dw_zero;
        r->units = 1;
        return WEFT_OK;
    }
    switch (conv_choose(&v, BLOCK_conv_dw, level)) {
    case CONV_PLAIN: {
        const gemm_shape m = {v.c, v.o, pixels, 1, v.c, v.o, 1, v.o};
        return conv_plain_prepare(r, &m, 0, 1, level, c, memory);
    }
    case CONV_DEPTH: return conv_depth_prepare(r, &v, BLOCK_conv_dw, level, c, memory);
    case CONV_WINOGRAD: return conv_winograd_dw_prepare(r, &v, level, c, memory);
    default: return conv_strips_dw_prepare(r, &v, level, c, memory);
    }
}

/* ---- operands of 16 bits ---- */

conv_wide conv_wide_room(routine *r, int weights, int image, int64_t elements) {
    conv_wide v = {.weights = routine_round(r->scratch)};
    v.image = v.weights;
    if (weights >= 0)
        v.image += routine_room(&r->s->in[weights], routine_count(&r->s->in[weights]));
    v.end = v.image + routine_room(&r->s->in[image], elements);
    r->scratch = v.end;
    return v;
}

const float *conv_weights(const routine *r, const conv_wide *v, int operand, char *const *at,
                          char *scratch) {
    return routine_wide(r, operand, at[operand], 0, routine_count(&r->s->in[operand]),
                        (float *)(void *)(scratch + v->weights));
}

const float *conv_image(const routine *r, const conv_wide *v, int operand, char *const *at,
                        int64_t image, int64_t elements, char *scratch) {
    return routine_wide(r, operand, at[operand], image * elements, elements,
                        (float *)(void *)(scratch + v->image));
}

/* ---- 1x1 ---- */

typedef struct conv_product {
    gemm_plan plan;
    half_product *half; /* instead of it, for operands of 16 bits */
    int a, b;
} conv_product;

typedef struct conv_done {
    const routine *r;
    void *scratch;
} conv_done;

static void conv_plain_band(void *user, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
    const conv_done *d = user;
    routine_rectangle(d->r, i0, i1, j0, j1, d->scratch);
}

static void conv_plain_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                           void *scratch) {
    const conv_product *o = r->own;
    const conv_done done = {r, scratch};
    gemm_data d = {0};
    if (r->after) d = *r->after;
    d.a = (const float *)at[o->a];
    d.b = (const float *)at[o->b];
    d.c = (float *)at[2];
    if (r->rest || r->half.mask || r->half.result)
        d.band = conv_plain_band, d.user = (void *)(uintptr_t)&done;
    if (o->half) {
        const half_data h = {
            .f32 = d, .a = at[o->a], .b = at[o->b], .c = at[2], .mask = (const char *)d.mask};
        half_run(o->half, &h, unit0, unit1, scratch);
        return;
    }
    gemm_run(&o->plan, &d, unit0, unit1, scratch);
}

weft_err conv_plain_prepare(routine *r, const gemm_shape *m, int a, int b, isa level, weft_ctx *c,
                            arena *memory) {
    WEFT_TRY(routine_own(r, sizeof(conv_product), c, memory));
    conv_product *o = r->own;
    o->a = a;
    o->b = b;
    r->run = conv_plain_run;
    const half_types type = {.a = r->s->in[a].dtype, .b = r->s->in[b].dtype};
    if (type.a != WEFT_F32 || type.b != WEFT_F32) {
        narrow_product *few = arena_new(memory, sizeof *few);
        o->half = arena_new(memory, sizeof *o->half);
        if (!few || !o->half) return weft_fail(c, WEFT_MEMORY, "no memory for a convolution");
        half_choose(o->half, few, level, isa_pairs(level), m, type);
        r->units = o->half->units;
        r->scratch = o->half->bytes;
        return WEFT_OK;
    }
    gemm_choose(&o->plan, level, m);
    r->units = o->plan.units;
    r->scratch = o->plan.scratch;
    return WEFT_OK;
}
