#!/bin/sh
# slow, not-sanitized
# Instructions that a request costs on the drives of virtual time, loop included, 256 outstanding:
# a full-scale run does 200 million of them. Counted by callgrind, so that a busy machine does not
# matter.
. "${ROOT:-.}/tests/lib/tap.sh"
needs valgrind make

program=$BUILD/cost/tests/bench/cost_drive
run flock "$BUILD/cost.lock" make -s -C "$ROOT" CC=gcc OPT=-O2 CFLAGS= LDFLAGS= \
    BUILD="$BUILD/cost" "$program"
[ "$code" -eq 0 ] || fail 'builds' "$(tap_shown)"

# instructions NAME REQUESTS: all of them
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" 2>&1 |
        sed -n 's/.*Collected : //p'
}

# costs NAME LIMIT: the difference of two runs, so that starting the program does not count
costs() {
    each=$((($(instructions "$1" 60000) - $(instructions "$1" 20000)) / 40000))
    echo "# $1: $each instructions a request, limit $2"
    ok "$1 within $2 instructions a request" test "$each" -gt 0 -a "$each" -le "$2"
}

costs null 120
costs read 1200
costs write 900
costs mixed 950
costs stamp 14000
