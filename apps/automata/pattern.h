/* pattern.h - shapes to begin a Game of Life with: by name, or from a file in one of the two
 * forms that people exchange, plain text and RLE. */
#ifndef WEFT_LIFE_PATTERN_H
#define WEFT_LIFE_PATTERN_H

#include <weft/weft.h>

/* clang-format off */
/*      name           its rows, with / between them; "" for cells by chance */
#define LIFE_PATTERNS(X)                                                                           \
    X("random",      "")                                                                           \
    X("glider",      ".O./..O/OOO")                                                                \
    X("r-pentomino", ".OO/OO./.O.")                                                                \
    X("gun",         "........................O/......................O.O/"                        \
                     "............OO......OO............OO/...........O...O....OO............OO/"  \
                     "OO........O.....O...OO/OO........O...O.OO....O.O/"                           \
                     "..........O.....O.......O/...........O...O/............OO")
/* clang-format on */

enum { LIFE_SIDE = 4096, LIFE_CELLS = 1 << 22 }; /* the most that a pattern or a board has */

typedef struct life_pattern {
    int width, height;
    uint8_t *cells; /* [height, width], 0 or 1; NULL: by chance */
} life_pattern;

/* One of the names above, or the path of a file. */
weft_err life_pattern_read(weft_ctx *c, const char *name, life_pattern *p);
void life_pattern_free(life_pattern *p);

/* In the middle of an empty board, which is at least as large. */
void life_pattern_place(const life_pattern *p, int height, int width, uint8_t *cells);

/* A whole board as RLE, where any cell but 0 is alive; to be freed; NULL: out of memory. */
char *life_pattern_rle(int height, int width, const uint8_t *cells);

#endif
