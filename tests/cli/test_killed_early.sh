#!/bin/bash
# A run that is killed, or whose file is cut, before its clock begins: what it leaves is a result
# that says so.
# limit: 60
. "$ROOT/tests/lib/tap.sh"

# early DIR [option...]: a run in the background, once its result is there; sets pid
early() {
    dir=$1
    shift
    "$RAWTPS" run "$@" --out "$dir" --quiet >out.early 2>err.early </dev/null &
    pid=$!
    for _ in $(seq 200); do
        ! test -s "$dir/run.json" || break
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.02
    done
}

early warm tpcc-1500 --virtual --scale 1/2
kill -KILL "$pid"
wait "$pid" 2>/dev/null
run "$RAWTPS" report warm
like 'killed in the warm start: partial' "$out" '^Partial result: still running, or killed'
like 'and nothing was measured' "$out" '^Nothing was measured yet'
like 'of which scenario' "$out" '^ scenario  tpcc-1500@'
unlike 'which is no success' "$out" 'exit code 0'

cat > fill.yaml <<'Y'
workload: {kind: block, size: 4KiB, read: 100%, outstanding: 2}
phases: {start: cold, fill: yes, sample: 1s}
Y
early cut fill.yaml --drive ./cut.img --set drive.capacity=512MiB
if grep -qi 'io_uring' err.early; then
    skip 'a file that is cut in the fill' "$(cat err.early)"
    exit
fi
while kill -0 "$pid" 2>/dev/null; do # again and again: a cut before the first write is none
    truncate -s 4096 cut.img
    sleep 0.05
done
code=0
wait "$pid" || code=$?
is 'a file that is cut in the fill: wrong data' "$code" 4
run "$RAWTPS" report cut
like 'and its result is void' "$out" '^ run +void'
like 'and says why' "$(cat cut/run.json)" '"error": ".*cut.img was cut'
