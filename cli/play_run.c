/* play_run.c - the run that weft play opens when none is named: the newest of its kind. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "play.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

static bool play_is_later(struct timespec a, struct timespec b) {
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

bool play_newest(run *r, const char *command, char *path, size_t bytes) {
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
