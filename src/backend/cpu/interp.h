/* interp.h - row programs on the CPU: prepared once into lists of tile operations, then interpreted.
 *
 * A tile is a block of two loop dimensions, rows x columns, small enough for the first cache. Every instruction
 * runs over a whole tile through the tables of tile.h, so the cost of deciding is paid once for 256 elements. */
#ifndef WEFT_INTERP_H
#define WEFT_INTERP_H

#include "backend/cpu/tile.h"

typedef struct interp interp;

/* Addresses of buffers must be known. NULL after weft_fail. */
interp *interp_prepare(const weft_plan *p, const kernel *k, isa level, bool epilogue);

int64_t interp_units(const interp *x);  /* pieces for threads; any split gives the same bits */
int64_t interp_rows(const interp *x);  /* loop rows in all (map and row programs), else 0 */
size_t  interp_scratch(const interp *x);  /* bytes per thread, 64-byte aligned */
void    interp_run(const interp *x, int64_t unit0, int64_t unit1, void *scratch);

/* Long folds run in stages: all units of one are done before the next begins. Every thread calls
 * every stage with the same scratch, even if it has no unit of it. */
int     interp_stages(const interp *x);  /* 1: interp_run is all there is to do */
int64_t interp_stage_units(const interp *x, int stage);
void    interp_stage(const interp *x, int stage, int64_t unit0, int64_t unit1, void *scratch);

/* An epilogue over rows [row0, row1) and columns [col0, col1) of its last dimension. */
void    interp_rectangle(const interp *x, int64_t row0, int64_t row1, int64_t col0, int64_t col1, void *scratch);

#endif
