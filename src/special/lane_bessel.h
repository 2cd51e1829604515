/* lane_bessel.h - J and Y of orders 0 and 1 for a lane.
 *
 * Small arguments by power series (Y: beside its logarithm and pole), up to 8 by tables, which keep
 * the digits near the roots since a part's polynomial is nearly linear there, and from 8 on as a
 * wave: J = M cos(theta), Y = M sin(theta), whose modulus M and phase theta - x are smooth. */
#ifndef WEFT_SPECIAL_LANE_BESSEL_H
#define WEFT_SPECIAL_LANE_BESSEL_H

#include "fit_bessel.h"
#include "lane_math.h"

LANE_BEGIN

/* M(x) cos(x - pi/4 + phase(x) + turn pi/2) for 8 <= x < 2^20 */
LANE double lane_wave(double x, double modulus, double phase, uint64_t turn) {
    return FIT_SQRT_TWO_PER_PI / sqrt(x) * modulus * lane_cos_turned(x, phase / x, turn);
}

LANE double lane_bessel_j0(double x) {
    const double a = lane_abs(x), b = a > 8.0 ? a : 8.0, u = 1.0 / (b * b);
    const double small = fit_j0(a < 1.0 ? a * a : 1.0), table = fit_j0_table(a);
    const double wave = lane_wave(b, fit_modulus0(u), fit_phase0(u), 0);
    return a < 1.0 ? small : a < 8.0 ? table : wave;
}

LANE double lane_bessel_j1(double x) {
    const double a = lane_abs(x), b = a > 8.0 ? a : 8.0, u = 1.0 / (b * b);
    const double small = a * fit_j1(a < 1.0 ? a * a : 1.0), table = fit_j1_table(a);
    const double wave = lane_wave(b, fit_modulus1(u), fit_phase1(u), 3);
    const double size = a < 1.0 ? small : a < 8.0 ? table : wave;
    return lane_double(lane_bits(size) ^ (lane_bits(x) & 0x8000000000000000u));
}

/* Y: x > 2^-1020 */
LANE double lane_bessel_y0(double x) {
    const double b = x > 8.0 ? x : 8.0, u = 1.0 / (b * b), c = x < 0.5 ? x : 0.5, z = c * c;
    const double small = FIT_TWO_PER_PI * lane_log(c) * fit_j0(z) + fit_y0(z);
    const double table = fit_y0_table(x), wave = lane_wave(b, fit_modulus0(u), fit_phase0(u), 3);
    return x < 0.5 ? small : x < 8.0 ? table : wave;
}

LANE double lane_bessel_y1(double x) {
    const double b = x > 8.0 ? x : 8.0, u = 1.0 / (b * b), c = x < 0.5 ? x : 0.5, z = c * c;
    const double mixed = c * (FIT_TWO_PER_PI * lane_log(c) * fit_j1(z) + fit_y1(z));
    const double small = mixed - FIT_TWO_PER_PI / c;
    const double table = fit_y1_table(x), wave = lane_wave(b, fit_modulus1(u), fit_phase1(u), 2);
    return x < 0.5 ? small : x < 8.0 ? table : wave;
}

LANE_END

#endif
