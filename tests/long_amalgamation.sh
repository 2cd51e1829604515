#!/bin/sh
# long_amalgamation.sh - build/weft.c and build/weft.h, made by `make amalgamation`, as a user
# compiles them.
. tests/shell.sh

cat >"$scratch/main.c" <<'C'
#include "weft.h"
int main(void) {
    weft_ctx *c = weft_open("cpu");
    if (!c) return 1;
    weft_close(c);
    return 0;
}
C
for compiler in gcc clang; do
    if ! have $compiler; then
        skip "$compiler" "not installed"
        continue
    fi
    object=$scratch/$compiler.o
    check "$compiler, one line" $compiler -O2 -std=c11 -c "$build/weft.c" -o "$object"
    check "$compiler, links and runs" sh -c "$compiler -std=c11 -I$build $scratch/main.c $object -lm -lpthread -ldl -o $scratch/main && $scratch/main"
    check "$compiler, no warnings" $compiler -O1 -std=c11 -Wall -Wextra -Wpedantic -Werror -c "$build/weft.c" -o "$object"
done
if have g++; then
    check "weft.h in C++" g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c++ "$build/weft.h"
fi
finish
