/* gates_loops.c - gates.inc, built once per instruction set. */
#include "gates_loops.h"

#include "core/compiler.h"

WEFT_TARGET_BEGIN_128
#define GATES_LANES   4
#define GATES_VECTORS 4
#define GATES_WORD    128
#include "gates.inc"
WEFT_TARGET_END

#if WEFT_X86
WEFT_TARGET_BEGIN_256
#define GATES_LANES   8
#define GATES_VECTORS 4
#define GATES_WORD    256
#include "gates.inc"
WEFT_TARGET_END

WEFT_TARGET_BEGIN_512
#define GATES_LANES   16
#define GATES_VECTORS 2
#define GATES_WORD    512
#include "gates.inc"
WEFT_TARGET_END
#endif

const gates_table *gates_of(isa level) {
#if WEFT_X86
    if (level == ISA_512) return &gates_512;
    if (level == ISA_256) return &gates_256;
#else
    (void)level;
#endif
    return &gates_128;
}
