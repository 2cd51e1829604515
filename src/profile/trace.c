/* trace.c - the events as JSON of the trace event format, which ui.perfetto.dev and
 * chrome://tracing read: slices (ph X) with a lane (tid) for each thread, counters (ph C) for
 * memory, names of lanes (ph M), and what was left out.
 *
 * Times are microseconds since the opening, written as whole nanoseconds, so that slices which
 * touch do so in the text too. */
#include "profile.h"

#include "base/text.h"

#include <weft/io.h>

#include <string.h>

enum { TRACE_TAIL = 512 << 10, TRACE_PROCESS = 1 }; /* the tail: room for names and metadata */

typedef struct trace {
    weft_profile *p;
    text t;
    const profile_plan *last; /* found */
    uint64_t written, cut;
    bool lane[PROFILE_OTHERS + PROFILE_CALLERS];
} trace;

static const profile_plan *trace_plan(trace *x, uint32_t number) {
    if (x->last && x->last->number == number) return x->last;
    x->last = NULL;
    for (size_t i = 0; i < x->p->plans && !x->last; i++)
        if (x->p->plan[i]->number == number) x->last = x->p->plan[i];
    return x->last;
}

static void trace_time(text *t, const char *key, int64_t ns) {
    text_add(t, ", \"%s\": %lld.%03d", key, (long long)(ns / 1000), (int)(ns % 1000));
}

/* {"ph": "X", "name": NAME, ...: the caller adds args and the end. */
static void trace_open(trace *x, const char *ph, const char *name) {
    text_add(&x->t, ",\n{\"ph\": \"%s\", \"pid\": %d, \"name\": ", ph, TRACE_PROCESS);
    text_quote(&x->t, name);
}

static void trace_slice(trace *x, const profile_event *e, const char *kind, const char *name) {
    trace_open(x, "X", name);
    text_add(&x->t, ", \"cat\": \"%s\", \"tid\": %d", kind, e->lane);
    trace_time(&x->t, "ts", e->start);
    trace_time(&x->t, "dur", e->end - e->start);
}

static void trace_counter(trace *x, int64_t ns, const char *name, const char *what, uint64_t v) {
    trace_open(x, "C", name);
    trace_time(&x->t, "ts", ns);
    text_add(&x->t, ", \"args\": {\"%s\": %llu}}", what, (unsigned long long)v);
}

static void trace_kernel(trace *x, const profile_event *e, const profile_plan *r) {
    const profile_step *s = &r->step[e->what];
    const double part = (double)e->part, ns = (double)(e->end - e->start);
    const struct {
        const char *key;
        double value;
    } number[] = {{"flop", s->flops * part},
                  {"bytes", s->bytes * part},
                  {"GFLOP/s", s->flops * part / ns},
                  {"GB/s", s->bytes * part / ns}};
    trace_slice(x, e, "kernel", s->name);
    text_add(&x->t, ", \"args\": {\"step\": %u, \"scope\": ", e->what);
    text_quote(&x->t, s->scope);
    text_add(&x->t, ", \"shape\": ");
    text_quote(&x->t, s->shape);
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        text_add(&x->t, ", \"%s\": ", number[i].key);
        text_digits(&x->t, number[i].value, i < 2 ? 12 : 4);
    }
    text_add(&x->t, "}}");
    if (!e->first) return;
    char name[80] = "arena of ";
    memcpy(name + 9, r->name, sizeof r->name);
    trace_counter(x, e->start, name, "bytes in use", r->facts.live[e->what]);
}

static void trace_event(trace *x, const profile_event *e) {
    const profile_plan *r = trace_plan(x, e->plan);
    const bool slice = e->kind != EVENT_MEMORY && e->kind != EVENT_ARENA;
    if (slice && e->end <= e->start) return; /* shorter than the clock can tell */
    switch ((profile_kind)e->kind) {
    case EVENT_MEMORY:
        trace_counter(x, e->start, "allocations", "made", e->count);
        trace_counter(x, e->start, "allocated", "bytes asked for", e->bytes);
        return;
    case EVENT_ARENA: trace_counter(x, e->start, "arenas", "bytes", e->bytes); return;
    case EVENT_PHASE:
        trace_slice(x, e, "phase", x->p->name[e->what]);
        text_add(&x->t, "}");
        break;
    case EVENT_RUN:
        if (!r) return;
        trace_slice(x, e, "run", r->name);
        text_add(&x->t, ", \"args\": {\"run\": %u}}", e->what);
        break;
    case EVENT_WAIT:
        if (!r) return;
        trace_slice(x, e, "wait", "wait");
        text_add(&x->t, ", \"args\": {\"before step\": %u}}", e->what);
        break;
    case EVENT_KERNEL:
        if (!r) return;
        trace_kernel(x, e, r);
        break;
    }
    x->lane[e->lane] = true;
}

static void trace_named(trace *x, const char *what, int lane, const char *name, int order) {
    text_add(&x->t, ",\n{\"ph\": \"M\", \"pid\": %d, \"tid\": %d, \"name\": \"%s\", \"args\": {",
             TRACE_PROCESS, lane, what);
    if (name) {
        text_add(&x->t, "\"name\": ");
        text_quote(&x->t, name);
    } else text_add(&x->t, "\"sort_index\": %d", order);
    text_add(&x->t, "}}");
}

static void trace_lanes(trace *x) {
    text name = {.m = x->t.m};
    for (int i = 0; i < (int)(sizeof x->lane / sizeof *x->lane); i++) {
        if (!x->lane[i]) continue;
        text_clear(&name);
        if (i == 0) text_add(&name, "caller");
        else if (i < PROFILE_OTHERS) text_add(&name, "worker %d", i);
        else text_add(&name, "caller %d", i - PROFILE_OTHERS + 1);
        if (name.failed) x->t.failed = true;
        else {
            trace_named(x, "thread_name", i, name.s, 0);
            trace_named(x, "thread_sort_index", i, NULL, i);
        }
    }
    text_free(&name);
}

static void trace_metadata(trace *x) {
    const weft_profile_facts f = weft_profile_facts_of(x->p);
    text *const t = &x->t;
    text_add(t,
             "],\n\"displayTimeUnit\": \"ns\",\n\"metadata\": {\"weft\": \"%s\", \"device\": "
             "\"%s\", \"isa\": \"%s\", \"events\": %llu, \"dropped\": %llu, \"cut\": %llu, "
             "\"allocations\": %llu, \"plans_dropped\": %llu, \"seconds\": ",
             weft_version(), weft_device_name(x->p->c), weft_device_isa(x->p->c),
             (unsigned long long)x->written, (unsigned long long)f.dropped,
             (unsigned long long)x->cut, (unsigned long long)f.allocations,
             (unsigned long long)f.plans_dropped);
    text_digits(t, f.seconds, 9);
    text_add(t, ",\n\"plans\": [");
    for (size_t i = 0; i < x->p->plans; i++) {
        weft_profile_plan plan;
        weft_profile_plan_at(x->p, i, &plan);
        text_add(t, "%s\n{\"name\": ", i ? "," : "");
        text_quote(t, plan.name);
        text_add(t,
                 ", \"kernels\": %u, \"threads\": %d, \"runs\": %lld, \"timed\": %lld, "
                 "\"kept\": %lld, \"arena_bytes\": %zu}",
                 plan.stats.kernels, plan.threads, (long long)plan.runs, (long long)plan.timed,
                 (long long)plan.kept, plan.stats.arena_bytes);
    }
    text_add(t, "]}}\n");
}

weft_err weft_profile_write_trace(weft_profile *p, const char *path) {
    if (!p || !path)
        return weft_fail(p ? p->c : NULL, WEFT_ARGUMENT,
                         "weft_profile_write_trace: the profile or the path is NULL");
    if (!p->room)
        return weft_fail(p->c, WEFT_ARGUMENT,
                         "weft_profile_write_trace: the profile was opened without events");
    trace *const x = weft_resize(p->c, NULL, sizeof *x);
    if (!x) return weft_fail(p->c, WEFT_MEMORY, "weft_profile_write_trace: out of memory");
    *x = (trace){.p = p, .t = {.m = mem_of(p->c)}};
    text_add(&x->t,
             "{\"traceEvents\": [\n{\"ph\": \"M\", \"pid\": %d, \"name\": \"process_name\", "
             "\"args\": {\"name\": \"%s %s\"}}",
             TRACE_PROCESS, weft_device_name(p->c), weft_device_isa(p->c));
    const size_t n = p->events;
    for (size_t i = 0; i < n && !x->t.failed; i++) {
        if (x->t.n > WEFT_TRACE_BYTES - TRACE_TAIL) {
            x->cut = n - i;
            break;
        }
        trace_event(x, &p->event[i]);
        x->written++;
    }
    trace_lanes(x);
    trace_metadata(x);
    const weft_err e = x->t.failed
                           ? weft_fail(p->c, WEFT_MEMORY, "weft_profile_write_trace: out of memory")
                           : weft_file_write(p->c, path, x->t.s, x->t.n);
    weft_resize(p->c, x->t.s, 0);
    weft_resize(p->c, x, 0);
    return e;
}
