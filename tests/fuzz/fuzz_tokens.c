/* fuzz_tokens.c - text: a vocabulary is learned from it, and the text is encoded by that one, by bytes and,
 * if it is UTF-8, by its characters; all of them give it back, at once and as it comes. */
#include "fuzz.h"

#include "base/utf8.h"
#include "weft/text.h"

static void fuzz_trip(fuzz_world *w, weft_vocab *v, const uint8_t *bytes, size_t n, bool plain) {
    fuzz_must(v != NULL, "no vocabulary");
    int32_t *const ids = malloc((n + 1) * sizeof *ids);
    char *const back = malloc(3 * n + 1);
    size_t count = 0, m = 0, at = 0;
    fuzz_must(weft_vocab_encode(v, bytes, n, &(weft_encode_desc){.plain = plain}, ids, n, &count) ==
                  WEFT_OK,
              "is refused");
    fuzz_must(weft_vocab_decode(v, ids, count, back, n, &m) == WEFT_OK, "a token is none");
    fuzz_must(m == n && (!n || !memcmp(back, bytes, n)), "does not come back");
    weft_decoder *const d = weft_decoder_new(v);
    for (size_t i = 0; i <= count; i++) {
        const char *const p =
            i < count ? weft_decoder_next(d, ids[i], &m) : weft_decoder_end(d, &m);
        fuzz_must(utf8_is(p, m), "what comes is not whole characters");
        fuzz_must(at + m <= 3 * n, "more comes than can");
        memcpy(back + at, p, m);
        at += m;
    }
    if (utf8_is((const char *)bytes, n))
        fuzz_must(at == n && (!n || !memcmp(back, bytes, n)), "does not come");
    weft_decoder_free(d);
    weft_vocab_free(v);
    free(ids);
    free(back);
    w->sum += (unsigned)count;
}

/* No two tokens have the same bytes. */
static weft_vocab *fuzz_distinct(weft_vocab *v) {
    const int32_t size = (int32_t)weft_vocab_size(v);
    for (int32_t a = 256; a < size; a++)
        for (int32_t b = 0; b < a; b++) {
            size_t n = 0, m = 0;
            const void *const p = weft_vocab_token(v, a, &n), *const q = weft_vocab_token(v, b, &m);
            fuzz_must(n != m || memcmp(p, q, n), "a token is there twice");
        }
    return v;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    fuzz_world *w = fuzz_begin();
    const weft_bytes text = {"text", bytes, n};
    const weft_learn_desc how = {.size = 257 + (n ? bytes[0] : 0)};
    fuzz_trip(w, fuzz_distinct(weft_vocab_learn(w->ctx, &text, 1, &how)), bytes, n,
              n && bytes[0] & 1);
    fuzz_trip(w, weft_vocab_bytes(w->ctx), bytes, n, true);
    if (n && utf8_is((const char *)bytes, n) && !memchr(bytes, 0, n))
        fuzz_trip(w, weft_vocab_chars(w->ctx, text), bytes, n, false);
    fuzz_must(w->heap.live == w->idle, "memory is left");
    return 0;
}
