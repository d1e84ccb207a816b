#!/bin/bash
# Output that cannot be written is an error, a reader that goes away is none.
# limit: 30
. "$ROOT/tests/lib/tap.sh"

run sh -c '"$RAWTPS" help >/dev/full'
is 'a full device is exit code 3' "$code" 3
like 'it is said' "$err" '^rawtps: cannot write the output: No space left'
run sh -c '"$RAWTPS" help >&-'
is 'a closed stdout is exit code 3' "$code" 3
run sh -c '"$RAWTPS" help 2>&-'
is 'a closed stderr does no harm' "$code" 0
run bash -c '"$RAWTPS" help | true; exit ${PIPESTATUS[0]}'
is 'a pipe that is closed is none' "$code$err" 0

cat > tiny.yaml <<'Y'
workload:
  kind: block
  size: 4KiB
  read: 50%
  outstanding: 4
drive:
  like: gen5-fast
phases:
  settle: 1s
  sample: 2s
Y
run "$RAWTPS" run tiny.yaml --virtual --quiet
is 'the run is fine' "$code$err" 0
unlike 'no colour where there is no terminal' "$out" "$(printf '\033')"
run "$RAWTPS" report results/LATEST --color always
like 'colour if it is asked for' "$out" "$(printf '\033')\\[32mok"

# terminal COMMAND: as on a terminal of 100 columns
terminal() {
    # shellcheck disable=SC2086
    script -qec "stty cols 100 rows 40; $1" /dev/null </dev/null >typescript 2>&1
}
if ! command -v script >/dev/null; then
    skip 'on a terminal' 'script is not installed'
    exit 0
fi
export TERM=xterm
terminal "$RAWTPS report results/LATEST"
like 'colour on a terminal' "$(cat typescript)" "$(printf '\033')\\[32mok"
tr -d '\r' < typescript | sed 's/\x1b\[[0-9;]*m//g' > plain
is 'laid out for it' "$(grep -E '^.{101,}' plain)" ''
NO_COLOR=1 terminal "$RAWTPS report results/LATEST"
unlike 'NO_COLOR means none' "$(cat typescript)" "$(printf '\033')"
TERM=dumb terminal "$RAWTPS report results/LATEST"
unlike 'TERM=dumb means none' "$(cat typescript)" "$(printf '\033')"
terminal "$RAWTPS run tiny.yaml --virtual"
like 'a run on a terminal is redrawn in place' "$(cat typescript)" "$(printf '\033')\\[[0-9]*A"
like 'and leaves the last view standing' "$(cat typescript)" 'sample 00:00:02/00:00:02'
terminal "$RAWTPS run tiny.yaml --virtual --quiet --color never"
unlike '--quiet shows no view' "$(cat typescript)" "$(printf '\033')"
