/* remember.c - what a profile remembers of a plan: its steps, their texts, its arena. All of it is
 * copied when the plan is made, since the plan may be freed before it is asked for. */
#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void profile_plan_free(profile_plan *r) {
    if (!r) return;
    weft_ctx *const c = r->profile->c;
    weft_resize(c, (void *)(uintptr_t)r->facts.live, 0);
    weft_resize(c, (void *)(uintptr_t)r->facts.tensors, 0);
    weft_resize(c, r->step, 0);
    weft_resize(c, r->span, 0);
    weft_resize(c, r->texts, 0);
    weft_resize(c, r, 0);
}

static void *remember_new(weft_ctx *c, size_t count, size_t size) {
    void *p = weft_resize(c, NULL, (count + 1) * size);
    return p ? memset(p, 0, (count + 1) * size) : NULL;
}

static const char *remember_text(char **at, const char *s) {
    const size_t n = strlen(s) + 1;
    char *to = *at;
    *at += n;
    return memcpy(to, s, n);
}

static size_t remember_length(const weft_plan_part *x) {
    return strlen(x->name) + strlen(x->scope) + strlen(x->shape) + 3;
}

static int remember_larger(const void *a, const void *b) {
    const weft_profile_tensor *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return strcmp(x->name, y->name);
}

static bool remember_at(const weft_plan_part *x, size_t step) {
    return x->first <= step && step <= x->last;
}

/* live: bytes in use at each step; *peak and *step: the most of them. */
static void remember_timeline(const weft_plan *p, size_t *live, size_t steps, size_t *peak,
                              size_t *step) {
    weft_plan_part x;
    for (size_t i = 0; weft_plan_tensor(p, i, &x); i++)
        for (size_t k = x.first; k <= x.last && k < steps; k++) live[k] += (size_t)x.bytes;
    *peak = 0, *step = 0;
    for (size_t k = 0; k < steps; k++)
        if (live[k] > *peak) *peak = live[k], *step = k;
}

/* Texts of all steps and of the tensors at the peak; the record's arrays are filled from them. */
static bool remember_fill(profile_plan *r, const weft_plan *p) {
    weft_ctx *const c = r->profile->c;
    const size_t steps = r->facts.stats.kernels;
    size_t *live = remember_new(c, steps, sizeof *live), bytes = 0, tensors = 0;
    r->facts.live = live;
    r->step = remember_new(c, steps, sizeof *r->step);
    r->span = remember_new(c, steps * (size_t)r->facts.threads, sizeof *r->span);
    if (!live || !r->step || !r->span) return false;
    remember_timeline(p, live, steps, &r->facts.peak_bytes, &r->facts.peak_step);
    weft_plan_part x;
    for (size_t i = 0; weft_plan_step(p, i, &x); i++) bytes += remember_length(&x);
    for (size_t i = 0; weft_plan_tensor(p, i, &x); i++)
        if (remember_at(&x, r->facts.peak_step)) bytes += remember_length(&x), tensors++;
    weft_profile_tensor *tensor = remember_new(c, tensors, sizeof *tensor);
    r->facts.tensors = tensor;
    r->texts = remember_new(c, bytes, 1);
    if (!tensor || !r->texts) return false;
    char *at = r->texts;
    for (size_t i = 0; weft_plan_step(p, i, &x); i++)
        r->step[i] = (profile_step){.name = remember_text(&at, x.name),
                                    .scope = remember_text(&at, x.scope),
                                    .shape = remember_text(&at, x.shape),
                                    .flops = x.flops,
                                    .bytes = x.bytes};
    for (size_t i = 0; weft_plan_tensor(p, i, &x); i++)
        if (remember_at(&x, r->facts.peak_step))
            tensor[r->facts.tensor_count++] =
                (weft_profile_tensor){.name = remember_text(&at, x.name),
                                      .scope = remember_text(&at, x.scope),
                                      .shape = remember_text(&at, x.shape),
                                      .bytes = (size_t)x.bytes};
    qsort(tensor, tensors, sizeof *tensor, remember_larger);
    return true;
}

static bool remember_room(weft_profile *p) {
    if (p->plans < p->plan_room) return true;
    const size_t room = 2 * p->plan_room + 8;
    profile_plan **more = weft_resize(p->c, p->plan, room * sizeof *more);
    if (!more) return false;
    p->plan = more;
    p->plan_room = room;
    return true;
}

weft_err profile_plan_made(void *user, const weft_plan *plan, void **tag) {
    weft_profile *const p = user;
    const weft_stats s = weft_plan_stats(plan);
    *tag = NULL;
    p->plans_made++;
    if (p->plans >= PROFILE_PLANS) {
        p->plans_dropped++;
        return WEFT_OK;
    }
    profile_plan *r = remember_new(p->c, 1, sizeof *r);
    if (r) {
        r->profile = p;
        r->number = p->plans_made;
        r->facts.stats = s;
        r->facts.threads = s.threads > 1 ? s.threads : 1;
        r->facts.name = r->name;
        if (*weft_plan_name(plan)) snprintf(r->name, sizeof r->name, "%s", weft_plan_name(plan));
        else snprintf(r->name, sizeof r->name, "plan %u", r->number);
    }
    if (!r || !remember_fill(r, plan) || !remember_room(p)) {
        profile_plan_free(r);
        return weft_fail(p->c, WEFT_MEMORY, "profile: out of memory for a plan of %u kernels",
                         s.kernels);
    }
    p->plan[p->plans++] = r;
    *tag = r;
    profile_arenas(p, (int64_t)s.arena_bytes);
    return WEFT_OK;
}

/* What ran is remembered, but for the room of its next run. */
void profile_plan_freed(void *user, void *tag) {
    weft_profile *const p = user;
    profile_plan *const r = tag;
    if (!r) return;
    profile_arenas(p, -(int64_t)r->facts.stats.arena_bytes);
    if (r->facts.timed) {
        weft_resize(p->c, r->span, 0);
        r->span = NULL;
        return;
    }
    size_t i = 0;
    while (p->plan[i] != r) i++;
    memmove(p->plan + i, p->plan + i + 1, (--p->plans - i) * sizeof *p->plan);
    profile_plan_free(r);
}
