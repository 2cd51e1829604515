/* test_pairs.c - products of bf16 by AVX-512 BF16, against sums in double.
 *
 * Every form, every way, every epilogue, all types of the result, any split into units. Operands and
 * results lie in memory of just their size, so that the address sanitizer sees an access outside; and
 * results between guards. */
#include "backend/cpu/pairs.h"
#include "base/half.h"
#include "test.h"
#include "weft/weft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 8 };
enum { BIAS = 1, RELU = 2, MASK = 4, BAND = 8, EPILOGUES = 16 };

/* Rows by columns of bf16, rows or columns contiguous, the others `gap` further apart. */
typedef struct operand {
    uint16_t *at;
    int64_t row, column;
} operand;

static operand operand_make(int64_t rows, int64_t columns, bool turned, int64_t gap) {
    const int64_t lines = turned ? columns : rows, n = turned ? rows : columns;
    const int64_t row = n + gap, size = (lines - 1) * row + n;
    operand o = {.row = turned ? 1 : row, .column = turned ? row : 1};
    o.at = malloc((size_t)size * sizeof *o.at);
    for (int64_t i = 0; i < size; i++) o.at[i] = 0x7fc0; /* nan in the gaps */
    for (int64_t i = 0; i < rows * columns; i++)
        o.at[i / columns * o.row + i % columns * o.column] = bf16_of((float)test_uniform(-1, 1));
    return o;
}

static float wide(const uint16_t *at, uint8_t type, int64_t i) {
    if (type == WEFT_F32) return ((const float *)(const void *)at)[i];
    if (type == WEFT_BF16) return float_of((uint32_t)at[i] << 16);
    const uint32_t h = at[i], e = h >> 10 & 31, sign = h >> 15 << 31;
    if (e) return float_of(sign | (e == 31 ? 255u : e + 112) << 23 | (h & 1023) << 13);
    return (sign ? -1.0f : 1.0f) * ldexpf((float)(h & 1023), -24);
}

typedef struct coverage {
    unsigned char *seen;
    int64_t n;
} coverage;

static void count_band(void *user, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
    const coverage *s = user;
    for (int64_t i = i0; i < i1; i++)
        for (int64_t j = j0; j < j1; j++) s->seen[i * s->n + j]++;
}

static size_t size_of(uint8_t type) {
    return type == WEFT_F32 ? 4 : 2;
}

/* One product, whole and unit by unit from the last to the first. */
static void product(int64_t m, int64_t n, int64_t k, int form, int epilogue, uint8_t type,
                    uint8_t mask_type) {
    const int64_t gap = form & 4 ? 3 : 0, c_row = n + gap;
    const operand a = operand_make(m, k, form & 1, gap), b = operand_make(k, n, form & 2, gap);
    const gemm_shape s = {m, n, k, a.row, a.column, b.row, b.column, c_row};
    float bias[600];
    char *mask = malloc((size_t)(m * n) * size_of(mask_type));
    for (int64_t j = 0; j < n; j++) bias[j] = (float)test_uniform(-1, 1);
    for (int64_t i = 0; i < m * n; i++) {
        const float x = (float)test_uniform(-1, 1);
        const uint16_t half = mask_type == WEFT_BF16 ? bf16_of(x) : f16_of(x);
        if (mask_type == WEFT_F32) memcpy(mask + 4 * i, &x, 4);
        else memcpy(mask + 2 * i, &half, 2);
    }
    pairs_plan p;
    if (!CHECK(pairs_choose(&p, &s))) return;
    char *room = aligned_alloc(64, p.bytes);
    const size_t bytes = (size_t)((m - 1) * c_row + n) * size_of(type) + 2 * GUARD;
    char *c[2] = {malloc(bytes), malloc(bytes)};
    coverage seen = {calloc((size_t)(m * n), 1), n};
    for (int t = 0; t < 2; t++) {
        memset(c[t], 0x5a, bytes);
        memset(room, 0xff, p.bytes); /* nan */
        const pairs_data d = {.a = (const char *)a.at,
                              .b = (const char *)b.at,
                              .c = c[t] + GUARD,
                              .c_type = type,
                              .bias = epilogue & BIAS ? bias : NULL,
                              .relu = epilogue & RELU,
                              .mask = epilogue & MASK ? mask : NULL,
                              .mask_row = n,
                              .mask_type = mask_type,
                              .band = epilogue & BAND && t ? count_band : NULL,
                              .user = &seen};
        if (t == 0) pairs_run(&p, &d, 0, p.units, room);
        else
            for (int64_t u = p.units; u-- > 0;) pairs_run(&p, &d, u, u + 1, room);
    }
    CHECK_MEM(c[0], c[1], bytes);
    for (int i = 0; i < GUARD; i++)
        if (!CHECK_EQ(c[0][i], 0x5a) || !CHECK_EQ(c[0][bytes - 1 - (size_t)i], 0x5a)) break;
    const uint16_t *got = (const uint16_t *)(const void *)(c[0] + GUARD);
    for (int64_t i = 0; i < m * n; i++) {
        double sum = 0, size = 1e-30;
        for (int64_t e = 0; e < k; e++) {
            const double x = (double)wide(a.at, WEFT_BF16, i / n * a.row + e * a.column) *
                             wide(b.at, WEFT_BF16, e * b.row + i % n * b.column);
            sum += x, size += fabs(x);
        }
        if (epilogue & BIAS) sum += bias[i % n], size += fabsf(bias[i % n]);
        if (epilogue & RELU && sum < 0) sum = 0;
        if (epilogue & MASK && !(wide((uint16_t *)(void *)mask, mask_type, i) > 0)) sum = 0;
        const double fine = type == WEFT_F32 ? 0 : type == WEFT_BF16 ? 1.0 / 256 : 1.0 / 2048;
        const double small = type == WEFT_F16 ? 6e-8 : 0;
        if (!CHECK_NEAR(wide(got, type, i / n * c_row + i % n), sum,
                        fine * fabs(sum) + 1e-6 * size + small))
            break;
        if (epilogue & BAND && !CHECK_EQ(seen.seen[i], 1)) break;
    }
    free(a.at), free(b.at), free(mask), free(room), free(c[0]), free(c[1]), free(seen.seen);
}

static bool found(void) {
    return isa_pairs(isa_detect());
}

TEST(forms_and_shapes) {
    if (!found()) SKIP("no AVX-512 BF16");
    static const int sizes[] = {1, 2, 3, 7, 12, 16, 17, 33, 67}, depth[] = {2, 3, 31, 33, 64, 100};
    for (int form = 0; form < 8; form++)
        for (int i = 0; i < 9; i++)
            for (int j = 0; j < 9; j++) {
                CASE("form %d, %d by %d", form, sizes[i], sizes[j]);
                for (int e = 0; e < 6; e++)
                    product(sizes[i], sizes[j], depth[e], form, 0, WEFT_F32, WEFT_F32);
            }
}

TEST(blocks) {
    if (!found()) SKIP("no AVX-512 BF16");
    static const int64_t shapes[][3] = {{300, 40, 770}, {13, 597, 513}, {2, 599, 390},
                                        {5, 530, 390},  {400, 20, 500}, {289, 40, 385},
                                        {590, 2, 400}};
    for (int form = 0; form < 8; form++)
        for (int i = 0; i < 7; i++) {
            const int64_t *s = shapes[i];
            CASE("form %d, %d by %d, k %d", form, (int)s[0], (int)s[1], (int)s[2]);
            product(s[0], s[1], s[2], form, i % 2 ? BAND | BIAS : BAND, WEFT_F32, WEFT_F32);
        }
}

TEST(epilogues_and_types) {
    if (!found()) SKIP("no AVX-512 BF16");
    static const uint8_t types[] = {WEFT_F32, WEFT_BF16, WEFT_F16};
    static const int64_t shapes[][3] = {{30, 50, 40}, {1, 70, 40}, {50, 9, 41}, {6, 40, 64}};
    for (int epilogue = 0; epilogue < EPILOGUES; epilogue++)
        for (int t = 0; t < 9; t++) {
            CASE("epilogue %d, %s, mask %s", epilogue, weft_dtype_name(types[t / 3]),
                 weft_dtype_name(types[t % 3]));
            for (int i = 0; i < 4; i++)
                product(shapes[i][0], shapes[i][1], shapes[i][2], t & 3, epilogue, types[t / 3],
                        types[t % 3]);
        }
}

/* A nan in what lies behind an odd row of k must not meet anything; infinities and nans of operands
 * come out as they should. */
TEST(specials) {
    if (!found()) SKIP("no AVX-512 BF16");
    enum { M = 20, N = 40, K = 5 };
    static uint16_t a[M * K], b[K * N];
    static float c[M * N];
    for (int i = 0; i < M * K; i++) a[i] = bf16_of(1);
    for (int i = 0; i < K * N; i++) b[i] = bf16_of(1);
    a[3 * K + 4] = bf16_of(INFINITY), a[7 * K] = bf16_of(NAN);
    pairs_plan p;
    const gemm_shape s = {M, N, K, K, 1, N, 1, N};
    if (!CHECK(pairs_choose(&p, &s))) return;
    char *room = aligned_alloc(64, p.bytes);
    pairs_run(&p, &(pairs_data){.a = (char *)a, .b = (char *)b, .c = (char *)c, .relu = true}, 0,
              p.units, room);
    for (int i = 0; i < M * N; i++) {
        if (i / N == 3) CHECK_EQ(c[i], INFINITY);
        else if (i / N == 7) CHECK(isnan(c[i]));
        else CHECK_EQ(c[i], 5);
    }
    free(room);
}

TEST(others_shapes_are_left_alone) {
    pairs_plan p;
    CHECK(!pairs_choose(&p, &(gemm_shape){4, 4, 4, 8, 2, 4, 1, 4}));
    CHECK(!pairs_choose(&p, &(gemm_shape){4, 0, 4, 4, 1, 0, 1, 0}));
    CHECK(!pairs_choose(&p, &(gemm_shape){4, 4, 1, 1, 1, 4, 1, 4}));
}
