/* csv.c - weft train csv FILE: classes or a number from the columns of a table. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "study_tasks.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct csv_settings {
    study_settings study;
    const char *file; /* kept in config.json, given as the operand */
    const char *label, *skip, *separator;
    int task, missing, max_words;
    double test;
} csv_settings;

/* clang-format off */
/*                   epochs batch hidden rate  dropout */
#define CSV_USUAL(X) X(200, 32,   64,    3e-3, 0)
/* clang-format on */
#define CSV_ROW(epochs_, batch_, hidden_, rate_, dropout_)                                         \
    { .epochs = epochs_, .batch = batch_, .hidden = hidden_, .rate = rate_, .dropout = dropout_ }
#define CSV_OPTIONS(epochs_, batch_, hidden_, rate_, dropout_)                                     \
    STUDY_ROWS(#epochs_, #batch_, #hidden_, #rate_, #dropout_)
static const study_defaults csv_usual = CSV_USUAL(CSV_ROW);

static void csv_name(const call *c, const void *settings, char *name, size_t bytes) {
    (void)c;
    const char *file = ((const csv_settings *)settings)->file;
    if (!file) file = "table";
    const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    snprintf(name, bytes, "csv-%.*s", (int)strcspn(base, "."), base);
}

static weft_err csv_model(study *t) {
    const weft_field x = weft_data_field(t->train, 0), y = weft_data_field(t->train, 1);
    const size_t columns = (size_t)x.dims.n[0];
    t->model.numbers = y.classes == 0;
    t->model.net = (network){.kind = NETWORK_MLP,
                             .rows = 1,
                             .columns = (int64_t)columns,
                             .outputs = t->model.numbers ? 1 : y.classes};
    if (!model_moments(&t->model, columns) ||
        !model_names(&t->model, (size_t)y.classes, y.class_names) ||
        !model_inputs(&t->model, columns, x.columns))
        return weft_fail(t->run.ctx, WEFT_MEMORY, "out of memory");
    const weft_err e = weft_data_moments(t->train, 0, false, t->model.mean, t->model.std, columns);
    for (size_t i = 0; i < columns; i++) /* a column that never changes says nothing */
        if (t->model.std[i] == 0) t->model.std[i] = 1;
    t->model.answer_std = 1;
    if (e || !t->model.numbers) return e;
    const weft_err answer =
        weft_data_moments(t->train, 1, false, &t->model.answer_mean, &t->model.answer_std, 1);
    if (t->model.answer_std == 0) t->model.answer_std = 1;
    return answer;
}

/* What the table was taken for, since a column of numbers with one word in it is all words. */
static void csv_tell(const study *t) {
    const weft_field x = weft_data_field(t->train, 0), y = weft_data_field(t->train, 1);
    char label[40] = "a number";
    if (y.classes) snprintf(label, sizeof label, "one of %lld classes", (long long)y.classes);
    char valid[60] = "";
    if (t->valid)
        snprintf(valid, sizeof valid, "%lld for validation, ", (long long)weft_data_rows(t->valid));
    tell(stderr, "%lld rows for training, %s%lld for testing; %lld inputs; target: %s\n",
         (long long)weft_data_rows(t->train), valid, (long long)weft_data_rows(t->test),
         (long long)x.dims.n[0], label);
}

static weft_err csv_load(study *t, const void *settings) {
    const csv_settings *s = settings;
    const float test = s->test > 0 ? (float)s->test : 0.2f;
    t->usual = csv_usual;
    const model *const m = &t->model; /* of a run that exists: the table may have changed since */
    const bool known = m->net.rows > 0;
    weft_data *all = weft_data_csv(
        t->run.ctx, s->file,
        &(weft_csv_desc){.separator = s->separator ? *s->separator : 0,
                         .label = s->label,
                         .skip = s->skip,
                         .missing = (weft_missing)s->missing,
                         .max_words = s->max_words,
                         .task = known && m->numbers ? WEFT_TASK_NUMBERS : (weft_task)s->task,
                         .classes = (const char *const *)m->names,
                         .class_count = m->classes});
    weft_data *part[4] = {NULL};
    if (!all) return weft_error_code(t->run.ctx);
    if (t->eval_file) {
        t->test = weft_data_csv(t->run.ctx, t->eval_file,
                                &(weft_csv_desc){.separator = s->separator ? *s->separator : 0,
                                                 .like = all,
                                                 .missing = (weft_missing)s->missing});
        weft_data_free(all);
        return t->test ? WEFT_OK : weft_error_code(t->run.ctx);
    }
    const long long had = weft_data_rows(all);
    if ((float)had * test < 1 || (float)had * (1 - test) < 1) {
        weft_data_free(all);
        return weft_fail(t->run.ctx, WEFT_FORMAT,
                         "%s: %lld rows are too few for a test set of %g of them", s->file, had,
                         (double)test);
    }
    const weft_split_desc split = {.share = {1 - test, test},
                                   .seed = (uint32_t)s->study.common.seed};
    weft_err e = weft_data_split(all, &split, part);
    weft_data_free(all);
    t->train = part[0], t->test = part[1];
    if (!e) e = study_set_aside(t, &s->study);
    if (e || t->model.net.rows) return e;
    const int64_t rows = weft_data_rows(t->train);
    if (rows < t->usual.batch) t->usual.batch = rows > 0 ? rows : 1;
    if (!s->study.common.quiet) csv_tell(t);
    return csv_model(t);
}

static bool csv_fits(const model *m) {
    return m->net.kind == NETWORK_MLP && m->net.rows == 1 && m->moments == (size_t)m->net.columns &&
           (!m->numbers || m->net.outputs == 1);
}

static int csv_run(const call *c) {
    csv_settings s = *(const csv_settings *)c->settings;
    char *whole = c->count ? realpath(c->words[0], NULL) : NULL;
    if (c->count) s.file = whole ? whole : c->words[0]; /* what is wrong with it shows later */
    int status = EXIT_USAGE;
    if (s.separator && strcmp(s.separator, "\\t") == 0) s.separator = "\t";
    if (s.separator && s.separator[1])
        tell(stderr, "weft %s: --separator takes one character, or \\t\n", c->name);
    else if (s.file || s.study.common.resume) status = study_main(c, &study_csv, &s);
    else tell(stderr, "weft %s: FILE is missing; see weft train csv --help\n", c->name);
    free(whole);
    return status;
}

/* clang-format off */
#define ROW(member_, name_, kind_, value_, low_, high_, help_)                                     \
    { .name = name_, .kind = kind_, .value = value_, .low = low_, .high = high_, .help = help_,    \
      .offset = offsetof(csv_settings, member_) }
static const option csv_options[] = {
    ROW(label, "label", OPTION_TEXT, "COLUMN", 0, 0,
        "the target column: a name, or a number from 1 (the last)"),
    ROW(skip, "skip", OPTION_TEXT, "COLUMNS", 0, 0, "columns to leave out, separated by commas"),
    ROW(separator, "separator", OPTION_TEXT, "CHARACTER", 0, 0,
        "separates cells, \\t for a tab (detected)"),
    ROW(task, "task", OPTION_CHOICE, "auto|classes|numbers", 0, 0, "classification or regression (detected)"),
    {.name = "max-words", .kind = OPTION_COUNT, .value = "N", .low = 1, .high = 8192,
     .also = "most-words", .help = "most different words in a column (64)",
     .offset = offsetof(csv_settings, max_words)},
    ROW(missing, "missing", OPTION_CHOICE, "fails|mean|drops", 0, 0, "missing values: error, column mean, or drop the row (fails)"),
    ROW(test, "test", OPTION_NUMBER, "X", 0.01, 0.9,
        "share of the rows used as the test set (0.2)"),
    ROW(file, "file", OPTION_FILE, "FILE", 0, 0, "the table, instead of the operand"),
    CSV_USUAL(CSV_OPTIONS),
};
/* clang-format on */

const command train_csv_task = {
    .name = "csv",
    .summary = "classification or regression on a CSV table",
    .operands = "[FILE]",
    .about =
        "Predicts the last column (or --label) from the others: a class if it has words or few\n"
        "different integers, else a number. Columns of words are one-hot encoded. A fifth of\n"
        "the rows is the test set.\n",
    .examples = "weft train csv flowers.csv --label flower\n"
                "weft train csv \"$(weft data path flowers)\"\n",
    COMMAND_OPTIONS(csv_options),
    .settings_size = sizeof(csv_settings),
    .run = csv_run,
};

const study_task study_csv = {&train_csv_task, "Table", csv_name, csv_load, csv_fits};
