#!/bin/sh
# What goes wrong before the sample is told after it, and what was not filled is not read.
# limit: 120
. "$ROOT/tests/lib/tap.sh"
. "$ROOT/tests/lib/loop_drive.sh"

loop_drive 4G

cat > db.yaml <<'Y'
workload: {kind: tpcc, warehouses: 1, cycle: 200ms}
database: {buffer: 32MiB, log_capacity: 32MiB}
vms: 1
phases: {start: cold, precondition: 2s, sample: 1s}
Y

# the drive takes no writes for a moment of the preconditioning
for profile in innodb sqlserver; do
    "$RAWTPS" run db.yaml --set database.profile=$profile --drive "$loop" --erase "$PWD/image" \
        --interval 1s --out $profile >out 2>err </dev/null &
    pid=$!
    for _ in $(seq 200); do
        ! grep -qs " precondition " err || break
        sleep 0.1
    done
    blockdev --setro "$loop"
    sleep 0.7
    blockdev --setrw "$loop"
    code=0
    wait "$pid" || code=$?
    is "$profile: errors before the sample: exit code" "$code" 3
    like "$profile: they are told" "$(cat err)" 'I/O errors before the sample'
done

# a fill that was cut off is no fill
"$RAWTPS" run db.yaml --set workload.warehouses=30 --drive "$loop" --erase "$PWD/image" --out cut \
    >out 2>err </dev/null &
pid=$!
sleep 0.1
kill -KILL "$pid"
wait "$pid" 2>/dev/null
run "$RAWTPS" run db.yaml --set workload.warehouses=30 --set phases.fill=no --drive "$loop" \
    --erase "$PWD/image" --out half
is 'a drive that is half filled is not read: exit code' "$code" 2
like 'it is said' "$err" 'an earlier run has not filled it as far as this one reads'

run "$RAWTPS" run db.yaml --drive whole.img --quiet --out first
is 'a file is filled' "$code" 0
run "$RAWTPS" run db.yaml --drive whole.img --set phases.fill=no --quiet --out second
is 'and may be used as it is' "$code" 0
