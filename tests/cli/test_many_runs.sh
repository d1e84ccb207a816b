#!/bin/sh
# slow, not-sanitized, limit: 240
# A directory may hold hundreds of runs: what compare, gate and report spend grows with their
# number, not with its square. Four times as many runs cost about four times as much.
. "$ROOT/tests/lib/tap.sh"
. "$ROOT/tests/lib/cost.sh"
needs python3

cat > tiny.yaml <<'Y'
workload: {kind: block, size: 4KiB, read: 70%, outstanding: 4}
drive: {like: h3201-e1s}
phases: {sample: 45s}
Y
"$RAWTPS" run tiny.yaml --virtual --quiet --out base >/dev/null || fail 'run base'

# made FOLDER COUNT WORD...: runs as those of base
made() {
    python3 "$ROOT/tests/lib/make_runs.py" base "$@" || fail "runs of $1"
}
for count in 20 80; do
    for side in A B; do
        made "plain/$count/$side" $count seed=$side
        made "pair/$count/$side" $count seed=$side pair=$side
        for point in 1 2 3 4 5; do
            made points $((count / 5)) seed=$side$point \
                "set=scenario.settings:\"workload.outstanding=$point workload.read=70%\""
            mkdir -p "sweep/$count/$side"
            for run in points/*; do
                mv "$run" "sweep/$count/$side/$point-${run#points/}"
            done
        done
    done
    cat > gate-$count.yaml <<Y
version: 1
baseline: {runs: plain/$count/A}
candidate: {runs: plain/$count/B}
require: {steady_state: no}
metrics: [{metric: tps, margin: 3%}]
Y
done

# grows NAME FEW MANY: two commands, of four times as many runs
grows() {
    few=$(cost_counted "$RAWTPS" $2)
    many=$(cost_counted "$RAWTPS" $3)
    echo "# $1: $few, $many instructions"
    ok "$1: four times as many runs are no more than five times the work" \
        test "${few:-0}" -gt 0 -a "${many:-0}" -gt "${few:-0}" -a "$many" -le $((few * 5))
}
for kind in pair sweep; do
    for count in 20 80; do
        run "$RAWTPS" compare "a=$kind/$count/A" "b=$kind/$count/B" --no-curve
        is "compare, $kind, $count runs a side" "$code$err" 0
    done
    grows "compare, $kind" "compare a=$kind/20/A b=$kind/20/B --no-curve" \
        "compare a=$kind/80/A b=$kind/80/B --no-curve"
done
like 'of which the last were a sweep' "$out" '5 points of workload.outstanding'
grows 'gate' 'gate gate-20.yaml' 'gate gate-80.yaml'
grows 'report' 'report plain/20/A' 'report plain/80/A'
