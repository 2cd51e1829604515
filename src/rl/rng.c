/* rng.c - random numbers of environments: seeds, streams, ranges and choices.
 *
 * A seed and a stream name a state of the generator one to one, through bijections of 64 bits, so
 * no two streams of a seed begin alike. */
#include "rl/rng.h"

/* A bijection in which every bit of x touches every bit of the result (splitmix64's). */
static uint64_t rng_mixed(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

void weft_rng_seed(weft_rng *r, uint64_t seed, uint64_t stream) {
    r->a = rng_mixed(seed);
    r->b = rng_mixed(rng_mixed(stream) + r->a);
    if (!(r->a | r->b)) r->b = 1; /* the one state that would stay where it is */
    rng_next(r);
}

uint32_t weft_rng_next(weft_rng *r) {
    return rng_next(r);
}

uint32_t weft_rng_below(weft_rng *r, uint32_t n) {
    return rng_below(r, n);
}

float weft_rng_uniform(weft_rng *r) {
    return rng_uniform(r);
}

int weft_rng_choose(weft_rng *r, uint32_t mask) {
    return rng_choose(r, mask);
}
