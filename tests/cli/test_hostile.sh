#!/bin/sh
# Files that are not what they should be, and passwords where none belong: one error, no waiting.
# limit: 60
. "$ROOT/tests/lib/tap.sh"
needs mkfifo timeout

cat >ok.yaml <<'Y'
workload: {kind: block, size: 8KiB, read: 70%, outstanding: 4}
drive: {kind: sim}
phases: {start: cold, sample: 1s}
Y
soon() { # the program; ended after a while if it waits for what never comes
    run timeout -k 1 10 "$RAWTPS" "$@"
}

# ---- scenarios ----

printf '\357\273\277' | cat - ok.yaml >mark.yaml
soon plan mark.yaml
is 'a byte order mark is passed over' "$code$err" 0
printf '\357\273\277workload: {kind: blok}\n' >mark2.yaml
soon plan mark2.yaml
like 'and columns are counted behind it' "$err" '^rawtps: mark2.yaml:1:18: kind: '
printf 'workload:\n\tkind: block\n' >tab.yaml
soon plan tab.yaml
like 'a tab is named as what it is' "$err" '^rawtps: hint: indent by spaces'
mkfifo pipe.yaml
for command in 'plan' 'run' 'gate' 'audit'; do
    soon "$command" pipe.yaml
    is "$command: a pipe without a writer is not waited for" "$code" 2
    like 'it is an empty file' "$err" '^rawtps: pipe.yaml: there is nothing in it$'
done
(cat ok.yaml >pipe.yaml &)
soon plan pipe.yaml
is 'a pipe with a writer is read' "$code$err" 0

# ---- results ----

soon run ok.yaml --virtual -q --out good
is 'a run to spoil' "$code" 0
soon run ok.yaml --virtual -q --seed 2 --out whole
is 'and one beside it' "$code" 0

# spoilt NAME FILE: a copy of the run without FILE
spoilt() {
    mkdir "$1"
    cp good/* "$1"
    rm "$1/$2"
    at=$1/$2
}
refused() { # WHAT REGEX COMMAND...
    refused_what=$1 refused_how=$2
    shift 2
    soon "$@"
    is "$refused_what: exit code" "$code" 2
    like "$refused_what: is said" "$err" "^rawtps: $refused_how"
    is "$refused_what: once" "$(grep -vc '^rawtps: hint: ' err)" 1
}

for file in run.json intervals.csv latency.hlog; do
    spoilt "pipe-$file" $file
    mkfifo "$at"
    spoilt "folder-$file" $file
    mkdir "$at"
done
for kind in pipe folder; do
    refused "run.json is a $kind" '.*/run.json is not a regular file' report $kind-run.json
    for file in intervals.csv latency.hlog; do
        refused "$file is a $kind" ".*/$file is not a regular file" compare whole --vs $kind-$file
    done
done
spoilt noise-log latency.hlog
printf 'noise\n' >"$at"
refused 'noise for histograms' 'noise-log/latency.hlog:1:1: not a line of' \
    compare whole --vs noise-log
spoilt torn-log latency.hlog
head -c 1990 good/latency.hlog >"$at"
soon compare whole --vs torn-log
is 'a torn last line of them is passed over' "$code" 0
spoilt noise-rows intervals.csv
printf 'noise' >"$at"
refused 'noise for intervals' 'noise-rows/intervals.csv:1:1: not the header' \
    compare whole --vs noise-rows
spoilt torn-rows intervals.csv
head -c 20 good/intervals.csv >"$at"
soon compare whole --vs torn-rows
is 'a torn header of them is passed over' "$code" 0
spoilt vast run.json
truncate -s 1G "$at"
refused 'a run.json of a gigabyte' 'vast/run.json: larger than 64 MiB' report vast

name=$(printf '%0200d' 0)
deep=$name/$name
mkdir -p "$deep/$name"
cp good/* "$deep/$name"
refused 'a run of a long path is not left out' 'the path of a run is too long' \
    compare whole --vs "$deep"

# ---- what is written ----

cat >gate.yaml <<'Y'
version: 1
baseline: {runs: good}
candidate: {runs: other}
metrics: [{metric: tps, margin: 2%}]
Y
cp gate.yaml gate.txt
soon run ok.yaml --virtual -q --seed 2 --out other
cp -r good before
for option in --junit --markdown --json --html; do
    for at in good/run.json good/latency.hlog ok.yaml; do
        refused "gate $option $at" "outputs: [a-z]+: $at is there" gate gate.yaml $option $at
    done
    refused "gate $option onto itself" 'outputs: [a-z]+: ./gate.txt is there' \
        gate gate.txt $option ./gate.txt
done
refused 'two outputs in one file' 'outputs: junit and json are one file: x' \
    gate gate.yaml --junit x --json x
for at in good/run.json good/intervals.csv ok.yaml; do
    refused "report --html=$at" "$at is there" report good --html=$at
done
ok 'nothing of it was touched' diff -r good before
ok 'nor the gate' cmp gate.yaml gate.txt
soon report good --html=page.html
soon report good --html=page.html
is 'a page may be written anew' "$code" 0

echo 'my only copy' >small.txt
head -c 3M /dev/zero >large.txt
for notes in small.txt large.txt; do
    cp $notes kept
    soon run ok.yaml --set drive.kind=uring --set workload.range=1GiB --drive $notes
    is "$notes: a file of others that is too small is no drive" "$code" 2
    unlike 'it is not advised to remove it' "$err" 'remove'
    ok 'it stands' cmp $notes kept
done

# ---- passwords ----

cat >sql.yaml <<'Y'
workload: {kind: tpcc, warehouses: 1, users: 1}
phases: {sample: 1s}
Y
for url in 'mysql://u:pa/ssWord@h/d' 'mysql://u:pa?ssWord@h/d' 'mysql://u:pa#ssWord@h/d' \
    'mysql://u:pa@ssWord@h/d' 'mysqul://u:ssWord@h/d' 'mysql://u:ssWord@h:x/d' \
    'mysql://h/d?user=u&password=ssWord'; do
    soon run sql.yaml --target "$url"
    unlike "--target $url" "$err$out" ssWord
    soon run sql.yaml --set "target.url=$url"
    unlike "--set target.url=$url" "$err$out" ssWord
    soon run sql.yaml --set "$url"
    unlike "--set $url" "$err$out" ssWord
    soon run sql.yaml "$url"
    unlike "a word $url" "$err$out" ssWord
    soon run "$url"
    unlike "as scenario $url" "$err$out" ssWord
done
soon run sql.yaml --set 'target.url=mysql://u:ssWord'
unlike 'a URL that ends before its @' "$err$out" ssWord
