#!/bin/sh
# slow, not-sanitized, limit: 240
# In virtual time the same scenario and seed give the same result to the bit: in two runs, with
# another compiler and without optimisation, and the same as when golden/quick_virtual.txt was
# written. Where a model changes on purpose: BLESS=1 tests/run test_golden, and say why.
. "${ROOT:-.}/tests/lib/tap.sh"

# digest PROGRAM DIR SCENARIO ARG...: runs it into DIR; what it printed is the digest, else nothing
digest() {
    digest_program=$1 digest_dir=$2
    shift 2
    rm -rf "$digest_dir"
    "$digest_program" run "$@" --virtual --quiet --format digest --out "$digest_dir" \
        2>"$digest_dir.err" ||
        echo "exit code $?: $(cat "$digest_dir.err")"
}

first=$(digest "$RAWTPS" first quick)
like 'the digest is a SHA-256' "$first" '^[0-9a-f]{64}$'
is 'a second run is the same' "$(digest "$RAWTPS" second quick)" "$first"
run "$RAWTPS" report first --format digest
is 'what was saved is the same' "$out" "$first"
not_ok 'another seed is not' test "$(digest "$RAWTPS" other quick --seed 2)" = "$first"

# a run that is watched slowly writes its state on the way: that leaves no trace in the result
cat > slow.yaml <<'Y'
workload: {kind: block, outstanding: 1, read: 100%, size: 8KiB, place: random}
drive: {kind: 'null', latency: 50ms}
phases: {sample: 400s}
Y
quickly=$(digest "$RAWTPS" quickly slow.yaml)
"$RAWTPS" run slow.yaml --virtual --json --quiet --out slowly 2>err | { sleep 1.5; cat; } > objects
run "$RAWTPS" report slowly --format digest
is 'a slow reader changes nothing' "$out" "$quickly"

# the digest, and the table of the VMs to show what has changed if it differs
"$RAWTPS" report first --format csv | tr -d '\r' | sed '/^$/,$d' > table
{ echo "digest $first"; cat table; } > quick
golden quick_virtual.txt quick

clang=$BUILD/clang-O0/rawtps
if command -v clang >/dev/null 2>&1; then
    run make -s -C "$ROOT" CC=clang OPT=-O0 CFLAGS= LDFLAGS= BUILD="$BUILD/clang-O0" "$clang"
    is 'clang -O0 builds' "$code" 0
    is 'clang -O0: the same' "$(digest "$clang" clang quick)" "$first"
else
    clang=
    skip 'clang -O0: the same' 'clang is not installed'
fi

for path in "$ROOT"/scenarios/*.yaml; do
    ! grep -q '^target:' "$path" || continue # a server answers those: tests/db
    ! grep -q '^groups:' "$path" || continue # published figures: tests/cli/test_audit.sh
    name=$(basename "$path" .yaml)
    small=
    ! grep -Eq '^ +kind: +(tpcc|sysbench)' "$path" || small='--scale 1/1500'
    # shellcheck disable=SC2086
    first=$(digest "$RAWTPS" first "$path" $small --for 2s)
    like "$name: runs" "$first" '^[0-9a-f]{64}$'
    # shellcheck disable=SC2086
    is "$name: twice the same" "$(digest "$RAWTPS" second "$path" $small --for 2s)" "$first"
    [ -n "$clang" ] || continue
    # shellcheck disable=SC2086
    is "$name: the same by clang -O0" "$(digest "$clang" clang "$path" $small --for 2s)" "$first"
done
