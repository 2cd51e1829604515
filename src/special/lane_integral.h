/* lane_integral.h - exponential integrals for a lane: a power series beside the logarithm, then
 * tables of x e^x E1(x) and x e^-x Ei(x), then these as polynomials of 1 / x. */
#ifndef WEFT_SPECIAL_LANE_INTEGRAL_H
#define WEFT_SPECIAL_LANE_INTEGRAL_H

#include "fit_integral.h"
#include "lane_math.h"

LANE_BEGIN

/* 2^-1020 < x < 700 */
LANE double lane_e1(double x) {
    const double b = x > 1.0 ? x : 1.0, c = x < 1.0 ? x : 1.0, u = 1.0 / b;
    const double small = fit_e1(c) - lane_log(c);
    const double slow = x < 32.0 ? fit_e1_table(b) : fit_e1_tail(x > 32.0 ? u : 1.0 / 32.0);
    const double large = lane_exp(-b) * u * slow;
    return x < 1.0 ? small : large;
}

/* 2^-1020 < |x| < 700; Ei(x) = -E1(-x) for x < 0 */
LANE double lane_ei(double x) {
    const double a = lane_abs(x), b = x > 0.25 ? x : 0.25, c = x < 0.25 ? a : 0.25, u = 1.0 / b;
    const double small = fit_ei(c < 0.25 ? c : 0.25) + lane_log(c < 0.25 ? c : 0.25);
    const double slow = x < 64.0 ? fit_ei_table(b) : fit_ei_tail(x > 64.0 ? u : 1.0 / 64.0);
    const double up = x < 0.25 ? small : lane_exp(b) * u * slow;
    return x < 0.0 ? -lane_e1(x < 0.0 ? a : 1.0) : up;
}

LANE_END

#endif
