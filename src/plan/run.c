/* run.c - a plan from outside: feeds, running, results, statistics, and the bounded cache of
 * plans. */
#include "core/limits.h"
#include "plan/passes.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>

void weft_plan_free(weft_plan *p) {
    assert(!p || (p->steps <= p->step_cap && p->bufs <= p->buf_cap));
    if (!p) return;
    record_gone(p);
    p->ctx->memory->wait(p->ctx, p->ticket);
    if (p->ctx->backend->release) p->ctx->backend->release(p);
    for (size_t i = 0; i < p->states; i++) state_release(p->state[i]);
    mem_free(p->m, p->state);
    mem_free(p->m, p->step);
    mem_free(p->m, p->buf);
    mem_free(p->m, p->in);
    mem_free(p->m, p->out);
    mem_free(p->m, p->text);
    p->ctx->memory->drop(p->ctx, p->arena);
    transfer_free(p);
    arena_free(&p->memory);
    mem_free(p->m, p);
}

static binding *run_find(const weft_plan *p, binding *list, size_t n, weft_tensor t) {
    assert(p && (list || !n));
    if (t.g != p->origin) return NULL;
    for (size_t i = 0; i < n; i++)
        if (list[i].id == t.id) return &list[i];
    return NULL;
}

/* "f32 [4,6], tensor 3": a tensor has no name, but its reader knows its shape. */
static const char *run_words(const binding *b, char *to, size_t n) {
    assert(b->rank <= WEFT_MAX_RANK && b->dtype < WEFT_DTYPE_COUNT && n > 0);
    char shape[100];
    snprintf(to, n, "%s %s, tensor %u", weft_dtype_name((weft_dtype)b->dtype),
             shape_text(shape, sizeof shape, b->rank, b->dim), b->id);
    return to;
}

/* What a plan reads or fetches, for a message: all of it, or as much as has room. */
static const char *run_list(const binding *list, size_t n, char *to, size_t room) {
    assert(room > 8 && (list || !n));
    char words[140];
    size_t at = 0;
    snprintf(to, room, "nothing");
    for (size_t i = 0; i < n; i++) {
        const int more = snprintf(to + at, room - at, "%s%s", i ? "; " : "",
                                  run_words(&list[i], words, sizeof words));
        if (more < 0 || at + (size_t)more + 4 >= room) {
            snprintf(to + at, room - at, "%s", at + 6 < room ? "; ..." : "");
            break;
        }
        at += (size_t)more;
    }
    return to;
}

/* The plan has no such tensor in that list. */
static weft_err run_unknown(const weft_plan *p, const char *what, const binding *list, size_t n,
                            weft_tensor t, const char *among) {
    char all[300];
    if (t.g != p->origin)
        return weft_fail(p->ctx, WEFT_ARGUMENT,
                         "%s: the tensor is not of the graph this plan was compiled from", what);
    return weft_fail(p->ctx, WEFT_ARGUMENT, "%s: the tensor is not %s: %s", what, among,
                     run_list(list, n, all, sizeof all));
}

/* Before the first run: an input that was never set is all zeros, which is hardly intended. */
static weft_err run_fed(weft_plan *p) {
    assert(!p->fed);
    char words[140];
    for (size_t i = 0; i < p->ins; i++)
        if (!p->in[i].given && p->in[i].bytes)
            return weft_fail(p->ctx, WEFT_ARGUMENT,
                             "weft_run: input %zu of %zu (%s) was never set; weft_set or weft_feed "
                             "gives it values",
                             i + 1, p->ins, run_words(&p->in[i], words, sizeof words));
    p->fed = true;
    return WEFT_OK;
}

static weft_err run_alive(const weft_plan *p, const char *what) {
    if (!p) return weft_fail(NULL, WEFT_ARGUMENT, "%s: the plan is NULL", what);
    for (size_t i = 0; i < p->states; i++)
        if (p->state[i]->freed)
            return weft_fail(p->ctx, WEFT_STATE, "%s: a state this plan uses was freed", what);
    return WEFT_OK;
}

weft_err weft_set(weft_plan *p, weft_tensor input, const void *data, size_t bytes) {
    if (!p) return weft_fail(NULL, WEFT_ARGUMENT, "weft_set: the plan is NULL");
    binding *b = run_find(p, p->in, p->ins, input);
    if (!b) return run_unknown(p, "weft_set", p->in, p->ins, input, "an input this plan reads");
    if (bytes != b->bytes || (!data && bytes)) {
        char buf[100];
        return weft_fail(p->ctx, WEFT_ARGUMENT, "weft_set: input %s %s takes %zu bytes, got %zu%s",
                         weft_dtype_name((weft_dtype)b->dtype),
                         shape_text(buf, sizeof buf, b->rank, b->dim), b->bytes, bytes,
                         data ? "" : " at NULL");
    }
    const double start = weft_phase_start(p->ctx);
    if (bytes) memcpy(b->host, data, bytes);
    b->given = b->fresh = true;
    weft_phase_end(p->ctx, "set", start);
    return WEFT_OK;
}

void *weft_feed(weft_plan *p, weft_tensor input) {
    if (!p) {
        weft_fail(NULL, WEFT_ARGUMENT, "weft_feed: the plan is NULL");
        return NULL;
    }
    binding *b = run_find(p, p->in, p->ins, input);
    if (!b) {
        run_unknown(p, "weft_feed", p->in, p->ins, input, "an input this plan reads");
        return NULL;
    }
    b->given = b->shared = true;
    return b->host;
}

weft_err weft_run(weft_plan *p) {
    WEFT_TRY(run_alive(p, "weft_run"));
    if (!p->fed) WEFT_TRY(run_fed(p));
    const bool host = p->ctx->memory->host;
    if (!host) WEFT_TRY(transfer_before(p));
    if (p->shadows) WEFT_TRY(shadow_refresh(p));
    WEFT_TRY(p->ctx->recorded ? record_run(p) : p->ctx->backend->run(p, &p->ticket));
    if (p->changes) shadow_ran(p);
    return host ? WEFT_OK : transfer_after(p);
}

weft_err weft_wait(weft_plan *p) {
    if (!p) return weft_fail(NULL, WEFT_ARGUMENT, "weft_wait: the plan is NULL");
    return p->ctx->memory->wait(p->ctx, p->ticket);
}

weft_err weft_get(weft_plan *p, weft_tensor t, void *out, size_t bytes) {
    WEFT_TRY(run_alive(p, "weft_get"));
    const binding *b = run_find(p, p->out, p->outs, t);
    if (!b) return run_unknown(p, "weft_get", p->out, p->outs, t, "among what this plan fetches");
    if (bytes != b->bytes || (!out && bytes)) {
        char buf[100];
        return weft_fail(p->ctx, WEFT_ARGUMENT, "weft_get: %s %s has %zu bytes, got room for %zu%s",
                         weft_dtype_name((weft_dtype)b->dtype),
                         shape_text(buf, sizeof buf, b->rank, b->dim), b->bytes, bytes,
                         out ? "" : " at NULL");
    }
    const buffer *from = &p->buf[b->buf];
    return device_get(p->ctx, from->block, from->from, out, bytes);
}

float weft_item(weft_plan *p, weft_tensor t) {
    const binding *b = p ? run_find(p, p->out, p->outs, t) : NULL;
    if (b && b->dtype == WEFT_I32) {
        int32_t i;
        return weft_get(p, t, &i, sizeof i) == WEFT_OK ? (float)i : NAN;
    }
    if (b && b->dtype != WEFT_F32) {
        weft_fail(p->ctx, WEFT_DTYPE, "weft_item: an f32 or i32 was expected");
        return NAN;
    }
    float v;
    return weft_get(p, t, &v, sizeof v) == WEFT_OK ? v : NAN;
}

weft_stats weft_plan_stats(const weft_plan *p) {
    weft_stats s = {0};
    if (!p) return s;
    s.kernels = (uint32_t)p->steps;
    for (size_t i = 0; i < p->steps; i++) s.products += p->step[i].kind == STEP_MATMUL;
    s.segments = p->segments;
    s.threads = p->threads;
    s.arena_bytes = p->arena_bytes;
    s.flops = p->flops;
    s.bytes = p->bytes;
    return s;
}

/* ---- plans by key ---- */

typedef struct plans_item {
    int64_t key[LIMIT_PLAN_KEY];
    int n;
    uint64_t used;
    weft_plan *plan;
} plans_item;

struct weft_plans {
    weft_ctx *ctx;
    weft_state *state;
    weft_build build;
    void *user;
    uint64_t clock;
    int capacity;
    plans_item item[];
};

weft_plans *weft_plans_new(weft_ctx *c, weft_state *s, int capacity, weft_build build, void *user) {
    if (!c || !build || capacity < 1 || capacity > LIMIT_PLANS) {
        weft_fail(c, WEFT_ARGUMENT,
                  "weft_plans_new: a context, a builder and a capacity of 1 to %d were expected",
                  LIMIT_PLANS);
        return NULL;
    }
    weft_plans *ps = mem_new(&c->m, sizeof *ps + (size_t)capacity * sizeof *ps->item);
    if (!ps) {
        weft_fail(c, WEFT_MEMORY, "weft_plans_new: out of memory");
        return NULL;
    }
    ps->ctx = c, ps->state = s, ps->build = build, ps->user = user, ps->capacity = capacity;
    return ps;
}

weft_plan *weft_plans_get(weft_plans *ps, const int64_t *key, int n) {
    if (!ps || !key || n < 1 || n > LIMIT_PLAN_KEY) {
        weft_fail(ps ? ps->ctx : NULL, WEFT_ARGUMENT,
                  "weft_plans_get: a key of 1 to %d numbers was expected", LIMIT_PLAN_KEY);
        return NULL;
    }
    plans_item *oldest = &ps->item[0];
    for (int i = 0; i < ps->capacity; i++) {
        plans_item *it = &ps->item[i];
        if (it->plan && it->n == n && !memcmp(it->key, key, (size_t)n * sizeof *key)) {
            it->used = ++ps->clock;
            return it->plan;
        }
        if (it->used < oldest->used) oldest = it;
    }
    weft_plan *p = ps->build(ps->ctx, ps->state, key, n, ps->user);
    if (!p) return NULL;
    weft_plan_free(oldest->plan);
    memcpy(oldest->key, key, (size_t)n * sizeof *key);
    oldest->n = n, oldest->plan = p, oldest->used = ++ps->clock;
    return p;
}

void weft_plans_free(weft_plans *ps) {
    if (!ps) return;
    for (int i = 0; i < ps->capacity; i++) weft_plan_free(ps->item[i].plan);
    mem_free(&ps->ctx->m, ps);
}
