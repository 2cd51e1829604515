/* gates.h - the wiring of a gate program, as the graph keeps it and a kernel reads it.
 *
 * Values are numbered: features first, then gates in order, so a gate reads smaller numbers only. */
#ifndef WEFT_CORE_GATES_H
#define WEFT_CORE_GATES_H

#include "core/graph.h"

typedef struct gate_wiring {
    int32_t features, gates, outputs, rows;
    const weft_gate *gate;  /* [gates] */
    const int32_t *output;  /* [outputs] numbers of values */
} gate_wiring;

/* Attributes of both blocks: where the wiring lies; of gates_grad also how many pieces. */
enum { GATES_ATTR_WIRING, GATES_ATTR_PIECES, GATES_ATTRS };

const gate_wiring *gates_wiring(const int64_t *attr);

#endif
