/* automaton_world.h - a small automaton for tests: its layers, and how many rows and gates that makes. */
#ifndef WEFT_TEST_AUTOMATON_WORLD_H
#define WEFT_TEST_AUTOMATON_WORLD_H

#include <weft/logic.h>

static const int perceive[] = {8, 4, 2, 0};
static const int update[] = {12, 6, 3, 0};
enum { CHANNELS = 3, KERNELS = 2, SEEN = 9, EACH = 14 }; /* gates of a kernel */
enum { ROWS = KERNELS * EACH + 21, GATES = CHANNELS * KERNELS * EACH + 21 };

static inline weft_automaton *small(weft_ctx *c, bool wrap, uint64_t seed) {
    return weft_automaton_new(c, &(weft_automaton_desc){.channels = CHANNELS,
                                                        .kernels = KERNELS,
                                                        .perceive = perceive,
                                                        .update = update,
                                                        .wrap = wrap,
                                                        .seed = seed});
}

#endif
