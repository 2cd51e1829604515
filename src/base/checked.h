/* checked.h - arithmetic on sizes that files claim: every step says whether it overflowed.
 *
 * All sizes and offsets in files are 64 bits wide on every machine; what becomes a size in memory
 * goes through check_size. No reader of files adds or multiplies such numbers otherwise. */
#ifndef WEFT_BASE_CHECKED_H
#define WEFT_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool check_add(uint64_t a, uint64_t b, uint64_t *out) {
    *out = a + b;
    return *out >= a;
}

static inline bool check_mul(uint64_t a, uint64_t b, uint64_t *out) {
    *out = a * b;
    return !a || *out / a == b;
}

static inline bool check_size(uint64_t n, size_t *out) {
    *out = (size_t)n;
    return *out == n && n <= PTRDIFF_MAX;
}

#endif
