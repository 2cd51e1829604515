/* convolution.c - convolutions and their transposes as layers. What they compute is weft_conv1d and
 * its kin; here are weights, biases and the padding that keeps extents. */
#include "nn/parts.h"

#include <math.h>

typedef struct convolution_kind {
    const char *what;
    int axes; /* of space */
    bool transpose;
} convolution_kind;

static bool convolution_fits(const convolution_kind *k, const char *what, weft_tensor x,
                             int64_t out, const int64_t *size, const weft_nn_conv_desc *d) {
    char text[100];
    weft_graph *g = x.g;
    int64_t groups = d->groups ? d->groups : 1;
    if (weft_rank(x) != k->axes + 2) {
        weft_poison(g, WEFT_SHAPE, "%s: x has rank %d: %s, got %s", what, k->axes + 2,
                    k->axes == 1 ? "[N, C, T]" : "[N, C, H, W]",
                    nn_shape_text(text, sizeof text, x));
        return false;
    }
    if (!nn_size(g, what, "channels", out)) return false;
    for (int i = 0; i < k->axes; i++)
        if (!nn_size(g, what, "rows or columns of the kernel", size[i])) return false;
    int64_t in = weft_dim(x, d->channels_last ? -1 : 1);
    if (groups < 1 || in % groups || out % groups) {
        weft_poison(g, WEFT_ARGUMENT, "%s: %lld groups of %lld and %lld channels", what,
                    (long long)groups, (long long)in, (long long)out);
        return false;
    }
    for (int i = 0; d->same && i < k->axes; i++)
        if (k->transpose || size[i] % 2 == 0 || d->stride[i] > 1 || d->padding[i]) {
            weft_poison(g, WEFT_ARGUMENT,
                        "%s: .same is for odd kernels, stride 1 and no other padding", what);
            return false;
        }
    return true;
}

static weft_tensor convolution_layer(const convolution_kind *k, weft_state *s, weft_tensor x,
                                     int64_t out, const int64_t *size, const char *name,
                                     const weft_nn_conv_desc *d) {
    static const weft_nn_conv_desc none;
    if (!d) d = &none;
    nn_title of;
    if (!nn_layer(&of, k->what, s, x, name) || !convolution_fits(k, of.text, x, out, size, d))
        return (weft_tensor){x.g, 0};
    int scopes = nn_enter(x.g, name);
    weft_conv_desc how = {.groups = d->groups, .channels_last = d->channels_last};
    int64_t groups = d->groups ? d->groups : 1, in = weft_dim(x, d->channels_last ? -1 : 1);
    weft_shape dims = k->transpose ? weft_dims(in, out / groups) : weft_dims(out, in / groups);
    double fan = (double)dims.n[1];
    for (int i = 0; i < k->axes; i++) {
        dims.n[dims.rank++] = size[i];
        fan *= (double)size[i];
        how.stride[i] = d->stride[i];
        how.dilation[i] = d->dilation[i];
        how.output_padding[i] = d->output_padding[i];
        how.padding[i] =
            d->same ? (d->dilation[i] ? d->dilation[i] : 1) * (size[i] - 1) / 2 : d->padding[i];
    }
    weft_init own = nn_uniform(fan > 0 ? 1 / sqrt(fan) : 0);
    weft_tensor w = weft_param(x.g, s, "weight", dims, nn_or(d->weight, own));
    weft_tensor y = k->axes == 1 ? (k->transpose ? weft_conv_transpose1d : weft_conv1d)(x, w, &how)
                                 : (k->transpose ? weft_conv_transpose2d : weft_conv2d)(x, w, &how);
    if (!d->no_bias) {
        weft_tensor b = weft_param(x.g, s, "bias", weft_dims(out), nn_or(d->bias, own));
        weft_shape column = {k->axes + 1, {out, 1, 1}};
        y = weft_add(y, d->channels_last ? b : weft_reshape(b, column));
    }
    nn_leave(x.g, scopes);
    return y;
}

/* One number means a square. */
static bool convolution_square(const char *what, weft_tensor x, weft_shape *size) {
    if (size->rank == 1) size->n[size->rank++] = size->n[0];
    if (size->rank == 2) return true;
    if (nn_tensor(what, x))
        weft_poison(x.g, WEFT_ARGUMENT, "%s: rows and columns of the kernel, got %d numbers", what,
                    (int)size->rank);
    return false;
}

weft_tensor weft_nn_conv1d(weft_state *s, weft_tensor x, int64_t out, int64_t size,
                           const char *name, const weft_nn_conv_desc *d) {
    static const convolution_kind kind = {"conv1d", 1, false};
    return convolution_layer(&kind, s, x, out, &size, name, d);
}

weft_tensor weft_nn_conv2d(weft_state *s, weft_tensor x, int64_t out, weft_shape size,
                           const char *name, const weft_nn_conv_desc *d) {
    static const convolution_kind kind = {"conv2d", 2, false};
    if (!convolution_square(kind.what, x, &size)) return (weft_tensor){x.g, 0};
    return convolution_layer(&kind, s, x, out, size.n, name, d);
}

weft_tensor weft_nn_conv_transpose1d(weft_state *s, weft_tensor x, int64_t out, int64_t size,
                                     const char *name, const weft_nn_conv_desc *d) {
    static const convolution_kind kind = {"conv_transpose1d", 1, true};
    return convolution_layer(&kind, s, x, out, &size, name, d);
}

weft_tensor weft_nn_conv_transpose2d(weft_state *s, weft_tensor x, int64_t out, weft_shape size,
                                     const char *name, const weft_nn_conv_desc *d) {
    static const convolution_kind kind = {"conv_transpose2d", 2, true};
    if (!convolution_square(kind.what, x, &size)) return (weft_tensor){x.g, 0};
    return convolution_layer(&kind, s, x, out, size.n, name, d);
}
