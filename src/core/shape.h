/* shape.h - helpers of the constructors: axes, broadcasting, promotion. */
#ifndef WEFT_SHAPE_H
#define WEFT_SHAPE_H

#include "core/graph.h"

/* negative counts from the end; false: poisoned */
bool shape_axis(weft_tensor x, const char *what, int *axis);
bool shape_index(weft_tensor index, const char *what);  /* integers; else poisoned */
bool shape_mask(weft_tensor x, const char *what, weft_shape axes, uint32_t *mask);
weft_tensor shape_fold(weft_tensor x, int op, const char *what, weft_shape axes, bool keep);
weft_tensor shape_drop(weft_tensor kept, uint32_t mask);  /* reshape the folded axes away */
bool shape_broadcast(weft_graph *g, const char *what, const weft_tensor *in, int n, weft_shape *out);
weft_dtype shape_promote(weft_dtype a, weft_dtype b);  /* of stored types to a register type */
WEFT_INLINE bool dtype_is_float(weft_dtype t) { return t == WEFT_F32 || t == WEFT_BF16 || t == WEFT_F16; }
weft_tensor shape_as(weft_tensor x, weft_dtype t, weft_shape dims);    /* cast and expand */

#endif
