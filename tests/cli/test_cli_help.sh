#!/bin/sh
# test_cli_help.sh - help, manual pages and completion: all of them know every option of every
# table, and the tools that read them find nothing to complain about.
. tests/cli.sh

options_of() { # file of help: the names of its options
    sed -n 's/^  \(-[a-z], \)\{0,1\}--\([a-z0-9-]*\).*/\2/p' "$1"
}
tasks_of() { # file of help: the names of its tasks
    sed -n '/^Tasks:/,/^$/s/^  \([a-z0-9-]*\) .*/\1/p' "$1"
}

check "names" prints '^bench$' "$weft" help --names
names=$(cat "$scratch/out")
check "help of help" prints '^  --completion bash|zsh|fish ' "$weft" help --help
same_help() { # command [task]
    "$weft" "$@" --help >"$scratch/one" && "$weft" help "$@" >"$scratch/two" &&
        cmp "$scratch/one" "$scratch/two"
}
check "help alone" sh -c "'$weft' --help >'$scratch/one' && '$weft' help | cmp - '$scratch/one'"
check "help of nothing" usage_error 'unknown command "bensh"' "$weft" help bensh
check "help of a task that is none" usage_error 'unknown command "x"' "$weft" help bench x
check "man of nothing" usage_error 'mean bench?' "$weft" help --man benc
check "completion of no shell" usage_error 'bash|zsh|fish' "$weft" help --completion cmd

for shell in bash zsh fish; do
    check "completion for $shell" ends 0 "$weft" help --completion $shell
    cp "$scratch/out" "$scratch/weft.$shell"
done
check "weft(1)" ends 0 "$weft" help --man
cp "$scratch/out" "$scratch/weft.1"

# What a help shows is in the page and the completions; a task's is in its command's page.
knows_all() { # file of help, command
    for option in $(options_of "$1"); do
        dashed=$(echo "$option" | sed 's/-/\\\\-/g')
        grep -q -e "\\\\-\\\\-$dashed\\\\f" "$scratch/weft-$2.1" || { echo "man: $option"; return 1; }
        grep -q -e "[ ']--$option[ ']" "$scratch/weft.bash" || { echo "bash: $option"; return 1; }
        grep -q -e "--$option[]=[,}]" "$scratch/weft.zsh" || { echo "zsh: $option"; return 1; }
        grep -q -e " -l $option " "$scratch/weft.fish" || { echo "fish: $option"; return 1; }
    done
}
for name in $names; do
    check "help of $name" ends 0 "$weft" "$name" --help
    cp "$scratch/out" "$scratch/help"
    options_of "$scratch/help" >>"$scratch/all"
    check "the same by weft help" same_help "$name"
    check "weft-$name(1)" ends 0 "$weft" help --man "$name"
    cp "$scratch/out" "$scratch/weft-$name.1"
    check "weft(1) names it" grep -q "weft.-$name" "$scratch/weft.1"
    check "options of $name" knows_all "$scratch/help" "$name"
    for part in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' 'SEE ALSO'; do
        check "$part of $name" grep -q "^\\.SH $part\$" "$scratch/weft-$name.1"
    done
    for task in $(tasks_of "$scratch/help"); do
        check "help of $name $task" ends 0 "$weft" "$name" "$task" --help
        cp "$scratch/out" "$scratch/help-task"
        options_of "$scratch/help-task" >>"$scratch/all"
        check "the same by weft help" same_help "$name" "$task"
        check "weft-$name(1) has $task" grep -q "^\\.SS $task\$" "$scratch/weft-$name.1"
        check "options of $name $task" knows_all "$scratch/help-task" "$name"
    done
done

# The tables themselves: a row's name stands in the source before its kind.
cat cli/*.[ch] apps/*/*.[ch] | tr '\n' ' ' | grep -o '"[a-z0-9-]*", *\(\.letter = ...,\)* *\(\.kind = \)*OPTION_[A-Z]' |
    sed 's/"\([^"]*\)".*/\1/' | sort -u >"$scratch/rows"
check "tables are found" sh -c "[ \$(wc -l <'$scratch/rows') -gt 40 ]"
shown() { sort -u "$scratch/all" | comm -23 "$scratch/rows" - >"$scratch/left"; ! grep . "$scratch/left"; }
check "every row is shown" shown

lint() { # tool and words..., a page comes last: says nothing at all
    "$@" >/dev/null 2>"$scratch/err"
    [ ! -s "$scratch/err" ] || { cat "$scratch/err"; return 1; }
}
if have man && have groff; then
    for page in "$scratch"/weft*.1; do
        check "man ${page##*/}" lint env LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page"
    done
else
    skip "man" "man or groff is not installed"
fi
if have mandoc; then
    for page in "$scratch"/weft*.1; do check "mandoc ${page##*/}" mandoc -T lint -W error "$page"; done
else
    skip "mandoc" "not installed"
fi

# ---- shells ----

cat >"$scratch/complete.bash" <<'BASH'
. "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
COMP_LINE="$*"
_weft weft "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
echo " ${COMPREPLY[*]} "
BASH
completes() { # a pattern for the answers, words: what bash would offer for the last one
    pattern=$1
    shift
    bash "$scratch/complete.bash" "$scratch/weft.bash" "$@" >"$scratch/out" 2>"$scratch/err"
    [ ! -s "$scratch/err" ] && grep -q -e "$pattern" "$scratch/out" && return
    cat "$scratch/out" "$scratch/err"
    return 1
}
if have bash; then
    check "bash reads it" bash -n "$scratch/weft.bash"
    check "it is for weft" sh -c "bash -c '. \"$scratch/weft.bash\"; complete -p weft' | grep -q -e '-F _weft weft'"
    check "commands" completes ' bench ' weft ''
    check "commands by their beginning" completes '^ doctor $' weft doc
    check "options of the program" completes ' --version ' weft --
    check "options" completes '^ --threads $' weft bench --th
    check "options of that command only" completes '^  $' weft doctor --th
    check "a choice" completes '^ auto always never $' weft demo --color ''
    check "a choice in one word" completes '^ always $' weft demo --color = al
    check "nothing for a number" completes '^  $' weft demo --seconds ''
    check "operands" completes ' step-mlp784 ' weft bench gemm st
    check "commands for help" completes '^ doctor $' weft help doc
    check "tasks" completes '^ digits csv text cube' weft train ''
    check "options of a task" completes '^ --model $' weft train digits --mod
    check "and of its command" completes '^ --resume $' weft train digits --resu
    check "not of another task" completes '^  $' weft train csv --mod
    check "a choice of a task" completes ' cnn ' weft train digits --model ''
    check "after options" completes '^ csv $' weft train --quiet cs
    touch "$scratch/some file"
    check "files" completes "^ $scratch/some file \$" weft inspect "$scratch/some"
else
    skip "completion in bash" "not installed"
fi
if have zsh; then check "zsh reads it" zsh -n "$scratch/weft.zsh"; else skip zsh "not installed"; fi
fish_offers() { # a pattern, a line: what fish would offer at its end
    fish --no-config -c "source '$scratch/weft.fish'; complete -C '$2'" >"$scratch/out" 2>&1
    grep -q -e "$1" "$scratch/out" || { cat "$scratch/out"; return 1; }
}
if have fish; then
    export XDG_CONFIG_HOME="$scratch" XDG_DATA_HOME="$scratch" HOME="$scratch"
    check "fish: commands" fish_offers '^doctor' 'weft do'
    check "fish: options" fish_offers '^--threads' 'weft bench --t'
    check "fish: a choice" fish_offers '^always' 'weft demo --color a'
    check "fish: tasks" fish_offers '^digits' 'weft train d'
    check "fish: options of a task" fish_offers '^--model' 'weft train digits --mod'
    check "fish: operands" fish_offers '^step-cube' 'weft bench st'
else
    skip fish "not installed"
fi
finish
