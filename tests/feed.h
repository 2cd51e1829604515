/* feed.h - for tests to whom the numbers do not matter: all inputs of a plan count as set, and hold the
 * zeros they begin with. */
#ifndef WEFT_TEST_FEED_H
#define WEFT_TEST_FEED_H

#include "plan/plan.h"

static inline weft_plan *feed_zeros(weft_plan *p) {
    for (size_t i = 0; p && i < p->ins; i++) p->in[i].given = true;
    return p;
}

#endif
