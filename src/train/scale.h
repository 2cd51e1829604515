/* scale.h - an axis: from numbers to places between 0 and 1, with ticks at round numbers. */
#ifndef WEFT_SCALE_H
#define WEFT_SCALE_H

#include <weft/weft.h>

enum { SCALE_TICKS = 12 };

typedef struct scale {
    double low, high; /* logarithms of base 10 if log */
    bool log, percent, steps, bytes; /* but log: only for labels */
    double tick[SCALE_TICKS]; /* values */
    int ticks;
    double apart; /* of ticks of a linear scale */
} scale;

/* Both ends are ticks of the scale; low = high is fine. log: both must be above 0. */
scale scale_values(double low, double high, bool log);
scale scale_steps(double low, double high); /* as far as the steps go */
double scale_at(const scale *s, double v);
const char *scale_label(const scale *s, int tick, char *text, size_t bytes); /* UTF-8 */
double scale_bytes(double most, const char **unit); /* what to divide by, and " MB" */
void scale_power(char *text, size_t bytes, double v); /* 2·10⁻⁴, of at most four digits; v not 0 */

#endif
