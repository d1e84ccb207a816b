#!/bin/bash
# drive.capacity is the size of a file that is made, and drive.range the same part of it each time.
# limit: 60
. "$ROOT/tests/lib/tap.sh"

cat > quarter.yaml <<'Y'
workload: {kind: block, size: 4KiB, read: 100%, outstanding: 2}
drive: {range: 25%}
phases: {start: cold, fill: yes, sample: 1s}
Y
filled() {
    sed -n '/"name": "fill"/,/}/s/.*"bytes_written": \([0-9]*\).*/\1/p' "$1/run.json"
}
run "$RAWTPS" run quarter.yaml --drive ./new.img --set drive.capacity=64MiB --out r1 --quiet
if grep -qi 'io_uring' err; then
    skip_all "$err"
fi
is 'the file has its capacity' "$code $(stat -c %s new.img)" "0 $((64 << 20))"
is 'a quarter of it is filled' "$(filled r1)" $(((16 << 20) - (1 << 20)))
for again in r2 r3; do
    run "$RAWTPS" run quarter.yaml --drive ./new.img --set drive.capacity=64MiB --out $again --quiet
    is "$again: the same quarter" "$code $(filled $again)" "0 $(filled r1)"
done
run "$RAWTPS" run quarter.yaml --drive ./new.img --set drive.capacity=128MiB --out r4 --quiet
is 'it grows to a larger one' "$code $(stat -c %s new.img)" "0 $((128 << 20))"
run "$RAWTPS" plan quarter.yaml --drive ./huge.img --set drive.capacity=8000TiB
is 'one that its file system cannot hold is refused' "$code" 2
like 'by size' "$err" 'are more than the .* free there'
