/* profile.h - the inside of a profile, for src/profile alone. */
#ifndef WEFT_PROFILE_PARTS_H
#define WEFT_PROFILE_PARTS_H

#include <weft/profile.h>

#include <pthread.h>
#include <stdatomic.h>

enum {
    PROFILE_EVENTS = 100000, /* unless the description says otherwise */
    PROFILE_PLANS = 512,     /* remembered at most; the freed ones that never ran are forgotten */
    PROFILE_NAMES = 128,     /* of phases */
    PROFILE_NAME = 48,       /* bytes of one */
    PROFILE_CALLERS = 64,    /* threads that run plans or tell of phases */
    PROFILE_OTHERS = 1000,   /* lane of the second caller; workers have their number */
    PROFILE_LEVELS = 4,      /* footprints at which bandwidth is measured */
};

typedef enum profile_kind {
    EVENT_KERNEL, /* what: a step of a plan                     */
    EVENT_WAIT,   /* for the others, before step `what`         */
    EVENT_RUN,    /* of a plan, its `what`-th                   */
    EVENT_PHASE,  /* what: a name                               */
    EVENT_MEMORY, /* allocations so far, and bytes asked for    */
    EVENT_ARENA   /* bytes of all arenas                        */
} profile_kind;

typedef struct profile_event {
    int64_t start, end;    /* nanoseconds since the opening      */
    uint64_t count, bytes; /* of memory and arenas               */
    uint32_t plan, what;
    float part; /* of the step, this thread's         */
    uint16_t lane;
    uint8_t kind;
    bool first; /* of a plan's first kept run: the arena is shown */
} profile_event;

/* When to keep one of many alike: all while there is room, then each that comes a sixteenth
 * later than the one before. */
typedef struct profile_due {
    int64_t seen, next;
} profile_due;

typedef struct profile_step {
    const char *name, *scope, *shape;
    double flops, bytes;
    double busy, wait; /* seconds of all threads in the timed runs */
} profile_step;

/* A plan as the profile remembers it, also when it is gone; all texts are its own. */
typedef struct profile_plan {
    weft_profile *profile;
    uint32_t number;
    char name[64];
    weft_profile_plan facts; /* live, peak, tensors, stats; the sums are made from those below */
    profile_step *step;
    weft_span *span; /* of the run that goes on: [threads][kernels] */
    profile_due due;
    bool keep;            /* this run's events */
    uint64_t allocations; /* when the run began */
    double wall, thread_time;
    char *texts; /* names, scopes and shapes */
} profile_plan;

struct weft_profile {
    weft_ctx *c;
    weft_profile_desc d;
    double opened, stopped;                /* weft_clock; stopped 0: it goes on */
    uint64_t allocations[2], allocated[2]; /* at the opening, and when stopped */

    profile_plan **plan;
    size_t plans, plan_room;
    uint64_t plans_dropped;
    uint32_t plans_made;

    profile_event *event; /* [room] */
    size_t room;
    _Atomic size_t events; /* taken */
    _Atomic uint64_t dropped, run_allocations;
    _Atomic uint64_t told_allocations; /* in the last event of that kind */
    _Atomic uintptr_t caller[PROFILE_CALLERS];

    pthread_mutex_t lock; /* names, arenas */
    char name[PROFILE_NAMES][PROFILE_NAME];
    profile_due name_due[PROFILE_NAMES];
    int names;
    uint64_t arena_bytes;

    double gflops, gbs[PROFILE_LEVELS]; /* of one core; 0: not measured */
    weft_profile_row *row;              /* what weft_profile_by gave last */
};

extern const size_t profile_footprint[PROFILE_LEVELS];

/* ---- remember.c: what is remembered of a plan ---- */

weft_err profile_plan_made(void *user, const weft_plan *p, void **tag);
void profile_plan_freed(void *user, void *tag);
void profile_plan_free(profile_plan *r);

/* ---- spans.c: threads, and what they did ---- */

void profile_arenas(weft_profile *p,
                    int64_t more); /* bytes of all arenas have become more or less */
weft_span *profile_begins(void *user, void *tag);
void profile_ends(void *user, void *tag, int threads, double start, double end);
void profile_phase(void *user, const char *name, double start, double end);

#endif
