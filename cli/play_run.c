/* play_run.c - the run that weft play opens, by its name or as the newest of its kind, and the time
 * between two moves. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "play.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static bool play_is_later(struct timespec a, struct timespec b) {
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

static bool play_newest(run *r, const char *command, char *path, size_t bytes) {
    DIR *folder = opendir("runs");
    struct timespec newest = {0};
    bool found = false;
    for (struct dirent *d; folder && (d = readdir(folder));) {
        char name[400], weights[500], made[64] = "";
        struct stat info;
        const int n = snprintf(name, sizeof name, "runs/%s", d->d_name);
        if (d->d_name[0] == '.' || n < 0 || (size_t)n >= sizeof name) continue;
        if (stat(weft_run_checkpoint(name, weights, sizeof weights), &info) != 0) continue;
        if (run_locate(r, name) || run_command(r, made, sizeof made)) continue;
        if (strcmp(made, command) != 0) continue;
        if (found && !play_is_later(info.st_mtim, newest)) continue;
        newest = info.st_mtim;
        found = true;
        snprintf(path, bytes, "%s", name);
    }
    if (folder) closedir(folder);
    return found;
}

weft_err play_find(run *r, const call *c, const char *command, bool *found) {
    char path[512] = "", made[64] = "";
    *found = c->count || play_newest(r, command, path, sizeof path);
    if (!*found) return WEFT_OK;
    weft_err e = run_locate(r, c->count ? c->words[0] : path);
    if (!e) e = run_command(r, made, sizeof made);
    if (e || strcmp(made, command) == 0) return e;
    return weft_fail(r->ctx, WEFT_UNSUPPORTED,
                     "%s is a run of \"%s\", whose network knows nothing of %s", r->folder,
                     *made ? made : "something else", strrchr(command, ' ') + 1);
}

void play_wait(double seconds) {
    const struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    if (seconds > 0) nanosleep(&t, NULL);
}
