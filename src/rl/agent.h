/* agent.h - what agents share: the network below the heads, its input, and legal actions.
 *
 * Recorded with public functions, inside whatever scopes the caller has opened. */
#ifndef WEFT_RL_AGENT_H
#define WEFT_RL_AGENT_H

#include "base/error.h"
#include "weft/rl.h"

enum { AGENT_LAYERS = 16, AGENT_NAME = 100 };

typedef struct agent_net {
    weft_state *s;
    const weft_env *e;
    char name[AGENT_NAME];
    int hidden[AGENT_LAYERS + 1];
    weft_agent_net net;
    void *user;
    bool sparse, noisy;
} agent_net;

/* Refuses what cannot be; what: "weft_dqn_new". */
weft_err agent_net_make(agent_net *a, weft_state *s, const weft_envs *v, const char *name,
                        const int *hidden, const char *what);

weft_tensor agent_input(const agent_net *a, weft_graph *g, int64_t rows);
weft_tensor agent_features(const agent_net *a, weft_tensor x); /* [rows, width] */
weft_tensor agent_linear(const agent_net *a, weft_tensor x, int64_t out, const char *name);
weft_tensor agent_legal_input(weft_graph *g, int64_t rows); /* i32, a bit per action */
weft_tensor agent_masked(weft_tensor q, weft_tensor legal); /* -1e30 where not legal */

/* Refuses a generator that was loaded and has no numbers to give. */
weft_err agent_check_rng(const agent_net *a, const weft_rng *r);

void agent_observe(const agent_net *a, const weft_envs *v, void *feed);

/* A plan that only looks: x in, results out; what it computes from x is the agent's. One for
 * judging is recorded for evaluation, and chooses the legal action for which out[0] is greatest. */
enum { AGENT_RESULTS = 2, AGENT_VIEWS = 4 };
typedef void (*agent_record)(void *user, weft_tensor x, weft_tensor out[AGENT_RESULTS]);
typedef struct agent_view {
    int rows;
    weft_plan *plan;
    void *x;                        /* feeds; legal only for judging */
    uint32_t *legal;                /* [rows] */
    weft_tensor out[AGENT_RESULTS]; /* unused ones are poison */
    weft_tensor best;               /* i32 [rows, 1] */
} agent_view;
weft_err agent_view_make(agent_view *w, const agent_net *a, int rows, int threads, bool judge,
                         agent_record record, void *user);

/* Views for judging, by their count of rows: a few are kept. */
typedef struct agent_views {
    agent_view at[AGENT_VIEWS];
    int next;
} agent_views;
/* The one for v, run with what v shows; NULL: weft_error. */
agent_view *agent_views_run(agent_views *w, const agent_net *a, const weft_envs *v, int threads,
                            agent_record record, void *user);
void agent_views_free(agent_views *w);

int agent_best(const float *q, int actions, uint32_t legal); /* 0 when nothing is legal */

#endif
