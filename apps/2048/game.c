/* game.c - plays games of 2048 to their end, and sums them up. */
#include "game.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GAME_AT_ONCE = 256 };
/* Seeds of training are below 2^32. */
static const uint64_t game_seed = UINT64_C(0x2048204820482048);

void game_2048_begin(game_2048 *g, int64_t number) {
    *g = (game_2048){0};
    weft_rng_seed(&g->rng, game_seed, (uint64_t)number);
    g->board = weft_2048_start(&g->rng);
}

bool game_2048_move(game_2048 *g, int action) {
    uint32_t score = 0;
    if (action < 0 || action >= WEFT_2048_ACTIONS) return false;
    const uint64_t after = weft_2048_move(g->board, action, &score);
    if (after == g->board) return false;
    g->board = weft_2048_spawn(after, &g->rng);
    g->score += score;
    g->moves++;
    return true;
}

/* Those that go on lie together, so that the agent is asked about nothing else. */
weft_err game_2048_play(weft_ctx *c, const algo_2048 *algo, void *agent, int64_t first, int games,
                        game_2048 *finished, weft_progress *progress) {
    uint64_t board[GAME_AT_ONCE];
    int32_t action[GAME_AT_ONCE];
    int place[GAME_AT_ONCE], begun = 0, n = 0;
    for (;;) {
        for (; n < GAME_AT_ONCE && begun < games; begun++) {
            game_2048_begin(&finished[begun], first + begun);
            place[n++] = begun;
        }
        weft_progress_show(progress, begun - n, NULL);
        if (!n) return WEFT_OK;
        for (int i = 0; i < n; i++) board[i] = finished[place[i]].board;
        const weft_err e = algo->choose(agent, n, board, action);
        if (e) return e;
        int left = 0;
        for (int i = 0; i < n; i++) {
            game_2048 *const g = &finished[place[i]];
            if (!game_2048_move(g, action[i]))
                return weft_fail(c, WEFT_STATE, "game %lld, move %d: %d is not legal",
                                 (long long)(first + place[i]), (int)g->moves, (int)action[i]);
            if (weft_2048_legal(g->board)) place[left++] = place[i];
        }
        n = left;
    }
}

static int game_compare(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

weft_err results_2048_of(weft_ctx *c, const game_2048 *finished, int games, results_2048 *v) {
    *v = (results_2048){.games = games};
    if (games < 1) return weft_fail(c, WEFT_ARGUMENT, "an evaluation of %d games", games);
    uint32_t *score = malloc((size_t)games * sizeof *score);
    if (!score) return weft_fail(c, WEFT_MEMORY, "out of memory");
    double squares = 0;
    for (int i = 0; i < games; i++) {
        const uint32_t most = weft_2048_max_tile(finished[i].board);
        score[i] = finished[i].score;
        v->mean += (double)score[i] / games;
        v->moves += (double)finished[i].moves / games;
        for (int k = 1; k < GAME_2048_SIZES; k++) v->reached[k] += most >= UINT32_C(1) << k;
        if (most > v->max_tile) v->max_tile = most;
    }
    for (int k = 0; k < GAME_2048_SIZES; k++) v->reached[k] /= games;
    for (int i = 0; i < games; i++)
        squares += ((double)score[i] - v->mean) * ((double)score[i] - v->mean);
    v->error = games > 1 ? sqrt(squares / (games - 1) / games) : NAN;
    qsort(score, (size_t)games, sizeof *score, game_compare);
    v->median = ((double)score[(games - 1) / 2] + (double)score[games / 2]) / 2;
    v->worst = score[0], v->best = score[games - 1];
    free(score);
    return WEFT_OK;
}
