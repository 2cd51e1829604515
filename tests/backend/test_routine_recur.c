/* test_routine_recur.c - the CPU's recurrent routines alone, against loops written by hand in
 * double; gradients against differences of those loops.
 *
 * Odd sizes, every cell, both directions, rows of unlike length; on every instruction set, whole
 * and unit by unit (routine_job.h). */
#include "core/recur.h"
#include "routine_job.h"

typedef struct sequence {
    weft_cell cell;
    int64_t T, B, H;
    bool reverse, lengths, started;
    enum layout layout;
} sequence;

/* The numbers of one run: operands as doubles, one after the other in memory. */
typedef struct numbers {
    const sequence *q;
    double *a, *u, *w, *inner, *h0, *c0; /* u: added to h W^T, to be moved; zeros */
    const int32_t *length;
    double *y, *h, *c, *kept; /* results */
} numbers;

static double squash(double x) {
    return 1 / (1 + exp(-x));
}

static int64_t width_of(const sequence *q) {
    return weft_cell_gates(q->cell) * q->H;
}

static void step_row(const numbers *n, int64_t t, int64_t b) {
    const sequence *q = n->q;
    const int64_t H = q->H, W = width_of(q), K = recur_kept(q->cell);
    const double *a = n->a + (t * q->B + b) * W;
    double u[400], *h = n->h + b * H, *c = n->c + b * H, *kept = n->kept + (t * q->B + b) * K * H;
    for (int64_t j = 0; j < W; j++) {
        u[j] = n->u[(t * q->B + b) * W + j];
        for (int64_t i = 0; i < H; i++) u[j] += h[i] * n->w[j * H + i];
    }
    for (int64_t j = 0; j < H; j++) {
        if (q->cell == WEFT_RNN_TANH) h[j] = tanh(a[j] + u[j]);
        if (q->cell == WEFT_RNN_RELU) h[j] = fmax(a[j] + u[j], 0);
        if (q->cell == WEFT_LSTM) {
            const double i = squash(a[j] + u[j]), f = squash(a[H + j] + u[H + j]),
                         g = tanh(a[2 * H + j] + u[2 * H + j]),
                         o = squash(a[3 * H + j] + u[3 * H + j]);
            c[j] = f * c[j] + i * g;
            h[j] = o * tanh(c[j]);
            const double keep[] = {i, f, g, o, c[j]};
            for (int k = 0; k < 5; k++) kept[k * H + j] = keep[k];
        }
        if (q->cell == WEFT_GRU) {
            const double r = squash(a[j] + u[j]), z = squash(a[H + j] + u[H + j]),
                         inner = u[2 * H + j] + n->inner[j], fresh = tanh(a[2 * H + j] + r * inner);
            h[j] = (1 - z) * fresh + z * h[j];
            const double keep[] = {r, z, fresh, inner};
            for (int k = 0; k < 4; k++) kept[k * H + j] = keep[k];
        }
    }
}

static void run_row(const numbers *n, int64_t b) {
    const sequence *q = n->q;
    const int64_t H = q->H;
    memcpy(n->h + b * H, n->h0 + b * H, (size_t)H * sizeof(double));
    memcpy(n->c + b * H, n->c0 + b * H, (size_t)H * sizeof(double));
    for (int64_t s = 0; s < q->T; s++) {
        const int64_t t = q->reverse ? q->T - 1 - s : s;
        const bool alive = !n->length || t < n->length[b];
        if (alive) step_row(n, t, b);
        for (int64_t j = 0; j < H; j++) n->y[(t * q->B + b) * H + j] = alive ? n->h[b * H + j] : 0;
    }
}

static double *zeros(int64_t n) {
    return calloc((size_t)n + 1, sizeof(double));
}

static double *read_operand(const job *j, int i) { /* row-major; zeros if it is not there */
    if (i < 0) return zeros(4000);
    const roperand *o = &j->s.in[i];
    double *v = zeros(count_of(o));
    for (int64_t e = 0; e < count_of(o); e++) {
        int64_t left = e, at = 0;
        for (int d = o->rank - 1; d >= 0; d--) {
            at += left % o->dim[d] * o->stride[d];
            left /= o->dim[d];
        }
        v[e] = ((const float *)j->at[i])[at];
    }
    return v;
}

/* Adds the operand of a role to a job; small weights, so that nothing saturates. */
static int add_role(job *j, recur_role r, weft_dtype t, enum layout layout, int rank,
                    const int64_t *dim) {
    const int i = j->s.nin;
    input(j, t, layout, rank, dim);
    if (r == RECUR_WEIGHT)
        for (int64_t e = 0; e < count_of(&j->s.in[i]); e++)
            ((float *)j->at[i])[e] *= 2 / sqrtf((float)dim[1]);
    j->s.attr[RECUR_ATTR_GIVEN] |= (int64_t)1 << r;
    return i;
}

static void share_role(job *to, recur_role r, const job *from, int i) {
    const int k = add_role(to, r, (weft_dtype)from->s.in[i].dtype, PLAIN, from->s.in[i].rank,
                           from->s.in[i].dim);
    memcpy(to->at[k], from->at[i], (size_t)count_of(&from->s.in[i]) * 4);
}

static void give_role(job *to, recur_role r, const double *v, int rank, const int64_t *dim) {
    const int k = add_role(to, r, WEFT_F32, PLAIN, rank, dim);
    for (int64_t e = 0; e < count_of(&to->s.in[k]); e++) ((float *)to->at[k])[e] = (float)v[e];
}

/* sum(y dy + h dh + c dc) of row b */
static double loss_row(const numbers *n, int64_t b, const double *dy, const double *dh,
                       const double *dc) {
    const sequence *q = n->q;
    double sum = 0;
    run_row(n, b);
    for (int64_t j = 0; j < q->H; j++) {
        sum += n->h[b * q->H + j] * dh[b * q->H + j] + n->c[b * q->H + j] * dc[b * q->H + j];
        for (int64_t t = 0; t < q->T; t++)
            sum += n->y[(t * q->B + b) * q->H + j] * dy[(t * q->B + b) * q->H + j];
    }
    return sum;
}

static double slope(const numbers *n, double *at, int64_t b, const double *dy, const double *dh,
                    const double *dc) {
    const double here = *at, by = 1e-5;
    *at = here + by;
    const double above = loss_row(n, b, dy, dh, dc);
    *at = here - by;
    const double below = loss_row(n, b, dy, dh, dc);
    *at = here;
    return (above - below) / (2 * by);
}

static void sequence_case(const sequence *q) {
    const int64_t T = q->T, B = q->B, H = q->H, W = width_of(q), K = recur_kept(q->cell) * H;
    const int64_t gates[] = {T, B, W}, weight[] = {W, H}, state[] = {B, H}, all[] = {T, B, H},
                  kept[] = {T, B, K};
    const bool lstm = q->cell == WEFT_LSTM, gru = q->cell == WEFT_GRU;
    job f = job_new(STEP_BLOCK, BLOCK_recur), g = job_new(STEP_BLOCK, BLOCK_recur_grad);
    f.s.attr[RECUR_ATTR_CELL] = g.s.attr[RECUR_ATTR_CELL] = q->cell;
    f.s.attr[RECUR_ATTR_REVERSE] = g.s.attr[RECUR_ATTR_REVERSE] = q->reverse;
    const int a = add_role(&f, RECUR_GATES, WEFT_F32, q->layout, 3, gates),
              w = add_role(&f, RECUR_WEIGHT, WEFT_F32, PLAIN, 2, weight),
              inner = gru && q->started ? add_role(&f, RECUR_INNER, WEFT_F32, PLAIN, 1, &H) : -1,
              h0 = q->started ? add_role(&f, RECUR_H0, WEFT_F32, PLAIN, 2, state) : -1,
              c0 = lstm && q->started ? add_role(&f, RECUR_C0, WEFT_F32, PLAIN, 2, state) : -1,
              lengths = q->lengths ? add_role(&f, RECUR_LENGTHS, WEFT_I32, PLAIN, 1, &B) : -1;
    numbers n = {.q = q,
                 .a = read_operand(&f, a),
                 .u = zeros(T * B * W),
                 .w = read_operand(&f, w),
                 .inner = read_operand(&f, inner),
                 .h0 = read_operand(&f, h0),
                 .c0 = read_operand(&f, c0),
                 .length = lengths < 0 ? NULL : (const int32_t *)f.at[lengths]};
    n.y = result(&f, WEFT_F32, 3, all);
    n.h = result(&f, WEFT_F32, 2, state);
    double *last_c = result(&f, WEFT_F32, 2, state);
    n.c = lstm ? last_c : zeros(B * H);
    n.kept = result(&f, WEFT_F32, 3, kept);
    for (int64_t b = 0; b < B; b++) run_row(&n, b);
    job_run(&f);

    share_role(&g, RECUR_WEIGHT, &f, w);
    if (gru && h0 >= 0) share_role(&g, RECUR_H0, &f, h0);
    if (c0 >= 0) share_role(&g, RECUR_C0, &f, c0);
    if (!lstm) give_role(&g, RECUR_Y, n.y, 3, all);
    if (K) give_role(&g, RECUR_KEPT, n.kept, 3, kept);
    const int dy = add_role(&g, RECUR_DY, WEFT_F32, q->layout, 3, all),
              dh = q->started ? add_role(&g, RECUR_DH, WEFT_F32, PLAIN, 2, state) : -1,
              dc = lstm && q->started ? add_role(&g, RECUR_DC, WEFT_F32, PLAIN, 2, state) : -1;
    if (lengths >= 0) share_role(&g, RECUR_LENGTHS, &f, lengths);
    double *by_y = read_operand(&g, dy), *by_h = read_operand(&g, dh), *by_c = read_operand(&g, dc);
    double *da = result(&g, WEFT_F32, 3, gates), *du = result(&g, WEFT_F32, 3, gates),
           *dh0 = result(&g, WEFT_F32, 2, state), *dc0 = result(&g, WEFT_F32, 2, state);
    for (int64_t b = 0; b < B; b++) {
        for (int64_t t = 0; t < T; t++)
            for (int64_t j = 0; j < W; j++) {
                const int64_t e = (t * B + b) * W + j;
                da[e] = slope(&n, n.a + e, b, by_y, by_h, by_c);
                du[e] = slope(&n, n.u + e, b, by_y, by_h, by_c);
            }
        for (int64_t j = 0; j < H; j++) {
            dh0[b * H + j] = slope(&n, n.h0 + b * H + j, b, by_y, by_h, by_c);
            dc0[b * H + j] = slope(&n, n.c0 + b * H + j, b, by_y, by_h, by_c);
        }
    }
    /* these are not written */
    if (!gru) free(du), g.want[g.s.nin + RECUR_OUT_DHIDDEN] = NULL;
    if (!lstm) free(dc0), g.want[g.s.nin + RECUR_OUT_DC0] = NULL;
    job_run(&g);
    if (!lstm) free(n.c);
    double *const own[] = {n.a, n.u, n.w, n.inner, n.h0, n.c0, by_y, by_h, by_c};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) free(own[i]);
    job_free(&f);
    job_free(&g);
}

TEST(cells_over_sequences) {
    static const sequence sizes[] = {
        /*       T  B   H   back   lengths started */
        {0, 1, 1, 1, false, false, false, PLAIN}, {0, 4, 1, 9, true, false, true, GAPS},
        {0, 3, 1, 37, false, true, true, PLAIN},  {0, 3, 5, 4, false, false, true, GAPS},
        {0, 4, 9, 5, false, true, false, PLAIN},  {0, 4, 9, 5, true, true, true, PLAIN},
        {0, 2, 35, 8, true, false, false, GAPS},  {0, 2, 17, 16, false, true, true, PLAIN},
        {0, 3, 2, 33, true, true, false, GAPS},
    };
    for (int cell = 0; cell < WEFT_CELL_COUNT; cell++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            sequence q = sizes[i];
            q.cell = (weft_cell)cell;
            CASE("cell %d, %d steps, %d rows, %d units, reverse %d, lengths %d, started %d", cell,
                 (int)q.T, (int)q.B, (int)q.H, q.reverse, q.lengths, q.started);
            sequence_case(&q);
        }
}
