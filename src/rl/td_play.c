/* td_play.c - playing by the values of after states that were learned, and telling them.
 *
 * While one state is decided, what the next one names is fetched. Nothing is changed but the views
 * of the learner's first member. */
#include "rl/td.h"

void weft_td_best(weft_td *a, int n, const void *states, int32_t *actions) {
    const int slots = a->g.slots, tables = a->g.tables;
    const unsigned char *const state = states;
    td_view *const view = a->member[0].view;
    if (n > 0) td_look(a, state, 0, tables, slots, &view[0]);
    for (int i = 0; i < n; i++) {
        const td_view *const v = &view[i & 1];
        float value[TD_ACTIONS] = {0}, most;
        if (i + 1 < n)
            td_look(a, state + (size_t)(i + 1) * a->g.size, 0, tables, slots, &view[~i & 1]);
        for (int k = 0; k < a->g.actions; k++)
            for (int t = 0; t < tables && v->legal >> k & 1; t++)
                value[k] += td_sum(a->table + (size_t)t * a->g.words,
                                   v->entries + (size_t)((k * tables + t) * slots), slots);
        actions[i] = td_choose(a, v, value, &most);
    }
}

void weft_td_value(weft_td *a, int n, const void *afters, float *values) {
    const unsigned char *const after = afters;
    uint32_t *const entries = a->member[0].view[0].entries;
    for (int i = 0; i < n; i++) {
        values[i] = 0;
        a->g.index(after + (size_t)i * a->g.size, 0, a->g.tables, entries);
        for (int t = 0; t < a->g.tables; t++)
            values[i] +=
                td_sum(a->table + (size_t)t * a->g.words, entries + t * a->g.slots, a->g.slots);
    }
}
