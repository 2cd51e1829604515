/* profile_world.h - a small network in a scope or two, compiled in some way, for tests of
 * recorders and profiles. */
#ifndef WEFT_TEST_PROFILE_WORLD_H
#define WEFT_TEST_PROFILE_WORLD_H

#include "models.h"
#include "test.h"
#include "weft/profile.h"

typedef struct learner {
    weft_ctx *c;
    weft_state *s;
    weft_graph *g;
    weft_plan *p;
    model m;
} learner;

/* Into the graph and the state it has, or new ones. */
static inline void learner_record(learner *l) {
    model *m = &l->m;
    if (!l->g) l->g = weft_graph_new(l->c);
    if (!l->s) l->s = weft_state_new(l->c);
    weft_state_seed(l->s, 7);
    m->x = weft_input(l->g, WEFT_F32, weft_dims(64, 96));
    m->target = weft_input(l->g, WEFT_I32, weft_dims(64));
    m->classes = 10;
    weft_scope_push(l->g, "body");
    weft_tensor h = weft_relu(weft_linear(l->s, m->x, 128, "fc"));
    weft_scope_push(l->g, "deep");
    h = weft_tanh(weft_linear(l->s, h, 128, "fc"));
    weft_scope_pop(l->g);
    weft_scope_pop(l->g);
    m->y = weft_linear(l->s, h, m->classes, "head");
    m->loss = weft_cross_entropy(m->y, m->target);
    m->update = weft_adam(l->s, m->loss, NULL);
}

static inline bool learner_compile(learner *l, weft_plan_desc d) {
    d.fetch = weft_list(l->m.loss);
    d.update = l->m.update;
    d.training = true;
    l->p = weft_compile(l->g, &d);
    if (!l->p) return false;
    float *x = weft_feed(l->p, l->m.x);
    int32_t *t = weft_feed(l->p, l->m.target);
    for (int64_t i = 0; i < weft_count(l->m.x); i++) x[i] = model_number((uint32_t)i, 1);
    for (int64_t i = 0; i < weft_count(l->m.target); i++) t[i] = (int32_t)(i * 7 % l->m.classes);
    return true;
}

static inline learner learner_open(const char *device, weft_plan_desc d) {
    learner l = {.c = weft_open_with(
                     &(weft_open_desc){.device = device, .threads = d.threads ? d.threads : 1})};
    learner_record(&l);
    if (!CHECK(learner_compile(&l, d))) CHECK_STR(weft_error(l.c), "");
    return l;
}

static inline void learner_close(learner *l) {
    weft_plan_free(l->p);
    weft_graph_free(l->g);
    weft_state_free(l->s);
    weft_close(l->c);
}

static inline void learner_run(const learner *l, int runs) {
    for (int i = 0; i < runs; i++)
        if (!CHECK_EQ(weft_run(l->p), WEFT_OK)) return;
}

#endif
