/* sums.c - sums by kernel and by scope, and how near they come to what a core can do. */
#include "profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The least seconds a core needs for a step: its arithmetic at the full rate, or its traffic at the
 * rate of the smallest cache that may hold it, whichever takes longer. What is read and written in
 * place is half of its traffic. nan: not measured. */
static double sums_best(const weft_profile *p, const profile_step *s) {
    int level = 0;
    if (!(p->gflops > 0)) return NAN;
    while (level + 1 < PROFILE_LEVELS && s->bytes > 2 * (double)profile_footprint[level]) level++;
    return fmax(s->flops / (1e9 * p->gflops), s->bytes / (1e9 * p->gbs[level]));
}

static int sums_alike(const void *a, const void *b) {
    const weft_profile_row *x = a, *y = b;
    int order = strcmp(x->scope, y->scope);
    if (!order) order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->shape, y->shape);
}

static int sums_dearer(const void *a, const void *b) {
    const weft_profile_row *x = a, *y = b;
    return x->us != y->us ? (x->us < y->us ? 1 : -1) : sums_alike(a, b);
}

/* of_roof holds the least time until all are added. */
static weft_profile_row sums_of(const weft_profile *p, const profile_plan *r, size_t step,
                                weft_profile_way way) {
    const profile_step *s = &r->step[step];
    const double n = (double)r->facts.timed;
    const bool whole = way == WEFT_BY_SCOPE;
    return (weft_profile_row){.name = whole ? "" : s->name,
                              .scope = s->scope,
                              .shape = whole ? "" : s->shape,
                              .calls = r->facts.timed,
                              .us = 1e6 * s->busy,
                              .flops = n * s->flops,
                              .bytes = n * s->bytes,
                              .of_roof = n * sums_best(p, s)};
}

static void sums_add(weft_profile_row *to, const weft_profile_row *x) {
    to->calls += x->calls;
    to->us += x->us;
    to->flops += x->flops, to->bytes += x->bytes;
    to->of_roof += x->of_roof;
}

static bool sums_wanted(const weft_profile *p, size_t i, int plan) {
    return (plan == WEFT_PROFILE_ALL || (size_t)plan == i) && p->plan[i]->facts.timed > 0;
}

weft_err weft_profile_by(weft_profile *p, int plan, weft_profile_way way, weft_profile_rows *out) {
    if (!p || !out || plan < WEFT_PROFILE_ALL || (plan >= 0 && (size_t)plan >= p->plans) ||
        (way != WEFT_BY_KERNEL && way != WEFT_BY_SCOPE))
        return weft_fail(p ? p->c : NULL, WEFT_ARGUMENT,
                         "weft_profile_by: plan %d, way %d; there are %zu plans and two ways", plan,
                         (int)way, weft_profile_plans(p));
    size_t n = 0, rows = 0;
    double time = 0;
    *out = (weft_profile_rows){0};
    for (size_t i = 0; i < p->plans; i++) {
        if (!sums_wanted(p, i, plan)) continue;
        n += p->plan[i]->facts.stats.kernels;
        time += 1e6 * p->plan[i]->thread_time;
    }
    weft_profile_row *row = weft_resize(p->c, p->row, (n + 1) * sizeof *row);
    if (!row) return weft_fail(p->c, WEFT_MEMORY, "weft_profile_by: out of memory");
    p->row = row;
    n = 0;
    for (size_t i = 0; i < p->plans; i++)
        for (size_t k = 0; sums_wanted(p, i, plan) && k < p->plan[i]->facts.stats.kernels; k++)
            row[n++] = sums_of(p, p->plan[i], k, way);
    qsort(row, n, sizeof *row, sums_alike);
    for (size_t i = 0; i < n; i++) {
        if (rows && sums_alike(&row[rows - 1], &row[i]) == 0) sums_add(&row[rows - 1], &row[i]);
        else row[rows++] = row[i];
    }
    for (size_t i = 0; i < rows; i++) {
        weft_profile_row *const r = &row[i];
        const double us = r->us > 0 ? r->us : INFINITY;
        r->share = time > 0 ? r->us / time : 0;
        r->gflops = r->flops / us * 1e-3, r->gbs = r->bytes / us * 1e-3;
        r->of_roof = 1e6 * r->of_roof / us;
    }
    qsort(row, rows, sizeof *row, sums_dearer);
    *out = (weft_profile_rows){row, rows};
    return WEFT_OK;
}
