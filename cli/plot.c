/* plot.c - draws with braille dots and half blocks where the locale has them, else with ASCII. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLOT_ROWS = 10, PLOT_MARGIN = 9 };

/* A braille letter is 2 dots wide and 4 high; this is the bit of each dot, row by row. */
static const unsigned char plot_dot[4][2] = {
    {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

static void plot_braille(FILE *to, unsigned bits) { /* U+2800 + bits, as UTF-8 */
    putc(0xe2, to);
    putc(0xa0 | (int)(bits >> 6), to);
    putc(0x80 | (int)(bits & 0x3f), to);
}

/* The mean of a column's share of the values, so that a long curve is smooth, not sampled. */
static double plot_column(const float *values, int count, int column, int columns) {
    const int from = (int)((long)count * column / columns);
    int to = (int)((long)count * (column + 1) / columns);
    if (to <= from) to = from + 1;
    double sum = 0;
    for (int i = from; i < to; i++) sum += log(values[i] > 1e-12f ? values[i] : 1e-12f);
    return sum / (to - from);
}

void plot_curve(const terminal *t, const float *values, int count, const char *unit, long last) {
    int width = (t->width < 80 ? t->width : 80) - PLOT_MARGIN - 2;
    if (count < 2 || width < 8) return;
    const int across = t->utf8 ? 2 : 1, down = t->utf8 ? 4 : 1;
    const int columns = width * across, rows = PLOT_ROWS * down;
    double *y = malloc((size_t)columns * sizeof *y);
    unsigned char *cell = calloc((size_t)width, PLOT_ROWS);
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; y && i < columns; i++) {
        y[i] = plot_column(values, count, i, columns);
        low = fmin(low, y[i]);
        high = fmax(high, y[i]);
    }
    if (y && cell) {
        const double step = high > low ? (rows - 1) / (high - low) : 0;
        int before = -1;
        for (int i = 0; i < columns; i++) {
            const int row = (int)lround((high - y[i]) * step);
            /* A steep stretch is drawn as a line down or up from where the curve was. */
            const int away =
                before < 0 || abs(row - before) < 2 ? row : before + (row > before ? 1 : -1);
            for (int r = away < row ? away : row; r <= (away > row ? away : row); r++)
                cell[r / down * width + i / across] |= plot_dot[r % down][i % across];
            before = row;
        }
        for (int r = 0; r < PLOT_ROWS; r++) {
            const double edge = high - (high - low) * r / (PLOT_ROWS - 1);
            const bool labelled = r == 0 || r == PLOT_ROWS - 1 || r == PLOT_ROWS / 2;
            if (labelled) fprintf(t->to, "%*.3g ", PLOT_MARGIN - 1, exp(edge));
            else fprintf(t->to, "%*s", PLOT_MARGIN, "");
            fputs(t->utf8 ? "\xe2\x94\x82" : "|", t->to);
            fputs(terminal_code(t, TERMINAL_CYAN), t->to);
            for (int i = 0; i < width; i++) {
                const unsigned bits = cell[r * width + i];
                if (t->utf8) plot_braille(t->to, bits);
                else putc(bits ? '*' : ' ', t->to);
            }
            fprintf(t->to, "%s\n", terminal_code(t, TERMINAL_PLAIN));
        }
        fprintf(t->to, "%*s%s", PLOT_MARGIN, "", t->utf8 ? "\xe2\x94\x94" : "+");
        for (int i = 0; i < width; i++) fputs(t->utf8 ? "\xe2\x94\x80" : "-", t->to);
        char right[40];
        const int length = snprintf(right, sizeof right, "%ld %s", last, unit);
        fprintf(t->to, "\n%*s0%*s%s\n", PLOT_MARGIN + 1, "", width - 1 - length, "", right);
    }
    free(y);
    free(cell);
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
