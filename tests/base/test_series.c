/* test_series.c - a number over a run: what is kept however long it is. */
#include "test.h"

#include "base/series.h"

#include <math.h>
#include <stdlib.h>

TEST(nothing_is_lost_but_detail) {
    series *s = malloc(sizeof *s);
    for (int n = 1; n < 300000; n = n * 3 + 1) {
        CASE("%d values", n);
        series_begin(s, "train/loss");
        double sum = 0;
        for (int i = 0; i < n; i++) {
            const double v = i == n / 2 ? 1e6 : i == n / 3 ? -7 : sin(i * 0.01);
            sum += v;
            series_add(s, 10.0 * i, v);
        }
        double steps = 0, values = 0, before = -1;
        int64_t count = 0;
        bool most = false, least = false, ordered = true;
        for (int i = 0; i < s->n; i++) {
            const series_bucket *b = &s->at[i];
            steps += b->steps, values += b->values, count += b->count;
            most = most || b->most.value == s->most.value;
            least = least || b->least.value == s->least.value;
            ordered = ordered && b->steps / (double)b->count > before;
            before = b->steps / (double)b->count;
        }
        CHECK_STR(s->name, "train/loss");
        CHECK(s->n <= SERIES_BUCKETS && (n > SERIES_BUCKETS || s->n == n));
        CHECK(s->n >= n || s->n > SERIES_BUCKETS / 3);
        CHECK_EQ(count, n);
        CHECK_EQ(series_finite(s), n);
        CHECK_NEAR(values, sum, 1e-9 * n + 1e-6);
        CHECK_EQ(steps, 5.0 * n * (n - 1));
        CHECK(most && least && ordered); /* a spike stays in the bucket it fell into */
        CHECK_EQ(s->most.step, 10.0 * (n / 2));
        CHECK_EQ(s->from, 0);
        CHECK_EQ(s->to, 10.0 * (n - 1));
    }
    free(s);
}

TEST(what_is_not_finite_is_a_gap) {
    series *s = malloc(sizeof *s);
    series_begin(s, "a");
    CHECK_EQ(series_finite(s), 0);
    series_add(s, 1, NAN);
    series_add(s, 2, 5);
    series_add(s, 3, INFINITY);
    series_add(s, 4, 1e300); /* its sums would not be */
    series_add(s, 5, 6);
    CHECK_EQ(series_finite(s), 2);
    CHECK_EQ(s->lost, 3);
    CHECK_EQ(s->n, 2);
    CHECK(s->at[0].gap && s->at[1].gap);
    CHECK_EQ(s->least.value, 5);
    CHECK_EQ(s->from, 2);
    free(s);
}
