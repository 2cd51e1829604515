/* conv_winograd_dw.c - the gradient of a convolution in its weights by Winograd's
 * transforms: x, dy -> dw.
 *
 * A unit owns some channels in and some out; neighbours are done together where one thread has
 * several. All tiles are gone through in order, a tile being 2x2 pixels of dy and the 4x4 patch of
 * x they saw: both are transformed, and their 16 products are added up. What comes out is
 * transformed back at the end. */
#include "conv_winograd.h"

#include "gemm_parts.h"

enum {
    WINO_DW_TILES = 48, /* of a block, at most */
    WINO_DW_IN = 64,    /* channels that are done together, at most */
    WINO_DW_OUT = 64,
    WINO_DW_UNIT_IN = 16, /* channels of a unit */
    WINO_DW_ROWS = 128    /* of its products, at most */
};

typedef struct wino_dw {
    winograd_image x; /* how tiles lie */
    const winograd_table *t;
    const strip_level *level;
    conv_shape s;
    int64_t in_units, together; /* units of channels in, and how many are done at once */
    int64_t out_units, unit_out;
    size_t image_bytes, output_bytes, sum_bytes, patch_bytes;
    conv_wide wide;
    size_t wide_output; /* of an image of dy */
} wino_dw;

/* 2x2 pixels of dy, some of which may lie outside. */
static void wino_dw_output(const wino_dw *v, const float *dy, winograd_tile p, float *to,
                           int64_t plane, int64_t n, float *part) {
    const conv_shape *s = &v->s;
    const int64_t rows = min_i64(2, s->oh - 2 * p.row), columns = min_i64(2, s->ow - 2 * p.column);
    dy += ((p.image * s->oh + 2 * p.row) * s->ow + 2 * p.column) * s->o;
    if (rows == 2 && columns == 2) {
        v->t->output(to, plane, dy, s->ow * s->o, s->o, n);
        return;
    }
    memset(part, 0, (size_t)(4 * n) * sizeof *part);
    for (int64_t e = 0; e < 4; e++) {
        if (e / 2 >= rows || e % 2 >= columns) continue;
        memcpy(part + e * n, dy + (e / 2 * s->ow + e % 2) * s->o, (size_t)n * sizeof *part);
    }
    v->t->output(to, plane, part, 2 * n, n, n);
}

static void wino_dw_products(const wino_dw *v, const float *image, const float *output, float *sum,
                             int64_t tiles, int64_t depth, int64_t out, bool add) {
    const int64_t lanes = v->level->lanes, none = 0;
    const char *row[WINO_DW_ROWS];
    for (int e = 0; e < 16; e++) {
        for (int64_t i = 0; i < depth; i++)
            row[i] = (const char *)(image + e * winograd_plane(tiles * depth) + i);
        for (int64_t j = 0; j < out;) {
            const int64_t columns = strip_columns(v->level, out - j);
            const strip t = {.row = row,
                             .off = &none,
                             .runs = 1,
                             .run = tiles,
                             .a_step = depth * 4,
                             .b = output + e * winograd_plane(tiles * out) + j,
                             .b_step = out,
                             .b_last = columns - lanes,
                             .c = sum + e * winograd_plane(depth * out) + j,
                             .c_row = out,
                             .c_last = columns - lanes,
                             .flags = add ? GEMM_OLD : 0};
            strip_run(v->level, &t, depth, columns);
            j += columns;
        }
    }
}

/* Units [a0, a1) of channels in and unit b of channels out. */
static void wino_dw_part(const routine *r, char *const *at, int64_t a0, int64_t a1, int64_t b,
                         char *scratch) {
    const wino_dw *v = r->own;
    const conv_shape *s = &v->s;
    const int64_t c0 = a0 * WINO_DW_UNIT_IN, c1 = a1 < v->in_units ? a1 * WINO_DW_UNIT_IN : s->c;
    const int64_t j0 = b * v->unit_out, j1 = b + 1 < v->out_units ? j0 + v->unit_out : s->o;
    const int64_t in = c1 - c0, depth = v->x.parts * in, out = j1 - j0;
    const int64_t all = s->n * v->x.tiles;
    float *image = (float *)scratch;
    float *output = (float *)(scratch + v->image_bytes);
    float *sum = (float *)(scratch + v->image_bytes + v->output_bytes);
    float *patch = (float *)(scratch + v->image_bytes + v->output_bytes + v->sum_bytes);
    const int64_t pixels = s->oh * s->ow * s->o;
    const float *x = NULL, *dy = NULL;
    for (int64_t t0 = 0; t0 < all; t0 += WINO_DW_TILES) {
        const int64_t t1 = min_i64(t0 + WINO_DW_TILES, all), tiles = t1 - t0;
        for (int64_t t = t0; t < t1; t++) {
            const winograd_tile p = winograd_tile_of(&v->x, t % v->x.tiles);
            if (t % v->x.tiles == 0) {
                const int64_t i = t / v->x.tiles;
                x = conv_image(r, &v->wide, 0, at, i, s->h * s->w * s->c, scratch) + c0;
                dy = routine_wide(r, 1, at[1], i * pixels, pixels,
                                  (float *)(void *)(scratch + v->wide_output)) +
                     j0;
            }
            winograd_patch(&v->x, s, v->t, x, p, image + (t - t0) * depth,
                           winograd_plane(tiles * depth), in, patch);
            wino_dw_output(v, dy, p, output + (t - t0) * out, winograd_plane(tiles * out), out,
                           patch);
        }
        wino_dw_products(v, image, output, sum, tiles, depth, out, t0 > 0);
    }
    for (int64_t i = 0; i < depth; i++) {
        float *place[9];
        for (int e = 0; e < 9; e++) {
            const int64_t k = winograd_place(&v->x, s, i / in, e);
            place[e] = patch; /* what lies outside the kernel */
            if (k >= 0) place[e] = (float *)at[2] + (k * s->c + c0 + i % in) * s->o + j0;
        }
        v->t->gradient(place, sum + i * out, winograd_plane(depth * out), out);
    }
}

static void wino_dw_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                        void *scratch) {
    const wino_dw *v = r->own;
    for (int64_t u = unit0; u < unit1;) {
        const int64_t b = u / v->in_units, a0 = u % v->in_units;
        int64_t a1 = min_i64(v->in_units, a0 + unit1 - u);
        a1 = min_i64(a1, a0 + v->together);
        wino_dw_part(r, at, a0, a1, b, scratch);
        u += a1 - a0;
    }
}

weft_err conv_winograd_dw_prepare(routine *r, const conv_shape *s, isa level, weft_ctx *c,
                                  arena *memory) {
    WEFT_TRY(routine_own(r, sizeof(wino_dw), c, memory));
    wino_dw *v = r->own;
    v->s = *s;
    v->x = winograd_image_of(s);
    v->t = winograd_of(level);
    v->level = strip_level_of(level, s->o);
    const int64_t lanes = v->level->lanes;
    v->in_units = s->c / WINO_DW_UNIT_IN;
    v->together = max_i64(1, WINO_DW_IN / WINO_DW_UNIT_IN / v->x.parts);
    /* Equal blocks of whole panels; the last takes a rest thinner than a vector. */
    const int64_t even = routine_parts(s->o, routine_parts(s->o, WINO_DW_OUT));
    v->unit_out = routine_parts(even, 2 * lanes) * 2 * lanes;
    v->out_units = max_i64(1, routine_parts(s->o - lanes + 1, v->unit_out));
    r->units = v->in_units * v->out_units;
    const int64_t in = v->x.parts * min_i64(s->c, (v->together + 1) * WINO_DW_UNIT_IN);
    const int64_t out = min_i64(s->o, v->unit_out + lanes);
    v->image_bytes =
        routine_round((size_t)(16 * winograd_plane(WINO_DW_TILES * in)) * sizeof(float));
    v->output_bytes = routine_round((size_t)(16 * winograd_plane(WINO_DW_TILES * out)) * 4);
    v->sum_bytes = routine_round((size_t)(16 * winograd_plane(in * out)) * sizeof(float));
    v->patch_bytes = routine_round((size_t)(16 * max_i64(in, out)) * sizeof(float));
    r->scratch = v->image_bytes + v->output_bytes + v->sum_bytes + v->patch_bytes;
    v->wide = conv_wide_room(r, -1, 0, s->h * s->w * s->c);
    v->wide_output = r->scratch;
    r->scratch += routine_room(&r->s->in[1], s->oh * s->ow * s->o);
    r->run = wino_dw_run;
    return WEFT_OK;
}
