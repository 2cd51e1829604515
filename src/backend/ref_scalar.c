/* ref_scalar.c - the meaning of single numbers in the reference backend: conversions between types,
 * the expressions of ops.def in double, random bits.
 *
 * Written for reading; libm and weft/special.h are the reference. Arrays and shapes are ref_eval.c's. */
#include "backend/ref_node.h"
#include <assert.h>
#include <math.h>
#include <weft/special.h>

/* ---- types ---- */

bool ref_is_float(int dtype) {
    return dtype == WEFT_F32 || dtype == WEFT_BF16 || dtype == WEFT_F16;
}

/* To the nearest multiple of a unit, halves to even. The unit is 2^(e - digits) for a number below
 * 2^e, but no less than 2^least, the smallest subnormal. */
static double ref_round(double v, int digits, int least, double limit) {
    assert(digits > 0 && limit > 0);
    if (v == 0 || !isfinite(v)) return v;
    int e;
    frexp(v, &e);
    int unit = e - digits > least ? e - digits : least;
    double r = ldexp(nearbyint(ldexp(v, -unit)), unit);
    return fabs(r) > limit ? copysign(INFINITY, v) : r;
}

static double ref_round_bf16(double v) {
    return ref_round(v, 8, -133, 0x1.fep127);
}

static double ref_round_f16(double v) {
    return ref_round(v, 11, -24, 65504);
}

static double ref_wrap(int dtype, int64_t v) {
    switch (dtype) {
    case WEFT_I32: return (int32_t)(uint32_t)v;
    case WEFT_U32: return (uint32_t)v;
    case WEFT_I8: return (int8_t)(uint8_t)v;
    case WEFT_U8: return (uint8_t)v;
    case WEFT_BOOL: return v != 0;
    default: return (double)v;
    }
}

/* Cut towards zero. 8-bit types take the low byte of the i32, as 32-bit registers have it. */
static int64_t ref_whole(int to, double v) {
    double lo = to == WEFT_U32 ? 0 : INT32_MIN;
    double hi = to == WEFT_U32 ? UINT32_MAX : INT32_MAX;
    if (isnan(v)) return 0;
    return (int64_t)(v < lo ? lo : v > hi ? hi : v);
}

double ref_cast(int from, int to, double v) {
    switch (to) {
    case WEFT_F32: return v;
    case WEFT_BF16: return ref_round_bf16(v);
    case WEFT_F16: return ref_round_f16(v);
    case WEFT_BOOL: return v != 0;
    default: return ref_wrap(to, ref_is_float(from) ? ref_whole(to, v) : (int64_t)v);
    }
}

double ref_of_bits(int dtype, uint32_t bits) {
    return ref_is_float(dtype) ? float_of(bits) : ref_wrap(dtype, (int32_t)bits);
}

/* ---- numbers in memory ---- */

static double ref_f16_value(uint16_t bits) {
    double sign = bits >> 15 ? -1 : 1;
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent == 31) return fraction ? NAN : sign * INFINITY;
    if (exponent == 0) return sign * ldexp(fraction, -24);
    return sign * ldexp(1024 + fraction, exponent - 25);
}

static uint16_t ref_f16_bits(double v) {
    v = ref_round_f16(v);
    uint32_t sign = signbit(v) ? 0x8000 : 0;
    if (isnan(v)) return 0x7e00;
    if (isinf(v)) return (uint16_t)(sign | 0x7c00);
    int e;
    frexp(v, &e);
    if (v == 0 || e < -13) return (uint16_t)(sign | (uint32_t)ldexp(fabs(v), 24));
    uint32_t fraction = (uint32_t)ldexp(fabs(v), 11 - e) - 1024;
    return (uint16_t)(sign | (uint32_t)(e + 14) << 10 | fraction);
}

/* The element of that C type at p. */
#define REF_READ(type, p)     (*(type *)memcpy(&(type){0}, (p), sizeof(type)))
#define REF_WRITE(type, p, v) memcpy((p), &(type){(v)}, sizeof(type))

double ref_read(int dtype, const void *array, int64_t i) {
    assert(array && i >= 0);
    const char *p = (const char *)array + (size_t)i * weft_dtype_size((weft_dtype)dtype);
    switch (dtype) {
    case WEFT_F32: return REF_READ(float, p);
    case WEFT_BF16: return float_of((uint32_t)REF_READ(uint16_t, p) << 16);
    case WEFT_F16: return ref_f16_value(REF_READ(uint16_t, p));
    case WEFT_I32: return REF_READ(int32_t, p);
    case WEFT_U32: return REF_READ(uint32_t, p);
    case WEFT_I8: return REF_READ(int8_t, p);
    case WEFT_U8: return REF_READ(uint8_t, p);
    default: return *p != 0;
    }
}

void ref_write(int dtype, void *array, int64_t i, double v) {
    assert(array && i >= 0);
    char *p = (char *)array + (size_t)i * weft_dtype_size((weft_dtype)dtype);
    switch (dtype) {
    case WEFT_F32: REF_WRITE(float, p, (float)v); break;
    case WEFT_BF16:
        REF_WRITE(uint16_t, p, (uint16_t)(bits_of((float)ref_round_bf16(v)) >> 16));
        break;
    case WEFT_F16: REF_WRITE(uint16_t, p, ref_f16_bits(v)); break;
    case WEFT_I32:
    case WEFT_U32: REF_WRITE(uint32_t, p, (uint32_t)(int64_t)v); break;
    case WEFT_BOOL: *p = v != 0; break;
    default: REF_WRITE(uint8_t, p, (uint8_t)(int64_t)v); break;
    }
}

#undef REF_READ
#undef REF_WRITE

/* ---- the table's expressions ---- */

/* C gives infinity for broken powers of -inf; here no negative number has them. */
static double ref_pow(double a, double b) {
    return a == -INFINITY && isfinite(b) && b != nearbyint(b) ? NAN : pow(a, b);
}

/* An infinite b leaves a as it is, or is itself the result where the signs differ, as in Python. */
static double ref_mod(double a, double b) {
    const double r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/* Where kernels reflect it, and as far as their exponents go. */
static double ref_polygamma(double n, double x) {
    return (x < 0 && n > 1) || n > 999 ? NAN : weft_special_polygamma(n, x);
}

/* The product of two large u32 does not fit; its low half, all that is kept, is right all the same. */
static int64_t ref_mul(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* clang-format off */
static double ref_real(int op, double a, double b) {
    switch (op) {
#define OP_UNARY(name, f32, i32, cost, dx, f64, ...)      case OP_##name: return f64;
#define OP_BINARY(name, f32, i32, cost, dx, dy, f64, ...) case OP_##name: return f64;
#define OP_COMPARE(name, f32, i32, truth)                 case OP_##name: return truth;
#include "core/ops.def"
    default: return NAN;
    }
}

#define NOINT 0 /* never asked for: such operands were cast to f32 */
static int64_t ref_int(int op, int64_t a, int64_t b) {
    switch (op) {
#define OP_UNARY(name, f32, i32, cost, dx, f64, i64, ...)      case OP_##name: return i64;
#define OP_BINARY(name, f32, i32, cost, dx, dy, f64, i64, ...) case OP_##name: return i64;
#define OP_COMPARE(name, f32, i32, truth)                      case OP_##name: return truth;
#define OP_LOGIC(name, i32)                                    case OP_##name: return i32;
#include "core/ops.def"
    default: return 0;
    }
}
#undef NOINT
/* clang-format on */

double ref_apply(int op, int from, int to, double a, double b) {
    assert(op > OP_NONE && op < OP_COUNT);
    if (ref_is_float(from)) return ref_real(op, a, b);
    return ref_wrap(to, ref_int(op, (int64_t)a, (int64_t)b));
}

double ref_lowest(int dtype) {
    if (ref_is_float(dtype)) return -INFINITY;
    return dtype == WEFT_I32 ? INT32_MIN : dtype == WEFT_I8 ? INT8_MIN : 0;
}

bool ref_above(double a, double b) {
    return a > b || (isnan(a) && !isnan(b));
}

/* ---- randomness ---- */

/* Philox4x32-10: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3". */
static void ref_philox(uint32_t counter[4], uint32_t key0, uint32_t key1) {
    for (int round = 0; round < 10; round++) {
        uint64_t even = (uint64_t)counter[0] * 0xd2511f53u;
        uint64_t odd = (uint64_t)counter[2] * 0xcd9e8d57u;
        counter[0] = (uint32_t)(odd >> 32) ^ counter[1] ^ key0;
        counter[2] = (uint32_t)(even >> 32) ^ counter[3] ^ key1;
        counter[1] = (uint32_t)odd;
        counter[3] = (uint32_t)even;
        key0 += 0x9e3779b9u;
        key1 += 0xbb67ae85u;
    }
}

/* The four words of a block serve four elements. Uniform: the upper 24 bits of a word. Normal: two
 * words give two numbers (Box-Muller), the first word in (0, 1] as its logarithm is taken. */
void ref_random(uint32_t seed, uint32_t stream, uint32_t run, int64_t block, int kind, int dtype,
                double out[4]) {
    uint32_t word[4] = {(uint32_t)block, 0, run, 0};
    ref_philox(word, seed, stream);
    for (int i = 0; i < 4; i++) {
        if (kind == RANDOM_BITS) {
            out[i] = ref_wrap(dtype, word[i]);
        } else if (kind == RANDOM_UNIFORM) {
            out[i] = ldexp(word[i] >> 8, -24);
        } else {
            const double two_pi = 6.283185307179586;
            double length = sqrt(-2 * log(ldexp((word[i & ~1] >> 8) + 1, -24)));
            double angle = two_pi * ldexp(word[i | 1] >> 8, -24);
            out[i] = length * (i & 1 ? sin(angle) : cos(angle));
        }
    }
}
