/* npz.c - reading .npz: a zip file whose members are .npy files, stored or deflated.
 *
 * The central directory at the end counts; each member's local header must repeat it, and
 * members may not overlap, so that nothing is unpacked twice. Sizes of 64 bits are understood. A
 * member's header is read when the file is opened, its values and checksum on first access.
 *
 * Texts about the whole are the file's comment, where NumPy does not take them for an array, or, as
 * they were before and where they do not fit there, a member of their own.
 *
 * What a file may claim: no member may grow by more than deflate can (1032 times), and beyond 1 GiB
 * all members together by no more than 64 times the file. */
#include "base/json.h"
#include "base/reader.h"
#include "base/sort.h"
#include "base/text.h"
#include "io/archive.h"
#include "io/inflate.h"
#include "io/npy.h"
#include <string.h>

enum { ZIP_END = 22, ZIP_END_64 = 56, ZIP_LOCATOR = 20, ZIP_ENTRY = 46, ZIP_LOCAL = 30 };
enum { ZIP_ENCRYPTED = 1, ZIP_LATER = 8 }; /* flags; LATER: sizes follow the data */
#define ZIP_FREE_GROWTH ((uint64_t)1 << 30)
enum { ZIP_MOST_GROWTH = 64 };
#define ZIP_TEXTS "__metadata__.json"

typedef struct zip_member {
    uint64_t packed, unpacked, local; /* local: offset of its header, then of its data */
    uint64_t entry;                   /* offset of its entry, for messages */
    uint32_t crc;
    unsigned method, flags;
    const char *name; /* not ended by a 0 */
    size_t length;
} zip_member;

typedef struct zip_parse {
    weft_archive *a;
    reader *r;
    uint64_t directory, directory_bytes, members;
    uint64_t grown;   /* bytes of all members unpacked */
    uint64_t comment; /* offset of what follows the end, up to the end of the file */
    char *pool;
} zip_parse;

static weft_err zip_bad(reader *r, uint64_t at, const char *field, const char *what) {
    return reader_fail(r, WEFT_FORMAT, at, field, "%s", what);
}

/* ---- the end of the file ---- */

static weft_err zip_end_64(zip_parse *p, size_t end) {
    reader *r = p->r;
    r->at = end - ZIP_LOCATOR;
    reader_number(r, "zip64 locator", 4);
    if (reader_number(r, "disk", 4)) return zip_bad(r, end - ZIP_LOCATOR, "disk", "more than one");
    uint64_t at = reader_number(r, "zip64 end of directory", 8);
    if (reader_number(r, "disks", 4) > 1) return zip_bad(r, end - 4, "disks", "more than one");
    if (at > end - ZIP_LOCATOR || end - ZIP_LOCATOR - at != ZIP_END_64)
        return zip_bad(r, end - ZIP_LOCATOR + 8, "zip64 end of directory",
                       "not where it should be");
    r->at = (size_t)at;
    if (reader_number(r, "zip64 end of directory", 4) != 0x06064b50)
        return zip_bad(r, at, "zip64 end of directory", "no signature");
    reader_bytes(r, "zip64 end of directory", 8 + 2 + 2 + 4 + 4);
    uint64_t here = reader_number(r, "members", 8);
    p->members = reader_number(r, "members", 8);
    if (here != p->members) return zip_bad(r, at + 24, "members", "on more than one disk");
    p->directory_bytes = reader_number(r, "size of the directory", 8);
    p->directory = reader_number(r, "offset of the directory", 8);
    if (p->directory > at || at - p->directory != p->directory_bytes)
        return zip_bad(r, at + 40, "directory", "offset and size do not lead to its end");
    return r->err;
}

static weft_err zip_end(zip_parse *p) {
    reader *r = p->r;
    if (r->n < ZIP_END) return zip_bad(r, 0, "end of directory", "the file is too short");
    size_t at = r->n - ZIP_END, last = at > 65535 ? at - 65535 : 0;
    for (;; at--) { /* a comment of any length may follow, which must end with the file */
        const unsigned char *b = r->bytes + at;
        if (!memcmp(b, "PK\5\6", 4) && r->n - at - ZIP_END == (size_t)(b[20] | b[21] << 8)) break;
        if (at == last) return zip_bad(r, r->n, "end of directory", "no signature");
    }
    p->comment = at + ZIP_END;
    r->at = at + 4;
    uint64_t disk = reader_number(r, "disk", 2), first = reader_number(r, "disk", 2);
    uint64_t here = reader_number(r, "members", 2);
    p->members = reader_number(r, "members", 2);
    p->directory_bytes = reader_number(r, "size of the directory", 4);
    p->directory = reader_number(r, "offset of the directory", 4);
    if (at >= ZIP_LOCATOR && !memcmp(r->bytes + at - ZIP_LOCATOR, "PK\6\7", 4))
        return zip_end_64(p, at);
    if (disk || first || here != p->members)
        return zip_bad(r, at + 4, "disk", "on more than one disk");
    if (p->directory > at || at - p->directory != p->directory_bytes)
        return zip_bad(r, at + 12, "directory", "offset and size do not lead to its end");
    return WEFT_OK;
}

/* ---- the directory ---- */

/* The 64-bit form of those numbers that are all ones, in a fixed order. */
static weft_err zip_wide(reader *r, uint64_t end, zip_member *m) {
    uint64_t *number[] = {&m->unpacked, &m->packed, &m->local};
    while (r->at < end && r->err == WEFT_OK) {
        uint64_t kind = reader_number(r, "extra field", 2), n;
        n = reader_number(r, "extra field", 2);
        if (r->err != WEFT_OK) return r->err;
        if (n > end - r->at) return zip_bad(r, r->at - 2, "extra field", "longer than its room");
        uint64_t next = r->at + n;
        for (int i = 0; kind == 1 && i < 3; i++) {
            if (*number[i] != 0xffffffff) continue;
            if (next - r->at < 8) return zip_bad(r, r->at, "zip64 sizes", "missing");
            *number[i] = reader_number(r, "zip64 sizes", 8);
        }
        r->at = (size_t)next;
    }
    return r->err;
}

static weft_err zip_entry(zip_parse *p, zip_member *m) {
    reader *r = p->r;
    *m = (zip_member){.entry = r->at};
    if (reader_number(r, "entry", 4) != 0x02014b50)
        return zip_bad(r, m->entry, "entry", "no signature");
    reader_bytes(r, "version", 4);
    m->flags = (unsigned)reader_number(r, "flags", 2);
    m->method = (unsigned)reader_number(r, "method", 2);
    reader_bytes(r, "time", 4);
    m->crc = (uint32_t)reader_number(r, "checksum", 4);
    m->packed = reader_number(r, "packed size", 4);
    m->unpacked = reader_number(r, "size", 4);
    m->length = (size_t)reader_number(r, "length of the name", 2);
    uint64_t extra = reader_number(r, "length of the extra field", 2);
    uint64_t comment = reader_number(r, "length of the comment", 2);
    reader_bytes(r, "attributes", 2 + 2 + 4);
    m->local = reader_number(r, "offset", 4);
    m->name = reader_bytes(r, "name", m->length);
    uint64_t end = r->at + extra;
    if (!reader_bytes(r, "extra field", extra)) return r->err;
    r->at = (size_t)(end - extra);
    WEFT_TRY(zip_wide(r, end, m));
    r->at = (size_t)end;
    reader_bytes(r, "comment", comment);
    if (r->err != WEFT_OK) return r->err;
    if (r->at > p->directory + p->directory_bytes)
        return zip_bad(r, m->entry, "entry", "reaches beyond the directory");
    if (!reader_is_name(m->name, m->length))
        return zip_bad(r, m->entry + ZIP_ENTRY, "name", "not a name in UTF-8");
    if (m->flags & ZIP_ENCRYPTED)
        return reader_fail(r, WEFT_UNSUPPORTED, m->entry + 8, "flags", "encrypted");
    if (m->method != 0 && m->method != 8)
        return reader_fail(r, WEFT_UNSUPPORTED, m->entry + 10, "method",
                           "%u, only stored and deflated are read", m->method);
    return WEFT_OK;
}

/* The local header must say the same; then m->local is where the data begins. */
static weft_err zip_local(zip_parse *p, zip_member *m) {
    reader *r = p->r;
    size_t back = r->at;
    uint64_t at = m->local, packed, unpacked;
    if (at > p->directory || p->directory - at < ZIP_LOCAL)
        return zip_bad(r, m->entry + 42, "offset", "beyond the members");
    r->at = (size_t)at;
    if (reader_number(r, "member", 4) != 0x04034b50)
        return zip_bad(r, at, "member", "no signature");
    reader_bytes(r, "version", 2);
    unsigned flags = (unsigned)reader_number(r, "flags", 2);
    unsigned method = (unsigned)reader_number(r, "method", 2);
    reader_bytes(r, "time", 4);
    uint32_t crc = (uint32_t)reader_number(r, "checksum", 4);
    packed = reader_number(r, "packed size", 4);
    unpacked = reader_number(r, "size", 4);
    uint64_t length = reader_number(r, "length of the name", 2);
    uint64_t extra = reader_number(r, "length of the extra field", 2);
    const char *name = reader_bytes(r, "name", length);
    reader_bytes(r, "extra field", extra);
    if (r->err != WEFT_OK) return r->err;
    if (length != m->length || memcmp(name, m->name, m->length) != 0 || method != m->method ||
        ((flags ^ m->flags) & (ZIP_ENCRYPTED | ZIP_LATER)))
        return zip_bad(r, at, "member", "differs from the directory");
    zip_member again = {.packed = packed, .unpacked = unpacked};
    uint64_t end = r->at;
    r->at = (size_t)(end - extra);
    WEFT_TRY(zip_wide(r, end, &again));
    if (!(flags & ZIP_LATER) &&
        (crc != m->crc || again.packed != m->packed || again.unpacked != m->unpacked))
        return zip_bad(r, at + 14, "member", "sizes or checksum differ from the directory");
    if (end > p->directory || m->packed > p->directory - end)
        return zip_bad(r, m->entry + 20, "packed size", "reaches into the directory");
    if (m->method == 0 ? m->packed != m->unpacked : m->unpacked / INFLATE_MAX_RATIO > m->packed)
        return zip_bad(r, m->entry + 24, "size", "cannot come from the packed size");
    m->local = end;
    r->at = back;
    if (!check_add(p->grown, m->unpacked, &p->grown) ||
        (p->grown > ZIP_FREE_GROWTH && p->grown / ZIP_MOST_GROWTH > r->n))
        return reader_fail(r, WEFT_UNSUPPORTED, m->entry + 24, "size",
                           "the members together would be more than %d times the file",
                           ZIP_MOST_GROWTH);
    return WEFT_OK;
}

/* ---- members ---- */

typedef struct zip_prefix {
    unsigned char *to;
    size_t n, most;
} zip_prefix;

static bool zip_prefix_sink(void *user, const unsigned char *p, size_t n) {
    zip_prefix *o = user;
    size_t take = n < o->most - o->n ? n : o->most - o->n;
    memcpy(o->to + o->n, p, take);
    o->n += take;
    return o->n < o->most;
}

/* The first bytes of a deflated member; fewer if it has no more or is damaged. */
static size_t zip_unpack_some(const unsigned char *from, const zip_member *m, inflate *z,
                              unsigned char *to, size_t most) {
    zip_prefix o = {.to = to, .most = most};
    memset(z, 0, sizeof *z);
    z->in = from, z->n = (size_t)m->packed, z->sink = zip_prefix_sink, z->user = &o;
    z->enough = most <= INFLATE_WINDOW ? most : 0;
    inflate_run(z);
    return o.n;
}

/* The .npy header of a member, wherever it lies; *skip: bytes before the values. */
static weft_err zip_header(zip_parse *p, const zip_member *m, const char *file, npy_header *h,
                           uint64_t *skip) {
    weft_ctx *c = p->r->c;
    const unsigned char *from = p->r->bytes + m->local;
    if (m->method == 0) {
        reader s = reader_of(c, file, p->r->bytes, (size_t)(m->local + m->packed));
        s.at = (size_t)m->local;
        WEFT_TRY(npy_header_read(&s, h));
        *skip = s.at - m->local;
        return WEFT_OK;
    }
    struct {
        inflate z;
        unsigned char prefix[NPY_MAX_HEADER + NPY_LONGEST_START];
    } *t = weft_resize(c, NULL, sizeof *t);
    if (!t) return archive_no_memory(p->a);
    uint64_t size = 0;
    size_t n = zip_unpack_some(from, m, &t->z, t->prefix, NPY_LONGEST_START);
    reader s = reader_of(c, file, t->prefix, n);
    weft_err e = npy_start(&s, &size);
    if (e == WEFT_OK) {
        n = zip_unpack_some(from, m, &t->z, t->prefix, (size_t)size);
        s = reader_of(c, file, t->prefix, n);
        if (n < size && t->z.wrong)
            e = zip_bad(p->r, m->local + t->z.at, "packed data", t->z.wrong);
        else e = npy_header_read(&s, h);
    }
    *skip = s.at;
    weft_resize(c, t, 0);
    return e;
}

/* An object of texts, in so many bytes from there. */
static weft_err zip_texts_at(zip_parse *p, uint64_t at, uint64_t n) {
    weft_archive *a = p->a;
    size_t back = p->r->at, pool = 0, texts = 0;
    weft_json j = json_inside(p->r, at, n), key = {0}, value = {0};
    p->r->at = back;
    if (p->r->err != WEFT_OK) return p->r->err;
    for (; weft_json_next(j, &key, &value); texts++) {
        if (weft_json_kind_of(value) != WEFT_JSON_TEXT)
            return zip_bad(p->r, json_offset(p->r, value), ZIP_TEXTS, "a text was expected");
        pool += weft_json_text(key, NULL, 0) + weft_json_text(value, NULL, 0) + 2;
    }
    if (weft_json_kind_of(j) != WEFT_JSON_OBJECT)
        return zip_bad(p->r, at, ZIP_TEXTS, "an object of texts was expected");
    char *s = archive_reserve(a, 0, 0, texts) ? archive_pool(a, pool) : NULL;
    if (!s) return archive_no_memory(a);
    for (key = value = (weft_json){0}; weft_json_next(j, &key, &value);) {
        char *k = s, *v = s + weft_json_text(key, NULL, 0) + 1;
        weft_json_text(key, k, (size_t)(v - k));
        s = v + weft_json_text(value, NULL, 0) + 1;
        weft_json_text(value, v, (size_t)(s - v));
        archive_add_text(a, k, v);
    }
    return WEFT_OK;
}

static weft_err zip_texts(zip_parse *p, const zip_member *m) {
    if (m->method != 0)
        return reader_fail(p->r, WEFT_UNSUPPORTED, m->entry + 10, ZIP_TEXTS,
                           "is read only where it is stored");
    return zip_texts_at(p, m->local, m->packed);
}

static weft_err zip_array(zip_parse *p, const zip_member *m) {
    weft_archive *a = p->a;
    if (m->length < 5 || memcmp(m->name + m->length - 4, ".npy", 4) != 0)
        return reader_fail(p->r, WEFT_UNSUPPORTED, m->entry + ZIP_ENTRY, "name",
                           "a member that is not a .npy file");
    const char *name = p->pool;
    memcpy(p->pool, m->name, m->length - 4);
    p->pool[m->length - 4] = 0;
    p->pool += m->length - 3;
    text file = {.m = mem_of(a->c)};
    text_put(&file, p->r->file);
    text_put(&file, "/");
    text_put(&file, name);
    text_put(&file, ".npy");
    npy_header h = {0};
    uint64_t skip = 0;
    weft_err e = file.failed ? archive_no_memory(a) : zip_header(p, m, file.s, &h, &skip);
    text_free(&file);
    WEFT_TRY(e);
    if (m->unpacked < skip || m->unpacked - skip != h.bytes)
        return reader_fail(p->r, WEFT_FORMAT, m->entry + 24, "size",
                           "type and shape of \"%.40s\" take %llu bytes, the member has %llu", name,
                           (unsigned long long)h.bytes,
                           (unsigned long long)(m->unpacked < skip ? 0 : m->unpacked - skip));
    a->pack[a->packs++] = (archive_pack){.from = p->r->bytes + m->local,
                                         .packed = m->packed,
                                         .unpacked = m->unpacked,
                                         .skip = (uint32_t)skip,
                                         .crc = m->crc,
                                         .has_crc = true,
                                         .deflated = m->method == 8,
                                         .big_endian = h.big_endian,
                                         .fortran = h.fortran};
    archive_add(a, name, h.type, &h.dims, NULL, h.bytes)->pack = (uint32_t)a->packs;
    return WEFT_OK;
}

/* ---- the whole ---- */

static int zip_compare_places(const void *user, uint32_t x, uint32_t y) {
    const archive_pack *pack = ((const weft_archive *)user)->pack;
    return pack[x].from < pack[y].from ? -1 : pack[x].from > pack[y].from;
}

/* Array i has pack i. */
static weft_err zip_disjoint(zip_parse *p) {
    weft_archive *a = p->a;
    sort_numbers(a->order, a->n, zip_compare_places, a);
    for (size_t i = 1; i < a->n; i++) {
        const archive_pack *x = &a->pack[a->order[i - 1]], *y = &a->pack[a->order[i]];
        if ((uint64_t)(y->from - x->from) < x->packed)
            return zip_bad(p->r, (uint64_t)(y->from - p->r->bytes), "member",
                           "overlaps the one before it");
    }
    return WEFT_OK;
}

/* Room for all members, after a first walk along the directory. */
static weft_err zip_reserve(zip_parse *p) {
    enum { LEAST = 100 }; /* bytes a member takes: entry, local header, .npy header */
    weft_archive *a = p->a;
    if (p->members > p->r->n / LEAST || p->members > ARCHIVE_MAX_ARRAYS)
        return reader_fail(p->r, WEFT_FORMAT, p->directory, "directory",
                           "the file has no room for %llu members", (unsigned long long)p->members);
    size_t n = (size_t)p->members, names = 0;
    p->r->at = (size_t)p->directory;
    for (size_t i = 0; i < n; i++) {
        zip_member m;
        WEFT_TRY(zip_entry(p, &m));
        names += m.length + 1;
    }
    if (p->r->at != p->directory + p->directory_bytes)
        return zip_bad(p->r, p->r->at, "directory", "more bytes than its entries take");
    p->r->at = (size_t)p->directory;
    a->pack = weft_resize(a->c, NULL, (n ? n : 1) * sizeof *a->pack);
    a->pack_room = a->pack ? n : 0;
    p->pool = archive_pool(a, names);
    return a->pack && p->pool && archive_reserve(a, n, n * WEFT_MAX_RANK, 0) ? WEFT_OK
                                                                             : archive_no_memory(a);
}

weft_err npz_read(weft_archive *a, reader *r) {
    zip_parse p = {.a = a, .r = r};
    WEFT_TRY(zip_end(&p));
    WEFT_TRY(zip_reserve(&p));
    bool texts = false;
    for (uint64_t i = 0; i < p.members; i++) {
        zip_member m;
        WEFT_TRY(zip_entry(&p, &m));
        WEFT_TRY(zip_local(&p, &m));
        bool is_texts = m.length == sizeof ZIP_TEXTS - 1 && !memcmp(m.name, ZIP_TEXTS, m.length);
        if (is_texts && texts) return zip_bad(r, m.entry, "name", ZIP_TEXTS " occurs twice");
        texts = texts || is_texts;
        WEFT_TRY(is_texts ? zip_texts(&p, &m) : zip_array(&p, &m));
    }
    WEFT_TRY(zip_disjoint(&p));
    const bool said = r->n - p.comment > 1 && !memcmp(r->bytes + p.comment, "{\"", 2);
    if (said && texts) return zip_bad(r, p.comment, "comment", "the metadata occur twice");
    if (said) WEFT_TRY(zip_texts_at(&p, p.comment, r->n - p.comment));
    if (archive_sort(a, 0)) return zip_bad(r, p.directory, "name", "two members have the same");
    a->format = "npz";
    return WEFT_OK;
}
