/* beta.c - the beta function, its logarithm, the incomplete one, regularised, and its inverse.
 *
 * The incomplete one is a continued fraction in two doubles, on the side of the mean where it
 * converges; the other side is its complement. */
#include "dd.h"

#include <weft/special.h>

enum { BETA_STEPS = 100000 };

static bool beta_pole(double x) {
    return x <= 0 && x == floor(x);
}

static double beta_sign(double x) { /* of Gamma(x) */
    return x > 0 || fmod(floor(x), 2.0) == 0 ? 1 : -1;
}

/* ln |Gamma(x)| for any x but poles, by reflection: pi / (x sin(pi x) Gamma(-x)) below 0 */
static dd beta_lgamma(dd x) {
    if (x.h > 0) return dd_lgamma(x);
    const double n = nearbyint(x.h);
    const dd sine = dd_sinpi(dd_add_d(x, -n)), below = dd_mul(sine, x);
    const dd size = below.h < 0 ? dd_neg(below) : below;
    return dd_sub(dd_log(dd_div(dd_pi, size)), dd_lgamma(dd_neg(x)));
}

/* ln |Beta|, and where either is not positive the sum may be as exact as two doubles hold it. */
static dd beta_log(double a, double b) {
    const double small = a < b ? a : b, large = a < b ? b : a;
    if (large > 1e280 && small > 0) {
        if (small < 1e250) return dd_of(weft_special_lgamma(small) - small * log(large));
        return dd_of(-large * log1p(small / large) - small * log1p(large / small));
    }
    if (small > 0) return dd_lbeta(a, b);
    return dd_sub(dd_add(beta_lgamma(dd_of(a)), beta_lgamma(dd_of(b))), beta_lgamma(dd_sum(a, b)));
}

/* At poles: NaN, unless Gamma(a + b) has one as well, where the limit along a is meant: a whole
 * and a + b <= 0 gives (-1)^b Beta(1 - a - b, b). */
static bool beta_edge(double a, double b, double *v) {
    if (isnan(a) || isnan(b)) return *v = NAN, true;
    if (isinf(a) || isinf(b)) return *v = a > 0 && b > 0 ? 0 : NAN, true;
    if (beta_pole(b)) {
        const double t = a;
        a = b, b = t;
    }
    if (!beta_pole(a)) return beta_pole(a + b) ? *v = 0, true : false;
    if (b != floor(b) || !(b > 0 && a + b <= 0))
        return *v = a == 0 || b == 0 ? INFINITY : NAN, true;
    *v = (fmod(b, 2.0) == 0 ? 1 : -1) * weft_special_beta(1 - a - b, b);
    return true;
}

double weft_special_beta(double a, double b) {
    double v;
    if (beta_edge(a, b, &v)) return v;
    const double sign = beta_sign(a) * beta_sign(b) * beta_sign(a + b);
    return sign * dd_value(dd_exp(beta_log(a, b)));
}

double weft_special_lbeta(double a, double b) {
    double v;
    if (isinf(a) && isinf(b)) return a > 0 && b > 0 ? -INFINITY : NAN;
    if (beta_edge(a, b, &v)) return log(fabs(v));
    return dd_value(beta_log(a, b));
}

/* ---- incomplete ---- */

/* x^a y^b / (a Beta(a, b)) */
static dd beta_front(double a, double b, dd x, dd y) {
    const dd power = dd_add(dd_mul_d(dd_log(x), a), dd_mul_d(dd_log(y), b));
    return dd_div_d(dd_exp(dd_sub(power, dd_lbeta(a, b))), a);
}

/* I(a, b, x) with y = 1 - x, for x up to about the mean: front / (1 + d1 / (1 + d2 / (1 + ...))).
 * The number of steps grows as the root of a and b; too many are NaN. */
static dd beta_fraction(double a, double b, dd x, dd y) {
    dd c = dd_of(1), d = dd_of(0), f = dd_of(1);
    for (int i = 1; i < BETA_STEPS; i++) {
        const double m = i / 2;
        dd top;
        if (i % 2) top = dd_neg(dd_mul(dd_sum(a, m), dd_add_d(dd_sum(a, b), m)));
        else top = dd_mul_d(dd_sum(b, -m), m);
        const dd under = dd_mul(dd_add_d(dd_of(a), i - 1.0), dd_add_d(dd_of(a), i));
        const dd e = dd_div(dd_mul(top, x), under);
        d = dd_add_d(dd_mul(e, d), 1);
        if (d.h == 0) d = dd_of(1e-300);
        c = dd_add_d(dd_div(e, c), 1);
        if (c.h == 0) c = dd_of(1e-300);
        d = dd_div(dd_of(1), d);
        const dd step = dd_mul(c, d);
        f = dd_mul(f, step);
        if (fabs((step.h - 1) + step.l) < 1e-31) return dd_div(beta_front(a, b, x, y), f);
    }
    return dd_of(NAN);
}

/* The same in double, where that is enough: for a and b from 1 to 60 neither tail loses more than a
 * digit. */
static bool beta_plain(double a, double b) {
    return a >= 1 && b >= 1 && a <= 60 && b <= 60;
}

static double beta_plain_front(double a, double b, dd x, dd y) {
    const dd sum = dd_sum(a, b);
    /* powers and Gamma feel what rounding took off */
    const double low = a * (x.l / x.h) + b * (y.l / y.h) + sum.l * weft_special_digamma(sum.h);
    const double top = a * weft_special_gamma(a) * weft_special_gamma(b);
    return pow(x.h, a) * pow(y.h, b) * (1 + low) / (top / weft_special_gamma(sum.h));
}

static dd beta_plain_fraction(double a, double b, dd x, dd y) {
    double c = 1, d = 0, f = 1, step = 0;
    for (int i = 1; fabs(step - 1) > 1e-16 && i < BETA_STEPS; i++) {
        const double m = i / 2;
        const double top = i % 2 ? -(a + m) * (a + b + m) : m * (b - m);
        const double e = top * x.h / ((a + i - 1) * (a + i));
        d = 1 / (e * d + 1);
        c = e / c + 1;
        step = c * d;
        f *= step;
    }
    return dd_of(beta_plain_front(a, b, x, y) / f);
}

typedef struct beta_tails {
    dd p, q;
} beta_tails;

static beta_tails beta_both(double a, double b, dd x, dd y) {
    beta_tails t;
    if (beta_plain(a, b)) {
        const bool left = x.h * (a + b + 2) <= a + 1;
        const dd tail = left ? beta_plain_fraction(a, b, x, y) : beta_plain_fraction(b, a, y, x);
        const dd other = dd_sub(dd_of(1), tail);
        return (beta_tails){left ? tail : other, left ? other : tail};
    }
    if (x.h * (a + b + 2) <= a + 1) {
        t.p = beta_fraction(a, b, x, y);
        t.q = dd_sub(dd_of(1), t.p);
    } else {
        t.q = beta_fraction(b, a, y, x);
        t.p = dd_sub(dd_of(1), t.q);
    }
    return t;
}

static bool beta_outside(double a, double b, double x) {
    return !(a > 0 && b > 0 && x >= 0 && x <= 1) || isinf(a) || isinf(b);
}

double weft_special_beta_i(double a, double b, double x) {
    if (beta_outside(a, b, x)) return NAN;
    return x == 0 || x == 1 ? x : dd_value(beta_both(a, b, dd_of(x), dd_sum(1, -x)).p);
}

/* The odds x / (1 - x) at which I(a, b, x) = p, with p + q = 1. Newton's method on the logarithm of
 * the smaller tail by the logarithm of the odds, in which it is concave. */
static dd beta_solve(double a, double b, dd p, dd q) {
    const bool lower = p.h <= q.h;
    const dd want = lower ? p : q, whole = dd_lbeta(a, b);
    const dd left = dd_div(dd_add(dd_add(dd_log(p), dd_log(dd_of(a))), whole), dd_of(a));
    const dd right = dd_div(dd_add(dd_add(dd_log(q), dd_log(dd_of(b))), whole), dd_of(b));
    if (left.h < -300) return dd_exp(left); /* one term is all there is */
    if (right.h < -300) return dd_of(INFINITY);
    double log_odds = log(a / b), low = -INFINITY, high = INFINITY;
    if (lower && left.h < log_odds) log_odds = left.h;
    if (!lower && -right.h > log_odds) log_odds = -right.h;
    dd z = dd_exp(dd_of(log_odds));
    for (int i = 0; i < 200; i++) {
        const dd y = dd_div(dd_of(1), dd_add_d(z, 1)), x = dd_mul(z, y);
        const beta_tails t = beta_both(a, b, x, y);
        const dd have = lower ? t.p : t.q, excess = dd_div(dd_sub(have, want), want);
        const bool above = (excess.h > 0) == lower;
        if (above) high = log_odds;
        else low = log_odds;
        /* d tail / d log odds = x^a y^b / Beta */
        const double front =
            beta_plain(a, b) ? beta_plain_front(a, b, x, y) : dd_value(beta_front(a, b, x, y));
        const double slope = a * front / have.h;
        double step = (lower ? 1 : -1) * log1p(fmax(excess.h, -1 + 1e-16)) / slope;
        if (!(fabs(step) < 2)) step = above ? 2 : -2;
        const bool last = fabs(step) < 1e-9; /* the error is the square of the step */
        const double next = log_odds - step;
        const bool left_out = !(next > low && next < high) && !isinf(low) && !isinf(high);
        if (left_out && !last) step = log_odds - 0.5 * (low + high);
        z = dd_mul(z, dd_exp(dd_of(-step))); /* the old odds are moved, which keeps their digits */
        log_odds -= step;
        if (last) break;
    }
    return z;
}

double weft_special_beta_i_inverse(double a, double b, double p) {
    if (beta_outside(a, b, p)) return NAN;
    if (p == 0 || p == 1) return p;
    const dd z = beta_solve(a, b, dd_of(p), dd_sum(1, -p));
    return z.h < INFINITY ? dd_value(dd_div(z, dd_add_d(z, 1))) : 1;
}
