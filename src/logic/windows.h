/* windows.h - parts of nets that are too large to look at whole.
 *
 * A window is some gates around one, seen as a net of its own: what they read from outside are its
 * inputs, at most ten, and what the outside reads of them are its outputs. It is simplified by its
 * tables (tables.h) and put back when that made it smaller. */
#ifndef WEFT_LOGIC_WINDOWS_H
#define WEFT_LOGIC_WINDOWS_H

#include "net.h"

/* False: out of memory, t is whole all the same. Work as in tables_simplify. */
bool windows_simplify(net *t, int64_t *work);

#endif
