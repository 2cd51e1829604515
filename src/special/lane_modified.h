/* lane_modified.h - the modified Bessel functions I and K of orders 0 and 1 for a lane, also
 * without their exponential. */
#ifndef WEFT_SPECIAL_LANE_MODIFIED_H
#define WEFT_SPECIAL_LANE_MODIFIED_H

#include "fit_modified.h"
#include "lane_math.h"

LANE_BEGIN

/* e^-a I0(a) for 1 <= a < 2^1000, and the like */
LANE double lane_i0_fallen(double a) {
    const double b = a > 32.0 ? a : 32.0;
    return (a < 32.0 ? fit_i0_table(a) : fit_i0_tail(1.0 / b)) / sqrt(a);
}

LANE double lane_i1_fallen(double a) {
    const double b = a > 32.0 ? a : 32.0;
    return (a < 32.0 ? fit_i1_table(a) : fit_i1_tail(1.0 / b)) / sqrt(a);
}

LANE double lane_k0_grown(double a) {
    const double b = a > 16.0 ? a : 16.0;
    return (a < 16.0 ? fit_k0_table(a) : fit_k0_tail(1.0 / b)) / sqrt(a);
}

LANE double lane_k1_grown(double a) {
    const double b = a > 16.0 ? a : 16.0;
    return (a < 16.0 ? fit_k1_table(a) : fit_k1_tail(1.0 / b)) / sqrt(a);
}

/* K0 and K1 for 2^-1020 < c <= 1 */
LANE double lane_k0_small(double c) {
    const double z = c * c;
    return fit_k0(z) - lane_log(c) * fit_i0(z);
}

LANE double lane_k1_small(double c) {
    const double z = c * c;
    return 1.0 / c + c * (lane_log(c) * fit_i1(z) + fit_k1(z));
}

/* I: |x| < 700 */
LANE double lane_bessel_i0(double x) {
    const double a = lane_abs(x), b = a > 1.0 ? a : 1.0, c = a < 1.0 ? a : 1.0;
    const double large = lane_exp(b) * lane_i0_fallen(b);
    return a < 1.0 ? fit_i0(c * c) : large;
}

LANE double lane_bessel_i1(double x) {
    const double a = lane_abs(x), b = a > 1.0 ? a : 1.0, c = a < 1.0 ? x : 1.0;
    const double large = lane_exp(b) * lane_i1_fallen(b);
    return a < 1.0 ? c * fit_i1(c * c) : lane_with_sign(large, x);
}

LANE double lane_bessel_i0e(double x) {
    const double a = lane_abs(x), b = a > 1.0 ? a : 1.0, c = a < 1.0 ? a : 1.0;
    return a < 1.0 ? lane_exp(-c) * fit_i0(c * c) : lane_i0_fallen(b);
}

LANE double lane_bessel_i1e(double x) {
    const double a = lane_abs(x), b = a > 1.0 ? a : 1.0, c = a < 1.0 ? a : 1.0;
    const double small = x * (lane_exp(-c) * fit_i1(c * c));
    return a < 1.0 ? small : lane_with_sign(lane_i1_fallen(b), x);
}

/* K: 2^-1020 < x < 700, e^x K to 2^1000 */
LANE double lane_bessel_k0(double x) {
    const double b = x > 1.0 ? x : 1.0, large = lane_exp(-b) * lane_k0_grown(b);
    return x < 1.0 ? lane_k0_small(x < 1.0 ? x : 1.0) : large;
}

LANE double lane_bessel_k1(double x) {
    const double b = x > 1.0 ? x : 1.0, large = lane_exp(-b) * lane_k1_grown(b);
    return x < 1.0 ? lane_k1_small(x < 1.0 ? x : 1.0) : large;
}

LANE double lane_bessel_k0e(double x) {
    const double c = x < 1.0 ? x : 1.0, small = lane_exp(c) * lane_k0_small(c);
    return x < 1.0 ? small : lane_k0_grown(x > 1.0 ? x : 1.0);
}

LANE double lane_bessel_k1e(double x) {
    const double c = x < 1.0 ? x : 1.0, small = lane_exp(c) * lane_k1_small(c);
    return x < 1.0 ? small : lane_k1_grown(x > 1.0 ? x : 1.0);
}

LANE_END

#endif
