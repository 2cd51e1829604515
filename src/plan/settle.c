/* settle.c - which values must lie in memory by themselves: results, what the program asked to be
 * stored, and operands of routines that the device cannot take as they are.
 *
 * Reads: live, fetch, update, fence, kept, view. Makes: stored, as far as it is certain; where strides do not
 * serve, a view becomes a copy, and a result may become the node that it is all of. */
#include "plan/lower.h"
#include <assert.h>

/* A result that is the whole of another node, in order, needs no copy: that node is the result. */
static void settle_own(compile *c, root *r, bool leaf) {
    assert(r->asked && r->asked < c->n);
    uint32_t *id = &r->node;
    *id = r->asked;
    uint32_t base = c->view[*id].base;
    const node *b = &c->g->node[base];
    bool computed = op_table[b->op].cls != CLASS_LEAF || b->op == OP_random || c->copied[base];
    if (base != *id && view_contiguous(c, *id) &&
        node_count(c->g, b) == node_count(c->g, &c->g->node[*id]) &&
        (computed || (leaf && b->op == OP_input)) && !c->placed[base].inside)
        *id = base;
    view_copy(c, *id);
    c->stored[*id] = STORED_HARD;
}

/* What was asked to be stored lies in order: a map over it can then be one flat loop. */
static void settle_fences(compile *c) {
    for (uint32_t i = 1; i < c->n; i++) {
        if (!c->live[i] || !c->fence[i]) continue;
        if (!view_in_order(c, i)) view_copy(c, i);
        uint32_t base = c->view[i].base;
        int op = c->g->node[base].op;
        if (op == OP_literal || op == OP_iota) continue;
        c->fence[base] = 1;
        c->stored[base] = STORED_HARD;
    }
}

/* Does the device's routine for node n, step s, take operand k where and as it lies? An indexed load
 * (take) is part of a row program, which reads any strides. */
static bool settle_fits(const compile *c, const node *n, const step *s, int k) {
    assert(k >= 0 && k < n->nin);
    const weft_backend *b = c->ctx->backend;
    const uint32_t in = node_in(c->g, n)[k];
    const int base = c->g->node[c->view[in].base].op;
    if (!view_plain(&c->view[in]) || base == OP_literal || base == OP_iota) return false;
    if (n->op == OP_take) return true;
    return b->accepts ? b->accepts(s, k) : view_contiguous(c, in);
}

/* Operands of a routine, or the table of an indexed load. */
static void settle_operands(compile *c, const node *n) {
    assert(n->nin > 0);
    const int operands = n->op == OP_take ? 1 : n->nin;
    step s;
    if (n->op != OP_take) lower_describe(c, n, &s);
    else s.kind = STEP_KERNEL;
    for (int k = 0; k < operands; k++) {
        const uint32_t in = node_in(c->g, n)[k];
        if (!settle_fits(c, n, &s, k) && !place_refuse(c, in)) {
            view_copy(c, in);
            for (int i = k; i < operands && n->op != OP_take; i++)
                s.in[i] = lower_described(c, node_in(c->g, n)[i]);
        }
        c->stored[c->view[in].base] = STORED_HARD;
    }
}

weft_err settle_pass(compile *c) {
    if (c->stored) memset(c->stored, 0, c->n); /* place.c asks again */
    else if (!(c->stored = arena_new(&c->memory, c->n))) return compile_no_memory(c);
    for (size_t i = 0; i < c->fetches; i++) settle_own(c, &c->fetch[i], true);
    for (size_t i = 0; i < c->updates; i++) settle_own(c, &c->update[i], false);
    for (size_t i = 0; i < c->kepts; i++)
        if (c->live[c->kept[i]]) c->stored[c->kept[i]] = STORED_HARD;
    settle_fences(c);
    for (uint32_t i = 1; i < c->n; i++) {
        const node *n = &c->g->node[i];
        const int cls = op_table[n->op].cls;
        const bool routine = (cls == CLASS_ROUTINE && n->op != OP_concat) || cls == CLASS_BLOCK;
        if (c->live[i] && (routine || n->op == OP_take)) settle_operands(c, n);
    }
    return WEFT_OK;
}
