/* test_data_rows.c - numbers out of lines that come one after the other: CSV and JSON, what is
 * chosen, what is kept, what is refused, and running out of memory. */
#include "heap.h"
#include "test.h"
#include "weft/data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static weft_ctx *ctx(void) {
    static weft_ctx *c;
    if (!c) c = weft_open("null");
    return c;
}

/* Lines of a text through it; each row as "kept,kept|value value", rows ended by ; and errors as
 * [message]. */
static const char *through(weft_ctx *c, weft_rows_desc d, const char *text) {
    static char out[4000];
    out[0] = 0;
    size_t at = 0;
    weft_rows *const r = weft_rows_new(c, &d);
    if (!r) return weft_error(c);
#define SAY(...) at += (size_t)snprintf(out + at, sizeof out - at, __VA_ARGS__)
    while (*text) {
        const size_t n = strcspn(text, "\n");
        char *const line = malloc(n ? n : 1); /* exact, for the sanitizer */
        memcpy(line, text, n);
        bool row;
        const weft_err e = weft_rows_read(r, line, n, &row);
        free(line);
        text += n + (text[n] == '\n');
        if (e) SAY("[%s]", weft_error(c));
        if (e || !row) continue;
        const char *kept;
        for (int i = 0; weft_rows_kept(r, i, &kept); i++) SAY("%s%s", i ? "," : "", kept);
        if (weft_rows_kept(r, 0, NULL)) SAY("|");
        for (int i = 0; i < weft_rows_columns(r); i++)
            SAY("%s%.17g", i ? " " : "", weft_rows_values(r)[i]);
        SAY(";");
    }
#undef SAY
    weft_rows_free(r);
    return out;
}

TEST(csv) {
    weft_rows_desc d = {0};
    CHECK_STR(through(ctx(), d, "a,b\n1,2\n3,4"), "1 2;3 4;");
    CHECK_STR(through(ctx(), d, "1,2\n3,4\n"), "1 2;3 4;");
    CHECK_STR(through(ctx(), d, "\n\nt;x\r\nlate;1.5\r\nnoon;-2e3\r\n"), "1.5;-2000;");
    CHECK_STR(through(ctx(), d, "x\n \t\n1\n\nNA\n?\n2\nnan\n"), "1;nan;nan;2;nan;");
    CHECK_STR(through(ctx(), d, "\xef\xbb\xbfx\n7\n"), "7;");
    CHECK_STR(through(ctx(), d, "1e999,2\n"), "inf 2;");
    d.columns = "b";
    CHECK_STR(through(ctx(), d, "a,b,c\n1,2,x\n3,,x\n"), "2;nan;");
    d.columns = "3,1";
    CHECK_STR(through(ctx(), d, "1,2,3\n4,5,6\n"), "3 1;6 4;");
    d.keep = "time,host";
    d.columns = "load";
    CHECK_STR(through(ctx(), d, "time,host,load\n\"a, \"\"b\"\"\",h1,1\n,h2,2\n"),
              "a, \"b\",h1|1;,h2|2;");
    d = (weft_rows_desc){.header = -1, .columns = "2"};
    CHECK_STR(through(ctx(), d, "a,1\nb,2\n"), "1;2;");
    d = (weft_rows_desc){.header = 1};
    CHECK_STR(through(ctx(), d, "1,2\n3,4\n"), "3 4;");
    d = (weft_rows_desc){.separator = ' '};
    CHECK_STR(through(ctx(), d, "1 2\n3 4\n"), "1 2;3 4;");
}

TEST(json) {
    weft_rows_desc d = {.json = true};
    CHECK_STR(
        through(ctx(), d, "{\"a\": 1, \"t\": \"x\", \"b\": 2.5}\n\n{\"b\": 1, \"a\": null}\n"),
        "1 2.5;nan 1;");
    d.columns = "cpu.load,a";
    d.keep = "t,cpu";
    CHECK_STR(through(ctx(), d, "{\"cpu\": {\"load\": 3}, \"a\": 1, \"t\": \"\\u00e9\\n\"}\n{}\n"),
              "\xc3\xa9\n,{\"load\": 3}|3 1;,|nan nan;");
}

TEST(what_is_wrong_is_told_with_its_place) {
    static const struct {
        weft_rows_desc d;
        const char *text, *says;
    } bad[] = {
        {{.name = "f.csv"},
         "a,b\n1,2\n3,x\n5,6\n",
         "1 2;[f.csv: line 3, column 2 (b): \"x\" is not a number]5 6;"},
        {{.name = "f.csv"},
         "a,b\n1,2,3\n",
         "[f.csv: line 2, column 3: 3 cells in the row, 2 are expected]"},
        {{.name = "f.csv"},
         "1,2\n\n1\n1,3",
         "1 2;[f.csv: line 3, column 1: 1 cells in the row, 2 are expected]1 3;"},
        {{.name = "f.csv"},
         "1,\"2\n3,4\n",
         "[f.csv: line 1, column 2: the quotes are never closed]3 4;"},
        {{.name = "f.csv", .columns = "c"}, "a,b\n1,2\n", "[f.csv: line 2: unknown column \"c\"]"},
        {{.name = "f.csv", .columns = "0"}, "1,2\n", "[f.csv: line 1: unknown column \"0\"]"},
        {{.name = "f.csv", .columns = "3"}, "1,2\n", "[f.csv: line 1: unknown column \"3\"]"},
        {{.name = "f.csv", .columns = "1,,"}, "1,2\n", "[f.csv: line 1: unknown column \"\"]"},
        {{.name = "f.csv", .keep = "a,1"}, "a\n1\n", "[f.csv: line 2: duplicate column \"1\"]"},
        {{.name = "f.csv"}, "a,b\nx,y\n", "[f.csv: line 2: the first row has no numbers]"},
        {{.name = "f.json", .json = true},
         "{\"a\": 1}\n{\"a\" 1}\n{\"a\": 2}",
         "1;[f.json: line 2: offset 5: JSON: ':' expected, got '1']2;"},
        {{.name = "f.json", .json = true}, "[1]\n", "[f.json: line 1: expected an object]"},
        {{.name = "f.json", .json = true},
         "{\"a\": 1}\n{\"a\": \"x\"}\n",
         "1;[f.json: line 2: expected a number at \"a\"]"},
        {{.json = true}, "{\"a\": true}\n", "[input: line 1: the first row has no numbers]"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CASE("%s", bad[i].says);
        CHECK_STR(through(ctx(), bad[i].d, bad[i].text), bad[i].says);
    }
    CHECK(weft_rows_new(ctx(), NULL) == NULL);
    weft_rows *const r = weft_rows_new(ctx(), &(weft_rows_desc){0});
    bool row;
    CHECK_EQ(weft_rows_columns(r), 0);
    CHECK(weft_rows_column(r, 0) == NULL && weft_rows_kept(r, 0, NULL) == NULL);
    CHECK_EQ(weft_rows_read(r, "1,2\n3", 5, &row), WEFT_FORMAT);
    CHECK_EQ(weft_rows_read(r, "1,2", 3, &row), WEFT_OK);
    CHECK_STR(weft_rows_column(r, 1), "2");
    weft_rows_free(r);
    weft_rows_free(NULL);
}

TEST(out_of_memory) {
    static const weft_rows_desc how[] = {
        {.name = "f", .columns = "b,a", .keep = "t"},
        {.name = "f", .columns = "b,a", .keep = "t", .json = true},
    };
    static const char *const text[] = {
        "a,b,t\n1,2,a long text that goes on\n3,4,short\n",
        "{\"a\": 1, \"b\": 2, \"t\": \"text\"}\n{\"a\": 3, \"b\": 4, \"t\": \"a much longer "
        "one\"}\n",
    };
    for (int k = 0; k < 2; k++) {
        CASE("%s", k ? "json" : "csv");
        heap h = {0};
        weft_ctx *const c = weft_open_with(
            &(weft_open_desc){.device = "null", .threads = 1, .resize = heap_resize, .user = &h});
        char truth[400];
        const long before = h.made, live = h.live;
        snprintf(truth, sizeof truth, "%s", through(c, how[k], text[k]));
        const long made = h.made - before;
        CHECK(made > 8);
        for (long n = 1; n <= made; n++) {
            h = (heap){.live = h.live, .fail_at = n, .for_ever = n % 2};
            const char *const said = through(c, how[k], text[k]);
            CHECK(h.failed);
            CHECK_HAS(said, "out of memory");
            CHECK_EQ(h.live, live);
        }
        h.fail_at = 0;
        CHECK_STR(through(c, how[k], text[k]), truth);
        weft_close(c);
    }
}
