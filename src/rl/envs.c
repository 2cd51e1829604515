/* envs.c - many instances of one environment, stepped together.
 *
 * Everything that lasts is in entries of the state: instances, their generators, what is known of
 * their episodes. So a checkpoint holds it all, and what is loaded goes on with the same bits.
 * Instances do not know of each other, and each is stepped alone: their order changes nothing. */
#include "rl/rng.h"

#include <stdio.h>
#include <string.h>

/*  member      dtype  columns   type of an element */
#define ENVS_ENTRIES(X)                                                                            \
    X(env, U8, e->size, unsigned char)   /* instances */                                           \
    X(final, U8, e->size, unsigned char) /* the last states of the episodes finished last */       \
    X(rng, U32, 4, weft_rng)                                                                       \
    X(steps, I32, 1, int32_t) /* of the episode going on: steps, sum of rewards */                 \
    X(total, F32, 1, float)                                                                        \
    X(last_steps, I32, 1, int32_t) /* of the one finished last */                                  \
    X(last_total, F32, 1, float)                                                                   \
    X(episodes, I32, 1, int32_t) /* finished */

struct weft_envs {
    weft_ctx *c;
    const weft_env *e;
    int n, limit;
    int32_t *level;
#define X(member, dtype, columns, type) type *member;
    ENVS_ENTRIES(X)
#undef X
};

/* ---- making ---- */

static weft_err envs_acceptable(weft_ctx *c, const weft_env *e, int n, const char *name) {
    if (!e || !name || !*name)
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_envs_new: an environment and a name were expected");
    if (!e->size || e->obs < 1 || e->actions < 1 || e->actions > 32 || !e->reset || !e->step ||
        !e->observe || (e->slots > 0) != (e->index != NULL))
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_envs_new: environment \"%s\" lacks a size, 1 to 32 actions, an "
                         "observation, or one of its functions",
                         e->name ? e->name : "");
    if (n < 1 || (size_t)n > INT32_MAX / e->size)
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_envs_new: %d instances of %zu bytes; at least one was expected, and "
                         "less than 2 GiB in all",
                         n, e->size);
    return WEFT_OK;
}

/* "rng.NAME.what": entries of that beginning are left out of saved models. */
enum { ENVS_NAME = 512 };
static const char *envs_name(char full[ENVS_NAME], const char *name, const char *what) {
    const int length = snprintf(full, ENVS_NAME, "rng.%s.%s", name, what);
    return length > 0 && length < ENVS_NAME ? full : "";
}

static bool envs_make(weft_graph *g, weft_state *s, const char *full, weft_dtype t, int64_t rows,
                      size_t columns) {
    const weft_shape dims = columns == 1 ? weft_dims(rows) : weft_dims(rows, (int64_t)columns);
    return weft_ok(weft_buffer(g, s, full, t, dims, (weft_init){0}));
}

/* All entries, and then where they lie, so that they get memory together. */
static bool envs_entries(weft_envs *v, weft_graph *g, weft_state *s, const char *name) {
    const weft_env *const e = v->e;
    char full[ENVS_NAME];
#define X(member, dtype, columns, type)                                                            \
    if (!envs_make(g, s, envs_name(full, name, #member), WEFT_##dtype, v->n, columns)) return false;
    ENVS_ENTRIES(X)
#undef X
    if (!envs_make(g, s, envs_name(full, name, "level"), WEFT_I32, 1, 1)) return false;
    v->level = weft_state_data(s, full);
#define X(member, dtype, columns, type)                                                            \
    v->member = weft_state_data(s, envs_name(full, name, #member));                                \
    if (!v->member) return false;
    ENVS_ENTRIES(X)
#undef X
    return v->level != NULL;
}

static unsigned char *envs_instance(const weft_envs *v, unsigned char *of, int i) {
    return of + (size_t)i * v->e->size;
}

static void envs_start(weft_envs *v, const weft_envs_desc *d) {
    *v->level = d->level;
    for (int i = 0; i < v->n; i++) {
        weft_rng_seed(&v->rng[i], d->seed, (uint64_t)i);
        v->e->reset(envs_instance(v, v->env, i), &v->rng[i], d->level);
    }
    memcpy(v->final, v->env, (size_t)v->n * v->e->size);
}

weft_envs *weft_envs_new(weft_state *s, const weft_env *e, int n, const char *name,
                         const weft_envs_desc *d) {
    static const weft_envs_desc none;
    if (!d) d = &none;
    weft_ctx *const c = weft_state_ctx(s);
    if (!s) weft_fail(c, WEFT_ARGUMENT, "weft_envs_new: the state is NULL");
    if (!s || envs_acceptable(c, e, n, name)) return NULL;
    weft_envs *v = weft_resize(c, NULL, sizeof *v);
    if (!v) {
        weft_fail(c, WEFT_MEMORY, "weft_envs_new: out of memory");
        return NULL;
    }
    *v = (weft_envs){.c = c, .e = e, .n = n, .limit = d->limit ? d->limit : e->limit};
    weft_graph *g = weft_graph_new(c); /* entries are asked for through a graph */
    const bool good = g && envs_entries(v, g, s, name);
    weft_graph_free(g);
    if (!good) {
        weft_envs_free(v);
        return NULL;
    }
    if (!(v->rng->a | v->rng->b)) envs_start(v, d); /* no generator is all 0 once it has a seed */
    return v;
}

void weft_envs_free(weft_envs *v) {
    if (v) weft_resize(v->c, v, 0);
}

/* ---- looking ---- */

int weft_envs_count(const weft_envs *v) {
    return v->n;
}

const weft_env *weft_envs_env(const weft_envs *v) {
    return v->e;
}

void weft_envs_observe(const weft_envs *v, float *rows) {
    for (int i = 0; i < v->n; i++)
        v->e->observe(envs_instance(v, v->env, i), rows + (size_t)i * (size_t)v->e->obs);
}

void weft_envs_index(const weft_envs *v, int32_t *rows) {
    for (int i = 0; i < v->n && v->e->index; i++)
        v->e->index(envs_instance(v, v->env, i), rows + (size_t)i * (size_t)v->e->slots);
}

void weft_envs_legal(const weft_envs *v, uint32_t *masks) {
    for (int i = 0; i < v->n; i++) masks[i] = weft_env_legal(v->e, envs_instance(v, v->env, i));
}

void *weft_envs_at(weft_envs *v, int i) {
    return i >= 0 && i < v->n ? envs_instance(v, v->env, i) : NULL;
}

/* An episode of no steps has just begun: `final` has what came before. */
const void *weft_envs_final(const weft_envs *v, int i) {
    if (i < 0 || i >= v->n) return NULL;
    return envs_instance(v, v->steps[i] ? v->env : v->final, i);
}

weft_rng *weft_envs_rng(weft_envs *v, int i) {
    return i >= 0 && i < v->n ? &v->rng[i] : NULL;
}

weft_episode weft_envs_episode(const weft_envs *v, int i) {
    if (i < 0 || i >= v->n) return (weft_episode){0};
    return (weft_episode){v->last_total[i], v->last_steps[i], v->episodes[i]};
}

weft_episode weft_envs_running(const weft_envs *v, int i) {
    if (i < 0 || i >= v->n) return (weft_episode){0};
    return (weft_episode){v->total[i], v->steps[i], v->episodes[i]};
}

int64_t weft_envs_episodes(const weft_envs *v) {
    int64_t n = 0;
    for (int i = 0; i < v->n; i++) n += v->episodes[i];
    return n;
}

int weft_envs_level(const weft_envs *v) {
    return *v->level;
}

void weft_envs_set_level(weft_envs *v, int level) {
    *v->level = level;
}

weft_err weft_envs_check(const weft_envs *v) {
    for (int i = 0; i < v->n; i++) {
        if (!(v->rng[i].a | v->rng[i].b))
            return weft_fail(v->c, WEFT_STATE, "%s: instance %d has no random numbers: all 0",
                             v->e->name, i);
        if (v->steps[i] < 0 || v->episodes[i] < 0)
            return weft_fail(v->c, WEFT_STATE, "%s: instance %d has made %d steps, %d episodes",
                             v->e->name, i, (int)v->steps[i], (int)v->episodes[i]);
        if (!v->e->check || !v->e->check(v->c, envs_instance(v, v->env, i))) continue;
        char why[400];
        snprintf(why, sizeof why, "%.399s", weft_error(v->c));
        return weft_fail(v->c, WEFT_STATE, "%s: instance %d of %d: %s", v->e->name, i, v->n, why);
    }
    return WEFT_OK;
}

/* ---- moving ---- */

void weft_envs_choose(weft_envs *v, int32_t *actions) {
    const weft_env e = *v->e; /* local copies: the calls below might write anywhere */
    const unsigned char *at = v->env;
    const uint32_t all = (uint32_t)((1ull << e.actions) - 1);
    weft_rng *const rng = v->rng;
    const int n = v->n;
    for (int i = 0; i < n; i++, at += e.size) {
        const int action = rng_choose(&rng[i], e.legal ? e.legal(at) : all);
        actions[i] = action < 0 ? 0 : action;
    }
}

/* The episode of instance i is over: notes it down and begins the next. */
static void envs_next(weft_envs *v, int i) {
    unsigned char *const at = envs_instance(v, v->env, i);
    memcpy(envs_instance(v, v->final, i), at, v->e->size);
    v->last_steps[i] = v->steps[i];
    v->last_total[i] = v->total[i];
    v->episodes[i]++;
    v->steps[i] = 0;
    v->total[i] = 0;
    v->e->reset(at, &v->rng[i], *v->level);
}

static weft_err envs_impossible(const weft_envs *v, const int32_t *actions) {
    int i = 0;
    while (actions[i] >= 0 && actions[i] < v->e->actions) i++;
    return weft_fail(v->c, WEFT_ARGUMENT, "%s: instance %d: action %d; there are %d, from 0 on",
                     v->e->name, i, (int)actions[i], v->e->actions);
}

weft_err weft_envs_step(weft_envs *v, const int32_t *actions, float *rewards, uint8_t *done) {
    uint32_t bad = 0;
    for (int i = 0; i < v->n; i++) bad |= (uint32_t)actions[i] >= (uint32_t)v->e->actions;
    if (bad) return envs_impossible(v, actions);
    const weft_env e = *v->e; /* local copies: the calls below might write anywhere */
    unsigned char *at = v->env;
    weft_rng *const rng = v->rng;
    const int n = v->n, limit = v->limit > 0 ? v->limit : INT32_MAX;
    for (int i = 0; i < n; i++, at += e.size) {
        bool ended = false;
        const float reward = e.step(at, &rng[i], (int)actions[i], &ended);
        const int32_t steps = ++v->steps[i];
        rewards[i] = reward;
        v->total[i] += reward;
        done[i] = ended ? WEFT_ENDED : steps >= limit ? WEFT_CUT_OFF : WEFT_GOES_ON;
        if (done[i]) envs_next(v, i);
    }
    return WEFT_OK;
}

#undef ENVS_ENTRIES
