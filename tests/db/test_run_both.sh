#!/bin/bash
# One server a VM, of both kinds at once: loaded, run and checked together; no password is seen.
# limit: 90, must-run
. "$ROOT/tests/lib/tap.sh"
. "$ROOT/tests/lib/servers.sh"
kind=postgresql
. "$ROOT/tests/lib/db_cases.sh"

server_start postgresql p
server_start mysql m
p=$(server_get p url) m=$(server_get m url)
small='sysbench-sql --set workload.tables=2 --set workload.rows=2000'

for url in "$p" "$m"; do
    run "$RAWTPS" load $small --target "$url"
    is 'it is loaded' "$code" 0
    like 'and checked' "$out" '^5 of 5 rules hold$'
done
is 'they hold the same rows' \
    "$(server_sql p 'SELECT sum(k), min(c), max(pad) FROM sbtest2' | tr -d ' ')" \
    "$(server_sql m 'SELECT sum(k), min(c), max(pad) FROM sbtest2')"

small="$small --set vms=2"

"$RAWTPS" run $small --vm "a=$p" --vm "b=$m" --threads 4 --set phases.precondition=0s --for 4s \
    --check --out both >out 2>err </dev/null &
pid=$!
sleep 1
words=$(tr '\0' ' ' <"/proc/$pid/cmdline")
like 'the command line is there to be seen' "$words" 'a=postgresql://bench:\*+@'
unlike 'but no password in it' "$words" secret
code=0
wait "$pid" || code=$?
out=$(cat out) err=$(cat err)
ran 'both run at once'
like 'a row for one' "$out" '^ *a +[1-9]'
like 'a row for the other' "$out" '^ *b +[1-9]'
like 'and one for all' "$out" '^ *all +[1-9]'
like 'all rules hold after it' "$out" '^10 of 10 rules hold$'
unlike 'no password in anything that is kept' "$(cat both/*)" secret
