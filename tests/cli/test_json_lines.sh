#!/bin/bash
# The lines of `run --json` hold what the help says of them, no more and no less, in its units.
# limit: 30
. "$ROOT/tests/lib/tap.sh"
needs python3

cat >tiny.yaml <<'Y'
vms: 2
workload: {kind: block, size: 4KiB, read: 70%, outstanding: 4}
drive: {like: gen5-fast}
phases: {settle: 1s, sample: 2s, interval: 1s}
Y
run "$RAWTPS" run tiny.yaml --virtual --json --quiet --out made
is 'the run is fine' "$code$err" 0
cp out lines
"$RAWTPS" help run >help
ok 'every field is in the help, and every word of the help is a field' python3 - <<'P'
import json
import re

words, inner = [], []
told = open("help").read().split("--json writes a line", 1)[1].split("\n\n", 1)[0]
for line in told.split("\n")[1:]:
    field = re.match(r"  (\w+) ", line)
    if field:
        words.append(field[1])
    if words[-1] == "lat":
        inner += re.findall(r"\b(avg|p[0-9_]+|max|min|stddev)\b", line)
for line in open("lines"):
    row = json.loads(line)
    assert list(row) == words, (list(row), words)
    assert list(row["lat"]) == inner, (list(row["lat"]), inner)
P
ok 'latencies are in microseconds, times in seconds, all VMs together "all"' python3 - <<'P'
import csv
import json

lines = [json.loads(line) for line in open("lines")]
table = list(csv.DictReader(open("made/intervals.csv")))
assert len(lines) == len(table) and len(lines) % 3 == 0, (len(lines), len(table))
for line, row in zip(lines, table):
    assert str(line["vm"]) == row["vm"].replace("-1", "all"), (line["vm"], row["vm"])
    assert line["phase"] == row["phase"] and line["err"] == int(row["failed"]), (line, row)
    assert abs(line["t"] - (int(row["start_ns"]) + int(row["length_ns"])) / 1e9) < 0.06, (line, row)
    assert abs(line["tps"] - float(row["tps"])) < 1e-6 * line["tps"], (line, row)
    for key, column in (("avg", "mean"), ("p50", "p50"), ("p95", "p95"), ("p99", "p99"),
                        ("p99_9", "p99_9"), ("max", "max"), ("stddev", "stddev")):
        assert abs(line["lat"][key] - float(row[column + "_ns"]) / 1000) <= 0.51, (line, row)
    assert line["lat"]["avg"] > 10, line["lat"]
assert lines[-1]["t"] == 3.0 and lines[-1]["phase"] == "sample", lines[-1]
P
