/* bench.h - benchmarks on a shared machine: how long calls take, and whether they became slower.
 *
 *     weft_timing t;
 *     weft_bench_time(NULL, &(weft_bench_call){ step, plan }, 1, &t);
 *     printf("%.1f us, between %.1f and %.1f\n", t.median_us, t.low_us, t.high_us);
 *
 * A sample is as many calls as fill a few milliseconds, so that reading the clock costs nothing.
 * Before and after each sample a short constant loop runs, the calibration: if its two times differ,
 * or the thread was preempted, the sample was disturbed and is discarded. The fastest samples divided
 * by the fastest calibration are the relative time, a number without a unit, which depends far less
 * on clock frequency and other load than microseconds do: baselines store it.
 *
 * docs/measure.md says how `weft bench` uses this, and the error rate of its regression gate. */
#ifndef WEFT_BENCH_H
#define WEFT_BENCH_H

#include "weft.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- timing ---------------------------------------------------------------------------------- */

typedef struct weft_bench_call {
    void (*call)(void *user);
    void  *user;
} weft_bench_call;

enum { WEFT_BENCH_SAMPLES = 127, WEFT_BENCH_RIVALS = 4 };

typedef struct weft_bench_desc {
    double sample;     /* minimum seconds of a sample; 0: 0.004 */
    double budget;     /* total seconds, unless least needs more; 0: 1 */
    int    least;      /* minimum number of samples; 0: 5 */
    double slower;     /* slows each sample down by this share, to test a gate */
    bool (*turn)(void *user, double us);
                       /* called before each sample with the time of the last one (of the first rival;
                          -1: none yet), until it returns false or there are WEFT_BENCH_SAMPLES: to
                          alternate with another program. NULL: as many as the budget allows */
    void  *user;
} weft_bench_desc;

/* Microseconds of one call, over the samples that were not disturbed. */
typedef struct weft_timing {
    double  mean_us, median_us, min_us, max_us, p95_us;
    double  low_us, high_us;  /* 95 % bootstrap confidence interval of the median */
    double  relative;         /* fastest sample / fastest calibration; 0: unknown */
    int     samples;          /* used */
    int     disturbed;        /* discarded */
    int64_t calls;            /* per sample */
    double  us[WEFT_BENCH_SAMPLES];  /* of the samples used, in order */
} weft_timing;

WEFT_API weft_err weft_bench_time(const weft_bench_desc *d, const weft_bench_call *rivals, int n,
        weft_timing *out);
    /* one timing for each rival, sampled alternately, A B A B; d may be NULL */
WEFT_API weft_err weft_bench_summary(const double *us, size_t n, weft_timing *out);
    /* the same figures for given times, at most WEFT_BENCH_SAMPLES */
WEFT_API double weft_bench_median(double *values, size_t n);  /* sorts the values; n 0: nan */

/* ---- peak performance of the machine ----------------------------------------------------------- */

WEFT_API double weft_bench_calibration(void);
    /* microseconds of one calibration loop: about 100 */
WEFT_API double weft_peak_gflops(const char *isa);
    /* of one core, multiply-add with the vectors of weft_device_isa; 0: unknown */
WEFT_API double weft_peak_copy_gbs(const char *isa, size_t footprint);
    /* one core, copying half of this many bytes to the other half */
WEFT_API double weft_peak_scale_gbs(const char *isa, size_t footprint);
    /* one core, scaling this many bytes in place */
WEFT_API double weft_peak_read_gbs(const char *isa, size_t footprint);
    /* one core, reading this many bytes */

/* Identifies a kind of machine. The key is a hash of the other fields: it survives a reboot, and is
   the same for equal machines. */
typedef struct weft_machine {
    char cpu[96];    /* "AMD EPYC 7763", from the system */
    int  cores;      /* of the system, also those this process may not use */
    char isa[16];    /* as weft_device_isa */
    char key[17];
} weft_machine;
WEFT_API void weft_machine_of(const weft_ctx *c, weft_machine *out);

/* ---- is it slower? --------------------------------------------------------------------------- */

typedef struct weft_ratio {
    double ratio;      /* of a to b: above 1, a is slower */
    double low, high;  /* 95 % confidence interval */
    size_t pairs;      /* used */
} weft_ratio;
WEFT_API weft_ratio weft_bench_ratio(const double *a, const double *b, size_t rounds, size_t pairs);
    /* from the fastest 5 % of times measured alternately, [rounds][pairs]; times of one round are
       correlated, as in one process. Pairs that are not finite and positive are ignored; nan if none
       is left, or out of memory. With one round there is no interval: low and high are the ratio */

/* ---- baselines ------------------------------------------------------------------------------- */

typedef struct weft_bench_record {
    char   name[96];      /* "gemm NN 32x64x4" */
    int    threads;
    int    samples;
    double median_us, low_us, high_us;
    double relative;      /* as in weft_timing */
    double ping_us;       /* as weft_device_ping with that many threads; 0: one thread */
    double when;          /* seconds since 1970 */
} weft_bench_record;

/* A JSON file: a machine, and a record for each name and number of threads. */
typedef struct weft_baseline weft_baseline;
WEFT_API weft_baseline *weft_baseline_new (weft_ctx *c);  /* empty, for this machine */
WEFT_API weft_baseline *weft_baseline_open(weft_ctx *c, const char *path);
    /* NULL: weft_error(c) */
WEFT_API void           weft_baseline_free(weft_baseline *b);  /* NULL is fine */
WEFT_API const weft_machine *weft_baseline_machine(const weft_baseline *b);
    /* the machine it was measured on */
WEFT_API size_t   weft_baseline_count(const weft_baseline *b);
WEFT_API weft_err weft_baseline_put  (weft_baseline *b, const weft_bench_record *r);
    /* replaces the record of the same name and threads, if there is one */
WEFT_API bool     weft_baseline_at   (const weft_baseline *b, size_t i, weft_bench_record *out);
    /* false: i is out of range */
WEFT_API bool     weft_baseline_find (const weft_baseline *b, const char *name, int threads,
        weft_bench_record *out);
    /* false: not found */
WEFT_API weft_err weft_baseline_write(weft_baseline *b, const char *path);
    /* replaces the file atomically */

typedef struct weft_slowdown {
    double ratio;    /* of relative times, now / then */
    bool   slower;   /* above the limit, and not explained by both confidence intervals */
    bool   alike;    /* similar dispatch latency: otherwise not comparable */
} weft_slowdown;
WEFT_API weft_slowdown weft_bench_slowdown(const weft_bench_record *now,
        const weft_bench_record *then, double limit);
    /* limit: 0.2 allows 20 % more */

/* Records of one machine over time: FOLDER/KEY.jsonl, one per line, append-only. */
typedef struct weft_history weft_history;
WEFT_API weft_history *weft_history_open(weft_ctx *c, const char *folder, const weft_machine *m);
    /* reads the file; a missing file is empty; NULL: weft_error(c) */
WEFT_API void   weft_history_free(weft_history *h);     /* NULL is fine */
WEFT_API const char *weft_history_path(const weft_history *h);
WEFT_API size_t weft_history_count(const weft_history *h);
WEFT_API bool   weft_history_at(const weft_history *h, size_t i, weft_bench_record *out);
    /* oldest first; false: i is out of range */
WEFT_API size_t weft_history_malformed(const weft_history *h);
    /* malformed lines; they are left in the file */
WEFT_API weft_err weft_history_add(weft_history *h, const weft_bench_record *r);
    /* appends to the file */

/* The last record of a name compared with those before it, by the detectors of stream.h. */
typedef struct weft_history_view {
    size_t records;
    double typical;      /* median of the relative times before the last */
    double score;        /* of the last, in standard deviations */
    bool   outlier;      /* the last is an outlier */
    size_t changed;      /* records since the level last changed; 0: never */
} weft_history_view;
WEFT_API weft_err weft_history_look(const weft_history *h, const char *name, int threads,
        weft_history_view *out);

#ifdef __cplusplus
}
#endif
#endif
