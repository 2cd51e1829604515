/* limits.h - every limit of the engine, each with its reason.
 *
 * What exceeds a limit is an error that names the limit; where something else happens, the line says
 * so. An array with one of these sizes needs no other check, because the number it depends on was
 * checked where it came in. What a device may vary is in traits.h, within the limits below; limits of
 * files, formats and commands stand where these are read. */
#ifndef WEFT_LIMITS_H
#define WEFT_LIMITS_H

#include "weft/weft.h"

#include <stdint.h>

/* Tensors: bytes and strides are far from what their types hold. Extents of 0 count as 1, so that
 * strides of empty tensors cannot overflow either. The rank is public: WEFT_MAX_RANK. */
#define LIMIT_ELEMENTS (SIZE_MAX > UINT32_MAX ? (int64_t)1 << 40 : (int64_t)INT32_MAX)

enum {
    /* Positions along an axis are i32 where they are values: of iota, argmax and argsort, of what
     * scatter_add adds, and the number of a random element, of which there are no more that differ. */
    LIMIT_POSITIONS = INT32_MAX,

    /* Graphs. A node stores its number of operands in 16 bits, and passes copy the operands of one
     * node at a time into an array. Only concat comes near: longer ones are recorded as several. */
    LIMIT_OPERANDS = 1024,
    LIMIT_ATTRS = 13,          /* of a node: a block's number and the attributes of a step          */
    LIMIT_BLOCK_OPERANDS = 11, /* recur has that many roles; with one result it fills a step        */
    LIMIT_BLOCK_PARTS = 4,     /* results of a block: recur's                                       */
    LIMIT_RULE_INPUTS = 32,    /* of weft_custom_grad; gradients of a node lie on the stack         */
    LIMIT_NODES = INT32_MAX,   /* ids have 32 bits, and some passes keep a mark in the last         */

    /* Names: paths are put together in arrays on the stack, while messages are written. */
    LIMIT_SCOPE_DEPTH = 16,
    LIMIT_SCOPE_LENGTH = 255,  /* of a scope and those around it, with separators                   */
    LIMIT_NAME_LENGTH = 511,   /* of a state's entry, with scopes and "optim.exp_avg."              */

    /* Operations. */
    LIMIT_EINSUM_OPERANDS = 8, /* letters of all of them fit into one text on the stack             */
    LIMIT_POOL_WINDOW = 4096,  /* along an axis: the definition has a slice for each place          */
    LIMIT_RANDINT = 1 << 24,   /* values of weft_randint: more would be drawn unevenly              */

    /* Plans. An instruction names registers and views by 16 bits; the last number is none's. */
    LIMIT_REGISTERS = 65534,   /* instructions of a kernel, its views, and slots while it runs      */
    LIMIT_THREADS = 256,       /* of a context, or of a plan that names its own number             */
    LIMIT_PLANS = 4096,        /* that a weft_plans keeps: looking one up walks through all         */
    LIMIT_PLAN_KEY = 16,       /* numbers of its keys, which it keeps in place                      */
    LIMIT_LOOP_DIMS = 10,      /* of a kernel: a loop space may be split finer than a tensor's axes  */
    LIMIT_STEP_OPERANDS = 14,  /* of a routine, with its results: 11 of recur and 3 of its 4        */
    LIMIT_STEP_ATTRS = 12,     /* LIMIT_ATTRS but for the block's number                            */
    LIMIT_SOURCE_BUFFERS = 128, /* of an emitted kernel, which is refused beyond: parameters of a
                                  function; a device's kernels have fewer                           */

    /* What a device may say of itself (traits.h); backend_check refuses more when it is opened. */
    LIMIT_VIEWS = 256,         /* kernel_views: views of a kernel that grows lie on the stack       */
    LIMIT_INLINE = 5,          /* inline_operands: each of a map's three may be inlined, ...        */
    LIMIT_GATHERED = 16,       /* ... and what it reads then lies on the stack: 3 x 5, or a block's
                                  operands                                                          */

    /* How far passes that only save time or memory look. Beyond, results are the same: a value is
     * stored rather than computed again, steps stay apart, gradients are added. */
    LIMIT_RECOMPUTE_DEPTH = 4, /* values computed again one from the other: the work is doubled by
                                  each, for every reader                                            */
    LIMIT_FRONTIER = 8,        /* values stored in place of one: more would seldom be smaller       */
    LIMIT_RECOMPUTE_CHAIN = 6, /* recomputed values that rest on each other along a recurrence      */
    LIMIT_JOIN_OPERANDS = 32,  /* views of flat steps that are joined: an optimiser's have up to 12 */
    LIMIT_STRETCHES = 16,      /* slices whose gradients are put side by side: joining each to all
                                  before it is quadratic                                            */
};

#endif
