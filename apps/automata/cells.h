/* cells.h - a board of cells in a terminal: 0 is empty, others are alive, or have a colour.
 *
 * Letters are about twice as high as wide, so half blocks make two cells of one; where that is too
 * large, braille makes eight. Without UTF-8 a cell is a letter. What does not fit even so is cut
 * off around the middle. */
#ifndef WEFT_CELLS_H
#define WEFT_CELLS_H

#include "cli/terminal.h"

#include <stdint.h>

typedef struct cells_view {
    int across, down;  /* cells in a letter: 1 x 2, 2 x 4 or 1 x 1 */
    int x, y;          /* the first cell that is shown */
    int width, height; /* cells that are shown */
    bool utf8;
    bool painted; /* in colours: bits of red, green and blue; else alive or not */
} cells_view;

/* The board that fills a terminal, with some lines left for words. */
void cells_fit(const terminal *t, int lines_of_words, int *width, int *height);

/* How to show a board there, ... */
cells_view cells_view_of(const terminal *t, int lines_of_words, int width, int height);
int cells_lines(const cells_view *v); /* with the frame */

/* ... and shows cells [height, width] of a board so wide, in a frame; a line is cleared before it
 * is written. */
void cells_draw(FILE *to, const terminal *t, const cells_view *v, int width, const uint8_t *cells);

#endif
