/* train.h - the training loop, and what it records.
 *
 *     weft_train(s, &(weft_train_desc){ .graph = g, .loss = loss, .inputs = weft_list(x, t),
 *                                       .update = weft_optimiser(s, loss, NULL), .loader = batches,
 *                                       .steps = 5000, .run = "runs/mine", .progress = stderr },
 *                &result);
 *
 * A run is a folder: config.json, status.json, kernels.json, metrics.jsonl, TensorBoard events,
 * checkpoints/ and report.html. A run that was stopped, by a limit, Ctrl-C or a kill, continues with
 * .resume and gives the same bits as one that was never stopped, on any number of threads.
 *
 * Nothing is printed unless .progress is a stream, and no signal is handled unless .interrupt is set.
 * The parts can be used separately: a journal for custom loops, a progress line, a report of any
 * folder. */
#ifndef WEFT_TRAIN_H
#define WEFT_TRAIN_H

#include "data.h"
#include "io.h"
#include "profile.h"
#include "stream.h"
#include "weft.h"

#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- metrics and their journal ----------------------------------------------------------- */

enum {
    WEFT_METRICS = 32,        /* most values of a line */
    WEFT_METRIC_NAME = 119,   /* most bytes of a name in a journal */
};

/* The metrics of one step: "train/loss" 0.31, "test/accuracy" 0.98. A name is group/name, as in
 * TensorBoard. The report has a plot for each group, with a curve for each name; for the groups train,
 * test, valid, validation, val, dev and eval it has a plot for each name, with a curve for each group.
 */
typedef struct weft_metrics {
    struct { const char *name; double value; } at[WEFT_METRICS];
    size_t n;
    const char *sample;  /* UTF-8: what the network writes, for progress and report; NULL: nothing.
                            Not copied */
    const char *lost;  /* the first metric for which there was no room, or NULL: lines with one are
                          an error */
} weft_metrics;
WEFT_API void   weft_metric(weft_metrics *m, const char *name, double value);
    /* adds a metric or changes its value; the name is not copied */
WEFT_API double weft_metric_of(const weft_metrics *m, const char *name);  /* nan: no such metric */

typedef struct weft_journal weft_journal;  /* writes the files of a run */

typedef struct weft_journal_desc {
    const char *run;     /* the folder; created with its parents */
    const char *config;  /* JSON object for config.json: how the run was made. NULL: {}, or, when
                            resuming, the existing one */
    const char *title;   /* of the report, stored in config.json; NULL: the folder's name */
    int64_t resume;      /* drop lines of later steps and append; 0: start over */
    bool    no_events;   /* no TensorBoard files */
} weft_journal_desc;
WEFT_API weft_journal *weft_journal_open(weft_ctx *c, const weft_journal_desc *d);
    /* NULL: weft_error(c) */
WEFT_API weft_err weft_journal_write(weft_journal *j, int64_t step, const weft_metrics *m);
    /* a line of metrics.jsonl, and events; values that are not finite become null. No metric may be
       called step, time, wall or sample, nor may one be lost. Lines are written whole or not at all */
WEFT_API weft_err weft_journal_flush(weft_journal *j);  /* to the disk */
WEFT_API weft_err weft_journal_close(weft_journal *j);  /* NULL is fine */

/* ---- monitoring a run that another process writes --------------------------------------------- */

/* status.json, which weft_train writes at its start and end. 0 and "": unknown. */
typedef struct weft_run_status {
    char    state[16];               /* running, finished, stopped (by .stop), interrupted,
                                        diverged, failed */
    char    text[400];               /* why it ended, as a message */
    char    host[80];                /* the host name, and ... */
    int64_t process;                 /* ... the process ID there */
    int64_t steps;                   /* limits; 0: none */
    double  seconds;
    int64_t resumed_at, log_every;   /* steps */
    int64_t batch;                   /* examples per step */
    int64_t state_bytes;             /* of all entries of the state */
    int64_t arena_bytes;             /* of the training plan */
    double  began, ended;            /* seconds since 1970 */
} weft_run_status;
WEFT_API weft_err weft_run_status_read(weft_ctx *c, const char *run, weft_run_status *out);
    /* WEFT_FILE: no such file */

/* A row of metrics.jsonl. */
typedef struct weft_follow_row {
    bool    has_row;                 /* false: no new row yet */
    bool    restarted;               /* the file was started over: discard earlier rows */
    int64_t step;
    double  time, wall;              /* nan: unknown */
    weft_metrics m;                  /* names are valid until the next call; what no journal writes,
                                        more metrics and longer names, is left out */
    int64_t skipped;                 /* malformed lines so far */
} weft_follow_row;
typedef struct weft_follow weft_follow;  /* reads rows as they are written */
WEFT_API weft_follow *weft_follow_open(weft_ctx *c, const char *run);
    /* the file may be created later, truncated or replaced; NULL: weft_error(c) */
WEFT_API weft_err weft_follow_next (weft_follow *f, weft_follow_row *row);
    /* the next complete row, if there is one; does not wait */
WEFT_API void     weft_follow_close(weft_follow *f);  /* NULL is fine */

/* kernels.json: the profile of a training step. nan, 0 and "": unknown; long texts are truncated. */
enum { WEFT_RUN_KERNELS = 1024, WEFT_RUN_SCOPES = 1024, WEFT_RUN_TENSORS = 32, WEFT_RUN_LIVE = 1024 };
typedef struct weft_run_kernel {
    char    name[64], scope[96], shape[64];
    int64_t calls;
    double  us, share;               /* per step, summed over threads; its share, 0 to 1 */
    double  gflops, gbs, of_roof;    /* per thread; of_roof: share of the roofline, 0 to 1 */
} weft_run_kernel;
typedef struct weft_run_scope  { char scope[96]; double us, share; } weft_run_scope;
typedef struct weft_run_tensor { char name[96]; int64_t bytes; } weft_run_tensor;
typedef struct weft_run_kernels {
    char    plan[64];
    int64_t threads, runs, arena_bytes, allocations;
    double  step_us, wait;                     /* wait: share of the threads' time spent at barriers */
    weft_run_kernel kernel[WEFT_RUN_KERNELS];  /* in file order */
    int     kernel_count;
    weft_run_scope scope[WEFT_RUN_SCOPES];
    int     scope_count;
    int64_t peak_bytes, peak_step;             /* peak memory of the arena, ... */
    weft_run_tensor tensor[WEFT_RUN_TENSORS];  /* ... and the tensors in it */
    int     tensor_count;
    int64_t live[WEFT_RUN_LIVE];               /* bytes in use in the arena, by kernel */
    int     live_count;
} weft_run_kernels;
WEFT_API weft_err weft_run_kernels_read(weft_ctx *c, const char *run, weft_run_kernels *out);
    /* WEFT_FILE: no such file */

/* ---- the report -------------------------------------------------------------------------- */

/* An image with a caption, for the samples of the report. */
typedef struct weft_picture {
    const float *pixels;             /* [height, width, channels] in [0, 1]; channels 1 or 3 */
    int height, width, channels;
    char caption[60];
    bool wrong;                      /* mark as misclassified */
} weft_picture;

/* A figure in a section of its own: the contents of an SVG, GIF or PNG file. */
typedef struct weft_figure {
    const char *title, *caption;     /* plain text; caption may be NULL */
    const void *bytes;
    size_t n;
} weft_figure;

typedef struct weft_report {
    const char *title;               /* NULL: from config.json, or the folder's name */
    const char *summary;             /* a paragraph of plain text; NULL: generated from the metrics */
    const weft_picture *pictures;    /* samples, or NULL */
    size_t picture_count;
    const weft_figure *figures;       /* or NULL; shown before the samples */
    size_t figure_count;
    const int64_t *confusion;        /* confusion matrix [classes, classes]: rows are the actual classes,
                                        columns the predicted; NULL: not shown */
    int class_count;
    const char *const *classes;      /* their names; NULL: 0, 1, ... */
} weft_report;
WEFT_API weft_err weft_report_write(weft_ctx *c, const char *run, const weft_report *r);
    /* writes run/report.html, self-contained, from run/metrics.jsonl and config.json; r may be NULL */

/* An animation with a palette, such as successive boards of an automaton. */
typedef struct weft_animation {
    const uint8_t *frames;           /* [count, height, width]: indices into the palette */
    int count, height, width;
    const uint8_t (*colors)[3];      /* red, green, blue; NULL: 0 is white and 1 black */
    int color_count;                 /* 1 to 256 */
    int scale;                       /* pixels per cell, across and down; 0: 1 */
    double seconds, hold;            /* per frame, 0: 0.1; the first and last are shown hold longer */
} weft_animation;
WEFT_API char *weft_animation_gif(weft_ctx *c, const weft_animation *f, size_t *bytes);
    /* a looping GIF file of *bytes bytes, for weft_file_write or a figure; free with weft_text_free;
       NULL: weft_error(c) */

/* ---- progress ---------------------------------------------------------------------------- */

typedef struct weft_progress weft_progress;  /* a progress bar on a terminal, lines elsewhere */
WEFT_API weft_progress *weft_progress_new(weft_ctx *c, FILE *to, int64_t steps, double seconds);
    /* limits; 0: not set. to NULL: shows nothing */
WEFT_API void weft_progress_unit(weft_progress *p, const char *unit);
    /* what is counted, in the plural: "games"; default "steps". Not copied */
WEFT_API void weft_progress_show(weft_progress *p, int64_t step, const weft_metrics *m);
    /* call it often: draws at most ten times a second, or prints a line every few seconds */
WEFT_API void weft_progress_say (weft_progress *p, const char *line);  /* prints a line above the bar */
WEFT_API void weft_progress_free(weft_progress *p);                    /* removes the bar */

/* ---- the loop ---------------------------------------------------------------------------- */

typedef enum weft_ending {
    WEFT_END_STEPS,        /* all steps done */
    WEFT_END_SECONDS,      /* time limit reached */
    WEFT_END_EARLY,        /* no improvement for .patience evaluations */
    WEFT_END_INTERRUPTED,  /* Ctrl-C or .stop; writes a checkpoint, does not evaluate */
    WEFT_END_DIVERGED      /* the loss is not finite; see .text of the result */
} weft_ending;

/* Evaluates the network: adds metrics such as "test/accuracy". */
typedef weft_err (*weft_evaluate)(void *user, int64_t step, weft_metrics *m);
/* A custom training step: feeds, runs, adds metrics ("train/loss" first). */
typedef weft_err (*weft_train_step)(void *user, int64_t step, weft_metrics *m);

/* A lock: one training process per folder; released when its process ends. weft_train takes it; a
 * program that has to choose a free folder takes it first and passes it as .lock. */
typedef struct weft_run_lock weft_run_lock;
WEFT_API weft_run_lock *weft_run_lock_take(weft_ctx *c, const char *run);
    /* creates the folder; NULL: weft_error, with code WEFT_STATE if another process holds the lock */
WEFT_API void           weft_run_lock_drop(weft_run_lock *l);
    /* NULL is fine; also removes the folder if it was created for the lock and is empty */

typedef struct weft_train_desc {
    /* the step: a graph and batches for its inputs ... */
    weft_graph  *graph;
    weft_tensor  loss, rate;         /* rate: optional learning rate, logged as train/rate */
    weft_updates update;
    weft_tensors inputs;             /* in the order of the loader's fields */
    weft_loader *loader;
    int          threads;            /* as in weft_plan_desc */
    weft_dtype   mixed;              /* likewise; f16 needs an optimiser with .loss_scale */
    /* ... or a function; what it needs to resume is in the state */
    weft_train_step step;

    int64_t steps;                   /* limit, including those before a resume; 0: none */
    double  seconds;                 /* limit of training time, likewise; 0: none */

    weft_evaluate evaluate;          /* optional */
    void   *user;                    /* for the functions above */
    int64_t evaluate_every;          /* steps; 0: an epoch, or 1000 without a loader */
    const char *monitor;             /* metric for early stopping; NULL: the first one evaluated */
    bool    monitor_min;             /* lower is better */
    int     patience;                /* evaluations without improvement; 0: no early stopping */
    weft_evaluate evaluate_at_end;   /* optional: called once at the end, unless interrupted: for the
                                        test set, which no decision depended on */

    const char *run;                 /* the folder; NULL: nothing is written */
    weft_run_lock *lock;             /* held by the caller; NULL: taken for the training */
    const char *config, *title;      /* as in weft_journal_desc */
    bool    resume;                  /* continue from the checkpoint, an error if there is none;
                                        otherwise start over: its checkpoint is removed */
    int64_t log_every;               /* steps; 0: 50 */
    double  checkpoint_every;        /* seconds; 0: 60, and one at the start; below 0: at the end only */
    const weft_detector_desc *outlier_detector;  /* of the loss of every step: outliers are
                                        "outlier/loss" in the journal and marked in the report */
    weft_profile *profile;           /* of the state's context: written to kernels.json early and at
                                        the end. NULL: a few early steps are profiled, unless the
                                        context has another recorder */
    FILE   *progress;                /* NULL: shows nothing */
    bool    interrupt;               /* handle Ctrl-C while it runs */
    const volatile bool *stop;       /* when it becomes true: stops like Ctrl-C */
    const char *stop_text;           /* the reason for .stop, "learned exactly"; NULL: "stopped" */
} weft_train_desc;

typedef struct weft_train_result {
    weft_ending ending;
    int64_t steps;                   /* total */
    int64_t resumed_at;              /* the step of the checkpoint it resumed from; 0: none */
    double  seconds;                 /* total training time, without evaluation and writing */
    int64_t outliers;                /* outliers of the loss, since the resume */
    weft_metrics last;               /* of the last evaluation and the last log line */
    char    text[400];               /* why it ended, as a message */
} weft_train_result;

WEFT_API weft_err weft_train(weft_state *s, const weft_train_desc *d, weft_train_result *r);
    /* WEFT_OK for every ending but an error; WEFT_DIVERGED when the loss is not finite */
WEFT_API const char *weft_run_checkpoint(const char *run, char *path, size_t bytes);
    /* the path of a run's checkpoint: run/checkpoints/latest.safetensors; "" if too long */

#ifdef __cplusplus
}
#endif
#endif
