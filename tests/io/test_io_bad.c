/* test_io_bad.c - malformed safetensors and .npy files: each is refused with its code and a message
 * that names what is wrong, in little memory. Indexes, zip files and checkpoints have files of
 * their own. */
#include "io_world.h"

static heap heap_of;
static weft_ctx *c;

static void begin(void) {
    if (!c) c = heap_open(&heap_of);
}

#define ONE(type, shape, offsets)                                                                  \
    "{\"x\":{\"dtype\":\"" type "\",\"shape\":" shape ",\"data_offsets\":" offsets "}}"
#define TWO(a, b)                                                                                  \
    "{\"x\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":" a "},"                              \
    "\"y\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":" b "}}"

TEST(safetensors) {
    begin();
    static const struct {
        const char *what, *header;
        size_t values;
        weft_err code;
        const char *part;
    } row[] = {
        {"no brace", "x{}", 0, WEFT_FORMAT, "offset 8: header: '{' was expected"},
        {"a list", "[]", 0, WEFT_FORMAT, "'{' was expected"},
        {"a space first", " {}", 0, WEFT_FORMAT, "'{' was expected"},
        {"an empty header", "", 0, WEFT_FORMAT, "'{' was expected"},
        {"open JSON", "{\"x\":", 0, WEFT_FORMAT, "offset 13: JSON: a value expected"},
        {"a name twice", "{\"x\":{},\"x\":{}}", 0, WEFT_FORMAT, "duplicate key \"x\""},
        {"not UTF-8", "{\"\xff\":{}}", 0, WEFT_FORMAT, "offset 10: JSON: not UTF-8"},
        {"bytes after the brace", "{}x", 0, WEFT_FORMAT, "offset 10: JSON: nothing more"},
        {"an array that is a number", "{\"x\":1}", 0, WEFT_FORMAT, "array: expected an object"},
        {"an empty name", "{\"\":{}}", 0, WEFT_FORMAT, "offset 9: name: empty"},
        {"a control character", "{\"a\\nb\":{}}", 0, WEFT_FORMAT, "name: empty, too long"},
        {"nothing in it", "{\"x\":{}}", 0, WEFT_FORMAT, "dtype of \"x\": missing"},
        {"no shape", "{\"x\":{\"dtype\":\"U8\",\"data_offsets\":[0,4]}}", 4, WEFT_FORMAT,
         "shape of \"x\": missing"},
        {"no offsets", "{\"x\":{\"dtype\":\"U8\",\"shape\":[4]}}", 4, WEFT_FORMAT,
         "data_offsets of \"x\": missing"},
        {"an unknown key", "{\"x\":{\"dtype\":\"U8\",\"strides\":[1]}}", 0, WEFT_FORMAT,
         "a key of \"x\": unknown"},
        {"a type that is a number", "{\"x\":{\"dtype\":1,\"shape\":[],\"data_offsets\":[0,1]}}", 1,
         WEFT_FORMAT, "dtype of \"x\": a text was expected"},
        {"an unknown type", ONE("F8_E4M3", "[4]", "[0,4]"), 4, WEFT_UNSUPPORTED,
         "dtype of \"x\": unknown type \"F8_E4M3\""},
        {"a type in small letters", ONE("f32", "[1]", "[0,4]"), 4, WEFT_UNSUPPORTED, "\"f32\""},
        {"a shape that is a number", ONE("U8", "4", "[0,4]"), 4, WEFT_FORMAT,
         "shape of \"x\": a list of extents"},
        {"a negative extent", ONE("U8", "[-4]", "[0,4]"), 4, WEFT_FORMAT, "an extent of 0 or more"},
        {"a broken extent", ONE("U8", "[4.0]", "[0,4]"), 4, WEFT_FORMAT, "an extent of 0 or more"},
        {"an extent as text", ONE("U8", "[\"4\"]", "[0,4]"), 4, WEFT_FORMAT, "an extent"},
        {"nine axes", ONE("U8", "[1,1,1,1,1,1,1,1,1]", "[0,1]"), 1, WEFT_UNSUPPORTED,
         "more than 8 axes"},
        {"an extent of 2^63", ONE("U8", "[9223372036854775808]", "[0,4]"), 4, WEFT_FORMAT,
         "an extent"},
        {"a product that overflows", ONE("F32", "[4294967296,4294967296]", "[0,4]"), 4, WEFT_FORMAT,
         "shape of \"x\": the product overflows"},
        {"an empty product that overflows", ONE("F32", "[4294967296,4294967296,0]", "[0,0]"), 0,
         WEFT_FORMAT, "the product overflows"},
        {"offsets that are a number", ONE("U8", "[4]", "0"), 4, WEFT_FORMAT,
         "data_offsets of \"x\": two offsets"},
        {"one offset", ONE("U8", "[4]", "[4]"), 4, WEFT_FORMAT, "two offsets"},
        {"three offsets", ONE("U8", "[4]", "[0,4,8]"), 4, WEFT_FORMAT, "two offsets"},
        {"offsets the wrong way round", ONE("U8", "[4]", "[4,0]"), 4, WEFT_FORMAT, "two offsets"},
        {"a negative offset", ONE("U8", "[4]", "[-4,0]"), 4, WEFT_FORMAT, "two offsets"},
        {"a broken offset", ONE("U8", "[4]", "[0,4e0]"), 4, WEFT_FORMAT, "two offsets"},
        {"beyond the end", ONE("U8", "[8]", "[0,8]"), 4, WEFT_FORMAT,
         "ends at 8, the file has 4 bytes"},
        {"far beyond the end", ONE("U8", "[9223372036854775807]", "[0,9223372036854775807]"), 4,
         WEFT_FORMAT, "the file has 4 bytes"},
        {"too few bytes", ONE("F32", "[2]", "[0,4]"), 4, WEFT_FORMAT,
         "4 bytes, type and shape take 8"},
        {"too many bytes", ONE("F32", "[1]", "[0,8]"), 8, WEFT_FORMAT,
         "8 bytes, type and shape take 4"},
        {"an empty array with bytes", ONE("F32", "[0]", "[0,4]"), 4, WEFT_FORMAT, "take 0"},
        {"a hole first", ONE("U8", "[4]", "[4,8]"), 8, WEFT_FORMAT, "belong to no array"},
        {"a hole between", TWO("[0,4]", "[8,12]"), 12, WEFT_FORMAT, "belong to no array"},
        {"a hole last", TWO("[0,4]", "[4,8]"), 12, WEFT_FORMAT,
         "values: the last 4 bytes belong to no array"},
        {"an overlap", TWO("[0,4]", "[2,6]"), 6, WEFT_FORMAT, "overlaps another array"},
        {"the same place twice", TWO("[0,4]", "[0,4]"), 4, WEFT_FORMAT, "overlaps another array"},
        {"bytes without arrays", "{}", 4, WEFT_FORMAT, "the last 4 bytes belong to no array"},
        {"metadata that is a text", "{\"__metadata__\":\"a\"}", 0, WEFT_FORMAT,
         "__metadata__: an object of texts"},
        {"metadata with a number", "{\"__metadata__\":{\"a\":1}}", 0, WEFT_FORMAT,
         "__metadata__: a text was expected"},
        {"metadata inside metadata", "{\"__metadata__\":{\"a\":{}}}", 0, WEFT_FORMAT, "a text"},
        {"metadata twice", "{\"__metadata__\":{},\"__metadata__\":{}}", 0, WEFT_FORMAT,
         "duplicate"},
        {"a checksum of words", "{\"__metadata__\":{\"weft.crc32c\":\"hello\"}}", 0, WEFT_FORMAT,
         "weft.crc32c: 8 digits"},
        {"a checksum in capitals", "{\"__metadata__\":{\"weft.crc32c\":\"0000000A\"}}", 0,
         WEFT_FORMAT, "8 digits"},
        {"a checksum that is wrong", "{\"__metadata__\":{\"weft.crc32c\":\"00000000\"}}", 0,
         WEFT_FORMAT, "header: the checksum (CRC-32C) is wrong"},
        {"a checksum of nothing", "{\"__metadata__\":{\"weft.crc32c.y\":\"00000000\"}}", 0,
         WEFT_FORMAT, "weft.crc32c: no such array"},
        {"a wrong checksum of values",
         "{\"__metadata__\":{\"weft.crc32c.x\":\"00000000\"},\"x\":{\"dtype\":\"U8\",\"shape\":[4],"
         "\"data_offsets\":[0,4]}}",
         4, WEFT_FORMAT, "values of \"x\": the checksum (CRC-32C) is wrong"},
    };
    static blob b;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CASE("%s", row[i].what);
        blob_safetensors(&b, row[i].header, row[i].values);
        refuses(c, &heap_of, b.s, b.n, row[i].code, row[i].part);
        CHECK_HAS(weft_error(c), "offset ");
    }
    static const struct {
        const char *what;
        uint64_t length;
        size_t n;
        const char *part;
    } cut[] = {
        {"nothing", 0, 0, "length of the header: expected 8 bytes, the file has 0"},
        {"seven bytes", 0, 7, "expected 8 bytes, the file has 7"},
        {"a length alone", 2, 8, "header: expected 2 bytes, the file has 0"},
        {"a header cut off", 10, 12, "header: expected 10 bytes, the file has 4"},
        {"a length of 2^63", 1ull << 63, 16, "at most 100000000 is read"},
        {"a length of -1", UINT64_MAX, 16, "at most 100000000 is read"},
        {"a length of -8", UINT64_MAX - 7, 16, "length of the header"},
        {"100 MB and one", 100000001, 16, "at most 100000000 is read"},
        {"100 MB in 16 bytes", 100000000, 16, "expected 100000000 bytes, the file has 8"},
    };
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        CASE("%s", cut[i].what);
        b.n = 0;
        blob_number(&b, cut[i].length, 8);
        blob_text(&b, "{}      ");
        refuses(c, &heap_of, b.s, cut[i].n, WEFT_FORMAT, cut[i].part);
    }
}

TEST(names_of_a_kilobyte) {
    begin();
    static blob b;
    static char header[2000];
    for (int n = 1023; n < 1027; n++) {
        CASE("%d bytes", n);
        char name[1100];
        memset(name, 'n', sizeof name);
        name[n] = 0;
        sprintf(header, "{\"%s\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}", name);
        blob_safetensors(&b, header, 1);
        weft_archive *a = weft_archive_parse(c, b.s, b.n, "bad.file");
        CHECK_EQ(a != NULL, n <= 1024);
        weft_archive_free(a);
    }
}

/* What is odd but right. */
TEST(safetensors_that_are_fine) {
    begin();
    static const struct {
        const char *what, *header;
        size_t values, arrays;
    } row[] = {
        {"nothing", "{}", 0, 0},
        {"padded", "{}       ", 0, 0},
        {"metadata alone", "{\"__metadata__\":{\"\":\"\"}}", 0, 0},
        {"a single number", ONE("F64", "[]", "[0,8]"), 8, 1},
        {"an empty array", ONE("F64", "[3,0]", "[0,0]"), 0, 1},
        {"an empty array with a huge extent", ONE("U8", "[4611686018427387904,0]", "[0,0]"), 0, 1},
        {"in any order", TWO("[4,8]", "[0,4]"), 8, 2},
        {"an empty one in the middle",
         "{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
         "\"e\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[2,2]},"
         "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]}}",
         4, 3},
        {"keys in another order", "{\"x\":{\"data_offsets\":[0,4],\"shape\":[4],\"dtype\":\"U8\"}}",
         4, 1},
        {"escapes", "{\"\\u0078\":{\"dtype\":\"\\u00558\",\"shape\":[4],\"data_offsets\":[0,4]}}",
         4, 1},
    };
    static blob b;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CASE("%s", row[i].what);
        blob_safetensors(&b, row[i].header, row[i].values);
        weft_archive *a = weft_archive_parse(c, b.s, b.n, "odd");
        if (!CHECK(a)) printf("     %s\n", weft_error(c));
        CHECK_EQ(weft_archive_count(a), row[i].arrays);
        weft_archive_free(a);
    }
}

#define DICT(descr, order, shape)                                                                  \
    "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"

TEST(npy) {
    begin();
    static const struct {
        const char *what, *dictionary;
        size_t values;
        weft_err code;
        const char *part;
    } row[] = {
        {"no dictionary", "descr", 0, WEFT_FORMAT, "header: '{' was expected"},
        {"an empty one", "{}", 0, WEFT_FORMAT, "descr is missing"},
        {"no type", "{'fortran_order': False, 'shape': (4,)}", 4, WEFT_FORMAT, "descr is missing"},
        {"no order", "{'descr': '|u1', 'shape': (4,)}", 4, WEFT_FORMAT, "fortran_order is missing"},
        {"no shape", "{'descr': '|u1', 'fortran_order': False}", 4, WEFT_FORMAT,
         "shape is missing"},
        {"a key twice", "{'descr': '|u1', 'descr': '|u1'}", 0, WEFT_FORMAT,
         "the key \"descr\" is duplicate"},
        {"an unknown key", "{'strides': 1}", 0, WEFT_FORMAT, "the key \"strides\" is unknown"},
        {"a key of numbers", "{1: 2}", 0, WEFT_FORMAT, "key: a text in quotes"},
        {"a long key", "{'descrdescrdescrdescr': 2}", 0, WEFT_FORMAT, "key: too long"},
        {"an open key", "{'descr", 0, WEFT_FORMAT, "without its end"},
        {"an escaped key", "{'de\\x73cr': 1}", 0, WEFT_FORMAT, "key: too long, or"},
        {"no colon", "{'descr' '|u1'}", 0, WEFT_FORMAT, "descr: ':' was expected"},
        {"no comma", "{'descr': '|u1' 'shape': ()}", 0, WEFT_FORMAT, "',' or '}' was expected"},
        {"an open dictionary", "{'descr': '|u1',", 0, WEFT_FORMAT, "key: a text in quotes"},
        {"bytes after it", DICT("'|u1'", "False", "(4,)") "x", 4, WEFT_FORMAT, "nothing more"},
        {"an object", DICT("'|O'", "False", "(1,)"), 8, WEFT_UNSUPPORTED,
         "descr: type \"|O\" is not read: objects are programs"},
        {"a structure", DICT("[('a', '<f4')]", "False", "(1,)"), 4, WEFT_UNSUPPORTED,
         "descr: structures are not read"},
        {"complex numbers", DICT("'<c8'", "False", "(1,)"), 8, WEFT_UNSUPPORTED, "\"<c8\""},
        {"text", DICT("'<U4'", "False", "(1,)"), 16, WEFT_UNSUPPORTED, "\"<U4\""},
        {"dates", DICT("'<M8[ns]'", "False", "(1,)"), 8, WEFT_UNSUPPORTED, "\"<M8[ns]\""},
        {"long doubles", DICT("'<f16'", "False", "(1,)"), 16, WEFT_UNSUPPORTED, "\"<f16\""},
        {"no type at all", DICT("''", "False", "(1,)"), 1, WEFT_UNSUPPORTED, "\"\" is not read"},
        {"a type that is a number", DICT("4", "False", "(1,)"), 4, WEFT_FORMAT, "descr: a text"},
        {"an order that is a number", DICT("'|u1'", "0", "(4,)"), 4, WEFT_FORMAT,
         "fortran_order: True or False"},
        {"an order cut off", "{'fortran_order': Fals", 0, WEFT_FORMAT, "True or False"},
        {"a shape in brackets", DICT("'|u1'", "False", "[4]"), 4, WEFT_FORMAT, "shape: '('"},
        {"a shape without comma", DICT("'|u1'", "False", "(4)"), 4, WEFT_FORMAT,
         "one extent needs a comma"},
        {"a negative extent", DICT("'|u1'", "False", "(-4,)"), 4, WEFT_FORMAT, "an extent of 0"},
        {"a broken extent", DICT("'|u1'", "False", "(4.0,)"), 4, WEFT_FORMAT, "',' or ')'"},
        {"an extent of words", DICT("'|u1'", "False", "(None,)"), 4, WEFT_FORMAT, "an extent of 0"},
        {"two commas", DICT("'|u1'", "False", "(4,,)"), 4, WEFT_FORMAT, "an extent of 0"},
        {"an open shape", "{'shape': (4,", 0, WEFT_FORMAT, "shape: an extent of 0"},
        {"nine axes", DICT("'|u1'", "False", "(1,1,1,1,1,1,1,1,1)"), 1, WEFT_UNSUPPORTED,
         "more than 8 axes"},
        {"an extent of 2^64", DICT("'|u1'", "False", "(18446744073709551616,)"), 4, WEFT_FORMAT,
         "an extent overflows"},
        {"an extent of 2^63", DICT("'|u1'", "False", "(9223372036854775808,)"), 4, WEFT_FORMAT,
         "an extent overflows"},
        {"a product that overflows", DICT("'<f8'", "False", "(4294967296, 4294967296)"), 4,
         WEFT_FORMAT, "shape: the product overflows"},
        {"a huge array", DICT("'<f4'", "False", "(1000000000000,)"), 4, WEFT_FORMAT,
         "take 4000000000000 bytes, the file has 4"},
        {"too few values", DICT("'<f4'", "False", "(2,)"), 7, WEFT_FORMAT,
         "values: type and shape take 8 bytes, the file has 7"},
        {"too many values", DICT("'<f4'", "False", "(2,)"), 9, WEFT_FORMAT, "the file has 9"},
        {"values of nothing", DICT("'<f4'", "False", "(0,)"), 4, WEFT_FORMAT, "take 0 bytes"},
    };
    static blob b;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CASE("%s", row[i].what);
        blob_npy(&b, row[i].dictionary, row[i].values);
        refuses(c, &heap_of, b.s, b.n, row[i].code, row[i].part);
        CHECK_HAS(weft_error(c), "offset ");
    }
    static const struct {
        const char *what, *bytes;
        size_t n;
        weft_err code;
        const char *part;
    } raw[] = {
        {"magic alone", "\x93NUMPY", 6, WEFT_FORMAT, "offset 6: version: expected 1 bytes"},
        {"version 0", "\x93NUMPY\0\0\2\0{}", 12, WEFT_UNSUPPORTED, "version: 0.0"},
        {"version 4", "\x93NUMPY\4\0\2\0\0\0{}", 14, WEFT_UNSUPPORTED, "version: 4.0"},
        {"version 1.1", "\x93NUMPY\1\1\2\0{}", 12, WEFT_UNSUPPORTED, "version: 1.1"},
        {"no length", "\x93NUMPY\1\0\2", 9, WEFT_FORMAT, "length of the header: expected 2 bytes"},
        {"no header", "\x93NUMPY\1\0\2\0", 10, WEFT_FORMAT, "header: expected 2 bytes"},
        {"twelve bytes that want 4 GB", "\x93NUMPY\2\0\xff\xff\xff\xff", 12, WEFT_FORMAT,
         "length of the header: 4294967295, at most 65536"},
        {"just too long a header", "\x93NUMPY\3\0\1\0\1\0", 12, WEFT_FORMAT,
         "65537, at most 65536"},
    };
    for (size_t i = 0; i < sizeof raw / sizeof *raw; i++) {
        CASE("%s", raw[i].what);
        refuses(c, &heap_of, raw[i].bytes, raw[i].n, raw[i].code, raw[i].part);
    }
}

TEST(npy_that_are_fine) {
    begin();
    static const struct {
        const char *what, *dictionary;
        size_t values;
        int rank;
    } row[] = {
        {"double quotes", "{\"descr\":\"<f4\",\"fortran_order\":False,\"shape\":(1,)}", 4, 1},
        {"another order", "{'shape': (2, 1), 'descr': '<f4', 'fortran_order': False}", 8, 2},
        {"Python 2", DICT("'<f4'", "False", "(2L, 1L)"), 8, 2},
        {"spaces", "{ 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 1 , 1 ) }   ", 4, 2},
        {"no number", DICT("'<f4'", "True", "()"), 4, 0},
        {"native order", DICT("'=f4'", "False", "(1,)"), 4, 1},
        {"no order sign", DICT("'f4'", "False", "(1,)"), 4, 1},
        {"a byte of either order", DICT("'>u1'", "False", "(3,)"), 3, 1},
        {"nothing", DICT("'<f8'", "True", "(0, 5)"), 0, 2},
        {"two bytes of something", DICT("'|V2'", "False", "(3,)"), 6, 1},
    };
    static blob b;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        CASE("%s", row[i].what);
        blob_npy(&b, row[i].dictionary, row[i].values);
        weft_archive *a = weft_archive_parse(c, b.s, b.n, "folder/odd.npy");
        if (!CHECK(a)) printf("     %s\n", weft_error(c));
        weft_array x;
        CHECK_EQ(weft_archive_find(a, "odd", &x), WEFT_OK);
        CHECK_EQ(x.dims.rank, row[i].rank);
        CHECK_EQ(x.bytes, row[i].values);
        weft_archive_free(a);
    }
}

TEST(npy_turned_round) {
    begin();
    static blob b;
    blob_npy(&b, DICT("'>i2'", "True", "(2, 3)"), 12);
    weft_archive *a = weft_archive_parse(c, b.s, b.n, "x.npy");
    weft_array x;
    int32_t v[6];
    CHECK_EQ(weft_archive_at(a, 0, &x), WEFT_OK);
    CHECK_EQ(weft_array_read_i32(c, &x, v, 6), WEFT_OK);
    for (int i = 0; i < 2; i++) /* element [i, j] is number i + 2 j, bytes 2 n and 2 n + 1 */
        for (int j = 0; j < 3; j++) {
            int n = i + 2 * j;
            CHECK_EQ(v[3 * i + j], 2 * n << 8 | (2 * n + 1));
        }
    weft_archive_free(a);
}

/* A million arrays are the limit, and the table of names that differ in nothing but a digit takes
 * less than twice the header. */
TEST(many_arrays) {
    begin();
    const size_t each = 90;
    for (size_t n = 20000; n <= 1000001; n += 980001) {
        if (n > 20000 && !test_long()) continue;
        CASE("%zu arrays", n);
        char *text = malloc(n * each + 16);
        size_t at = 8;
        text[at++] = '{';
        for (size_t i = 0; i < n; i++)
            at += (size_t)sprintf(text + at,
                                  "%s\"%zx\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,0],"
                                  "\"data_offsets\":[0,0]}",
                                  i ? "," : "", i * 7919 % n);
        text[at++] = '}';
        for (int i = 0; i < 8; i++) text[i] = (char)((at - 8) >> 8 * i);
        size_t before = heap_mark(&heap_of);
        weft_archive *a = weft_archive_parse(c, text, at, "many");
        CHECK_EQ(a != NULL, n <= 1000000);
        CHECK(heap_of.peak - before <= 2 * at + (1 << 20));
        CHECK_EQ(weft_archive_has(a, "7f"), n <= 1000000);
        weft_archive_free(a);
        free(text);
    }
}

/* Any byte changed, any prefix: an error or a sound archive, never more. */
TEST(changes_of_every_byte) {
    begin();
    static blob b, d;
    for (int kind = 0; kind < 2; kind++) {
        if (kind) blob_npy(&b, DICT("'<i2'", "True", "(2, 3)"), 12);
        else
            blob_safetensors(
                &b,
                "{\"__metadata__\":{\"k\":\"v\"},\"x\":{\"dtype\":\"I16\",\"shape\":[2,"
                "3],\"data_offsets\":[0,12]}}",
                12);
        for (size_t i = 0; i < b.n; i++)
            for (int change = 0; change < 10; change++) {
                d.n = change == 9 ? i : b.n;
                memcpy(d.s, b.s, d.n);
                if (change < 8) d.s[i] ^= (unsigned char)(1 << change);
                else if (change == 8) d.s[i] = 0xff;
                char *exact = malloc(d.n + 1);
                memcpy(exact, d.s, d.n);
                weft_archive *a = weft_archive_parse(c, exact, d.n, "d");
                if (a) weft_archive_verify(a);
                else if (!CHECK(*weft_error(c))) return;
                weft_archive_free(a);
                free(exact);
            }
    }
    CHECK_EQ(weft_archive_count(NULL), 0);
}
