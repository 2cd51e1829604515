#!/bin/sh
# test_text_program.sh - weft train text, generate, eval and export of language models: what a run
# leaves, that it goes on with the same bits, and that every use of a model says the same.
. tests/cli.sh
head -c 60000 docs/guide.md | tr -cd '\t\n -~' >"$scratch/book.txt"
small="--layers 2 --width 32 --heads 2 --length 32 --batch 8 --seed 7"

hash_of() { "$weft" inspect --hash "$1"; }
same() { [ "$1" = "$2" ] || { echo "$1, not $2"; false; }; }
differ() { [ "$1" != "$2" ] || { echo "both $1"; false; }; }
less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a + 0 < b + 0) }'; }

# ---- a run and what it leaves ----

check "a model learns" ends 0 "$weft" train text "$scratch/book.txt" $small --plan 400 --run "$scratch/one" --json
check "its answer is JSON" is_json "$scratch/out"
check "with its fields" has "$scratch/out" run model parameters steps tokens train_seconds train_loss val_loss \
    val_perplexity val_bits_per_byte val_tokens ending
loss=$(field "$scratch/out" val_loss)
check "it knows more than letters" less "$loss" 2.6
check "and is no clairvoyant" less 1 "$loss"
for file in config.json tokenizer.json metrics.jsonl report.html checkpoints/latest.safetensors; do
    check "it leaves $file" test -s "$scratch/one/$file"
done
check "samples in the metrics" grep -q '"sample": "' "$scratch/one/metrics.jsonl"
check "samples in the report" grep -q '<h2>Samples</h2>' "$scratch/one/report.html"
check "samples on the way" sh -c "'$weft' train text '$scratch/book.txt' $small --steps 3 --plan 3 --run '$scratch/two' 2>&1 >'$scratch/out' | grep -q 'vocabulary of [0-9]* (chars)'"

# ---- the same model, wherever it is asked ----

check "eval" ends 0 "$weft" eval "$scratch/one" --json
check "says the same" less "$(awk -v a="$(field "$scratch/out" val_loss)" -v b="$loss" 'BEGIN { print (a - b) ^ 2 }')" 1e-12
check "a folder for other programs" ends 0 "$weft" export --model "$scratch/one" -o "$scratch/published" --json
check "has three files" sh -c "cd '$scratch/published' && ls config.json tokenizer.json model.safetensors"
say() { "$weft" generate "$@" --quiet --tokens 60 --seed 3; }
check "generate" sh -c "[ \$('$weft' generate '$scratch/one' 'The ' --tokens 60 | wc -c) -gt 40 ]"
check "begins with the prompt" sh -c "'$weft' generate '$scratch/one' 'The ' --tokens 5 | grep -q '^The '"
text=$(say "$scratch/one" "The ")
check "the folder writes the same" same "$(say "$scratch/published" "The ")" "$text"
check "on one thread, too" same "$(say "$scratch/one" "The " --threads 1)" "$text"
check "and on three" same "$(say "$scratch/one" "The " --threads 3)" "$text"
check "the prompt from stdin" same "$(printf 'The ' | say "$scratch/one")" "$text"
check "another seed, another text" differ "$("$weft" generate "$scratch/one" "The " --quiet --tokens 60 --seed 4)" "$text"
check "several at once" sh -c "'$weft' generate '$scratch/one' 'The ' --sequences 3 --tokens 9 | grep -c '^\[[123]\]\$' | grep -q 3"
check "as JSON" ends 0 "$weft" generate "$scratch/one" "The " --json --tokens 12 --weights int8
check "with its fields" has "$scratch/out" prompt text sequence prompt_tokens tokens tokens_per_s ending
check "rounding is told" grep -q 'relative rounding error' "$scratch/err"
check "a stop text ends it" ends 0 "$weft" generate "$scratch/one" "The " --json --tokens 500 --stop 'e,\n'
check "and says so" same "$(field "$scratch/out" ending)" "stop text"
check "eval of a text" ends 0 "$weft" eval "$scratch/published" "$scratch/book.txt" --json
check "has a loss" less "$(field "$scratch/out" val_loss)" 3

# ---- going on ----

resumed() { # name options...: 20 steps and 10 + 10 of them have the same bits, on other threads
    name=$1
    shift
    "$weft" train text "$scratch/book.txt" "$@" --plan 20 --run "$scratch/$name-whole" --threads 2 -q &&
        "$weft" train text "$scratch/book.txt" "$@" --plan 20 --steps 10 --run "$scratch/$name-half" --threads 1 -q &&
        differ "$(hash_of "$scratch/$name-half")" "$(hash_of "$scratch/$name-whole")" &&
        "$weft" train text --resume --steps 20 --run "$scratch/$name-half" --threads 3 -q &&
        same "$(hash_of "$scratch/$name-half")" "$(hash_of "$scratch/$name-whole")"
}
check "resumed" resumed plain $small
check "resumed with dropout" resumed drop $small --dropout 0.2
check "resumed, checkpointed" resumed check $small --checkpointing
check "resumed in 16 bits" resumed mixed $small --mixed bf16 --accumulate 2
check "resumed, adapted" resumed lora --model "$scratch/published" --lora 4 --length 32 --batch 8
check "checkpointing changes no bit" same "$(hash_of "$scratch/check-whole")" "$(hash_of "$scratch/plain-whole")"
printf 'more' >>"$scratch/book.txt"
check "not with another text" ends 4 "$weft" train text --resume --steps 30 --run "$scratch/plain-half"
check "and says why" grep -q 'its files have .* now' "$scratch/err"

# ---- adapters ----

check "adapters for others" ends 0 "$weft" export --adapters "$scratch/lora-whole" -o "$scratch/adapters"
check "in PEFT's names" prints 'base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight *F32 *\[4,32\]' \
    "$weft" inspect "$scratch/adapters/adapter_model.safetensors"
check "merged" ends 0 "$weft" export --model "$scratch/lora-whole" -o "$scratch/merged"
text=$(say "$scratch/lora-whole" "The ")
check "merged writes the same" same "$(say "$scratch/merged" "The ")" "$text"
check "and so do they on the base" same "$(say "$scratch/published" "The " --lora "$scratch/adapters")" "$text"
check "a small checkpoint" less "$(wc -c <"$scratch/lora-whole/checkpoints/latest.safetensors")" 120000

# ---- what cannot be ----

check "no text" ends 2 "$weft" train text
check "no such text" ends 1 "$weft" train text "$scratch/none.txt"
check "no such model" ends 1 "$weft" train text "$scratch/book.txt" --model huge --run "$scratch/x1"
check "its names are told" grep -q 'names are nano, small' "$scratch/err"
check "adapters of nothing" ends 1 "$weft" train text "$scratch/book.txt" --lora 4 --run "$scratch/x2"
check "too short a text" sh -c "printf 'abc' >'$scratch/short.txt'; ! '$weft' train text '$scratch/short.txt' --run '$scratch/x3'"
check "heads that do not fit" ends 1 "$weft" train text "$scratch/book.txt" --width 33 --run "$scratch/x4"
check "a letter nobody knows" ends 1 "$weft" generate "$scratch/one" '日'
check "a run of something else" sh -c "'$weft' train csv data/flowers.csv --steps 2 --run '$scratch/csv' -q >'$scratch/out'; ! '$weft' generate '$scratch/csv' x"
check "text for a published model" ends 1 "$weft" eval "$scratch/published"
sed 's/"hidden_size": 32/"hidden_size": 48/' "$scratch/published/config.json" >"$scratch/c" && cp "$scratch/c" "$scratch/published/config.json"
check "a configuration of another model" ends 1 "$weft" generate "$scratch/published" x
check "says what was expected" grep -q 'expected \[' "$scratch/err"
finish
