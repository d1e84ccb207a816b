#!/bin/sh
# slow, not-sanitized, limit: 300
# Instructions that the whole program spends on a transaction in virtual time, and on a bare
# request: users, workload, model, loop, a drive that does nothing, recorder and files. How long a
# full-scale run takes depends on nothing else.
. "${ROOT:-.}/tests/lib/tap.sh"
. "${ROOT:-.}/tests/lib/cost.sh"
needs python3

cost_build rawtps

cat > ended.py <<'P'
import json
import sys
kinds = json.load(open(sys.argv[1]))["aggregate"]["txns"]
print(sum(kind["done"] + kind["rolled_back"] for kind in kinds if not kind["deferred"]))
P

# measured SECONDS ARG...: sets $spent and $ended of one run
measured() {
    sample=$1
    shift
    rm -rf dir
    spent=$(cost_counted "$program" run "$@" --virtual --set drive.kind=null --set vms=1 \
        --set phases.settle=1s --set "phases.sample=${sample}s" --quiet --out dir)
    ended=$(python3 ended.py dir/run.json)
}

# costs NAME SECONDS LIMIT ARG...: the difference of two runs, so that setting up does not count
costs() {
    name=$1 seconds=$2 limit=$3
    shift 3
    measured 1 "$@"
    few=$ended little=$spent
    measured "$seconds" "$@"
    each=$(((spent - little) / (ended - few)))
    echo "# $name: $each instructions, limit $limit ($((ended - few)) ended)"
    ok "$name: within $limit instructions" test "$each" -gt 0 -a "$each" -le "$limit"
}

costs 'a TPC-C transaction' 5 61000 "$ROOT/tests/bench/tpcc.yaml" \
    --set workload.warehouses=4 --set workload.users=40 --set workload.cycle=10ms \
    --set database.buffer=120MiB
costs 'a Sysbench read-write transaction' 5 40500 "$ROOT/tests/bench/sysbench.yaml" \
    --set workload.rows=200000 --set database.buffer=128MiB
costs 'a bare request' 3 805 "$ROOT/tests/bench/bench.yaml" --set drive.latency=100us
