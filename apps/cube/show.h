/* show.h - what people and programs see of the cube: the results on a run, and cubes. */
#ifndef WEFT_CUBE_SHOW_H
#define WEFT_CUBE_SHOW_H

#include "evaluate.h"

/* The report of a run, and its result on stdout. v NULL: it was not evaluated. */
weft_err cube_report(const run *u, const weft_train_result *r, const cube_results *v);
void cube_tell(const run *u, const weft_train_result *r, const cube_results *v);

/* The cube unfolded, U above F, D below it, L, R and B beside it: letters, coloured where that can
 * be seen. */
enum { CUBE_LINES = 6 };
void cube_print(const terminal *t, uint32_t cube);

#endif
