/* segments.c - runs of steps that a thread may do for its share without waiting for the others.
 *
 * A step is "even" when its units cover equal shares of its rows; a buffer is then either read
 * and written share by share (the batch's rows), or touched as a whole (weights). Two steps need
 * no barrier between them if whatever one writes and the other touches is the same memory, cut
 * into the same shares by both. */
#include "backend/cpu/cpu_parts.h"
#include "core/context.h"
#include <assert.h>

typedef struct segment_use {
    const char *from, *to;
    bool writes, shared;
} segment_use; /* shared: cut into equal shares */

/* A list of uses that grows: a step may touch any number of buffers. */
typedef struct segment_list {
    mem *m;
    segment_use *use;
    size_t n, cap;
    bool starved;
} segment_list;

/* A segment ends when it has so many uses, since each further step is compared with all of them. */
enum { SEGMENT_USES = 512 };

typedef struct segment {
    segment_list uses;
    int64_t groups; /* shares that all even steps of the segment can be cut into; 0: none yet */
    size_t first;
} segment;

static int64_t segment_gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t r = a % b;
        a = b, b = r;
    }
    return a;
}

/* Adds that `buf` is touched; what is listed already is not listed twice. */
static void segment_add(segment_list *l, const weft_plan *p, uint32_t buf, bool writes,
                        bool shared) {
    const buffer *b = &p->buf[buf];
    if (b->passing) return;
    const segment_use use = {b->at, b->at + b->bytes, writes, shared};
    assert(b->at || !b->bytes);
    for (size_t i = 0; i < l->n; i++) {
        const segment_use *o = &l->use[i];
        if (o->from == use.from && o->to == use.to && o->writes == writes && o->shared == shared)
            return;
    }
    if (!MEM_PUSH(l->m, l->use, l->n, l->cap, use)) l->starved = true;
}

/* Do the first `outer` loop dimensions walk through the whole buffer of v in order? */
static bool segment_in_order(const weft_plan *p, const kernel *k, const kview *v, int outer) {
    if (v->guard || v->at != KNOBUF || v->off || outer == 0) return false;
    int64_t count = (int64_t)(p->buf[v->buf].bytes / weft_dtype_size((weft_dtype)v->dtype));
    if (v->stride[0] * k->dim[0] != count) return false;
    for (int d = 0; d + 1 < outer; d++)
        if (v->stride[d] != v->stride[d + 1] * k->dim[d + 1]) return false;
    return true;
}

static void segment_kernel(segment_list *l, const weft_plan *p, const kernel *k, int outer,
                           bool even) {
    for (int i = 0; i < k->nins; i++) {
        const kins *s = &k->ins[i];
        if (s->op != K_LOAD && s->op != K_STORE && s->op != K_TAKE) continue;
        const kview *v = &k->view[s->view];
        const bool shared = even && s->op != K_TAKE && segment_in_order(p, k, v, outer);
        segment_add(l, p, v->buf, s->op == K_STORE, shared);
    }
    for (int v = 0; v < k->nview; v++)
        if (k->view[v].at != KNOBUF) segment_add(l, p, k->view[v].at, false, false);
}

/* A product is even if each unit is a full-width band of the same number of rows. */
static bool segment_even_product(const cpu_product *x) {
    int64_t units = x->plan.units;
    if (x->narrow || x->half || x->takers || x->batches != 1 || units < 1 || x->rows % units)
        return false;
    int64_t each = x->rows / units;
    for (int64_t u = 0; u < units; u++) {
        gemm_area a = gemm_unit(&x->plan, u);
        if (a.i0 != u * each || a.i1 != (u + 1) * each || a.j0 != 0 || a.j1 != x->cols)
            return false;
    }
    return true;
}

static bool segment_whole(const weft_plan *p,
                          const roperand *r) { /* the operand is its buffer, row-major */
    int64_t stride = 1;
    if (r->off || r->rank == 0) return false;
    for (int d = r->rank - 1; d >= 0; d--) {
        if (r->dim[d] != 1 && r->stride[d] != stride) return false;
        stride *= r->dim[d];
    }
    return (size_t)stride * weft_dtype_size((weft_dtype)r->dtype) == p->buf[r->buf].bytes;
}

/* Fills `l` with what a step touches; true: its units are equal shares. */
static bool segment_uses(segment_list *l, const weft_plan *p, const step *s, const cpu_exe *e) {
    bool even = false;
    l->n = 0;
    if (s->kind == STEP_KERNEL) {
        const kernel *k = s->kern;
        int64_t rows = e->permutation ? 0 : interp_rows(e->code);
        bool flat = k->reduce == 0 && k->outer == 1; /* one dimension, cut into chunks */
        even = flat ? k->dim[0] % TILE == 0 : rows > 0;
        segment_kernel(l, p, k, flat || k->reduce ? k->outer : k->outer - 1, even);
        return even;
    }
    if (s->kind == STEP_MATMUL) {
        even = segment_even_product(e->product);
        if (s->kern) segment_kernel(l, p, s->kern, s->kern->outer - 1, even);
        segment_add(l, p, s->in[0].buf, false, even && segment_whole(p, &s->in[0]));
        segment_add(l, p, s->in[1].buf, false, false);
        segment_add(l, p, s->in[2].buf, true, even && segment_whole(p, &s->in[2]));
        const narrow *w = e->product->narrow ? &e->product->narrow->weights : NULL;
        if (w) segment_add(l, p, w->from, false, false);
        if (w && w->by != KNOBUF) segment_add(l, p, w->by, false, false);
        for (int t = 1; t <= e->product->takers; t++) /* which does what they would do */
            for (int i = 0; i < s[t].nin + s[t].nout; i++)
                if (s[t].in[i].buf != KNOBUF)
                    segment_add(l, p, s[t].in[i].buf, i >= s[t].nin, false);
        return even;
    }
    if (s->kind != STEP_COPY && !e->units) return false;
    int64_t rows = s->kind == STEP_COPY ? 0 : e->routine.rows * e->units;
    even = rows > 0;
    if (s->kern) segment_kernel(l, p, s->kern, s->kern->outer - 1, even);
    for (int i = 0; i < s->nin + s->nout; i++) {
        if (s->in[i].buf == KNOBUF) continue;
        bool shared =
            even && s->in[i].rank > 0 && s->in[i].dim[0] == rows && segment_whole(p, &s->in[i]);
        segment_add(l, p, s->in[i].buf, i >= s->nin, shared);
    }
    return even;
}

/* May the step follow those of the segment without a barrier? *tied: it shares memory with one
 * of them. */
static bool segment_fits(const segment *g, const segment_list *l, bool *tied) {
    *tied = false;
    for (size_t i = 0; i < l->n; i++)
        for (size_t k = 0; k < g->uses.n; k++) {
            const segment_use *a = &l->use[i], *b = &g->uses.use[k];
            if (!(a->writes || b->writes) || a->from >= b->to || b->from >= a->to) continue;
            if (!a->shared || !b->shared || a->from != b->from || a->to != b->to) return false;
            *tied = true;
        }
    return true;
}

static void segment_close(const segment *g, cpu_exe *exe, size_t end, const bool *even) {
    for (size_t i = g->first; i < end; i++)
        exe[i].group = even[i] && g->groups ? max_i64(exe[i].units / g->groups, 1) : 1;
}

static void segment_join(segment *g, const segment_list *l, bool even) {
    for (size_t k = 0; k < l->n && !g->uses.starved; k++) {
        segment_use use = l->use[k];
        use.shared = use.shared && even;
        if (!MEM_PUSH(g->uses.m, g->uses.use, g->uses.n, g->uses.cap, use)) g->uses.starved = true;
    }
}

weft_err cpu_segments(weft_plan *p, cpu_exe *exe, size_t n) {
    bool *even = mem_new(p->m, n + 1);
    segment_list use = {.m = p->m};
    segment g = {.uses = {.m = p->m}};
    p->segments = n > 0;
    for (size_t i = 0; even && i < n && !use.starved && !g.uses.starved; i++) {
        bool tied;
        even[i] = segment_uses(&use, p, &p->step[i], &exe[i]);
        int64_t groups = even[i] ? segment_gcd(g.groups, exe[i].units) : g.groups;
        bool fits =
            segment_fits(&g, &use, &tied) && (!g.uses.n || g.uses.n + use.n <= SEGMENT_USES);
        if (fits && even[i] &&
            groups < p->threads) { /* too coarse to share out: alone, or not cut alike */
            fits = !tied;
            even[i] = false;
            groups = g.groups;
        }
        if (!fits) {
            segment_close(&g, exe, i, even);
            g.uses.n = 0, g.first = i;
            exe[i].barrier = true;
            p->segments++;
            even[i] = segment_uses(&use, p, &p->step[i], &exe[i]);
            groups = even[i] ? exe[i].units : 0;
        }
        g.groups = groups;
        segment_join(&g, &use, even[i]);
    }
    const bool good = even && !use.starved && !g.uses.starved;
    if (good) segment_close(&g, exe, n, even);
    mem_free(p->m, even);
    mem_free(p->m, use.use);
    mem_free(p->m, g.uses.use);
    return good ? WEFT_OK : weft_fail(p->ctx, WEFT_MEMORY, "compile: out of memory");
}
