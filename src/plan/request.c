/* request.c - what a plan's description asks for: checked, and as nodes of the user's graph.
 *
 * Reads: the description and the user's graph, which stays as it is.
 * Makes: want, the nodes that the plan must know; draw, the run numbers that a run advances. */
#include "plan/passes.h"

#include <assert.h>

/* ---- what is refused ---- */

/* The name of the state's entry that node id is. */
static const char *request_entry(const weft_graph *g, uint32_t id) {
    assert(g->node[id].op == OP_state);
    const int64_t *attr = node_attr(g, &g->node[id]);
    const weft_state *s = g->state[attr[0]];
    return s->freed ? "a state" : s->entry[attr[1]].name;
}

/* Of each update a state and a value of its shape and type; no state twice, in whichever list. */
static weft_err request_check_updates(weft_graph *g, const weft_updates *lists) {
    enum { FREE, LISTED, LAYER };
    static const char *const by[] = {"", "one of .update", "a layer's"};
    uint8_t *taken = mem_new(g->m, g->n);
    weft_err e = taken ? WEFT_OK : weft_fail(g->ctx, WEFT_MEMORY, "compile: out of memory");
    for (size_t at = 0; !e && at < lists[0].n + lists[1].n; at++) {
        const bool layer = at >= lists[0].n;
        const size_t i = layer ? at - lists[0].n : at;
        weft_tensor both[2] = {lists[layer].at[i].state, lists[layer].at[i].value};
        if (!graph_checked(g, both, 2)) {
            e = g->err ? g->err : WEFT_ARGUMENT;
            break;
        }
        weft_shape a = weft_shape_of(both[0]), b = weft_shape_of(both[1]);
        uint8_t *whose = &taken[both[0].id];
        if (node_of(both[0])->op != OP_state || a.rank != b.rank ||
            memcmp(a.n, b.n, (size_t)a.rank * sizeof *a.n) ||
            node_of(both[0])->dtype != node_of(both[1])->dtype)
            e = weft_fail(
                g->ctx, WEFT_ARGUMENT,
                "weft_compile: update %zu is not a state and a value of its shape and type", i);
        else if (*whose)
            e = weft_fail(g->ctx, WEFT_ARGUMENT,
                          "weft_compile: two updates change the same state \"%s\": %s and %s",
                          request_entry(g, both[0].id), by[*whose], by[layer ? LAYER : LISTED]);
        *whose = layer ? LAYER : LISTED;
    }
    mem_free(g->m, taken);
    return e;
}

weft_err request_check(weft_graph *g, const weft_plan_desc *d) {
    if (!g || !d)
        return weft_fail(g ? g->ctx : NULL, WEFT_ARGUMENT,
                         "weft_compile: the graph or the description is NULL");
    if (g->err) return g->err; /* its message is in the context already */
    if (g->open_span)
        return weft_fail(g->ctx, WEFT_ARGUMENT,
                         "weft_compile: weft_checkpoint_begin without weft_checkpoint_end");
    if ((d->fetch.n && !d->fetch.at) || (d->update.n && !d->update.at))
        return weft_fail(g->ctx, WEFT_ARGUMENT,
                         "weft_compile: a list has %zu entries but no memory",
                         d->fetch.n ? d->fetch.n : d->update.n);
    if (d->mixed != WEFT_F32 && d->mixed != WEFT_BF16 && d->mixed != WEFT_F16)
        return weft_fail(g->ctx, WEFT_ARGUMENT,
                         "weft_compile: .mixed is type %d, expected bf16 or f16", (int)d->mixed);
    if (d->threads < 0 || d->threads > LIMIT_THREADS)
        return weft_fail(g->ctx, WEFT_ARGUMENT, "weft_compile: .threads is %d, expected 0 to %d",
                         d->threads, LIMIT_THREADS);
    for (size_t i = 0; i < d->fetch.n; i++)
        if (!graph_checked(g, &d->fetch.at[i], 1)) return g->err ? g->err : WEFT_ARGUMENT;
    const weft_updates lists[2] = {d->update, d->training ? g->layer_updates : (weft_updates){0}};
    WEFT_TRY(request_check_updates(g, lists));
    if (!d->fetch.n && !lists[0].n && !lists[1].n)
        return weft_fail(g->ctx, WEFT_ARGUMENT,
                         "weft_compile: nothing to fetch and nothing to update");
    return WEFT_OK;
}

/* A plan that trains through a layer with state of its own, a batch norm, must move that state on too:
 * without .training its statistics would quietly stay what they were. */
static weft_err request_left_out(const compile *c) {
    assert(c->from->n > 0 && (c->want || !c->wants));
    const weft_graph *g = c->from;
    const weft_updates left = g->layer_updates;
    if (c->desc->training || !c->desc->update.n || !left.n) return WEFT_OK;
    uint32_t *from = mem_new(c->m, g->n * (sizeof *from + 1)); /* a layer's update that needs it */
    if (!from) return compile_no_memory(c);
    uint8_t *live = (uint8_t *)(from + g->n);
    weft_err e = WEFT_OK;
    for (size_t i = 0; i < c->wants; i++) live[c->want[i]] = 1;
    for (size_t i = 0; i < left.n; i++) from[left.at[i].value.id] = (uint32_t)i + 1;
    for (uint32_t i = (uint32_t)g->n - 1; !e && i > 0; i--) {
        const node *n = &g->node[i];
        for (int k = 0; k < n->nin; k++) {
            const uint32_t in = node_in(g, n)[k];
            live[in] |= live[i];
            if (!from[in]) from[in] = from[i];
        }
        if (live[i] && from[i] && op_table[n->op].cls != CLASS_LEAF)
            e = weft_fail(
                c->ctx, WEFT_ARGUMENT,
                "weft_compile: .update without .training would leave \"%s\" of a layer as "
                "it is; set .training, or record the layer for evaluation",
                request_entry(g, left.at[from[i] - 1].state.id));
    }
    mem_free(c->m, from);
    return e;
}

/* A run that draws advances the run number of every state it drew from: those entries, each once. */
static weft_err request_draws(compile *c) {
    assert(c->wants == c->fetches + 2 * c->asked);
    const weft_graph *g = c->from;
    enum { LIVE = 1, DRAWN = 2, UPDATED = 4 };
    uint8_t *mark = mem_new(c->m, g->n);
    weft_err e = mark ? WEFT_OK : compile_no_memory(c);
    for (size_t i = 0; !e && i < c->wants; i++)
        mark[c->want[i]] |=
            i >= c->desc->fetch.n && (i - c->desc->fetch.n) % 2 == 0 ? LIVE | UPDATED : LIVE;
    for (uint32_t i = (uint32_t)g->n - 1; !e && i > 0;
         i--) { /* readers come before what they read */
        const node *n = &g->node[i];
        if (!mark[i]) continue;
        for (int k = 0; k < n->nin; k++) mark[node_in(g, n)[k]] |= LIVE;
        if (n->op == OP_random) mark[node_in(g, n)[1]] |= DRAWN;
        if (!(mark[i] & DRAWN)) continue;
        if (mark[i] & UPDATED)
            e = weft_fail(c->ctx, WEFT_ARGUMENT,
                          "weft_compile: an update changes \"%s\", and so do random numbers",
                          request_entry(g, i));
        else if (!MEM_PUSH(c->m, c->draw, c->draws, c->draw_cap, i)) e = compile_no_memory(c);
    }
    mem_free(c->m, mark);
    return e;
}

/* ---- what is wanted ---- */

weft_err request_pass(compile *c) {
    assert(!c->want && !c->draws);
    const weft_plan_desc *d = c->desc;
    const weft_updates layers = d->training ? c->from->layer_updates : (weft_updates){0};
    c->fetches = d->fetch.n;
    c->asked = d->update.n + layers.n;
    c->wants = c->fetches + 2 * c->asked;
    c->want = arena_new(&c->memory, (c->wants + 1) * sizeof *c->want);
    if (!c->want) return compile_no_memory(c);
    size_t k = 0;
    for (size_t i = 0; i < c->fetches; i++) c->want[k++] = d->fetch.at[i].id;
    for (size_t i = 0; i < c->asked; i++) {
        const weft_update *u = i < d->update.n ? &d->update.at[i] : &layers.at[i - d->update.n];
        c->want[k++] = u->state.id, c->want[k++] = u->value.id;
    }
    WEFT_TRY(request_left_out(c));
    return request_draws(c);
}
