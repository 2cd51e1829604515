/* test_io_npz.c - malformed zip files, and the bombs among them.
 *
 * A sound file with two members, one stored and one deflated, is changed in one place at a time. */
#include "io_zip.h"

static heap heap_of;
static weft_ctx *c;

static void begin(void) {
    if (!c) c = heap_open(&heap_of);
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
         "name: expected 65535 bytes"},
        {"no name", ENTRY, 0, 28, 2, 0, WEFT_FORMAT, "name: not a name"},
        {"an extra field that is not there", ENTRY, 1, 30, 2, 7, WEFT_FORMAT, "extra field"},
        {"a comment that is not there", ENTRY, 1, 32, 2, 9999, WEFT_FORMAT,
         "comment: expected 9999 bytes"},
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
         "name: expected 65520 bytes"},
        {"a member's long extra field", LOCAL, 1, 28, 2, 0xfff0, WEFT_FORMAT,
         "extra field: expected 65520"},
        {"a member's name", LOCAL, 0, 30, 1, 'x', WEFT_FORMAT, "member: differs"},
        {"no .npy inside", DATA, 0, 0, 1, 0, WEFT_FORMAT, "magic: not a .npy file"},
        {"another shape inside", DATA, 0, 63, 1, '9', WEFT_FORMAT, "size: type and shape of \"s\""},
        {"a changed value", DATA, 0, 200, 1, 0xaa, WEFT_FORMAT,
         "values of \"s\": the checksum (CRC-32) is wrong"},
        {"a changed packed value", DATA, 1, 200, 1, 0xaa, WEFT_FORMAT, "values of \"d\": "},
        {"a packed block of no kind", DATA, 1, 0, 1, 7, WEFT_FORMAT, "magic: expected 6 bytes"},
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
    refuses(c, &heap_of, z.file.s, z.file.n, WEFT_UNSUPPORTED, "name: a member that is not a .npy");
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
    refuses(c, &heap_of, z.file.s, z.file.n, WEFT_FORMAT, "occurs twice");
    for (size_t n = 0; n < z.file.n; n += 7) {
        CASE("cut to %zu bytes", n);
        weft_archive *a = weft_archive_parse(c, z.file.s, n, "cut");
        CHECK(!a);
        weft_archive_free(a);
    }
}

/* The comment of the file, where NumPy does not see it; what is too long for that is a member. */
TEST(texts_are_the_comment) {
    begin();
    static zip z;
    member m[2];
    zip_sound(&z, m);
    zip_make(&z, m, 2);
    blob *const b = &z.file;
    const size_t whole = b->n;
    static const struct {
        const char *comment, *says; /* NULL: it is read */
        int texts;
    } row[] = {
        {"{\"k\":\"v\",\"l\":\"\\u001b\"}", NULL, 2},
        {"made by hand", NULL, 0},
        {"{}", NULL, 0},
        {"{ not ours", NULL, 0},
        {"{\"k\":1}", "a text was expected", 0},
        {"{\"k\":\"v\"", "offset", 0},
        {"{\"k\":\"v\"} ", NULL, 1},
        {"{\"k\":\"v\"}x", "offset", 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CASE("%s", row[i].comment);
        const size_t n = strlen(row[i].comment);
        b->n = whole;
        b->s[whole - 2] = (unsigned char)n, b->s[whole - 1] = 0;
        blob_text(b, row[i].comment);
        if (row[i].says) {
            refuses(c, &heap_of, b->s, b->n, WEFT_FORMAT, row[i].says);
            continue;
        }
        weft_archive *a = weft_archive_parse(c, b->s, b->n, "it");
        if (!CHECK(a)) continue;
        CHECK_EQ(weft_archive_count(a), 2);
        CHECK(!weft_archive_text_at(a, (size_t)row[i].texts, NULL));
        if (row[i].texts) CHECK_STR(weft_archive_text_of(a, "k"), "v");
        if (row[i].texts > 1) CHECK_STR(weft_archive_text_of(a, "l"), "\x1b");
        weft_archive_free(a);
    }
    CASE("%s", "written");
    for (size_t n = 1000; n < 200000; n *= 12) {
        char *text = malloc(n + 1), path[] = "/tmp/weft-npz-XXXXXX";
        memset(text, 'x', n), text[n] = 0, text[7] = 1;
        const int fd = mkstemp(path);
        weft_archive *a = weft_archive_new(c), *back = NULL;
        CHECK(fd >= 0 && weft_archive_text(a, "long", text) == WEFT_OK);
        CHECK_EQ(weft_archive_write(a, path, &(weft_write_desc){.format = "npz"}), WEFT_OK);
        CHECK((back = weft_archive_open(c, path)));
        CHECK_STR(weft_archive_text_of(back, "long"), text);
        CHECK_EQ(weft_archive_count(back), 0);
        weft_archive_free(back);
        weft_archive_free(a);
        close(fd), unlink(path), free(text);
    }
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
