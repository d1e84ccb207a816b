#!/bin/bash
# PDF, PNG and SVG: the same result is the same file, and what it says can be searched.
# limit: 60
. "$ROOT/tests/lib/tap.sh"
. "$ROOT/tests/lib/report_run.sh"
needs python3
report_run plain

case $("$RAWTPS" version --features) in
*cairo*) ;;
*)
    run "$RAWTPS" report plain --pdf x.pdf
    is 'without cairo it is refused' "$code" 3
    like 'and said why' "$err" 'built without cairo'
    exit 0
    ;;
esac

run "$RAWTPS" report plain --pdf --png --svg
is 'three files are written' "$code$out" 0
for kind in pdf png svg; do
    ok "$kind is in the run directory" test -s "plain/report.$kind"
    run "$RAWTPS" report plain "--$kind" "second.$kind"
    sleep 1 # past a second, so that a clock would show
    run "$RAWTPS" report plain "--$kind" "third.$kind"
    cmp -s "second.$kind" "third.$kind"
    is "two renderings are equal to the byte: $kind" $? 0
done
like 'it is a PDF' "$(head -c 8 plain/report.pdf | tr -d '\0')" '^%PDF-1'
like 'it is an SVG' "$(head -n 2 plain/report.svg)" '<svg '
is 'it is a PNG' "$(head -c 4 plain/report.png | tail -c 3)" PNG
ok 'the PDF is small' test "$(stat -c %s plain/report.pdf)" -lt 400000

hostile plain evil
run "$RAWTPS" report evil --pdf evil.pdf --redact-serial
is 'hostile words have a PDF' "$code" 0
if ! command -v pdftotext >/dev/null; then
    skip 'its words can be searched' 'pdftotext is not installed'
    exit 0
fi
pdftotext -layout plain/report.pdf plain.txt
like 'its words can be searched' "$(cat plain.txt)" 'Latency by percentile'
started=$(python3 -c 'import json; print(json.load(open("plain/run.json"))["run"]["started_utc"])')
like 'it says when the run was begun' "$(cat plain.txt)" "$started"
if command -v pdfinfo >/dev/null; then
    made=$(TZ=UTC pdfinfo -isodates plain/report.pdf | sed -n 's/^CreationDate: *\(.*\)$/\1/p')
    is 'and that is its date' "${made%[Z+]*}" "${started%Z}"
fi
p99=$("$RAWTPS" report plain | awk '$1 == "all" { print $6; exit }')
like 'its figures are those of the table' "$(cat plain.txt)" " $p99 "
pdftotext -layout evil.pdf evil.txt
unlike 'no serial number where none is wanted' "$(tr -d ' \n' < evil.txt)" '4711'
