/* json_check.c - is this text JSON? Strictly: one value, UTF-8, no key twice in an object.
 *
 * The only memory is four bytes for each key of the objects that are open. When an object ends its
 * keys are sorted, so that equal ones meet. Navigation (json.c) trusts what passed here. */
#include "base/json.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/utf8.h"
#include <string.h>

typedef struct json_checker {
    reader *r;
    size_t end;    /* offset of the end of the text */
    uint32_t *key; /* offsets of the keys of open objects, relative to begin */
    size_t keys, room;
    uint64_t begin;
} json_checker;

static weft_err json_bad(json_checker *k, const char *expected) {
    reader *r = k->r;
    if (r->at >= k->end)
        return reader_fail(r, WEFT_FORMAT, r->at, "JSON", "%s expected, the text ends", expected);
    unsigned char b = r->bytes[r->at];
    if (b >= 0x21 && b < 0x7f)
        return reader_fail(r, WEFT_FORMAT, r->at, "JSON", "%s expected, got '%c'", expected, b);
    return reader_fail(r, WEFT_FORMAT, r->at, "JSON", "%s expected, got byte 0x%02x", expected, b);
}

static int json_peek(const json_checker *k) {
    return k->r->at < k->end ? k->r->bytes[k->r->at] : -1;
}

static void json_space(json_checker *k) {
    for (int b; (b = json_peek(k)) == ' ' || b == '\n' || b == '\r' || b == '\t';) k->r->at++;
}

static bool json_digits(json_checker *k) {
    size_t from = k->r->at;
    while (json_peek(k) >= '0' && json_peek(k) <= '9') k->r->at++;
    return k->r->at > from;
}

static weft_err json_check_number(json_checker *k) {
    size_t from = k->r->at;
    if (json_peek(k) == '-') k->r->at++;
    if (json_peek(k) == '0') k->r->at++;
    else if (!json_digits(k)) return json_bad(k, "a digit");
    if (json_peek(k) == '.') {
        k->r->at++;
        if (!json_digits(k)) return json_bad(k, "a digit");
    }
    if (json_peek(k) == 'e' || json_peek(k) == 'E') {
        k->r->at++;
        if (json_peek(k) == '+' || json_peek(k) == '-') k->r->at++;
        if (!json_digits(k)) return json_bad(k, "a digit");
    }
    if (k->r->at - from > JSON_MAX_NUMBER)
        return reader_fail(k->r, WEFT_FORMAT, from, "JSON",
                           "a number of %zu characters, at most %d are read", k->r->at - from,
                           JSON_MAX_NUMBER);
    return WEFT_OK;
}

static weft_err json_hex(json_checker *k, uint32_t *out) {
    *out = 0;
    for (int i = 0; i < 4; i++) {
        int b = json_peek(k), letter = b | 0x20;
        bool digit = b >= '0' && b <= '9';
        if (!digit && (letter < 'a' || letter > 'f' || b < 0))
            return json_bad(k, "a hexadecimal digit");
        *out = *out << 4 | (uint32_t)(digit ? b - '0' : letter - 'a' + 10);
        k->r->at++;
    }
    return WEFT_OK;
}

static weft_err json_check_escape(json_checker *k) {
    size_t from = k->r->at++;
    int b = json_peek(k);
    if (b < 0 || !memchr("\"\\/bfnrtu", b, 9)) return json_bad(k, "an escape");
    k->r->at++;
    if (b != 'u') return WEFT_OK;
    uint32_t v, low;
    WEFT_TRY(json_hex(k, &v));
    if (!v)
        return reader_fail(k->r, WEFT_FORMAT, from, "JSON", "a string must not contain \\u0000");
    if (v < 0xd800 || v >= 0xe000) return WEFT_OK;
    size_t second = k->r->at;
    if (v < 0xdc00 && json_peek(k) == '\\') {
        k->r->at++;
        if (json_peek(k) == 'u') {
            k->r->at++;
            WEFT_TRY(json_hex(k, &low));
            if (low >= 0xdc00 && low < 0xe000) return WEFT_OK;
        }
    }
    return reader_fail(k->r, WEFT_FORMAT, second > from ? from : second, "JSON",
                       "a lone surrogate");
}

static weft_err json_check_text(json_checker *k) {
    size_t from = k->r->at++;
    for (int b; (b = json_peek(k)) != '"';) {
        if (b < 0) return reader_fail(k->r, WEFT_FORMAT, from, "JSON", "unterminated string");
        if (b < 0x20) return json_bad(k, "a character of a string");
        if (b == '\\') {
            WEFT_TRY(json_check_escape(k));
            continue;
        }
        size_t n = utf8_length((const char *)k->r->bytes + k->r->at, k->end - k->r->at);
        if (!n)
            return reader_fail(k->r, WEFT_FORMAT, k->r->at, "JSON", "not UTF-8: byte 0x%02x",
                               (unsigned)b);
        k->r->at += n;
    }
    k->r->at++;
    return WEFT_OK;
}

static int json_compare_keys(const void *user, uint32_t a, uint32_t b) {
    const json_checker *k = user;
    const char *text = (const char *)k->r->bytes, *end = text + k->end;
    return json_compare((weft_json){text + k->begin + a, end},
                        (weft_json){text + k->begin + b, end});
}

/* The keys of the object that ends here are the last ones, from `first` on. */
static weft_err json_distinct(json_checker *k, size_t first) {
    size_t n = k->keys - first;
    uint32_t *key = k->key + first;
    k->keys = first;
    if (n < 2) return WEFT_OK;
    sort_numbers(key, n, json_compare_keys, k);
    for (size_t i = 1; i < n; i++)
        if (json_compare_keys(k, key[i - 1], key[i]) == 0) {
            const char *text = (const char *)k->r->bytes;
            uint64_t second = k->begin + (key[i] > key[i - 1] ? key[i] : key[i - 1]);
            char name[64];
            weft_json_text((weft_json){text + second, text + k->end}, name, sizeof name);
            return reader_fail(k->r, WEFT_FORMAT, second, "JSON", "duplicate key \"%s\"", name);
        }
    return WEFT_OK;
}

static weft_err json_check_value(json_checker *k, int depth);

static weft_err json_check_members(json_checker *k, int depth, bool object) {
    const int close = object ? '}' : ']';
    const size_t first = k->keys;
    k->r->at++;
    json_space(k);
    if (json_peek(k) == close) {
        k->r->at++;
        return WEFT_OK;
    }
    for (;;) {
        if (object) {
            json_space(k);
            if (json_peek(k) != '"') return json_bad(k, "a key");
            if (!mem_room(mem_of(k->r->c), &k->key, k->keys, &k->room, sizeof *k->key))
                return reader_fail(k->r, WEFT_MEMORY, k->r->at, "JSON", "out of memory");
            k->key[k->keys++] = (uint32_t)(k->r->at - k->begin);
            WEFT_TRY(json_check_text(k));
            json_space(k);
            if (json_peek(k) != ':') return json_bad(k, "':'");
            k->r->at++;
        }
        WEFT_TRY(json_check_value(k, depth + 1));
        json_space(k);
        int b = json_peek(k);
        if (b != ',' && b != close) return json_bad(k, object ? "',' or '}'" : "',' or ']'");
        k->r->at++;
        if (b == close) return object ? json_distinct(k, first) : WEFT_OK;
    }
}

static weft_err json_check_word(json_checker *k, const char *word) {
    size_t n = strlen(word);
    if (k->end - k->r->at < n || memcmp(k->r->bytes + k->r->at, word, n))
        return json_bad(k, "true, false or null");
    k->r->at += n;
    return WEFT_OK;
}

static weft_err json_check_value(json_checker *k, int depth) {
    if (depth > JSON_MAX_DEPTH)
        return reader_fail(k->r, WEFT_FORMAT, k->r->at, "JSON", "nested deeper than %d",
                           JSON_MAX_DEPTH);
    json_space(k);
    int b = json_peek(k);
    switch (b) {
    case '{':
    case '[': return json_check_members(k, depth, b == '{');
    case '"': return json_check_text(k);
    case 't': return json_check_word(k, "true");
    case 'f': return json_check_word(k, "false");
    case 'n': return json_check_word(k, "null");
    default:
        return b == '-' || (b >= '0' && b <= '9') ? json_check_number(k) : json_bad(k, "a value");
    }
}

weft_json json_inside(reader *r, uint64_t begin, uint64_t n) {
    if (r->err != WEFT_OK) return (weft_json){0};
    if (begin > r->n || n > r->n - begin || n > JSON_MAX_BYTES) {
        reader_fail(r, WEFT_FORMAT, begin, "JSON", "%llu bytes, at most %d are read",
                    (unsigned long long)n, JSON_MAX_BYTES);
        return (weft_json){0};
    }
    r->at = (size_t)begin;
    json_checker k = {.r = r, .begin = begin, .end = (size_t)(begin + n)};
    weft_json j = {0};
    json_space(&k);
    j.at = (const char *)r->bytes + r->at;
    weft_err e = json_check_value(&k, 1);
    j.end = (const char *)r->bytes + r->at;
    if (e == WEFT_OK) {
        json_space(&k);
        if (r->at < k.end) e = json_bad(&k, "nothing more");
    }
    weft_resize(r->c, k.key, 0);
    return e == WEFT_OK ? j : (weft_json){0};
}

weft_json weft_json_parse(weft_ctx *c, const char *text, size_t n, const char *name) {
    reader r = reader_of(c, name, text, n);
    if (!text) {
        weft_fail(c, WEFT_ARGUMENT, "weft_json_parse: the text is NULL");
        return (weft_json){0};
    }
    return json_inside(&r, 0, n);
}
