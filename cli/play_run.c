/* play_run.c - the run that weft play opens, by its name or as the newest of its kind, and the time
 * between two moves. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "play.h"

#include <string.h>
#include <time.h>

/* A run of one command that has a checkpoint is as new as that. */
typedef struct play_kind {
    run *r;
    const char *command;
} play_kind;

static double play_dated(void *user, const char *folder) {
    const play_kind *const k = user;
    char made[64] = "", weights[PATH_MOST];
    const double at = run_file_time(weft_run_checkpoint(folder, weights, sizeof weights));
    if (at < 0 || run_locate(k->r, folder) || run_command(k->r, made, sizeof made)) return -1;
    return strcmp(made, k->command) == 0 ? at : -1;
}

weft_err play_find(run *r, const call *c, const char *command, bool *found) {
    char path[PATH_FOLDER] = "", made[64] = "";
    *found = c->count || run_newest(play_dated, &(play_kind){r, command}, path, sizeof path);
    if (!*found) return WEFT_OK;
    weft_err e = run_locate(r, c->count ? c->words[0] : path);
    if (!e) e = run_command(r, made, sizeof made);
    if (e || strcmp(made, command) == 0) return e;
    return weft_fail(r->ctx, WEFT_UNSUPPORTED, "%s is a run of \"%s\", not of %s", r->folder,
                     *made ? made : "something else", strrchr(command, ' ') + 1);
}

void play_wait(double seconds) {
    const struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    if (seconds > 0) nanosleep(&t, NULL);
}
