#!/bin/bash
# Where locked memory is limited fewer requests go to the drive than were asked for: the run warns.
. "$ROOT/tests/lib/tap.sh"
needs setpriv
[ "$(id -u)" = 0 ] || skip_all 'only root can give up what lifts the limit'

cat > deep.yaml <<'Y'
workload: {kind: block, size: 4KiB, read: 100%, outstanding: 1024}
drive: {capacity: 32MiB}
phases: {sample: 1s}
Y
limited() {
    (ulimit -l 64 && setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock "$@")
}

run "$RAWTPS" run deep.yaml --drive scratch.img --out free
case $err in
*'O_DIRECT'* | *io_uring*) skip_all "no O_DIRECT or io_uring here: $err" ;;
esac
unlike 'without a limit nothing is said' "$err" 'locked memory'
run limited "$RAWTPS" run deep.yaml --drive scratch.img --out held
like 'with one it is' "$err" 'warning: .*240 requests at once at most.*ulimit -l'
run "$RAWTPS" report held
like 'also in the report' "$out" 'warning: .*240 requests at once at most'
