/* spare.c - which intermediates need not be stored: a cheap value that only kernels read, element
 * by element, is computed again by each of them when that takes less memory than keeping it.
 *
 * What a value is made of ends in things that are in memory anyway (inputs, other stored values)
 * or in its `frontier`, which would have to be stored instead: GELU's backward keeps x and tanh,
 * not the six products of them; layer norm's keeps a mean per row, not the centred rows. */
#include "plan/passes.h"

enum { SPARE_DEPTH = 4, SPARE_FRONTIER = 8, SPARE_MIN = 256 };

typedef struct spare_cut {
    uint32_t node[SPARE_FRONTIER];
    int n;
} spare_cut;

static bool spare_cheap(int op) {
    return op == OP_add || op == OP_sub || op == OP_mul || op == OP_neg || op == OP_abs ||
           op == OP_relu || op == OP_maximum || op == OP_minimum || op == OP_where ||
           op_table[op].cls == CLASS_COMPARE;
}

/* Collect what would have to be stored for `id` to be computed again, also over the loop of
 * `product` if an epilogue reads it. A state may have changed by then. */
static bool spare_frontier(const compile *c, uint32_t id, const cluster *product, int depth,
                           spare_cut *f) {
    const node *n = &c->g->node[id];
    if (c->copied[id] || !spare_cheap(n->op)) return false;
    for (int i = 0; i < n->nin; i++) {
        uint32_t in = node_in(c->g, n)[i], base = c->view[in].base;
        int op = c->g->node[base].op;
        fitted fit;
        if (product &&
            !view_fit(&c->view[in], c->g->node[in].rank, node_dims(c->g, &c->g->node[in]),
                      product->rank, product->dim, &fit))
            return false;
        if ((op == OP_state && !c->copied[base]) || c->view[in].guard)
            return false; /* a padded axis must not be cut by the reader's loop */
        if (op == OP_literal || op == OP_iota || op == OP_input || op == OP_data || c->stored[base])
            continue;
        bool same = view_contiguous(c, in) &&
                    view_same_axes(c->g->node[base].rank, node_dims(c->g, &c->g->node[base]),
                                   n->rank, node_dims(c->g, n));
        if (c->inlined[base] && !same) return false;
        if (same && depth > 0 && (c->inlined[base] || spare_cheap(op))) {
            spare_cut below = *f;
            if (spare_frontier(c, base, product, depth - 1, &below)) {
                *f = below;
                continue;
            }
        }
        if (op == OP_matmul || op == OP_part || c->inlined[base])
            return false; /* a raw product lies under its epilogue's result */
        bool seen = false;
        for (int k = 0; k < f->n; k++) seen |= f->node[k] == base;
        if (seen) continue;
        if (f->n == SPARE_FRONTIER) return false;
        f->node[f->n++] = base;
    }
    return true;
}

static int64_t spare_size(const compile *c, uint32_t id) {
    return node_count(c->g, &c->g->node[id]);
}

static bool spare_candidate(const compile *c, uint32_t id, spare_cut *f) {
    f->n = 0;
    const cluster *product = c->product[id] ? &c->cluster[c->product[id]] : NULL;
    return c->stored[id] == STORED_SOFT && spare_size(c, id) >= SPARE_MIN &&
           spare_frontier(c, id, product, SPARE_DEPTH, f);
}

static void spare_swap(compile *c, uint32_t id, const spare_cut *f) {
    c->stored[id] = 0;
    for (int k = 0; k < f->n; k++)
        if (!c->stored[f->node[k]]) c->stored[f->node[k]] = STORED_HARD; /* others now rest on it */
}

/* Values that cost nearly nothing to do without, the last made first: they may rest on earlier
 * ones. */
static void spare_alone(compile *c) {
    spare_cut f;
    for (uint32_t i = (uint32_t)c->n - 1; i > 0; i--) {
        if (!c->live[i] || !spare_candidate(c, i, &f)) continue;
        int64_t cost = 0;
        for (int k = 0; k < f.n; k++) cost += spare_size(c, f.node[k]);
        if (cost * 8 <= spare_size(c, i)) spare_swap(c, i, &f);
    }
}

/* Two or more values that rest on the same one. */
static void spare_together(compile *c) {
    spare_cut f, g;
    for (uint32_t i = (uint32_t)c->n - 1; i > 0; i--) {
        if (!c->live[i] || !spare_candidate(c, i, &f) || f.n != 1) continue;
        bool shared = false;
        for (uint32_t m = c->cluster[c->cluster_of[i]].first; m && !shared; m = c->next[m])
            shared = m != i && spare_candidate(c, m, &g) && g.n == 1 && g.node[0] == f.node[0];
        if (shared && spare_size(c, f.node[0]) <= spare_size(c, i)) spare_swap(c, i, &f);
    }
}

void spare_pass(compile *c) {
    spare_alone(c);
    spare_together(c);
    spare_alone(c); /* what the second step stored may carry more */
}
