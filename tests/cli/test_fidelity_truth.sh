#!/bin/bash
# `rawtps fidelity --truth`: a file that is no file of measurements is one clear error.
# limit: 60
. "$ROOT/tests/lib/tap.sh"
needs python3

export RAWTPS_DATA="$ROOT"
# cells NAME=JSON...: cells.json has the first cell of each workload, with these members changed
cells() {
    python3 - "$ROOT/scenarios/fidelity/truth.json" "$@" <<'P'
import json, sys
cells = json.load(open(sys.argv[1]))["cells"]
cell = dict(next(c for c in cells if c["workload"] == sys.argv[2]))
for word in sys.argv[3:]:
    name, value = word.split("=", 1)
    into, (*path, last) = cell, name.split(".")
    for part in path:
        into[part] = into = dict(into.get(part, {}))
    into[last] = json.loads(value)
json.dump({"cells": [cell]}, open("cells.json", "w"))
P
    run timeout 10 "$RAWTPS" fidelity --truth cells.json --list
}

# refused WORKLOAD NAME=JSON: a mistake whose text has the cell and the name
refused() {
    cells "$@"
    is "$2 is a mistake" "$code" 2
    like "$2: the cell and the key are said" "$err" "cells.json: cells\[0\] [a-z]+/.*: ${2%%=*}"
}

cells tpcc_full
is 'a cell as it was measured' "$code$err" 0
for wrong in threads=4294967297 threads=-1 'threads="8"' buffer_mb=9223372036854775807 \
    checkpoint_s=100000000000 checkpoint_s=-1 trx=4294967296 warm=-1 warehouses=0 rows=1 \
    tables=-5 tps=-1 tps=1e300 flush_ms=1e300 'per_trx.cpu_ms=-1' 'per_trx.log_writes="x"' \
    'per_trx.page_reads=1e300' 'kinds=[1,2,3]' 'kinds=[0,0,0,0,0]' 'kinds=5' \
    'nurand_c=[256,0,0]' 'nurand_c=[-1,0,0]' 'reads=[1]' 'prior=[["uniform",1]]'; do
    refused tpcc_full "$wrong"
done
refused sb_special 'prior=[["uniform",-1]]'
refused sb_special 'prior=[["uniform",1],["uniform",1],["uniform",1],["uniform",1],["uniform",1]]'
cells tpcc_full 'reads.stock=-1'
like 'a table by its name' "$err" 'reads\.stock must be a number from 0 to'
cells sb_special 'rows=1000000000' 'tables=10000'
like 'more rows than an index can hold' "$err" 'tables x rows must be at most'
cells sb_special 'prior=[["nobody",1]]'
like 'an unknown distribution' "$err" 'no distribution is called "nobody"'

for text in '{}' '[]' '{"cells": 5}' '{"cells": null}'; do
    echo "$text" > other.json
    run timeout 10 "$RAWTPS" fidelity --truth other.json
    is "$text is no file of measurements" "$code" 2
    like "$text: it says so" "$err" 'other\.json: no list of "cells"'
done
echo '{"cells": [5]}' > other.json
run timeout 10 "$RAWTPS" fidelity --truth other.json
is 'a cell that is none' "$code" 2
mkfifo pipe
for path in pipe /dev/null .; do
    run timeout 10 "$RAWTPS" fidelity --truth "$path"
    is "$path: a mistake, and no waiting" "$code" 2
    like "$path: it says why" "$err" 'is not a regular file'
done

# figures that do not go together run all the same: within a second, for they are few
cells tpcc_full threads=2 warm=20 trx=20 buffer_mb=1 tps=0.001 per_trx.cpu_ms=60000 \
    per_trx.page_reads=0
run timeout 30 "$RAWTPS" fidelity --truth cells.json --seeds 1 --quiet
ok 'odd figures of a cell are no crash' test "$code" -le 3
