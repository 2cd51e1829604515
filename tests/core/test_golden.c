/* test_golden.c - blocks and optimisers against PyTorch, values and gradients.
 *
 * The fixtures are written by tools/golden, which names the same cases and makes the same inputs.
 * The reference must agree to the digits the fixtures have, the CPU to what f32 gives. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "golden.h"
#include "test.h"
#include "weft/weft.h"

#include <math.h>

static weft_ctx *c;
static weft_graph *g;

enum { IN = 3 };
static weft_tensor in[IN];
static int ins;

static void numbers(int salt, float *to, int64_t n) { /* as tools/golden makes them */
    for (int64_t i = 0; i < n; i++)
        to[i] = (float)((double)((i * 7919 + salt * 271) % 4001 - 2000) / 1000.0);
}

static weft_tensor input(weft_shape d) {
    return in[ins++] = weft_input(g, WEFT_F32, d);
}
#define INPUT(...) input(weft_dims(__VA_ARGS__))

static weft_tensor ints(int below, weft_shape d) {
    int32_t v[128], n = 1;
    for (int i = 0; i < d.rank; i++) n *= (int32_t)d.n[i];
    for (int i = 0; i < n; i++) v[i] = i * 5 % below;
    return weft_const(g, WEFT_I32, d, v);
}

static weft_tensor masked(weft_tensor q, weft_tensor k, weft_tensor v) {
    uint8_t seen[30];
    for (int i = 0; i < 30; i++) seen[i] = i * 7 % 10 < 6;
    weft_tensor mask = weft_const(g, WEFT_BOOL, weft_dims(5, 6), seen);
    return weft_attention(q, k, v, &(weft_attention_desc){.mask = mask});
}

/* The attributes of a case, in an order of evaluation that C leaves open otherwise. */
static weft_tensor two(weft_tensor f(weft_tensor, weft_tensor), weft_shape a, weft_shape b) {
    weft_tensor x = input(a), y = input(b);
    return f(x, y);
}
typedef weft_tensor convolution(weft_tensor, weft_tensor, const weft_conv_desc *);
static weft_tensor conv(convolution *f, weft_shape a, weft_shape b, weft_conv_desc d) {
    weft_tensor x = input(a), w = input(b);
    return f(x, w, &d);
}
static weft_tensor attend(weft_shape a, weft_shape b, weft_shape d, weft_attention_desc how) {
    weft_tensor q = input(a), k = input(b), v = input(d);
    return weft_attention(q, k, v, &how);
}
static weft_tensor normed(weft_shape a, weft_shape b, int groups) {
    weft_tensor x = input(a), w = input(b), bias = input(b);
    return groups > 0    ? weft_group_norm(x, groups, w, bias, 1e-5f)
           : groups == 0 ? weft_layer_norm(x, w, bias, 1e-5f)
                         : weft_batch_norm(x, w, bias, 1e-5f).y;
}
static weft_tensor rms(weft_tensor x, weft_tensor w) {
    return weft_rms_norm(x, w, 1e-5f);
}
static weft_tensor power(weft_tensor a, weft_tensor b) {
    return weft_pow(weft_offset(weft_abs(a), 0.25f), b);
}
static weft_tensor three_factors(void) {
    weft_tensor a = INPUT(2, 3, 4), b = INPUT(2, 4, 3), d = INPUT(3, 2);
    return weft_einsum("bij,bjk,kb->ik", weft_list(a, b, d));
}
static weft_tensor scattered(weft_tensor x, weft_tensor y) {
    return weft_scatter_add(x, ints(4, weft_dims(9, 3)), y, 0);
}
static weft_tensor three_masked(void) {
    weft_tensor q = INPUT(2, 5, 4), k = INPUT(2, 6, 4), v = INPUT(2, 6, 3);
    return masked(q, k, v);
}

/* ---- cases: build the graph, then compare ---- */

static void compare(const char *name, const char *what, const float *got, size_t n, double tol) {
    char full[100];
    snprintf(full, sizeof full, "%s.%s", name, what);
    golden want = golden_read("torch_blocks", full);
    if (!CHECK(want.v)) printf("     %s is not in the fixture\n", full);
    else if (CHECK_EQ(n, want.n) && !CHECK_ARRAY(got, want.v, n, tol)) printf("     %s\n", full);
    free(want.v);
}

static void check(const char *name, weft_tensor y, double tol) {
    weft_tensor all[1 + IN] = {y}, seed = weft_input(g, WEFT_F32, weft_shape_of(y));
    CHECK_EQ(weft_vjp(y, seed, in, (size_t)ins, all + 1), WEFT_OK);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = {all, 1 + (size_t)ins}});
    if (!CHECK(p)) {
        CHECK_STR(weft_error(c), "");
        return;
    }
    for (int i = 0; i < ins; i++) numbers(i, weft_feed(p, in[i]), weft_count(in[i]));
    float *dy = weft_feed(p, seed);
    if (dy) numbers(90, dy, weft_count(seed));
    CHECK_EQ(weft_run(p), WEFT_OK);
    for (int i = 0; i <= ins; i++) {
        size_t n = (size_t)weft_count(all[i]);
        float *v = malloc((n + 1) * sizeof *v);
        char what[] = "d0";
        what[1] = (char)('0' + i - 1);
        if (v && CHECK_EQ(weft_get(p, all[i], v, n * sizeof *v), WEFT_OK))
            compare(name, i ? what : "y", v, n, tol);
        free(v);
    }
    weft_plan_free(p);
}

#define GOLDEN(name, expression)                                                                   \
    do {                                                                                           \
        CASE("%s on %s", #name, weft_device_name(c));                                              \
        g = weft_graph_new(c);                                                                     \
        ins = 0;                                                                                   \
        weft_tensor y_ = (expression);                                                             \
        check(#name, y_, tol);                                                                     \
        weft_graph_free(g);                                                                        \
    } while (0)

static void blocks(double tol) {
    const weft_tensor none = {0};
    const weft_shape line = weft_dims(40);
    GOLDEN(softmax, weft_softmax(INPUT(3, 4, 5), -1));
    GOLDEN(softmax_first, weft_softmax(INPUT(4, 6), 0));
    GOLDEN(log_softmax, weft_log_softmax(INPUT(5, 7), 1));
    GOLDEN(logsumexp, weft_logsumexp(INPUT(5, 7), 1, false));
    GOLDEN(layer_norm, normed(weft_dims(5, 12), weft_dims(12), 0));
    GOLDEN(layer_norm_plain, weft_layer_norm(INPUT(2, 3, 9), none, none, 1e-5f));
    GOLDEN(rms_norm, two(rms, weft_dims(5, 12), weft_dims(12)));
    GOLDEN(batch_norm, normed(weft_dims(3, 4, 5), weft_dims(4), -1));
    GOLDEN(batch_norm_2d, weft_batch_norm(INPUT(2, 3, 4, 3), none, none, 1e-5f).y);
    GOLDEN(batch_mean, weft_batch_norm(INPUT(3, 4, 5), none, none, 1e-5f).mean);
    GOLDEN(batch_var, weft_batch_norm(INPUT(3, 4, 5), none, none, 1e-5f).var);
    GOLDEN(group_norm, normed(weft_dims(2, 6, 4), weft_dims(6), 3));

    GOLDEN(conv1d, conv(weft_conv1d, weft_dims(2, 3, 9), weft_dims(4, 3, 3),
                        (weft_conv_desc){.stride = {2}, .padding = {1}}));
    GOLDEN(conv1d_dilated, conv(weft_conv1d, weft_dims(2, 4, 11), weft_dims(4, 2, 3),
                                (weft_conv_desc){.dilation = {3}, .groups = 2}));
    GOLDEN(conv2d, conv(weft_conv2d, weft_dims(2, 3, 5, 6), weft_dims(4, 3, 3, 3),
                        (weft_conv_desc){.groups = 1}));
    GOLDEN(conv2d_strided, conv(weft_conv2d, weft_dims(2, 3, 5, 6), weft_dims(4, 3, 3, 2),
                                (weft_conv_desc){.stride = {2, 1}, .padding = {1, 2}}));
    GOLDEN(conv2d_dilated, conv(weft_conv2d, weft_dims(1, 2, 6, 5), weft_dims(3, 2, 3, 3),
                                (weft_conv_desc){.dilation = {2, 1}, .padding = {1, 1}}));
    GOLDEN(conv2d_grouped, conv(weft_conv2d, weft_dims(2, 4, 4, 4), weft_dims(6, 2, 3, 3),
                                (weft_conv_desc){.groups = 2, .padding = {1, 1}}));
    GOLDEN(conv2d_depthwise, conv(weft_conv2d, weft_dims(2, 4, 5, 5), weft_dims(4, 1, 3, 3),
                                  (weft_conv_desc){.groups = 4}));
    GOLDEN(conv2d_1x1, conv(weft_conv2d, weft_dims(2, 5, 3, 3), weft_dims(4, 5, 1, 1),
                            (weft_conv_desc){.groups = 1}));
    GOLDEN(conv2d_last, conv(weft_conv2d, weft_dims(2, 4, 4, 3), weft_dims(5, 3, 3, 3),
                             (weft_conv_desc){.channels_last = true, .padding = {1, 1}}));
    GOLDEN(conv_transpose1d,
           conv(weft_conv_transpose1d, weft_dims(2, 3, 5), weft_dims(3, 2, 3),
                (weft_conv_desc){.stride = {2}, .padding = {1}, .output_padding = {1}}));
    GOLDEN(conv_transpose2d,
           conv(weft_conv_transpose2d, weft_dims(2, 3, 3, 4), weft_dims(3, 2, 3, 3),
                (weft_conv_desc){.stride = {2, 2}, .padding = {1, 1}}));
    GOLDEN(conv_transpose2d_grouped,
           conv(weft_conv_transpose2d, weft_dims(1, 4, 3, 3), weft_dims(4, 2, 2, 3),
                (weft_conv_desc){.stride = {1, 2}, .dilation = {2, 1}, .groups = 2}));
    GOLDEN(max_pool, weft_max_pool(INPUT(2, 2, 4, 6), &(weft_pool_desc){.size = {2, 2}}));
    GOLDEN(max_pool_padded,
           weft_max_pool(INPUT(2, 2, 5, 5),
                         &(weft_pool_desc){.size = {3, 3}, .stride = {2, 2}, .padding = {1, 1}}));
    GOLDEN(avg_pool, weft_avg_pool(INPUT(2, 2, 4, 6), &(weft_pool_desc){.size = {2, 2}}));
    GOLDEN(avg_pool_padded,
           weft_avg_pool(INPUT(2, 2, 5, 5),
                         &(weft_pool_desc){.size = {3, 2}, .stride = {2, 1}, .padding = {1, 1}}));

    const weft_shape q4 = weft_dims(2, 2, 4, 3), q5 = weft_dims(2, 5, 4);
    GOLDEN(attention, attend(q4, q4, q4, (weft_attention_desc){.causal = false}));
    GOLDEN(attention_causal, attend(q5, q5, q5, (weft_attention_desc){.causal = true}));
    GOLDEN(attention_masked, three_masked());
    GOLDEN(attention_cross, attend(weft_dims(3, 3, 4), weft_dims(3, 6, 4), weft_dims(3, 6, 5),
                                   (weft_attention_desc){.scale = 0.7f}));
    GOLDEN(attention_causal_cross,
           attend(weft_dims(2, 3, 4), weft_dims(2, 6, 4), weft_dims(2, 6, 4),
                  (weft_attention_desc){.causal = true}));
    GOLDEN(cross_entropy, weft_cross_entropy(INPUT(6, 5), ints(5, weft_dims(6))));
    GOLDEN(cross_entropy_3d, weft_cross_entropy(INPUT(2, 3, 4), ints(4, weft_dims(2, 3))));
    GOLDEN(mse, two(weft_mse, weft_dims(4, 3), weft_dims(4, 3)));

    GOLDEN(gelu, weft_gelu(input(line)));
    GOLDEN(gelu_tanh, weft_gelu_tanh(input(line)));
    GOLDEN(silu, weft_silu(input(line)));
    GOLDEN(softplus, weft_softplus(input(line)));
    GOLDEN(elu, weft_elu(input(line), 1.3f));
    GOLDEN(leaky_relu, weft_leaky_relu(input(line), 0.1f));
    GOLDEN(relu, weft_relu(input(line)));
    GOLDEN(sigmoid, weft_sigmoid(input(line)));
    GOLDEN(tanh, weft_tanh(input(line)));
    GOLDEN(erf, weft_erf(input(line)));
    GOLDEN(expm1, weft_expm1(input(line)));
    GOLDEN(clamp, weft_clamp(input(line), -0.5f, 1.25f));
    GOLDEN(pow, two(power, weft_dims(5, 4), weft_dims(5, 4)));
    GOLDEN(var, weft_var(INPUT(4, 6), weft_axes(1), false));
    GOLDEN(prod, weft_prod(INPUT(4, 6), weft_axes(1), false));
    GOLDEN(max, weft_max(INPUT(4, 6), weft_axes(1), false));
    GOLDEN(cumsum, weft_cumsum(INPUT(4, 6), 1));
    GOLDEN(sort, weft_sort(INPUT(4, 6), 1, true));
    GOLDEN(topk, weft_topk(INPUT(6, 4), 3, 0).values);
    GOLDEN(einsum, three_factors());
    GOLDEN(embedding, weft_embedding(INPUT(7, 3), ints(7, weft_dims(3, 4))));
    GOLDEN(take_along, weft_take_along(INPUT(4, 6), ints(6, weft_dims(4, 9)), 1));
    GOLDEN(scatter_add, two(scattered, weft_dims(4, 3), weft_dims(9, 3)));
    GOLDEN(matmul_batched, two(weft_matmul, weft_dims(2, 1, 3, 4), weft_dims(3, 4, 2)));
}

TEST(blocks_agree_with_pytorch) {
    static const struct {
        const char *device;
        double tol;
    } on[] = {{"ref", 2e-6}, {"cpu", 2e-5}};
    for (int i = 0; i < 2; i++) {
        c = weft_open_with(&(weft_open_desc){.device = on[i].device, .threads = 1});
        blocks(on[i].tol);
        weft_close(c);
    }
}

/* ---- optimisers ---- */

typedef struct optimiser {
    const char *name;
    float lr, first, second, eps, decay; /* Adam: betas; SGD: momentum */
    bool sgd, nesterov;
} optimiser;

static const optimiser optimisers[] = {
    {.name = "adam", .lr = 0.05f},
    {.name = "adam_other", .lr = 0.1f, .first = 0.8f, .second = 0.95f, .eps = 1e-3f},
    {.name = "adamw", .lr = 0.05f, .decay = 0.1f},
    {.name = "sgd", .lr = 0.1f, .sgd = true},
    {.name = "sgd_decay", .lr = 0.1f, .decay = 0.2f, .sgd = true},
    {.name = "momentum", .lr = 0.1f, .first = 0.9f, .sgd = true},
    {.name = "nesterov", .lr = 0.05f, .first = 0.8f, .sgd = true, .nesterov = true},
    {.name = "momentum_decay",
     .lr = 0.05f,
     .first = 0.9f,
     .decay = 0.05f,
     .sgd = true,
     .nesterov = true},
};

static weft_updates update_of(const optimiser *o, weft_state *s, weft_tensor loss) {
    if (o->sgd)
        return weft_sgd(
            s, loss,
            &(weft_sgd_desc){
                .lr = o->lr, .momentum = o->first, .decay = o->decay, .nesterov = o->nesterov});
    return weft_adam(
        s, loss,
        &(weft_adam_desc){
            .lr = o->lr, .beta1 = o->first, .beta2 = o->second, .eps = o->eps, .decay = o->decay});
}

static void ten_steps(const optimiser *o, const char *device) {
    c = weft_open_with(&(weft_open_desc){.device = device, .threads = 1});
    g = weft_graph_new(c);
    weft_state *s = weft_state_new(c);
    weft_init zero = {.kind = WEFT_INIT_ZEROS};
    float a[12], b[5], w[12], got[10 * 17];
    numbers(1, a, 12), numbers(2, b, 5), numbers(3, w, 12);
    for (int i = 0; i < 12; i++) w[i] = fabsf(w[i]);
    weft_tensor ta = weft_param(g, s, "a", weft_dims(3, 4), zero),
                tb = weft_param(g, s, "b", weft_dims(5), zero),
                tw = weft_const(g, WEFT_F32, weft_dims(3, 4), w);
    weft_tensor near = weft_sum(weft_mul(tw, weft_square(weft_offset(ta, -1))), WEFT_ALL, false),
                fourth = weft_sum(weft_square(weft_square(tb)), WEFT_ALL, false),
                cross = weft_mul(weft_sum(ta, WEFT_ALL, false), weft_sum(tb, WEFT_ALL, false));
    weft_tensor loss = weft_add(weft_add(near, weft_scale(fourth, 0.1f)), weft_scale(cross, 0.05f));
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.update = update_of(o, s, loss)});
    CHECK(p);
    CHECK_EQ(weft_state_set(s, "a", a, sizeof a), WEFT_OK);
    CHECK_EQ(weft_state_set(s, "b", b, sizeof b), WEFT_OK);
    for (int i = 0; p && i < 10; i++) {
        CHECK_EQ(weft_run(p), WEFT_OK);
        weft_state_get(s, "a", got + 17 * i, sizeof a);
        weft_state_get(s, "b", got + 17 * i + 12, sizeof b);
    }
    golden want = golden_read("torch_optimisers", o->name);
    if (CHECK(want.v) && CHECK_EQ(want.n, 170) && p) CHECK_ARRAY(got, want.v, 170, 5e-6);
    free(want.v);
    weft_plan_free(p);
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
}

TEST(optimisers_agree_with_pytorch) {
    for (size_t i = 0; i < sizeof optimisers / sizeof *optimisers; i++)
        for (int ref = 0; ref < 2; ref++) {
            CASE("%s on %s", optimisers[i].name, ref ? "ref" : "cpu");
            ten_steps(&optimisers[i], ref ? "ref" : "cpu");
        }
}
