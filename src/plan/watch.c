/* watch.c - looks at every result of a watched plan as soon as it is made, for the first that is
 * not a number.
 *
 * A watched plan has one kernel per operation and one thread, so what is found names the operation
 * and the scope it was recorded in. Infinities may be meant (a mask, the maximum of nothing), so
 * they count only when no nan follows. */
#include "plan/passes.h"
#include <math.h>

static void watch_note(watch *w, bool nan, weft_finding f) {
    weft_finding *to = nan ? &w->nan : &w->inf;
    if (!to->operation) *to = f;
}

/* True when there is nothing left to look for. */
static bool watch_value(watch *w, const char *layer, const char *operation, float x,
                        int64_t element) {
    if (isfinite(x)) return false;
    watch_note(w, isnan(x), (weft_finding){layer, operation, element, x});
    return w->nan.operation != NULL;
}

static void watch_floats(watch *w, const char *layer, const char *operation, const float *x,
                         int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (watch_value(w, layer, operation, x[i], i)) return;
}

/* What a store of kernel k wrote, in the order of its loops. */
static void watch_store(watch *w, const weft_plan *p, const step *s, const kview *v,
                        const char *operation) {
    const kernel *k = s->kern;
    const int rank = k->outer + k->reduce + k->inner;
    int64_t index[KDIMS] = {0}, element = 0;
    for (int d = 0; d < rank; d++)
        if (k->dim[d] == 0) return;
    for (;;) {
        int64_t at = v->off;
        for (int d = 0; d < rank; d++) at += index[d] * v->stride[d];
        const float x = ((const float *)(const void *)p->buf[v->buf].at)[at];
        if (watch_value(w, p->text + s->scope, operation, x, element++)) return;
        int d = rank - 1;
        for (; d >= 0; d--) {
            if (v->stride[d] && ++index[d] < k->dim[d]) break; /* a stride of 0 is one element */
            index[d] = 0;
        }
        if (d < 0) return;
    }
}

void watch_start(weft_plan *p) {
    watch *w = p->watch;
    *w = (watch){0};
    for (size_t i = 0; i < p->ins; i++)
        if (p->in[i].dtype == WEFT_F32)
            watch_floats(w, "", "input", (const float *)(const void *)p->buf[p->in[i].buf].at,
                         (int64_t)(p->in[i].bytes / sizeof(float)));
    for (size_t i = 0; i < p->bufs; i++) {
        const buffer *b = &p->buf[i];
        if (b->place != BUF_STATE) continue;
        const state_entry *e = &p->state[b->state]->entry[b->entry];
        if (e->dtype == WEFT_F32)
            watch_floats(w, e->name, "state", (const float *)(const void *)b->at, e->count);
    }
}

void watch_step(weft_plan *p, size_t i) {
    const step *s = &p->step[i];
    const char *name = plan_step_name(s);
    if (p->watch->nan.operation) return;
    for (int k = s->nin; k < s->nin + s->nout; k++) {
        const roperand *o = &s->in[k];
        int64_t n = 1;
        if (o->buf == KNOBUF || o->dtype != WEFT_F32) continue;
        for (int d = 0; d < o->rank; d++) n *= o->dim[d];
        watch_floats(p->watch, p->text + s->scope, name,
                     (const float *)(const void *)p->buf[o->buf].at + o->off, n);
    }
    for (int k = 0; s->kern && k < s->kern->nins; k++) {
        const kins *c = &s->kern->ins[k];
        if (c->op != K_STORE || s->kern->view[c->view].dtype != WEFT_F32) continue;
        const int op = s->kern->ins[c->a].op;
        watch_store(p->watch, p, s, &s->kern->view[c->view],
                    op == K_LOAD ? name : kins_table[op].name);
    }
}

bool weft_plan_finding(const weft_plan *p, weft_finding *out) {
    if (!p || !p->watch || !out) {
        weft_fail(p ? p->ctx : NULL, WEFT_ARGUMENT,
                  "weft_plan_finding: a plan compiled with .watch was expected");
        return false;
    }
    if (p->ctx->memory->wait(p->ctx, p->ticket) != WEFT_OK) return false;
    const watch *w = p->watch;
    *out = w->nan.operation ? w->nan : w->inf;
    return out->operation != NULL;
}
