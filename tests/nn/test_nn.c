/* test_nn.c - every layer against PyTorch's module of the same name: outputs, gradients in inputs and
 * parameters, buffers. What layers do beside that is in test_nn_more.c; losses are in test_nn_losses.c. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "nn_golden.h"

#define GOLDEN(title, statement)          GOLDEN_RUN("torch_layers", title, 1, false, statement)
#define GOLDEN_STEPS(title, n, statement) GOLDEN_RUN("torch_layers", title, n, false, statement)
#define GOLDEN_EVAL(title, statement)     GOLDEN_RUN("torch_layers", title, 1, true, statement)

static void simple(double tol) {
    GOLDEN(linear, result(weft_nn_linear(s, INPUT(3, 5), 4, "", NULL)));
    GOLDEN(linear_3d, result(weft_nn_linear(s, INPUT(2, 3, 5), 4, "",
                                            &(weft_nn_linear_desc){.no_bias = true})));
    GOLDEN(linear_1d, result(weft_linear(s, INPUT(5), 4, "")));
    GOLDEN(embedding, result(weft_nn_embedding(s, ints(7, weft_dims(3, 4)), 7, 3, "", NULL)));
    GOLDEN(embedding_padded,
           result(weft_nn_embedding(s, ints(7, weft_dims(3, 4)), 7, 3, "",
                                    &(weft_nn_embedding_desc){.padded = true, .padding_idx = 2})));
}

static void convolutions(double tol) {
    GOLDEN(conv1d, result(weft_nn_conv1d(s, INPUT(2, 3, 9), 4, 3, "",
                                         &(weft_nn_conv_desc){.stride = {2}, .padding = {1}})));
    GOLDEN(conv1d_dilated,
           result(weft_nn_conv1d(
               s, INPUT(2, 4, 11), 6, 3, "",
               &(weft_nn_conv_desc){.dilation = {3}, .groups = 2, .no_bias = true})));
    GOLDEN(conv2d,
           result(weft_nn_conv2d(
               s, INPUT(2, 3, 5, 6), 4, weft_dims(3, 2), "",
               &(weft_nn_conv_desc){.stride = {2, 1}, .padding = {1, 2}, .dilation = {1, 2}})));
    GOLDEN(conv2d_same, result(weft_nn_conv2d(s, INPUT(2, 2, 4, 5), 3, weft_dims(3), "",
                                              &(weft_nn_conv_desc){.same = true})));
    GOLDEN(conv2d_grouped, result(weft_nn_conv2d(
                               s, INPUT(2, 4, 4, 4), 6, weft_dims(3, 3), "",
                               &(weft_nn_conv_desc){.groups = 2, .same = true, .no_bias = true})));
    GOLDEN(conv2d_last,
           result(weft_nn_conv2d(s, INPUT(2, 4, 4, 3), 5, weft_dims(3, 3), "",
                                 &(weft_nn_conv_desc){.channels_last = true, .same = true})));
    GOLDEN(conv_transpose1d,
           result(weft_nn_conv_transpose1d(
               s, INPUT(2, 3, 5), 2, 3, "",
               &(weft_nn_conv_desc){.stride = {2}, .padding = {1}, .output_padding = {1}})));
    GOLDEN(conv_transpose2d,
           result(weft_nn_conv_transpose2d(
               s, INPUT(1, 4, 3, 3), 6, weft_dims(2, 3), "",
               &(weft_nn_conv_desc){.stride = {1, 2}, .dilation = {2, 1}, .groups = 2})));
    GOLDEN(conv_transpose2d_last,
           result(weft_nn_conv_transpose2d(
               s, INPUT(2, 3, 4, 3), 2, weft_dims(3), "",
               &(weft_nn_conv_desc){.stride = {2, 2}, .padding = {1, 1}, .channels_last = true})));
}

static void norms(double tol) {
    GOLDEN_STEPS(batch_norm, 3, result(weft_nn_batch_norm(s, INPUT(6, 4), "", NULL)));
    GOLDEN_STEPS(
        batch_norm_2d, 3,
        result(weft_nn_batch_norm(s, INPUT(2, 3, 4, 3), "",
                                  &(weft_nn_batch_norm_desc){.eps = 1e-3f, .momentum = 0.3f})));
    GOLDEN_STEPS(batch_norm_1d, 2,
                 result(weft_nn_batch_norm(s, INPUT(3, 4, 5), "",
                                           &(weft_nn_batch_norm_desc){.no_affine = true})));
    GOLDEN_STEPS(batch_norm_cumulative, 3,
                 result(weft_nn_batch_norm(s, INPUT(3, 4, 5), "",
                                           &(weft_nn_batch_norm_desc){.cumulative = true})));
    GOLDEN_STEPS(batch_norm_last, 2,
                 result(weft_nn_batch_norm(s, INPUT(2, 4, 3, 3), "",
                                           &(weft_nn_batch_norm_desc){.channels_last = true})));
    GOLDEN_EVAL(batch_norm_eval, result(weft_nn_batch_norm(s, INPUT(2, 3, 2, 3), "", NULL)));
    GOLDEN_EVAL(batch_norm_eval_plain,
                result(weft_nn_batch_norm(s, INPUT(5, 4), "",
                                          &(weft_nn_batch_norm_desc){.no_affine = true})));
    GOLDEN_EVAL(batch_norm_no_statistics,
                result(weft_nn_batch_norm(s, INPUT(5, 4), "",
                                          &(weft_nn_batch_norm_desc){.no_statistics = true})));
    GOLDEN(layer_norm, result(weft_nn_layer_norm(s, INPUT(5, 12), "", NULL)));
    GOLDEN(layer_norm_axes,
           result(weft_nn_layer_norm(s, INPUT(2, 3, 4), "",
                                     &(weft_nn_norm_desc){.axes = 2, .eps = 1e-3f})));
    GOLDEN(layer_norm_plain, result(weft_nn_layer_norm(s, INPUT(2, 3, 9), "",
                                                       &(weft_nn_norm_desc){.no_affine = true})));
    GOLDEN(rms_norm, result(weft_nn_rms_norm(s, INPUT(5, 12), "", NULL)));
    GOLDEN(rms_norm_eps,
           result(weft_nn_rms_norm(s, INPUT(2, 3, 8), "", &(weft_nn_norm_desc){.eps = 1e-2f})));
    GOLDEN(group_norm, result(weft_nn_group_norm(s, INPUT(2, 6, 4), 3, "", NULL)));
    GOLDEN(group_norm_plain, result(weft_nn_group_norm(s, INPUT(2, 4, 2, 3), 2, "",
                                                       &(weft_nn_norm_desc){.no_affine = true})));
    GOLDEN(group_norm_last,
           result(weft_nn_group_norm(s, INPUT(2, 3, 2, 4), 2, "",
                                     &(weft_nn_norm_desc){.channels_last = true})));
}

static void pooling(double tol) {
    GOLDEN(max_pool1d,
           result(weft_nn_max_pool1d(
               INPUT(2, 3, 9), &(weft_pool_desc){.size = {3}, .stride = {2}, .padding = {1}})));
    GOLDEN(avg_pool1d, result(weft_nn_avg_pool1d(INPUT(2, 3, 8),
                                                 &(weft_pool_desc){.size = {2}, .padding = {1}})));
    GOLDEN(adaptive_even,
           result(weft_nn_adaptive_avg_pool(INPUT(2, 3, 4, 6), weft_dims(2, 3), false)));
    GOLDEN(adaptive_odd,
           result(weft_nn_adaptive_avg_pool(INPUT(2, 2, 7, 6), weft_dims(3, 4), false)));
    GOLDEN(adaptive_more, result(weft_nn_adaptive_avg_pool(INPUT(2, 2, 5), weft_dims(7), false)));
    GOLDEN(adaptive_last,
           result(weft_nn_adaptive_avg_pool(INPUT(2, 5, 6, 2), weft_dims(2, 3), true)));
    GOLDEN(global_avg, result(weft_nn_global_avg_pool(INPUT(2, 3, 4, 5), false)));
    GOLDEN(global_max, result(weft_nn_global_max_pool(INPUT(2, 4, 5, 3), true)));
    GOLDEN(activations, {
        weft_tensor x = INPUT(3, 8);
        for (int a = WEFT_RELU; a < WEFT_ACTIVATION_COUNT; a++)
            result(weft_nn_activate(x, (weft_activation)a));
    });
}

/* ---- sequences ---- */

typedef weft_nn_sequence recurrent(weft_state *s, weft_tensor x, int64_t hidden, const char *name,
                                   const weft_nn_recurrent_desc *d);

static void sequence(recurrent *f, weft_tensor x, int64_t hidden, weft_nn_recurrent_desc d) {
    weft_nn_sequence r = f(s, x, hidden, "", &d);
    result(r.y), result(r.h);
    if (f == weft_nn_lstm) result(r.c);
}

static void both(recurrent *f, bool relu) {
    weft_tensor x = INPUT(4, 2, 3), h0 = INPUT(4, 2, 2), c0 = {0};
    if (f == weft_nn_lstm) c0 = INPUT(4, 2, 2);
    sequence(f, x, 2,
             (weft_nn_recurrent_desc){
                 .layers = 2, .bidirectional = true, .h0 = h0, .c0 = c0, .relu = relu});
}

static void lengths(recurrent *f, bool relu) {
    weft_tensor n = weft_const(g, WEFT_I32, weft_dims(3), (int32_t[]){4, 2, 3});
    sequence(f, INPUT(3, 4, 3), 2,
             (weft_nn_recurrent_desc){
                 .bidirectional = true, .batch_first = true, .lengths = n, .relu = relu});
}

static void carried(recurrent *f, bool relu) {
    reset = weft_input(g, WEFT_BOOL, weft_dims(2));
    sequence(
        f, INPUT(3, 2, 3), 2,
        (weft_nn_recurrent_desc){.layers = 2, .carry = "stream", .reset = reset, .relu = relu});
}

#define SEQUENCES(title, f, is_relu)                                                               \
    do {                                                                                           \
        GOLDEN(title, sequence(f, INPUT(5, 2, 3), 4, (weft_nn_recurrent_desc){.relu = is_relu}));  \
        GOLDEN(title##_two,                                                                        \
               sequence(f, INPUT(2, 4, 3), 2,                                                      \
                        (weft_nn_recurrent_desc){                                                  \
                            .layers = 2, .no_bias = true, .batch_first = true, .relu = is_relu})); \
        GOLDEN(title##_both, both(f, is_relu));                                                    \
        GOLDEN(title##_lengths, lengths(f, is_relu));                                              \
        GOLDEN_STEPS(title##_carried, 3, carried(f, is_relu));                                     \
    } while (0)

static void sequences(double tol) {
    SEQUENCES(rnn_tanh, weft_nn_rnn, false);
    SEQUENCES(rnn_relu, weft_nn_rnn, true);
    SEQUENCES(lstm, weft_nn_lstm, false);
    SEQUENCES(gru, weft_nn_gru, false);
}

/* ---- attention ---- */

static weft_tensor seen(int64_t t, int64_t k) {
    uint8_t v[64];
    for (int64_t i = 0; i < t * k; i++) v[i] = i * 7 % 10 < 6;
    return weft_const(g, WEFT_BOOL, weft_dims(t, k), v);
}

static void cross(weft_shape of_x, weft_shape of_memory) {
    weft_tensor x = input(of_x), memory = input(of_memory);
    result(weft_nn_attention(s, x, 2, "", &(weft_nn_attention_desc){.memory = memory}));
}

static void decoder(void) {
    weft_tensor x = INPUT(2, 3, 6), memory = INPUT(2, 5, 6);
    result(weft_nn_transformer(s, x, 2, 8, "",
                               &(weft_nn_transformer_desc){.memory = memory, .causal = true}));
}

static void attention(double tol) {
    GOLDEN(attention, result(weft_nn_attention(s, INPUT(2, 5, 6), 2, "", NULL)));
    GOLDEN(attention_causal,
           result(weft_nn_attention(s, INPUT(2, 4, 6), 3, "",
                                    &(weft_nn_attention_desc){.causal = true, .no_bias = true})));
    GOLDEN(attention_masked,
           result(weft_nn_attention(s, INPUT(2, 5, 6), 2, "",
                                    &(weft_nn_attention_desc){.mask = seen(5, 5)})));
    GOLDEN(attention_cross, cross(weft_dims(2, 3, 6), weft_dims(2, 5, 6)));
    GOLDEN(attention_other, cross(weft_dims(2, 3, 6), weft_dims(2, 5, 4)));
    GOLDEN(encoder, result(weft_nn_transformer(s, INPUT(2, 4, 6), 2, 10, "", NULL)));
    GOLDEN(encoder_first, result(weft_nn_transformer(
                              s, INPUT(2, 4, 6), 3, 10, "",
                              &(weft_nn_transformer_desc){
                                  .norm_first = true, .activation = WEFT_GELU, .causal = true})));
    GOLDEN(decoder, decoder());
    GOLDEN(gpt2, result(weft_nn_gpt2(s, INPUT(2, 4, 6), 2, "", NULL)));
}

/* ---- a network: lists in scopes ---- */

static weft_tensor network(weft_tensor x) {
    const weft_nn_conv_desc same = {.same = true}, plain = {.no_bias = true};
    const weft_pool_desc halve = {.size = {2, 2}};
    x = weft_nn_sequential(
        s, x, "features",
        weft_nn_layers(weft_nn_layer_conv2d(4, 3, &same), weft_nn_layer_batch_norm(NULL),
                       weft_nn_layer_activation(WEFT_RELU), weft_nn_layer_max_pool(&halve)));
    x = weft_nn_residual(s, x, "mix",
                         weft_nn_layers(weft_nn_layer_conv2d(4, 3, &same),
                                        weft_nn_layer_activation(WEFT_GELU),
                                        weft_nn_layer_conv2d(4, 1, &plain)));
    return weft_nn_sequential(s, x, "head",
                              weft_nn_layers(weft_nn_layer_flatten(), weft_nn_layer_linear(6, NULL),
                                             weft_nn_layer_layer_norm(NULL),
                                             weft_nn_layer_activation(WEFT_TANH),
                                             weft_nn_layer_linear(3, NULL)));
}

static void networks(double tol) {
    GOLDEN_STEPS(net, 2, result(network(INPUT(5, 2, 4, 4))));
    GOLDEN_EVAL(net_eval, result(network(INPUT(2, 2, 4, 4))));
}

TEST(simple_layers_agree_with_pytorch) {
    gold_on_both(simple);
}
TEST(convolutions_agree_with_pytorch) {
    gold_on_both(convolutions);
}
TEST(norms_agree_with_pytorch) {
    gold_on_both(norms);
}
TEST(pooling_agrees_with_pytorch) {
    gold_on_both(pooling);
}
TEST(recurrent_layers_agree_with_pytorch) {
    gold_on_both(sequences);
}
TEST(attention_agrees_with_pytorch) {
    gold_on_both(attention);
}
TEST(a_network_agrees_with_pytorch) {
    gold_on_both(networks);
}
