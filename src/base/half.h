/* half.h - the 16-bit floats, one number at a time, rounded to nearest even. */
#ifndef WEFT_HALF_H
#define WEFT_HALF_H

#include "base/number.h"

WEFT_INLINE uint16_t bf16_of(float v) {
    uint32_t u = bits_of(v);
    if ((u & 0x7fffffff) > 0x7f800000) return (uint16_t)(u >> 16 | 0x40); /* a nan stays one */
    return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

WEFT_INLINE uint16_t f16_of(float v) {
    uint32_t u = bits_of(v), sign = u >> 16 & 0x8000, magnitude = u & 0x7fffffff;
    if (magnitude > 0x7f800000) return (uint16_t)(sign | 0x7e00);
    if (magnitude >= 0x477ff000) return (uint16_t)(sign | 0x7c00); /* rounds to infinity */
    if (magnitude < 0x38800000) /* subnormal: adding 0.5 rounds it into place */
        return (uint16_t)(sign | (bits_of(float_of(magnitude) + 0.5f) - 0x3f000000));
    return (uint16_t)(sign | ((magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13));
}

#endif
