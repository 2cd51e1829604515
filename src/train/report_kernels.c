/* report_kernels.c - where the time of a step goes: a table of kernels with bars, and next to each
 * other the scopes and the arena at its peak. From kernels.json, if the run has one. */
#include "base/text.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPORT_KERNELS = 16, REPORT_TENSORS = 12 }; /* seen at once; other kernels unfold */

/* ---- cells ---- */

static const char *report_microseconds(char *text, double us) {
    char number[40];
    const bool seconds = us >= 1e6, milli = us >= 1e3;
    const double v = seconds ? us / 1e6 : milli ? us / 1e3 : us;
    number_text(number, sizeof number, 'f', v < 10 ? 2 : 1, v);
    snprintf(text, REPORT_NUMBER, "%s\xc2\xa0%s", number,
             seconds ? "s"
             : milli ? "ms"
                     : "\xc2\xb5s");
    return text;
}

/* A number in its cell, with so many decimals and a unit; an empty cell where there is none. */
static void report_number_cell(text *d, double v, int decimals, const char *unit) {
    text_put(d, "<td class=\"n\">");
    if (isfinite(v) && v != 0) {
        text_fixed(d, v, decimals);
        text_put(d, unit);
    }
    text_put(d, "</td>");
}

static void report_time_cell(text *d, double us) {
    char text[REPORT_NUMBER];
    text_add(d, "<td class=\"n\">%s</td>", isfinite(us) ? report_microseconds(text, us) : "");
}

static void report_text_cell(text *d, const char *tag, const char *text) {
    text_add(d, "<%s>", tag);
    text_html(d, text);
    text_add(d, "</%s>", strncmp(tag, "th", 2) == 0 ? "th" : "td");
}

/* A bar, full for `most`, and the share in words. */
static void report_bar_cell(text *d, double share, double most) {
    const double width = most > 0 && share > 0 ? fmin(1, share / most) : 0;
    text_put(d, "<td class=\"bar\"><i style=\"width:");
    text_fixed(d, 100 * width, 1);
    text_put(d, "%\"></i></td>");
    report_number_cell(d, 100 * share, 1, "\xc2\xa0%");
}

/* Its name, and under it what goes in and comes out, with a true arrow. */
static void report_kernel_cell(text *d, const weft_run_kernel *k) {
    char shape[sizeof k->shape];
    strcpy(shape, k->shape);
    char *const arrow = strstr(shape, "->");
    if (arrow) *arrow = 0;
    text_put(d, "<th scope=\"row\">");
    text_html(d, k->name);
    if (k->calls > 1) text_add(d, " \xc3\x97 %s", report_count((char[REPORT_NUMBER]){0}, k->calls));
    text_put(d, "<small>");
    text_html(d, shape);
    if (arrow) text_put(d, "\xe2\x86\x92"), text_html(d, arrow + 2);
    text_put(d, "</small></th>");
}

/* ---- equal ones ---- */

/* The same place in another copy of a layer: digits become a star, but not in the last word, so that
 * block3/fc1 and block12/fc1 are one, and block3/fc1 and block3/fc2 are two. */
static void report_place(const char *scope, char *place) {
    const char *const last = strrchr(scope, '/');
    for (; *scope; scope++) {
        const bool digit = *scope >= '0' && *scope <= '9' && last && scope < last;
        if (digit && place[-1] == '*') continue;
        *place++ = digit ? '*' : *scope;
    }
    *place = 0;
}

static bool report_equal(const weft_run_kernel *a, const weft_run_kernel *b) {
    char place[2][1 + sizeof a->scope] = {" ", " "};
    report_place(a->scope, place[0] + 1);
    report_place(b->scope, place[1] + 1);
    return !strcmp(a->name, b->name) && !strcmp(a->shape, b->shape) && !strcmp(place[0], place[1]);
}

/* Rates of both together are means by time. */
static void report_join(weft_run_kernel *to, const weft_run_kernel *x) {
    const double all = to->us + x->us, part = all > 0 ? x->us / all : 0.5;
    if (strcmp(to->scope, x->scope) != 0) {
        char place[1 + sizeof to->scope] = " ";
        report_place(to->scope, place + 1);
        strcpy(to->scope, place + 1);
    }
    to->calls += x->calls;
    to->gflops += part * (x->gflops - to->gflops);
    to->gbs += part * (x->gbs - to->gbs);
    to->of_roof += part * (x->of_roof - to->of_roof);
    to->us = all;
    to->share += x->share;
}

static int report_dearer(const void *a, const void *b) {
    const weft_run_kernel *const x = a, *const y = b;
    const double p = fmax(x->share, -1), q = fmax(y->share, -1); /* fmax drops a nan */
    if (p != q) return p < q ? 1 : -1;
    const int order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->shape, y->shape);
}

/* Kernels that do the same for equal layers become one row. */
static void report_group(weft_run_kernels *k) {
    int n = 0;
    for (int i = 0; i < k->kernel_count; i++) {
        int at = 0;
        while (at < n && !report_equal(&k->kernel[at], &k->kernel[i])) at++;
        if (at < n) report_join(&k->kernel[at], &k->kernel[i]);
        else k->kernel[n++] = k->kernel[i];
    }
    k->kernel_count = n;
    qsort(k->kernel, (size_t)n, sizeof *k->kernel, report_dearer);
}

/* ---- tables ---- */

/* What is no kernel: a name, its share and its time. */
static void report_other_row(text *d, const char *name, double share, double most, double us,
                             bool roof) {
    text_add(d, "<tr><th scope=\"row\">%s</th><td class=\"soft\"></td>", name);
    report_bar_cell(d, share, most);
    report_time_cell(d, us);
    text_add(d, "<td class=\"n\"></td><td class=\"n\"></td>%s</tr>\n",
             roof ? "<td class=\"n\"></td>" : "");
}

/* The rows that make the shares add up: waiting, and kernels that kernels.json has no room for. */
static void report_other_rows(report *r, double most, bool roof) {
    const weft_run_kernels *const k = &r->kernels;
    const double all = k->step_us * (double)(k->threads > 0 ? k->threads : 1);
    double rest = 1;
    for (int i = 0; i < k->kernel_count; i++) rest -= fmax(0, k->kernel[i].share);
    if (!(all > 0) || !isfinite(all)) return;
    if (k->wait > 0) rest -= k->wait;
    if (k->wait >= 0.0005)
        report_other_row(&r->page, "waiting for other threads", k->wait, most, k->wait * all, roof);
    if (rest >= 0.0005 && rest < 1)
        report_other_row(&r->page, "everything else", rest, most, rest * all, roof);
}

static void report_kernel_rows(report *r, int from, int to) {
    text *d = &r->page;
    double most = 0;
    bool roof = false; /* is it known for any? */
    for (int i = 0; i < r->kernels.kernel_count; i++) {
        most = fmax(most, r->kernels.kernel[i].share); /* fmax drops a nan */
        roof = roof || isfinite(r->kernels.kernel[i].of_roof);
    }
    text_put(d, "<div class=\"scroll\"><table class=\"costs\">\n<thead><tr><th>Kernel</th>"
                "<th>Scope</th><th colspan=\"2\">Share of all time</th>"
                "<th class=\"n\">Time</th><th class=\"n\">GFLOP/s</th><th class=\"n\">GB/s</th>");
    text_add(d, "%s</tr></thead>\n<tbody>\n", roof ? "<th class=\"n\">Of the roof</th>" : "");
    for (int i = from; i < to; i++) {
        const weft_run_kernel *const k = &r->kernels.kernel[i];
        text_put(d, "<tr>");
        report_kernel_cell(d, k);
        report_text_cell(d, "td class=\"soft\"", k->scope);
        report_bar_cell(d, k->share, most);
        report_time_cell(d, k->us);
        report_number_cell(d, k->gflops, 1, "");
        report_number_cell(d, k->gbs, 1, "");
        if (roof) report_number_cell(d, 100 * k->of_roof, 0, "\xc2\xa0%");
        text_put(d, "</tr>\n");
    }
    if (!from) report_other_rows(r, most, roof);
    text_put(d, "</tbody>\n</table></div>\n");
}

static void report_scopes(report *r) {
    const weft_run_kernels *const k = &r->kernels;
    text *d = &r->page;
    double most = 0;
    if (!k->scope_count) return;
    for (int i = 0; i < k->scope_count; i++) most = fmax(most, k->scope[i].share);
    text_put(d, "<div>\n<h3>By scope</h3>\n<table class=\"costs\">\n<tbody>\n");
    for (int i = 0; i < k->scope_count; i++) {
        text_put(d, "<tr>");
        report_text_cell(d, "th scope=\"row\"",
                         *k->scope[i].scope ? k->scope[i].scope : "outside all scopes");
        report_bar_cell(d, k->scope[i].share, most);
        report_time_cell(d, k->scope[i].us);
        text_put(d, "</tr>\n");
    }
    text_put(d, "</tbody>\n</table>\n</div>\n");
}

/* The arena from the first kernel of a step to the last, as a silhouette. */
static void report_timeline(report *r) {
    enum { HIGH = 1000 };
    const weft_run_kernels *const k = &r->kernels;
    text *d = &r->page;
    double most = 0;
    for (int i = 0; i < k->live_count; i++) most = fmax(most, (double)k->live[i]);
    if (k->live_count < 2 || !(most > 0)) return;
    text_add(d,
             "<svg class=\"timeline\" role=\"img\" aria-label=\"Bytes in the arena, kernel after "
             "kernel\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\"><path d=\"M0 %d",
             k->live_count, HIGH, HIGH);
    for (int i = 0; i < k->live_count; i++)
        text_add(d, "V%ldH%d", lround(HIGH * (1 - (double)k->live[i] / most)), i + 1);
    text_add(d,
             "V%dz\"/></svg>\n<p class=\"note\">Bytes in use, from the first kernel of a step "
             "to the last.</p>\n",
             HIGH);
}

static void report_arena(report *r) {
    const weft_run_kernels *const k = &r->kernels;
    text *d = &r->page;
    char text[REPORT_NUMBER];
    if (!k->tensor_count) return;
    text_put(d, "<div>\n<h3>The arena at its fullest");
    if (k->peak_bytes > 0) text_add(d, ": %s of", report_bytes(text, (double)k->peak_bytes));
    if (k->peak_bytes > 0)
        text_add(d, " %s", report_bytes(text, fmax((double)k->arena_bytes, (double)k->peak_bytes)));
    text_put(d, "</h3>\n");
    report_timeline(r);
    text_put(d, "<table class=\"costs\">\n<tbody>\n");
    double most = 0;
    for (int i = 0; i < k->tensor_count; i++) most = fmax(most, (double)k->tensor[i].bytes);
    const int seen = k->tensor_count < REPORT_TENSORS ? k->tensor_count : REPORT_TENSORS;
    for (int i = 0; i < seen; i++) {
        const double bytes = (double)k->tensor[i].bytes;
        text_put(d, "<tr>");
        report_text_cell(d, "th scope=\"row\"", k->tensor[i].name);
        text_put(d, "<td class=\"bar\"><i style=\"width:");
        text_fixed(d, most > 0 ? 100 * bytes / most : 0, 1);
        text_add(d, "%%\"></i></td><td class=\"n\">%s</td></tr>\n", report_bytes(text, bytes));
    }
    text_put(d, "</tbody>\n</table>\n");
    if (seen < k->tensor_count)
        text_add(d, "<p class=\"note\">And %d smaller.</p>\n", k->tensor_count - seen);
    text_put(d, "</div>\n");
}

/* ---- the section ---- */

static void report_step_words(report *r) {
    const weft_run_kernels *const k = &r->kernels;
    text *d = &r->page;
    char text[REPORT_NUMBER];
    if (!(k->step_us > 0)) return;
    text_add(d, "<p class=\"costs-of\">A step takes <b>%s</b>",
             report_microseconds(text, k->step_us));
    if (k->threads)
        text_add(d, " on %s thread%s", report_count(text, k->threads), k->threads == 1 ? "" : "s");
    if (k->wait >= 0.005) {
        text_put(d, ", which wait for each other ");
        text_fixed(d, 100 * k->wait, 0);
        text_put(d, "\xc2\xa0% of the time");
    }
    if (k->runs > 0)
        text_add(d, "; measured over %s run%s", report_count(text, k->runs),
                 k->runs == 1 ? "" : "s");
    text_put(d, ".");
    if (k->arena_bytes > 0)
        text_add(d, " Its intermediates take %s.", report_bytes(text, (double)k->arena_bytes));
    if (k->threads > 1) text_put(d, " Times of kernels are those of all threads together.");
    text_put(d, "</p>\n");
}

void report_kernels(report *r) {
    const weft_run_kernels *const k = &r->kernels;
    text *d = &r->page;
    if (!r->profiled || !k->kernel_count) return;
    report_group(&r->kernels);
    text_put(d, "<section>\n<h2>Kernels</h2>\n");
    report_step_words(r);
    const int seen = k->kernel_count <= REPORT_KERNELS + 2 ? k->kernel_count : REPORT_KERNELS;
    report_kernel_rows(r, 0, seen);
    if (seen < k->kernel_count) {
        text_add(d, "<details><summary>%d more</summary>\n", k->kernel_count - seen);
        report_kernel_rows(r, seen, k->kernel_count);
        text_put(d, "</details>\n");
    }
    if (k->scope_count || k->tensor_count) {
        text_put(d, "<div class=\"pair\">\n");
        report_scopes(r);
        report_arena(r);
        text_put(d, "</div>\n");
    }
    text_put(d, "</section>\n");
}
