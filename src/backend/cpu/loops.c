/* loops.c - the shared vector loops, built once per instruction set from loops.inc. */
#include "loops.h"

#include "kern/kmath.h"

WEFT_TARGET_BEGIN_128
#define LOOPS_LANES 4
#define LOOPS_WORD  128
#include "loops.inc"
WEFT_TARGET_END

#if WEFT_X86
WEFT_TARGET_BEGIN_256
#define LOOPS_LANES 8
#define LOOPS_WORD  256
#include "loops.inc"
WEFT_TARGET_END

WEFT_TARGET_BEGIN_512
#define LOOPS_LANES 16
#define LOOPS_WORD  512
#include "loops.inc"
WEFT_TARGET_END
#endif

const loops_table *loops_of(isa level) {
#if WEFT_X86
    if (level == ISA_512) return &loops_512;
    if (level == ISA_256) return &loops_256;
#else
    (void)level;
#endif
    return &loops_128;
}
