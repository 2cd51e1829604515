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

extern const command play_cube_task, play_2048_task;

/* The newest run of this command ("train cube") under runs/; false: there is none. Leaves r located
 * at some run or other. */
bool play_newest(run *r, const char *command, char *path, size_t bytes);

#endif
