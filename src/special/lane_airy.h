/* lane_airy.h - Airy functions and their derivatives for a lane.
 *
 * With zeta = 2/3 |x|^(3/2): around 0 a power series; above 1 an exponential of zeta times a slow
 * factor; below -1 tables, and from -8 on a wave in zeta, which is therefore needed with its
 * rounding error. */
#ifndef WEFT_SPECIAL_LANE_AIRY_H
#define WEFT_SPECIAL_LANE_AIRY_H

#include "fit_airy.h"
#include "fit_airy_prime.h"
#include "lane_math.h"

LANE_BEGIN

/* 2/3 c^(3/2) for c >= 1 */
LANE lane_pair lane_airy_zeta(double c) {
    const double s = sqrt(c);
    const lane_pair square = lane_product(s, s), cube = lane_product(c, s);
    const double rest = ((c - square.high) - square.low) / (s + s);
    const double z = (cube.high + cube.high) * (1.0 / 3.0);
    const lane_pair three = lane_product(z, 3.0);
    const double left = ((cube.high + cube.high) - three.high) - three.low;
    return lane_sum(z, (left + 2.0 * (cube.low + c * rest)) * (1.0 / 3.0));
}

/* The wave for c >= 8, without its power of c */
LANE double lane_airy_wave(lane_pair zeta, double modulus, double phase, uint64_t turn) {
    return FIT_PER_SQRT_PI * modulus *
           lane_cos_turned(zeta.high, zeta.low + phase / zeta.high, turn);
}

/* The four differ in tables, in the sign of the exponent, in where the wave begins, and in which
 * way the power of x goes. */
#define LANE_AIRY(name, word, sign, wave, turn, power)                                             \
    LANE double lane_##name(double x) {                                                            \
        const double a = lane_abs(x), b = a > 1.0 ? a : 1.0, e = a < 1.0 ? x : 1.0;                \
        const lane_pair zeta = lane_airy_zeta(b);                                                  \
        const double fourth = sqrt(sqrt(b)), v = 1.0 / zeta.high, u = v * v;                       \
        const double slow = a < 16.0 ? fit_##word##_up(b) : fit_##word##_tail(v);                  \
        const double high = x > 0.0 ? zeta.high : 0.0, low = x > 0.0 ? zeta.low : 0.0;             \
        const double up = (slow power fourth) * lane_exp_pair(sign(high), sign(low));              \
        const double modulus = fit_airy_modulus##wave(u), phase = fit_airy_phase##wave(u);         \
        const double far = lane_airy_wave(zeta, modulus, phase, turn) power fourth;                \
        const double down = a < 8.0 ? fit_##word##_down(a) : far;                                  \
        return a < 1.0 ? fit_##word(e) : x < 0.0 ? down : up;                                      \
    }
LANE_AIRY(airy_ai, ai, -, , 0, /)
LANE_AIRY(airy_bi, bi, +, , 1, /)
LANE_AIRY(airy_ai_prime, aip, -, _prime, 3, *)
LANE_AIRY(airy_bi_prime, bip, +, _prime, 0, *)
#undef LANE_AIRY

LANE_END

#endif
