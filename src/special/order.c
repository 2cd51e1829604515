/* order.c - the beginnings of Bessel functions of real order, see order.h. */
#include "order.h"

static const dd order_euler = {0x1.2788cfc6fb619p-1, -0x1.6cb90701fbfabp-58};

dd order_log_half(double x) {
    return dd_sub(dd_log(dd_of(x)), dd_ln2);
}

dd order_sinpi(double v) {
    const double r = fmod(v, 2), n = nearbyint(r);
    const dd s = dd_sinpi(dd_of(r - n));
    return fmod(n, 2) == 0 ? s : dd_neg(s);
}

dd order_cospi(double v) {
    const double r = fmod(v, 2), n = nearbyint(r);
    const dd c = dd_sinpi(dd_sum(0.5, -fabs(r - n)));
    return fmod(n, 2) == 0 ? c : dd_neg(c);
}

/* 1 / Gamma(1 + mu) */
static dd order_rgamma(double mu) {
    return dd_exp(dd_neg(dd_lgamma(dd_sum(1, mu))));
}

/* sinh(s) / s */
static dd order_sinh(dd s) {
    if (fabs(s.h) > 0.5) {
        const dd e = dd_exp(s);
        return dd_div(dd_scale(dd_sub(e, dd_div(dd_of(1), e)), 0.5), s);
    }
    const dd z = dd_mul(s, s);
    dd sum = dd_of(0);
    for (int i = 19; i >= 3; i -= 2) sum = dd_mul(dd_add_d(sum, 1), dd_div_d(z, i * (i - 1.0)));
    return dd_add_d(sum, 1);
}

/* Sums over k of (sign x^2 / 4)^k / k! times g_k and p_k - k g_k, where f, p and q follow from
 * those of k - 1, and g is f, for Y with a part of q. Their beginnings have limits at mu = 0 that a
 * difference of reciprocal Gammas hides. */
order_pair order_temme(double mu, double x, int sign) {
    const dd up = order_rgamma(mu), down = order_rgamma(-mu);
    const dd mean = dd_scale(dd_add(down, up), 0.5);
    const dd slope = fabs(mu) < 1e-7 ? dd_add_d(dd_neg(order_euler), 0.042002635034095236 * mu * mu)
                                     : dd_div_d(dd_sub(down, up), 2 * mu);
    const dd l = dd_neg(order_log_half(x)), sigma = dd_mul_d(l, mu), grown = dd_exp(sigma);
    const dd cosh = dd_scale(dd_add(grown, dd_div(dd_of(1), grown)), 0.5);
    const dd angle = dd_mul_d(dd_pi, mu);
    const dd turn = mu == 0 ? dd_of(1) : dd_div(angle, dd_sinpi(dd_of(mu)));
    const dd half = dd_sinpi(dd_of(0.5 * mu));
    const dd mixed = mu == 0 ? dd_of(0) : dd_div_d(dd_scale(dd_mul(half, half), 2), mu);
    const dd scale = sign < 0 ? dd_div(dd_of(2), dd_pi) : dd_of(1);
    const dd both = dd_add(dd_mul(cosh, slope), dd_mul(dd_mul(order_sinh(sigma), l), mean));
    dd f = dd_mul(dd_mul(scale, turn), both);
    dd p = dd_scale(dd_mul(scale, dd_div(grown, up)), 0.5);
    dd q = dd_scale(dd_mul(scale, dd_div(dd_of(1), dd_mul(grown, down))), 0.5);
    const dd z = dd_scale(dd_product(x, x), sign * 0.25);
    dd c = dd_of(1), g = sign < 0 ? dd_add(f, dd_mul(mixed, q)) : f;
    order_pair s = {g, p, 0};
    for (int k = 1; k < 500; k++) {
        f = dd_div(dd_add(dd_mul_d(f, k), dd_add(p, q)), dd_mul(dd_sum(k, -mu), dd_sum(k, mu)));
        p = dd_div(p, dd_sum(k, -mu));
        q = dd_div(q, dd_sum(k, mu));
        c = dd_div_d(dd_mul(c, z), k);
        g = sign < 0 ? dd_add(f, dd_mul(mixed, q)) : f;
        const dd one = dd_mul(c, g), two = dd_mul(c, dd_sub(p, dd_mul_d(g, k)));
        s.at = dd_add(s.at, one);
        s.next = dd_add(s.next, two);
        if (k > 0.5 * x && fabs(one.h) < 1e-33 * fabs(s.at.h) &&
            fabs(two.h) < 1e-33 * fabs(s.next.h))
            break;
    }
    s.next = dd_mul(s.next, dd_div_d(dd_of(2), x));
    if (sign < 0) s.at = dd_neg(s.at), s.next = dd_neg(s.next);
    return s;
}

order_sums order_hankel(double v, double x, int sign) {
    const dd square = dd_scale(dd_product(v, v), 4), far = dd_scale(dd_of(x), 8);
    order_sums s = {dd_of(1), dd_of(0)};
    dd term = dd_of(1);
    double last = INFINITY;
    for (int k = 1; k < 1000; k++) {
        const double odd = 2 * k - 1;
        term = dd_div(dd_mul(term, dd_add_d(square, -odd * odd)), dd_mul_d(far, k));
        if (fabs(term.h) < 1e-34 || (fabs(term.h) > last && k > v)) break;
        last = fabs(term.h);
        const int turned = sign > 0 && (k / 2) % 2;
        if (k % 2) s.odd = turned ? dd_sub(s.odd, term) : dd_add(s.odd, term);
        else s.even = turned ? dd_sub(s.even, term) : dd_add(s.even, term);
    }
    return s;
}

void order_step(order_pair *p, double v, double x, int sign) {
    const dd forward = dd_mul(p->next, dd_div_d(dd_of(2 * v), x));
    const dd up = sign > 0 ? dd_sub(forward, p->at) : dd_add(forward, p->at);
    p->at = p->next;
    p->next = up;
    if (fabs(up.h) > 0x1p400) {
        p->at = dd_scale(p->at, 0x1p-400);
        p->next = dd_scale(p->next, 0x1p-400);
        p->exponent += 400;
    }
}

/* 1 / (b1 - sign / (b2 - sign / ...)), b_i = 2 (v + i) / x, by Lentz's method */
dd order_ratio(double v, double x, int sign) {
    const dd per = dd_div_d(dd_of(2), x);
    dd b = dd_mul(dd_sum(v, 1), per), c = dd_of(1e300), d = dd_div(dd_of(1), b), f = d;
    for (int i = 2; i < 1000000; i++) {
        b = dd_mul(dd_sum(v, i), per);
        const dd less = dd_mul_d(d, -sign), more = dd_div(dd_of(-sign), c);
        d = dd_add(b, less);
        if (d.h == 0) d = dd_of(1e-300);
        d = dd_div(dd_of(1), d);
        c = dd_add(b, more);
        if (c.h == 0) c = dd_of(1e-300);
        const dd step = dd_mul(c, d);
        f = dd_mul(f, step);
        if (fabs((step.h - 1) + step.l) < 1e-31) break;
    }
    return f;
}
