/* vjp.c - rules of differentiation of the structural primitives: the column `gradient` of ops.def.
 *
 * Each rule appends nodes; none looks at values. */
#include "core/shape.h"
#include <assert.h>
#include <math.h>

/* Undo x[start::step]: spread dy's elements `step` apart, then pad to n. */
static weft_tensor vjp_unslice(weft_tensor dy, int axis, int64_t start, int64_t step, int64_t n) {
    int64_t len = weft_dim(dy, axis);
    if (step < 0) {
        start += (len - 1) * step;
        step = -step;
        dy = weft_flip(dy, axis);
    }
    if (step > 1 && len > 1) {
        weft_shape s = weft_shape_of(dy);
        s.n[axis] = len * step;
        dy = weft_pad(weft_unsqueeze(dy, axis + 1), axis + 1, 0, step - 1, 0);
        dy = weft_slice(weft_reshape(dy, s), axis, 0, (len - 1) * step + 1, 1);
    }
    return weft_pad(dy, axis, start, n - start - weft_dim(dy, axis), 0);
}

void vjp_slice(weft_tensor t, weft_tensor dy, weft_tensor *out) {
    weft_tensor x = operand(t, 0);
    const int64_t *attr = node_attr(t.g, node_of(t));
    int axis = (int)attr[0];
    int64_t n = weft_dim(x, axis), start = attr[1], step = attr[2], len = weft_dim(t, axis);
    if (node_of(t)->nin == 1) {
        out[0] = vjp_unslice(dy, axis, start, step, n);
        return;
    }
    weft_tensor at = weft_minimum(weft_maximum(operand(t, 1), weft_integer(t.g, 0)),
                                  weft_integer(t.g, (int32_t)min_i64(n - len, INT32_MAX)));
    weft_tensor index = weft_add(weft_iota(t.g, weft_shape_of(t), axis), at);
    out[0] = weft_scatter_add(full_like(x, 0), index, dy, axis);
}

/* Ties share the gradient. */
void vjp_max(weft_tensor t, weft_tensor dy, weft_tensor *out) {
    weft_tensor x = operand(t, 0), won = weft_cast(weft_eq(x, t), WEFT_F32);
    weft_tensor share = weft_div(dy, sum_mask(won, (uint32_t)node_attr(t.g, node_of(t))[0]));
    out[0] = weft_mul(won, share);
}

/* Product of all the others: exclusive products from the left and from the right, so zeros are
 * ordinary. */
void vjp_prod(weft_tensor t, weft_tensor dy, weft_tensor *out) {
    weft_tensor x = operand(t, 0);
    uint32_t mask = (uint32_t)node_attr(t.g, node_of(t))[0];
    weft_shape s = weft_shape_of(x), axes = {s.rank, {0}}, back = axes, moved = axes;
    int at = 0;
    int64_t length = 1;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < s.rank; i++)
            if ((mask >> i & 1) == (uint32_t)pass) {
                back.n[i] = at;
                moved.n[at] = s.n[i];
                if (pass) length *= s.n[i];
                axes.n[at++] = i;
            }
    if (length == 0) {
        out[0] = full_like(x, 0);
        return;
    }
    weft_tensor flat = weft_reshape(weft_permute(x, axes), weft_dims(-1, length));
    weft_tensor place = weft_iota(t.g, weft_shape_of(flat), 1);
    weft_tensor first = weft_cast(weft_eq(place, weft_integer(t.g, 0)), WEFT_F32);
    weft_tensor last = weft_cast(weft_eq(place, weft_integer(t.g, (int32_t)length - 1)), WEFT_F32);
    weft_tensor left =
        weft_linrec(weft_pad(weft_slice(flat, 1, 0, length - 1, 1), 1, 1, 0, 0), first, 1, false);
    weft_tensor right =
        weft_linrec(weft_pad(weft_slice(flat, 1, 1, length, 1), 1, 0, 1, 0), last, 1, true);
    weft_tensor others = weft_permute(weft_reshape(weft_mul(left, right), moved), back);
    out[0] = weft_mul(dy, others);
}

void vjp_take(weft_tensor t, weft_tensor dy, weft_tensor *out) {
    weft_tensor x = operand(t, 0), index = operand(t, 1);
    int axis = (int)node_attr(t.g, node_of(t))[0];
    weft_tensor zero = full_like(x, 0);
    /* One pick a row: a comparison fuses with whatever made dy, where a scatter could not. */
    if (weft_dim(index, axis) == 1)
        out[0] = weft_where(weft_eq(weft_iota(t.g, weft_shape_of(x), axis), index), dy, zero);
    else out[0] = weft_scatter_add(zero, index, dy, axis);
}

/* s[t] = dy[t] + a[t+1] s[t+1] is the same recurrence run the other way. */
void vjp_linrec(weft_tensor t, weft_tensor dy, weft_tensor *out) {
    weft_tensor a = operand(t, 0);
    int axis = (int)node_attr(t.g, node_of(t))[0];
    bool reverse = node_attr(t.g, node_of(t))[1] != 0;
    int64_t n = weft_dim(t, axis);
    if (n == 0) return;
    int64_t lo = reverse ? 0 : 1, hi = reverse ? n - 1 : n;
    weft_tensor ahead = weft_pad(weft_slice(a, axis, lo, hi, 1), axis, reverse, !reverse, 0);
    weft_tensor s = weft_linrec(ahead, dy, axis, !reverse);
    /* the first a meets a state of 0, which has no slope however large s is */
    weft_tensor behind =
        weft_mul(weft_slice(s, axis, lo, hi, 1), weft_slice(t, axis, 1 - lo, n - lo, 1));
    out[0] = weft_pad(behind, axis, !reverse, reverse, 0);
    out[1] = s;
}

static bool vjp_transposed(weft_tensor t) {
    const node *n = node_of(t);
    return n->op == OP_permute && node_attr(t.g, n)[n->rank - 1] == n->rank - 2 &&
           node_attr(t.g, n)[n->rank - 2] == n->rank - 1;
}

/* The gradient of a transposed operand is made transposed, so that the transposes cancel and the
 * gradient of a weight lies as the weight does. */
void vjp_matmul(weft_tensor t, weft_tensor dy, weft_tensor *out) {
    weft_tensor a = operand(t, 0), b = operand(t, 1);
    weft_tensor at = weft_transpose(a, -1, -2), bt = weft_transpose(b, -1, -2),
                dyt = weft_transpose(dy, -1, -2);
    out[0] = vjp_transposed(a) ? weft_transpose(weft_matmul(b, dyt), -1, -2) : weft_matmul(dy, bt);
    out[1] = vjp_transposed(b) ? weft_transpose(weft_matmul(dyt, a), -1, -2) : weft_matmul(at, dy);
}

/* The rule of a custom gradient, whose results are checked: it is the caller's. */
static void vjp_custom(weft_tensor t, weft_tensor dy, graph_custom c, weft_tensor *out) {
    const int nin = node_of(t)->nin;
    weft_tensor in[LIMIT_RULE_INPUTS] = {{0}};
    assert(nin <= LIMIT_RULE_INPUTS + 1);
    for (int i = 1; i < nin; i++) in[i - 1] = operand(t, i);
    c.rule(c.user, dy, t, in, (size_t)nin - 1, out + 1);
    for (int i = 1; i < nin; i++) {
        if (!out[i].id) {
            out[i] = tensor_at(t.g, 0);
            continue;
        }
        if (!graph_checked(t.g, &out[i], 1)) return; /* a tensor of another graph */
        weft_shape want = weft_shape_of(in[i - 1]), got = weft_shape_of(out[i]);
        if (want.rank != got.rank || memcmp(want.n, got.n, (size_t)want.rank * sizeof *want.n)) {
            graph_fail(t.g, WEFT_SHAPE,
                       "custom gradient: input %d and its gradient differ in shape", i - 1);
            return;
        }
    }
}

void vjp_same(weft_tensor t, weft_tensor dy, weft_tensor *out) {
    const int64_t *attr = node_attr(t.g, node_of(t));
    switch (attr[0]) {
    case SAME_STOP: break;
    case SAME_STRAIGHT: out[1] = dy; break;
    case SAME_CUSTOM: vjp_custom(t, dy, t.g->custom[attr[1]], out); break;
    default: out[0] = dy;
    }
}

void vjp_zero(weft_tensor t, weft_tensor dy, weft_tensor *out) {
    (void)t, (void)dy, (void)out;
}

void vjp_same_as(weft_tensor t, weft_tensor dy, weft_tensor *out) {
    (void)t;
    out[0] = dy;
}

void vjp_where(weft_tensor t, weft_tensor dy, weft_tensor *out) {
    const weft_tensor cond = operand(t, 0), zero = weft_scalar(t.g, 0);
    out[1] = weft_where(cond, dy, zero);
    out[2] = weft_where(cond, zero, dy);
}

void vjp_reshape(weft_tensor t, weft_tensor dy, weft_tensor *out) {
    out[0] = weft_reshape(dy, weft_shape_of(operand(t, 0)));
}

void vjp_permute(weft_tensor t, weft_tensor dy, weft_tensor *out) {
    const int64_t *axes = node_attr(t.g, node_of(t));
    weft_shape back = {node_of(t)->rank, {0}};
    for (int i = 0; i < back.rank; i++) back.n[axes[i]] = i;
    out[0] = weft_permute(dy, back);
}

void vjp_expand(weft_tensor t, weft_tensor dy, weft_tensor *out) {
    const weft_shape from = weft_shape_of(operand(t, 0));
    uint32_t mask = 0;
    for (int i = 0; i < from.rank; i++)
        if (from.n[i] == 1 && weft_dim(t, i) != 1) mask |= 1u << i;
    out[0] = sum_mask(dy, mask);
}

void vjp_pad(weft_tensor t, weft_tensor dy, weft_tensor *out) {
    const int64_t *attr = node_attr(t.g, node_of(t));
    const int axis = (int)attr[0];
    out[0] = weft_slice(dy, axis, attr[1], attr[1] + weft_dim(operand(t, 0), axis), 1);
}

void vjp_sum(weft_tensor t, weft_tensor dy, weft_tensor *out) {
    out[0] = weft_expand(dy, weft_shape_of(operand(t, 0)));
}

void vjp_scatter_add(weft_tensor t, weft_tensor dy, weft_tensor *out) {
    const int axis = (int)node_attr(t.g, node_of(t))[0];
    out[0] = dy;
    out[2] = weft_take_along(dy, operand(t, 1), axis);
}

void vjp_concat(weft_tensor t, weft_tensor dy, weft_tensor *out) {
    const int axis = (int)node_attr(t.g, node_of(t))[0], nin = node_of(t)->nin;
    int64_t at = 0;
    for (int i = 0; i < nin; i++) {
        const int64_t width = weft_dim(operand(t, i), axis);
        out[i] = weft_slice(dy, axis, at, at + width, 1);
        at += width;
    }
    assert(at == weft_dim(t, axis) || !weft_ok(dy)); /* a failed graph has no extents */
}
