/* kernel_cases.h - row programs made by hand, with memory, for whoever runs or prints row programs.
 *
 * Each case fills a `kcase`: a kernel, its buffers and their first contents. Numbers are drawn by
 * the harness, so a case is the same in every run. Relies on test.h; leaves running to others. */
#ifndef WEFT_KERNEL_CASES_H
#define WEFT_KERNEL_CASES_H

#include "backend/ref_node.h"
#include "plan/plan.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KCASE_BUFFERS = 8, KCASE_VIEWS = 12, KCASE_INS = 48 };
typedef struct kcase {
    kernel k;
    kview view[KCASE_VIEWS];
    kins ins[KCASE_INS];
    buffer buf[KCASE_BUFFERS];
    char *memory[KCASE_BUFFERS]; /* whole words, a free word at the end */
    int bufs;
} kcase;

/* A buffer of n elements: floats of [lo, hi), or whole numbers lo ... hi - 1. */
static uint32_t kc_buffer(kcase *c, weft_dtype t, int64_t n, double lo, double hi) {
    const int b = c->bufs++;
    c->buf[b] = (buffer){.place = BUF_ARENA,
                         .dtype = (uint8_t)t,
                         .bytes = ((size_t)n * weft_dtype_size(t) + 7) / 4 * 4};
    c->memory[b] = calloc(1, c->buf[b].bytes);
    for (int64_t i = 0; i < n; i++) {
        const double v = test_uniform(lo, hi);
        ref_write(t, c->memory[b], i, ref_is_float(t) ? (double)(float)v : floor(v));
    }
    return (uint32_t)b;
}

static void kc_free(kcase *c) {
    for (int b = 0; b < c->bufs; b++) free(c->memory[b]);
}

typedef struct kc_strides {
    int64_t at[KDIMS];
} kc_strides;
#define KC_STRIDES(...) ((kc_strides){{__VA_ARGS__}})

static uint16_t kc_view(kcase *c, uint32_t buf, int64_t off, kc_strides s) {
    kview *v = &c->view[c->k.nview];
    *v = (kview){.buf = buf, .at = KNOBUF, .off = off};
    if (buf != KNOBUF) v->dtype = c->buf[buf].dtype;
    for (int d = 0; d < KDIMS; d++) {
        v->stride[d] = s.at[d];
        v->hi[d] = (int32_t)c->k.dim[d];
    }
    return c->k.nview++;
}

static uint16_t kc_add(kcase *c, kins i) {
    c->ins[c->k.nins] = i;
    return c->k.nins++;
}

/* Element level unless the name says row. */
static uint16_t kc_op(kcase *c, int op, ktype t, uint16_t a, uint16_t b) {
    return kc_add(c, (kins){.op = (uint8_t)op, .type = (uint8_t)t, .a = a, .b = b});
}
static uint16_t kc_row_op(kcase *c, int op, ktype t, uint16_t a, uint16_t b) {
    return kc_add(c,
                  (kins){.op = (uint8_t)op, .type = (uint8_t)t, .level = KL_ROW, .a = a, .b = b});
}
static uint16_t kc_load(kcase *c, uint16_t view) {
    const int t = c->view[view].dtype;
    const ktype type = ref_is_float(t) ? KT_F32 : t == WEFT_BOOL ? KT_BOOL : KT_I32;
    return kc_add(c, (kins){.op = K_LOAD, .type = (uint8_t)type, .view = view});
}
static uint16_t kc_store(kcase *c, uint16_t view, uint16_t a, klevel level) {
    return kc_add(
        c,
        (kins){
            .op = K_STORE, .type = c->ins[a].type, .level = (uint8_t)level, .a = a, .view = view});
}
static uint16_t kc_real(kcase *c, float v) {
    return kc_add(c, (kins){.op = K_CONST, .type = KT_F32, .level = KL_ROW, .bits = bits_of(v)});
}
static uint16_t kc_whole(kcase *c, int32_t v) {
    return kc_add(c, (kins){.op = K_CONST, .type = KT_I32, .level = KL_ROW, .bits = (uint32_t)v});
}
static uint16_t kc_cast(kcase *c, weft_dtype t, uint16_t a) {
    const ktype type = ref_is_float(t) ? KT_F32 : t == WEFT_BOOL ? KT_BOOL : KT_I32;
    return kc_add(c, (kins){.op = OP_cast, .type = (uint8_t)type, .a = a, .bits = (uint32_t)t});
}

/* The loop space first: views take their limits from it. */
static void kc_space(kcase *c, int outer, int reduce, int inner, kc_strides dims) {
    c->k.outer = (uint8_t)outer;
    c->k.reduce = (uint8_t)reduce;
    c->k.inner = (uint8_t)inner;
    for (int d = 0; d < outer + reduce + inner; d++) c->k.dim[d] = dims.at[d];
    c->k.view = c->view;
    c->k.ins = c->ins;
}

/* ---- maps ---- */

static void
kc_broadcast(kcase *c) { /* y[i, j] = gelu-like of x[i, j] + bias[j], times a number in memory */
    kc_space(c, 2, 0, 0, KC_STRIDES(33, 17));
    const uint32_t x = kc_buffer(c, WEFT_F32, 33 * 17, -2, 2),
                   bias = kc_buffer(c, WEFT_F32, 17, -1, 1);
    const uint32_t scale = kc_buffer(c, WEFT_F32, 1, 2, 3),
                   y = kc_buffer(c, WEFT_F32, 33 * 17, 0, 1);
    const uint16_t r0 = kc_load(c, kc_view(c, x, 0, KC_STRIDES(17, 1)));
    const uint16_t r1 = kc_load(c, kc_view(c, bias, 0, KC_STRIDES(0, 1)));
    const uint16_t r2 = kc_load(c, kc_view(c, scale, 0, KC_STRIDES(0, 0)));
    const uint16_t sum = kc_op(c, OP_add, KT_F32, r0, r1);
    const uint16_t half = kc_op(c, OP_mul, KT_F32, kc_real(c, -0.5f), sum);
    const uint16_t erf = kc_op(c, OP_erf, KT_F32, half, 0);
    const uint16_t more =
        kc_add(c, (kins){.op = K_FMA, .type = KT_F32, .a = erf, .b = r2, .c = sum});
    kc_op(c, OP_exp, KT_F32, more, 0); /* dead: must leave no trace */
    kc_store(c, kc_view(c, y, 0, KC_STRIDES(17, 1)), more, KL_ELEMENT);
}

static void kc_strided(kcase *c) { /* a transposed read, a spaced store, a flipped axis */
    kc_space(c, 3, 0, 0, KC_STRIDES(5, 1, 7));
    const uint32_t x = kc_buffer(c, WEFT_F32, 35, -2, 2), y = kc_buffer(c, WEFT_F32, 200, 0, 1);
    const uint16_t r0 = kc_load(c, kc_view(c, x, 4, KC_STRIDES(-1, 3, 5)));
    const uint16_t r1 = kc_op(c, OP_tanh, KT_F32, r0, 0);
    kc_store(c, kc_view(c, y, 3, KC_STRIDES(20, 1, 2)), r1, KL_ELEMENT);
}

static void
kc_padded(kcase *c) { /* exp(pad(x, 2 before, 1 after)), filled with -inf; a padded index too */
    kc_space(c, 2, 0, 0, KC_STRIDES(4, 9));
    const uint32_t x = kc_buffer(c, WEFT_F32, 4 * 6, -2, 2), y = kc_buffer(c, WEFT_F32, 36, 0, 1);
    const uint32_t z = kc_buffer(c, WEFT_I32, 36, 0, 1);
    const uint16_t v = kc_view(c, x, -2, KC_STRIDES(6, 1)),
                   index = kc_view(c, KNOBUF, -2, KC_STRIDES(10, 1));
    const uint16_t both[2] = {v, index};
    for (int i = 0; i < 2; i++) {
        c->view[both[i]].guard = true;
        c->view[both[i]].lo[1] = 2;
        c->view[both[i]].hi[1] = 8;
    }
    c->view[v].fill = 0xff800000u;
    c->view[index].fill = (uint32_t)-7;
    const uint16_t r0 = kc_op(c, OP_exp, KT_F32, kc_load(c, v), 0);
    const uint16_t r1 = kc_add(c, (kins){.op = K_INDEX, .type = KT_I32, .view = index});
    kc_store(c, kc_view(c, y, 0, KC_STRIDES(9, 1)), r0, KL_ELEMENT);
    kc_store(c, kc_view(c, z, 0, KC_STRIDES(9, 1)), r1, KL_ELEMENT);
}

static void kc_take(kcase *c) { /* rows of a table by index, some out of range */
    kc_space(c, 2, 0, 0, KC_STRIDES(40, 6));
    const uint32_t table = kc_buffer(c, WEFT_F16, 10 * 6, -2, 2),
                   index = kc_buffer(c, WEFT_I32, 40, -3, 13);
    const uint32_t y = kc_buffer(c, WEFT_F32, 240, 0, 1);
    const uint16_t r0 = kc_load(c, kc_view(c, index, 0, KC_STRIDES(1, 0)));
    const uint16_t rows = kc_view(c, table, 0, KC_STRIDES(0, 1));
    const uint16_t r1 = kc_add(
        c, (kins){.op = K_TAKE, .type = KT_F32, .a = r0, .view = rows, .bits = 10, .arg2 = 6});
    kc_store(c, kc_view(c, y, 0, KC_STRIDES(6, 1)), r1, KL_ELEMENT);
}

static void kc_random(kcase *c) { /* the three kinds, from an odd first element */
    kc_space(c, 2, 0, 0, KC_STRIDES(9, 31));
    const uint32_t seed = kc_buffer(c, WEFT_I32, 1, 5, 1e9), run = kc_buffer(c, WEFT_I32, 1, 0, 99);
    const uint16_t r0 = kc_load(c, kc_view(c, seed, 0, KC_STRIDES(0)));
    const uint16_t r1 = kc_load(c, kc_view(c, run, 0, KC_STRIDES(0)));
    const uint16_t e = kc_view(c, KNOBUF, 3, KC_STRIDES(31, 1));
    for (int kind = RANDOM_BITS; kind <= RANDOM_NORMAL; kind++) {
        const weft_dtype t = kind == RANDOM_BITS ? WEFT_I32 : WEFT_F32;
        const uint32_t y = kc_buffer(c, t, 9 * 31, 0, 1);
        const uint16_t r = kc_add(c, (kins){.op = K_RANDOM,
                                            .type = kind == RANDOM_BITS ? KT_I32 : KT_F32,
                                            .a = r0,
                                            .b = r1,
                                            .view = e,
                                            .bits = (uint32_t)kind,
                                            .arg2 = 0xfedcba98});
        kc_store(c, kc_view(c, y, 0, KC_STRIDES(31, 1)), r, KL_ELEMENT);
    }
}

static void kc_narrow(kcase *c) { /* every narrow type read and written, with casts in registers */
    kc_space(c, 1, 0, 0, KC_STRIDES(103));
    const uint32_t x = kc_buffer(c, WEFT_F32, 103, -300, 300);
    const uint16_t r0 = kc_load(c, kc_view(c, x, 0, KC_STRIDES(1)));
    const weft_dtype types[] = {WEFT_BF16, WEFT_F16, WEFT_I8, WEFT_U8, WEFT_BOOL};
    for (int i = 0; i < 5; i++) {
        const uint32_t y = kc_buffer(c, types[i], 103, 0, 2);
        const uint16_t v = kc_view(c, y, 0, KC_STRIDES(1));
        const uint16_t old = kc_cast(c, WEFT_F32, kc_load(c, v));
        const uint16_t cut = kc_cast(c, WEFT_F32, kc_cast(c, types[i], r0));
        kc_store(c, v, kc_cast(c, types[i], kc_op(c, OP_add, KT_F32, old, cut)), KL_ELEMENT);
    }
}

static void
kc_extremes(kcase *c) { /* casts and comparisons at the edges: nan, infinities, wrap-around */
    static const float edge[] = {NAN,   INFINITY, -INFINITY, 3e9f,   -3e9f,    5e9f,
                                 -0.0f, 0.5f,     -0.9f,     1e-30f, 65519.0f, 65520.0f,
                                 6e-8f, 2e-8f,    255.0f,    256.0f};
    const int n = (int)(sizeof edge / sizeof *edge);
    kc_space(c, 2, 0, 0, KC_STRIDES(n, n));
    const uint32_t x = kc_buffer(c, WEFT_F32, n, 0, 1), y = kc_buffer(c, WEFT_F32, n * n, 0, 1);
    const uint32_t z = kc_buffer(c, WEFT_I32, n * n, 0, 1), w = kc_buffer(c, WEFT_U32, n * n, 0, 1);
    memcpy(c->memory[x], edge, sizeof edge);
    const uint16_t a = kc_load(c, kc_view(c, x, 0, KC_STRIDES(1, 0)));
    const uint16_t b = kc_load(c, kc_view(c, x, 0, KC_STRIDES(0, 1)));
    const uint16_t greater = kc_op(c, OP_maximum, KT_F32, a, kc_op(c, OP_relu, KT_F32, b, 0));
    const uint16_t half = kc_cast(c, WEFT_F16, greater);
    const uint16_t less = kc_op(c, OP_lt, KT_BOOL, a, b);
    const uint16_t pick = kc_add(c, (kins){.op = OP_where,
                                           .type = KT_F32,
                                           .a = less,
                                           .b = half,
                                           .c = kc_op(c, OP_sign, KT_F32, b, 0)});
    const uint16_t whole =
        kc_op(c, OP_add, KT_I32, kc_cast(c, WEFT_I32, a), kc_cast(c, WEFT_I8, b));
    kc_store(c, kc_view(c, y, 0, KC_STRIDES(n, 1)), pick, KL_ELEMENT);
    kc_store(c, kc_view(c, z, 0, KC_STRIDES(n, 1)),
             kc_op(c, OP_mod, KT_I32, whole, kc_whole(c, -7)), KL_ELEMENT);
    kc_store(c, kc_view(c, w, 0, KC_STRIDES(n, 1)), kc_cast(c, WEFT_U32, b), KL_ELEMENT);
}

static void
kc_started(kcase *c) { /* a slice whose start is read, clamped; in place in its own buffer */
    kc_space(c, 2, 0, 0, KC_STRIDES(5, 8));
    const uint32_t x = kc_buffer(c, WEFT_F32, 20 * 8, -2, 2),
                   start = kc_buffer(c, WEFT_I32, 1, 99, 100);
    const uint16_t v = kc_view(c, x, 0, KC_STRIDES(8, 1));
    c->view[v].at = start;
    c->view[v].at_stride = 8;
    c->view[v].at_max = 15;
    kc_store(c, v, kc_op(c, OP_neg, KT_F32, kc_load(c, v), 0), KL_ELEMENT);
}

/* ---- rows ---- */

static void kc_softmax_of(kcase *c, weft_dtype t, int64_t rows, int64_t n) {
    kc_space(c, 1, 1, 0, KC_STRIDES(rows, n));
    const uint32_t x = kc_buffer(c, t, rows * n, -4, 4), y = kc_buffer(c, t, rows * n, 0, 1);
    const uint16_t r0 = kc_load(c, kc_view(c, x, 0, KC_STRIDES(n, 1)));
    const uint16_t most = kc_row_op(c, K_MAX, KT_F32, r0, 0);
    const uint16_t e = kc_op(c, OP_exp, KT_F32, kc_op(c, OP_sub, KT_F32, r0, most), 0);
    const uint16_t sum = kc_row_op(c, K_SUM, KT_F32, e, 0);
    kc_store(c, kc_view(c, y, 0, KC_STRIDES(n, 1)), kc_op(c, OP_div, KT_F32, e, sum), KL_ELEMENT);
}
static void kc_softmax(kcase *c) {
    kc_softmax_of(c, WEFT_F32, 7, 300);
}
static void kc_softmax_bf16(kcase *c) {
    kc_softmax_of(c, WEFT_BF16, 7, 36);
}
static void kc_softmax_odd(kcase *c) {
    kc_softmax_of(c, WEFT_BF16, 5, 9);
}

static void
kc_layer_norm(kcase *c) { /* in place, mean and scale kept as well; an outer pair of axes */
    kc_space(c, 2, 1, 0, KC_STRIDES(3, 4, 50));
    const uint32_t x = kc_buffer(c, WEFT_F32, 600, -2, 4), w = kc_buffer(c, WEFT_F32, 50, 0.5, 2);
    const uint32_t mean_at = kc_buffer(c, WEFT_F32, 12, 0, 1);
    const uint16_t v = kc_view(c, x, 0, KC_STRIDES(200, 50, 1));
    const uint16_t r0 = kc_load(c, v);
    const uint16_t sum = kc_row_op(c, K_SUM, KT_F32, r0, 0);
    const uint16_t part = kc_real(c, 0.02f);
    const uint16_t mean = kc_row_op(c, OP_mul, KT_F32, sum, part);
    const uint16_t off = kc_op(c, OP_sub, KT_F32, r0, mean);
    const uint16_t square = kc_op(c, OP_mul, KT_F32, off, off);
    const uint16_t var = kc_row_op(c, OP_mul, KT_F32, kc_row_op(c, K_SUM, KT_F32, square, 0), part);
    const uint16_t scale =
        kc_row_op(c, OP_rsqrt, KT_F32, kc_row_op(c, OP_add, KT_F32, var, kc_real(c, 1e-5f)), 0);
    const uint16_t r1 = kc_op(c, OP_mul, KT_F32, off, scale);
    const uint16_t r2 =
        kc_op(c, OP_mul, KT_F32, r1, kc_load(c, kc_view(c, w, 0, KC_STRIDES(0, 0, 1))));
    kc_store(c, v, r2, KL_ELEMENT);
    kc_store(c, kc_view(c, mean_at, 0, KC_STRIDES(4, 1, 0)), mean, KL_ROW);
}

static void
kc_argmax(kcase *c) { /* over two axes in another order than memory's; ties, and whether any is 3 */
    kc_space(c, 1, 2, 0, KC_STRIDES(6, 5, 70));
    const uint32_t x = kc_buffer(c, WEFT_I8, 6 * 350, -4, 4),
                   place = kc_buffer(c, WEFT_I32, 6, 0, 1);
    const uint32_t any = kc_buffer(c, WEFT_BOOL, 6, 0, 1);
    const uint16_t r0 = kc_load(c, kc_view(c, x, 0, KC_STRIDES(350, 1, 5)));
    const uint16_t at = kc_row_op(c, K_ARGMAX, KT_I32, r0, 0);
    const uint16_t hit =
        kc_row_op(c, K_MAX, KT_BOOL, kc_op(c, OP_eq, KT_BOOL, r0, kc_whole(c, 3)), 0);
    kc_store(c, kc_view(c, place, 0, KC_STRIDES(1)), at, KL_ROW);
    kc_store(c, kc_view(c, any, 0, KC_STRIDES(1)), hit, KL_ROW);
}

static void kc_nothing(kcase *c) { /* folds of empty rows */
    kc_space(c, 1, 1, 0, KC_STRIDES(3, 0));
    const uint32_t x = kc_buffer(c, WEFT_F32, 1, 0, 1);
    const int ops[] = {K_SUM, K_MAX, K_PROD, K_ARGMAX};
    const uint16_t r0 = kc_load(c, kc_view(c, x, 0, KC_STRIDES(0, 1)));
    for (int i = 0; i < 4; i++) {
        const bool place = ops[i] == K_ARGMAX;
        const uint32_t y = kc_buffer(c, place ? WEFT_I32 : WEFT_F32, 3, 0, 1);
        kc_store(c, kc_view(c, y, 0, KC_STRIDES(1)),
                 kc_row_op(c, ops[i], place ? KT_I32 : KT_F32, r0, 0), KL_ROW);
    }
}

/* ---- across ---- */

static void
kc_column_sum(kcase *c) { /* sums, products and maxima of columns, one result as bytes */
    kc_space(c, 1, 1, 1, KC_STRIDES(2, 19, 21));
    const uint32_t x = kc_buffer(c, WEFT_F32, 2 * 19 * 21, -1, 1.5),
                   w = kc_buffer(c, WEFT_F32, 21, 0.5, 1);
    const uint32_t y = kc_buffer(c, WEFT_F32, 42, 0, 1), z = kc_buffer(c, WEFT_U8, 42, 0, 1);
    const uint16_t r0 = kc_load(c, kc_view(c, x, 0, KC_STRIDES(399, 21, 1)));
    const uint16_t r1 = kc_add(c, (kins){.op = K_LOAD,
                                         .type = KT_F32,
                                         .level = KL_ROW,
                                         .view = kc_view(c, w, 0, KC_STRIDES(0, 0, 1))});
    const uint16_t sum = kc_row_op(c, K_SUM, KT_F32, kc_op(c, OP_mul, KT_F32, r0, r1), 0);
    const uint16_t most = kc_row_op(c, K_MAX, KT_F32, r0, 0);
    const uint16_t prod = kc_row_op(c, K_PROD, KT_F32, kc_op(c, OP_sub, KT_F32, r0, most), 0);
    kc_store(c, kc_view(c, y, 0, KC_STRIDES(21, 0, 1)), kc_row_op(c, OP_add, KT_F32, sum, prod),
             KL_ROW);
    kc_store(c, kc_view(c, z, 0, KC_STRIDES(21, 0, 1)),
             kc_row_op(c, OP_lt, KT_BOOL, sum, kc_real(c, 0)), KL_ROW);
}

static void kc_argmax_across(kcase *c) { /* NaN is above all; the first of equals */
    kc_space(c, 0, 1, 1, KC_STRIDES(23, 10));
    const uint32_t x = kc_buffer(c, WEFT_F32, 230, -1, 1), y = kc_buffer(c, WEFT_I32, 10, 0, 1);
    const float nan = NAN, low = -INFINITY;
    memcpy(c->memory[x] + 4 * (7 * 10 + 3), &nan, 4);
    memcpy(c->memory[x] + 4 * (9 * 10 + 3), &nan, 4);
    for (int i = 0; i < 23; i++) memcpy(c->memory[x] + 4 * (i * 10 + 5), &low, 4);
    const uint16_t r0 = kc_load(c, kc_view(c, x, 0, KC_STRIDES(10, 1)));
    kc_store(c, kc_view(c, y, 0, KC_STRIDES(0, 1)), kc_row_op(c, K_ARGMAX, KT_I32, r0, 0), KL_ROW);
}

/* Every row of the table on registers of both types, as a map over its domain. */
static void kc_table_row(kcase *c, int op, bool binary, bool compare, bool real, double lo,
                         double hi) {
    kc_space(c, 1, 0, 0, KC_STRIDES(65));
    const weft_dtype t = real ? WEFT_F32 : WEFT_I32;
    const uint32_t x = kc_buffer(c, t, 65, lo, hi), z = kc_buffer(c, t, 65, lo, hi);
    const uint32_t y = kc_buffer(c, compare ? WEFT_BOOL : t, 65, 0, 1);
    const uint16_t r0 = kc_load(c, kc_view(c, x, 0, KC_STRIDES(1)));
    const uint16_t r1 = binary ? kc_load(c, kc_view(c, z, 0, KC_STRIDES(1))) : 0;
    kc_store(c, kc_view(c, y, 0, KC_STRIDES(1)),
             kc_op(c, op,
                   compare ? KT_BOOL
                   : real  ? KT_F32
                           : KT_I32,
                   r0, r1),
             KL_ELEMENT);
}

typedef struct kc_entry {
    const char *name;
    void (*make)(kcase *);
    bool no_wgsl;
} kc_entry;
/* clang-format off */
static const kc_entry kc_list[] = {
    { "broadcast", kc_broadcast, false },     { "strided", kc_strided, false },
    { "padded", kc_padded, false },           { "take", kc_take, false },
    { "random", kc_random, false },           { "narrow", kc_narrow, false },
    { "extremes", kc_extremes, false },       { "started", kc_started, false },
    { "softmax", kc_softmax, false },         { "softmax_bf16", kc_softmax_bf16, false },
    { "softmax_odd", kc_softmax_odd, true },  { "layer_norm", kc_layer_norm, false },
    { "argmax", kc_argmax, false },           { "nothing", kc_nothing, false },
    { "column_sum", kc_column_sum, false },   { "argmax_across", kc_argmax_across, false },
};
/* clang-format on */
enum { KC_COUNT = sizeof kc_list / sizeof *kc_list };

#endif
