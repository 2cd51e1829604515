# apply.sh - the code of a document put into a copy of the sources, and the copy built. Sourced after shell.sh.
#
#   apply FILE.md SECTION       puts the blocks under the heading "## SECTION..." into $tree; "$scratch/touched" names
#                               the files, one a line, "$scratch/rows" the rows that went into operations.def
#   rebuild FILE.c...           compiles these files of $tree into $scratch/engine.a
#   link OUT SOURCE...          links a program of $tree with it
#
# A block belongs to a file if its fence says so: ```c FILE, a new file, or ```c FILE before TEXT, in front of the first
# line that begins with TEXT.
tree=$scratch/tree
mkdir "$tree"
cp -r src include tests "$tree"

apply() {
    : >"$scratch/touched"
    : >"$scratch/rows"
    awk -v section="## $2" -v tree="$tree" -v scratch="$scratch" '
        function put(    line, lines, n, i, done) {
            if (!before) { printf "%s", text >(tree "/" file); close(tree "/" file); return }
            while ((getline line <(tree "/" file)) > 0) lines[++n] = line
            close(tree "/" file)
            for (i = 1; i <= n; i++) {
                if (!done && index(lines[i], before) == 1) { printf "%s", text >(tree "/" file); done = 1 }
                print lines[i] >(tree "/" file)
            }
            close(tree "/" file)
            if (!done) { print file ": no line begins with " before; bad = 1 }
        }
        /^## / { inside = index($0, section) == 1 }
        !open && inside && /^```c [^ ]/ {
            file = $2; before = ""; text = ""; open = 1
            if (match($0, / before /)) before = substr($0, RSTART + 8)
            print file >(scratch "/touched")
            next
        }
        open && $0 == "```" { open = 0; put(); next }
        open { text = text $0 "\n"; if (file ~ /operations\.def$/) print >(scratch "/rows") }
        END { exit bad }' "$1"
    sort -u "$scratch/touched" -o "$scratch/touched"
    [ -s "$scratch/touched" ]
}

flags="-std=c11 -O0 -ffp-contract=off -Wall -Wextra -Wpedantic -Werror -Iinclude -Isrc -Itests -I."

# Whatever does not see what changed comes from the library that is there.
rebuild() (
    cd "$tree" || exit 1
    rm -f ./*.o "$scratch/engine.a"
    for file; do echo "$file"; done | xargs -P 2 -I {} sh -c '"$0" $1 -c {} -o "$(echo {} | tr / _).o"' "$cc" "$flags" || exit 1
    ar rcs "$scratch/engine.a" ./*.o
)

# link OUT SOURCE...: a program of the copy
link() (
    out=$1
    shift
    root=$(pwd)
    cd "$tree" || exit 1
    case $build in /*) library=$build ;; *) library=$root/$build ;; esac
    "$cc" $flags "$@" "$scratch/engine.a" "$library/libweft.a" -lm -lpthread -ldl -o "$out"
)
