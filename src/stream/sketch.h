/* sketch.h - quantiles of many values in little memory, with a bound on the error of the rank.
 *
 * Values are gathered by `size`, sorted, and two sorted lists of the same level become one of the
 * next: every other value of the two, each counting for two. A joining at level h moves the rank of
 * any value by at most 2^h, so n values that reached L levels have ranks that are wrong by at most
 * n L / (2 size). */
#ifndef WEFT_STREAM_SKETCH_H
#define WEFT_STREAM_SKETCH_H

#include "detector.h"

enum { SKETCH_LEVELS = 32 };

typedef struct sketch {
    int64_t n, size, levels;     /* values; of a list; lists besides the gathered one */
    int64_t have, turn;          /* a bit per level: there is a list; which half comes next */
    double *gathered;            /* [size], the first n % size of them, in any order */
    double *list[SKETCH_LEVELS]; /* each [size], sorted; level h counts 2^h for a value */
    double *carry, *spare;       /* each [size], for joining */
} sketch;

/* The least size whose error is at most `error` for `most` values, and the levels that takes. */
void sketch_fit(int64_t most, double error, int64_t *size, int64_t *levels);

void sketch_lay(sketch *s, room *r, int64_t size, int64_t levels); /* s NULL: counts room only */
void sketch_add(sketch *s, double x);                              /* at most `most` of them   */
void sketch_clear(sketch *s);
void sketch_keep(sketch *s, codec *k);

/* The least value that at least `share` of the values of both sketches do not exceed, share in
 * (0, 1]. There must be a value. Sorts what is gathered. */
double sketch_quantile(sketch *a, sketch *b, double share);

#endif
