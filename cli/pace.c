/* pace.c - counts out the steps of pace.h. */
#include "pace.h"

#include <math.h>
#include <stdio.h>

static const double pace_spare = 0.03; /* of the steps that would fit: the machine may slow down */

weft_err pace_make(pace *p, weft_state *s, const char *name, const pace_desc *d) {
    weft_ctx *const c = weft_state_ctx(s);
    char planned[80], spent[80];
    snprintf(planned, sizeof planned, "rng.%s.planned", name);
    snprintf(spent, sizeof spent, "rng.%s.spent", name);
    weft_graph *g = weft_graph_new(c); /* entries are asked for through a graph */
    if (!g) return weft_error_code(c);
    weft_buffer(g, s, planned, WEFT_I32, weft_dims(1), (weft_init){0});
    weft_buffer(g, s, spent, WEFT_F32, weft_dims(1), (weft_init){0});
    weft_graph_free(g);
    if (weft_state_host(s, planned) || weft_state_host(s, spent)) return weft_error_code(c);
    *p = (pace){.seconds = d->seconds,
                .settled = d->settled,
                .plan = (int32_t)(d->plan < INT32_MAX ? d->plan : INT32_MAX)};
    p->planned = weft_state_data(s, planned);
    p->spent = weft_state_data(s, spent);
    return p->planned && p->spent ? WEFT_OK : weft_error_code(c);
}

/* A run that was stopped before its steps were counted may go on with a plan: loading it has put a 0
 * into the entry, so the plan is kept here too. */
static int32_t pace_planned(const pace *p) {
    return *p->planned > 0 ? *p->planned : p->plan;
}

void pace_step(pace *p, int64_t step, double took) {
    *p->planned = pace_planned(p);
    if (*p->planned || p->seconds <= 0) return;
    *p->spent += (float)took;
    const double spent = (double)*p->spent, made = (double)(step + 1);
    if (spent < p->settled * p->seconds) return;
    const double left = fmax(0, p->seconds - spent) * made / spent;
    *p->planned = (int32_t)fmin(1e9, made + (1 - pace_spare) * left);
}

double pace_gone(const pace *p, int64_t step) {
    const int32_t planned = pace_planned(p);
    return planned > 0 ? fmin(1, (double)step / (double)planned) : 0;
}
