/* test_hostile.c - texts that a file may hold and nobody may be shown as they are: in error messages,
 * plans and graphs as text, exported C, JSON, reports and progress. */
#include "train/report_world.h" /* first: it says which functions of the system are wanted */

#include "base/json.h"
#include "base/utf8.h"
#include "weft/io.h"
#include "weft/logic.h"

#include <stdlib.h>
#include <string.h>

static const char *const hostile[] = {
    "\x1b[2J\x1b]0;title\x07", /* clears, and sets a title */
    "a\rb\nc\td\x08\x7f",      /* overwrites, adds lines */
    "\xc2\x9b"
    "31m red", /* the control sequence introducer beyond ASCII */
    "\x9b"
    "31m \xff\xfe \xc3", /* the same as a byte; bytes of no character */
    "\xe2\x80\xae"
    "txt.exe\xe2\x81\xa6",             /* turns the direction */
    "\xe2\x80\xa8line\xe2\x80\xa9",    /* separators of lines and paragraphs */
    "\xf3\xa0\x81\x81tag\xef\xbb\xbf", /* tags, and a mark of byte order */
    "w */ int pwned(void); /*",        /* ends a comment of C */
    "w *\\\n/ int pwned(void);",       /* the same over two lines */
    "w *?\?/\n/ int pwned(void);",     /* and by a trigraph */
    "\\",
    "a\"b'c",
    "<script>alert(1)</script>",
    "%s%n%1000000d",
    "\xc3\xa9\xe9\x87\x8d",
};
enum { HOSTILE = sizeof hostile / sizeof *hostile };

/* What a terminal would obey: by a list that was made apart from that of the library. */
static bool harmless(const char *s, bool lines) {
    for (size_t left = strlen(s), n; left; s += n, left -= n) {
        const unsigned char *u = (const unsigned char *)s;
        if (!(n = utf8_length(s, left))) return false;
        if (u[0] < 0x20 ? !lines || (u[0] != '\n' && u[0] != '\t') : u[0] == 0x7f) return false;
        if (n == 2 && u[0] == 0xc2 && u[1] < 0xa0) return false;
        if (n == 3 && u[0] == 0xe2 && u[1] == 0x80 && u[2] >= 0xa8 && u[2] <= 0xae) return false;
        if (n == 3 && u[0] == 0xe2 && u[1] == 0x81 && u[2] >= 0xa0 && u[2] <= 0xaf) return false;
        if (n == 3 && !memcmp(u, "\xef\xbb\xbf", 3)) return false;
        if (n == 4 && !memcmp(u, "\xf3\xa0\x81", 3)) return false;
    }
    return true;
}

TEST(escapes) {
    static const struct {
        const char *text, *shown;
        size_t room;
    } row[] = {
        {"abc", "abc", 4},
        {"abc", "ab", 3},
        {"a\x1b[m", "a\\x1b[m", 20},
        {"a\x1b[m", "a", 5},
        {"\n\t\r\x7f", "\\n\\t\\r\\x7f", 20},
        {"\xc2\x9b\xc2\xa0", "\\u009b\xc2\xa0", 20},
        {"\x9b\xff", "\\x9b\\xff", 20},
        {"\xe2\x80\xae", "\\u202e", 20},
        {"\xf3\xa0\x81\x81", "\\U000e0041", 20},
        {"\\x1b \\", "\\x1b \\", 20},
        {"\xf0\x9f\xa6\x8e\xe2\x80\x8d", "\xf0\x9f\xa6\x8e\xe2\x80\x8d", 20}, /* joiners stay */
        {"", "", 1},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char out[32];
        CASE("%d", (int)i);
        memset(out, '#', sizeof out);
        CHECK_EQ(escape_text(out, row[i].room, row[i].text), strlen(row[i].shown));
        CHECK_STR(out, row[i].shown);
        CHECK_EQ(out[row[i].room], '#');
    }
    char one[12];
    CHECK_EQ(escape_one(one, "", 0), 0);
    CHECK_STR(one, "");
    CHECK_EQ(escape_one(one, "\xe2\x80\xae", 3), 3);
    CHECK_STR(one, "\\u202e");
    CHECK_EQ(escape_one(one, "\xe2\x80", 2), 1);
    CHECK_STR(one, "\\xe2");
}

TEST(messages) {
    weft_ctx *c = weft_open("null");
    for (int i = 0; i < HOSTILE; i++) {
        char again[512];
        CASE("%d", i);
        weft_fail(c, WEFT_FILE, "%s: it", hostile[i]);
        CHECK(harmless(weft_error(c), false));
        snprintf(again, sizeof again, "%s", weft_error(c)); /* a message inside a message */
        weft_fail(c, WEFT_FILE, "%s", again);
        CHECK_STR(weft_error(c), again);
        weft_fail(NULL, WEFT_FILE, "%s", hostile[i]);
        CHECK(harmless(weft_error(NULL), false));
        weft_archive *a = weft_archive_parse(c, "\1", 1, hostile[i]);
        CHECK(!a && harmless(weft_error(c), false));
    }
    weft_close(c);
}

TEST(json) {
    weft_ctx *c = weft_open("null");
    for (int i = 0; i < HOSTILE; i++) {
        char quoted[400], back[200];
        CASE("%d", i);
        const size_t n = json_quote(quoted, sizeof quoted, hostile[i]);
        CHECK_EQ(strlen(quoted), n);
        CHECK(harmless(quoted, false));
        const weft_json j = weft_json_parse(c, quoted, n, "it");
        CHECK_EQ(weft_json_kind_of(j), WEFT_JSON_TEXT);
        weft_json_text(j, back, sizeof back);
        size_t left = strlen(hostile[i]), k;
        for (const char *s = hostile[i]; left && (k = utf8_length(s, left)); s += k) left -= k;
        if (!left) CHECK_STR(back, hostile[i]); /* else some bytes were of no character */
    }
    weft_close(c);
}

/* Is the whole of the text C that a compiler takes without a warning, and is nothing in it that a
 * name has brought? */
static void compiles(const char *text) {
    run_folder f = run_make();
    char command[600], path[200];
    snprintf(path, sizeof path, "%s", run_path(&f, "it.c"));
    FILE *to = fopen(path, "w");
    if (CHECK(to)) {
        fputs(text, to);
        fclose(to);
        const char *cc = getenv("WEFT_CC") ? getenv("WEFT_CC") : "cc";
        snprintf(command, sizeof command,
                 "%s -std=c99 -Wall -Wextra -Wpedantic -Werror -Wno-unused -c %s -o %s.o 2>&1", cc,
                 path, path);
        CHECK_EQ(system(command), 0);
    }
    run_remove(f.path);
}

TEST(plans_and_graphs) {
    for (int i = 0; i < HOSTILE; i++) {
        CASE("%d", i);
        weft_ctx *c = weft_open("cpu");
        weft_state *s = weft_state_new(c);
        weft_graph *g = weft_graph_new(c);
        const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(1, 2));
        const weft_init ones = {WEFT_INIT_ONES, 0, 0};
        char scope[100]; /* has neither of two characters */
        snprintf(scope, sizeof scope, "%s", hostile[i]);
        for (char *w = scope; *w; w++) *w = *w == '.' || *w == '/' ? '*' : *w;
        weft_scope_push(g, scope);
        const weft_tensor y = weft_mul(x, weft_param(g, s, hostile[i], weft_dims(2), ones));
        weft_scope_pop(g);
        weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y), .portable = true});
        if (CHECK(p)) {
            char *text = weft_plan_emit_c(p, "model");
            if (CHECK(text)) {
                CHECK(harmless(text, true) && !strstr(text, "pwned"));
                compiles(text);
            }
            weft_text_free(c, text);
            text = weft_plan_text(p);
            CHECK(text && harmless(text, true) && strlen(text) > 20);
            weft_text_free(c, text);
        }
        char *text = weft_graph_text(g);
        CHECK(text && harmless(text, true));
        weft_text_free(c, text);
        CHECK(!weft_plan_emit_c(p, hostile[i]) && harmless(weft_error(c), false));
        weft_plan_free(p);
        weft_graph_free(g);
        weft_state_free(s);
        weft_close(c);
    }
}

/* A circuit's name is an identifier in every format, or an error. */
TEST(circuits) {
    weft_ctx *c = weft_open("null");
    weft_circuit *k = weft_circuit_new(c, 1);
    if (CHECK(k))
        for (int i = 0; i < HOSTILE; i++)
            for (int f = 0; f < WEFT_CIRCUIT_FORMAT_COUNT; f++) {
                CHECK(!weft_circuit_text(k, (weft_circuit_format)f, hostile[i]));
                CHECK(harmless(weft_error(c), false));
            }
    weft_circuit_free(k);
    weft_close(c);
}

TEST(reports) {
    for (int i = 0; i < HOSTILE; i++) {
        CASE("%d", i);
        world t = world_begin();
        char quoted[400];
        json_quote(quoted, sizeof quoted, hostile[i]);
        for (int step = 1; step < 9; step++)
            fprintf(t.lines, "{\"step\": %d, \"wall\": 1, \"time\": 1, %s: %d}\n", step, quoted,
                    step);
        FILE *config = fopen(run_path(&t.f, "config.json"), "w");
        fprintf(config, "{\"title\": %s, \"options\": {%s: %s}}\n", quoted, quoted, quoted);
        fclose(config);
        const char *page =
            world_page(&t, &(weft_report){.title = hostile[i], .summary = hostile[i]});
        CHECK(harmless(page, true) && !strstr(page, "<script>alert"));
        world_end(&t);
    }
}

TEST(progress) {
    weft_ctx *c = weft_open("null");
    for (int i = 0; i < HOSTILE; i++) {
        char *text = NULL;
        size_t n = 0;
        CASE("%d", i);
        FILE *to = open_memstream(&text, &n);
        weft_progress *p = weft_progress_new(c, to, 2, 0);
        weft_metrics m = {0};
        weft_metric(&m, hostile[i], 1);
        for (int64_t step = 1; step <= 2; step++) weft_progress_show(p, step, &m);
        char words[100]; /* tabs and lines of the caller stay */
        snprintf(words, sizeof words, "%s", hostile[i]);
        for (char *w = words; *w; w++) *w = *w == '\t' ? ' ' : *w;
        weft_progress_say(p, words);
        weft_progress_free(p);
        fclose(to);
        CHECK(n && harmless(text, true));
        free(text);
    }
    weft_close(c);
}
