/* tables.h - nets small enough to look at every case: a truth table for each node.
 *
 * Two ways to lose gates. Joining: nodes of one function, or of a function and its complement, are
 * one node. Replacing: a node matters only in the cases where flipping it changes an output, so it
 * may give way to any node, or to one or two new gates over other nodes, that agree with it there,
 * if more gates fall away with it than come. Both are proven by the tables. */
#ifndef WEFT_LOGIC_TABLES_H
#define WEFT_LOGIC_TABLES_H

#include "net.h"

enum { TABLES_INPUTS = 16 }; /* at most, of those that matter */

/* Whether all its cases fit into so many bytes. False: out of memory. */
bool tables_fit(const net *t, size_t bytes, bool *fit);

/* Both ways until nothing changes or the work, in words looked at, is used up. False: out of
 * memory; t is whole all the same. */
bool tables_simplify(net *t, int64_t *work);

#endif
