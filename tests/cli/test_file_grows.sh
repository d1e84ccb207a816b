#!/bin/bash
# A scratch file that rawtps made grows when the next scenario needs more; others' files never do.
# limit: 60
. "$ROOT/tests/lib/tap.sh"

cat > grow.yaml <<'Y'
workload: {kind: sysbench, tables: 1, rows: 20000, threads: 2}
database: {profile: innodb, buffer: 8MiB, log_capacity: 8MiB}
phases: {start: cold, precondition: 0s, sample: 1s}
Y

run "$RAWTPS" run grow.yaml --drive scratch.img --quiet --out small
case $err in
*'O_DIRECT'* | *io_uring*) skip_all "no O_DIRECT or io_uring here: $err" ;;
esac
ok 'a file is made' test "$code" -le 1 -a -s scratch.img
before=$(stat -c %s scratch.img)

run "$RAWTPS" plan grow.yaml --drive scratch.img --set workload.rows=200000
is 'a plan that needs more of it is made' "$code" 0
like 'and says that it grows' "$out$err" 'made by rawtps and is too small: it is grown to [0-9]+'
is 'plan touches nothing' "$(stat -c %s scratch.img)" "$before"
run "$RAWTPS" run grow.yaml --drive scratch.img --set workload.rows=200000 --out large
ok 'it runs' test "$code" -le 1
ok 'on a larger file' test "$(stat -c %s scratch.img)" -gt "$before"
like 'which was filled anew' "$(cat large/run.json)" '"name": ?"fill"'

run "$RAWTPS" plan grow.yaml --drive scratch.img --set workload.tables=90 \
    --set workload.rows=100M
is 'more than the file system has is refused' "$code" 2
like 'with what there is' "$err" '^rawtps: scratch.img: too small: .* free in its file system'

truncate -s 8M theirs.img
printf x | dd of=theirs.img bs=1 seek=5000000 conv=notrunc 2>/dev/null
run "$RAWTPS" plan grow.yaml --drive theirs.img --set workload.rows=200000
is "somebody else's file is not grown" "$code" 2
like 'and that is said' "$err" '^rawtps: theirs.img: too small: 1 VM needs'

cat > block.yaml <<'Y'
workload: {kind: block, size: 8KiB, read: 50%, outstanding: 4}
drive: {capacity: 16MiB}
phases: {sample: 1s}
Y
run "$RAWTPS" run block.yaml --drive block.img --quiet --out b1 --set phases.fill=yes
is 'a file of a given size' "$code" 0
run "$RAWTPS" run block.yaml --drive block.img --out b2 --set phases.fill=yes \
    --set drive.capacity=32MiB
is 'runs with twice the size' "$code" 0
like 'which is said' "$err" 'block.img was made by rawtps and is too small: it is grown to'
run "$RAWTPS" run block.yaml --drive block.img --out b3 --set phases.fill=yes \
    --set drive.capacity=32MiB
unlike 'once' "$err" 'grown'
ok 'and has it' test "$(stat -c %s block.img)" -gt 30000000
