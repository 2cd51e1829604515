/* test_attention.c - heads that share keys and values, and windows, against loops in double: values
 * and gradients, on every device, with sizes on both sides of every tile; and what of it is copied. */
#include "test.h"
#include "weft/weft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* mask 1: [tq, tk]; 2: [B, 1, 1, tk]; 3: [H, tq, tk] */
typedef struct attention_case {
    int64_t b, heads, shared, tq, tk, h, hv, window;
    int causal, mask;
} attention_case;

static const attention_case cases[] = {
    {1, 2, 1, 1, 1, 1, 1, 0, 0, 0},      {2, 6, 2, 5, 7, 4, 6, 0, 0, 0},
    {2, 6, 3, 5, 7, 4, 6, 0, 1, 0},      {2, 4, 1, 7, 5, 4, 3, 0, 1, 0},
    {1, 4, 2, 1, 9, 8, 8, 0, 1, 0},      {3, 8, 2, 1, 300, 16, 12, 0, 0, 2},
    {1, 32, 8, 1, 170, 64, 64, 0, 1, 0}, {1, 4, 2, 1, 130, 8, 8, 50, 1, 0},
    {1, 2, 2, 9, 9, 4, 4, 3, 1, 0},      {1, 2, 2, 9, 9, 4, 4, 1, 1, 0},
    {2, 3, 3, 6, 9, 4, 5, 2, 1, 0},      {1, 2, 2, 9, 6, 4, 4, 2, 1, 0},
    {1, 4, 2, 9, 9, 4, 4, 400, 1, 0},    {1, 4, 2, 60, 60, 8, 8, 17, 1, 1},
    {2, 4, 2, 50, 61, 8, 5, 0, 1, 3},    {2, 4, 4, 97, 129, 8, 8, 40, 1, 2},
    {1, 4, 2, 300, 290, 8, 8, 0, 1, 0},  {1, 6, 2, 260, 270, 4, 8, 100, 1, 1},
    {1, 2, 1, 500, 520, 4, 4, 30, 1, 0}, {1, 12, 1, 250, 100, 4, 4, 0, 0, 3},
    {1, 2, 1, 3, 0, 4, 4, 0, 0, 0},      {1, 2, 1, 0, 3, 4, 4, 2, 1, 0},
    {0, 2, 1, 3, 3, 4, 4, 0, 1, 0},      {2, 4, 2, 2, 600, 8, 8, 130, 1, 3},
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct attention_job {
    attention_case a;
    float *q, *k, *v, *dy; /* (B, H, tq, h), (B, K, tk, h), (B, K, tk, hv), (B, H, tq, hv) */
    uint8_t *mask;         /* (B, H, tq, tk) */
    double *y, *dq, *dk, *dv;
} attention_job;

static void *filled(int64_t n, bool draw) {
    float *x = calloc((size_t)n + 1, sizeof(double));
    for (int64_t i = 0; draw && i < n; i++) x[i] = (float)test_uniform(-2, 2);
    return x;
}

static bool seen(const attention_job *j, int64_t head, int64_t i, int64_t t) {
    const attention_case *a = &j->a;
    const int64_t last = i + a->tk - a->tq;
    if (a->causal && t > last) return false;
    if (a->window && t <= last - a->window) return false;
    return j->mask[(head * a->tq + i) * a->tk + t];
}

/* One query of one head: y, and what it adds to the gradients. */
static void query(attention_job *j, int64_t head, int64_t i, double *p) {
    const attention_case *a = &j->a;
    const int64_t from = head / (a->heads / a->shared),
                  at = head * a->tq + i; /* head of all batches */
    const float *q = j->q + at * a->h, *k = j->k + from * a->tk * a->h;
    const float *v = j->v + from * a->tk * a->hv, *dy = j->dy + at * a->hv;
    double most = -INFINITY, sum = 0, mean = 0;
    for (int64_t t = 0; t < a->tk; t++) {
        double dot = 0;
        for (int64_t e = 0; e < a->h; e++) dot += (double)q[e] * k[t * a->h + e];
        p[t] = seen(j, head, i, t) ? dot / sqrt((double)a->h) : -INFINITY;
        most = fmax(most, p[t]);
    }
    for (int64_t t = 0; t < a->tk; t++) sum += p[t] = p[t] == -INFINITY ? 0 : exp(p[t] - most);
    for (int64_t t = 0; t < a->tk; t++) {
        if (sum > 0) p[t] /= sum;
        for (int64_t e = 0; e < a->hv; e++) j->y[at * a->hv + e] += p[t] * v[t * a->hv + e];
    }
    for (int64_t e = 0; e < a->hv; e++) mean += j->y[at * a->hv + e] * dy[e];
    for (int64_t t = 0; t < a->tk; t++) {
        double dp = 0;
        for (int64_t e = 0; e < a->hv; e++) {
            dp += (double)dy[e] * v[t * a->hv + e];
            j->dv[(from * a->tk + t) * a->hv + e] += p[t] * dy[e];
        }
        const double ds = p[t] * (dp - mean) / sqrt((double)a->h);
        for (int64_t e = 0; e < a->h; e++) {
            j->dq[at * a->h + e] += ds * k[t * a->h + e];
            j->dk[(from * a->tk + t) * a->h + e] += ds * q[e];
        }
    }
}

static attention_job job_of(const attention_case *a) {
    const int64_t rows = a->b * a->heads * a->tq, keys = a->b * a->shared * a->tk;
    attention_job j = {*a,
                       filled(rows * a->h, true),
                       filled(keys * a->h, true),
                       filled(keys * a->hv, true),
                       filled(rows * a->hv, true),
                       NULL,
                       filled(rows * a->hv, false),
                       filled(rows * a->h, false),
                       filled(keys * a->h, false),
                       filled(keys * a->hv, false)};
    j.mask = malloc((size_t)(rows * a->tk) + 1);
    for (int64_t n = 0; n < rows * a->tk; n++) {
        const int64_t t = n % a->tk, i = n / a->tk % a->tq, head = n / a->tk / a->tq;
        const uint32_t what = a->mask == 1   ? (uint32_t)(i * 31 + t * 7)
                              : a->mask == 2 ? (uint32_t)(head / a->heads * 13 + t * 5)
                                             : (uint32_t)(head % a->heads * 17 + i * 11 + t * 3);
        j.mask[n] = !a->mask || what % 5 > 1;
    }
    double *p = malloc((size_t)a->tk * sizeof *p + 8);
    for (int64_t head = 0; head < a->b * a->heads; head++)
        for (int64_t i = 0; i < a->tq; i++) query(&j, head, i, p);
    free(p);
    return j;
}

static void job_end(attention_job *j) {
    void *const all[] = {j->q, j->k, j->v, j->dy, j->mask, j->y, j->dq, j->dk, j->dv};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* Heads as a layer has them: [B, T, heads, h] seen as [B, heads, T, h]. */
static weft_tensor heads_of(weft_graph *g, int64_t b, int64_t heads, int64_t t, int64_t h,
                            bool apart, weft_tensor *input) {
    *input = weft_input(g, WEFT_F32, weft_dims(b, heads, t, h));
    if (!apart) return *input;
    const weft_tensor rows = weft_stored(weft_transpose(*input, 1, 2));
    return weft_transpose(rows, 1, 2);
}

static void near(weft_plan *p, weft_tensor t, const double *want, double tol) {
    const int64_t n = weft_count(t);
    float *got = filled(n, false);
    CHECK_EQ(weft_get(p, t, got, (size_t)n * sizeof *got), WEFT_OK);
    double off = 0;
    for (int64_t i = 0; i < n; i++) {
        const double d = fabs(got[i] - want[i]) / fmax(1, fabs(want[i]));
        if (!(d <= off)) off = d;
    }
    CHECK_NEAR(off, 0, tol);
    free(got);
}

static void attention_meets(const attention_job *j, const char *device, int threads, bool apart) {
    const attention_case *a = &j->a;
    weft_ctx *c = weft_open_with(&(weft_open_desc){.device = device, .threads = threads});
    weft_graph *g = weft_graph_new(c);
    weft_tensor in[3], at[3], d[3], mask = {0};
    at[0] = heads_of(g, a->b, a->heads, a->tq, a->h, apart, &in[0]);
    at[1] = heads_of(g, a->b, a->shared, a->tk, a->h, apart, &in[1]);
    at[2] = heads_of(g, a->b, a->shared, a->tk, a->hv, apart, &in[2]);
    const weft_tensor dy = weft_input(g, WEFT_F32, weft_dims(a->b, a->heads, a->tq, a->hv));
    const weft_tensor whole = weft_input(g, WEFT_BOOL, weft_dims(a->b, a->heads, a->tq, a->tk));
    if (a->mask == 1) mask = weft_slice(weft_slice(whole, 0, 0, 1, 1), 1, 0, 1, 1);
    if (a->mask == 2) mask = weft_slice(weft_slice(whole, 1, 0, 1, 1), 2, 0, 1, 1);
    if (a->mask == 3) mask = weft_slice(whole, 0, 0, 1, 1);
    const weft_tensor y = weft_attention(
        at[0], at[1], at[2],
        &(weft_attention_desc){.causal = a->causal, .window = a->window, .mask = mask});
    CHECK_EQ(weft_vjp(y, dy, in, 3, d), WEFT_OK);
    weft_plan *p = weft_compile(
        g, &(weft_plan_desc){.fetch = weft_list(y, d[0], d[1], d[2]), .threads = threads});
    if (CHECK(p)) {
        const float *const given[] = {j->q, j->k, j->v};
        for (int i = 0; i < 3; i++)
            weft_set(p, in[i], given[i], (size_t)weft_count(in[i]) * sizeof **given);
        weft_set(p, dy, j->dy, (size_t)weft_count(dy) * sizeof(float));
        if (a->mask) weft_set(p, whole, j->mask, (size_t)weft_count(whole));
        for (int run = 0; run < 2; run++) CHECK_EQ(weft_run(p), WEFT_OK); /* over what was left */
        near(p, y, j->y, 2e-5);
        near(p, d[0], j->dq, 1e-4);
        near(p, d[1], j->dk, 1e-4);
        near(p, d[2], j->dv, 1e-4);
    } else {
        CHECK_STR(weft_error(c), "");
    }
    weft_plan_free(p);
    weft_graph_free(g);
    weft_close(c);
}

TEST(groups_of_heads_and_windows_meet_loops_in_double) {
    for (size_t k = 0; k < CASES; k++) {
        const attention_case *a = &cases[k];
        attention_job j = job_of(a);
        const bool small = a->tq * a->tk < 20000;
        for (int way = 0; way < 4; way++) {
            const char *device = way < 2 ? "cpu" : way == 2 ? "ref" : "far";
            if (way > 1 && !small) continue;
            CASE("%d x %d/%d x %d x %d, window %d causal %d mask %d on %s, way %d", (int)a->b,
                 (int)a->heads, (int)a->shared, (int)a->tq, (int)a->tk, (int)a->window, a->causal,
                 a->mask, device, way);
            attention_meets(&j, device, way == 1 ? 3 : 1, way != 0);
        }
        job_end(&j);
    }
}

/* The plan's steps: keys and values are read where they lie, however many heads read them. */
TEST(keys_are_not_repeated) {
    for (int tq = 1; tq < 20; tq += 18) {
        CASE("%d queries", tq);
        weft_ctx *c = weft_open("cpu");
        weft_graph *g = weft_graph_new(c);
        weft_tensor q, k, v, d[3];
        weft_tensor y =
            weft_attention(heads_of(g, 2, 6, tq, 8, false, &q), heads_of(g, 2, 2, 19, 8, false, &k),
                           heads_of(g, 2, 2, 19, 8, false, &v),
                           &(weft_attention_desc){.causal = true, .window = 7});
        weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)});
        CHECK_EQ(weft_plan_stats(p).kernels, 1);
        weft_plan_free(p);
        const weft_tensor in[3] = {q, k, v};
        weft_vjp(y, q, in, 3, d);
        p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(d[0], d[1], d[2])});
        /* for one query, gradients of keys out of the window are filled in: two more */
        CHECK_EQ(weft_plan_stats(p).kernels, tq == 1 ? 4 : 2);
        weft_plan_free(p);
        weft_graph_free(g);
        weft_close(c);
    }
}
