/* bench_steps.c - whole training steps: forward, backward and optimiser, feeds already set.
 *
 * First the loss is compared with that of the reference backend, in double, and the step with
 * differences of the loss and the optimiser's formula (bench_truth.h). Then, from a fixed seed, some
 * steps are made and the state's hash is taken: equal hashes mean equal bits, on any number of
 * threads. The loss must have fallen, and the rate is made so small that what is timed works on
 * ordinary values, not on denormal ones. */
#include "recipes.h"

#include "bench_truth.h"
#include "command.h"

#include "base/snapshot.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static recipe_size step_size(const bench *b) {
    return (recipe_size){.batch = b->batch, .tokens = b->tokens, .little = b->quick};
}

/* ---- is it right? ---- */

typedef struct step_proof {
    bench *b;
    recipe_record record;
    recipe_size size;
    const recipe *step;
    int64_t rows; /* examples of the reference; the batch has them again and again */
    recipe same;  /* as the reference has it */
    weft_plan *train, *forward;
    reference *by;
} step_proof;

static weft_tensor step_recorded(void *user, weft_graph *g, weft_state *s) {
    step_proof *const p = user;
    recipe_size size = p->size;
    size.batch = p->rows;
    p->same = p->record(g, s, size);
    return p->same.loss;
}

static bool step_fed(void *user, weft_plan *plan) {
    const step_proof *const p = user;
    return recipe_feed(p->b, plan, &p->same, 0) == EXIT_GOOD;
}

static weft_err step_once(void *user) {
    return weft_run(((const step_proof *)user)->train);
}

static double step_told(void *user) {
    const step_proof *const p = user;
    return (double)weft_item(p->train, p->step->loss);
}

static double step_loss(void *user) {
    const step_proof *const p = user;
    if (!p->forward) return reference_loss(p->by);
    return weft_run(p->forward) == WEFT_OK ? (double)weft_item(p->forward, p->step->loss) : NAN;
}

/* A network too slow for the reference to be asked often: once about a forward plan, which then
 * stands for it. */
static int step_forward(bench *b, weft_graph *g, step_proof *p) {
    p->forward = weft_compile(
        g, &(weft_plan_desc){.fetch = weft_list(p->step->loss), .threads = b->threads});
    if (!p->forward) return bench_failed(b, "compiling");
    int status = recipe_feed(b, p->forward, p->step, p->rows);
    const double loss = step_loss(p), want = reference_loss(p->by);
    if (status == EXIT_GOOD && !(fabs(loss - want) <= 2e-5 * (1e-3 + fabs(want))))
        status = bench_wrong(b, "the loss is %.9g, by the reference %.9g", loss, want);
    reference_free(p->by); /* it has done its part, and a large one has gigabytes */
    p->by = NULL;
    return status == EXIT_GOOD ? recipe_feed(b, p->forward, p->step, 0) : status;
}

static int step_true(bench *b, weft_graph *g, weft_state *s, step_proof *p) {
    const double enough = 2e8; /* operations: a fifth of a second for the reference */
    const double each = weft_plan_stats(p->train).flops / 3 / (double)p->step->batch;
    for (p->rows = p->step->batch; p->rows % 2 == 0 && (double)p->rows * each > enough;)
        p->rows /= 2;
    const bool slow = (double)p->rows * each > enough;
    p->by = reference_new(s, &(reference_desc){step_recorded, step_fed, p});
    if (!p->by) return bench_failed(b, "starting");
    int status = slow ? step_forward(b, g, p) : EXIT_GOOD;
    if (status == EXIT_GOOD) status = recipe_feed(b, p->train, p->step, slow ? 0 : p->rows);
    char why[300];
    const truth t = {.s = s,
                     .optimiser = p->step->optimiser,
                     .step = step_once,
                     .told = step_told,
                     .loss = step_loss,
                     .fine = !slow,
                     .user = p};
    if (status == EXIT_GOOD && !truth_holds(&t, why, sizeof why))
        status = bench_wrong(b, "%s", why);
    return status;
}

/* The state and the feeds are afterwards what they were. */
static int step_check(bench *b, weft_graph *g, weft_plan *train, weft_state *s, const recipe *step,
                      recipe_record record) {
    step_proof p = {.b = b, .record = record, .size = step_size(b), .step = step, .train = train};
    snapshot first = {0};
    int status = snapshot_take(&first, s, NULL) ? bench_failed(b, "copying the state")
                                                : step_true(b, g, s, &p);
    if (status == EXIT_GOOD && snapshot_restore(&first, s))
        status = bench_failed(b, "setting the state back");
    if (status == EXIT_GOOD) status = recipe_feed(b, train, step, 0);
    snapshot_free(&first);
    reference_free(p.by);
    weft_plan_free(p.forward);
    return status;
}

/* ---- timing ---- */

static int step_train(bench *b, weft_plan *p, weft_state *s, const recipe *step, char *hash,
                      size_t hash_size) {
    enum { HASHED = 50 };
    const double flops = weft_plan_stats(p).flops;
    const bool lasts = flops > 2e9;
    const int trained = flops > 1e11 ? 12 : lasts ? (b->quick ? 10 : 60) : b->quick ? 60 : 300;
    float first = 0;
    for (int i = 0; i < trained; i++) {
        if (weft_run(p) != WEFT_OK) return bench_failed(b, "running");
        if (i == 0) first = weft_item(p, step->loss);
        if (i < HASHED && (i == HASHED - 1 || i == trained - 1))
            snprintf(hash, hash_size, "%016" PRIx64, weft_state_hash(s));
    }
    const float last = weft_item(p, step->loss);
    if (!(isfinite(last) && last < first))
        return bench_wrong(b, "the loss went from %g to %g in %d steps", first, last, trained);
    const float slow = 1e-6f;
    if (weft_state_set(s, "optim.lr", &slow, sizeof slow) != WEFT_OK)
        return bench_failed(b, "setting the rate");
    return EXIT_GOOD;
}

/* Where the loss of the mixed plan is that of the f32 plan but for rounding, it is what will be timed. */
static int step_mixed(bench *b, weft_graph *g, const recipe *step, weft_plan **p) {
    double loss[2] = {0};
    int status = EXIT_GOOD;
    for (int i = 0; i < 2 && status == EXIT_GOOD; i++) {
        weft_plan *forward = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(step->loss),
                                                               .threads = b->threads,
                                                               .mixed = i ? b->mixed : WEFT_F32});
        if (!forward) return bench_failed(b, "compiling");
        status = recipe_feed(b, forward, step, 0);
        if (status == EXIT_GOOD && weft_run(forward)) status = bench_failed(b, "running");
        loss[i] = (double)weft_item(forward, step->loss);
        weft_plan_free(forward);
    }
    if (status == EXIT_GOOD && !(fabs(loss[1] - loss[0]) <= 2e-2 * fabs(loss[0])))
        return bench_wrong(b, "the mixed loss is %g, in f32 %g", loss[1], loss[0]);
    weft_plan_free(*p);
    *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(step->loss),
                                           .update = step->update,
                                           .threads = b->threads,
                                           .mixed = b->mixed});
    if (!*p) return bench_failed(b, "compiling");
    return status == EXIT_GOOD ? recipe_feed(b, *p, step, 0) : status;
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

static int step_measure(bench *b, weft_state *s, weft_graph *g, recipe_record record) {
    const recipe step = record(g, s, step_size(b));
    const double start = weft_clock();
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(step.loss),
                                                     .update = step.update,
                                                     .threads = b->threads});
    if (!p) return bench_failed(b, "compiling");
    const double compiled = weft_clock() - start;
    char hash[20] = "";
    bench_line l = {.part = b->mixed ? weft_dtype_name(b->mixed) : "", .work = BENCH_FLOPS};
    int status = recipe_feed(b, p, &step, 0);
    if (status == EXIT_GOOD) status = step_check(b, g, p, s, &step, record);
    if (status == EXIT_GOOD && b->mixed) status = step_mixed(b, g, &step, &p);
    if (status == EXIT_GOOD) status = step_train(b, p, s, &step, hash, sizeof hash);
    if (status == EXIT_GOOD) status = bench_plan_time(b, p, &l);
    if (status == EXIT_GOOD) {
        l.amount = l.stats.flops;
        bench_text(&l, "hash", hash);
        bench_number(&l, "compile_us", 1e6 * compiled);
        if (step.products > 0) status = step_language(b, s, &step, &l);
    }
    if (status == EXIT_GOOD) {
        snprintf(l.note, sizeof l.note, "hash %s", hash);
        bench_write(b, &l);
    }
    weft_plan_free(p);
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

    weft_state *s = weft_state_new(b->ctx);
    weft_graph *g = weft_graph_new(b->ctx);
    int status = EXIT_RESOURCES;
    if (s && g) {
        weft_state_seed(s, 1);
        status = step_measure(b, s, g, table[k].record);
    } else {
        status = bench_failed(b, "starting");
    }
    weft_graph_free(g);
    weft_state_free(s);
    return status;
}
