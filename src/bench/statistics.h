/* statistics.h - what the parts of measuring share among themselves. */
#ifndef WEFT_BENCH_STATISTICS_H
#define WEFT_BENCH_STATISTICS_H

#include <weft/bench.h>

/* Where the draws of a bootstrap begin: always here, so that the same samples say the same. */
enum { BENCH_SEED = 1 };

/* The mean of the fastest of the times: a twentieth of them, one at least. Orders them; nan of
 * none. What disturbs a machine only adds time, so this end of the samples is the one that
 * repeats. */
double bench_fastest(double *times, size_t n);

/* The ends of the middle 95 % of a bootstrap that drew `of` things from as many each time; orders
 * the values. */
void bench_interval(double *values, size_t n, size_t of, double *low, double *high);

#endif
