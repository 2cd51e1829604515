/* cells.c - the arithmetic of recurrent cells, built once per instruction set from cells.inc. */
#include "cells.h"

#include "kern/kmath.h"

WEFT_TARGET_BEGIN_128
#define CELLS_LANES 4
#define CELLS_WORD  128
#include "cells.inc"
WEFT_TARGET_END

#if WEFT_X86
WEFT_TARGET_BEGIN_256
#define CELLS_LANES 8
#define CELLS_WORD  256
#include "cells.inc"
WEFT_TARGET_END

WEFT_TARGET_BEGIN_512
#define CELLS_LANES 16
#define CELLS_WORD  512
#include "cells.inc"
WEFT_TARGET_END
#endif

const cells_table *cells_of(isa level) {
#if WEFT_X86
    if (level == ISA_512) return &cells_512;
    if (level == ISA_256) return &cells_256;
#else
    (void)level;
#endif
    return &cells_128;
}
