/* series.c - the buckets of series.h. */
#include "base/series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Values beyond this count as not finite: sums and differences must stay in range. */
static const double series_limit = 1e290;

void series_begin(series *s, const char *name) {
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->width = 1;
}

int64_t series_finite(const series *s) {
    return s->count - s->lost;
}

static void series_join(series_bucket *b, const series_bucket *next) {
    if (next->least.value < b->least.value) b->least = next->least;
    if (next->most.value > b->most.value) b->most = next->most;
    b->steps += next->steps;
    b->values += next->values;
    b->count += next->count;
}

/* Neighbours become one. Gaps are kept, unless there are so many that this makes too little room. */
static void series_halve(series *s) {
    s->width *= 2;
    for (int keep = 1; keep >= 0; keep--) {
        int n = 0;
        for (int i = 0; i < s->n; i++) {
            const bool fits = n && s->at[n - 1].count + s->at[i].count <= s->width;
            if (fits && !(keep && s->at[i].gap)) series_join(&s->at[n - 1], &s->at[i]);
            else s->at[n++] = s->at[i];
        }
        s->n = n;
        if (n <= SERIES_BUCKETS * 3 / 4) return;
    }
}

void series_add(series *s, double step, double value) {
    s->count++;
    if (!(fabs(value) <= series_limit)) {
        s->lost++;
        s->gap = true;
        return;
    }
    const series_point p = {step, value};
    if (!s->n) s->first = s->least = s->most = p, s->from = s->to = p.step;
    s->from = fmin(s->from, p.step), s->to = fmax(s->to, p.step);
    if (value < s->least.value) s->least = p;
    if (value > s->most.value) s->most = p;
    const double moved = s->n ? value - s->last.value : 0;
    if (moved != 0) {
        s->reversals += moved > 0 ? s->moved < 0 : s->moved > 0;
        s->moved = moved;
    }
    s->last = p;

    const series_bucket one = {p, p, p.step, p.value, 1, s->gap};
    if (s->n && s->at[s->n - 1].count < s->width && !s->gap) {
        series_join(&s->at[s->n - 1], &one);
    } else {
        if (s->n == SERIES_BUCKETS) series_halve(s);
        s->at[s->n++] = one;
    }
    s->gap = false;
}

/* Noise goes up and down; a schedule, or a metric of few evaluations, does not. */
bool series_noisy(const series *s) {
    return s->count >= 40 && s->reversals > s->count / 5;
}

void series_smooth(const series *s, bool log_axis, series_point *out) {
    const int most = s->n / 30 + 1;
    for (int i = 0; i < s->n; i++) {
        /* Narrow at the beginning, where curves are steep. */
        const int reach = i / 2 < most ? i / 2 : most;
        const double spread = reach ? reach : 1;
        double sum = 0, weights = 0;
        for (int k = -2 * reach; k <= 2 * reach; k++) {
            if (i + k < 0 || i + k >= s->n) continue;
            const series_bucket *b = &s->at[i + k];
            const double w = exp(-0.5 * k * k / (spread * spread)) * (double)b->count;
            const double mean = b->values / (double)b->count;
            sum += w * (log_axis ? log(mean) : mean);
            weights += w;
        }
        out[i] = (series_point){s->at[i].steps / (double)s->at[i].count,
                                log_axis ? exp(sum / weights) : sum / weights};
    }
}
