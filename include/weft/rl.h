/* rl.h - learning by doing: environments (2048, cubes, cart-pole, a grid, those of one's own), what
 * they showed to be learned from again, agents that learn in them, and a search.
 *
 *     const weft_env *e = weft_env_named(c, "2048");
 *     weft_envs *games = weft_envs_new(s, e, 256, "games", &(weft_envs_desc){ .seed = 7 });
 *     for (;;) {
 *         weft_envs_observe(games, weft_feed(plan, x));          straight into the rows of a feed
 *         ... weft_run(plan), choose actions ...
 *         weft_envs_step(games, actions, rewards, done);
 *     }
 *
 * An environment is a table of functions over plain memory. An instance holds no pointers, so
 * copying its bytes is saving it, and a replay may keep those bytes instead of observations.
 * Chance comes from a generator that lies beside the instance. A vector of instances lives in a
 * weft_state: a checkpoint holds it, and what is loaded goes on with the same bits.
 *
 * The rules of 2048 and of the cubes are also plain functions on numbers, for search and for
 * learning after states. Memory is taken by functions that end in _new, by weft_envs_play, and by
 * agents when they are first taught or asked about a vector of another size; steps take none.
 *
 * Reading order: random numbers, environments, many at once, 2048, the 2x2x2 cube, the 3x3x3 cube,
 * beam search, the small ones, replay, agents, after states. */
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
    /* each pair of numbers is a sequence of its own */
WEFT_API uint32_t weft_rng_next   (weft_rng *r);              /* 32 random bits */
WEFT_API uint32_t weft_rng_below  (weft_rng *r, uint32_t n);  /* 0 .. n - 1, evenly; 0 for n 0 */
WEFT_API float    weft_rng_uniform(weft_rng *r);              /* [0, 1), a multiple of 2^-24 */
WEFT_API int      weft_rng_choose (weft_rng *r, uint32_t mask);
    /* the place of one of the set bits, evenly; -1 when there is none */

/* ---- environments ------------------------------------------------------------------------ */

typedef struct weft_env {
    const char *name;
    size_t size;       /* bytes of an instance: a multiple of what its members are aligned to */
    int    obs;        /* floats of an observation */
    int    slots;      /* or of the same as indices: so many, ... */
    int    words;      /* ... each below this: rows of one table whose sum is the input; 0: none */
    int    actions;    /* 0 .. actions - 1; at most 32 */
    int    limit;      /* steps after which an episode is cut off; 0: none */
    int    levels;     /* the highest that reset takes; 0: any */
    void     (*reset)  (void *e, weft_rng *r, int level);
        /* a first state; level says how far from easy, 0 is the environment's usual start */
    float    (*step)   (void *e, weft_rng *r, int action, bool *done);
        /* the reward; an action that is not legal changes nothing and gives 0 */
    void     (*observe)(const void *e, float *obs);      /* writes obs floats */
    void     (*index)  (const void *e, int32_t *slots);  /* writes slots numbers; NULL: none */
    uint32_t (*legal)  (const void *e);                  /* a bit per action; NULL: all */
    weft_err (*check)  (weft_ctx *c, const void *e);     /* refuses what no play can reach */
    void     (*show)   (const void *e, char *text, size_t bytes);  /* for people; NULL: nothing */
} weft_env;

/*  name            observation                                     indices
 *  "2048"          16 cells, log2(tile) / 11, 0 for none           16 of 256
 *  "2048-raw"      16 cells, the tiles themselves                  16 of 256
 *  "2048-one-hot"  16 cells x 16 exponents                         16 of 256
 *  "cube"          24 stickers x 6 colours                          7 of 147
 *  "cube-slots"    7 corners x (7 pieces x 3 twists)                7 of 147
 *  "cube3"         20 places x 24 (piece, turned how)              20 of 480
 *  "cartpole"      place, speed, angle, turning speed
 *  "grid"          one of 48 cells                                  1 of 48 */
WEFT_API const weft_env *weft_env_named(weft_ctx *c, const char *name);
    /* NULL: there is none, and weft_error(c) lists those there are */
WEFT_API const weft_env *weft_env_at(int i);  /* all of them; NULL after the last */
WEFT_API uint32_t weft_env_legal(const weft_env *e, const void *instance);
    /* a bit per action, also where the table has no function for it */

/* ---- many at once ------------------------------------------------------------------------ */

typedef struct weft_envs weft_envs;

typedef enum weft_done {
    WEFT_GOES_ON,
    WEFT_ENDED,     /* by its own rules: nothing comes after, a value behind it is 0 */
    WEFT_CUT_OFF    /* by the limit of steps: the state behind it has a value */
} weft_done;

typedef struct weft_envs_desc {
    uint64_t seed;
    int level;         /* as reset takes it */
    int limit;         /* steps of an episode; 0: the environment's; below 0: none */
} weft_envs_desc;

WEFT_API weft_envs *weft_envs_new(weft_state *s, const weft_env *e, int n, const char *name,
        const weft_envs_desc *d);
    /* n instances, at their first states, as entries "rng.NAME.env" and others of s; entries that
       are there already stay what they are, so that these go on: to begin anew, take another name,
       or a state for them alone. d NULL: all 0; NULL on failure: weft_error */
WEFT_API void       weft_envs_free(weft_envs *v);             /* NULL is fine; the entries stay */
WEFT_API int        weft_envs_count(const weft_envs *v);      /* n */
WEFT_API const weft_env *weft_envs_env(const weft_envs *v);   /* their table */

WEFT_API void       weft_envs_observe(const weft_envs *v, float *rows);      /* [n, obs] */
WEFT_API void       weft_envs_index  (const weft_envs *v, int32_t *rows);    /* [n, slots] */
WEFT_API void       weft_envs_legal  (const weft_envs *v, uint32_t *masks);  /* [n], a bit each */
WEFT_API void       weft_envs_choose (weft_envs *v, int32_t *actions);
    /* [n]: a legal action for each, evenly, drawn from the instance's own generator */
WEFT_API weft_err   weft_envs_step   (weft_envs *v, const int32_t *actions, float *rewards,
        uint8_t *done);
    /* [n] each, done a weft_done; an instance that is done has begun anew, see weft_envs_final;
       an impossible action is an error, and then nothing moves */

WEFT_API void       *weft_envs_at   (weft_envs *v, int i);  /* bytes of instance i; NULL: none */
WEFT_API const void *weft_envs_final(const weft_envs *v, int i);
    /* what the last step led instance i to: where done, the last state before it began anew */
WEFT_API weft_rng   *weft_envs_rng  (weft_envs *v, int i);  /* its generator; NULL: none */

typedef struct weft_episode { float total; int32_t steps, number; } weft_episode;
WEFT_API weft_episode weft_envs_episode(const weft_envs *v, int i);
    /* of instance i the one finished last: sum of rewards, steps, how many it has finished; all 0
       before the first */
WEFT_API weft_episode weft_envs_running(const weft_envs *v, int i);
    /* the same of the one going on */
WEFT_API int64_t    weft_envs_episodes (const weft_envs *v);         /* finished in all */
WEFT_API weft_err   weft_envs_set_level(weft_envs *v, int level);    /* from the next reset on */
WEFT_API int        weft_envs_level    (const weft_envs *v);         /* kept in the state too */
typedef weft_err (*weft_act)(void *agent, const weft_envs *v, int32_t *actions);
WEFT_API weft_err   weft_envs_play     (weft_envs *v, weft_act act, void *agent, int64_t most,
        float *totals);
    /* plays until each instance has finished an episode, or for `most` steps: [n] its sum of
       rewards, or that of what it has played. For judging, with instances and seeds of their own */
WEFT_API weft_err   weft_envs_check    (const weft_envs *v);
    /* after loading: refuses instances that no play can reach, with a message that names one */

/* ---- 2048: sixteen cells of 4 bits, the exponents of the tiles ------------------------------ */

/* Cell (row, column) is nibble 4 row + column, from the lowest; 0 is empty, 1 a tile of 2, 15 one
 * of 32768. Two of 32768 do not merge: there is no nibble for the sum. */
enum { WEFT_2048_UP, WEFT_2048_DOWN, WEFT_2048_LEFT, WEFT_2048_RIGHT, WEFT_2048_ACTIONS };

WEFT_API uint64_t weft_2048_start (weft_rng *r);     /* two tiles on an empty board */
WEFT_API uint64_t weft_2048_move  (uint64_t board, int action, uint32_t *score);
    /* slid and merged, without a new tile; unchanged: not legal; score NULL or the sum of merged
       tiles */
WEFT_API uint32_t weft_2048_moves (uint64_t board, uint64_t after[4], uint32_t score[4]);
    /* all four at once; gives the mask of those that are legal */
WEFT_API uint32_t weft_2048_legal (uint64_t board);  /* a bit per action; 0: game over */
WEFT_API uint64_t weft_2048_spawn (uint64_t board, weft_rng *r);
    /* a 2, or one time in ten a 4, on an empty cell, evenly; a full board stays */
WEFT_API uint32_t weft_2048_max_tile(uint64_t board);  /* 0 for an empty board */
WEFT_API uint64_t weft_2048_symmetry(uint64_t board, int k);
    /* one of eight: k & 1 left and right exchanged, then k & 2 up and down, then k & 4 rows and
       columns */
WEFT_API int      weft_2048_symmetry_action(int action, int k);
    /* the action that does on that board what this one does here */
WEFT_API void     weft_2048_tiles (uint64_t board, int32_t tiles[16]);  /* 0, 2, 4, ... */
WEFT_API weft_err weft_2048_board (weft_ctx *c, const int32_t tiles[16], uint64_t *board);
    /* the other way round; refuses what is no tile, and what weft_2048_check refuses */
WEFT_API weft_err weft_2048_check (weft_ctx *c, uint64_t board);
    /* could a player see this? at least two tiles, one of them new, none larger than its room:
       the j-th largest is at most 2^(18 - j) */

/* ---- the 2x2x2 cube: one number below 3,674,160, and 0 is solved ----------------------------- */

/* Corner DBL never moves. Places 0 .. 6 and their pieces: URF UFL ULB UBR DFR DLF DRB; twist:
 * thirds of a turn clockwise. The number is (rank of the permutation) 729 + (rank of the twists).
 * Stickers: faces U D F B L R, of each the rows as seen from outside, F under U and above D. */
#define WEFT_CUBE_STATES 3674160u
enum { WEFT_CUBE_ACTIONS = 6, WEFT_CUBE3_ACTIONS = 12 };
    /* R R' U U' F F', then L L' D D' B B'; action ^ 1 takes back */

WEFT_API uint32_t weft_cube_turn    (uint32_t cube, int action);      /* a quarter turn */
WEFT_API uint32_t weft_cube_scramble(uint32_t cube, int k, weft_rng *r);
    /* k quarter turns, any of the six each time: one may undo another */
WEFT_API void     weft_cube_pieces  (uint32_t cube, uint8_t piece[7], uint8_t twist[7]);
    /* which piece is in each place, and how it is turned */
WEFT_API weft_err weft_cube_of      (weft_ctx *c, const uint8_t piece[7], const uint8_t twist[7],
        uint32_t *cube);
    /* the other way round; refuses what turning cannot reach */
WEFT_API void     weft_cube_index   (uint32_t cube, int32_t slots[7]);
    /* place 21 + piece 3 + twist */
WEFT_API void     weft_cube_stickers(uint32_t cube, uint8_t colour[24]);  /* 0 .. 5: U D F B L R */
WEFT_API weft_err weft_cube_read    (weft_ctx *c, const char *letters, uint32_t *cube);
    /* 24 stickers as letters UDFBLR, blanks between them as you like; refuses impossible cubes */

enum { WEFT_CUBE_SYMMETRIES = 6 };
WEFT_API uint32_t weft_cube_symmetry(uint32_t cube, int k);
    /* one of six: turned in the hands by k % 3 thirds, U to R to F, about the diagonal through DBL,
       and for k >= 3 then seen in a mirror that exchanges U and R */
WEFT_API int      weft_cube_symmetry_action(int action, int k);
    /* the action that does on that cube what this one does here */
WEFT_API uint32_t weft_cube_canonical(uint32_t cube, int *k);
    /* the least of the six, the same for all of them; k NULL, or which one it is */

WEFT_API const char *weft_cube_action_name(int action);               /* "R'"; NULL: no action */
WEFT_API weft_err weft_cube_read_actions(weft_ctx *c, const char *text, int actions,
        int32_t *out, int room, int *n);
    /* "R U' F2", a half turn as two; actions is 6 or 12; at most room of them, n is how many */

WEFT_API void     weft_cube_distances(uint8_t *table);
    /* [WEFT_CUBE_STATES] quarter turns to the solved cube, by breadth-first search in a fraction of
       a second. For judging what was learned: no training reads it */

/* ---- the 3x3x3 cube: pieces in places -------------------------------------------------------- */

/* Corner places: those above, then DBL. Edge places: UR UF UL UB DR DF DL DB FR FL BL BR. */
typedef struct weft_cube3 {
    uint8_t corner[8], twist[8];  /* the piece in each place, thirds of a turn clockwise */
    uint8_t edge[12], flip[12];   /* the same; 1: turned over */
} weft_cube3;

WEFT_API weft_cube3 weft_cube3_solved(void);                          /* every piece at home */
WEFT_API bool     weft_cube3_is_solved(const weft_cube3 *q);          /* is it that one? */
WEFT_API void     weft_cube3_turn    (weft_cube3 *q, int action);     /* one of twelve */
WEFT_API void     weft_cube3_scramble(weft_cube3 *q, int k, weft_rng *r);  /* k random turns */
WEFT_API void     weft_cube3_random  (weft_cube3 *q, weft_rng *r);
    /* any of the 4.3e19 states, evenly */
WEFT_API weft_err weft_cube3_check   (weft_ctx *c, const weft_cube3 *q);
    /* refuses what turning cannot reach */
WEFT_API void     weft_cube3_index   (const weft_cube3 *q, int32_t slots[20]);
    /* corners: place 24 + piece 3 + twist; edges, places 8 to 19: place 24 + piece 2 + flip */
WEFT_API void     weft_cube3_stickers(const weft_cube3 *q, uint8_t colour[54]);  /* as above */

/* ---- beam search: to a solved state, following a policy ------------------------------------- */

/* A puzzle without chance. States are plain bytes: equal ones have equal bytes, padding too. */
typedef struct weft_puzzle {
    size_t size;                              /* bytes of a state: a multiple of what its members
                                                 are aligned to */
    int    actions;                           /* 0 .. actions - 1 */
    bool (*turn)  (void *state, int action);  /* moves it on; false: that is not possible there */
    bool (*solved)(const void *state);
} weft_puzzle;
WEFT_API const weft_puzzle *weft_cube_puzzle(void);  /* the 2x2x2 cube: a state is its uint32_t */

/* For n states scores [n, actions]: log probabilities, or any numbers whose sum along a way says
 * how promising it is; -infinity: never. */
typedef weft_err (*weft_policy)(void *user, const void *states, int n, float *scores);

typedef struct weft_beam_desc {
    int width;      /* states that a layer keeps; 0: 64; 1: greedy, but never back to where it was,
                       and never past a solved state */
    int steps;      /* actions of a solution at most; 0: 50 */
    weft_policy policy; void *user;
} weft_beam_desc;

typedef struct weft_beam weft_beam;  /* all memory of a search; a thread has its own */
WEFT_API weft_beam *weft_beam_new(weft_ctx *c, const weft_puzzle *p, const weft_beam_desc *d);
    /* NULL: weft_error(c) */
WEFT_API void     weft_beam_free (weft_beam *b);  /* NULL is fine */
WEFT_API weft_err weft_beam_solve(weft_beam *b, const void *state, int32_t *actions, int *n);
    /* the way of the first layer that holds a solved state: n actions, of which there is room for
       .steps; 0: it is solved; -1: none was found. A state met before is dropped, so no way goes
       in a circle. Nothing is allocated; errors are the policy's */

/* ---- the small ones: instances as they lie in memory ----------------------------------------- */

/* A pole on a cart (Barto, Sutton, Anderson 1983): push left or right, 1 for every step, over when
 * the cart is beyond 2.4 or the pole beyond 12 degrees, or after 500 steps. Euler, 0.02 s. */
typedef struct weft_cartpole { double x, speed, angle, spin; } weft_cartpole;

/* Six rows of eight cells with walls: up, down, left, right; into a wall is to stay. 1 for reaching
 * the goal and -1 for the pit, which end it, -0.01 for any other step. Starts on any free cell. */
enum { WEFT_GRID_ROWS = 6, WEFT_GRID_COLUMNS = 8 };
typedef struct weft_grid { int32_t cell; } weft_grid;  /* row 8 + column */

/* ---- replay: what was seen, to be learned from again ----------------------------------------- */

/* A ring for each instance of a vector. A transition is an instance's bytes, an action, a reward
 * and how the step ended; the state it led to is the next one of the ring. Observations are made
 * when they are asked for. Targets over several steps are windows by index: they overlap, an end
 * cuts them, and a cut-off's last state is kept and has a value. All is in entries of the state. */
typedef struct weft_replay weft_replay;

typedef struct weft_replay_desc {
    int64_t  capacity;     /* transitions over all instances; 0: 100,000 */
    int      n_step;       /* rewards of a target before it goes on with a value; 0: 1 */
    float    gamma;        /* what the next reward is worth; 0: 0.99 */
    float    scale;        /* of rewards, when they are drawn; 0: 1 */
    bool     prioritised;  /* drawn in proportion to priorities (Schaul 2016), else evenly */
    float    alpha;        /* priority = (|error| + 0.001)^alpha, at most 1; 0: 0.6 */
    float    beta;         /* weight = (chance x transitions)^-beta / greatest; 0: 0.4 ... */
    int64_t  beta_steps;   /* ... rising to 1 at this step of weft_replay_draw; 0: stays */
    int      symmetries;   /* each is turned by one of so many, evenly; 0: not at all */
    int    (*symmetry)(void *instance, int action, int k);
        /* turns an instance in place; gives the action that now does what this one did */
    uint64_t seed;
} weft_replay_desc;

WEFT_API weft_replay *weft_replay_new(weft_state *s, weft_envs *v, const char *name,
        const weft_replay_desc *d);
    /* for what v will do from here on, as entries "rng.NAME.state" and others of s; entries that
       are there already stay what they are; d NULL: all 0; NULL on failure: weft_error */
WEFT_API void     weft_replay_free(weft_replay *r);   /* NULL is fine; the entries stay */
WEFT_API weft_err weft_replay_add (weft_replay *r, const int32_t *actions, const float *rewards,
        const uint8_t *done);
    /* after each weft_envs_step, with what it was given and gave */
WEFT_API int64_t  weft_replay_ready(const weft_replay *r);
    /* transitions that can be drawn: those whose window is complete */
WEFT_API weft_err weft_replay_check(const weft_replay *r);
    /* after loading: refuses what no play can have stored */

/* Rows to be written, straight into feeds; NULL: not wanted. */
typedef struct weft_replay_rows {
    float   *obs, *next_obs;      /* [n, obs] */
    int32_t *index, *next_index;  /* [n, slots]: the same as indices */
    int32_t *action;              /* [n] */
    float   *reward;              /* [n] sum of gamma^k r_k over the window */
    float   *discount;            /* [n] of a value behind the window: gamma^steps, or 0 */
    int32_t *legal;               /* [n] actions of the next state, a bit each; an end has all, and
                                     so has a state that has none */
    float   *weight;              /* [n] importance: the greatest is 1, and all are when even */
    int32_t *place;               /* [n] where it lies, for weft_replay_report */
} weft_replay_rows;
WEFT_API weft_err weft_replay_draw  (weft_replay *r, int64_t step, int n,
        const weft_replay_rows *out);
    /* n of them, with repetition: the same ones for the same seed, step and contents */
WEFT_API weft_err weft_replay_report(weft_replay *r, int n, const int32_t *place,
        const float *error);
    /* what learning from them showed: new priorities; new transitions have the greatest so far */

/* ---- agents: Q-learning with the parts of Rainbow as switches, and PPO ----------------------- */

/* A network of one's own for agents: features [B, any width] of x, which is [B, obs], or i32
 * [B, slots] with .sparse. Names of parameters are relative: the agent has scopes around them. */
typedef weft_tensor (*weft_agent_net)(void *user, weft_state *s, weft_tensor x);

/* Or values of one's own, heads and all: [B, actions]; or, where action is an i32 [B, 1] and not
 * the poison tensor, of that action alone [B, 1]. A network that looks at a state once for each
 * action need not look at all of them to learn from one. */
typedef weft_tensor (*weft_agent_values)(void *user, weft_state *s, weft_tensor x,
        weft_tensor action);

/*           name         text */
#define WEFT_DQN_LOSSES(X)                                                                        \
    X(HUBER,       "huber")        /* of the action taken */                                      \
    X(MSE,         "mse")                                                                         \
    X(ALL_OUTPUTS, "all-outputs")  /* mse over all actions, of which only that one has an error */
typedef enum weft_dqn_loss {
#define X(name, text) WEFT_DQN_##name,
    WEFT_DQN_LOSSES(X)
#undef X
    WEFT_DQN_LOSS_COUNT
} weft_dqn_loss;

/* The share of random actions: from first to last, by a factor or along a line. */
typedef struct weft_explore {
    float   first, last;  /* 0: 1 and 0.05; of a noisy network none. Below 0: 0 */
    float   decay;        /* factor per step; 0: along a line instead ... */
    int64_t over;         /* ... in so many steps; 0: 10,000 */
    bool    by_episode;   /* counts finished episodes instead of steps */
} weft_explore;

/* A stage of a curriculum: the level of the environments, and what ends it. */
typedef struct weft_stage {
    int     level;
    float   enough;    /* mean of the episodes in the window */
    int64_t episodes;  /* or so many of them; 0: no limit */
} weft_stage;

typedef struct weft_dqn_desc {
    /* the network: relu between linear layers, or one of your own below the heads */
    const int *hidden;          /* widths, then a 0; NULL: 64, 64 */
    weft_agent_net net; void *user;
    weft_agent_values values;   /* instead of all that: neither dueling nor noisy nor atoms */
    bool    sparse;             /* x as indices: the first layer is a sum of rows of a table */
    bool    dueling;            /* value + advantage - mean advantage (Wang 2016) */
    bool    noisy;              /* layers draw their weights (Fortunato 2018); no random actions */
    int     atoms;              /* values as distributions (Bellemare 2017) over so many points */
    float   low, high;          /* between these; 0 atoms: plain values */
    /* what is learned from */
    weft_replay_desc replay;    /* n_step, gamma, prioritised, ... */
    int     batch;              /* 0: 32 */
    int64_t start;              /* transitions before the first update; 0: batch */
    int     every, updates;     /* so many updates each so many steps; 0: 1 */
    bool    by_episode;         /* or after so many finished episodes */
    /* how */
    weft_dqn_loss loss;
    bool    not_double;         /* one network both chooses and values (else van Hasselt 2016) */
    bool    no_target;          /* the learning network makes its own targets */
    int64_t target_every;       /* updates between copies; 0: 500 */
    float   polyak;             /* share of the new ones in a copy; 0: 1 */
    bool    no_legal;           /* targets over all actions, legal or not */
    const weft_optimiser_desc *optimiser;  /* NULL: Adam, 1e-3 */
    weft_explore explore;
    const weft_stage *stages; int stage_count;  /* 0: the level stays */
    int     window;             /* episodes whose mean counts; 0: 100 */
    bool    count_ended;        /* of 1 for an episode that ended and 0 for one cut off, instead of
                                   the sums of rewards */
    int     threads;            /* as in weft_plan_desc */
    uint64_t seed;
} weft_dqn_desc;

typedef struct weft_dqn weft_dqn;
WEFT_API weft_dqn *weft_dqn_new(weft_state *s, weft_envs *v, const char *name,
        const weft_dqn_desc *d);
    /* parameters below "NAME.", all else below "rng.NAME."; d NULL: all 0; NULL: weft_error. One
       agent a state: its optimiser's numbers have no name of their own */
WEFT_API void      weft_dqn_free(weft_dqn *a);  /* NULL is fine; the entries stay */
WEFT_API weft_err  weft_dqn_step(void *a, int64_t step, weft_metrics *m);
    /* acts once in every instance, stores, learns: a weft_train_step; m NULL: no metrics.
       The number of the step is not used: what counts is in the state */
WEFT_API weft_err  weft_dqn_teach(weft_dqn *a, const weft_envs *v, const int32_t *actions,
        float *loss);
    /* one update towards these actions in what v shows: of each other action the value shall be
       less by 0.8 (Hester 2018). For a start from examples, or from turns taken back; loss NULL, or
       the mean by which that is not so */
WEFT_API weft_err  weft_dqn_values(weft_dqn *a, const weft_envs *v, float *q);
    /* [count of v, actions], without noise; any vector of the same environment */
WEFT_API weft_err  weft_dqn_act(void *a, const weft_envs *v, int32_t *actions);
    /* the best legal action for each by those values; nothing is drawn; a weft_act */
typedef struct weft_dqn_stats {
    int64_t steps, updates, episodes, stored;  /* steps of the vector; stored: ready to be drawn */
    float   loss, epsilon, mean;               /* of the last update; mean over the window */
    int     stage;
} weft_dqn_stats;
WEFT_API weft_dqn_stats weft_dqn_stats_of(const weft_dqn *a);  /* as metrics have it */

typedef struct weft_ppo_desc {
    const int *hidden; weft_agent_net net; void *user; bool sparse;  /* as above */
    int     horizon;            /* steps in every instance before it learns; 0: 128 */
    int     epochs, parts;      /* passes over them, each in so many parts; 0: 4 and 4 */
    float   gamma, lambda;      /* 0: 0.99 and 0.95 (Schulman 2016) */
    float   clip;               /* of the ratio (Schulman 2017); 0: 0.2 */
    float   entropy, value;     /* their shares in the loss; 0: 0.01 and 0.5; below 0: none */
    float   scale;              /* of rewards; 0: 1 */
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
    /* a whole horizon and what is learned from it: a weft_train_step; m NULL: no metrics */
WEFT_API weft_err  weft_ppo_act(void *a, const weft_envs *v, int32_t *actions);
    /* the likeliest legal action for each; a weft_act */
WEFT_API weft_err  weft_ppo_values(weft_ppo *a, const weft_envs *v, float *values);
    /* [count of v] what it expects */

/* ---- TD learning of after states: values as sums of table entries --------------------------- */

/* A game in which a move leads to an after state that is known, and chance from there to the next
 * state. States and after states are plain memory of one size, without pointers. An after state
 * names entries of tables, and its value, what is still to be won from there, is their sum: an
 * embedding-sum network of width 1, so large and so sparse that it is learned in place. */
typedef struct weft_td_game {
    const char *name;
    size_t   size;     /* bytes of a state: a multiple of what its members are aligned to */
    int      actions;  /* 0 .. actions - 1; at most 32 */
    int      tables;   /* of each an after state names ... */
    int      slots;    /* ... so many entries, ... */
    uint32_t words;    /* ... each below this */
    void     (*start) (void *state, weft_rng *r);         /* a first state */
    uint32_t (*moves) (const void *state, void *after, float *reward);
        /* [actions] after states and rewards; a bit for each that is legal; 0: the game is over */
    void     (*chance)(const void *after, void *state, weft_rng *r);  /* what comes next */
    void     (*index) (const void *after, int first, int n, uint32_t *entries);
        /* [n, slots] entries of the tables first .. first + n - 1 */
    weft_err (*check) (weft_ctx *c, const void *state);
        /* refuses what no play can reach; NULL: there is nothing to refuse */
} weft_td_game;  /* with several threads each of them calls these */

WEFT_API const weft_td_game *weft_td_2048(weft_ctx *c, int tuples);
    /* 2048, a state being a uint64_t, valued by 4, 5 or 8 tuples of six cells: a table of 16^6
       entries for each, of which a board names 8, one for each side it is seen from. 0: 5; NULL:
       there is no such set, weft_error(c) */

typedef struct weft_td_desc {
    float    rate;     /* share of an error that is corrected; 0: 1, or 0.1 where plain */
    bool     plain;    /* one rate for all entries; else each has its own by temporal coherence:
                          rate |sum of its errors| / sum of their sizes (Beal, Smith 1999) */
    float    first;    /* value of every after state at first: much makes it try what is new */
    float    gamma;    /* what a value behind the next move is worth; 0: 1 */
    int      games;    /* played by turns, so that fetching from memory overlaps; 0: 8 */
    int64_t  moves;    /* turns of a weft_td_step, over all games; 0: 100,000 */
    int      window;   /* episodes whose mean is told; 0: 1000 */
    bool     fixed;    /* only plays: nothing but the tables is made, and nothing is learned */
    int      threads;  /* at most so many, and one for each table, where they pay; 0: 1. The same
                          bits for any number */
    uint64_t seed;
} weft_td_desc;

typedef struct weft_td weft_td;
WEFT_API weft_td *weft_td_new(weft_state *s, const weft_td_game *g, const char *name,
        const weft_td_desc *d);
    /* the tables as entry "NAME.table", f32 [tables, words], all else below "rng.NAME."; entries
       that are there already stay what they are; d NULL: all 0; NULL on failure: weft_error. Rates
       of their own take 8 bytes more for each entry: with 5 tuples of 2048 a checkpoint is 1.0 GB,
       a model 0.34 */
WEFT_API void     weft_td_free (weft_td *a);  /* NULL is fine; the entries stay */
WEFT_API weft_err weft_td_step (void *a, int64_t step, weft_metrics *m);
    /* plays and learns for so many moves: a weft_train_step; m NULL: no metrics. The number of the
       step is not used: what counts is in the state */
WEFT_API weft_err weft_td_check(const weft_td *a);
    /* after loading: refuses what no play can have left; weft_td_step does so by itself */
WEFT_API void     weft_td_set_rate(weft_td *a, float rate);
    /* 0 to 1, from the next step on; kept in the state. A plain rate should fall in time */
WEFT_API void     weft_td_best (weft_td *a, int n, const void *states, int32_t *actions);
    /* [n] for each the move with the most reward and value, the first of equals; -1: none is
       legal */
WEFT_API void     weft_td_value(weft_td *a, int n, const void *afters, float *values);  /* [n] */

typedef struct weft_td_stats {
    int64_t moves, episodes;
    float   error;     /* mean size of the errors in the last step */
    float   mean;      /* sum of rewards of an episode, over the window */
    float   rate;
} weft_td_stats;
WEFT_API weft_td_stats weft_td_stats_of(const weft_td *a);
    /* as metrics have it: train/loss is the error, then train/rate, episodes/mean, count/episodes,
       count/moves */

#ifdef __cplusplus
}
#endif
#endif
