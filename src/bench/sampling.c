/* sampling.c - samples of calls between two runs of the calibration loop.
 *
 * What the samples say is statistics.c's; the loop itself is calibration.c's. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "bench/statistics.h"

#include <math.h>
#include <time.h>

typedef struct sampling {
    double us[WEFT_BENCH_RIVALS][WEFT_BENCH_SAMPLES];
    double
        loop[WEFT_BENCH_SAMPLES + 1]; /* the calibration before each sample, and after the last */
    double idle[WEFT_BENCH_SAMPLES];  /* the share of a sample during which we did not run */
    int taken;
} sampling;

/* Seconds that this thread was running; 0 if unknown. */
static double sampling_ran(void) {
#if defined(CLOCK_THREAD_CPUTIME_ID)
    struct timespec t;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0)
        return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#endif
    return 0;
}

static double sampling_seconds(weft_bench_call c, int64_t calls, double slower) {
    const double start = weft_clock();
    for (int64_t i = 0; i < calls; i++) c.call(c.user);
    double now = weft_clock();
    if (slower > 0)
        for (const double until = now + slower * (now - start); now < until;) now = weft_clock();
    return now - start;
}

/* Doubling the calls until they fill a sample is the warm-up too. Gives the sample's seconds. */
static double sampling_calls(weft_bench_call c, double sample, double slower, int64_t *calls) {
    for (*calls = 1;; *calls *= 2) {
        const double took = sampling_seconds(c, *calls, slower);
        if (took >= sample || *calls >= INT64_C(1) << 30) return took;
    }
}

static void sampling_take(sampling *s, const weft_bench_call *rivals, int n, const weft_timing *out,
                          double slower) {
    if (!s->taken) s->loop[0] = weft_bench_calibration();
    const double ran = sampling_ran(), start = weft_clock();
    for (int r = 0; r < n; r++)
        s->us[r][s->taken] =
            1e6 * sampling_seconds(rivals[r], out[r].calls, slower) / (double)out[r].calls;
    const double took = weft_clock() - start, run = sampling_ran() - ran;
    s->idle[s->taken] = run > 0 && took > 0 ? 1 - run / took : 0;
    s->loop[++s->taken] = weft_bench_calibration();
}

/* How much a sample was disturbed: by how much the calibration moved over it, or the share of it
 * that another process had the core. */
static double sampling_disturbed(const sampling *s, int i) {
    return fmax(fabs(log(s->loop[i + 1] / s->loop[i])), s->idle[i]);
}

/* Samples that were disturbed by more than a twentieth are left out, but never more than half: on a
 * machine that is never quiet the quieter half has to do. */
static double sampling_bound(const sampling *s) {
    double disturbed[WEFT_BENCH_SAMPLES];
    for (int i = 0; i < s->taken; i++) disturbed[i] = sampling_disturbed(s, i);
    return fmax(0.05, weft_bench_median(disturbed, (size_t)s->taken));
}

static void sampling_judge(const sampling *s, int rival, weft_timing *out) {
    const double bound = sampling_bound(s);
    double kept[WEFT_BENCH_SAMPLES], loop[WEFT_BENCH_SAMPLES];
    size_t n = 0;
    for (int i = 0; i < s->taken; i++) {
        if (sampling_disturbed(s, i) > bound) continue;
        loop[n] = 0.5 * (s->loop[i] + s->loop[i + 1]);
        kept[n++] = s->us[rival][i];
    }
    const int64_t calls = out->calls;
    weft_bench_summary(kept, n, out);
    out->calls = calls;
    out->disturbed = s->taken - (int)n;
    if (n) out->relative = bench_fastest(kept, n) / bench_fastest(loop, n);
}

weft_err weft_bench_time(const weft_bench_desc *d, const weft_bench_call *rivals, int n,
                         weft_timing *out) {
    static const weft_bench_desc none;
    if (!d) d = &none;
    if (!rivals || !out || n < 1 || n > WEFT_BENCH_RIVALS)
        return weft_fail(NULL, WEFT_ARGUMENT,
                         "weft_bench_time: 1 to %d calls were expected, not %d", WEFT_BENCH_RIVALS,
                         n);
    for (int r = 0; r < n; r++) {
        if (!rivals[r].call)
            return weft_fail(NULL, WEFT_ARGUMENT, "weft_bench_time: rival %d has no call", r);
        out[r] = (weft_timing){.samples = 0};
    }
    const double sample = d->sample > 0 ? d->sample : 0.004;
    const double budget = d->budget > 0 ? d->budget : 1;
    const int least = d->least > 0 ? d->least : 5;

    double round = 0;
    for (int r = 0; r < n; r++)
        round += sampling_calls(rivals[r], sample, d->slower, &out[r].calls);
    int samples = budget / round < WEFT_BENCH_SAMPLES ? (int)(budget / round) : WEFT_BENCH_SAMPLES;
    if (samples < least) samples = least < WEFT_BENCH_SAMPLES ? least : WEFT_BENCH_SAMPLES;
    if (d->turn) samples = WEFT_BENCH_SAMPLES;

    sampling s = {.taken = 0};
    while (s.taken < samples) {
        if (d->turn && !d->turn(d->user, s.taken ? s.us[0][s.taken - 1] : -1)) break;
        sampling_take(&s, rivals, n, out, d->slower);
    }
    for (int r = 0; r < n; r++) sampling_judge(&s, r, &out[r]);
    return WEFT_OK;
}
