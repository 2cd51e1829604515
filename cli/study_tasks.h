/* study_tasks.h - the supervised tasks: where their data comes from and what is usual for them. */
#ifndef WEFT_STUDY_TASKS_H
#define WEFT_STUDY_TASKS_H

#include "study.h"

struct study_task {
    const command *command; /* its settings begin with study_settings */
    const char *title;      /* of the report                          */
    /* The name of a run, such as "digits-mlp". */
    void (*name)(const call *c, const void *settings, char *name, size_t bytes);
    /* Fills t->train, t->test, t->usual and, unless it was read from a run, t->model. */
    weft_err (*load)(study *t, const void *settings);
};

extern const command train_digits_task, train_csv_task;
extern const study_task study_digits, study_csv;

const study_task *study_task_named(const char *name); /* "train digits"; NULL: no such task */

#endif
