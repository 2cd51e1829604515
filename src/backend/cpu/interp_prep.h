/* interp_prep.h - a row program while it is being prepared, shared by interp.c, interp_code.c,
 * interp_super.c and interp_shape.c. */
#ifndef WEFT_INTERP_PREP_H
#define WEFT_INTERP_PREP_H

#include "backend/cpu/interp_parts.h"
#include "base/compiler.h"

/* Lists by instruction are as long as the program; operations and slots grow as they are made. */
typedef struct prep {
    const weft_plan *p;
    const kernel *k;
    interp   *x;
    iop      *op;    size_t nop, op_cap;
    interp_slot *slot; size_t nslot, slot_cap;
    uint16_t *free_tile; size_t nfree, free_cap;
    kins     *ins;
    int       nins;
    uint16_t *slot_of;                /* where an instruction's value lies, in its own level      */
    uint16_t *spread_of;              /* a row value spread over the tile                         */
    uint16_t *best_of;                /* argmax: the running maximum; sums across: the total so far */
    int32_t  *avail;                  /* first phase in which the value can be had                */
    int32_t  *last;                   /* last iop that reads the value (straight lists)           */
    uint8_t  *level;                  /* is the value the same in all columns of a row?           */
    int32_t  *room[2];                /* for passes over the instructions to use as they like     */
    int       phases, kept;
    bool      large;                  /* touches more than the caches hold                        */
    bool      starved;
    const char *failed;               /* what cannot be expressed, or NULL                        */
} prep;

enum { PREP_NONE = 0xffff, PREP_SQUARE = 16 };

enum {
    TILE_DOT = TILE_OPS,              /* K_SUM of a product, which then is never stored           */
    TILE_TAKE_SUM                     /* K_SUM across rows taken from a table, the same           */
};

WEFT_INLINE bool prep_is_fold(int op) {
    return op < K_COUNT ? kins_table[op].kind == KINS_FOLD : op >= TILE_DOT;
}

/* How many operands an instruction reads; super-operations have three, if two are the same. */
WEFT_INLINE int prep_operands(const kins *s) {
    if (s->op < K_COUNT) return kins_table[s->op].operands;
    return s->op == TILE_DOT ? 2 : s->op == TILE_TAKE_SUM ? 1 : 3;
}
WEFT_INLINE uint16_t prep_operand(const kins *s, int i) { return i == 0 ? s->a : i == 1 ? s->b : s->c; }

void prep_super(prep *q);             /* instructions that run in one loop become one             */
void prep_prune(prep *q);             /* those that nothing leads to a store from disappear       */
void prep_order(prep *q);             /* phases: a fold of phase p can be read from p + 1 on      */
bool prep_expensive(const prep *q);   /* would phases compute something expensive again?          */

uint16_t prep_slot(prep *q, int kind, uint32_t fill, uint16_t view);
bool prep_flat(const prep *q, const kview *v);            /* the same everywhere                  */
/* Instruction id as an operation; straight: of a list in which each value is computed once. */
void prep_instruction(prep *q, int id, bool straight);

void prep_shape(prep *q, bool epilogue);       /* mode, rows and columns of a tile, units         */
void prep_widen(prep *q);                      /* longer tiles, where registers leave room        */
bool prep_finish(prep *q, arena *memory);      /* into q->x; false: out of memory                 */

#endif
