/* linear.c - the layers that are a table or a product: linear and embedding. */
#include "nn/parts.h"

#include <math.h>

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
    weft_tensor w = weft_param(x.g, s, "weight", dims, nn_or(d->weight, own));
    weft_tensor rows = weft_rank(x) == 1 ? weft_unsqueeze(x, 0) : x;
    weft_tensor y = weft_matmul(rows, d->transposed ? w : weft_transpose(w, 0, 1));
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
        weft_poison(g, WEFT_UNSUPPORTED,
                    "embedding: with a row of padding, first values are normal with mean 0");
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
    weft_tensor y = weft_embedding(weft_param(g, s, "weight", weft_dims(rows, width), init), index);
    if (d->padded) {
        weft_tensor pad = weft_eq(index, weft_integer(g, d->padding_idx));
        y = weft_where(weft_unsqueeze(pad, -1), weft_stop_gradient(y), y);
    }
    nn_leave(g, scopes);
    return y;
}
