/* kernels.c - kernels.json of a run: where the time of a step goes, from its profile.
 *
 * Reads alone; who writes the file may be another version or another program, so every field may be
 * absent, and a row that is no object is skipped. */
#include "slip.h"
#include "train_parts.h"

#include <math.h>
#include <string.h>

/* clang-format off */
#define KERNELS_TEXTS(X)   X(name) X(scope) X(shape)
#define KERNELS_NUMBERS(X) X(us) X(share) X(gflops) X(gbs) X(of_roof)
/* clang-format on */

static bool kernels_is_object(weft_json j) {
    return weft_json_kind_of(j) == WEFT_JSON_OBJECT;
}

static void kernels_row(weft_json row, weft_run_kernel *k) {
#define X(field) slip_text(row, #field, k->field, sizeof k->field);
    KERNELS_TEXTS(X)
#undef X
#define X(field) k->field = slip_number(row, #field);
    KERNELS_NUMBERS(X)
#undef X
    k->calls = slip_count(row, "calls");
}

static void kernels_lists(weft_json all, weft_run_kernels *out) {
    for (weft_json key = {0}, row = {0}; weft_json_next(weft_json_get(all, "kernels"), &key, &row);)
        if (kernels_is_object(row) && out->kernel_count < WEFT_RUN_KERNELS)
            kernels_row(row, &out->kernel[out->kernel_count++]);
    for (weft_json key = {0}, row = {0};
         weft_json_next(weft_json_get(all, "scopes"), &key, &row);) {
        if (!kernels_is_object(row) || out->scope_count == WEFT_RUN_SCOPES) continue;
        weft_run_scope *const s = &out->scope[out->scope_count++];
        slip_text(row, "scope", s->scope, sizeof s->scope);
        s->us = slip_number(row, "us");
        s->share = slip_number(row, "share");
    }
    const weft_json arena = weft_json_get(all, "arena");
    for (weft_json key = {0}, row = {0};
         weft_json_next(weft_json_get(arena, "tensors"), &key, &row);) {
        if (!kernels_is_object(row) || out->tensor_count == WEFT_RUN_TENSORS) continue;
        weft_run_tensor *const t = &out->tensor[out->tensor_count++];
        slip_text(row, "name", t->name, sizeof t->name);
        t->bytes = slip_count(row, "bytes");
    }
    for (weft_json key = {0}, v = {0}; weft_json_next(weft_json_get(arena, "live"), &key, &v);)
        if (out->live_count < WEFT_RUN_LIVE)
            out->live[out->live_count++] = (int64_t)fmax(0, fmin(0x1p53, weft_json_number(v, 0)));
}

weft_err weft_run_kernels_read(weft_ctx *c, const char *run, weft_run_kernels *out) {
    slip s;
    if (!c || !run || !out)
        return weft_fail(c, WEFT_ARGUMENT, "weft_run_kernels_read: an argument is NULL");
    memset(out, 0, sizeof *out);
    WEFT_TRY(slip_open(&s, c, run, KERNELS_NAME));
    slip_text(s.all, "plan", out->plan, sizeof out->plan);
    out->step_us = slip_number(s.all, "step_us");
    out->wait = slip_number(s.all, "wait");
#define X(field, path) out->field = slip_count(s.all, path);
    X(threads, "threads")
    X(runs, "runs")
    X(arena_bytes, "arena_bytes")
    X(allocations, "allocations")
    X(peak_bytes, "arena.peak_bytes")
    X(peak_step, "arena.at_step")
#undef X
    kernels_lists(s.all, out);
    slip_close(&s);
    return WEFT_OK;
}
