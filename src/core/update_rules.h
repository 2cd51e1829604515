/* update_rules.h - operands and attributes of the blocks of update rules, for those who record,
 * define and compute them.
 *
 * A gradient is *taken*: kept between -clip and clip (0: as it is), then times a scale. Where an
 * update is not due, everything stays as it was. Scale and due are 0-d, optional, and come behind
 * the other operands in this order. */
#ifndef WEFT_UPDATE_RULES_H
#define WEFT_UPDATE_RULES_H

#include "core/graph.h"

enum { TAKEN_SCALE = 1, TAKEN_DUE = 2 }; /* what was given */
enum { ADAM_NUMBERS = 4, ADAM_MORE = 7, ADAM_L2 = 4, ADAM_CLIP = 5, ADAM_GIVEN = 6 };
enum { MOMENTUM_NUMBERS = 3, MOMENTUM_MORE = 4, MOMENTUM_CLIP = 3, MOMENTUM_GIVEN = 4 };

/* Operand of the scale or of due, or -1. `more`: the first that is optional */
WEFT_INLINE int taken_operand(int64_t given, int which, int more) {
    if (!(given & which)) return -1;
    return more + (which == TAKEN_DUE && (given & TAKEN_SCALE));
}

/* The squares of a tensor are summed in pieces, whose length depends on its size alone. */
enum { SQUARES_PIECES = 32, SQUARES_MOST = LIMIT_BLOCK_OPERANDS };
WEFT_INLINE int64_t squares_piece(int64_t count) {
    int64_t each = (count + SQUARES_PIECES - 1) / SQUARES_PIECES;
    return each < 1024 ? 1024 : (each + 15) / 16 * 16;
}

#endif
