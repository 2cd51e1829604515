/* gates_loops.c - gates.inc, built once per instruction set. */
#include "gates_loops.h"

#include "base/compiler.h"

WEFT_TARGET_BEGIN_128
#define GATES_LANES   4
#define GATES_VECTORS 4
#define GATES_WORD    128
#include "gates.inc"
#define GATES_LANES   4
#define GATES_VECTORS 8
#define GATES_WORD    128_wide
#include "gates.inc"
WEFT_TARGET_END

#if WEFT_X86
WEFT_TARGET_BEGIN_256
#define GATES_LANES   8
#define GATES_VECTORS 4
#define GATES_WORD    256
#include "gates.inc"
#define GATES_LANES   8
#define GATES_VECTORS 8
#define GATES_WORD    256_wide
#include "gates.inc"
WEFT_TARGET_END

WEFT_TARGET_BEGIN_512
#define GATES_LANES   16
#define GATES_VECTORS 2
#define GATES_WORD    512
#include "gates.inc"
#define GATES_LANES   16
#define GATES_VECTORS 4
#define GATES_WORD    512_wide
#include "gates.inc"
WEFT_TARGET_END
#endif

/* A gate of a wide tile costs about 0.92 of one in two narrow ones; but cells beyond the last are
 * computed too, and a single tile is nothing for two threads. */
static bool gates_wider(int64_t cells, int narrow, int wide) {
    const int64_t wides = (cells + wide - 1) / wide, narrows = (cells + narrow - 1) / narrow;
    return wides > 1 && 92 * wides * wide <= 100 * narrows * narrow;
}

const gates_table *gates_of(isa level, int64_t cells) {
    const gates_table *narrow = &gates_128, *wide = &gates_128_wide;
#if WEFT_X86
    if (level == ISA_512) narrow = &gates_512, wide = &gates_512_wide;
    if (level == ISA_256) narrow = &gates_256, wide = &gates_256_wide;
#else
    (void)level;
#endif
    return gates_wider(cells, narrow->tile, wide->tile) ? wide : narrow;
}
