/* bench_q.h - whether an update of a Q-learning agent is right, by a second one in plain C. */
#ifndef WEFT_CLI_BENCH_Q_H
#define WEFT_CLI_BENCH_Q_H

#include "bench.h"

#include <weft/rl.h>

typedef struct q_agent {
    weft_state *s;
    weft_envs *v;
    weft_dqn *a;
    const char *name;
    const weft_dqn_desc *d; /* neither a net of its own, nor priorities, noise or atoms */
} q_agent;

/* Lets the agent play and learn until three updates were made, and checks the last of them: draws
 * the same transitions, and compares its loss, gradients and new parameters. An exit code. */
int q_true(bench *b, const q_agent *a);

/* Lets an agent of such a description learn what is known, and checks what it has learned; of one
 * that q_true knows first an update. An exit code. */
int corridor_true(bench *b, const weft_dqn_desc *like);

#endif
