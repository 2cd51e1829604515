/* test_journal.c - the folder of a run: config.json, metrics.jsonl line for line, what a resume
 * keeps, and what happens when the disk says no. Events are test_events.c's. */
#include "run_folder.h" /* first: it says which functions of the system are wanted */

#include "heap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

static weft_metrics one(const char *name, double value) {
    weft_metrics m = {0};
    weft_metric(&m, name, value);
    return m;
}

/* Takes "wall" and "time" out of a line, so that the rest can be compared. */
static char *without_clocks(const char *text) {
    char *s = malloc(strlen(text) + 1), *to = s;
    for (const char *p = text; *p;) {
        if (strncmp(p, ", \"wall\": ", 10) == 0 || strncmp(p, ", \"time\": ", 10) == 0)
            p += 10 + strspn(p + 10, "0123456789.");
        else *to++ = *p++;
    }
    *to = 0;
    return s;
}

static double field(const char *line, const char *name) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = strstr(line, key);
    return at ? strtod(at + strlen(key), NULL) : NAN;
}

static void check_lines(const run_folder *f, const char *want) {
    char *got = run_read(run_path(f, "metrics.jsonl"), NULL);
    if (!CHECK(got)) return;
    char *bare = without_clocks(got);
    CHECK_STR(bare, want);
    free(bare);
    free(got);
}

/* ---- metrics ---- */

TEST(metrics) {
    weft_metrics m = {0};
    CHECK(isnan(weft_metric_of(&m, "a")));
    weft_metric(&m, "a", 1);
    weft_metric(&m, "b/c", -2.5);
    weft_metric(&m, "a", 3);
    CHECK_EQ(m.n, 2);
    CHECK_EQ(weft_metric_of(&m, "a"), 3.0);
    CHECK_EQ(weft_metric_of(&m, "b/c"), -2.5);
    static char names[40][16];
    for (int i = 0; i < 40; i++) {
        snprintf(names[i], sizeof names[i], "n%d", i);
        weft_metric(&m, names[i], i);
    }
    CHECK_EQ(m.n, WEFT_METRICS);
    CHECK_EQ(weft_metric_of(&m, "n29"), 29.0);
    CHECK(isnan(weft_metric_of(&m, "n30")));
    CHECK_STR(m.lost, "n30");
    weft_metric(&m, "n29", 7); /* full, but it is there */
    CHECK_EQ(weft_metric_of(&m, "n29"), 7.0);
    weft_metric(&m, NULL, 1);
    weft_metric(NULL, "a", 1);
    CHECK(isnan(weft_metric_of(NULL, "a")) && isnan(weft_metric_of(&m, NULL)));
}

TEST(run_checkpoint) {
    char path[64] = "x", small[8] = "x";
    CHECK_STR(weft_run_checkpoint("runs/a", path, sizeof path),
              "runs/a/checkpoints/latest.safetensors");
    CHECK_STR(weft_run_checkpoint("runs/a", small, sizeof small), "");
}

/* ---- lines ---- */

TEST(lines_are_json) {
    run_folder f = run_make();
    weft_ctx *c = weft_open("null");
    weft_journal *j = weft_journal_open(c, &(weft_journal_desc){.run = f.path});
    CHECK(j);
    weft_metrics m = one("train/loss", (double)0.31f);
    weft_metric(&m, "train/rate", 1e-3);
    weft_metric(&m, "count", 60000);
    CHECK_EQ(weft_journal_write(j, 50, &m), WEFT_OK);
    m = one("train/loss", NAN);
    weft_metric(&m, "up", INFINITY);
    weft_metric(&m, "down", -INFINITY);
    weft_metric(&m, "say \"\\\n\"", 1.5);
    weft_metric(&m, "größe", -1e-30);
    CHECK_EQ(weft_journal_write(j, 100, &m), WEFT_OK);
    m = one("third", 1.0 / 3);
    weft_metric(&m, "large", 1.7e300);
    weft_metric(&m, "float", (double)(1.0f / 3));
    weft_metric(&m, "tiny", 5e-324);
    CHECK_EQ(weft_journal_write(j, INT64_C(1) << 52, &m), WEFT_OK);
    CHECK_EQ(weft_journal_write(j, 200, &(weft_metrics){0}), WEFT_OK); /* says nothing */
    CHECK_EQ(weft_journal_flush(j), WEFT_OK);
    CHECK_EQ(weft_journal_close(j), WEFT_OK);
    check_lines(&f,
                "{\"step\": 50, \"train/loss\": 0.31, \"train/rate\": 0.001, \"count\": 60000}\n"
                "{\"step\": 100, \"train/loss\": null, \"up\": null, \"down\": null, "
                "\"say \\\"\\\\\\n\\\"\": 1.5, \"größe\": -1e-30}\n"
                "{\"step\": 4503599627370496, \"third\": 0.3333333333333333, \"large\": 1.7e+300, "
                "\"float\": 0.33333334, \"tiny\": 4.94065645841247e-324}\n");
    weft_close(c);
    run_remove(f.path);
}

TEST(numbers_come_back) {
    run_folder f = run_make();
    weft_ctx *c = weft_open("null");
    weft_journal *j = weft_journal_open(c, &(weft_journal_desc){.run = f.path, .no_events = true});
    double value[500];
    for (int i = 0; i < 500; i++) {
        value[i] = test_uniform(-1, 1) * pow(10, test_uniform(-30, 30));
        if (i % 2) value[i] = (double)(float)value[i];
        const weft_metrics m = one("v", value[i]);
        CHECK_EQ(weft_journal_write(j, i, &m), WEFT_OK);
    }
    CHECK_EQ(weft_journal_close(j), WEFT_OK);
    char *text = run_read(run_path(&f, "metrics.jsonl"), NULL), *line = text;
    for (int i = 0; i < 500 && CHECK(line); i++) {
        const double got = field(line, "v");
        CHECK_EQ(field(line, "step"), (double)i);
        if (i % 2) CHECK((float)got == (float)value[i]);
        else CHECK_EQ(got, value[i]);
        line = strchr(line, '\n') + 1;
    }
    CHECK(line && !*line);
    CHECK_EQ(run_files(f.path, "events", 0, NULL), 0);
    free(text);
    weft_close(c);
    run_remove(f.path);
}

TEST(a_locale_with_commas) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    const char *set = NULL;
    for (int i = 0; i < 4 && !set; i++) set = setlocale(LC_ALL, names[i]);
    if (!set) SKIP("no such locale is installed");
    run_folder f = run_make();
    weft_ctx *c = weft_open("null");
    weft_journal *j = weft_journal_open(c, &(weft_journal_desc){.run = f.path});
    const weft_metrics m = one("a", 0.25);
    CHECK_EQ(weft_journal_write(j, 1, &m), WEFT_OK);
    CHECK_EQ(weft_journal_close(j), WEFT_OK);
    setlocale(LC_ALL, "C");
    check_lines(&f, "{\"step\": 1, \"a\": 0.25}\n");
    weft_close(c);
    run_remove(f.path);
}

TEST(clocks_go_on) {
    run_folder f = run_make();
    weft_ctx *c = weft_open("null");
    const weft_metrics m = one("a", 1);
    weft_journal *j = weft_journal_open(c, &(weft_journal_desc){.run = f.path});
    const double before = (double)time(NULL);
    weft_journal_write(j, 1, &m);
    usleep(20000);
    weft_journal_write(j, 2, &m);
    weft_journal_close(j);
    char *text = run_read(run_path(&f, "metrics.jsonl"), NULL);
    const char *second = strchr(text, '\n') + 1;
    CHECK(field(text, "wall") >= before - 1 && field(text, "wall") < before + 60);
    const double time1 = field(text, "time"), time2 = field(second, "time");
    CHECK(time1 >= 0 && time1 < 5);
    CHECK(time2 - time1 >= 0.015 && time2 - time1 < 5);
    CHECK_NEAR(field(second, "wall") - field(text, "wall"), time2 - time1, 0.01);
    free(text);
    usleep(50000); /* the pause does not count */
    j = weft_journal_open(c, &(weft_journal_desc){.run = f.path, .resume = 2});
    weft_journal_write(j, 3, &m);
    weft_journal_close(j);
    text = run_read(run_path(&f, "metrics.jsonl"), NULL);
    const double time3 = field(strstr(text, "\"step\": 3"), "time");
    CHECK(time3 >= time2 && time3 < time2 + 0.045);
    free(text);
    weft_close(c);
    run_remove(f.path);
}

/* ---- beginning anew, and going on ---- */

TEST(a_new_run_begins_anew) {
    run_folder f = run_make();
    weft_ctx *c = weft_open("null");
    CHECK_EQ(mkdir(run_path(&f, "checkpoints"), 0777), 0);
    run_write(run_path(&f, "checkpoints/latest.safetensors"), "kept");
    run_write(run_path(&f, "metrics.jsonl"), "{\"step\": 1, \"old\": 1}\n");
    run_write(run_path(&f, "metrics.jsonl.mine"), "kept");
    run_write(run_path(&f, "report.html"), "old");
    run_write(run_path(&f, "events.out.tfevents.1.old"), "old");
    run_write(run_path(&f, "notes.txt"), "kept");
    weft_journal *j = weft_journal_open(
        c, &(weft_journal_desc){.run = f.path, .config = "{\"a\": 1}", .no_events = true});
    CHECK(j);
    CHECK_EQ(weft_journal_close(j), WEFT_OK);
    check_lines(&f, "");
    CHECK_EQ(run_files(f.path, "events", 0, NULL), 0);
    CHECK(access(run_path(&f, "report.html"), F_OK) != 0);
    static const char *const kept[] = {"notes.txt", "metrics.jsonl.mine",
                                       "checkpoints/latest.safetensors"};
    for (int i = 0; i < 3; i++) {
        char *text = run_read(run_path(&f, kept[i]), NULL);
        CHECK_STR(text, "kept");
        free(text);
    }
    weft_close(c);
    run_remove(f.path);
}

static const struct {
    const char *name, *before;
    int64_t resume;
    const char *after;
} resumes[] = {
    {"nothing to drop", "{\"step\": 1}\n{\"step\": 2}\n", 2, "{\"step\": 1}\n{\"step\": 2}\n"},
    {"later steps", "{\"step\": 1}\n{\"step\": 2}\n{\"step\": 3}\n{\"step\": 4}\n", 2,
     "{\"step\": 1}\n{\"step\": 2}\n"},
    {"all", "{\"step\": 5}\n{\"step\": 6}\n", 2, ""},
    {"torn", "{\"step\": 1}\n{\"step\": 2, \"a\": 0.12", 2, "{\"step\": 1}\n"},
    {"torn but whole", "{\"step\": 1}\n{\"step\": 2}", 2, "{\"step\": 1}\n"},
    {"torn in the first", "{\"st", 2, ""},
    {"torn and later", "{\"step\": 1}\n{\"step\": 9}\n{\"ste", 2, "{\"step\": 1}\n"},
    {"out of order", "{\"step\": 1}\n{\"step\": 9}\n{\"step\": 2}\n{\"step\": 8}\n{\"step\": 2}\n",
     2, "{\"step\": 1}\n{\"step\": 2}\n{\"step\": 2}\n"},
    {"not readable", "{\"step\": 1}\nhello\n\n[1]\n{\"step\": \"x\"}\n{\"step\": 2}\n", 2,
     "{\"step\": 1}\n{\"step\": 2}\n"},
    {"same step", "{\"step\": 2, \"a\": 1}\n{\"step\": 2, \"b\": 1}\n", 2,
     "{\"step\": 2, \"a\": 1}\n{\"step\": 2, \"b\": 1}\n"},
    {"empty", "", 7, ""},
    {"large steps", "{\"step\": 9007199254740000}\n{\"step\": 9e300}\n", INT64_MAX,
     "{\"step\": 9007199254740000}\n"},
};

TEST(a_resume_drops_what_came_later) {
    weft_ctx *c = weft_open("null");
    for (size_t i = 0; i < sizeof resumes / sizeof *resumes; i++) {
        CASE("%s", resumes[i].name);
        run_folder f = run_make();
        run_write(run_path(&f, "metrics.jsonl"), resumes[i].before);
        run_write(run_path(&f, "report.html"), "old");
        run_write(run_path(&f, "events.out.tfevents.1.old"), "old");
        weft_journal *j =
            weft_journal_open(c, &(weft_journal_desc){.run = f.path, .resume = resumes[i].resume});
        if (!CHECK(j)) printf("     %s\n", weft_error(c));
        check_lines(&f, resumes[i].after);
        const weft_metrics m = one("new", 1);
        CHECK_EQ(weft_journal_write(j, 77, &m), WEFT_OK);
        CHECK_EQ(weft_journal_close(j), WEFT_OK);
        char want[400];
        snprintf(want, sizeof want, "%s{\"step\": 77, \"new\": 1}\n", resumes[i].after);
        check_lines(&f, want);
        CHECK_EQ(run_files(f.path, "events.out.tfevents.", 0, NULL), 2);
        CHECK_EQ(run_files(f.path, "metrics", 0, NULL), 1); /* no temporary */
        CHECK(access(run_path(&f, "report.html"), F_OK) == 0);
        run_remove(f.path);
    }
    weft_close(c);
}

TEST(a_resume_without_a_journal) {
    run_folder f = run_make();
    weft_ctx *c = weft_open("null");
    weft_journal *j = weft_journal_open(c, &(weft_journal_desc){.run = f.path, .resume = 10});
    CHECK(j);
    const weft_metrics m = one("a", 1);
    CHECK_EQ(weft_journal_write(j, 11, &m), WEFT_OK);
    CHECK_EQ(weft_journal_close(j), WEFT_OK);
    check_lines(&f, "{\"step\": 11, \"a\": 1}\n");
    weft_close(c);
    run_remove(f.path);
}

/* ---- config.json ---- */

TEST(configurations) {
    static const struct {
        const char *config, *title;
        int64_t resume;
        const char *want; /* NULL: refused */
    } table[] = {
        {NULL, NULL, 0, "{}\n"},
        {"{\"a\": 1}", NULL, 0, "{\"a\": 1}\n"},
        {"{\"a\": 1}\n", NULL, 0, "{\"a\": 1}\n"},
        {" {\"a\": 1}", "T \"q\"", 0, "{\"title\": \"T \\\"q\\\"\", \"a\": 1}\n"},
        {"{}", "T", 0, "{\"title\": \"T\"}\n"},
        {NULL, "T", 0, "{\"title\": \"T\"}\n"},
        {"{\"title\": \"own\"}", "T", 0, "{\"title\": \"own\"}\n"},
        {NULL, "T", 5, "before"},
        {"{\"b\": 2}", NULL, 5, "{\"b\": 2}\n"},
        {"{\"b\": 2", NULL, 0, NULL},
        {"[1]", NULL, 0, NULL},
        {"", NULL, 0, NULL},
        {"{\"a\": 1} x", NULL, 0, NULL},
        {"{}", "\xff", 0, NULL},
    };
    weft_ctx *c = weft_open("null");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        CASE("%s with %s", table[i].config ? table[i].config : "NULL",
             table[i].title ? table[i].title : "NULL");
        run_folder f = run_make();
        run_write(run_path(&f, "config.json"), "before");
        weft_journal *j = weft_journal_open(c, &(weft_journal_desc){.run = f.path,
                                                                    .config = table[i].config,
                                                                    .title = table[i].title,
                                                                    .resume = table[i].resume});
        CHECK_EQ(j != NULL, table[i].want != NULL);
        if (!j) CHECK_HAS(weft_error(c), "weft_journal_open: ");
        char *text = run_read(run_path(&f, "config.json"), NULL);
        CHECK_STR(text, table[i].want ? table[i].want : "before");
        free(text);
        weft_journal_close(j);
        run_remove(f.path);
    }
    weft_close(c);
}

/* ---- when it cannot be ---- */

TEST(folders_are_made) {
    run_folder f = run_make();
    weft_ctx *c = weft_open("null");
    char deep[300];
    snprintf(deep, sizeof deep, "%s/a/b//c/", f.path);
    weft_journal *j = weft_journal_open(c, &(weft_journal_desc){.run = deep});
    CHECK(j);
    weft_journal_close(j);
    CHECK(access(run_path(&f, "a/b/c/metrics.jsonl"), F_OK) == 0);
    run_remove(f.path);
    weft_close(c);
}

TEST(errors_name_the_file) {
    run_folder f = run_make();
    weft_ctx *c = weft_open("null");
    char path[300];
    run_write(run_path(&f, "plain"), "");
    snprintf(path, sizeof path, "%s/plain", f.path);
    CHECK(!weft_journal_open(c, &(weft_journal_desc){.run = path}));
    CHECK_EQ(weft_error_code(c), WEFT_FILE);
    CHECK_HAS(weft_error(c), "plain: not a folder");
    snprintf(path, sizeof path, "%s/plain/below", f.path);
    CHECK(!weft_journal_open(c, &(weft_journal_desc){.run = path}));
    CHECK_HAS(weft_error(c), "plain: not a folder");

    CHECK_EQ(mkdir(run_path(&f, "taken"), 0777), 0);
    CHECK_EQ(mkdir(run_path(&f, "taken/metrics.jsonl"), 0777), 0);
    snprintf(path, sizeof path, "%s/taken", f.path);
    CHECK(!weft_journal_open(c, &(weft_journal_desc){.run = path}));
    CHECK_EQ(weft_error_code(c), WEFT_FILE);
    CHECK_HAS(weft_error(c), "metrics.jsonl");
    CHECK(!weft_journal_open(c, &(weft_journal_desc){.run = path, .resume = 3}));
    CHECK_HAS(weft_error(c), "metrics.jsonl");

    CHECK(!weft_journal_open(c, &(weft_journal_desc){.run = "/proc/weft-cannot-be"}));
    CHECK_EQ(weft_error_code(c), WEFT_FILE);
    CHECK_HAS(weft_error(c), "/proc/weft-cannot-be: cannot create the folder");

    char *long_path = malloc(6000);
    memset(long_path, 'x', 5999);
    long_path[5999] = 0;
    CHECK(!weft_journal_open(c, &(weft_journal_desc){.run = long_path}));
    CHECK_EQ(weft_error_code(c), WEFT_ARGUMENT);
    free(long_path);

    CHECK(!weft_journal_open(c, &(weft_journal_desc){.run = ""}));
    CHECK(!weft_journal_open(c, &(weft_journal_desc){.run = NULL}));
    CHECK(!weft_journal_open(c, &(weft_journal_desc){.run = f.path, .resume = -1}));
    CHECK(!weft_journal_open(c, NULL));
    CHECK(!weft_journal_open(NULL, &(weft_journal_desc){.run = f.path}));
    CHECK_EQ(weft_error_code(NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_journal_close(NULL), WEFT_OK);
    CHECK_EQ(weft_journal_flush(NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_journal_write(NULL, 1, &(weft_metrics){0}), WEFT_ARGUMENT);
    run_remove(f.path);
    weft_close(c);
}

TEST(lines_that_are_refused) {
    run_folder f = run_make();
    weft_ctx *c = weft_open("null");
    weft_journal *j = weft_journal_open(c, &(weft_journal_desc){.run = f.path});
    static const char *const bad[] = {"step", "time", "wall", "", "\xff\xfe", "twice"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        weft_metrics m = {.at = {{"twice", 1}, {bad[i], 2}}, .n = 2};
        CHECK_EQ(weft_journal_write(j, 1, &m), WEFT_ARGUMENT);
    }
    CHECK_EQ(weft_journal_write(j, 1, &(weft_metrics){.n = WEFT_METRICS + 1}), WEFT_ARGUMENT);
    CHECK_EQ(weft_journal_write(j, 1, &(weft_metrics){.at = {{"a", 1}}, .n = 1, .lost = "b"}),
             WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "no room for the metric \"b\"");
    char name[WEFT_METRIC_NAME + 2];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = 0;
    CHECK_EQ(weft_journal_write(j, 1, &(weft_metrics){.at = {{name, 1}}, .n = 1}), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "metric 0 has 120 bytes, at most 119");
    CHECK_EQ(weft_journal_write(j, 1, &(weft_metrics){.n = 1}), WEFT_ARGUMENT);
    CHECK_EQ(weft_journal_write(j, 1, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_journal_close(j), WEFT_OK);
    check_lines(&f, "");
    run_remove(f.path);
    weft_close(c);
}

/* The descriptor under which a file of this process is open. */
static int descriptor_of(const char *name) {
    for (int i = 3; i < 1024; i++) {
        char link[64], path[512];
        snprintf(link, sizeof link, "/proc/self/fd/%d", i);
        const ssize_t n = readlink(link, path, sizeof path - 1);
        if (n <= 0) continue;
        path[n] = 0;
        if (strstr(path, name)) return i;
    }
    return -1;
}

TEST(a_full_disk_is_an_error) {
    static const char *const names[] = {"metrics.jsonl", "events.out.tfevents"};
    const int full = open("/dev/full", O_WRONLY);
    if (full < 0) SKIP("no /dev/full");
    weft_ctx *c = weft_open("null");
    for (int i = 0; i < 2; i++) {
        CASE("%s", names[i]);
        run_folder f = run_make();
        weft_journal *j = weft_journal_open(c, &(weft_journal_desc){.run = f.path});
        const int file = descriptor_of(names[i]);
        if (file >= 0) {
            CHECK(dup2(full, file) == file);
            const weft_metrics m = one("a", 1);
            CHECK_EQ(weft_journal_write(j, 1, &m), WEFT_FILE);
            CHECK_HAS(weft_error(c), names[i]);
            CHECK_HAS(weft_error(c), strerror(ENOSPC));
        } else test_skip("no /proc");
        weft_journal_close(j);
        run_remove(f.path);
    }
    close(full);
    weft_close(c);
}

/* A line that fits only in part leaves nothing behind, and the journal goes on when there is room
 * again. */
TEST(half_a_line_is_taken_back) {
    run_folder f = run_make();
    weft_ctx *c = weft_open("null");
    weft_journal *j = weft_journal_open(c, &(weft_journal_desc){.run = f.path, .no_events = true});
    const weft_metrics m = one("a/long/enough/name/to/cross/the/limit", 1);
    CHECK_EQ(weft_journal_write(j, 1, &m), WEFT_OK);
    struct stat s;
    CHECK_EQ(stat(run_path(&f, "metrics.jsonl"), &s), 0);
    struct rlimit before, little;
    CHECK_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    little = before;
    little.rlim_cur = (rlim_t)s.st_size + 40;
    signal(SIGXFSZ, SIG_IGN);
    if (CHECK_EQ(setrlimit(RLIMIT_FSIZE, &little), 0)) {
        CHECK_EQ(weft_journal_write(j, 2, &m), WEFT_FILE);
        CHECK_HAS(weft_error(c), "metrics.jsonl: cannot write: ");
        CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    }
    signal(SIGXFSZ, SIG_DFL);
    CHECK_EQ(weft_journal_write(j, 3, &m), WEFT_OK);
    CHECK_EQ(weft_journal_close(j), WEFT_OK);
    check_lines(&f, "{\"step\": 1, \"a/long/enough/name/to/cross/the/limit\": 1}\n"
                    "{\"step\": 3, \"a/long/enough/name/to/cross/the/limit\": 1}\n");
    run_remove(f.path);
    weft_close(c);
}

/* ---- memory ---- */

/* A journal written, and gone on with; true if every call succeeded. */
static bool whole_journal(weft_ctx *c, const char *run) {
    const weft_metrics m = one("a metric", 0.5);
    weft_journal *j = weft_journal_open(
        c, &(weft_journal_desc){.run = run, .config = "{\"a\": [1, 2]}", .title = "title"});
    bool good = j && weft_journal_write(j, 1, &m) == WEFT_OK &&
                weft_journal_write(j, 2, &m) == WEFT_OK && weft_journal_write(j, 3, &m) == WEFT_OK;
    good = weft_journal_close(j) == WEFT_OK && good;
    if (!good) return false;
    j = weft_journal_open(c, &(weft_journal_desc){.run = run, .resume = 2});
    good = j && weft_journal_write(j, 4, &m) == WEFT_OK;
    return weft_journal_close(j) == WEFT_OK && good;
}

TEST(every_allocation_may_fail) {
    long all = 1;
    for (int for_ever = 0; for_ever < 2; for_ever++)
        for (long at = 0; at <= all; at++) {
            heap h = {.fail_at = at, .for_ever = for_ever};
            run_folder f = run_make();
            weft_ctx *c = weft_open_with(
                &(weft_open_desc){.device = "null", .resize = heap_resize, .user = &h});
            const bool good = c && whole_journal(c, f.path);
            if (!at) {
                CHECK(good);
                all = h.made;
                CHECK(all > 5);
            }
            if (!good) CHECK_EQ(weft_error_code(c), WEFT_MEMORY);
            if (!good) CHECK(h.failed);
            if (good)
                check_lines(&f, "{\"step\": 1, \"a metric\": 0.5}\n"
                                "{\"step\": 2, \"a metric\": 0.5}\n"
                                "{\"step\": 4, \"a metric\": 0.5}\n");
            weft_close(c);
            CHECK_EQ(h.live, 0);
            run_remove(f.path);
        }
}
