/* curve.h - a number over the steps of a run, in little memory however long the run.
 *
 * Values go into at most CURVE_POINTS points; when all are in use, neighbours become one, their
 * mean. That is finer than a terminal can show. */
#ifndef WEFT_CURVE_H
#define WEFT_CURVE_H

#include <stdint.h>

enum { CURVE_POINTS = 512 };

typedef struct curve_point {
    double steps, values; /* sums */
    int64_t count;
} curve_point;

typedef struct curve {
    curve_point at[CURVE_POINTS];
    int n;
    int64_t width; /* values of a full point; 0: as 1 */
    int64_t count; /* finite values */
    double from, to, last, least, most;
    double least_at, most_at; /* steps */
} curve;

void curve_add(curve *c, double step, double value); /* what is not finite is passed over */

#endif
