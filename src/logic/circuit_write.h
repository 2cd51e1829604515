/* text.h - text that grows while a circuit is written, and the writers of its formats.
 *
 * Once out of memory a text takes nothing more, so a writer asks once, at the end. */
#ifndef WEFT_LOGIC_CIRCUIT_WRITE_H
#define WEFT_LOGIC_CIRCUIT_WRITE_H

#include "base/text.h"
#include "circuit.h"

/* A kind's formula over two names, as C and Verilog write it; false and true as given. */
void circuit_formula(text *p, int kind, const char *a, const char *b, const char *no,
                   const char *yes);

void circuit_write_c(text *p, const weft_circuit *k, const char *name);
void circuit_write_json(text *p, const weft_circuit *k, const char *name);
void circuit_write_blif(text *p, const weft_circuit *k, const char *name);
void circuit_write_verilog(text *p, const weft_circuit *k, const char *name);
void circuit_write_svg(text *p, const weft_circuit *k, const char *name);

#endif
