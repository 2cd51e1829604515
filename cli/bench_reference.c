/* bench_reference.c - a loss by the reference backend: the same network recorded once more there.
 *
 * A result is fetched as f32, but computed in double; so what is fetched is the loss less a number
 * that was near it the first time, and differences of losses keep some ten digits. */
#include "bench_truth.h"

#include <math.h>
#include <stdlib.h>

struct reference {
    weft_ctx *c;
    weft_state *s, *from;
    weft_graph *g;
    weft_plan *p;
    weft_tensor near, off; /* an input; the loss less that */
};

static bool reference_made(reference *r, const reference_desc *d) {
    r->c = weft_open("ref");
    r->s = r->c ? weft_state_new(r->c) : NULL;
    r->g = r->s ? weft_graph_new(r->c) : NULL;
    if (!r->g) return false;
    const weft_tensor loss = d->record(d->user, r->g, r->s);
    r->near = weft_input(r->g, WEFT_F32, WEFT_0D);
    r->off = weft_sub(loss, r->near);
    r->p = weft_compile(r->g, &(weft_plan_desc){.fetch = weft_list(r->off)});
    const float zero = 0;
    return r->p && weft_set(r->p, r->near, &zero, sizeof zero) == WEFT_OK && d->feed(d->user, r->p);
}

reference *reference_new(weft_state *from, const reference_desc *d) {
    weft_ctx *const c = weft_state_ctx(from);
    reference *const r = weft_resize(c, NULL, sizeof *r);
    if (!r) return NULL;
    *r = (reference){.from = from};
    if (reference_made(r, d)) return r;
    weft_fail(c, WEFT_DEVICE, "the reference: %s", weft_error(r->c));
    reference_free(r);
    return NULL;
}

void reference_free(reference *r) {
    if (!r) return;
    weft_plan_free(r->p);
    weft_graph_free(r->g);
    weft_state_free(r->s);
    if (r->c) weft_close(r->c);
    weft_resize(weft_state_ctx(r->from), r, 0);
}

double reference_loss(reference *r) {
    for (size_t i = 0; i < weft_state_count(r->s); i++) {
        weft_entry e;
        weft_state_entry(r->s, i, &e);
        void *const values = malloc(e.bytes + 1);
        const bool good = values && weft_state_get(r->from, e.name, values, e.bytes) == WEFT_OK &&
                          weft_state_set(r->s, e.name, values, e.bytes) == WEFT_OK;
        free(values);
        if (!good) return NAN;
    }
    if (weft_run(r->p) != WEFT_OK) return NAN;
    float *const near = weft_feed(r->p, r->near);
    const float off = weft_item(r->p, r->off), base = *near;
    if (base == 0) *near = off; /* from now on */
    return (double)base + (double)off;
}
