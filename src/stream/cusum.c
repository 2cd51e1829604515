/* cusum.c - changes of the mean by sums that grow while values stay on one side of it.
 *
 * Two kinds that differ in what they compare with. CUSUM learns mean and deviation from its first
 * points and keeps them. Page-Hinkley has those of all points between the last change and this one.
 * A sum loses `drift` with each point and is never below 0, so it stays small as long as nothing
 * changes, on streams of any length. A change began where its sum last left 0; after it both start
 * over. */
#include "detector.h"

#include <string.h>

typedef struct cusum_side {
    double sum;
    int64_t since; /* the point with which it left 0 */
} cusum_side;

typedef struct cusum {
    moments seen;
    cusum_side up, down;
} cusum;

static void *cusum_lay(room *r, const weft_detector_desc *d) {
    (void)d;
    return room_take(r, sizeof(cusum));
}

static void cusum_side_add(cusum_side *s, double by, int64_t at) {
    if (s->sum == 0) s->since = at;
    s->sum = s->sum + by > 0 ? s->sum + by : 0;
    if (s->sum > STREAM_MOST_SCORE) s->sum = STREAM_MOST_SCORE;
}

static weft_point cusum_add(cusum *s, const weft_detector_desc *d, double z, double mean,
                            int64_t at) {
    cusum_side_add(&s->up, z - d->drift, at);
    cusum_side_add(&s->down, -z - d->drift, at);
    const cusum_side *const most = s->up.sum >= s->down.sum ? &s->up : &s->down;
    weft_point p = stream_judged(most->sum, mean, d->threshold, true);
    if (p.label == WEFT_LABEL_OUTLIER) {
        p.label = WEFT_LABEL_CHANGE;
        p.since = most->since;
        memset(s, 0, sizeof *s);
    }
    return p;
}

static double cusum_variance(const cusum *s) {
    return s->seen.n > 1 ? s->seen.squares / (s->seen.n - 1) : 0;
}

static weft_point cusum_point(cusum *s, const weft_detector_desc *d, double x, int64_t at,
                              bool follows) {
    const bool ready = s->seen.n >= d->warm;
    const double off = stream_off(x, s->seen.mean),
                 mean = s->seen.n ? stream_value(s->seen.mean) : NAN;
    const double z = ready ? stream_deviations(off, mean, cusum_variance(s), d->least) : 0;
    if (!ready || follows) moments_add(&s->seen, x);
    return ready ? cusum_add(s, d, z, mean, at) : stream_judged(0, mean, 1, false);
}

static void cusum_both(weft_detector *d, const double *x, size_t n, weft_point *out, bool follows) {
    cusum *const s = d->state;
    for (size_t i = 0; i < n; i++, d->count++)
        out[i] = stream_good(x[i]) ? cusum_point(s, &d->desc, x[i], d->count, follows)
                                   : stream_missing();
}

static void cusum_feed(weft_detector *d, const double *x, size_t n, weft_point *out) {
    cusum_both(d, x, n, out, false);
}

static void cusum_feed_following(weft_detector *d, const double *x, size_t n, weft_point *out) {
    cusum_both(d, x, n, out, true);
}

static void cusum_keep(weft_detector *d, codec *k) {
    cusum *const s = d->state;
    double origin = 0;
    if (codec_coarse(k)) codec_values(k, "origin", &origin, 1);
    codec_moments(k, "points", &s->seen);
    if (codec_coarse(k)) s->seen.mean = stream_moved(s->seen.mean, origin);
    codec_sizes(k, "sum upwards", &s->up.sum, 1);
    codec_whole(k, "beginning upwards", &s->up.since, 0, INT64_MAX / 2);
    codec_sizes(k, "sum downwards", &s->down.sum, 1);
    codec_whole(k, "beginning downwards", &s->down.since, 0, INT64_MAX / 2);
}

const detector_row detector_CUSUM = {cusum_lay, NULL, cusum_feed, cusum_keep, 1};
const detector_row detector_PAGE_HINKLEY = {cusum_lay, NULL, cusum_feed_following, cusum_keep, 1};
