/* test_data_bad.c - files that are not what they should be: refused with the file, the place and the
 * field in the message, within twice the file's size and 1 MiB of memory, and without a trace.
 *
 * Each row is a file and what must be said about it. The same parsers read from memory and from
 * files; here mostly from memory. Rows are grouped by format, at least thirty of each. Tables are in
 * test_data_bad_csv.c. */
#include "data_refused.h"

#include <ctype.h>

/* Bytes out of hexadecimal digits; "xN*k" repeats the byte xN k times; spaces are ignored. */
typedef struct bytes {
    unsigned char at[8192];
    size_t n;
} bytes;

static bytes hex(const char *text) {
    bytes b = {.n = 0};
    for (const char *p = text; *p;) {
        if (!isxdigit((unsigned char)p[0]) || !isxdigit((unsigned char)p[1])) {
            p++;
            continue;
        }
        char two[3] = {p[0], p[1], 0}, *end;
        const long v = strtol(two, NULL, 16);
        p += 2;
        long times = 1;
        if (*p == '*') times = strtol(p + 1, &end, 10), p = end;
        while (times-- > 0 && b.n < sizeof b.at) b.at[b.n++] = (unsigned char)v;
    }
    return b;
}

/* ---- IDX ---- */

TEST(idx) {
    static const struct {
        const char *file, *says;
    } x[] = {
        {"", "bad.idx: offset 0: magic number"},
        {"00", "offset 0: magic number: expected 2 bytes, the file has 1"},
        {"0000", "offset 2: element type: expected 1 bytes, the file has 0"},
        {"000008", "offset 3: rank: expected 1 bytes, the file has 0"},
        {"00000801", "offset 4: extent 0: expected 4 bytes, the file has 0"},
        {"00000801 0000", "offset 4: extent 0: expected 4 bytes, the file has 2"},
        {"00000803 00000001 00000001 000000", "offset 12: extent 2: expected 4 bytes"},
        {"01000801 00000001 00",
         "offset 0: magic number: an IDX file begins with 00 00, this one with 01 00"},
        {"00010801 00000001 00",
         "offset 0: magic number: an IDX file begins with 00 00, this one with 00 01"},
        {"03080000 01000000 00", "offset 0: magic number"},
        {"1f8b0800 00000000 00", "offset 0: magic number: the file is compressed; gunzip it first"},
        {"504b0304 00", "begins with 00 00, this one with 50 4b"},
        {"00000001 00000001 00", "offset 2: element type: 00 is not known"},
        {"00000a01 00000001 00", "offset 2: element type: 0a is not known"},
        {"00000f01 00000001 00", "offset 2: element type: 0f is not known"},
        {"0000ff01 00000001 00", "offset 2: element type: ff is not known"},
        {"00000800 00000001 00", "offset 3: rank: 0, must be from 1 to 8"},
        {"00000809 00000001*36 00", "offset 3: rank: 9, must be from 1 to 8"},
        {"000008ff 00", "offset 3: rank: 255, must be from 1 to 8"},
        {"00000801 00000000", "offset 4: extent 0: it is 0"},
        {"00000802 00000002 00000000", "offset 8: extent 1: it is 0"},
        {"00000803 00000001 00000002 00000000", "offset 12: extent 2: it is 0"},
        {"00000801 00000002 07",
         "offset 9: elements: the file ends early: of 2 rows of 1 u8 elements 1 are there"},
        {"00000801 00000001",
         "offset 8: elements: the file ends early: of 1 rows of 1 u8 elements 0 are there"},
        {"00000801 ffffffff 07", "of 4294967295 rows of 1 u8 elements 1 are there"},
        {"00000803 00000002 00000002 00000003 01*11", "of 2 rows of 6 u8 elements 1 are there"},
        {"00000803 ff*12 00", "offset 12: extent 2: the product of extents overflows"},
        {"00000804 ff*16 00", "offset 12: extent 2: the product of extents overflows"},
        {"00000808 00000001 00010000 00010000 00010000 00010000 00",
         "offset 20: extent 4: the product of extents overflows"},
        {"00000803 00000001 80000000 80000000 00", "offset 17: elements: the file ends early"},
        {"00000b01 00000002 01*3", "of 2 rows of 1 i16 elements 1 are there"},
        {"00000c01 00000001 01*3", "of 1 rows of 1 i32 elements 0 are there"},
        {"00000d02 00000001 00000002 01*7", "of 1 rows of 2 f32 elements 0 are there"},
        {"00000e01 00000001 01*7", "of 1 rows of 1 f64 elements 0 are there"},
        {"00000801 00000001 01*2", "offset 9: elements: 1 extra bytes after the last one"},
        {"00000e01 00000001 01*15", "offset 16: elements: 7 extra bytes"},
        {"00000802 00000001 00000002 01*4000", "offset 14: elements: 3998 extra bytes"},
    };
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        CASE("x %zu: %s", i, x[i].file);
        const bytes b = hex(x[i].file);
        fresh();
        refused(weft_data_parse_idx(ctx(), world_bytes("bad.idx", b.at, b.n), (weft_bytes){0}),
                WEFT_FORMAT, x[i].says, b.n);
        CHECK_HAS(weft_error(ctx()), "bad.idx: offset ");
    }
    static const struct {
        const char *file, *says;
    } y[] = {
        {"00000801 00000003 00*3", "offset 4: extent 0: 3 labels for 2 rows of x"},
        {"00000801 00000001 00", "offset 4: extent 0: 1 labels for 2 rows of x"},
        {"00000802 00000002 00000001 00*2",
         "element type and rank: labels are whole numbers of rank 1, these are u8 of rank 2"},
        {"00000d01 00000002 00*8", "these are f32 of rank 1"},
        {"00000e01 00000002 00*16", "these are f64 of rank 1"},
        {"00000901 00000002 01ff", "offset 9: label: that of row 1 is below 0"},
        {"00000b01 00000002 8000 0000", "offset 8: label: that of row 0 is below 0"},
        {"00000c01 00000002 00000001 ffffffff", "offset 12: label: that of row 1 is below 0"},
        {"00000801 00000002 00", "offset 9: elements: the file ends early"},
    };
    const bytes good = hex("00000802 00000002 00000001 0102");
    for (size_t i = 0; i < sizeof y / sizeof *y; i++) {
        CASE("y %zu: %s", i, y[i].file);
        const bytes b = hex(y[i].file);
        fresh();
        refused(weft_data_parse_idx(ctx(), world_bytes("good.idx", good.at, good.n),
                                    world_bytes("bad.idx", b.at, b.n)),
                WEFT_FORMAT, y[i].says, b.n);
        CHECK_HAS(weft_error(ctx()), "bad.idx: offset ");
    }
}

TEST(idx_cut_short_anywhere) {
    const bytes b = hex("00000d03 00000002 00000002 00000003 01*48");
    for (size_t n = 0; n < b.n; n++) {
        fresh();
        weft_data *d = weft_data_parse_idx(ctx(), world_bytes("cut", b.at, n), (weft_bytes){0});
        refused(d, WEFT_FORMAT, "cut: offset ", n);
    }
}

/* ---- CIFAR ---- */

TEST(cifar) {
    enum { TEN = 3073, HUNDRED = 3074 };
    static const struct {
        int classes;
        size_t n;           /* bytes of the file */
        size_t at;          /* where a byte is wrong, */
        unsigned char byte; /* and which */
        const char *says;
    } rows[] = {
        {10, 0, 0, 0, "offset 0: records: the file is empty"},
        {10, 1, 0, 0, "offset 0: records: the last has 1 bytes, one of CIFAR-10 has 3073"},
        {10, 3072, 0, 0, "offset 0: records: the last has 3072 bytes"},
        {10, 3074, 0, 0, "offset 3073: records: the last has 1 bytes"},
        {10, 2 * TEN - 1, 0, 0, "offset 3073: records: the last has 3072 bytes"},
        {10, 2 * TEN + 5, 0, 0, "offset 6146: records: the last has 5 bytes"},
        {10, 2 * HUNDRED, 0, 0, "offset 6146: records: the last has 2 bytes"},
        {10, TEN, 0, 10, "offset 0: label: that of record 0 is 10, must be below 10"},
        {10, TEN, 0, 11, "label: that of record 0 is 11"},
        {10, TEN, 0, 100, "label: that of record 0 is 100"},
        {10, TEN, 0, 255, "label: that of record 0 is 255"},
        {10, 2 * TEN, TEN, 10, "offset 3073: label: that of record 1 is 10"},
        {10, 3 * TEN, TEN, 128, "offset 3073: label: that of record 1 is 128"},
        {10, 3 * TEN, 2 * TEN, 10, "offset 6146: label: that of record 2 is 10"},
        {10, 3 * TEN, 2 * TEN, 255, "offset 6146: label: that of record 2 is 255"},
        {100, 0, 0, 0, "offset 0: records: the file is empty"},
        {100, 1, 0, 0, "offset 0: records: the last has 1 bytes, one of CIFAR-100 has 3074"},
        {100, TEN, 0, 0, "offset 0: records: the last has 3073 bytes"},
        {100, 3075, 0, 0, "offset 3074: records: the last has 1 bytes"},
        {100, 2 * TEN, 0, 0, "offset 3074: records: the last has 3072 bytes"},
        {100, 2 * HUNDRED + 9, 0, 0, "offset 6148: records: the last has 9 bytes"},
        {100, HUNDRED, 0, 20, "offset 0: coarse label: that of record 0 is 20, must be below 20"},
        {100, HUNDRED, 0, 21, "coarse label: that of record 0 is 21"},
        {100, HUNDRED, 0, 255, "coarse label: that of record 0 is 255"},
        {100, HUNDRED, 1, 100, "offset 1: label: that of record 0 is 100, must be below 100"},
        {100, HUNDRED, 1, 255, "offset 1: label: that of record 0 is 255"},
        {100, 2 * HUNDRED, HUNDRED, 20, "offset 3074: coarse label: that of record 1 is 20"},
        {100, 2 * HUNDRED, HUNDRED + 1, 100, "offset 3075: label: that of record 1 is 100"},
        {100, 3 * HUNDRED, 2 * HUNDRED, 99, "offset 6148: coarse label: that of record 2 is 99"},
        {100, 3 * HUNDRED, 2 * HUNDRED + 1, 101, "offset 6149: label: that of record 2 is 101"},
    };
    static unsigned char file[3 * HUNDRED];
    static const unsigned char good[HUNDRED];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int second = 0; second < 2; second++) {
            CASE("%zu%s", i, second ? ", as the second file" : "");
            memset(file, 0, sizeof file);
            file[rows[i].at] = rows[i].byte;
            const weft_bytes bad = world_bytes("bad.bin", file, rows[i].n);
            const weft_bytes files[2] = {
                second ? world_bytes("good.bin", good, rows[i].classes == 10 ? TEN : HUNDRED) : bad,
                bad};
            fresh();
            refused(weft_data_parse_cifar(ctx(), files, second ? 2 : 1, rows[i].classes),
                    WEFT_FORMAT, rows[i].says, rows[i].n);
            CHECK_HAS(weft_error(ctx()), "bad.bin: offset ");
        }
    CASE("arguments");
    fresh();
    refused(weft_data_parse_idx(ctx(), (weft_bytes){0}, (weft_bytes){0}), WEFT_ARGUMENT, "no bytes",
            0);
    const weft_bytes one = world_bytes("good.bin", good, TEN);
    refused(weft_data_parse_cifar(ctx(), &one, 1, 20), WEFT_ARGUMENT, "20 classes", 0);
    refused(weft_data_parse_cifar(ctx(), &one, 0, 10), WEFT_ARGUMENT, "0 files", 0);
    refused(weft_data_parse_cifar(ctx(), NULL, 1, 10), WEFT_ARGUMENT, "weft_data_cifar", 0);
}

/* ---- text ---- */

TEST(text) {
    static const struct {
        const char *file, *says;
    } rows[] = {
        {"", "bad.txt: offset 0: text: it has 0 characters"},
        {"61", "offset 1: text: it has 1 characters; a window of 2 and its target need one more"},
        {"6162", "offset 2: text: it has 2 characters"},
        {"c3a9 c3a9", "offset 4: text: it has 2 characters"},
        {"80 61*9", "offset 0: character 0: a continuation byte without its first byte"},
        {"61*9 bf", "offset 9: character 9: a continuation byte"},
        {"61 bf 61", "offset 1: character 1: a continuation byte"},
        {"c3a9 80 61", "offset 2: character 1: a continuation byte"},
        {"c3", "offset 0: character 0: the text ends inside a character"},
        {"61*3 c3", "offset 3: character 3: the text ends inside a character"},
        {"61*3 e282", "offset 3: character 3: the text ends inside a character"},
        {"61*3 e2", "offset 3: character 3: the text ends inside"},
        {"61*3 f09f98", "offset 3: character 3: the text ends inside"},
        {"61*3 f0", "offset 3: character 3: the text ends inside"},
        {"61 c361 61*3", "offset 1: character 1: a character of several bytes breaks off"},
        {"61 e28261 61*3", "offset 1: character 1: a character of several bytes breaks off"},
        {"61 e26161 61*3", "breaks off"},
        {"61 f09f9861 61*3", "offset 1: character 1: a character of several bytes breaks off"},
        {"61 c3c3a9 61*3", "offset 1: character 1: a character of several bytes breaks off"},
        {"c080 61*9", "offset 0: character 0: a character in a longer form than it needs"},
        {"c1bf 61*9", "longer form"},
        {"61 e08080 61*9", "offset 1: character 1: a character in a longer form"},
        {"61 e09fbf 61*9", "longer form"},
        {"61 f0808080 61*9", "longer form"},
        {"61 f08fbfbf 61*9", "longer form"},
        {"eda080 61*9", "offset 0: character 0: half of a surrogate pair"},
        {"edbfbf 61*9", "half of a surrogate pair"},
        {"61 edafbf edbfbf 61*9", "offset 1: character 1: half of a surrogate pair"},
        {"f4908080 61*9", "offset 0: character 0: a code beyond 10ffff"},
        {"f7bfbfbf 61*9", "a code beyond 10ffff"},
        {"f8888080 80 61*9", "offset 0: character 0: a byte that begins no character"},
        {"ff 61*9", "a byte that begins no character"},
        {"fe 61*9", "a byte that begins no character"},
        {"c3a9 61*4000 ff", "offset 4002: character 4001: a byte that begins no character"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CASE("%zu: %s", i, rows[i].file);
        const bytes b = hex(rows[i].file);
        fresh();
        refused(weft_data_parse_text(ctx(), world_bytes("bad.txt", b.at, b.n),
                                     &(weft_text_desc){.length = 2}),
                WEFT_FORMAT, rows[i].says, b.n);
        CHECK_HAS(weft_error(ctx()), "bad.txt: offset ");
    }
    CASE("arguments");
    const weft_bytes good = world_text("abcdef");
    fresh();
    refused(weft_data_parse_text(ctx(), good, &(weft_text_desc){.length = -1}), WEFT_ARGUMENT,
            "length -1", 6);
    refused(weft_data_parse_text(ctx(), good, &(weft_text_desc){.stride = -1}), WEFT_ARGUMENT,
            "stride -1", 6);
    refused(weft_data_parse_text(ctx(), good, &(weft_text_desc){.length = INT64_MAX, .stride = 1}),
            WEFT_FORMAT, "it has 6 characters", 6);
    refused(weft_data_parse_text(
                ctx(), good, &(weft_text_desc){.length = INT64_MAX, .stride = 1, .bytes = true}),
            WEFT_FORMAT, "it has 6 characters", 6);
    refused(weft_data_parse_text(ctx(), good, &(weft_text_desc){.stride = INT64_MAX}),
            WEFT_ARGUMENT, "stride", 6);
    refused(weft_data_parse_text(ctx(), (weft_bytes){0}, NULL), WEFT_ARGUMENT, "no bytes", 0);
    const weft_field odd = {.name = "x",
                            .dtype = WEFT_U8,
                            .rows = "a",
                            .classes = 1,
                            .class_names = (const char *const[]){"two"}};
    for (int i = 0; i < 2; i++) {
        CASE("like a set that is no text, %d", i);
        weft_field f = odd;
        if (i) f.class_names = NULL;
        weft_data *like = weft_data_memory(ctx(), &f, 1, 1, false);
        CHECK(weft_data_parse_text(ctx(), good, &(weft_text_desc){.like = like}) == NULL);
        CHECK_EQ(weft_error_code(ctx()), WEFT_ARGUMENT);
        CHECK_HAS(weft_error(ctx()),
                  i ? "not a set of characters" : "class 0 of .like is no character");
        weft_data_free(like);
    }
}

/* ---- raw ---- */

TEST(raw) {
    static const struct {
        size_t n;
        weft_dtype t;
        int rank;
        int64_t dim[3];
        weft_err code;
        const char *says;
    } rows[] = {
        {0, WEFT_F32, 1, {1}, WEFT_FORMAT, "bad.raw: offset 0: examples: the file is empty"},
        {1,
         WEFT_F32,
         0,
         {0},
         WEFT_FORMAT,
         "bad.raw: offset 0: examples: the last has 1 bytes; one of 1 f32 elements has 4"},
        {3, WEFT_F32, 1, {1}, WEFT_FORMAT, "offset 0: examples: the last has 3 bytes"},
        {5, WEFT_F32, 1, {1}, WEFT_FORMAT, "offset 4: examples: the last has 1 bytes"},
        {4, WEFT_F32, 1, {2}, WEFT_FORMAT, "one of 2 f32 elements has 8"},
        {12, WEFT_F32, 1, {2}, WEFT_FORMAT, "offset 8: examples: the last has 4 bytes"},
        {100,
         WEFT_F32,
         2,
         {3, 2},
         WEFT_FORMAT,
         "offset 96: examples: the last has 4 bytes; one of 6 f32"},
        {7,
         WEFT_BF16,
         1,
         {1},
         WEFT_FORMAT,
         "offset 6: examples: the last has 1 bytes; one of 1 bf16"},
        {7,
         WEFT_F16,
         1,
         {2},
         WEFT_FORMAT,
         "offset 4: examples: the last has 3 bytes; one of 2 f16"},
        {9,
         WEFT_I32,
         1,
         {2},
         WEFT_FORMAT,
         "offset 8: examples: the last has 1 bytes; one of 2 i32"},
        {15,
         WEFT_U32,
         1,
         {4},
         WEFT_FORMAT,
         "offset 0: examples: the last has 15 bytes; one of 4 u32"},
        {7, WEFT_I8, 1, {4}, WEFT_FORMAT, "offset 4: examples: the last has 3 bytes; one of 4 i8"},
        {783,
         WEFT_U8,
         2,
         {28, 28},
         WEFT_FORMAT,
         "offset 0: examples: the last has 783 bytes; one of 784 u8"},
        {785, WEFT_U8, 2, {28, 28}, WEFT_FORMAT, "offset 784: examples: the last has 1 bytes"},
        {1567, WEFT_U8, 2, {28, 28}, WEFT_FORMAT, "offset 784: examples: the last has 783 bytes"},
        {3,
         WEFT_BOOL,
         1,
         {2},
         WEFT_FORMAT,
         "offset 2: examples: the last has 1 bytes; one of 2 bool"},
        {4, WEFT_BOOL, 1, {2}, WEFT_FORMAT, "offset 0: bool: 7 in example 0, must be 0 or 1"},
        {4, WEFT_U8, 1, {0}, WEFT_ARGUMENT, "extents, all above 0"},
        {4, WEFT_U8, 1, {-4}, WEFT_ARGUMENT, "extents, all above 0"},
        {4, WEFT_U8, 2, {2, -2}, WEFT_ARGUMENT, "extents, all above 0"},
        {4, WEFT_U8, 2, {-2, -2}, WEFT_ARGUMENT, "extents, all above 0"},
        {4, WEFT_U8, 3, {2, 0, 2}, WEFT_ARGUMENT, "extents, all above 0"},
        {4, WEFT_U8, 9, {1, 1, 1}, WEFT_ARGUMENT, "at most 8 extents"},
        {4, WEFT_U8, -1, {1}, WEFT_ARGUMENT, "at most 8 extents"},
        {4, WEFT_F32, 1, {INT64_MAX}, WEFT_ARGUMENT, "must fit into memory"},
        {4, WEFT_U8, 2, {INT64_MAX, 2}, WEFT_ARGUMENT, "must fit into memory"},
        {4,
         WEFT_U8,
         2,
         {(int64_t)1 << 32, (int64_t)1 << 32},
         WEFT_ARGUMENT,
         "must fit into memory"},
        {4, WEFT_U8, 3, {3037000500, 3037000500, 1}, WEFT_ARGUMENT, "must fit into memory"},
        {4,
         WEFT_U8,
         1,
         {INT64_MAX},
         WEFT_FORMAT,
         "the last has 4 bytes; one of 9223372036854775807 u8"},
        {4, WEFT_DTYPE_COUNT, 1, {1}, WEFT_ARGUMENT, "unknown element type 8"},
        {4, (weft_dtype)-1, 1, {1}, WEFT_ARGUMENT, "unknown element type"},
    };
    static const unsigned char file[2000] = {7, 1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CASE("%zu", i);
        weft_shape dims = {.rank = rows[i].rank};
        for (int k = 0; k < 3; k++) dims.n[k] = rows[i].dim[k];
        fresh();
        refused(
            weft_data_parse_raw(ctx(), world_bytes("bad.raw", file, rows[i].n), rows[i].t, dims),
            rows[i].code, rows[i].says, rows[i].n);
    }
    refused(weft_data_parse_raw(ctx(), (weft_bytes){0}, WEFT_U8, WEFT_0D), WEFT_ARGUMENT,
            "no bytes", 0);
}

/* ---- files that cannot be read, and calls without what they need ---- */

TEST(unreadable_files) {
    const char *const missing = "/nowhere/at/all", *const folder = "/tmp";
    const char *const paths[] = {missing, folder, "", NULL};
    for (int i = 0; i < 4; i++) {
        CASE("%s", paths[i] ? paths[i] : "NULL");
        const weft_err code = i < 2 ? WEFT_FILE : WEFT_ARGUMENT;
        const char *const says = i < 2 ? paths[i] : "no file is named";
        fresh();
        refused(weft_data_idx(ctx(), paths[i], NULL), code, says, 0);
        refused(weft_data_cifar(ctx(), &paths[i], 1, 10), code, says, 0);
        refused(weft_data_csv(ctx(), paths[i], NULL), code, says, 0);
        refused(weft_data_text(ctx(), paths[i], NULL), code, says, 0);
        refused(weft_data_raw(ctx(), paths[i], WEFT_U8, WEFT_0D), code, says, 0);
        refused(weft_data_npy(ctx(), paths[i]), code, says, 0);
    }
    CASE("an empty file");
    const world_file f = world_write("", 0);
    fresh();
    refused(weft_data_idx(ctx(), f.path, NULL), WEFT_FORMAT, "offset 0: magic number", 0);
    refused(weft_data_csv(ctx(), f.path, NULL), WEFT_FORMAT, "has no rows", 0);
    refused(weft_data_text(ctx(), f.path, NULL), WEFT_FORMAT, "it has 0 characters", 0);
    refused(weft_data_raw(ctx(), f.path, WEFT_U8, WEFT_0D), WEFT_FORMAT, "the file is empty", 0);
    CASE("a long name is told by its end");
    char path[600];
    memset(path, 'p', sizeof path);
    memcpy(path, "/tmp/", 5);
    strcpy(path + 590, "/end.csv");
    refused(weft_data_csv(ctx(), path, NULL), WEFT_FILE, "/end.csv", 0);
    unlink(f.path);
}

TEST(calls_without_what_they_need) {
    weft_field f = {.name = "x", .dtype = WEFT_U8, .rows = "abc"};
    fresh();
    refused(weft_data_memory(ctx(), NULL, 1, 1, false), WEFT_ARGUMENT, "there must be some", 0);
    refused(weft_data_memory(ctx(), &f, 0, 1, false), WEFT_ARGUMENT, "0 fields of 1 rows", 0);
    refused(weft_data_memory(ctx(), &f, 1, 0, false), WEFT_ARGUMENT, "1 fields of 0 rows", 0);
    refused(weft_data_memory(ctx(), (weft_field[]){f, f}, 2, 1, false), WEFT_ARGUMENT,
            "field 1 has no name, or one that is taken", 0);
    refused(weft_data_memory(ctx(), &(weft_field){.name = "x"}, 1, 1, false), WEFT_ARGUMENT,
            "field \"x\" has no rows", 0);
    f.dims = weft_dims(0);
    refused(weft_data_memory(ctx(), &f, 1, 1, false), WEFT_ARGUMENT, "extents must be above 0", 0);
    f.dims = weft_dims(INT64_MAX / 2);
    refused(weft_data_memory(ctx(), &f, 1, 3, false), WEFT_ARGUMENT, "must fit into memory", 0);
    CHECK(weft_data_csv(NULL, "x", NULL) == NULL);
    CHECK(weft_data_slice(NULL, 0, 1) == NULL);
    CHECK_EQ(weft_data_rows(NULL), 0);
    CHECK_EQ(weft_data_fields(NULL), 0);
    CHECK_EQ(weft_data_find(NULL, "x"), -1);
    CHECK_EQ(weft_data_split(NULL, NULL, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_data_moments(NULL, 0, false, NULL, NULL, 1), WEFT_ARGUMENT);
    CHECK_EQ(weft_loader_at(NULL, 0, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_loader_steps(NULL), 0);
    weft_data_free(NULL);
}

TEST(nothing_is_left) {
    weft_close(ctx());
    CHECK_EQ(memory.live, 0);
}
