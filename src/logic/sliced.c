/* sliced.c - sliced.inc, built once per instruction set, and the choice among them. */
#include "sliced.h"

#include <string.h>

#define SLICED_PRAGMA(x) _Pragma(#x)
#if defined(__clang__)
#define SLICED_PLAIN _Pragma("clang attribute push(__attribute__((hot)), apply_to = function)")
#define SLICED_TARGET(set)                                                                         \
    SLICED_PRAGMA(clang attribute push(__attribute__((target(set))), apply_to = function))
#define SLICED_END _Pragma("clang attribute pop")
#else
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) /* gcc unrolls these loops at O3 only */
#define SLICED_PLAIN _Pragma("GCC push_options") _Pragma("GCC optimize(\"O3\")")
#else
#define SLICED_PLAIN _Pragma("GCC push_options")
#endif
#define SLICED_TARGET(set) SLICED_PLAIN SLICED_PRAGMA(GCC target(set))
#define SLICED_END         _Pragma("GCC pop_options")
#endif

SLICED_PLAIN
#define SLICED_BITS 128
#include "sliced.inc"
SLICED_END

#if defined(__x86_64__)
SLICED_TARGET("avx2")
#define SLICED_BITS 256
#include "sliced.inc"
SLICED_END

SLICED_TARGET("avx512f,avx512bw,avx512dq,avx512vl,avx2")
#define SLICED_BITS 512
#include "sliced.inc"
SLICED_END
#endif

const sliced_kernels *sliced_kernels_of(const weft_ctx *c) {
#if defined(__x86_64__)
    const char *const isa = weft_device_isa(c);
    if (strcmp(isa, "avx512") == 0) return &sliced_kernels_512;
    if (strcmp(isa, "avx2") == 0) return &sliced_kernels_256;
#else
    (void)c;
#endif
    return &sliced_kernels_128;
}
