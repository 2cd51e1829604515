/* agent.h - who learns 2048: the algorithms of weft train 2048, as tables of functions.
 *
 * What they learn lies in a state, so a checkpoint of the state is all of them; how they choose a
 * move is a function of boards alone, for evaluation, for playing and for hints. */
#ifndef WEFT_AGENT_2048_H
#define WEFT_AGENT_2048_H

#include <weft/rl.h>

typedef struct agent_2048_desc {
    uint64_t seed;
    int threads; /* 0: the library chooses */
    int tuples;  /* td: how many; 0: the usual */
    double rate; /* of learning, at first; 0: the usual */
    bool plays;  /* it is not to learn: only what choosing needs is made */
} agent_2048_desc;

typedef struct algo_2048 {
    const char *name;
    const char *title;                                      /* of the report */
    int64_t plan;                                           /* steps in which the rate falls, ... */
    double lowest;                                          /* ... to this share of it */
    int64_t evaluate_every, log_every;                         /* steps */
    double save_every;                                      /* seconds */
    void *(*make)(weft_state *s, const agent_2048_desc *d); /* NULL: weft_error */
    void (*free)(void *agent);                              /* NULL is fine */
    weft_train_step step;                                   /* its user is the agent */
    void (*set_rate)(void *agent, double share);            /* of the first one */
    weft_err (*choose)(void *agent, int n, const uint64_t *boards, int32_t *actions);
    /* [n] moves; a board that has none gets any number */
} algo_2048;

/* clang-format off */
/*          table            word */
#define ALGOS_2048(X)                                                                              \
    X(algo_2048_dqn, "dqn")                                                                        \
    X(algo_2048_td,  "td")
/* clang-format on */

#define ALGO_2048_WORD(table, word) "|" word
#define ALGO_2048_WORDS             (&ALGOS_2048(ALGO_2048_WORD)[1]) /* "dqn|td", for an option */

#define X(table, word) extern const algo_2048 table;
ALGOS_2048(X)
#undef X

/* What the options of weft train 2048 say, for those who reopen a run. */
const algo_2048 *train_2048_algo(const void *settings);
agent_2048_desc train_2048_agent(const void *settings); /* one that only plays */

#endif
