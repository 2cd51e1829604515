/* heap.h - an allocator that fails on purpose, and counts what is still held. */
#ifndef WEFT_TEST_HEAP_H
#define WEFT_TEST_HEAP_H

#include <stdbool.h>
#include <stdlib.h>

typedef struct heap {
    long made, live, fail_at; /* fail_at 0: never */
    bool for_ever, failed;    /* for_ever: and all that come after */
} heap;

static inline void *heap_resize(void *user, void *p, size_t bytes) {
    heap *h = user;
    if (!bytes) {
        free(p);
        h->live--;
        return NULL;
    }
    h->made++;
    if (h->fail_at && (h->made == h->fail_at || (h->for_ever && h->made > h->fail_at))) {
        h->failed = true;
        return NULL;
    }
    void *q = realloc(p, bytes);
    if (!p && q) h->live++;
    return q;
}

#endif
