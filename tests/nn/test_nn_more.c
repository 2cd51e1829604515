/* test_nn_more.c - what layers do beside computing what PyTorch computes: modes, names under scopes,
 * statistics and states that last, counts of kernels, and the same bits on any number of threads. */
#include "test.h"
#include "weft/nn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static weft_ctx *c;
static weft_state *s;
static weft_graph *g;

static void begin(void) {
    c = weft_open_with(&(weft_open_desc){.threads = 1});
    s = weft_state_new(c);
    g = weft_graph_new(c);
}

static void end(void) {
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
}

static weft_plan *compiled(weft_graph *of, weft_plan_desc d) {
    weft_plan *p = weft_compile(of, &d);
    if (!CHECK(p)) CHECK_STR(weft_error(c), "");
    return p;
}

static bool has(const char *name) {
    for (size_t i = 0; i < weft_state_count(s); i++) {
        weft_entry e;
        if (weft_state_entry(s, i, &e) == WEFT_OK && strcmp(e.name, name) == 0) return true;
    }
    return false;
}

static void fill(weft_plan *p, weft_tensor x, int salt) {
    float *v = weft_feed(p, x);
    for (int64_t i = 0; v && i < weft_count(x); i++)
        v[i] = (float)((i * 7919 + salt * 271) % 4001 - 2000) / 1000;
}

/* ---- names ---- */

TEST(names_have_scopes_and_dots_before_them) {
    begin();
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(2, 3, 4));
    weft_scope_push(g, "model");
    weft_nn_transformer(s, x, 2, 8, "encoder.layers.0", NULL);
    weft_nn_gru(s, x, 5, "rnn", &(weft_nn_recurrent_desc){.layers = 2, .bidirectional = true});
    weft_nn_batch_norm(s, x, "", NULL);
    weft_scope_pop(g);
    weft_nn_sequential(
        s, x, "",
        weft_nn_layers(
            weft_nn_layer_linear(3, NULL), weft_nn_layer_activation(WEFT_RELU),
            (weft_nn_layer){.fn = weft_nn_layer_linear(1, NULL).fn, .out = 1, .name = "out"}));
    static const char *const names[] = {
        "model.encoder.layers.0.self_attn.in_proj_weight",
        "model.encoder.layers.0.self_attn.out_proj.bias",
        "model.encoder.layers.0.linear1.weight",
        "model.encoder.layers.0.norm2.bias",
        "model.rnn.weight_ih_l0",
        "model.rnn.weight_hh_l1_reverse",
        "model.rnn.bias_hh_l0_reverse",
        "model.running_mean",
        "model.num_batches_tracked",
        "0.weight",
        "out.bias",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CASE("%s", names[i]);
        CHECK(has(names[i]));
    }
    CHECK_EQ(weft_graph_error(g), WEFT_OK);
    end();
}

/* A layer leaves the scope as it found it, whatever happened inside. */
TEST(layers_leave_their_scopes) {
    begin();
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(2, 3, 4));
    weft_scope_push(g, "a");
    weft_nn_attention(s, x, 2, "deep.er", NULL);
    weft_nn_linear(s, x, 2, "after", NULL);
    weft_scope_pop(g);
    weft_nn_linear(s, x, 2, "last", NULL);
    CHECK(has("a.deep.er.out_proj.weight"));
    CHECK(has("a.after.weight"));
    CHECK(has("last.weight"));
    end();
}

/* ---- evaluation ---- */

static weft_tensor noisy(weft_tensor x) {
    x = weft_nn_batch_norm(s, x, "bn", NULL);
    x = weft_dropout(weft_nn_linear(s, x, 8, "fc", NULL), 0.5f);
    x = weft_unsqueeze(x, 0);
    return weft_nn_transformer(s, x, 2, 8, "t", &(weft_nn_transformer_desc){.dropout = 0.5f});
}

TEST(evaluation_draws_nothing_and_changes_nothing) {
    begin();
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(6, 4)), y = noisy(x);
    CHECK(!weft_graph_is_eval(g));
    weft_plan *train = compiled(g, (weft_plan_desc){.fetch = weft_list(y), .training = true});
    weft_graph *e = weft_graph_new(c);
    weft_graph_eval(e);
    CHECK(weft_graph_is_eval(e));
    weft_tensor ex = weft_input(e, WEFT_F32, weft_dims(6, 4)), ey = noisy(ex);
    weft_plan *eval = compiled(e, (weft_plan_desc){.fetch = weft_list(ey), .training = true});
    if (train && eval) {
        float first[48], second[48], calm[48], again[48];
        fill(train, x, 1), fill(eval, ex, 1);
        weft_run(train), weft_get(train, y, first, sizeof first);
        weft_run(train), weft_get(train, y, second, sizeof second);
        CHECK(memcmp(first, second, sizeof first) != 0);
        uint64_t before = weft_state_hash(s);
        weft_run(eval), weft_get(eval, ey, calm, sizeof calm);
        weft_run(eval), weft_get(eval, ey, again, sizeof again);
        CHECK_MEM(calm, again, sizeof calm);
        CHECK(weft_state_hash(s) == before);
        int32_t batches = 0;
        CHECK_EQ(weft_state_get(s, "bn.num_batches_tracked", &batches, sizeof batches), WEFT_OK);
        CHECK_EQ(batches, 2);
    }
    weft_plan_free(train), weft_plan_free(eval);
    weft_graph_free(e);
    end();
}

/* Without .training a plan looks at the batch, and keeps nothing of it. */
TEST(statistics_move_in_training_plans_alone) {
    begin();
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(6, 4)),
                y = weft_nn_batch_norm(s, x, "bn", NULL);
    weft_plan *p = compiled(g, (weft_plan_desc){.fetch = weft_list(y)});
    if (p) {
        fill(p, x, 1);
        uint64_t before = weft_state_hash(s);
        CHECK_EQ(weft_run(p), WEFT_OK);
        CHECK(weft_state_hash(s) == before);
    }
    weft_plan_free(p);
    end();
}

TEST(dropout_of_attention_keeps_the_mean) {
    begin();
    enum { RUNS = 400 };
    weft_tensor x = weft_input(g, WEFT_F32, weft_dims(2, 5, 8));
    const weft_nn_attention_desc half = {.causal = true, .dropout = 0.5f};
    weft_tensor y = weft_nn_attention(s, x, 2, "a", &half);
    weft_plan *p = compiled(g, (weft_plan_desc){.fetch = weft_list(y)});
    weft_graph *e = weft_graph_new(c);
    weft_graph_eval(e);
    weft_tensor ex = weft_input(e, WEFT_F32, weft_dims(2, 5, 8)),
                ey = weft_nn_attention(s, ex, 2, "a", &half);
    weft_plan *q = compiled(e, (weft_plan_desc){.fetch = weft_list(ey)});
    if (p && q) {
        double mean[80] = {0};
        float one[80], want[80];
        fill(p, x, 2), fill(q, ex, 2);
        weft_run(q), weft_get(q, ey, want, sizeof want);
        for (int i = 0; i < RUNS; i++) {
            weft_run(p), weft_get(p, y, one, sizeof one);
            for (int k = 0; k < 80; k++) mean[k] += one[k] / RUNS;
        }
        for (int k = 0; k < 80; k++) CHECK_NEAR(mean[k], want[k], 0.15);
        CHECK(fabsf(one[0] - want[0]) > 1e-4f);
    }
    weft_plan_free(p), weft_plan_free(q);
    weft_graph_free(e);
    end();
}

/* A row that may see nothing gives the bias alone, with dropout and without. */
TEST(rows_that_see_nothing_give_no_nan) {
    for (int dropout = 0; dropout < 2; dropout++) {
        CASE("dropout %d", dropout);
        begin();
        weft_tensor x = weft_input(g, WEFT_F32, weft_dims(1, 3, 4)),
                    mask = weft_const(g, WEFT_BOOL, weft_dims(3, 3),
                                      (uint8_t[]){0, 0, 0, 1, 1, 0, 1, 1, 1}),
                    dx, y;
        y = weft_nn_attention(s, x, 2, "a",
                              &(weft_nn_attention_desc){
                                  .mask = mask, .causal = true, .dropout = 0.25f * (float)dropout});
        weft_grad(y, &x, 1, &dx);
        weft_plan *p = compiled(g, (weft_plan_desc){.fetch = weft_list(y, dx)});
        float v[12] = {0}, d[12] = {0};
        if (p) {
            fill(p, x, 1);
            weft_run(p), weft_get(p, y, v, sizeof v), weft_get(p, dx, d, sizeof d);
            for (int i = 0; i < 4; i++) CHECK_EQ(v[i], 0);
            for (int i = 0; i < 12; i++) CHECK(isfinite(v[i]) && isfinite(d[i]));
        }
        weft_plan_free(p);
        end();
    }
}

/* ---- states that carry over ---- */

/* A sequence in one go, and in two halves with the state between them. */
TEST(two_halves_with_a_carried_state_are_one_sequence) {
    begin();
    weft_graph_eval(g);
    weft_tensor whole = weft_input(g, WEFT_F32, weft_dims(6, 2, 3)),
                half = weft_input(g, WEFT_F32, weft_dims(3, 2, 3));
    const weft_nn_recurrent_desc plain = {.layers = 2}, kept = {.layers = 2, .carry = "sample"};
    weft_tensor y = weft_nn_lstm(s, whole, 4, "r", &plain).y,
                z = weft_nn_lstm(s, half, 4, "r", &kept).y;
    CHECK(has("r.sample.h") && has("r.sample.c"));
    weft_plan *p = compiled(g, (weft_plan_desc){.fetch = weft_list(y)}),
              *q = compiled(g, (weft_plan_desc){.fetch = weft_list(z), .training = true});
    if (p && q) {
        float all[48], part[2][24], zeros[16] = {0};
        fill(p, whole, 1);
        weft_run(p), weft_get(p, y, all, sizeof all);
        for (int again = 0; again < 2; again++) {
            for (int i = 0; i < 2; i++) {
                weft_set(q, half, (float *)weft_feed(p, whole) + 18 * i, 18 * sizeof(float));
                weft_run(q), weft_get(q, z, part[i], sizeof part[i]);
            }
            CHECK_ARRAY(part[0], all, 48, 1e-6);
            CHECK_EQ(weft_state_set(s, "r.sample.h", zeros, sizeof zeros), WEFT_OK);
            CHECK_EQ(weft_state_set(s, "r.sample.c", zeros, sizeof zeros), WEFT_OK);
        }
    }
    weft_plan_free(p), weft_plan_free(q);
    end();
}

/* ---- what a plan costs ---- */

typedef struct cost {
    const char *name;
    weft_tensor (*layer)(weft_tensor x), (*formula)(weft_tensor x);
    bool image, eval;
} cost;

static weft_tensor param(const char *name, weft_shape d) {
    return weft_param(g, s, name, d, (weft_init){WEFT_INIT_UNIFORM, -1, 1});
}
static weft_tensor l_linear(weft_tensor x) {
    return weft_relu(weft_nn_linear(s, x, 16, "a", NULL));
}
static weft_tensor f_linear(weft_tensor x) {
    weft_tensor w = param("w", weft_dims(16, 12)), b = param("b", weft_dims(16));
    return weft_relu(weft_add(weft_matmul(x, weft_transpose(w, 0, 1)), b));
}
static weft_tensor l_conv(weft_tensor x) {
    return weft_relu(weft_nn_conv2d(s, x, 4, weft_dims(3), "a", NULL));
}
static weft_tensor f_conv(weft_tensor x) {
    weft_tensor w = param("w", weft_dims(4, 3, 3, 3)), b = param("b", weft_dims(4, 1, 1));
    return weft_relu(weft_add(weft_conv2d(x, w, NULL), b));
}
static weft_tensor l_norm(weft_tensor x) {
    return weft_nn_layer_norm(s, x, "a", NULL);
}
static weft_tensor f_norm(weft_tensor x) {
    return weft_layer_norm(x, param("w", weft_dims(12)), param("b", weft_dims(12)), 1e-5f);
}
static weft_tensor fixed_targets(void) {
    return weft_const(g, WEFT_I32, weft_dims(8), (int32_t[]){0, 1, 2, 3, 11, 5, 6, 7});
}
static weft_tensor l_loss(weft_tensor x) {
    return weft_nn_cross_entropy(x, fixed_targets(), NULL);
}
static weft_tensor f_loss(weft_tensor x) {
    return weft_cross_entropy(x, fixed_targets());
}
static weft_tensor l_batch(weft_tensor x) {
    return weft_relu(weft_nn_batch_norm(s, x, "a", NULL));
}
static weft_tensor f_batch(weft_tensor x) { /* in evaluation a norm is a map */
    weft_tensor w = param("w", weft_dims(3, 1, 1)), b = param("b", weft_dims(3, 1, 1));
    weft_tensor m = param("m", weft_dims(3, 1, 1)), v = param("v", weft_dims(3, 1, 1));
    return weft_relu(
        weft_add(weft_mul(weft_sub(x, m), weft_mul(weft_rsqrt(weft_offset(v, 1e-5f)), w)), b));
}

static uint32_t kernels(weft_tensor f(weft_tensor), bool image, bool eval, bool backward) {
    begin();
    if (eval) weft_graph_eval(g);
    weft_tensor x = weft_input(g, WEFT_F32, image ? weft_dims(2, 3, 6, 6) : weft_dims(8, 12)),
                y = f(x), dx = {0};
    if (backward) CHECK_EQ(weft_grad(y, &x, 1, &dx), WEFT_OK);
    weft_plan *p = compiled(g, (weft_plan_desc){.fetch = weft_list(backward ? dx : y)});
    uint32_t n = weft_plan_stats(p).kernels;
    weft_plan_free(p);
    end();
    return n;
}

TEST(layers_cost_no_more_than_their_formulas) {
    static const cost costs[] = {
        {"linear", l_linear, f_linear, false, false},
        {"conv2d", l_conv, f_conv, true, false},
        {"layer_norm", l_norm, f_norm, false, false},
        {"cross_entropy", l_loss, f_loss, false, false},
        {"batch_norm in evaluation", l_batch, f_batch, true, true},
    };
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        for (int backward = 0; backward < 2; backward++) {
            const cost *k = &costs[i];
            CASE("%s%s", k->name, backward ? ", backward" : "");
            CHECK(kernels(k->layer, k->image, k->eval, backward) <=
                  kernels(k->formula, k->image, k->eval, backward));
        }
}

static weft_tensor smoothed(weft_tensor x) {
    return weft_nn_cross_entropy(x, fixed_targets(), &(weft_nn_classes_desc){.smoothing = 0.1f});
}
static weft_tensor ignoring(weft_tensor x) {
    return weft_nn_cross_entropy(x, fixed_targets(), &(weft_nn_classes_desc){.ignore = true});
}

TEST(losses_are_few_kernels) {
    CHECK_EQ(kernels(smoothed, false, false, false), kernels(f_loss, false, false, false));
    CHECK(kernels(smoothed, false, false, true) <= kernels(f_loss, false, false, true) + 1);
    CHECK(kernels(ignoring, false, false, false) <= kernels(f_loss, false, false, false) + 1);
}

/* ---- the same bits, with every layer in one network ---- */

static weft_tensor every_layer(weft_tensor image, weft_tensor words) {
    const weft_nn_conv_desc same = {.same = true}, strided = {.stride = {2, 2}, .groups = 2};
    weft_tensor x = weft_nn_conv2d(s, image, 8, weft_dims(3), "conv", &same);
    x = weft_relu(weft_nn_batch_norm(s, x, "bn", NULL));
    x = weft_max_pool(x, &(weft_pool_desc){.size = {2, 2}});
    x = weft_nn_conv_transpose2d(s, x, 6, weft_dims(2), "up", &strided);
    x = weft_nn_group_norm(s, x, 3, "gn", NULL);
    x = weft_nn_adaptive_avg_pool(x, weft_dims(3, 4), false);
    weft_tensor line = weft_nn_sequential(s, weft_reshape(x, weft_dims(4, 6, 12)), "line",
                                          weft_nn_layers(weft_nn_layer_conv1d(8, 3, &same)));
    line = weft_nn_max_pool1d(line, &(weft_pool_desc){.size = {2}});   /* [4, 8, 6] */
    weft_tensor t = weft_nn_embedding(s, words, 20, 8, "words", NULL); /* [4, 6, 8] */
    t = weft_add(t, weft_transpose(line, 1, 2));
    t = weft_nn_lstm(s, t, 4, "lstm",
                     &(weft_nn_recurrent_desc){.batch_first = true,
                                               .bidirectional = true,
                                               .layers = 2,
                                               .dropout = 0.1f,
                                               .carry = "stream"})
            .y;
    t = weft_add(t, weft_nn_gru(s, t, 8, "gru", &(weft_nn_recurrent_desc){.batch_first = true}).y);
    t = weft_nn_transformer(s, t, 2, 16, "block",
                            &(weft_nn_transformer_desc){.dropout = 0.1f, .causal = true});
    t = weft_nn_gpt2(s, t, 2, "gpt", &(weft_nn_gpt2_desc){.layers = 1, .dropout = 0.1f});
    t = weft_nn_residual(s, weft_nn_rms_norm(s, t, "rms", NULL), "mix",
                         weft_nn_layers(weft_nn_layer_linear(8, NULL),
                                        weft_nn_layer_activation(WEFT_SILU),
                                        weft_nn_layer_dropout(0.1f)));
    return weft_nn_linear(s, t, 5, "out", NULL);
}

typedef struct trained {
    uint64_t hash;
    float loss[4];
    int threads;
} trained;

static trained train_every_layer(int threads) {
    trained t = {0};
    c = weft_open_with(&(weft_open_desc){.threads = threads});
    s = weft_state_new(c);
    g = weft_graph_new(c);
    weft_tensor image = weft_input(g, WEFT_F32, weft_dims(4, 2, 8, 8)),
                words = weft_input(g, WEFT_I32, weft_dims(4, 6));
    weft_tensor y = every_layer(image, words), target = weft_mod(words, weft_integer(g, 5)),
                loss = weft_nn_cross_entropy(y, target, &(weft_nn_classes_desc){.smoothing = 0.1f});
    weft_plan *p = compiled(g, (weft_plan_desc){.fetch = weft_list(loss),
                                                .update = weft_adam(s, loss, NULL),
                                                .training = true,
                                                .threads = threads});
    for (int i = 0; p && i < 4; i++) {
        fill(p, image, i);
        int32_t *w = weft_feed(p, words);
        for (int k = 0; k < 24; k++) w[k] = (k * 7 + i) % 20;
        CHECK_EQ(weft_run(p), WEFT_OK);
        t.loss[i] = weft_item(p, loss);
        CHECK(isfinite(t.loss[i]));
    }
    t.hash = weft_state_hash(s);
    t.threads = weft_plan_stats(p).threads;
    weft_plan_free(p);
    end();
    return t;
}

TEST(threads_change_no_bit_of_any_layer) {
    const trained one = train_every_layer(1);
    const int threads[] = {2, 3};
    for (int i = 0; i < 2; i++) {
        CASE("%d threads", threads[i]);
        const trained many = train_every_layer(threads[i]);
        CHECK_EQ(many.threads, threads[i]);
        CHECK_MEM(many.loss, one.loss, sizeof one.loss);
        CHECK(many.hash == one.hash);
    }
}

/* ---- accuracy ---- */

TEST(accuracy_is_the_share_of_right_answers) {
    begin();
    weft_tensor y = weft_const(g, WEFT_F32, weft_dims(4, 3),
                               (float[]){1, 2, 0, 5, 1, 1, 0, 0, 3, 2, 2, 1}),
                t = weft_const(g, WEFT_I32, weft_dims(4), (int32_t[]){1, 0, 1, 0});
    CHECK_EQ(weft_item_of(weft_accuracy(y, t)), 0.75);
    CHECK_STR(weft_activation_name(WEFT_GELU_TANH), "gelu_tanh");
    end();
}
