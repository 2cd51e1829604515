/* interp_walk.h - a walk over the tiles of a prepared row program: what interp_run.c moves from tile to
 * tile, and interp_walk.c computes at each. */
#ifndef WEFT_INTERP_WALK_H
#define WEFT_INTERP_WALK_H

#include "backend/cpu/interp_parts.h"
#include <assert.h>

typedef struct walk_kept {
    int64_t base;
    int32_t rows, cols;
} walk_kept; /* what a kept tile holds */

typedef struct walk {
    const interp *x;
    char *scratch;
    void **ptr;           /* of each slot                                                 */
    int64_t *base;        /* of each view: element at the tile's first row and column     */
    int64_t *home;        /* of each view: element at the start of the run-time slice     */
    int64_t index[KDIMS]; /* of the tile's first element                                  */
    int rows, cols;       /* of this tile                                                 */
    int row_lanes;        /* how many row values there are                                */
    int64_t position;     /* of the tile's first element in its row, for argmax           */
    walk_kept kept[INTERP_KEPT];
} walk;

void walk_begin(walk *w, const interp *x, void *scratch, size_t lanes, bool fill);
void walk_tile(walk *w, int from, int to);             /* iops [from, to) on the tile the walk is at */
void walk_fold_start(walk *w, const iop *o);           /* accumulators to what changes nothing       */
bool walk_long_sum(const walk *w, const iop *o);       /* does it go through partial sums?           */
void walk_phases(walk *w, int64_t unit);               /* a row whose program runs in phases         */

#endif
