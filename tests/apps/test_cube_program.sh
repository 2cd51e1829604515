#!/bin/sh
# test_cube_program.sh - weft train cube and weft play cube: what a run leaves and says, going on
# after a stop with the same bits, solving, and what is refused. With WEFT_TEST_LEARN also the whole
# minute of training and what it must reach.
. tests/cli.sh
case $weft in /*) ;; *) weft=$PWD/$weft ;; esac

train() { # run options...
    run=$scratch/$1
    shift
    "$weft" train cube --run "$run" --quiet "$@"
}
holds() { awk "BEGIN { exit !($1) }"; }
last_rate() { # run: what it wrote last; 1 if nothing
    sed -n 's/.*"train\/rate": \([^,}]*\).*/\1/p' "$scratch/$1/metrics.jsonl" | tail -n 1 | grep . || echo 1
}

# ---- a run and what it leaves ----

check "a run" ends 0 "$weft" train cube --run "$scratch/run" --steps 1500 --hidden 64 --batch 128 \
    --seed 5 --judge quick --json
check "its answer is JSON" is_json "$scratch/out"
check "with its fields" has "$scratch/out" schema run steps train_seconds beam k4_greedy greedy \
    greedy_all evaluate_seconds resumed_at ending
cp "$scratch/out" "$scratch/answer"
check "both widths" grep -q '"width": 64, .*"width": 1024, ' "$scratch/answer"
check "the number of steps" [ "$(field "$scratch/answer" steps)" = 1500 ]
check "15 distances" sh -c "sed 's/.*\"greedy\": \\[\\([^]]*\\).*/\\1/' '$scratch/answer' | awk -F, '{ exit NF != 15 }'"
check "all solved at width 1024" sh -c "sed 's/.*\"width\": 1024, //' '$scratch/answer' |
    grep -q '\"tried\": 265, \"solved\": 265,'"
check "most four turns by greedy play" holds "$(field "$scratch/answer" k4_greedy) > 0.9"
check "progress on stderr" grep -q 'greedy/any_cube' "$scratch/err"
for file in config.json metrics.jsonl report.html checkpoints/latest.safetensors; do
    check "it leaves $file" test -s "$scratch/run/$file"
done
check "the trials are plotted" grep -q 'greedy/10_turns' "$scratch/run/metrics.jsonl"
check "cubes of every distance in the report" grep -q '14 turns away' "$scratch/run/report.html"
check "a person reads a table" prints 'beam width *tried *solved' "$weft" train cube \
    --run "$scratch/run" --resume --steps 1500 --judge quick --quiet
check "and it was not trained again" grep -q 'finished, 1500 of 1500 steps' "$scratch/out"
check "a limit of time" ends 0 "$weft" train cube --run "$scratch/timed" --seconds 0.5 --hidden 32 \
    --batch 64 --judge none --json --quiet
check "is kept" holds "$(field "$scratch/out" train_seconds) < 0.7"
check "the rate has fallen by then" holds "0 < $(last_rate timed) && $(last_rate timed) < 0.0015"

# ---- the same bits after a stop ----

small="--hidden 32 --batch 64 --seed 7 --judge none"
check "whole" train whole $small --plan 40 --steps 40 --threads 2
check "half" train part $small --plan 40 --steps 20 --threads 1
check "differs before its end" differ whole part
check "resumed" ends 0 "$weft" train cube --run "$scratch/part" --quiet --json --steps 40 --resume \
    --threads 3 --judge none
check "where it was" [ "$(field "$scratch/out" resumed_at)" = 20 ]
check "has the same bits" same whole part
check "a plan made by the clock" ends 0 "$weft" train cube --run "$scratch/clock" $small --seconds 0.3 \
    --quiet --json
further=$(($(field "$scratch/out" steps) + 50))
cp -r "$scratch/clock" "$scratch/copy" && cp -r "$scratch/clock" "$scratch/before"
check "is kept" train clock --resume --judge none --steps $further --seconds 1000 --threads 1
check "by whoever goes on" train copy --resume --judge none --steps $further --seconds 100 --threads 2
check "with the same bits" same clock copy
check "which have moved" differ clock before
check "stopped before its steps are counted" train early $small --seconds 1000 --steps 10
check "gone on with, by steps alone" train early --resume --judge none --steps 120
check "the rate falls all the same" holds "0 < $(last_rate early) && $(last_rate early) < 0.0001"
check "farther than that, by the clock" train early --resume --judge none --steps 160 --seconds 1000
check "it stays as low" holds "0 < $(last_rate early) && $(last_rate early) < 0.0001"
check "another seed" train seed --hidden 32 --batch 64 --seed 8 --judge none --plan 40 --steps 40
check "is another network" differ whole seed
unnamed() { (cd "$scratch" && "$weft" train cube $small --steps 1 --quiet); }
for time in first second third; do check "the $time run without a name" unnamed; done
check "they are numbered" [ "$(cd "$scratch/runs" && echo *)" = "cube cube-2 cube-3" ]

check "Ctrl-C ends with 130" interrupted ctrl cube --hidden 32 --batch 64
check "without judging" grep -q 'interrupted after step .*use --resume to continue' "$scratch/ctrl.out"
check "and it goes on" train ctrl --resume --seconds 0.2 --judge none

# ---- playing ----

play() { "$weft" play cube "$scratch/run" "$@"; }
check "three turns" prints 'Solved by F.* U R.$' play --scramble "R U' F2" --color never
check "and the solved cube" grep -q '^  L L F F R R B B$' "$scratch/out"
check "by the shortest way" grep -q '^4 turns, found in .* ms; this is optimal.$' "$scratch/out"
check "without colours when nobody asks for them" sh -c "! grep -q '\\[' '$scratch/out'"
check "with colours" prints '48;5;' play --seed 3 --color always
check "as JSON" ends 0 "$weft" play cube "$scratch/run" --seed 3 --width 1024 --json
check "which it is" is_json "$scratch/out"
check "fields" has "$scratch/out" schema run state width solved turns moves shortest seconds
check "it is solved" grep -q '"solved": true' "$scratch/out"
state=$(field "$scratch/out" state)
check "the same by its stickers" sh -c "'$weft' play cube '$scratch/run' --state $state --width 1024 --json |
    sed 's/, \"seconds.*//' >'$scratch/again' && sed 's/, \"seconds.*//' '$scratch/out' | cmp - '$scratch/again'"
check "by the checkpoint" prints 'solved' "$weft" play cube "$scratch/run/checkpoints/latest.safetensors" \
    --scramble R --json
check "a solved cube" prints 'It is solved' play --state "UUUU DDDD FFFF BBBB LLLL RRRR"
check "the newest run" sh -c "mkdir -p '$scratch/here/runs' && cp -r '$scratch/run' '$scratch/here/runs/old' &&
    cp -r '$scratch/whole' '$scratch/here/runs/new' && cp -r '$scratch/run' '$scratch/here/runs/zebra' &&
    touch -d '2 hours ago' '$scratch/here/runs/old/checkpoints/'* '$scratch/here/runs/new/checkpoints/'* &&
    cd '$scratch/here' && '$weft' play cube --scramble U --json | grep -q 'runs/zebra'"

# ---- what is refused ----

check "an unknown turn" usage_error 'scramble: turns: "X" begins with no face' play --scramble "R U X"
check "a face that does not turn" usage_error 'R U F were expected' play --scramble "L"
check "too few stickers" usage_error 'state: cube: 4 stickers; 24 were expected' play --state UUUU
check "a twisted corner" usage_error 'twisted by hand' play --state "UUUR DDDD FUFF BBBB LLLL FRRR"
check "no such corner" usage_error 'no such corner' play --state "UUUU DDDD FFFF BBBB LLLL RRRU"
check "both" usage_error 'exclude each other' play --state U --scramble R
check "no width" usage_error 'width' play --width 0
check "a run that is not there" refuses 1 'nothing: No such file' "$weft" play cube "$scratch/nothing"
check "no run at all" sh -c "mkdir '$scratch/empty' && cd '$scratch/empty' && '$weft' play cube 2>&1 |
    grep -q 'no run of the cube'"
check "a folder that is no run" refuses 1 'config.json' "$weft" play cube "$scratch/empty"
printf 'a,b,y\n1,2,x\n2,1,y\n3,1,x\n4,2,y\n1,1,x\n' >"$scratch/t.csv"
check "a run of something else" sh -c "'$weft' train csv '$scratch/t.csv' --run '$scratch/csv' --steps 2 --quiet >'$scratch/log' 2>&1"
check "is told" refuses 4 'is a run of "train csv"' "$weft" play cube "$scratch/csv"
check "and not gone on with" refuses 1 'is a run of "train csv"' "$weft" train cube --run "$scratch/csv" --resume
cp "$scratch/run/config.json" "$scratch/part/config.json"
check "a checkpoint of another network" refuses 1 'corners.weight' "$weft" play cube "$scratch/part"
sed 's/"wide": [0-9]*/"wide": "x"/' "$scratch/run/config.json" >"$scratch/seed/config.json"
check "a damaged config" refuses 4 'model.wide' "$weft" play cube "$scratch/seed"
head -c 2000 "$scratch/run/checkpoints/latest.safetensors" >"$scratch/timed/checkpoints/latest.safetensors"
cp "$scratch/run/config.json" "$scratch/timed/config.json"
check "a damaged checkpoint" refuses 4 'latest.safetensors' "$weft" play cube "$scratch/timed"
check "a run that is there" usage_error 'already' "$weft" train cube --run "$scratch/run" --steps 1
check "another option on resume" refuses 1 'was started with' "$weft" train cube --run "$scratch/whole" \
    --resume --turns 5
check "no cube by name" usage_error 'unknown task' "$weft" play cubes

# ---- the whole of it ----

whole() {
    "$weft" train cube --seconds 60 --seed 5 --run "$scratch/minute" --quiet --json >"$scratch/minute.json" &&
        python3 - "$scratch/minute.json" <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
beam = {b["width"]: b for b in r["beam"]}
assert beam[64]["tried"] == beam[1024]["tried"] == 13220, beam
assert beam[64]["solved"] >= 0.999 * 13220 and beam[1024]["solved"] == 13220, beam
assert beam[64]["optimal"] >= 0.6 * 13220 and beam[1024]["optimal"] >= 0.97 * 13220, beam
assert r["k4_greedy"] == 1 and r["train_seconds"] <= 61 and r["greedy"][:5] == [1] * 5, r
END
}
if [ -z "${WEFT_TEST_LEARN:-}" ]; then skip "a minute of training" "WEFT_TEST_LEARN is not set"
elif have python3; then check "a minute of training" whole
else skip "a minute of training" "no python3 to read the result"; fi
finish
