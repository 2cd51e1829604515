#!/bin/sh
# test_readme.sh - the code that readers copy: every program of README.md and of the guides (docs/guide.md, rl.md,
# logic.md, special.md, stream.md, measure.md, profile.md, text.md) compiles and runs, every fragment of the guides compiles.
#
# A ```c block with main is a program. One that begins with "static" holds functions, which later
# fragments may call; any other is put into a function of its own, with the names below as arguments.
. tests/shell.sh
strict="-std=c11 -Wall -Wextra -Werror -Iinclude"
link="$build/libweft.a -lm -lpthread -ldl"

# blocks LANGUAGE FILE PREFIX: writes each fenced block to PREFIX1, PREFIX2, ...
blocks() {
    awk -v fence="\`\`\`$1" -v prefix="$3" '
        $0 == fence { open = 1; n++; file = prefix n; printf "" >file; next }
        $0 == "```" { if (open) close(file); open = 0; next }
        open { print >file }' "$2"
}

program() { # source, language, compiler and flags...
    source=$1 language=$2
    shift 2
    "$@" -x "$language" "$source" -x none $link -o "$scratch/program" && "$scratch/program" >"$scratch/said"
}

blocks c README.md "$scratch/readme"
check "README has a program" grep -q 'int main' "$scratch/readme1"
check "in some twenty lines" sh -c "[ \$(grep -c . '$scratch/readme1') -le 26 ]"
check "it compiles and runs" program "$scratch/readme1" c "$cc" $strict
check "its loss falls" awk '/loss/ { if (!n++) first = $NF; last = $NF } END { exit !(first > 0.5 && last < 0.05) }' "$scratch/said"

cat docs/guide.md docs/rl.md docs/logic.md docs/special.md docs/stream.md docs/measure.md docs/profile.md docs/text.md >"$scratch/all"
blocks c "$scratch/all" "$scratch/guide"
{
    for header in stdio stdlib string; do echo "#include <$header.h>"; done
    for header in include/weft/*.h; do echo "#include <weft/${header##*/}>"; done
} >"$scratch/fragments.c"
n=1 fragments=0
while [ -e "$scratch/guide$n" ]; do
    file=$scratch/guide$n
    if grep -q 'int main' "$file"; then
        check "guide, program in block $n" program "$file" c "$cc" $strict
    elif head -n 1 "$file" | grep -q '^static [a-z_]* \**[a-z_]*('; then
        cat "$file" >>"$scratch/fragments.c"
    else
        fragments=$((fragments + 1))
        {
            echo "int fragment$n(weft_ctx *c, weft_state *s, weft_graph *g, weft_plan *plan, weft_tensor x, weft_tensor y) {"
            echo "(void)c, (void)s, (void)g, (void)plan, (void)x, (void)y; {"
            cat "$file"
            echo "} return 0; }"
        } >>"$scratch/fragments.c"
    fi
    n=$((n + 1))
done
check "guide has fragments" [ $fragments -gt 10 ]
check "guide, fragments" "$cc" $strict -Wno-unused -c "$scratch/fragments.c" -o "$scratch/fragments.o"

blocks cpp docs/guide.md "$scratch/plus"
if have g++; then check "guide, C++" program "$scratch/plus1" c++ g++ -std=c++17 -Wall -Wextra -Werror -Iinclude
else skip "guide, C++" "no g++"; fi

# What 06_export writes is a program of its own.
if [ -x "$build/examples/06_export" ]; then
    check "export" "$build/examples/06_export" "$scratch/compass.c"
    check "its file compiles" "$cc" -std=c99 -Wall -Wextra -Werror -DWEFT_MAIN "$scratch/compass.c" -lm -o "$scratch/compass"
    # The arrow (-0.5, 0.75) as raw floats; eight chances come back.
    check "and answers" sh -c "[ \$(printf '\000\000\000\277\000\000\100\077' | '$scratch/compass' | wc -c) -eq 32 ]"
else
    skip "export" "examples are not built"
fi
finish
