/* model.c - the network of a configuration: tokens to hidden values to logits or a loss.
 *
 * Names of parameters follow from scopes, so that they are those of the published files. The blocks
 * are layers of nn.h; here are what stands before and behind them, positions, and the caches. */
#include "lm/lm_parts.h"

#include <stdio.h>

static const weft_lm_desc model_plain;

const char *lm_scope(const weft_lm_config *m) {
    return m->family == WEFT_LM_GPT2 ? "transformer" : "model";
}

static const char *model_table(const weft_lm_config *m) {
    return m->family == WEFT_LM_GPT2 ? "wte" : "embed_tokens";
}

/* The position of each token, i32 [T], or [B, T] where rows begin with padding. */
static weft_tensor model_positions(weft_tensor ids, const weft_lm_desc *d) {
    weft_graph *const g = ids.g;
    weft_tensor at = weft_iota(g, weft_dims(weft_dim(ids, 1)), 0);
    if (d->cache && d->cache->at.g) at = weft_add(at, d->cache->at);
    if (!d->starts.g) return at;
    at = weft_sub(at, weft_unsqueeze(d->starts, 1));
    return weft_maximum(at, weft_integer(g, 0));
}

/* Which keys a row may see: those behind its padding. bool [B, 1, 1, keys]. */
static weft_tensor model_mask(weft_tensor ids, const weft_lm_desc *d) {
    if (!d->starts.g) return (weft_tensor){0};
    const int64_t keys = d->cache ? d->cache->length : weft_dim(ids, 1);
    const weft_tensor place = weft_iota(ids.g, weft_dims(1, keys), 1);
    const weft_tensor seen = weft_ge(place, weft_unsqueeze(d->starts, 1));
    return weft_unsqueeze(weft_unsqueeze(seen, 1), 1);
}

/* The entries of a layer's cache, and afterwards their new values. */
static weft_nn_cache model_cache(weft_graph *g, int64_t batch, const weft_lm_config *m,
                                 const weft_lm_cache *c, int64_t layer) {
    const int64_t heads = m->kv_heads ? m->kv_heads : m->heads;
    const weft_shape dims = weft_dims(batch, heads, c->positions, lm_head_size(m));
    const weft_init zeros = {WEFT_INIT_ZEROS, 0, 0};
    char k[48], v[48];
    snprintf(k, sizeof k, "cache.%lld.k", (long long)layer);
    snprintf(v, sizeof v, "cache.%lld.v", (long long)layer);
    return (weft_nn_cache){.k = weft_buffer(g, c->state, k, WEFT_F32, dims, zeros),
                           .v = weft_buffer(g, c->state, v, WEFT_F32, dims, zeros),
                           .at = c->at,
                           .length = c->length};
}

static weft_tensor model_block(weft_state *s, weft_tensor x, const weft_lm_config *m,
                               const weft_lm_desc *d, int64_t layer, weft_tensor positions,
                               weft_tensor mask, weft_nn_cache *cache) {
    char name[32];
    const bool gpt2 = m->family == WEFT_LM_GPT2;
    snprintf(name, sizeof name, gpt2 ? "h.%lld" : "layers.%lld", (long long)layer);
    if (gpt2)
        return weft_nn_gpt2(s, x, (int)m->heads, name,
                            &(weft_nn_gpt2_desc){.layers = (int)m->layers,
                                                 .dropout = m->dropout,
                                                 .hidden = m->hidden,
                                                 .eps = m->eps,
                                                 .activation = m->activation,
                                                 .mask = mask,
                                                 .stored = d->weights,
                                                 .lora = d->lora,
                                                 .cache = cache});
    const weft_tensor rows = weft_rank(positions) == 2 ? weft_unsqueeze(positions, 1) : positions;
    return weft_nn_llama(s, x, name,
                         &(weft_nn_llama_desc){.heads = (int)m->heads,
                                               .kv_heads = (int)m->kv_heads,
                                               .head_size = m->head_size,
                                               .hidden = m->hidden,
                                               .layers = (int)m->layers,
                                               .dropout = m->dropout,
                                               .eps = m->eps > 0 ? m->eps : 1e-5f,
                                               .activation = m->activation,
                                               .window = m->window,
                                               .qkv_bias = m->family == WEFT_LM_QWEN2,
                                               .qk_norm = m->family == WEFT_LM_QWEN3,
                                               .rope = m->rope,
                                               .positions = rows,
                                               .mask = mask,
                                               .stored = d->weights,
                                               .lora = d->lora,
                                               .cache = cache});
}

static weft_tensor model_blocks(weft_state *s, weft_tensor x, weft_tensor ids,
                                const weft_lm_config *m, const weft_lm_desc *d,
                                weft_tensor positions) {
    const weft_tensor mask = model_mask(ids, d);
    for (int64_t i = 0; i < m->layers; i++) {
        weft_nn_cache cache = {0};
        if (d->cache) cache = model_cache(x.g, weft_dim(ids, 0), m, d->cache, i);
        if (d->checkpoint) weft_checkpoint_begin(x.g);
        x = model_block(s, x, m, d, i, positions, mask, d->cache ? &cache : NULL);
        if (d->checkpoint) weft_checkpoint_end(x.g);
        if (!d->cache) continue;
        d->cache->update =
            weft_updates_join(x.g, d->cache->update, weft_assign(cache.k, cache.new_k));
        d->cache->update =
            weft_updates_join(x.g, d->cache->update, weft_assign(cache.v, cache.new_v));
    }
    return x;
}

static weft_tensor model_norm(weft_state *s, weft_tensor x, const weft_lm_config *m) {
    const weft_nn_norm_desc how = {.eps = m->eps > 0 ? m->eps : 1e-5f};
    return m->family == WEFT_LM_GPT2 ? weft_nn_layer_norm(s, x, "ln_f", &how)
                                     : weft_nn_rms_norm(s, x, "norm", &how);
}

/* Poison if the call makes no sense; else ids. */
static weft_tensor model_checked(const char *what, weft_state *s, weft_tensor ids,
                                 const weft_lm_config *m, const weft_lm_desc *d) {
    weft_ctx *const c = weft_graph_ctx(ids.g);
    if (!weft_ok(ids)) return ids;
    if (!s) return weft_poison(ids.g, WEFT_ARGUMENT, "%s: the state is NULL", what);
    if (weft_lm_config_check(c, m) != WEFT_OK)
        return weft_poison(ids.g, WEFT_ARGUMENT, "%s: %s", what, weft_error(c));
    if (weft_rank(ids) != 2 || weft_dtype_of(ids) != WEFT_I32)
        return weft_poison(ids.g, WEFT_SHAPE, "%s: expected tokens i32 [B, T]", what);
    const int64_t t = weft_dim(ids, 1);
    if (t < 1 || t > m->positions)
        return weft_poison(ids.g, WEFT_SHAPE, "%s: expected 1 to %lld positions, got %lld", what,
                           (long long)m->positions, (long long)t);
    const weft_lm_cache *const cache = d->cache;
    if (cache && !cache->state)
        return weft_poison(ids.g, WEFT_ARGUMENT, "%s: .cache: the state is NULL", what);
    if (cache && (cache->length < t || cache->length > cache->positions ||
                  cache->positions > m->positions || (!cache->at.g && cache->length != t)))
        return weft_poison(ids.g, WEFT_ARGUMENT,
                           "%s: .cache: expected tokens %lld <= length %lld <= positions %lld, at "
                           "most %lld",
                           what, (long long)t, (long long)cache->length,
                           (long long)cache->positions, (long long)m->positions);
    return ids;
}

weft_tensor weft_lm_hidden(weft_state *s, weft_tensor ids, const weft_lm_config *m,
                           const weft_lm_desc *d) {
    if (!d) d = &model_plain;
    ids = model_checked("weft_lm_hidden", s, ids, m, d);
    if (!weft_ok(ids)) return ids;
    weft_graph *const g = ids.g;
    const bool gpt2 = m->family == WEFT_LM_GPT2;
    weft_scope_push(g, lm_scope(m));
    weft_tensor x = weft_nn_embedding(
        s, ids, m->vocab, m->width, model_table(m),
        &(weft_nn_embedding_desc){.stored = d->weights, .weight = weft_init_gpt2(0)});
    const weft_tensor positions = model_positions(ids, d);
    if (gpt2)
        x = weft_add(x, weft_nn_embedding(s, positions, m->positions, m->width, "wpe",
                                          &(weft_nn_embedding_desc){.stored = d->weights,
                                                                    .weight = weft_init_gpt2(0)}));
    x = weft_dropout(x, m->dropout);
    x = model_norm(s, model_blocks(s, x, ids, m, d, positions), m);
    weft_scope_pop(g);
    return x;
}

weft_tensor weft_lm_head(weft_state *s, weft_tensor hidden, const weft_lm_config *m,
                         const weft_lm_desc *d) {
    if (!d) d = &model_plain;
    weft_graph *const g = hidden.g;
    if (!weft_ok(hidden)) return hidden;
    if (weft_lm_config_check(weft_graph_ctx(g), m) != WEFT_OK)
        return weft_poison(g, WEFT_ARGUMENT, "weft_lm_head: %s", weft_error(weft_graph_ctx(g)));
    const weft_nn_linear_desc how = {
        .no_bias = true, .stored = d->weights, .weight = weft_init_gpt2(0)};
    if (m->untied) return weft_nn_linear(s, hidden, m->vocab, "lm_head", &how);
    /* the table [vocab, width] is a linear layer's weight as it lies */
    weft_scope_push(g, lm_scope(m));
    hidden = weft_nn_linear(s, hidden, m->vocab, model_table(m), &how);
    weft_scope_pop(g);
    return hidden;
}

/* Groups may not match nothing, so the families take a piece of their table each. */
const weft_group *weft_lm_groups(const weft_lm_config *m, size_t *n) {
    static const weft_group gpt2[] = {{.match = "*.bias", .no_decay = true, .aux = true},
                                      {.match = "*.ln_*", .no_decay = true, .aux = true},
                                      {.match = "*.w?e.weight", .aux = true}};
    static const weft_group llama[] = {{.match = "lm_head.weight", .aux = true},
                                       {.match = "*norm*", .no_decay = true, .aux = true},
                                       {.match = "*.embed_tokens.weight", .aux = true},
                                       {.match = "*.bias", .no_decay = true, .aux = true}};
    if (m->family == WEFT_LM_GPT2) {
        *n = sizeof gpt2 / sizeof *gpt2;
        return gpt2;
    }
    *n = (size_t)(m->untied + 2 + (m->family == WEFT_LM_QWEN2));
    return llama + !m->untied;
}

weft_err lm_record(weft_state *s, const weft_lm_config *m, const weft_lm_desc *d) {
    weft_ctx *const c = weft_state_ctx(s);
    weft_graph *const g = weft_graph_new(c);
    if (!g) return weft_error_code(c);
    weft_graph_eval(g); /* without dropout there are no random states */
    weft_lm_desc own = d ? *d : model_plain;
    own.cache = NULL, own.starts = (weft_tensor){0};
    weft_lm_logits(s, weft_input(g, WEFT_I32, weft_dims(1, 1)), m, &own);
    const weft_err e = weft_graph_error(g);
    weft_graph_free(g);
    return e;
}

weft_tensor weft_lm_logits(weft_state *s, weft_tensor ids, const weft_lm_config *m,
                           const weft_lm_desc *d) {
    return weft_lm_head(s, weft_lm_hidden(s, ids, m, d), m, d);
}

/* Tokens below 0 are left out, whichever they are. */
static weft_tensor model_cross_entropy(weft_tensor logits, weft_tensor next) {
    if (!weft_ok(logits) || !weft_ok(next)) return (weft_tensor){logits.g, 0};
    return weft_nn_cross_entropy(logits, weft_maximum(next, weft_integer(next.g, -1)),
                                 &(weft_nn_classes_desc){.ignore = true, .ignore_index = -1});
}

weft_tensor weft_lm_loss(weft_state *s, weft_tensor ids, weft_tensor next, const weft_lm_config *m,
                         const weft_lm_desc *d) {
    if (!d) d = &model_plain;
    if (d->weights != WEFT_F32) return model_cross_entropy(weft_lm_logits(s, ids, m, d), next);
    const weft_tensor x = weft_lm_hidden(s, ids, m, d);
    if (!weft_ok(x)) return x;
    char name[64];
    snprintf(name, sizeof name, m->untied ? "lm_head.weight" : "%s.%s.weight", lm_scope(m),
             model_table(m));
    const weft_tensor w =
        weft_param(x.g, s, name, weft_dims(m->vocab, m->width), weft_init_gpt2(0));
    return weft_linear_cross_entropy(x, w, next, NULL);
}
