/* stream.h - outliers and changes in streams of numbers.
 *
 *     weft_detector *d = weft_detector_new(c, &(weft_detector_desc){ .kind = WEFT_DETECT_ZSCORE });
 *     weft_point p;
 *     while (next(&x)) {
 *         weft_detector_feed(d, &x, 1, &p);               one point, or an array of points
 *         if (p.label == WEFT_LABEL_OUTLIER) ...
 *     }
 *
 * A point is scored against the points before it, then the detector is updated with it. A detector
 * allocates all its memory when it is created; feeding allocates nothing and does not fail half way.
 * Feeding single points or arrays gives the same bits. Sums are kept so that neither a large offset
 * (1e9 and a little noise) nor an old outlier costs precision, however long the stream.
 *
 * A point with a value that is nan, infinite, or beyond 1e100 in magnitude is missing: it gets that
 * label, counts as a position in the stream, and does not update the detector (Holt-Winters advances
 * its season by the forecast). Scores are finite and at most 1e9, higher means more anomalous, and 0
 * before there is enough data; those of trees may be negative.
 *
 * docs/stream.md says what each detector assumes, when to use which, and how accurate they are. */
#ifndef WEFT_STREAM_H
#define WEFT_STREAM_H

#include "weft.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- detectors and their parameters -------------------------------------------------------- */

/*           name          text            what it is */
#define WEFT_DETECTORS(X)                                                                         \
    X(ZSCORE,       "zscore",       "deviations from the mean of a sliding window")                \
    X(EWMA,         "ewma",         "deviations from an exponential moving average")                        \
    X(ROBUST,       "robust",       "deviations from the median, scaled by quartiles")          \
    X(CUSUM,        "cusum",        "changes of the mean since a reference period")              \
    X(PAGE_HINKLEY, "page-hinkley", "changes of the mean since the last change")                  \
    X(ADWIN,        "adwin",        "changes of the mean, with a bound on false alarms")          \
    X(TREES,        "trees",        "multivariate points in sparse regions: half-space trees")\
    X(HOLT_WINTERS, "holt-winters", "deviations from a forecast of level, trend, season")
typedef enum weft_detector_kind {
#define X(name, text, about) WEFT_DETECT_##name,
    WEFT_DETECTORS(X)
#undef X
    WEFT_DETECTOR_COUNT
} weft_detector_kind;

/* Parameters. Deviations are standard deviations; a rate is the weight of a new point.
             name       whole  meaning */
#define WEFT_DETECTOR_FIELDS(X)                                                                   \
    X(window,    true,  "size of the window, in points")                                 \
    X(warm,      true,  "warm-up points; cusum: the reference period")                \
    X(threshold, false, "minimum score of an outlier or a change")                              \
    X(least,     false, "minimum standard deviation")                                 \
    X(rate,      false, "weight of a new point; trees: fraction labelled outliers")           \
    X(trend,     false, "weight of a new trend")                                                      \
    X(season,    false, "weight of a new season")                                                     \
    X(period,    true,  "points per season")                                                     \
    X(drift,     false, "change of the mean, in standard deviations, that is ignored")                 \
    X(delta,     false, "bound on the false alarm probability")                                   \
    X(every,     true,  "points between checks for a change")                                      \
    X(error,     false, "rank error of the quartiles, as a fraction")                           \
    X(trees,     true,  "number of trees")                                                                \
    X(depth,     true,  "depth of a tree")                         \
    X(low,       false, "lower end of the range; low and high 0: from the first window")          \
    X(high,      false, "upper end of the range")                                            \
    X(seed,      true,  "random seed")
typedef struct weft_detector_desc {
    weft_detector_kind kind;
    int dims;                /* values per point; 0: 1. More than 1: trees only */
#define X(name, whole, about) double name;
    WEFT_DETECTOR_FIELDS(X)  /* 0: the default, see weft_detector_field_at; whole: integers */
#undef X
} weft_detector_desc;

/* A parameter of one detector. */
typedef struct weft_detector_field {
    const char *name, *about;
    bool   whole;
    double otherwise, low, high;  /* the default; the range */
    size_t offset;                /* of the double in weft_detector_desc */
} weft_detector_field;
WEFT_API const char *weft_detector_name (weft_detector_kind k);  /* "zscore"; NULL: none such */
WEFT_API const char *weft_detector_about(weft_detector_kind k);  /* a description */
WEFT_API int  weft_detector_find(const char *name);              /* its kind; -1: none such */
WEFT_API bool weft_detector_field_at(weft_detector_kind k, int i, weft_detector_field *out);
    /* the i-th parameter of this kind; false: i is out of range */

/* ---- feeding ------------------------------------------------------------------------------- */

/*           name     text */
#define WEFT_LABELS(X)                                                                          \
    X(NORMAL,  "normal")                                                                          \
    X(WARMUP,  "warmup")   /* too few points so far       */                                \
    X(MISSING, "missing")  /* not finite, or beyond 1e100 */                                \
    X(OUTLIER, "outlier")                                                                         \
    X(CHANGE,  "change")   /* of the stream, at .since    */
typedef enum weft_label {
#define X(name, text) WEFT_LABEL_##name,
    WEFT_LABELS(X)
#undef X
    WEFT_LABEL_COUNT
} weft_label;
WEFT_API const char *weft_label_name(weft_label v);  /* "outlier"; NULL: none such */

typedef struct weft_point {
    double  score;        /* higher is more anomalous; unit: see docs/stream.md */
    double  expected;     /* the value expected; nan: none */
    int64_t since;        /* of a change: the index of its first point; else -1 */
    weft_label label;
} weft_point;

typedef struct weft_detector weft_detector;
WEFT_API weft_detector *weft_detector_new (weft_ctx *c, const weft_detector_desc *d);
    /* NULL: weft_error(c). Parameters that the kind does not have must be 0 */
WEFT_API void     weft_detector_free(weft_detector *d);  /* NULL is fine */
WEFT_API weft_err weft_detector_feed(weft_detector *d, const double *points, size_t n,
        weft_point *out);
    /* points [n, dims] in order; out [n], or NULL to update only */
WEFT_API int64_t  weft_detector_count(const weft_detector *d);  /* points fed, missing ones too */
WEFT_API weft_detector_desc weft_detector_settings(const weft_detector *d);
    /* its parameters, with defaults filled in */

/* ---- snapshots ----------------------------------------------------------------------------- */

WEFT_API size_t   weft_detector_bytes(const weft_detector *d);
    /* size of a snapshot, constant for a detector */
WEFT_API weft_err weft_detector_save(const weft_detector *d, void *bytes, size_t n);
    /* its whole state, as n == weft_detector_bytes(d) bytes, portable between machines */
WEFT_API weft_detector *weft_detector_restore(weft_ctx *c, const void *bytes, size_t n,
        const char *name);
    /* continues bit for bit like the saved one; NULL: weft_error(c), with name as the file's name.
       Length, checksum and every field are validated */

#ifdef __cplusplus
}
#endif
#endif
