/* sliced.h - a circuit ready to run: 512 cases a slot, gates in runs of one operation.
 *
 * Slots are 64 bytes of an arena, used again when the value in them has been read for the last
 * time. Gates of a run may be computed in any order, or together. */
#ifndef WEFT_LOGIC_SLICED_H
#define WEFT_LOGIC_SLICED_H

#include "net.h"

enum { SLICED_WORDS = 8, SLICED_PLANES = 32 }; /* words of a slot; bits of a count */
enum { SLICED_COLUMNS = 1024 };                 /* packed at a time */

/*    name     value      complement */
#define SLICED_OPS(X)                                                                             \
    X(AND,     a & b,     NAND)                                                                   \
    X(AND_NOT, a & ~b,    NOT_AND)                                                                \
    X(OR,      a | b,     NOR)                                                                    \
    X(XOR,     a ^ b,     XNOR)                                                                   \
    X(NAND,    ~(a & b),  AND)                                                                    \
    X(NOT_AND, ~(a & ~b), AND_NOT)                                                                \
    X(NOR,     ~(a | b),  OR)                                                                     \
    X(XNOR,    ~(a ^ b),  XOR)
enum {
#define X(name, value, complement) SLICED_##name,
    SLICED_OPS(X)
#undef X
    SLICED_OP_COUNT
};

typedef struct sliced_run {
    uint32_t op, gates;
} sliced_run;

/* A gate is three slots of 20 bits in one word, placed so that a rotation and a mask give the bytes
 * into the arena: one load instead of three. */
enum { SLICED_LINE = 8 * SLICED_WORDS, SLICED_SLOTS = 1 << 20 };
#define SLICED_SLOT_MASK ((uint64_t)(SLICED_SLOTS - 1) * SLICED_LINE)

static inline uint64_t sliced_turned(uint64_t x, int right) {
    return x >> right | x << (64 - right);
}

static inline uint64_t sliced_gate_of(uint64_t to, uint64_t a, uint64_t b) { /* slots */
    return a * SLICED_LINE | b * SLICED_LINE << 20 | sliced_turned(to * SLICED_LINE, 24);
}

static inline size_t sliced_gate_a(uint64_t gate) {
    return (size_t)(gate & SLICED_SLOT_MASK);
}

static inline size_t sliced_gate_b(uint64_t gate) {
    return (size_t)(gate >> 20 & SLICED_SLOT_MASK);
}

static inline size_t sliced_gate_to(uint64_t gate) {
    return (size_t)(sliced_turned(gate, 40) & SLICED_SLOT_MASK);
}

typedef struct sliced {
    int inputs, outputs, runs, gates;
    uint32_t *input, *output; /* bytes into the arena; input NET_SAME: nothing reads it */
    sliced_run *run;
    uint64_t *gate;
    unsigned char *arena; /* on a cache line */
    void *arena_memory;
} sliced;

/* NULL: out of memory, with a message. */
sliced *sliced_plan(const weft_circuit *k);

typedef struct sliced_kernels {
    void (*run)(const sliced *p); /* the whole arena */
    /* ones of n outputs, bit by bit: planes [SLICED_PLANES, SLICED_WORDS] */
    int (*sum)(const sliced *p, const uint32_t *output, int n, uint64_t *planes);
    /* the same as numbers, where 15 bits are enough: counts [cases, stride], 16 at a time */
    void (*spread)(const uint64_t *planes, int n, int64_t cases, int stride, int32_t *counts);
    /* x [8 rows, n]: a byte for each column, row i at bit i */
    void (*rows_u8)(const uint8_t *x, int64_t row, int64_t n, uint8_t least, uint8_t *bits);
    void (*rows_f32)(const float *x, int64_t row, int64_t n, float least, uint8_t *bits);
    /* eight such rows of bytes: a word for each column, stride apart */
    void (*turn)(const uint8_t bytes[8][SLICED_COLUMNS], int n, int64_t stride, uint64_t *bits);
} sliced_kernels;

const sliced_kernels *sliced_kernels_of(const weft_ctx *c);

#endif
