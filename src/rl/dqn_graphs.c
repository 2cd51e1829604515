/* dqn_graphs.c - what a Q-learning agent computes: values, targets, losses, copies.
 *
 * A network is features and heads. Its output is [B, actions], or with atoms [B, actions, atoms]:
 * logits of a distribution of values over fixed points. The target network has the same names below
 * another scope, so it is recorded by the same functions, and copied name by name. */
#include "rl/dqn.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DQN_FULL = 512 };

/* ---- networks ---- */

/* The value of each atom, [atoms]. */
static weft_tensor dqn_points(const weft_dqn *a, weft_graph *g) {
    const float step = (a->d.high - a->d.low) / (float)(a->d.atoms - 1);
    const weft_tensor i = weft_iota(g, weft_dims(a->d.atoms), 0);
    return weft_offset(weft_scale(i, step), a->d.low);
}

/* The heads: one of all actions, or a value and what each action has beyond the mean. */
static weft_tensor dqn_heads(const weft_dqn *a, weft_tensor h) {
    const int64_t rows = weft_dim(h, 0), actions = a->e->actions, k = a->d.atoms;
    weft_tensor y = agent_linear(&a->net, h, actions * (k ? k : 1), "advantage");
    if (k) y = weft_reshape(y, weft_dims(rows, actions, k));
    if (!a->d.dueling) return y;
    weft_tensor value = agent_linear(&a->net, h, k ? k : 1, "value");
    if (k) value = weft_reshape(value, weft_dims(rows, 1, k));
    return weft_add(value, weft_sub(y, weft_mean(y, weft_axes(1), true)));
}

typedef struct dqn_output {
    weft_tensor q;      /* [B, actions] */
    weft_tensor logits; /* [B, actions, atoms], with atoms only */
} dqn_output;

/* Values of the user's own, of all actions or of one. */
static weft_tensor dqn_own_values(const weft_dqn *a, weft_tensor x, weft_tensor action) {
    const weft_tensor q = a->d.values(a->d.user, a->s, x, action);
    const int64_t rows = weft_dim(x, 0), columns = weft_ok(action) ? 1 : a->e->actions;
    if (!weft_ok(q) || (weft_rank(q) == 2 && weft_dim(q, 0) == rows && weft_dim(q, 1) == columns))
        return q;
    return weft_poison(x.g, WEFT_SHAPE,
                       "agent: values of rank %d, [%lld, %lld]; [%lld, %lld] was expected",
                       weft_rank(q), (long long)weft_dim(q, 0), (long long)weft_dim(q, 1),
                       (long long)rows, (long long)columns);
}

static dqn_output dqn_network(const weft_dqn *a, weft_tensor x) {
    if (a->d.values) return (dqn_output){.q = dqn_own_values(a, x, (weft_tensor){0})};
    const weft_tensor y = dqn_heads(a, agent_features(&a->net, x));
    if (!a->d.atoms) return (dqn_output){.q = y};
    const weft_tensor p = weft_softmax(y, -1);
    return (dqn_output){weft_sum(weft_mul(p, dqn_points(a, x.g)), weft_axes(2), false), y};
}

void dqn_values(void *agent, weft_tensor x, weft_tensor out[AGENT_RESULTS]) {
    out[0] = dqn_network(agent, x).q;
}

/* "rng.": the copy is no part of a saved model. */
static dqn_output dqn_named(const weft_dqn *a, weft_tensor x, bool target) {
    weft_graph *const g = x.g;
    if (target) weft_scope_push(g, "rng");
    weft_scope_push(g, a->net.name);
    if (target) weft_scope_push(g, "target");
    const dqn_output y = dqn_network(a, x);
    for (int i = 0; i < (target ? 3 : 1); i++) weft_scope_pop(g);
    return y;
}

/* What the learning network thinks of the actions taken, [B, 1]. */
static weft_tensor dqn_taken(const weft_dqn *a, weft_tensor x, weft_tensor action) {
    if (!a->d.values) return weft_take_along(dqn_named(a, x, false).q, action, 1);
    weft_scope_push(x.g, a->net.name);
    const weft_tensor q = dqn_own_values(a, x, action);
    weft_scope_pop(x.g);
    return q;
}

weft_err dqn_record_act(weft_dqn *a) {
    return agent_view_make(&a->act, &a->net, a->n, a->d.threads, false, dqn_values, a);
}

/* ---- targets ---- */

typedef struct dqn_inputs {
    weft_tensor x, next, action, reward, discount, weight, legal;
} dqn_inputs;

/* Row by row the distribution of one action: y [B, actions, k], action [B, 1]. */
static weft_tensor dqn_of_action(weft_tensor y, weft_tensor action) {
    const int64_t rows = weft_dim(y, 0), k = weft_dim(y, 2);
    const weft_tensor at =
        weft_expand(weft_reshape(action, weft_dims(rows, 1, 1)), weft_dims(rows, 1, k));
    return weft_reshape(weft_take_along(y, at, 1), weft_dims(rows, k));
}

/* What is expected of the next state: the chosen action, or without atoms the value of it. */
typedef struct dqn_next {
    weft_tensor best, value, logits;
} dqn_next;

static dqn_next dqn_look_ahead(const weft_dqn *a, const dqn_inputs *in) {
    const dqn_output values = dqn_named(a, in->next, !a->d.no_target);
    const bool twice = !a->d.not_double && !a->d.no_target;
    const dqn_output chooser = twice ? dqn_named(a, in->next, false) : values;
    const weft_tensor q = weft_ok(in->legal) ? agent_masked(chooser.q, in->legal) : chooser.q;
    dqn_next y = {.logits = values.logits};
    if (!twice && !a->d.atoms) {
        y.value = weft_max(q, weft_axes(1), true);
    } else {
        y.best = weft_argmax(q, 1, true);
        y.value = weft_take_along(values.q, y.best, 1);
    }
    return y;
}

/* The distribution of reward + discount value, on the points of the atoms: each atom's share goes
 * to the two points it lies between, in proportion to its nearness. [B, atoms] */
static weft_tensor dqn_projected(const weft_dqn *a, const dqn_inputs *in, const dqn_next *next) {
    weft_graph *const g = in->x.g;
    const int64_t rows = a->d.batch, k = a->d.atoms;
    const float step = (a->d.high - a->d.low) / (float)(k - 1);
    const weft_tensor z = dqn_points(a, g);
    const weft_tensor moved =
        weft_clamp(weft_add(in->reward, weft_mul(in->discount, z)), a->d.low, a->d.high);
    const weft_tensor p = dqn_of_action(weft_softmax(next->logits, -1), next->best);
    const weft_tensor away =
        weft_sub(weft_reshape(moved, weft_dims(rows, 1, k)), weft_reshape(z, weft_dims(k, 1)));
    const weft_tensor share =
        weft_maximum(weft_offset(weft_scale(weft_abs(away), -1 / step), 1), weft_scalar(g, 0));
    return weft_sum(weft_mul(share, weft_reshape(p, weft_dims(rows, 1, k))), weft_axes(2), false);
}

/* ---- losses: one for each row, and the error that makes its priority ---- */

typedef struct dqn_judged {
    weft_tensor loss, error; /* [B, 1] */
} dqn_judged;

static dqn_judged dqn_distance(const weft_dqn *a, const dqn_inputs *in) {
    const dqn_next next = dqn_look_ahead(a, in);
    if (a->d.atoms) {
        const dqn_output now = dqn_named(a, in->x, false);
        const weft_tensor target = weft_stop_gradient(dqn_projected(a, in, &next));
        const weft_tensor log_p = dqn_of_action(weft_log_softmax(now.logits, -1), in->action);
        const weft_tensor loss = weft_neg(weft_sum(weft_mul(target, log_p), weft_axes(1), true));
        return (dqn_judged){loss, loss};
    }
    const weft_tensor target =
        weft_stop_gradient(weft_add(in->reward, weft_mul(in->discount, next.value)));
    const weft_tensor error = weft_sub(dqn_taken(a, in->x, in->action), target);
    const weft_tensor square = weft_mul(error, error);
    if (a->d.loss != WEFT_DQN_HUBER) return (dqn_judged){square, error};
    const weft_tensor far = weft_offset(weft_abs(error), -0.5f);
    const weft_tensor near = weft_scale(square, 0.5f);
    return (dqn_judged){weft_where(weft_lt(weft_abs(error), weft_scalar(error.g, 1)), near, far),
                        error};
}

static weft_err dqn_feeds(weft_dqn *a, const dqn_inputs *in) {
    const struct {
        weft_tensor t;
        void **at;
    } feeds[] = {
        {in->x, a->d.sparse ? (void **)&a->rows.index : (void **)&a->rows.obs},
        {in->next, a->d.sparse ? (void **)&a->rows.next_index : (void **)&a->rows.next_obs},
        {in->action, (void **)&a->rows.action},
        {in->reward, (void **)&a->rows.reward},
        {in->discount, (void **)&a->rows.discount},
        {in->weight, (void **)&a->rows.weight},
        {in->legal, (void **)&a->rows.legal},
    };
    for (size_t i = 0; i < sizeof feeds / sizeof *feeds; i++) {
        if (!weft_ok(feeds[i].t)) continue;
        *feeds[i].at = weft_feed(a->learn, feeds[i].t);
        if (!*feeds[i].at) return weft_error_code(a->c);
    }
    a->rows.place = a->place;
    return WEFT_OK;
}

weft_err dqn_record_learn(weft_dqn *a) {
    weft_graph *g = weft_graph_new(a->c);
    if (!g) return weft_error_code(a->c);
    const int64_t rows = a->d.batch;
    const weft_shape column = weft_dims(rows, 1);
    dqn_inputs in = {.x = agent_input(&a->net, g, rows),
                     .next = agent_input(&a->net, g, rows),
                     .action = weft_input(g, WEFT_I32, column),
                     .reward = weft_input(g, WEFT_F32, column),
                     .discount = weft_input(g, WEFT_F32, column)};
    if (a->e->legal && !a->d.no_legal) in.legal = agent_legal_input(g, rows);
    if (a->d.replay.prioritised) in.weight = weft_input(g, WEFT_F32, column);
    const dqn_judged y = dqn_distance(a, &in);
    const weft_tensor weighed = weft_ok(in.weight) ? weft_mul(y.loss, in.weight) : y.loss;
    const int64_t outputs = a->d.loss == WEFT_DQN_ALL_OUTPUTS && !a->d.atoms ? a->e->actions : 1;
    a->loss = weft_scale(weft_sum(weighed, WEFT_ALL, false), 1 / (float)(rows * outputs));
    a->error = y.error;
    const weft_tensor fetch[2] = {a->loss, a->error};
    a->learn =
        weft_compile(g, &(weft_plan_desc){.fetch = {fetch, a->d.replay.prioritised ? 2 : 1},
                                          .update = weft_optimiser(a->s, a->loss, &a->optimiser),
                                          .training = true,
                                          .threads = a->d.threads,
                                          .name = "learn"});
    const weft_err e = a->learn ? dqn_feeds(a, &in) : weft_error_code(a->c);
    weft_graph_free(g);
    return e;
}

/* ---- given actions ---- */

/* max over actions of (q + margin where it is another one), less the q of the given one. */
weft_err dqn_record_teach(weft_dqn *a, int rows) {
    const float margin = 0.8f;
    weft_graph *g = weft_graph_new(a->c);
    if (!g) return weft_error_code(a->c);
    const weft_tensor x = agent_input(&a->net, g, rows), legal = agent_legal_input(g, rows);
    const weft_tensor action = weft_input(g, WEFT_I32, weft_dims(rows, 1));
    const weft_tensor q = dqn_named(a, x, false).q;
    const weft_tensor other = weft_ne(weft_iota(g, weft_dims(a->e->actions), 0), action);
    const weft_tensor raised = weft_where(other, weft_offset(q, margin), q);
    const weft_tensor most = weft_max(agent_masked(raised, legal), weft_axes(1), true);
    const weft_tensor loss =
        weft_mean(weft_sub(most, weft_take_along(q, action, 1)), WEFT_ALL, false);
    weft_plan *p =
        weft_compile(g, &(weft_plan_desc){.fetch = weft_list(loss),
                                          .update = weft_optimiser(a->s, loss, &a->optimiser),
                                          .training = true,
                                          .threads = a->d.threads,
                                          .name = "teach"});
    if (p) {
        weft_plan_free(a->teach.plan);
        a->teach.plan = p, a->teach.rows = rows, a->teach.loss = loss;
        a->teach.x = weft_feed(p, x);
        a->teach.action = weft_feed(p, action);
        a->teach.legal = weft_feed(p, legal);
    }
    weft_graph_free(g);
    return p ? WEFT_OK : weft_error_code(a->c);
}

/* ---- copies of the network ---- */

/* The name of the target's entry for one of the network's, or "" for any other entry. */
static const char *dqn_target_name(const weft_dqn *a, const char *entry, char full[DQN_FULL]) {
    const size_t n = strlen(a->net.name);
    full[0] = 0;
    if (strncmp(entry, a->net.name, n) != 0 || entry[n] != '.') return full;
    const int length = snprintf(full, DQN_FULL, "rng.%s.target.%s", a->net.name, entry + n + 1);
    if (length < 0 || length >= DQN_FULL) full[0] = 0;
    return full;
}

weft_err dqn_copy_target(weft_dqn *a) {
    char full[DQN_FULL];
    weft_entry entry;
    for (size_t i = 0; i < weft_state_count(a->s); i++) {
        const weft_err e = weft_state_entry(a->s, i, &entry);
        if (e) return e;
        if (!*dqn_target_name(a, entry.name, full)) continue;
        void *from = weft_state_copy(a->s, entry.name);
        const weft_err set =
            from ? weft_state_set(a->s, full, from, entry.bytes) : weft_error_code(a->c);
        weft_resize(a->c, from, 0);
        if (set) return set;
    }
    return WEFT_OK;
}

weft_err dqn_record_sync(weft_dqn *a) {
    weft_graph *g = weft_graph_new(a->c);
    if (!g) return weft_error_code(a->c);
    char full[DQN_FULL];
    weft_entry entry;
    weft_updates all = {0};
    for (size_t i = 0, n = weft_state_count(a->s); i < n; i++) {
        if (weft_state_entry(a->s, i, &entry) || !*dqn_target_name(a, entry.name, full)) continue;
        const weft_tensor from =
            entry.trained
                ? weft_param(g, a->s, entry.name, entry.dims, (weft_init){0})
                : weft_buffer(g, a->s, entry.name, entry.dtype, entry.dims, (weft_init){0});
        const weft_tensor to =
            entry.trained ? weft_param(g, a->s, full, entry.dims, (weft_init){0})
                          : weft_buffer(g, a->s, full, entry.dtype, entry.dims, (weft_init){0});
        const bool mixed = a->d.polyak < 1 && entry.dtype == WEFT_F32;
        const weft_tensor value =
            mixed ? weft_add(to, weft_scale(weft_sub(from, to), a->d.polyak)) : from;
        all = weft_updates_join(g, all, weft_assign(to, value));
    }
    a->sync =
        weft_compile(g, &(weft_plan_desc){.update = all, .threads = a->d.threads, .name = "sync"});
    weft_graph_free(g);
    return a->sync ? WEFT_OK : weft_error_code(a->c);
}
