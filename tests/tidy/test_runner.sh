#!/bin/sh
# What a developer relies on when tests/run says that all is well.
# limit: 180
. "$ROOT/tests/lib/tap.sh"

mkdir -p tree/tests/cli tree/tests/unit tree/tests/lib
cp "$ROOT/tests/run" tree/tests/run
cp "$ROOT/tests/lib/tap.sh" tree/tests/lib/tap.sh
printf '$(CURDIR)/b/rawtps:\n\tmkdir -p b && touch b/rawtps\n' > tree/Makefile
unset BLESS CI

# one_test BODY: a tree with this one shell test, run; the last line is in $last
one_test() {
    printf '#!/bin/sh\n%s\n' "$1" > tree/tests/cli/test_one.sh
    run tree/tests/run --build b cli/test_one
    last=$(printf '%s\n' "$out" | tail -n 1)
}

one_test 'echo "ok 1 - a"; echo "ok 2 - b"; echo 1..2'
is 'single tests are counted' "$last $code" '2 passed, 0 failed, 0 skipped 0'

one_test 'echo "ok 1 - a"; echo "not ok 2 - lost a page"; exit 1'
is 'a failure is counted once' "$last $code" '1 passed, 1 failed, 0 skipped 1'
like 'a failure is named' "$out" 'failed: lost a page'

one_test 'echo "ok 1 - a"; echo why it broke; exit 3'
is 'a bad end is a failure' "$last $code" '1 passed, 1 failed, 0 skipped 1'
like 'what a failed test printed is shown' "$out" 'why it broke'
like 'its exit code is shown' "$out" 'exit code 3'

one_test 'echo "ok 1 - a"; kill -SEGV $$'
like 'a crash is named' "$out" 'killed by SIGSEGV'
is 'a crash is a failure' "$last $code" '1 passed, 1 failed, 0 skipped 1'

one_test 'echo 1..3; echo "ok 1 - a"'
is 'fewer tests than planned is a failure' "$last $code" '1 passed, 1 failed, 0 skipped 1'

one_test 'true'
is 'saying nothing is a failure' "$last $code" '0 passed, 1 failed, 0 skipped 1'

one_test 'echo "# SKIP no drive here"; exit 77'
is 'a skip is not a failure' "$last $code" '0 passed, 0 failed, 1 skipped 0'
like 'a skip says why' "$out" 'skipped: no drive here'

one_test 'echo "not ok 1 # SKIP test_of_cmocka"; echo "ok 2 - b # SKIP no io_uring"'
is 'single skips are counted' "$last $code" '0 passed, 0 failed, 2 skipped 0'

one_test '# limit: 1
echo "ok 1 - a"; sleep 60 & echo $! > "$ROOT/pid"; sleep 60'
is 'a test is stopped at its limit' "$last $code" '1 passed, 1 failed, 0 skipped 1'
like 'and the limit is shown' "$out" 'time limit of 1 s'
sleep 0.1
not_ok 'with all that it started' grep -q '^State:.[^Z]' "/proc/$(cat tree/pid)/status"

printf '#!/bin/sh\necho $$ > "$ROOT/pid"; exec sleep 60\n' > tree/tests/cli/test_one.sh
rm -f tree/pid
tree/tests/run --build b cli/test_one > told 2>&1 &
runner=$!
while [ ! -s tree/pid ]; do sleep 0.05; done
kill -TERM "$runner"
wait "$runner"
is 'told to end, it does' "$?" 143
sleep 0.1
not_ok 'and takes its tests along' grep -q '^State:.[^Z]' "/proc/$(cat tree/pid)/status"

one_test '# must-run
echo "# SKIP no loop device"; exit 77'
is 'a skip of a must-run test is fine at home' "$last" '0 passed, 0 failed, 1 skipped'
run env CI=true tree/tests/run --build b cli/test_one
is 'and a failure in CI' "$(printf '%s\n' "$out" | tail -n 1) $code" \
    '0 passed, 1 failed, 0 skipped 1'

one_test 'pwd; ls -A | wc -l; echo "ok 1 - a"'
is 'a test has a directory of its own' "$last" '1 passed, 0 failed, 0 skipped'
one_test '[ "$(ls -A)" = "" ] && echo "ok 1 - empty"; touch left-behind'
one_test '[ "$(ls -A)" = "" ] && echo "ok 1 - empty"; touch left-behind'
is 'which is empty each time' "$last" '1 passed, 0 failed, 0 skipped'
not_ok 'and goes away' test -e tree/b/tmp/cli/test_one

echo 'int main(void) { return oops; }' > tree/tests/unit/test_c.c
printf '$(CURDIR)/b/tests/%%: tests/%%.c\n\tmkdir -p $(@D) && gcc -o $@ $<\n' >> tree/Makefile
run tree/tests/run --build b unit/test_c
is 'a test that does not compile is a failure' "$(printf '%s\n' "$out" | tail -n 1) $code" \
    '0 passed, 1 failed, 0 skipped 1'
like 'with what the compiler said' "$out" 'oops'

run tree/tests/run --build b no_such_test
is 'a name that matches nothing is a failure' "$code" 1

printf '$(CURDIR)/b/rawtps:\n\tfalse\n' > tree/Makefile
rm tree/b/rawtps
one_test 'echo "ok 1 - a"'
is 'a program that does not build is a failure' "$code" 1

one_test '. "$ROOT/tests/lib/tap.sh"
run sh -c "echo hello; echo oops >&2; exit 5"
is code "$code" 5; is out "$out" hello; like err "$err" ^oo
unlike err "$err" z; ok yes true; not_ok no false; skip it "no need"'
like 'tap.sh: each helper counts' "$last" '6 passed, 1 failed, 1 skipped'
one_test '. "$ROOT/tests/lib/tap.sh"
is code 1 2'
like 'tap.sh: a difference shows both' "$out" 'wanted: 2'
one_test '. "$ROOT/tests/lib/tap.sh"
echo new > f; golden page f'
like 'golden: a missing page is a failure' "$out" 'BLESS=1 writes it'
export BLESS=1
one_test '. "$ROOT/tests/lib/tap.sh"
echo new > f; golden page f'
unset BLESS
is 'golden: BLESS=1 writes it' "$(cat tree/tests/cli/golden/page)" new
one_test '. "$ROOT/tests/lib/tap.sh"
echo old > f; golden page f'
like 'golden: a difference is shown' "$out" '\+old'
