/* bytes.h - the bytes of a header being written. */
#ifndef WEFT_IO_BYTES_H
#define WEFT_IO_BYTES_H

#include "base/checked.h"
#include "weft/io.h"

/* Bytes one after the other. The first failure sticks; s is ended by a 0 that n does not count. */
typedef struct io_bytes {
    weft_ctx *c;
    char *s;
    size_t n, room;
    bool failed;
} io_bytes;
void bytes_add(io_bytes *b, const void *p, size_t n);
void bytes_text(io_bytes *b, const char *text);
void bytes_print(io_bytes *b, const char *format, ...) WEFT_PRINTF(2, 3); /* at most 255 bytes */
void bytes_quote(io_bytes *b, const char *text);                          /* as a JSON text */
void bytes_number(io_bytes *b, uint64_t v, int width);                    /* little-endian */
void bytes_free(io_bytes *b);

#endif
