/* hash.c - bytes into a hash, eight at a time. */
#include "base/hash.h"
#include <assert.h>
#include <string.h>

uint64_t hash_words(uint64_t h, const void *p, size_t n) {
    const unsigned char *s = p;
    assert(n % 8 == 0);
    for (; n; n -= 8, s += 8) {
        uint64_t v;
        memcpy(&v, s, 8);
        h = hash_word(h, v);
    }
    return h;
}

uint64_t hash_bytes(uint64_t h, const void *p, size_t n) {
    const size_t rest = n % 8;
    uint64_t last = 0;
    h = hash_words(h, p, n - rest);
    if (rest) memcpy(&last, (const unsigned char *)p + (n - rest), rest);
    return hash_word(h, last ^ (uint64_t)rest << 56);
}
