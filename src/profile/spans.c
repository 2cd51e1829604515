/* spans.c - what is written down while plans run: sums for every timed run, events for some.
 *
 * Runs of different plans may go on at the same time. Sums belong to a plan, which one thread runs
 * at a time; events are taken from the common array by an atomic counter; so no run waits for
 * another. Phases are rarer, and take a lock. */
#include "profile.h"

#include <stdio.h>
#include <string.h>

/* ---- threads ---- */

/* Only its address is used: it tells threads apart. */
static _Thread_local char spans_here;

/* The lane of the thread that calls; -1: there are too many. */
static int spans_lane(weft_profile *p) {
    const uintptr_t me = (uintptr_t)&spans_here;
    for (int i = 0; i < PROFILE_CALLERS; i++) {
        uintptr_t is = atomic_load_explicit(&p->caller[i], memory_order_relaxed);
        if (is == 0 && atomic_compare_exchange_strong(&p->caller[i], &is, me)) is = me;
        if (is == me) return i ? PROFILE_OTHERS + i : 0;
    }
    return -1;
}

/* ---- events ---- */

static int64_t spans_time(const weft_profile *p, double t) {
    return (int64_t)((t - p->opened) * 1e9 + 0.5);
}

/* Room for n events, or NULL, and they count as dropped. */
static profile_event *spans_take(weft_profile *p, size_t n) {
    size_t at = atomic_load_explicit(&p->events, memory_order_relaxed);
    do {
        if (n > p->room - at) {
            atomic_fetch_add_explicit(&p->dropped, n, memory_order_relaxed);
            return NULL;
        }
    } while (!atomic_compare_exchange_weak(&p->events, &at, at + n));
    return p->event + at;
}

static bool spans_due(weft_profile *p, profile_due *d) {
    if (!p->room) return false;
    const bool early = atomic_load_explicit(&p->events, memory_order_relaxed) < p->room / 2;
    if (!early && d->seen < d->next) return false;
    d->next = d->seen + d->seen / 16 + 1;
    return true;
}

static void spans_memory(weft_profile *p, double now) {
    const uint64_t count = weft_allocations(p->c);
    if (!p->room ||
        atomic_exchange_explicit(&p->told_allocations, count, memory_order_relaxed) == count)
        return;
    profile_event *const e = spans_take(p, 1);
    if (e)
        *e = (profile_event){.kind = EVENT_MEMORY,
                             .start = spans_time(p, now),
                             .count = count - p->allocations[0],
                             .bytes = weft_allocated(p->c) - p->allocated[0]};
}

void profile_arenas(weft_profile *p, int64_t more) {
    pthread_mutex_lock(&p->lock);
    p->arena_bytes += (uint64_t)more;
    profile_event *const e = p->room ? spans_take(p, 1) : NULL;
    if (e)
        *e = (profile_event){
            .kind = EVENT_ARENA, .start = spans_time(p, weft_clock()), .bytes = p->arena_bytes};
    pthread_mutex_unlock(&p->lock);
}

/* ---- runs ---- */

weft_span *profile_begins(void *user, void *tag) {
    weft_profile *const p = user;
    profile_plan *const r = tag;
    if (!r) return NULL;
    const int64_t run = r->due.seen++;
    if (run < p->d.skip || (p->d.runs && run - p->d.skip >= p->d.runs)) return NULL;
    r->keep = spans_due(p, &r->due);
    r->allocations = weft_allocations(p->c);
    return r->span;
}

/* How long a thread waited before step i of its row: what lies between two steps. One thread alone
 * does not wait. */
static double spans_wait(const weft_span *row, size_t i, int threads) {
    return threads > 1 && i && row[i].start > row[i - 1].end ? row[i].start - row[i - 1].end : 0;
}

static void spans_keep(weft_profile *p, profile_plan *r, int threads, double start, double end) {
    const size_t steps = r->facts.stats.kernels;
    const int lane = spans_lane(p);
    size_t n = 1;
    for (int t = 0; t < threads; t++)
        for (size_t i = 0; i < steps; i++) {
            const weft_span *const row = r->span + steps * (size_t)t;
            n += (row[i].end > row[i].start) + (spans_wait(row, i, threads) > 0);
        }
    profile_event *e = lane < 0 ? NULL : spans_take(p, n);
    if (lane < 0) atomic_fetch_add_explicit(&p->dropped, n, memory_order_relaxed);
    if (!e) return;
    const bool first = r->facts.kept++ == 0;
    *e++ = (profile_event){.kind = EVENT_RUN,
                           .start = spans_time(p, start),
                           .end = spans_time(p, end),
                           .plan = r->number,
                           .what = (uint32_t)r->due.seen,
                           .lane = (uint16_t)lane};
    for (int t = 0; t < threads; t++) {
        const weft_span *const row = r->span + steps * (size_t)t;
        const uint16_t on = (uint16_t)(t ? t : lane);
        for (size_t i = 0; i < steps; i++) {
            const profile_event step = {
                .plan = r->number, .what = (uint32_t)i, .lane = on, .first = first && t == 0};
            if (spans_wait(row, i, threads) > 0) {
                *e = step;
                e->kind = EVENT_WAIT;
                e->start = spans_time(p, row[i - 1].end), e->end = spans_time(p, row[i].start);
                e++;
            }
            if (row[i].end > row[i].start) {
                *e = step;
                e->kind = EVENT_KERNEL, e->part = (float)row[i].part;
                e->start = spans_time(p, row[i].start), e->end = spans_time(p, row[i].end);
                e++;
            }
        }
    }
}

void profile_ends(void *user, void *tag, int threads, double start, double end) {
    weft_profile *const p = user;
    profile_plan *const r = tag;
    const size_t steps = r->facts.stats.kernels;
    r->facts.timed++;
    r->wall += end - start;
    r->thread_time += (end - start) * (threads > 1 ? threads : 1);
    for (int t = 0; t < threads; t++) {
        const weft_span *const row = r->span + steps * (size_t)t;
        for (size_t i = 0; i < steps; i++) {
            r->step[i].busy += row[i].end - row[i].start;
            r->step[i].wait += spans_wait(row, i, threads);
        }
    }
    const uint64_t made = weft_allocations(p->c) - r->allocations;
    if (made) atomic_fetch_add_explicit(&p->run_allocations, made, memory_order_relaxed);
    if (!r->keep) return;
    spans_keep(p, r, threads, start, end);
    spans_memory(p, end);
}

/* ---- phases ---- */

/* The number of a name, with the lock held; the last stands for all that are too many. */
static int spans_name(weft_profile *p, const char *name) {
    char cut[PROFILE_NAME];
    snprintf(cut, sizeof cut, "%s", p->names + 1 < PROFILE_NAMES ? name : "others");
    for (int i = 0; i < p->names; i++)
        if (strcmp(p->name[i], cut) == 0) return i;
    if (p->names == PROFILE_NAMES) return PROFILE_NAMES - 1;
    memcpy(p->name[p->names], cut, sizeof cut);
    return p->names++;
}

void profile_phase(void *user, const char *name, double start, double end) {
    weft_profile *const p = user;
    if (!p->room) return;
    pthread_mutex_lock(&p->lock);
    const int what = spans_name(p, name);
    p->name_due[what].seen++;
    const bool due = spans_due(p, &p->name_due[what]);
    pthread_mutex_unlock(&p->lock);
    if (!due) return;
    const int lane = spans_lane(p);
    if (lane < 0) atomic_fetch_add_explicit(&p->dropped, 1, memory_order_relaxed);
    profile_event *const e = lane < 0 ? NULL : spans_take(p, 1);
    if (e)
        *e = (profile_event){.kind = EVENT_PHASE,
                             .start = spans_time(p, start),
                             .end = spans_time(p, end),
                             .what = (uint32_t)what,
                             .lane = (uint16_t)lane};
    spans_memory(p, end);
}
