/* bench_plan.c - how long recording and compiling take, and what comes out of them.
 *
 * The state is made once; then the step is recorded and compiled each time, so that neither
 * part finds anything prepared. The last plan is run, to see that its loss is right (gradients are
 * what step-NAME looks at) and to count what a run allocates. */
#include "recipes.h"

#include "command.h"

#include <math.h>
#include <string.h>

/* A graph's text has a line for each node. */
static int plan_nodes(bench *b, const weft_graph *g) {
    char *text = weft_graph_text(g);
    int lines = 0;
    for (const char *at = text; at && (at = strchr(at, '\n')); at++) lines++;
    weft_text_free(b->ctx, text);
    return lines;
}

typedef struct plan_times {
    double record[WEFT_BENCH_SAMPLES], compile[WEFT_BENCH_SAMPLES];
    int n;
} plan_times;

/* The loss of the plan's first run beside that of one kernel for each operation, forward only. */
static int plan_true(bench *b, weft_graph *g, weft_plan *p, const recipe *step) {
    weft_plan *const plain = weft_compile(
        g,
        &(weft_plan_desc){.fetch = weft_list(step->loss), .threads = b->threads, .unfused = true});
    int status = plain ? recipe_feed(b, plain, step, 0) : bench_failed(b, "compiling");
    if (status == EXIT_GOOD) status = recipe_feed(b, p, step, 0);
    if (status == EXIT_GOOD && (weft_run(plain) != WEFT_OK || weft_run(p) != WEFT_OK))
        status = bench_failed(b, "running");
    if (status == EXIT_GOOD) {
        const double want = (double)weft_item(plain, step->loss);
        const double got = (double)weft_item(p, step->loss);
        if (!(fabs(got - want) <= 1e-5 * fabs(want)))
            status = bench_wrong(b, "the loss is %.9g, unfused %.9g", got, want);
    }
    weft_plan_free(plain);
    return status;
}

/* Records and compiles until there are samples enough or the time is over. */
static int plan_measure(bench *b, weft_state *s, recipe_record record, plan_times *t,
                        bench_line *l) {
    const double begin = weft_clock(), seconds = b->quick ? 0 : 0.5;
    const int least = b->quick ? 1 : 7;
    int status = EXIT_GOOD;
    bool last = false;
    for (int i = -1; !last && status == EXIT_GOOD; i++) { /* the first time makes the state */
        weft_graph *g = weft_graph_new(b->ctx);
        if (!g) return bench_failed(b, "starting");
        const double start = weft_clock();
        const recipe step = record(g, s, (recipe_size){.little = b->quick});
        const double recorded = weft_clock();
        weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(step.loss),
                                                         .update = step.update,
                                                         .threads = b->threads});
        const double compiled = weft_clock();
        if (i >= 0) {
            t->record[i] = 1e6 * (recorded - start);
            t->compile[i] = 1e6 * (compiled - recorded);
            t->n = i + 1;
        }
        last = t->n == WEFT_BENCH_SAMPLES || (t->n >= least && compiled - begin > seconds);
        if (!p) {
            status = bench_failed(b, "compiling");
        } else if (last) {
            bench_number(l, "nodes", plan_nodes(b, g));
            status = plan_true(b, g, p, &step);
            if (status == EXIT_GOOD) status = bench_plan_facts(b, p, l);
        }
        weft_plan_free(p);
        weft_graph_free(g);
    }
    return status;
}

int bench_plan(bench *b) {
    static const struct {
        const char *name;
        recipe_record record;
        int layers;
    } table[] = {
#define X(name, function, layers) {name, function, layers},
        RECIPES(X)
#undef X
    };
    int status = EXIT_GOOD;
    for (size_t k = 0; k < sizeof table / sizeof *table && status == EXIT_GOOD; k++) {
        weft_state *s = weft_state_new(b->ctx);
        if (!s) return bench_failed(b, "starting");
        plan_times t = {.n = 0};
        bench_line l = {.part = table[k].name};
        bench_text(&l, "graph", table[k].name);
        if (table[k].layers) bench_number(&l, "layers", table[k].layers);
        status = plan_measure(b, s, table[k].record, &t, &l);
        if (status == EXIT_GOOD) {
            const double record_us = weft_bench_median(t.record, (size_t)t.n);
            weft_bench_summary(t.compile, (size_t)t.n, &l.time);
            bench_number(&l, "compile_us", l.time.median_us);
            bench_number(&l, "record_us", record_us);
            snprintf(l.note, sizeof l.note, "recording %.0f us", record_us);
            bench_write(b, &l);
        }
        weft_state_free(s);
    }
    return status;
}
