/* screen.c - see screen.h. A frame is one write, so that a terminal never shows half of it. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "screen.h"

#include "base/utf8.h"

#include <weft/io.h>

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool screen_make(screen *s, int width, int height, bool utf8) {
    *s = (screen){.width = width > 0 ? width : 0, .height = height > 0 ? height : 0, .utf8 = utf8};
    const size_t cells = (size_t)s->width * (size_t)s->height;
    s->cell = calloc(cells + 1, sizeof *s->cell);
    for (size_t i = 0; s->cell && i < cells; i++) s->cell[i].letter[0] = ' ';
    return s->cell != NULL;
}

void screen_free(screen *s) {
    free(s->cell);
    *s = (screen){0};
}

bool screen_same(const screen *a, const screen *b) {
    const size_t cells = (size_t)a->width * (size_t)a->height;
    return a->cell && b->cell && a->width == b->width && a->height == b->height &&
           memcmp(a->cell, b->cell, cells * sizeof *a->cell) == 0;
}

/* ---- letters ---- */

/* The letter that s begins with: its bytes, at least 1, and its number; 0: it is none, or one that
 * must not be shown. */
static int screen_letter(const char *s, uint32_t *code) {
    char one[12];
    const int n = (int)escape_one(one, s, strnlen(s, 4));
    *code = n == 1 ? (unsigned char)*s : (unsigned char)*s & (0x7fu >> n);
    for (int i = 1; i < n; i++) *code = *code << 6 | ((unsigned char)s[i] & 0x3f);
    if (memcmp(one, s, (size_t)n) != 0) *code = 0;
    return n;
}

typedef struct screen_range {
    uint32_t from, to;
} screen_range;

static bool screen_among(uint32_t code, const screen_range *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (code >= list[i].from && code <= list[i].to) return true;
    return false;
}
#define SCREEN_AMONG(code, list) screen_among(code, list, sizeof list / sizeof *(list))

static int screen_wide(uint32_t code) { /* columns of it */
    static const screen_range none[] = {{0x300, 0x36f},   {0x200b, 0x200d}, {0x20d0, 0x20ff},
                                        {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef}};
    static const screen_range two[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},  {0x3041, 0xa4cf},
                                       {0xac00, 0xd7a3},   {0xf900, 0xfaff},  {0xfe30, 0xfe6f},
                                       {0xff00, 0xff60},   {0xffe0, 0xffe6},  {0x1f300, 0x1f64f},
                                       {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
    return SCREEN_AMONG(code, none) ? 0 : SCREEN_AMONG(code, two) ? 2 : 1;
}

int screen_columns(const char *text) {
    int columns = 0;
    for (uint32_t code; *text;) {
        text += screen_letter(text, &code);
        columns += code ? screen_wide(code) : 1;
    }
    return columns;
}

/* ---- putting ---- */

static void screen_cell_put(screen *s, int row, int column, terminal_style style, const char *text,
                            int bytes) {
    if (row < 0 || row >= s->height || column < 0 || column >= s->width) return;
    screen_cell *const c = &s->cell[row * s->width + column];
    memset(c, 0, sizeof *c); /* frames are compared byte by byte */
    memcpy(c->letter, text, (size_t)bytes);
    c->style = (unsigned char)style;
}

int screen_put(screen *s, int row, int column, terminal_style style, const char *text) {
    for (uint32_t code; *text;) {
        const int bytes = screen_letter(text, &code);
        const bool fits = code && (bytes == 1 || s->utf8);
        const int wide = fits ? screen_wide(code) : 1;
        /* Half of a wide letter at the edge is not shown. */
        if (wide && column + wide <= s->width)
            screen_cell_put(s, row, column, style, fits ? text : "?", fits ? bytes : 1);
        if (wide == 2 && column + wide <= s->width)
            screen_cell_put(s, row, column + 1, style, "", 0);
        column += wide;
        text += bytes;
    }
    return column;
}

int screen_print(screen *s, int row, int column, terminal_style style, const char *format, ...) {
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return screen_put(s, row, column, style, text);
}

void screen_right(screen *s, int row, int end, terminal_style style, const char *text) {
    screen_put(s, row, end - screen_columns(text), style, text);
}

void screen_copy(screen *s, int row, int column, const screen *from) {
    const int room = s->width - column, wide = from->width < room ? from->width : room;
    for (int y = 0; y < from->height && row + y < s->height && wide > 0; y++)
        memcpy(s->cell + (row + y) * s->width + column, from->cell + y * from->width,
               (size_t)wide * sizeof *s->cell);
}

void screen_bar(screen *s, int row, int column, int cells, terminal_style style, double share) {
    share = share > 0 ? fmin(share, 1) : 0; /* nan is nothing too */
    const int eighths = (int)lround(share * cells * 8), full = s->utf8 ? eighths / 8 : 0;
    const int hashes = (int)lround(share * cells);
    for (int i = 0; i < full; i++) screen_put(s, row, column + i, style, "\xe2\x96\x88");
    /* U+258F is an eighth of a column, and so on down to U+2588, all of it */
    const char part[] = {'\xe2', '\x96', (char)(0x90 - eighths % 8), 0};
    if (s->utf8 && eighths % 8) screen_put(s, row, column + full, style, part);
    for (int i = 0; i < hashes && !s->utf8; i++) screen_put(s, row, column + i, style, "#");
}

/* ---- showing ---- */

static void screen_row(const screen *s, const terminal *t, int row, FILE *to) {
    const screen_cell *const c = s->cell + row * s->width;
    int end = s->width;
    while (end && c[end - 1].letter[0] == ' ') end--;
    terminal_style style = TERMINAL_PLAIN;
    for (int i = 0; i < end; i++) {
        const bool blank = c[i].letter[0] == ' '; /* looks the same in every style */
        if (!blank && c[i].style != style) {
            if (style != TERMINAL_PLAIN) fputs(terminal_code(t, TERMINAL_PLAIN), to);
            style = c[i].style;
            if (style != TERMINAL_PLAIN) fputs(terminal_code(t, style), to);
        }
        fputs(c[i].letter, to);
    }
    if (style != TERMINAL_PLAIN) fputs(terminal_code(t, TERMINAL_PLAIN), to);
}

static bool screen_blank(const screen *s, int row) {
    for (int i = 0; i < s->width; i++)
        if (s->cell[row * s->width + i].letter[0] != ' ') return false;
    return true;
}

void screen_lines(const screen *s, const terminal *t) {
    int end = s->height;
    while (end && screen_blank(s, end - 1)) end--;
    for (int row = 0; row < end; row++) {
        screen_row(s, t, row, t->to);
        putc('\n', t->to);
    }
}

void screen_over(const screen *s, const terminal *t) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *const to = open_memstream(&text, &bytes);
    if (!to) return;
    for (int row = 0; row < s->height; row++) {
        fprintf(to, "\x1b[%d;1H", row + 1);
        screen_row(s, t, row, to);
        if (s->width && s->cell[(row + 1) * s->width - 1].letter[0] == ' ') fputs("\x1b[K", to);
    }
    if (fclose(to) == 0) fwrite(text, 1, bytes, t->to);
    fflush(t->to);
    free(text);
}
