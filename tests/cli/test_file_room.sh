#!/bin/sh
# A file is made no larger than its file system, and the scale that is said to fit does.
# limit: 60
. "$ROOT/tests/lib/tap.sh"

mkdir room
mount -t tmpfs -o size=700m tmpfs room 2>/dev/null || skip_all 'cannot mount a small tmpfs here'
trap 'umount room; tap_end' EXIT

run "$RAWTPS" run tpcc-1500 --drive room/x.img --for 1s
is 'the whole does not fit: exit code' "$code" 2
like 'as much as the run would reserve' "$err" 'needs 600 GB, there are [0-9]+ MB free in its file'
scale=$(echo "$err" | sed -n 's/.*largest scale that fits is \([^:]*\):.*/\1/p')
like 'the largest scale is said' "$scale" '^1/[0-9]+$'
run "$RAWTPS" run tpcc-1500 --drive room/x.img --scale "1/$((${scale#1/} - 1))" --for 1s
is 'the next larger does not fit' "$code" 2
run "$RAWTPS" run tpcc-1500 --drive room/x.img --scale "$scale" --for 1s --quiet --out fits
is 'it does fit' "$code" 0
rm room/x.img
is 'a run that is over holds no drive' "$(df --output=used room | tail -1 | tr -d ' ')" 0
run "$RAWTPS" run tpcc-1500 --drive room/x.img --scale fit --for 1s --quiet --out fit
is 'and is what fit takes: exit code' "$code" 0
like 'exactly' "$out" "scale $scale[,:]"
