/* top_draw.c - a frame of weft top: a head with the state and the way, curves, and what top_table.c
 * adds below. Rows are given to what matters most when there are few of them. */
#include "chart.h"
#include "source.h"
#include "top.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TOP_HEAD = 4,         /* rows above the curves, an empty one last */
    TOP_LEAST_CHART = 5,  /* rows, the title's included; with less there is none */
    TOP_MOST_CHART = 26,  /* more would only be stretched */
    TOP_PAIR_WIDTH = 64,  /* columns from which on two charts stand side by side */
    TOP_KERNEL_HEAD = 3,  /* rows above the first kernel, an empty one first */
    TOP_LEAST_KERNELS = 3 /* worth a table */
};

/* ---- numbers for people ---- */

const char *top_value(const top_metric *m, double v, char out[40]) {
    const double size = fabs(v);
    char bytes[16];
    if (isnan(v)) strcpy(out, "nan");
    else if (top_is_bytes(m)) source_bytes(v, bytes), strcpy(out, bytes);
    else if (top_is_share(m)) snprintf(out, 40, "%.2f %%", 100 * v);
    else if (size >= 1000 && size < 1e9) chart_count(v, out);
    else if (size >= 1e-3 && size < 1000) snprintf(out, 40, "%.4g", v);
    else snprintf(out, 40, "%.3g", v);
    return out;
}

const char *top_duration(double seconds, char out[40]) {
    const long long s = (long long)fmax(0, fmin(seconds + 0.5, 1e12));
    if (s >= 172800) snprintf(out, 40, "%lld days", s / 86400);
    else if (s >= 3600) snprintf(out, 40, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
    else snprintf(out, 40, "%lld:%02lld", s / 60, s % 60);
    return out;
}

const char *top_rate(double v, char out[40]) {
    if (v >= 100) return chart_count(v, out);
    snprintf(out, 40, v >= 10 ? "%.1f" : v >= 1 ? "%.2f" : "%.3g", v);
    return out;
}

/* ---- the head ---- */

/* "waiting" and such may be long, so the name of the run makes room for it. */
static void top_draw_title(const top_run *t, const top_facts *f, screen *s, bool keys) {
    const char *const dot = s->utf8 ? " \xc2\xb7 " : " - ";
    char word[80];
    const char *const end = strrchr(t->folder, '/');
    const char *const name = end && end[1] ? end + 1 : t->folder;
    screen_put(s, 0, 0, TERMINAL_BOLD, *t->title ? t->title : name);
    snprintf(word, sizeof word, "  %s%s", s->utf8 ? "\xe2\x97\x8f " : "* ", f->word);
    screen_right(s, 0, s->width, f->style, word);
    int at = screen_put(s, 1, 0, TERMINAL_DIM, t->folder);
    if (*t->command) at = screen_print(s, 1, at, TERMINAL_DIM, "%sweft %s", dot, t->command);
    if (t->status.resumed_at > 0) {
        char count[32];
        at = screen_print(s, 1, at, TERMINAL_DIM, "%sresumed at step %s", dot,
                          chart_count((double)t->status.resumed_at, count));
    }
    if (keys) screen_right(s, 1, s->width, TERMINAL_DIM, "  q quits, m another curve");
}

/* What is to be said about the state beyond its word. */
static void top_draw_why(const top_run *t, const top_facts *f, char *out, size_t bytes) {
    char since[40], limit[40];
    out[0] = 0;
    if (f->state == TOP_STALLED)
        snprintf(out, bytes, "no new row for %s (expected within %s)", top_duration(f->age, since),
                 top_duration(f->stalled_after, limit));
    else if (f->state == TOP_KILLED)
        snprintf(out, bytes,
                 "process %lld ended without a status (killed?); use --resume to continue the run",
                 (long long)t->status.process);
    else if (f->state >= TOP_STOPPED && f->state <= TOP_FAILED)
        snprintf(out, bytes, "%s", t->status.text);
}

static void top_draw_way(const top_run *t, const top_facts *f, screen *s) {
    char step[32], steps[32], text[200], time[40];
    int n = snprintf(text, sizeof text, "  step %s", chart_count((double)t->step, step));
    if (t->status.steps > 0)
        n += snprintf(text + n, sizeof text - (size_t)n, " of %s",
                      chart_count((double)t->status.steps, steps));
    if (!isnan(t->time))
        n += snprintf(text + n, sizeof text - (size_t)n, "  %s elapsed",
                      top_duration(t->time, time));
    if (!isnan(f->left))
        snprintf(text + n, sizeof text - (size_t)n, "  %s left", top_duration(f->left, time));
    int at = 0;
    if (!isnan(f->share)) {
        int cells = s->width - (int)strlen(text) - 9;
        cells = cells > 40 ? 40 : cells;
        if (cells >= 6) {
            screen_put(s, 2, 0, TERMINAL_DIM, s->utf8 ? "\xe2\x96\x95" : "[");
            screen_bar(s, 2, 1, cells, f->style, f->share);
            screen_put(s, 2, 1 + cells, TERMINAL_DIM, s->utf8 ? "\xe2\x96\x8f" : "]");
            at = cells + 3;
        }
        at = screen_print(s, 2, at, TERMINAL_PLAIN, "%3d%%", (int)(100 * f->share));
    }
    screen_put(s, 2, at, TERMINAL_PLAIN, at ? text : text + 2);
}

/* ---- curves ---- */

static int top_draw_reading(screen *s, int row, int at, terminal_style style, const top_metric *m,
                            const char *word) {
    char value[40], count[32];
    at = screen_print(s, row, at, style, "%s", top_value(m, m->last, value));
    at = screen_print(s, row, at, TERMINAL_DIM, " %s", word);
    const bool high = strstr(m->name, "accuracy") || strstr(m->name, "score");
    if (high && m->curve.most.value > m->last) {
        at = screen_print(s, row, at, TERMINAL_DIM, ", best %s",
                          top_value(m, m->curve.most.value, value));
        chart_count(m->curve.most.step, count);
        if (at + (int)strlen(count) + 9 <= s->width)
            at = screen_print(s, row, at, TERMINAL_DIM, " at step %s", count);
    }
    return at + 2;
}

/* "steps_per_s" is "Steps per s", "memory_bytes" is "Memory". */
static void top_draw_words(const char *own, char *out, size_t bytes) {
    const bool rate = strcmp(own, "rate") == 0 || strcmp(own, "lr") == 0;
    snprintf(out, bytes, "%s", rate ? "learning rate" : own);
    char *const end = strstr(out, "_bytes");
    if (end && end != out && !end[6]) *end = 0;
    for (char *p = out; *p; p++)
        if (*p == '_') *p = ' ';
    if (out[0] >= 'a' && out[0] <= 'z') out[0] = (char)(out[0] - 'a' + 'A');
}

/* The title of a chart: "Loss 0.021 train  0.034 test". */
static void top_draw_names(screen *s, int row, int column, const top_metric *m,
                           const top_metric *beside) {
    char own[TOP_NAME], group[TOP_NAME];
    strcpy(group, m->name);
    char *const slash = strchr(group, '/');
    top_draw_words(slash && slash[1] ? slash + 1 : group, own, sizeof own);
    if (slash) *slash = 0;
    int at = screen_print(s, row, column, TERMINAL_BOLD, "%s ", own);
    at = top_draw_reading(s, row, at, TERMINAL_CYAN, m, slash ? group : "");
    if (!beside) return;
    snprintf(group, sizeof group, "%.*s", (int)strcspn(beside->name, "/"), beside->name);
    top_draw_reading(s, row, at, TERMINAL_GREEN, beside, group);
}

static void top_draw_chart(const top_run *t, screen *s, int row, int column, int width, int height,
                           const top_metric *m, const top_metric *beside, bool marked) {
    chart c = {.line = {&m->curve, beside ? &beside->curve : NULL},
               .log = top_is_log(m) || (beside && top_is_log(beside)),
               .percent = top_is_share(m),
               .to = (double)t->step};
    if (marked && t->outliers) {
        c.marks = t->mark;
        c.mark_count = t->outliers < TOP_MARKS ? (int)t->outliers : TOP_MARKS;
    }
    c.from = c.to; /* where the rows begin, if that is far from 0 */
    for (int i = 0; i < t->metrics; i++)
        if (series_finite(&t->metric[i].curve)) c.from = fmin(c.from, t->metric[i].curve.from);
    if (c.from > 0 && c.from <= 0.5 * c.to) c.from = 0;
    screen field; /* so that a long title does not run into the neighbour */
    if (!screen_make(&field, width, height, s->utf8)) return;
    top_draw_names(&field, 0, 0, m, beside);
    chart_draw(&field, 1, 0, width, height - 1, &c);
    screen_copy(s, row, column, &field);
    screen_free(&field);
}

static void top_draw_curves(const top_run *t, const top_facts *f, screen *s, int row, int height) {
    const top_metric *const first = f->loss ? f->loss : f->other;
    const top_metric *const second = f->loss ? f->other : NULL;
    if (!first || height < TOP_LEAST_CHART) return;
    const bool pair = second && s->width >= TOP_PAIR_WIDTH;
    const int width = pair ? (s->width - 3) / 2 : s->width;
    top_draw_chart(t, s, row, 0, width, height, first, f->beside, first == f->loss);
    if (pair) top_draw_chart(t, s, row, s->width - width, width, height, second, NULL, false);
}

/* ---- the frame ---- */

static void top_draw_waiting(const top_run *t, screen *s) {
    char text[700];
    const char *const what = !t->there   ? "the folder does not exist yet"
                             : !t->known ? "the folder has no run yet"
                                         : "the run has not written a row yet";
    snprintf(text, sizeof text, "Waiting for %.500s: %s.", t->folder, what);
    screen_put(s, TOP_HEAD, 0, TERMINAL_PLAIN, text);
}

static int top_draw_notes(const top_run *t, const top_facts *f, screen *s, int row) {
    char text[500], count[32];
    top_draw_why(t, f, text, sizeof text);
    if (*text) screen_put(s, row++, 0, f->style, text);
    if (t->skipped)
        screen_print(s, row++, 0, TERMINAL_RED, "%s %s of metrics.jsonl could not be read",
                     chart_count((double)t->skipped, count), t->skipped == 1 ? "line" : "lines");
    if (*t->problem) screen_put(s, row++, 0, TERMINAL_RED, t->problem);
    return row;
}

/* From top to bottom: head, notes, curves, figures, kernels. The curves take what is left over. */
void top_draw(const top_run *t, const top_facts *f, screen *s, bool keys) {
    top_draw_title(t, f, s, keys);
    if (t->rows) top_draw_way(t, f, s);
    const int row = top_draw_notes(t, f, s, TOP_HEAD - 1),
              charts = row > TOP_HEAD - 1 ? row + 1 : TOP_HEAD;
    if (!t->rows && (f->state == TOP_WAITING || f->state == TOP_RUNNING)) {
        top_draw_waiting(t, s);
        return;
    }
    int figures = 0;
    top_figures(t, f, s, -1, &figures);
    const int room = s->height - charts - figures - 1;
    int kernels = t->profiled ? t->kernels.kernel_count : 0;
    const int most = room * 45 / 100 - TOP_KERNEL_HEAD;
    if (kernels > most) kernels = most < TOP_LEAST_KERNELS ? 0 : most;
    int height = room - (kernels ? kernels + TOP_KERNEL_HEAD : 0);
    height = height > TOP_MOST_CHART ? TOP_MOST_CHART : height;
    const bool drawn = height >= TOP_LEAST_CHART && (f->loss || f->other);
    top_draw_curves(t, f, s, charts, height);
    const int below = charts + (drawn ? height + 1 : 0);
    top_figures(t, f, s, below, &figures);
    if (kernels) top_kernels(t, s, below + figures + 1, kernels);
}
