/* circuit.h - what the files of this folder know of a circuit, and arithmetic of kinds.
 *
 * A kind is its truth table (weft/logic.h): complementing, exchanging or inverting inputs moves
 * bits. */
#ifndef WEFT_LOGIC_CIRCUIT_H
#define WEFT_LOGIC_CIRCUIT_H

#include <weft/logic.h>

struct weft_circuit {
    weft_ctx *c;
    int inputs, gates, outputs;
    int gate_room, output_room;
    weft_circuit_gate *gate;
    int32_t *output;
    struct sliced *program; /* made by the first run, dropped by every change */
};

/* Drops what runs prepared. */
void sliced_free(weft_ctx *c, struct sliced *p);

static inline int kind_inverted(int kind) {
    return kind ^ 15;
}

static inline int kind_not_a(int kind) { /* f(!a, b) */
    return (kind & 3) << 2 | kind >> 2;
}

static inline int kind_not_b(int kind) { /* f(a, !b) */
    return (kind & 5) << 1 | (kind >> 1 & 5);
}

static inline bool kind_reads_a(int kind) {
    return kind != kind_not_a(kind);
}

static inline bool kind_reads_b(int kind) {
    return kind != kind_not_b(kind);
}

static inline bool kind_passes(int kind) {
    return kind == WEFT_GATE_A || kind == WEFT_GATE_B;
}

/* 64 cases of a gate at once. */
static inline uint64_t kind_word(int kind, uint64_t a, uint64_t b) {
    return (kind & 1 ? a & b : 0) | (kind & 2 ? a & ~b : 0) | (kind & 4 ? ~a & b : 0) |
           (kind & 8 ? ~a & ~b : 0);
}

#endif
