/* gemm_kernels.c - the register tiles of the matrix product, built once per vector width.
 *
 * Only instruction sets live here; gemm.inc is the code, gemm.c decides which width runs. The
 * fused multiply-add is named under clang, which contracts within a basic block only: under a
 * sanitizer some tiles were fused and others not, and splitting changed bits. gcc contracts, and
 * named it spills the sums (42 instead of 102 GFLOP/s, gcc 12); but from 13 on it leaves a chain
 * with a single sum unfused, so that one is named for it too (not under a sanitizer, where gcc
 * fuses nothing). */
#include "base/compiler.h"
#include "gemm_parts.h"

#include <string.h>

#if WEFT_X86
#include <immintrin.h>
#endif

/* The undefined-behaviour sanitizer makes the unrolled tiles take minutes to compile; the address
 * sanitizer stays on and watches their reads and writes. */
#if defined(__GNUC__)
#define GEMM_QUIET __attribute__((no_sanitize("undefined")))
#else
#define GEMM_QUIET
#endif

#if defined(__clang__) && WEFT_X86
#define GEMM_NAMED(name, x, y, z) name((x), (y), (z))
#else
#define GEMM_NAMED(name, x, y, z) ((x) * (y) + (z))
#endif
#if !defined(__clang__) && defined(__GNUC__) && __GNUC__ >= 13 && !WEFT_SANITIZED
#define GEMM_ALONE(name, x, y, z) name((x), (y), (z))
#else
#define GEMM_ALONE GEMM_NAMED
#endif

WEFT_TARGET_BEGIN_128
#define GEMM_LANES        4
#define GEMM_WORD         128
#define GEMM_REGISTERS    16
#define GEMM_FMA(x, y, z) ((x) * (y) + (z))
#define GEMM_LONE_FMA     GEMM_FMA
#include "gemm.inc"
WEFT_TARGET_END

#if WEFT_X86
WEFT_TARGET_BEGIN_256
#define GEMM_LANES             4
#define GEMM_WORD              128f
#define GEMM_REGISTERS         16
#define GEMM_FMA(x, y, z)      GEMM_NAMED(_mm_fmadd_ps, x, y, z)
#define GEMM_LONE_FMA(x, y, z) GEMM_ALONE(_mm_fmadd_ps, x, y, z)
#include "gemm.inc"
WEFT_TARGET_END

WEFT_TARGET_BEGIN_256
#define GEMM_LANES             8
#define GEMM_WORD              256
#define GEMM_REGISTERS         16
#define GEMM_FMA(x, y, z)      GEMM_NAMED(_mm256_fmadd_ps, x, y, z)
#define GEMM_LONE_FMA(x, y, z) GEMM_ALONE(_mm256_fmadd_ps, x, y, z)
#include "gemm.inc"
WEFT_TARGET_END

WEFT_TARGET_BEGIN_512
#define GEMM_LANES             16
#define GEMM_WORD              512
#define GEMM_REGISTERS         32
#define GEMM_FMA(x, y, z)      GEMM_NAMED(_mm512_fmadd_ps, x, y, z)
#define GEMM_LONE_FMA(x, y, z) GEMM_ALONE(_mm512_fmadd_ps, x, y, z)
#include "gemm.inc"
WEFT_TARGET_END
#endif

#undef GEMM_NAMED
#undef GEMM_ALONE
#undef GEMM_QUIET
