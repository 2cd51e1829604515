#!/bin/sh
# test_bench_gate.sh - figures of weft bench that are kept and compared: --save, --baseline,
# --history, --against, and what they say of files and programs that are none.
#
# Whatever else the machine does meanwhile must not matter: figures that are compared differ by
# factors, and limits of time are only there to end what would never end.
. tests/cli.sh
one="$weft bench special-erf --quick --threads 1"
in_time() { timeout 100 "$@"; }

# ---- the line ----

check "a line of JSON" ends 0 $one --json
cp "$scratch/out" "$scratch/line"
check "is JSON" is_json "$scratch/line"
check "its fields" has "$scratch/line" line median_us mean_us min_us max_us p95_us low_us high_us \
    relative samples disturbed threads
check "no ping for one thread" sh -c "! grep ping_us '$scratch/line'"
between() { # low middle high: numbers in order
    awk -v a="$1" -v b="$2" -v c="$3" 'BEGIN { exit !(a <= b && b <= c) }' || { echo "$@"; return 1; }
}
of() { field "$scratch/line" "$1"; }
check "least, median, most" between "$(of min_us)" "$(of median_us)" "$(of max_us)"
check "the interval" between "$(of low_us)" "$(of median_us)" "$(of high_us)"
check "the mean" between "$(of min_us)" "$(of mean_us)" "$(of max_us)"
check "95 of 100" between "$(of median_us)" "$(of p95_us)" "$(of max_us)"
check "relative" between 1e-9 "$(of relative)" 1e9

ends 0 "$weft" bench step-mlp784 --quick --threads 2 --json
cp "$scratch/out" "$scratch/line"
if [ "$(of threads)" = 2 ]; then check "a ping for two threads" between 1e-3 "$(of ping_us)" 1e9
else skip "a ping for two threads" "there is one"; fi

# ---- samples on request ----

turns() { # letters, samples: ready, a sample each, the line
    printf "$1" | in_time $one --turns --json >"$scratch/turns" || return 1
    is_json "$scratch/turns" && [ "$(wc -l <"$scratch/turns")" -eq $(($2 + 2)) ] &&
        head -n 1 "$scratch/turns" | grep -q '^{"ready": true}$' &&
        [ "$(grep -c '^{"us": [0-9]' "$scratch/turns")" -eq "$2" ] &&
        [ $(($(field "$scratch/turns" samples) + $(field "$scratch/turns" disturbed))) -eq "$2" ]
}
check "three turns" turns ggge 3
check "one turn" turns ge 1
check "no turn" turns e 0
check "turns until the end of the input" turns gg 2
check "no input" turns '' 0
check "another letter ends" turns ggxgg 2
check "no more than there is room for" sh -c "head -c 300 /dev/zero | tr '\\0' g | timeout 100 $one --turns --json |
    grep -c '\"us\": ' | grep -q '^126\$'"

# ---- --save ----

base=$scratch/base.json
check "save" ends 0 $one --save "$base"
check "the table is still there" grep -q '^special-erf' "$scratch/out"
saved() { # names of the records, in order
    [ "$(grep -c '"name": ' "$base")" -eq $# ] || { cat "$base"; return 1; }
    [ "$(field "$base" name | tr '\n' ' ')" = "$* " ]
}
check "one record" saved special-erf
cp "$base" "$scratch/first"
check "another is added" ends 0 "$weft" bench special-gamma --quick --threads 1 --save "$base"
check "two records" saved special-erf special-gamma
record() { grep '"special-erf"' "$1" | sed 's/,$//'; }
check "the first is as it was" [ "$(record "$base")" = "$(record "$scratch/first")" ]
check "the same again" ends 0 $one --save "$base"
check "still two" saved special-erf special-gamma
check "read by python" sh -c "! command -v python3 >/dev/null ||
    python3 -c 'import json, sys; json.load(open(sys.argv[1]))' '$base'"

sed 's/"key": "[0-9a-f]*"/"key": "0123456789abcdef"/' "$base" >"$scratch/other.json"
cp "$scratch/other.json" "$scratch/other"
check "another machine's" refuses 4 'another machine' $one --save "$scratch/other.json"
check "is left as it was" cmp "$scratch/other.json" "$scratch/other"
unused() { # status, pattern, option, file: refused before anything is measured, the file as it was
    cp "$4" "$scratch/copy" 2>/dev/null
    refuses "$1" "$2" $one "$3" "$4" && { [ ! -f "$4" ] || cmp "$4" "$scratch/copy"; }
}
head -c 200 "$base" >"$scratch/cut.json"
echo '{"schema": 2}' >"$scratch/schema.json"
sed 's/"median_us": /"median_us": -/' "$base" >"$scratch/negative.json"
sed 's/"calibration": 1/"calibration": 9/' "$base" >"$scratch/loop.json"
for option in --save --baseline; do
    check "$option: cut off" unused 4 'cut.json' $option "$scratch/cut.json"
    check "$option: another schema" unused 4 'expected "schema": 1' $option "$scratch/schema.json"
    check "$option: a negative time" unused 4 'record 0: median_us' $option "$scratch/negative.json"
    check "$option: another loop" unused 4 'expected "calibration": 1' $option "$scratch/loop.json"
    check "$option: a folder" unused 1 "$scratch" $option "$scratch"
done
check "save: no such folder" unused 1 'cannot write to' --save "$scratch/none/x.json"
check "baseline: no such file" unused 1 'none.json' --baseline "$scratch/none.json"

# ---- --baseline ----

faster() { # file, factor: a baseline whose times are so many times as long
    awk -v by="$2" '{
        out = ""; rest = $0
        while (match(rest, /"(median_us|low_us|high_us|relative)": [-+.0-9e]+/)) {
            piece = substr(rest, RSTART, RLENGTH); value = piece; sub(/.*: /, "", value)
            sub(/: .*/, "", piece)
            out = out substr(rest, 1, RSTART - 1) sprintf("%s: %.9g", piece, value * by)
            rest = substr(rest, RSTART + RLENGTH)
        }
        print out rest
    }' "$base" >"$1"
}
faster "$scratch/fast.json" 0.1
faster "$scratch/slow.json" 10
check "ten times slower than then" ends 3 $one --baseline "$scratch/fast.json"
check "a table of it" grep -q '^special-erf .* slower$' "$scratch/out"
check "as JSON" ends 3 $one --json --baseline "$scratch/fast.json"
check "which is JSON" is_json "$scratch/out"
check "its result" grep -q '"line": "special-erf", .*"result": "slower", "ratio": [0-9]' "$scratch/out"
check "slower on purpose" ends 3 env WEFT_BENCH_SLOW=2000% $one --baseline "$base"
check "ten times faster than then" ends 0 $one --baseline "$scratch/slow.json"
check "that too" grep -q '^special-erf .* faster$' "$scratch/out"
check "the limit allows it" ends 0 $one --baseline "$scratch/fast.json" --max-slowdown 5000%
check "not twice as long, but more than ten times" ends 3 $one --baseline "$scratch/fast.json" --max-slowdown 1
check "what is not in it" ends 0 "$weft" bench special-bessel_j0 --quick --threads 1 --baseline "$base"
check "is new" grep -q '^special-bessel_j0 .* new$' "$scratch/out"
check "with another number of threads too" ends 0 "$weft" bench step-mlp784 --quick --threads 1 --baseline "$base"
check "of another machine" ends 0 $one --baseline "$scratch/other.json" --max-slowdown 100
check "which is told" grep -q 'another machine' "$scratch/err"
sed 's/"relative": [-+.0-9e]*/"relative": 0/' "$base" >"$scratch/unknown.json"
check "a relative time of 0" ends 0 $one --baseline "$scratch/unknown.json"
check "cannot be compared" grep -q 'cannot be compared' "$scratch/out"
cp "$scratch/slow.json" "$scratch/both.json"
check "compared, and saved in its place" ends 0 $one --baseline "$scratch/both.json" --save "$scratch/both.json"
check "with what it was before" grep -q '^special-erf .* faster$' "$scratch/out"
check "and it is another now" sh -c "! cmp -s '$scratch/both.json' '$scratch/slow.json'"

for share in 5% 0.05 1e-3 100 10000% .5 300%; do
    check "--max-slowdown $share" ends 0 $one --baseline "$scratch/slow.json" --max-slowdown $share --history "$scratch/h"
done
for share in 0 0% -5% 5%% 5x % '' nan inf 101 10001% '5 %' five 0,05; do
    check "--max-slowdown '$share'" usage_error 'a share such as 5% or 0.05' $one --max-slowdown "$share"
done
for share in nonsense 0 -1 10%% 101; do
    check "WEFT_BENCH_SLOW=$share" usage_error 'not a share such as 10%' env WEFT_BENCH_SLOW=$share $one
done
check "WEFT_BENCH_SLOW=" ends 0 env WEFT_BENCH_SLOW= $one

# ---- --history ----

history=$scratch/history
check "a history" ends 0 $one --history "$history"
file=$(echo "$history"/*.jsonl)
check "of this machine" [ "$(field "$base" key)" = "$(basename "$file" .jsonl)" ]
check "a second run" ends 0 "$weft" bench special-erf special-gamma --quick --threads 1 --history "$history"
check "three records" [ "$(field "$file" name | tr '\n' ' ')" = "special-erf special-erf special-gamma " ]
check "its fields" has "$file" name threads samples median_us low_us high_us relative ping_us when
echo 'what is this' >>"$file"
printf '{"name": "torn' >>"$file"
cp "$file" "$scratch/before"
check "spoiled lines" ends 0 $one --history "$history"
check "are told" grep -q '2 malformed lines' "$scratch/err"
check "and stay" sh -c "head -c \$(wc -c <'$scratch/before') '$file' | cmp - '$scratch/before'"
check "the new one has its line" sh -c "tail -n 1 '$file' | grep -q '^{\"name\": \"special-erf\", .*}\$'"
check "a file is no folder" unused 1 'base.json/' --history "$base"
check "no folder to make one in" unused 4 'cannot create the folder' --history "$scratch/none/h"
i=0
while [ $i -lt 12 ]; do # a level that is known, a thousand times faster
    echo '{"name": "special-erf", "threads": 1, "samples": 9, "median_us": 1e-3, "low_us": 1e-3, "high_us": 1e-3, "relative": 1.00'$i'e-5, "ping_us": 0, "when": 1}'
    i=$((i + 1))
done >"$file"
check "an odd run" ends 0 $one --history "$history"
check "is told" grep -q 'special-erf: [0-9.]* times the typical time of this machine (12 runs)' "$scratch/err"

# ---- --against ----

check "against itself" ends 0 in_time $one --against "$weft" --max-slowdown 100
check "a table" grep -q '^special-erf  *[0-9.]*  *[0-9.]*  *[0-9.]*  [0-9.]* to [0-9.]*  same$' "$scratch/out"
check "as JSON" ends 0 in_time $one --against "$weft" --max-slowdown 100 --json
check "which is JSON" is_json "$scratch/out"
check "fields" has "$scratch/out" schema bench line threads result ratio low high pairs median_us other_us
check "slower by far" ends 3 env WEFT_BENCH_SLOW=1000% timeout 100 $one --against "$weft"
check "is told" grep -q '^special-erf .* slower$' "$scratch/out"
cat >"$scratch/later" <<END
#!/bin/sh
echo >>'$scratch/starts'
[ \$(wc -l <'$scratch/starts') -le \$LOOKED ] || export WEFT_BENCH_SLOW=4000%
exec '$weft' "\$@"
END
chmod +x "$scratch/later" # slow from its start number LOOKED on, which is once in a round
check "one look" ends 0 env LOOKED=1000 timeout 100 $one --against "$scratch/later" --max-slowdown 100
looked=$(wc -l <"$scratch/starts")
rm "$scratch/starts"
check "slower at the first look" ends 0 env LOOKED="$looked" WEFT_BENCH_SLOW=1000% timeout 100 $one --against "$scratch/later"
check "not at the second" grep -q '^special-erf .* slower once, not confirmed$' "$scratch/out"
check "which is longer" [ "$(wc -l <"$scratch/starts")" -gt $((2 * looked)) ]
check "within the limit" ends 0 env WEFT_BENCH_SLOW=100% timeout 100 $one --against "$weft" --max-slowdown 100
for option in "--save $base" "--baseline $base" "--history $history" "--html $scratch/x.html"; do
    check "--against and ${option%% *}" usage_error 'not together with' $one --against "$weft" $option
done

# Programs that are none: told, with neither 0 nor 3, and without waiting for what never comes.
program() { # name, text: a script
    printf '#!/bin/sh\n%s\n' "$2" >"$scratch/$1"
    chmod +x "$scratch/$1"
}
strange() { # pattern for stderr, program
    ends 1 in_time $one --against "$2" && { grep -q -e "$1" "$scratch/err" || { cat "$scratch/err"; return 1; }; }
}
program early 'exit 0'
program fails 'echo oh >&2; exit 7'
program killed 'kill -KILL $$'
program nonsense 'echo hello; exec sleep 1000'
program json 'echo "{\"hello\": 1}"; exec sleep 1000'
program numbers 'echo 7; exec sleep 1000'
program endless 'exec yes "{\"ready\": true}"'
program long 'head -c 100000 /dev/zero | tr "\\0" x; exec sleep 1000'
program leaves 'echo "{\"ready\": true}"; head -c 1 >/dev/null; exit 9'
program forgets 'echo "{\"ready\": true}"; head -c 1 >/dev/null; echo "{\"us\": null}"; exec sleep 1000'
program deaf 'exec <&-; echo "{\"ready\": true}"; echo "{\"us\": 1}"; exec sleep 1'
program other "exec '$weft' bench special-gamma --turns --json --quick --threads 1"
program more "exec '$weft' bench special-erf special-gamma --turns --json --quick --threads 1"
program less "printf e | exec '$weft' bench special-erf --turns --json --quick | sed -u 1d"
check "no such program" strange 'No such file' "$scratch/none"
check "a folder" strange 'Permission denied' "$scratch"
check "no program" strange 'status 127' "$base"
check "ends at once" strange 'status 0, but too early' "$scratch/early"
check "fails" strange 'status 7' "$scratch/fails"
check "is killed" strange 'status -9' "$scratch/killed"
check "speaks nonsense" strange '"hello" is not an answer' "$scratch/nonsense"
check "speaks other JSON" strange '"{"hello": 1}" is not an answer' "$scratch/json"
check "speaks in numbers" strange '"7" is not an answer' "$scratch/numbers"
check "is always ready" strange 'is not an answer' "$scratch/endless"
check "has a long breath" strange '"xxxxxx*" is not an answer' "$scratch/long"
check "leaves at its first turn" strange 'status 9' "$scratch/leaves"
check "has no number" strange '"{"us": null}" is not an answer' "$scratch/forgets"
check "does not listen" strange 'deaf' "$scratch/deaf"
check "gives other lines" strange 'do not give the same results for special-erf' "$scratch/other"
check "gives more lines" strange 'ended with status 0, but too early' "$scratch/more"
check "gives a line without samples" strange 'do not give the same results' "$scratch/less"
check "against nothing" usage_error 'against' $one --against ''

# Whoever ends it ends both sides: only the one that was started gets the signal here.
cp "$weft" "$scratch/copy-of-weft"
program noted "echo \$\$ >>'$scratch/pids'; exec '$scratch/copy-of-weft' \"\$@\""
running() { # processes of the copy
    for exe in /proc/[0-9]*/exe; do
        [ "$(readlink "$exe" 2>/dev/null)" = "$scratch/copy-of-weft" ] && return 0
    done
    return 1
}
ended_by() { # signal
    for seconds in 1 5 20; do
        rm -f "$scratch/pids"
        timeout --foreground -s "$1" $seconds "$scratch/copy-of-weft" bench step-mnist --threads 1 \
            --against "$scratch/noted" >"$scratch/out" 2>&1
        [ -s "$scratch/pids" ] && break # it came as far as starting them
    done
    [ -s "$scratch/pids" ] || { cat "$scratch/out"; return 1; }
    for wait in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        running || return 0
        sleep 0.5
    done
    echo "still running"
    return 1
}
if [ -d /proc/self ] && have timeout; then
    for signal in INT TERM KILL; do check "ended by $signal" ended_by $signal; done
else skip "ended by a signal" "no /proc, or no timeout"; fi
finish
