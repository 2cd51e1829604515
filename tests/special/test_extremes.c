/* test_extremes.c - the headers for measuring, special.h, stream.h and bench.h, given whatever a
 * caller may give: zeros of both signs, nan, infinities, the smallest and the largest doubles,
 * counts below 0, no memory at all. What must hold for any of it is asked, not what comes out; the
 * sanitizers look for the rest. */
#include "stream/stream_world.h"
#include "weft/bench.h"
#include "weft/special.h"

#include <float.h>
#include <stdio.h>

static const double extremes[] = {
    0.0,     -0.0,    5e-324, -5e-324, DBL_MIN,     -DBL_MIN,    DBL_MIN / 3,  DBL_MAX, -DBL_MAX,
    1e300,   -1e300,  1e-300, -1e-300, 1e154,       -1e154,      1e100,        -1e100,  1e20,
    -1e20,   1,       -1,     2,       -2,          0.5,         -0.5,         170.5,   -170.5,
    0x1p53,  -0x1p53, 0x1p63, -0x1p63, 1 - 0x1p-53, 1 + 0x1p-52, -1 - 0x1p-52, 9999.5,  -9999.5,
    10000.5, 1e9,     1e-20,  NAN,     INFINITY,    -INFINITY,
};
enum { EXTREMES = sizeof extremes / sizeof *extremes };

static bool same(double a, double b) {
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

/* ---- special.h ---- */

/* NaN in is NaN out; alone, in a table, and by arrays a function is the same but for rounding; a
 * float is the rounded double. */
static void special_at(weft_special f, const double *x, int arguments, double mapped,
                       float single) {
    const double v = weft_special_at(f, x);
    bool nan = false, floats = true;
    for (int j = 0; j < arguments; j++) {
        nan = nan || isnan(x[j]);
        floats = floats && (isnan(x[j]) || (double)(float)x[j] == x[j]);
    }
    bool good = !nan || isnan(v);
    const bool close = isfinite(v) && fabs(v - mapped) <= 1e-12 * fabs(v) + 5e-324;
    /* far out the arrays may reduce an argument in another way */
    good = good && (same(v, mapped) || close || (isfinite(v) && isfinite(mapped)));
    good = good &&
           (!floats || same((float)v, (double)single) || (isfinite((float)v) && isfinite(single)));
    if (!CHECK(good))
        printf("    %s(%g, %g, %g) is %g, %g by arrays, %g in float\n", weft_special_name(f), x[0],
               x[1], x[2], v, mapped, (double)single);
    for (int j = 0; j < arguments; j++) {
        const double slope = weft_special_derivative(f, j, x);
        if (nan && !isnan(slope) && weft_special_formula(f, j) == NULL) CHECK(isnan(slope));
    }
}

TEST(special_functions_of_extremes) {
    weft_ctx *const c = weft_open("cpu");
    for (int k = 0; k < WEFT_SPECIAL_COUNT; k++) {
        const weft_special f = (weft_special)k;
        const int arguments = weft_special_arguments(f);
        CASE("%s", weft_special_name(f));
        int all = 1;
        for (int j = 0; j < arguments; j++) all *= EXTREMES;
        /* of three arguments a part, since fractions with such parameters are long */
        const int step = arguments == 3 ? 97 : 1;
        const size_t n = (size_t)(all / step);
        double *x[3], *const y = malloc(n * sizeof *y);
        float *z[3], *const w = malloc(n * sizeof *w);
        for (int j = 0; j < 3; j++) {
            x[j] = malloc(n * sizeof *x[j]), z[j] = malloc(n * sizeof *z[j]);
            for (size_t i = 0; i < n; i++) {
                size_t at = i * (size_t)step;
                for (int skip = 0; skip < j; skip++) at /= EXTREMES;
                x[j][i] = extremes[at % EXTREMES];
                z[j][i] = fabs(x[j][i]) > FLT_MAX && isfinite(x[j][i]) ? NAN : (float)x[j][i];
            }
        }
        const double *const in[3] = {x[0], x[1], x[2]};
        const float *const single[3] = {z[0], z[1], z[2]};
        CHECK_EQ(weft_special_map(c, f, (int64_t)n, in, y), WEFT_OK);
        CHECK_EQ(weft_special_map_f32(c, f, (int64_t)n, single, w), WEFT_OK);
        for (size_t i = 0; i < n; i++)
            special_at(f, (double[]){x[0][i], x[1][i], x[2][i]}, arguments, y[i], w[i]);
        CHECK_EQ(weft_special_map(c, f, -1, in, y), WEFT_OK); /* nothing */
        CHECK_EQ(weft_special_map(c, f, INT64_MIN, in, NULL), WEFT_OK);
        for (int j = 0; j < 3; j++) free(x[j]), free(z[j]);
        free(y), free(w);
    }
    CHECK_EQ(weft_special_logsumexp(-3, NULL), -INFINITY);
    CHECK_EQ(weft_special_logsumexp(1, (double[]){DBL_MAX}), DBL_MAX);
    CHECK(!weft_special_find(NULL, &(weft_special){0}));
    CHECK(!weft_special_find("", &(weft_special){0}));
    weft_close(c);
}

/* ---- stream.h ---- */

static bool point_good(const weft_point *p, bool trees) {
    return isfinite(p->score) && p->score <= 1e9 && (trees || p->score >= 0) &&
           !isinf(p->expected) && p->since >= -1 && p->label < WEFT_LABEL_COUNT;
}

TEST(streams_of_extremes) {
    enum { N = 6000 };
    static double x[N];
    static weft_point out[N];
    for (int k = 0; k < STREAM_CASES; k++)
        for (int kind = 0; kind < 6; kind++) {
            weft_detector_desc desc = stream_cases[k];
            const size_t dims = desc.dims ? (size_t)desc.dims : 1, n = N / dims;
            CASE("%s, row %d, stream %d", weft_detector_name(desc.kind), k, kind);
            for (int i = 0; i < N; i++) {
                const double any = extremes[(unsigned)i * 7919u % EXTREMES];
                x[i] = kind == 0   ? any
                       : kind == 1 ? (i % 2 ? 1e100 : -1e100)          /* the largest values    */
                       : kind == 2 ? (i % 500 == 499 ? any : 3)        /* nearly constant       */
                       : kind == 3 ? (i % 2 ? 5e-324 : 0)              /* variance underflows   */
                       : kind == 4 ? 1e100 * (1 - i * 0x1p-53)         /* an ulp at a time      */
                                   : (i < N / 2 ? 1e-300 : any) * 1e5; /* small, then anything  */
            }
            weft_detector *const d = stream_made(desc);
            CHECK_EQ(weft_detector_feed(d, x, n, out), WEFT_OK);
            for (size_t i = 0; i < n; i++)
                if (!CHECK(point_good(&out[i], desc.kind == WEFT_DETECT_TREES))) {
                    printf("    point %zu: score %g, expected %g\n", i, out[i].score,
                           out[i].expected);
                    break;
                }
            /* what it has become is a snapshot that is taken back */
            const size_t bytes = weft_detector_bytes(d);
            char *const s = malloc(bytes);
            CHECK_EQ(weft_detector_save(d, s, bytes), WEFT_OK);
            weft_detector *const again = weft_detector_restore(stream_ctx(), s, bytes, "snapshot");
            if (!CHECK(again != NULL)) printf("    %s\n", weft_error(stream_ctx()));
            weft_point a, b;
            for (size_t i = 0; again && i < 50; i++) {
                weft_detector_feed(d, x + i * dims, 1, &a);
                weft_detector_feed(again, x + i * dims, 1, &b);
                CHECK(same_point(&a, &b));
            }
            CHECK_EQ(weft_detector_feed(d, NULL, 0, NULL), WEFT_OK);
            CHECK_EQ(weft_detector_feed(d, NULL, 1, &a), WEFT_ARGUMENT);
            CHECK_EQ(weft_detector_save(d, NULL, bytes), WEFT_ARGUMENT);
            weft_detector_free(d), weft_detector_free(again);
            free(s);
        }
}

TEST(detectors_of_extreme_fields) {
    weft_detector_field f;
    for (int k = 0; k < WEFT_DETECTOR_COUNT; k++)
        for (int i = 0; weft_detector_field_at((weft_detector_kind)k, i, &f); i++)
            for (int e = 0; e < EXTREMES; e++) {
                weft_detector_desc d = {.kind = (weft_detector_kind)k};
                CASE("%s, %s %g", weft_detector_name(d.kind), f.name, extremes[e]);
                /* what takes gigabytes is not for a test */
                if (f.whole && extremes[e] > 1e6 && extremes[e] <= f.high) continue;
                memcpy((char *)&d + f.offset, &extremes[e], sizeof(double));
                weft_detector *const t = weft_detector_new(stream_ctx(), &d);
                const bool fits =
                    extremes[e] == 0 || (extremes[e] >= f.low && extremes[e] <= f.high);
                if (!fits) CHECK(t == NULL);
                weft_point p[3];
                if (t) CHECK_EQ(weft_detector_feed(t, (double[]){1, NAN, -2}, 3, p), WEFT_OK);
                weft_detector_free(t);
            }
    CHECK(weft_detector_new(stream_ctx(), NULL) == NULL);
    CHECK(weft_detector_new(NULL, &(weft_detector_desc){0}) == NULL);
    CHECK(weft_detector_new(stream_ctx(), &(weft_detector_desc){.dims = -1}) == NULL);
    CHECK(weft_detector_new(stream_ctx(), &(weft_detector_desc){.dims = INT32_MAX}) == NULL);
    CHECK(weft_detector_new(stream_ctx(), &(weft_detector_desc){.kind = (weft_detector_kind)99}) ==
          NULL);
    CHECK(weft_detector_restore(stream_ctx(), NULL, 0, NULL) == NULL);
    CHECK_EQ(weft_detector_find(NULL), -1);
    CHECK(weft_detector_name((weft_detector_kind)-1) == NULL);
    CHECK(weft_detector_about((weft_detector_kind)99) == NULL);
    CHECK(weft_label_name((weft_label)-1) == NULL);
    weft_detector_free(NULL);
}

/* ---- bench.h ---- */

static void nothing(void *user) {
    (void)user;
}

TEST(figures_of_extremes) {
    double x[EXTREMES];
    memcpy(x, extremes, sizeof x);
    weft_timing t = {0};
    CHECK(weft_bench_summary(x, 0, &t) != WEFT_OK || t.samples == 0);
    weft_bench_summary(x, EXTREMES, &t);
    CHECK(t.samples >= 0 && t.samples <= WEFT_BENCH_SAMPLES);
    CHECK(weft_bench_summary(NULL, 3, &t) != WEFT_OK);
    CHECK(weft_bench_summary(x, WEFT_BENCH_SAMPLES + 1, &t) != WEFT_OK);
    CHECK(isnan(weft_bench_median(NULL, 0)));
    weft_bench_median(x, EXTREMES);
    for (int a = 0; a < EXTREMES; a++)
        for (int b = 0; b < EXTREMES; b++) {
            const weft_ratio r = weft_bench_ratio(&extremes[a], &extremes[b], 1, 1);
            const bool used = extremes[a] > 0 && extremes[b] > 0 && isfinite(extremes[a]) &&
                              isfinite(extremes[b]);
            CHECK_EQ(r.pairs, (size_t)used);
            CHECK(used || isnan(r.ratio));
            const weft_bench_record now = {.relative = extremes[a], .median_us = extremes[b]},
                                    then = {.relative = extremes[b], .low_us = extremes[a]};
            weft_bench_slowdown(&now, &then, extremes[b]);
        }
    CHECK(isnan(weft_bench_ratio(NULL, NULL, 0, 0).ratio));
    weft_timing many[WEFT_BENCH_RIVALS];
    const weft_bench_call call = {nothing, NULL};
    CHECK(weft_bench_time(NULL, &call, 0, many) != WEFT_OK);
    CHECK(weft_bench_time(NULL, &call, -1, many) != WEFT_OK);
    CHECK(weft_bench_time(NULL, &call, WEFT_BENCH_RIVALS + 1, many) != WEFT_OK);
    CHECK(weft_bench_time(NULL, NULL, 1, many) != WEFT_OK);
    for (int e = 0; e < EXTREMES; e++) {
        if (extremes[e] > 1e-4) continue; /* as long as it says */
        const weft_bench_desc d = {
            .sample = extremes[e], .budget = 1e-4, .least = 1, .slower = extremes[e]};
        CASE("sample %g", extremes[e]);
        if (extremes[e] != 0) weft_bench_time(&d, &call, 1, many);
    }
    CHECK_EQ(weft_peak_gflops("no such set"), 0);
    weft_baseline_free(NULL);
    weft_history_free(NULL);
    weft_baseline *const b = weft_baseline_new(stream_ctx());
    weft_bench_record r = {.name = "x"};
    CHECK(!weft_baseline_at(b, SIZE_MAX, &r));
    CHECK(!weft_baseline_find(b, "y", -1, &r));
    for (int e = 0; e < EXTREMES; e++) {
        weft_bench_record odd = {.name = "x", .threads = e, .relative = extremes[e]};
        memset(odd.name, 'n', sizeof odd.name - 1);
        weft_baseline_put(b, &odd);
    }
    CHECK(weft_baseline_open(stream_ctx(), "/no/such/file") == NULL);
    weft_baseline_free(b);
}
