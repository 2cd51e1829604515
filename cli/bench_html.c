/* bench_html.c - weft bench --html: a row for each figure, with its samples drawn, its ratio to the
 * baseline and its way through the history.
 *
 * Samples are dots in the order they were taken, the band behind them is the interval of the
 * median; all dots of a row share a scale from the least to the 95th of a hundred, beyond which
 * they lie on the upper edge. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "bench_html.h"

#include "base/utf8.h"

#include <weft/io.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HTML_WIDE = 200, HTML_HIGH = 44, HTML_HISTORY = 60 };

static const char html_style[] =
    ":root{color-scheme:light dark;--ground:#fafaf8;--ink:#1c1e22;--soft:#60656e;--hair:#dddcd6;"
    "--dot:#2468b0;--band:#2468b022;--bad:#b3261e;--good:#2b8a5f}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--ground:#15171a;--ink:#e6e7e9;"
    "--soft:#9aa0a9;--hair:#33373d;--dot:#6cabee;--band:#6cabee33;--bad:#ff8a80;--good:#66c396}}\n"
    "body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif;"
    "font-variant-numeric:tabular-nums}\n"
    "main{max-width:1240px;margin:0 auto;padding:48px 28px}\n"
    "h1{font-size:32px;letter-spacing:-.02em;margin:0 0 4px}\n"
    "p{color:var(--soft);margin:0 0 6px;max-width:60em}\n"
    ".table{overflow-x:auto;margin-top:28px}\n"
    "table{border-collapse:collapse;width:100%}\n"
    "th{font-weight:500;font-size:13px;color:var(--soft);text-align:right;padding:6px 10px;"
    "border-bottom:2px solid var(--ink);white-space:nowrap}\n"
    "td{text-align:right;padding:6px 10px;border-bottom:1px solid var(--hair);white-space:nowrap}\n"
    "th:first-child,td:first-child{text-align:left;padding-left:0}\n"
    "td small{display:block;color:var(--soft);font-size:12px}\n"
    "td.name{font-weight:600}\n"
    "svg{display:block;overflow:visible}\n"
    "circle{fill:var(--dot);opacity:.75}\n"
    ".band{fill:var(--band)}\n"
    ".middle{stroke:var(--dot);stroke-width:1.5}\n"
    ".way{fill:none;stroke:var(--dot);stroke-width:1.5}\n"
    ".typical{stroke:var(--hair);stroke-width:1}\n"
    ".slower{color:var(--bad);font-weight:600}.faster{color:var(--good)}\n";

static void html_text(FILE *f, const char *s) {
    char one[12];
    for (size_t left = strlen(s), bytes; left; s += bytes, left -= bytes) {
        bytes = escape_one(one, s, left);
        if (*s == '<') fputs("&lt;", f);
        else if (*s == '&') fputs("&amp;", f);
        else if (*s == '"') fputs("&quot;", f);
        else fputs(one, f);
    }
}

/* ---- drawings ---- */

static void html_samples(FILE *f, const weft_timing *t) {
    const double low = t->min_us, high = t->p95_us > low ? t->p95_us : low * 1.001 + 1e-9;
    const double unit = (HTML_HIGH - 8) / (high - low);
    fprintf(f,
            "<svg width=\"%d\" height=\"%d\" role=\"img\"><title>%d samples, %d discarded</title>",
            HTML_WIDE, HTML_HIGH, t->samples, t->disturbed);
#define HTML_Y(us) (HTML_HIGH - 4 - unit * (fmin(us, high) - low))
    fprintf(f, "<rect class=\"band\" x=\"0\" width=\"%d\" y=\"%.1f\" height=\"%.1f\"/>", HTML_WIDE,
            HTML_Y(t->high_us), fmax(HTML_Y(t->low_us) - HTML_Y(t->high_us), 1));
    fprintf(f, "<line class=\"middle\" x1=\"0\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", HTML_WIDE,
            HTML_Y(t->median_us), HTML_Y(t->median_us));
    for (int i = 0; i < t->samples; i++)
        fprintf(f, "<circle r=\"1.8\" cx=\"%.1f\" cy=\"%.1f\"/>",
                (i + 0.5) * HTML_WIDE / t->samples, HTML_Y(t->us[i]));
#undef HTML_Y
    fputs("</svg>", f);
}

/* The last records of one name; the line across is what was usual before the last. */
static void html_history(FILE *f, const weft_history *h, const bench_figure *of) {
    double value[HTML_HISTORY], least = INFINITY, most = 0;
    int n = 0;
    weft_bench_record r;
    for (size_t i = weft_history_count(h); i-- > 0 && n < HTML_HISTORY;) {
        weft_history_at(h, i, &r);
        if (strcmp(r.name, of->record.name) != 0 || r.threads != of->record.threads) continue;
        value[n++] = r.relative;
        least = fmin(least, r.relative), most = fmax(most, r.relative);
    }
    const double span = most > least ? most - least : 1;
    fprintf(f, "<td><svg width=\"120\" height=\"%d\" role=\"img\"><title>%d runs</title>",
            HTML_HIGH, n);
#define HTML_Y(v) (HTML_HIGH - 4 - (HTML_HIGH - 8) * ((v)-least) / span)
    if (isfinite(of->view.typical))
        fprintf(f, "<line class=\"typical\" x1=\"0\" x2=\"120\" y1=\"%.1f\" y2=\"%.1f\"/>",
                HTML_Y(of->view.typical), HTML_Y(of->view.typical));
    fputs("<polyline class=\"way\" points=\"", f);
    for (int i = n; i-- > 0;)
        fprintf(f, "%.1f,%.1f ", n > 1 ? 116.0 * (n - 1 - i) / (n - 1) : 116.0, HTML_Y(value[i]));
    if (n) fprintf(f, "\"/><circle r=\"2.5\" cx=\"116\" cy=\"%.1f\"/>", HTML_Y(value[0]));
    else fputs("\"/>", f);
#undef HTML_Y
    fprintf(f, "</svg>%s</td>", of->view.outlier ? "<small class=\"slower\">outlier</small>" : "");
}

/* ---- the page ---- */

/* Microseconds as a person reads them. */
static const char *html_us(char text[32], double us) {
    snprintf(text, 32, us < 1e4 ? "%.4g" : "%.0f", us);
    return text;
}

static void html_row(FILE *f, const bench_records *k, const bench_figure *x) {
    const weft_timing *t = &x->time;
    fputs("<tr><td class=\"name\">", f);
    html_text(f, x->record.name);
    if (x->record.threads > 1)
        fprintf(f, "<small>%d threads, ping %.2f us</small>", x->record.threads, x->record.ping_us);
    char us[5][32];
    fprintf(f, "</td><td>%s</td><td>%s<small>to %s</small></td><td>%s</td><td>%s</td>",
            html_us(us[0], t->median_us), html_us(us[1], t->low_us), html_us(us[2], t->high_us),
            html_us(us[3], t->min_us), html_us(us[4], t->p95_us));
    fprintf(f, "<td>%d<small>%d discarded</small></td><td>", t->samples, t->disturbed);
    html_samples(f, t);
    fputs("</td>", f);
    if (k->then && x->then.threads)
        fprintf(f, "<td class=\"%s\">%.3f<small>%s us then</small></td>",
                x->regressed              ? "slower"
                : x->slowdown.ratio < 0.9 ? "faster"
                                          : "",
                x->slowdown.ratio, html_us(us[0], x->then.median_us));
    else if (k->then) fputs("<td>new</td>", f);
    if (k->history) html_history(f, k->history, x);
    fputs("</tr>\n", f);
}

static void html_page(FILE *f, const bench_records *k) {
    weft_machine m;
    weft_machine_of(k->ctx, &m);
    char when[40] = "";
    const time_t now = time(NULL);
    struct tm local;
    if (localtime_r(&now, &local)) strftime(when, sizeof when, "%Y-%m-%d %H:%M", &local);
    fprintf(f,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
            "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
            "<title>weft bench</title>\n<style>\n%s</style></head>\n<body><main>\n"
            "<h1>weft bench</h1>\n<p>%s, Weft %s, ",
            html_style, when, weft_version());
    html_text(f, m.cpu);
    fprintf(f, ", %d cores, %s.</p>\n", m.cores, m.isa);
    fputs("<p>Microseconds of one call. Dots are samples in the order they were taken, the line is "
          "their median and the band its 95 % confidence interval; disturbed samples are "
          "discarded.",
          f);
    if (k->then) {
        fputs(" The ratio is to ", f);
        html_text(f, k->set->baseline);
        fputs(", of times in calibration loops.", f);
    }
    fputs("</p>\n<div class=\"table\"><table>\n<tr><th></th><th>median</th><th>between</th>"
          "<th>minimum</th><th>95th percentile</th><th>samples</th><th></th>",
          f);
    if (k->then) fputs("<th>ratio</th>", f);
    if (k->history) fputs("<th>history</th>", f);
    fputs("</tr>\n", f);
    for (size_t i = 0; i < k->n; i++) html_row(f, k, &k->figure[i]);
    fputs("</table></div>\n</main></body></html>\n", f);
}

weft_err bench_html_write(const bench_records *k, const char *path) {
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    if (f) html_page(f, k);
    const bool whole = f && !ferror(f);
    weft_err e = f && fclose(f) == 0 && whole
                     ? weft_file_write(k->ctx, path, text, n)
                     : weft_fail(k->ctx, WEFT_MEMORY, "%s: out of memory", path);
    free(text);
    return e;
}
