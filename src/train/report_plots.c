/* report_plots.c - which metrics share a plot, and a plot as SVG.
 *
 * The canvas has no size of its own: places are percentages, curves lie in an inner drawing that
 * is stretched, with strokes that are not. So a plot fits any width and its text stays readable. */
#include "base/text.h"
#include "report.h"
#include "scale.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Parts of the data: name, style of its lines, and how significant it is. */
#define REPORT_PARTS(X)                                                                            \
    X("train", 0, 1)                                                                               \
    X("test", 1, 4)                                                                                \
    X("valid", 2, 3) X("validation", 2, 3) X("val", 2, 3) X("dev", 2, 3) X("eval", 2, 2)

static const struct report_part {
    const char *name;
    int look, rank;
} report_parts[] = {
#define X(name, look, rank) {name, look, rank},
    REPORT_PARTS(X)
#undef X
};

/* Colours and dashes: the second six lines have the colours of the first, and other dashes. */
enum { REPORT_COLOURS = 6 };
#define REPORT_LOOK(look)                                                                          \
    (look) % REPORT_COLOURS, ((look) + (look) / REPORT_COLOURS) % REPORT_COLOURS

enum { REPORT_UNITS = 10000, REPORT_DOTS = 60 }; /* of the inner drawing; a mark for each value */

/* ---- arranging ---- */

static const char *report_slash(const char *name) { /* the end of the group; NULL: it has none */
    const char *slash = strchr(name, '/');
    return slash && slash != name && slash[1] ? slash : NULL;
}

static const struct report_part *report_part_of(const char *name) {
    const char *slash = report_slash(name);
    for (size_t i = 0; slash && i < sizeof report_parts / sizeof *report_parts; i++) {
        const size_t n = strlen(report_parts[i].name);
        if (name + n == slash && memcmp(name, report_parts[i].name, n) == 0)
            return &report_parts[i];
    }
    return NULL;
}

static void report_plot_name(const char *name, char *plot) {
    const char *slash = report_slash(name);
    strcpy(plot, slash && report_part_of(name) ? slash + 1 : name);
    if (slash && !report_part_of(name)) plot[slash - name] = 0;
}

const char *report_label(const series *s) {
    const struct report_part *part = report_part_of(s->name);
    const char *slash = report_slash(s->name);
    return part ? part->name : slash ? slash + 1 : s->name;
}

static bool report_look_free(const report_plot *p, int look) {
    for (int i = 0; i < p->n; i++)
        if (p->look[i] == look) return false;
    return true;
}

static void report_enter(report *r, const series *s) {
    char name[SERIES_NAME];
    report_plot_name(s->name, name);
    int k = 0;
    while (k < r->plot_count &&
           (strcmp(r->plots[k].name, name) != 0 || r->plots[k].n == REPORT_LINES))
        k++;
    report_plot *p = &r->plots[k];
    if (k == r->plot_count) {
        memset(p, 0, sizeof *p);
        strcpy(p->name, name);
        r->plot_count++;
    }
    const struct report_part *part = report_part_of(s->name);
    int look = part ? part->look : 0;
    while (!report_look_free(p, look)) look = (look + 1) % REPORT_LINES;
    int at = p->n++;
    for (; part && at && p->look[at - 1] > look; at--) /* training comes before test */
        p->look[at] = p->look[at - 1], p->line[at] = p->line[at - 1];
    p->look[at] = look;
    p->line[at] = s;
}

/* "outlier/loss" is no line of its own but marks in the plot of the loss, if there is one. */
static const char report_marks[] = "outlier/";

static const char *report_marked(const char *name) { /* the plot; NULL: these are no marks */
    const size_t n = sizeof report_marks - 1;
    return strncmp(name, report_marks, n) == 0 && name[n] ? name + n : NULL;
}

static bool report_is_plot(const report *r, const char *name) {
    for (int i = 0; i < r->n; i++) {
        char plot[SERIES_NAME];
        report_plot_name(r->series[i]->name, plot);
        if (!report_marked(r->series[i]->name) && strcmp(plot, name) == 0) return true;
    }
    return false;
}

static const series *report_marks_of(const report *r, const report_plot *p) {
    for (int i = 0; i < r->n; i++) {
        const char *const plot = report_marked(r->series[i]->name);
        if (plot && strcmp(plot, p->name) == 0 && r->series[i]->n) return r->series[i];
    }
    return NULL;
}

/* Loss, accuracy and rate come first, the rest as the run wrote them. */
static int report_rank(const char *name) {
    static const char *const first[] = {"loss", "accuracy", "rate"};
    int i = 0;
    while (i < 3 && strcmp(first[i], name) != 0) i++;
    return i;
}

void report_arrange(report *r) {
    r->from = INFINITY, r->to = -INFINITY;
    for (int i = 0; i < r->n; i++) {
        const series *s = r->series[i];
        const char *const marked = report_marked(s->name);
        if (!marked || !report_is_plot(r, marked)) report_enter(r, s);
        if (s->n) r->from = fmin(r->from, s->from), r->to = fmax(r->to, s->to);
    }
    for (int i = 1; i < r->plot_count; i++)
        for (int k = i; k && report_rank(r->plots[k].name) < report_rank(r->plots[k - 1].name);
             k--) {
            const report_plot t = r->plots[k];
            r->plots[k] = r->plots[k - 1], r->plots[k - 1] = t;
        }
}

const series *report_best(const report *r, const char *name) {
    const series *best = NULL;
    int most = 0;
    for (int i = 0; i < r->n; i++) {
        const series *s = r->series[i];
        const struct report_part *part = report_part_of(s->name);
        const char *own = part ? report_slash(s->name) + 1 : s->name;
        const int rank = part ? part->rank : 1;
        if (strcmp(own, name) != 0 || !s->n || rank <= most) continue;
        best = s, most = rank;
    }
    return best;
}

bool report_is_held_out(const series *s, const char *name) {
    const struct report_part *part = report_part_of(s->name);
    return part && part->rank > 1 && strcmp(report_slash(s->name) + 1, name) == 0;
}

bool report_is_share(const char *name, const series *s) {
    return strstr(name, "accuracy") && s->n && s->least.value >= 0 && s->most.value <= 1;
}

bool report_is_bytes(const char *name) {
    static const char end[] = "_bytes";
    const size_t n = strlen(name), k = sizeof end - 1;
    return n > k && strcmp(name + n - k, end) == 0;
}

const series *report_series_of(const report *r, const char *name) {
    for (int i = 0; i < r->n; i++)
        if (strcmp(r->series[i]->name, name) == 0) return r->series[i];
    return NULL;
}

/* What was measured on all of a data set is as it is; single batches are noise around something. */
bool report_noisy(const series *s) {
    const struct report_part *part = report_part_of(s->name);
    return series_noisy(s) && !(part && part->rank > 1);
}

/* ---- the scale of a plot ---- */

static bool report_has(const char *name, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strstr(name, words[i])) return true;
    return false;
}

/* What falls by orders of magnitude is told by a logarithmic scale; a schedule by a linear one. */
static bool report_wants_log(const char *name, double least, double most) {
    static const char *const falls[] = {"loss", "error", "perplexity", "norm", "entropy"};
    static const char *const never[] = {"accuracy", "rate", "epoch", "speed", "time", "_bytes"};
    if (!(least > 0) || report_has(name, never, sizeof never / sizeof *never)) return false;
    return most / least >= (report_has(name, falls, 5) ? 50 : 1e4);
}

/* ---- words ---- */

static void report_words(text *d, const char *name) { /* "steps_per_s" is "steps per s" */
    char text[SERIES_NAME];
    strcpy(text, name);
    for (char *p = text; *p; p++)
        if (*p == '_') *p = ' ';
    text_html(d, text);
}

/* "rate" is "Learning rate", "memory_bytes" is "Memory". */
static void report_title(text *d, const char *name) {
    static const char *const known[][2] = {
        {"rate", "learning rate"},
        {"lr", "learning rate"},
        {"rmse", "RMSE"},
        {"mae", "MAE"},
        {"mse", "MSE"},
        {"r2", "R\xc2\xb2"},
    };
    char text[SERIES_NAME];
    strcpy(text, name);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i][0]) == 0) strcpy(text, known[i][1]);
    if (report_is_bytes(text)) *strrchr(text, '_') = 0;
    text[0] = (char)toupper((unsigned char)text[0]);
    report_words(d, text);
}

/* ---- drawing ---- */

typedef struct report_canvas {
    report *r;
    scale x, y;
    long px, py; /* where the pen is */
    bool down, alone;
} report_canvas;

static void report_pen_up(report_canvas *k) {
    if (k->down && k->alone) text_put(&k->r->page, "h0"); /* a dot, by its round ends */
    k->down = false;
}

static void report_point(report_canvas *k, series_point p) {
    const long x = lround(scale_at(&k->x, p.step) * REPORT_UNITS),
               y = lround((1 - scale_at(&k->y, p.value)) * REPORT_UNITS);
    if (!k->down) text_add(&k->r->page, "M%ld %ld", x, y);
    else text_add(&k->r->page, "l%ld%s%ld", x - k->px, y < k->py ? "" : " ", y - k->py);
    k->alone = !k->down;
    k->down = true;
    k->px = x, k->py = y;
}

static void report_path(report_canvas *k, const series *s, const char *class, int look,
                        const series_point *curve) {
    text *d = &k->r->page;
    text_add(d, "<path class=\"%s c%d d%d\" data-label=\"", class, REPORT_LOOK(look));
    report_words(d, report_label(s));
    text_put(d, "\" d=\"");
    k->down = false;
    for (int i = 0; i < s->n; i++) {
        const series_bucket *b = &s->at[i];
        if (b->gap) report_pen_up(k);
        if (curve) {
            report_point(k, curve[i]);
        } else if (b->count == 1) {
            report_point(k, b->least);
        } else {
            const bool rising = b->least.step <= b->most.step;
            report_point(k, rising ? b->least : b->most);
            report_point(k, rising ? b->most : b->least);
        }
    }
    report_pen_up(k);
    text_put(d, "\"/>\n");
}

double report_latest(report *r, const series *s) {
    if (!report_noisy(s)) return s->last.value;
    series_smooth(s, false, r->curve);
    return r->curve[s->n - 1].value;
}

static void report_percent(text *d, double share) {
    text_fixed(d, 100 * share, 2);
    text_put(d, "%");
}

static void report_axes(report_canvas *k) {
    text *d = &k->r->page;
    char text[REPORT_NUMBER];
    for (int i = 0; i < k->y.ticks; i++) {
        const double at = 1 - scale_at(&k->y, k->y.tick[i]);
        text_put(d, "<line x2=\"100%\" y1=\"");
        report_percent(d, at);
        text_put(d, "\" y2=\"");
        report_percent(d, at);
        text_put(d, "\"/><text class=\"y\" x=\"-10\" y=\"");
        report_percent(d, at);
        text_add(d, "\" dy=\".35em\">%s</text>\n", scale_label(&k->y, i, text, sizeof text));
    }
    text_put(d, "<text class=\"y\" x=\"-22\" y=\"100%\" dy=\"1.6em\">step</text>\n");
    for (int i = 0; i < k->x.ticks; i++) {
        const double at = scale_at(&k->x, k->x.tick[i]);
        text_put(d, "<line class=\"tick\" y1=\"100%\" y2=\"100%\" x1=\"");
        report_percent(d, at);
        text_put(d, "\" x2=\"");
        report_percent(d, at);
        text_put(d, "\"/><text class=\"x\" y=\"100%\" dy=\"1.6em\" x=\"");
        report_percent(d, at);
        text_add(d, "\">%s</text>\n", scale_label(&k->x, i, text, sizeof text));
    }
}

static void report_curves(report_canvas *k, const report_plot *p) {
    text *d = &k->r->page;
    text_add(d,
             "<svg class=\"curves\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" "
             "width=\"100%%\" height=\"100%%\">\n",
             REPORT_UNITS, REPORT_UNITS);
    /* The noise of all lies under the curves of all. */
    for (int i = 0; i < p->n; i++)
        if (report_noisy(p->line[i])) report_path(k, p->line[i], "noise", p->look[i], NULL);
    for (int i = 0; i < p->n; i++) {
        const series *s = p->line[i];
        if (!s->n) continue;
        const bool noisy = report_noisy(s);
        if (noisy) series_smooth(s, k->y.log, k->r->curve);
        report_path(k, s, "curve", p->look[i], noisy ? k->r->curve : NULL);
    }
    text_put(d, "</svg>\n");
    for (int i = 0; i < p->n; i++) {
        const series *s = p->line[i];
        for (int b = 0; s->count <= REPORT_DOTS && b < s->n; b++) {
            text_add(d, "<circle class=\"c%d\" r=\"2.5\" cx=\"", p->look[i] % REPORT_COLOURS);
            report_percent(d, scale_at(&k->x, s->at[b].least.step));
            text_put(d, "\" cy=\"");
            report_percent(d, 1 - scale_at(&k->y, s->at[b].least.value));
            text_put(d, "\"/>\n");
        }
    }
}

/* Around values that may be far above the curve: then at the edge. */
static void report_mark(report_canvas *k, series_point p) {
    text *d = &k->r->page;
    char text[REPORT_NUMBER];
    text_put(d, "<circle class=\"odd\" r=\"5\" cx=\"");
    report_percent(d, scale_at(&k->x, p.step));
    text_put(d, "\" cy=\"");
    report_percent(d, 1 - fmax(0, fmin(1, scale_at(&k->y, p.value))));
    text_add(d, "\"><title>step %s: ", report_count(text, (int64_t)p.step));
    text_add(d, "%s</title></circle>\n", report_value(text, p.value, false));
}

static void report_mark_all(report_canvas *k, const series *marks) {
    for (int i = 0; i < marks->n; i++) {
        const series_bucket *const b = &marks->at[i];
        report_mark(k, b->most);
        if (b->count > 1) report_mark(k, b->least);
    }
}

/* ---- the figure around it ---- */

bool report_once(const report_plot *p) {
    for (int i = 0; i < p->n; i++)
        if (p->line[i]->count > 1) return false;
    return true;
}

void report_list(report *r) {
    text *d = &r->page;
    char text[REPORT_NUMBER];
    bool any = false;
    for (int k = 0; k < r->plot_count; k++) {
        const report_plot *const p = &r->plots[k];
        for (int i = 0; report_once(p) && i < p->n; i++) {
            const series *const s = p->line[i];
            const bool share = s->n && report_is_share(p->name, s),
                       bytes = report_is_bytes(s->name);
            text_put(d, any ? ", " : "<p class=\"note\">Logged once: ");
            any = true;
            report_words(d, s->name);
            text_add(d, " <b>%s</b>",
                     !s->n   ? "\xe2\x80\x93"
                     : bytes ? report_bytes(text, s->last.value)
                             : report_value(text, s->last.value, share));
        }
    }
    if (any) text_put(d, ".</p>\n");
}

static void report_legend(report *r, const report_plot *p, bool share) {
    text *d = &r->page;
    char text[REPORT_NUMBER];
    text_put(d, "<ul class=\"legend\">\n");
    for (int i = 0; i < p->n; i++) {
        const series *s = p->line[i];
        text_add(d,
                 "<li><svg class=\"swatch\"><line class=\"c%d d%d\" x2=\"100%%\" y1=\"50%%\" "
                 "y2=\"50%%\"/></svg>",
                 REPORT_LOOK(p->look[i]));
        const char *label = report_label(s);
        if (p->n > 1 || strcmp(label, p->name) != 0) report_words(d, label);
        double last = s->n ? report_latest(r, s) : 0;
        /* The end of a schedule is 0 but for rounding. */
        if (fabs(last) < 1e-9 * fmax(fabs(s->least.value), fabs(s->most.value))) last = 0;
        const bool bytes = report_is_bytes(s->name);
        text_add(d, " <b>%s</b></li>\n",
                 !s->n   ? "\xe2\x80\x93"
                 : bytes ? report_bytes(text, last)
                         : report_value(text, last, share));
    }
    text_put(d, "</ul>");
}

static void report_notes(text *d, const report_plot *p, const series *marks, bool log) {
    int64_t lost = 0;
    bool noisy = false;
    char text[REPORT_NUMBER];
    for (int i = 0; i < p->n; i++) {
        lost += p->line[i]->lost;
        noisy = noisy || report_noisy(p->line[i]);
    }
    if (!lost && !log && !noisy && !marks) return;
    text_put(d, "<p class=\"note\">");
    if (log) text_put(d, "Logarithmic scale. ");
    if (noisy) text_put(d, "Faint: as logged; strong: smoothed. ");
    if (marks) {
        text_add(d, "%s %s, circled. ", report_count(text, marks->count),
                 marks->count == 1 ? "outlier" : "outliers");
    }
    if (lost)
        text_add(d, "%s %s not finite.", report_count(text, lost),
                 lost == 1 ? "value was" : "values were");
    text_put(d, "</p>\n");
}

void report_draw(report *r, const report_plot *p, bool wide) {
    text *d = &r->page;
    double y0 = INFINITY, y1 = -INFINITY;
    bool share = true;
    for (int i = 0; i < p->n; i++) {
        const series *s = p->line[i];
        if (!s->n) continue;
        share = share && report_is_share(p->name, s);
        y0 = fmin(y0, s->least.value), y1 = fmax(y1, s->most.value);
    }
    const series *const marks = report_marks_of(r, p);
    const bool some = y0 <= y1, log = some && report_wants_log(p->name, y0, y1);
    text_add(d, "<figure class=\"plot%s\">\n<figcaption><h3>", wide ? " wide" : "");
    report_title(d, p->name);
    text_put(d, "</h3>");
    report_legend(r, p, some && share);
    text_put(d, "</figcaption>\n");
    const bool bytes = report_is_bytes(p->line[0]->name);
    if (bytes) y0 = fmin(0, y0); /* it is the amount that matters, not its last page */
    if (some) {
        if (share && y0 == y1) y0 = fmax(0, y0 - 0.05), y1 = fmin(1, y1 + 0.05);
        report_canvas k = {
            .r = r, .x = scale_steps(r->from, r->to), .y = scale_values(y0, y1, log)};
        char low[32], high[32];
        k.y.percent = share;
        k.y.bytes = bytes;
        text_put(d, "<div class=\"frame\"><svg class=\"canvas\" role=\"img\" aria-label=\"");
        report_title(d, p->name);
        text_put(d, " by step\"");
        text_add(d, " data-x=\"%s %s\"", number_text(low, sizeof low, 'g', 17, k.x.low),
                 number_text(high, sizeof high, 'g', 17, k.x.high));
        text_add(d, " data-y=\"%s %s\" data-kind=\"%s\">\n",
                 number_text(low, sizeof low, 'g', 17, k.y.low),
                 number_text(high, sizeof high, 'g', 17, k.y.high),
                 k.y.log ? "log"
                 : share ? "share"
                 : bytes ? "bytes"
                         : "plain");
        report_axes(&k);
        report_curves(&k, p);
        if (marks) report_mark_all(&k, marks);
        text_put(d, "</svg></div>\n");
    } else text_put(d, "<p class=\"empty\">No finite value.</p>\n");
    report_notes(d, p, marks, log);
    text_put(d, "</figure>\n");
}
