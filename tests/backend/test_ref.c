/* test_ref.c - the reference backend against expectations computed by hand.
 *
 * Other backends are compared with the reference elsewhere, so the reference itself must rest on
 * something else: numbers known from NumPy's and PyTorch's definitions, or a plain loop. */
#include "backend/ref.h"
#include "backend/ref_node.h"
#include "feed.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

static weft_ctx *c;
static weft_graph *g;

static void begin(void) {
    c = weft_open("ref");
    g = weft_graph_new(c);
}

static void end(void) {
    weft_graph_free(g);
    weft_close(c);
}

static weft_plan *plan_of(weft_tensor t) {
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(t)});
    if (!CHECK(p)) CHECK_STR(weft_error(c), "");
    return p;
}

static bool same(double a, double b) {
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-14 * fabs(b);
}

/* Runs t; its values, in double and as stored, must be the n given ones. */
static void expect(const char *text, weft_tensor t, weft_dtype dtype, const double *want,
                   int64_t n) {
    CASE("%s", text);
    weft_plan *p = plan_of(t);
    if (!p) return;
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(weft_dtype_of(t), dtype);
    if (CHECK_EQ(weft_count(t), n)) {
        size_t bytes = (size_t)n * weft_dtype_size(dtype);
        void *stored = malloc(bytes + 1);
        CHECK_EQ(weft_get(p, t, stored, bytes), WEFT_OK);
        for (int64_t i = 0; i < n; i++) {
            double v = ref_value(p, t, i);
            if (!same(v, want[i])) CHECK_EQ(v, want[i]);
            CHECK_EQ(ref_read(dtype, stored, i), dtype == WEFT_F32 ? (float)want[i] : want[i]);
        }
        free(stored);
    }
    weft_plan_free(p);
}

#define EXPECT_AS(t, dtype, ...)                                                                   \
    expect(#t, t, dtype, (const double[]){__VA_ARGS__},                                            \
           (int64_t)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)))
#define EXPECT(t, ...)      EXPECT_AS(t, WEFT_F32, __VA_ARGS__)
#define EXPECT_INTS(t, ...) EXPECT_AS(t, WEFT_I32, __VA_ARGS__)
#define EXPECT_BOOL(t, ...) EXPECT_AS(t, WEFT_BOOL, __VA_ARGS__)
#define EXPECT_EMPTY(t)     expect(#t, t, WEFT_F32, &(double){0}, 0)

#define FLOATS(dims, ...) weft_const(g, WEFT_F32, dims, (const float[]){__VA_ARGS__})
#define INTS(dims, ...)   weft_const(g, WEFT_I32, dims, (const int32_t[]){__VA_ARGS__})

static weft_tensor count_up(weft_shape dims) { /* 0, 1, 2, ... */
    int64_t n = 1;
    for (int i = 0; i < dims.rank; i++) n *= dims.n[i];
    return weft_reshape(weft_cast(weft_iota(g, weft_dims(n), 0), WEFT_F32), dims);
}

TEST(maps_are_computed_in_double) {
    begin();
    const double tenth = 0.1f, third = 1.0f / 3.0f; /* what f32 holds */
    weft_tensor x = FLOATS(weft_dims(2), 0.1f, -0.1f),
                y = FLOATS(weft_dims(2), 1.0f / 3.0f, 1.0f / 3.0f);
    EXPECT(weft_exp(x), exp(tenth), exp(-tenth));
    EXPECT(weft_sigmoid(x), 1 / (1 + exp(-tenth)), 1 / (1 + exp(tenth)));
    EXPECT(weft_rsqrt(y), 1 / sqrt(third), 1 / sqrt(third));
    EXPECT(weft_mul(x, y), tenth * third, -tenth * third);
    EXPECT(weft_sub(weft_add(x, y), y), (tenth + third) - third, (-tenth + third) - third);
    EXPECT(weft_pow(x, FLOATS(WEFT_0D, 2)), tenth * tenth, tenth * tenth);
    EXPECT(weft_pow(x, FLOATS(WEFT_0D, 0.5f)), sqrt(tenth), NAN);
    EXPECT(weft_mod(FLOATS(weft_dims(4), 5, -5, 5, -5), FLOATS(weft_dims(4), 3, 3, -3, -3)), 2, 1,
           -1, -2);
    EXPECT(weft_round(FLOATS(weft_dims(5), 0.5f, 1.5f, 2.5f, -0.5f, -1.5f)), 0, 2, 2, 0, -2);
    EXPECT(weft_sign(FLOATS(weft_dims(3), -2, 0, 7)), -1, 0, 1);
    EXPECT(weft_log(FLOATS(weft_dims(2), 0, -1)), -INFINITY, NAN);
    EXPECT(weft_relu(FLOATS(weft_dims(3), -1, 0, 2)), 0, 0, 2);
    EXPECT(weft_maximum(FLOATS(weft_dims(3), 1, NAN, 3), FLOATS(weft_dims(3), 2, 2, NAN)), 2, NAN,
           NAN);
    EXPECT(weft_minimum(FLOATS(weft_dims(3), 1, NAN, 3), FLOATS(weft_dims(3), 2, 2, NAN)), 1, NAN,
           NAN);
    EXPECT_BOOL(weft_lt(x, y), 1, 1);
    EXPECT_BOOL(weft_eq(FLOATS(weft_dims(3), 0.0f, NAN, 1), FLOATS(weft_dims(3), -0.0f, NAN, 1)), 1,
                0, 1);
    EXPECT_BOOL(weft_ne(FLOATS(WEFT_0D, NAN), FLOATS(WEFT_0D, NAN)), 1);
    EXPECT(weft_where(INTS(weft_dims(2, 1), 1, 0), FLOATS(weft_dims(2), 1, 2), FLOATS(WEFT_0D, 9)),
           1, 2, 9, 9);
    end();
}

TEST(integers_wrap_at_32_bits) {
    begin();
    weft_tensor big = INTS(weft_dims(3), INT32_MAX, INT32_MIN, 65537);
    EXPECT_INTS(weft_add(big, weft_integer(g, 1)), INT32_MIN, INT32_MIN + 1, 65538);
    EXPECT_INTS(weft_sub(big, weft_integer(g, 1)), INT32_MAX - 1, INT32_MAX, 65536);
    EXPECT_INTS(weft_mul(big, big), 1, 0, 131073);
    EXPECT_INTS(weft_neg(big), -INT32_MAX, INT32_MIN, -65537);
    EXPECT_INTS(weft_abs(big), INT32_MAX, INT32_MIN, 65537);
    EXPECT_INTS(weft_mod(INTS(weft_dims(4), 5, -5, 5, -5), INTS(weft_dims(4), 3, 3, -3, -3)), 2, 1,
                -1, -2);
    EXPECT_INTS(weft_sum(big, WEFT_ALL, false), 65536);
    EXPECT_INTS(weft_prod(INTS(weft_dims(2), 65537, 65537), WEFT_ALL, false), 131073);
    EXPECT_INTS(weft_and(INTS(weft_dims(2), 12, -1), INTS(weft_dims(2), 10, 255)), 8, 255);
    EXPECT_INTS(weft_or(INTS(weft_dims(2), 12, -1), INTS(weft_dims(2), 10, 255)), 14, -1);
    EXPECT_INTS(weft_xor(INTS(weft_dims(2), 12, -1), INTS(weft_dims(2), 10, 255)), 6, -256);
    EXPECT_BOOL(weft_lt(big, weft_integer(g, 0)), 0, 1, 0);
    end();
}

TEST(casts) {
    begin();
    weft_tensor x = FLOATS(weft_dims(7), 2.9f, -2.9f, 3e9f, -3e9f, NAN, 0, 300);
    EXPECT_INTS(weft_cast(x, WEFT_I32), 2, -2, INT32_MAX, INT32_MIN, 0, 0, 300);
    EXPECT_BOOL(weft_cast(x, WEFT_BOOL), 1, 1, 1, 1, 1, 0, 1);
    EXPECT_AS(weft_cast(INTS(weft_dims(3), 300, -1, 128), WEFT_U8), WEFT_U8, 44, 255, 128);
    EXPECT_AS(weft_cast(INTS(weft_dims(3), 300, -1, 128), WEFT_I8), WEFT_I8, 44, -1, -128);
    EXPECT_AS(weft_cast(INTS(weft_dims(2), -1, 5), WEFT_U32), WEFT_U32, 4294967295.0, 5);
    EXPECT(weft_cast(INTS(weft_dims(2), INT32_MAX, -3), WEFT_F32), INT32_MAX, -3);
    /* bf16 has 8 digits: 257 is halfway from 256 to 258, 259 from 258 to 260; even ones win */
    EXPECT_AS(weft_cast(FLOATS(weft_dims(4), 257, 259, 1e-40f, 3.4e38f), WEFT_BF16), WEFT_BF16, 256,
              260, 0x1p-133, INFINITY);
    EXPECT_AS(weft_cast(FLOATS(weft_dims(4), 2049, 2051, 65520, 0x1.8p-24f), WEFT_F16), WEFT_F16,
              2048, 2052, INFINITY, 0x1p-23);
    EXPECT(weft_add(weft_cast(FLOATS(WEFT_0D, 257), WEFT_BF16), FLOATS(WEFT_0D, 1)), 257);
    end();
}

TEST(half_floats_survive_a_round_trip) {
    begin();
    static uint16_t bits[65536], back[65536];
    for (int i = 0; i < 65536; i++) bits[i] = (uint16_t)i;
    for (weft_dtype t = WEFT_BF16; t <= WEFT_F16; t++) {
        CASE("%s", weft_dtype_name(t));
        weft_tensor x = weft_input(g, t, weft_dims(65536)),
                    y = weft_reshape(x, weft_dims(256, 256));
        weft_plan *p = plan_of(y);
        CHECK_EQ(weft_set(p, x, bits, sizeof bits), WEFT_OK);
        CHECK_EQ(weft_run(p), WEFT_OK);
        CHECK_EQ(weft_get(p, y, back, sizeof back), WEFT_OK);
        int wrong = 0;
        for (int i = 0; i < 65536; i++) wrong += back[i] != bits[i] && !isnan(ref_read(t, bits, i));
        CHECK_EQ(wrong, 0);
        weft_plan_free(p);
    }
    CHECK_EQ(ref_read(WEFT_F16, &(uint16_t){0x3555}, 0), 0.333251953125);
    CHECK_EQ(ref_read(WEFT_F16, &(uint16_t){0xfbff}, 0), -65504.0);
    CHECK_EQ(ref_read(WEFT_F16, &(uint16_t){0x0001}, 0), 0x1p-24);
    CHECK_EQ(ref_read(WEFT_BF16, &(uint16_t){0xc049}, 0), -3.140625);
    end();
}

TEST(views) {
    begin();
    weft_tensor x = count_up(weft_dims(2, 3)), cube = count_up(weft_dims(2, 2, 3)),
                at = weft_input(g, WEFT_I32, WEFT_0D);
    EXPECT_INTS(weft_iota(g, weft_dims(2, 3), 0), 0, 0, 0, 1, 1, 1);
    EXPECT_INTS(weft_iota(g, weft_dims(2, 3), -1), 0, 1, 2, 0, 1, 2);
    EXPECT(weft_transpose(x, 0, 1), 0, 3, 1, 4, 2, 5);
    EXPECT(weft_permute(cube, weft_axes(2, 0, 1)), 0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11);
    EXPECT(weft_expand(count_up(weft_dims(2, 1)), weft_dims(2, 2, 3)), 0, 0, 0, 1, 1, 1, 0, 0, 0, 1,
           1, 1);
    EXPECT(weft_expand(FLOATS(WEFT_0D, 7), weft_dims(3)), 7, 7, 7);
    EXPECT(weft_slice(x, 1, 1, WEFT_END, 1), 1, 2, 4, 5);
    EXPECT(weft_slice(x, 1, 0, 3, 2), 0, 2, 3, 5);
    EXPECT(weft_slice(x, 0, -1, WEFT_END, 1), 3, 4, 5);
    EXPECT(weft_flip(x, 1), 2, 1, 0, 5, 4, 3);
    EXPECT(weft_pad(x, 1, 1, 2, -1), -1, 0, 1, 2, -1, -1, -1, 3, 4, 5, -1, -1);
    EXPECT(weft_pad(weft_slice(x, 0, 0, 1, 1), 0, 1, 0, INFINITY), INFINITY, INFINITY, INFINITY, 0,
           1, 2);
    EXPECT_INTS(weft_pad(INTS(weft_dims(1), 5), 0, 1, 1, -3), -3, 5, -3);
    EXPECT(weft_concat(weft_list(x, weft_slice(x, 1, 0, 1, 1)), 1), 0, 1, 2, 0, 3, 4, 5, 3);
    EXPECT(weft_concat(weft_list(x, weft_slice(x, 0, 1, 2, 1)), 0), 0, 1, 2, 3, 4, 5, 3, 4, 5);
    EXPECT(weft_stop_gradient(weft_neg(x)), 0, -1, -2, -3, -4, -5);

    weft_tensor part = weft_slice_at(x, 1, at, 2);
    weft_plan *p = plan_of(part);
    const int32_t start[] = {0, 1, 9, -9}, first[] = {0, 1, 1, 0}; /* moved until it fits */
    for (int i = 0; i < 4; i++) {
        CASE("slice_at %d", start[i]);
        CHECK_EQ(weft_set(p, at, &start[i], 4), WEFT_OK);
        CHECK_EQ(weft_run(p), WEFT_OK);
        for (int k = 0; k < 4; k++)
            CHECK_EQ(ref_value(p, part, k), first[i] + k % 2 + 3.0 * (k / 2));
    }
    weft_plan_free(p);
    end();
}

TEST(folds) {
    begin();
    weft_tensor x = count_up(weft_dims(2, 2, 3)), none = count_up(weft_dims(2, 0));
    weft_tensor odd = FLOATS(weft_dims(2, 3), 3, 1, 3, 1, NAN, NAN);
    EXPECT(weft_sum(x, WEFT_ALL, false), 66);
    EXPECT(weft_sum(x, weft_axes(1), false), 3, 5, 7, 15, 17, 19);
    EXPECT(weft_sum(x, weft_axes(0, 2), false), 24, 42);
    EXPECT(weft_sum(x, weft_axes(2), true), 3, 12, 21, 30);
    EXPECT(weft_max(weft_neg(x), weft_axes(0), false), 0, -1, -2, -3, -4, -5);
    EXPECT(weft_max(odd, weft_axes(1), false), 3, NAN);
    EXPECT(weft_prod(weft_offset(x, 1), weft_axes(1, 2), false), 720, 665280);
    EXPECT_INTS(weft_argmax(x, 1, false), 1, 1, 1, 1, 1, 1);
    EXPECT_INTS(weft_argmax(odd, 1, false), 0, 1); /* first of equals; nan is largest */
    EXPECT(weft_sum(none, weft_axes(1), false), 0, 0);
    EXPECT(weft_prod(none, weft_axes(1), false), 1, 1);
    EXPECT(weft_max(none, weft_axes(1), false), -INFINITY, -INFINITY);
    EXPECT_INTS(weft_max(weft_cast(none, WEFT_I32), weft_axes(1), false), INT32_MIN, INT32_MIN);
    EXPECT_EMPTY(weft_sum(none, weft_axes(0), false));
    EXPECT(weft_sum(FLOATS(WEFT_0D, 4), WEFT_ALL, false), 4);

    CASE("argmax over two axes");
    int64_t mask = 5; /* axes 0 and 2 of [2, 2, 3] */
    weft_tensor in = weft_const(g, WEFT_F32, weft_dims(2, 2, 3),
                                (const float[]){0, 1, 2, 9, 9, 9, 5, 7, 6, 9, 9, 10});
    weft_tensor both =
        graph_append(g, OP_argmax, WEFT_I32, 3, (const int64_t[]){1, 2, 1}, &in, 1, &mask, 1);
    EXPECT_INTS(both, 4, 5);
    end();
}

TEST(picking) {
    begin();
    weft_tensor x = count_up(weft_dims(2, 3)), at = INTS(weft_dims(2, 2), 2, 0, -1, 3),
                add = count_up(weft_dims(2, 2));
    EXPECT(weft_take_along(x, at, 1), 2, 0, 0, 0);
    EXPECT(weft_take_along(x, INTS(weft_dims(1, 3), 1, 0, 1), 0), 3, 1, 5);
    EXPECT(weft_gather(x, INTS(weft_dims(3), 1, 1, 0), 0), 3, 4, 5, 3, 4, 5, 0, 1, 2);
    EXPECT(weft_gather(x, INTS(weft_dims(2, 1), 2, 5), 1), 2, 0, 5, 0);
    EXPECT(weft_scatter_add(x, at, weft_offset(add, 10), 1), 11, 1, 12, 3, 4, 5);
    EXPECT(weft_scatter_add(x, INTS(weft_dims(2, 2), 1, 1, 0, 0), add, 1), 0, 2, 2, 8, 4, 5);
    EXPECT(weft_scatter_add(x, INTS(weft_dims(3, 3), 0, 1, 0, 0, 1, 2, 1, 1, 1),
                            weft_full(g, weft_dims(3, 3), 1), 0),
           2, 1, 3, 4, 7, 6);
    EXPECT_INTS(weft_scatter_add(INTS(weft_dims(1), INT32_MAX), INTS(weft_dims(1), 0),
                                 INTS(weft_dims(1), 1), 0),
                INT32_MIN);
    end();
}

TEST(products_and_recurrences) {
    begin();
    weft_tensor a = count_up(weft_dims(2, 2, 3)), b = weft_permute(a, weft_axes(0, 2, 1));
    EXPECT(weft_matmul(a, b), 5, 14, 14, 50, 149, 212, 212, 302);
    EXPECT(weft_matmul(count_up(weft_dims(2, 0)), count_up(weft_dims(0, 2))), 0, 0, 0, 0);
    EXPECT_EMPTY(weft_matmul(count_up(weft_dims(0, 3)), count_up(weft_dims(3, 2))));
    EXPECT_EMPTY(weft_matmul(count_up(weft_dims(2, 3)), count_up(weft_dims(3, 0))));
    weft_tensor half = weft_full(g, weft_dims(2, 3), 0.5f), x = count_up(weft_dims(2, 3));
    EXPECT(weft_linrec(half, x, 1, false), 0, 1, 2.5, 3, 5.5, 7.75);
    EXPECT(weft_linrec(half, x, 1, true), 1, 2, 2, 6.25, 6.5, 5);
    EXPECT(weft_linrec(half, x, 0, false), 0, 1, 2, 3, 4.5, 6);
    EXPECT(weft_linrec(half, x, 0, true), 1.5, 3, 4.5, 3, 4, 5);
    EXPECT(weft_cumsum(x, 1), 0, 1, 3, 3, 7, 12);
    EXPECT_EMPTY(weft_cumsum(count_up(weft_dims(2, 0)), 1));
    end();
}

TEST(argsort_is_stable) {
    begin();
    weft_tensor x = FLOATS(weft_dims(7), 2, 1, NAN, 2, -INFINITY, 1, INFINITY);
    EXPECT_INTS(weft_argsort(x, 0, false), 4, 1, 5, 0, 3, 6, 2);
    EXPECT_INTS(weft_argsort(x, 0, true), 2, 6, 0, 3, 1, 5, 4);
    EXPECT_INTS(weft_argsort(INTS(weft_dims(2, 3), 3, 1, 2, 1, 1, 5), 1, false), 1, 2, 0, 0, 1, 2);
    EXPECT_INTS(weft_argsort(INTS(weft_dims(2, 3), 3, 1, 2, 1, 1, 5), 0, false), 1, 0, 0, 0, 1, 1);
    EXPECT(weft_sort(x, 0, false), -INFINITY, 1, 1, 2, 2, INFINITY, NAN);

    enum { N = 1000 };
    int32_t key[N];
    for (int i = 0; i < N; i++) key[i] = (int32_t)(test_random() % 50);
    weft_tensor order = weft_argsort(weft_const(g, WEFT_I32, weft_dims(N), key), 0, true);
    weft_plan *p = plan_of(order);
    CASE("a thousand keys");
    CHECK_EQ(weft_run(p), WEFT_OK);
    int wrong = 0;
    for (int i = 1; i < N; i++) {
        int last = (int)ref_value(p, order, i - 1), next = (int)ref_value(p, order, i);
        wrong += key[last] < key[next] || (key[last] == key[next] && last > next);
    }
    CHECK_EQ(wrong, 0);
    weft_plan_free(p);
    end();
}

TEST(philox_gives_the_published_words) {
    const uint32_t want[4] = {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu,
                              0x9b00dbd8u}; /* all zeros in */
    double got[4];
    ref_random(0, 0, 0, 0, RANDOM_BITS, WEFT_U32, got);
    for (int i = 0; i < 4; i++) CHECK_EQ(got[i], (double)want[i]);
    ref_random(0, 0, 0, 0, RANDOM_UNIFORM, WEFT_F32, got);
    for (int i = 0; i < 4; i++) CHECK_EQ(got[i], (want[i] >> 8) / 16777216.0);
}

TEST(drawing) {
    begin();
    enum { N = 40001 };
    weft_tensor u = weft_uniform(g, weft_dims(N)), z = weft_normal(g, weft_dims(N)),
                other = weft_uniform(g, weft_dims(N));
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(u, z, other)});
    if (!CHECK(p)) return;
    CHECK_EQ(weft_run(p), WEFT_OK);
    double sum = 0, sum2 = 0, normal = 0, normal2 = 0, outside = 0, equal = 0;
    for (int i = 0; i < N; i++) {
        double a = ref_value(p, u, i), b = ref_value(p, z, i);
        sum += a, sum2 += a * a, normal += b, normal2 += b * b;
        outside += !(a >= 0 && a < 1);
        equal += a == ref_value(p, other, i);
    }
    CHECK_EQ(outside, 0);
    CHECK(equal < 3);
    CHECK_NEAR(sum / N, 0.5, 0.01);
    CHECK_NEAR(sum2 / N, 1.0 / 3, 0.01);
    CHECK_NEAR(normal / N, 0, 0.02);
    CHECK_NEAR(normal2 / N, 1, 0.03);
    double before = ref_value(p, u, 0);
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK(ref_value(p, u, 0) != before); /* the run number has moved on */
    weft_plan_free(p);
    end();
}

TEST(updates_come_after_everything) {
    begin();
    weft_state *s = weft_state_new(c);
    weft_tensor a = weft_param(g, s, "a", weft_dims(2), (weft_init){WEFT_INIT_VALUE, 1, 0});
    weft_tensor b =
        weft_buffer(g, s, "b", WEFT_BF16, weft_dims(2), (weft_init){WEFT_INIT_ZEROS, 0, 0});
    weft_tensor seen = weft_scale(a, 10), grown = weft_offset(a, 256);
    weft_updates both =
        weft_updates_join(g, weft_assign(a, grown), weft_assign(b, weft_cast(grown, WEFT_BF16)));
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(seen, a), .update = both});
    if (!CHECK(p)) return;
    CHECK_EQ(weft_run(p), WEFT_OK);
    float now[2] = {0};
    uint16_t half[2] = {0};
    CHECK_EQ(ref_value(p, seen, 1), 10.0); /* the value from before the run */
    CHECK_EQ(ref_value(p, a, 1), 257.0);   /* a fetched state is the new one */
    CHECK_EQ(weft_get(p, a, now, sizeof now), WEFT_OK);
    CHECK_EQ(now[0], 257);
    CHECK_EQ(weft_state_get(s, "a", now, sizeof now), WEFT_OK);
    CHECK_EQ(now[1], 257);
    CHECK_EQ(weft_state_get(s, "b", half, sizeof half), WEFT_OK);
    CHECK_EQ(half[1], 0x4380); /* 257 rounds to 256 */
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(ref_value(p, seen, 0), 2570.0);
    weft_plan_free(p);
    weft_state_free(s);
    end();
}

TEST(doubles_for_differences) {
    begin();
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(3)),
                y = weft_sum(weft_mul(x, weft_exp(x)), WEFT_ALL, false), dx;
    CHECK_EQ(weft_grad(y, &x, 1, &dx), WEFT_OK);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y, dx)});
    if (!CHECK(p)) return;
    const float at[3] = {0.3f, -1.2f, 2};
    CHECK_EQ(weft_set(p, x, at, sizeof at), WEFT_OK);
    CHECK_EQ(weft_run(p), WEFT_OK);
    double slope[3], f0 = ref_value(p, y, 0);
    for (int i = 0; i < 3; i++) slope[i] = ref_value(p, dx, i);
    for (int i = 0; i < 3; i++) {
        CASE("element %d", i);
        double moved[3] = {at[0], at[1], at[2]}, f[2];
        for (int side = 0; side < 2; side++) {
            moved[i] = at[i] + (side ? 1e-6 : -1e-6);
            CHECK_EQ(ref_set_double(p, x, moved, 3), WEFT_OK);
            CHECK_EQ(weft_run(p), WEFT_OK);
            f[side] = ref_value(p, y, 0);
        }
        CHECK_NEAR((f[1] - f[0]) / 2e-6, slope[i], 1e-7);
    }
    CHECK_EQ(ref_set_double(p, x, NULL, 0), WEFT_OK); /* back to what weft_set gave */
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(ref_value(p, y, 0), f0);
    CHECK_EQ(ref_set_double(p, x, slope, 2), WEFT_ARGUMENT);
    CHECK_EQ(ref_set_double(p, y, slope, 1), WEFT_ARGUMENT);
    CHECK(isnan(ref_value(p, y, 1)) && isnan(ref_value(p, x, 0)));
    weft_plan_free(p);
    end();
}

TEST(a_plan_outlives_its_graph) {
    begin();
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(2)),
                y = weft_mul(x, FLOATS(weft_dims(2), 3, 4));
    weft_plan *p = plan_of(y);
    weft_graph_free(g);
    g = NULL;
    const float two[2] = {2, 2};
    CHECK_EQ(weft_set(p, x, two, sizeof two), WEFT_OK);
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(ref_value(p, y, 0), 6.0);
    CHECK_EQ(ref_value(p, y, 1), 8.0);
    weft_plan_free(p);
    end();
}

/* An allocator that fails once, and counts what is not given back. */
typedef struct failing {
    int until, held;
} failing;

static void *failing_resize(void *user, void *p, size_t bytes) {
    failing *f = user;
    if (!bytes) {
        f->held -= p != NULL;
        free(p);
        return NULL;
    }
    if (f->until-- == 0) return NULL;
    void *q = realloc(p, bytes);
    f->held += q && !p;
    return q;
}

TEST(running_out_of_memory_loses_nothing) {
    bool done = false;
    for (int n = 0; n < 2000 && !done; n++) {
        failing f = {n, 0};
        weft_ctx *ctx = weft_open_with(
            &(weft_open_desc){.device = "ref", .resize = failing_resize, .user = &f});
        weft_graph *graph = ctx ? weft_graph_new(ctx) : NULL;
        if (graph) {
            weft_tensor x = weft_input(graph, WEFT_F32, weft_dims(4, 4));
            weft_tensor y = weft_argsort(
                weft_sum(weft_softmax(weft_matmul(x, x), 1), weft_axes(0), false), 0, false);
            weft_plan *p = weft_compile(graph, &(weft_plan_desc){.fetch = weft_list(y)});
            done = p && ref_set_double(p, x, (const double[16]){0}, 16) == WEFT_OK &&
                   weft_run(p) == WEFT_OK && f.until >= 0;
            if (!p) CHECK_EQ(weft_error_code(ctx), WEFT_MEMORY);
            weft_plan_free(p);
        }
        weft_graph_free(graph);
        if (ctx) weft_close(ctx);
        CHECK_EQ(f.held, 0);
    }
    CHECK(done);
}

TEST(names_of_devices) {
    CHECK(backend_find("auto") == &backend_cpu);
    CHECK(backend_find("best") == &backend_cpu);
    CHECK(backend_find("cpu") == &backend_cpu);
    CHECK(backend_find("ref") == &backend_ref);
    CHECK(backend_find("null") == &backend_null);
    CHECK(backend_find("abacus") == NULL);
}

TEST(null_has_the_threads_it_is_given) {
    for (int threads = 1; threads <= 3; threads++) {
        c = weft_open_with(&(weft_open_desc){.device = "null", .threads = threads});
        CHECK_EQ(weft_threads(c), threads);
        weft_close(c);
    }
}

TEST(null_counts_and_does_not_run) {
    c = weft_open("null");
    CHECK(weft_threads(c) >= 1);
    g = weft_graph_new(c);
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(8, 8)), y = weft_exp(x);
    weft_plan *p = plan_of(y);
    if (p) {
        CHECK_EQ(weft_plan_stats(p).kernels, 1);
        CHECK_EQ(weft_run(feed_zeros(p)), WEFT_OK);
    }
    weft_plan_free(p);
    end();
}
