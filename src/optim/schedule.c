/* schedule.c - the rate of a step: the base rate times a formula of the steps made.
 *
 * Formulas are 0-d operations, so a resumed run needs no host code. Counts are whole numbers in
 * f32, exact to 2^24. A plateau is the exception: the host reports a metric, and the factor it
 * leads to is an entry of the state like the rest. */
#include "inner.h"
#include <math.h>
#include <string.h>

static const char *const schedule_names[WEFT_SCHEDULE_COUNT] = {
#define X(name, text) text,
    WEFT_SCHEDULES(X)
#undef X
};

const char *weft_schedule_name(weft_schedule_kind k) {
    return (unsigned)k < WEFT_SCHEDULE_COUNT ? schedule_names[k] : NULL;
}

bool weft_schedule_named(const char *name, weft_schedule_kind *k) {
    for (int i = 0; name && i < WEFT_SCHEDULE_COUNT; i++)
        if (strcmp(name, schedule_names[i]) == 0) {
            if (k) *k = (weft_schedule_kind)i;
            return true;
        }
    return false;
}

/* What is wrong with it, or NULL. */
static const char *schedule_fault(const weft_schedule *d) {
    const int64_t most = (int64_t)1 << 24;
    if ((unsigned)d->kind >= WEFT_SCHEDULE_COUNT) return "unknown kind";
    if (d->warmup < 0 || d->total < 0 || d->every < 0 || d->longer < 0 || d->patience < 0 ||
        d->cooldown < 0)
        return "a count of steps is negative";
    if (d->warmup > most || d->total > most || d->every > most || d->longer > most)
        return "a count of steps is above 2^24";
    if (!(d->gamma >= 0) || isinf(d->gamma)) return ".gamma must be finite and not negative";
    if (!(d->lowest >= 0) || !(d->start >= 0) || isinf(d->lowest) || isinf(d->start))
        return ".lowest and .start must be finite and not negative";
    if (!(d->rise >= 0 && d->rise < 1)) return ".rise must be at least 0 and below 1";
    if (!(d->threshold >= 0)) return ".threshold must not be negative";
    const bool ends = d->kind == WEFT_SCHEDULE_LINEAR || d->kind == WEFT_SCHEDULE_ONE_CYCLE ||
                      (d->kind == WEFT_SCHEDULE_COSINE && !d->every);
    if (ends && d->total <= d->warmup) return ".total must be above .warmup";
    return NULL;
}

bool optim_schedule_good(weft_graph *g, const weft_schedule *d) {
    const char *fault = schedule_fault(d);
    if (fault)
        weft_poison(g, WEFT_ARGUMENT, "schedule %s: %s",
                    weft_schedule_name(d->kind) ? weft_schedule_name(d->kind) : "?", fault);
    return !fault;
}

/* from `a` at 0 to `b` at 1, by half a cosine */
static weft_tensor schedule_wave(weft_tensor part, float a, float b) {
    weft_tensor c = weft_cos(weft_scale(part, 3.14159265358979f));
    return weft_offset(weft_scale(c, (a - b) / 2), (a + b) / 2);
}

static weft_tensor schedule_ratio(weft_tensor t, double by) {
    return weft_div(t, weft_scalar(t.g, (float)by));
}

/* Periods of `every` steps, each `longer` times the one before: the part of its period that t has
 * come to. */
static weft_tensor schedule_part(const weft_schedule *d, weft_tensor t) {
    const double every = (double)d->every;
    if (d->longer <= 1) return schedule_ratio(weft_mod(t, weft_scalar(t.g, (float)every)), every);
    weft_tensor length = weft_scalar(t.g, (float)every), begin = weft_scalar(t.g, 0);
    double end = every, period = every;
    for (; end < 1 << 24; period *= (double)d->longer, end += period) {
        weft_tensor past = weft_ge(t, weft_scalar(t.g, (float)end));
        begin = weft_where(past, weft_scalar(t.g, (float)end), begin);
        length = weft_where(past, weft_scalar(t.g, (float)(period * (double)d->longer)), length);
    }
    return weft_div(weft_sub(t, begin), length);
}

/* Two half waves, joined at `peak` steps; PyTorch's phases end a step early, at T - 1. */
static weft_tensor schedule_one_cycle(const weft_schedule *d, weft_tensor t, double total) {
    const double rise = d->rise != 0 ? (double)d->rise : 0.3, peak = rise * total - 1;
    const float start = d->start != 0 ? d->start : 1.0f / 25;
    const float lowest = d->lowest != 0 ? d->lowest : start / 10000;
    const double up = fmax(peak, 1e-3), down = fmax(total - 1 - peak, 1e-3);
    weft_tensor one = weft_scalar(t.g, 1);
    weft_tensor since = weft_offset(t, (float)-peak);
    weft_tensor fall = weft_minimum(schedule_ratio(since, down), one);
    return weft_where(weft_le(since, weft_scalar(t.g, 0)),
                      schedule_wave(schedule_ratio(t, up), start, 1),
                      schedule_wave(fall, 1, lowest));
}

static weft_tensor schedule_main(const weft_schedule *d, weft_tensor t) {
    const double total = (double)(d->total - d->warmup), every = d->every ? (double)d->every : 1;
    weft_tensor one = weft_scalar(t.g, 1);
    const float gamma = d->gamma != 0                          ? d->gamma
                        : d->kind == WEFT_SCHEDULE_EXPONENTIAL ? 0.99f
                                                               : 0.1f;
    switch (d->kind) {
    case WEFT_SCHEDULE_STEP:
        return weft_pow(weft_scalar(t.g, gamma), weft_floor(schedule_ratio(t, every)));
    case WEFT_SCHEDULE_EXPONENTIAL:
        return weft_pow(weft_scalar(t.g, gamma), schedule_ratio(t, every));
    case WEFT_SCHEDULE_LINEAR: {
        weft_tensor part = weft_minimum(schedule_ratio(t, total), one);
        return weft_offset(weft_scale(part, d->lowest - 1), 1);
    }
    case WEFT_SCHEDULE_COSINE: {
        weft_tensor part =
            d->every ? schedule_part(d, t) : weft_minimum(schedule_ratio(t, total), one);
        return schedule_wave(part, 1, d->lowest);
    }
    case WEFT_SCHEDULE_ONE_CYCLE: return schedule_one_cycle(d, t, total);
    default: return one;
    }
}

weft_tensor weft_schedule_at(const weft_schedule *d, weft_tensor step) {
    static const weft_schedule constant;
    if (!d) d = &constant;
    if (!weft_ok(step)) return step;
    if (!optim_schedule_good(step.g, d)) return (weft_tensor){step.g, 0};
    if (weft_rank(step) != 0 || weft_dtype_of(step) != WEFT_F32)
        return weft_poison(step.g, WEFT_SHAPE, "schedule: a 0-d f32 count of steps was expected");
    if (!d->warmup) return schedule_main(d, step);
    weft_tensor rise = schedule_ratio(weft_offset(step, 1), (double)d->warmup);
    weft_tensor since = weft_offset(step, -(float)d->warmup);
    return weft_where(weft_lt(since, weft_scalar(step.g, 0)), rise,
                      schedule_main(d, weft_relu(since)));
}

/* ---- the rate, and the plateau ---- */

#define SCHEDULE_FACTOR "optim.plateau.factor"
#define SCHEDULE_BEST   "optim.plateau.best"
#define SCHEDULE_BAD    "optim.plateau.bad"
#define SCHEDULE_REST   "optim.plateau.cooldown"

weft_tensor optim_rate(weft_graph *g, weft_state *s, const weft_optimiser_desc *d) {
    weft_tensor lr = weft_number(g, s, "optim.lr", d->lr);
    if (d->schedule.kind != WEFT_SCHEDULE_CONSTANT || d->schedule.warmup) {
        weft_tensor step = weft_number(g, s, "optim.step", 0);
        lr = weft_mul(lr, weft_schedule_at(&d->schedule, step));
    }
    if (d->schedule.kind != WEFT_SCHEDULE_PLATEAU) return lr;
    weft_number(g, s, SCHEDULE_BEST, d->schedule.greatest ? -INFINITY : INFINITY);
    weft_number(g, s, SCHEDULE_BAD, 0);
    weft_number(g, s, SCHEDULE_REST, 0);
    return weft_mul(lr, weft_number(g, s, SCHEDULE_FACTOR, 1));
}

weft_tensor weft_learning_rate(weft_graph *g, weft_state *s, const weft_optimiser_desc *d) {
    weft_optimiser_desc full;
    if (!g) return weft_poison(NULL, WEFT_ARGUMENT, "learning rate: the graph is NULL");
    if (!optim_filled(g, d, &full)) return (weft_tensor){g, 0};
    return optim_rate(g, s, &full);
}

/* As torch.optim.lr_scheduler.ReduceLROnPlateau, with a relative threshold. */
weft_err weft_plateau_report(weft_state *s, const weft_schedule *d, float metric) {
    static const weft_schedule none;
    if (!d) d = &none;
    float factor, best, bad, rest;
    const struct {
        const char *name;
        float *v;
    } kept[] = {{SCHEDULE_FACTOR, &factor},
                {SCHEDULE_BEST, &best},
                {SCHEDULE_BAD, &bad},
                {SCHEDULE_REST, &rest}};
    weft_err e = WEFT_OK;
    if (schedule_fault(d))
        return weft_fail(weft_state_ctx(s), WEFT_ARGUMENT, "weft_plateau_report: %s",
                         schedule_fault(d));
    for (int i = 0; i < 4 && !e; i++)
        e = weft_state_get(s, kept[i].name, kept[i].v, sizeof *kept[i].v);
    if (e) return e;
    const float threshold = d->threshold != 0 ? d->threshold : 1e-4f;
    const float margin = fabsf(best) * threshold;
    const bool better = isinf(best)   ? !isnan(metric)
                        : d->greatest ? metric > best + margin
                                      : metric < best - margin;
    bad = better ? 0 : bad + 1;
    if (better) best = metric;
    if (rest > 0) rest--, bad = 0;
    if (bad > (float)(d->patience ? d->patience : 10)) {
        factor = fmaxf(factor * (d->gamma != 0 ? d->gamma : 0.1f), d->lowest);
        rest = (float)d->cooldown;
        bad = 0;
    }
    for (int i = 0; i < 4 && !e; i++)
        e = weft_state_set(s, kept[i].name, kept[i].v, sizeof *kept[i].v);
    return e;
}

#undef SCHEDULE_FACTOR
#undef SCHEDULE_BEST
#undef SCHEDULE_BAD
#undef SCHEDULE_REST
