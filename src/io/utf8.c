/* utf8.c - letters of UTF-8: how long one is, and texts of whole letters. */
#include <weft/io.h>

#include <string.h>

size_t weft_utf8(const char *s, size_t n) {
    const unsigned char *const u = (const unsigned char *)s;
    if (!n) return 0;
    if (u[0] < 0x80) return 1;
    const size_t bytes = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
    if (u[0] < 0xc2 || u[0] > 0xf4 || n < bytes) return 0;
    uint32_t code = u[0] & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((u[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (u[i] & 0x3fu);
    }
    if (code < (bytes == 4 ? 0x10000u : bytes == 3 ? 0x800u : 0x80u))
        return 0; /* too long a form */
    return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : bytes;
}

size_t weft_utf8_text(char *out, size_t n, const char *text) {
    size_t written = 0;
    for (size_t left = strlen(text), bytes; left; text += bytes, left -= bytes) {
        const bool letter = (bytes = weft_utf8(text, left)) > 0;
        if (!letter) bytes = 1;
        if (written + bytes >= n) break;
        if (letter) memcpy(out + written, text, bytes);
        else out[written] = '?';
        written += bytes;
    }
    if (n) out[written] = 0;
    return written;
}
