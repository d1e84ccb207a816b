#!/bin/bash
# A run in real time on a file: made, filled, measured, used again, interrupted.
# limit: 90
. "$ROOT/tests/lib/tap.sh"

cat > file.yaml <<'Y'
vms: 2
workload:
  kind: block
  size: 8KiB
  read: 70%
  outstanding: 4
drive:
  capacity: 48MiB
phases:
  sample: 2s
Y

run "$RAWTPS" run file.yaml --drive scratch.img --interval 1s --out probe
case $err in
*'O_DIRECT'* | *io_uring*) skip_all "no O_DIRECT or io_uring here: $err" ;;
esac
is 'a run on a file that is made' "$code" 0
ok 'the file is there' test -s scratch.img
like 'both VMs are measured' "$out" '^ vm1 +[1-9]'
like 'a line a second' "$err" '^00:00:01 sample  iops [1-9]'
cp out table
run "$RAWTPS" report probe
ok 'report is the same' cmp -s out table
run "$RAWTPS" plan file.yaml --drive scratch.img
is 'plan on what is there' "$code" 0
like 'it says that run would take it' "$out" 'scratch.img'
run "$RAWTPS" run file.yaml --drive scratch.img --quiet --for 1s
is 'it may be used again; --quiet is quiet' "$code$err" 0

run "$RAWTPS" run file.yaml --drive new.img --out probe
is 'refused after its file was made: exit code' "$code" 2
not_ok 'and the file is gone again' test -e new.img
deep=$(printf '%0150d/%0150d' 0 0)
mkdir -p "$deep"
(cd "$deep" && "$RAWTPS" run "$OLDPWD/file.yaml" --drive new.img --out "$OLDPWD/probe" 2>err >out)
like 'however long its whole name is: refused' "$(cat "$deep/err")" 'exists and is not an empty'
not_ok 'and gone' test -e "$deep/new.img"
run "$RAWTPS" run file.yaml --drive scratch.img --out probe
is 'refused on a file that was there: exit code' "$code" 2
ok 'it stays' test -s scratch.img
for command in plan run; do
    run "$RAWTPS" "$command" file.yaml --drive new.img --expect-size 1GiB
    is "$command: a file that would be made has another size" "$code" 2
    like 'which is said' "$err" '^rawtps: new.img would be made with [0-9]+ bytes, not 1073741824'
    not_ok 'and it is not made' test -e new.img
done
(
    ulimit -f 1000
    "$RAWTPS" run file.yaml --drive new.img 2>err >out
)
like 'a limit on files is named' "$(cat err)" 'hint: .*`ulimit -f`'
not_ok 'and nothing is left' test -e new.img

: > empty.img
run "$RAWTPS" run file.yaml --drive empty.img
like 'an empty file may be removed' "$err" '^rawtps: hint: a file that is removed is made as large'
head -c 50000000 /dev/urandom > "it's.img"
run "$RAWTPS" run file.yaml --drive "it's.img"
like 'what is to be typed is a word of the shell' "$err" \
    "--erase '/.*/it'\\\\''s.img'$"
is 'and the shell takes it' "$(eval "echo ${err##*--erase }")" "$PWD/it's.img"

head -c 50000000 /dev/zero > precious.img
for command in plan run; do
    run "$RAWTPS" "$command" file.yaml --drive precious.img
    is "$command: a file that is not ours is refused" "$code" 2
    like 'and named' "$err" '^rawtps: precious.img'
done
is 'and left alone' "$(tr -d '\0' < precious.img | wc -c)" 0

# begin NAME ARG...: a run under way; its pid is $pid
begin() {
    name=$1
    shift
    rm -f err # of the last one: it says "sample" too
    "$RAWTPS" run file.yaml --drive scratch.img --interval 200ms --set phases.interval=100ms \
        --for 1h --out "$name" "$@" >out 2>err </dev/null &
    pid=$!
    for _ in $(seq 100); do
        ! grep -q '^00:.* sample' err || return 0
        sleep 0.1
    done
    fail "$name begins"
}

for signal in INT TERM; do
    begin "$signal"
    kill "-$signal" "$pid"
    code=0
    wait "$pid" || code=$?
    out=$(cat out) err=$(cat err)
    is "SIG$signal: exit code" "$code" 130
    like 'a partial table' "$out" '^Partial result: interrupted'
    like 'with figures' "$out" '^ all +[1-9]'
    like 'run.json says so' "$(cat "$signal/run.json")" '"ended": ?"interrupted"'
done

begin killed
sleep 1.2
kill -KILL "$pid"
wait "$pid" 2>/dev/null
like 'kill -9: run.json is whole' "$(cat killed/run.json)" '"ended": ?"running"'
run "$RAWTPS" report killed
is 'report works' "$code$err" 0
like 'and says so' "$out" '^Partial result: still running, or killed'

cat > base.yaml <<'Y'
workload:
  kind: sysbench
  tables: 4
  rows: 40000
  threads: 4
  rand_type: uniform
database:
  profile: innodb
  buffer: 4MiB
phases:
  start: cold
  precondition: 0s
  sample: 60s
  interval: 100ms
Y
"$RAWTPS" run base.yaml --drive base.img --interval 100ms --out wrong >out 2>err </dev/null &
pid=$!
for _ in $(seq 200); do
    ! grep -q '^00:.* sample' err || break
    sleep 0.1
done
# somebody else writes over the drive
dd if=/dev/zero of=base.img bs=1M seek=4 count=200 conv=notrunc,nocreat oflag=direct 2>/dev/null
code=0
wait "$pid" || code=$?
out=$(cat out) err=$(cat err)
is 'data that came back wrong is exit code 4' "$code" 4
like 'stderr names VM, table, page, offset, expected and found' "$err" \
    '^rawtps: wrong data: .*vm0, .* page [0-9]+, offset [0-9]+ .*expected .*, found '
like 'the table is void' "$out" 'VOID'
# a drive's first MiB is rawtps' own, the only VM's slice lies behind it
numbers=$(printf '%s\n' "$err" |
    sed -n 's/.*offset \([0-9]*\) of the drive (\([0-9]*\) of the VM.s .*/\1 - \2/p' | head -n 1)
is 'the offset is that of the drive, beside that of the slice' "$((${numbers:-0}))" 1048576
like 'zeros are no page of an older version' "$err" 'found no stamp'
