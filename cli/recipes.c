/* recipes.c - records the training steps of recipes.h, with public functions only: layers are those
 * of weft/nn.h, so that what is timed is what programs get. */
#include "recipes.h"

#include "command.h"

#include <weft/nn.h>

#include <stdio.h>
#include <string.h>

static weft_tensor recipe_input(recipe *step, weft_graph *g, weft_shape dims, int32_t limit) {
    const weft_tensor t = weft_input(g, limit ? WEFT_I32 : WEFT_F32, dims);
    step->input[step->inputs].tensor = t;
    step->input[step->inputs++].limit = limit;
    return t;
}

int recipe_feed(bench *b, weft_plan *p, const recipe *step, int64_t rows) {
    bench_random r = {1};
    for (int i = 0; i < step->inputs; i++) {
        const weft_tensor t = step->input[i].tensor;
        const int64_t all = weft_count(t), some = rows ? all / step->batch * rows : all;
        char *feed = weft_feed(p, t);
        if (!feed) return bench_failed(b, "feeding");
        if (step->input[i].limit)
            bench_fill_integers(&r, (int32_t *)feed, some, step->input[i].limit);
        else bench_fill(&r, (float *)feed, some);
        for (int64_t k = some; k < all; k += some) memcpy(feed + 4 * k, feed, 4 * (size_t)some);
    }
    return EXIT_GOOD;
}

static weft_updates recipe_sgd(weft_state *s, recipe *step, float lr, float momentum) {
    const weft_sgd_desc d = {.lr = lr, .momentum = momentum};
    step->optimiser = (weft_optimiser_desc){.kind = WEFT_OPTIMISER_SGD, .momentum = d.momentum};
    return weft_sgd(s, step->loss, &d);
}

static weft_updates recipe_adam(weft_state *s, recipe *step, float lr, float decay) {
    const weft_adam_desc d = {.lr = lr, .decay = decay};
    step->optimiser =
        (weft_optimiser_desc){.kind = WEFT_OPTIMISER_ADAMW, .decay = decay, .no_decay = decay == 0};
    return weft_adam(s, step->loss, &d);
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
static recipe recipe_q_network(weft_graph *g, weft_state *s, int64_t batch, int in,
                               const int *widths, int actions) {
    recipe step = {.batch = batch};
    const weft_tensor x = recipe_input(&step, g, weft_dims(batch, in), 0);
    const weft_tensor action = recipe_input(&step, g, weft_dims(batch, 1), actions);
    const weft_tensor target = recipe_input(&step, g, weft_dims(batch, 1), 0);
    const weft_tensor q = recipe_layers(s, x, widths);
    step.loss = weft_mse(weft_take_along(q, action, 1), target);
    step.update = recipe_adam(s, &step, 0, 0);
    return step;
}

recipe recipe_dqn2048(weft_graph *g, weft_state *s, recipe_size size) {
    return recipe_q_network(g, s, size.batch ? size.batch : 32, 16, (const int[]){64, 64, 4, 0}, 4);
}

recipe recipe_cube(weft_graph *g, weft_state *s, recipe_size size) {
    return recipe_q_network(g, s, size.batch ? size.batch : 64, 144, (const int[]){128, 64, 6, 0},
                            6);
}

recipe recipe_mlp784(weft_graph *g, weft_state *s, recipe_size size) {
    recipe step = {.batch = size.batch ? size.batch : 32};
    const weft_tensor x = recipe_input(&step, g, weft_dims(step.batch, 784), 0);
    const weft_tensor target = recipe_input(&step, g, weft_dims(step.batch), 10);
    step.loss = weft_cross_entropy(recipe_layers(s, x, (const int[]){128, 10, 0}), target);
    step.update = recipe_sgd(s, &step, 1e-3f, 0.9f);
    return step;
}

/* A yes or no of 30 numbers. */
recipe recipe_logistic(weft_graph *g, weft_state *s, recipe_size size) {
    recipe step = {.batch = size.batch ? size.batch : 256};
    const weft_tensor x = recipe_input(&step, g, weft_dims(step.batch, 30), 0);
    const weft_tensor target = recipe_input(&step, g, weft_dims(step.batch, 1), 2);
    const weft_tensor yes = weft_cast(target, WEFT_F32);
    step.loss = weft_nn_bce_with_logits(weft_linear(s, x, 1, "fc"), yes, NULL);
    step.update = recipe_sgd(s, &step, 0.1f, 0);
    return step;
}

/* Texts of 32 words out of 20,000, each the mean of its words' rows, in ten classes. */
recipe recipe_embedding(weft_graph *g, weft_state *s, recipe_size size) {
    enum { WORDS = 20000, WIDTH = 64, LENGTH = 32 };
    recipe step = {.batch = size.batch ? size.batch : 64};
    const weft_tensor word = recipe_input(&step, g, weft_dims(step.batch, LENGTH), WORDS);
    const weft_tensor target = recipe_input(&step, g, weft_dims(step.batch), 10);
    const weft_tensor rows = weft_nn_embedding(s, word, WORDS, WIDTH, "words", NULL);
    const weft_tensor text = weft_mean(rows, weft_axes(1), false);
    step.loss = weft_cross_entropy(weft_linear(s, text, 10, "fc"), target);
    step.update = recipe_sgd(s, &step, 0.1f, 0);
    return step;
}

/* ---- images, [N, C, H, W] ---- */

/* Convolutions 3x3 with relu, each followed by a pool that halves the image; then linear layers. */
static weft_tensor recipe_convolved(weft_state *s, weft_tensor x, const int *channels,
                                    const int *widths) {
    for (int i = 0; channels[i]; i++) {
        char name[16];
        snprintf(name, sizeof name, "conv%d", i + 1);
        x = weft_nn_conv2d(s, x, channels[i], weft_dims(3, 3), name,
                           &(weft_nn_conv_desc){.same = true});
        x = weft_max_pool(weft_relu(x), &(weft_pool_desc){.size = {2, 2}});
    }
    return recipe_layers(s, weft_nn_flatten(x), widths);
}

static recipe recipe_pyramid(weft_graph *g, weft_state *s, weft_shape image, const int *channels,
                             const int *widths) {
    recipe step = {.batch = image.n[0]};
    const weft_tensor x = recipe_input(&step, g, image, 0);
    const weft_tensor target = recipe_input(&step, g, weft_dims(step.batch), 10);
    step.loss = weft_cross_entropy(recipe_convolved(s, x, channels, widths), target);
    step.update = recipe_sgd(s, &step, 0.01f, 0.9f);
    return step;
}

weft_tensor recipe_pictures(weft_state *s, weft_tensor x) {
    return recipe_convolved(s, x, (const int[]){64, 128, 0}, (const int[]){10, 0});
}

recipe recipe_cnn(weft_graph *g, weft_state *s, recipe_size size) {
    return recipe_pyramid(g, s, weft_dims(size.batch ? size.batch : 16, 3, 32, 32),
                          (const int[]){64, 128, 0}, (const int[]){10, 0});
}

recipe recipe_mnist(weft_graph *g, weft_state *s, recipe_size size) {
    return recipe_pyramid(g, s, weft_dims(size.batch ? size.batch : 64, 1, 28, 28),
                          (const int[]){32, 64, 0}, (const int[]){128, 10, 0});
}

/* ---- sequences ---- */

/* One long sequence: everything a layer says moves towards a target. */
static recipe recipe_sequence(weft_graph *g, weft_state *s, const char *name,
                              weft_nn_sequence (*layer)(weft_state *, weft_tensor, int64_t,
                                                        const char *,
                                                        const weft_nn_recurrent_desc *)) {
    recipe step = {.batch = 1};
    const weft_tensor x = recipe_input(&step, g, weft_dims(100, 1, 256), 0);
    const weft_tensor target = recipe_input(&step, g, weft_dims(100, 1, 256), 0);
    step.loss = weft_mse(layer(s, x, 256, name, NULL).y, target);
    step.update = recipe_adam(s, &step, 0, 0);
    return step;
}

recipe recipe_lstm(weft_graph *g, weft_state *s, recipe_size size) {
    (void)size; /* one sequence is all there is */
    return recipe_sequence(g, s, "lstm", weft_nn_lstm);
}

recipe recipe_gru(weft_graph *g, weft_state *s, recipe_size size) {
    (void)size;
    return recipe_sequence(g, s, "gru", weft_nn_gru);
}

recipe recipe_rnn(weft_graph *g, weft_state *s, recipe_size size) {
    (void)size;
    return recipe_sequence(g, s, "rnn", weft_nn_rnn);
}

/* Pictures read row by row; the last state names the class. */
recipe recipe_lstm_rows(weft_graph *g, weft_state *s, recipe_size size) {
    recipe step = {.batch = size.batch ? size.batch : 64};
    const weft_tensor x = recipe_input(&step, g, weft_dims(step.batch, 28, 28), 0);
    const weft_tensor target = recipe_input(&step, g, weft_dims(step.batch), 10);
    const weft_tensor last =
        weft_nn_lstm(s, x, 128, "lstm", &(weft_nn_recurrent_desc){.batch_first = true}).h;
    const weft_tensor flat = weft_reshape(last, weft_dims(step.batch, 128));
    step.loss = weft_cross_entropy(weft_linear(s, flat, 10, "fc"), target);
    step.update = recipe_adam(s, &step, 0, 0);
    return step;
}

/* ---- GPT-2, small ---- */

weft_tensor recipe_gpt_logits(weft_state *s, weft_tensor word, const recipe_gpt *n) {
    char name[16];
    weft_graph *const g = word.g;
    const weft_init init = weft_init_gpt2(0);
    const weft_tensor wte = weft_param(g, s, "wte.weight", weft_dims(n->words, n->width), init);
    const weft_tensor wpe = weft_param(g, s, "wpe.weight", weft_dims(n->places, n->width), init);
    weft_tensor x =
        weft_add(weft_embedding(wte, word), weft_slice(wpe, 0, 0, weft_dim(word, 1), 1));
    for (int i = 0; i < n->layers; i++) {
        snprintf(name, sizeof name, "h.%d", i);
        x = weft_nn_gpt2(s, x, n->heads, name, &(weft_nn_gpt2_desc){.layers = n->layers});
    }
    return weft_matmul(weft_nn_layer_norm(s, x, "ln_f", NULL), weft_transpose(wte, 0, 1));
}

const recipe_gpt recipe_gpt_distil = {
    .layers = 6, .width = 768, .heads = 12, .words = 50257, .places = 1024};
const recipe_gpt recipe_gpt_little = {
    .layers = 2, .width = 128, .heads = 4, .words = 2048, .places = 64};

recipe recipe_language(weft_graph *g, weft_state *s, int64_t batch, int64_t length,
                       const recipe_gpt *n) {
    recipe step = {.batch = batch};
    const weft_tensor word = recipe_input(&step, g, weft_dims(batch, length), n->words);
    const weft_tensor next = recipe_input(&step, g, weft_dims(batch, length), n->words);
    step.loss = weft_cross_entropy(recipe_gpt_logits(s, word, n), next);
    step.update = recipe_adam(s, &step, 3e-4f, 0.1f);
    /* every weight of a layer, and of the head, meets every word forward and twice backward */
    const double layer = 12.0 * (double)n->width * (double)n->width;
    step.products =
        6 * (double)(batch * length) * (n->layers * layer + (double)n->words * (double)n->width);
    return step;
}

static recipe recipe_sized(weft_graph *g, weft_state *s, recipe_size size, int64_t batch,
                           int64_t length, const recipe_gpt *n) {
    const recipe_gpt small = {
        .layers = n->layers, .width = 4 * n->heads, .heads = n->heads, .words = 24, .places = 8};
    if (size.small) return recipe_language(g, s, 2, small.places, &small);
    return recipe_language(g, s, size.batch ? size.batch : batch,
                           size.tokens ? size.tokens : length, n);
}

recipe recipe_transformer6(weft_graph *g, weft_state *s, recipe_size size) {
    static const recipe_gpt n = {
        .layers = 6, .width = 256, .heads = 8, .words = 2048, .places = 64};
    return recipe_sized(g, s, size, 4, 64, &n);
}

recipe recipe_transformer(weft_graph *g, weft_state *s, recipe_size size) {
    static const recipe_gpt n = {
        .layers = 4, .width = 256, .heads = 8, .words = 2048, .places = 128};
    return recipe_sized(g, s, size, 8, 128, &n);
}

recipe recipe_transformer12(weft_graph *g, weft_state *s, recipe_size size) {
    static const recipe_gpt n = {
        .layers = 12, .width = 256, .heads = 8, .words = 2048, .places = 64};
    return recipe_sized(g, s, size, 4, 64, &n);
}

/* Deep and narrow, so that it fits: compiling looks at nodes, not at numbers. */
recipe recipe_transformer256(weft_graph *g, weft_state *s, recipe_size size) {
    static const recipe_gpt n = {
        .layers = 256, .width = 64, .heads = 4, .words = 512, .places = 32};
    return recipe_sized(g, s, size, 1, 32, &n);
}

recipe recipe_distilgpt2(weft_graph *g, weft_state *s, recipe_size size) {
    return recipe_sized(g, s, size, 1, 31, size.little ? &recipe_gpt_little : &recipe_gpt_distil);
}
