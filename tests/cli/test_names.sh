#!/bin/sh
# test_names.sh - names, words and texts that a terminal would obey, in every place of every file that
# a command reads, and among its arguments: nothing of them may be printed as it is.
. tests/cli.sh
have python3 || { skip "hostile names" "no python3 to make the files"; finish; }
small_sets
cd "$scratch" || exit 1
weft=$(cd "$OLDPWD" && readlink -f "$weft") data=$(cd "$OLDPWD" && readlink -f data)
WEFT_DATA=$data

python3 - "$data" <<'P'
import json, os, shutil, struct, sys
names = ["\x1b[2J\x1b]0;pwned\x07", "\u009b31mred", "\u202etxt.exe", "\u2028 line", "a\rb\x08\x7f"]
raw = [n.encode() for n in names] + [b"\x9b31m\xff\xfe", b"\xc3("]
def safetensors(path, header, values):
    h = json.dumps(header, ensure_ascii=False).encode()
    open(path, "wb").write(struct.pack("<Q", len(h)) + h + values)
one = lambda dtype="F32", shape=[1], end=4: {"dtype": dtype, "shape": shape, "data_offsets": [0, end]}
for i, n in enumerate(names):
    d = f"s{i}"
    os.makedirs(d)
    safetensors(f"{d}/name.safetensors", {n: one()}, b"\0" * 4)
    safetensors(f"{d}/twice.safetensors", {n: one(), "b" + n: one()}, b"\0" * 4)
    safetensors(f"{d}/type.safetensors", {"x": one(n)}, b"\0" * 4)
    safetensors(f"{d}/shape.safetensors", {"x" + n: one(shape=[5])}, b"\0" * 4)
    safetensors(f"{d}/key.safetensors", {"__metadata__": {"a" + n: n}, "x": one()}, b"\0" * 4)
    safetensors(f"{d}/point.safetensors", {"__metadata__": {"weft.checkpoint": n}, "x": one()}, b"\0" * 4)
    json.dump({"weight_map": {n: n + ".safetensors"}}, open(f"{d}/a.safetensors.index.json", "w"), ensure_ascii=False)
    json.dump({"inputs": 1, "name": n, "gates": [n], "outputs": [n]}, open(f"{d}/circuit.json", "w"))
    for k, config in enumerate([
            {"command": n}, {"command": "train csv", "options": {n: "1"}},
            {"command": "train csv", "options": {"hidden": n}},
            {"command": "train digits", "options": {"model": "mlp"}, "model": {"network": n}}]):
        os.makedirs(f"{d}/run{k}/checkpoints")
        json.dump(config, open(f"{d}/run{k}/config.json", "w"), ensure_ascii=bool(k % 2))
        safetensors(f"{d}/run{k}/checkpoints/latest.safetensors", {"x" + n: one()}, b"\0" * 4)
        json.dump({"schema": 1, "state": n, "text": n, "host": n}, open(f"{d}/run{k}/status.json", "w"))
        open(f"{d}/run{k}/metrics.jsonl", "w").write(
            "".join(json.dumps({"step": s, "wall": 1, "time": s, "train/loss": 1, n: s}) + "\n" for s in (1, 2, 3)))
    header = json.dumps({"descr": "<f4", "fortran_order": False, "shape": (1,)}).replace("<f4", n)
    h = header.encode()
    open(f"{d}/a.npy", "wb").write(b"\x93NUMPY\1\0" + struct.pack("<H", len(h)) + h)
for i, n in enumerate(raw):
    d = f"r{i}"
    os.makedirs(d)
    open(f"{d}/head.csv", "wb").write(b"a," + n + b"\n" + b"1,2\n" * 20)
    open(f"{d}/cell.csv", "wb").write(b"a,b\n1,2\n" + n + b",3\n2,\n")
    open(f"{d}/class.csv", "wb").write(b"a,b\n" + b"".join(b"%d,%s%d\n" % (k, n.replace(b"\r", b""), k % 2) for k in range(60)))
    open(f"{d}/keep.csv", "wb").write(b"t,v\n" + b"".join(n.replace(b"\r", b"") + b",%d\n" % k for k in range(40)))
    open(f"{d}/rows.jsonl", "wb").write(b'{"v": 1, "t": "' + n + b'"}\n{"v": "' + n + b'"}\n')
    open(f"{d}/life.rle", "wb").write(b"x = 3, y = 3, rule = " + n + b"\n3o!\n")
    open(f"{d}/life.cells", "wb").write(b"OO\n" + n + b"\n")
    open(f"{d}/base", "wb").write(b'{"weft_baseline": 1, "cpu": "' + n + b'"}\n' + n + b"\n")
    open(f"{d}/any", "wb").write(n * 20)
P

# What a terminal would obey, by another list than the library's. Rows that detect passes on may be of
# another encoding when no terminal reads them.
cat >raw.py <<'P'
import os, sys, unicodedata
bad = 0
for path in sorted(os.listdir("said")):
    lines = open("said/" + path, "rb").read().split(b"\n", 1)
    data = lines[0].startswith(b"detect") and b"--json" not in lines[0]
    try: text = lines[1].decode(errors="replace" if data and path.endswith("out") else "strict")
    except UnicodeDecodeError as e: text = "\x1b: %r" % e
    for c in text:
        if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c != "\u200d":
            print("%r has %r: %r" % (lines[0], c, text[:300]))
            bad = 1
            break
sys.exit(bad)
P
mkdir said
runs=0
clean() { # command...: whatever its status, no crash; what it says is kept, with the command before it
    runs=$((runs + 1))
    for to in out err; do printf '%s\n' "$(printf '%s' "$*" | tr '\n' ' ')" >said/$runs.$to; done
    timeout 60 "$weft" "$@" >>said/$runs.out 2>>said/$runs.err </dev/null
    got=$?
    [ $got -lt 128 ] || { echo "status $got"; cat said/$runs.err; return 1; }
    [ "$(cat said/$runs.* | wc -l)" -gt 2 ] || { echo "says nothing"; return 1; }
}
for d in s?; do
    for f in $d/*.safetensors $d/*.index.json $d/a.npy $d/circuit.json; do
        check "inspect $f" clean inspect "$f" --stats
        check "inspect $f as JSON" clean inspect "$f" --json
        check "verify $f" clean inspect "$f" --verify --hash
        check "convert $f" clean convert "$f" "$d/to.npz"
    done
    for run in $d/run?; do
        check "eval $run" clean eval "$run"
        check "export $run" clean export --c "$run" -o "$d/out.c"
        check "inspect $run" clean inspect "$run"
        check "top $run" clean top "$run" --once
        check "top $run as JSON" clean top "$run" --once --json
        check "resume $run" clean train csv --run "$run" --resume
        check "play $run" clean play cube "$run"
    done
    check "a circuit of $d" clean play life "$d/circuit.json"
done
for d in r?; do
    for f in $d/*.csv; do
        check "train $f" clean train csv "$f" --run "$d/run" --overwrite --steps 2 --batch 4
        check "as numbers $f" clean train csv "$f" --run "$d/run" --overwrite --label 1 --task numbers
        check "eval on $f" clean eval "$d/run" "$f"
        check "detect $f" clean detect "$f"
        check "detect a column of $f" clean detect -c 2 -k 1 "$f"
        check "going on with $f" clean detect --keep-going "$f"
        check "as JSON $f" clean detect --json -c 2 -k 1 "$f"
    done
    check "rows of $d" clean detect --keep-going -c v -k t "$d/rows.jsonl"
    check "a pattern of $d" clean play life --pattern "$d/life.rle"
    check "a plain pattern of $d" clean play life --pattern "$d/life.cells"
    check "a baseline of $d" clean bench --baseline "$d/base" gemm
    check "a snapshot of $d" clean detect --restore "$d/any" "$d/keep.csv"
    check "anything of $d" clean inspect "$d/any"
done

# Arguments, among them paths of files that are not there.
esc=$(printf '\033[31m') c1=$(printf '\302\233') rtl=$(printf '\342\200\256') bad=$(printf '\377')
for n in "$esc" "$c1" "$rtl" "$bad"; do
    for words in "" "--option" "inspect" "convert a" "eval" "export --c" "train" "train digits --model" \
        "train digits --data" "train csv" "train digits --steps" "detect" "detect -d" "play" "play cube" \
        "play life --pattern" "bench" "bench --baseline" "data" "data get" "data path" "top" "help" \
        "train csv $data/flowers.csv --label" "train csv $data/flowers.csv --skip"; do
        check "weft $words NAME" clean $words "x$n"
    done
done
WEFT_DATA=x$esc
check "a word of the environment" clean doctor
check "another" clean data
WEFT_DATA=$data
check "nothing raw" python3 raw.py
check "that is looked at" sh -c "[ \"\$(ls said | wc -l)\" -gt 400 ]"

# At a terminal bytes of no character are shown by their numbers too.
at_terminal() {
    python3 - "$weft" <<'P'
import os, pty, sys
text = b""
def read(fd):
    global text
    text += os.read(fd, 1 << 16)
    return b" "
pty.spawn([sys.argv[1], "detect", "-c", "2", "-k", "1", "r5/keep.csv"], read)
sys.exit(b"\x9b" in text or b"\\x9b31m" not in text)
P
}
check "rows at a terminal" at_terminal </dev/null

# A printf of a text would be a way around: those that print no text but their own are known.
around() {
    cd "$OLDPWD" && ! grep -nE '\b(f?printf)\(' cli/*.c apps/*/*.c | grep -v 'snprintf' | grep -E '%[-0-9.*]*s' |
        grep -vE '^cli/(bench_html|completion|help|manual|options|bench|detect_write|main|profile|bench_line|inspect)\.c' |
        grep -vE '^apps/(2048/show|cube/(show|play)|automata/(cells|play|player)|supervised/(study_show|demo))\.c' |
        grep .
}
check "texts are told" around
finish
