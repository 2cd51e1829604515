/* circuit_run.c - running circuits on bits: 512 cases at a time through slots of an arena. */
#include "sliced.h"

#include <string.h>

static weft_err circuit_ready(weft_circuit *k, int64_t words) {
    if (words < 0) return weft_fail(k->c, WEFT_ARGUMENT, "a run of %lld words", (long long)words);
    if (!k->program) k->program = sliced_plan(k);
    return k->program ? WEFT_OK : weft_error_code(k->c);
}

/* Words from .. from + n of each input, into the slots. Cases beyond them are computed too. */
static void circuit_load(const sliced *p, const uint64_t *in, int64_t words, int64_t from, int n) {
    uint64_t word[SLICED_WORDS] = {0};
    for (int i = 0; i < p->inputs; i++) {
        if (p->input[i] == NET_SAME) continue;
        if (n == SLICED_WORDS) { /* of a length that compilers know */
            memcpy(p->arena + p->input[i], in + i * words + from, sizeof word);
            continue;
        }
        memcpy(word, in + i * words + from, (size_t)n * sizeof *word);
        memcpy(p->arena + p->input[i], word, sizeof word);
    }
}

static void circuit_store(const sliced *p, uint64_t *out, int64_t words, int64_t from, int n) {
    for (int i = 0; i < p->outputs; i++)
        memcpy(out + i * words + from, p->arena + p->output[i], (size_t)n * sizeof *out);
}

weft_err weft_circuit_run(weft_circuit *k, int64_t words, const uint64_t *in, uint64_t *out) {
    const weft_err e = circuit_ready(k, words);
    if (e) return e;
    const sliced_kernels *const kernels = sliced_kernels_of(k->c);
    for (int64_t from = 0; from < words; from += SLICED_WORDS) {
        const int n = words - from < SLICED_WORDS ? (int)(words - from) : SLICED_WORDS;
        circuit_load(k->program, in, words, from, n);
        kernels->run(k->program);
        circuit_store(k->program, out, words, from, n);
    }
    return WEFT_OK;
}

/* Numbers of any size, as they are written. */
static void circuit_spread(const uint64_t *planes, int n, int64_t cases, int stride, int32_t *out) {
    for (int64_t i = 0; i < cases; i++) {
        int32_t sum = 0;
        for (int j = 0; j < n; j++)
            sum |= (int32_t)(planes[j * SLICED_WORDS + i / 64] >> (i % 64) & 1) << j;
        out[i * stride] = sum;
    }
}

weft_err weft_circuit_count(weft_circuit *k, int groups, int64_t words, const uint64_t *in,
                            int32_t *counts) {
    if (groups < 1 || k->outputs % groups)
        return weft_fail(k->c, WEFT_ARGUMENT, "%d outputs are not %d groups of equal size",
                         k->outputs, groups);
    const weft_err e = circuit_ready(k, words);
    if (e) return e;
    const sliced_kernels *const kernels = sliced_kernels_of(k->c);
    const sliced *const p = k->program;
    const int size = k->outputs / groups;
    for (int64_t from = 0; from < words; from += SLICED_WORDS) {
        const int n = words - from < SLICED_WORDS ? (int)(words - from) : SLICED_WORDS;
        circuit_load(p, in, words, from, n);
        kernels->run(p);
        for (int g = 0; g < groups; g++) {
            uint64_t planes[SLICED_PLANES * SLICED_WORDS];
            const int bits = kernels->sum(p, p->output + (size_t)g * (size_t)size, size, planes);
            int32_t *const to = counts + 64 * from * groups + g;
            if (bits < 16) kernels->spread(planes, bits, 64 * (int64_t)n, groups, to);
            else circuit_spread(planes, bits, 64 * (int64_t)n, groups, to);
        }
    }
    return WEFT_OK;
}
