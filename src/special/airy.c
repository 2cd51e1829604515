/* airy.c - the edges of the Airy functions: far above 0, where they overflow or vanish, and far
 * below, where only the mathematics library can reduce the argument of the wave. */
#include "edges.h"
#include "lane_airy.h"

static lane_pair airy_zeta(double a) {
    const lane_pair far = {a < 1e200 ? 2.0 / 3.0 * a * sqrt(a) : 1e300, 0.0};
    return a < 1e100 ? lane_airy_zeta(a) : far;
}

/* cos(zeta - pi/4 + phase + turn pi/2) / sqrt(pi) */
static double airy_wave(lane_pair zeta, double phase, int turn) {
    const double more = zeta.low + phase / zeta.high + turn * 1.5707963267948966;
    const double shift = 0.78539816339744831 - more;
    return FIT_PER_SQRT_PI * (cos(zeta.high) * cos(shift) + sin(zeta.high) * sin(shift));
}

/* y e^(sign zeta), y being the slow part for x >= 16 */
static double airy_grown(double y, double zeta, int sign) {
    const double half = exp(0.5 * sign * zeta);
    return y * half * half;
}

#define AIRY_EDGE(name, word, sign, wave, turn, power, below)                                      \
    double edge_##name(double x) {                                                                 \
        if (isnan(x)) return x;                                                                    \
        if (isinf(x)) return x > 0 ? (sign) > 0 ? INFINITY : 0.0 : below;                          \
        const double a = fabs(x), fourth = sqrt(sqrt(a));                                          \
        const lane_pair zeta = airy_zeta(a);                                                       \
        if (x < 0) return airy_wave(zeta, fit_airy_phase##wave(0.0), turn) power fourth;           \
        if (x > 1000) return (sign) > 0 ? INFINITY : 0.0;                                          \
        return airy_grown(fit_##word##_tail(1.0 / zeta.high) power fourth, zeta.high, sign);       \
    }
AIRY_EDGE(airy_ai, ai, -1, , 0, /, 0.0)
AIRY_EDGE(airy_bi, bi, 1, , 1, /, 0.0)
AIRY_EDGE(airy_ai_prime, aip, -1, _prime, -1, *, NAN)
AIRY_EDGE(airy_bi_prime, bip, 1, _prime, 0, *, NAN)
