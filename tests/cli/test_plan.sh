#!/bin/sh
# `plan` says what a run would do and touches nothing; `list` names what can be run.
# limit: 60
. "$ROOT/tests/lib/tap.sh"

cat > tiny.yaml <<'Y'
about: requests on a simulated drive
seed: 5
vms: 2
workload:
  kind: block
  size: 8KiB
  read: 70%
  outstanding: 4
drive:
  like: h3201-e1s
phases:
  settle: 1s
  sample: 1h
Y

run "$RAWTPS" plan tiny.yaml --virtual --for 30s --set workload.size=16KiB
is 'plan is fine' "$code$err" 0
sed '/^  memory /,/^$/d' out > lasting
golden plan_block.txt lasting
is 'nothing is made' "$(ls)" "$(printf 'err\nlasting\nout\ntiny.yaml')"

run "$RAWTPS" plan tiny.yaml --drive scratch.img --set drive.capacity=64MiB
is 'plan for a file that is not there is fine' "$code$err" 0
ok 'and does not make it' test ! -e scratch.img
run "$RAWTPS" plan tiny.yaml --drive /dev/nonesuch1
is 'a device that is not there' "$code" 3
like 'is said' "$err" '^rawtps: /dev/nonesuch1'
ok 'and never made' test ! -e /dev/nonesuch1
head -c 20000000 /dev/zero > precious.img
run "$RAWTPS" plan tiny.yaml --drive precious.img
is 'a plan that would be refused ends as the run would' "$code" 2
like 'after the plan' "$out" '^phases'
like 'which says so' "$out" '^`run` would refuse the drive: precious.img'

run "$RAWTPS" plan tiny.yaml --set workload.sise=4KiB
is 'a misspelt --set' "$code" 2
like 'is answered with the nearest key' "$err" 'did you mean "?(workload\.)?size'
sed 's/outstanding/outstandign/' tiny.yaml > wrong.yaml
run "$RAWTPS" plan wrong.yaml
like 'a misspelt key has its place' "$err" '^rawtps: wrong.yaml:8:3: unknown key "outstandign"'
run "$RAWTPS" plan nonesuch
is 'a scenario that is not there' "$code" 2
run "$RAWTPS" plan qiuck
like 'the nearest shipped one is named' "$err" 'quick'

run "$RAWTPS" list
is 'list is fine' "$code$err" 0
like 'scenarios' "$out" '^scenario +quick  '
like 'VM configurations' "$out" '^vm-config +sqlserver-16c64g  '
like 'drives' "$out" '^drive +h3200-u2  '
like 'profiles' "$out" '^profile +innodb  '
is 'one line each, with what it is about' "$(grep -vc '^[a-z-]* *[^ ]*  *[^ ]' out)" 0
for name in $(printf '%s\n' "$out" | awk '$1 == "scenario" { print $2 }'); do
    case $name in
    tpcb-*) continue ;; # asks a server, which is not here
    esac
    run "$RAWTPS" plan "$name" --virtual
    is "$name can be planned" "$code$err" 0
done
