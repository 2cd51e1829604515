/* simplify.c - local rewrites at append time: what need not be recorded is not.
 *
 * Only rewrites that keep every bit are here (x * 1, x + 0, views of views, folds over extents
 * of 1, arithmetic on literals); x * 0 stays, because of nan and infinity. Rewrites that go past
 * their operand to what is beneath it wait until the graph is final: before, a caller may ask
 * for the gradient of that operand. */
#include "core/graph.h"

#include <assert.h>

/* An integer is compared as one, and -0 is not 0. */
static bool simplify_is(weft_tensor t, float v) {
    float found;
    int32_t whole;
    if (node_integer(t, &whole)) return (float)whole == v && bits_of(v) != bits_of(-0.0f);
    return node_literal(t, &found) && bits_of(found) == bits_of(v);
}

static bool simplify_same_dims(weft_tensor x, int rank, const int64_t *dim) {
    assert(rank >= 0 && rank <= WEFT_MAX_RANK);
    const node *n = node_of(x);
    return n->rank == rank && !memcmp(node_dims(x.g, n), dim, (size_t)rank * sizeof *dim);
}

static weft_tensor simplify_binary(int op, weft_dtype t, weft_tensor a, weft_tensor b) {
    assert(a.id && b.id && a.g == b.g);
    weft_tensor none = {a.g, 0};
    if (node_of(a)->dtype != t) return none;
    switch (op) {
    case OP_add:
        if (simplify_is(b, 0.0f) && t != WEFT_F32) return a;
        if (simplify_is(b, -0.0f)) return a;
        break;
    case OP_sub:
        if (simplify_is(b, 0.0f)) return a;
        break;
    case OP_mul:
        if (simplify_is(b, 1.0f)) return a;
        if (simplify_is(a, 1.0f) && node_of(b)->dtype == t) return b;
        break;
    case OP_div:
        if (simplify_is(b, 1.0f)) return a;
        break;
    default: break;
    }
    return none;
}

/* Literal (op) literal, in the arithmetic the kernels use. */
static weft_tensor simplify_literals(weft_graph *g, int op, int rank, const int64_t *dim, float a,
                                     float b) {
    assert(rank >= 0 && rank <= WEFT_MAX_RANK);
    float v;
    switch (op) {
    case OP_add: v = a + b; break;
    case OP_sub: v = a - b; break;
    case OP_mul: v = a * b; break;
    case OP_div: v = a / b; break;
    case OP_neg: v = -a; break;
    default: return tensor_at(g, 0);
    }
    weft_shape s = {rank, {0}};
    memcpy(s.n, dim, (size_t)rank * sizeof *dim);
    return weft_full(g, s, v);
}

/* A view of a view, which only compiling looks at; or the operand itself, where the view shows all of
 * it as it is. Poison: neither. */
static weft_tensor simplify_view(weft_graph *g, int op, weft_dtype t, int rank, const int64_t *dim,
                                 weft_tensor x, int nin, const int64_t *attr) {
    const weft_tensor none = tensor_at(g, 0);
    const node *nx = node_of(x);
    const bool same = simplify_same_dims(x, rank, dim);
    const bool twice = g->final && nx->op == op; /* the outer one alone says it */
    switch (op) {
    case OP_reshape:
    case OP_expand: {
        if (same) return x;
        const weft_tensor y = twice ? operand(x, 0) : none;
        return twice ? graph_append(g, op, t, rank, dim, &y, 1, NULL, 0) : none;
    }
    case OP_permute: {
        bool identity = true;
        int64_t axes[WEFT_MAX_RANK];
        for (int i = 0; i < rank; i++) identity &= attr[i] == i;
        if (identity || !twice) return identity ? x : none;
        for (int i = 0; i < rank; i++) axes[i] = node_attr(g, nx)[attr[i]];
        const weft_tensor y = operand(x, 0);
        return graph_append(g, op, t, rank, dim, &y, 1, axes, rank);
    }
    case OP_slice: return nin == 1 && same && attr[1] == 0 && attr[2] == 1 ? x : none;
    case OP_pad: return attr[1] == 0 && attr[2] == 0 ? x : none;
    case OP_same: return attr[0] == SAME_STOP && nx->op == OP_literal ? x : none;
    default: return none;
    }
}

/* The operand that a map or a fold gives as it is, or poison. */
static weft_tensor simplify_operand(weft_graph *g, int op, weft_dtype t, int rank,
                                    const int64_t *dim, const weft_tensor *in) {
    const node *nx = node_of(in[0]);
    bool same = false;
    switch (op) {
    case OP_neg:
        if (g->final && nx->op == OP_neg) return operand(in[0], 0);
        break;
    case OP_add:
    case OP_sub:
    case OP_mul:
    case OP_div: return simplify_binary(op, t, in[0], in[1]);
    case OP_cast: same = nx->dtype == t; break;
    case OP_where:
        if (in[1].id == in[2].id) return in[1];
        break;
    case OP_sum:
    case OP_max:
    case OP_prod: same = simplify_same_dims(in[0], rank, dim); break;
    default: break;
    }
    return same ? in[0] : tensor_at(g, 0);
}

weft_tensor simplify(weft_graph *g, int op, weft_dtype t, int rank, const int64_t *dim,
                     const weft_tensor *in, int nin, const int64_t *attr, int nattr) {
    (void)nattr;
    if (!nin) return tensor_at(g, 0);
    const weft_tensor r = op_table[op].cls == CLASS_VIEW
                              ? simplify_view(g, op, t, rank, dim, in[0], nin, attr)
                              : simplify_operand(g, op, t, rank, dim, in);
    if (r.id) return r;
    float a, b = 0;
    const bool arithmetic = op == OP_neg || (op_table[op].cls == CLASS_BINARY && nin == 2);
    if (t == WEFT_F32 && arithmetic && node_of(in[0])->dtype == WEFT_F32 &&
        node_literal(in[0], &a) &&
        (nin == 1 || (node_of(in[1])->dtype == WEFT_F32 && node_literal(in[1], &b))))
        return simplify_literals(g, op, rank, dim, a, b);
    return r;
}
