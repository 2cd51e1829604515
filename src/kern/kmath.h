/* kmath.h - the k_ helpers of ops.def in C: f32 and i32 functions without branches.
 *
 * They are written to be inlined into plain loops that gcc and clang turn into vectors of any
 * width, so choices are conditional expressions and there are no calls, tables or loops.
 * Contraction to fused multiply-add is allowed throughout and needed nowhere. Relies on round to
 * nearest and works with denormals flushed or kept: a denormal argument of log or pow counts as
 * zero, a denormal result of exp or pow is zero. Infinities and nan behave as in C's math.h except
 * where a comment says otherwise.
 *
 * The polynomials are minimax fits of the functions named beside them, with coefficients rounded to
 * f32; errors given are those of the polynomial alone. */
#ifndef WEFT_KMATH_H
#define WEFT_KMATH_H

#include "base/compiler.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

WEFT_TARGET_BEGIN_128

/* ---- bits ---- */

WEFT_INLINE uint32_t k_bits(float a) {
    uint32_t u;
    memcpy(&u, &a, sizeof u);
    return u;
}

WEFT_INLINE float k_float(uint32_t u) {
    float a;
    memcpy(&a, &u, sizeof a);
    return a;
}

/* Low half of a double's bits: the integer in it after adding 1.5 * 2^52, and no conversion that
 * would be undefined for nan. */
WEFT_INLINE uint32_t k_low_bits(double a) {
    uint64_t u;
    memcpy(&u, &a, sizeof u);
    return (uint32_t)u;
}

WEFT_INLINE float k_with_sign(float size, float sign) {
    return k_float((k_bits(size) & 0x7fffffffu) | (k_bits(sign) & 0x80000000u));
}

/* ---- simple ones ---- */

WEFT_INLINE float k_abs(float a) { return k_float(k_bits(a) & 0x7fffffffu); }
WEFT_INLINE float k_sign(float a) { return a > 0.0f ? 1.0f : a < 0.0f ? -1.0f : a; } /* nan: nan */
WEFT_INLINE float k_sqrt(float a) { return sqrtf(a); }
WEFT_INLINE float k_rsqrt(float a) { return 1.0f / sqrtf(a); }
WEFT_INLINE float k_recip(float a) { return 1.0f / a; }

/* nan if either is. The check of b is apart so that it vanishes for a constant b, as in relu. */
WEFT_INLINE float k_max(float a, float b) {
    const float most = a < b ? b : a;
    return b != b ? b : most;
}

WEFT_INLINE float k_min(float a, float b) {
    const float least = b < a ? b : a;
    return b != b ? b : least;
}

/* Halves to even. Above 2^23 a float is whole; below it, adding 2^23 leaves no room for a fraction.
 * No vector rounding exists in SSE2, and this is as fast as memory elsewhere. */
WEFT_INLINE float k_round(float a) {
    const float size = k_abs(a), whole = k_with_sign((size + 8388608.0f) - 8388608.0f, a);
    return size < 8388608.0f ? whole : a;
}

WEFT_INLINE float k_floor(float a) {
    const float nearest = k_round(a);
    return nearest > a ? nearest - 1.0f : nearest;
}

WEFT_INLINE float k_ceil(float a) {
    const float nearest = k_round(a);
    return nearest < a ? k_with_sign(nearest + 1.0f, a) : nearest;
}

/* a - floor(a / b) b: sign of b, up to b itself where a is tiny; nan for b = 0; a mod inf is a, or
 * inf where the signs differ. The quotient may round up to a whole number, hence the correction. From
 * quotients of 2^24 on, and without fused multiply-add, digits are lost: see kfar.h. */
WEFT_INLINE float k_mod_of(float a, float b, float q, float rest) {
    const float r = q == 0.0f ? a : rest;
    return (r < 0.0f && b > 0.0f) || (r > 0.0f && b < 0.0f) ? r + b : r;
}
WEFT_INLINE float k_mod(float a, float b) {
    const float q = k_floor(a / b);
    return k_mod_of(a, b, q, a - q * b);
}

WEFT_INLINE int32_t k_lt(float a, float b) { return a < b; }
WEFT_INLINE int32_t k_le(float a, float b) { return a <= b; }
WEFT_INLINE int32_t k_eq(float a, float b) { return a == b; }
WEFT_INLINE int32_t k_ne(float a, float b) { return a != b; }

/* ---- exponentials ---- */

/* exp(a) = result * 2^n with *shift = n << 23, for |a| < 2^21; nan gives nan. */
WEFT_INLINE float k_exp_parts(float a, uint32_t *shift) {
    const float t = a * 1.44269504f + 12582912.0f;      /* n in the low bits */
    const float n = t - 12582912.0f;
    const float r = a - n * 0.693359375f + n * 2.12194440e-4f;
    *shift = k_bits(t) << 23;
    /* (exp(r) - 1 - r) / r^2, 2^-28.2 of exp */
    float p = 1.38387596e-3f;
    p = p * r + 8.36919062e-3f;
    p = p * r + 4.16681021e-2f;
    p = p * r + 0.166665167f;
    p = p * r + 0.49999994f;
    return p * (r * r) + r + 1.0f;
}

/* For arguments within -87 ... 89; from 88.4 on it may be inf. */
WEFT_INLINE float k_exp_inside(float a) {
    uint32_t shift;
    const float p = k_exp_parts(a, &shift);
    return p * k_float(shift + 0x3f800000u);
}

/* 2 ulp. The exponent is added in integers, since 2^128 is no float but may meet a p below 1. */
WEFT_INLINE float k_exp(float a) {
    uint32_t shift;
    const float p = k_exp_parts(a, &shift);
    const float r = k_float(k_bits(p) + shift);
    const float low = a < -87.3365479f ? 0.0f : r;
    return a <= 88.7228317f ? low : a + INFINITY;       /* inf or nan */
}

/* (exp(a) - 1) / 2 for arguments within -18 ... 89: half, because exp(88.7) is beyond 2^127. */
WEFT_INLINE float k_expm1_half(float a) {
    const float t = a * 1.44269504f + 12582912.0f;
    const float n = t - 12582912.0f;
    const float r = a - n * 0.693359375f + n * 2.12194440e-4f;
    const float h = k_float((k_bits(t) << 23) + 0x3f000000u);       /* 2^(n - 1) */
    /* (expm1(r) - r) / r^2, 2^-31 of expm1 */
    float p = 1.96645226e-4f;
    p = p * r + 1.39350467e-3f;
    p = p * r + 8.33364297e-3f;
    p = p * r + 4.16664667e-2f;
    p = p * r + 0.166666657f;
    p = p * r + 0.5f;
    return h * (p * (r * r) + r) + (h - 0.5f);
}

WEFT_INLINE float k_expm1(float a) {
    const float low = a < -18.0f ? -18.0f : a;
    return 2.0f * k_expm1_half(low > 89.0f ? 89.0f : low);
}

WEFT_INLINE float k_tanh(float a) {
    const float size = k_abs(a);
    const float h = k_expm1_half(2.0f * (size > 10.0f ? 10.0f : size));
    return k_with_sign(h / (h + 1.0f), a);
}

WEFT_INLINE float k_sigmoid(float a) {
    const float low = a > 80.0f ? 80.0f : a;
    return 1.0f / (1.0f + k_exp_inside(low < -89.0f ? 89.0f : -low));
}

/* ---- logarithms ---- */

/* f + 1 in [sqrt(1/2), sqrt(2)): log((f + 1) 2^e) */
WEFT_INLINE float k_log_parts(float f, float e) {
    const float z = f * f;
    /* (log1p(f) - f + f^2 / 2) / f^3, 2^-27.2 of log1p */
    float p = -7.63442367e-2f;
    p = p * f + 0.127615035f;
    p = p * f - 0.131601766f;
    p = p * f + 0.142017692f;
    p = p * f - 0.166233599f;
    p = p * f + 0.200012267f;
    p = p * f - 0.250008196f;
    p = p * f + 0.333333313f;
    const float rest = p * (f * z) - e * 2.12194440e-4f - 0.5f * z;
    return e * 0.693359375f + (rest + f);
}

/* What a logarithm of a is at the edges: -inf at 0, nan below, inf and nan as they are. */
WEFT_INLINE float k_log_edges(float r, float a) {
    const float low = a < 0.0f ? NAN : -INFINITY;
    const float inside = a < 1.17549435e-38f ? low : r;
    return a < INFINITY ? inside : a;
}

WEFT_INLINE float k_log(float a) {
    const uint32_t u = k_bits(a) - 0x3f3504f3u;         /* sqrt(1/2) becomes exponent 0 */
    const int32_t e = (int32_t)u >> 23;
    const float f = k_float((u & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    return k_log_edges(k_log_parts(f, (float)e), a);
}

/* log(1 + a) with what 1 + a lost in rounding put back. */
WEFT_INLINE float k_log1p(float a) {
    const float one = 1.0f + a, lost = a - (one - 1.0f);
    const uint32_t u = k_bits(one) - 0x3f3504f3u;
    const int32_t e = (int32_t)u >> 23, scale = e < 64 ? e : 64;
    const float f = k_float((u & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    const float all = f + lost * k_float(0x3f800000u - ((uint32_t)scale << 23));
    return k_log_edges(k_log_parts(all, (float)e), one);
}

/* ---- error function ---- */

WEFT_INLINE float k_erf(float a) {
    const float size = k_abs(a), z = a * a, t = size > 4.0f ? 4.0f : size;
    /* erf(a) / a - 1 up to 0.92, 2^-25.9 */
    float p = -6.00381289e-4f;
    p = p * z + 4.99585457e-3f;
    p = p * z - 2.67685801e-2f;
    p = p * z + 0.11281877f;
    p = p * z - 0.376125008f;
    p = p * z + 0.128379151f;
    /* log(erfc(t)) from 0.9 to 4, 2^-29 of erf */
    float q = 1.98218739e-4f;
    q = q * t - 3.06548038e-3f;
    q = q * t + 2.23151669e-2f;
    q = q * t - 0.104113564f;
    q = q * t - 0.636976242f;
    q = q * t - 1.12779713f;
    q = q * t - 1.66482554e-4f;
    const float outer = k_with_sign(1.0f - k_exp_inside(q), a);
    return size < 0.92f ? a + a * p : outer;
}

/* ---- circle ---- */

/* sin of r + quarter * pi/2 for |r| <= pi/4 and a little more */
WEFT_INLINE float k_sin_parts(float r, uint32_t quarter) {
    const float z = r * r;
    float s = -1.95180954e-4f;                          /* (sin(r) - r) / r^3, 2^-27.9 of sin */
    s = s * z + 8.33218824e-3f;
    s = s * z - 0.166666552f;
    s = s * (z * r) + r;
    float c = 2.44323273e-5f;                           /* (cos(r) - 1 + z/2) / z^2, 2^-33 */
    c = c * z - 1.38873095e-3f;
    c = c * z + 4.16666456e-2f;
    c = c * (z * z) - 0.5f * z + 1.0f;
    return k_float(k_bits(quarter & 1 ? c : s) ^ (quarter & 2) << 30);
}

/* The nearest multiple of pi/2 is subtracted in double, as two parts: the first has 33 bits, so
 * that products up to |a| = 1.6e6 are exact without fused multiply-add, and fair up to 2^30.
 * Beyond, where neighbouring floats are 64 apart, see kfar.h. */
WEFT_INLINE float k_sin_reduce(float a, uint32_t *quarter) {
    const double x = a;
    const double t = x * 0.6366197723675814 + 6755399441055744.0;   /* 1.5 * 2^52 */
    const double n = t - 6755399441055744.0;
    *quarter = k_low_bits(t);
    return (float)(x - n * 1.5707963267341256 - n * 6.077100506506192e-11);
}

WEFT_INLINE float k_sin(float a) {
    uint32_t quarter;
    const float r = k_sin_reduce(a, &quarter);
    return k_sin_parts(r, quarter);
}

WEFT_INLINE float k_cos(float a) {
    uint32_t quarter;
    const float r = k_sin_reduce(a, &quarter);
    return k_sin_parts(r, quarter + 1);
}

/* ---- power ---- */

/* 2^(b log2 |a|), the exponent in double, then signs and edges. nan for a < 0 unless b is whole,
 * also for a = -inf. */
WEFT_INLINE float k_pow(float a, float b) {
    const float x = k_abs(a);
    const uint32_t u = k_bits(x) - 0x3f3504f3u;
    const int32_t e = (int32_t)u >> 23;
    const float m = k_float((u & 0x007fffffu) + 0x3f3504f3u);
    const double s = (double)(m - 1.0f) / ((double)m + 1.0), z = s * s;
    double l = 0.34074899157600885;                     /* log2((1 + s) / (1 - s)) / s, 2^-37.8 */
    l = l * z + 0.4116717443359334;
    l = l * z + 0.5770836003785371;
    l = l * z + 0.9617966732657968;
    l = l * z + 2.885390081790143;
    const double y = (double)b * (l * s + (double)e);
    const double t = y + 6755399441055744.0;
    const float r = (float)((y - (t - 6755399441055744.0)) * 0.6931471805599453);
    /* (exp(r) - 1 - r) / r^2, as in k_exp_parts */
    float p = 1.38387596e-3f;
    p = p * r + 8.36919062e-3f;
    p = p * r + 4.16681021e-2f;
    p = p * r + 0.166665167f;
    p = p * r + 0.49999994f;
    p = p * (r * r) + r + 1.0f;

    /* 0 and inf act through the exponent, but not with b = 0, where it is nan and 2^0 stays. */
    const float edge = x < 1.17549435e-38f ? -INFINITY : INFINITY;
    const float size = x < 1.17549435e-38f || x == INFINITY ? b * edge : (float)y;
    /* `size` may have been rounded up to 128: the bits tell what is beyond the largest float. */
    const int32_t bits = (int32_t)(k_bits(p) + (k_low_bits(t) << 23));
    float v = k_float((uint32_t)(bits < 0x7f800000 ? bits : 0x7f800000));
    v = size < -126.0f ? 0.0f : v;
    v = size > 128.0f ? INFINITY : v;
    v = isunordered(a, b) ? NAN : v;
    v = b == 0.0f || x == 1.0f ? 1.0f : v;
    const float half = 0.5f * b;
    const uint32_t odd = k_round(half) == half ? 0u : 0x80000000u;  /* if b is whole */
    const float whole = k_float(k_bits(v) | (k_bits(a) & odd));
    const float part = a < 0.0f ? NAN : v;
    return k_round(b) == b ? whole : part;
}

/* ---- integers: overflow wraps ---- */

WEFT_INLINE int32_t k_ineg(int32_t a) { return (int32_t)(0u - (uint32_t)a); }
WEFT_INLINE int32_t k_iadd(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
WEFT_INLINE int32_t k_isub(int32_t a, int32_t b) { return (int32_t)((uint32_t)a - (uint32_t)b); }
WEFT_INLINE int32_t k_imul(int32_t a, int32_t b) { return (int32_t)((uint32_t)a * (uint32_t)b); }
WEFT_INLINE int32_t k_iabs(int32_t a) { return a < 0 ? k_ineg(a) : a; }
WEFT_INLINE int32_t k_isign(int32_t a) { return (a > 0) - (a < 0); }
WEFT_INLINE int32_t k_imax(int32_t a, int32_t b) { return a > b ? a : b; }
WEFT_INLINE int32_t k_imin(int32_t a, int32_t b) { return a < b ? a : b; }
WEFT_INLINE int32_t k_ilt(int32_t a, int32_t b) { return a < b; }
WEFT_INLINE int32_t k_ile(int32_t a, int32_t b) { return a <= b; }
WEFT_INLINE int32_t k_ieq(int32_t a, int32_t b) { return a == b; }
WEFT_INLINE int32_t k_ine(int32_t a, int32_t b) { return a != b; }

/* Sign of b; 0 for b = 0. Divides in double, which is exact enough for all i32 and exists as a
 * vector instruction; -1 is replaced because the quotient of the least integer would not fit. */
WEFT_INLINE int32_t k_imod(int32_t a, int32_t b) {
    const int32_t by = b == 0 || b == -1 ? 1 : b;
    const int32_t q = (int32_t)((double)a / (double)by), r = k_isub(a, k_imul(q, by));
    return r != 0 && (r ^ by) < 0 ? r + by : r;
}

/* ---- conversions; nothing here is undefined for any argument ---- */

/* Cut towards zero, saturating; nan gives 0. */
WEFT_INLINE int32_t k_i32_of_f32(float a) {
    const float low = a > -2147483648.0f ? a : -2147483648.0f;
    const int32_t r = (int32_t)(low < 2147483520.0f ? low : 2147483520.0f);
    const int32_t high = a >= 2147483648.0f ? INT32_MAX : r;
    return a == a ? high : 0;
}

WEFT_INLINE uint32_t k_u32_of_f32(float a) {
    const float low = a > 0.0f ? a : 0.0f;
    const float top = low >= 2147483648.0f ? low - 2147483648.0f : low;
    const uint32_t r = (uint32_t)(int32_t)(top < 2147483520.0f ? top : 2147483520.0f);
    const uint32_t all = low >= 2147483648.0f ? r ^ 0x80000000u : r;
    return low >= 4294967296.0f ? UINT32_MAX : all;
}

/* Halves are handed over in 32 bits: a narrower type in between would cost shuffles. */
WEFT_INLINE float k_f32_of_bf16(uint32_t a) { return k_float(a << 16); }

/* To nearest even; a nan stays one, quiet. */
WEFT_INLINE uint32_t k_bf16_of_f32(float a) {
    const uint32_t u = k_bits(a);
    const uint32_t nearest = (u + 0x7fffu + (u >> 16 & 1)) >> 16, quiet = u >> 16 | 0x40u;
    return a == a ? nearest : quiet;
}

/* A denormal half is converted as an integer, since its bits as f32 would be flushed. */
WEFT_INLINE float k_f32_of_f16(uint32_t a) {
    const int32_t size = (int32_t)(a & 0x7fffu);
    const uint32_t sign = (a & 0x8000u) << 16, wide = ((uint32_t)size << 13) + 0x38000000u;
    const uint32_t most = size >= 0x7c00 ? wide + 0x38000000u : wide;
    const uint32_t tiny = k_bits((float)size * 5.96046448e-8f);     /* 2^-24 */
    return k_float((size < 0x0400 ? tiny : most) | sign);
}

/* To nearest even. In 0.5 ... 1 floats are 2^-24 apart, as denormal halves are: adding 0.5 rounds
 * to them. */
WEFT_INLINE uint32_t k_f16_of_f32(float a) {
    const uint32_t u = k_bits(a), size = u & 0x7fffffffu, sign = u >> 16 & 0x8000u;
    const float x = k_float(size);
    const uint32_t nearest = (size + 0xfffu + (size >> 13 & 1) - 0x38000000u) >> 13;
    const uint32_t tiny = k_bits(x + 0.5f) - 0x3f000000u;
    const uint32_t quiet = 0x7e00u | (size >> 13 & 0x3ffu);
    const uint32_t inside = x < 6.10351562e-5f ? tiny : nearest;       /* 2^-14 */
    const uint32_t high = x >= 65536.0f ? 0x7c00u : inside;
    return sign | (a == a ? high : quiet);
}

WEFT_TARGET_END

#endif
