/* bench_steps.c - whole training steps: forward, backward and optimiser, feeds already set.
 *
 * From a fixed seed some steps are made and the state's hash is taken: equal hashes mean equal
 * bits, on any number of threads. Then the loss must have fallen, and the rate is made so small
 * that what is timed works on ordinary values, not on denormal ones. */
#include "recipes.h"

#include "command.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static int step_train(bench *b, weft_plan *p, weft_state *s, const recipe *step, char *hash,
                      size_t hash_size) {
    enum { HASHED = 50 };
    const int trained = b->quick ? 60 : 300;
    float first = 0;
    for (int i = 0; i < trained; i++) {
        if (weft_run(p) != WEFT_OK) return bench_failed(b, "running");
        if (i == 0) first = weft_item(p, step->loss);
        if (i == HASHED - 1) snprintf(hash, hash_size, "%016" PRIx64, weft_state_hash(s));
    }
    const float last = weft_item(p, step->loss);
    if (!(isfinite(last) && last < first))
        return bench_wrong(b, "the loss went from %g to %g in %d steps", first, last, trained);
    const float slow = 1e-6f;
    if (weft_state_set(s, "optim.lr", &slow, sizeof slow) != WEFT_OK)
        return bench_failed(b, "setting the rate");
    return EXIT_GOOD;
}

static int step_measure(bench *b, weft_state *s, weft_graph *g, const recipe *step) {
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(step->loss),
                                                     .update = step->update,
                                                     .threads = b->threads});
    if (!p) return bench_failed(b, "compiling");
    char hash[20] = "";
    bench_line l = {.part = "", .work = BENCH_FLOPS};
    int status = recipe_feed(b, p, step);
    if (status == EXIT_GOOD) status = step_train(b, p, s, step, hash, sizeof hash);
    if (status == EXIT_GOOD) status = bench_plan_time(b, p, &l);
    if (status == EXIT_GOOD) {
        l.amount = l.stats.flops;
        bench_text(&l, "hash", hash);
        snprintf(l.note, sizeof l.note, "hash %s", hash);
        bench_write(b, &l);
    }
    weft_plan_free(p);
    return status;
}

int bench_step(bench *b) {
    static const struct {
        const char *name;
        recipe (*record)(weft_graph *g, weft_state *s);
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
        const recipe step = table[k].record(g, s);
        status = step_measure(b, s, g, &step);
    } else {
        status = bench_failed(b, "starting");
    }
    weft_graph_free(g);
    weft_state_free(s);
    return status;
}
