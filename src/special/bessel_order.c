/* bessel_order.c - J and Y of real order.
 *
 * Y grows with its order, so it is stepped up from orders mu and mu + 1. J is its power series
 * where that does not cancel too much, steps up with Y as long as the order is below x, and above
 * it follows from Y by the Wronskian and a continued fraction for J(v + 1) / J(v). */
#include "order.h"

#include <weft/special.h>

typedef struct border_both {
    double j, y;
    int exponent; /* y times 2^exponent is meant, which may be out of range where a part is not */
} border_both;

#define BORDER_FAR 25.0 /* from here on Hankel's expansion has 20 digits for orders up to 1.5 */

/* (x / 2)^v / Gamma(v + 1) times the sum of (-x^2 / 4)^k / (k! (v + 1) ... (v + k)) */
static double border_series(double v, double x) {
    const dd z = dd_scale(dd_product(x, x), -0.25);
    dd term = dd_of(1), sum = dd_of(1);
    for (int k = 1; k < 1000 && fabs(term.h) > 1e-34; k++) {
        term = dd_div(dd_mul(term, z), dd_mul_d(dd_sum(v, k), k));
        sum = dd_add(sum, term);
    }
    const dd power = dd_mul_d(order_log_half(x), v);
    return dd_grown(dd_sub(power, dd_lgamma(dd_sum(v, 1))), sum, 0);
}

/* sin and cos of x; beyond 2^50 in double, where the mathematics library must reduce x */
static void border_circle(double x, dd *sine, dd *cosine) {
    if (x > 0x1p50) {
        *sine = dd_of(sin(x)), *cosine = dd_of(cos(x));
        return;
    }
    /* pi / 2 in three doubles */
    const double n = nearbyint(x * 0.63661977236758138);
    dd r = dd_sub(dd_of(x), dd_product(n, 0x1.921fb54442d18p+0));
    r = dd_sub(r, dd_product(n, 0x1.1a62633145c07p-54));
    r = dd_sub(r, dd_of(n * -0x1.f1976b7ed8fbcp-110));
    const dd a = dd_div(r, dd_pi), size = a.h < 0 ? dd_neg(a) : a;
    const dd s = dd_sinpi(a), c = dd_sinpi(dd_sub(dd_of(0.5), size));
    const int quarter = (int)fmod(n, 4);
    *sine = quarter % 2 ? c : s;
    *cosine = quarter % 2 ? s : c;
    if (quarter == 2 || quarter == 3) *sine = dd_neg(*sine);
    if (quarter == 1 || quarter == 2) *cosine = dd_neg(*cosine);
}

/* J and Y of order v by Hankel: sqrt(2 / (pi x)) (even cos w - odd sin w), (even sin w + odd cos w)
 * with w = x - (v / 2 + 1 / 4) pi */
static void border_hankel(double v, double x, dd *j, dd *y) {
    const order_sums h = order_hankel(v, x, 1);
    dd sx, cx;
    border_circle(x, &sx, &cx);
    const dd s = order_sinpi(0.5 * v + 0.25), c = order_cospi(0.5 * v + 0.25);
    const dd cw = dd_add(dd_mul(cx, c), dd_mul(sx, s)), sw = dd_sub(dd_mul(sx, c), dd_mul(cx, s));
    const dd size = dd_sqrt(dd_div(dd_of(2), dd_mul_d(dd_pi, x)));
    *j = dd_mul(size, dd_sub(dd_mul(h.even, cw), dd_mul(h.odd, sw)));
    *y = dd_mul(size, dd_add(dd_mul(h.even, sw), dd_mul(h.odd, cw)));
}

/* Y of order v for x next to nothing, where one term is left: -Gamma(v) (2 / x)^v / pi */
static double border_tiny(double v, double x, int *exponent) {
    const dd power = dd_add(dd_mul_d(order_log_half(x), -v), dd_lgamma(dd_of(v)));
    *exponent = (int)(power.h / dd_ln2.h);
    return dd_grown(power, dd_div(dd_of(-1), dd_pi), -*exponent);
}

/* Where 1 / x no longer counts, sqrt(2 / (pi x)) times cos and sin of x - (v / 2 + 1 / 4) pi. */
static border_both border_end(double v, double x) {
    const double s = dd_value(order_sinpi(0.5 * v + 0.25)),
                 c = dd_value(order_cospi(0.5 * v + 0.25));
    const double size = sqrt(0.63661977236758138 / x), cx = cos(x), sx = sin(x);
    return (border_both){size * (cx * c + sx * s), size * (sx * c - cx * s), 0};
}

/* v >= 0, x > 0; without Y where J has no need of it */
static border_both border_positive(double v, double x, bool with_y) {
    if (x > 1e100) return border_end(v, x);
    const double n = floor(v + 0.5), mu = v - n;
    const bool series = x < BORDER_FAR || x * x <= 80 * (v + 1);
    border_both out = {0, 0, 0};
    if (series) out.j = border_series(v, x);
    if (series && !with_y) return out;
    if (x < 1e-100 && v >= 0.5) {
        out.y = border_tiny(v, x, &out.exponent);
        return out;
    }
    order_pair y, j = {0};
    if (x < BORDER_FAR) {
        y = order_temme(mu, x, -1);
    } else {
        y.exponent = 0;
        border_hankel(mu, x, &j.at, &y.at);
        border_hankel(mu + 1, x, &j.next, &y.next);
    }
    for (double k = 1; k <= n; k++) {
        order_step(&y, mu + k, x, 1);
        if (!series && v <= x) order_step(&j, mu + k, x, 1);
    }
    if (!series && v <= x) out.j = dd_value(j.at);
    if (!series && v > x) {
        const dd turned = dd_sub(dd_mul(order_ratio(v, x, 1), y.at), y.next);
        const dd wronskian = dd_div(dd_of(2), dd_mul_d(dd_pi, x));
        out.j = ldexp(dd_value(dd_div(wronskian, turned)), -y.exponent);
    }
    out.y = dd_value(y.at);
    out.exponent = y.exponent;
    return out;
}

static bool border_whole(double v) {
    return v == floor(v);
}

static double border_parity(double v) { /* (-1)^v for whole v */
    return fmod(v, 2) == 0 ? 1 : -1;
}

double weft_special_bessel_j(double v, double x) {
    if (!(fabs(v) <= ORDER_MOST) || isnan(x) || (x < 0 && !border_whole(v))) return NAN;
    if (isinf(x)) return 0;
    if (x < 0) return border_parity(v) * weft_special_bessel_j(v, -x);
    if (x == 0) {
        if (v >= 0 || border_whole(v)) return v == 0 ? 1 : 0;
        return fmod(floor(v), 2) == 0 ? -INFINITY : INFINITY; /* the sign of 1 / Gamma(v + 1) */
    }
    const border_both b = border_positive(fabs(v), x, v < 0 && !border_whole(v));
    if (v >= 0) return b.j;
    if (border_whole(v)) return border_parity(v) * b.j;
    const double c = dd_value(order_cospi(-v)), s = dd_value(order_sinpi(-v));
    return (c == 0 ? 0 : c * b.j) - ldexp(s * b.y, b.exponent);
}

double weft_special_bessel_y(double v, double x) {
    if (!(fabs(v) <= ORDER_MOST) || !(x >= 0)) return NAN;
    if (isinf(x)) return 0;
    const double c = dd_value(order_cospi(-v)), s = dd_value(order_sinpi(-v));
    if (x == 0) return v >= 0 || c > 0 ? -INFINITY : c < 0 ? INFINITY : 0;
    const border_both b = border_positive(fabs(v), x, true);
    if (v >= 0) return ldexp(b.y, b.exponent);
    if (border_whole(v)) return border_parity(v) * ldexp(b.y, b.exponent);
    return s * b.j + (c == 0 ? 0 : ldexp(c * b.y, b.exponent));
}
