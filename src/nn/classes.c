/* classes.c - losses over classes: cross entropy, negative log-likelihood, the hinge of classes,
 * and how many were right. Classes are the last axis. */
#include "nn/losses.h"
#include "nn/parts.h"

#include <math.h>
#include <string.h>

/* Targets are i32, of x's shape without the last axis. */
static bool classes_fit(const char *what, weft_tensor x, weft_tensor targets) {
    if (!nn_tensor(what, x) || !nn_tensor(what, targets)) return false;
    weft_shape s = weft_shape_of(x), t = weft_shape_of(targets);
    char a[100], b[100];
    if (s.rank != t.rank + 1 || memcmp(s.n, t.n, (size_t)t.rank * sizeof *t.n))
        weft_poison(x.g, WEFT_SHAPE,
                    "%s: scores %s need targets of the same shape without the last axis, got "
                    "%s",
                    what, nn_shape_text(a, sizeof a, x), nn_shape_text(b, sizeof b, targets));
    else if (weft_dtype_of(targets) != WEFT_I32)
        weft_poison(x.g, WEFT_DTYPE, "%s: targets of i32 were expected, got %s", what,
                    weft_dtype_name(weft_dtype_of(targets)));
    else return true;
    return false;
}

static bool classes_described(const char *what, weft_tensor x, const weft_nn_classes_desc *d) {
    if (!(d->smoothing >= 0 && d->smoothing <= 1))
        weft_poison(x.g, WEFT_ARGUMENT, "%s: smoothing %g, expected 0 to 1", what,
                    (double)d->smoothing);
    else if (d->weight.g && !nn_tensor(what, d->weight)) return false;
    else if (d->weight.g &&
             (weft_rank(d->weight) != 1 || weft_dim(d->weight, 0) != weft_dim(x, -1)))
        weft_poison(x.g, WEFT_SHAPE, "%s: a weight for each of %lld classes was expected", what,
                    (long long)weft_dim(x, -1));
    else return true;
    return false;
}

/* x[target] along the last axis, which is kept; nan for a class that is not there, so that no loss of
 * it looks like one. The gradient need not look again. */
static weft_tensor classes_picked(weft_tensor x, weft_tensor targets) {
    weft_graph *g = x.g;
    weft_tensor t = weft_unsqueeze(targets, -1);
    weft_tensor picked = weft_take_along(weft_cast(x, WEFT_F32), t, -1);
    weft_tensor there = weft_and(weft_le(weft_integer(g, 0), t),
                                 weft_lt(t, weft_integer(g, (int32_t)weft_dim(x, -1))));
    return weft_straight_through(weft_where(there, picked, weft_scalar(g, NAN)), picked);
}

/* From a loss for each row, not yet weighted, to what was asked for. `spread` is the loss of even
 * targets (smoothing), with the weights in it; a zero tensor if there is none. */
static weft_tensor classes_reduce(weft_tensor each, weft_tensor spread, weft_tensor targets,
                                  const weft_nn_classes_desc *d) {
    weft_graph *g = each.g;
    weft_tensor zero = weft_scalar(g, 0), count = {0}, weight = {0};
    if (d->weight.g) {
        weight = weft_gather(d->weight, targets, 0);
        each = weft_mul(each, weight);
    }
    if (spread.g)
        each = weft_add(weft_scale(each, 1 - d->smoothing), weft_scale(spread, d->smoothing));
    if (d->ignore) {
        weft_tensor counts = weft_ne(targets, weft_integer(g, d->ignore_index));
        each = weft_where(counts, each, zero);
        count = weft_where(counts, weight.g ? weight : weft_scalar(g, 1), zero);
    } else count = weight;
    if (d->reduction != WEFT_REDUCE_MEAN || !count.g) return losses_reduce(each, d->reduction);
    return weft_div(weft_sum(each, WEFT_ALL, false), weft_sum(count, WEFT_ALL, false));
}

/* The loss of targets that are even over all classes: the mean of weight (total - x). */
static weft_tensor classes_spread(weft_tensor x, weft_tensor total, weft_tensor weight) {
    weft_tensor each = weft_sub(weft_unsqueeze(total, -1), x);
    if (weight.g) each = weft_mul(each, weight);
    return weft_mean(each, weft_axes(-1), false);
}

/* Targets are probabilities. */
static weft_tensor classes_soft(weft_tensor x, weft_tensor targets, const weft_nn_classes_desc *d) {
    if (!nn_same_shape("cross_entropy", x, targets)) return (weft_tensor){x.g, 0};
    if (d->ignore)
        return weft_poison(
            x.g, WEFT_ARGUMENT,
            "cross_entropy: ignore_index cannot be used with probabilities as targets");
    if (d->smoothing != 0)
        targets = weft_offset(weft_scale(targets, 1 - d->smoothing),
                              d->smoothing / (float)weft_dim(x, -1));
    weft_tensor each = weft_mul(targets, weft_log_softmax(x, -1));
    if (d->weight.g) each = weft_mul(each, d->weight);
    return losses_reduce(weft_neg(weft_sum(each, weft_axes(-1), false)), d->reduction);
}

weft_tensor weft_nn_cross_entropy(weft_tensor x, weft_tensor targets,
                                  const weft_nn_classes_desc *d) {
    static const weft_nn_classes_desc none;
    if (!d) d = &none;
    weft_tensor poison = {x.g, 0};
    if (!nn_tensor("cross_entropy", x) || !nn_tensor("cross_entropy", targets) ||
        !classes_described("cross_entropy", x, d))
        return poison;
    if (weft_dtype_of(targets) == WEFT_F32) return classes_soft(x, targets, d);
    if (!classes_fit("cross_entropy", x, targets)) return poison;
    if (d->smoothing == 0 && !d->ignore && !d->weight.g && d->reduction == WEFT_REDUCE_MEAN)
        return weft_cross_entropy(x, targets);
    /* relative to the largest logit, so that large ones cost no digits; it is subtracted from what is
     * picked, since the logits are then read where they lie */
    weft_tensor top = weft_stop_gradient(weft_max(x, weft_axes(-1), true)), spread = {0};
    weft_tensor below = weft_sub(x, top);
    weft_tensor total = weft_log(weft_sum(weft_exp(below), weft_axes(-1), false));
    if (d->smoothing != 0) spread = classes_spread(below, total, d->weight);
    weft_tensor picked = weft_squeeze(weft_sub(classes_picked(x, targets), top), -1);
    return classes_reduce(weft_sub(total, picked), spread, targets, d);
}

weft_tensor weft_nn_nll(weft_tensor log_p, weft_tensor targets, const weft_nn_classes_desc *d) {
    static const weft_nn_classes_desc none;
    if (!d) d = &none;
    if (!classes_fit("nll", log_p, targets) || !classes_described("nll", log_p, d))
        return (weft_tensor){log_p.g, 0};
    if (d->smoothing != 0)
        return weft_poison(log_p.g, WEFT_ARGUMENT, "nll: smoothing is for cross_entropy");
    return classes_reduce(weft_neg(weft_squeeze(classes_picked(log_p, targets), -1)),
                          (weft_tensor){0}, targets, d);
}

weft_tensor weft_nn_multi_margin(weft_tensor x, weft_tensor targets, float margin,
                                 weft_reduction r) {
    if (!classes_fit("multi_margin", x, targets)) return (weft_tensor){x.g, 0};
    weft_graph *g = x.g;
    weft_tensor column = weft_unsqueeze(targets, -1);
    weft_tensor own = weft_eq(weft_iota(g, weft_shape_of(x), -1), column);
    weft_tensor above =
        weft_relu(weft_offset(weft_sub(x, classes_picked(x, targets)), margin != 0 ? margin : 1));
    return losses_reduce(weft_mean(weft_where(own, weft_scalar(g, 0), above), weft_axes(-1), false),
                         r);
}

weft_tensor weft_accuracy(weft_tensor logits, weft_tensor targets) {
    if (!classes_fit("accuracy", logits, targets)) return (weft_tensor){logits.g, 0};
    return weft_mean(weft_cast(weft_eq(weft_argmax(logits, -1, false), targets), WEFT_F32),
                     WEFT_ALL, false);
}
