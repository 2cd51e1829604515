/* series.h - a number over the steps of a run, in bounded memory however long the run.
 *
 * Values go into at most SERIES_BUCKETS buckets; when all are in use, neighbours are joined and
 * each holds twice as many. A bucket has its minimum and maximum and their
 * positions, so no spike is lost however long the run. */
#ifndef WEFT_BASE_SERIES_H
#define WEFT_BASE_SERIES_H

#include "weft/train.h"

#include <stdbool.h>
#include <stdint.h>

enum { SERIES_BUCKETS = 400, SERIES_NAME = WEFT_METRIC_NAME + 1 };

typedef struct series_point {
    double step, value;
} series_point;

typedef struct series_bucket {
    series_point least, most;
    double steps, values; /* sums */
    int64_t count;
    bool gap; /* something that is not finite came before */
} series_bucket;

typedef struct series {
    char name[SERIES_NAME];
    series_bucket at[SERIES_BUCKETS];
    int n;
    int64_t width; /* values a full bucket has */
    bool gap;

    int64_t count, lost; /* values; those that were not finite */
    int64_t reversals;   /* from up to down or back */
    double moved;        /* the last change */
    series_point first, last, least, most;
    double from, to; /* steps */
} series;

void series_begin(series *s, const char *name);
void series_add(series *s, double step, double value);
int64_t series_finite(const series *s); /* values that count */

/* out (s->n): the mean of each bucket and its neighbours; a curve through the noise. log: the
 * geometric mean, which lies amid the noise on a logarithmic axis; all values must be above 0. */
void series_smooth(const series *s, bool log, series_point *out);
bool series_noisy(const series *s); /* whether such a curve says more than the values */

#endif
