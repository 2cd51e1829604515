/* kfar.h - the arguments for which kmath.h's formulas have too few digits, one number at a time.
 *
 * Here are branches, tables and calls, so no loop over these becomes vectors: loops look for such
 * arguments first, and there are hardly ever any. */
#ifndef WEFT_KFAR_H
#define WEFT_KFAR_H

#include "kern/kmath.h"

/* From here on the reduction of k_sin gives up. */
#define K_SIN_FAR 1073741824.0f

WEFT_TARGET_BEGIN_128

/* sin of a + shift quarters of a turn, for |a| >= K_SIN_FAR. a is m 2^e with 24 bits in m, and of
 * m 2^e 2/pi only the last two bits before the point and the fraction matter. So bits of 2/pi whose
 * products are multiples of 4 are left out, and of the rest 96 bits are enough: what follows them adds
 * less than 2^-69, while no float but 0 is nearer than 2^-33 to a multiple of pi/2. */
static inline float k_sin_far(float a, uint32_t shift) {
    static const uint32_t two_over_pi[8] = {0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0,
                                            0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561};
    const uint32_t size = k_bits(a) & 0x7fffffffu;
    if (size >= 0x7f800000u) return NAN;
    const int skip = (int)(size >> 23) - 150 - 2, word = skip / 32, bit = skip % 32; /* e - 2 bits */
    const uint64_t m = (size & 0x007fffffu) | 0x00800000u;
    uint32_t w[3];
    for (int i = 0; i < 3; i++) {
        const uint64_t two = (uint64_t)two_over_pi[word + i] << 32 | two_over_pi[word + i + 1];
        w[i] = (uint32_t)(two << bit >> 32);
    }
    /* the low 96 bits of m w: two bits of quarters, then the fraction */
    const uint64_t low = m * w[2], middle = m * w[1] + (low >> 32), high = m * w[0] + (middle >> 32);
    const uint64_t turn = high << 32 | (uint32_t)middle;
    uint32_t quarter = (uint32_t)(turn >> 62);
    int64_t fraction = (int64_t)(turn << 2 | (uint32_t)low >> 30); /* in 2^-64, a half and more as */
    quarter += fraction < 0;                                       /* negative: the next quarter   */
    const double r = (double)fraction * 8.5153039502163861e-20;   /* pi/2 2^-64 */
    if (k_bits(a) >> 31) return k_sin_parts(-(float)r, shift - quarter);
    return k_sin_parts((float)r, quarter + shift);
}

/* Exact whatever the quotient is. */
static inline float k_mod_far(float a, float b) {
    const float r = fmodf(a, b);
    return r != 0.0f && (r < 0.0f) != (b < 0.0f) ? r + b : r;
}

/* k_mod where no multiply-add keeps all digits of the product. */
WEFT_INLINE float k_mod_wide(float a, float b) {
    const float q = k_floor(a / b);
    const float r = q == 0.0f ? a : (float)((double)a - (double)q * (double)b);
    return (r < 0.0f && b > 0.0f) || (r > 0.0f && b < 0.0f) ? r + b : r;
}

WEFT_TARGET_END

#endif
