/* net.h - a circuit as ANDs and XORs whose inputs may be inverted.
 *
 * Simplifying and running both start here. A literal is a node's number times two, plus one where
 * it is inverted, so inverters and values passed on are nothing at all. Node 0 is false, then come
 * the inputs, then the gates, each reading smaller numbers. Every gate passes through net_and or
 * net_xor, which fold constants, find an equal gate that is there already, and look two gates deep
 * for a shorter way to say the same. Out of memory sticks: ask once, at the end. */
#ifndef WEFT_LOGIC_NET_H
#define WEFT_LOGIC_NET_H

#include "circuit.h"

typedef uint32_t net_literal;
typedef struct net_node {
    net_literal a, b; /* a < b; of an XOR neither is inverted */
    bool is_xor;
} net_node;

typedef struct net {
    weft_ctx *c;
    int inputs, n, room; /* n: nodes, false and inputs counted */
    net_node *node;
    uint32_t *table; /* of nodes by what they read, 0: free */
    uint32_t table_size;
    int outputs;
    net_literal *output;
    int nested; /* replacements of gates by shorter ones under way */
    bool failed;
} net;

static inline uint32_t net_of(net_literal l) { /* the node */
    return l >> 1;
}

static inline uint32_t net_first(const net *t) { /* gate */
    return (uint32_t)t->inputs + 1;
}

bool net_begin(net *t, weft_ctx *c, int inputs, int outputs); /* outputs are false at first */
void net_free(net *t);
net_literal net_and(net *t, net_literal a, net_literal b);
net_literal net_xor(net *t, net_literal a, net_literal b);

bool net_from(net *t, const weft_circuit *k); /* without what no output needs */

/* A rebuilt copy: node i is taken for literal instead[i] where that is not NET_SAME. Follows
 * chains of replacements, which may point upwards but never in circles. Leaves out what is not
 * needed. False: out of memory, t is as it was. */
#define NET_SAME UINT32_MAX
bool net_replace(net *t, const net_literal *instead);

/* Back to gates: the circuit's gates and outputs become the net's. */
weft_err net_to(const net *t, weft_circuit *k);

#endif
