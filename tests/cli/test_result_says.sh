#!/bin/bash
# What a result says of the run that made it: the drive's settings, what was cut short, what was
# written, what is not known, and what was offered and never begun.
# limit: 60
. "$ROOT/tests/lib/tap.sh"
needs python3

cat > tiny.yaml <<'Y'
workload: {kind: block, size: 4KiB, read: 50%, outstanding: 4}
phases: {settle: 1s, sample: 3s}
Y
# of DIR EXPRESSION: of the result r
of() {
    python3 -c 'import json, sys
r = json.load(open(sys.argv[1] + "/run.json"))
a = r["aggregate"]
print(eval("(" + sys.argv[2] + ")"))' "$1" "$2"
}
run "$RAWTPS" run tiny.yaml --virtual --quiet --out whole --set drive.dies=8 \
    --set drive.like=gen5-fast --set drive.capacity=1TB
is "a simulated drive's keys are settings; its model and capacity are said elsewhere" \
    "$(of whole 'r["scenario"]["settings"]')" drive.dies=8
is 'at full length it is comparable' "$(of whole 'r["scenario"]["comparable"]')" True
is 'what a phase wrote is in it' "$(of whole 'r["phases"][0]["bytes_written"] ==
    r["precondition"]["bytes_written"] > 0 and r["phases"][1]["bytes_written"] ==
    sum(i["bytes"] for i in a["ios"] if i["verb"] == "write")')" True
is 'what is not judged is not known' "$(of whole '[a["steady"][k] for k in
    ("judged", "range_share", "lat_range_share", "p99_excursion_share", "drift_share")]')" \
    '[False, None, None, None, None]'
run "$RAWTPS" run tiny.yaml --virtual --quiet --out short --for 2s
is 'shortened it is not' "$(of short 'r["scenario"]["comparable"]')" False

sum='a["due"] == a["done"] + a["rolled_back"] + a["failed"] + a["skipped"] + a["open"]'
for arrivals in poisson constant; do
    run "$RAWTPS" run tiny.yaml --virtual --quiet --out $arrivals --set workload.rate=500k/s \
        --set workload.arrivals=$arrivals
    is "$arrivals: nothing that was offered is lost" "$code $(of $arrivals "$sum")" '0 True'
    # of the 3 s, and what of the second before nobody had begun
    is "$arrivals: all of it is counted" "$(of $arrivals '1.9e6 < a["due"] < 2e6 and
        a["open"] > 1e6')" True
    like "$arrivals: it says that the rate was not reached" "$out" \
        'warning: vm0: the rate of 500000/s was not reached: .* of the 4 users'
    is "$arrivals: seconds too" "$(awk -F, '$3 == "sample" && $4 == "all" && $5 > 495000 &&
        $5 < 505000' $arrivals/intervals.csv | wc -l)" 3
done
run "$RAWTPS" run tiny.yaml --virtual --quiet --out kept --set workload.rate=5k/s
unlike 'a rate that is kept up' "$out" 'not reached'
is 'leaves nothing waiting' "$(of kept "$sum and a['open'] < 5")" True
