/* view.c - every node as a strided view of a node that is computed or stored.
 *
 * permute, expand, slice, pad and reshape become arithmetic on strides. Where that is impossible
 * (a reshape of something scattered, a pad of a pad with another fill) the operand is marked
 * `copied`: it gets a step and memory of its own, and views start from it.
 *
 * Reads: the graph, live. Makes: view, source, copied. */
#include "plan/passes.h"
#include <assert.h>

bool view_is_real(const compile *c, uint32_t id) {
    return c->view[id].base == id;
}
bool view_plain(const aview *v) {
    return !v->guard && !v->at;
}

void view_identity(aview *v, uint32_t base, int rank, const int64_t *dim) {
    assert(rank >= 0 && rank <= WEFT_MAX_RANK);
    *v = (aview){.base = base};
    int64_t stride = 1;
    for (int d = rank - 1; d >= 0; d--) {
        v->stride[d] = stride;
        v->hi[d] = dim[d];
        stride *= dim[d];
    }
}

void view_own(const compile *c, uint32_t id, aview *v) {
    const node *n = &c->g->node[id];
    view_identity(v, id, n->rank, node_dims(c->g, n));
    if (c->placed[id].given) memcpy(v->stride, c->placed[id].stride, n->rank * sizeof *v->stride);
}

static bool view_guarded(const aview *v, int d, int64_t extent) {
    return v->guard && (v->lo[d] > 0 || v->hi[d] < extent);
}

/* D's axes with those joined that continue one another, so that a contiguous tensor is one axis. */
static int view_joined(const aview *v, int rank, const int64_t *dim, aview *out, int64_t *odim) {
    int n = 0;
    *out = *v;
    for (int d = 0; d < rank; d++) {
        bool guarded = view_guarded(v, d, dim[d]);
        if (dim[d] == 1 && !guarded) continue;
        bool joins = n > 0 && !guarded && !view_guarded(out, n - 1, odim[n - 1]) &&
                     out->stride[n - 1] == v->stride[d] * dim[d];
        if (!joins) odim[n] = 1, out->lo[n] = v->lo[d], n++;
        out->stride[n - 1] = v->stride[d];
        odim[n - 1] *= dim[d];
        out->hi[n - 1] = guarded ? v->hi[d] : odim[n - 1];
        if (!guarded) out->lo[n - 1] = 0;
    }
    return n;
}

/* Walk both shapes from the right, cutting them into common pieces. A piece that is part of a D
 * axis has that axis' stride times what lies below it; pieces that share an E axis must continue
 * one another. */
bool view_fit(const aview *v, int rank, const int64_t *dim, int n, const int64_t *e, fitted *out) {
    aview j;
    int64_t jdim[WEFT_MAX_RANK];
    bool single = rank == 0; /* one number, the same everywhere */
    assert(rank <= WEFT_MAX_RANK && n <= KDIMS);
    rank = view_joined(v, rank, dim, &j, jdim);
    int d = rank - 1;
    int64_t left = d >= 0 ? jdim[d] : 1, below = 1; /* of the current D axis */
    bool nothing = false;                           /* a guarded axis of extent 1 that is outside */
    for (int i = 0; i < n; i++) out->stride[i] = 0, out->lo[i] = 0, out->hi[i] = e[i];
    for (int i = 0; i < rank; i++) nothing |= jdim[i] == 1 && (j.lo[i] > 0 || j.hi[i] < 1);
    if (nothing && n == 0) return false;
    for (int i = 0; i < n; i++)
        if (e[i] == 0) return true; /* nothing is read */
    for (int i = n - 1; i >= 0 && !single; i--) {
        int64_t need = e[i], done = 1;
        bool first = true;
        while (need > 1) {
            while (left == 1) {
                if (--d < 0) return false;
                left = jdim[d], below = 1;
            }
            int64_t piece = left < need ? left : need;
            if (piece == 0 || left % piece || need % piece) return false;
            int64_t stride = j.stride[d] * below;
            if (first) out->stride[i] = stride;
            else if (stride != out->stride[i] * done) return false;
            if (view_guarded(&j, d, jdim[d])) {
                if (piece != jdim[d] || piece != e[i]) return false;
                out->lo[i] = j.lo[d], out->hi[i] = j.hi[d];
            }
            first = false;
            done *= piece, need /= piece, left /= piece, below *= piece;
        }
    }
    for (; !single && d >= 0; d--, left = d >= 0 ? jdim[d] : 1)
        if (left != 1) return false;
    if (nothing) out->lo[0] = out->hi[0] = 0;
    return true;
}

bool view_same_axes(int rank, const int64_t *dim, int n, const int64_t *e) {
    int d = 0, i = 0;
    for (;; d++, i++) {
        while (d < rank && dim[d] == 1) d++;
        while (i < n && e[i] == 1) i++;
        if (d == rank || i == n) return d == rank && i == n;
        if (dim[d] != e[i]) return false;
    }
}

bool view_contiguous(const compile *c, uint32_t id) {
    return !c->view[id].off && view_in_order(c, id);
}

bool view_in_order(const compile *c, uint32_t id) {
    const node *n = &c->g->node[id];
    const aview *v = &c->view[id];
    const int64_t *dim = node_dims(c->g, n);
    int64_t stride = 1;
    if (!view_plain(v)) return false;
    for (int d = n->rank - 1; d >= 0; d--) {
        if (dim[d] != 1 && v->stride[d] != stride) return false;
        stride *= dim[d];
    }
    return true;
}

void view_copy(compile *c, uint32_t id) {
    if (view_is_real(c, id)) return;
    assert(!c->cluster_of); /* views are settled before they are computed */
    c->copied[id] = 1;
    c->source[id] = c->view[id];
    view_own(c, id, &c->view[id]);
}

static bool view_reshape(aview *v, const node *from, const int64_t *fdim, const node *n,
                         const int64_t *dim) {
    fitted f;
    aview old = *v;
    if (!view_fit(&old, from->rank, fdim, n->rank, dim, &f)) return false;
    memcpy(v->stride, f.stride, n->rank * sizeof *f.stride);
    memcpy(v->lo, f.lo, n->rank * sizeof *f.lo);
    memcpy(v->hi, f.hi, n->rank * sizeof *f.hi);
    return true;
}

static bool view_slice(const compile *c, aview *v, const node *n, const int64_t *fdim,
                       const int64_t *dim) {
    const int64_t *a = node_attr(c->g, n);
    int d = (int)a[0];
    if (n->nin == 2) {
        if (v->at || view_guarded(v, d, fdim[d])) return false;
        v->at = node_in(c->g, n)[1];
        v->at_stride = v->stride[d];
        v->at_max = fdim[d] - dim[d];
    } else {
        int64_t start = a[1], step = a[2];
        v->off += start * v->stride[d];
        v->stride[d] *= step;
        /* the valid range of the result: start + i * step inside [lo, hi) */
        int64_t lo = v->lo[d] - start, hi = v->hi[d] - start;
        if (step < 0) {
            int64_t swap = lo;
            lo = -(hi - 1), hi = -(swap - 1), step = -step;
        }
        v->lo[d] = (lo <= 0 ? 0 : (lo + step - 1) / step);
        v->hi[d] = (hi <= 0 ? 0 : (hi + step - 1) / step);
    }
    if (n->nin == 2) v->lo[d] = 0, v->hi[d] = dim[d];
    v->lo[d] = min_i64(v->lo[d], dim[d]);
    v->hi[d] = min_i64(v->hi[d], dim[d]);
    return true;
}

static bool view_pad(const compile *c, aview *v, const node *n) {
    const int64_t *a = node_attr(c->g, n);
    int d = (int)a[0];
    uint32_t fill = (uint32_t)a[3];
    if (v->at || (v->guard && v->fill != fill)) return false;
    v->off -= a[1] * v->stride[d];
    v->lo[d] += a[1];
    v->hi[d] += a[1];
    v->guard = true;
    v->fill = fill;
    return true;
}

/* The view of n through its operand's; false when strides cannot say it. */
static bool view_through(const compile *c, const node *n, aview *v) {
    uint32_t in = node_in(c->g, n)[0];
    const node *from = &c->g->node[in];
    const int64_t *fdim = node_dims(c->g, from), *dim = node_dims(c->g, n),
                  *attr = node_attr(c->g, n);
    *v = c->view[in];
    aview old = *v;
    switch (n->op) {
    case OP_reshape: return view_reshape(v, from, fdim, n, dim);
    case OP_permute:
        for (int d = 0; d < n->rank; d++)
            v->stride[d] = old.stride[attr[d]], v->lo[d] = old.lo[attr[d]],
            v->hi[d] = old.hi[attr[d]];
        return true;
    case OP_expand:
        for (int d = 0; d < n->rank; d++)
            if (fdim[d] != dim[d]) {
                if (view_guarded(v, d, fdim[d])) return false;
                v->stride[d] = 0, v->lo[d] = 0, v->hi[d] = dim[d];
            }
        return true;
    case OP_slice: return view_slice(c, v, n, fdim, dim);
    case OP_pad: return view_pad(c, v, n);
    default: return true; /* same: the operand under another name */
    }
}

static weft_err view_node(compile *c, uint32_t i) {
    const node *n = &c->g->node[i];
    const bool copy = n->op == OP_same && node_attr(c->g, n)[0] == SAME_COPY;
    /* unread values need no copies */
    if (op_table[n->op].cls != CLASS_VIEW || copy || !c->live[i]) {
        view_own(c, i, &c->view[i]);
        return WEFT_OK;
    }
    if (n->op == OP_slice && n->nin == 2)
        view_copy(c, node_in(c->g, n)[1]); /* a start lies alone */
    if (view_through(c, n, &c->view[i])) return WEFT_OK;
    const uint32_t in = node_in(c->g, n)[0];
    bool again = (view_is_real(c, in) || !c->placed[in].given) && place_refuse(c, in);
    if (!again) {
        view_copy(c, in);
        if (view_through(c, n, &c->view[i])) return WEFT_OK;
        again = place_refuse(c, in);
    }
    view_own(c, i, &c->view[i]);
    if (again) return WEFT_OK; /* all views are recomputed */
    return weft_fail(c->ctx, WEFT_UNSUPPORTED, "compile: a view of node %u cannot be expressed", i);
}

weft_err view_pass(compile *c) {
    if (c->view) memset(c->copied, 0, c->n); /* place.c asks again */
    else {
        c->view = arena_new(&c->memory, c->n * sizeof *c->view);
        c->source = arena_new(&c->memory, c->n * sizeof *c->source);
        c->copied = arena_new(&c->memory, c->n);
        c->placed = arena_new(&c->memory, c->n * sizeof *c->placed);
    }
    if (!c->view || !c->source || !c->copied || !c->placed) return compile_no_memory(c);
    for (uint32_t i = 1; i < c->n; i++) WEFT_TRY(view_node(c, i));
    return WEFT_OK;
}
