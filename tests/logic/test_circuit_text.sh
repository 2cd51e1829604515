#!/bin/sh
# test_circuit_text.sh - exported circuits in the hands of others: C compilers, and iverilog where
# it is found. What they compute is compared with the interpreter's words.
. tests/shell.sh

cat >"$scratch/write.c" <<'EOF'
/* Writes circuits as C or Verilog, and a program that compares them with the library's outputs. */
#include "logic/circuit_world.h"
#include <stdio.h>
enum { CIRCUITS = 16, OUTPUTS = 6 };
int main(int count, char **words) {
    const bool verilog = count > 2;
    weft_ctx *c = weft_open("cpu");
    circuit_random r = {47};
    static char checks[1 << 20];
    size_t n = 0;
    FILE *to = fopen(words[1], "w");
    for (int i = 0; i < CIRCUITS; i++) {
        const int inputs = 1 + circuit_below(&r, 30);
        weft_circuit *k = circuit_random_one(c, &r, i % CIRCUIT_SHAPES, inputs,
                                             i == 5 ? 3000 : circuit_below(&r, 90), OUTPUTS);
        if (i % 2) weft_circuit_simplify(k);
        char name[16];
        snprintf(name, sizeof name, "net%d", i);
        char *text = weft_circuit_text(k, verilog ? WEFT_CIRCUIT_VERILOG : WEFT_CIRCUIT_C, name);
        uint64_t in[30], out[OUTPUTS];
        for (int j = 0; j < inputs; j++) in[j] = circuit_word(&r);
        if (!text || weft_circuit_run(k, 1, in, out)) return 1;
        fputs(text, to);
        if (verilog) {
            n += (size_t)sprintf(checks + n, 
                                 "reg [%d:0] x%d; wire [5:0] y%d; net%d n%d(x%d, y%d);\n",
                                 inputs - 1, i, i, i, i, i, i);
            n += (size_t)sprintf(checks + n, "initial begin\n");
            for (int b = 0; b < 64; b++) {
                n += (size_t)sprintf(checks + n, "x%d = %d'b", i, inputs);
                for (int j = inputs - 1; j >= 0; j--) checks[n++] = '0' + (in[j] >> b & 1);
                n += (size_t)sprintf(checks + n, "; #1; if (y%d !== 6'b", i);
                for (int j = OUTPUTS - 1; j >= 0; j--) checks[n++] = '0' + (out[j] >> b & 1);
                n += (size_t)sprintf(checks + n, ") $display(\"wrong %d\");\n", i);
            }
            n += (size_t)sprintf(checks + n, "end\n");
        } else {
            n += (size_t)sprintf(checks + n, "{ static const unsigned long long in[] = {");
            for (int j = 0; j < inputs; j++)
                n += (size_t)sprintf(checks + n, "%lluULL,", (unsigned long long)in[j]);
            n += (size_t)sprintf(checks + n, "}, want[] = {");
            for (int j = 0; j < OUTPUTS; j++)
                n += (size_t)sprintf(checks + n, "%lluULL,", (unsigned long long)out[j]);
            n += (size_t)sprintf(checks + n, "}; unsigned long long out[%d]; net%d(in, out);\n"
                                 "for (int j = 0; j < %d; j++) wrong += out[j] != want[j]; }\n",
                                 OUTPUTS, i, OUTPUTS);
        }
        weft_text_free(c, text);
        weft_circuit_free(k);
    }
    if (verilog) fprintf(to, "module bench;\n%sendmodule\n", checks);
    else fprintf(to, "int main(void) {\nint wrong = 0;\n%sreturn wrong;\n}\n", checks);
    fclose(to);
    weft_close(c);
    return 0;
}
EOF
check "the writer compiles" $cc -O1 -Iinclude -Itests "$scratch/write.c" "$build/libweft.a" \
    -lm -lpthread -ldl -o "$scratch/write"
check "C is written" "$scratch/write" "$scratch/nets.c"
for compiler in "$cc" gcc clang; do
    have "${compiler%% *}" || continue
    check "$compiler takes it" $compiler -std=c99 -Wall -Wextra -Wpedantic -Werror -O1 \
        "$scratch/nets.c" -o "$scratch/nets"
    check "$compiler: equal to the interpreter" "$scratch/nets"
done

if have iverilog && have vvp; then
    check "Verilog is written" "$scratch/write" "$scratch/nets.v" verilog
    check "iverilog takes it" iverilog -Wall -o "$scratch/nets.vvp" "$scratch/nets.v"
    right() { vvp "$scratch/nets.vvp" >"$scratch/said" && ! grep wrong "$scratch/said"; }
    check "Verilog: equal to the interpreter" right
else
    skip "Verilog" "no iverilog"
fi
finish
