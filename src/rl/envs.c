/* envs.c - many instances of one environment, stepped together.
 *
 * Everything persistent is in entries of the state: instances, their generators, their
 * episodes. So a checkpoint has all of it, and a loaded vector continues with the same bits.
 * Instances do not know of each other, and each is stepped alone: their order changes nothing. */
#include "rl/entry.h"
#include "rl/rng.h"

#include <stdio.h>
#include <string.h>

struct weft_envs {
    weft_ctx *c;
    const weft_env *e;
    int n, limit;
    /* of the state, a row for each instance */
    unsigned char *env, *final; /* instances; the last states of the episodes finished last */
    weft_rng *rng;
    int32_t *steps; /* of the episode going on */
    float *total;   /* its sum of rewards */
    int32_t *last_steps;
    float *last_total; /* of the one finished last */
    int32_t *episodes; /* finished */
    int32_t *level;    /* [1] */
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

/* A reset may take the longer the higher the level is: one that is out of all bounds, from a file
 * for instance, would never come to an end. */
static weft_err envs_level_fits(weft_ctx *c, const weft_env *e, int level, weft_err code) {
    if (e->levels <= 0 || level <= e->levels) return WEFT_OK;
    return weft_fail(c, code, "%s: level %d; %d at most was expected", e->name ? e->name : "",
                     level, e->levels);
}

static weft_err envs_entries(weft_envs *v, weft_state *s, const char *name, int32_t **begun) {
    const int64_t bytes = (int64_t)v->e->size;
    const rl_entry list[] = {
        {"env", WEFT_U8, v->n, bytes, (void **)&v->env},
        {"final", WEFT_U8, v->n, bytes, (void **)&v->final},
        {"rng", WEFT_U32, v->n, sizeof(weft_rng) / 4, (void **)&v->rng},
        {"steps", WEFT_I32, v->n, 1, (void **)&v->steps},
        {"total", WEFT_F32, v->n, 1, (void **)&v->total},
        {"last_steps", WEFT_I32, v->n, 1, (void **)&v->last_steps},
        {"last_total", WEFT_F32, v->n, 1, (void **)&v->last_total},
        {"episodes", WEFT_I32, v->n, 1, (void **)&v->episodes},
        {"level", WEFT_I32, 1, 1, (void **)&v->level},
    };
    return rl_entries(s, name, list, sizeof list / sizeof *list, begun);
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
    if (!s || envs_acceptable(c, e, n, name) || envs_level_fits(c, e, d->level, WEFT_ARGUMENT))
        return NULL;
    weft_envs *v = rl_memory(c, sizeof *v, "weft_envs_new");
    if (!v) return NULL;
    *v = (weft_envs){.c = c, .e = e, .n = n, .limit = d->limit ? d->limit : e->limit};
    int32_t *begun = NULL;
    if (envs_entries(v, s, name, &begun)) {
        weft_envs_free(v);
        return NULL;
    }
    if (!*begun) envs_start(v, d);
    *begun = 1;
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

weft_err weft_envs_set_level(weft_envs *v, int level) {
    const weft_err e = envs_level_fits(v->c, v->e, level, WEFT_ARGUMENT);
    if (!e) *v->level = level;
    return e;
}

weft_err weft_envs_check(const weft_envs *v) {
    const weft_err level = envs_level_fits(v->c, v->e, *v->level, WEFT_STATE);
    if (level) return level;
    for (int i = 0; i < v->n; i++) {
        if (!(v->rng[i].a | v->rng[i].b))
            return weft_fail(v->c, WEFT_STATE, "%s: instance %d has no random numbers: all 0",
                             v->e->name, i);
        if (v->steps[i] < 0 || v->steps[i] == INT32_MAX || v->episodes[i] < 0)
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
    v->episodes[i] += v->episodes[i] < INT32_MAX; /* where it stays, rather than turn negative */
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
        done[i] = ended ? WEFT_TERMINATED : steps >= limit ? WEFT_TRUNCATED : WEFT_CONTINUES;
        if (done[i]) envs_next(v, i);
    }
    return WEFT_OK;
}

/* ---- whole episodes, for judging ---- */

typedef struct envs_room {
    int32_t *action;
    float *reward;
    uint8_t *done, *over; /* over: its episode is finished */
} envs_room;

static weft_err envs_play_on(weft_envs *v, weft_act act, void *agent, int64_t most, float *totals,
                             const envs_room *m) {
    int left = v->n;
    for (int64_t t = 0; t < most && left; t++) {
        weft_err e = act(agent, v, m->action);
        if (!e) e = weft_envs_step(v, m->action, m->reward, m->done);
        if (e) return e;
        for (int i = 0; i < v->n; i++) {
            if (!m->done[i] || m->over[i]) continue;
            m->over[i] = 1;
            totals[i] = v->last_total[i];
            left--;
        }
    }
    for (int i = 0; i < v->n; i++)
        if (!m->over[i]) totals[i] = v->total[i];
    return WEFT_OK;
}

weft_err weft_envs_play(weft_envs *v, weft_act act, void *agent, int64_t most, float *totals) {
    const size_t n = (size_t)v->n;
    /* actions and rewards are four bytes each, the two marks one */
    unsigned char *const room = rl_memory(v->c, n * 10, "weft_envs_play");
    if (!room) return WEFT_MEMORY;
    const envs_room m = {(int32_t *)(void *)room, (float *)(void *)(room + 4 * n), room + 8 * n,
                         room + 9 * n};
    const weft_err e = envs_play_on(v, act, agent, most, totals, &m);
    weft_resize(v->c, room, 0);
    return e;
}
