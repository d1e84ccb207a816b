#!/bin/bash
# `rawtps compare`: sides however they are named, what it says, and what it refuses.
# limit: 60
. "$ROOT/tests/lib/tap.sh"

cat > tiny.yaml <<'Y'
workload:
  kind: block
  size: 4KiB
  read: 70%
  outstanding: 4
drive:
  like: h3201-e1s
phases:
  settle: 1s
  sample: 45s
Y

# made DIR DRIVE SEED [option...]
made() {
    dir=$1 drive=$2 seed=$3
    shift 3
    "$RAWTPS" run tiny.yaml --virtual --quiet --set "drive.like=$drive" --seed "$seed" \
        --out "$dir" "$@" >/dev/null || fail "run $dir"
}
for seed in 1 2 3; do
    made "slow/$seed" sata-slow "$seed" --label "old one"
    made "fast/$seed" gen5-fast "$seed"
done
made other/1 gen5-fast 4 --for 40s
ln -s 1 fast/LATEST

run "$RAWTPS" compare s=slow/* f=fast/*
is 'patterns with labels: fine, and nothing on stderr' "$code$err" 0
cp out labels
like 'the faster drive is better' "$out" '^ tps ↑ .*3\+3 .* better$'
like 'and waits less' "$out" '^ lat avg ↓ .* better$'
like 'A is said' "$out" '^ A +s = .*\(3 runs\)$'
like 'what differs is said' "$out" '^ differs .*model '
like "Little's law stands below" "$out" '^ N=X\(R\+Z\) .*4\.0/4 ok'
like 'the ratio curve has a band' "$out" '^ p99 .*\.\.'
like 'MDE has a column' "$out" ' MDE  verdict$'
is 'no line is wider than the page' "$(grep -E '^.{145,}' out)" ''
run "$RAWTPS" compare s=slow f=fast
ok 'directories of runs are the same' cmp -s out labels
run "$RAWTPS" compare s=slow/1 slow/2 slow/3/run.json f=fast/3 f=fast/2 f=fast/1/
ok 'so are runs by name' cmp -s out labels
run "$RAWTPS" compare slow/1 slow/2 slow/3 --vs fast/1 fast/2 fast/3
is '--vs: fine' "$code" 0
like 'a side is called by its label, or its drive' "$out" '^ A +old one = '
like 'the verdict is the same' "$out" '^ tps ↑ .*3\+3 .* better$'
run "$RAWTPS" compare fast slow
like 'the first is the base' "$out" '^ tps ↑ .* worse$'
run "$RAWTPS" compare a=fast b=slow c=slow/1 --metric tps
is 'a run on two sides is refused' "$code" 2
like 'by name' "$err" 'slow/1 is in both b and c'
run "$RAWTPS" compare a=fast/1 b=fast/2 c=slow/1 --metric tps --no-curve
is 'three sides' "$code" 0
like 'one run a side: no verdict' "$out" '^ +C .*no verdict ¹$'
like 'and why' "$out" \
    '^ ¹ within-run only: does not include run-to-run variation \(simulated false-positive'

run "$RAWTPS" compare slow fast --format json
ok 'JSON is JSON' python3 -c 'import json; d = json.load(open("out"))
assert d["metrics"][1]["verdict"] == "better" and len(d["metrics"][1]["values"]) == 3, d
assert len(d["curve"]) == 9'
run "$RAWTPS" compare slow fast --format csv --metric lat_p99
like 'CSV has a header of keys' "$out" '^metric,scope,side,label,verdict,why,design,n_a,n,value,'
like 'and a row a side' "$out" '^lat_p99_ns,agg,B,'
run "$RAWTPS" compare slow fast --format markdown --no-curve
like 'Markdown has a table' "$out" '^\| tps ↑ \| agg \|'
run "$RAWTPS" compare slow fast --format html --no-curve
like 'HTML is a page' "$out" '<!doctype html>|<!DOCTYPE html>'
run "$RAWTPS" compare slow fast --metric tps
cp out once
run "$RAWTPS" compare slow fast -m tps --metric tps -m tps
ok 'a metric that is given again is asked for once' cmp -s out once
run "$RAWTPS" compare slow fast --row vm0 --metric tps
like 'a VM alone' "$out" '^ tps ↑ +vm0 '
run "$RAWTPS" compare slow fast --color always
like 'colour if it is asked for' "$out" "$(printf '\033')\\[32mbetter"

"$RAWTPS" run tiny.yaml --virtual --quiet --set drive.like=gen5-fast --set workload.outstanding=8 \
    --out eight >/dev/null || fail 'run eight'
run "$RAWTPS" compare fast eight --strict
like 'a key set on the command line makes another scenario' "$out" \
    'differs.*scenario tiny@[0-9a-f]* | tiny@[0-9a-f]* workload.outstanding=8'

# serial numbers are left out of everything that is printed
cp -r fast named
for i in 1 2 3; do
    sed -i -e "s/\"serial\": null/\"serial\": \"S3CRET0$i\"/" \
        -e "s/\"label\": \"\"/\"label\": \"of S3CRET0$i\"/" named/$i/run.json
    mv named/$i "named/S3CRET0$i"
done
for format in text html json csv markdown; do
    run "$RAWTPS" compare slow named --format $format --redact-serial
    is "--redact-serial, $format: fine" "$code$err" 0
    unlike "$format: no serial number" "$out" 'CRET0'
done
run "$RAWTPS" compare slow named
like 'they are there without it' "$out" 'S3CRET02'

run "$RAWTPS" compare slow fast --strict
is '--strict: drives of another size are 6' "$code" 6
like 'and it says what' "$err" '^rawtps: --strict: not comparable: capacity '
run "$RAWTPS" compare a=fast/1 a=fast/2 b=fast/3 --strict
is '--strict: another seed is 6' "$code" 6
run "$RAWTPS" compare fast other
like 'another length is no strict comparison' "$out" '^ comparable .*sample.*: not strictly'
run "$RAWTPS" compare slow all=. --filter 'model:*nothing*'
is 'a filter that leaves nothing' "$code" 2
run "$RAWTPS" compare a=slow b=fast --filter seed:2 --no-curve
like 'a filter leaves one run a side' "$out" '^ B .*\(1 run\)$'

# refused NAME WORDS... : exit code 2 and the words on stderr
refused() {
    run "$RAWTPS" compare "${@:3}"
    is "$1: exit code" "$code" 2
    like "$1: said" "$err" "$2"
}
refused 'nothing' 'a set of runs is missing'
refused 'one side' 'one side alone' slow
refused 'no run there' 'no run in nowhere' nowhere fast
refused 'no run matches' 'no run matches x\*' 'x*' fast
refused 'a directory without' 'no run in empty: ' "$(mkdir -p empty && echo empty)" fast
refused 'no label' 'has no label' slow f=fast
refused 'a metric' 'did you mean lat_p99' slow fast --metric latp99
mkdir copy && cp -r slow/1 copy/other
refused 'a copy of a run as another side' \
    'slow/1, of .*, and copy/other, of .*, are copies of one run' slow copy
refused 'a copy of a run beside it' 'slow/1 and copy/other are copies of one run' \
    s=slow copy f=fast
refused 'a row' 'agg, vms or one' slow fast --row disk
refused 'a VM that no run has' '^rawtps: --row: the runs have no VM vm9$' slow fast --row vm9
like 'which there are' "$err" '^rawtps: hint: they have vm0$'
refused 'it beside one that they have' 'no VM vm9' slow fast --row vm0 --row vm9 --row agg
refused 'a filter' 'did you mean firmware' slow fast --filter firmwar:1
refused 'nine sides' 'more than 8 sides' {a,b,c,d,e,f,g,h,i}=fast/1

mkdir -p bad
# broken NAME SED: a run whose run.json was changed
broken() {
    rm -rf "bad/$1" && cp -r fast/1 "bad/$1" && sed -i "$2" "bad/$1/run.json"
}
broken newer 's/"schema_version": 1/"schema_version": 2/'
refused 'a newer result' 'schema_version: is 2, this program reads 1' slow bad/newer
broken torn '40,$d'
refused 'a torn result' 'bad/torn/run.json:[0-9]+:[0-9]+: ' slow bad/torn
broken edited 's/"tps": [0-9.]*/"tps": 999999.0/'
refused 'an edited result' 'contradicts itself: tps of vm0' slow bad/edited
broken hlog 's/zzzz//' && sed -i 's/HISTFAAAA/HISTFBBBB/' bad/hlog/latency.hlog
refused 'a damaged histogram log' 'latency.hlog:[0-9]+:1: ' slow bad/hlog
broken void 's/"ended": "complete"/"ended": "void"/'
run "$RAWTPS" compare slow bad/void
is 'a void run is 4' "$code" 4
like 'and named' "$err" 'bad/void is void'
broken part 's/"ended": "complete"/"ended": "interrupted"/'
run "$RAWTPS" compare slow --vs bad/part fast/2 --no-curve
is 'a partial run is compared' "$code" 0
like 'and marked' "$out" '^ partial .*bad/part: interrupted: incomplete'
rm bad/part/latency.hlog bad/part/intervals.csv
run "$RAWTPS" compare slow --vs bad/part fast/2
is 'without histograms there is no curve' "$code$(grep -c 'ratio by percentile' out)" 00
