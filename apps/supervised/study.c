/* study.c - prepares, trains and evaluates a supervised run; see study.h. What people see is
 * study_show.c's. */
#include "study_tasks.h"

#include <weft/nn.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

weft_err study_open(study *t, const call *c, const study_settings *s) {
    *t = (study){.set = s};
    return run_open(&t->run, c, &s->common);
}

void study_close(study *t) {
    study_logic_free(t->logic);
    weft_plan_free(t->eval);
    weft_loader_free(t->test_loader);
    weft_loader_free(t->valid_loader);
    weft_loader_free(t->loader);
    weft_graph_free(t->eval_graph);
    weft_graph_free(t->graph);
    weft_data_free(t->test);
    weft_data_free(t->valid);
    weft_data_free(t->train);
    model_free(&t->model);
    free(t->answer);
    free(t->valid_answer);
    free(t->score);
    run_close(&t->run);
    *t = (study){0};
}

static weft_err study_read_model(void *study_pointer, weft_ctx *c, weft_json config,
                                 const char *path) {
    study *const t = study_pointer;
    t->validation = weft_json_number(weft_json_get(config, "validation"), 0);
    if (!(t->validation >= 0 && t->validation <= 0.5))
        return weft_fail(c, WEFT_FORMAT, "%s: validation: expected a share from 0 to 0.5", path);
    return model_read(c, config, path, &t->model);
}

weft_err study_model(study *t) {
    return run_read(&t->run, study_read_model, t);
}

/* ---- what early stopping goes by ---- */

static bool study_chooses(const study_settings *s) {
    return s->patience || s->schedule == 1 + WEFT_SCHEDULE_PLATEAU;
}

/* The share of a run that begins; one that is resumed has it in config.json. */
static double study_share(const study *t) {
    if (options_given(t->run.call->options, "validation")) return t->set->validation;
    return study_chooses(t->set) ? 0.1 : 0;
}

weft_err study_set_aside(study *t, const study_settings *s) {
    weft_data *part[4] = {NULL};
    const double rows = (double)weft_data_rows(t->train), share = t->validation;
    if (share > 0 && rows * share >= 1 && rows * (1 - share) >= 1) {
        const weft_split_desc split = {.share = {(float)(1 - share), (float)share},
                                       .seed = (uint32_t)s->common.seed};
        const weft_err e = weft_data_split(t->train, &split, part);
        if (e) return e;
        weft_data_free(t->train);
        t->train = part[0], t->valid = part[1];
    }
    if (study_chooses(s) && !t->valid && !s->common.quiet && t->run.call->task)
        tell(stderr, "Without a validation set, the test set is used to stop or to lower the "
                     "rate: the reported accuracy is optimistic\n");
    return WEFT_OK;
}

/* ---- data ---- */

/* Data and model may come from files that know nothing of each other. What the labels are is checked
 * here, so that a label can be an index everywhere else. */
static weft_err study_fits(const study *t, const weft_data *d, const char *which) {
    const model *const m = &t->model;
    const weft_field x = weft_data_field(d, 0), y = weft_data_field(d, 1);
    const int64_t wanted = m->net.rows * m->net.columns;
    int64_t inputs = 1;
    for (int i = 0; i < x.dims.rank; i++) inputs *= x.dims.n[i];
    if (inputs != wanted)
        return weft_fail(t->run.ctx, WEFT_FORMAT,
                         "the %s set has %lld inputs, the network takes %lld", which,
                         (long long)inputs, (long long)wanted);
    for (size_t i = 0; x.columns && i < m->inputs; i++)
        if (strcmp(x.columns[i], m->input[i]) != 0)
            return weft_fail(t->run.ctx, WEFT_FORMAT,
                             "the %s set: input %zu is \"%.60s\", the network was trained with "
                             "\"%.60s\" there",
                             which, i + 1, x.columns[i], m->input[i]);
    if (m->numbers != (y.classes == 0))
        return weft_fail(t->run.ctx, WEFT_FORMAT, "the %s set has %s, the network gives %s", which,
                         m->numbers ? "classes" : "numbers", m->numbers ? "numbers" : "classes");
    if (m->numbers || y.classes <= m->net.outputs) return WEFT_OK;
    return weft_fail(t->run.ctx, WEFT_FORMAT,
                     "the labels of the %s set reach %lld, the network has %lld classes", which,
                     (long long)y.classes - 1, (long long)m->net.outputs);
}

weft_err study_load(study *t, const study_task *task, const void *settings) {
    weft_err e = task->load(t, settings);
    if (!e && t->train) e = study_fits(t, t->train, "training");
    if (!e && t->test) e = study_fits(t, t->test, "test");
    return e;
}

/* ---- recording ---- */

/* What was given, or else what is usual. */
static int64_t study_whole(int64_t given, int64_t usual) {
    return given ? given : usual;
}
static double study_real(const study *t, const char *option_name, double given, double usual) {
    return options_given(t->run.call->options, option_name) || given != 0 ? given : usual;
}

static int64_t study_epochs(const study *t) {
    return study_whole(t->set->epochs, t->usual.epochs);
}

/* The rate over the whole run. It is a function of the optimiser's steps, of which --accumulate N
 * makes one out of N batches. */
static weft_schedule study_schedule(const study *t) {
    const study_settings *s = t->set;
    const int64_t batches = study_whole(s->accumulate, 1);
    const int64_t made = study_epochs(t) * weft_loader_steps(t->loader) / batches;
    const int64_t total = made > 1 ? made : 1, usual = total / 50 + 1;
    weft_schedule d = {
        .kind = s->schedule ? (weft_schedule_kind)(s->schedule - 1) : WEFT_SCHEDULE_COSINE,
        .warmup =
            s->warmup ? (s->warmup + batches - 1) / batches : (usual < total ? usual : total - 1),
        .total = total,
        .lowest = 0.01f,
        .patience = 3,
    };
    if (d.kind == WEFT_SCHEDULE_STEP) d.every = total / 3 + 1; /* two cuts to a tenth */
    if (d.kind == WEFT_SCHEDULE_EXPONENTIAL) d.every = total, d.gamma = d.lowest;
    return d;
}

static weft_optimiser_desc study_optimiser(const study *t) {
    const study_settings *s = t->set;
    weft_optimiser_desc d = {
        .kind = s->optimiser ? (weft_optimiser_kind)(s->optimiser - 1) : WEFT_OPTIMISER_ADAMW,
        .momentum = (float)s->momentum,
        .decay = (float)s->decay,
        .no_decay = options_given(t->run.call->options, "decay") && s->decay == 0,
        .clip_norm = (float)s->clip,
        .accumulate = s->accumulate,
        .loss_scale = s->mixed == WEFT_F16 ? 65536 : 0,
        .ema = (float)s->average,
        .schedule = t->schedule,
    };
    if (d.kind == WEFT_OPTIMISER_SGD && !options_given(t->run.call->options, "momentum"))
        d.momentum = 0.9f;
    /* the usual rate is AdamW's; other optimisers have their own */
    d.lr = (float)(s->rate != 0 ? s->rate : s->optimiser ? 0 : t->usual.rate);
    return d;
}

/* A float as it was written, 0.001 and not 0.00100000005. */
static void study_write_float(json *j, const char *key, double v) {
    char text[40];
    snprintf(text, sizeof text, "%.6g", v);
    json_number(j, key, strtod(text, NULL));
}

/* All that the training goes by, defaults included, for whoever reads the report. */
static void study_write_settings(const study *t, json *j) {
    static const struct {
        double rate, decay;
    } usual[] = {
#define X(name, text, rate, decay) {(double)rate, (double)decay},
        WEFT_OPTIMISERS(X)
#undef X
    };
    const study_settings *s = t->set;
    const weft_optimiser_desc d = study_optimiser(t);
    json_open(j, "settings", '{');
    json_text(j, "model", network_word(t->model.net.kind));
    json_integer(j, "hidden", t->model.net.hidden);
    study_write_float(j, "dropout", (double)t->model.net.dropout);
    json_text(j, "optimiser", weft_optimiser_name(d.kind));
    study_write_float(j, "learning rate", d.lr != 0 ? (double)d.lr : usual[d.kind].rate);
    study_write_float(j, "weight decay",
                      d.decay != 0 ? (double)d.decay
                      : d.no_decay ? 0
                                   : usual[d.kind].decay);
    if (d.momentum != 0) study_write_float(j, "momentum", (double)d.momentum);
    json_text(j, "schedule", weft_schedule_name(d.schedule.kind));
    json_integer(j, "warm-up steps", d.schedule.warmup);
    json_integer(j, "batch", weft_loader_rows(t->loader, 0));
    if (s->accumulate) json_integer(j, "batches per step", s->accumulate);
    if (s->mixed) json_text(j, "mixed precision", weft_dtype_name((weft_dtype)s->mixed));
    json_integer(j, "epochs", study_epochs(t));
    json_integer(j, "seed", s->common.seed);
    json_integer(j, "training rows", weft_data_rows(t->train));
    if (t->valid) json_integer(j, "validation rows", weft_data_rows(t->valid));
    json_integer(j, "test rows", weft_data_rows(t->test));
    json_close(j);
}

static void study_write_model(const void *study_pointer, json *j) {
    const study *const t = study_pointer;
    if (t->valid) json_number(j, "validation", t->validation);
    study_write_settings(t, j);
    model_write(j, &t->model);
}

/* Numbers are learned in units of their standard deviation, so that the rate suits all of them. */
static weft_tensor study_loss(const study *t, weft_tensor scores, weft_tensor y) {
    if (t->model.numbers) {
        y = weft_scale(weft_offset(y, -t->model.answer_mean), 1 / t->model.answer_std);
        return weft_nn_mse(weft_reshape(scores, weft_dims(-1)), y, WEFT_REDUCE_MEAN);
    }
    return weft_nn_cross_entropy(scores, y,
                                 &(weft_nn_classes_desc){.smoothing = (float)t->set->smoothing});
}

/* What the run tells of the loss: in the units of the table, as the final result is. */
static weft_tensor study_shown(const study *t, weft_tensor loss) {
    const float unit = t->model.answer_std;
    if (!t->model.numbers || unit > 1e15f) return loss; /* the square would be infinite */
    return weft_scale(loss, unit * unit);
}

weft_err study_prepare(study *t) {
    const study_settings *s = t->set;
    network *n = &t->model.net;
    const int64_t batch = study_whole(s->batch, t->usual.batch);
    const uint32_t seed = (uint32_t)s->common.seed;
    if (batch > weft_data_rows(t->train))
        return weft_fail(t->run.ctx, WEFT_ARGUMENT,
                         "--batch %lld: there are %lld training examples", (long long)batch,
                         (long long)weft_data_rows(t->train));
    n->hidden = study_whole(s->hidden, t->usual.hidden);
    n->dropout = (float)study_real(t, "dropout", s->dropout, t->usual.dropout);
    n->wiring = (uint64_t)s->common.seed;
    t->averaged = s->average > 0;
    weft_state_seed(t->run.state, seed);

    t->loader = weft_loader_new(t->run.ctx, &(weft_loader_desc){.data = t->train,
                                                                .batch = batch,
                                                                .seed = seed,
                                                                .mean = t->model.mean,
                                                                .std = t->model.std,
                                                                .moments = t->model.moments,
                                                                .shift = t->usual.shift});
    t->graph = t->loader ? weft_graph_new(t->run.ctx) : NULL;
    if (!t->graph) return weft_error_code(t->run.ctx);
    t->schedule = study_schedule(t);
    if (s->warmup && t->schedule.warmup >= t->schedule.total)
        return weft_fail(t->run.ctx, WEFT_ARGUMENT,
                         "--warmup %lld: the schedule has only %lld steps; increase --epochs",
                         (long long)s->warmup, (long long)t->schedule.total);
    t->x = weft_input(t->graph, WEFT_F32, weft_dims(batch, n->rows * n->columns));
    t->y = weft_input(t->graph, t->model.numbers ? WEFT_F32 : WEFT_I32, weft_dims(batch));
    const weft_tensor loss = study_loss(t, network_record(t->run.state, t->x, n), t->y);
    const weft_optimiser_desc d = study_optimiser(t);
    t->loss = study_shown(t, loss);
    t->update = weft_optimiser(t->run.state, loss, &d);
    t->rate = weft_learning_rate(t->graph, t->run.state, &d);
    if (weft_graph_error(t->graph)) return weft_graph_error(t->graph);
    return study_evaluate_prepare(t, STUDY_EVAL_ROWS);
}

/* ---- evaluation ---- */

weft_err study_evaluate_prepare(study *t, int64_t rows_at_once) {
    const network *n = &t->model.net;
    t->eval_graph = weft_graph_new(t->run.ctx);
    if (!t->eval_graph) return weft_error_code(t->run.ctx);
    weft_graph_eval(t->eval_graph);
    t->seen = weft_input(t->eval_graph, WEFT_F32, weft_dims(rows_at_once, n->rows * n->columns));
    t->scores = model_record(t->run.state, t->seen, &t->model);
    t->eval = weft_compile(t->eval_graph, &(weft_plan_desc){.fetch = weft_list(t->scores),
                                                            .threads = t->set->common.threads,
                                                            .mixed = (weft_dtype)t->set->mixed,
                                                            .name = "evaluate"});
    if (!t->eval) return weft_error_code(t->run.ctx);
    if (!t->test) return WEFT_OK;
    t->test_loader = weft_loader_new(t->run.ctx, &(weft_loader_desc){.data = t->test,
                                                                     .batch = rows_at_once,
                                                                     .in_order = true,
                                                                     .keep_last = true});
    t->answer = calloc(2 * (size_t)weft_data_rows(t->test) + 1, sizeof *t->answer);
    t->truth = t->answer ? t->answer + weft_data_rows(t->test) : NULL;
    t->score = malloc((size_t)(rows_at_once * n->outputs) * sizeof *t->score);
    if (t->valid) {
        t->valid_loader = weft_loader_new(t->run.ctx, &(weft_loader_desc){.data = t->valid,
                                                                          .batch = rows_at_once,
                                                                          .in_order = true,
                                                                          .keep_last = true});
        if (!t->valid_loader) return weft_error_code(t->run.ctx);
        t->valid_answer = calloc(2 * (size_t)weft_data_rows(t->valid), sizeof *t->valid_answer);
    }
    if (t->test_loader && !(t->answer && t->score && (t->valid_answer || !t->valid)))
        return weft_fail(t->run.ctx, WEFT_MEMORY, "out of memory");
    return t->test_loader ? study_logic_open(t) : weft_error_code(t->run.ctx);
}

/* What the network makes of batch b. The circuit reads the test set only; the plan gives the same. */
static weft_err study_scores(study *t, weft_loader *rows, int64_t b) {
    const int64_t outputs = t->model.net.outputs;
    if (t->logic && rows == t->test_loader) {
        study_logic_scores(t, b * STUDY_EVAL_ROWS, weft_loader_rows(rows, b), t->score);
        return WEFT_OK;
    }
    weft_err e = weft_loader_feed(rows, b, t->eval, &t->seen, 1);
    if (!e) e = weft_run(t->eval);
    return e ? e
             : weft_get(t->eval, t->scores, t->score,
                        (size_t)(STUDY_EVAL_ROWS * outputs) * sizeof *t->score);
}

/* -ln of the share that softmax gives to `is`; *best becomes the greatest score's place. */
static double study_row_loss(const float *score, int64_t n, int32_t is, int64_t *best) {
    double sum = 0;
    *best = 0;
    for (int64_t k = 1; k < n; k++)
        if (score[k] > score[*best]) *best = k;
    for (int64_t k = 0; k < n; k++) sum += exp((double)(score[k] - score[*best]));
    return log(sum) - (double)(score[is] - score[*best]);
}

/* The part of the spread that is explained; nan where all answers are the same. */
static double study_r2(const float *truth, double squares, int64_t rows) {
    double mean = 0, spread = 0;
    for (int64_t i = 0; i < rows; i++) mean += (double)truth[i] / (double)rows;
    for (int64_t i = 0; i < rows; i++)
        spread += ((double)truth[i] - mean) * ((double)truth[i] - mean);
    return spread > 0 ? 1 - squares / spread : NAN;
}

/* The loss and the accuracy (numbers: R2) of all rows; answer and truth of each are filled. */
static weft_err study_measure(study *t, weft_loader *rows, float *answer, float *truth,
                              double *mean_loss, double *accuracy) {
    const int64_t outputs = t->model.net.outputs;
    float *const score = t->score;
    double loss = 0;
    int64_t right = 0, at = 0;
    if (t->averaged && weft_ema_swap(t->run.state)) return weft_error_code(t->run.ctx);
    weft_err e = t->logic && rows == t->test_loader ? study_logic_look(t) : WEFT_OK;
    for (int64_t b = 0; !e && b < weft_loader_steps(rows); b++) {
        const void *field[2];
        e = study_scores(t, rows, b);
        if (!e) e = weft_loader_at(rows, b, field);
        for (int64_t i = 0; !e && i < weft_loader_rows(rows, b); i++, at++) {
            if (t->model.numbers) {
                const double is = (double)((const float *)field[1])[i];
                answer[at] = score[i], truth[at] = (float)is;
                loss += (score[i] - is) * (score[i] - is);
                continue;
            }
            const int32_t is = ((const int32_t *)field[1])[i];
            int64_t best;
            loss += study_row_loss(score + i * outputs, outputs, is, &best);
            answer[at] = (float)best, truth[at] = (float)is;
            right += best == is;
        }
    }
    if (t->averaged && weft_ema_swap(t->run.state)) return weft_error_code(t->run.ctx);
    *mean_loss = loss / (double)at;
    *accuracy = t->model.numbers ? study_r2(truth, loss, at) : (double)right / (double)at;
    return e;
}

static weft_err study_test(void *study_pointer, int64_t step, weft_metrics *m) {
    study *t = study_pointer;
    (void)step;
    const weft_err e =
        study_measure(t, t->test_loader, t->answer, t->truth, &t->test_loss, &t->accuracy);
    if (e) return e;
    t->evaluated = true;
    weft_metric(m, t->model.numbers ? "test/r2" : "test/accuracy", t->accuracy);
    weft_metric(m, "test/loss", t->test_loss);
    if (!t->model.numbers) return WEFT_OK;
    double away = 0;
    const int64_t rows = weft_data_rows(t->test);
    for (int64_t i = 0; i < rows; i++) away += fabs((double)t->answer[i] - (double)t->truth[i]);
    t->rmse = sqrt(t->test_loss), t->mae = away / (double)rows;
    weft_metric(m, "test/rmse", t->rmse);
    weft_metric(m, "test/mae", t->mae);
    return WEFT_OK;
}

weft_err study_evaluate(void *study_pointer, int64_t step, weft_metrics *m) {
    study *t = study_pointer;
    double loss, accuracy;
    weft_err e = WEFT_OK;
    if (t->valid) {
        e = study_measure(t, t->valid_loader, t->valid_answer,
                          t->valid_answer + weft_data_rows(t->valid), &loss, &accuracy);
        weft_metric(m, t->model.numbers ? "valid/r2" : "valid/accuracy", accuracy);
        weft_metric(m, "valid/loss", loss);
    } else {
        e = study_test(t, step, m);
        loss = t->test_loss;
    }
    if (!e && t->schedule.kind == WEFT_SCHEDULE_PLATEAU)
        e = weft_plateau_report(t->run.state, &t->schedule, (float)loss);
    return e;
}

/* ---- running ---- */

/* Epochs between evaluations: some forty in all, or one every thousand steps. */
static int64_t study_evaluations(int64_t epochs, int64_t epoch) {
    const int64_t forty = (epochs + 39) / 40, most = 1000 / epoch;
    return forty < most ? forty : most > 1 ? most : 1;
}

/* Steps from a line of the log to the next: a short run has a curve too. */
static int64_t study_lines(int64_t steps) {
    return steps < 100 ? 1 : steps < 5000 ? steps / 100 : 50;
}

static weft_err study_train(study *t, const char *title, weft_train_result *r) {
    const study_settings *s = t->set;
    const weft_tensor inputs[2] = {t->x, t->y};
    const int64_t epoch = weft_loader_steps(t->loader), epochs = study_epochs(t);
    const weft_err e =
        run_train(&t->run,
                  (weft_train_desc){.graph = t->graph,
                                    .loss = t->loss,
                                    .rate = t->rate,
                                    .update = t->update,
                                    .inputs = {inputs, 2},
                                    .loader = t->loader,
                                    .threads = s->common.threads,
                                    .mixed = (weft_dtype)s->mixed,
                                    .steps = s->common.steps ? s->common.steps : epochs * epoch,
                                    .evaluate = study_evaluate,
                                    .user = t,
                                    .evaluate_every = study_evaluations(epochs, epoch) * epoch,
                                    .log_every = study_lines(epochs * epoch),
                                    .patience = (int)s->patience,
                                    .evaluate_at_end = t->valid ? study_test : NULL,
                                    .title = title},
                  study_write_model, t, r);
    if (e) return e;
    if (r->ending == WEFT_END_INTERRUPTED) t->evaluated = false; /* that was some steps ago */
    const weft_err finished = study_logic_finish(t);
    return finished ? finished : study_report(t, title, r);
}

int study_main(const call *c, const study_task *task, void *settings) {
    const study_settings *s = settings;
    study t;
    weft_train_result r;
    char name[256];
    int status = EXIT_GOOD;
    weft_err e = study_open(&t, c, s);
    task->name(c, settings, name, sizeof name);
    if (!e && !run_place(&t.run, name)) {
        study_close(&t);
        return EXIT_USAGE;
    }
    if (!e) e = run_go_on(&t.run, settings);
    if (!e && s->common.resume) e = study_model(&t);
    if (!e && s->common.resume && !task->fits(&t.model))
        e = weft_fail(t.run.ctx, WEFT_FORMAT, "%s/config.json: model: not one of weft %s",
                      t.run.folder, c->name);
    if (!s->common.resume) t.validation = study_share(&t);
    if (!e) e = study_load(&t, task, settings);
    if (!e) e = study_prepare(&t);
    if (!e) e = study_train(&t, task->title, &r);
    if (!e) {
        study_tell(&t, &r);
        if (r.ending == WEFT_END_INTERRUPTED) status = EXIT_INTERRUPTED;
    } else status = command_failed(c, t.run.ctx);
    study_close(&t);
    return status;
}
