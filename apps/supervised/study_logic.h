/* study_logic.h - how a network of gates is evaluated: as the circuit that it becomes.
 *
 * All test pictures at once, a bit each. At the end of a run the circuit is simplified, put into the
 * folder and told about, beside what the gates were worth before they were taken at their word. */
#ifndef WEFT_STUDY_LOGIC_H
#define WEFT_STUDY_LOGIC_H

#include "cli/json.h"

#include <weft/weft.h>

struct study;
typedef struct study_logic study_logic;

weft_err study_logic_open(struct study *t); /* once the test set is there; nothing if no gates */
void study_logic_free(study_logic *g);      /* NULL is fine */

weft_err study_logic_look(struct study *t); /* the gates as they are: what follows is of these */
void study_logic_scores(const struct study *t, int64_t row, int64_t n, float *score);

weft_err study_logic_finish(struct study *t);
void study_logic_json(const struct study *t, json *j);
/* A sentence, or "" */
void study_logic_text(const struct study *t, char *text, size_t bytes);

#endif
