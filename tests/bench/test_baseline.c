/* test_baseline.c - baselines: what is put is found, what is written is read, also when things
 * fail; and when a figure counts as slower. */
#include "bench_world.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <sys/resource.h>

static heap heap_of;
static weft_ctx *world(void) {
    static weft_ctx *c;
    if (!c) c = heap_open(&heap_of);
    return c;
}

/* ---- in memory ---- */

TEST(put_and_found) {
    weft_baseline *b = weft_baseline_new(world());
    weft_bench_record r = {.threads = 0};
    weft_machine here;
    weft_machine_of(world(), &here);
    if (!CHECK(b != NULL)) return;
    CHECK_EQ(weft_baseline_count(b), 0);
    CHECK_STR(weft_baseline_machine(b)->key, here.key);
    CHECK(!weft_baseline_at(b, 0, &r) && !weft_baseline_find(b, "a", 1, &r));
    for (int i = 0; i < 100; i++) {
        char name[32];
        snprintf(name, sizeof name, "bench %d", i / 2);
        const weft_bench_record one = record_of(name, 1 + i % 2, i + 1);
        CHECK_EQ(weft_baseline_put(b, &one), WEFT_OK);
    }
    CHECK_EQ(weft_baseline_count(b), 100);
    CHECK(weft_baseline_find(b, "bench 7", 2, &r) && r.median_us == 16);
    CHECK(weft_baseline_find(b, "bench 7", 1, &r) && r.median_us == 15);
    CHECK(!weft_baseline_find(b, "bench 7", 3, &r));
    CHECK(!weft_baseline_find(b, "bench", 1, &r));
    CHECK(!weft_baseline_find(b, "", 1, &r));
    const weft_bench_record other = record_of("bench 7", 2, 777);
    CHECK_EQ(weft_baseline_put(b, &other), WEFT_OK);
    CHECK_EQ(weft_baseline_count(b), 100);
    CHECK(weft_baseline_at(b, 15, &r) && same_record(&r, &other));
    CHECK(!weft_baseline_at(b, 100, &r) && !weft_baseline_at(b, SIZE_MAX, &r));
    weft_baseline_free(b);
}

TEST(of_nothing) {
    weft_bench_record r = record_of("a", 1, 1);
    weft_baseline_free(NULL);
    CHECK_EQ(weft_baseline_count(NULL), 0);
    CHECK(weft_baseline_machine(NULL) == NULL);
    CHECK(!weft_baseline_at(NULL, 0, &r) && !weft_baseline_find(NULL, "a", 1, &r));
    CHECK_EQ(weft_baseline_put(NULL, &r), WEFT_ARGUMENT);
    CHECK_EQ(weft_baseline_write(NULL, "x"), WEFT_ARGUMENT);
    CHECK(weft_baseline_open(world(), NULL) == NULL);
    CHECK_EQ(weft_error_code(world()), WEFT_ARGUMENT);
    weft_baseline *b = weft_baseline_new(world());
    CHECK_EQ(weft_baseline_put(b, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_baseline_write(b, NULL), WEFT_ARGUMENT);
    CHECK(!weft_baseline_find(b, NULL, 1, &r));
    weft_baseline_free(b);
}

TEST(records_that_are_none) {
    weft_baseline *b = weft_baseline_new(world());
    const weft_bench_record good = record_of("a", 1, 1);
#define REFUSED(field, value)                                                                      \
    {                                                                                              \
        CASE(#field " = " #value);                                                                 \
        weft_bench_record r = good;                                                                \
        r.field = value;                                                                           \
        CHECK_EQ(weft_baseline_put(b, &r), WEFT_ARGUMENT);                                         \
        CHECK_HAS(weft_error(world()), "weft_baseline_put: " #field " of a record");               \
        CHECK_EQ(weft_baseline_count(b), 0);                                                       \
    }
    REFUSED(threads, 0)
    REFUSED(threads, -1)
    REFUSED(threads, 1000001)
    REFUSED(samples, 0)
    REFUSED(samples, 1000001)
    REFUSED(median_us, 0)
    REFUSED(median_us, -1)
    REFUSED(median_us, NAN)
    REFUSED(median_us, INFINITY)
    REFUSED(low_us, NAN)
    REFUSED(low_us, -1)
    REFUSED(high_us, 0.5) /* below the low one */
    REFUSED(high_us, INFINITY)
    REFUSED(relative, NAN)
    REFUSED(relative, -1)
    REFUSED(ping_us, -1)
    REFUSED(ping_us, NAN)
    REFUSED(when, -1)
    REFUSED(when, INFINITY)
#undef REFUSED
    static const char *const names[] = {"",
                                        "\x80",
                                        "a\xff",
                                        "\xc3",
                                        "\xc0\xaf",
                                        "\xed\xa0\x80",
                                        "\xe2\x82",
                                        "\xf5\x80\x80\x80",
                                        "\xe0\x80\xaf",
                                        "\xf4\x90\x80\x80",
                                        "\xf0\x80\x80\xaf"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CASE("name %zu", i);
        weft_bench_record r = record_of(names[i], 1, 1);
        CHECK_EQ(weft_baseline_put(b, &r), WEFT_ARGUMENT);
        CHECK_HAS(weft_error(world()), "name of a record");
    }
    CASE("a name without an end");
    weft_bench_record r = good;
    memset(r.name, 'x', sizeof r.name);
    CHECK_EQ(weft_baseline_put(b, &r), WEFT_ARGUMENT);
    CHECK_EQ(weft_baseline_count(b), 0);
    weft_baseline_free(b);
}

/* ---- the file ---- */

static weft_bench_record any_record(int i) {
    static const char *const names[] = {"gemm NN 32x64x4",
                                        "a\"quoted\\one\"",
                                        "tab\tnew\nline\r\b\f\x01\x1f",
                                        "\xc3\x9f \xc3\xb6",
                                        "\xe2\x82\xac \xf0\x9f\xa7\xb5",
                                        "{\"name\": \"x\"}",
                                        "\x7f",
                                        " "};
    weft_bench_record r = record_of(names[i % 8], 1 + i / 8, exp(test_uniform(-30, 30)));
    r.samples = 1 + (int)(test_random() % 1000000);
    r.relative = exp(test_uniform(-300, 300));
    r.low_us = r.median_us * test_uniform(0, 1), r.high_us = r.median_us * test_uniform(1, 2);
    r.when = test_uniform(0, 4e9), r.ping_us = test_uniform(0, 100);
    if (i == 9) r.median_us = 4.9e-324, r.relative = 0, r.low_us = 0;
    if (i == 10) r.high_us = r.median_us = 1.7e308, r.ping_us = 0, r.threads = 1000000;
    if (i == 11) memset(r.name, '\x01', sizeof r.name - 1); /* six bytes each in the file */
    return r;
}

static void round_trip(const char *path) {
    weft_baseline *b = weft_baseline_new(world());
    weft_bench_record put[64], r;
    for (int i = 0; i < 64; i++) {
        put[i] = any_record(i);
        CHECK_EQ(weft_baseline_put(b, &put[i]), WEFT_OK);
    }
    if (!CHECK_EQ(weft_baseline_write(b, path), WEFT_OK)) CHECK_STR(weft_error(world()), "");
    weft_baseline *back = weft_baseline_open(world(), path);
    if (!CHECK(back != NULL)) CHECK_STR(weft_error(world()), "");
    CHECK_EQ(weft_baseline_count(back), 64);
    for (size_t i = 0; back && i < 64; i++) {
        const weft_bench_record want = as_kept(put[i]);
        CHECK(weft_baseline_at(back, i, &r) && same_record(&r, &want));
        CHECK(weft_baseline_find(back, put[i].name, put[i].threads, &r) && same_record(&r, &want));
    }
    CHECK_STR(weft_baseline_machine(back)->key, weft_baseline_machine(b)->key);
    CHECK_STR(weft_baseline_machine(back)->cpu, weft_baseline_machine(b)->cpu);
    CHECK_STR(weft_baseline_machine(back)->isa, weft_baseline_machine(b)->isa);
    CHECK_EQ(weft_baseline_machine(back)->cores, weft_baseline_machine(b)->cores);
    /* what was read is written with the same bytes */
    static char first[1 << 16], second[1 << 16];
    const size_t n = file_get(path, first, sizeof first);
    CHECK_EQ(weft_baseline_write(back, path), WEFT_OK);
    CHECK_EQ(file_get(path, second, sizeof second), n);
    CHECK_MEM(second, first, n);
    CHECK(n > 0 && first[n - 1] == '\n');
    weft_baseline_free(b);
    weft_baseline_free(back);
}

TEST(written_and_read) {
    round_trip(in_folder("round.json"));
    weft_baseline *b = weft_baseline_new(world());
    CHECK_EQ(weft_baseline_write(b, in_folder("empty.json")), WEFT_OK);
    weft_baseline_free(b);
    b = weft_baseline_open(world(), in_folder("empty.json"));
    CHECK(b && weft_baseline_count(b) == 0);
    weft_baseline_free(b);
}

TEST(written_where_numbers_have_commas) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    char *set = NULL;
    for (int i = 0; i < 4 && !set; i++) set = setlocale(LC_ALL, names[i]);
    if (!set) SKIP("no locale with commas is installed");
    char half[8];
    snprintf(half, sizeof half, "%.1f", 0.5);
    CHECK_STR(half, "0,5");
    weft_baseline *b = weft_baseline_new(world());
    for (int i = 0; i < 8; i++) {
        const weft_bench_record r = any_record(i);
        weft_baseline_put(b, &r);
    }
    CHECK_EQ(weft_baseline_write(b, in_folder("comma.json")), WEFT_OK);
    setlocale(LC_ALL, "C");
    for (int there = 0; there < 2; there++) {
        if (there) setlocale(LC_ALL, set);
        weft_baseline *back = weft_baseline_open(world(), in_folder("comma.json"));
        CHECK_EQ(weft_baseline_count(back), 8);
        for (size_t i = 0; i < weft_baseline_count(back); i++) {
            weft_bench_record want, got;
            weft_baseline_at(b, i, &want);
            weft_baseline_at(back, i, &got);
            CHECK_NEAR(got.median_us / want.median_us, 1, 1e-11);
        }
        weft_baseline_free(back);
    }
    setlocale(LC_ALL, "C");
    weft_baseline_free(b);
}

/* ---- when things fail ---- */

TEST(the_old_file_stays) {
    char old[1 << 14], now[1 << 14];
    weft_baseline *b = weft_baseline_new(world());
    weft_bench_record r = record_of("a", 1, 1);
    weft_baseline_put(b, &r);
    CHECK_EQ(weft_baseline_write(b, in_folder("stays.json")), WEFT_OK);
    const size_t n = file_get(in_folder("stays.json"), old, sizeof old);
    for (int i = 0; i < 50; i++) {
        r = record_of("b", i + 1, 1);
        weft_baseline_put(b, &r);
    }
    struct rlimit limit, small;
    getrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);
    small = limit;
    small.rlim_cur = 700; /* the disk is full after so many bytes */
    setrlimit(RLIMIT_FSIZE, &small);
    const weft_err e = weft_baseline_write(b, in_folder("stays.json"));
    setrlimit(RLIMIT_FSIZE, &limit);
    CHECK_EQ(e, WEFT_FILE);
    CHECK_EQ(file_get(in_folder("stays.json"), now, sizeof now), n);
    CHECK_MEM(now, old, n);
    CHECK_EQ(folder_count("stays"), 1); /* and nothing beside it */
    CHECK_EQ(weft_baseline_write(b, in_folder("stays.json")), WEFT_OK);
    CHECK(file_get(in_folder("stays.json"), now, sizeof now) > n);
    weft_baseline_free(b);
}

static weft_err all_of_it(weft_ctx *c, const char *from, const char *to) {
    weft_baseline *b = weft_baseline_open(c, from);
    if (!b) return weft_error_code(c);
    weft_err e = WEFT_OK;
    for (int i = 0; i < 40 && e == WEFT_OK; i++) {
        const weft_bench_record r = record_of("more", i + 1, 1);
        const size_t before = weft_baseline_count(b);
        e = weft_baseline_put(b, &r);
        CHECK_EQ(weft_baseline_count(b), before + (e == WEFT_OK));
    }
    if (e == WEFT_OK) e = weft_baseline_write(b, to);
    weft_baseline_free(b);
    return e;
}

TEST(every_allocation_fails) {
    char text[64] = "";
    weft_bench_record r = record_of("gemm", 2, 12.5);
    weft_baseline *b = weft_baseline_new(world());
    weft_baseline_put(b, &r);
    CHECK_EQ(weft_baseline_write(b, in_folder("source.json")), WEFT_OK);
    weft_baseline_free(b);
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        CASE(for_ever ? "and all after it" : "once");
        bool failed = true;
        long n = 1;
        for (; n < 1000 && failed; n++) {
            heap k = {.for_ever = for_ever};
            weft_ctx *c = heap_open(&k);
            file_put(in_folder("target.json"), "as it was", 9);
            k.fail_at = k.made + n;
            const weft_err e = all_of_it(c, in_folder("source.json"), in_folder("target.json"));
            failed = k.failed;
            k.fail_at = 0;
            if (e == WEFT_OK) { /* done without what it did not get, or nothing failed */
                b = weft_baseline_open(c, in_folder("target.json"));
                CHECK_EQ(weft_baseline_count(b), 41);
                weft_baseline_free(b);
            } else {
                CHECK_EQ(e, WEFT_MEMORY);
                CHECK_EQ(weft_error_code(c), WEFT_MEMORY);
                CHECK_EQ(file_get(in_folder("target.json"), text, sizeof text), 9);
                CHECK_MEM(text, "as it was", 9);
            }
            weft_close(c);
            CHECK_EQ(k.live, 0);
        }
        CHECK(n > 3 && n < 1000);
    }
}

/* ---- now and then ---- */

TEST(slowdowns) {
    const weft_bench_record then = {.name = "a",
                                    .threads = 1,
                                    .samples = 5,
                                    .median_us = 100,
                                    .low_us = 99,
                                    .high_us = 101,
                                    .relative = 2};
    static const struct {
        const char *what;
        double relative, spread, ping, then_ping, limit; /* spread: half a width, of the median */
        bool slower, alike;
    } rows[] = {
        {"the same", 2, 0.01, 0, 0, 0.2, false, true},
        {"faster", 1, 0.01, 0, 0, 0.2, false, true},
        {"a little slower", 2.38, 0.01, 0, 0, 0.2, false, true},
        {"just the limit", 2.5, 0.01, 0, 0, 0.25, false, true},
        {"slower", 2.42, 0.01, 0, 0, 0.2, true, true},
        {"slower than 5 %", 2.2, 0.01, 0, 0, 0.05, true, true},
        {"slower, but who knows", 2.42, 0.25, 0, 0, 0.2, false, true},
        {"beyond what is unsure", 2.6, 0.25, 0, 0, 0.2, true, true},
        {"any slowdown, but unsure", 2.02, 0.02, 0, 0, 0, false, true},
        {"any slowdown", 2.1, 0.02, 0, 0, 0, true, true},
        {"like pings", 3, 0.01, 1.9, 1, 0.2, true, true},
        {"threads far apart", 3, 0.01, 2.1, 1, 0.2, false, false},
        {"threads closer now", 3, 0.01, 1, 2.1, 0.2, false, false},
        {"ping known once", 3, 0.01, 5, 0, 0.2, true, true},
        {"ping known once, then", 3, 0.01, 0, 5, 0.2, true, true},
        {"no limit is a number", 3, 0.01, 0, 0, NAN, false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CASE("%s", rows[i].what);
        weft_bench_record was = then, now = then;
        now.relative = rows[i].relative;
        now.low_us = now.median_us * (1 - rows[i].spread);
        now.high_us = now.median_us * (1 + rows[i].spread);
        now.ping_us = rows[i].ping, was.ping_us = rows[i].then_ping;
        const weft_slowdown s = weft_bench_slowdown(&now, &was, rows[i].limit);
        CHECK_NEAR(s.ratio, rows[i].relative / 2, 1e-12);
        CHECK_EQ(s.slower, rows[i].slower);
        CHECK_EQ(s.alike, rows[i].alike);
    }
    CASE("nothing to compare");
    weft_bench_record unknown = then, strange = then;
    unknown.relative = 0, strange.relative = NAN;
    const weft_bench_record *const pairs[][2] = {{&unknown, &then}, {&then, &unknown},
                                                 {&strange, &then}, {&then, &strange},
                                                 {NULL, &then},     {&then, NULL}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const weft_slowdown s = weft_bench_slowdown(pairs[i][0], pairs[i][1], 0.1);
        CHECK(isnan(s.ratio) && !s.slower && s.alike);
    }
}
