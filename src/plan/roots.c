/* roots.c - what fetches and updates refer to in the compiler's graph, and which of its nodes they
 * need.
 *
 * Reads: want, draw, map, shadow. Makes: fetch, update, n, live, fence; appends to the graph the copies and
 * additions that results need, after which it does not grow any more. */
#include "plan/passes.h"
#include <assert.h>

/* A result that no step computes (a constant, another state's value) is copied, so that
 * it has memory of its own and keeps the value from before the run's updates. A fetched state or
 * input is read where it lies. */
static uint32_t roots_result(compile *c, uint32_t id, int asked) {
    const int op = c->g->node[id].op;
    if (op_table[op].cls != CLASS_LEAF || op == OP_random ||
        (op == asked && (op == OP_state || op == OP_input)))
        return id;
    return owned_copy(tensor_at(c->g, id)).id;
}

static void roots_find(compile *c) {
    const uint32_t *want = c->want;
    for (size_t i = 0; i < c->fetches; i++, want++)
        c->fetch[i].node = roots_result(c, c->map[*want], c->from->node[*want].op);
    for (size_t i = 0; i < c->asked; i++, want += 2) {
        c->update[i].state = c->map[want[0]];
        c->update[i].node = roots_result(c, c->map[want[1]], OP_NONE);
    }
    c->g->in_scope = c->g->salt = 0;
    for (size_t i = 0; i < c->draws; i++) {
        const weft_tensor run = tensor_at(c->g, c->map[c->draw[i]]);
        c->update[c->asked + i] =
            (root){.state = run.id, .node = weft_add(run, weft_integer(c->g, 1)).id};
    }
}

static void roots_mark(compile *c) {
    for (size_t i = 0; i < c->fetches; i++) c->live[c->fetch[i].node] = 1;
    for (size_t i = 0; i < c->updates; i++)
        c->live[c->update[i].node] = c->live[c->update[i].state] = 1;
    for (uint32_t i = (uint32_t)c->n - 1; i > 0; i--)
        for (int k = 0; c->live[i] && k < c->g->node[i].nin; k++)
            c->live[node_in(c->g, &c->g->node[i])[k]] = 1;
}

/* What the program asked to be stored (stored_copy) is a fence between clusters. */
static void roots_fence(compile *c) {
    for (uint32_t i = 1; i < c->from->n; i++) {
        const node *n = &c->from->node[i];
        if (c->map[i] && n->op == OP_same && node_attr(c->from, n)[0] == SAME_STORED)
            c->fence[c->map[i]] = 1;
    }
}

weft_err roots_pass(compile *c) {
    c->updates = c->asked + c->draws;
    const size_t room = c->updates + c->shadows;
    c->fetch = arena_new(&c->memory, (c->fetches + 1) * sizeof *c->fetch);
    c->update = arena_new(&c->memory, (room + 1) * sizeof *c->update);
    if (!c->fetch || !c->update) return compile_no_memory(c);
    roots_find(c);
    if (c->g->err) return c->g->err;
    WEFT_TRY(shadow_updates(c));
    assert(c->updates <= room);
    for (size_t i = 0; i < c->fetches; i++) c->fetch[i].asked = c->fetch[i].node;
    for (size_t i = 0; i < c->updates; i++) c->update[i].asked = c->update[i].node;
    c->n = c->g->n;
    c->live = arena_new(&c->memory, c->n);
    c->fence = arena_new(&c->memory, c->n);
    if (!c->live || !c->fence) return compile_no_memory(c);
    roots_mark(c);
    roots_fence(c);
    return WEFT_OK;
}
