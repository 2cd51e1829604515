/* pattern.c - reads and writes the patterns of pattern.h.
 *
 * Plain text has a line for each row, "." and "O" for the cells, and comments that begin with "!".
 * RLE has comments that begin with "#", a line "x = 3, y = 3, rule = B3/S23", and runs of b, o
 * and $ up to a "!". Files are not trusted; messages name file, line and column. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "pattern.h"

#include <weft/io.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct pattern_text {
    weft_ctx *c;
    const char *file;
    const char *at, *end; /* what is not yet read */
    const char *begin;    /* of the line it is in */
    int line;
} pattern_text;

static weft_err pattern_fail(const pattern_text *t, const char *at, const char *problem) {
    return weft_fail(t->c, WEFT_FORMAT, "%s: line %d, column %d: %s", t->file, t->line,
                     (int)(at - t->begin) + 1, problem);
}

static weft_err pattern_make(weft_ctx *c, const char *file, int64_t width, int64_t height,
                             life_pattern *p) {
    if (width < 1 || height < 1) return weft_fail(c, WEFT_FORMAT, "%s: no cells", file);
    if (width > LIFE_SIDE || height > LIFE_SIDE || width * height > LIFE_CELLS)
        return weft_fail(c, WEFT_FORMAT,
                         "%s: %lld x %lld cells; at most %d in all, and %d across, are allowed",
                         file, (long long)width, (long long)height, LIFE_CELLS, LIFE_SIDE);
    *p = (life_pattern){.width = (int)width, .height = (int)height};
    p->cells = calloc((size_t)(width * height), 1);
    return p->cells ? WEFT_OK : weft_fail(c, WEFT_MEMORY, "out of memory");
}

/* The next line without what is white at its end; false: there is none. */
static bool pattern_line(pattern_text *t, const char **line, const char **end) {
    if (t->at == t->end) return false;
    const char *const stop = memchr(t->at, '\n', (size_t)(t->end - t->at));
    *line = t->begin = t->at;
    *end = stop ? stop : t->end;
    t->at = stop ? stop + 1 : t->end;
    t->line++;
    while (*end > *line && isspace((unsigned char)(*end)[-1])) --*end;
    return true;
}

/* ---- plain text ---- */

/* p NULL: only looks, and gives the size. */
static weft_err pattern_plain_rows(pattern_text t, life_pattern *p, int64_t *width,
                                   int64_t *height) {
    const char *line, *end;
    int64_t blank = 0; /* empty lines, which are rows if another one follows */
    *width = *height = 0;
    while (pattern_line(&t, &line, &end)) {
        if (line < end && *line == '!') continue;
        if (line == end) {
            blank += *height > 0;
            continue;
        }
        *height += blank;
        blank = 0;
        if (end - line > *width) *width = end - line;
        for (const char *at = line; at < end; at++) {
            const bool alive = *at == 'O' || *at == '*';
            if (!alive && *at != '.')
                return pattern_fail(
                    &t, at, "not a cell: \".\" and \"O\" were expected, or \"x = ...\" of RLE");
            if (p && alive) p->cells[*height * p->width + (at - line)] = 1;
        }
        ++*height;
    }
    return WEFT_OK;
}

static weft_err pattern_plain(pattern_text t, life_pattern *p) {
    int64_t width, height;
    weft_err e = pattern_plain_rows(t, NULL, &width, &height);
    if (!e) e = pattern_make(t.c, t.file, width, height, p);
    return e ? e : pattern_plain_rows(t, p, &width, &height);
}

/* ---- RLE ---- */

static const char *pattern_blanks(const char *at, const char *end) {
    while (at < end && isspace((unsigned char)*at)) at++;
    return at;
}

/* Digits, up to something that is too much for any pattern; -1: there are none. */
static int64_t pattern_number(const char **at, const char *end) {
    int64_t n = -1;
    for (; *at < end && isdigit((unsigned char)**at); ++*at)
        n = n < 0 ? **at - '0' : n > LIFE_CELLS ? n : 10 * n + (**at - '0');
    return n;
}

/* "x = 12" and such; the place behind it, or NULL. */
static const char *pattern_size(const char *at, const char *end, char name, int64_t *n) {
    at = pattern_blanks(at, end);
    if (at == end || *at++ != name) return NULL;
    at = pattern_blanks(at, end);
    if (at == end || *at++ != '=') return NULL;
    at = pattern_blanks(at, end);
    *n = pattern_number(&at, end);
    return *n < 0 ? NULL : pattern_blanks(at, end);
}

static weft_err pattern_head(const pattern_text *t, const char *line, const char *end,
                             life_pattern *p) {
    int64_t width, height;
    const char *at = pattern_size(line, end, 'x', &width);
    if (at && at < end && *at == ',') at = pattern_size(at + 1, end, 'y', &height);
    else at = NULL;
    if (!at) return pattern_fail(t, line, "\"x = WIDTH, y = HEIGHT\" was expected");
    if (at < end && *at == ',') {
        const char *rule = memchr(at, '=', (size_t)(end - at));
        if (!rule) return pattern_fail(t, at, "\", rule = B3/S23\" or nothing was expected");
        rule = pattern_blanks(rule + 1, end);
        const size_t n = (size_t)(end - rule);
        if (!(n >= 6 && strncasecmp(rule, "B3/S23", 6) == 0 && (n == 6 || rule[6] == ':')) &&
            !(n == 4 && memcmp(rule, "23/3", 4) == 0))
            return pattern_fail(t, rule, "another rule: expected B3/S23");
    }
    return pattern_make(t->c, t->file, width, height, p);
}

static weft_err pattern_runs(pattern_text *t, life_pattern *p) {
    int64_t x = 0, y = 0;
    const char *at, *end;
    while (pattern_line(t, &at, &end)) {
        if (at < end && *at == '#') continue;
        while ((at = pattern_blanks(at, end)) < end) {
            const char *const from = at;
            int64_t n = pattern_number(&at, end);
            if (at == end) return pattern_fail(t, from, "a number at the end of a line");
            const char letter = *at++;
            if (letter == '!') return WEFT_OK;
            if (n < 0) n = 1;
            if (letter == '$') {
                x = 0, y += n;
                continue;
            }
            if (letter != 'b' && letter != 'o')
                return pattern_fail(t, at - 1, "b, o, $, a number or ! was expected");
            if (x + n > p->width || y >= p->height)
                return pattern_fail(t, from, "more cells than the first line says");
            if (letter == 'o') memset(p->cells + y * p->width + x, 1, (size_t)n);
            x += n;
        }
    }
    return weft_fail(t->c, WEFT_FORMAT, "%s: line %d: the end is missing: \"!\" was expected",
                     t->file, t->line);
}

/* ---- files and names ---- */

static weft_err pattern_file(pattern_text t, life_pattern *p) {
    const pattern_text whole = t;
    const char *line, *end;
    while (pattern_line(&t, &line, &end)) {
        if (line == end || *line == '#') continue;
        if (*line != 'x') break;
        const weft_err e = pattern_head(&t, line, end, p);
        return e ? e : pattern_runs(&t, p);
    }
    return pattern_plain(whole, p);
}

static weft_err pattern_rows(weft_ctx *c, const char *rows, life_pattern *p) {
    int width = 0, height = 1, x = 0;
    for (const char *s = rows; *s; s++) {
        if (*s == '/') height++;
        x = *s == '/' ? 0 : x + 1;
        if (x > width) width = x;
    }
    const weft_err e = pattern_make(c, "", width, height, p);
    for (uint8_t *row = p->cells, *at = row; !e && *rows; rows++)
        if (*rows == '/') at = row += width;
        else *at++ = *rows == 'O';
    return e;
}

weft_err life_pattern_read(weft_ctx *c, const char *name, life_pattern *p) {
    static const struct {
        const char *name, *rows;
    } known[] = {
#define X(name, rows) {name, rows},
        LIFE_PATTERNS(X)
#undef X
    };
    *p = (life_pattern){0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0)
            return *known[i].rows ? pattern_rows(c, known[i].rows, p) : WEFT_OK;
    weft_file f = {0};
    weft_err e = weft_file_open(c, name, &f);
    if (e) {
        char why[300];
        snprintf(why, sizeof why, "%.299s", weft_error(c));
#define X(name, rows) " " name
        return weft_fail(c, e, "%s (the built-in patterns:" LIFE_PATTERNS(X) ")", why);
#undef X
    }
    const char *const s = f.bytes ? f.bytes : "";
    e = pattern_file((pattern_text){.c = c, .file = name, .at = s, .end = s + f.n, .begin = s}, p);
    weft_file_close(&f);
    if (e) life_pattern_free(p);
    return e;
}

void life_pattern_free(life_pattern *p) {
    free(p->cells);
    p->cells = NULL;
}

void life_pattern_place(const life_pattern *p, int height, int width, uint8_t *cells) {
    const int top = (height - p->height) / 2, left = (width - p->width) / 2;
    memset(cells, 0, (size_t)height * (size_t)width);
    for (int y = 0; y < p->height; y++)
        memcpy(cells + (size_t)(top + y) * (size_t)width + left,
               p->cells + (size_t)y * (size_t)p->width, (size_t)p->width);
}

/* ---- writing ---- */

static void pattern_run(FILE *to, int64_t n, char letter, int *column) {
    enum { LINE = 70 };
    char text[32];
    const int length = n == 1 ? snprintf(text, sizeof text, "%c", letter)
                              : snprintf(text, sizeof text, "%lld%c", (long long)n, letter);
    if (n < 1) return;
    if (*column + length > LINE) putc('\n', to), *column = 0;
    fputs(text, to);
    *column += length;
}

char *life_pattern_rle(int height, int width, const uint8_t *cells) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    int column = 0, rows = 0; /* rows that ended and are not yet written */
    if (!to) return NULL;
    fprintf(to, "x = %d, y = %d\n", width, height);
    for (int y = 0; y < height; y++, rows++, cells += width)
        for (int x = 0, n; x < width; x += n) {
            for (n = 1; x + n < width && !cells[x + n] == !cells[x]; n++) {
            }
            if (!cells[x] && x + n == width) continue; /* nothing more in this row */
            pattern_run(to, rows, '$', &column);
            rows = 0;
            pattern_run(to, n, cells[x] ? 'o' : 'b', &column);
        }
    fputs("!\n", to);
    const bool good = !ferror(to);
    if (fclose(to) != 0 || !good) {
        free(text);
        return NULL;
    }
    return text;
}
