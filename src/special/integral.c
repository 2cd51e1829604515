/* integral.c - the edges of the exponential integrals. */
#include "edges.h"
#include "lane_integral.h"

#define INTEGRAL_EULER 0.57721566490153286

double edge_e1(double x) {
    if (x == 0) return INFINITY;
    if (!(x > 0)) return NAN;
    if (x < 1) return -INTEGRAL_EULER - log(x);
    if (x > 1000) return 0.0;
    const double half = exp(-0.5 * x);
    return half * (fit_e1_tail(1.0 / x) / x) * half;
}

double edge_ei(double x) {
    if (isnan(x)) return x;
    if (fabs(x) < 1) return x == 0 ? -INFINITY : INTEGRAL_EULER + log(fabs(x));
    if (x < 0) return -edge_e1(-x);
    if (x > 1000) return INFINITY;
    const double half = exp(0.5 * x);
    return half * (fit_ei_tail(1.0 / x) / x) * half;
}
