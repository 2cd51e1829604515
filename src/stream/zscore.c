/* zscore.c - the rolling z-score: a point against mean and deviation of the window before it.
 *
 * Nothing is ever taken out of a sum, since an outlier taken out would leave its rounding behind.
 * The window is two parts: what is left of the last `window` points that were gathered, of which
 * moments were summed from each place to the end, and the points since, summed as they came. A
 * point costs one sum and one joining; when the old part is used up, the new one takes its place,
 * and its sums are made from the end to the beginning. */
#include "detector.h"

typedef struct rolling {
    double *x;         /* [window]: the points since, in the places of those they replace */
    stream_mean *mean; /* [window]: of the old points from this place on */
    double *squares;   /* [window]: the same */
    moments fresh;     /* of the points since */
    int64_t at, full;  /* points since; whether there is an old part */
} rolling;

static void *rolling_lay(room *r, const weft_detector_desc *d) {
    const size_t bytes = (size_t)d->window * sizeof(double);
    rolling *const s = room_take(r, sizeof *s);
    double *const x = room_take(r, bytes);
    stream_mean *const mean = room_take(r, 2 * bytes);
    double *const squares = room_take(r, bytes);
    if (s) s->x = x, s->mean = mean, s->squares = squares;
    return s;
}

static void rolling_turn(rolling *s, int64_t window) {
    moments m = {0};
    for (int64_t i = window - 1; i >= 0; i--) {
        moments_add(&m, s->x[i]);
        s->mean[i] = m.mean;
        s->squares[i] = m.squares;
    }
    s->fresh = (moments){0};
    s->at = 0;
    s->full = 1;
}

static void rolling_feed(weft_detector *d, const double *x, size_t n, weft_point *out) {
    rolling *const s = d->state;
    const double threshold = d->desc.threshold, least = d->desc.least;
    const int64_t window = (int64_t)d->desc.window,
                  warm = (int64_t)(d->desc.warm < d->desc.window ? d->desc.warm : d->desc.window);
    const double share = 1 / (double)(window - 1);
    for (size_t i = 0; i < n; i++) {
        if (!stream_good(x[i])) {
            out[i] = stream_missing();
            continue;
        }
        moments m = s->fresh;
        if (s->full) {
            const moments old = {(double)(window - s->at), s->mean[s->at], s->squares[s->at]};
            m = moments_join(old, m);
        }
        const bool ready = m.n >= (double)warm;
        const double variance = m.squares * (s->full ? share : 1 / (m.n - 1));
        const double off = stream_off(x[i], m.mean), mean = stream_value(m.mean);
        const double z = ready ? stream_deviations(off, mean, variance, least) : 0;
        out[i] = stream_judged(z, m.n > 0 ? mean : NAN, threshold, ready);
        moments_add(&s->fresh, x[i]);
        s->x[s->at++] = x[i];
        if (s->at == window) rolling_turn(s, window);
    }
    d->count += (int64_t)n;
}

static void rolling_keep(weft_detector *d, codec *k) {
    rolling *const s = d->state;
    const size_t window = (size_t)d->desc.window;
    codec_whole(k, "place", &s->at, 0, (int64_t)window - 1);
    codec_whole(k, "full", &s->full, 0, 1);
    codec_moments(k, "new points", &s->fresh);
    codec_require(k, "new points", s->fresh.n == (double)s->at);
    codec_values(k, "values", s->x, window);
    for (size_t i = 0; i < window; i++) codec_mean(k, "means", &s->mean[i]);
    codec_sizes(k, "squares", s->squares, window);
}

const detector_row detector_ZSCORE = {rolling_lay, NULL, rolling_feed, rolling_keep, 1};
