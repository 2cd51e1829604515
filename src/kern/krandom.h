/* krandom.h - random numbers as a pure function of (seed, stream, run number, element).
 *
 * Every language that runs kernels has this same definition; integers agree bit for bit, floats to
 * rounding. Philox4x32-10 (Salmon et al., 2011):
 *
 *     block   q = element >> 2           (the element number as u32)
 *     counter (q, 0, run, 0)             key (seed, stream)
 *     ten times:
 *         (c0, c1, c2, c3) = (hi(0xcd9e8d57 c2) ^ c1 ^ k0, lo(0xcd9e8d57 c2),
 *                             hi(0xd2511f53 c0) ^ c3 ^ k1, lo(0xd2511f53 c0))
 *         k0 += 0x9e3779b9, k1 += 0xbb67ae85
 *     word    c[element & 3]
 *
 *     bits    the word
 *     uniform (word >> 8) * 2^-24: 24 bits, exactly, in [0, 1)
 *     normal  elements 2p and 2p + 1 share the words w0 (even) and w1 (odd), Box-Muller:
 *             length = sqrt(-2 log(((w0 >> 8) + 1) * 2^-24)), angle = 2 pi (w1 >> 8) * 2^-24
 *             even element: length * cos(angle); odd element: length * sin(angle) */
#ifndef WEFT_KRANDOM_H
#define WEFT_KRANDOM_H

#include "kern/kmath.h"

WEFT_TARGET_BEGIN_128

typedef struct k_words { uint32_t c0, c1, c2, c3; } k_words;

WEFT_INLINE k_words k_philox_round(k_words c, uint32_t k0, uint32_t k1) {
    const uint64_t even = (uint64_t)c.c0 * 0xd2511f53u, odd = (uint64_t)c.c2 * 0xcd9e8d57u;
    return (k_words){ (uint32_t)(odd >> 32) ^ c.c1 ^ k0, (uint32_t)odd,
                      (uint32_t)(even >> 32) ^ c.c3 ^ k1, (uint32_t)even };
}

/* Written out, because a loop in a loop would not be made vectors of. */
WEFT_INLINE k_words k_philox(k_words c, uint32_t k0, uint32_t k1) {
    const uint32_t s0 = 0x9e3779b9u, s1 = 0xbb67ae85u;
    c = k_philox_round(c, k0, k1);
    c = k_philox_round(c, k0 + 1 * s0, k1 + 1 * s1);
    c = k_philox_round(c, k0 + 2 * s0, k1 + 2 * s1);
    c = k_philox_round(c, k0 + 3 * s0, k1 + 3 * s1);
    c = k_philox_round(c, k0 + 4 * s0, k1 + 4 * s1);
    c = k_philox_round(c, k0 + 5 * s0, k1 + 5 * s1);
    c = k_philox_round(c, k0 + 6 * s0, k1 + 6 * s1);
    c = k_philox_round(c, k0 + 7 * s0, k1 + 7 * s1);
    c = k_philox_round(c, k0 + 8 * s0, k1 + 8 * s1);
    return k_philox_round(c, k0 + 9 * s0, k1 + 9 * s1);
}

WEFT_INLINE k_words k_random_block(uint32_t block, uint32_t run, uint32_t seed, uint32_t stream) {
    return k_philox((k_words){ block, 0, run, 0 }, seed, stream);
}

WEFT_INLINE float k_uniform(uint32_t word) { return (float)(int32_t)(word >> 8) * 5.96046448e-8f; }

WEFT_INLINE float k_normal_length(uint32_t even) {
    return sqrtf(-2.0f * k_log((float)(int32_t)((even >> 8) + 1) * 5.96046448e-8f));
}

/* cos (shift 1) or sin (shift 0) of the angle. The word's 24 bits split without loss into the
 * nearest of four quarters and a rest. */
WEFT_INLINE float k_normal_side(uint32_t odd, uint32_t shift) {
    const uint32_t turn = odd >> 8, quarter = (turn + 0x200000u) >> 22;
    const int32_t rest = (int32_t)turn - (int32_t)(quarter << 22);
    return k_sin_parts((float)rest * 3.74507028e-7f, quarter + shift);      /* pi/2 * 2^-22 */
}

WEFT_TARGET_END

#endif
