/* in_place.c - when a new value may be written over the old one: every other reader of the old value
 * comes first, and the step that writes reads it only where it writes. Reads see the value from
 * before the run in any case.
 *
 * Reads: update, view, source, copied, inlined, clusters. Makes: buf of the values that are written so. */
#include "plan/lower.h"
#include <assert.h>

/* Does node id, or what it computes again in passing, read the state? */
static bool in_place_reads(const compile *c, uint32_t id, uint32_t state) {
    const node *n = &c->g->node[id];
    if (c->copied[id]) return c->source[id].base == state || c->source[id].at == state;
    for (int i = 0; i < n->nin; i++) {
        const aview *v = &c->view[node_in(c->g, n)[i]];
        if (v->base == state || v->at == state) return true;
        if (c->inlined[v->base] && in_place_reads(c, v->base, state)) return true;
    }
    return false;
}

/* Is the state, where node id reads it, read at the very element that is computed? */
static bool in_place_own_element(const compile *c, uint32_t id, uint32_t state) {
    const node *n = &c->g->node[id];
    if (c->copied[id] || n->op == OP_take || n->op == OP_matmul) return false;
    for (int i = 0; i < n->nin; i++) {
        uint32_t in = node_in(c->g, n)[i];
        const aview *v = &c->view[in];
        if (v->at == state) return false;
        if (c->inlined[v->base] && in_place_reads(c, v->base, state)) {
            if (!in_place_own_element(c, v->base, state)) return false;
        } else if (v->base == state) {
            int64_t count = node_count(c->g, &c->g->node[state]);
            if (!view_contiguous(c, in) || node_count(c->g, &c->g->node[in]) != count) return false;
        }
    }
    return true;
}

/* Rows of the state are overwritten: it must be the base as it lies, and nothing else. */
static bool in_place_whole(const compile *c, const root *u, const uint32_t *in) {
    bool good = c->view[in[0]].base == u->state && c->view[in[0]].at != u->state &&
                view_contiguous(c, in[0]) &&
                node_count(c->g, &c->g->node[in[0]]) == node_count(c->g, &c->g->node[u->state]);
    for (int i = 1; i < 3; i++)
        good &= c->view[in[i]].base != u->state && c->view[in[i]].at != u->state;
    return good;
}

/* May node i, in the same step as the value of u, read the state that u is written into? */
static bool in_place_shares(const compile *c, const root *u, uint32_t i) {
    const node *n = &c->g->node[i];
    const uint32_t *in = node_in(c->g, n);
    const cluster *k = &c->cluster[c->cluster_of[i]];
    if (n->op == OP_block) {
        const uint8_t lies = block_table[node_attr(c->g, n)[0]].lies;
        return lies == LIES_BASE ? in_place_whole(c, u, in) : lies == LIES_SAME;
    }
    if (n->op == OP_scatter_add) /* adds to the base in place; the rest must lie elsewhere */
        return i == u->node && in[0] == u->state && c->view[in[1]].base != u->state &&
               c->view[in[2]].base != u->state;
    if (k->kind == CLUSTER_PRODUCT && fuse_product(c, k) == u->node)
        return false; /* a product is written before its epilogue reads anything */
    bool maps = k->kind == CLUSTER_KERNEL || k->kind == CLUSTER_PRODUCT;
    return maps && !k->folds && in_place_own_element(c, i, u->state);
}

/* Who reads each state: pairs of a node and the next pair of the same state, by number. */
typedef struct in_place_reader {
    uint32_t node, next;
} in_place_reader;

typedef struct in_place_lists {
    compile *c;
    uint32_t *first; /* [n] of a state's node: its first pair, 0: no reader */
    in_place_reader *pair;
    size_t n, cap;
} in_place_lists;

static bool in_place_read(in_place_lists *l, uint32_t state, uint32_t node) {
    if (!state || l->c->g->node[state].op != OP_state) return true;
    const uint32_t last = l->first[state];
    if (last && l->pair[last].node == node) return true;
    if (!MEM_PUSH(l->c->m, l->pair, l->n, l->cap, ((in_place_reader){node, last}))) return false;
    l->first[state] = (uint32_t)l->n - 1;
    return true;
}

/* Notes what node id reads, on behalf of `node`: itself, or the one that computes it in passing. */
static bool in_place_note(in_place_lists *l, uint32_t id, uint32_t node) {
    const compile *c = l->c;
    const uint32_t *in = node_in(c->g, &c->g->node[id]);
    if (c->copied[id])
        return in_place_read(l, c->source[id].base, node) &&
               in_place_read(l, c->source[id].at, node);
    for (int i = 0; i < c->g->node[id].nin; i++) {
        const aview *v = &c->view[in[i]];
        if (!in_place_read(l, v->base, node) || !in_place_read(l, v->at, node)) return false;
        if (c->inlined[v->base] && !in_place_note(l, v->base, node)) return false;
    }
    return true;
}

static bool in_place_may(const in_place_lists *l, const root *u) {
    const compile *c = l->c;
    uint32_t k = c->cluster_of[u->node];
    if (!k || c->buf[u->node] != KNOBUF) return false;
    for (uint32_t at = l->first[u->state]; at; at = l->pair[at].next) {
        const uint32_t i = l->pair[at].node, reader = c->cluster_of[i];
        if (reader == k ? !in_place_shares(c, u, i) : c->cluster[reader].pos > c->cluster[k].pos)
            return false;
    }
    return true;
}

weft_err in_place_pass(compile *c) {
    in_place_lists l = {.c = c, .first = mem_new(c->m, c->n * sizeof *l.first)};
    bool good =
        l.first && MEM_PUSH(c->m, l.pair, l.n, l.cap, (in_place_reader){0}); /* number 0: none */
    for (uint32_t i = 1; good && i < c->n; i++)
        if (c->live[i] && c->cluster_of[i] && view_is_real(c, i)) good = in_place_note(&l, i, i);
    for (size_t i = 0; good && i < c->updates; i++) {
        const root *u = &c->update[i];
        assert(c->g->node[u->state].op == OP_state);
        if (in_place_may(&l, u)) c->buf[u->node] = lower_buffer(c, u->state);
    }
    mem_free(c->m, l.first);
    mem_free(c->m, l.pair);
    return good && !c->starved ? WEFT_OK : compile_no_memory(c);
}
