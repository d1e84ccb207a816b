#!/bin/sh
# Little's law where transactions are as long as the sample: those still open at its end are no
# contradiction, and with time enough the same scenario holds N = X R.
. "$ROOT/tests/lib/tap.sh"

cat > long.yaml <<'Y'
workload: {kind: sysbench, tables: 4, rows: 100000, threads: 32, point_selects: 1000}
database: {profile: innodb, buffer: 16MiB}
drive: {like: sata-slow}
phases: {settle: 5s, sample: 1s}
Y

# verdict NAME WANTED ARG...
verdict() {
    name=$1 wanted=$2
    shift 2
    rm -rf dir
    run "$RAWTPS" run long.yaml --virtual --quiet --out dir "$@"
    is "$name: exit code" "$code" 0
    like "$name: $wanted" "$out" "^ N = X·R .*: $wanted\$"
}

verdict 'as long as the sample' '(too short|ok)'
verdict 'and none before it' 'too short' --set phases.start=cold --set phases.precondition=0s
verdict 'much shorter than it' ok --set phases.sample=25s

# ten requests a second, and then none for a twentieth of one
cat >stub.yaml <<'Y'
vms: 1
workload: {kind: block, size: 8KiB, read: 100%, outstanding: 8, rate: 10/s, arrivals: constant}
drive: {like: sata-slow}
phases: {start: cold, precondition: 0s, sample: 6050ms}
Y
run "$RAWTPS" run stub.yaml --virtual --quiet --out stub
is 'what is left of a second is no second' \
    "$(python3 -c 'import json; r = json.load(open("stub/run.json"))["aggregate"]
print(r["worst_second_tps"], round(r["tps_cv"], 2))')" '10.0 0.0'
is 'though its row is kept' "$(awk -F, '$4 == "all"' stub/intervals.csv | wc -l)" 7
