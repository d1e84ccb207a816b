#!/bin/bash
# Where a report is written: never over a drive, never through a name that somebody else has set.
# limit: 60
. "$ROOT/tests/lib/tap.sh"
needs python3

cat > tiny.yaml <<'Y'
workload: {kind: block, size: 8KiB, read: 100%, outstanding: 2}
drive: {kind: null, latency: 10ms, capacity: 1GiB}
phases: {settle: 1s, sample: 330s}
Y
run "$RAWTPS" run tiny.yaml --virtual --quiet --out base
is 'a run to start from' "$code$err" 0
for side in old new; do
    python3 "$ROOT/tests/lib/make_runs.py" base $side 5 seed=1 \
        start=$([ $side = old ] && echo 0 || echo 60) || fail make_runs.py
done
cat > gate.yaml <<'Y'
version: 1
baseline: {runs: old/*}
candidate: {runs: new/*}
metrics: [{metric: tps, margin: 3%}]
Y

# ---- a drive: one whose bytes can be looked at if this may have one, else any node ----

disk='' loop=''
truncate -s 1M disk.img
if loop=$(losetup -f --show disk.img 2>/dev/null); then
    disk=$loop
    trap 'losetup -d "$loop"; tap_end' EXIT
else
    disk=$(find /dev -maxdepth 1 -type b 2>/dev/null | head -n 1)
fi
if [ -z "$disk" ]; then
    skip 'a block device' 'there is none here'
else
    ln -s "$disk" link.html
    for at in "$disk" link.html; do
        for form in json html markdown junit; do
            run "$RAWTPS" gate gate.yaml --$form="$at"
            is "gate --$form to $at" "$code" 2
            like 'why' "$err" "^rawtps: outputs: $form: $at is a block device: no report is"
        done
        run "$RAWTPS" report base --html="$at"
        is "report --html to $at" "$code" 2
        like 'why' "$err" "^rawtps: $at is a block device: no report is written to it"
    done
    ok 'the link is still one' test -L link.html
    if [ -n "$loop" ]; then
        sync
        ok 'not a byte of the drive has changed' cmp -s disk.img <(head -c 1M /dev/zero)
    fi
fi
run "$RAWTPS" report base --html=old
is 'nor is a directory' "$code" 2

# ---- what is no file and yet fine ----

run "$RAWTPS" report base --html=/dev/null
is '/dev/null' "$code" 0
"$RAWTPS" report base --html=/dev/stdout 2>err | cat > piped.html
"$RAWTPS" report base --html=/dev/stdout > stdout.html 2>err
"$RAWTPS" report base --html=/dev/fd/3 3> third.html 2>err
"$RAWTPS" report base --html=- > dash.html 2>err
"$RAWTPS" report base --html plain.html 2>err
for other in piped stdout third dash; do ok "$other: the page" cmp -s $other.html plain.html; done
ok '/dev/stdout is what it was' test -L /dev/stdout
mkfifo fifo
cat fifo > through.json &
run "$RAWTPS" gate gate.yaml --json=fifo
wait $!
is 'a pipe with a name' "$code" 0
like 'is written' "$(cat through.json)" '"verdict"'
run "$RAWTPS" gate gate.yaml --format=csv --json=-
like 'gate has - too' "$out" '"verdict"'
not_ok 'and makes no file of it' test -e ./-

# ---- names beside it ----

echo mine > page.html.tmp
run "$RAWTPS" report base --html=page.html
is 'a file that is called page.html.tmp' "$code$(cat page.html.tmp)" 0mine
echo victim > victim
ln -sf "$PWD/victim" page.html.tmp
run "$RAWTPS" report base --html=page.html
is 'a link there is not followed' "$code$(cat victim)" 0victim
is 'nothing else is left behind' "$(find . -maxdepth 1 -name '.rawtps*')" ''

echo before > real.html
chmod 640 real.html
ln -s real.html to.html
run "$RAWTPS" report base --html=to.html
is 'a link to a file stays one' "$code$(readlink to.html)" 0real.html
ok 'and the file is the report' cmp -s real.html plain.html
is 'with the rights it had' "$(stat -c %a real.html)" 640
ln -s nowhere.html loose.html
run "$RAWTPS" report base --html=loose.html
is 'a link to nothing is refused' "$code" 2
not_ok 'and nothing made' test -e nowhere.html
ln -s base/run.json run.html
cp base/run.json run.saved
run "$RAWTPS" report base --html=run.html
is 'a link to a result is refused' "$code" 2
ok 'which is as it was' cmp -s base/run.json run.saved

# ---- an option is no name of a file ----

run "$RAWTPS" report base --html --svg=draw.html
not_ok 'the next option is not taken as a name' test -e ./--svg=draw.html
ok '--html alone is report.html in the run directory' test -s base/report.html
