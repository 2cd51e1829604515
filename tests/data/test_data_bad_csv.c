/* test_data_bad_csv.c - tables that are not what they should be: refused with file, line, column and
 * the column's name, within twice the file's size and 1 MiB of memory, and without a trace. */
#include "data_refused.h"

TEST(csv) {
    static const struct {
        const char *text, *says;
        weft_csv_desc d;
    } rows[] = {
        {"", "bad.csv: line 1, column 1: the file has no rows", {0}},
        {"\n\n\n", "the file has no rows", {0}},
        {"  \n\t\n \n", "the file has no rows", {0}},
        {"\xef\xbb\xbf", "the file has no rows", {0}},
        {"a,b\n", "line 1, column 1: no row of values", {.header = 1}},
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
        {"a,b\n1,\"2\"3\n", "line 2, column 2: text after the closing quotes", {0}},
        {"a,b\n1,\"2\" x\n", "line 2, column 2: text after the closing quotes", {0}},
        {"a,b\n\"1\n\n2\",\"x\"y\n", "line 4, column 2: text after the closing quotes", {0}},
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
        {"a,b\n1,?\n?,x\n", "line 1, column 1: no rows are left", {.missing = WEFT_MISSING_DROPS}},
        {"a,b\n1,x\n", "unknown column \"c\" for .label; the file has 2", {.label = "c"}},
        {"a,b\n1,x\n", "unknown column \"3\" for .label", {.label = "3"}},
        {"a,b\n1,x\n", "unknown column \"0\" for .label", {.label = "0"}},
        {"a,b\n1,x\n", "unknown column \"\" for .label", {.label = ""}},
        {"1,x\n2,y\n",
         "unknown column \"a\" for .label; the file has 2, without names",
         {.label = "a"}},
        {"a,b\n1,x\n", "unknown column \"q\" for .skip", {.skip = "a,q"}},
        {"a,b\n1,x\n",
         "unknown column \"99999999999999999999\" for .skip",
         {.skip = "99999999999999999999"}},
        {"a,b\n1,x\n", "unknown column \"\" for .skip", {.skip = "a,,b"}},
        {"a,b\n1,x\n", "line 1, column 2 (b): the label is skipped", {.skip = "b"}},
        {"a,b\n1,x\n", "no column besides the label", {.skip = "a"}},
        {"a\n1\n2\n", "no column besides the label", {0}},
        {"a,b\n1,x\n2,y\n",
         "line 2, column 2 (b): \"x\" is not a number",
         {.task = WEFT_TASK_NUMBERS}},
        {"a,b\n1e39,x\n", "line 2, column 1 (a): \"1e39\" is too large for f32", {0}},
        {"a,b\n-1e999,x\n", "line 2, column 1 (a): \"-1e999\" is too large for f32", {0}},
        {"a,b\n1,1e99\n2,.5\n", "line 2, column 2 (b): \"1e99\" is too large for f32", {0}},
        {"a,b\nx,1\ny,2\nz,1\n",
         "line 4, column 1 (a): more than 2 different words; .skip leaves the column out",
         {.max_words = 2}},
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
            "line 2, column 2: a zero byte", 8);
    refused(weft_data_parse_csv(ctx(), world_bytes("bad.csv", "a,b\n1,\"\0\"\n", 10), NULL),
            WEFT_FORMAT, "line 2, column 2: a zero byte", 10);
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
        {like, "n,w\n1,red\n", "2 columns, the other table has 3"},
        {like, "n,v,y\n1,red,u\n", "line 1, column 2 (v): the other table calls it w"},
        {like, "n,w,y\n1,green,u\n",
         "line 2, column 2 (w): \"green\" is not one of the 2 known words: blue, red"},
        {like, "n,w,y\n1,red,u\n2,red,x\n",
         "line 3, column 3 (y): \"x\" is not one of the 3 known classes: 7, u, v"},
        {like, "n,w,y\nz,red,u\n", "line 2, column 1 (n): \"z\" is not a number"},
        {like, "n,w,y\n,red,u\n", "line 2, column 1 (n): the value is missing"},
        {like, "n,w,y\n", "no row of values"},
        {whole, "n,y\n1,7\n",
         "line 2, column 2 (y): \"7\" is not one of the 2 known classes: 5, 6"},
        {whole, "n,y\n1,5.5\n", "line 2, column 2 (y): \"5.5\" is not one of the 2 known classes"},
        {whole, "n,y\n1,u\n", "line 2, column 2 (y): \"u\" is not one of the 2 known classes"},
    };
    const size_t before = idle;
    idle = memory.live;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CASE("%zu", i);
        memory.peak = memory.live;
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
                                &(weft_csv_desc){.max_words = 1000000}),
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

TEST(nothing_is_left) {
    weft_close(ctx());
    CHECK_EQ(memory.live, 0);
}
