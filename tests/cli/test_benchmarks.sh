#!/bin/sh
# test_benchmarks.sh - suites of weft bench, and the page that tools/benchmarks writes of them.
#
# The page is made with --quick and without peers. It must have every row that weft bench prints, and
# must stay as it was when a run fails or is interrupted.
. tests/cli.sh

# ---- suites ----

for suite in ops steps kernels workloads compile special stream learning; do
    check "suite $suite" ends 0 "$weft" bench --list --json --suite $suite
    check "its benchmarks say so" has "$scratch/out" bench suites about
    check "and only they" sh -c "! grep -v '\"suites\": \"[a-z ]*$suite' '$scratch/out'"
    cp "$scratch/out" "$scratch/suite.$suite"
done
cat "$scratch"/suite.* | sort -u >"$scratch/together"
"$weft" bench --list --json | sort -u >"$scratch/listed"
check "every benchmark has a suite" cmp "$scratch/together" "$scratch/listed"
check "a suite that is none" usage_error 'ops|steps' "$weft" bench --suite op
check "a suite and names" usage_error 'not both' "$weft" bench --suite ops gemm

# ---- the page ----

if ! have python3; then
    skip "the page" "python3 is not installed"
    finish
fi
WEFT_BENCH_PEERS=none
export WEFT_BENCH_PEERS
page=$scratch/page.md
pages() { tools/benchmarks --weft "$1" --out "$page" --quick --suite stream; }

check "a page" tools/benchmarks --weft "$weft" --quick --out "$page" --raw "$scratch/raw"
sed '$d' "$scratch/raw" >"$scratch/measured" # the last line is about the page
check "raw data" is_json "$scratch/measured"
check "fields" has "$scratch/measured" side round asked bench line threads isa median_us min_us allocs_per_run
check "no allocation in a run" sh -c "! grep -v '\"allocs_per_run\": 0,' '$scratch/measured'"
check "the page again" tools/benchmarks --again "$scratch/raw" --out "$scratch/again.md"
check "is the same" cmp "$page" "$scratch/again.md"
check "not of half a run" refuses 1 'whole run' tools/benchmarks --again "$scratch/measured" --out "$scratch/half.md"
check "which makes none" [ ! -e "$scratch/half.md" ]
if [ "$(nproc)" -gt 1 ]; then check "of all threads" grep -q '"asked": "all", .*"line": "ops-add 1M"' "$scratch/measured"; fi
grep '"asked": 1,' "$scratch/measured" >"$scratch/one"
parts() { # benchmark, then its parts in order
    grep "\"bench\": \"$1\"" "$scratch/one" >"$scratch/lines"
    shift
    printf '%s\n' "$@" >"$scratch/want"
    field "$scratch/lines" part | cmp - "$scratch/want"
}
check "sizes of add" parts ops-add 100 1K 10K 100K 1M
check "sizes of matmul" parts ops-matmul 64 128 256
check "sizes of relu" parts ops-relu 1K 10K 1M
check "sizes of sigmoid" parts ops-sigmoid 1K 10K 1M
check "sizes of linear" parts ops-linear '784-128 batch 1' '784-128 batch 32' '2048-512 batch 1' '2048-512 batch 32'
for name in conv-forward lstm-forward step-mlp784 step-cnn step-rnn; do
    check "$name is in ops" grep -q "\"bench\": \"$name\"" "$scratch/one"
    check "as it says" grep -q "\"bench\": \"$name\", \"suites\": \"ops" "$scratch/listed"
done
for name in digits-mlp digits-cnn; do
    grep "\"bench\": \"$name\"" "$scratch/one" >"$scratch/lines"
    check "$name" has "$scratch/lines" images_per_s images gflops
done
every_row() { # products have a table of their own shape
    field "$scratch/measured" line | sort -u | grep -v '^gemm[ -]' >"$scratch/rows"
    [ "$(wc -l <"$scratch/rows")" -gt 60 ] || return 1
    while read -r row; do grep -q "^| \`$row\` | [0-9]" "$page" || { echo "no $row"; return 1; }; done <"$scratch/rows"
}
check "every row is on it" every_row
check "products too" grep -q '^| 128 x 128 x 128 | [0-9]' "$page"
check "and of few rows, by the roof" grep -q '^| 8 x 768 x 768 | [0-9].* %' "$page"
for system in RusTorch Axon zinc logicars torchlette; do check "$system" grep -q "^\*\*$system\*\*" "$page"; done
check "a figure of RusTorch's" grep -q '^| `ops-matmul 256` | [0-9.]* us | 20 ms | 2 ms | 14.4 ms | ' "$page"
for fact in processor caches memory system Weft compiler; do check "$fact" grep -q "^| $fact | [^ ]" "$page"; done
check "says that PyTorch is missing" grep -q '^\*\*PyTorch was not measured:\*\* ' "$page"
check "and OpenBLAS" grep -q '^\*\*OpenBLAS was not measured:\*\* ' "$page"
check "warns of --quick" grep -q 'are meaningless' "$page"
check "no table is torn" awk -F '|' '/^\|/ { if (n && NF != n) exit 1; n = NF; next } { n = 0 }' "$page"

echo "the old page" >"$page"
untouched() { [ "$(cat "$page")" = "the old page" ] && [ -z "$(ls -A "$scratch" | grep '^\.benchmarks-')" ]; }

# A weft that fails where it is told to.
cat >"$scratch/failing" <<'END'
#!/bin/sh
case "$*" in *"$FAILS_AT"*) echo "out of luck" >&2; exit 1 ;; esac
exec "$REAL_WEFT" "$@"
END
chmod +x "$scratch/failing"
REAL_WEFT=$(pwd)/$weft
case $weft in /*) REAL_WEFT=$weft ;; esac
export REAL_WEFT
for at in --list doctor stream-zscore stream-hst; do
    check "a run that fails at $at" refuses 1 'out of luck' env FAILS_AT="$at" tools/benchmarks \
        --weft "$scratch/failing" --out "$page" --quick --suite stream
    check "leaves the page" untouched
done
check "no program" refuses 1 'stays as it was' pages "$scratch/nothing"
check "leaves it too" untouched

# One that never ends, and Ctrl-C.
cat >"$scratch/hanging" <<'END'
#!/bin/sh
case "$*" in *special-erf*) echo $$ >"$HANGS"; exec sleep 60 ;; esac
exec "$REAL_WEFT" "$@"
END
chmod +x "$scratch/hanging"
HANGS=$scratch/hangs
export HANGS
interrupts() { # signal
    rm -f "$HANGS"
    python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
os.execv(sys.argv[1], sys.argv[1:])' tools/benchmarks --weft "$scratch/hanging" --out "$page" --quick --suite special \
        >"$scratch/said" 2>&1 &
    child=$!
    for wait in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ -s "$HANGS" ] && break
        sleep 0.5
    done
    kill "-$1" $child
    wait $child
    [ $? -eq 130 ] || { cat "$scratch/said"; return 1; }
    ! kill -0 "$(cat "$HANGS")" 2>/dev/null && untouched
}
check "interrupted" interrupts INT
check "terminated" interrupts TERM

if [ -w /dev/full ]; then
    check "a full disk" refuses 1 'stays as it was' tools/benchmarks --weft "$weft" --quick --suite stream \
        --out "$page" --raw /dev/full
    check "leaves it as well" untouched
fi
check "a folder that is not there" refuses 1 'No such file' tools/benchmarks --weft "$weft" --quick --out "$scratch/no/page.md"
finish
