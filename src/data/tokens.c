/* tokens.c - files of tokens as windows, each with the window one token later as its target.
 *
 * Numbers are used where they lie, in 16 or 32 bits; windows overlap and nothing is copied. All of them
 * are looked at once, since a number beyond the vocabulary would read another row of a table, or none.
 * The machine's byte order is taken as the file's, little-endian. */
#include "base/reader.h"
#include "data/set.h"

#include <stdio.h>
#include <string.h>

enum { TOKENS_LENGTH = 64, TOKENS_NARROW = 65536 };

/* The first number from `from` on that is no class; to: none. */
static int64_t tokens_beyond(const char *at, size_t size, int64_t from, int64_t to,
                             int64_t classes) {
    if (size == 2 && classes >= TOKENS_NARROW) return to;
    for (int64_t i = from; i < to; i++) {
        uint32_t number = 0;
        uint16_t narrow = 0;
        if (size == 2) memcpy(&narrow, at + i * 2, 2);
        else memcpy(&number, at + i * 4, 4);
        if ((int64_t)(number | narrow) >= classes) return i;
    }
    return to;
}

static weft_err tokens_fill(weft_data *d, weft_bytes file, const weft_tokens_desc *t) {
    if (!t || t->classes < 1 || t->classes > INT32_MAX)
        return weft_fail(d->ctx, WEFT_ARGUMENT,
                         "weft_data_tokens: %lld classes; the size of the vocabulary was expected",
                         (long long)(t ? t->classes : 0));
    const int64_t length = t->length ? t->length : TOKENS_LENGTH;
    const int64_t stride = t->stride ? t->stride : length;
    const int bits = t->bits ? t->bits : t->classes <= TOKENS_NARROW ? 16 : 32;
    if (length < 1 || stride < 1 || length > INT64_MAX / 16 || stride > INT64_MAX / 16 ||
        (bits != 16 && bits != 32))
        return weft_fail(d->ctx, WEFT_ARGUMENT,
                         "weft_data_tokens: length %lld, stride %lld, %d bits; the first two must "
                         "be above 0, and bits 16 or 32",
                         (long long)length, (long long)stride, bits);
    reader in = reader_of(d->ctx, file.name, file.data, file.bytes);
    const size_t size = (size_t)bits / 8;
    if (in.n % size)
        return reader_fail(&in, WEFT_FORMAT, in.n - in.n % size, "tokens",
                           "the last has %zu bytes; one of %d bits has %zu", in.n % size, bits,
                           size);
    const int64_t all = (int64_t)(in.n / size), from = t->from, to = t->to ? t->to : all;
    if (from < 0 || to > all || from >= to)
        return weft_fail(d->ctx, WEFT_ARGUMENT, "weft_data_tokens: %s: tokens %lld to %lld of %lld",
                         in.file, (long long)from, (long long)to, (long long)all);
    if (to - from <= length)
        return reader_fail(
            &in, WEFT_FORMAT, in.n, "tokens",
            "there are %lld; a window of %lld and its target need one more than that",
            (long long)(to - from), (long long)length);
    const char *const bytes = (const char *)in.bytes;
    const int64_t bad = tokens_beyond(bytes, size, from, to, t->classes);
    if (bad < to) {
        char field[40];
        snprintf(field, sizeof field, "token %lld", (long long)bad);
        return reader_fail(&in, WEFT_FORMAT, (uint64_t)bad * size, field,
                           "it is none of the %lld of the vocabulary", (long long)t->classes);
    }
    d->rows = (to - from - 1 - length) / stride + 1;
    weft_field x = {.name = "x", .dtype = WEFT_I32, .dims = weft_dims(length)};
    x.rows = bytes + (size_t)from * size;
    x.row_bytes = (size_t)stride * size;
    x.classes = t->classes;
    x.bits = bits == 16 ? 16 : 0;
    weft_field y = x;
    y.name = "y";
    y.rows = (const char *)x.rows + size;
    data_add(d, x);
    data_add(d, y);
    return WEFT_OK;
}

weft_data *weft_data_parse_tokens(weft_ctx *c, weft_bytes file, const weft_tokens_desc *t) {
    weft_data *d = data_new(c, 2, NULL, false);
    if (!d) return NULL;
    if (!file.data)
        return data_done(d, weft_fail(c, WEFT_ARGUMENT, "weft_data_parse_tokens: no bytes"));
    return data_done(d, tokens_fill(d, file, t));
}

weft_data *weft_data_tokens(weft_ctx *c, const char *path, const weft_tokens_desc *t) {
    weft_data *d = data_new(c, 2, NULL, false);
    if (!d) return NULL;
    weft_bytes file = {0};
    weft_err e = data_open(d->rows_store, path, &file);
    if (e == WEFT_OK) e = tokens_fill(d, file, t);
    return data_done(d, e);
}
