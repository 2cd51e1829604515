/* models.h - a few small networks that several test files train, and a trainer that feeds them.
 *
 * Everything a model sees follows from formulas: inputs from the step, first parameters from the
 * index of entry and element, so that tools/golden can train the same networks with PyTorch. The
 * formulas give multiples of 1/512, exact in f32. */
#ifndef WEFT_TEST_MODELS_H
#define WEFT_TEST_MODELS_H

#include "weft/weft.h"

#include <stdlib.h>
#include <string.h>

typedef struct model {
    weft_tensor x, target, y, loss; /* x and target are fed; y is what the network says */
    int classes;                    /* targets are i32 below this; 0: f32              */
    int tokens;                     /* inputs are i32 below this; 0: f32               */
    weft_updates update;
} model;

static inline float model_number(uint32_t i, uint32_t salt) { /* in [-1, 1) */
    uint32_t h = (i + 1) * 2654435761u + (salt + 1) * 40503u * 65537u;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    return (float)((int32_t)(h % 1024) - 512) / 512;
}

/* ---- networks ---- */

/* 16-64-64-4, Adam: the action values of a small player. */
static inline void model_dqn(weft_graph *g, weft_state *s, model *m) {
    m->x = weft_input(g, WEFT_F32, weft_dims(32, 16));
    m->target = weft_input(g, WEFT_F32, weft_dims(32, 4));
    weft_tensor h = weft_relu(weft_linear(s, m->x, 64, "fc1"));
    h = weft_relu(weft_linear(s, h, 64, "fc2"));
    m->y = weft_linear(s, h, 4, "fc3");
    m->loss = weft_mse(m->y, m->target);
    m->update = weft_adam(s, m->loss, &(weft_adam_desc){.lr = 1e-2f});
}

/* 784-128-10, SGD with momentum and decay. */
static inline void model_mlp(weft_graph *g, weft_state *s, model *m) {
    m->x = weft_input(g, WEFT_F32, weft_dims(32, 784));
    m->target = weft_input(g, WEFT_I32, weft_dims(32));
    m->classes = 10;
    m->y = weft_linear(s, weft_relu(weft_linear(s, m->x, 128, "fc1")), 10, "fc2");
    m->loss = weft_cross_entropy(m->y, m->target);
    m->update =
        weft_sgd(s, m->loss, &(weft_sgd_desc){.lr = 0.05f, .momentum = 0.9f, .decay = 1e-3f});
}

static inline weft_tensor model_conv(weft_state *s, weft_tensor x, int64_t out, const char *name) {
    int64_t in = weft_dim(x, 1);
    weft_scope_push(x.g, name);
    weft_init init = {WEFT_INIT_UNIFORM, -0.3f, 0.3f};
    weft_tensor w = weft_param(x.g, s, "weight", weft_dims(out, in, 3, 3), init);
    weft_tensor b = weft_param(x.g, s, "bias", weft_dims(out), init);
    weft_scope_pop(x.g);
    weft_tensor y = weft_conv2d(x, w, &(weft_conv_desc){.padding = {1, 1}});
    return weft_add(y, weft_reshape(b, weft_dims(1, out, 1, 1)));
}

/* Two convolutions with pooling and a linear layer, AdamW. */
static inline void model_cnn(weft_graph *g, weft_state *s, model *m) {
    weft_pool_desc half = {.size = {2, 2}};
    m->x = weft_input(g, WEFT_F32, weft_dims(8, 1, 12, 12));
    m->target = weft_input(g, WEFT_I32, weft_dims(8));
    m->classes = 5;
    weft_tensor h = weft_max_pool(weft_relu(model_conv(s, m->x, 8, "conv1")), &half);
    h = weft_avg_pool(weft_relu(model_conv(s, h, 16, "conv2")), &half);
    m->y = weft_linear(s, weft_reshape(h, weft_dims(8, -1)), 5, "fc");
    m->loss = weft_cross_entropy(m->y, m->target);
    m->update = weft_adam(s, m->loss, &(weft_adam_desc){.lr = 5e-3f, .decay = 0.1f});
}

static inline weft_tensor model_norm(weft_state *s, weft_tensor x, const char *name) {
    weft_scope_push(x.g, name);
    weft_shape d = weft_dims(weft_dim(x, -1));
    weft_tensor w = weft_param(x.g, s, "weight", d, (weft_init){.kind = WEFT_INIT_ONES});
    weft_tensor b = weft_param(x.g, s, "bias", d, (weft_init){.kind = WEFT_INIT_ZEROS});
    weft_scope_pop(x.g);
    return weft_layer_norm(x, w, b, 1e-5f);
}

static inline weft_tensor model_heads(weft_tensor x) { /* [4, 16, 16] -> [4, 2, 16, 8] */
    return weft_transpose(weft_reshape(x, weft_dims(4, 16, 2, 8)), 1, 2);
}

/* One transformer block over 4 sequences of 16 tokens: predict the target of each place. */
static inline void model_attention(weft_graph *g, weft_state *s, model *m) {
    m->x = weft_input(g, WEFT_I32, weft_dims(4, 16));
    m->target = weft_input(g, WEFT_I32, weft_dims(4, 16));
    m->classes = m->tokens = 20;
    weft_init normal = {WEFT_INIT_NORMAL, 0, 0.3f};
    weft_tensor table = weft_param(g, s, "tokens", weft_dims(20, 16), normal);
    weft_tensor places = weft_param(g, s, "places", weft_dims(16, 16), normal);
    weft_tensor x = weft_add(weft_embedding(table, m->x), places);
    weft_scope_push(g, "block");
    weft_tensor h = model_norm(s, x, "ln1");
    weft_tensor q = model_heads(weft_linear(s, h, 16, "q")),
                k = model_heads(weft_linear(s, h, 16, "k")),
                v = model_heads(weft_linear(s, h, 16, "v"));
    weft_tensor a = weft_attention(q, k, v, &(weft_attention_desc){.causal = true});
    a = weft_reshape(weft_transpose(a, 1, 2), weft_dims(4, 16, 16));
    x = weft_add(x, weft_linear(s, a, 16, "out"));
    h = weft_gelu(weft_linear(s, model_norm(s, x, "ln2"), 32, "up"));
    x = weft_add(x, weft_linear(s, h, 16, "down"));
    weft_scope_pop(g);
    m->y = weft_linear(s, model_norm(s, x, "ln"), 20, "head");
    m->loss = weft_cross_entropy(m->y, m->target);
    m->update = weft_adam(s, m->loss, &(weft_adam_desc){.lr = 3e-3f});
}

/* The same with randomness in it: masks must not depend on threads, plans or width. */
static inline void model_dropout(weft_graph *g, weft_state *s, model *m) {
    m->x = weft_input(g, WEFT_F32, weft_dims(64, 48));
    m->target = weft_input(g, WEFT_I32, weft_dims(64));
    m->classes = 7;
    weft_tensor h = weft_dropout(weft_gelu(weft_linear(s, m->x, 100, "fc1")), 0.25f);
    h = weft_add(h, weft_scale(weft_normal(g, weft_shape_of(h)), 0.1f));
    m->y = weft_linear(s, h, 7, "fc2");
    m->loss = weft_cross_entropy(m->y, m->target);
    m->update =
        weft_sgd(s, m->loss, &(weft_sgd_desc){.lr = 0.1f, .momentum = 0.5f, .nesterov = true});
}

/* An LSTM over 7 steps of 20 sequences, a GRU back over what it says, and a linear layer. */
static inline weft_recurred model_recur(weft_state *s, weft_cell cell, weft_tensor x, int64_t units,
                                        const char *name, bool reverse) {
    int64_t width = weft_cell_gates(cell) * units;
    weft_init init = {WEFT_INIT_UNIFORM, -0.25f, 0.25f};
    weft_scope_push(x.g, name);
    weft_tensor w_ih = weft_param(x.g, s, "weight_ih_l0", weft_dims(width, weft_dim(x, 2)), init);
    weft_tensor w_hh = weft_param(x.g, s, "weight_hh_l0", weft_dims(width, units), init);
    weft_tensor b_ih = weft_param(x.g, s, "bias_ih_l0", weft_dims(width), init);
    weft_tensor b_hh = weft_param(x.g, s, "bias_hh_l0", weft_dims(width), init);
    weft_scope_pop(x.g);
    return weft_recur(cell, x, w_ih, w_hh, b_ih, b_hh, &(weft_recur_desc){.reverse = reverse});
}

static inline void model_recurrent(weft_graph *g, weft_state *s, model *m) {
    m->x = weft_input(g, WEFT_F32, weft_dims(20, 7, 9));
    m->target = weft_input(g, WEFT_I32, weft_dims(20));
    m->classes = 6;
    weft_tensor h = model_recur(s, WEFT_LSTM, weft_transpose(m->x, 0, 1), 16, "lstm", false).y;
    m->y = weft_linear(s, model_recur(s, WEFT_GRU, h, 10, "gru", true).h, 6, "fc");
    m->loss = weft_cross_entropy(m->y, m->target);
    m->update = weft_adam(s, m->loss, &(weft_adam_desc){.lr = 1e-2f});
}

typedef struct model_row {
    const char *name;
    void (*build)(weft_graph *g, weft_state *s, model *m);
} model_row;

static const model_row model_table[] = {
    {"dqn", model_dqn},         {"mlp", model_mlp},
    {"cnn", model_cnn},         {"attention", model_attention},
    {"dropout", model_dropout}, {"recurrent", model_recurrent},
};
enum { MODELS = sizeof model_table / sizeof *model_table };

/* ---- a trainer: context, state, graph and plan of one model ---- */

typedef struct trainer {
    weft_ctx *c;
    weft_state *s;
    weft_graph *g;
    weft_plan *p;
    model m;
} trainer;

/* Parameters as formulas: entry e, element i; matrices near 1 / sqrt(inputs). */
static inline bool trainer_first_values(trainer *t) {
    for (size_t e = 0, trained = 0; e < weft_state_count(t->s); e++) {
        weft_entry entry;
        if (weft_state_entry(t->s, e, &entry) || !entry.trained) continue;
        size_t n = entry.bytes / sizeof(float);
        float *v = malloc(entry.bytes + 1), scale = 0.25f;
        if (!v) return false;
        for (int64_t inputs = entry.dims.rank > 1 ? entry.dims.n[1] : 1; inputs > 16; inputs /= 4)
            scale /= 2;
        for (size_t i = 0; i < n; i++)
            v[i] = scale * model_number((uint32_t)i, 1000 + (uint32_t)trained);
        weft_err e2 = weft_state_set(t->s, entry.name, v, entry.bytes);
        free(v);
        if (e2) return false;
        trained++;
    }
    return true;
}

static inline bool trainer_open(trainer *t, const model_row *row, const weft_open_desc *d,
                                weft_plan_desc plan) {
    *t = (trainer){0};
    t->c = weft_open_with(d);
    t->s = weft_state_new(t->c);
    t->g = weft_graph_new(t->c);
    if (!t->s || !t->g) return false;
    row->build(t->g, t->s, &t->m);
    plan.fetch = weft_list(t->m.loss);
    plan.update = t->m.update;
    t->p = weft_compile(t->g, &plan);
    return t->p && trainer_first_values(t);
}

static inline void trainer_close(trainer *t) {
    weft_plan_free(t->p);
    weft_graph_free(t->g);
    weft_state_free(t->s);
    weft_close(t->c);
}

static inline void trainer_fill(void *to, weft_tensor x, int below, uint32_t salt) {
    int64_t n = weft_count(x);
    for (int64_t i = 0; i < n; i++) {
        float v = model_number((uint32_t)i, salt);
        if (below) ((int32_t *)to)[i] = (int32_t)((v + 1) * 512) % below;
        else ((float *)to)[i] = v;
    }
}

/* Two batches take turns, so that there is something to learn. */
static inline void trainer_feed(trainer *t, uint32_t step) {
    uint32_t salt = 2 * (step % 2);
    trainer_fill(weft_feed(t->p, t->m.x), t->m.x, t->m.tokens, salt);
    trainer_fill(weft_feed(t->p, t->m.target), t->m.target, t->m.classes, salt + 1);
}

/* One step; the loss before it. */
static inline float trainer_step(trainer *t, uint32_t step) {
    trainer_feed(t, step);
    return weft_run(t->p) == WEFT_OK ? weft_item(t->p, t->m.loss) : -1;
}

#endif
