#!/bin/sh
# test_2048_program.sh - weft train 2048 and weft play 2048: what a run leaves and says, going on
# after a stop, games of a run against a slow player of its own, people at a terminal, and what is
# refused.
. tests/cli.sh
learn=${WEFT_TEST_LEARN:-}

train() { # run options...
    run=$scratch/$1
    shift
    "$weft" train 2048 --run "$run" --quiet "$@"
}
play() { "$weft" play 2048 "$@"; }
equal() { [ -n "$1" ] && [ "$1" = "$2" ]; }

# ---- a run and what it leaves ----

rates="rate_512 rate_1024 rate_2048 rate_4096 rate_8192 rate_16384 rate_32768"
check "dqn" ends 0 "$weft" train 2048 --run "$scratch/dqn" --steps 150 --games 40 --seed 5 --json
cp "$scratch/out" "$scratch/dqn.json"
check "its answer is JSON" is_json "$scratch/dqn.json"
check "with its fields" has "$scratch/dqn.json" schema run algo steps train_seconds games \
    mean_score median_score best_score worst_score moves max_tile $rates
check "of forty games" test "$(field "$scratch/dqn.json" games)" = 40
check "after 150 steps" test "$(field "$scratch/dqn.json" steps)" = 150
# Random play has 1096 points; after some hundred updates it is far beyond that.
check "it has learned" awk -v m="$(field "$scratch/dqn.json" mean_score)" 'BEGIN { exit !(m > 2500) }'
check "plain progress on stderr" grep -q 'eval/mean_score' "$scratch/err"
for file in config.json metrics.jsonl report.html checkpoints/latest.safetensors; do
    check "it leaves $file" test -s "$scratch/dqn/$file"
done
check "curves of what it scores" grep -q '"eval/rate_2048"' "$scratch/dqn/metrics.jsonl"
check "a report with boards" grep -q 'points, ' "$scratch/dqn/report.html"
check "a person reads it" prints 'Mean score' "$weft" train 2048 --run "$scratch/told" --steps 2 --games 3

# ---- the same bits after a stop, on any number of threads ----

check "a whole run" train whole --steps 60 --games 1 --seed 7 --threads 2
check "half of it" train part --steps 44 --games 1 --seed 7 --threads 1
check "differs before its end" differ whole part
check "resumed" train part --steps 60 --games 2 --resume --threads 2
check "has the same bits" same whole part
check "another seed" train seed --steps 60 --games 1 --seed 8
check "is another run" differ whole seed
check "another plan" train plan --steps 60 --games 1 --seed 7 --plan 50
check "is another run too" differ whole plan
check "and stays" refuses 1 'was started with 50' train plan --resume --plan 60 --steps 70

check "Ctrl-C ends with 130" interrupted ctrl 2048 --seconds 100 --seed 7
check "it says how to go on" grep -q -e 'use --resume to continue' "$scratch/ctrl.out"
check "by seconds" ends 0 "$weft" train 2048 --run "$scratch/timed" --seconds 0.5 --games 2 --json
check "they are kept" awk -v t="$(field "$scratch/out" train_seconds)" 'BEGIN { exit !(t >= 0.5 && t < 1.5) }'

# ---- games ----

# The games of the verdict, once all at the same time and once one after the other.
one_by_one() {
    total=0
    for k in 0 1 2 3 4 5 6 7; do
        play "$scratch/dqn" --seed $k --json >"$scratch/game" || return 1
        total=$((total + $(field "$scratch/game" score)))
    done
    play "$scratch/dqn" --games 8 --json >"$scratch/games" || return 1
    awk -v a=$total -v b="$(field "$scratch/games" mean_score)" 'BEGIN { exit !(a > 0 && a == 8 * b) }'
}
check "many at once are the same games" one_by_one
check "all of the verdict" ends 0 "$weft" play 2048 "$scratch/dqn" --games 40 --json --threads 1
check "are those of the training" equal "$(field "$scratch/out" mean_score)" \
    "$(field "$scratch/dqn.json" mean_score)"
check "their best too" equal "$(field "$scratch/out" best_score)" "$(field "$scratch/dqn.json" best_score)"
check "as a table" prints 'Mean score' "$weft" play 2048 "$scratch/dqn" --games 3
check "one game" prints 'Over after .* moves: .* points' "$weft" play 2048 "$scratch/dqn" --seed 3
check "the same again" equal "$(play "$scratch/dqn" --seed 3)" "$(play "$scratch/dqn" --seed 3)"
check "its board has colours when asked for" prints '48;5;' "$weft" play 2048 "$scratch/dqn" --seed 3 --color always
near_end="2 4 8 16 32 64 128 256 2 4 8 16 32 64 128 128"
check "from a given board" ends 0 "$weft" play 2048 "$scratch/dqn" --board "$near_end" --seed 1 --json
check "JSON" is_json "$scratch/out"
check "its fields" has "$scratch/out" schema run algo seed score moves max_tile actions board
check "it begins with what is possible" sh -c "grep -q '\"actions\": \"[LR]' '$scratch/out'"
check "from a board that is over" prints 'Over after 0 moves: 0 points, largest tile 256' \
    "$weft" play 2048 "$scratch/dqn" --board "2 4 8 16 32 64 128 256 2 4 8 16 32 64 128 256"

# A player that shares nothing with Weft but the checkpoint and the generator's definition: lists of
# tiles, merged by hand, and a value by asking for every shape on every side of the board. Where two
# moves are worth the same to rounding, either will do. It looks at every fourth move.
cat >"$scratch/slow.py" <<'END'
import array, json, struct, sys
checkpoint, game = sys.argv[1:]
with open(checkpoint, "rb") as f:
    header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
    start = f.tell()
    begin, end = header["dqn.table"]["data_offsets"]
    f.seek(start + begin)
    table = array.array("f", f.read(end - begin))
game = json.loads(open(game).read())
M = 2**64 - 1
def mixed(x):
    x = (x + 0x9E3779B97F4A7C15) & M
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & M
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & M
    return x ^ x >> 31
class Chance: # xoroshiro128++
    def __init__(self, seed, stream):
        self.a = mixed(seed)
        self.b = mixed((mixed(stream) + self.a) & M)
        self.draw()
    def draw(self):
        turned = lambda x, by: (x << by | x >> 64 - by) & M
        a, m = self.a, self.a ^ self.b
        result = (turned((self.a + self.b) & M, 17) + a) & M
        self.a, self.b = turned(a, 49) ^ m ^ (m << 21 & M), turned(m, 28)
        return result
chance = Chance(0x2048204820482048, game["seed"])
four = lambda draw: 2 if (draw & 0xFFFFFFFF) * 10 >> 32 == 0 else 1
def spawn(b):
    empty = [i for i in range(16) if b[i] == 0]
    while True:
        draw = chance.draw()
        m = (draw >> 32) * len(empty)
        if m & 0xFFFFFFFF >= 2**32 % len(empty): break
    b[empty[m >> 32]] = four(draw)
def slide(line):
    line, out, points = [x for x in line if x], [], 0
    while line:
        x = line.pop(0)
        if line and line[0] == x and x < 15:
            x = line.pop(0) + 1
            points += 2**x
        out.append(x)
    return out + [0] * (4 - len(out)), points
def move(b, action):
    b, points = list(b), 0
    for i in range(4):
        cells = [4 * k + i for k in range(4)] if action in "UD" else [4 * i + k for k in range(4)]
        if action in "DR": cells.reverse()
        line, p = slide([b[c] for c in cells])
        points += p
        for c, x in zip(cells, line): b[c] = x
    return b, points
def sides(b): # all eight, as lists of cells
    for flip in (0, 1):
        for turn in range(4):
            cells = [(r, c) for r in range(4) for c in range(4)]
            for _ in range(turn): cells = [(c, 3 - r) for r, c in cells]
            if flip: cells = [(r, 3 - c) for r, c in cells]
            yield [4 * r + c for r, c in cells]
shapes = [([0, 1, 2, 3, 4, 5], 18), ([4, 5, 6, 7, 8, 9], 18), ([0, 1, 2, 4, 5, 6], 18),
          ([4, 5, 6, 8, 9, 10], 18), ([0, 1, 2, 3], 16), ([4, 5, 6, 7], 16), ([0, 1, 4, 5], 16),
          ([1, 2, 5, 6], 16)]
def value(b):
    total, first = 0.0, 0
    for cells, bits in shapes:
        places = {} # of the same cells the least reading counts
        for side in sides(b):
            at = [side[c] for c in cells]
            number = sum(b[c] << 4 * k for k, c in enumerate(at))
            key = frozenset(at)
            places[key] = min(places.get(key, number), number)
        for t in places.values():
            total += table[first + (t if bits == 16 else (t * 2654435761 & 0xFFFFFFFF) >> 32 - bits)]
        first += 1 << bits
    return total
draw = chance.draw()
board, score = [0] * 16, 0
board[draw >> 60] = four(draw)
spawn(board)
for number, action in enumerate(game["actions"]):
    worth = {}
    for a in "UDLR" if number % 4 == 0 else "":
        after, points = move(board, a)
        if after != board: worth[a] = points / 1024 + value(after)
    assert not worth or worth[action] > max(worth.values()) - 1e-4, (number, action, worth)
    assert move(board, action)[0] != board, number
    board, points = move(board, action)
    spawn(board)
    score += points
assert all(move(board, a)[0] == board for a in "UDLR"), "not over"
assert score == game["score"] and len(game["actions"]) == game["moves"] > 50, score
assert [2**x if x else 0 for x in board] == game["board"], board
END
if have python3; then
    check "a game" sh -c "'$weft' play 2048 '$scratch/dqn' --seed 11 --json >'$scratch/game11'"
    check "as a slow player sees it" python3 "$scratch/slow.py" \
        "$scratch/dqn/checkpoints/latest.safetensors" "$scratch/game11"
else skip "a slow player" "no python3"; fi

# ---- a person ----

cat >"$scratch/person.py" <<'END'
import signal, sys
from terminal import Terminal
def plays(words, keys, ended_by=None, stopped=False):
    t = Terminal([sys.argv[1], "play", "2048"] + words)
    t.until(b"q quits")
    for key, answer in keys:
        t.type(key)
        t.until(answer)
    if stopped:
        t.stop_and_go_on()
        t.until(b"q quits")
        t.type(b"q")
    if ended_by: t.signal(ended_by)
    t.until(b"Left after")
    return t.end()
board = ["--board", "2 0 0 2 0 0 0 0 0 0 0 0 0 0 0 0"]
keys = [(b"h", b"dqn would move"), (b"\x1b[D", b"Score 4, move 1"), (b"d", b"move 2"), (b"q", b"")]
assert plays([sys.argv[2], "--human"] + board, keys) == 0
assert plays([sys.argv[2], "--human"] + board, [(b"\x1b[C", b"move 1")], signal.SIGTERM) == 130
assert plays([sys.argv[2], "--human"] + board, [(b"\x03", b"")]) == 130
assert plays([sys.argv[2], "--human"] + board, [], stopped=True) == 0
END
if have python3; then
    check "a person plays, asks and leaves" person "$scratch/person.py" "$weft" "$scratch/dqn"
else skip "a person" "no python3"; fi
check "a person needs a terminal" usage_error 'needs a terminal' "$weft" play 2048 "$scratch/dqn" --human

# ---- what is refused ----

check "no such algorithm" usage_error 'dqn' "$weft" train 2048 --algo sarsa
check "tuples of the other one" usage_error 'for --algo td' train bad --tuples 4 --steps 1
check "tuples there are none of" refuses 1 'tuples' train bad --algo td --tuples 7 --steps 1
check "no games" usage_error 'games' train bad --games 0
check "a run that is there" usage_error 'already' train dqn --steps 1
check "resume and overwrite" usage_error 'exclude each other' train dqn --resume --overwrite
check "a run of nothing" refuses 1 'none' play "$scratch/none"
check "no run at all" refuses 1 'weft train 2048 creates one' \
    sh -c "cd '$scratch' && '$(cd "$(dirname "$weft")" && pwd)/weft' play 2048"
check "a board of another size" usage_error '2 numbers; expected 16' play "$scratch/dqn" --board "2 2"
check "no tile" usage_error 'is not a tile' play "$scratch/dqn" --board "2 x 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
check "no power of two" usage_error 'has 3' play "$scratch/dqn" --board "3 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
check "an impossible board" usage_error 'the board' play "$scratch/dqn" --board "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
check "games and a board" usage_error 'cannot be combined' play "$scratch/dqn" --games 2 --board "$near_end"
mkdir -p "$scratch/other/checkpoints"
check "another network" "$weft" train csv "$("$weft" data path flowers)" --steps 2 --quiet --run "$scratch/csv"
cp "$scratch/dqn/config.json" "$scratch/other/config.json"
cp "$scratch/csv/checkpoints/latest.safetensors" "$scratch/other/checkpoints/"
check "is refused" refuses 4 'not a checkpoint of this network' play "$scratch/other"
check "and a run of another task" refuses 4 'not of 2048' play "$scratch/csv"
printf 'x' >"$scratch/other/checkpoints/latest.safetensors"
check "and a broken file" refuses 4 'latest.safetensors' play "$scratch/other"
check "and resumed by another task" refuses 1 'is a run of' train csv --resume

# ---- temporal differences: their checkpoints take a gigabyte ----

if [ -n "$learn" ]; then
    check "td" ends 0 "$weft" train 2048 --algo td --tuples 4 --run "$scratch/td" --steps 4 --games 50 --json
    check "it has learned" awk -v m="$(field "$scratch/out" mean_score)" 'BEGIN { exit !(m > 4000) }'
    check "half of it" train td-part --algo td --tuples 4 --steps 2 --games 1
    check "resumed" train td-part --algo td --steps 4 --games 1 --resume
    check "has the same bits" same td td-part
    check "it plays" prints 'Over after' "$weft" play 2048 "$scratch/td"
else skip "td" "WEFT_TEST_LEARN=1 does it"; fi

finish
