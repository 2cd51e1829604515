/* bench_q.c - Q-learning's loss once more, in plain C and double, for bench_truth.h.
 *
 * The agent's replay lies in the state, so a second one over the same entries draws the same rows.
 * Networks, heads, targets and losses are written down from their formulas; targets are computed
 * once an update, before any parameter is moved, since no gradient goes through them. */
#include "bench_q.h"

#include "bench_truth.h"
#include "command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Q_LAYERS = 8, Q_WIDEST = 512, Q_ACTIONS = 32 };

/* A network's values, copied from the state. */
typedef struct q_layer {
    float *w, *bias; /* [out, in]; of a sparse first layer [words, out] */
    int in, out;
} q_layer;
typedef struct q_net {
    q_layer layer[Q_LAYERS], advantage, value;
    int layers;
} q_net;

typedef struct q_proof {
    const q_agent *of;
    const weft_env *e;
    weft_replay *replay;
    weft_replay_rows rows;
    int batch;
    bool fresh; /* an update was made since the targets were computed */
    double *target;
} q_proof;

/* ---- the network ---- */

static bool q_layer_find(const q_proof *p, const char *prefix, const char *name, int in, int out,
                         q_layer *l) {
    char full[200];
    const size_t bytes[2] = {(size_t)in * (size_t)out * sizeof(float), (size_t)out * sizeof(float)};
    *l = (q_layer){malloc(bytes[0]), malloc(bytes[1]), in, out};
    if (!l->w || !l->bias || out > Q_WIDEST) return false;
    snprintf(full, sizeof full, "%s.%s.weight", prefix, name);
    if (weft_state_get(p->of->s, full, l->w, bytes[0]) != WEFT_OK) return false;
    snprintf(full, sizeof full, "%s.%s.bias", prefix, name);
    return weft_state_get(p->of->s, full, l->bias, bytes[1]) == WEFT_OK;
}

static void q_net_free(q_net *n) {
    for (int i = 0; i < Q_LAYERS; i++) free(n->layer[i].w), free(n->layer[i].bias);
    free(n->advantage.w), free(n->advantage.bias);
    free(n->value.w), free(n->value.bias);
}

static bool q_net_find(const q_proof *p, const char *prefix, q_net *n) {
    const weft_dqn_desc *const d = p->of->d;
    int width = d->sparse ? p->e->words : p->e->obs;
    *n = (q_net){.layers = 0};
    for (int i = 0; d->hidden[i]; i++) {
        char name[16];
        snprintf(name, sizeof name, "fc%d", i + 1);
        if (i == Q_LAYERS || !q_layer_find(p, prefix, name, width, d->hidden[i], &n->layer[i]))
            return false;
        width = d->hidden[i];
        n->layers++;
    }
    return q_layer_find(p, prefix, "advantage", width, p->e->actions, &n->advantage) &&
           (!d->dueling || q_layer_find(p, prefix, "value", width, 1, &n->value));
}

static void q_apply(const q_layer *l, const double *x, double *y, bool relu) {
    for (int o = 0; o < l->out; o++) {
        double sum = (double)l->bias[o];
        for (int i = 0; i < l->in; i++) sum += (double)l->w[(size_t)o * (size_t)l->in + i] * x[i];
        y[o] = relu && !(sum > 0) ? 0 : sum;
    }
}

/* The first layer: from what is observed, or from the indices of the ones in it. */
static void q_first(const q_proof *p, const q_layer *l, const float *obs, const int32_t *index,
                    double *y) {
    for (int o = 0; o < l->out; o++) {
        double sum = (double)l->bias[o];
        if (p->of->d->sparse)
            for (int i = 0; i < p->e->slots; i++)
                sum += (double)l->w[(size_t)index[i] * (size_t)l->out + (size_t)o];
        else
            for (int i = 0; i < l->in; i++)
                sum += (double)l->w[(size_t)o * (size_t)l->in + (size_t)i] * (double)obs[i];
        y[o] = sum > 0 ? sum : 0;
    }
}

static void q_values(const q_proof *p, const q_net *n, const float *obs, const int32_t *index,
                     double q[Q_ACTIONS]) {
    double h[2][Q_WIDEST];
    q_first(p, &n->layer[0], obs, index, h[0]);
    for (int i = 1; i < n->layers; i++) q_apply(&n->layer[i], h[(i - 1) & 1], h[i & 1], true);
    const double *const last = h[(n->layers - 1) & 1];
    q_apply(&n->advantage, last, q, false);
    if (!p->of->d->dueling) return;
    double value, mean = 0;
    q_apply(&n->value, last, &value, false);
    for (int a = 0; a < p->e->actions; a++) mean += q[a] / p->e->actions;
    for (int a = 0; a < p->e->actions; a++) q[a] += value - mean;
}

/* Row r of the state, or of the next one. */
static void q_row(const q_proof *p, const q_net *n, bool next, int r, double q[Q_ACTIONS]) {
    const weft_replay_rows *const x = &p->rows;
    if (p->of->d->sparse)
        q_values(p, n, NULL, (next ? x->next_index : x->index) + (size_t)r * (size_t)p->e->slots,
                 q);
    else q_values(p, n, (next ? x->next_obs : x->obs) + (size_t)r * (size_t)p->e->obs, NULL, q);
}

/* ---- targets and loss ---- */

static bool q_targets_of(q_proof *p, const q_net *online, const q_net *target) {
    const weft_dqn_desc *const d = p->of->d;
    const weft_dqn_stats s = weft_dqn_stats_of(p->of->a);
    if (weft_replay_draw(p->replay, s.updates - 1, p->batch, &p->rows) != WEFT_OK) return false;
    const bool twice = !d->not_double && !d->no_target, legal = p->e->legal && !d->no_legal;
    for (int r = 0; r < p->batch; r++) {
        double chooser[Q_ACTIONS], value[Q_ACTIONS];
        q_row(p, target, true, r, value);
        q_row(p, twice ? online : target, true, r, chooser);
        int best = -1;
        for (int a = 0; a < p->e->actions; a++)
            if ((!legal || (uint32_t)p->rows.legal[r] >> a & 1) &&
                (best < 0 || chooser[a] > chooser[best]))
                best = a;
        p->target[r] = (double)p->rows.reward[r];
        if (best >= 0) p->target[r] += (double)p->rows.discount[r] * value[best];
    }
    p->fresh = false;
    return true;
}

static bool q_targets(q_proof *p) {
    q_net online, target;
    char prefix[120];
    snprintf(prefix, sizeof prefix, p->of->d->no_target ? "%s" : "rng.%s.target", p->of->name);
    const bool good = q_net_find(p, p->of->name, &online);
    const bool both = q_net_find(p, prefix, &target) && good && q_targets_of(p, &online, &target);
    q_net_free(&online);
    q_net_free(&target);
    return both;
}

static double q_loss(void *user) {
    q_proof *const p = user;
    const weft_dqn_desc *const d = p->of->d;
    q_net n;
    if (p->fresh && !q_targets(p)) return NAN;
    const bool good = q_net_find(p, p->of->name, &n);
    double sum = good ? 0 : (double)NAN;
    for (int r = 0; good && r < p->batch; r++) {
        double q[Q_ACTIONS];
        q_row(p, &n, false, r, q);
        const double off = fabs(q[p->rows.action[r]] - p->target[r]);
        sum += d->loss != WEFT_DQN_HUBER ? off * off : off < 1 ? off * off / 2 : off - 0.5;
    }
    q_net_free(&n);
    return sum / p->batch / (d->loss == WEFT_DQN_ALL_OUTPUTS ? p->e->actions : 1);
}

/* ---- the agent's update ---- */

static weft_err q_update(void *user) {
    q_proof *const p = user;
    const int64_t before = weft_dqn_stats_of(p->of->a).updates;
    while (weft_dqn_stats_of(p->of->a).updates == before) {
        const weft_err e = weft_dqn_step(p->of->a, 0, NULL);
        if (e) return e;
    }
    p->fresh = true;
    return WEFT_OK;
}

static double q_told(void *user) {
    return (double)weft_dqn_stats_of(((const q_proof *)user)->of->a).loss;
}

/* Rows of the batch, as indices or as observations. */
static bool q_memory(q_proof *p) {
    const size_t n = (size_t)p->batch, obs = n * (size_t)p->e->obs, slots = n * (size_t)p->e->slots;
    weft_replay_rows *const r = &p->rows;
    p->target = malloc(n * sizeof *p->target);
    r->action = malloc(2 * n * sizeof *r->action);
    r->reward = malloc(2 * n * sizeof *r->reward);
    if (p->of->d->sparse) r->index = malloc(2 * slots * sizeof *r->index);
    else r->obs = malloc(2 * obs * sizeof *r->obs);
    if (!p->target || !r->action || !r->reward || !(r->index || r->obs)) return false;
    if (r->obs) r->next_obs = r->obs + obs;
    if (r->index) r->next_index = r->index + slots;
    r->legal = r->action + n;
    r->discount = r->reward + n;
    return true;
}

int q_true(bench *b, const q_agent *a) {
    q_proof p = {.of = a, .e = weft_envs_env(a->v), .batch = a->d->batch ? a->d->batch : 32};
    weft_replay_desc d = a->d->replay;
    char name[120], why[300];
    if (!d.seed) d.seed = a->d->seed;
    snprintf(name, sizeof name, "%s.replay", a->name);
    int status = EXIT_GOOD;
    p.replay = weft_replay_new(a->s, a->v, name, &d);
    if (!p.replay) status = bench_failed(b, "a second replay");
    else if (!q_memory(&p)) status = bench_wrong(b, "out of memory");
    if (status == EXIT_GOOD) {
        const truth t = {.s = a->s,
                         .optimiser = *a->d->optimiser,
                         .step = q_update,
                         .told = q_told,
                         .loss = q_loss,
                         .fine = true,
                         .user = &p};
        if (!truth_holds(&t, why, sizeof why)) status = bench_wrong(b, "%s", why);
    }
    free(p.target);
    free(p.rows.obs), free(p.rows.index);
    free(p.rows.action);
    free(p.rows.reward);
    weft_replay_free(p.replay);
    return status;
}
