#!/bin/sh
# test_cli.sh - the command: what it prints, that its JSON is JSON, and how it ends.
. tests/cli.sh

check "help" prints '^Usage: weft COMMAND' "$weft" --help
check "help names the commands" prints '^  bench ' "$weft" -h
check "help of a command" prints '^  --threads N ' "$weft" bench --help
check "help wins over the rest" prints '^  --seconds N ' "$weft" demo --seed 1 -h
check "version" prints '^weft [0-9]*\.[0-9]*\.[0-9]*$' "$weft" --version
check "no command" usage_error 'Usage' "$weft"
check "unknown command" usage_error 'unknown command "bensh"' "$weft" bensh
check "unknown option before a command" usage_error 'unknown option "--fast"' "$weft" --fast
check "unknown option" usage_error 'unknown option --fast' "$weft" bench --fast
check "unknown option with a value" usage_error 'unknown option --thread;' "$weft" bench --thread=2
check "the option that was meant" usage_error 'mean --threads?' "$weft" bench --thread=2
check "from its beginning" usage_error 'mean --threads?' "$weft" bench --thr 2
check "nothing near" sh -c "! '$weft' bench --fast 2>&1 | grep 'did you mean'"
check "the command that was meant" usage_error 'mean bench?' "$weft" bnech
check "the benchmark that was meant" usage_error 'mean gemm?' "$weft" bench gem
check "unknown short option" usage_error 'unknown option -j' "$weft" bench -j
check "unknown benchmark" usage_error 'unknown benchmark "gem"' "$weft" bench gem
check "unknown benchmark among good ones" usage_error '"x"' "$weft" bench adam x --json
check "missing value" usage_error 'needs a value' "$weft" bench adam --threads
check "not a number" usage_error 'from 1 to' "$weft" bench adam --threads two
check "out of range" usage_error 'from 1 to' "$weft" bench adam --threads=0
check "too large for an int" usage_error 'from 1 to' "$weft" bench adam --threads 99999999999999999999
check "empty value" usage_error 'from 1 to' "$weft" bench adam --threads=
check "a flag with a value" usage_error 'takes no value' "$weft" bench --json=yes
check "not a time" usage_error 'above 0' "$weft" demo --seconds -1
check "not a choice" usage_error 'auto|always|never' "$weft" demo --color red
check "the largest seed" ends 0 "$weft" demo --seconds 0.01 --seed 4294967295
check "a seed too large" usage_error 'from 0 to 4294967295' "$weft" demo --seed 4294967296
check "a seed below 0" usage_error 'from 0 to' "$weft" demo --seed=-1
for default in 'epochs N .*(mlp 12, cnn 8, .*)' 'batch N .*(mlp 128, ' 'hidden N .*(mlp 256, ' 'rate X .*(mlp 2e-3, ' 'decay X .*0.01'; do
    check "help has the default of ${default%% *}" prints "^  --$default" "$weft" train digits --help
done
check "no task" usage_error 'digits, csv' "$weft" train
check "no such task" usage_error 'mean digits?' "$weft" train digts
check "an option of another task" usage_error 'unknown option --model' "$weft" train csv x --model cnn
check "an option before its task" usage_error 'mlp|cnn' "$weft" train --model x digits
check "a word missing" usage_error 'SET is missing' "$weft" data path
check "an empty text" usage_error 'takes FOLDER' "$weft" train digits --run=
check "a number out of bounds" usage_error 'above 0' "$weft" train digits --rate -1
check "no number" usage_error 'a number' "$weft" train digits --rate nan
check "a short flag with a value" usage_error 'takes no value' "$weft" train digits -qx
check "a short option without one" usage_error 'needs a value, FILE' "$weft" export x -o
check "an operand too many" usage_error 'unexpected argument' "$weft" doctor now
check "an operand after --" usage_error 'unexpected argument' "$weft" doctor -- --json
if [ -w /dev/full ]; then check "a full disk" ends 1 sh -c "'$weft' bench --list >/dev/full"; fi

check "list" prints '^step-dqn2048 ' "$weft" bench --list
for name in step-dqn2048 step-cube step-mlp784 gemm gemm-skinny softmax layernorm adam chain plan; do
    check "list has $name" grep -q "^$name " "$scratch/out"
done
check "list as JSON" ends 0 "$weft" bench --list --json
check "which it is" is_json "$scratch/out"

check "all benchmarks, quickly" ends 0 "$weft" bench --quick --threads 1 --json
cp "$scratch/out" "$scratch/all"
check "JSON" is_json "$scratch/all"
check "fields" has "$scratch/all" bench threads isa median_us min_us allocs_per_run kernels arena_bytes
check "no allocation in a run" sh -c "! grep -v '\"allocs_per_run\": 0,' '$scratch/all'"
grep '"bench": "gemm"' "$scratch/all" >"$scratch/gemm"
check "fields of gemm" has "$scratch/gemm" form shape gflops blas
grep '"bench": "gemm-skinny"' "$scratch/all" >"$scratch/skinny"
check "fields of gemm-skinny" has "$scratch/skinny" form shape gflops blas of_roof read_gbs
grep '"bench": "plan"' "$scratch/all" >"$scratch/plan"
check "fields of plan" has "$scratch/plan" graph compile_us record_us nodes
check "a dqn" grep -q '"graph": "dqn' "$scratch/plan"
check "a transformer" grep -q '"graph": "transformer[^"]*", "layers": 12,' "$scratch/plan"
check "a table" prints '^adam  *[0-9.]*  *[0-9.]* %  *[0-9.]*  *[0-9.]* GB/s ' "$weft" bench adam --quick

first=$(grep '"bench": "step-mlp784"' "$scratch/all" >"$scratch/mlp"; field "$scratch/mlp" hash)
check "a hash" sh -c "echo '$first' | grep -q -x '[0-9a-f]\{16\}'"
same_bits() { # threads
    ends 0 "$weft" bench step-mlp784 --quick --json --threads "$1" || return 1
    [ "$(field "$scratch/out" hash)" = "$first" ] && [ "$(field "$scratch/out" threads)" = "$1" ]
}
for threads in 2 3; do check "the same bits on $threads threads" same_bits $threads; done

check "doctor" prints '^Vectors  *[a-z]' "$weft" doctor
check "doctor as JSON" ends 0 "$weft" doctor --json
check "doctor's JSON" is_json "$scratch/out"
check "doctor's fields" has "$scratch/out" version cpu isa caches threads open_us compiler libraries environment
sed -n 's/^| `\(WEFT_[A-Z_]*\)` |.*/\1/p' docs/guide.md | sort >"$scratch/told"
grep -o '"[A-Z_]*": ' "$scratch/out" | tr -d '": ' | grep '^WEFT_' | sort >"$scratch/listed"
check "doctor's variables are the guide's" cmp "$scratch/told" "$scratch/listed"
grep -rhoE 'getenv\("WEFT_[A-Z_]*"|backend_number\("WEFT_[A-Z_]*"' src cli apps | grep -o 'WEFT_[A-Z_]*' | sort -u >"$scratch/read"
check "and those that the sources read" cmp "$scratch/read" "$scratch/listed"
check "opening is quick" awk -v us="$(field "$scratch/out" open_us)" 'BEGIN { exit !(us > 0 && us < 100000) }'
check "a device that is none" refuses 5 'weft train csv: unknown device "gpu"; available: auto' \
    "$weft" train csv data/flowers.csv --device gpu --run "$scratch/none"

check "demo" ends 0 env LC_ALL=C "$weft" demo --seconds 1 --seed 3
check "progress on stderr" grep -q '^step  *[0-9]' "$scratch/err"
check "no progress on stdout" sh -c "! grep '^step ' '$scratch/out'"
accuracy=$(sed -n 's/^\([0-9.]*\) % accuracy .*/\1/p' "$scratch/out")
check "it learns" awk -v a="$accuracy" 'BEGIN { exit !(a > 60) }'
check "ASCII only" sh -c "! LC_ALL=C grep '[^ -~]' '$scratch/out'"
check "a curve" grep -q '|.*\*' "$scratch/out"
check "colour when asked" sh -c "'$weft' demo --seconds 0.1 --color always 2>/dev/null | grep -q '\[1m'"
finish
