#!/bin/bash
# limit: 90
# A host that is too busy sets the figures: the run says so, and it is no run to compare by.
. "$ROOT/tests/lib/tap.sh"
needs taskset
[ -r /proc/thread-self/schedstat ] || skip_all 'the kernel counts no waiting for a CPU'

cat > file.yaml <<'Y'
workload: {kind: block, size: 4KiB, read: 70%, outstanding: 8}
drive: {capacity: 32MiB}
phases: {sample: 3s}
Y
cpu=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
timeout 60 taskset -c "$cpu" bash -c 'while :; do :; done' &
beside=$!
run taskset -c "$cpu" "$RAWTPS" run file.yaml --drive scratch.img --out busy --quiet
kill "$beside"
case $err in
*'O_DIRECT'* | *io_uring*) skip_all "no O_DIRECT or io_uring here: $err" ;;
esac
is 'a run beside a busy program ends' "$code" 0
value() {
    python3 -c "import json; d = json.load(open('busy/run.json'))
print(d['hosts'][0]['interference']['$1'])"
}
above() { python3 -c "import sys; sys.exit(not float(sys.argv[1]) > float(sys.argv[2]))" "$@"; }
ok 'it says how long its threads waited' above "$(value run_delay_share)" 0.02
ok 'and ran' above "$(value run_ns)" 1000000
ok 'and what the process took' above "$(value cpu_ns)" 1000000
run "$RAWTPS" report busy
like 'the report warns' "$out" 'the host, not the drive, may have set these figures'

run "$RAWTPS" run file.yaml --drive scratch.img --out calm --quiet
run "$RAWTPS" compare a=busy b=calm --strict
is 'compare --strict refuses it' "$code" 6
like 'and says why' "$out$err" 'interference .*waiting for a CPU'

cat > gate.yaml <<'Y'
version: 1
baseline: {runs: calm}
candidate: {runs: busy}
require: {steady_state: no, same: [scenario, interference]}
metrics: [{metric: iops, margin: 5%}]
Y
run "$RAWTPS" gate gate.yaml
is 'a gate that asks for a calm host gives no verdict' "$code" 6
like 'and says why' "$out" 'interference.*waiting for a CPU'
like 'and what to do' "$out" 'run again when nothing else runs on the host'

run "$RAWTPS" run file.yaml --virtual --out still --quiet
run "$RAWTPS" compare a=still b=still
unlike 'in virtual time no host can interfere' "$out" 'unknown.*interference'
