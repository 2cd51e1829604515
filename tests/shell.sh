# shell.sh - what the shell tests share: counting, a scratch folder, the compiler. Sourced, not run.
#
#   . tests/shell.sh
#   check "label" command args...      counts 1; a failing command's output is shown
#   skip "label" "why"
#   finish
#
# They run from the root of the repository; $build and $cc say what is tested.
build=${WEFT_BUILD:-build}
cc=${WEFT_CC:-cc}
passed=0 failed=0 skipped=0

# A make started here is not part of the one above, but keeps its variables: other flags would
# rebuild.
unset MFLAGS MAKELEVEL
case ${MAKEFLAGS:-} in
*'-- '*) MAKEFLAGS="-- ${MAKEFLAGS#*-- }" ;;
*) unset MAKEFLAGS ;;
esac

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

have() { command -v "$1" >/dev/null 2>&1; }

check() {
    label=$1
    shift
    if "$@" >"$scratch/.log" 2>&1; then
        passed=$((passed + 1))
    else
        echo "FAIL $label (status $?): $*"
        sed 's/^/     /' "$scratch/.log" | tail -n 40
        failed=$((failed + 1))
    fi
}

skip() {
    echo "skip $1: $2"
    skipped=$((skipped + 1))
}

finish() {
    if [ $skipped -gt 0 ]; then more=", $skipped skipped"; else more=; fi
    echo "$passed passed, $failed failed$more"
    [ $failed -eq 0 ]
    exit
}
