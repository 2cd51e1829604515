/* path.c - asks the system whether a file is there. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "base/path.h"
#include <string.h>
#include <sys/stat.h>

bool path_exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
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
