/* nn.h - layers and losses, with PyTorch's names, weight layouts and initial values.
 *
 *     weft_tensor network(weft_state *s, weft_tensor x) {            // [N, 1, 28, 28]
 *         x = weft_relu(weft_nn_conv2d(s, x, 16, weft_dims(3, 3), "conv1", NULL));
 *         x = weft_max_pool(x, &(weft_pool_desc){ .size = { 2, 2 } });
 *         return weft_nn_linear(s, weft_nn_flatten(x), 10, "fc", NULL);
 *     }
 *
 * A layer is a function of the state, its input, sizes, a name, and options that may be NULL. It
 * gets or creates its parameters in the state ("conv1.weight", "conv1.bias") and records its
 * operations. Names and layouts are those of PyTorch's modules, so a state dict of the same network
 * loads unchanged. A name may have dots ("encoder.layers.0"), or be "" for none; the scopes of the
 * graph prefix it. Zero in the options is PyTorch's default.
 *
 * Training or evaluation is a mode of the graph, weft_graph_eval. Running statistics and carried
 * states are updated by plans compiled with .training.
 *
 * Reading order: initial values, layers, norms, pooling, recurrent layers, attention, lists of
 * layers, losses. */
#ifndef WEFT_NN_H
#define WEFT_NN_H

#include "weft.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- activations ------------------------------------------------------------------------- */

/*           name         text          gain of initial values */
#define WEFT_ACTIVATIONS(X)                                                                      \
    X(IDENTITY,   "identity",   1.0f)                                                            \
    X(RELU,       "relu",       1.41421356f)                                                     \
    X(GELU,       "gelu",       1.0f)         /* by erf */                                       \
    X(GELU_TANH,  "gelu_tanh",  1.0f)                                                            \
    X(SILU,       "silu",       1.0f)                                                            \
    X(TANH,       "tanh",       1.66666667f)                                                     \
    X(SIGMOID,    "sigmoid",    1.0f)                                                            \
    X(LEAKY_RELU, "leaky_relu", 1.41414285f)  /* slope 0.01 */                                   \
    X(ELU,        "elu",        1.0f)         /* alpha 1 */                                      \
    X(SOFTPLUS,   "softplus",   1.0f)

typedef enum weft_activation {
#define X(name, text, gain) WEFT_##name,
    WEFT_ACTIVATIONS(X)
#undef X
    WEFT_ACTIVATION_COUNT
} weft_activation;
WEFT_API weft_tensor weft_nn_activate(weft_tensor x, weft_activation a);  /* applies it to x */
WEFT_API const char *weft_activation_name(weft_activation a);             /* "gelu" */

/* ---- initial values; dims are the weight's: [out, in, ...] --------------------------------- */

typedef enum weft_fan { WEFT_FAN_IN, WEFT_FAN_OUT } weft_fan;
    /* preserve the variance in the forward pass, or in the backward pass */
WEFT_API float     weft_init_gain(weft_activation a);  /* the table's */
WEFT_API weft_init weft_init_xavier_uniform (weft_shape dims, float gain);
    /* uniform, +- gain sqrt(6 / (fan in + fan out)); gain 0: 1, here and below */
WEFT_API weft_init weft_init_xavier_normal  (weft_shape dims, float gain);
    /* standard deviation gain sqrt(2 / (fan in + fan out)) */
WEFT_API weft_init weft_init_kaiming_uniform(weft_shape dims, weft_fan fan, weft_activation a);
    /* uniform, +- gain sqrt(3 / fan) */
WEFT_API weft_init weft_init_kaiming_normal (weft_shape dims, weft_fan fan, weft_activation a);
    /* standard deviation gain / sqrt(fan) */
WEFT_API weft_init weft_init_orthogonal(float gain);
    /* orthonormal rows (or columns, if fewer), times gain */
WEFT_API weft_init weft_init_truncated_normal(float mean, float std);
    /* within two standard deviations of the mean */
WEFT_API weft_init weft_init_gpt2(int layers);
    /* standard deviation 0.02; 0.02 / sqrt(2 layers) for projections into the residual stream of a
       network with that many layers; pass 0 for all other weights */

/* ---- layers ------------------------------------------------------------------------------ */

/* LoRA (Hu 2021): a linear layer with a trained low-rank product added to its weight:
 * y = x W^T + alpha / rank x A^T B^T. With a separate state for A and B, an optimiser over that
 * state changes no other weights, and its checkpoint is small. */
typedef struct weft_nn_lora {
    weft_state *state;    /* of A and B; NULL: the layer's */
    int         rank;     /* 0: none */
    float       alpha;    /* 0: rank */
    float       dropout;  /* of the adapter's input */
    const char *targets;  /* last parts of the names of layers with adapters: "c_attn,c_proj" */
} weft_nn_lora;
WEFT_API bool weft_nn_lora_targets(const weft_nn_lora *l, const char *name);
    /* does the layer of this name have an adapter? l may be NULL */

typedef struct weft_nn_linear_desc {
    bool      no_bias;
    bool      transposed;    /* weight is [in, out], as in GPT-2's files */
    weft_dtype stored;       /* BF16, F16, I8: the weight is read only and stored in this type, for
                                inference; I8 with factors weight_scale [out]. 0: f32, trained */
    const weft_nn_lora *lora;  /* an adapter, if it targets this layer: lora_A.weight [rank, in],
                                uniform, and lora_B.weight [out, rank], zeros. NULL: none */
    weft_init weight, bias;  /* default: uniform, +- 1 / sqrt(in) */
} weft_nn_linear_desc;
WEFT_API weft_tensor weft_nn_linear(weft_state *s, weft_tensor x, int64_t out, const char *name,
        const weft_nn_linear_desc *d);
    /* x [..., in] W^T + b: weight [out, in], bias [out] */

typedef struct weft_nn_embedding_desc {
    bool      padded;       /* row padding_idx is initialised to 0 and gets no gradient */
    int32_t   padding_idx;
    weft_dtype stored;      /* as for a linear layer; I8 with factors weight_scale [rows] */
    weft_init weight;       /* default: normal, standard deviation 1 */
} weft_nn_embedding_desc;
WEFT_API weft_tensor weft_nn_embedding(weft_state *s, weft_tensor index, int64_t rows,
        int64_t width, const char *name, const weft_nn_embedding_desc *d);
    /* i32 [...] -> [..., width]: weight [rows, width] */

typedef struct weft_nn_conv_desc {
    int64_t   stride[2], padding[2], dilation[2];
        /* rows, columns; conv1d uses the first; stride and dilation 0: 1 */
    int64_t   output_padding[2];  /* transposed convolutions only */
    int64_t   groups;             /* 0: 1 */
    bool      same;               /* padding that keeps the size; odd kernels, stride 1 */
    bool      channels_last;      /* x and y are [N, H, W, C] instead of [N, C, H, W] */
    bool      no_bias;
    weft_init weight, bias;       /* default: uniform, +- 1 / sqrt(fan in) */
} weft_nn_conv_desc;
WEFT_API weft_tensor weft_nn_conv1d(weft_state *s, weft_tensor x, int64_t out, int64_t size,
        const char *name, const weft_nn_conv_desc *d);
    /* [N, C, T]: weight [out, C / groups, size], bias [out] */
WEFT_API weft_tensor weft_nn_conv2d(weft_state *s, weft_tensor x, int64_t out, weft_shape size,
        const char *name, const weft_nn_conv_desc *d);
    /* [N, C, H, W]: weight [out, C / groups, rows, columns], bias [out] */
WEFT_API weft_tensor weft_nn_conv_transpose1d(weft_state *s, weft_tensor x, int64_t out,
        int64_t size, const char *name, const weft_nn_conv_desc *d);
    /* weight [C, out / groups, size] */
WEFT_API weft_tensor weft_nn_conv_transpose2d(weft_state *s, weft_tensor x, int64_t out,
        weft_shape size, const char *name, const weft_nn_conv_desc *d);
    /* weight [C, out / groups, rows, columns] */

/* ---- norms ------------------------------------------------------------------------------- */

typedef struct weft_nn_batch_norm_desc {
    float momentum;       /* weight of the new batch in the running statistics; 0: 0.1 */
    float eps;            /* 0: 1e-5 */
    bool  cumulative;     /* running statistics are plain averages over all batches */
    bool  no_affine;      /* neither weight nor bias */
    bool  no_statistics;  /* batch statistics in evaluation too, no running ones */
    bool  channels_last;  /* [N, ..., C] */
} weft_nn_batch_norm_desc;
WEFT_API weft_tensor weft_nn_batch_norm(weft_state *s, weft_tensor x, const char *name,
        const weft_nn_batch_norm_desc *d);
    /* [N, C, ...]: weight, bias, running_mean, running_var [C], num_batches_tracked [];
       evaluation uses the running ones, which plans with .training update */

typedef struct weft_nn_norm_desc {
    float eps;            /* 0: 1e-5; rms_norm: 2^-23 */
    int   axes;           /* layer_norm, rms_norm: how many trailing axes are normalised; 0: 1 */
    bool  no_affine;      /* neither weight nor bias */
    bool  no_bias;        /* weight only */
    bool  channels_last;  /* group_norm: [N, ..., C] */
} weft_nn_norm_desc;
WEFT_API weft_tensor weft_nn_layer_norm(weft_state *s, weft_tensor x, const char *name,
        const weft_nn_norm_desc *d);
    /* weight and bias have the shape of the trailing axes */
WEFT_API weft_tensor weft_nn_rms_norm(weft_state *s, weft_tensor x, const char *name,
        const weft_nn_norm_desc *d);
    /* weight has the shape of the trailing axes */
WEFT_API weft_tensor weft_nn_group_norm(weft_state *s, weft_tensor x, int groups,
        const char *name, const weft_nn_norm_desc *d);
    /* [N, C, ...]: weight and bias [C] */

/* ---- pooling and shape (weft_max_pool and weft_avg_pool are in weft.h) ---------------------- */

WEFT_API weft_tensor weft_nn_max_pool1d(weft_tensor x, const weft_pool_desc *d);
    /* [N, C, T], or [N, T, C]; uses the first of each pair of options */
WEFT_API weft_tensor weft_nn_avg_pool1d(weft_tensor x, const weft_pool_desc *d);
    /* the same; padding counts as 0 */
WEFT_API weft_tensor weft_nn_adaptive_avg_pool(weft_tensor x, weft_shape out, bool channels_last);
    /* [N, C, ...] to these extents, from any */
WEFT_API weft_tensor weft_nn_global_avg_pool(weft_tensor x, bool channels_last);
    /* [N, C, ...] -> [N, C] */
WEFT_API weft_tensor weft_nn_global_max_pool(weft_tensor x, bool channels_last);
    /* [N, C, ...] -> [N, C] */
WEFT_API weft_tensor weft_nn_flatten(weft_tensor x);  /* [N, ...] -> [N, rest] */

/* ---- recurrent layers -------------------------------------------------------------------- */

typedef struct weft_nn_recurrent_desc {
    int         layers;         /* stacked; 0: 1 */
    bool        bidirectional;  /* each layer also has a backward direction */
    bool        batch_first;    /* x and y are [B, T, ...] instead of [T, B, ...] */
    bool        no_bias;
    bool        relu;           /* weft_nn_rnn: relu instead of tanh */
    float       dropout;        /* between layers */
    weft_tensor lengths;        /* i32 [B]: length of each sequence; y is 0 beyond it */
    weft_tensor h0, c0;         /* initial states [layers * directions, B, hidden]; default zeros */
    const char *carry;          /* final states carry over to the next run, for truncated BPTT: in
                                   buffers name.carry.h and .c, initially zeros, updated by plans
                                   with .training, in evaluation graphs too */
    weft_tensor reset;          /* bool [] or [B], with carry: start from zeros where true */
    weft_init   input, hidden, bias;
        /* of weight_ih, weight_hh, both biases; default: uniform, +- 1 / sqrt(hidden) */
} weft_nn_recurrent_desc;
typedef struct weft_nn_sequence { weft_tensor y, h, c; } weft_nn_sequence;
    /* y [T, B, directions * hidden]; final h and c [layers * directions, B, hidden], c: LSTM */
WEFT_API weft_nn_sequence weft_nn_rnn(weft_state *s, weft_tensor x, int64_t hidden,
        const char *name, const weft_nn_recurrent_desc *d);
    /* weight_ih_l0 [hidden, in], weight_hh_l0 [hidden, hidden], bias_ih_l0, bias_hh_l0, ..._l1;
       the backward direction has the suffix _reverse */
WEFT_API weft_nn_sequence weft_nn_lstm(weft_state *s, weft_tensor x, int64_t hidden,
        const char *name, const weft_nn_recurrent_desc *d);
    /* the same with 4 * hidden rows: gates i, f, g, o */
WEFT_API weft_nn_sequence weft_nn_gru(weft_state *s, weft_tensor x, int64_t hidden,
        const char *name, const weft_nn_recurrent_desc *d);
    /* the same with 3 * hidden rows: gates r, z, n */

/* ---- attention and transformers; sequences are [B, T, width] -------------------------------- */

typedef struct weft_nn_attention_desc {
    weft_tensor memory;   /* [B, S, any width]: keys and values come from this instead of x */
    bool        causal;   /* no position attends to later ones */
    weft_tensor mask;     /* bool, broadcast to [B, heads, T, S]: true: attended to */
    float       dropout;  /* of the attention weights */
    bool        no_bias;
    weft_init   weight;   /* of the q, k, v projection; default: xavier_uniform */
    weft_init   out;      /* of out_proj.weight; default: as for a linear layer */
} weft_nn_attention_desc;
WEFT_API weft_tensor weft_nn_attention(weft_state *s, weft_tensor x, int heads, const char *name,
        const weft_nn_attention_desc *d);
    /* in_proj_weight [3 width, width] (q_, k_, v_proj_weight if memory has another width),
       in_proj_bias [3 width], out_proj.weight, out_proj.bias */

typedef struct weft_nn_transformer_desc {
    bool            norm_first;  /* norms inside the residual branches */
    weft_activation activation;  /* 0: RELU, as in PyTorch */
    float           dropout;     /* everywhere; 0: none */
    float           eps;         /* of the norms; 0: 1e-5 */
    bool            causal;
    weft_tensor     mask;        /* as above, for the self-attention */
    weft_tensor     memory;      /* cross-attention to this: a decoder layer */
    weft_tensor     memory_mask;
} weft_nn_transformer_desc;
WEFT_API weft_tensor weft_nn_transformer(weft_state *s, weft_tensor x, int heads, int64_t hidden,
        const char *name, const weft_nn_transformer_desc *d);
    /* one nn.TransformerEncoderLayer: self_attn, linear1 [hidden, width], linear2, norm1, norm2;
       with memory one nn.TransformerDecoderLayer: multihead_attn and norm3 as well */

/* Keys and values of earlier positions, entries of a state. The new positions are written from position
 * `at` on, and attend to those of the first `length` positions that are not after their own. */
typedef struct weft_nn_cache {
    weft_tensor k, v;          /* [B, key heads, positions, head size] */
    weft_tensor at;            /* 0-d i32; none: the beginning, where length must be that of x */
    int64_t     length;
    weft_tensor new_k, new_v;  /* results: the new values of k and v, for weft_assign */
} weft_nn_cache;

typedef struct weft_nn_gpt2_desc {
    int         layers;    /* of the whole network, for initial values */
    float       dropout;   /* 0: none */
    int64_t     hidden;    /* of the feed-forward part; 0: 4 width */
    float       eps;       /* of the norms; 0: 1e-5 */
    weft_activation activation;  /* 0: GELU_TANH */
    weft_tensor mask;      /* bool, broadcast to [B, heads, T, keys]: true: attended to, if earlier */
    weft_dtype  stored;    /* as for linear layers */
    const weft_nn_lora *lora;
    weft_nn_cache *cache;  /* NULL: none */
} weft_nn_gpt2_desc;
WEFT_API weft_tensor weft_nn_gpt2(weft_state *s, weft_tensor x, int heads, const char *name,
        const weft_nn_gpt2_desc *d);
    /* one block of GPT-2: ln_1, attn.c_attn, attn.c_proj, ln_2, mlp.c_fc, mlp.c_proj; linear
       weights are [in, out], as in its files */

typedef struct weft_nn_llama_desc {
    int         heads, kv_heads;  /* of queries; of keys and values, 0: heads */
    int64_t     head_size;        /* 0: width / heads */
    int64_t     hidden;           /* of the feed-forward part */
    int         layers;           /* of the whole network, for initial values */
    float       dropout;          /* of what is added to x; 0: none */
    float       eps;              /* of the norms; 0: 1e-5 */
    weft_activation activation;   /* 0: SILU */
    int64_t     window;           /* a position attends to this many last ones; 0: to all */
    bool        qkv_bias;         /* Qwen 2 */
    bool        qk_norm;          /* Qwen 3: RMS norms of each head's queries and keys */
    weft_rope_desc rope;
    weft_tensor positions;        /* i32 [T], or broadcast to [B, heads, T]; none: 0, 1, ... */
    weft_tensor mask;             /* the rest as for GPT-2 */
    weft_dtype  stored;
    const weft_nn_lora *lora;
    weft_nn_cache *cache;
} weft_nn_llama_desc;
WEFT_API weft_tensor weft_nn_llama(weft_state *s, weft_tensor x, const char *name,
        const weft_nn_llama_desc *d);
    /* one block of Llama and similar models: input_layernorm, self_attn.q_proj, .k_proj, .v_proj, .o_proj,
       post_attention_layernorm, mlp.gate_proj, .up_proj, .down_proj */

/* ---- lists of layers --------------------------------------------------------------------- */

/* One layer of a list: fn records it, the other fields are its options. */
typedef struct weft_nn_layer weft_nn_layer;
typedef weft_tensor (*weft_nn_fn)(weft_state *s, weft_tensor x, const weft_nn_layer *l,
        const char *name);
struct weft_nn_layer {
    weft_nn_fn  fn;
    const char *name;  /* NULL: its index in the list, as in nn.Sequential */
    const void *desc;  /* the layer's options, or data of your own */
    int64_t     out, size[2];
    float       p;         /* dropout's */
};
typedef struct weft_nn_list { const weft_nn_layer *at; size_t n; } weft_nn_list;
#ifdef __cplusplus
}
template <size_t N> struct weft_nn_list_of {
    weft_nn_layer at[N];
    operator weft_nn_list() const { return weft_nn_list{at, N}; }
};
template <typename... T> inline weft_nn_list_of<sizeof...(T)> weft_nn_layers(T... t) {
    return {{t...}};
}
extern "C" {
#else
#define weft_nn_layers(...)                                                                      \
    ((weft_nn_list){ (const weft_nn_layer[]){ __VA_ARGS__ },                                      \
                     sizeof((const weft_nn_layer[]){ __VA_ARGS__ }) / sizeof(weft_nn_layer) })
#endif

WEFT_API weft_tensor weft_nn_sequential(weft_state *s, weft_tensor x, const char *name,
        weft_nn_list layers);
    /* applies them in order: name.0.weight, name.2.weight, ... */
WEFT_API weft_tensor weft_nn_residual(weft_state *s, weft_tensor x, const char *name,
        weft_nn_list layers);
    /* x plus the layers applied to x; shapes must match */

/* Elements of a list: the layers above; their options must live as long as the list. */
WEFT_API weft_nn_layer weft_nn_layer_linear(int64_t out, const weft_nn_linear_desc *d);
WEFT_API weft_nn_layer weft_nn_layer_conv1d(int64_t out, int64_t size, const weft_nn_conv_desc *d);
WEFT_API weft_nn_layer weft_nn_layer_conv2d(int64_t out, int64_t size, const weft_nn_conv_desc *d);
WEFT_API weft_nn_layer weft_nn_layer_batch_norm(const weft_nn_batch_norm_desc *d);
WEFT_API weft_nn_layer weft_nn_layer_layer_norm(const weft_nn_norm_desc *d);
WEFT_API weft_nn_layer weft_nn_layer_activation(weft_activation a);
WEFT_API weft_nn_layer weft_nn_layer_dropout(float p);
WEFT_API weft_nn_layer weft_nn_layer_max_pool(const weft_pool_desc *d);
WEFT_API weft_nn_layer weft_nn_layer_avg_pool(const weft_pool_desc *d);
WEFT_API weft_nn_layer weft_nn_layer_flatten(void);

/* ---- losses; reduction as in PyTorch ------------------------------------------------------- */

typedef enum weft_reduction {
    WEFT_REDUCE_MEAN, WEFT_REDUCE_SUM,
    WEFT_REDUCE_NONE,   /* one loss per element */
    WEFT_REDUCE_BATCH   /* sum / extent of the first axis: "batchmean" of the KL divergence */
} weft_reduction;

typedef struct weft_nn_classes_desc {
    float          smoothing;     /* label smoothing: share spread evenly over all classes */
    bool           ignore;        /* leave out targets equal to ignore_index */
    int32_t        ignore_index;  /* PyTorch's is -100 */
    weft_tensor    weight;        /* optional [classes]: class weights */
    weft_reduction reduction;     /* MEAN divides by the sum of the weights */
} weft_nn_classes_desc;
WEFT_API weft_tensor weft_nn_cross_entropy(weft_tensor logits, weft_tensor targets,
        const weft_nn_classes_desc *d);
    /* [..., classes]; targets i32 [...], or f32 [..., classes]: probabilities. The loss of a target
       that is not a class is nan */
WEFT_API weft_tensor weft_nn_nll(weft_tensor log_p, weft_tensor targets,
        const weft_nn_classes_desc *d);
    /* the same from log probabilities */
WEFT_API weft_tensor weft_nn_multi_margin(weft_tensor scores, weft_tensor targets, float margin,
        weft_reduction r);
    /* mean over other classes of max(0, margin - x[target] + x[other]); margin 0: 1 */

typedef struct weft_nn_bce_desc {
    weft_tensor    weight;      /* optional, broadcast */
    weft_tensor    pos_weight;  /* optional, broadcast: weight of positive targets */
    weft_reduction reduction;
} weft_nn_bce_desc;
WEFT_API weft_tensor weft_nn_bce_with_logits(weft_tensor logits, weft_tensor targets,
        const weft_nn_bce_desc *d);
    /* -t ln sigmoid(x) - (1 - t) ln(1 - sigmoid(x)), computed stably */

WEFT_API weft_tensor weft_nn_mse(weft_tensor a, weft_tensor b, weft_reduction r);  /* (a - b)^2 */
WEFT_API weft_tensor weft_nn_l1 (weft_tensor a, weft_tensor b, weft_reduction r);  /* |a - b| */
WEFT_API weft_tensor weft_nn_huber(weft_tensor a, weft_tensor b, float delta, weft_reduction r);
    /* (a - b)^2 / 2, beyond delta: delta (|a - b| - delta / 2); delta 0: 1 */
WEFT_API weft_tensor weft_nn_smooth_l1(weft_tensor a, weft_tensor b, float beta, weft_reduction r);
    /* huber / beta; beta 0: 1 */
WEFT_API weft_tensor weft_nn_kl(weft_tensor log_q, weft_tensor p, bool log_p, weft_reduction r);
    /* p (ln p - log_q), 0 where p is 0; log_p: p holds log probabilities */
WEFT_API weft_tensor weft_nn_hinge(weft_tensor x, weft_tensor y, float margin, weft_reduction r);
    /* max(0, margin - x y), y = 1 or -1; margin 0: 1 */
WEFT_API weft_tensor weft_nn_hinge_embedding(weft_tensor x, weft_tensor y, float margin,
        weft_reduction r);
    /* x where y = 1, max(0, margin - x) where y = -1; margin 0: 1 */
WEFT_API weft_tensor weft_nn_cosine_similarity(weft_tensor a, weft_tensor b, int axis);
    /* a b / (|a| |b|); norms are at least 1e-8 */
WEFT_API weft_tensor weft_nn_cosine_embedding(weft_tensor a, weft_tensor b, weft_tensor y,
        float margin, weft_reduction r);
    /* last axis, y = 1 or -1: 1 - cosine, or max(0, cosine - margin) */
WEFT_API weft_tensor weft_accuracy(weft_tensor logits, weft_tensor targets);
    /* fraction of rows whose largest logit is the target's; f32 [] */

#ifdef __cplusplus
}
#endif
#endif
