#!/bin/sh
# A drive whose sectors are 4 KiB: databases run on it, and smaller requests are refused by name.
# limit: 90
. "$ROOT/tests/lib/tap.sh"
. "$ROOT/tests/lib/loop_drive.sh"

loop_drive 1G -b 4096

cat > db.yaml <<'Y'
workload: {kind: tpcc, warehouses: 1, cycle: 500ms}
database: {buffer: 32MiB, log_capacity: 32MiB}
vms: 1
phases: {start: cold, precondition: 1s, sample: 2s}
Y
for profile in sqlserver innodb postgres; do
    run "$RAWTPS" run db.yaml --set database.profile=$profile --drive "$loop" --erase "$PWD/image" \
        --out $profile --quiet
    is "$profile: it runs" "$code" 0
    like "$profile: and has checked pages" "$out" '^ integrity +0 wrong of [1-9]'
done
run "$RAWTPS" report innodb
like 'the log takes what the drive does' "$out" \
    '^warning: the drive takes multiples of 4KiB: so large are the log.s blocks, not 512'

cat > block.yaml <<'Y'
workload: {kind: block, size: 8KiB, read: 70%, outstanding: 4}
phases: {sample: 1s}
Y
run "$RAWTPS" run block.yaml --drive "$loop" --erase "$PWD/image" --quiet --out block
is 'requests of whole sectors run' "$code" 0
for size in 512 6KiB '[{size: 4KiB, share: 50%}, {size: 1KiB, share: 50%}]'; do
    for command in plan run; do
        run "$RAWTPS" $command block.yaml --set "workload.size=$size" --drive "$loop" \
            --erase "$PWD/image"
        is "$command: others are refused: $size" "$code" 2
        like "by what the drive takes: $size" "$err" \
            "^rawtps: $loop takes multiples of 4KiB, and vm0 asks"
    done
done
