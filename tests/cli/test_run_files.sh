#!/bin/sh
# test_run_files.sh - runs whose files do not fit each other, or were made by somebody else: labels,
# classes, columns, sizes, links; and two programs at one run.
. tests/cli.sh
small_sets

# ---- labels and classes ----

have python3 && python3 - "$scratch" <<'P'
import random, struct, sys
random.seed(1)
for folder, label in (("far", 255), ("ten", 10)):
    import os
    os.makedirs(f"{sys.argv[1]}/{folder}")
    for name, lab in (("train", 0), ("t10k", label)):
        with open(f"{sys.argv[1]}/{folder}/{name}-images-idx3-ubyte", "wb") as f:
            f.write(struct.pack(">BBBBIII", 0, 0, 8, 3, 250, 28, 28) + random.randbytes(250 * 784))
        with open(f"{sys.argv[1]}/{folder}/{name}-labels-idx1-ubyte", "wb") as f:
            f.write(struct.pack(">BBBBI", 0, 0, 8, 1, 250) + bytes(lab or i % 10 for i in range(250)))
P
for folder in far ten; do
    if [ ! -d "$scratch/$folder" ]; then skip "labels" "no python3"; continue; fi
    for model in mlp logic; do
        check "labels of $folder, $model" refuses 4 "labels of the test set reach .*, the network has 10 classes" \
            "$weft" train digits --model $model --data "$scratch/$folder" --run "$scratch/run-$folder-$model" --steps 2 --quiet
    done
done

cp data/flowers.csv "$scratch/t.csv"
run=$scratch/flowers
check "a run of a table" ends 0 "$weft" train csv "$scratch/t.csv" --run "$run" --steps 400 --quiet
check "is evaluated" prints ' test examples' "$weft" eval "$run"
cp "$scratch/out" "$scratch/before"
check "and so it is again" sh -c "'$weft' eval '$run' | cmp - '$scratch/before'"
as() { # sed script: the table with other words
    sed "$1" data/flowers.csv >"$scratch/t.csv"
}
as 's/,aster$/,zzz/'
check "a class that nobody knows" refuses 4 \
    't.csv: line [0-9]*, column 6 (flower): "zzz" is not one of the 3 known classes: aster, bellflower, clover' \
    "$weft" eval "$run"
check "nor to go on with" refuses 4 'not one of the 3 known classes' "$weft" train csv --run "$run" --resume --steps 500 --quiet
as '/,clover$/d'
check "fewer classes are what they were" prints ' test examples' "$weft" eval "$run"
as '1s/petal_length/stem_length/'
check "another column" refuses 4 'input 1 is "stem_length", the network was trained with "petal_length"' "$weft" eval "$run"
as 's/,sand,/,silt,/'
check "another word of a column" refuses 4 'the network was trained with "soil=' "$weft" eval "$run"
cut -d, -f 2- data/flowers.csv >"$scratch/t.csv"
check "a column less" refuses 4 'inputs, the network takes' "$weft" eval "$run"
as ''
check "the table as it was" sh -c "'$weft' eval '$run' | cmp - '$scratch/before'"
sed 's/"inputs": \[[^]]*\], *//; s/, "inputs": \[[^]]*\]//' "$run/config.json" >"$scratch/config" && cp "$scratch/config" "$run/config.json"
check "a run of before has no such names" sh -c "'$weft' eval '$run' | cmp - '$scratch/before'"

printf 'x,y\n1,a\n,b\n' >"$scratch/gap.csv"
check "options, not fields" refuses 4 '; --missing can have it filled in' "$weft" train csv "$scratch/gap.csv" --run "$scratch/gap"
{ echo x,y; i=0; while [ $i -lt 200 ]; do echo "w$i,$((i % 2))"; i=$((i + 1)); done; } >"$scratch/words.csv"
check "many words" refuses 4 '; --skip leaves the column out, --max-words allows more' \
    "$weft" train csv "$scratch/words.csv" --run "$scratch/words"
check "are allowed" ends 0 "$weft" train csv "$scratch/words.csv" --run "$scratch/words" --most-words 300 --steps 2 --quiet

# ---- sizes ----

small() { # command...: fails, and never has more than 100 MB
    (ulimit -v 400000 2>/dev/null; exec "$weft" "$@") >"$scratch/out" 2>"$scratch/err"
    status=$?
    [ $status -ge 1 ] && [ $status -lt 128 ] && grep -q 'more than the\|not one of\|no checkpoint' "$scratch/err" ||
        { echo "status $status"; cat "$scratch/err"; return 1; }
}
foreign() { # name, command, options, model: a run of a few bytes
    mkdir -p "$scratch/$1/checkpoints"
    printf '{"command": "%s", "options": {%s}, "model": {%s}}\n' "$2" "$3" "$4" >"$scratch/$1/config.json"
    printf '\002\0\0\0\0\0\0\0{}' >"$scratch/$1/checkpoints/latest.safetensors"
}
ten='"classes": ["0","1","2","3","4","5","6","7","8","9"], "numbers": false, "dropout": 0, "outputs": 10'
digits='"rows": 28, "columns": 28, "mean": [0], "deviation": [1]'
foreign wide "train digits" '"model": "mlp"' "\"network\": \"mlp\", \"hidden\": 40000, $digits, $ten"
foreign long "train digits" '"model": "lstm"' "\"network\": \"lstm\", \"hidden\": 8, \"rows\": 16000000, \"columns\": 1, \"mean\": [0], \"deviation\": [1], $ten"
foreign broad "train csv" '"file": "t.csv"' "\"network\": \"mlp\", \"hidden\": 8, \"rows\": 1, \"columns\": 16000000, \"mean\": [0], \"deviation\": [1], $ten"
foreign cube "train cube" '"wide": "60000", "narrow": "60000"' '"wide": 60000, "narrow": 60000, "hidden": 60000'
foreign game "train 2048" '"algorithm": "dqn", "hidden": "60000", "replay": "100000000"' ''
for name in wide long broad; do
    check "export $name" small export --c "$scratch/$name" -o "$scratch/out.c"
    check "eval $name" small eval "$scratch/$name"
done
check "resume wide" small train digits --run "$scratch/wide" --resume --quiet
rm "$scratch/wide/checkpoints/latest.safetensors"
check "resume what never began" small train digits --run "$scratch/wide" --resume --quiet

# ---- links in a folder that came from elsewhere ----

cp data/flowers.csv "$scratch/t.csv"
flowers() { "$weft" train csv "$scratch/t.csv" --run "$scratch/foreign" --steps 5 --quiet "$@"; }
flowers >/dev/null 2>&1
cp -r "$scratch/foreign" "$scratch/sound"
mkdir "$scratch/victim"
untouched() { # what in the run, options...: it becomes a link to what lies outside
    what=$1
    shift
    rm -rf "$scratch/foreign" "$scratch/victim"
    cp -r "$scratch/sound" "$scratch/foreign"
    mkdir "$scratch/victim"
    if [ -d "$scratch/sound/$what" ]; then cp "$scratch/sound/$what"/* "$scratch/victim"
    elif [ -e "$scratch/sound/$what" ]; then cp "$scratch/sound/$what" "$scratch/victim/file"
    else echo precious >"$scratch/victim/file"; fi
    echo old >"$scratch/victim/latest.safetensors.00000000.weft-tmp" # what a cleaner would take
    rm -rf "$scratch/foreign/$what"
    if [ -d "$scratch/sound/$what" ]; then ln -s "$scratch/victim" "$scratch/foreign/$what"
    else ln -s "$scratch/victim/file" "$scratch/foreign/$what"; fi
    cp -r "$scratch/victim" "$scratch/as_it_was"
    flowers "$@" >"$scratch/out" 2>"$scratch/err"
    diff -r "$scratch/victim" "$scratch/as_it_was" && [ ! -s "$scratch/err" ] ||
        { diff -r "$scratch/victim" "$scratch/as_it_was" && grep 'links are not followed' "$scratch/err"; }
    answer=$?
    rm -rf "$scratch/as_it_was"
    return $answer
}
for what in config.json status.json metrics.jsonl kernels.json report.html checkpoints checkpoints/latest.safetensors \
    checkpoints/latest.previous.safetensors lock; do
    check "$what is a link" untouched $what --overwrite
    check "$what is a link, resumed" untouched $what --resume --steps 8
done
ln -s "$scratch/sound" "$scratch/elsewhere"
check "a link to the run itself is the caller's" ends 0 "$weft" train csv --run "$scratch/elsewhere" --resume --steps 9 --quiet

# ---- two programs at one run ----

cd "$scratch" || exit 1
case $weft in /*) ;; *) weft=$OLDPWD/$weft ;; esac
long() { "$weft" train csv t.csv --epochs 100000 --quiet "$@"; }
"$weft" train csv t.csv --epochs 100000 --quiet --seconds 60 >first.out 2>&1 &
first=$!
for wait in 1 2 3 4 5 6 7 8 9 10; do
    [ -e runs/csv-t/checkpoints/latest.safetensors ] && break
    sleep 0.3
done
check "another takes the next folder" ends 0 long --steps 5
check "which is a run" test -s runs/csv-t-2/metrics.jsonl
check "the first is at work" kill -0 $first
lines=$(wc -l <runs/csv-t/metrics.jsonl)
check "by name it is refused" refuses 2 'runs/csv-t already has a run' long --run runs/csv-t --steps 5
check "and to start over" refuses 2 "runs/csv-t: another training run is using it: process $first on " long --overwrite --steps 5
check "and to go on" refuses 2 "process $first on " long --resume --run runs/csv-t --steps 5
kill -9 $first
wait $first 2>/dev/null
check "nothing of the first is lost" test "$(wc -l <runs/csv-t/metrics.jsonl)" -ge "$lines"
check "a lock ends with its process" ends 0 long --resume --run runs/csv-t --steps 1 
check "and leaves no file" test ! -e runs/csv-t/lock
check "a failure leaves no folder" sh -c "! '$weft' train csv absent.csv 2>/dev/null && [ ! -e runs/csv-absent ]"
# ---- long paths ----

name=$(printf '%04100d' 0)
check "a path that is too long" refuses 2 'the path of the run has 4100 bytes, at most 3999 are possible' \
    "$weft" train csv t.csv --epochs 1 --quiet --run "$name"
deep=$(printf '%0200d/' 1 2 3 4 5 6)
check "a long one is not" ends 0 "$weft" train csv t.csv --epochs 2 --steps 1 --quiet --run "$deep"
check "and found again" ends 0 "$weft" train csv t.csv --quiet --run "$deep" --resume --steps 2

finish
