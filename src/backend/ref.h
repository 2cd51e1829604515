/* ref.h - what tests may ask of the reference backend beyond the public functions: its results in
 * full precision, and inputs finer than f32, for gradients by differences. */
#ifndef WEFT_REF_H
#define WEFT_REF_H

#include "backend/backend.h"

/* Element i of a fetched tensor after a run, as computed; nan when there is no such thing. */
double ref_value(const weft_plan *p, weft_tensor fetched, int64_t i);

/* From now on runs see these n values instead of the input's memory; NULL goes back to the memory,
 * which weft_set alone does not. */
weft_err ref_set_double(weft_plan *p, weft_tensor input, const double *values, size_t n);

#endif
