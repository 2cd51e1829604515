/* train_parts.h - what the files of the training loop share. Only src/train includes this. */
#ifndef WEFT_TRAIN_PARTS_H
#define WEFT_TRAIN_PARTS_H

#include "base/error.h"
#include "base/path.h"
#include "base/snapshot.h"
#include <weft/train.h>

/* ---- metrics.c ---- */

/* That none was lost. */
weft_err metrics_check(weft_ctx *c, const char *who, const weft_metrics *m);

/* ---- train.c and guard.c ---- */

typedef struct train {
    weft_ctx *c;
    weft_state *s;
    const weft_train_desc *d;
    weft_train_result *r;
    weft_plan *plan;   /* NULL when the step is a function */
    weft_journal *log; /* NULL without a run */
    weft_run_lock *lock; /* of the run, unless the caller has it */
    weft_progress *progress;
    char checkpoint[PATH_MOST], note[256]; /* note: what the resume had to say */

    int64_t step;   /* steps made */
    double seconds; /* spent on them */
    weft_metrics m; /* of the last step */
    int64_t log_every, evaluate_every;
    int64_t logged, evaluated; /* steps made at the last line, at the last evaluation */
    double logged_seconds, loss_sum;
    weft_metrics shown, evaluation; /* the last line and the last evaluation */
    weft_metrics live;              /* what the progress line shows */
    double live_loss, live_steps;   /* a mean over about so many steps */
    double best;                    /* value of the followed metric; nan: none yet */
    double waiting;                 /* evaluations since */
    double saved;                   /* when the last checkpoint was written */

    weft_run_status status; /* "" in state: not started */
    int statm;              /* the system's word on this process's memory; below 0: there is none */

    weft_detector *outlier_detector; /* NULL: the loss is not checked */
    int64_t outliers;

    weft_profile *profile; /* of the first steps; NULL: over, or the caller's is used */
    int64_t profile_at;    /* steps made when it is written down */

    bool guarded;
    snapshot snapshot, before; /* before: of the step that is repeated */
    int64_t snapshot_step; /* steps done when `snapshot` was taken */
    double snapshot_at, snapshot_cost;
} train;

weft_plan *train_compile(const weft_train_desc *d, bool watch);
weft_err train_one(train *t, weft_plan *p, int64_t step, weft_metrics *m);

weft_err train_guard_start(train *t);
weft_err train_guard_keep(train *t);    /* after a line of the log */
weft_err train_guard_explain(train *t); /* WEFT_DIVERGED, and r->text */
void train_guard_end(train *t);

/* ---- notice.c: outliers of the loss ---- */

weft_err train_notice_start(train *t);
weft_err train_notice_loss(train *t, double loss); /* of a step that is made */
weft_err train_notice_save(const train *t, weft_archive *to);
weft_err train_notice_resume(train *t, weft_archive *from);

/* ---- status.c: what the run says of itself ---- */

#define STATUS_NAME "status.json"
#define KERNELS_NAME "kernels.json" /* written by whoever profiles the run */
weft_err train_status_start(train *t);
weft_err train_status_end(train *t, weft_err e); /* e: how it went; gives it back, or a new error */
double train_resident(const train *t);           /* bytes of the process in memory; nan: unknown */

/* ---- profiling.c: where the time goes ---- */

weft_err train_profile_start(train *t);
weft_err train_profile_step(train *t);          /* after each step */
/* e: how it went; gives it back, or a new error */
weft_err train_profile_end(train *t, weft_err e);

/* ---- interrupt.c: Ctrl-C, while a loop asks for it ---- */

void train_interrupt_catch(void); /* a second Ctrl-C ends the program at once */
void train_interrupt_release(void);
bool train_interrupted(void);

#endif
