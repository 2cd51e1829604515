/* agent.c - networks of agents: linear layers with relu between them, the first one sparse where
 * that is asked for, any of them noisy. */
#include "rl/agent.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

weft_err agent_net_make(agent_net *a, weft_state *s, const weft_envs *v, const char *name,
                        const int *hidden, const char *what) {
    static const int usual[] = {64, 64, 0};
    weft_ctx *const c = weft_state_ctx(s);
    if (!s || !v || !name || !*name || strchr(name, '.') || strlen(name) >= sizeof a->name)
        return weft_fail(c, WEFT_ARGUMENT,
                         "%s: a state, environments and a name of less than %d characters, without "
                         "dots, were expected",
                         what, AGENT_NAME);
    a->s = s;
    a->e = weft_envs_env(v);
    snprintf(a->name, sizeof a->name, "%s", name);
    if (!hidden) hidden = usual;
    for (int i = 0; hidden[i]; i++) {
        if (i == AGENT_LAYERS || hidden[i] < 1)
            return weft_fail(c, WEFT_ARGUMENT,
                             "%s: layer %d has width %d; at most %d layers of 1 or more, and a 0 "
                             "behind them, were expected",
                             what, i + 1, hidden[i], AGENT_LAYERS);
        a->hidden[i] = hidden[i];
    }
    if (a->sparse && !a->e->index)
        return weft_fail(c, WEFT_ARGUMENT, "%s: environment \"%s\" has no indices for .sparse",
                         what, a->e->name);
    if (a->sparse && !a->net && !a->hidden[0])
        return weft_fail(c, WEFT_ARGUMENT, "%s: .sparse needs a first layer", what);
    return WEFT_OK;
}

weft_err agent_check_rng(const agent_net *a, const weft_rng *r) {
    if (r->a | r->b) return WEFT_OK;
    return weft_fail(weft_state_ctx(a->s), WEFT_STATE, "agent \"%s\" has no random numbers: all 0",
                     a->name);
}

/* ---- layers ---- */

static weft_tensor agent_uniform(const agent_net *a, weft_graph *g, const char *name,
                                 const char *part, weft_shape dims, float bound) {
    char full[160];
    snprintf(full, sizeof full, "%s.%s", name, part);
    return weft_param(g, a->s, full, dims, (weft_init){WEFT_INIT_UNIFORM, -bound, bound});
}

static weft_tensor agent_constant(const agent_net *a, weft_graph *g, const char *name,
                                  const char *part, weft_shape dims, float value) {
    char full[160];
    snprintf(full, sizeof full, "%s.%s", name, part);
    return weft_param(g, a->s, full, dims, (weft_init){WEFT_INIT_VALUE, value, 0});
}

/* Noise of one side of a weight: sign(e) sqrt |e|. */
static weft_tensor agent_noise(weft_graph *g, int64_t n) {
    const weft_tensor e = weft_normal(g, weft_dims(n));
    return weft_mul(weft_sign(e), weft_sqrt(weft_abs(e)));
}

/* Weights w + sigma (out x in): the noise of a weight is a product, so two products of x do, and no
 * noisy weight is ever made. */
weft_tensor agent_linear(const agent_net *a, weft_tensor x, int64_t out, const char *name) {
    if (!a->noisy) return weft_linear(a->s, x, out, name);
    weft_graph *const g = x.g;
    const int64_t in = weft_dim(x, -1);
    const float bound = 1 / sqrtf((float)(in > 0 ? in : 1));
    const weft_shape wide = weft_dims(out, in), flat = weft_dims(out);
    const weft_tensor w = agent_uniform(a, g, name, "weight", wide, bound);
    const weft_tensor b = agent_uniform(a, g, name, "bias", flat, bound);
    const weft_tensor w_sigma = agent_constant(a, g, name, "weight_sigma", wide, bound / 2);
    const weft_tensor b_sigma = agent_constant(a, g, name, "bias_sigma", flat, bound / 2);
    const weft_tensor y = weft_add(weft_matmul(x, weft_transpose(w, 0, 1)), b);
    if (weft_graph_is_eval(g)) return y;
    const weft_tensor noisy =
        weft_matmul(weft_mul(x, agent_noise(g, in)), weft_transpose(w_sigma, 0, 1));
    return weft_add(y, weft_mul(agent_noise(g, out), weft_add(noisy, b_sigma)));
}

/* The sum of a row of the table for each index: a linear layer whose input has a 1 for each. */
static weft_tensor agent_rows(const agent_net *a, weft_tensor x, int64_t out, const char *name) {
    weft_graph *const g = x.g;
    const float bound = 1 / sqrtf((float)a->e->slots);
    const weft_tensor w = agent_uniform(a, g, name, "weight", weft_dims(a->e->words, out), bound);
    const weft_tensor b = agent_uniform(a, g, name, "bias", weft_dims(out), bound);
    return weft_add(weft_sum(weft_embedding(w, x), weft_axes(1), false), b);
}

weft_tensor agent_input(const agent_net *a, weft_graph *g, int64_t rows) {
    return a->sparse ? weft_input(g, WEFT_I32, weft_dims(rows, a->e->slots))
                     : weft_input(g, WEFT_F32, weft_dims(rows, a->e->obs));
}

weft_tensor agent_features(const agent_net *a, weft_tensor x) {
    if (a->net) {
        const int64_t rows = weft_dim(x, 0);
        const weft_tensor y = a->net(a->user, a->s, x);
        if (!weft_ok(y) || (weft_rank(y) == 2 && weft_dim(y, 0) == rows)) return y;
        return weft_poison(x.g, WEFT_SHAPE,
                           "agent: the network gave a tensor of rank %d with %lld rows; [%lld, any "
                           "width] was expected",
                           weft_rank(y), (long long)weft_dim(y, 0), (long long)rows);
    }
    for (int i = 0; a->hidden[i]; i++) {
        char name[16];
        snprintf(name, sizeof name, "fc%d", i + 1);
        x = weft_relu(i == 0 && a->sparse ? agent_rows(a, x, a->hidden[i], name)
                                          : agent_linear(a, x, a->hidden[i], name));
    }
    return x;
}

/* ---- legal actions ---- */

weft_tensor agent_legal_input(weft_graph *g, int64_t rows) {
    return weft_input(g, WEFT_I32, weft_dims(rows, 1));
}

/* Finite, since 0 times an infinity would be no number where probabilities are made of it. */
weft_tensor agent_masked(weft_tensor q, weft_tensor legal) {
    weft_graph *const g = q.g;
    const int64_t actions = weft_dim(q, -1);
    int32_t bit[32];
    for (int i = 0; i < 32; i++) bit[i] = (int32_t)((uint32_t)1 << i);
    const weft_tensor bits = weft_const(g, WEFT_I32, weft_dims(actions), bit);
    const weft_tensor barred = weft_eq(weft_and(legal, bits), weft_integer(g, 0));
    return weft_where(barred, weft_scalar(g, -1e30f), q);
}

int agent_best(const float *q, int actions, uint32_t legal) {
    int best = -1;
    for (int i = 0; i < actions; i++)
        if (legal >> i & 1 && (best < 0 || q[i] > q[best])) best = i;
    return best < 0 ? 0 : best;
}

void agent_observe(const agent_net *a, const weft_envs *v, void *feed) {
    if (a->sparse) weft_envs_index(v, feed);
    else weft_envs_observe(v, feed);
}

/* ---- plans that look ---- */

weft_err agent_view_make(agent_view *w, const agent_net *a, int rows, int threads, bool judge,
                         agent_record record, void *user) {
    weft_ctx *const c = weft_state_ctx(a->s);
    *w = (agent_view){.rows = rows};
    weft_graph *g = weft_graph_new(c);
    if (!g) return weft_error_code(c);
    if (judge) weft_graph_eval(g);
    const weft_tensor x = agent_input(a, g, rows);
    weft_tensor legal = {0}, fetch[AGENT_RESULTS + 1];
    weft_scope_push(g, a->name);
    record(user, x, w->out);
    weft_scope_pop(g);
    size_t n = 0;
    for (int i = 0; i < AGENT_RESULTS; i++)
        if (i == 0 || weft_ok(w->out[i])) fetch[n++] = w->out[i];
    if (judge) {
        legal = agent_legal_input(g, rows);
        fetch[n++] = w->best = weft_argmax(agent_masked(w->out[0], legal), 1, true);
    }
    w->plan =
        weft_compile(g, &(weft_plan_desc){.fetch = {fetch, n}, .threads = threads, .name = "act"});
    w->x = w->plan ? weft_feed(w->plan, x) : NULL;
    w->legal = w->x && judge ? weft_feed(w->plan, legal) : NULL;
    weft_graph_free(g);
    return w->x && (w->legal || !judge) ? WEFT_OK : weft_error_code(c);
}

agent_view *agent_views_run(agent_views *w, const agent_net *a, const weft_envs *v, int threads,
                            agent_record record, void *user) {
    const int rows = weft_envs_count(v);
    agent_view *at = NULL;
    if (weft_envs_env(v) != a->e) {
        weft_fail(weft_state_ctx(a->s), WEFT_ARGUMENT,
                  "agent \"%s\" learns \"%s\" and was asked about \"%s\"", a->name, a->e->name,
                  weft_envs_env(v)->name);
        return NULL;
    }
    for (int i = 0; i < AGENT_VIEWS; i++)
        if (w->at[i].plan && w->at[i].rows == rows) at = &w->at[i];
    if (!at) {
        agent_view made;
        if (agent_view_make(&made, a, rows, threads, true, record, user)) {
            weft_plan_free(made.plan);
            return NULL;
        }
        at = &w->at[w->next];
        w->next = (w->next + 1) % AGENT_VIEWS;
        weft_plan_free(at->plan);
        *at = made;
    }
    agent_observe(a, v, at->x);
    weft_envs_legal(v, at->legal);
    return weft_run(at->plan) ? NULL : at;
}

void agent_views_free(agent_views *w) {
    for (int i = 0; i < AGENT_VIEWS; i++) weft_plan_free(w->at[i].plan);
}
