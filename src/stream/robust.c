/* robust.c - a z-score that is robust to outliers: median and quartiles instead of mean and
 * deviation, from a sketch.
 *
 * Two sketches take turns: one holds the last whole window, the other the points since. So the
 * quartiles are those of the last `window` to twice as many points. They are updated after every
 * quarter of a list, and in the beginning whenever the points have doubled. */
#include "sketch.h"

#define ROBUST_QUARTILES 1.3489795003921634 /* between the quartiles of a normal distribution */

typedef struct robust {
    sketch old, fresh;
    int64_t seen; /* points that were not missing */
    double median, variance;
} robust;

static void *robust_lay(room *r, const weft_detector_desc *d) {
    int64_t size, levels;
    sketch_fit((int64_t)d->window, d->error, &size, &levels);
    robust *const s = room_take(r, sizeof *s);
    sketch_lay(s ? &s->old : NULL, r, size, levels);
    sketch_lay(s ? &s->fresh : NULL, r, size, levels);
    return s;
}

static void robust_look(robust *s) {
    s->median = sketch_quantile(&s->old, &s->fresh, 0.5);
    const double low = sketch_quantile(&s->old, &s->fresh, 0.25),
                 high = sketch_quantile(&s->old, &s->fresh, 0.75);
    const double deviation = (high - low) / ROBUST_QUARTILES;
    s->variance = deviation * deviation;
}

static void robust_feed(weft_detector *d, const double *x, size_t n, weft_point *out) {
    robust *const s = d->state;
    const int64_t warm = (int64_t)d->desc.warm, window = (int64_t)d->desc.window;
    const int64_t often = s->fresh.size / 4;
    for (size_t i = 0; i < n; i++) {
        if (!stream_good(x[i])) {
            out[i] = stream_missing();
            continue;
        }
        const bool ready = s->seen >= warm;
        const double z =
            ready ? stream_deviations(x[i] - s->median, s->median, s->variance, d->desc.least) : 0;
        out[i] = stream_judged(z, s->seen ? s->median : NAN, d->desc.threshold, ready);
        s->seen++;
        sketch_add(&s->fresh, x[i]);
        const bool doubled = s->seen < s->fresh.size && !(s->seen & (s->seen - 1));
        if (doubled || s->seen == warm || s->fresh.n % often == 0) robust_look(s);
        if (s->fresh.n == window) {
            const sketch full = s->fresh;
            s->fresh = s->old;
            s->old = full;
            sketch_clear(&s->fresh);
        }
    }
    d->count += (int64_t)n;
}

static void robust_keep(weft_detector *d, codec *k) {
    robust *const s = d->state;
    codec_whole(k, "points", &s->seen, 0, INT64_MAX / 2);
    codec_values(k, "median", &s->median, 1);
    codec_sizes(k, "variance", &s->variance, 1);
    sketch_keep(&s->old, k);
    sketch_keep(&s->fresh, k);
    const int64_t window = (int64_t)d->desc.window;
    codec_require(k, "values in a sketch", s->fresh.n < window && s->old.n <= window);
}

const detector_row detector_ROBUST = {robust_lay, NULL, robust_feed, robust_keep, 1};
