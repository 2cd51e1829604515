/* td.c - temporal differences for 2048: tables of six cells, learned in place move by move.
 * The learning is the library's (weft_td); this is its place among the algorithms. */
#include "agent.h"

#include <stdlib.h>

typedef struct td_2048 {
    weft_td *agent;
    float first_rate;
} td_2048;

static void td_free(void *agent) {
    td_2048 *const t = agent;
    if (!t) return;
    weft_td_free(t->agent);
    free(t);
}

static void *td_make(weft_state *s, const agent_2048_desc *d) {
    weft_ctx *const c = weft_state_ctx(s);
    const weft_td_game *const game = weft_td_2048(c, d->tuples);
    td_2048 *t = game ? calloc(1, sizeof *t) : NULL;
    if (!t) {
        if (game) weft_fail(c, WEFT_MEMORY, "out of memory");
        return NULL;
    }
    t->agent = weft_td_new(s, game, "td",
                           &(weft_td_desc){.rate = (float)d->rate,
                                           .fixed = d->plays,
                                           .threads = d->threads ? d->threads : weft_threads(c),
                                           .seed = d->seed});
    if (t->agent) {
        t->first_rate = weft_td_stats_of(t->agent).rate;
        return t;
    }
    td_free(t);
    return NULL;
}

static weft_err td_step(void *agent, int64_t step, weft_metrics *m) {
    return weft_td_step(((td_2048 *)agent)->agent, step, m);
}

static void td_set_rate(void *agent, double share) {
    const td_2048 *const t = agent;
    weft_td_set_rate(t->agent, (float)((double)t->first_rate * share));
}

static weft_err td_choose(void *agent, int n, const uint64_t *boards, int32_t *actions) {
    weft_td_best(((td_2048 *)agent)->agent, n, boards, actions);
    return WEFT_OK;
}

const algo_2048 algo_2048_td = {
    .name = "td",
    .title = "2048 by temporal differences",
    .plan = 1,
    .lowest = 1, /* each entry has a rate of its own, which falls by itself */
    .evaluate_every = 400,
    .log_every = 10,
    .save_every = 200,
    .make = td_make,
    .free = td_free,
    .step = td_step,
    .set_rate = td_set_rate,
    .choose = td_choose,
};
