/* decoder.c - tokens to text as they come, in whole characters.
 *
 * A token may end inside a character. What may still become one waits, at most three bytes; what can
 * become none is U+FFFD, one for each beginning of a character that broke off, and one for each other
 * byte, as browsers do it. */
#include "text/vocab.h"

#include "base/utf8.h"

enum { DECODER_WAITS = 3, DECODER_GROWS = 3 }; /* U+FFFD is three bytes for one */

struct weft_decoder {
    const weft_vocab *v;
    size_t waiting;
    unsigned char in[4];  /* what waits */
    unsigned char *bytes; /* what waits, and a token */
    char *out;
};

weft_decoder *weft_decoder_new(const weft_vocab *v) {
    if (!v) {
        weft_fail(NULL, WEFT_ARGUMENT, "weft_decoder_new: no vocabulary");
        return NULL;
    }
    size_t longest = 0;
    for (int32_t id = 0; id < v->size; id++)
        if (v->token[id].n > longest) longest = v->token[id].n;
    const size_t most = longest + DECODER_WAITS;
    weft_decoder *d = weft_resize(v->ctx, NULL, sizeof *d + most * (1 + DECODER_GROWS));
    if (!d) {
        weft_fail(v->ctx, WEFT_MEMORY, "weft_decoder_new: out of memory");
        return NULL;
    }
    *d = (weft_decoder){.v = v, .bytes = (unsigned char *)(d + 1)};
    d->out = (char *)(d->bytes + most);
    return d;
}

void weft_decoder_free(weft_decoder *d) {
    if (d) weft_resize(d->v->ctx, d, 0);
}

/* Bytes of the longest beginning of a character at p; *whole: it is all of one. At least 1. */
static size_t decoder_piece(const unsigned char *p, size_t n, bool *whole) {
    const size_t length = utf8_length((const char *)p, n);
    *whole = length > 0;
    if (length) return length;
    const int follow = p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : 1;
    if (p[0] < 0xc2 || p[0] > 0xf4) return 1;
    /* The second byte decides whether it is a short enough form, and no surrogate. */
    const unsigned least = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
    const unsigned most = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;
    if (n < 2 || p[1] < least || p[1] > most) return 1;
    size_t k = 2;
    while (k < n && k <= (size_t)follow && (p[k] & 0xc0) == 0x80) k++;
    return k;
}

/* Whole characters of bytes [n] go to out; what the end of the text breaks off waits, unless it is the
 * last. */
static const char *decoder_put(weft_decoder *d, size_t n, bool last, size_t *written) {
    size_t at = 0, out = 0;
    d->waiting = 0;
    while (at < n) {
        bool whole;
        const size_t k = decoder_piece(d->bytes + at, n - at, &whole);
        const unsigned char first = d->bytes[at];
        if (whole) {
            memcpy(d->out + out, d->bytes + at, k);
            out += k;
        } else if (!last && at + k == n && first >= 0xc2 && first <= 0xf4) {
            memcpy(d->in, d->bytes + at, k);
            d->waiting = k;
        } else {
            memcpy(d->out + out, "\xef\xbf\xbd", DECODER_GROWS);
            out += DECODER_GROWS;
        }
        at += k;
    }
    if (written) *written = out;
    return d->out;
}

const char *weft_decoder_next(weft_decoder *d, int32_t id, size_t *n) {
    if (n) *n = 0;
    size_t bytes;
    const void *const token = d ? weft_vocab_token(d->v, id, &bytes) : NULL;
    if (!token) {
        weft_fail(d ? d->v->ctx : NULL, WEFT_ARGUMENT,
                  "weft_decoder_next: no decoder, or %ld is not a token", (long)id);
        return NULL;
    }
    memcpy(d->bytes, d->in, d->waiting);
    memcpy(d->bytes + d->waiting, token, bytes);
    return decoder_put(d, d->waiting + bytes, false, n);
}

const char *weft_decoder_end(weft_decoder *d, size_t *n) {
    if (n) *n = 0;
    if (!d) return NULL;
    memcpy(d->bytes, d->in, d->waiting);
    return decoder_put(d, d->waiting, true, n);
}
