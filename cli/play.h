/* play.h - what the tasks of weft play share. */
#ifndef WEFT_PLAY_H
#define WEFT_PLAY_H

#include "run.h"

/* The options of every task; a task's own struct begins with these. */
typedef struct play_settings {
    int64_t seed;
    double delay; /* seconds between two moves that are shown on a terminal */
    int threads, color;
    bool json;
} play_settings;

/* The run that was named, which must be one of this command ("train cube"), or the newest such one
 * under runs/; *found is false when there is none. */
weft_err play_find(run *r, const call *c, const char *command, bool *found);

void play_wait(double seconds); /* between two moves; Ctrl-C need not wait */

#endif
