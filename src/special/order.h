/* order.h - what the Bessel functions of real order share: where their recurrences begin.
 *
 * An order is mu + n with |mu| <= 1/2. Values at mu and mu + 1 come from Temme's series for small
 * arguments and from Hankel's expansion for large ones; order.c has both, for Y and for K, and
 * bessel_order.c and modified_order.c go from there to other orders. All in two doubles. */
#ifndef WEFT_SPECIAL_ORDER_H
#define WEFT_SPECIAL_ORDER_H

#include "dd.h"

#include <stdint.h>

#define ORDER_MOST 10000.0 /* orders that are computed */

typedef struct order_pair {
    dd at, next; /* values of orders v and v + 1, both times 2^exponent */
    int exponent;
} order_pair;

/* sign -1: Y; sign 1: K. Orders mu and mu + 1, 0 < x up to 25 for Y, 2 for K. */
order_pair order_temme(double mu, double x, int sign);

/* The two sums of Hankel's expansion for order v: 1 - sign a2 / x^2 + ... and
 * a1 / x - sign a3 / x^3 + ..., with x well above v^2 / 2. sign 1: of J and Y, whose terms
 * alternate in pairs; sign -1: of K. */
typedef struct order_sums {
    dd even, odd;
} order_sums;
order_sums order_hankel(double v, double x, int sign);

/* One step up: f(v + 1) = 2 v / x f(v) - sign f(v - 1), sign 1 for J and Y, -1 for K. p is at v - 1
 * and v. Values that grow are divided by powers of two. */
void order_step(order_pair *p, double v, double x, int sign);

/* f(v + 1) / f(v) of the function that vanishes with its order, J (sign 1) or I (-1). */
dd order_ratio(double v, double x, int sign);

dd order_log_half(double x); /* ln(x / 2), x > 0, also of the smallest doubles */
dd order_cospi(double v);    /* cos(pi v) and sin(pi v), of any v */
dd order_sinpi(double v);

#endif
