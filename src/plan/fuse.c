/* fuse.c - nodes into clusters: what one step computes.
 *
 * Nodes are taken in order. Each joins the cluster of an operand (or one that reads the same
 * operand) if it runs over the same loop space, or opens a new one. Three rules keep this sound and
 * simple:
 *   - a member reads another member only at its own element, or, a folded one, at its own row;
 *   - everything else it reads is computed by clusters that come earlier in the order of execution;
 *     a cluster without outside readers yet may still be moved to the end of that order, or
 *     absorbed by the only one that reads it;
 *   - a matmul, and a block the device can do that for, takes maps over its own shape as an
 *     epilogue; other routines have none.
 * Which cluster may take a node is in fuse_fit.c. That alone makes softmax, layer norm and cross entropy single kernels with their gradients.
 *
 * Reads: live, view, source, copied, inlined, fence, stored. Makes: clusters, cluster_of, next, product;
 * stored, for what other clusters read. */
#include "plan/fuse.h"
#include <assert.h>

/* A parameter, its gradient or its companion: steps over them become one loop if they stay alike. */
static bool fuse_is_parameter(const compile *c, uint32_t id) {
    const node *n = &c->g->node[id];
    if (n->op != OP_state) return c->fence[id];
    const state_entry *e = c->g->state[node_attr(c->g, n)[0]]->entry;
    size_t i = (size_t)node_attr(c->g, n)[1];
    return e[i].trained || e[i].like != i;
}

/* ---- clusters ---- */

static weft_err fuse_open(compile *c, uint32_t id, int kind) {
    assert(id < c->n);
    const node *n = &c->g->node[id];
    const bool fold = kind == CLUSTER_KERNEL && fuse_is_fold(c, id);
    const node *shape = fold ? &c->g->node[node_in(c->g, n)[0]] : n;
    cluster k = {.kind = (uint8_t)kind,
                 .pos = ++c->pos,
                 .rank = shape->rank,
                 .nodes = 1,
                 .first = id,
                 .last = id,
                 .loads = n->nin,
                 .views = n->nin,
                 .folds = fold};
    memcpy(k.dim, node_dims(c->g, shape), shape->rank * sizeof *k.dim);
    for (int i = 0; fold && i < k.rank; i++) k.red[i] = node_attr(c->g, n)[0] >> i & 1;
    if (!MEM_PUSH(c->m, c->cluster, c->clusters, c->cluster_cap, k)) return compile_no_memory(c);
    c->cluster_of[id] = (uint32_t)c->clusters - 1;
    return WEFT_OK;
}

uint32_t fuse_product(const compile *c, const cluster *k) {
    assert(k->kind == CLUSTER_PRODUCT);
    return c->g->node[k->first].op == OP_block ? c->next[k->first] : k->first;
}

/* Does the device do maps over the result of node n in the same step? */
static bool fuse_takes_maps(const compile *c, const node *n) {
    const weft_backend *b = c->ctx->backend;
    step s = {.kind = n->op == OP_matmul ? STEP_MATMUL : STEP_BLOCK};
    if ((n->op != OP_block && n->op != OP_matmul) || !b->takes_maps) return false;
    if (n->op == OP_block) {
        s.block = (uint8_t)node_attr(c->g, n)[0];
        if (block_table[s.block].parts != 1) return false;
    }
    return b->takes_maps(&s);
}

/* A block's part lies in memory, unless it is a product's: that is the first of its members. */
static void fuse_part(compile *c, uint32_t id) {
    assert(c->g->node[id].op == OP_part && c->cluster_of[node_in(c->g, &c->g->node[id])[0]]);
    const node *n = &c->g->node[id];
    uint32_t ki = c->cluster_of[node_in(c->g, n)[0]];
    cluster *k = &c->cluster[ki];
    c->cluster_of[id] = ki;
    if (k->kind != CLUSTER_PRODUCT) {
        c->stored[id] = STORED_HARD;
        return;
    }
    k->rank = n->rank;
    memcpy(k->dim, node_dims(c->g, n), n->rank * sizeof *k->dim);
    k->nodes++;
    c->next[k->last] = id;
    k->last = id;
}

/* The clusters among `of` that might take a node, latest first, behind the n that were found before. */
static int fuse_candidates(const fuse *f, const fuse_in *in, int reads, bool by_readers, bool many,
                           uint32_t *tried, int n) {
    assert(reads <= FUSE_INPUTS && n <= FUSE_INPUTS);
    const compile *c = f->c;
    const int first = n;
    for (int i = 0; i < reads; i++) {
        const uint32_t base = in[i].v->base, k = by_readers ? f->reader[base] : c->cluster_of[base];
        bool seen = k == 0 || fuse_is_virtual(c, base) ||
                    (by_readers && (c->cluster[k].kind != CLUSTER_KERNEL ||
                                    (many && node_count(c->g, &c->g->node[base]) == 1)));
        for (int t = 0; t < n && !seen; t++) seen = tried[t] == k;
        if (!seen) tried[n++] = k;
    }
    for (int a = first + 1; a < n; a++)
        for (int b = a; b > first && c->cluster[tried[b]].pos > c->cluster[tried[b - 1]].pos; b--) {
            const uint32_t swap = tried[b];
            tried[b] = tried[b - 1], tried[b - 1] = swap;
        }
    return n;
}

/* Makes the node a member of a cluster that was there before: those of its operands are tried, then
 * those that read the same. A number that is the same for all elements ties nothing together. */
static bool fuse_place(fuse *f, uint32_t id, const fuse_in *in, int reads) {
    const compile *c = f->c;
    uint32_t tried[2 * FUSE_INPUTS + 1];
    const bool many = node_count(c->g, &c->g->node[id]) > 1, fold = fuse_is_fold(c, id);
    int n = fuse_candidates(f, in, reads, false, many, tried, 0);
    n = fuse_candidates(f, in, reads, true, many, tried, n);
    /* folds across the same columns (gradients of a norm's weight and bias) need not share what
     * they read */
    if (fold && f->across) tried[n++] = f->across;
    bool number = !fold && !many; /* nor need single numbers, but for a parameter's step */
    for (int i = 0; i < reads && number; i++) number = !fuse_is_parameter(c, in[i].v->base);
    if (number && f->numbers) tried[n++] = f->numbers;
    assert(n <= 2 * FUSE_INPUTS + 1); /* a fold and a number are not the same node */
    for (int t = 0; t < n; t++)
        if (fuse_try(f, tried[t], id, in, reads)) return true;
    return false;
}

/* Is base read by `in` element for element, over the same axes? Then its reader could compute it
 * again. */
static bool fuse_whole(const compile *c, const fuse_in *in) {
    assert(in->rank <= WEFT_MAX_RANK);
    const node *base = &c->g->node[in->v->base];
    int64_t stride = 1;
    if (!view_plain(in->v) || in->v->off ||
        !view_same_axes(in->rank, in->dim, base->rank, node_dims(c->g, base)))
        return false;
    for (int d = in->rank - 1; d >= 0; d--) {
        if (in->dim[d] != 1 && in->v->stride[d] != stride) return false;
        stride *= in->dim[d];
    }
    return true;
}

/* An epilogue's loop is its product's own, which a value's operands must then fit: one such
 * reader is remembered. */
static bool fuse_soft(compile *c, uint32_t ki, const fuse_in *in) {
    uint32_t base = in->v->base;
    if (c->cluster_of[base] == ki) return true;
    if (!fuse_whole(c, in)) return false;
    if (c->cluster[ki].kind != CLUSTER_PRODUCT || c->product[base] == ki) return true;
    if (c->product[base]) return false;
    c->product[base] = ki;
    return true;
}

/* Cluster `from`, which only node id of cluster `to` reads, becomes part of `to`: a * b + c * d
 * over four inputs is one kernel, though its products share nothing. */
static void fuse_absorb(fuse *f, uint32_t to, uint32_t from, const fuse_in *in, int reads) {
    assert(to != from && from < f->c->clusters);
    compile *c = f->c;
    cluster k = c->cluster[to], o = c->cluster[from];
    if (o.kind != CLUSTER_KERNEL || k.kind != CLUSTER_KERNEL || o.frozen || o.folds ||
        cluster_across(&k) || o.pos >= k.pos)
        return;
    if (cluster_count(&k, false) != cluster_count(&o, false) ||
        k.nodes + o.nodes > f->t->kernel_nodes || k.loads + o.loads > f->t->kernel_loads ||
        k.views + o.views > f->t->kernel_views)
        return;
    if (!cluster_refine(&k, o.rank, o.dim, false) || !fuse_still_fits(c, &k, to)) return;
    cluster both = k;
    both.first = o.first;
    if (!fuse_still_fits(c, &both, from)) return;
    for (int i = 0; i < reads; i++)
        if ((in[i].v->at && c->cluster_of[in[i].v->at] == from) ||
            (c->cluster_of[in[i].v->base] == from &&
             (in[i].memory || c->fence[in[i].v->base] ||
              !cluster_aligned(c, &k, in[i].v, in[i].rank, in[i].dim, false, false))))
            return;
    uint32_t a = k.first, b = o.first, last = 0; /* members stay in order: operands before users */
    while (a || b) {
        uint32_t *take = !b || (a && a < b) ? &a : &b, m = *take;
        *take = c->next[m];
        if (last) c->next[last] = m;
        else k.first = m;
        last = m;
        c->cluster_of[m] = to;
    }
    c->next[last] = 0;
    k.last = last;
    k.nodes = (uint16_t)(k.nodes + o.nodes), k.loads = (uint16_t)(k.loads + o.loads);
    k.views = (uint16_t)(k.views + o.views);
    c->cluster[to] = k;
    c->cluster[from] = (cluster){.kind = CLUSTER_GONE};
}

/* Node id reads base, which must be in memory if another cluster computes it. */
static void fuse_note(fuse *f, uint32_t id, uint32_t base, bool soft) {
    assert(base && base < f->c->n && f->c->cluster_of[id]);
    compile *c = f->c;
    uint32_t k = c->cluster_of[id], from = c->cluster_of[base];
    f->reader[base] = k;
    if (f->readers[base]) f->readers[base]--;
    if (from && from != k) {
        if (!soft || !c->stored[base]) c->stored[base] = soft ? STORED_SOFT : STORED_HARD;
        c->cluster[from].frozen = true;
    }
}

/* ---- all nodes ---- */

static int fuse_kind(const compile *c, uint32_t id) {
    const node *n = &c->g->node[id];
    if (c->copied[id]) return CLUSTER_KERNEL;
    if (fuse_takes_maps(c, n)) return CLUSTER_PRODUCT;
    if (n->op == OP_concat) return CLUSTER_CONCAT;
    const int cls = op_table[n->op].cls;
    return cls == CLASS_ROUTINE || cls == CLASS_BLOCK ? CLUSTER_ROUTINE : CLUSTER_KERNEL;
}

/* A concat reads any number of parts, all of them from memory. */
static void fuse_note_concat(fuse *f, uint32_t id) {
    assert(f->c->g->node[id].op == OP_concat);
    compile *c = f->c;
    const node *n = &c->g->node[id];
    for (int k = 0; k < n->nin; k++) {
        const aview *v = &c->view[node_in(c->g, n)[k]];
        fuse_note(f, id, v->base, false);
        if (v->at) fuse_note(f, id, v->at, false);
        if (!fuse_is_virtual(c, v->base)) c->stored[v->base] = STORED_HARD;
    }
}

static void fuse_note_reads(fuse *f, uint32_t id, int kind, const fuse_in *in, int reads) {
    assert(reads <= FUSE_INPUTS);
    compile *c = f->c;
    for (int k = 0; k < reads; k++) {
        const aview *v = in[k].v;
        /* routines and indexed loads read memory, even what lies in their own cluster */
        const bool memory = kind != CLUSTER_KERNEL || in[k].memory;
        fuse_note(f, id, v->base, f->fusing && !memory && fuse_soft(c, c->cluster_of[id], &in[k]));
        if (v->at) fuse_note(f, id, v->at, false);
        if (memory && !fuse_is_virtual(c, v->base)) c->stored[v->base] = STORED_HARD;
    }
}

/* Finds a cluster for node id, or opens one. */
static weft_err fuse_node(fuse *f, uint32_t id) {
    assert(f->c->live[id]);
    compile *c = f->c;
    const node *n = &c->g->node[id];
    const int kind = fuse_kind(c, id);
    fuse_in in[FUSE_INPUTS];
    const int reads = kind == CLUSTER_CONCAT ? 0 : fuse_gather(c, id, in, 0);
    if (kind != CLUSTER_KERNEL || !f->fusing || !fuse_place(f, id, in, reads))
        WEFT_TRY(fuse_open(c, id, kind));
    const uint32_t ki = c->cluster_of[id];
    if (cluster_across(&c->cluster[ki])) f->across = ki;
    if (kind == CLUSTER_KERNEL && !c->cluster[ki].folds && node_count(c->g, n) == 1)
        f->numbers = ki;
    if (kind == CLUSTER_ROUTINE || kind == CLUSTER_CONCAT)
        c->stored[id] = n->op != OP_block ? STORED_HARD : 0;
    if (kind == CLUSTER_CONCAT) fuse_note_concat(f, id);
    for (int k = 0; f->fusing && kind == CLUSTER_KERNEL && k < reads; k++) {
        const uint32_t from = c->cluster_of[in[k].v->base];
        if (from && from != ki) fuse_absorb(f, ki, from, in, reads);
    }
    fuse_note_reads(f, id, kind, in, reads);
    return WEFT_OK;
}

/* Counts readers, and notes what folds read. */
static void fuse_count(fuse *f) {
    const compile *c = f->c;
    fuse_in in[FUSE_INPUTS];
    for (uint32_t i = 1; i < c->n; i++) {
        const node *n = &c->g->node[i];
        if (!c->live[i]) continue;
        if (op_table[n->op].cls == CLASS_FOLD) f->folded[c->view[node_in(c->g, n)[0]].base] = 1;
        if (!view_is_real(c, i) || c->inlined[i]) continue;
        const bool concat = n->op == OP_concat && !c->copied[i];
        for (int k = 0; k < n->nin && concat; k++) f->readers[c->view[node_in(c->g, n)[k]].base]++;
        for (int k = 0, reads = concat ? 0 : fuse_gather(c, i, in, 0); k < reads; k++)
            f->readers[in[k].v->base]++;
    }
}

static weft_err fuse_nodes(fuse *f) {
    compile *c = f->c;
    WEFT_TRY(fuse_open(c, 0, CLUSTER_KERNEL)); /* number 0: none */
    c->cluster_of[0] = 0;
    fuse_count(f);
    for (uint32_t i = 1; i < c->n; i++) {
        if (!c->live[i] || !view_is_real(c, i) || c->inlined[i] || fuse_is_virtual(c, i) ||
            fuse_is_leaf(c, i))
            continue;
        if (c->g->node[i].op == OP_part && !c->copied[i]) fuse_part(c, i);
        else WEFT_TRY(fuse_node(f, i));
    }
    return WEFT_OK;
}

bool fuse_widens(const compile *c, uint32_t id) {
    const node *n = &c->g->node[id];
    if (n->op != OP_cast || n->dtype != WEFT_F32 || c->copied[id]) return false;
    const uint8_t from = c->g->node[node_in(c->g, n)[0]].dtype;
    return from == WEFT_BF16 || from == WEFT_F16;
}

weft_err fuse_pass(compile *c) {
    c->cluster_of = arena_new(&c->memory, c->n * sizeof *c->cluster_of);
    c->next = arena_new(&c->memory, c->n * sizeof *c->next);
    c->product = arena_new(&c->memory, c->n * sizeof *c->product);
    if (!c->cluster_of || !c->next || !c->product) return compile_no_memory(c);
    fuse f = {.c = c,
              .t = c->ctx->traits,
              .fusing = compile_fuses(c),
              .readers = mem_new(c->m, c->n * sizeof *f.readers),
              .reader = mem_new(c->m, c->n * sizeof *f.reader),
              .folded = mem_new(c->m, c->n)};
    const bool room = f.readers && f.reader && f.folded;
    const weft_err e = room ? fuse_nodes(&f) : compile_no_memory(c);
    mem_free(c->m, f.readers);
    mem_free(c->m, f.reader);
    mem_free(c->m, f.folded);
    return e;
}
