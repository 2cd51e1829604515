/* isa.h - which vector width this processor may use.
 *
 * Asked once, when a device is opened. The environment variable WEFT_ISA (128, 256 or 512) is an
 * upper bound, for tests and for comparisons; it never raises the answer. How a source is
 * compiled once per width is told in base/compiler.h (WEFT_TARGET_BEGIN_*). */
#ifndef WEFT_ISA_H
#define WEFT_ISA_H

#include <stdbool.h>

typedef enum isa {
    ISA_128,   /* the baseline: SSE2 on x86-64, NEON on ARM                  */
    ISA_256,   /* AVX2 and FMA                                               */
    ISA_512    /* AVX-512 F, BW, DQ and VL                                   */
} isa;

isa isa_detect(void);
bool isa_pairs(isa level); /* the dot product of bf16 pairs, AVX-512 BF16, at this level            */
const char *isa_name(isa level);

#endif
