/* circuit_c.c - a circuit as C99: one function over 64 cases at a time.
 *
 * Straight-line code, a constant for each gate while they are few. Compilers take far more than
 * twice as long for twice as long a function, so more gates are cut into functions that share an
 * array, whose places are used again when a value has been read for the last time. */
#include "circuit_write.h"

#include <stdio.h>

enum { TEXT_C_GATES = 1000 }; /* of a function */

typedef struct text_c_place {
    int32_t last, place; /* the last gate that reads the value; where it lies */
} text_c_place;

static void text_c_value(const weft_circuit *k, const text_c_place *at, int32_t v, char out[32]) {
    if (v < k->inputs) snprintf(out, 32, "in[%d]", (int)v);
    else if (at) snprintf(out, 32, "v[%d]", (int)at[v - k->inputs].place);
    else snprintf(out, 32, "g%d", (int)(v - k->inputs));
}

static void text_c_gate(text *p, const weft_circuit *k, const text_c_place *at, int i) {
    char a[32], b[32], to[32];
    text_c_value(k, at, k->gate[i].a, a);
    text_c_value(k, at, k->gate[i].b, b);
    text_c_value(k, at, k->inputs + i, to);
    text_add(p, "    %s%s = ", at ? "" : "const unsigned long long ", to);
    circuit_formula(p, k->gate[i].kind, a, b, "0ULL", "~0ULL");
    text_add(p, ";\n");
}

static void text_c_outputs(text *p, const weft_circuit *k, const text_c_place *at) {
    for (int i = 0; i < k->outputs; i++) {
        char v[32];
        text_c_value(k, at, k->output[i], v);
        text_add(p, "    out[%d] = %s;\n", i, v);
    }
}

/* Places for all values, free ones on a stack behind them; how many, at least 1. */
static int32_t text_c_places(const weft_circuit *k, text_c_place *at, int32_t *stack) {
    int32_t places = 0, free = 0;
    for (int32_t i = 0; i < k->gates; i++) {
        at[i].last = i;
        const int32_t read[2] = {k->gate[i].a - k->inputs, k->gate[i].b - k->inputs};
        for (int w = 0; w < 2; w++)
            if (read[w] >= 0) at[read[w]].last = i;
    }
    for (int i = 0; i < k->outputs; i++)
        if (k->output[i] >= k->inputs) at[k->output[i] - k->inputs].last = k->gates;
    for (int32_t i = 0; i < k->gates; i++) {
        const int32_t a = k->gate[i].a - k->inputs, b = k->gate[i].b - k->inputs;
        if (a >= 0 && at[a].last == i) stack[free++] = at[a].place;
        if (b >= 0 && b != a && at[b].last == i) stack[free++] = at[b].place;
        at[i].place = free ? stack[--free] : places++;
        if (at[i].last == i) stack[free++] = at[i].place; /* nothing reads it */
    }
    return places ? places : 1;
}

static void text_c_cut(text *p, const weft_circuit *k, const char *name) {
    text_c_place *const at =
        weft_resize(k->c, NULL, (size_t)k->gates * (sizeof *at + 2 * sizeof(int32_t)));
    if (!at) {
        p->failed = true;
        return;
    }
    const int32_t places = text_c_places(k, at, (int32_t *)(at + k->gates));
    const char *const arguments = "const unsigned long long *in, unsigned long long *v";
    const int parts = (k->gates + TEXT_C_GATES - 1) / TEXT_C_GATES;
    for (int part = 0; part < parts; part++) {
        text_add(p, "static void %s_%d(%s) {\n    (void)in;\n", name, part, arguments);
        for (int i = part * TEXT_C_GATES; i < k->gates && i < (part + 1) * TEXT_C_GATES; i++)
            text_c_gate(p, k, at, i);
        text_add(p, "}\n\n");
    }
    text_add(p, "void %s(const unsigned long long *in, unsigned long long *out) {\n", name);
    text_add(p, "    unsigned long long v[%d];\n", (int)places);
    for (int part = 0; part < parts; part++) text_add(p, "    %s_%d(in, v);\n", name, part);
    if (!k->outputs) text_add(p, "    (void)out;\n");
    text_c_outputs(p, k, at);
    text_add(p, "}\n");
    weft_resize(k->c, at, 0);
}

void circuit_write_c(text *p, const weft_circuit *k, const char *name) {
    text_add(p,
             "/* %s: %d inputs, %d gates, %d outputs. A word holds 64 cases, a bit each:\n"
             "   in[i] is input i, out[i] is output i. */\n",
             name, k->inputs, k->gates, k->outputs);
    const char *const arguments = "const unsigned long long *in, unsigned long long *out";
    text_add(p, "void %s(%s);\n\n", name, arguments);
    if (k->gates > TEXT_C_GATES) {
        text_c_cut(p, k, name);
        return;
    }
    text_add(p, "void %s(%s) {\n", name, arguments);
    text_add(p, "    (void)in;\n    (void)out;\n");
    for (int i = 0; i < k->gates; i++) text_c_gate(p, k, NULL, i);
    for (int i = 0; i < k->gates; i++) { /* of circuits that were not simplified */
        bool read = false;
        for (int j = i + 1; j < k->gates && !read; j++) {
            const int kind = k->gate[j].kind;
            read = (kind_reads_a(kind) && k->gate[j].a == k->inputs + i) ||
                   (kind_reads_b(kind) && k->gate[j].b == k->inputs + i);
        }
        for (int j = 0; j < k->outputs && !read; j++) read = k->output[j] == k->inputs + i;
        if (!read) text_add(p, "    (void)g%d;\n", i);
    }
    text_c_outputs(p, k, NULL);
    text_add(p, "}\n");
}
