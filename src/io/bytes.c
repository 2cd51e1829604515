/* bytes.c - bytes put together before they are written. */
#include "io/bytes.h"
#include "base/json.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool bytes_need(io_bytes *b, size_t more) {
    if (b->failed) return false;
    if (more < b->room - b->n) return true; /* one byte stays for the 0 */
    uint64_t size;
    size_t fits;
    bool sound = check_add(b->n, more, &size) && check_add(size, size / 2 + 64, &size) &&
                 check_size(size, &fits);
    char *s = sound ? weft_resize(b->c, b->s, fits) : NULL;
    if (!s) {
        b->failed = true;
        return false;
    }
    b->s = s;
    b->room = fits;
    return true;
}

void bytes_add(io_bytes *b, const void *p, size_t n) {
    if (!bytes_need(b, n)) return;
    if (n) memcpy(b->s + b->n, p, n);
    b->n += n;
    b->s[b->n] = 0;
}

void bytes_text(io_bytes *b, const char *text) {
    bytes_add(b, text, strlen(text));
}

void bytes_print(io_bytes *b, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bytes_text(b, text);
}

void bytes_quote(io_bytes *b, const char *text) {
    size_t n = json_quote(NULL, 0, text);
    if (!bytes_need(b, n)) return;
    json_quote(b->s + b->n, n + 1, text);
    b->n += n;
}

void bytes_number(io_bytes *b, uint64_t v, int width) {
    unsigned char byte[8];
    for (int i = 0; i < width; i++) byte[i] = (unsigned char)(v >> 8 * i);
    bytes_add(b, byte, (size_t)width);
}

void bytes_free(io_bytes *b) {
    weft_resize(b->c, b->s, 0);
    *b = (io_bytes){.c = b->c};
}
