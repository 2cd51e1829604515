/* history.c - figures of one machine over time, a line of JSON each, and what is odd about the
 * last.
 *
 * The file is only ever added to. Malformed lines are counted and stay: they may
 * be repaired by hand. */
#include "bench/record.h"

#include "base/path.h"

#include <weft/stream.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct weft_history {
    weft_ctx *c;
    char path[PATH_MOST];
    weft_bench_record *record;
    size_t n, room, spoiled;
    bool torn; /* the last line of the file has no end */
};

static weft_err history_keep(weft_history *h, const weft_bench_record *r) {
    if (h->n == h->room) {
        const size_t room = 2 * h->room + 64;
        weft_bench_record *more = weft_resize(h->c, h->record, room * sizeof *more);
        if (!more) return weft_fail(h->c, WEFT_MEMORY, "%s: out of memory", h->path);
        h->record = more;
        h->room = room;
    }
    h->record[h->n++] = *r;
    return WEFT_OK;
}

static bool history_blank(const char *text, size_t n) {
    size_t i = 0;
    while (i < n && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r')) i++;
    return i == n;
}

static weft_err history_line(weft_history *h, const char *text, size_t n) {
    weft_bench_record r;
    if (history_blank(text, n)) return WEFT_OK;
    const weft_json j = weft_json_parse(h->c, text, n, h->path);
    if (weft_json_kind_of(j) == WEFT_JSON_NONE && weft_error_code(h->c) == WEFT_MEMORY)
        return WEFT_MEMORY;
    if (weft_json_kind_of(j) == WEFT_JSON_OBJECT && !record_read(j, &r)) return history_keep(h, &r);
    h->spoiled++;
    return WEFT_OK;
}

static weft_err history_read(weft_history *h) {
    struct stat s;
    weft_file f;
    if (stat(h->path, &s) != 0 && errno == ENOENT) return WEFT_OK;
    weft_err e = weft_file_open(h->c, h->path, &f);
    const char *at = f.bytes, *const end = e == WEFT_OK && f.n ? at + f.n : at;
    while (e == WEFT_OK && at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        h->torn = !stop;
        e = history_line(h, at, (size_t)((stop ? stop : end) - at));
        at = stop ? stop + 1 : end;
    }
    weft_file_close(&f);
    return e;
}

weft_history *weft_history_open(weft_ctx *c, const char *folder, const weft_machine *m) {
    if (!folder || !m) {
        weft_fail(c, WEFT_ARGUMENT, "weft_history_open: a folder and a machine were expected");
        return NULL;
    }
    weft_history *h = weft_resize(c, NULL, sizeof *h);
    if (!h) {
        weft_fail(c, WEFT_MEMORY, "weft_history_open: out of memory");
        return NULL;
    }
    *h = (weft_history){.c = c};
    weft_err e = WEFT_OK;
    if ((size_t)snprintf(h->path, sizeof h->path, "%s/%s.jsonl", folder, m->key) >= sizeof h->path)
        e = weft_fail(c, WEFT_ARGUMENT,
                      "weft_history_open: the folder's path has %zu bytes, at most %d are possible",
                      strlen(folder), PATH_FOLDER - 1);
    if (e == WEFT_OK) e = history_read(h);
    if (e == WEFT_OK) return h;
    weft_history_free(h);
    return NULL;
}

void weft_history_free(weft_history *h) {
    if (!h) return;
    weft_resize(h->c, h->record, 0);
    weft_resize(h->c, h, 0);
}

const char *weft_history_path(const weft_history *h) {
    return h ? h->path : "";
}

size_t weft_history_count(const weft_history *h) {
    return h ? h->n : 0;
}

bool weft_history_at(const weft_history *h, size_t i, weft_bench_record *out) {
    if (i >= weft_history_count(h)) return false;
    *out = h->record[i];
    return true;
}

size_t weft_history_malformed(const weft_history *h) {
    return h ? h->spoiled : 0;
}

weft_err weft_history_add(weft_history *h, const weft_bench_record *r) {
    if (!h || !r) return weft_fail(NULL, WEFT_ARGUMENT, "weft_history_add: NULL was given");
    const char *fault = record_fault(r);
    if (fault)
        return weft_fail(h->c, WEFT_ARGUMENT,
                         "weft_history_add: %s of a record is missing or out of bounds", fault);
    char line[RECORD_BYTES + 2];
    const size_t begin = h->torn;
    line[0] = '\n';
    size_t n = begin + record_text(line + begin, r);
    line[n++] = '\n';
    const weft_err e = history_keep(h, r);
    if (e != WEFT_OK) return e;
    FILE *f = fopen(h->path, "ab");
    const bool written = f && fwrite(line, 1, n, f) == n;
    if (!f || fclose(f) != 0 || !written) {
        h->n--;
        h->torn = true; /* a part of the line may be there */
        return weft_fail(h->c, WEFT_FILE, "%s: cannot be written: %s", h->path, strerror(errno));
    }
    h->torn = false;
    return WEFT_OK;
}

/* ---- what is odd ---- */

/* A level is known after a few records; a fiftieth more or less is never odd. */
static const weft_detector_desc history_outlier = {
    .kind = WEFT_DETECT_ROBUST, .warm = 8, .least = 0.02};
static const weft_detector_desc history_change = {
    .kind = WEFT_DETECT_PAGE_HINKLEY, .warm = 8, .least = 0.02};

static weft_err history_judge(const weft_history *h, const double *value, weft_history_view *out) {
    weft_detector *odd = weft_detector_new(h->c, &history_outlier);
    weft_detector *level = odd ? weft_detector_new(h->c, &history_change) : NULL;
    weft_err e = level ? WEFT_OK : weft_error_code(h->c);
    for (size_t i = 0; e == WEFT_OK && i < out->records; i++) {
        weft_point last, change;
        e = weft_detector_feed(odd, &value[i], 1, &last);
        if (e == WEFT_OK) e = weft_detector_feed(level, &value[i], 1, &change);
        if (e != WEFT_OK) break;
        out->score = last.score;
        out->outlier = last.label == WEFT_LABEL_OUTLIER;
        if (change.label == WEFT_LABEL_CHANGE) out->changed = out->records - (size_t)change.since;
    }
    weft_detector_free(odd);
    weft_detector_free(level);
    return e;
}

weft_err weft_history_look(const weft_history *h, const char *name, int threads,
                           weft_history_view *out) {
    if (!h || !name || !out)
        return weft_fail(NULL, WEFT_ARGUMENT, "weft_history_look: NULL was given");
    *out = (weft_history_view){.typical = NAN};
    double *value = weft_resize(h->c, NULL, (h->n + 1) * sizeof *value);
    if (!value) return weft_fail(h->c, WEFT_MEMORY, "%s: out of memory", h->path);
    for (size_t i = 0; i < h->n; i++)
        if (record_is(&h->record[i], name, threads) && h->record[i].relative > 0)
            value[out->records++] = log(h->record[i].relative);
    const weft_err e = history_judge(h, value, out);
    if (out->records > 1) out->typical = exp(weft_bench_median(value, out->records - 1));
    weft_resize(h->c, value, 0);
    return e;
}
