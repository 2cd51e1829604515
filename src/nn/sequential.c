/* sequential.c - networks as lists of layers, named by number as PyTorch's nn.Sequential names
 * them. A layer of a list is a function and what it wants to know; those of nn.h are here, a
 * program's own stand beside them. */
#include "nn/parts.h"

#include <stdio.h>

static weft_tensor sequential_run(weft_state *s, weft_tensor x, const char *name,
                                  weft_nn_list layers) {
    if (!layers.at && layers.n)
        return weft_poison(x.g, WEFT_ARGUMENT, "sequential: the list is NULL");
    int scopes = nn_enter(x.g, name);
    for (size_t i = 0; i < layers.n; i++) {
        char number[24];
        const weft_nn_layer *l = &layers.at[i];
        snprintf(number, sizeof number, "%zu", i);
        if (!l->fn) {
            x = weft_poison(x.g, WEFT_ARGUMENT, "sequential: layer %zu has no function", i);
            break;
        }
        x = l->fn(s, x, l, l->name ? l->name : number);
    }
    nn_leave(x.g, scopes);
    return x;
}

weft_tensor weft_nn_sequential(weft_state *s, weft_tensor x, const char *name,
                               weft_nn_list layers) {
    nn_title of;
    if (!nn_layer(&of, "sequential", s, x, name)) return (weft_tensor){x.g, 0};
    return sequential_run(s, x, name, layers);
}

weft_tensor weft_nn_residual(weft_state *s, weft_tensor x, const char *name, weft_nn_list layers) {
    nn_title of;
    if (!nn_layer(&of, "residual", s, x, name)) return (weft_tensor){x.g, 0};
    weft_tensor y = sequential_run(s, x, name, layers);
    return nn_same_shape(of.text, x, y) ? weft_add(x, y) : (weft_tensor){x.g, 0};
}

/* ---- layers of a list ---- */

static weft_tensor sequential_linear(weft_state *s, weft_tensor x, const weft_nn_layer *l,
                                     const char *name) {
    return weft_nn_linear(s, x, l->out, name, l->desc);
}

static weft_tensor sequential_conv1d(weft_state *s, weft_tensor x, const weft_nn_layer *l,
                                     const char *name) {
    return weft_nn_conv1d(s, x, l->out, l->size[0], name, l->desc);
}

static weft_tensor sequential_conv2d(weft_state *s, weft_tensor x, const weft_nn_layer *l,
                                     const char *name) {
    return weft_nn_conv2d(s, x, l->out, weft_dims(l->size[0], l->size[1]), name, l->desc);
}

static weft_tensor sequential_batch_norm(weft_state *s, weft_tensor x, const weft_nn_layer *l,
                                         const char *name) {
    return weft_nn_batch_norm(s, x, name, l->desc);
}

static weft_tensor sequential_layer_norm(weft_state *s, weft_tensor x, const weft_nn_layer *l,
                                         const char *name) {
    return weft_nn_layer_norm(s, x, name, l->desc);
}

static weft_tensor sequential_activation(weft_state *s, weft_tensor x, const weft_nn_layer *l,
                                         const char *name) {
    (void)s, (void)name;
    return weft_nn_activate(x, (weft_activation)l->out);
}

static weft_tensor sequential_dropout(weft_state *s, weft_tensor x, const weft_nn_layer *l,
                                      const char *name) {
    (void)s, (void)name;
    return weft_dropout(x, l->p);
}

static weft_tensor sequential_max_pool(weft_state *s, weft_tensor x, const weft_nn_layer *l,
                                       const char *name) {
    (void)s, (void)name;
    return weft_max_pool(x, l->desc);
}

static weft_tensor sequential_avg_pool(weft_state *s, weft_tensor x, const weft_nn_layer *l,
                                       const char *name) {
    (void)s, (void)name;
    return weft_avg_pool(x, l->desc);
}

static weft_tensor sequential_flatten(weft_state *s, weft_tensor x, const weft_nn_layer *l,
                                      const char *name) {
    (void)s, (void)l, (void)name;
    return weft_nn_flatten(x);
}

weft_nn_layer weft_nn_layer_linear(int64_t out, const weft_nn_linear_desc *d) {
    return (weft_nn_layer){.fn = sequential_linear, .out = out, .desc = d};
}

weft_nn_layer weft_nn_layer_conv1d(int64_t out, int64_t size, const weft_nn_conv_desc *d) {
    return (weft_nn_layer){.fn = sequential_conv1d, .out = out, .size = {size}, .desc = d};
}

weft_nn_layer weft_nn_layer_conv2d(int64_t out, int64_t size, const weft_nn_conv_desc *d) {
    return (weft_nn_layer){.fn = sequential_conv2d, .out = out, .size = {size, size}, .desc = d};
}

weft_nn_layer weft_nn_layer_batch_norm(const weft_nn_batch_norm_desc *d) {
    return (weft_nn_layer){.fn = sequential_batch_norm, .desc = d};
}

weft_nn_layer weft_nn_layer_layer_norm(const weft_nn_norm_desc *d) {
    return (weft_nn_layer){.fn = sequential_layer_norm, .desc = d};
}

weft_nn_layer weft_nn_layer_activation(weft_activation a) {
    return (weft_nn_layer){.fn = sequential_activation, .out = (int64_t)a};
}

weft_nn_layer weft_nn_layer_dropout(float p) {
    return (weft_nn_layer){.fn = sequential_dropout, .p = p};
}

weft_nn_layer weft_nn_layer_max_pool(const weft_pool_desc *d) {
    return (weft_nn_layer){.fn = sequential_max_pool, .desc = d};
}

weft_nn_layer weft_nn_layer_avg_pool(const weft_pool_desc *d) {
    return (weft_nn_layer){.fn = sequential_avg_pool, .desc = d};
}

weft_nn_layer weft_nn_layer_flatten(void) {
    return (weft_nn_layer){.fn = sequential_flatten};
}
