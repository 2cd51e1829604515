/* circuit.c - circuits as lists of gates: made, looked at, compared.
 *
 * Simplifying, running and writing them have files of their own. */
#include "circuit.h"

#include <string.h>

enum { CIRCUIT_MOST = 1 << 28 }; /* values of a circuit */

weft_circuit *weft_circuit_new(weft_ctx *c, int inputs) {
    if (inputs < 0 || inputs > CIRCUIT_MOST) {
        weft_fail(c, WEFT_ARGUMENT, "a circuit of %d inputs: it has 0 to %d", inputs, CIRCUIT_MOST);
        return NULL;
    }
    weft_circuit *const k = weft_resize(c, NULL, sizeof *k);
    if (!k) {
        weft_fail(c, WEFT_MEMORY, "out of memory for a circuit");
        return NULL;
    }
    *k = (weft_circuit){.c = c, .inputs = inputs};
    return k;
}

void weft_circuit_free(weft_circuit *k) {
    if (!k) return;
    sliced_free(k->c, k->program);
    weft_resize(k->c, k->gate, 0);
    weft_resize(k->c, k->output, 0);
    weft_resize(k->c, k, 0);
}

/* Room for one more element; the new memory, or NULL with a message. */
static void *circuit_grow(weft_ctx *c, void *list, int count, int *room, size_t size) {
    if (count < *room) return list;
    const int more = *room ? 2 * *room : 64;
    void *const grown = weft_resize(c, list, (size_t)more * size);
    if (!grown) {
        weft_fail(c, WEFT_MEMORY, "out of memory for a circuit of %d gates", more);
        return NULL;
    }
    *room = more;
    return grown;
}

static void circuit_changed(weft_circuit *k) {
    sliced_free(k->c, k->program);
    k->program = NULL;
}

int32_t weft_circuit_add(weft_circuit *k, int kind, int32_t a, int32_t b) {
    const int values = k->inputs + k->gates;
    if (kind < 0 || kind >= WEFT_GATE_KINDS) {
        weft_fail(k->c, WEFT_ARGUMENT, "gate %d: kind %d is not one of the %d", k->gates, kind,
                  WEFT_GATE_KINDS);
        return -1;
    }
    if (a < 0 || a >= values || b < 0 || b >= values) {
        weft_fail(k->c, WEFT_ARGUMENT, "gate %d reads values %d and %d: there are %d so far",
                  k->gates, (int)a, (int)b, values);
        return -1;
    }
    if (values >= CIRCUIT_MOST) {
        weft_fail(k->c, WEFT_ARGUMENT, "a circuit has at most %d values", CIRCUIT_MOST);
        return -1;
    }
    void *const gate = circuit_grow(k->c, k->gate, k->gates, &k->gate_room, sizeof *k->gate);
    if (!gate) return -1;
    circuit_changed(k);
    k->gate = gate;
    k->gate[k->gates++] = (weft_circuit_gate){kind, a, b};
    return values;
}

weft_err weft_circuit_output(weft_circuit *k, int32_t value) {
    const int values = k->inputs + k->gates;
    if (value < 0 || value >= values)
        return weft_fail(k->c, WEFT_ARGUMENT, "output %d is value %d: there are %d", k->outputs,
                         (int)value, values);
    if (k->outputs >= CIRCUIT_MOST)
        return weft_fail(k->c, WEFT_ARGUMENT, "a circuit has at most %d outputs", CIRCUIT_MOST);
    void *const output =
        circuit_grow(k->c, k->output, k->outputs, &k->output_room, sizeof *k->output);
    if (!output) return WEFT_MEMORY;
    circuit_changed(k);
    k->output = output;
    k->output[k->outputs++] = value;
    return WEFT_OK;
}

weft_circuit *weft_circuit_copy(const weft_circuit *k) {
    weft_circuit *const copy = weft_circuit_new(k->c, k->inputs);
    bool good = copy != NULL;
    for (int i = 0; i < k->gates && good; i++)
        good = weft_circuit_add(copy, k->gate[i].kind, k->gate[i].a, k->gate[i].b) >= 0;
    for (int i = 0; i < k->outputs && good; i++)
        good = weft_circuit_output(copy, k->output[i]) == WEFT_OK;
    if (good) return copy;
    weft_circuit_free(copy);
    return NULL;
}

/* ---- looking ---- */

int weft_circuit_inputs(const weft_circuit *k) {
    return k->inputs;
}

int weft_circuit_outputs(const weft_circuit *k) {
    return k->outputs;
}

int weft_circuit_gates(const weft_circuit *k) {
    return k->gates;
}

weft_circuit_gate weft_circuit_at(const weft_circuit *k, int gate) {
    return gate >= 0 && gate < k->gates ? k->gate[gate] : (weft_circuit_gate){-1, -1, -1};
}

int32_t weft_circuit_output_at(const weft_circuit *k, int output) {
    return output >= 0 && output < k->outputs ? k->output[output] : -1;
}

/* The longest way that ends in each value, by gates; -1 without memory. One pass upwards. */
int weft_circuit_depth(const weft_circuit *k) {
    int32_t *const depth = weft_resize(k->c, NULL, sizeof *depth * (size_t)(k->gates + 1));
    if (!depth) {
        weft_fail(k->c, WEFT_MEMORY, "out of memory for the depth of %d gates", k->gates);
        return -1;
    }
    for (int i = 0; i < k->gates; i++) {
        const weft_circuit_gate g = k->gate[i];
        const int32_t a = kind_reads_a(g.kind) && g.a >= k->inputs ? depth[g.a - k->inputs] : 0;
        const int32_t b = kind_reads_b(g.kind) && g.b >= k->inputs ? depth[g.b - k->inputs] : 0;
        const bool constant = !kind_reads_a(g.kind) && !kind_reads_b(g.kind);
        depth[i] = (a > b ? a : b) + !(constant || kind_passes(g.kind));
    }
    int32_t most = 0;
    for (int i = 0; i < k->outputs; i++) {
        const int32_t v = k->output[i] - k->inputs;
        if (v >= 0 && depth[v] > most) most = depth[v];
    }
    weft_resize(k->c, depth, 0);
    return most;
}

int weft_circuit_active(const weft_circuit *k) {
    unsigned char *const needed = weft_resize(k->c, NULL, (size_t)(k->inputs + k->gates + 1));
    if (!needed) {
        weft_fail(k->c, WEFT_MEMORY, "out of memory to look at %d gates", k->gates);
        return -1;
    }
    memset(needed, 0, (size_t)(k->inputs + k->gates + 1));
    for (int i = 0; i < k->outputs; i++) needed[k->output[i]] = 1;
    int active = 0;
    for (int i = k->gates - 1; i >= 0; i--) { /* readers come after what they read */
        const weft_circuit_gate g = k->gate[i];
        if (!needed[k->inputs + i]) continue;
        active += !kind_passes(g.kind);
        if (kind_reads_a(g.kind)) needed[g.a] = 1;
        if (kind_reads_b(g.kind)) needed[g.b] = 1;
    }
    weft_resize(k->c, needed, 0);
    return active;
}

/* ---- comparing ---- */

enum { CIRCUIT_ALL_CASES = 20 }; /* inputs */

/* All values of 64 cases, gate by gate as the list stands: the plain meaning of a circuit. */
static void circuit_values(const weft_circuit *k, uint64_t *value) {
    for (int i = 0; i < k->gates; i++)
        value[k->inputs + i] = kind_word(k->gate[i].kind, value[k->gate[i].a], value[k->gate[i].b]);
}

weft_err weft_circuit_equal(const weft_circuit *a, const weft_circuit *b, int64_t cases,
                            uint64_t seed, bool *equal) {
    *equal = false;
    if (a->inputs != b->inputs || a->outputs != b->outputs)
        return weft_fail(a->c, WEFT_ARGUMENT,
                         "circuits of %d and %d inputs, %d and %d outputs cannot be compared",
                         a->inputs, b->inputs, a->outputs, b->outputs);
    const bool all = a->inputs <= CIRCUIT_ALL_CASES;
    if (!all && cases < 1)
        return weft_fail(a->c, WEFT_ARGUMENT, "%lld random cases cannot tell circuits of %d inputs",
                         (long long)cases, a->inputs);
    const size_t va = (size_t)(a->inputs + a->gates) + 1, vb = (size_t)(b->inputs + b->gates) + 1;
    uint64_t *const value = weft_resize(a->c, NULL, (va + vb) * sizeof *value);
    if (!value) return weft_fail(a->c, WEFT_MEMORY, "out of memory to compare two circuits");
    const int64_t words = !all             ? WEFT_WORDS(cases)
                          : a->inputs <= 6 ? 1
                                           : INT64_C(1) << (a->inputs - 6);
    bool same = true;
    for (int64_t w = 0; w < words && same; w++) {
        for (int i = 0; i < a->inputs; i++)
            value[i] = value[va + (size_t)i] =
                all ? circuit_case(i, (uint64_t)w) : circuit_draw(&seed);
        circuit_values(a, value);
        circuit_values(b, value + va);
        for (int i = 0; i < a->outputs && same; i++)
            same = value[a->output[i]] == value[va + (size_t)b->output[i]];
    }
    weft_resize(a->c, value, 0);
    *equal = same;
    return WEFT_OK;
}
