/* io_zip.h - zip files put together field by field, and deflate streams bit by bit. */
#ifndef WEFT_TEST_IO_ZIP_H
#define WEFT_TEST_IO_ZIP_H

#include "io_world.h"

#include "base/crc.h"


/* ---- a bit at a time ---- */

typedef struct bits {
    blob *b;
    unsigned held, n;
} bits;

static inline void put(bits *w, unsigned v, unsigned n) {
    w->held |= v << w->n;
    w->n += n;
    for (; w->n >= 8; w->n -= 8, w->held >>= 8) blob_number(w->b, w->held & 255, 1);
}
static inline void put_code(bits *w, unsigned code, unsigned n) { /* codes come highest bit first */
    while (n--) put(w, code >> n & 1, 1);
}
static inline void put_end(bits *w) {
    if (w->n) put(w, 0, 8 - w->n);
}
static inline void put_fixed(bits *w, unsigned symbol) {
    if (symbol < 144) put_code(w, 0x30 + symbol, 8);
    else if (symbol < 256) put_code(w, 0x190 + symbol - 144, 9);
    else if (symbol < 280) put_code(w, symbol - 256, 7);
    else put_code(w, 0xc0 + symbol - 280, 8);
}

/* All of `from` as literals in one fixed block. */
static inline void deflate_fixed(blob *to, const unsigned char *from, size_t n) {
    bits w = {.b = to};
    put(&w, 1, 1), put(&w, 1, 2);
    for (size_t i = 0; i < n; i++) put_fixed(&w, from[i]);
    put_fixed(&w, 256);
    put_end(&w);
}

/* ---- a zip file ---- */

typedef struct member {
    const char *name;
    const unsigned char *packed;
    size_t n;
    uint64_t unpacked;
    uint32_t crc;
    unsigned method;
} member;

typedef struct zip {
    blob file;
    size_t local[4], data[4], entry[4], directory, end;
} zip;

static inline void zip_fields(blob *b, const member *m) {
    blob_number(b, 20, 2);
    blob_number(b, 0, 2);
    blob_number(b, m->method, 2);
    blob_number(b, 0, 4);
    blob_number(b, m->crc, 4);
    blob_number(b, m->n, 4);
    blob_number(b, m->unpacked, 4);
    blob_number(b, strlen(m->name), 2);
    blob_number(b, 0, 2);
}

static inline void zip_make(zip *z, const member *m, size_t n) {
    blob *b = &z->file;
    b->n = 0;
    for (size_t i = 0; i < n; i++) {
        z->local[i] = b->n;
        blob_text(b, "PK\3\4");
        zip_fields(b, &m[i]);
        blob_text(b, m[i].name);
        z->data[i] = b->n;
        blob_add(b, m[i].packed, m[i].n);
    }
    z->directory = b->n;
    for (size_t i = 0; i < n; i++) {
        z->entry[i] = b->n;
        blob_text(b, "PK\1\2");
        blob_number(b, 20, 2);
        zip_fields(b, &m[i]);
        blob_zeros(b, 10);
        blob_number(b, z->local[i], 4);
        blob_text(b, m[i].name);
    }
    z->end = b->n;
    blob_text(b, "PK\5\6");
    blob_number(b, 0, 4);
    blob_number(b, n, 2);
    blob_number(b, n, 2);
    blob_number(b, z->end - z->directory, 4);
    blob_number(b, z->directory, 4);
    blob_number(b, 0, 2);
}

static blob plain, packed;

/* "s" stored and "d" deflated, both u1 (200,). */
static inline void zip_sound(zip *z, member m[2]) {
    blob_npy(&plain, "{'descr': '|u1', 'fortran_order': False, 'shape': (200,), }", 200);
    packed.n = 0;
    deflate_fixed(&packed, plain.s, plain.n);
    uint32_t crc = crc_zip(0, plain.s, plain.n);
    m[0] = (member){"s.npy", plain.s, plain.n, plain.n, crc, 0};
    m[1] = (member){"d.npy", packed.s, packed.n, plain.n, crc, 8};
    zip_make(z, m, 2);
}

#endif
