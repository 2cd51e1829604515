/* scan.c - linrec: h[t] = a[t] h[t-1] + b[t] along one axis, from either end, h starting at 0.
 *
 * Operands a, b -> h; a and b with any strides. Where the axis is not the last one, lanes run over
 * the last axis. Where it is the last, the chain itself is serial, so several lines go side by side
 * to hide the latency. What is carried along is a double: in f32 the sum of many ones would stop at
 * 2^24. */
#include "loops.h"
#include "routines.h"

enum { SCAN_LINES = 8, SCAN_CHUNK = 512 };

typedef struct scan_choice {
    const loops_table *v;
    int axis;
    bool last;             /* the axis is the last one */
    int64_t length, lines; /* along the axis; lines of the other axes, without the lanes' axis */
    int64_t lanes, chunks; /* of the last axis, if lanes run there */
    roperand view[3];      /* a, b, h without the lanes' axis */
    int64_t step[3], lane[3];
    int64_t start[3]; /* of the axis: 0, or its last element when it is run backwards */
} scan_choice;

/* Lines [i, i + count) along the last axis. */
static void scan_lines(const scan_choice *o, const float *a, const float *b, float *h, int64_t i,
                       int64_t count) {
    const float *pa[SCAN_LINES], *pb[SCAN_LINES];
    float *ph[SCAN_LINES];
    double last[SCAN_LINES] = {0};
    for (int64_t l = 0; l < SCAN_LINES; l++) {
        const int64_t line = i + (l < count ? l : 0); /* a spare lane repeats the first line */
        pa[l] = a + o->start[0] + routine_line(&o->view[0], o->axis, line);
        pb[l] = b + o->start[1] + routine_line(&o->view[1], o->axis, line);
        ph[l] = h + o->start[2] + routine_line(&o->view[2], o->axis, line);
    }
    for (int64_t t = 0; t < o->length; t++) {
        for (int l = 0; l < SCAN_LINES; l++) {
            last[l] = (double)*pa[l] * last[l] + (double)*pb[l];
            *ph[l] = (float)last[l];
            pa[l] += o->step[0];
            pb[l] += o->step[1];
            ph[l] += o->step[2];
        }
    }
}

/* One chunk of lanes of one line, carried from one t to the next in `last` (SCAN_CHUNK). */
static void scan_rows(const scan_choice *o, const float *a, const float *b, float *h, int64_t unit,
                      double *last) {
    const int64_t line = unit / o->chunks, j0 = unit % o->chunks * SCAN_CHUNK;
    const int64_t n = min_i64(SCAN_CHUNK, o->lanes - j0);
    const int64_t a_lane = o->lane[0], b_lane = o->lane[1];
    a += o->start[0] + routine_line(&o->view[0], o->axis, line) + j0 * a_lane;
    b += o->start[1] + routine_line(&o->view[1], o->axis, line) + j0 * b_lane;
    h += o->start[2] + routine_line(&o->view[2], o->axis, line) + j0;
    for (int64_t t = 0; t < o->length; t++) {
        if (t == 0) {
            for (int64_t j = 0; j < n; j++) last[j] = (double)(h[j] = b[j * b_lane]);
        } else if (b_lane == 1 && a_lane <= 1) {
            o->v->recur(h, last, a, a_lane, b, n);
        } else {
            for (int64_t j = 0; j < n; j++) {
                last[j] = (double)a[j * a_lane] * last[j] + (double)b[j * b_lane];
                h[j] = (float)last[j];
            }
        }
        a += o->step[0];
        b += o->step[1];
        h += o->step[2];
    }
}

static void scan_run(const routine *r, char *const *at, int64_t unit0, int64_t unit1,
                     void *scratch) {
    const scan_choice *o = r->own;
    const float *a = (const float *)at[0], *b = (const float *)at[1];
    float *h = (float *)at[2];
    for (int64_t u = unit0; u < unit1; u++) {
        if (!o->last) {
            scan_rows(o, a, b, h, u, scratch);
        } else {
            const int64_t i = u * SCAN_LINES;
            scan_lines(o, a, b, h, i, min_i64(SCAN_LINES, o->lines - i));
        }
    }
}

weft_err scan_prepare(routine *r, const step *s, isa level, weft_ctx *c, arena *memory) {
    WEFT_TRY(routine_own(r, sizeof(scan_choice), c, memory));
    scan_choice *o = r->own;
    r->run = scan_run;
    o->v = loops_of(level);
    o->axis = (int)s->attr[0];
    const int rank = s->in[2].rank;
    const bool reverse = s->attr[1] != 0;
    r->scratch = SCAN_CHUNK * sizeof(double);
    const int64_t count = routine_count(&s->in[2]);
    if (count == 0) return WEFT_OK;
    o->length = s->in[2].dim[o->axis];
    o->last = o->axis == rank - 1;
    o->lanes = o->last ? 1 : s->in[2].dim[rank - 1];
    o->lines = count / o->length / o->lanes;
    o->chunks = routine_parts(o->lanes, SCAN_CHUNK);
    for (int i = 0; i < 3; i++) {
        roperand *v = &o->view[i];
        *v = s->in[i];
        o->step[i] = v->stride[o->axis];
        o->lane[i] = v->stride[rank - 1];
        if (!o->last) v->rank--;
        if (reverse) {
            o->start[i] = (o->length - 1) * o->step[i];
            o->step[i] = -o->step[i];
        }
    }
    r->units = o->last ? routine_parts(o->lines, SCAN_LINES) : o->lines * o->chunks;
    const int64_t first = s->in[2].dim[0];
    if (o->axis > 0 && !o->last && r->units == first) r->rows = 1;
    if (o->axis > 0 && o->last && o->lines == first && first % SCAN_LINES == 0)
        r->rows = SCAN_LINES;
    return WEFT_OK;
}
