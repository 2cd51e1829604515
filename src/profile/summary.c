/* summary.c - one plan's figures as JSON: what a run's kernels.json holds. */
#include "profile.h"

#include "base/text.h"

#include <string.h>

enum { SUMMARY_ROWS = 1024, SUMMARY_TENSORS = 32, SUMMARY_STEPS = 1024, SUMMARY_SCHEMA = 1 };

/* Times and calls are those of one run. */
static void summary_row(text *t, const weft_profile_row *r, weft_profile_way way, int64_t runs) {
    text_add(t, "{");
    if (way == WEFT_BY_KERNEL) {
        text_add(t, "\"name\": ");
        text_quote(t, r->name);
        text_add(t, ", ");
    }
    text_add(t, "\"scope\": ");
    text_quote(t, r->scope);
    if (way == WEFT_BY_KERNEL) {
        text_add(t, ", \"shape\": ");
        text_quote(t, r->shape);
    }
    text_add(t, ", \"calls\": %lld", (long long)(r->calls / runs));
    const struct {
        const char *key;
        double value;
    } number[] = {{"us", r->us / (double)runs},
                  {"share", r->share},
                  {"gflops", r->gflops},
                  {"gbs", r->gbs},
                  {"of_roof", r->of_roof}};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        text_add(t, ", \"%s\": ", number[i].key);
        text_digits(t, number[i].value, 5);
    }
    text_add(t, "}");
}

static weft_err summary_rows(text *t, weft_profile *p, int plan, weft_profile_way way,
                             int64_t runs) {
    weft_profile_rows rows = {0};
    const weft_err e = plan < 0 ? WEFT_OK : weft_profile_by(p, plan, way, &rows);
    if (e) return e;
    text_add(t, ",\n \"%s\": [", way == WEFT_BY_KERNEL ? "kernels" : "scopes");
    for (size_t i = 0; i < rows.n && i < SUMMARY_ROWS; i++) {
        text_add(t, "%s\n  ", i ? "," : "");
        summary_row(t, &rows.at[i], way, runs);
    }
    text_add(t, "]");
    return WEFT_OK;
}

/* "block3/attn: matmul [8,64]" */
static void summary_tensor(text *t, const weft_profile_tensor *x) {
    text name = {.m = t->m};
    text_add(&name, "%s%s%s %s", x->scope, *x->scope ? ": " : "", x->name, x->shape);
    if (name.failed) t->failed = true;
    else {
        text_add(t, "{\"name\": ");
        text_quote(t, name.s);
        text_add(t, ", \"bytes\": %zu}", x->bytes);
    }
    text_free(&name);
}

static void summary_arena(text *t, const weft_profile_plan *f) {
    text_add(t, ",\n \"arena\": {\"peak_bytes\": %zu, \"at_step\": %zu, \"tensors\": [",
             f->peak_bytes, f->peak_step);
    for (size_t i = 0; i < f->tensor_count && i < SUMMARY_TENSORS; i++) {
        text_add(t, "%s\n  ", i ? "," : "");
        summary_tensor(t, &f->tensors[i]);
    }
    text_add(t, "],\n  \"live\": [");
    for (size_t i = 0; i < f->stats.kernels && i < SUMMARY_STEPS; i++)
        text_add(t, "%s%zu", i ? ", " : "", f->live[i]);
    text_add(t, "]}");
}

char *weft_profile_json(weft_profile *p, int plan) {
    weft_profile_plan f = {0};
    if (!p || plan < -1 || (plan >= 0 && !weft_profile_plan_at(p, (size_t)plan, &f))) {
        weft_fail(p ? p->c : NULL, WEFT_ARGUMENT, "weft_profile_json: no plan %d, or no profile",
                  plan);
        return NULL;
    }
    text t = {.m = mem_of(p->c)};
    const int64_t runs = f.timed > 0 ? f.timed : 1;
    text_add(&t, "{\"schema\": %d, \"plan\": ", SUMMARY_SCHEMA);
    if (plan < 0) text_add(&t, "null");
    else text_quote(&t, f.name);
    text_add(&t, ", \"threads\": %d, \"runs\": %lld, \"step_us\": ", f.threads, (long long)f.timed);
    text_digits(&t, f.us / (double)runs, 6);
    text_add(&t, ", \"wait\": ");
    text_digits(&t, f.thread_us > 0 ? f.wait_us / f.thread_us : 0, 5);
    text_add(&t, ", \"arena_bytes\": %zu, \"allocations\": %llu", f.stats.arena_bytes,
             (unsigned long long)weft_profile_facts_of(p).allocations);
    weft_err e = summary_rows(&t, p, plan, WEFT_BY_KERNEL, runs);
    if (!e) e = summary_rows(&t, p, plan, WEFT_BY_SCOPE, runs);
    if (!e) summary_arena(&t, &f);
    text_add(&t, "}\n");
    if (!e && t.failed) e = weft_fail(p->c, WEFT_MEMORY, "weft_profile_json: out of memory");
    if (!e) return t.s;
    weft_resize(p->c, t.s, 0);
    return NULL;
}
