/* lower.c - clusters into steps: kernels, routine calls, and the buffers between them.
 *
 * Stores come last in a kernel, so it may write where it has read. Updates are written straight
 * into the state where in_place.c allows it, and copied at the end of the run otherwise.
 *
 * Reads: all that earlier passes made. Makes: the plan's steps and buffers; part, buf. */
#include "plan/lower.h"
#include "core/limits.h"
#include <assert.h>

/* ---- buffers ---- */

static uint32_t lower_new_buffer(compile *c, buffer b) {
    weft_plan *p = c->plan;
    if (!MEM_PUSH(p->m, p->buf, p->bufs, p->buf_cap, b)) {
        c->starved = true;
        return KNOBUF;
    }
    return (uint32_t)p->bufs - 1;
}

/* Node id lies among the elements of another. */
static void lower_inside(compile *c, uint32_t id, buffer *b) {
    const placing *at = &c->placed[id];
    const node *n = &c->g->node[id];
    const size_t size = weft_dtype_size((weft_dtype)n->dtype);
    int64_t last = 0;
    for (int d = 0; d < n->rank; d++) last += (node_dims(c->g, n)[d] - 1) * at->stride[d];
    assert(at->inside > id && last >= 0 && node_count(c->g, n) > 0);
    b->place = BUF_ALIAS;
    b->alias = lower_buffer(c, at->inside);
    b->alias_at = (size_t)at->off * size;
    b->bytes = (size_t)(last + 1) * size;
}

uint32_t lower_buffer(compile *c, uint32_t id) {
    if (c->buf[id] != KNOBUF) return c->buf[id];
    const node *n = &c->g->node[id];
    const bool own = c->copied && c->copied[id]; /* where graphs are evaluated there are no views */
    buffer b = {.place = BUF_ARENA,
                .dtype = n->dtype,
                .alias = KNOBUF,
                .bytes = (size_t)node_count(c->g, n) * weft_dtype_size((weft_dtype)n->dtype)};
    if (c->placed && c->placed[id].inside) {
        lower_inside(c, id, &b);
        if (b.alias == KNOBUF) return KNOBUF;
    } else if (n->op == OP_state && !own) {
        b.place = BUF_STATE;
        b.state = (uint32_t)node_attr(c->g, n)[0];
        b.entry = (uint32_t)node_attr(c->g, n)[1];
    } else if (n->op == OP_data && !own) {
        b.place = BUF_DATA;
        void *copy = arena_new(&c->plan->memory, b.bytes + 64);
        if (!copy) {
            c->starved = true;
            return KNOBUF;
        }
        memcpy(copy, (const void *)(intptr_t)node_attr(c->g, n)[0], b.bytes);
        b.data = copy;
    } else if (n->op == OP_input) b.pinned = true;
    return c->buf[id] = lower_new_buffer(c, b);
}

/* ---- steps ---- */

static uint32_t lower_scope(compile *c, uint32_t id) {
    weft_plan *p = c->plan;
    char buf[LIMIT_SCOPE_LENGTH + 1];
    node_scope(c->g, &c->g->node[id], buf, sizeof buf, '/');
    uint32_t at = (uint32_t)p->texts;
    for (const char *s = buf;; s++) {
        if (!MEM_PUSH(p->m, p->text, p->texts, p->text_cap, *s)) {
            c->starved = true;
            return 0;
        }
        if (!*s) return at;
    }
}

static step *lower_step(compile *c, step_kind kind, uint32_t id) {
    weft_plan *p = c->plan;
    step s = {.kind = (uint8_t)kind, .scope = lower_scope(c, id)};
    if (!MEM_PUSH(p->m, p->step, p->steps, p->step_cap, s)) {
        c->starved = true;
        return NULL;
    }
    return &p->step[p->steps - 1];
}

roperand lower_described(const compile *c, uint32_t id) {
    const node *n = &c->g->node[id];
    const aview *v = &c->view[id];
    roperand r = {.buf = KNOBUF, .dtype = n->dtype, .rank = n->rank, .off = v->off};
    memcpy(r.dim, node_dims(c->g, n), n->rank * sizeof *r.dim);
    memcpy(r.stride, v->stride, n->rank * sizeof *r.stride);
    return r;
}

void lower_describe(const compile *c, const node *n, step *s) {
    const int first = n->op == OP_block;
    assert(n->nin < STEP_OPERANDS && n->nattr - first <= STEP_ATTRS);
    *s = (step){.kind = (uint8_t)lower_kind(n), .nin = (uint8_t)n->nin};
    if (first) s->block = (uint8_t)node_attr(c->g, n)[0];
    if (n->nattr)
        memcpy(s->attr, node_attr(c->g, n) + first, (size_t)(n->nattr - first) * sizeof *s->attr);
    for (int i = 0; i < n->nin; i++) s->in[i] = lower_described(c, node_in(c->g, n)[i]);
}

static void lower_roperand(compile *c, roperand *r, uint32_t id) {
    *r = lower_described(c, id);
    r->buf = lower_buffer(c, c->view[id].base);
}

step_kind lower_kind(const node *n) {
    static const uint8_t kind[OP_COUNT] = {
#define OP_ROUTINE(name, operands, step, ...) [OP_##name] = step,
#include "core/ops.def"
        [OP_block] = STEP_BLOCK,
    };
    assert(kind[n->op] != STEP_KERNEL);
    return (step_kind)kind[n->op];
}

static bool lower_code(lower *l) {
    compile *c = l->c;
    for (uint32_t m = l->k->first; m; m = c->next[m]) l->reg[m] = LOWER_NONE;
    for (uint32_t m = l->k->first; m; m = c->next[m]) lower_member(l, m);
    for (uint32_t m = l->k->first; m; m = c->next[m])
        if (c->stored[m]) lower_store(l, m);
    return !l->failed;
}

static bool lower_kernel(lower *l) {
    compile *c = l->c;
    bool stored = false;
    for (uint32_t m = l->k->first; m && !stored; m = c->next[m]) stored = c->stored[m];
    if (!stored) return true; /* whoever reads a member computes it again */
    if (!lower_code(l)) return false;
    step *s = lower_step(c, STEP_KERNEL, l->k->first);
    if (!s) return false;
    kernel *k = lower_finish(l, true);
    s->kern = k;
    if (k) cost_step(s);
    return k != NULL;
}

/* The step of a matmul, a routine or a block, with its operands and attributes. */
static step *lower_call(lower *l, uint32_t id) {
    compile *c = l->c;
    const node *n = &c->g->node[id];
    step *s = lower_step(c, lower_kind(n), id);
    if (!s) return NULL;
    const uint32_t scope = s->scope;
    lower_describe(c, n, s);
    s->scope = scope;
    for (int i = 0; i < n->nin; i++) lower_roperand(c, &s->in[i], node_in(c->g, n)[i]);
    return s;
}

/* The raw product lies where result m of its epilogue will, if that has room for it and its strides
 * are for the device. A state's memory may still be read by the epilogue. */
static void lower_under(compile *c, uint32_t product, uint32_t m) {
    const node *n = &c->g->node[m], *p = &c->g->node[product];
    fitted f;
    if (n->dtype != WEFT_F32) return;
    if (c->placed[m].given &&
        (!view_fit(&c->view[m], n->rank, node_dims(c->g, n), p->rank, node_dims(c->g, p), &f) ||
         !place_accepted(c, product, f.stride)))
        return;
    const uint32_t b = lower_buffer(c, m);
    if (b == KNOBUF || c->plan->buf[b].place == BUF_STATE) return;
    if (c->placed[m].given) memcpy(c->view[product].stride, f.stride, p->rank * sizeof *f.stride);
    else view_identity(&c->view[product], product, p->rank, node_dims(c->g, p));
    c->buf[product] = b;
}

static bool lower_product(lower *l) {
    compile *c = l->c;
    uint32_t product = fuse_product(c, l->k), then = 0;
    for (uint32_t m = c->next[product]; m; m = c->next[m]) /* others may compute it again instead */
        if (c->stored[m]) then = c->next[product];
    if (then && !c->stored[product])
        for (uint32_t m = then; m; m = c->next[m])
            if (c->stored[m]) lower_under(c, product, m);
    if (!then) c->stored[product] = STORED_HARD;
    step *s = lower_call(l, l->k->first);
    if (!s) return false;
    lower_roperand(c, &s->in[s->nin + s->nout++], product);
    if (then) {
        const node *n = &c->g->node[product];
        for (uint32_t m = product; m; m = c->next[m]) l->reg[m] = LOWER_NONE;
        l->reg[product] = lower_load(l, &c->view[product], n->rank, node_dims(c->g, n), false);
        for (uint32_t m = then; m; m = c->next[m]) lower_member(l, m);
        for (uint32_t m = then; m; m = c->next[m])
            if (c->stored[m]) lower_store(l, m);
        if (l->failed || !(s->kern = lower_finish(l, false))) return false;
    }
    cost_step(s);
    return true;
}

static bool lower_routine(lower *l) {
    compile *c = l->c;
    uint32_t id = l->k->first;
    step *s = lower_call(l, id);
    if (!s) return false;
    bool block = c->g->node[id].op == OP_block;
    if (!block) lower_roperand(c, &s->in[s->nin + s->nout++], id);
    for (int part = 0; block && part < block_table[s->block].parts; part++) {
        uint32_t found = c->part[id];
        while (found && node_attr(c->g, &c->g->node[found])[0] != part) found = c->part[found];
        roperand *out = &s->in[s->nin + s->nout++];
        if (found) lower_roperand(c, out, found);
        else *out = (roperand){.buf = KNOBUF}; /* this result was not recorded */
    }
    cost_step(s);
    return true;
}

/* A step for each part that is not written in its place already. */
static bool lower_concat(lower *l) {
    compile *c = l->c;
    uint32_t id = l->k->first;
    node n = c->g->node[id];
    int axis = (int)node_attr(c->g, &n)[0];
    aview own = c->view[id];
    for (int i = 0; i < n.nin; i++) {
        uint32_t in = node_in(c->g, &n)[i];
        const node *part = &c->g->node[in];
        const int64_t *dim = node_dims(c->g, part);
        l->k->rank = part->rank;
        memcpy(l->k->dim, dim, part->rank * sizeof *dim);
        lower_start(l, l->ki);
        l->reg[id] = LOWER_NONE;
        const placing *at = &c->placed[c->view[in].base];
        const bool there = at->inside == id && at->operand == (uint32_t)i;
        assert(!there || c->stored[c->view[in].base]);
        if (node_count(c->g, part) && !there) {
            uint16_t value = lower_load(l, &c->view[in], part->rank, dim, false);
            kview view;
            if (!lower_fit(l, &own, part->rank, dim, false, &view)) return false;
            view.buf = lower_buffer(c, id);
            view.dtype = n.dtype;
            lower_emit(l, (kins){.op = K_STORE,
                                 .type = (uint8_t)lower_type(n.dtype),
                                 .a = value,
                                 .view = lower_view(l, &view)});
            step *s = lower_step(c, STEP_KERNEL, id);
            if (!s || l->failed || !(s->kern = lower_finish(l, true))) return false;
            cost_step(s);
        }
        own.off += dim[axis] * own.stride[axis];
    }
    return lower_buffer(c, id) != KNOBUF;
}

static bool lower_copies(compile *c) {
    for (size_t i = 0; i < c->updates; i++) {
        const root *u = &c->update[i];
        uint32_t to = lower_buffer(c, u->state), from = lower_buffer(c, u->node);
        if (to == KNOBUF || from == KNOBUF) return false;
        if (to == from) continue;
        step *s = lower_step(c, STEP_COPY, u->node);
        if (!s) return false;
        s->nin = s->nout = 1;
        s->in[0] = (roperand){.buf = from,
                              .dtype = c->plan->buf[from].dtype,
                              .rank = 1,
                              .dim = {(int64_t)c->plan->buf[from].bytes},
                              .stride = {1}};
        s->in[1] = s->in[0];
        s->in[1].buf = to;
        s->bytes = 2 * (double)c->plan->buf[from].bytes;
    }
    return true;
}

static bool lower_cluster(lower *l, uint32_t ki) {
    lower_start(l, ki);
    switch (l->k->kind) {
    case CLUSTER_KERNEL: return lower_kernel(l);
    case CLUSTER_PRODUCT: return lower_product(l);
    case CLUSTER_CONCAT: return lower_concat(l);
    default: return lower_routine(l);
    }
}

/* Chains the parts of each block. */
static void lower_parts(compile *c) {
    for (uint32_t i = 1; i < c->n; i++) {
        if (c->g->node[i].op != OP_part) continue;
        uint32_t *first = &c->part[node_in(c->g, &c->g->node[i])[0]];
        c->part[i] = *first, *first = i;
    }
}

/* All clusters, in order of execution. */
static weft_err lower_clusters(lower *l, uint32_t *order) {
    compile *c = l->c;
    for (uint32_t k = 1; k < c->clusters; k++)
        if (c->cluster[k].kind != CLUSTER_GONE) {
            assert(c->cluster[k].pos <= c->pos && !order[c->cluster[k].pos]);
            order[c->cluster[k].pos] = k;
        }
    for (uint32_t p = 1; p <= c->pos; p++) {
        if (!order[p] || (lower_cluster(l, order[p]) && !l->failed && !c->starved)) continue;
        return c->starved
                   ? compile_no_memory(c)
                   : weft_fail(c->ctx, WEFT_UNSUPPORTED, "compile: a kernel of %u nodes has %s",
                               l->k->nodes, l->failed ? l->failed : "no form");
    }
    return lower_copies(c) ? WEFT_OK : compile_no_memory(c);
}

weft_err lower_pass(compile *c) {
    lower l = {.c = c};
    uint32_t *order = mem_new(c->m, (c->clusters + c->pos + 2) * sizeof *order);
    c->part = arena_new(&c->memory, c->n * sizeof *c->part);
    l.reg = mem_new(c->m, c->n * sizeof *l.reg);
    l.again = mem_new(c->m, c->n * sizeof *l.again);
    const bool room = order && c->part && l.reg && l.again;
    if (room) lower_parts(c);
    const weft_err e = room ? lower_clusters(&l, order) : compile_no_memory(c);
    if (!e) bind_results(c);
    mem_free(c->m, order);
    mem_free(c->m, l.reg);
    mem_free(c->m, l.again);
    mem_free(c->m, l.ins);
    mem_free(c->m, l.view);
    return e;
}
