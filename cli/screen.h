/* screen.h - letters in rows and columns, put together before they are shown.
 *
 * Whatever is put beyond the edges is not there, and text from elsewhere cannot do harm: what a
 * terminal would obey becomes ?, and so does a letter that the locale lacks. */
#ifndef WEFT_SCREEN_H
#define WEFT_SCREEN_H

#include "terminal.h"

#include <stdint.h>

typedef struct screen_cell {
    char letter[5]; /* UTF-8; "": covered by a wide letter to the left */
    unsigned char style;
} screen_cell;

typedef struct screen {
    int width, height;
    bool utf8;
    screen_cell *cell; /* [height, width] */
} screen;

bool screen_make(screen *s, int width, int height, bool utf8); /* blank; false: out of memory */
void screen_free(screen *s);
bool screen_same(const screen *a, const screen *b);

/* Puts text and gives the column after it. */
int screen_put(screen *s, int row, int column, terminal_style style, const char *text);
int screen_print(screen *s, int row, int column, terminal_style style, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void screen_right(screen *s, int row, int end, terminal_style style, const char *text); /* up to */
int screen_columns(const char *text); /* that it takes */

void screen_copy(screen *s, int row, int column, const screen *from); /* a part made apart */

/* A bar of so many cells, share of it filled, in eighths of a letter where the locale has them. */
void screen_bar(screen *s, int row, int column, int cells, terminal_style style, double share);

void screen_lines(const screen *s, const terminal *t); /* as lines of text, none below the last */
void screen_over(const screen *s, const terminal *t);  /* over all that the terminal shows */

#endif
