#!/bin/sh
# What a CI job sees of `rawtps gate`: exit codes, messages, and files that other programs read.
# Run directories with known truth are made from one virtual run; `history` is tested on them too.
# limit: 60
. "$ROOT/tests/lib/tap.sh"
needs python3

cat > tiny.yaml <<'Y'
vms: 2
workload: {kind: block, size: 8KiB, read: 100%, outstanding: 2}
drive: {kind: null, latency: 10ms, capacity: 1GiB}
phases: {settle: 1s, sample: 330s}
Y
run "$RAWTPS" run tiny.yaml --virtual --quiet --out base --label golden
is 'a run to start from' "$code$err" 0

runs() { # DIR COUNT key=value ...
    python3 "$ROOT/tests/lib/make_runs.py" base "$@" || fail "make_runs.py $*"
}

# gate NAME CANDIDATE 'more lines' : writes NAME.yaml; the margin of both rows is 3 %
gate_file() {
    {
        printf 'version: 1\nbaseline: {runs: old/*}\ncandidate: {runs: %s}\n' "$2"
        printf 'metrics:\n  - {metric: tps, margin: 3%%}\n  - {metric: lat_p99, margin: 3%%}\n'
        printf '%b' "${3-}"
    } > "$1.yaml"
}

runs old 5 seed=1
runs same 5 seed=2 start=60
runs slow 5 seed=3 start=60 tps=0.94
runs tail 5 seed=4 start=60 p99=1.1
runs edge 5 seed=5 start=60 tps=0.97 noise=0.004
runs wild 5 seed=6 start=60 noise=0.05
runs few 3 seed=7 start=60

gate_file same 'same/*'
run "$RAWTPS" gate same.yaml
is 'the same passes' "$code$err" 0
like 'it is said in a word' "$out" 'passed: 2 rows hold: PASS'
like 'a row has both sides, the bounds and what was asked' "$out" \
    '^ tps +aggregate +[0-9]+ +[0-9]+ +[-+][0-9.]+% +\[[-+].*\] +> -3.0% .* 5\+5 +PASS$'

gate_file slow 'slow/*' 'outputs: {junit: g.xml, markdown: g.md, json: g.json}\n'
run "$RAWTPS" gate slow.yaml
is 'slower firmware is found' "$code" 1
like 'which row' "$out" 'tps aggregate margin 3%: -6.*\] < -3.0%'
like 'what to do next' "$out" "next +.rawtps compare 'old/\*' --vs 'slow/\*'. shows where"
gate_file tail 'tail/*'
run "$RAWTPS" gate tail.yaml
is 'so is a longer tail' "$code" 1
like 'and throughput passes' "$out" '^ tps .* PASS$'

gate_file edge 'edge/*'
run "$RAWTPS" gate edge.yaml
is 'at the margin it is open' "$code" 5
like 'how many runs are needed is said' "$out" 'needs (more than )?[0-9]+ runs a side'
gate_file edge 'edge/*' 'design: {on_inconclusive: pass}\n'
run "$RAWTPS" gate edge.yaml
is 'unless the file lets it pass' "$code" 0
gate_file edge 'edge/*' 'design: {on_inconclusive: more}\n'
run "$RAWTPS" gate edge.yaml
is 'or asks for more' "$code" 5
like 'by pairs' "$out" 'add 2 ABBA pairs \(A B B A\) by `rawtps bench-pair --runs 2`'

gate_file wild 'wild/*'
run "$RAWTPS" gate wild.yaml
is 'what is too noisy for the margin is no verdict' "$code" 6
like 'the smallest effect is named' "$out" 'the gate cannot see 3%: runs scatter by .*MDE is'
gate_file wild 'wild/*' 'design: {on_inconclusive: more, max_runs: 8}\n'
run "$RAWTPS" gate wild.yaml
is 'nor is it one where more may be asked for' "$code" 6
like 'what a row calls beyond max_runs' "$out" 'beyond max_runs 8: use a'
like 'is not asked for' "$out" '^ next +(more than )?[0-9]+ runs a side are needed, max_runs is 8'
gate_file few 'few/*'
run "$RAWTPS" gate few.yaml
is 'nor are three runs' "$code" 6
like 'what to do' "$out" 'add 2 runs to each side'

# ---- pairs, one run, history ----

runs pa 6 seed=8 pair=A start=0
runs pb 6 seed=9 pair=B start=1
sed 's/old/pa/; s/same/pb/' same.yaml > pairs.yaml
run "$RAWTPS" gate pairs.yaml
is 'pairs that the runs tell of are used' "$code" 0
like 'it is said' "$out" '6 ABBA pairs'
echo 'design: {pairing: abba}' | cat same.yaml - > abba.yaml
run "$RAWTPS" gate abba.yaml
is 'pairs that were asked for must be there' "$code" 6
like 'what to do' "$out" 'rawtps bench-pair|pairing: none'
gate_file one 'slow/0' 'require: {min_runs: 5}\n'
run "$RAWTPS" gate one.yaml
is 'one candidate is held against the spread of the baseline' "$code" 1
like 'it is said' "$out" 'one candidate against the spread of the baseline'

mkdir all
runs all/a 12 seed=10
runs all/b 12 seed=11 start=600 tps=0.95
for side in a b; do
    for i in all/$side/*; do mv "$i" "all/$side${i##*/}"; done
    rmdir all/$side
done
run "$RAWTPS" history all --metric tps
is 'history is fine' "$code$err" 0
like 'a change is found where it is' "$out" '^ all/b0 +2026-11-01T10:00:00Z .* -[45]\.[0-9]% worse'
like 'the series in small' "$out" '^ series +[▁▂▃▄▅▆▇█]{24}$'
is 'one change' "$(printf '%s\n' "$out" | grep -c worse\ from)" 1
run "$RAWTPS" history all -m lat_p99
is 'a metric without a change is fine too' "$code" 0
like 'and has none' "$out" '^ changes +0'
run "$RAWTPS" history all -f json
ok 'as JSON' python3 -c '
import json
h = json.load(open("out"))
assert len(h["runs"]) == 24 and h["changes"][0]["since"] == "all/b0" and h["changes"][0]["worse"]'
run "$RAWTPS" history all -f csv
like 'as CSV' "$out" '^2026-11-01T10:00:00Z,all/b0,golden,[0-9.]+'
run "$RAWTPS" history all --metric tpss
is 'a metric that is none' "$code" 2
like 'the nearest' "$err" 'did you mean "tps"'
run "$RAWTPS" history nowhere
is 'runs that are not there' "$code" 2
run "$RAWTPS" history all --label other
is 'none of that label' "$code" 2
gate_file past 'same/*' 'history: {runs: all}\n'
run "$RAWTPS" gate past.yaml
is 'a change in the past is shown only' "$code" 0
like 'since when' "$out" '^ tps +all/b0 '
gate_file past 'same/*' 'history: {runs: all, advisory: no}\n'
run "$RAWTPS" gate past.yaml
is 'unless it shall count' "$code" 1

# ---- what must hold ----

runs warm 5 seed=20 start=60 'set=aggregate.steady.excursion_share:0.08'
runs kernel 5 seed=21 start=60 'set=hosts.0.kernel:"9.9.9"'
runs void 5 seed=22 start=60 tps=0.5 'set=run.ended:"void"' 'set=run.exit_code:4'
runs killed 5 seed=23 start=60 'set=run.ended:"running"'
for case in 'warm steady.state:.*excursion' 'kernel kernel:.*against.9.9.9' 'killed killed'; do
    name=${case%% *}
    gate_file "$name" "$name/*"
    run "$RAWTPS" gate "$name.yaml"
    is "$name: no verdict" "$code" 6
    like "$name: why" "$out" "no verdict: .*${case#* }"
done
runs cold 5 seed=1 'set=aggregate.steady.excursion_share:0.08'
sed 's/old/cold/' warm.yaml > calm.yaml
echo 'require: {steady_state: no}' >> calm.yaml
run "$RAWTPS" gate calm.yaml --junit c.xml
is 'what need not be steady may be unsteady' "$code" 0
like 'which is no difference' "$out" '^ steady state +excursion.* no, not asked$'
like 'what no run tells of is no pass in JUnit' "$(cat c.xml)" \
    '<skipped message="stamp errors: not known of every run"'
runs hot 5 seed=24 start=60 'set=drives.0.health.throttled_s:7.5'
gate_file hot 'hot/*'
run "$RAWTPS" gate hot.yaml
is 'hot: no verdict' "$code" 6
like 'hot: how long, and what to do' "$out" 'seconds throttled: 0 s against 7.5 s .*|cool the drive'
gate_file hot 'hot/*' 'require: {throttle_seconds: 10}\n'
run "$RAWTPS" gate hot.yaml
is 'unless the file lets it' "$code" 0
runs half-old 5 seed=1 \
    'set=drives.0.link:{"speed_gt_s":4,"width":4,"max_speed_gt_s":8,"max_width":4}'
runs half 5 seed=2 start=60 \
    'set=drives.0.link:{"speed_gt_s":4,"width":4,"max_speed_gt_s":8,"max_width":4}'
sed 's/old/half-old/; s/same/half/' same.yaml > half.yaml
run "$RAWTPS" gate half.yaml
is 'a link below its best is no verdict, though both sides have it' "$code" 6
like 'it is said' "$out" 'link: 4.0 GT/s x4 \(max 8.0 x4\) is below its best in half-old/0'
for case in 'scenario=scenario.name:"other" scenario.tiny.against.other' \
    'text=scenario.sha256:"0123" scenario.tiny.is.not.the.same.text' \
    'scale=scenario.scale:"1/4" scale.1.against.1/4' \
    'users=aggregate.users:99 [0-9]+.against.99.users'; do
    name=${case%%=*} put=${case#*=} says=${case#* }
    runs "unlike-$name" 5 seed=25 start=60 "set=${put%% *}"
    gate_file "unlike-$name" "unlike-$name/*" 'require: {same: [serial]}\n'
    run "$RAWTPS" gate "unlike-$name.yaml"
    is "$name: no verdict, whatever same names" "$code" 6
    like "$name: why" "$out" "no verdict: workload: $says"
    like "$name: what to do" "$out" 'the same scenario file, scale and users'
    gate_file "unlike-$name" "unlike-$name/*" 'require: {same: [serial], like_workload: no}\n'
    run "$RAWTPS" gate "unlike-$name.yaml"
    is "$name: unless the file lets it" "$code" 0
done
runs unlike-kind 5 seed=26 start=60 'set=aggregate.txns.0.kind:"other"'
gate_file unlike-kind 'unlike-kind/*' 'require: {same: [serial], like_workload: no}\n'
run "$RAWTPS" gate unlike-kind.yaml
is 'nothing in common: no verdict, whatever the file says' "$code" 6
like 'why' "$out" 'have no type of transaction in common'
gate_file void 'void/*' 'outputs: {junit: v.xml}\n'
run "$RAWTPS" gate void.yaml
is 'a void run is graver than a regression' "$code" 4
like 'which' "$out" 'void/0 is void'
like 'in JUnit too' "$(cat v.xml)" '<error type="void"'

# ---- wrong usage comes first ----

gate_file gone 'nowhere/*' 'outputs: {junit: gone.xml}\n'
run "$RAWTPS" gate gone.yaml
is 'no runs' "$code" 2
like 'the place in the file' "$err" '^rawtps: gone.yaml:3:19: no run matches nowhere/\*'
like 'the CI server is told too' "$(cat gone.xml)" '<error type="invalid" message="gone.yaml:3:19'
gate_file both 'old/1'
run "$RAWTPS" gate both.yaml
is 'a run on both sides' "$code" 2
like 'is named' "$err" 'old/1 is in both'
mkdir torn && cp -r same/0 torn/0 && head -c 700 same/0/run.json > torn/0/run.json
gate_file torn 'torn/*'
run "$RAWTPS" gate torn.yaml
is 'a torn result' "$code" 2
like 'is named with its place' "$err" '^rawtps: torn/0/run.json:[0-9]+:[0-9]+: '
run "$RAWTPS" gate nowhere.yaml
is 'no gate file' "$code" 2
printf 'version: 1\nbaselin: {}\n' > bad.yaml
run "$RAWTPS" gate bad.yaml
is 'a misspelt key' "$code" 2
like 'its place' "$err" '^rawtps: bad.yaml:2:1: unknown key "baselin" in the gate'
like 'what was meant' "$err" 'did you mean "baseline"'
run "$RAWTPS" gate slow.yaml --json /nowhere/x.json
is 'a file that cannot be written is no quiet matter' "$code" 3
like 'which' "$err" 'cannot write /nowhere/x.json'

# a gate file beside the runs, called from elsewhere
mkdir away
(cd away && "$RAWTPS" gate ../same.yaml > ../away.out 2>&1)
is 'runs are relative to the gate file' $? 0
sed 's/^metrics/outputs: {markdown: here.md}\nmetrics/' same.yaml > out.yaml
(cd away && "$RAWTPS" gate ../out.yaml > ../away.out 2>&1)
ok 'files are written where the program was called' test -s away/here.md
mkdir 'o[d]d*' && cp -r same.yaml old same 'o[d]d*' && rm -r away
run "$RAWTPS" gate 'o[d]d*/same.yaml'
is 'whatever its directory is called' "$code$err" 0

# ---- what other programs read ----

run "$RAWTPS" gate slow.yaml
cat > junit.py <<'P'
"""The subset of JUnit that Jenkins reads; xmllint is asked as well where it is."""
import sys
import xml.etree.ElementTree as tree
suites = tree.parse(sys.argv[1]).getroot()
assert suites.tag == "testsuites", suites.tag
for suite in suites:
    assert suite.tag == "testsuite" and suite.get("name")
    cases = suite.findall("testcase")
    assert len(cases) == int(suite.get("tests")), suite.attrib
    for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert sum(len(case.findall(tag)) for case in cases) == int(suite.get(key)), key
    for case in cases:
        assert case.get("classname") and case.get("name") and float(case.get("time")) >= 0
        assert len(case) <= 1
        assert all(child.get("message") for child in case), case.attrib
        assert all(child.get("type") for child in case if child.tag != "skipped")
    tags = [child.tag for child in suite]
    order = ["properties", "testcase", "system-out"]
    assert tags == sorted(tags, key=order.index), tags
P
for xml in g.xml v.xml gone.xml; do
    ok "$xml is JUnit" python3 junit.py $xml
    if command -v xmllint >/dev/null; then ok "$xml is XML" xmllint --noout $xml; fi
done
ok 'JSON says the same' python3 -c '
import json
g = json.load(open("g.json"))
assert g["verdict"] == "FAIL" and g["exit_code"] == 1 and g["rows"][0]["verdict"] == "FAIL"
assert -0.07 < g["rows"][0]["change"] < -0.05 and g["rows"][0]["limit"] < -0.029'
like 'Markdown begins with the answer' "$(head -n 1 g.md)" '^### .* FAIL: found wanting'
like 'it has a table' "$(cat g.md)" '^\|---\|---\|---:'
unlike 'a line that goes on has no empty name' "$(cat g.md)" '\*\*\*\*'
for format in text markdown csv json html junit; do
    run "$RAWTPS" gate same.yaml -f $format
    is "--format $format" "$code$err" 0
    ok 'is not empty' test -s out
done

runs first 5 seed=1 'set=drives.0.serial:"S3CRET00"'
runs S3CRET01 5 seed=32 start=60 'set=drives.0.serial:"S3CRET01"'
cat > S3CRET01.yaml <<'Y'
version: 1
name: of S3CRET01
baseline: {runs: first/*}
candidate: {runs: S3CRET01/*, label: S3CRET01}
metrics: [{metric: tps, margin: 3%}]
Y
for format in text markdown csv json html junit; do
    run "$RAWTPS" gate S3CRET01.yaml -f $format --redact-serial --html r.html --json r.json
    is "--redact-serial, $format: another drive is told apart" "$code$err" 6
    unlike "$format: no serial number" "$(cat out r.html r.json)" 'CRET0'
done
like 'what was wrong is still said' "$(cat r.json)" 'serial: not the same'

runs liar 5 seed=31 start=60 'set=aggregate.response.p99_ns:1'
gate_file liar 'liar/*'
run "$RAWTPS" gate liar.yaml
is 'a result that contradicts itself is refused' "$code" 2
like 'and named' "$err" 'liar/0/run.json contradicts itself'

runs 'ho"s<t>&' 5 seed=30 start=60 'set=run.label:"<script>x</script>\u0001"' \
    'set=hosts.0.hostname:"]]>&\u0007\ud83d\ude00"'
cat > hostile.yaml <<'Y'
version: 1
name: "</system-out>]]>\t\"<script>"
baseline: {runs: old/*, label: "&<b>"}
candidate: {runs: "ho*t>&", label: "`|x|`"}
require: {same: []}
metrics: [{metric: tps, margin: 3%}]
Y
run "$RAWTPS" gate hostile.yaml --junit h.xml --markdown h.md --html h.html
is 'hostile names pass' "$code$err" 0
ok 'hostile names are text in JUnit' python3 junit.py h.xml
unlike 'and in Markdown' "$(cat h.md)" '<script>'
unlike 'and in HTML' "$(cat h.html)" '<script>x|<b>'
unlike 'nothing speaks to the terminal' "$(cat out)" '[[:cntrl:]]'
