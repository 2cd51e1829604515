/* test_routine_blocks.c - convolution, pooling and attention against naive loops in double.
 *
 * Odd sizes, strides, padding, dilation, groups, masks; see routine_job.h. */
#include "routine_job.h"

static const char *const block_names[] = {
#define BLOCK(name, ...) #name,
#include "core/blocks.def"
};

/* ---- convolution ---- */

typedef struct shape {
    int64_t n, h, w, c, o, kh, kw, stride[2], pad[2], dilation[2], groups;
} shape;

/* clang-format off */
static const shape shapes[] = {
    /*  n   h   w   c    o  kh kw  stride     pad       dilation   groups */
    {   1,  5,  5,  1,   1, 3, 3, { 1, 1 }, { 0, 0 }, { 1, 1 }, 1 },
    {   2,  9,  8,  3,  16, 3, 3, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1 },
    {   3,  7,  9,  3,   5, 3, 2, { 1, 1 }, { 1, 0 }, { 1, 1 }, 1 },
    {   1, 33, 40,  3,  24, 3, 3, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1 },
    {  17,  6,  5,  8,  20, 3, 3, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1 },
    {  24,  3,  3,  4,  33, 2, 2, { 1, 1 }, { 0, 1 }, { 1, 1 }, 1 },
    {   2, 11, 13,  5,  12, 3, 3, { 2, 2 }, { 1, 1 }, { 1, 1 }, 1 },
    {   2, 12, 11,  6,  18, 5, 3, { 2, 3 }, { 2, 1 }, { 1, 2 }, 1 },
    {   2, 10, 10,  4,   6, 3, 3, { 1, 1 }, { 2, 2 }, { 2, 2 }, 1 },
    {   2,  8,  7,  6,   9, 3, 3, { 1, 1 }, { 1, 1 }, { 1, 1 }, 3 },
    {   2,  9,  9, 12,   8, 3, 3, { 2, 1 }, { 1, 2 }, { 1, 3 }, 4 },
    {   3,  8,  7, 19,  19, 3, 3, { 1, 1 }, { 1, 1 }, { 1, 1 }, 19 },
    {   9,  9,  6, 40,  40, 3, 2, { 2, 2 }, { 2, 1 }, { 2, 1 }, 40 },
    {   2,  5,  6,  7,  14, 3, 3, { 1, 1 }, { 1, 1 }, { 1, 1 }, 7 },
    {   2,  6,  7, 10,  17, 1, 1, { 1, 1 }, { 0, 0 }, { 1, 1 }, 1 },
    {   2,  6,  7, 10,  17, 1, 1, { 2, 2 }, { 0, 0 }, { 1, 1 }, 1 },
    {   3,  1, 30, 16,  24, 1, 5, { 1, 1 }, { 0, 2 }, { 1, 1 }, 1 },
    {   2,  7,  7, 70, 100, 3, 3, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1 },
    {   2, 40, 40,  3,  16, 7, 7, { 2, 2 }, { 3, 3 }, { 1, 1 }, 1 },
    {   1, 35, 33,  6,  10, 3, 3, { 3, 1 }, { 1, 1 }, { 2, 1 }, 1 },
    {   1,  9,  9, 80, 700, 4, 3, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1 },
    {   2,  4,  4,  3,   8, 3, 3, { 1, 1 }, { 4, 4 }, { 1, 1 }, 1 },
    {   2,  6,  6,  3,   8, 1, 1, { 4, 4 }, { 0, 0 }, { 1, 1 }, 1 },
    {   0,  6,  6,  3,   8, 3, 3, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1 },
    /* transforms: odd sizes, a rest of channels, more padding than kernel, many channels */
    {   2, 12, 11, 32,  64, 3, 3, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1 },
    {   1, 21, 19, 47,  33, 3, 3, { 1, 1 }, { 0, 2 }, { 1, 1 }, 1 },
    {  18,  6,  6, 16,  40, 3, 3, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1 },
    {   2, 14, 13, 24,  70, 3, 3, { 1, 1 }, { 4, 4 }, { 1, 1 }, 1 },
    {   1, 14, 14, 400, 32, 3, 3, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1 },
    {   3,  9,  9, 79, 140, 3, 3, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1 },
    /* kernels in parts of three */
    {   4, 16, 17, 37,  98, 5, 5, { 1, 1 }, { 2, 2 }, { 1, 1 }, 1 },
    {   1, 16, 18, 31,  80, 3, 5, { 1, 1 }, { 1, 2 }, { 1, 1 }, 1 },
    {   2, 13, 12, 33,  48, 6, 6, { 1, 1 }, { 2, 3 }, { 1, 1 }, 1 },
    {   2, 13, 12, 18,  20, 2, 3, { 1, 1 }, { 1, 0 }, { 1, 1 }, 1 }, /* too small for that */
    /* few channels out, or in: small images, large ones, strides */
    {   1, 33, 30, 64,   3, 3, 3, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1 },
    {   1, 80, 90,  2,  16, 3, 3, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1 },
    {   1, 70, 71, 32,   4, 3, 3, { 2, 2 }, { 1, 1 }, { 1, 1 }, 1 },
    {  17, 12, 12,  1,  32, 5, 5, { 1, 1 }, { 2, 2 }, { 1, 1 }, 1 },
    /* few weights and many pixels: parts of the images */
    {   7, 33, 40,  3,  24, 3, 3, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1 },
    {   4, 70, 64,  4,  22, 3, 3, { 1, 1 }, { 1, 1 }, { 1, 1 }, 2 },
    /* runs longer than a part, and channels in pieces */
    {   2,  9,  8, 160,  9, 3, 3, { 2, 1 }, { 1, 1 }, { 1, 1 }, 1 },
    {   1,  7,  7, 50,  11, 5, 4, { 1, 2 }, { 2, 1 }, { 1, 1 }, 1 },
    {   1, 30, 600, 2,   8, 3, 3, { 1, 1 }, { 1, 1 }, { 1, 1 }, 1 },
};
/* clang-format on */

static int64_t out_of(const shape *s, int d) {
    const int64_t in = d ? s->w : s->h, k = d ? s->kw : s->kh;
    return (in + 2 * s->pad[d] - s->dilation[d] * (k - 1) - 1) / s->stride[d] + 1;
}

/* Calls add(x element, w element, y element) for every product of a convolution. */
typedef void visit(void *user, int64_t x, int64_t w, int64_t y);
static void visit_all(const shape *s, visit *add, void *user) {
    const int64_t oh = out_of(s, 0), ow = out_of(s, 1), cg = s->c / s->groups,
                  og = s->o / s->groups;
    for (int64_t p = 0; p < s->n * oh * ow; p++) {
        for (int64_t tap = 0; tap < s->kh * s->kw; tap++) {
            const int64_t ih =
                p / ow % oh * s->stride[0] - s->pad[0] + tap / s->kw * s->dilation[0];
            const int64_t iw = p % ow * s->stride[1] - s->pad[1] + tap % s->kw * s->dilation[1];
            if (ih < 0 || ih >= s->h || iw < 0 || iw >= s->w) continue;
            const int64_t pixel = (p / (oh * ow) * s->h + ih) * s->w + iw;
            for (int64_t o = 0; o < s->o; o++) {
                for (int64_t c = 0; c < cg; c++) {
                    add(user, pixel * s->c + o / og * cg + c, (tap * cg + c) * s->o + o,
                        p * s->o + o);
                }
            }
        }
    }
}

typedef struct sums {
    const float *a, *b;
    double *want;
} sums;
static void add_y(void *user, int64_t x, int64_t w, int64_t y) {
    const sums *s = user;
    s->want[y] += (double)s->a[x] * s->b[w];
}
static void add_dx(void *user, int64_t x, int64_t w, int64_t y) {
    const sums *s = user;
    s->want[x] += (double)s->a[y] * s->b[w];
}
static void add_dw(void *user, int64_t x, int64_t w, int64_t y) {
    const sums *s = user;
    s->want[w] += (double)s->a[x] * s->b[y];
}

static void conv_case(const shape *s, int block) {
    const int64_t x[] = {s->n, s->h, s->w, s->c}, w[] = {s->kh, s->kw, s->c / s->groups, s->o};
    const int64_t y[] = {s->n, out_of(s, 0), out_of(s, 1), s->o};
    const int64_t *dims[3][3] = {{x, w, y}, {y, w, x}, {x, y, w}};
    visit *const add[3] = {add_y, add_dx, add_dw};
    const int which = block - BLOCK_conv;
    job j = job_new(STEP_BLOCK, block);
    const int64_t attr[] = {s->stride[0],
                            s->stride[1],
                            s->pad[0],
                            s->pad[1],
                            s->dilation[0],
                            s->dilation[1],
                            s->groups,
                            which == 1 ? s->h : s->kh,
                            which == 1 ? s->w : s->kw};
    memcpy(j.s.attr, attr, sizeof attr);
    input(&j, WEFT_F32, PLAIN, 4, dims[which][0]);
    input(&j, WEFT_F32, PLAIN, 4, dims[which][1]);
    sums u = {(float *)j.at[0], (float *)j.at[1], result(&j, WEFT_F32, 4, dims[which][2])};
    j.tolerance = 5e-5; /* sums of up to some thousand products */
    visit_all(s, add[which], &u);
    job_run(&j);
    job_free(&j);
}

TEST(conv) {
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        for (int block = BLOCK_conv; block <= BLOCK_conv_dw; block++) {
            const shape *s = &shapes[i];
            CASE("%s %dx%dx%dx%d to %d, kernel %dx%d, groups %d", block_names[block], (int)s->n,
                 (int)s->h, (int)s->w, (int)s->c, (int)s->o, (int)s->kh, (int)s->kw,
                 (int)s->groups);
            conv_case(s, block);
        }
    }
}

/* ---- pooling ---- */

TEST(max_pool) {
    static const int64_t ways[][9] = {
        /* n  h   w   c  size   stride  pad in rows and columns */
        {1, 4, 4, 1, 2, 2, 2, 2, 0},  {2, 7, 9, 5, 3, 3, 2, 2, 1},  {9, 6, 5, 17, 2, 3, 1, 2, 1},
        {3, 5, 5, 33, 3, 3, 1, 1, 1}, {2, 8, 8, 64, 2, 2, 2, 2, 0}, {8, 1, 12, 3, 1, 4, 1, 3, 0},
    };
    for (size_t x = 0; x < sizeof ways / sizeof ways[0]; x++) {
        const int64_t *a = ways[x];
        const int64_t pad[2] = {a[4] > 1 ? a[8] : 0, a[8]};
        const int64_t in[] = {a[0], a[1], a[2], a[3]};
        const int64_t out[] = {a[0], (a[1] + 2 * pad[0] - a[4]) / a[6] + 1,
                               (a[2] + 2 * pad[1] - a[5]) / a[7] + 1, a[3]};
        const int64_t attr[] = {a[4], a[5], a[6], a[7], pad[0], pad[1]};
        for (int ties = 0; ties < 2; ties++) {
            CASE("shape %d, ties %d", (int)x, ties);
            job f = job_new(STEP_BLOCK, BLOCK_max_pool), g = job_new(STEP_BLOCK, BLOCK_max_pool_dx);
            memcpy(f.s.attr, attr, sizeof attr);
            memcpy(g.s.attr, attr, sizeof attr);
            const int64_t n = count_of(input(&f, WEFT_F32, PLAIN, 4, in));
            float *values = (float *)f.at[0];
            for (int64_t i = 0; ties && i < n; i++) values[i] = (float)(test_random() % 3);
            double *y = result(&f, WEFT_F32, 4, out);
            for (int i = 0; i < 3; i++) input(&g, WEFT_F32, PLAIN, 4, i ? out : in);
            memcpy(g.at[0], f.at[0], (size_t)n * 4);
            double *dx = result(&g, WEFT_F32, 4, in);
            for (int64_t p = 0; p < count_of(&f.s.in[1]); p++) {
                const int64_t c = p % out[3], ow = p / out[3] % out[2],
                              oh = p / out[3] / out[2] % out[1];
                int64_t met[64], met_n = 0, count = 0;
                double most = -INFINITY;
                for (int64_t k = 0; k < a[4] * a[5]; k++) {
                    const int64_t ih = oh * a[6] - pad[0] + k / a[5],
                                  iw = ow * a[7] - pad[1] + k % a[5];
                    if (ih < 0 || ih >= a[1] || iw < 0 || iw >= a[2]) continue;
                    const int64_t image = p / (out[1] * out[2] * out[3]);
                    met[met_n] = ((image * a[1] + ih) * a[2] + iw) * a[3] + c;
                    most = fmax(most, values[met[met_n++]]);
                }
                y[p] = most;
                ((float *)g.at[1])[p] = (float)most;
                for (int64_t k = 0; k < met_n; k++) count += values[met[k]] == most;
                for (int64_t k = 0; k < met_n; k++) {
                    if (values[met[k]] == most) dx[met[k]] += ((float *)g.at[2])[p] / (double)count;
                }
            }
            job_run(&f);
            job_run(&g);
            job_free(&f);
            job_free(&g);
        }
    }
}

TEST(max_pool_keeps_nan) {
    job j = job_new(STEP_BLOCK, BLOCK_max_pool);
    const int64_t in[] = {1, 2, 4, 2}, out[] = {1, 1, 2, 2};
    const int64_t attr[] = {2, 2, 2, 2, 0, 0};
    memcpy(j.s.attr, attr, sizeof attr);
    input(&j, WEFT_F32, PLAIN, 4, in);
    float *x = (float *)j.at[0];
    for (int i = 0; i < 16; i++) x[i] = (float)i;
    x[0] = NAN;
    double *want = result(&j, WEFT_F32, 4, out);
    want[0] = NAN;
    want[1] = 11;
    want[2] = 14;
    want[3] = 15;
    job_run(&j);
    job_free(&j);
}

/* ---- attention ---- */

typedef struct heads {
    int64_t b, tq, tk, h, hv;
    int causal, masked, layout;
} heads;

/* Operands of both blocks, forward results in double, then the gradients. */
static void attention_case(const heads *a) {
    const int64_t q[] = {a->b, a->tq, a->h}, k[] = {a->b, a->tk, a->h}, v[] = {a->b, a->tk, a->hv};
    const int64_t y[] = {a->b, a->tq, a->hv}, mask[] = {a->b, a->tq, a->tk};
    const float scale = 1.7f / sqrtf((float)a->h);
    job f = job_new(STEP_BLOCK, BLOCK_attention), g = job_new(STEP_BLOCK, BLOCK_attention_grad);
    f.s.attr[0] = g.s.attr[0] = a->causal;
    f.s.attr[1] = g.s.attr[1] = (int64_t)bits_of(scale);
    const int layout = a->layout;
    input(&f, WEFT_F32, layout, 3, q);
    input(&f, WEFT_F32, layout, 3, k);
    input(&f, WEFT_F32, layout, 3, v);
    if (a->masked) {
        roperand *m = input(&f, WEFT_BOOL, PLAIN, 3, mask);
        if (a->masked == 2) m->stride[0] = 0;
        for (int64_t i = 0; a->masked == 3 && i < a->b * a->tq * a->tk; i++)
            if (i % a->tk < 2 * a->tk / 3) f.at[3][i] = 0; /* whole tiles that nobody sees */
        for (int64_t j = 0; j < a->tk; j++) f.at[3][place(&f, 3, 0, a->tq / 2, j, 0)] = 0;
    }
    double *want_y = result(&f, WEFT_F32, 3, y), *want_lse = result(&f, WEFT_F32, 2, y);
    double *p = malloc((size_t)(a->b * a->tq * a->tk) * sizeof *p + 8);
    for (int64_t b = 0; b < a->b; b++) {
        for (int64_t i = 0; i < a->tq; i++) {
            double *row = p + (b * a->tq + i) * a->tk, most = -INFINITY, sum = 0;
            for (int64_t j = 0; j < a->tk; j++) {
                row[j] = 0;
                for (int64_t e = 0; e < a->h; e++)
                    row[j] += real(&f, 0, b, i, e, 0) * real(&f, 1, b, j, e, 0);
                row[j] *= scale;
                if (a->causal && j > i + a->tk - a->tq) row[j] = -INFINITY;
                if (a->masked && !f.at[3][place(&f, 3, b, i, j, 0)]) row[j] = -INFINITY;
                most = fmax(most, row[j]);
            }
            for (int64_t j = 0; j < a->tk; j++)
                sum += row[j] = row[j] == -INFINITY ? 0 : exp(row[j] - most);
            want_lse[b * a->tq + i] = sum > 0 ? most + log(sum) : -INFINITY;
            for (int64_t j = 0; j < a->tk; j++) {
                if (sum > 0) row[j] /= sum;
                for (int64_t e = 0; e < a->hv; e++) {
                    want_y[(b * a->tq + i) * a->hv + e] += row[j] * real(&f, 2, b, j, e, 0);
                }
            }
        }
    }
    job_run(&f);
    CHECK(f.strided & 1);

    for (int i = 0; i < 3; i++) {
        const roperand *from = &f.s.in[i];
        roperand *to = input(&g, WEFT_F32, layout, 3, from->dim);
        memcpy(g.at[i], f.at[i], (size_t)(to->dim[0] * to->stride[0]) * 4);
    }
    input(&g, WEFT_F32, PLAIN, 3, y);
    input(&g, WEFT_F32, PLAIN, 2, y);
    for (int64_t i = 0; i < a->b * a->tq * a->hv; i++) ((float *)g.at[3])[i] = (float)want_y[i];
    for (int64_t i = 0; i < a->b * a->tq; i++) ((float *)g.at[4])[i] = (float)want_lse[i];
    input(&g, WEFT_F32, layout, 3, y);
    if (a->masked) {
        g.s.in[6] = f.s.in[3];
        g.at[6] = f.at[3];
        g.s.nin++;
    }
    double *dq = result(&g, WEFT_F32, 3, q), *dk = result(&g, WEFT_F32, 3, k),
           *dv = result(&g, WEFT_F32, 3, v);
    for (int64_t b = 0; b < a->b; b++) {
        for (int64_t i = 0; i < a->tq; i++) {
            const double *row = p + (b * a->tq + i) * a->tk;
            double mean = 0;
            for (int64_t e = 0; e < a->hv; e++)
                mean += want_y[(b * a->tq + i) * a->hv + e] * real(&g, 5, b, i, e, 0);
            for (int64_t j = 0; j < a->tk; j++) {
                double dp = 0;
                for (int64_t e = 0; e < a->hv; e++) {
                    dp += real(&g, 5, b, i, e, 0) * real(&g, 2, b, j, e, 0);
                    dv[(b * a->tk + j) * a->hv + e] += row[j] * real(&g, 5, b, i, e, 0);
                }
                const double ds = row[j] * (dp - mean) * scale;
                for (int64_t e = 0; e < a->h; e++) {
                    dq[(b * a->tq + i) * a->h + e] += ds * real(&g, 1, b, j, e, 0);
                    dk[(b * a->tk + j) * a->h + e] += ds * real(&g, 0, b, i, e, 0);
                }
            }
        }
    }
    g.tolerance = 3e-5;
    job_run(&g);
    CHECK_EQ(g.strided, 7);
    free(p);
    job_free(&f);
    job_free(&g);
}

TEST(attention) {
    static const heads all[] = {
        {1, 1, 1, 1, 1, 0, 0, PLAIN},      {3, 5, 7, 4, 6, 0, 0, GAPS},
        {2, 48, 128, 16, 16, 1, 0, PLAIN}, {9, 50, 61, 17, 9, 1, 0, GAPS},
        {2, 60, 31, 8, 8, 1, 0, PLAIN},    {3, 49, 140, 12, 20, 0, 1, PLAIN},
        {2, 97, 129, 8, 8, 1, 2, GAPS},    {1, 300, 290, 8, 12, 1, 0, PLAIN},
        {1, 260, 270, 64, 64, 0, 1, GAPS}, {8, 17, 300, 5, 3, 1, 1, PLAIN},
        {2, 3, 0, 4, 4, 0, 0, PLAIN},      {2, 250, 100, 4, 4, 0, 2, PLAIN},
        {3, 1, 300, 64, 64, 0, 1, GAPS},   {2, 3, 200, 17, 5, 1, 0, GAPS},
        {2, 2, 129, 8, 33, 1, 2, PLAIN},   {2, 3, 130, 7, 8, 0, 0, GAPS},
        {2, 1, 500, 16, 8, 0, 3, PLAIN},   {2, 60, 700, 8, 8, 1, 3, GAPS},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const heads *a = &all[i];
        CASE("%d x %d x %d, head %d %d, causal %d mask %d layout %d", (int)a->b, (int)a->tq,
             (int)a->tk, (int)a->h, (int)a->hv, a->causal, a->masked, a->layout);
        attention_case(a);
    }
}

/* Batches of two axes that one stride cannot join: [b, t, heads, h] seen as [b, heads, t, h]. */
TEST(attention_over_two_batch_axes) {
    enum { B = 2, T = 11, HEADS = 3, H = 8 };
    const int64_t flat[] = {B * HEADS, T, H};
    job j = job_new(STEP_BLOCK, BLOCK_attention), seen = job_new(STEP_BLOCK, BLOCK_attention);
    for (int i = 0; i < 3; i++) input(&j, WEFT_F32, PLAIN, 3, flat);
    result(&j, WEFT_F32, 3, flat);
    result(&j, WEFT_F32, 2, flat);
    j.s.attr[1] = (int64_t)bits_of(0.5f);
    seen.s = j.s;
    for (int i = 0; i < 5; i++) {
        seen.memory[i] = malloc(sizeof(float) * B * HEADS * T * H);
        seen.at[i] = seen.memory[i];
    }
    for (int i = 0; i < 3; i++) {
        roperand *o = &seen.s.in[i];
        *o = (roperand){.dtype = WEFT_F32,
                        .rank = 4,
                        .dim = {B, HEADS, T, H},
                        .stride = {T * HEADS * H, H, HEADS * H, 1}};
        for (int64_t e = 0; e < B * HEADS * T * H; e++) {
            const int64_t at =
                place(&seen, i, e / (HEADS * T * H), e / (T * H) % HEADS, e / H % T, e % H);
            ((float *)seen.at[i])[at] = ((float *)j.at[i])[e];
        }
    }
    char *at[2][5];
    for (int way = 0; way < 2; way++) {
        job *x = way ? &seen : &j;
        int left = 1;
        mem m = {.resize = test_resize, .user = &left};
        arena memory = {.m = &m};
        routine r;
        CHECK(routine_accepts(&x->s, 0));
        CHECK_EQ(routine_prepare(&r, &x->s, isa_detect(), NULL, &memory), WEFT_OK);
        void *scratch = aligned_alloc(64, r.scratch / 64 * 64 + 64);
        for (int i = 0; i < 5; i++) at[way][i] = x->at[i];
        r.run(&r, at[way], 0, r.units, scratch);
        free(scratch);
        arena_free(&memory);
    }
    CHECK_MEM(at[1][3], at[0][3], sizeof(float) * B * HEADS * T * H);
    CHECK_MEM(at[1][4], at[0][4], sizeof(float) * B * HEADS * T);
    job_free(&j);
    job_free(&seen);
}
