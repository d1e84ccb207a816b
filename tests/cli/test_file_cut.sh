#!/bin/bash
# A scratch file that somebody truncates, or punches holes into, while it is used: the run is void,
# always, whatever it happens to read, and says what happened.
# limit: 100
. "$ROOT/tests/lib/tap.sh"
. "$ROOT/tests/lib/under_way.sh"

scratch_scenarios 6s
sed 's/fill: yes/fill: auto/; s/read: 50%/read: 100%/' bare.yaml >reads.yaml

# cut HOW NAME COMMAND...: COMMAND does it to the file of a run of NAME.yaml
cut() {
    how=$1 name=$2
    shift 2
    begin "$name.yaml" "$name" 1
    "$@" scratch.img
    end
    is "$how: exit code" "$code" 4
    like "$how: what happened is said" "$err" \
        '^rawtps: scratch.img was cut (short )?while the run used it: '
    like "$how: the run ended void" "$(cat "$name/run.json")" '"ended": ?"void"'
    like "$how: the table says so" "$out" '^ integrity .*VOID'
    run "$RAWTPS" report "$name"
    like "$how: the report says what happened" "$out" 'scratch.img was cut'
}

cut 'a database, to nothing' model truncate -s 0
rm scratch.img
cut 'a database, its end' model truncate -s -20M
run "$RAWTPS" run model.yaml --drive scratch.img --for 1s --out earlier
ok 'it is filled again' test "$code" -le 1
cut 'a database of an earlier run, whose pages are not judged' model truncate -s 1M
cut 'bare requests' bare truncate -s 1M
cut 'a hole' bare fallocate -p -o 16M -l 32M
cut 'reads alone' reads truncate -s 60M

# what a cut left is filled again, and is fine then
run "$RAWTPS" run reads.yaml --drive scratch.img --for 1s --out again
is 'it is filled again' "$code" 0
like 'and was' "$(cat again/run.json)" '"name": ?"fill"'
truncate -s 40M scratch.img && truncate -s 64M scratch.img
run "$RAWTPS" run reads.yaml --drive scratch.img --for 1s --out between
is 'a file that was cut between two runs too' "$code" 0
unlike 'and nothing of it is taken for filled' "$err" 'not filled again'

# a fill that was interrupted is no fill
rm scratch.img
"$RAWTPS" run bare.yaml --drive scratch.img --set drive.capacity=1GiB --out interrupted \
    >out 2>err </dev/null &
pid=$!
for _ in $(seq 100); do
    ! test -s scratch.img || break
    sleep 0.02
done
sleep 0.1
kill -INT "$pid"
end
is 'an interrupted fill' "$code" 130
run "$RAWTPS" run reads.yaml --drive scratch.img --set drive.capacity=1GiB --for 1s --out whole
is 'a run after it' "$code" 0
unlike 'fills again' "$err" 'not filled again'
