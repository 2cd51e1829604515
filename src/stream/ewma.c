/* ewma.c - a z-score with exponentially weighted mean and variance: a point's weight falls by 1 - rate with each
 * that follows. The first points weigh alike until one of them would weigh less than rate. */
#include "detector.h"

typedef struct ewma {
    int64_t seen; /* points that were not missing */
    stream_mean mean;
    double variance;
} ewma;

static void *ewma_lay(room *r, const weft_detector_desc *d) {
    (void)d;
    return room_take(r, sizeof(ewma));
}

static void ewma_feed(weft_detector *d, const double *x, size_t n, weft_point *out) {
    ewma s = *(ewma *)d->state;
    const double threshold = d->desc.threshold, least = d->desc.least, rate = d->desc.rate;
    const int64_t warm = (int64_t)d->desc.warm;
    for (size_t i = 0; i < n; i++) {
        if (!stream_good(x[i])) {
            out[i] = stream_missing();
            continue;
        }
        const bool ready = s.seen >= warm;
        if (!s.seen) s.mean.at = x[i];
        const double off = stream_off(x[i], s.mean), expected = s.mean.at;
        const double z = ready ? stream_deviations(off, expected, s.variance, least) : 0;
        out[i] = stream_judged(z, s.seen ? expected : NAN, threshold, ready);
        s.seen++;
        const double share = (double)s.seen * rate < 1 ? 1 / (double)s.seen : rate;
        s.mean = stream_moved(s.mean, share * off);
        s.variance = (1 - share) * (s.variance + share * off * off);
    }
    *(ewma *)d->state = s;
    d->count += (int64_t)n;
}

static void ewma_keep(weft_detector *d, codec *k) {
    ewma *const s = d->state;
    codec_whole(k, "points", &s->seen, 0, INT64_MAX / 2);
    double origin = 0;
    if (codec_coarse(k)) codec_values(k, "origin", &origin, 1);
    codec_mean(k, "mean", &s->mean);
    if (codec_coarse(k)) s->mean = stream_moved(s->mean, origin);
    codec_sizes(k, "variance", &s->variance, 1);
}

const detector_row detector_EWMA = {ewma_lay, NULL, ewma_feed, ewma_keep, 1};
