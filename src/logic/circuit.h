/* circuit.h - what the files of this folder know of a circuit, arithmetic of kinds, and cases to try.
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

/* What input i says in word w of all cases in order: the first six differ within a word. */
static inline uint64_t circuit_case(int i, uint64_t w) {
    static const uint64_t low[6] = {UINT64_C(0xaaaaaaaaaaaaaaaa), UINT64_C(0xcccccccccccccccc),
                                    UINT64_C(0xf0f0f0f0f0f0f0f0), UINT64_C(0xff00ff00ff00ff00),
                                    UINT64_C(0xffff0000ffff0000), UINT64_C(0xffffffff00000000)};
    return i < 6 ? low[i] : w >> (i - 6) & 1 ? ~UINT64_C(0) : 0;
}

/* 64 random bits: splitmix64. */
static inline uint64_t circuit_draw(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

#endif
