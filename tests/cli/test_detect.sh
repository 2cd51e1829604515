#!/bin/sh
# test_detect.sh - weft detect: rows in and labels out, as they come; snapshots; what is wrong is
# told with its place, and nothing that came before is lost.
. tests/cli.sh

awk 'BEGIN { srand(1); print "time,host,load"
    for (i = 0; i < 400; i++) {
        x = 0; for (k = 0; k < 12; k++) x += rand()
        printf "t%d,\"h,%d\",%.3f\n", i, i % 3, 100 + x + (i == 250 ? 30 : 0) } }' >"$scratch/in.csv"
awk -F, 'NR > 1 { printf "{\"time\": \"%s\", \"cpu\": {\"load\": %s}}\n", $1, $NF }' "$scratch/in.csv" >"$scratch/in.jsonl"

# ---- in and out ----

check "CSV" ends 0 "$weft" detect --columns load --keep time,host "$scratch/in.csv"
cp "$scratch/out" "$scratch/out.csv"
check "names" sh -c "head -n 1 '$scratch/out.csv' | grep -qx 'point,time,host,load,score,label,expected,since'"
check "a line for each row" sh -c "[ \$(wc -l <'$scratch/out.csv') -eq 401 ]"
check "kept texts" grep -q '^1,t1,"h,1",' "$scratch/out.csv"
check "the outlier" sh -c "[ \"\$(grep outlier '$scratch/out.csv' | cut -d, -f1,2)\" = 250,t250 ]"
check "summary" grep -q '^400 points, 1 outlier, 30 warmup$' "$scratch/err"
check "JSON" ends 0 "$weft" detect -c cpu.load -k time "$scratch/in.jsonl"
cp "$scratch/out" "$scratch/out.jsonl"
check "it is JSON" is_json "$scratch/out.jsonl"
check "with its keys" has "$scratch/out.jsonl" point time cpu.load score label expected since
same_scores() {
    field "$scratch/out.jsonl" score >"$scratch/a"
    sed 1d "$scratch/out.csv" | awk -F, '{ print $(NF - 3) }' | cmp - "$scratch/a"
}
check "the same scores" same_scores
check "from a pipe" sh -c "'$weft' detect -q -c load -k time,host <'$scratch/in.csv' | cmp - '$scratch/out.csv'"
check "CSV to JSON" ends 0 "$weft" detect -q -c load --json --odd "$scratch/in.csv"
check "one and a summary" sh -c "[ \$(wc -l <'$scratch/out') -eq 2 ]"
check "summary as JSON" is_json "$scratch/out"
check "what it counts" sh -c "tail -n 1 '$scratch/out' | grep -q '\"points\": 400, .*\"outlier\": 1, .*\"bad_lines\": 0'"
check "nothing but the summary" prints '"schema": 1' "$weft" detect --out none --json "$scratch/in.csv"
check "JSON to CSV" sh -c "'$weft' detect -q --out csv -c cpu.load '$scratch/in.jsonl' | head -n 1 | grep -qx 'point,cpu.load,score,label,expected,since'"
check "no header" prints '^0,1,2,' "$weft" detect -q -d trees --header no --separator ' ' - <<END
1 2
3 4
END
for detector in zscore ewma robust cusum page-hinkley adwin trees holt-winters; do
    check "$detector" prints '^399,' "$weft" detect -q -d $detector -c load "$scratch/in.csv"
done
check "a constant range" prints '^3,0.5,' "$weft" detect -q -d trees --low 0 --high 1 - <<END
x
0.1
0.2

0.4
0.5
END

# A line is answered before the next one comes.
follows() {
    mkfifo "$scratch/pipe" || return 1
    "$weft" detect -q <"$scratch/pipe" >"$scratch/followed" &
    child=$!
    exec 9>"$scratch/pipe"
    printf 'x\n1\n2\n3' >&9
    for wait in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ "$(wc -l <"$scratch/followed")" -eq 3 ] && break
        sleep 0.1
    done
    tail -n 1 "$scratch/followed" | grep -q '^1,2,' || { exec 9>&-; wait $child; return 1; }
    exec 9>&-
    wait $child && tail -n 1 "$scratch/followed" | grep -q '^2,3,'
}
check "as it comes" follows

# ---- snapshots ----

for detector in zscore trees holt-winters; do
    head -n 173 "$scratch/in.csv" >"$scratch/first.csv"
    { head -n 1 "$scratch/in.csv"; sed 1,173d "$scratch/in.csv"; } >"$scratch/second.csv"
    check "$detector, whole" ends 0 "$weft" detect -q -d $detector -c load "$scratch/in.csv" --save "$scratch/whole"
    cp "$scratch/out" "$scratch/whole.csv"
    check "$detector, first part" ends 0 "$weft" detect -q -d $detector -c load "$scratch/first.csv" --save "$scratch/part"
    cp "$scratch/out" "$scratch/parts.csv"
    check "$detector, second part" ends 0 "$weft" detect -q -c load --restore "$scratch/part" --save "$scratch/part" "$scratch/second.csv"
    sed 1d "$scratch/out" >>"$scratch/parts.csv"
    check "$detector, the same labels" cmp "$scratch/parts.csv" "$scratch/whole.csv"
    check "$detector, the same knowledge" cmp "$scratch/part" "$scratch/whole"
done
check "not a snapshot" refuses 4 'in.csv: offset 0: magic: not a snapshot' "$weft" detect --restore "$scratch/in.csv" "$scratch/in.csv"
head -c 300 "$scratch/whole" >"$scratch/torn"
check "a torn one" refuses 4 'torn: offset 48: length' "$weft" detect --restore "$scratch/torn" "$scratch/in.csv"
check "other columns" usage_error '1 column of numbers (load), trees takes 2' sh -c "
    printf '1,2\n' | '$weft' detect -q -d trees --save '$scratch/two' >'$scratch/unread' && '$weft' detect --restore '$scratch/two' -c load '$scratch/in.csv'"
check "settings are restored" usage_error 'omit --window' "$weft" detect --restore "$scratch/whole" --window 5 "$scratch/in.csv"
check "and the detector" usage_error 'omit --detector' "$weft" detect --restore "$scratch/whole" -d ewma "$scratch/in.csv"
check "nothing to save" ends 1 "$weft" detect --save "$scratch/none" /dev/null
check "so there is none" sh -c "[ ! -e '$scratch/none' ]"

# Ctrl-C ends the input, not the program.
interrupts() {
    { cat "$scratch/first.csv"; sleep 5; } | "$weft" detect -q -c load --save "$scratch/stopped" >"$scratch/stopped.csv" 2>&1 &
    for wait in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ "$(wc -l <"$scratch/stopped.csv")" -eq 173 ] && break
        sleep 0.1
    done
    kill -TERM $!
    wait $!
    [ $? -eq 130 ] || return 1
    "$weft" detect -q -c load --save "$scratch/part" "$scratch/first.csv" | cmp - "$scratch/stopped.csv" &&
        cmp "$scratch/part" "$scratch/stopped"
}
check "Ctrl-C" interrupts

# ---- what is wrong ----

{ head -n 101 "$scratch/in.csv"; echo 't,h,1O0'; sed 1,101d "$scratch/in.csv"; } >"$scratch/bad.csv"
check "a word among numbers" ends 4 "$weft" detect -c load "$scratch/bad.csv" --save "$scratch/before"
check "is told with its place" grep -q 'bad.csv: line 102, column 3 (load): "1O0" is not a number' "$scratch/err"
check "what came before is written" sh -c "[ \$(tail -n 1 '$scratch/out' | cut -d, -f1) = 99 ]"
check "and saved" ends 0 "$weft" detect -q -c load --restore "$scratch/before" --header no -c 3 "$scratch/second.csv" --keep-going
check "passed over" ends 0 "$weft" detect --keep-going -c load -k time,host "$scratch/bad.csv"
check "the rest is as without it" cmp "$scratch/out" "$scratch/out.csv"
check "and counted" grep -q '1 malformed line' "$scratch/err"
printf '{"a": 1}\n{"a": 2,}\n{"a": 3}\n' >"$scratch/bad.jsonl"
check "broken JSON" ends 4 "$weft" detect "$scratch/bad.jsonl"
check "with its place" grep -q 'bad.jsonl: line 2: offset 8: JSON' "$scratch/err"
check "after empty lines" refuses 4 'input: line 3: offset 8: JSON' sh -c "printf '\n \n{\"a\": 2,}\n' | '$weft' detect -q"
check "several columns" usage_error '--columns chooses' sh -c "printf 'a,b\n1,2\n' | '$weft' detect"
check "no such column" ends 4 "$weft" detect -c height "$scratch/in.csv"
check "no such setting" usage_error 'cusum has no window' "$weft" detect -c load -d cusum --window 5 "$scratch/in.csv"
check "out of range" usage_error 'window 1; expected 2 to' "$weft" detect -c load --window 1 "$scratch/in.csv"
check "0 is no default" usage_error '--window 0: expected 2 to' "$weft" detect -c load --window 0 "$scratch/in.csv"
check "no such detector" usage_error 'takes zscore|ewma' "$weft" detect -d zscor
check "no such file" refuses 1 'No such file' "$weft" detect "$scratch/absent"
check "a long separator" usage_error 'one character' "$weft" detect --separator ab "$scratch/in.csv"
head -c 1100000 /dev/zero | tr '\0' '1' >"$scratch/long"
check "a line without end" refuses 4 'line 1: longer than 1048576 bytes' "$weft" detect "$scratch/long"
check "empty input" ends 0 "$weft" detect -q /dev/null

# ---- training ----

check "training with an eye on the loss" ends 0 "$weft" train csv data/flowers.csv --outliers --steps 400 --quiet --run "$scratch/run"
check "the detector is in the checkpoint" sh -c "'$weft' inspect '$scratch/run' | grep -q 'extra/train.outlier_detector'"

# Lines that were changed at random: it ends with 0 or 4, and a label for every row before that.
mangled() {
    for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do
        for file in in.csv in.jsonl; do
            LC_ALL=C awk -v seed=$seed 'BEGIN { srand(seed); odd = "\",;{}[]:-\\ x\t9e" }
                NR > 20 && rand() < 0.01 { at = int(rand() * length($0)) + 1
                    $0 = substr($0, 1, at - 1) substr(odd, int(rand() * length(odd)) + 1, 1) substr($0, at + 1) }
                { print }' "$scratch/$file" >"$scratch/mangled"
            columns=load && [ $file = in.jsonl ] && columns=cpu.load
            "$weft" detect -c $columns --out csv "$scratch/mangled" >"$scratch/out" 2>"$scratch/err"
            status=$?
            [ $status -eq 0 ] || [ $status -eq 4 ] || { echo "seed $seed: $status"; cat "$scratch/err"; return 1; }
            rows=400
            [ $status -eq 4 ] && rows=$(($(sed -n 's/.*mangled: line \([0-9]*\).*/\1/p' "$scratch/err" | head -n 1) - 1))
            [ $status -eq 4 ] && [ $file = in.csv ] && rows=$((rows - 1))
            [ $(($(wc -l <"$scratch/out") - 1)) -eq $rows ] || { echo "seed $seed, $file: $rows rows"; return 1; }
        done
    done
}
check "mangled lines" mangled

# ---- a first row that cannot be read ----

first() { printf "$1" | "$weft" detect --keep-going -c x "$2" >"$scratch/out" 2>"$scratch/err"; }
check "the first row is unreadable" first 'x\nabc\n1\n2\n' -q
check "the others are read" grep -q '^1,2,' "$scratch/out"
check "with their names" grep -q '^point,x,score' "$scratch/out"
check "all are unreadable" first 'x\nabc\nd\n' -q
check "the first of several columns" sh -c "printf 'x,y\nabc,1\n1,2\n' | '$weft' detect --keep-going -d trees -q >'$scratch/out' 2>&1"
check "of JSON" sh -c "printf '{\"x\": \"a\"}\n{\"x\": 1}\n' | '$weft' detect --keep-going -c x -q >'$scratch/out' 2>&1"
finish
