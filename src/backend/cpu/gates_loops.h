/* gates_loops.h - the loops of gate programs, once per instruction set: a tile of cells, one vector beside
 * the other, goes through a list of gates. Offsets count floats. */
#ifndef WEFT_GATES_LOOPS_H
#define WEFT_GATES_LOOPS_H

#include "isa.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GATES_TILE_MOST = 64,
    GATES_AHEAD = 6 /* gates behind the last that code must have, to be looked at and not run */
};

typedef struct gates_code {
    uint32_t a, b, out, row;
} gates_code;

/* grad: of the gate's own value. A gradient is read from one place and written to another: the first
 * time it is read from a place of zeros. */
typedef struct gates_back {
    uint32_t a, b, grad, row, from_a, to_a, from_b, to_b;
} gates_back;

typedef struct gates_table {
    int tile; /* cells of a tile */
    /* value[out] = c0 + c1 a + (c2 + c3 a) b */
    void (*forward)(const gates_code *code, size_t n, const float *coef, float *value);
    /* the other way; sums[row] += sums over the cells of g, g a, g b, g a b */
    void (*backward)(const gates_back *code, size_t n, const float *coef, const float *value,
                     float *grad, float *sums);
} gates_table;

/* For so many cells. */
const gates_table *gates_of(isa level, int64_t cells);

#endif
