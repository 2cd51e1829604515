/* optim_rig.h - parameters, gradients that are fed, and an optimiser over them.
 *
 * Values are tools/golden's: distinct multiples of 1/1000 in [-2, 2], from a salt. Gradient i of
 * run k has the salt 10 + 3 k + i. */
#ifndef WEFT_OPTIM_RIG_H
#define WEFT_OPTIM_RIG_H

#include "golden.h"
#include "test.h"
#include <weft/optim.h>

#include <math.h>

#define KIND(name) .kind = WEFT_OPTIMISER_##name

enum { RIG_PARAMS = 40, RIG_COUNT = 64 }; /* parameters; elements of one at most */

typedef struct rig {
    weft_ctx *c;
    weft_state *s;
    weft_graph *g;
    weft_plan *p;
    weft_tensor param[RIG_PARAMS], grad[RIG_PARAMS];
    const char *name[RIG_PARAMS];
    int64_t count[RIG_PARAMS];
    int n;
} rig;

static inline void rig_numbers(int salt, float *v, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        v[i] = (float)((double)((i * 7919 + salt * 271) % 4001 - 2000) / 1000.0);
}

static inline void rig_open(rig *r, const char *device, int threads) {
    *r = (rig){0};
    r->c = weft_open_with(&(weft_open_desc){.device = device, .threads = threads});
    r->s = weft_state_new(r->c);
    r->g = weft_graph_new(r->c);
}

/* One more parameter with a gradient to be fed. */
static inline void rig_add(rig *r, const char *name, weft_shape dims) {
    const weft_init zeros = {.kind = WEFT_INIT_ZEROS};
    const int i = r->n++;
    r->name[i] = name;
    r->param[i] = weft_param(r->g, r->s, name, dims, zeros);
    r->grad[i] = weft_input(r->g, WEFT_F32, dims);
    r->count[i] = weft_count(r->param[i]);
}

static inline weft_params rig_params(const rig *r) {
    return (weft_params){r->param, r->grad, r->name, (size_t)r->n};
}

/* A plan of the updates; parameters get their first values. */
static inline bool rig_compile(rig *r, weft_updates u, weft_plan_desc d) {
    d.update = u;
    r->p = weft_compile(r->g, &d);
    if (!CHECK(r->p)) {
        CHECK_STR(weft_error(r->c), "");
        return false;
    }
    for (int i = 0; i < r->n; i++) {
        float v[RIG_COUNT];
        rig_numbers(i + 1, v, r->count[i]);
        CHECK_EQ(weft_state_set(r->s, r->name[i], v, (size_t)r->count[i] * sizeof *v), WEFT_OK);
    }
    return true;
}

/* Gradients of run k, times `by`, then a run. */
static inline void rig_run(rig *r, int k, float by) {
    for (int i = 0; i < r->n; i++) {
        float v[RIG_COUNT];
        rig_numbers(10 + 3 * k + i, v, r->count[i]);
        for (int64_t e = 0; e < r->count[i]; e++) v[e] *= by;
        weft_set(r->p, r->grad[i], v, (size_t)r->count[i] * sizeof *v); /* frozen: not an input */
    }
    CHECK_EQ(weft_run(r->p), WEFT_OK);
}

/* All parameters one behind the other; returns how many. */
static inline int64_t rig_values(const rig *r, float *out) {
    int64_t at = 0;
    for (int i = 0; i < r->n; i++) {
        weft_state_get(r->s, r->name[i], out + at, (size_t)r->count[i] * sizeof *out);
        at += r->count[i];
    }
    return at;
}

static inline float rig_number(const rig *r, const char *name) {
    float v = NAN;
    weft_state_get(r->s, name, &v, sizeof v);
    return v;
}

static inline void rig_close(rig *r) {
    weft_plan_free(r->p);
    weft_graph_free(r->g);
    weft_state_free(r->s);
    weft_close(r->c);
}

#endif
