#!/bin/sh
# test_frame.sh - the harness and the runner notice what they must: programs that fail on purpose.
. tests/shell.sh

cat >"$scratch/test_wrong.c" <<'C'
#include "test.h"
#include <stdlib.h>
TEST(right) { CHECK(true); }
TEST(wrong_twice_counts_once) { CHECK(1 > 2); CHECK_EQ(0.5f, 0); }
TEST(cases) {
    for (int i = 0; i < 4; i++) {
        CASE("i %d", i);
        if (i == 3) { test_skip("no three"); continue; }
        CHECK(i != 1);
    }
}
TEST(wrong_before_the_first_case) { CHECK_STR("a", "b"); CASE("good"); CHECK(true); }
TEST(skipped) { SKIP("no device"); }
TEST(counted) { test_count(10, 2); }
TEST(arrays) { const float a[] = {1, 2}, b[] = {1, 3}; CHECK_ARRAY(a, b, 2, 1e-3); CHECK_MEM(a, b, 8); }
TEST(flood) { for (int i = 0; i < 100; i++) CHECK_NEAR(i, -1, 0.5); }
C
cat >"$scratch/test_crash.c" <<'C'
#include "test.h"
#include <stdlib.h>
TEST(good) { CHECK(true); }
TEST(bad) { CASE("now"); abort(); }
C
cat >"$scratch/test_quits.c" <<'C'
#include "test.h"
#include <stdlib.h>
TEST(good) { CHECK(true); }
TEST(leaves_with_status_0) { exit(0); }
C
cat >"$scratch/test_good.c" <<'C'
#include "test.h"
TEST(one) { CHECK(true); }
TEST(two) { CHECK(true); }
C
for name in wrong crash quits good; do
    check "compile test_$name" "$cc" -std=c11 -Itests "$scratch/test_$name.c" tests/test.c -lm -o "$scratch/test_$name"
done
printf '#!/bin/sh\nsleep 20\necho "1 passed, 0 failed"\n' >"$scratch/test_slow"
printf '#!/bin/sh\necho "4 passed, 0 failed"\nexit 23\n' >"$scratch/test_leaks"
printf '#!/bin/sh\nexit 0\n' >"$scratch/00_example"
printf '#!/bin/sh\nexit 3\n' >"$scratch/01_example"
chmod +x "$scratch/test_slow" "$scratch/test_leaks" "$scratch/00_example" "$scratch/01_example"

last_line() { # expected, command...
    want=$1
    shift
    got=$("$@" 2>&1 | tail -n 1)
    [ "$got" = "$want" ] || { echo "got  \"$got\""; echo "want \"$want\""; return 1; }
}
prints() { # a pattern, command...
    want=$1
    shift
    got=$("$@" 2>&1)
    echo "$got" | grep -q -e "$want" || { echo "no \"$want\" in:"; echo "$got"; return 1; }
}
fails() { ! "$@"; }

# right, cases 0 and 2, good, counted's own and its 10; twice, case 1, before, arrays, flood, and 2.
check "counts" last_line "15 passed, 7 failed, 2 skipped" "$scratch/test_wrong"
check "status" fails "$scratch/test_wrong"
check "place and text" prints 'wrong_twice_counts_once: .*test_wrong.c:4: 1 > 2' "$scratch/test_wrong"
check "reals are printed" prints 'got 0.5, want 0' "$scratch/test_wrong"
check "case label" prints 'FAIL cases / i 1: ' "$scratch/test_wrong"
check "array message" prints '1 of 2 differ, most at \[1\]: got 2, want 3' "$scratch/test_wrong"
check "a flood is cut" prints 'and 95 more' "$scratch/test_wrong"
check "filter" last_line "2 passed, 1 failed, 1 skipped" "$scratch/test_wrong" cases
check "filter without a match" fails "$scratch/test_wrong" nothing_like_it
check "list" last_line "flood" "$scratch/test_wrong" --list
check "a crash names its case" prints 'crashed in bad / now' "$scratch/test_crash"

check "runner: good" last_line "3 passed, 0 failed" tools/runtests "$scratch/test_good" "$scratch/00_example"
check "runner: good status" tools/runtests "$scratch/test_good"
check "runner: sum" last_line "17 passed, 7 failed, 2 skipped" tools/runtests "$scratch/test_good" "$scratch/test_wrong"
check "runner: failing status" fails tools/runtests "$scratch/test_wrong"
check "runner: a crash is a failure" last_line "0 passed, 1 failed" tools/runtests "$scratch/test_crash"
check "runner: an early exit too" last_line "0 passed, 1 failed" tools/runtests "$scratch/test_quits"
check "runner: bad status after totals" last_line "4 passed, 1 failed" tools/runtests "$scratch/test_leaks"
check "runner: a time-out" last_line "0 passed, 1 failed" tools/runtests -t 1 "$scratch/test_slow"
check "runner: failing example" last_line "0 passed, 1 failed" tools/runtests "$scratch/01_example"
# Which tests a run of make takes.
takes() { # name, then make's arguments
    name=$1
    shift
    env -u MAKEFLAGS -u T -u ONLY make -n check "$@" 2>/dev/null | grep 'tools/runtests' | tr ' ' '\n' | grep -q "/$name\$"
}
check "make: by name" takes test_gemm T=gemm
check "make: not by another" fails takes test_gemm T=loader
check "make: by source" takes test_gemm ONLY='test_long\('
check "make: not by another source" fails takes test_utf8 ONLY='test_long\('
check "make: by both" fails takes test_gemm ONLY='test_long\(' T=bench
for name in test_random_graphs test_loader test_faults test_bits; do
    check "make: $name has threads" takes $name SAN=thread ONLY="$(sed -n 's/^THREADS ?= //p' Makefile)"
done
check "runner: missing program" last_line "0 passed, 1 failed" tools/runtests "$scratch/test_absent"
finish
