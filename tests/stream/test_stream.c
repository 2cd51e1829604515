/* test_stream.c - what holds for every detector: the table, refusals, missing points, arrays as
 * single points, snapshots after every point, large offsets, constant memory, running out of it. */
#include "heap.h"
#include "stream_world.h"

enum { SHORT = 400 };

TEST(the_table_is_whole) {
    for (int k = 0; k < WEFT_DETECTOR_COUNT; k++) {
        const char *const name = weft_detector_name((weft_detector_kind)k);
        CASE("%s", name);
        CHECK_EQ(weft_detector_find(name), k);
        CHECK(strlen(weft_detector_about((weft_detector_kind)k)) > 10);
        weft_detector *const d = stream_made((weft_detector_desc){.kind = (weft_detector_kind)k});
        weft_detector_desc settled = weft_detector_settings(d);
        CHECK_EQ(settled.dims, 1);
        weft_detector_field f;
        int fields = 0;
        for (; weft_detector_field_at((weft_detector_kind)k, fields, &f); fields++) {
            double value;
            memcpy(&value, (char *)&settled + f.offset, sizeof value);
            CHECK_EQ(value, f.otherwise);
            CHECK(f.otherwise >= f.low && f.otherwise <= f.high && f.low < f.high);
            CHECK(strlen(f.about) > 4);
            CHECK(!f.whole || (f.low == floor(f.low) && f.otherwise == floor(f.otherwise)));
        }
        CHECK(fields >= 2);
        weft_detector_free(d);
    }
    CHECK(weft_detector_name(WEFT_DETECTOR_COUNT) == NULL);
    CHECK(weft_detector_about((weft_detector_kind)-1) == NULL);
    CHECK_EQ(weft_detector_find("zscor"), -1);
    CHECK_EQ(weft_detector_find(NULL), -1);
    CHECK_STR(weft_label_name(WEFT_LABEL_CHANGE), "change");
    CHECK(weft_label_name(WEFT_LABEL_COUNT) == NULL);
}

TEST(what_cannot_be_is_refused) {
    static const struct {
        weft_detector_desc d;
        const char *says;
    } bad[] = {
        {{.kind = (weft_detector_kind)99}, "unknown kind 99"},
        {{.kind = WEFT_DETECT_ZSCORE, .dims = 2}, "2 values"},
        {{.kind = WEFT_DETECT_TREES, .dims = 5000}, "5000 values"},
        {{.kind = WEFT_DETECT_TREES, .dims = -1}, "-1 values"},
        {{.kind = WEFT_DETECT_ZSCORE, .window = 1}, "window 1; expected 2 to"},
        {{.kind = WEFT_DETECT_ZSCORE, .window = 2e9}, "window 2e+09"},
        {{.kind = WEFT_DETECT_ZSCORE, .window = 10.5}, "whole number"},
        {{.kind = WEFT_DETECT_ZSCORE, .threshold = NAN}, "threshold nan"},
        {{.kind = WEFT_DETECT_ZSCORE, .period = 3}, "zscore has no period"},
        {{.kind = WEFT_DETECT_CUSUM, .window = 3}, "cusum has no window"},
        {{.kind = WEFT_DETECT_EWMA, .rate = 1.5}, "rate 1.5"},
        {{.kind = WEFT_DETECT_TREES, .low = 3, .high = 2}, "from 3 to 2 is empty"},
        {{.kind = WEFT_DETECT_TREES, .low = 3, .high = 3}, "from 3 to 3 is empty"},
        {{.kind = WEFT_DETECT_TREES, .depth = 16}, "depth 16"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CASE("%s", bad[i].says);
        CHECK(weft_detector_new(stream_ctx(), &bad[i].d) == NULL);
        CHECK_EQ(weft_error_code(stream_ctx()), WEFT_ARGUMENT);
        CHECK_HAS(weft_error(stream_ctx()), bad[i].says);
    }
    CHECK(weft_detector_new(stream_ctx(), NULL) == NULL);
    CHECK_EQ(weft_detector_feed(NULL, NULL, 0, NULL), WEFT_ARGUMENT);
    weft_detector_free(NULL);
}

/* One at a time, in arrays of odd lengths, and without looking: the same bits. */
TEST(arrays_are_single_points) {
    enum { N = 3000 };
    for (int k = 0; k < STREAM_CASES; k++) {
        const weft_detector_desc desc = stream_cases[k];
        const size_t dims = desc.dims ? (size_t)desc.dims : 1;
        CASE("%s, row %d", weft_detector_name(desc.kind), k);
        double *const x = malloc(N * dims * sizeof *x);
        weft_point *const one = malloc(N * sizeof *one), *const many = malloc(N * sizeof *many);
        stream_fill(x, N, (int)dims);
        weft_detector *const a = stream_made(desc), *const b = stream_made(desc),
                             *const c = stream_made(desc);
        for (size_t i = 0; i < N; i++) weft_detector_feed(a, x + i * dims, 1, one + i);
        for (size_t i = 0, n; i < N; i += n) {
            n = 1 + test_random() % 300;
            if (n > N - i) n = N - i;
            weft_detector_feed(b, x + i * dims, n, many + i);
        }
        weft_detector_feed(c, x, N, NULL);
        size_t differ = 0;
        for (size_t i = 0; i < N; i++) differ += !same_point(&one[i], &many[i]);
        CHECK_EQ(differ, 0);
        CHECK_EQ(weft_detector_count(a), N);
        const size_t bytes = weft_detector_bytes(a);
        char *const sa = malloc(bytes), *const sb = malloc(bytes), *const sc = malloc(bytes);
        weft_detector_save(a, sa, bytes);
        weft_detector_save(b, sb, bytes);
        weft_detector_save(c, sc, bytes);
        CHECK_MEM(sb, sa, bytes);
        CHECK_MEM(sc, sa, bytes);
        for (size_t i = 0; i < N; i++)
            if (!isfinite(one[i].score) || one[i].score > 1e9 ||
                one[i].score < (desc.kind == WEFT_DETECT_TREES ? -16 : 0))
                CHECK_EQ(one[i].score, 0);
        free(sa), free(sb), free(sc), free(x), free(one), free(many);
        weft_detector_free(a), weft_detector_free(b), weft_detector_free(c);
    }
}

/* After every point: saved, restored, saved again; and the restored one goes on with the bits of
 * the first. */
TEST(snapshots_go_on_bit_for_bit) {
    for (int k = 0; k < STREAM_CASES; k++) {
        const weft_detector_desc desc = stream_cases[k];
        const size_t dims = desc.dims ? (size_t)desc.dims : 1;
        CASE("%s, row %d", weft_detector_name(desc.kind), k);
        const bool large = desc.depth > 10;
        const size_t n = large ? 120 : SHORT, ahead = 60;
        double *const x = malloc((n + ahead) * dims * sizeof *x);
        stream_fill(x, n + ahead, (int)dims);
        weft_detector *const d = stream_made(desc);
        const size_t bytes = weft_detector_bytes(d);
        char *const first = malloc(bytes), *const again = malloc(bytes);
        weft_point *const truth = malloc((n + ahead) * sizeof *truth);
        weft_detector *const whole = stream_made(desc);
        weft_detector_feed(whole, x, n + ahead, truth);
        size_t differ = 0, changed = 0;
        for (size_t i = 0; i < n; i++) {
            weft_point p;
            weft_detector_feed(d, x + i * dims, 1, &p);
            CHECK_EQ(weft_detector_save(d, first, bytes), WEFT_OK);
            weft_detector *const r = weft_detector_restore(stream_ctx(), first, bytes, "s");
            if (!r) {
                CHECK_STR(weft_error(stream_ctx()), "");
                break;
            }
            changed += weft_detector_save(r, again, bytes) || memcmp(first, again, bytes) != 0;
            weft_point next[60];
            weft_detector_feed(r, x + (i + 1) * dims, ahead, next);
            for (size_t j = 0; j < ahead; j++) differ += !same_point(&next[j], &truth[i + 1 + j]);
            weft_detector_free(r);
        }
        CHECK_EQ(differ, 0);
        CHECK_EQ(changed, 0);
        weft_detector_free(d), weft_detector_free(whole);
        free(first), free(again), free(x), free(truth);
    }
}

/* A point that is missing has that label, and the others are as if it had not come. */
TEST(missing_points_teach_nothing) {
    enum { N = 1200 };
    const double gaps[] = {NAN, INFINITY, -INFINITY, 1.1e100, -1e300};
    for (int k = 0; k < WEFT_DETECTOR_COUNT; k++) {
        CASE("%s", weft_detector_name((weft_detector_kind)k));
        const weft_detector_desc desc = {.kind = (weft_detector_kind)k};
        weft_detector *const a = stream_made(desc), *const b = stream_made(desc);
        size_t wrong = 0, differ = 0, missing = 0;
        for (int i = 0; i < N; i++) {
            const double x = noise() + (i > 800 ? 5 : 0);
            weft_point p, q;
            if (i % 7 == 3) {
                weft_detector_feed(a, &gaps[i % 5], 1, &q);
                missing++;
                wrong += q.label != WEFT_LABEL_MISSING || q.score != 0 || q.since != -1;
            }
            weft_detector_feed(a, &x, 1, &p);
            weft_detector_feed(b, &x, 1, &q);
            /* places differ by the gaps; a season goes on through them */
            differ += k != WEFT_DETECT_HOLT_WINTERS && (p.score != q.score || p.label != q.label);
        }
        CHECK_EQ(wrong, 0);
        CHECK_EQ(differ, 0);
        CHECK_EQ(weft_detector_count(a), N + missing);
        weft_detector_free(a), weft_detector_free(b);
    }
}

/* A constant stream is never odd; the first value that differs is. */
TEST(constant_streams) {
    for (int k = 0; k < WEFT_DETECTOR_COUNT; k++) {
        CASE("%s", weft_detector_name((weft_detector_kind)k));
        weft_detector *const d = stream_made((weft_detector_desc){.kind = (weft_detector_kind)k});
        weft_point p = {0};
        const double constant = 1e9 / 3, other = 5;
        for (int i = 0; i < 5000; i++) {
            weft_detector_feed(d, &constant, 1, &p);
            if (p.label != WEFT_LABEL_NORMAL && p.label != WEFT_LABEL_WARMUP)
                CHECK_STR(weft_label_name(p.label), "normal");
        }
        CHECK_EQ(p.label, WEFT_LABEL_NORMAL);
        bool found = false;
        for (int i = 0; i < 40; i++) { /* those that look for changes take a while */
            weft_detector_feed(d, &other, 1, &p);
            found = found || p.label >= WEFT_LABEL_OUTLIER;
        }
        CHECK(found);
        weft_detector_free(d);
    }
}

/* Large offsets and long streams: labels are those of the stream without its offset. */
TEST(a_large_offset_costs_nothing) {
    const int n = test_sanitized() ? 200000 : 2000000;
    for (int k = 0; k < WEFT_DETECTOR_COUNT; k++) {
        if (k == WEFT_DETECT_TREES) continue; /* its cells move with the range */
        CASE("%s", weft_detector_name((weft_detector_kind)k));
        const weft_detector_desc desc = {.kind = (weft_detector_kind)k};
        weft_detector *const near = stream_made(desc), *const far = stream_made(desc);
        const int many = k == WEFT_DETECT_ADWIN || k == WEFT_DETECT_ROBUST ? n / 4 : n;
        double worst = 0;
        int differ = 0, odd = 0;
        for (int i = 0; i < many; i++) {
            /* steps of 2^-20 are exact beside 1e9 */
            const double x = round((noise() + (i % 5000 == 4000 ? 12 : 0)) * 0x1p20) * 0x1p-20,
                         y = x + 1e9;
            weft_point p, q;
            weft_detector_feed(near, &x, 1, &p);
            weft_detector_feed(far, &y, 1, &q);
            worst = fmax(worst, fabs(p.score - q.score) / (1 + p.score));
            odd += p.label >= WEFT_LABEL_OUTLIER;
            differ += p.label != q.label;
        }
        CHECK(worst < 1e-9);
        CHECK(differ <= 2); /* a score may lie on the threshold itself */
        CHECK(odd > 0 || k == WEFT_DETECT_CUSUM || k == WEFT_DETECT_PAGE_HINKLEY ||
              k == WEFT_DETECT_ADWIN);
        weft_detector_free(near), weft_detector_free(far);
    }
}

static weft_err scenario(weft_ctx *c, int k, unsigned *sum) {
    const weft_detector_desc desc = stream_cases[k];
    weft_detector *const d = weft_detector_new(c, &desc);
    weft_detector *r = NULL;
    double x[90];
    weft_point p[10];
    for (int i = 0; i < 90; i++) x[i] = i % 17;
    weft_err e = d ? weft_detector_feed(d, x, 10, p) : weft_error_code(c);
    const size_t bytes = d ? weft_detector_bytes(d) : 0;
    char *const s = malloc(bytes + 1);
    if (!e) e = weft_detector_save(d, s, bytes);
    if (!e && !(r = weft_detector_restore(c, s, bytes, "s"))) e = weft_error_code(c);
    for (size_t i = 0; !e && i < bytes; i++) *sum += (unsigned char)s[i];
    weft_detector_free(d), weft_detector_free(r);
    free(s);
    return e;
}

TEST(out_of_memory) {
    for (int k = 0; k < STREAM_CASES; k++) {
        CASE("%s, row %d", weft_detector_name(stream_cases[k].kind), k);
        heap h = {0};
        weft_ctx *const c = weft_open_with(
            &(weft_open_desc){.device = "null", .threads = 1, .resize = heap_resize, .user = &h});
        unsigned truth = 0;
        const long before = h.made;
        CHECK_EQ(scenario(c, k, &truth), WEFT_OK);
        const long made = h.made - before, live = h.live;
        CHECK(made >= 4);
        for (long n = 1; n <= made; n++)
            for (int for_ever = 0; for_ever < 2; for_ever++) {
                unsigned sum = 0;
                h = (heap){.made = 0, .live = h.live, .fail_at = n, .for_ever = for_ever};
                CHECK_EQ(scenario(c, k, &sum), WEFT_MEMORY);
                CHECK(h.failed);
                CHECK_EQ(h.live, live);
            }
        h.fail_at = 0;
        h.made = 0;
        weft_detector *const d = weft_detector_new(c, &stream_cases[k]);
        const long after = h.made;
        double x[900];
        for (int i = 0; i < 900; i++) x[i] = noise();
        weft_detector_feed(d, x, 900 / (stream_cases[k].dims ? (size_t)stream_cases[k].dims : 1),
                           NULL);
        CHECK_EQ(h.made, after); /* feeding takes none */
        weft_detector_free(d);
        weft_close(c);
        CHECK_EQ(h.live, 0);
    }
}
