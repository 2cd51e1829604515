/* 17_streams.c - watching a stream: a day of a server's load with a season, in which three things go
 * wrong. One detector knows the season, one looks for changes, and both are put away at noon and
 * continued by another detector. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft/stream.h>

enum { HOUR = 60, DAY = 24 * HOUR, DAYS = 8, POINTS = DAYS * DAY, NOON = 7 * DAY + 12 * HOUR };
enum { SPIKE = 7 * DAY + 9 * HOUR, DIP = 7 * DAY + 15 * HOUR, LEAK = 7 * DAY + 18 * HOUR };

static double uniform(void) { /* 0 to 1, the same in every run */
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static double load_at(int minute) {
    const double noise = uniform() + uniform() + uniform() + uniform() - 2;
    double load = 50 - 30 * cos(minute * 6.283185307179586 / DAY) + 2 * noise;
    if (minute == SPIKE) load += 18; /* high, but lower than an evening */
    if (minute == DIP) load -= 15;
    if (minute >= LEAK) load += 6;               /* something takes more than before */
    return minute == 3 * DAY + 100 ? NAN : load; /* a gap is no trouble */
}

/* Another detector continues from it. */
static weft_detector *handed_over(weft_ctx *c, weft_detector *d) {
    const size_t bytes = weft_detector_bytes(d);
    void *snapshot = malloc(bytes);
    if (!snapshot || weft_detector_save(d, snapshot, bytes) != WEFT_OK) return NULL;
    weft_detector_free(d);
    d = weft_detector_restore(c, snapshot, bytes, "snapshot");
    printf("%02d:%02d  %zu bytes know what the last week was like\n", NOON % DAY / HOUR, 0, bytes);
    free(snapshot);
    return d;
}

int main(void) {
    weft_ctx *c = weft_open("cpu");
    weft_detector *season = weft_detector_new(
        c, &(weft_detector_desc){.kind = WEFT_DETECT_HOLT_WINTERS, .period = DAY, .threshold = 6});
    weft_detector *change = weft_detector_new(
        c, &(weft_detector_desc){.kind = WEFT_DETECT_CUSUM, .warm = 3 * DAY, .threshold = 40});
    if (!c || !season || !change) return printf("%s\n", weft_error(c)), 1;

    int outliers = 0, changes = 0;
    for (int minute = 0; minute < POINTS; minute++) {
        const double load = load_at(minute);
        weft_point p, q;
        weft_detector_feed(season, &load, 1, &p);
        /* what is left when the season is taken away has a mean that should not change */
        const double rest = load - p.expected;
        weft_detector_feed(change, &rest, 1, &q);
        const int h = minute % DAY / HOUR, m = minute % HOUR;
        if (p.label == WEFT_LABEL_OUTLIER && ++outliers)
            printf("%02d:%02d  load %.0f, about %.0f was expected: %.1f deviations\n", h, m, load,
                   p.expected, p.score);
        if (q.label == WEFT_LABEL_CHANGE && ++changes)
            printf("%02d:%02d  something changed at %02d:%02d\n", h, m, (int)(q.since % DAY / HOUR),
                   (int)(q.since % HOUR));
        if (minute == NOON && !(season = handed_over(c, season))) return 1;
    }
    weft_detector_free(season);
    weft_detector_free(change);
    weft_close(c);
    return outliers >= 2 && changes >= 1 ? 0 : 1;
}
