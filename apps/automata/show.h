/* show.h - what people see of a learned automaton: its circuit and its boards. */
#ifndef WEFT_AUTOMATON_SHOW_H
#define WEFT_AUTOMATON_SHOW_H

#include "automata.h"
#include "cli/run.h"

#define AUTOMATON_CIRCUIT "circuit.json" /* in the folder of a run: what weft play reads */

/* The report of a run, with a film of the automaton and a picture of its circuit; both, and the
 * circuit in every format, are also files of the run. gates: as learned; they are simplified
 * here. */
weft_err automaton_report(const run *u, const automata_task *t, const weft_automaton *rule,
                          const weft_circuit *gates, const char *summary);

/* Cells [height, width] as they are to be seen: the shown channels of a board as bits, at most
 * three (red, green and blue). */
void automaton_shown(const automata_task *t, int height, int width, const uint8_t *board,
                     uint8_t *cells);

#endif
