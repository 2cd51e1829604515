/* bind.c - what a plan shares with others: the states it holds on to, and the memory of inputs and
 * results, which outlives a run.
 *
 * Reads: map, fetch, update. Makes: buf, the plan's states and its bindings. */
#include "plan/lower.h"

#include <assert.h>

/* States get memory and initial values, and stay until the plan is freed. */
weft_err states_pass(compile *c) {
    assert(!c->plan->states);
    weft_plan *p = c->plan;
    for (size_t i = 0; i < c->g->states; i++) {
        weft_state *s = c->g->state[i];
        WEFT_TRY(state_draw(s));
        if (!MEM_PUSH(c->m, p->state, p->states, p->state_cap, s)) return compile_no_memory(c);
        state_hold(s);
    }
    return WEFT_OK;
}

static weft_err bind_one(compile *c, binding **list, size_t *n, size_t *cap, uint32_t user_id,
                         uint32_t id, uint32_t buf) {
    assert(id && id < c->n && (buf == KNOBUF || buf < c->plan->bufs));
    const node *x = &c->g->node[id];
    binding b = {.id = user_id,
                 .buf = buf,
                 .dtype = x->dtype,
                 .rank = x->rank,
                 .bytes = (size_t)node_count(c->g, x) * weft_dtype_size((weft_dtype)x->dtype)};
    memcpy(b.dim, node_dims(c->g, x), x->rank * sizeof *b.dim);
    if (!mem_room(c->m, list, *n, cap, sizeof **list)) return compile_no_memory(c);
    (*list)[(*n)++] = b;
    return WEFT_OK;
}

static uint32_t bind_pinned(compile *c, uint32_t id) {
    assert(id && id < c->n);
    const uint32_t b = lower_buffer(c, id);
    if (b != KNOBUF) c->plan->buf[b].pinned = true;
    return b;
}

static weft_err bind_inputs(compile *c) {
    weft_plan *p = c->plan;
    for (uint32_t i = 1; i < c->from->n; i++) {
        const uint32_t id = c->map[i];
        if (c->from->node[i].op != OP_input || !id) continue;
        const uint32_t buf = bind_pinned(c, id);
        if (buf == KNOBUF) return compile_no_memory(c);
        WEFT_TRY(bind_one(c, &p->in, &p->ins, &p->in_cap, i, id, buf));
    }
    return WEFT_OK;
}

/* A fetched state is read where it lies. The value of an update may come to lie in the state: where it
 * does is known after lowering (bind_results). */
static weft_err bind_fetches(compile *c, const uint8_t *updated) {
    weft_plan *p = c->plan;
    for (size_t i = 0; i < c->fetches; i++) {
        const uint32_t id = c->fetch[i].node;
        const bool later = updated[id] && !c->ctx->backend->graph;
        const uint32_t buf = later ? KNOBUF : bind_pinned(c, id);
        if (buf == KNOBUF && !later) return compile_no_memory(c);
        WEFT_TRY(bind_one(c, &p->out, &p->outs, &p->out_cap, c->want[i], id, buf));
    }
    return WEFT_OK;
}

weft_err bind_pass(compile *c) {
    assert(!c->plan->ins && !c->plan->outs);
    uint8_t *updated = mem_new(c->m, c->n); /* some update's value */
    c->buf = arena_new(&c->memory, c->n * sizeof *c->buf);
    weft_err e = updated && c->buf ? WEFT_OK : compile_no_memory(c);
    if (!e) memset(c->buf, 0xff, c->n * sizeof *c->buf);
    for (size_t i = 0; !e && i < c->updates; i++) updated[c->update[i].node] = 1;
    if (!e) e = bind_inputs(c);
    if (!e) e = bind_fetches(c, updated);
    mem_free(c->m, updated);
    return e;
}

void bind_results(compile *c) {
    assert(c->plan->outs == c->fetches);
    weft_plan *p = c->plan;
    for (size_t i = 0; i < p->outs; i++) {
        if (p->out[i].buf != KNOBUF) continue;
        p->out[i].buf = c->buf[c->fetch[i].node];
        p->buf[p->out[i].buf].pinned = true;
    }
}
