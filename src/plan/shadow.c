/* shadow.c - 16-bit copies of parameters, as entries of the state that belong to plans.
 *
 * A plan that is mixed reads a parameter through its shadow. A run that changes the parameter updates
 * the shadow as well, in the optimiser's own pass. Whatever else changes it (weft_state_set, a loaded
 * file, another plan) leaves a newer version behind, and the next run that reads the shadow refreshes
 * it first. Files, hashes and counts of a state know nothing of shadows.
 *
 * Reads: shadow, update, live. Makes: what a run looks at before it starts and when it is done. */
#include "base/half.h"
#include "core/shape.h"
#include "plan/mixed.h"
#include <assert.h>

/* ---- compiling ---- */

weft_tensor shadow_of(compile *c, weft_tensor x, weft_dtype type) {
    const weft_tensor none = {x.g, 0};
    const node *n = node_of(x);
    assert(n->op == OP_state);
    const int64_t *at = node_attr(x.g, n);
    weft_state *const s = x.g->state[at[0]];
    const uint32_t entry = (uint32_t)at[1];
    if (c->desc->portable || !(c->ctx->traits->product_types[PRODUCT_MATRIX] >> type & 1) ||
        c->ctx->backend->graph || !s->entry[entry].trained || n->dtype != WEFT_F32)
        return none;
    const int64_t i = state_shadow(s, entry, type);
    if (i < 0) return graph_fail(x.g, WEFT_MEMORY, "compile: out of memory");
    const weft_tensor half = graph_state(x.g, s, (uint32_t)i, type, weft_shape_of(x));
    if (half.id && !MEM_PUSH(c->m, c->shadow, c->shadows, c->shadow_cap,
                             ((shadow){.node = half.id, .state = x.id})))
        return graph_fail(x.g, WEFT_MEMORY, "compile: out of memory");
    return half;
}

/* The new value in 16 bits: the optimiser's own part where it has a kernel, else a cast. */
static weft_tensor shadow_value(weft_graph *g, uint32_t value, weft_dtype type) {
    const weft_tensor v = tensor_at(g, value);
    const node *n = node_of(v);
    if (n->op == OP_part && node_attr(g, n)[0] == 0) {
        const weft_tensor block = operand(v, 0);
        const int64_t which = node_attr(g, node_of(block))[0];
        const weft_shape d = weft_shape_of(v);
        if (block_table[which].moving) /* of an update rule, whose last part this is */
            return graph_part(block, block_table[which].parts - 1, type, d.rank, d.n);
    }
    return weft_cast(v, type);
}

weft_err shadow_updates(compile *c) {
    if (!c->shadows) return WEFT_OK;
    uint32_t *of = mem_new(c->m, c->g->n * sizeof *of); /* of a parameter: its update + 1 */
    if (!of) return compile_no_memory(c);
    const size_t updates = c->updates;
    for (size_t i = 0; i < updates; i++) of[c->update[i].state] = (uint32_t)i + 1;
    for (size_t i = 0; i < c->shadows; i++) {
        shadow *s = &c->shadow[i];
        if (!of[s->state]) continue;
        const uint32_t value = c->update[of[s->state] - 1].node;
        c->g->in_scope = c->g->node[value].scope;
        const weft_tensor v = shadow_value(c->g, value, (weft_dtype)c->g->node[s->node].dtype);
        c->update[c->updates++] = (root){.node = v.id, .state = s->node};
        s->written = true;
    }
    mem_free(c->m, of);
    c->g->in_scope = 0;
    return c->g->err;
}

static state_entry *shadow_entry(const compile *c, uint32_t id) {
    const int64_t *at = node_attr(c->g, &c->g->node[id]);
    return &c->g->state[at[0]]->entry[at[1]];
}

weft_err shadow_pass(compile *c) {
    weft_plan *const p = c->plan;
    p->shadow = arena_new(&p->memory, (c->shadows + 1) * sizeof *p->shadow);
    p->changed = arena_new(&p->memory, (c->updates + 1) * sizeof *p->changed);
    if (!p->shadow || !p->changed) return compile_no_memory(c);
    for (size_t i = 0; i < c->updates; i++) {
        const state_entry *e = shadow_entry(c, c->update[i].state);
        if (!e->shadow && e->trained) p->changed[p->changes++] = e->version;
    }
    for (size_t i = 0; i < c->shadows; i++) {
        const shadow *r = &c->shadow[i];
        if (!c->live[r->node]) continue;
        const state_entry *e = shadow_entry(c, r->node), *of = shadow_entry(c, r->state);
        p->shadow[p->shadows++] =
            (plan_shadow){.state = c->g->state[node_attr(c->g, &c->g->node[r->node])[0]],
                          .written = r->written,
                          .from = *of,
                          .to = *e};
    }
    return WEFT_OK;
}

/* ---- running ---- */

/* Piece by piece, so that nothing needs memory where the host cannot reach the entries. */
static weft_err shadow_copy(weft_ctx *c, const state_entry *from, const state_entry *to) {
    enum { PIECE = 1024 };
    float wide[PIECE];
    uint16_t half[PIECE];
    const bool brain = to->dtype == WEFT_BF16;
    for (int64_t at = 0; at < from->count; at += PIECE) {
        const size_t n = (size_t)min_i64(PIECE, from->count - at);
        const size_t wides = n * sizeof *wide, halves = n * sizeof *half;
        if (from->data) memcpy(wide, from->data + at * (int64_t)sizeof *wide, wides);
        else
            WEFT_TRY(
                device_get(c, from->block, from->offset + (size_t)at * sizeof *wide, wide, wides));
        for (size_t i = 0; i < n; i++) half[i] = brain ? bf16_of(wide[i]) : f16_of(wide[i]);
        if (to->data) memcpy(to->data + at * (int64_t)sizeof *half, half, halves);
        else
            WEFT_TRY(c->memory->write(c, to->block, to->offset + (size_t)at * sizeof *half, half,
                                      halves));
    }
    return WEFT_OK;
}

weft_err shadow_refresh(weft_plan *p) {
    weft_err e = WEFT_OK;
    for (size_t i = 0; i < p->shadows && !e; i++) {
        const plan_shadow *s = &p->shadow[i];
        /* others may run plans that read the same */
        while (atomic_flag_test_and_set_explicit(&s->state->refreshing, memory_order_acquire)) {
        }
        if (*s->to.version != *s->from.version) {
            e = shadow_copy(p->ctx, &s->from, &s->to);
            if (!e) *s->to.version = *s->from.version;
        }
        atomic_flag_clear_explicit(&s->state->refreshing, memory_order_release);
    }
    return e;
}

void shadow_ran(weft_plan *p) {
    for (size_t i = 0; i < p->changes; i++) ++*p->changed[i];
    for (size_t i = 0; i < p->shadows; i++)
        if (p->shadow[i].written) *p->shadow[i].to.version = *p->shadow[i].from.version;
}
