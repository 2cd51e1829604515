/* timing.h - how long calls take on a machine that other people use too.
 *
 * A sample is enough calls to fill a few milliseconds, so that the clock costs nothing; the median
 * of many samples is the answer, and the least is told beside it. Rivals are sampled in turn, A B A
 * B, so that what disturbs one disturbs the other. */
#ifndef WEFT_TIMING_H
#define WEFT_TIMING_H

#include <stdint.h>

enum { TIMING_MOST_SAMPLES = 101, TIMING_MOST_RIVALS = 2 };

typedef struct timing_call {
    void (*call)(void *user);
    void *user;
} timing_call;

typedef struct timing_desc {
    double sample; /* seconds a sample takes at least; 0: 0.004            */
    double budget; /* seconds in all, as far as least allows; 0: 1         */
    int least;     /* samples at least; 0: 5                               */
} timing_desc;

typedef struct timing {
    double median_us, min_us; /* of one call */
    int samples;
    int64_t calls; /* in a sample */
} timing;

double timing_now(void);                     /* seconds, steady */
double timing_median(double *values, int n); /* orders the values */

/* Fills one timing for each rival; d may be NULL. */
void timing_measure(const timing_desc *d, const timing_call *rivals, int n, timing *out);

#endif
