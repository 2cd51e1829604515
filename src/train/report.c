/* report.c - the report of a run: report.html from metrics.jsonl, config.json and, where they
 * are, status.json and kernels.json.
 *
 * The page is self-contained and works without scripts, and the same run gives
 * the same bytes. All text that comes from outside is escaped. Its size does not grow with the
 * length of the run: see series.h. */
#include "report.h"
#include "folder.h"
#include "lines.h"
#include "train_parts.h"

#include <math.h>
#include <string.h>

enum { REPORT_CONFIG_ROWS = 300, REPORT_CONFIG_TEXT = 600 };

/* ---- reading the run ---- */

/* The series of a metric; one line names its metrics in the order of the line before. */
static series *report_series(report *r, weft_json key, int *guess) {
    for (int i = 0; i < r->n; i++) {
        const int k = (*guess + i) % r->n;
        if (!lines_is(key, r->series[k]->name)) continue;
        *guess = k + 1;
        return r->series[k];
    }
    char name[SERIES_NAME];
    if (weft_json_text(key, name, sizeof name) >= sizeof name) {
        r->long_names = true;
        return NULL;
    }
    if (r->n == REPORT_SERIES) {
        r->crowded = true;
        return NULL;
    }
    series *const s = weft_resize(r->c, NULL, sizeof *s);
    if (!s) {
        r->page.failed = true;
        return NULL;
    }
    series_begin(s, name);
    *guess = r->n + 1;
    return r->series[r->n++] = s;
}

static weft_err report_read(report *r, const char *path) {
    lines in;
    lines_line line;
    int64_t first_step = 0;
    double first_time = NAN;
    WEFT_TRY(lines_open(&in, r->c, path));
    while (lines_next(&in, &line) && !r->page.failed) {
        int guess = 0;
        for (int i = 0; i < line.n; i++) {
            series *s = report_series(r, line.at[i].name, &guess);
            if (s) series_add(s, (double)line.step, line.at[i].value);
        }
        if (in.lines == 1 || line.step > r->steps) r->steps = line.step;
        if (isnan(first_time)) first_time = line.time, first_step = line.step;
        if (isnan(r->began)) r->began = line.wall;
        if (!isnan(line.time)) r->seconds = line.time;
        if (!isnan(line.wall)) r->ended = line.wall;
    }
    r->lines = in.lines;
    r->skipped = in.skipped;
    lines_close(&in);
    const double span = r->seconds - first_time;
    if (span > 0 && r->steps > first_step) r->rate = (double)(r->steps - first_step) / span;
    return in.err;
}

/* ---- the configuration ---- */

static void report_row(report *r, const char *name, weft_json value) {
    text *d = &r->page;
    char text[REPORT_CONFIG_TEXT];
    size_t n = (size_t)(value.end - value.at);
    if (weft_json_kind_of(value) == WEFT_JSON_TEXT) {
        n = weft_json_text(value, text, sizeof text);
    } else {
        const size_t fits = n < sizeof text ? n : sizeof text - 1;
        memcpy(text, value.at, fits);
        text[fits] = 0;
    }
    r->cut |= n >= sizeof text;
    text_put(d, "<tr><th scope=\"row\">");
    text_html(d, name);
    text_put(d, "</th><td>");
    text_html(d, text);
    text_put(d, "</td></tr>\n");
}

/* Objects inside are told as "optimiser.rate"; lists as they are written. */
static void report_rows(report *r, weft_json object, const char *prefix, int *rows) {
    weft_json key = {0}, value = {0};
    while (weft_json_next(object, &key, &value)) {
        char name[300], own[150];
        r->cut |= weft_json_text(key, own, sizeof own) >= sizeof own || strlen(prefix) > 140;
        if (++*rows > REPORT_CONFIG_ROWS) {
            r->cut = true;
            return;
        }
        if (!*prefix && (!strcmp(own, "title") || !strcmp(own, "settings"))) continue; /* above */
        snprintf(name, sizeof name, "%.140s%s%s", prefix, *prefix ? "." : "", own);
        if (weft_json_kind_of(value) == WEFT_JSON_OBJECT && weft_json_count(value))
            report_rows(r, value, name, rows);
        else report_row(r, name, value);
    }
}

/* What it was trained with, defaults included, as far as whoever trained has said so. */
static void report_settings(report *r, weft_json config) {
    const weft_json settings = weft_json_get(config, "settings");
    int rows = 0;
    if (weft_json_kind_of(settings) != WEFT_JSON_OBJECT || !weft_json_count(settings)) return;
    text_put(&r->page, "<section>\n<h2>Settings</h2>\n<table>\n<tbody>\n");
    report_rows(r, settings, "", &rows);
    text_put(&r->page, "</tbody>\n</table>\n</section>\n");
}

static void report_config(report *r, weft_json config) {
    int rows = 0;
    if (!weft_json_count(config)) return;
    text_put(&r->page, "<section>\n<h2>Configuration</h2>\n<table>\n<tbody>\n");
    report_rows(r, config, "", &rows);
    text_put(&r->page, "</tbody>\n</table>\n</section>\n");
}

/* ---- the page ---- */

static void report_title_text(report *r, const char *run, weft_json config, char *title, size_t n) {
    const weft_json own = weft_json_get(config, "title");
    title[0] = 0;
    if (r->asked && r->asked->title) snprintf(title, n, "%s", r->asked->title);
    else if (weft_json_kind_of(own) == WEFT_JSON_TEXT) weft_json_text(own, title, n);
    else folder_name(run, title, n);
}

static void report_head(report *r, const char *title) {
    text *d = &r->page;
    char text[2][REPORT_NUMBER];
    text_put(d, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                "<meta name=\"generator\" content=\"Weft " WEFT_VERSION "\"/>\n<title>");
    text_html(d, title);
    text_put(d, "</title>\n<style>\n");
    for (const char *const *p = report_style; *p; p++) text_put(d, *p);
    text_put(d, "</style>\n</head>\n<body>\n<main>\n<header>\n");
    if (*report_date(text[0], r->began)) {
        report_date(text[1], r->ended);
        const bool same_day = strncmp(text[0], text[1], 10) == 0, brief = !strcmp(text[0], text[1]);
        text_add(d, "<p class=\"when\">%s%s%s UTC</p>\n", text[0], brief ? "" : " to ",
                 brief ? "" : text[1] + (same_day ? 11 : 0));
    }
    text_put(d, "<h1>");
    text_html(d, title);
    text_put(d, "</h1>\n");
    report_summary(r);
    text_put(d, "</header>\n");
    report_figures(r);
}

static void report_left_out(report *r, const char *what, const char *problem) {
    if (!*problem) return;
    text_add(&r->page, " The %s left out: ", what);
    text_html(&r->page, problem);
    text_put(&r->page, ".");
}

static void report_foot(report *r, const char *config_problem, const char *kernels_problem) {
    text *d = &r->page;
    char text[REPORT_NUMBER];
    text_add(d, "<footer>Made by Weft " WEFT_VERSION " from %s line%s of metrics.jsonl.",
             report_count(text, (int64_t)r->lines), r->lines == 1 ? "" : "s");
    if (r->skipped)
        text_add(d, " %s %s not readable and left out.", report_count(text, (int64_t)r->skipped),
                 r->skipped == 1 ? "line was" : "lines were");
    if (r->crowded) text_add(d, " Only the first %d metrics are shown.", REPORT_SERIES);
    if (r->long_names)
        text_add(d, " Metrics with names of more than %d bytes are left out.", WEFT_METRIC_NAME);
    if (r->cut)
        text_add(d, " At most %d settings are shown, and at most %d bytes of each.",
                 REPORT_CONFIG_ROWS, REPORT_CONFIG_TEXT - 1);
    report_left_out(r, "configuration is", config_problem);
    report_left_out(r, "kernels are", kernels_problem);
    text_put(d, "</footer>\n</main>\n<script>\n");
    for (const char *const *p = report_script; *p; p++) text_put(d, *p);
    text_put(d, "</script>\n</body>\n</html>\n");
}

/* What the run and a profile of it say, where they say something. */
static weft_err report_told(report *r, const char *run, char *problem, size_t bytes) {
    char path[FOLDER_PATH] = "";
    weft_err e = WEFT_OK;
    WEFT_TRY(folder_path(r->c, path, run, STATUS_NAME));
    if (path_exists(path)) e = weft_run_status_read(r->c, run, &r->status);
    if (e == WEFT_MEMORY) return e;
    WEFT_TRY(folder_path(r->c, path, run, KERNELS_NAME));
    if (!path_exists(path)) return WEFT_OK;
    e = weft_run_kernels_read(r->c, run, &r->kernels);
    r->profiled = e == WEFT_OK;
    const char *const text = weft_error(r->c), *const name = strstr(text, KERNELS_NAME);
    if (e) snprintf(problem, bytes, "%.290s", name ? name : text); /* not where the folder lies */
    return e == WEFT_MEMORY ? e : WEFT_OK;
}

static void report_all_plots(report *r) {
    int drawn = 0, first = -1;
    for (int i = 0; i < r->plot_count; i++)
        if (!report_once(&r->plots[i]) && !drawn++) first = i;
    if (!r->plot_count) return;
    text_add(&r->page, "<section>\n<h2>%s</h2>\n", drawn ? "Curves" : "Metrics");
    if (drawn) text_put(&r->page, "<div class=\"plots\">\n");
    for (int i = 0; i < r->plot_count; i++) /* if odd, the first has a row of its own */
        if (!report_once(&r->plots[i])) report_draw(r, &r->plots[i], drawn % 2 && i == first);
    if (drawn) text_put(&r->page, "</div>\n");
    report_list(r);
    text_put(&r->page, "</section>\n");
}

static weft_err report_write(report *r, const char *run) {
    char path[FOLDER_PATH] = "", metrics[FOLDER_PATH] = "", title[400], problem[300] = "",
         kernels_problem[300] = "";
    WEFT_TRY(report_pictures_check(r));
    WEFT_TRY(report_plates_check(r));
    WEFT_TRY(report_confusion_check(r));
    WEFT_TRY(folder_path(r->c, metrics, run, LINES_NAME));
    WEFT_TRY(report_read(r, metrics));
    WEFT_TRY(report_told(r, run, kernels_problem, sizeof kernels_problem));
    report_arrange(r);

    weft_file file = {0};
    weft_json config = {0};
    WEFT_TRY(folder_path(r->c, path, run, "config.json"));
    if (path_exists(path)) WEFT_TRY(weft_file_open(r->c, path, &file));
    if (file.bytes) {
        config = weft_json_parse(r->c, file.bytes, file.n, "config.json");
        const weft_json_kind kind = weft_json_kind_of(config);
        if (kind == WEFT_JSON_NONE && weft_error_code(r->c) == WEFT_MEMORY) r->page.failed = true;
        if (kind == WEFT_JSON_NONE) snprintf(problem, sizeof problem, "%.290s", weft_error(r->c));
        else if (kind != WEFT_JSON_OBJECT) strcpy(problem, "config.json: expected an object");
        if (kind != WEFT_JSON_OBJECT) config = (weft_json){0};
    }
    report_title_text(r, run, config, title, sizeof title);
    report_head(r, title);
    report_settings(r, config);
    report_all_plots(r);
    report_confusion(r);
    const weft_err sampled = report_samples(r, metrics);
    report_kernels(r);
    report_plates(r);
    report_pictures(r);
    report_config(r, config);
    report_foot(r, problem, kernels_problem);
    weft_file_close(&file);
    WEFT_TRY(sampled);
    if (r->page.failed) return weft_fail(r->c, WEFT_MEMORY, "weft_report_write: out of memory");
    return weft_file_write_beneath(r->c, run, "report.html", r->page.s, r->page.n);
}

weft_err weft_report_write(weft_ctx *c, const char *run, const weft_report *asked) {
    if (!c || !run || !*run)
        return weft_fail(c, WEFT_ARGUMENT,
                         "weft_report_write: a context and a folder were expected");
    report *r = weft_resize(c, NULL, sizeof *r);
    if (!r) return weft_fail(c, WEFT_MEMORY, "weft_report_write: out of memory");
    memset(r, 0, sizeof *r);
    r->c = c;
    r->page.m = mem_of(c);
    r->asked = asked;
    r->seconds = r->rate = r->began = r->ended = NAN;
    const weft_err e = report_write(r, run);
    for (int i = 0; i < r->n; i++) weft_resize(c, r->series[i], 0);
    text_free(&r->page);
    weft_resize(c, r, 0);
    return e;
}
