/* pooling.c - pooling over one axis, to given extents, and over all there is; flattening. */
#include "nn/parts.h"

/* One axis is two, the first with an extent of 1. */
static weft_tensor pooling_line(const char *what,
                                weft_tensor pool(weft_tensor, const weft_pool_desc *),
                                weft_tensor x, const weft_pool_desc *d) {
    if (!nn_tensor(what, x)) return (weft_tensor){x.g, 0};
    if (!d || weft_rank(x) != 3)
        return weft_poison(x.g, WEFT_SHAPE, "%s: x of rank 3 and a window were expected", what);
    int row = d->channels_last ? 1 : 2;
    weft_pool_desc flat = {.size = {1, d->size[0]},
                           .stride = {1, d->stride[0]},
                           .padding = {0, d->padding[0]},
                           .channels_last = d->channels_last};
    return weft_squeeze(pool(weft_unsqueeze(x, row), &flat), row);
}

weft_tensor weft_nn_max_pool1d(weft_tensor x, const weft_pool_desc *d) {
    return pooling_line("max_pool1d", weft_max_pool, x, d);
}

weft_tensor weft_nn_avg_pool1d(weft_tensor x, const weft_pool_desc *d) {
    return pooling_line("avg_pool1d", weft_avg_pool, x, d);
}

/* The first axis of space, and how many there are; false: poisoned. */
static bool pooling_space(const char *what, weft_tensor x, bool last, int *first, int *axes) {
    if (!nn_tensor(what, x)) return false;
    *first = last ? 1 : 2;
    *axes = weft_rank(x) - 2;
    if (*axes >= 1) return true;
    char text[100];
    weft_poison(x.g, WEFT_SHAPE, "%s: %s has no spatial axes", what,
                nn_shape_text(text, sizeof text, x));
    return false;
}

/* f32 [out, in]: row i has equal shares at the places i in / out up to (i + 1) in / out, cut down
 * and up to whole ones, and zeros elsewhere. */
static weft_tensor pooling_shares(weft_graph *g, int64_t out, int64_t in) {
    weft_shape dims = weft_dims(out, in);
    weft_tensor i = weft_iota(g, dims, 0), j = weft_iota(g, dims, 1), one = weft_integer(g, 1),
                rows = weft_integer(g, (int32_t)out), columns = weft_integer(g, (int32_t)in);
    weft_tensor begun = weft_lt(weft_mul(i, columns), weft_mul(weft_add(j, one), rows)),
                going = weft_lt(weft_mul(j, rows), weft_mul(weft_add(i, one), columns));
    weft_tensor met = weft_cast(weft_and(begun, going), WEFT_F32);
    return weft_div(met, weft_sum(met, weft_axes(1), true));
}

/* Along one axis. Where the extents divide it is a mean of neighbours, else a product. */
static weft_tensor pooling_adapt(weft_tensor x, int axis, int64_t out) {
    weft_shape s = weft_shape_of(x), split = {s.rank + 1, {0}};
    int64_t in = s.n[axis];
    if (in % out == 0) {
        for (int i = 0, k = 0; i < s.rank; i++) {
            split.n[k++] = i == axis ? out : s.n[i];
            if (i == axis) split.n[k++] = in / out;
        }
        return weft_mean(weft_reshape(x, split), weft_axes(axis + 1), false);
    }
    weft_tensor shares = weft_transpose(pooling_shares(x.g, out, in), 0, 1);
    return weft_transpose(weft_matmul(weft_transpose(x, axis, -1), shares), axis, -1);
}

weft_tensor weft_nn_adaptive_avg_pool(weft_tensor x, weft_shape out, bool channels_last) {
    int first, axes;
    if (!pooling_space("adaptive_avg_pool", x, channels_last, &first, &axes))
        return (weft_tensor){x.g, 0};
    if (out.rank != axes || weft_rank(x) == WEFT_MAX_RANK)
        return weft_poison(x.g, WEFT_ARGUMENT, "adaptive_avg_pool: %d extents for %d spatial axes",
                           (int)out.rank, axes);
    for (int i = 0; i < axes; i++)
        if (out.n[i] < 1 || out.n[i] > 1 << 15 || weft_dim(x, first + i) < 1 ||
            weft_dim(x, first + i) > 1 << 15)
            return weft_poison(x.g, WEFT_ARGUMENT,
                               "adaptive_avg_pool: extent %lld to %lld, expected 1 to 32768",
                               (long long)weft_dim(x, first + i), (long long)out.n[i]);
    for (int i = 0; i < axes; i++) x = pooling_adapt(x, first + i, out.n[i]);
    return x;
}

static weft_tensor pooling_global(const char *what, weft_tensor fold(weft_tensor, weft_shape, bool),
                                  weft_tensor x, bool last) {
    int first, axes;
    if (!pooling_space(what, x, last, &first, &axes)) return (weft_tensor){x.g, 0};
    weft_shape over = {axes, {0}};
    for (int i = 0; i < axes; i++) over.n[i] = first + i;
    return fold(x, over, false);
}

weft_tensor weft_nn_global_avg_pool(weft_tensor x, bool channels_last) {
    return pooling_global("global_avg_pool", weft_mean, x, channels_last);
}

weft_tensor weft_nn_global_max_pool(weft_tensor x, bool channels_last) {
    return pooling_global("global_max_pool", weft_max, x, channels_last);
}

weft_tensor weft_nn_flatten(weft_tensor x) {
    if (!nn_tensor("flatten", x)) return (weft_tensor){x.g, 0};
    if (weft_rank(x) < 1) return weft_poison(x.g, WEFT_SHAPE, "flatten: x is a single number");
    int64_t rows = weft_dim(x, 0);
    return weft_reshape(x, weft_dims(rows, rows ? weft_count(x) / rows : 0));
}
