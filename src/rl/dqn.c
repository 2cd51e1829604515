/* dqn.c - the Q-learning agent: acts, stores, learns, advances its curriculum.
 *
 * Acting is one plan over all instances, learning another, both over one state; what decides the
 * next step is in entries of the state, so a loaded agent continues with the same bits. After
 * weft_dqn_new only plans for evaluating other numbers of instances are allocated. */
#include "rl/dqn.h"
#include "rl/entry.h"
#include "rl/rng.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- making ---- */

static void dqn_defaults(weft_dqn_desc *d) {
    if (!d->batch) d->batch = 32;
    if (!d->start) d->start = d->batch;
    if (!d->every) d->every = 1;
    if (!d->updates) d->updates = 1;
    if (!d->target_every) d->target_every = 500;
    if (d->polyak == 0) d->polyak = 1;
    if (!d->window) d->window = 100;
    if (!d->explore.over) d->explore.over = 10000;
    if (d->explore.first == 0) d->explore.first = d->noisy ? 0 : 1;
    if (d->explore.last == 0) d->explore.last = d->noisy ? 0 : 0.05f;
    if (d->explore.first < 0) d->explore.first = 0;
    if (d->explore.last < 0) d->explore.last = 0;
    if (!d->replay.seed) d->replay.seed = d->seed;
}

static weft_err dqn_acceptable(weft_ctx *c, const weft_env *e, const weft_dqn_desc *d) {
    if (d->batch < 1 || d->start < 1 || d->every < 1 || d->updates < 1 || d->target_every < 1 ||
        d->window < 1 || d->stage_count < 0 || (d->stage_count && !d->stages))
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_dqn_new: batch %d, start %lld, %d updates every %d steps, copies "
                         "every %lld, window %d, %d stages: none of them can be negative",
                         d->batch, (long long)d->start, d->updates, d->every,
                         (long long)d->target_every, d->window, d->stage_count);
    if (d->replay.capacity > 0 && d->start > d->replay.capacity)
        return weft_fail(
            c, WEFT_ARGUMENT,
            "weft_dqn_new: learning starts at %lld transitions, the replay holds %lld: "
            "it would never start",
            (long long)d->start, (long long)d->replay.capacity);
    if (!(d->polyak > 0 && d->polyak <= 1) || !(d->explore.decay >= 0 && d->explore.decay <= 1))
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_dqn_new: polyak %g, decay of random actions %g; 0 to 1 was expected",
                         (double)d->polyak, (double)d->explore.decay);
    if (d->atoms && (d->atoms < 2 || d->atoms > 1001 || !(d->low < d->high)))
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_dqn_new: %d atoms from %g to %g; 2 to 1001 of them, low below high, "
                         "were expected",
                         d->atoms, (double)d->low, (double)d->high);
    if (d->values && (d->net || d->dueling || d->noisy || d->atoms))
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_dqn_new: .values is the whole network: no .net, .dueling, .noisy or "
                         ".atoms beside it");
    if ((unsigned)d->loss >= WEFT_DQN_LOSS_COUNT)
        return weft_fail(c, WEFT_ARGUMENT, "weft_dqn_new: unknown loss %d", (int)d->loss);
    for (int i = 0; i < d->stage_count && e->levels > 0; i++)
        if (d->stages[i].level > e->levels)
            return weft_fail(c, WEFT_ARGUMENT,
                             "weft_dqn_new: stage %d has level %d; \"%s\" has %d at most", i,
                             d->stages[i].level, e->name, e->levels);
    return WEFT_OK;
}

static weft_err dqn_host_memory(weft_dqn *a) {
    const size_t n = (size_t)a->n, b = (size_t)a->d.batch, stages = (size_t)a->d.stage_count;
    const struct {
        void **at;
        size_t bytes;
    } list[] = {
        {(void **)&a->action, n * sizeof *a->action},
        {(void **)&a->legal, n * sizeof *a->legal},
        {(void **)&a->reward, n * sizeof *a->reward},
        {(void **)&a->done, n},
        {(void **)&a->q, n * (size_t)a->e->actions * sizeof *a->q},
        {(void **)&a->place, b * sizeof *a->place},
        {(void **)&a->errors, b * sizeof *a->errors},
        {(void **)&a->stages, stages * sizeof *a->stages},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (!(*list[i].at = rl_memory(a->c, list[i].bytes, "weft_dqn_new"))) return WEFT_MEMORY;
    if (stages) memcpy(a->stages, a->d.stages, stages * sizeof *a->stages);
    return WEFT_OK;
}

static weft_err dqn_entries(weft_dqn *a, int32_t **begun) {
    const rl_entry list[] = {
        {"count", WEFT_U32, sizeof(dqn_counts) / 4, 1, (void **)&a->count},
        {"choice", WEFT_U32, sizeof(weft_rng) / 4, 1, (void **)&a->rng},
        {"recent", WEFT_F32, a->d.window, 1, (void **)&a->recent},
        {"stage", WEFT_I32, 1, 1, (void **)&a->stage},
        {"stale", WEFT_U8, a->n, 1, (void **)&a->stale},
    };
    return rl_entries(a->s, a->net.name, list, sizeof list / sizeof *list, begun);
}

static weft_err dqn_make(weft_dqn *a) {
    int32_t *begun = NULL;
    char replay[AGENT_NAME + 8];
    snprintf(replay, sizeof replay, "%s.replay", a->net.name);
    WEFT_TRY(dqn_host_memory(a));
    /* first of all, so that the parameters that learn lie together */
    WEFT_TRY(dqn_record_act(a));
    WEFT_TRY(dqn_entries(a, &begun));
    a->replay = weft_replay_new(a->s, a->v, replay, &a->d.replay);
    if (!a->replay) return weft_error_code(a->c);
    WEFT_TRY(dqn_record_learn(a));
    if (!a->d.no_target) WEFT_TRY(dqn_record_sync(a));
    if (*begun) return WEFT_OK;
    weft_rng_seed(a->rng, a->d.seed, UINT64_C(1) << 32); /* apart from those of the instances */
    if (a->d.stage_count && weft_envs_level(a->v) != a->stages[0].level) {
        memset(a->stale, 1, (size_t)a->n);
        weft_envs_set_level(a->v, a->stages[0].level);
    }
    if (!a->d.no_target) WEFT_TRY(dqn_copy_target(a));
    *begun = 1;
    return WEFT_OK;
}

weft_dqn *weft_dqn_new(weft_state *s, weft_envs *v, const char *name, const weft_dqn_desc *d) {
    weft_ctx *const c = weft_state_ctx(s);
    if (!s) weft_fail(c, WEFT_ARGUMENT, "weft_dqn_new: the state is NULL");
    weft_dqn *a = s ? rl_memory(c, sizeof *a, "weft_dqn_new") : NULL;
    if (!a) return NULL;
    a->c = c, a->s = s, a->v = v;
    if (d) a->d = *d;
    dqn_defaults(&a->d);
    a->net =
        (agent_net){.net = a->d.net, .user = a->d.user, .sparse = a->d.sparse, .noisy = a->d.noisy};
    weft_err e = agent_net_make(&a->net, s, v, name, a->d.hidden, "weft_dqn_new");
    if (!e) e = dqn_acceptable(c, a->net.e, &a->d);
    if (!e) {
        a->e = a->net.e;
        a->n = weft_envs_count(v);
        a->explore_at = -1;
        a->optimiser =
            a->d.optimiser ? *a->d.optimiser : (weft_optimiser_desc){.kind = WEFT_OPTIMISER_ADAM};
        e = dqn_make(a);
    }
    if (!e) return a;
    weft_dqn_free(a);
    return NULL;
}

void weft_dqn_free(weft_dqn *a) {
    if (!a) return;
    void *const list[] = {a->action, a->legal, a->reward, a->done,
                          a->q,      a->place, a->errors, a->stages};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) weft_resize(a->c, list[i], 0);
    weft_plan_free(a->act.plan);
    weft_plan_free(a->learn);
    weft_plan_free(a->sync);
    weft_plan_free(a->teach.plan);
    agent_views_free(&a->judge);
    weft_replay_free(a->replay);
    weft_resize(a->c, a, 0);
}

/* ---- acting ---- */

static float dqn_epsilon(weft_dqn *a) {
    const weft_explore *const x = &a->d.explore;
    const int64_t at = x->by_episode ? a->count->episodes : a->count->steps;
    if (at == a->explore_at) return a->epsilon;
    a->explore_at = at;
    if (x->decay > 0) {
        const float e = x->first * powf(x->decay, (float)at);
        return a->epsilon = e > x->last ? e : x->last;
    }
    const float part = at < x->over ? (float)at / (float)x->over : 1;
    return a->epsilon = x->first + (x->last - x->first) * part;
}

/* Random ones first; the network is asked only if one is left. */
static weft_err dqn_choose(weft_dqn *a) {
    const float epsilon = dqn_epsilon(a);
    int left = 0;
    weft_envs_legal(a->v, a->legal);
    for (int i = 0; i < a->n; i++) {
        const bool any = epsilon > 0 && rng_uniform(a->rng) < epsilon;
        const int action = any ? rng_choose(a->rng, a->legal[i]) : -1;
        a->action[i] = any && action < 0 ? 0 : action;
        left += !any;
    }
    if (!left) return WEFT_OK;
    const int actions = a->e->actions;
    agent_observe(&a->net, a->v, a->act.x);
    WEFT_TRY(weft_run(a->act.plan));
    WEFT_TRY(
        weft_get(a->act.plan, a->act.out[0], a->q, (size_t)a->n * (size_t)actions * sizeof *a->q));
    for (int i = 0; i < a->n; i++)
        if (a->action[i] < 0)
            a->action[i] = agent_best(a->q + (size_t)i * (size_t)actions, actions, a->legal[i]);
    return WEFT_OK;
}

/* ---- the curriculum ---- */

static float dqn_mean(const weft_dqn *a) {
    const int64_t n =
        a->count->stage_episodes < a->d.window ? a->count->stage_episodes : a->d.window;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (double)a->recent[i];
    return n ? (float)(sum / (double)n) : 0;
}

static void dqn_episode(weft_dqn *a, int i) {
    a->count->episodes++;
    if (a->stale[i]) {
        a->stale[i] = 0;
        return;
    }
    a->recent[a->count->stage_episodes++ % a->d.window] =
        a->d.count_terminated ? a->done[i] == WEFT_TERMINATED : weft_envs_episode(a->v, i).total;
}

static void dqn_next_stage(weft_dqn *a) {
    if (*a->stage + 1 >= a->d.stage_count) return;
    const weft_stage *const now = &a->stages[*a->stage];
    const int64_t n = a->count->stage_episodes;
    const bool enough = n >= a->d.window && dqn_mean(a) >= now->enough;
    if (!enough && !(now->episodes && n >= now->episodes)) return;
    ++*a->stage;
    a->count->stage_episodes = 0;
    memset(a->stale, 1, (size_t)a->n);
    weft_envs_set_level(a->v, a->stages[*a->stage].level);
}

/* ---- learning ---- */

static weft_err dqn_update(weft_dqn *a) {
    WEFT_TRY(weft_replay_draw(a->replay, a->count->updates, a->d.batch, &a->rows));
    WEFT_TRY(weft_run(a->learn));
    if (a->d.replay.prioritised) {
        WEFT_TRY(weft_get(a->learn, a->error, a->errors, (size_t)a->d.batch * sizeof *a->errors));
        WEFT_TRY(weft_replay_update_priorities(a->replay, a->d.batch, a->place, a->errors));
    }
    a->learned = true;
    a->count->updates++;
    if (a->sync && a->count->updates % a->d.target_every == 0) WEFT_TRY(weft_run(a->sync));
    return WEFT_OK;
}

static weft_err dqn_learn(weft_dqn *a, int64_t before, int64_t now) {
    const int64_t due = (now / a->d.every - before / a->d.every) * a->d.updates;
    if (due == 0 || weft_replay_ready(a->replay) < a->d.start) return WEFT_OK;
    for (int64_t i = 0; i < due; i++) WEFT_TRY(dqn_update(a));
    return WEFT_OK;
}

static void dqn_metrics(weft_dqn *a, weft_metrics *m) {
    const weft_dqn_stats s = weft_dqn_stats_of(a);
    weft_metric(m, "train/loss", (double)s.loss);
    weft_metric(m, "episodes/mean", (double)s.mean);
    weft_metric(m, "explore/epsilon", (double)s.epsilon);
    weft_metric(m, "count/episodes", (double)s.episodes);
    weft_metric(m, "count/updates", (double)s.updates);
    if (a->d.stage_count) weft_metric(m, "stage/level", weft_envs_level(a->v));
}

/* What was loaded is not to be trusted. */
static weft_err dqn_check(const weft_dqn *a) {
    const dqn_counts *const n = a->count;
    if (n->steps < 0 || n->updates < 0 || n->episodes < 0 || n->stage_episodes < 0 ||
        *a->stage < 0 || *a->stage > (a->d.stage_count ? a->d.stage_count - 1 : 0))
        return weft_fail(a->c, WEFT_STATE,
                         "agent \"%s\": %lld steps, %lld updates, %lld episodes, %lld of them in "
                         "stage %d of %d",
                         a->net.name, (long long)n->steps, (long long)n->updates,
                         (long long)n->episodes, (long long)n->stage_episodes, (int)*a->stage,
                         a->d.stage_count);
    WEFT_TRY(agent_check_rng(&a->net, a->rng));
    WEFT_TRY(weft_envs_check(a->v));
    return weft_replay_check(a->replay);
}

weft_err weft_dqn_step(void *agent, int64_t step, weft_metrics *m) {
    weft_dqn *const a = agent;
    (void)step;
    if (a->seen != weft_state_changes(a->s) + 1) {
        WEFT_TRY(dqn_check(a));
        a->explore_at = -1;
    }
    a->seen = 0; /* a step that fails is no reason to believe the state */
    const int64_t ticks = a->d.by_episode ? a->count->episodes : a->count->steps;
    WEFT_TRY(dqn_choose(a));
    WEFT_TRY(weft_envs_step(a->v, a->action, a->reward, a->done));
    WEFT_TRY(weft_replay_add(a->replay, a->action, a->reward, a->done));
    const int64_t episodes = a->count->episodes;
    for (int i = 0; i < a->n; i++)
        if (a->done[i]) dqn_episode(a, i);
    if (a->count->episodes != episodes) dqn_next_stage(a);
    a->count->steps++;
    WEFT_TRY(dqn_learn(a, ticks, a->d.by_episode ? a->count->episodes : a->count->steps));
    a->seen = weft_state_changes(a->s) + 1;
    if (m) dqn_metrics(a, m);
    return WEFT_OK;
}

/* ---- being taught ---- */

weft_err weft_dqn_teach(weft_dqn *a, const weft_envs *v, const int32_t *actions, float *loss) {
    const int n = weft_envs_count(v);
    if (weft_envs_env(v) != a->e)
        return weft_fail(a->c, WEFT_ARGUMENT, "agent \"%s\" learns \"%s\" and was taught \"%s\"",
                         a->net.name, a->e->name, weft_envs_env(v)->name);
    if (!a->teach.plan || a->teach.rows != n) WEFT_TRY(dqn_record_teach(a, n));
    for (int i = 0; i < n; i++)
        if (actions[i] < 0 || actions[i] >= a->e->actions)
            return weft_fail(a->c, WEFT_ARGUMENT, "weft_dqn_teach: instance %d: action %d of %d", i,
                             (int)actions[i], a->e->actions);
    agent_observe(&a->net, v, a->teach.x);
    weft_envs_legal(v, (uint32_t *)a->teach.legal);
    for (int i = 0; i < n; i++) /* its value would rise without end: nothing is compared with it */
        if (!((uint32_t)a->teach.legal[i] >> actions[i] & 1))
            return weft_fail(a->c, WEFT_ARGUMENT,
                             "weft_dqn_teach: instance %d: action %d is not legal there", i,
                             (int)actions[i]);
    memcpy(a->teach.action, actions, (size_t)n * sizeof *actions);
    WEFT_TRY(weft_run(a->teach.plan));
    if (loss) *loss = weft_item(a->teach.plan, a->teach.loss);
    return WEFT_OK;
}

/* ---- judging ---- */

static agent_view *dqn_judge(weft_dqn *a, const weft_envs *v) {
    return agent_views_run(&a->judge, &a->net, v, a->d.threads, dqn_values, a);
}

weft_err weft_dqn_values(weft_dqn *a, const weft_envs *v, float *q) {
    const agent_view *const w = dqn_judge(a, v);
    if (!w) return weft_error_code(a->c);
    return weft_get(w->plan, w->out[0], q, (size_t)w->rows * (size_t)a->e->actions * sizeof *q);
}

weft_err weft_dqn_act(void *agent, const weft_envs *v, int32_t *actions) {
    weft_dqn *const a = agent;
    const agent_view *const w = dqn_judge(a, v);
    if (!w) return weft_error_code(a->c);
    return weft_get(w->plan, w->best, actions, (size_t)w->rows * sizeof *actions);
}

weft_dqn_stats weft_dqn_stats_of(const weft_dqn *a) {
    return (weft_dqn_stats){.steps = a->count->steps,
                            .updates = a->count->updates,
                            .episodes = a->count->episodes,
                            .stored = weft_replay_ready(a->replay),
                            .loss = a->learned ? weft_item(a->learn, a->loss) : 0,
                            .epsilon = a->epsilon,
                            .mean = dqn_mean(a),
                            .stage = *a->stage};
}
