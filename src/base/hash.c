/* hash.c - bytes into a hash, eight at a time. */
#include "base/hash.h"
#include <string.h>

uint64_t hash_bytes(uint64_t h, const void *p, size_t n) {
    const unsigned char *s = p;
    for (; n >= 8; n -= 8, s += 8) {
        uint64_t v;
        memcpy(&v, s, 8);
        h = hash_word(h, v);
    }
    uint64_t rest = 0;
    if (n) memcpy(&rest, s, n);
    return hash_word(h, rest ^ (uint64_t)n << 56);
}
