/* path.c - asks the system whether a file is there, and makes folders. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "base/path.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

bool path_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

/* One folder, whose parents are there. */
static weft_err path_make_one(weft_ctx *c, const char *path) {
    struct stat s;
    const int made = mkdir(path, 0777), why = errno;
    if (stat(path, &s) == 0)
        return S_ISDIR(s.st_mode) ? WEFT_OK : weft_fail(c, WEFT_FILE, "%s: not a folder", path);
    return weft_fail(c, WEFT_FILE, "%s: cannot create the folder: %s", path,
                     strerror(made ? why : errno));
}

weft_err path_make_folder(weft_ctx *c, const char *path) {
    text part = {.m = mem_of(c)};
    text_put(&part, path);
    if (part.failed) return weft_fail(c, WEFT_MEMORY, "%s: out of memory", path);
    weft_err e = WEFT_OK;
    for (size_t i = 1; e == WEFT_OK && i <= part.n; i++) { /* from 1: "/" is there */
        if (i < part.n && part.s[i] != '/') continue;
        part.s[i] = 0;
        e = path_make_one(c, part.s);
        if (i < part.n) part.s[i] = '/';
    }
    text_free(&part);
    return e;
}

void path_previous(text *t, const char *path) {
    const size_t n = strlen(path), m = sizeof CHECKPOINT_ENDING - 1;
    const bool ends = n > m && strcmp(path + n - m, CHECKPOINT_ENDING) == 0;
    text_raw(t, path, ends ? n - m : n);
    text_put(t, ends ? ".previous" CHECKPOINT_ENDING : ".previous");
}

bool path_has_checkpoint(const char *path) {
    char place[4096];
    text before = {.s = place, .cap = sizeof place};
    if (path_exists(path)) return true;
    path_previous(&before, path);
    return !before.failed && path_exists(place);
}

weft_err path_checkpoint_expected(weft_ctx *c, const char *run, const char *path) {
    if (path_has_checkpoint(path)) return WEFT_OK;
    return weft_fail(c, WEFT_FILE,
                     "%s: no checkpoint to resume from: nothing was trained here, or the run was "
                     "stopped before its first checkpoint",
                     run);
}
