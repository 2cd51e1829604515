/* cross_entropy.c - the cross entropy of logits, and that of a linear layer's whose logits never all
 * exist.
 *
 * The second goes through the rows in pieces. A piece has its logits, its losses and at once the
 * gradient of them, which is written over the logits and multiplied into those of x and w, as if the
 * loss were what is differentiated. So nothing is kept or computed twice; the rule of differentiation
 * only scales what is there. Where nobody asks for gradients, that part is never compiled. */
#include "core/shape.h"
#include <math.h>

/* Constant targets are looked at now. */
static bool entropy_targets_known(weft_tensor targets, int64_t least, int64_t classes) {
    weft_tensor base = targets;
    while (node_of(base)->op == OP_reshape) base = operand(base, 0);
    const node *n = node_of(base);
    if (n->op != OP_data || n->dtype != WEFT_I32) return true;
    const int32_t *t = (const int32_t *)(intptr_t)node_attr(base.g, n)[0];
    for (int64_t i = 0; i < node_count(base.g, n); i++)
        if (t[i] < least || t[i] >= classes) {
            graph_fail(base.g, WEFT_ARGUMENT,
                       "cross_entropy: target %lld is %d, expected a class from 0 to %lld",
                       (long long)i, (int)t[i], (long long)classes - 1);
            return false;
        }
    return true;
}

/* x[target] along the last axis, which is kept; nan for a class that is not there, so that no loss of
 * it looks like one. The gradient need not look again. */
static weft_tensor entropy_picked(weft_tensor x, weft_tensor targets) {
    weft_tensor t = weft_unsqueeze(targets, -1), picked = weft_take_along(x, t, -1);
    weft_tensor there = weft_and(weft_le(weft_integer(x.g, 0), t),
                                 weft_lt(t, weft_integer(x.g, (int32_t)weft_dim(x, -1))));
    return weft_straight_through(weft_where(there, picked, weft_scalar(x.g, NAN)), picked);
}

weft_tensor weft_cross_entropy(weft_tensor logits, weft_tensor targets) {
    weft_tensor both[2] = {logits, targets};
    if (!graph_checked(logits.g, both, 2)) return tensor_at(logits.g, 0);
    weft_shape s = weft_shape_of(logits), t = weft_shape_of(targets);
    if (s.rank != t.rank + 1 || memcmp(s.n, t.n, (size_t)t.rank * sizeof *t.n)) {
        char a[100], b[100];
        return graph_fail(
            logits.g, WEFT_SHAPE,
            "cross_entropy: logits %s need targets of the same shape without the last axis, got %s",
            shape_text(a, sizeof a, s.rank, s.n), shape_text(b, sizeof b, t.rank, t.n));
    }
    if (!shape_index(targets, "cross_entropy") || !entropy_targets_known(targets, 0, s.n[t.rank]))
        return tensor_at(logits.g, 0);
    /* log(sum) - (x[target] - max): the picked logit is read where it lies, so all is one kernel */
    weft_tensor top = weft_stop_gradient(weft_max(logits, weft_axes(-1), true));
    weft_tensor total = weft_sum(weft_exp(weft_sub(logits, top)), weft_axes(-1), true);
    weft_tensor picked = entropy_picked(weft_cast(logits, WEFT_F32), targets);
    return weft_mean(weft_sub(weft_log(total), weft_sub(picked, top)), WEFT_ALL, false);
}

/* ---- of a linear layer ---- */

enum { ENTROPY_BYTES = 64 << 20 }; /* of logits at a time, where the caller does not choose */

/* All rows; and w, whose gradient grows from piece to piece. */
typedef struct entropy_linear {
    weft_tensor x, w, targets; /* [rows, in], [classes, in], [rows] */
    weft_tensor live, share;   /* [rows, 1]: whether a row counts, and 1 / how many do, or 0 */
    weft_tensor dw;
} entropy_linear;

/* Losses of the rows [from, to), [n, 1], and the gradient of the mean in these rows of x. */
static weft_tensor entropy_piece(entropy_linear *l, int64_t from, int64_t to, weft_tensor *dx) {
    const weft_tensor zero = weft_scalar(l->x.g, 0);
    const weft_tensor x = weft_slice(l->x, 0, from, to, 1),
                      share = weft_slice(l->share, 0, from, to, 1);
    const weft_tensor target = weft_slice(l->targets, 0, from, to, 1);
    const weft_tensor logits = weft_matmul(x, weft_transpose(l->w, 0, 1));
    const weft_tensor top = weft_stop_gradient(weft_max(logits, weft_axes(1), true));
    const weft_tensor each = weft_exp(weft_sub(logits, top));
    const weft_tensor total = weft_sum(each, weft_axes(1), true);
    const weft_tensor loss =
        weft_sub(weft_log(total), weft_sub(entropy_picked(logits, target), top));

    const weft_tensor hit =
        weft_eq(weft_iota(x.g, weft_shape_of(logits), 1), weft_unsqueeze(target, 1));
    const weft_tensor dlogits =
        weft_sub(weft_mul(each, weft_div(share, total)), weft_where(hit, share, zero));
    *dx = weft_matmul(dlogits, l->w); /* first: with the last of dw, w may change where it lies */
    const weft_tensor dw = weft_matmul(weft_transpose(dlogits, 0, 1), x);
    l->dw = l->dw.g ? weft_add(l->dw, dw) : dw;
    return weft_where(weft_slice(l->live, 0, from, to, 1), loss, zero);
}

/* in: x, w, and their gradients for a loss that counts once */
static void entropy_linear_rule(void *user, weft_tensor dy, weft_tensor y, const weft_tensor *in,
                                size_t n, weft_tensor *out) {
    (void)user, (void)y, (void)n;
    for (int i = 0; i < 2; i++) out[i] = weft_mul(in[i + 2], dy);
}

static bool entropy_linear_fits(weft_tensor x, weft_tensor w, weft_tensor targets, int64_t rows) {
    const weft_shape s = weft_shape_of(x), sw = weft_shape_of(w), t = weft_shape_of(targets);
    if (s.rank < 1 || sw.rank != 2 || sw.n[1] != s.n[s.rank - 1] || t.rank != s.rank - 1 ||
        memcmp(s.n, t.n, (size_t)t.rank * sizeof *t.n)) {
        char a[80], b[80], c[80];
        graph_fail(x.g, WEFT_SHAPE,
                   "linear_cross_entropy: x [..., in], w [classes, in] and targets [...] were "
                   "expected, got %s, %s and %s",
                   shape_text(a, sizeof a, s.rank, s.n), shape_text(b, sizeof b, sw.rank, sw.n),
                   shape_text(c, sizeof c, t.rank, t.n));
        return false;
    }
    if (rows < 0)
        graph_fail(x.g, WEFT_ARGUMENT, "linear_cross_entropy: %lld rows at a time",
                   (long long)rows);
    return rows >= 0 && shape_index(targets, "linear_cross_entropy") &&
           entropy_targets_known(targets, INT32_MIN, sw.n[0]);
}

weft_tensor weft_linear_cross_entropy(weft_tensor x, weft_tensor w, weft_tensor targets,
                                      const weft_linear_cross_entropy_desc *d) {
    const weft_tensor given[3] = {x, w, targets};
    int64_t most = d ? d->rows : 0;
    if (!graph_checked(x.g, given, 3) || !entropy_linear_fits(x, w, targets, most))
        return tensor_at(x.g, 0);
    const int64_t rows = weft_count(targets), classes = weft_dim(w, 0);
    if (!most) most = max_i64(ENTROPY_BYTES / (int64_t)sizeof(float) / max_i64(classes, 1), 1);
    const int64_t pieces = max_i64((rows + most - 1) / most, 1);

    entropy_linear l = {weft_reshape(x, weft_dims(rows, weft_dim(x, -1))),
                        w,
                        weft_reshape(targets, weft_dims(rows)),
                        {0},
                        {0},
                        {0}};
    const weft_tensor live = weft_le(weft_integer(x.g, 0), l.targets);
    const weft_tensor count = weft_cast(weft_sum(live, WEFT_ALL, false), WEFT_F32);
    const weft_tensor share = weft_where(live, weft_recip(count), weft_scalar(x.g, 0));
    l.live = weft_unsqueeze(live, 1), l.share = weft_unsqueeze(share, 1);
    weft_tensor *part = mem_new(x.g->m, 2 * (size_t)pieces * sizeof *part), *dx = part + pieces;
    if (!part) return graph_fail(x.g, WEFT_MEMORY, "linear_cross_entropy: out of memory");
    for (int64_t i = 0; i < pieces; i++) /* as even as they can be */
        part[i] = entropy_piece(&l, rows * i / pieces, rows * (i + 1) / pieces, &dx[i]);
    const weft_tensor losses = weft_concat((weft_tensors){part, (size_t)pieces}, 0);
    const weft_tensor loss = weft_div(weft_sum(losses, WEFT_ALL, false), count);
    const weft_tensor wide = weft_concat((weft_tensors){dx, (size_t)pieces}, 0);
    mem_free(x.g->m, part);
    const weft_tensor in[4] = {x, w, weft_reshape(wide, weft_shape_of(x)), l.dw};
    return weft_custom_grad(loss, (weft_tensors){in, 4}, entropy_linear_rule, NULL);
}
