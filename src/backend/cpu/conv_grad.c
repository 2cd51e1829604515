/* conv_grad.c - the two gradients of a convolution.
 *
 * dx: dy, w -> dx. A tile of dy times the turned weights gives columns, which are added to the
 * image; a unit owns whole images, or a band of rows of one (then the output rows reaching into it
 * are computed by both neighbours). Weights are turned once per call, some kernel rows at a time.
 * dw: x, dy -> dw. A unit owns some rows and columns of the weights and goes through all pixels in
 * order: columns turned, times dy, added up in the result. */
#include "conv.h"

enum {
    CONV_BACK_COLUMNS = 32 * 1024, /* floats of a tile's columns */
    CONV_TURNED = 512 * 1024,      /* floats of turned weights */
    CONV_BLOCK = 96,               /* most columns of one product of dx */
    CONV_DW_ROWS = 192             /* most rows of a unit of dw */
};

/* ---- dx ---- */

/* Weights of one group and chunk as blocks of columns, each (og, block) and contiguous. */
static void conv_turn(const conv_choice *v, const float *w, const conv_part *part, float *turned) {
    const int64_t first = part->kh0 * v->kw * v->cg,
                  width = (part->kh1 - part->kh0) * v->kw * v->cg;
    for (int64_t k = 0; k < width; k += v->block) {
        const int64_t n = min_i64(v->block, width - k);
        v->v->transpose(turned + k * v->og, n, w + (first + k) * v->o + part->group * v->og, v->o,
                        n, v->og);
    }
}

/* Output pixels [p0, p1) into image rows [h0, h1). */
static void conv_dx_span(const conv_choice *v, const float *dy, float *dx, const conv_part *part,
                         int64_t p0, int64_t p1, int64_t h0, int64_t h1, char *scratch) {
    const float *turned = (const float *)scratch;
    float *columns = (float *)(scratch + v->weight_bytes);
    const int64_t width = (part->kh1 - part->kh0) * v->kw * v->cg;
    for (int64_t p = p0; p < p1; p += v->tile) {
        const int64_t end = min_i64(p + v->tile, p1);
        for (int64_t k = 0; k < width; k += v->block) {
            const gemm_plan *plan = &v->plan[end - p < v->tile][width - k < v->block][0];
            const gemm_data d = {.a = dy + p * v->o + part->group * v->og,
                                 .b = turned + k * v->og,
                                 .c = columns + k};
            gemm_run(plan, &d, 0, plan->units, scratch + v->weight_bytes + v->column_bytes);
        }
        conv_scatter(v, dx, part, p, end, columns, width, h0, h1);
    }
}

static void conv_dx_unit(const conv_choice *v, const float *dy, float *dx, const conv_part *part,
                         int64_t unit, char *scratch) {
    if (v->bands == 1) {
        conv_dx_span(v, dy, dx, part, unit * v->span, (unit + 1) * v->span, 0, v->h, scratch);
        return;
    }
    const int64_t image = unit / v->bands, h0 = unit % v->bands * v->band;
    const int64_t h1 = min_i64(h0 + v->band, v->h);
    /* Output rows with a kernel row of this chunk inside [h0, h1). */
    const int64_t low = h0 + v->pad[0] - (part->kh1 - 1) * v->dilation[0];
    const int64_t high = h1 - 1 + v->pad[0] - part->kh0 * v->dilation[0];
    const int64_t first = low <= 0 ? 0 : routine_parts(low, v->stride[0]);
    const int64_t last = high < 0 ? -1 : min_i64(high / v->stride[0], v->oh - 1);
    for (int64_t oh = first; oh <= last; oh++) {
        const int64_t p = (image * v->oh + oh) * v->ow;
        conv_dx_span(v, dy, dx, part, p, p + v->ow, h0, h1, scratch);
    }
}

static void conv_dx_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                        void *scratch) {
    const conv_choice *v = r->own;
    float *dx = (float *)at[2];
    for (int64_t u = unit0; u < unit1; u++) {
        const int64_t image = u / v->bands, h0 = u % v->bands * v->band;
        int64_t rows = min_i64(v->band, v->h - h0), from = image * v->h + h0;
        if (v->bands == 1) {
            rows = v->images * v->h;
            from = u * rows;
        }
        memset(dx + from * v->w * v->c, 0, (size_t)(rows * v->w * v->c) * sizeof *dx);
    }
    for (int64_t g = 0; g < v->groups; g++) {
        for (int64_t kh = 0; kh < v->kh; kh += v->chunk) {
            const conv_part part = {g, kh, kh + v->chunk, 0, v->kw * v->cg};
            conv_turn(v, (const float *)at[1], &part, scratch);
            for (int64_t u = unit0; u < unit1; u++) {
                conv_dx_unit(v, (const float *)at[0], dx, &part, u, scratch);
            }
        }
    }
}

weft_err conv_dx_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    WEFT_TRY(conv_begin(r, s, 2, 1, 0, level, c, memory));
    conv_choice *v = r->own;
    const int64_t pixels = v->oh * v->ow;
    if (v->n * v->h * v->w * v->c == 0) return WEFT_OK;
    if (conv_plain(v)) {
        const gemm_shape m = {v->n * pixels, v->c, v->o, v->o, 1, 1, v->o, v->c};
        return conv_plain_prepare(r, &m, 0, 1, level);
    }
    if (conv_depthwise(v)) {
        conv_depth_dx_prepare(r);
        return WEFT_OK;
    }
    r->run = conv_dx_run;
    v->chunk = v->kh;
    while (v->chunk > 1 &&
           (v->kh % v->chunk || v->depth / v->kh * v->chunk * v->og > CONV_TURNED)) {
        v->chunk--;
    }
    const int64_t width = v->chunk * v->kw * v->cg;
    const int64_t wish = CONV_BACK_COLUMNS / max_i64(width, 1) / 12 * 12;
    const int64_t most = min_i64(192, max_i64(24, wish));
    v->images = v->bands = 1;
    if (v->n < 8 && pixels >= 1024 && v->h >= 16) {
        v->bands = min_i64(routine_parts(16, v->n), v->h / 8);
        v->band = routine_parts(v->h, v->bands);
        v->bands = routine_parts(v->h, v->band);
    }
    for (int64_t i = 2; v->bands == 1 && i <= v->n && i * pixels <= most; i++) {
        if (v->n % i == 0) v->images = i;
    }
    const int64_t last = conv_tile(v, v->bands > 1 ? v->ow : v->images * pixels, most);
    v->block = routine_parts(width, max_i64(1, routine_parts(width, CONV_BLOCK)));
    v->block = min_i64(width, routine_parts(v->block, 16) * 16);
    for (int i = 0; i < 4; i++) {
        const int64_t rest = width % v->block ? width % v->block : v->block;
        const int64_t n = i & 1 ? rest : v->block;
        const gemm_shape m = {i & 2 ? last : v->tile, n, v->og, v->o, 1, n, 1, width};
        conv_choose(r, &v->plan[i >> 1][i & 1][0], level, &m);
    }
    v->weight_bytes = routine_round((size_t)(width * v->og) * sizeof(float));
    v->column_bytes = routine_round((size_t)(v->tile * width) * sizeof(float));
    r->scratch += v->weight_bytes + v->column_bytes;
    r->units = v->n / v->images * v->bands;
    if (v->bands == 1 && v->kh != v->n) r->rows = v->images;
    return WEFT_OK;
}

/* ---- dw ---- */

/* Rows of the weights: whole kernel rows, or part of one. */
static conv_part conv_dw_part(const conv_choice *v, int64_t group, int64_t rows) {
    const int64_t length = v->kw * v->cg;
    if (v->chunk > 0) return (conv_part){group, rows * v->chunk, (rows + 1) * v->chunk, 0, length};
    const int64_t blocks = routine_parts(length, v->block), j0 = rows % blocks * v->block;
    const int64_t kh = rows / blocks;
    return (conv_part){group, kh, kh + 1, j0, min_i64(j0 + v->block, length)};
}

/* One block of rows and the blocks of columns [c0, c1), which share what was gathered. */
static void conv_dw_rows(const conv_choice *v, char *const *at, const conv_part *part, int64_t c0,
                         int64_t c1, char *scratch) {
    const float *x = (const float *)at[0], *dy = (const float *)at[1] + part->group * v->og;
    const int64_t row = part->kh0 * v->kw * v->cg + part->j0;
    const int64_t rows = (part->kh1 - part->kh0) * (part->j1 - part->j0);
    float *dw = (float *)at[2] + row * v->o + part->group * v->og;
    float *columns = (float *)scratch;
    for (int64_t p = 0; p < v->span; p += v->tile) {
        const int64_t end = min_i64(p + v->tile, v->span);
        conv_gather(v, x, part, p, end, columns, rows);
        for (int64_t c = c0; c < c1; c++) {
            const int64_t first = c * v->across, n = min_i64(v->across, v->og - first);
            const gemm_plan *plan = &v->plan[end - p < v->tile][rows < v->block][n < v->across];
            const gemm_data d = {
                .a = columns, .b = dy + p * v->o + first, .c = dw + first, .accumulate = p > 0};
            gemm_run(plan, &d, 0, plan->units, scratch + v->column_bytes);
        }
    }
}

/* Units: blocks of columns, of them groups, of them blocks of rows. */
static void conv_dw_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                        void *scratch) {
    const conv_choice *v = r->own;
    const int64_t across = routine_parts(v->og, v->across);
    for (int64_t u = unit0; u < unit1;) {
        const int64_t c0 = u % across, c1 = min_i64(across, c0 + unit1 - u), rest = u / across;
        const conv_part part = conv_dw_part(v, rest % v->groups, rest / v->groups);
        conv_dw_rows(v, at, &part, c0, c1, scratch);
        u += c1 - c0;
    }
}

/* Without pixels the sums are empty. */
static void conv_dw_zero(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                         void *scratch) {
    (void)unit0, (void)unit1, (void)scratch;
    memset(at[2], 0, (size_t)routine_count(&r->s->in[2]) * sizeof(float));
}

weft_err conv_dw_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    WEFT_TRY(conv_begin(r, s, 0, 2, 1, level, c, memory));
    conv_choice *v = r->own;
    const int64_t pixels = v->n * v->oh * v->ow;
    if (v->depth * v->o == 0) return WEFT_OK;
    if (pixels == 0) {
        r->run = conv_dw_zero;
        r->units = 1;
        return WEFT_OK;
    }
    if (conv_plain(v)) {
        const gemm_shape m = {v->c, v->o, pixels, 1, v->c, v->o, 1, v->o};
        return conv_plain_prepare(r, &m, 0, 1, level);
    }
    if (conv_depthwise(v)) {
        conv_depth_dw_prepare(r);
        return WEFT_OK;
    }
    r->run = conv_dw_run;
    /* Many rows, because each block of them goes through dy again; columns for more units. */
    const int64_t length = v->kw * v->cg;
    int64_t units;
    if (length <= CONV_DW_ROWS) {
        v->chunk = v->kh;
        while (v->kh % v->chunk || v->chunk * length > CONV_DW_ROWS) v->chunk--;
        v->block = v->chunk * length;
        units = v->kh / v->chunk * v->groups;
    } else {
        const int64_t blocks = routine_parts(length, CONV_DW_ROWS);
        v->block = routine_parts(routine_parts(length, blocks), 12) * 12;
        units = v->kh * routine_parts(length, v->block) * v->groups;
    }
    const int64_t across = max_i64(1, min_i64(v->og / 32, routine_parts(8, units)));
    v->across = min_i64(v->og, routine_parts(routine_parts(v->og, across), 16) * 16);
    r->units = units * routine_parts(v->og, v->across);

    const int64_t wish = CONV_BACK_COLUMNS / (v->block + v->across) / 12 * 12;
    const int64_t last = conv_tile(v, pixels, min_i64(384, max_i64(48, wish)));
    const int64_t rows = v->chunk || length % v->block == 0 ? v->block : length % v->block;
    const int64_t columns = v->og % v->across ? v->og % v->across : v->across;
    for (int i = 0; i < 8; i++) {
        const int64_t m = i & 2 ? rows : v->block, n = i & 1 ? columns : v->across;
        const gemm_shape shape = {m, n, i & 4 ? last : v->tile, 1, m, v->o, 1, v->o};
        conv_choose(r, &v->plan[i >> 2][i >> 1 & 1][i & 1], level, &shape);
    }
    conv_room(v, v->block);
    r->scratch += v->column_bytes;
    return WEFT_OK;
}
