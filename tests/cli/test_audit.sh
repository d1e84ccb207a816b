#!/bin/sh
# Published figures are held against Little's law: which rows and pairs are flagged, how it ends.
# limit: 30
. "$ROOT/tests/lib/tap.sh"
seeds=$ROOT/scenarios/audit-seeds.yaml

run "$RAWTPS" audit "$seeds"
is 'rows that contradict themselves end with 1' "$code$err" 1
like 'the rows are counted' "$out" '55: 9 consistent, 10 inconsistent'
like 'rows without declared users are held against each other' "$out" '^ VDI LC boot .*comparable'
like 'the copied response time is named' "$out" '23\.3ms is the R of'

# Exactly these findings: kind, test, drive, with.
cat > wanted <<'W'
INCONSISTENT,SQL Server TPC-C,H3200 U.2,
INCONSISTENT,Sysbench OLTP,H3200 U.2,
INCONSISTENT,4K random read,H3201 E1.S,
NOT COMPARABLE,4K random read,H3201 E1.S,H3200 U.2
NOT COMPARABLE,4K random read,H3201 E1.S,DC1000M
INCONSISTENT,4K random write,H3201 E1.S,
INCONSISTENT,4K random write,H3200 U.2,
INCONSISTENT,4K random write,DC1000M,
NOT COMPARABLE,4K random write,H3201 E1.S,H3200 U.2
NOT COMPARABLE,4K random write,H3201 E1.S,DC1000M
INCONSISTENT,64K sequential read,H3201 E1.S,
NOT COMPARABLE,64K sequential read,H3201 E1.S,H3200 U.2
NOT COMPARABLE,64K sequential read,H3201 E1.S,DC1000M
INCONSISTENT,64K sequential write,H3201 E1.S,
UNIT?,64K sequential write,H3200 U.2,
INCONSISTENT,64K sequential write,DC1000M,
NOT COMPARABLE,64K sequential write,H3201 E1.S,H3200 U.2
NOT COMPARABLE,64K sequential write,H3201 E1.S,DC1000M
NOT COMPARABLE,64K sequential write,H3200 U.2,DC1000M
NOT COMPARABLE,Oracle,H3200 U.2,DC1000M
W
run "$RAWTPS" audit "$seeds" --format csv
is 'csv ends with 1 too' "$code$err" 1
tr -d '\r' < out | sed -n '/^findings$/,$p' | sed '1,2d' | cut -d, -f1-4 > found
ok 'exactly the known rows and pairs are flagged' cmp -s found wanted
diff wanted found | sed 's/^/# /'

run "$RAWTPS" audit "$seeds" -f markdown
like 'Markdown has the table' "$out" '^\| Oracle \| DC1000M \|'
run "$RAWTPS" audit "$seeds" -f json
like 'JSON has the verdicts' "$out" '"verdict": "inconsistent"'

cat > good.yaml <<'Y'
groups:
  - name: t
    threads: 128
    rows:
      - {drive: a, throughput: 8646 TPS, response: 14.8ms}
      - {drive: b, throughput: 5485 TPS, response: 23.3ms}
Y
run "$RAWTPS" audit good.yaml
is 'figures that hold end with 0' "$code$err" 0
like 'and nothing is found' "$out" '^None\.'
sed 's/14.8ms/14.8/' good.yaml > bad.yaml
run "$RAWTPS" audit bad.yaml
is 'a bad file ends with 2' "$code$out" 2
like 'its place is named' "$err" '^rawtps: bad\.yaml:5:52: response: "14.8" is not a duration'
like 'and the mend' "$err" '^rawtps: hint: units are'
sed 's/threads/treads/' good.yaml > bad.yaml
run "$RAWTPS" audit bad.yaml
like 'a misspelt key is named' "$err" '^rawtps: bad\.yaml:3:5: unknown key "treads"'
like 'and what was meant' "$err" '^rawtps: hint: did you mean "threads"\?'
run "$RAWTPS" audit nowhere.yaml
is 'a file that is not there ends with 2' "$code" 2

run "$RAWTPS" list
like 'the shipped figures are listed as what they are' "$out" '^audit +audit-seeds +Application'
run "$RAWTPS" run "$seeds" --virtual
is 'and cannot be run' "$code" 2
like 'which is said' "$err" 'rawtps audit'
