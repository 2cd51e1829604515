/* train.c - weft train: the tasks and their options. The work is study.c's. */
#include "study_tasks.h"

#include <stddef.h>
#include <string.h>

/* clang-format off */
#define ROW(member_, name_, kind_, value_, low_, high_, help_)                                     \
    { .name = name_, .kind = kind_, .value = value_, .low = low_, .high = high_, .help = help_,    \
      .offset = offsetof(study_settings, member_) }
static const option train_options[] = {
    ROW(run, "run", OPTION_FOLDER, "FOLDER", 0, 0, "of the run (runs/NAME, the first free)"),
    ROW(resume, "resume", OPTION_FLAG, NULL, 0, 0,
        "go on with the run; options not given stay as they were"),
    ROW(overwrite, "overwrite", OPTION_FLAG, NULL, 0, 0, "begin anew where there is a run already"),
    ROW(steps, "steps", OPTION_LONG, "N", 1, 0, "end after N batches in all, the schedule stays"),
    ROW(seconds, "seconds", OPTION_POSITIVE, "N", 0, 0, "end after N seconds of training"),
    ROW(epochs, "epochs", OPTION_LONG, "N", 1, 100000,
        "passes over the data that the schedule is made for"),
    ROW(patience, "patience", OPTION_LONG, "N", 1, 1000000,
        "end when N evaluations bring nothing better"),
    ROW_SEED(study_settings),
    ROW(batch, "batch", OPTION_LONG, "N", 1, 1 << 20, "examples of a step"),
    ROW(hidden, "hidden", OPTION_LONG, "N", 8, 1 << 16, "width of the network"),
    ROW(optimiser, "optimiser", OPTION_CHOICE, STUDY_OPTIMISERS, 0, 0,
        "how parameters move (adamw)"),
    ROW(rate, "rate", OPTION_POSITIVE, "X", 0, 1000, "highest learning rate"),
    ROW(schedule, "schedule", OPTION_CHOICE, STUDY_SCHEDULES, 0, 0, "of the rate (cosine)"),
    ROW(warmup, "warmup", OPTION_LONG, "N", 1, 0, "steps in which the rate rises (2 %)"),
    ROW(momentum, "momentum", OPTION_NUMBER, "X", 0, 0.9999, "of sgd, rmsprop and muon"),
    ROW(decay, "decay", OPTION_NUMBER, "X", 0, 10, "weight decay"),
    ROW(dropout, "dropout", OPTION_NUMBER, "X", 0, 0.95,
        "share of hidden values left out in training"),
    ROW(smoothing, "smoothing", OPTION_NUMBER, "X", 0, 0.9,
        "share of a label that is spread over all classes"),
    ROW(clip, "clip", OPTION_POSITIVE, "X", 0, 0, "greatest norm of all gradients"),
    ROW(average, "average", OPTION_NUMBER, "X", 0, 0.99999,
        "judge a moving average of the parameters, X of it kept each step"),
    ROW(accumulate, "accumulate", OPTION_COUNT, "N", 1, 4096,
        "batches whose mean gradient moves the parameters once"),
    ROW_THREADS(study_settings),
    ROW_JSON(study_settings),
    ROW_QUIET(study_settings),
    ROW_COLOR(study_settings),
};
/* clang-format on */

static const command_note train_files[] = {
    {"RUN/config.json", "how the run was made; --resume reads it"},
    {"RUN/metrics.jsonl", "a line of numbers for every so many steps"},
    {"RUN/events.out.tfevents.*", "the same for TensorBoard"},
    {"RUN/checkpoints/latest.safetensors", "all that --resume needs"},
    {"RUN/checkpoints/latest.previous.safetensors", "the one before it"},
    {"RUN/report.html", "curves and samples, in one file"},
    {NULL, NULL},
};

static const command *const train_tasks[] = {&train_digits_task, &train_csv_task, NULL};

const command train_command = {
    .name = "train",
    .summary = "train a network and leave a run: checkpoint, metrics, report",
    .about = "Trains, shows how it goes on stderr, and leaves a folder with config.json,\n"
             "metrics.jsonl, TensorBoard events, checkpoints and report.html. Ctrl-C writes a\n"
             "checkpoint and ends; --resume goes on from there, and ends with the same bits as\n"
             "if nothing had happened, on any number of threads.\n",
    .examples = "weft train digits --model cnn\n"
                "weft train digits --run runs/mine --steps 2000\n"
                "weft train digits --run runs/mine --steps 4000 --resume\n"
                "weft train csv flowers.csv --label flower\n",
    .files = train_files,
    COMMAND_OPTIONS(train_options),
    .settings_size = sizeof(study_settings),
    .tasks = train_tasks,
};
