#!/bin/sh
# A run that is stopped for a while, as by a debugger or a laptop's lid, says so.
# limit: 60
. "$ROOT/tests/lib/tap.sh"

cat > small.yaml <<'Y'
vms: 1
workload: {kind: block, size: 8KiB, read: 100%, outstanding: 4, range: 64MiB}
phases: {precondition: 1s, sample: 4s}
Y
"$RAWTPS" run small.yaml --drive image --set drive.capacity=128MiB --interval 1s \
    --out stood >out 2>err </dev/null &
pid=$!
for _ in $(seq 100); do
    ! grep -q ' sample ' err || break
    sleep 0.1
done
kill -STOP "$pid"
sleep 2.5
kill -CONT "$pid"
code=0
wait "$pid" || code=$?
is 'it ends as ever' "$code" 0
like 'and says for how long it stood' "$(cat out)" \
    '^warning: rawtps stood still for [1-9][0-9.]*s or more of the sample'
run "$RAWTPS" run small.yaml --drive image --set drive.capacity=128MiB --quiet --out went
unlike 'one that was let run does not' "$out" 'stood still'
run sh -c 'ulimit -s 64; exec "$RAWTPS" version'
is 'a stack of 64 KiB is refused' "$code" 3
like 'by name' "$err" '^rawtps: the stack is limited to 64 KiB'
