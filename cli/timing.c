/* timing.c - the clock and the sampling that timing.h describes. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "timing.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

double timing_now(void) {
    struct timespec t;
#if defined(CLOCK_MONOTONIC)
    clock_gettime(CLOCK_MONOTONIC, &t);
#else
    timespec_get(&t, TIME_UTC);
#endif
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int timing_order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double timing_median(double *values, int n) {
    qsort(values, (size_t)n, sizeof *values, timing_order);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static double timing_sample(timing_call c, int64_t calls) {
    const double start = timing_now();
    for (int64_t i = 0; i < calls; i++) c.call(c.user);
    return timing_now() - start;
}

/* Doubling the calls until they fill a sample is the warm-up too. Gives the sample's seconds. */
static double timing_calibrate(timing_call c, double sample, int64_t *calls) {
    for (*calls = 1;; *calls *= 2) {
        const double took = timing_sample(c, *calls);
        if (took >= sample || *calls >= INT64_C(1) << 30) return took;
    }
}

void timing_measure(const timing_desc *d, const timing_call *rivals, int n, timing *out) {
    static const timing_desc none;
    static const int most = TIMING_MOST_SAMPLES;
    if (!d) d = &none;
    assert(n >= 1 && n <= TIMING_MOST_RIVALS);
    const double sample = d->sample > 0 ? d->sample : 0.004;
    const double budget = d->budget > 0 ? d->budget : 1;
    const int least = d->least > 0 ? d->least : 5;

    double round = 0;
    for (int r = 0; r < n; r++) round += timing_calibrate(rivals[r], sample, &out[r].calls);
    int samples = budget / round < most ? (int)(budget / round) : most;
    if (samples < least) samples = least < most ? least : most;

    double us[TIMING_MOST_RIVALS][TIMING_MOST_SAMPLES];
    for (int i = 0; i < samples; i++) {
        for (int r = 0; r < n; r++)
            us[r][i] = 1e6 * timing_sample(rivals[r], out[r].calls) / (double)out[r].calls;
    }
    for (int r = 0; r < n; r++) {
        out[r].median_us = timing_median(us[r], samples);
        out[r].min_us = us[r][0];
        out[r].samples = samples;
    }
}
