/* npy.c - reading and writing .npy: versions 1 to 3, any byte order, either order of axes.
 *
 * The header is a Python dictionary of three known keys; nothing else is understood. Object arrays,
 * structures, text, dates and complex numbers are refused. */
#include "io/npy.h"
#include "base/mem.h"
#include "base/reader.h"
#include "io/archive.h"
#include <string.h>

static const char *const npy_known[] = {
#define X(name, bytes, safetensors, npy) npy,
    WEFT_FILE_TYPES(X)
#undef X
};

static weft_err npy_bad(reader *r, const char *field, const char *what) {
    return reader_fail(r, WEFT_FORMAT, r->at, field, "%s", what);
}

weft_err npy_start(reader *r, uint64_t *size) {
    const size_t from = r->at;
    const unsigned char *magic = reader_bytes(r, "magic", 6);
    if (!magic) return r->err;
    if (memcmp(magic, "\x93NUMPY", 6) != 0)
        return reader_fail(r, WEFT_FORMAT, from, "magic", "not a .npy file");
    uint64_t major = reader_number(r, "version", 1), minor = reader_number(r, "version", 1);
    if (r->err == WEFT_OK && (major < 1 || major > 3 || minor))
        return reader_fail(r, WEFT_UNSUPPORTED, from + 6, "version", "%u.%u, 1.0 to 3.0 are known",
                           (unsigned)major, (unsigned)minor);
    uint64_t n = reader_number(r, "length of the header", major == 1 ? 2 : 4);
    if (r->err == WEFT_OK && n > NPY_MAX_HEADER)
        return reader_fail(r, WEFT_FORMAT, from + 8, "length of the header",
                           "%llu, at most %d is read", (unsigned long long)n, NPY_MAX_HEADER);
    *size = r->at - from + n;
    return r->err;
}

/* ---- the dictionary; `end` is where it ends ---- */

static int npy_peek(reader *r, size_t end) {
    while (r->at < end && r->bytes[r->at] == ' ') r->at++;
    return r->at < end ? r->bytes[r->at] : -1;
}

static bool npy_accept(reader *r, size_t end, int b) {
    if (npy_peek(r, end) != b) return false;
    r->at++;
    return true;
}

/* 'text' or "text" without escapes, at most n - 1 bytes. */
static weft_err npy_text(reader *r, size_t end, const char *field, char *out, size_t n) {
    int quote = npy_peek(r, end);
    if (quote != '\'' && quote != '"') return npy_bad(r, field, "a text in quotes was expected");
    size_t from = ++r->at;
    while (r->at < end && r->bytes[r->at] != quote && r->bytes[r->at] != '\\') r->at++;
    if (r->at >= end || r->bytes[r->at] != quote || r->at - from >= n) {
        r->at = from;
        return npy_bad(r, field, "too long, or without its end");
    }
    memcpy(out, r->bytes + from, r->at - from);
    out[r->at++ - from] = 0;
    return WEFT_OK;
}

static weft_err npy_type(reader *r, size_t end, npy_header *h) {
    char text[16];
    npy_peek(r, end);
    size_t from = r->at;
    if (npy_peek(r, end) == '[')
        return reader_fail(r, WEFT_UNSUPPORTED, from, "descr", "structures are not read");
    WEFT_TRY(npy_text(r, end, "descr", text, sizeof text));
    const char *name = text;
    bool ordered = *name && strchr("<>|=", *name);
    h->big_endian = *name == '>';
    name += ordered;
    for (int t = 0; t < WEFT_FILE_TYPE_COUNT; t++)
        if (strcmp(name, npy_known[t]) == 0) {
            h->type = (weft_file_type)t;
            h->big_endian = h->big_endian && weft_file_type_size(h->type) > 1;
            return WEFT_OK;
        }
    return reader_fail(r, WEFT_UNSUPPORTED, from, "descr", "type \"%s\" is not read%s", text,
                       *name == 'O' ? ": objects are programs" : "");
}

static weft_err npy_flag(reader *r, size_t end, bool *out) {
    npy_peek(r, end);
    size_t left = end - r->at;
    *out = left >= 4 && memcmp(r->bytes + r->at, "True", 4) == 0;
    if (!*out && (left < 5 || memcmp(r->bytes + r->at, "False", 5) != 0))
        return npy_bad(r, "fortran_order", "True or False was expected");
    r->at += *out ? 4 : 5;
    return WEFT_OK;
}

static weft_err npy_shape(reader *r, size_t end, weft_shape *out) {
    *out = (weft_shape){0};
    if (!npy_accept(r, end, '(')) return npy_bad(r, "shape", "'(' was expected");
    bool comma = true;
    while (!npy_accept(r, end, ')')) {
        if (!comma) return npy_bad(r, "shape", "',' or ')' was expected");
        uint64_t v = 0;
        npy_peek(r, end);
        size_t from = r->at;
        for (; r->at < end && r->bytes[r->at] >= '0' && r->bytes[r->at] <= '9'; r->at++)
            if (!check_mul(v, 10, &v) || !check_add(v, r->bytes[r->at] - (uint64_t)'0', &v) ||
                v > INT64_MAX)
                return npy_bad(r, "shape", "an extent overflows");
        if (r->at == from) return npy_bad(r, "shape", "an extent of 0 or more was expected");
        if (r->at < end && r->bytes[r->at] == 'L') r->at++; /* Python 2 wrote 3L */
        if (out->rank == WEFT_MAX_RANK)
            return reader_fail(r, WEFT_UNSUPPORTED, from, "shape", "more than %d axes",
                               WEFT_MAX_RANK);
        out->n[out->rank++] = (int64_t)v;
        comma = npy_accept(r, end, ',');
    }
    if (out->rank == 1 && !comma) return npy_bad(r, "shape", "one extent needs a comma");
    return WEFT_OK;
}

static weft_err npy_entries(reader *r, size_t end, npy_header *h) {
    enum { DESCR = 1, ORDER = 2, SHAPE = 4 };
    int seen = 0;
    if (!npy_accept(r, end, '{')) return npy_bad(r, "header", "'{' was expected");
    while (!npy_accept(r, end, '}')) {
        char key[16];
        npy_peek(r, end);
        size_t from = r->at;
        WEFT_TRY(npy_text(r, end, "key", key, sizeof key));
        int which = !strcmp(key, "descr")           ? DESCR
                    : !strcmp(key, "fortran_order") ? ORDER
                    : !strcmp(key, "shape")         ? SHAPE
                                                    : 0;
        if (!which || seen & which)
            return reader_fail(r, WEFT_FORMAT, from, "header", "the key \"%s\" is %s", key,
                               which ? "duplicate" : "unknown");
        seen |= which;
        if (!npy_accept(r, end, ':')) return npy_bad(r, key, "':' was expected");
        if (which == DESCR) WEFT_TRY(npy_type(r, end, h));
        else if (which == ORDER) WEFT_TRY(npy_flag(r, end, &h->fortran));
        else WEFT_TRY(npy_shape(r, end, &h->dims));
        if (!npy_accept(r, end, ',') && npy_peek(r, end) != '}')
            return npy_bad(r, "header", "',' or '}' was expected");
    }
    if (seen != (DESCR | ORDER | SHAPE))
        return npy_bad(r, "header",
                       !(seen & DESCR)   ? "descr is missing"
                       : !(seen & ORDER) ? "fortran_order is missing"
                                         : "shape is missing");
    while (r->at < end && (r->bytes[r->at] == ' ' || r->bytes[r->at] == '\n')) r->at++;
    return r->at == end ? WEFT_OK : npy_bad(r, "header", "nothing more was expected");
}

weft_err npy_header_read(reader *r, npy_header *h) {
    *h = (npy_header){0};
    uint64_t size = 0;
    const size_t start = r->at;
    WEFT_TRY(npy_start(r, &size));
    const size_t from = r->at;
    if (!reader_bytes(r, "header", size - (from - start))) return r->err;
    const size_t end = r->at;
    r->at = from;
    WEFT_TRY(npy_entries(r, end, h));
    if (!check_array(&h->dims, h->type, &h->bytes))
        return reader_fail(r, WEFT_FORMAT, from, "shape", "the product overflows");
    h->fortran = h->fortran && h->dims.rank > 1;
    return WEFT_OK;
}

/* ---- files ---- */

/* "folder/weights.npy" holds "weights". */
static char *npy_name(weft_archive *a, const char *path) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t n = strlen(base);
    if (n > 4 && strcmp(base + n - 4, ".npy") == 0) n -= 4;
    if (!reader_is_name(base, n)) base = "array", n = 5;
    char *name = archive_pool(a, n + 1);
    if (!name) return NULL;
    memcpy(name, base, n);
    name[n] = 0;
    return name;
}

weft_err npy_read(weft_archive *a, reader *r) {
    npy_header h;
    WEFT_TRY(npy_header_read(r, &h));
    if (h.bytes != r->n - r->at)
        return reader_fail(r, WEFT_FORMAT, r->at, "values",
                           "type and shape take %llu bytes, the file has %llu",
                           (unsigned long long)h.bytes, (unsigned long long)(r->n - r->at));
    const char *name = npy_name(a, r->file);
    if (!name || !archive_reserve(a, 1, (size_t)h.dims.rank, 0)) return archive_no_memory(a);
    const unsigned char *values = r->bytes + r->at;
    archive_array *x = archive_add(a, name, h.type, &h.dims, values, h.bytes);
    if (h.big_endian || h.fortran) {
        if (!mem_room(mem_of(a->c), &a->pack, a->packs, &a->pack_room, sizeof *a->pack))
            return archive_no_memory(a);
        a->pack[a->packs++] = (archive_pack){.from = values,
                                             .packed = h.bytes,
                                             .unpacked = h.bytes,
                                             .big_endian = h.big_endian,
                                             .fortran = h.fortran};
        x->pack = (uint32_t)a->packs;
    }
    a->format = "npy";
    return WEFT_OK;
}

void npy_header_write(text *b, weft_file_type type, const weft_shape *dims) {
    bool ordered = weft_file_type_size(type) > 1 && type != WEFT_FILE_BF16;
    const size_t from = b->n;
    text_raw(b, "\x93NUMPY\1\0\0\0", 10);
    text_add(b, "{'descr': '%c%s', 'fortran_order': False, 'shape': (", ordered ? '<' : '|',
             npy_known[type]);
    for (int i = 0; i < dims->rank; i++)
        text_add(b, "%s%lld", i ? ", " : "", (long long)dims->n[i]);
    text_put(b, dims->rank == 1 ? ",), }" : "), }");
    while (!b->failed && (b->n - from) % 64 != 63) text_put(b, " ");
    text_put(b, "\n");
    if (b->failed) return;
    size_t n = b->n - from - 10;
    b->s[from + 8] = (char)(n & 255);
    b->s[from + 9] = (char)(n >> 8);
}
