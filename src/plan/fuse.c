/* fuse.c - nodes into clusters: what one step computes.
 *
 * Nodes are taken in order. Each joins the cluster of an operand (or one that reads the same
 * operand) if it runs over the same loop space, or opens a new one. Three rules keep this sound and
 * simple:
 *   - a member reads another member only at its own element, or, a folded one, at its own row;
 *   - everything else it reads is computed by clusters that come earlier in the order of execution;
 *     a cluster that nobody outside reads yet may still be moved to the end of that order, or
 *     absorbed by the only one that reads it;
 *   - a matmul, and a block the device can do that for, takes maps over its own shape as an
 *     epilogue; other routines take nobody.
 * That alone makes softmax, layer norm and cross entropy single kernels with their gradients. */
#include "plan/passes.h"
#include <assert.h>

/* Nodes, bases and views of one kernel: beyond them a tile's values leave the first cache. A node
 * that is computed by each of its readers brings at most FUSE_INLINED operands to each. */
enum { FUSE_NODES = 60, FUSE_LOADS = 20, FUSE_VIEWS = 64, FUSE_INLINED = 4 };

typedef enum fuse_how { FUSE_ELEMENT, FUSE_ROW, FUSE_FOLD } fuse_how;

static bool fuse_is_virtual(const compile *c, uint32_t id) { /* needs neither step nor memory */
    int op = c->g->node[id].op;
    return op == OP_literal || op == OP_iota;
}

static bool fuse_is_leaf(const compile *c, uint32_t id) {
    int op = c->g->node[id].op;
    return op == OP_input || op == OP_state || op == OP_data;
}

/* A parameter, its gradient or its companion: steps over them become one loop if they stay alike. */
static bool fuse_is_parameter(const compile *c, uint32_t id) {
    const node *n = &c->g->node[id];
    if (n->op != OP_state) return c->fence[id];
    const state_entry *e = c->g->state[node_attr(c->g, n)[0]]->entry;
    size_t i = (size_t)node_attr(c->g, n)[1];
    return e[i].trained || e[i].like != i;
}

/* ---- loop spaces ---- */

/* Cut `dim` finer until it also has the boundaries of `by`, over the dimensions that are `kept`. */
static bool fuse_refine(cluster *k, int rank, const int64_t *by, bool rows_only) {
    cluster r = *k;
    r.rank = 0;
    int64_t out[KDIMS];
    bool red[KDIMS];
    int d = rank - 1;
    int64_t left = d >= 0 ? by[d] : 1;
    for (int i = k->rank - 1; i >= 0; i--) {
        int64_t need = k->dim[i];
        if (need <= 1 || (rows_only && k->red[i])) {
            if (r.rank == KDIMS) return false;
            out[r.rank] = need, red[r.rank++] = k->red[i];
            continue;
        }
        while (need > 1) {
            while (left == 1) {
                if (--d < 0) return false;
                left = by[d];
            }
            int64_t piece = left < need ? left : need;
            if (piece == 0 || left % piece || need % piece || r.rank == KDIMS) return false;
            out[r.rank] = piece, red[r.rank++] = k->red[i];
            need /= piece, left /= piece;
        }
    }
    while (d > 0 && left == 1) left = by[--d];
    if (left != 1) return false;
    for (int i = 0; i < r.rank; i++) r.dim[i] = out[r.rank - 1 - i], r.red[i] = red[r.rank - 1 - i];
    *k = r;
    return true;
}

static int64_t fuse_count(const cluster *k, bool rows) {
    int64_t count = 1;
    for (int i = 0; i < k->rank; i++)
        if (!rows || !k->red[i]) count *= k->dim[i];
    return count;
}

static bool fuse_across(const cluster *k) { /* is the last dimension not folded? */
    if (!k->folds) return false;
    for (int i = k->rank - 1; i >= 0; i--)
        if (k->dim[i] != 1) return !k->red[i];
    return false;
}

/* Does `v`, over axes `dim` in the space of k, read its base at the loop's own element (or own
 * row)? */
static bool fuse_aligned(const cluster *k, const aview *v, int rank, const int64_t *dim,
                         bool reader_rows, bool base_rows) {
    if (!view_plain(v) || v->off) return false;
    int64_t loop[KDIMS] = {0};
    int n = 0;
    for (int i = 0; i < k->rank; i++)
        if (!reader_rows || !k->red[i]) loop[n++] = k->dim[i];
    fitted f;
    if (!view_fit(v, rank, dim, n, loop, &f)) return false;
    int64_t stride = 1;
    for (int i = k->rank - 1, at = n - 1; i >= 0; i--) {
        if (reader_rows && k->red[i]) continue;
        bool absent = base_rows && k->red[i];
        if (k->dim[i] != 1 && f.stride[at] != (absent ? 0 : stride)) return false;
        if (!absent) stride *= k->dim[i];
        at--;
    }
    return true;
}

/* ---- members ---- */

bool fuse_is_row(const compile *c, const cluster *k, uint32_t id) {
    const node *n = &c->g->node[id];
    if (!k->folds) return false;
    int64_t whole = fuse_count(k, false);
    return (op_table[n->op].cls == CLASS_FOLD && !c->copied[id]) || node_count(c->g, n) != whole ||
           whole == fuse_count(k, true);
}

/* What a computed node reads: views over the axes they are read with, through inlined operands
 * to what those read. */
typedef struct fuse_in {
    const aview *v;
    int rank;
    const int64_t *dim;
    bool memory;
} fuse_in;
enum { FUSE_INPUTS = 16 }; /* a map has three operands, a block at most STEP_OPERANDS */

static int fuse_gather(const compile *c, uint32_t id, fuse_in *out, int n) {
    const node *x = &c->g->node[id];
    assert(x->op != OP_concat || c->copied[id]); /* whose parts may be more */
    if (c->copied[id]) {
        assert(n < FUSE_INPUTS);
        out[n++] = (fuse_in){&c->source[id], x->rank, node_dims(c->g, x), false};
        return n;
    }
    for (int i = 0; i < x->nin; i++) {
        uint32_t in = node_in(c->g, x)[i];
        if (c->inlined[c->view[in].base]) n = fuse_gather(c, c->view[in].base, out, n);
        else {
            assert(n < FUSE_INPUTS);
            out[n++] = (fuse_in){&c->view[in], c->g->node[in].rank,
                                 node_dims(c->g, &c->g->node[in]), x->op == OP_take && i == 0};
        }
    }
    return n;
}

static bool fuse_same_view(const fuse_in *a, const fuse_in *b) {
    return a->rank == b->rank && !memcmp(a->dim, b->dim, (size_t)a->rank * sizeof *a->dim) &&
           !memcmp(a->v, b->v, sizeof *a->v);
}

/* How many different views of what lies elsewhere the members of k read; of some more than
 * FUSE_VIEWS, it says that many. */
static int fuse_views(const compile *c, const cluster *k, uint32_t ki) {
    fuse_in all[FUSE_VIEWS + 1], in[FUSE_INPUTS];
    int n = 0;
    for (uint32_t m = k->first; m; m = c->next[m])
        for (int i = 0, reads = fuse_gather(c, m, in, 0); i < reads; i++) {
            bool seen = c->cluster_of[in[i].v->base] == ki || fuse_is_virtual(c, in[i].v->base);
            for (int a = 0; a < n && !seen; a++) seen = fuse_same_view(&all[a], &in[i]);
            if (seen) continue;
            if (n > FUSE_VIEWS) return n;
            all[n++] = in[i];
        }
    return n;
}

/* Can strides over the loop say where `in` lies? A padded axis must not be cut. */
static bool fuse_loads(const cluster *k, const fuse_in *in, bool rows) {
    int64_t loop[KDIMS] = {0};
    int n = 0;
    fitted f;
    for (int i = 0; i < k->rank; i++)
        if (!rows || !k->red[i]) loop[n++] = k->dim[i];
    return view_fit(in->v, in->rank, in->dim, n, loop, &f);
}

/* After the loop was cut finer: do the members' own loads still fit? */
static bool fuse_still_fits(const compile *c, const cluster *k, uint32_t ki) {
    fuse_in in[FUSE_INPUTS];
    for (uint32_t m = k->first; m; m = c->next[m])
        for (int i = 0, n = fuse_gather(c, m, in, 0); i < n; i++)
            if (in[i].v->guard && c->cluster_of[in[i].v->base] != ki && !in[i].memory &&
                !fuse_loads(k, &in[i],
                            fuse_is_row(c, k, m) && op_table[c->g->node[m].op].cls != CLASS_FOLD))
                return false;
    return true;
}

/* May a node read `in` from inside k as it stands? Sets *late if k must move to the end of the
 * order. */
static bool fuse_reads(const compile *c, const cluster *k, uint32_t ki, const fuse_in *in,
                       fuse_how how, bool *late) {
    const aview *v = in->v;
    if (v->at && c->cluster_of[v->at]) {
        if (c->cluster_of[v->at] == ki) return false;
        *late |= c->cluster[c->cluster_of[v->at]].pos > k->pos;
    }
    uint32_t from = c->cluster_of[v->base];
    bool loads =
        in->memory || fuse_loads(k, in, how == FUSE_ROW); /* an indexed load has other axes */
    if (fuse_is_virtual(c, v->base) || fuse_is_leaf(c, v->base)) return loads;
    if (from != ki) {
        *late |= c->cluster[from].pos > k->pos;
        return loads;
    }
    if (in->memory) return false; /* an indexed load needs memory */
    bool base_row = fuse_is_row(c, k, v->base), row = how == FUSE_ROW;
    if (base_row && !row && fuse_across(k)) return false; /* a second sweep over the columns */
    if (!base_row && row) return false;
    return fuse_aligned(k, v, in->rank, in->dim, row, base_row);
}

/* Try to add node id to cluster ki; `readers` has the number of readers of each node that have
 * no cluster yet. */
static bool fuse_try(compile *c, uint32_t ki, uint32_t id, const uint32_t *readers) {
    cluster k = c->cluster[ki];
    const node *n = &c->g->node[id];
    bool fold = op_table[n->op].cls == CLASS_FOLD && !c->copied[id];
    if (k.kind != CLUSTER_KERNEL && (k.kind != CLUSTER_PRODUCT || fold)) return false;
    fuse_in in[FUSE_INPUTS];
    int reads = fuse_gather(c, id, in, 0), loads = 0, views = 0;
    for (int i = 0; i < reads; i++) {
        views += c->cluster_of[in[i].v->base] != ki && !fuse_is_virtual(c, in[i].v->base);
        loads += c->cluster_of[in[i].v->base] != ki && c->reader[in[i].v->base] != ki &&
                 !fuse_is_virtual(c, in[i].v->base);
    }
    if (k.nodes + 1 > FUSE_NODES || k.loads + loads > FUSE_LOADS) return false;
    if (k.views + views > FUSE_VIEWS && k.kind == CLUSTER_KERNEL) {
        k.views = c->cluster[ki].views = (uint16_t)fuse_views(c, &k, ki);
        if (k.views + views > FUSE_VIEWS) return false;
    }
    for (int i = 0; i < reads; i++)
        if (c->fence[in[i].v->base] && c->cluster_of[in[i].v->base] == ki) return false;
    const node *shape = fold ? &c->g->node[node_in(c->g, n)[0]] : n;
    const int64_t *dim = node_dims(c->g, shape);
    int64_t count = node_count(c->g, shape);
    fuse_how how = fold ? FUSE_FOLD : FUSE_ELEMENT;
    if (count == 0 || fuse_count(&k, false) == 0) return false;
    if (k.folds && !fold && (count != fuse_count(&k, false) || fuse_count(&k, true) == count)) {
        if (count != fuse_count(&k, true)) return false;
        how = FUSE_ROW;
    } else if (count != fuse_count(&k, false)) return false;

    if (k.kind == CLUSTER_PRODUCT) {
        /* the epilogue runs over the product's own dimensions: everything it reads must merge
         * into them */
        fitted f;
        for (int i = 0; i < reads; i++)
            if (!view_fit(in[i].v, in[i].rank, in[i].dim, k.rank, k.dim, &f)) return false;
        if (n->op == OP_take) return false;
        /* what is folded elsewhere is in memory, and this map better joins the fold than the
         * product */
        for (int i = 0; i < reads; i++)
            if (c->cluster_of[in[i].v->base] == ki && c->folded[in[i].v->base]) return false;
        aview own;
        view_identity(&own, id, n->rank, node_dims(c->g, n));
        if (!view_fit(&own, n->rank, node_dims(c->g, n), k.rank, k.dim, &f)) return false;
    } else if (!fuse_refine(&k, shape->rank, dim, how == FUSE_ROW)) return false;

    if (fold) {
        bool red[KDIMS];
        uint32_t mask = (uint32_t)node_attr(c->g, n)[0];
        int64_t left = 1;
        int d = shape->rank;
        for (int i = k.rank - 1; i >= 0;
             i--) { /* which loop dimensions are pieces of folded axes */
            red[i] = false;
            if (k.dim[i] == 1) continue;
            while (left == 1) left = dim[--d];
            red[i] = mask >> d & 1;
            left /= k.dim[i];
        }
        for (int i = 0; i < k.rank; i++)
            if (k.folds && k.dim[i] != 1 && red[i] != k.red[i]) return false;
        bool already = k.folds;
        if (!already) memcpy(k.red, red, sizeof red);
        k.folds = true;
        if (!already && fuse_across(&k)) {
            /* only values that stay inside can be folded across: they are never stored */
            for (uint32_t m = k.first; m; m = c->next[m]) {
                if (c->stored[m] || readers[m] > (m == c->view[node_in(c->g, n)[0]].base))
                    return false;
                if (c->reader[m] && c->reader[m] != ki) return false;
            }
            if (fuse_count(&k, true) == fuse_count(&k, false)) return false;
        }
        if (!already && fuse_count(&k, true) == fuse_count(&k, false)) return false;
    } else if (how == FUSE_ELEMENT && fuse_across(&k)) return false;

    bool late = false, finer = k.rank != c->cluster[ki].rank;
    if (finer && !fuse_still_fits(c, &k, ki)) return false;
    for (int i = 0; i < reads; i++)
        if (!fuse_reads(c, &k, ki, &in[i], how, &late)) return false;
    if (late) {
        if (k.frozen) return false;
        k.pos = ++c->pos;
    }
    k.nodes++;
    k.loads = (uint16_t)(k.loads + loads);
    k.views = (uint16_t)(k.views + views);
    assert(k.last < id && !c->next[id] && !c->cluster_of[id]);
    c->next[k.last] = id;
    k.last = id;
    c->cluster[ki] = k;
    c->cluster_of[id] = ki;
    return true;
}

static bool fuse_open(compile *c, uint32_t id, int kind) {
    const node *n = &c->g->node[id];
    bool fold = kind == CLUSTER_KERNEL && op_table[n->op].cls == CLASS_FOLD && !c->copied[id];
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
    if (!MEM_PUSH(c->m, c->cluster, c->clusters, c->cluster_cap, k)) {
        weft_fail(c->ctx, WEFT_MEMORY, "compile: out of memory");
        return false;
    }
    c->cluster_of[id] = (uint32_t)c->clusters - 1;
    return true;
}

uint32_t fuse_product(const compile *c, const cluster *k) {
    return c->g->node[k->first].op == OP_block ? c->next[k->first] : k->first;
}

static bool fuse_takes_maps(const compile *c, const node *n) {
    if (n->op == OP_matmul) return true;
    const weft_backend *b = c->ctx->backend;
    step s = {.kind = STEP_BLOCK};
    if (n->op != OP_block || !b->takes_maps) return false;
    s.block = (uint8_t)node_attr(c->g, n)[0];
    return block_table[s.block].parts == 1 && b->takes_maps(&s);
}

/* A block's part lies in memory, unless it is a product's: that is the first of its members. */
static void fuse_part(compile *c, uint32_t id) {
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

/* Clusters that might take the node: those of its operands, latest first, then those that read
 * the same. A number that is the same for all elements ties nothing together. */
static bool fuse_place(compile *c, uint32_t id, const uint32_t *readers) {
    uint32_t tried[2 * FUSE_INPUTS + 1];
    fuse_in in[FUSE_INPUTS];
    int n = 0, reads = fuse_gather(c, id, in, 0);
    bool many = node_count(c->g, &c->g->node[id]) > 1;
    for (int pass = 0, first = 0; pass < 2; pass++, first = n) {
        for (int i = 0; i < reads; i++) {
            uint32_t base = in[i].v->base, k = pass ? c->reader[base] : c->cluster_of[base];
            bool seen = k == 0 || fuse_is_virtual(c, base) ||
                        (pass && (c->cluster[k].kind != CLUSTER_KERNEL ||
                                  (many && node_count(c->g, &c->g->node[base]) == 1)));
            for (int t = 0; t < n && !seen; t++) seen = tried[t] == k;
            if (!seen) tried[n++] = k;
        }
        for (int a = first + 1; a < n; a++) /* latest first */
            for (int b = a; b > first && c->cluster[tried[b]].pos > c->cluster[tried[b - 1]].pos;
                 b--) {
                uint32_t swap = tried[b];
                tried[b] = tried[b - 1], tried[b - 1] = swap;
            }
    }
    /* folds across the same columns (gradients of a norm's weight and bias) need not share what
     * they read */
    bool fold = op_table[c->g->node[id].op].cls == CLASS_FOLD && !c->copied[id];
    if (fold && c->across) tried[n++] = c->across;
    bool number = !fold && !many; /* nor need single numbers, but for a parameter's step */
    for (int i = 0; i < reads && number; i++) number = !fuse_is_parameter(c, in[i].v->base);
    if (number && c->numbers) tried[n++] = c->numbers;
    assert(n <= 2 * FUSE_INPUTS + 1); /* a fold and a number are not the same node */
    for (int t = 0; t < n; t++)
        if (fuse_try(c, tried[t], id, readers)) return true;
    return false;
}

/* Is base read by `in` element for element, over the same axes? Then its reader could compute it
 * again. */
static bool fuse_whole(const compile *c, const fuse_in *in) {
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
static void fuse_absorb(compile *c, uint32_t to, uint32_t from, const fuse_in *in, int reads) {
    cluster k = c->cluster[to], o = c->cluster[from];
    if (o.kind != CLUSTER_KERNEL || k.kind != CLUSTER_KERNEL || o.frozen || o.folds ||
        fuse_across(&k) || o.pos >= k.pos)
        return;
    if (fuse_count(&k, false) != fuse_count(&o, false) || k.nodes + o.nodes > FUSE_NODES ||
        k.loads + o.loads > FUSE_LOADS || k.views + o.views > FUSE_VIEWS)
        return;
    if (!fuse_refine(&k, o.rank, o.dim, false) || !fuse_still_fits(c, &k, to)) return;
    cluster both = k;
    both.first = o.first;
    if (!fuse_still_fits(c, &both, from)) return;
    for (int i = 0; i < reads; i++)
        if ((in[i].v->at && c->cluster_of[in[i].v->at] == from) ||
            (c->cluster_of[in[i].v->base] == from &&
             (in[i].memory || c->fence[in[i].v->base] ||
              !fuse_aligned(&k, in[i].v, in[i].rank, in[i].dim, false, false))))
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

static void fuse_note(compile *c, uint32_t id, uint32_t base, uint32_t *readers, bool soft) {
    uint32_t k = c->cluster_of[id], from = c->cluster_of[base];
    c->reader[base] = k;
    if (readers[base]) readers[base]--;
    if (from && from != k) {
        if (!soft || !c->stored[base]) c->stored[base] = soft ? STORED_SOFT : STORED_HARD;
        c->cluster[from].frozen = true;
    }
}

/* May node i be made again by its readers: a comparison of values that are in memory anyway, or a
 * draw? `brings` has how many operands those that are already inlined bring to their readers. */
static bool fuse_may_inline(const compile *c, uint32_t i, uint8_t *brings) {
    const node *n = &c->g->node[i];
    int operands = 0;
    if (!c->live[i] || !view_is_real(c, i) || c->copied[i] || c->stored[i] ||
        (op_table[n->op].cls != CLASS_COMPARE && n->op != OP_random))
        return false;
    for (int k = 0; k < n->nin; k++) {
        const uint32_t base = c->view[node_in(c->g, n)[k]].base;
        operands += c->inlined[base] ? brings[base] : 1;
        if (!c->stored[base] && !c->inlined[base] && !fuse_is_leaf(c, base) &&
            !fuse_is_virtual(c, base))
            return false;
    }
    brings[i] = (uint8_t)operands;
    return operands <= FUSE_INLINED;
}

/* What something other than a map reads, or reads through a view, has to be in memory. */
static void fuse_inline(compile *c) {
    uint8_t *brings = mem_new(c->m, c->n), *needed = mem_new(c->m, c->n);
    c->starved |= !brings || !needed;
    for (uint32_t i = 1; i < c->n && !c->starved; i++) {
        const node *n = &c->g->node[i];
        if (!c->live[i]) continue;
        bool map = !c->copied[i] && op_is_map(n->op) && n->op != OP_take;
        for (int k = 0; k < n->nin && !map; k++) needed[c->view[node_in(c->g, n)[k]].base] = 1;
        if (!view_is_real(c, i)) needed[c->view[i].base] = needed[c->view[i].at] = 1;
        if (c->copied[i]) needed[c->source[i].base] = needed[c->source[i].at] = 1;
    }
    for (uint32_t i = 1; i < c->n && !c->starved; i++)
        c->inlined[i] = !needed[i] && fuse_may_inline(c, i, brings);
    mem_free(c->m, brings);
    mem_free(c->m, needed);
}

bool fuse_wanted(const compile *c) {
    return !c->ctx->no_fuse && !c->desc->unfused && !c->desc->watch;
}

bool fuse_pass(compile *c) {
    uint32_t *readers = mem_new(c->m, c->n * sizeof *readers);
    if (!readers || !fuse_open(c, 0, CLUSTER_KERNEL)) {
        mem_free(c->m, readers);
        weft_fail(c->ctx, WEFT_MEMORY, "compile: out of memory");
        return false;
    }
    c->cluster_of[0] = 0;
    bool fusing = fuse_wanted(c), good = true;
    fuse_in in[FUSE_INPUTS];
    if (fusing) fuse_inline(c);
    for (uint32_t i = 1; i < c->n; i++)
        if (c->live[i] && op_table[c->g->node[i].op].cls == CLASS_FOLD)
            c->folded[c->view[node_in(c->g, &c->g->node[i])[0]].base] = 1;
    for (uint32_t i = 1; i < c->n; i++) {
        if (!c->live[i] || !view_is_real(c, i) || c->inlined[i]) continue;
        const node *n = &c->g->node[i];
        bool concat = n->op == OP_concat && !c->copied[i];
        for (int k = 0; k < n->nin && concat; k++) readers[c->view[node_in(c->g, n)[k]].base]++;
        for (int k = 0, reads = concat ? 0 : fuse_gather(c, i, in, 0); k < reads; k++)
            readers[in[k].v->base]++;
    }
    for (uint32_t i = 1; good && i < c->n; i++) {
        const node *n = &c->g->node[i];
        if (!c->live[i] || !view_is_real(c, i) || c->inlined[i] || fuse_is_virtual(c, i) ||
            fuse_is_leaf(c, i))
            continue;
        if (n->op == OP_part && !c->copied[i]) {
            fuse_part(c, i);
            continue;
        }
        int cls = c->copied[i] ? CLASS_MAP : op_table[n->op].cls;
        int kind = fuse_takes_maps(c, n)                        ? CLUSTER_PRODUCT
                   : n->op == OP_concat                         ? CLUSTER_CONCAT
                   : cls == CLASS_ROUTINE || cls == CLASS_BLOCK ? CLUSTER_ROUTINE
                                                                : CLUSTER_KERNEL;
        if (c->copied[i]) kind = CLUSTER_KERNEL;
        if (kind != CLUSTER_KERNEL || !fusing || !fuse_place(c, i, readers))
            good = fuse_open(c, i, kind);
        if (good && fuse_across(&c->cluster[c->cluster_of[i]])) c->across = c->cluster_of[i];
        if (good && kind == CLUSTER_KERNEL && !c->cluster[c->cluster_of[i]].folds &&
            node_count(c->g, n) == 1)
            c->numbers = c->cluster_of[i];
        if (kind == CLUSTER_ROUTINE || kind == CLUSTER_CONCAT)
            c->stored[i] = n->op != OP_block ? STORED_HARD : 0;
        for (int k = 0; good && k < n->nin && kind == CLUSTER_CONCAT;
             k++) { /* any number of parts */
            uint32_t base = c->view[node_in(c->g, n)[k]].base, at = c->view[node_in(c->g, n)[k]].at;
            fuse_note(c, i, base, readers, false);
            if (at) fuse_note(c, i, at, readers, false);
            if (!fuse_is_virtual(c, base)) c->stored[base] = STORED_HARD;
        }
        if (kind == CLUSTER_CONCAT) continue;
        int reads = fuse_gather(c, i, in, 0);
        for (int k = 0; good && fusing && kind == CLUSTER_KERNEL && k < reads; k++) {
            uint32_t from = c->cluster_of[in[k].v->base];
            if (from && from != c->cluster_of[i]) fuse_absorb(c, c->cluster_of[i], from, in, reads);
        }
        for (int k = 0; good && k < reads; k++) {
            const aview *v = in[k].v;
            /* routines and indexed loads read memory, even what lies in their own cluster */
            bool memory = kind != CLUSTER_KERNEL || in[k].memory;
            fuse_note(c, i, v->base, readers,
                      fusing && !memory && fuse_soft(c, c->cluster_of[i], &in[k]));
            if (v->at) fuse_note(c, i, v->at, readers, false);
            if (memory && !fuse_is_virtual(c, v->base)) c->stored[v->base] = STORED_HARD;
        }
    }
    mem_free(c->m, readers);
    if (good && fusing) spare_pass(c);
    return good;
}
