/* grid.c - a small world of cells with walls, a goal and a pit, which can be solved exactly.
 *
 * Only the first cell is random, so the best return from every cell follows
 * from its distance to the goal, and agents can be compared with it. */
#include "rl/tables.h"

#include <string.h>

enum { GRID_CELLS = WEFT_GRID_ROWS * WEFT_GRID_COLUMNS };
static const char grid_map[GRID_CELLS + 1] = "....#..G"
                                             ".##.#.#."
                                             ".#....#P"
                                             ".#.##..."
                                             "...#..#."
                                             ".#...#..";

/* What is on a cell; a number that is no cell has none of these. */
static char grid_on(int32_t cell) {
    return cell >= 0 && cell < GRID_CELLS ? grid_map[cell] : '#';
}

static void grid_reset(void *e, weft_rng *r, int level) {
    (void)level;
    weft_grid *const g = e;
    do g->cell = (int32_t)rng_below(r, GRID_CELLS);
    while (grid_on(g->cell) != '.');
}

static float grid_step(void *e, weft_rng *r, int action, bool *done) {
    static const int8_t down[4] = {-1, 1, 0, 0}, right[4] = {0, 0, -1, 1};
    (void)r;
    weft_grid *const g = e;
    const int row = g->cell / WEFT_GRID_COLUMNS + down[action & 3];
    const int column = g->cell % WEFT_GRID_COLUMNS + right[action & 3];
    const int32_t to = row * WEFT_GRID_COLUMNS + column;
    const bool inside =
        row >= 0 && row < WEFT_GRID_ROWS && column >= 0 && column < WEFT_GRID_COLUMNS;
    if (inside && grid_on(to) != '#') g->cell = to;
    const char on = grid_on(g->cell);
    *done = on == 'G' || on == 'P';
    return on == 'G' ? 1 : on == 'P' ? -1 : -0.01f;
}

static void grid_index(const void *e, int32_t *slots) {
    const int32_t cell = ((const weft_grid *)e)->cell;
    slots[0] = cell >= 0 && cell < GRID_CELLS ? cell : 0;
}

static void grid_observe(const void *e, float *obs) {
    int32_t slot;
    grid_index(e, &slot);
    env_one_hot(&slot, 1, obs, GRID_CELLS);
}

static weft_err grid_check(weft_ctx *c, const void *e) {
    const int32_t cell = ((const weft_grid *)e)->cell;
    if (grid_on(cell) == '.') return WEFT_OK;
    return weft_fail(c, WEFT_ARGUMENT, "grid: invalid cell %d: %s", (int)cell,
                     cell < 0 || cell >= GRID_CELLS ? "must be 0 to 47"
                     : grid_on(cell) == '#'         ? "it is a wall"
                                                    : "it ends an episode");
}

static void grid_show(const void *e, char *text, size_t bytes) {
    const int32_t here = ((const weft_grid *)e)->cell;
    size_t n = 0;
    for (int i = 0; i < GRID_CELLS && n + 3 < bytes; i++) {
        text[n++] = i == here ? '@' : grid_map[i];
        if (i % WEFT_GRID_COLUMNS == WEFT_GRID_COLUMNS - 1) text[n++] = '\n';
    }
    if (bytes) text[n] = 0;
}

const weft_env env_grid = {.name = "grid",
                           .size = sizeof(weft_grid),
                           .obs = GRID_CELLS,
                           .slots = 1,
                           .words = GRID_CELLS,
                           .actions = 4,
                           .limit = 100,
                           .reset = grid_reset,
                           .step = grid_step,
                           .observe = grid_observe,
                           .index = grid_index,
                           .check = grid_check,
                           .show = grid_show};
