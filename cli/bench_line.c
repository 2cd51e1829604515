/* bench_line.c - a line of a benchmark's answer: how it is measured, and how it is written.
 *
 * Times are medians; rates stand beside what one core of this machine reaches when it does nothing
 * else. With more than one thread the time of handing them nothing stands there too: where it is
 * long, the threads lie far from each other, and times are not to be compared with others. */
#include "bench.h"

#include "bench_records.h"
#include "command.h"
#include "json.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static void bench_add(bench_line *l, bench_field f) {
    assert(l->fields < BENCH_FIELDS);
    l->field[l->fields++] = f;
}

void bench_text(bench_line *l, const char *name, const char *text) {
    bench_add(l, (bench_field){.name = name, .text = text ? text : ""});
}

void bench_number(bench_line *l, const char *name, double number) {
    bench_add(l, (bench_field){.name = name, .number = number});
}

void bench_per(bench_line *l, double things) {
    weft_timing *t = &l->time;
    double *const all[] = {&t->mean_us, &t->median_us, &t->min_us,  &t->max_us,
                           &t->p95_us,  &t->low_us,    &t->high_us, &t->relative};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) *all[i] /= things;
    for (int i = 0; i < t->samples; i++) t->us[i] /= things;
}

static double bench_rate(const bench_line *l) {
    return l->time.median_us > 0 ? 1e-3 * l->amount / l->time.median_us : 0;
}

double bench_peak(bench *b) {
    if (b->peak < 0) b->peak = weft_peak_gflops(weft_device_isa(b->ctx));
    return b->peak;
}

/* The share of what the cores could do, or below 0. Threads share memory in ways one copy does not
 * show, so bytes are compared on one thread only. */
static double bench_share(bench *b, const bench_line *l) {
    if (l->work == BENCH_FLOPS) {
        const double peak = bench_peak(b);
        const int threads = l->stats.threads > 1 ? l->stats.threads : 1;
        return peak > 0 ? bench_rate(l) / (peak * threads) : -1;
    }
    if (l->work == BENCH_BYTES && l->stats.threads <= 1) {
        const char *isa = weft_device_isa(b->ctx);
        const double peak = l->in_place > 0
                                ? weft_peak_scale_gbs(isa, (size_t)(l->amount - l->in_place))
                                : weft_peak_copy_gbs(isa, (size_t)l->amount);
        return peak > 0 ? bench_rate(l) / peak : -1;
    }
    return -1;
}

static void bench_write_json(bench *b, const bench_line *l, const weft_bench_record *r) {
    const weft_timing *t = &l->time;
    json j = json_begin(stdout);
    json_integer(&j, "schema", BENCH_SCHEMA);
    json_text(&j, "bench", b->name);
    json_text(&j, "line", r->name);
    for (int i = 0; i < l->fields; i++) {
        const bench_field *f = &l->field[i];
        if (f->text) json_text(&j, f->name, *f->text ? f->text : NULL);
        else json_number(&j, f->name, f->number);
    }
    json_integer(&j, "threads", l->stats.threads);
    json_text(&j, "isa", weft_device_isa(b->ctx));
    json_number(&j, "median_us", t->median_us);
    json_number(&j, "mean_us", t->mean_us);
    json_number(&j, "min_us", t->min_us);
    json_number(&j, "max_us", t->max_us);
    json_number(&j, "p95_us", t->p95_us);
    json_number(&j, "low_us", t->low_us);
    json_number(&j, "high_us", t->high_us);
    json_number(&j, "relative", r->relative);
    json_integer(&j, "samples", t->samples);
    json_integer(&j, "disturbed", t->disturbed);
    if (r->ping_us > 0) json_number(&j, "ping_us", r->ping_us);
    if (l->work == BENCH_FLOPS) json_number(&j, "gflops", bench_rate(l));
    if (l->work == BENCH_BYTES) json_number(&j, "gbs", bench_rate(l));
    const double share = bench_share(b, l);
    if (share >= 0) json_number(&j, "of_peak", share);
    json_number(&j, "allocs_per_run", l->allocs_per_run);
    json_integer(&j, "kernels", l->stats.kernels);
    json_integer(&j, "arena_bytes", (int64_t)l->stats.arena_bytes);
    json_end(&j);
}

static void bench_write_row(bench *b, const bench_line *l, const weft_bench_record *r) {
    const weft_timing *t = &l->time;
    if (!b->header) {
        tell(stdout, "%-28s %12s %9s %12s %15s %7s %7s %9s\n", "", "median us", "+-", "min us",
             "rate", "of peak", "kernels", "arena KiB");
        b->header = true;
    }
    char rate[32] = "", share[16] = "", ping[32] = "";
    if (l->work != BENCH_NO_WORK)
        snprintf(rate, sizeof rate, "%.1f %s", bench_rate(l),
                 l->work == BENCH_FLOPS ? "GFLOP/s" : "GB/s");
    const double part_of_peak = bench_share(b, l);
    if (part_of_peak >= 0) snprintf(share, sizeof share, "%.0f %%", 100 * part_of_peak);
    if (r->ping_us > 0)
        snprintf(ping, sizeof ping, "  %d threads, ping %.2f us", r->threads, r->ping_us);
    tell(stdout, "%-28s %12.2f %7.1f %% %12.2f %15s %7s %7u %9.1f  %s%s\n", r->name, t->median_us,
         50 * (t->high_us - t->low_us) / t->median_us, t->min_us, rate, share,
         (unsigned)l->stats.kernels, (double)l->stats.arena_bytes / 1024, l->note, ping);
    fflush(stdout);
}

/* What of a line is kept. Times that were not taken between calibrations get one beside them. */
static weft_bench_record bench_record(bench *b, const bench_line *l) {
    const weft_timing *t = &l->time;
    weft_bench_record r = {.threads = l->stats.threads > 1 ? l->stats.threads : 1,
                           .samples = t->samples,
                           .median_us = t->median_us,
                           .low_us = t->low_us,
                           .high_us = t->high_us,
                           .relative = t->relative,
                           .when = weft_wall()};
    snprintf(r.name, sizeof r.name, "%s%s%s", b->name, *l->part ? " " : "", l->part);
    if (!(r.relative > 0)) {
        double loop[5];
        for (int i = 0; i < 5; i++) loop[i] = weft_bench_calibration();
        r.relative = t->median_us / weft_bench_median(loop, 5);
    }
    if (r.threads > 1) r.ping_us = weft_device_ping(b->ctx, r.threads);
    return r;
}

void bench_write(bench *b, const bench_line *l) {
    const weft_bench_record r = bench_record(b, l);
    if (b->records) bench_records_add(b->records, &r, &l->time);
    if (b->silent) return;
    terminal_line_end(&b->progress);
    if (b->json) bench_write_json(b, l, &r);
    else bench_write_row(b, l, &r);
    terminal_line(&b->progress, "%s ...", b->name);
}

int bench_failed(const bench *b, const char *what) {
    terminal_line_end(&b->progress);
    tell(stderr, "weft bench %s: %s: %s\n", b->name, what, weft_error(b->ctx));
    const weft_err e = weft_error_code(b->ctx);
    return e == WEFT_MEMORY || e == WEFT_DEVICE ? EXIT_RESOURCES : EXIT_FAILED;
}

int bench_wrong(const bench *b, const char *format, ...) {
    terminal_line_end(&b->progress);
    tell(stderr, "weft bench %s: wrong result: ", b->name);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return EXIT_FAILED;
}

/* ---- plans ---- */

static void bench_run(void *plan) {
    weft_run(plan);
    weft_wait(plan);
}

int bench_plan_facts(bench *b, weft_plan *p, bench_line *l) {
    enum { RUNS = 3 };
    if (weft_run(p) != WEFT_OK) return bench_failed(b, "running"); /* the first may do more */
    const uint64_t before = weft_allocations(b->ctx);
    for (int i = 0; i < RUNS; i++) weft_run(p);
    l->allocs_per_run = (double)(weft_allocations(b->ctx) - before) / RUNS;
    l->stats = weft_plan_stats(p);
    return EXIT_GOOD;
}

/* ---- how samples are taken ---- */

/* Under --turns the other side of two pipes says when: a letter g for each sample, e to end. */
static bool bench_turn(void *user, double us) {
    (void)user;
    json j = json_begin(stdout);
    if (us < 0) json_bool(&j, "ready", true);
    else json_number(&j, "us", us);
    json_end(&j);
    char letter;
    return read(STDIN_FILENO, &letter, 1) == 1 && letter == 'g';
}

weft_bench_desc bench_effort(const bench *b, double seconds) {
    weft_bench_desc d = {.budget = seconds, .slower = b->slower};
    if (b->quick) d.sample = 5e-4, d.budget = 0.01, d.least = 3;
    if (b->turns) d.turn = bench_turn;
    return d;
}

int bench_plan_time(bench *b, weft_plan *p, bench_line *l) {
    const int status = bench_plan_facts(b, p, l);
    const weft_bench_desc effort = bench_effort(b, 1);
    if (status == EXIT_GOOD)
        weft_bench_time(&effort, &(weft_bench_call){bench_run, p}, 1, &l->time);
    return status;
}

/* ---- numbers ---- */

static uint32_t bench_next(bench_random *r) { /* splitmix64 */
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(z >> 32);
}

void bench_fill(bench_random *r, float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) x[i] = (float)(bench_next(r) >> 8) * 0x1p-23f - 1;
}

void bench_fill_integers(bench_random *r, int32_t *x, int64_t n, int32_t limit) {
    for (int64_t i = 0; i < n; i++) x[i] = (int32_t)(bench_next(r) % (uint32_t)limit);
}
