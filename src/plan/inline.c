/* inline.c - values that no step computes: each reader makes them again. A comparison is cheaper than
 * its memory, and so are a draw and what is widened from 16 bits.
 *
 * Reads: live, view, source, copied, stored. Makes: inlined. */
#include "plan/fuse.h"

/* May node i be made again by its readers: a comparison or a widening of values that are in memory
 * anyway, or a draw? `brings` has how many operands those that are already inlined bring to their
 * readers. */
static bool inline_may(const compile *c, uint32_t i, uint8_t *brings) {
    const node *n = &c->g->node[i];
    int operands = 0;
    if (!c->live[i] || !view_is_real(c, i) || c->copied[i] || c->stored[i] ||
        (op_table[n->op].cls != CLASS_COMPARE && n->op != OP_random && !fuse_widens(c, i)))
        return false;
    for (int k = 0; k < n->nin; k++) {
        const uint32_t base = c->view[node_in(c->g, n)[k]].base;
        operands += c->inlined[base] ? brings[base] : 1;
        if (!c->stored[base] && !c->inlined[base] && !fuse_is_leaf(c, base) &&
            !fuse_is_virtual(c, base))
            return false;
    }
    brings[i] = (uint8_t)operands;
    return operands <= c->ctx->traits->inline_operands;
}

/* What something other than a map reads, or reads through a view, has to be in memory. */
static void inline_needed(const compile *c, uint8_t *needed) {
    for (uint32_t i = 1; i < c->n; i++) {
        const node *n = &c->g->node[i];
        if (!c->live[i]) continue;
        bool map = !c->copied[i] && op_is_map(n->op) && n->op != OP_take;
        for (int k = 0; k < n->nin && !map; k++) needed[c->view[node_in(c->g, n)[k]].base] = 1;
        if (!view_is_real(c, i)) needed[c->view[i].base] = needed[c->view[i].at] = 1;
        if (c->copied[i]) needed[c->source[i].base] = needed[c->source[i].at] = 1;
    }
}

weft_err inline_pass(compile *c) {
    c->inlined = arena_new(&c->memory, c->n);
    if (!c->inlined) return compile_no_memory(c);
    if (!compile_fuses(c)) return WEFT_OK;
    uint8_t *brings = mem_new(c->m, c->n), *needed = mem_new(c->m, c->n);
    const bool room = brings && needed;
    if (room) inline_needed(c, needed);
    for (uint32_t i = 1; i < c->n && room; i++)
        c->inlined[i] = !needed[i] && inline_may(c, i, brings);
    mem_free(c->m, brings);
    mem_free(c->m, needed);
    return room ? WEFT_OK : compile_no_memory(c);
}
