/* test_stream_found.c - how much is found, and how often the alarm is false, on streams whose
 * anomalies are known, where the assumptions of each detector hold.
 *
 * Each must find 95 % at 1 % of false alarms, with the settings of the row; the rates are printed,
 * and docs/stream.md has them. Outliers: a point in a hundred, the alarm at that very point; false
 * alarms are a share of the other points. Changes: the stream steps every so often, and the alarm
 * must come within so many points. An alarm is false if it says that the change began further than
 * that from every step; false alarms are a share of the stretches between steps of 1000 points. */
#include "stream_world.h"

#include <stdio.h>

enum { POINTS = 300000, DIMS = 4 };

typedef struct stream {
    double x[DIMS];
    bool odd;
} stream;

typedef void make(int i, stream *s);

static void odd_or_not(int i, stream *s) {
    s->odd = i > 1500 && test_random() % 100 == 0;
}

/* Normal noise with spikes of 6 to 10 deviations, either way. */
static void spikes(int i, stream *s) {
    odd_or_not(i, s);
    s->x[0] =
        1e6 + 20 * (noise() + (s->odd ? (test_random() % 2 ? 1 : -1) * test_uniform(6, 10) : 0));
}

/* The same around a level that wanders. */
static void wandering(int i, stream *s) {
    static double level;
    spikes(i, s);
    level = i ? level + 0.02 * 20 * noise() : 0;
    s->x[0] += level;
}

/* Every eighth point comes from something else altogether, on one side: means and deviations are
 * useless. Those that count as odd are on the other side. */
static void contaminated(int i, stream *s) {
    odd_or_not(i, s);
    s->x[0] = 50 + noise();
    if (s->odd) s->x[0] -= test_uniform(7, 12);
    else if (i % 8 == 0) s->x[0] += 3.5;
}

/* A season of 24 with amplitude 10, a trend, noise of 1, and spikes of 6 to 10 that stay within the
 * range of the season. */
static void seasonal(int i, stream *s) {
    odd_or_not(i, s);
    const double season = 10 * sin(i * 6.283185307179586 / 24);
    s->x[0] = 100 + 0.001 * i + season + noise();
    if (s->odd) s->x[0] += (season > 0 ? -1 : 1) * test_uniform(6, 10);
}

/* Two clouds in four dimensions; odd points lie between and beside them, each value of a size that
 * is usual for it. */
static void clouds(int i, stream *s) {
    odd_or_not(i, s);
    const int which = (int)(test_random() % 2);
    for (int v = 0; v < DIMS; v++) {
        const bool high = s->odd ? (v + which) % 2 : which;
        s->x[v] = (high ? 10 : 0) + 0.7 * noise();
    }
}

static void report(const char *name, const char *stream, double found, double false_alarms) {
    printf("%-13s %-14s found %6.2f %%   false alarms %6.3f %%\n", name, stream, 100 * found,
           100 * false_alarms);
    CHECK(found >= 0.95);
    CHECK(false_alarms <= 0.01);
}

static void outliers(weft_detector_desc desc, const char *name, make *next) {
    weft_detector *const d = stream_made(desc);
    const int n = POINTS;
    double odd = 0, found = 0, usual = 0, alarms = 0;
    for (int i = 0; i < n; i++) {
        stream s;
        weft_point p;
        next(i, &s);
        weft_detector_feed(d, s.x, 1, &p);
        if (p.label == WEFT_LABEL_WARMUP) continue;
        const bool alarm = p.label == WEFT_LABEL_OUTLIER;
        *(s.odd ? &odd : &usual) += 1;
        *(s.odd ? &found : &alarms) += alarm;
    }
    CHECK(odd > n / 150);
    report(weft_detector_name(desc.kind), name, found / odd, alarms / usual);
    weft_detector_free(d);
}

/* A step every STRETCH points, to another level at least `least` deviations away. */
static void changes(weft_detector_desc desc, const char *name, int within, double least) {
    enum { STRETCH = 1000 };
    weft_detector *const d = stream_made(desc);
    const int n = POINTS;
    double level = 1e3, steps = 0, found = 0, alarms = 0, off = 0;
    bool seen = true, false_one = false;
    for (int i = 0; i < n; i++) {
        if (i % STRETCH == 0 && i) {
            level += (test_random() % 2 ? 1 : -1) * 5 * test_uniform(least, 2 * least);
            steps++;
            seen = false_one = false;
        }
        const double x = level + 5 * noise();
        weft_point p;
        weft_detector_feed(d, &x, 1, &p);
        if (p.label != WEFT_LABEL_CHANGE) continue;
        const int since = (int)(p.since % STRETCH),
                  from_step = since < STRETCH - since ? since : STRETCH - since;
        if (from_step > within && !false_one) false_one = true, alarms++;
        if (i % STRETCH >= within || seen) continue;
        seen = true;
        found++;
        off += from_step;
    }
    report(weft_detector_name(desc.kind), name, found / steps, alarms / steps);
    printf("%-13s where it began: off by %.1f points on average\n", "", off / found);
    CHECK(off / found < 10);
    weft_detector_free(d);
}

TEST(zscore) {
    outliers((weft_detector_desc){.kind = WEFT_DETECT_ZSCORE}, "spikes", spikes);
    outliers((weft_detector_desc){.kind = WEFT_DETECT_ZSCORE}, "wandering", wandering);
}

TEST(ewma) {
    outliers((weft_detector_desc){.kind = WEFT_DETECT_EWMA}, "spikes", spikes);
    outliers((weft_detector_desc){.kind = WEFT_DETECT_EWMA, .rate = 0.03}, "wandering", wandering);
}

TEST(robust) {
    outliers((weft_detector_desc){.kind = WEFT_DETECT_ROBUST}, "spikes", spikes);
    outliers((weft_detector_desc){.kind = WEFT_DETECT_ROBUST}, "contaminated", contaminated);
}

TEST(holt_winters) {
    outliers((weft_detector_desc){.kind = WEFT_DETECT_HOLT_WINTERS}, "seasonal", seasonal);
}

TEST(trees) {
    outliers((weft_detector_desc){.kind = WEFT_DETECT_TREES, .dims = DIMS, .rate = 0.018}, "clouds",
             clouds);
}

TEST(cusum) {
    changes((weft_detector_desc){.kind = WEFT_DETECT_CUSUM}, "steps", 60, 1.5);
}

TEST(page_hinkley) {
    changes((weft_detector_desc){.kind = WEFT_DETECT_PAGE_HINKLEY}, "steps", 100, 1.5);
}

TEST(adwin) {
    changes((weft_detector_desc){.kind = WEFT_DETECT_ADWIN}, "steps", 100, 1.5);
}

/* What the others are for: where its assumptions fail, a detector is worse than the right one. */
TEST(the_right_tool) {
    weft_detector *const z = stream_made((weft_detector_desc){.kind = WEFT_DETECT_ZSCORE}),
                         *const h =
                             stream_made((weft_detector_desc){.kind = WEFT_DETECT_HOLT_WINTERS});
    int by_z = 0, by_h = 0;
    for (int i = 0; i < 20000; i++) {
        stream s;
        weft_point p, q;
        seasonal(i, &s);
        weft_detector_feed(z, s.x, 1, &p);
        weft_detector_feed(h, s.x, 1, &q);
        by_z += s.odd && p.label == WEFT_LABEL_OUTLIER;
        by_h += s.odd && q.label == WEFT_LABEL_OUTLIER;
    }
    CHECK(by_h > 150 && by_z < by_h / 10);
    weft_detector_free(z), weft_detector_free(h);
}
