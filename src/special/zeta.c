/* zeta.c - the zeta functions of Riemann and Hurwitz, and polygamma, which is Hurwitz's. */
#include "dd.h"
#include "fit_wide.h"
#include "fit_zeta.h"
#include "lane_gamma.h"

#include <weft/special.h>

enum { ZETA_COT = 100 }; /* orders for which x may be below 0 */

/* q^s times the sum over k >= 0 of (q + k)^-s, s > 1, q > 0, by Euler and Maclaurin: some terms,
 * the integral of the rest, and corrections by derivatives where it begins. */
static double zeta_scaled(double s, double q) {
    enum { TERMS = 12, CORRECTIONS = sizeof fit_maclaurin / sizeof *fit_maclaurin };
    double sum = 1;
    for (int k = 1; k < TERMS; k++) {
        const double term = exp(-s * log1p(k / q));
        sum += term;
        if (term * (1 + (q + k) / (s - 1)) < 1e-18 * sum) return sum; /* the rest is no more */
    }
    const double a = q + TERMS, last = exp(-s * log1p(TERMS / q));
    double factor = last * s / a, rest = last * 0.5;
    for (int i = 0; i < CORRECTIONS; i++) {
        rest += fit_maclaurin[i] * factor;
        factor *= (s + 2 * i + 1) / a * ((s + 2 * i + 2) / a);
    }
    return sum + rest + last * a / (s - 1);
}

double weft_special_hurwitz(double s, double q) {
    if (!(s > 1) || !(q > 0)) return s == 1 && q > 0 ? INFINITY : NAN;
    if (isinf(q)) return 0;
    if (isinf(s)) return q < 1 ? INFINITY : q == 1 ? 1 : 0;
    if (q < 0x1p-1000) return pow(q, -s);
    if (q > 0x1p900) return pow(q, 1 - s) / (s - 1);           /* the integral */
    if (q > 1) return pow(q, 1 - s) * (zeta_scaled(s, q) / q); /* the sum itself is about q */
    return pow(q, -s) * zeta_scaled(s, q);
}

/* Below 0: 2 (2 pi)^-t cos(pi t / 2) Gamma(t) zeta(t) with t = 1 - s, the cosine being a sine of s.
 * The powers nearly cancel between two roots, hence two doubles. */
static double zeta_reflected(double s) {
    static const dd log_2pi = {0x1.d67f1c864beb5p+0, -0x1.65b5a1b7ff5dfp-54};
    const dd t = dd_sum(1, -s);
    const double r = fmod(s, 4), n = nearbyint(0.5 * r);
    const double sine = (fmod(n, 2) == 0 ? 1 : -1) * lane_sinpi(0.5 * r - n);
    if (sine == 0) return 0;
    const dd power = dd_sub(dd_lgamma(t), dd_mul(t, log_2pi));
    return dd_grown(power, dd_of(2 * sine * zeta_scaled(t.h, 1)), 0);
}

double weft_special_zeta(double s) {
    if (isnan(s) || s == -INFINITY) return NAN;
    if (s == 1) return INFINITY;
    if (s < -1)
        return s < -300 ? fmod(s, 2) == 0 ? 0 : INFINITY * (fmod(floor(0.5 * s), 2) == 0 ? 1 : -1)
                        : zeta_reflected(s);
    return s < 1 ? fit_zeta(s) / (s - 1) : s < 60 ? zeta_scaled(s, 1) : 1;
}

/* ---- polygamma ---- */

/* The n-th derivative of cot at a place where it is c > 0, without its sign: polynomials with
 * positive coefficients, each (1 + c^2) times the derivative of the one before. */
static double zeta_cot(int n, double c) {
    double a[ZETA_COT + 3] = {0, 1}, b[ZETA_COT + 3] = {0};
    for (int k = 0; k < n; k++) {
        for (int i = 0; i <= k + 2; i++) b[i] = 0;
        for (int i = 1; i <= k + 1; i++) b[i - 1] += i * a[i], b[i + 1] += i * a[i];
        for (int i = 0; i <= k + 2; i++) a[i] = b[i];
    }
    double v = 0;
    for (int i = n + 1; i >= 0; i--) v = v * c + a[i];
    return v;
}

/* |psi_n(x)| for n >= 1, x > 0: n! zeta(n + 1, x) */
static double zeta_polygamma(double n, double x) {
    const dd power = dd_mul_d(dd_log(dd_of(x)), n + 1);
    return dd_grown(dd_sub(dd_lgamma(dd_of(n + 1)), power), dd_of(zeta_scaled(n + 1, x)), 0);
}

double weft_special_polygamma(double n, double x) {
    if (!(n >= 0) || n != floor(n) || isinf(n) || isnan(x)) return NAN;
    if (n == 0) return weft_special_digamma(x);
    const double odd = fmod(n, 2) == 1 ? 1 : -1; /* the sign for x > 0 */
    if (isinf(x)) return x > 0 ? 0 * odd : NAN;
    if (x > 0) return odd * zeta_polygamma(n, x);
    if (x == floor(x)) return odd > 0 ? INFINITY : NAN;
    if (n > ZETA_COT) return NAN;
    /* psi_n(x) = (-1)^n psi_n(1 - x) - pi d^n/dx^n cot(pi x) */
    const double r = x - nearbyint(x), c = lane_cospi(r) / lane_sinpi(r);
    const double slope = pow(FIT_PI, n + 1) * zeta_cot((int)n, fabs(c));
    const double turned = odd > 0 || c > 0 ? 1 : -1; /* its parity is that of n + 1 */
    const double up = zeta_polygamma(n, 1 - x);      /* (-1)^n psi_n(1 - x) = -up */
    return odd * turned * slope - up;
}
