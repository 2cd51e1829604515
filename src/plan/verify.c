/* verify.c - what every pass may rely on and must leave behind, checked after each of them in debug
 * and test builds, and wherever WEFT_DEBUG is set.
 *
 * Graph: operands come first and shapes agree. Views: they lie inside their bases. Clusters: each
 * computed node belongs to one, which comes after what it reads. Steps: registers, views, operands
 * and buffers exist and are large enough, a state is written once. The arena: nothing is read before
 * it is written, no two live buffers overlap. What is found is an error of ours, not the caller's;
 * it is reported with code WEFT_DEVICE. */
#include "core/limits.h"
#include "plan/passes.h"
#include <stdlib.h>

static weft_err verify_fail(weft_ctx *c, const char *pass, const char *what, uint32_t which) {
    return weft_fail(c, WEFT_DEVICE, "verify: after %s, %s (%u)", pass, what, which);
}

/* ---- the graph ---- */

static bool verify_same(const weft_graph *g, const node *a, const node *b) {
    return a->rank == b->rank &&
           !memcmp(node_dims(g, a), node_dims(g, b), a->rank * sizeof *g->dim);
}

static bool verify_fold(const weft_graph *g, const node *n, const node *x) {
    const int64_t mask = node_attr(g, n)[0];
    if (n->rank != x->rank || mask >> n->rank) return false;
    for (int d = 0; d < n->rank; d++)
        if (node_dims(g, n)[d] != (mask >> d & 1 ? 1 : node_dims(g, x)[d])) return false;
    return true;
}

static bool verify_slice(const int64_t *a, bool moving, int64_t from, int64_t to) {
    if (moving) return to <= from;
    return !to || (a[1] >= 0 && a[1] < from && a[1] + (to - 1) * a[2] >= 0 &&
                   a[1] + (to - 1) * a[2] < from);
}

static bool verify_view_node(const weft_graph *g, const node *n, const node *x) {
    const int64_t *a = node_attr(g, n), *dim = node_dims(g, n), *from = node_dims(g, x);
    if (n->op == OP_same) return verify_same(g, n, x);
    if (n->op == OP_reshape) return node_count(g, n) == node_count(g, x);
    if (n->rank != x->rank) return false;
    for (int d = 0; d < n->rank; d++) {
        const bool own = n->op != OP_slice && n->op != OP_pad ? true : d == a[0];
        const int64_t was = n->op == OP_permute ? from[a[d]] : from[d];
        bool good = dim[d] == was;
        if (n->op == OP_expand) good |= was == 1;
        if (n->op == OP_slice && own) good = verify_slice(a, n->nin == 2, was, dim[d]);
        if (n->op == OP_pad && own) good = a[1] >= 0 && a[2] >= 0 && dim[d] == was + a[1] + a[2];
        if (!good) return false;
    }
    return true;
}

static bool verify_matmul(const weft_graph *g, const node *n, const node *a, const node *b) {
    const int r = n->rank;
    const int64_t *c = node_dims(g, n), *x = node_dims(g, a), *y = node_dims(g, b);
    if (r < 2 || a->rank != r || b->rank != r) return false;
    for (int d = 0; d < r - 2; d++)
        if (c[d] != x[d] || c[d] != y[d]) return false;
    return c[r - 2] == x[r - 2] && c[r - 1] == y[r - 1] && x[r - 1] == y[r - 2];
}

static bool verify_concat(const weft_graph *g, const node *n) {
    int64_t all = 0, axis = node_attr(g, n)[0];
    if (axis < 0 || axis >= n->rank) return false;
    for (int k = 0; k < n->nin; k++) {
        const node *x = &g->node[node_in(g, n)[k]];
        if (x->rank != n->rank) return false;
        for (int d = 0; d < n->rank; d++)
            if (d != axis && node_dims(g, x)[d] != node_dims(g, n)[d]) return false;
        all += node_dims(g, x)[axis];
    }
    return all == node_dims(g, n)[axis];
}

static bool verify_shapes(const weft_graph *g, const node *n) {
    const uint32_t *in = node_in(g, n);
    const node *x = n->nin ? &g->node[in[0]] : NULL;
    switch (op_table[n->op].cls) {
    case CLASS_LEAF:
    case CLASS_BLOCK: return true;
    case CLASS_PART:
        return x->op == OP_block && node_attr(g, n)[0] >= 0 &&
               node_attr(g, n)[0] < block_table[node_attr(g, x)[0]].parts;
    case CLASS_VIEW: return verify_view_node(g, n, x);
    case CLASS_FOLD: return verify_fold(g, n, x);
    case CLASS_ROUTINE:
        if (n->op == OP_matmul) return verify_matmul(g, n, x, &g->node[in[1]]);
        if (n->op == OP_concat) return verify_concat(g, n);
        return verify_same(g, n, x);
    default: /* maps; take reads its first operand anywhere along an axis */
        for (int k = n->op == OP_take; k < n->nin; k++)
            if (!verify_same(g, n, &g->node[in[k]])) return false;
        return true;
    }
}

static weft_err verify_nodes(const compile *c, const weft_graph *g, const uint8_t *live,
                             const char *pass) {
    for (uint32_t i = 1; i < g->n; i++) {
        const node *n = &g->node[i];
        if (n->op == OP_NONE || n->op >= OP_COUNT || n->rank > WEFT_MAX_RANK ||
            n->nattr > LIMIT_ATTRS || n->nin > LIMIT_OPERANDS ||
            (op_table[n->op].operands >= 0 && n->nin != op_table[n->op].operands))
            return verify_fail(c->ctx, pass, "a node is none", i);
        if (n->in + n->nin > g->edges || n->dim + n->rank > g->dims ||
            n->attr + n->nattr > g->attrs)
            return verify_fail(c->ctx, pass, "a node lies outside the pools", i);
        for (int k = 0; k < n->nin; k++) {
            const uint32_t in = node_in(g, n)[k];
            if (!in || in >= i)
                return verify_fail(c->ctx, pass, "an operand does not come first", i);
            if (live && live[i] && !live[in])
                return verify_fail(c->ctx, pass, "an operand of a live node is not live", i);
        }
        if (!verify_shapes(g, n)) return verify_fail(c->ctx, pass, "shapes do not agree", i);
    }
    return WEFT_OK;
}

weft_err verify_graph(const compile *c, const char *pass) {
    return verify_nodes(c, c->g, c->live, pass);
}

weft_err verify_recorded(const compile *c, const char *pass) {
    return verify_nodes(c, c->from, NULL, pass);
}

/* ---- views ---- */

typedef struct verify_range {
    int64_t low, high; /* the elements that are read; none where high < low */
} verify_range;

/* Elements off + sum of index x stride over 0 <= index < dim, inside the guards. */
static verify_range verify_reach(int n, const int64_t *dim, int64_t off, const int64_t *stride,
                                 bool guard, const int64_t *lo, const int64_t *hi) {
    verify_range r = {off, off};
    for (int d = 0; d < n; d++) {
        const int64_t from = guard ? max_i64(lo[d], 0) : 0;
        const int64_t to = guard ? min_i64(hi[d], dim[d]) : dim[d];
        if (from >= to) return (verify_range){0, -1};
        const int64_t a = from * stride[d], b = (to - 1) * stride[d];
        r.low += min_i64(a, b), r.high += max_i64(a, b);
    }
    return r;
}

/* Elements from the first to the last of what lies in memory. */
static int64_t verify_span(const compile *c, uint32_t id) {
    const node *n = &c->g->node[id];
    int64_t last = 0;
    if (!c->placed[id].given) return node_count(c->g, n);
    for (int d = 0; d < n->rank; d++) last += (node_dims(c->g, n)[d] - 1) * c->placed[id].stride[d];
    return last + 1;
}

static bool verify_inside(const compile *c, const aview *v, const node *n) {
    verify_range r =
        verify_reach(n->rank, node_dims(c->g, n), v->off, v->stride, v->guard, v->lo, v->hi);
    if (r.high < r.low) return true;
    if (v->at)
        r.low += min_i64(0, v->at_max * v->at_stride),
            r.high += max_i64(0, v->at_max * v->at_stride);
    return r.low >= 0 && r.high < verify_span(c, v->base);
}

/* A value that lies inside another one's memory ends where that does, and so on. */
static bool verify_placed(const compile *c, uint32_t id) {
    const placing *at = &c->placed[id];
    if (!at->given || !at->inside) return true;
    return at->inside > id && at->off >= 0 && view_is_real(c, at->inside) &&
           c->g->node[at->inside].dtype == c->g->node[id].dtype &&
           at->off + verify_span(c, id) <= verify_span(c, at->inside);
}

weft_err verify_views(const compile *c, const char *pass) {
    for (uint32_t i = 1; i < c->n; i++) {
        const aview *v = &c->view[i];
        if (!c->live[i]) continue;
        if (!v->base || v->base > i || c->view[v->base].base != v->base || !c->live[v->base])
            return verify_fail(c->ctx, pass, "a view has no base", i);
        if (v->at && (v->at >= i || !view_is_real(c, v->at) || !c->live[v->at]))
            return verify_fail(c->ctx, pass, "a view begins nowhere", i);
        if (!verify_inside(c, v, &c->g->node[i]))
            return verify_fail(c->ctx, pass, "a view leaves its base", i);
        if (view_is_real(c, i) && !verify_placed(c, i))
            return verify_fail(c->ctx, pass, "a value leaves what it lies in", i);
        if (!c->copied[i]) continue;
        v = &c->source[i];
        if (c->view[i].base != i || !v->base || v->base >= i ||
            !verify_inside(c, v, &c->g->node[i]))
            return verify_fail(c->ctx, pass, "a copy reads outside its base", i);
    }
    return WEFT_OK;
}

/* ---- clusters ---- */

/* Is what cluster k reads from base there in time? */
static bool verify_read(const compile *c, uint32_t k, uint32_t base) {
    const int op = c->g->node[base].op;
    const uint32_t from = c->cluster_of[base];
    if (!c->copied[base] &&
        (op == OP_literal || op == OP_iota || op == OP_input || op == OP_state || op == OP_data))
        return !from;
    if (c->inlined[base]) return !from && !c->stored[base];
    if (!from || from >= c->clusters) return false;
    return from == k
               ? true
               : c->cluster[from].pos < c->cluster[k].pos && (c->stored[base] || op_is_map(op));
}

static bool verify_reads(const compile *c, uint32_t i, uint32_t k) {
    const node *n = &c->g->node[i];
    if (c->copied[i])
        return verify_read(c, k, c->source[i].base) &&
               (!c->source[i].at || verify_read(c, k, c->source[i].at));
    for (int o = 0; o < n->nin; o++) {
        const aview *v = &c->view[node_in(c->g, n)[o]];
        if (op_table[n->op].cls == CLASS_PART
                ? c->cluster_of[v->base] != k
                : !verify_read(c, k, v->base) || (v->at && !verify_read(c, k, v->at)))
            return false;
    }
    return true;
}

weft_err verify_clusters(const compile *c, const char *pass) {
    uint8_t *seen = mem_new(c->m, c->n);
    if (!seen) return weft_fail(c->ctx, WEFT_MEMORY, "verify: out of memory");
    weft_err e = WEFT_OK;
    for (uint32_t k = 1; !e && k < c->clusters; k++) {
        const cluster *o = &c->cluster[k];
        uint32_t members = 0, last = 0;
        if (o->kind == CLUSTER_GONE) continue;
        if (!o->pos || o->pos > c->pos || o->rank > KDIMS)
            e = verify_fail(c->ctx, pass, "a cluster has no place", k);
        for (uint32_t m = o->first; !e && m; last = m, m = c->next[m], members++)
            if (m >= c->n || m <= last || seen[m]++ || c->cluster_of[m] != k)
                e = verify_fail(c->ctx, pass, "a node belongs to two clusters or to none", m);
        if (!e && (members != o->nodes || last != o->last))
            e = verify_fail(c->ctx, pass, "a cluster has lost members", k);
    }
    for (uint32_t i = 1; !e && i < c->n; i++) {
        const node *n = &c->g->node[i];
        const int cls = op_table[n->op].cls;
        const uint32_t k = c->cluster_of[i];
        const bool computed = c->live[i] && view_is_real(c, i) && !c->inlined[i] &&
                              (cls != CLASS_LEAF || c->copied[i] || n->op == OP_random);
        if (!computed) {
            if (k) e = verify_fail(c->ctx, pass, "a cluster computes what is not computed", i);
            continue;
        }
        const bool part =
            cls == CLASS_PART && !c->copied[i] && k && c->cluster[k].kind == CLUSTER_ROUTINE;
        if (!k || k >= c->clusters || c->cluster[k].kind == CLUSTER_GONE || (!part && !seen[i]))
            e = verify_fail(c->ctx, pass, "a node belongs to no cluster", i);
        else if (!verify_reads(c, i, k))
            e = verify_fail(c->ctx, pass, "a node reads what is computed later or never", i);
    }
    mem_free(c->m, seen);
    return e;
}

/* ---- steps ---- */

static bool verify_buffer(const weft_plan *p, uint32_t b) {
    for (size_t steps = 0; b < p->bufs; b = p->buf[b].alias, steps++) {
        const buffer *x = &p->buf[b];
        if (x->place != BUF_ALIAS)
            return x->place != BUF_STATE ||
                   (x->state < p->states && x->entry < p->state[x->state]->n);
        if (x->alias >= p->bufs || steps > p->bufs ||
            x->alias_at + x->bytes > p->buf[x->alias].bytes)
            return false;
    }
    return false;
}

/* Joined steps go on behind the entry or alias that they begin with, up to the end of what it lies
 * in: a segment of the state, or another buffer. */
static bool verify_fits(const weft_plan *p, uint32_t b, int dtype, verify_range r) {
    uint64_t before = 0;
    if (r.high < r.low) return true;
    for (; p->buf[b].place == BUF_ALIAS; b = p->buf[b].alias) before += p->buf[b].alias_at;
    const uint64_t end = (uint64_t)(r.high + 1) * weft_dtype_size((weft_dtype)dtype);
    return r.low >= 0 && (p->buf[b].place == BUF_STATE || before + end <= p->buf[b].bytes);
}

static bool verify_kview(const weft_plan *p, const kernel *k, const kins *s) {
    const kview *v = &k->view[s->view];
    const int n = k->outer + k->reduce + k->inner;
    if (v->at != KNOBUF && !verify_buffer(p, v->at)) return false;
    if (s->op == K_INDEX || s->op == K_RANDOM) return true;
    if (!verify_buffer(p, v->buf)) return false;
    verify_range r = verify_reach(n, k->dim, v->off, v->stride, v->guard, v->lo, v->hi);
    if (v->at != KNOBUF)
        r.low += min_i64(0, v->at_max * v->at_stride),
            r.high += max_i64(0, v->at_max * v->at_stride);
    if (s->op == K_TAKE) {
        const int64_t last = ((int64_t)s->bits - 1) * s->arg2;
        if (!s->bits) return true;
        r.low += min_i64(0, last), r.high += max_i64(0, last);
    }
    for (int d = 0; d < n; d++)
        if (!k->dim[d]) return true; /* nothing runs */
    return verify_fits(p, v->buf, v->dtype, r);
}

static const char *verify_kernel(const weft_plan *p, const kernel *k) {
    const int n = k->outer + k->reduce + k->inner;
    bool stored = false;
    if (n < 1 || n > KDIMS || k->inner > 1) return "a kernel has no loop";
    for (int d = 0; d < n; d++)
        if (k->dim[d] < 0) return "a loop has a negative extent";
    for (int i = 0; i < k->nins; i++) {
        const kins *s = &k->ins[i];
        const uint16_t in[3] = {s->a, s->b, s->c};
        if (s->op >= K_FMA || kins_table[s->op].operands < 0) return "an instruction is none";
        for (int o = 0; o < kins_table[s->op].operands; o++)
            if (in[o] >= i || k->ins[in[o]].op == K_STORE) return "a register is read too early";
        if (kins_table[s->op].view && (s->view >= k->nview || !verify_kview(p, k, s)))
            return "a view leaves its buffer";
        stored |= s->op == K_STORE;
        if (stored && s->op != K_STORE) return "a store is not among the last instructions";
        if (s->op == K_STORE && s->level == KL_ELEMENT && k->inner && k->reduce)
            return "an element is stored by a kernel that folds across";
    }
    return stored ? NULL : "a kernel stores nothing";
}

static const char *verify_step(const weft_plan *p, const step *s) {
    if (s->kind >= STEP_KINDS || s->nin + s->nout > STEP_OPERANDS) return "a step is none";
    if ((s->kind == STEP_KERNEL) != (s->nin + s->nout == 0) || (s->kind == STEP_KERNEL && !s->kern))
        return "a step has no operands";
    for (int i = 0; i < s->nin + s->nout; i++) {
        const roperand *r = &s->in[i];
        if (r->buf == KNOBUF) {
            if (i < s->nin) return "an operand has no buffer";
            continue;
        }
        if (!verify_buffer(p, r->buf) || r->rank > WEFT_MAX_RANK) return "an operand is nowhere";
        const verify_range all =
            verify_reach(r->rank, r->dim, r->off, r->stride, false, NULL, NULL);
        const int dtype = s->kind == STEP_COPY ? WEFT_U8 : r->dtype; /* copies count bytes */
        if (!verify_fits(p, r->buf, dtype, all)) return "an operand leaves its buffer";
    }
    return s->kern ? verify_kernel(p, s->kern) : NULL;
}

/* Marks the state that buffer b is, if any; false: an earlier step wrote it. The parts of a concat
 * are written by one step after the other. */
static bool verify_once(const weft_plan *p, uint32_t b, uint32_t *by, uint32_t step) {
    if (b == KNOBUF || p->buf[b].place != BUF_STATE) return true;
    const bool first = !by[b] || by[b] == step || by[b] + 1 == step;
    by[b] = step;
    return first;
}

/* Is what step i hands on, part by part, taken by the step behind it, and what it takes handed on by
 * the one before? */
static bool verify_passes(const weft_plan *p, uint32_t i) {
    for (int side = 0; side < 2; side++) {
        const step *s = &p->step[i];
        const int from = side ? s->nin : 0, to = side ? s->nin + s->nout : s->nin;
        for (int k = from; k < to; k++) {
            if (s->in[k].buf == KNOBUF || !p->buf[s->in[k].buf].passing) continue;
            if (side ? i + 1 == p->steps : i == 0) return false;
            const step *o = side ? s + 1 : s - 1;
            bool found = false;
            for (int q = side ? 0 : o->nin; q < (side ? o->nin : o->nin + o->nout); q++)
                found |= o->in[q].buf == s->in[k].buf;
            if (!found) return false;
        }
    }
    return true;
}

weft_err verify_plan(const weft_plan *p, const char *pass) {
    uint32_t *by = mem_new(p->m, (p->bufs + 1) * sizeof *by);
    if (!by) return weft_fail(p->ctx, WEFT_MEMORY, "verify: out of memory");
    weft_err e = WEFT_OK;
    for (uint32_t i = 0; !e && i < p->steps; i++) {
        const step *s = &p->step[i];
        const char *what = verify_step(p, s);
        bool once = true;
        for (int k = s->nin; !what && k < s->nin + s->nout; k++)
            once = verify_once(p, s->in[k].buf, by, i + 1) && once;
        for (int k = 0; !what && s->kern && k < s->kern->nins; k++)
            if (s->kern->ins[k].op == K_STORE)
                once = verify_once(p, s->kern->view[s->kern->ins[k].view].buf, by, i + 1) && once;
        if (!what && !once) what = "a state is written by two steps";
        if (!what && !verify_passes(p, i)) what = "a result that is not kept is not taken";
        if (what) e = verify_fail(p->ctx, pass, what, i);
    }
    for (size_t i = 0; !e && i < p->ins + p->outs; i++) {
        const binding *b = i < p->ins ? &p->in[i] : &p->out[i - p->ins];
        if (!verify_buffer(p, b->buf) || p->buf[b->buf].bytes < b->bytes)
            e = verify_fail(p->ctx, pass, "an input or result has no memory", b->id);
    }
    mem_free(p->m, by);
    return e;
}

/* ---- the arena ---- */

static uint32_t verify_root(const weft_plan *p, uint32_t b) {
    while (p->buf[b].place == BUF_ALIAS) b = p->buf[b].alias;
    return b;
}

/* Has what buffer b lies in been written? Feeds are written from outside, empty buffers by no step. */
static bool verify_written(const weft_plan *p, const uint8_t *written, uint32_t b) {
    if (b == KNOBUF) return true;
    const buffer *x = &p->buf[verify_root(p, b)];
    return x->place != BUF_ARENA || x->pinned || !x->bytes || written[verify_root(p, b)];
}

static bool verify_alive(const weft_plan *p, uint32_t b, uint32_t at) {
    return b == KNOBUF || (p->buf[b].first <= at && at <= p->buf[b].last);
}

/* What a step writes before its row program, and that, in the order in which they happen. */
static const char *verify_order(const weft_plan *p, const step *s, uint32_t at, uint8_t *written) {
    for (int k = 0; k < s->nin; k++)
        if (!verify_written(p, written, s->in[k].buf)) return "an operand was never written";
    for (int k = 0; k < s->nin + s->nout; k++)
        if (!verify_alive(p, s->in[k].buf, at)) return "an operand is not alive";
    for (int k = s->nin; k < s->nin + s->nout; k++)
        if (s->in[k].buf != KNOBUF) written[verify_root(p, s->in[k].buf)] = 1;
    for (int i = 0; s->kern && i < s->kern->nins; i++) {
        const kins *x = &s->kern->ins[i];
        const kview *v = &s->kern->view[x->view];
        if (x->op != K_LOAD && x->op != K_TAKE && x->op != K_STORE) continue;
        if (!verify_alive(p, v->buf, at) || !verify_alive(p, v->at, at))
            return "a buffer is not alive";
        if (!verify_written(p, written, v->at)) return "a start was never written";
        if (x->op == K_STORE) written[verify_root(p, v->buf)] = 1;
        else if (!verify_written(p, written, v->buf))
            return "a buffer is read that was never written";
    }
    return NULL;
}

typedef struct verify_place {
    size_t offset, end;
    uint32_t buf;
} verify_place;

static int verify_by_place(const void *a, const void *b) {
    const verify_place *x = a, *y = b;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    return x->buf < y->buf ? -1 : x->buf > y->buf;
}

weft_err memory_check(const weft_plan *p) {
    verify_place *place = mem_new(p->m, (p->bufs + 1) * (sizeof *place + 1));
    if (!place) return weft_fail(p->ctx, WEFT_MEMORY, "verify: out of memory");
    uint8_t *written = (uint8_t *)(place + p->bufs + 1);
    weft_err e = WEFT_OK;
    size_t n = 0;
    for (uint32_t i = 0; !e && i < p->steps; i++) {
        const char *what = verify_order(p, &p->step[i], i, written);
        if (what) e = verify_fail(p->ctx, "memory", what, i);
    }
    for (uint32_t b = 0; b < p->bufs; b++) {
        const buffer *x = &p->buf[b];
        if (x->place != BUF_ARENA || x->first == UINT32_MAX || !x->bytes || x->passing) continue;
        if (!e && x->offset + x->bytes > p->arena_bytes)
            e = verify_fail(p->ctx, "memory", "a buffer leaves the arena", b);
        place[n++] = (verify_place){x->offset, x->offset + x->bytes, b};
    }
    qsort(place, n, sizeof *place, verify_by_place);
    for (size_t i = 0; !e && i < n; i++)
        for (size_t k = i + 1; !e && k < n && place[k].offset < place[i].end; k++) {
            const buffer *x = &p->buf[place[i].buf], *y = &p->buf[place[k].buf];
            if (x->first <= y->last && y->first <= x->last)
                e = verify_fail(p->ctx, "memory", "two live buffers overlap", place[k].buf);
        }
    mem_free(p->m, place);
    return e;
}

weft_err verify_steps(const compile *c, const char *pass) {
    return verify_plan(c->plan, pass);
}

weft_err verify_memory(const compile *c, const char *pass) {
    (void)pass; /* the message names the steps */
    return memory_check(c->plan);
}
