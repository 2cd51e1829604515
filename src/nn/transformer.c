/* transformer.c - multi-head attention, and PyTorch's layers of transformers made of it. */
#include "nn/parts.h"

#include <math.h>

static const weft_init transformer_zeros = {WEFT_INIT_ZEROS, 0, 0};

weft_tensor nn_heads(weft_tensor x, int64_t heads) {
    weft_shape s = weft_shape_of(x);
    if (!weft_ok(x)) return x;
    return weft_transpose(weft_reshape(x, weft_dims(s.n[0], s.n[1], heads, s.n[2] / heads)), 1, 2);
}

/* The formula, with dropout of the shares; what may not be seen has none, and a row that sees
 * nothing gives zeros. */
weft_tensor nn_attend_dropped(weft_tensor q, weft_tensor k, weft_tensor v, bool causal,
                              weft_tensor mask, float dropout) {
    weft_graph *g = q.g;
    int64_t t = weft_dim(q, 2), all = weft_dim(k, 2), width = weft_dim(q, 3);
    weft_tensor score = weft_scale(weft_matmul(q, weft_transpose(k, -1, -2)),
                                   (float)(1 / sqrt((double)(width ? width : 1))));
    weft_tensor seen = mask;
    if (causal) {
        weft_shape square = weft_dims(t, all);
        weft_tensor last = weft_add(weft_iota(g, square, 0), weft_integer(g, (int32_t)(all - t)));
        weft_tensor before = weft_le(weft_iota(g, square, 1), last);
        seen = mask.g ? weft_and(weft_cast(mask, WEFT_BOOL), before) : before;
    }
    if (seen.g) score = weft_where(seen, score, weft_scalar(g, -1e30f));
    weft_tensor share = weft_softmax(score, -1);
    if (seen.g) share = weft_where(seen, share, weft_scalar(g, 0));
    return weft_matmul(weft_dropout(share, dropout), v);
}

/* rows [B, T, in] by W [out, in], and its bias if there is one */
static weft_tensor transformer_project(weft_tensor x, weft_tensor w, weft_tensor b) {
    weft_tensor y = weft_matmul(x, weft_transpose(w, 0, 1));
    return b.g ? weft_add(y, b) : y;
}

static weft_tensor transformer_rows(weft_tensor w, int64_t from, int64_t to) {
    return w.g ? weft_slice(w, 0, from, to, 1) : w;
}

/* q from x, k and v from memory: one weight for all three, or one for each if widths differ. */
static void transformer_qkv(weft_state *s, weft_tensor x, weft_tensor memory,
                            const weft_nn_attention_desc *d, weft_tensor out[3]) {
    weft_graph *g = x.g;
    int64_t e = weft_dim(x, 2), m = weft_dim(memory, 2);
    weft_tensor b = {0};
    if (e != m) {
        static const char *const name[3] = {"q_proj_weight", "k_proj_weight", "v_proj_weight"};
        weft_tensor w[3];
        for (int i = 0; i < 3; i++) {
            weft_shape dims = weft_dims(e, i ? m : e);
            w[i] = weft_param(g, s, name[i], dims,
                              nn_or(d->weight, weft_init_xavier_uniform(dims, 1)));
        }
        if (!d->no_bias) b = weft_param(g, s, "in_proj_bias", weft_dims(3 * e), transformer_zeros);
        for (int i = 0; i < 3; i++)
            out[i] =
                transformer_project(i ? memory : x, w[i], transformer_rows(b, i * e, (i + 1) * e));
        return;
    }
    weft_shape dims = weft_dims(3 * e, e);
    weft_tensor w = weft_param(g, s, "in_proj_weight", dims,
                               nn_or(d->weight, weft_init_xavier_uniform(dims, 1)));
    if (!d->no_bias) b = weft_param(g, s, "in_proj_bias", weft_dims(3 * e), transformer_zeros);
    if (memory.id == x.id) {
        weft_split(transformer_project(x, w, b), 2, 3, out);
        return;
    }
    out[0] = transformer_project(x, transformer_rows(w, 0, e), transformer_rows(b, 0, e));
    weft_split(
        transformer_project(memory, transformer_rows(w, e, 3 * e), transformer_rows(b, e, 3 * e)),
        2, 2, out + 1);
}

bool nn_sequence_fits(const char *what, weft_tensor x, weft_tensor memory, int heads) {
    char a[100], b[100];
    if (memory.g && !nn_tensor(what, memory)) return false;
    if (weft_rank(x) != 3 || (memory.g && weft_rank(memory) != 3) ||
        (memory.g && weft_dim(memory, 0) != weft_dim(x, 0)))
        weft_poison(x.g, WEFT_SHAPE, "%s: [B, T, width] was expected, got %s%s%s", what,
                    nn_shape_text(a, sizeof a, x), memory.g ? " and a memory of " : "",
                    memory.g ? nn_shape_text(b, sizeof b, memory) : "");
    else if (heads < 1 || weft_dim(x, 2) % heads || weft_dim(x, 2) < 1)
        weft_poison(x.g, WEFT_ARGUMENT, "%s: %d heads do not divide a width of %lld", what, heads,
                    (long long)weft_dim(x, 2));
    else return true;
    return false;
}

weft_tensor weft_nn_attention(weft_state *s, weft_tensor x, int heads, const char *name,
                              const weft_nn_attention_desc *d) {
    static const weft_nn_attention_desc none;
    if (!d) d = &none;
    nn_title of;
    if (!nn_layer(&of, "attention", s, x, name) || !nn_sequence_fits(of.text, x, d->memory, heads))
        return (weft_tensor){x.g, 0};
    int scopes = nn_enter(x.g, name);
    weft_tensor part[3], y;
    transformer_qkv(s, x, d->memory.g ? d->memory : x, d, part);
    for (int i = 0; i < 3; i++) part[i] = nn_heads(part[i], heads);
    if (d->dropout != 0 && !weft_graph_is_eval(x.g))
        y = nn_attend_dropped(part[0], part[1], part[2], d->causal, d->mask, d->dropout);
    else
        y = weft_attention(part[0], part[1], part[2],
                           &(weft_attention_desc){.causal = d->causal, .mask = d->mask});
    y = weft_reshape(weft_transpose(y, 1, 2), weft_shape_of(x));
    y = weft_nn_linear(
        s, y, weft_dim(x, 2), "out_proj",
        &(weft_nn_linear_desc){.no_bias = d->no_bias, .weight = d->out, .bias = transformer_zeros});
    nn_leave(x.g, scopes);
    return y;
}

/* ---- PyTorch's layers ---- */

typedef struct transformer_layer {
    weft_state *s;
    int heads;
    int64_t hidden;
    const weft_nn_transformer_desc *d;
} transformer_layer;

typedef weft_tensor transformer_branch(const transformer_layer *l, weft_tensor x);

static weft_tensor transformer_self(const transformer_layer *l, weft_tensor x) {
    return weft_nn_attention(l->s, x, l->heads, "self_attn",
                             &(weft_nn_attention_desc){.causal = l->d->causal,
                                                       .mask = l->d->mask,
                                                       .dropout = l->d->dropout});
}

static weft_tensor transformer_cross(const transformer_layer *l, weft_tensor x) {
    return weft_nn_attention(l->s, x, l->heads, "multihead_attn",
                             &(weft_nn_attention_desc){.memory = l->d->memory,
                                                       .mask = l->d->memory_mask,
                                                       .dropout = l->d->dropout});
}

static weft_tensor transformer_forward(const transformer_layer *l, weft_tensor x) {
    weft_activation a = l->d->activation ? l->d->activation : WEFT_RELU;
    weft_tensor h = weft_nn_activate(weft_nn_linear(l->s, x, l->hidden, "linear1", NULL), a);
    return weft_nn_linear(l->s, weft_dropout(h, l->d->dropout), weft_dim(x, 2), "linear2", NULL);
}

static weft_tensor transformer_add(const transformer_layer *l, weft_tensor x, const char *norm,
                                   transformer_branch *branch) {
    const weft_nn_norm_desc how = {.eps = l->d->eps};
    weft_tensor in = l->d->norm_first ? weft_nn_layer_norm(l->s, x, norm, &how) : x;
    weft_tensor sum = weft_add(x, weft_dropout(branch(l, in), l->d->dropout));
    return l->d->norm_first ? sum : weft_nn_layer_norm(l->s, sum, norm, &how);
}

weft_tensor weft_nn_transformer(weft_state *s, weft_tensor x, int heads, int64_t hidden,
                                const char *name, const weft_nn_transformer_desc *d) {
    static const weft_nn_transformer_desc none;
    if (!d) d = &none;
    nn_title of;
    if (!nn_layer(&of, "transformer", s, x, name) ||
        !nn_sequence_fits(of.text, x, d->memory, heads) ||
        !nn_size(x.g, of.text, "hidden units", hidden))
        return (weft_tensor){x.g, 0};
    if (d->memory_mask.g && !d->memory.g)
        return weft_poison(x.g, WEFT_ARGUMENT, "%s: a memory_mask without memory", of.text);
    const transformer_layer l = {s, heads, hidden, d};
    int scopes = nn_enter(x.g, name);
    weft_tensor y = transformer_add(&l, x, "norm1", transformer_self);
    if (d->memory.g) y = transformer_add(&l, y, "norm2", transformer_cross);
    y = transformer_add(&l, y, d->memory.g ? "norm3" : "norm2", transformer_forward);
    nn_leave(x.g, scopes);
    return y;
}
