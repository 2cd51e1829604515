/* emit_step.h - the routines of a plan as plain C loops. */
#ifndef WEFT_EMIT_STEP_H
#define WEFT_EMIT_STEP_H

#include "kern/emit.h"

/* static void name(char *const *at), at[i] the buffer of operand i. False if the step has no such
 * form. */
bool emit_routine(text *t, const step *s, const char *name);

/* Whether blocks of this kind have one (emit_routine may still decline an odd shape). */
bool emit_has_block(int64_t which);

/* Column `text` of blocks.def and of the routines of ops.def. */
typedef bool emit_text(text *t, const step *s, const char *name);
emit_text text_none;
#define BLOCK(name, operands, attributes, parts, lies, moving, image, product, definition, gradient,  \
              work,               text, ...)                                                                           \
    emit_text text;
#include "core/blocks.def"
#define OP_ROUTINE(name, operands, step, lies, gradient, reference, work, text, ...) emit_text text;
#include "core/ops.def"

#endif
