/* test_errors.c - bad input to everything that records: an error that says what and where, never a
 * crash or a print. One line is one case: code, part of the message, call. States, gradients, plans
 * and contexts are in test_errors_run.c. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "errors.h"

static weft_shape shape(int rank, int64_t a, int64_t b2, int64_t c2) {
    return (weft_shape){rank, {a, b2, c2, 1, 1, 1, 1, 1}};
}

/* ---- leaves ---- */

TEST(leaves) {
    const weft_shape nine = {9, {1, 1, 1, 1, 1, 1, 1, 1}}, minus = {-1, {0}};
    const weft_dtype unknown = (weft_dtype)77;
    BAD(ARGUMENT, "graph is NULL", weft_input(NULL, WEFT_F32, weft_dims(2)));
    BAD(SHAPE, "rank 9", weft_input(g, WEFT_F32, nine));
    BAD(SHAPE, "rank -1", weft_input(g, WEFT_F32, minus));
    BAD(SHAPE, "axis 1 is negative", weft_input(g, WEFT_F32, weft_dims(2, -3)));
    BAD(SHAPE, "[1048576,2097152]", weft_input(g, WEFT_F32, weft_dims(1 << 20, 1 << 21)));
    BAD(SHAPE, "input", weft_input(g, WEFT_F32, weft_dims(INT64_MAX, INT64_MAX, 4)));
    BAD(SHAPE, "input", weft_input(g, WEFT_F32, weft_dims(1LL << 32, 1LL << 32)));
    BAD(DTYPE, "77", weft_input(g, unknown, weft_dims(2)));
    BAD(DTYPE, "-1", weft_input(g, (weft_dtype)-1, weft_dims(2)));
    BAD(ARGUMENT, "data is NULL", weft_const(g, WEFT_F32, weft_dims(2), NULL));
    BAD(SHAPE, "const", weft_const(g, WEFT_F32, nine, ""));
    BAD(SHAPE, "const", weft_const(g, WEFT_F32, weft_dims(1LL << 41), ""));
    BAD(DTYPE, "const", weft_const(g, unknown, weft_dims(1), ""));
    BAD(ARGUMENT, "graph", weft_const(NULL, WEFT_F32, weft_dims(1), ""));
    BAD(ARGUMENT, "graph", weft_scalar(NULL, 1));
    BAD(ARGUMENT, "graph", weft_integer(NULL, 1));
    BAD(ARGUMENT, "graph", weft_full(NULL, weft_dims(2), 1));
    BAD(SHAPE, "expand", weft_full(g, nine, 1));
    BAD(SHAPE, "expand", weft_full(g, minus, 1));
    BAD(SHAPE, "expand", weft_full(g, weft_dims(-2), 1));
    BAD(SHAPE, "expand", weft_full(g, weft_dims(1LL << 20, 1LL << 21), 1));
    BAD(ARGUMENT, "iota", weft_iota(g, weft_dims(2, 3), 2));
    BAD(ARGUMENT, "iota", weft_iota(g, weft_dims(2, 3), -3));
    BAD(ARGUMENT, "iota", weft_iota(g, WEFT_0D, 0));
    BAD(SHAPE, "iota", weft_iota(g, nine, 0));
    BAD(SHAPE, "iota", weft_iota(g, weft_dims(1LL << 33), 0));
    BAD(ARGUMENT, "iota", weft_iota(NULL, weft_dims(2), 0));
}

TEST(randomness) {
    const weft_shape nine = {9, {1, 1, 1, 1, 1, 1, 1, 1}}, minus = {-1, {0}};
    BAD(ARGUMENT, "graph", weft_uniform(NULL, weft_dims(2)));
    BAD(ARGUMENT, "graph", weft_normal(NULL, weft_dims(2)));
    BAD(ARGUMENT, "graph", weft_bernoulli(NULL, 0.5f, weft_dims(2)));
    BAD(ARGUMENT, "graph", weft_randint(NULL, 0, 2, weft_dims(2)));
    BAD(ARGUMENT, "graph", weft_permutation(NULL, 2));
    BAD(SHAPE, "random", weft_uniform(g, nine));
    BAD(SHAPE, "random", weft_normal(g, minus));
    BAD(SHAPE, "random", weft_bernoulli(g, 0.5f, weft_dims(1LL << 20, 1LL << 20)));
    BAD(SHAPE, "random", weft_randint(g, 0, 9, weft_dims(-4)));
    BAD(SHAPE, "random", weft_permutation(g, -1));
    BAD(SHAPE, "random", weft_permutation(g, INT64_MAX));
    BAD(ARGUMENT, "randint: [5, 5)", weft_randint(g, 5, 5, weft_dims(2)));
    BAD(ARGUMENT, "randint", weft_randint(g, INT32_MAX, INT32_MIN, weft_dims(2)));
    BAD(ARGUMENT, "randint", weft_randint(g, INT32_MIN, INT32_MAX, weft_dims(2)));
    BAD(ARGUMENT, "dropout: probability 1", weft_dropout(x, 1));
    BAD(ARGUMENT, "dropout", weft_dropout(x, -0.1f));
    BAD(ARGUMENT, "dropout", weft_dropout(x, NAN));
    BAD(ARGUMENT, "no graph", weft_dropout(none, 0.5f));
}

/* ---- element by element: every function of one and two operands ---- */

typedef weft_tensor unary(weft_tensor);
typedef weft_tensor binary(weft_tensor, weft_tensor);

TEST(unary_operations) {
    static unary *const f[] = {
        weft_neg,      weft_abs,           weft_sign,  weft_exp,   weft_expm1,     weft_log,
        weft_log1p,    weft_sqrt,          weft_rsqrt, weft_recip, weft_sin,       weft_cos,
        weft_tanh,     weft_erf,           weft_floor, weft_ceil,  weft_round,     weft_square,
        weft_not,      weft_sigmoid,       weft_relu,  weft_gelu,  weft_gelu_tanh, weft_silu,
        weft_softplus, weft_stop_gradient,
    };
    for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
        BAD(ARGUMENT, "graph", f[i](none));
        BAD(ARGUMENT, "poison", f[i](poison));
        BAD(ARGUMENT, "not a tensor", f[i]((weft_tensor){g, 12345}));
    }
    BAD(ARGUMENT, "poison", weft_leaky_relu(poison, 0.1f));
    BAD(ARGUMENT, "graph", weft_elu(none, 1));
    BAD(ARGUMENT, "graph", weft_clamp(none, 0, 1));
    BAD(ARGUMENT, "graph", weft_scale(none, 2));
    BAD(ARGUMENT, "poison", weft_offset(poison, 2));
    BAD(DTYPE, "cast", weft_cast(x, (weft_dtype)99));
    BAD(ARGUMENT, "graph", weft_cast(none, WEFT_F32));
}

TEST(binary_operations) {
    static binary *const f[] = {
        weft_add, weft_sub, weft_mul, weft_div, weft_pow, weft_mod, weft_maximum, weft_minimum,
        weft_lt,  weft_le,  weft_gt,  weft_ge,  weft_eq,  weft_ne,  weft_mse,
    };
    for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
        BAD(ARGUMENT, "graph", f[i](none, x));
        BAD(ARGUMENT, "missing", f[i](x, none));
        BAD(ARGUMENT, "poison", f[i](x, poison));
        BAD(ARGUMENT, "different graphs", f[i](x, foreign));
        BAD(SHAPE, "[4,6]", f[i](x, n));
        BAD(SHAPE, "[4,6]", f[i](n, x));
    }
    BAD(SHAPE, "add [4,6] and [2,3,8,8]: extents 6 and 8", weft_add(x, image));
    BAD(DTYPE, "and", weft_and(x, v));
    BAD(DTYPE, "or", weft_or(n, z));
    BAD(DTYPE, "xor", weft_xor(z, b));
    BAD(SHAPE, "and", weft_and(n, weft_input(g, WEFT_I32, weft_dims(5))));
    BAD(ARGUMENT, "missing", weft_where(b, n, none));
    BAD(ARGUMENT, "graph", weft_where(none, n, n));
    BAD(SHAPE, "where", weft_where(b, x, z));
    BAD(ARGUMENT, "different graphs", weft_where(x, x, foreign));
}

/* ---- folds and scans ---- */

typedef weft_tensor fold(weft_tensor, weft_shape, bool);

TEST(folds) {
    static fold *const f[] = {weft_sum, weft_mean, weft_prod, weft_max,
                              weft_min, weft_var,  weft_any,  weft_all};
    const weft_shape nine = {9, {0}}, minus = {-2, {0}};
    for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
        BAD(ARGUMENT, "graph", f[i](none, WEFT_ALL, false));
        BAD(ARGUMENT, "[4,6]: no axis 2", f[i](x, weft_axes(2), false));
        BAD(ARGUMENT, "no axis -3", f[i](x, weft_axes(0, -3), true));
        BAD(ARGUMENT, "no axis", f[i](x, weft_axes(INT64_MAX), true));
        BAD(ARGUMENT, "no axis", f[i](x, weft_axes(INT64_MIN), true));
        BAD(ARGUMENT, "twice", f[i](x, weft_axes(1, -1), false));
        BAD(ARGUMENT, "no axis 0", f[i](z, weft_axes(0), false));
        BAD(ARGUMENT, "9 axes", f[i](x, nine, false));
        BAD(ARGUMENT, "-2 axes", f[i](x, minus, false));
    }
    BAD(ARGUMENT, "argmax [4,6]: no axis 2", weft_argmax(x, 2, false));
    BAD(ARGUMENT, "argmax", weft_argmin(x, -3, false));
    BAD(ARGUMENT, "graph", weft_argmin(none, 0, false));
    BAD(ARGUMENT, "no axis", weft_cumsum(x, 7));
    BAD(ARGUMENT, "no axis", weft_cumsum(z, 0));
    BAD(ARGUMENT, "graph", weft_cumsum(none, 0));
    BAD(SHAPE, "linrec [4,6] and [4]", weft_linrec(x, n, 0, false));
    BAD(ARGUMENT, "linrec", weft_linrec(x, x, INT32_MIN, false));
    BAD(ARGUMENT, "different graphs", weft_linrec(x, foreign, 0, false));
}

/* ---- products ---- */

TEST(products) {
    BAD(SHAPE, "matmul [4,6] x [4,6]: inner sizes 6 and 4 differ", weft_matmul(x, x));
    BAD(SHAPE, "matmul [4,6] x [6]: matrices", weft_matmul(x, v));
    BAD(SHAPE, "matmul", weft_matmul(z, z));
    BAD(SHAPE, "batch extents 3 and 2",
        weft_matmul(image, weft_input(g, WEFT_F32, weft_dims(2, 8, 8))));
    BAD(ARGUMENT, "different graphs", weft_matmul(x, foreign));
    BAD(ARGUMENT, "graph", weft_matmul(none, x));
    BAD(SHAPE, "matmul",
        weft_matmul(weft_full(g, weft_dims(1 << 21, 1), 1),
                    weft_full(g, weft_dims(1, 1 << 20), 1)));
    BAD(ARGUMENT, "einsum", weft_einsum(NULL, weft_list(x)));
    BAD(ARGUMENT, "einsum", weft_einsum("ij->ji", (weft_tensors){NULL, 1}));
    BAD(ARGUMENT, "einsum", weft_einsum("ij->ji", (weft_tensors){0}));
    BAD(ARGUMENT, "->", weft_einsum("ij", weft_list(x)));
    BAD(ARGUMENT, "->", weft_einsum("ij-", weft_list(x)));
    BAD(SHAPE, "operand 0", weft_einsum("ijk->i", weft_list(x)));
    BAD(SHAPE, "operand 0", weft_einsum("i->i", weft_list(x)));
    BAD(SHAPE, "operand 1", weft_einsum("ij,ij->i", weft_list(x, weft_transpose(x, 0, 1))));
    BAD(SHAPE, "operand 0", weft_einsum("ij,jk->ik", weft_list(x)));
    BAD(SHAPE, "einsum", weft_einsum("ij->ij", weft_list(x, x)));
    BAD(SHAPE, "einsum", weft_einsum("ii->i", weft_list(x)));
    BAD(SHAPE, "einsum", weft_einsum("i1->i", weft_list(x)));
    BAD(SHAPE, "einsum", weft_einsum("i\xe9->i", weft_list(x)));
    BAD(ARGUMENT, "'k' cannot", weft_einsum("ij->ik", weft_list(x)));
    BAD(ARGUMENT, "'i' cannot", weft_einsum("ij->ii", weft_list(x)));
    BAD(ARGUMENT, "einsum", weft_einsum("->", weft_list(z, z, z, z, z, z, z, z, z)));
    BAD(ARGUMENT, "different graphs", weft_einsum("ij,ij->", weft_list(x, foreign)));
    BAD(ARGUMENT, "graph", weft_einsum("ij->", weft_list(none)));
    weft_shape eight = {8, {1, 1, 1, 1, 1, 1, 1, 1}};
    BAD(SHAPE, "axes",
        weft_einsum("abcdefgh,ijklmnop,abcdefgh->ijklmnop",
                    weft_list(weft_input(g, WEFT_F32, eight), weft_input(g, WEFT_F32, eight),
                              weft_input(g, WEFT_F32, eight))));
}

/* ---- shapes ---- */

TEST(views) {
    const weft_shape nine = {9, {4, 6, 1, 1, 1, 1, 1, 1}};
    const weft_shape eight = {8, {1, 1, 1, 1, 1, 1, 1, 4}};
    BAD(SHAPE, "reshape [4,6] to [5,5]", weft_reshape(x, weft_dims(5, 5)));
    BAD(SHAPE, "reshape", weft_reshape(x, weft_dims(-1, 5)));
    BAD(SHAPE, "reshape", weft_reshape(x, weft_dims(-1, -1)));
    BAD(SHAPE, "reshape", weft_reshape(x, weft_dims(-2, -12)));
    BAD(SHAPE, "reshape", weft_reshape(x, weft_dims(0, -1)));
    BAD(SHAPE, "reshape", weft_reshape(x, nine));
    BAD(SHAPE, "reshape", weft_reshape(x, shape(-1, 0, 0, 0)));
    BAD(SHAPE, "reshape", weft_reshape(x, weft_dims(INT64_MAX, INT64_MAX)));
    BAD(ARGUMENT, "graph", weft_reshape(none, weft_dims(1)));
    BAD(ARGUMENT, "1 axes are listed for rank 2", weft_permute(x, weft_axes(1)));
    BAD(ARGUMENT, "twice", weft_permute(x, weft_axes(0, 0)));
    BAD(ARGUMENT, "no axis", weft_permute(x, weft_axes(0, 2)));
    BAD(ARGUMENT, "no axis", weft_transpose(x, 0, 2));
    BAD(ARGUMENT, "no axis", weft_transpose(z, 0, 0));
    BAD(SHAPE, "expand [4,6] to [4,7]", weft_expand(x, weft_dims(4, 7)));
    BAD(SHAPE, "expand", weft_expand(x, weft_dims(6)));
    BAD(SHAPE, "expand", weft_expand(x, nine));
    BAD(SHAPE, "expand", weft_expand(z, weft_dims(1LL << 41)));
    BAD(SHAPE, "squeeze: axis 0 has extent 4", weft_squeeze(x, 0));
    BAD(ARGUMENT, "no axis", weft_squeeze(x, 2));
    BAD(ARGUMENT, "unsqueeze", weft_unsqueeze(x, 3));
    BAD(ARGUMENT, "unsqueeze", weft_unsqueeze(x, -4));
    BAD(ARGUMENT, "unsqueeze", weft_unsqueeze(weft_input(g, WEFT_F32, eight), 0));
    BAD(ARGUMENT, "step", weft_slice(x, 0, 0, 4, 0));
    BAD(ARGUMENT, "step", weft_slice(x, 0, 0, 4, INT64_MIN));
    BAD(ARGUMENT, "no axis", weft_slice(x, 2, 0, 4, 1));
    BAD(ARGUMENT, "graph", weft_slice(none, 0, 0, 4, 1));
    BAD(DTYPE, "0-d i32", weft_slice_at(x, 0, z, 2));
    BAD(DTYPE, "0-d i32", weft_slice_at(x, 0, n, 2));
    BAD(SHAPE, "length 5 of an axis of 4", weft_slice_at(x, 0, weft_integer(g, 0), 5));
    BAD(SHAPE, "length -1", weft_slice_at(x, 0, weft_integer(g, 0), -1));
    BAD(ARGUMENT, "missing", weft_slice_at(x, 0, none, 1));
    BAD(DTYPE, "0-d i32", weft_slice_write(x, 0, z, x));
    BAD(DTYPE, "0-d i32", weft_slice_write(x, 0, n, x));
    BAD(SHAPE, "slice_write of [6,4] into [4,6]",
        weft_slice_write(x, 0, weft_integer(g, 0), weft_transpose(x, 0, 1)));
    BAD(SHAPE, "slice_write of [5,6]",
        weft_slice_write(x, 0, weft_integer(g, 0), weft_pad(x, 0, 1, 0, 0)));
    BAD(SHAPE, "slice_write of []", weft_slice_write(x, 0, weft_integer(g, 0), z));
    BAD(ARGUMENT, "no axis", weft_slice_write(x, 2, weft_integer(g, 0), x));
    BAD(ARGUMENT, "missing", weft_slice_write(x, 0, weft_integer(g, 0), none));
    BAD(ARGUMENT, "pad", weft_pad(x, 0, -1, 0, 0));
    BAD(ARGUMENT, "pad", weft_pad(x, 0, INT64_MAX, INT64_MAX, 0));
    BAD(SHAPE, "pad", weft_pad(x, 0, 1LL << 40, 0, 0));
    BAD(ARGUMENT, "no axis", weft_pad(z, 0, 1, 1, 0));
    BAD(ARGUMENT, "no axis", weft_flip(x, 2));
    BAD(ARGUMENT, "tile", weft_tile(x, weft_dims(2)));
    BAD(ARGUMENT, "tile", weft_tile(x, weft_dims(2, -1)));
    BAD(SHAPE, "tile", weft_tile(x, weft_dims(INT64_MAX, 2)));
    BAD(SHAPE, "here", weft_tile(x, weft_dims(1LL << 40, 2)));
    BAD(ARGUMENT, "concat: no parts", weft_concat((weft_tensors){0}, 0));
    BAD(ARGUMENT, "concat: no parts", weft_concat((weft_tensors){NULL, 3}, 0));
    BAD(SHAPE, "concat [4,6] and [6]", weft_concat(weft_list(x, v), 0));
    BAD(ARGUMENT, "no axis", weft_concat(weft_list(x, x), 2));
    BAD(ARGUMENT, "missing", weft_concat(weft_list(x, none), 0));
    BAD(ARGUMENT, "graph", weft_concat(weft_list(none, x), 0));
    BAD(ARGUMENT, "stack: no parts", weft_stack((weft_tensors){0}, 0));
    BAD(ARGUMENT, "unsqueeze", weft_stack(weft_list(x, x), 5));
    BAD(SHAPE, "concat", weft_stack(weft_list(x, v), 0));
    BAD(DTYPE, "cast", weft_stack(weft_list(weft_cast(x, (weft_dtype)77), x), 0));
    weft_tensor many[2000] = {{0}}, two[2];
    BAD(ARGUMENT, "graph", weft_concat((weft_tensors){many, 2000}, 0));
    BAD(ARGUMENT, "graph", weft_stack((weft_tensors){many, 2000}, 0));
    FAILS(ARGUMENT, "split", weft_split(x, 0, 2, NULL));
    FAILS(SHAPE, "split: 4 elements do not divide into 3 parts",
          weft_split(x, 0, 3, (weft_tensor[3]){{0}}));
    FAILS(SHAPE, "0 parts", weft_split(x, 0, 0, two));
    FAILS(SHAPE, "split", weft_split(x, 0, -2, two));
    FAILS(ARGUMENT, "no axis", weft_split(x, 2, 2, two));
    FAILS(ARGUMENT, "graph", weft_split(none, 0, 2, two));
}

TEST(picking_and_ordering) {
    weft_shape five = {5, {1, 1, 1, 1, 1, 0, 0, 0}};
    BAD(DTYPE, "take_along: integers were expected as indices, got f32", weft_take_along(x, x, 0));
    BAD(SHAPE, "take_along [4,6] by [4]", weft_take_along(x, n, 0));
    BAD(ARGUMENT, "no axis", weft_take_along(x, n, 2));
    BAD(ARGUMENT, "missing", weft_take_along(x, none, 0));
    BAD(DTYPE, "integer", weft_gather(x, z, 0));
    BAD(ARGUMENT, "no axis", weft_gather(x, n, 2));
    BAD(SHAPE, "gather: the result would have rank 10",
        weft_gather(weft_input(g, WEFT_F32, (weft_shape){6, {1, 1, 1, 1, 1, 1}}),
                    weft_input(g, WEFT_I32, five), 0));
    BAD(SHAPE, "scatter_add to [4,6]", weft_scatter_add(x, n, v, 0));
    BAD(DTYPE, "scatter_add", weft_scatter_add(x, x, x, 0));
    BAD(ARGUMENT, "no axis", weft_scatter_add(x, n, x, -9));
    BAD(ARGUMENT, "missing", weft_scatter_add(x, n, none, 0));
    BAD(SHAPE, "one_hot", weft_one_hot(n, -1));
    BAD(SHAPE, "here", weft_one_hot(n, INT64_MAX));
    BAD(ARGUMENT, "graph", weft_one_hot(none, 3));
    BAD(SHAPE, "embedding: the table must be a matrix, got rank 1", weft_embedding(v, n));
#define FOUR weft_slice(x, 1, 0, 4, 1) /* four rows of coefficients */
    BAD(SHAPE, "gate_program: x [4,6], coefficients [4,6]",
        weft_gate_program(x, x, NULL, 0, NULL, 0));
    BAD(ARGUMENT, "gate 0 reads values 1 and 4",
        weft_gate_program(x, FOUR, &(weft_gate){1, 4, 0}, 1, NULL, 0));
    BAD(ARGUMENT, "values 4 and 1", weft_gate_program(x, FOUR, &(weft_gate){4, 1, 0}, 1, NULL, 0));
    BAD(ARGUMENT, "values 2 and -1",
        weft_gate_program(x, FOUR, &(weft_gate){2, -1, 0}, 1, NULL, 0));
    BAD(ARGUMENT, "row 4", weft_gate_program(x, FOUR, &(weft_gate){1, 2, 4}, 1, NULL, 0));
    BAD(ARGUMENT, "output 0 is value 5 of 5",
        weft_gate_program(x, FOUR, &(weft_gate){1, 2, 1}, 1, &(int32_t){5}, 1));
    BAD(ARGUMENT, "3 gates", weft_gate_program(x, FOUR, NULL, 3, NULL, 0));
    BAD(ARGUMENT, "missing", weft_gate_program(x, none, NULL, 0, NULL, 0));
    BAD(DTYPE, "integer", weft_embedding(x, v));
    BAD(ARGUMENT, "no axis", weft_argsort(x, 2, false));
    BAD(ARGUMENT, "no axis", weft_sort(z, 0, false));
    BAD(ARGUMENT, "topk: 7 of 6", weft_topk(x, 7, 1).values);
    BAD(ARGUMENT, "topk", weft_topk(x, -1, 1).indices);
    BAD(ARGUMENT, "no axis", weft_topk(x, 1, 2).values);
}

/* ---- blocks ---- */

static weft_tensor kernel_of(int64_t o, int64_t i, int64_t h, int64_t w) {
    return weft_input(g, WEFT_F32, weft_dims(o, i, h, w));
}

TEST(rope) {
    BAD(SHAPE, "rope: x [4,5] must be [..., T, h] with an even h",
        weft_rope(weft_slice(x, 1, 0, 5, 1), n, NULL));
    BAD(SHAPE, "and positions [6] fit", weft_rope(x, weft_cast(v, WEFT_I32), NULL));
    BAD(SHAPE, "and positions [4,6] fit", weft_rope(x, weft_cast(x, WEFT_I32), NULL));
    BAD(SHAPE, "x [6] must be", weft_rope(v, weft_integer(g, 1), NULL));
    BAD(DTYPE, "rope: integers were expected", weft_rope(x, v, NULL));
    BAD(ARGUMENT, "graph", weft_rope(none, n, NULL));
    BAD(ARGUMENT, "missing", weft_rope(x, none, NULL));
    BAD(ARGUMENT, "graph", weft_rope(x, foreign, NULL));
    BAD(ARGUMENT, "a base of -1", weft_rope(x, n, &(weft_rope_desc){.base = -1}));
    BAD(ARGUMENT, "a factor of nan", weft_rope(x, n, &(weft_rope_desc){.factor = NAN}));
    BAD(ARGUMENT, "low 4 and high 1",
        weft_rope(x, n, &(weft_rope_desc){.low = 4, .high = 1, .original = 10}));
    BAD(ARGUMENT, "-1 original", weft_rope(x, n, &(weft_rope_desc){.original = -1}));
}

TEST(blocks) {
    const weft_conv_desc negative = {.stride = {-1, 1}}, wide = {.padding = {INT64_MAX, 0}},
                         groups = {.groups = 2}, huge = {.groups = INT64_MAX},
                         far = {.dilation = {INT32_MAX, INT32_MAX}};
    const weft_pool_desc big = {.size = {9, 9}}, empty = {.size = {0, 2}},
                         padded = {.size = {2, 2}, .padding = {2, 0}},
                         overflow = {.size = {2, 2}, .padding = {INT64_MAX, 0}};
    BAD(ARGUMENT, "no axis", weft_softmax(x, 2));
    BAD(ARGUMENT, "no axis", weft_log_softmax(z, 0));
    BAD(ARGUMENT, "no axis", weft_logsumexp(x, -3, true));
    BAD(ARGUMENT, "graph", weft_softmax(none, 0));
    BAD(SHAPE, "[4,6]", weft_layer_norm(x, n, none, 1e-5f));
    BAD(ARGUMENT, "no axis", weft_layer_norm(z, none, none, 1e-5f));
    BAD(ARGUMENT, "graph", weft_layer_norm(none, none, none, 1e-5f));
    BAD(ARGUMENT, "different graphs", weft_rms_norm(x, foreign, 1e-5f));
    BAD(SHAPE, "group_norm: 4 groups of 3", weft_group_norm(image, 4, none, none, 1e-5f));
    BAD(SHAPE, "group_norm", weft_group_norm(image, 0, none, none, 1e-5f));
    BAD(SHAPE, "group_norm", weft_group_norm(v, 1, none, none, 1e-5f));
    BAD(SHAPE, "reshape", weft_group_norm(image, 3, n, none, 1e-5f));
    BAD(SHAPE, "batch_norm: rank 1", weft_batch_norm(v, none, none, 1e-5f).y);
    BAD(SHAPE, "reshape", weft_batch_norm(image, v, none, 1e-5f).y);
    BAD(ARGUMENT, "graph", weft_batch_norm(none, none, none, 1e-5f).var);
    BAD(SHAPE, "conv2d: x and w must have rank 4, got 2 and 2", weft_conv2d(x, x, NULL));
    BAD(SHAPE, "conv2d: image [2,3,8,8] and kernel [4,2,3,3]",
        weft_conv2d(image, kernel_of(4, 2, 3, 3), NULL));
    BAD(SHAPE, "do not fit", weft_conv2d(image, kernel_of(4, 3, 9, 9), NULL));
    BAD(SHAPE, "groups 2", weft_conv2d(image, kernel_of(4, 3, 3, 3), &groups));
    BAD(ARGUMENT, "conv2d", weft_conv2d(image, kernel_of(4, 3, 3, 3), &huge));
    BAD(ARGUMENT, "stride", weft_conv2d(image, kernel_of(4, 3, 3, 3), &negative));
    BAD(ARGUMENT, "padding", weft_conv2d(image, kernel_of(4, 3, 3, 3), &wide));
    BAD(SHAPE, "do not fit", weft_conv2d(image, kernel_of(4, 3, 3, 3), &far));
    BAD(SHAPE, "do not fit", weft_conv2d(image, kernel_of(4, 3, 0, 3), NULL));
    BAD(ARGUMENT, "missing", weft_conv2d(image, none, NULL));
    BAD(SHAPE, "conv1d", weft_conv1d(image, image, NULL));
    BAD(SHAPE, "conv_transpose2d", weft_conv_transpose2d(image, kernel_of(4, 3, 3, 3), NULL));
    BAD(SHAPE, "conv_transpose2d",
        weft_conv_transpose2d(image, kernel_of(3, 4, 1, 1), &(weft_conv_desc){.padding = {4, 4}}));
    BAD(ARGUMENT, "output padding 3, expected less than stride 1 or dilation 1",
        weft_conv_transpose2d(image, kernel_of(3, 4, 3, 3),
                              &(weft_conv_desc){.output_padding = {3, 0}}));
    BAD(SHAPE, "conv_transpose1d", weft_conv_transpose1d(x, x, NULL));
    BAD(SHAPE, "max_pool", weft_max_pool(image, NULL));
    BAD(SHAPE, "max_pool", weft_max_pool(image, &big));
    BAD(SHAPE, "max_pool", weft_max_pool(image, &empty));
    BAD(SHAPE, "max_pool", weft_max_pool(image, &padded));
    BAD(SHAPE, "max_pool", weft_max_pool(image, &overflow));
    BAD(SHAPE, "max_pool", weft_max_pool(x, &empty));
    BAD(SHAPE, "avg_pool", weft_avg_pool(image, &big));
    BAD(ARGUMENT, "graph", weft_avg_pool(none, &big));
    BAD(SHAPE, "attention: q [4,6], k [4,6] and v [6]", weft_attention(x, x, v, NULL));
    BAD(SHAPE, "attention", weft_attention(x, weft_transpose(x, 0, 1), x, NULL));
    BAD(ARGUMENT, "missing", weft_attention(x, x, none, NULL));
    BAD(SHAPE, "attention: q [2,3,8,8], k [2,2,8,8]",
        weft_attention(image, weft_slice(image, 1, 0, 2, 1), weft_slice(image, 1, 0, 2, 1), NULL));
    BAD(SHAPE, "v [2,1,8,8] do not fit",
        weft_attention(image, image, weft_slice(image, 1, 0, 1, 1), NULL));
    BAD(SHAPE, "attention: q [1,3,8,8]",
        weft_attention(weft_slice(image, 0, 0, 1, 1), image, image, NULL));
    BAD(ARGUMENT, "a window of -1; 0 or more",
        weft_attention(x, x, x, &(weft_attention_desc){.causal = true, .window = -1}));
    BAD(ARGUMENT, "a window of 2; only causal",
        weft_attention(x, x, x, &(weft_attention_desc){.window = 2}));
    const weft_shape rank8 = {8, {1, 1, 1, 1, 1, 4, 2, 2}};
    BAD(SHAPE, "groups of heads in tensors of rank 8",
        weft_attention(weft_full(g, rank8, 1), weft_slice(weft_full(g, rank8, 1), 5, 0, 2, 1),
                       weft_slice(weft_full(g, rank8, 1), 5, 0, 2, 1), NULL));
    BAD(SHAPE, "expand", weft_attention(x, x, x, &(weft_attention_desc){.mask = v}));
    BAD(ARGUMENT, "different graphs",
        weft_attention(x, x, x, &(weft_attention_desc){.mask = foreign}));
#define SEQUENCE     weft_input(g, WEFT_F32, weft_dims(2, 4, 3))
#define MATRIX(m, n) weft_input(g, WEFT_F32, weft_dims(m, n))
#define RECUR(cell, ...)                                                                           \
    weft_recur(cell, SEQUENCE, MATRIX(24, 3), MATRIX(24, 6), none, none,                           \
               &(weft_recur_desc){__VA_ARGS__})                                                    \
        .y
    BAD(ARGUMENT, "recur: unknown cell 9",
        weft_recur((weft_cell)9, SEQUENCE, MATRIX(24, 3), MATRIX(24, 6), none, none, NULL).h);
    BAD(ARGUMENT, "graph", weft_recur(WEFT_LSTM, none, x, x, none, none, NULL).y);
    BAD(ARGUMENT, "missing", weft_recur(WEFT_LSTM, SEQUENCE, none, x, none, none, NULL).c);
    BAD(SHAPE, "lstm: x must be [steps, rows, inputs], got rank 2",
        weft_recur(WEFT_LSTM, x, x, x, none, none, NULL).y);
    BAD(SHAPE, "gru: w_hh must be [18,6], got [24,6]", RECUR(WEFT_GRU, .reverse = true));
    BAD(SHAPE, "lstm: w_hh must be [24,6], got [6]",
        weft_recur(WEFT_LSTM, SEQUENCE, MATRIX(24, 3), v, none, none, NULL).y);
    BAD(SHAPE, "lstm: w_ih must be [24,3], got [24,5]",
        weft_recur(WEFT_LSTM, SEQUENCE, MATRIX(24, 5), MATRIX(24, 6), none, none, NULL).y);
    BAD(SHAPE, "lstm: b_ih must be [24], got [6]",
        weft_recur(WEFT_LSTM, SEQUENCE, MATRIX(24, 3), MATRIX(24, 6), v, none, NULL).y);
    BAD(SHAPE, "lstm: b_hh must be [24], got []",
        weft_recur(WEFT_LSTM, SEQUENCE, MATRIX(24, 3), MATRIX(24, 6), none, z, NULL).y);
    BAD(SHAPE, "lstm: h0 must be [4,6], got [6]", RECUR(WEFT_LSTM, .h0 = v));
    BAD(SHAPE, "lstm: c0 must be [4,6], got [6,4]",
        RECUR(WEFT_LSTM, .c0 = weft_transpose(x, 0, 1)));
    BAD(ARGUMENT, "different graphs", RECUR(WEFT_LSTM, .h0 = foreign));
    BAD(ARGUMENT, "rnn_tanh: c0 is for the lstm only",
        weft_recur(WEFT_RNN_TANH, SEQUENCE, MATRIX(6, 3), MATRIX(6, 6), none, none,
                   &(weft_recur_desc){.c0 = x})
            .y);
    BAD(SHAPE, "lstm: lengths must be [4], got [4,6]",
        RECUR(WEFT_LSTM, .lengths = weft_input(g, WEFT_I32, weft_dims(4, 6))));
    BAD(DTYPE, "lstm: lengths must be i32, got bool", RECUR(WEFT_LSTM, .lengths = b));
#undef SEQUENCE
#undef MATRIX
#undef RECUR
    BAD(SHAPE, "cross_entropy: logits [4,6] need targets", weft_cross_entropy(x, v));
    BAD(SHAPE, "cross_entropy", weft_cross_entropy(x, x));
    BAD(DTYPE, "integer", weft_cross_entropy(x, weft_input(g, WEFT_F32, weft_dims(4))));
    BAD(ARGUMENT, "graph", weft_cross_entropy(none, n));
    BAD(SHAPE,
        "linear_cross_entropy: x [..., in], w [classes, in] and targets [...] were expected, "
        "got [4,6], [6] and [4]",
        weft_linear_cross_entropy(x, v, n, NULL));
    BAD(SHAPE, "got [4,6], [4,6] and []",
        weft_linear_cross_entropy(x, x, weft_integer(g, 1), NULL));
    BAD(SHAPE, "got [], [4,6] and [4]", weft_linear_cross_entropy(z, x, n, NULL));
    BAD(SHAPE, "got [4,6], [6,4] and [4]",
        weft_linear_cross_entropy(x, weft_transpose(x, 0, 1), n, NULL));
    BAD(DTYPE, "linear_cross_entropy: integers",
        weft_linear_cross_entropy(x, x, weft_full(g, weft_dims(4), 1), NULL));
    BAD(ARGUMENT, "graph", weft_linear_cross_entropy(none, x, n, NULL));
    BAD(ARGUMENT, "missing", weft_linear_cross_entropy(x, none, n, NULL));
    BAD(ARGUMENT, "-3 rows at a time",
        weft_linear_cross_entropy(x, x, n, &(weft_linear_cross_entropy_desc){.rows = -3}));
    BAD(ARGUMENT, "target 1 is 4, expected a class from 0 to 3",
        weft_linear_cross_entropy(
            x, x, weft_const(g, WEFT_I32, weft_dims(4), (int32_t[]){-7, 4, 0, 1}), NULL));
}
