/* erf.c - the edges of the error functions: where they have reached their limits, and where
 * results are subnormal. */
#include "edges.h"
#include "lane_erf.h"

double edge_erf(double x) {
    return x > 0 ? 1.0 : x < 0 ? -1.0 : x;
}

double edge_erfc(double x) {
    if (x < 0) return 2.0;
    if (!(x < 28)) return isnan(x) ? x : 0.0;
    const lane_pair square = lane_product(x, x);
    /* rounded to a subnormal once, at the end */
    return lane_exp_pair(64.0 - square.high, -square.low) * lane_erfcx_large(x) * lane_exp(-64.0);
}

double edge_erfcx(double x) {
    if (x > 0) return 0.56418958354775628 / x; /* 1 / sqrt(pi) */
    if (!(x > -27)) return isnan(x) ? x : INFINITY;
    const lane_pair square = lane_product(x, x);
    return lane_exp_pair(square.high - 8.0, square.low) * (2.0 * lane_exp(8.0));
}

double edge_erfinv(double p) {
    return fabs(p) == 1 ? copysign(INFINITY, p) : NAN;
}

double edge_erfcinv(double q) {
    if (q == 0) return INFINITY;
    if (q == 2) return -INFINITY;
    return q > 0 && q < 2 ? fit_erfcinv(sqrt(-log(q))) : NAN;
}
