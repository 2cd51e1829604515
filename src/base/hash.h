/* hash.h - hashes of 64 bits, the same on every machine. */
#ifndef WEFT_BASE_HASH_H
#define WEFT_BASE_HASH_H

#include "base/compiler.h"
#include <stddef.h>
#include <stdint.h>

#define HASH_START 0x9e3779b97f4a7c15ull
uint64_t hash_bytes(uint64_t h, const void *p, size_t n);
/* The beginning of a longer hash_bytes, which ends with one over what is left; n: a multiple of 8. */
uint64_t hash_words(uint64_t h, const void *p, size_t n);
WEFT_INLINE uint64_t hash_word(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0xff51afd7ed558ccdull;
    return h ^ (h >> 32);
}

#endif
