/* file.c - mapping files, and writing them so that a crash leaves the old one or the new one.
 *
 * A file is written under a temporary name in its folder, flushed to disk (fsync), and
 * renamed; then the folder is flushed. The writer holds a lock on its temporary: a process that
 * finds one without a lock knows that its writer is dead, and removes it while holding the lock
 * itself. A writer whose temporary was removed before it was locked notices that, and makes
 * another. Everything is done by names within the folder, which is opened once. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include "io/file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILE_ENDING ".weft-tmp"
enum { FILE_DIGITS = 8, FILE_TRIES = 100 };

static weft_err file_refused(weft_ctx *c, const char *path, const char *what) {
    return weft_fail(c, errno == ENOMEM ? WEFT_MEMORY : WEFT_FILE, "%s: %s: %s", reader_path(path),
                     what, strerror(errno));
}

static weft_err file_no_memory(weft_ctx *c, const char *path) {
    return weft_fail(c, WEFT_MEMORY, "%s: out of memory", reader_path(path));
}

char *file_copy_text(weft_ctx *c, const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    char *s = weft_resize(c, NULL, n + m + 1);
    if (!s) return NULL;
    memcpy(s, a, n);
    memcpy(s + n, b, m + 1);
    return s;
}

static const char *file_base(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The folder of a path, to be freed. */
static char *file_folder(weft_ctx *c, const char *path) {
    size_t n = (size_t)(file_base(path) - path);
    char *s = file_copy_text(c, n ? path : ".", "");
    if (s && n) s[n] = 0;
    return s;
}

/* ---- reading ---- */

static weft_err file_map(weft_ctx *c, const char *path, int fd, weft_file *out) {
    struct stat st;
    if (fstat(fd, &st) != 0) return file_refused(c, path, "cannot be examined");
    if (!S_ISREG(st.st_mode))
        return weft_fail(c, WEFT_FILE, "%s: not a regular file", reader_path(path));
    size_t n;
    if (st.st_size < 0 || !check_size((uint64_t)st.st_size, &n))
        return weft_fail(c, WEFT_FILE, "%s: too large for this machine", reader_path(path));
    *out = (weft_file){"", 0};
    if (!n) return WEFT_OK;
    void *p = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED) return file_refused(c, path, "cannot be mapped");
    *out = (weft_file){p, n};
    return WEFT_OK;
}

static int file_open_retry(int folder, const char *name, int flags) {
    int fd;
    do fd = openat(folder, name, flags | O_CLOEXEC, 0666);
    while (fd < 0 && errno == EINTR);
    return fd;
}

weft_err weft_file_open(weft_ctx *c, const char *path, weft_file *out) {
    if (!path || !out) return weft_fail(c, WEFT_ARGUMENT, "weft_file_open: NULL was given");
    *out = (weft_file){NULL, 0};
    int fd = file_open_retry(AT_FDCWD, path, O_RDONLY | O_NONBLOCK); /* a pipe must not block us */
    if (fd < 0) return file_refused(c, path, "cannot be opened");
    weft_err e = file_map(c, path, fd, out);
    close(fd);
    return e;
}

void weft_file_close(weft_file *f) {
    if (!f) return;
    if (f->n) munmap((void *)(uintptr_t)f->bytes, f->n);
    *f = (weft_file){NULL, 0};
}

bool file_is_downwards(const char *path) {
    for (;; path = strchr(path, '/') + 1) {
        size_t n = strcspn(path, "/");
        if (!n || n > NAME_MAX_BYTES || (path[0] == '.' && (n == 1 || (n == 2 && path[1] == '.'))))
            return false;
        if (!path[n]) return true;
    }
}

weft_err file_beneath(weft_ctx *c, const char *beside, const char *relative, weft_file *out) {
    char part[NAME_MAX_BYTES + 1];
    if (!file_is_downwards(relative))
        return weft_fail(c, WEFT_ARGUMENT, "%s: not a path downwards", reader_path(relative));
    char *folder = file_folder(c, beside);
    if (!folder) return file_no_memory(c, relative);
    int at = file_open_retry(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY);
    weft_err e = at < 0 ? file_refused(c, folder, "cannot be opened") : WEFT_OK;
    weft_resize(c, folder, 0);
    for (const char *p = relative; e == WEFT_OK; p = strchr(p, '/') + 1) {
        size_t n = strcspn(p, "/");
        bool last = !p[n];
        memcpy(part, p, n);
        part[n] = 0;
        int next =
            file_open_retry(at, part, O_RDONLY | O_NOFOLLOW | (last ? O_NONBLOCK : O_DIRECTORY));
        if (next < 0 && (errno == ELOOP || errno == ENOTDIR))
            e = weft_fail(c, WEFT_FILE, "%s: shard \"%s\": \"%s\" is a link or not a folder",
                          reader_path(beside), reader_path(relative), reader_path(part));
        else if (next < 0) e = file_refused(c, relative, "shard cannot be opened");
        close(at);
        at = next;
        if (last) break;
    }
    if (e == WEFT_OK) e = file_map(c, relative, at, out);
    if (at >= 0) close(at);
    return e;
}

char *file_resolve(weft_ctx *c, const char *path) {
    struct stat st;
    char *real = NULL;
    if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && !(real = realpath(path, NULL))) {
        file_refused(c, path, "cannot be followed");
        return NULL;
    }
    char *copy = file_copy_text(c, real ? real : path, "");
    free(real);
    if (!copy) file_no_memory(c, path);
    return copy;
}

weft_err file_remove(weft_ctx *c, const char *path) {
    return unlink(path) == 0 || errno == ENOENT ? WEFT_OK
                                                : file_refused(c, path, "cannot be removed");
}

/* ---- temporaries ---- */

static bool file_is_leftover(const char *name, const char *base) {
    size_t n = strlen(base);
    if (strncmp(name, base, n) != 0 || name[n] != '.') return false;
    name += n + 1;
    return strspn(name, "0123456789abcdef") == FILE_DIGITS &&
           strcmp(name + FILE_DIGITS, FILE_ENDING) == 0;
}

/* The folder that the last part of a path lies in, opened; below 0: weft_error. The first `inside`
 * bytes of the path are the caller's; after them no link is followed. 0: links are followed. */
static int file_folder_open(weft_ctx *c, const char *path, size_t inside) {
    char part[NAME_MAX_BYTES + 1];
    char *first = inside ? file_copy_text(c, path, "") : file_folder(c, path);
    if (!first) return file_no_memory(c, path), -1;
    if (inside) first[inside] = 0;
    int at = file_open_retry(AT_FDCWD, first, O_RDONLY | O_DIRECTORY);
    if (at < 0) file_refused(c, path, "its folder cannot be opened");
    weft_resize(c, first, 0);
    for (const char *p = path + inside, *end; at >= 0 && inside; p = end) {
        while (*p == '/') p++;
        end = strchr(p, '/');
        if (!end) break;
        const size_t n = (size_t)(end - p);
        int next = -1;
        if (n > NAME_MAX_BYTES) errno = ENAMETOOLONG;
        else {
            memcpy(part, p, n);
            part[n] = 0;
            next = file_open_retry(at, part, O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
        }
        if (next < 0 && (errno == ELOOP || errno == ENOTDIR))
            weft_fail(c, WEFT_FILE,
                      "%s: \"%s\" is a link or not a folder; links are not followed there",
                      reader_path(path), part);
        else if (next < 0) file_refused(c, path, "cannot be opened");
        close(at);
        at = next;
    }
    return at;
}

/* Within a folder. What is removed is what was locked: the name may have come to mean another. */
static void file_clean_in(int folder, const char *base) {
    const int copy = file_open_retry(folder, ".", O_RDONLY | O_DIRECTORY);
    DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
    if (!d) {
        if (copy >= 0) close(copy);
        return;
    }
    for (struct dirent *e; (e = readdir(d));) {
        struct stat held, named;
        if (!file_is_leftover(e->d_name, base)) continue;
        const int fd = file_open_retry(folder, e->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
        if (fd < 0) {
            if (errno == ELOOP)
                unlinkat(folder, e->d_name, 0); /* a link of such a name is no file */
            continue;
        }
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &held) == 0 &&
            fstatat(folder, e->d_name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
            held.st_ino == named.st_ino && held.st_dev == named.st_dev)
            unlinkat(folder, e->d_name, 0);
        close(fd);
    }
    closedir(d);
}

weft_err file_clean(weft_ctx *c, const char *path, size_t inside) {
    const int folder = file_folder_open(c, path, inside);
    if (folder < 0) return inside ? weft_error_code(c) : WEFT_OK;
    file_clean_in(folder, file_base(path));
    close(folder);
    return WEFT_OK;
}

/* A name that no file has had lately; the caller sees to it that none has it now. */
static void file_temporary_name(char *out, size_t n, const char *base, unsigned again) {
    struct timespec t = {0};
    clock_gettime(CLOCK_REALTIME, &t);
    uint32_t mix = (uint32_t)t.tv_nsec * 2654435761u ^ (uint32_t)getpid() * 40503u ^ again << 20;
    snprintf(out, n, "%s.%08x" FILE_ENDING, base, (unsigned)mix);
}

/* ---- writing ---- */

static weft_err file_failed(file_writer *w, const char *what) {
    if (w->err == WEFT_OK) w->err = file_refused(w->c, w->path ? w->path : "", what);
    return w->err;
}

/* A temporary that is locked and has its name. Between the two another process may have taken it
 * for a leftover: then it is gone, or is about to go. */
static bool file_temporary(file_writer *w, size_t room, unsigned again) {
    struct stat st;
    file_temporary_name(w->temporary, room, file_base(w->path), again);
    w->fd = file_open_retry(w->folder, w->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (w->fd < 0) return errno != EEXIST;
    const int locked = flock(w->fd, LOCK_EX);
    if ((locked == 0 || errno == EINVAL || errno == ENOLCK || errno == ENOTSUP) &&
        fstat(w->fd, &st) == 0 && st.st_nlink > 0)
        return true;
    if (fstat(w->fd, &st) == 0 && st.st_nlink > 0) unlinkat(w->folder, w->temporary, 0);
    close(w->fd);
    w->fd = -1;
    return false;
}

weft_err file_begin(file_writer *w, weft_ctx *c, const char *path, size_t inside) {
    *w = (file_writer){.c = c, .fd = -1, .folder = -1};
    struct stat st;
    w->path = inside ? file_copy_text(c, path, "") : file_resolve(c, path);
    if (!w->path) return w->err = inside ? file_no_memory(c, path) : weft_error_code(c);
    size_t room = strlen(file_base(w->path)) + FILE_DIGITS + sizeof FILE_ENDING + 1;
    w->temporary = weft_resize(c, NULL, room);
    if (!w->temporary) return w->err = file_no_memory(c, path);
    w->temporary[0] = 0;
    w->folder = file_folder_open(c, w->path, inside);
    if (w->folder < 0) return w->err = weft_error_code(c);
    bool there = fstatat(w->folder, file_base(w->path), &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (there && !S_ISREG(st.st_mode))
        return w->err = weft_fail(c, WEFT_FILE, "%s: %s", reader_path(path),
                                  S_ISLNK(st.st_mode) ? "is a link; links are not followed there"
                                                      : "not a regular file");
    file_clean_in(w->folder, file_base(w->path));
    for (unsigned i = 0; i < FILE_TRIES; i++)
        if (file_temporary(w, room, i)) break;
    if (w->fd < 0) {
        w->temporary[0] = 0;
        return file_failed(w, "cannot be made");
    }
    if (there && fchmod(w->fd, st.st_mode & 0777) != 0)
        return file_failed(w, "cannot be given the mode of the old file");
    return WEFT_OK;
}

weft_err file_add(file_writer *w, const void *bytes, size_t n) {
    const char *p = bytes;
    while (n && w->err == WEFT_OK) {
        ssize_t k = write(w->fd, p, n < 1 << 30 ? n : 1 << 30);
        if (k < 0 && errno == EINTR) continue;
        if (k == 0) errno = EIO;
        if (k <= 0) return file_failed(w, "cannot be written");
        p += k, n -= (size_t)k, w->at += (uint64_t)k;
    }
    return w->err;
}

static bool file_sync(int fd) {
    int r;
    do r = fsync(fd);
    while (r != 0 && errno == EINTR);
    return r == 0 || errno == EINVAL || errno == ENOSYS || errno == ENOTSUP; /* cannot be asked */
}

weft_err file_finish(file_writer *w) {
    if (w->err != WEFT_OK) return w->err;
    return file_sync(w->fd) ? WEFT_OK : file_failed(w, "cannot be forced to the disk");
}

/* The present file gets a second name, in one step: a fresh link, renamed over the old one. Where
 * the system has no hard links it is moved, and for a moment only `previous` is there. A fresh link
 * looks like a leftover too, so another process may take it away; then there is another. */
static weft_err file_keep(file_writer *w, const char *previous) {
    const char *const base = file_base(w->path), *const kept = file_base(previous);
    size_t room = strlen(base) + FILE_DIGITS + sizeof FILE_ENDING + 1;
    char *name = weft_resize(w->c, NULL, room);
    if (!name) return w->err = file_no_memory(w->c, w->path);
    int r = -1;
    for (unsigned i = 0; i < FILE_TRIES && r != 0; i++) {
        file_temporary_name(name, room, base, i);
        r = linkat(w->folder, base, w->folder, name, 0);
        if (r != 0 && errno != EEXIST) break;
        if (r != 0) continue;
        r = renameat(w->folder, name, w->folder, kept);
        int why = errno;
        unlinkat(w->folder, name, 0); /* still there when both were names of one file already */
        errno = why;
        if (r != 0 && errno != ENOENT) break;
    }
    if (r != 0 && (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK))
        r = renameat(w->folder, base, w->folder, kept);
    if (r != 0 && errno == ENOENT) r = 0; /* nothing to keep */
    weft_resize(w->c, name, 0);
    return r == 0 ? WEFT_OK : file_failed(w, "the previous file cannot be kept");
}

weft_err file_place(file_writer *w, const char *previous) {
    if (w->err != WEFT_OK) return w->err;
    if (previous) WEFT_TRY(file_keep(w, previous));
    if (renameat(w->folder, w->temporary, w->folder, file_base(w->path)) == 0) {
        w->placed = true;
        if (!file_sync(w->folder)) file_failed(w, "its folder cannot be forced to the disk");
    } else {
        file_failed(w, "cannot be renamed");
    }
    return w->err;
}

void file_abandon(file_writer *w) {
    if (w->temporary && w->temporary[0] && !w->placed) unlinkat(w->folder, w->temporary, 0);
    if (w->fd >= 0) close(w->fd);
    if (w->folder >= 0 && !w->shares) close(w->folder);
    weft_resize(w->c, w->path, 0);
    weft_resize(w->c, w->temporary, 0);
    *w = (file_writer){.c = w->c, .fd = -1, .folder = -1};
}

void file_share(file_writer *w, const file_writer *other) {
    if (w->folder >= 0 && !w->shares) close(w->folder);
    w->folder = other->folder;
    w->shares = true;
}

static weft_err file_whole(weft_ctx *c, const char *path, size_t inside, const void *bytes,
                           size_t n) {
    file_writer w;
    weft_err e = file_begin(&w, c, path, inside);
    if (e == WEFT_OK) e = file_add(&w, bytes, n);
    if (e == WEFT_OK) e = file_finish(&w);
    if (e == WEFT_OK) e = file_place(&w, NULL);
    file_abandon(&w);
    return e;
}

weft_err weft_file_write(weft_ctx *c, const char *path, const void *bytes, size_t n) {
    if (!c || !path || (!bytes && n))
        return weft_fail(c, WEFT_ARGUMENT, "weft_file_write: NULL was given");
    return file_whole(c, path, 0, bytes, n);
}

weft_err weft_file_write_beneath(weft_ctx *c, const char *folder, const char *relative,
                                 const void *bytes, size_t n) {
    if (!c || !folder || !relative || (!bytes && n))
        return weft_fail(c, WEFT_ARGUMENT, "weft_file_write_beneath: NULL was given");
    if (!*folder || !file_is_downwards(relative))
        return weft_fail(c, WEFT_ARGUMENT, "%s: not a path downwards", reader_path(relative));
    char *whole = file_copy_text(c, folder, "/"), *path = NULL;
    if (whole) path = file_copy_text(c, whole, relative);
    const weft_err e =
        path ? file_whole(c, path, strlen(whole), bytes, n) : file_no_memory(c, relative);
    weft_resize(c, path, 0);
    weft_resize(c, whole, 0);
    return e;
}
