/* guard.c - when the loss is no longer finite: finds the step, the layer and the operation.
 *
 * The values of the state are copied now and then, when that takes less than a hundredth of the
 * time since. After a bad loss the loop goes back there and repeats the steps, which gives the
 * same bits, until the first that spoils the loss or a parameter; that one is repeated with a
 * watched plan. The state is left as it was before that step. The steps of a custom step function
 * are not repeated: only the step is named. */
#include "train_parts.h"

#include <math.h>
#include <string.h>

weft_err train_guard_start(train *t) {
    t->guarded = true;
    t->snapshot_at = weft_clock();
    t->snapshot_step = t->step;
    return t->d->step ? WEFT_OK : snapshot_take(&t->snapshot, t->s, NULL);
}

weft_err train_guard_keep(train *t) {
    const double now = weft_clock();
    if (t->d->step || now - t->snapshot_at < 100 * t->snapshot_cost) return WEFT_OK;
    t->snapshot_step = t->step;
    WEFT_TRY(snapshot_take(&t->snapshot, t->s, NULL));
    t->snapshot_at = weft_clock();
    t->snapshot_cost = t->snapshot_at - now;
    return WEFT_OK;
}

void train_guard_end(train *t) {
    snapshot_free(&t->snapshot);
    snapshot_free(&t->before);
}

/* Whether every trained value is. */
static bool guard_state_finite(weft_state *s) {
    bool finite = true;
    for (size_t i = 0; i < weft_state_count(s) && finite; i++) {
        weft_entry e;
        if (weft_state_entry(s, i, &e) != WEFT_OK || !e.trained || e.dtype != WEFT_F32) continue;
        float *copy = e.host ? NULL : weft_state_copy(s, e.name);
        const float *x = e.host ? weft_state_data(s, e.name) : copy;
        for (size_t k = 0; x && k < e.bytes / sizeof *x && finite; k++) finite = isfinite(x[k]);
        weft_resize(weft_state_ctx(s), copy, 0);
    }
    return finite;
}

/* Makes steps from the snapshot on until one goes wrong; the state is then as before that step. */
static weft_err guard_find(train *t, int64_t *bad) {
    WEFT_TRY(snapshot_restore(&t->snapshot, t->s));
    for (int64_t step = t->snapshot_step;; step++) {
        weft_metrics m = {0};
        WEFT_TRY(snapshot_take(&t->before, t->s, NULL));
        WEFT_TRY(train_one(t, t->plan, step, &m));
        if (step + 1 < t->step && isfinite(m.at[0].value) && guard_state_finite(t->s)) continue;
        *bad = step;
        return snapshot_restore(&t->before, t->s);
    }
}

static weft_err guard_watch(train *t, int64_t step, weft_finding *f, bool *found) {
    weft_plan *p = train_compile(t->d, true);
    weft_metrics m = {0};
    if (!p) return weft_error_code(t->c);
    weft_err e = train_one(t, p, step, &m);
    *found = !e && weft_plan_finding(p, f);
    /* the texts of a finding belong to the plan */
    if (*found)
        snprintf(t->r->text, sizeof t->r->text,
                 "step %lld: %s%s%s gives %g at element %lld (loss %g at step %lld)",
                 (long long)step + 1, f->operation, *f->layer ? " in " : "", f->layer,
                 (double)f->value, (long long)f->element, t->m.at[0].value, (long long)t->step);
    weft_plan_free(p);
    return e ? e : snapshot_restore(&t->before, t->s);
}

weft_err train_guard_explain(train *t) {
    int64_t bad = t->step - 1;
    weft_finding f;
    bool found = false;
    t->r->ending = WEFT_END_DIVERGED;
    snprintf(t->r->text, sizeof t->r->text, "step %lld: the loss is %g", (long long)t->step,
             t->m.at[0].value);
    if (!t->d->step) {
        WEFT_TRY(guard_find(t, &bad));
        weft_err e = guard_watch(t, bad, &f, &found);
        if (e && e != WEFT_UNSUPPORTED) return e;
        t->step = bad;
    }
    return weft_fail(t->c, WEFT_DIVERGED, "weft_train: %s", t->r->text);
}
