/* judge.c - see judge.h. Windows lie one behind the other, so that each token counts once. */
#include "judge.h"

#include <stdlib.h>
#include <string.h>

weft_err judge_begin(judge *k, run *r, const language *l, const corpus *text, const judge_desc *d) {
    const weft_lm_desc how = language_desc(l);
    const weft_shape dims = weft_dims(d->batch, d->length);
    *k = (judge){.d = *d, .run = r};
    k->windows = corpus_windows(text, r->ctx, d->length, l->m.vocab, true);
    k->batches = k->windows ? weft_loader_new(r->ctx, &(weft_loader_desc){.data = k->windows,
                                                                          .batch = d->batch,
                                                                          .in_order = true,
                                                                          .keep_last = true})
                            : NULL;
    k->graph = k->batches ? weft_graph_new(r->ctx) : NULL;
    if (!k->graph) return weft_error_code(r->ctx);
    k->targets = malloc((size_t)(d->batch * d->length) * sizeof *k->targets);
    if (!k->targets) return weft_fail(r->ctx, WEFT_MEMORY, "out of memory");
    weft_graph_eval(k->graph);
    k->x = weft_input(k->graph, WEFT_I32, dims), k->y = weft_input(k->graph, WEFT_I32, dims);
    k->loss = weft_lm_loss(language_state(l, r), k->x, k->y, &l->m, &how);
    k->plan = weft_compile(k->graph, &(weft_plan_desc){.fetch = weft_list(k->loss),
                                                       .threads = d->threads,
                                                       .mixed = d->mixed,
                                                       .name = "evaluate"});
    return k->plan ? WEFT_OK : weft_error_code(r->ctx);
}

void judge_end(judge *k) {
    weft_plan_free(k->plan);
    weft_graph_free(k->graph);
    weft_loader_free(k->batches);
    weft_data_free(k->windows);
    free(k->targets);
    *k = (judge){0};
}

/* Rows that fill up the last batch are not counted. */
static weft_err judge_batch(judge *k, int64_t b, double *sum, int64_t *tokens) {
    const void *field[2];
    weft_err e = weft_loader_at(k->batches, b, field);
    if (e) return e;
    const int64_t count = weft_loader_rows(k->batches, b) * k->d.length;
    const size_t all = (size_t)(k->d.batch * k->d.length) * sizeof *k->targets;
    memcpy(k->targets, field[1], all);
    for (int64_t i = count; i < k->d.batch * k->d.length; i++) k->targets[i] = -1;
    e = weft_set(k->plan, k->x, field[0], all);
    if (!e) e = weft_set(k->plan, k->y, k->targets, all);
    if (!e) e = weft_run(k->plan);
    *sum += (double)weft_item(k->plan, k->loss) * (double)count;
    *tokens += count;
    return e;
}

weft_err judge_loss(judge *k, int64_t most, double *loss, int64_t *tokens) {
    const int64_t all = weft_loader_steps(k->batches), each = k->d.batch * k->d.length;
    const int64_t wanted = most / each > 0 ? most / each : 1;
    const int64_t n = most && wanted < all ? wanted : all;
    double sum = 0;
    weft_err e = WEFT_OK;
    *tokens = 0;
    for (int64_t i = 0; !e && i < n; i++) e = judge_batch(k, i * all / n, &sum, tokens);
    *loss = sum / (double)*tokens;
    return e;
}
