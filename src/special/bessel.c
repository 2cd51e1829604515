/* bessel.c - the edges of the Bessel functions of orders 0 and 1, the modified ones among them. */
#include "edges.h"
#include "lane_bessel.h"
#include "lane_modified.h"

#define BESSEL_EULER 0.57721566490153286

/* sqrt(2 / (pi x)) cos(x - pi/4 + turn pi/2 + more / x) for x >= 2^20, where more than the first
 * term of the phase is not needed, and the mathematics library must reduce x. */
static double bessel_wave(double x, double more, int turn) {
    if (isinf(x)) return 0.0;
    const double shift = 0.78539816339744831 - more / x - turn * 1.5707963267948966;
    return sqrt(FIT_TWO_PER_PI / x) * (cos(x) * cos(shift) + sin(x) * sin(shift));
}

double edge_bessel_j0(double x) {
    return isnan(x) ? x : bessel_wave(fabs(x), -0.125, 0);
}

double edge_bessel_j1(double x) {
    const double y = bessel_wave(fabs(x), 0.375, -1);
    return isnan(x) ? x : x < 0 ? -y : y;
}

double edge_bessel_y0(double x) {
    if (x == 0) return -INFINITY;
    if (!(x > 0)) return NAN;
    if (x < 1) return FIT_TWO_PER_PI * (log(x) - (0.69314718055994531 - BESSEL_EULER));
    return bessel_wave(x, -0.125, -1);
}

double edge_bessel_y1(double x) {
    if (x == 0) return -INFINITY;
    if (!(x > 0)) return NAN;
    return x < 1 ? -FIT_TWO_PER_PI / x : bessel_wave(x, 0.375, -2);
}

/* e^x in two steps, so that it may overflow or underflow only with the result */
static double bessel_grown(double y, double x) {
    const double half = exp(0.5 * x);
    return y * half * half;
}

double edge_bessel_i0(double x) {
    return isfinite(x) ? bessel_grown(lane_i0_fallen(fabs(x)), fabs(x)) : fabs(x);
}

double edge_bessel_i1(double x) {
    return isfinite(x) ? copysign(bessel_grown(lane_i1_fallen(fabs(x)), fabs(x)), x) : x;
}

double edge_bessel_i0e(double x) {
    return 0.3989422804014327 / sqrt(fabs(x)); /* 1 / sqrt(2 pi) */
}

double edge_bessel_i1e(double x) {
    return isnan(x) ? x : copysign(edge_bessel_i0e(x), x);
}

double edge_bessel_k0e(double x) {
    if (x == 0) return INFINITY;
    if (!(x > 0)) return NAN;
    if (x < 1) return (0.69314718055994531 - BESSEL_EULER) - log(x);
    return 1.2533141373155003 / sqrt(x); /* sqrt(pi / 2) */
}

double edge_bessel_k0(double x) {
    return x >= 1 ? x < 1000 ? bessel_grown(lane_k0_grown(x), -x) : 0.0 : edge_bessel_k0e(x);
}

double edge_bessel_k1e(double x) {
    if (x == 0) return INFINITY;
    if (!(x > 0)) return NAN;
    return x < 1 ? 1.0 / x : 1.2533141373155003 / sqrt(x);
}

double edge_bessel_k1(double x) {
    return x >= 1 ? x < 1000 ? bessel_grown(lane_k1_grown(x), -x) : 0.0 : edge_bessel_k1e(x);
}
