#!/bin/bash
# slow, alone, limit: 240
# Average, 99th percentile and maximum of servers of which the truth is known, from when a
# transaction was due, within 1 %: constant delays, two delays, and a stall of two seconds that a
# closed loop would hide. The delays are long, so that a busy machine seldom matters; where it did,
# all is asked again, at most three times: a figure that is wrong by itself is wrong each time.
. "$ROOT/tests/lib/tap.sh"
needs python3

# asks NAME URL OPTION...: in the background
asks() {
    name=$1 url=$2
    shift 2
    "$RAWTPS" run sysbench-sql --target "$url" --set workload.mix=oltp_point_select \
        --set phases.precondition=0s --quiet --out "$name" "$@" >"$name.out" 2>&1 &
}

cat >truth.py <<'P'
import json
import sys

name, figure, want = sys.argv[1], sys.argv[2], float(sys.argv[3])
kinds = json.load(open(name + "/run.json"))["aggregate"]["txns"]
found = kinds[0]["response"][figure] / 1e6
print("# %s: %s %.2f ms, truth %.2f ms, %+.2f %%" % (name, figure, found, want,
                                                    (found / want - 1) * 100))
late = 20 if figure == "max_ns" else 0  # one hiccup of a busy machine makes a maximum
sys.exit(not want * 0.99 <= found <= want * 1.01 + late)
P

all_asked() {
    rm -rf constant two stalled
    asks constant 'fake://?delay=400ms' --threads 50 --for 12s
    asks two 'fake://?bimodal=200ms:0.9,800ms' --threads 1000 --for 25s
    asks stalled 'fake://?delay=20ms&stall_at=5s&stall=2s' --threads 400 --for 12s \
        --set workload.rate=100/s --set workload.arrivals=constant
    wait
}

# 0.9 of 200 ms and 0.1 of 800 ms; stalled: 1,200 are due. Those due within the stall wait for its
# end: 2.02 s, 2.01 s ... 0.03 s; so do two that were under way when it began, 2.02 s each:
# (2 x 2.02 + 205 + 998 x 0.02) / 1,200
truths='constant mean_ns 400
constant p99_ns 400
constant max_ns 400
two mean_ns 260
two p50_ns 200
two p99_ns 800
two max_ns 800
stalled mean_ns 190.8
stalled p99_ns 1930
stalled max_ns 2020'

all_hold() {
    printf '%s\n' "$truths" | while read -r name figure want; do
        python3 truth.py "$name" "$figure" "$want" || exit 1
    done
}

for attempt in 1 2 3; do
    all_asked
    all_hold >/dev/null 2>&1 && break
    echo "# attempt $attempt was disturbed"
done
while read -r name figure want; do
    run python3 truth.py "$name" "$figure" "$want"
    printf '%s\n' "$out"
    is "$name: $figure" "$code$err" 0
done <<T
$truths
T
