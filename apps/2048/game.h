/* game.h - whole games of 2048, many at once, and what is to be said of them.
 *
 * Game number k is the same game for everybody: its generator is seeded by a number that no
 * training uses, and by k. So runs are compared on equal terms, and a game can be looked at again
 * by its number. The result does not depend on how many are played at once. */
#ifndef WEFT_GAME_2048_H
#define WEFT_GAME_2048_H

#include "agent.h"

#include <weft/train.h>

typedef struct game_2048 {
    weft_rng rng; /* chance from here on */
    uint64_t board;
    uint32_t score;
    int32_t moves;
} game_2048;

void game_2048_begin(game_2048 *g, int64_t number);
/* Makes the move and lets a tile appear. false: the move is not legal, nothing has changed. */
bool game_2048_move(game_2048 *g, int action);

/* Games number `first` and on, each to its end; progress NULL: none. */
weft_err game_2048_play(weft_ctx *c, const algo_2048 *algo, void *agent, int64_t first, int games,
                        game_2048 *finished, weft_progress *progress);

enum { GAME_2048_SIZES = 16 };
typedef struct results_2048 {
    int games;
    double mean, median, error; /* of the score; error: the standard one of the mean */
    uint32_t best, worst;
    double moves;                    /* mean */
    double reached[GAME_2048_SIZES]; /* share of games with a tile of 2^k or more */
    uint32_t max_tile;
} results_2048;
weft_err results_2048_of(weft_ctx *c, const game_2048 *finished, int games, results_2048 *v);

/* The tiles whose rates are told: 512 and more. */
enum { VERDICT_2048_FIRST = 9 };

#endif
