/* recipes.c - records the training steps of recipes.h, with public functions only.
 *
 * The three small ones are what reinforcement learning and digits really use; the others are there
 * for the compiler to chew on. */
#include "recipes.h"

#include "command.h"

#include <math.h>
#include <stdio.h>

static weft_tensor recipe_input(recipe *step, weft_graph *g, weft_shape dims, int32_t limit) {
    const weft_tensor t = weft_input(g, limit ? WEFT_I32 : WEFT_F32, dims);
    step->input[step->inputs].tensor = t;
    step->input[step->inputs++].limit = limit;
    return t;
}

int recipe_feed(bench *b, weft_plan *p, const recipe *step) {
    bench_random r = {1};
    for (int i = 0; i < step->inputs; i++) {
        const weft_tensor t = step->input[i].tensor;
        void *feed = weft_feed(p, t);
        if (!feed) return bench_failed(b, "feeding");
        if (step->input[i].limit)
            bench_fill_integers(&r, feed, weft_count(t), step->input[i].limit);
        else bench_fill(&r, feed, weft_count(t));
    }
    return EXIT_GOOD;
}

/* Linear layers with relu between them; widths ends with 0. */
static weft_tensor recipe_layers(weft_state *s, weft_tensor x, const int *widths) {
    for (int i = 0; widths[i]; i++) {
        char name[16];
        snprintf(name, sizeof name, "fc%d", i + 1);
        x = weft_linear(s, i ? weft_relu(x) : x, widths[i], name);
    }
    return x;
}

/* A deep Q-network: the value of the action taken moves towards its target. */
static recipe recipe_q_network(weft_graph *g, weft_state *s, int batch, int in, const int *widths,
                               int actions) {
    recipe step = {0};
    const weft_tensor x = recipe_input(&step, g, weft_dims(batch, in), 0);
    const weft_tensor action = recipe_input(&step, g, weft_dims(batch, 1), actions);
    const weft_tensor target = recipe_input(&step, g, weft_dims(batch, 1), 0);
    const weft_tensor q = recipe_layers(s, x, widths);
    step.loss = weft_mse(weft_take_along(q, action, 1), target);
    step.update = weft_adam(s, step.loss, NULL);
    return step;
}

recipe recipe_dqn2048(weft_graph *g, weft_state *s) {
    return recipe_q_network(g, s, 32, 16, (const int[]){64, 64, 4, 0}, 4);
}

recipe recipe_cube(weft_graph *g, weft_state *s) {
    return recipe_q_network(g, s, 64, 144, (const int[]){128, 64, 6, 0}, 6);
}

recipe recipe_mlp784(weft_graph *g, weft_state *s) {
    recipe step = {0};
    const weft_tensor x = recipe_input(&step, g, weft_dims(32, 784), 0);
    const weft_tensor target = recipe_input(&step, g, weft_dims(32), 10);
    step.loss = weft_cross_entropy(recipe_layers(s, x, (const int[]){128, 10, 0}), target);
    step.update = weft_sgd(s, step.loss, &(weft_sgd_desc){.lr = 1e-3f, .momentum = 0.9f});
    return step;
}

/* ---- images, [N, C, H, W] ---- */

/* Convolutions 3x3 with relu, each followed by a pool that halves the image; then linear layers. */
static recipe recipe_pyramid(weft_graph *g, weft_state *s, weft_shape image, const int *channels,
                             const int *widths) {
    static const weft_conv_desc same = {.padding = {1, 1}};
    static const weft_pool_desc halve = {.size = {2, 2}};
    recipe step = {0};
    weft_tensor x = recipe_input(&step, g, image, 0);
    const weft_tensor target = recipe_input(&step, g, weft_dims(image.n[0]), 10);
    for (int i = 0; channels[i]; i++) {
        char name[16];
        snprintf(name, sizeof name, "conv%d", i + 1);
        const int64_t in = weft_dim(x, 1);
        const float bound = 1 / sqrtf(9 * (float)in);
        weft_scope_push(g, name);
        const weft_init init = {WEFT_INIT_UNIFORM, -bound, bound};
        const weft_tensor w = weft_param(g, s, "weight", weft_dims(channels[i], in, 3, 3), init);
        const weft_tensor bias = weft_param(g, s, "bias", weft_dims(channels[i]), init);
        const weft_tensor shift = weft_reshape(bias, weft_dims(channels[i], 1, 1));
        x = weft_max_pool(weft_relu(weft_add(weft_conv2d(x, w, &same), shift)), &halve);
        weft_scope_pop(g);
    }
    const weft_tensor flat = weft_reshape(x, weft_dims(image.n[0], -1));
    step.loss = weft_cross_entropy(recipe_layers(s, flat, widths), target);
    step.update = weft_sgd(s, step.loss, &(weft_sgd_desc){.lr = 0.01f, .momentum = 0.9f});
    return step;
}

recipe recipe_cnn(weft_graph *g, weft_state *s) {
    return recipe_pyramid(g, s, weft_dims(16, 3, 32, 32), (const int[]){64, 128, 0},
                          (const int[]){10, 0});
}

recipe recipe_mnist(weft_graph *g, weft_state *s) {
    return recipe_pyramid(g, s, weft_dims(64, 1, 28, 28), (const int[]){32, 64, 0},
                          (const int[]){128, 10, 0});
}

/* ---- sequences ---- */

weft_recurred recipe_recur(weft_state *s, weft_cell cell, weft_tensor x, int64_t units,
                           const char *name) {
    const int64_t width = weft_cell_gates(cell) * units;
    const float bound = 1 / sqrtf((float)units);
    const weft_init init = {WEFT_INIT_UNIFORM, -bound, bound};
    weft_graph *g = x.g;
    weft_scope_push(g, name);
    const weft_tensor w_ih =
        weft_param(g, s, "weight_ih_l0", weft_dims(width, weft_dim(x, -1)), init);
    const weft_tensor w_hh = weft_param(g, s, "weight_hh_l0", weft_dims(width, units), init);
    const weft_tensor b_ih = weft_param(g, s, "bias_ih_l0", weft_dims(width), init);
    const weft_tensor b_hh = weft_param(g, s, "bias_hh_l0", weft_dims(width), init);
    weft_scope_pop(g);
    return weft_recur(cell, x, w_ih, w_hh, b_ih, b_hh, NULL);
}

/* One long sequence: everything a layer says moves towards a target. */
static recipe recipe_sequence(weft_graph *g, weft_state *s, weft_cell cell, const char *name) {
    recipe step = {0};
    const weft_tensor x = recipe_input(&step, g, weft_dims(100, 1, 256), 0);
    const weft_tensor target = recipe_input(&step, g, weft_dims(100, 1, 256), 0);
    step.loss = weft_mse(recipe_recur(s, cell, x, 256, name).y, target);
    step.update = weft_adam(s, step.loss, NULL);
    return step;
}

recipe recipe_lstm(weft_graph *g, weft_state *s) {
    return recipe_sequence(g, s, WEFT_LSTM, "lstm");
}

recipe recipe_gru(weft_graph *g, weft_state *s) {
    return recipe_sequence(g, s, WEFT_GRU, "gru");
}

recipe recipe_rnn(weft_graph *g, weft_state *s) {
    return recipe_sequence(g, s, WEFT_RNN_TANH, "rnn");
}

/* Pictures read row by row; the last state names the class. */
recipe recipe_lstm_rows(weft_graph *g, weft_state *s) {
    recipe step = {0};
    const weft_tensor x = recipe_input(&step, g, weft_dims(64, 28, 28), 0);
    const weft_tensor target = recipe_input(&step, g, weft_dims(64), 10);
    const weft_tensor rows = weft_transpose(x, 0, 1);
    const weft_tensor last = recipe_recur(s, WEFT_LSTM, rows, 128, "lstm").h;
    step.loss = weft_cross_entropy(weft_linear(s, last, 10, "fc"), target);
    step.update = weft_adam(s, step.loss, NULL);
    return step;
}

/* ---- a small GPT-2 ---- */

enum {
    GPT_LAYERS = 12,
    GPT_BATCH = 4,
    GPT_TIME = 64,
    GPT_WIDTH = 256,
    GPT_HEADS = 8,
    GPT_WORDS = 2048
};

static weft_tensor recipe_norm(weft_state *s, weft_tensor x, const char *name) {
    weft_scope_push(x.g, name);
    const weft_shape dims = weft_dims(weft_dim(x, -1));
    const weft_tensor w = weft_param(x.g, s, "weight", dims, (weft_init){.kind = WEFT_INIT_ONES});
    const weft_tensor b = weft_param(x.g, s, "bias", dims, (weft_init){0});
    weft_scope_pop(x.g);
    return weft_layer_norm(x, w, b, 1e-5f);
}

static weft_tensor recipe_heads(weft_tensor x) { /* [B, T, C] -> [B, heads, T, C / heads] */
    const weft_shape dims = weft_dims(GPT_BATCH, GPT_TIME, GPT_HEADS, GPT_WIDTH / GPT_HEADS);
    return weft_transpose(weft_reshape(x, dims), 1, 2);
}

static weft_tensor recipe_attention(weft_state *s, weft_tensor x) {
    weft_tensor part[3];
    weft_split(weft_linear(s, x, 3 * GPT_WIDTH, "attn.c_attn"), -1, 3, part);
    const weft_tensor y =
        weft_attention(recipe_heads(part[0]), recipe_heads(part[1]), recipe_heads(part[2]),
                       &(weft_attention_desc){.causal = true});
    const weft_shape dims = weft_dims(GPT_BATCH, GPT_TIME, GPT_WIDTH);
    return weft_linear(s, weft_reshape(weft_transpose(y, 1, 2), dims), GPT_WIDTH, "attn.c_proj");
}

static weft_tensor recipe_mlp(weft_state *s, weft_tensor x) {
    const weft_tensor hidden = weft_gelu_tanh(weft_linear(s, x, 4 * GPT_WIDTH, "mlp.c_fc"));
    return weft_linear(s, hidden, GPT_WIDTH, "mlp.c_proj");
}

recipe recipe_transformer(weft_graph *g, weft_state *s) {
    recipe step = {0};
    const weft_tensor word = recipe_input(&step, g, weft_dims(GPT_BATCH, GPT_TIME), GPT_WORDS);
    const weft_tensor next = recipe_input(&step, g, weft_dims(GPT_BATCH, GPT_TIME), GPT_WORDS);
    const weft_init init = {WEFT_INIT_NORMAL, 0, 0.02f};
    const weft_tensor wte = weft_param(g, s, "wte.weight", weft_dims(GPT_WORDS, GPT_WIDTH), init);
    const weft_tensor wpe = weft_param(g, s, "wpe.weight", weft_dims(GPT_TIME, GPT_WIDTH), init);
    weft_tensor x = weft_add(weft_embedding(wte, word), wpe);
    for (int i = 0; i < GPT_LAYERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        weft_scope_push(g, "h");
        weft_scope_push(g, name);
        x = weft_add(x, recipe_attention(s, recipe_norm(s, x, "ln_1")));
        x = weft_add(x, recipe_mlp(s, recipe_norm(s, x, "ln_2")));
        weft_scope_pop(g);
        weft_scope_pop(g);
    }
    const weft_tensor logits = weft_matmul(recipe_norm(s, x, "ln_f"), weft_transpose(wte, 0, 1));
    step.loss = weft_cross_entropy(logits, next);
    step.update = weft_adam(s, step.loss, &(weft_adam_desc){.lr = 3e-4f, .decay = 0.1f});
    return step;
}
