/* stream.h - finding what is odd in numbers that keep coming: outliers, and where things changed.
 *
 *     weft_detector *d = weft_detector_new(c, &(weft_detector_desc){ .kind = WEFT_DETECT_ZSCORE });
 *     weft_point p;
 *     while (next(&x)) {
 *         weft_detector_feed(d, &x, 1, &p);               one point, or an array of them
 *         if (p.verdict == WEFT_VERDICT_OUTLIER) ...
 *     }
 *
 * A point is judged by what came before it, then learned from. A detector takes all its memory when
 * it is made; feeding allocates nothing and cannot fail half way. One point at a time and arrays
 * give the same bits. Sums are kept so that a large offset (1e9 and a little noise) or an outlier
 * long gone costs no digits, however long the stream.
 *
 * A point with a value that is no number, infinite, or beyond 1e100 in size is missing: it gets
 * that verdict, counts as a place in the stream, and teaches nothing (Holt-Winters: its season goes
 * on as foretold). Scores are finite and at most 1e9, the greater the odder, and 0 where there is
 * nothing to say yet; those of trees may be below 0.
 *
 * docs/stream.md says what each detector assumes, when to take which, and how well they do. */
#ifndef WEFT_STREAM_H
#define WEFT_STREAM_H

#include "weft.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- which detectors there are, and what can be set ---------------------------------------- */

/*           name          text            what it is */
#define WEFT_DETECTORS(X)                                                                         \
    X(ZSCORE,       "zscore",       "deviations from the mean of the last points")                \
    X(EWMA,         "ewma",         "deviations from a mean that forgets")                        \
    X(ROBUST,       "robust",       "deviations from the median, measured by quartiles")          \
    X(CUSUM,        "cusum",        "changes of the mean since a time of reference")              \
    X(PAGE_HINKLEY, "page-hinkley", "changes of the mean since the last change")                  \
    X(ADWIN,        "adwin",        "changes of the mean, with a bound on false alarms")          \
    X(TREES,        "trees",        "points of several values in sparse places: half-space trees")\
    X(HOLT_WINTERS, "holt-winters", "deviations from level, trend and season foretold")
typedef enum weft_detector_kind {
#define X(name, text, about) WEFT_DETECT_##name,
    WEFT_DETECTORS(X)
#undef X
    WEFT_DETECTOR_COUNT
} weft_detector_kind;

/* What can be set. A deviation is a standard deviation; a rate is what a new point weighs.
             name       whole  what it is */
#define WEFT_DETECTOR_FIELDS(X)                                                                   \
    X(window,    true,  "points that a new one is compared with")                                 \
    X(warm,      true,  "points before the first verdict; of cusum: of reference")                \
    X(threshold, false, "the least score of an outlier or a change")                              \
    X(least,     false, "a smaller deviation counts as this one")                                 \
    X(rate,      false, "what a new point weighs; of trees: the share called outliers")           \
    X(trend,     false, "rate of the trend")                                                      \
    X(season,    false, "rate of the season")                                                     \
    X(period,    true,  "points of a season")                                                     \
    X(drift,     false, "a change of the mean, in deviations, that is no change")                 \
    X(delta,     false, "bound on the chance of a false alarm")                                   \
    X(every,     true,  "points between looks for a change")                                      \
    X(error,     false, "error of the quartiles: a share of the ranks")                           \
    X(trees,     true,  "trees")                                                                  \
    X(depth,     true,  "halvings from the root of a tree to its leaves")                         \
    X(low,       false, "least value of the range; low and high 0: of the first window")          \
    X(high,      false, "greatest value of the range")                                            \
    X(seed,      true,  "where randomness begins")
typedef struct weft_detector_desc {
    weft_detector_kind kind;
    int dims;                /* values of a point; 0: 1. More than 1: trees alone */
#define X(name, whole, about) double name;
    WEFT_DETECTOR_FIELDS(X)  /* 0: what weft_detector_field_at says; whole: without a fraction */
#undef X
} weft_detector_desc;

/* A field as one detector has it. */
typedef struct weft_detector_field {
    const char *name, *about;
    bool   whole;
    double otherwise, low, high;  /* what 0 stands for; the range */
    size_t offset;                /* of the double in weft_detector_desc */
} weft_detector_field;
WEFT_API const char *weft_detector_name (weft_detector_kind k);  /* "zscore"; NULL: none such */
WEFT_API const char *weft_detector_about(weft_detector_kind k);  /* a line for people */
WEFT_API int  weft_detector_find(const char *name);              /* its kind; -1: none such */
WEFT_API bool weft_detector_field_at(weft_detector_kind k, int i, weft_detector_field *out);
    /* the i-th field that this kind has; false: it has not so many */

/* ---- feeding ------------------------------------------------------------------------------- */

/*           name     text */
#define WEFT_VERDICTS(X)                                                                          \
    X(USUAL,   "usual")                                                                           \
    X(WARMING, "warming")  /* too few points so far to judge by */                                \
    X(MISSING, "missing")  /* not finite, or beyond 1e100       */                                \
    X(OUTLIER, "outlier")                                                                         \
    X(CHANGE,  "change")   /* of the stream, from .since on     */
typedef enum weft_verdict {
#define X(name, text) WEFT_VERDICT_##name,
    WEFT_VERDICTS(X)
#undef X
    WEFT_VERDICT_COUNT
} weft_verdict;
WEFT_API const char *weft_verdict_name(weft_verdict v);  /* "outlier"; NULL: none such */

typedef struct weft_point {
    double  score;        /* how odd: deviations, sums of them, bits; see docs/stream.md */
    double  expected;     /* the value that would have been least odd; nan: none */
    int64_t since;        /* of a change: the point it began with, from 0; else -1 */
    weft_verdict verdict;
} weft_point;

typedef struct weft_detector weft_detector;
WEFT_API weft_detector *weft_detector_new (weft_ctx *c, const weft_detector_desc *d);
    /* NULL: weft_error(c). A field that the kind does not have must be 0 */
WEFT_API void     weft_detector_free(weft_detector *d);  /* NULL is fine */
WEFT_API weft_err weft_detector_feed(weft_detector *d, const double *points, size_t n,
        weft_point *out);
    /* points [n, dims] in their order; out [n], or NULL to learn only */
WEFT_API int64_t  weft_detector_count(const weft_detector *d);  /* points fed, missing ones too */
WEFT_API weft_detector_desc weft_detector_settings(const weft_detector *d);
    /* what it was made with, no field 0 that stands for another value */

/* ---- snapshots ----------------------------------------------------------------------------- */

WEFT_API size_t   weft_detector_bytes(const weft_detector *d);
    /* of a snapshot: the same at any time */
WEFT_API weft_err weft_detector_save(const weft_detector *d, void *bytes, size_t n);
    /* all that it knows, as n == weft_detector_bytes(d) bytes that any machine can read */
WEFT_API weft_detector *weft_detector_restore(weft_ctx *c, const void *bytes, size_t n,
        const char *name);
    /* goes on with the bits the saved one would have had; NULL: weft_error(c), where name stands
       for the file. Checked by length, checksum and field by field */

#ifdef __cplusplus
}
#endif
#endif
