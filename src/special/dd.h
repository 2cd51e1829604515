/* dd.h - numbers of two doubles, some 32 digits: what functions of several arguments are computed
 * in where doubles would lose too much. dd.c has the longer ones.
 *
 * h + l is the number, |l| at most half an ulp of h. Products are made exact by splitting their
 * factors, without fused multiply-add; factors stay below 2^990. Relies on contraction being off,
 * as everywhere outside kernels. */
#ifndef WEFT_SPECIAL_DD_H
#define WEFT_SPECIAL_DD_H

#include <math.h>
#include <stdbool.h>

typedef struct dd {
    double h, l;
} dd;

static inline dd dd_of(double a) {
    return (dd){a, 0};
}

static inline dd dd_quick(double a, double b) { /* |a| >= |b| */
    const double s = a + b;
    return (dd){s, b - (s - a)};
}

static inline dd dd_sum(double a, double b) {
    const double s = a + b, t = s - a;
    return (dd){s, (a - (s - t)) + (b - t)};
}

static inline dd dd_product(double a, double b) {
    const double p = a * b, ca = 134217729.0 * a, cb = 134217729.0 * b;
    const double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
    return (dd){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static inline dd dd_neg(dd a) {
    return (dd){-a.h, -a.l};
}

static inline dd dd_add(dd a, dd b) {
    const dd s = dd_sum(a.h, b.h), t = dd_sum(a.l, b.l), u = dd_quick(s.h, s.l + t.h);
    return dd_quick(u.h, u.l + t.l);
}

static inline dd dd_sub(dd a, dd b) {
    return dd_add(a, dd_neg(b));
}

static inline dd dd_add_d(dd a, double b) {
    const dd s = dd_sum(a.h, b);
    return dd_quick(s.h, s.l + a.l);
}

static inline dd dd_mul(dd a, dd b) {
    const dd p = dd_product(a.h, b.h);
    return dd_quick(p.h, p.l + (a.h * b.l + a.l * b.h));
}

static inline dd dd_mul_d(dd a, double b) {
    const dd p = dd_product(a.h, b);
    return dd_quick(p.h, p.l + a.l * b);
}

static inline dd dd_scale(dd a, double power_of_two) {
    return (dd){a.h * power_of_two, a.l * power_of_two};
}

static inline dd dd_div(dd a, dd b) {
    const double q = a.h / b.h;
    const dd r = dd_sub(a, dd_mul_d(b, q));
    const double q2 = r.h / b.h;
    const dd r2 = dd_sub(r, dd_mul_d(b, q2));
    return dd_add_d(dd_quick(q, q2), r2.h / b.h);
}

static inline dd dd_div_d(dd a, double b) {
    const double q = a.h / b;
    const dd p = dd_product(q, b), r = dd_quick(a.h - p.h, (a.l - p.l));
    return dd_quick(q, (r.h + r.l) / b);
}

static inline double dd_value(dd a) {
    return a.h + a.l;
}

dd dd_sqrt(dd a);  /* a >= 0 */
dd dd_exp(dd a);   /* saturates to 0 and infinity */
dd dd_expm1(dd a); /* |a| < 1, relative accuracy near 0 */
double dd_grown(dd power, dd factor, int exponent);
/* e^power factor 2^exponent, rounded when all has come together: a part may leave the range of
     * doubles, and a result that is nearly subnormal keeps its digits */
dd dd_log(dd a);                 /* a > 0 */
dd dd_log1p(dd a);               /* a > -1, relative accuracy near 0 */
double dd_log_over(dd power, dd factor, dd want, dd log_want);
/* ln(e^power factor / want): where that is near 0, the quotient is taken first, which loses no digits
     * to the size of the logarithms */
dd dd_lgamma(dd a);              /* a > 0; absolute accuracy, in units of max(1, result) */
dd dd_lbeta(double a, double b); /* a, b > 0 */
dd dd_lgamma_fall(double large, double small);
/* ln Gamma(large) - ln Gamma(large + small), large >= 10^6 and large + small as well */
dd dd_sinpi(dd a); /* sin(pi a), |a| <= 1/2 */
extern const dd dd_pi, dd_ln2;

#endif
