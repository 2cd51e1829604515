/* json.h - JSON inside a larger file, for the other parsers; and texts as JSON. Reading is public: io.h. */
#ifndef WEFT_BASE_JSON_H
#define WEFT_BASE_JSON_H

#include "base/reader.h"
#include "weft/io.h"

enum { JSON_MAX_DEPTH = 64, JSON_MAX_BYTES = 100000000, JSON_MAX_NUMBER = 128 };

/* Checks n bytes of r from `begin` on; offsets in messages are those of the file. NONE: r->err. */
weft_json json_inside(reader *r, uint64_t begin, uint64_t n);

/* Two texts in the order of their characters, escapes resolved. */
int json_compare(weft_json a, weft_json b);

/* Text as JSON, with its quotes; gives the bytes it takes, like snprintf. */
size_t json_quote(char *out, size_t n, const char *text);

/* Where a value begins in the file that r reads. */
static inline uint64_t json_offset(const reader *r, weft_json j) {
    return (uint64_t)((const unsigned char *)j.at - r->bytes);
}

#endif
