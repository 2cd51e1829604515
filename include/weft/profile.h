/* profile.h - time and memory of a context, by kernel and by thread.
 *
 *     weft_profile *p = weft_profile_open(c, NULL);     before or after compiling plans
 *     ... weft_compile, weft_run ...
 *     weft_profile_write_trace(p, "trace.json");        for ui.perfetto.dev or chrome://tracing
 *     weft_profile_rows rows;
 *     weft_profile_by(p, WEFT_PROFILE_ALL, WEFT_BY_KERNEL, &rows);   most expensive first
 *     weft_profile_close(p);
 *
 * All plans of the context are profiled. Totals cover every timed run, events the first runs and a
 * thinning sample of later ones, in memory allocated when the profile is opened: a run allocates
 * nothing, gives the same bits, and takes a few per cent longer.
 *
 * Read results while no plan of the context runs. docs/profile.md explains the figures. */
#ifndef WEFT_PROFILE_H
#define WEFT_PROFILE_H

#include "weft.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_profile weft_profile;

typedef struct weft_profile_desc {
    int     events;     /* most events kept for the trace; 0: 100,000 */
    bool    no_events;  /* totals only, no trace */
    int64_t skip;       /* runs of each plan before timing starts */
    int64_t runs;       /* runs timed after those; 0: all */
} weft_profile_desc;

WEFT_API weft_profile *weft_profile_open(weft_ctx *c, const weft_profile_desc *d);
    /* d may be NULL; a context has one profile at a time; NULL: weft_error(c) */
WEFT_API void weft_profile_close(weft_profile *p);
    /* stops and frees; before weft_close; NULL is fine */
WEFT_API void weft_profile_stop (weft_profile *p);   /* stops timing; results stay */
WEFT_API weft_err weft_profile_measure_peaks(weft_profile *p);
    /* measures the peak performance of a core, in about half a second: of_roof is known afterwards */

/* ---- the trace ----------------------------------------------------------------------------- */

enum { WEFT_TRACE_BYTES = 50 * 1000 * 1000 };  /* a trace is never longer */
WEFT_API weft_err weft_profile_write_trace(weft_profile *p, const char *path);
    /* the events as JSON, replacing the file atomically: a track for each thread, a slice for each
       kernel, wait, run and phase, counters for memory; "metadata" says what was left out */

/* ---- totals ---------------------------------------------------------------------------------- */

/* A tensor in a plan's arena at its peak. */
typedef struct weft_profile_tensor {
    const char *name, *scope, *shape;  /* of the step that computes it */
    size_t bytes;
} weft_profile_tensor;

typedef struct weft_profile_plan {
    const char *name;             /* from weft_plan_desc, or "plan 3" */
    int     threads;              /* threads of the plan */
    int64_t runs, timed, kept;    /* all runs, those timed, those in the trace */
    double  us;                   /* elapsed time of the timed runs */
    double  thread_us;            /* elapsed time times the threads that took part */
    double  busy_us, wait_us;     /* of that: in kernels, and waiting at barriers */
    weft_stats stats;
    const size_t *live;           /* bytes in use in the arena at each of stats.kernels steps */
    size_t  peak_bytes;           /* its maximum, */
    size_t  peak_step;            /* and the first step that reaches it */
    const weft_profile_tensor *tensors;  /* live at that step, largest first */
    size_t  tensor_count;
} weft_profile_plan;
WEFT_API size_t weft_profile_plans(const weft_profile *p);  /* all plans, and freed ones that ran */
WEFT_API bool   weft_profile_plan_at(const weft_profile *p, size_t i, weft_profile_plan *out);
    /* in order of compilation; false: i is out of range. Valid until plans are compiled or freed */
WEFT_API int    weft_profile_busiest(const weft_profile *p);  /* the plan that took most time; -1: none */

typedef enum weft_profile_way { WEFT_BY_KERNEL, WEFT_BY_SCOPE } weft_profile_way;
enum { WEFT_PROFILE_ALL = -1 };

/* All steps of equal name, scope and shape; or all steps of a scope. */
typedef struct weft_profile_row {
    const char *name, *scope, *shape;  /* by scope: name and shape are "" */
    int64_t calls;         /* in timed runs */
    double  us;            /* of these calls, summed over threads */
    double  share;         /* of the time of all threads in timed runs, waiting included */
    double  flops, bytes;  /* of these calls, estimated */
    double  gflops, gbs;   /* per thread: 1e9 FLOP/s and bytes/s */
    double  of_roof;       /* share of the roofline, 0 to 1; nan: peaks not measured */
} weft_profile_row;
typedef struct weft_profile_rows { const weft_profile_row *at; size_t n; } weft_profile_rows;
WEFT_API weft_err weft_profile_by(weft_profile *p, int plan, weft_profile_way way,
        weft_profile_rows *out);
    /* of one plan, or of WEFT_PROFILE_ALL; most expensive first. Valid until the next call */

typedef struct weft_profile_facts {
    uint64_t allocations, allocated;   /* of the context since the profile was opened: calls and bytes */
    uint64_t run_allocations;          /* of those, in timed runs: 0 is expected */
    uint64_t events, dropped;          /* kept, and dropped for lack of space */
    uint64_t plans_dropped;            /* plans beyond the most that are recorded */
    double   seconds;                  /* from opening until now or weft_profile_stop */
    double   peak_gflops;              /* of a core, from weft_profile_measure_peaks; 0: not measured */
    double   peak_gbs;                 /* memory bandwidth beyond the caches */
} weft_profile_facts;
WEFT_API weft_profile_facts weft_profile_facts_of(const weft_profile *p);

WEFT_API char *weft_profile_json(weft_profile *p, int plan);
    /* rows and memory of a plan as a JSON object, the content of kernels.json; -1: an empty object;
       free with weft_text_free; NULL: weft_error */

#ifdef __cplusplus
}
#endif
#endif
