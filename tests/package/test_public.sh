#!/bin/sh
# test_public.sh - no public function without a use, a meaning and a definition.
#
# Used: named in an example, the command, a test or a document, or a row of the operation table,
# which the tests expand. Meaning: a comment in the header on its own line or the next, or one for
# the paragraph of declarations it stands in. Defined: exported by the library.
. tests/shell.sh

# declarations FILE: "name has_comment" for each public function
declarations() {
    awk '
        function flush(    i) {
            for (i = 1; i <= n; i++) print name[i], (own[i] || said)
            n = 0
        }
        /^[ \t]*$/ { flush(); said = 0; next }
        /\/\*/ { comment = 1 }
        !/\/\*/ { comment = 0 }
        comment { said = 1 }
        /^WEFT_API/ {
            text = $0
            sub(/[ \t]*\(.*/, "", text)
            sub(/.*[ \t*]/, "", text)
            name[++n] = text
            own[n] = comment
            next
        }
        n && comment { own[n] = 1 }
        END { flush() }' "$1"
}

for header in include/weft/*.h; do declarations "$header"; done >"$scratch/public"
cut -d ' ' -f 1 "$scratch/public" | sort >"$scratch/names"
check "functions are found" sh -c "[ \$(wc -l <'$scratch/names') -gt 100 ]"
check "each is declared once" sh -c "! sort '$scratch/names' | uniq -d | grep ."
check "all are weft_ names" sh -c "! grep -v '^weft_[a-z0-9_]*\$' '$scratch/names'"

# All words of the places where a use counts, once; then the rows of the table.
{
    find examples cli apps docs README.md tests -type f ! -name test_public.sh -exec cat {} + |
        grep -a -o 'weft_[a-z0-9_]*'
    sed -n 's/^OP_[A-Z]*(\([a-z0-9_]*\),.*/weft_\1/p' src/core/ops.def
} | sort -u >"$scratch/used"
unused() { ! comm -23 "$scratch/names" "$scratch/used" | sed 's/$/ is used nowhere/' | grep .; }
check "each is used" unused

meaningless() { ! awk '$2 == 0 { print $1 " has no line of meaning" }' "$scratch/public" | grep .; }
check "each has a meaning" meaningless

missing() {
    nm -D --defined-only "$build/libweft.so" | awk '{ print $NF }' | sort >"$scratch/defined"
    ! comm -3 "$scratch/names" "$scratch/defined" | grep .
}
if have nm && [ -e "$build/libweft.so" ]; then check "the library exports just these" missing
else skip "exports" "no nm, or no shared library"; fi
finish
