/* ref.c - the reference backend: evaluates the live nodes of a graph one by one, in double.
 *
 * It is what other backends and all gradients are tested against, so it fuses nothing, reuses no
 * memory and threads nothing. `graph` copies the nodes, `run` fills their values, then writes
 * updates and fetches. What an operation means is in ref_eval.c and ref_scalar.c; blocks have been
 * expanded before. */
#include "backend/ref.h"
#include "backend/ref_node.h"
#include <assert.h>
#include <math.h>

typedef struct ref_update {
    weft_state *state;
    uint32_t entry;
    const ref_node *value;
} ref_update;

typedef struct ref_program {
    arena memory;   /* everything below, values included */
    ref_node *node; /* operands first */
    size_t nodes, inputs;
    const ref_node **input; /* of plan->in[k] */
    double **instead;       /* of an input's memory, from ref_set_double; or NULL */
    const ref_node **fetch; /* of plan->out[k] */
    ref_update *update;
    size_t updates;
} ref_program;

static weft_err ref_open(weft_ctx *c, const weft_open_desc *d) {
    (void)d;
    c->device = NULL;
    c->threads = 1;
    return WEFT_OK;
}

static void ref_close(weft_ctx *c) {
    (void)c;
}

static const char *ref_isa(const weft_ctx *c) {
    (void)c;
    return "double";
}

static bool ref_has_block(const weft_ctx *c, const weft_graph *g, const node *n) {
    (void)c, (void)g, (void)n;
    return false;
}

/* ---- from a graph to a program ---- */

/* A copy of g's node; `at` finds the copies of its operands. False when out of memory. */
static bool ref_copy_node(arena *memory, ref_node *to, ref_node *const *at, const weft_graph *g,
                          const node *from) {
    *to = (ref_node){
        .op = from->op, .dtype = from->dtype, .rank = from->rank, .nin = from->nin, .count = 1};
    for (int i = 0; i < from->rank; i++) {
        to->dim[i] = node_dims(g, from)[i];
        if (!checked_mul(to->count, to->dim[i], &to->count)) return false;
    }
    for (int i = 0; i < from->nattr && i < WEFT_MAX_RANK; i++) to->attr[i] = node_attr(g, from)[i];
    int64_t bytes;
    if (!checked_mul(to->count, (int64_t)sizeof(double), &bytes)) return false;
    to->value = arena_new(memory, (size_t)bytes);
    to->in = arena_new(memory, from->nin * sizeof(ref_node *));
    if (!to->value || !to->in) return false;
    for (int i = 0; i < from->nin; i++) to->in[i] = at[node_in(g, from)[i]];
    if (to->op == OP_state) to->state = g->state[to->attr[0]];
    if (to->op == OP_argsort) {
        to->order = arena_new(memory, 2 * (size_t)to->dim[to->attr[0]] * sizeof(int64_t));
        if (!to->order) return false;
    }
    return true;
}

/* What never changes is computed now: the graph's own bytes will be gone. */
static void ref_first_value(ref_node *n) {
    if (n->op == OP_data) {
        const void *bytes = (const void *)(intptr_t)n->attr[0];
        for (int64_t i = 0; i < n->count; i++) n->value[i] = ref_read(n->dtype, bytes, i);
    } else if (n->op == OP_literal || n->op == OP_iota) {
        ref_eval(n);
    }
}

static weft_err ref_fill(weft_plan *p, ref_program *r, ref_node **at, const weft_graph *g,
                         const uint8_t *live, const graph_wiring *w) {
    size_t nodes = 0;
    r->inputs = p->ins;
    for (uint32_t i = 1; i < g->n; i++) nodes += live[i] != 0;
    r->node = arena_new(&r->memory, nodes * sizeof *r->node);
    r->input = arena_new(&r->memory, p->ins * sizeof *r->input);
    r->instead = arena_new(&r->memory, p->ins * sizeof *r->instead);
    r->fetch = arena_new(&r->memory, p->outs * sizeof *r->fetch);
    r->update = arena_new(&r->memory, w->updates * sizeof *r->update);
    if (!r->node || !r->input || !r->instead || !r->fetch || !r->update)
        return weft_fail(p->ctx, WEFT_MEMORY, "ref: out of memory for a program of %zu nodes",
                         nodes);

    for (uint32_t i = 1; i < g->n; i++) {
        const node *n = &g->node[i];
        if (!live[i]) continue;
        if (n->op == OP_block || n->op == OP_part)
            return weft_fail(p->ctx, WEFT_UNSUPPORTED, "ref: a block was not expanded");
        at[i] = &r->node[r->nodes];
        if (!ref_copy_node(&r->memory, at[i], at, g, n))
            return weft_fail(p->ctx, WEFT_MEMORY, "ref: out of memory for node %u of %zu, %s", i,
                             g->n, op_table[n->op].name);
        ref_first_value(at[i]);
        r->nodes++;
    }
    for (size_t k = 0; k < p->ins; k++) r->input[k] = at[w->input_node[k]];
    for (size_t k = 0; k < p->outs; k++) r->fetch[k] = at[w->fetch_node[k]];
    for (size_t u = 0; u < w->updates; u++) {
        const int64_t *attr = node_attr(g, &g->node[w->update_state_node[u]]);
        r->update[u] =
            (ref_update){g->state[attr[0]], (uint32_t)attr[1], at[w->update_value_node[u]]};
        /* Fetching a state gives its new value. */
        for (size_t k = 0; k < p->outs; k++)
            if (w->fetch_node[k] == w->update_state_node[u]) r->fetch[k] = r->update[u].value;
    }
    r->updates = w->updates;
    return WEFT_OK;
}

static weft_err ref_graph(weft_plan *p, weft_graph *g, const uint8_t *live, const graph_wiring *w) {
    ref_program *r = p->program = mem_new(p->m, sizeof *r);
    ref_node **at = mem_new(p->m, g->n * sizeof *at); /* a node's copy */
    weft_err e;
    if (r && at) {
        r->memory.m = p->m;
        e = ref_fill(p, r, at, g, live, w);
    } else {
        e = weft_fail(p->ctx, WEFT_MEMORY, "ref: out of memory for a graph of %zu nodes", g->n);
    }
    mem_free(p->m, at);
    return e;
}

static void ref_release(weft_plan *p) {
    ref_program *r = p->program;
    if (!r) return;
    for (size_t k = 0; r->instead && k < r->inputs; k++) mem_free(p->m, r->instead[k]);
    arena_free(&r->memory);
    mem_free(p->m, r);
    p->program = NULL;
}

/* ---- running ---- */

static void ref_feed(weft_plan *p, ref_program *r, size_t k) {
    assert(k < p->ins);
    const ref_node *n = r->input[k];
    if (!n) return; /* what read it was simplified away */
    const void *memory = p->buf[p->in[k].buf].at;
    for (int64_t i = 0; i < n->count; i++)
        n->value[i] = r->instead[k] ? r->instead[k][i] : ref_read(n->dtype, memory, i);
}

/* The entry's memory is asked for in every run: a state may grow, and move its table, meanwhile. */
static weft_err ref_state_memory(weft_plan *p, const weft_state *s, uint32_t entry, char **memory) {
    assert(entry < s->n);
    const state_entry *e = &s->entry[entry];
    if (!e->data && e->count)
        return weft_fail(p->ctx, WEFT_STATE, "ref: a state entry has no memory");
    *memory = e->data;
    return WEFT_OK;
}

static weft_err ref_run(weft_plan *p, device_ticket *done) {
    ref_program *r = p->program;
    char *memory = NULL;
    *done = 0;
    for (size_t k = 0; k < p->ins; k++) ref_feed(p, r, k);
    for (size_t i = 0; i < r->nodes; i++) {
        ref_node *n = &r->node[i];
        switch (n->op) {
        case OP_input:
        case OP_data:
        case OP_literal:
        case OP_iota: break;
        case OP_state:
            WEFT_TRY(ref_state_memory(p, n->state, (uint32_t)n->attr[1], &memory));
            for (int64_t j = 0; j < n->count; j++) n->value[j] = ref_read(n->dtype, memory, j);
            break;
        default: ref_eval(n); break;
        }
    }
    for (size_t u = 0; u < r->updates; u++) {
        const ref_update *up = &r->update[u];
        int dtype = up->state->entry[up->entry].dtype;
        WEFT_TRY(ref_state_memory(p, up->state, up->entry, &memory));
        for (int64_t j = 0; j < up->value->count; j++)
            ref_write(dtype, memory, j, ref_cast(up->value->dtype, dtype, up->value->value[j]));
    }
    for (size_t k = 0; k < p->outs; k++) {
        const ref_node *n = r->fetch[k];
        int dtype = p->out[k].dtype;
        for (int64_t j = 0; j < n->count; j++)
            ref_write(dtype, p->buf[p->out[k].buf].at, j, ref_cast(n->dtype, dtype, n->value[j]));
    }
    return WEFT_OK;
}

/* ---- for tests ---- */

static ref_program *ref_program_of(const weft_plan *p, weft_tensor t) {
    return p->ctx->backend == &backend_ref && p->origin == t.g ? p->program : NULL;
}

double ref_value(const weft_plan *p, weft_tensor fetched, int64_t i) {
    const ref_program *r = ref_program_of(p, fetched);
    for (size_t k = 0; r && k < p->outs; k++)
        if (p->out[k].id == fetched.id && i >= 0 && i < r->fetch[k]->count)
            return r->fetch[k]->value[i];
    return NAN;
}

weft_err ref_set_double(weft_plan *p, weft_tensor input, const double *values, size_t n) {
    ref_program *r = ref_program_of(p, input);
    for (size_t k = 0; r && k < p->ins; k++) {
        if (p->in[k].id != input.id) continue;
        if (!values) {
            mem_free(p->m, r->instead[k]);
            r->instead[k] = NULL;
            return WEFT_OK;
        }
        size_t count = p->in[k].bytes / weft_dtype_size((weft_dtype)p->in[k].dtype);
        if (n != count)
            return weft_fail(p->ctx, WEFT_ARGUMENT,
                             "ref_set_double: %zu values for an input of %zu", n, count);
        if (!r->instead[k] && !(r->instead[k] = mem_new(p->m, n * sizeof(double))))
            return weft_fail(p->ctx, WEFT_MEMORY, "ref_set_double: out of memory");
        memcpy(r->instead[k], values, n * sizeof(double));
        p->in[k].given = true;
        return WEFT_OK;
    }
    return weft_fail(p->ctx, WEFT_ARGUMENT, "ref_set_double: not an input of a plan of ref");
}

const weft_backend backend_ref = {
    .name = "ref",
    .open = ref_open,
    .close = ref_close,
    .isa = ref_isa,
    .has_block = ref_has_block,
    .memory = &device_host,
    .graph = ref_graph,
    .run = ref_run,
    .release = ref_release,
};
