/* test_history.c - histories: what is added is there, for the next program too, whatever else lies
 * in the file; and what they say of the last record. */
#include "bench_world.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static heap heap_of;
static weft_ctx *world(void) {
    static weft_ctx *c;
    if (!c) c = heap_open(&heap_of);
    return c;
}

static const weft_machine machine = {"a cpu", 2, "avx2", "0123456789abcdef"};

/* A folder of its own for each test. */
static const char *fresh(const char *name) {
    const char *path = in_folder(name);
    mkdir(path, 0777);
    return path;
}
static const char *file_of(const char *name) {
    static char path[8][700];
    static int at;
    at = (at + 1) % 8;
    snprintf(path[at], sizeof path[at], "%s/%s.jsonl", in_folder(name), machine.key);
    return path[at];
}

static weft_history *opened(const char *name) {
    weft_history *h = weft_history_open(world(), in_folder(name), &machine);
    if (!CHECK(h != NULL)) CHECK_STR(weft_error(world()), "");
    return h;
}

/* ---- the file ---- */

TEST(added_and_read_back) {
    fresh("plain");
    weft_history *h = opened("plain");
    CHECK_STR(weft_history_path(h), file_of("plain"));
    CHECK_EQ(weft_history_count(h), 0);
    weft_bench_record put[200], r;
    for (int i = 0; i < 200; i++) {
        put[i] = record_of(i % 3 ? "a\"b\n" : "gemm \xe2\x82\xac", 1 + i % 2, test_uniform(1, 1e6));
        if (i == 7) memset(put[i].name, '\x02', sizeof put[i].name - 1);
        CHECK_EQ(weft_history_add(h, &put[i]), WEFT_OK);
        CHECK(weft_history_at(h, (size_t)i, &r) && same_record(&r, &put[i]));
    }
    weft_history_free(h);
    h = opened("plain");
    CHECK_EQ(weft_history_count(h), 200);
    CHECK_EQ(weft_history_malformed(h), 0);
    for (size_t i = 0; i < 200; i++) {
        const weft_bench_record want = as_kept(put[i]);
        CHECK(weft_history_at(h, i, &r) && same_record(&r, &want));
    }
    CHECK(!weft_history_at(h, 200, &r) && !weft_history_at(h, SIZE_MAX, &r));
    weft_history_free(h);
}

TEST(of_nothing) {
    weft_bench_record r = record_of("a", 1, 1);
    weft_history_view v;
    weft_history_free(NULL);
    CHECK_EQ(weft_history_count(NULL), 0);
    CHECK_EQ(weft_history_malformed(NULL), 0);
    CHECK_STR(weft_history_path(NULL), "");
    CHECK(!weft_history_at(NULL, 0, &r));
    CHECK_EQ(weft_history_add(NULL, &r), WEFT_ARGUMENT);
    CHECK_EQ(weft_history_look(NULL, "a", 1, &v), WEFT_ARGUMENT);
    CHECK(weft_history_open(world(), NULL, &machine) == NULL);
    CHECK(weft_history_open(world(), "x", NULL) == NULL);
    char far[2000];
    memset(far, 'x', sizeof far);
    far[sizeof far - 1] = 0;
    CHECK(weft_history_open(world(), far, &machine) == NULL);
    CHECK_HAS(weft_error(world()), "too long");
    fresh("none");
    weft_history *h = opened("none");
    CHECK_EQ(weft_history_add(h, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_history_look(h, NULL, 1, &v), WEFT_ARGUMENT);
    CHECK_EQ(weft_history_look(h, "a", 1, NULL), WEFT_ARGUMENT);
    r.median_us = NAN;
    CHECK_EQ(weft_history_add(h, &r), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(world()), "weft_history_add: median_us");
    r = record_of("\xff", 1, 1);
    CHECK_EQ(weft_history_add(h, &r), WEFT_ARGUMENT);
    CHECK_EQ(weft_history_count(h), 0);
    CHECK(access(file_of("none"), F_OK) != 0);
    weft_history_free(h);
}

TEST(spoiled_lines_stay) {
    fresh("spoiled");
    blob before = {.n = 0};
    size_t spoiled = 0, good = 0;
#define LINE(text, kind) blob_text(&before, text), blob_text(&before, "\n"), kind++
    size_t blank = 0;
    LINE(record_json(NULL, NULL), good);
    LINE("not JSON at all", spoiled);
    LINE("", blank);
    LINE(" \t\r", blank);
    LINE("{}", spoiled);
    LINE("[]", spoiled);
    LINE("{\"name\": \"gemm\"", spoiled);
    for (size_t i = 0; i < sizeof record_number_fields / sizeof *record_number_fields; i++) {
        LINE(record_json(record_number_fields[i], NULL), spoiled);
        LINE(record_json(record_number_fields[i], "-1"), spoiled);
        LINE(record_json(record_number_fields[i], "1e999"), spoiled);
        LINE(record_json(record_number_fields[i], "\"1\""), spoiled);
    }
    LINE(record_json("threads", "7"), good);
    LINE(record_json("name", "\"\""), spoiled);
    LINE("\xff\xfe", spoiled);
    blob_add(&before, "\0\0\0\n", 4), spoiled++; /* what a crash may leave */
    blob_text(&before, record_json("threads", "8"));
    blob_text(&before, " \r\n"), good++;
#undef LINE
    file_put(file_of("spoiled"), before.s, before.n);
    weft_history *h = opened("spoiled");
    CHECK_EQ(weft_history_count(h), good);
    CHECK_EQ(weft_history_malformed(h), spoiled);
    const weft_bench_record r = record_of("new", 1, 5);
    CHECK_EQ(weft_history_add(h, &r), WEFT_OK);
    weft_history_free(h);
    blob after = {.n = 0};
    after.n = file_get(file_of("spoiled"), after.s, sizeof after.s);
    CHECK(after.n > before.n);
    CHECK_MEM(after.s, before.s, before.n);
    h = opened("spoiled");
    CHECK_EQ(weft_history_count(h), good + 1);
    CHECK_EQ(weft_history_malformed(h), spoiled);
    weft_history_free(h);
}

TEST(cut_at_every_byte) {
    fresh("cut");
    blob whole = {.n = 0};
    for (int i = 0; i < 3; i++) blob_text(&whole, record_json(NULL, NULL)), blob_text(&whole, "\n");
    const size_t line = whole.n / 3;
    for (size_t n = 0; n <= whole.n; n++) {
        file_put(file_of("cut"), whole.s, n);
        weft_history *h = opened("cut");
        const size_t rest = n % line,
                     full = n / line + (rest == line - 1); /* only its end missing */
        const size_t spoiled = rest > 0 && rest < line - 1;
        CHECK_EQ(weft_history_count(h), full);
        CHECK_EQ(weft_history_malformed(h), spoiled);
        for (int i = 0; i < 2; i++) {
            const weft_bench_record r = record_of("new", 1, 5);
            CHECK_EQ(weft_history_add(h, &r), WEFT_OK);
        }
        weft_history_free(h);
        h = opened("cut");
        CHECK_EQ(weft_history_count(h), full + 2);
        CHECK_EQ(weft_history_malformed(h), spoiled);
        weft_history_free(h);
        static unsigned char now[1 << 14];
        CHECK(file_get(file_of("cut"), now, sizeof now) > n);
        CHECK_MEM(now, whole.s, n);
    }
}

/* A file that fills its pages and ends with blanks: nothing behind it may be looked at. */
TEST(blanks_up_to_the_end_of_a_page) {
    fresh("page");
    static char blanks[1 << 16];
    memset(blanks, ' ', sizeof blanks);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    file_put(file_of("page"), blanks, page);
    weft_history *h = opened("page");
    CHECK_EQ(weft_history_count(h), 0);
    CHECK_EQ(weft_history_malformed(h), 0);
    weft_history_free(h);
}

TEST(places_that_are_none) {
    const weft_bench_record r = record_of("a", 1, 1);
    CASE("no folder");
    weft_history *h = opened("absent");
    CHECK_EQ(weft_history_count(h), 0);
    CHECK_EQ(weft_history_add(h, &r), WEFT_FILE);
    CHECK_HAS(weft_error(world()), "absent/");
    CHECK_HAS(weft_error(world()), "cannot be written");
    CHECK_EQ(weft_history_count(h), 0);
    fresh("absent"); /* now it is there */
    CHECK_EQ(weft_history_add(h, &r), WEFT_OK);
    CHECK_EQ(weft_history_count(h), 1);
    weft_history_free(h);
    h = opened("absent");
    CHECK_EQ(weft_history_count(h), 1);
    weft_history_free(h);

    CASE("a file in the place of the folder");
    file_put(in_folder("file"), "x", 1);
    CHECK(weft_history_open(world(), in_folder("file"), &machine) == NULL);
    CHECK_EQ(weft_error_code(world()), WEFT_FILE);

    CASE("a folder in the place of the file");
    fresh("inner");
    mkdir(file_of("inner"), 0777);
    CHECK(weft_history_open(world(), in_folder("inner"), &machine) == NULL);
    CHECK(weft_error_code(world()) != WEFT_OK);

    CASE("nobody may write there");
    if (geteuid() == 0) {
        test_skip("root may");
    } else {
        fresh("closed");
        chmod(in_folder("closed"), 0555);
        h = opened("closed");
        CHECK_EQ(weft_history_add(h, &r), WEFT_FILE);
        weft_history_free(h);
        chmod(in_folder("closed"), 0755);
    }
}

TEST(a_full_disk_leaves_a_part) {
    fresh("full");
    weft_history *h = opened("full");
    const weft_bench_record r = record_of("a", 1, 1);
    CHECK_EQ(weft_history_add(h, &r), WEFT_OK);
    struct stat st;
    stat(file_of("full"), &st);
    struct rlimit limit, small;
    getrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);
    small = limit;
    small.rlim_cur = (rlim_t)st.st_size + 20;
    setrlimit(RLIMIT_FSIZE, &small);
    const weft_err e = weft_history_add(h, &r);
    setrlimit(RLIMIT_FSIZE, &limit);
    CHECK_EQ(e, WEFT_FILE);
    CHECK_EQ(weft_history_count(h), 1);
    CHECK_EQ(weft_history_add(h, &r), WEFT_OK); /* there is room again: on a line of its own */
    CHECK_EQ(weft_history_count(h), 2);
    weft_history_free(h);
    h = opened("full");
    CHECK_EQ(weft_history_count(h), 2);
    CHECK_EQ(weft_history_malformed(h), 1);
    weft_history_free(h);
}

TEST(two_programs_add_at_once) {
    enum { PROGRAMS = 2, EACH = 300 };
    fresh("two");
    file_put(file_of("two"), "torn", 4); /* both see that it is */
    pid_t child[PROGRAMS];
    for (int p = 0; p < PROGRAMS; p++) {
        child[p] = fork();
        if (child[p] != 0) continue;
        weft_ctx *c = weft_open("null");
        weft_history *h = weft_history_open(c, in_folder("two"), &machine);
        int bad = !h;
        for (int i = 0; h && i < EACH; i++) {
            const weft_bench_record r = record_of(p ? "second" : "first", 1 + i, 1 + i);
            bad |= weft_history_add(h, &r) != WEFT_OK;
        }
        weft_history_free(h);
        weft_close(c);
        _exit(bad);
    }
    for (int p = 0; p < PROGRAMS; p++) {
        int status = -1;
        CHECK(child[p] > 0 && waitpid(child[p], &status, 0) == child[p]);
        CHECK_EQ(status, 0);
    }
    weft_history *h = opened("two");
    CHECK_EQ(weft_history_count(h), PROGRAMS * EACH);
    CHECK_EQ(weft_history_malformed(h), 1);
    int next[PROGRAMS] = {1, 1};
    weft_bench_record r;
    for (size_t i = 0; weft_history_at(h, i, &r); i++)
        CHECK_EQ(r.threads, next[strcmp(r.name, "second") == 0]++);
    weft_history_free(h);
}

static weft_err all_of_it(weft_ctx *c) {
    weft_history_view v;
    weft_history *h = weft_history_open(c, in_folder("faults"), &machine);
    if (!h) return weft_error_code(c);
    CHECK_EQ(weft_history_count(h), 70); /* all of them or none */
    CHECK_EQ(weft_history_malformed(h), 1);
    const weft_bench_record r = record_of("gemm", 2, 12);
    weft_err e = WEFT_OK;
    for (int i = 0; i < 130 && e == WEFT_OK; i++) {
        const size_t before = weft_history_count(h);
        e = weft_history_add(h, &r);
        CHECK_EQ(weft_history_count(h), before + (e == WEFT_OK));
    }
    if (e == WEFT_OK) e = weft_history_look(h, "gemm", 2, &v);
    weft_history_free(h);
    return e;
}

TEST(every_allocation_fails) {
    fresh("faults");
    blob b = {.n = 0};
    for (int i = 0; i < 70; i++) blob_text(&b, record_json(NULL, NULL)), blob_text(&b, "\n");
    blob_text(&b, "spoiled\n");
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        CASE(for_ever ? "and all after it" : "once");
        bool failed = true;
        long n = 1;
        for (; n < 1000 && failed; n++) {
            file_put(file_of("faults"), b.s, b.n);
            heap k = {.for_ever = for_ever};
            weft_ctx *c = heap_open(&k);
            k.fail_at = k.made + n;
            const weft_err e = all_of_it(c);
            failed = k.failed;
            CHECK_EQ(e, failed ? WEFT_MEMORY : WEFT_OK);
            k.fail_at = 0;
            weft_close(c);
            CHECK_EQ(k.live, 0);
        }
        CHECK(n > 3 && n < 1000);
    }
}

/* ---- what is odd ---- */

static double wobble(double share) {
    return 1 + share * test_uniform(-1, 1);
}

/* What is said of the last after each of the values was added. */
static weft_history_view looked(const char *name, const double *relative, int n) {
    unlink(file_of(name));
    fresh(name);
    weft_history *h = opened(name);
    weft_history_view v = {.records = 0};
    for (int i = 0; i < n; i++) {
        weft_bench_record r = record_of("step", 2, 100), other = record_of("step", 1, 100);
        r.relative = relative[i];
        other.relative = i % 2 ? 1 : 1000; /* another number of threads: of no concern */
        weft_history_add(h, &other);
        snprintf(other.name, sizeof other.name, "steps");
        other.threads = 2;
        weft_history_add(h, &other);
        weft_history_add(h, &r);
    }
    CHECK_EQ(weft_history_look(h, "step", 2, &v), WEFT_OK);
    weft_history_free(h);
    return v;
}

TEST(a_quiet_history_is_quiet) {
    for (int trial = 0; trial < 50; trial++) {
        double x[60];
        for (int i = 0; i < 60; i++) x[i] = 5 * wobble(trial % 2 ? 0.02 : 0.005);
        const int n = 1 + trial + trial % 7;
        const weft_history_view v = looked("quiet", x, n);
        CHECK_EQ(v.records, n);
        CHECK(!v.outlier);
        CHECK_EQ(v.changed, 0);
        if (n > 1) CHECK_NEAR(v.typical, 5, 0.11);
        else CHECK(isnan(v.typical));
    }
}

TEST(the_usual_is_the_median_before_the_last) {
    const double x[] = {3, 1, 2, 100};
    const weft_history_view v = looked("usual", x, 4);
    CHECK_NEAR(v.typical, 2, 1e-12);
    CHECK_EQ(v.records, 4);
    const weft_history_view none = looked("usual", x, 0);
    CHECK_EQ(none.records, 0);
    CHECK(isnan(none.typical) && !none.outlier && none.changed == 0);
}

TEST(an_outlier_is_told) {
    static const double factor[] = {1.25, 2, 0.7};
    for (int f = 0; f < 3; f++) {
        CASE("%g times as long", factor[f]);
        int told = 0, again = 0;
        for (int trial = 0; trial < 20; trial++) {
            double x[41];
            for (int i = 0; i < 41; i++) x[i] = 0.02 * wobble(0.02);
            x[39] *= factor[f];
            const weft_history_view v = looked("outlier", x, 40);
            told += v.outlier && fabs(v.score) > 3;
            again += looked("outlier", x, 41).outlier; /* the next is an ordinary one */
        }
        CHECK(told >= 19);
        CHECK_EQ(again, 0);
    }
    CASE("a record without a relative time is passed over");
    double x[20];
    for (int i = 0; i < 20; i++) x[i] = 3 * wobble(0.01);
    x[19] = 0;
    const weft_history_view v = looked("outlier", x, 20);
    CHECK_EQ(v.records, 19);
    CHECK(!v.outlier);
}

TEST(a_new_level_is_told) {
    for (int up = 0; up < 2; up++) {
        CASE(up ? "slower" : "faster");
        int told = 0, near = 0;
        for (int trial = 0; trial < 20; trial++) {
            double x[60];
            for (int i = 0; i < 60; i++)
                x[i] = 7 * wobble(0.02) * (i < 40 ? 1 : up ? 1.2 : 1 / 1.2);
            const weft_history_view v = looked("level", x, 60);
            told += v.changed > 0 && v.changed <= v.records;
            near += v.changed >= 15 && v.changed <= 25; /* it was 20 records ago */
        }
        CHECK(told >= 19);
        CHECK(near >= 17);
    }
}
