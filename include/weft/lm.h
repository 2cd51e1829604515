/* lm.h - language models: GPT-2 and the Llama family, from published files or from scratch.
 *
 *     weft_lm_config m;                                      // a folder with config.json and weights
 *     weft_lm_config_open(c, "distilgpt2", &m);
 *     weft_tensor ids = weft_input(g, WEFT_I32, weft_dims(8, 128)), next = ...;
 *     weft_tensor loss = weft_lm_loss(s, ids, next, &m, NULL);
 *     weft_lm_load(s, &m, "distilgpt2", NULL);
 *
 *     weft_generator *w = weft_generator_new(s, &m, &(weft_generator_desc){ .sample = { 0.8f } });
 *     weft_generator_write(w, vocab, "Once upon a time", &(weft_lm_write_desc){ .show = print }, NULL);
 *
 * A model is a weft_lm_config, a plain struct, and the parameters of a state. Their names are those of
 * the published files ("transformer.h.0.attn.c_attn.weight", "model.layers.0.mlp.up_proj.weight"), in
 * the same layouts, so files are loaded and saved unchanged. Tokens are i32; weft/text.h makes them
 * from text.
 *
 * Reading order: configurations, networks, files, adapters (LoRA), generation. */
#ifndef WEFT_LM_H
#define WEFT_LM_H

#include "io.h"
#include "nn.h"
#include "optim.h"
#include "text.h"
#include "weft.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- configurations ---------------------------------------------------------------------- */

/*           name    text      families and files */
#define WEFT_LM_FAMILIES(X)                                                                     \
    X(GPT2,    "gpt2")     /* learned positions, layer norm, GELU: DistilGPT-2 to 1.5B */         \
    X(LLAMA,   "llama")    /* rotary positions, RMS norm, SwiGLU: Llama, SmolLM */                \
    X(MISTRAL, "mistral")  /* the same with a sliding window */                                  \
    X(QWEN2,   "qwen2")    /* the same with biases of q, k and v */                              \
    X(QWEN3,   "qwen3")    /* the same with norms of q and k */

typedef enum weft_lm_family {
#define X(name, text) WEFT_LM_##name,
    WEFT_LM_FAMILIES(X)
#undef X
    WEFT_LM_FAMILY_COUNT
} weft_lm_family;
WEFT_API const char *weft_lm_family_name(weft_lm_family f);  /* model_type in config.json: "gpt2" */

typedef struct weft_lm_config {
    weft_lm_family family;
    int64_t vocab;             /* tokens */
    int64_t positions;         /* longest sequence */
    int64_t layers, heads;
    int64_t width;             /* of the residual stream */
    int64_t hidden;            /* inside the feed-forward part; GPT-2 0: 4 width */
    int64_t kv_heads;          /* heads of keys and values; 0: heads */
    int64_t head_size;         /* 0: width / heads */
    int64_t window;            /* a position attends to this many last ones; 0: to all */
    weft_activation activation;
    bool  untied;              /* the output layer has a weight of its own, lm_head.weight */
    float eps;                 /* of the norms; 0: 1e-5 */
    float dropout;             /* in training; 0: none */
    weft_rope_desc rope;       /* Llama's rotary positions */
} weft_lm_config;

WEFT_API weft_err weft_lm_config_open(weft_ctx *c, const char *path, weft_lm_config *out);
    /* reads config.json; path names the file or its folder */
WEFT_API weft_err weft_lm_config_parse(weft_ctx *c, weft_json json, const char *name,
        weft_lm_config *out);
    /* the same from a JSON object; name is for messages */
WEFT_API char    *weft_lm_config_text(weft_ctx *c, const weft_lm_config *m);
    /* config.json as published; free with weft_text_free; NULL: weft_error */
WEFT_API bool     weft_lm_config_named(const char *name, weft_lm_config *out);
    /* "nano", "small", "distilgpt2", "gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl": sizes, with
       GPT-2's vocabulary; false: unknown */
WEFT_API const char *weft_lm_config_name(size_t i);  /* of the i-th of them; NULL after the last */
WEFT_API weft_err weft_lm_config_check(weft_ctx *c, const weft_lm_config *m);
    /* WEFT_OK, or what cannot be, as WEFT_ARGUMENT */
WEFT_API int64_t  weft_lm_parameters(const weft_lm_config *m);  /* trained parameters, in numbers */

/* ---- networks ---------------------------------------------------------------------------- */

/* Keys and values of earlier positions, as entries of a state ("cache.0.k", ...). */
typedef struct weft_lm_cache {
    weft_state *state;      /* that has them: preferably a separate one */
    int64_t     positions;  /* capacity */
    int64_t     length;     /* the plan attends to the first `length` of them */
    weft_tensor at;         /* 0-d i32: position of the first token of ids; none: 0 */
    weft_updates update;    /* result: pass it to weft_compile */
} weft_lm_cache;

typedef struct weft_lm_desc {
    weft_dtype weights;         /* of the matrices: F32: parameters, to be trained; BF16, F16 and I8:
                                   read only, for generation */
    const weft_nn_lora *lora;   /* adapters of the matrices it targets; NULL: none */
    bool checkpoint;            /* recompute each block in the backward pass: less memory */
    weft_tensor starts;         /* optional i32 [B]: tokens before this position of a row are padding */
    weft_lm_cache *cache;       /* read and extend a cache of keys and values; NULL: none */
} weft_lm_desc;

WEFT_API weft_tensor weft_lm_hidden(weft_state *s, weft_tensor ids, const weft_lm_config *m,
        const weft_lm_desc *d);
    /* i32 [B, T] -> [B, T, width], after the last norm; d may be NULL, here and below */
WEFT_API weft_tensor weft_lm_head(weft_state *s, weft_tensor hidden, const weft_lm_config *m,
        const weft_lm_desc *d);
    /* [..., width] -> logits [..., vocab] */
WEFT_API weft_tensor weft_lm_logits(weft_state *s, weft_tensor ids, const weft_lm_config *m,
        const weft_lm_desc *d);
    /* both: [B, T, vocab] */
WEFT_API weft_tensor weft_lm_loss(weft_state *s, weft_tensor ids, weft_tensor next,
        const weft_lm_config *m, const weft_lm_desc *d);
    /* mean cross entropy of the tokens next, i32 [B, T]; negative ones are ignored. The logits of
       all positions are never in memory at once */

WEFT_API const weft_group *weft_lm_groups(const weft_lm_config *m, size_t *n);
    /* the usual groups for an optimiser of all weights: weight decay for matrices, not for norms and
       biases; tables of tokens and positions are .aux */

/* ---- files ------------------------------------------------------------------------------- */

typedef struct weft_lm_loaded {
    double error, worst;  /* relative error of narrow weights (root mean square): of all, and of ... */
    char   worst_name[128];  /* ... the least exact matrix */
    int64_t bytes;        /* of all weights in the state */
} weft_lm_loaded;
WEFT_API weft_err weft_lm_load(weft_state *s, const weft_lm_config *m, const char *path,
        const weft_lm_desc *d, weft_lm_loaded *out);
    /* weights of model.safetensors, one file or shards; path names a file or its folder. The network
       need not be recorded yet. Names may lack their prefix ("h.0.", "layers.0."); out may be NULL */
WEFT_API weft_err weft_lm_save(weft_state *s, const weft_lm_config *m, const char *folder,
        weft_dtype type, size_t max_shard_bytes);
    /* config.json and model.safetensors as published; type F32, BF16 or F16; 0: one file */

/* ---- adapters (LoRA), in PEFT's files -------------------------------------------------------- */

WEFT_API weft_err weft_lm_lora_save(weft_state *s, const weft_lm_config *m, const weft_nn_lora *l,
        const char *folder);
    /* adapter_config.json and adapter_model.safetensors, with PEFT's names */
WEFT_API weft_err weft_lm_lora_open(weft_ctx *c, const char *folder, weft_nn_lora *out,
        char *targets, size_t bytes);
    /* reads adapter_config.json; out->targets points to `targets` */
WEFT_API weft_err weft_lm_lora_load(weft_state *s, const weft_lm_config *m, const weft_lm_desc *d,
        const char *folder);
    /* the values of adapter_model.safetensors into d->lora; the network need not be recorded yet */
WEFT_API weft_err weft_lm_lora_merge(weft_state *s, const weft_lm_config *m,
        const weft_nn_lora *l);
    /* adds the adapters' products to the weights, and sets the adapters to 0 */
WEFT_API const char *weft_lm_lora_default(weft_lm_family f);
    /* targets, all matrices of the blocks: "c_attn,c_proj,c_fc" */

/* ---- generation -------------------------------------------------------------------------- */

typedef struct weft_sample_desc {
    float temperature;   /* logits are divided by this; 0: the most likely token */
    int   top_k;         /* only the k most likely; 0: all */
    float top_p;         /* of these only the fewest whose probabilities add up to this; 0: all */
} weft_sample_desc;
WEFT_API int32_t weft_sample(const float *logits, int64_t n, const weft_sample_desc *d, float uniform,
        void *scratch);
    /* one of n tokens, in proportion to its probability; uniform is in [0, 1); scratch has room for
       8 n bytes, aligned as floats; -1: no finite logit */

typedef struct weft_generator weft_generator;
typedef struct weft_generator_desc {
    weft_sample_desc sample;
    float      repetition;  /* positive logits of earlier tokens are divided by this, negative ones multiplied;
                               0: 1 */
    uint64_t   seed;        /* each token is drawn from (seed, sequence, its number) alone */
    int        sequences;   /* generated at once; 0: 1 */
    int64_t    positions;   /* room for prompt and result; 0: the model's. When it is full, the older
                               half is dropped */
    int        threads;     /* 0: chosen */
    weft_lm_desc model;     /* .weights and .lora, as they were loaded */
} weft_generator_desc;
WEFT_API weft_generator *weft_generator_new(weft_state *s, const weft_lm_config *m,
        const weft_generator_desc *d);
    /* NULL: weft_error */
WEFT_API void     weft_generator_free(weft_generator *w);  /* NULL is fine */
WEFT_API weft_err weft_generator_prompt(weft_generator *w, const int32_t *const *ids,
        const int64_t *count);
    /* starts over with the tokens of each sequence, at least one each, in one pass; if they do not fit,
       the last ones */
WEFT_API weft_err weft_generator_next(weft_generator *w, int32_t *ids);
    /* the next token of each sequence */
WEFT_API const float *weft_generator_logits(weft_generator *w, int sequence);
    /* [vocab]: those that the next token is drawn from; NULL before a prompt: weft_error */

/* Text in, text out. */
typedef struct weft_lm_write_desc {
    int64_t tokens;             /* maximum per sequence; 0: 200 */
    const char *const *stop;    /* texts that end a sequence, and are not shown */
    size_t stop_count;
    void (*show)(void *user, int sequence, const char *text, size_t n);
                                /* called with n bytes of whole characters as they are generated */
    bool (*ask)(void *user);    /* optional: true: stop now */
    void *user;
} weft_lm_write_desc;
typedef struct weft_lm_written {
    int64_t prompt, tokens;     /* counts of tokens */
    double  prompt_seconds, seconds;
    const char *why;            /* "end of text", "stop text", "length", "stopped" */
} weft_lm_written;
WEFT_API weft_err weft_generator_write(weft_generator *w, const weft_vocab *v, const char *prompt,
        const weft_lm_write_desc *d, weft_lm_written *out);
    /* continues the prompt in each sequence until a special token or one of the ends above; out has
       one for each, or is NULL. A begin-of-text token ("<s>") is put before the prompt if the
       vocabulary has one */

#ifdef __cplusplus
}
#endif
#endif
