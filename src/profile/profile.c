/* profile.c - opening and closing a profile, and its plain facts. What happens while the context
 * works is in spans.c and remember.c, what becomes of it in sums.c, summary.c and trace.c. */
#include "profile.h"

#include <weft/bench.h>

#include <string.h>

enum { PROFILE_MOST_EVENTS = 1 << 24 };

weft_profile *weft_profile_open(weft_ctx *c, const weft_profile_desc *d) {
    static const weft_profile_desc usual;
    if (!d) d = &usual;
    if (!c || d->events < 0 || d->events > PROFILE_MOST_EVENTS || d->skip < 0 || d->runs < 0) {
        weft_fail(c, WEFT_ARGUMENT,
                  "weft_profile_open: a context and numbers from 0 on were expected, of events at "
                  "most %d",
                  PROFILE_MOST_EVENTS);
        return NULL;
    }
    weft_profile *p = weft_resize(c, NULL, sizeof *p);
    if (p) memset(p, 0, sizeof *p);
    const size_t room = d->no_events ? 0 : d->events ? (size_t)d->events : PROFILE_EVENTS;
    if (p && room) {
        p->event = weft_resize(c, NULL, room * sizeof *p->event);
        if (p->event) memset(p->event, 0, room * sizeof *p->event); /* no page fault in a run */
    }
    if (!p || (room && !p->event)) {
        weft_resize(c, p, 0);
        weft_fail(c, WEFT_MEMORY, "weft_profile_open: out of memory for %zu events", room);
        return NULL;
    }
    p->c = c, p->d = *d, p->room = room;
    p->opened = weft_clock();
    p->allocations[0] = weft_allocations(c), p->allocated[0] = weft_allocated(c);
    pthread_mutex_init(&p->lock, NULL);
    if (weft_record(c, &(weft_recorder){.user = p,
                                        .made = profile_plan_made,
                                        .freed = profile_plan_freed,
                                        .begins = profile_begins,
                                        .ends = profile_ends,
                                        .phase = profile_phase}) == WEFT_OK)
        return p;
    p->stopped = p->opened; /* another recorder is attached */
    weft_profile_close(p);
    return NULL;
}

void weft_profile_stop(weft_profile *p) {
    if (!p || p->stopped > 0) return;
    weft_record(p->c, NULL);
    p->stopped = weft_clock();
    p->allocations[1] = weft_allocations(p->c), p->allocated[1] = weft_allocated(p->c);
}

void weft_profile_close(weft_profile *p) {
    if (!p) return;
    weft_ctx *const c = p->c;
    weft_profile_stop(p);
    for (size_t i = 0; i < p->plans; i++) profile_plan_free(p->plan[i]);
    weft_resize(c, p->plan, 0);
    weft_resize(c, p->event, 0);
    weft_resize(c, p->row, 0);
    pthread_mutex_destroy(&p->lock);
    weft_resize(c, p, 0);
}

/* ---- facts ---- */

weft_profile_facts weft_profile_facts_of(const weft_profile *p) {
    weft_profile_facts f = {0};
    if (!p) return f;
    const bool over = p->stopped > 0;
    f.allocations = (over ? p->allocations[1] : weft_allocations(p->c)) - p->allocations[0];
    f.allocated = (over ? p->allocated[1] : weft_allocated(p->c)) - p->allocated[0];
    f.run_allocations = p->run_allocations;
    f.events = p->events;
    f.dropped = p->dropped;
    f.plans_dropped = p->plans_dropped;
    f.seconds = (over ? p->stopped : weft_clock()) - p->opened;
    f.peak_gflops = p->gflops;
    f.peak_gbs = p->gbs[PROFILE_LEVELS - 1];
    return f;
}

size_t weft_profile_plans(const weft_profile *p) {
    return p ? p->plans : 0;
}

bool weft_profile_plan_at(const weft_profile *p, size_t i, weft_profile_plan *out) {
    if (!p || !out || i >= p->plans) return false;
    const profile_plan *r = p->plan[i];
    *out = r->facts;
    out->runs = r->due.seen;
    out->us = 1e6 * r->wall;
    out->thread_us = 1e6 * r->thread_time;
    for (size_t k = 0; k < r->facts.stats.kernels; k++) {
        out->busy_us += 1e6 * r->step[k].busy;
        out->wait_us += 1e6 * r->step[k].wait;
    }
    return true;
}

int weft_profile_busiest(const weft_profile *p) {
    int best = -1;
    for (size_t i = 0; p && i < p->plans; i++)
        if (p->plan[i]->wall > (best < 0 ? 0 : p->plan[best]->wall)) best = (int)i;
    return best;
}

/* ---- the roof ---- */

/* Within the first, the second and the third cache of most machines, and beyond all of them. */
const size_t profile_footprint[PROFILE_LEVELS] = {24 << 10, 256 << 10, 4 << 20, 64 << 20};

weft_err weft_profile_measure_peaks(weft_profile *p) {
    if (!p)
        return weft_fail(NULL, WEFT_ARGUMENT, "weft_profile_measure_peaks: the profile is NULL");
    const char *isa = weft_device_isa(p->c);
    const double gflops = weft_peak_gflops(isa);
    if (!(gflops > 0))
        return weft_fail(p->c, WEFT_UNSUPPORTED,
                         "weft_profile_measure_peaks: no measurement for \"%s\"", isa);
    for (int i = 0; i < PROFILE_LEVELS; i++)
        p->gbs[i] = weft_peak_copy_gbs(isa, profile_footprint[i]);
    p->gflops = gflops;
    return WEFT_OK;
}
