/* prelude_wgsl.c - the helpers of emitted WGSL.
 *
 * All memory is one array of words; a buffer is named by its first word. A store of less than a
 * word reads the word, changes its part and writes it back: the emitter gives all elements of a
 * word to one thread. The language has few functions and promises little about them, so those it
 * lacks, or promises too little about near their zeros, are series with stated ranges. Compilers
 * may assume that there is no NaN, so it is looked for in the bits. */
#include "kern/prelude.h"
#include <stddef.h>

/* clang-format off */

#define WGSL_FOLD(name, tile, type, join)                                                          \
    PRELUDE(name, fn name(v: type, t: i32) -> type {                                               \
        tile[t] = v;                                                                               \
        workgroupBarrier();                                                                        \
        for (var s = 128; s > 0; s >>= 1u) {                                                       \
            if (t < s) { tile[t] = join; }                                                         \
            workgroupBarrier();                                                                    \
        }                                                                                          \
        let r = tile[0];                                                                           \
        workgroupBarrier();                                                                        \
        return r;                                                                                  \
    })
#define WGSL_FOLD_PLACE(name, tile, type, ahead)                                                   \
    PRELUDE(name, fn name(v: type, place: i32, t: i32) -> i32 {                                    \
        tile[t] = v;                                                                               \
        k_places[t] = place;                                                                       \
        workgroupBarrier();                                                                        \
        for (var s = 128; s > 0; s >>= 1u) {                                                       \
            if (t < s) {                                                                           \
                if (ahead(tile[t + s], k_places[t + s], tile[t], k_places[t])) {                   \
                    tile[t] = tile[t + s];                                                         \
                    k_places[t] = k_places[t + s];                                                 \
                }                                                                                  \
            }                                                                                      \
            workgroupBarrier();                                                                    \
        }                                                                                          \
        let r = k_found(k_places[0]);                                                              \
        workgroupBarrier();                                                                        \
        return r;                                                                                  \
    })

const prelude_part prelude_wgsl[] = {
    /* An infinite or NaN constant is an error even as a bit-cast; a function's result is no
     * constant. */
    PRELUDE(k_bits, fn k_bits(a: u32) -> f32 { return bitcast<f32>(a); }),
    PRELUDE(k_nan, fn k_nan(a: f32) -> bool {
        return (bitcast<u32>(a) & 0x7fffffffu) > 0x7f800000u; }),

    /* f32 */
    PRELUDE(k_abs, fn k_abs(a: f32) -> f32 { return abs(a); }),
    PRELUDE(k_sign, fn k_sign(a: f32) -> f32 { return select(sign(a), a, k_nan(a)); }),
    PRELUDE(k_exp, fn k_exp(a: f32) -> f32 { return exp(a); }),
    PRELUDE(k_expm1, fn k_expm1(a: f32) -> f32 {
        if (abs(a) > 0.5f) { return exp(a) - 1.0f; }
        return a * (1.0f + a * (0.5f + a * (0.166666667f + a * (0.0416666667f + a * (0.00833333333f
             + a * (0.00138888889f + a * (0.000198412698f + a * 0.0000248015873f)))))));
    }),
    /* 2 atanh(a / (2 + a)) between -1/2 and 1 */
    PRELUDE(k_log1p_near, fn k_log1p_near(a: f32) -> f32 {
        let s = a / (2.0f + a);
        let z = s * s;
        return 2.0f * s * (1.0f + z * (0.333333333f + z * (0.2f + z * (0.142857143f
             + z * (0.111111111f + z * (0.0909090909f + z * (0.0769230769f
             + z * 0.0666666667f)))))));
    }),
    PRELUDE(k_log, fn k_log(a: f32) -> f32 {
        if (a > 0.5f && a < 2.0f) { return k_log1p_near(a - 1.0f); }
        if (a == 0.0f) { return k_bits(0xff800000u); }
        if (a < 0.0f) { return k_bits(0x7fc00000u); }
        return log(a);
    }),
    PRELUDE(k_log1p, fn k_log1p(a: f32) -> f32 {
        if (a > -0.5f && a < 1.0f) { return k_log1p_near(a); }
        return k_log(1.0f + a);
    }),
    PRELUDE(k_sqrt, fn k_sqrt(a: f32) -> f32 { return sqrt(a); }),
    PRELUDE(k_rsqrt, fn k_rsqrt(a: f32) -> f32 { return inverseSqrt(a); }),
    PRELUDE(k_recip, fn k_recip(a: f32) -> f32 { return 1.0f / a; }),
    /* a - n pi / 2 in three pieces; good to |a| of some thousands */
    PRELUDE(k_quarter, fn k_quarter(a: f32, n: f32) -> f32 {
        return ((a - n * 1.5703125f) - n * 0.000483751297f) - n * 7.54978995e-8f;
    }),
    PRELUDE(k_sin_near, fn k_sin_near(a: f32) -> f32 {
        let z = a * a;
        return a * (1.0f - z * (0.166666667f - z * (0.00833333333f - z * (0.000198412698f
             - z * 2.75573192e-6f))));
    }),
    PRELUDE(k_cos_near, fn k_cos_near(a: f32) -> f32 {
        let z = a * a;
        return 1.0f - z * (0.5f - z * (0.0416666667f - z * (0.00138888889f
             - z * (2.48015873e-5f - z * 2.75573192e-7f))));
    }),
    PRELUDE(k_turn, fn k_turn(a: f32, ahead: i32) -> f32 {
        let n = round(a * 0.636619772f);
        let r = k_quarter(a, n);
        let q = (i32(n) + ahead) & 3;
        let v = select(k_sin_near(r), k_cos_near(r), (q & 1) == 1);
        return select(v, -v, q > 1);
    }),
    PRELUDE(k_sin, fn k_sin(a: f32) -> f32 { return k_turn(a, 0); }),
    PRELUDE(k_cos, fn k_cos(a: f32) -> f32 { return k_turn(a, 1); }),
    PRELUDE(k_tanh, fn k_tanh(a: f32) -> f32 {
        if (abs(a) > 10.0f) { return sign(a); }
        let e = k_expm1(2.0f * abs(a));
        return sign(a) * (e / (e + 2.0f));
    }),
    /* a polynomial in a * a below 1; above it 1 - exp(-a a) times one in 1 / (1 + a / 2) */
    PRELUDE(k_erf, fn k_erf(a: f32) -> f32 {
        let x = abs(a);
        let z = a * a;
        if (x < 1.0f) {
            return a * (1.12837911f + z * (-0.376123428f + z * (0.112803169f + z * (-0.0267150551f
                 + z * (0.00492176181f - z * 0.000564805989f)))));
        }
        if (x > 4.0f) { return sign(a); }
        let t = 1.0f / (1.0f + 0.5f * x);
        let p = 0.0012626939f + t * (0.265136689f + t * (0.375881553f + t * (-0.0245684516f
              + t * (0.598979115f - t * 0.216669962f))));
        return sign(a) * (1.0f - exp(-z) * p);
    }),
    /* from 1 on a continued fraction */
    PRELUDE(k_erfc, fn k_erfc(a: f32) -> f32 {
        if (a < 1.0f || k_nan(a)) { return 1.0f - k_erf(a); }
        if (a > 12.0f) { return 0.0f; }
        var t = 0.0f;
        for (var k = 30; k > 0; k--) { t = 0.5f * f32(k) / (a + t); }
        return 0.564189584f * exp(-a * a) / (a + t);
    }),
    /* by Newton's method, on whichever of erf and erfc is small */
    PRELUDE(k_erfinv, fn k_erfinv(a: f32) -> f32 {
        let p = abs(a);
        if (!(p < 1.0f)) { return select(k_bits(0x7fc00000u), sign(a) * k_bits(0x7f800000u), p == 1.0f); }
        let l = log((1.0f - p) * (1.0f + p));
        let t = 4.33074675f + 0.5f * l;
        var x = sqrt(max(sqrt(t * t - l / 0.147f) - t, 0.0f));
        for (var i = 0; i < 3; i++) {
            let e = select((1.0f - p) - k_erfc(x), k_erf(x) - p, p < 0.5f);
            x -= 0.886226925f * e * exp(x * x);
        }
        return sign(a) * x;
    }),
    /* sums up to 8, then Stirling's series; below 0 reflection, with the angle cut to a turn */
    PRELUDE(k_lgamma, fn k_lgamma(a: f32) -> f32 {
        var x = abs(a);
        var p = 1.0f;
        if (k_nan(a)) { return a; }
        if (x > 3.0e38f) { return k_bits(0x7f800000u); }
        for (var k = 0; k < 8; k++) { if (x < 8.0f) { p *= x; x += 1.0f; } }
        if (p == 0.0f) { return k_bits(0x7f800000u); }
        let u = 1.0f / (x * x);
        let s = (0.0833333333f - u * (0.00277777778f - u * 0.000793650794f)) / x;
        let up = (x - 0.5f) * (log(x) - 1.0f) + (0.418938533f + s) - log(p);
        if (a > 0.0f) { return up; }
        let sine = abs(sin(3.14159265f * (a - floor(a)))) * abs(a);
        if (floor(a) == a) { return k_bits(0x7f800000u); }
        return 1.14472989f - log(sine) - up;
    }),
    PRELUDE(k_digamma, fn k_digamma(a: f32) -> f32 {
        var x = a;
        var s = 0.0f;
        if (a == 0.0f) { return -1.0f / a; }
        if (a < 0.0f) {
            let r = a - floor(a);
            if (!(r > 0.0f)) { return k_bits(0x7fc00000u); }
            s = -3.14159265f / tan(3.14159265f * r);
            x = 1.0f - a;
        }
        for (var k = 0; k < 8; k++) { if (x < 8.0f) { s -= 1.0f / x; x += 1.0f; } }
        let u = 1.0f / (x * x);
        let tail = u * (0.0833333333f - u * (0.00833333333f - u * 0.00396825397f));
        return s + log(x) - 0.5f / x - tail;
    }),
    PRELUDE(k_polygamma, fn k_polygamma(order: f32, a: f32) -> f32 {
        let n = round(order);
        let s = n + 1.0f;
        let odd = abs(n - 2.0f * round(0.5f * n)) > 0.5f;
        var x = a;
        var flip = 0.0f;
        var sum = 0.0f;
        var factor = 1.0f;
        if (n == 0.0f) { return k_digamma(a); }
        if (!(n > 0.0f) || k_nan(a)) { return k_bits(0x7fc00000u); }
        if (a == 0.0f) { return select(k_bits(0x7fc00000u), k_bits(0x7f800000u), odd); }
        if (a < 0.0f) {
            let sine = sin(3.14159265f * (a - floor(a)));
            if (n > 1.5f) { return k_bits(0x7fc00000u); }
            if (floor(a) == a) { return k_bits(0x7f800000u); }
            flip = 9.86960440f / (sine * sine);
            x = 1.0f - a;
        }
        for (var k = 2.0f; k < s && k < 40.0f; k += 1.0f) { factor *= k; }
        for (var k = 0; k < 8; k++) { sum += pow(x, -s); x += 1.0f; }
        let u = 1.0f / (x * x);
        sum += pow(x, -s) * (x / n + 0.5f + s / x * (0.0833333333f
             - (s + 1.0f) * (s + 2.0f) * u * (0.00138888889f - (s + 3.0f) * (s + 4.0f) * u * 0.0000330687831f)));
        sum *= factor;
        return select(select(-sum, sum, odd), flip - sum, flip != 0.0f);
    }),
    /* J and e^-|x| I of order 0 or 1: a power series, then Hankel's expansion */
    PRELUDE(k_bessel_j, fn k_bessel_j(n: f32, a: f32) -> f32 {
        let x = abs(a);
        var t = select(1.0f, 0.5f * x, n > 0.5f);
        var s = t;
        if (k_nan(a)) { return a; }
        if (x > 16777216.0f) { return 0.0f; }
        if (x < 8.0f) {
            for (var k = 1.0f; k < 26.0f; k += 1.0f) { t *= -0.25f * x * x / (k * (k + n)); s += t; }
        } else {
            let quarter = select(0, -1, n > 0.5f);
            let c = k_turn(x, quarter + 1);
            let d = k_turn(x, quarter);
            var p = 1.0f;
            var q = 0.0f;
            t = 1.0f;
            for (var k = 1; k < 8; k++) {
                let odd = f32(2 * k - 1);
                t *= (4.0f * n - odd * odd) / (8.0f * f32(k) * x);
                let v = select(t, -t, (k / 2) % 2 == 1);
                if (k % 2 == 1) { q += v; } else { p += v; }
            }
            s = sqrt(0.318309886f / x) * (p * (c + d) - q * (d - c));
        }
        return select(s, -s, n > 0.5f && a < 0.0f);
    }),
    PRELUDE(k_bessel_ie, fn k_bessel_ie(n: f32, a: f32) -> f32 {
        let x = abs(a);
        var t = select(1.0f, 0.5f * x, n > 0.5f);
        var s = t;
        if (k_nan(a)) { return a; }
        if (x < 10.0f) {
            for (var k = 1.0f; k < 40.0f; k += 1.0f) { t *= 0.25f * x * x / (k * (k + n)); s += t; }
            s *= exp(-x);
        } else {
            t = 1.0f;
            s = 1.0f;
            for (var k = 1; k < 10; k++) {
                let odd = f32(2 * k - 1);
                t *= (odd * odd - 4.0f * n) / (8.0f * f32(k) * x);
                s += t;
            }
            s *= 0.398942280f / sqrt(x);
        }
        return select(s, -s, n > 0.5f && a < 0.0f);
    }),
    PRELUDE(k_bessel_j0, fn k_bessel_j0(a: f32) -> f32 { return k_bessel_j(0.0f, a); }),
    PRELUDE(k_bessel_j1, fn k_bessel_j1(a: f32) -> f32 { return k_bessel_j(1.0f, a); }),
    PRELUDE(k_bessel_i0e, fn k_bessel_i0e(a: f32) -> f32 { return k_bessel_ie(0.0f, a); }),
    PRELUDE(k_bessel_i1e, fn k_bessel_i1e(a: f32) -> f32 { return k_bessel_ie(1.0f, a); }),
    PRELUDE(k_sigmoid, fn k_sigmoid(a: f32) -> f32 { return 1.0f / (1.0f + exp(-a)); }),
    PRELUDE(k_floor, fn k_floor(a: f32) -> f32 { return floor(a); }),
    PRELUDE(k_ceil, fn k_ceil(a: f32) -> f32 { return ceil(a); }),
    PRELUDE(k_round, fn k_round(a: f32) -> f32 { return round(a); }),
    PRELUDE(k_pow, fn k_pow(a: f32, b: f32) -> f32 {
        if (b == 0.0f) { return 1.0f; }
        if (a == 0.0f) { return select(0.0f, k_bits(0x7f800000u), b < 0.0f); }
        let r = exp(b * k_log(abs(a)));
        if (a > 0.0f) { return r; }
        if (floor(b) != b) { return k_bits(0x7fc00000u); }
        return select(r, -r, floor(b * 0.5f) * 2.0f != b);
    }),
    PRELUDE(k_mod, fn k_mod(a: f32, b: f32) -> f32 { return a - floor(a / b) * b; }),
    PRELUDE(k_max, fn k_max(a: f32, b: f32) -> f32 {
        return select(b, a, k_nan(a) || (a > b && !k_nan(b))); }),
    PRELUDE(k_min, fn k_min(a: f32, b: f32) -> f32 {
        return select(b, a, k_nan(a) || (a < b && !k_nan(b))); }),
    PRELUDE(k_lt, fn k_lt(a: f32, b: f32) -> i32 { return select(0, 1, a < b); }),
    PRELUDE(k_le, fn k_le(a: f32, b: f32) -> i32 { return select(0, 1, a <= b); }),
    PRELUDE(k_eq, fn k_eq(a: f32, b: f32) -> i32 { return select(0, 1, a == b); }),
    PRELUDE(k_ne, fn k_ne(a: f32, b: f32) -> i32 { return select(0, 1, a != b); }),

    /* i32, which wraps by itself */
    PRELUDE(k_ineg, fn k_ineg(a: i32) -> i32 { return -a; }),
    PRELUDE(k_iabs, fn k_iabs(a: i32) -> i32 { return abs(a); }),
    PRELUDE(k_isign, fn k_isign(a: i32) -> i32 { return sign(a); }),
    PRELUDE(k_iadd, fn k_iadd(a: i32, b: i32) -> i32 { return a + b; }),
    PRELUDE(k_isub, fn k_isub(a: i32, b: i32) -> i32 { return a - b; }),
    PRELUDE(k_imul, fn k_imul(a: i32, b: i32) -> i32 { return a * b; }),
    PRELUDE(k_imod, fn k_imod(a: i32, b: i32) -> i32 {
        if (b == 0 || b == -1) { return 0; }
        let r = a % b;
        return select(r, r + b, r != 0 && (r < 0) != (b < 0));
    }),
    PRELUDE(k_imax, fn k_imax(a: i32, b: i32) -> i32 { return max(a, b); }),
    PRELUDE(k_imin, fn k_imin(a: i32, b: i32) -> i32 { return min(a, b); }),
    PRELUDE(k_ilt, fn k_ilt(a: i32, b: i32) -> i32 { return select(0, 1, a < b); }),
    PRELUDE(k_ile, fn k_ile(a: i32, b: i32) -> i32 { return select(0, 1, a <= b); }),
    PRELUDE(k_ieq, fn k_ieq(a: i32, b: i32) -> i32 { return select(0, 1, a == b); }),
    PRELUDE(k_ine, fn k_ine(a: i32, b: i32) -> i32 { return select(0, 1, a != b); }),

    /* casts */
    PRELUDE(k_f2i, fn k_f2i(a: f32) -> i32 {
        if (k_nan(a)) { return 0; }
        if (a >= 2147483648.0f) { return 2147483647; }
        if (a <= -2147483648.0f) { return -2147483647 - 1; }
        return i32(a);
    }),
    PRELUDE(k_f2u, fn k_f2u(a: f32) -> i32 {
        if (k_nan(a) || a <= 0.0f) { return 0; }
        if (a >= 4294967296.0f) { return -1; }
        return bitcast<i32>(u32(a));
    }),
    PRELUDE(k_i2f, fn k_i2f(a: i32) -> f32 { return f32(a); }),
    PRELUDE(k_f2b, fn k_f2b(a: f32) -> i32 { return select(0, 1, a != 0.0f || k_nan(a)); }),
    PRELUDE(k_i2b, fn k_i2b(a: i32) -> i32 { return select(0, 1, a != 0); }),
    PRELUDE(k_wrap_i8, fn k_wrap_i8(a: i32) -> i32 { return (a << 24u) >> 24u; }),
    PRELUDE(k_wrap_u8, fn k_wrap_u8(a: i32) -> i32 { return a & 255; }),
    PRELUDE(k_bf16_bits, fn k_bf16_bits(a: f32) -> u32 {
        let u = bitcast<u32>(a);
        if (k_nan(a)) { return (u >> 16u) | 64u; }
        return (u + 0x7fffu + ((u >> 16u) & 1u)) >> 16u;
    }),
    PRELUDE(k_bf16, fn k_bf16(h: u32) -> f32 { return bitcast<f32>(h << 16u); }),
    PRELUDE(k_f16_bits, fn k_f16_bits(a: f32) -> u32 {
        let u = bitcast<u32>(a);
        let s = (u >> 16u) & 0x8000u;
        let x = u & 0x7fffffffu;
        if (x > 0x7f800000u) { return s | 0x7e00u; }
        if (x >= 0x47800000u) { return s | 0x7c00u; }
        if (x < 0x38800000u) { return s | u32(round(abs(a) * 16777216.0f)); }
        return s | ((x - 0x38000000u + 0xfffu + ((x >> 13u) & 1u)) >> 13u);
    }),
    PRELUDE(k_f16, fn k_f16(h: u32) -> f32 {
        let s = (h & 0x8000u) << 16u;
        let e = (h >> 10u) & 31u;
        let m = h & 1023u;
        if (e == 31u) { return k_bits(s | 0x7f800000u | (m << 13u)); }
        if (e == 0u) { return select(5.96046448e-8f, -5.96046448e-8f, s != 0u) * f32(m); }
        return k_bits(s | ((e + 112u) << 23u) | (m << 13u));
    }),
    PRELUDE(k_round_bf16, fn k_round_bf16(a: f32) -> f32 { return k_bf16(k_bf16_bits(a)); }),
    PRELUDE(k_round_f16, fn k_round_f16(a: f32) -> f32 { return k_f16(k_f16_bits(a)); }),

    /* memory: b the first word of a buffer, i an element */
    PRELUDE(k_get8, fn k_get8(b: u32, i: i32) -> u32 {
        return (words[b + u32(i >> 2u)] >> (8u * u32(i & 3))) & 255u;
    }),
    PRELUDE(k_get16, fn k_get16(b: u32, i: i32) -> u32 {
        return (words[b + u32(i >> 1u)] >> (16u * u32(i & 1))) & 0xffffu;
    }),
    PRELUDE(k_put8, fn k_put8(b: u32, i: i32, v: u32) {
        let w = b + u32(i >> 2u);
        let s = 8u * u32(i & 3);
        words[w] = (words[w] & ~(255u << s)) | (v << s);
    }),
    PRELUDE(k_put16, fn k_put16(b: u32, i: i32, v: u32) {
        let w = b + u32(i >> 1u);
        let s = 16u * u32(i & 1);
        words[w] = (words[w] & ~(0xffffu << s)) | (v << s);
    }),
    PRELUDE(k_load_f32, fn k_load_f32(b: u32, i: i32) -> f32 {
        return bitcast<f32>(words[b + u32(i)]); }),
    PRELUDE(k_load_i32, fn k_load_i32(b: u32, i: i32) -> i32 {
        return bitcast<i32>(words[b + u32(i)]); }),
    PRELUDE(k_load_bf16, fn k_load_bf16(b: u32, i: i32) -> f32 { return k_bf16(k_get16(b, i)); }),
    PRELUDE(k_load_f16, fn k_load_f16(b: u32, i: i32) -> f32 { return k_f16(k_get16(b, i)); }),
    PRELUDE(k_load_i8, fn k_load_i8(b: u32, i: i32) -> i32 {
        return i32(k_get8(b, i) ^ 128u) - 128; }),
    PRELUDE(k_load_u8, fn k_load_u8(b: u32, i: i32) -> i32 { return i32(k_get8(b, i)); }),
    PRELUDE(k_load_bool, fn k_load_bool(b: u32, i: i32) -> i32 {
        return select(0, 1, k_get8(b, i) != 0u); }),
    PRELUDE(k_store_f32, fn k_store_f32(b: u32, i: i32, v: f32) {
        words[b + u32(i)] = bitcast<u32>(v); }),
    PRELUDE(k_store_i32, fn k_store_i32(b: u32, i: i32, v: i32) {
        words[b + u32(i)] = bitcast<u32>(v); }),
    PRELUDE(k_store_bf16, fn k_store_bf16(b: u32, i: i32, v: f32) {
        k_put16(b, i, k_bf16_bits(v)); }),
    PRELUDE(k_store_f16, fn k_store_f16(b: u32, i: i32, v: f32) { k_put16(b, i, k_f16_bits(v)); }),
    PRELUDE(k_store_u8, fn k_store_u8(b: u32, i: i32, v: i32) { k_put8(b, i, u32(v & 255)); }),
    PRELUDE(k_start, fn k_start(b: u32, most: i32) -> i32 {
        return clamp(k_load_i32(b, 0), 0, most); }),

    /* argmax */
    PRELUDE(k_ahead_f32, fn k_ahead_f32(x: f32, i: i32, y: f32, j: i32) -> bool {
        if (k_nan(x)) { return !k_nan(y) || i < j; }
        return !k_nan(y) && (x > y || (x == y && i < j));
    }),
    PRELUDE(k_ahead_i32, fn k_ahead_i32(x: i32, i: i32, y: i32, j: i32) -> bool {
        return x > y || (x == y && i < j);
    }),
    PRELUDE(k_found, fn k_found(i: i32) -> i32 { return select(i, 0, i == 2147483647); }),

    /* Philox4x32-10, as in C; the upper half of a product by 16-bit pieces */
    PRELUDE(k_mulhi, fn k_mulhi(a: u32, b: u32) -> u32 {
        let al = a & 0xffffu;
        let ah = a >> 16u;
        let bl = b & 0xffffu;
        let bh = b >> 16u;
        let m = ah * bl + ((al * bl) >> 16u);
        let n = al * bh + (m & 0xffffu);
        return ah * bh + (m >> 16u) + (n >> 16u);
    }),
    PRELUDE(k_philox, fn k_philox(seed: u32, stream: u32, run: u32, block: u32) -> vec4<u32> {
        var w = vec4<u32>(block, 0u, run, 0u);
        var k = vec2<u32>(seed, stream);
        for (var round = 0; round < 10; round++) {
            w = vec4<u32>(k_mulhi(w.z, 0xcd9e8d57u) ^ w.y ^ k.x, w.z * 0xcd9e8d57u,
                          k_mulhi(w.x, 0xd2511f53u) ^ w.w ^ k.y, w.x * 0xd2511f53u);
            k += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
        }
        return w;
    }),
    PRELUDE(k_random_bits, fn k_random_bits(seed: i32, run: i32, stream: u32, e: i32) -> i32 {
        let w = k_philox(u32(seed), stream, u32(run), u32(e) >> 2u);
        return bitcast<i32>(w[e & 3]);
    }),
    PRELUDE(k_random_uniform, fn k_random_uniform(seed: i32, run: i32, stream: u32, e: i32) -> f32 {
        return f32(u32(k_random_bits(seed, run, stream, e)) >> 8u) * 5.96046448e-8f;
    }),
    PRELUDE(k_random_normal, fn k_random_normal(seed: i32, run: i32, stream: u32, e: i32) -> f32 {
        let w = k_philox(u32(seed), stream, u32(run), u32(e) >> 2u);
        let u = f32((w[e & 2] >> 8u) + 1u) * 5.96046448e-8f;
        let angle = f32(w[(e & 2) + 1] >> 8u) * 5.96046448e-8f * 6.28318531f;
        return sqrt(-2.0f * k_log(u)) * k_turn(angle, (e & 1) ^ 1);
    }),

    /* folds over a workgroup of 256; the last barrier lets the tile be used again */
    PRELUDE(k_tile_f32, var<workgroup> k_tile_f32: array<f32, 256>;),
    PRELUDE(k_tile_i32, var<workgroup> k_tile_i32: array<i32, 256>;),
    PRELUDE(k_places, var<workgroup> k_places: array<i32, 256>;),
    WGSL_FOLD(k_fold_sum_f32, k_tile_f32, f32, k_tile_f32[t] + k_tile_f32[t + s]),
    WGSL_FOLD(k_fold_sum_i32, k_tile_i32, i32, k_tile_i32[t] + k_tile_i32[t + s]),
    WGSL_FOLD(k_fold_max_f32, k_tile_f32, f32, k_max(k_tile_f32[t], k_tile_f32[t + s])),
    WGSL_FOLD(k_fold_max_i32, k_tile_i32, i32, max(k_tile_i32[t], k_tile_i32[t + s])),
    WGSL_FOLD(k_fold_prod_f32, k_tile_f32, f32, k_tile_f32[t] * k_tile_f32[t + s]),
    WGSL_FOLD(k_fold_prod_i32, k_tile_i32, i32, k_tile_i32[t] * k_tile_i32[t + s]),
    WGSL_FOLD_PLACE(k_fold_argmax_f32, k_tile_f32, f32, k_ahead_f32),
    WGSL_FOLD_PLACE(k_fold_argmax_i32, k_tile_i32, i32, k_ahead_i32),
    { NULL, NULL },
};
#undef WGSL_FOLD
#undef WGSL_FOLD_PLACE
