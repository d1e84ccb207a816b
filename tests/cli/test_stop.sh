#!/bin/bash
# However a run ends, what was measured is kept, and `report` says how it ended.
# limit: 90
. "$ROOT/tests/lib/tap.sh"

cat > long.yaml <<'Y'
workload:
  kind: block
  size: 8KiB
  read: 70%
  outstanding: 4
drive:
  like: gen5-fast
phases:
  settle: 1s
  sample: 30d
Y

# begin NAME: a run that takes hours, under way; its pid is $pid
begin() {
    rm -f err # of the last one: it says "sample" too
    "$RAWTPS" run long.yaml --virtual --interval 200ms --out "$1" >out 2>err </dev/null &
    pid=$!
    for _ in $(seq 100); do
        ! grep -q '^00:.* sample' err || return 0
        sleep 0.1
    done
    fail "$1 begins"
}

end() {
    code=0
    wait "$pid" 2>/dev/null || code=$?
    out=$(cat out) err=$(cat err)
}

# state NAME: how run.json says that it ended
state() {
    grep -Eo '"ended": ?"[a-z]+"' "$1/run.json" | head -n 1 | tr -d ' '
}

for signal in INT TERM HUP; do
    begin "$signal"
    kill "-$signal" "$pid"
    end
    is "SIG$signal: exit code" "$code" 130
    like 'the table is printed, marked as partial' "$out" '^Partial result: interrupted'
    like 'stderr says so, and where' "$err" "^rawtps: interrupted: .*: $signal\$"
    is 'run.json says so' "$(state "$signal")" '"ended":"interrupted"'
    cp out table
    run "$RAWTPS" report "$signal"
    is 'report is fine' "$code$err" 0
    ok 'report prints the same' cmp -s out table
    ok 'intervals end with a whole line' test -z "$(tail -c 1 "$signal/intervals.csv")"
done

# an interval that takes minutes: 64 requests of 1 ns
cat > busy.yaml <<'Y'
workload: {kind: block, size: 8KiB, read: 70%, outstanding: 64}
drive: {kind: "null", latency: 1ns}
phases: {start: cold, sample: 1h}
Y
"$RAWTPS" run busy.yaml --virtual --out busy >out 2>err </dev/null &
pid=$!
sleep 1
kill -INT "$pid"
for _ in $(seq 100); do
    ! kill -0 "$pid" 2>/dev/null || sleep 0.1
done
kill -KILL "$pid" 2>/dev/null
end
is 'an interval that takes minutes is interrupted too' "$code" 130
is 'and kept' "$(state busy)" '"ended":"interrupted"'

# a warm start of a large pool, whose rounds take many seconds
"$RAWTPS" run tpcc-1500 --virtual --interval 200ms --out warm >out 2>err </dev/null &
pid=$!
for _ in $(seq 100); do
    ! grep -q 'warm start' err || break
    sleep 0.1
done
sleep 0.5
kill -INT "$pid"
for _ in $(seq 40); do
    ! kill -0 "$pid" 2>/dev/null || sleep 0.1
done
not_ok 'a warm start hears of it within a round' kill -0 "$pid"
kill -KILL "$pid" 2>/dev/null
end
is 'it is interrupted' "$code" 130
like 'nothing was measured, and that is said' "$out" '^Nothing was measured'
like 'the table has the columns of a database' "$out" '^ VM +TPS .* hit% '
unlike 'not those of a bare drive' "$out" 'IOPS|Streams|outstanding'

begin twice
kill -STOP "$pid"
kill -INT "$pid"
kill -TERM "$pid"
kill -CONT "$pid"
end
is 'twice stops at once' "$code" 130
is 'without a table' "$out" ''
is 'what was measured is kept' "$(state twice)" '"ended":"interrupted"'
like 'with the code that the program ended with' "$(cat twice/run.json)" '"exit_code": ?130'
like 'and said' "$err" '^rawtps: interrupted: .*: twice$'

begin held
sleep 1.5
kill -INT "$pid"; kill -INT "$pid"; kill -INT "$pid"; kill -INT "$pid"
end
is 'a key that is held down: it ends' "$code" 130
is 'and what was measured is kept' "$(state held)" '"ended":"interrupted"'

# a server that does not answer
cat > sql.yaml <<'Y'
workload: {kind: sysbench, tables: 1, rows: 1000, threads: 3}
phases: {start: cold, sample: 1h}
Y
"$RAWTPS" run sql.yaml --target 'fake://?delay=10m' --out slow >out 2>err </dev/null &
pid=$!
for _ in $(seq 100); do
    [ ! -s slow/run.json ] || break
    sleep 0.1
done
sleep 0.5
kill -INT "$pid"
for _ in $(seq 50); do
    ! grep -q 'waiting' err || break
    sleep 0.1
done
like 'a server that does not answer: what is waited for is said' "$(cat err)" \
    '^rawtps: waiting for 3 transactions under way, (30|29) s more at most; once more does not wait'
kill -INT "$pid"
for _ in $(seq 30); do
    ! kill -0 "$pid" 2>/dev/null || sleep 0.1
done
not_ok 'once more does not wait' kill -0 "$pid"
kill -KILL "$pid" 2>/dev/null
end
is 'it is interrupted' "$code" 130
is 'and kept' "$(state slow)" '"ended":"interrupted"'

begin killed
sleep 1.5
kill -KILL "$pid"
end
is 'kill -9: run.json is whole' "$(state killed)" '"ended":"running"'
run "$RAWTPS" report killed
is 'report is fine' "$code$err" 0
like 'it says what happened' "$out" '^Partial result: still running, or killed'
like 'it has the table as far as it came' "$out" '^ all +[1-9]'
