/* conv_dw.c - the gradient of a convolution in its weights by strips: x, dy -> dw.
 *
 * A row of dw is one place of the window and one channel; what it meets of the image lies at the
 * same steps for every row, and so a strip needs no copy of it. A unit owns some rows and columns
 * of dw and goes through all pixels in order, some output rows at a time: those are framed, and
 * what they add is added to dw.
 *
 * A small dw has few such units, and many pixels: then the images are cut into parts, by the shape
 * alone. All but the first have sums of their own, and who finishes last adds them up in order. */
#include "conv.h"

#include "gemm_parts.h"

#include <assert.h>
#include <stdatomic.h>

enum {
    DW_FRAME = 1024 * 1024, /* bytes of framed rows, unless one needs more */
    DW_ROWS = 192,          /* of a unit, at most */
    DW_PACKED_ROWS = 48,    /* from so many on, panels of dy are worth copying together */
    DW_MOST = 256,          /* pixels in one sum: a panel of dy, and the channels they have, */
    DW_LEAST = 64,          /* should stay in the first cache while all rows go over them    */
    DW_CHANNELS = 4096,
    DW_PLACES = 7168,  /* floats */
    DW_UNITS = 8,      /* fewer are cut by images, */
    DW_WORTH = 1 << 20 /* into parts of at least so many multiplications each */
};

typedef struct dw_choice {
    conv_shape s;
    conv_frame frame;
    const strip_level *level;
    int64_t row_units, unit_rows; /* of a group */
    int64_t col_units, unit_cols;
    int64_t parts;     /* of the images */
    float *sums;       /* of all parts but the first, each as dw lies */
    atomic_int *ended; /* units of this run that are done */
    int64_t rows;      /* output rows framed together */
    int64_t lines;     /* output rows in one sum; 0: pieces of one */
    int64_t piece;     /* pixels of such a piece */
    int64_t *off;      /* bytes from one output row to another */
    bool packed;
    size_t frame_bytes, panel_bytes, place_bytes;
    conv_wide wide;
    size_t wide_output; /* of an image of dy */
} dw_choice;

/* A part of dw, and the addresses it works with. */
typedef struct dw_part {
    const dw_choice *v;
    const char **place; /* where each row meets the window of the first framed pixel */
    int64_t rows, columns;
    float *dw, *frame, *panel;
} dw_part;

/* Columns [j, j + columns) of dy, together. */
static void dw_pack(const dw_part *u, strip *t, const float *dy, int64_t pixels, int64_t columns) {
    const int64_t o = u->v->s.o, lanes = u->v->level->lanes;
    const int64_t width = strip_vectors(u->v->level, columns) * lanes;
    float *to = u->panel;
    for (int64_t k = 0; k < pixels; k++, to += width, dy += o) {
        if (columns < lanes) {
            for (int64_t e = 0; e < lanes; e++) to[e] = e < columns ? dy[e] : 0;
        } else {
            const float *last = dy + columns - lanes;
            for (int64_t e = 0; e < lanes; e += 4) { /* a call would cost more than the copy */
                memcpy(to + e, dy + e, 16);
                memcpy(to + width - lanes + e, last + e, 16);
            }
        }
    }
    t->b = u->panel;
    t->b_step = width;
    t->b_last = width - lanes;
}

/* Adds runs of `run` pixels, which begin at output row `first` of the frame and lie at dy. */
static void dw_sum(const dw_part *u, int64_t first, int64_t runs, int64_t run, const float *dy,
                   bool add) {
    const dw_choice *v = u->v;
    const conv_shape *s = &v->s;
    const int64_t lanes = v->level->lanes;
    for (int64_t j = 0; j < u->columns;) {
        const int64_t columns = strip_columns(v->level, u->columns - j);
        strip t = {.row = u->place,
                   .off = v->off + first,
                   .runs = runs,
                   .run = run,
                   .a_step = s->stride[1] * s->c * 4,
                   .b = dy + j,
                   .b_step = s->o,
                   .b_last = columns - lanes,
                   .c = u->dw + j,
                   .c_row = s->o,
                   .c_last = columns - lanes,
                   .flags = add ? GEMM_OLD : 0};
        if (v->packed || columns < lanes) dw_pack(u, &t, dy + j, runs * run, columns);
        strip_run(v->level, &t, u->rows, columns);
        j += columns;
    }
}

static void dw_shift(const dw_part *u, int64_t pixels) {
    const int64_t bytes = pixels * u->v->s.stride[1] * u->v->s.c * 4;
    for (int64_t i = 0; i < u->rows; i++) u->place[i] += bytes;
}

/* Output rows [oh0, oh1) of an image. */
static void dw_rows(const dw_part *u, const float *x, int64_t oh0, int64_t oh1, const float *dy,
                    bool add) {
    const dw_choice *v = u->v;
    const conv_shape *s = &v->s;
    const int64_t lines = max_i64(v->lines, 1);
    int64_t filled = 0;
    for (int64_t oh = oh0; oh < oh1; oh += lines) {
        const int64_t count = min_i64(lines, oh1 - oh);
        conv_frame_fill(s, &v->frame, x, oh0, &filled, conv_frame_rows(s, oh + count - oh0),
                        u->frame);
        if (v->lines > 0) {
            dw_sum(u, oh - oh0, count, s->ow, dy, add);
            add = true;
        }
        for (int64_t ow = 0; ow < s->ow && v->lines == 0; ow += v->piece, add = true) {
            dw_shift(u, ow);
            dw_sum(u, oh - oh0, 1, min_i64(v->piece, s->ow - ow), dy + ow * s->o, add);
            dw_shift(u, -ow);
        }
        dy += count * s->ow * s->o;
    }
}

/* Blocks [c0, c1) of columns in a block of rows of a group, over a part of the images. */
static void dw_part_run(const routine *r, char *const *at, int64_t part, int64_t block, int64_t c0,
                        int64_t c1, char *scratch) {
    const dw_choice *v = r->own;
    const conv_shape *s = &v->s;
    const int64_t pixels = s->oh * s->ow * s->o;
    const int64_t g = block % s->groups, i0 = block / s->groups * v->unit_rows;
    const int64_t j0 = c0 * v->unit_cols, j1 = c1 < v->col_units ? c1 * v->unit_cols : s->og;
    dw_part u = {.v = v,
                 .place = (const char **)(scratch + v->frame_bytes),
                 .rows = min_i64(v->unit_rows, s->depth - i0),
                 .columns = j1 - j0,
                 .frame = (float *)scratch,
                 .panel = (float *)(scratch + v->frame_bytes + v->place_bytes)};
    const int64_t column = g * s->og + j0;
    const int64_t from = s->n * part / v->parts, to = s->n * (part + 1) / v->parts;
    u.dw = part ? v->sums + (part - 1) * s->depth * s->o : (float *)at[2];
    u.dw += i0 * s->o + column;
    for (int64_t image = from; image < to; image++) {
        const float *x = conv_image(r, &v->wide, 0, at, image, s->h * s->w * s->c, scratch);
        const float *dys = routine_wide(r, 1, at[1], image * pixels, pixels,
                                        (float *)(void *)(scratch + v->wide_output));
        for (int64_t oh = 0; oh < s->oh; oh += v->rows) {
            const float *window = conv_frame_at(s, &v->frame, x, oh, u.frame);
            for (int64_t i = 0; i < u.rows; i++) {
                const int64_t tap = (i0 + i) / s->cg, c = (i0 + i) % s->cg + g * s->cg;
                u.place[i] = (const char *)(window + tap / s->kw * s->dilation[0] * v->frame.row +
                                            tap % s->kw * s->dilation[1] * s->c + c);
            }
            const float *dy = dys + oh * s->ow * s->o + column;
            dw_rows(&u, x, oh, min_i64(oh + v->rows, s->oh), dy, image > from || oh > 0);
        }
    }
}

static void dw_add_parts(const dw_choice *v, float *dw) {
    const int64_t n = v->s.depth * v->s.o;
    for (int64_t part = 1; part < v->parts; part++) {
        const float *sum = v->sums + (part - 1) * n;
        for (int64_t i = 0; i < n; i++) dw[i] += sum[i];
    }
}

/* Units that differ in their columns only share a frame. */
static void dw_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1, void *scratch) {
    const dw_choice *v = r->own;
    const int64_t blocks = v->row_units * v->s.groups;
    for (int64_t u = unit0; u < unit1;) {
        const int64_t c0 = u % v->col_units, c1 = min_i64(v->col_units, c0 + unit1 - u);
        const int64_t block = u / v->col_units;
        dw_part_run(r, at, block / blocks, block % blocks, c0, c1, scratch);
        u += c1 - c0;
    }
    if (v->parts == 1 || unit0 >= unit1) return;
    const int mine = (int)(unit1 - unit0), all = (int)r->units;
    const int ended = atomic_fetch_add_explicit(v->ended, mine, memory_order_acq_rel) + mine;
    assert(ended <= all);
    if (ended < all) return;
    atomic_store_explicit(v->ended, 0, memory_order_relaxed);
    dw_add_parts(v, (float *)at[2]);
}

/* Parts of the images, where there are few units and much to do. */
static weft_err dw_cut(dw_choice *v, int64_t units, weft_ctx *c, arena *memory) {
    const conv_shape *s = &v->s;
    const int64_t work = s->n * s->oh * s->ow * s->depth * s->og;
    v->parts = min_i64(min_i64(routine_parts(DW_UNITS, units), s->n), work / DW_WORTH);
    if (v->parts <= 1) {
        v->parts = 1;
        return WEFT_OK;
    }
    v->ended = arena_new(memory, sizeof *v->ended);
    v->sums = arena_new(memory, (size_t)((v->parts - 1) * s->depth * s->o) * sizeof *v->sums);
    if (!v->ended || !v->sums) return weft_fail(c, WEFT_MEMORY, "no memory for a convolution");
    atomic_init(v->ended, 0);
    return WEFT_OK;
}

weft_err conv_strips_dw_prepare(routine *r, const conv_shape *s, isa level, weft_ctx *c,
                                arena *memory) {
    WEFT_TRY(routine_own(r, sizeof(dw_choice), c, memory));
    dw_choice *v = r->own;
    v->s = *s;
    v->frame = conv_frame_of(s);
    v->level = strip_level_of(level, s->og);
    /* Many rows, because each unit goes through dy and frames the image again; columns for more
     * units. */
    const int64_t most = v->level->rows[2];
    const int64_t blocks = routine_parts(s->depth, DW_ROWS);
    v->unit_rows = min_i64(s->depth, routine_parts(routine_parts(s->depth, blocks), most) * most);
    v->row_units = routine_parts(s->depth, v->unit_rows);
    const int64_t across = routine_parts(8, v->row_units * s->groups);
    const int64_t panel = 2 * v->level->lanes;
    v->unit_cols = max_i64(panel, routine_parts(routine_parts(s->og, across), panel) * panel);
    /* A last unit thinner than a vector would have nothing to overlap. */
    v->col_units = max_i64(1, routine_parts(s->og - v->level->lanes + 1, v->unit_cols));
    if (v->col_units == 1) v->unit_cols = s->og;
    r->units = v->row_units * s->groups * v->col_units;
    if (r->units > 0) WEFT_TRY(dw_cut(v, r->units, c, memory));
    r->units *= v->parts;

    v->packed = v->unit_rows >= DW_PACKED_ROWS;
    int64_t pixels = min_i64(DW_MOST, max_i64(DW_LEAST, DW_CHANNELS / s->cg));
    /* Where dy is read in place, all its columns must find room in the first cache: a panel's lines
     * would else push each other out (224x224x3 to 64: 2.7 -> 2.1 ms from 224 to 112, Zen 3). */
    if (!v->packed) pixels = min_i64(pixels, max_i64(16, DW_PLACES / s->o));
    v->rows = conv_frame_fit(s, &v->frame, s->oh, DW_FRAME);
    v->lines = min_i64(v->rows, pixels / s->ow);
    v->piece = routine_parts(s->ow, routine_parts(s->ow, pixels));
    v->off = arena_new(memory, (size_t)v->rows * sizeof *v->off);
    if (!v->off) return weft_fail(c, WEFT_MEMORY, "no memory for a convolution");
    for (int64_t i = 0; i < v->rows; i++) v->off[i] = i * s->stride[0] * v->frame.row * 4;

    v->frame_bytes = conv_frame_bytes(s, &v->frame, v->rows);
    v->place_bytes = routine_round((size_t)v->unit_rows * sizeof(char *));
    v->panel_bytes = routine_round((size_t)(max_i64(v->lines * s->ow, v->piece) * panel) * 4);
    r->scratch = v->frame_bytes + v->place_bytes + v->panel_bytes;
    v->wide = conv_wide_room(r, -1, 0, s->h * s->w * s->c);
    v->wide_output = r->scratch;
    r->scratch += routine_room(&r->s->in[1], s->oh * s->ow * s->o);
    r->run = dw_run;
    return WEFT_OK;
}
