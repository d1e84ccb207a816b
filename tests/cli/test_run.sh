#!/bin/sh
# What a run prints, what it leaves behind, and that `report` prints the same again.
# limit: 60
. "$ROOT/tests/lib/tap.sh"

cat > tiny.yaml <<'Y'
about: requests on a simulated drive
vms: 2
workload:
  kind: block
  size: 8KiB
  read: 70%
  outstanding: 4
drive:
  like: h3201-e1s
phases:
  settle: 1s
  sample: 3s
Y

run "$RAWTPS" run tiny.yaml --virtual --label first
is 'a run is fine' "$code" 0
like 'a row a VM' "$out" '^ vm1 .* 0$'
like 'a row for all' "$out" '^ all .* 0$'
like 'progress goes to stderr' "$err" '^00:00:.. sample  iops [0-9]'
unlike 'stdout is data alone' "$out" '^00:00:'
dir=$(echo results/2*-tiny-*)
ok 'the run directory is results/<UTC>-<scenario>-<id>' test -d "$dir"
is 'results/LATEST points to it' "$(readlink results/LATEST)" "${dir#results/}"
like 'the table names it' "$out" "$dir"
ok 'stdout.log is what was printed' cmp -s out results/LATEST/stdout.log
like 'the label is kept' "$(cat "$dir/run.json")" '"label": ?"first"'
like 'the version is kept' "$(cat "$dir/run.json")" "\"version\": ?\"$(cat "$ROOT/VERSION")\""
like 'the build is kept' "$(cat "$dir/run.json")" '"build_id": ?"[0-9a-f]{40}"'
cp out table
for path in results/LATEST results/LATEST/ results/LATEST/run.json "$dir" "$dir/" "$dir/run.json"
do
    run "$RAWTPS" report "$path"
    ok "report $path is the same, byte for byte" cmp -s out table
    is 'and it is fine' "$code$err" 0
done

for format in markdown csv json; do
    run "$RAWTPS" run tiny.yaml --virtual --quiet --out "$format" --format "$format"
    is "--format $format is fine; --quiet prints nothing on stderr" "$code$err" 0
    cp out table
    run "$RAWTPS" report "$format" --format "$format"
    ok "report --format $format is the same" cmp -s out table
done
ok '--format json is run.json' cmp -s json/run.json table
run "$RAWTPS" report markdown -f markdown
like 'Markdown has tables' "$out" '^\|[-:| ]+\|$'
is '--out is not LATEST' "$(readlink results/LATEST)" "${dir#results/}"

run "$RAWTPS" run tiny.yaml --virtual --out json
is '--out that is not empty is refused' "$code" 2
like 'it is said' "$err" '^rawtps: --out json: exists and is not an empty directory'
mkdir precious && echo mine >precious/run.json
run "$RAWTPS" run tiny.yaml --virtual -q --out new/../precious
is 'nor by a path that is not there before its folders are made' "$code" 3
not_ok 'of which none is made' test -e new
is 'and what is there stays' "$(cat precious/*)" mine
mkdir empty
run "$RAWTPS" run tiny.yaml --virtual -q -o empty
is '--out that is empty is taken' "$code" 0
ok 'and is the run directory' test -s empty/run.json
run "$RAWTPS" run tiny.yaml --virtual -q --results elsewhere
ok '--results is another place' test -s elsewhere/LATEST/run.json

run "$RAWTPS" run tiny.yaml --virtual --json --quiet --out objects
is '--json is fine' "$code$err" 0
needs python3
cat > check.py <<'P'
import json
import sys
rows = [json.loads(line) for line in sys.stdin]
assert len(rows) == 3 * 4, len(rows)
assert {row["vm"] for row in rows} == {0, 1, "all"}
assert {row["phase"] for row in rows} == {"settle", "sample"}
assert rows[-1]["t"] == 4.0, rows[-1]
assert all(row["tps"] > 0 and row["lat"]["p50"] <= row["lat"]["max"] for row in rows)
P
ok '--json is one object an interval and VM' sh -c 'python3 check.py < out'
run "$RAWTPS" run tiny.yaml --virtual --json --out objects2
like '--json shows the table on stderr' "$err" '^ all '
unlike 'and objects alone on stdout' "$out" '^[^{]'

run "$RAWTPS" run tiny.yaml --virtual --progress sysbench -o sysbench
like 'lines as of sysbench' "$err" '^\[ [0-9]+s \] thds: 8 tps: [0-9.]+ '
run "$RAWTPS" run tiny.yaml --virtual --progress pgbench -o pgbench
like 'lines as of pgbench' "$err" '^progress: [0-9.]+ s, [0-9.]+ tps, lat '

sed 's/  settle: 1s/  start: cold/' tiny.yaml >whole.yaml
run "$RAWTPS" run whole.yaml --virtual --interval 1h --for 20s -o whole
is 'a line of 20 intervals has the percentile of all, not the highest of theirs' \
    "$(echo "$err" | sed -n 's/.* sample .* p99 \([^ ]*\) .*/\1/p')" \
    "$(echo "$out" | awk '$1 == "all" { print $(NF - 7); exit }')"

run "$RAWTPS" run tiny.yaml --virtual -q --seed 7 --out seed7
run "$RAWTPS" run tiny.yaml --virtual -q --seed 7 --out seed7b
ok 'the same seed gives the same intervals' cmp -s seed7/intervals.csv seed7b/intervals.csv
not_ok 'another does not' cmp -s seed7/intervals.csv objects/intervals.csv
