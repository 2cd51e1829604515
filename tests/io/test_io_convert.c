/* test_io_convert.c - values of one element type as another: rounding, ranges, and all pairs. */
#include "io_world.h"

#include <math.h>

static weft_ctx *c;

static void begin(void) {
    if (!c) c = weft_open("cpu");
}

TEST(values_as_other_types) {
    begin();
    enum { N = 6 };
    static const double real[N] = {0, -1.5, 3, 65504, 1e-7, 1e30};
    weft_array a = {"a", WEFT_FILE_F64, {1, {N}}, real, sizeof real};
    float f[N];
    uint16_t h[N], bf[N];
    CHECK_EQ(weft_array_read_f32(c, &a, f, N), WEFT_OK);
    for (int i = 0; i < N; i++) CHECK_EQ(f[i], (float)real[i]);
    CHECK_EQ(weft_array_convert(c, &a, WEFT_FILE_F16, h, sizeof h), WEFT_OK);
    CHECK_EQ(weft_array_convert(c, &a, WEFT_FILE_BF16, bf, sizeof bf), WEFT_OK);
    static const uint16_t want_h[N] = {0, 0xbe00, 0x4200, 0x7bff, 0x0002, 0x7c00};
    static const uint16_t want_bf[N] = {0, 0xbfc0, 0x4040, 0x4780, 0x33d7, 0x714a};
    CHECK_MEM(h, want_h, sizeof h);
    CHECK_MEM(bf, want_bf, sizeof bf);
    int32_t n[N];
    CHECK_EQ(weft_array_read_i32(c, &a, n, N), WEFT_DTYPE);
    CHECK_HAS(weft_error(c), "not all I32");

    static const int64_t whole[3] = {-5, 7, 1ll << 40};
    a = (weft_array){"w", WEFT_FILE_I64, {1, {3}}, whole, sizeof whole};
    CHECK_EQ(weft_array_read_i32(c, &a, n, 3), WEFT_DTYPE);
    a.dims.n[0] = 2, a.bytes = 16;
    CHECK_EQ(weft_array_read_i32(c, &a, n, 2), WEFT_OK);
    CHECK_EQ(n[0], -5);
    CHECK_EQ(n[1], 7);
    CHECK_EQ(weft_array_convert(c, &a, WEFT_FILE_U8, NULL, 0), WEFT_DTYPE);
    CHECK_EQ(weft_array_convert(c, &a, WEFT_FILE_I8, NULL, 0), WEFT_OK);
    CHECK_EQ(weft_array_read_f32(c, &a, f, 3), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "room for 12");

    uint64_t huge[2] = {UINT64_MAX, 3};
    a = (weft_array){"u", WEFT_FILE_U64, {1, {2}}, huge, sizeof huge};
    CHECK_EQ(weft_array_read_f32(c, &a, f, 2), WEFT_OK);
    CHECK_EQ(f[0], 18446744073709551616.0f);
    CHECK_EQ(f[1], 3);
    CHECK_EQ(weft_array_convert(c, &a, WEFT_FILE_I64, NULL, 0), WEFT_DTYPE);
    float whole_f[2] = {3, -0.0f}, odd_f[2] = {3, 0.5f};
    a = (weft_array){"f", WEFT_FILE_F32, {1, {2}}, whole_f, sizeof whole_f};
    CHECK_EQ(weft_array_read_i32(c, &a, n, 2), WEFT_OK);
    CHECK_EQ(n[0], 3);
    a.data = odd_f;
    CHECK_EQ(weft_array_read_i32(c, &a, n, 2), WEFT_DTYPE);
    unsigned char flag[3] = {0, 7, 1}, flat[3];
    a = (weft_array){"b", WEFT_FILE_BOOL, {1, {3}}, flag, 3};
    CHECK_EQ(weft_array_convert(c, &a, WEFT_FILE_BOOL, flat, 3), WEFT_OK);
    CHECK_MEM(flat, ((unsigned char[]){0, 1, 1}), 3);
    CHECK_EQ(weft_array_read_f32(c, &a, f, 3), WEFT_OK);
    CHECK_EQ(f[1], 1);
}

/* 0 and 1 are numbers of every type: there and back by way of any two. */
TEST(every_pair_of_types) {
    begin();
    enum { N = 300 };
    double plain[N], back[N];
    char one[8 * N], two[8 * N];
    for (int i = 0; i < N; i++) plain[i] = i % 3 == 1;
    const weft_array p = {"p", WEFT_FILE_F64, {1, {N}}, plain, sizeof plain};
    for (int a = 0; a < WEFT_FILE_TYPE_COUNT; a++)
        for (int b = 0; b < WEFT_FILE_TYPE_COUNT; b++) {
            weft_file_type s = (weft_file_type)a, t = (weft_file_type)b;
            CASE("%s to %s", weft_file_type_name(s), weft_file_type_name(t));
            size_t n = N * weft_file_type_size(s), m = N * weft_file_type_size(t);
            CHECK_EQ(weft_array_convert(c, &p, s, one, n), WEFT_OK);
            CHECK_EQ(weft_array_convert(c, &(weft_array){"s", s, {1, {N}}, one, n}, t, two, m),
                     WEFT_OK);
            CHECK_EQ(weft_array_convert(c, &(weft_array){"t", t, {1, {N}}, two, m}, WEFT_FILE_F64,
                                        back, sizeof back),
                     WEFT_OK);
            CHECK_MEM(back, plain, sizeof plain);
        }
    CHECK_EQ(weft_array_convert(c, &(weft_array){"x", WEFT_FILE_F64, {1, {2}}, plain, 8},
                                WEFT_FILE_F32, NULL, 0),
             WEFT_ARGUMENT);
    CHECK_EQ(weft_array_convert(c, NULL, WEFT_FILE_F32, NULL, 0), WEFT_ARGUMENT);
}

/* The ends of each integer type go in, and one more does not. */
TEST(integers_that_just_fit) {
    begin();
    static const struct {
        weft_file_type t;
        int64_t low, high;
    } row[] = {{WEFT_FILE_I32, INT32_MIN, INT32_MAX},
               {WEFT_FILE_I16, INT16_MIN, INT16_MAX},
               {WEFT_FILE_I8, INT8_MIN, INT8_MAX},
               {WEFT_FILE_U32, 0, UINT32_MAX},
               {WEFT_FILE_U16, 0, UINT16_MAX},
               {WEFT_FILE_U8, 0, UINT8_MAX},
               {WEFT_FILE_BOOL, 0, 1},
               {WEFT_FILE_U64, 0, INT64_MAX}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CASE("%s", weft_file_type_name(row[i].t));
        int64_t v[2] = {row[i].low, row[i].high};
        weft_array x = {"x", WEFT_FILE_I64, {1, {2}}, v, sizeof v};
        CHECK_EQ(weft_array_convert(c, &x, row[i].t, NULL, 0), WEFT_OK);
        v[0]--;
        CHECK_EQ(weft_array_convert(c, &x, row[i].t, NULL, 0), WEFT_DTYPE);
        v[0]++;
        if (v[1] == INT64_MAX) continue;
        v[1]++;
        CHECK_EQ(weft_array_convert(c, &x, row[i].t, NULL, 0), WEFT_DTYPE);
    }
}

/* Every 16-bit pattern to f32 and back is itself, and every f32 goes to one of the two neighbours
 * that is no further away than the other. */
TEST(sixteen_bits_exactly) {
    begin();
    static const weft_file_type kind[] = {WEFT_FILE_F16, WEFT_FILE_BF16};
    static uint16_t all[65536], back[65536];
    static float wide[65536];
    for (int i = 0; i < 65536; i++) all[i] = (uint16_t)i;
    for (int k = 0; k < 2; k++) {
        CASE("%s", weft_file_type_name(kind[k]));
        weft_array a = {"h", kind[k], {1, {65536}}, all, sizeof all};
        CHECK_EQ(weft_array_read_f32(c, &a, wide, 65536), WEFT_OK);
        weft_array w = {"w", WEFT_FILE_F32, {1, {65536}}, wide, sizeof wide};
        CHECK_EQ(weft_array_convert(c, &w, kind[k], back, sizeof back), WEFT_OK);
        const int infinite = k ? 0x7f80 : 0x7c00;
        int wrong = 0;
        for (int i = 0; i < 65536; i++)
            wrong += isnan(wide[i]) ? (back[i] & 0x7fff) <= infinite : back[i] != all[i];
        CHECK_EQ(wrong, 0);
        for (int i = 0; i < 20000; i++) {
            double v = test_uniform(-1, 1) * pow(2, test_uniform(-30, 15));
            double one[1] = {v};
            uint16_t near[3];
            float value[3];
            weft_array x = {"v", WEFT_FILE_F64, {0, {0}}, one, 8};
            weft_array_convert(c, &x, kind[k], near, 2);
            near[1] = (uint16_t)(near[0] + 1), near[2] = (uint16_t)(near[0] - 1);
            if ((near[0] & 0x7fff) == 0) near[2] = near[1];
            weft_array y = {"n", kind[k], {1, {3}}, near, 6};
            weft_array_read_f32(c, &y, value, 3);
            double off = fabs(value[0] - v);
            if (!CHECK(off <= fabs(value[1] - v) && off <= fabs(value[2] - v))) break;
            if (off == fabs(value[1] - v) && !CHECK(!(near[0] & 1))) break;
        }
    }
}
