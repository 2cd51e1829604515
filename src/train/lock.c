/* lock.c - one training process per run folder.
 *
 * The lock is the system's, on the file "lock" of the folder, so it ends with its process, however
 * that ends; what the file says is for people. The holder removes the file while it still
 * has the lock, and a process that has locked a file checks that it is still the one of that name. A
 * folder that was made for the lock and holds nothing else goes with it. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "base/utf8.h"
#include "folder.h"
#include "train_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_NAME "lock"
enum { LOCK_TRIES = 100 };

struct weft_run_lock {
    weft_ctx *c;
    int file;
    size_t there; /* bytes of the path that were a folder before */
    char run[FOLDER_PATH], path[FOLDER_PATH];
};

/* How much of the run's path is there already. */
static size_t lock_there(const char *run) {
    char path[FOLDER_PATH];
    struct stat st;
    size_t n = strlen(run);
    memcpy(path, run, n + 1);
    while (n && stat(path, &st) != 0) {
        while (n && path[n - 1] != '/') n--;
        while (n && path[n - 1] == '/') n--;
        path[n] = 0;
    }
    return n;
}

static void lock_unmake(const weft_run_lock *l) {
    char path[FOLDER_PATH];
    size_t n = strlen(l->run);
    memcpy(path, l->run, n + 1);
    while (n > l->there && rmdir(path) == 0) {
        while (n && path[n - 1] != '/') n--;
        while (n && path[n - 1] == '/') n--;
        path[n] = 0;
    }
}

/* Who holds it, as far as the file says. */
static weft_err lock_held(const weft_run_lock *l) {
    char who[200] = "", name[400];
    const ssize_t n = pread(l->file, who, sizeof who - 1, 0);
    who[n > 0 ? n : 0] = 0;
    who[strcspn(who, "\n")] = 0;
    escape_text(name, sizeof name, who);
    return weft_fail(l->c, WEFT_STATE, "%s: another training run is using it%s%s", l->run,
                     *name ? ": " : "", name);
}

static void lock_sign(const weft_run_lock *l) {
    char host[100] = "", who[200];
    if (gethostname(host, sizeof host - 1) != 0) *host = 0;
    const int n = snprintf(who, sizeof who, "process %ld on %s\n", (long)getpid(), host);
    const bool good = ftruncate(l->file, 0) == 0 && pwrite(l->file, who, (size_t)n, 0) == n;
    (void)good; /* for people only */
}

/* *again: the folder or the file went away meanwhile. */
static weft_err lock_try(weft_run_lock *l, bool *again) {
    struct stat held, named;
    const weft_err made = folder_make(l->c, l->run);
    *again = made == WEFT_FILE; /* another's folder may have gone in between */
    if (made != WEFT_OK) return made;
    l->file = open(l->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (l->file < 0) {
        *again = errno == ENOENT;
        return weft_fail(l->c, WEFT_FILE, "%s: cannot be created: %s", l->path,
                         errno == ELOOP ? "it is a link; links are not followed in a run"
                                        : strerror(errno));
    }
    const bool taken = flock(l->file, LOCK_EX | LOCK_NB) == 0;
    if (!taken && errno == EWOULDBLOCK) return lock_held(l);
    /* where the system has no locks there is none to be had */
    *again = taken && (fstat(l->file, &held) != 0 || lstat(l->path, &named) != 0 ||
                       held.st_ino != named.st_ino || held.st_dev != named.st_dev);
    if (!*again) lock_sign(l);
    return WEFT_OK;
}

weft_run_lock *weft_run_lock_take(weft_ctx *c, const char *run) {
    if (!c || !run || !*run) {
        weft_fail(c, WEFT_ARGUMENT, "weft_run_lock_take: a context and a folder were expected");
        return NULL;
    }
    weft_run_lock *l = weft_resize(c, NULL, sizeof *l);
    if (!l) {
        weft_fail(c, WEFT_MEMORY, "weft_run_lock_take: out of memory");
        return NULL;
    }
    memset(l, 0, sizeof *l);
    l->c = c, l->file = -1;
    weft_err e = folder_path(c, l->path, run, LOCK_NAME);
    if (e == WEFT_OK) {
        memcpy(l->run, run, strlen(run) + 1);
        for (size_t n = strlen(l->run); n > 1 && l->run[n - 1] == '/';) l->run[--n] = 0;
        l->there = lock_there(l->run);
    }
    bool again = e == WEFT_OK;
    for (int i = 0; again && i < LOCK_TRIES; i++) {
        if (l->file >= 0) close(l->file);
        e = lock_try(l, &again);
    }
    if (again && e == WEFT_OK) e = weft_fail(c, WEFT_FILE, "%s: cannot be locked", l->path);
    if (e == WEFT_OK) return l;
    if (l->file >= 0) close(l->file);
    if (*l->run) lock_unmake(l);
    weft_resize(c, l, 0);
    return NULL;
}

void weft_run_lock_drop(weft_run_lock *l) {
    if (!l) return;
    unlink(l->path);
    lock_unmake(l);
    close(l->file);
    weft_resize(l->c, l, 0);
}

#undef LOCK_NAME
