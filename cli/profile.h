/* profile.h - a profile of a training run: started before it, printed after it. */
#ifndef WEFT_CLI_PROFILE_H
#define WEFT_CLI_PROFILE_H

#include <weft/profile.h>

#include <stdio.h>

/* Opens one on the context and measures what the machine can do. path: where its trace will go,
 * which is refused now if it cannot; NULL: there will be none. */
weft_err profile_begin(weft_ctx *c, const char *path, weft_profile **out);

/* Tables by kernel and by scope, and the arena over a run, for every plan that took time. */
void profile_print(FILE *to, weft_profile *p);

#endif
