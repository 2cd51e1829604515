/* chart.c - see chart.h. A column of dots shows the mean of its share of the values, so that a long
 * curve is smooth, not sampled; between values it is a straight line. */
#include "chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHART_BELOW = 2,     /* rows of the axis and its numbers */
    CHART_WIDEST = 1024, /* dots */
    CHART_FEW = 12       /* values that are marked one by one */
};

static const terminal_style chart_style[CHART_LINES] = {TERMINAL_CYAN, TERMINAL_GREEN};

/* A braille letter is 2 dots wide and 4 high; this is the bit of each dot, row by row. */
static const unsigned char chart_dot[4][2] = {
    {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

typedef struct chart_field {
    screen *s;
    int row, column, width, height; /* of the letters of the curves */
    int across, down;               /* dots of a letter */
    bool log, percent;
    int digits; /* that labels have beyond the usual, so that they differ */
    double low, high, from, to;
    unsigned char *bits; /* [height, width] */
} chart_field;

const char *chart_count(double n, char out[32]) {
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%.0f", fabs(n) < 1e18 ? fabs(n) : 1e18);
    char *to = out;
    if (n < 0) *to++ = '-';
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
    return out;
}

/* ---- dots ---- */

static double chart_place(const chart_field *f, double v) { /* on the scale */
    return f->log ? log(v) : v;
}

static void chart_set(chart_field *f, int x, int y, char letter, terminal_style style) {
    const int column = x / f->across, row = y / f->down;
    if (column < 0 || column >= f->width || row < 0 || row >= f->height) return;
    if (f->across == 1) {
        screen_put(f->s, f->row + row, f->column + column, style, (char[]){letter, 0});
        return;
    }
    unsigned char *const bits = &f->bits[row * f->width + column];
    *bits |= chart_dot[y % f->down][x % f->across];
    const char braille[] = {(char)0xe2, (char)(0xa0 | *bits >> 6), (char)(0x80 | (*bits & 0x3f)),
                            0};
    screen_put(f->s, f->row + row, f->column + column, style, braille);
}

static void chart_stretch(chart_field *f, int x0, int y0, int x1, int y1, char letter,
                          terminal_style style) {
    const int n = abs(y1 - y0) > x1 - x0 ? abs(y1 - y0) : x1 - x0;
    for (int i = n ? 1 : 0; i <= n; i++) {
        const double t = n ? (double)i / n : 0;
        chart_set(f, x0 + (int)lround(t * (x1 - x0)), y0 + (int)lround(t * (y1 - y0)), letter,
                  style);
    }
}

static void chart_line(chart_field *f, const series *c, int which) {
    const int dots = f->width * f->across < CHART_WIDEST ? f->width * f->across : CHART_WIDEST;
    const int rows = f->height * f->down;
    double sum[CHART_WIDEST] = {0};
    int count[CHART_WIDEST] = {0}, before = -1, y_before = 0;
    for (int i = 0; i < c->n; i++) {
        const series_bucket *const p = &c->at[i];
        const double n = (double)p->count, step = p->steps / n;
        const double x = f->to > f->from ? (step - f->from) / (f->to - f->from) : 0;
        const int at = (int)lround(fmax(0, fmin(1, x)) * (dots - 1));
        sum[at] += chart_place(f, p->values / n);
        count[at]++;
    }
    for (int x = 0; x < dots; x++) {
        if (!count[x]) continue;
        const double v = (sum[x] / count[x] - f->low) / (f->high - f->low);
        const int y = (int)lround((1 - fmax(0, fmin(1, v))) * (rows - 1));
        chart_stretch(f, before < 0 ? x : before, before < 0 ? y : y_before, x, y,
                      which ? 'o' : '*', chart_style[which]);
        before = x, y_before = y;
    }
    for (int i = 0; i < c->n && series_finite(c) <= CHART_FEW && f->across > 1; i++) {
        const double v = (chart_place(f, c->at[i].values) - f->low) / (f->high - f->low);
        const double x = f->to > f->from ? (c->at[i].steps - f->from) / (f->to - f->from) : 0;
        const int row = (int)lround((1 - v) * (rows - 1)) / f->down;
        const int column = (int)lround(fmax(0, fmin(1, x)) * (dots - 1)) / f->across;
        screen_put(f->s, f->row + row, f->column + column, chart_style[which], "\xe2\x80\xa2");
    }
}

/* ---- the frame ---- */

static void chart_label(const chart_field *f, double v, char out[24]) {
    const int more = f->digits;
    if (f->percent) snprintf(out, 24, "%.*f%%", 1 + more, 100 * v);
    else if (v != 0 && (fabs(v) < 1e-3 || fabs(v) >= 1e6)) snprintf(out, 24, "%.*e", 1 + more, v);
    else if (fabs(v) >= 1000) snprintf(out, 24, "%.*f", more, v);
    else snprintf(out, 24, "%.*g", 3 + more, v);
}

static double chart_value(const chart_field *f, int row) { /* at the middle of a row of letters */
    const double at = f->height > 1 ? (double)row / (f->height - 1) : 0.5;
    const double v = f->high - at * (f->high - f->low);
    return f->log ? exp(v) : v;
}

static bool chart_labelled(const chart_field *f, int row) {
    return row == 0 || row == f->height - 1 || (f->height > 4 && row == f->height / 2);
}

static void chart_axes(chart_field *f, const chart *c) {
    screen *const s = f->s;
    char text[32];
    for (int r = 0; r < f->height; r++) {
        chart_label(f, chart_value(f, r), text);
        if (chart_labelled(f, r)) screen_right(s, f->row + r, f->column - 2, TERMINAL_DIM, text);
        screen_put(s, f->row + r, f->column - 1, TERMINAL_DIM, s->utf8 ? "\xe2\x94\x82" : "|");
    }
    const int axis = f->row + f->height;
    screen_put(s, axis, f->column - 1, TERMINAL_DIM, s->utf8 ? "\xe2\x94\x94" : "+");
    for (int i = 0; i < f->width; i++)
        screen_put(s, axis, f->column + i, TERMINAL_DIM, s->utf8 ? "\xe2\x94\x80" : "-");
    for (int i = 0; i < c->mark_count; i++) {
        const double x = f->to > f->from ? (c->marks[i] - f->from) / (f->to - f->from) : 0;
        if (x >= 0 && x <= 1)
            screen_put(s, axis, f->column + (int)lround(x * (f->width - 1)), TERMINAL_RED,
                       s->utf8 ? "\xe2\x96\xb2" : "^");
    }
    screen_put(s, axis + 1, f->column, TERMINAL_DIM, chart_count(f->from, text));
    char right[80];
    snprintf(right, sizeof right, "%s%s%s", chart_count(f->to, text), c->unit ? " " : "",
             c->unit ? c->unit : "");
    screen_right(s, axis + 1, f->column + f->width, TERMINAL_DIM, right);
}

/* Columns of the widest label, once they have as many digits as they need to differ. */
static int chart_margin(chart_field *f) {
    enum { MOST = 4 }; /* more digits would not tell more */
    int widest;
    bool differ;
    f->digits = -1;
    do {
        char text[24], before[24] = "";
        f->digits++;
        widest = 0, differ = true;
        for (int r = 0; r < f->height; r++) {
            if (!chart_labelled(f, r)) continue;
            chart_label(f, chart_value(f, r), text);
            differ = differ && strcmp(text, before) != 0;
            strcpy(before, text);
            widest = (int)strlen(text) > widest ? (int)strlen(text) : widest;
        }
    } while (!differ && f->digits < MOST);
    return widest;
}

/* Room above and below what does not change. */
static void chart_range(chart_field *f) {
    const bool percent = f->percent;
    if (f->high - f->low > 1e-9 * fmax(fabs(f->low), fabs(f->high))) return;
    const double room = f->log ? 0.1 : percent ? 0.05 : f->low == 0 ? 1 : 0.1 * fabs(f->low);
    f->low -= room, f->high += room;
    if (percent) f->low = fmax(0, f->low), f->high = fmin(1, f->high);
}

void chart_draw(screen *s, int row, int column, int width, int height, const chart *c) {
    chart_field f = {.s = s, .row = row, .height = height - CHART_BELOW, .percent = c->percent};
    f.across = s->utf8 ? 2 : 1, f.down = s->utf8 ? 4 : 1;
    f.low = INFINITY, f.high = -INFINITY, f.from = c->from, f.to = c->to;
    for (int i = 0; i < CHART_LINES; i++) {
        if (!c->line[i] || !series_finite(c->line[i])) continue;
        f.low = fmin(f.low, c->line[i]->least.value), f.high = fmax(f.high, c->line[i]->most.value);
        if (!(c->to > c->from)) f.to = fmax(f.to, c->line[i]->to);
    }
    f.log = c->log && f.low > 0;
    f.low = chart_place(&f, f.low), f.high = chart_place(&f, f.high);
    if (!(f.low <= f.high) || f.height < 2) return;
    chart_range(&f);
    const int margin = chart_margin(&f);
    f.column = column + margin + 2;
    f.width = width - margin - 2;
    if (f.width < 4) return;
    f.bits = calloc((size_t)f.width, (size_t)f.height);
    if (!f.bits) return;
    chart_axes(&f, c);
    for (int i = CHART_LINES - 1; i >= 0; i--) /* the first lies above */
        if (c->line[i] && series_finite(c->line[i])) chart_line(&f, c->line[i], i);
    free(f.bits);
}
