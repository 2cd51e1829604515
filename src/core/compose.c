/* compose.c - operations made of other operations: activations, statistics, indexing, sorting,
 * random numbers.
 *
 * Nothing here has a kernel, a rule of differentiation or a backend: each is a formula. */
#include "core/context.h"
#include "core/shape.h"
#include <float.h>
#include <math.h>

static weft_tensor compose_num(weft_tensor like, float v) {
    return weft_scalar(like.g, v);
}

/* ---- element by element ---- */

weft_tensor weft_not(weft_tensor x) {
    return graph_checked(x.g, &x, 1) ? weft_eq(x, weft_integer(x.g, 0)) : tensor_at(x.g, 0);
}
/* Checked first: a mistake must poison the graph of the first operand, as everywhere. */
static weft_tensor compose_swapped(weft_tensor compare(weft_tensor, weft_tensor), weft_tensor a,
                                   weft_tensor b) {
    return graph_checked(a.g, (weft_tensor[]){a, b}, 2) ? compare(b, a) : tensor_at(a.g, 0);
}
weft_tensor weft_gt(weft_tensor a, weft_tensor b) {
    return compose_swapped(weft_lt, a, b);
}
weft_tensor weft_ge(weft_tensor a, weft_tensor b) {
    return compose_swapped(weft_le, a, b);
}
weft_tensor weft_square(weft_tensor x) {
    return weft_mul(x, x);
}
weft_tensor weft_scale(weft_tensor x, float by) {
    return weft_mul(x, compose_num(x, by));
}
weft_tensor weft_offset(weft_tensor x, float by) {
    return weft_add(x, compose_num(x, by));
}

/* At a bound the slope is 1, as PyTorch has it: x is the second operand, which a tie goes to. */
weft_tensor weft_clamp(weft_tensor x, float lo, float hi) {
    return weft_minimum(compose_num(x, hi), weft_maximum(compose_num(x, lo), x));
}

weft_tensor weft_leaky_relu(weft_tensor x, float slope) {
    return weft_where(weft_lt(compose_num(x, 0), x), x, weft_scale(x, slope));
}

weft_tensor weft_elu(weft_tensor x, float alpha) {
    /* expm1 of the negative part only: the branch not taken must not overflow. At 0 the minimum's
     * slope is that of its second operand. */
    weft_tensor below = weft_expm1(weft_minimum(compose_num(x, 0), x));
    return weft_where(weft_lt(compose_num(x, 0), x), x, weft_scale(below, alpha));
}

/* x times a share of it, as in gelu and silu: 0 or 1 far out, with a slope share + x share'. Infinity
 * times 0 is nan, so x is clipped where the share is 0, and in the slope where it no longer changes:
 * no bit of a product with 0 depends on it. */
static weft_tensor compose_gated(weft_tensor x, weft_tensor share, float lowest, weft_rule rule) {
    const weft_tensor y = weft_mul(weft_maximum(compose_num(x, lowest), x), share);
    return weft_custom_grad(y, (weft_tensors){&x, 1}, rule, NULL);
}

enum { GELU_FAR = 15, SILU_FAR = 1000 }; /* in f64 sigmoid is 0 from -746 on */

static weft_tensor compose_gelu_share(weft_tensor x) {
    const weft_tensor twice = weft_offset(weft_erf(weft_scale(x, 0.70710678118654752f)), 1);
    return weft_scale(twice, 0.5f);
}

static void compose_gelu_rule(void *user, weft_tensor dy, weft_tensor y, const weft_tensor *in,
                              size_t n, weft_tensor *out) {
    (void)user, (void)y, (void)n;
    weft_tensor x = weft_clamp(in[0], -GELU_FAR, GELU_FAR);
    weft_tensor density = weft_exp(weft_scale(weft_square(x), -0.5f));
    weft_tensor slope = weft_scale(weft_mul(x, density), 0.3989422804014327f);
    out[0] = weft_mul(dy, weft_add(compose_gelu_share(in[0]), slope));
}

weft_tensor weft_gelu(weft_tensor x) {
    return compose_gated(x, compose_gelu_share(x), -GELU_FAR, compose_gelu_rule);
}

static weft_tensor compose_gelu_tanh(weft_tensor x) {
    weft_tensor cubic = weft_add(x, weft_scale(weft_mul(x, weft_square(x)), 0.044715f));
    return weft_tanh(weft_scale(cubic, 0.79788456080286536f));
}

static void compose_gelu_tanh_rule(void *user, weft_tensor dy, weft_tensor y, const weft_tensor *in,
                                   size_t n, weft_tensor *out) {
    (void)user, (void)y, (void)n;
    weft_tensor x = weft_clamp(in[0], -GELU_FAR, GELU_FAR), tanh = compose_gelu_tanh(in[0]);
    weft_tensor inner = weft_offset(weft_scale(weft_square(x), 3 * 0.044715f), 1);
    weft_tensor by = weft_mul(weft_scale(x, 0.79788456080286536f), inner);
    weft_tensor slope = weft_mul(by, weft_sub(compose_num(x, 1), weft_square(tanh)));
    out[0] = weft_mul(weft_scale(dy, 0.5f), weft_add(weft_offset(tanh, 1), slope));
}

weft_tensor weft_gelu_tanh(weft_tensor x) {
    return compose_gated(x, weft_scale(weft_offset(compose_gelu_tanh(x), 1), 0.5f), -GELU_FAR,
                         compose_gelu_tanh_rule);
}

static void compose_silu_rule(void *user, weft_tensor dy, weft_tensor y, const weft_tensor *in,
                              size_t n, weft_tensor *out) {
    (void)user, (void)y, (void)n;
    weft_tensor x = weft_clamp(in[0], -SILU_FAR, SILU_FAR), s = weft_sigmoid(in[0]);
    weft_tensor slope = weft_mul(x, weft_mul(s, weft_sub(compose_num(x, 1), s)));
    out[0] = weft_mul(dy, weft_add(s, slope));
}

weft_tensor weft_silu(weft_tensor x) {
    return compose_gated(x, weft_sigmoid(x), -SILU_FAR, compose_silu_rule);
}

/* The slopes of relu and abs at 0 do not add up to that of the whole, which is sigmoid everywhere. */
static void compose_softplus_rule(void *user, weft_tensor dy, weft_tensor y, const weft_tensor *in,
                                  size_t n, weft_tensor *out) {
    (void)user, (void)y, (void)n;
    out[0] = weft_mul(dy, weft_sigmoid(in[0]));
}

weft_tensor weft_softplus(weft_tensor x) {
    weft_tensor rest = weft_log1p(weft_exp(weft_neg(weft_abs(x))));
    return weft_custom_grad(weft_add(weft_relu(x), rest), (weft_tensors){&x, 1},
                            compose_softplus_rule, NULL);
}

/* ---- folds ---- */

static int64_t compose_folded(weft_tensor x, uint32_t mask) {
    int64_t count = 1;
    for (int i = 0; i < weft_rank(x); i++)
        if (mask >> i & 1) count *= weft_dim(x, i);
    return count;
}

weft_tensor weft_mean(weft_tensor x, weft_shape axes, bool keep) {
    uint32_t mask;
    if (!shape_mask(x, "mean", axes, &mask)) return tensor_at(x.g, 0);
    return weft_scale(weft_sum(weft_cast(x, WEFT_F32), axes, keep),
                      (float)(1.0 / (double)compose_folded(x, mask)));
}

weft_tensor weft_min(weft_tensor x, weft_shape axes, bool keep) {
    return weft_neg(weft_max(weft_neg(x), axes, keep));
}

weft_tensor weft_var(weft_tensor x, weft_shape axes, bool keep) {
    return weft_mean(weft_square(weft_sub(x, weft_mean(x, axes, true))), axes, keep);
}

weft_tensor weft_any(weft_tensor x, weft_shape axes, bool keep) {
    weft_tensor most = weft_max(weft_cast(weft_cast(x, WEFT_BOOL), WEFT_I32), axes, keep);
    return graph_checked(x.g, &x, 1) ? weft_lt(weft_integer(x.g, 0), most)
                                     : tensor_at(x.g, 0); /* of nothing: false */
}

weft_tensor weft_all(weft_tensor x, weft_shape axes, bool keep) {
    return weft_not(weft_any(weft_not(x), axes, keep));
}

weft_tensor weft_argmin(weft_tensor x, int axis, bool keep) {
    return weft_argmax(weft_neg(x), axis, keep);
}

weft_tensor weft_cumsum(weft_tensor x, int axis) {
    return weft_linrec(compose_num(x, 1), x, axis, false);
}

weft_tensor weft_mse(weft_tensor a, weft_tensor b) {
    return weft_mean(weft_square(weft_sub(a, b)), WEFT_ALL, false);
}

/* ---- shape ---- */

weft_tensor weft_flip(weft_tensor x, int axis) {
    return weft_slice(x, axis, WEFT_END, WEFT_END, -1);
}

weft_tensor weft_tile(weft_tensor x, weft_shape times) {
    if (!graph_checked(x.g, &x, 1)) return tensor_at(x.g, 0);
    weft_shape s = weft_shape_of(x), wide = {0}, from = {0}, flat = {0};
    if (times.rank != s.rank || s.rank * 2 > WEFT_MAX_RANK)
        return graph_fail(x.g, WEFT_ARGUMENT, "tile: %d counts for rank %d (at most 4)",
                          (int)times.rank, (int)s.rank);
    for (int i = 0; i < s.rank; i++) {
        if (times.n[i] < 0)
            return graph_fail(x.g, WEFT_ARGUMENT, "tile: a count of %lld", (long long)times.n[i]);
        from.n[from.rank++] = 1, from.n[from.rank++] = s.n[i];
        wide.n[wide.rank++] = times.n[i], wide.n[wide.rank++] = s.n[i];
        if (!checked_mul(times.n[i], s.n[i], &flat.n[flat.rank++]))
            return graph_fail(x.g, WEFT_SHAPE, "tile: too large");
    }
    return weft_reshape(weft_expand(weft_reshape(x, from), wide), flat);
}

weft_tensor weft_stack(weft_tensors parts, int axis) {
    if (!parts.at || !parts.n) {
        weft_fail(NULL, WEFT_ARGUMENT, "stack: no parts");
        return (weft_tensor){0};
    }
    weft_graph *g = parts.at[0].g;
    if (!graph_checked(g, parts.at, 1)) return tensor_at(g, 0);
    weft_tensor *in = mem_new(g->m, parts.n * sizeof *in);
    if (!in) return graph_fail(g, WEFT_MEMORY, "stack: out of memory");
    if (axis < 0) axis += weft_rank(parts.at[0]) + 1;
    for (size_t i = 0; i < parts.n; i++) in[i] = weft_unsqueeze(parts.at[i], axis);
    weft_tensor r = weft_concat((weft_tensors){in, parts.n}, axis);
    mem_free(g->m, in);
    return r;
}

weft_err weft_split(weft_tensor x, int axis, int parts, weft_tensor *out) {
    if (!out) return weft_fail(NULL, WEFT_ARGUMENT, "split: the result array is NULL");
    for (int i = 0; i < parts; i++) out[i] = tensor_at(x.g, 0);
    if (!shape_axis(x, "split", &axis)) return x.g ? x.g->err : WEFT_ARGUMENT;
    int64_t n = weft_dim(x, axis);
    if (parts < 1 || n % parts) {
        graph_fail(x.g, WEFT_SHAPE, "split: %lld elements do not divide into %d parts",
                   (long long)n, parts);
        return x.g->err;
    }
    for (int i = 0; i < parts; i++)
        out[i] = weft_slice(x, axis, i * (n / parts), (i + 1) * (n / parts), 1);
    return x.g->err;
}

/* ---- picking and ordering ---- */

weft_tensor weft_gather(weft_tensor x, weft_tensor index, int axis) {
    weft_tensor both[2] = {x, index};
    if (!graph_checked(x.g, both, 2) || !shape_axis(x, "gather", &axis) ||
        !shape_index(index, "gather"))
        return tensor_at(x.g, 0);
    weft_shape sx = weft_shape_of(x), si = weft_shape_of(index), at = sx, wide = sx, out = {0};
    if (sx.rank - 1 + si.rank > WEFT_MAX_RANK)
        return graph_fail(x.g, WEFT_SHAPE, "gather: the result would have rank %d",
                          sx.rank - 1 + si.rank);
    for (int i = 0; i < sx.rank; i++) at.n[i] = 1;
    at.n[axis] = wide.n[axis] = weft_count(index);
    for (int i = 0; i < axis; i++) out.n[out.rank++] = sx.n[i];
    for (int i = 0; i < si.rank; i++) out.n[out.rank++] = si.n[i];
    for (int i = axis + 1; i < sx.rank; i++) out.n[out.rank++] = sx.n[i];
    return weft_reshape(weft_take_along(x, weft_expand(weft_reshape(index, at), wide), axis), out);
}

weft_tensor weft_embedding(weft_tensor table, weft_tensor index) {
    if (graph_checked(table.g, &table, 1) && weft_rank(table) != 2)
        return graph_fail(table.g, WEFT_SHAPE, "embedding: the table must be a matrix, got rank %d",
                          weft_rank(table));
    weft_tensor both[2] = {table, index};
    if (!graph_checked(table.g, both, 2) || !shape_index(index, "embedding"))
        return tensor_at(table.g, 0);
    return weft_gather(table, index, 0);
}

weft_tensor weft_one_hot(weft_tensor index, int64_t classes) {
    if (!graph_checked(index.g, &index, 1) || !shape_index(index, "one_hot"))
        return tensor_at(index.g, 0);
    weft_shape s = weft_shape_of(index);
    if (s.rank == WEFT_MAX_RANK || classes < 0)
        return graph_fail(index.g, WEFT_SHAPE, "one_hot: rank %d, %lld classes", (int)s.rank,
                          (long long)classes);
    s.n[s.rank++] = classes;
    return weft_cast(weft_eq(weft_iota(index.g, s, -1), weft_unsqueeze(index, -1)), WEFT_F32);
}

weft_tensor weft_sort(weft_tensor x, int axis, bool descending) {
    return weft_take_along(x, weft_argsort(x, axis, descending), axis);
}

weft_top weft_topk(weft_tensor x, int64_t k, int axis) {
    weft_top none = {{x.g, 0}, {x.g, 0}};
    if (!shape_axis(x, "topk", &axis)) return none;
    if (k < 0 || k > weft_dim(x, axis)) {
        graph_fail(x.g, WEFT_ARGUMENT, "topk: %lld of %lld", (long long)k,
                   (long long)weft_dim(x, axis));
        return none;
    }
    weft_tensor order = weft_slice(weft_argsort(x, axis, true), axis, 0, k, 1);
    return (weft_top){weft_take_along(x, order, axis), order};
}

/* ---- drawing ---- */

/* Seed and run number are ordinary state; the stream is the place in the graph: scope and
 * ordinal. */
static weft_tensor compose_random(weft_graph *g, random_kind kind, weft_shape s) {
    int64_t count;
    if (!graph_checked(g, NULL, 0) || !graph_shape_ok(g, "random", WEFT_F32, &s) ||
        (shape_count(s.rank, s.n, &count) && !graph_positions(g, "random", count)))
        return tensor_at(g, 0);
    weft_state *from = g->states ? g->state[0] : g->ctx->own;
    if (!from) {
        from = g->ctx->own = weft_state_new(g->ctx);
        if (!from) return graph_fail(g, WEFT_MEMORY, "random: out of memory");
    }
    uint32_t scope = g->in_scope;
    g->in_scope = 0; /* the entries have the same names wherever they are drawn from */
    weft_tensor in[2] = {
        weft_buffer(g, from, "rng.seed", WEFT_I32, WEFT_0D, (weft_init){WEFT_INIT_VALUE, 0, 0}),
        weft_buffer(g, from, "rng.step", WEFT_I32, WEFT_0D, (weft_init){WEFT_INIT_ZEROS, 0, 0}),
    };
    g->in_scope = scope;
    if (!graph_checked(g, in, 2)) return tensor_at(g, 0);
    char path[LIMIT_SCOPE_LENGTH + 1];
    node here = {.scope = scope};
    node_scope(g, &here, path, sizeof path, '/');
    uint64_t stream =
        hash_word(hash_bytes(HASH_START, path, strlen(path)), g->scope[scope].randoms++);
    int64_t attr[2] = {(int64_t)(uint32_t)(stream ^ stream >> 32), kind};
    return graph_append(g, OP_random, kind == RANDOM_BITS ? WEFT_I32 : WEFT_F32, s.rank, s.n, in, 2,
                        attr, 2);
}

weft_tensor weft_uniform(weft_graph *g, weft_shape s) {
    return compose_random(g, RANDOM_UNIFORM, s);
}
weft_tensor weft_normal(weft_graph *g, weft_shape s) {
    return compose_random(g, RANDOM_NORMAL, s);
}

weft_tensor weft_bernoulli(weft_graph *g, float p, weft_shape s) {
    return weft_lt(weft_uniform(g, s), weft_scalar(g, p));
}

weft_tensor weft_randint(weft_graph *g, int32_t lo, int32_t hi, weft_shape s) {
    if (!graph_checked(g, NULL, 0)) return tensor_at(g, 0);
    int64_t span = (int64_t)hi - lo;
    if (span < 1 || span > LIMIT_RANDINT)
        return graph_fail(g, WEFT_ARGUMENT, "randint: [%d, %d) has %lld values, expected 1 to %d",
                          (int)lo, (int)hi, (long long)span, LIMIT_RANDINT);
    /* 31 bits by remainder: the same integers on every device; uneven by less than span / 2^31 */
    weft_tensor bits = weft_and(compose_random(g, RANDOM_BITS, s), weft_integer(g, INT32_MAX));
    return weft_add(weft_mod(bits, weft_integer(g, (int32_t)span)), weft_integer(g, lo));
}

weft_tensor weft_permutation(weft_graph *g, int64_t n) {
    return weft_argsort(compose_random(g, RANDOM_BITS, weft_dims(n)), 0, false);
}

weft_tensor weft_dropout(weft_tensor x, float p) {
    if (!graph_checked(x.g, &x, 1)) return tensor_at(x.g, 0);
    if (!(p >= 0 && p < 1))
        return graph_fail(x.g, WEFT_ARGUMENT, "dropout: probability %g, expected [0, 1)",
                          (double)p);
    if (p == 0 || x.g->eval) return x;
    weft_tensor dropped = weft_bernoulli(x.g, p, weft_shape_of(x));
    return weft_where(dropped, compose_num(x, 0), weft_scale(x, 1 / (1 - p)));
}

/* ---- softmax and its kin, norms: fusing makes each a single kernel ---- */

weft_tensor weft_softmax(weft_tensor x, int axis) {
    if (!shape_axis(x, "softmax", &axis)) return tensor_at(x.g, 0);
    weft_tensor top = weft_stop_gradient(weft_max(x, weft_axes(axis), true));
    weft_tensor e = weft_exp(weft_sub(x, top));
    return weft_div(e, weft_sum(e, weft_axes(axis), true));
}

/* 0 where x is 0, whatever y is: where its logarithm is not finite either, it is taken of 1. Elsewhere
 * it stays ln y, which is the slope along x. */
weft_tensor weft_xlogy(weft_tensor x, weft_tensor y) {
    weft_tensor both[2] = {x, y};
    if (!graph_checked(x.g, both, 2)) return tensor_at(x.g, 0);
    weft_tensor finite =
        weft_and(weft_le(compose_num(x, FLT_MIN), y), weft_le(y, compose_num(x, FLT_MAX)));
    weft_tensor kept = weft_or(finite, weft_ne(x, compose_num(x, 0)));
    return weft_mul(x, weft_log(weft_where(kept, y, compose_num(x, 1))));
}

weft_tensor weft_lbeta(weft_tensor a, weft_tensor b) {
    const weft_tensor both = weft_add(weft_lgamma(a), weft_lgamma(b));
    return weft_sub(both, weft_lgamma(weft_add(a, b)));
}

/* Softmax of what is finite, so that an infinity, or several, are the largest of all. */
static void compose_logsumexp_rule(void *axis, weft_tensor dy, weft_tensor y, const weft_tensor *in,
                                   size_t n, weft_tensor *out) {
    (void)n, (void)y;
    const weft_shape over = weft_axes((intptr_t)axis);
    weft_tensor x = weft_clamp(in[0], -FLT_MAX, FLT_MAX);
    weft_tensor each = weft_exp(weft_sub(x, weft_stop_gradient(weft_max(x, over, true))));
    out[0] = weft_mul(each, weft_div(dy, weft_sum(each, over, true)));
}

weft_tensor weft_logsumexp(weft_tensor x, int axis, bool keep) {
    if (!shape_axis(x, "logsumexp", &axis)) return tensor_at(x.g, 0);
    weft_tensor top = weft_stop_gradient(weft_max(x, weft_axes(axis), true));
    /* an infinite top is not subtracted: the sum is then 0 or inf by itself */
    weft_tensor infinite = weft_eq(weft_abs(top), compose_num(x, INFINITY));
    top = weft_where(infinite, compose_num(x, 0), top);
    weft_tensor y =
        weft_add(weft_log(weft_sum(weft_exp(weft_sub(x, top)), weft_axes(axis), true)), top);
    y = weft_custom_grad(y, (weft_tensors){&x, 1}, compose_logsumexp_rule, (void *)(intptr_t)axis);
    return keep ? y : weft_squeeze(y, axis);
}

weft_tensor weft_log_softmax(weft_tensor x, int axis) {
    if (!shape_axis(x, "log_softmax", &axis)) return tensor_at(x.g, 0);
    weft_tensor centred = weft_sub(x, weft_stop_gradient(weft_max(x, weft_axes(axis), true)));
    return weft_sub(centred, weft_log(weft_sum(weft_exp(centred), weft_axes(axis), true)));
}

static weft_tensor compose_normalise(weft_tensor x, weft_shape axes, float eps) {
    weft_tensor centred = weft_sub(x, weft_mean(x, axes, true));
    return weft_mul(centred,
                    weft_rsqrt(weft_offset(weft_mean(weft_square(centred), axes, true), eps)));
}

static weft_tensor compose_affine(weft_tensor x, weft_tensor weight, weft_tensor bias) {
    if (weight.g) x = weft_mul(x, weight); /* a zero tensor means: none */
    return bias.g ? weft_add(x, bias) : x;
}

weft_tensor weft_layer_norm(weft_tensor x, weft_tensor weight, weft_tensor bias, float eps) {
    return compose_affine(compose_normalise(x, weft_axes(-1), eps), weight, bias);
}

weft_tensor weft_rms_norm(weft_tensor x, weft_tensor weight, float eps) {
    weft_tensor r = weft_rsqrt(weft_offset(weft_mean(weft_square(x), weft_axes(-1), true), eps));
    return compose_affine(weft_mul(x, r), weight, (weft_tensor){0});
}

/* [C] as [1, C, 1, ...] against x of some rank >= 2 */
static weft_tensor compose_per_channel(weft_tensor w, weft_tensor x) {
    if (!w.g) return w;
    weft_shape s = {weft_rank(x), {0}};
    for (int i = 0; i < s.rank; i++) s.n[i] = i == 1 ? weft_dim(x, 1) : 1;
    return weft_reshape(w, s);
}

weft_tensor weft_group_norm(weft_tensor x, int groups, weft_tensor weight, weft_tensor bias,
                            float eps) {
    if (!graph_checked(x.g, &x, 1)) return tensor_at(x.g, 0);
    weft_shape s = weft_shape_of(x);
    if (s.rank < 2 || groups < 1 || s.n[1] % groups)
        return graph_fail(x.g, WEFT_SHAPE, "group_norm: %d groups of %lld channels", groups,
                          (long long)weft_dim(x, 1));
    weft_tensor flat = weft_reshape(x, weft_dims(s.n[0], groups, -1));
    weft_tensor y = weft_reshape(compose_normalise(flat, weft_axes(-1), eps), s);
    return compose_affine(y, compose_per_channel(weight, x), compose_per_channel(bias, x));
}

weft_normed weft_batch_norm(weft_tensor x, weft_tensor weight, weft_tensor bias, float eps) {
    weft_normed poison = {{x.g, 0}, {x.g, 0}, {x.g, 0}};
    if (!graph_checked(x.g, &x, 1)) return poison;
    if (weft_rank(x) < 2) {
        graph_fail(x.g, WEFT_SHAPE, "batch_norm: rank %d, [N, C, ...] was expected", weft_rank(x));
        return poison;
    }
    weft_shape axes = {0};
    for (int i = 0; i < weft_rank(x); i++)
        if (i != 1) axes.n[axes.rank++] = i;
    weft_tensor mean = weft_mean(x, axes, true), centred = weft_sub(x, mean);
    weft_tensor var = weft_mean(weft_square(centred), axes, true);
    weft_tensor y = weft_mul(centred, weft_rsqrt(weft_offset(var, eps)));
    return (weft_normed){
        compose_affine(y, compose_per_channel(weight, x), compose_per_channel(bias, x)),
        weft_reshape(mean, weft_dims(-1)), weft_reshape(var, weft_dims(-1))};
}
