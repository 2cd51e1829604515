/* place.c - where stored values lie: as the reader wants them, rather than in order and copied.
 *
 * After a first look at views it is known what would be copied. A value that a concat joins is
 * written straight into its part of the joined memory; the result of a routine that a reader wants
 * with its axes in another order is written in that order. The device is asked whether the routine
 * can do that; then all views are recomputed. What a fetch, an update or a fence refers to lies in
 * order. Where a reader would have to copy what it could take before, the value lies in order after
 * all.
 *
 * Reads: live, fence, fetch, update, view, source, copied. Makes: placed; view, source, copied and stored
 * again. */
#include "plan/lower.h"
#include <assert.h>

typedef struct place {
    compile *c;
    uint8_t *ordered; /* [n] must lie in order */
    uint8_t *updated; /* [n] some update's value */
    uint32_t made;
} place;

/* Elements of `base` lie where those of a view of it, over axes dim, are to lie: strides t of the
 * view become strides of the base. False unless the view shows each element once. */
static bool place_through(const compile *c, const aview *v, int rank, const int64_t *dim,
                          const int64_t *t, int64_t *out) {
    assert(rank <= WEFT_MAX_RANK && v->base && v->base < c->n);
    const node *base = &c->g->node[v->base];
    aview permuted = {0};
    int64_t order[WEFT_MAX_RANK], below = 1;
    int axes[WEFT_MAX_RANK], n = 0;
    if (!view_plain(v) || v->off) return false;
    for (int d = 0; d < rank; d++) {
        if (dim[d] == 1) continue;
        int at = n++;
        for (; at > 0 && v->stride[axes[at - 1]] < v->stride[d]; at--) axes[at] = axes[at - 1];
        axes[at] = d;
    }
    for (int i = n - 1; i >= 0; i--) {
        if (v->stride[axes[i]] != below) return false;
        below *= dim[axes[i]];
    }
    if (below != node_count(c->g, base)) return false;
    for (int i = 0; i < n; i++) {
        order[i] = dim[axes[i]];
        permuted.stride[i] = t[axes[i]];
        permuted.hi[i] = order[i];
    }
    fitted f;
    if (!view_fit(&permuted, n, order, base->rank, node_dims(c->g, base), &f)) return false;
    memcpy(out, f.stride, base->rank * sizeof *out);
    return true;
}

/* The rows of a result lie side by side? */
static bool place_unit(const node *n, const int64_t *dim, const int64_t *stride) {
    assert(n->rank <= WEFT_MAX_RANK);
    return n->rank == 0 || dim[n->rank - 1] == 1 || stride[n->rank - 1] == 1;
}

bool place_accepted(const compile *c, uint32_t id, const int64_t *stride) {
    assert(id && id < c->n);
    const weft_backend *b = c->ctx->backend;
    const node *n = &c->g->node[id];
    const int cls = op_table[n->op].cls;
    if (!place_unit(n, node_dims(c->g, n), stride)) return false;
    if (c->copied[id] || op_is_map(n->op) || cls == CLASS_FOLD || cls == CLASS_VIEW ||
        n->op == OP_concat)
        return true; /* kernels */
    if (cls != CLASS_ROUTINE && cls != CLASS_PART) return false;
    step s;
    const uint32_t of = cls == CLASS_PART ? node_in(c->g, n)[0] : id;
    const int result = cls == CLASS_PART ? (int)node_attr(c->g, n)[0] : 0;
    lower_describe(c, &c->g->node[of], &s);
    roperand *r = &s.in[s.nin + result];
    s.nout = (uint8_t)(result + 1);
    *r = lower_described(c, id);
    memcpy(r->stride, stride, n->rank * sizeof *stride);
    return b->accepts && b->accepts(&s, s.nin + result);
}

static bool place_free(const place *p, uint32_t id) {
    assert(id && id < p->c->n);
    const compile *c = p->c;
    return view_is_real(c, id) && !p->ordered[id] && !c->placed[id].given &&
           !c->placed[id].refused && node_count(c->g, &c->g->node[id]) > 0;
}

/* Node id over axes dim is to lie with strides t: what it shows is written there, or else the copy
 * that shows it. */
static bool place_try(place *p, const aview *v, int rank, const int64_t *dim, const int64_t *t,
                      placing how, bool copies) {
    assert(!how.given && !how.refused);
    compile *c = p->c;
    const uint32_t base = v->base;
    const node *n = &c->g->node[base];
    if (!place_free(p, base) || !place_through(c, v, rank, dim, t, how.stride)) return false;
    const bool deeper = c->copied[base] && place_try(p, &c->source[base], n->rank,
                                                     node_dims(c->g, n), how.stride, how, copies);
    if (deeper) return true;
    if ((c->copied[base] && !copies) || !place_accepted(c, base, how.stride)) return false;
    how.given = true;
    c->placed[base] = how;
    p->made++;
    return true;
}

/* Parts of a concat are written where they are joined. */
static void place_parts(place *p, uint32_t id) {
    assert(p->c->g->node[id].op == OP_concat);
    compile *c = p->c;
    const node *n = &c->g->node[id];
    const int axis = (int)node_attr(c->g, n)[0];
    aview own;
    view_own(c, id, &own);
    placing how = {.inside = id};
    if (p->updated[id]) return; /* perhaps written over a state that is still read */
    for (int i = 0; i < n->nin; i++) {
        const uint32_t in = node_in(c->g, n)[i];
        const node *part = &c->g->node[in];
        const int64_t *dim = node_dims(c->g, part);
        how.operand = (uint32_t)i;
        place_try(p, &c->view[in], part->rank, dim, own.stride, how, true);
        how.off += dim[axis] * own.stride[axis];
    }
}

/* A routine's result that is copied only for another order of its axes is written in that order. */
static void place_copy(place *p, uint32_t id) {
    assert(p->c->copied[id] && !p->c->placed[id].given);
    compile *c = p->c;
    const node *n = &c->g->node[id];
    const aview *v = &c->source[id];
    const int cls = op_table[c->g->node[v->base].op].cls;
    aview own;
    if ((cls != CLASS_ROUTINE && cls != CLASS_PART) || c->copied[v->base] ||
        c->g->node[v->base].op == OP_concat)
        return;
    view_identity(&own, id, n->rank, node_dims(c->g, n));
    place_try(p, v, n->rank, node_dims(c->g, n), own.stride, (placing){0}, false);
}

/* Results lie in order, and so does what fences show. */
static void place_ordered(place *p) {
    const compile *c = p->c;
    for (size_t i = 0; i < c->fetches; i++) p->ordered[c->fetch[i].node] = 1;
    for (size_t i = 0; i < c->updates; i++)
        p->ordered[c->update[i].node] = p->updated[c->update[i].node] = 1;
    for (uint32_t i = 1; i < c->n; i++)
        if (c->live[i] && c->fence[i]) p->ordered[i] = p->ordered[c->view[i].base] = 1;
}

/* What would lie elsewhere, after a first look at views; *again: something would. */
static weft_err place_choose(compile *c, bool *again) {
    place p = {.c = c, .ordered = mem_new(c->m, c->n), .updated = mem_new(c->m, c->n)};
    const bool room = p.ordered && p.updated;
    if (room) {
        place_ordered(&p);
        for (uint32_t i = 1; i < c->n; i++) c->placed[i].copied = c->copied[i];
    }
    /* a concat of concats before those it joins */
    for (uint32_t i = (uint32_t)c->n - 1; room && i > 0; i--)
        if (c->live[i] && c->g->node[i].op == OP_concat) place_parts(&p, i);
    for (uint32_t i = 1; room && i < c->n; i++)
        if (c->live[i] && c->copied[i] && !c->placed[i].given) place_copy(&p, i);
    mem_free(c->m, p.ordered);
    mem_free(c->m, p.updated);
    *again = p.made > 0;
    return room ? WEFT_OK : compile_no_memory(c);
}

bool place_refuse(compile *c, uint32_t id) {
    assert(id && id < c->n);
    placing *own = &c->placed[id], *base = &c->placed[c->view[id].base];
    if (own->given) own->refused = true; /* a copy would lie as wrong */
    else if (base->given && !own->copied) base->refused = true;
    else return false;
    return true;
}

/* Undoes a refused placement, and those inside it: those have the strides of the refused one.
 * Downward, since a concat comes after its parts. */
static bool place_back(compile *c) {
    bool any = false;
    for (uint32_t i = (uint32_t)c->n - 1; i > 0; i--) {
        placing *const own = &c->placed[i];
        if (!own->given) continue;
        if (own->inside && c->placed[own->inside].refused) own->refused = true;
        if (!own->refused) continue;
        own->given = false;
        own->inside = 0;
        any = true;
    }
    return any;
}

weft_err place_pass(compile *c) {
    bool again = false;
    if (!compile_fuses(c))
        return WEFT_OK; /* one kernel per operation, and results as they are shown */
    WEFT_TRY(place_choose(c, &again));
    for (; again; again = place_back(c)) {
        WEFT_TRY(view_pass(c));
        WEFT_TRY(settle_pass(c));
    }
    return WEFT_OK;
}
