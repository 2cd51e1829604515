/* clock.c - the time of day, and a clock that only goes forward. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "weft/weft.h"
#include <time.h>

static double clock_seconds(struct timespec t) {
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double weft_wall(void) {
    struct timespec t = {0};
    timespec_get(&t, TIME_UTC);
    return clock_seconds(t);
}

double weft_clock(void) {
#ifdef CLOCK_MONOTONIC
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return clock_seconds(t);
#else
    return weft_wall();
#endif
}
