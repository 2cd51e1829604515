/* detector.h - the inside of a detector, as the files of this folder see it.
 *
 * A kind is a row of functions: how its state lies in one block of memory, how it begins, how
 * points go through it, and which of its numbers a snapshot holds. A kind sees points one after the
 * other and never fails; what is asked of it has been checked before. */
#ifndef WEFT_STREAM_DETECTOR_H
#define WEFT_STREAM_DETECTOR_H

#include <weft/stream.h>

#include <float.h>
#include <math.h>

#define STREAM_LARGEST    1e100 /* beyond it a value is missing: squares of many must not overflow */
#define STREAM_EXTREME    1e120 /* what levels of such values may reach, foretold far ahead */
#define STREAM_MOST_SCORE 1e9   /* deviations may be 0 */

/* Memory that is measured first and taken then: with at NULL, takes give NULL and only count. */
typedef struct room {
    char *at;
    size_t bytes;
} room;
void *room_take(room *r, size_t bytes); /* for any type */

/* A walk over the numbers of a state: counts them, writes them, or reads and checks them. */
typedef struct codec codec;
void codec_reals(codec *k, const char *field, double *x, size_t n);  /* finite */
void codec_values(codec *k, const char *field, double *x, size_t n); /* within STREAM_EXTREME */
void codec_sizes(codec *k, const char *field, double *x, size_t n);  /* finite, not below 0 */
void codec_whole(codec *k, const char *field, int64_t *x, int64_t low, int64_t high);
void codec_counts(codec *k, const char *field, uint32_t *x, size_t n, uint32_t high);
void codec_require(codec *k, const char *field, bool holds); /* of what has been read */

typedef struct detector_row {
    void *(*lay)(room *r, const weft_detector_desc *d); /* the state, pointers set; zeroed before */
    void (*begin)(weft_detector *d);                    /* NULL: zeros will do */
    void (*feed)(weft_detector *d, const double *x, size_t n, weft_point *out);
    void (*keep)(weft_detector *d, codec *k);
    int most_values; /* of a point */
} detector_row;

struct weft_detector {
    weft_ctx *c;
    weft_detector_desc desc; /* fields that the kind has are set */
    const detector_row *row;
    void *state;
    int64_t count; /* points fed; each feed adds */
};

/* Settles a description, and says how much memory its state takes. */
weft_err detector_plan(weft_ctx *c, weft_detector_desc *d, size_t *bytes);

/* A row for each kind, in the file of the kind. */
#define X(name, text, about) extern const detector_row detector_##name;
WEFT_DETECTORS(X)
#undef X

static inline bool stream_good(double x) {
    return fabs(x) <= STREAM_LARGEST; /* nan is not */
}

static inline weft_point stream_missing(void) {
    return (weft_point){.expected = NAN, .since = -1, .label = WEFT_LABEL_MISSING};
}

/* How many deviations `off` is, of a value that was expected to be `mean`. A deviation below what
 * rounding alone makes of values of that size says nothing, so it counts as that much. */
static inline double stream_deviations(double off, double mean, double variance, double least) {
    const double rounding = 4 * DBL_EPSILON * fabs(mean);
    double unit = sqrt(variance);
    if (unit < rounding) unit = rounding;
    if (unit < least) unit = least;
    if (off == 0) return 0;
    const double z = off / unit; /* by 0: infinite */
    return z > STREAM_MOST_SCORE    ? STREAM_MOST_SCORE
           : z < -STREAM_MOST_SCORE ? -STREAM_MOST_SCORE
                                    : z;
}

static inline weft_point stream_judged(double score, double expected, double threshold, bool warm) {
    score = fabs(score);
    return (weft_point){.score = warm ? score : 0,
                        .expected = expected,
                        .since = -1,
                        .label = !warm                ? WEFT_LABEL_WARMUP
                                   : score >= threshold ? WEFT_LABEL_OUTLIER
                                                        : WEFT_LABEL_NORMAL};
}

/* A running mean of values around 1e9 would not feel a change of 1e-8, so a mean is two doubles:
 * a place near it, and the rest from there. */
typedef struct stream_mean {
    double at, rest;
} stream_mean;

static inline double stream_value(stream_mean m) {
    return m.at + m.rest;
}

/* By a little or, at the cost of a last bit, by much; the place moves along. */
static inline stream_mean stream_moved(stream_mean m, double by) {
    const double step = m.rest + by, at = m.at + step;
    return (stream_mean){at, step - (at - m.at)};
}

/* x less the mean */
static inline double stream_off(double x, stream_mean m) {
    return (x - m.at) - m.rest;
}

/* Count, mean and sum of squares around it. Adding and joining never subtract sums of squares. The
 * mean is counted from one of the points, so what rounding takes is less than they lie apart. */
typedef struct moments {
    double n;
    stream_mean mean;
    double squares;
} moments;

static inline void moments_add(moments *m, double x) {
    if (m->n == 0) m->mean = (stream_mean){x, 0};
    const double off = stream_off(x, m->mean);
    m->n++;
    m->mean.rest += off * (1 / m->n); /* the quotient need not wait for off */
    m->squares += off * stream_off(x, m->mean);
}

static inline moments moments_join(moments a, moments b) {
    if (a.n == 0) return b;
    const double n = a.n + b.n;
    const double off = (b.mean.at - a.mean.at) + (b.mean.rest - a.mean.rest), share = b.n / n;
    const double squares = a.squares + b.squares + off * off * a.n * share;
    return (moments){n, {a.mean.at, a.mean.rest + off * share}, squares};
}

/* Version 1 of a snapshot had one double for a mean, and for some an origin to count it from. */
bool codec_coarse(const codec *k);
void codec_mean(codec *k, const char *field, stream_mean *m);
void codec_moments(codec *k, const char *field, moments *m);

#endif
