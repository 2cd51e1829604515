/* bench_plan.c - how long recording and compiling take, and what comes out of them.
 *
 * The state is made once; then the step is recorded and compiled anew each time, so that neither
 * part finds anything prepared. The last plan is run, to count what a run allocates. */
#include "recipes.h"

#include "command.h"

#include <string.h>

typedef recipe (*plan_recorder)(weft_graph *g, weft_state *s);

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

/* Records and compiles until there are samples enough or the time is over. */
static int plan_measure(bench *b, weft_state *s, plan_recorder record, plan_times *t,
                        bench_line *l) {
    const double begin = weft_clock(), seconds = b->quick ? 0 : 0.5;
    const int least = b->quick ? 1 : 7;
    int status = EXIT_GOOD;
    bool last = false;
    for (int i = -1; !last && status == EXIT_GOOD; i++) { /* the first time makes the state */
        weft_graph *g = weft_graph_new(b->ctx);
        if (!g) return bench_failed(b, "starting");
        const double start = weft_clock();
        const recipe step = record(g, s);
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
            status = recipe_feed(b, p, &step);
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
        plan_recorder record;
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
