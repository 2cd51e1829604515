#!/bin/sh
# test_play_life.sh - weft play life and other automata: what a run leaves of its circuit, boards that a
# Life written apart from all this agrees with, patterns by name and from files, a person at a
# terminal, and what is refused.
. tests/cli.sh
case $weft in /*) ;; *) weft=$PWD/$weft ;; esac
play() { "$weft" play life "$scratch/life" "$@"; }

# ---- a run leaves its circuit and pictures ----

check "life is learned" ends 0 "$weft" train life --run "$scratch/life" --seed 100 --quiet --json
gates=$(field "$scratch/out" gates)
for file in circuit.json circuit.c circuit.v circuit.blif circuit.svg automaton.gif; do
    check "it leaves $file" test -s "$scratch/life/$file"
done
check "the film is a GIF" sh -c "[ \$(head -c 6 '$scratch/life/automaton.gif') = GIF89a ]"
check "the circuit is C" "$cc" -std=c99 -Wall -Werror -c "$scratch/life/circuit.c" -o "$scratch/circuit.o"
check "named after its task" grep -q 'void life(' "$scratch/life/circuit.c"
for type in gif svg+xml; do
    check "the report shows $type" grep -q "src=\"data:image/$type;base64," "$scratch/life/report.html"
done

# ---- games, and a Life of another hand ----

check "a glider" ends 0 "$weft" play life "$scratch/life" --pattern glider --size 20x10 --steps 40 --json
check "its answer is JSON" is_json "$scratch/out"
check "with its fields" has "$scratch/out" schema run task gates seed width height generation population \
    exact wrong seconds board
check "five cells" [ "$(field "$scratch/out" population)" = 5 ]
check "match the rule" [ "$(field "$scratch/out" exact)" = true ]
check "by the gates of the run" [ "$(field "$scratch/out" gates)" = "$gates" ]
check "40 generations are ten cells further" sh -c "'$weft' play life '$scratch/life' --pattern glider \
    --size 10x10 --steps 40 --json | sed 's/.*\"board\"//' >'$scratch/a' && '$weft' play life '$scratch/life' \
    --pattern glider --size 10x10 --steps 80 --json | sed 's/.*\"board\"//' | cmp - '$scratch/a'"

# Sets of living cells; only the starts are shared, as text.
cat >"$scratch/life.py" <<'END'
import json, re, subprocess, sys
weft, run, folder = sys.argv[1:]
starts = {"glider": ".O.\n..O\nOOO", "r-pentomino": ".OO\nOO.\n.O.", "acorn": ".O\n...O\nOO..OOO"}
def life(alive, w, h):
    around = {}
    for x, y in alive:
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                if dx or dy:
                    cell = (x + dx) % w, (y + dy) % h
                    around[cell] = around.get(cell, 0) + 1
    return {c for c, n in around.items() if n == 3 or n == 2 and c in alive}
def cells(rle):
    head, body = rle.split("\n", 1)
    assert re.fullmatch(r"x = \d+, y = \d+", head), head
    x = y = 0
    alive = set()
    for n, letter in re.findall(r"(\d*)([bo$!])", body.replace("\n", "")):
        n = int(n or 1)
        if letter == "!": return alive
        if letter == "$": x, y = 0, y + n
        else:
            if letter == "o": alive |= {(x + i, y) for i in range(n)}
            x += n
    raise AssertionError("no end")
def play(*words):
    return json.loads(subprocess.check_output([weft, "play", "life", run, "--json", *words]))
for name, text in starts.items():
    rows = text.split("\n")
    wide, high = max(map(len, rows)), len(rows)
    file = folder + "/" + name + ".cells"
    open(file, "w").write("!Name: " + name + "\r\n" + text.replace("\n", "\r\n"))
    for size, steps in ((40, 30), 70), ((64, 48), 300), ((wide, high), 9):
        w, h = size
        alive = {((w - wide) // 2 + x, (h - high) // 2 + y)
                 for y, row in enumerate(rows) for x, c in enumerate(row) if c == "O"}
        for _ in range(steps): alive = life(alive, w, h)
        for pattern in (file,) if name == "acorn" else (file, name):
            got = play("--pattern", pattern, "--size", "%dx%d" % size, "--steps", str(steps))
            assert got["exact"] and got["generation"] == steps, got
            assert cells(got["board"]) == alive and got["population"] == len(alive), (name, size)
# A board that was told is where another game may begin.
whole = play("--seed", "5", "--size", "50x33", "--steps", "60")
open(folder + "/half.rle", "w").write(play("--seed", "5", "--size", "50x33", "--steps", "25")["board"])
rest = play("--pattern", folder + "/half.rle", "--size", "50x33", "--steps", "35")
assert rest["board"] == whole["board"] and whole["population"] > 20
assert play("--seed", "6", "--size", "50x33", "--steps", "60")["board"] != whole["board"]
# The gun of Gosper has fired twice.
gun = play("--pattern", "gun", "--size", "100x80", "--steps", "60")
assert gun["population"] == 36 + 2 * 5, gun["population"]
END
if have python3; then check "another Life agrees" python3 "$scratch/life.py" "$weft" "$scratch/life" "$scratch"
else skip "another Life" "no python3"; fi

check "as plain text" prints '^Generation 4 on 6 x 5 cells: 5 alive, all match the rule\.$' \
    play --pattern glider --size 6x5 --steps 4
check "a row of its board" grep -q '^[.O]\{6\}$' "$scratch/out"
check "which begins another game" sh -c "grep '^[.O]*\$' '$scratch/out' >'$scratch/next.cells'"
check "in the same place" prints '^Generation 1 on 6 x 5 cells: 5 alive' play --pattern "$scratch/next.cells" --steps 1 --size 6x5
check "a hundred generations unless told" prints '^Generation 100 on 64 x 48 cells' play
check "large boards" prints '^Generation 3 on 1000 x 300 cells' play --size 1000x300 --steps 3
check "a board of one cell" prints '^Generation 2 on 1 x 1 cells' play --size 1x1 --steps 2
printf '#C a block\nx = 70, y = 2, rule = B3/S23:T70,2\n 2o$\n#C between\n2o!\nand more' >"$scratch/wide.rle"
check "a board as wide as its pattern" prints 'on 70 x 48 cells: 4 alive' play --pattern "$scratch/wide.rle"
check "the newest run is found" sh -c "mkdir -p '$scratch/here/runs' && cp -r '$scratch/life' '$scratch/here/runs/mine' &&
    cd '$scratch/here' && '$weft' play life --steps 1 --json | grep -q '\"run\": \"runs/mine\"'"

# ---- circuits that are not right ----

cp -r "$scratch/life" "$scratch/wrong"
printf '%s' '{"format": "weft circuit", "version": 1, "name": "x", "inputs": 9, "outputs": [4], "gates": []}' \
    >"$scratch/wrong/circuit.json"
check "cells that stay are no Life" ends 1 "$weft" play life "$scratch/wrong" --pattern glider --steps 1 --json
check "it is told" [ "$(field "$scratch/out" exact)" = false ]
check "how many" [ "$(field "$scratch/out" wrong)" = 4 ]
printf '%s' '{"format": "weft circuit", "version": 1, "name": "x", "inputs": 8, "outputs": [4], "gates": []}' \
    >"$scratch/wrong/circuit.json"
check "another shape" refuses 4 'circuit.json: a circuit of 8 inputs' "$weft" play life "$scratch/wrong"
printf '{' >"$scratch/wrong/circuit.json"
check "no circuit" refuses 4 'circuit.json' "$weft" play life "$scratch/wrong"
rm "$scratch/wrong/circuit.json"
check "a run without one" refuses 1 'resume continues it' "$weft" play life "$scratch/wrong"

# ---- other automata ----

check "a short training" ends 0 "$weft" train checkerboard --run "$scratch/board" --steps 3 --quiet
check "not right, of course" ends 1 "$weft" play checkerboard "$scratch/board" --json
check "and says so" [ "$(field "$scratch/out" exact)" = false ]
check "on the board it knows" [ "$(field "$scratch/out" width)x$(field "$scratch/out" generation)" = 16x20 ]
check "by chance" ends 0 "$weft" train checkerboard --async --run "$scratch/async" --steps 2 --quiet
check "is played so" ends 1 "$weft" play checkerboard "$scratch/async" --json
check "by its name" [ "$(field "$scratch/out" task)" = checkerboard-async ]
check "in colours" ends 0 "$weft" train g --run "$scratch/g" --steps 1 --quiet
check "a film of them" sh -c "[ \$(head -c 6 '$scratch/g/automaton.gif') = GIF89a ]"
check "is played too" ends 1 "$weft" play g "$scratch/g" --json
check "for as long as it learns" [ "$(field "$scratch/out" width)x$(field "$scratch/out" generation)" = 16x15 ]
check "no pattern for it" usage_error 'pattern' "$weft" play checkerboard "$scratch/board" --pattern glider
check "life is no checkerboard" refuses 4 'not of checkerboard' "$weft" play checkerboard "$scratch/life"

# ---- a person ----

cat >"$scratch/person.py" <<'END'
import sys
from terminal import Terminal
def plays(words, keys, lines=24, locale="C.UTF-8"):
    t = Terminal([sys.argv[1], "play", "life", sys.argv[2]] + words, lines=lines, locale=locale)
    for answer, key in keys:
        t.until(answer)
        t.type(key)
    t.until(rb"Generation \d+ on \d+ x \d+ cells")
    return t.end()
half = "\u2580".encode()
assert plays([], [(rb"Generation [3-9], \d+ alive", b" "), (rb"paused", b"s"), (rb"paused", b"s"),
                  (rb"q quits", b" "), (rb"a second", b"+"), (rb"Generation", b"q")]) == 0
assert plays(["--pattern", "glider"], [(rb"Generation 2, 5 alive", b"\x03")]) == 130
assert plays(["--pattern", "glider", "--steps", "5", "--delay", "0"], [(half + rb"(?s:.)*q quits", b"")]) == 0
assert plays(["--pattern", "gun", "--size", "100x60", "--steps", "3"], [(rb"\xe2\xa0(?s:.)*q quits", b"")]) == 0
assert plays(["--size", "500x300", "--steps", "2"], [(rb"196 x 76 cells shown", b"")]) == 0
assert plays(["--pattern", "glider", "--steps", "3"], [(rb"\|\s+O\s+\|", b"")], locale="C") == 0
END
if have python3; then check "a person watches, pauses, steps and leaves" person "$scratch/person.py" "$weft" "$scratch/life"
else skip "a person" "no python3"; fi

# ---- what is refused ----

check "no run at all" refuses 1 'no run of life under runs/; weft train life creates one' \
    sh -c "mkdir '$scratch/empty' && cd '$scratch/empty' && '$weft' play life"
check "a run that is not there" refuses 1 'nothing: No such file' "$weft" play life "$scratch/nothing"
check "a folder that is no run" refuses 1 'config.json' "$weft" play life "$scratch/empty"
for size in 0x5 5x0 5 x5 5x5x 5y5 -1x5 5000x5 3000x3000 999999x2; do
    check "--size $size" usage_error 'WIDTHxHEIGHT' play --size=$size
done
check "too small a board" refuses 1 'the pattern is 36 x 9 cells' play --pattern gun --size 30x30
check "no such pattern" refuses 1 'glidder.*built-in patterns: random glider r-pentomino gun' play --pattern glidder
check "a folder" refuses 1 'life' play --pattern "$scratch/life"
malformed() { # what it says, the file
    printf "$2" >"$scratch/bad.life"
    refuses 4 "bad.life: $1" play --pattern "$scratch/bad.life"
}
check "empty" malformed 'no cells' ''
check "nothing but comments" malformed 'no cells' '!Name\n! more\n\n'
check "no cell" malformed 'line 2, column 3: not a cell' '.O.\nOOx\n'
check "a binary file" malformed 'line 1, column 1: not a cell' '\001\002\000'
check "no height" malformed 'line 1, column 1: "x = WIDTH' 'x = 3\nbo!'
check "no width" malformed 'line 2, column 1: "x = WIDTH' '#C hello\nx = , y = 3\nbo!'
check "no cells" malformed 'no cells' 'x = 0, y = 3\n!'
check "too many cells" malformed '4097 x 1 cells; at most' 'x = 4097, y = 1\n!'
check "far too many" malformed '9999999 x 9999999 cells; at most' 'x = 99999999999999999999999, y = 99999999999999\n!'
check "another rule" malformed 'line 1, column 22: another rule' 'x = 3, y = 3, rule = B36/S23\n3o!'
check "no rule at all" malformed 'line 1, column 13: ", rule' 'x = 3, y = 3, more\n3o!'
check "a letter" malformed 'line 2, column 3: b, o, \$' 'x = 3, y = 3\nboz!'
check "too wide" malformed 'line 2, column 2: more cells' 'x = 3, y = 3\nb3o!'
check "too high" malformed 'line 2, column 4: more cells' 'x = 3, y = 3\no3$o!'
check "a run without end" malformed 'line 2, column 1: more cells' 'x = 3, y = 3\n99999999999999999999o!'
check "a number alone" malformed 'line 2, column 3: a number' 'x = 3, y = 3\nbo12\n!'
check "no end" malformed 'line 2: the end is missing' 'x = 3, y = 3\nbo$'
finish
