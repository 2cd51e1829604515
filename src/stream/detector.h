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
#define STREAM_MOST_SCORE 1e9   /* deviations may be 0 */

/* Memory that is measured first and taken then: with at NULL, takes give NULL and only count. */
typedef struct room {
    char *at;
    size_t bytes;
} room;
void *room_take(room *r, size_t bytes); /* for any type */

/* A walk over the numbers of a state: counts them, writes them, or reads and checks them. */
typedef struct kept kept;
void kept_reals(kept *k, const char *field, double *x, size_t n); /* finite       */
void kept_whole(kept *k, const char *field, int64_t *x, int64_t low, int64_t high);
void kept_counts(kept *k, const char *field, uint32_t *x, size_t n, uint32_t high);
void kept_require(kept *k, const char *field, bool holds); /* of what has been read */

typedef struct detector_row {
    void *(*lay)(room *r, const weft_detector_desc *d); /* the state, pointers set; zeroed before */
    void (*begin)(weft_detector *d);                    /* NULL: zeros will do */
    void (*feed)(weft_detector *d, const double *x, size_t n, weft_point *out);
    void (*keep)(weft_detector *d, kept *k);
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
    return (weft_point){.expected = NAN, .since = -1, .verdict = WEFT_VERDICT_MISSING};
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
                        .verdict = !warm                ? WEFT_VERDICT_WARMING
                                   : score >= threshold ? WEFT_VERDICT_OUTLIER
                                                        : WEFT_VERDICT_USUAL};
}

/* A running mean of values around 1e9 would not feel a change of 1e-8, so it is counted from an
 * origin near it, which follows now and then: should the first value be far off, or the stream move
 * away. Nothing is rounded but the origin. */
enum { STREAM_ORIGIN_EVERY = 4096 };
static inline void stream_follow(double *origin, double *mean) {
    const double nearer = *origin + *mean;
    *mean += *origin - nearer;
    *origin = nearer;
}

/* Count, mean and sum of squares around it. Adding and joining never subtract sums of squares. */
typedef struct moments {
    double n, mean, squares;
} moments;

static inline void moments_add(moments *m, double x) {
    const double off = x - m->mean;
    m->n++;
    m->mean += off / m->n;
    m->squares += off * (x - m->mean);
}

void kept_moments(kept *k, const char *field, moments *m);

static inline moments moments_join(moments a, moments b) {
    const double n = a.n + b.n;
    if (n == 0) return a;
    const double off = b.mean - a.mean, share = b.n / n;
    return (moments){n, a.mean + off * share, a.squares + b.squares + off * off * a.n * share};
}

#endif
