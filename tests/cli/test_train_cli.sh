#!/bin/sh
# test_train_cli.sh - weft train, eval and export on the digits and the table that come with Weft:
# what a run leaves, going on after a stop, the exported C file, and what is refused.
. tests/cli.sh
small_sets

# ---- a run and what it leaves ----

check "mlp" ends 0 "$weft" train digits --run "$scratch/mlp" --steps 60 --batch 32 --json
check "its answer is JSON" is_json "$scratch/out"
check "with its fields" has "$scratch/out" run model steps train_seconds test_accuracy test_loss test_count
check "it has learned" sh -c "[ \"\$(sed -n 's/.*\"test_accuracy\": 0\\.\\([0-9]\\).*/\\1/p' '$scratch/out')\" -ge 6 ]"
check "plain progress on stderr" grep -q 'test/accuracy' "$scratch/err"
for file in config.json metrics.jsonl report.html checkpoints/latest.safetensors; do
    check "it leaves $file" test -s "$scratch/mlp/$file"
done
check "and events" sh -c "ls '$scratch/mlp' | grep -q tfevents"
check "no temporary file" sh -c "! (cd '$scratch/mlp' && find . | grep -i tmp)"
check "the report has settings" grep -q '<th scope="row">batch</th><td>32</td>' "$scratch/mlp/report.html"
check "with defaults" grep -q '<th scope="row">learning rate</th><td>0.002</td>' "$scratch/mlp/report.html"
check "and a confusion matrix" grep -q '<h2>Confusion matrix</h2>' "$scratch/mlp/report.html"
check "the report has pictures" grep -q '<svg' "$scratch/mlp/report.html"
check "its lines are JSON" sh -c "grep -q '\"train/loss\"' '$scratch/mlp/metrics.jsonl'"
check "hash is 64 digits" sh -c "'$weft' inspect --hash '$scratch/mlp' | grep -Eqx '[0-9a-f]{64}'"
check "a person reads it" prints 'test examples' "$weft" eval "$scratch/mlp"
check "eval agrees with the training" ends 0 "$weft" eval "$scratch/mlp" --json
check "fields" has "$scratch/out" test_accuracy test_loss test_count
check "eval by the checkpoint's path" ends 0 "$weft" eval "$scratch/mlp/checkpoints/latest.safetensors"
check "it tells about itself" prints 'Report: ' "$weft" train digits --run "$scratch/told" --steps 120
check "with a curve" grep -q 'Loss' "$scratch/out"

# ---- the same bits after a stop, with every model ----

for model in mlp cnn lstm gru; do
    small="--model $model --batch 16 --hidden 16 --seed 7"
    check "$model whole" train "whole-$model" $small --steps 12 --threads 2
    check "$model half" train "part-$model" $small --steps 5 --threads 1
    check "$model differs before its end" differ "whole-$model" "part-$model"
    check "$model resumed" train "part-$model" --model $model --steps 12 --resume --threads 3
    check "$model has the same bits" same "whole-$model" "part-$model"
done
check "another seed" train seed --batch 16 --hidden 16 --seed 8 --steps 12
check "is another network" differ whole-mlp seed
check "averages and accumulation" train average --batch 16 --hidden 16 --steps 12 --average 0.9 --accumulate 2
check "half of it" train average-part --batch 16 --hidden 16 --steps 7 --average 0.9 --accumulate 2
check "resumed" train average-part --steps 12 --resume
check "give the same bits" same average average-part
check "and are judged" ends 0 "$weft" eval "$scratch/average"

# ---- mixed precision, kept by the run ----

for model in mlp cnn lstm; do
    for type in bf16 f16; do
        small="--model $model --batch 16 --hidden 16 --seed 7 --mixed $type"
        check "$model $type whole" train "$type-$model" $small --steps 12 --threads 2
        check "$model $type half" train "$type-part-$model" $small --steps 5 --threads 1
        check "$model $type resumed" train "$type-part-$model" --steps 12 --resume
        check "$model $type has the same bits" same "$type-$model" "$type-part-$model"
        check "$model $type differs from f32" differ "$type-$model" "whole-$model"
    done
done
check "eval keeps it" ends 0 "$weft" eval "$scratch/bf16-mlp" --json
check "the run says so" grep -q '"mixed": "bf16"' "$scratch/bf16-mlp/config.json"
check "and its report" grep -q '<th scope="row">mixed precision</th><td>bf16</td>' "$scratch/bf16-mlp/report.html"
check "another one is refused" refuses 1 'mixed' "$weft" train digits --run "$scratch/bf16-mlp" --resume --mixed f16
check "an unknown type, too" refuses 2 'mixed' "$weft" train digits --run "$scratch/fp8" --mixed fp8

# ---- schedules ----

rate_at_end() { # run options...: the rate of the last step
    train "$@" --batch 32 --hidden 16 --epochs 2 >"$scratch/out" 2>&1 || return 1
    sed -n 's/.*"train\/rate": \([^,}]*\).*/\1/p' "$scratch/$1/metrics.jsonl" | tail -n 1
}
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a + 0 > 0 && a + 0 < b + 0) }'; }
# From 0.002 down to a hundredth, or a tenth of a tenth, however many batches make a step.
for schedule in cosine linear step exponential one-cycle; do
    check "$schedule ends low" below "$(rate_at_end "$schedule" --rate 0.002 --schedule $schedule)" 0.0001
    check "$schedule with accumulation" below \
        "$(rate_at_end "$schedule-4" --rate 0.002 --schedule $schedule --accumulate 4)" 0.0003
done

# ---- Ctrl-C ----

check "Ctrl-C ends with 130" interrupted ctrl digits --batch 16 --hidden 16 --seed 7 --epochs 1000
check "a checkpoint is there" ends 0 "$weft" inspect "$scratch/ctrl"
check "it says how to go on" grep -q 'interrupted after step .*use --resume to continue' "$scratch/ctrl.out"
check "it goes on" train ctrl --resume --steps 100000 --seconds 0.5

# ---- killed at once, before the clock would write a checkpoint ----

killed() { # run options...: is killed as soon as it has begun
    "$weft" train digits --run "$scratch/$1" --batch 16 --hidden 16 --seed 7 --epochs 1000 -q >/dev/null 2>&1 &
    process=$!
    waited=0
    while [ ! -s "$scratch/$1/checkpoints/latest.safetensors" ] && [ $waited -lt 100 ]; do
        sleep 0.1
        waited=$((waited + 1))
    done
    kill -9 $process
    wait $process 2>/dev/null
    [ -s "$scratch/$1/checkpoints/latest.safetensors" ]
}
check "a run that is killed has a checkpoint" killed early
check "it is resumed" train early --resume --steps 12
check "another that is not killed" train never --batch 16 --hidden 16 --seed 7 --epochs 1000 --steps 12
check "has the same bits" same never early
rm -r "$scratch/early/checkpoints"
check "without a checkpoint" refuses 1 'no checkpoint to resume from' "$weft" train digits --run "$scratch/early" --resume

# ---- what a resumed run remembers ----

check "outliers" train odd --batch 16 --hidden 16 --steps 5 --outliers
check "optimizer is understood" train odd-part --batch 16 --hidden 16 --steps 3 --outliers --optimizer adamw
check "resumed without saying so" train odd-part --resume --steps 5
for run in odd odd-part; do
    check "$run keeps them in mind" grep -q '"outliers": "true"' "$scratch/$run/config.json"
    check "and looks for them" prints 'train.outlier_detector' "$weft" inspect "$scratch/$run"
done

# ---- export ----

if have python3; then
    python3 -c 'import random, struct, sys
random.seed(1)
sys.stdout.buffer.write(struct.pack("<3920f", *[random.random() for _ in range(3920)]))' >"$scratch/rows"
    for model in mlp cnn lstm gru; do
        check "export $model" "$weft" export --c "$scratch/whole-$model" -o "$scratch/$model.c"
        check "$model compiles as C99" $cc -std=c99 -O2 -Wall -Werror -DWEFT_MAIN "$scratch/$model.c" -lm -o "$scratch/$model.bin"
        check "$model filters" sh -c "'$scratch/$model.bin' <'$scratch/rows' >'$scratch/$model.a'"
        check "eval filters too" sh -c "'$weft' eval '$scratch/whole-$model' --raw <'$scratch/rows' >'$scratch/$model.b'"
        check "equal outputs of $model" python3 -c 'import array, sys
a, b = (array.array("f", open(p, "rb").read()) for p in sys.argv[1:])
assert len(a) == len(b) == 50, (len(a), len(b))
assert max(abs(x - y) for x, y in zip(a, b)) < 1e-4' "$scratch/$model.a" "$scratch/$model.b"
    done
    check "half a row is refused" sh -c "head -c 100 '$scratch/rows' | '$weft' eval '$scratch/mlp' --raw; [ \$? -eq 4 ]"
else
    skip "export" "no python3 to make rows and compare them"
fi

# ---- tables ----

if [ -s data/flowers.csv ]; then
    check "csv" ends 0 "$weft" train csv data/flowers.csv --run "$scratch/csv" --epochs 20 --json --quiet
    check "fields" has "$scratch/out" test_accuracy test_count
    check "eval" prints 'test examples' "$weft" eval "$scratch/csv"
    check "on another file" ends 0 "$weft" eval "$scratch/csv" data/flowers.csv
fi
printf 'a,b,y\n' >"$scratch/number.csv"
i=0
while [ $i -lt 60 ]; do
    printf '%d,%d,%d.5\n' $((i % 7)) $((i % 5)) $((3 * (i % 7) - 2 * (i % 5))) >>"$scratch/number.csv"
    i=$((i + 1))
done
check "a number is learned" ends 0 "$weft" train csv "$scratch/number.csv" --run "$scratch/number" --json --quiet
check "R2" has "$scratch/out" test_r2 test_rmse test_mae
check "errors are in the report" grep -q '<dt>RMSE</dt>' "$scratch/number/report.html"
check "close to 1" sh -c "grep -Eq '\"test_r2\": (0\\.9|1)' '$scratch/out'"
for unit in 000000 e-12 e25; do # the same table in other units is as easy
    sed -E "2,\$ s/\\.5\$/$unit/" "$scratch/number.csv" >"$scratch/unit.csv"
    check "in units of 1$unit" ends 0 "$weft" train csv "$scratch/unit.csv" --task numbers --run "$scratch/unit" --overwrite --json --quiet
    check "close to 1 too" sh -c "grep -Eq '\"test_r2\": (0\\.9|1)' '$scratch/out'"
    r2=$(field "$scratch/out" test_r2)
    check "eval" ends 0 "$weft" eval "$scratch/unit" --json
    check "agrees" [ "$(field "$scratch/out" test_r2)" = "$r2" ]
done
check "half of it" ends 0 "$weft" train csv "$scratch/unit.csv" --task numbers --run "$scratch/unit-part" --steps 90 --quiet
check "resumed" ends 0 "$weft" train csv --run "$scratch/unit-part" --resume --quiet
check "gives the same bits" same unit unit-part
awk 'BEGIN { print "a,b,y"; for (i = 0; i < 300; i++) print i % 100 "," i % 7 ",c" i % 100 }' >"$scratch/many.csv"
check "a hundred classes" prints 'test_accuracy' "$weft" train csv "$scratch/many.csv" --run "$scratch/many" --steps 20 --json --test 0.3 --quiet
check "what a table was taken for" ends 0 "$weft" train csv "$scratch/number.csv" --run "$scratch/taken" --steps 4
check "is told" grep -q '48 rows for training, 12 for testing; 2 inputs; target: a number' "$scratch/err"

# ---- what early stopping goes by ----

check "patience" ends 0 "$weft" train digits --run "$scratch/patient" --batch 32 --hidden 16 --epochs 60 --patience 2 --validation 0.2 --json
metrics=$scratch/patient/metrics.jsonl
check "goes by a validation set" grep -q '"valid/accuracy"' "$metrics"
check "the test set is looked at once" [ "$(grep -c '"test/accuracy"' "$metrics")" -eq 1 ]
check "at the end" sh -c "tail -n 1 '$metrics' | grep -q '\"test/accuracy\"'"
check "and reported" has "$scratch/out" test_accuracy
accuracy=$(field "$scratch/out" test_accuracy)
check "eval" ends 0 "$weft" eval "$scratch/patient" --json
check "gives the same" [ "$(field "$scratch/out" test_accuracy)" = "$accuracy" ]
check "without patience nothing is set aside" sh -c "! grep -q valid '$scratch/mlp/metrics.jsonl' '$scratch/mlp/config.json'"
check "whole, by a plateau" train plateau-whole --batch 32 --hidden 16 --schedule plateau --steps 40
check "half" train plateau-half --batch 32 --hidden 16 --schedule plateau --steps 17
check "resumed" train plateau-half --resume --steps 40
check "sets aside the same rows" same plateau-whole plateau-half
check "and goes by them" grep -q '"valid/loss"' "$scratch/plateau-half/metrics.jsonl"
check "of a table" ends 0 "$weft" train csv "$scratch/number.csv" --run "$scratch/patient-csv" --patience 3 --steps 40
check "it is told" grep -q '43 rows for training, 5 for validation, 12 for testing' "$scratch/err"
check "without a validation set" ends 0 "$weft" train csv "$scratch/number.csv" --run "$scratch/none-csv" --patience 3 --validation 0 --steps 40
check "that is told too" grep -q 'the test set is used' "$scratch/err"

# ---- what is refused ----

check "no task" usage_error 'missing task, choose one of digits, csv' "$weft" train
check "unknown model" usage_error 'takes' "$weft" train digits --model resnet
check "a run that is there" usage_error 'already' "$weft" train digits --run "$scratch/mlp" --steps 1
check "overwriting is asked for" train mlp --overwrite --steps 2
check "another option on resume" refuses 1 'was started with' "$weft" train digits --run "$scratch/mlp" --resume --rate 0.5
check "resuming nothing" refuses 1 'none: no run to resume' "$weft" train digits --run "$scratch/none" --resume
check "a table that is not there" refuses 1 'nothing.csv' "$weft" train csv "$scratch/nothing.csv" --run "$scratch/n1"
printf 'a,b\n1\n2,3\n' >"$scratch/bad.csv"
check "a bad table" refuses 4 'bad.csv' "$weft" train csv "$scratch/bad.csv" --run "$scratch/n2"
printf 'a,b\n1,x\n2,y\n' >"$scratch/few.csv"
check "a table of two rows" refuses 4 'few.csv: 2 rows are too few' "$weft" train csv "$scratch/few.csv" --run "$scratch/n3"
check "a batch of more than there is" refuses 1 '\-\-batch 500: there are 48' "$weft" train csv "$scratch/number.csv" --run "$scratch/n4" --batch 500 --quiet
check "a warm-up longer than the run" refuses 1 '\-\-warmup 900' "$weft" train csv "$scratch/number.csv" --run "$scratch/n5" --warmup 900 --quiet
check "a separator of two letters" usage_error 'one character' "$weft" train csv "$scratch/number.csv" --separator ab
check "both to go on and to begin anew" usage_error 'exclude each other' "$weft" train digits --run "$scratch/mlp" --resume --overwrite
check "to go on with another task's run" refuses 1 'is a run of "train csv"' "$weft" train digits --run "$scratch/number" --resume
check "eval of nothing" refuses 1 'nothing: No such file' "$weft" eval "$scratch/nothing"
check "eval from inside" sh -c "case '$weft' in /*) weft='$weft' ;; *) weft=\$PWD/$weft ;; esac; cd '$scratch/number/checkpoints' && \"\$weft\" eval latest.safetensors"
check "a hash of some tensors" usage_error 'not together with' "$weft" inspect --hash --only 'fc*' "$scratch/mlp"
check "export what?" usage_error '\-\-c' "$weft" export "$scratch/mlp"
check "eval of no run" refuses 1 'config.json' "$weft" eval "$scratch"
printf '{"weft": 1' >"$scratch/told/config.json"
check "a damaged config" refuses 4 'config.json' "$weft" eval "$scratch/told"
check "data: unknown set" usage_error 'unknown data set' "$weft" data get imagenet
check "data: list" prints 'digits' "$weft" data list
check "data: path" prints 'data/digits' "$weft" data path digits
check "data: not here" refuses 1 'not found' "$weft" data path mnist

finish
