#!/bin/bash
# `rawtps bench-pair`: two drives in turns, interrupted and resumed, then compared.
# limit: 90
. "$ROOT/tests/lib/tap.sh"

cat > tiny.yaml <<'Y'
workload:
  kind: block
  size: 4KiB
  read: 70%
  outstanding: 4
phases:
  settle: 1s
  sample: 3s
Y

# order DIR: sides by place, as the runs say themselves
order() {
    for run in "$1"/[0-9][0-9]-[AB]; do
        sed -n 's/^ *"side": "\([AB]\)".*/\1/p' "$run/run.json"
    done | tr -d '\n'
}

run "$RAWTPS" bench-pair tiny.yaml --a sata-slow --b gen5-fast --runs 3 --out s1
is 'two drive models: fine' "$code" 0
like 'analysed as pairs' "$out" '^ order +ABBAAB, analysed as 3 pairs$'
like 'with a verdict' "$out" '^ tps ↑ .*3\+3 .* better$'
like 'sides have the names of the models' "$out" '^ B +gen5-fast = '
like 'progress says which run' "$err" '^rawtps: run 4 of 6: A, sata-slow$'
like 'how to compare again' "$err" \
    "^rawtps: again: rawtps compare 'sata-slow=s1/\\*-A' 'gen5-fast=s1/\\*-B'\$"
is 'the order' "$(order s1)" ABBAAB
is 'a pair has one seed, pairs have different ones' \
    "$(sed -n 's/^  "seed": \([0-9]*\).*/\1/p' s1/*/run.json | tr -d '\n')" 112233
like 'no band from so short samples' "$out" '^ No 95% band: a sample under 20 s is too short'
unlike 'nor its column' "$out" '95% band$'
cp out first
run "$RAWTPS" compare 'sata-slow=s1/*-A' 'gen5-fast=s1/*-B'
ok 'compare says the same' cmp -s out first

run "$RAWTPS" bench-pair tiny.yaml --a sata-slow --b gen5-fast --runs 3 --out s1
is 'a series is not written over' "$code" 2
like 'and it says what to do' "$err" 'hint: --resume goes on with it'
rm -r s1/05-A && sed -i 's/"ended": "complete"/"ended": "interrupted"/' s1/06-B/run.json
run "$RAWTPS" bench-pair tiny.yaml --a sata-slow --b gen5-fast --runs 3 --out s1 --resume --quiet
is 'resumed: fine' "$code" 0
is 'quiet but for what it moved' "$err" \
    'rawtps: s1/06-B is not complete (interrupted): set aside as s1/06-B.partial-1'
ok 'the partial run is set aside' test -d s1/06-B.partial-1
is 'what is missing was run' "$(order s1)" ABBAAB
is 'and the figures are the same' "$(grep ' tps ↑' out)" "$(grep ' tps ↑' first)"

# another WHAT [option...]: refused, by name
another() {
    what=$1
    shift
    run "$RAWTPS" bench-pair tiny.yaml --runs 3 --out s1 --resume --quiet "$@"
    is "$what: not resumed" "$code" 2
    like "$what: named" "$err" "--resume: s1/01-A is another run: $what was .*, now it is "
}
another drive --a gen5-fast --b sata-slow
another sample --a sata-slow --b gen5-fast --for 2s
another settings --a sata-slow --b gen5-fast --set workload.outstanding=8
another settings --a sata-slow --b gen5-fast --set-a drive.dies=4
run "$RAWTPS" bench-pair tiny.yaml --runs 3 --out s5 --a sata-slow --b gen5-fast --for 1s --quiet \
    --set drive.cache=1GiB --set drive.command=2us --set drive.dies=64 --set drive.fixed=20us \
    --set drive.flush=10us --set drive.link_read=3GB/s --set drive.link_write=3GB/s \
    --set workload.size=4KiB --set workload.outstanding=8
run "$RAWTPS" bench-pair tiny.yaml --runs 3 --out s5 --a sata-slow --b gen5-fast --for 1s --quiet \
    --set drive.cache=1GiB --set drive.command=2us --set drive.dies=64 --set drive.fixed=20us \
    --set drive.flush=10us --set drive.link_read=3GB/s --set drive.link_write=3GB/s \
    --set workload.size=8KiB --set workload.outstanding=8 --resume
like 'of many settings the one that differs is said' "$err" \
    ': settings was workload.size=4KiB, now it is workload.size=8KiB$'
another seed --a sata-slow --b gen5-fast --seed 9
sed 's/read: 70%/read: 50%/' tiny.yaml >other.yaml
cp tiny.yaml kept.yaml
mv other.yaml tiny.yaml
another "the scenario's text" --a sata-slow --b gen5-fast
mv kept.yaml tiny.yaml

run "$RAWTPS" bench-pair tiny.yaml --virtual --set-b drive.like=gen5-fast \
    --set drive.like=sata-slow --runs 2 --results r --label-a plain --label-b 'with more' \
    --format csv --metric tps --quiet
is 'settings instead of drives' "$code$err" 0
like 'CSV of it' "$out" '^tps,agg,B,with more,better,judged,paired,2,2,'
ok 'a directory of its own under results' test -d r/*-pair-tiny/04-A

sed 's/sample: 3s/sample: 30d/' tiny.yaml > long.yaml
"$RAWTPS" bench-pair long.yaml --a sata-slow --b gen5-fast --out s2 --interval 200ms \
    >out 2>err </dev/null &
pid=$!
for _ in $(seq 100); do
    ! grep -q '^.*sample' err || break
    sleep 0.1
done
kill -INT "$pid"
code=0
wait "$pid" || code=$?
out=$(cat out) err=$(cat err)
is 'interrupted: exit code' "$code" 130
like 'what was measured is kept' "$err" \
    '^rawtps: interrupted after 0 of 10 runs; what was measured is in s2$'
like 'and how to go on' "$err" '^rawtps: hint: the same command with --out s2 --resume goes on$'
ok 'the partial run is there' test -s s2/01-A/run.json

run "$RAWTPS" bench-pair tiny.yaml --a sata-slow --b gen5-fast --runs 2 --for 2s --out s6
is 'what a plan warns of is said once a side' "$(grep -c '^rawtps: warning: --for' err)" 2

truncate -s 64M a.img b.img
run "$RAWTPS" bench-pair tiny.yaml --a ./a.img --b ./b.img --erase-a ./a.img --erase-b ./b.img \
    --runs 1 --for 1s --quiet --no-such
is 'an unknown option' "$code" 2
run "$RAWTPS" bench-pair tiny.yaml --a ./a.img --b gen5-fast
is 'a path and a model are 2' "$code" 2
like 'and why' "$err" 'real and virtual time cannot be compared'
run "$RAWTPS" bench-pair tiny.yaml --a ./a.img --b ./b.img --virtual
like '--virtual and a path' "$err" '--virtual touches no drive'
run "$RAWTPS" bench-pair tiny.yaml --a gen5-fast
like 'one drive alone' "$err" '--a and --b name the two drives'
run "$RAWTPS" bench-pair tiny.yaml --a gen5-fast --b gen5-fats --out s3
is 'an unknown model is 2 before anything runs' "$code" 2
like 'with its side' "$err" 'side B: --b gen5-fats: .*no such file .*no drive model'
like 'and what was meant' "$err" 'did you mean "gen5-fast"'
run "$RAWTPS" bench-pair tiny.yaml --a gone.img --b also.img --out s3
is 'files that are not there, without a slash' "$code" 2
like 'are no models' "$err" 'side A: --a gone.img: there is no such file here'
like 'how to have them made' "$err" 'as ./gone.img'
run "$RAWTPS" bench-pair tiny.yaml --a /nonexistent/file --b /nonexistent/other --out s3
is 'a folder that is not there' "$code" 2
pair_words=$err
run "$RAWTPS" run tiny.yaml --drive /nonexistent/file --out s3
is 'is said as `run` says it' "${pair_words#rawtps: side A: }" "${err#rawtps: }"
not_ok 'and nothing was made' test -e s3
run "$RAWTPS" bench-pair tiny.yaml --a gen5-fast --b sata-slow --resume
like '--resume wants --out' "$err" '--out says which series'

cat > file.yaml <<'Y'
workload: {kind: block, size: 4KiB, read: 70%, outstanding: 2}
phases: {start: cold, sample: 1s}
Y
run "$RAWTPS" bench-pair file.yaml --a ./new-a.img --b ./new-b.img --set drive.capacity=64MiB \
    --runs 1 --quiet --out s4
if grep -qi 'io_uring' err; then
    skip 'on two files' "$err"
else
    is 'on two files, in real time' "$code$err" 0
    like 'compared without a verdict' "$out" 'no verdict'
    run "$RAWTPS" bench-pair file.yaml --a ./new-b.img --b ./new-a.img --runs 1 --quiet \
        --set drive.capacity=64MiB --out s4 --resume
    like 'another file' "$err" 's4/01-A is another run: drive was .*new-a.img, now .*new-b.img'
    run "$RAWTPS" bench-pair file.yaml --a ./new-a.img --b ./new-b.img --runs 1 --quiet \
        --set drive.capacity=64MiB --out s4 --resume
    is 'the same files' "$code$err" 0
fi

# a series is known by any of its runs, and looked at before anything is done
pair() { run "$RAWTPS" bench-pair tiny.yaml --a sata-slow --b gen5-fast --runs 2 --quiet "$@"; }
pair --out s9
is 'a series' "$code" 0
rm -r s9/01-A
pair --out s9
is 'without its first run it is one still' "$code" 2
like 'and is not written over' "$err" 's9 holds a series already'
pair --out s9 --for 1s
is 'nor by another' "$code" 2
pair --out s9 --resume --for 1s
is 'resumed by another' "$code" 2
like 'is refused' "$err" 's9/02-B is another run: sample was 3s, now it is 1s'
is 'before anything is run or compared' "$(ls s9 | tr '\n' ' ')$out" '02-B 03-B 04-A '
pair --out s9 --resume
is 'resumed: the first run is made' "$code$(order s9)" 0ABBA
rm -r s9/02-B && cp -r s1/06-B.partial-1 s9/02-B
pair --out s9 --resume
is 'a run of another series in its place' "$code" 2
like 'is named' "$err" 's9/02-B is no run of the series s9'
like 'with what to do' "$err" 'hint: it has the place of one: move it away'
is 'and nothing is compared' "$out" ''

mkdir s10
pair --out s10 --resume
is 'killed before its first run: resume begins' "$code$(order s10)" 0ABBA
rm -r s10 && mkdir -p s10/01-A.partial-1
pair --out s10 --resume
is 'killed in its first run: resume begins' "$code$(order s10)" 0ABBA
pair --out nowhere --resume
is 'a directory that is not there is no series' "$code" 2

mkdir full && echo precious >full/notes.txt
pair --out full/../full
is 'a directory that holds something else' "$code" 2
like 'is named' "$err" '--out full/../full: exists and is not an empty directory'
pair --out new/../full
is 'nor by a folder that would have to be made first' "$code" 3
not_ok 'which is not made' test -e new
is 'and left alone' "$(ls full)" notes.txt

flock -F s10 sleep 30 & holder=$!
sleep 0.3
pair --out s10 --resume
kill "$holder"
is 'two at work in one series' "$code" 2
like 'is refused' "$err" 'another bench-pair is at work in s10'

# a run that is taken away while the rest is measured: fewer are compared, and that is said
rm -r s10
(
    for _ in $(seq 200); do
        [ ! -s s10/02-B/run.json ] || break
        sleep 0.02
    done
    mv s10/01-A away
) & mover=$!
run "$RAWTPS" bench-pair tiny.yaml --a sata-slow --b gen5-fast --runs 20 --quiet --out s10
wait "$mover"
is 'a run that was taken away: not fine' "$code" 5
like 'and said' "$err" 'side A has 19 complete runs of the 20 that --runs asks for'
unlike 'of that side alone' "$err" 'side B has'
