/* follow.c - metrics.jsonl while another process writes it.
 *
 * Only what is new is read, and a line only when its end is there. The file may come later, be cut,
 * or be another one of the same name after a resume: then the rows start over. It is read, not
 * mapped, since a mapped file that is cut under its reader ends the program. What a line means is
 * lines.c's. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "base/series.h"
#include "folder.h"
#include "lines.h"
#include "train_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FOLLOW_PIECE = 1 << 16,   /* bytes that are read at once */
    FOLLOW_LONGEST = 1 << 20, /* of a line; a longer one is skipped */
    FOLLOW_HEAD = 64          /* bytes by which the beginning of the file is known again */
};

struct weft_follow {
    weft_ctx *c;
    char path[FOLDER_PATH];
    int file;        /* below 0: none is open. While it is, no other file can get its number */
    struct stat was; /* of that file */
    off_t at;        /* what lies before has been read */
    char head[FOLLOW_HEAD];
    size_t head_bytes;
    char *buffer; /* [capacity]; lines not yet handed out are in [begin, end) */
    size_t begin, end, capacity;
    bool passing;   /* over the rest of a line that is too long */
    bool restarted; /* not yet told */
    int64_t skipped;
    char name[WEFT_METRICS][SERIES_NAME]; /* of the row last handed out */
};

weft_follow *weft_follow_open(weft_ctx *c, const char *run) {
    if (!c || !run || !*run) {
        weft_fail(c, WEFT_ARGUMENT, "weft_follow_open: a context and a folder were expected");
        return NULL;
    }
    weft_follow *f = weft_resize(c, NULL, sizeof *f);
    if (!f) {
        weft_fail(c, WEFT_MEMORY, "weft_follow_open: out of memory");
        return NULL;
    }
    memset(f, 0, sizeof *f);
    f->c = c;
    f->file = -1;
    if (folder_path(c, f->path, run, LINES_NAME) == WEFT_OK) return f;
    weft_follow_close(f);
    return NULL;
}

void weft_follow_close(weft_follow *f) {
    if (!f) return;
    if (f->file >= 0) close(f->file);
    weft_resize(f->c, f->buffer, 0);
    weft_resize(f->c, f, 0);
}

/* ---- the file ---- */

static weft_err follow_failed(weft_follow *f) {
    return weft_fail(f->c, WEFT_FILE, "%s: cannot read: %s", f->path, strerror(errno));
}

static void follow_forget(weft_follow *f) {
    if (f->file >= 0) close(f->file);
    f->file = -1;
    f->restarted = true;
    f->at = 0;
    f->head_bytes = f->begin = f->end = 0;
    f->passing = false;
    f->skipped = 0;
}

/* Whether the file begins as it did, and how it begins now. */
static bool follow_same_head(weft_follow *f) {
    char now[FOLLOW_HEAD];
    const ssize_t got = pread(f->file, now, sizeof now, 0);
    if (got < (ssize_t)f->head_bytes || memcmp(now, f->head, f->head_bytes) != 0) return false;
    memcpy(f->head, now, (size_t)got);
    f->head_bytes = (size_t)got;
    return true;
}

static weft_err follow_reopen(weft_follow *f) {
    f->file = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for a writer */
    if (f->file < 0 && (errno == ENOENT || errno == ENOTDIR)) return WEFT_OK;
    if (f->file < 0 || fstat(f->file, &f->was) != 0) return follow_failed(f);
    if (S_ISREG(f->was.st_mode)) return WEFT_OK;
    close(f->file);
    f->file = -1;
    return weft_fail(f->c, WEFT_FILE, "%s: is not a file", f->path);
}

/* The file that has the name now is open, if there is one; *bytes is its size. */
static weft_err follow_look(weft_follow *f, off_t *bytes) {
    struct stat now = {0};
    const bool there = stat(f->path, &now) == 0;
    if (!there && errno != ENOENT && errno != ENOTDIR) return follow_failed(f);
    if (f->file >= 0 && (!there || now.st_ino != f->was.st_ino || now.st_dev != f->was.st_dev ||
                         now.st_size < f->at || (now.st_size > f->at && !follow_same_head(f))))
        follow_forget(f);
    if (f->file < 0 && there) {
        WEFT_TRY(follow_reopen(f));
        if (f->file >= 0) follow_same_head(f);
    }
    *bytes = f->file >= 0 ? now.st_size : 0;
    return WEFT_OK;
}

/* More bytes behind those that are left; *some: whether any came. */
static weft_err follow_fill(weft_follow *f, bool *some) {
    off_t bytes = 0;
    *some = false;
    WEFT_TRY(follow_look(f, &bytes));
    if (bytes <= f->at) return WEFT_OK;
    if (f->end - f->begin > FOLLOW_LONGEST || f->passing) {
        if (!f->passing) f->skipped++;
        f->passing = true;
        f->begin = f->end = 0;
    }
    if (f->begin) memmove(f->buffer, f->buffer + f->begin, f->end - f->begin);
    f->end -= f->begin;
    f->begin = 0;
    if (f->capacity - f->end < FOLLOW_PIECE) {
        const size_t grown = 2 * f->capacity + FOLLOW_PIECE;
        char *buffer = weft_resize(f->c, f->buffer, grown);
        if (!buffer) return weft_fail(f->c, WEFT_MEMORY, "%s: out of memory", f->path);
        f->buffer = buffer;
        f->capacity = grown;
    }
    const ssize_t got = pread(f->file, f->buffer + f->end, FOLLOW_PIECE, f->at);
    if (got < 0 && errno != EINTR) return follow_failed(f);
    if (got <= 0) return WEFT_OK;
    f->end += (size_t)got;
    f->at += got;
    *some = true;
    return WEFT_OK;
}

/* ---- rows ---- */

/* Names that are too long for the report are too long here. */
static void follow_row(weft_follow *f, const lines_line *line, weft_follow_row *row) {
    row->has_row = true;
    row->step = line->step;
    row->time = line->time;
    row->wall = line->wall;
    for (int i = 0; i < line->n && row->m.n < WEFT_METRICS; i++) {
        char *const name = f->name[row->m.n];
        if (weft_json_text(line->at[i].name, name, SERIES_NAME) >= SERIES_NAME) continue;
        row->m.at[row->m.n].name = name;
        row->m.at[row->m.n++].value = line->at[i].value;
    }
}

/* The next good line among those that are there; false: none. */
static bool follow_take(weft_follow *f, weft_follow_row *row, weft_err *err) {
    for (const char *end;
         (end = f->end > f->begin ? memchr(f->buffer + f->begin, '\n', f->end - f->begin)
                                  : NULL);) {
        lines_line line = {.text = f->buffer + f->begin};
        line.bytes = (size_t)(end - line.text) + 1;
        const bool rest = f->passing;
        const bool good = !rest && lines_parse(f->c, f->path, &line, err);
        if (*err != WEFT_OK) return false; /* the line is still there for another try */
        f->begin += line.bytes;
        f->passing = false;
        if (good) follow_row(f, &line, row);
        else if (!rest && line.bytes > 1) f->skipped++;
        if (good) return true;
    }
    return false;
}

weft_err weft_follow_next(weft_follow *f, weft_follow_row *row) {
    if (!f || !row)
        return weft_fail(f ? f->c : NULL, WEFT_ARGUMENT,
                         "weft_follow_next: the follower or the row is NULL");
    memset(row, 0, sizeof *row);
    weft_err err = WEFT_OK;
    for (bool some = true; !err && some && !follow_take(f, row, &err);)
        if (!err) err = follow_fill(f, &some);
    row->skipped = f->skipped;
    row->restarted = f->restarted;
    if (!err) f->restarted = false;
    return err;
}
