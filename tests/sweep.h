/* sweep.h - some work, once for each of its allocations, which fails: alone, or with all that come
 * after. Either is an ordinary error, and leaves nothing behind. */
#ifndef WEFT_TEST_SWEEP_H
#define WEFT_TEST_SWEEP_H

#include "heap.h"
#include "test.h"
#include <weft/weft.h>

/* work: everything there is to try, in a context; whether all went well. */
static inline void sweep_memory(bool (*work)(weft_ctx *c)) {
    enum { POINTS = 400 };
    heap h = {0};
    weft_ctx *const c =
        weft_open_with(&(weft_open_desc){.device = "cpu", .resize = heap_resize, .user = &h});
    if (!CHECK(work(c))) CHECK_STR(weft_error(c), "");
    const long live = h.live, before = h.made; /* what a first time left in the context stays */
    CHECK(work(c));
    const long all = h.made - before, stride = 1 + all / (test_sanitized() ? POINTS / 4 : POINTS);
    for (int for_ever = 0; for_ever < 2; for_ever++)
        for (long i = 1; i <= all; i += stride) {
            h.failed = false;
            h.for_ever = for_ever;
            h.fail_at = h.made + i;
            const bool good = work(c);
            h.fail_at = 0;
            CASE("allocation %ld of %ld%s", i, all, for_ever ? " and all after it" : "");
            CHECK(h.failed && !good);
            CHECK_EQ(weft_error_code(c), WEFT_MEMORY);
            CHECK(*weft_error(c));
            CHECK_EQ(h.live, live);
        }
    weft_close(c);
    CHECK_EQ(h.live, 0);
}

#endif
