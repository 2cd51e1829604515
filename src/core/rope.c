/* rope.c - rotary positions: pairs of elements turned by angles that grow with the position.
 *
 * A formula over other operations. Its two halves are joined by a concat and their gradients are
 * joined likewise, so turning the queries and keys of a layer is one kernel forward and one back.
 * Cosines and sines lie in memory: equal expressions are one node, so all layers read one table. */
#include "core/shape.h"
#include <math.h>

/* Llama 3 leaves short waves as they are and divides long ones; between the two it blends. */
static double rope_scaled(double freq, const weft_rope_desc *d) {
    if (!d->original) return freq / d->factor;
    const double waves = (double)d->original * freq / (2 * 3.14159265358979323846);
    const double kept = fmin(fmax((waves - d->low) / ((double)d->high - d->low), 0), 1);
    return (1 - kept) * freq / d->factor + kept * freq;
}

/* f32 [half]: how far a pair is turned from one position to the next. */
static weft_tensor rope_frequencies(weft_graph *g, int64_t half, const weft_rope_desc *d) {
    float *freq = mem_new(g->m, (size_t)max_i64(half, 1) * sizeof *freq);
    if (!freq) return graph_fail(g, WEFT_MEMORY, "rope: out of memory");
    for (int64_t i = 0; i < half; i++)
        freq[i] = (float)rope_scaled(pow(d->base, -(double)i / (double)half), d);
    const weft_tensor r = weft_const(g, WEFT_F32, weft_dims(half), freq);
    mem_free(g->m, freq);
    return r;
}

/* With defaults filled in; false: poisoned. */
static bool rope_described(weft_graph *g, const weft_rope_desc *given, weft_rope_desc *d) {
    if (given) *d = *given;
    if (d->base == 0) d->base = 10000;
    if (d->factor == 0) d->factor = 1;
    if (d->low == 0) d->low = 1;
    if (d->high == 0) d->high = 4;
    if (!(d->base > 0 && d->base < INFINITY && d->factor > 0 && d->factor < INFINITY)) {
        graph_fail(g, WEFT_ARGUMENT, "rope: a base of %g and a factor of %g; both must be above 0",
                   (double)d->base, (double)d->factor);
    } else if (d->original < 0 ||
               (d->original && !(d->low > 0 && d->low < d->high && d->high < INFINITY))) {
        graph_fail(g, WEFT_ARGUMENT,
                   "rope: %lld original positions, low %g and high %g; 0 < low < high was expected",
                   (long long)d->original, (double)d->low, (double)d->high);
    }
    return g->err == WEFT_OK;
}

weft_tensor weft_rope(weft_tensor x, weft_tensor positions, const weft_rope_desc *given) {
    const weft_tensor both[2] = {x, positions};
    weft_rope_desc d = {0};
    if (!graph_checked(x.g, both, 2) || !shape_index(positions, "rope") ||
        !rope_described(x.g, given, &d))
        return tensor_at(x.g, 0);
    const weft_shape s = weft_shape_of(x), p = weft_shape_of(positions);
    bool fits = s.rank >= 2 && s.n[s.rank - 1] % 2 == 0 && p.rank < s.rank;
    for (int i = 1; fits && i <= p.rank; i++)
        fits = p.n[p.rank - i] == 1 || p.n[p.rank - i] == s.n[s.rank - 1 - i];
    if (!fits) {
        char a[80], b[80];
        return graph_fail(
            x.g, WEFT_SHAPE,
            "rope: x %s must be [..., T, h] with an even h, and positions %s fit [..., T]",
            shape_text(a, sizeof a, s.rank, s.n), shape_text(b, sizeof b, p.rank, p.n));
    }
    const int64_t half = s.n[s.rank - 1] / 2;
    const weft_tensor at = weft_unsqueeze(weft_cast(positions, WEFT_F32), -1);
    const weft_tensor angle = weft_mul(at, rope_frequencies(x.g, half, &d));
    const weft_tensor c = weft_stored(weft_cos(angle)), sn = weft_stored(weft_sin(angle));
    x = weft_cast(x, WEFT_F32);
    const weft_tensor a = weft_slice(x, -1, 0, half, 1), b = weft_slice(x, -1, half, 2 * half, 1);
    const weft_tensor turned[2] = {weft_sub(weft_mul(a, c), weft_mul(b, sn)),
                                   weft_add(weft_mul(b, c), weft_mul(a, sn))};
    return weft_concat((weft_tensors){turned, 2}, -1);
}
