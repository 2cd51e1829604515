/* modified_order.c - I and K of real order, with and without their exponential.
 *
 * K is stepped up from orders mu and mu + 1, |mu| <= 1/2. I is its power series for small x,
 * Hankel's expansion for x well above the square of the order, and between them it follows from K
 * by the Wronskian and a continued fraction for I(v + 1) / I(v). */
#include "order.h"

#include <weft/special.h>

#define MORDER_NEAR_K 2.0  /* Temme's series below; above, it cancels */
#define MORDER_FAR_K  20.0 /* Hankel's expansion above has 17 digits for orders up to 1.5 */
#define MORDER_FAR_I  60.0

/* e^x K of order v: the integral over t > 0 of e^(x - x cosh t) cosh(v t), whose trapezoidal sums
 * converge faster than any power of their step; all terms are positive. */
static dd morder_integral(double v, double x) {
    dd sum = dd_of(0.5);
    for (int i = 1; i < 200; i++) {
        const double t = 0.1 * i, fall = 2 * x * sinh(0.5 * t) * sinh(0.5 * t); /* x cosh t - x */
        const double term = exp(-fall) * cosh(v * t);
        sum = dd_add_d(sum, term);
        if (term < 1e-20) break;
    }
    return dd_mul_d(sum, 0.1);
}

/* e^x K of order v and v + 1, v >= 0, x > 0 */
static order_pair morder_k(double v, double x) {
    const double n = floor(v + 0.5), mu = v - n;
    order_pair k = {.exponent = 0};
    if (x < MORDER_NEAR_K) {
        const dd grown = dd_exp(dd_of(x));
        k = order_temme(mu, x, 1);
        k.at = dd_mul(k.at, grown);
        k.next = dd_mul(k.next, grown);
    } else if (x < MORDER_FAR_K) {
        k.at = morder_integral(mu, x);
        k.next = morder_integral(mu + 1, x);
    } else {
        const order_sums a = order_hankel(mu, x, -1), b = order_hankel(mu + 1, x, -1);
        const dd size = dd_sqrt(dd_div_d(dd_pi, 2 * x));
        k.at = dd_mul(size, dd_add(a.even, a.odd));
        k.next = dd_mul(size, dd_add(b.even, b.odd));
    }
    for (double i = 1; i <= n; i++) order_step(&k, mu + i, x, -1);
    return k;
}

/* I of order v without its exponential or, with grown, with it; v >= 0, x > 0 */
static double morder_i(double v, double x, bool grown) {
    const double back = grown ? x : 0;
    if (x < MORDER_FAR_I) {
        const dd z = dd_scale(dd_product(x, x), 0.25);
        dd term = dd_of(1), sum = dd_of(1);
        for (int k = 1; k < 1000 && term.h > 1e-34 * sum.h; k++) {
            term = dd_div(dd_mul(term, z), dd_mul_d(dd_sum(v, k), k));
            sum = dd_add(sum, term);
        }
        const dd power = dd_add_d(dd_mul_d(order_log_half(x), v), back - x);
        return dd_grown(dd_sub(power, dd_lgamma(dd_sum(v, 1))), sum, 0);
    }
    if (v * v <= 40 * x) {
        const order_sums s = order_hankel(v, x, -1);
        const dd size = dd_sqrt(dd_mul_d(dd_scale(dd_pi, 2), x));
        return dd_grown(dd_of(back), dd_div(dd_sub(s.even, s.odd), size), 0);
    }
    const order_pair k = morder_k(v, x);
    const dd both = dd_add(k.next, dd_mul(order_ratio(v, x, -1), k.at));
    return dd_grown(dd_of(back), dd_div(dd_div_d(dd_of(1), x), both), -k.exponent);
}

/* K of order v for x next to nothing: Gamma(v) (2 / x)^v / 2; times a factor */
static double morder_tiny(double v, double x, dd factor) {
    const dd power = dd_mul_d(order_log_half(x), -v);
    return dd_grown(dd_add(power, dd_lgamma(dd_of(v))), dd_scale(factor, 0.5), 0);
}

/* e^back times e^x K of order v: back is 0, -x, or for I below -2 x. times: a factor of the result,
 * which may be in range where K is not. */
static double morder_k_value(double v, double x, double back, dd times) {
    if (!(fabs(v) <= ORDER_MOST) || !(x >= 0)) return NAN;
    if (x == 0) return INFINITY;
    if (isinf(x) || back < -1e9) return 0;
    if (x < 1e-100 && fabs(v) >= 0.5) return morder_tiny(fabs(v), x, times);
    if (x > 1e100) return 1.2533141373155003 / sqrt(x) * times.h; /* sqrt(pi / 2) */
    const order_pair k = morder_k(fabs(v), x);
    return dd_grown(dd_of(back), dd_mul(k.at, times), k.exponent);
}

static double morder_i_value(double v, double x, bool scaled) {
    const bool whole = v == floor(v);
    if (!(fabs(v) <= ORDER_MOST) || isnan(x) || (x < 0 && !whole)) return NAN;
    const double sign = x < 0 && fmod(v, 2) != 0 ? -1 : 1, a = fabs(x);
    if (isinf(x)) return sign * (scaled ? 0 : INFINITY);
    if (x == 0) {
        if (v >= 0 || whole) return v == 0 ? 1 : 0;
        return fmod(floor(v), 2) == 0 ? -INFINITY : INFINITY;
    }
    if (!scaled && a > 1e9) return sign * INFINITY;
    if (a > 1e100) return sign * 0.3989422804014327 / sqrt(a); /* 1 / sqrt(2 pi) */
    double value = morder_i(fabs(v), a, !scaled);
    if (v < 0 && !whole) { /* I(-v) = I(v) + 2 / pi sin(pi v) K(v) */
        const dd times = dd_div(dd_scale(order_sinpi(-v), 2), dd_pi);
        value += morder_k_value(v, a, scaled ? -2 * a : -a, times);
    }
    return sign * value;
}

double weft_special_bessel_i(double v, double x) {
    return morder_i_value(v, x, false);
}

double weft_special_bessel_ie(double v, double x) {
    return morder_i_value(v, x, true);
}

double weft_special_bessel_k(double v, double x) {
    return morder_k_value(v, x, -x, dd_of(1));
}

double weft_special_bessel_ke(double v, double x) {
    return morder_k_value(v, x, 0, dd_of(1));
}
