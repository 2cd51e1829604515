/* sample.c - one token from logits: temperature, the k most likely, of these the fewest that carry a
 * share of their probability.
 *
 * The most likely come off a heap one at a time, so a short list out of a large vocabulary costs one
 * look at each token and little more. Equal logits count in the order of the tokens. */
#include "weft/lm.h"

#include <math.h>

typedef struct sample_candidate {
    float weight; /* e^((logit - largest) / temperature) */
    int32_t id;
} sample_candidate;

static bool sample_before(const sample_candidate *a, const sample_candidate *b) {
    return a->weight > b->weight || (a->weight == b->weight && a->id < b->id);
}

static void sample_sink(sample_candidate *heap, int64_t n, int64_t at) {
    const sample_candidate x = heap[at];
    for (int64_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && sample_before(&heap[child + 1], &heap[child])) child++;
        if (!sample_before(&heap[child], &x)) break;
        heap[at] = heap[child];
    }
    heap[at] = x;
}

/* Moves the most likely to the end, in order, until there are `most` or they carry the share of all;
 * how many. */
static int64_t sample_likeliest(sample_candidate *heap, int64_t n, int64_t most, double share) {
    double all = 0, sum = 0;
    for (int64_t i = 0; i < n; i++) all += heap[i].weight;
    for (int64_t i = n / 2; i-- > 0;) sample_sink(heap, n, i);
    int64_t taken = 0;
    while (taken < n && taken < most && (taken == 0 || sum < share * all)) {
        const sample_candidate top = heap[0];
        const int64_t last = n - 1 - taken++;
        heap[0] = heap[last], heap[last] = top;
        sample_sink(heap, last, 0);
        sum += top.weight;
    }
    return taken;
}

static int32_t sample_largest(const float *logits, int64_t n) {
    int32_t best = -1;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(logits[i]) && (best < 0 || logits[i] > logits[best])) best = (int32_t)i;
    return best;
}

int32_t weft_sample(const float *logits, int64_t n, const weft_sample_desc *d, float uniform,
                    void *scratch) {
    const int32_t best = sample_largest(logits, n);
    if (best < 0 || !d || !(d->temperature > 0)) return best;
    sample_candidate *x = scratch;
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(logits[i]))
            x[m++] =
                (sample_candidate){expf((logits[i] - logits[best]) / d->temperature), (int32_t)i};
    if (d->top_k > 0 && d->top_k < m) {
        const int64_t few = sample_likeliest(x, m, d->top_k, 1);
        x += m - few, m = few;
    }
    if (d->top_p > 0 && d->top_p < 1) {
        const int64_t few = sample_likeliest(x, m, m, d->top_p);
        x += m - few, m = few;
    }
    double all = 0, sum = 0;
    for (int64_t i = 0; i < m; i++) all += x[i].weight;
    for (int64_t i = 0; i < m; i++) {
        sum += x[i].weight;
        if (sum > uniform * all) return x[i].id;
    }
    return best; /* rounding has left a rest */
}
