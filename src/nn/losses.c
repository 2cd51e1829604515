/* losses.c - losses between numbers: squares, absolute values, hinges, cosines, divergences. Those
 * over classes are in classes.c. */
#include "nn/losses.h"
#include "nn/parts.h"

#include <float.h>
#include <math.h>

weft_tensor losses_reduce(weft_tensor each, weft_reduction r) {
    if (!weft_ok(each)) return each;
    switch (r) {
    case WEFT_REDUCE_MEAN: return weft_mean(each, WEFT_ALL, false);
    case WEFT_REDUCE_SUM: return weft_sum(each, WEFT_ALL, false);
    case WEFT_REDUCE_NONE: return each;
    case WEFT_REDUCE_BATCH: {
        int64_t n = weft_rank(each) ? weft_dim(each, 0) : 1;
        return weft_scale(weft_sum(each, WEFT_ALL, false), (float)(1.0 / (double)n));
    }
    default: return weft_poison(each.g, WEFT_ARGUMENT, "loss: unknown reduction %d", (int)r);
    }
}

static weft_tensor losses_number(weft_tensor like, float v) {
    return weft_scalar(like.g, v);
}

static weft_tensor losses_above(weft_tensor x, float margin) { /* max(0, margin - x) */
    return weft_relu(weft_sub(losses_number(x, margin), x));
}

/* max(0, x) with a slope of 1 at 0, which the embedding losses of PyTorch have */
static weft_tensor losses_clipped(weft_tensor x) {
    return weft_maximum(losses_number(x, 0), x);
}

weft_tensor weft_nn_mse(weft_tensor a, weft_tensor b, weft_reduction r) {
    if (!nn_same_shape("mse", a, b)) return (weft_tensor){a.g, 0};
    return losses_reduce(weft_square(weft_sub(a, b)), r);
}

weft_tensor weft_nn_l1(weft_tensor a, weft_tensor b, weft_reduction r) {
    if (!nn_same_shape("l1", a, b)) return (weft_tensor){a.g, 0};
    return losses_reduce(weft_abs(weft_sub(a, b)), r);
}

/* A parabola up to `bend`, then a line with its slope there; `by` scales both. */
static weft_tensor losses_bent(const char *what, weft_tensor a, weft_tensor b, float bend, float by,
                               weft_reduction r) {
    if (!nn_same_shape(what, a, b)) return (weft_tensor){a.g, 0};
    if (!(bend > 0 && bend <= FLT_MAX))
        return weft_poison(a.g, WEFT_ARGUMENT, "%s: the threshold %g must be above 0 and finite",
                           what, (double)bend);
    /* what lies within the bend is squared alone, so nothing overflows beyond it */
    weft_tensor far = weft_abs(weft_sub(a, b)), near = weft_minimum(far, losses_number(a, bend));
    return losses_reduce(weft_add(weft_scale(weft_square(near), 0.5f * by),
                                  weft_scale(weft_sub(far, near), bend * by)),
                         r);
}

weft_tensor weft_nn_huber(weft_tensor a, weft_tensor b, float delta, weft_reduction r) {
    return losses_bent("huber", a, b, delta != 0 ? delta : 1, 1, r);
}

weft_tensor weft_nn_smooth_l1(weft_tensor a, weft_tensor b, float beta, weft_reduction r) {
    return losses_bent("smooth_l1", a, b, beta != 0 ? beta : 1, beta != 0 ? 1 / beta : 1, r);
}

/* As with weft_softplus, the parts' slopes do not add up at 0. */
static void losses_bce_rule(void *user, weft_tensor dy, weft_tensor y, const weft_tensor *in,
                            size_t n, weft_tensor *out) {
    (void)user, (void)y, (void)n;
    out[0] = weft_mul(dy, weft_sub(weft_sigmoid(in[0]), in[1]));
    out[1] = weft_neg(weft_mul(dy, in[0]));
}

weft_tensor weft_nn_bce_with_logits(weft_tensor x, weft_tensor t, const weft_nn_bce_desc *d) {
    static const weft_nn_bce_desc none;
    if (!d) d = &none;
    if (!nn_same_shape("bce_with_logits", x, t)) return (weft_tensor){x.g, 0};
    weft_tensor loss;
    if (d->pos_weight.g) {
        /* (1 - t) x + (1 + (w - 1) t) softplus(-x) */
        weft_tensor by = weft_offset(weft_mul(weft_offset(d->pos_weight, -1), t), 1);
        loss = weft_add(weft_mul(weft_sub(losses_number(x, 1), t), x),
                        weft_mul(by, weft_softplus(weft_neg(x))));
    } else { /* softplus(x) - x t, in an order that cancels nothing where t is 1 */
        weft_tensor rest = weft_log1p(weft_exp(weft_neg(weft_abs(x))));
        loss = weft_add(weft_sub(weft_relu(x), weft_mul(x, t)), rest);
        loss = weft_custom_grad(loss, weft_list(x, t), losses_bce_rule, NULL);
    }
    if (d->weight.g) loss = weft_mul(loss, d->weight);
    return losses_reduce(loss, d->reduction);
}

weft_tensor weft_nn_kl(weft_tensor log_q, weft_tensor p, bool log_p, weft_reduction r) {
    if (!nn_same_shape("kl", log_q, p)) return (weft_tensor){log_q.g, 0};
    /* where p is 0, log_q counts as 0 as well, since it is often -inf there */
    weft_tensor zero = losses_number(p, 0);
    weft_tensor some = log_p ? weft_lt(losses_number(p, -INFINITY), p) : weft_lt(zero, p);
    weft_tensor log =
        log_p ? weft_where(some, p, zero) : weft_log(weft_where(some, p, losses_number(p, 1)));
    weft_tensor ratio = weft_sub(log, weft_where(some, log_q, zero));
    return losses_reduce(weft_mul(log_p ? weft_exp(p) : p, ratio), r);
}

weft_tensor weft_nn_hinge(weft_tensor x, weft_tensor y, float margin, weft_reduction r) {
    if (!nn_same_shape("hinge", x, y)) return (weft_tensor){x.g, 0};
    return losses_reduce(losses_above(weft_mul(x, y), margin != 0 ? margin : 1), r);
}

weft_tensor weft_nn_hinge_embedding(weft_tensor x, weft_tensor y, float margin, weft_reduction r) {
    if (!nn_same_shape("hinge_embedding", x, y)) return (weft_tensor){x.g, 0};
    weft_tensor near = weft_lt(losses_number(x, 0), y);
    return losses_reduce(
        weft_where(near, x,
                   losses_clipped(weft_sub(losses_number(x, margin != 0 ? margin : 1), x))),
        r);
}

/* ---- cosines ---- */

/* A norm, never below 1e-8; without a slope there, where it has none. */
static weft_tensor losses_norm(weft_tensor x, int axis) {
    weft_tensor sum = weft_sum(weft_square(x), weft_axes(axis), false);
    return weft_sqrt(weft_maximum(sum, losses_number(x, 1e-16f)));
}

weft_tensor weft_nn_cosine_similarity(weft_tensor a, weft_tensor b, int axis) {
    if (!nn_same_shape("cosine_similarity", a, b)) return (weft_tensor){a.g, 0};
    weft_tensor dot = weft_sum(weft_mul(a, b), weft_axes(axis), false);
    return weft_div(dot, weft_mul(losses_norm(a, axis), losses_norm(b, axis)));
}

weft_tensor weft_nn_cosine_embedding(weft_tensor a, weft_tensor b, weft_tensor y, float margin,
                                     weft_reduction r) {
    weft_tensor cosine = weft_nn_cosine_similarity(a, b, -1);
    if (!weft_ok(cosine) || !nn_same_shape("cosine_embedding", cosine, y))
        return (weft_tensor){a.g, 0};
    weft_tensor near = weft_lt(losses_number(a, 0), y);
    weft_tensor one = losses_number(a, 1);
    return losses_reduce(
        weft_where(near, weft_sub(one, cosine), losses_clipped(weft_offset(cosine, -margin))), r);
}
