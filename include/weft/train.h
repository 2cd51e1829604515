/* train.h - the training loop, and the records it leaves.
 *
 *     weft_train(s, &(weft_train_desc){ .graph = g, .loss = loss, .inputs = weft_list(x, t),
 *                                       .update = weft_optimiser(s, loss, NULL), .loader = batches,
 *                                       .steps = 5000, .run = "runs/mine", .progress = stderr },
 *                &result);
 *
 * A run is a folder: config.json, status.json, kernels.json, metrics.jsonl, TensorBoard events,
 * checkpoints/ and report.html.
 * Stopped by a limit, by Ctrl-C or by a kill, it is continued with .resume and ends with the bits
 * it would have had without the stop, on any number of threads.
 *
 * Nothing is printed unless .progress names a stream, and no signal is touched unless .interrupt
 * asks for it. The parts are of use alone: a journal for loops of one's own, a progress line, a
 * report made from any folder. */
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

enum { WEFT_METRICS = 32 };  /* values a line has at most */

/* One line of numbers: "train/loss" 0.31, "test/accuracy" 0.98. A name is group/name, as
 * TensorBoard has it. In the report a group is a plot and its names are the lines; only train,
 * test, valid, validation, val, dev and eval, being parts of the data, are lines of one plot for
 * each name. */
typedef struct weft_metrics {
    struct { const char *name; double value; } at[WEFT_METRICS];
    size_t n;
} weft_metrics;
WEFT_API void   weft_metric(weft_metrics *m, const char *name, double value);
    /* one more, or another value for that name; the name is borrowed; what is beyond WEFT_METRICS
       is dropped */
WEFT_API double weft_metric_of(const weft_metrics *m, const char *name);  /* nan: not there */

typedef struct weft_journal weft_journal;  /* writes into the folder of a run */

typedef struct weft_journal_desc {
    const char *run;     /* the folder; made, with those above it */
    const char *config;  /* JSON object: how the run was made; config.json. NULL: {}, or when
                            resuming what is there */
    const char *title;   /* of the report, kept in config.json; NULL: the folder's name */
    int64_t resume;      /* lines of later steps are dropped; 0: the folder begins anew */
    bool    no_events;   /* no TensorBoard files */
} weft_journal_desc;
WEFT_API weft_journal *weft_journal_open(weft_ctx *c, const weft_journal_desc *d);
    /* NULL: weft_error(c) */
WEFT_API weft_err weft_journal_write(weft_journal *j, int64_t step, const weft_metrics *m);
    /* a line of metrics.jsonl, and events; what is not finite is null there. No metric may be
       called step, time or wall. A line that could not be written is not there at all */
WEFT_API weft_err weft_journal_flush(weft_journal *j);  /* onto the disk */
WEFT_API weft_err weft_journal_close(weft_journal *j);  /* NULL is fine */

/* ---- watching a run, while another process writes it ----------------------------------------- */

/* status.json, which weft_train writes when it begins and when it ends. 0 and "": not said. */
typedef struct weft_run_status {
    char    state[16];               /* running, finished, stopped (by .stop), interrupted, broken,
                                        failed */
    char    text[400];               /* why it ended, for a person */
    char    host[80];                /* the machine, and ... */
    int64_t process;                 /* ... the number of the process there */
    int64_t steps;                   /* limits; 0: there is none */
    double  seconds;
    int64_t resumed_at, log_every;   /* steps */
    int64_t batch;                   /* examples a step */
    int64_t state_bytes;             /* of all entries */
    int64_t arena_bytes;             /* of the plan of a step */
    double  began, ended;            /* seconds since 1970 */
} weft_run_status;
WEFT_API weft_err weft_run_status_read(weft_ctx *c, const char *run, weft_run_status *out);
    /* WEFT_FILE: there is none */

/* A row of metrics.jsonl. */
typedef struct weft_follow_row {
    bool    some;                    /* false: there is no new row for now */
    bool    anew;                    /* the file was begun anew: rows before this no longer count */
    int64_t step;
    double  time, wall;              /* nan: not said */
    weft_metrics m;                  /* names are good until the next call */
    int64_t skipped;                 /* lines so far that are none, or have no step */
} weft_follow_row;
typedef struct weft_follow weft_follow;  /* reads rows as they come, each once */
WEFT_API weft_follow *weft_follow_open(weft_ctx *c, const char *run);
    /* the file may come later, be cut, or be replaced; NULL: weft_error(c) */
WEFT_API weft_err weft_follow_next (weft_follow *f, weft_follow_row *row);
    /* the next whole row; one that is still being written comes later. Does not wait */
WEFT_API void     weft_follow_close(weft_follow *f);  /* NULL is fine */

/* kernels.json: where the time of a step goes, if the run was profiled. nan, 0 and "": not said;
 * texts that are too long are cut. */
enum { WEFT_RUN_KERNELS = 64, WEFT_RUN_SCOPES = 64, WEFT_RUN_TENSORS = 32, WEFT_RUN_LIVE = 1024 };
typedef struct weft_run_kernel {
    char    name[64], scope[96], shape[64];
    int64_t calls;
    double  us, share;               /* of a step, all threads together; share of that, 0 to 1 */
    double  gflops, gbs, of_roof;    /* of a thread; of_roof: of what a core can do, 0 to 1 */
} weft_run_kernel;
typedef struct weft_run_scope  { char scope[96]; double us, share; } weft_run_scope;
typedef struct weft_run_tensor { char name[96]; int64_t bytes; } weft_run_tensor;
typedef struct weft_run_kernels {
    char    plan[64];
    int64_t threads, runs, arena_bytes, allocations;
    double  step_us, wait;                     /* wait: share of all threads' time at barriers */
    weft_run_kernel kernel[WEFT_RUN_KERNELS];  /* in the order of the file */
    int     kernel_count;
    weft_run_scope scope[WEFT_RUN_SCOPES];
    int     scope_count;
    int64_t peak_bytes, peak_step;             /* of the arena: its fullest moment, ... */
    weft_run_tensor tensor[WEFT_RUN_TENSORS];  /* ... and what lay there then */
    int     tensor_count;
    int64_t live[WEFT_RUN_LIVE];               /* bytes in use in the arena, kernel after kernel */
    int     live_count;
} weft_run_kernels;
WEFT_API weft_err weft_run_kernels_read(weft_ctx *c, const char *run, weft_run_kernels *out);
    /* WEFT_FILE: there is none */

/* ---- the report -------------------------------------------------------------------------- */

/* A grey or coloured picture with a line under it, for the report. */
typedef struct weft_picture {
    const float *pixels;             /* [height, width, channels] in [0, 1]; channels 1 or 3 */
    int height, width, channels;
    char caption[60];
    bool wrong;                      /* marked as such */
} weft_picture;

/* A picture with a section of its own: what a file of SVG, GIF or PNG holds. */
typedef struct weft_plate {
    const char *title, *caption;     /* plain text; caption: under it, or NULL */
    const void *bytes;
    size_t n;
} weft_plate;

typedef struct weft_report {
    const char *title;               /* NULL: that of the journal, or the folder's name */
    const char *summary;             /* a paragraph of plain text; NULL: made from the metrics */
    const weft_picture *pictures;    /* samples, or NULL */
    size_t picture_count;
    const weft_plate *plates;        /* or NULL; they come before the samples */
    size_t plate_count;
    const int64_t *confusion;        /* [classes, classes]: how many of class row were taken for class
                                        column; NULL: not shown */
    int class_count;
    const char *const *classes;      /* their names; NULL: 0, 1, ... */
} weft_report;
WEFT_API weft_err weft_report_write(weft_ctx *c, const char *run, const weft_report *r);
    /* run/report.html from run/metrics.jsonl and config.json: one file, needs nothing else;
       r may be NULL */

/* A film of few colours, such as the boards of an automaton one after the other. */
typedef struct weft_film {
    const uint8_t *frames;           /* [count, height, width]: the number of a colour each */
    int count, height, width;
    const uint8_t (*colors)[3];      /* red, green, blue; NULL: 0 is white and 1 black */
    int color_count;                 /* 1 to 256 */
    int scale;                       /* a cell is so many pixels wide and high; 0: 1 */
    double seconds, hold;            /* of a frame, 0: 0.1; the first and the last have hold more */
} weft_film;
WEFT_API char *weft_film_gif(weft_ctx *c, const weft_film *f, size_t *bytes);
    /* a GIF file of so many bytes that begins again at its end, for weft_file_write and plates;
       free with weft_text_free; NULL: weft_error(c) */

/* ---- progress ---------------------------------------------------------------------------- */

typedef struct weft_progress weft_progress;  /* a bar on a terminal, plain lines elsewhere */
WEFT_API weft_progress *weft_progress_new(weft_ctx *c, FILE *to, int64_t steps, double seconds);
    /* where it will end; 0: that limit is not set. to NULL: shows nothing */
WEFT_API void weft_progress_unit(weft_progress *p, const char *unit);
    /* what is counted, in the plural and borrowed: "games"; if not, steps */
WEFT_API void weft_progress_show(weft_progress *p, int64_t step, const weft_metrics *m);
    /* often: it draws at most ten times a second, or a line every few seconds */
WEFT_API void weft_progress_say (weft_progress *p, const char *line);  /* a line that stays */
WEFT_API void weft_progress_free(weft_progress *p);                    /* clears the bar */

/* ---- the loop ---------------------------------------------------------------------------- */

typedef enum weft_ending {
    WEFT_END_STEPS,        /* all steps are done */
    WEFT_END_SECONDS,      /* the time limit is reached */
    WEFT_END_EARLY,        /* no improvement for .patience evaluations */
    WEFT_END_INTERRUPTED,  /* Ctrl-C or .stop; a checkpoint is written, nothing evaluated */
    WEFT_END_BROKEN        /* the loss is not a number; see .text of the result */
} weft_ending;

/* Judges the network as it is: adds metrics such as "test/accuracy". */
typedef weft_err (*weft_evaluate)(void *user, int64_t step, weft_metrics *m);
/* One training step of a loop of one's own: feeds, runs, adds metrics ("train/loss" first). */
typedef weft_err (*weft_train_step)(void *user, int64_t step, weft_metrics *m);

/* One training at a time in a folder: a lock that ends with its process. weft_train takes it; a
 * program that chooses a free folder first takes it itself, and gives it as .lock. */
typedef struct weft_run_lock weft_run_lock;
WEFT_API weft_run_lock *weft_run_lock_take(weft_ctx *c, const char *run);
    /* makes the folder; NULL: weft_error, with the code WEFT_STATE where another holds it */
WEFT_API void           weft_run_lock_drop(weft_run_lock *l);
    /* NULL is fine; a folder that was made for it and is empty goes too */

typedef struct weft_train_desc {
    /* what a step is: a graph and batches for its inputs ... */
    weft_graph  *graph;
    weft_tensor  loss, rate;         /* rate: optional, logged as train/rate */
    weft_updates update;
    weft_tensors inputs;             /* in the order of the loader's fields */
    weft_loader *loader;
    int          threads;            /* as in weft_plan_desc */
    /* ... or a function, with all it needs to resume in the state */
    weft_train_step step;

    int64_t steps;                   /* in all, those before a resume included; 0: no limit */
    double  seconds;                 /* of training, those before a resume included; 0: no limit */

    weft_evaluate evaluate;          /* optional */
    void   *user;                    /* for the functions above */
    int64_t evaluate_every;          /* steps; 0: an epoch, or 1000 without a loader */
    const char *follow;              /* metric for early stopping; NULL: the first judged */
    bool    follow_least;            /* smaller is better */
    int     patience;                /* evaluations without a better one; 0: no early stopping */
    weft_evaluate conclude;          /* optional: once at the end, unless interrupted. What is
                                        reported there, on data that decided nothing before */

    const char *run;                 /* the folder; NULL: nothing is written */
    weft_run_lock *lock;             /* of it, held by the caller; NULL: taken for the training */
    const char *config, *title;      /* as in weft_journal_desc */
    bool    resume;                  /* go on from the run's checkpoint; none is an error. If not,
                                        the folder begins anew: its checkpoint is removed */
    int64_t log_every;               /* steps; 0: 50 */
    double  checkpoint_every;        /* seconds; 0: 60; below 0: at the end only, else also at once */
    const weft_detector_desc *notice;  /* looks at the loss of every step; one that is oddly high is
                                        "outlier/loss" in the journal and marked in the report */
    weft_profile *profile;           /* of the state's context: written to kernels.json early and at
                                        the end. NULL: a few early steps are timed for it, unless
                                        somebody else records the context */
    FILE   *progress;                /* NULL: shows nothing */
    bool    interrupt;               /* catch Ctrl-C while it runs */
    const volatile bool *stop;       /* set by somebody else: ends as Ctrl-C does */
    const char *stop_text;           /* why .stop ended it, "learned exactly"; NULL: "stopped" */
} weft_train_desc;

typedef struct weft_train_result {
    weft_ending ending;
    int64_t steps;                   /* made in all */
    int64_t resumed_at;              /* the step of the checkpoint it went on from; 0: none */
    double  seconds;                 /* of training in all, without judging and writing */
    int64_t outliers;                /* steps that .notice found odd, since the resume */
    weft_metrics last;               /* of the last evaluation and the last log line */
    char    text[400];               /* why it ended, for a person */
} weft_train_result;

WEFT_API weft_err weft_train(weft_state *s, const weft_train_desc *d, weft_train_result *r);
    /* trains; an ending other than an error gives WEFT_OK, a broken loss WEFT_DIVERGED */
WEFT_API const char *weft_run_checkpoint(const char *run, char *path, size_t bytes);
    /* the path of a run's checkpoint: run/checkpoints/latest.safetensors; "" if it does not fit */

#ifdef __cplusplus
}
#endif
#endif
