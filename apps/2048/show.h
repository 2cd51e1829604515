/* show.h - what people and programs see of 2048: boards, games, the results on a run. */
#ifndef WEFT_SHOW_2048_H
#define WEFT_SHOW_2048_H

#include "game.h"
#include "cli/run.h"

/* The board in as many lines as it always has, coloured where that can be seen. */
enum { SHOW_2048_LINES = 9 };
void show_2048_board(const terminal *t, uint64_t board);

const char *show_2048_action(int action); /* "up" */

/* The members of a results, into an object that is being written. */
void show_2048_json(json *j, const results_2048 *v);
/* The same as a table. */
void show_2048_results(const terminal *t, const results_2048 *v);

/* The report of a run: curves, a summary and how some games ended. finished NULL: not evaluated. */
weft_err show_2048_report(const run *u, const char *title, const weft_train_result *r,
                          const results_2048 *v, const game_2048 *finished);

#endif
