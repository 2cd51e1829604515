/* rng.h - the generator behind weft_rng, for inlining into the environments.
 *
 * xoroshiro128++ (Blackman, Vigna 2019) with 64 bits a draw, of which the upper half is used.
 * Relies on nothing. */
#ifndef WEFT_RL_RNG_H
#define WEFT_RL_RNG_H

#include "weft/rl.h"

static inline uint64_t rng_turned(uint64_t x, int by) {
    return x << by | x >> (64 - by);
}

static inline uint64_t rng_next64(weft_rng *r) {
    const uint64_t a = r->a, b = r->b, mixed = a ^ b;
    r->a = rng_turned(a, 49) ^ mixed ^ mixed << 21;
    r->b = rng_turned(mixed, 28);
    return rng_turned(a + b, 17) + a;
}

static inline uint32_t rng_next(weft_rng *r) {
    return (uint32_t)(rng_next64(r) >> 32);
}

/* The upper half of draw x n; draws that would favour some results are dropped (Lemire 2019). */
static inline uint32_t rng_below(weft_rng *r, uint32_t n) {
    uint64_t m = (uint64_t)rng_next(r) * n;
    if ((uint32_t)m < n) {
        const uint32_t uneven = (0 - n) % n; /* 2^32 mod n */
        while ((uint32_t)m < uneven) m = (uint64_t)rng_next(r) * n;
    }
    return (uint32_t)(m >> 32);
}

/* [0, 1), a multiple of 2^-24. */
static inline float rng_uniform(weft_rng *r) {
    return (float)(rng_next(r) >> 8) * 0x1p-24f;
}

static inline double rng_between(weft_rng *r, double lo, double hi) {
    return lo + (hi - lo) * ((double)rng_next(r) * 0x1p-32);
}

/* One of the set bits, evenly: its place, or -1. Without branches, since those on a random choice
 * are guessed wrongly; masks of at most four bits, which most are, by a table of their places. */
static inline int rng_choose(weft_rng *r, uint32_t mask) {
    static const uint16_t places[16] = {0,   0,    0x1,  0x10,  0x2,  0x20,  0x21,  0x210,
                                        0x3, 0x30, 0x31, 0x310, 0x32, 0x320, 0x321, 0x3210};
    if (!mask) return -1;
    const uint32_t by2 = mask - (mask >> 1 & 0x55555555u); /* set bits in each two places, ... */
    const uint32_t by4 = (by2 & 0x33333333u) + (by2 >> 2 & 0x33333333u);
    if (mask < 16) return places[mask] >> 4 * rng_below(r, by4) & 15;
    const uint32_t by8 = (by4 + (by4 >> 4)) & 0x0f0f0f0fu;
    uint32_t k = rng_below(r, by8 * 0x01010101u >> 24);
    while (k--) mask &= mask - 1;
    int at = 0;
    while (!(mask >> at & 1)) at++;
    return at;
}

#endif
