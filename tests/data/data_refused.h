/* data_refused.h - files that must be refused: the code, the message, the memory they took. */
#ifndef WEFT_TEST_DATA_REFUSED_H
#define WEFT_TEST_DATA_REFUSED_H

#include "data_world.h"

static heap memory;
static size_t idle; /* bytes of a context without sets */

static inline weft_ctx *ctx(void) {
    static weft_ctx *c;
    if (!c) {
        c = world_open(&memory);
        idle = memory.live;
    }
    return c;
}

/* A set that must not be: the code, the message, the memory. */
static inline void refused(weft_data *d, weft_err code, const char *says, size_t bytes) {
    if (!CHECK(d == NULL)) {
        weft_data_free(d);
        return;
    }
    CHECK_EQ(weft_error_code(ctx()), code);
    CHECK_HAS(weft_error(ctx()), says);
    CHECK_EQ(memory.live, idle);
    CHECK(memory.peak - idle <= 2 * bytes + (1 << 20));
}

static inline void fresh(void) {
    ctx();
    memory.peak = memory.live;
}

#endif
