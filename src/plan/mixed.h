/* mixed.h - 16-bit operands of products, and the shadows of parameters that they read. */
#ifndef WEFT_MIXED_H
#define WEFT_MIXED_H

#include "plan/passes.h"

/* What x, made of a widened tensor of 16 bits by views alone, is without the widening; id 0: other */
weft_tensor mixed_operand(weft_tensor x);
/* Does the device take operands of that type for node n, a product? */
bool mixed_takes(const compile *c, const weft_graph *g, const node *n, int type);

/* shadow.c: the 16-bit shadow of parameter x, as a leaf of x's graph; id 0: it has none */
weft_tensor shadow_of(compile *c, weft_tensor x, weft_dtype type);

#endif
