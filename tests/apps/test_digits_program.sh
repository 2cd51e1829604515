#!/bin/sh
# test_digits_program.sh - weft train digits --model logic on the small digits: gates that are judged
# as the circuit they become, which lies in the run's folder and is believed only when read anew.
. tests/cli.sh
small_sets
small="--model logic --hidden 300 --batch 64 --seed 7"

# ---- a run and what it leaves ----

check "logic" ends 0 "$weft" train digits --model logic --run "$scratch/one" --hidden 1000 --batch 64 --steps 150 --json
check "its answer is JSON" is_json "$scratch/out"
check "with its fields" has "$scratch/out" run model steps train_seconds test_accuracy test_loss test_count \
    soft_accuracy gates active_gates simplified_gates ns_per_sample ending
check "on all pictures" [ "$(field "$scratch/out" test_count)" = 500 ]
accuracy=$(field "$scratch/out" test_accuracy) loss=$(field "$scratch/out" test_loss)
more() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a + 0 > b + 0) }'; }
check "it has learned" more "$accuracy" 0.75
check "as soft gates too" more "$(field "$scratch/out" soft_accuracy)" 0.75
check "six layers" [ "$(field "$scratch/out" gates)" = 6000 ]
check "fewer do something" more 6000 "$(field "$scratch/out" active_gates)"
check "and fewer still when simplified" more "$(field "$scratch/out" active_gates)" "$(field "$scratch/out" simplified_gates)"
for file in config.json metrics.jsonl report.html circuit.json checkpoints/latest.safetensors; do
    check "it leaves $file" test -s "$scratch/one/$file"
done
check "the report tells of the circuit" grep -q 'after simplification (circuit.json)' "$scratch/one/report.html"
check "eval" ends 0 "$weft" eval "$scratch/one" --json
check "says the same" [ "$(field "$scratch/out" test_accuracy) $(field "$scratch/out" test_loss)" = "$accuracy $loss" ]
check "inspect" prints 'gates  *F32  *\[6000,4\]' "$weft" inspect "$scratch/one"

# ---- the circuit, by nothing but its file and the pictures ----

if have python3; then
    cat >"$scratch/read.py" <<'END'
import array, ast, json, struct, sys, zipfile
# The pictures and their labels.
def npy(name):
    b = zipfile.ZipFile("data/digits/test.npz").read(name + ".npy")
    start = 10 + struct.unpack("<H", b[8:10])[0]
    head = ast.literal_eval(b[10:start].decode())
    assert head["descr"] == "|u1" and not head["fortran_order"], head
    return b[start:]
x, y = npy("x"), npy("y")
n = len(y)
k = json.load(open(sys.argv[1]))
# A value is a whole number with a bit for each picture.
value = []
for level in (64, 128, 192):
    for p in range(784):
        value.append(sum((x[784 * i + p] >= level) << i for i in range(n)))
assert k["inputs"] == len(value)
full = (1 << n) - 1
for kind, a, b in k["gates"]:
    if isinstance(kind, str): raise SystemExit("kinds are numbers")
    va, vb, out = value[a], value[b], 0
    if kind & 1: out |= va & vb
    if kind & 2: out |= va & ~vb
    if kind & 4: out |= ~va & vb
    if kind & 8: out |= ~(va | vb)
    value.append(out & full)
each = len(k["outputs"]) // 10
right, scores = 0, array.array("f")
for i in range(n):
    count = [sum(value[o] >> i & 1 for o in k["outputs"][each * c:each * (c + 1)]) for c in range(10)]
    right += count.index(max(count)) == y[i]
    if i < 20: scores.extend(c / each ** 0.5 for c in count)
print(right / n)
open(sys.argv[2], "wb").write(scores.tobytes())
open(sys.argv[3], "wb").write(array.array("f", [v / 255 for v in x[:20 * 784]]).tobytes())
END
    check "read anew" sh -c "python3 '$scratch/read.py' '$scratch/one/circuit.json' '$scratch/scores' '$scratch/rows' >'$scratch/said'"
    check "it is as good as was told" awk -v a="$(cat "$scratch/said")" -v b="$accuracy" 'BEGIN { exit !(a - b < 1e-6 && b - a < 1e-6) }'
    near='import array, sys
a, b = (array.array("f", open(p, "rb").read()) for p in sys.argv[1:])
assert len(a) == len(b) == 200, (len(a), len(b))
assert max(abs(x - y) for x, y in zip(a, b)) < 1e-4'
    check "eval as a filter" sh -c "'$weft' eval '$scratch/one' --raw <'$scratch/rows' >'$scratch/raw'"
    check "has its counts" python3 -c "$near" "$scratch/raw" "$scratch/scores"
    check "export" "$weft" export --c "$scratch/one" -o "$scratch/one.c"
    check "compiles as C99" $cc -std=c99 -O1 -Wall -Werror -DWEFT_MAIN "$scratch/one.c" -lm -o "$scratch/one.bin"
    check "filters" sh -c "'$scratch/one.bin' <'$scratch/rows' >'$scratch/c'"
    check "and has them too" python3 -c "$near" "$scratch/c" "$scratch/scores"
else
    skip "the circuit read anew" "no python3"
fi

# ---- the same bits after a stop ----

check "whole" train whole $small --steps 12 --threads 2
check "half" train part $small --steps 5 --threads 1
check "half differs" differ whole part
check "resumed" train part --steps 12 --resume --threads 3
check "has the same bits" same whole part
check "and the same circuit" cmp "$scratch/whole/circuit.json" "$scratch/part/circuit.json"
check "another seed" train seed $small --seed 8 --steps 12
check "is another network" sh -c "! cmp -s '$scratch/whole/circuit.json' '$scratch/seed/circuit.json'"
check "averages" ends 0 "$weft" train digits --run "$scratch/average" $small --steps 40 --average 0.8 --json -q
accuracy=$(field "$scratch/out" test_accuracy)
check "are judged" ends 0 "$weft" eval "$scratch/average" --json
check "as such" [ "$(field "$scratch/out" test_accuracy)" = "$accuracy" ]
check "Ctrl-C" interrupted ctrl digits --model logic $small --epochs 1000
check "leaves no verdict" grep -q 'interrupted after step .*use --resume to continue' "$scratch/ctrl.out"

# ---- what is refused ----

check "classes of different sizes" refuses 1 '\-\-hidden 305: .* a multiple of 10' "$weft" train digits --model logic --hidden 305 --run "$scratch/no" -q
cp -r "$scratch/whole" "$scratch/tiny"
sed -i.old 's/"rows": 28, "columns": 28/"rows": 9, "columns": 9/' "$scratch/tiny/config.json"
check "pictures that are all rim" refuses 4 'model: not one of weft train digits' "$weft" eval "$scratch/tiny" --raw
finish
