/* fuzz_baseline.c - baselines of benchmarks. What is taken is written, read again and written with
 * the same bytes; its records can be put into another. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "fuzz_file.h"
#include "weft/bench.h"

static void use(fuzz_world *w, weft_baseline *b) {
    char path[2][300];
    size_t n[2];
    char *text[2];
    fuzz_path(path[0], sizeof path[0], "a.json");
    fuzz_path(path[1], sizeof path[1], "b.json");
    fuzz_must(weft_baseline_write(b, path[0]) == WEFT_OK, "not written");
    weft_baseline *const again = weft_baseline_open(w->ctx, path[0]);
    fuzz_must(again && weft_baseline_write(again, path[1]) == WEFT_OK, "not read again");
    for (int i = 0; i < 2; i++) text[i] = fuzz_file_get(path[i], &n[i]);
    fuzz_must(n[0] == n[1] && memcmp(text[0], text[1], n[0]) == 0, "written otherwise");
    for (int i = 0; i < 2; i++) free(text[i]);

    weft_baseline *const other = weft_baseline_new(w->ctx);
    weft_bench_record r, found;
    for (size_t i = 0; weft_baseline_at(b, i, &r); i++) {
        fuzz_must(weft_baseline_put(other, &r) == WEFT_OK, "a record that is none");
        fuzz_must(weft_baseline_find(b, r.name, r.threads, &found), "not found");
        fuzz_must(memcmp(&r, &found, sizeof r) == 0, "another was found");
        fuzz_must(!weft_bench_slowdown(&r, &found, 0).slower, "slower than itself");
    }
    fuzz_must(weft_baseline_count(other) == weft_baseline_count(b), "one was there twice");
    weft_baseline_free(other);
    weft_baseline_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    fuzz_world *w = fuzz_begin();
    char path[300];
    fuzz_path(path, sizeof path, "a.json");
    fuzz_file_put(path, bytes, n);
    weft_baseline *const b = weft_baseline_open(w->ctx, path);
    if (b) use(w, b);
    else fuzz_refused(w, n);
    weft_baseline_free(b);
    fuzz_must(w->heap.live == w->idle, "memory is left");
    return 0;
}
