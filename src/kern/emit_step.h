/* emit_step.h - the routines of a plan as plain C loops. */
#ifndef WEFT_EMIT_STEP_H
#define WEFT_EMIT_STEP_H

#include "kern/emit.h"

/* static void name(char *const *at), at[i] the buffer of operand i. False if the step has no such
 * form. */
bool emit_routine(text *t, const step *s, const char *name);

#endif
