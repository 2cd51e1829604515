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

# The whole library in one file takes minutes, so the compilers work side by side: compile NAME
# COMMAND... keeps what it said and how it ended, and compiled NAME tells.
compile() {
    name=$1
    shift
    "$@" >"$scratch/$name.said" 2>&1
    echo $? >"$scratch/$name.status"
}
compiled() {
    cat "$scratch/$1.said"
    return "$(cat "$scratch/$1.status")"
}
for compiler in gcc clang; do
    have $compiler || continue
    {
        compile $compiler-plain $compiler -O2 -std=c11 -c "$build/weft.c" -o "$scratch/$compiler.o"
        compile $compiler-strict $compiler -O1 -std=c11 -Wall -Wextra -Wpedantic -Werror -c "$build/weft.c" \
            -o "$scratch/$compiler-strict.o"
    } &
done
wait

for compiler in gcc clang; do
    if ! have $compiler; then
        skip "$compiler" "not installed"
        continue
    fi
    check "$compiler, one line" compiled $compiler-plain
    check "$compiler, links and runs" sh -c "$compiler -std=c11 -I$build $scratch/main.c $scratch/$compiler.o -lm -lpthread -ldl -o $scratch/main && $scratch/main"
    check "$compiler, no warnings" compiled $compiler-strict
done
if have g++; then
    check "weft.h in C++" g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c++ "$build/weft.h"
fi
finish
