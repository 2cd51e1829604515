/* lower.h - a cluster on its way to code, shared by the two files of the pass. */
#ifndef WEFT_LOWER_H
#define WEFT_LOWER_H

#include "plan/passes.h"

enum { LOWER_NONE = 0xffff };

typedef struct lower {
    compile  *c;
    cluster  *k;
    uint32_t  ki;
    uint16_t *reg;                 /* register of a member                          */
    kins      ins[256];
    kview     view[96];
    int       nins, nview;
    bool      failed;
} lower;

/* of a stored node; KNOBUF and c->starved when out of memory */
uint32_t lower_buffer(compile *c, uint32_t id);

roperand  lower_described(const compile *c, uint32_t id);   /* shape and strides, no buffer yet */
step_kind lower_kind(const node *n);                        /* of a routine or block */

/* lower_code.c */
uint16_t lower_emit(lower *l, kins i);
int      lower_view(lower *l, const kview *v);
bool     lower_fit(lower *l, const aview *v, int rank, const int64_t *dim, bool rows, kview *out);
uint16_t lower_load(lower *l, const aview *v, int rank, const int64_t *dim, bool rows);
void     lower_member(lower *l, uint32_t id);         /* the instructions of one node             */
void     lower_store(lower *l, uint32_t id);
kernel  *lower_finish(lower *l, bool merge);  /* loop order, merged dimensions; NULL: starved */
ktype    lower_type(int dtype);

/* update.c: may the value of u be written straight into the state's memory? */
bool update_in_place(const compile *c, const root *u);

#endif
