/* profile.h - where the time and the memory of a context go: kernel by kernel, thread by thread.
 *
 *     weft_profile *p = weft_profile_open(c, NULL);     before or after plans are compiled
 *     ... weft_compile, weft_run ...
 *     weft_profile_write_trace(p, "trace.json");        for ui.perfetto.dev or chrome://tracing
 *     weft_profile_rows rows;
 *     weft_profile_by(p, WEFT_PROFILE_ALL, WEFT_BY_KERNEL, &rows);   dearest first
 *     weft_profile_close(p);
 *
 * Every plan of the context is timed, whoever runs it. Sums are kept of all timed runs, single
 * events of the first runs and of ever fewer later ones, in memory that was taken when the profile
 * was opened: a run allocates nothing, gives the same bits, and takes a few per cent longer.
 *
 * Results are asked for while no plan of the context runs. docs/profile.md explains the figures. */
#ifndef WEFT_PROFILE_H
#define WEFT_PROFILE_H

#include "weft.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_profile weft_profile;

typedef struct weft_profile_desc {
    int     events;     /* kept at most, for the trace; 0: 100 000 */
    bool    no_events;  /* sums alone, no trace */
    int64_t skip;       /* runs of each plan that are not timed at first */
    int64_t runs;       /* that are timed after those; 0: all */
} weft_profile_desc;

WEFT_API weft_profile *weft_profile_open(weft_ctx *c, const weft_profile_desc *d);
    /* d may be NULL; a context has one profile at a time; NULL: weft_error(c) */
WEFT_API void weft_profile_close(weft_profile *p);
    /* stops and frees; before weft_close; NULL is fine */
WEFT_API void weft_profile_stop (weft_profile *p);   /* times no more; what there is stays */
WEFT_API weft_err weft_profile_roof(weft_profile *p);
    /* measures, in about half a second, what a core can do: rows asked for later have of_roof */

/* ---- the trace ----------------------------------------------------------------------------- */

enum { WEFT_TRACE_BYTES = 50 * 1000 * 1000 };  /* a trace is never longer */
WEFT_API weft_err weft_profile_write_trace(weft_profile *p, const char *path);
    /* the events as JSON, the whole file or the old one stays. A lane for each thread, a slice for
       each kernel, wait, run and phase, counters for memory; "metadata" says what is not there */

/* ---- sums ------------------------------------------------------------------------------------ */

/* Where the memory of a plan's arena goes: one of the tensors that lie there at its fullest. */
typedef struct weft_profile_tensor {
    const char *name, *scope, *shape;  /* of what makes it */
    size_t bytes;
} weft_profile_tensor;

typedef struct weft_profile_plan {
    const char *name;             /* of its description, or "plan 3" */
    int     threads;              /* that a run may use */
    int64_t runs, timed, kept;    /* made, timed, and in the trace */
    double  us;                   /* of the timed runs, from begin to end */
    double  thread_us;            /* the same, times the threads that took part */
    double  busy_us, wait_us;     /* of those: in kernels, and at barriers before them */
    weft_stats stats;
    const size_t *live;           /* bytes in use in the arena at each of stats.kernels steps */
    size_t  peak_bytes;           /* the most of them, */
    size_t  peak_step;            /* and when: the first such step */
    const weft_profile_tensor *tensors;  /* that lie there then, the largest first */
    size_t  tensor_count;
} weft_profile_plan;
WEFT_API size_t weft_profile_plans(const weft_profile *p);  /* plans there are, or were and ran */
WEFT_API bool   weft_profile_plan_at(const weft_profile *p, size_t i, weft_profile_plan *out);
    /* in order of making; false: there are not so many. Valid until plans are made or freed */
WEFT_API int    weft_profile_busiest(const weft_profile *p);  /* the plan most time went to; -1 */

typedef enum weft_profile_way { WEFT_BY_KERNEL, WEFT_BY_SCOPE } weft_profile_way;
enum { WEFT_PROFILE_ALL = -1 };

/* Steps of equal name, scope and shape; or all steps of a scope. */
typedef struct weft_profile_row {
    const char *name, *scope, *shape;  /* by scope: name and shape are "" */
    int64_t calls;         /* in the timed runs */
    double  us;            /* of these calls, all threads together */
    double  share;         /* of all threads' time in the timed runs, waiting included */
    double  flops, bytes;  /* of these calls, estimated */
    double  gflops, gbs;   /* a second, of one thread */
    double  of_roof;       /* of what a core could at best do, 0 to 1; nan: not measured */
} weft_profile_row;
typedef struct weft_profile_rows { const weft_profile_row *at; size_t n; } weft_profile_rows;
WEFT_API weft_err weft_profile_by(weft_profile *p, int plan, weft_profile_way way,
        weft_profile_rows *out);
    /* of one plan, or of WEFT_PROFILE_ALL; the dearest first. Valid until the next call */

typedef struct weft_profile_facts {
    uint64_t allocations, allocated;   /* of the context since the opening: calls and bytes */
    uint64_t run_allocations;          /* of those, within timed runs: none are expected */
    uint64_t events, dropped;          /* kept, and for which there was no room */
    uint64_t plans_dropped;            /* plans beyond those that are remembered */
    double   seconds;                  /* since the opening, or until weft_profile_stop */
    double   peak_gflops;              /* of a core, measured by weft_profile_roof; 0: not yet */
    double   peak_gbs;                 /* to and from memory beyond the caches */
} weft_profile_facts;
WEFT_API weft_profile_facts weft_profile_facts_of(const weft_profile *p);

WEFT_API char *weft_profile_json(weft_profile *p, int plan);
    /* one plan's rows and memory as a JSON object, what a run's kernels.json holds; -1: an empty
       one; free with weft_text_free; NULL: weft_error */

#ifdef __cplusplus
}
#endif
#endif
