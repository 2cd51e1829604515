/* sheet.h - text that grows while a circuit is written, and the writers of its formats.
 *
 * Once out of memory a sheet takes nothing more, so a writer asks once, at the end. */
#ifndef WEFT_LOGIC_SHEET_H
#define WEFT_LOGIC_SHEET_H

#include "circuit.h"

typedef struct sheet {
    weft_ctx *c;
    char *s;
    size_t n, room;
    bool failed;
} sheet;

void sheet_add(sheet *p, const char *format, ...) WEFT_PRINTF(2, 3); /* no reals: locales differ */

/* A kind's formula over two names, as C and Verilog write it; false and true as given. */
void sheet_formula(sheet *p, int kind, const char *a, const char *b, const char *no,
                   const char *yes);

void sheet_c(sheet *p, const weft_circuit *k, const char *name);
void sheet_json(sheet *p, const weft_circuit *k, const char *name);
void sheet_blif(sheet *p, const weft_circuit *k, const char *name);
void sheet_verilog(sheet *p, const weft_circuit *k, const char *name);
void sheet_svg(sheet *p, const weft_circuit *k, const char *name);

#endif
