/* prelude_c.c - the helpers of emitted C, and the arithmetic that C and CUDA share.
 *
 * Functions are written without their storage class, which the emitter puts in front ("static
 * inline" or "static __device__ inline"). Memory is reached by memcpy: buffers share an arena and
 * change their type over time, which typed pointers must not. int has 32 bits wherever this is
 * compiled. */
#include "kern/prelude.h"
#include <stddef.h>

/* clang-format off */

/* Extents that are literals, and sums that are no memory of anybody else: what compilers need to
 * use vectors. */
#define LANES(width)                                                                               \
    PRELUDE(k_row_##width, void k_row_##width(const char *a, long long ak, const char *b,          \
                                              long long bk, long long n, char *c) {                \
        float s[width];                                                                            \
        const long long whole = n - n % 4;                                                         \
        for (int u = 0; u < width; u++) s[u] = 0.0f;                                               \
        for (long long k = 0; k < whole; k += 4) {                                                 \
            const float v0 = k_load_f32(a, k * ak);                                                \
            const float v1 = k_load_f32(a, (k + 1) * ak);                                          \
            const float v2 = k_load_f32(a, (k + 2) * ak);                                          \
            const float v3 = k_load_f32(a, (k + 3) * ak);                                          \
            const char *p = b + k * bk * 4;                                                        \
            const char *q = p + bk * 4;                                                            \
            const char *r = q + bk * 4;                                                            \
            const char *t = r + bk * 4;                                                            \
            for (int u = 0; u < width; u++)                                                        \
                s[u] += (v0 * k_load_f32(p, u) + v1 * k_load_f32(q, u))                            \
                      + (v2 * k_load_f32(r, u) + v3 * k_load_f32(t, u));                           \
        }                                                                                          \
        for (long long k = whole; k < n; k++) {                                                    \
            const float v = k_load_f32(a, k * ak);                                                 \
            const char *p = b + k * bk * 4;                                                        \
            for (int u = 0; u < width; u++) s[u] += v * k_load_f32(p, u);                          \
        }                                                                                          \
        for (int u = 0; u < width; u++) k_store_f32(c, u, s[u]); }),

const prelude_part prelude_c[] = {
    PRELUDE(k_bits, float k_bits(unsigned a) { float v; memcpy(&v, &a, 4); return v; }),
    PRELUDE(k_word, unsigned k_word(float a) { unsigned v; memcpy(&v, &a, 4); return v; }),
    PRELUDE(k_get8, unsigned k_get8(const char *b, long long i) { return (unsigned char)b[i]; }),
    PRELUDE(k_get16, unsigned k_get16(const char *b, long long i) {
        unsigned short v; memcpy(&v, b + i * 2, 2); return v; }),
    PRELUDE(k_put8, void k_put8(char *b, long long i, unsigned v) {
        b[i] = (char)(unsigned char)v; }),
    PRELUDE(k_put16, void k_put16(char *b, long long i, unsigned v) {
        unsigned short s = (unsigned short)v; memcpy(b + i * 2, &s, 2); }),
    PRELUDE(k_load_f32, float k_load_f32(const char *b, long long i) {
        float v; memcpy(&v, b + i * 4, 4); return v; }),
    PRELUDE(k_load_i32, int k_load_i32(const char *b, long long i) {
        int v; memcpy(&v, b + i * 4, 4); return v; }),
    PRELUDE(k_store_f32, void k_store_f32(char *b, long long i, float v) {
        memcpy(b + i * 4, &v, 4); }),
    PRELUDE(k_store_i32, void k_store_i32(char *b, long long i, int v) {
        memcpy(b + i * 4, &v, 4); }),
    /* c[u] = sum over k of a[k ak] b[k bk + u], for so many u side by side: four rows of b at a time,
     * so that the sums are read and written once for four products */
    LANES(1)
    LANES(8)
    LANES(16)
    LANES(32)
    PRELUDE(k_row, void k_row(const char *a, long long ak, const char *b, long long bk, long long n, char *c, long long width) {
        long long j = 0;
        for (; j + 32 <= width; j += 32) k_row_32(a, ak, b + j * 4, bk, n, c + j * 4);
        for (; j + 16 <= width; j += 16) k_row_16(a, ak, b + j * 4, bk, n, c + j * 4);
        for (; j + 8 <= width; j += 8) k_row_8(a, ak, b + j * 4, bk, n, c + j * 4);
        for (; j < width; j++) k_row_1(a, ak, b + j * 4, bk, n, c + j * 4); }),
    PRELUDE(k_dot, float k_dot(const char *a, const char *b, long long n) {
        float s[8];
        const long long whole = n - n % 8;
        for (int u = 0; u < 8; u++) s[u] = 0.0f;
        for (long long k = 0; k < whole; k += 8)
            for (int u = 0; u < 8; u++) s[u] += k_load_f32(a, k + u) * k_load_f32(b, k + u);
        for (long long k = whole; k < n; k++) s[0] += k_load_f32(a, k) * k_load_f32(b, k);
        return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])); }),
    { NULL, NULL },
};
#undef LANES

const prelude_part prelude_shared[] = {
    /* f32 */
    PRELUDE(k_abs, float k_abs(float a) { return fabsf(a); }),
    PRELUDE(k_sign, float k_sign(float a) {
        return a != a ? a : (float)((a > 0.0f) - (a < 0.0f)); }),
    PRELUDE(k_exp, float k_exp(float a) { return expf(a); }),
    PRELUDE(k_expm1, float k_expm1(float a) { return expm1f(a); }),
    PRELUDE(k_log, float k_log(float a) { return logf(a); }),
    PRELUDE(k_log1p, float k_log1p(float a) { return log1pf(a); }),
    PRELUDE(k_sqrt, float k_sqrt(float a) { return sqrtf(a); }),
    PRELUDE(k_rsqrt, float k_rsqrt(float a) { return 1.0f / sqrtf(a); }),
    PRELUDE(k_recip, float k_recip(float a) { return 1.0f / a; }),
    PRELUDE(k_sin, float k_sin(float a) { return sinf(a); }),
    PRELUDE(k_cos, float k_cos(float a) { return cosf(a); }),
    PRELUDE(k_tanh, float k_tanh(float a) { return tanhf(a); }),
    PRELUDE(k_erf, float k_erf(float a) { return erff(a); }),
    PRELUDE(k_erfc, float k_erfc(float a) { return erfcf(a); }),
    /* by Newton's method, on whichever of erf and erfc is small */
    PRELUDE(k_erfinv, float k_erfinv(float a) {
        double p = fabs((double)a);
        if (!(p < 1.0)) return p == 1.0 ? a * k_bits(0x7f800000u) : k_bits(0x7fc00000u);
        double l = log((1.0 - p) * (1.0 + p));
        double t = 4.330746750799873 + 0.5 * l;
        double x = sqrt(sqrt(t * t - l / 0.147) - t);
        for (int i = 0; i < 3; i++) {
            double e = p < 0.5 ? erf(x) - p : (1.0 - p) - erfc(x);
            x -= 0.886226925452758 * e * exp(x * x);
        }
        return (float)copysign(x, (double)a); }),
    PRELUDE(k_lgamma, float k_lgamma(float a) { return lgammaf(a); }),
    PRELUDE(k_digamma, float k_digamma(float a) {
        double x = a;
        double s = 0.0;
        if (x == 0.0) return -1.0f / a;
        if (x < 0.0) {
            double r = x - floor(x);
            if (!(r > 0.0)) return k_bits(0x7fc00000u);
            s = -3.141592653589793 / tan(3.141592653589793 * r);
            x = 1.0 - x;
        }
        while (x < 8.0) { s -= 1.0 / x; x += 1.0; }
        double u = 1.0 / (x * x);
        double tail = u * (1.0 / 12 - u * (1.0 / 120 - u * (1.0 / 252 - u / 240)));
        return (float)(s + log(x) - 0.5 / x - tail); }),
    PRELUDE(k_polygamma, float k_polygamma(float order, float a) {
        double n = rint((double)order);
        double x = a;
        double s = n + 1.0;
        double flip = 0.0;
        double sum = 0.0;
        int odd = fmod(n, 2.0) != 0.0;
        if (n == 0.0) return k_digamma(a);
        if (!(n > 0.0)) return k_bits(0x7fc00000u);
        if (x == 0.0) return k_bits(odd ? 0x7f800000u : 0x7fc00000u);
        if (x < 0.0) {
            double sine = sin(3.141592653589793 * (x - floor(x)));
            if (n != 1.0 || x < -3.5e38) return k_bits(0x7fc00000u);
            if (x == floor(x)) return k_bits(0x7f800000u);
            flip = 9.869604401089358 / (sine * sine);
            x = 1.0 - x;
        }
        for (int k = 0; k < 8; k++) { sum += pow(x, -s); x += 1.0; }
        double u = 1.0 / (x * x);
        double more = (s + 3.0) * (s + 4.0) * u * (1.0 / 30240 - (s + 5.0) * (s + 6.0) * u / 1209600);
        sum += pow(x, -s) * (x / n + 0.5
             + s / x * (1.0 / 12 - (s + 1.0) * (s + 2.0) * u * (1.0 / 720 - more)));
        sum *= tgamma(s);
        return (float)(flip != 0.0 ? flip - sum : odd ? sum : -sum); }),
    /* J and e^-|x| I of order 0 or 1: a power series, then Hankel's expansion */
    PRELUDE(k_bessel_j, float k_bessel_j(int n, float a) {
        double x = fabs((double)a);
        double t = n ? 0.5 * x : 1.0;
        double s = t;
        if (x > 16777216.0) return 0.0f;
        if (x < 12.0) {
            for (int k = 1; k < 40; k++) { t *= -0.25 * x * x / (k * (double)(k + n)); s += t; }
        } else {
            double c = x - 0.7853981633974483 - n * 1.5707963267948966;
            double p = 1.0;
            double q = 0.0;
            t = 1.0;
            for (int k = 1; k < 12; k++) {
                t *= (4.0 * n - (2.0 * k - 1.0) * (2.0 * k - 1.0)) / (8.0 * k * x);
                if (k % 2) q += k / 2 % 2 ? -t : t;
                else p += k / 2 % 2 ? -t : t;
            }
            s = sqrt(0.6366197723675814 / x) * (p * cos(c) - q * sin(c));
        }
        return (float)(n && a < 0.0f ? -s : s); }),
    PRELUDE(k_bessel_ie, float k_bessel_ie(int n, float a) {
        double x = fabs((double)a);
        double t = n ? 0.5 * x : 1.0;
        double s = t;
        if (x < 15.0) {
            for (int k = 1; k < 60; k++) { t *= 0.25 * x * x / (k * (double)(k + n)); s += t; }
            s *= exp(-x);
        } else {
            t = 1.0;
            s = 1.0;
            for (int k = 1; k < 14; k++) {
                t *= ((2.0 * k - 1.0) * (2.0 * k - 1.0) - 4.0 * n) / (8.0 * k * x);
                s += t;
            }
            s /= sqrt(6.283185307179586 * x);
        }
        return (float)(n && a < 0.0f ? -s : s); }),
    PRELUDE(k_bessel_j0, float k_bessel_j0(float a) { return k_bessel_j(0, a); }),
    PRELUDE(k_bessel_j1, float k_bessel_j1(float a) { return k_bessel_j(1, a); }),
    PRELUDE(k_bessel_i0e, float k_bessel_i0e(float a) { return k_bessel_ie(0, a); }),
    PRELUDE(k_bessel_i1e, float k_bessel_i1e(float a) { return k_bessel_ie(1, a); }),
    PRELUDE(k_sigmoid, float k_sigmoid(float a) { return 1.0f / (1.0f + expf(-a)); }),
    PRELUDE(k_floor, float k_floor(float a) { return floorf(a); }),
    PRELUDE(k_ceil, float k_ceil(float a) { return ceilf(a); }),
    PRELUDE(k_round, float k_round(float a) { return rintf(a); }),
    PRELUDE(k_pow, float k_pow(float a, float b) { return powf(a, b); }),
    PRELUDE(k_mod, float k_mod(float a, float b) {
        float r = fmodf(a, b);
        return r != 0.0f && (r < 0.0f) != (b < 0.0f) ? r + b : r;
    }),
    PRELUDE(k_max, float k_max(float a, float b) { const float most = a < b ? b : a; return b != b ? b : most; }),
    PRELUDE(k_min, float k_min(float a, float b) { const float least = b < a ? b : a; return b != b ? b : least; }),
    PRELUDE(k_lt, int k_lt(float a, float b) { return a < b; }),
    PRELUDE(k_le, int k_le(float a, float b) { return a <= b; }),
    PRELUDE(k_eq, int k_eq(float a, float b) { return a == b; }),
    PRELUDE(k_ne, int k_ne(float a, float b) { return a != b; }),

    /* i32, wrapping */
    PRELUDE(k_ineg, int k_ineg(int a) { return (int)(0u - (unsigned)a); }),
    PRELUDE(k_iabs, int k_iabs(int a) { return a < 0 ? (int)(0u - (unsigned)a) : a; }),
    PRELUDE(k_isign, int k_isign(int a) { return (a > 0) - (a < 0); }),
    PRELUDE(k_iadd, int k_iadd(int a, int b) { return (int)((unsigned)a + (unsigned)b); }),
    PRELUDE(k_isub, int k_isub(int a, int b) { return (int)((unsigned)a - (unsigned)b); }),
    PRELUDE(k_imul, int k_imul(int a, int b) { return (int)((unsigned)a * (unsigned)b); }),
    PRELUDE(k_imod, int k_imod(int a, int b) {
        if (b == 0 || b == -1) return 0;
        int r = a % b;
        return r != 0 && (r < 0) != (b < 0) ? r + b : r; }),
    PRELUDE(k_imax, int k_imax(int a, int b) { return a > b ? a : b; }),
    PRELUDE(k_imin, int k_imin(int a, int b) { return a < b ? a : b; }),
    PRELUDE(k_ilt, int k_ilt(int a, int b) { return a < b; }),
    PRELUDE(k_ile, int k_ile(int a, int b) { return a <= b; }),
    PRELUDE(k_ieq, int k_ieq(int a, int b) { return a == b; }),
    PRELUDE(k_ine, int k_ine(int a, int b) { return a != b; }),

    /* casts: cut towards zero, held to the range; NaN is 0; 8 bits take the low byte of the i32 */
    PRELUDE(k_f2i, int k_f2i(float a) {
        if (a != a) return 0;
        if (a >= 2147483648.0f) return 2147483647;
        return a <= -2147483648.0f ? -2147483647 - 1 : (int)a; }),
    PRELUDE(k_f2u, int k_f2u(float a) {
        if (!(a > 0.0f)) return 0;
        return a >= 4294967296.0f ? -1 : (int)(unsigned)a; }),
    PRELUDE(k_i2f, float k_i2f(int a) { return (float)a; }),
    PRELUDE(k_f2b, int k_f2b(float a) { return a != 0.0f; }),
    PRELUDE(k_i2b, int k_i2b(int a) { return a != 0; }),
    PRELUDE(k_wrap_i8, int k_wrap_i8(int a) { return (int)(((unsigned)a & 255u) ^ 128u) - 128; }),
    PRELUDE(k_wrap_u8, int k_wrap_u8(int a) { return a & 255; }),

    /* bf16 and f16, to the nearest, halves to even */
    PRELUDE(k_bf16_bits, unsigned k_bf16_bits(float a) {
        unsigned u = k_word(a);
        if ((u & 0x7fffffffu) > 0x7f800000u) return u >> 16 | 64u;
        return (u + 0x7fffu + (u >> 16 & 1u)) >> 16; }),
    PRELUDE(k_bf16, float k_bf16(unsigned h) { return k_bits(h << 16); }),
    PRELUDE(k_f16_bits, unsigned k_f16_bits(float a) {
        unsigned u = k_word(a);
        unsigned s = u >> 16 & 0x8000u;
        unsigned x = u & 0x7fffffffu;
        if (x > 0x7f800000u) return s | 0x7e00u;
        if (x >= 0x47800000u) return s | 0x7c00u;
        if (x < 0x38800000u) return s | (unsigned)rintf(fabsf(a) * 16777216.0f);
        return s | (x - 0x38000000u + 0xfffu + (x >> 13 & 1u)) >> 13; }),
    PRELUDE(k_f16, float k_f16(unsigned h) {
        unsigned s = (h & 0x8000u) << 16;
        unsigned e = h >> 10 & 31u;
        unsigned m = h & 1023u;
        if (e == 31u) return k_bits(s | 0x7f800000u | m << 13);
        if (e == 0u) return (s ? -5.9604644775390625e-8f : 5.9604644775390625e-8f) * (float)m;
        return k_bits(s | (e + 112u) << 23 | m << 13); }),
    PRELUDE(k_round_bf16, float k_round_bf16(float a) { return k_bf16(k_bf16_bits(a)); }),
    PRELUDE(k_round_f16, float k_round_f16(float a) { return k_f16(k_f16_bits(a)); }),

    /* memory in the narrower types */
    PRELUDE(k_load_bf16, float k_load_bf16(const char *b, long long i) {
        return k_bf16(k_get16(b, i)); }),
    PRELUDE(k_load_f16, float k_load_f16(const char *b, long long i) {
        return k_f16(k_get16(b, i)); }),
    PRELUDE(k_load_i8, int k_load_i8(const char *b, long long i) {
        return (int)(k_get8(b, i) ^ 128u) - 128; }),
    PRELUDE(k_load_u8, int k_load_u8(const char *b, long long i) { return (int)k_get8(b, i); }),
    PRELUDE(k_load_bool, int k_load_bool(const char *b, long long i) { return k_get8(b, i) != 0; }),
    PRELUDE(k_store_bf16, void k_store_bf16(char *b, long long i, float v) {
        k_put16(b, i, k_bf16_bits(v)); }),
    PRELUDE(k_store_f16, void k_store_f16(char *b, long long i, float v) {
        k_put16(b, i, k_f16_bits(v)); }),
    PRELUDE(k_store_u8, void k_store_u8(char *b, long long i, int v) {
        k_put8(b, i, (unsigned)v & 255u); }),
    PRELUDE(k_start, long long k_start(const char *b, long long most) {
        long long v = k_load_i32(b, 0);
        return v < 0 ? 0 : v > most ? most : v; }),

    /* argmax: is x at place i ahead of y at place j? The first of equals; NaN above all */
    PRELUDE(k_ahead_f32, int k_ahead_f32(float x, int i, float y, int j) {
        if (x != x) return y == y || i < j;
        return x > y || (x == y && i < j); }),
    PRELUDE(k_ahead_i32, int k_ahead_i32(int x, int i, int y, int j) {
        return x > y || (x == y && i < j); }),
    PRELUDE(k_found, int k_found(int i) { return i == 2147483647 ? 0 : i; }),

    /* Philox4x32-10: key (seed, stream), counter (e / 4, 0, run, 0); word e % 4 is element e's */
    PRELUDE(k_philox,
    void k_philox(unsigned seed, unsigned stream, unsigned run, unsigned block, unsigned *w) {
        w[0] = block; w[1] = 0u; w[2] = run; w[3] = 0u;
        for (int round = 0; round < 10; round++) {
            unsigned long long even = (unsigned long long)w[0] * 0xd2511f53u;
            unsigned long long odd = (unsigned long long)w[2] * 0xcd9e8d57u;
            w[0] = (unsigned)(odd >> 32) ^ w[1] ^ seed;
            w[2] = (unsigned)(even >> 32) ^ w[3] ^ stream;
            w[1] = (unsigned)odd;
            w[3] = (unsigned)even;
            seed += 0x9e3779b9u;
            stream += 0xbb67ae85u;
        } }),
    PRELUDE(k_random_bits, int k_random_bits(int seed, int run, unsigned stream, long long e) {
        unsigned w[4];
        k_philox((unsigned)seed, stream, (unsigned)run, (unsigned)(e >> 2), w);
        return (int)w[e & 3]; }),
    PRELUDE(k_random_uniform,
    float k_random_uniform(int seed, int run, unsigned stream, long long e) {
        unsigned w = (unsigned)k_random_bits(seed, run, stream, e);
        return (float)(w >> 8) * 5.9604644775390625e-8f; }),
    PRELUDE(k_random_normal,
    float k_random_normal(int seed, int run, unsigned stream, long long e) {
        unsigned w[4];
        k_philox((unsigned)seed, stream, (unsigned)run, (unsigned)(e >> 2), w);
        float u = (float)((w[e & 2] >> 8) + 1u) * 5.9604644775390625e-8f;
        float angle = (float)(w[(e & 2) + 1] >> 8) * 5.9604644775390625e-8f * 6.283185307179586f;
        return sqrtf(-2.0f * logf(u)) * ((e & 1) != 0 ? sinf(angle) : cosf(angle)); }),
    { NULL, NULL },
};
