/* bench_truth.c - a training step against differences of its loss and the optimiser's formula.
 *
 * Two kinds of directions for each parameter, the loss a little way forth and back along each. One
 * lies near the gradient: what the loss does there shows its size. The other is a random sign for
 * every element: it meets what a gradient leaves out. Where a forward pass takes long, parameters
 * are moved in groups, so that all of it costs about half a second.
 *
 * A loss in f32 has few digits to spare for differences, so its steps are large; kinks of relu or
 * curvature may then spoil one, and two other lengths are tried.
 *
 * A network too large for that is compared with another plan of the same step: truth_agrees. */
#include "bench_truth.h"

#include "base/snapshot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRUTH_WARM = 2, TRUTH_NAME = 300 };

/* A parameter and what a step made of it. */
typedef struct truth_entry {
    const char *name;
    float *p; /* its values, as they are in the state too */
    size_t n;
    float *old[3], *made; /* before the step: parameter and slots; its new value */
    float *now[3];        /* after it; now[0] is p */
    float *grad;          /* that the step used */
    double norm, size;    /* of the gradient; of the parameter, or what it may become */
    bool skipped;
} truth_entry;

typedef struct truth_run {
    const truth *t;
    truth_entry *at;
    size_t n;
    weft_optimiser_desc d;        /* defaults filled in */
    double lr, count;             /* of the step that is checked */
    double loss, noise;           /* before it; what rounding does to a difference of two */
    double seconds;               /* of one forward pass */
    weft_err (*step)(void *user); /* the one that is checked */
    double length;                /* of steps, for those of f32 */
    char *why;
    size_t why_size;
} truth_run;

WEFT_PRINTF(2, 3) static bool truth_differs(truth_run *r, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(r->why, r->why_size, format, args);
    va_end(args);
    return false;
}

static bool truth_failed(truth_run *r) {
    return truth_differs(r, "%s", weft_error(weft_state_ctx(r->t->s)));
}

/* ---- the state ---- */

static bool truth_ends(const char *name, const char *end) {
    const size_t n = strlen(name), m = end ? strlen(end) : 0;
    return m && n >= m && strcmp(name + n - m, end) == 0;
}

static bool truth_learns(const weft_entry *e) {
    return e->trained && strncmp(e->name, "rng.", 4) != 0;
}

/* The slots an optimiser keeps, in the order of truth_entry.old from 1 on. */
static const char *const *truth_slots(const weft_optimiser_desc *d) {
    static const char *const none[] = {NULL}, *const momentum[] = {"momentum_buffer", NULL},
                             *const adam[] = {"exp_avg", "exp_avg_sq", NULL};
    return d->kind != WEFT_OPTIMISER_SGD ? adam : d->momentum != 0 ? momentum : none;
}

/* The parameter, or slot i - 1 of it, as the state has it. */
static bool truth_get(truth_run *r, const truth_entry *x, int i, float *to) {
    char name[TRUTH_NAME];
    if (i) snprintf(name, sizeof name, "optim.%s.%s", truth_slots(&r->d)[i - 1], x->name);
    return weft_state_get(r->t->s, i ? name : x->name, to, x->n * sizeof *to) == WEFT_OK ||
           truth_failed(r);
}

/* The parameter becomes these values, here and in the state. */
static bool truth_put(truth_run *r, truth_entry *x, const float *values) {
    if (values != x->p) memcpy(x->p, values, x->n * sizeof *values);
    return weft_state_set(r->t->s, x->name, x->p, x->n * sizeof *x->p) == WEFT_OK ||
           truth_failed(r);
}

static bool truth_number(truth_run *r, const char *name, double *out) {
    float v;
    if (weft_state_get(r->t->s, name, &v, sizeof v) != WEFT_OK) return truth_failed(r);
    *out = (double)v;
    return true;
}

/* All but the gradient. */
static void truth_drop(truth_entry *x) {
    for (int k = 0; k < 3; k++) {
        free(x->old[k]), free(x->now[k]);
        x->old[k] = x->now[k] = NULL;
    }
    free(x->made);
    x->p = x->made = NULL;
}

static void truth_close(truth_run *r) {
    for (size_t i = 0; i < r->n; i++) {
        truth_drop(&r->at[i]);
        free(r->at[i].grad);
    }
    free(r->at);
}

/* Room for the parameters; those of later entries of the state may not be there yet. */
static bool truth_open(truth_run *r) {
    weft_state *const s = r->t->s;
    const size_t count = weft_state_count(s);
    int slots = 0;
    while (truth_slots(&r->d)[slots]) slots++;
    r->at = calloc(count + 1, sizeof *r->at);
    if (!r->at) return truth_differs(r, "out of memory");
    for (size_t i = 0; i < count; i++) {
        weft_entry e;
        if (weft_state_entry(s, i, &e) != WEFT_OK) return truth_failed(r);
        if (!truth_learns(&e)) continue;
        truth_entry *const x = &r->at[r->n++];
        *x = (truth_entry){.name = e.name, .n = e.bytes / 4};
        x->skipped = truth_ends(x->name, r->t->skip);
        x->made = malloc(e.bytes + 1);
        x->grad = malloc(e.bytes + 1);
        for (int k = 0; k <= slots; k++)
            if (!(x->old[k] = malloc(e.bytes + 1)) || !(x->now[k] = malloc(e.bytes + 1)))
                return truth_differs(r, "out of memory");
        x->p = x->now[0];
        if (!x->made || !x->grad) return truth_differs(r, "out of memory");
    }
    return r->n > 0 || truth_differs(r, "the state has no parameters");
}

/* ---- the step, and the formula ---- */

static bool truth_step(truth_run *r) {
    if (r->step(r->t->user) != WEFT_OK) return truth_failed(r);
    return true;
}

/* Element i of the parameter: the gradient that explains the first slot, or without one the step,
 * and whether everything else follows from it. */
static bool truth_formula(truth_run *r, truth_entry *x, size_t i) {
    const weft_optimiser_desc *const d = &r->d;
    float *const *const now = x->now;
    const double p = (double)x->old[0][i], made = (double)now[0][i];
    const bool joined = d->kind != WEFT_OPTIMISER_ADAMW;
    double g, want, square = 0;
    if (d->kind == WEFT_OPTIMISER_SGD && d->momentum == 0) {
        g = (p - made) / r->lr;
        want = made;
    } else if (d->kind == WEFT_OPTIMISER_SGD) {
        g = (double)now[1][i] - (double)d->momentum * (double)x->old[1][i];
        want = p - r->lr * (double)now[1][i];
    } else {
        const double b1 = (double)d->beta1, b2 = (double)d->beta2;
        const double m = (double)now[1][i], v = (double)now[2][i];
        g = (m - b1 * (double)x->old[1][i]) / (1 - b1);
        square = b2 * (double)x->old[2][i] + (1 - b2) * g * g;
        const double root = sqrt(v / (1 - pow(b2, r->count)));
        want = p - r->lr / (1 - pow(b1, r->count)) * m / (root + (double)d->eps);
        if (!joined) want -= r->lr * (double)d->decay * p;
        /* g has lost digits where the average hardly moved */
        const double lost = 1e-6 * (fabs(m) + fabs((double)x->old[1][i])) / (1 - b1);
        if (!(fabs(v - square) <= 1e-4 * square + 3 * lost * (fabs(g) + lost) + 1e-30))
            return truth_differs(r, "%s: the average of squares of element %zu became %g, not %g",
                                 x->name, i, v, square);
    }
    if (!(fabs(made - want) <= 3e-7 * fabs(p) + 1e-3 * fabs(want - p) + 1e-12))
        return truth_differs(r, "%s: element %zu became %.9g, not %.9g", x->name, i, made, want);
    x->grad[i] = (float)(g - (joined ? (double)d->decay * p : 0));
    return true;
}

/* Makes the step that is checked; the parameters are then what they were before it. */
static bool truth_made(truth_run *r) {
    const char *const *const slot = truth_slots(&r->d);
    for (size_t j = 0; j < r->n; j++)
        for (int k = 0; k == 0 || slot[k - 1]; k++)
            if (!truth_get(r, &r->at[j], k, r->at[j].old[k])) return false;
    if (!truth_number(r, "optim.lr", &r->lr) || !truth_step(r)) return false;
    if (r->d.kind != WEFT_OPTIMISER_SGD && !truth_number(r, "optim.step", &r->count)) return false;
    for (size_t j = 0; j < r->n; j++) {
        truth_entry *const x = &r->at[j];
        for (int k = 0; k == 0 || slot[k - 1]; k++)
            if (!truth_get(r, x, k, x->now[k])) return false;
        for (size_t i = 0; i < x->n; i++) {
            if (!truth_formula(r, x, i)) return false;
            x->norm += (double)x->grad[i] * (double)x->grad[i];
            x->size += (double)x->old[0][i] * (double)x->old[0][i];
        }
        x->norm = sqrt(x->norm);
        x->size = fmax(sqrt(x->size), 0.01 * sqrt((double)x->n));
        memcpy(x->made, x->p, x->n * sizeof *x->p);
        for (int k = 1; k < 3; k++) { /* a large network has them by the gigabyte */
            free(x->old[k]), free(x->now[k]);
            x->old[k] = x->now[k] = NULL;
        }
        if (!truth_put(r, x, x->old[0])) return false;
    }
    return true;
}

/* ---- differences of the loss ---- */

/* Every other forward pass begins with the random numbers of the step, if there are any. */
static bool truth_loss(truth_run *r, const int32_t *run, double *loss) {
    if (run && weft_state_set(r->t->s, "rng.step", run, sizeof *run) != WEFT_OK)
        return truth_failed(r);
    *loss = r->t->loss(r->t->user);
    return isfinite(*loss) || truth_differs(r, "the loss of a forward pass is %g", *loss);
}

/* A random number in [0, 1) for each element of each parameter. */
static double truth_random(uint64_t seed, size_t i) {
    uint64_t z = (seed << 40) + (uint64_t)i + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Some parameters, moved together: every `every`-th from `first` on. */
typedef struct truth_group {
    size_t first, every;
    bool along; /* the gradient; else random signs */
    uint64_t seed;
} truth_group;

/* What moving did, by the gradient: the difference to be expected, and how large it might have been
 * with other signs. */
typedef struct truth_moved {
    double expected, spread;
    double lost; /* what rounding of the parameters hides, where the gradient is found from them */
} truth_moved;

/* How far the parameter goes: so that the loss changes by a share that differences show, and the
 * parameter by no more than a twentieth. */
static double truth_far(const truth_run *r, const truth_entry *x, const truth_group *g,
                        size_t members) {
    if (!g->along) return 0.02 * r->length * x->size / sqrt((double)x->n);
    const double enough = 0.005 * fabs(r->loss) / (x->norm * (double)members);
    return r->length * fmin(enough, 0.05 * x->size) / x->norm;
}

static bool truth_move(truth_run *r, const truth_group *g, size_t members, double by,
                       truth_moved *out) {
    const bool bare = r->d.kind == WEFT_OPTIMISER_SGD && r->d.momentum == 0;
    double squares = 0, lost = 0;
    for (size_t j = g->first; j < r->n; j += g->every) {
        truth_entry *const x = &r->at[j];
        if (x->skipped || (g->along && x->norm == 0)) continue;
        const double far = by * truth_far(r, x, g, members);
        for (size_t i = 0; i < x->n; i++) {
            const double u = truth_random(g->seed * 4096 + j, i);
            const double way = g->along ? (0.5 + u) * (double)x->grad[i] : u < 0.5 ? -1 : 1;
            x->p[i] = (float)((double)x->old[0][i] + far * way);
            const double moved = (double)x->p[i] - (double)x->old[0][i];
            const double part = (double)x->grad[i] * moved;
            const double hidden = bare ? 6e-8 * (double)x->old[0][i] / r->lr * moved : 0;
            out->expected += by > 0 ? part : -part;
            squares += part * part;
            lost += hidden * hidden;
        }
        if (!truth_put(r, x, x->p)) return false;
    }
    out->spread += sqrt(squares);
    out->lost += sqrt(lost);
    return true;
}

static bool truth_back(truth_run *r, const truth_group *g) {
    for (size_t j = g->first; j < r->n; j += g->every)
        if (!truth_put(r, &r->at[j], r->at[j].old[0])) return false;
    return true;
}

/* Steps of three lengths: one that agrees, and is no mere rounding, is enough. */
static bool truth_direction(truth_run *r, const int32_t *run, const truth_group *g) {
    static const double lengths[] = {1, 0.25, 4};
    size_t members = 0;
    for (size_t j = g->first; j < r->n; j += g->every)
        members += !r->at[j].skipped && !(g->along && r->at[j].norm == 0);
    if (!members) return true;
    double found = 0, wanted = 0;
    for (int k = 0; k < 3; k++) {
        truth_moved m = {0};
        double up, down;
        if (!truth_move(r, g, members, lengths[k], &m) || !truth_loss(r, run, &up) ||
            !truth_move(r, g, members, -lengths[k], &m) || !truth_loss(r, run, &down) ||
            !truth_back(r, g))
            return false;
        const double allowed =
            (r->t->fine ? 0.1 : 1) * (g->along ? 0.01 * fabs(m.expected) : 0.1 * m.spread);
        if (fabs(up - down - m.expected) <= allowed + m.lost + r->noise &&
            (k != 1 || r->noise < 0.1 * allowed))
            return true;
        if (k == 0) found = up - down, wanted = m.expected;
    }
    const char *const name = r->at[g->first].name;
    return truth_differs(
        r, "the gradient of %s%s: %s the loss changes by %.4g, by the gradient it would be %.4g",
        name, g->first + g->every < r->n ? " or of others of its group" : "",
        g->along ? "along it" : "in a random direction", found, wanted);
}

/* Groups so that all takes about half a second; a gradient of zeros is looked at alone, since
 * nothing tells how far to go. */
static bool truth_gradients(truth_run *r, const int32_t *run) {
    const int ways = r->t->fine ? 2 : 3;
    const double most = 0.5 / (2 * ways * (r->seconds + 1e-9));
    const size_t groups = most < 1 ? 1 : most < (double)r->n ? (size_t)most : r->n;
    for (size_t first = 0; first < groups; first++)
        for (int way = 0; way < ways; way++) {
            const truth_group g = {first, groups, way == 0, (uint64_t)way + 1};
            if (!truth_direction(r, run, &g)) return false;
        }
    for (size_t j = 0; groups < r->n && j < r->n; j++) {
        const truth_group g = {j, r->n, false, 9};
        if (r->at[j].norm == 0 && !truth_direction(r, run, &g)) return false;
    }
    return true;
}

/* ---- all of it ---- */

static void truth_fill(float *field, float value) {
    if (*field == 0) *field = value;
}

static void truth_defaults(weft_optimiser_desc *d) {
    truth_fill(&d->beta1, 0.9f);
    truth_fill(&d->beta2, 0.999f);
    truth_fill(&d->eps, 1e-8f);
    if (d->kind == WEFT_OPTIMISER_ADAMW) truth_fill(&d->decay, 1e-2f);
    if (d->no_decay) d->decay = 0;
}

static bool truth_compare(truth_run *r) {
    const truth *const t = r->t;
    int32_t was = 0, then = 0;
    const bool draws = weft_state_get(t->s, "rng.step", &was, sizeof was) == WEFT_OK;
    for (int i = 0; i < TRUTH_WARM; i++)
        if (!truth_step(r)) return false;
    if (draws && weft_state_get(t->s, "rng.step", &was, sizeof was) != WEFT_OK)
        return truth_failed(r);
    if (!truth_made(r)) return false;
    if (draws) weft_state_get(t->s, "rng.step", &then, sizeof then);
    const int32_t *const run = draws ? &was : NULL;
    const double told = t->told ? t->told(t->user) : NAN;
    if (!t->fine && !truth_loss(r, run, &r->loss)) return false; /* the first may take longer */
    const double start = weft_clock();
    if (!truth_loss(r, run, &r->loss)) return false;
    r->seconds = weft_clock() - start;
    r->noise = (t->fine ? 1e-10 : 4e-7) * fabs(r->loss) + 1e-12;
    r->length = t->fine ? 0.005 : 1;
    if (t->told && !(fabs(told - r->loss) <= 2e-5 * (1e-3 + fabs(r->loss))))
        return truth_differs(r, "the step's loss is %.9g, that of a forward pass %.9g", told,
                             r->loss);
    if (!truth_gradients(r, run)) return false;
    for (size_t j = 0; j < r->n; j++)
        if (!truth_put(r, &r->at[j], r->at[j].made)) return false;
    return !draws || weft_state_set(t->s, "rng.step", &then, sizeof then) == WEFT_OK ||
           truth_failed(r);
}

bool truth_holds(const truth *t, char *why, size_t size) {
    truth_run r = {.t = t, .d = t->optimiser, .step = t->step, .why = why, .why_size = size};
    if (size) *why = 0;
    truth_defaults(&r.d);
    const bool good = truth_open(&r) && truth_compare(&r);
    truth_close(&r);
    return good;
}

/* ---- two plans of one step ---- */

static bool truth_same(truth_run *r, const truth_run *by, double along, double rest) {
    for (size_t j = 0; j < r->n; j++) {
        const truth_entry *const x = &r->at[j], *const y = &by->at[j];
        double both = 0, apart = 0;
        for (size_t i = 0; i < x->n; i++) {
            const double d = (double)x->grad[i] - (double)y->grad[i];
            both += d * (double)y->grad[i];
            apart += d * d;
        }
        const double length = y->norm, square = length * length, off = sqrt(apart);
        if (!(off <= rest * length &&
              fabs(both) <= along * square + 4 * off * length / sqrt((double)x->n)))
            return truth_differs(r,
                                 "the gradient of %s differs by %.3g of its length from that of "
                                 "another plan, by %.3g along it",
                                 x->name, off / length, both / square);
    }
    return true;
}

bool truth_agrees(const truth *t, weft_err (*other)(void *user), double along, double rest,
                  char *why, size_t size) {
    truth_run by = {.t = t, .d = t->optimiser, .step = t->step, .why = why, .why_size = size};
    if (size) *why = 0;
    truth_defaults(&by.d);
    truth_run r = by;
    r.step = other;
    snapshot before = {0};
    bool good = truth_open(&by);
    if (good && snapshot_take(&before, t->s, NULL)) good = truth_failed(&r);
    good = good && truth_made(&by);
    for (size_t j = 0; j < by.n; j++) truth_drop(&by.at[j]);
    if (good && snapshot_restore(&before, t->s)) good = truth_failed(&r);
    snapshot_free(&before);
    good = good && truth_open(&r) && truth_made(&r) && truth_same(&r, &by, along, rest);
    for (size_t j = 0; good && j < r.n; j++) good = truth_put(&r, &r.at[j], r.at[j].made);
    truth_close(&by);
    truth_close(&r);
    return good;
}
