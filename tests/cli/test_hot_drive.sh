#!/bin/bash
# What a run says of its drive's link and warmth, and that a drive that was too hot is no fair
# comparison.
# limit: 60
. "$ROOT/tests/lib/tap.sh"
needs python3
. "$ROOT/tests/lib/tiny_runs.sh"

heat='--set drive.ambient=30 --set drive.heat=5 --set drive.heat_time=2s --set drive.power_idle=2
    --set drive.power_read=3 --set drive.throttle_to=30% --set workload.outstanding=32'
for seed in 1 2; do
    # shellcheck disable=SC2086
    made "warm/$seed" h3201-e1s "$seed" $heat --set drive.throttle_at=90
    # shellcheck disable=SC2086
    made "hot/$seed" h3201-e1s "$seed" $heat --set drive.throttle_at=45
done
run "$RAWTPS" compare warm hot --strict --no-curve -f markdown
is '--strict: a drive that was slowed down by its heat is 6' "$code" 6
like 'temperatures are held against each other' "$out" 'start temperature [0-9]+ °C'
like 'the seconds are said' "$out" 'throttled 0 s .* [0-9.]+ s in 2 of 2 runs'
run "$RAWTPS" report hot/1
like 'the run itself warns' "$out" '^warning: the drive was too hot and slowed down for [0-9]+ s of'
like 'and says link and temperature' "$out" 'link 8.0 GT/s x4 \(max 8.0 x4\), [0-9]+ to [0-9]+ °C'
ok 'run.json has them' python3 -c 'import json; d = json.load(open("hot/1/run.json"))["drives"][0]
assert d["health"]["throttled_s"] > 1 and d["health"]["temperature_max_c"] >= 42, d
assert d["link"] == {"speed_gt_s": 8, "width": 4, "max_speed_gt_s": 8, "max_width": 4}, d
assert d["power_state"] is None'
