/* conv.c - convolution forward: columns of a tile of output pixels, then a matrix product.
 *
 * Operands x, w -> y. The columns of a tile fit the second cache and are used at once; copying them
 * costs about 3 / O of the product. A unit is one or several images, or a tile when there are few
 * images. 1x1 and depthwise convolutions go their own ways. */
#include "conv.h"

enum { CONV_COLUMNS = 40 * 1024, CONV_UNIT_IMAGES = 16 };

static void conv_tile_of(const routine *r, char *const *at, int64_t p0, int64_t p1, char *scratch) {
    const conv_choice *v = r->own;
    const gemm_plan *plan = &v->plan[p1 - p0 < v->tile][0][0];
    float *columns = (float *)scratch;
    for (int64_t g = 0; g < v->groups; g++) {
        const conv_part part = {g, 0, v->kh, 0, v->kw * v->cg};
        conv_gather(v, (const float *)at[0], &part, p0, p1, columns, v->depth);
        const gemm_data d = {.a = columns,
                             .b = (const float *)at[1] + g * v->og,
                             .c = (float *)at[2] + p0 * v->o + g * v->og};
        gemm_run(plan, &d, 0, plan->units, scratch + v->column_bytes);
    }
}

static void conv_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                     void *scratch) {
    const conv_choice *v = r->own;
    for (int64_t u = unit0; u < unit1; u++) {
        const int64_t tile = u % v->bands, from = u / v->bands * v->span;
        int64_t p0 = from, p1 = from + v->span;
        if (v->bands > 1) {
            p0 += tile * v->tile;
            p1 = min_i64(p1, p0 + v->tile);
        }
        for (int64_t p = p0; p < p1; p += v->tile) {
            conv_tile_of(r, at, p, min_i64(p + v->tile, p1), scratch);
        }
    }
}

weft_err conv_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    WEFT_TRY(conv_begin(r, s, 0, 1, 2, level, c, memory));
    conv_choice *v = r->own;
    const int64_t pixels = v->oh * v->ow;
    if (v->n * pixels * v->o == 0) return WEFT_OK;
    if (conv_plain(v)) {
        const gemm_shape m = {v->n * pixels, v->o, v->c, v->c, 1, v->o, 1, v->o};
        return conv_plain_prepare(r, &m, 0, 1, level);
    }
    if (conv_depthwise(v)) {
        conv_depth_prepare(r);
        return WEFT_OK;
    }
    r->run = conv_run;
    const int64_t wish = CONV_COLUMNS / max_i64(v->depth, 1) / 12 * 12;
    const int64_t most = min_i64(192, max_i64(24, wish));
    /* Small images share a tile, as many as divide the batch. */
    v->images = 1;
    for (int64_t i = 2; i <= v->n && i * pixels <= most; i++) {
        if (v->n % i == 0) v->images = i;
    }
    const int64_t last = conv_tile(v, v->images * pixels, most);
    v->bands = v->n >= CONV_UNIT_IMAGES ? 1 : routine_parts(v->span, v->tile);
    for (int i = 0; i < 2; i++) {
        const gemm_shape m = {i ? last : v->tile, v->og, v->depth, v->depth, 1, v->o, 1, v->o};
        conv_choose(r, &v->plan[i][0][0], level, &m);
    }
    conv_room(v, v->depth);
    r->scratch += v->column_bytes;
    r->units = v->n / v->images * v->bands;
    /* The weights' first axis may by chance be as long as the batch. */
    if (v->bands == 1 && v->kh != v->n) r->rows = v->images;
    return WEFT_OK;
}
