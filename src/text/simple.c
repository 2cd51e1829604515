/* simple.c - vocabularies that need no learning: all bytes, and the characters of a text. */
#include "text/vocab.h"

#include "base/reader.h"
#include "base/utf8.h"

#include <stdio.h>

weft_err vocab_put_bytes(weft_vocab *v, size_t ids, size_t bytes, bool by_value) {
    WEFT_TRY(vocab_reserve(v, ids, bytes));
    WEFT_TRY(vocab_room_for_words(v, ids));
    int32_t id = 0;
    for (int pass = 0; pass < 2;
         pass++) /* those that can be seen stand for themselves, and come first */
        for (int b = 0; b < 256; b++) {
            const unsigned char byte = (unsigned char)b;
            if (pass != (by_value ? 0 : vocab_letter_of(b) > 255)) continue;
            vocab_put(v, id, &byte, 1, 0);
            vocab_enter(v, id++);
        }
    return WEFT_OK;
}

weft_vocab *weft_vocab_bytes(weft_ctx *c) {
    weft_vocab *v = vocab_new(c, VOCAB_BYTES);
    if (!v) return NULL;
    weft_err e = vocab_put_bytes(v, 256, 256, true);
    if (e == WEFT_OK) e = vocab_room_for_merges(v, 0);
    if (e == WEFT_OK) e = vocab_finish(v);
    return vocab_done(v, e);
}

/* ---- characters ---- */

enum { CHARS_CODES = 0x110000 };

/* Which there are, a bit for each code point; gives how many different ones, and their bytes. */
static weft_err chars_survey(reader *r, unsigned char *seen, size_t *count, size_t *bytes) {
    for (size_t at = 0, characters = 0, n; at < r->n; at += n, characters++) {
        uint32_t code = 0;
        n = utf8_decode((const char *)r->bytes + at, r->n - at, &code);
        if (!n || !code) { /* JSON texts have no zeros, in this library and many others */
            char field[40];
            snprintf(field, sizeof field, "character %zu", characters);
            return reader_fail(r, WEFT_FORMAT, at, field, "the byte %02x is %s",
                               (unsigned)r->bytes[at], n ? "no text" : "not UTF-8");
        }
        unsigned char *const place = &seen[code / 8], bit = (unsigned char)(1 << code % 8);
        if (*place & bit) continue;
        *place |= bit;
        *count += 1;
        *bytes += n;
    }
    if (!*count) return reader_fail(r, WEFT_FORMAT, 0, "text", "no characters");
    return WEFT_OK;
}

static weft_err chars_put(weft_vocab *v, const unsigned char *seen) {
    for (uint32_t code = 0; code < CHARS_CODES; code++) {
        if (!(seen[code / 8] >> code % 8 & 1)) continue;
        char text[4];
        const int32_t id = v->size;
        vocab_put(v, id, text, utf8_encode(code, text), 0);
        vocab_enter(v, id);
    }
    return vocab_finish(v);
}

static weft_err chars_fill(weft_vocab *v, weft_bytes text, unsigned char *seen) {
    reader r = reader_of(v->ctx, text.name, text.data, text.bytes);
    size_t count = 0, bytes = 0;
    memset(seen, 0, CHARS_CODES / 8);
    WEFT_TRY(chars_survey(&r, seen, &count, &bytes));
    WEFT_TRY(vocab_reserve(v, count, bytes));
    WEFT_TRY(vocab_room_for_words(v, count));
    return chars_put(v, seen);
}

weft_vocab *weft_vocab_chars(weft_ctx *c, weft_bytes text) {
    weft_vocab *v = vocab_new(c, VOCAB_CHARS);
    unsigned char *const seen = v ? weft_resize(c, NULL, CHARS_CODES / 8) : NULL;
    if (!v) return NULL;
    const weft_err e = seen ? chars_fill(v, text, seen)
                            : weft_fail(c, WEFT_MEMORY, "weft_vocab_chars: out of memory");
    weft_resize(c, seen, 0);
    return vocab_done(v, e);
}
