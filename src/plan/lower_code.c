/* lower_code.c - the members of a cluster as straight-line code over its loop.
 *
 * What members read from elsewhere becomes loads; a value that is not stored is recomputed.
 * Dimensions are put in loop order (outer, folded, inner) and merged where every view allows it.
 *
 * Reads: the cluster that lower.c is at, view, source, stored. Makes: its kernel, in a lower. */
#include "core/limits.h"
#include "plan/lower.h"
#include <assert.h>

ktype lower_type(int dtype) {
    return dtype == WEFT_F32 || dtype == WEFT_BF16 || dtype == WEFT_F16 ? KT_F32
           : dtype == WEFT_BOOL                                         ? KT_BOOL
                                                                        : KT_I32;
}

static const char lower_many[] = "more instructions or views than have numbers";

uint16_t lower_emit(lower *l, kins i) {
    if (l->nins == LIMIT_REGISTERS) l->failed = lower_many;
    else if (!MEM_PUSH(l->c->m, l->ins, l->nins, l->ins_cap, i)) l->c->starved = true;
    return l->nins ? (uint16_t)(l->nins - 1) : 0;
}

/* The instruction, or an equal one that is there already. */
static uint16_t lower_same(lower *l, kins i) {
    for (size_t k = 0; k < l->nins; k++) {
        const kins *o = &l->ins[k];
        if (o->op == i.op && o->type == i.type && o->level == i.level && o->a == i.a &&
            o->b == i.b && o->c == i.c && o->view == i.view && o->bits == i.bits &&
            o->arg2 == i.arg2)
            return (uint16_t)k;
    }
    return lower_emit(l, i);
}

uint16_t lower_view(lower *l, const kview *v) {
    for (size_t i = 0; i < l->nview; i++)
        if (!memcmp(&l->view[i], v, sizeof *v)) return (uint16_t)i;
    if (l->nview == LIMIT_REGISTERS) l->failed = lower_many;
    else if (!MEM_PUSH(l->c->m, l->view, l->nview, l->view_cap, *v)) l->c->starved = true;
    return l->nview ? (uint16_t)(l->nview - 1) : 0;
}

void lower_start(lower *l, uint32_t ki) {
    assert(ki && ki < l->c->clusters);
    l->k = &l->c->cluster[ki], l->ki = ki;
    l->nins = l->nview = 0;
    l->round++;
}

/* The view v, read over axes `dim`, in the cluster's space; row readers see only dimensions that
 * are not folded. */
bool lower_fit(lower *l, const aview *v, int rank, const int64_t *dim, bool rows, kview *out) {
    const cluster *k = l->k;
    int64_t loop[KDIMS] = {0};
    int at[KDIMS], n = 0;
    for (int i = 0; i < k->rank; i++)
        if (!rows || !k->red[i]) at[n] = i, loop[n++] = k->dim[i];
    fitted f;
    memset(out, 0, sizeof *out);
    out->buf = out->at = KNOBUF;
    out->off = v->off;
    for (int i = 0; i < k->rank; i++) out->hi[i] = k->dim[i];
    if (!view_fit(v, rank, dim, n, loop, &f)) {
        l->failed = "a view that cannot be expressed by strides over the loop";
        return false;
    }
    for (int i = 0; i < n; i++) {
        out->stride[at[i]] = loop[i] == 1 ? 0 : f.stride[i];
        out->lo[at[i]] = f.lo[i], out->hi[at[i]] = f.hi[i];
        out->guard |= f.lo[i] > 0 || f.hi[i] < loop[i];
    }
    if (out->guard) out->fill = v->fill;
    if (v->at) {
        out->at = lower_buffer(l->c, v->at);
        out->at_stride = v->at_stride;
        out->at_max = v->at_max;
    }
    return true;
}

static bool lower_flat_rows(const lower *l, const kview *v) { /* the same for the whole row? */
    if (!l->k->folds) return false;
    for (int i = 0; i < l->k->rank; i++)
        if (l->k->red[i] && (v->stride[i] || v->lo[i] > 0 || v->hi[i] < l->k->dim[i])) return false;
    return true;
}

static uint16_t lower_operand(lower *l, uint32_t id, int k, bool rows);
static uint16_t lower_random(lower *l, uint32_t id, bool rows);

uint16_t lower_load(lower *l, const aview *v, int rank, const int64_t *dim, bool rows) {
    compile *c = l->c;
    const node *base = &c->g->node[v->base];
    if (c->cluster_of[v->base] == l->ki && l->reg[v->base] != LOWER_NONE) return l->reg[v->base];
    bool elsewhere = c->cluster_of[v->base] && c->cluster_of[v->base] != l->ki;
    if (c->inlined[v->base] && base->op == OP_random) return lower_random(l, v->base, rows);
    if (c->inlined[v->base] ||
        (elsewhere && !c->stored[v->base])) { /* computed again rather than loaded, but once */
        lower_again *again = &l->again[v->base];
        if (again->round[rows] == l->round) return again->reg[rows];
        if (fuse_widens(c, v->base)) { /* registers are wide already */
            const uint16_t wide = lower_operand(l, v->base, 0, rows);
            again->round[rows] = l->round;
            return again->reg[rows] = wide;
        }
        kins i = {.op = base->op,
                  .type = (uint8_t)lower_type(base->dtype),
                  .level = rows ? KL_ROW : KL_ELEMENT};
        if (base->nin > 0) i.a = lower_operand(l, v->base, 0, rows);
        if (base->nin > 1) i.b = lower_operand(l, v->base, 1, rows);
        if (base->nin > 2) i.c = lower_operand(l, v->base, 2, rows);
        assert(op_is_map(base->op) && base->nin <= 3);
        again->round[rows] = l->round;
        return again->reg[rows] = lower_same(l, i);
    }
    kview view;
    if (!lower_fit(l, v, rank, dim, rows, &view)) return 0;
    kins i = {.op = K_LOAD,
              .type = (uint8_t)lower_type(base->dtype),
              .level = rows ? KL_ROW : KL_ELEMENT};
    if (!rows && lower_flat_rows(l, &view)) i.level = KL_ROW;
    if (base->op == OP_literal && !c->copied[v->base]) {
        i.op = K_CONST;
        i.level = KL_ELEMENT;
        i.bits = (uint32_t)node_attr(c->g, base)[0];
    } else {
        if (base->op == OP_iota) i.op = K_INDEX;
        else view.buf = lower_buffer(c, v->base);
        view.dtype = base->dtype;
        i.view = lower_view(l, &view);
    }
    return lower_same(l, i);
}

static uint16_t lower_operand(lower *l, uint32_t id, int k, bool rows) {
    compile *c = l->c;
    uint32_t in = node_in(c->g, &c->g->node[id])[k];
    const node *n = &c->g->node[in];
    return lower_load(l, &c->view[in], n->rank, node_dims(c->g, n), rows);
}

static uint16_t lower_take(lower *l, uint32_t id, bool rows) {
    compile *c = l->c;
    const node *n = &c->g->node[id];
    uint32_t in = node_in(c->g, n)[0];
    const node *x = &c->g->node[in];
    int axis = (int)node_attr(c->g, n)[0];
    aview v = c->view[in];
    int64_t along = v.stride[axis];
    v.stride[axis] = 0;
    kview view;
    uint16_t index = lower_operand(l, id, 1, rows);
    if (!lower_fit(l, &v, n->rank, node_dims(c->g, n), rows, &view)) return 0;
    view.buf = lower_buffer(c, v.base);
    view.dtype = x->dtype;
    return lower_emit(l, (kins){.op = K_TAKE,
                                .type = (uint8_t)lower_type(x->dtype),
                                .level = rows ? KL_ROW : KL_ELEMENT,
                                .a = index,
                                .view = lower_view(l, &view),
                                .bits = (uint32_t)node_dims(c->g, x)[axis],
                                .arg2 = along});
}

static uint16_t lower_random(lower *l, uint32_t id, bool rows) {
    compile *c = l->c;
    const node *n = &c->g->node[id];
    aview own;
    kview view;
    view_identity(&own, id, n->rank, node_dims(c->g, n));
    uint16_t seed = lower_operand(l, id, 0, rows), run = lower_operand(l, id, 1, rows);
    if (!lower_fit(l, &own, n->rank, node_dims(c->g, n), rows, &view)) return 0;
    return lower_same(l, (kins){.op = K_RANDOM,
                                .type = (uint8_t)lower_type(n->dtype),
                                .level = rows ? KL_ROW : KL_ELEMENT,
                                .a = seed,
                                .b = run,
                                .view = lower_view(l, &view),
                                .bits = (uint32_t)node_attr(c->g, n)[1],
                                .arg2 = node_attr(c->g, n)[0]});
}

void lower_member(lower *l, uint32_t id) {
    compile *c = l->c;
    const node *n = &c->g->node[id];
    bool rows = cluster_is_row(c, l->k, id);
    kins i = {
        .op = n->op, .type = (uint8_t)lower_type(n->dtype), .level = rows ? KL_ROW : KL_ELEMENT};
    if (c->copied[id]) {
        l->reg[id] = lower_load(l, &c->source[id], n->rank, node_dims(c->g, n), rows);
        return;
    }
    switch (n->op) {
#define OP_FOLD(name, instruction, ...)                                                            \
    case OP_##name:                                                                                \
        i.op = instruction;                                                                        \
        i.a = lower_operand(l, id, 0, false);                                                      \
        break;
#include "core/ops.def"
    case OP_take: l->reg[id] = lower_take(l, id, rows); return;
    case OP_random: l->reg[id] = lower_random(l, id, rows); return;
    case OP_same: l->reg[id] = lower_operand(l, id, 0, rows); return;
    case OP_cast: {
        i.a = lower_operand(l, id, 0, rows);
        i.bits = n->dtype;
        int from = c->g->node[node_in(c->g, n)[0]].dtype;
        bool widening = (n->dtype == WEFT_F32 && lower_type(from) == KT_F32) ||
                        (n->dtype == WEFT_I32 && lower_type(from) != KT_F32);
        if (widening) {
            l->reg[id] = i.a;
            return;
        } /* registers are wide already */
        break;
    }
    default:
        if (n->nin > 0) i.a = lower_operand(l, id, 0, rows);
        if (n->nin > 1) i.b = lower_operand(l, id, 1, rows);
        if (n->nin > 2) i.c = lower_operand(l, id, 2, rows);
    }
    l->reg[id] = lower_emit(l, i);
}

void lower_store(lower *l, uint32_t id) {
    compile *c = l->c;
    const node *n = &c->g->node[id];
    bool rows = cluster_is_row(c, l->k, id);
    kview view;
    if (!lower_fit(l, &c->view[id], n->rank, node_dims(c->g, n), rows, &view)) return;
    view.buf = lower_buffer(c, id);
    view.dtype = n->dtype;
    lower_emit(l, (kins){.op = K_STORE,
                         .type = (uint8_t)lower_type(n->dtype),
                         .level = rows ? KL_ROW : KL_ELEMENT,
                         .a = l->reg[id],
                         .view = lower_view(l, &view)});
}

/* ---- loop order and merging of dimensions ---- */

static bool lower_mergeable(const kernel *k, int d, int e) { /* may d and e below it be one? */
    for (int i = 0; i < k->nview; i++) {
        const kview *v = &k->view[i];
        bool guard = v->guard &&
                     (v->lo[d] > 0 || v->hi[d] < k->dim[d] || v->lo[e] > 0 || v->hi[e] < k->dim[e]);
        if (guard || (v->stride[d] != v->stride[e] * k->dim[e] && k->dim[d] != 1)) return false;
    }
    return true;
}

static void lower_drop(kernel *k,
                       int d) { /* remove dimension d, which its neighbour has taken in */
    int n = k->outer + k->reduce + k->inner;
    if (d < k->outer) k->outer--;
    else if (d < k->outer + k->reduce) k->reduce--;
    else k->inner--;
    for (int i = d; i + 1 < n; i++) k->dim[i] = k->dim[i + 1];
    for (int v = 0; v < k->nview; v++)
        for (int i = d; i + 1 < n; i++) {
            k->view[v].stride[i] = k->view[v].stride[i + 1];
            k->view[v].lo[i] = k->view[v].lo[i + 1];
            k->view[v].hi[i] = k->view[v].hi[i + 1];
        }
}

static void lower_order(const cluster *c, kernel *k) {
    int order[KDIMS], n = 0, last = -1;
    if (c->folds)
        for (int i = 0; i < c->rank; i++)
            if (c->dim[i] != 1) last = i;
    bool across = c->folds && last >= 0 && !c->red[last];
    for (int i = 0; i < c->rank; i++)
        if (!c->red[i] && !(across && i == last)) order[n++] = i;
    k->outer = (uint8_t)n;
    for (int i = 0; i < c->rank; i++)
        if (c->red[i]) order[n++] = i;
    k->reduce = (uint8_t)(n - k->outer);
    if (across) order[n++] = last;
    k->inner = across;
    for (int i = 0; i < n; i++) k->dim[i] = c->dim[order[i]];
    for (int v = 0; v < k->nview; v++) {
        kview old = k->view[v];
        for (int i = 0; i < n; i++) {
            k->view[v].stride[i] = old.stride[order[i]];
            k->view[v].lo[i] = old.lo[order[i]], k->view[v].hi[i] = old.hi[order[i]];
        }
    }
}

static bool lower_merged(kernel *k, int d, int e) { /* d into e, where that may be */
    if (!lower_mergeable(k, d, e)) return false;
    k->dim[e] *= k->dim[d];
    for (int v = 0; v < k->nview; v++) k->view[v].lo[e] = 0, k->view[v].hi[e] = k->dim[e];
    lower_drop(k, d);
    return true;
}

static void lower_merge(kernel *k) {
    for (int d = 0; d < k->outer + k->reduce;) {
        int edge = d < k->outer ? k->outer : k->outer + k->reduce;
        if (d + 1 >= edge || !lower_merged(k, d, d + 1)) d++;
    }
    if (k->inner && k->outer) lower_merged(k, k->outer - 1, k->outer + k->reduce);
    if (k->reduce == 0 && k->outer == 0) { /* a single number is a row of one */
        k->outer = 1;
        k->dim[0] = 1;
        for (int v = 0; v < k->nview; v++)
            k->view[v].stride[0] = 0, k->view[v].lo[0] = 0, k->view[v].hi[0] = 1;
    }
}

kernel *lower_finish(lower *l, bool merge) {
    arena *a = &l->c->plan->memory;
    kernel *k = arena_new(a, sizeof *k);
    if (k) {
        k->ins = arena_new(a, (size_t)(l->nins + 1) * sizeof *k->ins);
        k->view = arena_new(a, (size_t)(l->nview + 1) * sizeof *k->view);
    }
    if (!k || !k->ins || !k->view) {
        l->c->starved = true;
        return NULL;
    }
    k->nins = (uint16_t)l->nins;
    k->nview = (uint16_t)l->nview;
    if (l->nins) memcpy(k->ins, l->ins, l->nins * sizeof *k->ins);
    if (l->nview) memcpy(k->view, l->view, l->nview * sizeof *k->view);
    lower_order(l->k, k);
    if (merge) lower_merge(k);
    return k;
}
