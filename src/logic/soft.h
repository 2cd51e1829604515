/* soft.h - a network of gates in the making, as soft.c, layers.c and automaton.c know it. */
#ifndef WEFT_LOGIC_SOFT_H
#define WEFT_LOGIC_SOFT_H

#include <weft/logic.h>

enum { LOGIC_MOST = 1 << 26 }; /* values of a network */

struct weft_logic {
    weft_ctx *c;
    int inputs, gates, outputs, rows;
    int fixed;    /* gates whose function is known: they have no row */
    int32_t zero; /* the value that is always 0, once there is one; 0: none */
    int gate_room, output_room;
    weft_gate *gate;
    int32_t *output;
};

weft_ctx *automaton_ctx(const weft_automaton *a);
bool automaton_wraps(const weft_automaton *a);

#endif
