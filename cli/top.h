/* top.h - what the files of weft top share: a run as it is seen from outside.
 *
 *     top.c       the command: finds the run, waits, keys, one frame or many
 *     top_run.c   reads what is new in the folder
 *     top_facts.c what follows from it: does it live, how fast is it, when will it end
 *     top_draw.c  a frame; top_table.c its figures and kernels; top_json.c the same for programs */
#ifndef WEFT_TOP_H
#define WEFT_TOP_H

#include "base/series.h"
#include "screen.h"

#include <weft/train.h>

#include <sys/types.h>
#include <time.h>

enum { TOP_METRICS = 48, TOP_MARKS = 32, TOP_WINDOW = 32, TOP_NAME = 120 };

typedef struct top_metric {
    char name[TOP_NAME];
    series curve;
    double last; /* nan: the last one was no number */
} top_metric;

typedef struct top_moment { /* of a row that tells the speed */
    double step, time, trained;
} top_moment;

typedef struct top_mark { /* by which a file is known to be as it was */
    bool there;
    ino_t number;
    off_t bytes;
    struct timespec changed;
} top_mark;

/* clang-format off */
/*    name,         word,          style of the word */
#define TOP_STATES(X)                                                                              \
    X(TOP_WAITING,     "waiting",     TERMINAL_YELLOW) /* there is nothing to see yet           */ \
    X(TOP_RUNNING,     "running",     TERMINAL_GREEN)                                              \
    X(TOP_STALLED,     "stalled",     TERMINAL_YELLOW) /* it should have written, and has not   */ \
    X(TOP_FINISHED,    "finished",    TERMINAL_CYAN)                                               \
    X(TOP_STOPPED,     "stopped",     TERMINAL_CYAN)   /* by the program that trains            */ \
    X(TOP_INTERRUPTED, "interrupted", TERMINAL_YELLOW)                                             \
    X(TOP_DIVERGED,    "diverged",    TERMINAL_RED)    /* the loss is not finite               */ \
    X(TOP_FAILED,      "failed",      TERMINAL_RED)    /* an error of another kind              */ \
    X(TOP_KILLED,      "killed",      TERMINAL_RED)    /* it ended without writing its status   */
/* clang-format on */
typedef enum top_state {
#define X(name, word, style) name,
    TOP_STATES(X)
#undef X
} top_state;

typedef struct top_run {
    weft_ctx *ctx;
    const char *folder;
    weft_follow *follow;
    bool there;            /* the folder */
    bool known;            /* anything in it that makes it a run */
    double stalled_after;  /* seconds, as asked for; 0: found out */

    char title[TOP_NAME], command[64]; /* of config.json */
    weft_run_status status;            /* "" in state: there is none */
    weft_run_kernels kernels;
    bool profiled;             /* kernels is filled */
    char problem[300];         /* what could not be read; "": nothing */
    bool reported;             /* the report is there, and newer than the rows */
    top_mark seen[3];          /* config.json, status.json, kernels.json */

    int64_t rows, skipped;
    int64_t step;      /* of the last row */
    double time, wall; /* of it; nan: not said */
    double longest;    /* seconds between two rows */
    double trained;    /* seconds of training, as far as rows tell the speed */
    double speed_step; /* of the last row that told it */
    top_moment moment[TOP_WINDOW]; /* the last ones, in a ring */
    int moments;                   /* in all */
    top_metric metric[TOP_METRICS];
    int metrics;
    bool crowded; /* there were more */

    int64_t outliers;
    double mark[TOP_MARKS], outlier_at; /* steps: the last ones, in a ring; the last */
} top_run;

/* What follows from it at a moment. nan: not known. */
typedef struct top_facts {
    top_state state;
    const char *word; /* of the state */
    terminal_style style;
    double age;                      /* seconds since the last row */
    double stalled_after;            /* seconds */
    double rate, examples;           /* a second */
    double share, left;              /* of the way; seconds */
    double memory, arena;            /* bytes: of the process; of the intermediates of a step */
    const top_metric *loss, *beside; /* beside: the same on other data; NULL: none */
    const top_metric *other;         /* a curve of its own; NULL: none */
} top_facts;

weft_err top_run_open(top_run *t, weft_ctx *c, const char *folder);
void top_run_close(top_run *t);
weft_err top_run_look(top_run *t); /* takes in what is new */

top_facts top_facts_of(const top_run *t, double now, int which); /* which: of the other curves */
bool top_is_share(const top_metric *m);                          /* shown in percent */
bool top_is_log(const top_metric *m);
bool top_is_bytes(const top_metric *m);

void top_draw(const top_run *t, const top_facts *f, screen *s, bool keys);
void top_figures(const top_run *t, const top_facts *f, screen *s, int row, int *rows);
int top_kernels(const top_run *t, screen *s, int row, int rows); /* of so many; rows used */
void top_json(const top_run *t, const top_facts *f, FILE *to);

/* Numbers for people. */
const char *top_value(const top_metric *m, double v, char out[40]); /* "0.0213", "98.31 %" */
const char *top_duration(double seconds, char out[40]);             /* "0:58", "1:02:03" */
const char *top_rate(double v, char out[40]);                       /* "812", "0.31" */

#endif
