#!/bin/sh
# test_add_an_op.sh - docs/add-an-op.md: its examples are put into a copy of the sources, where they compile without a
# warning, pass the tests that follow from their rows by themselves, and touch as few files as the text says.
. tests/shell.sh
. tests/apply.sh

few() { [ "$(wc -l <"$scratch/touched")" -le 5 ] || { cat "$scratch/touched"; return 1; }; }

for section in 1. 2. 3.; do
    check "section $section applies" apply docs/add-an-op.md $section
    check "section $section, at most five files" few
    cat "$scratch/rows" >>"$scratch/all_rows"
done

# The table of expressions with the rows of the text alone: the others are test_ops.c's.
table=$tree/tests/core/operations.def
sed -n '/^OPERATION(/!p' "$table" >"$scratch/empty"
{ sed '/^#undef OPERATION/d' "$scratch/empty"; cat "$scratch/all_rows"; echo "#undef OPERATION"; } >"$table"
check "rows for operations.def" [ "$(grep -c '^OPERATION(' "$table")" -ge 2 ]

cat >"$tree/use.c" <<'END'
/* The three operations on the CPU, with its kernels or without; and as exported C. */
#include "weft/weft.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

int main(int n, char **words) {
    static const float x[2][3] = {{0.5f, 2, 1}, {4, 0.25f, 8}};
    float got[3][2][3], slope[2][3];
    weft_ctx *c = weft_open("cpu");
    weft_graph *g = weft_graph_new(c);
    weft_tensor in = weft_input(g, WEFT_F32, weft_dims(2, 3)), dx;
    weft_tensor y[3] = {weft_mish(in), weft_log2(in), weft_cummax(in)};
    weft_grad(weft_sum(y[2], weft_axes(0, 1), false), &in, 1, &dx);
    weft_plan *p = weft_compile(g, &(weft_plan_desc){.fetch = weft_list(y[0], y[1], y[2], dx), .portable = n > 1});
    if (!p || weft_set(p, in, x, sizeof x) || weft_run(p)) return fprintf(stderr, "%s\n", weft_error(c)), 1;
    for (int i = 0; i < 3; i++) weft_get(p, y[i], got[i], sizeof got[i]);
    weft_get(p, dx, slope, sizeof slope);
    int wrong = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) {
            const float v = x[i][j], most = i ? j < 2 ? 4 : 8 : j ? 2 : 0.5f;
            wrong += fabsf(got[0][i][j] - v * tanhf(log1pf(expf(v)))) > 1e-5f;
            wrong += fabsf(got[1][i][j] - log2f(v)) > 1e-5f;
            wrong += got[2][i][j] != most;
        }
    const float want[2][3] = {{1, 2, 0}, {2, 0, 1}};
    wrong += memcmp(slope, want, sizeof want) != 0;
    char *text = weft_plan_text(p), *code = n > 1 ? weft_plan_emit_c(p, "net") : NULL;
    const int kernel = strstr(text, "cummax") != NULL;
    if (code) fputs(code, stdout);
    if (n > 1 && !code) wrong++;
    (void)words;
    return wrong ? 1 : kernel == (n == 1) ? 0 : 2;
}
END

engine() { rebuild $(cd "$tree" && ls src/base/*.c src/core/*.c src/plan/*.c src/kern/*.c src/backend/*.c src/backend/cpu/*.c); }
check "the copy compiles" engine
check "a program that uses them" link "$scratch/use" use.c
check "it is right, with the kernel" "$scratch/use"
check "and portable" sh -c "'$scratch/use' portable >'$scratch/net.c'"
check "which is C" "$cc" -std=c99 -Wall -Wextra -Werror -c "$scratch/net.c" -o "$scratch/net.o"
for test in ops grad; do
    check "test_$test of the copy compiles" link "$scratch/test_$test" -Wno-unused-function -Itests/core tests/core/test_$test.c tests/test.c
done
check "every row against the reference" "$scratch/test_ops" maps_of_one
check "the expressions against the reference" "$scratch/test_ops" operations_
check "gradients of the rows" "$scratch/test_grad" gradients_of_maps
check "gradients of the expressions" "$scratch/test_grad" gradients_of_operations
finish
