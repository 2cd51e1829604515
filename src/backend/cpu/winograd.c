/* winograd.c - the transforms of winograd.h, built once per instruction set from winograd.inc. */
#include "winograd.h"

#include "base/compiler.h"

WEFT_TARGET_BEGIN_128
#define WINOGRAD_LANES 4
#define WINOGRAD_WORD  128
#include "winograd.inc"
WEFT_TARGET_END

#if WEFT_X86
WEFT_TARGET_BEGIN_256
#define WINOGRAD_LANES 8
#define WINOGRAD_WORD  256
#include "winograd.inc"
WEFT_TARGET_END

WEFT_TARGET_BEGIN_512
#define WINOGRAD_LANES 16
#define WINOGRAD_WORD  512
#include "winograd.inc"
WEFT_TARGET_END
#endif

const winograd_table *winograd_of(isa level) {
#if WEFT_X86
    if (level == ISA_512) return &winograd_512;
    if (level == ISA_256) return &winograd_256;
#else
    (void)level;
#endif
    return &winograd_128;
}
