/* dd.c - elementary functions and ln Gamma of numbers of two doubles. */
#include "dd.h"

#include "fit_wide.h"

const dd dd_pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
const dd dd_ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

dd dd_sqrt(dd a) {
    if (a.h <= 0) return dd_of(0);
    const double s = sqrt(a.h);
    const dd r = dd_sub(a, dd_product(s, s));
    return dd_quick(s, r.h / (s + s));
}

/* e^a - 1 for small a: a power series of a / 2^8, then eight doublings, e^2a - 1 = s (s + 2). */
dd dd_expm1(dd a) {
    const dd r = dd_scale(a, 0x1p-8);
    dd s = dd_of(0);
    for (int i = 11; i >= 1; i--) s = dd_div_d(dd_mul(dd_add_d(s, 1), r), i);
    for (int i = 0; i < 8; i++) s = dd_add(dd_scale(s, 2), dd_mul(s, s));
    return s;
}

/* e^a = 2^n times what is given, which is around 1; |a| < 10^5 */
static dd dd_exp_part(dd a, int *n) {
    *n = (int)nearbyint(a.h / dd_ln2.h);
    return dd_add_d(dd_expm1(dd_sub(a, dd_mul_d(dd_ln2, *n))), 1);
}

dd dd_exp(dd a) {
    if (!(a.h < 800)) return dd_of(a.h > 0 ? INFINITY : a.h);
    if (a.h < -800) return dd_of(0);
    int n;
    const dd y = dd_exp_part(a, &n);
    const int half = n / 2;
    return dd_scale(dd_scale(y, ldexp(1, half)), ldexp(1, n - half));
}

double dd_grown(dd power, dd factor, int exponent) {
    if (isnan(power.h) || !isfinite(factor.h) || factor.h == 0) return factor.h * exp(power.h);
    int n, e;
    frexp(factor.h, &e);
    /* the doubles span e^-746 to e^710, so whatever the exponents add, the result has left them */
    const double size = power.h + (e + (double)exponent) * dd_ln2.h;
    if (fabs(size) > 2000) return copysign(size > 0 ? INFINITY : 0, factor.h);
    const dd near = dd_scale(dd_scale(factor, ldexp(1, -e / 2)), ldexp(1, -e - -e / 2));
    const dd y = dd_exp_part(power, &n);
    return ldexp(dd_value(dd_mul(y, near)), n + e + exponent);
}

/* A step of Newton's method from the double logarithm; powers of two are taken out first so that
 * nothing overflows. */
dd dd_log(dd a) {
    int e;
    frexp(a.h, &e);
    const dd m = dd_scale(dd_scale(a, ldexp(1, -e / 2)), ldexp(1, -e - -e / 2));
    const double y = log(m.h);
    const dd back = dd_mul(m, dd_exp(dd_of(-y)));
    const dd step = dd_add_d(back, -1);
    const dd l = dd_add(dd_of(y), dd_sub(step, dd_scale(dd_mul(step, step), 0.5)));
    return dd_add(l, dd_mul_d(dd_ln2, e));
}

dd dd_log1p(dd a) {
    if (fabs(a.h) > 0.5) return dd_log(dd_add_d(a, 1));
    const double y = log1p(a.h);
    const dd back = dd_expm1(dd_of(-y)); /* (1 + a) e^-y - 1 = a + back + a back */
    const dd step = dd_add(dd_add(a, back), dd_mul(a, back));
    return dd_add_d(step, y);
}

/* ln Gamma(x) - (x - 1/2) ln x + x - ln(2 pi) / 2 for x >= 32 */
static dd dd_stirling(dd x) {
    const dd per = dd_div(dd_of(1), x), u = dd_mul(per, per);
    dd s = dd_of(0);
    for (int i = (int)(sizeof fit_bernoulli / sizeof *fit_bernoulli) - 1; i >= 0; i--)
        s = dd_add(dd_mul(s, u), (dd){fit_bernoulli[i][0], fit_bernoulli[i][1]});
    return dd_mul(s, per);
}

/* x (x + 1) ... up to 32, which is what Gamma(x) lacks of Gamma(*x), and *x moved there */
static dd dd_raise(dd *x) {
    dd p = dd_of(1);
    for (; x->h < 32; *x = dd_add_d(*x, 1)) p = dd_mul(p, *x);
    return p;
}

static const dd dd_half_log_2pi = {0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};

dd dd_lgamma(dd a) {
    const dd p = dd_raise(&a);
    const dd main = dd_sub(dd_mul(dd_add_d(a, -0.5), dd_log(a)), a);
    const dd all = dd_add(dd_add(main, dd_half_log_2pi), dd_stirling(a));
    return p.h == 1 ? all : dd_sub(all, dd_log(p));
}

/* By Stirling's formula without the parts that cancel. */
dd dd_lgamma_fall(double large, double small) {
    const dd sum = dd_sum(small, large);
    const dd grown = dd_mul(dd_add_d(dd_of(large), -0.5), dd_log1p(dd_div_d(dd_of(small), large)));
    const dd power = dd_mul_d(dd_add_d(dd_log(sum), -1), small);
    const dd rest = dd_sub(dd_stirling(dd_of(large)), dd_stirling(sum));
    return dd_sub(rest, dd_add(grown, power));
}

double dd_log_over(dd power, dd factor, dd want, dd log_want) {
    const double rough = power.h + log(factor.h) - log_want.h;
    if (!(fabs(rough) < 1)) return rough;
    const dd ratio =
        power.h == 0 ? dd_div(factor, want) : dd_mul(dd_exp(dd_sub(power, log_want)), factor);
    return log1p(dd_value(dd_add_d(ratio, -1)));
}

dd dd_lbeta(double a, double b) {
    const double small = a < b ? a : b, large = a < b ? b : a;
    if (large >= 1e6) return dd_add(dd_lgamma(dd_of(small)), dd_lgamma_fall(large, small));
    const dd both = dd_add(dd_lgamma(dd_of(a)), dd_lgamma(dd_of(b)));
    return dd_sub(both, dd_lgamma(dd_sum(a, b)));
}

dd dd_sinpi(dd a) {
    const dd x = dd_mul(a, dd_pi), z = dd_neg(dd_mul(x, x));
    dd s = dd_of(0);
    for (int i = 27; i >= 3; i -= 2) s = dd_mul(dd_add_d(s, 1), dd_div_d(z, i * (i - 1.0)));
    return dd_mul(dd_add_d(s, 1), x);
}
