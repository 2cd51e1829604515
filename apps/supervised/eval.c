/* eval.c - weft eval RUN: evaluates a trained model on its test set, or serves as a filter
 * of raw rows. */
#include "cli/chart.h"
#include "study_tasks.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct eval_settings {
    bool raw, json;
    int threads, color;
} eval_settings;

enum { EVAL_ROWS = 64 }; /* of a filter, at once */

/* Reads up to `rows` whole rows of stdin; what is left of a row that ends too early is told. */
static int64_t eval_read(const call *c, float *x, int64_t rows, int64_t columns, bool *good) {
    const size_t row = (size_t)columns * sizeof *x;
    const size_t got = fread(x, 1, (size_t)rows * row, stdin);
    *good = !ferror(stdin) && got % row == 0;
    if (ferror(stdin)) tell(stderr, "weft %s: stdin: %s\n", c->name, strerror(errno));
    else if (!*good)
        tell(stderr, "weft %s: stdin ends inside a row: %zu of %zu bytes\n", c->name, got % row,
             row);
    return (int64_t)(got / row);
}

static int eval_filter(study *t) {
    const int64_t columns = t->model.net.rows * t->model.net.columns;
    const int64_t outputs = t->model.net.outputs;
    float *y = malloc((size_t)(EVAL_ROWS * outputs) * sizeof *y);
    float *x = weft_feed(t->eval, t->seen);
    bool good = true;
    int status = y && x ? EXIT_GOOD : command_failed(t->run.call, t->run.ctx);
    while (status == EXIT_GOOD && good) {
        const int64_t rows = eval_read(t->run.call, x, EVAL_ROWS, columns, &good);
        const size_t bytes = (size_t)(EVAL_ROWS * outputs) * sizeof *y;
        if (!rows) break;
        if (weft_run(t->eval) || weft_get(t->eval, t->scores, y, bytes))
            status = command_failed(t->run.call, t->run.ctx);
        else if (fwrite(y, sizeof *y * (size_t)outputs, (size_t)rows, stdout) != (size_t)rows)
            status = EXIT_FAILED; /* told at the end of the program */
    }
    free(y);
    return status == EXIT_GOOD && !good ? EXIT_INPUT : status;
}

static void eval_tell(const study *t, const eval_settings *s) {
    const long long rows = weft_data_rows(t->test);
    char tested[32];
    chart_count((double)rows, tested);
    if (s->json) {
        json j = json_begin(stdout);
        json_integer(&j, "schema", RUN_SCHEMA);
        json_text(&j, "run", t->run.folder);
        json_text(&j, "model", network_word(t->model.net.kind));
        json_number(&j, t->model.numbers ? "test_r2" : "test_accuracy", t->accuracy);
        json_number(&j, "test_loss", t->test_loss);
        if (t->model.numbers) json_number(&j, "test_rmse", t->rmse);
        if (t->model.numbers) json_number(&j, "test_mae", t->mae);
        json_integer(&j, "test_count", rows);
        json_end(&j);
    } else if (t->model.numbers) {
        tell(stdout, "R2 %.4f on %s test rows (RMSE %.4g, MAE %.4g).\n", t->accuracy, tested,
             t->rmse, t->mae);
    } else {
        tell(stdout, "%.2f %% accuracy on %s test examples (loss %.4g).\n", 100 * t->accuracy,
             tested, t->test_loss);
    }
}

static int eval_main(const call *c) {
    const eval_settings *s = c->settings;
    study t;
    void *settings = NULL;
    const study_task *task = NULL;
    if (s->raw && c->count > 1) {
        tell(stderr, "weft %s: --raw reads stdin, not %s\n", c->name, c->words[1]);
        return EXIT_USAGE;
    }
    if (!s->raw && text_is_model(c, c->words[0])) return text_eval(c, s->threads, s->json);
    weft_err e = study_reopen(&t, c, c->words[0], s->threads, &task, &settings);
    if (!e && !s->raw) {
        t.eval_file = c->count > 1 ? c->words[1] : NULL;
        e = study_load(&t, task, settings);
    }
    if (!e) e = study_evaluate_prepare(&t, s->raw ? EVAL_ROWS : STUDY_EVAL_ROWS);
    if (!e) e = study_weights(&t);
    int status = EXIT_GOOD;
    weft_metrics m = {0};
    if (!e && s->raw) status = eval_filter(&t);
    else if (!e && !(e = study_evaluate(&t, 0, &m))) eval_tell(&t, s);
    if (e) status = command_failed(c, t.run.ctx);
    study_close(&t);
    free(settings);
    return status;
}

static const option eval_options[] = {
    {.name = "raw",
     .kind = OPTION_FLAG,
     .help = "filter: raw f32 rows from stdin, the network's outputs to stdout",
     .offset = offsetof(eval_settings, raw)},
    ROW_THREADS(eval_settings),
    ROW_JSON(eval_settings),
};

const command eval_command = {
    .name = "eval",
    .summary = "evaluate a trained model, or use it as a filter",
    .operands = "RUN [FILE]",
    .about =
        "RUN is the folder of a run, or one of its checkpoints. The model is evaluated on the\n"
        "test set, or on FILE, a table with the same columns. With --raw it reads rows of raw\n"
        "f32 values and writes its outputs in the same form, like the C file of weft export.\n"
        "A language model, of a run or in a published folder, is evaluated by its loss on the "
        "text\n"
        "that its run held out, or on FILE.\n",
    .examples = "weft eval runs/digits-cnn\n"
                "weft eval runs/digits-cnn --raw <pixels >scores\n",
    COMMAND_OPTIONS(eval_options),
    .settings_size = sizeof(eval_settings),
    .run = eval_main,
};
