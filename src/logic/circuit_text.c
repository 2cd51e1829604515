/* circuit_text.c - circuits as text: the choice of a format, BLIF, Verilog.
 *
 * Formulas of gates are those of the table in weft/logic.h, with names for a and b. */
#include "circuit_write.h"

#include <stdio.h>
#include <string.h>

void circuit_formula(text *p, int kind, const char *a, const char *b, const char *no,
                     const char *yes) {
    if (kind == WEFT_GATE_FALSE || kind == WEFT_GATE_TRUE) {
        text_add(p, "%s", kind == WEFT_GATE_TRUE ? yes : no);
        return;
    }
    for (const char *t = weft_gate_text(kind); *t; t++) {
        if (*t == 'a') text_add(p, "%s", a);
        else if (*t == 'b') text_add(p, "%s", b);
        else text_add(p, "%c", *t == '!' ? '~' : *t);
    }
}

/* ---- BLIF ---- */

enum { TEXT_PER_LINE = 16 };

static void text_blif_list(text *p, const char *word, char letter, int n) {
    text_add(p, "%s", word);
    for (int i = 0; i < n; i++)
        text_add(p, "%s %c%d", i && i % TEXT_PER_LINE == 0 ? " \\\n" : "", letter, i);
    text_add(p, "\n");
}

/* Inputs are x, gates g, outputs y. */
static void text_value(const weft_circuit *k, int32_t value, char out[16]) {
    const bool input = value < k->inputs;
    snprintf(out, 16, "%c%d", input ? 'x' : 'g', (int)(input ? value : value - k->inputs));
}

void circuit_write_blif(text *p, const weft_circuit *k, const char *name) {
    char a[16], b[16];
    text_add(p, ".model %s\n", name);
    text_blif_list(p, ".inputs", 'x', k->inputs);
    text_blif_list(p, ".outputs", 'y', k->outputs);
    for (int i = 0; i < k->gates; i++) {
        const int kind = k->gate[i].kind;
        text_value(k, k->gate[i].a, a);
        text_value(k, k->gate[i].b, b);
        const bool reads_a = kind_reads_a(kind), reads_b = kind_reads_b(kind);
        text_add(p, ".names%s%s%s%s g%d\n", reads_a ? " " : "", reads_a ? a : "",
                 reads_b ? " " : "", reads_b ? b : "", i);
        /* The rows where it is 1. One input: its other is taken as 1; a constant has one row. */
        for (int bit = 3; bit >= 0; bit--) {
            const bool va = !(bit & 2), vb = !(bit & 1);
            if (!(kind >> bit & 1) || (!reads_a && !va) || (!reads_b && !vb)) continue;
            text_add(p, "%s%s%s1\n", reads_a ? va ? "1" : "0" : "", reads_b ? vb ? "1" : "0" : "",
                     reads_a || reads_b ? " " : "");
        }
    }
    for (int i = 0; i < k->outputs; i++) {
        text_value(k, k->output[i], a);
        text_add(p, ".names %s y%d\n1 1\n", a, i);
    }
    text_add(p, ".end\n");
}

/* ---- Verilog ---- */

static void text_verilog_value(const weft_circuit *k, int32_t value, char out[16]) {
    if (value < k->inputs) snprintf(out, 16, "x[%d]", (int)value);
    else text_value(k, value, out);
}

void circuit_write_verilog(text *p, const weft_circuit *k, const char *name) {
    char a[16], b[16];
    text_add(p, "module %s(", name);
    if (k->inputs) text_add(p, "input wire [%d:0] x", k->inputs - 1);
    if (k->outputs) text_add(p, "%soutput wire [%d:0] y", k->inputs ? ", " : "", k->outputs - 1);
    text_add(p, ");\n");
    for (int i = 0; i < k->gates; i++) {
        text_verilog_value(k, k->gate[i].a, a);
        text_verilog_value(k, k->gate[i].b, b);
        text_add(p, "    wire g%d = ", i);
        circuit_formula(p, k->gate[i].kind, a, b, "1'b0", "1'b1");
        text_add(p, ";\n");
    }
    for (int i = 0; i < k->outputs; i++) {
        text_verilog_value(k, k->output[i], a);
        text_add(p, "    assign y[%d] = %s;\n", i, a);
    }
    text_add(p, "endmodule\n");
}

/* ---- all formats ---- */

const char *weft_circuit_ending(weft_circuit_format f) {
    static const char *const ending[] = {
#define X(name, text) text,
        WEFT_CIRCUIT_FORMATS(X)
#undef X
    };
    return (int)f >= 0 && f < WEFT_CIRCUIT_FORMAT_COUNT ? ending[f] : NULL;
}

static bool text_name_fits(const char *name) {
    const size_t n = strlen(name);
    const char *const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return n && n <= 100 && strspn(name, letters) == n && !(*name >= '0' && *name <= '9');
}

char *weft_circuit_text(const weft_circuit *k, weft_circuit_format f, const char *name) {
    if (!name) name = "circuit";
    if (!text_name_fits(name)) {
        weft_fail(k->c, WEFT_ARGUMENT,
                  "\"%.100s\" cannot name a circuit: letters, digits and _, no digit first", name);
        return NULL;
    }
    text p = {.m = mem_of(k->c)};
    switch (f) {
    case WEFT_CIRCUIT_C: circuit_write_c(&p, k, name); break;
    case WEFT_CIRCUIT_JSON: circuit_write_json(&p, k, name); break;
    case WEFT_CIRCUIT_BLIF: circuit_write_blif(&p, k, name); break;
    case WEFT_CIRCUIT_VERILOG: circuit_write_verilog(&p, k, name); break;
    case WEFT_CIRCUIT_SVG: circuit_write_svg(&p, k, name); break;
    default: weft_fail(k->c, WEFT_ARGUMENT, "unknown circuit format %d", (int)f); return NULL;
    }
    if (!p.failed) return p.s;
    weft_resize(k->c, p.s, 0);
    weft_fail(k->c, WEFT_MEMORY, "out of memory for the text of %d gates", k->gates);
    return NULL;
}
