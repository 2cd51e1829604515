/* test_text.c - the string builder: what each way of adding leaves, in memory that grows, that is
 * borrowed, and that runs out. */
#include "heap.h"
#include "test.h"

#include "base/text.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static mem plain_mem(heap *h) {
    return (mem){.resize = heap_resize, .user = h};
}

/* One of everything. */
static void all_ways(text *t) {
    text_raw(t, "a\0b", 3);
    text_put(t, "<put>");
    text_add(t, " %d-%s ", 7, "seven");
    text_escape(t, "\x1b[2J");
    text_quote(t, "say \"\n\"");
    text_html(t, "<&\"'>\x1b\n");
    text_number(t, 0.1f);
    text_put(t, " ");
    text_number(t, 1e15);
    text_put(t, " ");
    text_number(t, NAN);
    text_put(t, " ");
    text_digits(t, 2.0 / 3, 4);
    text_put(t, " ");
    text_digits(t, INFINITY, 4);
    text_put(t, " ");
    text_fixed(t, -1.005, 1);
    text_little(t, 0x1234, 3);
}

static const char all[] = "a\0b<put> 7-seven \\x1b[2J\"say \\\"\\n\\\"\""
                          "&lt;&amp;&quot;&#39;&gt;\xef\xbf\xbd\n"
                          "0.1 1e+15 null 0.6667 null -1.0\x34\x12\0";

TEST(every_way_of_adding) {
    heap h = {0};
    mem m = plain_mem(&h);
    text t = {.m = &m};
    CHECK(!t.s);
    for (int round = 1; round < 40; round++) { /* long enough to grow several times */
        all_ways(&t);
        CHECK(!t.failed);
        if (!CHECK_EQ(t.n, round * (sizeof all - 1))) return;
        CHECK_MEM(t.s + t.n - (sizeof all - 1), all, sizeof all);
    }
    text_clear(&t);
    CHECK_STR(t.s, "");
    CHECK_EQ(t.n, 0);
    text_put(&t, "again");
    CHECK_STR(t.s, "again");
    text_free(&t);
    CHECK(!t.s && t.m == &m);
    CHECK_EQ(h.live, 0);
}

TEST(out_of_memory_sticks) {
    for (long n = 1;; n++) {
        CASE("allocation %ld", n);
        heap h = {.fail_at = n};
        mem m = plain_mem(&h);
        text t = {.m = &m};
        size_t kept = 0;
        for (int round = 0; round < 40; round++) {
            all_ways(&t);
            if (t.failed && !kept) kept = t.n + 1;
            if (t.failed) CHECK_EQ(t.n + 1, kept); /* nothing more, not even what would fit */
        }
        CHECK_EQ(t.failed, h.failed);
        text_free(&t);
        CHECK_EQ(h.live, 0);
        if (!h.failed) break;
    }
}

TEST(borrowed_memory_does_not_grow) {
    char place[8];
    text t = {.s = place, .cap = sizeof place};
    text_clear(&t);
    text_add(&t, "%s", "1234567"); /* the last byte is the 0's */
    CHECK(!t.failed);
    CHECK_STR(place, "1234567");
    text_put(&t, "8");
    CHECK(t.failed);
    CHECK_STR(place, "1234567");
}

TEST(shapes) {
    char s[64];
    const int64_t dim[] = {8, 0, INT64_MAX};
    CHECK_STR(shape_text(s, sizeof s, 0, NULL), "[]");
    CHECK_STR(shape_text(s, sizeof s, 1, dim), "[8]");
    CHECK_STR(shape_text(s, sizeof s, 3, dim), "[8,0,9223372036854775807]");
    CHECK_STR(shape_text(s, 6, 3, dim), "[8,0,"); /* what fits, and a 0 */
}

TEST(numbers_read_back) {
    heap h = {0};
    mem m = plain_mem(&h);
    text t = {.m = &m};
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        double v;
        memcpy(&v, &seed, sizeof v);
        if (i % 2) v = (float)v;
        if (!isfinite(v)) continue;
        text_clear(&t);
        text_number(&t, v);
        const double back = strtod(t.s, NULL);
        if (!(i % 2 ? (float)back == (float)v : back == v)) CHECK_STR(t.s, "the number");
    }
    text_free(&t);
}
