/* journal.c - writes the files of a run: config.json, metrics.jsonl, events for TensorBoard.
 *
 * Each line of metrics.jsonl is an object: "step", "wall" (seconds since 1970), "time" (seconds
 * since the run began; continued by a resumed run), then the metrics by name, null for what is
 * not finite, and "sample", a text that the network wrote. A line is written at once and whole, so
 * a reader may follow, and a kill truncates at most the last. A write that fails leaves the file as
 * it was. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "events.h"

#include "base/utf8.h"
#include "lines.h"
#include "train_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct weft_journal {
    weft_ctx *c;
    folder_file metrics;
    events events;
    bool has_events;
    double opened, earlier; /* on the clock; seconds of the run before that */
    text line;
};

/* ---- opening ---- */

/* config.json: what the caller says of the run, and the title if that is not among it. */
static weft_err journal_config(weft_journal *j, const weft_journal_desc *d) {
    if (d->resume > 0 && !d->config) return WEFT_OK; /* it is there from before */
    const char *text = d->config ? d->config : "{}";
    const weft_json given = weft_json_parse(j->c, text, strlen(text), "weft_journal_open: config");
    if (weft_json_kind_of(given) == WEFT_JSON_NONE) return weft_error_code(j->c);
    if (weft_json_kind_of(given) != WEFT_JSON_OBJECT)
        return weft_fail(j->c, WEFT_ARGUMENT, "weft_journal_open: config: expected an object");
    text_clear(&j->line);
    if (d->title && !utf8_is(d->title, strlen(d->title)))
        return weft_fail(j->c, WEFT_ARGUMENT, "weft_journal_open: the title is not UTF-8");
    if (d->title && weft_json_kind_of(weft_json_get(given, "title")) == WEFT_JSON_NONE) {
        text_put(&j->line, "{\"title\": ");
        text_quote(&j->line, d->title);
        if (weft_json_count(given)) text_put(&j->line, ", ");
        text = strchr(text, '{') + 1;
    }
    text_put(&j->line, text);
    if (text[0] && text[strlen(text) - 1] != '\n') text_put(&j->line, "\n");
    if (j->line.failed) return weft_fail(j->c, WEFT_MEMORY, "weft_journal_open: out of memory");
    return weft_file_write_beneath(j->c, d->run, "config.json", j->line.s, j->line.n);
}

/* Drops lines of steps after the resumed one, and malformed ones. Usually they are the end
 * of the file; then what stays is its beginning, and need not be gathered. */
static weft_err journal_drop(weft_journal *j, const char *run, lines *in, int64_t resume) {
    const char *stays = in->file.bytes;
    size_t bytes = 0;
    bool gathered = false;
    lines_line line;
    while (lines_next(in, &line)) {
        if (line.step > resume) continue;
        if (!gathered && line.text != stays + bytes) {
            text_raw(&j->line, stays, bytes);
            gathered = true;
        }
        if (gathered) text_raw(&j->line, line.text, line.bytes);
        bytes += line.bytes;
        if (line.time > j->earlier) j->earlier = line.time;
    }
    if (in->err != WEFT_OK) return in->err;
    if (j->line.failed) return weft_fail(j->c, WEFT_MEMORY, "%s: out of memory", in->path);
    if (bytes == in->file.n) return WEFT_OK;
    return weft_file_write_beneath(j->c, run, LINES_NAME, gathered ? j->line.s : stays, bytes);
}

static weft_err journal_metrics(weft_journal *j, const weft_journal_desc *d) {
    WEFT_TRY(folder_path(j->c, j->metrics.path, d->run, LINES_NAME));
    if (d->resume > 0) {
        lines in;
        WEFT_TRY(lines_open(&in, j->c, j->metrics.path));
        text_clear(&j->line);
        const weft_err e = journal_drop(j, d->run, &in, d->resume);
        lines_close(&in);
        if (e != WEFT_OK) return e;
    } else {
        static const char *const old[] = {LINES_NAME, STATUS_NAME, KERNELS_NAME, "report.html"};
        for (size_t i = 0; i < sizeof old / sizeof *old; i++)
            WEFT_TRY(folder_remove(j->c, d->run, old[i]));
        WEFT_TRY(folder_remove_all(j->c, d->run, EVENTS_PREFIX));
    }
    return folder_open(j->c, &j->metrics, FOLDER_APPEND);
}

static weft_err journal_begin(weft_journal *j, const weft_journal_desc *d) {
    WEFT_TRY(folder_make(j->c, d->run));
    WEFT_TRY(journal_config(j, d));
    WEFT_TRY(journal_metrics(j, d));
    j->has_events = !d->no_events;
    if (j->has_events) WEFT_TRY(events_open(&j->events, j->c, d->run, weft_wall(), d->resume));
    j->opened = weft_clock();
    return WEFT_OK;
}

weft_journal *weft_journal_open(weft_ctx *c, const weft_journal_desc *d) {
    if (!c || !d || !d->run || !*d->run || d->resume < 0) {
        weft_fail(c, WEFT_ARGUMENT,
                  "weft_journal_open: a context, a folder and a step of 0 or more were expected");
        return NULL;
    }
    weft_journal *j = weft_resize(c, NULL, sizeof *j);
    if (!j) {
        weft_fail(c, WEFT_MEMORY, "weft_journal_open: out of memory");
        return NULL;
    }
    memset(j, 0, sizeof *j);
    j->c = c;
    j->line.m = mem_of(c);
    j->metrics.file = j->events.to.file = -1;
    if (journal_begin(j, d) == WEFT_OK) return j;
    weft_journal_close(j);
    return NULL;
}

/* ---- writing ---- */

static weft_err journal_check(weft_journal *j, const weft_metrics *m) {
    WEFT_TRY(metrics_check(j->c, "weft_journal_write", m));
    for (size_t i = 0; i < m->n; i++) {
        const char *name = m->at[i].name;
        if (!name || !*name || !utf8_is(name, strlen(name)))
            return weft_fail(j->c, WEFT_ARGUMENT,
                             "weft_journal_write: metric %zu has no name, or one that is not UTF-8",
                             i);
        if (strlen(name) > WEFT_METRIC_NAME)
            return weft_fail(j->c, WEFT_ARGUMENT,
                             "weft_journal_write: the name of metric %zu has %zu bytes, at most %d "
                             "are possible: \"%.40s...\"",
                             i, strlen(name), WEFT_METRIC_NAME, name);
        bool taken = !strcmp(name, "step") || !strcmp(name, "wall") || !strcmp(name, "time") ||
                     !strcmp(name, "sample");
        for (size_t k = 0; k < i; k++) taken = taken || !strcmp(name, m->at[k].name);
        if (taken)
            return weft_fail(j->c, WEFT_ARGUMENT,
                             "weft_journal_write: the line already has a \"%s\"", name);
    }
    if (m->sample && !utf8_is(m->sample, strlen(m->sample)))
        return weft_fail(j->c, WEFT_ARGUMENT, "weft_journal_write: the sample is not UTF-8");
    return WEFT_OK;
}

weft_err weft_journal_write(weft_journal *j, int64_t step, const weft_metrics *m) {
    if (!j || !m)
        return weft_fail(j ? j->c : NULL, WEFT_ARGUMENT,
                         "weft_journal_write: the journal or the metrics are NULL");
    WEFT_TRY(journal_check(j, m));
    if (!m->n && !m->sample) return WEFT_OK;
    const double wall = weft_wall();
    text *d = &j->line;
    *d = (text){.m = d->m, .s = d->s, .cap = d->cap}; /* a failed line is forgotten */
    text_add(d, "{\"step\": %" PRId64 ", \"wall\": ", step);
    text_fixed(d, wall, 6);
    text_put(d, ", \"time\": ");
    text_fixed(d, j->earlier + (weft_clock() - j->opened), 6);
    for (size_t i = 0; i < m->n; i++) {
        text_put(d, ", ");
        text_quote(d, m->at[i].name);
        text_put(d, ": ");
        text_number(d, m->at[i].value);
    }
    if (m->sample) {
        text_put(d, ", \"sample\": ");
        text_quote(d, m->sample);
    }
    text_put(d, "}\n");
    if (d->failed) return weft_fail(j->c, WEFT_MEMORY, "%s: out of memory", j->metrics.path);
    WEFT_TRY(folder_write(j->c, &j->metrics, d->s, d->n));
    return j->has_events ? events_write(&j->events, wall, step, m) : WEFT_OK;
}

weft_err weft_journal_flush(weft_journal *j) {
    if (!j) return weft_fail(NULL, WEFT_ARGUMENT, "weft_journal_flush: the journal is NULL");
    const weft_err e = folder_sync(j->c, &j->metrics);
    if (e != WEFT_OK || !j->has_events) return e;
    return events_sync(&j->events);
}

weft_err weft_journal_close(weft_journal *j) {
    if (!j) return WEFT_OK;
    weft_ctx *c = j->c;
    const weft_err flushed = j->metrics.file >= 0 ? weft_journal_flush(j) : WEFT_OK;
    const weft_err metrics = folder_close(c, &j->metrics);
    const weft_err events = j->has_events ? events_close(&j->events) : WEFT_OK;
    text_free(&j->line);
    weft_resize(c, j, 0);
    return flushed != WEFT_OK ? flushed : metrics != WEFT_OK ? metrics : events;
}
