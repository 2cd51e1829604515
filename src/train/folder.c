/* folder.c - the folder of a run and files that grow in it, by POSIX calls. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "folder.h"
#include "base/path.h"
#include "train_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static weft_err folder_failed(weft_ctx *c, const char *did, const char *path) {
    return weft_fail(c, WEFT_FILE, "%s: cannot %s: %s", path, did, strerror(errno));
}

/* ---- folders and names ---- */

static size_t folder_length(const char *run) { /* without slashes at the end */
    size_t n = strlen(run);
    while (n > 1 && run[n - 1] == '/') n--;
    return n;
}

weft_err folder_path(weft_ctx *c, char *out, const char *run, const char *name) {
    const size_t n = folder_length(run), slash = n && run[n - 1] != '/', more = strlen(name);
    if (n + slash + more >= FOLDER_PATH)
        return weft_fail(c, WEFT_ARGUMENT,
                         "the path of the run has %zu bytes, at most %d were expected", n,
                         FOLDER_PATH - 1 - (int)(slash + more));
    memcpy(out, run, n);
    if (slash) out[n] = '/';
    memcpy(out + n + slash, name, more + 1);
    return WEFT_OK;
}

bool folder_name(const char *run, char *name, size_t bytes) {
    const size_t n = folder_length(run);
    size_t from = n;
    while (from && run[from - 1] != '/') from--;
    if (n - from >= bytes) return false;
    memcpy(name, run + from, n - from);
    name[n - from] = 0;
    return true;
}

weft_err folder_make(weft_ctx *c, const char *run) {
    char path[FOLDER_PATH] = "";
    WEFT_TRY(folder_path(c, path, run, ""));
    return path_make_folder(c, path);
}

weft_err folder_remove(weft_ctx *c, const char *run, const char *name) {
    char path[FOLDER_PATH] = "";
    WEFT_TRY(folder_path(c, path, run, name));
    char *const slash = strrchr(path, '/'); /* of a folder below the run, which may be a link */
    int folder = AT_FDCWD;
    if (slash && strchr(name, '/')) {
        *slash = 0;
        folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder < 0 && errno == ENOENT) return WEFT_OK;
        if (folder < 0 && errno != ELOOP && errno != ENOTDIR)
            return folder_failed(c, "open the folder", path);
        if (folder < 0)
            return weft_fail(c, WEFT_FILE,
                             "%s: is a link or not a folder; links are not followed in a run",
                             path);
    }
    const int gone = unlinkat(folder, folder >= 0 ? slash + 1 : path, 0), why = errno;
    if (folder >= 0) close(folder);
    if (gone == 0 || why == ENOENT || why == ENOTDIR) return WEFT_OK;
    errno = why;
    return folder_failed(c, "remove", path);
}

weft_err folder_remove_all(weft_ctx *c, const char *run, const char *prefix) {
    DIR *d = opendir(run);
    if (!d) return folder_failed(c, "read the folder", run);
    weft_err e = WEFT_OK;
    for (struct dirent *entry; e == WEFT_OK && (entry = readdir(d));)
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            e = folder_remove(c, run, entry->d_name);
    closedir(d);
    return e;
}

/* ---- files that grow ---- */

weft_err folder_open(weft_ctx *c, folder_file *f, enum folder_how how) {
    f->file = open(f->path,
                   O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW |
                       (how == FOLDER_NEW ? O_EXCL : 0),
                   0666);
    if (f->file < 0 && errno == ELOOP)
        return weft_fail(c, WEFT_FILE, "%s: is a link; links are not followed in a run", f->path);
    return f->file < 0 ? folder_failed(c, "create the file", f->path) : WEFT_OK;
}

weft_err folder_write(weft_ctx *c, folder_file *f, const void *bytes, size_t n) {
    const char *at = bytes;
    const off_t before = lseek(f->file, 0, SEEK_END);
    while (n) {
        const ssize_t wrote = write(f->file, at, n);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) {
            const weft_err e = folder_failed(c, "write", f->path);
            /* Half a line must not become the beginning of the next one. */
            const int cut = before >= 0 ? ftruncate(f->file, before) : 0;
            (void)cut; /* the first failure is the one to tell */
            return e;
        }
        at += wrote;
        n -= (size_t)wrote;
    }
    return WEFT_OK;
}

weft_err folder_sync(weft_ctx *c, folder_file *f) {
    /* EINVAL: this kind of file has no disk under it. */
    if (f->file < 0 || fsync(f->file) == 0 || errno == EINVAL) return WEFT_OK;
    return folder_failed(c, "write", f->path);
}

weft_err folder_close(weft_ctx *c, folder_file *f) {
    const int file = f->file;
    f->file = -1;
    if (file < 0 || close(file) == 0) return WEFT_OK;
    return folder_failed(c, "write", f->path);
}
