/* test_images.c - networks of images: what follows a convolution or a pool as its epilogue, and the
 * order images are kept in.
 *
 * Every network is recorded as [N, C, H, W] and as [N, H, W, C], with its gradients, over shapes
 * that take each way a convolution can be computed. The reference device says what must come out;
 * vector widths come near it, threads change no bit. Then plans are looked at: where copies are. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <weft/weft.h>

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct shape {
    int64_t n, h, w, c, o, k, stride, pad, dilation, groups;
    int64_t across; /* padding of rows beyond that of columns */
} shape;

/* clang-format off */
static const shape shapes[] = {
    /* n   h   w   c   o  k  s  p  d  g  across */
    {  2,  9,  8,  3, 16, 3, 1, 1, 1, 1,  0 },
    {  1, 12, 11,  1,  8, 5, 1, 2, 1, 1,  0 },
    {  2, 12, 11, 32, 64, 3, 1, 1, 1, 1,  0 },  /* transforms */
    { 18,  6,  6, 33, 32, 3, 1, 1, 1, 1,  0 },  /* several images to a unit */
    {  1, 16, 16, 32, 40, 6, 1, 3, 1, 1,  0 },  /* a kernel in parts */
    {  2, 11, 13,  5, 12, 3, 2, 1, 1, 1,  0 },
    {  1, 24, 22, 32,  3, 3, 1, 1, 1, 1,  0 },  /* few channels */
    {  1, 70, 66, 16,  1, 3, 1, 1, 1, 1,  0 },
    {  2,  8,  7,  6,  6, 3, 1, 1, 1, 6,  0 },  /* channel by channel */
    {  2,  9,  9, 12,  8, 3, 1, 2, 2, 4,  0 },
    {  2,  6,  7, 10, 17, 1, 1, 0, 1, 1,  0 },
    {  1,  5,  5,  3,  9, 3, 1, 4, 1, 1,  0 },  /* more padding than kernel */
    {  2,  7,  5,  3,  9, 3, 1, 0, 1, 1,  4 },  /* along one axis only */
    {  1,  7,  6, 10, 12, 3, 1, 4, 1, 1, -3 },
};
/* clang-format on */

enum { INPUTS = 4, OUTPUTS = 8 };

typedef struct network {
    const shape *s;
    bool last; /* [N, H, W, C] */
    weft_graph *g;
    weft_tensor in[INPUTS], out[OUTPUTS];
    int ins, outs;
} network;

static weft_tensor given(network *t, weft_shape dims) {
    return t->in[t->ins++] = weft_input(t->g, WEFT_F32, dims);
}

static weft_shape image(const network *t, int64_t n, int64_t h, int64_t w, int64_t c) {
    return t->last ? weft_dims(n, h, w, c) : weft_dims(n, c, h, w);
}

static weft_tensor convolve(const network *t, weft_tensor x, weft_tensor w) {
    const shape *s = t->s;
    return weft_conv2d(x, w,
                       &(weft_conv_desc){.stride = {s->stride, s->stride},
                                         .padding = {s->pad, s->pad + s->across},
                                         .dilation = {s->dilation, s->dilation},
                                         .groups = s->groups,
                                         .channels_last = t->last});
}

static weft_tensor per_channel(const network *t, weft_tensor b) {
    return t->last ? b : weft_reshape(b, weft_dims(weft_count(b), 1, 1));
}

/* Image, weights and bias, and the convolution with its bias. */
static weft_tensor layer(network *t) {
    const shape *s = t->s;
    const weft_tensor x = given(t, image(t, s->n, s->h, s->w, s->c));
    const weft_tensor w = given(t, weft_dims(s->o, s->c / s->groups, s->k, s->k));
    const weft_tensor b = given(t, weft_dims(s->o));
    return weft_add(convolve(t, x, w), per_channel(t, b));
}

/* ---- what is recorded ---- */

static void plain(network *t) {
    t->out[t->outs++] = weft_relu(layer(t));
}

static void residual(network *t) { /* the epilogue reads an image more, and stores two */
    const weft_tensor y = layer(t);
    const weft_tensor sum = weft_relu(weft_add(y, given(t, weft_shape_of(y))));
    t->out[t->outs++] = sum;
    t->out[t->outs++] = weft_tanh(weft_scale(sum, 0.1f));
}

static void raw(network *t) { /* the convolution itself is wanted too */
    const weft_tensor y = layer(t);
    t->out[t->outs++] = y;
    t->out[t->outs++] = weft_sigmoid(y);
}

static void pooled(network *t) { /* windows apart, then overlapping ones */
    const weft_pool_desc halve = {.size = {2, 2}, .channels_last = t->last};
    const weft_pool_desc slide = {
        .size = {3, 2}, .stride = {1, 1}, .padding = {1, 1}, .channels_last = t->last};
    const weft_tensor y = weft_scale(weft_max_pool(weft_relu(layer(t)), &halve), 0.5f);
    t->out[t->outs++] = weft_relu(weft_offset(weft_max_pool(y, &slide), -0.1f));
}

static void normed(network *t) { /* folds over everything but channels, and spread again */
    const shape *s = t->s;
    const weft_tensor x = given(t, image(t, s->n, s->h, s->w, s->c));
    const weft_tensor w = given(t, weft_dims(s->o, s->c / s->groups, s->k, s->k));
    const weft_tensor y = convolve(t, x, w); /* a bias would have no gradient but rounding */
    const weft_shape axes = t->last ? weft_axes(0, 1, 2) : weft_axes(0, 2, 3);
    const weft_tensor centred = weft_sub(y, weft_mean(y, axes, true));
    const weft_tensor power = weft_mean(weft_square(centred), axes, true);
    t->out[t->outs++] = weft_relu(weft_mul(centred, weft_rsqrt(weft_offset(power, 0.1f))));
}

static void joined(network *t) { /* views of images: cut, padded, joined along channels */
    const int down = t->last ? 1 : 2, channel = t->last ? 3 : 1;
    const weft_tensor y = weft_tanh(layer(t));
    const weft_tensor moved = weft_pad(weft_slice(y, down, 1, WEFT_END, 1), down, 0, 1, 0.5f);
    const weft_tensor both = weft_concat(weft_list(y, moved), channel);
    t->out[t->outs++] = weft_mul(both, both);
    t->out[t->outs++] = weft_max(both, weft_axes(channel), false);
}

static const struct {
    const char *name;
    void (*record)(network *t);
} networks[] = {{"bias and relu", plain}, {"residual", residual}, {"raw", raw},
                {"pooled", pooled},       {"normed", normed},     {"joined", joined}};
enum { NETWORKS = sizeof networks / sizeof *networks, SHAPES = sizeof shapes / sizeof *shapes };

/* Outputs, then the gradients of a weighted sum of them in every input. */
static void record(network *t, int which) {
    networks[which].record(t);
    weft_tensor loss = weft_scalar(t->g, 0);
    for (int i = 0; i < t->outs; i++) {
        const weft_shape flat = weft_dims(weft_count(t->out[i]));
        const weft_tensor weight = weft_offset(
            weft_scale(
                weft_cast(weft_mod(weft_iota(t->g, flat, 0), weft_integer(t->g, 7)), WEFT_F32),
                0.25f),
            -0.5f);
        loss = weft_add(loss,
                        weft_sum(weft_mul(weft_reshape(t->out[i], flat), weight), WEFT_ALL, false));
    }
    weft_grad(loss, t->in, (size_t)t->ins, t->out + t->outs);
    t->outs += t->ins;
}

/* ---- running ---- */

typedef struct answer {
    float *at[OUTPUTS];
    size_t n[OUTPUTS];
    int outs;
} answer;

static void answer_free(answer *a) {
    for (int i = 0; i < a->outs; i++) free(a->at[i]);
    memset(a, 0, sizeof *a);
}

/* The same numbers in either order would take a transposition here: each order has its own. Weights
 * are small enough for sums over a window to be about 1. */
static void feed(weft_plan *p, const network *t) {
    for (int i = 0; i < t->ins; i++) {
        float *x = weft_feed(p, t->in[i]);
        uint32_t state = 12345u + (uint32_t)i;
        const float size = i == 1 ? 0.2f : 1;
        for (int64_t e = 0; x && e < weft_count(t->in[i]); e++) {
            state = state * 1664525u + 1013904223u;
            x[e] = size * ((float)(state >> 8) / 16777216.0f - 0.5f);
        }
    }
}

static answer run(const char *device, int threads, int which, const shape *s, bool last) {
    answer a = {0};
    weft_ctx *c = weft_open_with(&(weft_open_desc){.device = device, .threads = threads});
    if (!CHECK(c)) return a;
    network t = {.s = s, .last = last, .g = weft_graph_new(c)};
    record(&t, which);
    weft_plan *p =
        weft_compile(t.g, &(weft_plan_desc){.fetch = {t.out, (size_t)t.outs}, .threads = threads});
    if (!CHECK(p)) CHECK_STR(weft_error(c), "");
    if (p) {
        feed(p, &t);
        CHECK_EQ(weft_run(p), WEFT_OK);
        a.outs = t.outs;
        for (int i = 0; i < t.outs; i++) {
            a.n[i] = (size_t)weft_count(t.out[i]);
            a.at[i] = malloc(a.n[i] * sizeof(float) + 1);
            CHECK_EQ(weft_get(p, t.out[i], a.at[i], a.n[i] * sizeof(float)), WEFT_OK);
        }
    }
    weft_plan_free(p);
    weft_graph_free(t.g);
    weft_close(c);
    return a;
}

TEST(every_way_in_both_orders) {
    static const char *const isa[] = {"128", "256", "512"};
    for (int which = 0; which < NETWORKS; which++)
        for (size_t i = 0; i < SHAPES; i++)
            for (int last = 0; last < 2; last++) {
                const shape *s = &shapes[i];
                CASE("%s, %dx%dx%dx%d to %d, kernel %d%s", networks[which].name, (int)s->n,
                     (int)s->h, (int)s->w, (int)s->c, (int)s->o, (int)s->k,
                     last ? ", channels last" : "");
                answer truth = run("ref", 1, which, s, last);
                for (int k = 0; k < 3; k++) {
                    setenv("WEFT_ISA", isa[k], 1);
                    answer one = run("cpu", 1, which, s, last);
                    CHECK_EQ(one.outs, truth.outs);
                    for (int o = 0; o < one.outs; o++)
                        CHECK_ARRAY(one.at[o], truth.at[o], truth.n[o], 2e-5);
                    for (int threads = 2; threads < 4 && k == 1; threads++) {
                        answer many = run("cpu", threads, which, s, last);
                        for (int o = 0; o < one.outs; o++)
                            CHECK_MEM(many.at[o], one.at[o], one.n[o] * sizeof(float));
                        answer_free(&many);
                    }
                    answer_free(&one);
                }
                unsetenv("WEFT_ISA");
                answer_free(&truth);
            }
}

/* ---- plans ---- */

/* A chain of two convolutions with all that usually stands between; returns its statistics. */
static weft_stats chain(weft_ctx *c, bool last, bool gradients) {
    const shape s = {4, 12, 12, 8, 16, 3, 1, 1, 1, 1, 0};
    network t = {.s = &s, .last = last, .g = weft_graph_new(c)};
    const weft_pool_desc halve = {.size = {2, 2}, .channels_last = last};
    const weft_tensor x = given(&t, image(&t, s.n, s.h, s.w, s.c));
    const weft_tensor w = given(&t, weft_dims(s.o, s.c, 3, 3)), b = given(&t, weft_dims(s.o));
    const weft_tensor v = given(&t, weft_dims(s.o, s.o, 3, 3));
    weft_tensor y = weft_relu(weft_add(convolve(&t, x, w), per_channel(&t, b)));
    y = weft_max_pool(y, &halve);
    y = weft_tanh(weft_add(convolve(&t, y, v), per_channel(&t, b)));
    t.out[t.outs++] = y;
    if (gradients) {
        const weft_tensor wrt[] = {w, b, v};
        weft_grad(weft_mean(weft_square(y), WEFT_ALL, false), wrt, 3, t.out + t.outs);
        t.outs += 3;
    }
    weft_plan *p = weft_compile(t.g, &(weft_plan_desc){.fetch = {t.out, (size_t)t.outs}});
    CHECK(p);
    const weft_stats stats = weft_plan_stats(p);
    weft_plan_free(p);
    weft_graph_free(t.g);
    return stats;
}

TEST(order_changes_at_the_ends_only) {
    static const char *const devices[] = {"null", "cpu"};
    for (int i = 0; i < 2; i++) {
        weft_ctx *c = weft_open(devices[i]);
        if (!CHECK(c)) return;
        CASE("forward on %s", devices[i]);
        /* two weights, two convolutions with their epilogues, the pool; then image in and out */
        CHECK_EQ(chain(c, true, false).kernels, 5);
        CHECK_EQ(chain(c, false, false).kernels, 7);
        CASE("with gradients on %s", devices[i]);
        CHECK_EQ(chain(c, false, true).kernels, chain(c, true, true).kernels + 2);
        weft_close(c);
    }
}

TEST(an_epilogue_needs_no_step) {
    weft_ctx *c = weft_open("null");
    if (!CHECK(c)) return;
    for (int which = 0; which < 3; which++) {
        CASE("%s", networks[which].name);
        const shape s = {2, 12, 12, 8, 16, 3, 1, 1, 1, 1, 0};
        network t = {.s = &s, .last = true, .g = weft_graph_new(c)};
        networks[which].record(&t);
        weft_plan *p = weft_compile(t.g, &(weft_plan_desc){.fetch = {t.out, (size_t)t.outs}});
        CHECK_EQ(weft_plan_stats(p).kernels, 2); /* weights, convolution */
        weft_plan_free(p);
        weft_graph_free(t.g);
    }
    weft_close(c);
}
