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

/* Of the sum a + b as it is, not as it is rounded. */
static bool beta_pole_sum(double a, double b) {
    const dd s = dd_sum(a, b);
    return beta_pole(s.h) && s.l == 0;
}

static double beta_sign(dd x) { /* of Gamma(x) */
    if (x.h > 0) return 1;
    const bool below = x.h == floor(x.h) && x.l < 0;
    return (fmod(floor(x.h), 2.0) == 0) != below ? 1 : -1;
}

/* ln |Gamma(x)| for any x but poles, by reflection: pi / (x sin(pi x) Gamma(-x)) below 0 */
static dd beta_lgamma(dd x) {
    if (x.h > 0) return dd_lgamma(x);
    const dd down = dd_neg(x), up = dd_lgamma(down);
    if (down.h < 1e-30) return up; /* even, as far as two doubles can tell */
    const dd sine = dd_sinpi(dd_add_d(x, -nearbyint(x.h)));
    const dd size = sine.h < 0 ? dd_neg(sine) : sine;
    return dd_sub(dd_sub(dd_log(dd_div(dd_pi, size)), dd_log(down)), up);
}

/* ln |Gamma(large) / Gamma(large + small)|, large > 0 */
static dd beta_fall(double large, double small) {
    if (large < 1e6 || large + small < 1e6)
        return dd_sub(beta_lgamma(dd_of(large)), beta_lgamma(dd_sum(large, small)));
    if (large < 1e280) return dd_lgamma_fall(large, small);
    if (fabs(small) < 1e250) return dd_mul_d(dd_log(dd_of(large)), -small);
    return dd_of(-large * log1p(small / large) - small * (log(large) - 1 + log1p(small / large)));
}

/* ln |Beta|. Where either is not positive the sum may be as exact as two doubles hold it. */
static dd beta_log(double a, double b) {
    const double small = a < b ? a : b, large = a < b ? b : a;
    if (small > 1e250) return dd_of(-large * log1p(small / large) - small * log1p(large / small));
    if (small > 0 && large < 1e280) return dd_lbeta(a, b);
    if (large > 0) return dd_add(beta_lgamma(dd_of(small)), beta_fall(large, small));
    return dd_sub(dd_add(beta_lgamma(dd_of(a)), beta_lgamma(dd_of(b))), beta_lgamma(dd_sum(a, b)));
}

/* Gamma has poles at a and a + b, and at b none, all being whole. */
static bool beta_pair(double b, double a) {
    return b == floor(b) && b > 0 && a + b <= 0;
}

/* Poles are NaN, since their sides differ in sign, but at 0, whose sign tells the side; and where
 * Gamma(a + b) has one as well, the limit along a is meant: a whole and a + b <= 0 gives
 * (-1)^b Beta(1 - a - b, b). */
static bool beta_edge(double a, double b, double *v) {
    if (isnan(a) || isnan(b)) return *v = NAN, true;
    if (isinf(a) || isinf(b)) return *v = a > 0 && b > 0 ? 0 : NAN, true;
    if (beta_pole(b)) {
        const double t = a;
        a = b, b = t;
    }
    if (!beta_pole(a)) return beta_pole_sum(a, b) ? *v = 0, true : false;
    if (beta_pair(b, a))
        return *v = (fmod(b, 2.0) == 0 ? 1 : -1) * weft_special_beta(1 - a - b, b), true;
    const bool side = b == 0 ? signbit(a) == signbit(b) : a == 0;
    return *v = side && !(b < 0 && beta_pole(b)) ? copysign(INFINITY, a) : NAN, true;
}

double weft_special_beta(double a, double b) {
    double v;
    if (beta_edge(a, b, &v)) return v;
    const double sign = beta_sign(dd_of(a)) * beta_sign(dd_of(b)) * beta_sign(dd_sum(a, b));
    return dd_grown(beta_log(a, b), dd_of(sign), 0);
}

double weft_special_lbeta(double a, double b) {
    double v;
    if (isinf(a) && isinf(b)) return a > 0 && b > 0 ? -INFINITY : NAN;
    if (!beta_edge(a, b, &v)) return dd_value(beta_log(a, b));
    if (beta_pole(a) && beta_pair(b, a)) return weft_special_lbeta(1 - a - b, b);
    if (beta_pole(b) && beta_pair(a, b)) return weft_special_lbeta(1 - a - b, a);
    if (isnan(v) && (beta_pole(a) || beta_pole(b)) && isfinite(a) && isfinite(b)) return INFINITY;
    return log(fabs(v));
}

/* ---- incomplete ---- */

/* A tail as e^log factor, since it may be less than a double can say; slope: a front / tail. */
typedef struct beta_tail {
    dd log, factor;
    double slope;
} beta_tail;

/* I(a, b, x) with y = 1 - x, for x up to about the mean: front / (1 + d1 / (1 + d2 / (1 + ...))),
 * front = x^a y^b / (a Beta(a, b)).
 * The number of steps grows as the root of a and b; too many are NaN. */
static beta_tail beta_fraction(double a, double b, dd x, dd y) {
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
        if (fabs((step.h - 1) + step.l) > 1e-31) continue;
        const dd power = dd_add(dd_mul_d(dd_log(x), a), dd_mul_d(dd_log(y), b));
        const dd whole = dd_add(dd_lbeta(a, b), dd_log(dd_of(a)));
        return (beta_tail){dd_sub(power, whole), dd_div(dd_of(1), f), a * f.h};
    }
    return (beta_tail){dd_of(0), dd_of(NAN), 1};
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

static beta_tail beta_plain_fraction(double a, double b, dd x, double front) {
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
    return (beta_tail){dd_of(0), dd_of(front / f), a * f};
}

static beta_tail beta_side(double a, double b, dd x, dd y) {
    if (beta_plain(a, b)) {
        const double front = beta_plain_front(a, b, x, y);
        if (front > 1e-200) return beta_plain_fraction(a, b, x, front);
    }
    return beta_fraction(a, b, x, y);
}

/* Whether x lies below the mean, about, where I(a, b, x) converges; above, I(b, a, y) does. */
static bool beta_left(double a, double b, dd x) {
    return x.h * (a + b + 2) <= a + 1;
}

/* I(a, b, x) above the mean for b next to nothing, where its complement is nearly 1:
 *   I(b, a, y) = a / (a + b) y^b Gamma(1 + a + b) / (Gamma(1 + a) Gamma(1 + b))
 *                (1 + b sum over n >= 1 of (1 - a) ... (n - a) / n! y^n / (n + b))
 * whose logarithm is found to the first order of b. */
static double beta_nothing(double a, double b, dd y) {
    double term = 1, sum = 0;
    for (int n = 1; n < BETA_STEPS; n++) {
        term *= (n - a) / n * y.h;
        sum += term / n;
        if (fabs(term) < 1e-18 * fabs(sum) || term == 0) break;
    }
    /* digamma(1 + a) + Euler's constant - 1 / a is that of a, which is exact for large a */
    const double rest = log(y.h) + weft_special_digamma(a) + 0.57721566490153286 + sum;
    return -expm1(b * rest);
}

static double beta_value(double a, double b, dd x, dd y) {
    const bool left = beta_left(a, b, x);
    const beta_tail t = left ? beta_side(a, b, x, y) : beta_side(b, a, y, x);
    if (left) return t.log.h == 0 ? t.factor.h : dd_grown(t.log, t.factor, 0);
    const dd other = dd_sub(dd_of(1), dd_mul(dd_exp(t.log), t.factor));
    return other.h < 1e-16 && b < 1e-14 ? beta_nothing(a, b, y) : dd_value(other);
}

static bool beta_outside(double a, double b, double x) {
    return !(a > 0 && b > 0 && x >= 0 && x <= 1) || isinf(a) || isinf(b);
}

double weft_special_beta_i(double a, double b, double x) {
    if (beta_outside(a, b, x)) return NAN;
    return x == 0 || x == 1 ? x : beta_value(a, b, dd_of(x), dd_sum(1, -x));
}

/* ln of the lower or upper tail at odds x / y over the tail that is wanted, and its slope by the
 * logarithm of the odds. */
static double beta_excess(double a, double b, dd x, dd y, bool lower, dd want, dd log_want,
                          double *slope) {
    const bool left = beta_left(a, b, x);
    beta_tail t = left ? beta_side(a, b, x, y) : beta_side(b, a, y, x);
    *slope = t.slope;
    if (left != lower) {
        const dd have = dd_sub(dd_of(1), dd_mul(dd_exp(t.log), t.factor));
        if (!(have.h > 1e-30)) return isnan(have.h) ? NAN : -INFINITY;
        *slope *= (1 - have.h) / have.h;
        t.log = dd_of(0);
        t.factor = have;
    }
    return dd_log_over(t.log, t.factor, want, log_want);
}

/* The odds x / (1 - x) at which I(a, b, x) = p, with p + q = 1. Newton's method on the logarithm of
 * the smaller tail by the logarithm of the odds, in which it is concave. */
static dd beta_solve(double a, double b, dd p, dd q) {
    const bool lower = p.h <= q.h;
    const dd want = lower ? p : q, log_want = dd_log(want), whole = dd_lbeta(a, b);
    const dd log_p = lower ? log_want : dd_log1p(dd_neg(q));
    const dd log_q = lower ? dd_log1p(dd_neg(p)) : log_want;
    const dd left = dd_div(dd_add(dd_add(log_p, dd_log(dd_of(a))), whole), dd_of(a));
    const dd right = dd_div(dd_add(dd_add(log_q, dd_log(dd_of(b))), whole), dd_of(b));
    if (left.h < -300) return dd_of(dd_grown(left, dd_of(1), 0)); /* one term is all there is */
    if (right.h < -300) return dd_of(INFINITY);
    double log_odds = log(a / b), low = -INFINITY, high = INFINITY, slope;
    if (lower && left.h < log_odds) log_odds = left.h;
    if (!lower && -right.h > log_odds) log_odds = -right.h;
    dd z = dd_exp(dd_of(log_odds));
    for (int i = 0; i < 200; i++) {
        const dd y = dd_div(dd_of(1), dd_add_d(z, 1)), x = dd_mul(z, y);
        const double excess = beta_excess(a, b, x, y, lower, want, log_want, &slope);
        if (isnan(excess)) return dd_of(NAN);
        const bool above = (excess > 0) == lower;
        if (above) high = log_odds;
        else low = log_odds;
        double step = (lower ? 1 : -1) * excess / slope;
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
    return z.h == INFINITY ? 1 : dd_value(dd_div(z, dd_add_d(z, 1)));
}
