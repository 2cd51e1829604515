/* compile.c - from a graph and a wish to a plan: one call per pass, top to bottom.
 *
 * The plan holds no pointer into the graph, and nothing is left behind when a pass fails. */
#include "core/limits.h"
#include "plan/lower.h"

static weft_err compile_no_memory(const compile *c) {
    return weft_fail(c->ctx, WEFT_MEMORY, "compile: out of memory");
}

/* ---- what is asked for ---- */

/* The name of the state's entry that node id is. */
static const char *compile_entry(const weft_graph *g, uint32_t id) {
    const int64_t *attr = node_attr(g, &g->node[id]);
    const weft_state *s = g->state[attr[0]];
    return s->freed ? "a state" : s->entry[attr[1]].name;
}

/* Of each update a state and a value of its shape and type; no state twice, in whichever list. */
static weft_err compile_check_updates(weft_graph *g, const weft_updates *lists) {
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
                          compile_entry(g, both[0].id), by[*whose], by[layer ? LAYER : LISTED]);
        *whose = layer ? LAYER : LISTED;
    }
    mem_free(g->m, taken);
    return e;
}

static weft_err compile_check(weft_graph *g, const weft_plan_desc *d) {
    if (!g || !d)
        return weft_fail(g ? g->ctx : NULL, WEFT_ARGUMENT,
                         "weft_compile: the graph or the description is NULL");
    if (g->err) return g->err; /* its message is in the context already */
    if (g->open_span)
        return weft_fail(g->ctx, WEFT_ARGUMENT,
                         "weft_compile: a checkpoint was begun and not ended");
    if ((d->fetch.n && !d->fetch.at) || (d->update.n && !d->update.at))
        return weft_fail(g->ctx, WEFT_ARGUMENT,
                         "weft_compile: a list has %zu entries but no memory",
                         d->fetch.n ? d->fetch.n : d->update.n);
    for (size_t i = 0; i < d->fetch.n; i++)
        if (!graph_checked(g, &d->fetch.at[i], 1)) return g->err ? g->err : WEFT_ARGUMENT;
    const weft_updates lists[2] = {d->update, d->training ? g->layers : (weft_updates){0}};
    WEFT_TRY(compile_check_updates(g, lists));
    if (!d->fetch.n && !lists[0].n && !lists[1].n)
        return weft_fail(g->ctx, WEFT_ARGUMENT,
                         "weft_compile: nothing to fetch and nothing to update");
    return WEFT_OK;
}

/* A run that draws advances the run number of every state it drew from: those entries, each once, as
 * nodes of the user's graph. */
typedef struct compile_list {
    uint32_t *at;
    size_t n, cap;
} compile_list;

static weft_err compile_draws(const compile *c, const weft_graph *g, const uint32_t *want,
                              size_t wants, compile_list *out) {
    enum { LIVE = 1, DRAWN = 2, UPDATED = 4 };
    uint8_t *mark = mem_new(c->m, g->n);
    weft_err e = mark ? WEFT_OK : compile_no_memory(c);
    for (size_t i = 0; !e && i < wants; i++)
        mark[want[i]] |=
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
                          compile_entry(g, i));
        else if (!MEM_PUSH(c->m, out->at, out->n, out->cap, i)) e = compile_no_memory(c);
    }
    mem_free(c->m, mark);
    return e;
}

/* A plan that trains through a layer with state of its own, a batch norm, must move that state on too:
 * without .training its statistics would quietly stay what they were. */
static weft_err compile_left_out(const compile *c, const weft_graph *g, const uint32_t *want,
                                 size_t wants) {
    const weft_updates left = g->layers;
    if (c->desc->training || !c->desc->update.n || !left.n) return WEFT_OK;
    uint32_t *from = mem_new(c->m, g->n * (sizeof *from + 1)); /* a layer's update that needs it */
    if (!from) return compile_no_memory(c);
    uint8_t *live = (uint8_t *)(from + g->n);
    weft_err e = WEFT_OK;
    for (size_t i = 0; i < wants; i++) live[want[i]] = 1;
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
                compile_entry(g, left.at[from[i] - 1].state.id));
    }
    mem_free(c->m, from);
    return e;
}

/* ---- arrays ---- */

bool compile_arrays(compile *c) {
    c->n = c->g->n;
    c->live = mem_new(c->m, c->n);
    c->copied = mem_new(c->m, c->n);
    c->stored = mem_new(c->m, c->n);
    c->product = mem_new(c->m, c->n * sizeof *c->product);
    c->folded = mem_new(c->m, c->n);
    c->fence = mem_new(c->m, c->n);
    c->inlined = mem_new(c->m, c->n);
    c->updated = mem_new(c->m, c->n);
    c->view = mem_new(c->m, c->n * sizeof *c->view);
    c->source = mem_new(c->m, c->n * sizeof *c->source);
    c->cluster_of = mem_new(c->m, c->n * sizeof *c->cluster_of);
    c->next = mem_new(c->m, c->n * sizeof *c->next);
    c->part = mem_new(c->m, c->n * sizeof *c->part);
    c->reader = mem_new(c->m, c->n * sizeof *c->reader);
    c->buf = mem_new(c->m, c->n * sizeof *c->buf);
    if (!c->live || !c->copied || !c->stored || !c->product || !c->folded || !c->fence ||
        !c->inlined || !c->updated || !c->view || !c->source || !c->cluster_of || !c->next ||
        !c->part || !c->reader || !c->buf) {
        compile_no_memory(c);
        return false;
    }
    memset(c->buf, 0xff, c->n * sizeof *c->buf);
    for (uint32_t i = 1; i < c->n; i++) {
        if (c->g->node[i].op != OP_part) continue;
        uint32_t *first = &c->part[node_in(c->g, &c->g->node[i])[0]];
        c->part[i] = *first, *first = i;
    }
    return true;
}

void compile_release(compile *c) {
    mem_free(c->m, c->live);
    mem_free(c->m, c->copied);
    mem_free(c->m, c->stored);
    mem_free(c->m, c->product);
    mem_free(c->m, c->folded);
    mem_free(c->m, c->fence);
    mem_free(c->m, c->inlined);
    mem_free(c->m, c->updated);
    mem_free(c->m, c->view);
    mem_free(c->m, c->source);
    mem_free(c->m, c->cluster_of);
    mem_free(c->m, c->next);
    mem_free(c->m, c->part);
    mem_free(c->m, c->reader);
    mem_free(c->m, c->buf);
    mem_free(c->m, c->cluster);
    mem_free(c->m, c->fetch);
    mem_free(c->m, c->update);
    weft_graph_free(c->g);
}

static void compile_mark(compile *c) {
    for (size_t i = 0; i < c->fetches; i++) c->live[c->fetch[i].node] = 1;
    for (size_t i = 0; i < c->updates; i++)
        c->live[c->update[i].node] = c->live[c->update[i].state] = 1;
    for (uint32_t i = (uint32_t)c->n - 1; i > 0; i--)
        for (int k = 0; c->live[i] && k < c->g->node[i].nin; k++)
            c->live[node_in(c->g, &c->g->node[i])[k]] = 1;
}

/* Whether the device's routine for node n takes its operand k with the strides it has. */
static bool compile_accepts(const compile *c, const node *n, int k) {
    const weft_backend *b = c->ctx->backend;
    step s = {.kind = (uint8_t)lower_kind(n), .nin = (uint8_t)n->nin};
    const int first = n->op == OP_block;
    if (first) s.block = (uint8_t)node_attr(c->g, n)[0];
    if (n->nattr)
        memcpy(s.attr, node_attr(c->g, n) + first, (size_t)(n->nattr - first) * sizeof *s.attr);
    for (int i = 0; i < n->nin; i++) s.in[i] = lower_described(c, node_in(c->g, n)[i]);
    return b->accepts ? b->accepts(&s, k) : view_contiguous(c, node_in(c->g, n)[k]);
}

/* A result that is the whole of another node, in order, needs no copy: that node is the result. */
static void compile_own(compile *c, uint32_t *id, bool leaf) {
    uint32_t base = c->view[*id].base;
    const node *b = &c->g->node[base];
    bool computed = op_table[b->op].cls != CLASS_LEAF || b->op == OP_random || c->copied[base];
    if (base != *id && view_contiguous(c, *id) &&
        node_count(c->g, b) == node_count(c->g, &c->g->node[*id]) &&
        (computed || (leaf && b->op == OP_input)))
        *id = base;
    view_copy(c, *id);
    c->stored[*id] = STORED_HARD;
}

/* What was asked to be stored lies in order: a map over it can then be one flat loop. */
static void compile_fences(compile *c) {
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

/* What must lie in memory by itself: results, and operands of routines that strides cannot
 * describe. */
static void compile_settle(compile *c) {
    for (size_t i = 0; i < c->fetches; i++) compile_own(c, &c->fetch[i].node, true);
    for (size_t i = 0; i < c->updates; i++) compile_own(c, &c->update[i].node, false);
    compile_fences(c);
    for (uint32_t i = 1; i < c->n; i++) {
        const node *n = &c->g->node[i];
        int cls = op_table[n->op].cls;
        if (!c->live[i] || (cls != CLASS_ROUTINE && cls != CLASS_BLOCK && n->op != OP_take) ||
            n->op == OP_concat)
            continue;
        for (int k = 0; k < (n->op == OP_take ? 1 : n->nin); k++) {
            uint32_t in = node_in(c->g, n)[k];
            const aview *v = &c->view[in];
            const node *o = &c->g->node[in];
            int base = c->g->node[v->base].op;
            bool virtual_base = base == OP_literal || base == OP_iota,
                 fine = view_plain(v) && !virtual_base;
            if (n->op == OP_matmul) {
                int r = o->rank;
                const int64_t *dim = node_dims(c->g, o);
                bool unit = v->stride[r - 1] == 1 || v->stride[r - 2] == 1 || dim[r - 1] <= 1 ||
                            dim[r - 2] <= 1;
                fine = fine && unit && (v->stride[r - 1] != 0 || dim[r - 1] <= 1) &&
                       (v->stride[r - 2] != 0 || dim[r - 2] <= 1);
            } else if (n->op != OP_take) fine = fine && compile_accepts(c, n, k);
            if (!fine) view_copy(c, in);
            c->stored[c->view[in].base] = STORED_HARD;
        }
    }
}

/* ---- bindings ---- */

static bool compile_bind(compile *c, binding **list, size_t *n, size_t *cap, uint32_t user_id,
                         uint32_t id, uint32_t buf) {
    const node *x = &c->g->node[id];
    binding b = {.id = user_id,
                 .buf = buf,
                 .dtype = x->dtype,
                 .rank = x->rank,
                 .bytes = (size_t)node_count(c->g, x) * weft_dtype_size((weft_dtype)x->dtype)};
    memcpy(b.dim, node_dims(c->g, x), x->rank * sizeof *b.dim);
    if (mem_room(c->m, list, *n, cap, sizeof **list)) {
        (*list)[(*n)++] = b;
        return true;
    }
    compile_no_memory(c);
    return false;
}

static uint32_t compile_pinned(compile *c, uint32_t id) {
    uint32_t b = lower_buffer(c, id);
    if (b == KNOBUF) compile_no_memory(c);
    else c->plan->buf[b].pinned = true;
    return b;
}

/* Inputs and fetches get memory that outlives a run; a fetched state is read where it lies. */
static bool compile_bindings(compile *c, const weft_graph *from, const uint32_t *map) {
    weft_plan *p = c->plan;
    for (uint32_t i = 1; i < from->n; i++) {
        uint32_t id = map[i];
        if (from->node[i].op != OP_input || !id) continue;
        uint32_t buf = compile_pinned(c, id);
        if (buf == KNOBUF || !compile_bind(c, &p->in, &p->ins, &p->in_cap, i, id, buf))
            return false;
    }
    for (size_t i = 0; i < c->updates; i++) c->updated[c->update[i].node] = 1;
    for (size_t i = 0; i < c->fetches; i++) {
        uint32_t id = c->fetch[i].node;
        uint32_t buf = c->updated[id] && !c->ctx->backend->graph ? KNOBUF : compile_pinned(c, id);
        if (!compile_bind(c, &p->out, &p->outs, &p->out_cap, c->desc->fetch.at[i].id, id, buf))
            return false;
    }
    return true;
}

/* ---- the pipeline ---- */

/* Is every pass checked? Always where assertions are on. */
static bool compile_verifies(const compile *c) {
#ifdef NDEBUG
    return c->ctx->debug > 0;
#else
    (void)c;
    return true;
#endif
}

static weft_err compile_steps(compile *c, const weft_graph *from, const uint32_t *map) {
    const bool verify = compile_verifies(c);
    double since = weft_phase_start(c->ctx);
    if (!view_pass(c)) return c->ctx->err;
    if (verify) WEFT_TRY(verify_views(c, "view"));
    record_pass(c->ctx, "view", &since);
    compile_settle(c);
    if (!compile_bindings(c, from, map)) return c->ctx->err;
    if (verify) WEFT_TRY(verify_views(c, "settle"));
    record_pass(c->ctx, "settle", &since);
    if (!fuse_pass(c)) return c->ctx->err;
    if (verify) WEFT_TRY(verify_clusters(c, "fuse"));
    record_pass(c->ctx, "fuse", &since);
    if (!lower_pass(c)) return c->ctx->err;
    record_pass(c->ctx, "lower", &since);
    for (size_t i = 0; i < c->plan->outs; i++) /* fetched values that an update stored */
        if (c->plan->out[i].buf == KNOBUF) {
            c->plan->out[i].buf = c->buf[c->fetch[i].node];
            c->plan->buf[c->plan->out[i].buf].pinned = true;
        }
    if (verify) WEFT_TRY(verify_steps(c->plan, "lower"));
    if (!join_pass(c)) return c->ctx->err;
    if (verify) WEFT_TRY(verify_steps(c->plan, "join"));
    record_pass(c->ctx, "join", &since);
    WEFT_TRY(memory_pass(c->plan));
    if (verify) WEFT_TRY(memory_check(c->plan));
    for (size_t i = 0; i < c->plan->steps; i++)
        c->plan->flops += c->plan->step[i].flops, c->plan->bytes += c->plan->step[i].bytes;
    record_pass(c->ctx, "memory", &since);
    WEFT_TRY(c->ctx->backend->prepare(c->plan));
    record_pass(c->ctx, "prepare", &since);
    return WEFT_OK;
}

static weft_err compile_whole(compile *c, const weft_graph *from, const uint32_t *map) {
    uint32_t *ids = mem_new(c->m, (c->g->inputs + from->inputs + c->fetches + 2 * c->updates + 1) *
                                      sizeof *ids);
    if (!ids) return compile_no_memory(c);
    uint32_t *in = ids, *out = in + from->inputs, *state = out + c->fetches,
             *value = state + c->updates;
    weft_err e = compile_bindings(c, from, map) ? WEFT_OK : c->ctx->err;
    for (size_t i = 0; !e && i < c->plan->ins; i++) in[i] = map[c->plan->in[i].id];
    for (size_t i = 0; i < c->fetches; i++) out[i] = c->fetch[i].node;
    for (size_t i = 0; i < c->updates; i++)
        state[i] = c->update[i].state, value[i] = c->update[i].node;
    graph_wiring w = {.input_node = in,
                      .fetch_node = out,
                      .update_state_node = state,
                      .update_value_node = value,
                      .updates = c->updates};
    if (!e) e = c->ctx->backend->graph(c->plan, c->g, c->live, &w);
    if (!e) e = memory_pass(c->plan);
    mem_free(c->m, ids);
    return e;
}

/* A result that is nobody's computation (a constant, another state's value) is copied, so that
 * it has memory of its own and keeps the value from before the run's updates. A fetched state or
 * input is read where it lies. */
static uint32_t compile_result(compile *c, uint32_t id, int asked) {
    int op = c->g->node[id].op;
    if (op_table[op].cls != CLASS_LEAF || op == OP_random ||
        (op == asked && (op == OP_state || op == OP_input)))
        return id;
    return owned_copy(tensor_at(c->g, id)).id;
}

static weft_err compile_all(compile *c, weft_graph *from) {
    const weft_plan_desc *d = c->desc;
    weft_updates layers = d->training ? from->layers : (weft_updates){0};
    compile_list draw = {0};
    size_t updates = d->update.n + layers.n, wants = d->fetch.n + 2 * updates;
    uint32_t *want = mem_new(c->m, (wants + 1) * sizeof *want), *map = NULL;
    weft_err e = want ? WEFT_OK : compile_no_memory(c);
    if (!e) {
        size_t k = 0;
        for (size_t i = 0; i < d->fetch.n; i++) want[k++] = d->fetch.at[i].id;
        for (size_t i = 0; i < updates; i++) {
            weft_update u = i < d->update.n ? d->update.at[i] : layers.at[i - d->update.n];
            want[k++] = u.state.id, want[k++] = u.value.id;
        }
        e = compile_left_out(c, from, want, wants);
        if (!e) e = compile_draws(c, from, want, wants, &draw);
    }
    if (!e && !(map = mem_new(c->m, from->n * sizeof *map))) e = compile_no_memory(c);
    double since = weft_phase_start(c->ctx);
    if (!e) e = rewrite_pass(c, from, want, wants, map);
    record_pass(c->ctx, "rewrite", &since);
    if (!e) {
        c->fetches = d->fetch.n;
        c->updates = updates + draw.n;
        c->fetch = mem_new(c->m, (c->fetches + 1) * sizeof *c->fetch);
        c->update = mem_new(c->m, (c->updates + 1) * sizeof *c->update);
        if (!c->fetch || !c->update) e = compile_no_memory(c);
    }
    if (!e) {
        for (size_t i = 0; i < c->fetches; i++)
            c->fetch[i].node = compile_result(c, map[want[i]], from->node[want[i]].op);
        for (size_t i = 0; i < updates; i++) {
            c->update[i].state = map[want[c->fetches + 2 * i]];
            c->update[i].node = compile_result(c, map[want[c->fetches + 2 * i + 1]], OP_NONE);
        }
        c->g->in_scope = c->g->salt = 0;
        for (size_t i = 0; i < draw.n; i++) {
            const weft_tensor run = tensor_at(c->g, map[draw.at[i]]);
            c->update[updates + i] =
                (root){.state = run.id, .node = weft_add(run, weft_integer(c->g, 1)).id};
        }
        if (!(e = c->g->err) && !compile_arrays(c)) e = c->ctx->err;
    }
    for (uint32_t i = 1; !e && i < from->n; i++)
        if (map[i] && from->node[i].op == OP_same &&
            node_attr(from, &from->node[i])[0] == SAME_STORED)
            c->fence[map[i]] = 1;
    if (!e) {
        compile_mark(c);
        for (size_t i = 0; !e && i < c->g->states; i++) {
            weft_state *s = c->g->state[i];
            if (!(e = state_draw(s)) &&
                !MEM_PUSH(c->m, c->plan->state, c->plan->states, c->plan->state_cap, s))
                e = compile_no_memory(c);
            if (!e) state_hold(s);
        }
    }
    if (!e && compile_verifies(c)) e = verify_graph(c, "rewrite");
    if (!e) e = c->ctx->backend->graph ? compile_whole(c, from, map) : compile_steps(c, from, map);
    mem_free(c->m, draw.at);
    mem_free(c->m, want);
    mem_free(c->m, map);
    return e;
}

weft_plan *weft_compile(weft_graph *g, const weft_plan_desc *d) {
    if (compile_check(g, d) != WEFT_OK) return NULL;
    weft_ctx *ctx = g->ctx;
    const double start = weft_phase_start(ctx);
    compile c = {.ctx = ctx, .m = &ctx->m, .desc = d};
    c.plan = mem_new(c.m, sizeof *c.plan);
    c.g = c.plan ? weft_graph_new(ctx) : NULL;
    if (!c.g) {
        mem_free(c.m, c.plan);
        weft_fail(ctx, WEFT_MEMORY, "compile: out of memory");
        return NULL;
    }
    c.plan->ctx = ctx;
    c.plan->m = &ctx->m;
    c.plan->memory.m = &ctx->m;
    c.plan->origin = g;
    c.plan->threads = d->watch ? 1 : d->threads > 0 ? (int)min_i64(d->threads, LIMIT_THREADS) : 0;
    weft_err e = WEFT_OK;
    if (d->watch && ctx->backend->graph)
        e = weft_fail(ctx, WEFT_UNSUPPORTED, "weft_compile: \"%s\" cannot watch a plan",
                      ctx->backend->name);
    else if (d->watch && !(c.plan->watch = arena_new(&c.plan->memory, sizeof *c.plan->watch)))
        e = weft_fail(ctx, WEFT_MEMORY, "compile: out of memory");
    c.plan->name = d->name ? arena_text(&c.plan->memory, d->name) : "";
    if (!e && !c.plan->name) e = weft_fail(ctx, WEFT_MEMORY, "compile: out of memory");
    if (!e) e = compile_all(&c, g);
    if (!e) e = record_made(c.plan);
    weft_phase_end(ctx, "compile", start);
    compile_release(&c);
    if (e) {
        weft_plan_free(c.plan);
        return NULL;
    }
    if (ctx->debug > 0) plan_debug(c.plan);
    return c.plan;
}
