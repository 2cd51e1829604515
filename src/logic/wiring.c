/* wiring.c - which values the gates of a layer read. */
#include <weft/logic.h>
#include <weft/rl.h>

#include <string.h>

static void wiring_swap(int32_t *a, int32_t *b) {
    const int32_t x = *a;
    *a = *b;
    *b = x;
}

static void wiring_shuffle(weft_rng *r, int n, int32_t *pairs) {
    for (int i = n - 1; i > 0; i--) {
        const int k = (int)weft_rng_below(r, (uint32_t)i + 1);
        wiring_swap(&pairs[2 * i], &pairs[2 * k]);
        wiring_swap(&pairs[2 * i + 1], &pairs[2 * k + 1]);
    }
}

/* Neighbours first; then those that lie apart, ever farther; and from the beginning if even those do
 * not suffice. */
static void wiring_unique(int values, int gates, int32_t *pairs) {
    int n = 0;
    for (int start = 0; start < 2; start++)
        for (int i = start; i + 1 < values && n < gates; i += 2, n++)
            pairs[2 * n] = i, pairs[2 * n + 1] = i + 1;
    for (int apart = 2; n < gates; apart = apart + 1 < values ? apart + 1 : 1)
        for (int i = 0; i + apart < values && n < gates; i++, n++)
            pairs[2 * n] = i, pairs[2 * n + 1] = i + apart;
}

static void wiring_random(weft_rng *r, int values, int gates, int32_t *pairs) {
    for (int i = 0; i < gates; i++) {
        const int a = (int)weft_rng_below(r, (uint32_t)values);
        const int b = (int)weft_rng_below(r, (uint32_t)values - 1);
        pairs[2 * i] = a, pairs[2 * i + 1] = b + (b >= a);
    }
}

/* All values again and again, in random order; a pair of twice the same exchanges one with another
 * gate's. There is one that does without that value: were it in all of them, it would be read more
 * often than others are. */
static void wiring_balanced(weft_rng *r, int values, int gates, int32_t *pairs) {
    const int n = 2 * gates;
    for (int i = 0; i < n; i++) pairs[i] = i % values;
    for (int i = n - 1; i > 0; i--)
        wiring_swap(&pairs[i], &pairs[weft_rng_below(r, (uint32_t)i + 1)]);
    for (int i = 0; i < gates; i++)
        while (pairs[2 * i] == pairs[2 * i + 1]) {
            const int k = (int)weft_rng_below(r, (uint32_t)gates);
            if (pairs[2 * k] != pairs[2 * i] && pairs[2 * k + 1] != pairs[2 * i])
                wiring_swap(&pairs[2 * k + 1], &pairs[2 * i + 1]);
        }
}

weft_err weft_wire(weft_ctx *c, weft_wiring w, int values, int gates, uint64_t seed,
                   int32_t *pairs) {
    if (values < 2 || gates < 1 || gates > 1 << 26 || !pairs || (unsigned)w >= WEFT_WIRING_COUNT)
        return weft_fail(
            c, WEFT_ARGUMENT,
            "weft_wire: wiring %d of %d gates over %d values; at least one gate and two "
            "values were expected",
            (int)w, gates, values);
    weft_rng r;
    weft_rng_seed(&r, seed, 0);
    switch (w) {
    case WEFT_WIRING_RANDOM: wiring_random(&r, values, gates, pairs); break;
    case WEFT_WIRING_BALANCED: wiring_balanced(&r, values, gates, pairs); break;
    default:
        wiring_unique(values, gates, pairs);
        if (seed) wiring_shuffle(&r, gates, pairs);
    }
    return WEFT_OK;
}
