#!/bin/sh
# test_cli_files.sh - weft inspect and weft convert: files of tensors written by hand, through every
# format and back, and what happens with bad ones.
. tests/cli.sh

byte() { printf "\\$(printf %03o "$1")"; }
safetensors() { # header: its length in 8 bytes, and itself; data follows on stdin
    length=$(printf %s "$1" | wc -c)
    byte $((length % 256)) && byte $((length / 256)) && printf '\0\0\0\0\0\0%s' "$1" && cat
}
# w: 1, 2, -1 and nan; b: the integers 3 and -3
one=$scratch/one.safetensors
header='{"__metadata__":{"made":"by \"hand\""},'
header=$header'"fc.w":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},'
header=$header'"fc.b":{"dtype":"I32","shape":[2],"data_offsets":[16,24]}}'
data='\0\0\200\077\0\0\0\100\0\0\200\277\0\0\300\177\003\0\0\0\375\377\377\377'
printf "$data" | safetensors "$header" >"$one"

# ---- inspect ----

check "inspect" prints '^fc\.w  F32   \[2,2\]  *16$' "$weft" inspect "$one"
check "integers" grep -q '^fc\.b  I32   \[2\]  *8$' "$scratch/out"
check "the whole" grep -q '^safetensors: 2 tensors, 6 values, 24 B$' "$scratch/out"
check "texts" grep -q '^made: by "hand"$' "$scratch/out"
check "statistics" prints '^fc\.w .* -1  *2  *0\.6667  *1\.247  1 not finite$' "$weft" inspect --stats "$one"
check "of integers" grep -q '^fc\.b .* -3  *3  *0  *3$' "$scratch/out"
check "in all" grep -q '6 values, 24 B, 1 not finite$' "$scratch/out"
check "only some" prints '1 tensor, 2 values, 8 B' "$weft" inspect "$one" --only '*.b'
check "not the others" sh -c "! grep -q 'fc\\.w' '$scratch/out'"
check "none of them" refuses 1 'none of 2 tensors matches "zzz\*"' "$weft" inspect "$one" --only 'zzz*'
check "verify" prints ', verified$' "$weft" inspect --verify "$one"
check "as JSON" ends 0 "$weft" inspect --json --stats "$one"
check "which it is" is_json "$scratch/out"
head -n 2 "$scratch/out" >"$scratch/tensors"
tail -n 1 "$scratch/out" >"$scratch/whole"
check "a line each, and one" sh -c "[ \$(wc -l <'$scratch/out') -eq 3 ]"
check "fields" has "$scratch/tensors" name type shape values bytes min max mean std not_finite
check "a shape" grep -q '"shape": \[2, 2\]' "$scratch/tensors"
check "fields of the whole" has "$scratch/whole" file format tensors values bytes not_finite texts
check "a text" grep -q '"texts": {"made": "by \\"hand\\""}' "$scratch/whole"

hash_of() { "$weft" inspect --hash "$1"; }
is_hash() { # file of an answer: 64 hexadecimal digits, the end of the line, nothing else
    [ "$(wc -c <"$1")" -eq 65 ] && grep -q -x '[0-9a-f]\{64\}' "$1"
}
check "hash" ends 0 "$weft" inspect --hash "$one"
check "just that" is_hash "$scratch/out"
hash=$(cat "$scratch/out")
check "hash as JSON" prints "\"hash\": \"$hash\"" "$weft" inspect --hash --json "$one"

same_hash() { # file, another
    hash_of "$1" >"$scratch/first" && hash_of "$2" >"$scratch/second" &&
        cmp "$scratch/first" "$scratch/second"
}
turned=$scratch/turned.safetensors # the same tensors, the other way round, and no texts
header='{"fc.b":{"dtype":"I32","shape":[2],"data_offsets":[0,8]},'
header=$header'"fc.w":{"dtype":"F32","shape":[2,2],"data_offsets":[8,24]}}'
printf '\003\0\0\0\375\377\377\377\0\0\200\077\0\0\0\100\0\0\200\277\0\0\300\177' |
    safetensors "$header" >"$turned"
check "in any order" same_hash "$one" "$turned"
header='{"fc.b":{"dtype":"I32","shape":[2],"data_offsets":[0,8]},'
header=$header'"fc.w":{"dtype":"F32","shape":[4],"data_offsets":[8,24]}}'
printf '\003\0\0\0\375\377\377\377\0\0\200\077\0\0\0\100\0\0\200\277\0\0\300\177' |
    safetensors "$header" >"$scratch/flat.safetensors"
check "shapes count" sh -c "! [ $hash = \$('$weft' inspect --hash '$scratch/flat.safetensors') ]"

# ---- convert ----

for to in two.safetensors two.npz; do
    check "to $to" prints '2 tensors, 24 B$' "$weft" convert "$one" "$scratch/$to"
    check "the same values in $to" same_hash "$one" "$scratch/$to"
done
check "texts are kept" prints '^made: by "hand"$' "$weft" inspect "$scratch/two.safetensors"
check "back from npz" ends 0 "$weft" convert "$scratch/two.npz" "$scratch/three.safetensors"
check "to the same values" same_hash "$one" "$scratch/three.safetensors"
check "onto itself" ends 0 "$weft" convert "$scratch/three.safetensors" "$scratch/three.safetensors"
check "nothing is lost" same_hash "$one" "$scratch/three.safetensors"
check "one to npy" prints '1 tensor, 16 B, 1 left out$' "$weft" convert --only fc.w "$one" "$scratch/w.npy"
check "npy" prints '^npy: 1 tensor, 4 values' "$weft" inspect "$scratch/w.npy"
numpy= # the first on the path may be one without it
for python in python3 /usr/bin/python3; do
    [ "$numpy" ] || ! "$python" -c 'import numpy' 2>/dev/null || numpy=$python
done
if [ "$numpy" ]; then
    check "NumPy reads npy and npz" "$numpy" -c "
import numpy, sys
w = numpy.load(sys.argv[1]); z = numpy.load(sys.argv[2])
assert w.shape == (2, 2) and w.dtype == 'float32' and (w[:1] == [[1, 2]]).all() and numpy.isnan(w[1, 1])
assert set(z.files) >= {'fc.b', 'fc.w'} and list(z['fc.b']) == [3, -3]" "$scratch/w.npy" "$scratch/two.npz"
else
    skip "NumPy reads npy and npz" "no NumPy"
fi

check "to half" prints ', 1 with a different type' "$weft" convert --type f16 "$one" "$scratch/half.safetensors"
check "half as many bytes" prints '^fc\.w  F16   \[2,2\]  *8$' "$weft" inspect "$scratch/half.safetensors"
check "integers stay" grep -q '^fc\.b  I32' "$scratch/out"
check "and back" ends 0 "$weft" convert --type f32 "$scratch/half.safetensors" "$scratch/whole.safetensors"
check "these values fit in a half" same_hash "$one" "$scratch/whole.safetensors"
check "to bf16" ends 0 "$weft" convert --type bf16 "$one" "$scratch/b.safetensors"
check "is bf16" prints '^fc\.w  BF16' "$weft" inspect "$scratch/b.safetensors"

check "checksums" ends 0 "$weft" convert --checksums "$one" "$scratch/sums.safetensors"
check "they hold" prints ', verified$' "$weft" inspect --verify "$scratch/sums.safetensors"
LC_ALL=C sed 's/\x80\x3f/\x80\x3e/' <"$scratch/sums.safetensors" >"$scratch/hurt.safetensors" # 1 becomes 0.25
check "or do not" refuses 4 'hurt.safetensors' "$weft" inspect --verify "$scratch/hurt.safetensors"

check "shards" ends 0 "$weft" convert --shard-size 16 "$one" "$scratch/parts.safetensors"
check "an index" prints '^index: 2 tensors' "$weft" inspect "$scratch/parts.safetensors.index.json"
check "the same values in shards" same_hash "$one" "$scratch/parts.safetensors.index.json"

check "names without a prefix" ends 0 "$weft" convert --prefix-strip fc. "$one" "$scratch/bare.safetensors"
check "they are" prints '^w ' "$weft" inspect "$scratch/bare.safetensors"
check "names with one" ends 0 "$weft" convert --prefix-add fc. "$scratch/bare.safetensors" "$scratch/named.safetensors"
check "they are again" same_hash "$one" "$scratch/named.safetensors"
check "convert as JSON" ends 0 "$weft" convert --json "$one" "$scratch/two.npz"
check "is JSON" is_json "$scratch/out"
check "with fields" has "$scratch/out" from to from_format tensors left_out retyped bytes

# ---- runs ----

awk 'BEGIN { print "a,b,kind"; for (i = 1; i <= 60; i++) print i % 7 "," i * 3 % 11 "," (i % 2 ? "odd" : "even") }' \
    >"$scratch/table.csv"
run=$scratch/run
check "a run" ends 0 "$weft" train csv "$scratch/table.csv" --label kind --run "$run" --steps 3 --quiet
check "inspect a run" prints '^checkpoint: [0-9]* tensors' "$weft" inspect "$run"
check "its step" grep -q '^step 3, epoch 3, by weft [0-9.]*$' "$scratch/out"
check "its weights" grep -q '^fc1\.weight ' "$scratch/out"
check "its optimiser" grep -q '^optim\.' "$scratch/out"
check "as JSON" prints '"format": "checkpoint", .*"step": 3,' "$weft" inspect --json "$run"
check "which is JSON" is_json "$scratch/out"
check "hash of a run" ends 0 "$weft" inspect --hash "$run"
check "is one" is_hash "$scratch/out"
check "by its folder or its file" same_hash "$run" "$run/checkpoints/latest.safetensors"
check "the model of a run" ends 0 "$weft" convert "$run" "$scratch/model.safetensors"
check "is weights" prints '^fc1\.weight ' "$weft" inspect "$scratch/model.safetensors"
check "and nothing else" sh -c "! grep -e '^optim\.' -e '^rng\.' -e '^extra' -e '^weft' -e checkpoint '$scratch/out'"
check "the whole of it" ends 0 "$weft" convert --all "$run" "$scratch/state.npz"
check "has all values" same_hash "$run" "$scratch/state.npz"
mkdir -p "$scratch/hurt/checkpoints"
head -c 2000 "$run/checkpoints/latest.safetensors" >"$scratch/hurt/checkpoints/latest.safetensors"
check "half a checkpoint" refuses 4 'latest.safetensors: offset [0-9]' "$weft" inspect "$scratch/hurt"

# ---- bad usage, bad files ----

check "no file named" usage_error 'FILE is missing' "$weft" inspect
check "no place named" usage_error 'TO is missing' "$weft" convert "$one"
check "too many" usage_error 'unexpected argument' "$weft" convert a b c
check "no such type" usage_error 'keep|f32|f16' "$weft" convert --type int "$one" "$scratch/x.npz"
check "no size" usage_error 'number of bytes' "$weft" convert --shard-size big "$one" "$scratch/x.safetensors"
check "a size of nothing" usage_error 'number of bytes' "$weft" convert --shard-size 0 "$one" "$scratch/x.safetensors"
check "a size too large" usage_error 'number of bytes' "$weft" convert --shard-size 9999999999G "$one" "$scratch/x.safetensors"
check "shards of npz" usage_error 'applies only to .safetensors' "$weft" convert --shard-size 16 "$one" "$scratch/x.npz"
check "checksums in npy" usage_error 'applies only to .safetensors' "$weft" convert --checksums "$one" "$scratch/x.npy"
check "no such file" refuses 1 'missing.npz' "$weft" inspect "$scratch/missing.npz"
mkdir "$scratch/empty"
check "a folder that is no run" refuses 1 'empty' "$weft" inspect "$scratch/empty"
echo 'no tensors here, only text' >"$scratch/text"
check "not a file of tensors" refuses 4 'text' "$weft" inspect "$scratch/text"
: >"$scratch/nothing"
check "an empty file" refuses 4 'nothing' "$weft" inspect "$scratch/nothing"
head -c 100 "$one" >"$scratch/short.safetensors"
check "a short file" refuses 4 'short.safetensors: .*offset [0-9]' "$weft" inspect "$scratch/short.safetensors"
check "of which nothing is made" refuses 4 'short' "$weft" convert "$scratch/short.safetensors" "$scratch/none.npz"
check "really nothing" [ ! -e "$scratch/none.npz" ]
check "two tensors in npy" ends 1 "$weft" convert "$one" "$scratch/none.npy"
check "makes none" [ ! -e "$scratch/none.npy" ]
check "no tensor chosen" refuses 1 'none of 2 tensors' "$weft" convert --only 'x*' "$one" "$scratch/none.npz"
header='{"fc.w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},'
header=$header'"w":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}'
printf '\1\2' | safetensors "$header" >"$scratch/twins.safetensors"
cp "$one" "$scratch/kept.safetensors"
check "a name twice" refuses 1 'would have the name "w"' "$weft" convert --prefix-strip fc. "$scratch/twins.safetensors" "$scratch/kept.safetensors"
check "leaves what was there" cmp "$one" "$scratch/kept.safetensors"
check "an ending that says nothing" ends 1 "$weft" convert "$one" "$scratch/none.xyz"
check "no folder for it" refuses 1 'nowhere' "$weft" convert "$one" "$scratch/nowhere/x.npz"
check "no scraps" sh -c "! ls -a '$scratch' | grep -i -e tmp -e temp"
header='{"__metadata__":{"made":"\u001b[31mred\n"},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'
printf '\1' | safetensors "$header" >"$scratch/escape.safetensors"
check "no escape sequence gets out" prints '^made: \\x1b\[31mred\\n$' "$weft" inspect "$scratch/escape.safetensors"
check "as JSON it does, as JSON" prints '"made": "\\u001b\[31mred\\n"' "$weft" inspect --json "$scratch/escape.safetensors"

# ---- files of other kinds: what they are, and what to do ----

kind() { # name, what it is, bytes as printf has them
    printf "$3" >"$scratch/$1"
    refuses 4 "$1 is .*$2" "$weft" inspect "$scratch/$1" && refuses 4 "$1 is .*$2" "$weft" convert "$scratch/$1" "$scratch/to.npz"
}
check "a zip of PyTorch" kind net.pt 'PyTorch.*save_file' 'PK\3\4\24\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\14\0\0\0net/data.pkl'
check "a pickle" kind old.pt 'PyTorch' '\200\002\212\012l\374\234F\371 j\250P\031.'
check "HDF5" kind m.h5 'HDF5' '\211HDF\r\n\032\n'
check "GGUF" kind m.gguf 'GGUF' 'GGUF\3\0\0\0'
check "gzip" kind m.gz 'gzip' '\037\213\010\0\0\0\0\0'
check "a picture" kind m.png 'PNG' '\211PNG\r\n\032\n'
check "digits" kind m-idx3 'IDX' '\0\0\010\003\0\0\0\1'
check "a table" kind m.csv 'a table' 'a,b\n1,2\n'
check "JSON" kind m.json 'JSON' '{"a": 1}'
check "nothing" kind m.none 'empty' ''
check "another zip" kind m.zip 'a zip file' 'PK\3\4\24\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0word/document.xml'
finish
