#!/bin/sh
# limit: 120
# A phase until steady ends by the rule, and a sample is told what it is: a cold buffer pool that
# fills page by page from a slow drive, in virtual time.
. "${ROOT:-.}/tests/lib/tap.sh"
needs python3

# scenario PRECONDITION SAMPLE
scenario() {
    cat <<Y
vms: 1
vm: percona-16c60g
workload: {kind: sysbench, mix: oltp_point_select, tables: 1, rows: 100k, threads: 1,
           rand_type: uniform}
database: {profile: innodb, buffer: 64MiB}
drive: {kind: 'null', latency: 100ms, capacity: 2TiB}
phases: {start: cold, precondition: $1, sample: $2}
Y
}

cat > figures.py <<'P'
import json, sys
run = json.load(open(sys.argv[1]))
phase = run["phases"][0]
print(phase["rule"], round((phase["until_ns"] - phase["from_ns"]) / 1e9))
steady = run["aggregate"]["steady"]
print("judged", steady["judged"], "reached", steady["reached"], "preset", steady["preset"])
print("short", steady["warm_up_short_s"])
P

# measured NAME PRECONDITION SAMPLE: figures are in $NAME.txt
measured() {
    scenario "$2" "$3" > "$1.yaml"
    run "$RAWTPS" run "$1.yaml" --virtual --quiet --out "$1"
    is "$1: runs" "$code" 0
    python3 figures.py "$1/run.json" > "$1.txt"
}

length_of() {
    sed -n 's/^until_steady //p' "$1.txt"
}

measured snia '{until: steady, max: 2h}' 400s
ok 'it waits until the pool is full' test "$(length_of snia)" -gt 300
ok 'and not much longer' test "$(length_of snia)" -lt 3600
like 'the sample is steady by the same preset' "$(cat snia.txt)" \
    'judged True reached True preset snia'
like 'no warm-up is missing' "$(cat snia.txt)" '^short 0'
like 'the events say when' "$(cat snia/events.jsonl)" '"event":"steady","text":"precondition"'

measured gate '{until: steady, preset: gate, max: 2h}' 400s
ok 'the stricter preset waits at least as long' \
    test "$(length_of gate)" -ge "$(length_of snia)"
like 'and judges the sample' "$(cat gate.txt)" 'preset gate'

measured given_up '{until: steady, max: 3m}' 2s
is 'patience ends with max' "$(length_of given_up)" 180
run "$RAWTPS" report given_up
like 'which is told' "$out" 'precondition: not steady after [0-9]+ rounds'

measured none 1s 30m
run "$RAWTPS" report none
like 'a sample that holds its own warm-up says how much was missing' "$out" \
    'warm-up too short by [1-9][0-9]* s'
run "$RAWTPS" plan gate.yaml --virtual
like 'the plan names the preset' "$out" 'steady \(gate\), at most'
