/* sort.h - sorts indices by a comparison of what they refer to.
 *
 * A heap sort: it needs no memory, and no input makes it slow, which matters where a file decides
 * the input. Sorted input takes one pass. */
#ifndef WEFT_BASE_SORT_H
#define WEFT_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int (*sort_compare)(const void *user, uint32_t a, uint32_t b); /* < 0: a comes first */

static inline void sort_sink(uint32_t *at, size_t i, size_t n, sort_compare compare,
                             const void *user) {
    uint32_t v = at[i];
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && compare(user, at[child], at[child + 1]) < 0) child++;
        if (compare(user, v, at[child]) >= 0) break;
        at[i] = at[child];
    }
    at[i] = v;
}

static inline void sort_numbers(uint32_t *at, size_t n, sort_compare compare, const void *user) {
    size_t in_order = 1;
    while (in_order < n && compare(user, at[in_order - 1], at[in_order]) <= 0) in_order++;
    if (in_order >= n) return;
    for (size_t i = n / 2; i-- > 0;) sort_sink(at, i, n, compare, user);
    for (size_t end = n - 1; end > 0; end--) {
        uint32_t most = at[0];
        at[0] = at[end];
        at[end] = most;
        sort_sink(at, 0, end, compare, user);
    }
}

#endif
