/* optimiser.c - from a description and gradients to a list of updates.
 *
 * Around the rule of a kind (rules.c, matrix.c) come, in this order: the mean over accumulated
 * runs, clipping, the parameter's group, and an average of the new values. On runs that only
 * accumulate, every other update keeps the old value. */
#include "base/glob.h"
#include "inner.h"
#include <math.h>
#include <string.h>

typedef struct optim_fact {
    const char *name;
    float rate, decay;
} optim_fact;
static const optim_fact optim_facts[WEFT_OPTIMISER_COUNT] = {
#define X(name, text, rate, decay) {text, rate, decay},
    WEFT_OPTIMISERS(X)
#undef X
};

const char *weft_optimiser_name(weft_optimiser_kind k) {
    return (unsigned)k < WEFT_OPTIMISER_COUNT ? optim_facts[k].name : NULL;
}

bool weft_optimiser_named(const char *name, weft_optimiser_kind *k) {
    for (int i = 0; name && i < WEFT_OPTIMISER_COUNT; i++)
        if (strcmp(name, optim_facts[i].name) == 0) {
            if (k) *k = (weft_optimiser_kind)i;
            return true;
        }
    return false;
}

/* ---- the description ---- */

static bool optim_within(weft_graph *g, const char *field, float v, float below) {
    if (v >= 0 && v < below) return true;
    if (isinf(below))
        weft_poison(g, WEFT_ARGUMENT, "optimiser: .%s is %g, 0 or more was expected", field,
                    (double)v);
    else
        weft_poison(g, WEFT_ARGUMENT, "optimiser: .%s is %g, at least 0 and below %g was expected",
                    field, (double)v, (double)below);
    return false;
}

static void optim_default(float *field, float value) {
    if (*field == 0) *field = value;
}

bool optim_filled(weft_graph *g, const weft_optimiser_desc *d, weft_optimiser_desc *out) {
    static const weft_optimiser_desc none;
    *out = d ? *d : none;
    if ((unsigned)out->kind >= WEFT_OPTIMISER_COUNT) {
        weft_poison(g, WEFT_ARGUMENT, "optimiser: unknown kind %d", (int)out->kind);
        return false;
    }
    const struct {
        const char *field;
        float value, below;
    } bound[] = {
        {"lr", out->lr, INFINITY},
        {"aux_lr", out->aux_lr, INFINITY},
        {"momentum", out->momentum, 1},
        {"beta1", out->beta1, 1},
        {"beta2", out->beta2, 1},
        {"alpha", out->alpha, 1},
        {"eps", out->eps, INFINITY},
        {"decay", out->decay, INFINITY},
        {"first_sum", out->first_sum, INFINITY},
        {"clip_value", out->clip_value, INFINITY},
        {"clip_norm", out->clip_norm, INFINITY},
        {"loss_scale", out->loss_scale, INFINITY},
        {"ema", out->ema, 1},
    };
    for (size_t i = 0; i < sizeof bound / sizeof *bound; i++)
        if (!optim_within(g, bound[i].field, bound[i].value, bound[i].below)) return false;
    if (out->loss_scale_steps < 0) {
        weft_poison(g, WEFT_ARGUMENT, "optimiser: .loss_scale_steps is %d, 0 or more was expected",
                    out->loss_scale_steps);
        return false;
    }
    if (out->accumulate < 0) {
        weft_poison(g, WEFT_ARGUMENT, "optimiser: .accumulate is %d, 0 or more was expected",
                    out->accumulate);
        return false;
    }
    if (out->group_count && !out->groups) {
        weft_poison(g, WEFT_ARGUMENT, "optimiser: %zu groups at NULL", out->group_count);
        return false;
    }
    for (size_t i = 0; i < out->group_count; i++) {
        const weft_group *group = &out->groups[i];
        if (!group->match) {
            weft_poison(g, WEFT_ARGUMENT, "optimiser: group %zu has no .match", i);
            return false;
        }
        if (!optim_within(g, "groups[].lr_factor", group->lr_factor, INFINITY) ||
            !optim_within(g, "groups[].decay", group->decay, INFINITY))
            return false;
    }
    const optim_kind *kind = &optim_kinds[out->kind];
    optim_default(&out->lr, optim_facts[out->kind].rate);
    optim_default(&out->aux_lr, 0.015f * out->lr);
    optim_default(&out->beta1, 0.9f);
    optim_default(&out->beta2, kind->beta2);
    optim_default(&out->alpha, 0.99f);
    optim_default(&out->eps, kind->eps);
    optim_default(&out->momentum, kind->momentum);
    optim_default(&out->decay, optim_facts[out->kind].decay);
    if (out->no_decay) out->decay = 0;
    if (!out->accumulate) out->accumulate = 1;
    return optim_schedule_good(g, &out->schedule);
}

static const char *optim_name(weft_params p, size_t i) {
    return p.name && p.name[i] ? p.name[i] : "";
}

static weft_group optim_group(const weft_optimiser_desc *d, const char *name) {
    for (size_t i = 0; i < d->group_count; i++)
        if (glob_match(d->groups[i].match, name)) return d->groups[i];
    return (weft_group){0};
}

/* ---- updates ---- */

weft_tensor optim_due(const optim_call *c, weft_tensor state, weft_tensor value) {
    return c->how.due.id ? weft_where(c->how.due, value, state) : value;
}

void optim_keep(optim_call *c, weft_tensor state, weft_tensor value) {
    c->out[c->n++] = (weft_update){state, optim_due(c, state, value)};
}

/* The mean over the runs since the last step, kept from run to run; a run whose gradients are not
 * finite has them begin again. */
static weft_params optim_accumulated(optim_call *c, weft_params p, weft_tensor finite) {
    const weft_params none = {0};
    weft_tensor runs = weft_number(c->g, c->s, "optim.accumulated", 0), next = weft_offset(runs, 1);
    weft_tensor zero = weft_scalar(c->g, 0), first = weft_eq(runs, zero);
    weft_tensor *mean = weft_graph_memory(c->g, p.n * sizeof *mean);
    if (!mean) return none;
    c->how.due = weft_ge(next, weft_scalar(c->g, (float)c->d.accumulate));
    weft_tensor count = weft_where(c->how.due, zero, next);
    if (finite.id) {
        count = weft_where(finite, count, zero);
        c->how.due = weft_and(c->how.due, finite);
    }
    c->out[c->n++] = (weft_update){runs, count};
    for (size_t i = 0; i < p.n; i++) {
        weft_tensor sum = optim_slot(c, p.param[i], "accumulated");
        weft_tensor more = weft_scale(p.grad[i], 1 / (float)c->d.accumulate);
        mean[i] = weft_where(first, more, weft_add(sum, more));
        c->out[c->n++] = (weft_update){sum, mean[i]};
    }
    p.grad = mean;
    return p;
}

/* What all gradients are taken times, so that their norm is not above the bound. */
static weft_tensor optim_norm_scale(const optim_call *c, weft_params p, weft_tensor unscale) {
    if (c->d.clip_value != 0) p = weft_clip_value(p, c->d.clip_value);
    return optim_clip_factor(p, c->d.clip_norm, unscale);
}

/* Sets how gradients are taken and when a step is due. */
static weft_params optim_taking(optim_call *c, weft_params p) {
    weft_tensor finite = {0}, unscale = {0};
    if (c->d.loss_scale != 0) {
        finite = optim_loss_finite(c, p);
        unscale = weft_recip(optim_loss_scale(c->g, c->s, &c->d));
        c->how.due = finite;
        /* sums over runs and bounds of elements are those of the gradients themselves */
        if (c->d.accumulate > 1 || c->d.clip_value != 0) {
            p = optim_unscaled(c, p, unscale);
            unscale = (weft_tensor){0};
        }
    }
    if (c->d.accumulate > 1 && p.n) p = optim_accumulated(c, p, finite);
    c->how.clip = c->d.clip_value;
    if (c->d.clip_norm != 0 && p.n) c->how.scale = optim_norm_scale(c, p, unscale);
    if (unscale.id) c->how.scale = c->how.scale.id ? weft_mul(c->how.scale, unscale) : unscale;
    return p;
}

static optim_item optim_treated(const optim_call *c, weft_params p, size_t i, weft_tensor lr,
                                weft_group group) {
    optim_item it = {p.param[i], p.grad[i], lr, c->d.decay, false};
    if (optim_kinds[c->d.kind].aux &&
        (group.aux || weft_rank(it.p) < 2 || glob_match("*embed*", p.name[i]))) {
        it.aux = true;
        it.lr = weft_scale(lr, c->d.aux_lr / c->d.lr);
    }
    if (group.lr_factor != 0) it.lr = weft_scale(it.lr, group.lr_factor);
    if (group.decay != 0) it.decay = group.decay;
    if (group.no_decay) it.decay = 0;
    return it;
}

/* Does every parameter have a gradient of its shape, and every group a parameter? */
static bool optim_fitting(const optim_call *c, weft_params p) {
    for (size_t i = 0; i < p.n; i++) {
        weft_shape a = weft_shape_of(p.param[i]), b = weft_shape_of(p.grad[i]);
        if (p.param[i].g == c->g && p.grad[i].g == c->g && a.rank == b.rank &&
            !memcmp(a.n, b.n, (size_t)a.rank * sizeof *a.n) && weft_dtype_of(p.grad[i]) == WEFT_F32)
            continue;
        weft_poison(c->g, WEFT_SHAPE,
                    "optimiser: gradient %zu (\"%s\") is not f32 of its parameter's shape", i,
                    optim_name(p, i));
        return false;
    }
    for (size_t k = 0; k < c->d.group_count; k++) {
        bool met = false;
        for (size_t i = 0; i < p.n && !met; i++)
            met = glob_match(c->d.groups[k].match, optim_name(p, i));
        if (met) continue;
        weft_poison(c->g, WEFT_ARGUMENT, "optimiser: no parameter's name matches group %zu, \"%s\"",
                    k, c->d.groups[k].match);
        return false;
    }
    return true;
}

/* Frozen parameters leave the list, so that they count for nothing; the others all have a name. */
static weft_params optim_thawed(const optim_call *c, weft_params p) {
    const weft_params none = {0};
    weft_tensor *param = weft_graph_memory(c->g, 2 * p.n * sizeof *param), *grad = param + p.n;
    const char **name = weft_graph_memory(c->g, p.n * sizeof *name);
    if (!param || !name) return none;
    size_t n = 0;
    for (size_t i = 0; i < p.n; i++) {
        if (optim_group(&c->d, optim_name(p, i)).frozen) continue;
        param[n] = p.param[i], grad[n] = p.grad[i], name[n] = optim_name(p, i);
        n++;
    }
    if (!n) weft_poison(c->g, WEFT_ARGUMENT, "optimiser: every parameter is in a frozen group");
    return (weft_params){param, grad, name, n};
}

/* Does the step need to know its number? */
static bool optim_counts(const weft_optimiser_desc *d) {
    return optim_kinds[d->kind].counts || d->ema != 0 ||
           d->schedule.kind != WEFT_SCHEDULE_CONSTANT || d->schedule.warmup;
}

weft_updates optim_updates(weft_state *s, weft_params p, const weft_optimiser_desc *d, bool bare) {
    const weft_updates none = {0};
    if (!p.n || !p.param || !p.grad || !p.param[0].g) {
        weft_fail(weft_state_ctx(s), WEFT_ARGUMENT, "optimiser: no parameters");
        return none;
    }
    optim_call c = {.g = p.param[0].g, .s = s};
    if (weft_graph_error(c.g) || !optim_filled(c.g, d, &c.d) || !optim_fitting(&c, p)) return none;
    p = optim_thawed(&c, p);
    c.out =
        p.n ? weft_graph_memory(c.g, (OPTIM_UPDATES * p.n + OPTIM_NUMBERS) * sizeof *c.out) : NULL;
    if (!c.out || weft_graph_error(c.g)) return none;
    const bool counts = !bare || optim_counts(&c.d);
    weft_tensor lr = optim_rate(c.g, s, &c.d), one = weft_scalar(c.g, 1);
    weft_tensor count = counts ? weft_number(c.g, s, "optim.step", 0) : weft_scalar(c.g, 0);
    c.t = weft_offset(count, 1);
    c.n = p.n; /* parameters stand before their slots */
    p = optim_taking(&c, p);
    optim_item *it = weft_graph_memory(c.g, p.n * sizeof *it);
    weft_tensor *next = weft_graph_memory(c.g, p.n * sizeof *next);
    if (!it || !next || weft_graph_error(c.g)) return none;
    for (size_t i = 0; i < p.n; i++)
        it[i] = optim_treated(&c, p, i, lr, optim_group(&c.d, p.name[i]));
    optim_step(&c, it, p.n, next);
    /* the first average is the first value, whatever was loaded after recording */
    weft_tensor past = weft_scale(weft_minimum(count, one), c.d.ema);
    for (size_t i = 0; i < p.n; i++) {
        c.out[i] = (weft_update){it[i].p, next[i]};
        if (c.d.ema == 0) continue;
        weft_tensor average = weft_slot(c.g, s, it[i].p, "ema", (weft_init){WEFT_INIT_PARAM, 0, 0});
        optim_keep(&c, average,
                   weft_add(weft_mul(average, past), weft_mul(next[i], weft_sub(one, past))));
    }
    if (counts) optim_keep(&c, count, c.t);
    return weft_graph_error(c.g) ? none : (weft_updates){c.out, c.n};
}

weft_updates weft_optimise(weft_state *s, weft_params p, const weft_optimiser_desc *d) {
    return optim_updates(s, p, d, false);
}

weft_updates weft_optimiser(weft_state *s, weft_tensor loss, const weft_optimiser_desc *d) {
    if (d && d->loss_scale > 0 && weft_ok(loss))
        loss = weft_mul(loss, optim_loss_scale(loss.g, s, d));
    weft_params p = weft_params_of(s, loss);
    return p.n ? weft_optimise(s, p, d) : (weft_updates){0};
}
