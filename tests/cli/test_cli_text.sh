#!/bin/sh
# test_cli_text.sh - weft text: ids and back, special tokens, vocabularies learned and named, files of
# tokens; what is wrong is told.
. tests/cli.sh
weft=$(cd "$(dirname "$weft")" && pwd)/weft
cd "$scratch" || exit 1
export XDG_DATA_HOME="$scratch/share"

for i in 1 2 3 4 5 6 7 8 9; do echo "the weft $i and the warp, it's the loom that's weaving"; done >book.txt
printf 'na\303\257ve <|endoftext|> \346\227\245\377 the weft\n' >odd.txt
same() { cmp "$1" "$2"; }

check "learn" prints '^words: 2[0-9][0-9] tokens' "$weft" text learn book.txt --size 4096 --out words
check "is saved" [ -s words/tokenizer.json ]
check "learn as JSON" ends 0 "$weft" text learn book.txt --size 280 -o less --json
check "which it is" is_json out
check "with fields" has out out vocab_size bytes tokens bytes_per_token
check "the size asked for" grep -q '"vocab_size": 280' out

there_and_back() { # vocabulary, file
    "$weft" text encode --vocab "$1" "$2" >ids && "$weft" text decode --vocab "${3:-$1}" <ids >back && cmp "$2" back
}
check "learned" there_and_back words odd.txt
check "a file of it" there_and_back words/tokenizer.json odd.txt
check "bytes" there_and_back bytes odd.txt
check "bytes are their values" sh -c "printf 'a\\377' | '$weft' text encode --vocab bytes | tr '\\n' ' ' | grep -qx '97 255 '"
check "one of the merges" sh -c "printf ' the' | '$weft' text encode --vocab words | wc -l | grep -qx ' *1'"
check "from standard input" sh -c "'$weft' text encode --vocab words <odd.txt >x && '$weft' text encode --vocab words - <odd.txt >y && cmp x y"
last=$(grep -c '^ *".*": [0-9]*,*$' words/tokenizer.json) # words are numbered from 0, and it comes after them
special() { "$weft" text encode --vocab words $1 odd.txt | grep -cx "$last"; }
check "a special token" [ "$(special)" = 1 ]
check "as text" [ "$(special --no-special)" = 0 ]
check "as text it comes back" sh -c "'$weft' text encode --no-special --vocab words odd.txt | '$weft' text decode --vocab words | cmp - odd.txt"
check "ids in other forms" sh -c "echo '[104, 105,33]' | '$weft' text decode --vocab bytes | grep -qx 'hi!'"

check "characters" sh -c "'$weft' text encode --vocab chars book.txt | sort -n | tail -1 | grep -qx 2[0-9]"
check "characters need a text" refuses 1 'made from a text' "$weft" text decode --vocab chars odd.txt
check "characters are UTF-8" refuses 4 'is not UTF-8' "$weft" text encode --vocab chars odd.txt

check "several files" sh -c "'$weft' text encode --vocab words book.txt odd.txt >all && '$weft' text encode --vocab words book.txt >one && '$weft' text encode --vocab words odd.txt >>one && cmp all one"
check "as JSON" ends 0 "$weft" text encode --vocab words --json book.txt odd.txt
check "an object each" is_json out
check "with ids" has out file bytes tokens ids

check "a file of tokens" prints '^t.bin: [0-9]* tokens of 16 bits' "$weft" text encode --vocab words --out t.bin book.txt odd.txt
check "has the ids" sh -c "od -An -v -tu2 -w2 t.bin | tr -d ' ' | cmp - all"
check "tells it as JSON" ends 0 "$weft" text encode --vocab words --out t.bin --json book.txt
check "with its width" has out out bytes tokens bits vocab_size

check "GPT-2 is not here" refuses 1 'weft data get gpt2-vocab' "$weft" text encode book.txt
check "no such file" refuses 1 'nowhere.txt' "$weft" text encode --vocab words nowhere.txt
check "no such vocabulary" refuses 1 'nowhere: no vocabulary; expected' "$weft" text encode --vocab nowhere book.txt
check "a damaged vocabulary" sh -c 'mkdir bad && head -c 2000 words/tokenizer.json >bad/tokenizer.json'
check "is refused" refuses 4 'bad/tokenizer.json: offset' "$weft" text encode --vocab bad book.txt
check "an id too many" sh -c "echo 1 2 70000 3 | '$weft' text decode --vocab words >out 2>err; [ \$? = 4 ] && grep -q 'number 3 is 70000' err"
check "no number" sh -c "echo 1 2 x | '$weft' text decode --vocab words >out 2>err; [ \$? = 4 ] && grep -q '\"x\" after number 2' err"
check "a minus" sh -c "echo -1 | '$weft' text decode --vocab words >out 2>err; [ \$? = 4 ]"
check "nothing to decode" sh -c ": | '$weft' text decode --vocab words | cmp - /dev/null"
check "an empty text" sh -c ": | '$weft' text encode --vocab words | cmp - /dev/null"
check "learn from nothing" usage_error 'FILE' "$weft" text learn --out x
check "learn to nowhere" usage_error '--out is missing' "$weft" text learn book.txt
check "too small a size" usage_error 'size' "$weft" text learn book.txt --size 10 --out x
check "no task" ends 2 "$weft" text

check "the benchmark" ends 0 "$weft" bench tokens --quick --threads 1 --json
check "tells its rate" has out mb_per_s vocab tokens
finish
