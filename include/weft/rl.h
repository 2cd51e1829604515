/* rl.h - environments to learn in: 2048, cubes, cart-pole, a grid, and those of one's own.
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
 * learning after states. Nothing here allocates but weft_envs_new.
 *
 * Reading order: random numbers, environments, many at once, 2048, the 2x2x2 cube, the 3x3x3 cube,
 * the small ones. */
#ifndef WEFT_RL_H
#define WEFT_RL_H

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
       are there already stay what they are; d NULL: all 0; NULL on failure: weft_error */
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
WEFT_API void       weft_envs_set_level(weft_envs *v, int level);    /* from the next reset on */
WEFT_API int        weft_envs_level    (const weft_envs *v);         /* kept in the state too */
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

/* ---- the small ones: instances as they lie in memory ----------------------------------------- */

/* A pole on a cart (Barto, Sutton, Anderson 1983): push left or right, 1 for every step, over when
 * the cart is beyond 2.4 or the pole beyond 12 degrees, or after 500 steps. Euler, 0.02 s. */
typedef struct weft_cartpole { double x, speed, angle, spin; } weft_cartpole;

/* Six rows of eight cells with walls: up, down, left, right; into a wall is to stay. 1 for reaching
 * the goal and -1 for the pit, which end it, -0.01 for any other step. Starts on any free cell. */
enum { WEFT_GRID_ROWS = 6, WEFT_GRID_COLUMNS = 8 };
typedef struct weft_grid { int32_t cell; } weft_grid;  /* row 8 + column */

#ifdef __cplusplus
}
#endif
#endif
