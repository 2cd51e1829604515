# cli.sh - what the tests of the command share, beyond shell.sh. Sourced, not run.
. tests/shell.sh
weft=$build/weft

ends() { # expected status, command...
    want=$1
    shift
    "$@" >"$scratch/out" 2>"$scratch/err"
    got=$?
    [ $got -eq "$want" ] || { echo "status $got, not $want"; cat "$scratch/err"; return 1; }
}
usage_error() { # a pattern for stderr, command...: status 2, a message, nothing on stdout
    refuses 2 "$@"
}
refuses() { # expected status, a pattern for stderr, command...: a message, nothing on stdout
    want=$1 pattern=$2
    shift 2
    ends "$want" "$@" && [ ! -s "$scratch/out" ] &&
        { grep -q -e "$pattern" "$scratch/err" || { cat "$scratch/err"; return 1; }; }
}
prints() { # a pattern for stdout, command...: status 0
    pattern=$1
    shift
    ends 0 "$@" && { grep -q -e "$pattern" "$scratch/out" || { cat "$scratch/out"; return 1; }; }
}

# Every line must reduce to one value: strings to S, numbers and words to V, then from the inside
# out. A parser says the same, where there is one.
is_json() { # file
    [ -s "$1" ] && ! sed -E -e 's/"([^"\\]|\\.)*"/S/g' \
        -e 's/-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?|null|true|false/V/g' -e 's/: S/: V/g' \
        -e ':again' -e 's/\{(S: V(, S: V)*)?\}|\[(V(, V)*)?\]/V/g' -e 't again' "$1" |
        grep -v '^V$' || return 1
    ! have python3 || python3 -c 'import json, sys
for line in open(sys.argv[1], encoding="utf-8"): json.loads(line)' "$1"
}
has() { # file key...: there are lines, and every one has every key
    file=$1
    shift
    [ -s "$file" ] || return 1
    for key in "$@"; do
        ! grep -v "\"$key\": " "$file" || { echo "no $key"; return 1; }
    done
}
field() { sed -n "s/.*\"$2\": \"*\\([^\",}]*\\).*/\\1/p" "$1"; } # file key

# Runs below $scratch, by the bits of their models. A run that cannot be read is like no other.
hash() { "$weft" inspect --hash "$scratch/$1"; }
same() { [ -n "$(hash "$1")" ] && [ "$(hash "$1")" = "$(hash "$2")" ]; }
differ() { [ -n "$(hash "$1")" ] && [ -n "$(hash "$2")" ] && ! same "$1" "$2"; }

# A training of $scratch/NAME that gets Ctrl-C once it has written of itself: it must end with 130.
# What it says is in $scratch/NAME.out.
interrupted() { # name, words after "weft train" ...
    name=$1
    shift
    "$weft" train "$@" --run "$scratch/$name" --quiet >"$scratch/$name.out" 2>&1 &
    child=$!
    for wait in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ -s "$scratch/$name/metrics.jsonl" ] && break
        sleep 0.2
    done
    kill -INT $child
    wait $child
    [ $? -eq 130 ] || { cat "$scratch/$name.out"; return 1; }
}

# A script that drives the command at a terminal, by terminal.py.
person() { PYTHONPATH=$PWD/tests PYTHONDONTWRITEBYTECODE=1 python3 "$@"; }

# The small sets only: neither MNIST nor what else a user may have.
small_sets() {
    XDG_DATA_HOME=$scratch/home WEFT_DATA=data
    export XDG_DATA_HOME WEFT_DATA
}
train() { # run options...: of digits
    run=$scratch/$1
    shift
    "$weft" train digits --run "$run" --quiet "$@"
}
