#!/bin/sh
# long_fuzz.sh - every target under tests/fuzz with clang's libFuzzer, for WEFT_FUZZ_SECONDS (15)
# each, two at a time.
#
# The parsers (src/io, src/data, src/text, src/lm, src/stream, src/train, src/bench, src/logic) and the targets are
# built here with the fuzzer's and the sanitizers' instrumentation; the rest of the library is the one of
# `make test-clang`. A finding is kept in $build/fuzzer/NAME.found, and its file can be given to
# $build/fuzz/fuzz_NAME. How many inputs were tried is printed.
. tests/shell.sh
seconds=${WEFT_FUZZ_SECONDS:-15}
made=$build/fuzzer
sanitizers=address,undefined

echo 'int LLVMFuzzerTestOneInput(const unsigned char *p, unsigned long n) { return p && n ? 0 : 0; }' >"$scratch/try.c"
if ! clang -fsanitize=fuzzer,$sanitizers "$scratch/try.c" -o "$scratch/try" 2>/dev/null; then
    skip "fuzzing" "clang has no fuzzer runtime (Debian: libclang-rt-14-dev)"
    finish
fi

flags="-std=c11 -O1 -g -DNDEBUG -fno-math-errno -fno-trapping-math -ffp-contract=off -fno-omit-frame-pointer
    -Iinclude -Isrc -Itests -I. -fno-sanitize-recover=all"
mkdir -p "$made/obj"
for source in src/base/*.c src/io/*.c src/data/*.c src/text/*.c src/lm/*.c src/stream/*.c src/train/*.c src/bench/*.c src/logic/*.c; do
    echo "$source" "$made/obj/$(echo "${source%.c}" | tr / _).o"
done >"$scratch/sources"
compile() {
    while read -r source object; do echo "-c $source -o $object"; done <"$scratch/sources" |
        xargs -P 2 -L 1 clang $flags -fsanitize=fuzzer-no-link,$sanitizers
}
check "the parsers, instrumented" compile
parsers=$(cut -d ' ' -f 2 "$scratch/sources")

# Links, runs, and says what came of it; status 1 after a finding.
cat >"$scratch/one" <<EOF
name=\$1
clang $(echo $flags) -fsanitize=fuzzer,$sanitizers tests/fuzz/fuzz_\$name.c $(echo $parsers) \
    $build/clang/libweft.a -lm -lpthread -ldl -o $made/fuzz_\$name || exit 1
mkdir -p $made/corpus/\$name $made/\$name.found
rm -f $made/\$name.found/*
set --
[ -d tests/fuzz/seeds/\$name ] && set -- tests/fuzz/seeds/\$name
ASAN_OPTIONS=allocator_may_return_null=1 $made/fuzz_\$name -max_total_time=$seconds -max_len=8192 -timeout=10 \
    -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix=$made/\$name.found/ \
    $made/corpus/\$name "\$@" >$made/\$name.log 2>&1
status=\$?
runs=\$(sed -n 's/^stat::number_of_executed_units: *//p' $made/\$name.log)
cover=\$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' $made/\$name.log | tail -n 1)
echo "     \$name: \${runs:-0} inputs, \${cover:-0} edges"
[ \$status -eq 0 ] && exit 0
grep -v '^#' $made/\$name.log | tail -n 40
exit 1
EOF

targets=$(for f in tests/fuzz/fuzz_*.c; do f=${f##*/fuzz_}; echo "${f%.c}"; done)
for name in $targets; do echo "$name"; done |
    xargs -P 2 -I NAME sh -c "sh '$scratch/one' NAME >'$scratch/NAME.out' 2>&1; echo \$? >'$scratch/NAME.status'"
for name in $targets; do
    grep inputs, "$scratch/$name.out"
    check "$name" sh -c "cat '$scratch/$name.out'; exit \$(cat '$scratch/$name.status')"
done
finish
