/* one_graph.h - a context with one thread, a state and a graph: what many tests begin with. */
#ifndef WEFT_TEST_ONE_GRAPH_H
#define WEFT_TEST_ONE_GRAPH_H

#include "weft/weft.h"

static weft_ctx *c;
static weft_state *s;
static weft_graph *g;

static inline void begin_on(const char *device) {
    c = weft_open_with(&(weft_open_desc){.device = device, .threads = 1});
    s = weft_state_new(c);
    g = weft_graph_new(c);
}

static inline void begin(void) {
    begin_on("cpu");
}

static inline void end(void) {
    weft_graph_free(g);
    weft_state_free(s);
    weft_close(c);
}

#endif
