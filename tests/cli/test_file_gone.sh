#!/bin/bash
# A scratch file whose name is taken away while a run uses it: the run goes on, and its result says
# where the data went.
# limit: 100
. "$ROOT/tests/lib/tap.sh"
. "$ROOT/tests/lib/under_way.sh"

scratch_scenarios 3s

# gone HOW NAME WARNING COMMAND...: COMMAND is done in a run of NAME.yaml
gone() {
    how=$1 name=$2 warning=$3
    shift 3
    rm -rf scratch.img other.img
    begin "$name.yaml" "$how" 1
    "$@"
    end
    ok "$how: what was measured stands" test "$code" -le 1
    says="warning: scratch.img was $warning while the run used it: its data went to "
    like "$how: it is said" "$err" "^rawtps: $says"
    like "$how: in the table" "$out" "^$says"
    like "$how: in the result" "$(cat "$how/run.json")" "\"scratch.img was $warning while"
    is "$how: once" "$(grep -c "scratch.img was" err)" 1
}

gone removed model removed rm scratch.img
gone bare bare removed rm scratch.img
gone moved bare moved mv scratch.img other.img
replace() {
    cp scratch.img other.img
    mv other.img scratch.img
}
gone replaced bare replaced replace
linked() {
    ln scratch.img other.img
    rm scratch.img
}
gone linked bare moved linked

rm -f scratch.img
begin bare.yaml left 1
end
unlike 'a file that is left alone' "$err$out" 'while the run used it'

# the run's own files: what is not there in the end was not kept
taken() { # HOW FILE WORD command...: done to a file of the run in mid-run
    how=$1 file=$2 word=$3
    shift 3
    begin bare.yaml "$how" 1
    "$@"
    end
    is "$how: the run failed" "$code" 3
    like "$how: it is said" "$err$out" "$how/$file was $word while the run wrote it"
    like "$how: in the result" "$(cat "$how/run.json")" '"files that could not be written"'
}

taken hlog latency.hlog removed rm hlog/latency.hlog
taken events events.jsonl removed mv events/events.jsonl elsewhere
taken rows intervals.csv 'changed by another' truncate -s 0 rows/intervals.csv
exchange() {
    cp other/intervals.csv other.csv
    mv other.csv other/intervals.csv
}
taken other intervals.csv replaced exchange
