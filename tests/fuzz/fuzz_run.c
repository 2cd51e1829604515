/* fuzz_run.c - the files by which a run is watched: the same bytes as metrics.jsonl, status.json and
 * kernels.json. Rows must be the same whether they come at once or in two pieces; of the others
 * nothing may be out of its bounds. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "fuzz_file.h"
#include "weft/train.h"

#include <math.h>

static char rows[300], status[300], kernels[300];

static void make_files(void) {
    if (*rows) return;
    fuzz_path(rows, sizeof rows, "metrics.jsonl");
    fuzz_path(status, sizeof status, "status.json");
    fuzz_path(kernels, sizeof kernels, "kernels.json");
    fuzz_file_put(status, NULL, 0);
    fuzz_must(link(status, kernels) == 0, "no second name"); /* one write is for both */
}

static void add(const uint8_t *bytes, size_t n) {
    FILE *const f = fopen(rows, "ab");
    fuzz_must(f && (!n || fwrite(bytes, 1, n, f) == n) && fclose(f) == 0, "not written");
}

typedef struct seen {
    int64_t rows, steps, skipped;
    size_t values;
} seen;

static void follow(weft_follow *f, seen *s) {
    weft_follow_row r;
    do {
        fuzz_must(weft_follow_next(f, &r) == WEFT_OK, "a row that is an error");
        fuzz_must(r.m.n <= WEFT_METRICS, "too many metrics");
        for (size_t i = 0; i < r.m.n; i++) s->values += strlen(r.m.at[i].name) + 1;
        s->rows += r.has_row;
        s->steps = (int64_t)((uint64_t)s->steps * 31u + (uint64_t)r.step);
        s->skipped = r.skipped;
    } while (r.has_row);
}

static void text(const char *s, size_t room) {
    fuzz_must(memchr(s, 0, room) != NULL, "a text without an end");
}

static void small_files(fuzz_world *w) {
    static weft_run_kernels k;
    weft_run_status s;
    if (weft_run_status_read(w->ctx, fuzz_folder, &s) == WEFT_OK) {
        text(s.state, sizeof s.state);
        text(s.text, sizeof s.text);
        text(s.host, sizeof s.host);
        fuzz_must(s.steps >= 0 && s.process >= 0 && s.batch >= 0, "a count below 0");
        fuzz_must(s.seconds >= 0 && s.began >= 0 && s.ended >= 0, "a time below 0");
    }
    if (weft_run_kernels_read(w->ctx, fuzz_folder, &k) != WEFT_OK) return;
    text(k.plan, sizeof k.plan);
    fuzz_must(k.kernel_count <= WEFT_RUN_KERNELS && k.scope_count <= WEFT_RUN_SCOPES &&
                  k.tensor_count <= WEFT_RUN_TENSORS,
              "too long a list");
    for (int i = 0; i < k.kernel_count; i++) {
        text(k.kernel[i].name, sizeof k.kernel[i].name);
        text(k.kernel[i].scope, sizeof k.kernel[i].scope);
        text(k.kernel[i].shape, sizeof k.kernel[i].shape);
        fuzz_must(!isinf(k.kernel[i].share) && k.kernel[i].calls >= 0, "a strange number");
    }
    for (int i = 0; i < k.scope_count; i++) text(k.scope[i].scope, sizeof k.scope[i].scope);
    for (int i = 0; i < k.tensor_count; i++) text(k.tensor[i].name, sizeof k.tensor[i].name);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    fuzz_world *w = fuzz_begin();
    make_files();
    const size_t half = n ? bytes[n - 1] % n : 0;
    seen whole = {0}, parts = {0};
    fuzz_file_put(status, bytes, n);
    small_files(w);

    weft_follow *f = weft_follow_open(w->ctx, fuzz_folder);
    fuzz_must(f != NULL, "no follower");
    fuzz_file_put(rows, bytes, half);
    follow(f, &parts);
    add(bytes + half, n - half);
    follow(f, &parts);
    weft_follow_close(f);
    f = weft_follow_open(w->ctx, fuzz_folder);
    follow(f, &whole);
    weft_follow_close(f);
    /* Only the last step is seen twice, where nothing new came. */
    fuzz_must(whole.rows == parts.rows && whole.skipped == parts.skipped &&
                  whole.values == parts.values,
              "other rows in two pieces");
    fuzz_must(w->heap.live == w->idle, "memory is left");
    return 0;
}
