/* kspecial.h - the special functions of ops.def in C: float in, float out, double between.
 *
 * Written like kmath.h, for loops that become vectors: no branches, no calls, and no tables, which
 * not every compiler gathers from. The arithmetic in double is src/special's; what is less exact
 * here is so because floats cannot tell. Edges are those of weft/special.h. */
#ifndef WEFT_KSPECIAL_H
#define WEFT_KSPECIAL_H

#include "base/compiler.h"
#include "special/fit_single.h"
#include "special/lane_bessel.h"
#include "special/lane_erf.h"
#include "special/lane_gamma.h"

WEFT_TARGET_BEGIN_128

/* ln Gamma(x) for x > 0: below 8 that of x + 8 less the logarithm of the product between. */
WEFT_INLINE double k_lgamma_up(double x) {
    const double z = x < 8.0 ? x + 8.0 : x, u = 1.0 / z;
    const double low = x * (x + 1.0) * (x + 2.0) * (x + 3.0);
    const double high = (x + 4.0) * (x + 5.0) * (x + 6.0) * (x + 7.0);
    const double product = x < 8.0 ? low * high : 1.0;
    return (z - 0.5) * (lane_log(z) - 1.0) + (FIT_HALF_LOG_2PI - 0.5 + u * fit_stirling(u * u)) -
           lane_log(product);
}

WEFT_INLINE float k_lgamma(float a) {
    const double x = a < 0.0f ? -(double)a : (double)a, b = x > 1e-46 ? x : 1.0;
    const double c = b < 1e39 ? b : 1.0, up = k_lgamma_up(c);
    const double s = lane_abs(lane_sinpi(c - lane_round(c))) * c;
    const double down = FIT_LOG_PI - lane_log(s > 0.0 ? s : 1.0) - up;
    const double y = a < 0.0f ? s == 0.0 ? INFINITY : down : up;
    const double inside = x == 0.0 || x > 3.5e38 ? INFINITY : y;
    return a == a ? a == 1.0f || a == 2.0f ? 0.0f : (float)inside : a;
}

/* The same way; eight reciprocals are four quotients. */
WEFT_INLINE float k_digamma(float a) {
    const double x = a < 0.0f ? -(double)a : (double)a, b = x > 1e-46 ? x : 1.0;
    const double c = b < 1e39 ? b : 1.0, z = c < 8.0 ? c + 8.0 : c, u = 1.0 / z, top = c + c + 7.0;
    const double sum = top / (c * (c + 7.0)) + top / ((c + 1.0) * (c + 6.0)) +
                       top / ((c + 2.0) * (c + 5.0)) + top / ((c + 3.0) * (c + 4.0));
    const double large = lane_log(z) - (0.5 * u + u * u * fit_digamma_tail(u * u));
    const double up = c < 8.0 ? large - sum : large, r = c - lane_round(c);
    const double sine = lane_abs(lane_sinpi(r));
    const double turn = FIT_PI * lane_with_sign(lane_cospi(r), r) / (sine > 0.0 ? sine : 1.0);
    const double down = sine > 0.0 ? up + 1.0 / c + turn : NAN;
    const double y = a < 0.0f ? down : up, far = a < 0.0f ? NAN : x;
    const double inside = x > 3.5e38 ? far : y;
    return a == a ? x > 1e-46 ? (float)inside : -1.0f / a : a;
}

/* Gamma(s) x^-s with ln Gamma(s) given */
WEFT_INLINE double k_polygamma_term(double lgamma_s, double s, double x) {
    const double power = lgamma_s - s * lane_log(x), low = power > -700.0 ? power : -700.0;
    return lane_exp(low < 700.0 ? low : 700.0);
}

/* Of the whole number next to `order`. From 1 on it is the sum of k^-(order + 1) times a factorial,
 * by Euler and Maclaurin; for x < 0 only order 1 is reflected. */
WEFT_INLINE float k_polygamma(float order, float a) {
    const double asked = order < 1000.0f && order > -1.0f ? (double)order : 0.0;
    const double n = lane_round(asked), s = n + 1.0;
    const double flipped = a < 0.0f ? 1.0 - (double)a : (double)a;
    const double b = flipped > 1e-46 ? flipped : 1.0, x = b < 1e39 ? b : 1.0, z = x + 6.0;
    const double l = k_lgamma_up(s), last = k_polygamma_term(l, s, z), u = 1.0 / z, v = u * u;
    const double first = (k_polygamma_term(l, s, x) + k_polygamma_term(l, s, x + 1.0)) +
                         (k_polygamma_term(l, s, x + 2.0) + k_polygamma_term(l, s, x + 3.0)) +
                         (k_polygamma_term(l, s, x + 4.0) + k_polygamma_term(l, s, x + 5.0));
    const double fifth = (s + 7.0) * (s + 8.0) * v * 2.08767569878681e-8;
    const double fourth = (s + 5.0) * (s + 6.0) * v * (8.26719576719577e-7 - fifth);
    const double third = (s + 3.0) * (s + 4.0) * v * (3.30687830687831e-5 - fourth);
    const double second = (s + 1.0) * (s + 2.0) * v * (1.38888888888889e-3 - third);
    const double rest = last * (z / (n > 0.0 ? n : 1.0) + 0.5 + s * u * (1.0 / 12.0 - second));
    /* of a, since 1 - a may have more bits than can be rounded to a whole number */
    const double c = a < 0.0f && x < 3.5e38 ? -(double)a : 0.5, r = c - lane_round(c);
    const double sine = lane_sinpi(r);
    const double turn = FIT_PI / (sine != 0.0 ? sine : 1.0);
    const double size = first + rest, back = sine != 0.0 ? turn * turn - size : INFINITY;
    const double down = n == 1.0 && flipped < 3.5e38 ? back : NAN;
    const double odd = n - 2.0 * lane_round(0.5 * n);
    const double up = odd != 0.0 ? size : -size;
    const double beyond = flipped > 3.5e38 ? 0.0 : up;
    const double edge = a == 0.0f ? odd != 0.0 ? INFINITY : NAN : a < 0.0f ? down : beyond;
    const float value = n == 0.0 ? k_digamma(a) : (float)edge;
    return order >= -0.5f && order < 1000.0f && a == a ? value : NAN;
}

WEFT_INLINE float k_erfc(float a) {
    const double x = a > -26.0f ? (double)a : -26.0, y = x < 26.0 ? x : 26.0;
    return a == a ? (float)lane_erfc(y) : a;
}

WEFT_INLINE float k_erfinv(float a) {
    const double p = a > -1.0f && a < 1.0f ? (double)a : 0.0;
    const double w = -lane_log((1.0 - p) * (1.0 + p)), s = sqrt(w > 0.0 ? w : 0.0) - 3.0;
    const double tail = fit_single_erfinv_tail(s > -0.8 ? s : -0.8);
    const float inside = (float)(p * (w < 5.0 ? fit_single_erfinv(w) : tail));
    const float edge = a == 1.0f ? INFINITY : a == -1.0f ? -INFINITY : NAN;
    return a > -1.0f && a < 1.0f ? inside : edge;
}

/* Beyond 2^24, where floats are further apart than roots, 0. */
WEFT_INLINE float k_bessel_j0(float a) {
    const double x = lane_abs(a), c = x < 8.0 ? x : 8.0, z = c * c;
    const double b = x > 8.0 ? x : 8.0, d = b < 0x1p24 ? b : 0x1p24, u = 1.0 / (d * d);
    const double first = (z - FIT_SINGLE_J0_ROOT_1) - FIT_SINGLE_J0_ROOT_2;
    const double second = (z - FIT_SINGLE_J0_SECOND_1) - FIT_SINGLE_J0_SECOND_2;
    const double wave = lane_wave(d, fit_modulus0(u), fit_phase0(u), 0);
    const double y = x < 8.0 ? first * second * fit_single_j0(z) : wave;
    return a == a ? x <= 0x1p24 ? (float)y : 0.0f : a;
}

WEFT_INLINE float k_bessel_j1(float a) {
    const double x = lane_abs(a), c = x < 8.0 ? x : 8.0, z = c * c;
    const double b = x > 8.0 ? x : 8.0, d = b < 0x1p24 ? b : 0x1p24, u = 1.0 / (d * d);
    const double first = (z - FIT_SINGLE_J1_ROOT_1) - FIT_SINGLE_J1_ROOT_2;
    const double second = (z - FIT_SINGLE_J1_SECOND_1) - FIT_SINGLE_J1_SECOND_2;
    const double wave = lane_wave(d, fit_modulus1(u), fit_phase1(u), 3);
    const double y = x < 8.0 ? c * (first * second * fit_single_j1(z)) : wave;
    const double size = x <= 0x1p24 ? y : 0.0;
    return a == a ? (float)(a < 0.0f ? -size : size) : a;
}

WEFT_INLINE float k_bessel_i0e(float a) {
    const double x = lane_abs(a), c = x < 8.0 ? x : 8.0, b = x > 8.0 ? x : 8.0;
    const double large = fit_single_i0_tail(1.0 / b) / sqrt(b);
    return a == a ? (float)(x < 8.0 ? lane_exp(-c) * fit_single_i0(c * c) : large) : a;
}

WEFT_INLINE float k_bessel_i1e(float a) {
    const double x = lane_abs(a), c = x < 8.0 ? x : 8.0, b = x > 8.0 ? x : 8.0;
    const double large = fit_single_i1_tail(1.0 / b) / sqrt(b);
    const double size = x < 8.0 ? lane_exp(-c) * c * fit_single_i1(c * c) : large;
    return a == a ? (float)(a < 0.0f ? -size : size) : a;
}

WEFT_TARGET_END

#endif
