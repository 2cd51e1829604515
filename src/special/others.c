/* others.c - Lambert's W, complete elliptic integrals, and two that only mind their edges. */
#include "dd.h"
#include "fit_lambert.h"

#include <weft/special.h>

/* ---- Lambert's W: w e^w = x ---- */

/* e x + 1, in full though it nearly cancels next to the branch point -1/e; above 1, just large */
static double others_above(double x) {
    if (x > 1) return x;
    const dd e = {0x1.5bf0a8b145769p+1, 0x1.4d57ee2b1013ap-53};
    return dd_value(dd_add_d(dd_mul_d(e, x), 1));
}

/* Steps that triple the digits: with z = ln(x / w) - w, which vanishes at the solution. */
static double others_improve(double x, double w, int steps) {
    for (int i = 0; i < steps; i++) {
        const double ratio = fabs(x) > 1e-290 ? log(x / w) : log(fabs(x)) - log(fabs(w));
        const double z = ratio - w, a = 2 * (1 + w) * (1 + w + 2.0 / 3.0 * z);
        w *= 1 + z / (1 + w) * (a - z) / (a - 2 * z);
    }
    return w;
}

double weft_special_lambert_w(double x) {
    if (x == 0 || x == INFINITY) return x;
    const double above = others_above(x);
    if (!(above >= 0)) return NAN;
    if (above < 0.1) return fit_lambert(sqrt(2 * above)); /* around the branch point */
    if (fabs(x) < 1e-5) return x * (1 - x * (1 - 1.5 * x * (1 - 16.0 / 9.0 * x)));
    if (x < 1) return others_improve(x, x / (1 + x * (x < 0 ? 1.6 : 0.8)), 4);
    const double l = log(x), guess = x < 3 ? 0.3 + 0.4 * l + 0.2 * x : l - log(l);
    return others_improve(x, guess, 4);
}

double weft_special_lambert_wm1(double x) {
    if (x == 0) return -INFINITY;
    const double above = others_above(x);
    if (!(above >= 0) || x > 0) return NAN;
    if (above < 0.1) return fit_lambert(-sqrt(2 * above));
    const double l = log(-x), guess = x < -0.1 ? -1 - sqrt(2 * above) - 0.6 * above : l - log(-l);
    return others_improve(x, guess, 4);
}

/* ---- complete elliptic integrals, by the arithmetic-geometric mean ---- */

typedef struct others_mean {
    dd mean, rest; /* rest: E / K */
} others_mean;

static others_mean others_agm(double m) {
    dd a = dd_of(1), b = dd_sqrt(dd_sum(1, -m)), sum = dd_of(0.5 * m);
    double weight = 1;
    for (int i = 0; i < 40; i++) {
        const dd c = dd_scale(dd_sub(a, b), 0.5), mean = dd_scale(dd_add(a, b), 0.5);
        b = dd_sqrt(dd_mul(a, b));
        a = mean;
        sum = dd_add(sum, dd_scale(dd_mul(c, c), weight));
        weight *= 2;
        if (fabs(c.h) < 1e-16 * a.h) break;
    }
    return (others_mean){a, dd_sub(dd_of(1), sum)};
}

double weft_special_elliptic_k(double m) {
    if (!(m < 1)) return m == 1 ? INFINITY : NAN;
    if (isinf(m)) return 0;
    return dd_value(dd_div(dd_scale(dd_pi, 0.5), others_agm(m).mean));
}

double weft_special_elliptic_e(double m) {
    if (!(m < 1)) return m == 1 ? 1 : NAN;
    if (m < -1e35) return sqrt(-m); /* the next term is ln(-m) / -m of it */
    const others_mean o = others_agm(m);
    return dd_value(dd_mul(dd_div(dd_scale(dd_pi, 0.5), o.mean), o.rest));
}

/* ---- logarithms of sums and products ---- */

double weft_special_xlogy(double x, double y) {
    return x == 0 && !isnan(y) ? 0 : x * log(y);
}

double weft_special_logsumexp(int64_t n, const double *x) {
    double most = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        if (isnan(x[i])) return x[i];
        most = x[i] > most ? x[i] : most;
    }
    if (isinf(most)) return most;
    for (int64_t i = 0; i < n; i++) sum += exp(x[i] - most);
    return most + log(sum);
}
