/* replay.c - transitions in ring buffers, sampled uniformly or by priority.
 *
 * Each instance has a ring of slots. The newest slot, at `head`, holds only a state: where the
 * instance is now. A step fills in action, reward and how it ended, and writes the state it led to
 * into the next slot; after a truncation first the last state of the episode, a slot with no action,
 * then the first of the new one. So the state behind any transition is the one in the next slot.
 *
 * A transition can be drawn once its window is complete. Those that cannot are the newest of a
 * ring: `pending` counts them. */
#include "rl/entry.h"
#include "rl/rng.h"
#include "rl/tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { REPLAY_CAPACITY = 100000, REPLAY_NO_ACTION = 255 };

struct weft_replay {
    weft_ctx *c;
    weft_envs *v;
    const weft_env *e;
    weft_replay_desc d;
    int n;           /* rings */
    int32_t slots;   /* of a ring: one more than transitions */
    float *power;    /* [n_step + 1] gamma^k */
    void *turned[2]; /* an instance each, for symmetries */
    tree priorities;

    /* of the state */
    unsigned char *state;             /* [n, slots] instances */
    unsigned char *action, *done;     /* [n, slots] */
    float *reward;                    /* [n, slots] */
    int32_t *head, *filled, *pending; /* [n]; filled: slots behind head that hold something */
    int32_t *ready;                   /* [1] */
    float *largest;                   /* [1] the greatest priority so far */
    float *sums;                      /* the tree */
};

/* ---- making ---- */

static weft_err replay_acceptable(weft_ctx *c, const weft_replay_desc *d, int n, int64_t slots) {
    if (d->n_step < 0 || d->n_step > 1000)
        return weft_fail(c, WEFT_ARGUMENT, "replay: windows of %d steps; 1 to 1000 were expected",
                         d->n_step);
    if (!(d->gamma >= 0 && d->gamma <= 1) || !(d->alpha >= 0 && d->alpha <= 1) ||
        !(d->beta >= 0 && d->beta <= 1))
        return weft_fail(c, WEFT_ARGUMENT,
                         "replay: gamma %g, alpha %g, beta %g; 0 to 1 was expected of each",
                         (double)d->gamma, (double)d->alpha, (double)d->beta);
    if ((d->symmetries > 0) != (d->symmetry != NULL))
        return weft_fail(c, WEFT_ARGUMENT, "replay: %d symmetries %s a function", d->symmetries,
                         d->symmetry ? "with" : "without");
    if (slots < d->n_step + 4 || slots > INT32_MAX / n)
        return weft_fail(
            c, WEFT_ARGUMENT,
            "replay: room for %lld transitions over %d instances; at least %d for each "
            "were expected, and less than 2^31 in all",
            (long long)d->capacity, n, d->n_step + 3);
    return WEFT_OK;
}

static weft_err replay_entries(weft_replay *r, weft_state *s, const char *name, int32_t **begun) {
    const int64_t all = (int64_t)r->n * r->slots, nodes = r->d.prioritised ? tree_floats(all) : 0;
    const rl_entry list[] = {
        {"state", WEFT_U8, all, (int64_t)r->e->size, (void **)&r->state},
        {"action", WEFT_U8, all, 1, (void **)&r->action},
        {"done", WEFT_U8, all, 1, (void **)&r->done},
        {"reward", WEFT_F32, all, 1, (void **)&r->reward},
        {"head", WEFT_I32, r->n, 1, (void **)&r->head},
        {"filled", WEFT_I32, r->n, 1, (void **)&r->filled},
        {"pending", WEFT_I32, r->n, 1, (void **)&r->pending},
        {"ready", WEFT_I32, 1, 1, (void **)&r->ready},
        {"largest", WEFT_F32, nodes ? 1 : 0, 1, (void **)&r->largest},
        {"priority", WEFT_F32, nodes, 1, (void **)&r->sums},
    };
    const weft_err e = rl_entries(s, name, list, sizeof list / sizeof *list, begun);
    if (!e && nodes) tree_over(&r->priorities, r->sums, all);
    return e;
}

static inline int64_t replay_place(const weft_replay *r, int i, int32_t slot) {
    return (int64_t)i * r->slots + slot;
}

static inline unsigned char *replay_state(const weft_replay *r, int64_t place) {
    return r->state + (size_t)place * r->e->size;
}

static inline int32_t replay_after(const weft_replay *r, int32_t slot) {
    return slot + 1 == r->slots ? 0 : slot + 1;
}

static inline int32_t replay_before(const weft_replay *r, int32_t slot, int32_t by) {
    return slot >= by ? slot - by : slot - by + r->slots;
}

/* Instances are small, and their sizes mostly that of a number: no call for these. */
static inline void replay_copy(void *to, const void *from, size_t bytes) {
    if (bytes == 8) memcpy(to, from, 8);
    else if (bytes == 4) memcpy(to, from, 4);
    else memcpy(to, from, bytes);
}

static void replay_begin(weft_replay *r) {
    for (int i = 0; i < r->n; i++) {
        replay_copy(replay_state(r, replay_place(r, i, 0)), weft_envs_at(r->v, i), r->e->size);
        r->action[replay_place(r, i, 0)] = REPLAY_NO_ACTION;
    }
    if (r->largest) *r->largest = 1;
}

static weft_err replay_scratch(weft_replay *r) {
    r->power = rl_memory(r->c, (size_t)(r->d.n_step + 1) * sizeof *r->power, "weft_replay_new");
    if (!r->power) return WEFT_MEMORY;
    r->power[0] = 1;
    for (int k = 1; k <= r->d.n_step; k++) r->power[k] = r->power[k - 1] * r->d.gamma;
    for (int k = 0; k < 2 && r->d.symmetry; k++)
        if (!(r->turned[k] = rl_memory(r->c, r->e->size, "weft_replay_new"))) return WEFT_MEMORY;
    return WEFT_OK;
}

static weft_replay_desc replay_defaults(const weft_replay_desc *d) {
    weft_replay_desc r = d ? *d : (weft_replay_desc){0};
    if (!r.capacity) r.capacity = REPLAY_CAPACITY;
    if (!r.n_step) r.n_step = 1;
    if (r.gamma == 0) r.gamma = 0.99f;
    if (r.scale == 0) r.scale = 1;
    if (r.alpha == 0) r.alpha = 0.6f;
    if (r.beta == 0) r.beta = 0.4f;
    return r;
}

weft_replay *weft_replay_new(weft_state *s, weft_envs *v, const char *name,
                             const weft_replay_desc *d) {
    weft_ctx *const c = weft_state_ctx(s);
    if (!s || !v || !name || !*name) {
        weft_fail(c, WEFT_ARGUMENT,
                  "weft_replay_new: a state, environments and a name were expected");
        return NULL;
    }
    const weft_replay_desc full = replay_defaults(d);
    const int n = weft_envs_count(v);
    const int64_t slots = full.capacity > 0 ? (full.capacity - 1) / n + 2 : 0;
    if (replay_acceptable(c, &full, n, slots)) return NULL;
    weft_replay *r = rl_memory(c, sizeof *r, "weft_replay_new");
    if (!r) return NULL;
    *r = (weft_replay){.c = c, .v = v, .e = weft_envs_env(v), .d = full, .n = n};
    r->slots = (int32_t)slots;
    int32_t *begun = NULL;
    if (replay_scratch(r) || replay_entries(r, s, name, &begun)) {
        weft_replay_free(r);
        return NULL;
    }
    if (!*begun) replay_begin(r);
    *begun = 1;
    return r;
}

void weft_replay_free(weft_replay *r) {
    if (!r) return;
    weft_ctx *const c = r->c;
    weft_resize(c, r->power, 0);
    weft_resize(c, r->turned[0], 0);
    weft_resize(c, r->turned[1], 0);
    weft_resize(c, r, 0);
}

/* ---- does what was loaded fit? ---- */

/* One slot of a ring, k behind its head. The head has no action yet; else only the last state
 * behind a cut-off has none. cut: such a state lies in the next slot. */
static weft_err replay_check_slot(const weft_replay *r, int i, int32_t k, bool cut) {
    const int64_t place = replay_place(r, i, replay_before(r, r->head[i], k));
    const unsigned char action = r->action[place], done = r->done[place];
    const bool moves = action != REPLAY_NO_ACTION;
    if ((moves && (action >= r->e->actions || k == 0)) || done > WEFT_TRUNCATED ||
        (moves && done == WEFT_TRUNCATED) != cut)
        return weft_fail(r->c, WEFT_STATE, "replay: ring %d, %d back: action %d, done %d", i,
                         (int)k, (int)action, (int)done);
    if (!r->e->check || !r->e->check(r->c, replay_state(r, place))) return WEFT_OK;
    char why[300];
    snprintf(why, sizeof why, "%.299s", weft_error(r->c));
    return weft_fail(r->c, WEFT_STATE, "replay: ring %d, %d back: %s", i, (int)k, why);
}

/* Sizes within bounds, instances that play can reach, and as many transitions waiting as have no
 * complete window; adds those that can be drawn to *ready. */
static weft_err replay_check_ring(const weft_replay *r, int i, int64_t *ready) {
    const int32_t head = r->head[i], filled = r->filled[i], pending = r->pending[i];
    const bool fits = head >= 0 && head < r->slots && filled >= 0 && filled < r->slots;
    int32_t open = 0; /* the newest ones, none of which ended */
    bool last = false;
    for (int32_t k = 0; k <= filled && fits; k++) {
        const int64_t place = replay_place(r, i, replay_before(r, head, k));
        const weft_err e = replay_check_slot(r, i, k, last);
        if (e) return e;
        const bool moves = r->action[place] != REPLAY_NO_ACTION, drawn = moves && k > pending;
        last = k > 0 && !moves;
        open += moves && open == k - 1 && r->done[place] == WEFT_CONTINUES;
        *ready += drawn;
        if (r->sums && (r->priorities.level[0][place] > 0) != drawn)
            return weft_fail(r->c, WEFT_STATE, "replay: ring %d, %d back: priority %g", i, (int)k,
                             (double)r->priorities.level[0][place]);
    }
    if (fits && pending == (open < r->d.n_step ? open : r->d.n_step - 1)) return WEFT_OK;
    return weft_fail(r->c, WEFT_STATE,
                     "replay: ring %d of %d slots is at %d, with %d filled and %d waiting", i,
                     (int)r->slots, (int)head, (int)filled, (int)pending);
}

weft_err weft_replay_check(const weft_replay *r) {
    int64_t ready = 0;
    for (int i = 0; i < r->n; i++) {
        const weft_err e = replay_check_ring(r, i, &ready);
        if (e) return e;
    }
    if (*r->ready != ready)
        return weft_fail(r->c, WEFT_STATE,
                         "replay: %d transitions are said to be ready, and %lld are",
                         (int)*r->ready, (long long)ready);
    if (r->sums && (!(*r->largest > 0 && isfinite(*r->largest)) ||
                    tree_check(&r->priorities, (int64_t)r->n * r->slots) != ready))
        return weft_fail(r->c, WEFT_STATE,
                         "replay: priorities do not add up, or the greatest, %g, is none",
                         (double)*r->largest);
    return WEFT_OK;
}

/* ---- storing ---- */

/* The ring goes on: what was the oldest is gone, and `state` is the newest. */
static inline void replay_advance(weft_replay *r, int i, const void *state) {
    const int32_t to = replay_after(r, r->head[i]);
    const int64_t place = replay_place(r, i, to);
    if (r->filled[i] < r->slots - 1) {
        r->filled[i]++;
    } else if (r->action[place] != REPLAY_NO_ACTION) {
        --*r->ready;
        if (r->sums) tree_set(&r->priorities, place, 0);
    }
    replay_copy(replay_state(r, place), state, r->e->size);
    r->action[place] = REPLAY_NO_ACTION;
    r->head[i] = to;
}

/* Whose window has become complete: after an end all that were waiting, else the oldest of them. */
static inline void replay_complete(weft_replay *r, int i, bool over) {
    const int32_t waiting = ++r->pending[i];
    const int32_t done = over ? waiting : waiting >= r->d.n_step;
    *r->ready += done;
    r->pending[i] -= done;
    for (int32_t k = 0; k < done && r->sums; k++) {
        /* the ring has not gone on yet: the newest transition is at head */
        const int32_t slot = replay_before(r, r->head[i], waiting - 1 - k);
        tree_set(&r->priorities, replay_place(r, i, slot), *r->largest);
    }
}

weft_err weft_replay_add(weft_replay *r, const int32_t *actions, const float *rewards,
                         const uint8_t *done) {
    for (int i = 0; i < r->n; i++)
        if (actions[i] < 0 || actions[i] >= r->e->actions || done[i] > WEFT_TRUNCATED)
            return weft_fail(r->c, WEFT_ARGUMENT, "replay: instance %d: action %d of %d, done %d",
                             i, (int)actions[i], r->e->actions, (int)done[i]);
    for (int i = 0; i < r->n; i++) {
        const int64_t place = replay_place(r, i, r->head[i]);
        r->action[place] = (unsigned char)actions[i];
        r->reward[place] = rewards[i];
        r->done[place] = done[i];
        replay_complete(r, i, done[i] != WEFT_CONTINUES);
        if (done[i] == WEFT_TRUNCATED) replay_advance(r, i, weft_envs_final(r->v, i));
        replay_advance(r, i, weft_envs_at(r->v, i));
    }
    return WEFT_OK;
}

int64_t weft_replay_ready(const weft_replay *r) {
    return *r->ready;
}

/* ---- drawing ---- */

/* Rings are filled alike but for cut-offs, so one number is drawn for all of them, and again where
 * there is nothing to be had. */
static int64_t replay_draw_evenly(const weft_replay *r, int32_t most, weft_rng *rng) {
    for (;;) {
        const uint32_t k = rng_below(rng, (uint32_t)r->n * (uint32_t)most);
        const int i = (int)(k / (uint32_t)most);
        const int32_t back = (int32_t)(k % (uint32_t)most);
        if (back >= r->filled[i] || back < r->pending[i]) continue;
        const int64_t place = replay_place(r, i, replay_before(r, r->head[i], back + 1));
        if (r->action[place] != REPLAY_NO_ACTION) return place;
    }
}

typedef struct replay_window {
    int64_t next; /* place of the state behind it */
    float reward, discount;
} replay_window;

static inline replay_window replay_window_at(const weft_replay *r, int64_t place) {
    const int64_t ring = place - place % r->slots;
    int32_t slot = (int32_t)(place - ring);
    replay_window w = {0};
    int k = 0, done;
    do {
        w.reward += r->power[k++] * r->reward[ring + slot];
        done = r->done[ring + slot];
        slot = replay_after(r, slot);
    } while (k < r->d.n_step && done == WEFT_CONTINUES);
    w.reward *= r->d.scale;
    w.discount = done == WEFT_TERMINATED ? 0 : r->power[k];
    w.next = ring + slot;
    return w;
}

static void replay_write(const weft_replay *r, const weft_replay_rows *out, int row, int64_t place,
                         int turn) {
    const replay_window w = replay_window_at(r, place);
    const weft_env *const e = r->e;
    const void *now = replay_state(r, place), *next = replay_state(r, w.next);
    int action = r->action[place];
    if (turn) {
        replay_copy(r->turned[0], now, e->size);
        replay_copy(r->turned[1], next, e->size);
        action = r->d.symmetry(r->turned[0], action, turn);
        r->d.symmetry(r->turned[1], 0, turn);
        now = r->turned[0];
        next = r->turned[1];
    }
    const size_t obs = (size_t)row * (size_t)e->obs, slots = (size_t)row * (size_t)e->slots;
    if (out->obs) e->observe(now, out->obs + obs);
    if (out->next_obs) e->observe(next, out->next_obs + obs);
    if (out->index && e->index) e->index(now, out->index + slots);
    if (out->next_index && e->index) e->index(next, out->next_index + slots);
    if (out->action) out->action[row] = action;
    if (out->reward) out->reward[row] = w.reward;
    if (out->discount) out->discount[row] = w.discount;
    if (out->legal) {
        const uint32_t any = (uint32_t)((uint64_t)1 << e->actions) - 1;
        const uint32_t legal = w.discount > 0 ? weft_env_legal(e, next) : 0;
        out->legal[row] = (int32_t)(legal ? legal : any);
    }
    if (out->place) out->place[row] = (int32_t)place;
}

/* From the chance of each to (chance x transitions)^-beta, the greatest 1. */
static void replay_weigh(const weft_replay *r, int64_t step, int n, float total, float *weight) {
    float beta = r->d.beta, greatest = 0;
    if (r->d.beta_steps > 0) {
        const double part = (double)step / (double)r->d.beta_steps;
        beta += (1 - beta) * (float)(part < 1 ? part : 1);
    }
    for (int i = 0; i < n; i++) {
        weight[i] = powf(weight[i] / total * (float)*r->ready, -beta);
        if (weight[i] > greatest) greatest = weight[i];
    }
    for (int i = 0; i < n; i++) weight[i] /= greatest;
}

weft_err weft_replay_draw(weft_replay *r, int64_t step, int n, const weft_replay_rows *out) {
    if (n < 1 || *r->ready < 1)
        return weft_fail(
            r->c, WEFT_ARGUMENT,
            "replay: %d of %d transitions asked for; at least one of each was expected", n,
            (int)*r->ready);
    weft_rng rng;
    weft_rng_seed(&rng, r->d.seed, (uint64_t)step);
    int32_t most = 0;
    for (int i = 0; i < r->n; i++)
        if (r->filled[i] > most) most = r->filled[i];
    const float total = r->sums ? tree_total(&r->priorities) : 0;
    for (int row = 0; row < n; row++) {
        int64_t place;
        if (r->sums) {
            const float share = rng_uniform(&rng);
            place = tree_find(&r->priorities, ((float)row + share) / (float)n * total);
        } else {
            place = replay_draw_evenly(r, most, &rng);
        }
        const int turn = r->d.symmetry ? (int)rng_below(&rng, (uint32_t)r->d.symmetries) : 0;
        replay_write(r, out, row, place, turn);
        if (out->weight) out->weight[row] = r->sums ? r->priorities.level[0][place] : 1;
    }
    if (out->weight && r->sums) replay_weigh(r, step, n, total, out->weight);
    return WEFT_OK;
}

weft_err weft_replay_update_priorities(weft_replay *r, int n, const int32_t *place,
                                       const float *error) {
    if (!r->sums) return WEFT_OK;
    const int64_t all = (int64_t)r->n * r->slots;
    for (int i = 0; i < n; i++) {
        if (place[i] < 0 || place[i] >= all)
            return weft_fail(r->c, WEFT_ARGUMENT, "replay: place %d of %lld", (int)place[i],
                             (long long)all);
        if (!isfinite(error[i]))
            return weft_fail(r->c, WEFT_DIVERGED, "replay: the error of row %d is %g", i,
                             (double)error[i]);
    }
    for (int i = 0; i < n; i++) {
        /* what has been overwritten since is none of this */
        if (!(r->priorities.level[0][place[i]] > 0)) continue;
        const float p = powf(fabsf(error[i]) + 1e-3f, r->d.alpha);
        if (p > *r->largest) *r->largest = p;
        tree_set(&r->priorities, place[i], p);
    }
    return WEFT_OK;
}
