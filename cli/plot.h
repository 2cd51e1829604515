/* plot.h - a curve in a terminal, and small grey pictures side by side. */
#ifndef WEFT_PLOT_H
#define WEFT_PLOT_H

#include "terminal.h"

/* Positive values over equal steps, logarithmic; last is the number under the right end. */
void plot_curve(const terminal *t, const float *values, int count, const char *unit, long last);

/* count pictures of size x size values in [0, 1], size even, beside each other. */
void plot_pictures(const terminal *t, const float *const *pictures, int count, int size);

#endif
