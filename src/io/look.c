/* look.c - the values of an array, prepared on first access: verified, decompressed, byte-swapped.
 *
 * A compressed member is first decompressed without storing it, to verify size and checksum;
 * only then does it get memory, unless that is no more than its compressed data takes. */
#include "base/crc.h"
#include "base/sha256.h"
#include "io/archive.h"
#include "io/inflate.h"
#include <string.h>

/* Where in its file a place is; 0 for memory of our own. */
static uint64_t look_offset(const weft_archive *a, const unsigned char *p) {
    for (size_t i = 0; i <= a->maps; i++) {
        const weft_file *f = i < a->maps ? &a->map[i] : &a->memory;
        const unsigned char *from = f->bytes;
        if (from && p >= from && p <= from + f->n) return (uint64_t)(p - from);
    }
    return 0;
}

static weft_err look_bad(weft_archive *a, const archive_array *x, const unsigned char *at,
                         const char *what) {
    char field[FIELD_BYTES];
    return weft_fail(a->c, WEFT_FORMAT, "%s: offset %llu: %s: %s", reader_path(a->name),
                     (unsigned long long)look_offset(a, at), reader_field(field, "values", x->name),
                     what);
}

/* ---- unpacking ---- */

typedef struct look_output {
    unsigned char *to; /* NULL: only counted */
    uint64_t most, n;
    uint32_t crc;
} look_output;

static bool look_sink(void *user, const unsigned char *p, size_t n) {
    look_output *o = user;
    if (n > o->most - o->n) {
        o->n = o->most + 1;
        return false;
    }
    if (o->to) memcpy(o->to + o->n, p, n);
    o->crc = crc_zip(o->crc, p, n);
    o->n += n;
    return true;
}

static weft_err look_inflate(weft_archive *a, const archive_array *x, const archive_pack *k,
                             inflate *z, unsigned char *to) {
    look_output o = {.to = to, .most = k->unpacked};
    memset(z, 0, sizeof *z);
    z->in = k->from, z->n = (size_t)k->packed, z->sink = look_sink, z->user = &o;
    bool good = inflate_run(z);
    if (o.n > o.most) return look_bad(a, x, k->from, "more data than the file says");
    if (!good) return look_bad(a, x, k->from + z->at, z->wrong);
    if (o.n < k->unpacked) return look_bad(a, x, k->from, "less data than the file says");
    return o.crc == k->crc ? WEFT_OK : look_bad(a, x, k->from, "the checksum (CRC-32) is wrong");
}

static weft_err look_inflated(weft_archive *a, const archive_array *x, const archive_pack *k,
                              unsigned char **out) {
    inflate *z = weft_resize(a->c, NULL, sizeof *z);
    if (!z) return archive_no_memory(a);
    size_t fits;
    weft_err e = k->unpacked > k->packed ? look_inflate(a, x, k, z, NULL) : WEFT_OK;
    if (e == WEFT_OK && !check_size(k->unpacked, &fits)) e = archive_no_memory(a);
    if (e == WEFT_OK && !(*out = archive_block(a, fits))) e = archive_no_memory(a);
    if (e == WEFT_OK) e = look_inflate(a, x, k, z, *out);
    weft_resize(a->c, z, 0);
    return e;
}

/* ---- turning round ---- */

static void look_swap(unsigned char *to, const unsigned char *from, size_t n, size_t size) {
    for (size_t i = 0; i < n; i += size)
        for (size_t b = 0; b < size; b++) to[i + b] = from[i + size - 1 - b];
}

/* from: first axis fastest; to: last axis fastest. Walks `to` in order, an odometer of axes. */
static void look_transpose(unsigned char *to, const unsigned char *from, const weft_array *t,
                           size_t size) {
    size_t stride[WEFT_MAX_RANK], at = 0, n = t->bytes;
    int64_t index[WEFT_MAX_RANK] = {0};
    for (int i = 0; i < t->dims.rank; i++)
        stride[i] = i ? stride[i - 1] * (size_t)t->dims.n[i - 1] : size;
    for (size_t done = 0; done < n; done += size) {
        memcpy(to + done, from + at, size);
        for (int i = t->dims.rank - 1; i >= 0; i--) {
            at += stride[i];
            if (++index[i] < t->dims.n[i]) break;
            at -= stride[i] * (size_t)t->dims.n[i];
            index[i] = 0;
        }
    }
}

static weft_err look_unpack(weft_archive *a, archive_array *x, const archive_pack *k) {
    const unsigned char *values = k->from;
    if (k->deflated) {
        unsigned char *whole = NULL;
        WEFT_TRY(look_inflated(a, x, k, &whole));
        values = whole;
    } else if (k->has_crc && crc_zip(0, k->from, (size_t)k->unpacked) != k->crc) {
        return look_bad(a, x, k->from, "the checksum (CRC-32) is wrong");
    }
    values += k->skip;
    size_t size = weft_file_type_size((weft_file_type)x->type), n = (size_t)x->bytes;
    if (k->big_endian) {
        unsigned char *turned = archive_block(a, n);
        if (!turned) return archive_no_memory(a);
        look_swap(turned, values, n, size);
        values = turned;
    }
    if (k->fortran) {
        weft_array t;
        archive_tell(a, x, &t);
        unsigned char *turned = archive_block(a, n);
        if (!turned) return archive_no_memory(a);
        look_transpose(turned, values, &t, size);
        values = turned;
    }
    x->data = values;
    x->pack = 0;
    return WEFT_OK;
}

weft_err archive_look(weft_archive *a, archive_array *x) {
    if (x->pack) return look_unpack(a, x, &a->pack[x->pack - 1]);
    if (!x->has_crc) return WEFT_OK;
    if (crc_32c(0, x->data, (size_t)x->bytes) != x->crc)
        return look_bad(a, x, x->data, "the checksum (CRC-32C) is wrong");
    x->has_crc = false;
    return WEFT_OK;
}

/* ---- all of them ---- */

weft_err weft_archive_verify(weft_archive *a) {
    if (!a) return weft_fail(NULL, WEFT_ARGUMENT, "weft_archive_verify: the archive is NULL");
    for (size_t i = 0; i < a->n; i++) WEFT_TRY(archive_look(a, &a->array[i]));
    return WEFT_OK;
}

static void look_hash_number(sha256 *s, uint64_t v) {
    unsigned char byte[8];
    for (int i = 0; i < 8; i++) byte[i] = (unsigned char)(v >> 8 * i);
    sha256_add(s, byte, 8);
}

weft_err weft_archive_hash(weft_archive *a, char out[65]) {
    if (!a || !out)
        return weft_fail(a ? a->c : NULL, WEFT_ARGUMENT, "weft_archive_hash: NULL was given");
    WEFT_TRY(weft_archive_verify(a));
    sha256 s;
    sha256_start(&s);
    for (size_t i = 0; i < a->n; i++) {
        weft_array t;
        archive_tell(a, &a->array[a->order[i]], &t);
        const char *type = weft_file_type_name(t.type);
        sha256_add(&s, t.name, strlen(t.name) + 1);
        sha256_add(&s, type, strlen(type) + 1);
        look_hash_number(&s, (uint64_t)t.dims.rank);
        for (int d = 0; d < t.dims.rank; d++) look_hash_number(&s, (uint64_t)t.dims.n[d]);
        sha256_add(&s, t.data, t.bytes);
    }
    sha256_end(&s, out);
    return WEFT_OK;
}
