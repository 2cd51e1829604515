/* recompute.c - which intermediates need not be stored: a cheap value that only kernels read, element
 * by element, is computed again by each of them when that takes less memory than keeping it.
 *
 * What a value is made of ends in things that are in memory anyway (inputs, other stored values)
 * or in its `frontier`, which would have to be stored instead: GELU's backward keeps x and tanh,
 * not the six products of them; layer norm's keeps a mean per row, not the centred rows.
 *
 * Reads: the graph, view, copied, inlined, clusters, next, product. Changes: stored. */
#include "plan/passes.h"
#include <assert.h>

enum {
    RECOMPUTE_DEPTH = LIMIT_RECOMPUTE_DEPTH,
    RECOMPUTE_FRONTIER = LIMIT_FRONTIER,
    RECOMPUTE_CHAIN = LIMIT_RECOMPUTE_CHAIN
};

/* How many recomputed values, one made from the other, rest on each value. Along a recurrence every step
 * could be recomputed from the one before, and the last would need all of them. */
typedef struct recompute_chain {
    uint8_t
        *above; /* [n] complete when a node is looked at: readers come later, and are seen first */
    uint8_t *recomputed; /* [n] 1: it is not stored any more */
} recompute_chain;

typedef struct recompute_cut {
    uint32_t node[RECOMPUTE_FRONTIER];
    int n;
} recompute_cut;

/* A map that the device would rather do again than read its value. Indexed loads, casts and draws are
 * maps with attributes, which are not done again here (lower_load), but for widening. */
static bool recompute_cheap(const compile *c, uint32_t id) {
    const int op = c->g->node[id].op;
    const int cls = op_table[op].cls;
    const bool plain = cls == CLASS_UNARY || cls == CLASS_BINARY || cls == CLASS_COMPARE ||
                       cls == CLASS_LOGIC || op == OP_where;
    return fuse_widens(c, id) || (plain && op_table[op].cost <= c->ctx->traits->recompute_cost);
}

/* Collect what would have to be stored for `id` to be computed again, also over the loop of
 * `product` if an epilogue reads it. A state may have changed by then. */
static bool recompute_frontier(const compile *c, uint32_t id, const cluster *product, int depth,
                               recompute_cut *f) {
    const node *n = &c->g->node[id];
    if (c->copied[id] || !recompute_cheap(c, id)) return false;
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
        if (same && depth > 0 && (c->inlined[base] || recompute_cheap(c, base))) {
            recompute_cut below = *f;
            if (recompute_frontier(c, base, product, depth - 1, &below)) {
                *f = below;
                continue;
            }
        }
        if (op == OP_matmul || op == OP_part || c->inlined[base])
            return false; /* a raw product lies under its epilogue's result */
        bool seen = false;
        for (int k = 0; k < f->n; k++) seen |= f->node[k] == base;
        if (seen) continue;
        if (f->n == RECOMPUTE_FRONTIER) return false;
        f->node[f->n++] = base;
    }
    return true;
}

static int64_t recompute_size(const compile *c, uint32_t id) {
    return node_count(c->g, &c->g->node[id]);
}

static bool recompute_candidate(const compile *c, uint32_t id, recompute_cut *f) {
    f->n = 0;
    const cluster *product = c->product[id] ? &c->cluster[c->product[id]] : NULL;
    return c->stored[id] == STORED_SOFT &&
           recompute_size(c, id) >= c->ctx->traits->recompute_least &&
           recompute_frontier(c, id, product, RECOMPUTE_DEPTH, f);
}

/* What is not stored hands on what rests on it. */
static void recompute_hand_on(const compile *c, recompute_chain *s, uint32_t id) {
    const node *n = &c->g->node[id];
    const uint8_t chain = (uint8_t)(s->above[id] + s->recomputed[id]);
    for (int i = 0; i < n->nin && !c->stored[id]; i++) {
        uint8_t *below = &s->above[c->view[node_in(c->g, n)[i]].base];
        if (*below < chain) *below = chain;
    }
}

static void recompute_swap(compile *c, recompute_chain *s, uint32_t id, const recompute_cut *f) {
    assert(c->stored[id] == STORED_SOFT && recompute_cheap(c, id));
    c->stored[id] = 0;
    s->recomputed[id] = 1;
    recompute_hand_on(c, s, id);
    for (int k = 0; k < f->n; k++)
        if (!c->stored[f->node[k]]) c->stored[f->node[k]] = STORED_HARD; /* others now rest on it */
}

/* Values that cost nearly nothing to recompute, the last made first: they may rest on earlier
 * ones. */
static bool recompute_is_free(compile *c, uint32_t id) {
    recompute_cut f;
    int64_t cost = 0;
    if (!recompute_candidate(c, id, &f)) return false;
    for (int k = 0; k < f.n; k++) cost += recompute_size(c, f.node[k]);
    return cost * 8 <= recompute_size(c, id);
}

/* Two or more values that rest on the same one. */
static bool recompute_is_shared(compile *c, uint32_t id) {
    recompute_cut f, g;
    if (!recompute_candidate(c, id, &f) || f.n != 1) return false;
    bool shared = false;
    for (uint32_t m = c->cluster[c->cluster_of[id]].first; m && !shared; m = c->next[m])
        shared = m != id && recompute_candidate(c, m, &g) && g.n == 1 && g.node[0] == f.node[0];
    return shared && recompute_size(c, f.node[0]) <= recompute_size(c, id);
}

static void recompute_where(compile *c, recompute_chain *s,
                            bool (*wanted)(compile *c, uint32_t id)) {
    memset(s->above, 0, c->n);
    for (uint32_t i = (uint32_t)c->n - 1; i > 0; i--) {
        recompute_cut f;
        if (!c->live[i]) continue;
        recompute_hand_on(c, s, i);
        if (s->above[i] < RECOMPUTE_CHAIN && wanted(c, i) && recompute_candidate(c, i, &f))
            recompute_swap(c, s, i, &f);
    }
}

weft_err recompute_pass(compile *c) {
    if (!compile_fuses(c)) return WEFT_OK;
    recompute_chain s = {mem_new(c->m, c->n), mem_new(c->m, c->n)};
    const bool room = s.above && s.recomputed;
    if (room) {
        recompute_where(c, &s, recompute_is_free);
        recompute_where(c, &s, recompute_is_shared);
        recompute_where(c, &s, recompute_is_free); /* what the second step stored may carry more */
    }
    mem_free(c->m, s.above);
    mem_free(c->m, s.recomputed);
    return room ? WEFT_OK : compile_no_memory(c);
}
