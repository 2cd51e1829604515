/* bench_special.h - the special functions that are timed: where, and what they should be. */
#ifndef WEFT_CLI_BENCH_SPECIAL_H
#define WEFT_CLI_BENCH_SPECIAL_H

/* clang-format off */
/*    name         from   to   size below which only differences of that size count: zeros lie there
      Functions of several arguments have 2.5 for the others. */
#define SPECIAL_TIMED(X)                                                                           \
    X(gamma,         -10,   100, 0)      X(lgamma,        -10,  100, 1)                            \
    X(digamma,       -10,   100, 1)      X(erf,            -4,    4, 0)                            \
    X(erfc,           -4,    10, 0)      X(erfcx,          -4,   10, 0)                            \
    X(erfinv,         -1,     1, 0)      X(erfcinv,         0,    2, 0.01)                         \
    X(bessel_j0,     -50,    50, 0.1)    X(bessel_j1,     -50,   50, 0.1)                          \
    X(bessel_y0,       0,    50, 0.1)    X(bessel_y1,       0,   50, 0.1)                          \
    X(bessel_i0,     -50,    50, 0)      X(bessel_i1e,    -50,   50, 0)                            \
    X(bessel_k0,       0,    50, 0)      X(bessel_k1e,      0,   50, 0)                            \
    X(airy_ai,       -20,    20, 0)      X(airy_bi_prime, -20,   20, 0.1)                          \
    X(e1,              0,    50, 0)      X(ei,            -20,   50, 0.1)                          \
    X(lambert_w,   -0.36,    50, 0)      X(zeta,          -10,   20, 0.01)                         \
    X(elliptic_k,     -2,     1, 0)      X(gamma_p,         0,   10, 0)                            \
    X(bessel_j,        0,    50, 0.1)
/* clang-format on */

/* The function of x; found: what the library says it is. */
#define X(name, low, high, size) double special_truth_##name(double x, double found);
SPECIAL_TIMED(X)
#undef X

#endif
