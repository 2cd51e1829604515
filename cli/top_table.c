/* top_table.c - the lower part of a frame: rate, memory and outliers, and the table of kernels. */
#include "chart.h"
#include "source.h"
#include "top.h"

#include <math.h>
#include <string.h>

/* ---- figures ---- */

typedef struct top_table_flow {
    screen *s; /* NULL: only counts rows */
    int width, row, rows, column;
} top_table_flow;

/* A label and what it says, on the next row if this one has no room. */
static void top_table_figure(top_table_flow *f, const char *label, const char *text) {
    const int columns = screen_columns(label) + 1 + screen_columns(text);
    if (f->column && f->column + columns > f->width) f->rows++, f->column = 0;
    if (!f->rows) f->rows = 1;
    if (f->s) {
        const int row = f->row + f->rows - 1;
        const int at = screen_put(f->s, row, f->column, TERMINAL_BOLD, label);
        screen_put(f->s, row, at + 1, TERMINAL_PLAIN, text);
    }
    f->column += columns + 3;
}

/* row below 0: only how many rows it takes. */
void top_figures(const top_run *t, const top_facts *f, screen *s, int row, int *rows) {
    top_table_flow flow = {.s = row < 0 ? NULL : s, .width = s->width, .row = row};
    char text[160], number[40], bytes[16];
    if (!isnan(f->rate)) {
        int n = snprintf(text, sizeof text, "%s steps/s", top_rate(f->rate, number));
        if (!isnan(f->examples))
            snprintf(text + n, sizeof text - (size_t)n, ", %s examples/s",
                     top_rate(f->examples, number));
        top_table_figure(&flow, "Rate", text);
    }
    int n = 0;
    const struct {
        double bytes;
        const char *what;
    } parts[] = {
        {f->memory, "resident"}, {(double)t->status.state_bytes, "state"}, {f->arena, "arena"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!(parts[i].bytes > 0)) continue;
        source_bytes(parts[i].bytes, bytes);
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%s %s", n ? ", " : "", bytes,
                      parts[i].what);
    }
    if (n) top_table_figure(&flow, "Memory", text);
    if (t->outliers) {
        n = snprintf(text, sizeof text, "%s", chart_count((double)t->outliers, number));
        snprintf(text + n, sizeof text - (size_t)n, ", last at step %s",
                 chart_count(t->outlier_at, number));
        top_table_figure(&flow, "Outliers", text);
    }
    if (!isnan(f->age) && f->state == TOP_RUNNING) {
        snprintf(text, sizeof text, "%s ago", top_duration(floor(f->age), number));
        top_table_figure(&flow, "Last row", text);
    }
    *rows = flow.rows;
}

/* ---- kernels ---- */

/* A time with its unit; "1.23 ms". */
static const char *top_table_time(double us, char out[40]) {
    if (isnan(us)) strcpy(out, "");
    else if (us >= 1e6) snprintf(out, 40, "%.2f s", us / 1e6);
    else if (us >= 1e3) snprintf(out, 40, "%.2f ms", us / 1e3);
    else snprintf(out, 40, "%.1f us", us);
    return out;
}

/* What limits most kernels is one of the two; the greater number is the telling one. */
static const char *top_table_work(const weft_run_kernel *k, char out[40]) {
    const bool flops = k->gflops > 0 && !(k->gbs > k->gflops);
    if (flops) snprintf(out, 40, "%.1f GFLOP/s", k->gflops);
    else if (k->gbs > 0) snprintf(out, 40, "%.1f GB/s", k->gbs);
    else out[0] = 0;
    return out;
}

static const char *top_table_percent(double share, int decimals, char out[40]) {
    if (isnan(share)) out[0] = 0;
    else snprintf(out, 40, "%.*f %%", decimals, 100 * share);
    return out;
}

enum { TOP_SHARE = 7, TOP_TIME = 10, TOP_WORK = 16, TOP_ROOF = 6 }; /* columns */

typedef struct top_table_columns {
    int scope, shape, bar, share, time, work, roof;
    int name_width, scope_width, shape_width, bar_width; /* shape_width 0: it is left out */
} top_table_columns;

static int top_table_least(int a, int b) {
    return a < b ? a : b;
}

static top_table_columns top_table_layout(int width, bool roof) {
    top_table_columns c = {0};
    int left = width - (TOP_SHARE + TOP_TIME + TOP_WORK + (roof ? TOP_ROOF : 0));
    if (left < 24) left = 24; /* the last columns are cut off */
    c.name_width = top_table_least(left * 2 / 5, 26);
    c.scope_width = top_table_least(left * 2 / 5, 34);
    left -= c.name_width + c.scope_width;
    c.shape_width = left > 40 ? top_table_least(left / 2, 50) : 0;
    c.bar_width = top_table_least(left - c.shape_width, 40);
    c.scope = c.name_width;
    c.shape = c.scope + c.scope_width;
    c.bar = c.shape + c.shape_width;
    c.share = c.bar + c.bar_width + TOP_SHARE; /* these end there */
    c.time = c.share + TOP_TIME;
    c.work = c.time + TOP_WORK;
    c.roof = c.work + TOP_ROOF;
    return c;
}

/* Cut to its column, with a space behind it. */
static void top_table_cell(screen *s, int row, int column, int width, terminal_style style,
                           const char *text) {
    screen cell;
    if (width < 2 || !screen_make(&cell, width - 1, 1, s->utf8)) return;
    screen_put(&cell, 0, 0, style, text);
    if (screen_columns(text) > width - 1)
        screen_put(&cell, 0, width - (s->utf8 ? 2 : 3), style, s->utf8 ? "\xe2\x80\xa6" : "..");
    screen_copy(s, row, column, &cell);
    screen_free(&cell);
}

int top_kernels(const top_run *t, screen *s, int row, int rows) {
    const weft_run_kernels *const k = &t->kernels;
    bool roof = false; /* is it known for any? */
    for (int i = 0; i < k->kernel_count; i++) roof = roof || !isnan(k->kernel[i].of_roof);
    const top_table_columns c = top_table_layout(s->width, roof);
    char text[40];
    int at = screen_put(s, row, 0, TERMINAL_BOLD, "Kernels");
    if (k->step_us > 0)
        at =
            screen_print(s, row, at, TERMINAL_DIM, "  %s a step", top_table_time(k->step_us, text));
    if (k->threads)
        at = screen_print(s, row, at, TERMINAL_DIM, ", %lld thread%s", (long long)k->threads,
                          k->threads == 1 ? "" : "s");
    if (k->wait >= 0.005)
        at = screen_print(s, row, at, TERMINAL_DIM, ", %.0f %% waiting", 100 * k->wait);
    if (rows < k->kernel_count)
        screen_print(s, row, at, TERMINAL_DIM, ", the %d largest of %d", rows, k->kernel_count);
    row++;
    screen_put(s, row, 0, TERMINAL_DIM, "kernel");
    screen_put(s, row, c.scope, TERMINAL_DIM, "scope");
    if (c.shape_width) screen_put(s, row, c.shape, TERMINAL_DIM, "shape");
    screen_right(s, row, c.share, TERMINAL_DIM, "share");
    screen_right(s, row, c.time, TERMINAL_DIM, "time");
    screen_right(s, row, c.work, TERMINAL_DIM, "work");
    if (roof) screen_right(s, row, c.roof, TERMINAL_DIM, "roof");
    row++;
    double most = 0; /* whose bar is full */
    for (int i = 0; i < k->kernel_count; i++) most = fmax(most, k->kernel[i].share);
    for (int i = 0; i < rows && i < k->kernel_count; i++, row++) {
        const weft_run_kernel *const one = &k->kernel[i];
        top_table_cell(s, row, 0, c.name_width, TERMINAL_PLAIN, one->name);
        top_table_cell(s, row, c.scope, c.scope_width, TERMINAL_DIM, one->scope);
        top_table_cell(s, row, c.shape, c.shape_width, TERMINAL_DIM, one->shape);
        screen_bar(s, row, c.bar, c.bar_width, TERMINAL_CYAN, one->share / most);
        screen_right(s, row, c.share, TERMINAL_PLAIN, top_table_percent(one->share, 1, text));
        screen_right(s, row, c.time, TERMINAL_PLAIN, top_table_time(one->us, text));
        screen_right(s, row, c.work, TERMINAL_PLAIN, top_table_work(one, text));
        screen_right(s, row, c.roof, TERMINAL_PLAIN, top_table_percent(one->of_roof, 0, text));
    }
    return rows;
}
