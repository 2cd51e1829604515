/* test_grad_rules.c - what differences cannot say of gradients: conventions at kinks, and the ways
 * to bend a gradient: stopping, straight through, custom rules, checkpoints, dropout. */
#include "test.h"

#include "weft/weft.h"

#include <math.h>
#include <string.h>

static weft_ctx *c;
static weft_graph *g;

static void begin(const char *device) {
    c = weft_open(device);
    g = weft_graph_new(c);
}

static void end(void) {
    weft_graph_free(g);
    weft_close(c);
}

static const char *const devices[] = {"ref", "cpu"};

#define VECTOR(...)                                                                                \
    weft_const(g, WEFT_F32, weft_dims(sizeof((float[]){__VA_ARGS__}) / sizeof(float)),             \
               (const float[]){__VA_ARGS__})
#define WANT(...)                                                                                  \
    (const float[]){__VA_ARGS__}, (int64_t)(sizeof((float[]){__VA_ARGS__}) / sizeof(float))

/* t computed, element by element */
static void expect(weft_tensor t, const float *want, int64_t n) {
    float got[64];
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(t)});
    if (!p) CHECK_STR(weft_error(c), "a plan");
    else if (CHECK_EQ(weft_count(t), n) && CHECK_EQ(weft_run(p), WEFT_OK) &&
             CHECK_EQ(weft_get(p, t, got, (size_t)n * sizeof *got), WEFT_OK))
        CHECK_ARRAY(got, want, (size_t)n, 1e-6);
    weft_plan_free(p);
}

/* the gradient of sum(y) by x */
static weft_tensor slope(weft_tensor y, weft_tensor x) {
    weft_tensor d;
    CHECK_EQ(weft_grad(y, &x, 1, &d), WEFT_OK);
    return d;
}

TEST(kinks) {
    for (int i = 0; i < 2; i++) {
        CASE("%s", devices[i]);
        begin(devices[i]);
        weft_tensor x = VECTOR(-1, 0, 2), zero = VECTOR(0, 0, 0), two = VECTOR(2, 2, 2);
        expect(slope(weft_relu(x), x), WANT(0, 0, 1));
        expect(slope(weft_abs(x), x), WANT(-1, 0, 1));
        expect(slope(weft_sign(x), x), WANT(0, 0, 0));
        expect(slope(weft_leaky_relu(x, 0.5f), x), WANT(0.5f, 0.5f, 1));
        expect(slope(weft_clamp(x, 0, 2), x), WANT(0, 1, 1)); /* 1 at the bounds */
        expect(slope(weft_maximum(x, zero), x), WANT(0, 0, 1));
        expect(slope(weft_maximum(x, zero), zero), WANT(1, 1, 0));
        expect(slope(weft_minimum(x, two), x), WANT(1, 1, 0));
        expect(slope(weft_minimum(x, two), two), WANT(0, 0, 1));
        weft_tensor edge = VECTOR(0, 4), base = VECTOR(0, 2, 1), power = VECTOR(2, 3, 5);
        expect(slope(weft_sqrt(edge), edge), WANT(INFINITY, 0.25f));
        expect(slope(weft_log(edge), edge), WANT(INFINITY, 0.25f));
        expect(slope(weft_pow(base, power), base), WANT(0, 12, 5));
        expect(slope(weft_pow(base, power), power), WANT(0, 8 * 0.69314718f, 0));
        end();
    }
}

TEST(ties_of_folds_share) {
    for (int i = 0; i < 2; i++) {
        CASE("%s", devices[i]);
        begin(devices[i]);
        weft_tensor x = VECTOR(3, 1, 3, 3, 0), low = VECTOR(4, 1, 1, 2);
        const float third = 1.0f / 3;
        expect(slope(weft_max(x, WEFT_ALL, false), x), WANT(third, 0, third, third, 0));
        expect(slope(weft_min(low, WEFT_ALL, false), low), WANT(0, 0.5f, 0.5f, 0));
        weft_tensor image = weft_reshape(VECTOR(5, 5, 1, 5), weft_dims(1, 1, 2, 2));
        weft_tensor pooled = weft_max_pool(image, &(weft_pool_desc){.size = {2, 2}});
        expect(slope(pooled, image), WANT(third, third, 0, third));
        end();
    }
}

TEST(products_with_zeros) {
    for (int i = 0; i < 2; i++) {
        CASE("%s", devices[i]);
        begin(devices[i]);
        weft_tensor none = VECTOR(2, 3, 4), one = VECTOR(2, 0, 4), two = VECTOR(0, 3, 0);
        expect(slope(weft_prod(none, WEFT_ALL, false), none), WANT(12, 8, 6));
        expect(slope(weft_prod(one, WEFT_ALL, false), one), WANT(0, 8, 0));
        expect(slope(weft_prod(two, WEFT_ALL, false), two), WANT(0, 0, 0));
        end();
    }
}

TEST(stopping_and_going_straight_through) {
    for (int i = 0; i < 2; i++) {
        CASE("%s", devices[i]);
        begin(devices[i]);
        weft_tensor x = VECTOR(-1.4f, 0.3f, 2.6f), other = VECTOR(1, 2, 3);
        expect(weft_stop_gradient(x), WANT(-1.4f, 0.3f, 2.6f));
        expect(slope(weft_mul(x, weft_stop_gradient(x)), x), WANT(-1.4f, 0.3f, 2.6f));
        expect(slope(weft_stop_gradient(weft_square(x)), x), WANT(0, 0, 0));
        weft_tensor rounded = weft_straight_through(weft_round(x), weft_scale(x, 3));
        expect(rounded, WANT(-1, 0, 3));
        expect(slope(weft_square(rounded), x), WANT(-6, 0, 18));
        expect(slope(weft_square(x), other), WANT(0, 0, 0)); /* does not depend on it */
        end();
    }
}

/* dy times ten for the first input, none for the second */
static void rule(void *user, weft_tensor dy, weft_tensor y, const weft_tensor *in, size_t n,
                 weft_tensor *out) {
    (void)y, (void)in;
    *(size_t *)user += n;
    out[0] = weft_scale(dy, 10);
    memset(&out[1], 0, sizeof out[1]);
}

TEST(custom_rules) {
    for (int i = 0; i < 2; i++) {
        CASE("%s", devices[i]);
        begin(devices[i]);
        size_t calls = 0;
        weft_tensor a = VECTOR(1, 2), b = VECTOR(3, 4);
        weft_tensor y = weft_custom_grad(weft_mul(a, b), weft_list(a, b), rule, &calls);
        expect(y, WANT(3, 8));
        expect(slope(weft_square(y), a), WANT(60, 160));
        expect(slope(y, b), WANT(0, 0));
        CHECK(calls > 0);
        end();
    }
}

/* Two layers; what is fetched: the loss and both gradients. */
static void network(bool checkpointed, float *out) {
    float image[12];
    for (int k = 0; k < 12; k++) image[k] = 0.3f * (float)k - 1.5f;
    weft_tensor x = weft_const(g, WEFT_F32, weft_dims(4, 3), image);
    weft_tensor w[2] = {weft_const(g, WEFT_F32, weft_dims(3, 4), image),
                        weft_const(g, WEFT_F32, weft_dims(4, 3), image)};
    if (checkpointed) weft_checkpoint_begin(g);
    weft_tensor h = weft_tanh(weft_matmul(x, w[0]));
    h = weft_mul(h, weft_softmax(h, 1));
    if (checkpointed) weft_checkpoint_end(g);
    if (checkpointed) weft_checkpoint_begin(g);
    weft_tensor y = weft_gelu(weft_matmul(h, w[1]));
    if (checkpointed) weft_checkpoint_end(g);
    weft_tensor loss = weft_mean(weft_square(y), WEFT_ALL, false), d[2];
    CHECK_EQ(weft_grad(loss, w, 2, d), WEFT_OK);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(loss, d[0], d[1])});
    if (!p) CHECK_STR(weft_error(c), "a plan");
    if (p && CHECK_EQ(weft_run(p), WEFT_OK)) {
        CHECK_EQ(weft_get(p, loss, out, sizeof(float)), WEFT_OK);
        CHECK_EQ(weft_get(p, d[0], out + 1, 12 * sizeof(float)), WEFT_OK);
        CHECK_EQ(weft_get(p, d[1], out + 13, 12 * sizeof(float)), WEFT_OK);
    }
    weft_plan_free(p);
}

TEST(checkpoints_change_nothing) {
    for (int i = 0; i < 2; i++) {
        CASE("%s", devices[i]);
        float kept[25] = {0}, again[25] = {1};
        begin(devices[i]);
        network(false, kept);
        end();
        begin(devices[i]);
        network(true, again);
        end();
        CHECK_ARRAY(again, kept, 25, 1e-6);
        CHECK(kept[1] != 0);
    }
}

/* Blocks whose rules read their own results: what is recorded again must be read there. */
static weft_tensor block_of(int which, weft_tensor x, weft_tensor w) { /* [6, 2, 4], [4, 4] */
    if (which == 0) {
        const weft_tensor y =
            weft_attention(weft_transpose(weft_matmul(x, w), 0, 1), weft_transpose(x, 0, 1),
                           weft_transpose(x, 0, 1), &(weft_attention_desc){.causal = true});
        return weft_matmul(weft_reshape(weft_transpose(y, 0, 1), weft_dims(12, 4)), w);
    }
    if (which == 1)
        return weft_recur(WEFT_RNN_TANH, x, w, w, (weft_tensor){0}, (weft_tensor){0}, NULL).y;
    return weft_max_pool(weft_reshape(weft_matmul(x, w), weft_dims(2, 2, 3, 4)),
                         &(weft_pool_desc){.size = {1, 2}});
}

static void gradients_of_block(int which, bool checkpointed, float *out) {
    float image[48];
    for (int k = 0; k < 48; k++) image[k] = (float)(k * 29 % 48) / 16 - 1.5f;
    const weft_tensor x = weft_const(g, WEFT_F32, weft_dims(6, 2, 4), image);
    const weft_tensor w = weft_const(g, WEFT_F32, weft_dims(4, 4), image), in[2] = {x, w};
    if (checkpointed) weft_checkpoint_begin(g);
    const weft_tensor y = block_of(which, x, w);
    if (checkpointed) weft_checkpoint_end(g);
    weft_tensor d[2];
    CHECK_EQ(weft_grad(weft_sum(weft_square(y), WEFT_ALL, false), in, 2, d), WEFT_OK);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(d[0], d[1])});
    if (!p) CHECK_STR(weft_error(c), "a plan");
    if (p && CHECK_EQ(weft_run(p), WEFT_OK)) {
        CHECK_EQ(weft_get(p, d[0], out, 48 * sizeof *out), WEFT_OK);
        CHECK_EQ(weft_get(p, d[1], out + 48, 16 * sizeof *out), WEFT_OK);
    }
    weft_plan_free(p);
}

TEST(checkpointed_blocks_read_their_second_results) {
    for (int i = 0; i < 2; i++)
        for (int which = 0; which < 3; which++) {
            CASE("%s, block %d", devices[i], which);
            float kept[64] = {0}, again[64] = {1};
            begin(devices[i]);
            gradients_of_block(which, false, kept);
            end();
            begin(devices[i]);
            gradients_of_block(which, true, again);
            end();
            CHECK_ARRAY(again, kept, 64, 1e-6);
            CHECK(kept[0] != 0);
        }
}

TEST(dropout_drops_the_same_in_both_directions) {
    enum { N = 1000 };
    for (int i = 0; i < 4; i++) {
        bool checkpointed = i & 1;
        CASE("%s%s", devices[i / 2], checkpointed ? ", checkpointed" : "");
        begin(devices[i / 2]);
        static float x[N], y[N], d[N];
        for (int k = 0; k < N; k++) x[k] = 1 + (float)k;
        weft_tensor in = weft_input(g, WEFT_F32, weft_dims(N));
        if (checkpointed) weft_checkpoint_begin(g);
        weft_tensor dropped = weft_dropout(weft_scale(in, 2), 0.25f);
        if (checkpointed) weft_checkpoint_end(g);
        weft_tensor slopes = slope(dropped, in);
        weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(dropped, slopes)});
        if (!p) CHECK_STR(weft_error(c), "a plan");
        for (int run = 0; p && run < 3; run++) {
            int zeros = 0;
            CHECK_EQ(weft_set(p, in, x, sizeof x), WEFT_OK);
            CHECK_EQ(weft_run(p), WEFT_OK);
            CHECK_EQ(weft_get(p, dropped, y, sizeof y), WEFT_OK);
            CHECK_EQ(weft_get(p, slopes, d, sizeof d), WEFT_OK);
            for (int k = 0; k < N; k++) {
                zeros += y[k] == 0;
                CHECK_NEAR(y[k], y[k] == 0 ? 0 : x[k] * 2 / 0.75f, 1e-3);
                CHECK_NEAR(d[k], y[k] / x[k], 1e-5);
            }
            CHECK_NEAR(zeros, 0.25 * N, 60);
        }
        weft_plan_free(p);
        end();
    }
}
