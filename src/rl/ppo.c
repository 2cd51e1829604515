/* ppo.c - proximal policy optimisation: a horizon of play in all instances, some passes over it.
 *
 * A step of the agent is the whole of that, so what was played need not last: a checkpoint between
 * two steps holds the network, the environments and the generator, and that is all. Advantages are
 * one linear recurrence, backwards in time. */
#include "rl/agent.h"
#include "rl/entry.h"
#include "rl/rng.h"

#include <math.h>
#include <string.h>

enum { PPO_WINDOW = 100 };

typedef struct ppo_counts {
    int64_t steps, updates, episodes;
} ppo_counts;

struct weft_ppo {
    weft_ctx *c;
    weft_state *s;
    weft_envs *v;
    const weft_env *e;
    int n, rows, part; /* instances; n horizon; rows of a part */
    size_t width;      /* bytes of an input row */
    weft_ppo_desc d;
    agent_net net;

    agent_view act;
    agent_views judge;
    weft_plan *gae, *learn;
    weft_tensor advantage, goal, loss;
    struct {
        float *reward, *goes_on, *value;
    } gae_feed;
    struct {
        void *x;
        int32_t *action, *legal;
        float *log_p, *advantage, *goal;
    } feed;

    /* what was played, [horizon, n] each */
    unsigned char *x;
    int32_t *action, *legal, *order;
    float *log_p, *reward, *goes_on, *value, *advantages, *goals; /* value has a row more */
    float *logits, *expected;                                     /* [n, actions], [n] */
    uint8_t *done;                                                /* [n] */

    /* of the state */
    ppo_counts *count;
    weft_rng *rng;
    float *recent; /* [PPO_WINDOW] sums of rewards, a ring */

    uint64_t seen; /* changes of the state when it last looked, and 1: more mean a load */
};

/* ---- graphs ---- */

static void ppo_heads(void *agent, weft_tensor x, weft_tensor out[AGENT_RESULTS]) {
    const weft_ppo *const a = agent;
    const weft_tensor h = agent_features(&a->net, x);
    out[0] = agent_linear(&a->net, h, a->e->actions, "policy");
    out[1] = agent_linear(&a->net, h, 1, "value");
}

/* a[t] = delta[t] + gamma lambda a[t + 1], delta[t] = r[t] + gamma v[t + 1] - v[t], and nothing
 * comes from behind the end of an episode. */
static weft_err ppo_record_gae(weft_ppo *a) {
    weft_graph *g = weft_graph_new(a->c);
    if (!g) return weft_error_code(a->c);
    const int64_t t = a->d.horizon, n = a->n;
    const weft_tensor reward = weft_input(g, WEFT_F32, weft_dims(t, n));
    const weft_tensor goes_on = weft_input(g, WEFT_F32, weft_dims(t, n));
    const weft_tensor value = weft_input(g, WEFT_F32, weft_dims(t + 1, n));
    const weft_tensor now = weft_slice(value, 0, 0, t, 1), next = weft_slice(value, 0, 1, t + 1, 1);
    const weft_tensor delta =
        weft_sub(weft_add(reward, weft_scale(weft_mul(goes_on, next), a->d.gamma)), now);
    const weft_tensor raw =
        weft_linrec(weft_scale(goes_on, a->d.gamma * a->d.lambda), delta, 0, true);
    const weft_tensor centred = weft_sub(raw, weft_mean(raw, WEFT_ALL, false));
    const weft_tensor spread = weft_sqrt(weft_mean(weft_mul(centred, centred), WEFT_ALL, false));
    a->goal = weft_add(raw, now);
    a->advantage = weft_div(centred, weft_offset(spread, 1e-8f));
    a->gae = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(a->advantage, a->goal),
                                               .threads = a->d.threads,
                                               .name = "advantage"});
    if (a->gae) {
        a->gae_feed.reward = weft_feed(a->gae, reward);
        a->gae_feed.goes_on = weft_feed(a->gae, goes_on);
        a->gae_feed.value = weft_feed(a->gae, value);
    }
    weft_graph_free(g);
    return a->gae ? WEFT_OK : weft_error_code(a->c);
}

static weft_err ppo_record_learn(weft_ppo *a, const weft_optimiser_desc *optimiser) {
    weft_graph *g = weft_graph_new(a->c);
    if (!g) return weft_error_code(a->c);
    const weft_shape column = weft_dims(a->part, 1);
    const weft_tensor x = agent_input(&a->net, g, a->part), legal = agent_legal_input(g, a->part);
    const weft_tensor action = weft_input(g, WEFT_I32, column);
    const weft_tensor old = weft_input(g, WEFT_F32, column);
    const weft_tensor advantage = weft_input(g, WEFT_F32, column);
    const weft_tensor goal = weft_input(g, WEFT_F32, column);
    weft_tensor out[AGENT_RESULTS] = {{0}};
    weft_scope_push(g, a->net.name);
    ppo_heads(a, x, out);
    weft_scope_pop(g);
    const weft_tensor log_all = weft_log_softmax(agent_masked(out[0], legal), 1);
    const weft_tensor ratio = weft_exp(weft_sub(weft_take_along(log_all, action, 1), old));
    const weft_tensor kept = weft_clamp(ratio, 1 - a->d.clip, 1 + a->d.clip);
    const weft_tensor gain = weft_minimum(weft_mul(ratio, advantage), weft_mul(kept, advantage));
    const weft_tensor entropy =
        weft_neg(weft_sum(weft_mul(weft_exp(log_all), log_all), weft_axes(1), true));
    const weft_tensor off = weft_sub(out[1], goal);
    const weft_tensor each = weft_sub(weft_scale(weft_mul(off, off), a->d.value),
                                      weft_add(gain, weft_scale(entropy, a->d.entropy)));
    a->loss = weft_mean(each, WEFT_ALL, false);
    a->learn = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(a->loss),
                                                 .update = weft_optimiser(a->s, a->loss, optimiser),
                                                 .training = true,
                                                 .threads = a->d.threads,
                                                 .name = "learn"});
    if (a->learn) {
        a->feed.x = weft_feed(a->learn, x);
        a->feed.legal = weft_feed(a->learn, legal);
        a->feed.action = weft_feed(a->learn, action);
        a->feed.log_p = weft_feed(a->learn, old);
        a->feed.advantage = weft_feed(a->learn, advantage);
        a->feed.goal = weft_feed(a->learn, goal);
    }
    weft_graph_free(g);
    return a->learn ? WEFT_OK : weft_error_code(a->c);
}

/* ---- making ---- */

static float ppo_share(float given, float usual) {
    return given < 0 ? 0 : given == 0 ? usual : given;
}

static weft_err ppo_defaults(weft_ppo *a) {
    weft_ppo_desc *const d = &a->d;
    if (!d->horizon) d->horizon = 128;
    if (!d->epochs) d->epochs = 4;
    if (!d->parts) d->parts = 4;
    if (d->gamma == 0) d->gamma = 0.99f;
    if (d->lambda == 0) d->lambda = 0.95f;
    if (d->clip == 0) d->clip = 0.2f;
    if (d->scale == 0) d->scale = 1;
    d->entropy = ppo_share(d->entropy, 0.01f);
    d->value = ppo_share(d->value, 0.5f);
    const int64_t rows = (int64_t)a->n * d->horizon;
    if (d->horizon < 1 || d->epochs < 1 || d->parts < 1 || rows > INT32_MAX || rows % d->parts)
        return weft_fail(
            a->c, WEFT_ARGUMENT,
            "weft_ppo_new: %d epochs over %d instances of %d steps, in %d parts: equal "
            "parts were expected, and nothing below 1",
            d->epochs, a->n, d->horizon, d->parts);
    if (!(d->gamma >= 0 && d->gamma <= 1) || !(d->lambda >= 0 && d->lambda <= 1) ||
        !(d->clip > 0 && d->clip < 1))
        return weft_fail(a->c, WEFT_ARGUMENT,
                         "weft_ppo_new: gamma %g, lambda %g, clip %g; 0 to 1 was expected",
                         (double)d->gamma, (double)d->lambda, (double)d->clip);
    a->rows = (int)rows;
    a->part = (int)(rows / d->parts);
    return WEFT_OK;
}

static weft_err ppo_memory(weft_ppo *a) {
    const size_t rows = (size_t)a->rows, n = (size_t)a->n;
    a->width =
        a->d.sparse ? (size_t)a->e->slots * sizeof(int32_t) : (size_t)a->e->obs * sizeof(float);
    const struct {
        void **at;
        size_t bytes;
    } list[] = {
        {(void **)&a->x, rows * a->width},
        {(void **)&a->action, rows * sizeof *a->action},
        {(void **)&a->legal, rows * sizeof *a->legal},
        {(void **)&a->order, rows * sizeof *a->order},
        {(void **)&a->log_p, rows * sizeof *a->log_p},
        {(void **)&a->reward, rows * sizeof *a->reward},
        {(void **)&a->goes_on, rows * sizeof *a->goes_on},
        {(void **)&a->value, (rows + n) * sizeof *a->value},
        {(void **)&a->advantages, rows * sizeof *a->advantages},
        {(void **)&a->goals, rows * sizeof *a->goals},
        {(void **)&a->logits, n * (size_t)a->e->actions * sizeof *a->logits},
        {(void **)&a->expected, n * sizeof *a->expected},
        {(void **)&a->done, n},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (!(*list[i].at = rl_memory(a->c, list[i].bytes, "weft_ppo_new"))) return WEFT_MEMORY;
    return WEFT_OK;
}

static weft_err ppo_make(weft_ppo *a, const weft_optimiser_desc *optimiser) {
    static const weft_optimiser_desc usual = {
        .kind = WEFT_OPTIMISER_ADAM, .lr = 3e-4f, .clip_norm = 0.5f};
    int32_t *begun = NULL;
    const rl_entry list[] = {
        {"count", WEFT_U32, sizeof(ppo_counts) / 4, 1, (void **)&a->count},
        {"choice", WEFT_U32, sizeof(weft_rng) / 4, 1, (void **)&a->rng},
        {"recent", WEFT_F32, PPO_WINDOW, 1, (void **)&a->recent},
    };
    WEFT_TRY(ppo_defaults(a));
    WEFT_TRY(ppo_memory(a));
    WEFT_TRY(agent_view_make(&a->act, &a->net, a->n, a->d.threads, false, ppo_heads, a));
    WEFT_TRY(rl_entries(a->s, a->net.name, list, sizeof list / sizeof *list, &begun));
    WEFT_TRY(ppo_record_gae(a));
    WEFT_TRY(ppo_record_learn(a, optimiser ? optimiser : &usual));
    if (!*begun) weft_rng_seed(a->rng, a->d.seed, UINT64_C(1) << 32);
    *begun = 1;
    return WEFT_OK;
}

weft_ppo *weft_ppo_new(weft_state *s, weft_envs *v, const char *name, const weft_ppo_desc *d) {
    weft_ctx *const c = weft_state_ctx(s);
    if (!s) weft_fail(c, WEFT_ARGUMENT, "weft_ppo_new: the state is NULL");
    weft_ppo *a = s ? rl_memory(c, sizeof *a, "weft_ppo_new") : NULL;
    if (!a) return NULL;
    a->c = c, a->s = s, a->v = v;
    if (d) a->d = *d;
    a->net = (agent_net){.net = a->d.net, .user = a->d.user, .sparse = a->d.sparse};
    weft_err e = agent_net_make(&a->net, s, v, name, a->d.hidden, "weft_ppo_new");
    if (!e) {
        a->e = a->net.e;
        a->n = weft_envs_count(v);
        e = ppo_make(a, a->d.optimiser);
    }
    if (!e) return a;
    weft_ppo_free(a);
    return NULL;
}

void weft_ppo_free(weft_ppo *a) {
    if (!a) return;
    void *const list[] = {a->x,      a->action,   a->legal, a->order,      a->log_p,
                          a->reward, a->goes_on,  a->value, a->advantages, a->goals,
                          a->logits, a->expected, a->done};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) weft_resize(a->c, list[i], 0);
    weft_plan_free(a->act.plan);
    weft_plan_free(a->gae);
    weft_plan_free(a->learn);
    agent_views_free(&a->judge);
    weft_resize(a->c, a, 0);
}

/* ---- playing ---- */

/* Draws an action from the softmax of the legal logits; gives the logarithm of its chance. */
static int ppo_draw(weft_ppo *a, const float *logits, uint32_t legal, float *log_p) {
    const int actions = a->e->actions, best = agent_best(logits, actions, legal);
    float sum = 0;
    for (int i = 0; i < actions; i++)
        if (legal >> i & 1) sum += expf(logits[i] - logits[best]);
    float left = rng_uniform(a->rng) * sum;
    int chosen = best;
    for (int i = 0; i < actions; i++) {
        if (!(legal >> i & 1)) continue;
        chosen = i;
        left -= expf(logits[i] - logits[best]);
        if (left < 0) break;
    }
    *log_p = logits[chosen] - logits[best] - logf(sum);
    return chosen;
}

static weft_err ppo_look(weft_ppo *a, float *value) {
    WEFT_TRY(weft_run(a->act.plan));
    WEFT_TRY(weft_get(a->act.plan, a->act.out[0], a->logits,
                      (size_t)a->n * (size_t)a->e->actions * sizeof *a->logits));
    return weft_get(a->act.plan, a->act.out[1], value, (size_t)a->n * sizeof *value);
}

/* What is behind a cut-off is worth what the network thinks of the last state. */
static weft_err ppo_cut_offs(weft_ppo *a, float *reward) {
    bool any = false;
    for (int i = 0; i < a->n; i++) any |= a->done[i] == WEFT_TRUNCATED;
    if (!any) return WEFT_OK;
    for (int i = 0; i < a->n; i++) {
        if (a->done[i] != WEFT_TRUNCATED) continue;
        unsigned char *const row = (unsigned char *)a->act.x + (size_t)i * a->width;
        if (a->d.sparse) a->e->index(weft_envs_final(a->v, i), (int32_t *)row);
        else a->e->observe(weft_envs_final(a->v, i), (float *)row);
    }
    WEFT_TRY(ppo_look(a, a->expected));
    for (int i = 0; i < a->n; i++)
        if (a->done[i] == WEFT_TRUNCATED) reward[i] += a->d.gamma * a->expected[i];
    return WEFT_OK;
}

static weft_err ppo_play(weft_ppo *a) {
    for (int t = 0; t < a->d.horizon; t++) {
        const size_t at = (size_t)t * (size_t)a->n;
        agent_observe(&a->net, a->v, a->act.x);
        memcpy(a->x + at * a->width, a->act.x, (size_t)a->n * a->width);
        weft_envs_legal(a->v, (uint32_t *)a->legal + at);
        WEFT_TRY(ppo_look(a, a->value + at));
        for (int i = 0; i < a->n; i++)
            a->action[at + (size_t)i] =
                ppo_draw(a, a->logits + (size_t)i * (size_t)a->e->actions,
                         (uint32_t)a->legal[at + (size_t)i], &a->log_p[at + (size_t)i]);
        WEFT_TRY(weft_envs_step(a->v, a->action + at, a->reward + at, a->done));
        for (int i = 0; i < a->n; i++) {
            a->reward[at + (size_t)i] *= a->d.scale;
            a->goes_on[at + (size_t)i] = a->done[i] == WEFT_CONTINUES;
            if (a->done[i])
                a->recent[a->count->episodes++ % PPO_WINDOW] = weft_envs_episode(a->v, i).total;
        }
        WEFT_TRY(ppo_cut_offs(a, a->reward + at));
    }
    agent_observe(&a->net, a->v, a->act.x);
    return ppo_look(a, a->value + (size_t)a->rows);
}

/* ---- learning ---- */

static weft_err ppo_advantages(weft_ppo *a) {
    const size_t bytes = (size_t)a->rows * sizeof(float);
    memcpy(a->gae_feed.reward, a->reward, bytes);
    memcpy(a->gae_feed.goes_on, a->goes_on, bytes);
    memcpy(a->gae_feed.value, a->value, bytes + (size_t)a->n * sizeof(float));
    WEFT_TRY(weft_run(a->gae));
    WEFT_TRY(weft_get(a->gae, a->advantage, a->advantages, bytes));
    return weft_get(a->gae, a->goal, a->goals, bytes);
}

static weft_err ppo_part(weft_ppo *a, const int32_t *row) {
    for (int i = 0; i < a->part; i++) {
        const size_t from = (size_t)row[i];
        memcpy((unsigned char *)a->feed.x + (size_t)i * a->width, a->x + from * a->width, a->width);
        a->feed.action[i] = a->action[from];
        a->feed.legal[i] = a->legal[from];
        a->feed.log_p[i] = a->log_p[from];
        a->feed.advantage[i] = a->advantages[from];
        a->feed.goal[i] = a->goals[from];
    }
    a->count->updates++;
    return weft_run(a->learn);
}

static weft_err ppo_learn(weft_ppo *a) {
    WEFT_TRY(ppo_advantages(a));
    for (int i = 0; i < a->rows; i++) a->order[i] = i;
    for (int epoch = 0; epoch < a->d.epochs; epoch++) {
        for (int i = a->rows - 1; i > 0; i--) {
            const int k = (int)rng_below(a->rng, (uint32_t)i + 1);
            const int32_t other = a->order[k];
            a->order[k] = a->order[i];
            a->order[i] = other;
        }
        for (int p = 0; p < a->d.parts; p++) WEFT_TRY(ppo_part(a, a->order + p * a->part));
    }
    return WEFT_OK;
}

/* What was loaded is not to be trusted. */
static weft_err ppo_check(const weft_ppo *a) {
    const ppo_counts *const n = a->count;
    if (n->steps < 0 || n->updates < 0 || n->episodes < 0)
        return weft_fail(a->c, WEFT_STATE, "agent \"%s\": %lld steps, %lld updates, %lld episodes",
                         a->net.name, (long long)n->steps, (long long)n->updates,
                         (long long)n->episodes);
    WEFT_TRY(agent_check_rng(&a->net, a->rng));
    return weft_envs_check(a->v);
}

weft_err weft_ppo_step(void *agent, int64_t step, weft_metrics *m) {
    weft_ppo *const a = agent;
    (void)step;
    if (a->seen != weft_state_changes(a->s) + 1) WEFT_TRY(ppo_check(a));
    a->seen = 0; /* a step that fails is no reason to believe the state */
    WEFT_TRY(ppo_play(a));
    WEFT_TRY(ppo_learn(a));
    a->count->steps += a->d.horizon;
    a->seen = weft_state_changes(a->s) + 1;
    if (!m) return WEFT_OK;
    const int64_t n = a->count->episodes < PPO_WINDOW ? a->count->episodes : PPO_WINDOW;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (double)a->recent[i];
    weft_metric(m, "train/loss", (double)weft_item(a->learn, a->loss));
    weft_metric(m, "episodes/mean", n ? sum / (double)n : 0);
    weft_metric(m, "count/episodes", (double)a->count->episodes);
    weft_metric(m, "count/updates", (double)a->count->updates);
    return WEFT_OK;
}

/* ---- judging ---- */

weft_err weft_ppo_act(void *agent, const weft_envs *v, int32_t *actions) {
    weft_ppo *const a = agent;
    const agent_view *const w = agent_views_run(&a->judge, &a->net, v, a->d.threads, ppo_heads, a);
    if (!w) return weft_error_code(a->c);
    return weft_get(w->plan, w->best, actions, (size_t)w->rows * sizeof *actions);
}

weft_err weft_ppo_values(weft_ppo *a, const weft_envs *v, float *values) {
    const agent_view *const w = agent_views_run(&a->judge, &a->net, v, a->d.threads, ppo_heads, a);
    if (!w) return weft_error_code(a->c);
    return weft_get(w->plan, w->out[1], values, (size_t)w->rows * sizeof *values);
}
