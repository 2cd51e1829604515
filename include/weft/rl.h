/* rl.h - reinforcement learning: environments (2048, cubes, cart-pole, a grid, custom ones), replay
 * buffers, agents (DQN, PPO, TD learning), and beam search.
 *
 *     const weft_env *e = weft_env_named(c, "2048");
 *     weft_envs *games = weft_envs_new(s, e, 256, "games", &(weft_envs_desc){ .seed = 7 });
 *     for (;;) {
 *         weft_envs_observe(games, weft_feed(plan, x));          straight into an input
 *         ... weft_run(plan), choose actions ...
 *         weft_envs_step(games, actions, rewards, done);
 *     }
 *
 * An environment is a table of functions over plain memory. An instance has no pointers, so it is
 * saved by copying its bytes, and a replay buffer can store these instead of observations. Its random
 * numbers come from a generator beside the instance. A vector of instances is part of a weft_state:
 * checkpoints include it, and a loaded one continues with the same bits.
 *
 * The rules of 2048 and of the cubes are also plain functions on integers, for search and for learning
 * afterstates. Memory is allocated by functions that end in _new, by weft_envs_play, and by agents on
 * their first use with a vector of another size; steps allocate none.
 *
 * Reading order: random numbers, environments, vectors of environments, 2048, the 2x2x2 cube, the
 * 3x3x3 cube, beam search, cart-pole and grid, replay, agents, afterstates. */
#ifndef WEFT_RL_H
#define WEFT_RL_H

#include "optim.h"
#include "train.h"
#include "weft.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- random numbers: 16 bytes of plain memory, the same sequence on every machine ----------- */

typedef struct weft_rng { uint64_t a, b; } weft_rng;  /* xoroshiro128++; never both 0 */
WEFT_API void     weft_rng_seed   (weft_rng *r, uint64_t seed, uint64_t stream);
    /* every (seed, stream) gives a different sequence */
WEFT_API uint32_t weft_rng_next   (weft_rng *r);              /* 32 random bits */
WEFT_API uint32_t weft_rng_below  (weft_rng *r, uint32_t n);  /* uniform in 0 .. n - 1; 0 for n 0 */
WEFT_API float    weft_rng_uniform(weft_rng *r);              /* [0, 1), a multiple of 2^-24 */
WEFT_API int      weft_rng_choose (weft_rng *r, uint32_t mask);
    /* the index of a random set bit, uniformly; -1: no bit is set */

/* ---- environments ------------------------------------------------------------------------ */

typedef struct weft_env {
    const char *name;
    size_t size;       /* bytes of an instance: a multiple of its alignment */
    int    obs;        /* floats of an observation */
    int    slots;      /* sparse observation: the number of indices, ... */
    int    words;      /* ... each below this: rows of a table to sum; 0: none */
    int    actions;    /* 0 .. actions - 1; at most 32 */
    int    limit;      /* steps after which an episode is truncated; 0: none */
    int    levels;     /* highest difficulty level of reset; 0: any */
    void     (*reset)  (void *e, weft_rng *r, int level);
        /* an initial state; level is the difficulty, 0 the environment's normal start */
    float    (*step)   (void *e, weft_rng *r, int action, bool *done);
        /* returns the reward; an illegal action changes nothing and gives 0 */
    void     (*observe)(const void *e, float *obs);      /* writes obs floats */
    void     (*index)  (const void *e, int32_t *slots);  /* writes `slots` indices; NULL: none */
    uint32_t (*legal)  (const void *e);                  /* a bit per action; NULL: all */
    weft_err (*check)  (weft_ctx *c, const void *e);     /* rejects unreachable states */
    void     (*show)   (const void *e, char *text, size_t bytes);  /* as text; NULL: none */
} weft_env;

/*  name            observation                                     indices
 *  "2048"          16 cells, log2(tile) / 11, 0 for none           16 of 256
 *  "2048-raw"      16 cells, the tiles themselves                  16 of 256
 *  "2048-one-hot"  16 cells x 16 exponents                         16 of 256
 *  "cube"          24 stickers x 6 colours                          7 of 147
 *  "cube-slots"    7 corners x (7 pieces x 3 twists)                7 of 147
 *  "cube3"         20 positions x 24 (piece and orientation)       20 of 480
 *  "cartpole"      position, velocity, angle, angular velocity
 *  "grid"          one of 48 cells                                  1 of 48 */
WEFT_API const weft_env *weft_env_named(weft_ctx *c, const char *name);
    /* NULL: unknown, weft_error(c) lists the names */
WEFT_API const weft_env *weft_env_at(int i);  /* all of them; NULL after the last */
WEFT_API uint32_t weft_env_legal(const weft_env *e, const void *instance);
    /* a bit per action, all set if the table has no such function */

/* ---- vectors of environments --------------------------------------------------------------- */

typedef struct weft_envs weft_envs;

typedef enum weft_done {
    WEFT_CONTINUES,
    WEFT_TERMINATED,  /* by the rules: the value of the next state is 0 */
    WEFT_TRUNCATED    /* by the step limit: the next state has a value */
} weft_done;

typedef struct weft_envs_desc {
    uint64_t seed;
    int level;         /* difficulty, as in reset */
    int limit;         /* step limit of an episode; 0: the environment's; below 0: none */
} weft_envs_desc;

WEFT_API weft_envs *weft_envs_new(weft_state *s, const weft_env *e, int n, const char *name,
        const weft_envs_desc *d);
    /* n instances in their initial states, as entries "rng.NAME.env" and others of s. Existing entries
       are kept, so that a loaded vector continues: to start over, use another name or another state.
       d NULL: all 0; NULL on failure: weft_error */
WEFT_API void       weft_envs_free(weft_envs *v);             /* NULL is fine; the entries stay */
WEFT_API int        weft_envs_count(const weft_envs *v);      /* n */
WEFT_API const weft_env *weft_envs_env(const weft_envs *v);   /* their table */

WEFT_API void       weft_envs_observe(const weft_envs *v, float *rows);      /* [n, obs] */
WEFT_API void       weft_envs_index  (const weft_envs *v, int32_t *rows);    /* [n, slots] */
WEFT_API void       weft_envs_legal  (const weft_envs *v, uint32_t *masks);  /* [n], a bit each */
WEFT_API void       weft_envs_choose (weft_envs *v, int32_t *actions);
    /* [n]: a random legal action for each, from the instance's generator */
WEFT_API weft_err   weft_envs_step   (weft_envs *v, const int32_t *actions, float *rewards,
        uint8_t *done);
    /* [n] each, done is a weft_done; finished instances are reset, see weft_envs_final; an action out
       of range is an error, and nothing changes */

WEFT_API void       *weft_envs_at   (weft_envs *v, int i);  /* instance i; NULL: out of range */
WEFT_API const void *weft_envs_final(const weft_envs *v, int i);
    /* the state that the last step of instance i led to: if done, the state before the reset */
WEFT_API weft_rng   *weft_envs_rng  (weft_envs *v, int i);  /* its generator; NULL: out of range */

typedef struct weft_episode { float total; int32_t steps, number; } weft_episode;
WEFT_API weft_episode weft_envs_episode(const weft_envs *v, int i);
    /* the last finished episode of instance i: return, steps, number of finished episodes; all 0
       before the first */
WEFT_API weft_episode weft_envs_running(const weft_envs *v, int i);
    /* the same of the current episode */
WEFT_API int64_t    weft_envs_episodes (const weft_envs *v);         /* finished, in total */
WEFT_API weft_err   weft_envs_set_level(weft_envs *v, int level);    /* takes effect at the next reset */
WEFT_API int        weft_envs_level    (const weft_envs *v);         /* also stored in the state */
typedef weft_err (*weft_act)(void *agent, const weft_envs *v, int32_t *actions);
WEFT_API weft_err   weft_envs_play     (weft_envs *v, weft_act act, void *agent, int64_t most,
        float *totals);
    /* plays until each instance has finished an episode, or for `most` steps; totals [n]: the return,
       so far if unfinished. For evaluation, with instances and seeds of their own */
WEFT_API weft_err   weft_envs_check    (const weft_envs *v);
    /* validates instances after loading: the message names one that is not reachable */

/* ---- 2048: sixteen cells of 4 bits, the exponents of the tiles ------------------------------ */

/* Cell (row, column) is nibble 4 row + column, from the lowest; 0 is empty, 1 a tile of 2, 15 one
 * of 32768. Two tiles of 32768 do not merge, since the sum has no encoding. */
enum { WEFT_2048_UP, WEFT_2048_DOWN, WEFT_2048_LEFT, WEFT_2048_RIGHT, WEFT_2048_ACTIONS };

WEFT_API uint64_t weft_2048_start (weft_rng *r);     /* two tiles on an empty board */
WEFT_API uint64_t weft_2048_move  (uint64_t board, int action, uint32_t *score);
    /* slides and merges, without a new tile; unchanged: illegal; score, unless NULL: the sum of merged
       tiles */
WEFT_API uint32_t weft_2048_moves (uint64_t board, uint64_t after[4], uint32_t score[4]);
    /* all four; returns the mask of legal actions */
WEFT_API uint32_t weft_2048_legal (uint64_t board);  /* a bit per action; 0: game over */
WEFT_API uint64_t weft_2048_spawn (uint64_t board, weft_rng *r);
    /* a new tile, 2 or with probability 0.1 4, on a random empty cell; a full board is unchanged */
WEFT_API uint32_t weft_2048_max_tile(uint64_t board);  /* 0 for an empty board */
WEFT_API uint64_t weft_2048_symmetry(uint64_t board, int k);
    /* one of eight: k & 1 mirrors left and right, then k & 2 up and down, then k & 4 transposes */
WEFT_API int      weft_2048_symmetry_action(int action, int k);
    /* the corresponding action on that board */
WEFT_API void     weft_2048_tiles (uint64_t board, int32_t tiles[16]);  /* 0, 2, 4, ... */
WEFT_API weft_err weft_2048_board (weft_ctx *c, const int32_t tiles[16], uint64_t *board);
    /* the inverse; rejects invalid tiles, and what weft_2048_check rejects */
WEFT_API weft_err weft_2048_check (weft_ctx *c, uint64_t board);
    /* is the board reachable? at least two tiles, one of them new, and the j-th largest is at most
       2^(18 - j) */

/* ---- the 2x2x2 cube: one number below 3,674,160, and 0 is solved ----------------------------- */

/* Corner DBL never moves. Positions 0 .. 6 and their pieces: URF UFL ULB UBR DFR DLF DRB; twist:
 * clockwise, in thirds of a turn. The number is (rank of the permutation) 729 + (rank of the twists).
 * Stickers: faces U D F B L R, each row by row as seen from outside, F below U and above D. */
#define WEFT_CUBE_STATES 3674160u
enum { WEFT_CUBE_ACTIONS = 6, WEFT_CUBE3_ACTIONS = 12 };
    /* R R' U U' F F', then L L' D D' B B'; action ^ 1 is the inverse */

WEFT_API uint32_t weft_cube_turn    (uint32_t cube, int action);      /* a quarter turn */
WEFT_API uint32_t weft_cube_scramble(uint32_t cube, int k, weft_rng *r);
    /* k random quarter turns; one may undo another */
WEFT_API void     weft_cube_pieces  (uint32_t cube, uint8_t piece[7], uint8_t twist[7]);
    /* the piece in each position, and its twist */
WEFT_API weft_err weft_cube_of      (weft_ctx *c, const uint8_t piece[7], const uint8_t twist[7],
        uint32_t *cube);
    /* the inverse; rejects unreachable cubes */
WEFT_API void     weft_cube_index   (uint32_t cube, int32_t slots[7]);
    /* position * 21 + piece * 3 + twist */
WEFT_API void     weft_cube_stickers(uint32_t cube, uint8_t colour[24]);  /* 0 .. 5: U D F B L R */
WEFT_API weft_err weft_cube_read    (weft_ctx *c, const char *letters, uint32_t *cube);
    /* 24 stickers as letters UDFBLR, spaces are ignored; rejects impossible cubes */

enum { WEFT_CUBE_SYMMETRIES = 6 };
WEFT_API uint32_t weft_cube_symmetry(uint32_t cube, int k);
    /* one of six: rotated as a whole by k % 3 thirds of a turn, U to R to F, about the diagonal through
       DBL, and for k >= 3 then mirrored, exchanging U and R */
WEFT_API int      weft_cube_symmetry_action(int action, int k);
    /* the corresponding action on that cube */
WEFT_API uint32_t weft_cube_canonical(uint32_t cube, int *k);
    /* the smallest of the six, equal for all of them; k, unless NULL: which one */

WEFT_API const char *weft_cube_action_name(int action);               /* "R'"; NULL: not an action */
WEFT_API weft_err weft_cube_read_actions(weft_ctx *c, const char *text, int actions,
        int32_t *out, int room, int *n);
    /* parses "R U' F2", a half turn is two actions; actions is 6 or 12; writes at most room, *n in all */

WEFT_API void     weft_cube_distances(uint8_t *table);
    /* [WEFT_CUBE_STATES]: quarter turns to the solved cube, by breadth-first search, in a fraction of a
       second. For evaluation only: training does not use it */

/* ---- the 3x3x3 cube: pieces in positions ------------------------------------------------------ */

/* Corner positions: those above, then DBL. Edge positions: UR UF UL UB DR DF DL DB FR FL BL BR. */
typedef struct weft_cube3 {
    uint8_t corner[8], twist[8];  /* the piece in each position, its twist as above */
    uint8_t edge[12], flip[12];   /* the same; 1: flipped */
} weft_cube3;

WEFT_API weft_cube3 weft_cube3_solved(void);                          /* the solved cube */
WEFT_API bool     weft_cube3_is_solved(const weft_cube3 *q);          /* is it solved? */
WEFT_API void     weft_cube3_turn    (weft_cube3 *q, int action);     /* one of twelve */
WEFT_API void     weft_cube3_scramble(weft_cube3 *q, int k, weft_rng *r);  /* k random turns */
WEFT_API void     weft_cube3_random  (weft_cube3 *q, weft_rng *r);
    /* uniform over the 4.3e19 reachable states */
WEFT_API weft_err weft_cube3_check   (weft_ctx *c, const weft_cube3 *q);
    /* rejects unreachable cubes */
WEFT_API void     weft_cube3_index   (const weft_cube3 *q, int32_t slots[20]);
    /* corners: position * 24 + piece * 3 + twist; edges, positions 8 to 19: position * 24 + piece * 2 +
       flip */
WEFT_API void     weft_cube3_stickers(const weft_cube3 *q, uint8_t colour[54]);  /* as above */

/* ---- beam search, guided by a policy --------------------------------------------------------- */

/* A deterministic puzzle. States are plain memory, compared byte by byte, including padding. */
typedef struct weft_puzzle {
    size_t size;                              /* bytes of a state: a multiple of its alignment */
    int    actions;                           /* 0 .. actions - 1 */
    bool (*turn)  (void *state, int action);  /* applies an action; false: impossible there */
    bool (*solved)(const void *state);
} weft_puzzle;
WEFT_API const weft_puzzle *weft_cube_puzzle(void);  /* the 2x2x2 cube: a state is its uint32_t */

/* Scores [n, actions] of n states: log probabilities, or any numbers whose sum along a path says how
 * promising it is; -infinity: never. */
typedef weft_err (*weft_policy)(void *user, const void *states, int n, float *scores);

typedef struct weft_beam_desc {
    int width;      /* states kept per depth; 0: 64; 1: greedy, but without revisiting states, and
                       stopping at a solved state */
    int steps;      /* most actions of a solution; 0: 50 */
    weft_policy policy; void *user;
} weft_beam_desc;

typedef struct weft_beam weft_beam;  /* the memory of a search; one per thread */
WEFT_API weft_beam *weft_beam_new(weft_ctx *c, const weft_puzzle *p, const weft_beam_desc *d);
    /* NULL: weft_error(c) */
WEFT_API void     weft_beam_free (weft_beam *b);  /* NULL is fine */
WEFT_API weft_err weft_beam_solve(weft_beam *b, const void *state, int32_t *actions, int *n);
    /* the first solution found: *n actions, at most .steps; 0: it is solved; -1: none found. States
       visited before are dropped, so there are no cycles. Allocates nothing; errors are the policy's */

/* ---- cart-pole and grid: their instances ------------------------------------------------------ */

/* A pole on a cart (Barto, Sutton, Anderson 1983): push left or right, reward 1 for every step; ends
 * when the cart is beyond 2.4 or the pole beyond 12 degrees, or after 500 steps. Euler, 0.02 s. */
typedef struct weft_cartpole { double x, speed, angle, spin; } weft_cartpole;

/* Six rows of eight cells with walls: up, down, left, right; moving into a wall changes nothing. The
 * reward is 1 at the goal and -1 at the pit, both terminal, and -0.01 for other steps. Starts on a
 * random free cell. */
enum { WEFT_GRID_ROWS = 6, WEFT_GRID_COLUMNS = 8 };
typedef struct weft_grid { int32_t cell; } weft_grid;  /* row 8 + column */

/* ---- replay buffers ---------------------------------------------------------------------------- */

/* A ring buffer for each instance of a vector. A transition is the instance's bytes, an action, a
 * reward and a weft_done; the next state is the next one of the ring. Observations are computed when
 * sampled. n-step targets are overlapping windows, shortened at the end of an episode; the last state
 * of a truncated episode is stored and has a value. All of it is in entries of the state. */
typedef struct weft_replay weft_replay;

typedef struct weft_replay_desc {
    int64_t  capacity;     /* transitions over all instances; 0: 100,000 */
    int      n_step;       /* rewards of an n-step target; 0: 1 */
    float    gamma;        /* discount factor; 0: 0.99 */
    float    scale;        /* multiplies rewards when sampled; 0: 1 */
    bool     prioritised;  /* sampled in proportion to priorities (Schaul 2016), else uniformly */
    float    alpha;        /* priority = (|error| + 0.001)^alpha, at most 1; 0: 0.6 */
    float    beta;         /* weight = (probability x transitions)^-beta / maximum; 0: 0.4 ... */
    int64_t  beta_steps;   /* ... rising to 1 at this step of weft_replay_draw; 0: constant */
    int      symmetries;   /* number of symmetries to augment with; 0: none */
    int    (*symmetry)(void *instance, int action, int k);
        /* transforms an instance in place; returns the corresponding action */
    uint64_t seed;
} weft_replay_desc;

WEFT_API weft_replay *weft_replay_new(weft_state *s, weft_envs *v, const char *name,
        const weft_replay_desc *d);
    /* records v from here on, in entries "rng.NAME.state" and others of s; existing entries are kept;
       d NULL: all 0; NULL on failure: weft_error */
WEFT_API void     weft_replay_free(weft_replay *r);   /* NULL is fine; the entries stay */
WEFT_API weft_err weft_replay_add (weft_replay *r, const int32_t *actions, const float *rewards,
        const uint8_t *done);
    /* call after each weft_envs_step, with its arguments and results */
WEFT_API int64_t  weft_replay_ready(const weft_replay *r);
    /* transitions that can be sampled: those with a complete window */
WEFT_API weft_err weft_replay_check(const weft_replay *r);
    /* validates the contents after loading */

/* Where to write a batch, such as the memory of inputs; NULL: not wanted. */
typedef struct weft_replay_rows {
    float   *obs, *next_obs;      /* [n, obs] */
    int32_t *index, *next_index;  /* [n, slots]: the same as indices */
    int32_t *action;              /* [n] */
    float   *reward;              /* [n] sum of gamma^k r_k over the window */
    float   *discount;            /* [n] of the value after the window: gamma^steps, or 0 if terminated */
    int32_t *legal;               /* [n] legal actions of the next state, a bit each; all set at an
                                     end, and for a state without any */
    float   *weight;              /* [n] importance weights, maximum 1; all 1 when uniform */
    int32_t *place;               /* [n] position, for weft_replay_update_priorities */
} weft_replay_rows;
WEFT_API weft_err weft_replay_draw  (weft_replay *r, int64_t step, int n,
        const weft_replay_rows *out);
    /* n transitions, with replacement: determined by seed, step and contents */
WEFT_API weft_err weft_replay_update_priorities(weft_replay *r, int n, const int32_t *place,
        const float *error);
    /* new priorities from TD errors; new transitions have the highest so far */

/* ---- agents: Q-learning with the parts of Rainbow as options, and PPO ------------------------ */

/* A custom network for agents: features [B, any width] from x, which is [B, obs], or i32 [B, slots]
 * with .sparse. Parameter names are relative: the agent adds scopes. */
typedef weft_tensor (*weft_agent_net)(void *user, weft_state *s, weft_tensor x);

/* Or custom action values including the heads: [B, actions]; or, if action is an i32 [B, 1] and not
 * the poison tensor, [B, 1] for this action only: a network that evaluates every action separately
 * need not evaluate all of them to learn from one. */
typedef weft_tensor (*weft_agent_values)(void *user, weft_state *s, weft_tensor x,
        weft_tensor action);

/*           name         text */
#define WEFT_DQN_LOSSES(X)                                                                        \
    X(HUBER,       "huber")        /* of the action taken */                                      \
    X(MSE,         "mse")                                                                         \
    X(ALL_OUTPUTS, "all-outputs")  /* mse averaged over all actions; others have no error */
typedef enum weft_dqn_loss {
#define X(name, text) WEFT_DQN_##name,
    WEFT_DQN_LOSSES(X)
#undef X
    WEFT_DQN_LOSS_COUNT
} weft_dqn_loss;

/* Epsilon, the fraction of random actions: from first to last, exponentially or linearly. */
typedef struct weft_explore {
    float   first, last;  /* 0: 1 and 0.05, or none with noisy layers. Below 0: 0 */
    float   decay;        /* factor per step; 0: linear ... */
    int64_t over;         /* ... over this many steps; 0: 10,000 */
    bool    by_episode;   /* counts finished episodes instead of steps */
} weft_explore;

/* A stage of a curriculum: the level of the environments, and when it ends. */
typedef struct weft_stage {
    int     level;
    float   enough;    /* ends when the mean return of the window reaches this */
    int64_t episodes;  /* or after this many episodes; 0: no limit */
} weft_stage;

typedef struct weft_dqn_desc {
    /* the network: linear layers with relu, or a custom one below the heads */
    const int *hidden;          /* widths, then a 0; NULL: 64, 64 */
    weft_agent_net net; void *user;
    weft_agent_values values;   /* replaces all of it: no dueling, noisy or atoms */
    bool    sparse;             /* x is indices: the first layer sums rows of a table */
    bool    dueling;            /* value + advantage - mean advantage (Wang 2016) */
    bool    noisy;              /* noisy layers (Fortunato 2018) instead of random actions */
    int     atoms;              /* distributional values (Bellemare 2017): number of atoms */
    float   low, high;          /* their range; 0 atoms: scalar values */
    /* replay and updates */
    weft_replay_desc replay;    /* n_step, gamma, prioritised, ... */
    int     batch;              /* 0: 32 */
    int64_t start;              /* transitions before the first update; 0: batch */
    int     every, updates;     /* steps between updates, and updates each time; 0: 1 */
    bool    by_episode;         /* `every` counts finished episodes instead */
    /* loss and targets */
    weft_dqn_loss loss;
    bool    not_double;         /* not double Q-learning (van Hasselt 2016) */
    bool    no_target;          /* targets from the online network */
    int64_t target_every;       /* updates between target updates; 0: 500 */
    float   polyak;             /* weight of the online network in a target update; 0: 1 */
    bool    no_legal;           /* targets maximise over all actions, also illegal ones */
    const weft_optimiser_desc *optimiser;  /* NULL: Adam, 1e-3 */
    weft_explore explore;
    const weft_stage *stages; int stage_count;  /* none: constant level */
    int     window;             /* episodes to average over; 0: 100 */
    bool    count_terminated;        /* average 1 for terminated and 0 for truncated episodes instead
                                   of the returns */
    int     threads;            /* as in weft_plan_desc */
    uint64_t seed;
} weft_dqn_desc;

typedef struct weft_dqn weft_dqn;
WEFT_API weft_dqn *weft_dqn_new(weft_state *s, weft_envs *v, const char *name,
        const weft_dqn_desc *d);
    /* parameters are entries "NAME....", the rest "rng.NAME...."; d NULL: all 0; NULL: weft_error. One
       agent per state, since the optimiser's entries have fixed names */
WEFT_API void      weft_dqn_free(weft_dqn *a);  /* NULL is fine; the entries stay */
WEFT_API weft_err  weft_dqn_step(void *a, int64_t step, weft_metrics *m);
    /* acts once in every instance, stores the transitions, learns: a weft_train_step; m NULL: no
       metrics. `step` is not used: all counters are in the state */
WEFT_API weft_err  weft_dqn_teach(weft_dqn *a, const weft_envs *v, const int32_t *actions,
        float *loss);
    /* one update towards demonstrated actions in the states of v, with the large-margin loss of Hester
       2018, margin 0.8; for pretraining. loss, unless NULL: its mean */
WEFT_API weft_err  weft_dqn_values(weft_dqn *a, const weft_envs *v, float *q);
    /* [count of v, actions], without noise; v: any vector of the same environment */
WEFT_API weft_err  weft_dqn_act(void *a, const weft_envs *v, int32_t *actions);
    /* the greedy legal action for each instance; a weft_act */
typedef struct weft_dqn_stats {
    int64_t steps, updates, episodes, stored;  /* steps of the vector; stored: ready to be sampled */
    float   loss, epsilon, mean;               /* of the last update; mean over the window */
    int     stage;
} weft_dqn_stats;
WEFT_API weft_dqn_stats weft_dqn_stats_of(const weft_dqn *a);  /* the same figures as the metrics */

typedef struct weft_ppo_desc {
    const int *hidden; weft_agent_net net; void *user; bool sparse;  /* as above */
    int     horizon;            /* steps of every instance per update; 0: 128 */
    int     epochs, parts;      /* epochs over them, minibatches per epoch; 0: 4 and 4 */
    float   gamma, lambda;      /* 0: 0.99 and 0.95 (Schulman 2016) */
    float   clip;               /* clipping of the ratio (Schulman 2017); 0: 0.2 */
    float   entropy, value;     /* loss coefficients; 0: 0.01 and 0.5; below 0: none */
    float   scale;              /* multiplies rewards; 0: 1 */
    const weft_optimiser_desc *optimiser;  /* NULL: Adam, 3e-4, norm clipped to 0.5 */
    int     threads;
    uint64_t seed;
} weft_ppo_desc;

typedef struct weft_ppo weft_ppo;
WEFT_API weft_ppo *weft_ppo_new(weft_state *s, weft_envs *v, const char *name,
        const weft_ppo_desc *d);
    /* as weft_dqn_new */
WEFT_API void      weft_ppo_free(weft_ppo *a);  /* NULL is fine; the entries stay */
WEFT_API weft_err  weft_ppo_step(void *a, int64_t step, weft_metrics *m);
    /* collects one horizon and learns from it: a weft_train_step; m NULL: no metrics */
WEFT_API weft_err  weft_ppo_act(void *a, const weft_envs *v, int32_t *actions);
    /* the most likely legal action for each; a weft_act */
WEFT_API weft_err  weft_ppo_values(weft_ppo *a, const weft_envs *v, float *values);
    /* [count of v]: the estimated values */

/* ---- TD learning of afterstates: values as sums of table entries ---------------------------- */

/* A game in which a move leads to a known afterstate, and chance from there to the next state. States
 * and afterstates are plain memory of one size, without pointers. An afterstate selects entries of
 * tables, and its value, the expected future reward, is their sum: an n-tuple network, so large and
 * sparse that it is updated in place. */
typedef struct weft_td_game {
    const char *name;
    size_t   size;     /* bytes of a state: a multiple of its alignment */
    int      actions;  /* 0 .. actions - 1; at most 32 */
    int      tables;   /* of each an afterstate selects ... */
    int      slots;    /* ... this many entries, ... */
    uint32_t words;    /* ... each below this */
    void     (*start) (void *state, weft_rng *r);         /* an initial state */
    uint32_t (*moves) (const void *state, void *after, float *reward);
        /* [actions] afterstates and rewards; returns the mask of legal ones; 0: game over */
    void     (*chance)(const void *after, void *state, weft_rng *r);  /* the random transition */
    void     (*index) (const void *after, int first, int n, uint32_t *entries);
        /* [n, slots] entries of the tables first .. first + n - 1 */
    weft_err (*check) (weft_ctx *c, const void *state);
        /* rejects unreachable states; NULL: all are valid */
} weft_td_game;  /* called from several threads */

WEFT_API const weft_td_game *weft_td_2048(weft_ctx *c, int tuples);
    /* 2048, with a state of type uint64_t, and 4, 5 or 8 six-cell tuples: a table of 16^6 entries each,
       of which a board selects 8, one for each symmetry. 0: 5; NULL: other numbers, weft_error(c) */

typedef struct weft_td_desc {
    float    rate;     /* learning rate; 0: 1, or 0.1 if plain */
    bool     plain;    /* one rate for all entries; else temporal coherence (Beal, Smith 1999):
                          rate |sum of errors| / sum of |errors|, per entry */
    float    first;    /* initial value of every afterstate: a high one encourages exploration */
    float    gamma;    /* discount factor; 0: 1 */
    int      games;    /* interleaved games, to overlap memory accesses; 0: 8 */
    int64_t  moves;    /* moves per weft_td_step, over all games; 0: 100,000 */
    int      window;   /* episodes to average over; 0: 1000 */
    bool     fixed;    /* for playing only: creates only the tables, does not learn */
    int      threads;  /* at most this many, and one per table; 0: 1. The same bits for any
                          number */
    uint64_t seed;
} weft_td_desc;

typedef struct weft_td weft_td;
WEFT_API weft_td *weft_td_new(weft_state *s, const weft_td_game *g, const char *name,
        const weft_td_desc *d);
    /* the tables are entry "NAME.table", f32 [tables, words], the rest "rng.NAME...."; existing entries
       are kept; d NULL: all 0; NULL on failure: weft_error. Temporal coherence takes 8 more bytes per
       entry: with 5 tuples for 2048 a checkpoint has 1.0 GB, the model 0.34 */
WEFT_API void     weft_td_free (weft_td *a);  /* NULL is fine; the entries stay */
WEFT_API weft_err weft_td_step (void *a, int64_t step, weft_metrics *m);
    /* plays and learns for .moves moves: a weft_train_step; m NULL: no metrics. `step` is not used: all
       counters are in the state */
WEFT_API weft_err weft_td_check(const weft_td *a);
    /* validates the state after loading; weft_td_step does this itself */
WEFT_API void     weft_td_set_rate(weft_td *a, float rate);
    /* 0 to 1, from the next step on; stored in the state. With .plain it should decay */
WEFT_API void     weft_td_best (weft_td *a, int n, const void *states, int32_t *actions);
    /* [n]: the move with the highest reward plus value, ties: the first; -1: none is legal */
WEFT_API void     weft_td_value(weft_td *a, int n, const void *afters, float *values);  /* [n] */

typedef struct weft_td_stats {
    int64_t moves, episodes;
    float   error;     /* mean absolute TD error of the last step */
    float   mean;      /* mean return over the window */
    float   rate;
} weft_td_stats;
WEFT_API weft_td_stats weft_td_stats_of(const weft_td *a);
    /* the metrics: train/loss is the error, then train/rate, episodes/mean, count/episodes,
       count/moves */

#ifdef __cplusplus
}
#endif
#endif
