/* holt_winters.c - level, trend and season, each learned at its own rate, forecast the next point;
 * the error is measured in standard deviations of past errors.
 *
 * Additive Holt-Winters in the form that corrects by the error. The first two periods give the
 * initial values: their means the trend, the differences from that line the season. A difference
 * beyond the threshold counts as if it were at the threshold, so that an outlier distorts
 * neither level nor season, and a change of either is followed nonetheless. */
#include "detector.h"

#define WINTERS_VARIANCE 0.01 /* the least rate of the variance of differences */

typedef struct winters {
    int64_t seen;    /* points since the first good one */
    int64_t learned; /* differences that the variance is made of */
    stream_mean level;
    double trend, variance, last;
    double *season; /* [2 period]: the first two periods; then [period] */
} winters;

static void *winters_lay(room *r, const weft_detector_desc *d) {
    winters *const s = room_take(r, sizeof *s);
    double *const season = room_take(r, 2 * (size_t)d->period * sizeof *season);
    if (s) s->season = season;
    return s;
}

static void winters_start(winters *s, int64_t period) {
    moments half[2] = {{0}};
    for (int64_t i = 0; i < 2 * period; i++) moments_add(&half[i / period], s->season[i]);
    const stream_mean a = half[0].mean, b = half[1].mean;
    const double apart = (b.at - a.at) + (b.rest - a.rest);
    s->trend = apart / (double)period;
    for (int64_t i = 0; i < period; i++) {
        /* the line through both means, at place i of either period */
        const double off = s->trend * ((double)i - ((double)period - 1) / 2);
        s->season[i] = (stream_off(s->season[i], a) - off) / 2 +
                       (stream_off(s->season[i + period], b) - off) / 2;
    }
    /* of the last point so far */
    s->level = stream_moved(a, apart / 2 + s->trend * ((double)period - 0.5));
}

static weft_point winters_first(winters *s, double x, int64_t period) {
    s->season[s->seen++] = x;
    s->last = x;
    if (s->seen == 2 * period) winters_start(s, period);
    return stream_judged(0, NAN, 1, false);
}

static weft_point winters_next(winters *s, const weft_detector_desc *d, double x, bool missing) {
    double *const season = &s->season[s->seen++ % (int64_t)d->period];
    const double more = s->trend + *season, expected = s->level.at + (s->level.rest + more);
    const bool ready = (double)s->learned >= d->warm;
    double off = missing ? 0 : stream_off(x, s->level) - more;
    const double z = ready ? stream_deviations(off, expected, s->variance, d->least) : 0;
    if (ready && !missing && fabs(z) > d->threshold) off *= d->threshold / fabs(z);
    s->level = stream_moved(s->level, s->trend + d->rate * off);
    s->trend += d->rate * d->trend * off;
    *season += d->season * (1 - d->rate) * off;
    if (missing) return stream_missing();
    s->learned++;
    const double share =
        (double)s->learned * WINTERS_VARIANCE < 1 ? 1 / (double)s->learned : WINTERS_VARIANCE;
    s->variance += share * (off * off - s->variance);
    return stream_judged(z, expected, d->threshold, ready);
}

static void winters_feed(weft_detector *d, const double *x, size_t n, weft_point *out) {
    winters *const s = d->state;
    const int64_t period = (int64_t)d->desc.period;
    for (size_t i = 0; i < n; i++) {
        const bool missing = !stream_good(x[i]);
        if (s->seen >= 2 * period) {
            out[i] = winters_next(s, &d->desc, missing ? 0 : x[i], missing);
        } else {
            /* a gap in the first periods is filled with the value before it */
            out[i] = missing ? stream_missing() : winters_first(s, x[i], period);
            if (missing && s->seen) winters_first(s, s->last, period);
        }
    }
    d->count += (int64_t)n;
}

static void winters_keep(weft_detector *d, codec *k) {
    winters *const s = d->state;
    codec_whole(k, "points", &s->seen, 0, INT64_MAX / 2);
    codec_whole(k, "differences", &s->learned, 0, INT64_MAX / 2);
    codec_mean(k, "level", &s->level);
    codec_values(k, "trend", &s->trend, 1);
    codec_sizes(k, "variance", &s->variance, 1);
    codec_values(k, "last value", &s->last, 1);
    codec_values(k, "season", s->season, 2 * (size_t)d->desc.period);
}

const detector_row detector_HOLT_WINTERS = {winters_lay, NULL, winters_feed, winters_keep, 1};
