/* test_data_bad.c - files that are not what they should be: refused with the file, the place and the
 * field in the message, within twice the file's size and 1 MiB of memory, and without a trace.
 *
 * Each row is a file and what must be said about it. The same parsers read from memory and from
 * files; here mostly from memory. Rows are grouped by format, at least thirty of each. */
#include "data_world.h"

#include <ctype.h>

static world_heap heap;
static size_t idle; /* bytes of a context without sets */

static weft_ctx *ctx(void) {
    static weft_ctx *c;
    if (!c) {
        c = world_open(&heap);
        idle = heap.live;
    }
    return c;
}

/* A set that must not be: the code, the message, the memory. */
static void refused(weft_data *d, weft_err code, const char *says, size_t bytes) {
    if (!CHECK(d == NULL)) {
        weft_data_free(d);
        return;
    }
    CHECK_EQ(weft_error_code(ctx()), code);
    CHECK_HAS(weft_error(ctx()), says);
    CHECK_EQ(heap.live, idle);
    CHECK(heap.peak - idle <= 2 * bytes + (1 << 20));
}

static void fresh(void) {
    ctx();
    heap.peak = heap.live;
}

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
        {"00", "offset 0: magic number: 2 bytes expected, the file has 1"},
        {"0000", "offset 2: element type: 1 bytes expected, the file has 0"},
        {"000008", "offset 3: rank: 1 bytes expected, the file has 0"},
        {"00000801", "offset 4: extent 0: 4 bytes expected, the file has 0"},
        {"00000801 0000", "offset 4: extent 0: 4 bytes expected, the file has 2"},
        {"00000803 00000001 00000001 000000", "offset 12: extent 2: 4 bytes expected"},
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
        {"00000801 00000001 01*2", "offset 9: elements: 1 bytes too many behind the last one"},
        {"00000e01 00000001 01*15", "offset 16: elements: 7 bytes too many"},
        {"00000802 00000001 00000002 01*4000", "offset 14: elements: 3998 bytes too many"},
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
        {"00000801 00000003 00*3", "offset 4: extent 0: 3 labels, but there are 2 rows of x"},
        {"00000801 00000001 00", "offset 4: extent 0: 1 labels, but there are 2 rows of x"},
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

/* ---- tables ---- */

TEST(csv) {
    static const struct {
        const char *text, *says;
        weft_csv_desc d;
    } rows[] = {
        {"", "bad.csv: line 1, column 1: the file has no rows", {0}},
        {"\n\n\n", "the file has no rows", {0}},
        {"  \n\t\n \n", "the file has no rows", {0}},
        {"\xef\xbb\xbf", "the file has no rows", {0}},
        {"a,b\n", "line 1, column 1: there is no row of values", {.header = 1}},
        {"a,b\n1,2\n3\n",
         "line 3, column 1: the row has fewer than 2 columns, as the first has",
         {0}},
        {"a,b\n1,2\n3,4,5\n", "line 3, column 3: the row has more than 2 columns", {0}},
        {"a,b\n1,2,\n", "line 2, column 3: the row has more than 2 columns", {0}},
        {"a\n1\n2,3\n", "line 3, column 2: the row has more than 1 columns", {0}},
        {"a,b,c\n1,2,3\n\n\n1;2;3\n", "line 5, column 1: the row has fewer than 3 columns", {0}},
        {"a,b\n1,\"2\n3,4\n", "line 2, column 2: the quotes are never closed", {0}},
        {"\"", "line 1, column 1: the quotes are never closed", {0}},
        {"a,\"\"\"", "line 1, column 2: the quotes are never closed", {0}},
        {"a,b\n1,\"2\"3\n", "line 2, column 2: there is more behind the closing quotes", {0}},
        {"a,b\n1,\"2\" x\n", "line 2, column 2: there is more behind the closing quotes", {0}},
        {"a,b\n\"1\n\n2\",\"x\"y\n",
         "line 4, column 2: there is more behind the closing quotes",
         {0}},
        {"a,b\n1,\n2,x\n",
         "line 2, column 2 (b): the value is missing; .missing can have it filled in",
         {0}},
        {"a,b\n1,x\nNA,y\n", "line 3, column 1 (a): the value is missing", {0}},
        {"a,b\n1,x\nnull,y\n", "line 3, column 1 (a): the value is missing", {0}},
        {"a,b\n1,x\n\"\",y\n", "line 3, column 1 (a): the value is missing", {0}},
        {"a,b\n,x\n?,y\n",
         "line 1, column 1 (a): the column has no value in any row",
         {.missing = WEFT_MISSING_MEAN}},
        {"a,b\n1,?\n2,\n",
         "line 1, column 2 (b): the column has no value in any row",
         {.missing = WEFT_MISSING_DROPS}},
        {"a,b\n1,?\n?,x\n",
         "line 1, column 1: no row of values is left",
         {.missing = WEFT_MISSING_DROPS}},
        {"a,b\n1,x\n", "there is no column \"c\" for .label; there are 2", {.label = "c"}},
        {"a,b\n1,x\n", "there is no column \"3\" for .label", {.label = "3"}},
        {"a,b\n1,x\n", "there is no column \"0\" for .label", {.label = "0"}},
        {"a,b\n1,x\n", "there is no column \"\" for .label", {.label = ""}},
        {"1,x\n2,y\n",
         "there is no column \"a\" for .label; there are 2, without names",
         {.label = "a"}},
        {"a,b\n1,x\n", "there is no column \"q\" for .skip", {.skip = "a,q"}},
        {"a,b\n1,x\n",
         "there is no column \"99999999999999999999\" for .skip",
         {.skip = "99999999999999999999"}},
        {"a,b\n1,x\n", "there is no column \"\" for .skip", {.skip = "a,,b"}},
        {"a,b\n1,x\n", "line 1, column 2 (b): the label is skipped", {.skip = "b"}},
        {"a,b\n1,x\n", "there is no column beside the label", {.skip = "a"}},
        {"a\n1\n2\n", "there is no column beside the label", {0}},
        {"a,b\n1,x\n2,y\n",
         "line 2, column 2 (b): \"x\" is not a number",
         {.task = WEFT_TASK_NUMBERS}},
        {"a,b\n1e39,x\n", "line 2, column 1 (a): \"1e39\" is too large for f32", {0}},
        {"a,b\n-1e999,x\n", "line 2, column 1 (a): \"-1e999\" is too large for f32", {0}},
        {"a,b\n1,1e99\n2,.5\n", "line 2, column 2 (b): \"1e99\" is too large for f32", {0}},
        {"a,b\nx,1\ny,2\nz,1\n",
         "line 4, column 1 (a): more than 2 different words; .skip leaves the column out",
         {.most_words = 2}},
        {"a,b\n1,x\n", "a separator that ends cells or lines", {.separator = '"'}},
        {"a,b\n1,x\n", "a separator that ends cells or lines", {.separator = '\n'}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CASE("%zu", i);
        const bool argument = strstr(rows[i].says, "a separator that") != NULL;
        const size_t n = strlen(rows[i].text);
        fresh();
        refused(weft_data_parse_csv(ctx(), world_bytes("bad.csv", rows[i].text, n), &rows[i].d),
                argument ? WEFT_ARGUMENT : WEFT_FORMAT, rows[i].says, n);
        if (!argument) CHECK_HAS(weft_error(ctx()), "bad.csv: line ");
    }
    CASE("long names");
    char name[300], want[200];
    memset(name, 'n', sizeof name - 1);
    name[299] = 0;
    snprintf(want, sizeof want, "%s: line 1", name + 299 - 120);
    fresh();
    refused(weft_data_parse_csv(ctx(), world_bytes(name, "a,b\n1,x\n", 8),
                                &(weft_csv_desc){.label = name}),
            WEFT_FORMAT, want, 8);
    refused(weft_data_parse_csv(ctx(), world_bytes(NULL, "a,b\n1\n", 6), NULL), WEFT_FORMAT,
            "memory: line 2", 6);
    snprintf(want, sizeof want, "\"%.40s...\" is not a number", name);
    char text[400];
    const size_t length = (size_t)snprintf(text, sizeof text, "a,b\n1,%s\n", name);
    refused(weft_data_parse_csv(ctx(), world_bytes("bad.csv", text, length),
                                &(weft_csv_desc){.task = WEFT_TASK_NUMBERS}),
            WEFT_FORMAT, want, length);
    CASE("zero bytes");
    fresh();
    refused(weft_data_parse_csv(ctx(), world_bytes("bad.csv", "a,b\n1,\0\n", 8), NULL), WEFT_FORMAT,
            "line 2, column 2: there is a zero byte", 8);
    refused(weft_data_parse_csv(ctx(), world_bytes("bad.csv", "a,b\n1,\"\0\"\n", 10), NULL),
            WEFT_FORMAT, "line 2, column 2: there is a zero byte", 10);
    refused(weft_data_parse_csv(ctx(), (weft_bytes){0}, NULL), WEFT_ARGUMENT, "no bytes", 0);
}

TEST(csv_like_another) {
    weft_data *like =
        weft_data_parse_csv(ctx(), world_text("n,w,y\n1,red,u\n2,blue,v\n3,red,7\n"), NULL);
    weft_data *whole = weft_data_parse_csv(ctx(), world_text("n,y\n1,5\n2,6\n3,6\n4,5\n"), NULL);
    const float f = 1;
    weft_data *other = weft_data_memory(
        ctx(), &(weft_field){.name = "x", .dtype = WEFT_F32, .rows = &f}, 1, 1, false);
    if (!CHECK(like && other)) return;
    const struct {
        const weft_data *like;
        const char *text, *says;
    } rows[] = {
        {like, "n,w\n1,red\n", "there are 2 columns, in .like 3"},
        {like, "n,v,y\n1,red,u\n", "line 1, column 2 (v): in .like it is called w"},
        {like, "n,w,y\n1,green,u\n",
         "line 2, column 2 (w): \"green\" is none of the words that .like has"},
        {like, "n,w,y\n1,red,u\n2,red,x\n", "line 3, column 3 (y): \"x\" is none of the words"},
        {like, "n,w,y\nz,red,u\n", "line 2, column 1 (n): \"z\" is not a number"},
        {like, "n,w,y\n,red,u\n", "line 2, column 1 (n): the value is missing"},
        {like, "n,w,y\n", "there is no row of values"},
        {whole, "n,y\n1,7\n", "line 2, column 2 (y): \"7\" is none of the words"},
        {whole, "n,y\n1,5.5\n", "line 2, column 2 (y): \"5.5\" is none of the words"},
        {whole, "n,y\n1,u\n", "line 2, column 2 (y): \"u\" is none of the words"},
    };
    const size_t before = idle;
    idle = heap.live;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CASE("%zu", i);
        heap.peak = heap.live;
        const weft_csv_desc d = {.like = rows[i].like};
        refused(weft_data_parse_csv(ctx(), world_text(rows[i].text), &d), WEFT_FORMAT, rows[i].says,
                strlen(rows[i].text));
    }
    CASE("not a table");
    refused(weft_data_parse_csv(ctx(), world_text("1,2\n"), &(weft_csv_desc){.like = other}),
            WEFT_ARGUMENT, ".like is not a table", 4);
    idle = before;
    weft_data_free(like);
    weft_data_free(whole);
    weft_data_free(other);
}

/* Files made to need much: many columns, long words, many words, one long cell. */
TEST(csv_large_and_wrong) {
    enum { N = 400000 };
    char *const text = malloc(N + 64);
    static const struct {
        const char *unit, *end, *says;
    } rows[] = {
        {",", "", "line 1, column 16385: more than 16384 columns"},
        {"1,", "\n", "more than 16384 columns"},
        {"a", ",b\n1,2\n", "line 1, column 1: a name of more than 1023 bytes"},
        {"x\n", "1,2\n", "the row has more than 1 columns"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CASE("%s", rows[i].says);
        const size_t unit = strlen(rows[i].unit);
        size_t n = 0;
        while (n + unit <= N) memcpy(text + n, rows[i].unit, unit), n += unit;
        memcpy(text + n, rows[i].end, strlen(rows[i].end));
        n += strlen(rows[i].end);
        fresh();
        refused(weft_data_parse_csv(ctx(), world_bytes("big.csv", text, n),
                                    &(weft_csv_desc){.header = i == 2}),
                WEFT_FORMAT, rows[i].says, n);
    }
    CASE("different words everywhere, the last row too short");
    size_t n = 0;
    for (int i = 0; n < N; i++) n += (size_t)sprintf(text + n, "w%d,v%d\n", i, i);
    memcpy(text + n, "w", 2);
    fresh();
    refused(weft_data_parse_csv(ctx(), world_bytes("big.csv", text, n + 1), NULL), WEFT_FORMAT,
            "fewer than 2 columns", n);
    CASE("different words everywhere");
    fresh();
    refused(weft_data_parse_csv(ctx(), world_bytes("big.csv", text, n), NULL), WEFT_FORMAT,
            "more than 64 different words", n);
    fresh();
    refused(weft_data_parse_csv(ctx(), world_bytes("big.csv", text, n),
                                &(weft_csv_desc){.most_words = 1000000}),
            WEFT_FORMAT, "more than 8192 different words", n);
    CASE("a long word");
    memset(text, 'a', 3000);
    memcpy(text + 3000, ",x\n", 3);
    fresh();
    refused(weft_data_parse_csv(ctx(), world_bytes("big.csv", text, 3003), NULL), WEFT_FORMAT,
            "line 1, column 1: a word of more than 1023 bytes; .skip leaves the column out", 3003);
    CASE("as many columns as there may be, and as many words");
    n = 0;
    for (int row = 0; row < 2; row++)
        for (int i = 0; i < 16384; i++) {
            text[n++] = (char)(row ? 'a' + i % 26 : 'A' + i % 26);
            text[n++] = i == 16383 ? '\n' : ',';
        }
    fresh();
    refused(
        weft_data_parse_csv(ctx(), world_bytes("big.csv", text, n), &(weft_csv_desc){.header = -1}),
        WEFT_FORMAT, "more than 8192 different words", n);
    free(text);
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
        {4, WEFT_DTYPE_COUNT, 1, {1}, WEFT_ARGUMENT, "element type 8 is not known"},
        {4, (weft_dtype)-1, 1, {1}, WEFT_ARGUMENT, "is not known"},
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
    CHECK_EQ(heap.live, 0);
}
