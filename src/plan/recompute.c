/* recompute.c - which intermediates need not be stored: a cheap value that only kernels read, element
 * by element, is computed again by each of them when that takes less memory than keeping it.
 *
 * What a value is made of ends in things that are in memory anyway (inputs, other stored values)
 * or in its `frontier`, which would have to be stored instead: GELU's backward keeps x and tanh,
 * not the six products of them; layer norm's keeps a mean per row, not the centred rows. */
#include "plan/passes.h"
#include <assert.h>

enum { SPARE_DEPTH = 4, SPARE_FRONTIER = 8, SPARE_MIN = 256, SPARE_CHAIN = 6 };

/* How many spared values, one made from the other, rest on each value. Along a recurrence every step
 * could do without the one before, and the last would be made from all of them. */
typedef struct spare_chain {
    uint8_t
        *above; /* [n] complete when a node is looked at: readers come later, and are seen first */
    uint8_t *spared; /* [n] 1: it is not stored any more */
} spare_chain;

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

/* What is not stored hands on what rests on it. */
static void spare_hand_on(const compile *c, spare_chain *s, uint32_t id) {
    const node *n = &c->g->node[id];
    const uint8_t chain = (uint8_t)(s->above[id] + s->spared[id]);
    for (int i = 0; i < n->nin && !c->stored[id]; i++) {
        uint8_t *below = &s->above[c->view[node_in(c->g, n)[i]].base];
        if (*below < chain) *below = chain;
    }
}

static void spare_swap(compile *c, spare_chain *s, uint32_t id, const spare_cut *f) {
    assert(c->stored[id] == STORED_SOFT && spare_cheap(c->g->node[id].op));
    c->stored[id] = 0;
    s->spared[id] = 1;
    spare_hand_on(c, s, id);
    for (int k = 0; k < f->n; k++)
        if (!c->stored[f->node[k]]) c->stored[f->node[k]] = STORED_HARD; /* others now rest on it */
}

/* Values that cost nearly nothing to do without, the last made first: they may rest on earlier
 * ones. */
static bool spare_is_cheap(compile *c, uint32_t id) {
    spare_cut f;
    int64_t cost = 0;
    if (!spare_candidate(c, id, &f)) return false;
    for (int k = 0; k < f.n; k++) cost += spare_size(c, f.node[k]);
    return cost * 8 <= spare_size(c, id);
}

/* Two or more values that rest on the same one. */
static bool spare_is_shared(compile *c, uint32_t id) {
    spare_cut f, g;
    if (!spare_candidate(c, id, &f) || f.n != 1) return false;
    bool shared = false;
    for (uint32_t m = c->cluster[c->cluster_of[id]].first; m && !shared; m = c->next[m])
        shared = m != id && spare_candidate(c, m, &g) && g.n == 1 && g.node[0] == f.node[0];
    return shared && spare_size(c, f.node[0]) <= spare_size(c, id);
}

static void spare_where(compile *c, spare_chain *s, bool (*wanted)(compile *c, uint32_t id)) {
    memset(s->above, 0, c->n);
    for (uint32_t i = (uint32_t)c->n - 1; i > 0; i--) {
        spare_cut f;
        if (!c->live[i]) continue;
        spare_hand_on(c, s, i);
        if (s->above[i] < SPARE_CHAIN && wanted(c, i) && spare_candidate(c, i, &f))
            spare_swap(c, s, i, &f);
    }
}

void spare_pass(compile *c) {
    spare_chain s = {mem_new(c->m, c->n), mem_new(c->m, c->n)};
    if (s.above && s.spared) {
        spare_where(c, &s, spare_is_cheap);
        spare_where(c, &s, spare_is_shared);
        spare_where(c, &s, spare_is_cheap); /* what the second step stored may carry more */
    } else {
        c->starved = true;
    }
    mem_free(c->m, s.above);
    mem_free(c->m, s.spared);
}
