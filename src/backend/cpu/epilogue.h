/* epilogue.h - which part of a product's row program the GEMM itself can do. */
#ifndef WEFT_EPILOGUE_H
#define WEFT_EPILOGUE_H

#include "backend/cpu/gemm.h"
#include "plan/plan.h"

/* Finds bias, relu and mask at the head of s->kern and sets them in d. True when nothing is
 * left; otherwise `rest` is the program that remains, which reads the product as the GEMM now
 * leaves it. */
bool epilogue_match(const step *s, const weft_plan *p, gemm_data *d, kernel *rest, arena *memory);

/* What the product of half_product.h does besides: a mask of any of its types instead of d->mask, and
 * a result that is rounded to 16 bits. */
typedef struct epilogue_half {
    const char *mask;      /* NULL: none */
    char *result;          /* NULL: the product's own buffer is the result */
    uint8_t mask_type, result_type;
} epilogue_half;

/* The same for such a product. The rounded result is found only where it is all that is left and
 * nothing else reads the product. */
bool epilogue_match_half(const step *s, const weft_plan *p, gemm_data *d, epilogue_half *h,
                         kernel *rest, arena *memory);

#endif
