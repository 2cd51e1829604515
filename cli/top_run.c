/* top_run.c - reads what is new in the folder of a run, which another process writes. Nothing is
 * read twice: rows are followed, and small files are opened when they have changed. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "top.h"

#include <weft/io.h>

#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* ---- rows ---- */

static void top_run_forget(top_run *t) {
    t->rows = t->skipped = t->step = t->outliers = 0;
    t->time = t->wall = NAN;
    t->longest = t->trained = t->speed_step = t->outlier_at = 0;
    t->moments = t->metrics = 0;
    t->crowded = false;
}

weft_err top_run_open(top_run *t, weft_ctx *c, const char *folder) {
    memset(t, 0, sizeof *t);
    t->ctx = c;
    t->folder = folder;
    top_run_forget(t);
    t->follow = weft_follow_open(c, folder);
    return t->follow ? WEFT_OK : weft_error_code(c);
}

void top_run_close(top_run *t) {
    weft_follow_close(t->follow);
    t->follow = NULL;
}

static top_metric *top_run_metric(top_run *t, const char *name) {
    for (int i = 0; i < t->metrics; i++)
        if (strcmp(t->metric[i].name, name) == 0) return &t->metric[i];
    if (t->metrics == TOP_METRICS || strlen(name) >= TOP_NAME) {
        t->crowded = true;
        return NULL;
    }
    top_metric *const m = &t->metric[t->metrics++];
    memset(m, 0, sizeof *m);
    strcpy(m->name, name);
    series_begin(&m->curve, name);
    return m;
}

/* Seconds of training are steps over speed: rows have the time of the clock, evaluation included. */
static void top_run_speed(top_run *t, const weft_follow_row *r, double speed) {
    const double steps = (double)r->step - t->speed_step;
    if (steps <= 0) return;
    if (speed > 0) t->trained += steps / speed;
    t->speed_step = (double)r->step;
    t->moment[t->moments++ % TOP_WINDOW] =
        (top_moment){(double)r->step, r->time, speed > 0 ? t->trained : NAN};
}

static void top_run_row(top_run *t, const weft_follow_row *r) {
    const bool loss = !isnan(weft_metric_of(&r->m, "train/loss"));
    const double speed = weft_metric_of(&r->m, "speed/steps_per_s");
    for (size_t i = 0; i < r->m.n; i++) {
        if (strncmp(r->m.at[i].name, "outlier/", 8) == 0) {
            t->mark[t->outliers++ % TOP_MARKS] = t->outlier_at = (double)r->step;
            continue;
        }
        top_metric *const m = top_run_metric(t, r->m.at[i].name);
        if (!m) continue;
        m->last = r->m.at[i].value;
        series_add(&m->curve, (double)r->step, m->last);
    }
    if (loss || !isnan(speed)) top_run_speed(t, r, speed);
    if (t->rows && r->time - t->time > t->longest) t->longest = r->time - t->time;
    t->rows++;
    t->step = r->step;
    if (!isnan(r->time)) t->time = r->time;
    if (!isnan(r->wall)) t->wall = r->wall;
}

static weft_err top_run_rows(top_run *t) {
    weft_follow_row r;
    do {
        const weft_err e = weft_follow_next(t->follow, &r);
        if (e) return e;
        if (r.restarted) top_run_forget(t);
        t->skipped = r.skipped;
        if (r.has_row) top_run_row(t, &r);
    } while (r.has_row);
    return WEFT_OK;
}

/* ---- small files ---- */

static top_mark top_run_mark(const top_run *t, const char *name) {
    char path[4096];
    struct stat s;
    const int n = snprintf(path, sizeof path, "%s/%s", t->folder, name);
    if (n < 0 || (size_t)n >= sizeof path || stat(path, &s) != 0) return (top_mark){0};
    return (top_mark){true, s.st_ino, s.st_size, s.st_mtim};
}

static bool top_run_later(struct timespec a, struct timespec b) {
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

static bool top_run_same(const top_mark *a, const top_mark *b) {
    return a->there == b->there && a->number == b->number && a->bytes == b->bytes &&
           !top_run_later(a->changed, b->changed) && !top_run_later(b->changed, a->changed);
}

static weft_err top_run_config(top_run *t) {
    char path[4096];
    weft_file file;
    t->title[0] = t->command[0] = 0;
    snprintf(path, sizeof path, "%.4000s/config.json", t->folder);
    weft_err e = weft_file_open(t->ctx, path, &file);
    if (e) return e;
    const weft_json config = weft_json_parse(t->ctx, file.bytes, file.n, path);
    if (weft_json_kind_of(config) == WEFT_JSON_NONE) e = weft_error_code(t->ctx);
    weft_json_text(weft_json_get(config, "title"), t->title, sizeof t->title);
    weft_json_text(weft_json_get(config, "command"), t->command, sizeof t->command);
    weft_file_close(&file);
    return e;
}

static weft_err top_run_status(top_run *t) {
    return weft_run_status_read(t->ctx, t->folder, &t->status);
}

static weft_err top_run_kernels(top_run *t) {
    const weft_err e = weft_run_kernels_read(t->ctx, t->folder, &t->kernels);
    t->profiled = e == WEFT_OK;
    return e;
}

/* A file that has gone is as if it had never been; one that cannot be read is told. */
static weft_err top_run_small(top_run *t) {
    static const struct {
        const char *name;
        weft_err (*read)(top_run *t);
    } file[] = {{"config.json", top_run_config},
                {"status.json", top_run_status},
                {"kernels.json", top_run_kernels}};
    bool changed = false;
    top_mark now[3];
    for (int i = 0; i < 3; i++) {
        now[i] = top_run_mark(t, file[i].name);
        changed = changed || !top_run_same(&now[i], &t->seen[i]);
    }
    for (int i = 0; i < 3 && changed; i++) {
        if (!i) t->problem[0] = 0;
        const weft_err e = file[i].read(t);
        if (e == WEFT_MEMORY) return e;
        if (e && now[i].there && !*t->problem)
            snprintf(t->problem, sizeof t->problem, "%.290s", weft_error(t->ctx));
    }
    memcpy(t->seen, now, sizeof now);
    const top_mark rows = top_run_mark(t, "metrics.jsonl"), report = top_run_mark(t, "report.html");
    t->reported = report.there && !top_run_later(rows.changed, report.changed);
    t->known = rows.there || now[0].there || now[1].there;
    return WEFT_OK;
}

weft_err top_run_look(top_run *t) {
    struct stat s;
    t->there = stat(t->folder, &s) == 0;
    if (t->there && !S_ISDIR(s.st_mode))
        return weft_fail(t->ctx, WEFT_FORMAT, "%s: the folder of a run was expected", t->folder);
    const weft_err e = top_run_small(t);
    return e ? e : top_run_rows(t);
}
