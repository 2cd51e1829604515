/* study_tasks.h - the supervised tasks: where their data comes from and what is usual for them. */
#ifndef WEFT_STUDY_TASKS_H
#define WEFT_STUDY_TASKS_H

#include "study.h"

#include "apps/tasks.h"

/* clang-format off */
#define STUDY_ROW(member_, kind_, value_, low_, high_, help_)                                      \
    { .name = #member_, .kind = kind_, .value = value_, .low = low_, .high = high_, .help = help_, \
      .offset = offsetof(study_settings, member_) }
/* The options of study_settings, for a task's table; what is usual for the task, as text. */
#define STUDY_ROWS(epochs_, batch_, hidden_, rate_, dropout_)                                      \
    STUDY_ROW(epochs, OPTION_LONG, "N", 1, 100000, "training epochs (" epochs_ ")"),        \
    { .name = "patience", .kind = OPTION_LONG, .value = "N", .low = 1, .high = 1000000,            \
      .role = OPTION_RECALLED, .help = "stop after N evaluations without improvement",             \
      .offset = offsetof(study_settings, patience) },                                              \
    STUDY_ROW(validation, OPTION_NUMBER, "X", 0, 0.5,                                              \
              "share of the training rows used for early stopping (0.1 with --patience)"),     \
    STUDY_ROW(batch, OPTION_LONG, "N", 1, 1 << 20, "examples per step (" batch_ ")"),              \
    STUDY_ROW(hidden, OPTION_LONG, "N", 8, 1 << 16, "width of the hidden layers (" hidden_ ")"),         \
    { .name = "optimiser", .kind = OPTION_CHOICE, .value = STUDY_OPTIMISERS, .also = "optimizer",  \
      .help = "the optimiser (adamw)", .offset = offsetof(study_settings, optimiser) },            \
    STUDY_ROW(rate, OPTION_POSITIVE, "X", 0, 1000,                                                 \
              "peak learning rate (" rate_ "; depends on the optimiser)"),              \
    STUDY_ROW(schedule, OPTION_CHOICE, STUDY_SCHEDULES, 0, 0, "learning-rate schedule (cosine)"),  \
    STUDY_ROW(warmup, OPTION_LONG, "N", 1, 0, "warm-up steps of the learning rate (2 % of all)"),     \
    STUDY_ROW(momentum, OPTION_NUMBER, "X", 0, 0.9999, "momentum of sgd (0.9), rmsprop (0), muon (0.95)"),          \
    STUDY_ROW(decay, OPTION_NUMBER, "X", 0, 10, "weight decay (adamw and lamb 0.01, others 0)"),   \
    STUDY_ROW(dropout, OPTION_NUMBER, "X", 0, 0.95, "dropout rate (" dropout_ ")"),    \
    STUDY_ROW(smoothing, OPTION_NUMBER, "X", 0, 0.9, "label smoothing (0)"),                       \
    STUDY_ROW(clip, OPTION_POSITIVE, "X", 0, 0, "clip the global gradient norm to X (off)"),            \
    STUDY_ROW(average, OPTION_NUMBER, "X", 0, 0.99999,                                             \
              "evaluate a moving average of the parameters with this decay (off)"),              \
    STUDY_ROW(accumulate, OPTION_COUNT, "N", 1, 4096,                                              \
              "gradient accumulation: batches per optimiser step (1)"),                            \
    STUDY_ROW(mixed, OPTION_CHOICE, STUDY_MIXED, 0, 0,                                             \
              "mixed precision: operands of products in 16 bits (off)")
/* clang-format on */

struct study_task {
    const command *command; /* its settings begin with study_settings */
    const char *title;      /* of the report                          */
    /* The name of a run, such as "digits-mlp". */
    void (*name)(const call *c, const void *settings, char *name, size_t bytes);
    /* Fills t->train, t->test, t->usual and, unless it was read from a run, t->model. */
    weft_err (*load)(study *t, const void *settings);
    bool (*fits)(const model *m); /* can a model out of a file be one of this task? */
};

extern const study_task study_digits, study_csv;

study_defaults digits_defaults(network_kind k); /* what is usual for digits and this network */

const study_task *study_task_named(const char *name); /* "train digits"; NULL: no such task */

#endif
