/* epilogue.h - which part of a product's row program the GEMM itself can do. */
#ifndef WEFT_EPILOGUE_H
#define WEFT_EPILOGUE_H

#include "backend/cpu/gemm.h"
#include "plan/plan.h"

/* Finds bias, relu and mask at the head of s->kern and sets them in d. True when nothing is
 * left; otherwise `rest` is the program that remains, which reads the product as the GEMM now
 * leaves it. */
bool epilogue_match(const step *s, const weft_plan *p, gemm_data *d, kernel *rest, arena *memory);

#endif
