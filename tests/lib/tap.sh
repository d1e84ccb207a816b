# Helpers for shell tests: `. "$ROOT/tests/lib/tap.sh"`. Prints TAP for tests/run; POSIX sh.
#
#   run CMD ARG...          runs it; sets $code, $out and $err, and leaves them in files out and err
#   ok NAME COND...         passes if the command COND succeeds:  ok 'is a file' test -f x
#   not_ok NAME COND...     passes if it fails
#   is NAME GOT WANTED      passes if the two are the same text
#   like NAME TEXT REGEX    passes if a line of TEXT matches the extended regular expression
#   unlike NAME TEXT REGEX  passes if none does
#   golden NAME FILE        compares FILE with golden/NAME beside the test; BLESS=1 writes it anew
#   skip NAME WHY           counts one test as skipped
#   skip_all WHY            ends the whole test as skipped
#   needs CMD...            skip_all if one of the commands is not there
#   pass NAME, fail NAME [DETAIL]   the bare results
# At the end of the script the plan is printed; the exit code is 1 if anything failed.

# by hand, without tests/run: the places that it would have set
ROOT=${ROOT:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$ROOT/build}
case $BUILD in /*) ;; *) BUILD=$ROOT/$BUILD ;; esac
RAWTPS=${RAWTPS:-$BUILD/rawtps}
RAWTPS_DATA=${RAWTPS_DATA:-$ROOT}
export RAWTPS RAWTPS_DATA
TEST_DIR=$(cd "$(dirname "$0")" && pwd)
tap_count=0
tap_failed=0
code=0 out='' err=''

pass() {
    tap_count=$((tap_count + 1))
    printf 'ok %d - %s\n' "$tap_count" "$1"
}

fail() {
    tap_count=$((tap_count + 1))
    tap_failed=$((tap_failed + 1))
    printf 'not ok %d - %s\n' "$tap_count" "$1"
    [ -z "${2-}" ] || printf '%s\n' "$2" | sed 's/^/# /'
}

skip() {
    tap_count=$((tap_count + 1))
    printf 'ok %d - %s # SKIP %s\n' "$tap_count" "$1" "$2"
}

skip_all() {
    printf '1..0 # SKIP %s\n' "$1"
    trap - EXIT
    exit 77
}

needs() {
    for tap_need in "$@"; do
        command -v "$tap_need" >/dev/null 2>&1 || skip_all "$tap_need is not installed"
    done
}

run() {
    code=0
    "$@" >out 2>err </dev/null || code=$?
    out=$(cat out)
    err=$(cat err)
}

tap_shown() {
    printf 'exit code %s\nstdout: %s\nstderr: %s' "$code" "$out" "$err"
}

ok() {
    tap_name=$1
    shift
    if "$@"; then pass "$tap_name"; else fail "$tap_name" "failed: $*
$(tap_shown)"; fi
}

not_ok() {
    tap_name=$1
    shift
    if "$@"; then fail "$tap_name" "did not fail: $*
$(tap_shown)"; else pass "$tap_name"; fi
}

is() {
    if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "got:    $2
wanted: $3
$(tap_shown)"; fi
}

like() {
    if printf '%s\n' "$2" | grep -Eq -e "$3"; then pass "$1"; else fail "$1" "no line matches: $3
in: $2
$(tap_shown)"; fi
}

unlike() {
    if printf '%s\n' "$2" | grep -Eq -e "$3"; then fail "$1" "a line matches: $3
in: $2"; else pass "$1"; fi
}

golden() {
    tap_golden=$TEST_DIR/golden/$1
    if [ "${BLESS-}" = 1 ]; then
        mkdir -p "$(dirname "$tap_golden")" && cp "$2" "$tap_golden"
    fi
    if [ ! -f "$tap_golden" ]; then
        fail "golden $1" "there is no $tap_golden; BLESS=1 writes it"
    elif tap_diff=$(diff -u "$tap_golden" "$2"); then
        pass "golden $1"
    else
        fail "golden $1" "$tap_diff
if this is what should be printed now: BLESS=1 tests/run ${0##*/}"
    fi
}

tap_end() {
    tap_code=$?
    printf '1..%d\n' "$tap_count"
    [ "$tap_code" -ne 0 ] || [ "$tap_failed" -eq 0 ] || tap_code=1
    exit "$tap_code"
}
trap tap_end EXIT
