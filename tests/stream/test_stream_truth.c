/* test_stream_truth.c - detectors of single values against slow ones that say what is meant.
 *
 * The slow ones keep all points, recompute everything at every point, in long double, and use
 * other formulas than the library where there are others. */
#include "stream_world.h"

#include <float.h>

typedef long double real;

/* What a point should be; scores and expectations within tolerance, the latter also of the
 * deviation. */
static void expect(const weft_point *p, size_t i, real score, real expected, real deviation,
                   double tolerance) {
    const double off = (double)fabsl((real)p->score - score) / (1 + fabs((double)score));
    if (off <= tolerance &&
        fabsl((real)p->expected - expected) <= (real)tolerance * (1 + fabsl(expected) + deviation))
        return;
    CHECK_EQ(i, (size_t)-1);
    CHECK_NEAR(p->score, (double)score, tolerance);
    CHECK_NEAR(p->expected, (double)expected, tolerance * (1 + (double)deviation));
}

static void mean_and_squares(const real *x, size_t n, real *mean, real *squares) {
    real sum = 0;
    *squares = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    *mean = sum / n;
    for (size_t i = 0; i < n; i++) *squares += (x[i] - *mean) * (x[i] - *mean);
}

/* A stream less its offset, exactly: beside 1e9 long double has 10 digits left. */
static const real *beside(const double *x, size_t n, double offset) {
    static real y[4000];
    for (size_t i = 0; i < n; i++) y[i] = (real)x[i] - offset;
    return y;
}

TEST(zscore_is_that_of_the_window) {
    enum { N = 4000 };
    static double x[N];
    static const double offsets[] = {0, 1e9, -3e9}, spikes[] = {20, 1e12};
    static const double sizes[] = {1, 1e-3, 2e-2};
    static const size_t windows[] = {2, 17, 100, 1500};
    for (int o = 0; o < 3; o++)
        for (int s = 0; s < 2; s++)
            for (int w = 0; w < 4; w++) {
                const size_t window = windows[w];
                CASE("window %zu, offset %g, spikes %g", window, offsets[o], spikes[s]);
                /* exact beside the offset, so that only the sums can err */
                for (int i = 0; i < N; i++)
                    x[i] = round(sizes[o] * noise() * 0x1p20) * 0x1p-20 + offsets[o] +
                           (i % 700 == 650 || i == 0 ? spikes[s] : 0);
                const real *const y = beside(x, N, offsets[o]);
                weft_detector *const d = stream_made((weft_detector_desc){
                    .kind = WEFT_DETECT_ZSCORE, .window = (double)window, .warm = 2});
                for (size_t i = 0; i < N; i++) {
                    weft_point p;
                    weft_detector_feed(d, &x[i], 1, &p);
                    const size_t n = i < window ? i : window;
                    if (n < 2) {
                        CHECK_EQ(p.label, WEFT_LABEL_WARMUP);
                        continue;
                    }
                    real mean, squares;
                    mean_and_squares(y + i - n, n, &mean, &squares);
                    const real z = fabsl(y[i] - mean) / sqrtl(squares / (n - 1));
                    /* next to 1e9 less than a millionth is rounding */
                    const real least = 4 * DBL_EPSILON * fabsl(offsets[o] + mean);
                    if (squares <= least * least * (n - 1) || z > 1e8) continue;
                    expect(&p, i, z, offsets[o] + mean, sqrtl(squares / (n - 1)), 1e-11);
                    CHECK_EQ(p.label, p.score >= 3.5 ? WEFT_LABEL_OUTLIER : WEFT_LABEL_NORMAL);
                }
                weft_detector_free(d);
            }
}

TEST(ewma_has_its_weights) {
    enum { N = 1500 };
    static double x[N];
    static real weight[N];
    static const double rates[] = {0.001, 0.02, 0.5, 1};
    for (int r = 0; r < 8; r++) {
        CASE("rate %g, %s", rates[r % 4], r < 4 ? "near 0" : "far from 0");
        for (int i = 0; i < N; i++)
            x[i] = r < 4 ? 50 + noise() + (i % 300 == 299 ? 30 : 0) : 1e9 + 1e-3 * noise();
        const double offset = r < 4 ? 0 : 1e9;
        const real *const y = beside(x, N, offset);
        weft_detector *const d = stream_made(
            (weft_detector_desc){.kind = WEFT_DETECT_EWMA, .rate = rates[r % 4], .warm = 2});
        for (size_t i = 0; i < N; i++) {
            weft_point p;
            weft_detector_feed(d, &x[i], 1, &p);
            /* of the points before this: all alike, or the last one `rate`, the others less */
            real mean = 0, variance = 0;
            for (size_t k = 0; k < i; k++) mean += weight[k] * y[k];
            for (size_t k = 0; k < i; k++) variance += weight[k] * (y[k] - mean) * (y[k] - mean);
            const real least = 4 * DBL_EPSILON * fabsl(offset + mean);
            if (i >= 2 && variance > least * least)
                expect(&p, i, fabsl(y[i] - mean) / sqrtl(variance), offset + mean, 0, 1e-11);
            const real share = fmaxl(1 / (real)(i + 1), rates[r % 4]);
            for (size_t k = 0; k < i; k++) weight[k] *= 1 - share;
            weight[i] = share;
        }
        weft_detector_free(d);
    }
}

/* ---- changes ---- */

/* The sum of all since the best beginning, by trying every beginning. */
static real best_sum(const real *z, size_t from, size_t to, real drift, int sign, size_t *since) {
    real best = 0;
    for (size_t j = from; j <= to; j++) {
        real sum = 0;
        for (size_t k = j; k <= to; k++) sum += sign * z[k] - drift;
        if (sum > best) best = sum, *since = j;
    }
    return best;
}

/* follows: the reference is all points since the last change, but not the one that is judged */
static void sums_against_every_beginning(weft_detector_desc desc, bool follows, double offset,
                                         double size) {
    enum { N = 900 };
    static double x[N];
    static real z[N];
    CASE("%s, %g and %g of noise", weft_detector_name(desc.kind), offset, size);
    for (int i = 0; i < N; i++)
        x[i] = offset + size * (3 * noise() + (i > 400 ? i > 700 ? -9 : 7 : 0));
    const real *const y = beside(x, N, offset);
    weft_detector *const d = stream_made(desc);
    size_t begin = 0, changes = 0;
    for (size_t i = 0; i < N; i++) {
        weft_point p;
        weft_detector_feed(d, &x[i], 1, &p);
        const size_t n = i - begin, warm = (size_t)desc.warm;
        real mean, squares;
        if (n < warm) {
            CHECK_EQ(p.label, WEFT_LABEL_WARMUP);
            continue;
        }
        const size_t reference = follows ? n : warm;
        mean_and_squares(y + begin, reference, &mean, &squares);
        z[i] = (y[i] - mean) / sqrtl(squares / (reference - 1));
        size_t up = 0, down = 0;
        const real plus = best_sum(z, begin + warm, i, desc.drift, 1, &up),
                   minus = best_sum(z, begin + warm, i, desc.drift, -1, &down);
        const real most = fmaxl(plus, minus);
        expect(&p, i, most, offset + mean, 0, 1e-9);
        CHECK_EQ(p.label, most >= desc.threshold ? WEFT_LABEL_CHANGE : WEFT_LABEL_NORMAL);
        if (p.label != WEFT_LABEL_CHANGE) continue;
        CHECK_EQ(p.since, (int64_t)(plus >= minus ? up : down));
        changes++;
        begin = i + 1;
    }
    CHECK(changes >= 2);
    weft_detector_free(d);
}

TEST(cusum_is_the_best_beginning) {
    const weft_detector_desc d = {
        .kind = WEFT_DETECT_CUSUM, .warm = 60, .threshold = 8, .drift = 0.5};
    sums_against_every_beginning(d, false, 1e6, 1);
    sums_against_every_beginning(d, false, 1e9, 1e-3);
}

TEST(page_hinkley_is_the_best_beginning) {
    const weft_detector_desc d = {
        .kind = WEFT_DETECT_PAGE_HINKLEY, .warm = 30, .threshold = 20, .drift = 0.1};
    sums_against_every_beginning(d, true, 1e6, 1);
    sums_against_every_beginning(d, true, 1e9, 1e-3);
}

/* ADWIN with its points kept: a list of buckets, each with all its points. */
typedef struct naive_bucket {
    size_t from, n;
} naive_bucket;

static size_t naive_insert(naive_bucket *list, size_t n, size_t at) { /* oldest first */
    list[n++] = (naive_bucket){at, 1};
    for (size_t size = 1;; size *= 2) { /* six of a size: the two oldest become one */
        size_t count = 0, first = 0;
        for (size_t i = n; i > 0; i--)
            if (list[i - 1].n == size) count++, first = i - 1;
        if (count < 6) return n;
        list[first].n *= 2;
        memmove(list + first + 1, list + first + 2, (n - first - 2) * sizeof *list);
        n--;
    }
}

static real naive_worst(const real *x, const naive_bucket *list, size_t n, real delta,
                        int64_t *since) {
    const size_t from = list[0].from, total = list[n - 1].from + list[n - 1].n - from;
    if (total < 10) return 0;
    real mean, squares, low = INFINITY, high = -INFINITY, worst = 0;
    mean_and_squares(x + from, total, &mean, &squares);
    for (size_t i = 0; i < total; i++)
        low = fminl(low, x[from + i]), high = fmaxl(high, x[from + i]);
    const real doubt = logl(2 / (delta / logl(total)));
    for (size_t i = 0; i + 1 < n; i++) {
        const size_t left = list[i + 1].from - from, right = total - left;
        if (left < 5 || right < 5) continue;
        real a, b, unused;
        mean_and_squares(x + from, left, &a, &unused);
        mean_and_squares(x + from + left, right, &b, &unused);
        const real harmonic = 1 / (1 / (real)left + 1 / (real)right);
        const real bound = sqrtl(2 / harmonic * (squares / total) * doubt) +
                           2 / (3 * harmonic) * (high - low) * doubt;
        const real ratio = fabsl(a - b) / bound;
        if (ratio > worst) worst = ratio, *since = (int64_t)list[i + 1].from;
    }
    return worst;
}

TEST(adwin_tries_every_cut) {
    enum { N = 4000 };
    static double x[N];
    static naive_bucket list[N];
    static const int every[] = {1, 32, 32};
    for (int e = 0; e < 3; e++) {
        CASE("a look every %d points, %s", every[e], e < 2 ? "near 0" : "far from 0");
        const double offset = e < 2 ? 1e5 : 1e9, size = e < 2 ? 1 : 1e-3;
        for (int i = 0; i < N; i++)
            x[i] = offset + size * (noise() + (i > 1500 ? i > 2600 ? 0.4 : 2 : 0));
        const real *const y = beside(x, N, offset);
        weft_detector *const d = stream_made(
            (weft_detector_desc){.kind = WEFT_DETECT_ADWIN, .every = every[e], .delta = 0.01});
        size_t n = 0, changes = 0;
        real score = 0;
        for (size_t i = 0; i < N; i++) {
            weft_point p;
            weft_detector_feed(d, &x[i], 1, &p);
            n = naive_insert(list, n, i);
            bool changed = false;
            int64_t since = -1;
            if ((i + 1) % (size_t)every[e] == 0) {
                real worst;
                int64_t cut = -1;
                for (score = 0; (worst = naive_worst(y, list, n, 0.01L, &cut)) >= 1;
                     changed = true) {
                    if (!changed) since = cut;
                    score = fmaxl(score, worst);
                    memmove(list, list + 1, --n * sizeof *list);
                }
                if (!changed) score = worst;
            }
            if (fabsl((real)p.score - score) > 1e-9L * (1 + score))
                CHECK_NEAR(p.score, (double)score, 1e-9);
            CHECK_EQ(p.label == WEFT_LABEL_CHANGE, changed);
            CHECK_EQ(p.since, since);
            changes += changed;
        }
        CHECK(changes >= 2);
        weft_detector_free(d);
    }
}

/* ---- seasons ---- */

static void holt_winters_from(double offset, double size) {
    CASE("offset %g", offset);
    enum { N = 2000, PERIOD = 12 };
    static double x[N];
    const real alpha = 0.2L, beta = 0.1L, gamma = 0.3L;
    for (int i = 0; i < N; i++)
        x[i] = offset + size * (0.05 * i + 10 * sin(i * 6.283185307179586 / PERIOD) + noise() +
                                (i % 211 == 210 ? 15 : 0));
    const real *const y = beside(x, N, offset);
    weft_detector *const d = stream_made((weft_detector_desc){.kind = WEFT_DETECT_HOLT_WINTERS,
                                                              .period = PERIOD,
                                                              .rate = 0.2,
                                                              .trend = 0.1,
                                                              .season = 0.3,
                                                              .warm = 30,
                                                              .threshold = 4});
    real level = 0, trend = 0, season[PERIOD] = {0}, variance = 0, first = 0, second = 0;
    int learned = 0, outliers = 0;
    for (int i = 0; i < N; i++) {
        weft_point p;
        weft_detector_feed(d, &x[i], 1, &p);
        if (i < 2 * PERIOD) {
            *(i < PERIOD ? &first : &second) += y[i] / PERIOD;
            if (i < 2 * PERIOD - 1) continue;
            trend = (second - first) / PERIOD;
            for (int k = 0; k < 2 * PERIOD; k++) { /* against the line through both means */
                const real line = (first + second) / 2 + trend * (k - (2 * PERIOD - 1) / 2.0L);
                season[k % PERIOD] += (y[k] - line) / 2;
            }
            level = (first + second) / 2 + trend * ((2 * PERIOD - 1) / 2.0L);
            continue;
        }
        const real foretold = level + trend + season[i % PERIOD];
        const real z = (y[i] - foretold) / sqrtl(variance);
        if (learned >= 30) expect(&p, (size_t)i, fabsl(z), offset + foretold, 0, 1e-9);
        outliers += p.label == WEFT_LABEL_OUTLIER;
        /* learned from as if it were at the threshold */
        const real seen =
            learned >= 30 && fabsl(z) > 4 ? foretold + (y[i] - foretold) * 4 / fabsl(z) : y[i];
        const real before = level;
        level = alpha * (seen - season[i % PERIOD]) + (1 - alpha) * (level + trend);
        trend = beta * (level - before) + (1 - beta) * trend;
        season[i % PERIOD] = gamma * (seen - level) + (1 - gamma) * season[i % PERIOD];
        learned++;
        const real share = fmaxl(1 / (real)learned, 0.01L);
        variance = (1 - share) * variance + share * (seen - foretold) * (seen - foretold);
    }
    CHECK(outliers >= 8);
    weft_detector_free(d);
}

TEST(holt_winters_as_in_the_books) {
    holt_winters_from(300, 1);
    holt_winters_from(1e9, 1e-3);
}
