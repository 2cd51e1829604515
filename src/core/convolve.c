/* convolve.c - recording convolutions and pooling: PyTorch's layouts outside, channels-last blocks
 * inside. Permutes are views, so a channels-last network pays for none. */
#include "core/shape.h"
#include <assert.h>

typedef struct convolve_axes {
    int64_t stride[2], padding[2], dilation[2], more[2], groups;
    bool last;
} convolve_axes;

static bool convolve_read(weft_graph *g, const char *what, const weft_conv_desc *d,
                          convolve_axes *a) {
    static const weft_conv_desc none;
    if (!d) d = &none;
    *a = (convolve_axes){.groups = d->groups ? d->groups : 1, .last = d->channels_last};
    for (int i = 0; i < 2; i++) {
        a->stride[i] = d->stride[i] ? d->stride[i] : 1;
        a->dilation[i] = d->dilation[i] ? d->dilation[i] : 1;
        a->padding[i] = d->padding[i];
        a->more[i] = d->output_padding[i];
        if (a->stride[i] < 1 || a->dilation[i] < 1 || a->padding[i] < 0 || a->more[i] < 0 ||
            a->groups < 1 || a->stride[i] > INT32_MAX || a->dilation[i] > INT32_MAX ||
            a->padding[i] > INT32_MAX || a->more[i] > INT32_MAX || a->groups > INT32_MAX) {
            graph_fail(g, WEFT_ARGUMENT,
                       "%s: stride, dilation and groups must be positive, padding not negative",
                       what);
            return false;
        }
    }
    return true;
}

static weft_tensor convolve_to_last(weft_tensor x, bool last) {
    return last ? x : weft_permute(x, weft_axes(0, 2, 3, 1));
}
static weft_tensor convolve_from_last(weft_tensor y, bool last) {
    return last ? y : weft_permute(y, weft_axes(0, 3, 1, 2));
}

static bool convolve_operands(const char *what, weft_tensor x, weft_tensor w, int rank) {
    assert(what && rank > 0 && rank <= WEFT_MAX_RANK);
    weft_tensor both[2] = {x, w};
    if (!graph_checked(x.g, both, 2)) return false;
    if (weft_rank(x) == rank && weft_rank(w) == rank) return true;
    graph_fail(x.g, WEFT_SHAPE, "%s: x and w must have rank %d, got %d and %d", what, rank,
               weft_rank(x), weft_rank(w));
    return false;
}

static weft_tensor convolve_2d(const char *what, weft_tensor x, weft_tensor w,
                               const convolve_axes *a) {
    weft_tensor in[2] = {weft_cast(convolve_to_last(x, a->last), WEFT_F32),
                         weft_cast(weft_permute(w, weft_axes(2, 3, 1, 0)), WEFT_F32)};
    if (!graph_checked(x.g, in, 2)) return tensor_at(x.g, 0);
    weft_shape sx = weft_shape_of(in[0]), sw = weft_shape_of(in[1]), sy = sx;
    char tx[100], tw[100];
    bool fits = sx.n[3] == sw.n[2] * a->groups && sw.n[3] % a->groups == 0;
    for (int i = 0; i < 2; i++) {
        int64_t reach = sx.n[1 + i] + 2 * a->padding[i] - a->dilation[i] * (sw.n[i] - 1) - 1;
        fits = fits && reach >= 0 && sw.n[i] > 0;
        sy.n[1 + i] = reach / a->stride[i] + 1;
    }
    if (!fits)
        return graph_fail(x.g, WEFT_SHAPE, "%s: image %s and kernel %s do not fit (groups %lld)",
                          what, shape_text(tx, sizeof tx, weft_rank(x), weft_shape_of(x).n),
                          shape_text(tw, sizeof tw, weft_rank(w), weft_shape_of(w).n),
                          (long long)a->groups);
    sy.n[3] = sw.n[3];
    int64_t attr[7] = {a->stride[0],   a->stride[1],   a->padding[0], a->padding[1],
                       a->dilation[0], a->dilation[1], a->groups};
    weft_tensor y = graph_part(graph_block(x.g, BLOCK_conv, in, 2, attr, 7), 0, WEFT_F32, 4, sy.n);
    return convolve_from_last(y, a->last);
}

static weft_tensor convolve_transpose_2d(const char *what, weft_tensor x, weft_tensor w,
                                         const convolve_axes *a) {
    weft_tensor in[2] = {weft_cast(convolve_to_last(x, a->last), WEFT_F32),
                         weft_cast(weft_permute(w, weft_axes(2, 3, 1, 0)), WEFT_F32)};
    if (!graph_checked(x.g, in, 2)) return tensor_at(x.g, 0);
    weft_shape sx = weft_shape_of(in[0]), sw = weft_shape_of(in[1]), sy = sx;
    if (sx.n[3] != sw.n[3] || sx.n[3] % a->groups)
        return graph_fail(x.g, WEFT_SHAPE,
                          "%s: %lld channels, the weights are for %lld (groups %lld)", what,
                          (long long)sx.n[3], (long long)sw.n[3], (long long)a->groups);
    for (int i = 0; i < 2; i++) {
        sy.n[1 + i] = (sx.n[1 + i] - 1) * a->stride[i] - 2 * a->padding[i] +
                      a->dilation[i] * (sw.n[i] - 1) + 1 + a->more[i];
        if (sy.n[1 + i] < 1)
            return graph_fail(x.g, WEFT_SHAPE, "%s: the result would have extent %lld", what,
                              (long long)sy.n[1 + i]);
        if (a->more[i] >= max_i64(a->stride[i], a->dilation[i]))
            return graph_fail(
                x.g, WEFT_ARGUMENT,
                "%s: output padding %lld, expected less than stride %lld or dilation %lld", what,
                (long long)a->more[i], (long long)a->stride[i], (long long)a->dilation[i]);
        /* whole strides of it are rows of zeros behind x, since the block knows less than one */
        in[0] = weft_pad(in[0], 1 + i, 0, a->more[i] / a->stride[i], 0);
    }
    sy.n[3] = sw.n[2] * a->groups;
    int64_t attr[9] = {a->stride[0],   a->stride[1], a->padding[0], a->padding[1], a->dilation[0],
                       a->dilation[1], a->groups,    sy.n[1],       sy.n[2]};
    weft_tensor y =
        graph_part(graph_block(x.g, BLOCK_conv_dx, in, 2, attr, 9), 0, WEFT_F32, 4, sy.n);
    return convolve_from_last(y, a->last);
}

weft_tensor weft_conv2d(weft_tensor x, weft_tensor w, const weft_conv_desc *d) {
    convolve_axes a;
    if (!convolve_operands("conv2d", x, w, 4) || !convolve_read(x.g, "conv2d", d, &a))
        return tensor_at(x.g, 0);
    return convolve_2d("conv2d", x, w, &a);
}

weft_tensor weft_conv_transpose2d(weft_tensor x, weft_tensor w, const weft_conv_desc *d) {
    convolve_axes a;
    if (!convolve_operands("conv_transpose2d", x, w, 4) ||
        !convolve_read(x.g, "conv_transpose2d", d, &a))
        return tensor_at(x.g, 0);
    return convolve_transpose_2d("conv_transpose2d", x, w, &a);
}

/* One dimension is two with a first extent of 1. */
static weft_tensor convolve_1d(const char *what, weft_tensor x, weft_tensor w,
                               const weft_conv_desc *d, bool transpose) {
    convolve_axes a;
    if (!convolve_operands(what, x, w, 3) || !convolve_read(x.g, what, d, &a))
        return tensor_at(x.g, 0);
    a.stride[1] = a.stride[0], a.padding[1] = a.padding[0], a.dilation[1] = a.dilation[0],
    a.more[1] = a.more[0];
    a.stride[0] = a.dilation[0] = 1, a.padding[0] = a.more[0] = 0;
    int row = a.last ? 1 : 2;
    x = weft_unsqueeze(x, row);
    w = weft_unsqueeze(w, 2);
    return weft_squeeze(
        transpose ? convolve_transpose_2d(what, x, w, &a) : convolve_2d(what, x, w, &a), row);
}

weft_tensor weft_conv1d(weft_tensor x, weft_tensor w, const weft_conv_desc *d) {
    return convolve_1d("conv1d", x, w, d, false);
}
weft_tensor weft_conv_transpose1d(weft_tensor x, weft_tensor w, const weft_conv_desc *d) {
    return convolve_1d("conv_transpose1d", x, w, d, true);
}

/* ---- pooling ---- */

static bool convolve_pool(const char *what, weft_tensor x, const weft_pool_desc *d, int64_t *attr) {
    assert(what && attr);
    if (!graph_checked(x.g, &x, 1)) return false;
    bool fits = d && weft_rank(x) == 4;
    for (int i = 0; fits && i < 2; i++) {
        attr[i] = d->size[i];
        attr[2 + i] = d->stride[i] ? d->stride[i] : d->size[i];
        attr[4 + i] = d->padding[i];
        fits = attr[i] > 0 && attr[i] <= LIMIT_POOL_WINDOW && attr[2 + i] > 0 &&
               attr[2 + i] <= INT32_MAX && attr[4 + i] >= 0 && attr[4 + i] <= attr[i] / 2 &&
               weft_dim(x, (d->channels_last ? 1 : 2) + i) + 2 * attr[4 + i] >= attr[i];
    }
    if (!fits)
        graph_fail(
            x.g, WEFT_SHAPE,
            "%s: needs rank 4, a window of at most %d by %d that fits, and padding of at most half "
            "of it",
            what, LIMIT_POOL_WINDOW, LIMIT_POOL_WINDOW);
    return fits;
}

weft_tensor weft_max_pool(weft_tensor x, const weft_pool_desc *d) {
    int64_t attr[6];
    if (!convolve_pool("max_pool", x, d, attr)) return tensor_at(x.g, 0);
    weft_tensor in = weft_cast(convolve_to_last(x, d->channels_last), WEFT_F32);
    weft_shape s = weft_shape_of(in);
    for (int i = 0; i < 2; i++)
        s.n[1 + i] = (s.n[1 + i] + 2 * attr[4 + i] - attr[i]) / attr[2 + i] + 1;
    weft_tensor y =
        graph_part(graph_block(x.g, BLOCK_max_pool, &in, 1, attr, 6), 0, WEFT_F32, 4, s.n);
    return convolve_from_last(y, d->channels_last);
}

weft_tensor weft_avg_pool(weft_tensor x, const weft_pool_desc *d) {
    int64_t a[6];
    if (!convolve_pool("avg_pool", x, d, a)) return tensor_at(x.g, 0);
    int h = d->channels_last ? 1 : 2;
    int64_t oh = (weft_dim(x, h) + 2 * a[4] - a[0]) / a[2] + 1,
            ow = (weft_dim(x, h + 1) + 2 * a[5] - a[1]) / a[3] + 1;
    weft_tensor padded = weft_pad(weft_pad(x, h, a[4], a[4], 0), h + 1, a[5], a[5], 0),
                sum = {x.g, 0};
    for (int64_t k = 0; k < a[0] * a[1]; k++) {
        int64_t i = k / a[1], j = k % a[1];
        weft_tensor met = weft_slice(weft_slice(padded, h, i, i + (oh - 1) * a[2] + 1, a[2]), h + 1,
                                     j, j + (ow - 1) * a[3] + 1, a[3]);
        sum = sum.id ? weft_add(sum, met) : met;
    }
    return weft_scale(sum, 1.0f / (float)(a[0] * a[1]));
}
