/* number.h - arithmetic of one or two numbers: bits of floats, products that may overflow. */
#ifndef WEFT_BASE_NUMBER_H
#define WEFT_BASE_NUMBER_H

#include "base/compiler.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

WEFT_INLINE int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }
WEFT_INLINE int64_t max_i64(int64_t a, int64_t b) { return a > b ? a : b; }
WEFT_INLINE uint32_t bits_of(float v) { uint32_t u; memcpy(&u, &v, 4); return u; }
/* cut towards zero, saturating; nan gives 0 */
WEFT_INLINE int32_t i32_of(float v) {
    if (!(v > -2147483648.0f)) return v == v ? INT32_MIN : 0;
    return v < 2147483648.0f ? (int32_t)v : INT32_MAX;
}
WEFT_INLINE float float_of(uint32_t u) { float v; memcpy(&v, &u, 4); return v; }

/* false on overflow or a negative factor */
WEFT_INLINE bool checked_mul(int64_t a, int64_t b, int64_t *out) {
    if (a < 0 || b < 0 || (a && b > INT64_MAX / a)) return false;
    *out = a * b;
    return true;
}

#endif
