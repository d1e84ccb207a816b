#!/bin/bash
# `rawtps compare` of runs at several loads: load by load, and all of them together.
# limit: 60
. "$ROOT/tests/lib/tap.sh"
needs python3
. "$ROOT/tests/lib/tiny_runs.sh"

for depth in 1 8; do
    for seed in 1 2; do
        for drive in h3200-u2 h3201-e1s; do
            made "depth/$drive/$depth-$seed" $drive $seed --set workload.outstanding=$depth
        done
    done
done
made depth/h3201-e1s/32 h3201-e1s 1 --set workload.outstanding=32
run "$RAWTPS" compare u2=depth/h3200-u2 e1s=depth/h3201-e1s
is 'a sweep is compared: fine' "$code$err" 0
like 'by what was swept' "$out" '^rawtps compare · tiny · 2 points of workload.outstanding$'
like 'a row a point' "$out" '^ 8 +A +2 +[0-9 ]+ .*'
like 'what only one side has is said' "$out" '^ left out +32 of B: not on all sides: not compared'
like 'all points together' "$out" '^ B +against A over all points: tps [-+][0-9.]+% \['
like 'the knee' "$out" '^ knee +A [0-9 ]+/s at [18], B '
is 'a table of metrics for each' "$(grep -c '^ lat p99.9 ↓' out)" 2
like 'the same and what differs is of all points' "$out" 'users by point'
is 'no line is wider than the page' "$(grep -E '^.{145,}' out)" ''
run "$RAWTPS" compare u2=depth/h3200-u2 e1s=depth/h3201-e1s --slo 1ns
like 'above every latency there is no knee' "$out" '^ knee +A none, B none'
run "$RAWTPS" compare u2=depth/h3200-u2 e1s=depth/h3201-e1s --row vm9
is 'a VM that no run has is refused' "$code" 2
like 'by name' "$err" '^rawtps: --row: the runs have no VM vm9$'
run "$RAWTPS" compare u2=depth/h3200-u2 e1s=depth/h3201-e1s --row vm0 -m lat_p99.99
is 'one that they have is not' "$code$err" 0
like 'a percentile of a VM that rests on little says so' "$out" \
    '^ [^ ]+ p99.99 of a VM rests on the [0-9]+ slowest transactions? of a run or more\.'
run "$RAWTPS" compare u2=depth/h3200-u2 e1s=depth/h3201-e1s -f html
ok 'the curve is in the page' grep -q '"key":"sweep"' out
run "$RAWTPS" compare u2=depth/h3200-u2 e1s=depth/h3201-e1s -f json
ok 'as JSON' python3 -c 'import json; d = json.load(open("out"))
assert d["kind"] == "compare_sweep" and [p["point"] for p in d["points"]] == ["1", "8"], d
assert len(d["points"][0]["metrics"]) > 10 and d["means"][0]["points"] == 2'

# loads by a rate, and runs that begin within a second
for rate in 9000 1000 5000; do
    made "rate/$rate" h3201-e1s 1 --set workload.rate=$rate/s --set workload.outstanding=64
done
run "$RAWTPS" report rate/*
like 'a load that is a rate is told by it' "$out" ' run +users +due/s +IOPS '
is 'least first' \
    "$(sed -nE 's/.* (1000|5000|9000) +64 +([0-9]) 000 .*/\1 \2/p' out | tr '\n' ' ')" \
    '1000 1 5000 5 9000 9 '
run "$RAWTPS" report rate/* --format html
ok 'and its bars' grep -q 'IOPS, by rate' out
run "$RAWTPS" history rate --metric iops --format csv
is 'runs of one second are in the order of their time' \
    "$(grep -o 'rate/[0-9]*' out | awk '!seen[$0]++' | tr '\n' ' ')" \
    'rate/9000 rate/1000 rate/5000 '
