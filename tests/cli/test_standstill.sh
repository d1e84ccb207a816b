#!/bin/sh
# A run that is stopped for a while, as by a debugger or a laptop's lid, says so.
# limit: 60
. "$ROOT/tests/lib/tap.sh"
. "$ROOT/tests/lib/under_way.sh"

cat > small.yaml <<'Y'
vms: 1
workload: {kind: block, size: 8KiB, read: 100%, outstanding: 4, range: 64MiB}
drive: {kind: uring, capacity: 128MiB}
phases: {precondition: 1s, sample: 4s}
Y
begin small.yaml stood 2
kill -STOP "$pid"
sleep 2.5
kill -CONT "$pid"
end
is 'it ends as ever' "$code" 0
like 'and says for how long it stood' "$out" \
    '^warning: rawtps stood still for [1-9][0-9.]*s or more of the sample'
run "$RAWTPS" run small.yaml --drive scratch.img --quiet --out went
unlike 'one that was let run does not' "$out" 'stood still'
run sh -c 'ulimit -s 64; exec "$RAWTPS" version'
is 'a stack of 64 KiB is refused' "$code" 3
like 'by name' "$err" '^rawtps: the stack is limited to 64 KiB'
