/* safetensors.c - reading safetensors: a length, a JSON header, values without gaps.
 *
 * The header is walked twice: once to count, so that the table takes no more memory than it must,
 * and once to fill it. Checksums of our own (ARCHIVE_CRC_KEY in the metadata) are honoured where
 * they are; the one of the header at once, those of arrays on first access. */
#include "base/crc.h"
#include "base/json.h"
#include "base/reader.h"
#include "base/sort.h"
#include "io/archive.h"
#include <string.h>

enum { SAFE_MAX_HEADER = 100000000 };
#define SAFE_METADATA "__metadata__"

typedef struct safe_parse {
    weft_archive *a;
    reader *r;
    weft_json header, metadata;
    size_t first; /* arrays the archive had before */
    bool texts;   /* keep them */
    const unsigned char *values;
    uint64_t bytes; /* of all values */
    char *pool;     /* where the next string goes */
} safe_parse;

static weft_err safe_bad(safe_parse *p, weft_json at, const char *field, const char *what) {
    return reader_fail(p->r, WEFT_FORMAT, json_offset(p->r, at), field, "%s", what);
}

/* The next string of the pool. Counted before, so there is room. */
static const char *safe_text(safe_parse *p, weft_json j) {
    char *s = p->pool;
    size_t n = weft_json_text(j, NULL, 0);
    weft_json_text(j, s, n + 1);
    p->pool += n + 1;
    return s;
}

static bool safe_is_crc(weft_json key) {
    char start[sizeof ARCHIVE_CRC_KEY];
    size_t n = weft_json_text(key, start, sizeof start);
    return n >= sizeof start - 1 && memcmp(start, ARCHIVE_CRC_KEY, sizeof start - 1) == 0;
}

/* ---- counting ---- */

static weft_err safe_count_metadata(safe_parse *p, weft_json m, size_t *texts, size_t *pool) {
    weft_json key = {0}, value = {0};
    if (weft_json_kind_of(m) != WEFT_JSON_OBJECT)
        return safe_bad(p, m, SAFE_METADATA, "an object of texts was expected");
    p->metadata = m;
    while (weft_json_next(m, &key, &value)) {
        if (weft_json_kind_of(value) != WEFT_JSON_TEXT)
            return safe_bad(p, value, SAFE_METADATA, "a text was expected");
        if (!p->texts || safe_is_crc(key)) continue;
        *texts += 1;
        *pool += weft_json_text(key, NULL, 0) + weft_json_text(value, NULL, 0) + 2;
    }
    return WEFT_OK;
}

static weft_err safe_count(safe_parse *p) {
    size_t arrays = 0, extents = 0, texts = 0, pool = 0;
    weft_json key = {0}, value = {0};
    while (weft_json_next(p->header, &key, &value)) {
        if (weft_json_is(key, SAFE_METADATA)) {
            WEFT_TRY(safe_count_metadata(p, value, &texts, &pool));
            continue;
        }
        char name[NAME_MAX_BYTES + 1];
        size_t n = weft_json_text(key, name, sizeof name);
        if (!reader_is_name(name, n))
            return safe_bad(p, key, "name", "empty, too long, or with control characters");
        if (weft_json_kind_of(value) != WEFT_JSON_OBJECT)
            return safe_bad(p, value, "array", "expected an object");
        size_t rank = weft_json_count(weft_json_get(value, "shape"));
        arrays += 1, extents += rank < WEFT_MAX_RANK ? rank : WEFT_MAX_RANK, pool += n + 1;
    }
    if (arrays > ARCHIVE_MAX_ARRAYS - p->first)
        return reader_fail(p->r, WEFT_UNSUPPORTED, 8, "header", "more than %d arrays",
                           ARCHIVE_MAX_ARRAYS);
    if (!archive_reserve(p->a, arrays, extents, texts) || !(p->pool = archive_pool(p->a, pool)))
        return reader_fail(p->r, WEFT_MEMORY, 8, "header", "out of memory");
    return WEFT_OK;
}

/* ---- filling ---- */

static weft_err safe_type(safe_parse *p, weft_json j, const char *name, weft_file_type *out) {
    char field[FIELD_BYTES], text[24];
    if (weft_json_kind_of(j) != WEFT_JSON_TEXT)
        return safe_bad(p, j, reader_field(field, "dtype", name), "a text was expected");
    for (int t = 0; t < WEFT_FILE_TYPE_COUNT; t++)
        if (weft_json_is(j, weft_file_type_name((weft_file_type)t))) {
            *out = (weft_file_type)t;
            return WEFT_OK;
        }
    weft_json_text(j, text, sizeof text);
    return reader_fail(p->r, WEFT_UNSUPPORTED, json_offset(p->r, j),
                       reader_field(field, "dtype", name), "unknown type \"%s\"", text);
}

static weft_err safe_shape(safe_parse *p, weft_json j, const char *name, weft_shape *out) {
    char field[FIELD_BYTES];
    reader_field(field, "shape", name);
    if (weft_json_kind_of(j) != WEFT_JSON_ARRAY)
        return safe_bad(p, j, field, "a list of extents was expected");
    weft_json key = {0}, value = {0};
    *out = (weft_shape){0};
    while (weft_json_next(j, &key, &value)) {
        int64_t n = weft_json_integer(value, -1);
        if (n < 0) return safe_bad(p, value, field, "an extent of 0 or more was expected");
        if (out->rank == WEFT_MAX_RANK)
            return reader_fail(p->r, WEFT_UNSUPPORTED, json_offset(p->r, value), field,
                               "more than %d axes", WEFT_MAX_RANK);
        out->n[out->rank++] = n;
    }
    return WEFT_OK;
}

static weft_err safe_offsets(safe_parse *p, weft_json j, const char *name, uint64_t need,
                             uint64_t *begin) {
    char field[FIELD_BYTES];
    reader_field(field, "data_offsets", name);
    int64_t from = weft_json_integer(weft_json_get(j, "0"), -1);
    int64_t to = weft_json_integer(weft_json_get(j, "1"), -1);
    if (weft_json_kind_of(j) != WEFT_JSON_ARRAY || weft_json_count(j) != 2 || from < 0 || to < from)
        return safe_bad(p, j, field, "two offsets, begin and end, were expected");
    if ((uint64_t)to > p->bytes)
        return reader_fail(p->r, WEFT_FORMAT, json_offset(p->r, j), field,
                           "ends at %lld, the file has %llu bytes of values", (long long)to,
                           (unsigned long long)p->bytes);
    if ((uint64_t)(to - from) != need)
        return reader_fail(p->r, WEFT_FORMAT, json_offset(p->r, j), field,
                           "%lld bytes, type and shape take %llu", (long long)(to - from),
                           (unsigned long long)need);
    *begin = (uint64_t)from;
    return WEFT_OK;
}

static weft_err safe_array(safe_parse *p, weft_json key, weft_json value) {
    const char *name = safe_text(p, key);
    char field[FIELD_BYTES];
    weft_json dtype = {0}, shape = {0}, offsets = {0}, k = {0}, v = {0};
    while (weft_json_next(value, &k, &v)) {
        if (weft_json_is(k, "dtype")) dtype = v;
        else if (weft_json_is(k, "shape")) shape = v;
        else if (weft_json_is(k, "data_offsets")) offsets = v;
        else return safe_bad(p, k, reader_field(field, "a key", name), "unknown");
    }
    if (!dtype.at || !shape.at || !offsets.at)
        return safe_bad(p, value,
                        reader_field(field,
                                     !dtype.at   ? "dtype"
                                     : !shape.at ? "shape"
                                                 : "data_offsets",
                                     name),
                        "missing");
    weft_file_type type = WEFT_FILE_F32;
    weft_shape dims;
    uint64_t need = 0, begin = 0;
    WEFT_TRY(safe_type(p, dtype, name, &type));
    WEFT_TRY(safe_shape(p, shape, name, &dims));
    if (!check_array(&dims, type, &need))
        return safe_bad(p, shape, reader_field(field, "shape", name), "the product overflows");
    WEFT_TRY(safe_offsets(p, offsets, name, need, &begin));
    archive_add(p->a, name, type, &dims, p->values + begin, need);
    return WEFT_OK;
}

/* ---- the whole ---- */

static int safe_compare_places(const void *user, uint32_t x, uint32_t y) {
    const archive_array *p = &((const weft_archive *)user)->array[x],
                        *q = &((const weft_archive *)user)->array[y];
    if (p->data != q->data) return p->data < q->data ? -1 : 1;
    return (p->bytes > q->bytes) - (p->bytes < q->bytes);
}

/* Each array begins where the one before it ends, and the last ends with the file. */
static weft_err safe_no_holes(safe_parse *p) {
    weft_archive *a = p->a;
    if (a->n > p->first) sort_numbers(a->order + p->first, a->n - p->first, safe_compare_places, a);
    uint64_t at = 0, base = (uint64_t)(p->values - p->r->bytes);
    for (size_t i = p->first; i < a->n; i++) {
        const archive_array *x = &a->array[a->order[i]];
        uint64_t begin = (uint64_t)(x->data - p->values);
        char field[FIELD_BYTES];
        if (begin != at)
            return reader_fail(
                p->r, WEFT_FORMAT, base + at, reader_field(field, "data_offsets", x->name),
                begin > at ? "bytes before it belong to no array" : "overlaps another array");
        at += x->bytes;
    }
    if (at != p->bytes)
        return reader_fail(p->r, WEFT_FORMAT, base + at, "values",
                           "the last %llu bytes belong to no array",
                           (unsigned long long)(p->bytes - at));
    return WEFT_OK;
}

static weft_err safe_digits(safe_parse *p, weft_json value, uint32_t *out) {
    *out = 0;
    bool plain = value.end - value.at == 10;
    for (int i = 1; i <= 8 && plain; i++) {
        char d = value.at[i];
        plain = (d >= '0' && d <= '9') || (d >= 'a' && d <= 'f');
        *out = *out << 4 | (uint32_t)(d <= '9' ? d - '0' : d - 'a' + 10);
    }
    return plain ? WEFT_OK : safe_bad(p, value, ARCHIVE_CRC_KEY, "8 digits 0-9a-f were expected");
}

/* Over all of the header, with zeros in place of the checksum itself. */
static weft_err safe_check_header(safe_parse *p, weft_json value, uint32_t want) {
    const char *begin = (const char *)p->r->bytes + 8, *end = (const char *)p->values;
    uint32_t crc = crc_32c(0, begin, (size_t)(value.at + 1 - begin));
    crc = crc_32c(crc, "00000000", 8);
    crc = crc_32c(crc, value.at + 9, (size_t)(end - (value.at + 9)));
    return crc == want ? WEFT_OK : safe_bad(p, value, "header", "the checksum (CRC-32C) is wrong");
}

static weft_err safe_texts(safe_parse *p) {
    weft_json key = {0}, value = {0};
    while (weft_json_next(p->metadata, &key, &value)) {
        if (!safe_is_crc(key)) {
            if (!p->texts) continue;
            const char *name = safe_text(p, key);
            archive_add_text(p->a, name, safe_text(p, value));
            continue;
        }
        char name[sizeof ARCHIVE_CRC_KEY + 1 + NAME_MAX_BYTES];
        size_t n = weft_json_text(key, name, sizeof name), start = sizeof ARCHIVE_CRC_KEY - 1;
        uint32_t crc;
        WEFT_TRY(safe_digits(p, value, &crc));
        if (n == start) {
            WEFT_TRY(safe_check_header(p, value, crc));
            p->a->sealed = true;
            continue;
        }
        archive_array *x = n < sizeof name && name[start] == '.'
                               ? archive_find(p->a, p->first, name + start + 1)
                               : NULL;
        if (!x) return safe_bad(p, key, ARCHIVE_CRC_KEY, "no such array");
        x->crc = crc;
        x->has_crc = true;
    }
    return WEFT_OK;
}

weft_err safetensors_read(weft_archive *a, reader *r) {
    uint64_t n = reader_number(r, "length of the header", 8);
    if (r->err != WEFT_OK) return r->err;
    if (n > SAFE_MAX_HEADER)
        return reader_fail(r, WEFT_FORMAT, 0, "length of the header",
                           "%llu, at most %d is read: this is hardly a safetensors file",
                           (unsigned long long)n, SAFE_MAX_HEADER);
    const char *text = reader_bytes(r, "header", n);
    if (!text) return r->err;
    if (!n || *text != '{') return reader_fail(r, WEFT_FORMAT, 8, "header", "'{' was expected");
    safe_parse p = {.a = a,
                    .r = r,
                    .header = json_inside(r, 8, n),
                    .first = a->n,
                    .texts = strcmp(a->format, "index") != 0,
                    .values = r->bytes + 8 + n,
                    .bytes = r->n - 8 - n};
    if (r->err != WEFT_OK) return r->err;
    WEFT_TRY(safe_count(&p));
    weft_json key = {0}, value = {0};
    while (weft_json_next(p.header, &key, &value))
        if (!weft_json_is(key, SAFE_METADATA)) WEFT_TRY(safe_array(&p, key, value));
    WEFT_TRY(safe_no_holes(&p));
    archive_sort(a, p.first); /* JSON has no key twice */
    WEFT_TRY(safe_texts(&p));
    if (p.texts)
        a->format = weft_archive_text_of(a, ARCHIVE_CHECKPOINT_KEY) ? "checkpoint" : "safetensors";
    return WEFT_OK;
}
