/* checked.h - arithmetic on sizes that files claim: every step says whether it overflowed.
 *
 * All sizes and offsets in files are 64 bits wide on every machine; what becomes a size in memory
 * goes through check_size. Nobody in this folder adds or multiplies such numbers otherwise. */
#ifndef WEFT_IO_CHECKED_H
#define WEFT_IO_CHECKED_H

#include "weft/io.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "files hold little-endian values, and values are used where they lie"
#endif

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

/* Bytes of an array. An extent of zero makes it empty, whatever the others are, as long as their
 * product is a number too. */
static inline bool check_array(const weft_shape *dims, weft_file_type type, uint64_t *bytes) {
    uint64_t product = weft_file_type_size(type), empty = 1;
    for (int i = 0; i < dims->rank; i++) {
        if (dims->n[i] < 0) return false;
        if (!dims->n[i]) empty = 0;
        else if (!check_mul(product, (uint64_t)dims->n[i], &product)) return false;
    }
    *bytes = product * empty;
    return product <= INT64_MAX;
}

#endif
