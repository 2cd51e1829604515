/* learn.c - see learn.h. */
#include "learn.h"

#include <weft/optim.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEARN_TRIED = 16384, LEARN_SAMPLE = 160 }; /* tokens of a trial; of a sample */
static const double learn_settled = 0.04;         /* of the time, when its steps are counted */
static const double learn_lowest = 0.05;          /* of the rate, at the end */
/* Tables, norms and biases are AdamW's where matrices are Muon's. nano after 300 steps of Shakespeare's
 * characters: with 0.015 of Muon's rate 2.05, 0.05 1.90, 0.15 1.86, 0.4 1.85. */
static const double learn_tables = 0.2;

/* ---- the rate ---- */

/* Up to the peak in the first steps, then down along half a cosine. */
static double learn_factor(const learn *t, int64_t step) {
    const double gone = pace_gone(&t->pace, step);
    const double down = learn_lowest + (1 - learn_lowest) * 0.5 * (1 + cos(acos(-1.0) * gone));
    const double up = (double)(step + 1) / (double)(t->d.warmup + 1);
    return up < 1 ? up * down : down;
}

/* ---- plans ---- */

static weft_err learn_compile(learn *t, bool checkpointing) {
    const language *const l = t->model;
    weft_lm_desc how = language_desc(l);
    weft_graph *const g = weft_graph_new(t->run->ctx);
    if (!g) return weft_error_code(t->run->ctx);
    weft_plan_free(t->plan);
    weft_graph_free(t->graph);
    t->graph = g;
    how.checkpoint = checkpointing;
    const weft_shape dims = weft_dims(t->d.batch, t->d.length);
    t->x = weft_input(g, WEFT_I32, dims), t->y = weft_input(g, WEFT_I32, dims);
    t->loss = weft_lm_loss(language_state(l, t->run), t->x, t->y, &l->m, &how);
    size_t groups = 0;
    const weft_group *const group = l->lora.rank ? NULL : weft_lm_groups(&l->m, &groups);
    const weft_updates update =
        weft_optimiser(t->run->state, t->loss,
                       &(weft_optimiser_desc){.kind = (weft_optimiser_kind)t->d.optimiser,
                                              .lr = (float)t->d.rate,
                                              .aux_lr = (float)(t->d.rate * learn_tables),
                                              .decay = (float)t->d.decay,
                                              .no_decay = t->d.decay == 0,
                                              .clip_norm = (float)t->d.clip,
                                              .accumulate = t->d.accumulate,
                                              .loss_scale = t->d.mixed == WEFT_F16 ? 65536 : 0,
                                              .groups = group,
                                              .group_count = groups});
    t->plan = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(t->loss),
                                                .update = update,
                                                .training = true,
                                                .threads = t->d.threads,
                                                .mixed = t->d.mixed,
                                                .name = "train"});
    return t->plan ? WEFT_OK : weft_error_code(t->run->ctx);
}

static weft_err learn_data(learn *t) {
    weft_ctx *const c = t->run->ctx;
    t->data = corpus_windows(t->text, c, t->d.length, t->model->m.vocab, false);
    if (t->data)
        t->batches = weft_loader_new(
            c, &(weft_loader_desc){.data = t->data, .batch = t->d.batch, .seed = t->d.seed});
    return t->batches ? WEFT_OK : weft_error_code(c);
}

weft_err learn_begin(learn *t) {
    t->loss_held_out = NAN;
    weft_err e = learn_data(t);
    if (!e) e = learn_compile(t, false);
    if (!e && t->d.checkpointing) {
        const size_t plain = weft_plan_stats(t->plan).arena_bytes;
        e = learn_compile(t, true);
        const size_t now = weft_plan_stats(t->plan).arena_bytes;
        t->saved = now < plain ? plain - now : 0;
    }
    if (!e)
        e = judge_begin(&t->judge, t->run, t->model, t->text,
                        &(judge_desc){.length = t->d.length,
                                      .batch = t->d.batch,
                                      .threads = t->d.threads,
                                      .mixed = t->d.mixed});
    if (e) return e;
    return pace_make(
        &t->pace, t->run->state, "text",
        &(pace_desc){.seconds = t->d.seconds, .settled = learn_settled, .plan = t->d.plan});
}

void learn_end(learn *t) {
    weft_generator_free(t->writer);
    judge_end(&t->judge);
    weft_plan_free(t->plan);
    weft_graph_free(t->graph);
    weft_loader_free(t->batches);
    weft_data_free(t->data);
    *t = (learn){0};
}

/* ---- a step ---- */

weft_err learn_step(void *learn_pointer, int64_t step, weft_metrics *m) {
    learn *const t = learn_pointer;
    const double start = weft_clock();
    const weft_tensor inputs[2] = {t->x, t->y};
    const float rate = (float)(t->d.rate * learn_factor(t, step));
    weft_err e = weft_state_set(t->run->state, "optim.lr", &rate, sizeof rate);
    if (!e) e = weft_loader_feed(t->batches, step, t->plan, inputs, 2);
    if (!e) e = weft_run(t->plan);
    if (e) return e;
    weft_metric(m, "train/loss", (double)weft_item(t->plan, t->loss));
    weft_metric(m, "train/rate", (double)rate);
    pace_step(&t->pace, step, weft_clock() - start);
    return WEFT_OK;
}

/* ---- evaluation ---- */

static weft_err learn_judge(learn *t, int64_t most, weft_metrics *m) {
    const weft_err e = judge_loss(&t->judge, most, &t->loss_held_out, &t->counted);
    if (e) return e;
    weft_metric(m, "val/loss", t->loss_held_out);
    weft_metric(m, "val/perplexity", exp(t->loss_held_out));
    return WEFT_OK;
}

static void learn_show(void *learn_pointer, int sequence, const char *text, size_t n) {
    learn *const t = learn_pointer;
    const size_t had = strlen(t->sample);
    (void)sequence;
    if (had + n >= sizeof t->sample) return; /* whole characters or none */
    memcpy(t->sample + had, text, n);
    t->sample[had + n] = 0;
}

/* What it writes now; the same chance each time, so that the change is the network's. */
static weft_err learn_write(learn *t) {
    const language *const l = t->model;
    t->sample[0] = 0;
    if (!t->writer)
        t->writer =
            weft_generator_new(language_state(l, t->run), &l->m,
                               &(weft_generator_desc){.sample = {.temperature = 0.8f, .top_k = 200},
                                                      .seed = t->d.seed,
                                                      .threads = t->d.threads,
                                                      .model = language_desc(l)});
    if (!t->writer) return weft_error_code(t->run->ctx);
    return weft_generator_write(
        t->writer, l->vocab, t->d.prompt,
        &(weft_lm_write_desc){.tokens = LEARN_SAMPLE, .show = learn_show, .user = t}, NULL);
}

weft_err learn_try(void *learn_pointer, int64_t step, weft_metrics *m) {
    learn *const t = learn_pointer;
    (void)step;
    weft_err e = learn_judge(t, LEARN_TRIED, m);
    if (!e) e = learn_write(t);
    m->sample = t->sample;
    return e;
}

weft_err learn_evaluate(void *learn_pointer, int64_t step, weft_metrics *m) {
    (void)step;
    return learn_judge(learn_pointer, 0, m);
}
