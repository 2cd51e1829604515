/* test_placed.c - results that are written where they are read, against the reference: each routine
 * into parts of a concat along each axis, in other orders of axes, in f32, bf16 and f16, with the
 * gradients of all inputs.
 *
 * How many copies that saves is test_plan's; what nobody thought of is test_random_graphs'. */
#include "one_graph.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 6, ROOM = 4096 };

typedef struct made {
    weft_tensor in[INPUTS];
    int ins;
    weft_dtype type;
    int axis;
} made;

static weft_tensor input_of(made *m, weft_shape dims) {
    return m->in[m->ins++] = weft_input(g, WEFT_F32, dims);
}

/* In the type that is tested. */
static weft_tensor typed(const made *m, weft_tensor x) {
    return weft_cast(x, m->type);
}

static weft_tensor joined(const made *m, weft_tensor a, weft_tensor b, weft_tensor d) {
    return weft_concat(weft_list(typed(m, a), typed(m, b), typed(m, d)), m->axis);
}

static weft_tensor b_maps(made *m) {
    weft_tensor x = input_of(m, weft_dims(4, 3, 6)), y = input_of(m, weft_dims(4, 3, 6));
    return joined(m, weft_tanh(x), weft_mul(x, y),
                  weft_transpose(weft_reshape(y, weft_dims(4, 6, 3)), 1, 2));
}
static weft_tensor b_products(made *m) { /* one by one, and one with an epilogue */
    weft_tensor x = input_of(m, weft_dims(4, 3, 5)), y = input_of(m, weft_dims(4, 5, 6));
    weft_tensor w = input_of(m, weft_dims(5, 6)), b = input_of(m, weft_dims(6));
    weft_tensor flat =
        weft_reshape(weft_matmul(weft_reshape(x, weft_dims(12, 5)), w), weft_dims(4, 3, 6));
    return joined(m, weft_matmul(typed(m, x), typed(m, y)),
                  weft_relu(weft_add(weft_matmul(x, y), b)), flat);
}
static weft_tensor b_half_products(made *m) {
    weft_tensor x = typed(m, input_of(m, weft_dims(4, 3, 5)));
    weft_tensor y = typed(m, input_of(m, weft_dims(4, 5, 6)));
    weft_tensor w = input_of(m, weft_dims(6));
    return weft_concat(
        weft_list(weft_matmul(x, y), weft_tanh(weft_matmul(x, y)), weft_add(weft_matmul(x, y), w)),
        m->axis);
}
static weft_tensor b_folds(made *m) {
    weft_tensor x = input_of(m, weft_dims(4, 3, 6)), y = input_of(m, weft_dims(4, 3, 6));
    weft_tensor down = weft_expand(weft_sum(weft_exp(x), weft_axes(0), true), weft_dims(4, 3, 6));
    weft_tensor sums[3] = {weft_sum(x, weft_axes(m->axis), true),
                           weft_max(weft_mul(x, y), weft_axes(m->axis), true), weft_softmax(y, 2)};
    return weft_concat(
        weft_list(typed(m, sums[0]), typed(m, sums[1]), typed(m, sums[2]), typed(m, down)),
        m->axis);
}
static weft_tensor b_scans(made *m) {
    weft_tensor x = input_of(m, weft_dims(4, 3, 6)), y = input_of(m, weft_dims(4, 3, 6));
    return joined(m, weft_linrec(x, y, 1, false), weft_linrec(x, y, 2, true),
                  weft_linrec(y, x, 0, false));
}
static weft_tensor b_orders(made *m) { /* read with axes exchanged, as a product's rows */
    weft_tensor x = input_of(m, weft_dims(4, 3, 6)), y = input_of(m, weft_dims(4, 3, 6));
    weft_tensor w = input_of(m, weft_dims(12, 5));
    weft_tensor scan = weft_linrec(x, y, m->axis, true);
    weft_tensor rows = weft_reshape(weft_permute(scan, weft_dims(1, 0, 2)), weft_dims(3, 24));
    weft_tensor other = weft_reshape(weft_permute(scan, weft_dims(2, 0, 1)), weft_dims(6, 12));
    return weft_concat(weft_list(typed(m, weft_reshape(rows, weft_dims(72))),
                                 typed(m, weft_reshape(weft_matmul(other, w), weft_dims(30)))),
                       0);
}
static weft_tensor b_heads(made *m) { /* thirds of one product, and back into one */
    weft_tensor x = input_of(m, weft_dims(2 * 9, 12)), w = input_of(m, weft_dims(12, 36));
    weft_tensor o = input_of(m, weft_dims(12, 12)), part[3];
    weft_split(weft_reshape(weft_matmul(x, w), weft_dims(2, 9, 36)), 2, 3, part);
    for (int i = 0; i < 3; i++)
        part[i] = weft_transpose(weft_reshape(part[i], weft_dims(2, 9, 3, 4)), 1, 2);
    weft_tensor y =
        weft_attention(part[0], part[1], part[2], &(weft_attention_desc){.causal = m->axis == 1});
    y = weft_reshape(weft_transpose(y, 1, 2), weft_dims(2 * 9, 12));
    return typed(m, weft_matmul(y, o));
}
static weft_tensor b_parts_again(made *m) { /* parts that others read, whole and in pieces */
    weft_tensor x = input_of(m, weft_dims(4, 3, 6)), y = input_of(m, weft_dims(4, 6, 3));
    weft_tensor p = weft_matmul(x, y), t = weft_tanh(p); /* [4, 3, 3] */
    weft_tensor all = weft_concat(weft_list(typed(m, t), typed(m, p), typed(m, t)), m->axis);
    weft_tensor flat = weft_cumsum(weft_reshape(p, weft_dims(36)), 0);
    weft_tensor rows =
        weft_scatter_add(t, weft_expand(weft_integer(g, 1), weft_dims(4, 3, 3)), p, 1);
    return weft_concat(weft_list(weft_reshape(all, weft_dims(108)), typed(m, flat),
                                 typed(m, weft_reshape(rows, weft_dims(36)))),
                       0);
}
static weft_tensor b_in_two(made *m) { /* a concat in another, and its parts in both */
    weft_tensor x = input_of(m, weft_dims(4, 3, 6)), y = input_of(m, weft_dims(4, 3, 6));
    weft_tensor e = typed(m, weft_exp(x)),
                inner = weft_concat(weft_list(e, typed(m, weft_mul(x, y))), 2);
    weft_tensor outer =
        weft_concat(weft_list(inner, typed(m, weft_concat(weft_list(y, weft_neg(y)), 2))), m->axis);
    return weft_concat(weft_list(weft_reshape(outer, weft_dims(weft_count(outer))),
                                 weft_reshape(e, weft_dims(72))),
                       0);
}

static weft_tensor b_taken_back(made *m) { /* a product refuses what lies in another concat */
    weft_tensor x = input_of(m, weft_dims(4, 6)), y = input_of(m, weft_dims(4, 6));
    weft_tensor z = input_of(m, weft_dims(4, 2, 6)), w = input_of(m, weft_dims(6, 3));
    weft_tensor inner = weft_stack(weft_list(typed(m, weft_exp(x)), typed(m, y)), 1);
    weft_tensor outer = weft_stack(weft_list(typed(m, z), inner), m->axis);
    weft_tensor product = weft_matmul(inner, typed(m, w));
    return weft_concat(weft_list(weft_reshape(product, weft_dims(24)),
                                 weft_slice(weft_reshape(outer, weft_dims(-1)), 0, 0, 96, 1)),
                       0);
}

static const struct {
    const char *name;
    weft_tensor (*build)(made *m);
} table[] = {
    {"maps", b_maps},
    {"products", b_products},
    {"half products", b_half_products},
    {"folds", b_folds},
    {"scans", b_scans},
    {"orders", b_orders},
    {"heads", b_heads},
    {"parts again", b_parts_again},
    {"in two", b_in_two},
    {"taken back", b_taken_back},
};

/* The value and the gradients of all inputs, one behind the other. */
static size_t values(const char *device, int threads, size_t which, weft_dtype type, int axis,
                     float *out) {
    c = weft_open_with(&(weft_open_desc){.device = device, .threads = threads});
    s = weft_state_new(c);
    g = weft_graph_new(c);
    made m = {.type = type, .axis = axis};
    weft_tensor y = table[which].build(&m), got[1 + INPUTS];
    weft_tensor slope =
        weft_scale(weft_cast(weft_iota(g, weft_dims(weft_count(y)), 0), WEFT_F32), 0.01f);
    slope = weft_reshape(slope, weft_shape_of(y));
    CHECK_EQ(weft_vjp(y, slope, m.in, (size_t)m.ins, got + 1), WEFT_OK);
    got[0] = weft_cast(y, WEFT_F32);
    weft_tensor both[2 + INPUTS];
    memcpy(both, got, sizeof got);
    both[1 + m.ins] = y; /* as it lies, too */
    weft_plan *p =
        weft_compile(g, &(weft_plan_desc){.fetch = {both, (size_t)m.ins + 2}, .threads = threads});
    if (!CHECK(p)) CHECK_STR(weft_error(c), "");
    size_t n = 0;
    for (int i = 0; p && i < m.ins; i++) {
        float *x = weft_feed(p, m.in[i]);
        for (int64_t e = 0; e < weft_count(m.in[i]); e++)
            x[e] = (float)((e * 7919 + i * 131) % 64 - 32) / 32; /* exact in 16 bits */
    }
    if (p) CHECK_EQ(weft_run(p), WEFT_OK);
    for (int i = 0; p && i <= m.ins; i++) {
        const size_t count = (size_t)weft_count(got[i]);
        if (!CHECK(n + count <= ROOM)) break;
        CHECK_EQ(weft_get(p, got[i], out + n, count * sizeof *out), WEFT_OK);
        n += count;
    }
    weft_plan_free(p);
    end();
    return n;
}

TEST(placed_results_are_the_references) {
    static const weft_dtype types[] = {WEFT_F32, WEFT_BF16, WEFT_F16};
    float *want = malloc(3 * ROOM * sizeof *want), *got = want + ROOM, *again = got + ROOM;
    for (size_t which = 0; which < sizeof table / sizeof *table; which++)
        for (int t = 0; t < 3; t++)
            for (int axis = 0; axis < 3; axis++) {
                CASE("%s, %s, axis %d", table[which].name, weft_dtype_name(types[t]), axis);
                const size_t n = values("ref", 1, which, types[t], axis, want);
                CHECK_EQ(values("cpu", 1, which, types[t], axis, got), n);
                CHECK_EQ(values("cpu", 2, which, types[t], axis, again), n);
                CHECK_MEM(again, got, n * sizeof *got);
                /* a digit of 16 bits, where a sum is rounded the other way */
                const double digit = t == 0 ? 2e-5 : t == 1 ? 1.0 / 128 : 1.0 / 1024;
                for (size_t i = 0; i < n; i++)
                    if (!CHECK_NEAR(got[i], want[i], digit * fmax(1, fabs((double)want[i])))) break;
            }
    free(want);
}
