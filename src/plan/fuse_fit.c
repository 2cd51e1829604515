/* fuse_fit.c - may a node become a member of a cluster? One question after the other, the cheap ones
 * first; what the cluster would become is worked out in a copy.
 *
 * Reads: what fuse.c reads, and its clusters so far. Changes: the cluster that takes the node. */
#include "plan/fuse.h"
#include <assert.h>

_Static_assert(LIMIT_GATHERED >= 3 * LIMIT_INLINE && LIMIT_GATHERED >= LIMIT_STEP_OPERANDS,
               "what a node reads has room");

/* ---- what nodes read ---- */

bool fuse_is_virtual(const compile *c, uint32_t id) {
    int op = c->g->node[id].op;
    return op == OP_literal || op == OP_iota;
}

bool fuse_is_leaf(const compile *c, uint32_t id) {
    int op = c->g->node[id].op;
    return op == OP_input || op == OP_state || op == OP_data;
}

bool fuse_is_fold(const compile *c, uint32_t id) {
    return op_table[c->g->node[id].op].cls == CLASS_FOLD && !c->copied[id];
}

int fuse_gather(const compile *c, uint32_t id, fuse_in *out, int n) {
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

/* How many different views of what lies elsewhere the members of k read; of more than
 * `most`, it says one more. */
static int fuse_views(const compile *c, const cluster *k, uint32_t ki, int most) {
    fuse_in all[TRAITS_VIEWS + 1], in[FUSE_INPUTS];
    int n = 0;
    for (uint32_t m = k->first; m; m = c->next[m])
        for (int i = 0, reads = fuse_gather(c, m, in, 0); i < reads; i++) {
            bool seen = c->cluster_of[in[i].v->base] == ki || fuse_is_virtual(c, in[i].v->base);
            for (int a = 0; a < n && !seen; a++) seen = fuse_same_view(&all[a], &in[i]);
            if (seen) continue;
            if (n > most) return n;
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
bool fuse_still_fits(const compile *c, const cluster *k, uint32_t ki) {
    fuse_in in[FUSE_INPUTS];
    for (uint32_t m = k->first; m; m = c->next[m])
        for (int i = 0, n = fuse_gather(c, m, in, 0); i < n; i++)
            if (in[i].v->guard && c->cluster_of[in[i].v->base] != ki && !in[i].memory &&
                !fuse_loads(k, &in[i],
                            cluster_is_row(c, k, m) &&
                                op_table[c->g->node[m].op].cls != CLASS_FOLD))
                return false;
    return true;
}

/* ---- a node that asks ---- */

/* It runs over the elements of the loop, over its rows, or folds elements into a row. */
typedef enum fuse_how { FUSE_ELEMENT, FUSE_ROW, FUSE_FOLD } fuse_how;

typedef struct fuse_asks {
    fuse *f;
    compile *c;
    uint32_t ki, id;
    const node *n;
    const node *shape; /* whose elements it runs over: its own, or those that it folds */
    const fuse_in *in;
    int reads;
    int loads, views; /* that it would add */
    fuse_how how;
    cluster k; /* cluster ki, as it would become */
} fuse_asks;

static void fuse_count_reads(fuse_asks *a) {
    const compile *c = a->c;
    a->loads = a->views = 0;
    for (int i = 0; i < a->reads; i++) {
        const uint32_t base = a->in[i].v->base;
        if (c->cluster_of[base] == a->ki || fuse_is_virtual(c, base)) continue;
        a->views++;
        a->loads += a->f->reader[base] != a->ki;
    }
}

/* Is there room for what it loads? */
static bool fuse_has_room(fuse_asks *a) {
    fuse_count_reads(a);
    const int most = a->f->t->kernel_views;
    if (a->k.loads + a->loads > a->f->t->kernel_loads) return false;
    if (a->k.views + a->views > most && a->k.kind == CLUSTER_KERNEL) {
        a->k.views = a->c->cluster[a->ki].views = (uint16_t)fuse_views(a->c, &a->k, a->ki, most);
        return a->k.views + a->views <= most;
    }
    return true;
}

/* Does it read a member that readers must stay away from? */
static bool fuse_is_fenced(const fuse_asks *a) {
    for (int i = 0; i < a->reads; i++)
        if (a->c->fence[a->in[i].v->base] && a->c->cluster_of[a->in[i].v->base] == a->ki)
            return true;
    return false;
}

/* Has it as many elements as the loop, or as many as the loop has rows? */
static bool fuse_runs_along(fuse_asks *a) {
    const int64_t count = node_count(a->c->g, a->shape), whole = cluster_count(&a->k, false);
    if (count == 0 || whole == 0) return false;
    if (a->k.folds && a->how != FUSE_FOLD &&
        (count != whole || cluster_count(&a->k, true) == count)) {
        a->how = FUSE_ROW;
        return count == cluster_count(&a->k, true);
    }
    return count == whole;
}

/* An epilogue runs over the product's own dimensions: everything it reads, and what it gives, must
 * merge into them. */
static bool fuse_fits_product(const fuse_asks *a) {
    const compile *c = a->c;
    fitted f;
    if (a->n->op == OP_take) return false;
    for (int i = 0; i < a->reads; i++)
        if (!view_fit(a->in[i].v, a->in[i].rank, a->in[i].dim, a->k.rank, a->k.dim, &f))
            return false;
    /* what is folded elsewhere is in memory, and this map better joins the fold than the product */
    for (int i = 0; i < a->reads; i++)
        if (c->cluster_of[a->in[i].v->base] == a->ki && a->f->folded[a->in[i].v->base])
            return false;
    return view_fit(&c->view[a->id], a->n->rank, node_dims(c->g, a->n), a->k.rank, a->k.dim, &f);
}

/* Which dimensions of the loop are pieces of axes that node n, over axes `dim`, folds? */
static void fuse_folded_dims(const fuse_asks *a, bool *red) {
    const uint32_t mask = (uint32_t)node_attr(a->c->g, a->n)[0];
    const int64_t *dim = node_dims(a->c->g, a->shape);
    int64_t left = 1;
    int d = a->shape->rank;
    for (int i = a->k.rank - 1; i >= 0; i--) {
        red[i] = false;
        if (a->k.dim[i] == 1) continue;
        while (left == 1) {
            assert(d > 0);
            left = dim[--d];
        }
        red[i] = mask >> d & 1;
        left /= a->k.dim[i];
    }
}

/* Folding across leaves no value per element: do all members stay inside? */
static bool fuse_stays_inside(const fuse_asks *a) {
    const compile *c = a->c;
    const uint32_t folded = c->view[node_in(c->g, a->n)[0]].base;
    for (uint32_t m = a->k.first; m; m = c->next[m]) {
        if (c->stored[m] || a->f->readers[m] > (m == folded)) return false;
        if (a->f->reader[m] && a->f->reader[m] != a->ki) return false;
    }
    return true;
}

/* All folds of a cluster fold the same dimensions; the first one says which. */
static bool fuse_folds_alike(fuse_asks *a) {
    cluster *k = &a->k;
    bool red[KDIMS];
    fuse_folded_dims(a, red);
    if (k->folds) {
        for (int i = 0; i < k->rank; i++)
            if (k->dim[i] != 1 && red[i] != k->red[i]) return false;
        return true;
    }
    memcpy(k->red, red, sizeof red);
    k->folds = true;
    if (cluster_across(k) && !fuse_stays_inside(a)) return false;
    return cluster_count(k, true) != cluster_count(k, false);
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
    bool base_row = cluster_is_row(c, k, v->base), row = how == FUSE_ROW;
    if (base_row && !row && cluster_across(k)) return false; /* a second sweep over the columns */
    if (!base_row && row) return false;
    return cluster_aligned(c, k, v, in->rank, in->dim, row, base_row);
}

/* May it read its operands? A cluster without outside readers yet may move to the end of the order. */
static bool fuse_reads_all(fuse_asks *a) {
    bool late = false;
    for (int i = 0; i < a->reads; i++)
        if (!fuse_reads(a->c, &a->k, a->ki, &a->in[i], a->how, &late)) return false;
    if (!late) return true;
    if (a->k.frozen) return false;
    a->k.pos = ++a->c->pos;
    return true;
}

static void fuse_join(fuse_asks *a) {
    compile *c = a->c;
    a->k.nodes++;
    a->k.loads = (uint16_t)(a->k.loads + a->loads);
    a->k.views = (uint16_t)(a->k.views + a->views);
    assert(a->k.last < a->id && !c->next[a->id] && !c->cluster_of[a->id]);
    c->next[a->k.last] = a->id;
    a->k.last = a->id;
    c->cluster[a->ki] = a->k;
    c->cluster_of[a->id] = a->ki;
}

bool fuse_try(fuse *f, uint32_t ki, uint32_t id, const fuse_in *in, int reads) {
    compile *c = f->c;
    const node *n = &c->g->node[id];
    const bool fold = fuse_is_fold(c, id);
    const int kind = c->cluster[ki].kind;
    if (kind != CLUSTER_KERNEL && (kind != CLUSTER_PRODUCT || fold)) return false;
    if (c->cluster[ki].nodes + 1 > f->t->kernel_nodes) return false;
    fuse_asks a;
    a.f = f, a.c = c, a.ki = ki, a.id = id, a.n = n, a.in = in, a.reads = reads;
    a.k = c->cluster[ki];
    a.shape = fold ? &c->g->node[node_in(c->g, n)[0]] : n;
    a.how = fold ? FUSE_FOLD : FUSE_ELEMENT;
    if (!fuse_has_room(&a) || fuse_is_fenced(&a) || !fuse_runs_along(&a)) return false;
    const bool shaped =
        kind == CLUSTER_PRODUCT
            ? fuse_fits_product(&a)
            : cluster_refine(&a.k, a.shape->rank, node_dims(c->g, a.shape), a.how == FUSE_ROW);
    if (!shaped || (fold && !fuse_folds_alike(&a))) return false;
    if (a.how == FUSE_ELEMENT && cluster_across(&a.k)) return false;
    const bool finer = a.k.rank != c->cluster[ki].rank;
    if ((finer && !fuse_still_fits(c, &a.k, ki)) || !fuse_reads_all(&a)) return false;
    fuse_join(&a);
    return true;
}
