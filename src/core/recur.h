/* recur.h - the operands of the recurrent blocks, by role; for core and for backends.
 *
 * Attributes of recur and recur_grad: cell, reverse, and which operands are given, a bit for each.
 * Operands stand in the order of this table; those not given are left out. T steps, B rows, H
 * units, G gates (weft_cell_gates). With `reverse` a row's steps are done from its last to its
 * first. */
#ifndef WEFT_RECUR_H
#define WEFT_RECUR_H

#include "core/graph.h"

/* clang-format off */
/*    role           what it is                                               block */
#define RECUR_ROLES(X)                                                                             \
    X(GATES)      /* [T, B, G H]: x W_ih^T and the biases but GRU's u_n       recur             */ \
    X(WEIGHT)     /* [G H, H]: W_hh                                           both              */ \
    X(INNER)      /* [H]: GRU's bias of u_n                                   recur             */ \
    X(H0)         /* [B, H]; zeros if left out                                recur, GRU's grad */ \
    X(C0)         /* [B, H]; zeros if left out; LSTM                          both              */ \
    X(Y)          /* [T, B, H]: part 0 of recur; RNN and GRU                  grad              */ \
    X(KEPT)       /* [T, B, recur_kept H]: part 3 of recur; LSTM and GRU      grad              */ \
    X(DY)         /* [T, B, H]: the gradient of y                             grad              */ \
    X(DH)         /* [B, H]: of the last h                                    grad              */ \
    X(DC)         /* [B, H]: of the last c; LSTM                              grad              */ \
    X(LENGTHS)    /* i32 [B]: steps of each row; T for all if left out        both              */

typedef enum recur_role {
#define X(name) RECUR_##name,
    RECUR_ROLES(X)
#undef X
    RECUR_ROLE_COUNT
} recur_role;
_Static_assert(RECUR_ROLE_COUNT <= (int)LIMIT_BLOCK_OPERANDS, "operands of the recurrent blocks");
/* clang-format on */

/* Results: of recur y, the last h, the last c (LSTM), what the gradient needs (LSTM i f g o c,
 * GRU r z n u_n); of recur_grad those of the gates, of h W_hh^T (GRU; else the same), h0, c0. */
enum { RECUR_OUT_Y, RECUR_OUT_H, RECUR_OUT_C, RECUR_OUT_KEPT };
enum { RECUR_OUT_DGATES, RECUR_OUT_DHIDDEN, RECUR_OUT_DH0, RECUR_OUT_DC0 };
enum { RECUR_ATTR_CELL, RECUR_ATTR_REVERSE, RECUR_ATTR_GIVEN, RECUR_ATTRS };

/* The place of an operand among those given, or -1. */
WEFT_INLINE int recur_operand(int64_t given, recur_role r) {
    int place = 0;
    if (!(given >> r & 1)) return -1;
    for (int i = 0; i < (int)r; i++) place += (int)(given >> i & 1);
    return place;
}

WEFT_INLINE int recur_kept(int64_t cell) {
    return cell == WEFT_LSTM ? 5 : cell == WEFT_GRU ? 4 : 0;
}

#endif
