#!/bin/sh
# test_automata_program.sh - weft train life and its kin: learned exactly, resumed with the same bits,
# an oracle's numbers, and what is refused. With WEFT_TEST_LEARN also the pictures.
. tests/cli.sh
case $weft in /*) ;; *) weft=$PWD/$weft ;; esac

# ---- Life is learned, whatever the seed; a wiring that does not come there is given up ----

check "life" ends 0 "$weft" train life --run "$scratch/life" --seed 100 --json
check "its answer is JSON" is_json "$scratch/out"
check "with its fields" has "$scratch/out" schema run task exact attempts steps train_seconds wrong \
    tried active_gates gates ending
check "exactly" [ "$(field "$scratch/out" exact)" = true ]
check "no mistake" [ "$(field "$scratch/out" wrong)" = 0 ]
check "with few gates" [ "$(field "$scratch/out" gates)" -le 250 ]
for file in config.json metrics.jsonl report.html checkpoints/latest.safetensors; do
    check "it leaves $file" test -s "$scratch/life/$file"
done
check "the report says so" grep -q 'Learned exactly' "$scratch/life/report.html"
check "too short a time" ends 0 "$weft" train life --run "$scratch/again" --seed 100 --attempt 30 --steps 100
check "tells of other wirings" grep -q 'Wiring 3 given up after 30 steps: [0-9]* of 512' "$scratch/err"
check "and that it is not learned" grep -q 'Not learned' "$scratch/out"

# ---- stopped and gone on with: the same bits, on other threads, with a wiring given up between ----

for task in life checkerboard "checkerboard --async" lizard g; do
    rm -rf "$scratch/whole" "$scratch/halves"
    check "$task, whole" ends 0 "$weft" train $task --run "$scratch/whole" --attempt 6 --steps 16 --threads 1 -q
    check "$task, half" ends 0 "$weft" train $task --run "$scratch/halves" --attempt 6 --steps 8 --threads 2 -q
    check "$task, half differs" differ whole halves
    for steps in 11 16; do # with the wiring it stopped in, and with the next
        check "$task, other half" ends 0 "$weft" train $task --run "$scratch/halves" --resume --steps $steps -q
        check "$task, whole" ends 0 "$weft" train $task --run "$scratch/whole" --attempt 6 --steps $steps --threads 1 \
            --overwrite -q
        check "$task, same bits after $steps" same whole halves
    done
done

# ---- pictures, which take longer ----

for task in lizard g; do
    if [ -z "${WEFT_TEST_LEARN:-}" ]; then skip "$task" "WEFT_TEST_LEARN is not set"
    else
        check "$task" ends 0 "$weft" train $task --run "$scratch/$task" --seed 1 --steps 8000 --json -q
        check "$task, exactly" [ "$(field "$scratch/out" exact)$(field "$scratch/out" wrong)" = true0 ]
    fi
done

# ---- a wiring that is given up leaves nothing behind: the next one begins as the first did ----

# The first step of an optimiser moves a logit by the rate, whatever it sees. Logits begin with 0 and
# 10, so after one step they end at -0.5 on one side; after four they have gone farther.
lowest() { # run: its least logit
    "$weft" inspect "$scratch/$1" --stats --only gates --json >"$scratch/stats"
    field "$scratch/stats" min
}
between() { awk -v x="$2" 'BEGIN { exit !('"$1"' < x && x < '"$3"') }'; } # number, value, number
entry() { # run, entry: its one value
    "$weft" inspect "$scratch/$1" --stats --only "$2" --json >"$scratch/stats"
    field "$scratch/stats" max
}
four="--steps 4 --rate 0.5 --pass 10 --decay 1e-6 --mode soft -q"
check "one wiring, four steps" ends 0 "$weft" train life --run "$scratch/patient" --attempt 100 $four
check "logits have gone far" between -9 "$(lowest patient)" -0.7
check "two wirings, four steps" ends 0 "$weft" train life --run "$scratch/hasty" --attempt 3 $four
check "the second has made one" [ "$(entry hasty rng.attempt.number)$(entry hasty rng.attempt.steps)" = 11 ]
check "from where the first began" between -0.51 "$(lowest hasty)" -0.4
check "and so has its optimiser" [ "$(entry hasty optim.step)" = 1 ]

# ---- the oracle ----

check "oracle" ends 0 "$weft" train checkerboard --oracle --epochs 2 --json
check "its losses" sh -c "grep -q '\"epoch\": 0, \"soft_loss\": 202.0[78].*\"hard_loss\": 248, ' '$scratch/out' &&
    grep -q '\"epoch\": 1, \"soft_loss\": 215.98.*\"hard_loss\": 271, ' '$scratch/out'"
check "for a person" prints 'epoch    0  soft loss  202.0' "$weft" train checkerboard --oracle --epochs 1

# ---- what is refused ----

check "another option on resume" refuses 1 'was started with' "$weft" train g --run "$scratch/halves" --resume --rate 3
check "a run of another task" refuses 1 'is a run of "train life"' "$weft" train checkerboard --run "$scratch/life" --resume
check "a mode there is not" refuses 2 'mode' "$weft" train life --mode fuzzy
finish
