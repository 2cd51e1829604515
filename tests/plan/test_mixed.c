/* test_mixed.c - plans in 16 bits: what they move, what they give beside the f32 plan and the reference,
 * and the shadows of parameters. */
#include "core/context.h"
#include "models.h"
#include "plan/plan.h"
#include "test.h"
#include "weft/nn.h"

#include <math.h>
#include <stdio.h>

static const weft_dtype types[] = {WEFT_BF16, WEFT_F16};

/* A network of linear layers and what trains it. */
typedef struct net {
    weft_ctx *c;
    weft_state *s;
    weft_graph *g;
    weft_tensor x, y, loss, grad;
    weft_plan *p;
} net;

typedef enum update_kind { BY_SGD, BY_MOMENTUM, BY_ADAM, UPDATE_KINDS } update_kind;

static weft_updates net_updates(net *n, update_kind how) {
    if (how == BY_ADAM) return weft_adam(n->s, n->loss, &(weft_adam_desc){.lr = 2e-3f});
    return weft_sgd(n->s, n->loss,
                    &(weft_sgd_desc){.lr = 0.05f, .momentum = how == BY_MOMENTUM ? 0.9f : 0});
}

enum { ROWS = 48, WIDE = 96 };

static net net_open(const char *device, int threads, update_kind how, weft_dtype mixed) {
    net n = {.c = weft_open_with(&(weft_open_desc){.device = device, .threads = threads})};
    n.s = weft_state_new(n.c);
    n.g = weft_graph_new(n.c);
    weft_state_seed(n.s, 3);
    n.x = weft_input(n.g, WEFT_F32, weft_dims(ROWS, 40));
    n.y = weft_input(n.g, WEFT_I32, weft_dims(ROWS));
    weft_tensor h = weft_relu(weft_linear(n.s, n.x, WIDE, "fc1"));
    h = weft_gelu_tanh(weft_linear(n.s, h, WIDE, "fc2"));
    h = weft_linear(n.s, h, WIDE, "fc3");
    h = weft_layer_norm(h, weft_full(n.g, weft_dims(WIDE), 1), weft_full(n.g, weft_dims(WIDE), 0),
                        1e-5f);
    n.loss = weft_cross_entropy(weft_linear(n.s, h, 10, "fc4"), n.y);
    weft_updates u = net_updates(&n, how);
    n.grad = weft_params_of(n.s, n.loss).grad[2];
    n.p = weft_compile(n.g, &(weft_plan_desc){.fetch = weft_list(n.loss, n.grad),
                                              .update = u,
                                              .threads = threads,
                                              .mixed = mixed});
    if (!n.p) CHECK_STR(weft_error(n.c), "");
    return n;
}

static void net_close(net *n) {
    weft_plan_free(n->p);
    weft_graph_free(n->g);
    weft_state_free(n->s);
    weft_close(n->c);
}

static void net_feed(const net *n, uint32_t step) {
    float *x = weft_feed(n->p, n->x);
    int32_t *y = weft_feed(n->p, n->y);
    for (uint32_t i = 0; i < ROWS * 40; i++) x[i] = model_number(i, step);
    for (uint32_t i = 0; i < ROWS; i++) y[i] = (int32_t)(i * 7 + step) % 10;
}

static bool net_step(const net *n, uint32_t step, float *loss, float *grad) {
    net_feed(n, step);
    return CHECK_EQ(weft_run(n->p), WEFT_OK) &&
           CHECK_EQ(weft_get(n->p, n->loss, loss, sizeof *loss), WEFT_OK) &&
           CHECK_EQ(weft_get(n->p, n->grad, grad, sizeof *grad * WIDE * WIDE), WEFT_OK);
}

static double norm_of(const float *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)x[i] * x[i];
    return sqrt(sum);
}

static double apart(const float *x, const float *y, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += ((double)x[i] - y[i]) * ((double)x[i] - y[i]);
    return sqrt(sum);
}

/* Ten steps, with the gradient of a weight each time, beside those of another plan. */
static void beside(net *a, net *b, double bound) {
    static float ga[WIDE * WIDE], gb[WIDE * WIDE];
    for (uint32_t step = 0; a->p && b->p && step < 10; step++) {
        float la = 0, lb = 1;
        if (!net_step(a, step, &la, ga) || !net_step(b, step, &lb, gb)) return;
        CHECK_NEAR(la, lb, bound * fabs((double)lb));
        CHECK(apart(ga, gb, WIDE * WIDE) <= 3 * bound * norm_of(gb, WIDE * WIDE));
    }
    float wa[WIDE * WIDE], wb[WIDE * WIDE];
    CHECK_EQ(weft_state_get(a->s, "fc2.weight", wa, sizeof wa), WEFT_OK);
    CHECK_EQ(weft_state_get(b->s, "fc2.weight", wb, sizeof wb), WEFT_OK);
    CHECK(apart(wa, wb, WIDE * WIDE) <= bound * norm_of(wb, WIDE * WIDE));
}

TEST(ten_steps_beside_f32) {
    for (int t = 0; t < 2; t++)
        for (int how = 0; how < UPDATE_KINDS; how++) {
            CASE("%s, update %d", weft_dtype_name(types[t]), how);
            net a = net_open("cpu", 1, (update_kind)how, types[t]);
            net b = net_open("cpu", 1, (update_kind)how, WEFT_F32);
            beside(&a, &b, 2e-2);
            net_close(&a), net_close(&b);
        }
}

/* The reference rounds at the same places: what is left is the order of sums. */
TEST(ten_steps_beside_the_reference) {
    for (int t = 0; t < 2; t++) {
        CASE("%s", weft_dtype_name(types[t]));
        net a = net_open("cpu", 1, BY_SGD, types[t]), b = net_open("ref", 1, BY_SGD, types[t]);
        beside(&a, &b, t ? 1e-3 : 4e-3);
        net_close(&a), net_close(&b);
    }
}

/* ---- blocks ---- */

/* A network of convolutions and pools, or of attention. */
static void block_net(weft_graph *g, weft_state *s, bool images, weft_tensor *x,
                      weft_tensor *loss) {
    *x = weft_input(g, WEFT_F32, images ? weft_dims(4, 3, 12, 12) : weft_dims(2, 20, 32));
    weft_tensor h = *x;
    if (images) {
        static const int64_t out[] = {16, 32, 16}, stride[] = {1, 1, 2};
        static const char *const name[] = {"a", "b", "c"};
        for (int i = 0; i < 3; i++) {
            h = weft_relu(weft_nn_conv2d(
                s, h, out[i], weft_dims(3, 3), name[i],
                &(weft_nn_conv_desc){.stride = {stride[i], stride[i]}, .padding = {1, 1}}));
            if (i == 0) h = weft_max_pool(h, &(weft_pool_desc){.size = {2, 2}});
        }
        h = weft_linear(s, weft_reshape(h, weft_dims(4, -1)), 8, "fc");
    } else {
        static const char *const name[] = {"q", "k", "v"};
        weft_tensor of[3];
        for (int i = 0; i < 3; i++)
            of[i] =
                weft_permute(weft_reshape(weft_linear(s, h, 32, name[i]), weft_dims(2, 20, 4, 8)),
                             weft_dims(0, 2, 1, 3));
        h = weft_attention(of[0], of[1], of[2], &(weft_attention_desc){.causal = true});
        h = weft_linear(s,
                        weft_reshape(weft_permute(h, weft_dims(0, 2, 1, 3)), weft_dims(2, 20, 32)),
                        32, "out");
    }
    *loss = weft_mean(weft_square(weft_sub(h, weft_full(g, weft_dims(1), 0.3f))), WEFT_ALL, false);
}

/* Losses of ten steps; how many 16-bit operands blocks read, if `halves`. */
static void block_losses(const char *device, bool images, weft_dtype mixed, int threads, float *out,
                         uint64_t *hash, int *halves) {
    weft_ctx *c = weft_open_with(&(weft_open_desc){.device = device, .threads = threads});
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    weft_state_seed(s, 5);
    weft_tensor x, loss;
    block_net(g, s, images, &x, &loss);
    weft_plan *p = weft_compile(
        g, &(weft_plan_desc){.fetch = weft_list(loss),
                             .update = weft_sgd(s, loss, &(weft_sgd_desc){.lr = 0.05f}),
                             .threads = threads,
                             .mixed = mixed});
    if (!p) CHECK_STR(weft_error(c), "");
    for (uint32_t step = 0; p && step < 10; step++) {
        float *to = weft_feed(p, x);
        for (uint32_t i = 0; i < (uint32_t)weft_count(x); i++) to[i] = model_number(i, step);
        if (!CHECK_EQ(weft_run(p), WEFT_OK)) break;
        weft_get(p, loss, &out[step], sizeof *out);
    }
    if (hash) *hash = weft_state_hash(s);
    for (size_t i = 0; p && halves && i < p->steps; i++)
        for (int k = 0; p->step[i].kind == STEP_BLOCK && k < p->step[i].nin; k++)
            *halves += p->step[i].in[k].dtype == mixed;
    weft_plan_free(p);
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
}

/* The reference rounds what it computes by definitions at the same places. */
TEST(convolutions_pools_and_attention) {
    for (int images = 0; images < 2; images++)
        for (int t = 0; t < 2; t++) {
            CASE("%s, %s", images ? "images" : "attention", weft_dtype_name(types[t]));
            float cpu[10], far[10], ref[10], wide[10];
            uint64_t hash[3];
            int halves = 0;
            block_losses("cpu", images, types[t], 1, cpu, &hash[0], &halves);
            block_losses("cpu", images, types[t], 3, far, &hash[1], NULL);
            block_losses("far", images, types[t], 1, far, &hash[2], NULL);
            block_losses("ref", images, types[t], 1, ref, NULL, NULL);
            block_losses("cpu", images, WEFT_F32, 1, wide, NULL, NULL);
            CHECK(halves >= (images ? 14 : 8));
            CHECK_EQ(hash[1], hash[0]);
            CHECK_EQ(hash[2], hash[0]);
            for (int i = 0; i < 10; i++) {
                CHECK_NEAR(cpu[i], ref[i], (t ? 1e-4 : 5e-4) * fabsf(ref[i]));
                CHECK_NEAR(cpu[i], wide[i], 1e-2 * fabsf(wide[i]));
            }
            CHECK(cpu[9] < cpu[0] && memcmp(cpu, wide, sizeof cpu) != 0);
        }
}

TEST(threads_change_no_bits) {
    for (int how = 0; how < UPDATE_KINDS; how++) {
        uint64_t hash[3];
        for (int threads = 1; threads <= 3; threads++) {
            static float grad[WIDE * WIDE];
            float loss;
            net n = net_open("cpu", threads, (update_kind)how, WEFT_BF16);
            for (uint32_t step = 0; step < 5; step++) net_step(&n, step, &loss, grad);
            hash[threads - 1] = weft_state_hash(n.s);
            net_close(&n);
        }
        CHECK_EQ(hash[1], hash[0]);
        CHECK_EQ(hash[2], hash[0]);
    }
}

/* ---- what is planned ---- */

static double bytes_of(int64_t rows, weft_dtype mixed) {
    weft_ctx *c = weft_open("null");
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(rows, 256)), h = x;
    static const char *const name[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++) h = weft_gelu(weft_linear(s, h, 256, name[i]));
    weft_tensor loss = weft_mean(weft_square(h), WEFT_ALL, false);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(loss),
                                                     .update = weft_adam(s, loss, NULL),
                                                     .mixed = mixed});
    if (!CHECK(p)) CHECK_STR(weft_error(c), "");
    const weft_stats st = weft_plan_stats(p);
    weft_plan_free(p);
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
    return st.bytes;
}

TEST(a_mixed_plan_moves_less) {
    CHECK(bytes_of(512, WEFT_BF16) < 0.8 * bytes_of(512, WEFT_F32));
    CHECK(bytes_of(16, WEFT_BF16) < bytes_of(16, WEFT_F32));
}

/* A network whose tensors have 16 bits is not widened first. */
TEST(tensors_of_16_bits_move_less) {
    double bytes[2];
    for (int half = 0; half < 2; half++) {
        weft_ctx *c = weft_open("cpu");
        weft_graph *g = weft_graph_new(c);
        const weft_dtype t = half ? WEFT_BF16 : WEFT_F32;
        weft_tensor h = weft_input(g, t, weft_dims(64, 128));
        for (int i = 0; i < 3; i++) {
            weft_tensor w = weft_input(g, t, weft_dims(128, 128));
            h = weft_cast(weft_relu(weft_matmul(h, weft_transpose(w, 0, 1))), t);
        }
        weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(h)});
        CHECK_EQ(weft_plan_stats(p).kernels, 3);
        bytes[half] = weft_plan_stats(p).bytes;
        weft_plan_free(p);
        weft_graph_free(g);
        weft_close(c);
    }
    CHECK(bytes[1] < 0.75 * bytes[0]);
}

/* Adam over all weights writes their shadows in the same pass. */
TEST(shadows_are_written_along) {
    net a = net_open("cpu", 1, BY_ADAM, WEFT_BF16);
    char *text = weft_plan_text(a.p);
    CHECK_HAS(text, "adam");
    int joined = 0, copies = 0;
    for (size_t i = 0; i < a.p->steps; i++) {
        const step *s = &a.p->step[i];
        if (s->kind != STEP_BLOCK || s->block != BLOCK_adam) continue;
        joined += s->in[s->nin + s->nout - 1].buf != KNOBUF;
        copies++;
    }
    CHECK_EQ(joined, 1);
    CHECK(copies <= 2); /* and one without shadows: biases */
    weft_text_free(a.c, text);
    net_close(&a);
}

/* ---- shadows ---- */

static float forward(net *n, weft_plan *p, weft_tensor y) {
    float *x = weft_feed(p, n->x), out[ROWS * 10];
    for (uint32_t i = 0; i < ROWS * 40; i++) x[i] = model_number(i, 1);
    CHECK_EQ(weft_run(p), WEFT_OK);
    CHECK_EQ(weft_get(p, y, out, sizeof out), WEFT_OK);
    return out[5];
}

TEST(shadows_follow_whatever_changes_a_parameter) {
    net n = net_open("cpu", 1, BY_ADAM, WEFT_F32); /* changes masters without a shadow of its own */
    weft_graph *g = weft_graph_new(n.c);
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(ROWS, 40));
    weft_tensor y = weft_linear(n.s, weft_relu(weft_linear(n.s, x, WIDE, "fc1")), 10, "out");
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y), .mixed = WEFT_BF16});
    weft_plan *wide = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y)});
    if (CHECK(p && wide)) {
        net of = n;
        float loss, before, now;
        static float grad[WIDE * WIDE], w[WIDE * 40];
        of.x = x;
        before = forward(&of, p, y);
        CHECK_NEAR(before, forward(&of, wide, y), 2e-2);
        for (uint32_t step = 0; step < 30; step++) net_step(&n, step, &loss, grad);
        now = forward(&of, p, y);
        CHECK(fabsf(now - before) > 1e-4f);
        CHECK_NEAR(now, forward(&of, wide, y), 2e-2);
        for (int i = 0; i < WIDE * 40; i++) w[i] = model_number((uint32_t)i, 9) * 0.2f;
        CHECK_EQ(weft_state_set(n.s, "fc1.weight", w, sizeof w), WEFT_OK);
        before = now, now = forward(&of, p, y);
        CHECK(fabsf(now - before) > 1e-4f);
        CHECK_NEAR(now, forward(&of, wide, y), 2e-2);
        float *at = weft_state_data(n.s, "fc1.weight");
        for (int i = 0; i < WIDE * 40; i++) w[i] = -w[i];
        if (at) memcpy(at, w, sizeof w); /* through the pointer, where one reaches it */
        else CHECK_EQ(weft_state_set(n.s, "fc1.weight", w, sizeof w), WEFT_OK);
        before = now, now = forward(&of, p, y);
        CHECK(fabsf(now - before) > 1e-4f);
        CHECK_NEAR(now, forward(&of, wide, y), 2e-2);
    }
    weft_plan_free(p), weft_plan_free(wide);
    weft_graph_free(g);
    net_close(&n);
}

/* Entries, hashes and thereby files know nothing of them. */
TEST(shadows_are_not_entries) {
    net a = net_open("cpu", 1, BY_ADAM, WEFT_F32), b = net_open("cpu", 1, BY_ADAM, WEFT_BF16);
    CHECK_EQ(weft_state_count(a.s), weft_state_count(b.s));
    CHECK_EQ(weft_state_hash(a.s), weft_state_hash(b.s));
    for (size_t i = 0; i < weft_state_count(b.s); i++) {
        weft_entry e;
        CHECK_EQ(weft_state_entry(b.s, i, &e), WEFT_OK);
        CHECK_EQ(e.dtype, WEFT_F32);
    }
    CHECK(b.s->n > weft_state_count(b.s));
    net_close(&a), net_close(&b);
}

TEST(other_types_are_refused) {
    weft_ctx *c = weft_open("cpu");
    weft_graph *g = weft_graph_new(c);
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(3));
    CHECK(!weft_compile(g, &(weft_plan_desc){.fetch = weft_list(x), .mixed = WEFT_I8}));
    CHECK_HAS(weft_error(c), ".mixed");
    weft_graph_free(g);
    weft_close(c);
}
