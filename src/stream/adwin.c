/* adwin.c - a window that grows while its mean stays the same and drops its old end when it does
 * not.
 *
 * The window is lists of buckets (an exponential histogram): a bucket of row r sums up 2^r points,
 * a row has at most ADWIN_ROW of them, and two that are too many become one of the next row. Every
 * so often each cut between buckets is tried. Means of the two sides that differ by more than a
 * bound (Bernstein's, at confidence delta, for values of the window's range) make the oldest bucket
 * go, until no cut does. The bound's variance, range and means are summed up from the buckets at
 * every look, so nothing drifts. */
#include "detector.h"

#include <string.h>

enum {
    ADWIN_ROW = 5,
    ADWIN_ROWS = 48, /* 5 * 2^48 points; older ones are dropped */
    ADWIN_SIDE = 5,  /* points that a side has at least */
    ADWIN_LEAST = 10 /* points that are looked at */
};

typedef struct adwin_bucket {
    stream_mean mean;
    double squares, low, high;
    int64_t first; /* its oldest point's place in the stream */
} adwin_bucket;

typedef struct adwin {
    adwin_bucket row[ADWIN_ROWS][ADWIN_ROW + 1]; /* each oldest first */
    int64_t used[ADWIN_ROWS];
    int64_t n, rows; /* points in the window; rows ever used */
    int64_t wait;    /* points until the next look */
    double score, mean;
} adwin;

static void *adwin_lay(room *r, const weft_detector_desc *d) {
    (void)d;
    return room_take(r, sizeof(adwin));
}

static void adwin_begin(weft_detector *d) {
    adwin *const s = d->state;
    s->wait = (int64_t)d->desc.every;
}

static void adwin_drop(adwin *s, int64_t r) { /* the oldest of a row */
    s->used[r]--;
    memmove(s->row[r], s->row[r] + 1, (size_t)s->used[r] * sizeof s->row[r][0]);
}

static void adwin_insert(adwin *s, double x, int64_t at) {
    s->row[0][s->used[0]++] = (adwin_bucket){{x, 0}, 0, x, x, at};
    s->n++;
    if (!s->rows) s->rows = 1;
    for (int64_t r = 0; r < s->rows && s->used[r] > ADWIN_ROW; r++) {
        if (r + 1 == ADWIN_ROWS) {
            adwin_drop(s, r);
            s->n -= INT64_C(1) << r;
            break;
        }
        const adwin_bucket a = s->row[r][0], b = s->row[r][1];
        const double each = (double)(INT64_C(1) << r);
        const moments m =
            moments_join((moments){each, a.mean, a.squares}, (moments){each, b.mean, b.squares});
        adwin_drop(s, r);
        adwin_drop(s, r);
        s->row[r + 1][s->used[r + 1]++] =
            (adwin_bucket){m.mean, m.squares, fmin(a.low, b.low), fmax(a.high, b.high), a.first};
        if (s->rows < r + 2) s->rows = r + 2;
    }
}

/* The sums of a stretch of buckets, oldest first or newest first. */
typedef struct adwin_side {
    moments m;
    double low, high;
} adwin_side;

static void adwin_extend(adwin_side *side, const adwin_bucket *b, int64_t r) {
    side->m = moments_join(side->m, (moments){(double)(INT64_C(1) << r), b->mean, b->squares});
    side->low = fmin(side->low, b->low);
    side->high = fmax(side->high, b->high);
}

/* The largest ratio of a difference of means to its bound, over all cuts, and the first point
 * behind that cut. */
static double adwin_worst(const adwin *s, double delta, double *mean, int64_t *since) {
    /* of the i newest buckets; cuts are then tried from the oldest side on */
    stream_mean newer[ADWIN_ROWS * (ADWIN_ROW + 1) + 1] = {{0}};
    int64_t first[ADWIN_ROWS * (ADWIN_ROW + 1) + 1] = {0};
    adwin_side all = {{0}, INFINITY, -INFINITY}, old = all;
    int64_t buckets = 0;
    for (int64_t r = 0; r < s->rows; r++)
        for (int64_t i = s->used[r] - 1; i >= 0; i--) {
            adwin_extend(&all, &s->row[r][i], r);
            newer[++buckets] = all.m.mean;
            first[buckets] = s->row[r][i].first;
        }
    *mean = stream_value(all.m.mean);
    if (all.m.n < ADWIN_LEAST) return 0;
    const double variance = all.m.squares / all.m.n, range = all.high - all.low;
    const double doubt = log(2 * log(all.m.n) / delta);
    double worst = 0;
    for (int64_t r = s->rows - 1; r >= 0; r--)
        for (int64_t i = 0; i < s->used[r]; i++) {
            adwin_extend(&old, &s->row[r][i], r);
            buckets--;
            const double left = old.m.n, right = all.m.n - left;
            if (left < ADWIN_SIDE || right < ADWIN_SIDE) continue;
            const double each = 1 / left + 1 / right;
            const double bound = sqrt(2 * each * variance * doubt) + 2.0 / 3 * each * range * doubt;
            const stream_mean a = old.m.mean, b = newer[buckets];
            const double off = fabs((a.at - b.at) + (a.rest - b.rest));
            if (off <= worst * bound) continue;
            worst = bound > 0 ? off / bound : STREAM_MOST_SCORE;
            *since = first[buckets];
        }
    return worst < STREAM_MOST_SCORE ? worst : STREAM_MOST_SCORE;
}

static int64_t adwin_oldest(const adwin *s) { /* the row of the oldest bucket */
    int64_t r = s->rows - 1;
    while (r > 0 && !s->used[r]) r--;
    return r;
}

/* Gives where a change began; -1: there is none. */
static int64_t adwin_look(adwin *s, double delta) {
    int64_t since = -1, cut = -1;
    double worst;
    for (s->score = 0; (worst = adwin_worst(s, delta, &s->mean, &cut)) >= 1;) {
        if (since < 0) since = cut;
        if (worst > s->score) s->score = worst;
        const int64_t r = adwin_oldest(s);
        adwin_drop(s, r);
        s->n -= INT64_C(1) << r;
    }
    if (since < 0) s->score = worst;
    return since;
}

static void adwin_feed(weft_detector *d, const double *x, size_t n, weft_point *out) {
    adwin *const s = d->state;
    for (size_t i = 0; i < n; i++, d->count++) {
        if (!stream_good(x[i])) {
            out[i] = stream_missing();
            continue;
        }
        const double expected = s->n ? s->mean : NAN;
        adwin_insert(s, x[i], d->count);
        int64_t since = -1;
        if (--s->wait == 0) {
            s->wait = (int64_t)d->desc.every;
            since = adwin_look(s, d->desc.delta);
        } else if (s->n == 1) {
            s->mean = x[i];
        }
        const bool changed = since >= 0, ready = s->n >= ADWIN_LEAST || changed;
        out[i] = (weft_point){.score = s->score,
                              .expected = expected,
                              .since = since,
                              .label = changed ? WEFT_LABEL_CHANGE
                                       : ready ? WEFT_LABEL_NORMAL
                                               : WEFT_LABEL_WARMUP};
    }
}

static void adwin_keep(weft_detector *d, codec *k) {
    adwin *const s = d->state;
    int64_t points = 0;
    codec_whole(k, "points", &s->n, 0, INT64_C(1) << 52);
    codec_whole(k, "rows", &s->rows, 0, ADWIN_ROWS);
    codec_whole(k, "wait", &s->wait, 1, (int64_t)d->desc.every);
    codec_sizes(k, "score", &s->score, 1);
    codec_require(k, "score", s->score <= STREAM_MOST_SCORE);
    codec_values(k, "mean", &s->mean, 1);
    for (int64_t r = 0; r < ADWIN_ROWS; r++) {
        codec_whole(k, "buckets", &s->used[r], 0, ADWIN_ROW);
        points += s->used[r] << r;
        codec_require(k, "buckets", r < s->rows || !s->used[r]);
        for (int64_t i = 0; i < ADWIN_ROW; i++) {
            adwin_bucket *const b = &s->row[r][i];
            codec_mean(k, "mean of a bucket", &b->mean);
            codec_sizes(k, "squares of a bucket", &b->squares, 1);
            codec_values(k, "minimum of a bucket", &b->low, 1);
            codec_values(k, "maximum of a bucket", &b->high, 1);
            codec_whole(k, "beginning of a bucket", &b->first, 0, INT64_MAX / 2);
        }
    }
    codec_require(k, "points", points == s->n);
}

const detector_row detector_ADWIN = {adwin_lay, adwin_begin, adwin_feed, adwin_keep, 1};
