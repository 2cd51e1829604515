/* ref_node.h - what the files of the reference backend share: a node with its value, and the
 * meaning of numbers.
 *
 * Every value is an array of doubles, whatever the type of the node. f32 is left unrounded, which
 * makes results the reference that other backends are compared with; bf16 and f16 are rounded;
 * integers are whole numbers wrapped to their range, which a double holds exactly. */
#ifndef WEFT_REF_NODE_H
#define WEFT_REF_NODE_H

#include "core/graph.h"

typedef struct ref_node {
    uint8_t op, dtype, rank;
    uint16_t nin;
    int64_t count;
    int64_t dim[WEFT_MAX_RANK], attr[WEFT_MAX_RANK]; /* attributes as graph.h lists them */
    struct ref_node **in;
    double *value;     /* row-major */
    int64_t *order;    /* argsort: room for a line, twice */
    weft_state *state; /* OP_state: attr[1] is the entry */
} ref_node;

/* ref_scalar.c: one number at a time */
bool ref_is_float(int dtype);
double ref_read(int dtype, const void *array, int64_t i);
void ref_write(int dtype, void *array, int64_t i, double v); /* rounds or wraps */
double ref_of_bits(int dtype, uint32_t bits);                /* of a literal or a fill */
double ref_cast(int from, int to, double v);
double ref_apply(int op, int from, int to, double a, double b); /* a row of the table */
double ref_lowest(int dtype);                                   /* the maximum of nothing */
bool ref_above(double a, double b);                             /* a > b, nan above all */
void ref_random(uint32_t seed, uint32_t stream, uint32_t run, int64_t block, int kind, int dtype,
                double out[4]); /* elements 4 block ... + 3 */

/* ref_eval.c: one node, operands first; everything but input, state and data */
void ref_eval(ref_node *n);

#endif
