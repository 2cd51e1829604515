/* source.c - finds and opens what source.h describes; choosing by name; figures for people. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "source.h"

#include <weft/train.h>

#include <string.h>
#include <sys/stat.h>

static bool source_is(const char *path, bool folder) {
    struct stat s;
    return stat(path, &s) == 0 && (S_ISDIR(s.st_mode) != 0) == folder;
}

const char *source_file(const char *path, char *file, size_t size) {
    static const char *const names[] = {"model.safetensors.index.json", "model.safetensors"};
    if (!source_is(path, true)) return path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(file, size, "%s/%s", path, names[i]);
        if (source_is(file, false)) return file;
    }
    return weft_run_checkpoint(path, file, size);
}

weft_archive *source_open(weft_ctx *c, const char *path) {
    char file[4096];
    return weft_archive_open(c, source_file(path, file, sizeof file));
}

bool source_match(const char *glob, const char *name) {
    if (!glob) return true;
    const char *star = NULL, *from = NULL; /* the last star, and where its stretch may end next */
    while (*name) {
        if (*glob == '*') {
            star = glob++;
            from = name;
        } else if (*glob == '?' || *glob == *name) {
            glob++;
            name++;
        } else if (star) {
            glob = star + 1;
            name = ++from;
        } else {
            return false;
        }
    }
    return !glob[strspn(glob, "*")];
}

void source_bytes(double bytes, char out[16]) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    for (; bytes >= 1000 && unit < 4; unit++) bytes /= 1000;
    snprintf(out, 16, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}
