#!/bin/sh
# test_map.sh - what docs/internals.md says of the sources is there: each function of its map in the file
# of its row, each file that a document of the tree names, each pass of compile.c on the map.
. tests/shell.sh
page=docs/internals.md
heading='## One tensor, from'

# defines FILE FUNCTION: is it defined there? Functions begin their line; of a .inc the name is a macro's.
defines() {
    grep -qE "^[A-Za-z_].*[ *]$(printf '%s' "$2" | sed 's/[()]/\\&/g')\(" "$1"
}
sed -n "/^$heading/,/^## Graphs/p" $page >"$scratch/section"
sed -n 's/^| `\([a-z_/]*\.[a-z]*\)` | `\([A-Za-z_()]*\)` |.*/\1 \2/p' "$scratch/section" >"$scratch/map"
check "the map is found" sh -c "[ \$(wc -l <'$scratch/map') -ge 25 ]"
while read -r file name; do
    check "$name is in $file" defines "src/$file" "$name"
done <"$scratch/map"

# In its text, a function is named before the file it is in, or alone.
grep -v '^|' "$scratch/section" | tr '\n' ' ' | grep -oE '`[a-z_]+`( of `[a-z_/]+\.c`)?' | tr -d '`' |
    sed 's/ of / /' | grep -E '_' >"$scratch/text"
named() { # function [file]
    if [ -n "$2" ]; then defines "src/$2" "$1"; else grep -rqE "^[A-Za-z_].*[ *]$1\(" src include; fi
}
while read -r name file; do check "$name is there" named "$name" "$file"; done <"$scratch/text"

# The map goes through every pass.
sed -n 's/^ *{"[a-z ]*", \([a-z_]*\)_pass, .*/\1/p' src/plan/compile.c >"$scratch/passes"
check "passes are found" sh -c "[ \$(wc -l <'$scratch/passes') -ge 12 ]"
for pass in $(sort -u "$scratch/passes"); do
    case $pass in states) pass=bind ;; esac
    check "the map goes through $pass" grep -q "^plan/$pass\.c " "$scratch/map"
done

# Every file that a document names.
grep -ohE '`([a-z0-9_]+/)*[a-z0-9_]+\.(c|h|inc|def|sh)`' docs/internals.md docs/add-a-backend.md docs/add-an-op.md \
    CONTRIBUTING.md | tr -d '`' | sort -u >"$scratch/files"
find src include cli apps tests tools examples -type f >"$scratch/all"
check "files are found" sh -c "[ \$(wc -l <'$scratch/files') -gt 40 ]"
while read -r file; do check "$file is there" grep -q "\(^\|/\)$file\$" "$scratch/all"; done <"$scratch/files"

# The rule must refuse what is not there.
check "a function elsewhere is refused" sh -c "! grep -q '^[a-z].*[ *]fuse_try(' src/plan/fuse.c"
finish
