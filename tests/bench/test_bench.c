/* test_bench.c - what samples say: summaries, their intervals, and which of two programs is slower,
 * on times that were made up and whose truth is known. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "test.h"
#include "weft/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* ---- numbers ---- */

static double normal(void) {
    const double u = test_uniform(1e-12, 1), v = test_uniform(0, 1);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}
static double exponential(void) {
    return -log(test_uniform(1e-12, 1));
}
static double pareto(void) { /* 1 and more; no mean to speak of */
    return pow(test_uniform(1e-9, 1), -1 / 1.2);
}

/* The k-th of the values in order, from 0, by counting: slow, and unlike what is tested. */
static double ranked(const double *x, size_t n, size_t k) {
    for (size_t i = 0; i < n; i++) {
        size_t below = 0, same = 0;
        for (size_t j = 0; j < n; j++) below += x[j] < x[i], same += x[j] == x[i];
        if (below <= k && k < below + same) return x[i];
    }
    return NAN;
}

/* Where `percent` of the way from the first to the last lies, between two neighbours. */
static double slow_quantile(const double *x, size_t n, size_t percent) {
    const size_t whole = (n - 1) * percent / 100, rest = (n - 1) * percent % 100;
    const double at = ranked(x, n, whole);
    return rest ? at + (double)rest / 100 * (ranked(x, n, whole + 1) - at) : at;
}

/* P(at least k of n), each with chance p. */
static double binomial(size_t n, size_t k, double p) {
    double sum = 0;
    for (size_t i = k; i <= n; i++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) +
                   (double)i * log(p) + (double)(n - i) * log1p(-p));
    return sum;
}

/* ---- summaries ---- */

TEST(clocks) {
    const double start = weft_clock(), wall = weft_wall();
    usleep(20000);
    CHECK(weft_clock() - start >= 0.02);
    CHECK(fabs(wall - (double)time(NULL)) < 60); /* however long nobody let us run */
}

TEST(medians) {
    CHECK(isnan(weft_bench_median(NULL, 0)));
    double one[] = {7}, two[] = {4, 1}, three[] = {9, 1, 5}, same[] = {2, 2, 2, 2};
    CHECK_EQ(weft_bench_median(one, 1), 7.0);
    CHECK_EQ(weft_bench_median(two, 2), 2.5);
    CHECK_EQ(two[0], 1.0);
    CHECK_EQ(weft_bench_median(three, 3), 5.0);
    CHECK_EQ(weft_bench_median(same, 4), 2.0);
    double wide[] = {-INFINITY, INFINITY, 3};
    CHECK_EQ(weft_bench_median(wide, 3), 3.0);
}

TEST(summaries_are_those_of_a_slow_computation) {
    static const size_t counts[] = {1, 2, 3, 4, 5, 20, 21, 22, 100, 126, WEFT_BENCH_SAMPLES};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        const size_t n = counts[c];
        CASE("%zu samples", n);
        for (int trial = 0; trial < 20; trial++) {
            double us[WEFT_BENCH_SAMPLES], sum = 0;
            for (size_t i = 0; i < n; i++) {
                us[i] = trial % 2 ? floor(test_uniform(1, 5)) : 100 + 10 * exponential();
                sum += us[i];
            }
            weft_timing t;
            memset(&t, 0x55, sizeof t);
            if (!CHECK_EQ(weft_bench_summary(us, n, &t), WEFT_OK)) return;
            const double middle = 0.5 * (ranked(us, n, (n - 1) / 2) + ranked(us, n, n / 2));
            CHECK_NEAR(t.median_us, middle, 1e-12 * middle);
            CHECK_EQ(t.min_us, ranked(us, n, 0));
            CHECK_EQ(t.max_us, ranked(us, n, n - 1));
            CHECK_NEAR(t.mean_us, sum / (double)n, 1e-12 * sum);
            CHECK_NEAR(t.p95_us, slow_quantile(us, n, 95), 1e-9 * t.max_us);
            CHECK(t.min_us <= t.low_us && t.low_us <= t.high_us && t.high_us <= t.max_us);
            CHECK_EQ(t.samples, (int)n);
            CHECK_EQ(t.disturbed, 0);
            CHECK_EQ(t.calls, 1);
            CHECK_EQ(t.relative, 0.0);
            CHECK_MEM(t.us, us, n * sizeof *us);
            weft_timing again;
            weft_bench_summary(us, n, &again);
            CHECK_MEM(&again, &t, sizeof t);
        }
    }
}

/* What is left beyond each end: as much as of a normal variable beyond Student's t of 95 %, as
 * tables have it, times sqrt(n / (n - 1)). */
static double beyond(size_t n, double student) {
    return 0.5 * erfc(student * sqrt((double)n / (double)(n - 1)) / sqrt(2));
}

/* The median of n values that are drawn again, n odd, is at most the k-th of them if more than half
 * of the draws are among the first k: the bootstrap's exact ends, but for the luck of its draws. */
TEST(intervals_are_those_of_an_exact_bootstrap) {
    static const struct {
        size_t n;
        double student;
    } rows[] = {{5, 2.7764}, {11, 2.2281}, {21, 2.0860}, {61, 2.0003}, {121, 1.9799}};
    for (size_t c = 0; c < sizeof rows / sizeof *rows; c++) {
        const size_t n = rows[c].n, half = (n + 1) / 2;
        CASE("%zu samples", n);
        double us[WEFT_BENCH_SAMPLES];
        for (size_t i = 0; i < n; i++) us[i] = (double)((i * 37) % n + 1); /* 1 to n, mixed */
        weft_timing t;
        CHECK_EQ(weft_bench_summary(us, n, &t), WEFT_OK);
        const double tail = beyond(n, rows[c].student), luck = 4 * sqrt(tail / 1000) + 1e-3;
        const double low = floor(t.low_us),
                     high = ceil(t.high_us); /* a quantile lies between two */
        CHECK(low <= 1 || binomial(n, half, (low - 1) / (double)n) <= tail + luck);
        CHECK(binomial(n, half, (low + 1) / (double)n) >= tail - luck);
        CHECK(high >= (double)n || binomial(n, half, high / (double)n) >= 1 - tail - luck);
        CHECK(binomial(n, half, (high - 2) / (double)n) <= 1 - tail + luck);
    }
}

/* Of 1 to n the ends lie as far below the middle as above it, but for luck, for even n too, where a
 * median lies between two. */
TEST(intervals_lean_to_neither_side) {
    for (size_t odd = 0; odd < 2; odd++) {
        CASE(odd ? "odd" : "even");
        double lean = 0, counts = 0;
        for (size_t n = 6 + odd; n <= 126; n += 2, counts++) {
            double us[WEFT_BENCH_SAMPLES];
            for (size_t i = 0; i < n; i++) us[i] = (double)(i + 1);
            weft_timing t;
            weft_bench_summary(us, n, &t);
            lean += t.low_us + t.high_us - (double)(n + 1);
        }
        CHECK_NEAR(lean / counts, 0, 0.3);
    }
}

TEST(intervals_cover_the_true_median) {
    static const size_t counts[] = {5, 9, 30, 101};
    static const char *const shape[] = {"normal", "exponential", "heavy tail", "two levels"};
    const int trials = test_long() && !test_sanitized() ? 2000 : 300;
    for (int kind = 0; kind < 4; kind++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            CASE("%s, %zu samples", shape[kind], counts[c]);
            int covered = 0;
            for (int trial = 0; trial < trials; trial++) {
                double us[WEFT_BENCH_SAMPLES], truth = 50;
                for (size_t i = 0; i < counts[c]; i++) {
                    if (kind == 0) us[i] = 50 + normal();
                    if (kind == 1) us[i] = 50 - log(2) + exponential();
                    if (kind == 2) us[i] = 50 - pow(2, 1 / 1.2) + pareto();
                    if (kind == 3) /* 70 % on the lower: its quantile 0.5 / 0.7 */
                        us[i] = test_uniform(0, 1) < 0.7 ? 50 - 0.5 / 0.7 + test_uniform(0, 1)
                                                         : 60 + test_uniform(0, 1);
                }
                weft_timing t;
                weft_bench_summary(us, counts[c], &t);
                covered += t.low_us <= truth && truth <= t.high_us;
            }
            /* ends are samples, and so there are none at just 95 %: [1st, 5th] of 5 has 93.75 */
            const double deviation = sqrt(0.95 * 0.05 / trials);
            CHECK(covered >= (0.935 - 3 * deviation) * trials);
            CHECK(covered <= (0.965 + 3 * deviation) * trials);
        }
}

TEST(summaries_that_cannot_be) {
    weft_timing t;
    double us[WEFT_BENCH_SAMPLES + 1];
    for (int i = 0; i <= WEFT_BENCH_SAMPLES; i++) us[i] = 1;
    CHECK_EQ(weft_bench_summary(us, 0, &t), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(NULL), "1 to 127 samples were expected, not 0");
    CHECK_EQ(weft_bench_summary(us, WEFT_BENCH_SAMPLES + 1, &t), WEFT_ARGUMENT);
    CHECK_EQ(weft_bench_summary(NULL, 3, &t), WEFT_ARGUMENT);
    CHECK_EQ(weft_bench_summary(us, 3, NULL), WEFT_ARGUMENT);
    us[2] = NAN;
    CHECK_EQ(weft_bench_summary(us, 3, &t), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(NULL), "sample 2 is not a time");
    us[2] = INFINITY;
    CHECK_EQ(weft_bench_summary(us, 3, &t), WEFT_ARGUMENT);
    CHECK_EQ(weft_bench_summary(us, 2, &t), WEFT_OK);
}

/* ---- the noise of a shared machine ---- */

/* What a host does to both sides, one sample after the other: it only ever adds. */
#define HOSTS(X)                                                                                   \
    X(quiet, "a quiet host")                                                                       \
    X(stretches, "stretches in which samples take up to twice as long")                            \
    X(neighbour, "a neighbour on the same core: two levels")                                       \
    X(drift, "a clock that drifts by a tenth, and a heavy tail")
enum {
#define X(name, about) HOST_##name,
    HOSTS(X)
#undef X
        HOST_COUNT
};
static const char *const host_about[] = {
#define X(name, about) about,
    HOSTS(X)
#undef X
};

typedef struct host {
    int kind;
    double weight; /* of the stretch it is in; 0: none */
    double phase;
} host;

static double host_sample(host *h, double us) {
    us *= 1 + 0.004 * fabs(normal());
    if (h->kind == HOST_stretches) {
        if (test_uniform(0, 1) < 0.05) h->weight = h->weight > 0 ? 0 : test_uniform(0.1, 1);
        us *= 1 + h->weight * test_uniform(0, 1);
    } else if (h->kind == HOST_neighbour) {
        if (test_uniform(0, 1) < 0.03) h->weight = h->weight > 0 ? 0 : 0.45;
        us *= 1 + h->weight;
    } else if (h->kind == HOST_drift) {
        h->phase += 0.002;
        us *= 1 + 0.05 * (1 + sin(6.28 * h->phase)) + 0.01 * (pareto() - 1);
    }
    return us;
}

/* Times in turn, the one that begins changing, [rounds][pairs]; each process has some luck. */
enum { ROUNDS = 10, AGAIN = 20, PAIRS = 16 };
static void take_turns(host *h, double slower, size_t rounds, double *a, double *b) {
    for (size_t r = 0; r < rounds; r++) {
        const double luck[2] = {1 + 0.006 * fabs(normal()), 1 + 0.006 * fabs(normal())};
        for (size_t p = 0; p < PAIRS; p++)
            for (size_t k = 0; k < 2; k++) {
                const bool first = (p + k) % 2 == 0;
                const double us = 100 * luck[first] * (first ? 1 + slower : 1);
                (first ? a : b)[r * PAIRS + p] = host_sample(h, us);
            }
    }
}

static weft_ratio one_ratio(host *h, double slower, size_t rounds) {
    double a[AGAIN * PAIRS], b[AGAIN * PAIRS];
    take_turns(h, slower, rounds, a, b);
    return weft_bench_ratio(a, b, rounds, PAIRS);
}

TEST(ratios_in_noise) {
    const int trials = test_sanitized() ? 10 : test_long() ? 400 : 30;
    for (int kind = 0; kind < HOST_COUNT; kind++)
        for (int slow = 0; slow < 2; slow++) {
            const double truth = slow ? 1.1 : 1;
            CASE("%s, %.1f times as long", host_about[kind], truth);
            host h = {.kind = kind, .phase = 0.3};
            int near = 0, covered = 0;
            for (int i = 0; i < trials; i++) {
                const weft_ratio r = one_ratio(&h, truth - 1, ROUNDS);
                near += fabs(r.ratio / truth - 1) < 0.02;
                covered += r.low <= truth && truth <= r.high;
                CHECK(r.low <= r.ratio * 1.001 && r.ratio <= r.high * 1.001);
                CHECK_EQ(r.pairs, (size_t)ROUNDS * PAIRS);
            }
            CHECK(near >= trials * 97 / 100);
            CHECK(covered >= trials * 80 / 100); /* of the fastest a bootstrap knows less: 90 % */
        }
}

/* The gate of weft bench --against: half the limit is worth a second look, which decides. */
static bool alarmed(host *h, double slower, double limit) {
    weft_ratio r = one_ratio(h, slower, ROUNDS);
    if (!(r.ratio > 1 + limit / 2)) return false;
    r = one_ratio(h, slower, AGAIN);
    return r.ratio > 1 + limit && r.low > 1;
}

TEST(the_gate_is_seldom_wrong) {
    const int trials = test_sanitized() ? 20 : test_long() ? 500 : 100, slow = trials / 2;
    for (int kind = 0; kind < HOST_COUNT; kind++) {
        CASE("%s", host_about[kind]);
        host h = {.kind = kind};
        int wrong = 0, found = 0;
        for (int i = 0; i < trials; i++) wrong += alarmed(&h, 0, 0.05);
        for (int i = 0; i < slow; i++) found += alarmed(&h, 0.1, 0.05);
        CHECK(wrong <= trials * 2 / 100);
        CHECK(found >= slow * 95 / 100);
    }
}

/* ---- ratios of little or nothing ---- */

static bool is_none(weft_ratio r) {
    return isnan(r.ratio) && isnan(r.low) && isnan(r.high) && r.pairs == 0;
}

TEST(ratios_of_little) {
    const double a[] = {3, 6, 9, 12}, b[] = {2, 4, 6, 8};
    const weft_ratio one = weft_bench_ratio(a, b, 1, 1);
    CHECK_EQ(one.ratio, 1.5);
    CHECK_EQ(one.low, 1.5);
    CHECK_EQ(one.high, 1.5);
    CHECK_EQ(one.pairs, 1);
    const weft_ratio four = weft_bench_ratio(a, b, 2, 2); /* the fastest of each */
    CHECK_EQ(four.ratio, 1.5);
    CHECK_EQ(four.pairs, 4);
    CHECK(is_none(weft_bench_ratio(a, b, 0, 4)));
    CHECK(is_none(weft_bench_ratio(a, b, 4, 0)));
    CHECK(is_none(weft_bench_ratio(NULL, b, 1, 1)));
    CHECK(is_none(weft_bench_ratio(a, NULL, 1, 1)));
    CHECK(is_none(weft_bench_ratio(a, b, SIZE_MAX, SIZE_MAX)));
}

TEST(pairs_that_are_no_times_are_left_out) {
    static const double bad[] = {NAN, INFINITY, -INFINITY, 0, -1};
    double a[40], b[40];
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        CASE("%g", bad[k]);
        for (int i = 0; i < 40; i++) a[i] = 30, b[i] = 20;
        a[7] = bad[k], b[7] = 1e-3; /* its partner goes too */
        b[11] = bad[k], a[11] = 1e-3;
        a[13] = b[13] = bad[k];
        weft_ratio r = weft_bench_ratio(a, b, 4, 10);
        CHECK_EQ(r.ratio, 1.5);
        CHECK_EQ(r.low, 1.5);
        CHECK_EQ(r.high, 1.5);
        CHECK_EQ(r.pairs, 37);
        for (int i = 0; i < 30; i++) a[i] = bad[k]; /* one round of four is left */
        r = weft_bench_ratio(a, b, 4, 10);
        CHECK_EQ(r.ratio, 1.5);
        CHECK_EQ(r.low, 1.5);
        CHECK_EQ(r.high, 1.5);
        CHECK_EQ(r.pairs, 10);
        for (int i = 0; i < 40; i++) a[i] = bad[k];
        CHECK(is_none(weft_bench_ratio(a, b, 4, 10)));
    }
}

/* The means of the fastest twentieth: all that is slower may be as slow as it likes. */
TEST(only_the_fastest_count) {
    enum { N = 200 };
    double a[N], b[N];
    for (int i = 0; i < N; i++) {
        const bool fast = i % 20 == 3;
        a[i] = fast ? 10 + i / 20 : 1000 * (1 + i);
        b[i] = fast ? 20 + i / 20 : 500 + i;
    }
    const weft_ratio r = weft_bench_ratio(a, b, 1, N);
    CHECK_NEAR(r.ratio, 14.5 / 24.5, 1e-12);
    CHECK_EQ(r.pairs, N);
}

TEST(a_ratio_without_memory) {
    if (test_sanitized()) SKIP("a sanitizer needs the address space itself");
    enum { SIDE = 500 }; /* 2 MB of room */
    struct rlimit old, small;
    double *a = malloc(SIDE * SIDE * sizeof *a);
    if (!a || getrlimit(RLIMIT_AS, &old) != 0) SKIP("no memory to begin with");
    for (int i = 0; i < SIDE * SIDE; i++) a[i] = 1;
    small = old;
    small.rlim_cur = 1 << 20;
    if (setrlimit(RLIMIT_AS, &small) != 0) SKIP("the address space cannot be bounded");
    const weft_ratio r = weft_bench_ratio(a, a, SIDE, SIDE);
    setrlimit(RLIMIT_AS, &old);
    CHECK(is_none(r));
    free(a);
}
