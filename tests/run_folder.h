/* run_folder.h - a folder for a run that is gone afterwards, and looking into it. */
#ifndef WEFT_TEST_RUN_FOLDER_H
#define WEFT_TEST_RUN_FOLDER_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* mkdtemp; pseudo terminals for those who want them */
#endif

#include "test.h"
#include "weft/train.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct run_folder {
    char path[128];
} run_folder;

static inline run_folder run_make(void) {
    run_folder f;
    const char *where = getenv("TMPDIR");
    snprintf(f.path, sizeof f.path, "%.80s/weft-run-XXXXXX", where && *where ? where : "/tmp");
    CHECK(mkdtemp(f.path));
    return f;
}

/* The path of a file in it, good until the call after the next. */
static inline const char *run_path(const run_folder *f, const char *name) {
    static char path[2][512];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", f->path, name);
    return path[turn];
}

static inline void run_remove(const char *path) { /* with all that is in it */
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        char inner[1024];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        const int n = snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        if (n < (int)sizeof inner && unlink(inner) != 0) run_remove(inner);
    }
    if (d) closedir(d);
    rmdir(path);
}

/* The whole file with a 0 behind it, to be freed; NULL if there is none. */
static inline char *run_read(const char *path, size_t *bytes) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    size_t n = 0, room = 1 << 16;
    char *s = malloc(room);
    for (size_t got; s && (got = fread(s + n, 1, room - n - 1, f)) > 0;) {
        n += got;
        if (n + 1 == room) s = realloc(s, room *= 2);
    }
    fclose(f);
    if (s) s[n] = 0;
    if (bytes) *bytes = n;
    return s;
}

static inline void run_write(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    if (!CHECK(f)) return;
    CHECK_EQ(fwrite(text, 1, strlen(text), f), strlen(text));
    CHECK_EQ(fclose(f), 0);
}

/* How many files begin so; the name of the n-th in order of names into `name` (256), n from 0. */
static inline int run_files(const char *folder, const char *prefix, int n, char *name) {
    struct dirent **list;
    const int all = scandir(folder, &list, NULL, alphasort);
    int found = 0;
    for (int i = 0; i < all; i++) {
        if (strncmp(list[i]->d_name, prefix, strlen(prefix)) == 0) {
            if (found == n && name) snprintf(name, 256, "%s", list[i]->d_name);
            found++;
        }
        free(list[i]);
    }
    if (all >= 0) free(list);
    return found;
}

#endif
