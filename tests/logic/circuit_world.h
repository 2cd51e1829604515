/* circuit_world.h - random circuits of many shapes, and what they mean: one case at a time. */
#ifndef WEFT_TEST_CIRCUIT_WORLD_H
#define WEFT_TEST_CIRCUIT_WORLD_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <weft/logic.h>

typedef struct circuit_random {
    uint64_t state;
} circuit_random;

static inline uint64_t circuit_word(circuit_random *r) { /* xorshift64*, not the library's */
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return r->state * UINT64_C(2685821657736338717);
}

static inline int circuit_below(circuit_random *r, int n) {
    return (int)((circuit_word(r) >> 33) % (uint64_t)n);
}

/* Fewer gates or outputs than asked for: out of memory.
 * Shapes: 0 any value, 1 recent ones (deep), 2 layers, 3 mostly values passed on, 4 only XOR and
 * XNOR, 5 only gates that need both inputs. */
enum { CIRCUIT_SHAPES = 6 };
static inline weft_circuit *circuit_random_one(weft_ctx *c, circuit_random *r, int shape,
                                               int inputs, int gates, int outputs) {
    static const int both[] = {1, 2, 4, 6, 7, 8, 9, 11, 13, 14};
    weft_circuit *const k = weft_circuit_new(c, inputs);
    for (int i = 0; i < gates && k; i++) {
        const int values = inputs + i;
        int lo = 0, n = values;
        if (shape == 1 && values > 6) lo = values - 6;
        if (shape == 2 && i >= 8) {
            lo = inputs + (i / 8 - 1) * 8;
            n = lo + 8;
        }
        const int kind = shape == 3 && circuit_below(r, 10) < 6 ? WEFT_GATE_A
                         : shape == 4                           ? circuit_below(r, 2) ? 6 : 9
                         : shape == 5                           ? both[circuit_below(r, 10)]
                                                                : circuit_below(r, 16);
        const int a = lo + circuit_below(r, n - lo), b = lo + circuit_below(r, n - lo);
        if (weft_circuit_add(k, kind, a, b) < 0) return k;
    }
    const int values = inputs + gates, near = values < 12 ? values : 12;
    for (int i = 0; i < outputs && k; i++)
        if (weft_circuit_output(k, values - 1 - circuit_below(r, i % 4 == 3 ? values : near)))
            return k;
    return k;
}

/* The sixteen functions written out, as no table has them. */
static inline int circuit_truth(int kind, int a, int b) {
    switch (kind) {
    case WEFT_GATE_FALSE: return 0;
    case WEFT_GATE_AND: return a && b;
    case WEFT_GATE_A_NOT_B: return a && !b;
    case WEFT_GATE_A: return a;
    case WEFT_GATE_B_NOT_A: return !a && b;
    case WEFT_GATE_B: return b;
    case WEFT_GATE_XOR: return a != b;
    case WEFT_GATE_OR: return a || b;
    case WEFT_GATE_NOR: return !(a || b);
    case WEFT_GATE_XNOR: return a == b;
    case WEFT_GATE_NOT_B: return !b;
    case WEFT_GATE_A_OR_NOT_B: return a || !b;
    case WEFT_GATE_NOT_A: return !a;
    case WEFT_GATE_B_OR_NOT_A: return !a || b;
    case WEFT_GATE_NAND: return !(a && b);
    default: return 1;
    }
}

/* One case: in (inputs), out (outputs), value (inputs + gates) of scratch. */
static inline void circuit_case(const weft_circuit *k, const uint8_t *in, uint8_t *out,
                                uint8_t *value) {
    const int inputs = weft_circuit_inputs(k);
    for (int i = 0; i < inputs; i++) value[i] = in[i];
    for (int i = 0; i < weft_circuit_gates(k); i++) {
        const weft_circuit_gate g = weft_circuit_at(k, i);
        value[inputs + i] = (uint8_t)circuit_truth(g.kind, value[g.a], value[g.b]);
    }
    for (int i = 0; i < weft_circuit_outputs(k); i++) out[i] = value[weft_circuit_output_at(k, i)];
}

/* The same for words of cases; false: out of memory. */
static inline bool circuit_naive(const weft_circuit *k, int64_t words, const uint64_t *in,
                                 uint64_t *out) {
    const int inputs = weft_circuit_inputs(k), outputs = weft_circuit_outputs(k);
    const size_t bytes = (size_t)(2 * inputs + outputs + weft_circuit_gates(k)) + 1;
    uint8_t *const row = malloc(bytes);
    if (!row) return false;
    uint8_t *const result = row + inputs, *const value = result + outputs;
    memset(out, 0, (size_t)(outputs * words) * sizeof *out);
    for (int64_t i = 0; i < 64 * words; i++) {
        for (int j = 0; j < inputs; j++)
            row[j] = (uint8_t)(in[j * words + i / 64] >> (i % 64) & 1);
        circuit_case(k, row, result, value);
        for (int j = 0; j < outputs; j++)
            out[j * words + i / 64] |= (uint64_t)result[j] << (i % 64);
    }
    free(row);
    return true;
}

#endif
