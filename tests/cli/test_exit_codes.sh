#!/bin/bash
# However a run ends: where there is a run directory, its exit_code is the program's.
# limit: 60
. "$ROOT/tests/lib/tap.sh"
needs python3

cat >tiny.yaml <<'Y'
workload: {kind: block, size: 4KiB, read: 70%, outstanding: 4}
drive: {like: gen5-fast}
phases: {settle: 1s, sample: 1s}
Y
cat >sql.yaml <<'Y'
workload: {kind: sysbench, tables: 1, rows: 1000, threads: 2}
phases: {start: cold, sample: 1s}
Y

cat >kept.py <<'P'
import json
import sys

print(json.load(open(sys.argv[1]))["run"]["exit_code"])
P

# agrees NAME WANTED COMMAND...: it ends with that code, and NAME/run.json says so if it is there
agrees() {
    name=$1 wanted=$2
    shift 2
    code=0
    "$@" >out 2>err </dev/null || code=$?
    is "$name: exit code" "$code" "$wanted"
    kept=none
    [ ! -f "$name/run.json" ] || kept=$(python3 kept.py "$name/run.json")
    case $kept in none) kept=$wanted ;; esac
    is "$name: and run.json says it" "$kept" "$code"
}

agrees fine 0 "$RAWTPS" run tiny.yaml --virtual --out fine
for key in throttle_at=40 throttle_at=40,throttle_to=0.5 write_amplification=0.5 \
    program_suspend_min=2ms,program_suspend_max=1ms; do
    sets=()
    for set in ${key//,/ }; do sets+=(--set "drive.$set"); done
    agrees "of-$key" 2 "$RAWTPS" run tiny.yaml --virtual --out "of-$key" "${sets[@]}"
done
agrees full 3 sh -c '"$RAWTPS" run tiny.yaml --virtual --out full >/dev/full'
agrees fullround 3 sh -c '"$RAWTPS" run tiny.yaml --virtual --out fullround --json >/dev/full'
agrees closed 0 bash -c '"$RAWTPS" run tiny.yaml --virtual --out closed | true
exit ${PIPESTATUS[0]}'
agrees refused 2 "$RAWTPS" run sql.yaml --target 'fake://?delay=1ms' --check --out refused
agrees server 0 "$RAWTPS" run sql.yaml --target 'fake://?delay=1ms' --out server
agrees stopped 130 timeout --preserve-status -s INT 1 "$RAWTPS" run tiny.yaml --virtual --for 30d \
    --out stopped
