/* lane_erf.h - error functions and their inverses for a lane.
 *
 * erf is odd and nearly linear below 1; from 1/2 on everything goes through erfcx(x) =
 * e^(x^2) erfc(x), which falls as slowly as 1/x and is a polynomial of 1 / (x + 5/2). */
#ifndef WEFT_SPECIAL_LANE_ERF_H
#define WEFT_SPECIAL_LANE_ERF_H

#include "fit_erf.h"
#include "lane_math.h"

LANE_BEGIN

/* x >= 1/2 */
LANE double lane_erfcx_large(double x) {
    const double q = 1.0 / (x + FIT_ERFCX_SHIFT);
    return q * fit_erfcx(q);
}

/* e^(-x^2), the square with its error; |x| < 27 */
LANE double lane_gauss(double x) {
    const lane_pair square = lane_product(x, x);
    return lane_exp_pair(-square.high, -square.low);
}

/* |x| < 27 */
LANE double lane_erf(double x) {
    const double a = lane_abs(x), b = a < 6.0 ? a : 6.0, q = 1.0 / (b + FIT_ERFCX_SHIFT);
    const double small = x * fit_erf(a < 1.0 ? x * x : 1.0);
    const double large = 1.0 - lane_exp(-b * b) * (q * fit_erf_tail(q - 0.203125));
    return a < 1.0 ? small : lane_with_sign(large, x);
}

/* -6 < x < 26.6 */
LANE double lane_erfc(double x) {
    const double a = lane_abs(x), b = a > 0.5 ? a : 0.5;
    const double small = 1.0 - x * fit_erf(a < 1.0 ? x * x : 1.0);
    const double tail = lane_gauss(b) * lane_erfcx_large(b);
    const double large = x < 0.0 ? 2.0 - tail : tail;
    return a < 0.5 ? small : large;
}

/* -26 < x < 2^500; for x < 0 it is 2 e^(x^2) - erfcx(-x) */
LANE double lane_erfcx(double x) {
    const double a = lane_abs(x), b = a > 0.5 ? a : 0.5, c = x < 0.5 ? x : 0.5;
    const lane_pair square = lane_product(c, c);
    const double grown = lane_exp_pair(square.high, square.low);
    const double up = lane_erfcx_large(b);
    const double small = grown * (1.0 - c * fit_erf(a < 0.5 ? c * c : 0.25));
    return a < 0.5 ? small : x < 0.0 ? 2.0 * grown - up : up;
}

/* x with erfc(x) = q, normal q <= 1/2 */
LANE double lane_erfcinv_tail(double q) {
    return fit_erfcinv(sqrt(-lane_log(q)));
}

/* -1 < p < 1 */
LANE double lane_erfinv(double p) {
    const double a = lane_abs(p), q = 1.0 - a;
    const double small = p * fit_erfinv(a < 0.5 ? p * p : 0.25);
    return a < 0.5 ? small : lane_with_sign(lane_erfcinv_tail(q < 0.5 ? q : 0.5), p);
}

/* 2^-1022 <= q < 2 */
LANE double lane_erfcinv(double q) {
    const double p = 1.0 - q, a = lane_abs(p), b = q < 1.0 ? q : 2.0 - q;
    const double small = p * fit_erfinv(a < 0.5 ? p * p : 0.25);
    return a < 0.5 ? small : lane_with_sign(lane_erfcinv_tail(b < 0.5 ? b : 0.5), p);
}

LANE_END

#endif
