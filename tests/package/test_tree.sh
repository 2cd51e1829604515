#!/bin/sh
# test_tree.sh - dependencies point one way: which folder includes headers of which others, and that
# the applications use the public headers and those of the command that docs/command.md lists.
. tests/shell.sh

# A folder and the other folders it may include headers of. The rest of src has the public headers only.
cat >"$scratch/may" <<'T'
src/core     src/base src/kern
src/plan     src/base src/core src/kern src/backend/backend.h
src/kern     src/base src/core src/plan src/special
src/backend  src/base src/core src/kern src/plan src/backend/backend.h
T
for folder in src/*; do
    [ -d "$folder" ] || continue
    case $folder in src/base) echo "$folder" ;; src/core | src/plan | src/kern | src/backend) ;; *) echo "$folder src/base" ;; esac
done >>"$scratch/may"
echo "cli src/base" >>"$scratch/may"
for folder in apps/*/; do echo "${folder%/} cli apps"; done >>"$scratch/may"
echo "apps cli" >>"$scratch/may"
echo "src/backend/backend.h src/base src/core src/plan" >>"$scratch/may"

# room FILE: the folder of the table that a file belongs to; what a device must do is a room by itself
room() {
    case $1 in
    src/backend/backend.h | src/backend/devices.def) echo src/backend/backend.h ;;
    src/*/* | apps/*/*) echo "$1" | cut -d / -f 1,2 ;;
    *) echo "${1%%/*}" ;;
    esac
}
# wrong FOLDER...: includes in a tree made of these folders that the table does not allow
wrong() {
    bad=0
    grep -rn '^[ \t]*#[ \t]*include *"' "$@" | sed 's/:[0-9]*:[^"]*"/ /; s/".*//' | sort -u >"$scratch/includes"
    while read -r file name; do
        found=
        for at in "${file%/*}/$name" "src/$name" "include/$name" "$name"; do
            [ -e "$at" ] && found=$(realpath --relative-to=. "$at") && break
        done
        [ -n "$found" ] || { echo "$file: \"$name\" is not there"; bad=1; continue; }
        from=$(room "$file") to=$(room "$found")
        case $found in include/weft/*) continue ;; esac
        [ "$from" = "$to" ] || sed -n "s|^$from ||p" "$scratch/may" | tr -s ' ' '\n' | grep -qx "$to" ||
            { echo "$file includes $found"; bad=1; }
    done <"$scratch/includes"
    return $bad
}
check "dependencies point one way" wrong src cli apps include
check "includes are found" sh -c "[ \$(wc -l <'$scratch/includes') -gt 300 ]"

# The same rule must refuse what it is for.
(mkdir -p "$scratch/tree/src/core" "$scratch/tree/apps/x" "$scratch/tree/cli" && cd "$scratch/tree" &&
    touch cli/run.h apps/x/x.h src/core/core.h && echo '#include "cli/run.h"' >src/core/core.c &&
    echo '#include "apps/x/x.h"' >cli/cli.c && echo '#include "core/core.h"' >apps/x/x.c &&
    echo '#include "cli/run.h"' >apps/x/good.c)
refused() { # file: its include is the one that is named
    (cd "$scratch/tree" && scratch=.. && ! wrong src cli apps) | grep -q "^$1 includes"
}
echo "apps/x cli apps" >>"$scratch/may"
for file in src/core/core.c cli/cli.c apps/x/x.c; do check "$file is refused" refused $file; done
check "an application may use the command" sh -c "! grep good.c '$scratch/includes' | grep -v cli/run.h"

# Of the command the applications have the headers in the list of docs/command.md, and no others.
sed -n '/^## Adding an application/,$s/^| `cli\/\([a-z_]*\.h\)`.*/cli\/\1/p' docs/command.md | sort >"$scratch/listed"
grep -rho '#include "cli/[a-z_]*\.h"' apps | sed 's/.*"\(.*\)"/\1/' | sort -u >"$scratch/used"
check "what applications use is listed" sh -c "! comm -13 '$scratch/listed' '$scratch/used' | grep ."
check "what is listed exists" sh -c "[ -s '$scratch/listed' ] && ls \$(cat '$scratch/listed')"
# Tests lie in a folder of the same name as what they test; helpers that several folders use lie in tests/.
astray() {
    ! find tests -name 'test_*' -not -path 'tests/golden/*' | while read -r file; do
        [ "$file" = tests/test.c ] && continue
        folder=$(echo "$file" | cut -d / -f 2)
        case $folder in apps | cli | harness | package) continue ;; esac
        [ -d "src/$folder" ] || echo "$file: no src/$folder"
    done | grep .
}
check "tests mirror the sources" astray
finish
