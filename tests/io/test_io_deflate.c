/* test_io_deflate.c - deflate streams, written bit by bit: what is wrong with the bad ones is told,
 * and what the good ones hold comes out. */
#include "io_zip.h"

static heap heap_of;
static weft_ctx *c;

static void begin(void) {
    if (!c) c = heap_open(&heap_of);
}

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
    stream_refused("a block of no kind", &b, whole, 0, "a block of unknown type");
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
        {"too many codes", 30, 0, "1111", "", "too many codes"},
        {"too many distances", 0, 30, "1111", "", "too many codes"},
        {"lengths with too many codes", 0, 0, "1111", "", "an over-subscribed set of codes"},
        {"lengths with gaps", 0, 0, "2200", "", "an incomplete set of codes"},
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

/* A dynamic block with four codes: 257 is 0, 'A' is 10, the end is 11, distance 1 is 0. */
static void put_dynamic(bits *w) {
    put(w, 1, 1), put(w, 2, 2), put(w, 1, 5), put(w, 0, 5), put(w, 14, 4);
    for (int i = 0; i < 18; i++) put(w, i == 2 ? 1 : i == 15 || i == 17 ? 2 : 0, 3);
    static const unsigned zeros[] = {65, 0, 138, 52}; /* before 'A'; after it, before the end */
    for (int i = 0; i < 4; i++) {
        if (zeros[i]) put_code(w, 0, 1), put(w, zeros[i] - 11, 7);
        else put_code(w, 3, 2);
    }
    put_code(w, 3, 2), put_code(w, 2, 2), put_code(w, 2, 2); /* 256: 2, 257: 1; the distance: 1 */
}

TEST(streams_that_are_fine) {
    begin();
    static blob b;
    static zip z;
    CASE("a dynamic block");
    bits w = stream_begin(&b);
    put_fixed(&w, 256);
    put_dynamic(&w);
    put_code(&w, 2, 2); /* A, and 66 times three more */
    for (int i = 0; i < 66; i++) put_code(&w, 0, 1), put_code(&w, 0, 1);
    put_code(&w, 2, 2), put_code(&w, 3, 2), put_end(&w);
    memset(plain.s + plain.n, 'A', 200);
    member m = {"d.npy", b.s, b.n, plain.n + 200, crc_zip(0, plain.s, plain.n + 200), 8};
    zip_make(&z, &m, 1);
    weft_archive *a = weft_archive_parse(c, z.file.s, z.file.n, "dynamic");
    weft_array x;
    if (!CHECK_EQ(weft_archive_at(a, 0, &x), WEFT_OK)) puts(weft_error(c));
    weft_archive_free(a);

    w = stream_begin(&b);
    put_fixed(&w, 256);
    put_dynamic(&w);
    put_code(&w, 2, 2), put_code(&w, 0, 1), put_code(&w, 1, 1), put_end(&w);
    stream_refused("a code that is in no set", &b, plain.n + 200, 0, "an invalid code");

    CASE("stored blocks"); /* of 0 bytes, of 150 and of 50 */
    w = stream_begin(&b);
    put_fixed(&w, 256);
    static const unsigned size[] = {0, 150, 50};
    for (int i = 0; i < 3; i++) {
        put(&w, i == 2, 1), put(&w, 0, 2), put_end(&w);
        blob_number(&b, size[i], 2), blob_number(&b, ~size[i] & 0xffff, 2);
        for (unsigned k = 0; k < size[i]; k++) blob_text(&b, "A");
    }
    memset(plain.s + plain.n, 'A', 200);
    m = (member){"d.npy", b.s, b.n, plain.n + 200, crc_zip(0, plain.s, plain.n + 200), 8};
    zip_make(&z, &m, 1);
    a = weft_archive_parse(c, z.file.s, z.file.n, "stored");
    if (!CHECK_EQ(weft_archive_verify(a), WEFT_OK)) puts(weft_error(c));
    weft_archive_free(a);

    /* Matches that reach almost the whole window back, and go round its end. */
    static const unsigned far[] = {20000, 32767, 32768, 24577};
    for (int k = 0; k < 4; k++) {
        CASE("distance %u", far[k]);
        const unsigned literals = 34000, matches = 300, values = literals + 258 * matches;
        unsigned char *want = malloc(values + 100);
        char dictionary[100];
        sprintf(dictionary, "{'descr': '|u1', 'fortran_order': False, 'shape': (%u,), }", values);
        blob_npy(&plain, dictionary, 0);
        size_t n = plain.n;
        memcpy(want, plain.s, n);
        b.n = 0;
        w = (bits){.b = &b};
        put(&w, 1, 1), put(&w, 1, 2);
        for (size_t i = 0; i < plain.n; i++) put_fixed(&w, plain.s[i]);
        for (unsigned i = 0; i < literals; i++)
            put_fixed(&w, want[n++] = (unsigned char)test_random());
        for (unsigned i = 0; i < matches; i++) {
            put_fixed(&w, 285);
            bool low = far[k] < 24577; /* distance codes 28 and 29, 13 bits more */
            put_code(&w, low ? 28 : 29, 5), put(&w, far[k] - (low ? 16385 : 24577), 13);
            for (int j = 0; j < 258; j++, n++) want[n] = want[n - far[k]];
        }
        put_fixed(&w, 256), put_end(&w);
        m = (member){"d.npy", b.s, b.n, n, crc_zip(0, want, n), 8};
        zip_make(&z, &m, 1);
        a = weft_archive_parse(c, z.file.s, z.file.n, "far");
        if (!CHECK_EQ(weft_archive_at(a, 0, &x), WEFT_OK)) puts(weft_error(c));
        if (CHECK_EQ(x.bytes, values)) CHECK_MEM(x.data, want + plain.n, values);
        weft_archive_free(a);
        free(want);
    }
}
