/* pool.c - max_pool and its gradient over images [N, H, W, C].
 *
 * max_pool: x -> y, the largest of each window; padding is -inf, nan wins.
 * max_pool_dx: x, y, dy -> dx, each window's dy divided equally among the elements equal to its
 * maximum. Lanes run over channels. A unit is an image, or an output row of one when there are few
 * images; windows of dx may overlap, so there a unit is always an image. */
#include "loops.h"
#include "routines.h"

typedef struct maxpool_choice {
    int64_t n, h, w, c, oh, ow;
    int64_t size[2], stride[2], pad[2];
    int64_t bands;          /* units of an image */
    bool apart, covered;    /* windows do not overlap; and leave nothing out */
    size_t wide_y, wide_dy; /* in scratch, behind x: rows of 16 bits in f32 */
} maxpool_choice;

typedef struct maxpool_window {
    int64_t h0, h1, w0, w1;
} maxpool_window;

static maxpool_window maxpool_window_of(const maxpool_choice *o, int64_t i, int64_t j) {
    const int64_t top = i * o->stride[0] - o->pad[0], left = j * o->stride[1] - o->pad[1];
    return (maxpool_window){max_i64(top, 0), min_i64(top + o->size[0], o->h), max_i64(left, 0),
                            min_i64(left + o->size[1], o->w)};
}

/* The rows of x that the windows of output row `row` meet, counted through all images; they begin with
 * row *h0 of the image. */
static const float *maxpool_rows(const routine *r, char *const *at, int64_t row, int64_t *h0,
                                 float *room) {
    const maxpool_choice *o = r->own;
    const maxpool_window win = maxpool_window_of(o, row % o->oh, 0);
    const int64_t wide = o->w * o->c;
    *h0 = win.h0;
    return routine_wide(r, 0, at[0], (row / o->oh * o->h + win.h0) * wide,
                        max_i64(0, win.h1 - win.h0) * wide, room);
}

static void maxpool_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                        void *scratch) {
    const maxpool_choice *o = r->own;
    const int64_t c = o->c, rows = o->oh / o->bands;
    for (int64_t row = unit0 * rows; row < unit1 * rows; row++) {
        int64_t h0;
        const float *x = maxpool_rows(r, at, row, &h0, scratch);
        float *y = (float *)at[1] + row * o->ow * c;
        for (int64_t j = 0; j < o->ow; j++, y += c) {
            const maxpool_window win = maxpool_window_of(o, row % o->oh, j);
            r->loops->window(y, x + ((win.h0 - h0) * o->w + win.w0) * c, o->w * c, c,
                             win.h1 - win.h0, win.w1 - win.w0, c);
        }
        routine_finish(r, (float *)at[1], row * o->ow, (row + 1) * o->ow, scratch);
    }
}

/* Windows that do not overlap are written straight away, with the mask of a relu before the pool. */
static void maxpool_dx_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                           void *scratch) {
    const maxpool_choice *o = r->own;
    const int64_t c = o->c, pixels = o->h * o->w, results = o->ow * c;
    float *const y_room = (float *)((char *)scratch + o->wide_y);
    float *const dy_room = (float *)((char *)scratch + o->wide_dy);
    const float *mask =
        r->after && o->apart && !r->after->bias && !r->after->relu ? r->after->mask : NULL;
    for (int64_t image = unit0; image < unit1; image++) {
        float *dx = (float *)at[3] + image * pixels * c;
        if (!o->covered) memset(dx, 0, (size_t)(pixels * c) * sizeof *dx);
        for (int64_t row = image * o->oh; row < (image + 1) * o->oh; row++) {
            int64_t h0;
            const float *x = maxpool_rows(r, at, row, &h0, scratch);
            const float *y = routine_wide(r, 1, at[1], row * results, results, y_room);
            const float *dy = routine_wide(r, 2, at[2], row * results, results, dy_room);
            for (int64_t j = 0; j < o->ow; j++, y += c, dy += c) {
                const maxpool_window win = maxpool_window_of(o, row % o->oh, j);
                const int64_t in = (win.h0 * o->w + win.w0) * c;
                r->loops->window_grad(dx + in, x + in - h0 * o->w * c, y, dy,
                                      mask ? mask + image * pixels * c + in : NULL, o->w * c, c,
                                      win.h1 - win.h0, win.w1 - win.w0, c, !o->apart);
            }
        }
        if (mask) routine_done(r, image * pixels, (image + 1) * pixels, scratch);
        else routine_finish(r, (float *)at[3], image * pixels, (image + 1) * pixels, scratch);
    }
}

static weft_err maxpool_begin(routine *r, const step *s, const roperand *y, isa level, weft_ctx *c,
                              arena *memory) {
    WEFT_TRY(routine_own(r, sizeof(maxpool_choice), c, memory));
    maxpool_choice *o = r->own;
    const roperand *x = &s->in[0];
    (void)level;
    *o = (maxpool_choice){.n = x->dim[0],
                          .h = x->dim[1],
                          .w = x->dim[2],
                          .c = x->dim[3],
                          .oh = y->dim[1],
                          .ow = y->dim[2],
                          .bands = 1};
    for (int d = 0; d < 2; d++) {
        o->size[d] = s->attr[d];
        o->stride[d] = s->attr[2 + d];
        o->pad[d] = s->attr[4 + d];
    }
    o->apart = o->stride[0] >= o->size[0] && o->stride[1] >= o->size[1];
    o->covered = o->apart && o->stride[0] == o->size[0] && o->stride[1] == o->size[1] &&
                 o->oh * o->size[0] >= o->h + o->pad[0] && o->ow * o->size[1] >= o->w + o->pad[1];
    r->units = o->n;
    r->rows = 1;
    r->scratch = routine_room(x, min_i64(o->size[0], o->h) * o->w * o->c);
    return WEFT_OK;
}

weft_err maxpool_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    WEFT_TRY(maxpool_begin(r, s, &s->in[1], level, c, memory));
    maxpool_choice *o = r->own;
    r->run = maxpool_run;
    if (routine_count(&s->in[1]) == 0) r->units = r->rows = 0;
    else if (o->n < 8) {
        o->bands = o->oh;
        r->units = o->n * o->bands;
        r->rows = 0;
    }
    return WEFT_OK;
}

weft_err maxpool_dx_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    WEFT_TRY(maxpool_begin(r, s, &s->in[1], level, c, memory));
    maxpool_choice *o = r->own;
    const int64_t results = o->ow * o->c;
    o->wide_y = r->scratch;
    o->wide_dy = r->scratch += routine_room(&s->in[1], results);
    r->scratch += routine_room(&s->in[2], results);
    r->run = maxpool_dx_run;
    return WEFT_OK;
}
