#!/bin/bash
# The HTML report: one file that loads nothing, in which nobody's words do harm, and whose numbers
# are those of run.json.
# limit: 60
. "$ROOT/tests/lib/tap.sh"
. "$ROOT/tests/lib/report_run.sh"
needs python3
report_run plain

run "$RAWTPS" report plain --html
is 'a page is written' "$code$out" 0
like 'and it is said where' "$err" '^rawtps: wrote plain/report.html, '
ok 'it is in the run directory' test -s plain/report.html
run "$RAWTPS" report plain --html other.html
cmp -s plain/report.html other.html
is 'the same result is the same page' $? 0
run "$RAWTPS" report plain --html -
cmp -s plain/report.html out
is 'to stdout too' $? 0
run "$RAWTPS" report plain --format html
cmp -s plain/report.html out
is 'by --format html too' $? 0
run "$RAWTPS" report --html plain
is 'the run may stand behind the option' "$code" 0
ok 'a page of 20 s is small' test "$(stat -c %s plain/report.html)" -lt 300000
is 'nothing is loaded' "$(grep -ciE '(src|href|action|data)="?(https?:|//)' plain/report.html)" 0
like 'and a policy forbids it' "$(head -n 9 plain/report.html)" \
    "Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src"

cat > check.py <<'P'
"""Holds a page against run.json and intervals.csv; prints what is wrong."""
import csv
import html.parser
import json
import math
import sys

RAW = ("script", "style")


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tables, self.tags, self.attributes = {}, {}, set()
        self.key, self.cell, self.island, self.ids = None, None, "", None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.attributes |= set(attrs)
        if tag == "table":
            self.key = attrs["data-key"]
            self.tables[self.key] = [[]]
        elif tag == "tr" and self.key:
            self.tables[self.key].append([])
        elif tag in ("th", "td") and self.key:
            self.cell = [attrs.get("data-key"), attrs.get("data-value"), ""]
            self.tables[self.key][-1].append(self.cell)
        self.ids = attrs.get("id") if tag == "script" else None

    def handle_endtag(self, tag):
        self.cell = None if tag in ("th", "td") else self.cell
        self.key = None if tag == "table" else self.key

    def handle_data(self, data):
        if self.cell:
            self.cell[2] += data
        if self.ids == "rawtps-data":
            self.island += data


def rows(page, key):
    table = [row for row in page.tables[key] if row]
    names = [cell[0] for cell in table[0]]
    return [dict(zip(names, (c[2] if c[1] is None else c[1] for c in row))) for row in table[1:]]


def same(what, shown, wanted):
    if shown == "-" and wanted is None:
        return
    if not math.isclose(float(shown), float(wanted), rel_tol=1e-11):
        print(f"{what}: shows {shown}, is {wanted}")


def check_vms(page, run):
    vms = run["vms"] + [run["aggregate"]]
    shown = rows(page, "vms")
    if len(shown) != len(vms):
        print(f"{len(shown)} rows of VMs")
    for row, vm in zip(shown, vms):
        same("tps", row["tps"], vm["tps"])
        same("failed", row["failed"], vm["failed"])
        for key in ("p50_ns", "p95_ns", "p99_ns", "p99_9_ns", "max_ns", "stddev_ns"):
            same(key, row[key], vm["response"][key])
        same("avg_ns", row["avg_ns"], vm["response"]["mean_ns"])


def check_kinds(page, run):
    kinds = {"all": run["aggregate"]["response"]}
    kinds.update((t["kind"], t["response"]) for t in run["aggregate"]["txns"])
    for row in rows(page, "percentiles"):
        for key in ("count", "min_ns", "p50_ns", "p90_ns", "p99_9_ns", "p99_999_ns", "max_ns"):
            same(f"{row['kind']} {key}", row[key], kinds[row["kind"]][key])
    for row, io in zip(rows(page, "physical_io"), run["aggregate"]["ios"]):
        same("io p99", row["p99_ns"], io["latency"]["p99_ns"])
        same("io max", row["max_ns"], io["latency"]["max_ns"])


def check_series(page, path):
    with open(path, encoding="utf-8") as file:
        lines = [r for r in csv.DictReader(file) if r["vm"] == "all"]
    charts = {chart["key"]: chart for chart in json.loads(page.island)}
    for key, label, column in (("time_tps", "all", "tps"), ("time_latency", "p99", "p99_ns"),
                               ("time_latency", "avg", "mean_ns")):
        series = next(s for s in charts[key]["series"] if s["label"] == label)
        if len(series["y"]) != len(lines):
            print(f"{key}: {len(series['y'])} points of {len(lines)}")
        for got, line in zip(series["y"], lines):
            if float(line["tps"]) > 0 and got != float(line[column]):
                print(f"{key} {label}: shows {got}, is {line[column]}")
    x = charts["time_tps"]["series"][0]["x"]
    if [round(v * 1e9) for v in x] != [int(line["start_ns"]) for line in lines]:
        print("times differ")
    if [b["label"] for b in charts["time_tps"]["bands"]][-1] != "sample":
        print("no band for the sample")


page = Page()
with open(sys.argv[2], encoding="utf-8") as page_file:
    page.feed(page_file.read())
with open(sys.argv[1] + "/run.json", encoding="utf-8") as run_file:
    result = json.load(run_file)
if len(sys.argv) == 3:
    check_vms(page, result)
    check_kinds(page, result)
    check_series(page, sys.argv[1] + "/intervals.csv")
    for name in ("identity", "vms", "phases", "time_spent", "physical_io", "io_sizes"):
        if name not in page.tables:
            print("no table", name)
for tag in ("img", "b", "i", "iframe", "link", "object"):
    if tag in page.tags:
        print("a tag that is not ours:", tag)
if page.tags.get("script") != 3 or page.tags["title"] != 1:
    print("scripts:", page.tags.get("script"))
if any(name.startswith("on") for name in page.attributes):
    print("an event handler:", page.attributes)
json.loads(page.island)
P
run python3 check.py plain plain/report.html
is 'every number is that of run.json and intervals.csv' "$code$out$err" 0

hostile plain evil
run "$RAWTPS" report evil --html evil.html
is 'a hostile run has a page' "$code" 0
run python3 check.py evil evil.html hostile
is 'and its words stay words' "$code$out$err" 0
is 'no control character' "$(LC_ALL=C grep -c "$(printf '[\001-\010\013-\037]')" evil.html)" 0
ok 'the model is shown as it is' grep -q '&lt;script&gt;hostile=4' evil.html
ok 'the serial number is shown' grep -q SERIAL-4711 evil.html
run "$RAWTPS" report evil --html red.html --redact-serial
is 'unless it is to be left out' "$(grep -c SERIAL-4711 red.html)" 0
ok 'then its place says so' grep -q '>redacted<' red.html
run "$RAWTPS" report evil --redact-serial --format json
is 'in every format' "$(grep -c SERIAL-4711 out)" 0

# a run of which something is missing
mkdir bare && cp plain/run.json bare/
run "$RAWTPS" report bare --html
is 'run.json alone has a page' "$code" 0
mkdir torn && cp plain/* torn/ && head -c -20 plain/latency.hlog > torn/latency.hlog
run "$RAWTPS" report torn --html
is 'a torn last histogram does no harm' "$code" 0
line=$(grep -nE '^Tag=vm0\.[a-z_]+,' torn/latency.hlog | sed -n '3s/:.*//p')
sed -i "${line}s/.\\{40\\}\$/!!&/" torn/latency.hlog
run "$RAWTPS" report torn --html
is 'a damaged one is refused' "$code" 2
like 'and its line named' "$err" "torn/latency.hlog:$line:1: not a line of a histogram log"
python3 - torn/latency.hlog <<'P'
import sys

head, tail = b"#[Histogram log format version 1.3]\n#", b"\nTag=vm0.x,\n"
with open(sys.argv[1], "wb") as file:  # exactly a page, so that whoever reads on falls off
    file.write(head + b"x" * (4096 - len(head) - len(tail)) + tail)
P
run "$RAWTPS" report torn --html
is 'a line without figures is refused' "$code" 2
run "$RAWTPS" report plain --html /nowhere/x.html
is 'where nothing can be written it fails' "$code" 3
like 'with the place' "$err" 'cannot write /nowhere/x.html: No such file'
run "$RAWTPS" report plain --html x.txt
is 'a file of another ending is a run that is not there' "$code" 2

run "$RAWTPS" report plain --html=one.html --svg=one.html
is 'two files of one name are refused' "$code" 2
like 'by their name' "$err" 'are one: one.html'
not_ok 'and neither is written' test -e one.html
for other in ./one.html "$PWD/one.html" "plain/../one.html"; do
    run "$RAWTPS" report plain --html=one.html --svg="$other"
    is "as $other too" "$code" 2
done
run "$RAWTPS" report plain --html --svg=plain/report.html
is 'and by the name that a page has by itself' "$code" 2
run "$RAWTPS" report plain --slo 1ms
is 'a knee of one run is refused' "$code" 2
like 'as one of several' "$err" 'slo is of several runs'

# several runs
for threads in 1 4 16; do
    "$RAWTPS" run small.yaml --virtual --quiet --threads $threads --for 5s --out "t$threads" \
        >/dev/null
done
run "$RAWTPS" report t1 t4 t16
is 'several runs are a sweep' "$code" 0
is 'with one knee' "$(grep -c ' knee *$' out)" 1
run "$RAWTPS" report t1 t4 t16 --html sweep.html --slo 1us
ok 'which has a page' grep -q '"key":"sweep"' sweep.html
not_ok 'and no knee above the limit' grep -q '>knee<' sweep.html
mkdir folder && cp -r t1 t4 t16 folder && ln -s t4 folder/LATEST
run "$RAWTPS" report folder
is 'so is a directory of runs' "$code$(grep -c ' knee *$' out)$err" 01
run "$RAWTPS" report folder/ --html folder.html
ok 'which has a page' grep -q '"key":"sweep"' folder.html
cp -r plain folder && sed -i '0,/"name": "[^"]*"/s//"name": "another"/' folder/plain/run.json
run "$RAWTPS" report folder
is 'of one scenario' "$code" 2
like 'what to do is said' "$err" '^rawtps: hint: name one of them, or'
run "$RAWTPS" report plain --gnuplot dat
ok 'figures for gnuplot' test -s dat/time_tps.dat
