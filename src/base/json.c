/* json.c - walking through checked JSON, and quoting.
 *
 * A value is its place in the text. Nothing is built: looking for a key reads the text up to it,
 * which is what configurations and headers need. All loops stop at the end of the value they were
 * given, even if it was never checked. */
#include "base/json.h"
#include "base/utf8.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *json_after_space(const char *p, const char *end) {
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) p++;
    return p;
}

static const char *json_after_text(const char *p, const char *end) {
    for (p++; p < end && *p != '"'; p++)
        if (*p == '\\') p++;
    return p < end ? p + 1 : end;
}

static const char *json_after_value(const char *p, const char *end) {
    if (p < end && *p == '"') return json_after_text(p, end);
    if (p >= end || (*p != '[' && *p != '{')) {
        while (p < end && *p != ',' && *p != ']' && *p != '}' && *p > ' ') p++;
        return p;
    }
    for (int depth = 0; p < end;) {
        if (*p == '"') {
            p = json_after_text(p, end);
            continue;
        }
        if (*p == '[' || *p == '{') depth++;
        else if (*p == ']' || *p == '}') depth--;
        p++;
        if (!depth) break;
    }
    return p;
}

weft_json_kind weft_json_kind_of(weft_json j) {
    if (!j.at || j.at >= j.end) return WEFT_JSON_NONE;
    switch (*j.at) {
    case '{': return WEFT_JSON_OBJECT;
    case '[': return WEFT_JSON_ARRAY;
    case '"': return WEFT_JSON_TEXT;
    case 't':
    case 'f': return WEFT_JSON_BOOL;
    case 'n': return WEFT_JSON_NULL;
    default: return WEFT_JSON_NUMBER;
    }
}

bool weft_json_next(weft_json j, weft_json *key, weft_json *value) {
    weft_json_kind kind = weft_json_kind_of(j);
    if (kind != WEFT_JSON_ARRAY && kind != WEFT_JSON_OBJECT) return false;
    const char *p = json_after_space(value->at ? value->end : j.at + 1, j.end);
    if (p < j.end && *p == ',') p = json_after_space(p + 1, j.end);
    if (p >= j.end || *p == ']' || *p == '}') return false;
    *key = (weft_json){0};
    if (kind == WEFT_JSON_OBJECT) {
        *key = (weft_json){p, json_after_text(p, j.end)};
        p = json_after_space(key->end, j.end);
        p = json_after_space(p < j.end ? p + 1 : p, j.end); /* past the colon */
    }
    *value = (weft_json){p, json_after_value(p, j.end)};
    return p < j.end;
}

size_t weft_json_count(weft_json j) {
    size_t n = 0;
    weft_json key = {0}, value = {0};
    while (weft_json_next(j, &key, &value)) n++;
    return n;
}

/* ---- text ---- */

static uint32_t json_four(const char *p) {
    uint32_t v = 0;
    for (int i = 0; i < 4; i++) {
        int letter = p[i] | 0x20;
        v = v << 4 | ((uint32_t)(p[i] <= '9' ? p[i] - '0' : letter - 'a' + 10) & 15);
    }
    return v;
}

/* The next character of a text as UTF-8, and the place after it. 0 at the end. */
static size_t json_character(const char **at, const char *end, char out[4]) {
    static const char letter[] = "bfnrt", meant[] = "\b\f\n\r\t";
    const char *p = *at;
    if (p >= end || *p == '"') return 0;
    if (*p != '\\' || p + 1 >= end) {
        size_t n = utf8_length(p, (size_t)(end - p));
        if (!n) n = 1;
        memcpy(out, p, n);
        *at = p + n;
        return n;
    }
    if (p[1] != 'u' || end - p < 6) {
        const char *known = p[1] ? strchr(letter, p[1]) : NULL;
        out[0] = known ? meant[known - letter] : p[1];
        *at = p + 2;
        return 1;
    }
    uint32_t v = json_four(p + 2);
    *at = p + 6;
    if (v >= 0xd800 && v < 0xdc00 && end - p >= 12) {
        v = 0x10000 + ((v - 0xd800) << 10) + ((json_four(p + 8) - 0xdc00) & 0x3ff);
        *at = p + 12;
    }
    return utf8_encode(v, out);
}

/* The first byte tells the length of a character, so where two differ their bytes do. */
int json_compare(weft_json a, weft_json b) {
    const char *p = a.at + 1, *q = b.at + 1;
    while (p < a.end && q < b.end && *p == *q && *p != '\\' && *p != '"') p++, q++; /* in a hurry */
    for (;;) {
        char x[4], y[4];
        size_t n = json_character(&p, a.end, x), m = json_character(&q, b.end, y);
        int order = memcmp(x, y, n < m ? n : m);
        if (order || !n || !m) return order ? order : (n > m) - (n < m);
    }
}

bool weft_json_is(weft_json j, const char *text) {
    if (weft_json_kind_of(j) != WEFT_JSON_TEXT || !text) return false;
    const char *p = j.at + 1;
    char x[4];
    for (size_t n; (n = json_character(&p, j.end, x)) > 0; text += n)
        for (size_t i = 0; i < n; i++)
            if (text[i] != x[i]) return false; /* a text has no 0 inside: stops at its end too */
    return !*text;
}

size_t weft_json_text(weft_json j, char *out, size_t n) {
    size_t bytes = 0, written = 0;
    if (weft_json_kind_of(j) == WEFT_JSON_TEXT) {
        const char *p = j.at + 1;
        char x[4];
        for (size_t k; (k = json_character(&p, j.end, x)) > 0; bytes += k)
            if (written == bytes && written + k < n) {
                memcpy(out + written, x, k);
                written += k;
            }
    }
    if (n) out[written] = 0;
    return bytes;
}

/* The escape of a character that must not be shown, or of a byte of none: U+FFFD. */
static void json_escape(char out[16], const char *p, size_t bytes) {
    uint32_t code = bytes ? (unsigned char)*p & (bytes == 1 ? 0x7fu : 0x7fu >> bytes) : 0xfffd;
    for (size_t i = 1; i < bytes; i++) code = code << 6 | ((unsigned char)p[i] & 0x3fu);
    if (code < 0x10000) snprintf(out, 16, "\\u%04x", (unsigned)code);
    else
        snprintf(out, 16, "\\u%04x\\u%04x", 0xd800u + (unsigned)((code - 0x10000) >> 10),
                 0xdc00u + (unsigned)(code & 0x3ff));
}

size_t json_quote(char *out, size_t n, const char *text) {
    size_t bytes = 0, left = text ? strlen(text) : 0, length;
#define JSON_PUT(b) (void)(bytes + 1 < n ? out[bytes] = (b) : 0, bytes++)
    JSON_PUT('"');
    for (const char *p = text; left; p += length, left -= length) {
        static const char plain[] = "\"\\\b\f\n\r\t", after[] = "\"\\bfnrt";
        const char *known = strchr(plain, *p);
        char one[16];
        const size_t letter = utf8_length(p, left);
        length = escape_one(one, p, left);
        if (known) snprintf(one, sizeof one, "\\%c", after[known - plain]);
        else if (*one == '\\') json_escape(one, p, letter);
        for (const char *q = one; *q; q++) JSON_PUT(*q);
    }
    JSON_PUT('"');
#undef JSON_PUT
    if (n) out[bytes < n ? bytes : n - 1] = 0;
    return bytes;
}

/* ---- the rest ---- */

weft_json weft_json_get(weft_json j, const char *path) {
    while (path && *path && j.at) {
        size_t n = strcspn(path, ".");
        weft_json key = {0}, value = {0}, found = {0};
        bool object = weft_json_kind_of(j) == WEFT_JSON_OBJECT;
        for (size_t i = 0; !found.at && weft_json_next(j, &key, &value); i++) {
            char name[NAME_MAX_BYTES + 1];
            size_t length;
            if (object) length = weft_json_text(key, name, sizeof name);
            else length = (size_t)snprintf(name, sizeof name, "%zu", i);
            if (length == n && length < sizeof name && !memcmp(name, path, n)) found = value;
        }
        j = found;
        path += n + (path[n] == '.');
    }
    return j;
}

bool weft_json_bool(weft_json j, bool otherwise) {
    return weft_json_kind_of(j) == WEFT_JSON_BOOL ? *j.at == 't' : otherwise;
}

int64_t weft_json_integer(weft_json j, int64_t otherwise) {
    if (weft_json_kind_of(j) != WEFT_JSON_NUMBER) return otherwise;
    bool negative = *j.at == '-';
    const char *p = j.at + negative;
    uint64_t v = 0, most = (uint64_t)INT64_MAX + negative;
    if (p >= j.end) return otherwise;
    for (; p < j.end; p++) {
        if (*p < '0' || *p > '9') return otherwise;
        unsigned digit = (unsigned)(*p - '0');
        if (v > (most - digit) / 10) return otherwise;
        v = 10 * v + digit;
    }
    return negative ? (int64_t)(0 - v) : (int64_t)v;
}

double weft_json_number(weft_json j, double otherwise) {
    size_t n = j.at ? (size_t)(j.end - j.at) : 0;
    if (weft_json_kind_of(j) != WEFT_JSON_NUMBER || n > JSON_MAX_NUMBER) return otherwise;
    char copy[JSON_MAX_NUMBER + 1], *end;
    memcpy(copy, j.at, n);
    copy[n] = 0;
    double v = strtod(copy, &end);
    if (*end == '.') { /* the program's locale writes a comma */
        *end = ',';
        v = strtod(copy, &end);
    }
    return *end ? otherwise : v;
}
