/* test_io.c - archives: what goes in comes out, in every format and of every type. */
#include "io_world.h"

#include "base/crc.h"
#include "base/reader.h"
#include "base/sha256.h"

static heap heap_of;
static weft_ctx *c;

static void begin(void) {
    if (!c) c = heap_open(&heap_of);
}

/* An array of each type in the table, of several shapes, with values that are not all equal. */
static void fill(weft_archive *a) {
    static const weft_shape shapes[] = {
        {0, {0}}, {1, {5}}, {2, {3, 4}}, {3, {2, 0, 3}}, {8, {1, 2, 1, 3, 1, 2, 1, 1}}};
    unsigned char values[96];
    for (int t = 0; t < WEFT_FILE_TYPE_COUNT; t++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            char name[64];
            size_t n = weft_file_type_size((weft_file_type)t);
            for (int i = 0; i < shapes[k].rank; i++) n *= (size_t)shapes[k].n[i];
            for (size_t i = 0; i < n; i++)
                values[i] = (unsigned char)(t == WEFT_FILE_BOOL ? i % 2 : 37 * i + (size_t)t);
            snprintf(name, sizeof name, "%s.%zu", weft_file_type_name((weft_file_type)t), k);
            CHECK_EQ(weft_archive_put(a, &(weft_array){.name = name,
                                                       .type = (weft_file_type)t,
                                                       .dims = shapes[k],
                                                       .data = values,
                                                       .bytes = n}),
                     WEFT_OK);
        }
    static const char *const unicode[] = {"gewicht.ä", "重み", "вес", "w\"eight\\", "a/b c'd"};
    for (size_t k = 0; k < sizeof unicode / sizeof *unicode; k++)
        CHECK_EQ(weft_archive_put(a, &(weft_array){.name = unicode[k],
                                                   .type = WEFT_FILE_U8,
                                                   .dims = {1, {3}},
                                                   .data = "abc",
                                                   .bytes = 3}),
                 WEFT_OK);
}

static void same_archives(weft_archive *a, weft_archive *b) {
    CHECK_EQ(weft_archive_count(a), weft_archive_count(b));
    for (size_t i = 0; i < weft_archive_count(a); i++) {
        weft_array x, y, listed;
        if (!CHECK_EQ(weft_archive_at(a, i, &x), WEFT_OK)) return;
        if (!CHECK_EQ(weft_archive_find(b, x.name, &y), WEFT_OK)) return;
        CHECK_STR(x.name, y.name);
        CHECK_EQ(x.type, y.type);
        CHECK_EQ(x.dims.rank, y.dims.rank);
        for (int k = 0; k < x.dims.rank; k++) CHECK_EQ(x.dims.n[k], y.dims.n[k]);
        if (CHECK_EQ(x.bytes, y.bytes)) CHECK_MEM(x.data, y.data, x.bytes);
        CHECK_EQ(weft_archive_list(a, i, &listed), WEFT_OK);
        CHECK(!listed.data);
        CHECK_EQ(listed.bytes, x.bytes);
    }
    char p[65], q[65];
    CHECK_EQ(weft_archive_hash(a, p), WEFT_OK);
    CHECK_EQ(weft_archive_hash(b, q), WEFT_OK);
    CHECK_STR(p, q);
    CHECK_EQ(strlen(p), 64);
}

TEST(round_trips) {
    begin();
    static const struct {
        const char *name, *file, *format;
        weft_write_desc d;
    } row[] = {
        {"safetensors", "all.safetensors", "safetensors", {0}},
        {"safetensors with checksums", "sums.safetensors", "safetensors", {.checksums = true}},
        {"shards", "parts.safetensors", "index", {.max_shard_bytes = 500}},
        {"shards with checksums",
         "summed.safetensors",
         "index",
         {.max_shard_bytes = 333, .checksums = true}},
        {"one shard by name", "single.safetensors.index.json", "index", {0}},
        {"npz", "all.npz", "npz", {0}},
        {"any name", "all.weights", "npz", {.format = "npz"}},
    };
    weft_archive *a = weft_archive_new(c);
    fill(a);
    weft_archive_text(a, "license", "MIT");
    weft_archive_text(a, "quote", "a \"b\"\n\\ é");
    CHECK_STR(weft_archive_format(a), "");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CASE("%s", row[i].name);
        const char *path = in_folder(row[i].file);
        size_t before = heap_of.live;
        if (!CHECK_EQ(weft_archive_write(a, path, &row[i].d), WEFT_OK)) {
            printf("     %s\n", weft_error(c));
            continue;
        }
        CHECK_EQ(heap_of.live, before);
        char index[600];
        snprintf(index, sizeof index, "%s.index.json", path);
        bool shards = row[i].d.max_shard_bytes != 0;
        weft_archive *b = weft_archive_open(c, shards ? index : path);
        if (!CHECK(b)) {
            printf("     %s\n", weft_error(c));
            continue;
        }
        CHECK_STR(weft_archive_format(b), row[i].format);
        same_archives(a, b);
        CHECK_STR(weft_archive_text_of(b, "license"), "MIT");
        CHECK_STR(weft_archive_text_of(b, "quote"), "a \"b\"\n\\ é");
        CHECK(!weft_archive_text_of(b, "no"));
        CHECK_EQ(weft_archive_verify(b), WEFT_OK);
        weft_archive_free(b);
        CHECK_EQ(heap_of.live, before);
    }
    CHECK_EQ(folder_count(".weft-tmp"), 0);
    weft_archive_free(a);
}

TEST(every_type_and_shape_as_npy) {
    begin();
    weft_archive *a = weft_archive_new(c);
    fill(a);
    for (size_t i = 0; i < weft_archive_count(a); i++) {
        weft_array x, y;
        weft_archive_at(a, i, &x);
        CASE("%s", x.name);
        weft_archive *one = weft_archive_new(c);
        x.name = "one";
        weft_archive_put(one, &x);
        CHECK_EQ(weft_archive_write(one, in_folder("one.npy"), NULL), WEFT_OK);
        weft_archive *b = weft_archive_open(c, in_folder("one.npy"));
        if (CHECK(b)) {
            CHECK_STR(weft_archive_format(b), "npy");
            same_archives(one, b);
            weft_archive_at(b, 0, &y);
            CHECK_EQ((uintptr_t)y.data % 64, 0); /* mapped, and where SIMD likes it */
        }
        weft_archive_free(b);
        weft_archive_free(one);
    }
    CHECK_EQ(weft_archive_write(a, in_folder("many.npy"), NULL), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "holds one array");
    weft_archive_free(a);
}

TEST(safetensors_layout) {
    begin();
    weft_archive *a = weft_archive_new(c);
    float f[3] = {1, 2, 3};
    weft_archive_put(a, &(weft_array){"b", WEFT_FILE_U8, {1, {3}}, "xyz", 3});
    weft_archive_put(a, &(weft_array){"f", WEFT_FILE_F32, {1, {3}}, f, sizeof f});
    weft_archive_write(a, in_folder("layout.safetensors"), NULL);
    static const char header[] = "{\"f\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]},"
                                 "\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[12,15]}}";
    blob b;
    b.n = file_get(in_folder("layout.safetensors"), b.s, sizeof b.s);
    CHECK_MEM(b.s + 8, header, sizeof header - 1);
    size_t start = (8 + sizeof header - 1 + 63) / 64 * 64;
    CHECK_EQ(b.s[0] | b.s[1] << 8, start - 8);
    CHECK_EQ(b.n, start + 15);
    CHECK_MEM(b.s + start, f, sizeof f);
    CHECK_MEM(b.s + start + 12, "xyz", 3);
    weft_archive_free(a);
}

TEST(hash_is_of_content_alone) {
    begin();
    /* by hand: name 0 type 0 rank extents values, in order of name */
    static const unsigned char plain[] = "a\0U8\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0hi"
                                         "b\0I8\0\0\0\0\0\0\0\0\0x";
    char want[65], got[65];
    sha256_of(plain, sizeof plain - 1, want);
    weft_archive *a = weft_archive_new(c);
    weft_archive_put(a, &(weft_array){"b", WEFT_FILE_I8, {0, {0}}, "x", 1});
    weft_archive_put(a, &(weft_array){"a", WEFT_FILE_U8, {1, {2}}, "hi", 2});
    weft_archive_text(a, "said", "anything");
    weft_archive_hash(a, got);
    CHECK_STR(got, want);
    weft_archive_put(a, &(weft_array){"a", WEFT_FILE_U8, {1, {2}}, "ho", 2});
    weft_archive_hash(a, got);
    CHECK(strcmp(got, want) != 0);
    weft_archive_free(a);
}

TEST(putting_and_replacing) {
    begin();
    size_t before = heap_of.live;
    weft_archive *a = weft_archive_new(c);
    char name[16], value[32];
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 300; i++) {
            snprintf(name, sizeof name, "n%d", i * 7919 % 300);
            int n = snprintf(value, sizeof value, "%d of round %d", i, round);
            weft_shape dims = round == 1 ? weft_dims(1, n, 1) : weft_dims(n);
            CHECK_EQ(weft_archive_put(a, &(weft_array){name, WEFT_FILE_U8, dims, value, (size_t)n}),
                     WEFT_OK);
        }
    CHECK_EQ(weft_archive_count(a), 300);
    size_t held = heap_of.live;
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "n%d", i * 7919 % 300);
        int n = snprintf(value, sizeof value, "%d of round 2", i);
        weft_array x;
        if (!CHECK_EQ(weft_archive_find(a, name, &x), WEFT_OK)) continue;
        CHECK_EQ(x.dims.rank, 1);
        if (CHECK_EQ(x.bytes, n)) CHECK_MEM(x.data, value, (size_t)n);
        weft_archive_put(a, &x); /* onto itself */
    }
    CHECK_EQ(heap_of.live, held);
    CHECK(weft_archive_has(a, "n299"));
    CHECK(!weft_archive_has(a, "n300"));
    weft_array x;
    CHECK_EQ(weft_archive_find(a, "n300", &x), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "no array \"n300\"");
    CHECK_EQ(weft_archive_at(a, 300, &x), WEFT_ARGUMENT);

    const char *v;
    for (int i = 0; i < 5; i++)
        weft_archive_text(a, "k", i % 2 ? "one" : "two"), held = heap_of.live;
    weft_archive_text(a, "k", "one");
    CHECK_EQ(heap_of.live, held);
    CHECK_STR(weft_archive_text_at(a, 0, &v), "k");
    CHECK_STR(v, "one");
    CHECK(!weft_archive_text_at(a, 1, &v));
    weft_archive_text(a, "k", NULL);
    CHECK(!weft_archive_text_of(a, "k"));
    CHECK(!weft_archive_text_at(a, 0, NULL));
    weft_archive_free(a);
    CHECK_EQ(heap_of.live, before);
}

TEST(replacing_what_came_from_a_file) {
    begin();
    blob b;
    blob_safetensors(&b,
                     "{\"__metadata__\":{\"k\":\"old\",\"m\":\"kept\"},"
                     "\"x\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
                     "\"y\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[2,3]}}",
                     3);
    weft_archive *a = weft_archive_parse(c, b.s, b.n, "b");
    if (!CHECK(a)) return;
    weft_archive_text(a, "k", "new");
    weft_archive_put(a, &(weft_array){"x", WEFT_FILE_U8, {2, {2, 2}}, "abcd", 4});
    CHECK_STR(weft_archive_text_of(a, "k"), "new");
    CHECK_STR(weft_archive_text_of(a, "m"), "kept");
    weft_array x;
    weft_archive_find(a, "x", &x);
    CHECK_EQ(x.dims.rank, 2);
    CHECK_MEM(x.data, "abcd", 4);
    weft_archive_find(a, "y", &x);
    CHECK_EQ(((const unsigned char *)x.data)[0], 2);
    weft_archive_free(a);
}

TEST(calls_that_make_no_sense) {
    begin();
    char out[65];
    weft_array x;
    weft_file f;
    CHECK(!weft_archive_new(NULL));
    CHECK(!weft_archive_open(c, NULL));
    CHECK(!weft_archive_open(NULL, "x"));
    CHECK(!weft_archive_open(c, in_folder("nothing.here")));
    CHECK_EQ(weft_error_code(c), WEFT_FILE);
    CHECK_HAS(weft_error(c), "nothing.here");
    CHECK(!weft_archive_open(c, in_folder("")));
    CHECK_HAS(weft_error(c), "not a regular file");
    CHECK(!weft_archive_parse(c, NULL, 5, "x"));
    CHECK_EQ(weft_archive_count(NULL), 0);
    CHECK_EQ(weft_archive_at(NULL, 0, &x), WEFT_ARGUMENT);
    CHECK_EQ(weft_archive_find(NULL, "a", &x), WEFT_ARGUMENT);
    CHECK_EQ(weft_archive_hash(NULL, out), WEFT_ARGUMENT);
    CHECK_EQ(weft_archive_verify(NULL), WEFT_ARGUMENT);
    CHECK_STR(weft_archive_format(NULL), "");
    weft_archive_free(NULL);
    weft_file_close(NULL);
    CHECK_EQ(weft_file_open(c, NULL, &f), WEFT_ARGUMENT);
    CHECK_EQ(weft_file_write(c, NULL, "", 0), WEFT_ARGUMENT);

    weft_archive *a = weft_archive_new(c);
    char longest[1026];
    memset(longest, 'x', sizeof longest - 1);
    longest[1025] = 0;
    const struct {
        const char *what;
        weft_array x;
    } bad[] = {
        {"no name", {NULL, WEFT_FILE_U8, {1, {1}}, "", 1}},
        {"empty name", {"", WEFT_FILE_U8, {1, {1}}, "", 1}},
        {"newline", {"a\nb", WEFT_FILE_U8, {1, {1}}, "", 1}},
        {"not UTF-8", {"a\xff", WEFT_FILE_U8, {1, {1}}, "", 1}},
        {"too long a name", {longest, WEFT_FILE_U8, {1, {1}}, "", 1}},
        {"no type", {"a", WEFT_FILE_TYPE_COUNT, {1, {1}}, "", 1}},
        {"rank", {"a", WEFT_FILE_U8, {9, {1}}, "", 1}},
        {"negative extent", {"a", WEFT_FILE_U8, {1, {-1}}, "", 1}},
        {"overflow", {"a", WEFT_FILE_U8, {2, {1ll << 62, 4}}, "", 1}},
        {"bytes", {"a", WEFT_FILE_F32, {1, {2}}, "", 4}},
        {"no data", {"a", WEFT_FILE_F32, {1, {2}}, NULL, 8}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CASE("%s", bad[i].what);
        CHECK_EQ(weft_archive_put(a, &bad[i].x), WEFT_ARGUMENT);
        CHECK(*weft_error(c));
    }
    longest[1024] = 0;
    CHECK_EQ(weft_archive_put(a, &(weft_array){longest, WEFT_FILE_U8, {1, {1}}, "", 1}), WEFT_OK);
    CHECK_EQ(weft_archive_write(a, in_folder("long.npz"), NULL), WEFT_OK);
    CHECK_EQ(weft_archive_text(a, "", "v"), WEFT_ARGUMENT);
    CHECK_EQ(weft_archive_text(a, "k", "\xc0\x80"), WEFT_ARGUMENT);
    CHECK_EQ(weft_archive_write(a, "x.pickle", NULL), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), ".safetensors, .npz and .npy");
    CHECK_EQ(weft_archive_write(a, in_folder("no/such/folder.npz"), NULL), WEFT_FILE);
    CHECK_EQ(weft_archive_write(a, in_folder(""), &(weft_write_desc){.format = "npz"}), WEFT_FILE);
    weft_archive_free(a);
    CHECK_EQ(weft_file_type_size(WEFT_FILE_TYPE_COUNT), 0);
    CHECK_STR(weft_file_type_name(WEFT_FILE_TYPE_COUNT), "?");
    CHECK_EQ(weft_file_type_of(WEFT_U32), WEFT_FILE_U32);
}

TEST(whole_files) {
    begin();
    const char *path = in_folder("whole");
    weft_file f;
    char big[5000];
    for (size_t i = 0; i < sizeof big; i++) big[i] = (char)(i * 31);
    CHECK_EQ(weft_file_write(c, path, "", 0), WEFT_OK);
    CHECK_EQ(weft_file_open(c, path, &f), WEFT_OK);
    CHECK_EQ(f.n, 0);
    CHECK(f.bytes);
    weft_file_close(&f);
    chmod(path, 0640);
    CHECK_EQ(weft_file_write(c, path, big, sizeof big), WEFT_OK);
    struct stat st;
    stat(path, &st);
    CHECK_EQ(st.st_mode & 0777, 0640); /* as it was */
    CHECK_EQ(weft_file_open(c, path, &f), WEFT_OK);
    if (CHECK_EQ(f.n, sizeof big)) CHECK_MEM(f.bytes, big, sizeof big);
    CHECK_EQ(weft_file_write(c, path, "new", 3), WEFT_OK);
    CHECK_MEM(f.bytes, big, sizeof big); /* the old one lives as long as it is mapped */
    weft_file_close(&f);
    CHECK(!f.bytes);

    const char *link_path = in_folder("link");
    CHECK_EQ(symlink(path, link_path), 0);
    CHECK_EQ(weft_file_write(c, link_path, "through", 7), WEFT_OK);
    lstat(link_path, &st);
    CHECK(S_ISLNK(st.st_mode));
    CHECK_EQ(file_get(path, big, sizeof big), 7);
    CHECK_MEM(big, "through", 7);

    char old[600], other[600];
    snprintf(old, sizeof old, "%s.0123abcd.weft-tmp", path);
    snprintf(other, sizeof other, "%s.0123abcg.weft-tmp", path);
    file_put(old, "x", 1);
    file_put(other, "x", 1);
    CHECK_EQ(weft_file_write(c, path, "y", 1), WEFT_OK);
    CHECK(access(old, F_OK) != 0);   /* what a dead writer left */
    CHECK(access(other, F_OK) == 0); /* nobody's business */
    unlink(other);

    CHECK_EQ(mkfifo(in_folder("pipe"), 0600), 0);
    CHECK_EQ(weft_file_open(c, in_folder("pipe"), &f), WEFT_FILE); /* and does not wait */
    CHECK_HAS(weft_error(c), "not a regular file");
    CHECK_EQ(weft_file_write(c, in_folder("pipe"), "x", 1), WEFT_FILE);
}

TEST(sums) {
    begin();
    char out[65], bytes[8192];
    CHECK_EQ(crc_32c(0, "123456789", 9), 0xe3069283); /* the polynomial's own check value */
    CHECK_EQ(crc_32c(crc_32c(0, "1234", 4), "56789", 5), 0xe3069283);
    memset(bytes, 0, 32);
    CHECK_EQ(crc_32c(0, bytes, 32), 0x8a9136aa); /* RFC 3720, B.4 */
    memset(bytes, 0xff, 32);
    CHECK_EQ(crc_32c(0, bytes, 32), 0x62a8ab43);
    for (int i = 0; i < 32; i++) bytes[i] = (char)i;
    CHECK_EQ(crc_32c(0, bytes, 32), 0x46dd794e);
    CHECK_EQ(crc_32c(7, bytes, 0), 7);
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)test_random();
    for (size_t n = 0; n < sizeof bytes; n += n < 40 ? 1 : 911) /* the instruction and the tables */
        CHECK_EQ(crc_32c(5, bytes, n), crc_plain(5, bytes, n));
    sha256_of("abc", 3, out);
    CHECK_STR(out, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, out);
    CHECK_STR(out, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    sha256_of(NULL, 0, out);
    CHECK_STR(out, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(reader) {
    begin();
    reader r = reader_of(c, "some.file", "\1\2\3\4\5", 5);
    CHECK_EQ(reader_number(&r, "a", 2), 0x0201);
    CHECK_EQ(reader_number(&r, "b", -2), 0x0304);
    CHECK_EQ(r.at, 4);
    CHECK_EQ(reader_number(&r, "length", 4), 0);
    CHECK_EQ(r.err, WEFT_FORMAT);
    CHECK_STR(weft_error(c), "some.file: offset 4: length: expected 4 bytes, the file has 1");
    CHECK(!reader_bytes(&r, "rest", 1)); /* the first failure sticks */
    CHECK_HAS(weft_error(c), "length");
    r = reader_of(c, "some.file", "\1\2\3\4\5", 5);
    CHECK(!reader_bytes(&r, "much", UINT64_MAX));
    r = reader_of(c, "some.file", "\1\2\3\4\5", 5);
    reader_number(&r, "n", 9);
    CHECK_EQ(r.err, WEFT_ARGUMENT);
    r = reader_of(c, "some.file", "", 0);
    CHECK_EQ(reader_fail(&r, WEFT_FORMAT, 77, "field", "%d apples", 3), WEFT_FORMAT);
    CHECK_STR(weft_error(c), "some.file: offset 77: field: 3 apples");
}
