#!/bin/sh
# A disk fills up while results are written: figures are printed, nothing is garbled, exit 3.
# limit: 60
. "$ROOT/tests/lib/tap.sh"

mkdir small
mount -t tmpfs -o size=256k tmpfs small 2>/dev/null || skip_all 'cannot mount a small tmpfs here'
trap 'umount small; tap_end' EXIT

cat > tiny.yaml <<'Y'
workload:
  kind: block
  size: 8KiB
  read: 70%
  outstanding: 4
drive:
  like: gen5-fast
phases:
  settle: 1s
  sample: 500s
Y
run "$RAWTPS" run tiny.yaml --virtual --quiet --out small/run
is 'exit code' "$code" 3
like 'it is said' "$err" '^rawtps: cannot write [a-z.]+ in small/run: No space left on device$'
like 'the table is printed' "$out" '^ all +[1-9]'
run "$RAWTPS" report small/run
is 'report works on what is there' "$code" 0
like 'and has figures' "$out" '^ all +[1-9]'
is 'every line of intervals.csv is whole' \
    "$(awk -F, 'NR > 1 && NF != 24' small/run/intervals.csv | wc -l)" 0

# a limit on the size of files ends the program by a signal, unless it is ignored
cat > small.yaml <<'Y'
workload: {kind: block, size: 8KiB, read: 70%, outstanding: 4}
drive: {kind: sim}
phases: {start: cold, sample: 60s, interval: 10ms}
Y
run sh -c 'ulimit -f 100; exec "$RAWTPS" run small.yaml --virtual -q --out limited'
is 'results that may not grow: exit code' "$code" 3
like 'it is said' "$err" ' in limited: File too large$'
run sh -c 'ulimit -f 1; exec "$RAWTPS" help scenario'
is 'output that may not grow: exit code' "$code" 3
is 'it is said' "$err" 'rawtps: cannot write the output: File too large'
