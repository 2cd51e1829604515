/* bench_steps.c - whole training steps: forward, backward and optimiser, feeds already set.
 *
 * First the step is compared with differences of the loss by the reference backend, in double, and
 * with the optimiser's formula (bench_truth.h). Where the reference would take seconds for one
 * loss, it is asked about a small network of the same layers, and the large step is compared with a
 * plan that has none of the fast blocks and fuses nothing. A mixed step is compared with that in f32.
 *
 * Then, from a fixed seed, some steps are made and the state's hash is taken: equal hashes mean equal
 * bits, on any number of threads. The loss must have fallen, and the rate is made so small that what
 * is timed works on ordinary values, not on denormal ones. */
#include "recipes.h"

#include "bench_truth.h"
#include "command.h"

#include "base/snapshot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A step recorded and compiled. */
typedef struct step_job {
    bench *b;
    recipe_record record;
    weft_state *s;
    weft_graph *g;
    recipe_size size;
    double compiled; /* seconds that it took */
    recipe step;
    weft_plan *train;
    weft_plan *other; /* of the same step, when two are compared */
    int64_t rows;     /* examples of the reference; the batch has them again and again */
    recipe same;      /* as the reference has it */
    reference *by;
} step_job;

static weft_plan *step_compile(const step_job *j, weft_plan_desc d) {
    d.fetch = weft_list(j->step.loss);
    d.update = j->step.update;
    d.threads = j->b->threads;
    return weft_compile(j->g, &d);
}

static int step_open(step_job *j, bench *b, recipe_record record, bool small) {
    const recipe_size size = {
        .batch = b->batch, .tokens = b->tokens, .little = b->quick, .small = small};
    *j = (step_job){.b = b, .record = record, .size = size, .s = weft_state_new(b->ctx)};
    j->g = j->s ? weft_graph_new(b->ctx) : NULL;
    if (!j->g) return bench_failed(b, "starting");
    weft_state_seed(j->s, 1);
    j->step = record(j->g, j->s, size);
    const double start = weft_clock();
    j->train = step_compile(j, (weft_plan_desc){0});
    j->compiled = weft_clock() - start;
    return j->train ? recipe_feed(b, j->train, &j->step, 0) : bench_failed(b, "compiling");
}

static void step_close(step_job *j) {
    reference_free(j->by);
    weft_plan_free(j->other);
    weft_plan_free(j->train);
    weft_graph_free(j->g);
    weft_state_free(j->s);
}

/* ---- is it right? ---- */

static weft_tensor step_recorded(void *user, weft_graph *g, weft_state *s) {
    step_job *const j = user;
    recipe_size size = j->size;
    size.batch = j->rows;
    j->same = j->record(g, s, size);
    return j->same.loss;
}

static bool step_fed(void *user, weft_plan *plan) {
    const step_job *const j = user;
    return recipe_feed(j->b, plan, &j->same, 0) == EXIT_GOOD;
}

static weft_err step_once(void *user) {
    return weft_run(((const step_job *)user)->train);
}

static weft_err step_other(void *user) {
    return weft_run(((const step_job *)user)->other);
}

static double step_told(void *user) {
    const step_job *const j = user;
    return (double)weft_item(j->train, j->step.loss);
}

static double step_loss(void *user) {
    return reference_loss(((const step_job *)user)->by);
}

static truth step_truth(step_job *j) {
    return (truth){.s = j->s,
                   .optimiser = j->step.optimiser,
                   .step = step_once,
                   .told = step_told,
                   .loss = step_loss,
                   .fine = true,
                   .user = j};
}

/* What the reference takes a fifth of a second for, in operations. */
static const double step_enough = 2e8;

static double step_example(const step_job *j) {
    return weft_plan_stats(j->train).flops / 3 / (double)j->step.batch;
}

/* Few examples, if all would take the reference long. */
static int step_reference(step_job *j) {
    for (j->rows = j->step.batch; j->rows % 2 == 0;) {
        if ((double)j->rows * step_example(j) <= step_enough) break;
        j->rows /= 2;
    }
    j->by = reference_new(j->s, &(reference_desc){step_recorded, step_fed, j});
    return j->by ? recipe_feed(j->b, j->train, &j->step, j->rows) : bench_failed(j->b, "starting");
}

static int step_by_differences(step_job *j) {
    char why[300];
    const truth t = step_truth(j);
    const int status = step_reference(j);
    if (status != EXIT_GOOD || truth_holds(&t, why, sizeof why)) return status;
    return bench_wrong(j->b, "%s", why);
}

/* Initial values of networks are small, and what a gradient leaves out would be as well. */
static int step_spread(step_job *j) {
    bench_random r = {1};
    for (size_t i = 0; i < weft_state_count(j->s); i++) {
        weft_entry e;
        if (weft_state_entry(j->s, i, &e) != WEFT_OK) return bench_failed(j->b, "a small network");
        if (!e.trained) continue;
        float *const values = malloc(e.bytes + 1);
        if (values) bench_fill(&r, values, (int64_t)(e.bytes / sizeof *values));
        const bool set = values && weft_state_set(j->s, e.name, values, e.bytes) == WEFT_OK;
        free(values);
        if (!set) return bench_failed(j->b, "a small network");
    }
    return EXIT_GOOD;
}

static int step_small(bench *b, recipe_record record) {
    step_job j;
    int status = step_open(&j, b, record, true);
    if (status == EXIT_GOOD && step_example(&j) > step_enough)
        status = bench_wrong(b, "the reference is too slow for the small network");
    if (status == EXIT_GOOD) status = step_spread(&j);
    if (status == EXIT_GOOD) status = step_by_differences(&j);
    step_close(&j);
    return status;
}

/* The loss of a few examples is the reference's; the state goes on. */
static int step_forward(step_job *j) {
    const int status = step_reference(j);
    if (status != EXIT_GOOD) return status;
    const double want = step_loss(j);
    reference_free(j->by); /* a large one has gigabytes */
    j->by = NULL;
    if (weft_run(j->train) != WEFT_OK) return bench_failed(j->b, "running");
    const double loss = step_told(j);
    if (!(fabs(loss - want) <= 2e-5 * (1e-3 + fabs(want))))
        return bench_wrong(j->b, "the loss is %.9g, by the reference %.9g", loss, want);
    return recipe_feed(j->b, j->train, &j->step, 0);
}

/* What two plans of a step may differ in: the loss by a share; each gradient by a share of its length,
 * along its own direction and in all. */
typedef struct step_bounds {
    double loss, along, rest;
} step_bounds;

/* The state goes on from where `other` left it. */
static int step_compare(step_job *j, const step_bounds *most) {
    char why[300];
    const truth t = step_truth(j);
    const int status = recipe_feed(j->b, j->other, &j->step, 0);
    if (status != EXIT_GOOD) return status;
    if (!truth_agrees(&t, step_other, most->along, most->rest, why, sizeof why))
        return bench_wrong(j->b, "%s", why);
    const double want = step_told(j), loss = (double)weft_item(j->other, j->step.loss);
    if (fabs(loss - want) <= most->loss * fabs(want)) return EXIT_GOOD;
    return bench_wrong(j->b, "the loss is %.9g, by another plan %.9g", loss, want);
}

static int step_by_plain(step_job *j) {
    j->other = step_compile(j, (weft_plan_desc){.portable = true, .unfused = true});
    if (!j->other) return bench_failed(j->b, "compiling");
    return step_compare(j, &(step_bounds){.loss = 1e-5, .along = 1e-5, .rest = 1e-4});
}

/* The mixed plan stands for the one in f32 from then on. A relu that rounding turns over, among few,
 * is what `rest` allows: no gradient of the steps here is off by more than 0.09 in bf16, 0.034 in f16;
 * without relu by 0.009 and 0.003. */
static int step_mixed(step_job *j) {
    static const step_bounds bf16 = {.loss = 2e-2, .along = 1e-2, .rest = 0.15},
                             f16 = {.loss = 5e-3, .along = 3e-3, .rest = 0.06};
    weft_plan_free(j->other);
    j->other = step_compile(j, (weft_plan_desc){.mixed = j->b->mixed});
    if (!j->other) return bench_failed(j->b, "compiling");
    const int status = step_compare(j, j->b->mixed == WEFT_BF16 ? &bf16 : &f16);
    weft_plan *const f32 = j->train;
    j->train = j->other, j->other = f32;
    return status;
}

/* The state and the feeds are afterwards what they were. */
static int step_check(step_job *j) {
    snapshot first = {0};
    int status = EXIT_GOOD;
    if (snapshot_take(&first, j->s, NULL)) status = bench_failed(j->b, "copying the state");
    if (status == EXIT_GOOD && step_example(j) <= step_enough) {
        status = step_by_differences(j);
    } else if (status == EXIT_GOOD) {
        status = step_small(j->b, j->record);
        if (status == EXIT_GOOD) status = step_forward(j);
        if (status == EXIT_GOOD) status = step_by_plain(j);
    }
    if (status == EXIT_GOOD) status = recipe_feed(j->b, j->train, &j->step, 0);
    if (status == EXIT_GOOD && j->b->mixed) status = step_mixed(j);
    if (status == EXIT_GOOD && snapshot_restore(&first, j->s))
        status = bench_failed(j->b, "setting the state back");
    snapshot_free(&first);
    return status;
}

/* ---- timing ---- */

static int step_train(step_job *j, char *hash, size_t hash_size) {
    bench *const b = j->b;
    weft_plan *const p = j->train;
    enum { HASHED = 50 };
    const double flops = weft_plan_stats(p).flops;
    const bool lasts = flops > 2e9;
    const int trained = flops > 1e11 ? 12 : lasts ? (b->quick ? 10 : 60) : b->quick ? 60 : 300;
    float first = 0;
    for (int i = 0; i < trained; i++) {
        if (weft_run(p) != WEFT_OK) return bench_failed(b, "running");
        if (i == 0) first = weft_item(p, j->step.loss);
        if (i < HASHED && (i == HASHED - 1 || i == trained - 1))
            snprintf(hash, hash_size, "%016" PRIx64, weft_state_hash(j->s));
    }
    const float last = weft_item(p, j->step.loss);
    if (!(isfinite(last) && last < first))
        return bench_wrong(b, "the loss went from %g to %g in %d steps", first, last, trained);
    const float slow = 1e-6f;
    if (weft_state_set(j->s, "optim.lr", &slow, sizeof slow) != WEFT_OK)
        return bench_failed(b, "setting the rate");
    return EXIT_GOOD;
}

/* Beside the same arithmetic as one product of 1024^3, on the same threads at the same time. */
static int step_by_product(bench *b, const recipe *step, bench_line *l) {
    const int64_t n = b->quick ? 256 : 1024;
    weft_graph *const g = weft_graph_new(b->ctx);
    if (!g) return bench_failed(b, "starting");
    const weft_tensor x = weft_input(g, WEFT_F32, weft_dims(n, n));
    const weft_tensor y = weft_input(g, WEFT_F32, weft_dims(n, n));
    const weft_tensor z = weft_matmul(x, y);
    weft_plan *const p =
        weft_compile(g, &(weft_plan_desc){.fetch = weft_list(z), .threads = b->threads});
    int status = p ? EXIT_GOOD : bench_failed(b, "compiling");
    bench_line of = {.part = ""};
    if (p) {
        bench_random r = {1};
        bench_fill(&r, weft_feed(p, x), n * n);
        bench_fill(&r, weft_feed(p, y), n * n);
        status = bench_plan_time(b, p, &of);
    }
    const double rate = 2e-3 * (double)(n * n * n) / of.time.median_us;
    if (status == EXIT_GOOD) {
        bench_number(l, "product_gflop", 1e-9 * step->products);
        bench_number(l, "product_gflops", rate);
        bench_number(l, "of_product", l->time.median_us * rate / (1e-3 * step->products));
    }
    weft_plan_free(p);
    weft_graph_free(g);
    return status;
}

/* What is said of a network of texts. */
static int step_language(bench *b, const weft_state *s, const recipe *step, bench_line *l) {
    double parameters = 0;
    for (size_t i = 0; i < weft_state_count(s); i++) {
        weft_entry e;
        if (weft_state_entry(s, i, &e) == WEFT_OK && e.trained)
            parameters += (double)e.bytes / (double)weft_dtype_size(e.dtype);
    }
    bench_number(l, "parameters", parameters);
    bench_number(l, "tokens_per_s",
                 1e6 * (double)weft_count(step->input[0].tensor) / l->time.median_us);
    return b->turns ? EXIT_GOOD : step_by_product(b, step, l);
}

static int step_measure(step_job *j) {
    bench *const b = j->b;
    char hash[20] = "";
    bench_line l = {.part = b->mixed ? weft_dtype_name(b->mixed) : "", .work = BENCH_FLOPS};
    int status = step_check(j);
    if (status == EXIT_GOOD) status = step_train(j, hash, sizeof hash);
    if (status == EXIT_GOOD) status = bench_plan_time(b, j->train, &l);
    if (status == EXIT_GOOD) {
        l.amount = l.stats.flops;
        bench_text(&l, "hash", hash);
        bench_number(&l, "compile_us", 1e6 * j->compiled);
        if (j->step.products > 0) status = step_language(b, j->s, &j->step, &l);
    }
    if (status == EXIT_GOOD) {
        snprintf(l.note, sizeof l.note, "hash %s", hash);
        bench_write(b, &l);
    }
    return status;
}

int bench_step(bench *b) {
    static const struct {
        const char *name;
        recipe_record record;
    } table[] = {
#define X(name, function, layers) {name, function},
        RECIPES(X)
#undef X
    };
    size_t k = 0;
    while (strcmp(table[k].name, b->name + strlen("step-")) != 0) k++;

    step_job j;
    int status = step_open(&j, b, table[k].record, false);
    if (status == EXIT_GOOD) status = step_measure(&j);
    step_close(&j);
    return status;
}
