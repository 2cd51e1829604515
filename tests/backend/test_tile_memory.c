/* test_tile_memory.c - what the tile loops do besides arithmetic: conversions, strided memory,
 * folds, random numbers, optimisers; at every vector width this machine has.
 *
 * Half floats are checked for all their values against slow conversions written here. */
#include "backend/cpu/tile.h"
#include "kern/krandom.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EACH_WIDTH(t)                                                                              \
    for (int level_ = 0; level_ <= (int)isa_detect(); level_++)                                    \
        for (const tile_table *t = tile_table_for((isa)level_); t; t = NULL)
#define WIDTH isa_name((isa)level_)

/* ---- half floats: value of 16 bits with `fraction` bits of fraction, and back by search ---- */

static double half_value(uint32_t h, int fraction, int bias) {
    const uint32_t f = h & ((1u << fraction) - 1), e = (h & 0x7fff) >> fraction;
    const double sign = h & 0x8000 ? -1 : 1;
    if (e == 0x7fffu >> fraction) return f ? NAN : sign * INFINITY;
    if (e == 0) return sign * ldexp(f, 1 - bias - fraction);
    return sign * ldexp((1 << fraction) + (int)f, (int)e - bias - fraction);
}

/* Nearest of the two neighbours, the even one of equals; the step after the largest is infinity. */
static uint32_t half_nearest(float x, int fraction, int bias) {
    const uint32_t sign = signbit(x) ? 0x8000 : 0, top = (0x7fffu >> fraction) << fraction;
    if (isnan(x)) return sign | 0x7fff;
    const double a = fabs((double)x);
    uint32_t lo = 0, hi = top;
    while (hi - lo > 1) {
        const uint32_t mid = (lo + hi) / 2;
        if (half_value(mid, fraction, bias) <= a) lo = mid;
        else hi = mid;
    }
    const double below = half_value(lo, fraction, bias);
    double above = half_value(hi, fraction, bias);
    if (isinf(a)) return sign | top;
    if (isinf(above)) above = ldexp(1, bias + 1);
    const double down = a - below, up = above - a;
    return sign | (down < up || (down == up && !(lo & 1)) ? lo : hi);
}

typedef struct half_kind {
    int dtype, fraction, bias;
} half_kind;
static const half_kind halves[] = {{WEFT_BF16, 7, 127}, {WEFT_F16, 10, 15}};

TEST(halves_all_values) {
    enum { ALL = 65536 };
    static uint16_t in[ALL], out[ALL];
    static float wide[ALL], rounded[ALL];
    for (int i = 0; i < ALL; i++) in[i] = (uint16_t)i;
    EACH_WIDTH(t) {
        for (int k = 0; k < 2; k++) {
            const half_kind *h = &halves[k];
            CASE("%s %d", WIDTH, h->dtype);
            t->load[h->dtype](wide, in, 1, ALL);
            t->store[h->dtype](out, 1, wide, ALL);
            t->cast[KT_F32][h->dtype](rounded, wide, NULL, NULL, ALL);
            for (int i = 0; i < ALL; i++) {
                const double want = half_value((uint32_t)i, h->fraction, h->bias);
                const bool kept = isnan(want) ? isnan(wide[i]) && isnan(rounded[i]) : out[i] == i;
                if (!kept || (!isnan(want) && (wide[i] != want || rounded[i] != wide[i]))) {
                    CHECK_EQ(out[i], i), CHECK_EQ(wide[i], want);
                }
                if (isnan(want)) {
                    t->load[h->dtype](&rounded[i], &out[i], 1, 1);
                    CHECK(isnan(rounded[i]) && (out[i] & 0x8000) == (i & 0x8000));
                }
            }
        }
    }
}

TEST(halves_round_to_nearest_even) {
    enum { COUNT = 4000 };
    float x[COUNT], kept[COUNT];
    uint16_t y[COUNT];
    EACH_WIDTH(t) {
        for (int k = 0; k < 2; k++) {
            const half_kind *h = &halves[k];
            CASE("%s %d", WIDTH, h->dtype);
            for (int i = 0; i < COUNT; i++) {
                /* a value, a middle between two, and what is next to a middle; or anything */
                const uint32_t b = test_random() & 0xffff;
                const double v = half_value(b, h->fraction, h->bias);
                const double w = half_value(b + 1, h->fraction, h->bias);
                const bool between = i % 4 < 3 && isfinite(v) && isfinite(w);
                x[i] = between ? (float)((v + w) / 2) : k_float(test_random());
                if (i % 4 == 1) x[i] = nextafterf(x[i], INFINITY);
                if (i % 4 == 2) x[i] = nextafterf(x[i], -INFINITY);
            }
            const float more[] = {
                65504,         65519.9f,     65520, -65520, 1e30f,          3.4e38f,
                INFINITY,      -INFINITY,    0,     -0.0f,  2.98023224e-8f, 2.98023259e-8f,
                6.1035156e-5f, 6.1005354e-5f};
            memcpy(x, more, sizeof more);
            t->store[h->dtype](y, 1, x, COUNT);
            t->cast[KT_F32][h->dtype](kept, x, NULL, NULL, COUNT);
            for (int i = 0; i < COUNT; i++) {
                if (isnan(x[i])) {
                    CHECK(isnan(half_value(y[i], h->fraction, h->bias)) && isnan(kept[i]));
                    continue;
                }
                const uint32_t want = half_nearest(x[i], h->fraction, h->bias);
                if (y[i] != want) CHECK_EQ(x[i], 0), CHECK_EQ(y[i], want);
                const float back = (float)half_value(want, h->fraction, h->bias);
                if (kept[i] != back) CHECK_EQ(kept[i], back);
            }
        }
    }
}

/* ---- casts ---- */

TEST(casts) {
    const float x[] = {0,
                       -0.5f,
                       0.9f,
                       -0.9f,
                       1.5f,
                       -1.5f,
                       127.9f,
                       128,
                       255.5f,
                       256,
                       -129,
                       300,
                       -1,
                       2147483520.0f,
                       2147483648.0f,
                       4294967040.0f,
                       4294967296.0f,
                       1e30f,
                       -1e30f,
                       -2147483648.0f,
                       3e9f,
                       INFINITY,
                       -INFINITY,
                       NAN,
                       1e-40f};
    enum { COUNT = sizeof x / sizeof x[0] };
    const int32_t w[] = {0, 1, -1, 127, 128, -128, -129, 255, 256, 16777217, INT32_MAX, INT32_MIN};
    enum { WHOLES = sizeof w / sizeof w[0] };
    EACH_WIDTH(t) {
        CASE("%s from f32", WIDTH);
        int32_t y[WEFT_DTYPE_COUNT][COUNT];
        for (int d = WEFT_I32; d < WEFT_DTYPE_COUNT; d++) {
            t->cast[KT_F32][d](y[d], x, NULL, NULL, COUNT);
        }
        for (int i = 0; i < COUNT; i++) {
            const double v = isnan(x[i]) ? 0 : x[i];
            const int32_t cut = (int32_t)fmax(fmin(v, INT32_MAX), INT32_MIN);
            CHECK_EQ(y[WEFT_I32][i], cut);
            CHECK_EQ((uint32_t)y[WEFT_U32][i], (uint32_t)fmax(fmin(v, UINT32_MAX), 0));
            CHECK_EQ(y[WEFT_I8][i], (int8_t)(uint8_t)cut);
            CHECK_EQ(y[WEFT_U8][i], (uint8_t)cut);
            CHECK_EQ(y[WEFT_BOOL][i], x[i] != 0);
        }
        CASE("%s from i32", WIDTH);
        float f[3][WHOLES];
        int32_t same[WHOLES];
        t->cast[KT_I32][WEFT_F32](f[0], w, NULL, NULL, WHOLES);
        t->cast[KT_I32][WEFT_BF16](f[1], w, NULL, NULL, WHOLES);
        t->cast[KT_I32][WEFT_F16](f[2], w, NULL, NULL, WHOLES);
        for (int d = WEFT_I32; d < WEFT_DTYPE_COUNT; d++) {
            t->cast[KT_I32][d](y[d], w, NULL, NULL, WHOLES);
        }
        for (int i = 0; i < WHOLES; i++) {
            CHECK_EQ(f[0][i], (float)w[i]);
            CHECK_EQ(f[1][i], half_value(half_nearest((float)w[i], 7, 127), 7, 127));
            CHECK_EQ(f[2][i], half_value(half_nearest((float)w[i], 10, 15), 10, 15));
            CHECK(y[WEFT_I32][i] == w[i] && y[WEFT_U32][i] == w[i]);
            CHECK(y[WEFT_I8][i] == (int8_t)(uint8_t)w[i] && y[WEFT_U8][i] == (uint8_t)w[i]);
            CHECK_EQ(y[WEFT_BOOL][i], w[i] != 0);
        }
        memcpy(same, w, sizeof w);
        t->cast[KT_I32][WEFT_I32](same, same, NULL, NULL, WHOLES);
        CHECK_MEM(same, w, sizeof w);
    }
}

/* ---- memory ---- */

static const int sizes[WEFT_DTYPE_COUNT] = {
#define X(name, bytes, text) bytes,
    WEFT_DTYPES(X)
#undef X
};

/* Element i of an array as register bits. */
static uint32_t element(int dtype, const void *array, int64_t i) {
    const char *p = (const char *)array + i * sizes[dtype];
    uint32_t u = 0;
    memcpy(&u, p, (size_t)sizes[dtype]);
    switch (dtype) {
    case WEFT_BF16: return k_bits((float)half_value(u, 7, 127));
    case WEFT_F16: return k_bits((float)half_value(u, 10, 15));
    case WEFT_I8: return (uint32_t)(int8_t)(uint8_t)u;
    case WEFT_BOOL: return u != 0;
    default: return u;
    }
}

TEST(strided_memory) {
    enum { LEN = 53, ROOM = 8 * LEN };
    const int64_t strides[] = {1, 0, 2, 3, -1, -4, 7};
    EACH_WIDTH(t) {
        for (int d = 0; d < WEFT_DTYPE_COUNT; d++) {
            for (size_t k = 0; k < sizeof strides / sizeof strides[0]; k++) {
                const int64_t s = strides[k], first = s < 0 ? -s * (LEN - 1) : 0;
                CASE("%s %d stride %d", WIDTH, d, (int)s);
                uint32_t memory[ROOM], copy[ROOM], y[LEN + 1];
                for (int i = 0; i < ROOM; i++) memory[i] = test_random() & 0x3f3f3f3f;
                if (d == WEFT_BOOL)
                    for (int i = 0; i < ROOM; i++) memory[i] &= 0x01010101;
                const char *from = (const char *)memory + first * sizes[d];
                y[LEN] = 777;
                t->load[d](y, from, s, LEN);
                CHECK_EQ(y[LEN], 777u);
                for (int i = 0; i < LEN; i++) CHECK_EQ(y[i], element(d, memory, first + i * s));
                if (s == 0) continue;
                memset(copy, 0x55, sizeof copy);
                t->store[d]((char *)copy + first * sizes[d], s, y, LEN);
                const int64_t all = ROOM * 4 / sizes[d];
                for (int64_t i = 0; i < all; i++) {
                    const int64_t at = (i - first) / s;
                    const bool written = (i - first) % s == 0 && at >= 0 && at < LEN;
                    const char *want = written ? (const char *)memory + i * sizes[d] : "UUUU";
                    const char *got = (const char *)copy + i * sizes[d];
                    if (memcmp(got, want, (size_t)sizes[d])) CHECK_EQ(i, -1);
                }
            }
            CASE("%s %d take", WIDTH, d);
            uint32_t memory[ROOM], y[LEN];
            int32_t index[LEN];
            for (int i = 0; i < ROOM; i++) memory[i] = test_random() & 0x3f3f3f3f;
            for (int i = 0; i < LEN; i++) {
                index[i] = i % 9 == 0 ? -1 : i % 9 == 1 ? INT32_MAX : i % 9;
            }
            t->take[d](y, memory, 2, index, 3, 8, LEN);
            for (int i = 0; i < LEN; i++) {
                const bool there = index[i] >= 0 && index[i] < 8;
                CHECK_EQ(y[i], there ? element(d, memory, 2 * i + 3 * index[i]) : 0u);
            }
            t->take[d](y, NULL, 0, index, 1, 0, LEN); /* nothing there, nothing read */
            CHECK(y[0] == 0 && y[LEN - 1] == 0);
        }
    }
}

TEST(rows_to_tiles) {
    EACH_WIDTH(t) {
        CASE("%s", WIDTH);
        for (int rows = 0; rows < 8; rows++) {
            for (int n = 1; n < 40; n += 3) {
                uint32_t row[40], y[8 * 40 + 1], z[8 * 40 + 1];
                for (int i = 0; i < 40; i++) row[i] = test_random();
                y[rows * n] = z[rows * n] = 9;
                t->spread(y, row, rows, n);
                t->repeat(z, row, rows, n);
                for (int i = 0; i < rows * n; i++) CHECK(y[i] == row[i / n] && z[i] == row[i % n]);
                CHECK(y[rows * n] == 9 && z[rows * n] == 9);
            }
        }
        int32_t at[50];
        t->index(at, -7, 3, 50);
        for (int i = 0; i < 50; i++) CHECK_EQ(at[i], -7 + 3 * i);
        t->index(at, INT32_MAX, 1, 2);
        CHECK_EQ(at[1], INT32_MIN);
    }
}

/* ---- folds ---- */

TEST(folds) {
    const int lengths[] = {1, 2, 3, 7, 8, 10, 16, 31, 32, 33, 64, 100, 129, 255, 256, 1000};
    EACH_WIDTH(t) {
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
            enum { ROWS = 5 };
            const int n = lengths[l];
            CASE("%s %d", WIDTH, n);
            float *x = malloc((size_t)(ROWS * n + 1) * 4), s[3][ROWS], again[ROWS];
            int32_t *w = malloc((size_t)(ROWS * n) * 4), v[3][ROWS];
            for (int i = 0; i < ROWS * n; i++) {
                x[i] = (float)test_uniform(0.9, 1.1) * (test_random() & 1 ? 1 : -1);
                w[i] = (int32_t)test_random();
            }
            for (int r = 0; r < ROWS; r++) {
                s[0][r] = again[r] = 2, s[1][r] = -5, s[2][r] = 3;
                v[0][r] = 2, v[1][r] = -2000000000, v[2][r] = 3;
            }
            for (int k = 0; k < 3; k++) t->fold[k][KT_F32](s[k], x, ROWS, n);
            for (int k = 0; k < 3; k++) t->fold[k][KT_I32](v[k], w, ROWS, n);
            for (int r = 0; r < ROWS; r++) {
                double sum = 2, most = -5, product = 3;
                uint32_t all = 2, times = 3;
                int32_t top = -2000000000;
                for (int j = 0; j < n; j++) {
                    const float a = x[r * n + j];
                    const int32_t b = w[r * n + j];
                    sum += a, product *= a, most = a > most ? a : most;
                    all += (uint32_t)b, times *= (uint32_t)b, top = b > top ? b : top;
                }
                CHECK_NEAR(s[0][r], sum, 1e-6 * (3 + sqrt(n)));
                CHECK_EQ(s[1][r], most);
                CHECK_NEAR(s[2][r], product, 1e-6 * (1 + n) * fabs(product));
                CHECK_EQ(v[0][r], (int32_t)all);
                CHECK_EQ(v[1][r], top);
                CHECK_EQ(v[2][r], (int32_t)times);
            }
            /* the same bits one element further on */
            memmove(x + 1, x, (size_t)(ROWS * n) * 4);
            t->fold[0][KT_F32](again, x + 1, ROWS, n);
            CHECK_MEM(again, s[0], sizeof again);
            /* a nan anywhere is the maximum */
            for (int j = 0; j < n; j += 1 + n / 9) {
                const float old = x[j];
                float most = 1;
                x[j] = NAN;
                t->fold[1][KT_F32](&most, x, 1, n);
                CHECK(isnan(most));
                x[j] = old;
                t->fold[1][KT_F32](&most, x, 1, n);
                CHECK(isnan(most));
            }
            free(x), free(w);
        }
        CHECK(!t->fold[3][KT_F32] && !t->across[3][KT_F32]);
    }
}

TEST(folds_across) {
    EACH_WIDTH(t) {
        for (int rows = 0; rows < 11; rows++) {
            enum { LEN = 45 };
            CASE("%s %d", WIDTH, rows);
            float x[11 * LEN], s[3][LEN];
            int32_t w[11 * LEN], v[3][LEN];
            for (int i = 0; i < 11 * LEN; i++) {
                x[i] = i % 31 ? (float)test_uniform(-2, 2) : NAN;
                w[i] = (int32_t)test_random();
            }
            for (int j = 0; j < LEN; j++) {
                s[0][j] = 1, s[1][j] = -1, s[2][j] = 2;
                v[0][j] = 1, v[1][j] = -1, v[2][j] = 2;
            }
            for (int k = 0; k < 3; k++) {
                t->across[k][KT_F32](s[k], x, rows, LEN);
                t->across[k][KT_I32](v[k], w, rows, LEN);
            }
            for (int j = 0; j < LEN; j++) {
                float sum = 1, most = -1, product = 2; /* f32, four rows at a time: the same bits */
                for (int r = 0; r < rows; r++) {
                    const float *a = x + r * LEN + j;
                    const bool four = r + 4 <= rows;
                    sum += four ? (a[0] + a[LEN]) + (a[2 * LEN] + a[3 * LEN]) : a[0];
                    product *= four ? a[0] * a[LEN] * (a[2 * LEN] * a[3 * LEN]) : a[0];
                    r += four ? 3 : 0;
                }
                uint32_t all = 1, times = 2;
                int32_t top = -1;
                for (int r = 0; r < rows; r++) {
                    const float a = x[r * LEN + j];
                    const int32_t b = w[r * LEN + j];
                    most = isnan(most) || most > a ? most : a;
                    all += (uint32_t)b, times *= (uint32_t)b, top = b > top ? b : top;
                }
                CHECK_EQ(s[0][j], sum);
                CHECK_EQ(s[1][j], most);
                CHECK_EQ(s[2][j], product);
                CHECK(v[0][j] == (int32_t)all && v[1][j] == top && v[2][j] == (int32_t)times);
            }
        }
    }
}

TEST(products_are_folded_across) {
    EACH_WIDTH(t) {
        for (int rows = 0; rows < 7; rows++) {
            enum { LEN = 45 };
            CASE("%s %d", WIDTH, rows);
            float x[7 * LEN], y[7 * LEN], s[LEN];
            for (int i = 0; i < 7 * LEN; i++) {
                x[i] = (float)test_uniform(-2, 2);
                y[i] = (float)test_uniform(-2, 2);
            }
            for (int j = 0; j < LEN; j++) s[j] = 1;
            t->dot_across(s, x, y, rows, LEN);
            for (int j = 0; j < LEN; j++) {
                double sum = 1;
                for (int r = 0; r < rows; r++) sum += (double)x[r * LEN + j] * y[r * LEN + j];
                CHECK_NEAR(s[j], sum, 1e-5);
            }
        }
    }
}

TEST(rows_are_normalised) {
    EACH_WIDTH(t) {
        enum { ROWS = 3, LEN = 45 };
        CASE("%s", WIDTH);
        float x[ROWS * LEN], y[ROWS * LEN];
        const float mean[ROWS] = {1, -2, 0.25f}, scale[ROWS] = {3, -0.5f, 1};
        for (int i = 0; i < ROWS * LEN; i++) x[i] = (float)test_uniform(-2, 2);
        t->row_norm(y, x, mean, scale, ROWS, LEN);
        for (int i = 0; i < ROWS * LEN; i++)
            CHECK_NEAR(y[i], ((double)x[i] - mean[i / LEN]) * scale[i / LEN], 2e-6);
    }
}

TEST(stores_past_the_caches) {
    EACH_WIDTH(t) {
        enum { ROOM = 200 };
        uint32_t from[ROOM], to[ROOM];
        for (int first = 0; first < 20; first++)
            for (int n = 0; n < 100; n += n < 40 ? 1 : 13) {
                CASE("%s from %d, %d words", WIDTH, first, n);
                for (int i = 0; i < ROOM; i++) from[i] = (uint32_t)test_random(), to[i] = 7;
                t->stream(to + first, from, n);
                t->fence();
                CHECK_MEM(to + first, from, (size_t)n * sizeof *to);
                for (int i = 0; i < ROOM; i++)
                    if (i < first || i >= first + n) CHECK_EQ(to[i], 7);
            }
    }
}

TEST(rows_of_a_table_are_summed) {
    EACH_WIDTH(t) {
        for (int n = 0; n < 150; n = n * 3 / 2 + 1) {
            enum { ROWS = 9, TABLE = 12, STEP = 160, DOWN = 3 };
            CASE("%s %d", WIDTH, n);
            float table[TABLE * STEP + ROWS * DOWN], s[STEP];
            int32_t index[ROWS];
            for (int i = 0; i < TABLE * STEP + ROWS * DOWN; i++)
                table[i] = (float)test_uniform(-2, 2);
            for (int r = 0; r < ROWS; r++) index[r] = (int32_t)(test_random() % (TABLE + 4)) - 2;
            for (int j = 0; j < STEP; j++) s[j] = 0.5f;
            t->take_sum(s, table, DOWN, index, STEP, TABLE, ROWS, n);
            for (int j = 0; j < STEP; j++) {
                float sum = 0.5f; /* f32, by rows: the same bits */
                for (int r = 0; r < ROWS && j < n; r++)
                    if (index[r] >= 0 && index[r] < TABLE)
                        sum += table[r * DOWN + index[r] * STEP + j];
                CHECK_EQ(s[j], sum);
            }
        }
    }
}

TEST(positions_of_maxima) {
    EACH_WIDTH(t) {
        CASE("%s", WIDTH);
        for (int round = 0; round < 300; round++) {
            enum { ROWS = 3, MOST = 150 };
            const int n = 1 + (int)(test_random() % MOST);
            const int cut = (int)(test_random() % (uint32_t)(n + 1));
            float x[ROWS * MOST], best[ROWS], column[MOST];
            int32_t w[ROWS * MOST], top[ROWS], at[ROWS], place[ROWS], where[MOST];
            for (int i = 0; i < ROWS * n; i++) { /* few values, so that equals are frequent */
                w[i] = (int32_t)(test_random() % 9) - 4;
                x[i] = (float)w[i];
                if (round % 5 == 0) x[i] = -INFINITY;
                if (round % 3 == 0 && test_random() % 40 == 0) x[i] = NAN;
            }
            for (int r = 0; r < ROWS; r++) {
                best[r] = -INFINITY, top[r] = INT32_MIN, at[r] = place[r] = 0;
                /* a row in two pieces, as an interpreter would */
                t->argmax[KT_F32](&best[r], &at[r], x + r * n, 0, 1, cut);
                t->argmax[KT_F32](&best[r], &at[r], x + r * n + cut, cut, 1, n - cut);
            }
            t->argmax[KT_I32](top, place, w, 0, ROWS, n);
            for (int j = 0; j < n; j++) column[j] = -INFINITY, where[j] = 0;
            t->argmax_across[KT_F32](column, where, x, 0, 2, n);
            t->argmax_across[KT_F32](column, where, x + 2 * n, 2, 1, n);
            for (int r = 0; r < ROWS; r++) {
                int a = 0, b = 0;
                for (int j = 1; j < n; j++) {
                    const float v = x[r * n + j], old = x[r * n + a];
                    if (!isnan(old) && (isnan(v) || v > old)) a = j;
                    if (w[r * n + j] > w[r * n + b]) b = j;
                }
                CHECK_EQ(at[r], a);
                CHECK_EQ(best[r], x[r * n + a]);
                CHECK(place[r] == b && top[r] == w[r * n + b]);
            }
            for (int j = 0; j < n; j++) {
                int a = 0;
                for (int r = 1; r < ROWS; r++) {
                    const float v = x[r * n + j], old = x[a * n + j];
                    if (!isnan(old) && (isnan(v) || v > old)) a = r;
                }
                CHECK(where[j] == a);
            }
        }
    }
}

/* ---- random numbers ---- */

TEST(philox_known_answers) {
    const k_words zero = k_philox((k_words){0, 0, 0, 0}, 0, 0);
    CHECK(zero.c0 == 0x6627e8d5 && zero.c1 == 0xe169c58d);
    CHECK(zero.c2 == 0xbc57ac4c && zero.c3 == 0x9b00dbd8);
    const uint32_t f = 0xffffffff;
    const k_words ones = k_philox((k_words){f, f, f, f}, f, f);
    CHECK(ones.c0 == 0x408f276d && ones.c1 == 0x41c83b0e);
    CHECK(ones.c2 == 0xa20bc7c6 && ones.c3 == 0x6d5451fd);
    const k_words pi =
        k_philox((k_words){0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0);
    CHECK(pi.c0 == 0xd16cfe09 && pi.c1 == 0x94fdcceb && pi.c2 == 0x5001e420 && pi.c3 == 0x24126ea1);
}

TEST(random_words_by_element) {
    EACH_WIDTH(t) {
        const uint32_t seed = 0xdeadbeef, run = 0x80000001, stream = 0x9abcdef0;
        for (int form = 0; form < 6; form++) {
            enum { COUNT = 700 };
            CASE("%s %d", WIDTH, form);
            int32_t e[COUNT], y[COUNT];
            float u[COUNT], z[COUNT];
            for (int i = 0; i < COUNT; i++) {
                e[i] = form < 4 ? 1000 + form + i : form == 4 ? 3 * i : (int32_t)test_random();
            }
            t->random(y, e, seed, run, stream, RANDOM_BITS, COUNT);
            t->random(u, e, seed, run, stream, RANDOM_UNIFORM, COUNT);
            t->random(z, e, seed, run, stream, RANDOM_NORMAL, COUNT);
            for (int i = 0; i < COUNT; i++) {
                const uint32_t at = (uint32_t)e[i];
                const k_words w = k_philox((k_words){at >> 2, 0, run, 0}, seed, stream);
                const uint32_t c[4] = {w.c0, w.c1, w.c2, w.c3};
                CHECK_EQ((uint32_t)y[i], c[at & 3]);
                CHECK_EQ(u[i], ldexp(c[at & 3] >> 8, -24));
                const double length = sqrt(-2 * log(ldexp((c[at & 2] >> 8) + 1, -24)));
                const double angle = 6.283185307179586 * ldexp(c[(at & 2) + 1] >> 8, -24);
                CHECK_NEAR(z[i], length * (at & 1 ? sin(angle) : cos(angle)), 2e-6);
            }
            /* the same bits alone, and in place */
            for (int i = 0; i < COUNT; i += 41) {
                float one;
                t->random(&one, e + i, seed, run, stream, RANDOM_NORMAL, 1);
                CHECK_EQ(one, z[i]);
            }
            t->random(e, e, seed, run, stream, RANDOM_BITS, COUNT);
            CHECK_MEM(e, y, sizeof e);
        }
    }
}

TEST(random_moments) {
    enum { COUNT = 200000 };
    static int32_t e[COUNT];
    static float x[COUNT];
    EACH_WIDTH(t) {
        for (int kind = RANDOM_UNIFORM; kind <= RANDOM_NORMAL; kind++) {
            CASE("%s %d", WIDTH, kind);
            t->index(e, 0, 1, COUNT);
            t->random(x, e, 1, 2, 3, kind, COUNT);
            double m[5] = {0}, least = INFINITY, most = -INFINITY, beside = 0;
            const double centre = kind == RANDOM_UNIFORM ? 0.5 : 0;
            for (int i = 0; i < COUNT; i++) {
                double p = 1;
                for (int k = 0; k < 5; k++, p *= x[i] - centre) m[k] += p / COUNT;
                least = fmin(least, x[i]), most = fmax(most, x[i]);
                if (i) beside += (x[i] - centre) * (x[i - 1] - centre) / COUNT;
            }
            const double square = kind == RANDOM_UNIFORM ? 1.0 / 12 : 1;
            const double fourth = kind == RANDOM_UNIFORM ? 1.0 / 80 : 3;
            CHECK_NEAR(m[1], 0, 5 * sqrt(square / COUNT));
            CHECK_NEAR(m[2], square, 0.02 * square);
            CHECK_NEAR(m[3], 0, 0.03);
            CHECK_NEAR(m[4], fourth, 0.04 * fourth);
            CHECK_NEAR(beside, 0, 5 * square / sqrt(COUNT));
            const bool uniform = least >= 0 && least < 1e-4 && most < 1 && most > 0.9999;
            CHECK(kind == RANDOM_UNIFORM ? uniform : least < -3.8 && most > 3.8 && most < 6);
        }
    }
}

/* ---- optimisers ---- */

TEST(optimisers) {
    EACH_WIDTH(t) {
        for (int n = 1; n < 200; n += 33) {
            CASE("%s %d", WIDTH, n);
            float p[200], m[200], v[200], g[200];
            double dp[200], dm[200], dv[200];
            for (int way = 0; way < 6; way++) { /* adam, momentum, nesterov; then clipped */
                const int form = way % 3;
                const float scale = way < 3 ? 1 : 0.5f, clip = way < 3 ? INFINITY : 0.7f;
                for (int i = 0; i < 200; i++) {
                    dp[i] = p[i] = (float)test_uniform(-1, 1);
                    dm[i] = m[i] = (float)test_uniform(-1, 1);
                    dv[i] = v[i] = (float)test_uniform(0, 1);
                }
                for (int step = 0; step < 5; step++) {
                    for (int i = 0; i < n; i++) g[i] = (float)test_uniform(-1, 1);
                    if (form == 0)
                        t->adam(p, m, v, g, n,
                                &(tile_adam){0.9f, 0.99f, 1e-6f, 0.02f, 0.01f, 0.1f, 1.5f, scale,
                                             clip});
                    else
                        t->momentum(p, m, g, n,
                                    &(tile_momentum){0.1f, 0.9f, 0.01f, scale, clip, form == 2});
                    for (int i = 0; i < n; i++) {
                        const double h =
                            fmin(fmax(g[i], -clip), clip) * scale + (form ? 0.01 : 0.02) * dp[i];
                        dm[i] = 0.9 * dm[i] + (form ? 1 : 0.1) * h;
                        dv[i] = 0.99 * dv[i] + 0.01 * h * h;
                        const double root = sqrt(dv[i]) * 1.5 + 1e-6;
                        if (form == 0) dp[i] -= 0.01 * dp[i] + 0.1 * dm[i] / root;
                        else dp[i] -= 0.1 * (form == 2 ? h + 0.9 * dm[i] : dm[i]);
                    }
                }
                for (int i = 0; i < 200; i++) {
                    CHECK_NEAR(p[i], dp[i], 4e-6 * fmax(1, fabs(dp[i])));
                    CHECK_NEAR(m[i], dm[i], 4e-6);
                    if (form == 0) CHECK_NEAR(v[i], dv[i], 4e-6);
                }
            }
        }
    }
}
