/* progress.c - the progress of a run: one line redrawn on a terminal, plain lines elsewhere.
 *
 *     ▕████████▍           ▏  42%  420/1000  loss 0.1234  812 steps/s  0:03 left
 *     step 420/1000  loss 0.1234  812 steps/s  0:03 left
 *
 * The line never wraps: what does not fit is left out, the least important first. Colour and block
 * letters are used where environment and locale allow. A stream that cannot be written to is no
 * reason to stop a run, so its errors are ignored. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* struct winsize; isatty and fileno come along */
#endif
#include "base/text.h"
#include "base/utf8.h"
#include "train_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    PROGRESS_SAMPLES = 32, /* stretches of time that the rate is made from */
    PROGRESS_FIELDS = WEFT_METRICS + 4,
    PROGRESS_FIELD = 96, /* bytes of one */
    PROGRESS_LEAST_BAR = 8,
    PROGRESS_MOST_BAR = 30,
    PROGRESS_WIDEST = 240 /* columns */
};
static const double progress_draw_apart = 0.1, progress_line_apart = 5;

struct weft_progress {
    weft_ctx *c;
    FILE *to;
    bool live, colour, utf8;
    int64_t steps; /* limits; 0: none */
    double seconds;
    const char *unit;    /* what is counted; NULL: steps */
    double began, shown; /* on the clock */
    bool any, ended;     /* a line has been drawn; the last one has */

    int64_t sampled_step;                     /* below 0: no sample yet */
    double sampled, sample[PROGRESS_SAMPLES]; /* seconds a step took */
    int samples;                              /* taken in all */

    char line[4 * PROGRESS_WIDEST]; /* as last drawn on a terminal */
};

/* ---- the other side ---- */

static const char *progress_variable(const char *name) {
    const char *s = getenv(name);
    return s ? s : "";
}

static bool progress_is_utf8(void) {
    /* The first of these that is set decides, as for the C library. */
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *s = "";
    for (int i = 0; i < 3 && !*s; i++) s = progress_variable(names[i]);
    return strstr(s, "UTF-8") || strstr(s, "utf-8") || strstr(s, "UTF8") || strstr(s, "utf8");
}

static int progress_columns(FILE *to) { /* asked again each time: windows change */
    struct winsize w = {0};
    int n = ioctl(fileno(to), TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
    if (n <= 0) n = atoi(progress_variable("COLUMNS"));
    if (n <= 0) n = 80;
    return n < PROGRESS_WIDEST ? n : PROGRESS_WIDEST;
}

weft_progress *weft_progress_new(weft_ctx *c, FILE *to, int64_t steps, double seconds) {
    weft_progress *p = c ? weft_resize(c, NULL, sizeof *p) : NULL;
    if (!p) {
        weft_fail(c, c ? WEFT_MEMORY : WEFT_ARGUMENT, "weft_progress_new: %s",
                  c ? "out of memory" : "the context is NULL");
        return NULL;
    }
    memset(p, 0, sizeof *p);
    p->c = c;
    p->to = to;
    p->steps = steps > 0 ? steps : 0;
    p->seconds = seconds > 0 ? seconds : 0;
    p->live = to && isatty(fileno(to)) && strcmp(progress_variable("TERM"), "dumb") != 0;
    p->colour = p->live && !*progress_variable("NO_COLOR");
    p->utf8 = progress_is_utf8();
    p->began = weft_clock();
    p->shown = p->live ? p->began - progress_draw_apart : p->began;
    p->sampled_step = -1;
    return p;
}

void weft_progress_unit(weft_progress *p, const char *unit) {
    if (p) p->unit = unit;
}

/* ---- how fast ---- */

static void progress_sample(weft_progress *p, int64_t step, double now) {
    if (p->sampled_step >= 0) {
        if (step <= p->sampled_step || now - p->sampled < progress_draw_apart) return;
        p->sample[p->samples++ % PROGRESS_SAMPLES] =
            (now - p->sampled) / (double)(step - p->sampled_step);
    }
    p->sampled_step = step;
    p->sampled = now;
}

static int progress_order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds a step takes: the mean of the middle half, so that an evaluation or a checkpoint now and
 * then does not make the estimate jump. 0: not known yet. */
static double progress_pace(const weft_progress *p) {
    const int n = p->samples < PROGRESS_SAMPLES ? p->samples : PROGRESS_SAMPLES;
    double sorted[PROGRESS_SAMPLES] = {0}, sum = 0;
    if (!n) return 0;
    memcpy(sorted, p->sample, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, progress_order);
    const int from = n / 4, to = n - n / 4;
    for (int i = from; i < to; i++) sum += sorted[i];
    return sum / (to - from);
}

/* How far it is by the limit that will come first, and nothing of the other one. */
typedef struct progress_way {
    bool steps;  /* that limit is the number of steps */
    double done; /* 0 to 1; nan: there is no limit */
    double left; /* seconds; nan: unknown */
} progress_way;

static progress_way progress_way_of(const weft_progress *p, int64_t step, double now) {
    const double pace = progress_pace(p), clock = p->seconds > 0 ? now - p->began : NAN;
    const double by_clock = fmax(0, p->seconds - clock); /* fmax drops a nan */
    const double by_steps = p->steps && pace > 0 ? fmax(0, (double)(p->steps - step) * pace) : NAN;
    progress_way w = {.steps = p->steps && !(p->seconds > 0 && !(by_steps <= by_clock)),
                      .done = NAN,
                      .left = NAN};
    if (w.steps) w.done = (double)step / (double)p->steps, w.left = by_steps;
    else if (p->seconds > 0) w.done = clock / p->seconds, w.left = by_clock;
    w.done = isnan(w.done) ? NAN : fmax(0, fmin(1, w.done));
    return w;
}

/* ---- words ---- */

typedef struct progress_field {
    char text[PROGRESS_FIELD];
    int columns;
    bool taken;
} progress_field;

/* A name as a terminal may see it: no control codes, and only letters its locale has. A letter
 * beyond ASCII may be two columns wide. */
static void progress_word(progress_field *f, const char *s, bool utf8) {
    size_t n = strlen(f->text), left = strlen(s);
    while (left && n + 5 < sizeof f->text) {
        char one[12];
        const size_t bytes = escape_one(one, s, left);
        const bool good = memcmp(one, s, bytes) == 0 && (bytes == 1 || utf8);
        if (good) memcpy(f->text + n, s, bytes);
        else f->text[n] = '?';
        n += good ? bytes : 1;
        f->columns += good && bytes > 1 ? 2 : 1;
        s += bytes, left -= bytes;
    }
    f->text[n] = 0;
}

static void progress_number(char *text, size_t bytes, double v) {
    const double size = fabs(v);
    if (size >= 1e-3 && size < 1e4)
        number_text(text, bytes, 'f', size < 10 ? 4 : size < 100 ? 3 : size < 1000 ? 2 : 1, v);
    else if (size >= 1e4 && size < 1e9) number_text(text, bytes, 'f', 0, v); /* a score */
    else number_text(text, bytes, 'g', 3, v);
}

/* "train/loss" is loss, "test/loss" is test loss. */
static void progress_metric(progress_field *f, const char *name, double value, bool utf8) {
    char number[40], words[PROGRESS_FIELD / 2];
    if (strncmp(name, "train/", 6) == 0) name += 6;
    snprintf(words, sizeof words, "%s ", name);
    for (char *p = words; *p; p++)
        if (*p == '/') *p = ' ';
    progress_number(number, sizeof number, value);
    progress_word(f, words, utf8);
    progress_word(f, number, utf8);
}

static void progress_speed(progress_field *f, double pace, const char *unit) {
    char number[40], text[64];
    const double rate = 1 / pace;
    if (rate >= 0.1)
        number_text(number, sizeof number, 'f', rate < 10 ? 2 : rate < 100 ? 1 : 0, rate);
    else number_text(number, sizeof number, 'f', 1, pace);
    progress_word(f, number, false);
    if (unit) snprintf(text, sizeof text, rate >= 0.1 ? " %s/s" : " s each", unit);
    progress_word(f, unit ? text : rate >= 0.1 ? " steps/s" : " s/step", false);
}

static void progress_time(progress_field *f, double seconds, const char *what) {
    char text[64];
    const long long s = (long long)fmin(seconds + 0.5, 1e12);
    if (s < 3600) snprintf(text, sizeof text, "%lld:%02lld%s", s / 60, s % 60, what);
    else snprintf(text, sizeof text, "%lld:%02lld:%02lld%s", s / 3600, s / 60 % 60, s % 60, what);
    progress_word(f, text, false);
}

/* ---- the line ---- */

typedef struct progress_fields {
    progress_field at[PROGRESS_FIELDS]; /* in the order of the line: step, metrics, speed, time */
    int n, metrics;
} progress_fields;

static void progress_fill(const weft_progress *p, progress_fields *f, int64_t step,
                          const weft_metrics *m, const progress_way *w, double now) {
    char text[96];
    const char *const before = p->live && w->steps ? "" : p->unit ? p->unit : "step";
    memset(f, 0, sizeof *f);
    if (w->steps)
        snprintf(text, sizeof text, "%s%s%lld/%lld", before, *before ? " " : "", (long long)step,
                 (long long)p->steps);
    else snprintf(text, sizeof text, "%s %lld", before, (long long)step);
    progress_word(&f->at[f->n++], text, false);
    for (size_t i = 0; m && i < m->n && i < WEFT_METRICS; i++) {
        const char *name = m->at[i].name;
        /* The line has its own rate, and no room for what hardly changes. */
        if (!name || !strncmp(name, "speed/", 6) || !strcmp(name, "memory_bytes")) continue;
        progress_metric(&f->at[f->n++], name, m->at[i].value, p->utf8);
        f->metrics++;
    }
    const double pace = progress_pace(p);
    if (pace > 0) progress_speed(&f->at[f->n], pace, p->unit);
    f->n++;
    if (!isnan(w->left)) progress_time(&f->at[f->n], w->left, " left");
    else if (isnan(w->done)) progress_time(&f->at[f->n], now - p->began, " elapsed");
    f->n++;
}

static void progress_take(progress_field *f, int *room) {
    if (!f->columns || f->columns + 2 > *room) return;
    f->taken = true;
    *room -= f->columns + 2;
}

/* The bar, `cells` columns between its ends. */
static void progress_bar(const weft_progress *p, text *d, double share, int cells) {
    static const char *const eighth[] = {"",
                                         "\xe2\x96\x8f",
                                         "\xe2\x96\x8e",
                                         "\xe2\x96\x8d",
                                         "\xe2\x96\x8c",
                                         "\xe2\x96\x8b",
                                         "\xe2\x96\x8a",
                                         "\xe2\x96\x89"};
    const int eighths = (int)(share * cells * 8), full = eighths / 8;
    const char *part = p->utf8 ? eighth[eighths % 8] : "";
    text_put(d, p->utf8 ? "\xe2\x96\x95" : "[");
    if (p->colour) text_put(d, "\x1b[32m");
    for (int i = 0; i < full; i++) text_put(d, p->utf8 ? "\xe2\x96\x88" : "#");
    text_put(d, part);
    if (p->colour) text_put(d, "\x1b[0m");
    for (int i = full + (*part != 0); i < cells; i++) text_put(d, p->utf8 ? " " : ".");
    text_put(d, p->utf8 ? "\xe2\x96\x8f" : "]");
}

static void progress_draw(weft_progress *p, progress_fields *f, double done) {
    const bool known = !isnan(done);
    const double share = known ? done : 0;

    /* One column stays free: some terminals wrap as soon as the last is filled. */
    int room = progress_columns(p->to) - 1 + 2, bar = 0;
    progress_field percent = {.text = ""};
    char said[16];
    snprintf(said, sizeof said, "%3d%%", (int)(100 * share));
    if (known) progress_word(&percent, said, false);
    progress_take(&percent, &room);
    progress_take(&f->at[0], &room);
    progress_take(&f->at[f->n - 1], &room);
    if (f->metrics) progress_take(&f->at[1], &room);
    if (known && room >= PROGRESS_LEAST_BAR + 4) bar = PROGRESS_LEAST_BAR, room -= bar + 4;
    progress_take(&f->at[f->n - 2], &room);
    for (int i = 1; i < f->metrics; i++) progress_take(&f->at[1 + i], &room);
    for (; bar && bar < PROGRESS_MOST_BAR && room; bar++) room--;

    /* The text borrows the line, which is large enough, and so never grows. */
    text d = {.s = p->line, .cap = sizeof p->line};
    text_clear(&d);
    if (bar) progress_bar(p, &d, share, bar);
    for (int i = -1; i < f->n; i++) {
        const progress_field *field = i < 0 ? &percent : &f->at[i];
        if (field->taken) text_add(&d, "%s%s", d.n ? "  " : "", field->text);
    }
    fprintf(p->to, "\r%s\x1b[K", p->line);
    fflush(p->to);
}

static void progress_print(weft_progress *p, const progress_fields *f) {
    bool first = true;
    for (int i = 0; i < f->n; i++) {
        if (!f->at[i].columns) continue;
        fprintf(p->to, "%s%s", first ? "" : "  ", f->at[i].text);
        first = false;
    }
    putc('\n', p->to);
    fflush(p->to);
}

void weft_progress_show(weft_progress *p, int64_t step, const weft_metrics *m) {
    if (!p || !p->to) return;
    const double now = weft_clock();
    const bool last = p->steps && step >= p->steps && !p->ended;
    progress_sample(p, step, now);
    if (now - p->shown < (p->live ? progress_draw_apart : progress_line_apart) && !last) return;
    progress_fields f;
    const progress_way w = progress_way_of(p, step, now);
    progress_fill(p, &f, step, m, &w, now);
    if (p->live) progress_draw(p, &f, w.done);
    else progress_print(p, &f);
    p->shown = now;
    p->any = true;
    p->ended = p->ended || last;
}

void weft_progress_say(weft_progress *p, const char *line) {
    if (!p || !p->to || !line) return;
    if (p->live) fputs("\r\x1b[K", p->to);
    for (size_t left = strlen(line), bytes; left; line += bytes, left -= bytes) {
        char one[12];
        bytes = escape_one(one, line, left);
        if (*line == '\n' || *line == '\t') putc(*line, p->to);
        else fputs(one, p->to);
    }
    putc('\n', p->to);
    if (p->live && p->any) fputs(p->line, p->to);
    fflush(p->to);
}

void weft_progress_free(weft_progress *p) {
    if (!p) return;
    if (p->to && p->live && p->any) {
        fputs("\r\x1b[K", p->to);
        fflush(p->to);
    }
    weft_resize(p->c, p, 0);
}
