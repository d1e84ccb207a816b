# Short virtual runs of bare requests for tests that compare runs; beside tap.sh.

cat > tiny.yaml <<'Y'
workload: {kind: block, size: 4KiB, read: 70%, outstanding: 4}
phases: {settle: 1s, sample: 10s}
Y

# made DIR DRIVE SEED [option...]
made() {
    dir=$1 drive=$2 seed=$3
    shift 3
    "$RAWTPS" run tiny.yaml --virtual --quiet --set "drive.like=$drive" --seed "$seed" \
        --out "$dir" "$@" >/dev/null || fail "run $dir"
}
