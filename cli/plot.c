/* plot.c - a curve by chart.c, as lines of text; pictures with half blocks where the locale has them,
 * else with ASCII. */
#include "plot.h"
#include "chart.h"

#include <math.h>
#include <stdlib.h>

enum { PLOT_ROWS = 10, PLOT_BELOW = 2, PLOT_WIDEST = 80 };

void plot_curve(const terminal *t, const float *values, int count, const char *unit, long last) {
    const int width = (t->width < PLOT_WIDEST ? t->width : PLOT_WIDEST) - 2;
    series *const line = malloc(sizeof *line);
    screen s = {0};
    if (line && count > 1 && width > 16 &&
        screen_make(&s, width, PLOT_ROWS + PLOT_BELOW, t->utf8)) {
        series_begin(line, "");
        for (int i = 0; i < count; i++)
            series_add(line, (i + 1.0) * (double)last / count, fmax(1e-12, (double)values[i]));
        chart_draw(&s, 0, 2, width - 2, PLOT_ROWS + PLOT_BELOW,
                   &(chart){.line = {line}, .log = true, .to = (double)last, .unit = unit});
        screen_lines(&s, t);
    }
    screen_free(&s);
    free(line);
}

void plot_pictures(const terminal *t, const float *const *pictures, int count, int size) {
    static const char *const half[] = {" ", "\xe2\x96\x80", "\xe2\x96\x84", "\xe2\x96\x88"};
    for (int row = 0; row < size; row += 2) {
        for (int p = 0; p < count; p++) {
            fputs("  ", t->to);
            for (int i = 0; i < size; i++) {
                const float up = pictures[p][row * size + i],
                            low = pictures[p][(row + 1) * size + i];
                if (t->utf8) fputs(half[(up > 0.5f) + 2 * (low > 0.5f)], t->to);
                else putc(" .:#"[(int)fminf(3, 2 * (up + low))], t -> to);
            }
        }
        putc('\n', t->to);
    }
}
