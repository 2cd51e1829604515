/* study.h - a supervised run: data, a model, its training and its evaluation.
 *
 * What `weft train digits` and `weft train csv` have in common, and what eval does again with a run
 * that exists. Failures leave their message with the context. */
#ifndef WEFT_STUDY_H
#define WEFT_STUDY_H

#include "model.h"
#include "cli/run.h"
#include "study_logic.h"

#include <weft/data.h>
#include <weft/optim.h>

/* clang-format off */
#define STUDY_OPTIMISER_WORD(name, text, rate, decay) "|" text
#define STUDY_SCHEDULE_WORD(name, text) "|" text
#define STUDY_OPTIMISERS "auto" WEFT_OPTIMISERS(STUDY_OPTIMISER_WORD)
#define STUDY_SCHEDULES  "auto" WEFT_SCHEDULES(STUDY_SCHEDULE_WORD)
#define STUDY_MIXED      "off|bf16|f16"
/* clang-format on */

/* The options that every supervised task has (STUDY_ROWS); a task's own struct begins with these.
 * Zero where an option was not given: then study_defaults counts. */
typedef struct study_settings {
    run_settings common;
    int64_t epochs, batch, hidden, warmup, patience;
    double rate, decay, momentum, dropout, smoothing, clip, average, validation;
    int optimiser, schedule; /* place among the words, 0: auto */
    int accumulate;
    int mixed; /* place among the words, which is a weft_dtype */
} study_settings;

typedef struct study_defaults {
    int64_t epochs, batch, hidden;
    double rate, dropout;
    int shift; /* pixels that pictures are moved by */
} study_defaults;

typedef struct study_task study_task; /* study_tasks.h */

typedef struct study {
    run run;
    const study_settings *set;
    study_defaults usual;
    const char *eval_file; /* evaluate on this instead; NULL: on the saved test set */
    double validation;       /* share of the rows to learn from that is set aside; 0: none */
    weft_data *train, *test;
    weft_data *valid; /* what early stopping and a plateau go by; NULL: by the test set */
    model model;

    weft_graph *graph; /* training */
    weft_loader *loader;
    weft_tensor x, y, loss, rate;
    weft_updates update;
    weft_schedule schedule; /* of the rate; a plateau gets every evaluation */

    weft_graph *eval_graph; /* evaluation */
    weft_loader *test_loader, *valid_loader;
    weft_plan *eval;
    weft_tensor seen, scores;
    float *answer, *truth; /* of every test row: the class, or the number */
    float *valid_answer;   /* the same for the validation set, one behind the other */
    float *score;          /* room for the outputs of a batch */
    study_logic *logic;    /* how gates are evaluated; NULL: by the plan */
    bool averaged;         /* averages of the parameters are evaluated */
    bool evaluated;
    double accuracy, test_loss; /* numbers: R2 instead of the accuracy */
    double rmse, mae;           /* of numbers, on the test set */
} study;

enum { STUDY_EVAL_ROWS = 250 }; /* rows evaluated at once */

weft_err study_open(study *t, const call *c, const study_settings *s); /* context and state */
void study_close(study *t);
/* The task's load, and whether what it brought fits the model: inputs, their names, classes. */
weft_err study_load(study *t, const study_task *task, const void *settings);
weft_err study_model(study *t); /* the model, from config.json of a run that exists */

/* For a task's load, as soon as t->train is there: sets the validation set aside, by seed and row. */
weft_err study_set_aside(study *t, const study_settings *s);

/* Once train, test, usual and the model's meaning are there: graphs, loaders, the optimiser. */
weft_err study_prepare(study *t);
weft_err study_evaluate_prepare(study *t, int64_t rows_at_once);
weft_err study_evaluate(void *study_pointer, int64_t step, weft_metrics *m); /* a weft_evaluate */

/* study_show.c */
weft_err study_report(const study *t, const char *title, const weft_train_result *r);
void study_tell(const study *t, const weft_train_result *r); /* on stdout */

/* A run that exists, by its folder or a checkpoint's path: task, settings (to be freed) and model.
 * study_weights then fills what study_evaluate_prepare has recorded. */
weft_err study_reopen(study *t, const call *c, const char *path, int threads,
                      const study_task **task, void **settings);
weft_err study_weights(study *t);

/* A whole run of a task, from options to report. settings: the task's, which may be changed. Gives
 * an exit code. */
int study_main(const call *c, const study_task *task, void *settings);

#endif
