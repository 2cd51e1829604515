/* twins.h - equal nodes of nets with too many inputs to look at every case.
 *
 * Nodes that agree in some thousand random cases are candidates. A pair is joined only when the
 * inputs both of them depend on are few enough to go through all of their cases. */
#ifndef WEFT_LOGIC_TWINS_H
#define WEFT_LOGIC_TWINS_H

#include "net.h"

/* False: out of memory, t is whole all the same. Work as in tables_simplify. */
bool twins_join(net *t, int64_t *work);

#endif
