/* interp_run.c - from tile to tile of a prepared row program: maps and resident rows.
 *
 * What happens in a tile is interp_walk.c's, programs in phases are interp_sweep.c's. */
#include "backend/cpu/interp_walk.h"

/* Set index[0 .. n) to the place `flat` has in those dimensions. */
static void walk_seek(walk *w, int n, int64_t flat) {
    for (int d = n - 1; d >= 0; d--) {
        w->index[d] = flat % w->x->dim[d];
        flat /= w->x->dim[d];
    }
}

/* Maps and resident row programs: rows [unit0, unit1) over columns [col0, col1). */
static void walk_rows(walk *w, int64_t unit0, int64_t unit1, int64_t col0, int64_t col1) {
    const interp *x = w->x;
    int last = x->mode == INTERP_MAP ? x->xr : x->outer - 1; /* the dimension rows run along */
    int64_t width = col1 - col0;
    int most = width < x->dim[x->xc] && x->mode == INTERP_MAP ? 1 : x->rows;
    if (last >= 0) walk_seek(w, last + 1, unit0);
    for (int64_t u = unit0; u < unit1;) {
        int64_t left = last < 0 ? 1 : min_i64(x->dim[last] - w->index[last], unit1 - u);
        int rows = (int)min_i64(left, most);
        w->rows = w->row_lanes = rows;
        for (int64_t c = 0; c < width || (c == 0 && x->mode == INTERP_ROWS); c += x->cols) {
            w->index[x->xc] = col0 + c;
            w->cols = (int)min_i64(width - c, x->cols);
            walk_tile(w, 0, x->niop);
            if (width == 0) break;
        }
        u += rows;
        for (int d = last; d >= 0; d--) {
            w->index[d] += d == last ? rows : 1;
            if (w->index[d] < x->dim[d] || d == 0) break;
            w->index[d] = 0;
        }
    }
}

/* A one-dimensional map: chunks of the only dimension. */
static void walk_chunks(walk *w, int64_t unit0, int64_t unit1) {
    const interp *x = w->x;
    const int64_t most = x->cols / TILE > 1 ? x->cols / TILE : 1;
    for (int64_t u = unit0; u < unit1; u += most) {
        w->index[0] = u * TILE;
        w->rows = 1;
        w->cols = (int)(min_i64(x->dim[0], min_i64(unit1, u + most) * TILE) - w->index[0]);
        walk_tile(w, 0, x->niop);
    }
}

void interp_run(const interp *x, int64_t unit0, int64_t unit1, void *scratch) {
    if (unit0 >= unit1) return;
    walk w;
    size_t lanes = x->lanes;
    if (x->mode == INTERP_MAP || x->mode == INTERP_ROWS) {
        int64_t most =
            (unit1 - unit0) * (x->xr < 0 && x->mode == INTERP_MAP ? x->cols : x->dim[x->xc]);
        if ((size_t)most < lanes) lanes = (size_t)max_i64(most, unit1 - unit0);
    }
    walk_begin(&w, x, scratch, lanes, true);
    if (x->mode == INTERP_MAP && x->xr < 0) walk_chunks(&w, unit0, unit1);
    else if (x->mode == INTERP_MAP || x->mode == INTERP_ROWS)
        walk_rows(&w, unit0, unit1, 0, x->dim[x->xc]);
    else
        for (int64_t u = unit0; u < unit1; u++) walk_phases(&w, u);
    if (x->streams) x->t->fence();
}

void interp_rectangle(const interp *x, int64_t row0, int64_t row1, int64_t col0, int64_t col1,
                      void *scratch) {
    walk w;
    walk_begin(&w, x, scratch, x->lanes, true);
    walk_rows(&w, row0, row1, col0, col1);
}
