/* top_json.c - what weft top knows, as one JSON object; null where it does not. */
#include "json.h"
#include "top.h"

#include <math.h>

enum { TOP_SCHEMA = 1 };

static void top_json_count(json *j, const char *key, int64_t n) { /* 0: not known */
    if (n > 0) json_integer(j, key, n);
    else json_text(j, key, NULL);
}

static void top_json_kernels(const weft_run_kernels *k, json *j) {
    json_open(j, "kernels", '{');
    json_text(j, "plan", k->plan);
    json_integer(j, "threads", k->threads);
    json_number(j, "step_us", k->step_us);
    json_number(j, "wait", k->wait);
    json_integer(j, "arena_bytes", k->arena_bytes);
    json_open(j, "rows", '[');
    for (int i = 0; i < k->kernel_count; i++) {
        const weft_run_kernel *const one = &k->kernel[i];
        json_open(j, NULL, '{');
        json_text(j, "name", one->name);
        json_text(j, "scope", one->scope);
        json_text(j, "shape", one->shape);
        json_integer(j, "calls", one->calls);
        json_number(j, "us", one->us);
        json_number(j, "share", one->share);
        json_number(j, "gflops", one->gflops);
        json_number(j, "gbs", one->gbs);
        json_number(j, "of_roof", one->of_roof);
        json_close(j);
    }
    json_close(j);
    json_close(j);
}

void top_json(const top_run *t, const top_facts *f, FILE *to) {
    json j = json_begin(to);
    json_integer(&j, "schema", TOP_SCHEMA);
    json_text(&j, "run", t->folder);
    json_text(&j, "title", *t->title ? t->title : NULL);
    json_text(&j, "command", *t->command ? t->command : NULL);
    json_text(&j, "state", f->word);
    json_text(&j, "text", *t->status.text ? t->status.text : NULL);
    json_integer(&j, "step", t->step);
    top_json_count(&j, "steps", t->status.steps);
    top_json_count(&j, "resumed_at", t->status.resumed_at);
    json_number(&j, "time", t->time);
    json_number(&j, "share", f->share);
    json_number(&j, "left_seconds", f->left);
    json_number(&j, "age_seconds", f->age);
    json_number(&j, "stalled_after_seconds", f->stalled_after);
    json_number(&j, "steps_per_s", f->rate);
    json_number(&j, "examples_per_s", f->examples);
    json_number(&j, "memory_bytes", f->memory);
    top_json_count(&j, "state_bytes", t->status.state_bytes);
    top_json_count(&j, "arena_bytes", (int64_t)f->arena);
    json_integer(&j, "rows", t->rows);
    json_integer(&j, "skipped", t->skipped);
    json_integer(&j, "outliers", t->outliers);
    if (t->outliers) json_number(&j, "last_outlier", t->outlier_at);
    json_text(&j, "problem", *t->problem ? t->problem : NULL);
    json_open(&j, "metrics", '{');
    for (int i = 0; i < t->metrics; i++) json_number(&j, t->metric[i].name, t->metric[i].last);
    json_close(&j);
    if (t->profiled) top_json_kernels(&t->kernels, &j);
    json_end(&j);
}
