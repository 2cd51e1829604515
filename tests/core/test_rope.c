/* test_rope.c - rotary positions against loops in double, near and far, and what a plan makes of them:
 * one table for all layers, one kernel for queries and keys. */
#include "one_graph.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double wave(int64_t i, int64_t h, const weft_rope_desc *d) {
    const double pi = 3.14159265358979323846, factor = d->factor != 0 ? d->factor : 1;
    const double freq = pow(d->base != 0 ? d->base : 10000, -2.0 * (double)i / (double)h);
    if (!d->original) return freq / factor;
    const double length = 2 * pi / freq, low = (double)d->original / d->low,
                 high = (double)d->original / d->high;
    if (length < high) return freq;
    if (length > low) return freq / factor;
    const double smooth = ((double)d->original / length - d->low) / (d->high - d->low);
    return (1 - smooth) * freq / factor + smooth * freq;
}

/* x and y (rows, h), turned by the angles of their positions; narrow: an angle is a float, which only
 * the reference device does without. Far from 0 that is what moves a result, as in other libraries. */
static void turned(const float *x, double *y, const int32_t *position, int64_t rows, int64_t h,
                   const weft_rope_desc *d, bool narrow) {
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < h / 2; i++) {
            const double wide = (double)position[r] * (float)wave(i, h, d);
            const double angle = narrow ? (float)wide : wide;
            const double c = cos(angle), s = sin(angle), a = x[r * h + i], b = x[r * h + i + h / 2];
            y[r * h + i] = a * c - b * s;
            y[r * h + i + h / 2] = b * c + a * s;
        }
}

typedef struct rope_case {
    const char *name;
    weft_rope_desc d;
    int32_t first;
} rope_case;

static const rope_case cases[] = {
    {"plain", {.base = 0}, 0},
    {"before the first", {.base = 0}, -70},
    {"Llama 3", {500000, 8, 1, 4, 8192}, 0},
    {"Llama 3, far", {500000, 8, 1, 4, 8192}, 131072 - 40},
    {"Llama 3.2", {500000, 32, 1, 4, 8192}, 5000},
    {"by a factor", {1e6f, 4, 0, 0, 0}, 30000},
    {"far", {.base = 10000}, 131072 - 40},
};

/* Positions of each row: an odd number of positions, and several heads. */
TEST(rope_turns_pairs_by_their_position) {
    enum { B = 2, H = 3, T = 37, W = 20, N = B * H * T * W };
    static float x[N], y[N], back[N];
    static double want[N];
    for (size_t k = 0; k < 2 * sizeof cases / sizeof *cases; k++) {
        const rope_case *r = &cases[k / 2];
        CASE("%s on %s", r->name, k & 1 ? "ref" : "cpu");
        begin_on(k & 1 ? "ref" : "cpu");
        weft_tensor in = weft_input(g, WEFT_F32, weft_dims(B, H, T, W)), dx, seen[2];
        weft_tensor at = weft_input(g, WEFT_I32, weft_dims(B, 1, T));
        seen[0] = weft_rope(in, at, &r->d);
        CHECK_EQ(weft_vjp(seen[0], seen[0], &in, 1, &dx), WEFT_OK);
        seen[1] = dx;
        weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = {seen, 2}});
        int32_t position[B * T], each[B * H * T];
        for (int i = 0; i < B * T; i++) position[i] = r->first + i % T + 3 * (i / T);
        for (int i = 0; i < B * H * T; i++) each[i] = position[i / (H * T) * T + i % T];
        for (int i = 0; i < N; i++) x[i] = (float)test_uniform(-2, 2);
        turned(x, want, each, B * H * T, W, &r->d, !(k & 1));
        CHECK_EQ(weft_set(p, in, x, sizeof x), WEFT_OK);
        CHECK_EQ(weft_set(p, at, position, sizeof position), WEFT_OK);
        CHECK_EQ(weft_run(p), WEFT_OK);
        weft_get(p, seen[0], y, sizeof y);
        weft_get(p, seen[1], back, sizeof back);
        double off = 0, returned = 0;
        for (int i = 0; i < N; i++) {
            off = fmax(off, fabs(y[i] - want[i]));
            returned = fmax(returned, fabs(back[i] - x[i])); /* the gradient turns back */
        }
        CHECK_NEAR(off, 0, 1e-6);
        CHECK_NEAR(returned, 0, 2e-6);
        weft_plan_free(p);
        end();
    }
}

/* Queries and keys as a layer has them, out of one product. */
static weft_tensor layer(weft_tensor x, weft_tensor w, weft_tensor at) {
    weft_tensor part[3];
    weft_split(weft_matmul(x, w), 2, 3, part);
    for (int i = 0; i < 3; i++)
        part[i] = weft_transpose(weft_reshape(part[i], weft_dims(2, 16, 2, 8)), 1, 2);
    weft_tensor y = weft_attention(weft_rope(part[0], at, NULL), weft_rope(part[1], at, NULL),
                                   part[2], &(weft_attention_desc){.causal = true});
    return weft_reshape(weft_transpose(y, 1, 2), weft_dims(2, 16, 16));
}

static uint32_t kernels_of(int layers, bool gradient) {
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(2, 16, 16)), y = x, dx,
                w = weft_input(g, WEFT_F32, weft_dims(16, 48)),
                at = weft_input(g, WEFT_I32, weft_dims(16));
    for (int i = 0; i < layers; i++) y = layer(y, w, at);
    if (gradient) weft_vjp(y, y, &x, 1, &dx);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = {gradient ? &dx : &y, 1}});
    const weft_stats s = weft_plan_stats(p);
    weft_plan_free(p);
    return s.kernels;
}

TEST(a_layer_turns_queries_and_keys_in_one_kernel_and_shares_the_table) {
    for (int layers = 1; layers < 4; layers++) {
        CASE("%d layers", layers);
        begin();
        /* the table and the last order of heads; product, rope, attention */
        CHECK_EQ(kernels_of(layers, false), 2 + 3 * layers);
        /* and back: attention, rope, product */
        CHECK_EQ(kernels_of(layers, true), 2 + 6 * layers);
        end();
    }
}
