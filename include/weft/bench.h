/* bench.h - how long calls take on a machine that others use too, and whether they became slower.
 *
 *     weft_timing t;
 *     weft_bench_time(NULL, &(weft_bench_call){ step, plan }, 1, &t);
 *     printf("%.1f us, between %.1f and %.1f\n", t.median_us, t.low_us, t.high_us);
 *
 * A sample is enough calls to fill a few milliseconds, so that the clock costs nothing. Before and
 * after each a short loop runs that never changes, the calibration: where its two times differ, or
 * the thread was not running all the while, the sample was disturbed and is left out. The fastest
 * samples divided by the loop's fastest are a number without a unit, which a clock that changes its
 * rate and a neighbour on the core move far less than they move microseconds: baselines keep it.
 *
 * docs/measure.md says how `weft bench` uses all this, and how often its gate is wrong. */
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
    double sample;     /* seconds a sample takes at least; 0: 0.004 */
    double budget;     /* seconds in all, as far as least allows; 0: 1 */
    int    least;      /* samples at least; 0: 5 */
    double slower;     /* each sample is drawn out by this share: to test a gate with */
    bool (*turn)(void *user, double us);
                       /* called before each sample with what the last took (of the first rival; -1:
                          none yet), until it gives false or there are WEFT_BENCH_SAMPLES: for those
                          who measure two programs in turn. NULL: as many as the budget allows */
    void  *user;
} weft_bench_desc;

/* Microseconds of one call, over the samples that were not disturbed. */
typedef struct weft_timing {
    double  mean_us, median_us, min_us, max_us, p95_us;
    double  low_us, high_us;  /* the median lies between, at 95 %: a bootstrap */
    double  relative;         /* the fastest in times of the fastest calibration; 0: unknown */
    int     samples;          /* kept, */
    int     disturbed;        /* and left out */
    int64_t calls;            /* of a sample */
    double  us[WEFT_BENCH_SAMPLES];  /* those kept, in the order they were taken */
} weft_timing;

WEFT_API weft_err weft_bench_time(const weft_bench_desc *d, const weft_bench_call *rivals, int n,
        weft_timing *out);
    /* fills one timing for each rival, sampled in turn, A B A B; d may be NULL */
WEFT_API weft_err weft_bench_summary(const double *us, size_t n, weft_timing *out);
    /* the same figures of times taken elsewhere, at most WEFT_BENCH_SAMPLES of them */
WEFT_API double weft_bench_median(double *values, size_t n);  /* orders the values; nan of none */

/* ---- what the machine can do ----------------------------------------------------------------- */

WEFT_API double weft_bench_calibration(void);
    /* microseconds of the calibration loop, once: about 100 */
WEFT_API double weft_peak_gflops(const char *isa);
    /* multiply and add of one core, with the vectors that weft_device_isa names; 0: unknown */
WEFT_API double weft_peak_copy_gbs(const char *isa, size_t footprint);
    /* one core, one half of so much memory to the other */
WEFT_API double weft_peak_scale_gbs(const char *isa, size_t footprint);
    /* one core, so much memory in place */
WEFT_API double weft_peak_read_gbs(const char *isa, size_t footprint);
    /* one core, so much memory read and nothing written */

/* What figures of one machine have in common. The key is made of the other fields, so that it stays
   the same over a new start, and another machine of the kind has the same. */
typedef struct weft_machine {
    char cpu[96];    /* "AMD EPYC 7763", as the system names it */
    int  cores;      /* that the system has, whether we may use them or not */
    char isa[16];    /* as weft_device_isa */
    char key[17];
} weft_machine;
WEFT_API void weft_machine_of(const weft_ctx *c, weft_machine *out);

/* ---- is it slower? --------------------------------------------------------------------------- */

typedef struct weft_ratio {
    double ratio;      /* of a to b: above 1, a is slower */
    double low, high;  /* between which it lies, at 95 % */
    size_t pairs;      /* that were used */
} weft_ratio;
WEFT_API weft_ratio weft_bench_ratio(const double *a, const double *b, size_t rounds, size_t pairs);
    /* of the fastest twentieth of times taken in turn, [rounds][pairs]; a round is what shares its
       luck, as a process does. Pairs that are not finite and above 0 are left out; nan if none is
       left, or out of memory. One round tells no interval: low and high are its ratio */

/* ---- figures that are kept ------------------------------------------------------------------- */

typedef struct weft_bench_record {
    char   name[96];      /* "gemm NN 32x64x4" */
    int    threads;
    int    samples;
    double median_us, low_us, high_us;
    double relative;      /* as in weft_timing */
    double ping_us;       /* as weft_device_ping with that many threads; 0: one thread */
    double when;          /* seconds since 1970 */
} weft_bench_record;

/* A file of JSON: a machine, and a record for each name and number of threads. */
typedef struct weft_baseline weft_baseline;
WEFT_API weft_baseline *weft_baseline_new (weft_ctx *c);  /* empty, of this machine */
WEFT_API weft_baseline *weft_baseline_open(weft_ctx *c, const char *path);
    /* NULL: weft_error(c) */
WEFT_API void           weft_baseline_free(weft_baseline *b);  /* NULL is fine */
WEFT_API const weft_machine *weft_baseline_machine(const weft_baseline *b);
    /* where it was made */
WEFT_API size_t   weft_baseline_count(const weft_baseline *b);
WEFT_API weft_err weft_baseline_put  (weft_baseline *b, const weft_bench_record *r);
    /* in the place of the one with its name and threads, if there is one */
WEFT_API bool     weft_baseline_at   (const weft_baseline *b, size_t i, weft_bench_record *out);
    /* false: there are not so many */
WEFT_API bool     weft_baseline_find (const weft_baseline *b, const char *name, int threads,
        weft_bench_record *out);
    /* false: there is none */
WEFT_API weft_err weft_baseline_write(weft_baseline *b, const char *path);
    /* all of it or nothing */

typedef struct weft_slowdown {
    double ratio;    /* of relative times, now to then */
    bool   slower;   /* by more than the limit, and more than both intervals explain */
    bool   alike;    /* threads are as near to each other as they were: else it tells nothing */
} weft_slowdown;
WEFT_API weft_slowdown weft_bench_slowdown(const weft_bench_record *now,
        const weft_bench_record *then, double limit);
    /* limit: 0.2 allows a fifth more */

/* Records of one machine over time: FOLDER/KEY.jsonl, a line each, only ever added to. */
typedef struct weft_history weft_history;
WEFT_API weft_history *weft_history_open(weft_ctx *c, const char *folder, const weft_machine *m);
    /* reads what is there; a file that is not there is empty; NULL: weft_error(c) */
WEFT_API void   weft_history_free(weft_history *h);     /* NULL is fine */
WEFT_API const char *weft_history_path(const weft_history *h);
WEFT_API size_t weft_history_count(const weft_history *h);
WEFT_API bool   weft_history_at(const weft_history *h, size_t i, weft_bench_record *out);
    /* oldest first; false: there are not so many */
WEFT_API size_t weft_history_spoiled(const weft_history *h);
    /* lines that are no records; they stay where they are */
WEFT_API weft_err weft_history_add(weft_history *h, const weft_bench_record *r);
    /* to the end of the file, and in memory */

/* What the records of one name say of the last of them, by the detectors of stream.h. */
typedef struct weft_history_view {
    size_t records;
    double usual;        /* median of relative times before the last */
    double score;        /* how odd the last is, in deviations */
    bool   outlier;      /* the last is odd */
    size_t changed;      /* records since the level last changed; 0: never */
} weft_history_view;
WEFT_API weft_err weft_history_look(const weft_history *h, const char *name, int threads,
        weft_history_view *out);

#ifdef __cplusplus
}
#endif
#endif
