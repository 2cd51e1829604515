/* cpu_parts.h - a prepared step of the CPU backend, as cpu.c runs it and segments.c looks at it. */
#ifndef WEFT_CPU_PARTS_H
#define WEFT_CPU_PARTS_H

#include "backend/cpu/gemm.h"
#include "backend/cpu/half_product.h"
#include "backend/cpu/interp.h"
#include "backend/cpu/narrow.h"
#include "backend/cpu/routines.h"
#include "backend/cpu/permute.h"

typedef struct cpu_product {
    gemm_plan plan;
    gemm_data data;
    int64_t   batches;
    int       batch_rank;
    int64_t   batch[WEFT_MAX_RANK];
    int64_t   a_stride[WEFT_MAX_RANK], b_stride[WEFT_MAX_RANK], c_stride[WEFT_MAX_RANK];
    int64_t   rows, cols; /* of the result in one batch        */
    size_t    gemm_scratch;
    narrow_product *narrow; /* instead of the plan, or NULL       */
    int       takers;     /* so many steps behind it take its result, which is not kept */
    half_product *half;     /* likewise, with its addresses       */
    half_data half_at;
} cpu_product;

typedef struct cpu_exe {
    uint8_t   kind;
    bool      barrier;    /* wait for all threads before this step */
    int       stages;     /* of a long fold, see interp.h; else at most 1 */
    int64_t   units;
    int64_t   group;  /* units that stay together in this segment, so that shares of steps match */
    interp   *code;       /* a row program, or a product's epilogue */
    permutation *permutation; /* instead of a row program that only copies */
    cpu_product *product;
    routine   routine;
    char    **at;         /* addresses of a routine's operands      */
    char     *to; const char *from; size_t bytes;
} cpu_exe;

/* Where threads must wait for each other, and how units are grouped between such places. */
weft_err cpu_segments(weft_plan *p, cpu_exe *exe, size_t n);

#endif
