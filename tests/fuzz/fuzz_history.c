/* fuzz_history.c - histories of benchmarks. Any bytes are one; they stay as they are when a record is
 * added, and that one is read back. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "fuzz_file.h"
#include "weft/bench.h"

static weft_history *opened(fuzz_world *w) {
    static const weft_machine machine = {"cpu", 1, "", "0123456789abcdef"};
    weft_history *const h = weft_history_open(w->ctx, fuzz_folder, &machine);
    fuzz_must(h != NULL, "a history that cannot be opened");
    return h;
}

static void look(const weft_history *h) { /* at the last; a detector costs more than all the rest */
    weft_bench_record r;
    weft_history_view v;
    const size_t n = weft_history_count(h);
    if (!weft_history_at(h, n - 1, &r)) return;
    fuzz_must(weft_history_look(h, r.name, r.threads, &v) == WEFT_OK, "not looked at");
    fuzz_must(v.records <= n && v.changed <= v.records, "more than there are");
    fuzz_must(v.records < 2 || v.typical >= 0, "nothing is usual");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    fuzz_world *w = fuzz_begin();
    char path[300];
    fuzz_path(path, sizeof path, "0123456789abcdef.jsonl");
    fuzz_file_put(path, bytes, n);
    weft_history *h = opened(w);
    size_t lines = n > 0, now;
    for (size_t i = 0; i < n; i++) lines += bytes[i] == '\n';
    const size_t count = weft_history_count(h), spoiled = weft_history_malformed(h);
    fuzz_must(count + spoiled <= lines, "more than there are lines");
    look(h);
    const weft_bench_record added = {
        .name = "added", .threads = 3, .samples = 1, .median_us = 5, .relative = 2, .high_us = 7};
    fuzz_must(weft_history_add(h, &added) == WEFT_OK, "not added");
    weft_history_free(h);

    char *const text = fuzz_file_get(path, &now);
    fuzz_must(now > n && (!n || memcmp(text, bytes, n) == 0), "what was there has changed");
    free(text);
    h = opened(w);
    weft_bench_record r;
    fuzz_must(weft_history_count(h) == count + 1 && weft_history_malformed(h) == spoiled, "lost");
    fuzz_must(weft_history_at(h, count, &r) && memcmp(&r, &added, sizeof r) == 0, "another");
    weft_history_free(h);
    fuzz_must(w->heap.live == w->idle, "memory is left");
    return 0;
}
