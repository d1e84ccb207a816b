#!/bin/sh
# slow, not-sanitized
# Instructions that a workload spends on a transaction, the answers being free: what users in
# virtual time cost at least.
. "${ROOT:-.}/tests/lib/tap.sh"
. "${ROOT:-.}/tests/lib/cost.sh"

cost_build tests/bench/cost_workload
# costs NAME LIMIT
costs() { cost_is "$1" transaction "$2" 10000 30000; }

costs tpcc 4000
costs sysbench 5200
costs block 260
