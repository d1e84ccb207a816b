#!/bin/sh
# slow, not-sanitized
# Instructions that a real request of 8 KiB costs beside the kernel, from one answer to the next:
# user, workload, target, recorder, ring and loop. At depth 1 each has a turn of the loop to itself;
# at depth 256 many share one.
. "${ROOT:-.}/tests/lib/tap.sh"
. "${ROOT:-.}/tests/lib/cost.sh"

cost_build rawtps

bench=$ROOT/tests/bench/bench.yaml
run "$RAWTPS" run "$bench" --drive requests.img --set drive.capacity=64MiB --for 100ms \
    --set phases.fill=yes --quiet --out filled
[ "$code" -le 1 ] || skip_all "no requests by io_uring here: $err"

# counted REQUESTS DEPTH READ: within the loop, so that starting and ending do not count
counted() {
    rm -rf dir
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=loop_run \
        "$program" run "$bench" --drive requests.img --quiet --out dir \
        --set drive.capacity=64MiB --set phases.interval=300s --set phases.sample=300s \
        --set "workload.work=$1" --set "workload.outstanding=$2" \
        --set "workload.streams.0.read=$3" 2>&1 >/dev/null |
        sed -n 's/.*Collected : //p'
}

# costs DEPTH READ LIMIT: the difference of two runs, so that the first requests do not count
costs() {
    few=$(counted 2000 "$1" "$2")
    many=$(counted 12000 "$1" "$2")
    each=$(((many - few) / 10000))
    echo "# depth $1, $2 reads: $each instructions, limit $3"
    ok "a request at depth $1, $2 reads: within $3" test "$each" -gt 0 -a "$each" -le "$3"
}

costs 1 1 1200
costs 1 0 1280
costs 1 0.7 1225
costs 32 1 825
costs 32 0 920
costs 32 0.7 855
costs 256 1 800
costs 256 0 875
costs 256 0.7 825
