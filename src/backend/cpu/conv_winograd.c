/* conv_winograd.c - convolution by Winograd's transforms, and the gradient in x, which is one of dy
 * with the weights flipped.
 *
 * Operands image, weights -> result. A unit is one or several images, or a band of one. It goes by
 * blocks of tiles, a tile being 2x2 pixels of the result: their patches are transformed, multiplied
 * with the transformed weights in strips, some columns at a time, and transformed back while the
 * products are near. Weights are transformed once per call. A patch that leaves the image is copied
 * with zeros around it first. */
#include "conv_winograd.h"

#include "gemm_parts.h"

#include <assert.h>

enum {
    WINO_TILES = 96,       /* of a block, at most                            */
    WINO_COLUMNS = 64,     /* of the products that are transformed together  */
    WINO_DEPTH = 384,      /* products summed in registers                   */
    WINO_UNIT_IMAGES = 16, /* from so many on, a unit has whole images       */
    WINO_BAND_TILES = 32   /* else it is rows with about so many tiles */
};

typedef struct wino {
    conv_shape s;
    const winograd_table *t;
    const strip_level *level;
    bool flipped;
    winograd_image x;    /* how tiles lie */
    int64_t depth;       /* channels of all parts of the kernel */
    int64_t images;      /* of a unit */
    int64_t bands, band; /* of an image; rows of tiles in each */
    int64_t block;       /* tiles */
    int64_t columns;
    int64_t plane; /* floats of packed weights, one of 16 */
    size_t weight_bytes, image_bytes, product_bytes, patch_bytes, row_bytes;
    conv_wide wide;
} wino;

/* Where the scratch of a call is used for what. */
typedef struct wino_room {
    float *weights; /* [16][panel][depth][width] */
    float *image;   /* [16][tile][depth], first the flipped weights */
    float *product; /* [16][tile][columns] */
    float *patch;   /* [4][4][c], or [2][2][columns] */
    const char **row;
} wino_room;

static wino_room wino_room_of(const wino *v, char *scratch) {
    assert((uintptr_t)scratch % 64 == 0);
    wino_room m = {.weights = (float *)scratch};
    scratch += v->weight_bytes;
    m.image = (float *)scratch;
    scratch += v->image_bytes;
    m.product = (float *)scratch;
    scratch += v->product_bytes;
    m.patch = (float *)scratch;
    scratch += v->patch_bytes;
    m.row = (const char **)scratch;
    return m;
}

/* The end of the block of columns that begins at j; no block is thinner than a vector. */
static int64_t wino_columns_end(const wino *v, int64_t j) {
    const int64_t end = j + v->columns;
    return v->s.o - end < v->level->lanes ? v->s.o : end;
}

/* ---- patches ---- */

winograd_image winograd_image_of(const conv_shape *s) {
    const int64_t down = routine_parts(s->oh, 2), across = routine_parts(s->ow, 2);
    const int64_t columns = routine_parts(s->kw, 3);
    return (winograd_image){down, across, down * across, routine_parts(s->kh, 3) * columns,
                            columns};
}

winograd_tile winograd_tile_of(const winograd_image *m, int64_t tile) {
    assert(tile >= 0);
    const int64_t at = tile % m->tiles;
    return (winograd_tile){tile / m->tiles, at / m->across, at % m->across};
}

int64_t winograd_place(const winograd_image *m, const conv_shape *s, int64_t part, int64_t i) {
    const int64_t h = part / m->part_columns * 3 + i / 3, w = part % m->part_columns * 3 + i % 3;
    return h < s->kh && w < s->kw ? h * s->kw + w : -1;
}

void winograd_patch(const winograd_image *m, const conv_shape *s, const winograd_table *t,
                    const float *x, winograd_tile p, float *to, int64_t plane, int64_t n,
                    float *room) {
    const int64_t row = s->w * s->c;
    x += p.image * s->h * row;
    for (int64_t part = 0; part < m->parts; part++, to += n) {
        const int64_t h0 = 2 * p.row - s->pad[0] + part / m->part_columns * 3;
        const int64_t w0 = 2 * p.column - s->pad[1] + part % m->part_columns * 3;
        if (h0 >= 0 && w0 >= 0 && h0 + 4 <= s->h && w0 + 4 <= s->w) {
            t->image(to, plane, x + h0 * row + w0 * s->c, row, s->c, n);
            continue;
        }
        memset(room, 0, (size_t)(16 * n) * sizeof *room);
        for (int64_t e = 0; e < 16; e++) {
            const int64_t h = h0 + e / 4, w = w0 + e % 4;
            if (h < 0 || h >= s->h || w < 0 || w >= s->w) continue;
            memcpy(room + e * n, x + h * row + w * s->c, (size_t)n * sizeof *room);
        }
        t->image(to, plane, room, 4 * n, n, n);
    }
}

/* ---- weights ---- */

/* Columns of the weights at channel c of a part, as one vector. */
static void wino_vector(const wino *v, const float *w, int64_t part, int64_t at, float *to) {
    static const float zeros[16];
    const int64_t places = v->s.kh * v->s.kw, apart = v->s.c * v->s.o;
    const float *place[9];
    for (int i = 0; i < 9; i++) {
        int64_t k = winograd_place(&v->x, &v->s, part, i);
        if (k >= 0 && v->flipped) k = places - 1 - k;
        place[i] = k >= 0 ? w + k * apart + at : zeros;
    }
    v->t->weights(to, v->plane, place, v->level->lanes);
}

static void wino_weights(const wino *v, const float *w, const routine *r, const wino_room *m) {
    const conv_shape *s = &v->s;
    const int64_t lanes = v->level->lanes, apart = s->c * s->o;
    if (v->flipped) {
        for (int64_t k = 0; k < s->kh * s->kw; k++)
            r->loops->transpose(m->image + k * apart, s->o, w + k * apart, s->c, s->o, s->c);
        w = m->image;
    }
    float *to = m->weights;
    for (int64_t j0 = 0; j0 < s->o; j0 = wino_columns_end(v, j0)) {
        const int64_t j1 = wino_columns_end(v, j0);
        for (int64_t j = j0; j < j1;) {
            const int64_t columns = strip_columns(v->level, j1 - j);
            const int64_t width = strip_vectors(v->level, columns) * lanes;
            for (int64_t k = 0; k < v->depth; k++, to += width) {
                const int64_t at = k % s->c * s->o + j;
                wino_vector(v, w, k / s->c, at, to);
                if (width > lanes) wino_vector(v, w, k / s->c, at + columns - lanes, to + lanes);
            }
            j += columns;
        }
    }
}

/* ---- tiles ---- */

/* Columns [j0, j1) of a tile whose products are m. */
static void wino_result(const wino *v, const routine *r, float *y, winograd_tile p, const float *m,
                        int64_t plane, int64_t j0, int64_t j1, float *part) {
    const conv_shape *s = &v->s;
    const gemm_data *after = r->after;
    const int64_t n = j1 - j0, pixel = (p.image * s->oh + 2 * p.row) * s->ow + 2 * p.column;
    const int64_t at = pixel * s->o + j0;
    const float *bias = after && after->bias ? after->bias + j0 : NULL;
    const float *mask = after && after->mask ? after->mask + at : NULL;
    const bool relu = after && after->relu;
    const int64_t rows = min_i64(2, s->oh - 2 * p.row), columns = min_i64(2, s->ow - 2 * p.column);
    if (rows == 2 && columns == 2) {
        v->t->result(y + at, s->ow * s->o, s->o, m, plane, n, bias, relu, mask);
        return;
    }
    v->t->result(part, 2 * n, n, m, plane, n, bias, relu, NULL);
    for (int64_t e = 0; e < 4; e++) {
        if (e / 2 >= rows || e % 2 >= columns) continue;
        const int64_t to = e / 2 * s->ow * s->o + e % 2 * s->o;
        if (mask) r->loops->finish(part + e * n, NULL, false, mask + to, n);
        memcpy(y + at + to, part + e * n, (size_t)n * sizeof *y);
    }
}

/* The 16 products of `tiles` transformed patches, columns [j0, j1). */
static void wino_products(const wino *v, const wino_room *m, const float *weights, int64_t tiles,
                          int64_t j0, int64_t j1) {
    assert(tiles >= 0);
    const int64_t lanes = v->level->lanes, none = 0, n = j1 - j0;
    for (int64_t k = 0; k < v->depth; k += WINO_DEPTH) {
        const int64_t depth = min_i64(WINO_DEPTH, v->depth - k);
        for (int e = 0; e < 16; e++) {
            for (int64_t i = 0; i < tiles; i++)
                m->row[i] = (const char *)(m->image + e * winograd_plane(tiles * v->depth) +
                                           i * v->depth + k);
            const float *panel = weights + e * v->plane;
            for (int64_t j = 0; j < n;) {
                const int64_t columns = strip_columns(v->level, n - j);
                const int64_t width = strip_vectors(v->level, columns) * lanes;
                const strip t = {.row = m->row,
                                 .off = &none,
                                 .runs = 1,
                                 .run = depth,
                                 .a_step = 4,
                                 .b = panel + k * width,
                                 .b_step = width,
                                 .b_last = width - lanes,
                                 .c = m->product + e * winograd_plane(tiles * n) + j,
                                 .c_row = n,
                                 .c_last = columns - lanes,
                                 .flags = k > 0 ? GEMM_OLD : 0};
                strip_run(v->level, &t, tiles, columns);
                panel += v->depth * width;
                j += columns;
            }
        }
    }
}

/* Tiles [t0, t1), counted through all images; x begins with image `first`. */
static void wino_block(const wino *v, const routine *r, char *const *at, const float *x,
                       int64_t first, int64_t t0, int64_t t1, const wino_room *m) {
    assert(0 <= t0 && t0 <= t1);
    const conv_shape *s = &v->s;
    const int64_t tiles = t1 - t0;
    for (int64_t t = t0; t < t1; t++)
        winograd_patch(&v->x, s, v->t, x, winograd_tile_of(&v->x, t - first * v->x.tiles),
                       m->image + (t - t0) * v->depth, winograd_plane(tiles * v->depth), s->c,
                       m->patch);
    const float *weights = m->weights;
    for (int64_t j0 = 0; j0 < s->o;) {
        const int64_t j1 = wino_columns_end(v, j0), n = j1 - j0;
        wino_products(v, m, weights, tiles, j0, j1);
        for (int64_t t = t0; t < t1; t++)
            wino_result(v, r, (float *)at[2], winograd_tile_of(&v->x, t), m->product + (t - t0) * n,
                        winograd_plane(tiles * n), j0, j1, m->patch);
        for (int64_t j = j0; j < j1;) {
            const int64_t columns = strip_columns(v->level, j1 - j);
            weights += v->depth * strip_vectors(v->level, columns) * v->level->lanes;
            j += columns;
        }
        j0 = j1;
    }
}

/* Output rows, counted through all images, that are complete when all tiles before t are. */
static int64_t wino_rows_before(const wino *v, int64_t t) {
    const winograd_tile p = winograd_tile_of(&v->x, t);
    return p.image * v->s.oh + min_i64(2 * p.row, v->s.oh);
}

static void wino_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                     void *scratch) {
    assert(0 <= unit0 && unit0 <= unit1 && unit1 <= r->units);
    const wino *v = r->own;
    const wino_room m = wino_room_of(v, scratch);
    wino_weights(v, conv_weights(r, &v->wide, 1, at, scratch), r, &m);
    const float *x = NULL;
    for (int64_t u = unit0; u < unit1; u++) {
        const int64_t first = u / v->bands * v->images * v->x.tiles, band = u % v->bands * v->band;
        const int64_t t0 = first + band * v->x.across;
        const int64_t tiles = v->bands == 1 ? v->images * v->x.tiles
                                            : min_i64(v->band, v->x.down - band) * v->x.across;
        const int64_t image = u / v->bands;
        if (u == unit0 || u % v->bands == 0)
            x = conv_image(r, &v->wide, 0, at, image, v->images * v->s.h * v->s.w * v->s.c,
                           scratch);
        int64_t done = wino_rows_before(v, t0);
        for (int64_t t = t0; t < t0 + tiles; t += v->block) {
            const int64_t end = min_i64(t + v->block, t0 + tiles), rows = wino_rows_before(v, end);
            wino_block(v, r, at, x, image * v->images, t, end, &m);
            routine_done(r, done * v->s.ow, rows * v->s.ow, scratch);
            done = rows;
        }
    }
}

static void wino_choose_units(wino *v, routine *r) {
    const conv_shape *s = &v->s;
    v->bands = v->images = 1;
    v->band = v->x.down;
    if (s->n < WINO_UNIT_IMAGES) {
        v->band = min_i64(v->x.down, routine_parts(WINO_BAND_TILES, v->x.across));
        v->bands = routine_parts(v->x.down, v->band);
    } else {
        for (int64_t i = 2; i <= s->n && i * v->x.tiles <= WINO_TILES; i++)
            if (s->n % i == 0) v->images = i;
        if (s->kh != s->n) r->rows = v->images;
    }
    r->units = s->n / v->images * v->bands;
    const int64_t most = v->bands == 1 ? v->images * v->x.tiles : v->band * v->x.across;
    const int64_t even = routine_parts(most, routine_parts(most, WINO_TILES));
    const int64_t rows = v->level->rows[2];
    v->block = min_i64(most, routine_parts(even, rows) * rows);
}

weft_err conv_winograd_prepare(routine *r, const conv_shape *s, bool flipped, isa level,
                               weft_ctx *c, arena *memory) {
    WEFT_TRY(routine_own(r, sizeof(wino), c, memory));
    wino *v = r->own;
    v->s = *s;
    v->flipped = flipped;
    v->t = winograd_of(level);
    v->level = strip_level_of(level, s->o);
    v->x = winograd_image_of(s);
    v->depth = v->x.parts * s->c;
    v->columns = WINO_COLUMNS;
    wino_choose_units(v, r);
    const int64_t widest = min_i64(s->o, v->columns + v->level->lanes);
    v->plane =
        winograd_plane(v->depth * (s->o + v->level->lanes * routine_parts(s->o, v->columns)));
    v->weight_bytes = routine_round((size_t)(16 * v->plane) * sizeof(float));
    v->image_bytes =
        routine_round((size_t)(16 * winograd_plane(v->block * v->depth)) * sizeof(float));
    v->product_bytes =
        routine_round((size_t)(16 * winograd_plane(v->block * widest)) * sizeof(float));
    v->patch_bytes = routine_round((size_t)max_i64(16 * s->c, 4 * widest) * sizeof(float));
    v->row_bytes = routine_round((size_t)v->block * sizeof(char *));
    const size_t after = v->image_bytes + v->product_bytes + v->patch_bytes + v->row_bytes;
    const size_t flipping = flipped ? (size_t)(s->kh * s->kw * s->c * s->o) * sizeof(float) : 0;
    r->scratch = v->weight_bytes + (flipping > after ? flipping : after);
    v->wide = conv_wide_room(r, 1, 0, v->images * s->h * s->w * s->c);
    r->run = wino_run;
    return WEFT_OK;
}
