/* simplify.c - local rewrites at append time: what need not be recorded is not.
 *
 * Only rewrites that keep every bit are here (x * 1, x + 0, views of views, folds over extents
 * of 1, arithmetic on literals); x * 0 stays, because of nan and infinity. Rewrites that go past
 * their operand to what is beneath it wait until the graph is final: before, somebody may ask
 * for the gradient of that operand. */
#include "core/graph.h"

/* An integer is compared as one, and -0 is not 0. */
static bool simplify_is(weft_tensor t, float v) {
    float found;
    int32_t whole;
    if (node_integer(t, &whole)) return (float)whole == v && bits_of(v) != bits_of(-0.0f);
    return node_literal(t, &found) && bits_of(found) == bits_of(v);
}

static bool simplify_same_dims(weft_tensor x, int rank, const int64_t *dim) {
    const node *n = node_of(x);
    return n->rank == rank && !memcmp(node_dims(x.g, n), dim, (size_t)rank * sizeof *dim);
}

static weft_tensor simplify_binary(int op, weft_dtype t, weft_tensor a, weft_tensor b) {
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

weft_tensor simplify(weft_graph *g, int op, weft_dtype t, int rank, const int64_t *dim,
                     const weft_tensor *in, int nin, const int64_t *attr, int nattr) {
    weft_tensor none = tensor_at(g, 0), x = nin ? in[0] : none;
    const node *nx = nin ? node_of(x) : NULL;
    (void)nattr;
    switch (op) {
    case OP_neg:
        if (g->final && nx->op == OP_neg) return operand(x, 0);
        break;
    case OP_add:
    case OP_sub:
    case OP_mul:
    case OP_div: {
        weft_tensor r = simplify_binary(op, t, x, in[1]);
        if (r.id) return r;
        break;
    }
    case OP_cast:
        if (nx->dtype == t) return x;
        break;
    case OP_where:
        if (in[1].id == in[2].id) return in[1];
        break;
    case OP_reshape:
        if (simplify_same_dims(x, rank, dim)) return x;
        if (g->final && nx->op == OP_reshape) {
            weft_tensor y = operand(x, 0);
            return graph_append(g, op, t, rank, dim, &y, 1, NULL, 0);
        }
        break;
    case OP_expand:
        if (simplify_same_dims(x, rank, dim)) return x;
        if (g->final && nx->op == OP_expand) {
            weft_tensor y = operand(x, 0);
            return graph_append(g, op, t, rank, dim, &y, 1, NULL, 0);
        }
        break;
    case OP_permute: {
        bool identity = true;
        for (int i = 0; i < rank; i++) identity &= attr[i] == i;
        if (identity) return x;
        if (g->final && nx->op == OP_permute) {
            int64_t axes[WEFT_MAX_RANK];
            for (int i = 0; i < rank; i++) axes[i] = node_attr(g, nx)[attr[i]];
            weft_tensor y = operand(x, 0);
            return graph_append(g, op, t, rank, dim, &y, 1, axes, rank);
        }
        break;
    }
    case OP_slice:
        if (nin == 1 && simplify_same_dims(x, rank, dim) && attr[1] == 0 && attr[2] == 1) return x;
        break;
    case OP_pad:
        if (attr[1] == 0 && attr[2] == 0) return x;
        break;
    case OP_sum:
    case OP_max:
    case OP_prod:
        if (simplify_same_dims(x, rank, dim)) return x;
        break;
    case OP_same:
        if (attr[0] == SAME_STOP && nx->op == OP_literal) return x;
        break;
    default: break;
    }
    float a, b = 0;
    if (t == WEFT_F32 && (op == OP_neg || (op_table[op].cls == CLASS_BINARY && nin == 2)) &&
        nx->dtype == WEFT_F32 && node_literal(x, &a) &&
        (nin == 1 || (node_of(in[1])->dtype == WEFT_F32 && node_literal(in[1], &b))))
        return simplify_literals(g, op, rank, dim, a, b);
    return none;
}
