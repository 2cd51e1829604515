#!/bin/sh
# test_profile_cli.sh - weft train --profile and --profile-summary: the trace, the tables, kernels.json, and that the
# run is the same run.
. tests/cli.sh
small_sets

check "a profiled run" train one --model mlp --steps 50 --seed 1 --profile "$scratch/t.json"
check "the same without" train two --model mlp --steps 50 --seed 1
check "has the same bits" same one two
check "the options do not become part of the run" sh -c "! grep -q profile '$scratch/one/config.json'"

if have python3; then
    cat >"$scratch/look.py" <<'EOF'
import json, sys
trace = json.load(open(sys.argv[1], encoding="utf-8"))
slices = [e for e in trace["traceEvents"] if e["ph"] == "X"]
assert len(slices) > 100 and all(e["dur"] > 0 and e["ts"] >= 0 for e in slices)
lanes = {}
for e in slices: lanes.setdefault((e["pid"], e["tid"]), []).append(e)
names = {(e["pid"], e["tid"]) for e in trace["traceEvents"] if e["ph"] == "M" and e["name"] == "thread_name"}
assert names == set(lanes), names
for lane in lanes.values():
    open_ends = []
    for e in sorted(lane, key=lambda e: (e["ts"], -e["dur"])):
        end = e["ts"] + e["dur"]
        while open_ends and open_ends[-1] <= e["ts"] + 1e-4: open_ends.pop()
        assert not open_ends or end <= open_ends[-1] + 1e-4, e
        open_ends.append(end)
kernels = [e for e in slices if e["cat"] == "kernel"]
assert kernels and all({"scope", "shape", "flop", "bytes", "GB/s"} <= set(e["args"]) for e in kernels)
assert {e["args"]["scope"] for e in kernels} >= {"fc1", "fc2"}
phases = {e["name"] for e in slices if e["cat"] == "phase"}
assert phases >= {"compile", "fuse", "prepare", "feed", "set", "evaluate", "checkpoint"}, phases
assert {e["name"] for e in trace["traceEvents"] if e["ph"] == "C"} >= {"allocations", "arenas"}
assert {p["name"] for p in trace["metadata"]["plans"]} >= {"train", "evaluate"}
EOF
    check "the trace is what it should be" python3 "$scratch/look.py" "$scratch/t.json"
    cat >"$scratch/kernels.py" <<'EOF'
import json, sys
k = json.load(open(sys.argv[1], encoding="utf-8"))
assert k["schema"] == 1 and k["runs"] > 0 and k["step_us"] > 0 and k["arena_bytes"] > 0
assert 0 < len(k["kernels"]) <= 64 and k["scopes"] and k["arena"]["tensors"]
assert sum(r["share"] for r in k["kernels"]) <= 1.001
assert [r["us"] for r in k["kernels"]] == sorted((r["us"] for r in k["kernels"]), reverse=True)
roof = [r["of_roof"] for r in k["kernels"]]
assert all(r is None for r in roof) if sys.argv[2] == "plain" else k["runs"] == int(sys.argv[3])
EOF
    check "kernels.json of a profiled run" python3 "$scratch/kernels.py" "$scratch/one/kernels.json" full 50
    check "and of any other" python3 "$scratch/kernels.py" "$scratch/two/kernels.json" plain
else
    skip "the trace" "no python3"
fi

check "summary" prints 'us a call  share  GFLOP/s    GB/s   roof' "$weft" train digits --model mlp --steps 30 --quiet \
    --profile-summary --run "$scratch/three"
cp "$scratch/out" "$scratch/summary"
check "by kernel" grep -q '^matmul.* fc1 .*\[128,784\] x \[784,256\] .*%' "$scratch/summary"
check "by scope" grep -q '^fc1  *[0-9]' "$scratch/summary"
check "the arena" grep -q 'of it in use at step' "$scratch/summary"
check "its tensors" grep -q 'input \[128,784\]' "$scratch/summary"
check "allocations" grep -q 'allocations of .*, 0 of them in runs' "$scratch/summary"
check "not among the JSON" ends 0 "$weft" train digits --model mlp --steps 3 --quiet --json --profile-summary --run "$scratch/four"
check "which stays JSON" is_json "$scratch/out"
check "but on stderr" grep -q 'us a call' "$scratch/err"

check "a folder that is not there" refuses 1 "no/t.json: the folder .*no: No such file" \
    "$weft" train digits --steps 3 --profile "$scratch/no/t.json" --run "$scratch/five"
check "no run was begun" [ ! -e "$scratch/five" ]
check "a folder" refuses 1 'not a regular file' \
    "$weft" train digits --steps 3 --profile "$scratch" --run "$scratch/five"
check "an empty path" usage_error 'profile' "$weft" train digits --steps 3 --profile= --run "$scratch/five"

check "a loop of its own" ends 0 "$weft" train cube --steps 40 --batch 64 --hidden 32 --judge none --quiet \
    --run "$scratch/cube" --profile "$scratch/c.json"
if have python3; then
    check "has one too" python3 "$scratch/kernels.py" "$scratch/cube/kernels.json" full 40
    check "and a trace" python3 -c "import json; assert len(json.load(open('$scratch/c.json'))['traceEvents']) > 100"
fi

# A run that is stopped and goes on has the bits of one that was not, profiled or not.
check "half of it, profiled" train half --model mlp --steps 25 --seed 1 --profile "$scratch/t.json"
check "the rest" train half --model mlp --steps 50 --resume
check "the same bits" same half two
finish
