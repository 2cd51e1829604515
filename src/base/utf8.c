/* utf8.c - characters of UTF-8: how long one is, texts of whole characters, and texts made safe to
 * show.
 *
 * Names and words from files may contain anything: terminal control codes, marks that change the
 * direction of text, bytes that are not UTF-8. escape_text shows those by their numbers; every
 * error message goes through it (core/context.c). A backslash stays one, so that a text escaped twice is
 * as if it had been escaped once. */
#include "base/utf8.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t utf8_code(const unsigned char *u, size_t bytes) {
    uint32_t code = bytes == 1 ? u[0] : u[0] & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) code = code << 6 | (u[i] & 0x3fu);
    return code;
}

size_t utf8_decode(const char *s, size_t n, uint32_t *code) {
    const unsigned char *const u = (const unsigned char *)s;
    if (!n) return 0;
    const size_t bytes = u[0] < 0x80 ? 1 : u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
    if (bytes > 1 && (u[0] < 0xc2 || u[0] > 0xf4 || n < bytes)) return 0;
    for (size_t i = 1; i < bytes; i++)
        if ((u[i] & 0xc0) != 0x80) return 0;
    const uint32_t found = utf8_code(u, bytes);
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* below: too long a form */
    if (found < least[bytes] || found > 0x10ffff || (found >= 0xd800 && found < 0xe000)) return 0;
    *code = found;
    return bytes;
}

size_t utf8_length(const char *s, size_t n) {
    uint32_t code;
    return utf8_decode(s, n, &code);
}

size_t utf8_encode(uint32_t code, char out[4]) {
    const size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; code >>= 6) out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(n == 1 ? code : (0xf00u >> n & 0xff) | code);
    return n;
}

bool utf8_is(const char *s, size_t n) {
    for (size_t k; n && (k = utf8_length(s, n)) > 0; s += k) n -= k;
    return !n;
}

size_t utf8_fit(char *out, size_t n, const char *text) {
    size_t written = 0;
    for (size_t left = strlen(text), bytes; left; text += bytes, left -= bytes) {
        const bool letter = (bytes = utf8_length(text, left)) > 0;
        if (!letter) bytes = 1;
        if (written + bytes >= n) break;
        if (letter) memcpy(out + written, text, bytes);
        else out[written] = '?';
        written += bytes;
    }
    if (n) out[written] = 0;
    return written;
}

/* What is obeyed, or cannot be seen and changes what is seen: control codes, separators of lines,
 * marks of direction, notes between lines, tags. Joiners stay, since some scripts need them. */
static bool utf8_is_hidden(uint32_t code) {
    static const struct {
        uint32_t from, to;
    } range[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},    {0x180e, 0x180e},
                 {0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f},
                 {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        if (code >= range[i].from && code <= range[i].to) return true;
    return false;
}

size_t escape_one(char out[12], const char *s, size_t n) {
    const unsigned char *const u = (const unsigned char *)s;
    const size_t bytes = utf8_length(s, n);
    const uint32_t code = bytes ? utf8_code(u, bytes) : 0;
    *out = 0;
    if (!n) return 0;
    if (!bytes || (code < 0x80 && utf8_is_hidden(code))) {
        if (code == '\n' || code == '\t' || code == '\r')
            snprintf(out, 12, "\\%c", code == '\n' ? 'n' : code == '\t' ? 't' : 'r');
        else snprintf(out, 12, "\\x%02x", u[0]);
    } else if (utf8_is_hidden(code)) {
        snprintf(out, 12, code > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned)code);
    } else {
        memcpy(out, s, bytes);
        out[bytes] = 0;
    }
    return bytes ? bytes : 1;
}

size_t escape_text(char *out, size_t n, const char *text) {
    size_t written = 0;
    char one[12];
    for (size_t left = strlen(text), bytes; left; text += bytes, left -= bytes) {
        bytes = escape_one(one, text, left);
        const size_t length = strlen(one);
        if (written + length >= n) break;
        memcpy(out + written, one, length);
        written += length;
    }
    if (n) out[written] = 0;
    return written;
}
