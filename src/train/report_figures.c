/* report_figures.c - the key figures, the summary, and numbers as people write them. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "base/text.h"
#include "report.h"
#include "scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- numbers for people ---- */

const char *report_count(char *text, int64_t n) {
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRId64, n < 0 ? -n : n);
    const size_t length = strlen(digits);
    char *to = text;
    if (n < 0) *to++ = '-';
    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
    return text;
}

const char *report_value(char *text, double v, bool share) {
    const double size = fabs(v);
    if (!share && v != 0 && (size < 1e-4 || size >= 1e6)) {
        scale_power(text, REPORT_NUMBER, v);
        return text;
    }
    if (!share && size >= 1000) return report_count(text, (int64_t)(v < 0 ? v - 0.5 : v + 0.5));
    if (!share) return number_text(text, REPORT_NUMBER, 'g', 4, v);
    number_text(text, REPORT_NUMBER - 4, 'f', 2, 100 * v);
    return strcat(text, "\xc2\xa0%"); /* a space that does not break */
}

const char *report_bytes(char *text, double bytes) {
    char number[40];
    const char *unit;
    const double by = scale_bytes(fabs(bytes), &unit);
    number_text(number, sizeof number, 'f', by > 1 ? 1 : 0, bytes / by);
    snprintf(text, REPORT_NUMBER, "%s%s", number, unit);
    return text;
}

const char *report_duration(char *text, double seconds) {
    char number[48];
    const long long whole = (long long)fmin(seconds + 0.5, 1e15);
    if (seconds < 60) {
        number_text(number, sizeof number, 'f', seconds < 1 ? 3 : 1, seconds);
        snprintf(text, REPORT_NUMBER, "%s s", number);
    } else if (whole < 3600) {
        snprintf(text, REPORT_NUMBER, "%lld min %02lld s", whole / 60, whole % 60);
    } else {
        snprintf(text, REPORT_NUMBER, "%lld h %02lld min", whole / 3600, whole / 60 % 60);
    }
    return text;
}

const char *report_date(char *text, double wall) {
    const time_t seconds = (time_t)wall;
    struct tm at;
    text[0] = 0;
    if (wall >= 0 && wall < 2.5e11 && gmtime_r(&seconds, &at))
        strftime(text, REPORT_NUMBER, "%Y-%m-%d %H:%M", &at);
    return text;
}

/* ---- figures ---- */

/* A value that is too long for its column, as 0.0003221 is, is set smaller. */
static void report_figure(text *d, const char *label, const char *value, const char *note) {
    enum { FITS = 8 };
    size_t characters = 0;
    for (const char *p = value; *p; p++) characters += ((unsigned char)*p & 0xc0) != 0x80;
    text_add(d, "<div><dt>%s</dt><dd%s>", label, characters > FITS ? " class=\"long\"" : "");
    text_html(d, value);
    text_put(d, "<small>");
    text_html(d, note);
    text_put(d, "</small></dd></div>\n");
}

static void report_accuracy(report *r, const series *s) {
    char value[REPORT_NUMBER], note[2 * REPORT_NUMBER], step[REPORT_NUMBER];
    const bool share = report_is_share("accuracy", s);
    snprintf(note, sizeof note, "%.40s, at step %s", report_label(s),
             report_count(step, (int64_t)s->most.step));
    if (s->count > 1)
        report_figure(&r->page, "Best accuracy", report_value(value, s->most.value, share), note);
    report_figure(&r->page, s->count > 1 ? "Last accuracy" : "Accuracy",
                  report_value(value, s->last.value, share), report_label(s));
}

static void report_time(report *r) { /* short enough for its place: 1:02:03 */
    char text[REPORT_NUMBER];
    const long long s = (long long)fmin(r->seconds + 0.5, 1e15);
    if (r->seconds < 60) report_duration(text, r->seconds);
    else if (s < 3600) snprintf(text, sizeof text, "%lld:%02lld", s / 60, s % 60);
    else snprintf(text, sizeof text, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
    report_figure(&r->page, "Time", text, r->seconds < 60 ? "" : s < 3600 ? "min:s" : "h:min:s");
}

void report_figures(report *r) {
    char text[REPORT_NUMBER], note[REPORT_NUMBER];
    const series *loss = report_best(r, "loss"), *accuracy = report_best(r, "accuracy");
    if (!r->lines) return;
    text_put(&r->page, "<dl class=\"figures\">\n");
    if (accuracy) report_accuracy(r, accuracy);
    if (loss) {
        snprintf(note, sizeof note, "%.40s%s", report_label(loss),
                 report_noisy(loss) ? ", smoothed" : "");
        report_figure(&r->page, "Final loss", report_value(text, report_latest(r, loss), false),
                      note);
    }
    static const char *const errors[][2] = {{"rmse", "RMSE"}, {"mae", "MAE"}, {"r2", "R\xc2\xb2"}};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        const series *const s = report_best(r, errors[i][0]);
        if (s) /* of numbers that are predicted */
            report_figure(&r->page, errors[i][1], report_value(text, s->last.value, false),
                          report_label(s));
    }
    report_figure(&r->page, "Steps", report_count(text, r->steps), "");
    const bool timed = r->seconds >= 0.01; /* not when all lines were written at one moment */
    if (timed) report_time(r);
    if (timed && isfinite(r->rate)) {
        const double examples = fmin(r->rate * (double)r->status.batch + 0.5, 1e15);
        if (r->rate >= 100) report_count(text, (int64_t)fmin(r->rate + 0.5, 1e15));
        else number_text(text, sizeof text, 'g', 3, r->rate);
        strcpy(note, "steps a second");
        if (r->status.batch > 0)
            snprintf(note, sizeof note, "steps, %.30s examples a second",
                     report_count((char[REPORT_NUMBER]){0}, (int64_t)examples));
        report_figure(&r->page, "Rate", text, note);
    }
    const series *memory = report_series_of(r, "memory_bytes");
    if (memory && memory->n)
        report_figure(&r->page, "Memory", report_bytes(text, memory->most.value), "at most");
    text_put(&r->page, "</dl>\n");
}

/* ---- the summary, where the caller has none ---- */

static void report_sentence(report *r) {
    text *d = &r->page;
    char text[REPORT_NUMBER];
    text_add(d, "%s steps", report_count(text, r->steps));
    if (isfinite(r->seconds)) text_add(d, " in %s", report_duration(text, r->seconds));
    text_put(d, ". ");
    const series *s = report_best(r, "accuracy");
    if (s) {
        const bool share = report_is_share("accuracy", s);
        text_put(d, "The accuracy (");
        text_html(d, report_label(s));
        text_add(d, ") ended at %s", report_value(text, s->last.value, share));
        if (s->most.value > s->last.value) {
            text_add(d, ", and was best with %s", report_value(text, s->most.value, share));
            text_add(d, " at step %s", report_count(text, (int64_t)s->most.step));
        }
        text_put(d, ". ");
    }
    s = report_best(r, "loss");
    if (s && s->count > 1) {
        text_put(d, "The loss (");
        text_html(d, report_label(s));
        text_add(d, ") went from %s", report_value(text, s->first.value, false));
        text_add(d, " to %s.", report_value(text, report_latest(r, s), false));
    }
}

/* The loss on data it does not learn from, once that has been lower than it is in the end. */
static void report_overfits(report *r) {
    text *d = &r->page;
    char text[REPORT_NUMBER];
    const series *loss = NULL;
    for (int i = 0; i < r->n; i++) {
        const series *const s = r->series[i];
        if (report_is_held_out(s, "loss") && s->count >= 4 && (!loss || s->count > loss->count))
            loss = s;
    }
    if (!loss || !(loss->least.value > 0) || loss->last.value < 1.1 * loss->least.value) return;
    const char *const label = report_label(loss);
    text_put(d, "<p class=\"warning\">The ");
    text_html(d, strcmp(label, "valid") == 0 ? "validation" : label);
    text_add(d, " loss was lowest, %s,", report_value(text, loss->least.value, false));
    text_add(d, " at step %s", report_count(text, (int64_t)loss->least.step));
    text_add(d, " and rose to %s: from there on the network overfits. ",
             report_value(text, loss->last.value, false));
    text_put(d, "Stop earlier, or use more data, dropout or weight decay.</p>\n");
}

void report_summary(report *r) {
    text *d = &r->page;
    text_put(d, "<p class=\"summary\">");
    if (r->asked && r->asked->summary) text_html(d, r->asked->summary);
    else if (r->lines) report_sentence(r);
    else text_put(d, "The run has logged nothing yet.");
    text_put(d, "</p>\n");
    report_overfits(r);
}
