/* help.h - what the commands' constants become: help for a terminal, manual pages, completion. */
#ifndef WEFT_HELP_H
#define WEFT_HELP_H

#include "command.h"

void help_of_program(FILE *to);
void help_of_command(FILE *to, const command *c, const command *task); /* task may be NULL */

void manual_write(FILE *to, const command *c); /* roff of weft-NAME(1); NULL: of weft(1) */

/* Each word is also a function's. The first has a macro of its own, so that signs can part them. */
#define COMPLETION_SHELLS(FIRST, NEXT) FIRST(bash) NEXT(zsh) NEXT(fish)
#define X(shell)                       void completion_##shell(FILE *to);
COMPLETION_SHELLS(X, X)
#undef X

#endif
