/* incomplete.c - the incomplete gamma function, regularised, and its inverses.
 *
 * A power series below the maximum of its integrand, a continued fraction above, for small or large
 * a in two doubles, so that the complement of what is computed has its digits too; and for larger a
 * near the maximum Temme's expansion, which is a normal distribution with corrections. The inverses are
 * Newton's method on the logarithm of the smaller tail. */
#include "dd.h"
#include "fit_wide.h"

#include <weft/special.h>

/* P or Q, whichever was computed: e^log factor, since the tail itself may be less than a double
 * can say. slope: d ln tail / d ln x without its sign, x^a e^-x / Gamma(a) / tail. */
typedef struct incomplete_tail {
    bool lower; /* P */
    dd log, factor;
    double slope;
} incomplete_tail;

enum { INCOMPLETE_STEPS = 100000 };
#define INCOMPLETE_LARGE 200.0 /* from here on Temme's eight terms have 17 digits */

/* ln(x^a e^-x / Gamma(a + 1)) */
static dd incomplete_front(double a, double x) {
    const dd power = dd_sub(dd_mul_d(dd_log(dd_of(x)), a), dd_of(x));
    return dd_sub(power, dd_lgamma(dd_sum(a, 1)));
}

/* ---- in double, for a from 1 to 60, where no tail loses more than a digit ---- */

static bool incomplete_plain(double a, double x) {
    return a >= 1 && a <= 60 && x < 500;
}

/* The series and the fraction below, see there; false: the tail may be nearly subnormal. */
static bool incomplete_plain_both(double a, double x, incomplete_tail *out) {
    const double top = a * weft_special_gamma(a); /* a + 1 would be rounded */
    const double front = pow(x, a) * exp(-x) / top;
    if (front < 1e-250) return false;
    if (x <= a + 1) {
        double term = 1, sum = 1;
        for (int i = 1; term > 1e-17 * sum; i++) {
            term *= x / (a + i);
            sum += term;
        }
        *out = (incomplete_tail){true, dd_of(0), dd_of(front * sum), a / sum};
        return true;
    }
    double b = x + 1 - a, c = 1e300, d = 1 / b, f = d, step = 0;
    for (int i = 1; fabs(step - 1) > 1e-16 && i < INCOMPLETE_STEPS; i++) {
        const double up = i * (a - i);
        b += 2;
        d = 1 / (up * d + b);
        c = b + up / c;
        step = c * d;
        f *= step;
    }
    *out = (incomplete_tail){false, dd_of(0), dd_of(front * a * f), 1 / f};
    return true;
}

/* ---- in two doubles ---- */

/* P = front (1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ...) */
static incomplete_tail incomplete_series(double a, double x) {
    dd term = dd_of(1), sum = dd_of(1);
    for (int i = 1; i < INCOMPLETE_STEPS && term.h > 1e-33 * sum.h; i++) {
        term = dd_div(dd_mul_d(term, x), dd_sum(a, i));
        sum = dd_add(sum, term);
    }
    return (incomplete_tail){true, incomplete_front(a, x), sum, a / sum.h};
}

/* Q = front a / (x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / (x + 5 - a - ...))), by Lentz's
 * method: numerators and denominators enter as quotients of neighbours. */
static incomplete_tail incomplete_fraction(double a, double x) {
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
    return (incomplete_tail){false, incomplete_front(a, x), dd_mul_d(f, a), 1 / f.h};
}

/* Half of erfc and the correction, both without e^(-a eta^2 / 2), which is the smaller tail's size
 * and therefore needs an exact exponent. */
static incomplete_tail incomplete_temme(double a, double x) {
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
    const double tail = mu.h > 0 ? bell + more : bell - more;
    const double stirling = 1 + (1 + 1 / (24 * a)) / (12 * a); /* of Gamma(a), to 1e-9 */
    const double slope = sqrt(a / (2 * dd_pi.h)) / stirling / tail;
    return (incomplete_tail){!(mu.h > 0), dd_neg(y), dd_of(tail), slope};
}

/* a > 0, 0 < x < infinity */
static incomplete_tail incomplete_of(double a, double x) {
    incomplete_tail t;
    if (x > 1e280 || a > 1e280) {
        const double p = x < a ? 0 : x > a ? 1 : 0.5;
        return (incomplete_tail){true, dd_of(0), dd_of(p), 1};
    }
    if (incomplete_plain(a, x) && incomplete_plain_both(a, x, &t)) return t;
    if (a < 1e-17) { /* else Q is P's complement */
        const double e1 = weft_special_e1(x);
        if (e1 > 1e-300) return (incomplete_tail){false, dd_log(dd_of(a)), dd_of(e1), exp(-x) / e1};
    }
    if (a >= INCOMPLETE_LARGE && x > 0.4 * a && x < 2 * a) return incomplete_temme(a, x);
    if (x > 1.5 && x > a + 1) return incomplete_fraction(a, x);
    return incomplete_series(a, x);
}

static double incomplete_value(double a, double x, bool lower) {
    const incomplete_tail t = incomplete_of(a, x);
    if (t.lower == lower) return t.log.h == 0 ? t.factor.h : dd_grown(t.log, t.factor, 0);
    return dd_value(dd_sub(dd_of(1), dd_mul(dd_exp(t.log), t.factor)));
}

static bool incomplete_outside(double a, double x) {
    return !(a > 0) || !(x >= 0) || isinf(a);
}

double weft_special_gamma_p(double a, double x) {
    if (incomplete_outside(a, x)) return NAN;
    return x == 0 ? 0 : isinf(x) ? 1 : incomplete_value(a, x, true);
}

double weft_special_gamma_q(double a, double x) {
    if (incomplete_outside(a, x)) return NAN;
    return x == 0 ? 1 : isinf(x) ? 0 : incomplete_value(a, x, false);
}

/* ---- inverses ---- */

/* Where P is nearly x^a / Gamma(a + 1), the logarithm of x; p + q = 1. */
static dd incomplete_left(double a, dd p, dd q) {
    const dd log_p = p.h < 0.5 ? dd_log(p) : dd_log1p(dd_neg(q));
    /* ln Gamma(1 + a) is -a times Euler's constant for tiny a */
    if (a < 1e-15) return dd_add_d(dd_div_d(log_p, a), -0.57721566490153286);
    return dd_div_d(dd_add(log_p, dd_lgamma(dd_sum(a, 1))), a);
}

/* Where to begin: as if x were to the left, or, since a power of x is nearly normal, in the
 * middle. */
static double incomplete_guess(double a, dd p, dd q, double left) {
    if (left < -0.5 || a < 0.5) return q.h < 0.3 * a ? fmax(-log(q.h / a), 0.1) : exp(left);
    const double z = p.h < q.h ? -1.4142135623730951 * weft_special_erfcinv(2 * p.h)
                               : 1.4142135623730951 * weft_special_erfcinv(2 * q.h);
    const double root = 1 - 1 / (9 * a) + z / (3 * sqrt(a));
    return root > 0.1 ? a * root * root * root : exp(left);
}

/* ln of the tail at x over the tail that is wanted, and the tail's slope there. The quotient is
 * taken before the logarithms' error counts, and is never beyond the doubles. */
static double incomplete_excess(incomplete_tail t, bool lower, dd want, dd log_want,
                                double *slope) {
    *slope = t.slope;
    if (t.lower != lower) {
        const dd have = dd_sub(dd_of(1), dd_mul(dd_exp(t.log), t.factor));
        if (!(have.h > 1e-30)) return -INFINITY;
        *slope *= (1 - have.h) / have.h;
        t.log = dd_of(0);
        t.factor = have;
    }
    return dd_log_over(t.log, t.factor, want, log_want);
}

/* p + q = 1, both above 0. The logarithm of a tail is a concave function of ln x, so Newton's
 * method converges from wherever it starts; a step of ln x is held to a factor e. */
static double incomplete_inverse(double a, dd p, dd q) {
    const dd left = incomplete_left(a, p, q);
    if (left.h < -50) return dd_grown(left, dd_of(1), 0); /* one term is all there is */
    const bool lower = p.h <= q.h;
    const dd want = lower ? p : q, log_want = dd_log(want);
    double x = incomplete_guess(a, p, q, left.h), low = 0, high = INFINITY, slope;
    for (int i = 0; i < 200; i++) {
        const double excess = incomplete_excess(incomplete_of(a, x), lower, want, log_want, &slope);
        const bool above = (excess > 0) == lower; /* x is too large */
        if (above) high = x;
        else low = x;
        double step = (lower ? 1 : -1) * excess / slope;
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
