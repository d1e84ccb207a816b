#!/bin/sh
# The source itself obeys the rules of the house.
. "$ROOT/tests/lib/tap.sh"

run "$ROOT/tests/tidy/check"
if [ "$code" = 0 ] && [ -z "$out$err" ]; then
    pass 'tests/tidy/check finds nothing'
else
    fail 'tests/tidy/check finds nothing' "$out$err"
fi
