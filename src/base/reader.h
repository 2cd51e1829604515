/* reader.h - reads the bytes of a file within bounds; excerpts for messages; names. */
#ifndef WEFT_BASE_READER_H
#define WEFT_BASE_READER_H

#include "base/error.h"

enum { NAME_MAX_BYTES = 1024, FIELD_BYTES = 96 };

/* The first failure sticks, later reads give 0 and NULL. */
typedef struct reader {
    weft_ctx *c;
    const char *file; /* for messages */
    const unsigned char *bytes;
    size_t n, at; /* size, and where the next read begins */
    weft_err err;
} reader;

reader reader_of(weft_ctx *c, const char *file, const void *bytes, size_t n); /* at its beginning */
/* Unsigned, 1 to 8 bytes, little-endian; -bytes: big-endian. */
uint64_t reader_number(reader *r, const char *field, int bytes);
const void *reader_bytes(reader *r, const char *field, uint64_t n); /* n bytes, where they lie */
/* "file: offset 8: field: ..." */
weft_err reader_fail(reader *r, weft_err e, uint64_t offset, const char *field, const char *format,
                     ...) WEFT_PRINTF(5, 6);

/* A path as messages show it: its end, since that is what tells files apart. */
const char *reader_path(const char *path);

/* Is this a name: UTF-8, 1 to NAME_MAX_BYTES bytes, no control characters? */
bool reader_is_name(const char *s, size_t n);

/* field: "shape of \"fc.weight\"", shortened with dots where the name is long. Gives field. */
const char *reader_field(char field[FIELD_BYTES], const char *what, const char *name);

#endif
