#!/bin/sh
# test_top.sh - weft top: one frame and its JSON over runs that are written here and over real ones,
# what is waited for, told and refused; and a person who watches a training at a terminal.
. tests/cli.sh
case $weft in /*) ;; *) weft=$PWD/$weft ;; esac
small_sets
LC_ALL=C.UTF-8 COLUMNS=80 LINES=24
export LC_ALL COLUMNS LINES
now=$(date +%s)
state() { "$weft" top --json "$@" >"$scratch/out" 2>"$scratch/err" && field "$scratch/out" state; }
is() { [ "$1" = "$2" ] || { echo "$1, not $2"; return 1; }; } # got want
told() { grep -q -e "$1" "$scratch/out" || { cat "$scratch/out"; return 1; }; } # by the last frame
frame() { "$weft" top --once "$@" >"$scratch/out" 2>"$scratch/err"; }
letters="s/[$(printf '\300-\377')][$(printf '\200-\277')]*/x/g" # of any number of bytes become x
fits() { # columns lines: the last frame is no larger than its terminal
    LC_ALL=C sed "$letters" "$scratch/out" | awk -v w="$1" -v h="$2" 'length($0) > w { bad = 1 } END { exit bad || NR > h }'
}

# ---- runs written by hand: 40 rows, one a second, of which the last is some seconds old ----

run() { # name, age of the last row, first words of status.json or ""
    mkdir -p "$scratch/$1"
    echo '{"title": "By hand", "command": "train digits"}' >"$scratch/$1/config.json"
    awk -v end=$((now - $2)) 'BEGIN {
        for (i = 1; i <= 40; i++) {
            at = end - 40 + i
            printf "{\"step\": %d, \"wall\": %d.5, \"time\": %d, \"train/loss\": %.6f, " \
                "\"speed/steps_per_s\": 50, \"memory_bytes\": 84700000}\n", 50 * i, at, i, 4 / i
            if (i % 10 == 0) printf "{\"step\": %d, \"wall\": %d.6, \"time\": %d, " \
                "\"test/accuracy\": %.3f, \"test/loss\": %.3f}\n", 50 * i, at, i, 0.9 + i / 500, 5 / i
            if (i == 25) printf "{\"step\": 1230, \"wall\": %d.7, \"time\": %d, \"outlier/loss\": 9}\n", at, i
        } }' >"$scratch/$1/metrics.jsonl"
    [ -z "$3" ] || echo "{\"schema\": 1, $3, \"steps\": 5000, \"batch\": 64, \"state_bytes\": 2500000," \
        "\"arena_bytes\": 9100000, \"began\": $((now - $2 - 40)).0}" >"$scratch/$1/status.json"
}
alive="\"state\": \"running\", \"host\": \"$(uname -n)\", \"process\": $$"
run running 0 "$alive"
check "a run that goes on" is "$(state "$scratch/running")" running
check "its state is JSON" is_json "$scratch/out"
check "with its fields" has "$scratch/out" schema run title command state text step steps resumed_at time share \
    left_seconds age_seconds stalled_after_seconds steps_per_s examples_per_s memory_bytes state_bytes \
    arena_bytes rows skipped outliers problem metrics
check "the step" is "$(field "$scratch/out" step)" 2000
check "of so many" is "$(field "$scratch/out" steps)" 5000
check "the share" is "$(field "$scratch/out" share)" 0.4
check "the rate" is "$(field "$scratch/out" steps_per_s | head -c 2)" 50
check "examples are a batch a step" is "$(field "$scratch/out" examples_per_s)" 3200
check "memory" is "$(field "$scratch/out" memory_bytes | head -n 1)" 84700000
check "an outlier" is "$(field "$scratch/out" last_outlier)" 1230
# 3,000 steps at 50 a second, less the age of the last row.
check "time left" awk -v l="$(field "$scratch/out" left_seconds)" 'BEGIN { exit !(l > 40 && l <= 60.5) }'
check "a frame" frame "$scratch/running"
check "is 80 columns wide" fits 80 24
check "title and state" told '^By hand  *● running$'
check "the command" told '· weft train digits$'
check "the way" told '40%  step 2,000 of 5,000  0:40 elapsed  \(0:[45][0-9]\|1:00\) left'
check "the loss" told '^Loss 0.1 train  0.125 test  *Accuracy 98.00 % test$'
check "a curve in dots" told '│.*⡇'
check "the outlier on the axis" told '└─*▲─*'
check "and in words" told 'Outliers 1, last at step 1,230'
check "rate" told 'Rate 50.0 steps/s, 3,200 examples/s'
check "memory in words" told 'Memory 84.7 MB resident, 2.5 MB state, 9.1 MB arena'
check "no colours in a file" sh -c "! grep -q '$(printf '\033')' '$scratch/out'"
check "but when asked for" sh -c "'$weft' top --once --color always '$scratch/running' | grep -q '$(printf '\033')'"
check "without a terminal it is the same" sh -c "'$weft' top '$scratch/running' | head -n 1 | grep -q 'By hand  *● running'"
check "in ASCII" sh -c "LC_ALL=C '$weft' top --once '$scratch/running' >'$scratch/out' && ! LC_ALL=C grep -q '[^ -~]' '$scratch/out'"
check "with a curve" told '|.*\*\*'
check "and another" told '|.*o'
for size in 1x1 3x2 20x5 40x12 64x16 80x24 120x30 200x50 500x200; do
    COLUMNS=${size%x*} LINES=${size#*x}
    check "a frame of $size" frame "$scratch/running"
    check "fits into $size" fits "$COLUMNS" "$LINES"
done
COLUMNS=80 LINES=24

run finished 500 '"state": "finished", "text": "no improvement in 4 evaluations"'
check "finished" is "$(state "$scratch/finished")" finished
check "says why" is "$(field "$scratch/out" text)" 'no improvement in 4 evaluations'
run stalled 500 "$alive"
check "stalled" is "$(state "$scratch/stalled")" stalled
check "it has no time left" is "$(field "$scratch/out" left_seconds)" null
check "in a frame" frame "$scratch/stalled"
check "says since when" told 'no new row for 8:[0-9]'
check "patience is an option" is "$(state "$scratch/stalled" --stalled 1000)" running
run resting 5 "$alive"
check "or the lack of it" is "$(state "$scratch/resting" --stalled 1)" stalled
sh -c 'exit 0' &
gone=$!
wait $gone
run killed 5 "\"state\": \"running\", \"host\": \"$(uname -n)\", \"process\": $gone"
check "a process that is gone" is "$(state "$scratch/killed")" killed
run elsewhere 5 "\"state\": \"running\", \"host\": \"another machine\", \"process\": $gone"
check "on another machine nobody knows" is "$(state "$scratch/elsewhere" --stalled 600)" running
run broken 5 '"state": "diverged", "text": "step 2001: log in head gives nan at element 0"'
check "broken" is "$(state "$scratch/broken")" diverged
check "broken in a frame" frame "$scratch/broken"
check "by what" told '^step 2001: log in head gives nan'
run older 5 ""
check "without a status rows decide" is "$(state "$scratch/older" --stalled 600)" running
run oldest 5000 ""
check "old rows" is "$(state "$scratch/oldest")" stalled
touch "$scratch/oldest/report.html"
check "a report is an end" is "$(state "$scratch/oldest")" finished

# ---- kernels ----

kernels() { # run text
    printf '%s' "$2" >"$scratch/$1/kernels.json"
}
rows=
for k in 1 2 3 4 5 6 7 8 9; do
    rows="$rows{\"name\": \"kernel$k\", \"scope\": \"block$k/attn\", \"shape\": \"[8,$k]\", \"calls\": 1, \"us\": ${k}00,
        \"share\": 0.$k, \"gflops\": $k, \"gbs\": 5, \"of_roof\": 0.1},"
done
kernels running "{\"schema\": 1, \"plan\": \"train\", \"threads\": 2, \"step_us\": 2317, \"wait\": 0.12, \"kernels\": [${rows%,}]}"
check "kernels" frame "$scratch/running"
check "fit" fits 80 24
check "their step" told '^Kernels  2.32 ms a step, 2 threads, 12 % waiting, the 4 largest of 9$'
check "a row" told '^kernel1 *block1/attn *█ *10.0 %  100.0 us  *5.0 GB/s  10 %$'
COLUMNS=160 LINES=50
check "wider" frame "$scratch/running"
check "they all fit" told '^kernel9 *block9/attn *\[8,9\] *█* *90.0 %  900.0 us  *9.0 GFLOP/s  10 %$'
COLUMNS=80 LINES=24
check "as JSON" ends 0 "$weft" top --json "$scratch/running"
check "is JSON" is_json "$scratch/out"
check "apart from the metrics" told '"metrics": {[^{}]*}, "'
check "all of them" told '"name": "kernel9", "scope": "block9/attn", "shape": "\[8,9\]"'
printf '{"kernels": [{"name": "a\\u001b[31mb\\u0007\\u202e", "share": 1e300, "us": -1}, 5, {"share": null}]}' \
    >"$scratch/running/kernels.json"
check "odd kernels" frame "$scratch/running"
check "do nothing to the terminal" sh -c "! LC_ALL=C grep -q '[$(printf '\001-\010\013-\037')]' '$scratch/out'"
kernels running '{"kernels": ['
check "half a file" frame "$scratch/running"
check "is told" told 'kernels.json: '
check "as JSON too" is "$(state "$scratch/running" >/dev/null && field "$scratch/out" problem | grep -c kernels)" 1
rm "$scratch/running/kernels.json"

# ---- metrics by their names, and a title that is cut within a letter ----

run named 0 "$alive"
rows() { # sed's words for what is a row of that run
    sed "/\"test/d; $1" "$scratch/running/metrics.jsonl" >"$scratch/named/metrics.jsonl"
}
COLUMNS=160 LINES=50
rows 's|train/loss|optim/lr|'
check "with a rate" frame "$scratch/named"
check "rates have words" told '^Learning rate 0.1 optim$'
rows 's|"train/loss"|"device_bytes": 5000000, &|'
check "with bytes" frame "$scratch/named"
check "bytes have units" told '^Loss 0.1 train  *Device 5.0 MB$'
COLUMNS=80 LINES=24
for lead in '' x; do
    echo "{\"title\": \"$lead$(printf '%0300d' 0 | sed 's/0/ä/g')\"}" >"$scratch/named/config.json"
    check "a long title" ends 0 "$weft" top --json "$scratch/named"
    check "is whole letters ($lead)" is_json "$scratch/out"
    check "of which it has many ($lead)" told "\"title\": \"$lead\(ä\)*ä\", \""
done

# ---- what is not quite a run ----

cp -r "$scratch/running" "$scratch/spoiled"
{
    printf 'no JSON\n[1, 2]\n{"train/loss": 1}\n\n'
    cat "$scratch/running/metrics.jsonl"
    printf '{"step": 2050, "train/lo'
} >"$scratch/spoiled/metrics.jsonl"
check "spoiled rows are counted" is "$(state "$scratch/spoiled" >/dev/null && field "$scratch/out" skipped)" 3
check "and told" frame "$scratch/spoiled"
check "in red letters" told '^3 lines of metrics.jsonl could not be read$'
cp "$scratch/broken/status.json" "$scratch/spoiled"
check "one note after the other" frame "$scratch/spoiled"
check "why it ended" told '^step 2001: log in head gives nan'
check "and the lines" told '^3 lines of metrics.jsonl could not be read$'
cp "$scratch/running/status.json" "$scratch/spoiled"
check "half a row is none yet" is "$(state "$scratch/spoiled" >/dev/null && field "$scratch/out" step)" 2000
printf 'no\nno\n' >"$scratch/spoiled/metrics.jsonl"
check "nothing but those" refuses 4 'none of its 2 lines is valid' "$weft" top --once "$scratch/spoiled"
: >"$scratch/spoiled/metrics.jsonl"
check "no row yet" frame --stalled 1000 "$scratch/spoiled"
check "is running all the same" told '● running'
mkdir "$scratch/empty" "$scratch/new"
echo '{}' >"$scratch/new/config.json"
check "nothing but a configuration" is "$(state "$scratch/new")" waiting
check "it waits" frame "$scratch/new"
check "for rows" told 'the run has not written a row yet'
check "a folder that is no run" refuses 4 'not a run' "$weft" top --once "$scratch/empty"
check "no folder" refuses 1 'nothing: no such folder' "$weft" top --json "$scratch/nothing"
check "a file" refuses 4 'the folder of a run was expected' "$weft" top "$scratch/new/config.json"
check "rows that are a folder" sh -c "mkdir -p '$scratch/odd/metrics.jsonl'"
check "are an error" refuses 1 'metrics.jsonl: is not a file' "$weft" top --once "$scratch/odd"
check "two runs" usage_error 'unexpected argument' "$weft" top a b
check "no patience" usage_error 'stalled' "$weft" top --stalled 0
mkdir -p "$scratch/here/runs"
inside() { (cd "$scratch/here" && "$weft" top --json) >"$scratch/out" 2>"$scratch/err"; }
check "no run at all" refuses 1 'no run under runs/; weft train makes one' sh -c "cd '$scratch/here' && '$weft' top"
cp -r "$scratch/finished" "$scratch/here/runs/old"
cp -r "$scratch/running" "$scratch/here/runs/young"
touch -d '1 hour ago' "$scratch"/here/runs/old/*
touch "$scratch"/here/runs/young/*
check "the newest run" inside
check "is found" is "$(field "$scratch/out" run)" runs/young
touch -d '2 hours ago' "$scratch"/here/runs/young/*
check "whichever it is" inside
check "by its files" is "$(field "$scratch/out" run)" runs/old

# ---- a real run, before, during and after ----

check "a training" ends 0 "$weft" train digits --run "$scratch/real" --steps 60 --batch 32 --quiet --json
check "is finished" is "$(state "$scratch/real")" finished
check "its rate" awk -v r="$(field "$scratch/out" steps_per_s | head -n 1)" 'BEGIN { exit !(r > 0) }'
check "its kernels" told '"kernels": {"plan": "train"'
check "its memory" awk -v m="$(field "$scratch/out" memory_bytes | head -n 1)" 'BEGIN { exit !(m > 1e6) }'
check "its report has them too" grep -q '<h2>Kernels</h2>' "$scratch/real/report.html"
check "and the memory" grep -q '<h3>Memory</h3>' "$scratch/real/report.html"
find "$scratch/real" -type f -exec cksum {} + | sort >"$scratch/before"
check "one more look" frame "$scratch/real"
check "changes nothing" sh -c "find '$scratch/real' -type f -exec cksum {} + | sort | cmp - '$scratch/before'"
check "interrupted by Ctrl-C" interrupted ctrl digits --seconds 100 --batch 32
check "it says so" is "$(state "$scratch/ctrl")" interrupted

cat >"$scratch/person.py" <<'END'
import os, re, signal, subprocess, sys, time
from terminal import Terminal
weft, folder = sys.argv[1:]
enter, leave = b"\x1b[?1049h\x1b[?25l", b"\x1b[?25h\x1b[?1049l"
def whole(t, code):
    assert t.end() == code, t.all[-300:]
    assert t.all.count(enter) == t.all.count(leave) and t.all.endswith(leave), t.all[-100:]
# It is there before the run is, and sees it come, go on and end.
t = Terminal([weft, "top", "live"], columns=80, folder=folder)
t.until(rb"Waiting for live: the folder does not exist yet\.")
child = subprocess.Popen([weft, "train", "digits", "--run", "live", "--seconds", "6", "--batch", "32", "--quiet"],
                         cwd=folder, stdout=subprocess.DEVNULL, env=dict(os.environ, WEFT_DATA=os.getcwd() + "/data"))
t.until("● running".encode())
seen = []
while len(set(seen)) < 3: seen.append(int(t.until(rb"step ([\d,]+)")[1].replace(b",", b"")))
assert seen == sorted(seen), seen
t.until(rb"Loss \d")
t.until(rb"Kernels ")
t.resize(40, 150)
t.until(rb"\x1b\[2J(?s:.)*\x1b\[40;1H") # drawn anew, down to its last line
t.resize(10, 30)
t.until(rb"\x1b\[2J(?s:.)*\x1b\[10;1H")
t.resize(24, 100)
t.until(rb"\x1b\[2J(?s:.)*\x1b\[24;1H")
end = time.time() + 20
while not re.search(rb"Steps per s \d", t.text): # one of the curves
    assert time.time() < end, t.text[-2000:]
    t.type(b"m")
    t.read(0.3)
t.stop_and_go_on()
t.until(re.escape(enter))
assert child.wait() == 0
t.until("● finished".encode())
# Once nothing changes nothing is drawn, and hardly any time is spent.
def spent():
    with open("/proc/%d/stat" % t.child) as f: return sum(map(int, f.read().rsplit(")", 1)[1].split()[11:13]))
while t.read(0.5): pass
before, drawn = spent(), len(t.all)
time.sleep(2)
t.read(0)
assert len(t.all) == drawn, t.all[drawn:]
assert spent() - before <= 20, spent() - before # of 200 ticks
# The same folder begins anew: the rows of before are gone.
child = subprocess.Popen([weft, "train", "digits", "--run", "live", "--steps", "100", "--batch", "32", "--quiet", "--overwrite"],
                         cwd=folder, stdout=subprocess.DEVNULL, env=dict(os.environ, WEFT_DATA=os.getcwd() + "/data"))
t.until(rb"step 100 of 100")
assert child.wait() == 0
t.type(b"q")
whole(t, 0)
for end, code in ((signal.SIGTERM, 130), (None, 130)):
    t = Terminal([weft, "top", "live"], folder=folder)
    t.until("● finished".encode())
    if end: t.signal(end)
    else: t.type(b"\x03")
    whole(t, code)
t = Terminal([weft, "top", "live"], folder=folder, locale="C")
t.until(rb"\* finished")
t.type(b"q")
whole(t, 0)
assert all(b < 0x80 for b in t.all), "letters that the locale lacks"
END
if have python3; then check "a person watches" person "$scratch/person.py" "$weft" "$scratch"
else skip "a person" "no python3"; fi
finish
