/* test_stream_sketch.c - quantiles against sorted values: the error of the rank is within the bound
 * that the sketch states, and the robust z-score is made of them. */
#include "stream/sketch.h"
#include "stream_world.h"

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How far the rank of v is from `share`, as a share of the n sorted values. */
static double rank_error(const double *sorted, size_t n, double v, double share) {
    size_t below = 0, not_above = 0;
    for (size_t i = 0; i < n; i++) below += sorted[i] < v, not_above += sorted[i] <= v;
    const double want = share * (double)n;
    if (want < (double)below) return ((double)below - want) / (double)n;
    if (want > (double)not_above) return (want - (double)not_above) / (double)n;
    return 0;
}

static double drawn(int how, size_t i) {
    switch (how) {
    case 0: return noise();
    case 1: return (double)i;        /* rising */
    case 2: return -(double)i;       /* falling */
    case 3: return (double)(i % 5);  /* many alike */
    case 4: return exp(6 * noise()); /* a long tail */
    default: return i % 2 ? 1e9 + noise() : -noise() * 1e-9;
    }
}

TEST(ranks_are_within_the_bound) {
    static const struct {
        int64_t most;
        double error;
    } sizes[] = {{16, 0.1}, {100, 0.01}, {1000, 0.01}, {5000, 0.05}, {60000, 0.002}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int how = 0; how < 6; how++) {
            CASE("%lld values, error %g, kind %d", (long long)sizes[s].most, sizes[s].error, how);
            int64_t size, levels;
            sketch_fit(sizes[s].most, sizes[s].error, &size, &levels);
            room r = {0};
            sketch_lay(NULL, &r, size, levels);
            sketch_lay(NULL, &r, size, levels);
            room memory = {.at = malloc(r.bytes)};
            sketch a = {0}, b = {0};
            sketch_lay(&a, &memory, size, levels);
            sketch_lay(&b, &memory, size, levels);
            CHECK_EQ(memory.bytes, r.bytes);
            double *const all = malloc((size_t)sizes[s].most * 2 * sizeof *all);
            size_t n = 0;
            double worst = 0;
            int64_t next = 1;
            for (int half = 0; half < 2; half++)
                for (int64_t i = 0; i < sizes[s].most; i++) {
                    all[n] = drawn(how, n);
                    sketch_add(half ? &b : &a, all[n++]);
                    if ((int64_t)n != next && i + 1 < sizes[s].most) continue;
                    next = (int64_t)n * 2 + 1;
                    double *const sorted = malloc(n * sizeof *sorted);
                    memcpy(sorted, all, n * sizeof *sorted);
                    qsort(sorted, n, sizeof *sorted, by_value);
                    for (int k = 1; k <= 20; k++) {
                        const double share = k / 20.0;
                        const double v = sketch_quantile(&a, &b, share);
                        worst = fmax(worst, rank_error(sorted, n, v, share) - 1.0 / (double)n);
                    }
                    free(sorted);
                }
            CHECK(worst <= sizes[s].error);
            free(memory.at), free(all);
        }
}

/* Median and quartiles that the detector uses, read off its answers: between the exact ones a rank
 * lower and higher. */
TEST(robust_scores_are_made_of_quartiles) {
    enum { N = 20000, WINDOW = 1000 };
    static double x[N], sorted[N];
    const double error = 0.01;
    weft_detector *const d =
        stream_made((weft_detector_desc){.kind = WEFT_DETECT_ROBUST, .window = WINDOW});
    for (int i = 0; i < N; i++)
        x[i] = 20 + noise() * (1 + i / 5000) + (test_random() % 10 == 0 ? 50 : 0);
    int looked = 0, old = 0;
    for (int i = 0; i < N; i++) {
        weft_point p;
        weft_detector_feed(d, &x[i], 1, &p);
        if (i < 32) {
            CHECK_EQ(p.label, WEFT_LABEL_WARMUP);
            continue;
        }
        /* what it knew: the last whole window, and since then up to the last look */
        const int quarter = 64, window_from = i / WINDOW * WINDOW;
        old = window_from >= WINDOW ? window_from - WINDOW : 0;
        const int known = window_from + (i - window_from) / quarter * quarter;
        if (i < 256 || known == window_from || i % 10) continue;
        const int n = known - old;
        memcpy(sorted, x + old, (size_t)n * sizeof *sorted);
        qsort(sorted, (size_t)n, sizeof *sorted, by_value);
        CHECK(rank_error(sorted, (size_t)n, p.expected, 0.5) <= error + 1.0 / n);
        const double deviation = fabs(x[i] - p.expected) / p.score;
        const int slack = (int)ceil(error * n) + 1;
        const double least = sorted[3 * n / 4 - slack] - sorted[n / 4 + slack],
                     most = sorted[3 * n / 4 + slack] - sorted[n / 4 - slack];
        CHECK(deviation * 1.3489795 >= least * (1 - 1e-9) &&
              deviation * 1.3489795 <= most * (1 + 1e-9));
        looked++;
    }
    CHECK(looked > 1000);
    weft_detector_free(d);
}
