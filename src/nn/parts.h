/* parts.h - what the layers share: looking at what they are given, and scopes for their names. */
#ifndef WEFT_NN_PARTS_H
#define WEFT_NN_PARTS_H

#include "weft/nn.h"

/* How messages call a layer: linear "fc1". */
typedef struct nn_title {
    char text[80];
} nn_title;

/* x is a tensor; else the graph is poisoned. */
bool nn_tensor(const char *what, weft_tensor x);

/* x is a tensor, s a state and name a text; then there is a title for what may follow. */
bool nn_layer(nn_title *t, const char *kind, weft_state *s, weft_tensor x, const char *name);

/* a and b are tensors of one shape */
bool nn_same_shape(const char *what, weft_tensor a, weft_tensor b);

/* n is a possible size; `of` says whose */
bool nn_size(weft_graph *g, const char *what, const char *of, int64_t n);

/* One scope for each part of a name with dots; how many, for nn_leave. A layer works inside, so
 * that its parameters, its messages and its random numbers bear its name. */
int nn_enter(weft_graph *g, const char *name);
void nn_leave(weft_graph *g, int scopes);

/* The init given, or the layer's own. */
weft_init nn_or(weft_init given, weft_init own);
weft_init nn_uniform(double bound); /* from -bound to bound */

/* x is [B, T, width] with heads that divide the width, and so is memory, if there is one. */
bool nn_sequence_fits(const char *what, weft_tensor x, weft_tensor memory, int heads);

/* [B, T, width] -> [B, heads, T, width / heads] */
weft_tensor nn_heads(weft_tensor x, int64_t heads);

/* Attention with dropout of its weights, by the formula. */
weft_tensor nn_attend_dropped(weft_tensor q, weft_tensor k, weft_tensor v, bool causal,
                              weft_tensor mask, float dropout);

const char *nn_shape_text(char *to, size_t bytes, weft_tensor x); /* "[8,64]" */

#endif
