/* td_play.c - playing by learned values of afterstates, and computing them.
 *
 * While one state is decided, the entries of the next one are prefetched. Nothing is changed but the views
 * of the learner's first member, and the place for its sums. */
#include "rl/td.h"

/* entry (tables, slots): the value of an afterstate. */
static float td_value(const weft_td *a, const uint32_t *entry) {
    float *const sum = a->member[0].sums, value = 0;
    td_sums(a, 0, a->g.tables, entry, a->g.slots, sum);
    for (int t = 0; t < a->g.tables; t++) value += sum[t];
    return value;
}

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
            if (v->legal >> k & 1) value[k] = td_value(a, v->entries + k * tables * slots);
        actions[i] = td_choose(a, v, value, &most);
    }
}

void weft_td_value(weft_td *a, int n, const void *afters, float *values) {
    const unsigned char *const after = afters;
    uint32_t *const entries = a->member[0].view[0].entries;
    for (int i = 0; i < n; i++) {
        a->g.index(after + (size_t)i * a->g.size, 0, a->g.tables, entries);
        values[i] = td_value(a, entries);
    }
}
