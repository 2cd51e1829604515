/* update_rules.h - operands and attributes of the blocks of update rules, for the code that
 * records, defines and computes them.
 *
 * A gradient is clipped to [-clip, clip] (0: not clipped), then scaled. Where an update is not due,
 * nothing changes. Scale and due are 0-d, optional, and come behind
 * the other operands in this order. */
#ifndef WEFT_UPDATE_RULES_H
#define WEFT_UPDATE_RULES_H

#include "core/graph.h"

enum { GIVEN_SCALE = 1, GIVEN_DUE = 2 }; /* which of both there are */
enum { ADAM_L2 = 4 };                    /* attribute */

/* The last two attributes of every update rule: bits of clip, and what was given. */
WEFT_INLINE int rule_clip(int64_t which) { return block_table[which].attributes - 2; }
WEFT_INLINE int rule_given(int64_t which) { return block_table[which].attributes - 1; }

/* Operand of the scale or of due, or -1. */
WEFT_INLINE int given_operand(int64_t which, int64_t given, int what) {
    if (!(given & what)) return -1;
    return block_table[which].operands + (what == GIVEN_DUE && (given & GIVEN_SCALE));
}

/* The squares of a tensor are summed in pieces, as many as the device wants (traits.h), whose length
 * depends on the tensor's size alone. */
enum { SQUARES_ATTR_PIECES, SQUARES_ATTR_LEAST, SQUARES_ATTRS };
enum { SQUARES_MOST = LIMIT_BLOCK_OPERANDS };
WEFT_INLINE int64_t squares_piece(const int64_t *attr, int64_t count) {
    const int64_t pieces = attr[SQUARES_ATTR_PIECES], each = (count + pieces - 1) / pieces;
    const int64_t least = attr[SQUARES_ATTR_LEAST];
    return each < least ? least : (each + 15) / 16 * 16;
}

#endif
