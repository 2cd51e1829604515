/* fuzz_vocab.c - vocabularies: a tokenizer.json, or, parted by a zero byte, a list of tokens and a list of
 * merges. What is read encodes and decodes, is saved, and is the same when it is read again. */
#include "fuzz.h"

#include "weft/text.h"

#include <unistd.h>

static void fuzz_use(fuzz_world *w, const weft_vocab *v, const uint8_t *bytes, size_t n) {
    const size_t most = n < 600 ? n : 600;
    int32_t ids[600];
    char back[600];
    size_t count = 0, m = 0;
    const weft_err e = weft_vocab_encode(v, bytes, most, NULL, ids, most, &count);
    if (e != WEFT_OK) {
        fuzz_must(e == WEFT_ARGUMENT && !strcmp(weft_vocab_kind(v), "chars"), "text is refused");
        return;
    }
    fuzz_must(count <= most, "more tokens than bytes");
    fuzz_must(weft_vocab_decode(v, ids, count, back, most, &m) == WEFT_OK, "a token is none");
    fuzz_must(m == most && !memcmp(back, bytes, m), "does not come back");
    w->sum += (unsigned)count;
}

static void fuzz_again(fuzz_world *w, const weft_vocab *v) {
    char folder[64], path[96];
    snprintf(folder, sizeof folder, "/tmp/weft-fuzz-%ld", (long)getpid());
    snprintf(path, sizeof path, "%s/tokenizer.json", folder);
    fuzz_must(weft_vocab_save(v, folder) == WEFT_OK, "cannot be saved");
    weft_vocab *const u = weft_vocab_open(w->ctx, folder);
    unlink(path);
    rmdir(folder);
    if (!u) fprintf(stderr, "%s\n", weft_error(w->ctx));
    fuzz_must(u != NULL, "cannot be read again");
    fuzz_must(weft_vocab_size(u) == weft_vocab_size(v), "another size");
    fuzz_must(!strcmp(weft_vocab_kind(u), weft_vocab_kind(v)), "another kind");
    for (int32_t id = 0; id < weft_vocab_size(v); id++) {
        size_t n = 0, m = 0;
        const void *const p = weft_vocab_token(v, id, &n), *const q = weft_vocab_token(u, id, &m);
        fuzz_must(!p == !q && n == m && (!n || !memcmp(p, q, n)), "another token");
    }
    weft_vocab_free(u);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    fuzz_world *w = fuzz_begin();
    const uint8_t *const zero = n ? memchr(bytes, 0, n) : NULL;
    const size_t first = zero ? (size_t)(zero - bytes) : n;
    const weft_bytes merges = {"merges.txt", zero ? zero + 1 : NULL, zero ? n - first - 1 : 0};
    weft_vocab *const v = weft_vocab_parse(w->ctx, (weft_bytes){"vocab", bytes, first}, merges);
    if (v) {
        fuzz_use(w, v, bytes, n);
        fuzz_again(w, v);
    } else {
        const weft_err e = weft_error_code(w->ctx);
        fuzz_must(e == WEFT_FORMAT || e == WEFT_UNSUPPORTED, "refused with a strange code");
        fuzz_must(*weft_error(w->ctx) != 0, "refused without a message");
        fuzz_must(w->heap.peak - w->idle <= 64 * n + (1 << 20), "too much memory before refusing");
    }
    weft_vocab_free(v);
    fuzz_must(w->heap.live == w->idle, "memory is left");
    return 0;
}
