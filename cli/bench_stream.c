/* bench_stream.c - points a second through detectors, on one thread.
 *
 * The z-score over a window of 100 is checked against recomputed sums; half-space trees, 25 of depth
 * 8 over points of three values, against feeding the points one by one, and by a point far away.
 * Both learn while they score; points come in arrays, and once more one at a time. */
#include "bench.h"
#include "command.h"

#include <weft/stream.h>

#include <math.h>
#include <stdlib.h>

enum { FLOW_POINTS = 1 << 13, FLOW_DIMS = 3 };

typedef struct flow {
    weft_detector *detector;
    double *x; /* [FLOW_POINTS, dims] */
    weft_point *p;
    size_t dims, each; /* points that are fed together */
} flow;

static void flow_run(void *user) {
    const flow *const f = user;
    for (size_t i = 0; i < FLOW_POINTS; i += f->each)
        weft_detector_feed(f->detector, f->x + i * f->dims, f->each, f->p + i);
}

static bool flow_open(bench *b, flow *f, const weft_detector_desc *d) {
    bench_random r = {1};
    f->dims = d->dims ? (size_t)d->dims : 1;
    f->x = malloc(FLOW_POINTS * f->dims * sizeof *f->x);
    f->p = malloc(FLOW_POINTS * sizeof *f->p);
    f->detector = weft_detector_new(b->ctx, d);
    for (size_t i = 0; f->x && i < FLOW_POINTS * f->dims; i++) {
        float u[4]; /* nearly normal, around a large offset */
        bench_fill(&r, u, 4);
        f->x[i] = 1e6 + (double)(u[0] + u[1] + u[2] + u[3]);
    }
    return f->x && f->p && f->detector;
}

static void flow_close(flow *f) {
    weft_detector_free(f->detector);
    free(f->x);
    free(f->p);
}

/* Scores of the last points against windows summed again. */
static int flow_check_zscore(const bench *b, const flow *f) {
    enum { WINDOW = 100 };
    for (size_t i = FLOW_POINTS - 300; i < FLOW_POINTS; i++) {
        double mean = 0, squares = 0;
        for (size_t k = i - WINDOW; k < i; k++) mean += (f->x[k] - f->x[i]) / WINDOW;
        for (size_t k = i - WINDOW; k < i; k++)
            squares += (f->x[k] - f->x[i] - mean) * (f->x[k] - f->x[i] - mean);
        const double z = fabs(mean) / sqrt(squares / (WINDOW - 1));
        if (fabs(z - f->p[i].score) > 1e-6)
            return bench_wrong(b, "point %zu scores %g, not %g", i, f->p[i].score, z);
    }
    return EXIT_GOOD;
}

static int flow_check_trees(const bench *b, const flow *f, const weft_detector_desc *d) {
    weft_detector *const alone = weft_detector_new(b->ctx, d);
    if (!alone) return bench_failed(b, "making a detector");
    int status = EXIT_GOOD;
    double most = -1e9;
    for (size_t i = 0; i < FLOW_POINTS && status == EXIT_GOOD; i++) {
        weft_point p;
        weft_detector_feed(alone, f->x + i * f->dims, 1, &p);
        if (p.score != f->p[i].score || p.label != f->p[i].label)
            status = bench_wrong(b, "point %zu scores %g, alone %g", i, f->p[i].score, p.score);
        if (i >= FLOW_POINTS / 2 && i % 100 == 0) most = fmax(most, p.score);
    }
    weft_point p;
    weft_detector_feed(alone, (double[FLOW_DIMS]){1e6 + 4, 1e6 - 4, 1e6 + 4}, 1, &p);
    weft_detector_free(alone);
    if (status == EXIT_GOOD && p.score <= most)
        status = bench_wrong(b, "a point far away scores %g, others up to %g", p.score, most);
    return status;
}

static int flow_bench(bench *b, const weft_detector_desc *d) {
    flow f = {.each = FLOW_POINTS};
    int status = flow_open(b, &f, d) ? EXIT_GOOD : bench_failed(b, "making a detector");
    if (status == EXIT_GOOD) {
        flow_run(&f);
        if (d->kind == WEFT_DETECT_TREES) status = flow_check_trees(b, &f, d);
    }
    for (int alone = 1; alone >= 0 && status == EXIT_GOOD; alone--) {
        bench_line l = {.part = alone ? "one at a time" : "arrays", .stats = {.threads = 1}};
        f.each = alone ? 1 : FLOW_POINTS;
        const uint64_t before = weft_allocations(b->ctx);
        flow_run(&f);
        l.allocs_per_run = (double)(weft_allocations(b->ctx) - before);
        if (d->kind == WEFT_DETECT_ZSCORE) status = flow_check_zscore(b, &f);
        if (status != EXIT_GOOD) break;
        const weft_bench_desc effort = bench_effort(b, 1);
        weft_bench_time(&effort, &(weft_bench_call){flow_run, &f}, 1, &l.time);
        const double rate = FLOW_POINTS / (1e-6 * l.time.median_us);
        bench_text(&l, "part", l.part);
        bench_number(&l, "points_per_s", rate);
        bench_number(&l, "points", FLOW_POINTS);
        bench_number(&l, "values", (double)f.dims);
        snprintf(l.note, sizeof l.note, "%.1f M points/s", 1e-6 * rate);
        bench_write(b, &l);
    }
    flow_close(&f);
    return status;
}

int bench_stream_zscore(bench *b) {
    return flow_bench(b, &(weft_detector_desc){.kind = WEFT_DETECT_ZSCORE, .window = 100});
}

int bench_stream_trees(bench *b) {
    return flow_bench(b,
                      &(weft_detector_desc){
                          .kind = WEFT_DETECT_TREES, .dims = FLOW_DIMS, .trees = 25, .depth = 8});
}
