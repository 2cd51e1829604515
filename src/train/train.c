/* train.c - the training loop: steps, logging, evaluation, checkpoints, stopping.
 *
 * Everything that decides the next step is in the state, in the number of the step and in the
 * options, so a resumed run continues as if it had never been stopped. What the loop itself must
 * remember (best evaluation, time spent) is in the checkpoint beside the state. guard.c finds out
 * where numbers went wrong. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "base/text.h"
#include "folder.h"
#include "train_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TRAIN_LOG_EVERY = 50, TRAIN_EVALUATE_EVERY = 1000, TRAIN_CHECKPOINT_SECONDS = 60 };
enum { TRAIN_LIVE_STEPS = 20 }; /* that the loss of the progress line is about */

const char *weft_run_checkpoint(const char *run, char *path, size_t bytes) {
    int n = run ? snprintf(path, bytes, "%s/checkpoints/latest" CHECKPOINT_ENDING, run) : -1;
    if ((n < 0 || (size_t)n >= bytes) && bytes) path[0] = 0;
    return path;
}

/* ---- what it is asked to do ---- */

static weft_err train_check(weft_state *s, const weft_train_desc *d) {
    weft_ctx *c = weft_state_ctx(s);
    if (!s || !d)
        return weft_fail(c, WEFT_ARGUMENT, "weft_train: the state or the description is NULL");
    if (d->step && (d->graph || d->loader))
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_train: either a step function or a graph with a loader, not both");
    if (!d->step && (!d->graph || !d->loader || !d->inputs.n))
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_train: a graph, a loader and inputs were expected, or a step");
    if (d->graph && weft_graph_error(d->graph)) return weft_graph_error(d->graph);
    if (d->graph && weft_count(d->loss) != 1)
        return weft_fail(c, WEFT_SHAPE, "weft_train: the loss has %lld elements, 1 was expected",
                         (long long)weft_count(d->loss));
    if (d->steps < 0 || !(d->seconds >= 0) || d->patience < 0 || d->evaluate_every < 0 ||
        d->log_every < 0)
        return weft_fail(c, WEFT_ARGUMENT, "weft_train: a limit is negative");
    if (!d->steps && d->seconds == 0 && !d->patience && !d->interrupt && !d->stop)
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_train: nothing would end it: give steps or seconds");
    if (d->resume && !d->run)
        return weft_fail(c, WEFT_ARGUMENT, "weft_train: resuming needs the folder of the run");
    return WEFT_OK;
}

/* ---- checkpoints ---- */

/*                  key in the checkpoint, member of train */
#define TRAIN_KEPT(X) X("train.seconds", seconds) X("train.best", best) X("train.waiting", waiting)

static weft_err train_save(train *t) {
    t->saved = weft_clock();
    if (!t->d->run) return WEFT_OK;
    weft_archive *kept = weft_archive_new(t->c);
    weft_err e = kept ? WEFT_OK : weft_error_code(t->c);
    char number[40];
#define X(key, member)                                                                             \
    snprintf(number, sizeof number, "%.17g", (double)t->member);                                   \
    if (!e) e = weft_archive_text(kept, key, number);
    TRAIN_KEPT(X)
#undef X
    if (!e) e = train_notice_save(t, kept);
    const int64_t epoch = t->d->loader ? weft_loader_steps(t->d->loader) : 0; /* in steps */
    const weft_checkpoint k = {.step = t->step,
                               .data_epoch = epoch > 0 ? t->step / epoch : 0,
                               .data_index = epoch > 0 ? t->step % epoch : t->step,
                               .extra = kept,
                               .beneath = t->d->run};
    const double start = weft_phase_start(t->c);
    if (!e) e = weft_checkpoint_save(t->s, t->checkpoint, &k);
    weft_phase_end(t->c, "checkpoint", start);
    weft_archive_free(kept);
    return e;
}

static weft_err train_resume(train *t) {
    WEFT_TRY(path_checkpoint_expected(t->c, t->d->run, t->checkpoint));
    weft_checkpoint k = {.extra = weft_archive_new(t->c), .beneath = t->d->run};
    if (!k.extra) return weft_error_code(t->c);
    weft_err e = weft_checkpoint_load(t->s, t->checkpoint, &k);
    const char *number;
    if (!e) {
        t->step = t->r->resumed_at = k.step;
#define X(key, member)                                                                             \
    if ((number = weft_archive_text_of(k.extra, key))) t->member = strtod(number, NULL);
        TRAIN_KEPT(X)
#undef X
        if (k.from_previous) snprintf(t->note, sizeof t->note, "%s", k.reason);
        e = train_notice_resume(t, k.extra);
    }
    weft_archive_free(k.extra);
    return e;
}

/* A run that starts over leaves nothing to resume from with other options: neither the
 * checkpoint that was there nor the one before it. */
static weft_err train_forget(train *t) {
    static const char *const name[] = {"checkpoints/latest.safetensors",
                                       "checkpoints/latest.previous.safetensors"};
    for (int i = 1; i >= 0; i--) WEFT_TRY(folder_remove(t->c, t->d->run, name[i]));
    return WEFT_OK;
}

/* ---- beginning ---- */

weft_plan *train_compile(const weft_train_desc *d, bool watch) {
    const weft_tensor fetch[2] = {d->loss, d->rate};
    return weft_compile(d->graph, &(weft_plan_desc){.fetch = {fetch, weft_ok(d->rate) ? 2 : 1},
                                                    .update = d->update,
                                                    .training = true,
                                                    .threads = d->threads,
                                                    .mixed = d->mixed,
                                                    .watch = watch,
                                                    .name = watch ? "watched" : "train"});
}

static weft_err train_begin(train *t) {
    const weft_train_desc *d = t->d;
    if (d->graph && !(t->plan = train_compile(d, false))) return weft_error_code(t->c);
    t->log_every = d->log_every ? d->log_every : TRAIN_LOG_EVERY;
    t->evaluate_every = d->evaluate_every ? d->evaluate_every
                        : d->loader       ? weft_loader_steps(d->loader)
                                          : TRAIN_EVALUATE_EVERY;
    t->best = NAN;
    if (d->run) {
        weft_run_checkpoint(d->run, t->checkpoint, sizeof t->checkpoint);
        if (!t->checkpoint[0])
            return weft_fail(t->c, WEFT_ARGUMENT,
                             "weft_train: the run's path has %zu bytes, at most %d are possible",
                             strlen(d->run), PATH_FOLDER - 1);
        if (!d->lock && !(t->lock = weft_run_lock_take(t->c, d->run))) return weft_error_code(t->c);
        WEFT_TRY(d->resume ? train_resume(t) : train_forget(t));
        t->log = weft_journal_open(
            t->c, &(weft_journal_desc){
                      .run = d->run, .config = d->config, .title = d->title, .resume = t->step});
        if (!t->log) return weft_error_code(t->c);
        char folder[sizeof t->checkpoint];
        memcpy(folder, t->checkpoint, sizeof folder);
        *strrchr(folder, '/') = 0;
        mkdir(folder, 0777); /* what is wrong shows when the checkpoint is written */
    }
    WEFT_TRY(train_notice_start(t));
    /* at once, so that a run that is killed early can be resumed too */
    if (d->run && !d->resume && !(d->checkpoint_every < 0)) WEFT_TRY(train_save(t));
    const double left = d->seconds > t->seconds ? d->seconds - t->seconds : 0;
    t->progress = weft_progress_new(t->c, d->progress, d->steps, left);
    if (!t->progress) return weft_error_code(t->c);
    if (t->note[0]) weft_progress_say(t->progress, t->note);
    t->saved = weft_clock();
    WEFT_TRY(train_status_start(t));
    WEFT_TRY(train_profile_start(t));
    if (d->interrupt) train_interrupt_catch();
    return train_guard_start(t);
}

/* ---- one step and what comes after it ---- */

weft_err train_one(train *t, weft_plan *p, int64_t step, weft_metrics *m) {
    const weft_train_desc *d = t->d;
    if (d->step) return d->step(d->user, step, m);
    const double start = weft_phase_start(t->c);
    WEFT_TRY(weft_loader_feed(d->loader, step, p, d->inputs.at, d->inputs.n));
    weft_phase_end(t->c, "feed", start);
    WEFT_TRY(weft_run(p));
    weft_metric(m, "train/loss", (double)weft_item(p, d->loss));
    if (weft_ok(d->rate)) weft_metric(m, "train/rate", (double)weft_item(p, d->rate));
    return WEFT_OK;
}

/* The line of the log: losses are the mean since the line before, other numbers the last ones. */
static weft_err train_log_line(train *t) {
    weft_metrics line = {0};
    const double now = t->seconds, span = now - t->logged_seconds;
    const int64_t steps = t->step - t->logged;
    for (size_t i = 0; i < t->m.n; i++) {
        const bool loss = strcmp(t->m.at[i].name, "train/loss") == 0;
        weft_metric(&line, t->m.at[i].name, loss ? t->loss_sum / (double)steps : t->m.at[i].value);
    }
    if (span > 0) weft_metric(&line, "speed/steps_per_s", (double)steps / span);
    const double resident = train_resident(t);
    if (resident > 0) weft_metric(&line, "memory_bytes", resident);
    t->loss_sum = 0, t->logged = t->step, t->logged_seconds = now;
    t->shown = line;
    return t->log ? weft_journal_write(t->log, t->step, &line) : WEFT_OK;
}

/* What the progress line shows: the numbers of the last steps, of the loss a mean that forgets. */
static void train_live(train *t, double loss) {
    if (!t->d->progress) return;
    if (isfinite(loss)) {
        if (t->live_steps < TRAIN_LIVE_STEPS) t->live_steps++;
        t->live_loss += (loss - t->live_loss) / t->live_steps;
    }
    for (size_t i = 0; i < t->m.n; i++) {
        const bool mean = strcmp(t->m.at[i].name, "train/loss") == 0;
        weft_metric(&t->live, t->m.at[i].name, mean ? t->live_loss : t->m.at[i].value);
    }
}

static bool train_better(const train *t, double value) {
    if (isnan(t->best)) return true;
    return t->d->monitor_min ? value < t->best : value > t->best;
}

/* Metrics of an evaluation, for people. */
static void train_say(train *t, const weft_metrics *m) {
    char line[300], value[40];
    int n = snprintf(line, sizeof line, "step %lld", (long long)t->step);
    for (size_t i = 0; i < m->n && n > 0 && (size_t)n < sizeof line; i++)
        n += snprintf(line + n, sizeof line - (size_t)n, "  %s %s", m->at[i].name,
                      number_text(value, sizeof value, 'g', 4, m->at[i].value));
    weft_progress_say(t->progress, line);
    if (!m->sample) return;
    weft_progress_say(t->progress, m->sample);
    weft_progress_say(t->progress, "");
}

static weft_err train_conclude(train *t) {
    weft_metrics m = {0};
    const double start = weft_phase_start(t->c);
    WEFT_TRY(t->d->evaluate_at_end(t->d->user, t->step, &m));
    WEFT_TRY(metrics_check(t->c, "weft_train", &m));
    weft_phase_end(t->c, "evaluate", start);
    if (t->log) WEFT_TRY(weft_journal_write(t->log, t->step, &m));
    for (size_t i = 0; i < m.n; i++) weft_metric(&t->evaluation, m.at[i].name, m.at[i].value);
    train_say(t, &m);
    return WEFT_OK;
}

static weft_err train_evaluate(train *t) {
    const weft_train_desc *d = t->d;
    weft_metrics m = {0};
    t->evaluated = t->step;
    const double start = weft_phase_start(t->c);
    WEFT_TRY(d->evaluate(d->user, t->step, &m));
    WEFT_TRY(metrics_check(t->c, "weft_train", &m));
    weft_phase_end(t->c, "evaluate", start);
    if (t->log) WEFT_TRY(weft_journal_write(t->log, t->step, &m));
    const double value = d->monitor ? weft_metric_of(&m, d->monitor) : m.n ? m.at[0].value : NAN;
    if (!isnan(value)) {
        const bool better = train_better(t, value);
        t->waiting = better ? 0 : t->waiting + 1;
        if (better) t->best = value;
    }
    train_say(t, &m);
    m.sample = NULL; /* whoever made it may make another */
    t->evaluation = m;
    return WEFT_OK;
}

/* Whether to end, and why. */
static bool train_ends(train *t) {
    const weft_train_desc *d = t->d;
    weft_train_result *r = t->r;
    char number[40];
    if (d->steps && t->step >= d->steps) {
        const bool past = t->step > d->steps; /* resumed, with a lower limit than before */
        r->ending = WEFT_END_STEPS;
        snprintf(r->text, sizeof r->text,
                 past ? "already at step %lld, beyond the limit of %lld"
                      : "finished, %lld of %lld steps",
                 (long long)t->step, (long long)d->steps);
    } else if (d->seconds > 0 && t->seconds >= d->seconds) {
        r->ending = WEFT_END_SECONDS;
        snprintf(r->text, sizeof r->text, "time limit reached (%s s)",
                 number_text(number, sizeof number, 'g', 6, d->seconds));
    } else if (d->patience && t->waiting >= d->patience) {
        r->ending = WEFT_END_EARLY;
        snprintf(r->text, sizeof r->text, "no improvement in %.0f evaluations", t->waiting);
    } else if ((d->interrupt && train_interrupted()) || (d->stop && *d->stop)) {
        const char *const stopped = d->stop_text ? d->stop_text : "stopped";
        r->ending = WEFT_END_INTERRUPTED;
        snprintf(r->text, sizeof r->text, "%s after step %lld",
                 d->stop && *d->stop ? stopped : "interrupted", (long long)t->step);
    } else return false;
    return true;
}

static weft_err train_loop(train *t) {
    const weft_train_desc *d = t->d;
    const double every = d->checkpoint_every > 0 ? d->checkpoint_every : TRAIN_CHECKPOINT_SECONDS;
    t->logged = t->step, t->evaluated = -1, t->logged_seconds = t->seconds;
    while (!train_ends(t)) {
        const double before = weft_clock();
        t->m.n = 0;
        WEFT_TRY(train_one(t, t->plan, t->step, &t->m));
        WEFT_TRY(metrics_check(t->c, "weft_train", &t->m));
        t->step++;
        t->seconds += weft_clock() - before;
        const double loss = weft_metric_of(&t->m, "train/loss");
        if (isfinite(loss)) t->loss_sum += loss;
        if (t->m.n && !isfinite(t->m.at[0].value)) return train_guard_explain(t);
        if (t->outlier_detector) WEFT_TRY(train_notice_loss(t, loss));
        WEFT_TRY(train_profile_step(t));
        if (t->step % t->log_every == 0) {
            WEFT_TRY(train_log_line(t));
            WEFT_TRY(train_guard_keep(t));
        }
        train_live(t, loss);
        weft_progress_show(t->progress, t->step, &t->live);
        if (d->evaluate && t->step % t->evaluate_every == 0) WEFT_TRY(train_evaluate(t));
        if (d->checkpoint_every >= 0 && weft_clock() - t->saved >= every) WEFT_TRY(train_save(t));
    }
    if (t->step > t->logged) WEFT_TRY(train_log_line(t));
    WEFT_TRY(train_save(t)); /* first of all what cannot be made again */
    /* after Ctrl-C there is no waiting for an evaluation */
    const bool hurried = t->r->ending == WEFT_END_INTERRUPTED;
    if (d->evaluate && t->evaluated != t->step && !hurried) WEFT_TRY(train_evaluate(t));
    if (d->evaluate_at_end && !hurried) WEFT_TRY(train_conclude(t));
    return WEFT_OK;
}

weft_err weft_train(weft_state *s, const weft_train_desc *d, weft_train_result *r) {
    weft_train_result unread;
    if (!r) r = &unread;
    *r = (weft_train_result){0};
    WEFT_TRY(train_check(s, d));
    weft_ctx *c = weft_state_ctx(s);
    train *t = weft_resize(c, NULL, sizeof *t);
    if (!t) return weft_fail(c, WEFT_MEMORY, "weft_train: out of memory");
    memset(t, 0, sizeof *t);
    t->c = c, t->s = s, t->d = d, t->r = r, t->statm = -1;

    weft_err e = train_begin(t);
    if (!e) e = train_loop(t);
    e = train_profile_end(t, e);
    if (d->interrupt && t->guarded) train_interrupt_release();
    r->steps = t->step;
    r->seconds = t->seconds;
    r->outliers = t->outliers;
    r->last = t->evaluation;
    for (size_t i = 0; i < t->shown.n; i++)
        weft_metric(&r->last, t->shown.at[i].name, t->shown.at[i].value);
    weft_progress_free(t->progress);
    const weft_err closed = weft_journal_close(t->log);
    e = train_status_end(t, e ? e : closed);
    weft_run_lock_drop(t->lock);
    train_guard_end(t);
    weft_detector_free(t->outlier_detector);
    weft_plan_free(t->plan);
    weft_resize(c, t, 0);
    return e;
}

#undef TRAIN_KEPT
