/* encode.c - text to ids and back.
 *
 * Added tokens are found first, the text between them is split into words, and each word is looked up:
 * in a cache of this call, then among the tokens, and only then merged from its bytes. The cache knows
 * short words by their bytes and has, for each, its id, or where in the result its ids are; it has a
 * fixed size, and newer words replace older ones. */
#include "text/vocab.h"

#include "base/utf8.h"

enum { ENCODE_SLOTS = 2048, ENCODE_KEY = 16, ENCODE_SHORT_TEXT = 4096 };

typedef struct encode_key { /* a word of at most ENCODE_KEY bytes, zeros behind it */
    uint64_t low, high;
} encode_key;

typedef struct encode_slot {
    encode_key key;
    uint32_t n, count; /* bytes, 0: empty; ids */
    size_t at;         /* the id if there is one, else where they are in the result */
} encode_slot;

typedef struct encoder {
    const weft_vocab *v;
    weft_ctx *ctx;
    const unsigned char *end; /* of the whole text */
    int32_t *ids;
    size_t room, count;
    encode_slot *slot; /* NULL: the text is short */
    vocab_scratch scratch;
} encoder;

static void encode_add(encoder *e, int32_t id) {
    if (e->count < e->room) e->ids[e->count] = id;
    e->count++;
}

static uint64_t encode_eight(const unsigned char *p, size_t n) {
    uint64_t v;
    memcpy(&v, p, 8);
    return n >= 8 ? v : v & (((uint64_t)1 << 8 * n) - 1);
}

/* Sixteen bytes can be read at p unless the text ends before. A key is compared, never shown, so the
 * order of bytes does not matter. */
static encode_key encode_key_of(const encoder *e, const unsigned char *p, size_t n) {
    unsigned char copy[ENCODE_KEY] = {0};
    if (e->end - p < ENCODE_KEY) p = memcpy(copy, p, n);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    if (p != copy) p = memcpy(copy, p, n);
    return (encode_key){encode_eight(p, 8), encode_eight(p + 8, 8)};
#else
    return (encode_key){encode_eight(p, n), n > 8 ? encode_eight(p + 8, n - 8) : 0};
#endif
}

static weft_err encode_merged(encoder *e, const unsigned char *p, size_t n) {
    const int32_t *ids;
    size_t count;
    const weft_err err = bpe_word(e->v, &e->scratch, p, n, &ids, &count);
    for (size_t i = 0; err == WEFT_OK && i < count; i++) encode_add(e, ids[i]);
    return err;
}

static weft_err encode_looked_up(encoder *e, const unsigned char *p, size_t n) {
    const int32_t id = vocab_look(e->v, p, n, vocab_hash(p, n));
    if (id < 0 || !(e->v->token[id].is & VOCAB_WORD)) return encode_merged(e, p, n);
    encode_add(e, id);
    return WEFT_OK;
}

static weft_err encode_word(encoder *e, const unsigned char *p, size_t n) {
    if (!e->slot || n > ENCODE_KEY) return encode_looked_up(e, p, n);
    const encode_key key = encode_key_of(e, p, n);
    const uint64_t hash = hash_word(hash_word(key.low, key.high), n);
    encode_slot *const s = &e->slot[hash % ENCODE_SLOTS];
    if (s->n == n && s->key.low == key.low && s->key.high == key.high) {
        if (s->count == 1) encode_add(e, (int32_t)s->at);
        else
            for (size_t i = 0; i < s->count; i++) encode_add(e, e->ids[s->at + i]);
        return WEFT_OK;
    }
    const size_t at = e->count;
    WEFT_TRY(encode_looked_up(e, p, n));
    if (e->count > e->room) return WEFT_OK; /* what is not written cannot be copied */
    *s = (encode_slot){.key = key, .n = (uint32_t)n, .count = (uint32_t)(e->count - at)};
    s->at = s->count == 1 ? (size_t)e->ids[at] : at;
    return WEFT_OK;
}

static weft_err encode_words(encoder *e, const unsigned char *from, const unsigned char *to) {
    split_walk walk = {.s = &e->v->split, .at = from, .end = to};
    for (size_t n; (n = split_next(&walk)) > 0;) WEFT_TRY(encode_word(e, walk.at - n, n));
    return WEFT_OK;
}

static weft_err encode_bytes(encoder *e, const unsigned char *from, const unsigned char *to) {
    for (; from < to; from++) encode_add(e, e->v->byte[*from]);
    return WEFT_OK;
}

static weft_err encode_chars(encoder *e, const unsigned char *text, const unsigned char *from,
                             const unsigned char *to) {
    for (size_t n; from < to; from += n) {
        n = utf8_length((const char *)from, (size_t)(to - from));
        const int32_t id = n == 0   ? -1
                           : n == 1 ? e->v->byte[*from]
                                    : vocab_look(e->v, from, n, vocab_hash(from, n));
        if (n == 0)
            return weft_fail(e->ctx, WEFT_ARGUMENT,
                             "weft_vocab_encode: the byte %02x at offset %zu is not UTF-8",
                             (unsigned)*from, (size_t)(from - text));
        if (id < 0)
            return weft_fail(
                e->ctx, WEFT_ARGUMENT,
                "weft_vocab_encode: the character \"%.*s\" at offset %zu is not in the "
                "vocabulary of %d characters",
                (int)n, (const char *)from, (size_t)(from - text), (int)e->v->size);
        encode_add(e, id);
    }
    return WEFT_OK;
}

/* The next place where an added token begins, or `to`; *id: which. */
static const unsigned char *encode_find(const encoder *e, const unsigned char *p,
                                        const unsigned char *to, int32_t *id) {
    for (; p < to; p++)
        if (e->v->added_first[*p] && (*id = vocab_added_at(e->v, p, (size_t)(to - p))) >= 0)
            return p;
    return to;
}

static weft_err encode_text(encoder *e, const unsigned char *text, bool plain) {
    const unsigned char *p = text;
    while (p < e->end) {
        int32_t id = -1;
        const unsigned char *const to =
            plain || !e->v->added_count ? e->end : encode_find(e, p, e->end, &id);
        if (e->v->kind == VOCAB_CHARS) WEFT_TRY(encode_chars(e, text, p, to));
        else if (e->v->kind == VOCAB_BYTES) WEFT_TRY(encode_bytes(e, p, to));
        else WEFT_TRY(encode_words(e, p, to));
        p = to;
        if (id < 0) continue;
        encode_add(e, id);
        p += e->v->token[id].n;
    }
    return WEFT_OK;
}

weft_err weft_vocab_encode(const weft_vocab *v, const void *text, size_t n,
                           const weft_encode_desc *d, int32_t *ids, size_t room, size_t *count) {
    static const weft_encode_desc none;
    if (!d) d = &none;
    if (count) *count = 0;
    weft_ctx *const ctx = d->ctx ? d->ctx : v ? v->ctx : NULL;
    if (!v || (!text && n) || (!ids && room) || !count)
        return weft_fail(ctx, WEFT_ARGUMENT,
                         "weft_vocab_encode: no vocabulary, no text, or no room for the ids");
    encoder e = {.v = v, .ctx = ctx, .ids = ids, .room = room, .scratch = {.ctx = ctx}};
    if (!n) return WEFT_OK;
    e.end = (const unsigned char *)text + n;
    if (v->kind == VOCAB_BPE && n >= ENCODE_SHORT_TEXT) {
        e.slot = weft_resize(ctx, NULL, ENCODE_SLOTS * sizeof *e.slot);
        if (!e.slot) return weft_fail(ctx, WEFT_MEMORY, "weft_vocab_encode: out of memory");
        memset(e.slot, 0, ENCODE_SLOTS * sizeof *e.slot);
    }
    const weft_err err = encode_text(&e, text, d->plain);
    weft_resize(ctx, e.slot, 0);
    vocab_forget(&e.scratch);
    if (err == WEFT_OK) *count = e.count;
    return err;
}

weft_err weft_vocab_decode(const weft_vocab *v, const int32_t *ids, size_t n, void *text,
                           size_t room, size_t *count) {
    if (count) *count = 0;
    if (!v || (!ids && n) || (!text && room) || !count)
        return weft_fail(v ? v->ctx : NULL, WEFT_ARGUMENT,
                         "weft_vocab_decode: no vocabulary, no ids, or no room for the text");
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        size_t bytes;
        const void *const token = weft_vocab_token(v, ids[i], &bytes);
        if (!token)
            return weft_fail(
                v->ctx, WEFT_ARGUMENT,
                "weft_vocab_decode: id %zu is %ld, which is not a token; the vocabulary has %ld", i,
                (long)ids[i], (long)v->size);
        if (at < room) memcpy((char *)text + at, token, bytes < room - at ? bytes : room - at);
        at += bytes;
    }
    *count = at;
    return WEFT_OK;
}
