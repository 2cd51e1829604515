/* update.c - when a new value may be written over the old one: every other reader of the old value
 * comes first, and the step that writes reads it only where it writes. Reads see the value from
 * before the run in any case. */
#include "plan/lower.h"

/* Does node id, or what it computes again in passing, read the state? */
static bool update_reads(const compile *c, uint32_t id, uint32_t state) {
    const node *n = &c->g->node[id];
    if (c->copied[id]) return c->source[id].base == state || c->source[id].at == state;
    for (int i = 0; i < n->nin; i++) {
        const aview *v = &c->view[node_in(c->g, n)[i]];
        if (v->base == state || v->at == state) return true;
        if (c->inlined[v->base] && update_reads(c, v->base, state)) return true;
    }
    return false;
}

/* Is the state, where node id reads it, read at the very element that is computed? */
static bool update_own_element(const compile *c, uint32_t id, uint32_t state) {
    const node *n = &c->g->node[id];
    if (c->copied[id] || n->op == OP_take || n->op == OP_matmul) return false;
    for (int i = 0; i < n->nin; i++) {
        uint32_t in = node_in(c->g, n)[i];
        const aview *v = &c->view[in];
        if (v->at == state) return false;
        if (c->inlined[v->base] && update_reads(c, v->base, state)) {
            if (!update_own_element(c, v->base, state)) return false;
        } else if (v->base == state) {
            int64_t count = node_count(c->g, &c->g->node[state]);
            if (!view_contiguous(c, in) || node_count(c->g, &c->g->node[in]) != count) return false;
        }
    }
    return true;
}

/* May node i, in the same step as the value of u, read the state that u is written into? */
static bool update_shares(const compile *c, const root *u, uint32_t i) {
    const node *n = &c->g->node[i];
    const uint32_t *in = node_in(c->g, n);
    const cluster *k = &c->cluster[c->cluster_of[i]];
    if (n->op == OP_block) {
        int64_t which = node_attr(c->g, n)[0];
        return which == BLOCK_adam || which == BLOCK_momentum; /* made for it */
    }
    if (n->op == OP_scatter_add) /* adds to the base in place; the rest must lie elsewhere */
        return i == u->node && in[0] == u->state && c->view[in[1]].base != u->state &&
               c->view[in[2]].base != u->state;
    if (k->kind == CLUSTER_PRODUCT && fuse_product(c, k) == u->node)
        return false; /* a product is written before its epilogue reads anything */
    bool maps = k->kind == CLUSTER_KERNEL || k->kind == CLUSTER_PRODUCT;
    return maps && !k->folds && update_own_element(c, i, u->state);
}

bool update_in_place(const compile *c, const root *u) {
    uint32_t k = c->cluster_of[u->node];
    if (!k || c->buf[u->node] != KNOBUF) return false;
    for (uint32_t i = 1; i < c->n; i++) {
        uint32_t reader = c->cluster_of[i];
        if (!c->live[i] || !reader || !view_is_real(c, i) || !update_reads(c, i, u->state))
            continue;
        if (reader == k ? !update_shares(c, u, i) : c->cluster[reader].pos > c->cluster[k].pos)
            return false;
    }
    return true;
}
