/* lower.h - a cluster on its way to code, shared by the two files of the pass. */
#ifndef WEFT_LOWER_H
#define WEFT_LOWER_H

#include "plan/passes.h"

enum { LOWER_NONE = 0xffff };

/* The register of a value that is computed again, per element and per row; of kernel `round` only. */
typedef struct lower_again { uint32_t round[2]; uint16_t reg[2]; } lower_again;

/* Lists grow as a kernel needs, and are used for one kernel after the other. */
typedef struct lower {
    compile  *c;
    cluster  *k;
    uint32_t  ki, round;
    uint16_t *reg;                 /* [n] register of a member                      */
    lower_again *again;            /* [n]                                           */
    kins     *ins;  size_t nins, ins_cap;
    kview    *view; size_t nview, view_cap;
    const char *failed;            /* what cannot be expressed, or NULL             */
} lower;

/* of a stored node; KNOBUF and c->starved when out of memory */
uint32_t lower_buffer(compile *c, uint32_t id);

roperand  lower_described(const compile *c, uint32_t id);   /* shape and strides, no buffer yet */
void      lower_describe(const compile *c, const node *n, step *s);   /* the step, operands so */
step_kind lower_kind(const node *n);                        /* of a matmul, routine or block */

/* lower_code.c */
uint16_t lower_emit(lower *l, kins i);
uint16_t lower_view(lower *l, const kview *v);
void     lower_start(lower *l, uint32_t ki);           /* the next kernel: empty lists            */
bool     lower_fit(lower *l, const aview *v, int rank, const int64_t *dim, bool rows, kview *out);
uint16_t lower_load(lower *l, const aview *v, int rank, const int64_t *dim, bool rows);
void     lower_member(lower *l, uint32_t id);         /* the instructions of one node             */
void     lower_store(lower *l, uint32_t id);
kernel  *lower_finish(lower *l, bool merge);  /* loop order, merged dimensions; NULL: starved */
ktype    lower_type(int dtype);

#endif
