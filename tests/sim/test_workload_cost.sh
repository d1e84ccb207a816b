#!/bin/sh
# slow, not-sanitized
# Instructions that a workload spends on a transaction, the answers being free: what users in
# virtual time cost at least. Counted by callgrind, so that a busy machine does not matter.
. "${ROOT:-.}/tests/lib/tap.sh"
needs valgrind make

program=$BUILD/cost/tests/bench/cost_workload
run flock "$BUILD/cost.lock" make -s -C "$ROOT" CC=gcc OPT=-O2 CFLAGS= LDFLAGS= \
    BUILD="$BUILD/cost" "$program"
[ "$code" -eq 0 ] || fail 'builds' "$(tap_shown)"

# instructions NAME TRANSACTIONS: all of them
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" 2>&1 |
        sed -n 's/.*Collected : //p'
}

# costs NAME LIMIT: the difference of two runs, so that starting the program does not count
costs() {
    each=$((($(instructions "$1" 30000) - $(instructions "$1" 10000)) / 20000))
    echo "# $1: $each instructions a transaction, limit $2"
    ok "$1 within $2 instructions a transaction" test "$each" -gt 0 -a "$each" -le "$2"
}

costs tpcc 4000
costs sysbench 5200
costs block 260
