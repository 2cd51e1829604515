/* record.c - tells a recorder what a context does: plans made and freed, timed runs, phases.
 *
 * A recorder is asked before each run whether it shall be timed and where the times go; the backend
 * writes them, each thread into a row of its own, and the recorder reads them when all threads are
 * done. So nothing is shared while a run goes on. What is done with the times is the recorder's. */
#include "plan/passes.h"

static weft_err record_tell(weft_plan *p) {
    const weft_recorder *r = &p->ctx->recorder;
    p->tag = NULL;
    return r->made ? r->made(r->user, p, &p->tag) : WEFT_OK;
}

static void record_forget(weft_plan *p) {
    const weft_recorder *r = &p->ctx->recorder;
    if (p->ctx->recorded && r->freed) r->freed(r->user, p->tag);
    p->tag = NULL;
}

weft_err record_made(weft_plan *p) {
    weft_ctx *c = p->ctx;
    if (c->recorded) WEFT_TRY(record_tell(p));
    p->older = c->plans;
    if (p->older) p->older->newer = p;
    c->plans = p;
    p->listed = true;
    return WEFT_OK;
}

void record_gone(weft_plan *p) {
    if (!p->listed) return; /* it failed before anybody knew of it */
    record_forget(p);
    if (p->older) p->older->newer = p->newer;
    if (p->newer) p->newer->older = p->older;
    else p->ctx->plans = p->older;
}

weft_err weft_record(weft_ctx *c, const weft_recorder *r) {
    if (!c) return weft_fail(c, WEFT_ARGUMENT, "weft_record: the context is NULL");
    if (r && c->recorded)
        return weft_fail(c, WEFT_STATE, "weft_record: another recorder is attached; one at a time");
    if (!r) {
        for (weft_plan *p = c->plans; p; p = p->older) record_forget(p);
        c->recorded = false;
        c->recorder = (weft_recorder){0};
        return WEFT_OK;
    }
    c->recorder = *r;
    c->recorded = true;
    for (weft_plan *p = c->plans; p; p = p->older) {
        const weft_err e = record_tell(p);
        if (!e) continue;
        for (weft_plan *told = c->plans; told != p; told = told->older) record_forget(told);
        c->recorded = false;
        c->recorder = (weft_recorder){0};
        return e;
    }
    return WEFT_OK;
}

bool weft_recorded(const weft_ctx *c) {
    return c && c->recorded;
}

weft_err record_run(weft_plan *p) {
    const weft_recorder *r = &p->ctx->recorder;
    p->span = r->begins ? r->begins(r->user, p->tag) : NULL;
    if (!p->span) return p->ctx->backend->run(p, &p->ticket);
    p->span_threads = 0;
    const double start = weft_clock();
    weft_err e = p->ctx->backend->run(p, &p->ticket);
    if (!e) e = p->ctx->memory->wait(p->ctx, p->ticket);
    p->span = NULL;
    if (r->ends) r->ends(r->user, p->tag, p->span_threads, start, weft_clock());
    return e;
}

/* ---- phases ---- */

double weft_phase_start(const weft_ctx *c) {
    return weft_recorded(c) && c->recorder.phase ? weft_clock() : 0;
}

/* A phase that began before there was a recorder, at 0, is not reported. */
static void record_phase(const weft_ctx *c, const char *name, double start, double end) {
    if (start > 0 && weft_recorded(c) && c->recorder.phase)
        c->recorder.phase(c->recorder.user, name, start, end);
}

void weft_phase_end(const weft_ctx *c, const char *name, double start) {
    if (start > 0 && name) record_phase(c, name, start, weft_clock());
}

void record_pass(const weft_ctx *c, const char *name, double *since) {
    if (!(*since > 0)) return;
    const double now = weft_clock();
    record_phase(c, name, *since, now);
    *since = now;
}
