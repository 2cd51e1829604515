/* slip.c - see slip.h. The file is read, not mapped: it may be truncated meanwhile. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "slip.h"
#include "base/text.h"
#include "folder.h"
#include "train_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SLIP_MOST = 1 << 22 }; /* bytes of the file */

static weft_err slip_read(slip *s, int file, const char *path, size_t bytes) {
    size_t n = 0;
    s->text = weft_resize(s->c, NULL, bytes + 1);
    if (!s->text) return weft_fail(s->c, WEFT_MEMORY, "%s: out of memory", path);
    while (n < bytes) {
        const ssize_t got = read(file, s->text + n, bytes - n);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return weft_fail(s->c, WEFT_FILE, "%s: cannot read: %s", path, strerror(errno));
        if (got == 0) break;
        n += (size_t)got;
    }
    s->all = weft_json_parse(s->c, s->text, n, path);
    if (weft_json_kind_of(s->all) == WEFT_JSON_NONE) return weft_error_code(s->c);
    if (weft_json_kind_of(s->all) != WEFT_JSON_OBJECT)
        return weft_fail(s->c, WEFT_FORMAT, "%s: expected an object", path);
    const double schema = weft_json_number(weft_json_get(s->all, "schema"), 1);
    if (schema == 1) return WEFT_OK;
    return weft_fail(s->c, WEFT_UNSUPPORTED, "%s: schema %g, 1 was expected", path, schema);
}

weft_err slip_open(slip *s, weft_ctx *c, const char *run, const char *name) {
    char path[FOLDER_PATH] = "";
    struct stat info;
    *s = (slip){.c = c};
    WEFT_TRY(folder_path(c, path, run, name));
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, &info) != 0) {
        const int why = errno;
        if (file >= 0) close(file);
        return weft_fail(c, WEFT_FILE, "%s: cannot read: %s", path, strerror(why));
    }
    weft_err e;
    if (!S_ISREG(info.st_mode)) e = weft_fail(c, WEFT_FILE, "%s: is not a file", path);
    else if (info.st_size > SLIP_MOST)
        e = weft_fail(c, WEFT_FORMAT, "%s: %lld bytes, at most %d were expected", path,
                      (long long)info.st_size, SLIP_MOST);
    else e = slip_read(s, file, path, (size_t)info.st_size);
    close(file);
    if (e != WEFT_OK) slip_close(s);
    return e;
}

void slip_close(slip *s) {
    weft_resize(s->c, s->text, 0);
    s->text = NULL;
    s->all = (weft_json){0};
}

/* ---- fields ---- */

void slip_text(weft_json object, const char *key, char *out, size_t bytes) {
    weft_json_text(weft_json_get(object, key), out, bytes);
}

double slip_number(weft_json object, const char *key) {
    return weft_json_number(weft_json_get(object, key), NAN);
}

int64_t slip_count(weft_json object, const char *key) {
    const double v = slip_number(object, key);
    const int64_t whole = weft_json_integer(weft_json_get(object, key), -1);
    if (whole >= 0) return whole;
    return v > 0 && v < 0x1p53 ? (int64_t)v : 0;
}
