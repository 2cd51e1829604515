/* digits.h - drawn digits: the demo's data, made on the spot.
 *
 * Each picture is a digit of a 5x7 font: turned, slanted, stretched, moved, made thicker or thinner
 * and covered with noise, all at random. Another seed gives other pictures. */
#ifndef WEFT_DIGITS_H
#define WEFT_DIGITS_H

#include <stdint.h>

enum { DIGITS_SIZE = 14, DIGITS_PIXELS = DIGITS_SIZE * DIGITS_SIZE, DIGITS_CLASSES = 10 };

/* pixels (count, DIGITS_PIXELS) in [0, 1], labels (count) in [0, 9] */
void digits_draw(uint64_t seed, int count, float *pixels, int32_t *labels);

#endif
