/* test_io_npz.c - malformed zip files and deflate streams, and the bombs among them.
 *
 * A sound file with two members is put together here, one stored and one deflated, and then changed
 * in one place at a time. Deflate streams are written bit by bit. */
#include "io_world.h"

#include "io/crc.h"

static counter heap_of;
static weft_ctx *c;

static void begin(void) {
    if (!c) c = counter_open(&heap_of);
}

/* ---- a bit at a time ---- */

typedef struct bits {
    blob *b;
    unsigned held, n;
} bits;

static void put(bits *w, unsigned v, unsigned n) {
    w->held |= v << w->n;
    w->n += n;
    for (; w->n >= 8; w->n -= 8, w->held >>= 8) blob_number(w->b, w->held & 255, 1);
}
static void put_code(bits *w, unsigned code, unsigned n) { /* codes come highest bit first */
    while (n--) put(w, code >> n & 1, 1);
}
static void put_end(bits *w) {
    if (w->n) put(w, 0, 8 - w->n);
}
static void put_fixed(bits *w, unsigned symbol) {
    if (symbol < 144) put_code(w, 0x30 + symbol, 8);
    else if (symbol < 256) put_code(w, 0x190 + symbol - 144, 9);
    else if (symbol < 280) put_code(w, symbol - 256, 7);
    else put_code(w, 0xc0 + symbol - 280, 8);
}

/* All of `from` as literals in one fixed block. */
static void deflate_fixed(blob *to, const unsigned char *from, size_t n) {
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

static void zip_fields(blob *b, const member *m) {
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

static void zip_make(zip *z, const member *m, size_t n) {
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
static void zip_sound(zip *z, member m[2]) {
    blob_npy(&plain, "{'descr': '|u1', 'fortran_order': False, 'shape': (200,), }", 200);
    packed.n = 0;
    deflate_fixed(&packed, plain.s, plain.n);
    uint32_t crc = crc_zip(0, plain.s, plain.n);
    m[0] = (member){"s.npy", plain.s, plain.n, plain.n, crc, 0};
    m[1] = (member){"d.npy", packed.s, packed.n, plain.n, crc, 8};
    zip_make(z, m, 2);
}

TEST(a_sound_file) {
    begin();
    static zip z;
    member m[2];
    zip_sound(&z, m);
    size_t before = heap_of.live;
    weft_archive *a = weft_archive_parse(c, z.file.s, z.file.n, "z");
    if (!CHECK(a)) printf("     %s\n", weft_error(c));
    CHECK_EQ(weft_archive_count(a), 2);
    weft_array x, y;
    CHECK_EQ(weft_archive_find(a, "s", &x), WEFT_OK);
    CHECK_EQ(weft_archive_find(a, "d", &y), WEFT_OK);
    CHECK_EQ(x.bytes, 200);
    CHECK_MEM(x.data, y.data, 200);
    CHECK((const unsigned char *)x.data ==
          z.file.s + z.data[0] + plain.n - 200); /* where it lies */
    CHECK_EQ(((const unsigned char *)y.data)[77], 77);
    weft_archive_free(a);
    CHECK_EQ(heap_of.live, before);
    a = weft_archive_parse(c, "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22, "empty");
    CHECK(a);
    CHECK_EQ(weft_archive_count(a), 0);
    weft_archive_free(a);
}

TEST(one_field_changed) {
    begin();
    enum { LOCAL, DATA, ENTRY, END };
    static const struct {
        const char *what;
        int part, member, offset, width;
        uint64_t value;
        weft_err code;
        const char *message;
    } row[] = {
        {"the end's signature", END, 0, 0, 4, 0x12345678, WEFT_FORMAT,
         "end of directory: no signature"},
        {"a comment longer than the file", END, 0, 20, 2, 5, WEFT_FORMAT, "no signature"},
        {"a second disk", END, 0, 4, 2, 1, WEFT_FORMAT, "disk: on more than one disk"},
        {"a directory elsewhere", END, 0, 6, 2, 1, WEFT_FORMAT, "more than one disk"},
        {"fewer members here", END, 0, 8, 2, 1, WEFT_FORMAT, "more than one disk"},
        {"one member too few", END, 0, 8, 4, 0x10001, WEFT_FORMAT, "more bytes than its entries"},
        {"one member too many", END, 0, 8, 4, 0x30003, WEFT_FORMAT, "entry: no signature"},
        {"65535 members", END, 0, 8, 4, 0xffffffff, WEFT_FORMAT, "no room for 65535 members"},
        {"a directory too long", END, 0, 12, 4, 999999, WEFT_FORMAT, "do not lead to its end"},
        {"a directory too short", END, 0, 12, 4, 10, WEFT_FORMAT, "do not lead to its end"},
        {"a directory further on", END, 0, 16, 4, 0xfffffff0, WEFT_FORMAT,
         "do not lead to its end"},
        {"an entry's signature", ENTRY, 1, 0, 4, 0x04034b50, WEFT_FORMAT, "entry: no signature"},
        {"encrypted", ENTRY, 0, 8, 2, 1, WEFT_UNSUPPORTED, "flags: encrypted"},
        {"packed in another way", ENTRY, 1, 10, 2, 12, WEFT_UNSUPPORTED, "method: 12"},
        {"stored, says the directory", ENTRY, 1, 10, 2, 0, WEFT_FORMAT,
         "differs from the directory"},
        {"a wrong checksum", ENTRY, 0, 16, 4, 1, WEFT_FORMAT, "sizes or checksum differ"},
        {"another packed size", ENTRY, 1, 20, 4, 5, WEFT_FORMAT, "sizes or checksum differ"},
        {"another size", ENTRY, 1, 24, 4, 5, WEFT_FORMAT, "sizes or checksum differ"},
        {"a longer name", ENTRY, 1, 28, 2, 9, WEFT_FORMAT, "beyond the directory"},
        {"a name to the end of the file", ENTRY, 1, 28, 2, 0xffff, WEFT_FORMAT,
         "name: 65535 bytes"},
        {"no name", ENTRY, 0, 28, 2, 0, WEFT_FORMAT, "name: not a name"},
        {"an extra field that is not there", ENTRY, 1, 30, 2, 7, WEFT_FORMAT, "extra field"},
        {"a comment that is not there", ENTRY, 1, 32, 2, 9999, WEFT_FORMAT, "comment: 9999 bytes"},
        {"an offset beyond the members", ENTRY, 0, 42, 4, 5000000, WEFT_FORMAT, "offset: beyond"},
        {"an offset of all ones", ENTRY, 0, 42, 4, 0xffffffff, WEFT_FORMAT, "offset: beyond"},
        {"an offset one too far", ENTRY, 1, 42, 4, 1, WEFT_FORMAT, "member: no signature"},
        {"the offset of another", ENTRY, 1, 42, 4, 0, WEFT_FORMAT, "member: differs"},
        {"another name", ENTRY, 1, 46, 1, 'e', WEFT_FORMAT, "member: differs from the directory"},
        {"a name with a zero", ENTRY, 1, 46, 1, 0, WEFT_FORMAT, "name: not a name"},
        {"a name that is not UTF-8", ENTRY, 1, 46, 1, 0xff, WEFT_FORMAT,
         "name: not a name in UTF-8"},
        {"a member's signature", LOCAL, 1, 0, 4, 0, WEFT_FORMAT, "member: no signature"},
        {"a member's flags", LOCAL, 1, 6, 2, 1, WEFT_FORMAT, "member: differs"},
        {"a member's method", LOCAL, 1, 8, 2, 0, WEFT_FORMAT, "member: differs"},
        {"a member's checksum", LOCAL, 1, 14, 4, 7, WEFT_FORMAT, "sizes or checksum differ"},
        {"a member's packed size", LOCAL, 1, 18, 4, 7, WEFT_FORMAT, "sizes or checksum differ"},
        {"a member's size", LOCAL, 1, 22, 4, 7, WEFT_FORMAT, "sizes or checksum differ"},
        {"a member's long name", LOCAL, 1, 26, 2, 0xfff0, WEFT_FORMAT,
         "name: 65520 bytes expected"},
        {"a member's long extra field", LOCAL, 1, 28, 2, 0xfff0, WEFT_FORMAT, "extra field: 65520"},
        {"a member's name", LOCAL, 0, 30, 1, 'x', WEFT_FORMAT, "member: differs"},
        {"no .npy inside", DATA, 0, 0, 1, 0, WEFT_FORMAT, "magic: not a .npy file"},
        {"another shape inside", DATA, 0, 63, 1, '9', WEFT_FORMAT, "size: type and shape of \"s\""},
        {"a changed value", DATA, 0, 200, 1, 0xaa, WEFT_FORMAT,
         "values of \"s\": the checksum (CRC-32) is wrong"},
        {"a changed packed value", DATA, 1, 200, 1, 0xaa, WEFT_FORMAT, "values of \"d\": "},
        {"a packed block of no kind", DATA, 1, 0, 1, 7, WEFT_FORMAT, "magic: 6 bytes expected"},
    };
    static zip z;
    member m[2];
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CASE("%s", row[i].what);
        zip_sound(&z, m);
        size_t *base = row[i].part == LOCAL   ? z.local
                       : row[i].part == DATA  ? z.data
                       : row[i].part == ENTRY ? z.entry
                                              : &z.end;
        for (int k = 0; k < row[i].width; k++)
            z.file.s[base[row[i].member] + (size_t)(row[i].offset + k)] =
                (unsigned char)(row[i].value >> 8 * k);
        refuses(c, &heap_of, z.file.s, z.file.n, row[i].code, row[i].message);
        CHECK_HAS(weft_error(c), "offset ");
    }
}

TEST(members_that_do_not_go_together) {
    begin();
    static zip z;
    member m[4];
    zip_sound(&z, m);
    CASE("two of one name");
    m[1].name = "s.npy";
    zip_make(&z, m, 2);
    refuses(c, &heap_of, z.file.s, z.file.n, WEFT_FORMAT, "two members have the same");
    CASE("one member twice");
    m[1] = m[0];
    zip_make(&z, m, 2);
    memcpy(z.file.s + z.entry[1] + 42, z.file.s + z.entry[0] + 42, 4);
    refuses(c, &heap_of, z.file.s, z.file.n, WEFT_FORMAT, "overlaps the one before it");
    CASE("not an array");
    zip_sound(&z, m);
    m[0].name = "s.txt";
    zip_make(&z, m, 2);
    refuses(c, &heap_of, z.file.s, z.file.n, WEFT_UNSUPPORTED, "name: a member that is no .npy");
    CASE("stored in another size");
    zip_sound(&z, m);
    m[0].unpacked++;
    zip_make(&z, m, 2);
    refuses(c, &heap_of, z.file.s, z.file.n, WEFT_FORMAT, "size: cannot come from the packed size");
    CASE("texts that are no object");
    zip_sound(&z, m);
    m[0] = (member){"__metadata__.json", (const unsigned char *)"[]", 2, 2, 0, 0};
    zip_make(&z, m, 2);
    refuses(c, &heap_of, z.file.s, z.file.n, WEFT_FORMAT, "an object of texts was expected");
    CASE("texts that are numbers");
    m[0] = (member){"__metadata__.json", (const unsigned char *)"{\"a\":1}", 7, 7, 0, 0};
    zip_make(&z, m, 2);
    refuses(c, &heap_of, z.file.s, z.file.n, WEFT_FORMAT, "a text was expected");
    CASE("texts that are packed");
    m[0].method = 8;
    zip_make(&z, m, 2);
    refuses(c, &heap_of, z.file.s, z.file.n, WEFT_UNSUPPORTED, "only where it is stored");
    CASE("texts twice");
    m[0] = (member){"__metadata__.json", (const unsigned char *)"{}", 2, 2, 0, 0};
    m[1] = m[0];
    zip_make(&z, m, 2);
    refuses(c, &heap_of, z.file.s, z.file.n, WEFT_FORMAT, "is there twice");
    for (size_t n = 0; n < z.file.n; n += 7) {
        CASE("cut to %zu bytes", n);
        weft_archive *a = weft_archive_parse(c, z.file.s, n, "cut");
        CHECK(!a);
        weft_archive_free(a);
    }
}

/* ---- deflate ---- */

static void stream_refused(const char *what, const blob *stream, uint64_t unpacked, uint32_t crc,
                           const char *part) {
    static zip z;
    CASE("%s", what);
    member m = {"d.npy", stream->s, stream->n, unpacked, crc, 8};
    zip_make(&z, &m, 1);
    refuses(c, &heap_of, z.file.s, z.file.n, WEFT_FORMAT, part);
}

/* The .npy header as literals of an open fixed block, which the case goes on with. */
static bits stream_begin(blob *b) {
    b->n = 0;
    bits w = {.b = b};
    blob_npy(&plain, "{'descr': '|u1', 'fortran_order': False, 'shape': (200,), }", 0);
    put(&w, 0, 1), put(&w, 1, 2);
    for (size_t i = 0; i < plain.n; i++) put_fixed(&w, plain.s[i]);
    return w;
}

TEST(streams) {
    begin();
    static blob b;
    const uint64_t whole = 70 + 200;
    bits w = stream_begin(&b);
    put_end(&w);
    stream_refused("cut off", &b, whole, 0, "ends too early");
    w = stream_begin(&b);
    put_fixed(&w, 256), put(&w, 1, 1), put(&w, 3, 2), put_end(&w);
    stream_refused("a block of no kind", &b, whole, 0, "a block of no known kind");
    w = stream_begin(&b);
    put_fixed(&w, 256), put(&w, 1, 1), put(&w, 0, 2), put_end(&w);
    blob_add(&b, "\5\0\0\0hello", 9);
    stream_refused("a stored block whose lengths differ", &b, whole, 0, "whose lengths differ");
    w = stream_begin(&b);
    put_fixed(&w, 256), put(&w, 1, 1), put(&w, 0, 2), put_end(&w);
    blob_add(&b, "\5\0\xfa\xffhell", 8);
    stream_refused("a stored block cut off", &b, whole, 0, "ends too early");
    w = stream_begin(&b);
    put_fixed(&w, 257), put_code(&w, 29, 5), put(&w, 8191, 13), put_end(&w);
    stream_refused("a distance beyond the beginning", &b, whole, 0, "a distance beyond");
    w = stream_begin(&b);
    put_fixed(&w, 257), put_code(&w, 30, 5), put_end(&w), blob_zeros(&b, 4);
    stream_refused("a distance that does not exist", &b, whole, 0,
                   "a distance that does not exist");
    w = stream_begin(&b);
    put_fixed(&w, 286), put_end(&w), blob_zeros(&b, 4);
    stream_refused("a length that does not exist", &b, whole, 0, "a length that does not exist");

    static const struct {
        const char *what;
        unsigned literals, distances;
        const char *lengths; /* of the code lengths, in the order 16 17 18 0 8 ... */
        const char *codes;   /* symbols of the code lengths; each one bit, 0 first */
        const char *part;
    } row[] = {
        {"too many codes", 30, 0, "1111", "", "more codes than there are"},
        {"too many distances", 0, 30, "1111", "", "more codes than there are"},
        {"lengths with too many codes", 0, 0, "1111", "", "a set of codes with too many"},
        {"lengths with gaps", 0, 0, "2200", "", "a set of codes with gaps"},
        {"a repetition of nothing", 0, 0, "1001", "1", "a repetition of nothing"},
        {"no end of the block", 0, 0, "0011", "1111", "a block that cannot end"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        w = stream_begin(&b);
        put_fixed(&w, 256), put(&w, 1, 1), put(&w, 2, 2);
        put(&w, row[i].literals, 5), put(&w, row[i].distances, 5);
        put(&w, (unsigned)strlen(row[i].lengths) - 4, 4);
        for (const char *p = row[i].lengths; *p; p++) put(&w, (unsigned)(*p - '0'), 3);
        for (const char *p = row[i].codes; *p; p++) { /* 18: eleven zeros and 127 more */
            put_code(&w, (unsigned)(*p - '0'), 1);
            if (*p == '1') put(&w, 118, 7);
        }
        put_end(&w), blob_zeros(&b, 8);
        stream_refused(row[i].what, &b, whole, 0, row[i].part);
    }
    w = stream_begin(&b);
    put_fixed(&w, 256), put(&w, 1, 1), put(&w, 2, 2), put(&w, 0, 5), put(&w, 0, 5), put(&w, 0, 4);
    put(&w, 0, 3), put(&w, 0, 3), put(&w, 1, 3), put(&w, 1, 3);
    for (int k = 0; k < 2; k++) put_code(&w, 1, 1), put(&w, 127, 7);
    put_end(&w);
    stream_refused("a repetition beyond the last", &b, whole, 0, "a repetition beyond the last");

    w = stream_begin(&b);
    put_fixed(&w, 0), put_fixed(&w, 256), put(&w, 1, 1), put(&w, 1, 2), put_fixed(&w, 256);
    put_end(&w);
    stream_refused("less than the file says", &b, whole, 0, "less data than the file says");
    w = stream_begin(&b);
    for (int i = 0; i < 201; i++) put_fixed(&w, 0);
    put_fixed(&w, 256), put(&w, 1, 1), put(&w, 1, 2), put_fixed(&w, 256), put_end(&w);
    stream_refused("more than the file says", &b, whole, 0, "more data than the file says");
    w = stream_begin(&b);
    for (int i = 0; i < 200; i++) put_fixed(&w, 0);
    put_fixed(&w, 256), put(&w, 1, 1), put(&w, 1, 2), put_fixed(&w, 256), put_end(&w);
    stream_refused("a wrong checksum", &b, whole, 0, "the checksum (CRC-32) is wrong");
    blob_zeros(&b, 1);
    stream_refused("a byte after the end", &b, whole, 0, "more packed data than the stream has");
}

TEST(bombs) {
    begin();
    static zip z;
    static blob b;
    member m[2];
    zip_sound(&z, m);
    CASE("more than deflate can");
    m[1].unpacked = (uint64_t)(m[1].n + 1) * 1033;
    zip_make(&z, m, 2);
    refuses(c, &heap_of, z.file.s, z.file.n, WEFT_FORMAT, "size: cannot come from the packed size");

    /* Zeros: matches of 258 at distance 1, 13 bits each, 8 MB in 50 KB; the checksum is wrong, so
     * nothing may be given memory. */
    CASE("a stream that grows, and is damaged");
    const unsigned matches = 31000, values = 1 + 258 * matches;
    char dictionary[100];
    sprintf(dictionary, "{'descr': '|u1', 'fortran_order': False, 'shape': (%u,), }", values);
    blob_npy(&plain, dictionary, 0);
    b.n = 0;
    bits w = {.b = &b};
    put(&w, 1, 1), put(&w, 1, 2);
    for (size_t i = 0; i < plain.n; i++) put_fixed(&w, plain.s[i]);
    put_fixed(&w, 0);
    for (unsigned i = 0; i < matches; i++) put_fixed(&w, 285), put_code(&w, 0, 5);
    put_fixed(&w, 256), put_end(&w);
    member grows = {"g.npy", b.s, b.n, plain.n + values, 0, 8};
    zip_make(&z, &grows, 1);
    CHECK((size_t)values > 2 * z.file.n + (1 << 20));
    refuses(c, &heap_of, z.file.s, z.file.n, WEFT_FORMAT, "the checksum (CRC-32) is wrong");

    CASE("the same, sound");
    unsigned char *zeros = calloc(1, values);
    grows.crc = crc_zip(crc_zip(0, plain.s, plain.n), zeros, values);
    zip_make(&z, &grows, 1);
    weft_archive *a = weft_archive_parse(c, z.file.s, z.file.n, "g");
    weft_array x;
    CHECK_EQ(weft_archive_at(a, 0, &x), WEFT_OK);
    if (CHECK_EQ(x.bytes, values)) CHECK_MEM(x.data, zeros, values);
    weft_archive_free(a);
    free(zeros);

    CASE("a gigabyte from a megabyte");
    size_t n = 1100000;
    unsigned char *big = calloc(1, n + 200);
    member huge = {"h.npy", NULL, 0, (uint64_t)n * 1000, 0, 8};
    zip_make(&z, &huge, 1); /* then the packed bytes are put between */
    for (int k = 0; k < 4; k++) {
        unsigned char size = (unsigned char)(n >> 8 * k);
        z.file.s[z.local[0] + 18 + (size_t)k] = z.file.s[z.entry[0] + 20 + (size_t)k] = size;
        z.file.s[z.end + 16 + (size_t)k] = (unsigned char)((z.directory + n) >> 8 * k);
    }
    memcpy(big, z.file.s, z.data[0]);
    memcpy(big + z.data[0] + n, z.file.s + z.directory, z.file.n - z.directory);
    refuses(c, &heap_of, big, z.file.n + n, WEFT_UNSUPPORTED, "more than 64 times the file");
    free(big);

    CASE("a directory of nothing but entries");
    size_t entries = 20000, each = 46 + 5;
    big = calloc(1, entries * each + 100);
    memcpy(big, "PK\3\4", 4);
    for (size_t i = 0; i < entries; i++) {
        memcpy(big + 4 + i * each, "PK\1\2", 4);
        big[4 + i * each + 28] = 5;
        memcpy(big + 4 + i * each + 46, "x.npy", 5);
    }
    unsigned char *end = big + 4 + entries * each;
    memcpy(end, "PK\5\6", 4);
    memcpy(end + 8, (unsigned char[]){entries & 255, entries >> 8, entries & 255, entries >> 8}, 4);
    for (int k = 0; k < 4; k++) end[12 + k] = (unsigned char)(entries * each >> 8 * k);
    end[16] = 4;
    refuses(c, &heap_of, big, 4 + entries * each + 22, WEFT_FORMAT, "no room for 20000 members");
    free(big);
}

TEST(sizes_of_64_bits) {
    begin();
    weft_archive *a = weft_archive_new(c);
    weft_archive_put(a, &(weft_array){"x", WEFT_FILE_U8, {1, {3}}, "abc", 3});
    weft_archive_write(a, in_folder("wide.npz"), NULL);
    weft_archive_free(a);
    static blob b, d;
    b.n = file_get(in_folder("wide.npz"), b.s, sizeof b.s);
    const size_t end = b.n - 22, locator = end - 20, wide = locator - 56;
    const size_t entry = wide - 46 - 5 - 28, extra = entry + 46 + 5;
    static const struct {
        const char *what;
        int from;
        int offset, width;
        uint64_t value;
        const char *part;
    } row[] = {
        {"a locator on another disk", 0, 4, 4, 1, "disk: more than one"},
        {"a locator that points elsewhere", 0, 8, 8, 1, "not where it should be"},
        {"a locator beyond the file", 0, 8, 8, UINT64_MAX, "not where it should be"},
        {"two disks", 0, 16, 4, 2, "disks: more than one"},
        {"no signature", 1, 0, 4, 0, "zip64 end of directory: no signature"},
        {"members elsewhere", 1, 24, 8, 2, "members: on more than one disk"},
        {"a huge directory", 1, 40, 8, UINT64_MAX, "do not lead to its end"},
        {"a directory beyond the file", 1, 48, 8, UINT64_MAX - 5, "do not lead to its end"},
        {"a short extra field", 2, 2, 2, 8, "zip64 sizes: missing"},
        {"a long extra field", 2, 2, 2, 99, "extra field: longer than its room"},
        {"no extra field of this kind", 2, 0, 2, 9, "beyond the members"},
        {"a huge size", 2, 4, 8, UINT64_MAX, "sizes or checksum differ"},
        {"an offset beyond the file", 2, 20, 8, UINT64_MAX - 9, "offset: beyond the members"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CASE("%s", row[i].what);
        d = b;
        size_t base = row[i].from == 0 ? locator : row[i].from == 1 ? wide : extra;
        for (int k = 0; k < row[i].width; k++)
            d.s[base + (size_t)(row[i].offset + k)] = (unsigned char)(row[i].value >> 8 * k);
        refuses(c, &heap_of, d.s, d.n, WEFT_FORMAT, row[i].part);
    }
}

/* Any bit of a sound file changed: an error or a sound archive, never more. */
TEST(changes_of_every_bit) {
    begin();
    static zip z;
    member m[2];
    zip_sound(&z, m);
    size_t refused = 0, all = 0;
    for (size_t i = 0; i < z.file.n; i++)
        for (int bit = 0; bit < 8; bit++, all++) {
            z.file.s[i] ^= (unsigned char)(1 << bit);
            weft_archive *a = weft_archive_parse(c, z.file.s, z.file.n, "changed");
            refused += !a || weft_archive_verify(a) != WEFT_OK;
            weft_archive_free(a);
            z.file.s[i] ^= (unsigned char)(1 << bit);
        }
    CHECK(refused > all * 9 / 10); /* times and attributes mean nothing to us */
}
