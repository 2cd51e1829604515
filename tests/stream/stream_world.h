/* stream_world.h - what the tests of detectors share: a context, noise, and detectors by a row. */
#ifndef WEFT_TEST_STREAM_WORLD_H
#define WEFT_TEST_STREAM_WORLD_H

#include "test.h"
#include "weft/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline weft_ctx *stream_ctx(void) {
    static weft_ctx *c;
    if (!c) c = weft_open("null");
    return c;
}

/* Made, or the test fails. */
static inline weft_detector *stream_made(weft_detector_desc d) {
    weft_detector *const t = weft_detector_new(stream_ctx(), &d);
    if (!CHECK(t != NULL)) CHECK_STR(weft_error(stream_ctx()), "");
    return t;
}

static inline double noise(void) { /* normal, deviation 1 */
    const double u = test_uniform(1e-12, 1), v = test_uniform(0, 1);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static inline bool same_point(const weft_point *a, const weft_point *b) { /* bit for bit */
    return memcmp(&a->score, &b->score, sizeof a->score) == 0 &&
           (memcmp(&a->expected, &b->expected, sizeof a->expected) == 0 ||
            (isnan(a->expected) && isnan(b->expected))) &&
           a->since == b->since && a->label == b->label;
}

/* Every kind with its defaults and with others. */
static const weft_detector_desc stream_cases[] = {
    {.kind = WEFT_DETECT_ZSCORE},
    {.kind = WEFT_DETECT_ZSCORE, .window = 2, .warm = 2, .threshold = 2, .least = 0.1},
    {.kind = WEFT_DETECT_ZSCORE, .window = 777, .warm = 5},
    {.kind = WEFT_DETECT_EWMA},
    {.kind = WEFT_DETECT_EWMA, .rate = 0.3, .warm = 2, .threshold = 3},
    {.kind = WEFT_DETECT_ROBUST},
    {.kind = WEFT_DETECT_ROBUST, .window = 60, .warm = 8, .error = 0.1},
    {.kind = WEFT_DETECT_CUSUM, .warm = 50},
    {.kind = WEFT_DETECT_CUSUM, .warm = 20, .threshold = 3, .drift = 0.25},
    {.kind = WEFT_DETECT_PAGE_HINKLEY},
    {.kind = WEFT_DETECT_PAGE_HINKLEY, .warm = 4, .threshold = 5, .drift = 0.01},
    {.kind = WEFT_DETECT_ADWIN},
    {.kind = WEFT_DETECT_ADWIN, .delta = 0.4, .every = 1},
    {.kind = WEFT_DETECT_TREES, .window = 40},
    {.kind = WEFT_DETECT_TREES, .dims = 3, .window = 50, .trees = 7, .depth = 5, .seed = 4},
    {.kind = WEFT_DETECT_TREES,
     .dims = 9,
     .window = 33,
     .trees = 2,
     .depth = 15,
     .threshold = 3,
     .low = -5,
     .high = 12},
    {.kind = WEFT_DETECT_HOLT_WINTERS},
    {.kind = WEFT_DETECT_HOLT_WINTERS,
     .period = 7,
     .rate = 0.5,
     .trend = 0.5,
     .season = 0.5,
     .warm = 3,
     .threshold = 2},
};
enum { STREAM_CASES = sizeof stream_cases / sizeof *stream_cases };

/* A stream with everything in it: noise, a step, a spike, a season, gaps. points [n, dims] */
static inline void stream_fill(double *x, size_t n, int dims) {
    for (size_t i = 0; i < n; i++)
        for (int v = 0; v < dims; v++) {
            double *const p = &x[i * (size_t)dims + (size_t)v];
            *p = noise() + (i > n / 2 ? 4 : 0) + 3 * sin((double)i * 0.26);
            if (i % 97 == 96) *p += 25;
            if (i % 53 == 52 && v == dims / 2)
                *p = i % 3 == 0 ? (double)NAN : i % 3 == 1 ? (double)-INFINITY : 1e101;
        }
}

#endif
