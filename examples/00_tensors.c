/* 00_tensors.c - tensors: recording a formula, printing it, running it.
 *
 * New here: weft_open, weft_graph_new, shapes, broadcasting, weft_print, weft_compile, weft_run. */
#include <stdio.h>
#include <weft/weft.h>

enum { ROWS = 24, COLUMNS = 72, TURNS = 48 };

/* Numbers from lo to hi, along one axis of a [ROWS, COLUMNS] picture. */
static weft_tensor ramp(weft_graph *g, int axis, float lo, float hi) {
    const int count = axis == 0 ? ROWS : COLUMNS;
    weft_tensor i = weft_cast(weft_iota(g, weft_dims(ROWS, COLUMNS), axis), WEFT_F32);
    return weft_offset(weft_scale(i, (hi - lo) / (float)(count - 1)), lo);
}

/* How often z = z^2 + c may be repeated before |z| exceeds 2: the Mandelbrot set. */
static weft_tensor mandelbrot(weft_tensor x, weft_tensor y) {
    weft_tensor re = x, im = y, turns = weft_scale(x, 0), four = weft_scalar(x.g, 4);
    for (int i = 0; i < TURNS; i++) {
        weft_tensor near = weft_le(weft_add(weft_square(re), weft_square(im)), four);
        turns = weft_add(turns, weft_cast(near, WEFT_F32));
        weft_tensor next = weft_add(weft_sub(weft_square(re), weft_square(im)), x);
        im = weft_clamp(weft_add(weft_scale(weft_mul(re, im), 2), y), -9, 9);
        re = weft_clamp(next, -9, 9); /* what has escaped stays outside, and finite */
    }
    return turns;
}

int main(void) {
    weft_ctx *c = weft_open("auto");
    weft_graph *g = weft_graph_new(c);
    if (!g) return fprintf(stderr, "%s\n", weft_error(c)), 1;

    /* A column times a row is a table. Nothing is computed until it is needed. */
    weft_tensor n = weft_offset(weft_cast(weft_iota(g, weft_dims(8), 0), WEFT_F32), 1);
    weft_tensor table = weft_mul(weft_unsqueeze(n, 1), n);
    printf("The times table, [8, 1] x [8]:\n");
    weft_print(table);
    printf("\nIts columns added up:\n");
    weft_print(weft_sum(table, weft_axes(0), false));
    const float total = weft_item_of(weft_sum(table, WEFT_ALL, false));
    printf("\nAll of it: %g, which is (1 + ... + 8)^2\n\n", total);

    /* For more than a look: compile once, run as often as you like, read the result. */
    weft_tensor turns = mandelbrot(ramp(g, 1, -2.2f, 0.8f), ramp(g, 0, -1.2f, 1.2f));
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(turns)});
    static float picture[ROWS][COLUMNS];
    if (!p || weft_run(p) != WEFT_OK || weft_get(p, turns, picture, sizeof picture) != WEFT_OK)
        return fprintf(stderr, "%s\n", weft_error(c)), 1;
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++)
            putchar(" ..::-=+*#%@"[(int)(picture[i][j] * 11 / TURNS)]);
        putchar('\n');
    }
    weft_stats st = weft_plan_stats(p);
    printf("\n%d turns of z = z^2 + c over %d points: %u kernels, %zu bytes of memory.\n", TURNS,
           ROWS * COLUMNS, (unsigned)st.kernels, st.arena_bytes);

    /* The set is symmetric, it holds -1, and 0.8 + 1.2i is far outside. */
    bool right = total == 36 * 36 && picture[0][COLUMNS - 1] < 4;
    for (int j = 0; j < COLUMNS; j++) right = right && picture[3][j] == picture[ROWS - 4][j];
    right = right && picture[ROWS / 2][(int)(1.2f / 3.0f * (COLUMNS - 1))] == TURNS;
    weft_plan_free(p);
    weft_graph_free(g);
    weft_close(c);
    return right ? 0 : 1;
}
