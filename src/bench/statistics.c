/* statistics.c - what samples say: middle, spread, and how far to trust them.
 *
 * Medians, since what disturbs a machine only ever adds time; intervals by the bootstrap, which
 * assumes no shape of the noise. */
#include "bench/statistics.h"

#include <weft/rl.h>

#include <weft/special.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BENCH_RESAMPLES = 1000 };

static int statistics_order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value that a share of the ordered values lie below. */
static double statistics_quantile(const double *ordered, size_t n, double share) {
    const double at = share * (double)(n - 1);
    const size_t i = (size_t)at;
    const double rest = at - (double)i;
    return rest > 0 && i + 1 < n ? ordered[i] + rest * (ordered[i + 1] - ordered[i]) : ordered[i];
}

double weft_bench_median(double *values, size_t n) {
    if (!n) return NAN;
    qsort(values, n, sizeof *values, statistics_order);
    return statistics_quantile(values, n, 0.5);
}

double bench_fastest(double *times, size_t n) {
    const size_t few = n / 20 ? n / 20 : 1;
    if (isnan(weft_bench_median(times, n))) return NAN; /* it orders them */
    double sum = 0;
    for (size_t i = 0; i < few; i++) sum += times[i];
    return sum / (double)few;
}

/* The share of a bootstrap beyond either end of 95 %. Few values that are drawn again spread less
 * than they should, and how much they spread is known the less: both put the ends further out, as
 * Student's t does for means. */
static double statistics_tail(size_t of) {
    if (of < 2) return 0.025;
    const double n = (double)of;
    const double x =
        weft_special_beta_i_inverse(0.5 * (n - 1), 0.5, 0.05); /* t^2 = (n - 1)(1/x - 1) */
    return 0.5 * weft_special_erfc(sqrt(0.5 * n * (1 / x - 1)));
}

void bench_interval(double *values, size_t n, size_t of, double *low, double *high) {
    const double tail = statistics_tail(of);
    qsort(values, n, sizeof *values, statistics_order);
    *low = statistics_quantile(values, n, tail);
    *high = statistics_quantile(values, n, 1 - tail);
}

/* The median of n values drawn from the ordered ones with repetition: counting which were drawn
 * orders them. */
static double statistics_drawn(const double *ordered, size_t n, weft_rng *r) {
    int count[WEFT_BENCH_SAMPLES] = {0};
    for (size_t i = 0; i < n; i++) count[weft_rng_below(r, (uint32_t)n)]++;
    const size_t half = (n - 1) / 2;
    size_t i = 0, seen = (size_t)count[0];
    while (seen <= half) seen += (size_t)count[++i];
    if (n % 2 || seen > n / 2) return ordered[i];
    size_t next = i + 1;
    while (!count[next]) next++;
    return 0.5 * (ordered[i] + ordered[next]);
}

weft_err weft_bench_summary(const double *us, size_t n, weft_timing *out) {
    if (!out || !us || n < 1 || n > WEFT_BENCH_SAMPLES)
        return weft_fail(NULL, WEFT_ARGUMENT,
                         "weft_bench_summary: 1 to %d samples were expected, not %zu",
                         WEFT_BENCH_SAMPLES, n);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(us[i]))
            return weft_fail(NULL, WEFT_ARGUMENT, "weft_bench_summary: sample %zu is not a time",
                             i);
    *out = (weft_timing){.samples = (int)n, .calls = 1};
    memcpy(out->us, us, n * sizeof *us);
    double ordered[WEFT_BENCH_SAMPLES], drawn[BENCH_RESAMPLES];
    memcpy(ordered, us, n * sizeof *us);
    out->median_us = weft_bench_median(ordered, n);
    out->min_us = ordered[0];
    out->max_us = ordered[n - 1];
    out->p95_us = statistics_quantile(ordered, n, 0.95);
    for (size_t i = 0; i < n; i++) out->mean_us += ordered[i] / (double)n;
    weft_rng r;
    weft_rng_seed(&r, BENCH_SEED, 0);
    for (int i = 0; i < BENCH_RESAMPLES; i++) drawn[i] = statistics_drawn(ordered, n, &r);
    bench_interval(drawn, BENCH_RESAMPLES, n, &out->low_us, &out->high_us);
    return WEFT_OK;
}
