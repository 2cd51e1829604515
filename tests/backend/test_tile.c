/* test_tile.c - the tile loops of the CPU against libm in double and slow conversions, at every
 * vector width this machine has.
 *
 * Bounds in ulps are those of ops.def. Functions are drawn over their whole useful range, not only
 * over the table's domain. Folds, memory and random numbers are in test_tile_memory.c. */
#include "backend/cpu/tile.h"
#include "kern/kmath.h"
#include "test.h"

#include <weft/special.h>

#include <float.h>
#include <math.h>
#include <string.h>

enum { N = 1000, ROUNDS = 100 };

#define EACH_WIDTH(t)                                                                              \
    for (int level_ = 0; level_ <= (int)isa_detect(); level_++)                                    \
        for (const tile_table *t = tile_table_for((isa)level_); t; t = NULL)
#define WIDTH isa_name((isa)level_)

static const int ulp_bound[OP_COUNT] = {
#define OP_UNARY(name, f32, i32, cost, dx, f64, i64, lo, hi, ulp)      [OP_##name] = ulp,
#define OP_BINARY(name, f32, i32, cost, dx, dy, f64, i64, lo, hi, ulp) [OP_##name] = ulp,
#include "core/ops.def"
};

static const char *const op_names[OP_COUNT] = {
#define OP_UNARY(name, ...)   [OP_##name] = #name,
#define OP_BINARY(name, ...)  [OP_##name] = #name,
#define OP_COMPARE(name, ...) [OP_##name] = #name,
#define OP_LOGIC(name, ...)   [OP_##name] = #name,
#define OP_FOLD(name, ...)    [OP_##name] = #name,
#define OP_ROUTINE(name, ...) [OP_##name] = #name,
#define OP_OTHER(name, ...)   [OP_##name] = #name,
#include "core/ops.def"
};

/* Distance in units of the last place of f32 at `want`; results below the normal range may be 0. */
static double ulps(float got, double want) {
    if (isnan(want)) return isnan(got) ? 0 : INFINITY;
    if (isnan(got)) return INFINITY;
    if (isinf((float)want)) {
        if (fabsf(got) < FLT_MAX || (got > 0) != (want > 0)) return INFINITY;
        return isinf(got) ? 0 : 1;
    }
    if (fabs(want) < FLT_MIN && fabsf(got) <= FLT_MIN) return 0;
    if (isinf(got)) return INFINITY;
    int e;
    frexp(want, &e);
    return fabs(got - want) / ldexp(1, (e < -125 ? -125 : e) - 24);
}

/* clang-format off */
static double r_neg(double a) { return -a; }
static double r_sign(double a) { return isnan(a) ? a : (a > 0) - (a < 0); }
static double r_rsqrt(double a) { return 1 / sqrt(a); }
static double r_recip(double a) { return 1 / a; }
static double r_sigmoid(double a) { return 1 / (1 + exp(-a)); }
static double r_relu(double a) { return isnan(a) ? a : a > 0 ? a : 0; }

static double r_bessel_j0(double a) { return fabs(a) > 0x1p24 ? 0 : weft_special_bessel_j0(a); }
static double r_bessel_j1(double a) { return fabs(a) > 0x1p24 ? 0 : weft_special_bessel_j1(a); }

/* lo and hi bound the argument; `wide` draws its magnitude evenly over the exponents between. */
typedef struct range { int op; double (*f)(double); double lo, hi; bool wide; } range;
static const range ranges[] = {
    { OP_neg, r_neg, -9, 9, false },       { OP_abs, fabs, -9, 9, false },
    { OP_sign, r_sign, -9, 9, false },     { OP_exp, exp, -87.3, 88.7, false },
    { OP_exp, exp, 1e-30, 80, true },      { OP_expm1, expm1, -20, 88.7, false },
    { OP_expm1, expm1, 1e-30, 80, true },  { OP_expm1, expm1, -2, 2, false },
    { OP_expm1, expm1, -80, -1e-30, true }, { OP_log, log, 1.2e-38, 3e38, true },
    { OP_log, log, 0.5, 2, false },        { OP_log1p, log1p, -0.9999, 4, false },
    { OP_log1p, log1p, 1e-30, 1e38, true }, { OP_log1p, log1p, -0.999, -1e-30, true },
    { OP_sqrt, sqrt, 1e-37, 1e38, true },  { OP_rsqrt, r_rsqrt, 1e-37, 1e38, true },
    { OP_recip, r_recip, 1e-37, 1e37, true }, { OP_sin, sin, -7, 7, false },
    { OP_sin, sin, -1e5, 1e5, false },     { OP_sin, sin, 1e-30, 1e6, true },
    { OP_cos, cos, -7, 7, false },         { OP_cos, cos, -1e5, 1e5, false },
    { OP_cos, cos, 1e-30, 1e6, true },     { OP_tanh, tanh, -10, 10, false },
    { OP_tanh, tanh, 1e-30, 20, true },    { OP_erf, erf, -5, 5, false },
    { OP_erf, erf, 1e-30, 10, true },      { OP_erfc, erfc, -4, 9, false },
    { OP_erfc, erfc, 1e-30, 1, true },     { OP_erfinv, weft_special_erfinv, -0.999, 0.999, false },
    { OP_erfinv, weft_special_erfinv, 1e-30, 1, true },
    { OP_lgamma, weft_special_lgamma, 1e-30, 1e30, true },
    { OP_lgamma, weft_special_lgamma, -9, 9, false },
    { OP_digamma, weft_special_digamma, 1e-30, 1e30, true },
    { OP_digamma, weft_special_digamma, -9, 9, false },
    { OP_bessel_j0, r_bessel_j0, -40, 40, false },
    { OP_bessel_j0, r_bessel_j0, 1e-30, 1e5, true },
    { OP_bessel_j1, r_bessel_j1, -40, 40, false },
    { OP_bessel_j1, r_bessel_j1, 1e-30, 1e5, true },
    { OP_bessel_i0e, weft_special_bessel_i0e, -40, 40, false },
    { OP_bessel_i0e, weft_special_bessel_i0e, 1e-30, 1e30, true },
    { OP_bessel_i1e, weft_special_bessel_i1e, -40, 40, false },
    { OP_bessel_i1e, weft_special_bessel_i1e, 1e-30, 1e30, true },
    { OP_sigmoid, r_sigmoid, -87, 87, false },
    { OP_sigmoid, r_sigmoid, -8, 8, false }, { OP_relu, r_relu, -2, 2, false },
    { OP_floor, floor, -50, 50, false },   { OP_floor, floor, 0.1, 1e9, true },
    { OP_floor, floor, -1e9, -0.1, true }, { OP_ceil, ceil, -50, 50, false },
    { OP_ceil, ceil, 0.1, 1e9, true },     { OP_ceil, ceil, -1e9, -0.1, true },
    { OP_round, nearbyint, -50, 50, false }, { OP_round, nearbyint, 0.1, 1e9, true },
    { OP_round, nearbyint, -1e9, -0.1, true },
};
/* clang-format on */

static float draw(double lo, double hi, bool wide) {
    if (!wide) return (float)test_uniform(lo, hi);
    if (hi < 0) return -draw(-hi, -lo, true);
    return (float)exp(test_uniform(log(lo), log(hi)));
}

TEST(functions_of_one_number) {
    const int rounds = test_sanitized() ? ROUNDS / 10 : ROUNDS;
    EACH_WIDTH(t) {
        for (size_t k = 0; k < sizeof ranges / sizeof ranges[0]; k++) {
            const range *r = &ranges[k];
            CASE("%s %s %g ... %g", WIDTH, op_names[r->op], r->lo, r->hi);
            double worst = 0;
            float x[N], y[N], at = 0;
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < N; i++) x[i] = draw(r->lo, r->hi, r->wide);
                t->map[r->op][KT_F32](y, x, NULL, NULL, N);
                for (int i = 0; i < N; i++) {
                    const double u = ulps(y[i], r->f(x[i]));
                    if (u > worst) worst = u, at = x[i];
                }
            }
            if (!CHECK(worst <= ulp_bound[r->op])) CHECK_EQ(worst, at);
        }
    }
}

static const float edges[] = {
    0.0f,        -0.0f,       1.0f,    -1.0f,     0.5f,      -0.5f,   1.5f,     -1.5f,
    2.5f,        -2.5f,       2.0f,    -2.0f,     3.0f,      -3.0f,   0.3f,     -0.7f,
    1e-20f,      -1e-20f,     1e-40f,  FLT_MIN,   -FLT_MIN,  FLT_MAX, -FLT_MAX, 8388607.5f,
    -8388607.5f, 16777216.0f, 87.3f,   88.72283f, 88.72284f, 89.0f,   104.0f,   -87.33654f,
    -87.34f,     -88.5f,      -104.0f, -1000.0f,  1000.0f,   0.92f,   3.9f,     4.1f,
    INFINITY,    -INFINITY,   NAN};
enum { EDGES = sizeof edges / sizeof edges[0] };

/* log and pow take a denormal for zero. */
static double argument(int op, float a) {
    return (op == OP_log || op == OP_pow) && fabsf(a) < FLT_MIN ? copysignf(0, a) : a;
}

TEST(edges_of_one_number) {
    EACH_WIDTH(t) {
        for (size_t k = 0; k < sizeof ranges / sizeof ranges[0]; k++) {
            const range *r = &ranges[k];
            if (k && ranges[k - 1].op == r->op) continue;
            CASE("%s %s", WIDTH, op_names[r->op]);
            float y[EDGES];
            t->map[r->op][KT_F32](y, edges, NULL, NULL, EDGES);
            for (int i = 0; i < EDGES; i++) {
                if ((r->op == OP_sin || r->op == OP_cos) && fabsf(edges[i]) == FLT_MAX) {
                    CHECK(y[i] >= -1 && y[i] <= 1); /* sane, no more is promised there */
                    continue;
                }
                const double want = r->f(argument(r->op, edges[i]));
                if (ulps(y[i], want) > ulp_bound[r->op]) {
                    CHECK_EQ(edges[i], NAN);
                    CHECK_EQ(y[i], want);
                }
            }
        }
        CASE("%s sin and cos of anything", WIDTH);
        float x[N], y[N];
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < N; i++) x[i] = draw(1e5, 3e38, true) * (i & 1 ? 1 : -1);
            t->map[round & 1 ? OP_sin : OP_cos][KT_F32](y, x, NULL, NULL, N);
            bool sane = true;
            for (int i = 0; i < N; i++) sane = sane && y[i] >= -1.000001f && y[i] <= 1.000001f;
            CHECK(sane);
        }
    }
}

/* clang-format off */
static double r_add(double a, double b) { return a + b; }
static double r_sub(double a, double b) { return a - b; }
static double r_mul(double a, double b) { return a * b; }
static double r_div(double a, double b) { return a / b; }
static double r_max(double a, double b) { return isnan(a) || a > b ? a : b; }
static double r_min(double a, double b) { return isnan(a) || a < b ? a : b; }
static double r_mod(double a, double b) {
    const double r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
static double r_pow(double a, double b) {
    return a == -INFINITY && b != nearbyint(b) && !isnan(b) ? NAN : pow(a, b);
}

static double r_polygamma(double a, double b) {
    const double n = nearbyint(a);
    return (b < 0 && n > 1) || n > 999 ? NAN : weft_special_polygamma(n, b);
}

typedef struct range_two {
    int op;
    double (*f)(double, double);
    double lo, hi, lo2, hi2;
} range_two;
static const range_two ranges_two[] = {
    { OP_add, r_add, -2, 2, -2, 2 },       { OP_sub, r_sub, -2, 2, -2, 2 },
    { OP_mul, r_mul, -9, 9, -9, 9 },       { OP_div, r_div, -9, 9, 0.1, 9 },
    { OP_pow, r_pow, 0.01, 100, -15, 15 }, { OP_pow, r_pow, 0.5, 2, 0.5, 2 },
    { OP_pow, r_pow, 0.9, 1.1, -800, 800 }, { OP_maximum, r_max, -2, 2, -2, 2 },
    { OP_polygamma, r_polygamma, 0.6, 5.4, 0.01, 30 },
    { OP_polygamma, r_polygamma, 0.6, 1.4, -5.45, 1e4 },
    { OP_minimum, r_min, -2, 2, -2, 2 },   { OP_mod, r_mod, 0.6, 0.9, 0.6, 0.9 },
};
/* clang-format on */

TEST(functions_of_two_numbers) {
    const int rounds = test_sanitized() ? ROUNDS / 10 : ROUNDS;
    EACH_WIDTH(t) {
        for (size_t k = 0; k < sizeof ranges_two / sizeof ranges_two[0]; k++) {
            const range_two *r = &ranges_two[k];
            CASE("%s %s", WIDTH, op_names[r->op]);
            double worst = 0;
            float x[N], z[N], y[N], at = 0;
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < N; i++) {
                    x[i] = draw(r->lo, r->hi, false);
                    z[i] = draw(r->lo2, r->hi2, false);
                }
                t->map[r->op][KT_F32](y, x, z, NULL, N);
                for (int i = 0; i < N; i++) {
                    const double u = ulps(y[i], r->f(x[i], z[i]));
                    if (u > worst) worst = u, at = x[i];
                }
            }
            if (!CHECK(worst <= ulp_bound[r->op])) CHECK_EQ(worst, at);
        }
        /* mod with a larger quotient loses what the product loses: absolute, relative to a. */
        CASE("%s mod", WIDTH);
        float x[N], z[N], y[N];
        for (int i = 0; i < N; i++) x[i] = draw(-1000, 1000, false), z[i] = draw(-9, 9, false);
        t->map[OP_mod][KT_F32](y, x, z, NULL, N);
        for (int i = 0; i < N; i++) {
            const double off = fabs(y[i] - r_mod(x[i], z[i]));
            CHECK(fmin(off, fabs(fabs(z[i]) - off)) < 3e-4);
            CHECK(fabsf(y[i]) <= fabsf(z[i]) + 3e-4f);
            CHECK(y[i] == 0 || (y[i] < 0) == (z[i] < 0));
        }
    }
}

TEST(edges_of_two_numbers) {
    EACH_WIDTH(t) {
        for (size_t k = 0; k < sizeof ranges_two / sizeof ranges_two[0]; k++) {
            const range_two *r = &ranges_two[k];
            if (k && ranges_two[k - 1].op == r->op) continue;
            CASE("%s %s", WIDTH, op_names[r->op]);
            for (int j = 0; j < EDGES; j++) {
                float b[EDGES], y[EDGES];
                for (int i = 0; i < EDGES; i++) b[i] = edges[j];
                t->map[r->op][KT_F32](y, edges, b, NULL, EDGES);
                for (int i = 0; i < EDGES; i++) {
                    const double q = edges[i] / (double)b[i];
                    if (r->op == OP_mod && fabs(q) > 2 && fabs(q) <= DBL_MAX) continue;
                    const double want = r->f(argument(r->op, edges[i]), b[i]);
                    if (ulps(y[i], want) > ulp_bound[r->op]) {
                        CHECK_EQ(edges[i], b[i]);
                        CHECK_EQ(y[i], want);
                    }
                }
            }
        }
    }
}

/* ---- integers ---- */

/* clang-format off */
static const int32_t whole[] = {
    0, 1, -1, 2, -2, 3, -3, 7, -7, 10, -10, 255, 256, -129, 65537, 1000003, -999999937,
    INT32_MAX, INT32_MAX - 1, INT32_MIN, INT32_MIN + 1
};
/* clang-format on */
enum { WHOLES = sizeof whole / sizeof whole[0] };

static int64_t whole_reference(int op, int64_t a, int64_t b) {
    switch (op) {
    case OP_neg: return -a;
    case OP_abs: return a < 0 ? -a : a;
    case OP_sign: return (a > 0) - (a < 0);
    case OP_relu: return a > 0 ? a : 0;
    case OP_floor:
    case OP_ceil:
    case OP_round: return a;
    case OP_add: return a + b;
    case OP_sub: return a - b;
    case OP_mul: return a * b;
    case OP_mod: return b ? (a % b + b) % b : 0;
    case OP_maximum: return a > b ? a : b;
    case OP_minimum: return a < b ? a : b;
    case OP_lt: return a < b;
    case OP_le: return a <= b;
    case OP_eq: return a == b;
    case OP_ne: return a != b;
    case OP_and: return a & b;
    case OP_or: return a | b;
    default: return a ^ b;
    }
}

TEST(integers) {
    EACH_WIDTH(t) {
        for (int op = 1; op < OP_where; op++) {
            if (!t->map[op][KT_I32]) continue;
            CASE("%s %s", WIDTH, op_names[op]);
            for (int j = 0; j < WHOLES; j++) {
                int32_t b[WHOLES], y[WHOLES];
                for (int i = 0; i < WHOLES; i++) b[i] = whole[j];
                t->map[op][KT_I32](y, whole, b, NULL, WHOLES);
                for (int i = 0; i < WHOLES; i++) {
                    const int64_t all = whole_reference(op, whole[i], b[i]);
                    const int32_t want = (int32_t)(uint32_t)(uint64_t)all;
                    if (y[i] != want) CHECK_EQ(whole[i], b[i]), CHECK_EQ(y[i], want);
                }
            }
        }
    }
}

TEST(rows_without_integers_have_no_loop) {
    EACH_WIDTH(t) {
        CHECK(!t->map[OP_exp][KT_I32] && !t->map[OP_div][KT_I32] && !t->map[OP_pow][KT_I32]);
        CHECK(!t->map[OP_and][KT_F32] && !t->map[OP_cast][KT_F32] && !t->map[OP_take][KT_F32]);
    }
}

TEST(comparisons_of_floats) {
    EACH_WIDTH(t) {
        CASE("%s", WIDTH);
        for (int j = 0; j < EDGES; j++) {
            float b[EDGES];
            int32_t y[4][EDGES];
            for (int i = 0; i < EDGES; i++) b[i] = edges[j];
            t->map[OP_lt][KT_F32](y[0], edges, b, NULL, EDGES);
            t->map[OP_le][KT_F32](y[1], edges, b, NULL, EDGES);
            t->map[OP_eq][KT_F32](y[2], edges, b, NULL, EDGES);
            t->map[OP_ne][KT_F32](y[3], edges, b, NULL, EDGES);
            for (int i = 0; i < EDGES; i++) {
                CHECK(y[0][i] == (edges[i] < b[i]) && y[1][i] == (edges[i] <= b[i]));
                CHECK(y[2][i] == (edges[i] == b[i]) && y[3][i] == (edges[i] != b[i]));
            }
        }
    }
}

/* ---- three operands ---- */

static double super_reference(int op, double a, double b, double c) {
    switch (op) {
    case K_FMA: return a * b + c;
    case TILE_MUL_SUB: return a * b - c;
    case TILE_SUB_PROD: return c - a * b;
    case TILE_SUB_MUL: return (a - b) * c;
    case TILE_ADD_MUL: return (a + b) * c;
    case TILE_ADD_ADD: return a + b + c;
    case TILE_MUL_MUL: return a * b * c;
    case TILE_ADD_RELU: return r_relu(a + b);
    case TILE_RELU_MUL: return r_relu(a) * b;
    case TILE_IF_POSITIVE: return a > 0 ? b : 0;
    case TILE_TANH_SLOPE: return a * (1 - b * b);
    case TILE_SIGMOID_SLOPE: return a * (b * (1 - b));
    case TILE_MUL_SIGMOID: return a * r_sigmoid(b);
    case TILE_SUB_EXP: return exp(a - b);
    case TILE_SUB_SQUARE: return (a - b) * (a - b);
    default: return NAN;
    }
}

TEST(super_operations) {
    EACH_WIDTH(t) {
        for (int op = K_FMA; op < TILE_OPS; op++) {
            CASE("%s %d", WIDTH, op - K_FMA);
            float a[N], b[N], c[N], y[N];
            for (int i = 0; i < N; i++) {
                a[i] = draw(-2, 2, false), b[i] = draw(-2, 2, false), c[i] = draw(-2, 2, false);
            }
            if (!CHECK(t->map[op][KT_F32] != NULL)) continue;
            t->map[op][KT_F32](y, a, b, c, N);
            for (int i = 0; i < N; i++) {
                const double want = super_reference(op, a[i], b[i], c[i]);
                if (fabs(y[i] - want) > 2e-6 * fmax(1, fabs(want))) CHECK_EQ(y[i], want);
            }
        }
    }
}

TEST(choices) {
    EACH_WIDTH(t) {
        CASE("%s", WIDTH);
        int32_t a[N], y[N], b[N], c[N];
        float fb[N], fc[N], fy[N];
        for (int i = 0; i < N; i++) {
            a[i] = i % 3 == 0 ? 0 : i % 3 == 1 ? 1 : -5;
            b[i] = i, c[i] = -i;
            fb[i] = i % 7 ? (float)i : NAN, fc[i] = i % 5 ? (float)-i : INFINITY;
        }
        t->map[OP_where][KT_I32](y, a, b, c, N);
        t->map[OP_where][KT_F32](fy, a, fb, fc, N);
        for (int i = 0; i < N; i++) {
            CHECK_EQ(y[i], a[i] ? b[i] : c[i]);
            CHECK_EQ(fy[i], a[i] ? fb[i] : fc[i]);
        }
    }
}

/* The same bits wherever an element stands in a tile, in place or not, and nothing beyond n. */
TEST(place_does_not_matter) {
    enum { LEN = 67 };
    EACH_WIDTH(t) {
        for (int op = 1; op < TILE_OPS; op++) {
            for (int type = 0; type < 2; type++) {
                tile_map *f = t->map[op][type];
                if (!f) continue;
                CASE("%s %d %d", WIDTH, op, type);
                uint32_t x[3][LEN], y[LEN + 1], z[LEN];
                for (int i = 0; i < LEN; i++) {
                    for (int k = 0; k < 3; k++) {
                        x[k][i] = type ? test_random() : k_bits((float)test_uniform(-3, 3));
                    }
                    if (op == OP_where) x[0][i] &= 1;
                }
                y[LEN] = 12345;
                f(y, x[0], x[1], x[2], LEN);
                CHECK_EQ(y[LEN], 12345u);
                for (int i = 0; i < LEN; i++) {
                    uint32_t one;
                    f(&one, x[0] + i, x[1] + i, x[2] + i, 1);
                    if (one != y[i]) CHECK_EQ(one, y[i]);
                }
                for (int k = 0; k < 3; k++) {
                    uint32_t w[3][LEN];
                    memcpy(w, x, sizeof w);
                    f(w[k], w[0], w[1], w[2], LEN);
                    CHECK_MEM(w[k], y, sizeof z);
                }
                f(y, x[0], x[1], x[2], 0);
            }
        }
    }
}
