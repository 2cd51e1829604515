/* decoder.c - blocks of language models: GPT-2's and Llama's, with adapters and with a cache of the
 * keys and values of earlier positions. */
#include "nn/parts.h"

static const weft_init decoder_zeros = {WEFT_INIT_ZEROS, 0, 0};

/* What the two have in common: the names and shapes of weights are each family's own. */
typedef struct decoder_block {
    weft_state *s;
    bool transposed; /* weights are [in, out] */
    weft_dtype stored;
    const weft_nn_lora *lora;
} decoder_block;

/* layers: those of the network for a projection into the residual stream, else 0 */
static weft_tensor decoder_linear(const decoder_block *b, weft_tensor x, int64_t out,
                                  const char *name, bool bias, int layers) {
    return weft_nn_linear(b->s, x, out, name,
                          &(weft_nn_linear_desc){.no_bias = !bias,
                                                 .transposed = b->transposed,
                                                 .stored = b->stored,
                                                 .lora = b->lora,
                                                 .weight = weft_init_gpt2(layers),
                                                 .bias = decoder_zeros});
}

/* [B, heads, T, h] -> [B, T, heads h] */
static weft_tensor decoder_joined(weft_tensor y) {
    if (!weft_ok(y)) return y;
    const weft_shape s = weft_shape_of(y);
    return weft_reshape(weft_transpose(y, 1, 2), weft_dims(s.n[0], s.n[2], s.n[1] * s.n[3]));
}

typedef struct decoder_attention {
    weft_tensor q, k, v; /* [B, heads, T, h]; heads of k and v may be fewer */
    weft_tensor mask;    /* none: nothing but later positions is hidden */
    int64_t window;
    float dropout;
    weft_nn_cache *cache;
} decoder_attention;

/* Which of the cache's places each new position may see: bool [T, length]. */
static weft_tensor decoder_seen(const decoder_attention *a) {
    weft_graph *const g = a->q.g;
    const weft_shape square = weft_dims(weft_dim(a->q, 2), a->cache->length);
    const weft_tensor own = weft_add(weft_iota(g, square, 0), a->cache->at);
    const weft_tensor place = weft_iota(g, square, 1);
    weft_tensor seen = weft_le(place, own);
    if (a->window) {
        const weft_tensor first = weft_sub(
            own, weft_integer(g, (int32_t)(a->window < INT32_MAX ? a->window : INT32_MAX)));
        seen = weft_and(seen, weft_gt(place, first));
    }
    return a->mask.g ? weft_and(weft_cast(a->mask, WEFT_BOOL), seen) : seen;
}

static weft_tensor decoder_attend_plain(const decoder_attention *a) {
    return weft_attention(
        a->q, a->k, a->v,
        &(weft_attention_desc){.causal = true, .window = a->window, .mask = a->mask});
}

static weft_tensor decoder_attend_cached(const decoder_attention *a) {
    weft_nn_cache *const c = a->cache;
    const weft_tensor at = c->at.g ? c->at : weft_integer(a->q.g, 0);
    c->new_k = weft_slice_write(c->k, 2, at, a->k);
    c->new_v = weft_slice_write(c->v, 2, at, a->v);
    if (!c->at.g) return decoder_attend_plain(a); /* nothing is earlier */
    return weft_attention(a->q, weft_slice(c->new_k, 2, 0, c->length, 1),
                          weft_slice(c->new_v, 2, 0, c->length, 1),
                          &(weft_attention_desc){.mask = decoder_seen(a)});
}

/* [B, T, heads h] */
static weft_tensor decoder_attend(const decoder_attention *a) {
    if (a->cache) return decoder_joined(decoder_attend_cached(a));
    if (a->dropout != 0 && !weft_graph_is_eval(a->q.g))
        return decoder_joined(nn_attend_dropped(a->q, a->k, a->v, true, a->mask, a->dropout));
    return decoder_joined(decoder_attend_plain(a));
}

static bool decoder_cache_fits(const char *what, weft_tensor x, const weft_nn_cache *c) {
    if (!c) return true;
    if (!c->k.g || !c->v.g) {
        weft_poison(x.g, WEFT_ARGUMENT, "%s: .cache: k or v is none", what);
        return false;
    }
    if (!nn_tensor(what, c->k) || !nn_tensor(what, c->v) || (c->at.g && !nn_tensor(what, c->at)))
        return false;
    const int64_t t = weft_dim(x, 1), most = weft_dim(c->k, 2);
    if (c->length >= t && c->length <= most && (c->at.g || c->length == t)) return true;
    weft_poison(x.g, WEFT_ARGUMENT,
                "%s: .cache: expected %lld positions %s length %lld <= %lld places", what,
                (long long)t, c->at.g ? "<=" : "==", (long long)c->length, (long long)most);
    return false;
}

weft_tensor weft_nn_gpt2(weft_state *s, weft_tensor x, int heads, const char *name,
                         const weft_nn_gpt2_desc *d) {
    static const weft_nn_gpt2_desc none;
    if (!d) d = &none;
    nn_title of;
    if (!nn_layer(&of, "gpt2", s, x, name) ||
        !nn_sequence_fits(of.text, x, (weft_tensor){0}, heads) ||
        !decoder_cache_fits(of.text, x, d->cache))
        return (weft_tensor){x.g, 0};
    const int64_t e = weft_dim(x, 2), hidden = d->hidden ? d->hidden : 4 * e;
    const decoder_block b = {s, true, d->stored, d->lora};
    const weft_nn_norm_desc norm = {.eps = d->eps};
    const int scopes = nn_enter(x.g, name);
    weft_tensor part[3], y = weft_nn_layer_norm(s, x, "ln_1", &norm);
    weft_split(decoder_linear(&b, y, 3 * e, "attn.c_attn", true, 0), 2, 3, part);
    y = decoder_attend(&(decoder_attention){.q = nn_heads(part[0], heads),
                                            .k = nn_heads(part[1], heads),
                                            .v = nn_heads(part[2], heads),
                                            .mask = d->mask,
                                            .dropout = d->dropout,
                                            .cache = d->cache});
    y = decoder_linear(&b, y, e, "attn.c_proj", true, d->layers);
    x = weft_add(x, weft_dropout(y, d->dropout));
    y = decoder_linear(&b, weft_nn_layer_norm(s, x, "ln_2", &norm), hidden, "mlp.c_fc", true, 0);
    y = weft_nn_activate(y, d->activation ? d->activation : WEFT_GELU_TANH);
    y = decoder_linear(&b, y, e, "mlp.c_proj", true, d->layers);
    x = weft_add(x, weft_dropout(y, d->dropout));
    nn_leave(x.g, scopes);
    return x;
}

/* A projection to heads, normalised and turned by its position as the family does. */
static weft_tensor decoder_llama_heads(const decoder_block *b, weft_tensor x, int64_t heads,
                                       int64_t head_size, const char *name, const char *norm,
                                       const weft_nn_llama_desc *d) {
    weft_tensor y = nn_heads(decoder_linear(b, x, heads * head_size, name, d->qkv_bias, 0), heads);
    if (!norm) return y;
    if (d->qk_norm) y = weft_nn_rms_norm(b->s, y, norm, &(weft_nn_norm_desc){.eps = d->eps});
    return weft_rope(y, d->positions, &d->rope);
}

weft_tensor weft_nn_llama(weft_state *s, weft_tensor x, const char *name,
                          const weft_nn_llama_desc *d) {
    nn_title of;
    if (!nn_layer(&of, "llama", s, x, name)) return (weft_tensor){x.g, 0};
    if (!d) return weft_poison(x.g, WEFT_ARGUMENT, "%s: the options are NULL", of.text);
    const int kv = d->kv_heads ? d->kv_heads : d->heads;
    const bool own_size = d->head_size > 0;
    if (!nn_sequence_fits(of.text, x, (weft_tensor){0}, own_size ? 1 : d->heads) ||
        !nn_size(x.g, of.text, "heads", d->heads) ||
        !nn_size(x.g, of.text, "hidden units", d->hidden) ||
        !decoder_cache_fits(of.text, x, d->cache))
        return (weft_tensor){x.g, 0};
    if (kv < 1 || d->heads % kv)
        return weft_poison(x.g, WEFT_ARGUMENT, "%s: %d key heads do not divide %d heads", of.text,
                           kv, d->heads);
    weft_nn_llama_desc how = *d;
    const int64_t e = weft_dim(x, 2), h = own_size ? d->head_size : e / d->heads;
    if (how.eps == 0) how.eps = 1e-5f;
    if (!how.positions.g) how.positions = weft_iota(x.g, weft_dims(weft_dim(x, 1)), 0);
    const decoder_block b = {s, false, d->stored, d->lora};
    const weft_nn_norm_desc norm = {.eps = how.eps};
    const int scopes = nn_enter(x.g, name);
    weft_tensor y = weft_nn_rms_norm(s, x, "input_layernorm", &norm);
    y = decoder_attend(&(decoder_attention){
        .q = decoder_llama_heads(&b, y, d->heads, h, "self_attn.q_proj", "self_attn.q_norm", &how),
        .k = decoder_llama_heads(&b, y, kv, h, "self_attn.k_proj", "self_attn.k_norm", &how),
        .v = decoder_llama_heads(&b, y, kv, h, "self_attn.v_proj", NULL, &how),
        .mask = d->mask,
        .window = d->window,
        .cache = d->cache});
    y = decoder_linear(&b, y, e, "self_attn.o_proj", false, d->layers);
    x = weft_add(x, weft_dropout(y, d->dropout));
    y = weft_nn_rms_norm(s, x, "post_attention_layernorm", &norm);
    const weft_tensor gate =
        weft_nn_activate(decoder_linear(&b, y, d->hidden, "mlp.gate_proj", false, 0),
                         d->activation ? d->activation : WEFT_SILU);
    y = weft_mul(gate, decoder_linear(&b, y, d->hidden, "mlp.up_proj", false, 0));
    y = decoder_linear(&b, y, e, "mlp.down_proj", false, d->layers);
    x = weft_add(x, weft_dropout(y, d->dropout));
    nn_leave(x.g, scopes);
    return x;
}
