/* bench_conv.c - convolutions by themselves, channels last: forward with bias and relu, and what
 * their gradients cost beside it. Each is checked at some places against sums in double. */
#include "bench.h"

#include "command.h"

#include <math.h>
#include <stdlib.h>

typedef struct conv_case {
    int64_t n, side, in, out, kernel; /* kernels and images are square, padded to keep their size */
} conv_case;

/* What is recorded: a layer with bias and relu, or the convolution alone and its gradients for a
 * given one of y. */
typedef struct conv_graph {
    conv_case c;
    weft_tensor x, w, bias, y, dy;
    weft_tensor grad[2]; /* of w and x */
} conv_graph;

static conv_graph conv_record(weft_graph *g, const conv_case *c, bool layer) {
    conv_graph r = {.c = *c};
    const weft_conv_desc same = {.padding = {c->kernel / 2, c->kernel / 2}, .channels_last = true};
    r.x = weft_input(g, WEFT_F32, weft_dims(c->n, c->side, c->side, c->in));
    r.w = weft_input(g, WEFT_F32, weft_dims(c->out, c->in, c->kernel, c->kernel));
    r.bias = weft_input(g, WEFT_F32, weft_dims(c->out));
    r.dy = weft_input(g, WEFT_F32, weft_dims(c->n, c->side, c->side, c->out));
    r.y = weft_conv2d(r.x, r.w, &same);
    if (layer) r.y = weft_relu(weft_add(r.y, r.bias));
    else weft_vjp(r.y, r.dy, (const weft_tensor[]){r.w, r.x}, 2, r.grad);
    return r;
}

/* The same numbers whatever the plan reads of it. */
static void conv_feed(weft_plan *p, const conv_graph *r) {
    const weft_tensor all[] = {r->x, r->w, r->bias, r->dy};
    for (int i = 0; i < 4; i++) {
        float *feed = weft_feed(p, all[i]);
        bench_random numbers = {(uint64_t)i + 1};
        if (feed) bench_fill(&numbers, feed, weft_count(all[i]));
    }
}

/* ---- forward ---- */

typedef struct conv_feeds {
    const conv_case *c;
    const float *x, *w, *bias, *dy;
} conv_feeds;

/* Row h, column v of image n of what has so many channels; NULL: outside. */
static const float *conv_pixel(const conv_case *c, const float *x, int64_t n, int64_t h, int64_t v,
                               int64_t channels) {
    if (h < 0 || h >= c->side || v < 0 || v >= c->side) return NULL;
    return x + ((n * c->side + h) * c->side + v) * channels;
}

static double conv_layer_at(const conv_feeds *f, int64_t place) {
    const conv_case *const c = f->c;
    const int64_t o = place % c->out, pixel = place / c->out, half = c->kernel / 2;
    const int64_t v = pixel % c->side, h = pixel / c->side % c->side, n = pixel / c->side / c->side;
    double sum = f->bias[o];
    for (int64_t i = 0; i < c->kernel * c->kernel; i++) {
        const float *const at =
            conv_pixel(c, f->x, n, h + i / c->kernel - half, v + i % c->kernel - half, c->in);
        for (int64_t k = 0; at && k < c->in; k++)
            sum += (double)at[k] * f->w[(o * c->in + k) * c->kernel * c->kernel + i];
    }
    return fmax(sum, 0);
}

static double conv_dw_at(const conv_feeds *f, int64_t place) {
    const conv_case *const c = f->c;
    const int64_t i = place % (c->kernel * c->kernel), k = place / (c->kernel * c->kernel) % c->in;
    const int64_t o = place / (c->kernel * c->kernel) / c->in, half = c->kernel / 2;
    double sum = 0;
    for (int64_t pixel = 0; pixel < c->n * c->side * c->side; pixel++) {
        const int64_t v = pixel % c->side, h = pixel / c->side % c->side;
        const float *const at =
            conv_pixel(c, f->x, pixel / c->side / c->side, h + i / c->kernel - half,
                       v + i % c->kernel - half, c->in);
        if (at) sum += (double)at[k] * f->dy[pixel * c->out + o];
    }
    return sum;
}

static double conv_dx_at(const conv_feeds *f, int64_t place) {
    const conv_case *const c = f->c;
    const int64_t k = place % c->in, pixel = place / c->in, half = c->kernel / 2;
    const int64_t v = pixel % c->side, h = pixel / c->side % c->side, n = pixel / c->side / c->side;
    double sum = 0;
    for (int64_t i = 0; i < c->kernel * c->kernel; i++) {
        const float *const at =
            conv_pixel(c, f->dy, n, h - i / c->kernel + half, v - i % c->kernel + half, c->out);
        for (int64_t o = 0; at && o < c->out; o++)
            sum += (double)at[o] * f->w[(o * c->in + k) * c->kernel * c->kernel + i];
    }
    return sum;
}

/* Some elements of a result of p; of long sums fewer. */
static int conv_check(bench *b, weft_plan *p, const conv_graph *r, weft_tensor y, const char *what,
                      double (*at)(const conv_feeds *f, int64_t place)) {
    const conv_feeds f = {&r->c, weft_feed(p, r->x), weft_feed(p, r->w), weft_feed(p, r->bias),
                          weft_feed(p, r->dy)};
    const int64_t n = weft_count(y), samples = at == conv_dw_at ? 31 : 499;
    float *got = malloc((size_t)n * sizeof *got);
    if (!got) return bench_wrong(b, "out of memory");
    int status = EXIT_GOOD;
    if (weft_get(p, y, got, (size_t)n * sizeof *got) != WEFT_OK)
        status = bench_failed(b, "reading the result");
    for (int64_t i = 0; i < n && status == EXIT_GOOD; i += 1 + n / samples) {
        const double want = at(&f, i);
        if (!(fabs(got[i] - want) <= 2e-5 * (1 + fabs(want))))
            status = bench_wrong(b, "%s: element %lld is %.9g, not %.9g", what, (long long)i,
                                 got[i], want);
    }
    free(got);
    return status;
}

static double conv_flops(const conv_case *c) {
    return 2.0 * (double)(c->n * c->side * c->side * c->in) * (double)(c->kernel * c->kernel) *
           (double)c->out;
}

int bench_conv_forward(bench *b) {
    const conv_case c = {1, b->quick ? 56 : 224, 3, 64, 3};
    weft_graph *g = weft_graph_new(b->ctx);
    if (!g) return bench_failed(b, "starting");
    const conv_graph r = conv_record(g, &c, true);
    weft_plan *p =
        weft_compile(g, &(weft_plan_desc){.fetch = weft_list(r.y), .threads = b->threads});
    int status = p ? EXIT_GOOD : bench_failed(b, "compiling");
    if (p) {
        bench_line l = {.part = "", .work = BENCH_FLOPS, .amount = conv_flops(&c)};
        conv_feed(p, &r);
        status = weft_run(p) == WEFT_OK ? conv_check(b, p, &r, r.y, "y", conv_layer_at)
                                        : bench_failed(b, "running");
        if (status == EXIT_GOOD) status = bench_plan_time(b, p, &l);
        if (status == EXIT_GOOD) bench_write(b, &l);
    }
    weft_plan_free(p);
    weft_graph_free(g);
    return status;
}

/* ---- backward ---- */

static void conv_run(void *plan) {
    weft_run(plan);
}

/* Forward and backward in turn: the gradient of the weights, or that and the image's. */
static int conv_ratio(bench *b, weft_graph *g, const conv_graph *r, bool image) {
    const weft_plan_desc wish[2] = {
        {.fetch = weft_list(r->y), .threads = b->threads},
        {.fetch = {r->grad, image ? 2 : 1}, .threads = b->threads},
    };
    weft_plan *p[2] = {weft_compile(g, &wish[0]), weft_compile(g, &wish[1])};
    int status = p[0] && p[1] ? EXIT_GOOD : bench_failed(b, "compiling");
    char part[64];
    snprintf(part, sizeof part, "%dx%dx%dx%d-%d %dx%d %s", (int)r->c.n, (int)r->c.side,
             (int)r->c.side, (int)r->c.in, (int)r->c.out, (int)r->c.kernel, (int)r->c.kernel,
             image ? "dw dx" : "dw");
    bench_line l = {.part = part, .work = BENCH_FLOPS};
    l.amount = conv_flops(&r->c) * (image ? 2 : 1);
    if (status == EXIT_GOOD) {
        for (int i = 0; i < 2; i++) conv_feed(p[i], r);
        status = bench_plan_facts(b, p[0], &l);
        if (status == EXIT_GOOD) status = bench_plan_facts(b, p[1], &l);
        if (status == EXIT_GOOD) status = conv_check(b, p[1], r, r->grad[0], "dw", conv_dw_at);
        if (status == EXIT_GOOD && image)
            status = conv_check(b, p[1], r, r->grad[1], "dx", conv_dx_at);
    }
    if (status == EXIT_GOOD) {
        const weft_bench_desc effort = bench_effort(b, 1);
        weft_timing both[2];
        weft_bench_time(&effort, (weft_bench_call[]){{conv_run, p[0]}, {conv_run, p[1]}}, 2, both);
        /* Of the least times: what disturbs one on a busy machine need not disturb the other. */
        const double ratio = both[1].min_us / both[0].min_us;
        l.time = both[1];
        bench_text(&l, "part", part);
        bench_number(&l, "forward_us", both[0].median_us);
        bench_number(&l, "forward_min_us", both[0].min_us);
        bench_number(&l, "ratio", ratio);
        snprintf(l.note, sizeof l.note, "%.2f of forward, %.0f us", ratio, both[0].min_us);
        bench_write(b, &l);
    }
    weft_plan_free(p[0]);
    weft_plan_free(p[1]);
    return status;
}

int bench_conv_backward(bench *b) {
    static const conv_case cases[] = {{16, 32, 64, 128, 3}, {16, 16, 128, 128, 3},
                                      {1, 224, 3, 64, 3},   {64, 28, 1, 32, 5},
                                      {64, 28, 1, 32, 3},   {64, 14, 32, 64, 3}};
    int status = EXIT_GOOD;
    for (size_t i = 0; i < sizeof cases / sizeof *cases && status == EXIT_GOOD; i++) {
        conv_case c = cases[i];
        if (b->quick) c.n = 1, c.side = c.side / 4 * 2;
        weft_graph *g = weft_graph_new(b->ctx);
        if (!g) return bench_failed(b, "starting");
        const conv_graph r = conv_record(g, &c, false);
        status = conv_ratio(b, g, &r, false);
        if (status == EXIT_GOOD) status = conv_ratio(b, g, &r, true);
        weft_graph_free(g);
    }
    return status;
}
