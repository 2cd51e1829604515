/* test_stream_bad.c - snapshots that are not what they should be. */
#include "stream_world.h"

#include "base/crc.h"
#include "weft/io.h"

#include <stdio.h>

static char *snapshot(weft_detector_desc desc, size_t *bytes) {
    weft_detector *const d = stream_made(desc);
    double x[300];
    for (int i = 0; i < 300; i++) x[i] = noise();
    weft_detector_feed(d, x, 300 / (desc.dims ? (size_t)desc.dims : 1), NULL);
    *bytes = weft_detector_bytes(d);
    char *const s = malloc(*bytes);
    CHECK_EQ(weft_detector_save(d, s, *bytes), WEFT_OK);
    weft_detector_free(d);
    return s;
}

static void seal(char *s, size_t n) { /* a checksum that fits whatever was changed */
    const uint32_t crc = crc_32c(0, s, n - 4);
    for (int i = 0; i < 4; i++) s[n - 4 + (size_t)i] = (char)(crc >> 8 * i);
}

static void refused(const char *s, size_t n, weft_err code, const char *says) {
    weft_detector *const d = weft_detector_restore(stream_ctx(), s, n, "file");
    if (!CHECK(d == NULL)) weft_detector_free(d);
    CHECK_EQ(weft_error_code(stream_ctx()), code);
    CHECK_HAS(weft_error(stream_ctx()), "file: offset");
    CHECK_HAS(weft_error(stream_ctx()), says);
}

static void put(char *s, size_t at, const void *value, size_t n) {
    memcpy(s + at, value, n);
}

/* Where things lie; see detector_save.c. */
enum { VERSION = 16, DIMS = 20, KIND = 24, LENGTH = 48, FIELDS = 56 };
#define X(name, whole, about) +8
enum { COUNT = FIELDS WEFT_DETECTOR_FIELDS(X) };
#undef X

TEST(heads_that_lie) {
    size_t n;
    char *s = snapshot((weft_detector_desc){.kind = WEFT_DETECT_ZSCORE}, &n), *const whole = s;
    char *const t = malloc(n + 8);
    const double nothing = NAN, one = 1, half = 2.5, huge = 1e6, negative = -1, large = -1e150;
    const uint32_t seven = 7, none = 0;
    const uint64_t longer = n + 1;
#define CHANGED(at, value, code, says)                                                             \
    memcpy(t, whole, n), put(t, at, &(value), sizeof(value)), seal(t, n);                          \
    refused(t, n, code, says)
    CHANGED(0, seven, WEFT_FORMAT, "not a snapshot of a detector");
    CHANGED(VERSION, seven, WEFT_UNSUPPORTED, "version: 7, 2 or less was expected");
    CHANGED(DIMS, none, WEFT_FORMAT, "values of a point: 0");
    CHANGED(DIMS, seven, WEFT_FORMAT, "7 values");
    CHANGED(KIND, seven, WEFT_FORMAT, "kind: no such detector");
    CHANGED(LENGTH, longer, WEFT_FORMAT, "the file has");
    CHANGED(FIELDS, nothing, WEFT_FORMAT, "window: a finite number expected");
    CHANGED(FIELDS, one, WEFT_FORMAT, "window 1; expected 2 to");
    CHANGED(FIELDS, half, WEFT_FORMAT, "whole number");
    CHANGED(FIELDS, huge, WEFT_FORMAT, "cannot hold");
    CHANGED(FIELDS + 7 * 8, half, WEFT_FORMAT, "has no period");
    CHANGED(COUNT, negative, WEFT_FORMAT, "points fed");
    CHANGED(COUNT + 8, longer, WEFT_FORMAT, "place");
    CHANGED(COUNT + 16, longer, WEFT_FORMAT, "full");
    CHANGED(COUNT + 24, half, WEFT_FORMAT, "new points");
    CHANGED(COUNT + 48, negative, WEFT_FORMAT, "new points");
    CHANGED(COUNT + 56, nothing, WEFT_FORMAT, "values: a finite number");
    CHANGED(COUNT + 56, large, WEFT_FORMAT, "values: a value no larger than 1e120");
#undef CHANGED
    const double another = 101;
    memcpy(t, whole, n), put(t, FIELDS, &another, 8), seal(t, n);
    refused(t, n, WEFT_FORMAT, "bytes, the file has");
    const double fewer = 99;
    memcpy(t, whole, n), put(t, FIELDS, &fewer, 8), seal(t, n);
    CHECK(weft_detector_restore(stream_ctx(), t, n, "file") == NULL);
    refused(NULL, 0, WEFT_FORMAT, "magic");
    free(t), free(s);
}

TEST(cut_and_flipped) {
    for (int k = 0; k < WEFT_DETECTOR_COUNT; k++) {
        CASE("%s", weft_detector_name((weft_detector_kind)k));
        size_t n;
        char *const s = snapshot((weft_detector_desc){.kind = (weft_detector_kind)k,
                                                      .window = k == WEFT_DETECT_TREES ? 20 : 0,
                                                      .trees = k == WEFT_DETECT_TREES ? 2 : 0},
                                 &n);
        for (size_t i = 0; i < n; i += 1 + n / 500) {
            char *const cut = malloc(i + 1); /* exact, for the sanitizer */
            memcpy(cut, s, i);
            refused(cut, i, WEFT_FORMAT, "");
            free(cut);
        }
        for (size_t i = 0; i < n * 8; i += 1 + n / 60) { /* one bit each: the checksum knows */
            s[i / 8] ^= (char)(1 << i % 8);
            weft_detector *const d = weft_detector_restore(stream_ctx(), s, n, "file");
            if (!CHECK(d == NULL)) weft_detector_free(d);
            s[i / 8] ^= (char)(1 << i % 8);
        }
        /* with a checksum that fits, it is refused or it works */
        double x[200];
        weft_point p[200];
        for (int i = 0; i < 200; i++) x[i] = noise();
        int taken = 0;
        for (int i = 0; i < 3000; i++) {
            char *const t = malloc(n);
            memcpy(t, s, n);
            for (unsigned m = 1 + test_random() % 3; m; m--)
                t[FIELDS + test_random() % (n - FIELDS)] = (char)test_random();
            seal(t, n);
            weft_detector *const d = weft_detector_restore(stream_ctx(), t, n, "file");
            if (d) {
                taken++;
                weft_detector_feed(d, x, 200, p);
                weft_detector_free(d);
            }
            free(t);
        }
        CHECK(taken > 0 && taken < 3000);
        free(s);
    }
}

TEST(saving_asks_for_the_right_room) {
    weft_detector *const d = stream_made((weft_detector_desc){.kind = WEFT_DETECT_EWMA});
    char s[1000];
    CHECK_EQ(weft_detector_save(d, s, 7), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(stream_ctx()), "got 7");
    CHECK_EQ(weft_detector_save(d, NULL, 7), WEFT_ARGUMENT);
    CHECK_EQ(weft_detector_save(NULL, s, 7), WEFT_ARGUMENT);
    weft_detector_free(d);
}

/* Snapshots of version 1, whose means were single doubles, go on as if nothing had been. */
TEST(snapshots_of_version_1) {
    static const weft_detector_desc cases[] = {
        {.kind = WEFT_DETECT_ZSCORE, .window = 20},
        {.kind = WEFT_DETECT_EWMA},
        {.kind = WEFT_DETECT_CUSUM},
        {.kind = WEFT_DETECT_PAGE_HINKLEY},
        {.kind = WEFT_DETECT_ADWIN},
        {.kind = WEFT_DETECT_HOLT_WINTERS, .period = 4},
    };
    double x[800];
    for (int i = 0; i < 800; i++) x[i] = 1e6 + i * 7919 % 1000 / 1024.0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char path[64];
        CASE("%s", weft_detector_name(cases[k].kind));
        snprintf(path, sizeof path, "tests/golden/stream/%s.v1", weft_detector_name(cases[k].kind));
        size_t n = 0;
        FILE *const file = fopen(path, "rb");
        char *const bytes = malloc(1 << 17);
        if (CHECK(file != NULL)) n = fread(bytes, 1, 1 << 17, file), fclose(file);
        weft_detector *const old = weft_detector_restore(stream_ctx(), bytes, n, path),
                             *const new = stream_made(cases[k]);
        weft_detector_feed(new, x, 500, NULL);
        if (!CHECK(old != NULL)) CHECK_STR(weft_error(stream_ctx()), "");
        for (int i = 500; old && i < 800; i++) {
            weft_point a, b;
            weft_detector_feed(old, &x[i], 1, &a);
            weft_detector_feed(new, &x[i], 1, &b);
            CHECK_NEAR(a.score, b.score, cases[k].kind == WEFT_DETECT_PAGE_HINKLEY ? 0.5 : 1e-6);
            CHECK_NEAR(a.expected, b.expected, 1e-6);
        }
        weft_detector_free(old);
        weft_detector_free(new);
        free(bytes);
    }
}

/* Numbers put in place of others, under a checksum that fits: what is taken back all the same keeps
 * the promises of stream.h. */
TEST(forged_numbers) {
    static const double forged[] = {0,      -1,    1,      0.5,    1e9,   1e100,
                                    -1e120, 1e308, -1e308, 5e-324, 0x1p53};
    static const int64_t whole[] = {0, 1, -1, 7, INT32_MAX, INT64_MAX / 2, INT64_MIN};
    const int reals = sizeof forged / sizeof *forged, all = reals + sizeof whole / sizeof *whole;
    double x[120];
    weft_point p[120];
    for (int i = 0; i < 120; i++)
        x[i] = i % 40 == 39 ? 1e100 : i % 40 == 19 ? -1e100 : i % 9 == 8 ? (double)NAN : i % 5;
    for (int k = 0; k < STREAM_CASES; k++) {
        size_t n;
        char *const s = snapshot(stream_cases[k], &n), *const t = malloc(n);
        const size_t dims = stream_cases[k].dims ? (size_t)stream_cases[k].dims : 1;
        int taken = 0;
        CASE("%s, row %d", weft_detector_name(stream_cases[k].kind), k);
        /* all places of a small state, some of a large one */
        const size_t step = n < 1000 ? 8 : n / 100 / 4 * 4;
        for (size_t at = COUNT; at + 8 <= n - 4; at += step)
            for (int f = 0; f < all; f++) {
                memcpy(t, s, n);
                put(t, at, f < reals ? (const void *)&forged[f] : (const void *)&whole[f - reals],
                    8);
                seal(t, n);
                weft_detector *const d = weft_detector_restore(stream_ctx(), t, n, "file");
                if (!d) continue;
                taken++;
                weft_detector_feed(d, x, 120 / dims, p);
                for (size_t i = 0; i < 120 / dims; i++)
                    if (!CHECK(isfinite(p[i].score) && p[i].score <= 1e9 &&
                               !isinf(p[i].expected))) {
                        printf("    forged %d at %zu, point %zu: %g, %g expected\n", f, at, i,
                               p[i].score, p[i].expected);
                        break;
                    }
                weft_detector_free(d);
            }
        CHECK(taken > 0);
        free(s), free(t);
    }
}
