# Helpers for tests of instruction counts: `. "$ROOT/tests/lib/cost.sh"`, after tap.sh. Counted by
# callgrind, so that a busy machine does not matter, of programs built by gcc -O2 whatever the rest
# of the tests is built by.
#
#   cost_build FILE             builds it under $BUILD/cost; sets $program
#   cost_counted CMD ARG...     prints the instructions that the command took
#   cost_is NAME UNIT LIMIT FEW MANY
#                               what `$program NAME` spends on one of UNIT: the difference between
#                               MANY and FEW of them, so that starting the program does not count
needs valgrind make

cost_build() {
    program=$BUILD/cost/$1
    run flock "$BUILD/cost.lock" make -s -C "$ROOT" CC=gcc OPT=-O2 CFLAGS= LDFLAGS= \
        BUILD="$BUILD/cost" "$program"
    [ "$code" -eq 0 ] || fail 'builds' "$(tap_shown)"
}

cost_counted() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
        sed -n 's/.*Collected : //p'
}

cost_is() {
    cost_few=$(cost_counted "$program" "$1" "$4")
    cost_many=$(cost_counted "$program" "$1" "$5")
    cost_each=$(((cost_many - cost_few) / ($5 - $4)))
    echo "# $1: $cost_each instructions a $2, limit $3"
    ok "$1 within $3 instructions a $2" test "$cost_each" -gt 0 -a "$cost_each" -le "$3"
}
