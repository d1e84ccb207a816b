#!/bin/sh
# A wrong command line is refused with one message, what was meant, and exit code 2.
# limit: 60
. "$ROOT/tests/lib/tap.sh"

# refused 'words' 'regex of the message' 'regex of the hint'
refused() {
    # shellcheck disable=SC2086  # words are to be split
    run "$RAWTPS" $1
    is "exit code of: rawtps $1" "$code" 2
    is "nothing on stdout" "$out" ''
    like "the message" "$err" "^rawtps: $2"
    [ -z "${3-}" ] || like "the hint" "$err" "^rawtps: hint: $3"
    is "said once" "$(grep -vc '^rawtps: hint: ' err)" 1
}

refused '' 'a command is missing' 'rawtps help|`rawtps help`'
refused 'rnu' 'unknown command "rnu"' 'did you mean "run"\?'
refused 'frobnicate' 'unknown command "frobnicate"' '.*lists the commands'
refused '--versoin' 'unknown command "--versoin"'
refused 'run' 'run: a scenario is missing' 'usage: rawtps run SCENARIO'
refused 'run a b' 'run: too many arguments: "b"' 'usage: '
refused 'run quick --qiuet' 'unknown option --qiuet' 'did you mean --quiet\?'
refused 'run quick --zzzz' 'unknown option --zzzz' '--help lists'
refused 'run quick -z' 'unknown option -z'
refused 'run quick --seed' '--seed: a value is missing'
refused 'run quick --quiet --quiet' '--quiet is given twice'
refused 'run quick --drive a --drive=b' '--drive is given twice'
refused 'run quick --virtual --check' '--check is of a server' '--target postgresql://'
refused 'run quick --virtual --drive a' '--virtual and --drive exclude each other'
refused 'run quick --interval 5' '--interval: "5" is not a duration: a unit is needed' 'units are'
refused 'run quick --interval 1us' '--interval: must be 100ms to 1d'
refused 'run quick --format xml' '--format: must be text, markdown, csv, json, html or digest'
refused 'run quick --progress plian' '--progress: must be plain' 'did you mean "plain"\?'
refused 'run quick --color=sometimes' '--color: must be auto, always or never'
refused 'run quick --expect-size big' '--expect-size: "big" is not a size'
refused 'plan quick --quiet' 'unknown option --quiet'
refused 'plan' 'plan: a scenario is missing'
refused 'report' 'report: a run directory is missing'
refused 'report nowhere' 'no run in nowhere: No such file' 'name a run directory'
refused 'report .' 'cannot read ./run.json: No such file' 'it is not a run directory'
refused 'report a --quiet' 'unknown option --quiet'
refused 'list all' 'list: too many arguments: "all"'
refused 'version 2' 'version: too many arguments: "2"'
refused 'help exit' 'no help on "exit"' 'did you mean "exit-codes"\?'

run "$RAWTPS" run quick --label "$(printf '%064d' 0)"
like 'a label has a length' "$err" '^rawtps: --label: must be at most 63 bytes long'
run "$RAWTPS" plan "$(printf 'no\nsuch\033[31m')"
unlike 'what was typed cannot speak to the terminal' "$err" "$(printf '\033')"

# Examples in README and the help name what there is.
"$RAWTPS" list | sed -E "s/^[a-z-]+ +([^ ]+) .*/\1/" | sort -u >listed
{
    sed -nE "s/.*rawtps (run|plan|load|check|bench-pair) ([a-z][a-z0-9-]*)( .*)?$/\2/p" \
        "$ROOT/README.md" "$ROOT/docs/COMMANDS.md"
    cat "$ROOT/README.md" "$ROOT/docs/COMMANDS.md" |
        grep -oE "(drive\.like|database\.profile)=[a-z0-9.-]+" | sed "s/.*=//"
} | sort -u >named
ok "examples name something" grep -q "^quick$" named
is "examples name nothing that is not there" "$(comm -23 named listed)" ""
