/* norms.c - batch, layer, RMS and group norm as layers: their weights, and the running statistics
 * by which a batch norm goes in evaluation. The formulas are the engine's. */
#include "nn/parts.h"

static const weft_init norms_zeros = {WEFT_INIT_ZEROS, 0, 0}, norms_ones = {WEFT_INIT_ONES, 0, 0};

/* Channels last: one more row for each place, [rows, C]. */
static weft_tensor norms_rows(weft_tensor x) {
    int64_t c = weft_dim(x, -1);
    return weft_reshape(x, weft_dims(c ? weft_count(x) / c : 0, c));
}

/* [C] against [N, C, ...] */
static weft_tensor norms_column(weft_tensor w, int rank) {
    weft_shape s = {rank - 1, {weft_dim(w, 0)}};
    for (int i = 1; i < s.rank; i++) s.n[i] = 1;
    return weft_reshape(w, s);
}

/* ---- batch norm ---- */

typedef struct norms_running {
    weft_tensor mean, var, batches;
} norms_running;

/* Moves the statistics on. PyTorch keeps the variance as that of a sample: sum / (count - 1). */
static void norms_move(const norms_running *r, const weft_normed *n, int64_t count,
                       const weft_nn_batch_norm_desc *d) {
    weft_graph *g = r->mean.g;
    weft_tensor next = weft_add(r->batches, weft_integer(g, 1));
    weft_tensor share =
        d->cumulative ? weft_recip(next) : weft_scalar(g, d->momentum != 0 ? d->momentum : 0.1f);
    weft_tensor rest = weft_sub(weft_scalar(g, 1), share);
    weft_tensor var = weft_scale(n->var, (float)((double)count / (double)(count - 1)));
    weft_layer_update(r->mean, weft_add(weft_mul(r->mean, rest), weft_mul(n->mean, share)));
    weft_layer_update(r->var, weft_add(weft_mul(r->var, rest), weft_mul(var, share)));
    weft_layer_update(r->batches, next);
}

/* (x - mean) / sqrt(var + eps) weight + bias, with a factor and a shift for each channel. */
static weft_tensor norms_by_running(weft_tensor x, const norms_running *r, weft_tensor weight,
                                    weft_tensor bias, float eps) {
    weft_tensor factor = weft_rsqrt(weft_offset(r->var, eps));
    if (weight.g) factor = weft_mul(factor, weight);
    weft_tensor shift = weft_neg(weft_mul(r->mean, factor));
    if (bias.g) shift = weft_add(shift, bias);
    int rank = weft_rank(x);
    return weft_add(weft_mul(x, norms_column(factor, rank)), norms_column(shift, rank));
}

weft_tensor weft_nn_batch_norm(weft_state *s, weft_tensor x, const char *name,
                               const weft_nn_batch_norm_desc *d) {
    static const weft_nn_batch_norm_desc none;
    if (!d) d = &none;
    nn_title of;
    if (!nn_layer(&of, "batch_norm", s, x, name)) return (weft_tensor){x.g, 0};
    char text[100];
    weft_graph *g = x.g;
    if (weft_rank(x) < 2)
        return weft_poison(g, WEFT_SHAPE, "%s: [N, C, ...] was expected, got %s", of.text,
                           nn_shape_text(text, sizeof text, x));
    weft_shape dims = weft_shape_of(x), channels = {1, {weft_dim(x, d->channels_last ? -1 : 1)}};
    int64_t count = channels.n[0] ? weft_count(x) / channels.n[0] : 0;
    bool of_batch = d->no_statistics || !weft_graph_is_eval(g);
    if (of_batch && count < 2)
        return weft_poison(g, WEFT_SHAPE,
                           "%s: %s has %lld values for each channel; statistics need 2", of.text,
                           nn_shape_text(text, sizeof text, x), (long long)count);
    int scopes = nn_enter(g, name);
    weft_tensor weight = {0}, bias = {0};
    if (!d->no_affine) {
        weight = weft_param(g, s, "weight", channels, norms_ones);
        bias = weft_param(g, s, "bias", channels, norms_zeros);
    }
    norms_running r = {{0}, {0}, {0}};
    if (!d->no_statistics) {
        r.mean = weft_buffer(g, s, "running_mean", WEFT_F32, channels, norms_zeros);
        r.var = weft_buffer(g, s, "running_var", WEFT_F32, channels, norms_ones);
        r.batches = weft_buffer(g, s, "num_batches_tracked", WEFT_I32, WEFT_0D, norms_zeros);
    }
    weft_tensor in = d->channels_last ? norms_rows(x) : x, y;
    float eps = d->eps != 0 ? d->eps : 1e-5f;
    if (of_batch) {
        weft_normed n = weft_batch_norm(in, weight, bias, eps);
        if (!d->no_statistics && weft_ok(n.y)) norms_move(&r, &n, count, d);
        y = n.y;
    } else y = norms_by_running(in, &r, weight, bias, eps);
    nn_leave(g, scopes);
    return d->channels_last ? weft_reshape(y, dims) : y;
}

/* ---- norms of a row ---- */

static weft_tensor norms_row(const char *what, weft_state *s, weft_tensor x, const char *name,
                             const weft_nn_norm_desc *d, bool rms) {
    static const weft_nn_norm_desc none;
    if (!d) d = &none;
    nn_title of;
    if (!nn_layer(&of, what, s, x, name)) return (weft_tensor){x.g, 0};
    weft_shape dims = weft_shape_of(x), own = {d->axes ? d->axes : 1, {0}};
    if (own.rank < 1 || own.rank > dims.rank)
        return weft_poison(x.g, WEFT_ARGUMENT, "%s: %d axes of rank %d", of.text, (int)own.rank,
                           (int)dims.rank);
    int64_t row = 1, rows = 1;
    for (int i = 0; i < dims.rank; i++)
        if (i < dims.rank - own.rank) rows *= dims.n[i];
        else row *= own.n[i - (dims.rank - own.rank)] = dims.n[i];
    int scopes = nn_enter(x.g, name);
    weft_tensor weight = {0}, bias = {0};
    if (!d->no_affine) weight = weft_param(x.g, s, "weight", own, norms_ones);
    if (!d->no_affine && !d->no_bias && !rms) bias = weft_param(x.g, s, "bias", own, norms_zeros);
    if (own.rank > 1) {
        x = weft_reshape(x, weft_dims(rows, row));
        if (weight.g) weight = weft_reshape(weight, weft_dims(row));
        if (bias.g) bias = weft_reshape(bias, weft_dims(row));
    }
    float eps = d->eps != 0 ? d->eps : rms ? 0x1p-23f : 1e-5f;
    weft_tensor y = rms ? weft_rms_norm(x, weight, eps) : weft_layer_norm(x, weight, bias, eps);
    nn_leave(x.g, scopes);
    return own.rank > 1 ? weft_reshape(y, dims) : y;
}

weft_tensor weft_nn_layer_norm(weft_state *s, weft_tensor x, const char *name,
                               const weft_nn_norm_desc *d) {
    return norms_row("layer_norm", s, x, name, d, false);
}

weft_tensor weft_nn_rms_norm(weft_state *s, weft_tensor x, const char *name,
                             const weft_nn_norm_desc *d) {
    return norms_row("rms_norm", s, x, name, d, true);
}

weft_tensor weft_nn_group_norm(weft_state *s, weft_tensor x, int groups, const char *name,
                               const weft_nn_norm_desc *d) {
    static const weft_nn_norm_desc none;
    if (!d) d = &none;
    nn_title of;
    if (!nn_layer(&of, "group_norm", s, x, name)) return (weft_tensor){x.g, 0};
    int rank = weft_rank(x);
    int64_t c = rank < 2 ? 0 : weft_dim(x, d->channels_last ? -1 : 1);
    if (rank < 2 || groups < 1 || c % groups)
        return weft_poison(x.g, WEFT_SHAPE, "%s: %d groups of %lld channels, rank %d", of.text,
                           groups, (long long)c, rank);
    int scopes = nn_enter(x.g, name);
    weft_tensor weight = {0}, bias = {0};
    if (!d->no_affine) weight = weft_param(x.g, s, "weight", weft_dims(c), norms_ones);
    if (!d->no_affine && !d->no_bias) bias = weft_param(x.g, s, "bias", weft_dims(c), norms_zeros);
    weft_shape there = {rank, {0}}, back = {rank, {0}}; /* the last axis second, and last again */
    for (int i = 0; i < rank; i++) {
        there.n[i] = i == 0 ? 0 : i == 1 ? rank - 1 : i - 1;
        back.n[i] = i == 0 ? 0 : i == rank - 1 ? 1 : i + 1;
    }
    if (d->channels_last) x = weft_permute(x, there);
    weft_tensor y = weft_group_norm(x, groups, weight, bias, d->eps != 0 ? d->eps : 1e-5f);
    nn_leave(x.g, scopes);
    return d->channels_last ? weft_permute(y, back) : y;
}
