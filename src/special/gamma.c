/* gamma.c - the edges of Gamma, its logarithm and digamma: zero and what is near it, what is too
 * large, what is nearly nothing. */
#include "edges.h"
#include "lane_gamma.h"

double edge_gamma(double x) {
    if (fabs(x) < 0x1p-1000) return 1.0 / x;
    if (x > 171.5 && x < 171.625) return lane_gamma(x - 1.0) * (x - 1.0);
    if (x > 0) return INFINITY;
    if (!(x < 0) || x == floor(x)) return NAN;
    if (x < -190) return fmod(floor(x), 2.0) == 0 ? 0.0 : -0.0;
    double y = lane_gamma(x + 20.0); /* Gamma(x + 20) / (x (x + 1) ... (x + 19)) */
    for (int i = 19; i >= 0; i--) y /= x + i;
    return y;
}

double edge_lgamma(double x) {
    if (isnan(x)) return x;
    if (fabs(x) < 0x1p-1000) return x == 0 ? INFINITY : -log(fabs(x));
    if (x > 0) return x < INFINITY ? x * (log(x) - 1) : x;
    /* the only ones left between poles are halves, where |sin(pi x)| = 1 */
    return x == floor(x) ? INFINITY : FIT_LOG_PI - log(-x) - lane_lgamma_positive(-x);
}

double edge_digamma(double x) {
    if (fabs(x) < 0x1p-1000) return -1.0 / x;
    return x > 0 ? log(x) : x < 0 && x != floor(x) ? log(-x) : NAN;
}
