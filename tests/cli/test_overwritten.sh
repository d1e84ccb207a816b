#!/bin/bash
# A scratch file that somebody writes over while it is used: the run is void, and says which page.
# limit: 60
. "$ROOT/tests/lib/tap.sh"
. "$ROOT/tests/lib/under_way.sh"

cat >small.yaml <<'Y'
workload: {kind: tpcc, warehouses: 1, users: 20, cycle: 100ms}
database: {profile: innodb, buffer: 16MiB}
drive: {kind: uring}
phases: {precondition: 0s, sample: 6s}
Y

# users and the database's own readers (purge) find it: none may fall over it
for way in noise zeros; do
    begin small.yaml $way 2
    case $way in
    noise) source=/dev/urandom ;;
    zeros) source=/dev/zero ;;
    esac
    dd if=$source of=scratch.img bs=1M seek=1 count=150 conv=notrunc 2>/dev/null
    end
    is "$way: exit code" "$code" 4
    like "$way: the page is named" "$err" \
        '^rawtps: wrong data: lost page: VM vm0, [a-z_]+ page [0-9]+, offset [0-9]+ of the drive'
    like "$way: the table says that the run is void" "$out" '^ integrity .*VOID'
    run "$RAWTPS" report $way
    like "$way: so does the report" "$out" '^ integrity .*VOID'
    rm scratch.img
done

# what an earlier run wrote cannot be judged, and that is said
begin small.yaml first 2
end
ok 'a run that fills' test "$code" -le 1
unlike 'judges all that it reads' "$out" 'had not written'
run "$RAWTPS" run small.yaml --drive scratch.img --for 1s --out second
like 'one that does not says how many pages it cannot judge' "$out" \
    '^ integrity .* pages checked \([0-9 ]+ more not: this run had not written them\)'
like 'and why' "$err" 'not filled again .*; pages are judged from their first write in this run on'
like 'so does its result' "$(cat second/run.json)" '"stamps_unjudged": ?[1-9]'
run "$RAWTPS" run small.yaml --drive scratch.img --for 1s --out third --set phases.fill=yes
unlike 'filling anew leaves none' "$out" 'had not written'
