/* incomplete.c - the incomplete gamma function, regularised, and its inverses.
 *
 * A power series below the maximum of its integrand, a continued fraction above, for small or large
 * a in two doubles, so that the complement of what is computed has its digits too; and for larger a
 * near the maximum Temme's expansion, which is a normal distribution with corrections. The inverses are
 * Newton's method on the logarithm of the smaller tail. */
#include "dd.h"
#include "fit_wide.h"

#include <weft/special.h>

typedef struct incomplete_tails {
    dd p, q;
} incomplete_tails;

enum { INCOMPLETE_STEPS = 100000 };
#define INCOMPLETE_LARGE 200.0 /* from here on Temme's eight terms have 17 digits */

static incomplete_tails incomplete_of_p(dd p) {
    return (incomplete_tails){p, dd_sub(dd_of(1), p)};
}

static incomplete_tails incomplete_of_q(dd q) {
    return (incomplete_tails){dd_sub(dd_of(1), q), q};
}

/* x^a e^-x / Gamma(a + 1) */
static dd incomplete_front(double a, double x) {
    const dd power = dd_sub(dd_mul_d(dd_log(dd_of(x)), a), dd_of(x));
    return dd_exp(dd_sub(power, dd_lgamma(dd_sum(a, 1))));
}

/* ---- in double, for a from 1 to 60, where no tail loses more than a digit ---- */

static bool incomplete_plain(double a, double x) {
    return a >= 1 && a <= 60 && x < 500;
}

static double incomplete_plain_front(double a, double x) {
    return pow(x, a) * exp(-x) / (a * weft_special_gamma(a)); /* a + 1 would be rounded */
}

/* The series and the fraction below, see there. */
static incomplete_tails incomplete_plain_both(double a, double x) {
    const double front = incomplete_plain_front(a, x);
    if (x <= a + 1) {
        double term = 1, sum = 1;
        for (int i = 1; term > 1e-17 * sum; i++) {
            term *= x / (a + i);
            sum += term;
        }
        return incomplete_of_p(dd_of(front * sum));
    }
    double b = x + 1 - a, c = 1e300, d = 1 / b, f = d, step = 0;
    for (int i = 1; fabs(step - 1) > 1e-16 && i < INCOMPLETE_STEPS; i++) {
        const double top = i * (a - i);
        b += 2;
        d = 1 / (top * d + b);
        c = b + top / c;
        step = c * d;
        f *= step;
    }
    return incomplete_of_q(dd_of(front * a * f));
}

/* ---- in two doubles ---- */

/* P = front (1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ...) */
static dd incomplete_series(double a, double x) {
    dd term = dd_of(1), sum = dd_of(1);
    for (int i = 1; i < INCOMPLETE_STEPS && term.h > 1e-33 * sum.h; i++) {
        term = dd_div(dd_mul_d(term, x), dd_sum(a, i));
        sum = dd_add(sum, term);
    }
    return dd_mul(incomplete_front(a, x), sum);
}

/* Q = front a / (x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / (x + 5 - a - ...))), by Lentz's
 * method: numerators and denominators enter as quotients of neighbours. */
static dd incomplete_fraction(double a, double x) {
    dd b = dd_add_d(dd_sum(x, -a), 1), c = dd_of(1e300), d = dd_div(dd_of(1), b), f = d;
    for (int i = 1; i < INCOMPLETE_STEPS; i++) {
        const dd top = dd_mul_d(dd_sum(a, -i), i);
        b = dd_add_d(b, 2);
        d = dd_add(dd_mul(top, d), b);
        if (d.h == 0) d = dd_of(1e-300);
        c = dd_add(b, dd_div(top, c));
        if (c.h == 0) c = dd_of(1e-300);
        d = dd_div(dd_of(1), d);
        const dd step = dd_mul(c, d);
        f = dd_mul(f, step);
        if (fabs((step.h - 1) + step.l) < 1e-31) break;
    }
    return dd_mul_d(dd_mul(incomplete_front(a, x), f), a);
}

/* Half of erfc and the correction, both without e^(-a eta^2 / 2), which is the smaller tail's size
 * and therefore needs an exact exponent. */
static incomplete_tails incomplete_temme(double a, double x) {
    const dd mu = dd_div_d(dd_sum(x, -a), a);
    const dd half = dd_sub(mu, dd_log1p(mu)), y = dd_mul_d(half, a);
    const double eta = copysign(sqrt(2 * half.h), mu.h);
    double sum = 0;
    const int rows = sizeof fit_temme / sizeof *fit_temme;
    const int columns = sizeof *fit_temme / sizeof **fit_temme;
    for (int k = rows - 1; k >= 0; k--) {
        double c = 0;
        for (int i = columns - 1; i >= 0; i--) c = c * eta + fit_temme[k][i];
        sum = sum / a + c;
    }
    const double more = sum / sqrt(2 * dd_pi.h * a), bell = 0.5 * weft_special_erfcx(sqrt(y.h));
    const dd tail = dd_mul_d(dd_exp(dd_neg(y)), mu.h > 0 ? bell + more : bell - more);
    return mu.h > 0 ? incomplete_of_q(tail) : incomplete_of_p(tail);
}

/* a > 0, 0 < x < infinity */
static incomplete_tails incomplete_both(double a, double x) {
    if (x > 1e280 || a > 1e280) return incomplete_of_p(dd_of(x < a ? 0 : x > a ? 1 : 0.5));
    if (incomplete_plain(a, x)) return incomplete_plain_both(a, x);
    if (a < 1e-15) return incomplete_of_q(dd_of(a * weft_special_e1(x)));
    if (a >= INCOMPLETE_LARGE && x > 0.4 * a && x < 2 * a) return incomplete_temme(a, x);
    if (x > 1.5 && x > a + 1) return incomplete_of_q(incomplete_fraction(a, x));
    return incomplete_of_p(incomplete_series(a, x));
}

static bool incomplete_outside(double a, double x) {
    return !(a > 0) || !(x >= 0) || isinf(a);
}

double weft_special_gamma_p(double a, double x) {
    if (incomplete_outside(a, x)) return NAN;
    return x == 0 ? 0 : isinf(x) ? 1 : dd_value(incomplete_both(a, x).p);
}

double weft_special_gamma_q(double a, double x) {
    if (incomplete_outside(a, x)) return NAN;
    return x == 0 ? 1 : isinf(x) ? 0 : dd_value(incomplete_both(a, x).q);
}

/* ---- inverses ---- */

/* Where to begin: for small tails on the left P is nearly x^a / Gamma(a + 1), elsewhere a power of
 * x is nearly normal. */
static double incomplete_guess(double a, dd p, dd q) {
    const double left = (log(p.h) + weft_special_lgamma(a + 1)) / a;
    if (left < -0.5 || a < 0.5) {
        if (q.h < 0.3 * a) return fmax(-log(q.h / a), 0.1);
        return exp(fmax(left, -744));
    }
    const double z = p.h < q.h ? -1.4142135623730951 * weft_special_erfcinv(2 * p.h)
                               : 1.4142135623730951 * weft_special_erfcinv(2 * q.h);
    const double root = 1 - 1 / (9 * a) + z / (3 * sqrt(a));
    return root > 0.1 ? a * root * root * root : exp(left);
}

/* p + q = 1, both above 0. The logarithm of a tail is a concave function of ln x, so the method
 * converges from wherever it starts; a step of ln x is held to a factor e. */
static double incomplete_inverse(double a, dd p, dd q) {
    const bool lower = p.h <= q.h;
    const dd want = lower ? p : q;
    double x = incomplete_guess(a, p, q), low = 0, high = INFINITY;
    for (int i = 0; i < 200; i++) {
        if (x < 0x1p-1022) return x;
        const incomplete_tails t = incomplete_both(a, x);
        const dd have = lower ? t.p : t.q, excess = dd_div(dd_sub(have, want), want);
        const bool above = (excess.h > 0) == lower; /* x is too large */
        if (above) high = x;
        else low = x;
        /* d ln tail / d ln x = +- x^a e^-x / Gamma(a) / tail */
        const double front = incomplete_plain(a, x) ? incomplete_plain_front(a, x)
                                                    : dd_value(incomplete_front(a, x));
        const double slope = a * front / have.h;
        double step = (lower ? 1 : -1) * log1p(fmax(excess.h, -1 + 1e-16)) / slope;
        if (!(fabs(step) < 1)) step = above ? 1 : -1;
        double next = fabs(step) < 1e-3 ? x - x * (step - 0.5 * step * step) : x * exp(-step);
        if (fabs(step) < 1e-9) return next; /* the error is the square of the step */
        if (!(next > low && next < high)) next = isinf(high) ? 2 * x : 0.5 * (low + high);
        x = next;
    }
    return x;
}

double weft_special_gamma_p_inverse(double a, double p) {
    if (!(a > 0) || isinf(a) || !(p >= 0 && p <= 1)) return NAN;
    return p == 0 ? 0 : p == 1 ? INFINITY : incomplete_inverse(a, dd_of(p), dd_sum(1, -p));
}

double weft_special_gamma_q_inverse(double a, double q) {
    if (!(a > 0) || isinf(a) || !(q >= 0 && q <= 1)) return NAN;
    return q == 1 ? 0 : q == 0 ? INFINITY : incomplete_inverse(a, dd_sum(1, -q), dd_of(q));
}
