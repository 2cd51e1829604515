/* layout.c - what follows a block that makes images is computed in the order the block gives them.
 *
 * A program may see its images as [N, C, H, W]; blocks make and take them as [N, H, W, C], with
 * permutes between. Here a map of permuted images becomes the permute of a map: relu(P(x) + b) is
 * P(relu(x + P'b)), and likewise folds, slices, padding, expanding and joining. Permutes that meet
 * cancel, so a chain of convolutions, activations and pools has none left but at its two ends, and
 * maps can be the epilogue of the block they follow. Nothing is lost where a reader does want the
 * other order: the copy then made takes the place of the map that would have permuted its operand.
 *
 * Reads: the graph that rewrite.c copies, a node at a time, and which nodes are images. Makes: nodes of
 * the copy. */
#include "plan/passes.h"

typedef struct layout_order {
    int rank;
    int64_t axes[WEFT_MAX_RANK], back[WEFT_MAX_RANK]; /* axis i of the user's is axes[i] of ours */
} layout_order;

/* x in our order: below a permute, or permuted; a broadcast stays one. */
static weft_tensor layout_operand(weft_tensor x, const layout_order *o) {
    weft_shape back = {o->rank, {0}}, dims = back;
    memcpy(back.n, o->back, sizeof o->back);
    if (node_of(x)->op != OP_expand) return weft_permute(x, back);
    for (int i = 0; i < o->rank; i++) dims.n[o->axes[i]] = weft_dim(x, i);
    return weft_expand(weft_permute(operand(x, 0), back), dims);
}

static bool layout_one_axis(uint32_t mask) {
    return mask && !(mask & (mask - 1));
}

/* The attributes of n in our order; false: no rule. */
static bool layout_attributes(const node *n, const layout_order *o, int64_t *attr) {
    if (op_is_map(n->op)) return n->op != OP_take;
    switch (n->op) {
    case OP_expand: return true;
    case OP_pad:
    case OP_slice:
    case OP_concat: attr[0] = o->axes[attr[0]]; return n->op != OP_slice || n->nin == 1;
    case OP_sum:
    case OP_max:
    case OP_prod:
    case OP_argmax: {
        uint32_t mask = 0, from = (uint32_t)attr[0];
        for (int i = 0; i < o->rank; i++) mask |= (from >> i & 1) << o->axes[i];
        attr[0] = mask;
        return n->op != OP_argmax || layout_one_axis(mask);
    }
    default: return false;
    }
}

weft_tensor layout_copy(weft_graph *g, const weft_graph *from, const node *n, const weft_tensor *in,
                        const uint8_t *image) {
    const weft_tensor none = tensor_at(g, 0);
    layout_order o = {.rank = n->rank};
    int first = -1;
    for (int k = 0; k < n->nin && first < 0; k++)
        if (image[node_in(from, n)[k]] && node_of(in[k])->op == OP_permute) first = k;
    if (first < 0 || node_of(in[first])->rank != n->rank) return none;
    const int64_t *axes = node_attr(g, node_of(in[first]));
    for (int i = 0; i < o.rank; i++) o.axes[i] = axes[i], o.back[axes[i]] = i;
    int64_t attr[64], dim[WEFT_MAX_RANK];
    memcpy(attr, node_attr(from, n), n->nattr * sizeof *attr);
    if (!layout_attributes(n, &o, attr)) return none;
    weft_tensor ours[LIMIT_OPERANDS];
    for (int k = 0; k < n->nin; k++) ours[k] = layout_operand(in[k], &o);
    if (!graph_checked(g, ours, n->nin)) return none;
    for (int i = 0; i < o.rank; i++) dim[o.axes[i]] = node_dims(from, n)[i];
    const weft_tensor y =
        graph_append(g, n->op, (weft_dtype)n->dtype, o.rank, dim, ours, n->nin, attr, n->nattr);
    weft_shape axes_of = {o.rank, {0}};
    memcpy(axes_of.n, o.axes, sizeof o.axes);
    return y.id ? weft_permute(y, axes_of) : none;
}

bool layout_image(const weft_graph *from, const node *n, const uint8_t *image) {
    const uint32_t in = n->nin ? node_in(from, n)[0] : 0;
    if (n->op == OP_permute) return image[in];
    if (n->op != OP_part) return false;
    const node *block = &from->node[in];
    return block_table[node_attr(from, block)[0]].image;
}
