/* lane_math.h - logarithm, exponential and circle functions of a lane, where the special functions
 * need more than a rounded result: sums of two doubles go in and come out. */
#ifndef WEFT_SPECIAL_LANE_MATH_H
#define WEFT_SPECIAL_LANE_MATH_H

#include "fit_elementary.h"

LANE_BEGIN

/* A number as high + low, low no more than a few ulps of high. */
typedef struct lane_pair {
    double high, low;
} lane_pair;

/* |a| >= |b| or a = 0 */
LANE lane_pair lane_sum(double a, double b) {
    const double s = a + b;
    return (lane_pair){s, (a - s) + b};
}

/* The product with its error, the factors cut so that nothing is lost. The high part is a sum, not
 * a * b, which a caller's sum might swallow whole. */
LANE lane_pair lane_product(double a, double b) {
    const double ah = lane_short(a), al = a - ah, bh = lane_short(b), bl = b - bh;
    const double cross = ah * bl + al * bh, high = ah * bh + cross;
    return (lane_pair){high, ((ah * bh - high) + cross) + al * bl};
}

/* ln x to some 2^-62, for normal x > 0. x = 2^e m with m around 1; ln m = 2 atanh(s) with
 * s = (m - 1) / (m + 1), whose own error is found and added. */
LANE lane_pair lane_log_pair(double x) {
    const uint64_t u = lane_bits(x) - 0x3fe6a09e667f3bcdu; /* sqrt(1/2) becomes exponent 0 */
    const uint64_t biased = (u >> 52) + (u >> 63 ? 0xfffffffffffff000u : 0);
    const double m = lane_double((u & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu);
    /* a 12-bit integer to double without a conversion, which narrow vectors lack */
    const double e = lane_double(biased + lane_bits(LANE_MAGIC)) - LANE_MAGIC;
    const double f = m - 1.0, per = 1.0 / (2.0 + f);
    const double s = lane_short(f * per), fh = lane_short(f), fl = f - fh;
    const double rest = (((f - 2.0 * s) - s * fh) - s * fl) * per, z = f * per * (f * per);
    const lane_pair head = lane_sum(e * FIT_LN2_1, 2.0 * s);
    const double tail = 2.0 * rest + f * per * z * fit_atanh(z);
    return lane_sum(head.high, head.low + (e * FIT_LN2_2 + tail));
}

LANE double lane_log(double x) {
    const lane_pair l = lane_log_pair(x);
    return l.high + l.low;
}

/* e^(high + low), for high from -745 to 710; results may be subnormal or infinite. */
LANE double lane_exp_pair(double high, double low) {
    const double n = lane_round(high * FIT_PER_LN2), half = lane_round(0.5 * n);
    const double r = ((high - n * FIT_LN2_1) - n * FIT_LN2_2) + low;
    const double p = 1.0 + (r + r * r * fit_exp(r));
    const uint64_t first = lane_bits(half + LANE_MAGIC) << 52;
    const uint64_t second = lane_bits((n - half) + LANE_MAGIC) << 52;
    const uint64_t one = 0x3ff0000000000000u;
    return p * lane_double(first + one) * lane_double(second + one);
}

LANE double lane_exp(double x) {
    return lane_exp_pair(x, 0.0);
}

/* sin(pi r) and cos(pi r) for |r| <= 1/2 */
LANE double lane_sinpi(double r) {
    return r * fit_sinpi(r * r);
}

LANE double lane_cospi(double r) {
    return lane_sinpi(0.5 - lane_abs(r));
}

/* cos of x - (n + 1/2) pi/2 + more and its like: x >= 0 is less than 2^20, or a float less than 2^24;
 * |more| < 0.04. `turn` counts quarters of a circle, so that 0 gives cos(x - pi/4 + more) and 3 the
 * sine of it. */
LANE double lane_cos_turned(double x, double more, uint64_t turn) {
    const double whole = x * FIT_PER_HALF_PI - 0.5 + LANE_MAGIC, n = (whole - LANE_MAGIC) + 0.5;
    const uint64_t quarter = lane_bits(whole) + turn;
    const double near = x - n * FIT_HALF_PI_1, w = n * FIT_HALF_PI_2, high = near - w;
    const double low = ((near - high) - w) - n * FIT_HALF_PI_3 + more;
    const lane_pair r = lane_sum(high, low), back = lane_sum(low, high);
    const double a = r.high, z = a * a;
    const double b = lane_abs(high) > lane_abs(low) ? r.low : back.low;
    const double sine = a + (b + a * z * fit_sin(z) - 0.5 * z * b);
    const double cosine = 1.0 - (0.5 * z - (z * z * fit_cos(z) - a * b));
    const double size = quarter & 1 ? sine : cosine;
    return lane_double(lane_bits(size) ^ ((quarter + (quarter & 1)) & 2) << 62);
}

LANE_END

#endif
