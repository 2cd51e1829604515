/* bench_world.h - what the tests of kept figures share: records, and files with a field that was
 * changed, left out or put in. */
#ifndef WEFT_TEST_BENCH_WORLD_H
#define WEFT_TEST_BENCH_WORLD_H

#include "io_world.h"
#include "weft/bench.h"

#include <math.h>

static inline weft_bench_record record_of(const char *name, int threads, double us) {
    weft_bench_record r = {.threads = threads,
                           .samples = 31,
                           .median_us = us,
                           .low_us = 0.99 * us,
                           .high_us = 1.02 * us,
                           .relative = us / 97.3,
                           .ping_us = threads > 1 ? 1.5 : 0,
                           .when = 1.8e9};
    snprintf(r.name, sizeof r.name, "%s", name);
    return r;
}

/* Field by field: what lies between them is not compared, nor what stands behind a name. */
static inline bool same_record(const weft_bench_record *a, const weft_bench_record *b) {
    return strcmp(a->name, b->name) == 0 && a->threads == b->threads && a->samples == b->samples &&
           memcmp(&a->median_us, &b->median_us, sizeof(double)) == 0 &&
           memcmp(&a->low_us, &b->low_us, sizeof(double)) == 0 &&
           memcmp(&a->high_us, &b->high_us, sizeof(double)) == 0 &&
           memcmp(&a->relative, &b->relative, sizeof(double)) == 0 &&
           memcmp(&a->ping_us, &b->ping_us, sizeof(double)) == 0 &&
           memcmp(&a->when, &b->when, sizeof(double)) == 0;
}

static inline double to_digits(double v) { /* as far as files keep it */
    char text[40];
    snprintf(text, sizeof text, "%.12g", v);
    return strtod(text, NULL);
}
static inline weft_bench_record as_kept(weft_bench_record r) {
    r.median_us = to_digits(r.median_us), r.low_us = to_digits(r.low_us);
    r.high_us = to_digits(r.high_us), r.relative = to_digits(r.relative);
    r.ping_us = to_digits(r.ping_us), r.when = to_digits(r.when);
    return r;
}

/* A record as JSON, its fields in a table so that one can be another. */
#define RECORD_ROWS(X)                                                                             \
    X(name, "\"gemm\"")                                                                            \
    X(threads, "2")                                                                                \
    X(samples, "31")                                                                               \
    X(median_us, "12.5")                                                                           \
    X(low_us, "12.25")                                                                             \
    X(high_us, "13")                                                                               \
    X(relative, "0.125")                                                                           \
    X(ping_us, "1.5")                                                                              \
    X(when, "1.8e9")

/* field NULL: none is changed; value NULL: it is left out. */
static inline const char *record_json(const char *field, const char *value) {
    static char text[2][6000];
    static int at;
    char *const out = text[at = !at];
    size_t n = (size_t)snprintf(out, sizeof text[0], "{");
#define X(name, usual)                                                                             \
    {                                                                                              \
        const bool other = field && strcmp(field, #name) == 0;                                     \
        if (!other || value)                                                                       \
            n += (size_t)snprintf(out + n, sizeof text[0] - n, "%s\"" #name "\": %s",              \
                                  n > 1 ? ", " : "", other ? value : usual);                       \
    }
    RECORD_ROWS(X)
#undef X
    snprintf(out + n, sizeof text[0] - n, "}");
    return out;
}

/* Values that no field takes, or none but those named: what a reader must refuse. */
static const char *const record_bad_number[] = {
    NULL, "null", "true", "\"1\"", "[1]", "{}", "-1", "-0.5", "1e400", "-1e400",
};
static const char *const record_bad_whole[] = {"0", "1.5", "1000001", "1e18", "0.999"};
static const char *const record_number_fields[] = {"threads",  "samples", "median_us", "low_us",
                                                   "high_us", "relative", "ping_us",   "when"};

#endif
