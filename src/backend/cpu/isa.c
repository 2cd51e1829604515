/* isa.c - asks the processor and the operating system which vector registers may be used.
 *
 * A set counts only when the instructions exist (CPUID) and the system saves the registers
 * (XGETBV). Keeps nothing: callers store the answer. */
#include "isa.h"

#include "base/compiler.h"

#include <stdlib.h>
#include <string.h>

#if WEFT_X86
#include <cpuid.h>

static unsigned isa_saved_state(void) {
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static isa isa_machine(void) {
    unsigned a, b, c, d;
    const unsigned fma = 1u << 12, osxsave = 1u << 27, avx = 1u << 28;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & (fma | osxsave | avx)) != (fma | osxsave | avx)) {
        return ISA_128;
    }
    const unsigned saved = isa_saved_state();
    if ((saved & 0x06) != 0x06 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & (1u << 5))) {
        return ISA_128;
    }
    const unsigned wide = (1u << 16) | (1u << 17) | (1u << 30) | (1u << 31); /* F, DQ, BW, VL */
    return (saved & 0xe6) == 0xe6 && (b & wide) == wide ? ISA_512 : ISA_256;
}
/* Asked of a machine whose 512-bit registers are known to be saved. */
bool isa_pairs(isa level) {
    unsigned a, b, c, d;
    return level == ISA_512 && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & (1u << 5));
}
#else
static isa isa_machine(void) {
    return ISA_128;
}

bool isa_pairs(isa level) {
    (void)level;
    return false;
}
#endif

isa isa_detect(void) {
    const isa machine = isa_machine();
    const char *bound = getenv("WEFT_ISA");
    isa most = ISA_512;
    if (bound && strcmp(bound, "128") == 0) most = ISA_128;
    if (bound && strcmp(bound, "256") == 0) most = ISA_256;
    return machine < most ? machine : most;
}

const char *isa_name(isa level) {
#if WEFT_X86
    return level == ISA_512 ? "avx512" : level == ISA_256 ? "avx2" : "sse2";
#elif defined(__ARM_NEON)
    (void)level;
    return "neon";
#else
    (void)level;
    return "generic";
#endif
}
