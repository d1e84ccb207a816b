#!/bin/sh
# Whoever types --help, or misspells a word, is told what there is; the documents say the same.
# limit: 30
. "$ROOT/tests/lib/tap.sh"

# document FILE TEXT: docs/FILE holds what the program prints; BLESS=1 writes it
document() {
    [ "${BLESS-}" != 1 ] || cp "$2" "$ROOT/docs/$1"
    ok "docs/$1 is what the program prints (BLESS=1 writes it)" cmp -s "$2" "$ROOT/docs/$1"
}

run "$RAWTPS" help
is 'help is fine' "$code$err" 0
cp out help
run "$RAWTPS" --help
ok '--help alone is help' cmp -s out help
for command in run plan load check report compare bench-pair gate history audit \
    fidelity calibrate list version help; do
    run "$RAWTPS" "$command" --help
    is "$command --help is fine" "$code$err" 0
    cp out help
    run "$RAWTPS" help "$command"
    ok "help $command is the same" cmp -s out help
    is "no line of it is wider than a terminal of 100" "$(grep -E '^.{101,}' out)" ''
done

run "$RAWTPS" help --markdown
document COMMANDS.md out
run "$RAWTPS" help scenario --markdown
document SCENARIO.md out
run "$RAWTPS" help result --markdown
document RESULT.md out
run "$RAWTPS" help gate-file
document GATE.md out
run "$RAWTPS" help exit-codes
like 'exit codes are explained' "$out" '^\| 4 \| data came back wrong'

run "$RAWTPS" version
is 'version is fine' "$code" 0
is 'version is that of the file VERSION' "$out" "rawtps $(cat "$ROOT/VERSION")"
run "$RAWTPS" --version
is '--version is version' "$out" "rawtps $(cat "$ROOT/VERSION")"
run "$RAWTPS" version --features
like 'features name the build' "$out" '^build id  [0-9a-f]{40}$'
like 'features name the parts' "$out" '^features  io_uring'
