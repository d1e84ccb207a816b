#!/bin/sh
# A file that one run filled can be read by the next: no hole is left before the first VM's part.
. "$ROOT/tests/lib/tap.sh"

set -- "$ROOT/tests/bench/bench.yaml" --drive file.img --set drive.capacity=64MiB --quiet
run "$RAWTPS" run "$@" --set phases.fill=yes --for 1s --out filling
ok 'it is filled' test -s filling/run.json
run "$RAWTPS" run "$@" --for 1s --out reading
unlike 'what was filled may be read' "$err" 'holes'
ok 'and was' test -s reading/run.json
