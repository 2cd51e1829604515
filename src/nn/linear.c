/* linear.c - the layers that are a table or a product: linear and embedding. */
#include "nn/parts.h"

#include <math.h>
#include <string.h>

/* The weight of the layer whose scope is open. f32 is trained; a narrower type is not. */
typedef struct linear_weight {
    weft_tensor value, scale; /* scale: of i8, a factor for each output */
} linear_weight;

static linear_weight linear_weight_of(weft_graph *g, weft_state *s, const char *what,
                                      weft_dtype stored, weft_shape dims, int64_t outputs,
                                      weft_init init) {
    linear_weight w = {{g, 0}, {0}};
    if (stored == WEFT_F32) {
        w.value = weft_param(g, s, "weight", dims, init);
        return w;
    }
    if (stored != WEFT_BF16 && stored != WEFT_F16 && stored != WEFT_I8) {
        w.value = weft_poison(g, WEFT_DTYPE, "%s: .stored: expected f32, bf16, f16 or i8, got %s",
                              what, weft_dtype_name(stored));
        return w;
    }
    w.value = weft_buffer(g, s, "weight", stored, dims, (weft_init){WEFT_INIT_ZEROS, 0, 0});
    if (stored == WEFT_I8)
        w.scale = weft_buffer(g, s, "weight_scale", WEFT_F32, weft_dims(outputs),
                              (weft_init){WEFT_INIT_ONES, 0, 0});
    return w;
}

bool weft_nn_lora_targets(const weft_nn_lora *l, const char *name) {
    if (!l || l->rank < 1 || !l->targets || !name) return false;
    const char *const dot = strrchr(name, '.'), *const last = dot ? dot + 1 : name;
    const size_t n = strlen(last);
    for (const char *t = l->targets; n && *t;) {
        const size_t length = strcspn(t, ",");
        if (length == n && memcmp(t, last, n) == 0) return true;
        t += length + (t[length] == ',');
    }
    return false;
}

/* The adapter's part of the layer whose scope is open: alpha / rank x A^T B^T. */
static weft_tensor linear_adapter(weft_state *s, weft_tensor x, int64_t out,
                                  const weft_nn_lora *l) {
    const int64_t in = weft_dim(x, -1), rank = l->rank;
    const weft_init zeros = {WEFT_INIT_ZEROS, 0, 0};
    if (l->state) s = l->state;
    const weft_tensor a = weft_param(x.g, s, "lora_A.weight", weft_dims(rank, in),
                                     nn_uniform(in ? 1 / sqrt((double)in) : 0));
    const weft_tensor b = weft_param(x.g, s, "lora_B.weight", weft_dims(out, rank), zeros);
    const weft_tensor narrow = weft_matmul(weft_dropout(x, l->dropout), weft_transpose(a, 0, 1));
    return weft_scale(weft_matmul(narrow, weft_transpose(b, 0, 1)),
                      (l->alpha != 0 ? l->alpha : (float)rank) / (float)rank);
}

weft_tensor weft_nn_linear(weft_state *s, weft_tensor x, int64_t out, const char *name,
                           const weft_nn_linear_desc *d) {
    static const weft_nn_linear_desc none;
    if (!d) d = &none;
    weft_tensor poison = {x.g, 0};
    nn_title of;
    if (!nn_layer(&of, "linear", s, x, name) || !nn_size(x.g, of.text, "outputs", out))
        return poison;
    if (weft_rank(x) < 1)
        return weft_poison(x.g, WEFT_ARGUMENT, "%s: x is a single number", of.text);
    int scopes = nn_enter(x.g, name);
    int64_t in = weft_dim(x, -1);
    weft_init own = nn_uniform(in ? 1 / sqrt((double)in) : 0);
    weft_shape dims = d->transposed ? weft_dims(in, out) : weft_dims(out, in);
    const linear_weight w =
        linear_weight_of(x.g, s, of.text, d->stored, dims, out, nn_or(d->weight, own));
    const weft_tensor wide = weft_cast(w.value, WEFT_F32);
    weft_tensor rows = weft_rank(x) == 1 ? weft_unsqueeze(x, 0) : x;
    weft_tensor y = weft_matmul(rows, d->transposed ? wide : weft_transpose(wide, 0, 1));
    if (w.scale.g) y = weft_mul(y, w.scale);
    if (weft_nn_lora_targets(d->lora, name)) y = weft_add(y, linear_adapter(s, rows, out, d->lora));
    if (!d->no_bias)
        y = weft_add(y, weft_param(x.g, s, "bias", weft_dims(out), nn_or(d->bias, own)));
    nn_leave(x.g, scopes);
    return weft_rank(x) == 1 ? weft_squeeze(y, 0) : y;
}

weft_tensor weft_linear(weft_state *s, weft_tensor x, int64_t out, const char *name) {
    return weft_nn_linear(s, x, out, name, NULL);
}

/* Normal, but for the row of the padding. */
static weft_init linear_padded(weft_graph *g, const weft_nn_embedding_desc *d, weft_init init) {
    if (init.kind != WEFT_INIT_NORMAL || init.a != 0)
        weft_poison(
            g, WEFT_UNSUPPORTED,
            "embedding: a padded table must be initialised from a normal distribution with mean 0");
    return (weft_init){WEFT_INIT_PADDED, init.b, (float)d->padding_idx};
}

weft_tensor weft_nn_embedding(weft_state *s, weft_tensor index, int64_t rows, int64_t width,
                              const char *name, const weft_nn_embedding_desc *d) {
    static const weft_nn_embedding_desc none;
    if (!d) d = &none;
    weft_graph *g = index.g;
    weft_tensor poison = {g, 0};
    nn_title of;
    if (!nn_layer(&of, "embedding", s, index, name) || !nn_size(g, of.text, "rows", rows) ||
        !nn_size(g, of.text, "columns", width))
        return poison;
    if (weft_dtype_of(index) != WEFT_I32)
        return weft_poison(g, WEFT_DTYPE, "%s: an index of i32 was expected, got %s", of.text,
                           weft_dtype_name(weft_dtype_of(index)));
    if (d->padded && (d->padding_idx < 0 || d->padding_idx >= rows || rows > 1 << 24))
        return weft_poison(g, WEFT_ARGUMENT, "%s: padding_idx %d of %lld rows", of.text,
                           (int)d->padding_idx, (long long)rows);
    int scopes = nn_enter(g, name);
    weft_init init = nn_or(d->weight, (weft_init){WEFT_INIT_NORMAL, 0, 1});
    if (d->padded) init = linear_padded(g, d, init);
    const linear_weight w =
        linear_weight_of(g, s, of.text, d->stored, weft_dims(rows, width), rows, init);
    weft_tensor y = weft_cast(weft_embedding(w.value, index), WEFT_F32);
    if (w.scale.g) y = weft_mul(y, weft_unsqueeze(weft_gather(w.scale, index, 0), -1));
    if (d->padded) {
        weft_tensor pad = weft_eq(index, weft_integer(g, d->padding_idx));
        y = weft_where(weft_unsqueeze(pad, -1), weft_stop_gradient(y), y);
    }
    nn_leave(g, scopes);
    return y;
}
