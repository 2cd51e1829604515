/* bench_special_truth.c - special functions once more, slowly, by definitions that the library does
 * not use: integrals by the trapezoidal rule, series, continued fractions, the differential equation,
 * and libm where it has them. Inverses are corrected by a step of Newton's from what was found. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* j0, y0 */
#endif
#include "bench_special.h"

#include <math.h>

static const double truth_pi = 3.14159265358979323846, truth_euler = 0.57721566490153286061;

/* What the C library has needs no definition of ours. */
#define TRUTH_LIBM(name, function)                                                                 \
    double special_truth_##name(double x, double found) {                                          \
        (void)found;                                                                               \
        return function(x);                                                                        \
    }
TRUTH_LIBM(gamma, tgamma)
TRUTH_LIBM(lgamma, lgamma)

double special_truth_digamma(double x, double found) {
    if (x <= 0) return special_truth_digamma(1 - x, found) - truth_pi / tan(truth_pi * x);
    double sum = 0;
    for (; x < 20; x++) sum -= 1 / x;
    const double z = 1 / (x * x);
    return sum + log(x) - 0.5 / x -
           z * (1 / 12.0 - z * (1 / 120.0 - z * (1 / 252.0 - z * (1 / 240.0 - z / 132))));
}

TRUTH_LIBM(erf, erf)
TRUTH_LIBM(erfc, erfc)

double special_truth_erfcx(double x, double found) {
    (void)found;
    if (x < 2) return exp(x * x) * erfc(x);
    double below = x;
    for (int k = 300; k > 0; k--) below = x + 0.5 * k / below;
    return 1 / (sqrt(truth_pi) * below);
}

double special_truth_erfinv(double x, double found) {
    return found - (erf(found) - x) * sqrt(truth_pi) / 2 * exp(found * found);
}

double special_truth_erfcinv(double x, double found) {
    return found + (erfc(found) - x) * sqrt(truth_pi) / 2 * exp(found * found);
}

TRUTH_LIBM(bessel_j0, j0)
TRUTH_LIBM(bessel_j1, j1)
TRUTH_LIBM(bessel_y0, y0)
TRUTH_LIBM(bessel_y1, y1)

/* e^-|x| I_n(x) = 1/pi times the integral of e^(x cos t - |x|) cos nt over half a turn. */
static double truth_in(int n, double x) {
    enum { PARTS = 400 };
    double sum = 0;
    for (int k = 0; k < PARTS; k++) {
        const double t = 2 * truth_pi * k / PARTS;
        sum += exp(x * cos(t) - fabs(x)) * cos(n * t) / PARTS;
    }
    return sum;
}

double special_truth_bessel_i0(double x, double found) {
    (void)found;
    return exp(fabs(x)) * truth_in(0, x);
}

double special_truth_bessel_i1e(double x, double found) {
    (void)found;
    return truth_in(1, x);
}

/* e^x K_n(x): the integral of e^(x - x cosh t) cosh nt over t > 0. */
static double truth_kn(double n, double x) {
    const double h = 1 / 64.0;
    double sum = 0.5;
    for (int k = 1; k < 1600; k++) sum += exp(x - x * cosh(k * h)) * cosh(n * k * h);
    return h * sum;
}

double special_truth_bessel_k0(double x, double found) {
    (void)found;
    return exp(-x) * truth_kn(0, x);
}

double special_truth_bessel_k1e(double x, double found) {
    (void)found;
    return truth_kn(1, x);
}

/* y and y' at x of y'' = x y, by Taylor series from 0 on in short steps. */
static void truth_airy(double x, double *y, double *slope) {
    enum { TERMS = 30 };
    const int steps = 1 + (int)(fabs(x) * 4);
    const double h = x / steps;
    for (int i = 0; i < steps; i++) {
        double a[TERMS + 3] = {*y, *slope};
        a[2] = i * h * a[0] / 2;
        for (int k = 1; k <= TERMS; k++) a[k + 2] = (i * h * a[k] + a[k - 1]) / ((k + 1) * (k + 2));
        double value = 0, rise = 0;
        for (int k = TERMS; k > 0; k--) value = value * h + a[k], rise = rise * h + k * a[k];
        *y = value * h + a[0];
        *slope = rise;
    }
}

double special_truth_airy_ai(double x, double found) {
    (void)found;
    const double z = 2 / 3.0 * x * sqrt(fabs(x));
    if (x > 1) return sqrt(x / 3) / truth_pi * exp(-z) * truth_kn(1 / 3.0, z);
    double y = 1 / (cbrt(9) * tgamma(2 / 3.0)), slope = -1 / (cbrt(3) * tgamma(1 / 3.0));
    truth_airy(x, &y, &slope);
    return y;
}

double special_truth_airy_bi_prime(double x, double found) {
    (void)found;
    double y = 1 / (pow(3, 1 / 6.0) * tgamma(2 / 3.0)), slope = pow(3, 1 / 6.0) / tgamma(1 / 3.0);
    truth_airy(x, &y, &slope);
    return slope;
}

/* Of x > 0, the integral; for small and negative x its series. */
double special_truth_ei(double x, double found) {
    if (x < -2) return -special_truth_e1(-x, found);
    double sum = 0, term = 1;
    for (int k = 1; k < 300; k++) sum += (term *= x / k) / k;
    return truth_euler + log(fabs(x)) + sum;
}

double special_truth_e1(double x, double found) {
    if (x <= 2) return -special_truth_ei(-x, found);
    double below = x;
    for (int k = 300; k > 0; k--) below = x + k / (1 + k / below);
    return exp(-x) / below;
}

double special_truth_lambert_w(double x, double found) {
    return found - (found * exp(found) - x) / (exp(found) * (1 + found));
}

/* Borwein's sum of alternating terms; below 1/2 by reflection. */
double special_truth_zeta(double x, double found) {
    enum { TERMS = 40 };
    if (x < 0.5)
        return pow(2 * truth_pi, x) / truth_pi * sin(truth_pi * x / 2) * tgamma(1 - x) *
               special_truth_zeta(1 - x, found);
    double part[TERMS + 1], term = 1.0 / TERMS, sum = 0;
    for (int k = 0; k <= TERMS; k++) {
        part[k] = TERMS * term + (k ? part[k - 1] : 0);
        term *= 4.0 * (TERMS + k) * (TERMS - k) / ((2.0 * k + 1) * (2.0 * k + 2));
    }
    for (int k = 0; k < TERMS; k++)
        sum += (k & 1 ? -1 : 1) * (part[k] - part[TERMS]) / pow(k + 1, x);
    return -sum / (part[TERMS] * (1 - pow(2, 1 - x)));
}

double special_truth_elliptic_k(double x, double found) {
    (void)found;
    double a = 1, g = sqrt(1 - x);
    for (int i = 0; i < 40; i++) {
        const double mean = (a + g) / 2;
        g = sqrt(a * g);
        a = mean;
    }
    return truth_pi / (2 * a);
}

/* Of 2.5 and x. */
double special_truth_gamma_p(double x, double found) {
    (void)found;
    double sum = 0, term = 1;
    for (int k = 1; k < 300; k++) sum += term, term *= x / (2.5 + k);
    return pow(x, 2.5) * exp(-x) / tgamma(3.5) * sum;
}

/* Of order 2.5, where it is made of sines. */
double special_truth_bessel_j(double x, double found) {
    (void)found;
    if (x > 2) return sqrt(2 / (truth_pi * x)) * ((3 / (x * x) - 1) * sin(x) - 3 / x * cos(x));
    double sum = 0, term = pow(x / 2, 2.5) / tgamma(3.5);
    for (int k = 1; k < 60; k++) sum += term, term *= -x * x / (4 * k * (2.5 + k));
    return sum;
}

#undef TRUTH_LIBM
