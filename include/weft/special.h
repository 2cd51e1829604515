/* special.h - special functions: gamma and related functions, error functions, Bessel functions and others.
 *
 *     double y = weft_special_lgamma(3.7);                             one number
 *     float  z = weft_special_erf_f32(0.5f);                           the same in float
 *     weft_special_map(c, WEFT_SPECIAL_bessel_j0, n, &x, y);           arrays, vectorised
 *     weft_special_derivative(WEFT_SPECIAL_erf, 0, &x);                d/dx at a point
 *
 * Errors are within 4 ulps of double times 1 + |x f'(x) / f(x)|, the condition of the function at
 * that point, for functions of one argument, and within 1e-13 of the value for the others, away
 * from their roots (a subnormal value: within its last bit or two); docs/special.md has the largest
 * error found of each. Floats are computed in double and rounded once. Outside its domain the value
 * is NaN; at a pole it is infinite if both sides have the same sign or the sign of zero tells the
 * side, else NaN. Nothing is allocated, nothing is global, and any thread may call.
 *
 * The same functions as graph operations, where they are smooth, are in weft.h: weft_lgamma, ...
 *
 * Reading order: the functions, by name, one number at a time; all of them as a table; arrays. */
#ifndef WEFT_SPECIAL_H
#define WEFT_SPECIAL_H

#include "weft.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- gamma functions ------------------------------------------------------------------------ */

WEFT_API double weft_special_gamma    (double x);            /* Gamma(x); NaN at -1, -2, ... */
WEFT_API double weft_special_lgamma   (double x);            /* ln |Gamma(x)|; inf at its poles */
WEFT_API double weft_special_digamma  (double x);            /* d/dx ln |Gamma(x)| */
WEFT_API double weft_special_polygamma(double n, double x);  /* its n-th derivative, n >= 0 */
WEFT_API double weft_special_beta     (double a, double b);  /* Gamma(a) Gamma(b) / Gamma(a + b) */
WEFT_API double weft_special_lbeta    (double a, double b);  /* ln |Beta(a, b)| */

/* Incomplete, and regularised: from 0 to 1. a, b > 0; x >= 0, for beta 0 <= x <= 1. */
WEFT_API double weft_special_gamma_p(double a, double x);
    /* integral from 0 to x of t^(a - 1) e^-t dt / Gamma(a) */
WEFT_API double weft_special_gamma_q(double a, double x);          /* 1 - P(a, x) */
WEFT_API double weft_special_gamma_p_inverse(double a, double p);  /* x with P(a, x) = p */
WEFT_API double weft_special_gamma_q_inverse(double a, double q);  /* x with Q(a, x) = q */
WEFT_API double weft_special_beta_i(double a, double b, double x);
    /* integral from 0 to x of t^(a - 1) (1 - t)^(b - 1) dt / Beta(a, b) */
WEFT_API double weft_special_beta_i_inverse(double a, double b, double p);
    /* x with I(a, b, x) = p */

/* ---- error functions ------------------------------------------------------------------------ */

WEFT_API double weft_special_erf    (double x);  /* 2 / sqrt(pi) integral, 0 to x, of e^-t^2 dt */
WEFT_API double weft_special_erfc   (double x);  /* 1 - erf(x) */
WEFT_API double weft_special_erfcx  (double x);  /* e^x^2 erfc(x) */
WEFT_API double weft_special_erfinv (double p);  /* x with erf(x) = p; infinite at -1 and 1 */
WEFT_API double weft_special_erfcinv(double q);  /* x with erfc(x) = q; infinite at 0 and 2 */

/* ---- Bessel functions ----------------------------------------------------------------------- */

WEFT_API double weft_special_bessel_j0(double x);  /* J, first kind, of order 0 */
WEFT_API double weft_special_bessel_j1(double x);  /* J of order 1 */
WEFT_API double weft_special_bessel_y0(double x);  /* Y, second kind, x >= 0; -inf at 0 */
WEFT_API double weft_special_bessel_y1(double x);  /* Y of order 1 */
WEFT_API double weft_special_bessel_i0(double x);  /* I, modified, first kind */
WEFT_API double weft_special_bessel_i1(double x);  /* I of order 1 */
WEFT_API double weft_special_bessel_k0(double x);  /* K, modified, second kind, x >= 0; inf at 0 */
WEFT_API double weft_special_bessel_k1(double x);  /* K of order 1 */
WEFT_API double weft_special_bessel_i0e(double x);  /* e^-|x| I0(x) */
WEFT_API double weft_special_bessel_i1e(double x);  /* e^-|x| I1(x) */
WEFT_API double weft_special_bessel_k0e(double x);  /* e^x K0(x) */
WEFT_API double weft_special_bessel_k1e(double x);  /* e^x K1(x) */

/* Of real order. x < 0 needs an integer order, and is NaN for Y and K. Orders from -10,000 to 10,000;
 * beyond, NaN. */
WEFT_API double weft_special_bessel_j (double v, double x);  /* J of order v */
WEFT_API double weft_special_bessel_y (double v, double x);  /* Y of order v */
WEFT_API double weft_special_bessel_i (double v, double x);  /* I of order v */
WEFT_API double weft_special_bessel_k (double v, double x);  /* K of order v */
WEFT_API double weft_special_bessel_ie(double v, double x);  /* e^-|x| I of order v */
WEFT_API double weft_special_bessel_ke(double v, double x);  /* e^x K of order v */

WEFT_API double weft_special_airy_ai(double x);        /* Ai: y'' = x y, decreasing for x > 0 */
WEFT_API double weft_special_airy_bi(double x);        /* Bi: the same, increasing for x > 0 */
WEFT_API double weft_special_airy_ai_prime(double x);  /* Ai' */
WEFT_API double weft_special_airy_bi_prime(double x);  /* Bi' */

/* ---- others --------------------------------------------------------------------------------- */

WEFT_API double weft_special_e1(double x);           /* integral from x on of e^-t / t dt; x >= 0 */
WEFT_API double weft_special_ei(double x);           /* integral up to x of e^t / t dt */
WEFT_API double weft_special_lambert_w  (double x);  /* w >= -1 with w e^w = x; x >= -1/e */
WEFT_API double weft_special_lambert_wm1(double x);  /* w <= -1 with w e^w = x; -1/e <= x <= 0 */
WEFT_API double weft_special_zeta   (double s);            /* sum over k >= 1 of k^-s, continued */
WEFT_API double weft_special_hurwitz(double s, double q);  /* sum over k >= 0 of (k + q)^-s */
    /* s > 1, q > 0 */
WEFT_API double weft_special_elliptic_k(double m);
    /* integral from 0 to pi/2 of (1 - m sin^2 t)^(-1/2) dt; m <= 1 is the parameter, k^2 */
WEFT_API double weft_special_elliptic_e(double m);   /* the same of (1 - m sin^2 t)^(1/2) */
WEFT_API double weft_special_xlogy(double x, double y);  /* x ln y; 0 at x = 0, even for y = 0 */
WEFT_API double weft_special_logsumexp(int64_t n, const double *x);
    /* ln sum e^x[i], without overflow; -inf for n = 0 */

/* ---- all of them ---------------------------------------------------------------------------- */

/* Name and derivatives, which are C expressions of the arguments x, y, z in their order and of the
 * result r; sgn is the sign, NONE where the derivative has no such expression. */
/* clang-format off */
#define WEFT_SPECIALS(ONE, TWO, THREE)                                                            \
    ONE(gamma,           r * digamma(x))                                                          \
    ONE(lgamma,          digamma(x))                                                              \
    ONE(digamma,         polygamma(1, x))                                                         \
    TWO(polygamma,       NONE, polygamma(x + 1, y))                                               \
    TWO(beta,            r * (digamma(x) - digamma(x + y)), r * (digamma(y) - digamma(x + y)))    \
    TWO(lbeta,           digamma(x) - digamma(x + y), digamma(y) - digamma(x + y))                \
    TWO(gamma_p,         NONE, exp((x - 1) * log(y) - y - lgamma(x)))                             \
    TWO(gamma_q,         NONE, -exp((x - 1) * log(y) - y - lgamma(x)))                            \
    TWO(gamma_p_inverse, NONE, exp(r + lgamma(x) - (x - 1) * log(r)))                             \
    TWO(gamma_q_inverse, NONE, -exp(r + lgamma(x) - (x - 1) * log(r)))                            \
    THREE(beta_i,        NONE, NONE, exp((x - 1) * log(z) + (y - 1) * log1p(-z) - lbeta(x, y)))   \
    THREE(beta_i_inverse, NONE, NONE, exp(lbeta(x, y) - (x - 1) * log(r) - (y - 1) * log1p(-r)))  \
    ONE(erf,             1.1283791670955126 * exp(-x * x))                                        \
    ONE(erfc,            -1.1283791670955126 * exp(-x * x))                                       \
    ONE(erfcx,           2 * x * r - 1.1283791670955126)                                          \
    ONE(erfinv,          0.88622692545275801 * exp(r * r))                                        \
    ONE(erfcinv,         -0.88622692545275801 * exp(r * r))                                       \
    ONE(bessel_j0,       -bessel_j1(x))                                                           \
    ONE(bessel_j1,       x == 0 ? 0.5 : bessel_j0(x) - r / x)                                     \
    ONE(bessel_y0,       -bessel_y1(x))                                                           \
    ONE(bessel_y1,       bessel_y0(x) - r / x)                                                    \
    ONE(bessel_i0,       bessel_i1(x))                                                            \
    ONE(bessel_i1,       x == 0 ? 0.5 : bessel_i0(x) - r / x)                                     \
    ONE(bessel_k0,       -bessel_k1(x))                                                           \
    ONE(bessel_k1,       -bessel_k0(x) - r / x)                                                   \
    ONE(bessel_i0e,      bessel_i1e(x) - sgn(x) * r)                                              \
    ONE(bessel_i1e,      x == 0 ? 0.5 : bessel_i0e(x) - r * (sgn(x) + 1 / x))                     \
    ONE(bessel_k0e,      r - bessel_k1e(x))                                                       \
    ONE(bessel_k1e,      r - bessel_k0e(x) - r / x)                                               \
    TWO(bessel_j,        NONE, (bessel_j(x - 1, y) - bessel_j(x + 1, y)) / 2)                     \
    TWO(bessel_y,        NONE, (bessel_y(x - 1, y) - bessel_y(x + 1, y)) / 2)                     \
    TWO(bessel_i,        NONE, (bessel_i(x - 1, y) + bessel_i(x + 1, y)) / 2)                     \
    TWO(bessel_k,        NONE, -(bessel_k(x - 1, y) + bessel_k(x + 1, y)) / 2)                    \
    TWO(bessel_ie,       NONE, (bessel_ie(x - 1, y) + bessel_ie(x + 1, y)) / 2 - sgn(y) * r)      \
    TWO(bessel_ke,       NONE, r - (bessel_ke(x - 1, y) + bessel_ke(x + 1, y)) / 2)               \
    ONE(airy_ai,         airy_ai_prime(x))                                                        \
    ONE(airy_bi,         airy_bi_prime(x))                                                        \
    ONE(airy_ai_prime,   x * airy_ai(x))                                                          \
    ONE(airy_bi_prime,   x * airy_bi(x))                                                          \
    ONE(e1,              -exp(-x) / x)                                                            \
    ONE(ei,              exp(x) / x)                                                              \
    ONE(lambert_w,       x == 0 ? 1 : r / (x * (1 + r)))                                          \
    ONE(lambert_wm1,     r / (x * (1 + r)))                                                       \
    ONE(zeta,            NONE)                                                                    \
    TWO(hurwitz,         NONE, -x * hurwitz(x + 1, y))                                            \
    ONE(elliptic_k,      x == 0 ? 0.39269908169872414 : (elliptic_e(x) / (1 - x) - r) / (2 * x))  \
    ONE(elliptic_e,      x == 0 ? -0.39269908169872414 : (r - elliptic_k(x)) / (2 * x))           \
    TWO(xlogy,           log(y), x / y)
/* clang-format on */

typedef enum weft_special {
#define WEFT_SPECIAL_X(name, ...) WEFT_SPECIAL_##name,
    WEFT_SPECIALS(WEFT_SPECIAL_X, WEFT_SPECIAL_X, WEFT_SPECIAL_X)
#undef WEFT_SPECIAL_X
    WEFT_SPECIAL_COUNT
} weft_special;

WEFT_API const char *weft_special_name(weft_special f);       /* "gamma"; NULL: no such function */
WEFT_API int         weft_special_arguments(weft_special f);  /* 1, 2 or 3; 0: no such function */
WEFT_API bool        weft_special_find(const char *name, weft_special *f);  /* false: unknown */
WEFT_API const char *weft_special_formula(weft_special f, int argument);
    /* of the derivative, as in the table; NULL where there is none */
WEFT_API double weft_special_at(weft_special f, const double *x);  /* x: its arguments, in order */
WEFT_API double weft_special_derivative(weft_special f, int argument, const double *x);
    /* by one argument, counted from 0; NaN where the table has NONE */

/* weft_special_NAME_f32 for each: float in, float out. */
#define WEFT_SPECIAL_ONE(name, dx)                                                                \
    static inline float weft_special_##name##_f32(float x) {                                      \
        return (float)weft_special_##name((double)x);                                             \
    }
#define WEFT_SPECIAL_TWO(name, dx, dy)                                                            \
    static inline float weft_special_##name##_f32(float x, float y) {                             \
        return (float)weft_special_##name((double)x, (double)y);                                  \
    }
#define WEFT_SPECIAL_THREE(name, dx, dy, dz)                                                      \
    static inline float weft_special_##name##_f32(float x, float y, float z) {                    \
        return (float)weft_special_##name((double)x, (double)y, (double)z);                       \
    }
WEFT_SPECIALS(WEFT_SPECIAL_ONE, WEFT_SPECIAL_TWO, WEFT_SPECIAL_THREE)
#undef WEFT_SPECIAL_ONE
#undef WEFT_SPECIAL_TWO
#undef WEFT_SPECIAL_THREE

/* ---- arrays --------------------------------------------------------------------------------- */

/* y[i] = f(x[0][i], x[1][i], ...) for i < n: an array for each argument; y may be one of them.
 * Functions of one argument are vectorised, except lambert_w, lambert_wm1,
 * zeta, elliptic_k and elliptic_e; a result may differ from the single number's in its last bit. */
WEFT_API weft_err weft_special_map(weft_ctx *c, weft_special f, int64_t n,
        const double *const *x, double *y);
WEFT_API weft_err weft_special_map_f32(weft_ctx *c, weft_special f, int64_t n,
        const float *const *x, float *y);  /* the same in float */

#ifdef __cplusplus
}
#endif
#endif
