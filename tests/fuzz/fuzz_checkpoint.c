/* fuzz_checkpoint.c - checkpoints: facts, extras, and the state they are loaded into, which must
 * change as a whole or not at all. A changed byte seldom gets past the checksums of a file; seeds
 * without them let the rest be seen. */
#include "fuzz_archive.h"

static weft_state *state_of(fuzz_world *w) {
    static weft_state *s;
    if (s) return s;
    s = weft_state_new(w->ctx);
    weft_graph *g = weft_graph_new(w->ctx);
    weft_param(g, s, "w", weft_dims(2, 3), (weft_init){.kind = WEFT_INIT_ONES});
    weft_buffer(g, s, "optim.step", WEFT_I32, WEFT_0D, (weft_init){0});
    weft_buffer(g, s, "on", WEFT_BOOL, weft_dims(2), (weft_init){0});
    weft_graph_free(g);
    weft_state_hash(s); /* gives it its memory */
    w->idle = w->heap.peak = w->heap.live;
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    fuzz_world *w = fuzz_begin();
    weft_state *s = state_of(w);
    weft_archive *a = weft_archive_parse(w->ctx, bytes, n, "checkpoint");
    fuzz_must(w->heap.peak - w->idle <= 2 * n + (1 << 20), "too much memory for opening");
    if (!a) {
        fuzz_refused(w, n);
        return 0;
    }
    weft_archive *extra = weft_archive_new(w->ctx);
    weft_checkpoint k = {.extra = extra};
    if (weft_checkpoint_facts(a, &k) == WEFT_OK)
        fuzz_must(k.step >= 0 && k.data_epoch >= 0 && k.data_index >= 0, "a negative place");
    uint64_t before = weft_state_hash(s);
    weft_load_desc how = {.all = true, .allow_missing = bytes[0] & 1, .allow_extra = bytes[0] & 2};
    if (weft_state_load(s, a, &how) != WEFT_OK)
        fuzz_must(weft_state_hash(s) == before, "half a state was loaded");
    weft_archive_free(extra);
    weft_archive_free(a);
    fuzz_must(w->heap.live == w->idle, "memory is left");
    return 0;
}
