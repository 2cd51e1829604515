/* shuffle.h - stateless randomness: draws, and permutations of n items, from a key alone.
 *
 * A permutation of 0 .. n - 1 of which every element can be computed alone: a Feistel
 * network over the smallest power of two that holds n; results outside are sent through again until
 * they fall inside (at most once more on average). Its rounds are keyed by a hash of whatever the
 * order depends on. Knows nothing of sets and batches. */
#ifndef WEFT_SHUFFLE_H
#define WEFT_SHUFFLE_H

#include <stdint.h>

/* Ten half rounds make even the orders of a handful of things equally likely; fewer bits than eight
 * would not, however many the rounds. */
enum { SHUFFLE_ROUNDS = 10, SHUFFLE_LEAST_BITS = 8 };

typedef struct shuffle {
    uint64_t n;
    uint32_t low_bits;  /* of a number are the one half, ...       */
    uint64_t low, high; /* masks of the two halves, both from bit 0 */
    uint64_t key[SHUFFLE_ROUNDS];
} shuffle;

/* A bijection of 64 bits in which every bit of x touches every bit of the result. */
static inline uint64_t shuffle_mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* 64 random bits of (key, a, b): the key is a seed or an earlier draw. */
static inline uint64_t shuffle_draw(uint64_t key, uint64_t a, uint64_t b) {
    return shuffle_mix(shuffle_mix(shuffle_mix(key + 0x9e3779b97f4a7c15u) ^ a) +
                       0x9e3779b97f4a7c15u * b);
}

static inline shuffle shuffle_of(int64_t n, uint64_t key) {
    shuffle s = {.n = (uint64_t)n};
    uint32_t bits = SHUFFLE_LEAST_BITS;
    while (bits < 64 && (s.n - 1) >> bits) bits++;
    s.low_bits = bits / 2;
    s.low = ((uint64_t)1 << s.low_bits) - 1;
    s.high = ((uint64_t)1 << (bits - s.low_bits)) - 1;
    for (uint32_t i = 0; i < SHUFFLE_ROUNDS; i++) s.key[i] = shuffle_draw(key, i, 0);
    return s;
}

/* Which thing has place i; i in [0, n). */
static inline int64_t shuffle_at(const shuffle *s, int64_t i) {
    uint64_t x = (uint64_t)i;
    do {
        uint64_t low = x & s->low, high = x >> s->low_bits;
        for (int r = 0; r < SHUFFLE_ROUNDS; r += 2) {
            low ^= shuffle_mix(high ^ s->key[r]) & s->low;
            high ^= shuffle_mix(low ^ s->key[r + 1]) & s->high;
        }
        x = high << s->low_bits | low;
    } while (x >= s->n);
    return (int64_t)x;
}

#endif
