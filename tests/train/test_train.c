/* test_train.c - the training loop: it learns, it ends for each of its reasons, it goes on after a
 * stop with the same bits on any number of threads, and it names what broke the numbers. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "test.h"
#include "weft/nn.h"
#include "weft/optim.h"
#include "weft/train.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 200, WIDTH = 6, CLASSES = 3, BATCH = 20, HIDDEN = 12 };

/* Points of three clouds; a model with dropout, so that random numbers have to be resumed too. */
typedef struct bench_top {
    weft_ctx *c;
    weft_state *s;
    weft_graph *g, *judge_graph;
    weft_plan *judge;
    weft_data *data;
    weft_loader *loader;
    weft_tensor x, y, loss, rate, seen, scores;
    weft_updates update;
    float points[ROWS * WIDTH];
    int32_t labels[ROWS];
    int judged, concluded;
    double pretend; /* the metric that is reported, counted down; 0: the real one */
} bench_top;

static void points_of(bench_top *t) {
    uint32_t r = 7;
    for (int i = 0; i < ROWS; i++) {
        t->labels[i] = i % CLASSES;
        for (int k = 0; k < WIDTH; k++) {
            r = r * 1664525u + 1013904223u;
            t->points[i * WIDTH + k] =
                (float)(r >> 8) * 0x1p-24f + (k % CLASSES == t->labels[i] ? 1.0f : 0.0f);
        }
    }
}

static weft_tensor network(bench_top *t, weft_tensor x) {
    weft_scope_push(x.g, "body");
    weft_tensor h = weft_dropout(weft_relu(weft_nn_linear(t->s, x, HIDDEN, "fc1", NULL)), 0.2f);
    weft_scope_pop(x.g);
    return weft_nn_linear(t->s, h, CLASSES, "fc2", NULL);
}

static bench_top *begin(int threads, weft_optimiser_desc d) {
    bench_top *t = calloc(1, sizeof *t);
    t->c = weft_open_with(&(weft_open_desc){.threads = threads});
    t->s = weft_state_new(t->c);
    weft_state_seed(t->s, 3);
    points_of(t);
    const weft_field fields[2] = {
        {.name = "x", .dtype = WEFT_F32, .dims = weft_dims(WIDTH), .rows = t->points},
        {.name = "y", .dtype = WEFT_I32, .dims = WEFT_0D, .rows = t->labels, .classes = CLASSES}};
    t->data = weft_data_memory(t->c, fields, 2, ROWS, false);
    t->loader =
        weft_loader_new(t->c, &(weft_loader_desc){.data = t->data, .batch = BATCH, .seed = 5});
    t->g = weft_graph_new(t->c);
    t->x = weft_input(t->g, WEFT_F32, weft_dims(BATCH, WIDTH));
    t->y = weft_input(t->g, WEFT_I32, weft_dims(BATCH));
    t->loss = weft_nn_cross_entropy(network(t, t->x), t->y, NULL);
    t->update = weft_optimiser(t->s, t->loss, &d);
    t->rate = weft_learning_rate(t->g, t->s, &d);
    t->judge_graph = weft_graph_new(t->c);
    weft_graph_eval(t->judge_graph);
    t->seen = weft_input(t->judge_graph, WEFT_F32, weft_dims(ROWS, WIDTH));
    t->scores = network(t, t->seen);
    t->judge = weft_compile(t->judge_graph, &(weft_plan_desc){.fetch = weft_list(t->scores)});
    CHECK(t->judge && t->loader);
    return t;
}

static void end(bench_top *t) {
    weft_plan_free(t->judge);
    weft_graph_free(t->judge_graph);
    weft_graph_free(t->g);
    weft_loader_free(t->loader);
    weft_data_free(t->data);
    weft_state_free(t->s);
    weft_close(t->c);
    free(t);
}

static weft_err judge(void *user, int64_t step, weft_metrics *m) {
    bench_top *t = user;
    float score[ROWS * CLASSES];
    int right = 0;
    (void)step;
    t->judged++;
    if (t->pretend != 0) return weft_metric(m, "test/accuracy", t->pretend--), WEFT_OK;
    weft_set(t->judge, t->seen, t->points, sizeof t->points);
    weft_run(t->judge);
    weft_get(t->judge, t->scores, score, sizeof score);
    for (int i = 0; i < ROWS; i++) {
        int best = 0;
        for (int k = 1; k < CLASSES; k++)
            if (score[i * CLASSES + k] > score[i * CLASSES + best]) best = k;
        right += best == t->labels[i];
    }
    weft_metric(m, "test/accuracy", (double)right / ROWS);
    return WEFT_OK;
}

static weft_err judge_valid(void *user, int64_t step, weft_metrics *m) {
    (void)step;
    weft_metric(m, "valid/accuracy", ((bench_top *)user)->pretend--);
    return WEFT_OK;
}

static weft_train_desc desc_of(const bench_top *t, weft_tensor inputs[2], int64_t steps) {
    inputs[0] = t->x, inputs[1] = t->y;
    return (weft_train_desc){.graph = t->g,
                             .loss = t->loss,
                             .rate = t->rate,
                             .update = t->update,
                             .inputs = {inputs, 2},
                             .loader = t->loader,
                             .steps = steps,
                             .user = (void *)(uintptr_t)t};
}

static const weft_optimiser_desc adamw = {.kind = WEFT_OPTIMISER_ADAMW, .lr = 0.01f};

static char folder[200];
static const char *fresh_folder(const char *name) {
    const char *tmp = getenv("TMPDIR");
    char made[150];
    snprintf(made, sizeof made, "%s/weft-train-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    CHECK(mkdtemp(made));
    snprintf(folder, sizeof folder, "%s/%s", made, name);
    return folder;
}

static void remove_folder(void) {
    char command[300];
    *strrchr(folder, '/') = 0;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK_EQ(system(command), 0);
}

/* ---- learning and ending ---- */

TEST(it_learns_and_says_how_it_ended) {
    bench_top *t = begin(1, adamw);
    weft_tensor in[2];
    weft_train_desc d = desc_of(t, in, 300);
    weft_train_result r;
    d.evaluate = judge;
    CHECK_EQ(weft_train(t->s, &d, &r), WEFT_OK);
    CHECK_EQ(r.ending, WEFT_END_STEPS);
    CHECK_EQ(r.steps, 300);
    CHECK(weft_metric_of(&r.last, "test/accuracy") > 0.95);
    CHECK(weft_metric_of(&r.last, "train/loss") < 0.5);
    CHECK_NEAR(weft_metric_of(&r.last, "train/rate"), 0.01, 1e-6);
    CHECK_EQ(t->judged, 30); /* an epoch has 10 steps */
    CHECK_HAS(r.text, "300 steps");
    end(t);
}

/* The loss falls from 100 by 1 a step; a line of the log comes only every 1000. */
static weft_err falling_step(void *user, int64_t step, weft_metrics *m) {
    (void)user;
    weft_metric(m, "train/loss", 100 - (double)step);
    return WEFT_OK;
}

TEST(the_progress_line_is_about_the_last_steps) {
    char *text = NULL;
    size_t bytes = 0;
    weft_ctx *c = weft_open("cpu");
    weft_state *s = weft_state_new(c);
    FILE *to = open_memstream(&text, &bytes);
    const weft_train_desc d = {
        .step = falling_step, .steps = 80, .log_every = 1000, .progress = to};
    CHECK_EQ(weft_train(s, &d, NULL), WEFT_OK);
    fclose(to);
    const char *loss = text ? strstr(text, "step 80/80  loss ") : NULL;
    if (CHECK(loss)) { /* not the last one, 21, nor the mean of all, 60.5 */
        const double shown = strtod(loss + strlen("step 80/80  loss "), NULL);
        CHECK(shown > 30 && shown < 55);
    }
    free(text);
    weft_state_free(s);
    weft_close(c);
}

TEST(time_ends_it) {
    bench_top *t = begin(1, adamw);
    weft_tensor in[2];
    weft_train_desc d = desc_of(t, in, 0);
    weft_train_result r;
    d.seconds = 0.05;
    CHECK_EQ(weft_train(t->s, &d, &r), WEFT_OK);
    CHECK_EQ(r.ending, WEFT_END_SECONDS);
    CHECK(r.steps > 0 && r.seconds >= 0.05);
    end(t);
}

TEST(it_ends_early_when_nothing_gets_better) {
    bench_top *t = begin(1, adamw);
    weft_tensor in[2];
    weft_train_desc d = desc_of(t, in, 1000);
    weft_train_result r;
    d.evaluate = judge, d.evaluate_every = 7, d.patience = 3;
    t->pretend = 100; /* 100, 99, 98, 97: three that are no better than the first */
    CHECK_EQ(weft_train(t->s, &d, &r), WEFT_OK);
    CHECK_EQ(r.ending, WEFT_END_EARLY);
    CHECK_EQ(r.steps, 28);
    t->pretend = 100, d.monitor_min = true, d.steps = 70; /* now each is better */
    CHECK_EQ(weft_train(t->s, &d, &r), WEFT_OK);
    CHECK_EQ(r.ending, WEFT_END_STEPS);
    end(t);
}

static weft_err conclude(void *user, int64_t step, weft_metrics *m) {
    bench_top *t = user;
    CHECK_EQ(step, 28);
    t->concluded++;
    weft_metric(m, "test/accuracy", 0.25);
    return WEFT_OK;
}

/* What is reported is looked at once, and decides nothing. */
TEST(the_end_is_judged_on_other_data) {
    bench_top *t = begin(1, adamw);
    weft_tensor in[2];
    weft_train_desc d = desc_of(t, in, 1000);
    weft_train_result r;
    fresh_folder("run");
    d.evaluate = judge_valid, d.evaluate_every = 7, d.patience = 3, d.evaluate_at_end = conclude;
    d.run = folder;
    t->pretend = 100;
    CHECK_EQ(weft_train(t->s, &d, &r), WEFT_OK);
    CHECK_EQ(r.ending, WEFT_END_EARLY);
    CHECK_EQ(t->concluded, 1);
    CHECK_EQ(weft_metric_of(&r.last, "valid/accuracy"), 97);
    CHECK_EQ(weft_metric_of(&r.last, "test/accuracy"), 0.25);
    remove_folder();
    end(t);
}

/* ---- interrupting and resuming ---- */

static weft_err judge_then_signal(void *user, int64_t step, weft_metrics *m) {
    (void)user, (void)m;
    return step == 40 ? (raise(SIGINT), WEFT_OK) : WEFT_OK;
}

/* The state of 100 steps: in one go, or with a Ctrl-C after 40 and another number of threads. */
static uint64_t hash_of(int threads, bool stopped, int then) {
    uint64_t hash = 0;
    fresh_folder("run");
    bench_top *t = begin(threads, adamw);
    weft_tensor in[2];
    weft_train_desc d = desc_of(t, in, 100);
    weft_train_result r;
    d.run = folder, d.log_every = 10;
    if (stopped) d.evaluate = judge_then_signal, d.evaluate_every = 10, d.interrupt = true;
    CHECK_EQ(weft_train(t->s, &d, &r), WEFT_OK);
    hash = weft_state_hash(t->s);
    CHECK_EQ(r.ending, stopped ? WEFT_END_INTERRUPTED : WEFT_END_STEPS);
    CHECK_EQ(r.steps, stopped ? 40 : 100);
    end(t);
    if (stopped) {
        t = begin(then, adamw);
        d = desc_of(t, in, 100);
        d.run = folder, d.resume = true, d.log_every = 10;
        CHECK_EQ(weft_train(t->s, &d, &r), WEFT_OK);
        CHECK_EQ(r.resumed_at, 40);
        CHECK_EQ(r.steps, 100);
        hash = weft_state_hash(t->s);
        end(t);
    }
    remove_folder();
    return hash;
}

TEST(ctrl_c_and_resume_give_the_same_bits) {
    const uint64_t whole = hash_of(1, false, 0);
    CHECK(whole != 0);
    for (int threads = 1; threads <= 3; threads++) {
        CASE("resumed on %d threads", threads);
        CHECK_EQ((long long)hash_of(threads % 2 + 1, true, threads), (long long)whole);
    }
}

/* Every optimiser there is keeps all it needs in the state. */
/* Dies in its fourth step, as if it were killed. */
typedef struct mortal {
    bench_top *t;
    weft_plan *plan;
    bool dies;
} mortal;

static weft_err mortal_step(void *user, int64_t step, weft_metrics *m) {
    mortal *const k = user;
    const weft_tensor in[2] = {k->t->x, k->t->y};
    if (k->dies && step == 3) return WEFT_STATE;
    weft_err e = weft_loader_feed(k->t->loader, step, k->plan, in, 2);
    if (!e) e = weft_run(k->plan);
    weft_metric(m, "train/loss", (double)weft_item(k->plan, k->t->loss));
    return e;
}

static uint64_t mortal_hash(bool dies, bool resume, double every, weft_err expected, char *said) {
    bench_top *t = begin(1, adamw);
    mortal k = {.t = t, .dies = dies};
    k.plan = weft_compile(
        t->g,
        &(weft_plan_desc){.fetch = weft_list(t->loss), .update = t->update, .training = true});
    const weft_train_desc d = {.step = mortal_step,
                               .user = &k,
                               .steps = 12,
                               .run = folder,
                               .resume = resume,
                               .checkpoint_every = every};
    CHECK_EQ(weft_train(t->s, &d, NULL), expected);
    if (said) snprintf(said, 400, "%s", weft_error(t->c));
    const uint64_t hash = weft_state_hash(t->s);
    weft_plan_free(k.plan);
    end(t);
    return hash;
}

TEST(a_run_killed_at_once_is_resumed) {
    char said[400];
    fresh_folder("run");
    const uint64_t whole = mortal_hash(false, false, 0, WEFT_OK, NULL);
    mortal_hash(true, false, 0, WEFT_STATE, NULL);
    CHECK_EQ(mortal_hash(false, true, 0, WEFT_OK, NULL), whole);
    mortal_hash(true, false, -1, WEFT_STATE, NULL); /* a checkpoint at the end only */
    mortal_hash(false, true, 0, WEFT_FILE, said);
    CHECK_HAS(said, "no checkpoint to resume from");
    remove_folder();
}

static weft_err stopping_step(void *user, int64_t step, weft_metrics *m) {
    weft_metric(m, "train/loss", 1);
    if (step == 4) *(volatile bool *)user = true;
    return WEFT_OK;
}

TEST(a_stop_says_why) {
    static const char *const text[] = {NULL, "learned exactly"};
    static const char *const said[] = {"stopped after step 5", "learned exactly after step 5"};
    weft_ctx *c = weft_open("cpu");
    weft_state *s = weft_state_new(c);
    for (int i = 0; i < 2; i++) {
        volatile bool stop = false;
        weft_train_result r;
        const weft_train_desc d = {.step = stopping_step,
                                   .user = (void *)(uintptr_t)&stop,
                                   .steps = 100,
                                   .stop = &stop,
                                   .stop_text = text[i]};
        CHECK_EQ(weft_train(s, &d, &r), WEFT_OK);
        CHECK_EQ(r.ending, WEFT_END_INTERRUPTED);
        CHECK_STR(r.text, said[i]);
    }
    weft_state_free(s);
    weft_close(c);
}

TEST(every_optimiser_resumes) {
    for (int k = 0; k < WEFT_OPTIMISER_COUNT; k++)
        for (int more = 0; more < 2; more++) {
            CASE("%s%s", weft_optimiser_name((weft_optimiser_kind)k), more ? " and all" : "");
            weft_optimiser_desc d = {.kind = (weft_optimiser_kind)k};
            if (more) {
                d.momentum = 0.9f, d.nesterov = k == WEFT_OPTIMISER_SGD;
                d.clip_norm = 1, d.accumulate = 3, d.ema = 0.9f;
                d.schedule =
                    (weft_schedule){.kind = WEFT_SCHEDULE_COSINE, .warmup = 5, .total = 60};
                if (k != WEFT_OPTIMISER_SGD && k != WEFT_OPTIMISER_RMSPROP &&
                    k != WEFT_OPTIMISER_MUON)
                    d.momentum = 0;
            }
            uint64_t hash[2] = {0, 0};
            for (int stopped = 0; stopped < 2; stopped++) {
                fresh_folder("run");
                for (int part = stopped ? 0 : 1; part < 2; part++) {
                    bench_top *t = begin(1 + part, d);
                    weft_tensor in[2];
                    weft_train_desc how = desc_of(t, in, part ? 40 : 17);
                    how.run = folder, how.resume = stopped && part;
                    if (!CHECK_EQ(weft_train(t->s, &how, NULL), WEFT_OK))
                        printf("%s\n", weft_error(t->c));
                    hash[stopped] = weft_state_hash(t->s);
                    end(t);
                }
                remove_folder();
            }
            CHECK_EQ((long long)hash[0], (long long)hash[1]);
        }
}

static weft_err judge_and_fail(void *user, int64_t step, weft_metrics *m) {
    (void)user, (void)step, (void)m;
    return WEFT_FILE;
}

/* What a run left is not what a later one in the same folder goes on from. */
TEST(a_run_that_begins_anew_forgets_the_one_before) {
    const weft_err ends[] = {WEFT_OK, WEFT_OK, WEFT_FILE, WEFT_OK};
    const int64_t resumed_at[] = {0, 20, 0,
                                  0}; /* the last one from where the one that died began */
    fresh_folder("run");
    for (int i = 0; i < 4; i++) { /* two that end well, one that dies, one that would go on */
        CASE("run %d", i);
        bench_top *t = begin(1, adamw);
        weft_tensor in[2];
        weft_train_desc d = desc_of(t, in, i == 1 ? 40 : 20);
        d.run = folder, d.resume = i == 1 || i == 3, d.evaluate_every = 1;
        if (i == 2) d.evaluate = judge_and_fail;
        weft_train_result r;
        CHECK_EQ(weft_train(t->s, &d, &r), ends[i]);
        CHECK_EQ(r.resumed_at, resumed_at[i]);
        end(t);
    }
    remove_folder();
}

TEST(a_limit_below_what_was_trained_is_said) {
    fresh_folder("run");
    for (int i = 0; i < 2; i++) {
        bench_top *t = begin(1, adamw);
        weft_tensor in[2];
        weft_train_desc d = desc_of(t, in, i ? 5 : 20);
        d.run = folder, d.resume = i;
        weft_train_result r;
        CHECK_EQ(weft_train(t->s, &d, &r), WEFT_OK);
        CHECK_EQ(r.steps, 20);
        CHECK_STR(r.text,
                  i ? "already at step 20, beyond the limit of 5" : "finished, 20 of 20 steps");
        end(t);
    }
    remove_folder();
}

TEST(a_flag_of_the_program_stops_it) {
    bench_top *t = begin(1, adamw);
    weft_tensor in[2];
    weft_train_desc d = desc_of(t, in, 0);
    const volatile bool stop = true;
    weft_train_result r;
    d.stop = &stop;
    CHECK_EQ(weft_train(t->s, &d, &r), WEFT_OK);
    CHECK_EQ(r.ending, WEFT_END_INTERRUPTED);
    CHECK_EQ(r.steps, 0);
    end(t);
}

/* ---- numbers that break ---- */

TEST(the_guard_names_step_layer_and_operation) {
    bench_top *t = begin(1, adamw);
    weft_tensor in[2];
    weft_train_result r;
    /* from step 70 on the rate is huge; some steps later something overflows */
    weft_tensor late = weft_ge(weft_number(t->g, t->s, "optim.step", 0), weft_scalar(t->g, 70));
    weft_scope_push(t->g, "trap");
    weft_tensor broken = weft_log(weft_where(late, weft_scalar(t->g, -1), weft_scalar(t->g, 1)));
    weft_scope_pop(t->g);
    t->loss = weft_add(t->loss, broken);
    weft_train_desc d = desc_of(t, in, 200);
    CHECK_EQ(weft_train(t->s, &d, &r), WEFT_DIVERGED);
    CHECK_EQ(r.ending, WEFT_END_DIVERGED);
    CHECK_HAS(r.text, "step 71");
    CHECK_HAS(r.text, "log in trap");
    CHECK_HAS(weft_error(t->c), "log in trap");
    /* the state is that before the bad step */
    float steps = 0;
    CHECK_EQ(weft_state_get(t->s, "optim.step", &steps, sizeof steps), WEFT_OK);
    CHECK_EQ(steps, 70);
    float *w = weft_state_copy(t->s, "body.fc1.weight");
    for (int i = 0; i < HIDDEN * WIDTH && CHECK(w); i++)
        if (!isfinite(w[i])) CHECK(isfinite(w[i]));
    weft_resize(t->c, w, 0);
    end(t);
}

TEST(a_bad_parameter_is_found_though_the_loss_breaks_a_step_later) {
    bench_top *t = begin(1, (weft_optimiser_desc){.kind = WEFT_OPTIMISER_SGD, .lr = 0.01f});
    weft_tensor in[2];
    weft_train_result r;
    /* an extra update that spoils a parameter at its 30th run: the loss of the run after shows it */
    weft_tensor count = weft_number(t->g, t->s, "count", 0);
    weft_scope_push(t->g, "extra");
    weft_tensor bad = weft_sqrt(weft_sub(weft_scalar(t->g, 29), count));
    weft_scope_pop(t->g);
    weft_tensor p = weft_param(t->g, t->s, "spoiled", WEFT_0D, (weft_init){WEFT_INIT_ONES, 0, 0});
    weft_tensor fine = weft_add(t->loss, weft_scale(p, 1e-3f));
    t->loss = fine;
    weft_updates u =
        weft_updates_join(t->g, weft_assign(p, bad), weft_assign(count, weft_offset(count, 1)));
    t->update = u;
    weft_train_desc d = desc_of(t, in, 200);
    CHECK_EQ(weft_train(t->s, &d, &r), WEFT_DIVERGED);
    CHECK_HAS(r.text, "step 31");
    CHECK_HAS(r.text, "sqrt in extra");
    end(t);
}

/* ---- a step of one's own ---- */

static weft_err own_step(void *user, int64_t step, weft_metrics *m) {
    weft_state *s = user;
    float x;
    weft_err e = weft_state_get(s, "place", &x, sizeof x);
    x -= 0.1f * 2 * x;
    if (!e) e = weft_state_set(s, "place", &x, sizeof x);
    weft_metric(m, "train/loss", step == 150 ? (double)NAN : (double)(x * x));
    return e;
}

TEST(a_step_may_be_a_function) {
    weft_ctx *c = weft_open("cpu");
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    weft_number(g, s, "place", 5);
    weft_train_result r;
    weft_train_desc d = {.step = own_step, .user = s, .steps = 100};
    CHECK_EQ(weft_train(s, &d, &r), WEFT_OK);
    float x;
    CHECK_EQ(weft_state_get(s, "place", &x, sizeof x), WEFT_OK);
    CHECK(fabsf(x) < 1e-6f);
    d.steps = 200;
    CHECK_EQ(weft_train(s, &d, &r), WEFT_DIVERGED);
    CHECK_HAS(r.text, "step 151");
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
}

static weft_err few_metrics(void *user, int64_t step, weft_metrics *m) {
    (void)user, (void)step;
    weft_metric(m, "n0", 1);
    return WEFT_OK;
}

static weft_err many_metrics(void *user, int64_t step, weft_metrics *m) {
    static char name[WEFT_METRICS + 1][16];
    (void)step;
    for (int i = 0; i < *(const int *)user; i++) {
        snprintf(name[i], sizeof name[i], "n%d", i);
        weft_metric(m, name[i], 1);
    }
    return WEFT_OK;
}

TEST(a_metric_without_room_is_an_error) {
    weft_ctx *c = weft_open("null");
    weft_state *s = weft_state_new(c);
    int many = WEFT_METRICS;
    weft_train_desc d = {.step = many_metrics, .user = &many, .steps = 2, .evaluate_every = 1};
    CHECK_EQ(weft_train(s, &d, NULL), WEFT_OK);
    many++;
    CHECK_EQ(weft_train(s, &d, NULL), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(c), "no room for the metric \"n32\": a line has at most 32");
    for (int end = 0; end < 2; end++) {
        d = (weft_train_desc){.step = few_metrics, .user = &many, .steps = 1, .evaluate_every = 1};
        *(end ? &d.evaluate_at_end : &d.evaluate) = many_metrics;
        CHECK_EQ(weft_train(s, &d, NULL), WEFT_ARGUMENT);
        CHECK_HAS(weft_error(c), "no room for the metric \"n32\"");
    }
    weft_state_free(s);
    weft_close(c);
}

/* ---- what it refuses ---- */

TEST(wrong_descriptions_are_told) {
    bench_top *t = begin(1, adamw);
    weft_tensor in[2];
    const weft_train_desc good = desc_of(t, in, 10);
    weft_train_desc d = good;
    CHECK_EQ(weft_train(NULL, &d, NULL), WEFT_ARGUMENT);
    CHECK_EQ(weft_train(t->s, NULL, NULL), WEFT_ARGUMENT);
    d.step = own_step;
    CHECK_EQ(weft_train(t->s, &d, NULL), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(t->c), "not both");
    d = good, d.loader = NULL;
    CHECK_EQ(weft_train(t->s, &d, NULL), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(t->c), "a loader");
    d = good, d.steps = 0;
    CHECK_EQ(weft_train(t->s, &d, NULL), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(t->c), "nothing would end it");
    d = good, d.steps = -1;
    CHECK_EQ(weft_train(t->s, &d, NULL), WEFT_ARGUMENT);
    d = good, d.resume = true;
    CHECK_EQ(weft_train(t->s, &d, NULL), WEFT_ARGUMENT);
    CHECK_HAS(weft_error(t->c), "folder");
    d = good, d.loss = t->x;
    CHECK_EQ(weft_train(t->s, &d, NULL), WEFT_SHAPE);
    fresh_folder("none");
    d = good, d.run = folder, d.resume = true;
    CHECK(weft_train(t->s, &d, NULL) != WEFT_OK);
    CHECK_HAS(weft_error(t->c), "none: no checkpoint to resume from");
    remove_folder();
    char path[8];
    CHECK_STR(weft_run_checkpoint("a-run", path, sizeof path), "");
    char whole[100];
    CHECK_STR(weft_run_checkpoint("r", whole, sizeof whole), "r/checkpoints/latest.safetensors");
    end(t);
}
