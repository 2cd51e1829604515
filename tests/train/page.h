/* page.h - a reader of pages for the tests of the report: are tags and attributes well formed, and
 * what do the curves say? It takes the stricter view of XML: everything that opens closes. */
#ifndef WEFT_TEST_PAGE_H
#define WEFT_TEST_PAGE_H

#include "test.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_DEPTH = 32 };

static inline const char *
page_entity(const char *p) { /* past "&amp;" and such; NULL if it is none */
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (int i = 0; i < 5; i++)
        if (strncmp(p, known[i], strlen(known[i])) == 0) return p + strlen(known[i]);
    return NULL;
}

/* Past the attributes of a tag, at its '>' or "/>"; NULL if one is not well formed. */
static inline const char *page_attributes(const char *p) {
    for (;;) {
        const char *space = p;
        while (isspace((unsigned char)*p)) p++;
        if (*p == '>' || (*p == '/' && p[1] == '>')) return p;
        if (p == space) return NULL;
        const char *name = p;
        while (isalnum((unsigned char)*p) || *p == '-' || *p == ':') p++;
        if (p == name || p[0] != '=' || p[1] != '"') return NULL;
        for (p += 2; *p && *p != '"'; p++) {
            if (*p == '<') return NULL;
            if (*p == '&' && !page_entity(p)) return NULL;
        }
        if (!*p++) return NULL;
    }
}

/* NULL if the page is well formed, else where it is not. */
static inline const char *page_fault(const char *page) {
    static const char doctype[] = "<!DOCTYPE html>";
    char open[PAGE_DEPTH][32];
    int depth = 0;
    if (strncmp(page, doctype, strlen(doctype)) != 0) return page;
    for (const char *p = page + strlen(doctype); *p;) {
        if (*p == '&') {
            const char *after = page_entity(p);
            if (!after) return p;
            p = after;
            continue;
        }
        const bool code =
            depth && (strcmp(open[depth - 1], "style") == 0 || !strcmp(open[depth - 1], "script"));
        if (*p == '>' && !code) return p;
        if (*p != '<') {
            if (!depth && !isspace((unsigned char)*p)) return p;
            p++;
            continue;
        }
        const bool end = p[1] == '/';
        const char *at = p + 1 + end;
        char name[32];
        size_t n = 0;
        while (n < sizeof name - 1 && isalnum((unsigned char)at[n])) n++;
        if (!n) return p;
        memcpy(name, at, n);
        name[n] = 0;
        if (end) {
            if (!depth || strcmp(open[--depth], name) != 0 || at[n] != '>') return p;
            p = at + n + 1;
            continue;
        }
        const char *after = page_attributes(at + n);
        if (!after) return p;
        if (*after == '/') {
            p = after + 2;
            continue;
        }
        if (depth == PAGE_DEPTH) return p;
        strcpy(open[depth++], name);
        p = after + 1;
    }
    return depth ? page + strlen(page) : NULL;
}

static inline int page_count(const char *page, const char *part) {
    int n = 0;
    for (const char *p = page; (p = strstr(p, part)); p += strlen(part)) n++;
    return n;
}

/* ---- curves ---- */

typedef struct page_curve {
    int points, pieces;       /* points; stretches without a gap */
    double x0, x1, low, high; /* least and greatest, as values */
    double first, last;       /* values */
    bool sound;
} page_curve;

static inline void page_pair(const char *at, const char *name, double out[2]) {
    char *end;
    at = strstr(at, name);
    out[0] = at ? strtod(at + strlen(name), &end) : NAN;
    out[1] = at ? strtod(end, NULL) : NAN;
}

/* The path of a class ("curve", "noise") with that label, in the plot with that title. */
static inline page_curve page_find(const char *page, const char *title, const char *class,
                                   const char *label) {
    page_curve c = {.low = INFINITY, .high = -INFINITY, .x0 = INFINITY, .x1 = -INFINITY};
    char text[200];
    snprintf(text, sizeof text, "<h3>%s</h3>", title);
    const char *plot = strstr(page, text), *end = plot ? strstr(plot, "</figure>") : NULL;
    double xs[2], ys[2];
    if (!end) return c;
    page_pair(plot, "data-x=\"", xs);
    page_pair(plot, "data-y=\"", ys);
    const char *kind = strstr(plot, "data-kind=\"");
    const bool log = kind && strncmp(kind + 11, "log", 3) == 0;
    for (const char *p = plot; (p = strstr(p, "<path class=\"")) && p < end; p++) {
        snprintf(text, sizeof text, "<path class=\"%s ", class);
        if (strncmp(p, text, strlen(text)) != 0) continue;
        snprintf(text, sizeof text, "data-label=\"%s\" d=\"", label);
        const char *d = strstr(p, text);
        if (!d || d > strstr(p, "/>")) continue;
        double x = 0, y = 0;
        c.sound = true;
        for (d += strlen(text); *d != '"';) {
            if (d[0] == 'h' && d[1] == '0') {
                d += 2;
                continue;
            }
            char *after;
            const bool move = *d == 'M';
            if (*d != 'M' && *d != 'l') {
                c.sound = false;
                break;
            }
            x = strtol(d + 1, &after, 10) + (move ? 0 : x);
            y = strtol(after, &after, 10) + (move ? 0 : y);
            if (x < -1 || x > 10001 || y < -1 || y > 10001) c.sound = false;
            const double step = xs[0] + x / 1e4 * (xs[1] - xs[0]);
            double v = ys[1] - y / 1e4 * (ys[1] - ys[0]);
            if (log) v = pow(10, v);
            if (!c.points++) c.first = v;
            c.last = v;
            c.pieces += move;
            c.x0 = fmin(c.x0, step), c.x1 = fmax(c.x1, step);
            c.low = fmin(c.low, v), c.high = fmax(c.high, v);
            d = after;
        }
        return c;
    }
    return c;
}

#endif
