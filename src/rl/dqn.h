/* dqn.h - the inside of a Q-learning agent, between its graphs and its loop. */
#ifndef WEFT_RL_DQN_H
#define WEFT_RL_DQN_H

#include "rl/agent.h"

/* What it counts, in the state. */
typedef struct dqn_counts {
    int64_t steps, updates, episodes, stage_episodes;
} dqn_counts;

struct weft_dqn {
    weft_ctx *c;
    weft_state *s;
    weft_envs *v;
    const weft_env *e;
    int n;
    weft_dqn_desc d; /* with defaults filled in; pointers in it are not followed later */
    weft_stage *stages;
    agent_net net;
    weft_replay *replay;

    agent_view act;    /* values of what the environments show */
    agent_views judge; /* the same without noise, for any count */
    weft_plan *learn, *sync;
    weft_optimiser_desc optimiser;
    struct {
        int rows;
        weft_plan *plan;
        void *x;
        int32_t *action, *legal;
        weft_tensor loss;
    } teach; /* learns from given actions; made when first asked for */
    weft_tensor loss, error;
    weft_replay_rows rows; /* feeds of learn */
    int32_t *place;        /* [batch] */
    float *errors;         /* [batch] */

    int32_t *action; /* [n], -1: not chosen yet */
    uint32_t *legal; /* [n] */
    float *reward;   /* [n] */
    uint8_t *done;   /* [n] */
    float *q;        /* [n, actions] */

    /* of the state */
    dqn_counts *count;
    weft_rng *rng;
    float *recent;  /* [window] outcomes of the last episodes, a ring */
    int32_t *stage; /* [1] */
    uint8_t *stale; /* [n] 1: the episode going on began at another level, and does not count */

    uint64_t seen;      /* changes of the state when it last looked, and 1: more mean a load */
    int64_t explore_at; /* what epsilon was computed for */
    float epsilon;
    bool learned; /* an update has run, so there is a loss */
};

/* dqn_graphs.c: act, learn and sync; the network gets its parameters. */
weft_err dqn_record_act(weft_dqn *a);
weft_err dqn_record_learn(weft_dqn *a);
weft_err dqn_record_sync(weft_dqn *a);
weft_err dqn_record_teach(weft_dqn *a, int rows);
weft_err dqn_copy_target(weft_dqn *a); /* at the beginning */
void dqn_values(void *agent, weft_tensor x, weft_tensor out[AGENT_RESULTS]);

#endif
