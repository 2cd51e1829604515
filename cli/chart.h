/* chart.h - curves over steps on a screen: braille dots where the locale has them, else letters. */
#ifndef WEFT_CHART_H
#define WEFT_CHART_H

#include "base/series.h"
#include "screen.h"

enum { CHART_LINES = 2 };

typedef struct chart {
    const series *line[CHART_LINES]; /* NULL, or without values: not drawn */
    bool log;                       /* logarithmic, where all values are above 0 */
    bool percent;
    double from, to;     /* steps at the edges; to = from: as far as the curves go */
    const char *unit;    /* behind the number of the right edge; NULL: none */
    const double *marks; /* steps that are marked on the axis */
    int mark_count;
} chart;

/* In a field of the screen; needs some 12 columns and 4 rows. */
void chart_draw(screen *s, int row, int column, int width, int height, const chart *c);

const char *chart_count(double n, char out[32]); /* "12,345", rounded */

#endif
