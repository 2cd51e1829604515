/* cells.c - draws the boards of cells.h. */
#include "cells.h"

enum { CELLS_FRAME = 2 }; /* letters of it in a line, and lines of it */

static int cells_more(int a, int b) {
    return a > b ? a : b;
}

static int cells_parts(int cells, int of) {
    return (cells + of - 1) / of;
}

/* Room for letters inside the frame; the cursor needs a line below. */
static int cells_columns(const terminal *t) {
    return cells_more(1, t->width - CELLS_FRAME);
}
static int cells_rows(const terminal *t, int words) {
    return cells_more(1, t->height - CELLS_FRAME - words - 1);
}

void cells_fit(const terminal *t, int lines_of_words, int *width, int *height) {
    *width = cells_columns(t);
    *height = cells_rows(t, lines_of_words) * (t->utf8 ? 2 : 1);
}

cells_view cells_view_of(const terminal *t, int lines_of_words, int width, int height) {
    const int columns = cells_columns(t), rows = cells_rows(t, lines_of_words);
    cells_view v = {.across = 1, .down = t->utf8 ? 2 : 1, .utf8 = t->utf8};
    if (v.utf8 && (width > columns || cells_parts(height, 2) > rows)) v.across = 2, v.down = 4;
    v.width = width < columns * v.across ? width : columns * v.across;
    v.height = height < rows * v.down ? height : rows * v.down;
    v.x = (width - v.width) / 2, v.y = (height - v.height) / 2;
    return v;
}

int cells_lines(const cells_view *v) {
    return cells_parts(v->height, v->down) + CELLS_FRAME;
}

static void cells_letter(FILE *to, unsigned code) { /* beyond U+0800, as UTF-8 */
    putc((int)(0xe0 | code >> 12), to);
    putc((int)(0x80 | (code >> 6 & 63)), to);
    putc((int)(0x80 | (code & 63)), to);
}

static bool cells_at(const cells_view *v, int width, const uint8_t *cells, int y, int x) {
    if (y >= v->height || x >= v->width) return false;
    return cells[(size_t)(v->y + y) * (size_t)width + (size_t)(v->x + x)] != 0;
}

static void cells_block(FILE *to, const cells_view *v, int width, const uint8_t *cells, int y,
                        int x) {
    static const unsigned half[] = {0, 0x2580, 0x2584, 0x2588}; /* none, upper, lower, both */
    static const int dot[4][2] = {{0, 3}, {1, 4}, {2, 5}, {6, 7}};
    unsigned bits = 0;
    for (int i = 0; i < v->down; i++)
        for (int j = 0; j < v->across; j++)
            if (cells_at(v, width, cells, y + i, x + j))
                bits |= 1u << (v->across == 2 ? dot[i][j] : i);
    if (!bits) putc(' ', to);
    else if (!v->utf8) putc('O', to);
    else cells_letter(to, v->across == 2 ? 0x2800 + bits : half[bits]);
}

/* Two cells as a half block: the colour of one in front of that of the other. */
static void cells_pair(FILE *to, const cells_view *v, int width, const uint8_t *cells, int y,
                       int x) {
    const uint8_t *const at = cells + (size_t)(v->y + y) * (size_t)width + (size_t)(v->x + x);
    const int upper = at[0] & 7, lower = y + 1 < v->height ? at[width] & 7 : 0;
    if (!upper && !lower) fputs("\x1b[0m ", to);
    else if (!upper) fprintf(to, "\x1b[0;%dm\u2584", 30 + lower);
    else if (!lower) fprintf(to, "\x1b[0;%dm\u2580", 30 + upper);
    else fprintf(to, "\x1b[0;%d;%dm\u2580", 30 + upper, 40 + lower);
}

static void cells_edge(FILE *to, const terminal *t, const cells_view *v, bool top) {
    const int n = cells_parts(v->width, v->across);
    fprintf(to, "\x1b[K%s%s", terminal_code(t, TERMINAL_DIM),
            !v->utf8 ? "+"
            : top    ? "\u250c"
                     : "\u2514");
    for (int i = 0; i < n; i++) fputs(v->utf8 ? "\u2500" : "-", to);
    fprintf(to, "%s%s\n",
            !v->utf8 ? "+"
            : top    ? "\u2510"
                     : "\u2518",
            terminal_code(t, TERMINAL_PLAIN));
}

/* A line is cleared before it is written: behind its last column that would take a letter away. */
void cells_draw(FILE *to, const terminal *t, const cells_view *v, int width, const uint8_t *cells) {
    const char *const dim = terminal_code(t, TERMINAL_DIM);
    const char *const green = terminal_code(t, TERMINAL_GREEN);
    const char *const plain = terminal_code(t, TERMINAL_PLAIN);
    const char *const side = v->utf8 ? "\u2502" : "|";
    cells_edge(to, t, v, true);
    for (int y = 0; y < v->height; y += v->down) {
        fprintf(to, "\x1b[K%s%s%s%s", dim, side, plain, green);
        for (int x = 0; x < v->width; x += v->across)
            if (v->painted && t->color && v->utf8 && v->across == 1)
                cells_pair(to, v, width, cells, y, x);
            else cells_block(to, v, width, cells, y, x);
        fprintf(to, "%s%s%s%s\n", plain, dim, side, plain);
    }
    cells_edge(to, t, v, false);
}
