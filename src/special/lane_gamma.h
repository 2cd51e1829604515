/* lane_gamma.h - Gamma, its logarithm and digamma for a lane.
 *
 * Below 8 polynomials, from 8 on Stirling's series, below 0 reflection. */
#ifndef WEFT_SPECIAL_LANE_GAMMA_H
#define WEFT_SPECIAL_LANE_GAMMA_H

#include "fit_gamma.h"
#include "lane_math.h"

LANE_BEGIN

/* Gamma(x) for x >= 8: sqrt(2 pi) e^((x - 1/2) ln x - x + series). The power is a pair, since its
 * absolute error is the relative error of the result. */
LANE double lane_gamma_large(double x) {
    const lane_pair l = lane_log_pair(x), p = lane_product(x - 0.5, l.high);
    const lane_pair near = lane_sum(p.high, -x), power = lane_sum(near.high, FIT_HALF_LOG_2PI);
    const double u = 1.0 / x;
    const double low = (near.low + power.low) + (p.low + (x - 0.5) * l.low);
    return lane_exp_pair(power.high, low + u * fit_stirling(u * u));
}

/* Gamma(a) for 1 <= a < 8, Gamma(a + 1) for 0 <= a < 1, from Gamma between 2 and 3 and at most five
 * factors, whose errors are less than the function's condition. */
LANE double lane_gamma_small(double a) {
    const double near = lane_round(a), whole = near > a ? near - 1.0 : near;
    const double p = fit_gamma((a - whole) - 0.5);
    const double first = (a < 3.0 ? 1.0 : a - 1.0) * (a < 4.0 ? 1.0 : a - 2.0);
    const double second = (a < 5.0 ? 1.0 : a - 3.0) * (a < 6.0 ? 1.0 : a - 4.0);
    const double below = a < 1.0 ? 1.0 + a : a < 2.0 ? a : 1.0;
    return p * (first * second * (a < 7.0 ? 1.0 : a - 5.0)) / below;
}

/* -170 <= x <= 171.6, |x| > 2^-1000; NaN at -1, -2, ...
 * Gamma(-a) = -pi / (sin(pi a) a Gamma(a)). */
LANE double lane_gamma(double x) {
    const double a = lane_abs(x);
    const double small = lane_gamma_small(a < 8.0 ? a : 1.0);
    const double large = lane_gamma_large(a > 8.0 ? a : 8.0);
    const double g = a < 8.0 ? small : large;
    const double n = lane_round(a), s = lane_sinpi(a - n);
    const double sine = lane_double(lane_bits(s) ^ lane_bits(n + LANE_MAGIC) << 63);
    const double below = x < 0.0 ? sine * (a < 1.0 ? g : a * g) : a < 1.0 ? a : 1.0;
    const double y = (x < 0.0 ? -FIT_PI : g) / below;
    return x < 0.0 && s == 0.0 ? NAN : y;
}

/* ln Gamma(a) for a >= 2^-1021 */
LANE double lane_lgamma_positive(double a) {
    const double b = a < 0.5 ? a + 1.0 : a;
    const double table = (b - 1.0) * (b - 2.0) * fit_lgamma(b);
    const lane_pair l = lane_log_pair(a);
    const double c = a > 8.0 ? a : 8.0, u = 1.0 / c;
    const double series = FIT_HALF_LOG_2PI + u * fit_stirling(u * u);
    const double large = (c - 0.5) * ((l.high - 1.0) + l.low) + (series - 0.5);
    const double small = a < 0.5 ? table - (l.high + l.low) : table;
    return a < 8.0 ? small : large;
}

/* ln |Gamma(x)| for |x| >= 2^-1021, -2^51 <= x <= 2^1014; infinite at -1, -2, ... */
LANE double lane_lgamma(double x) {
    const double a = lane_abs(x), up = lane_lgamma_positive(a);
    const double sine = lane_abs(lane_sinpi(a - lane_round(a)));
    const double down = FIT_LOG_PI - lane_log(sine > 0.0 ? sine * a : 1.0) - up;
    const double turned = sine == 0.0 ? INFINITY : down;
    const double y = x < -0x1p-60 ? turned : up; /* even, as far as doubles can tell, next to 0 */
    const double dip = x + 2.609375, close = fit_lgamma_dip(lane_abs(dip) < 0.04 ? dip : 0.0);
    return lane_abs(dip) < 0.04 ? close : y;
}

/* Digamma for -2^51 <= x <= 2^1000, |x| >= 2^-1020; NaN at -1, -2, ... */
LANE double lane_digamma(double x) {
    const double a = lane_abs(x), b = a < 1.0 ? a + 1.0 : a, per = 1.0 / a;
    const double small = ((b - FIT_DIGAMMA_ROOT_1) - FIT_DIGAMMA_ROOT_2) * fit_digamma(b);
    const double c = a > 8.0 ? a : 8.0, u = 1.0 / c;
    const double large = lane_log(c) - (0.5 * u + u * u * fit_digamma_tail(u * u));
    const double table = a < 8.0 ? small : large;
    const double up = a < 1.0 && x > 0.0 ? table - per : table;
    /* for x < 0: digamma(-a) = digamma(a) + 1/a + pi cot(pi a), and up has 1/a already below 1 */
    const double r = a - lane_round(a);
    const double cotangent = FIT_PI * lane_with_sign(lane_cospi(r), r) / lane_abs(lane_sinpi(r));
    const double down = (a < 1.0 ? table : table + per) + cotangent;
    return x < 0.0 ? r == 0.0 ? NAN : down : up;
}

LANE_END

#endif
