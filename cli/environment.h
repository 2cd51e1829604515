/* environment.h - the environment variables that the library and the command understand;
 * docs/guide.md has the same list. */
#ifndef WEFT_ENVIRONMENT_H
#define WEFT_ENVIRONMENT_H

/* clang-format off */
/*                    name            what it does */
#define ENVIRONMENT(X)                                                                             \
    X("WEFT_DEVICE",  "the device to open in place of auto and cpu")                               \
    X("WEFT_THREADS", "threads of a context that does not say how many")                           \
    X("WEFT_ISA",     "maximum vector width, in bits: 128, 256 or 512")                             \
    X("WEFT_DEBUG",   "1 summary of each plan, 2 its steps, 3 their code, 4 the same as C")        \
    X("WEFT_FUSE",    "0: one kernel for each operation")                                          \
    X("WEFT_BLOCKS",  "none: no fast kernels for convolution, attention, recurrence and the like")          \
    X("WEFT_BENCH_SLOW", "10%: weft bench slows every call down by a tenth, to test a gate")        \
    X("WEFT_DATA",    "folder searched first for the data sets that come with Weft")            \
    X("NO_COLOR",     "anything: no colours")
/* clang-format on */

#endif
