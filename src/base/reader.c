/* reader.c - bytes with bounds: the one way in which parsers take a file apart.
 *
 * A read beyond the end is an error with the file's name, the offset and the field, and sticks, so
 * that a parser may read several fields and look once. */
#include "base/reader.h"
#include "base/utf8.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

reader reader_of(weft_ctx *c, const char *file, const void *bytes, size_t n) {
    reader r = {.c = c, .file = file ? file : "", .bytes = bytes, .n = bytes ? n : 0};
    return r;
}

weft_err reader_fail(reader *r, weft_err e, uint64_t offset, const char *field, const char *format,
                     ...) {
    char text[320];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (r->err == WEFT_OK) {
        r->err = e;
        weft_fail(r->c, e, "%s: offset %llu: %s: %s", reader_path(r->file),
                  (unsigned long long)offset, field, text);
    }
    return r->err;
}

const void *reader_bytes(reader *r, const char *field, uint64_t n) {
    if (r->err != WEFT_OK) return NULL;
    if (n > r->n - r->at) {
        reader_fail(r, WEFT_FORMAT, r->at, field, "expected %llu bytes, the file has %llu",
                    (unsigned long long)n, (unsigned long long)(r->n - r->at));
        return NULL;
    }
    const void *p = r->bytes + r->at;
    r->at += (size_t)n;
    return p;
}

uint64_t reader_number(reader *r, const char *field, int bytes) {
    int n = bytes < 0 ? -bytes : bytes;
    if (n < 1 || n > 8) {
        reader_fail(r, WEFT_ARGUMENT, r->at, field, "a number of %d bytes", n);
        return 0;
    }
    const unsigned char *p = reader_bytes(r, field, (uint64_t)n);
    uint64_t v = 0;
    for (int i = 0; p && i < n; i++) v = v << 8 | p[bytes < 0 ? i : n - 1 - i];
    return v;
}

const char *reader_path(const char *path) {
    enum { SHOWN = 120 };
    size_t n = strlen(path), skip = n > SHOWN ? n - SHOWN : 0;
    while (skip && ((unsigned char)path[skip] & 0xc0) == 0x80) skip++; /* whole characters */
    return path + skip;
}

bool reader_is_name(const char *s, size_t n) {
    if (!n || n > NAME_MAX_BYTES) return false;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f) return false;
    return utf8_is(s, n);
}

const char *reader_field(char field[FIELD_BYTES], const char *what, const char *name) {
    int room = FIELD_BYTES - (int)strlen(what) - 16, n = (int)strlen(name), shown = n;
    if (n > room) {
        shown = room;
        while (shown && ((unsigned char)name[shown] & 0xc0) == 0x80) shown--;
    }
    snprintf(field, FIELD_BYTES, "%s of \"%.*s%s\"", what, shown, name, shown < n ? "..." : "");
    return field;
}
