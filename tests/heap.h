/* heap.h - an allocator that counts what is held, and fails on purpose. The size is kept in front of
 * each block. */
#ifndef WEFT_TEST_HEAP_H
#define WEFT_TEST_HEAP_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct heap {
    size_t live, peak;     /* bytes */
    long made, fail_at;    /* calls that allocate; fail_at 0: none fails */
    bool for_ever, failed; /* for_ever: and all that come after */
} heap;

static inline void *heap_resize(void *user, void *p, size_t bytes) {
    enum { FRONT = 16 };
    heap *h = user;
    char *old = p ? (char *)p - FRONT : NULL;
    size_t had = 0;
    if (old) memcpy(&had, old, sizeof had);
    if (!bytes) {
        h->live -= had;
        free(old);
        return NULL;
    }
    h->made++;
    if (h->fail_at && (h->made == h->fail_at || (h->for_ever && h->made > h->fail_at))) {
        h->failed = true;
        return NULL;
    }
    char *q = realloc(old, bytes + FRONT);
    if (!q) return NULL;
    memcpy(q, &bytes, sizeof bytes);
    h->live += bytes - had;
    if (h->live > h->peak) h->peak = h->live;
    return q + FRONT;
}

#endif
